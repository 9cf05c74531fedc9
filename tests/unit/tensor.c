// The tensor-mass element at one point (kernels/tensor.h): its closed forms are the general kernel of the same laws, their
// derivatives are exact, and the sums of nodes are those of the example of Faure, Zara, Jaillet, Moreau 2012.
#include "law_help.h"
// after the number of lanes
#include "backend/backend.h"
#include "kernels/tensor.h"

typedef struct kind_case {
    const char *name;
    tensor_kind kind;
    sp_law law;
    double p[SP_LAW_PARAMS];
} kind_case;
static const kind_case cases[] = {
    {"hooke", {4, 1, 0}, SP_LAW_LINEAR, {1000, 1500}},
    {"stvk", {4, 0, 0}, SP_LAW_STVK, {1000, 1500}},
    {"stvk, penalty", {4, 0, 1}, SP_LAW_STVK, {1000, 1500, [8] = 4000, 1}},
    {"hooke, membrane", {3, 1, 0}, SP_LAW_LINEAR, {1000, 1500}},
    {"stvk, membrane", {3, 0, 0}, SP_LAW_STVK, {1000, 1500}},
};
enum { CASES = sizeof cases / sizeof *cases, NUMBERS = 9, VOLUME = 2 };

// An element with rest gradients, and what a kernel makes of it; forces of nodes 1.. and a product with a vector
typedef struct element {
    const kind_case *c;
    double slope[NUMBERS];
} element;
typedef struct result {
    double energy, f[NUMBERS], product[NUMBERS], g[NUMBERS], T[TENSOR_NUMBERS];
} result;

static int unknowns(const element *e) {
    return 3 * (e->c->kind.nodes - 1);
}

static void random_vector(int n, unsigned long long *seed, double size, double *x) {
    for (int k = 0; k < n; k++) x[k] = size * sp_test_random(seed);
}

// the dual basis of random edges, in their plane for a triangle; angles are not small
static void random_element(const kind_case *c, unsigned long long *seed, element *e) {
    double x[9], cof[9], det, size;
    e->c = c;
    do {
        random_vector(9, seed, 1, x);
        if (c->kind.nodes == 3) {
            lane_cross(x, x + 3, x + 6);
            size = sqrt(lane_dot(x + 6, x + 6));
            for (int k = 6; k < 9; k++) x[k] /= size;
        }
        det = lane_cofactor(x, cof), size = 1;
        for (int a = 0; a < c->kind.nodes - 1; a++) size *= sqrt(lane_dot(x + 3 * a, x + 3 * a));
    } while (fabs(det) < 0.2 * size);
    for (int k = 0; k < unknowns(e); k++) e->slope[k] = cof[k] / det;
}

static void closed_forms(const element *e, int definite, const double *d, const double *x, result *out) {
    double f[NUMBERS];
    out->energy = tensor_state(e->c->kind, definite, e->c->p, e->slope, VOLUME, d, out->g, out->T, f);
    for (int k = 0; k < unknowns(e); k++) out->f[k] = f[k];
    tensor_product(e->c->kind, out->T, out->g, x, out->product);
}

// by stretches and principal axes; returns the stretch of the thickness of a membrane
static double general(const element *e, const double *d, const double *x, result *out) {
    const int nodes = e->c->kind.nodes;
    double H[9], P[9], T[SP_ISO_TANGENT], turned[NUMBERS], t[3] = {0};
    iso_response r;
    iso_gradient(nodes, d, e->slope, H);
    if (nodes == 3)
        membrane_respond(e->c->law, 0, e->c->p, e->slope, H, t, &r);
    else
        iso_respond(e->c->law, 0, e->c->p, H, &r);
    for (int a = 0; a < unknowns(e); a += 3) iso_turn(r.V, e->slope + a, turned + a);
    for (int k = 0; k < unknowns(e); k++) out->f[k] = out->product[k] = 0;
    iso_tangent(&r, VOLUME, T);
    iso_stress(&r, -VOLUME, P);
    iso_spread(nodes, P, turned, out->f);
    iso_product(nodes, T, turned, x, out->product);
    out->energy = r.law.energy;
    return 1 + t[2];
}

