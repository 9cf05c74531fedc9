// The tetrahedral finite element solid: the data of an sp_body of this kind. Nodes and elements are renumbered for locality at
// creation. The `user` arrays map back, and no code outside this folder sees the inner numbers.
#ifndef SP_SOLID_H
#define SP_SOLID_H

#include "backend/backend.h"
#include "backend/springs.h"
#include "body/body.h"
#include "linear/blocks.h"
#include "math/vec3.h"
#include "mesh/element.h"
#include "solid/law.h"

// a dead load: force value(t) * weight on nodes
typedef struct sp_nodal_load {
    sp_signal value[3];
    double now[3];   // at the end of the step
    int *node;       // inner numbers
    double *weight;  // 1, fraction of a total, area, or mass (updated when the density changes)
    int *element;    // of a traction: the element of the face of each share (user's number); else NULL
    int count;
    bool by_mass;  // acceleration: weight is the node's mass
} sp_nodal_load;

// A boundary triangle of an element with more than 4 nodes: the load on it goes to all nodes of the face (solid_faces.c)
typedef struct sp_face_patch {
    sp_element_type type;
    int element;                            // user's number
    int nodes, node[SP_ELEMENT_NODES_MAX];  // of the element, inner numbers
    int corner[3];                          // of the triangle: local nodes
} sp_face_patch;

typedef struct sp_pressure_load {
    sp_signal value;
    double now;
    int (*face)[3];  // of 4-node tetrahedra: inner nodes, outward
    int *element;    // of each face: user's number
    int count;
    sp_face_patch *patch;  // of other elements
    int patch_count;
} sp_pressure_load;

// prescribed displacement: nodes that follow a pose
typedef struct sp_moved {
    sp_pose_signal pose;
    double about[3];
    unsigned axes;
    int *node;
    double *start;  // initial positions (count x 3)
    int count;
} sp_moved;

// a point term of the system: its nodes, weights, stiffness and damping
typedef struct sp_solid_term {
    int node[4];
    double w[4];
    double k[6], b[6];  // see sp_point_term
} sp_solid_term;

// constants of a region that edits may change
typedef struct sp_solid_constants {
    double density, young, poisson;  // NaN: those of the body
} sp_solid_constants;

// Patches that contribute to the rows of each leaf, as sp_patch_stencil; at_start: first of their numbers in `at`.
typedef struct sp_patch_list {
    int *start, *patch, *at_start, *at;
} sp_patch_list;

// Sizes of a group and of a solid as they were created: what was appended later follows (solid_grow.c)
typedef struct sp_group_size {
    int elements, chunks;
} sp_group_size;

typedef struct sp_solid_size {
    int nodes, elements, cells, leaf_count;
} sp_solid_size;

// Elements of one type and one law. Elements are in slots, structures of `lanes` elements; the slots of all groups are numbered
// one group after the other, and arrays per slot belong to the solid.
typedef struct sp_solid_group {
    const sp_backend *be;
    sp_element_type type;
    sp_solid_law law;
    int directions;  // rest directions of an element; 0: the law needs none (sp__solid_directions)
    bool strained;   // its elements may have an eigenstrain
    bool penalty;    // tensor-mass elements with a penalty on the change of volume
    int nodes;       // of an element
    int elements;    // without padding
    sp_group_size built;
    int first, slots;   // slots of the group in those of the solid
    int lanes, blocks;  // elements per structure, structures
    int *block_start;   // first structure of each chunk (chunks + 1)
    int *node;          // blocks x nodes x lanes: inner nodes
    uint16_t *local;    // the same in local numbers of the chunk
    sp_chunks chunks;
    sp_tets tets;        // corotational and linear four-node tetrahedra
    sp_iso iso;          // all others; points = 0: the group consists of tets or springs
    sp_springs springs;  // pattern NULL: none
    // The system of the last linearise: copies that evaluate does not change. What depends on the state has two arrays that are
    // swapped; of tets 72 bytes per element (exact tangent: 120)
    sp_tets frozen;
    sp_iso frozen_iso;
    double *other_grad, *other_spin, *other_turned, *other_tangent, *other_bar,
        *other_fibre_state;  // those of each pair not in tets and iso
    sp_springs frozen_springs;
    double *other_springs;         // as other_grad
    bool relaxes;                  // viscous (solid_relax.c)
    double *other_kept, *lasting;  // as other_bar; numbers of the law when all stress has relaxed, as iso.param
    // Consistent mass matrix of an element divided by density times `volume`, by pairs of nodes (sp__pairs): one for all 4-node
    // tetrahedra, else blocks x pairs x lanes. NULL: lumped
    double *mass_share;
    // Rest gradients and volumes of the points of a group with an eigenstrain, from which those of iso are computed; NULL: iso
    // has them
    double *rest_slope, *rest_weight;
    // assembly: the lane structures that contribute to each chunk of rows, and the positions of their blocks (backend.h,
    // sp_stencil)
    int *stencil_start;  // per leaf (leaf_count + 1)
    int *stencil_block, *stencil_at;
    // 4-node tetrahedra with mean dilatation (solid_patches.c); arrays as above
    sp_patches patches;
    double *other_patch_q, *other_patch_factor;
    sp_patch_list patch_list;
} sp_solid_group;

