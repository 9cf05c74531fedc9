// The fast paths of the solid against slow ones: every backend against `ref`, assembled against matrix-free, both against a dense
// stiffness built from the textbook V B^T D B, for each material, rotation, shape and tangent.
#include "solid/solid.h"
#include "test.h"
#include "variants.h"

typedef struct bench {
    sp_context *ctx;
    sp_mesh *mesh;
    sp_error error;
    sp_body *body;
    sp_step step;
    int n;
} bench;

static bool make(bench *k, const variant *v, const char *backend, int cells) {
    *k = (bench){0};
    int count[3] = {2 * cells, cells, cells}, nodes[] = {0, 1, 2, 5};
    double size[3] = {1, 0.5, 0.4};
    sp_context_def cd = sp_context_def_default();
    cd.workers = 2;
    if (sp_context_create(&cd, &k->ctx) < 0 || sp_mesh_box(k->ctx, size, count, 6, &k->mesh) < 0) return false;
    sp_fix fix = {nodes, 4, SP_AXIS_X | SP_AXIS_Z, 0};
    sp_spring_def pull = {.at = {.elem = 3, .at = {0.2, 0.3, 0.4}}, .stiffness = 70, .damping = 3};
    for (int a = 0; a < 3; a++) pull.to[a] = sp_signal_constant(0.3 * a);
    sp_solid_def def = sp_solid_def_default();
    def.name = "block", def.mesh = k->mesh;
    use_variant(&def, v);
    def.material = (sp_material){.density = 800, .young = 2e3, .poisson = 0.35};
    def.rayleigh_mass = 0.2, def.rayleigh_stiffness = 0.03, def.drag = 5;
    def.fixes = &fix, def.fix_count = 1, def.springs = &pull, def.spring_count = 1;
    if (sp__solid_create(k->ctx, &k->error, &def, backend, &k->body) < 0) return false;
    k->n = k->body->nv;
    k->step = sp__step_default(0);
    k->step.gravity[1] = -9.81;
    return true;
}

static void drop(bench *k) {
    if (k->body) k->body->ops->destroy(k->body);
    sp_mesh_destroy(&k->mesh);
    sp_context_destroy(&k->ctx);
}

// the same deformed state for every backend, given in users' numbering; `wild` inverts elements
static void disturb(bench *k, double wild) {
    unsigned long long seed = 17;
    const double *x = sp_mesh_positions(k->mesh);
    double *q = calloc((size_t)k->n, sizeof *q), *v = calloc((size_t)k->n, sizeof *v);
    for (int i = 0; i < k->n; i++) q[i] = x[i] + wild * sp_test_random(&seed), v[i] = sp_test_random(&seed);
    k->body->ops->set_state(k->body, q, v);
    memcpy(k->body->q[SP_TRIAL], k->body->q[SP_COMMITTED], sizeof *q * (size_t)k->n);
    memcpy(k->body->v[SP_TRIAL], k->body->v[SP_COMMITTED], sizeof *v * (size_t)k->n);
    free(q), free(v);
    sp__loads_prescribe(k->body, &k->step);
    sp__loads_evaluate(k->body, &k->step, SP_CONTACT_TRIAL);
}

// inner array to users' numbering
static void to_user(const bench *k, const double *inner, double *user) {
    const sp_solid *s = sp__solid(k->body);
    for (int i = 0; i < s->nodes; i++) memcpy(user + 3 * s->user_node[i], inner + 3 * i, 3 * sizeof *user);
}

static double largest(const double *a, int n) {
    double m = 0;
    for (int i = 0; i < n; i++) m = fmax(m, fabs(a[i]));
    return m;
}

static double apart(const double *a, const double *b, int n) {
    double m = 0;
    for (int i = 0; i < n; i++) m = fmax(m, fabs(a[i] - b[i]));
    return m;
}

// force, energy, product and assembled product of a vector fixed in users' numbering
typedef struct answers {
    double *f, *Ax, *Bx, energy;
    bool has_energy;
} answers;

