// Inside of collision detection: colliders with their topology and tree, the pairs of a search, the candidates that the broad
// phase finds and the contacts that the narrow phase makes of them.
#ifndef SP_COLLIDE_INTERNAL_H
#define SP_COLLIDE_INTERNAL_H

#include "collide/collide.h"
#include "collide/field.h"
#include "map/carry.h"
#include "math/vec3.h"
#include "mesh/edges.h"

// ---------------------------------------------------------------------------------------------------- trees

enum {
    SP_BVH_LEAF = 4,     // items of a leaf
    SP_BVH_LEVELS = 29,  // of inner nodes: items are below 2^30
    SP_BVH_CHECK = 16,   // refits between two measurements of the quality
    SP_COLLIDE_TASKS = 64
};
#define SP_BVH_DEGRADED 1.6  // rebuilt if the leaves are larger than after the last build by this factor

typedef struct sp_bvh_box {
    float low[3], high[3];  // rounded outwards, relative to the origin of the set
} sp_bvh_box;

// A complete binary tree over items in the order of a Morton curve: leaf i has the items order[LEAF i .. LEAF (i + 1)). The
// children of node i are 2 i + 1 and 2 i + 2. A rebuild only sorts again, so it needs no other memory than the first build.
typedef struct sp_bvh {
    int leaves;         // a power of two; those at the end may be empty
    int used;           // leaves that are not empty
    int *order;         // items
    int *first, *near;  // vertices of a leaf, each once: near[first[i] .. first[i + 1])
    sp_bvh_box *nodes;  // 2 leaves - 1; [0] is the root
    double quality;     // sum of the extents of the leaves after the last build
    int refits;         // since the last measurement of the quality
} sp_bvh;

// ---------------------------------------------------------------------------------------------------- colliders

typedef struct sp_collider {
    bool used, placed, fresh;  // fresh: moved since the last refit
    sp_collider_def def;       // items and radii point to copies
    int corners;               // vertices of an item: 3, 2, 1; 0: a plane
    double radius;             // largest
    bool closed;               // triangles: every edge has two faces
    sp_edges edges;            // of triangles
    int edge_count;            // of triangles or segments
    sp_vertex_faces around;    // items of each vertex
    double *rest;              // of a collider that touches itself; NULL: it does not
    int *near_start;           // and its vertices that are within near_reach of each vertex along the surface at rest
    uint32_t *near;
    double near_reach;
    unsigned char *owned;        // per item: bits 0 to 2 vertices, bits 3 to 5 edges. Each vertex and edge has one owner
    const double *x[2];          // at the committed and at the free state
    sp_shape_place at[2];        // of a shape; x points to it unless it is a plane
    sp_collider_frame frame[2];  // of a field
    sp_bvh tree;
    double low[3], high[3];  // of both states, without radius
} sp_collider;

static inline bool sp__collider_is_shape(const sp_collider *c) {
    return c->def.type >= SP_COLLIDER_PLANE;
}

static inline const uint32_t *sp__collider_item(const sp_collider *c, uint32_t item) {
    return c->def.items + (size_t)item * (size_t)c->corners;
}

static inline double sp__collider_radius(const sp_collider *c, uint32_t vertex) {
    return c->def.radii ? c->def.radii[vertex] : c->def.radius;
}

// ends of an edge: the smaller number first for triangles, in the order of the item for segments
static inline const uint32_t *sp__collider_edge(const sp_collider *c, uint32_t edge) {
    return c->corners == 3 ? (const uint32_t *)c->edges.ends + 2 * (size_t)edge : c->def.items + 2 * (size_t)edge;
}

// position at time t in [0, 1] between the two states
static inline void sp__collider_at(const sp_collider *c, uint32_t vertex, double t, double out[3]) {
    const double *a = c->x[0] + 3 * (size_t)vertex, *b = c->x[1] + 3 * (size_t)vertex;
    if (t == 0 || t == 1) {
        memcpy(out, t == 0 ? a : b, 3 * sizeof *a);
        return;
    }
    for (int k = 0; k < 3; k++) out[k] = (1 - t) * a[k] + t * b[k];
}

