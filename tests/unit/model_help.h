// The contract of a rod model, checked by differences on a body of two strands with different sections, away from its rest shape:
// discrete rods and beams share these checks.
#ifndef SP_MODEL_HELP_H
#define SP_MODEL_HELP_H

#include <string.h>

#include "linear/banded.h"
#include "math/vec3.h"
#include "meter.h"
#include "rod/rod.h"
#include "souple/souple.h"
#include "test.h"

typedef struct model_rig {
    sp_context *ctx;
    sp_error error;
    sp_body *b;
    sp_step step;
} model_rig;

// strands of 4 and of 3 elements, with sections of different size and shape, naturally curved, with another initial shape
static inline bool model_open(model_rig *k, sp_rod_model model, bool free_root, bool edge_clamp) {
    static const double natural[15] = {0.5, 1, -0.5, 0.2, 0.7, 0.3, -0.4, 0.2, 1, 0.1, -0.6, 0.4, 0.3, 0.2, -0.1};
    static const double start[15] = {0.1, 0.4, 1, 0.5, 0.9, -0.5, -0.9, 0.6, 1.4, 0.7, -0.2, 0.9, -0.3, 0.1, 0.2};
    static const int of[4] = {0, 1, 1, 0};
    sp_rod_section sections[2] = {sp_rod_section_default(), sp_rod_section_default()};
    sections[0].axes[0] = 0.05, sections[0].axes[1] = 0.04, sections[0].young = 1e5;
    sections[1].axes[0] = 0.04, sections[1].axes[1] = 0.06, sections[1].young = 2e5;
    sp_rod_strand strands[2] = {
        {.length = 1, .elements = 4, .root = sp_pose_identity(), .curvature = natural, .start = start, .section = of},
        {.length = 0.6, .elements = 3, .root = {.quat = {0.8, 0, 0.6, 0}, .translate = {0, 1, 0}}, .curvature = natural}};
    sp_rod_def def = sp_rod_def_default();
    def.model = model, def.strands = strands, def.strand_count = 2, def.sections = sections, def.section_count = 2;
    def.free_root = free_root, def.edge_clamp = edge_clamp;
    def.integrator.type = SP_STATIC;  // K is exact
    *k = (model_rig){0};
    if (sp_context_create(NULL, &k->ctx) < 0 || sp__rod_create(k->ctx, &k->error, &def, &k->b) < 0) return false;
    k->step = sp__step_default(0);
    k->step.gravity[0] = 1, k->step.gravity[1] = -9, k->step.gravity[2] = 3;
    k->b->ops->prescribe(k->b, &k->step);
    return true;
}

static inline void model_close(model_rig *k) {
    if (k->b) k->b->ops->destroy(k->b);
    sp_context_destroy(&k->ctx);
}

// a random motion of the whole body, of about this size
static inline void model_motion(const model_rig *k, double size, unsigned long long seed, double *v) {
    for (int i = 0; i < k->b->nv; i++) v[i] = size * sp_test_random(&seed);
}

// energy at committed (+) a e_i + c e_j
static inline double model_energy(model_rig *k, int i, double a, int j, double c) {
    double v[128] = {0};
    v[i] += a, v[j] += c;
    k->b->ops->retract(k->b, &k->step, SP_COMMITTED, 1, v);
    CHECK(k->b->ops->evaluate(k->b, &k->step, SP_WANT_FORCE | SP_WANT_ENERGY) == SP_OK);
    return k->b->energy;
}

