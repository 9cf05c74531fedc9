// Shared by the verification programs of rods: one rod in one world, defined by its stiffness rather than by its section, and its
// positions and frames anywhere along it.
#ifndef SP_VERIFY_ROD_LAB_H
#define SP_VERIFY_ROD_LAB_H

#include "souple/souple.h"
#include "test.h"

enum { ROD_MODELS = 4 };
static const char *const rod_names[ROD_MODELS] = {"clothoid", "helix", "der", "beam"};
static const double rod_pi = 3.14159265358979323846;

typedef struct rod_lab {
    sp_context *ctx;
    sp_world *world;
    sp_body_id body;
    sp_rod_def def;  // of one strand and one section, below; change them before rod_open
    sp_rod_strand strand;
    sp_rod_section section;
    double gravity[3];
    double *natural, *start;  // nodes x 3
    sp_contact_def contact;
    bool contact_state;
} rod_lab;

// A round section with these stiffnesses: E I, mu J and rho S. EA = 4 E I / radius^2.
static inline sp_rod_section rod_section(double bend, double twist, double line_density, double radius) {
    sp_rod_section s = sp_rod_section_default();
    double r2 = radius * radius;
    s.axes[0] = s.axes[1] = radius;
    s.young = 4 * bend / (rod_pi * r2 * r2);
    s.density = line_density / (rod_pi * r2);
    // mu J = E I / (1 + nu); nu = 0.5 is not allowed, a value just below is
    s.poisson = fmin(bend / twist - 1, 0.5 - 1e-12);
    return s;
}

static inline void rod_close(rod_lab *b) {
    sp_world_destroy(&b->world);
    sp_context_destroy(&b->ctx);
    free(b->natural), free(b->start);
    b->natural = b->start = NULL;
}

// One metre along x, n1 along y, n2 along z; E I = 1 N m2, mu J = 2/3 N m2, rho S = 1 kg/m, naturally straight, no gravity.
static inline void rod_begin(rod_lab *b, sp_rod_model model, int elements) {
    *b = (rod_lab){0};
    b->natural = calloc(3 * ((size_t)elements + 1), sizeof *b->natural);
    b->start = calloc(3 * ((size_t)elements + 1), sizeof *b->start);
    b->section = rod_section(1, 2.0 / 3, 1, 1e-3);
    b->strand = (sp_rod_strand){.length = 1, .elements = elements, .root = sp_pose_identity()};
    b->strand.curvature = b->natural;
    b->def = sp_rod_def_default();
    b->def.name = "rod";
    b->def.model = model;
    b->def.strand_count = b->def.section_count = 1;
    b->contact = sp_contact_def_default();
}

// Statics: equilibrium to rounding, the loads applied in `stages`.
static inline void rod_static(rod_lab *b, int stages) {
    b->def.integrator.type = SP_STATIC;
    b->def.integrator.iterations = 500;
    b->def.integrator.tolerance = 1e-10;
    b->def.integrator.load_steps = stages;
}

static inline void rod_fill(double *at_nodes, int elements, double twist, double k1, double k2) {
    for (int i = 0; i <= elements; i++) at_nodes[3 * i] = twist, at_nodes[3 * i + 1] = k1, at_nodes[3 * i + 2] = k2;
}

static inline bool rod_world(rod_lab *b) {
    sp_context_def context = sp_context_def_default();
    context.workers = 1;
    if (sp_context_create(&context, &b->ctx) != SP_OK) return false;
    sp_world_def world = sp_world_def_default();
    for (int i = 0; i < 3; i++) world.gravity[i] = sp_signal_constant(b->gravity[i]);
    world.snapshots = false;
    if (sp_world_create(b->ctx, &world, &b->world) != SP_OK) return false;
    return !b->contact_state || sp_world_set_contact(b->world, &b->contact) == SP_OK;
}

static inline bool rod_add(rod_lab *b) {
    b->def.strands = &b->strand, b->def.sections = &b->section;
    if (sp_world_add_rod(b->world, &b->def, &b->body) >= 0) return true;
    printf("  %s: %s\n", rod_names[b->def.model], sp_world_error(b->world)->message);
    return false;
}

static inline bool rod_open(rod_lab *b) {
    return rod_world(b) && rod_add(b);
}

