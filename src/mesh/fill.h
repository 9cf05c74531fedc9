// Filling space with tetrahedra: an octree of cells, a body-centred cubic lattice in it, cuts where the material changes,
// stencils.
//
// Positions are integers in units of half the finest cell. A cell of level l has edges of 2 << l units, corners at multiples of
// that, and its centre 1 << l further, so that the centre identifies the cell. A material is a number, 0 is outside. The surface
// of an implicit function is the border between the materials 0 and 1; the same stencils cut the borders between the labels of a
// scan and between the regions of an organ.
#ifndef SP_FILL_H
#define SP_FILL_H

#include "mesh/mesh_internal.h"

// Hash table from 64-bit keys to integers: open addressing, grows by doubling. Entries can be replaced but not removed.
typedef struct sp_hash {
    uint64_t *keys;  // key + 1; 0: free
    int *values;
    int bits, count;
} sp_hash;

// The value of a key, or -1.
int sp__hash_get(const sp_hash *h, uint64_t key);
// false: no memory
bool sp__hash_put(sp_context *ctx, sp_hash *h, uint64_t key, int value);
void sp__hash_free(sp_context *ctx, sp_hash *h);

// ------------------------------------------------------------------------------------------------ source

typedef struct sp_fill_source {
    const void *user;
    int materials;             // including the outside
    const char *const *names;  // of materials 1.. (names[0] is material 1); NULL: one material without a group
    double low[3], high[3];
    int (*material)(const void *user, const double x[3]);
    double (*between)(const void *user, int a, int b, const double x[3]);  // positive where a applies rather than b
    double (*distance)(const void *user, const double x[3]);  // lower bound of the distance to any border; NULL: unknown
    double (*value)(const void *user, const double x[3]);     // for `detail`: varies smoothly near the border; nullable
    bool tight;                                               // material 0 may touch the box: nothing is cut off (label volumes)
} sp_fill_source;

// ------------------------------------------------------------------------------------------------ octree

typedef struct sp_octree {
    int top;       // largest level
    int roots[3];  // cells of the largest level per axis
    double origin[3], unit;
    int *centre;  // (count x 3)
    int count, capacity;
    bool *gone;    // true: the cell was split
    sp_hash leaf;  // centre -> index
} sp_octree;

enum { SP_FILL_TOP = 8, SP_FILL_PLACES = 1 << 20 };

static inline uint64_t sp__place_key(const int p[3]) {
    return (uint64_t)p[0] | (uint64_t)p[1] << 21 | (uint64_t)p[2] << 42;
}

static inline int sp__cell_level(const int centre[3]) {
    int l = 0;
    while (!(centre[0] >> l & 1)) l++;
    return l;
}

static inline void sp__octree_point(const sp_octree *o, const int p[3], double x[3]) {
    for (int k = 0; k < 3; k++) x[k] = o->origin[k] + o->unit * p[k];
}

typedef struct sp_fill_sizes {
    double size;  // cell size at the boundary
    int fine;     // levels finer than that
    int coarse;   // levels coarser than that, in the interior
} sp_fill_sizes;

// Builds the octree: fine cells near the border, coarse cells elsewhere, neighbours at most one level apart (balanced).
sp_status sp__octree_build(sp_context *ctx, const sp_fill_source *source, const sp_fill_sizes *sizes, sp_octree *o);
void sp__octree_free(sp_context *ctx, sp_octree *o);

// ------------------------------------------------------------------------------------------------ lattice

enum { SP_FILL_SET = 4 };  // maximum number of materials at a vertex

typedef struct sp_fill_vertex {
    int place[3];
    int level;                  // of the smallest cell that touches it
    uint16_t own;               // material + 1 at the original position
    uint16_t set[SP_FILL_SET];  // materials + 1 that meet here, 0: none
    bool held;                  // must not move: moving it would invert a tetrahedron
    double x[3];
} sp_fill_vertex;

typedef struct sp_fill_cut {
    int vertex[2];
    uint16_t material[2];  // + 1, at either end
    bool gone;
    double x[3];
} sp_fill_cut;

typedef struct sp_fill_tet {
    int node[4];
    int material, cell;
} sp_fill_tet;

typedef struct sp_fill {
    sp_context *ctx;
    const sp_fill_source *source;
    sp_octree tree;
    sp_fill_vertex *vertices;
    int vertex_count, vertex_capacity;
    sp_hash vertex_at;  // position -> vertex
    int (*cells)[4];    // tetrahedra of the lattice, det > 0
    int cell_count, cell_capacity;
    sp_fill_cut *cuts;
    int cut_count, cut_capacity;
    sp_hash cut_at;      // vertex pair -> cut
    double (*extra)[3];  // points inside faces and cells where three materials meet
    int extra_count, extra_capacity;
    sp_hash face_at;    // vertex triple -> extra point
    sp_fill_tet *tets;  // the result; nodes: vertices, then cuts, then extra points
    int tet_count, tet_capacity;
    int cell;  // the cell whose tetrahedra are being created
} sp_fill;

// Makes room for one more item; false: no memory or too many items.
bool sp__fill_reserve(sp_context *ctx, void *items, int count, int *capacity, size_t size);
#define SP_FILL_ROOM(ctx, items, count, capacity) sp__fill_reserve((ctx), &(items), (count), &(capacity), sizeof *(items))
sp_status sp__fill_no_memory(sp_context *ctx);

sp_status sp__fill_lattice(sp_fill *f);   // vertices with their material, cells
sp_status sp__fill_cuts(sp_fill *f);      // cut points; moves vertices that are too close to a cut; may be called again
sp_status sp__fill_stencils(sp_fill *f);  // tetrahedra
// Marks the vertices of cells with flat or inverted tetrahedra as held and returns the number of such cells. If it is not 0, call
// cuts and stencils again.
int sp__fill_hold(sp_fill *f);
// Whether all cells that are cut or have a moved vertex belong to the uniform lattice and none is held: the case for which the
// angle bounds are proved.
bool sp__fill_is_uniform(const sp_fill *f);
sp_status sp__fill_debris(sp_fill *f);   // removes pieces of a few tetrahedra below a hundredth of the largest
sp_status sp__fill_pinches(sp_fill *f);  // removes tetrahedra where the boundary would touch itself
sp_status sp__fill_improve(sp_fill *f);  // improves the worst elements where no angle bound holds
sp_status sp__fill_finish(sp_fill *f, sp_fill_info *info, sp_mesh **out);  // out == NULL: only the info

// Position of a node of a tetrahedron, and the materials + 1 that meet there (SP_FILL_SET entries).
double *sp__fill_node(sp_fill *f, int node);
int sp__fill_node_count(const sp_fill *f);
static inline bool sp__set_has(const uint16_t *set, uint16_t m) {
    return set[0] == m || set[1] == m || set[2] == m || set[3] == m;
}
// A material + 1 that both sets contain, or 0.
static inline uint16_t sp__set_common(const uint16_t *a, const uint16_t *b) {
    for (int i = 0; i < SP_FILL_SET && a[i]; i++)
        if (sp__set_has(b, a[i])) return a[i];
    return 0;
}

#endif
