// Claim: a soft body that touches itself is in contact as two bodies are.
//
// - W of contacts whose two sides are of one body is h J A^-1 J^T with rows that are differences of two material points: compared
//   with dense algebra
// - the arms of a clip in the shape of a C, pressed together by more than its gap, touch and stay apart; without `self` they pass
//   through each other
// - a free clip whose arms hit each other keeps its momentum: the forces of its contacts cancel (third law), and it gains no
// energy
// - a clip that starts folded into itself is reported, and unfolds over the next steps
// - the same arms with volumes, which overlap by their slack
#include "contact/constraints_internal.h"
#include "contact_lab.h"

enum { NX = 6, NY = 5, NZ = 2 };
static const double cell = 0.02;

// A C that is open to +x: its arms are two cells thick, the gap is one. The mesh is a box without the cells of the gap.
static sp_mesh *clip_mesh(sp_context *ctx) {
    sp_mesh *box = NULL, *out = NULL;
    sp_mesh_def def = sp_mesh_def_default();
    static int tets[4 * 5 * NX * NY * NZ], number[(NX + 1) * (NY + 1) * (NZ + 1)];
    static double x[3 * (NX + 1) * (NY + 1) * (NZ + 1)];
    const double size[3] = {NX * cell, NY * cell, NZ * cell};
    if (sp_mesh_box(ctx, size, (int[3]){NX, NY, NZ}, 5, &box) < 0) return NULL;
    for (int i = 0; i < sp_mesh_node_count(box); i++) number[i] = -1;
    for (int t = 0; t < sp_mesh_element_count(box); t++) {
        const int *c = sp_mesh_tets(box) + 4 * t;
        double middle[3] = {0};
        for (int k = 0; k < 4; k++) sp__axpy3(middle, 0.25, sp_mesh_positions(box) + 3 * c[k], middle);
        if (middle[0] > 2 * cell && middle[1] > 2 * cell && middle[1] < 3 * cell) continue;
        for (int k = 0; k < 4; k++) {
            if (number[c[k]] < 0) {
                memcpy(x + 3 * def.node_count, sp_mesh_positions(box) + 3 * c[k], 3 * sizeof *x);
                number[c[k]] = def.node_count++;
            }
            tets[4 * def.element_count + k] = number[c[k]];
        }
        def.element_count++;
    }
    def.positions = x, def.element_nodes = tets;
    if (sp_mesh_create(ctx, &def, &out) < 0) SP_TEST_FAILED("%s", sp_context_error(ctx)->message);
    sp_mesh_destroy(&box);
    return out;
}

static bool is_upper(const double *p) {
    return p[1] > 2.5 * cell && p[0] > 2.5 * cell;
}

typedef struct clip {
    contact_lab lab;
    sp_mesh *mesh;
    sp_body_id id;
    sp_body *body;
    double start[600], velocity[600];  // nullable in the definition: used where `moved`
} clip;

// force [N]: on the end of the upper arm, downwards; its lower face is fixed. 0: nothing holds it. down: the upper arm starts
// lower by so much, with this velocity
static bool clip_open_with(clip *c, sp_contact_def contact, bool self, double force, double down, double velocity) {
    static int low[100], high[100];
    sp_solid_def def = contact_soft(1000, 5e4, 0.3);
    int lows = 0, highs = 0;
    contact.self = self, contact.solver.tolerance = 1e-9;
    if (!contact_open(&c->lab, (double[3]){0}, &contact)) return false;
    c->mesh = clip_mesh(c->lab.ctx);
    for (int i = 0; c->mesh && i < sp_mesh_node_count(c->mesh) && i < 200; i++) {
        const double *p = sp_mesh_positions(c->mesh) + 3 * i;
        if (p[1] < 0.1 * cell) low[lows++] = i;
        if (p[1] > (NY - 0.1) * cell && p[0] > (NX - 1.1) * cell) high[highs++] = i;
        memcpy(c->start + 3 * i, p, 3 * sizeof *p), memset(c->velocity + 3 * i, 0, 3 * sizeof *p);
        if (is_upper(p)) c->start[3 * i + 1] -= down, c->velocity[3 * i + 1] = -velocity;
    }
    sp_fix fix = {low, lows, SP_AXES_ALL, 0};
    sp_load load = {.type = SP_LOAD_FORCE, .items = high, .count = highs};
    load.value[1] = sp_signal_constant(-force);
    def.mesh = c->mesh, def.initial = c->start, def.initial_velocity = c->velocity;
    def.rayleigh_stiffness = force > 0 || down > 0 ? 0.02 : 0;
    if (force > 0) def.fixes = &fix, def.fix_count = 1, def.loads = &load, def.load_count = 1;
    if (sp_world_add_solid(c->lab.world, &def, &c->id) < 0) {
        SP_TEST_FAILED("%s", sp_world_error(c->lab.world)->message);
        return false;
    }
    c->body = c->lab.world->bodies[0];
    return true;
}

