// Rotations of elements and nodes: exact where the whole body rotates, a mean where it bends, the identity without stiffness.
#include "solid/solid.h"
#include "test.h"
#include "variants.h"

typedef struct bench {
    sp_context *ctx;
    sp_mesh *mesh;
    sp_error error;
    sp_body *body;
    double *R;  // of the nodes
} bench;

static bool make(bench *k, const variant *v, const char *backend, int workers, double young) {
    *k = (bench){0};
    int count[3] = {4, 2, 2};
    double size[3] = {1, 0.5, 0.4};
    sp_context_def cd = sp_context_def_default();
    cd.workers = workers;
    if (sp_context_create(&cd, &k->ctx) < 0 || sp_mesh_box(k->ctx, size, count, 6, &k->mesh) < 0) return false;
    sp_solid_def def = sp_solid_def_default();
    def.name = "block", def.mesh = k->mesh;
    use_variant(&def, v);
    def.material = (sp_material){.density = 800, .young = young, .poisson = 0.35};
    if (sp__solid_create(k->ctx, &k->error, &def, backend, &k->body) < 0) return false;
    return (k->R = calloc(9 * (size_t)sp_mesh_node_count(k->mesh), sizeof *k->R)) != NULL;
}

static void drop(bench *k) {
    free(k->R);
    if (k->body) k->body->ops->destroy(k->body);
    sp_mesh_destroy(&k->mesh);
    sp_context_destroy(&k->ctx);
}

// x = M(X) X at every node, and the resulting rotations
static void turn(bench *k, void (*matrix)(const double *X, double *M)) {
    int n = k->body->nv;
    const double *X = sp_mesh_positions(k->mesh);
    double *x = calloc((size_t)n, sizeof *x);
    for (int i = 0; i < n; i += 3) {
        double M[9];
        matrix(X + i, M);
        sp__mul3(M, X + i, x + i);
    }
    k->body->ops->set_state(k->body, x, NULL);
    memcpy(k->body->q[SP_TRIAL], k->body->q[SP_COMMITTED], sizeof *x * (size_t)n);
    free(x);
    sp_system A;
    const sp_step step = sp__step_default(0);
    CHECK(k->body->ops->evaluate(k->body, &step, SP_WANT_FORCE) == SP_OK);
    CHECK(k->body->ops->linearise(k->body, &step, &A) == SP_OK);
    CHECK(A.node_rotations(A.o, k->R) == SP_OK);
}

static void about(const double axis[3], double angle, double *M) {
    double q[4] = {cos(angle / 2)}, length = sp__norm3(axis);
    for (int a = 0; a < 3; a++) q[a + 1] = sin(angle / 2) * axis[a] / length;
    sp__quat_matrix(q, M);
}

static void rigid(const double *X, double *M) {
    (void)X;
    about((double[]){1, -2, 0.5}, 2.1, M);
}

// a rotation that grows along x, and a stretch without rotation
static void twist(const double *X, double *M) {
    about((double[]){1, 0, 0}, 0.8 * X[0], M);
}

static void stretch(const double *X, double *M) {
    (void)X;
    double S[9] = {1.3, 0.1, 0, 0.1, 0.8, 0.05, 0, 0.05, 1.1};
    memcpy(M, S, sizeof S);
}

static double off(const double *R, const double *M) {
    double worst = 0;
    for (int k = 0; k < 9; k++) worst = fmax(worst, fabs(R[k] - M[k]));
    return worst;
}

static double not_orthogonal(const double *R) {
    double worst = fabs(sp__det3(R) - 1);
    for (int a = 0; a < 3; a++)
        for (int b = 0; b < 3; b++) worst = fmax(worst, fabs(sp__dot3(R + 3 * a, R + 3 * b) - (a == b)));
    return worst;
}

static void identity(const double *X, double *M) {
    (void)X;
    for (int k = 0; k < 9; k++) M[k] = k % 4 == 0;
}

TEST(a_rigid_rotation_is_exact_for_every_material_and_backend) {
    static const char *const backends[] = {"ref", "cpu"};
    for (int b = 0; b < 2; b++)
        for (int v = 0; v < VARIANTS; v++) {
            bench k;
            double M[9];
            REQUIRE(make(&k, &variants[v], backends[b], 2, 2e3));
            turn(&k, rigid);
            (variants[v].model == SP_LINEAR ? identity : rigid)(NULL, M);
            // some dozens of roundings, and edges an eighth of the coordinates whose differences they are
            for (int i = 0; i < sp_mesh_node_count(k.mesh); i++) CHECK_NEAR(off(k.R + 9 * i, M), 0, 1e-13);
            drop(&k);
        }
}

TEST(a_pure_stretch_has_no_rotation) {
    bench k;
    double I[9];
    REQUIRE(make(&k, &variants[1], "cpu", 2, 2e3));
    turn(&k, stretch);
    identity(NULL, I);
    for (int i = 0; i < sp_mesh_node_count(k.mesh); i++) CHECK_NEAR(off(k.R + 9 * i, I), 0, 1e-13);  // as above
    drop(&k);
}

TEST(nodes_follow_a_twist_within_the_size_of_an_element) {
    bench k;
    REQUIRE(make(&k, &variants[1], "cpu", 2, 2e3));
    turn(&k, twist);
    const sp_solid *s = sp__solid(k.body);
    for (int i = 0; i < s->nodes; i++) {
        double M[9];
        twist(s->rest + 3 * i, M);
        // an end node has elements on one side only: half a cell of 0.25 m at 0.8 rad/m, and the shear of elements off the axis
        CHECK(off(k.R + 9 * i, M) < 0.8 * 0.25);
        CHECK_NEAR(not_orthogonal(k.R + 9 * i), 0, 1e-14);
    }
    drop(&k);
}

TEST(without_stiffness_rotations_are_the_identity) {
    bench k;
    double I[9];
    REQUIRE(make(&k, &variants[1], "cpu", 1, 0));
    turn(&k, rigid);
    identity(NULL, I);
    for (int i = 0; i < sp_mesh_node_count(k.mesh); i++) CHECK_NEAR(off(k.R + 9 * i, I), 0, 0);
    drop(&k);
}

TEST(same_bits_for_any_number_of_workers) {
    bench one, many;
    REQUIRE(make(&one, &variants[1], "cpu", 1, 2e3) && make(&many, &variants[1], "cpu", 7, 2e3));
    turn(&one, twist), turn(&many, twist);
    CHECK(memcmp(one.R, many.R, 9 * (size_t)sp_mesh_node_count(one.mesh) * sizeof(double)) == 0);
    drop(&one), drop(&many);
}
