// The folder of --out. At the start: files.txt (the files of the run), source.xml (the scene as given) and scene.txt (all
// resolved values). During the run: steps.csv. At the end: picture.png and summary.json. `souple report` reads them. --overwrite
// removes the files listed in files.txt and nothing else.
#ifndef SP_RUN_FOLDER_H
#define SP_RUN_FOLDER_H

#include "common/command.h"

// The first record of the scene that uses one of these reserved names; NULL: none.
const char *sp__run_record_taken(const sp_scene *scene);

// Whether the folder contains a run, complete or not. `found`: the file that shows it (room for 64).
bool sp__run_folder_taken(const char *folder, char *found);
// Removes the files of the previous run, except the file `scene`, which may be one of them.
void sp__run_folder_clear(const char *folder, const char *scene);
// Writes the list of files of a run. False: see errno.
bool sp__run_folder_list(const char *folder, const sp_session *session);
// Copies the text of the scene to the results. False: `why`.
bool sp__run_keep_source(const char *scene_path, const char *folder, char *why, size_t size);

#endif
