// Point terms: springs and penalty contact. Forces against their potential and their derivatives by differences, then the
// resulting motion against closed forms.
#include "body/drive.h"
#include "test.h"
#include "unit/mock_body.h"
#include "world/world_internal.h"

static sp_context *ctx;
static sp_world *w;
static sp_body *b;
static sp_body_id floor_id;

static void make(const mock_def *def, const sp_contact_def *contact) {
    sp_rigid_shape plane = {.type = SP_PLANE, .size = {0, 1, 0}, .pose = sp_pose_identity()};
    sp_rigid_def rigid = sp_rigid_def_default();
    rigid.name = "floor", rigid.shapes = &plane, rigid.shape_count = 1, rigid.kinematic = true;
    sp_context_create(NULL, &ctx);
    sp_world_create(ctx, NULL, &w);
    mock_create(ctx, &w->ctx->error, def, &b);
    CHECK(sp__world_adopt(w, b, "chain", NULL) == SP_OK);
    CHECK(sp_world_add_rigid(w, &rigid, &floor_id) == SP_OK);
    CHECK(sp_world_set_contact(w, contact) == SP_OK);
}

static void finish(void) {
    sp_world_destroy(&w);
    sp_context_destroy(&ctx);
}

static mock_def touching(sp_integrator_type type) {
    mock_def def = mock_def_default();
    def.contact_state = true, def.free = true, def.type = type;
    return def;
}

// random trial state near the floor
static void shake(double size) {
    unsigned long long seed = 11;
    for (int i = 0; i < b->nv; i++) {
        b->q[SP_TRIAL][i] = b->q[SP_COMMITTED][i] + size * sp_test_random(&seed);
        b->v[SP_TRIAL][i] = sp_test_random(&seed);
    }
}

static double total(int unknown) {
    double g[15] = {0};
    sp__loads_evaluate(b, &w->step, SP_CONTACT_TRIAL);
    for (int t = 0; t < b->loads.term_count; t++)
        b->ops->apply_transpose(b, SP_TRIAL, 1, &b->loads.terms[t].at, b->loads.terms[t].f, g);
    return g[unknown];
}

// column `from` of the summed k or b of all terms, entry `to`
static double matrix(int to, int from, bool damping) {
    double x[15] = {0}, y[15];
    sp_system A;
    x[from] = 1;
    sp__loads_evaluate(b, &w->step, SP_CONTACT_TRIAL);
    double k = mock_of(b)->k[0], mass = mock_of(b)->mass;
    mock_of(b)->k[0] = 0, mock_of(b)->mass = 0;
    b->ops->linearise(b, &w->step, &A);
    A.mul_raw(A.o, damping ? (sp_coef){0, 1, 0} : (sp_coef){0, 0, 1}, x, y);
    mock_of(b)->k[0] = k, mock_of(b)->mass = mass;
    return y[to];
}

static void check_derivatives(bool potential, bool tangent, double tol) {
    double e = 1e-6;
    for (int i = 0; i < b->nv; i++) {
        double f = total(i), *q = &b->q[SP_TRIAL][i];
        *q += e;
        sp__loads_evaluate(b, &w->step, SP_CONTACT_TRIAL);
        double up = b->loads.energy;
        *q -= 2 * e;
        sp__loads_evaluate(b, &w->step, SP_CONTACT_TRIAL);
        double down = b->loads.energy;
        *q += e;
        if (potential) CHECK_NEAR(f, -(up - down) / (2 * e), tol);
        for (int j = 0; tangent && j < b->nv; j++) {
            double *other[2] = {&b->q[SP_TRIAL][j], &b->v[SP_TRIAL][j]};
            for (int d = 0; d < 2; d++) {
                double keep = *other[d];
                *other[d] = keep + e, up = total(i);
                *other[d] = keep - e, down = total(i);
                *other[d] = keep;
                CHECK_NEAR(matrix(i, j, d == 1), -(up - down) / (2 * e), tol);
            }
        }
    }
}