// Forces are minus the gradient of the potential, K its second derivative along the motion of the unknowns. Energies are about 10
// J: their rounding over h and w2; third and fourth derivatives of some thousands and millions, because strains change along
// edges of 0.2 m, times h2/6 and w2/6.
static inline void model_derivatives(model_rig *k) {
    sp_body *b = k->b;
    double f[128], zero[128] = {0}, h = 1e-5, w = 3e-4, most = 0;
    b->ops->retract(b, &k->step, SP_COMMITTED, 1, zero);
    REQUIRE(b->ops->evaluate(b, &k->step, SP_WANT_FORCE) == SP_OK);
    memcpy(f, b->f, (size_t)b->nv * sizeof *f);
    sp_system A;
    REQUIRE(b->ops->linearise(b, &k->step, &A) == SP_OK);
    static double K[128][128];
    for (int j = 0; j < b->nv; j++) {
        double e[128] = {0};
        e[j] = 1;
        A.mul_raw(A.o, (sp_coef){0, 0, 1}, e, K[j]);
        for (int i = 0; i < b->nv; i++) most = fmax(most, fabs(K[j][i]));
    }
    for (int i = 0; i < b->nv; i++) {
        CHECK_NEAR(f[i], -(model_energy(k, i, h, i, 0) - model_energy(k, i, -h, i, 0)) / (2 * h), 2e-6 * 10);
        for (int j = 0; j <= i; j++) {
            double second = model_energy(k, i, w, j, w) - model_energy(k, i, w, j, -w) - model_energy(k, i, -w, j, w) +
                            model_energy(k, i, -w, j, -w);
            CHECK_NEAR(K[i][j], second / (4 * w * w), 1e-5 * most);
        }
    }
}

// an approximate K is positive semi-definite, and M is that of `mass`
static inline void model_matrices(model_rig *k) {
    sp_body *b = k->b;
    const sp_rod *r = sp__rod(b);
    double v[128], y[128], z[128], zero[128] = {0};
    static double M[4096], K[4096];
    model_motion(k, 0.05, 7, v);
    b->ops->retract(b, &k->step, SP_COMMITTED, 1, v);
    REQUIRE(b->ops->evaluate(b, &k->step, SP_WANT_FORCE) == SP_OK);
    for (int p = 0; p < r->parts; p++) {
        const sp_rod_part *part = &r->part[p];
        memset(M, 0, sizeof M), memset(K, 0, sizeof K);
        r->model->matrices(b, p, false, M, K);
        sp__banded_mul(M, part->nv, part->band, v + part->v, y);
        r->model->mass(b, p, v + part->v, z, false);
        for (int i = 0; i < part->nv; i++) CHECK_NEAR(y[i], z[i], 1e-15 + 1e-13 * fabs(z[i]));
        r->model->mass(b, p, z, y, true);
        for (int i = 0; i < part->nv; i++) CHECK_NEAR(y[i], v[part->v + i], 1e-14);
        // a thousandth of M / h2 at a step of 10 ms
        for (int i = 0; i < part->nv * (part->band + 1); i++) K[i] += 10 * M[i];
        CHECK_INT(sp__banded_factor(K, part->nv, part->band, 0), -1);
    }
    b->ops->retract(b, &k->step, SP_COMMITTED, 1, zero);
}

// velocities of points off the centreline, per unknown and in total, against differences of the points
static inline void model_points(model_rig *k) {
    sp_body *b = k->b;
    const sp_rod *r = sp__rod(b);
    double v[128], h = 1e-6;
    model_motion(k, 1, 11, v);
    for (int element = 0; element < r->elements; element++) {
        sp_anchor a = {.elem = (uint32_t)element, .at = {0.3}, .offset = {0, 0.02, -0.05}};
        double x[3], y[3], speed[3], s[6], sum[6] = {0}, columns[6 * 64], arm[3], turned[3];
        int unknown[64], p = r->part_of[element], local = element - r->part[p].element;
        b->ops->retract(b, &k->step, SP_COMMITTED, h, v);
        b->ops->points(b, SP_TRIAL, 1, &a, x, NULL);
        b->ops->retract(b, &k->step, SP_COMMITTED, -h, v);
        b->ops->points(b, SP_TRIAL, 1, &a, y, NULL);
        REQUIRE(sp__rod_update_all_kinematics(b, NULL, SP_COMMITTED, false) == SP_OK);
        r->model->speed(b, p, local, 0.3, v + r->part[p].v, s);
        int n = r->model->slopes(b, p, local, 0.3, unknown, columns);
        for (int c = 0; c < n; c++)
            for (int i = 0; i < 6; i++) sum[i] += columns[6 * c + i] * v[r->part[p].v + unknown[c]];
        for (int i = 0; i < 6; i++) CHECK_NEAR(s[i], sum[i], 1e-13 * 10);
        sp_curve_frame f;
        r->model->place(b, p, local, 0.3, &f);
        sp__mul3(f.R, a.offset, arm);
        sp__cross3(s + 3, arm, turned);
        sp__axpy3(s, 1, turned, speed);
        for (int i = 0; i < 3; i++) CHECK_NEAR(speed[i], (x[i] - y[i]) / (2 * h), 1e-8);  // rounding over h, and h2
    }
}

