// Clothoids and helices as models of a rod's body: coordinates, forces and stiffness of several strands, constraints, and natural
// curvature from a shape.
#include <string.h>

#include "body/drive.h"
#include "math/vec3.h"
#include "meter.h"
#include "rod/rod.h"
#include "souple/world.h"
#include "test.h"

enum { MOST = 64 };

static const double gravity[3] = {1, -9.81, 2};

typedef struct held_rod {
    sp_context *ctx;
    sp_error error;
    sp_body *b;
    sp_step step;
} held_rod;

static const sp_pose tilted = {.translate = {0.1, 0.2, -0.3}, .quat = {0.8, 0.36, -0.48, 0}};

// two strands, two sections, a force and a spring, bent away from the natural shape
static sp_rod_def bent_def(sp_rod_model model, bool free_root) {
    static double natural[2][15], start[2][15];
    static const int section[4] = {0, 1, 1, 0};
    static sp_rod_section sections[2];
    static sp_rod_strand strands[2];
    static sp_load load;
    static sp_spring_def pull;
    for (int s = 0; s < 2; s++)
        for (int i = 0; i < 15; i++) natural[s][i] = 2 * sin(i + s), start[s][i] = natural[s][i] + cos(2 * i + s);
    sections[0] = sections[1] = sp_rod_section_default();
    sections[0].axes[0] = 0.01, sections[0].axes[1] = 0.02, sections[1].axes[0] = sections[1].axes[1] = 0.015;
    sections[1].density = 1500;
    for (int s = 0; s < 2; s++)
        strands[s] = (sp_rod_strand){.length = 0.5 + 0.3 * s,
                                     .elements = 4 - s,
                                     .root = tilted,
                                     .curvature = natural[s],
                                     .start = start[s],
                                     .section = section};
    load = (sp_load){.type = SP_LOAD_FORCE, .at = {.elem = 5, .at = {0.4}}};
    pull = (sp_spring_def){.at = {.elem = 2, .at = {0.7}}, .stiffness = 3};
    for (int a = 0; a < 3; a++) load.value[a] = sp_signal_constant(0.1 * a - 0.15), pull.to[a] = sp_signal_constant(0.2 * a);
    sp_rod_def def = sp_rod_def_default();
    def.model = model, def.free_root = free_root;
    def.strands = strands, def.strand_count = 2, def.sections = sections, def.section_count = 2;
    def.loads = &load, def.load_count = 1, def.springs = &pull, def.spring_count = 1;
    return def;
}

static void hold(held_rod *k, const sp_rod_def *def) {
    *k = (held_rod){.ctx = NULL};
    REQUIRE(sp_context_create(NULL, &k->ctx) == SP_OK);
    REQUIRE(sp__rod_create(k->ctx, &k->error, def, &k->b) == SP_OK);
    k->step = sp__step_default(0);
    memcpy(k->step.gravity, gravity, sizeof gravity);
    k->b->ops->prescribe(k->b, &k->step);
    sp__drive_begin(k->b);
}

static void let_go(held_rod *k) {
    if (k->b) k->b->ops->destroy(k->b);
    sp_context_destroy(&k->ctx);
}

static const sp_rod_model both[2] = {SP_ROD_CLOTHOID, SP_ROD_HELIX};

TEST(move_and_difference) {
    for (int m = 0; m < 2; m++) {
        held_rod k;
        sp_rod_def def = bent_def(both[m], true);
        hold(&k, &def);
        const sp_rod *r = sp__rod(k.b);
        const sp_rod_part *p = &r->part[1];
        double *from = k.b->q[SP_COMMITTED] + p->q, to[MOST], d[MOST], v[MOST], same[MOST];
        for (int i = 0; i < p->nv; i++) v[i] = 1.3 * sin(3 * i + 1);
        r->model->move(k.b, 1, 1, from, 0, v, to);
        CHECK(!memcmp(from, to, (size_t)p->nq * sizeof *to));
        r->model->move(k.b, 1, 1, from, 0.7, v, to);
        r->model->difference(k.b, 1, from, to, d);
        for (int i = 0; i < p->nv; i++) CHECK_NEAR(d[i], 0.7 * v[i], 2e-15);
        CHECK_NEAR(to[3] * to[3] + to[4] * to[4] + to[5] * to[5] + to[6] * to[6], 1, 1e-15);
        memcpy(same, from, (size_t)p->nq * sizeof *same);
        r->model->move(k.b, 1, 1, same, 0.7, v, same);
        CHECK(!memcmp(same, to, (size_t)p->nq * sizeof *to));
        for (int i = 3; i < 7; i++) to[i] = -to[i];  // the same rotation
        r->model->difference(k.b, 1, from, to, d);
        for (int i = 0; i < p->nv; i++) CHECK_NEAR(d[i], 0.7 * v[i], 2e-15);
        // the position is rotated from the left: an angular velocity is in world axes
        double R[2][9], turn[9], want[9], quat[4];
        sp__quat_axis(v + 3, 0.7 * sp__norm3(v + 3), quat);
        sp__quat_matrix(quat, turn), sp__quat_matrix(from + 3, R[0]), sp__quat_matrix(to + 3, R[1]);
        sp__mul33(turn, R[0], want);
        for (int i = 0; i < 9; i++) CHECK_NEAR(R[1][i], want[i], 1e-15);
        let_go(&k);
    }
}