// A failed or unfinished step prints the reason.
static inline bool rod_step(rod_lab *b, double h) {
    sp_status s = sp_world_step(b->world, h);
    if (s < 0) printf("  %s: %s: %s\n", rod_names[b->def.model], sp_status_name(s), sp_world_error(b->world)->message);
    if (s > 0 && b->def.integrator.type == SP_STATIC) {
        sp_body_info info = {0};
        sp_world_body_info(b->world, b->body, &info);
        printf("  %s: %s, residual %g after %d iterations\n", rod_names[b->def.model], sp_status_name(s),
               info.solve.force_residual, info.solve.newton_iterations);
        return false;
    }
    return s >= 0;
}

static inline bool rod_steps(rod_lab *b, double h, int count) {
    for (int i = 0; i < count; i++)
        if (!rod_step(b, h)) return false;
    return true;
}

static inline sp_body_info rod_info(rod_lab *b) {
    sp_body_info info = {0};
    if (sp_world_body_info(b->world, b->body, &info) < 0) printf("  %s\n", sp_world_error(b->world)->message);
    return info;
}

static inline sp_body_measures rod_measures(rod_lab *b) {
    sp_body_measures measures = {0};
    if (sp_world_body_measure(b->world, b->body, &measures) < 0) printf("  %s\n", sp_world_error(b->world)->message);
    return measures;
}

static inline sp_anchor rod_anchor(const rod_lab *b, double share, double along_n1, double along_n2) {
    int e = (int)floor(share * b->strand.elements);
    if (e > b->strand.elements - 1) e = b->strand.elements - 1;
    return (sp_anchor){
        .body = b->body, .elem = (uint32_t)e, .at = {share * b->strand.elements - e, 0, 0}, .offset = {0, along_n1, along_n2}};
}

// Position and velocity at a share of the length. Nullable: v.
static inline void rod_at(rod_lab *b, double share, double x[3], double v[3]) {
    sp_anchor a = rod_anchor(b, share, 0, 0);
    if (sp_world_anchor_get(b->world, &a, x, v) < 0) x[0] = x[1] = x[2] = NAN;
}

// Frame at a share of the length, columns t, n1, n2, from the positions of points off the centreline.
static inline void rod_frame(rod_lab *b, double share, double R[9]) {
    double x[3], y[3][3];
    rod_at(b, share, x, NULL);
    for (int k = 1; k < 3; k++) {
        sp_anchor a = rod_anchor(b, share, k == 1, k == 2);
        if (sp_world_anchor_get(b->world, &a, y[k], NULL) < 0) y[k][0] = NAN;
        for (int i = 0; i < 3; i++) R[3 * i + k] = y[k][i] - x[i];
    }
    R[0] = R[4] * R[8] - R[7] * R[5], R[3] = R[7] * R[2] - R[1] * R[8], R[6] = R[1] * R[5] - R[4] * R[2];
}

// Curvature vector at a node.
static inline void rod_curvature(rod_lab *b, int node, double out[3]) {
    double *all = malloc(3 * ((size_t)b->strand.elements + 1) * sizeof *all);
    out[0] = out[1] = out[2] = NAN;
    if (all && sp_world_field(b->world, b->body, "curvature", all) >= 0) memcpy(out, all + 3 * node, 3 * sizeof *out);
    free(all);
}

// A dead force or torque at a share of the length.
static inline sp_load rod_load(const rod_lab *b, sp_load_type type, double share, double x, double y, double z) {
    sp_anchor a = rod_anchor(b, share, 0, 0);
    sp_load out = {.type = type, .at = a};
    out.value[0] = sp_signal_constant(x), out.value[1] = sp_signal_constant(y), out.value[2] = sp_signal_constant(z);
    return out;
}

static inline double rod_distance(const double *a, const double *b) {
    return sqrt((a[0] - b[0]) * (a[0] - b[0]) + (a[1] - b[1]) * (a[1] - b[1]) + (a[2] - b[2]) * (a[2] - b[2]));
}

// Number of unknowns of each model: clothoid 3 (p + 1), helix 3 p, discrete rod 4 p + 3, beam 6 (p + 1).
static inline int rod_dofs(sp_rod_model model, int p) {
    const int dofs[ROD_MODELS] = {3 * (p + 1), 3 * p, 4 * p + 3, 6 * (p + 1)};
    return dofs[model];
}

#endif