static answers ask(bench *k, double wild) {
    sp_body *b = k->body;
    size_t n = (size_t)k->n;
    answers a = {calloc(n, sizeof(double)), calloc(n, sizeof(double)), calloc(n, sizeof(double)), 0, false};
    double *x = calloc(n + 1, sizeof *x), *y = calloc(n + 1, sizeof *y);
    sp_system A;
    sp_blocks *blocks = NULL;
    sp_coef c = {1, 0.01, 1e-4};
    disturb(k, wild);
    CHECK(b->ops->evaluate(b, &k->step, SP_WANT_FORCE | SP_WANT_ENERGY) == SP_OK);
    CHECK(b->ops->linearise(b, &k->step, &A) == SP_OK);
    to_user(k, b->f, a.f);
    a.energy = b->energy, a.has_energy = b->caps & SP_CAP_ENERGY;
    const sp_solid *s = sp__solid(b);
    for (int i = 0; i < k->n; i++) x[i] = sin(1 + 3 * s->user_node[i / 3] + i % 3);
    double d1 = A.mul(A.o, c, x, y), dot = 0;
    for (int i = 0; i < k->n; i++) dot += x[i] * y[i];
    CHECK_NEAR(d1, dot, 1e-12 * fabs(dot));
    to_user(k, y, a.Ax);
    CHECK(A.make_pattern(A.o, k->ctx, &blocks) == SP_OK);
    CHECK(A.assemble(A.o, c, blocks) == SP_OK);
    sp__blocks_mul(blocks, x, y);
    to_user(k, y, a.Bx);
    sp__blocks_destroy(&blocks);
    free(x), free(y);
    return a;
}

static void forget(answers *a) {
    free(a->f), free(a->Ax), free(a->Bx);
}

TEST(every_backend_and_operator_agrees_with_the_reference) {
    // sums of some dozens of terms in another order, and rotations to rounding times their condition number in the wild state
    const double wilds[] = {0.02, 0.4}, tolerance[] = {1e-12, 1e-8};
    for (int v = 0; v < VARIANTS; v++)
        for (int w = 0; w < 2; w++) {
            bench r, k;
            REQUIRE(make(&r, &variants[v], "ref", 3));
            answers a = ask(&r, wilds[w]);
            CHECK(apart(a.Ax, a.Bx, r.n) <= 1e-12 * largest(a.Ax, r.n));
            const char *const others[] = {"cpu", "cpu-generic"};
            for (int o = 0; o < 2; o++) {
                REQUIRE(make(&k, &variants[v], others[o], 3));
                answers b = ask(&k, wilds[w]);
                if (!(apart(a.f, b.f, r.n) <= tolerance[w] * largest(a.f, r.n)) ||
                    !(apart(a.Ax, b.Ax, r.n) <= tolerance[w] * largest(a.Ax, r.n)) ||
                    !(apart(a.Ax, b.Bx, r.n) <= tolerance[w] * largest(a.Ax, r.n)))
                    SP_TEST_FAILED("%s on %s, disturbed by %g: force %g, product %g, assembled %g apart", variants[v].name,
                                   others[o], wilds[w], apart(a.f, b.f, r.n) / largest(a.f, r.n), apart(a.Ax, b.Ax, r.n),
                                   apart(a.Ax, b.Bx, r.n));
                // infinite where elements are inverted and the law has ln J
                if (a.has_energy && isinf(a.energy))
                    CHECK(b.energy == a.energy);
                else if (a.has_energy)
                    CHECK_NEAR(b.energy, a.energy, tolerance[w] * fabs(a.energy));
                forget(&b);
                drop(&k);
            }
            forget(&a);
            drop(&r);
        }
}

// ------------------------------------------------------------------------------------------------ one element, dense

// K = V B^T D B of the textbook (order xx yy zz xy yz zx, engineering shear)
static void dense_stiffness(const double x[4][3], double E, double nu, double K[12][12]) {
    double D[9], inv[9], B[6][12] = {{0}}, C[6][6] = {{0}};
    for (int i = 0; i < 3; i++)
        for (int a = 0; a < 3; a++) D[3 * i + a] = x[a + 1][i] - x[0][i];
    double V = sp__inverse3(D, inv) / 6, g[4][3];
    for (int k = 0; k < 3; k++) {
        for (int a = 0; a < 3; a++) g[a + 1][k] = inv[3 * a + k];
        g[0][k] = -(g[1][k] + g[2][k] + g[3][k]);
    }
    for (int a = 0; a < 4; a++) {
        double dx = g[a][0], dy = g[a][1], dz = g[a][2];
        B[0][3 * a] = dx, B[1][3 * a + 1] = dy, B[2][3 * a + 2] = dz;
        B[3][3 * a] = dy, B[3][3 * a + 1] = dx, B[4][3 * a + 1] = dz, B[4][3 * a + 2] = dy, B[5][3 * a] = dz,
                 B[5][3 * a + 2] = dx;
    }
    double lambda = E * nu / ((1 + nu) * (1 - 2 * nu)), mu = E / (2 * (1 + nu));
    for (int i = 0; i < 3; i++) {
        for (int j = 0; j < 3; j++) C[i][j] = lambda + (i == j ? 2 * mu : 0);
        C[3 + i][3 + i] = mu;
    }
    for (int p = 0; p < 12; p++)
        for (int q = 0; q < 12; q++) {
            double sum = 0;
            for (int i = 0; i < 6; i++)
                for (int j = 0; j < 6; j++) sum += B[i][p] * C[i][j] * B[j][q];
            K[p][q] = V * sum;
        }
}

