// The folder of --out: files.txt (what a run writes there), source.xml (the scene as it was given) and scene.txt (every value in
// use) at its start, steps.csv while it runs; picture.png and summary.json at its end. `souple report` reads them. --overwrite
// removes what files.txt lists and nothing else.
#ifndef SP_RUN_FOLDER_H
#define SP_RUN_FOLDER_H

#include "common/command.h"

// Names of the files that every run writes, and of the report; NULL past the end.
const char *sp__run_file_at(int index);
// The first record of the scene that has such a name, which it may not; NULL: none.
const char *sp__run_record_taken(const sp_scene *scene);

// Does the folder hold a run, whole or not? `found`: the file that says so (room for 64).
bool sp__run_folder_taken(const char *folder, char *found);
// Remove what the run before wrote there, but not the file `scene`, which may be one of it.
void sp__run_folder_clear(const char *folder, const char *scene);
// List what a run writes there. False: errno says why.
bool sp__run_folder_list(const char *folder, const sp_session *session);
// The scene's own text beside its results. False: `why`.
bool sp__run_keep_source(const char *scene_path, const char *folder, char *why, size_t size);

#endif
