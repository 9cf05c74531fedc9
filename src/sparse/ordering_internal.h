// Parts of geometric nested dissection.
#ifndef SP_ORDERING_INTERNAL_H
#define SP_ORDERING_INTERNAL_H

#include "sparse/ordering.h"

enum {
    SP_SIDE_NONE = 0,  // not in the current piece
    SP_SIDE_A,
    SP_SIDE_B,
    SP_SIDE_CUT  // in the separator
};

// Scratch of a dissection, n numbers each. Between calls `mate` and `seen` are -1 everywhere.
typedef struct sp_cover {
    const sp_graph *G;
    unsigned char *side;
    int *mate, *seen, *queue, *from;
} sp_cover;

// A minimum set of rows whose removal leaves no edge between sides `a` and `b` of the rows in item: their side becomes
// SP_SIDE_CUT. Of all minimum covers it is the one with most rows of `a`. Returns their number.
int sp__cover_cut(sp_cover *c, const int *item, int count, int a, int b);

// Orders the rows in item by minimum degree. Neighbours outside count; all of them come later. `local` is -1 everywhere, before
// and after.
enum { SP_LEAF_MOST = 96 };
void sp__leaf_order(const sp_graph *G, int *item, int count, int *local);

#endif