TEST(one_element_equals_the_rotated_textbook_stiffness) {
    double x[4][3] = {{0.1, 0.2, -0.1}, {1.2, 0.1, 0.3}, {0.2, 1.1, 0.2}, {0.3, 0.4, 1.4}}, K[12][12];
    double turn[9], axis[3] = {1, -2, 0.5}, quat[4];
    int tet[4] = {0, 1, 2, 3};
    dense_stiffness((const double(*)[3])x, 5e3, 0.3, K);
    sp__quat_axis(axis, 1.1, quat);
    sp__quat_matrix(quat, turn);
    for (int v = 0; v < VARIANTS; v++) {
        if (variants[v].shape == SP_SHAPE_DEFORMED) continue;
        bench k = {0};
        REQUIRE(sp_context_create(NULL, &k.ctx) == SP_OK);
        sp_mesh_def md = sp_mesh_def_default();
        md.node_count = 4, md.positions = &x[0][0], md.element_count = 1, md.element_nodes = tet;
        REQUIRE(sp_mesh_create(k.ctx, &md, &k.mesh) == SP_OK);
        sp_solid_def def = sp_solid_def_default();
        def.mesh = k.mesh, def.material = (sp_material){.density = 1000, .young = 5e3, .poisson = 0.3};
        use_variant(&def, &variants[v]);
        REQUIRE(sp__solid_create(k.ctx, &k.error, &def, "cpu", &k.body) == SP_OK);
        k.n = 12;
        // rotated rigidly (except the linear material): no force, and K rotated
        double q[12];
        for (int a = 0; a < 4; a++) {
            if (variants[v].model == SP_LINEAR)
                memcpy(q + 3 * a, x[a], sizeof x[a]);
            else
                sp__mul3(turn, x[a], q + 3 * a);
        }
        k.body->ops->set_state(k.body, q, NULL);
        memcpy(k.body->q[SP_TRIAL], k.body->q[SP_COMMITTED], sizeof q);
        CHECK(k.body->ops->evaluate(k.body, &k.step, SP_WANT_FORCE) == SP_OK);
        // 1e-16 of a stiffness of 5e3 times some additions
        CHECK(largest(k.body->f, 12) < 1e-10);
        sp_system A;
        CHECK(k.body->ops->linearise(k.body, &k.step, &A) == SP_OK);
        const sp_solid *s = sp__solid(k.body);
        double worst = 0;
        for (int j = 0; j < 12; j++) {
            double e[13] = {0}, y[13];
            e[3 * s->inner_node[j / 3] + j % 3] = 1;
            A.mul_raw(A.o, (sp_coef){0, 0, 1}, e, y);
            for (int a = 0; a < 4; a++)
                for (int i = 0; i < 3; i++) {
                    double expected = 0;
                    // (Q K Q^T) of the pair of element nodes
                    for (int p = 0; p < 3; p++)
                        for (int r = 0; r < 3; r++) {
                            double qi = variants[v].model == SP_LINEAR ? (i == p) : turn[3 * i + p];
                            double qj = variants[v].model == SP_LINEAR ? (j % 3 == r) : turn[3 * (j % 3) + r];
                            expected += qi * K[3 * a + p][3 * (j / 3) + r] * qj;
                        }
                    worst = fmax(worst, fabs(y[3 * s->inner_node[a] + i] - expected));
                }
        }
        // compressed form against V B^T D B: 2e-13 relative
        CHECK_NEAR(worst / 5e3, 0, 1e-12);
        drop(&k);
    }
}