TEST(springs_have_consistent_derivatives) {
    mock_def def = mock_def_default();
    make(&def, NULL);
    w->step.h = 0.01;
    sp_spring s = {.at = {.elem = 2, .at = {0.3}},
                   .stiffness = 7,
                   .damping = 0.5,
                   .axes = SP_AXIS_X | SP_AXIS_Z,
                   .slot = -1,
                   .active = true};
    for (int a = 0; a < 3; a++) s.to[a] = sp_signal_constant(0.1 * a);
    b->loads.springs[b->loads.spring_count++] = s;
    sp__loads_prescribe(b, &w->step);
    shake(0.05);
    memset(b->v[SP_TRIAL], 0, 15 * sizeof(double));
    check_derivatives(true, true, 1e-8);  // bilinear: differences are exact to rounding of 1e-6 steps
    CHECK(b->loads.dissipates);
    sp__loads_evaluate(b, &w->step, SP_CONTACT_TRIAL);
    CHECK(b->loads.terms[0].f[1] == 0 && b->loads.terms[0].f[2] != 0);
    b->loads.springs[0].active = false;
    sp__loads_evaluate(b, &w->step, SP_CONTACT_TRIAL);
    CHECK_INT(b->loads.term_count, 0);
    finish();
}

TEST(contact_has_consistent_derivatives) {
    sp_contact_def c = sp_contact_def_default();
    c.stiffness = 50, c.damping = 0.2;
    mock_def def = touching(SP_NEWTON);
    make(&def, &c);
    sp__prescribe(w, 0.01);
    shake(0.05);
    sp__loads_evaluate(b, &w->step, SP_CONTACT_TRIAL);
    CHECK(b->loads.term_count > 0 && b->loads.term_count < 5);
    check_derivatives(false, true, 1e-7);
    w->contact.damping = 0;
    check_derivatives(true, true, 1e-7);
    CHECK(!b->loads.dissipates);
    finish();
}

// A sticking point has the derivatives of its tangential spring; a sliding one has a force on the cone, against u.
TEST(friction_sticks_inside_the_cone_and_slides_on_it) {
    sp_contact_def c = sp_contact_def_default();
    c.stiffness = 50, c.friction = 0.5;
    mock_def def = touching(SP_NEWTON);
    make(&def, &c);
    sp__prescribe(w, 0.01);
    for (int i = 0; i < 5; i++) b->q[SP_COMMITTED][3 * i + 1] = -0.01;
    sp__drive_begin(b);
    sp__loads_begin(b, &w->step);
    sp__loads_evaluate(b, &w->step, SP_CONTACT_TRIAL);
    CHECK_INT(b->loads.term_count, 5);
    sp__loads_finish(b), sp__loads_commit(b), sp__loads_begin(b, &w->step);
    // normal force 0.5 N: the cone ends at a spring force of 0.25 N / 50 N/m = 5 mm
    b->q[SP_TRIAL][0] += 0.003, b->q[SP_TRIAL][5] += 0.004;
    b->q[SP_TRIAL][6] += 0.03, b->q[SP_TRIAL][8] += 0.04;
    CHECK_NEAR(total(0), -0.15, 1e-12);
    CHECK_NEAR(total(5), -0.2, 1e-12);
    CHECK_NEAR(total(6), -0.25 * 0.6, 1e-12);
    CHECK_NEAR(total(8), -0.25 * 0.8, 1e-12);
    CHECK_NEAR(matrix(0, 0, false), 50, 1e-9);
    CHECK_NEAR(matrix(6, 6, false), 0.25 / 0.05, 1e-9);  // the secant
    CHECK(b->loads.dissipates);
    // the stick point of the first stays, that of the third has followed to within 5 mm
    sp__loads_evaluate(b, &w->step, SP_CONTACT_TRIAL);
    sp__loads_finish(b);
    const sp_contact_memory *m = b->loads.memory[SP_TRIAL];
    double first[2] = {b->q[SP_COMMITTED][0], b->q[SP_COMMITTED][2]}, third[2] = {b->q[SP_TRIAL][6], b->q[SP_TRIAL][8]};
    for (int i = 0; i < 5; i++) {
        const sp_contact_memory *of = &m[SP_MEMORY_SLOTS * i];
        CHECK(of->with == floor_id.slot && of[1].with == 0);
        CHECK_NEAR(of->force, 0.5, 1e-12);
        if (fabs(b->q[SP_TRIAL][0] - of->stick[0]) < 0.0031 && i == 0) CHECK_NEAR(of->stick[0], first[0], 1e-12);
        if (i == 2) {
            CHECK_NEAR(third[0] - of->stick[0], 0.003, 1e-12);
            CHECK_NEAR(third[1] - of->stick[2], 0.004, 1e-12);
        }
    }
    finish();
}

