// A tree of boxes over triangles or tetrahedra, for questions about places: what is nearest, what a ray meets, what overlaps,
// what holds a point. Flat, built by a binned surface-area heuristic (Wald 2007), the same for the same input; never deeper than
// SP_TREE_DEPTH, so that walks need no memory and no recursion.
//
// Positions and items are borrowed and must outlive the tree; positions must be finite, corners in range. Once built it is only
// read: any number of threads may ask.
#ifndef SP_TREE_H
#define SP_TREE_H

#include "core/core.h"

enum { SP_TREE_DEPTH = 80, SP_TREE_LEAF = 4 };

// A node stands before its children: the left one follows it, the right one is at `right`.
typedef struct sp_tree_node {
    double low[3], high[3];
    int first, count;  // its items are order[first .. first + count)
    int right;         // 0: a leaf
} sp_tree_node;

typedef struct sp_tree {
    sp_context *ctx;
    const double *x;   // (nodes x 3)
    const int *items;  // (count x corners)
    int count, corners;
    int node_count;
    sp_tree_node *nodes;  // nodes[0] is the root
    int *order;           // items in the order of the leaves
} sp_tree;

// corners: 3 (triangles) or 4 (tetrahedra); count >= 1. Free with sp__tree_destroy, which accepts NULL.
sp_status sp__tree_create(sp_context *ctx, const double *x, const int *items, int count, int corners, sp_tree **out);
void sp__tree_destroy(sp_tree **tree);
// New boxes for moved positions (the same array, or another of the same length); the shape of the tree stays.
void sp__tree_refit(sp_tree *tree, const double *x);

typedef struct sp_tree_near {
    int item;
    double distance2;   // 0 inside a tetrahedron
    double point[3];    // of the item, nearest to the one asked for
    double weights[4];  // of the item's corners at that point
} sp_tree_near;

// The nearest item within `within` (INFINITY: any); of equally near ones the lowest number. False: none.
bool sp__tree_nearest(const sp_tree *tree, const double point[3], double within, sp_tree_near *out);
// Of tetrahedra: the one that holds the point, by largest least weight where several do; -1: none.
int sp__tree_locate(const sp_tree *tree, const double point[3], double weights[4]);

typedef struct sp_tree_hit {
    int item;
    double t;           // origin + t direction, 0 <= t <= t_max
    double weights[3];  // of the triangle's corners
    bool outward;       // the ray leaves: it runs along the normal
} sp_tree_hit;

// Triangles that a ray (t_max = INFINITY) or segment (t_max = 1) meets. Neighbours leave no gap between them (Woop et al. 2013).
bool sp__tree_first_hit(const sp_tree *tree, const double origin[3], const double direction[3], double t_max, sp_tree_hit *out);
// Every hit, in no particular but always the same order, until `visit` returns false.
void sp__tree_hits(const sp_tree *tree, const double origin[3], const double direction[3], double t_max,
                   bool (*visit)(void *user, const sp_tree_hit *hit), void *user);

// Items whose box touches a box, until `visit` returns false.
void sp__tree_in_box(const sp_tree *tree, const double low[3], const double high[3], bool (*visit)(void *user, int item),
                     void *user);
// Pairs of items a < b whose boxes touch, each once, until `visit` returns false.
void sp__tree_pairs(const sp_tree *tree, bool (*visit)(void *user, int a, int b), void *user);

void sp__tree_item_box(const sp_tree *tree, int item, double low[3], double high[3]);
// The point of a triangle nearest to p, as weights of its corners; returns the squared distance.
double sp__nearest_on_triangle(const double *a, const double *b, const double *c, const double *p, double weights[3]);

#endif