TEST(unreferenced_nodes_do_not_move) {
    double x[5][3] = {{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {0, 0, 1}, {9, 9, 9}};
    int tet[4] = {0, 1, 2, 3};
    bench k = {0};
    REQUIRE(sp_context_create(NULL, &k.ctx) == SP_OK);
    sp_mesh_def md = sp_mesh_def_default();
    md.node_count = 5, md.positions = &x[0][0], md.element_count = 1, md.element_nodes = tet;
    REQUIRE(sp_mesh_create(k.ctx, &md, &k.mesh) == SP_OK);
    sp_world *w;
    REQUIRE(sp_world_create(k.ctx, NULL, &w) == SP_OK);
    sp_solid_def def = sp_solid_def_default();
    def.mesh = k.mesh;
    sp_body_id id;
    REQUIRE(sp_world_add_solid(w, &def, &id) == SP_OK);
    REQUIRE(sp_world_step(w, 0.01) == SP_OK);
    double q[15];
    REQUIRE(sp_world_field(w, id, "position", q) == SP_OK);
    CHECK(q[12] == 9 && q[13] == 9 && q[14] == 9);
    CHECK_NEAR(q[1], -9.81e-4, 1e-15);
    sp_world_destroy(&w);
    drop(&k);
}

// One node in every element: its neighbours exceed a chunk of matrix rows, and a quadratic algorithm would take too long.
TEST(a_fan_of_many_elements_about_one_edge_steps) {
    enum { N = 150000 };
    double *x = malloc((N + 2) * 3 * sizeof *x);
    int *tets = malloc((size_t)N * 4 * sizeof *tets), held = 0;
    x[0] = x[1] = x[2] = x[3] = x[4] = 0, x[5] = 1;
    for (int i = 0; i < N; i++) {
        double a = 6.283185307179586 * i / N;
        const int tet[4] = {0, 2 + i, 2 + (i + 1) % N, 1};
        x[3 * (i + 2)] = cos(a), x[3 * (i + 2) + 1] = sin(a), x[3 * (i + 2) + 2] = 0;
        memcpy(tets + 4 * i, tet, sizeof tet);
    }
    bench k = {0};
    REQUIRE(sp_context_create(NULL, &k.ctx) == SP_OK);
    sp_mesh_def md = sp_mesh_def_default();
    md.node_count = N + 2, md.positions = x, md.element_count = N, md.element_nodes = tets;
    REQUIRE(sp_mesh_create(k.ctx, &md, &k.mesh) == SP_OK);
    sp_world *w;
    REQUIRE(sp_world_create(k.ctx, NULL, &w) == SP_OK);
    sp_solid_def def = sp_solid_def_default();
    sp_fix fix = {&held, 1, SP_AXES_ALL, 0};
    def.mesh = k.mesh, def.fixes = &fix, def.fix_count = 1, def.solver.tolerance = 0, def.solver.iterations = 3;
    sp_body_id id;
    REQUIRE(sp_world_add_solid(w, &def, &id) == SP_OK);
    CHECK(sp_world_step(w, 0.001) >= 0);
    sp_body_info info;
    CHECK(sp_world_body_info(w, id, &info) == SP_OK);
    CHECK(strstr(info.solve.solver, "matrix-free") != NULL);
    sp_world_destroy(&w);
    free(x), free(tets);
    drop(&k);
}

TEST(element_nodes_and_vertices_have_the_users_numbers) {
    bench k = {0};
    REQUIRE(sp_context_create(NULL, &k.ctx) == SP_OK);
    double size[3] = {1, 2, 3};
    int cells[3] = {5, 4, 3};
    REQUIRE(sp_mesh_box(k.ctx, size, cells, 6, &k.mesh) == SP_OK);
    sp_world *w;
    REQUIRE(sp_world_create(k.ctx, NULL, &w) == SP_OK);
    CHECK(sp_world_context(w) == k.ctx);
    CHECK(strcmp(sp_world_backend(w), "cpu") == 0 || strcmp(sp_world_backend(w), "cpu-generic") == 0);
    sp_solid_def def = sp_solid_def_default();
    def.mesh = k.mesh;
    sp_body_id id;
    REQUIRE(sp_world_add_solid(w, &def, &id) == SP_OK);
    int n = sp_mesh_element_count(k.mesh), *tets = malloc((size_t)n * 4 * sizeof *tets);
    sp_element_view view;
    CHECK(sp_world_elements(w, id, tets, &view) == SP_OK);
    CHECK(memcmp(tets, sp_mesh_tets(k.mesh), (size_t)n * 4 * sizeof *tets) == 0);
    free(tets);
    CHECK(sp_world_snapshot_acquire(w) == NULL);
    CHECK(sp_world_publish(w) == SP_OK);
    const sp_snapshot *snapshot = sp_world_snapshot_acquire(w);
    REQUIRE(snapshot);
    CHECK(snapshot->step == 0 && snapshot->body_count == 1);
    const sp_snapshot_surface *b = &snapshot->bodies[0].surfaces[0];
    for (int v = 0; v < b->vertex_count; v++)
        for (int a = 0; a < 3; a++) CHECK(b->positions[3 * v + a] == (float)sp_mesh_positions(k.mesh)[3 * b->nodes[v] + a]);
    sp_world_snapshot_release(w, snapshot);
    sp_world_destroy(&w);
    drop(&k);
}

// Parameters that a region does not set are those of the body, also after a change.
TEST(regions_inherit_unset_parameters) {
    bench k = {0};
    REQUIRE(sp_context_create(NULL, &k.ctx) == SP_OK);
    double size[3] = {2, 1, 1};
    int cells[3] = {2, 1, 1}, region[12];
    REQUIRE(sp_mesh_box(k.ctx, size, cells, 6, &k.mesh) == SP_OK);
    for (int e = 0; e < 12; e++) region[e] = e >= 6;
    sp_material soft = {.density = NAN, .young = 500, .poisson = NAN};
    sp_solid_def def = sp_solid_def_default();
    def.mesh = k.mesh, def.regions = &soft, def.region_count = 1, def.element_region = region;
    def.material = (sp_material){.density = 800, .young = 1000, .poisson = 0.2};
    REQUIRE(sp__solid_create(k.ctx, &k.error, &def, "cpu", &k.body) == SP_OK);
    sp_solid *s = sp__solid(k.body);
    sp_material m = sp__solid_material_of(s, s->slot_of[11]);
    CHECK(m.density == 800 && m.young == 500 && m.poisson == 0.2);
    s->region[0].poisson = 0.4, s->region[0].young = 2000;
    m = sp__solid_material_of(s, s->slot_of[11]);
    CHECK(m.young == 500 && m.poisson == 0.4);
    soft.young = -1;
    sp_body *refused;
    CHECK(sp__solid_create(k.ctx, &k.error, &def, "cpu", &refused) == SP_BAD_INPUT && refused == NULL);
    soft.young = 1;
    def.solver.type = SP_SOLVER_BLOCK_TRIDIAGONAL;  // a solver for chains only
    CHECK(sp__solid_create(k.ctx, &k.error, &def, "cpu", &refused) == SP_BAD_INPUT && refused == NULL);
    drop(&k);
}

// a force at a material point is that of its shares at the nodes of the element
TEST(a_force_at_an_anchor_is_shared_by_the_nodes_of_its_element) {
    static const double share[4] = {0.1, 0.2, 0.3, 0.4};
    double x[2][36];
    for (int way = 0; way < 2; way++) {
        sp_context *ctx;
        sp_world *w;
        sp_mesh *mesh;
        sp_body_id id;
        sp_world_def def = sp_world_def_default();
        sp_solid_def solid = sp_solid_def_default();
        REQUIRE(sp_context_create(NULL, &ctx) == SP_OK && sp_world_create(ctx, &def, &w) == SP_OK);
        REQUIRE(sp_mesh_box(ctx, (double[]){2, 1, 1}, (int[]){2, 1, 1}, 6, &mesh) == SP_OK);
        sp_load at = {.type = SP_LOAD_FORCE, .at = {.elem = 5, .at = {share[1], share[2], share[3]}}}, at_nodes[4];
        for (int a = 0; a < 3; a++) at.value[a] = sp_signal_constant(7 - 3 * a);
        for (int k = 0; k < 4; k++) {
            at_nodes[k] = (sp_load){.type = SP_LOAD_EACH, .items = sp_mesh_tets(mesh) + 4 * 5 + k, .count = 1};
            for (int a = 0; a < 3; a++) at_nodes[k].value[a] = sp_signal_constant(share[k] * (7 - 3 * a));
        }
        solid.mesh = mesh, solid.loads = way ? at_nodes : &at, solid.load_count = way ? 4 : 1;
        REQUIRE(sp_world_add_solid(w, &solid, &id) == SP_OK);
        for (int i = 0; i < 3; i++) CHECK(sp_world_step(w, 0.01) >= 0);
        CHECK(sp_world_field(w, id, "position", x[way]) == SP_OK);
        at.at.elem = 12;
        solid.loads = &at, solid.load_count = 1;
        CHECK_INT(sp_world_add_solid(w, &solid, &id), SP_BAD_INPUT);
        CHECK(strstr(sp_world_error(w)->message, "number 12, must be in [0, 11]"));
        at.at.elem = 5, at.at.at[1] = NAN;
        CHECK_INT(sp_world_add_solid(w, &solid, &id), SP_BAD_INPUT);
        sp_mesh_destroy(&mesh);
        sp_world_destroy(&w);
        sp_context_destroy(&ctx);
    }
    for (int i = 0; i < 36; i++) CHECK_NEAR(x[0][i], x[1][i], 1e-13);  // shares before or after the product
}
