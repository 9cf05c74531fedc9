// The scenes that a viewer may choose from: those below the folder that comes with the program, and the one it was started with.
#ifndef SP_SERVE_GALLERY_H
#define SP_SERVE_GALLERY_H

#include "souple/io.h"

typedef struct sp_gallery_scene {
    char *path, *title;
    char *group;  // folder below that of the scenes; "" for the scenes directly in it
} sp_gallery_scene;

typedef struct sp_gallery {
    sp_gallery_scene *scenes;
    int count, capacity;
} sp_gallery;

enum { SP_GALLERY_MAX = 1000 };

// Adds every scene below a folder; folders that cannot be read are left out. False: no memory.
bool sp__gallery_add_folder(sp_gallery *g, sp_context *context, const char *folder);
// The number of the scene in that file, added at the front of the list where it is not there yet. -1: no memory.
int sp__gallery_find(sp_gallery *g, sp_context *context, const char *path);
void sp__gallery_free(sp_gallery *g);
// A file with a scene, not a fragment that scenes include: by its first lines.
bool sp__holds_scene(const char *path);

#endif