// a motion and its inverse; in place and out of place; a zero step moves nothing
static inline void model_moves(model_rig *k) {
    sp_body *b = k->b;
    const sp_rod *r = sp__rod(b);
    double v[128], d[128], q[256], *to = b->q[SP_TRIAL];
    model_motion(k, 0.3, 3, v);
    b->ops->retract(b, &k->step, SP_COMMITTED, 1, v);
    b->ops->difference(b, b->q[SP_COMMITTED], to, d);
    for (int i = 0; i < b->nv; i++) CHECK_NEAR(d[i], v[i], 1e-14 * 10);
    memcpy(q, b->q[SP_COMMITTED], (size_t)b->nq * sizeof *q);
    for (int p = 0; p < r->parts; p++) r->model->move(b, p, 1, q + r->part[p].q, 1, v + r->part[p].v, q + r->part[p].q);
    CHECK(memcmp(q, to, (size_t)b->nq * sizeof *q) == 0);
    b->ops->retract(b, &k->step, SP_COMMITTED, 0, v);
    CHECK(memcmp(b->q[SP_COMMITTED], to, (size_t)b->nq * sizeof *q) == 0);
}

// two steps composed into one: the same positions and frames, measured by points off the centreline
static inline void model_further(model_rig *k) {
    sp_body *b = k->b;
    double x[128], d[128], out[128], s = 0.5, a = 0.7;
    model_motion(k, 0.6, 17, x), model_motion(k, 0.6, 19, d);
    b->ops->compose_step(b, s, x, a, d, out);
    for (int e = 0; e < sp__rod(b)->elements; e++) {
        sp_anchor at = {.elem = (uint32_t)e, .at = {0.6}, .offset = {0, 0.3, -0.5}};
        double once[3], twice[3];
        b->ops->retract(b, &k->step, SP_COMMITTED, s, out);
        b->ops->points(b, SP_TRIAL, 1, &at, once, NULL);
        b->ops->retract(b, &k->step, SP_COMMITTED, s, x);
        b->ops->retract(b, &k->step, SP_TRIAL, s * a, d);
        b->ops->points(b, SP_TRIAL, 1, &at, twice, NULL);
        for (int i = 0; i < 3; i++) CHECK_NEAR(once[i], twice[i], 1e-14);
    }
    b->ops->compose_step(b, s, x, a, d, x);
    CHECK(memcmp(x, out, (size_t)b->nv * sizeof *x) == 0);
}

// energies of elements add up, and a rigid motion has the momenta of the mass
static inline void model_measures(model_rig *k) {
    sp_body *b = k->b;
    const sp_rod *r = sp__rod(b);
    double own[8], zero[128] = {0}, sum = 0, whole = 0, potential = 0, acceleration[3];
    b->ops->retract(b, &k->step, SP_COMMITTED, 1, zero);
    memcpy(acceleration, k->step.gravity, sizeof acceleration), memset(k->step.gravity, 0, sizeof k->step.gravity);
    REQUIRE(b->ops->evaluate(b, &k->step, SP_WANT_ENERGY) == SP_OK);
    potential = b->energy;
    memcpy(k->step.gravity, acceleration, sizeof acceleration);
    sp_measure m = {0};
    double v[128] = {0};
    for (int p = 0; p < r->parts; p++) {
        whole += sp__rod_elastic(b, p, own);
        for (int e = 0; e < r->part[p].elements; e++) sum += own[e];
        // every position moves by (1, 2, -1)
        for (int e = 0; e <= r->part[p].elements; e++) {
            int unknown[12], n = r->model->held(b, p, e, SP_AXIS_X | SP_AXIS_Y, unknown);
            CHECK_INT(n, 2);
            v[r->part[p].v + unknown[0]] = 1, v[r->part[p].v + unknown[1]] = 2, v[r->part[p].v + unknown[1] + 1] = -1;
        }
        r->model->measure(b, p, v + r->part[p].v, &m);
    }
    CHECK_NEAR(sum, potential, 1e-13 * potential);
    CHECK_NEAR(whole, potential, 1e-13 * potential);
    double pi = 3.14159265358979323846, mass = 1000 * pi * (0.5 * 0.05 * 0.04 + 0.5 * 0.04 * 0.06 + 0.6 * 0.05 * 0.04);
    CHECK_NEAR(m.mass, mass, 1e-12 * mass);
    CHECK_NEAR(m.kinetic, 3 * mass, 1e-12 * mass);
    CHECK_NEAR(m.momentum[0], mass, 1e-12 * mass);
    CHECK_NEAR(m.momentum[1], 2 * mass, 1e-12 * mass);
    CHECK_NEAR(m.momentum[2], -mass, 1e-12 * mass);
}