TEST(current_and_predicted_contacts) {
    const sp_integrator_type types[] = {SP_IMPLICIT_EULER, SP_NEWTON, SP_EXPLICIT, SP_STATIC};
    for (int t = 0; t < 4; t++) {
        sp_contact_def c = sp_contact_def_default();
        mock_def def = touching(types[t]);
        make(&def, &c);
        sp__prescribe(w, 0.01);
        if (types[t] == SP_STATIC) w->step.h = 0;
        double *y = b->q[SP_TRIAL] + 1, *v = b->v[SP_TRIAL] + 1;
        for (int i = 1; i < 5; i++) y[3 * i] = 1;
        *y = 0.005, *v = -1;  // outside, but inside after 0.01 s
        for (int ahead = 0; ahead < 2; ahead++) {
            sp__loads_evaluate(b, &w->step, ahead ? SP_CONTACT_AHEAD : SP_CONTACT_TRIAL);
            CHECK_INT(b->loads.term_count, ahead && types[t] != SP_STATIC);
        }
        *y = -0.005, *v = 1;  // inside, but outside after
        for (int ahead = 0; ahead < 2; ahead++) {
            sp__loads_evaluate(b, &w->step, ahead ? SP_CONTACT_AHEAD : SP_CONTACT_TRIAL);
            CHECK_INT(b->loads.term_count, !ahead || types[t] == SP_STATIC);
        }
        // automatic stiffness
        double k = types[t] == SP_STATIC ? 1e4 : (types[t] == SP_EXPLICIT ? 1 : 30) * def.mass / 1e-4;
        *v = 0;
        sp__loads_evaluate(b, &w->step, SP_CONTACT_TRIAL);
        CHECK_NEAR(b->loads.terms[0].k[1], k, 1e-9 * k);
        CHECK_NEAR(b->loads.terms[0].f[1], 0.005 * k, 1e-9 * k);
        finish();
    }
}

// at rest on the floor the penetration of each node is m g / k
TEST(rests_at_the_depth_of_its_weight) {
    const sp_integrator_type types[] = {SP_IMPLICIT_EULER, SP_NEWTON, SP_STATIC};
    for (int t = 0; t < 3; t++) {
        sp_contact_def c = sp_contact_def_default();
        c.stiffness = 1000, c.damping = 20;
        mock_def def = touching(types[t]);
        make(&def, &c);
        for (int i = 0; i < 5; i++) b->q[SP_COMMITTED][3 * i + 1] = -1e-5;
        for (int k = 0; k < (t == 2 ? 1 : 400); k++) CHECK(sp_world_step(w, 0.01) >= 0);
        for (int i = 0; i < 5; i++) CHECK_NEAR(b->q[SP_COMMITTED][3 * i + 1], -9.81 * def.mass / 1000, 1e-9);
        finish();
    }
}