static bool clip_open(clip *c, bool self, double force, double friction, double down, double velocity) {
    return clip_open_with(c, contact_exact(friction, 0), self, force, down, velocity);
}

static void clip_close(clip *c) {
    sp_mesh_destroy(&c->mesh);
    contact_close(&c->lab);
}

// height of the lowest node of the upper arm above the highest of the lower one, in the outer half of the gap
static double clip_gap(clip *c) {
    double least = INFINITY, most = -INFINITY, x[3];
    for (int i = 0; i < sp_mesh_node_count(c->mesh); i++) {
        const double *p = sp_mesh_positions(c->mesh) + 3 * i;
        sp_anchor a;
        if (p[0] < 4.5 * cell || p[1] < 1.9 * cell || p[1] > 3.1 * cell) continue;
        CHECK_INT(sp_world_anchor_node(c->lab.world, c->id, i, &a), SP_OK);
        CHECK_INT(sp_world_anchor_get(c->lab.world, &a, x, NULL), SP_OK);
        if (is_upper(p)) least = fmin(least, x[1]);
        if (!is_upper(p)) most = fmax(most, x[1]);
    }
    return least - most;
}

// ---------------------------------------------------------------------------------------------------- W

// dense A of the free motion, with unit rows for fixed unknowns
static void dense_system(const sp_body *b, double *A, double *e, double *y) {
    for (int j = 0; j < b->nv; j++) {
        memset(e, 0, (size_t)b->nv * sizeof *e);
        e[j] = 1;
        b->system.mul_raw(b->system.o, b->coef, e, y);
        for (int i = 0; i < b->nv; i++) A[i * b->nv + j] = b->fixed[i] || b->fixed[j] ? i == j : y[i];
    }
}

// A = L L^T in place, lower triangle
static void dense_factor(double *A, int n) {
    for (int j = 0; j < n; j++)
        for (int i = j; i < n; i++) {
            double sum = A[i * n + j];
            for (int k = 0; k < j; k++) sum -= A[i * n + k] * A[j * n + k];
            A[i * n + j] = i == j ? sqrt(sum) : sum / A[j * n + j];
        }
}

static void dense_forward(const double *L, int n, double *x) {
    for (int i = 0; i < n; i++) {
        for (int k = 0; k < i; k++) x[i] -= L[i * n + k] * x[k];
        x[i] /= L[i * n + i];
    }
}

// L^-1 J^T of one row: the difference of the material points of both sides along a direction
static void dense_row(const clip *c, const sp_constraint_contact *k, int d, const double *L, double *y) {
    sp_body *b = c->body;
    memset(y, 0, (size_t)b->nv * sizeof *y);
    for (int side = 0; side < 2; side++)
        for (int j = 0; j < k->anchor_count[side]; j++) {
            double f[3], sign = side ? -k->weight[side][j] : k->weight[side][j];
            for (int a = 0; a < 3; a++) f[a] = sign * k->frame[3 * d + a];
            b->ops->apply_transpose(b, SP_COMMITTED, 1, &k->anchor[side][j], f, y);
        }
    for (int i = 0; i < b->nv; i++)
        if (b->fixed[i]) y[i] = 0;
    dense_forward(L, b->nv, y);
}