// ------------------------------------------------------------------------------------------------ in a world

typedef struct rod_world {
    sp_context *ctx;
    sp_world *w;
    sp_body_id id;
    sp_rod_section section;
    sp_rod_strand strand;
    sp_rod_def def;
} rod_world;

// a metre along x of this many elements, a round section; not yet in its world
static inline void world_begin(rod_world *k, sp_rod_model model, int elements) {
    *k = (rod_world){0};
    sp_context_create(NULL, &k->ctx);
    sp_world_create(k->ctx, NULL, &k->w);
    k->section = sp_rod_section_default();
    k->section.axes[0] = k->section.axes[1] = 0.005, k->section.young = 1e7;
    k->strand = (sp_rod_strand){.length = 1, .elements = elements, .root = sp_pose_identity()};
    k->def = sp_rod_def_default();
    k->def.name = "rod", k->def.model = model;
    k->def.strands = &k->strand, k->def.strand_count = 1, k->def.sections = &k->section, k->def.section_count = 1;
}

static inline void world_end(rod_world *k) {
    sp_world_destroy(&k->w);
    sp_context_destroy(&k->ctx);
}

static inline sp_body_measures world_measures(rod_world *k) {
    sp_body_measures measures = {.elastic = NAN};
    CHECK(sp_world_body_measure(k->w, k->id, &measures) == SP_OK);
    return measures;
}

// a rotation about an axis through the origin, in radians per second
typedef struct world_turn {
    double axis[3], rate;
} world_turn;

static inline void turn_at(const void *user, double t, sp_pose *out) {
    const world_turn *turn = user;
    *out = sp_pose_identity();
    sp__quat_axis(turn->axis, turn->rate * t, out->quat);
}

// A strand that starts at its natural curvature has no forces and follows its curve, to rounding.
static inline void model_rest(model_rig *k) {
    sp_body *b = k->b;
    const sp_rod *r = sp__rod(b);
    const sp_rod_part *p = &r->part[1];
    double zero[128] = {0}, own[8];
    memset(k->step.gravity, 0, sizeof k->step.gravity);
    b->ops->retract(b, &k->step, SP_COMMITTED, 1, zero);
    REQUIRE(b->ops->evaluate(b, &k->step, SP_WANT_FORCE) == SP_OK);
    // the stiffness of an edge, 1e4 N/m, times the rounding of a position
    for (int i = 0; i < p->nv; i++) CHECK_NEAR(b->f[p->v + i], 0, 1e4 * 1e-14);
    CHECK(sp__rod_elastic(b, 1, own) < 1e-22);
    sp_curve_frame at = p->root, have;
    for (int e = 0; e < p->elements; e++) {
        const double *c = r->natural + 3 * (p->node + e), l = r->length[p->element + e];
        double lambda[6] = {c[0], c[1], c[2], (c[3] - c[0]) / l, (c[4] - c[1]) / l, (c[5] - c[2]) / l};
        sp__curve_cross(&at, 1, lambda, l, SP_CURVE_REACH_FINE, 1e-17);
        r->model->place(b, 1, e, 1, &have);
        for (int i = 0; i < 3; i++) CHECK_NEAR(have.r[i], at.r[i], 1e-14);
    }
    double curvature[15];
    r->model->curvature(b, 1, curvature);
    for (int i = 0; i < 3 * (p->elements + 1); i++) CHECK_NEAR(curvature[i], r->natural[3 * p->node + i], 1e-12);
}