// What a solid consists of after elements were removed (solid_remove.c) or appended (solid_grow.c)
struct sp_remains {
    int gone_count, bare_count;
    unsigned char *gone;   // per element, users' numbers: 1 removed
    unsigned char *bare;   // per inner node: 1 has lost its last element
    unsigned char *held;   // per unknown: 1 free, and held while these remains are used
    sp_surface *boundary;  // of the elements that are left
    int *face_cells;       // the cell behind each of its faces
};

typedef struct sp_solid {
    const sp_backend *be;
    // topology
    int nodes, elements;
    sp_solid_size built;
    sp_additions added;             // what was appended; elements 0: nothing
    double thickness;               // of a membrane [m]; 0: a solid of volume elements
    int *user_node, *inner_node;    // user number of an inner node, and the inverse
    int slots;                      // of all groups, with padding
    int *user_element, *slot_of;    // user number of the element in a slot (-1: padding), and the inverse
    int cells;                      // linear tetrahedra that divide the elements: what anchors name
    int *cell_node, *cell_element;  // cells x 4: inner nodes; user number of the element
    int leaf_count, *leaf_start;    // ranges of inner nodes that form the chunks
    int group_count;
    sp_solid_group *group;
    uint32_t *corner_of;  // per inner node: 4 * cell + corner of one cell that contains it; where the cells are the elements, its
                          // slot instead of the cell. UINT32_MAX: none
    int *surface_cells;   // the cell behind each boundary face
    sp_remains *left;     // NULL: no element was removed or appended
    // of the solid as it was created, while something is removed or appended
    sp_surface *whole_boundary;
    int *whole_cells;
    double *whole_volume;       // per slot; allocated with the first removal
    uint32_t boundary_changes;  // highest revision of the boundary so far
    // parameters
    int region_count;  // including region 0, the material of the body
    sp_solid_constants *region;
    sp_material *own;                   // per region: coefficients and bulk modulus; they do not change
    uint16_t *region_of;                // per slot; NULL: all 0
    double *density, *young, *poisson;  // per slot overrides, NaN: from the region; NULL each
    sp_signal young_of_time;
    sp_eigenstrain *eigenstrain;  // per region; NULL: no element has one
    double *strain;               // regions x 2: swell and active of this step
    double *swell, *active;       // per slot overrides, as above
    sp_body_params params;
    double *rest;  // nodes x 3
    double *hold;  // nodes x 3: positions of held unknowns
    sp_nodal_load *dead;
    int dead_count;
    sp_pressure_load *pressure;
    int pressure_count;
    sp_moved *moved;
    int moved_count;
    int *history_at;  // per element: its histories in q, after the positions (elements + 1); NULL: no group is viscous
    // cache
    double relax_step;       // step for which iso.param of viscous groups was made [s]; 0: infinitely long
    bool strain_stale;       // eigenstrains changed: gradients of the shape functions must be updated
    bool stale;              // materials changed: scale, ratio and mass must be updated
    double *mass, *drag_of;  // per node; mass: lumped
    double *load_mass;       // shares of the nodes in a body load: consistent ones in statics and with a consistent mass matrix,
                             // else `mass`, so that a body falls without stress
    bool consistent;         // the mass matrix is the sum of matrices of elements and of `diagonal_mass`
    double *diagonal_mass;   // consistent: point masses; else `mass`
    double *element_mass;    // consistent: density times `volume` per slot; else NULL
    double *keep;            // 1 free, 0 fixed (nodes x 3)
    double *volume;          // per slot: rest volume
    uint64_t pattern, values;
    double elastic;        // energy of the last evaluate
    sp_solid_term *terms;  // point terms of the last linearise, copied: 144 bytes each
    int term_count, term_capacity;
    double *stencil_sum;  // workers x stencil_most x 9: blocks of the chunk in assembly
    int stencil_most;
    // rotations of the nodes, allocated at first use (solid_system.c)
    int *around_start, *around;  // elements around each node: slots
    double *slot_rotation;       // slots x 9
    // element view for solvers
    sp_elements element_view;
    int *slot_node;              // slots x width of element_view
    uint64_t material_revision;  // incremented by every change of scale, ratio, mass or damping
    // scratch
    double *scratch, *partial, *work;
    double *task_sums;             // sums of the tasks of sp__solid_energies
    double rest_volume, rigidity;  // sums of V, V mu
} sp_solid;