// ---------------------------------------------------------------------------------------------------- search

typedef struct sp_collide_pair {
    int a, b;  // slots, id of a < id of b
    sp_pair_rule rule;
    double margin;       // of box tests: the larger of alarm and depth, and both radii
    double edge_margin;  // ... of two edges
    bool self;           // a is b
    bool in_field[2];    // features of a touch the field of b, features of b that of a. One or both: nothing else is compared
} sp_collide_pair;

static inline bool sp__pair_in_field(const sp_collide_pair *p) {
    return p->in_field[0] || p->in_field[1];
}

typedef enum sp_candidate_type {
    SP_CANDIDATE_A,
    SP_CANDIDATE_B,
    SP_CANDIDATE_EDGES,
    SP_CANDIDATE_PLANE,
    SP_CANDIDATE_FIELD_A,  // an item of a in the field of b
    SP_CANDIDATE_FIELD_B
} sp_candidate_type;
enum { SP_CANDIDATE_BITS = 3 };  // of a type in a record

// Two features whose swept boxes are near each other. group: pair and type; features: vertex of a and item of b, vertex of b and
// item of a, edge of a and edge of b, vertex and 0, or item and 0. Records with equal keys are the same candidate.
typedef struct sp_record {
    uint64_t group, features;
    uint64_t place;  // sorted along; no part of the key
} sp_record;

// A growing array that tasks fill in blocks: nothing is lost when it overflows, but the pass must be repeated.
typedef struct sp_blocks {
    void *data;
    size_t size;       // of an entry
    int capacity;      // entries
    atomic_int taken;  // entries of all blocks, may exceed the capacity
    atomic_int gaps;   // of these: not used
} sp_blocks;

enum { SP_BLOCK = 16 };

// A contact of the narrow phase. Two vertices may be found from both sides: of equal keys the lower source is kept.
typedef struct sp_contact_made {
    sp_contact_found found;
    int pair, source;
    bool flat;  // of flat edges that overlap: only the deepest of a pair is kept
} sp_contact_made;

typedef struct sp_block {  // of one task
    int next, end;
} sp_block;

typedef struct sp_refit_job {
    int collider, level, index;  // subtree: node `index` of this level
    double quality;              // sum of the extents of its leaves
} sp_refit_job;

typedef struct sp_node_pair {
    int pair, a, b;  // nodes
} sp_node_pair;

struct sp_collide {
    sp_context *ctx;
    sp_collider *colliders;
    int count, capacity;
    bool origin_set;
    double origin[3];  // of the boxes of trees: float would lose digits far from 0
    bool grown;

    int *sweep;  // scratch: slots by the lower end of their box
    int sweep_capacity;
    sp_collide_pair *pairs;
    int pair_count, pair_capacity;
    sp_refit_job *refits;
    int refit_count, refit_capacity;
    sp_node_pair *jobs;
    int job_count, job_capacity;
    sp_blocks candidates;  // sp_record
    sp_blocks contacts;    // sp_contact_made, in no order
    sp_record *sorted[2];  // scratch of sorting; [0] holds the result
    int sorted_capacity;
    int *groups;  // first candidate of each group
    int group_capacity;
    sp_contact_found *out;
    int out_capacity;
    int *lists;  // scratch of manifolds: contacts by pair
    int list_capacity;
};

// arrays
sp_status sp__collide_grow(sp_collide *set, void *array, size_t size, int *capacity, long need);
sp_status sp__collide_sorting(sp_collide *set, long need);  // both arrays of set->sorted
// Takes an entry for a task, from a new block if the last one is full. NULL: there is none, but it was counted.
void *sp__block_next(sp_blocks *b, sp_block *own);
// Counts the unused entries of the block of a task and fills their first word with ones, which is no valid key.
void sp__block_close(sp_blocks *b, const sp_block *own);
// Sorts records by (group, features, place), stable, with `other` as scratch; the result is in `records`.
void sp__records_sort(sp_record *records, sp_record *other, int count);

