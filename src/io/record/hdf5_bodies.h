// Bodies of a recording that is written: /bodies/NAME/REVISION holds the cells and fields of a body from the frame at which it
// appears, or at which its cells change. A group ends where the next layout does not have its body.
#ifndef SP_HDF5_BODIES_H
#define SP_HDF5_BODIES_H

#include "io/record/hdf5_items.h"

typedef struct sp_h5_body {
    sp_layout_body body;  // from a layout, or read from the file; cells NULL: read
    int revision;         // the name of the group
    long first, end;      // its frames; end SP_H5_OPEN: it goes on
    sp_h5_list *fields;   // of its arrays
    bool open;            // fields are open
} sp_h5_body;
#define SP_H5_OPEN LONG_MAX

typedef struct sp_h5_bodies {
    sp_keep keep;
    sp_buffer groups;   // sp_h5_body
    sp_buffer current;  // int: the group of each body of the layout
    int revision;       // of the layout, from 0; -1: none yet
} sp_h5_bodies;

// A new layout from frame `first` on: ends groups, creates others, and opens the lists of those that go on. The file must not be
// in the mode for one writer and many readers. Layouts are borrowed until the end.
void sp__h5_bodies_layout(sp_h5 *h, sp_h5_bodies *b, const sp_layout *layout, long first, bool in_double, bool compress);
void sp__h5_bodies_add(sp_h5 *h, sp_h5_bodies *b, const sp_frame *frame);
void sp__h5_bodies_close(sp_h5_bodies *b);  // closes the lists
void sp__h5_bodies_free(sp_h5 *h, sp_h5_bodies *b);

// The groups of an existing file; false: damaged, or no memory.
bool sp__h5_bodies_read(sp_h5 *h, sp_h5_bodies *b);
// No body of the layout has other cells or fields in the last of the first frames.
bool sp__h5_bodies_match(const sp_h5_bodies *b, const sp_layout *layout, long frames);
// Truncates all groups to the first frames and removes later ones.
void sp__h5_bodies_cut(sp_h5 *h, sp_h5_bodies *b, long frames);

int sp__h5_bodies_count(const sp_h5_bodies *b);
sp_h5_body *sp__h5_bodies_at(const sp_h5_bodies *b, int index);

#endif
