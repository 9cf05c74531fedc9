// A rod as a body: strands that know nothing of each other, all of one model. What every model shares is in rod*.c: sections,
// points, point loads, contact, surfaces, growth, the tiers. What a strand's unknowns are and how they carry forces is the
// model's: strands of clothoids and helices (model_strand.c), discrete elastic rods (model_der.c), beams (model_beam.c).
//
//   q   coordinates of all strands, one strand after the other; so v. A model may keep more in q than it has unknowns: a
//       quaternion for a rotation, frames that time carries along.
//   settle   makes what a model derives from a state (series, frames); everything else asks the settled strand
#ifndef SP_ROD_H
#define SP_ROD_H

#include "body/body.h"
#include "rod/curve.h"

typedef struct sp_rod_model_ops sp_rod_model_ops;
typedef struct sp_rod_motion sp_rod_motion;

// What a section gives per length.
typedef struct sp_rod_stiffness {
    double line_density;  // rho S [kg/m]
    double spin;          // rho (I1 + I2), inertia about the tangent [kg m]
    double stretch;       // E A [N]
    double bend[2];       // E I1, E I2 [N m2]: about n1, about n2
    double twist;         // mu J [N m2]
} sp_rod_stiffness;

typedef struct sp_rod_part {  // a strand
    int q, nq, v, nv;         // where its coordinates and unknowns begin, and how many it has
    int node, element;        // its first ones among all
    int elements;             // that it may come to have: arrays have room for them
    int alive;                // that it has; state tier. Those behind have no length and lie at the tip
    int band;                 // of its matrices, see banded.h
    size_t at;                // of its matrices in M, B, K
    sp_curve_frame root;      // at the start
    void *model;              // the model's own
} sp_rod_part;

typedef struct sp_rod {
    sp_rod_model which;
    const sp_rod_model_ops *model;
    bool free_root, edge_clamp;
    bool exact;  // statics: K has what loads add to it, whatever its signs; otherwise it is that of (4.3.31)
    // topology
    sp_rod_part *part;
    int parts, nodes, elements;
    int *part_of;     // elements
    int *section_of;  // elements
    // parameters
    sp_rod_section *section;
    int sections;
    char (*section_names)[3][32];  // of their parameters
    double *natural;               // nodes x 3: twist, k1, k2; an element of a helix has the mean of its two nodes
    double rayleigh_mass, rayleigh_stiffness, drag;
    double tolerance, iterations;
    double *hold;   // nq: where fixed unknowns are held when nothing moves them
    double *start;  // nq: where it started; topology
    double *rest;   // nodes x 3: where its nodes were then
    // state, beside q and v
    double *length;  // elements
    int *alive;      // parts; a copy of part[].alive for the tiers
    // what comes from the definition
    sp_rod_motion *motion;  // rod_hold.c
    int motions;
    sp_rod_load *load;
    int loads;
    double (*load_now)[3];    // loads, at the end of the step
    double (*load_place)[3];  // where they were evaluated last
    sp_signal natural_signal[3];
    bool natural_in_time;
    struct sp_rod_growth *growth;  // rod_grow.c; NULL: none
    // derived
    sp_rod_stiffness *stiffness;  // per section
    bool stale;                   // sections, natural curvature or lengths changed: models must be told
    uint64_t pattern, values;
    double h;                // length of the step that strands are settled for [s]: their velocity terms depend on it
    double acceleration[3];  // gravity and acceleration loads, as far as they act in a load step
    double pushed[3];        // acceleration loads at the end of the step
    double mean_line_density;
    // the state that strands are settled at
    double *settled_q, *settled_v;
    double (*settled_acceleration)[3];  // parts
    unsigned char *settled;             // parts: 0 nothing, 1 places, 2 and the motion
    sp_status *settle_status;           // parts
    double *part_energy;                // parts: elastic energy and weight, where forces were evaluated last
    double *part_kinetic;               // parts: energy of motion there
    sp_bound *bounds;                   // elements: sp__rod_bounds
    sp_measure *part_measure;           // parts
    double *node_scratch;               // nodes x 3
    double *product, *kept;             // nv + 1: scratch of products
    // lower bands at the state last evaluated or linearised. linearise adds the point terms and exchanges them with those of
    // `system`, which nobody touches until the next linearise
    double *M, *B, *K;
    double *system[3];  // M, B, K of the last linearisation
    bool filled;
    sp_parts chain;
    int *chain_start, *chain_band;
    int *term_start, *term_order;  // point terms by part
    double *term_place;            // terms x 6: where they were evaluated, place and velocity
    int term_room;
    // rod_correct.c
    struct sp_rod_correction *correction;            // parts
    double *correct_scratch;                         // per worker
    size_t most_coordinates, most_nodes, most_band;  // of a strand
    int most_unknowns;                               // of a strand
    double *scratch;                                 // per worker: scratch_size numbers
    size_t scratch_size;
    // surface
    int samples, sides, rings;
} sp_rod;