// trees (bvh.c)
sp_status sp__bvh_create(sp_collide *set, sp_collider *c);
void sp__bvh_free(sp_context *ctx, sp_bvh *tree);
// Builds trees of new colliders, refits those that moved, rebuilds degraded ones. Returns the number of rebuilt trees.
sp_status sp__bvh_update(sp_collide *set, int *rebuilt);

// broad phase (broad.c, broad_tree.c, broad_hash.c): fills set->candidates
typedef struct sp_swept_box {
    double low[3], high[3];  // of both states
} sp_swept_box;

// An item with the vertices and edges that it owns.
typedef struct sp_item_features {
    uint32_t item, vertex[3], edge[3];
    int vertices, edges;
    sp_swept_box box, vertex_box[3], edge_box[3];
} sp_item_features;

sp_status sp__broad_pairs(sp_collide *set, const sp_collide_options *o);
sp_status sp__broad_candidates(sp_collide *set, const sp_collide_options *o);
sp_swept_box sp__item_box(const sp_collider *c, uint32_t item);
void sp__item_features(const sp_collider *c, uint32_t item, sp_item_features *f);
// Adds the candidates of two items whose boxes are within pair->margin: the vertices and edges that the items own.
void sp__broad_items(sp_collide *set, int pair, const sp_item_features *a, const sp_item_features *b, sp_block *own);
bool sp__items_near(const sp_collide_pair *p, const sp_swept_box *a, const sp_swept_box *b);  // within pair->margin
sp_status sp__broad_trees_prepare(sp_collide *set);                                           // the tasks of sp__broad_trees
void sp__broad_trees(sp_collide *set);
sp_status sp__broad_hash(sp_collide *set, int pair, double cell);  // cell: edge, or 0
// Adds the candidates of a pair with a field (field_contacts.c). tree: false, all items are compared.
void sp__broad_field(sp_collide *set, int pair, bool tree);

// ---------------------------------------------------------------------------------------------------- narrow phase

// Tolerances of the narrow phase. Angles are sines.
#define SP_TOUCH_ALARM 0.01    // points are on a feature within this part of alarm
#define SP_TOUCH_EDGE 0.02     // ... and within this part of the longest edge of the item
#define SP_CONE_VERTEX -0.5    // a vertex is no contact if one of its edges leads towards the other collider more steeply
#define SP_CONE_EDGE 0.02      // tolerance of the test that two edges have a local minimum of the distance, 1 degree
#define SP_CONE_SOFT 0.2       // ... of a soft surface: its edges change between convex and concave while it bends
#define SP_CONE_BACK 0.5       // a vertex is no contact if its normal leads away from the other collider more than this
#define SP_TOUCH_SWEPT 0.1     // continuous: what comes within this part of alarm between the states touches
#define SP_SELF_FRONT 0.2      // a point is clearly in front of a feature
#define SP_EDGE_ROUNDING 1e-3  // part of alarm: smaller overlaps of edges are rounding
#define SP_EDGE_OVERLAP 2      // two edges overlap at most by this multiple of the least depth below their faces
#define SP_CROSS_BACK 0.25     // features that meet later are no contact if they were behind each other by this part of alarm
#define SP_SAME_NORMAL 0.999   // cosine: contacts of one vertex with such normals are one contact
#define SP_PARALLEL 1e-3       // edges with a smaller angle have no crossing; their vertices are contacts

typedef struct sp_narrow {  // of a task
    sp_collide *set;
    const sp_collide_options *options;
    const sp_collide_pair *pair;
    int pair_number;
    const sp_collider *a, *b;
    bool moves;  // x1 differs from x0
    sp_block *own;
} sp_narrow;

void sp__narrow_vertex(const sp_narrow *n, bool of_b, const sp_record *candidates, int count);
void sp__narrow_edges(const sp_narrow *n, uint32_t edge_a, uint32_t edge_b);
// True of most edges that are near each other: the nearest points of their lines are beyond an end at both states, and they do
// not pass each other, so that they make no contact unless they have a radius or detection is continuous.
bool sp__edges_never_meet(const sp_collider *a, uint32_t edge_a, const sp_collider *b, uint32_t edge_b);
void sp__narrow_plane(const sp_narrow *n, uint32_t vertex);
// The vertices and edges that an item owns, and its face, in the field of the other collider (field_contacts.c).
void sp__narrow_field(const sp_narrow *n, bool of_b, uint32_t item);