static inline sp_solid *sp__solid(const sp_body *b) {
    return b->impl;
}

// sum of the slots of a node over all groups
static inline void sp__solid_slots(const sp_solid *s, int i, double out[3]) {
    sp__chunks_sum(&s->group[0].chunks, i, out);
    for (int g = 1; g < s->group_count; g++) {
        double more[3];
        sp__chunks_sum(&s->group[g].chunks, i, more);
        for (int k = 0; k < 3; k++) out[k] += more[k];
    }
}

// inner node of local node a of an element; `slot` is that of the solid
static inline int sp__group_node(const sp_solid_group *g, int slot, int a) {
    int at = slot - g->first;
    return g->node[(at / g->lanes * g->nodes + a) * g->lanes + at % g->lanes];
}

static inline sp_solid_group *sp__solid_group_of(const sp_solid *s, int slot) {
    sp_solid_group *g = s->group;
    while (slot >= g->first + g->slots) g++;
    return g;
}

// Inner nodes of a cell. Of a membrane they are the triangle and its last node again, which has no weight there.
static inline const int *sp__solid_cell(const sp_solid *s, uint32_t cell) {
    return s->cell_node + 4 * (size_t)cell;
}

static inline bool sp__solid_is_membrane(const sp_solid *s) {
    return s->thickness > 0;
}

// Hooke's law: the stiffness matrix is constant
static inline bool sp__law_is_linear(const sp_solid_law *law) {
    return law->model == SP_LINEAR || (law->model == SP_TENSOR_MASS && law->tensor_law == SP_TENSOR_HOOKE);
}

// Tensor-mass elements that are elastic, isotropic and do not swell have closed forms of their own; others have the general
// kernel.
static inline bool sp__group_is_tensor(const sp_solid_group *g) {
    return g->law.model == SP_TENSOR_MASS && !g->relaxes && !g->strained && !g->directions;
}

// the kernel of its forces is the product with its constant stiffness matrix
static inline bool sp__group_is_linear(const sp_solid_group *g) {
    return !g->iso.points && sp__law_is_linear(&g->law);
}

// the forces are the gradient of an energy
static inline bool sp__group_has_energy(const sp_solid_group *g) {
    return g->law.model != SP_COROTATIONAL || (g->law.rotation != SP_ROTATION_QR && g->law.shape == SP_SHAPE_REST);
}

// a slot holds an element that was not removed
static inline bool sp__solid_alive(const sp_solid *s, int slot) {
    return s->user_element[slot] >= 0 && !(s->left && s->left->gone[s->user_element[slot]]);
}

// an inner node has lost its last element
static inline bool sp__solid_bare(const sp_solid *s, int node) {
    return s->left && s->left->bare[node];
}

// an element was removed, by user's number
static inline bool sp__solid_gone(const sp_solid *s, int element) {
    return s->left && s->left->gone[element];
}

