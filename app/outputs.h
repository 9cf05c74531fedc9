// Files that a command writes. They are checked before the work begins, so that a wrong path costs no simulation; and the files
// of a run in its folder are listed in files.txt there, so that --overwrite removes those of the run before and nothing else.
#ifndef SP_OUTPUTS_H
#define SP_OUTPUTS_H

#include "command.h"

// Can a file be written at `path`? Nothing is created. A folder that will be made counts as there; nullable. False: `why`.
bool sp__output_possible(const char *path, const char *folder, char *why, size_t size);

// Does the folder hold a run, whole or not? `found`: the file that says so (room for 64).
bool sp__run_folder_taken(const char *folder, char *found);
// Remove what the run before wrote there, but not the file `scene`, which may be one of it.
void sp__run_folder_clear(const char *folder, const char *scene);
// List what a run writes there. False: errno says why.
bool sp__run_folder_list(const char *folder, const sp_session *session);

#endif
