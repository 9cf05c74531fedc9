// Where the files of the program are, and where a command may write: an installed program finds its scenes beside itself,
// wherever the whole was moved; a path that is written to is checked before the work begins, so that a wrong one costs no
// simulation.
#ifndef SP_APP_FILES_H
#define SP_APP_FILES_H

#include <limits.h>
#include <stdbool.h>
#include <stddef.h>

// The folder of the scenes that come with the program: $SOUPLE_SCENES, ./scenes, ../share/souple/scenes seen from the program,
// and where it was built. `out` has room for PATH_MAX.
void sp__scenes_folder(char *out);
// The folder of the viewer's page: ../share/souple/viewer seen from the program, or where it was built. It may be missing.
void sp__viewer_folder(char *out);

// Create a folder with those above it. Nullable: made (the folder was not there before). False: errno says why.
bool sp__make_folders(const char *path, bool *made);
// The folder that a path stands in. False: too long.
bool sp__folder_of(const char *path, char out[PATH_MAX]);
// Can a file be written at `path`? Nothing is created. A folder that will be made counts as there; nullable. False: `why`.
bool sp__output_possible(const char *path, const char *folder, char *why, size_t size);

#endif
