// See manual.h: completion for bash, zsh and fish. Placeholders decide what completes an option value or a positional argument:
// FILE and LOG are files, DIR is a folder, a|b|c are the words themselves.
#include <string.h>

#include "help/manual.h"

typedef enum follows { NOTHING, ANYTHING, FILES, FOLDERS, WORDS, COMMANDS } follows;

static follows what_follows(const char *placeholder) {
    size_t n = strcspn(placeholder ? placeholder : "", " ");
    if (n == 0) return NOTHING;
    if (memchr(placeholder, '|', n) && !memchr(placeholder, '[', n)) {
        bool names = n > 5 && strncmp(placeholder, "SCENE", 5) == 0;
        return names ? FILES : WORDS;
    }
    static const char *const files[] = {"FILE", "LOG", "SCENE", "CHECKPOINT", "RECORDING", "IN", "OUT", "MESH"};
    for (size_t i = 0; i < sizeof files / sizeof *files; i++)
        if (strlen(files[i]) == n && strncmp(placeholder, files[i], n) == 0) return FILES;
    if (n == 3 && strncmp(placeholder, "DIR", n) == 0) return FOLDERS;
    return n == 9 && strncmp(placeholder, "[COMMAND]", n) == 0 ? COMMANDS : ANYTHING;
}

// "a|b|c" as "a b c", up to the first space
static void put_words(const char *list, FILE *f) {
    for (; *list && *list != ' '; list++) fputc(*list == '|' ? ' ' : *list, f);
}

// ---- bash

static void bash_names(const sp_commands *commands, FILE *f) {
    for (int i = 0; i < commands->count; i++) fprintf(f, "%s%s", i ? " " : "", commands->all[i]->name);
}

static void bash_options(const sp_command *c, FILE *f) {
    fprintf(f, "        \"%s\")\n            options=\"", c->name);
    for (int i = 0; i < c->option_count; i++) fprintf(f, "%s ", c->options[i].name);
    fputs("--help\"\n", f);
    follows kind = what_follows(c->arguments);
    if (c->part_count) {
        fputs("            words=\"", f);
        for (int i = 0; i < c->part_count; i++) fprintf(f, "%s ", strchr(c->parts[i]->name, ' ') + 1);
        fputs("\"\n", f);
    } else if (kind == WORDS) {
        fputs("            words=\"", f), put_words(c->arguments, f), fputs("\"\n", f);
    } else if (kind == COMMANDS) {
        fputs("            words=$commands\n", f);
    } else if (kind == FILES || kind == FOLDERS) {
        fprintf(f, "            kind=%s\n", kind == FILES ? "-f" : "-d");
    }
    for (int pass = FILES; pass <= FOLDERS; pass++) {
        fprintf(f, "            %s=\" ", pass == FILES ? "files" : "folders");
        for (int i = 0; i < c->option_count; i++)
            if ((int)what_follows(c->options[i].values) == pass) fprintf(f, "%s ", c->options[i].name);
        fputs("\"\n", f);
    }
    fputs("            ;;\n", f);
}

static void bash(const sp_commands *commands, FILE *f) {
    fputs("# bash completion for souple\n"
          "_souple() {\n"
          "    local cur=${COMP_WORDS[COMP_CWORD]} prev=${COMP_WORDS[COMP_CWORD-1]}\n"
          "    local commands=\"",
          f);
    bash_names(commands, f);
    fputs("\"\n"
          "    local command=${COMP_WORDS[1]} options= words= files= folders= kind=\n"
          "    COMPREPLY=()\n"
          "    if [ \"$COMP_CWORD\" -eq 1 ]; then\n"
          "        mapfile -t COMPREPLY < <(compgen -W \"$commands --help --version\" -- \"$cur\")\n"
          "        return\n"
          "    fi\n",
          f);
    for (int i = 0; i < commands->count; i++)
        if (commands->all[i]->part_count)
            fprintf(f, "    [ \"$command\" = %s ] && [ \"$COMP_CWORD\" -gt 2 ] && command=\"$command ${COMP_WORDS[2]}\"\n",
                    commands->all[i]->name);
    fputs("    case \"$command\" in\n", f);
    for (int i = 0; i < commands->count; i++) {
        bash_options(commands->all[i], f);
        for (int k = 0; k < commands->all[i]->part_count; k++) bash_options(commands->all[i]->parts[k], f);
    }
    fputs("    esac\n"
          "    case \"$files\" in *\" $prev \"*) kind=-f words= options= ;; esac\n"
          "    case \"$folders\" in *\" $prev \"*) kind=-d words= options= ;; esac\n"
          "    [ -z \"$words\" ] || kind=\n"
          "    case \"$cur\" in -*) kind= words= ;; esac\n"
          "    mapfile -t COMPREPLY < <(compgen ${kind:+$kind} -W \"$words $options\" -- \"$cur\")\n"
          "    [ -z \"$kind\" ] || compopt -o filenames 2>/dev/null\n"
          "}\n"
          "complete -F _souple souple\n",
          f);
}

// ---- zsh

// inside single quotes; `special`: characters with a meaning for zsh completion functions
static void zsh_text(const char *text, const char *special, FILE *f) {
    for (; *text; text++) {
        if (*text == '\'')
            fputs("'\\''", f);
        else if (strchr(special, *text))
            fprintf(f, "\\%c", *text);
        else
            fputc(*text, f);
    }
}

static void zsh_action(follows kind, const char *words, FILE *f) {
    if (kind == FILES) fputs("_files", f);
    if (kind == FOLDERS) fputs("_files -/", f);
    if (kind == WORDS) fputs("(", f), put_words(words, f), fputs(")", f);
}

