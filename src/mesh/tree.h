// A bounding volume hierarchy (BVH) of axis-aligned boxes over triangles or tetrahedra, for queries: nearest item, ray hits,
// overlap. Flat array, built with a binned surface-area heuristic (Wald 2007), deterministic. The depth is at
// most SP_TREE_DEPTH, so that traversal needs no allocation and no recursion.
//
// Positions and items are borrowed and must outlive the tree; positions must be finite, node numbers in range. After construction
// the tree is read-only and thread-safe.
#ifndef SP_TREE_H
#define SP_TREE_H

#include "core/core.h"

enum { SP_TREE_DEPTH = 80, SP_TREE_LEAF = 4 };

// Nodes are stored in depth-first order: the left child follows its parent, the right child is at `right`.
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
    int *order;           // items in leaf order
} sp_tree;

// corners: 3 (triangles) or 4 (tetrahedra); count >= 1. Free with sp__tree_destroy, which accepts NULL.
sp_status sp__tree_create(sp_context *ctx, const double *x, const int *items, int count, int corners, sp_tree **out);
void sp__tree_destroy(sp_tree **tree);
// Recomputes the boxes for moved positions (the same array, or another of the same length); the topology of the tree stays.
void sp__tree_refit(sp_tree *tree, const double *x);

typedef struct sp_tree_near {
    int item;
    double distance2;   // 0 inside a tetrahedron
    double point[3];    // point of the item nearest to the query point
    double weights[4];  // of the nodes of the item at that point
} sp_tree_near;

// The nearest item within the distance `within` (INFINITY: any); of equally near items the lowest number. False: none.
bool sp__tree_nearest(const sp_tree *tree, const double point[3], double within, sp_tree_near *out);

typedef struct sp_tree_hit {
    int item;
    double t;           // origin + t direction, 0 <= t <= t_max
    double weights[3];  // of the nodes of the triangle
    bool outward;       // the ray leaves: it runs in the direction of the normal
} sp_tree_hit;

// Visits the triangles hit by a ray (t_max = INFINITY) or a segment (t_max = 1), in an unspecified but deterministic order, until
// `visit` returns false. Watertight: no gaps between neighbours (Woop et al. 2013).
void sp__tree_hits(const sp_tree *tree, const double origin[3], const double direction[3], double t_max,
                   bool (*visit)(void *user, const sp_tree_hit *hit), void *user);

// Visits items whose box touches a box, until `visit` returns false. Contact between soft surfaces will search pairs with it.
void sp__tree_in_box(const sp_tree *tree, const double low[3], const double high[3], bool (*visit)(void *user, int item),
                     void *user);
// Visits pairs of items a < b whose boxes touch, each once, until `visit` returns false.
void sp__tree_pairs(const sp_tree *tree, bool (*visit)(void *user, int a, int b), void *user);

void sp__tree_item_box(const sp_tree *tree, int item, double low[3], double high[3]);
// Barycentric coordinates of the point of a triangle nearest to p; returns the squared distance.
double sp__nearest_on_triangle(const double *a, const double *b, const double *c, const double *p, double weights[3]);

#endif