static double distance(const double *a, const double *b, int n) {
    double most = 0;
    for (int k = 0; k < n; k++) most = fmax(most, fabs(a[k] - b[k]));
    return most;
}

// Displacements up to the size of the element, some of them inverted; the general kernel divides by differences of stretches, so
// some hundred roundings of the largest numbers. A membrane whose thickness has vanished has another energy in the general
// kernel.
TEST(closed_forms_are_the_general_kernel) {
    unsigned long long seed = 1;
    for (int n = 0; n < CASES; n++) {
        int compared = 0;
        for (int t = 0; t < 300; t++) {
            element e;
            double d[NUMBERS], x[NUMBERS];
            result a, b;
            random_element(&cases[n], &seed, &e);
            random_vector(9, &seed, t % 3 ? 0.3 : 1, d), random_vector(9, &seed, 1, x);
            closed_forms(&e, 0, d, x, &a);
            bool thin = general(&e, d, x, &b) < 0.01;
            if (thin && cases[n].law == SP_LAW_STVK) continue;
            CHECK_NEAR(a.energy, b.energy, 1e-12 * b.energy);
            CHECK_NEAR(distance(a.f, b.f, unknowns(&e)), 0, 1e-11 * law_size(b.f, unknowns(&e)));
            CHECK_NEAR(distance(a.product, b.product, unknowns(&e)), 0, 1e-11 * law_size(b.product, unknowns(&e)));
            compared++;
        }
        CHECK(compared > 100);
    }
}

// Energies are polynomials of degree 4, with a penalty 6: the formula with seven points has no error but rounding, whatever the
// distance of the points.
TEST(forces_and_products_are_derivatives_of_polynomials) {
    static const double at[6] = {-3, -2, -1, 1, 2, 3}, weight[6] = {-1, 9, -45, 45, -9, 1};
    const double h = 0.05;
    unsigned long long seed = 2;
    for (int n = 0; n < CASES; n++)
        for (int t = 0; t < 50; t++) {
            element e;
            double d[NUMBERS], x[NUMBERS], moved[NUMBERS], slope = 0, change[NUMBERS] = {0}, power = 0, size = 0;
            result here, there;
            random_element(&cases[n], &seed, &e);
            random_vector(9, &seed, 0.5, d), random_vector(9, &seed, 1, x);
            closed_forms(&e, 0, d, x, &here);
            for (int i = 0; i < 6; i++) {
                for (int k = 0; k < 9; k++) moved[k] = d[k] + at[i] * h * x[k];
                closed_forms(&e, 0, moved, x, &there);
                slope += weight[i] * VOLUME * there.energy / (60 * h), size = fmax(size, fabs(VOLUME * there.energy / h));
                for (int k = 0; k < unknowns(&e); k++) change[k] -= weight[i] * there.f[k] / (60 * h);
                size = fmax(size, law_size(there.f, unknowns(&e)) / h);
            }
            for (int k = 0; k < unknowns(&e); k++) power -= here.f[k] * x[k];
            CHECK_NEAR(slope, power, 1e-13 * size);
            CHECK_NEAR(distance(change, here.product, unknowns(&e)), 0, 1e-13 * size);
        }
}

// The block of two nodes is dF_a/dU_b of the paper; node 0 is at rest here.
TEST(blocks_are_the_product) {
    unsigned long long seed = 3;
    for (int n = 0; n < CASES; n++)
        for (int t = 0; t < 20; t++) {
            element e;
            double d[NUMBERS], x[NUMBERS], B[9], sum[NUMBERS] = {0};
            result r;
            random_element(&cases[n], &seed, &e);
            random_vector(9, &seed, 0.5, d), random_vector(9, &seed, 1, x);
            closed_forms(&e, t % 2, d, x, &r);
            tensor_left(cases[n].kind.nodes, r.T, B);
            for (int a = 0; a < unknowns(&e); a += 3)
                for (int b = 0; b < unknowns(&e); b += 3) {
                    double K[9] = {0};
                    tensor_block(cases[n].kind, r.T, B, r.g + a, r.g + b, K);
                    for (int k = 0; k < 9; k++) sum[a + k / 3] += K[k] * x[b + k % 3];
                }
            CHECK_NEAR(distance(sum, r.product, unknowns(&e)), 0, 1e-13 * law_size(r.T, TENSOR_NUMBERS) * 1e2);
        }
}