TEST(roots_are_fixed_and_prescribed) {
    held_rod k;
    sp_rod_def def = bent_def(SP_ROD_CLOTHOID, false);
    hold(&k, &def);
    const sp_rod *r = sp__rod(k.b);
    int unknown[12];
    CHECK_INT(r->model->held(k.b, 0, 0, SP_AXES_ALL, unknown), 6);
    CHECK_INT(r->model->held(k.b, 0, 1, SP_AXES_ALL, unknown), 0);
    CHECK_INT(r->model->held(k.b, 0, 0, SP_AXIS_Y, unknown), 1);
    CHECK_INT(unknown[0], 1);
    double target[MOST] = {0}, *q = k.b->q[SP_COMMITTED], place[3] = {1, 2, 3}, R[9], quat[4] = {0.6, 0, 0.8, 0}, turned[4];
    static const double none[9] = {1, 0, 0, 0, 1, 0, 0, 0, 1};
    r->model->set_target(k.b, 0, 0, q, q, none, target);
    CHECK(!memcmp(target, q, 7 * sizeof *q));  // to the bit: no motion is prescribed
    sp__quat_matrix(quat, R);
    sp__quat_mul(quat, q + 3, turned);
    r->model->set_target(k.b, 0, 0, q, place, R, target);
    for (int i = 0; i < 3; i++) CHECK(target[i] == place[i]);
    double sign = turned[0] * target[3] < 0 ? -1 : 1;
    for (int i = 0; i < 4; i++) CHECK_NEAR(sign * target[3 + i], turned[i], 1e-15);
    let_go(&k);
}

// ------------------------------------------------------------------------------------------------ forces

// trial state: at a distance h from the committed one along an unknown
static void evaluate_beside(held_rod *k, int unknown, double h) {
    double v[MOST] = {0};
    v[unknown] = 1;
    k->b->ops->retract(k->b, &k->step, SP_COMMITTED, h, v);
    CHECK(sp__drive_evaluate(k->b, &k->step, SP_WANT_FORCE | SP_WANT_ENERGY) == SP_OK);
}

// f is minus the gradient of the energy, with weight, loads and springs, also for a freely rotating root
TEST(force_is_the_gradient_of_energy) {
    for (int m = 0; m < 2; m++) {
        held_rod k;
        sp_rod_def def = bent_def(both[m], true);
        hold(&k, &def);
        double f[MOST], energy[2], h = 1e-5;
        evaluate_beside(&k, 0, 0);
        memcpy(f, k.b->f, (size_t)k.b->nv * sizeof *f);
        for (int d = 0; d < k.b->nv; d++) {
            for (int e = 0; e < 2; e++) evaluate_beside(&k, d, e ? h : -h), energy[e] = k.b->energy;
            CHECK_NEAR(f[d], -(energy[1] - energy[0]) / (2 * h), 2e-10);  // energies near 3, known to 1e-15 of that, over h
        }
        let_go(&k);
    }
}

// statics: K is minus the derivative of f, except for the rotations of the root among themselves, where that is not symmetric
TEST(stiffness_is_the_derivative_of_force) {
    for (int m = 0; m < 2; m++) {
        held_rod k;
        sp_system A;
        sp_rod_def def = bent_def(both[m], true);
        def.integrator.type = SP_STATIC;
        hold(&k, &def);
        sp_rod *r = sp__rod(k.b);
        double K[MOST], f[2][MOST], h = 1e-5;
        for (int d = 0; d < k.b->nv; d++) {
            double x[MOST] = {0};
            x[d] = 1;
            for (int e = 0; e < 2; e++) evaluate_beside(&k, d, e ? h : -h), memcpy(f[e], k.b->f, sizeof *K * (size_t)k.b->nv);
            evaluate_beside(&k, d, 0);
            REQUIRE(k.b->ops->linearise(k.b, &k.step, &A) == SP_OK);
            A.mul_raw(A.o, (sp_coef){0, 0, 1}, x, K);
            for (int c = 0; c < k.b->nv; c++) {
                const sp_rod_part *p = &r->part[c < r->part[1].v ? 0 : 1];
                bool root = c - p->v < 6 && d >= p->v && d - p->v < 6;
                // forces near 10 are known to 1e-15 of that, over h
                if (!root) CHECK_NEAR(K[c], -(f[1][c] - f[0][c]) / (2 * h), 5e-10);
            }
        }
        let_go(&k);
    }
}

