// Rods as a body: independent strands that all use the same model. The files rod*.c hold what every model shares: sections,
// points, point loads, contact, surfaces, growth, tiers. A model defines the unknowns of a strand and its forces: clothoids and
// helices (model_strand.c), discrete elastic rods (model_der.c), corotational beams (model_beam.c).
//
//   q, v       coordinates and velocities of all strands, one strand after the other. A model may store more coordinates than
//              unknowns: a quaternion for a rotation, reference frames that are transported in time.
//   kinematics what a model derives from q and v (series, frames). It is updated first; all queries then read it.
#ifndef SP_ROD_H
#define SP_ROD_H

#include "body/body.h"
#include "rod/curve.h"

typedef struct sp_rod_model_ops sp_rod_model_ops;
typedef struct sp_rod_motion sp_rod_motion;

// Properties of a cross section, per unit length.
typedef struct sp_rod_stiffness {
    double line_density;  // rho S [kg/m]
    double spin;          // rho (I1 + I2), inertia about the tangent [kg m]
    double stretch;       // E A [N]
    double bend[2];       // E I1, E I2 [N m2]: about n1, about n2
    double twist;         // mu J [N m2], torsional stiffness
} sp_rod_stiffness;

typedef struct sp_rod_part {  // a strand
    int q, nq, v, nv;         // first coordinate and first unknown, and their counts
    int node, element;        // first node and first element in the numbering of the rod
    int elements;             // capacity: the most elements that growth can reach; arrays have this size
    int alive;                // elements in use; state tier. The remaining ones have zero length and lie at the tip
    int entry;                // node at the entry point of a feed: it and those before it are held; 0: no feed. rod_feed.c
    int band;                 // bandwidth of its matrices, see banded.h
    size_t at;                // offset of its matrices in M, B, K
    sp_curve_frame root;      // frame of the root at the start
    void *model;              // data owned by the model
} sp_rod_part;

// a load of the definition
typedef struct sp_rod_point_load {
    sp_load_type type;
    int element;
    double at;  // share of its length
    sp_signal value[3];
} sp_rod_point_load;

typedef struct sp_rod {
    sp_rod_model which;
    const sp_rod_model_ops *model;
    bool free_root, edge_clamp;
    bool exact;  // statics: K contains the geometric stiffness of loads and may be indefinite; otherwise K is that of (4.3.31)
    // topology
    sp_rod_part *part;
    int parts, nodes, elements;
    int *part_of;     // elements
    int *section_of;  // elements
    // parameters
    sp_rod_section *section;
    int sections;
    double *natural;  // nodes x 3: twist, k1, k2; an element of a helix uses the mean of its two nodes
    sp_body_params params;
    double *hold;   // nq: coordinates at which fixed unknowns are held when no motion is prescribed
    double *start;  // nq: initial coordinates; topology
    double *rest;   // nodes x 3: initial node positions
    // state, in addition to q and v
    double *length;  // elements
    int *alive;      // parts; a copy of part[].alive for the tiers
    // from the definition
    sp_rod_motion *motion;  // rod_hold.c
    int motions;
    sp_rod_point_load *load;
    int loads;
    double (*load_now)[3];    // loads: value at the end of the step
    double (*load_place)[3];  // loads: position at the last evaluation
    sp_signal natural_signal[3];
    bool natural_in_time;
    struct sp_rod_growth *growth;  // rod_grow.c; NULL: none
    struct sp_rod_guide *guide;    // rod_feed.c; NULL: none
    // derived
    sp_rod_stiffness *stiffness;  // per section
    bool stale;                   // sections, natural curvature or lengths changed: the models must be updated (sp__rod_follow)
    uint64_t pattern, values;
    double h;                // step length that the kinematics are computed for [s]: the velocity terms depend on it
    double acceleration[3];  // gravity and acceleration loads, scaled by the load factor
    double pushed[3];        // acceleration loads at the end of the step
    double mean_line_density;
    // the state that the kinematics are computed at
    double *kinematics_q, *kinematics_v;
    double (*kinematics_acceleration)[3];  // parts
    unsigned char *kinematics_of;          // parts: 0 none, 1 positions, 2 positions and motion
    sp_status *kinematics_status;          // parts
    double *part_energy;                   // parts: elastic energy and potential of the weight at the last force evaluation
    double *part_kinetic;                  // parts: kinetic energy at the last force evaluation
    sp_bound *bounds;                      // elements: sp__rod_bounds
    sp_measure *part_measure;              // parts
    double *node_scratch;                  // nodes x 3
    double *product, *kept;                // nv + 1: scratch of matrix products
    // lower bands at the state of the last evaluation or linearisation. Linearisation adds the point terms and swaps these bands
    // with those of `system`, which then stay unchanged until the next linearisation.
    double *M, *B, *K;
    double *system[3];  // M, B, K of the last linearisation
    bool filled;
    sp_parts chain;
    int *chain_start, *chain_band;
    int *term_start, *term_order;  // point terms sorted by part
    double *term_place;            // terms x 6: position and velocity at the evaluation
    int term_capacity;
    // rod_correct.c
    struct sp_rod_correction *correction;            // parts
    double *correct_scratch;                         // per worker
    size_t most_coordinates, most_nodes, most_band;  // maximum over the strands
    int most_unknowns;                               // maximum over the strands
    double *scratch;                                 // per worker: scratch_size numbers
    size_t scratch_size;
    // surface
    int samples, sides, rings;
    int pieces;      // segments of the centreline in an element (rod_line.c)
    int line_alive;  // elements in use of all strands that the centreline shows
    bool plain;      // tubes of few sides, widened to the mean width of the section, without a line that shows twist
} sp_rod;