// Curvature of a strand bent away from its rest shape: largest error of the field "curvature" over the nodes between its ends. At
// the ends it follows from the moments there, half an edge away from the value of the shape: first order.
static inline double curvature_error(sp_rod_model model, int elements) {
    rod_world k;
    static double start[3 * 65], have[3 * 65];
    double most = 0;
    world_begin(&k, model, elements);
    for (int i = 0; i <= elements; i++) {
        double s = (double)i / elements;
        start[3 * i] = 1 - s, start[3 * i + 1] = 1 + s, start[3 * i + 2] = 2 * s - 1.5;
    }
    k.strand.start = start;
    CHECK(sp_world_add_rod(k.w, &k.def, &k.id) == SP_OK);
    CHECK(sp_world_field(k.w, k.id, "curvature", have) == SP_OK);
    for (int i = 3; i < 3 * elements; i++) most = fmax(most, fabs(have[i] - start[i]));
    for (int i = 0; i < 3 * (elements + 1); i++) CHECK_NEAR(have[i], start[i], 1.0 / elements);
    world_end(&k);
    return most;
}

// A rotated node rotates a whole curved rod rigidly if no other load acts.
static inline void world_turned(sp_rod_model model, bool edge_clamp, int node) {
    enum { N = 6 };
    static const double natural[3 * (N + 1)] = {1, 0, 1, 1, 0.5, 1, 1, 1, 0.5, 1, 1, 0, 0.5, 1, 0, 0, 1, 0, 0, 1, 0};
    rod_world k;
    world_turn turn = {{1, -2, 0.5}, 3};
    double before[3 * (N + 1)], after[3 * (N + 1)], zero[3] = {0};
    world_begin(&k, model, N);
    k.section.axes[0] = 0.02;
    k.strand.curvature = natural;
    k.def.edge_clamp = edge_clamp, k.def.free_root = node > 0;
    k.def.integrator.load_steps = 2;
    k.def.integrator.type = SP_STATIC, k.def.integrator.tolerance = 1e-12, k.def.integrator.iterations = 300;
    sp_move move = {.nodes = &node, .count = 1, .axes = SP_AXES_ALL, .pose = {.eval = turn_at, .user = &turn}};
    memcpy(move.about, zero, sizeof zero);
    k.def.moves = &move, k.def.move_count = 1;
    sp_world_def def = sp_world_def_default();
    for (int i = 0; i < 3; i++) def.gravity[i] = sp_signal_constant(0);
    sp_world_destroy(&k.w);
    REQUIRE(sp_world_create(k.ctx, &def, &k.w) == SP_OK);
    REQUIRE(sp_world_add_rod(k.w, &k.def, &k.id) == SP_OK);
    REQUIRE(sp_world_field(k.w, k.id, "position", before) == SP_OK);
    for (int i = 0; i < 10; i++)
        if (sp_world_step(k.w, 0.1) != SP_OK) SP_TEST_FAILED("step %d: %s", i, sp_world_error(k.w)->message);
    REQUIRE(sp_world_field(k.w, k.id, "position", after) == SP_OK);
    sp_pose pose;
    double R[9], x[3];
    turn_at(&turn, 1, &pose);
    sp__quat_matrix(pose.quat, R);
    for (int i = 0; i <= N; i++) {
        sp__mul3(R, before + 3 * i, x);
        // residual forces of 1e-12 of the first, and axial stiffness 1e4 times the bending stiffness
        for (int a = 0; a < 3; a++) CHECK_NEAR(after[3 * i + a], x[a], 1e-7);
    }
    CHECK(world_measures(&k).elastic < 1e-12);
    world_end(&k);
}