// Symplectic Euler is stable below k = 4 m / h^2. Above it a penalty throws bodies off faster than they came: 0.44 m/s after a
// fall of 10 mm.
TEST(explicit_steps_need_a_soft_penalty) {
    double fastest[2] = {0};
    for (int stiff = 0; stiff < 2; stiff++) {
        const double h = 0.001;
        sp_contact_def c = sp_contact_def_default();
        mock_def def = touching(SP_EXPLICIT);
        c.stiffness = (stiff ? 16 : 0.1) * def.mass / (h * h);
        make(&def, &c);
        for (int i = 0; i < 5; i++) b->q[SP_COMMITTED][3 * i + 1] = 0.01;
        for (int k = 0; k < 150; k++) {
            CHECK(sp_world_step(w, h) >= 0);
            for (int i = 0; i < 5; i++) fastest[stiff] = fmax(fastest[stiff], fabs(b->v[SP_COMMITTED][3 * i + 1]));
        }
        finish();
    }
    const double fall = sqrt(2 * 9.81 * 0.01);
    printf("  %.3f and %.3f m/s after a fall to %.3f m/s\n", fastest[0], fastest[1], fall);
    CHECK_NEAR(fastest[0], fall, 0.05 * fall);  // the phase of the impact in the step
    CHECK(fastest[1] > 2 * fall);
}

// Coulomb: a sliding chain decelerates by mu g and stops
TEST(slides_to_a_stop_at_mu_g) {
    sp_contact_def c = sp_contact_def_default();
    c.friction = 0.3, c.stiffness = 1e4, c.damping = 100;
    mock_def def = touching(SP_IMPLICIT_EULER);
    make(&def, &c);
    for (int i = 0; i < 5; i++) {
        b->q[SP_COMMITTED][3 * i + 1] = -9.81 * def.mass / 1e4;
        b->v[SP_COMMITTED][3 * i] = 1;
    }
    for (int k = 0; k < 100; k++) CHECK(sp_world_step(w, 0.001) == SP_OK);
    // each step loses mu g h: the normal force is constant, and a linear solve to 1e-6 changes it by no more
    CHECK_NEAR(b->v[SP_COMMITTED][6], 1 - 0.3 * 9.81 * 0.1, 2e-5);
    // at rest after 0.34 s; then it oscillates on its tangential springs, which implicit steps damp
    for (int k = 0; k < 1400; k++) sp_world_step(w, 0.001);
    CHECK_NEAR(b->v[SP_COMMITTED][6], 0, 1e-6);
    finish();
}

// a floor that moves sideways drags a resting chain with up to mu g, and one that rises lifts it
TEST(moving_floor_drags_and_lifts) {
    sp_contact_def c = sp_contact_def_default();
    c.friction = 0.5, c.stiffness = 1e4, c.damping = 100;
    mock_def def = touching(SP_IMPLICIT_EULER);
    make(&def, &c);
    for (int i = 0; i < 5; i++) b->q[SP_COMMITTED][3 * i + 1] = -9.81 * def.mass / 1e4;
    sp_edit e = sp_edit_default(SP_EDIT_POSE);
    e.body = floor_id;
    for (int k = 1; k <= 1500; k++) {
        e.pose.translate[0] = 1e-4 * k, e.pose.translate[1] = 2e-5 * k;
        sp_world_queue(w, &e);
        CHECK(sp_world_step(w, 0.001) == SP_OK);
    }
    // the floor moves by 0.1 m/s sideways and 0.02 m/s up; the initial oscillation is damped
    CHECK_NEAR(b->v[SP_COMMITTED][6], 0.1, 1e-6);
    CHECK_NEAR(b->v[SP_COMMITTED][7], 0.02, 1e-6);
    finish();
}

TEST(automatic_penalty_holds_a_falling_chain) {
    const sp_integrator_type types[] = {SP_IMPLICIT_EULER, SP_NEWTON, SP_EXPLICIT};
    for (int t = 0; t < 3; t++) {
        sp_contact_def c = sp_contact_def_default();
        mock_def def = touching(types[t]);
        make(&def, &c);
        for (int i = 0; i < 5; i++) b->q[SP_COMMITTED][3 * i + 1] = 0.05 + 0.01 * i;
        double low = 0, h = t == 2 ? 1e-3 : 0.01;
        for (int k = 0; k < 200; k++) {
            CHECK(sp_world_step(w, h) >= 0);
            for (int i = 0; i < 5; i++) low = fmin(low, b->q[SP_COMMITTED][3 * i + 1]);
        }
        // falling 0.09 m gives 1.3 m/s: no more than one step of that below the floor
        CHECK(low > -1.4 * h && low < 0);
        finish();
    }
}