// weight of a dead load; the face of a removed element has no traction
static inline double sp__solid_share(const sp_solid *s, const sp_nodal_load *load, int i) {
    return load->element && sp__solid_gone(s, load->element[i]) ? 0 : load->weight[i];
}

static inline bool sp__solid_cell_gone(const sp_solid *s, uint32_t cell) {
    return s->left && s->left->gone[s->cell_element[cell]];
}

static inline int sp__solid_living(const sp_solid *s) {
    return s->elements - (s->left ? s->left->gone_count : 0);
}

// solid_layout.c
// integration point of the elements of a group, as sp__element_point
void sp__group_point(const sp_solid_group *g, int point, double natural[3], double *weight);
sp_solid_law sp__solid_law_of(const sp_solid_def *def, int region);               // 0: of the body
sp_status sp__solid_order(sp_context *ctx, sp_solid *s, const sp_mesh *mesh);     // inner numbers and leaves
sp_status sp__solid_pack(sp_context *ctx, sp_solid *s, const sp_solid_def *def);  // groups, chunks, rest gradients, cells
// arrays of a group whose structures are known: rest shape, materials, state of the kernels
sp_status sp__group_make(sp_context *ctx, sp_solid *s, sp_solid_group *g);
// the rest shape of the element in a slot of a group (from 0), with nodes in the numbering of x; and of padding
void sp__group_rest(sp_solid *s, sp_solid_group *g, const double *x, const int *node, size_t slot);
void sp__group_padding(sp_solid *s, sp_solid_group *g, size_t slot);
// slopes, weights and volume of the element in a slot of a group (from 0), with nodes in the numbering of x
void sp__solid_iso_rest(sp_solid *s, sp_solid_group *g, const double *x, const int *node, size_t slot);
// the numbers of the kernels (kernels/law.h): law and constants; NULL, or a sentence that names the wrong value
int sp__solid_law_number(const sp_solid_law *law);
const char *sp__solid_law_params(const sp_solid_law *law, const sp_material *m, double param[SP_LAW_PARAMS], char *text,
                                 size_t size);
// solid_patches.c
// patches of a group; element: user number per slot of the group, negative: padding
sp_status sp__solid_make_patches(sp_context *ctx, const sp_solid *s, sp_solid_group *g, const sp_solid_def *def,
                                 const int *element);
void sp__solid_free_patches(sp_context *ctx, sp_solid_group *g);
// calls fn for each pair of different nodes of each patch; returns their number. Nullable: fn
size_t sp__patches_pairs(const sp_patches *p, void (*fn)(int *at, int *col, int low, int high), int *at, int *col);
sp_status sp__patches_list(sp_context *ctx, const sp_solid *s, const sp_patches *p, const sp_blocks *A, const int *leaf_of,
                           sp_patch_list *out);
