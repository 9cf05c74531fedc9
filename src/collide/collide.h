// Collision detection between colliders: arrays of vertices with triangles, segments or nothing, and half-spaces. It knows no
// bodies and no forces. Each step the caller gives positions at two states, the committed one (x0) and the free one (x1, after
// the motion without contact), and gets a sorted list of contacts (docs/collision.md).
//
//     sp__collide_create(ctx, &set)
//     sp__collider_add(set, &def, &index)      once per collider and per revision of its topology
//     each step:
//         sp__collider_move(set, index, x0, x1)   or sp__collider_move_shape; not needed for what stands still
//         sp__collide_find(set, &options, &found) trees are refitted, pairs found, contacts computed and sorted
//
// What is a contact: a pair of features (vertex, edge, face, or an analytic shape) of two colliders with a local minimum of the
// distance below `alarm` at the committed state, at the free state, or crossed in between. Vertices over faces, planes and round
// shapes are all kept, also where a whole flat face rests on another; edges count where they cross and are not flat. Side and
// normal come from the committed state if the two are within `alarm` there, else from the time when they come that near. A
// vertex that starts inside a closed surface is found up to `depth` below it.
//
// Same contacts, in the same order and with the same bits, for tree, hash and brute force and for any number of workers. Nothing
// is allocated after warm-up: arrays grow if a step needs more than all earlier ones, and sp_found.grown says so.
#ifndef SP_COLLIDE_H
#define SP_COLLIDE_H

#include "core/core.h"

typedef struct sp_collide sp_collide;  // a set of colliders, its trees and its scratch. Used by one thread at a time

// ---------------------------------------------------------------------------------------------------- colliders

typedef enum sp_collider_type {
    SP_COLLIDER_TRIANGLES,  // surface of a solid, or a sheet
    SP_COLLIDER_SEGMENTS,   // centrelines; with radii: capsules
    SP_COLLIDER_POINTS,     // every vertex; with radii: spheres
    SP_COLLIDER_FIELD,      // surface of a rigid body: triangles, and the distance field by which others touch them (field.h)
    SP_COLLIDER_PLANE,      // analytic half-space: the side below its normal is solid
    SP_COLLIDER_SPHERE,     // analytic; as one point with a radius, but contacts give a point in space
    SP_COLLIDER_CAPSULE     // analytic; as one segment with a radius, likewise
} sp_collider_type;

typedef enum sp_collider_side {
    SP_SIDE_OUTSIDE,  // the solid is behind the faces: vertices there are inside and are pushed out
    SP_SIDE_INSIDE,   // the solid is in front of the faces: vessels, rooms
    SP_SIDE_BOTH      // nothing is inside: each vertex stays on the side where it was at the committed state; not of a field
} sp_collider_side;

enum {
    SP_COLLIDER_STATIC = 1,  // never moves by forces. Two static colliders make no contacts
    SP_COLLIDER_SOFT = 2,    // bends: its edges inside flat places make contacts with sharp edges of colliders that do not
    SP_COLLIDER_SELF = 4     // touches itself: triangles and segments only. Contacts have a.id = b.id and key[0] < key[1]
};

// Vertex numbers and features are below 2^30. Everything but the positions is copied.
typedef struct sp_collider_def {
    sp_collider_type type;
    sp_collider_side side;  // triangles and fields only
    uint32_t id;            // first half of contact keys; unique in the set, stable over steps. Contacts have a.id < b.id
    uint32_t group;         // body: colliders of the same group make no contacts with each other
    unsigned flags;
    int vertex_count;
    const uint32_t *items;  // triangles (item_count x 3, outward) or segments (item_count x 2); NULL: points, shapes
    int item_count;
    double radius;        // >= 0 [m]: thickness of a surface on each side, radius of segments, points, sphere, capsule
    const double *radii;  // per vertex, instead of `radius`; linear along segments. Nullable
    const struct sp_distance_field *field;  // of SP_COLLIDER_FIELD, borrowed
    const double *rest;  // SP_COLLIDER_SELF: positions at rest (vertex_count x 3). What is near there along the surface makes no
                         // contacts, and what is behind there is no overlap (self.c)
} sp_collider_def;

// Place of a distance field at one state: x = at + R (x in the frame of the field).
typedef struct sp_collider_frame {
    double R[9], at[3];
} sp_collider_frame;

// Position of an analytic shape at one state. Plane: a point and the unit normal. Sphere: its centre, and nothing. Capsule: ends.
typedef struct sp_shape_place {
    double a[3], b[3];
} sp_shape_place;

sp_status sp__collide_create(sp_context *ctx, sp_collide **out);
void sp__collide_destroy(sp_collide **set);  // accepts NULL

