// A backend is a table of loops over chunks. `ref` is simple and serial; `cpu` uses SIMD lanes and all workers.
//
// Work on a mesh or a matrix is divided into chunks of nearby nodes that fit in the first-level cache. A chunk copies the nodes
// it touches into a small local array (4 numbers per node), adds the contributions of its elements or rows there, and writes the
// sums to its own slots. A second pass adds the slots of each node in a fixed order. No two tasks write the same number, and the
// order of every sum depends on the chunks, not on the workers. (Element pass and gather of Courtecuisse 2011, section 3.3.)
#ifndef SP_BACKEND_H
#define SP_BACKEND_H

#include "core/core.h"
#include "kernels/law.h"

// limits of a chunk: nodes that it owns, and elements. Two local arrays of 4 doubles for each touched node (twice the owned ones
// in a good mesh) should fit about in the first-level cache, and local numbers have 16 bits
enum { SP_CHUNK_NODES = 192, SP_CHUNK_TETS = 4096 };

typedef struct sp_chunks {
    int nodes;        // nodes of the whole mesh
    int count;        // number of chunks
    int *start;       // first local node of each chunk in `node` (count + 1); also its first slot
    int *node;        // touched nodes, chunk by chunk
    int *slot_start;  // per node: start of its slots (nodes + 1)
    int *slot;        // slots of a node, ascending
    double *sum;      // slots x 3: written by the first pass
    double *partial;  // per chunk: a scalar result of the first pass (energy)
    int touch_max;    // maximum number of nodes touched by one chunk
} sp_chunks;

// Chunk c touches node[start[c]] .. node[start[c + 1] - 1]. Copies the arrays.
sp_status sp__chunks_build(sp_context *ctx, sp_chunks *c, int nodes, int count, const int *start, const int *node);
void sp__chunks_free(sp_context *ctx, sp_chunks *c);

enum { SP_LANES_MAX = 8 };  // of any backend: bounds arrays on the stack

// Linear tetrahedra of a group (solid/solid.h) in the layout of the kernels: structures of `lanes` elements, chunk by chunk,
// padded with elements of volume 0.
typedef struct sp_tets {
    int lanes, blocks;      // elements per structure; number of structures
    int *block_start;       // first structure of each chunk (chunks + 1)
    int *node;              // blocks x 4 x lanes: nodes of each element
    uint16_t *local;        // blocks x 4 x lanes: the same in local numbers of the chunk
    double *rest;           // blocks x 6 x lanes: rest gradients g1, g2yz, g3z in the rest frame of the element
    double *frame;          // blocks x 9 x lanes: rest frame, for the linear material only; else NULL
    double *scale, *ratio;  // blocks x lanes: sqrt(V mu), lambda / mu
    const double *volume;   // blocks x lanes: rest volume, 0 for padding
    double *grad;           // blocks x 9 x lanes: scaled rotated gradients of nodes 1..3
    double *spin;           // blocks x 6 x lanes: additional term of the exact tangent; NULL: frozen rotations
    int rotation;           // tet_rotation of kernels/tet.h
    bool deformed;          // stiffness matrix on the deformed shape
} sp_tets;

enum { SP_ISO_NODES_MAX = 10, SP_ISO_PAIRS_MAX = 55, SP_ISO_TANGENT = 21, SP_ISO_TANGENT_DENSE = 54, SP_ISO_FAMILIES_MAX = 2 };
// numbers of the tangent of a tensor-mass element (kernels/tensor.h), without and with a penalty on the change of volume
enum { SP_ISO_TANGENT_TENSOR = 17, SP_ISO_TANGENT_PENALTY = 28 };

// Patches of 4-node tetrahedra with one mean dilatation each (kernels/bar.h, solid/solid_patches.c). A patch is in one chunk.
typedef struct sp_patches {
    int count;
    int *chunk_start;        // first patch of each chunk (chunks + 1)
    int *start, *slot;       // elements of each patch (count + 1): slots of the group
    int *of;                 // per slot: its patch
    int *node_start, *node;  // nodes of each patch (count + 1), ascending
    uint16_t *local;         // the same in local numbers of the chunk
    int *at;                 // slots x 4: where the nodes of an element are in `node`
    double *measure;         // per slot, scratch of a state: z, then the pressure
} sp_patches;

