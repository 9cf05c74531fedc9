// Man pages and shell completion, generated from the same tables as --help: `souple help --man NAME`, `souple help --completion
// SHELL`.
#ifndef SP_MANUAL_H
#define SP_MANUAL_H

#include "common/command.h"

typedef struct sp_commands {
    const sp_command *const *all;
    int count;
} sp_commands;

// A man page of a command ("run", "mesh info" or "souple-mesh-info"), or of all commands ("souple"). False: no such command.
bool sp__print_man(const sp_commands *commands, const char *name, FILE *file);
// Names of all pages, one per line: souple, souple-run, souple-mesh-info, ...
void sp__print_man_names(const sp_commands *commands, FILE *file);
// "bash", "zsh" or "fish"; false: any other.
bool sp__print_completion(const sp_commands *commands, const char *shell, FILE *file);

#endif