static inline sp_rod *sp__rod(const sp_body *b) {
    return b->impl;
}

static inline const sp_rod_stiffness *sp__rod_stiffness(const sp_rod *r, int element) {
    return &r->stiffness[r->section_of[element]];
}

// Function table of a model. Element, node and unknown numbers are local to the strand; q, v, f and bands are the strand's own
// slices. Functions without an argument q use the kinematics last updated. `place`, `speed` and `slopes` may run on several
// threads at once while no thread updates the kinematics of the strand; forces, matrices, mass and measures run on one thread at
// a time per strand.
struct sp_rod_model_ops {
    const char *name;
    size_t size;  // of part->model, which is allocated with zeros before `create` and freed after `destroy`
    int (*coordinates)(int elements);
    int (*unknowns)(int elements);
    int band;     // of the matrices, see banded.h; 0: they are dense
    bool curved;  // elements are curves: contacts need points inside of them
    // offset of the frame of a clamped root in the coordinates, 9 numbers; NULL: unknowns determine the frame
    int (*clamp)(int elements);
    bool massless;        // M can be singular: no explicit integration
    double accepted_gap;  // tolerance of the linearised step: error relative to the energy of the motion (rod_correct.c)
    bool grows;
    sp_status (*create)(sp_body *b, int part);  // fills part->model; lengths, sections and natural curvature exist already
    void (*destroy)(sp_body *b, int part);      // also accepts a partly created model
    // called after sections, lengths, natural curvature or the number of elements in use changed
    void (*changed)(sp_body *b, int part);
    // coordinates of the curve with this root frame and these curvatures at the nodes
    void (*bend)(sp_body *b, int part, const sp_curve_frame *root, const double *curvature, double *q);
    // updates the kinematics. motion: also the quadratic velocity terms. Fails with SP_NOT_FINITE, SP_NO_MEMORY
    sp_status (*update_kinematics)(sp_body *b, int part, const double *q, const double *v, bool motion);
    // f += elastic forces + weight (rod->acceleration) - quadratic velocity terms; returns the elastic and the weight's energy
    double (*force)(sp_body *b, int part, double *f);
    // lower bands: M += , K += . K is the stiffness of the elastic forces; `exact` adds the geometric stiffness of the weight
    void (*matrices)(sp_body *b, int part, bool exact, double *M, double *K);
    // K += stiffness of bending and twist alone, which rigid rotations do not strain: used for stiffness-proportional damping
    void (*damping)(sp_body *b, int part, double *K);
    // K += geometric stiffness of a force f at a point, since positions are not linear in the unknowns; NULL: none
    void (*bend_of_force)(sp_body *b, int part, int element, double u, const double f[3], double *K);
    // the same for forces at all nodes. Not exact: only the positive semi-definite part, from tension. NULL: K contains it
    void (*bend_of_nodes)(sp_body *b, int part, const double *force, bool exact, double *K);
    // Inertia of material points. `keep` stores their velocities at the current kinematics, for rates v. `carry` replaces the
    // quadratic velocity terms: R += h A - (M x - P), where P comes from the stored velocities; node forces (x 3) += the inertial
    // forces. NULL: the masses are constant, R -= M (x - v0)
    void (*keep)(sp_body *b, int part, const double *v);
    void (*carry)(sp_body *b, int part, double h, const double *x, const double *v0, double *R, double *node);
    // largest bending angle of an element within time h; NULL: elements cannot wind up
    double (*bent)(const sp_body *b, int part, double h, const double *v);
    void (*mass)(sp_body *b, int part, const double *x, double *y, bool inverse);
    // to = from (+) s v; to may be from. load_factor: share of the rotation of a clamp's frame to its target
    void (*move)(sp_body *b, int part, double load_factor, const double *from, double s, const double *v, double *to);
    void (*difference)(sp_body *b, int part, const double *from, const double *to,
                       double *d);  // the d with move(from, 1, d) = to
    // see sp_body_ops; NULL: a difference, then a move by a share of it
    void (*interpolate)(sp_body *b, int part, const double *from, const double *to, double share, double *out);
    // see sp_body_ops; NULL: vectors add up
    void (*compose_step)(sp_body *b, int part, double s, const double *x, double a, const double *d, double *out);
    // centreline and frame at u in [0, 1] of an element
    void (*place)(sp_body *b, int part, int element, double u, sp_curve_frame *out);
    // velocity and angular velocity of that frame for velocities v
    void (*speed)(sp_body *b, int part, int element, double u, const double *v, double out[6]);
    // Jacobian of that velocity: one column of six per listed unknown, ascending; returns their count, at most nv
    int (*slopes)(sp_body *b, int part, int element, double u, int *unknown, double *columns);
    // unknowns to fix so that a node is held on these axes (all axes: with its frame), at most 12; 0: not supported
    int (*held)(sp_body *b, int part, int node, unsigned axes, int *unknown);
    // target of these unknowns: the node moves to `place`, its frame is the frame in `hold` rotated by R
    void (*set_target)(sp_body *b, int part, int node, const double *hold, const double place[3], const double R[9],
                       double *target);
    // Nodes `first` to `last` slide along the strand: their coordinates q and velocities v become those of the points at arc
    // lengths `to`, which are at `from` until then (nodes each), of the current kinematics. NULL: the model cannot be fed
    void (*slide)(sp_body *b, int part, int first, int last, const double *from, const double *to, double *q, double *v);
    void (*curvature)(sp_body *b, int part, double *out);         // at the nodes, x 3
    double (*element_energy)(sp_body *b, int part, int element);  // elastic energy
    // adds mass, first moment, momentum, angular momentum about the world's origin, and kinetic energy
    void (*measure)(sp_body *b, int part, const double *v, sp_measure *out);
};