// Isoparametric elements with integration points, any law of kernels/law.h on any element type, in structures of `lanes` elements
// like sp_tets. Three nodes: membranes (kernels/membrane.h), with a normal free of stress. The tangent of a point is kept in the
// axes of its stretches (kernels/spectral.h), the same numbers for every law. x of the chunk functions holds displacements from
// rest, not positions: the gradient of a small displacement keeps its digits.
typedef struct sp_iso {
    int lanes, blocks;
    int nodes, points;  // per element
    int law;            // sp_law of kernels/law.h
    bool definite;      // negative eigenvalues of the tangent are set to zero
    int *block_start;   // first structure of each chunk (chunks + 1)
    int *node;          // blocks x nodes x lanes
    uint16_t *local;    // blocks x nodes x lanes
    double *slope;      // blocks x points x (nodes - 1) x 3 x lanes: rest gradients of the shape functions of nodes 1.. (that of
                        // node 0 is minus their sum)
    double *weight;  // blocks x points x lanes: rest volume of the integration point [m3], of membranes area times thickness; 0
                     // in padding
    double *param;   // blocks x SP_LAW_PARAMS x lanes: numbers of the law
    const double *volume;  // blocks x lanes: rest volume, 0 for padding
    double *turned;        // blocks x points x (nodes - 1) x 3 x lanes: V^T slope at the last state
    double *tangent;  // blocks x points x SP_ISO_TANGENT x lanes: U (9), second derivatives of the energy by the stretches (xx yy
                      // zz xy yz zx), half the sum and half the difference of the symmetric and skew moduli of the pairs
                      // (01)(12)(20); moduli times weight
    // Elements with an eigenstrain Fa (docs/swelling.md): Fa^-1 - I, which the gradient of the elastic deformation adds to
    // sum d slope^T; slope is then Fa^-T times the rest gradients, weight the rest volume times det Fa. NULL: Fa = I
    double *offset;  // blocks x 9 x lanes
    double *bar;  // 8-node hexahedra with mean dilatation (kernels/bar.h), else NULL. blocks x (3 (nodes - 1) + 1) x lanes: q of
                  // nodes 1.., and the factor of the matrix q q^T that the element adds to the tangent
    // A law in the Green-Lagrange strain (kernels/lagrange.h), costa: turned holds the slopes in the axes of the material, and
    // tangent has SP_ISO_TANGENT_DENSE numbers: F in these axes (9), the upper triangle of the 9x9 matrix d2 psi / dF2 times
    // weight
    bool dense;
    // Tensor-mass elements (kernels/tensor.h): turned holds the slopes in the axes of the element, tangent what the closed forms
    // need, F in these axes (9) first. law is SP_LAW_STVK or SP_LAW_LINEAR
    bool tensor, penalty;  // penalty: an element has one on its change of volume
    int directions;        // rest directions of an element; 0: no array below
    double *fibre;         // blocks x directions x 3 x lanes: of length 1, or 0 for none; costa: fibre and sheet, orthogonal
    int families;          // of fibres that add an energy to the law (kernels/fibre.h): 0 or `directions`
    double *fibre_param;   // blocks x families x SP_FIBRE_PARAMS x lanes
    double *fibre_state;   // blocks x points x families x SP_FIBRE_STATE x lanes: F f, and 2 psi', 4 psi'' times weight
    double *kept;  // viscous materials (kernels/relax.h), else NULL. blocks x points x 6 x lanes: a second Piola-Kirchhoff
                   // stress, constant within a step, which acts beside the law. iso_sums leaves it out
    const sp_patches *patches;       // 4-node tetrahedra with mean dilatation, else NULL
    double *patch_q, *patch_factor;  // q of the nodes of each patch (x 3), and the factor of q q^T
} sp_iso;

// the tangent has the part of `kept`, which may be indefinite
static inline bool sp__iso_kept_tangent(const sp_iso *g) {
    return g->kept && !g->definite && g->law != SP_LAW_LINEAR;
}

// numbers of the tangent of a point
static inline size_t sp__iso_tangent(const sp_iso *g) {
    if (g->tensor) return g->penalty ? SP_ISO_TANGENT_PENALTY : SP_ISO_TANGENT_TENSOR;
    return g->dense ? SP_ISO_TANGENT_DENSE : SP_ISO_TANGENT;
}

// Assembly map from lane structures to the blocks of one chunk of matrix rows. Node pairs in the order (0,0) (1,1) (2,2) (3,3)
// (0,1) (0,2) (0,3) (1,2) (1,3) (2,3); 2 k: block number k of the chunk, 2 k + 1: its transpose, -1: not in this chunk.
static const int sp__pair_a[10] = {0, 1, 2, 3, 0, 0, 0, 1, 1, 2}, sp__pair_b[10] = {0, 1, 2, 3, 1, 2, 3, 2, 3, 3};
typedef struct sp_stencil {
    int count;
    const int *block;  // lane structures
    const int *at;     // count x 10 x lanes
} sp_stencil;