// A straight rod fixed at both ends and rotated by more than a turn at one of them counts the turns: GJ angle^2 / 2 L. (It would
// buckle at 8.99 E I / L; 1.3 turns are 6.3.)
static inline void world_twisted(sp_rod_model model, bool edge_clamp) {
    enum { N = 8 };
    rod_world k;
    const double pi = 3.14159265358979323846;
    world_turn turn = {{1, 0, 0}, 1.3 * 2 * pi};
    int root = 0, tip = N;
    world_begin(&k, model, N);
    sp_move move = {.nodes = &root, .count = 1, .axes = SP_AXES_ALL, .pose = {.eval = turn_at, .user = &turn}};
    sp_fix fix = {.nodes = &tip, .count = 1, .axes = SP_AXES_ALL};
    k.def.moves = &move, k.def.move_count = 1, k.def.fixes = &fix, k.def.fix_count = 1;
    k.def.edge_clamp = edge_clamp;
    k.def.integrator.type = SP_STATIC, k.def.integrator.tolerance = 1e-12, k.def.integrator.iterations = 300;
    sp_world_def def = sp_world_def_default();
    for (int i = 0; i < 3; i++) def.gravity[i] = sp_signal_constant(0);
    sp_world_destroy(&k.w);
    REQUIRE(sp_world_create(k.ctx, &def, &k.w) == SP_OK);
    REQUIRE(sp_world_add_rod(k.w, &k.def, &k.id) == SP_OK);
    for (int i = 0; i < 10; i++)
        if (sp_world_step(k.w, 0.1) != SP_OK) SP_TEST_FAILED("step %d: %s", i, sp_world_error(k.w)->message);
    double GJ = 1e7 / 2.6 * pi / 2 * pow(0.005, 4), angle = 1.3 * 2 * pi;
    // between the fixed frames: that of the tip belongs to the last edge, that of the root is its own or that of the first edge
    double length = model == SP_ROD_BEAM ? 1 : edge_clamp ? 1 - 1.0 / N : 1 - 0.5 / N;
    CHECK_NEAR(world_measures(&k).elastic, GJ * angle * angle / (2 * length), 1e-9 * GJ * angle * angle);
    world_end(&k);
}

// The cantilever of 1 m, radius 5 mm, 1e7 Pa, falling from rest at steps of 10 ms without damping: the energy never grows, and
// the tip is near its position with steps of 1 ms (-0.289 m at 0.25 s; the free fall of the tip, g t (t + h) / 2, is 0.012 m
// further at 10 ms).
static inline void world_fall(sp_rod_model model, sp_integrator_type type, int elements) {
    rod_world k;
    static double x[3 * 201];
    world_begin(&k, model, elements);
    k.def.integrator.type = type;
    REQUIRE(sp_world_add_rod(k.w, &k.def, &k.id) == SP_OK);
    double mass = world_measures(&k).mass, highest = -1, tip = 0;
    for (int i = 1; i <= 100; i++) {
        REQUIRE(sp_world_step(k.w, 0.01) == SP_OK);
        REQUIRE(sp_world_field(k.w, k.id, "position", x) == SP_OK);
        sp_body_measures info = world_measures(&k);
        double energy = info.kinetic + info.elastic;
        for (int n = 0; n <= elements; n++) energy += mass / elements * (n == 0 || n == elements ? 0.5 : 1) * 9.81 * x[3 * n + 1];
        highest = fmax(highest, energy);
        if (i == 25) tip = x[3 * elements + 1];
    }
    CHECK(tip > -0.289 - 0.03 && tip < -0.289);
    CHECK(highest <= 1e-9);
    world_end(&k);
}