// natural curvature at nodes: a strand that starts there is at rest, for both element types
TEST(natural_shape_has_no_force) {
    for (int m = 0; m < 2; m++) {
        held_rod k;
        sp_rod_def def = bent_def(both[m], false);
        def.load_count = def.spring_count = 0;
        sp_rod_strand strands[2] = {def.strands[0], def.strands[1]};
        strands[0].start = strands[1].start = NULL;
        def.strands = strands;
        hold(&k, &def);
        memset(k.step.gravity, 0, sizeof k.step.gravity);
        evaluate_beside(&k, 0, 0);
        for (int d = 0; d < k.b->nv; d++) CHECK(k.b->f[d] == 0);
        CHECK(k.b->energy == 0);
        let_go(&k);
    }
}

// momentum from the velocities of points, by the midpoint rule over many pieces
TEST(measures) {
    for (int m = 0; m < 2; m++) {
        enum { PIECES = 2000 };
        held_rod k;
        sp_rod_def def = bent_def(both[m], true);
        hold(&k, &def);
        const sp_rod *r = sp__rod(k.b);
        for (int i = 0; i < k.b->nv; i++) k.b->v[SP_COMMITTED][i] = 2 * sin(i + 1);
        REQUIRE(sp__rod_update_all_kinematics(k.b, NULL, SP_COMMITTED, false) == SP_OK);
        sp_measure found = {0}, want = {0};
        for (int p = 0; p < r->parts; p++) {
            const double *v = k.b->v[SP_COMMITTED] + r->part[p].v;
            r->model->measure(k.b, p, v, &found);
            for (int e = 0; e < r->part[p].elements; e++)
                for (int i = 0; i < PIECES; i++) {
                    int element = r->part[p].element + e;
                    double mass = sp__rod_stiffness(r, element)->line_density * r->length[element] / PIECES, u[6], spin[3];
                    sp_curve_frame f;
                    r->model->place(k.b, p, e, (i + 0.5) / PIECES, &f);
                    r->model->speed(k.b, p, e, (i + 0.5) / PIECES, v, u);
                    sp__cross3(f.r, u, spin);
                    // sections of a free strand also rotate about its tangent
                    double t[3] = {f.R[0], f.R[3], f.R[6]}, about = sp__dot3(u + 3, t);
                    double inertia = sp__rod_stiffness(r, element)->spin * r->length[element] / PIECES;
                    want.mass += mass, want.kinetic += 0.5 * (mass * sp__dot3(u, u) + inertia * about * about);
                    for (int a = 0; a < 3; a++) {
                        want.momentum[a] += mass * u[a];
                        want.angular[a] += mass * spin[a] + inertia * about * t[a];
                    }
                }
        }
        CHECK_NEAR(found.mass, want.mass, 1e-12);
        CHECK_NEAR(found.kinetic, want.kinetic, 1e-8 * want.kinetic);  // a 24th of the square of a piece
        for (int a = 0; a < 3; a++) {
            CHECK_NEAR(found.momentum[a], want.momentum[a], 1e-8);
            CHECK_NEAR(found.angular[a], want.angular[a], 1e-8);
        }
        let_go(&k);
    }
}

TEST(curvature_at_nodes) {
    held_rod k;
    sp_rod_def def = bent_def(SP_ROD_HELIX, false);
    hold(&k, &def);
    const sp_rod *r = sp__rod(k.b);
    const sp_rod_strand *s = &def.strands[1];
    double out[15], mean[9];
    REQUIRE(sp__rod_update_all_kinematics(k.b, NULL, SP_COMMITTED, false) == SP_OK);
    r->model->curvature(k.b, 1, out);
    for (int i = 0; i < 9; i++) mean[i] = 0.5 * (s->start[i] + s->start[i + 3]);
    for (int c = 0; c < 3; c++) {
        CHECK_NEAR(out[c], mean[c], 1e-15);
        CHECK_NEAR(out[3 + c], 0.5 * (mean[c] + mean[3 + c]), 1e-15);
        CHECK_NEAR(out[9 + c], mean[6 + c], 1e-15);
    }
    let_go(&k);
}

// ------------------------------------------------------------------------------------------------ inverse statics