// features (features.c), at time t between the states
// Outward unit normal of the triangle p, and twice its area. 0: it is degenerate, and so is the normal.
double sp__triangle_normal(const sp_collider *c, double p[3][3], double normal[3]);
// The same of an item. False: it is degenerate.
bool sp__face_normal(const sp_collider *c, uint32_t item, double t, double normal[3]);
// Pseudonormal of a feature: dot products with it tell inside from outside (Baerentzen and Aanaes 2005). Not unit. False: there
// is none: not a surface with an inside, a boundary, or all faces degenerate.
bool sp__feature_normal(const sp_collider *c, sp_feature feature, uint32_t index, double t, double normal[3]);
// The pseudonormal of a feature leads along the normal of a contact, not against it.
bool sp__normal_is_behind(const double own[3], const double normal[3]);
// The vertex is on the far side of its own body, seen along the normal of a contact.
bool sp__feature_is_behind(const sp_collider *c, sp_feature feature, uint32_t index, double t, const double normal[3]);
// How far the surface around a feature stays on one side: the least sine of the directions that lead into it against `direction`;
// 1 if there is none. Not negative: the feature is a local minimum along the direction.
double sp__feature_score(const sp_collider *c, sp_feature feature, uint32_t index, double t, const double direction[3]);
// The same of an edge of triangles, along a direction and against it.
void sp__edge_scores(const sp_collider *c, uint32_t edge, double t, const double direction[3], double score[2]);

// One side of a contact to be made.
typedef struct sp_touch {
    sp_feature feature;
    uint32_t index;
    int count;
    uint32_t vertex[3];
    double weight[3];
} sp_touch;

// Continuous detection (advance.c): a time in [0, before) when the two come within `touch` beyond their radii, not later than the
// first one; INFINITY: they do not.
double sp__advance_vertex(const sp_collider *c, uint32_t vertex, const sp_collider *other, uint32_t item, double touch,
                          double before);
double sp__advance_edges(const sp_collider *a, uint32_t edge_a, const sp_collider *b, uint32_t edge_b, double touch);

// Colliders that touch themselves (self.c).
sp_status sp__self_create(sp_collide *set, sp_collider *c, const sp_collider_def *d);
// Finds the neighbours of all vertices: those that are nearer at rest along the surface than alarm and two radii.
sp_status sp__self_update(sp_collide *set, sp_collider *c, double alarm);
// Features, given by their vertices, of which some are the same or neighbours.
bool sp__self_neighbours(const sp_collider *c, const uint32_t *a, int na, const uint32_t *b, int nb);
// False: a was near b at rest and not in front of it, so that being behind b now is no overlap. distance: now, of either sign.
bool sp__self_was_apart(const sp_collider *c, const sp_touch *a, const sp_touch *b, double distance, double alarm);

void sp__touch_at(const sp_collider *c, const sp_touch *f, double t, double out[3]);
double sp__touch_radius(const sp_collider *c, const sp_touch *f);
// Adds a contact; `normal` leads from b to a. NULL: there is none, because the features meet after the committed state and were
// behind each other there. The free motion has passed through the body, or around it, and the contact would pull through the
// rest.
sp_contact_made *sp__contact_make(const sp_narrow *n, const sp_touch *a, const sp_touch *b, const double normal[3], double time,
                                  int source);
// Smallest t in [0, 1] with f(t) <= 0, for f(0) > 0: f is sampled, then the step is refined. Infinity: none was found.
double sp__first_time(double (*f)(const void *user, double t), const void *user, int samples);

// ---------------------------------------------------------------------------------------------------- manifolds

// Reduces the contacts of one pair (`list`: places in set->sorted[0], in the order of keys, permuted) to manifolds of about
// rule.manifold contacts each. What is dropped gets the group UINT64_MAX.
void sp__manifold_reduce(sp_collide *set, const sp_collide_pair *pair, int *list, int count);

#endif