// Analyses the topology. The index is that of a free slot, the lowest one. SP_BAD_INPUT: vertex number out of range, negative or
// non-finite radius, id in use; SP_NO_MEMORY. The set is unchanged after a failure. A new collider has no position yet and makes
// no contacts until it is moved.
sp_status sp__collider_add(sp_collide *set, const sp_collider_def *def, int *index);
void sp__collider_remove(sp_collide *set, int index);
// Places of the frame of a field at both states, copied; besides sp__collider_move.
void sp__collider_place_field(sp_collide *set, int index, const sp_collider_frame *at0, const sp_collider_frame *at1);
// Positions (vertex_count x 3, finite), borrowed until the next move or removal: the arrays may be overwritten in place, but then
// this call must be repeated before the next search. x1 == x0 is allowed: proximity at one state.
void sp__collider_move(sp_collide *set, int index, const double *x0, const double *x1);
void sp__collider_move_shape(sp_collide *set, int index, const sp_shape_place *at0, const sp_shape_place *at1);  // copied

// ---------------------------------------------------------------------------------------------------- contacts

typedef enum sp_feature { SP_FEATURE_SHAPE, SP_FEATURE_VERTEX, SP_FEATURE_EDGE, SP_FEATURE_FACE } sp_feature;

// One side of a contact: the point sum(weight vertex) of the feature.
typedef struct sp_contact_side {
    uint32_t collider;  // id
    uint32_t index;     // of the feature: vertex, edge (of segments: item), item. 0 for a shape
    sp_feature feature;
    int count;  // vertices: 1 to 3; 0 for a shape
    uint32_t vertex[3];
    double weight[3];  // >= 0, sum 1
    double point[3];   // at the committed state, moved along the normal by the radius: the material point of the surface
} sp_contact_side;

typedef struct sp_contact_found {
    uint64_t key[2];  // of a and b: id, feature, index (sp__contact_key). Unique in the list, which is sorted by it. A sphere has
                      // the vertex 0, a capsule the vertices 0 and 1 and the edge 0, a plane the feature shape, a field too; its
                      // index counts the contacts of one feature with it
    double normal[3];  // unit, from b to a
    double distance0;  // along the normal at the committed state, minus both radii; < 0: overlap
    double distance1;  // at the free state, with the same normal, vertices and weights
    double time;       // of the state whose features and normal these are: 0 committed, 1 free, between them that of a crossing
    sp_contact_side a, b;
} sp_contact_found;

static inline uint64_t sp__contact_key(uint32_t id, sp_feature feature, uint32_t index) {
    return (uint64_t)id << 32 | (uint64_t)feature << 30 | index;
}

// ---------------------------------------------------------------------------------------------------- search

typedef enum sp_broad { SP_BROAD_TREE, SP_BROAD_HASH, SP_BROAD_BRUTE } sp_broad;

// What holds for a pair of colliders.
typedef struct sp_pair_rule {
    double alarm;     // >= 0 [m]: contacts are made below this distance (after the radii)
    double depth;     // >= 0 [m]: how far inside a closed surface a vertex, or an edge, is still found. A plane has no limit
    bool continuous;  // what touches between the states only is found too: vertices with items, edges with edges (advance.c)
    bool flat;        // edges inside flat places of two soft surfaces make contacts where they overlap: the deepest of the pair
    int manifold;     // 0: all contacts. n >= 4: more than n contacts with the same normal are reduced to the corners of their
                      // convex hull and the deepest, so that the supporting polygon stays: rigid against rigid, and rigid against
                      // one feature of a soft surface. Two soft surfaces keep all contacts
} sp_pair_rule;

typedef struct sp_collide_options {
    sp_broad broad;
    sp_pair_rule rule;  // of every pair; alarm and depth are upper bounds of those that `pair` returns
    // Changes the rule of one pair. False: the pair makes no contacts. Called by the thread that searches, once per pair of
    // colliders whose boxes are near each other, with a < b. Nullable.
    bool (*pair)(void *user, uint32_t a, uint32_t b, sp_pair_rule *rule);
    // A contact of two edges, one of them soft, carried a force in the last step: it stays one where its edges become flat, or
    // where they meet at an end. Called by several threads at once. Nullable: none did.
    bool (*pressed)(void *user, const uint64_t key[2]);
    void *user;
    int reserve;  // contacts for which memory is kept ready from the first search on
    double cell;  // SP_BROAD_HASH: edge of a cell [m]; 0: twice the mean extent of an item, and the margin
} sp_collide_options;

typedef struct sp_found {
    const sp_contact_found *contacts;  // valid until the next call on the set
    int count;
    bool grown;      // memory was allocated
    int pairs;       // of colliders that were compared
    int candidates;  // pairs of features whose swept boxes are within alarm, without those of edges that never meet
    int rebuilt;     // trees built again
    double refit_ms, broad_ms, narrow_ms;
} sp_found;

// SP_NO_MEMORY: no contacts are returned, the set is as before.
sp_status sp__collide_find(sp_collide *set, const sp_collide_options *options, sp_found *found);

// ---------------------------------------------------------------------------------------------------- other queries

// Swept box of a collider after the last search: low[3], high[3]. False: it has no position, or it is a plane.
bool sp__collider_box(const sp_collide *set, int index, double low[3], double high[3]);
// Pairs of triangles of one collider that intersect at the committed state, counted up to `most`. Exact; it allocates.
sp_status sp__collider_intersections(const sp_collide *set, int index, int most, int *count);
// True if a point is inside a closed triangle surface at the committed state, by the parity of a ray, through the tree of the
// last search.
bool sp__collider_contains(const sp_collide *set, int index, const double point[3]);

#endif