void sp__patches_list_free(sp_context *ctx, sp_patch_list *list);
double sp__patches_mean(const sp_solid *s, const sp_solid_group *g, int patch, const double *q);  // of z at positions q
// Rest directions of the elements of a region: 0, 1, or 2 where a second family of fibres or a sheet is needed. `second`: some
// element has a second direction of its own
int sp__solid_directions(const sp_solid_def *def, int region, bool second);
bool sp__solid_second_direction(const sp_solid_def *def);
// solid_mechanics.c
// numbers of a family of fibres (kernels/law.h) from those of the law; returns the modulus along the fibre that it adds [Pa]
double sp__solid_fibre_params(const sp_solid_law *law, const sp_material *m, const double *param, double out[SP_FIBRE_PARAMS]);
void sp__solid_materials(sp_body *b);  // scale, ratio, mass from parameters, if stale
sp_material sp__material_over(const sp_material *region, const sp_material *body);  // values that the region has not: the body's
sp_material sp__solid_material_of(const sp_solid *s, int slot);
// solid_eigenstrain.c
bool sp__solid_has_eigenstrain(const sp_solid_def *def, int region);
bool sp__solid_is_active(const sp_solid_def *def, int region);
sp_status sp__solid_check_eigenstrain(sp_error *error, const sp_solid_def *def);
sp_status sp__group_make_eigenstrain(sp_context *ctx, sp_solid_group *g);
// after iso.slope and iso.weight of an element were set to the rest shape, or to 0 (removal)
void sp__group_keep_rest(sp_solid *s, sp_solid_group *g, int slot);
sp_status sp__solid_copy_eigenstrain(sp_body *b, const sp_solid_def *def);
void sp__solid_prescribe_eigenstrain(sp_body *b, double t);
void sp__solid_update_eigenstrain(sp_body *b);  // if stale
// rest gradients and volumes of the points
static inline const double *sp__group_slopes(const sp_solid_group *g) {
    return g->rest_slope ? g->rest_slope : g->iso.slope;
}
static inline const double *sp__group_weights(const sp_solid_group *g) {
    return g->rest_weight ? g->rest_weight : g->iso.weight;
}
// solid_mechanics.c
void sp__solid_prescribe(sp_body *b, const sp_step *step);
sp_status sp__solid_evaluate(sp_body *b, const sp_step *step, unsigned want);
sp_status sp__solid_linearise(sp_body *b, const sp_step *step, sp_system *out);
void sp__solid_retract(sp_body *b, const sp_step *step, sp_which from, double s, const double *v);
// fails with `status` and the number of the first element whose law is not defined at a state; SP_OK: there is none
sp_status sp__solid_undefined(sp_body *b, sp_which which, sp_status status);
double sp__solid_elastic(sp_body *b, const double *q);  // energy at positions q, without side effects; NaN: none
// solid_mass.c
sp_status sp__solid_make_mass(sp_body *b);
void sp__solid_mass(sp_body *b, const double *x, double *y, bool inverse);
void sp__solid_point_mass(sp_solid *s, int node, double mass);
void sp__mass_rows(const sp_solid_group *g, int slot, double *rows);  // sums of the rows of the shares
// Consistent mass of the elements of a group in a chunk; x, y: local arrays of 4 numbers per node. y += factor M x; half x . M x;
// blocks += factor M, as assembly of stiffness does
void sp__mass_product(const sp_solid *s, const sp_solid_group *g, int chunk, double factor, const double *x, double *y);
double sp__mass_energy(const sp_solid *s, const sp_solid_group *g, int chunk, const double *x);
void sp__mass_assemble(const sp_solid *s, const sp_solid_group *g, const sp_stencil *where, double factor, double *blocks);
// solid_system.c
sp_status sp__solid_make_pattern(void *o, sp_context *ctx, sp_blocks **A);
sp_status sp__solid_assemble(void *o, sp_coef c, sp_blocks *A);
sp_status sp__solid_node_rotations(void *o, double *R);  // nodes x 9, for sp_system
void sp__solid_rest_points(void *o, double *x);
sp_status sp__solid_elements(sp_body *b, const sp_elements **out);  // NULL: the solver does not need them
// solid_points.c
void sp__solid_weights(const sp_anchor *a, double w[4]);
void sp__solid_points(sp_body *b, sp_which which, int n, const sp_anchor *a, double *x, double *v);
sp_status sp__solid_jacobian_rows(sp_body *b, sp_which s, int n, const sp_anchor *a, const double *dir, sp_rows *J);
void sp__solid_apply_transpose(sp_body *b, sp_which s, int n, const sp_anchor *a, const double *f, double *g);
sp_status sp__solid_anchor_node(sp_body *b, int node, sp_anchor *out);
sp_status sp__solid_anchor_point(sp_body *b, const double rest[3], sp_anchor *out);
sp_status sp__solid_make_surface(sp_body *b, const sp_mesh *mesh);
sp_status sp__solid_attach(sp_body *b, int n, const double *places, sp_anchor *out, double *outside);
void sp__solid_face_anchors(sp_body *b, int face, sp_anchor out[3]);
sp_status sp__solid_face_point(sp_body *b, int surface, int face, const double weights[3], sp_anchor *out);
void sp__solid_rest_point(sp_body *b, const sp_anchor *a, double x[3]);
// solid_remove.c
extern const sp_removal_ops sp__solid_removal;
// the functions of this table
sp_status sp__solid_make_remains(sp_body *b, const unsigned char *removed, sp_remains **out);
sp_remains *sp__solid_use_remains(sp_body *b, sp_remains *next);
void sp__solid_drop_remains(sp_body *b, sp_remains **remains);
void sp__solid_free_remains(sp_body *b);  // and uses the whole boundary again
// solid_faces.c
void sp__face_patch_make(const sp_solid *s, const sp_mesh *mesh, int face, sp_face_patch *out);
// Integrals of the shape functions times the area vector (nodes x 3), and times the area, of positions x. Nullable: size.
void sp__face_patch_areas(const sp_face_patch *p, const double *x, double *area, double *size);
// solid_springs.c
sp_status sp__springs_make(sp_context *ctx, sp_solid *s, sp_solid_group *g);
void sp__springs_rest(sp_solid *s, sp_solid_group *g, const double *x, const int *node, size_t slot);
void sp__springs_material(sp_solid *s, sp_solid_group *g, int slot, const sp_material *m);
void sp__springs_shares(const sp_solid *s, const sp_solid_group *g, int slot, double *share);  // of its nodes in its mass
void sp__springs_tell(sp_body *b);  // writes to which elastic material the springs are equivalent
// solid_relax.c
bool sp__solid_relaxes(const sp_solid_def *def, int region);                      // 0: of the body
const char *sp__relaxation_wrong(const sp_material *m, char *text, size_t size);  // NULL, or what is wrong
sp_status sp__solid_make_histories(sp_context *ctx, sp_solid *s, const sp_solid_def *def);
sp_status sp__solid_reserve_histories(sp_context *ctx,
                                      sp_solid *s);  // memory; history_at of elements is 0. Nothing: none relaxes