// A symmetric matrix of 3x3 blocks, upper triangle, four rows interleaved: see linear/blocks.h.
typedef struct sp_rows4 {
    const int *group_start;  // first slot of each group of four rows (groups + 1)
    const int *chunk_group;  // first group of each chunk (chunks + 1)
    const uint16_t *col;     // slots x 4: local column of each block
    const double *val;       // slots x 9 x 4: entry (r, c) of four blocks interleaved
} sp_rows4;

// Elements whose stiffness was rotated at an earlier refresh and now follows the node rotations (kernels/warp.h), in structures
// of `lanes` elements.
typedef struct sp_warped {
    const int *node;       // structures x 4 x lanes
    const double *grad;    // structures x 10 x lanes: scaled rest gradients of nodes 1..3, lambda / mu
    const double *kept;    // structures x 36 x lanes: element rotations in the node frames at the last refresh
    const double *record;  // nodes x 16: node rotation, x, x in the node frame, padding
} sp_warped;

// Patches that contribute to a chunk of matrix rows, and the numbers of the blocks of their node pairs in the chunk, patch by
// patch: (0,0) (0,1) .. (0,n-1) (1,1) .. (n-1,n-1), or -1: not in this chunk.
typedef struct sp_patch_stencil {
    int count;
    const int *patch, *at;
} sp_patch_stencil;

typedef struct sp_backend {
    const char *name;
    int lanes;
    bool parallel;
    bool free_is_faster;  // choice of operator="auto", from measurements (docs/solvers.md)
    const char *(*detail)(void);
    // first passes over one chunk; x and y are local arrays of 4 numbers per node, y starts at zero.
    // tet_state computes gradients, spin and forces and returns the energy. y NULL: only the energy, nothing is stored
    double (*tet_state)(const sp_tets *t, int chunk, const double *x, double *y);
    // elastic energy (NaN: the material has none), volume, number of inverted elements
    void (*tet_sums)(const sp_tets *t, int chunk, const double *x, double out[3]);
    void (*tet_product)(const sp_tets *t, int chunk, const double *x, double *y);  // y += K x
    // tet_assemble: blocks += factor K, 9 numbers per block in row order, in the order of the chunk's pattern; rows_store: from
    // there to four interleaved rows
    void (*tet_assemble)(const sp_tets *t, const sp_stencil *where, double factor, double *blocks);
    // The same for isoparametric elements; u: displacements. iso_state stores turned and tangent; y NULL: only the energy. The
    // energy is not finite where the law is not defined
    double (*iso_state)(const sp_iso *g, int chunk, const double *u, double *y);
    // energy, volume, number of elements with det F <= 0 at an integration point
    void (*iso_sums)(const sp_iso *g, int chunk, const double *u, double out[3]);
    void (*iso_product)(const sp_iso *g, int chunk, const double *x, double *y);  // y += K x
    // as tet_assemble; node pairs in the order of sp__pairs, where->at: count x pairs x lanes
    void (*iso_assemble)(const sp_iso *g, const sp_stencil *where, double factor, double *blocks);
    // mean of U V^T over the points of each element of a structure, weighted by their volumes, from the last state: lanes x 9. It
    // is a rotation for one point and nearly one for several; 0 in padding. Dense: of the rotations nearest to F
    void (*iso_rotations)(const sp_iso *g, int block, const double *rest, double *R);
    void (*rows_store)(const int *row_start, const int *order, int rows, int first, const int *group_start, const double *blocks,
                       double *val);
    void (*rows_product)(const sp_rows4 *a, int chunk, const double *x, double *y);  // y += A x
    // error of the elements in structures [begin, end). R: current rotations, 9 numbers each, from the first element of the range
    // on; error: indexed by all elements
    void (*warp_errors)(const sp_warped *w, int begin, int end, const double *R, double *error);
    // rotations of the elements of one lane structure, 9 numbers each: R = sum c_i e_i^T of gradients c and rest edges e; rest:
    // positions of the nodes. 0 where the scale is 0
    void (*tet_rotations)(const sp_tets *t, int block, const double *grad, const double *rest, double *R);
    // replaces n matrices of 9 numbers by the rotations nearest to them (rotation_nearest)
    void (*nearest_rotations)(int n, double *R);
    // between global arrays (3 numbers per node, one spare number at the end) and local arrays (4 per node)
    void (*gather)(const double *x, const double *keep, const int *node, int n, double *local);  // times keep if not NULL
    void (*scatter)(const double *local, int n, double *sum);
    double (*sum_slots)(const sp_chunks *c, int begin, int end, const double *x, double *y);  // y = sums per node; returns x . y
    // conjugate gradient updates over a range of numbers
    double (*cg_advance)(int n, double alpha, const double *p, const double *q, double *x,
                         double *r);                                       // x += alpha p, r -= alpha q; returns r . r
    void (*cg_direction)(int n, double beta, const double *r, double *p);  // p = r + beta p
} sp_backend;