// Shared by the models (model_chain.h: by two of them): the coordinates of the current kinematics, and the contribution of a
// point mass at x with velocity u to a measure (without its kinetic energy, which each model sums in its own order).
static inline const double *sp__rod_kinematics_at(const sp_body *b, int part) {
    const sp_rod *r = sp__rod(b);
    return r->kinematics_q + r->part[part].q;
}
void sp__rod_measure_mass(sp_measure *out, double m, const double x[3], const double u[3]);
// The unknowns of a node whose position is at the unknown `first`: those of these axes; if all axes are held and the node has an
// orientation, also the three unknowns of its rotation, which follow. Returns their count.
int sp__rod_held(int first, unsigned axes, bool orientation, int *unknown);

extern const sp_rod_model_ops sp__rod_clothoid, sp__rod_helix, sp__rod_der, sp__rod_beam;

// Updates the kinematics of a strand to a state; cheap if they are up to date. Two threads must not update the same strand at
// once.
sp_status sp__rod_update_kinematics(sp_body *b, int part, sp_which which, bool motion);
sp_status sp__rod_update_all_kinematics(sp_body *b, const sp_step *step, sp_which which,
                                        bool motion);  // step NULL: keep the previous h
// The point masses of a strand, in order: *at counts from 0. False: no more. element: local to the strand, u: fraction of its
// length
typedef struct sp_rod_mass {
    int element;
    double u, mass, inertia;
} sp_rod_mass;
bool sp__rod_mass_next(const sp_body *b, int part, int *at, sp_rod_mass *out);
// updates section stiffness and the data of the models after a change
void sp__rod_follow(sp_body *b);
void sp__rod_changed(sp_body *b);  // marks a change
sp_rod_stiffness sp__rod_section_stiffness(const sp_rod_section *s);