static inline sp_rod *sp__rod(const sp_body *b) {
    return b->impl;
}

static inline const sp_rod_stiffness *sp__rod_stiffness(const sp_rod *r, int element) {
    return &r->stiffness[r->section_of[element]];
}

// A model: what a strand is to the rest. Elements, nodes and unknowns are counted from those of the strand; q, v, f and bands are
// the strand's own slices. Functions that take no q look at the settled state. Places, speeds and slopes may be asked for from
// several threads at once as long as nobody settles the strand meanwhile; forces, matrices, mass and measures from one at a time.
struct sp_rod_model_ops {
    const char *name;
    int (*coordinates)(int elements);
    int (*unknowns)(int elements);
    int (*band)(int elements);
    // where the frame of a held root stands among the coordinates, 9 numbers; NULL: unknowns make it
    int (*clamp)(int elements);
    bool massless;  // M can be singular: no explicit steps
    double calm;    // of the energy of a motion that a linearised step may miss (rod_correct.c)
    bool grows;
    sp_status (*create)(sp_body *b, int part);  // part->model; lengths, sections and natural curvature are there
    void (*destroy)(sp_body *b, int part);      // also of one half made
    // sections, lengths, natural curvature or the number of elements alive changed
    void (*changed)(sp_body *b, int part);
    // coordinates of the curve with this root and these curvatures at its nodes
    void (*bend)(sp_body *b, int part, const sp_curve_frame *root, const double *curvature, double *q);
    // motion: quadratic velocity terms are wanted too. SP_NOT_FINITE, SP_NO_MEMORY
    sp_status (*settle)(sp_body *b, int part, const double *q, const double *v, bool motion);
    // f += elastic forces, weight (rod->acceleration) and minus the quadratic velocity terms; returns the potential of the first
    // two
    double (*force)(sp_body *b, int part, double *f);
    // lower bands: M and K += ; K of the elastic forces, with what the weight adds where `exact`
    void (*matrices)(sp_body *b, int part, bool exact, double *M, double *K);
    // K += of bending and twist alone, which no turn as a whole strains: what damps in proportion to stiffness
    void (*damping)(sp_body *b, int part, double *K);
    // K += what a force f at a place adds to it because the place is no linear function of the unknowns; NULL: nothing
    void (*bend_of_force)(sp_body *b, int part, int element, double u, const double f[3], double *K);
    // the same of forces at all nodes; not exact: positive semi-definite, what tension adds. NULL: the model's K has it all
    void (*bend_of_nodes)(sp_body *b, int part, const double *force, bool exact, double *K);
    // Inertia of material points: `keep` remembers their velocities at the settled state, for rates v. `carry` takes the place of
    // the quadratic velocity terms: R += h A - (M x - P), with P from the velocities kept, and forces at nodes (x 3) += those of
    // inertia. NULL: masses do not change, R -= M (x - v0)
    void (*keep)(sp_body *b, int part, const double *v);
    void (*carry)(sp_body *b, int part, double h, const double *x, const double *v0, double *R, double *node);
    // the angle by which the element that bends fastest bends in h; NULL: elements do not wind up
    double (*bent)(const sp_body *b, int part, double h, const double *v);
    void (*mass)(sp_body *b, int part, const double *x, double *y, bool inverse);
    // to = from (+) s v; to may be from. load_factor: share of the way to its target that a clamp's frame goes
    void (*move)(sp_body *b, int part, double load_factor, const double *from, double s, const double *v, double *to);
    void (*between)(sp_body *b, int part, const double *from, const double *to, double *d);  // move(from, 1, d) = to
    // see sp_body_ops; NULL: by `between` and `move`
    void (*toward)(sp_body *b, int part, const double *from, const double *to, double share, double *out);
    // see sp_body_ops; NULL: sums
    void (*further)(sp_body *b, int part, double s, const double *x, double a, const double *d, double *out);
    // centreline and frame at u in [0, 1] of an element
    void (*place)(sp_body *b, int part, int element, double u, sp_curve_frame *out);
    // velocity and angular velocity of that frame for velocities v
    void (*speed)(sp_body *b, int part, int element, double u, const double *v, double out[6]);
    // the same as columns of six, of the unknowns listed, rising; returns how many. Room for nv of both
    int (*slopes)(sp_body *b, int part, int element, double u, int *unknown, double *columns);
    // unknowns that hold a node on these axes (all: with its frame), at most 12; 0: the model cannot
    int (*held)(sp_body *b, int part, int node, unsigned axes, int *unknown);
    // target of these unknowns, from `hold`: the node goes to `place`, its frame is that of `hold` turned by R
    void (*aim)(sp_body *b, int part, int node, const double *hold, const double place[3], const double R[9], double *target);
    void (*curvature)(sp_body *b, int part, double *out);          // at the nodes, x 3
    double (*elastic)(sp_body *b, int part, double *per_element);  // energy; nullable: per_element
    // mass, its moment, momentum and angular momentum about the world's origin, and kinetic energy: added
    void (*measure)(sp_body *b, int part, const double *v, sp_measure *out);
};

