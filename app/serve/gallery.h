// The scenes that a viewer can open: those in the installed folder, and the one given at the start.
#ifndef SP_SERVE_GALLERY_H
#define SP_SERVE_GALLERY_H

#include "souple/io.h"

typedef struct sp_gallery_scene {
    char *path, *title;
    char *group;  // subfolder of the scenes folder; "" for the scenes directly in it
} sp_gallery_scene;

typedef struct sp_gallery {
    sp_gallery_scene *scenes;
    int count, capacity;
} sp_gallery;

enum { SP_GALLERY_MAX = 1000 };

// Adds every scene in a folder and its subfolders; unreadable folders are skipped. False: no memory.
bool sp__gallery_add_folder(sp_gallery *g, sp_context *context, const char *folder);
// The index of the scene in that file; a new one is added at the front of the list. -1: no memory.
int sp__gallery_find(sp_gallery *g, sp_context *context, const char *path);
void sp__gallery_free(sp_gallery *g);
// Whether a file contains a scene, and not an include fragment: decided by its first lines.
bool sp__holds_scene(const char *path);

#endif