// Free flight with a spin: linear momentum is conserved to rounding, energy never grows.
static inline void world_thrown(sp_rod_model model, sp_integrator_type type) {
    enum { N = 8 };
    rod_world k;
    static double rates[256];
    world_begin(&k, model, N);
    k.def.free_root = true, k.def.integrator.type = type;
    sp_world_def def = sp_world_def_default();
    for (int i = 0; i < 3; i++) def.gravity[i] = sp_signal_constant(0);
    sp_world_destroy(&k.w);
    REQUIRE(sp_world_create(k.ctx, &def, &k.w) == SP_OK);
    REQUIRE(sp_world_add_rod(k.w, &k.def, &k.id) == SP_OK);
    unsigned long long seed = 5;
    int stride = model == SP_ROD_BEAM ? 6 : 4;
    for (int i = 0; i <= N; i++) {
        rates[stride * i] = 0.2 * sp_test_random(&seed), rates[stride * i + 1] = 1 + 4 * (double)i / N, rates[stride * i + 2] = 1;
        if (model == SP_ROD_BEAM) rates[stride * i + 5] = 4;
    }
    REQUIRE(sp_world_set_state(k.w, k.id, NULL, rates) == SP_OK);
    sp_body_measures first = world_measures(&k);
    double last = first.kinetic + first.elastic;
    for (int i = 0; i < 60; i++) {
        REQUIRE(sp_world_step(k.w, 0.01) == SP_OK);
        sp_body_measures now = world_measures(&k);
        CHECK(now.kinetic + now.elastic <= last * 1.001);
        last = now.kinetic + now.elastic;
        for (int a = 0; a < 3; a++) CHECK_NEAR(now.momentum[a], first.momentum[a], 1e-5 * first.mass);
    }
    CHECK(last > 0.1 * (first.kinetic + first.elastic));
    world_end(&k);
}

// Deflection of the tip of a cantilever of two sections, the thinner one (a quarter as stiff) at the end; relative to beam
// theory: P ((L3 - (L/2)3) / 3 E I + (L/2)3 / 3 E I').
static inline double stepped_error(sp_rod_model model, int elements) {
    rod_world k;
    sp_rod_section sections[2];
    int of[64];
    static double x[3 * 65];
    world_begin(&k, model, elements);
    sections[0] = sections[1] = k.section, sections[1].young /= 4;
    for (int i = 0; i < elements; i++) of[i] = i >= elements / 2;
    k.def.sections = sections, k.def.section_count = 2, k.strand.section = of;
    k.def.integrator.type = SP_STATIC, k.def.integrator.tolerance = 1e-10;
    const double pi = 3.14159265358979323846, EI = 1e7 * pi / 4 * pow(0.005, 4), P = 1e-4 * EI;
    sp_load load = {.type = SP_LOAD_FORCE, .at = {.elem = (uint32_t)(elements - 1), .at = {1}}};
    for (int a = 0; a < 3; a++) load.value[a] = sp_signal_constant(a == 2 ? P : 0);
    k.def.loads = &load, k.def.load_count = 1;
    sp_world_def def = sp_world_def_default();
    for (int i = 0; i < 3; i++) def.gravity[i] = sp_signal_constant(0);
    sp_world_destroy(&k.w);
    CHECK(sp_world_create(k.ctx, &def, &k.w) == SP_OK && sp_world_add_rod(k.w, &k.def, &k.id) == SP_OK);
    if (sp_world_step(k.w, 1) != SP_OK) SP_TEST_FAILED("%s", sp_world_error(k.w)->message);
    CHECK(sp_world_field(k.w, k.id, "position", x) == SP_OK);
    double sinks = P / (3 * EI) * (0.875 + 4 * 0.125);
    world_end(&k);
    return x[3 * elements + 2] / sinks - 1;
}

// every allocation fails once; nothing leaks
static inline void world_memory(sp_rod_model model) {
    for (long allowed = 0; allowed < 1000; allowed++) {
        meter m = {.allowed = 1000000};
        sp_context_def def = metered_context(&m);
        rod_world k;
        world_begin(&k, model, 3);
        world_end(&k);
        REQUIRE(sp_context_create(&def, &k.ctx) == SP_OK && sp_world_create(k.ctx, NULL, &k.w) == SP_OK);
        k.def.strands = &k.strand, k.def.sections = &k.section;
        m.allowed = allowed;
        sp_status status = sp_world_add_rod(k.w, &k.def, &k.id);
        bool done = status == SP_OK;
        CHECK(done || status == SP_NO_MEMORY);
        m.allowed = 1000000;
        world_end(&k);
        CHECK_INT(m.live, 0);
        if (done) return;
    }
    CHECK(false);
}

#endif
