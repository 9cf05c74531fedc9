// Paths: the installed files of the program, kinds of files by their names, and checks of output paths. An installed program
// finds its scenes relative to itself, so that the installation can be moved. Output paths are checked before the simulation
// starts, so that a wrong path costs no time.
#ifndef SP_APP_FILES_H
#define SP_APP_FILES_H

#include <limits.h>
#include <stdbool.h>
#include <stddef.h>

// The folder of the installed scenes: $SOUPLE_SCENES, ./scenes, ../share/souple/scenes relative to the program, or the source
// folder of the build. `out` has room for PATH_MAX.
void sp__scenes_folder(char *out);
// The folder of the web page of the viewer: ../share/souple/viewer relative to the program, or that of the build. It may not
// exist.
void sp__viewer_folder(char *out);

// Whether a file name ends in one of the endings of a list, which NULL ends.
bool sp__ends_in(const char *path, const char *const *endings);
bool sp__is_recording(const char *path);  // .xdmf, .h5

// Creates a folder and its parents. Nullable: made (the folder did not exist before). False: see errno.
bool sp__make_folders(const char *path, bool *made);
// The parent folder of a path. False: too long.
bool sp__folder_of(const char *path, char out[PATH_MAX]);
// Whether a file can be written at `path`; creates nothing. `folder` (nullable) counts as existing, because it will be created.
// False: `why`.
bool sp__output_possible(const char *path, const char *folder, char *why, size_t size);

#endif