// Shared by the models: the coordinates that a strand is settled at, and a point mass at x with the velocity u in a measure (not
// its kinetic energy, which each model sums in its own order).
static inline const double *sp__rod_settled_at(const sp_body *b, int part) {
    const sp_rod *r = sp__rod(b);
    return r->settled_q + r->part[part].q;
}
void sp__rod_measure_mass(sp_measure *out, double m, const double x[3], const double u[3]);

extern const sp_rod_model_ops sp__rod_clothoid, sp__rod_helix, sp__rod_der, sp__rod_beam;

// The strand settled at a state; cheap where it is already. Not from two threads at once for one strand, unless it is.
sp_status sp__rod_settle(sp_body *b, int part, sp_which which, bool motion);
sp_status sp__rod_settle_all(sp_body *b, const sp_step *step, sp_which which, bool motion);  // step NULL: that of last time
// stiffness of sections and what models made of it, where something changed
void sp__rod_follow(sp_body *b);
void sp__rod_changed(sp_body *b);  // something did
sp_rod_stiffness sp__rod_section_stiffness(const sp_rod_section *s);

// rod_mechanics.c
sp_status sp__rod_evaluate(sp_body *b, const sp_step *step, unsigned want);
sp_status sp__rod_linearise(sp_body *b, const sp_step *step, sp_system *out);
void sp__rod_retract(sp_body *b, const sp_step *step, sp_which from, double s, const double *v);
void sp__rod_between(sp_body *b, const double *from, const double *to, double *d);
void sp__rod_further(sp_body *b, double s, const double *x, double a, const double *d, double *out);
void sp__rod_place_fixed(sp_body *b);
void sp__rod_mass(sp_body *b, const double *x, double *y, bool inverse);
double sp__rod_mass_damping(const sp_rod *r);  // the share of M that damps
void sp__rod_toward(sp_body *b, const double *from, const double *to, double share, double *out);
void sp__rod_toward_part(sp_body *b, int part, const double *from, const double *to, double share, double *out);
// rod_correct.c
static inline bool sp__rod_corrects(const sp_body *b) {
    return b->integrator.type == SP_IMPLICIT_EULER && b->integrator.iterations > 1;
}
sp_status sp__rod_correct_create(sp_body *b);
sp_status sp__rod_correct(sp_body *b, const sp_step *step, const sp_system *A);
bool sp__rod_wild(sp_body *b, double h, const double *x);
// How a place moves with the unknowns of its strand, in the room of one worker.
typedef struct sp_rod_place {
    int part, count;
    int *unknown;     // of the strand
    double *columns;  // count x 3: of the place
    double *six;      // count x 6: of the frame on the centreline, velocity and angular velocity
    double x[3];
} sp_rod_place;
// K += J^T k J, k symmetric: xx yy zz xy yz zx
void sp__rod_add_term(const sp_rod_place *s, const double k[6], int band, double *K);
void sp__rod_lump(double *node, int element, double u, const double f[3]);  // a force inside an element, at its two nodes
// rod_points.c
void sp__rod_open_place(sp_body *b, const sp_anchor *a, int worker, sp_rod_place *out);  // of the settled strand
void sp__rod_points(sp_body *b, sp_which s, int n, const sp_anchor *a, double *x, double *v);
const sp_bound *sp__rod_bounds(sp_body *b);
sp_status sp__rod_pull(sp_body *b, int n, const sp_anchor *a, const double *dir, sp_rows *J);
void sp__rod_push(sp_body *b, sp_which state, int n, const sp_anchor *a, const double *f, double *g);
sp_status sp__rod_anchor_node(sp_body *b, int node, sp_anchor *out);
sp_status sp__rod_anchor_point(sp_body *b, const double rest[3], sp_anchor *out);
sp_status sp__rod_attach(sp_body *b, int n, const double *places, sp_anchor *out, double *outside);
// the node's own place: an element and a share of it, both of the strand
int sp__rod_part_of_node(const sp_rod *r, int node);
// the node or element that a definition means: those of a rod that grows also count what is not there yet
int sp__rod_number(const sp_rod *r, const sp_rod_def *def, int number, bool node);
// rod_hold.c: fixed nodes, moving nodes, pins
sp_status sp__rod_hold_create(sp_body *b, const sp_rod_def *def);
void sp__rod_hold_free(sp_body *b);
void sp__rod_aim(sp_body *b, double t);  // b->target at time t
sp_status sp__rod_pin(sp_body *b, int node, unsigned axes, bool hold);
// rod_grow.c: between steps, from prescribe; undone by a rollback
sp_status sp__rod_grow_create(sp_body *b, const sp_rod_grow *def);
void sp__rod_grow_free(sp_body *b);
int sp__rod_grow_room(const sp_rod_grow *def, double length, int elements);  // elements that a strand may come to have
void sp__rod_grow(sp_body *b, const sp_step *step);
void sp__rod_grow_undo(sp_body *b);
void sp__rod_grow_set(sp_body *b, const double *length);  // elements: another state than the one it grew to
void sp__rod_grow_visit(sp_body *b, sp_tier tier, sp_visitor *v);
// rod_surface.c
sp_status sp__rod_surface_create(sp_body *b);
void sp__rod_face_corners(sp_body *b, int face, sp_anchor out[3]);
// rod_look.c
enum { SP_ROD_FIELDS = 12 };
extern const sp_field sp__rod_fields[SP_ROD_FIELDS];
void sp__rod_measure(sp_body *b, sp_measure *out);
void sp__rod_energies(sp_body *b, sp_which which, sp_energies *out);
double sp__rod_work(sp_body *b, double push[3]);
uint64_t sp__rod_hash(sp_body *b);
int64_t sp__rod_node_of(sp_body *b, int unknown);
// rod_edit.c
void sp__rod_visit(sp_body *b, sp_tier tier, sp_visitor *v);
void sp__rod_refresh(sp_body *b);
sp_status sp__rod_set_state(sp_body *b, const double *x, const double *v);
int sp__rod_param_count(sp_body *b);
sp_param sp__rod_param_at(sp_body *b, int index);
enum { ROD_RAYLEIGH_MASS, ROD_RAYLEIGH_STIFFNESS, ROD_DRAG, ROD_TOLERANCE, ROD_ITERATIONS, ROD_YOUNG, ROD_POISSON, ROD_DENSITY };
extern const sp_param_spec *const sp__rod_params[];
// rod_invert.c
sp_status sp__rod_invert(sp_body *b, const sp_step *step, double *natural);
// model_strand.c
const struct sp_strand *sp__rod_strand(const sp_body *b, int part);  // of a clothoid or helix

#endif