TEST(w_of_a_body_that_touches_itself_as_dense_algebra) {
    clip c;
    enum { MOST = 12 };
    const double h = 0.01;
    sp_contact_problem p;
    if (!clip_open(&c, true, 10, 0.4, 0, 0)) return;
    for (int i = 0; i < 60 && sp_world_contact_count(c.lab.world) < 6; i++) CHECK(contact_steps(&c.lab, h, 1));
    const int n = c.body->nv, contacts = sp_world_contact_count(c.lab.world);
    REQUIRE(contacts >= 6 && sp_world_contact_problem(c.lab.world, &p) == SP_OK);
    CHECK_INT(p.contacts, contacts);
    double *A = malloc((size_t)(n * n) * sizeof *A), *Y = malloc((size_t)(3 * MOST * n + 2 * n) * sizeof *Y), worst = 0,
           scale = 0;
    dense_system(c.body, A, Y, Y + n);
    dense_factor(A, n);
    const int rows = 3 * (contacts < MOST ? contacts : MOST);
    for (int r = 0; r < rows; r++) dense_row(&c, &c.lab.world->constraints->last[r / 3], r % 3, A, Y + r * n);
    for (int r = 0; r < rows; r++)
        for (int q = p.start[r]; q < p.start[r + 1]; q++) {
            if (p.column[q] >= rows) continue;
            double w = 0;
            for (int i = 0; i < n; i++) w += Y[r * n + i] * Y[p.column[q] * n + i];
            worst = fmax(worst, fabs(h * w - p.value[q])), scale = fmax(scale, fabs(p.value[q]));
        }
    printf("  %d contacts, %d unknowns: W differs by %.2g of its largest number\n", contacts, n, worst / scale);
    CHECK(scale > 0);
    CHECK_NEAR(worst / scale, 0, 1e-11);  // two factorisations of a matrix with a condition of 1e3
    for (int i = 0; i < contacts; i++) {
        sp_contact_point t;
        CHECK_INT(sp_world_contact_at(c.lab.world, i, &t), SP_OK);
        CHECK(t.bodies[0].slot == c.id.slot && t.bodies[1].slot == c.id.slot);
    }
    free(A), free(Y);
    clip_close(&c);
}

// ---------------------------------------------------------------------------------------------------- arms

TEST(arms_touch_and_do_not_pass) {
    double gap[2], sum[3] = {0};
    for (int self = 0; self < 2; self++) {
        clip c;
        sp_contact_sum s;
        if (!clip_open(&c, self == 1, 10, 0.3, 0, 0)) return;
        CHECK(contact_steps(&c.lab, 0.01, 120));
        gap[self] = clip_gap(&c);
        CHECK_INT(sp_world_contact_sum(c.lab.world, c.id, &s), SP_OK);
        CHECK((s.count > 3) == (self == 1));
        if (self) {
            printf("  %d contacts, normal forces %.3g N, gap %.2g m, deepest %.2g m\n", s.count, s.normal, gap[1],
                   c.lab.penetration);
            CHECK(c.lab.penetration < 0.15 * cell);  // at the corners of the arms, whose sides bulge
            // the force of 10 N goes through the contacts and the back of the clip
            CHECK(s.normal > 5);
            for (int a = 0; a < 3; a++) sum[a] = s.force[a];
        }
        clip_close(&c);
    }
    printf("  without self: gap %.2g m\n", gap[0]);
    CHECK(gap[0] < -2 * cell);
    // the end of the upper arm is inclined, and lower than the highest node of the other
    CHECK(gap[1] > -0.5 * cell);
    for (int a = 0; a < 3; a++) CHECK(sum[a] == 0);
}

TEST(momentum_is_kept) {
    clip c;
    if (!clip_open(&c, true, 0, 0.5, 0, 3)) return;
    sp_body_measures before = contact_measures(&c.lab, c.id), now = before;
    int touched = 0;
    double most = before.kinetic + before.elastic, drift = 0, size = sp__norm3(before.momentum);
    for (int i = 0; i < 60; i++) {
        CHECK(contact_steps(&c.lab, 0.002, 1));
        touched += sp_world_contact_count(c.lab.world) > 0;
        now = contact_measures(&c.lab, c.id);
        double d[3];
        sp__sub3(now.momentum, before.momentum, d);
        drift = fmax(drift, sp__norm3(d));
        CHECK(now.kinetic + now.elastic < most * (1 + 1e-9));
    }
    printf("  %d of 60 steps with contacts, momentum drifts by %.2g of itself, energy %.3g of %.3g J\n", touched, drift / size,
           now.kinetic + now.elastic, most);
    CHECK(touched > 5);
    CHECK_NEAR(drift / size, 0, 1e-9);  // rounding of 60 steps; the tolerance of the solver does not matter
    clip_close(&c);
}