// no residual force is left, and the shape is unchanged
TEST(inverse_statics) {
    for (int m = 0; m < 2; m++) {
        held_rod k;
        sp_rod_def def = bent_def(both[m], false);
        hold(&k, &def);
        const sp_rod *r = sp__rod(k.b);
        double natural[3 * MOST], before[MOST], most = 0;
        memcpy(before, k.b->q[SP_COMMITTED], (size_t)k.b->nq * sizeof *before);
        evaluate_beside(&k, 0, 0);
        for (int p = 0; p < 2; p++)
            for (int i = 6; i < r->part[p].nv; i++) most = fmax(most, fabs(k.b->f[r->part[p].v + i]));
        CHECK(most > 1e-3);
        REQUIRE(sp__rod_invert(k.b, &k.step, natural) == SP_OK);
        CHECK(!memcmp(before, k.b->q[SP_COMMITTED], (size_t)k.b->nq * sizeof *before));
        evaluate_beside(&k, 0, 0);
        for (int p = 0; p < 2; p++) {
            const sp_rod_part *part = &r->part[p];
            for (int i = 6; i < part->nv; i++) CHECK_NEAR(k.b->f[part->v + i], 0, 1e-14 * most);  // rounding
            int first = m ? part->element : part->node;
            const double *nodes = r->natural + 3 * (size_t)part->node;
            for (int i = 0; i < 3 * part->elements; i++)
                CHECK_NEAR(natural[3 * first + i], m ? 0.5 * (nodes[i] + nodes[i + 3]) : nodes[i], 0);
        }
        let_go(&k);
    }
}

// nodal values of a helix change smoothly: a uniform change stays uniform
TEST(inverse_statics_distributes_evenly) {
    held_rod k;
    sp_rod_def def = bent_def(SP_ROD_HELIX, false);
    sp_rod_strand strand = def.strands[0];
    double start[15] = {0};
    for (int i = 0; i < 15; i++) start[i] = i % 3 + 1;
    strand.curvature = NULL, strand.start = start, strand.section = NULL;
    def.strands = &strand, def.strand_count = 1, def.load_count = def.spring_count = 0;
    hold(&k, &def);
    memset(k.step.gravity, 0, sizeof k.step.gravity);
    REQUIRE(sp__rod_invert(k.b, &k.step, NULL) == SP_OK);
    for (int i = 0; i < 15; i++) CHECK_NEAR(sp__rod(k.b)->natural[i], start[i], 1e-14);
    let_go(&k);
}

TEST(inverse_statics_refuses) {
    held_rod k;
    sp_rod_def def = bent_def(SP_ROD_CLOTHOID, true);
    hold(&k, &def);
    double natural[15];
    memcpy(natural, sp__rod(k.b)->natural, sizeof natural);
    CHECK(sp__rod_invert(k.b, &k.step, NULL) == SP_BAD_INPUT);
    CHECK(strstr(k.error.message, "free"));
    CHECK(!memcmp(natural, sp__rod(k.b)->natural, sizeof natural));
    let_go(&k);
    def.load_count = def.spring_count = 0;  // without loads any shape is an equilibrium
    hold(&k, &def);
    memset(k.step.gravity, 0, sizeof k.step.gravity);
    CHECK(sp__rod_invert(k.b, &k.step, NULL) == SP_OK);
    let_go(&k);
    static const sp_rod_model others[2] = {SP_ROD_DER, SP_ROD_BEAM};
    for (int m = 0; m < 2; m++) {
        def = bent_def(others[m], false);
        hold(&k, &def);
        CHECK(sp__rod_invert(k.b, &k.step, NULL) == SP_BAD_INPUT);
        CHECK(strstr(k.error.message, "clothoid"));
        let_go(&k);
    }
    def = bent_def(SP_ROD_CLOTHOID, false);
    def.natural_in_time = true;
    hold(&k, &def);
    CHECK(sp__rod_invert(k.b, &k.step, NULL) == SP_BAD_INPUT);
    let_go(&k);
}

// every allocation refused once: at creation, at the kinematics update, when curled beyond the allocated size, and in inverse
// statics
TEST(memory_of_a_rod) {
    for (int m = 0; m < 2; m++) {
        bool whole = false;
        for (long allowed = 1; !whole; allowed++) {
            meter count = {.allowed = allowed};
            sp_context_def context = metered_context(&count);
            sp_context *ctx;
            if (sp_context_create(&context, &ctx) < 0) continue;
            sp_error error = {0};
            sp_body *b = NULL;
            sp_rod_def def = bent_def(both[m], false);
            sp_status status = sp__rod_create(ctx, &error, &def, &b);
            if (status >= 0) {
                const sp_rod_part *p = &sp__rod(b)->part[0];
                for (int i = 7; i < p->nq; i++) b->q[SP_COMMITTED][p->q + i] = 300 * cos(i);
                const sp_step step = sp__step_default(0);
                status = sp__rod_invert(b, &step, NULL);
            }
            CHECK(status == SP_OK || (status == SP_NO_MEMORY && error.status == SP_NO_MEMORY));
            whole = status == SP_OK;
            if (b) b->ops->destroy(b);
            sp_context_destroy(&ctx);
            CHECK_INT(count.live, 0);
        }
    }
}