// rod_mechanics.c
sp_status sp__rod_evaluate(sp_body *b, const sp_step *step, unsigned want);
sp_status sp__rod_linearise(sp_body *b, const sp_step *step, sp_system *out);
void sp__rod_retract(sp_body *b, const sp_step *step, sp_which from, double s, const double *v);
void sp__rod_difference(sp_body *b, const double *from, const double *to, double *d);
void sp__rod_compose_step(sp_body *b, double s, const double *x, double a, const double *d, double *out);
void sp__rod_place_fixed(sp_body *b);
void sp__rod_mass(sp_body *b, const double *x, double *y, bool inverse);
double sp__rod_mass_damping(const sp_rod *r);  // factor of M in the damping matrix
void sp__rod_interpolate(sp_body *b, const double *from, const double *to, double share, double *out);
void sp__rod_interpolate_part(sp_body *b, int part, const double *from, const double *to, double share, double *out);
// rod_correct.c
static inline bool sp__rod_corrects(const sp_body *b) {
    return b->integrator.type == SP_IMPLICIT_EULER && b->integrator.iterations != 1;
}
sp_status sp__rod_correct_create(sp_body *b);
sp_status sp__rod_correct(sp_body *b, const sp_step *step, const sp_system *A);
void sp__rod_inertia(sp_body *b, double h, double *y);
// Passes of implicit Euler with contacts: K of each strand becomes exact, or half exact, where its system stays positive
// definite.
void sp__rod_exact_tangent(sp_body *b, double h);
bool sp__rod_step_too_large(sp_body *b, double h, const double *x);
// Jacobian of a point with respect to the unknowns of its strand, in the scratch memory of one worker.
typedef struct sp_rod_place {
    int part, count;
    int *unknown;     // local to the strand
    double *columns;  // count x 3: of the point
    double *six;      // count x 6: velocity and angular velocity of the frame on the centreline
    double x[3];
} sp_rod_place;
// K += J^T k J, k symmetric: xx yy zz xy yz zx
void sp__rod_add_term(const sp_rod_place *s, const double k[6], int band, double *K);
void sp__rod_lump(double *node, int element, double u,
                  const double f[3]);                                // distributes a force inside an element to its two nodes
void sp__rod_lump_masses(const sp_body *b, int part, double *node);  // adds the weight of the point masses of a strand, likewise
// rod_points.c
void sp__rod_open_place(sp_body *b, const sp_anchor *a, int worker,
                        sp_rod_place *out);  // uses the current kinematics of the strand
void sp__rod_points(sp_body *b, sp_which s, int n, const sp_anchor *a, double *x, double *v);
const sp_bound *sp__rod_bounds(sp_body *b);
sp_status sp__rod_jacobian_rows(sp_body *b, sp_which s, int n, const sp_anchor *a, const double *dir, sp_rows *J);
void sp__rod_apply_transpose(sp_body *b, sp_which state, int n, const sp_anchor *a, const double *f, double *g);
sp_status sp__rod_anchor_node(sp_body *b, int node, sp_anchor *out);
sp_status sp__rod_anchor_point(sp_body *b, const double rest[3], sp_anchor *out);
sp_status sp__rod_attach(sp_body *b, int n, const double *places, sp_anchor *out, double *outside);
// the strand that contains the node
int sp__rod_part_of_node(const sp_rod *r, int node);
// internal number of a node or element of the definition: the numbering of a growing rod includes elements that do not exist yet
int sp__rod_number(const sp_rod *r, const sp_rod_def *def, int number, bool node);
// rod_hold.c: fixed nodes, moving nodes, pins
sp_status sp__rod_hold_create(sp_body *b, const sp_rod_def *def);
void sp__rod_hold_free(sp_body *b);
void sp__rod_set_targets(sp_body *b, double t);  // b->target at time t
sp_status sp__rod_pin(sp_body *b, int node, unsigned axes, bool hold);
// rod_edit.c: what growth and feed change at the start of a step, in prescribe, as it was before. A rollback undoes it.
typedef struct sp_rod_kept {
    const double *of;  // the committed q that changed; a commit swaps it away. NULL: nothing is kept
    double *q, *v, *length, *natural;
    unsigned char *fixed;
} sp_rod_kept;
sp_status sp__rod_kept_create(sp_body *b, sp_rod_kept *k);
void sp__rod_kept_free(sp_body *b, sp_rod_kept *k);
void sp__rod_keep(sp_body *b, sp_rod_kept *k);
bool sp__rod_keep_undo(sp_body *b, sp_rod_kept *k);  // false: nothing is kept, or it was committed
void sp__rod_undo(sp_body *b);
// rod_grow.c: growth happens at the start of a step, in prescribe; a rollback undoes it
sp_status sp__rod_grow_create(sp_body *b, const sp_rod_grow *def);
void sp__rod_grow_free(sp_body *b);
int sp__rod_grow_reserve(const sp_rod_grow *def, double length, int elements);  // the most elements that a strand can reach
void sp__rod_grow(sp_body *b, const sp_step *step);
void sp__rod_grow_undo(sp_body *b);
void sp__rod_grow_set(sp_body *b,
                      const double *length);  // sets another state: element lengths different from those of the growth so far