// A rotation turns the forces of St Venant-Kirchhoff, and alone makes none: some roundings of the moduli, 5 kPa times the volume
// times gradients up to 30 per metre.
TEST(forces_turn_with_the_element) {
    unsigned long long seed = 4;
    for (int n = 0; n < CASES; n++)
        for (int t = 0; t < 50 && !cases[n].kind.hooke; t++) {
            element e;
            double A[9], R[9], d[NUMBERS] = {0}, turned[NUMBERS] = {0}, x[NUMBERS] = {0}, edge[NUMBERS], cof[9], all[9];
            result still, moved;
            random_element(&cases[n], &seed, &e);
            random_vector(9, &seed, 1, A);
            rotation_svd(A, R);
            // edges: the dual basis of the gradients
            memcpy(all, e.slope, sizeof all);
            if (cases[n].kind.nodes == 3) {
                double normal[3];
                lane_cross(all, all + 3, normal);
                for (int k = 0; k < 3; k++) all[6 + k] = normal[k] / sqrt(lane_dot(normal, normal));
            }
            double det = lane_cofactor(all, cof);
            for (int k = 0; k < 9; k++) edge[k] = cof[k] / det;
            for (int rigid = 0; rigid < 2; rigid++) {
                random_vector(unknowns(&e), &seed, rigid ? 0 : 0.5, d);
                for (int k = 0; k < unknowns(&e); k++) {
                    const double now[3] = {edge[k - k % 3] + d[k - k % 3], edge[k - k % 3 + 1] + d[k - k % 3 + 1],
                                           edge[k - k % 3 + 2] + d[k - k % 3 + 2]};
                    turned[k] = lane_dot(R + k % 3 * 3, now) - edge[k];
                }
                closed_forms(&e, 0, d, x, &still), closed_forms(&e, 0, turned, x, &moved);
                double unit = 1e4 * VOLUME * law_size(e.slope, unknowns(&e)) * (1 + law_size(still.T, 9));
                for (int k = 0; k < unknowns(&e); k++)
                    CHECK_NEAR(moved.f[k], lane_dot(R + k % 3 * 3, still.f + k - k % 3), 1e-13 * unit);
                CHECK_NEAR(moved.energy, still.energy, 1e-13 * (unit + still.energy));
            }
        }
}

// At a strain of 1e-9 the laws differ by a part of 1e-9 of the force; an error of rounding of the positions would be 1e-7 of it.
TEST(small_strains_keep_their_digits) {
    unsigned long long seed = 5;
    for (int t = 0; t < 50; t++)
        for (int nodes = 3; nodes < 5; nodes++) {
            const kind_case *linear = &cases[nodes == 3 ? 3 : 0], *stvk = &cases[nodes == 3 ? 4 : 1];
            element e;
            double d[NUMBERS], x[NUMBERS];
            result a, b;
            random_element(linear, &seed, &e);
            random_vector(9, &seed, 1e-9, d), random_vector(9, &seed, 1, x);
            closed_forms(&e, 0, d, x, &a);
            e.c = stvk;
            closed_forms(&e, 0, d, x, &b);
            double strain = 1e-9 * law_size(e.slope, unknowns(&e));
            CHECK(law_size(a.f, unknowns(&e)) > 0);
            CHECK_NEAR(distance(a.f, b.f, unknowns(&e)), 0, 1e2 * strain * law_size(a.f, unknowns(&e)));
        }
}

// Cholesky's factor of K + shift I exists
static bool factors(int n, double *K, double shift) {
    for (int i = 0; i < n; i++) {
        for (int j = 0; j <= i; j++) {
            double sum = K[9 * i + j] + (i == j ? shift : 0);
            for (int k = 0; k < j; k++) sum -= K[9 * i + k] * K[9 * j + k];
            if (i == j && !(sum > 0)) return false;
            K[9 * i + j] = i == j ? sqrt(sum) : sum / K[9 * j + j];
        }
    }
    return true;
}