int sp__solid_histories(const sp_solid *s);          // numbers
void sp__solid_relax_params(sp_solid *s, sp_solid_group *g, int slot, const sp_material *m, const double param[SP_LAW_PARAMS]);
void sp__solid_relax_begin(sp_body *b, double h);     // numbers of the laws for a step of length h
void sp__group_relax(sp_body *b, sp_solid_group *g);  // iso.kept, from the histories at the start of the step
void sp__solid_finish(sp_body *b);                    // histories at the end of the step
sp_iso sp__group_lasting(const sp_solid_group *g);    // without its viscous part
// edited: with what the terms take at once where a parameter has changed the stress of the law at q
double sp__chunk_history_energy(const sp_solid *s, const sp_solid_group *g, int chunk, const double *q, bool edited);
void sp__solid_history_stress(const sp_solid *s, int slot, int point, const double *q, double S[6]);  // sum of the terms
// solid_query.c
enum { SP_SOLID_FIELDS = 20 };
extern const sp_field sp__solid_fields[SP_SOLID_FIELDS];
void sp__solid_user_cells(sp_body *b, int *out);
void sp__solid_measure(sp_body *b, sp_measure *out);
uint64_t sp__solid_hash(sp_body *b);
int64_t sp__solid_node_of(sp_body *b, int unknown);
// solid_mechanics.c
sp_status sp__solid_make_sums(sp_body *b);
void sp__solid_energies(sp_body *b, sp_which which, sp_energies *out);
double sp__solid_work(sp_body *b, double push[3]);
// solid_create.c
sp_status sp__solid_make_caches(sp_body *b);  // masses, scratch
// solid_grow.c
extern const sp_growth_ops sp__solid_growth;
// solid_edit.c
void sp__solid_visit(sp_body *b, sp_tier tier, sp_visitor *v);
void sp__solid_refresh(sp_body *b);
sp_status sp__solid_pin(sp_body *b, int node, unsigned axes, bool hold);
sp_status sp__solid_set_state(sp_body *b, const double *x, const double *v);
double *sp__solid_material_value(sp_body *b, int material, int which);
void sp__solid_material_changed(sp_body *b);
// solid_loads.c
sp_status sp__solid_add_conditions(sp_body *b, const sp_solid_def *def);  // boundary conditions, loads, springs
void sp__solid_dead_loads(sp_body *b, double load_factor);                // f += dead loads and pressure; energy -= work
void sp__solid_free_loads(sp_context *ctx, sp_solid *s);

#endif