void sp__rod_grow_visit(sp_body *b, sp_tier tier, sp_visitor *v);
// rod_feed.c: likewise the feed
extern const sp_param_spec sp__rod_feed_speed, sp__rod_feed_spin;
sp_status sp__rod_feed_check(sp_error *error, const sp_rod_def *def);
sp_status sp__rod_feed_create(sp_body *b, const sp_rod_def *def);
void sp__rod_feed_free(sp_body *b);
void sp__rod_feed_start(sp_body *b);  // the committed coordinates, bent by the model: what has not entered is straight
void sp__rod_feed(sp_body *b, const sp_step *step);
void sp__rod_feed_undo(sp_body *b);
void sp__rod_feed_set_targets(sp_body *b);
double *sp__rod_feed_state(const sp_rod *r);  // fed length [m] and angle [rad] since the start
void sp__rod_feed_set(sp_body *b);            // after another state was set, or restored
void sp__rod_feed_visit(sp_body *b, sp_tier tier, sp_visitor *v);
int sp__rod_param_count(sp_body *b);
sp_param sp__rod_param_at(sp_body *b, int index);
// rod_surface.c
sp_status sp__rod_surface_create(sp_body *b);
void sp__rod_face_anchors(sp_body *b, int face, sp_anchor out[3]);
sp_status sp__rod_face_point(sp_body *b, int surface, int face, const double weights[3], sp_anchor *out);
// rod_line.c
sp_status sp__rod_line_create(sp_body *b);
void sp__rod_line_follow(sp_body *b);  // after elements were added or removed
// The material point at x: the offset from `a`, a point of the centreline, in the frame there.
void sp__rod_offset(sp_body *b, sp_which which, const sp_anchor *a, const double x[3], sp_anchor *out);
void sp__rod_section_point(sp_body *b, sp_which which, const sp_anchor *a, const double x[3], sp_anchor *out);
// rod_query.c
enum { SP_ROD_FIELDS = 14 };
extern const sp_field sp__rod_fields[SP_ROD_FIELDS];
void sp__rod_element_nodes(sp_body *b, int *out);                   // both ends of each element (elements x 2)
double sp__rod_elastic(sp_body *b, int part, double *per_element);  // energy of a strand; nullable: per_element
void sp__rod_measure(sp_body *b, sp_measure *out);
void sp__rod_energies(sp_body *b, sp_which which, sp_energies *out);
double sp__rod_work(sp_body *b, double push[3]);
uint64_t sp__rod_hash(sp_body *b);
int64_t sp__rod_node_of(sp_body *b, int unknown);
// rod_edit.c
void sp__rod_visit(sp_body *b, sp_tier tier, sp_visitor *v);
void sp__rod_refresh(sp_body *b);
sp_status sp__rod_set_state(sp_body *b, const double *x, const double *v);
double *sp__rod_material_value(sp_body *b, int section, int which);
// rod_invert.c
sp_status sp__rod_invert(sp_body *b, const sp_step *step, double *natural);
// model_strand.c
const struct sp_strand *sp__rod_strand(const sp_body *b, int part);  // clothoid or helix only

#endif
