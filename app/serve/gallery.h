// The scenes that a viewer can open: those in the installed folder, and the one given at the start.
#ifndef SP_SERVE_GALLERY_H
#define SP_SERVE_GALLERY_H

#include "souple/io.h"

typedef struct sp_gallery_scene {
    char *path, *title;
    char *group;  // subfolder of the scenes folder; "" for the scenes directly in it, SP_GALLERY_OWN for those of clients
    char *base;   // folder of the files that it names; NULL: its own
} sp_gallery_scene;

typedef struct sp_gallery {
    sp_gallery_scene *scenes;
    int count, capacity;
    char *folder;  // that was added last; NULL: none
} sp_gallery;

#define SP_GALLERY_OWN "opened"

enum { SP_GALLERY_MAX = 1000 };

// Adds every scene in a folder and its subfolders; unreadable folders are skipped. False: no memory.
bool sp__gallery_add_folder(sp_gallery *g, sp_context *context, const char *folder);
// The index of the scene in that file; a new one is added at the front of the list. -1: no memory.
int sp__gallery_find(sp_gallery *g, sp_context *context, const char *path);
// The index of a scene that a client sent, added at the end of the list. -1: no memory, or too many.
int sp__gallery_own(sp_gallery *g, const char *path, const char *base);
void sp__gallery_title(sp_gallery *g, int index, const char *title);  // "": unchanged
void sp__gallery_remove_last(sp_gallery *g);
void sp__gallery_free(sp_gallery *g);
// Whether a file contains a scene, and not an include fragment: decided by its first lines.
bool sp__holds_scene(const char *path);

#endif