// The arm starts 5 mm, a quarter of an edge, below the surface of the other.
TEST(a_folded_start_is_reported_and_unfolds) {
    clip c;
    sp_event e;
    int reported = 0;
    if (!clip_open(&c, true, 0, 0, cell + 0.005, 0)) return;
    CHECK(contact_steps(&c.lab, 0.01, 1));
    for (int i = 0; sp_world_event_at(c.lab.world, i, &e) == SP_OK; i++) reported += strstr(e.text, "intersects itself") != NULL;
    CHECK_INT(reported, 1);
    CHECK(sp_world_contact_count(c.lab.world) > 0);
    CHECK(contact_steps(&c.lab, 0.01, 60));
    double gap = clip_gap(&c);
    printf("  gap %.3g m at the end\n", gap);
    CHECK(gap > 0.5 * cell);  // its own elasticity opens it
    clip_close(&c);
}

// ---------------------------------------------------------------------------------------------------- volumes

// As with contacts at a distance, on which the force is the same. Twice the force makes the narrow arm slip off sideways: a patch
// of few rays has a normal with an error of some degrees.
TEST(arms_touch_with_volumes) {
    const double pixel = 0.125 * cell, load = 6;
    double gap[3], normal[3];
    for (int k = 0; k < 3; k++) {
        clip c;
        sp_contact_sum s;
        const sp_contact_def contact = k == 2 ? contact_exact(0.3, 0) : contact_volume(0.3, pixel, 8);
        if (!clip_open_with(&c, contact, k > 0, load, 0, 0)) return;
        CHECK(contact_steps(&c.lab, 0.01, 80));
        CHECK_INT(sp_world_contact_sum(c.lab.world, c.id, &s), SP_OK);
        CHECK((s.count > 0) == (k > 0));
        for (int a = 0; a < 3; a++) CHECK(s.force[a] == 0);
        gap[k] = clip_gap(&c), normal[k] = s.normal;
        printf("  %s: %d contacts, normal forces %.4g N, gap %.3g m\n",
               k == 0   ? "no self-contact"
               : k == 1 ? "volumes"
                        : "distances",
               s.count, s.normal, gap[k]);
        clip_close(&c);
    }
    CHECK(gap[0] < -2 * cell);
    CHECK_NEAR(normal[1], normal[2], 0.1 * normal[2]);  // the overlap moves the point of contact along the arm
    CHECK_NEAR(gap[1], gap[2], 2 * pixel);              // the slack, and the wedge between inclined arms
}

TEST(momentum_is_kept_with_volumes) {
    clip c;
    if (!clip_open_with(&c, contact_volume(0.5, 0.25 * cell, 8), true, 0, 0, 3)) return;
    sp_body_measures before = contact_measures(&c.lab, c.id), now = before;
    int touched = 0;
    double most = before.kinetic + before.elastic, drift = 0, size = sp__norm3(before.momentum);
    for (int i = 0; i < 60; i++) {
        CHECK(contact_steps(&c.lab, 0.002, 1));
        touched += sp_world_contact_count(c.lab.world) > 0;
        now = contact_measures(&c.lab, c.id);
        double d[3];
        sp__sub3(now.momentum, before.momentum, d);
        drift = fmax(drift, sp__norm3(d));
        CHECK(now.kinetic + now.elastic < most * (1 + 1e-9));
    }
    printf("  %d of 60 steps with contacts, momentum drifts by %.2g of itself, energy %.3g of %.3g J\n", touched, drift / size,
           now.kinetic + now.elastic, most);
    CHECK(touched > 5);
    CHECK_NEAR(drift / size, 0, 1e-9);  // rounding
    clip_close(&c);
}