// Mean dilatation of the patches of a chunk, for every backend. Means: from the measures z of the elements to the pressures;
// returns the energy of the changes of volume. `keep`: the factors are stored, and q is set to zero.
double sp__patches_means(const sp_iso *g, int chunk, bool keep);
void sp__patches_product(const sp_iso *g, int chunk, const double *x, double *y);  // y += sum factor q q^T x
void sp__patches_assemble(const sp_iso *g, const sp_patch_stencil *where, double factor, double *blocks);

// Nodes a <= b of pair k of an element: (0,0) .. (n-1,n-1), then (0,1) (0,2) .. (0,n-1) (1,2) .. (n-2,n-1).
void sp__pairs(int nodes, int k, int *a, int *b);

// State of an integration point, of the whole deformation, at displacements u (nodes x 3) of the nodes of its element.
typedef struct sp_iso_value {
    double energy;       // density [J/m3 of the rest shape]; infinite where the law is not defined, with a stress of 0
    double cauchy[6];    // Cauchy stress in world axes: xx yy zz xy yz zx [Pa]; not finite in a flat element
    double strain[6];    // Green-Lagrange strain in world axes, tensor shear
    double jacobian;     // det F
    double fibre;        // |F f|, the stretch of the first direction; 1 where there is none
    double gradient[9];  // F - I
} sp_iso_value;
void sp__iso_value(const sp_iso *g, int slot, int point, const double *u, sp_iso_value *out);
// second Piola-Kirchhoff stress of the law without its bulk part (kernels/bar.h); linear: the stress
void sp__iso_rest_stress(const sp_iso *g, int slot, int point, const double *u, double S[6]);
// Energy density of the stress Q, without its volume part, at small strains; of laws in the Green-Lagrange strain (`dense`)
double sp__iso_dense_compliance(const sp_iso *g, int slot, const double Q[6], const double param[SP_LAW_PARAMS]);
// cauchy += F S F^T / J
void sp__iso_add_stress(const sp_iso *g, int slot, int point, const double *u, const double S[6], double cauchy[6]);
// The same in an element of a patch whose mean of z is `mean`; the energy is that of the point and of the mean.
void sp__iso_value_mean(const sp_iso *g, int slot, double mean, const double *u, sp_iso_value *out);
double sp__iso_measure(const sp_iso *g, int slot, const double *u);  // z of an element with one point

// "auto": the best one for this machine; NULL: this build has no such backend.
const sp_backend *sp__backend_find(const char *name);
extern const sp_backend sp__backend_ref, sp__backend_cpu_generic;
#ifdef SP_HAVE_AVX2
extern const sp_backend sp__backend_cpu_avx2;
#endif

// ---- passes over all chunks

// Calls fn(arg, chunk, worker) for every chunk: on all workers, or in sequence if the backend is serial.
void sp__chunks_each(sp_context *ctx, const sp_backend *be, int count, sp_task_fn *fn, void *arg);

typedef double sp_chunk_fn(const void *data, int chunk, const double *x, double *y);  // y NULL: only the scalar

// First pass: gathers x (nodes x 3; times `keep` if not NULL), runs fn on every chunk, writes sums to the slots. Returns the sum
// of the results of fn in chunk order. `scratch`: workers x touch_max x 8 doubles.
double sp__chunks_run(sp_context *ctx, const sp_backend *be, sp_chunks *c, sp_chunk_fn *fn, const void *data, const double *x,
                      const double *keep, bool wants_y, double *scratch);
size_t sp__chunks_scratch(const sp_context *ctx, const sp_chunks *c);  // doubles

// Adds the slots of node i.
static inline void sp__chunks_sum(const sp_chunks *c, int i, double out[3]) {
    const int *s = c->slot + c->slot_start[i], *end = c->slot + c->slot_start[i + 1];
    double a0 = 0, a1 = 0, a2 = 0;
    for (; s < end; s++) {
        const double *v = c->sum + 3 * (size_t)*s;
        a0 += v[0], a1 += v[1], a2 += v[2];
    }
    out[0] = a0, out[1] = a1, out[2] = a2;
}

// ---- loops over nodes or numbers in fixed ranges

enum { SP_RANGE = 1024 };
typedef double sp_range_fn(void *arg, int begin, int end);
// Calls fn on [0, n) in ranges of SP_RANGE; returns the sum of the results in order. `partial`: n / SP_RANGE + 1 numbers.
double sp__ranges(sp_context *ctx, int n, sp_range_fn *fn, void *arg, double *partial);

#endif