static void zsh_option(const sp_option *o, FILE *f) {
    fprintf(f, "                '*%s[", o->name);
    zsh_text(o->meaning, "[]:\\", f);
    fputc(']', f);
    for (const char *v = o->values; v && *v;) {
        int n = (int)strcspn(v, " ");
        fprintf(f, ":%.*s:", n, v);
        zsh_action(what_follows(v), v, f);
        v += n + (v[n] == ' ');
    }
    fputs("' \\\n", f);
}

static void zsh_case(const sp_command *c, FILE *f) {
    fprintf(f, "        '%s')\n            _arguments \\\n", c->name);
    for (int i = 0; i < c->option_count; i++) zsh_option(&c->options[i], f);
    fputs("                '--help[print this help and exit]' \\\n                '*: :", f);
    follows kind = what_follows(c->arguments);
    if (c->part_count) {
        fputs("(", f);
        for (int i = 0; i < c->part_count; i++) fprintf(f, "%s%s", i ? " " : "", strchr(c->parts[i]->name, ' ') + 1);
        fputs(")", f);
    } else {
        zsh_action(kind, c->arguments, f);
    }
    fputs("'\n            ;;\n", f);
}

static void zsh(const sp_commands *commands, FILE *f) {
    fputs("#compdef souple\n_souple() {\n    local -a commands\n    commands=(\n", f);
    for (int i = 0; i < commands->count; i++) {
        fprintf(f, "        '%s:", commands->all[i]->name);
        zsh_text(commands->all[i]->summary, ":\\", f);
        fputs("'\n", f);
    }
    fputs("    )\n    if (( CURRENT == 2 )); then\n        _describe -t commands 'souple command' commands\n        return\n    "
          "fi\n"
          "    local command=$words[2]\n    shift words\n    (( CURRENT-- ))\n",
          f);
    for (int i = 0; i < commands->count; i++)
        if (commands->all[i]->part_count)
            fprintf(f,
                    "    if [[ $command == %s ]] && (( CURRENT > 2 )); then\n        command=\"$command $words[2]\"\n        "
                    "shift words\n"
                    "        (( CURRENT-- ))\n    fi\n",
                    commands->all[i]->name);
    fputs("    case $command in\n", f);
    for (int i = 0; i < commands->count; i++) {
        zsh_case(commands->all[i], f);
        for (int k = 0; k < commands->all[i]->part_count; k++) zsh_case(commands->all[i]->parts[k], f);
    }
    fputs("    esac\n}\n_souple \"$@\"\n", f);
}

// ---- fish

static void fish_text(const char *text, FILE *f) {
    fputc('\'', f);
    for (; *text; text++) {
        if (*text == '\'' || *text == '\\') fputc('\\', f);
        fputc(*text, f);
    }
    fputc('\'', f);
}

// shell condition: the words typed so far are those of the command
static void fish_condition(const sp_command *c, FILE *f) {
    const char *space = strchr(c->name, ' ');
    fputs("complete -c souple -n '__fish_seen_subcommand_from ", f);
    if (space)
        fprintf(f, "%.*s; and __fish_seen_subcommand_from %s", (int)(space - c->name), c->name, space + 1);
    else
        fputs(c->name, f);
    fputc('\'', f);
}

static void fish_command(const sp_command *c, FILE *f) {
    follows kind = what_follows(c->arguments);
    for (int i = 0; i < c->option_count; i++) {
        const sp_option *o = &c->options[i];
        follows value = what_follows(o->values);
        fish_condition(c, f);
        fprintf(f, " -l %s", o->name + 2);
        fputs(value == NOTHING   ? ""
              : value == FILES   ? " -r -F"
              : value == FOLDERS ? " -x -a '(__fish_complete_directories)'"
                                 : " -x",
              f);
        fputs(" -d ", f), fish_text(o->meaning, f), fputc('\n', f);
    }
    for (int i = 0; i < c->part_count; i++) {
        fish_condition(c, f);
        fprintf(f, " -f -a %s -d ", strchr(c->parts[i]->name, ' ') + 1), fish_text(c->parts[i]->summary, f), fputc('\n', f);
    }
    if (kind == WORDS && !c->part_count) fish_condition(c, f), fputs(" -f -a '", f), put_words(c->arguments, f), fputs("'\n", f);
    if (kind == FILES) fish_condition(c, f), fputs(" -F\n", f);
    if (kind == FOLDERS) fish_condition(c, f), fputs(" -f -a '(__fish_complete_directories)'\n", f);
}

static void fish(const sp_commands *commands, FILE *f) {
    fputs("# fish completion for souple\ncomplete -c souple -f\n", f);
    for (int i = 0; i < commands->count; i++) {
        fprintf(f, "complete -c souple -n __fish_use_subcommand -a %s -d ", commands->all[i]->name);
        fish_text(commands->all[i]->summary, f), fputc('\n', f);
    }
    for (int i = 0; i < commands->count; i++) {
        fish_command(commands->all[i], f);
        for (int k = 0; k < commands->all[i]->part_count; k++) fish_command(commands->all[i]->parts[k], f);
    }
}

bool sp__print_completion(const sp_commands *commands, const char *shell, FILE *file) {
    if (strcmp(shell, "bash") == 0) return bash(commands, file), true;
    if (strcmp(shell, "zsh") == 0) return zsh(commands, file), true;
    if (strcmp(shell, "fish") == 0) return fish(commands, file), true;
    return false;
}