static void tangent_matrix(const element *e, const result *r, double *K) {
    double B[9], block[9];
    tensor_left(e->c->kind.nodes, r->T, B);
    for (int a = 0; a < unknowns(e); a += 3)
        for (int b = 0; b < unknowns(e); b += 3) {
            memset(block, 0, sizeof block);
            tensor_block(e->c->kind, r->T, B, r->g + a, r->g + b, block);
            for (int k = 0; k < 9; k++) K[9 * (a + k / 3) + b + k % 3] = block[k];
        }
}

// The definite tangent has no negative eigenvalue beyond rounding, also where the exact one has; under tension they are equal.
TEST(definite_tangents) {
    unsigned long long seed = 6;
    for (int n = 0; n < CASES; n++) {
        int indefinite = 0, equal = 0;
        for (int t = 0; t < 300; t++) {
            element e;
            double d[NUMBERS], x[NUMBERS], K[81];
            result exact, definite;
            random_element(&cases[n], &seed, &e);
            random_vector(9, &seed, t % 2 ? 0.2 : 0.8, d), random_vector(9, &seed, 1, x);
            closed_forms(&e, 0, d, x, &exact), closed_forms(&e, 1, d, x, &definite);
            tangent_matrix(&e, &definite, K);
            const double rounding = 1e-12 * law_size(K, 9 * unknowns(&e));
            CHECK(factors(unknowns(&e), K, rounding));
            tangent_matrix(&e, &exact, K);
            indefinite += !factors(unknowns(&e), K, rounding);
            equal += memcmp(exact.T, definite.T, SP_ISO_TANGENT_TENSOR * sizeof *exact.T) == 0;
            CHECK(distance(exact.f, definite.f, unknowns(&e)) == 0);
        }
        CHECK(cases[n].kind.hooke ? equal == 300 && !indefinite : indefinite > 30 && equal > 10 && equal < 300);
    }
}

// ------------------------------------------------------------------------------------------------ gather

// The example of the paper: two tetrahedra of five nodes, [0 1 2 3] and [3 2 4 1]. Each writes the contributions of its nodes to
// slots of its own; a second pass adds the slots of a node in the order of the elements.
static double contribute(const void *data, int chunk, const double *x, double *y) {
    static const double partial[2][4] = {{-2, 2, 3, 2}, {1, -1, 2, 4}};
    (void)data, (void)x;
    for (int a = 0; a < 4; a++) y[4 * a] = partial[chunk][a], y[4 * a + 1] = 10 * partial[chunk][a];
    return 0;
}

TEST(gather_of_two_tetrahedra) {
    static const int start[3] = {0, 4, 8}, node[8] = {0, 1, 2, 3, 3, 2, 4, 1};
    static const double total[5] = {-2, 6, 2, 3, 2};
    static const int slots[5][2] = {{0, -1}, {1, 7}, {2, 5}, {3, 4}, {6, -1}};
    static const char *const names[] = {"ref", "cpu", "cpu-generic"};
    for (int b = 0; b < 3; b++) {
        const sp_backend *be = sp__backend_find(names[b]);
        sp_context *ctx;
        sp_chunks c;
        double x[16] = {0}, *scratch;
        REQUIRE(sp_context_create(NULL, &ctx) == SP_OK);
        REQUIRE(sp__chunks_build(ctx, &c, 5, 2, start, node) == SP_OK);
        REQUIRE(SP_NEW(ctx, scratch, sp__chunks_scratch(ctx, &c)));
        sp__chunks_run(ctx, be, &c, contribute, NULL, x, NULL, true, scratch);
        for (int i = 0; i < 5; i++) {
            double sum[3];
            sp__chunks_sum(&c, i, sum);
            CHECK(sum[0] == total[i] && sum[1] == 10 * total[i] && sum[2] == 0);
            CHECK_INT(c.slot_start[i + 1] - c.slot_start[i], slots[i][1] < 0 ? 1 : 2);
            for (int k = 0; k < c.slot_start[i + 1] - c.slot_start[i]; k++) CHECK_INT(c.slot[c.slot_start[i] + k], slots[i][k]);
        }
        sp__free(ctx, scratch);
        sp__chunks_free(ctx, &c);
        sp_context_destroy(&ctx);
    }
}
