// Mass-spring elements: forces are the derivative of the energy, products those of the forces, the assembled matrix is the
// product, the definite tangent has no negative eigenvalue, and a cube is isotropic.
#include "backend/springs.h"
#include "math/vec3.h"
#include "test.h"

enum { TYPES = 4, VOLUMES = 3, MOST = 10 };  // triangles come last
static const sp_element_type types[TYPES] = {SP_ELEMENT_TET4, SP_ELEMENT_TET10, SP_ELEMENT_HEX8, SP_ELEMENT_TRI3};

typedef struct one {
    sp_springs g;
    int start[2];
    uint16_t local[MOST];
    double rest[3 * MOST], length[SP_SPRINGS_MOST], volume[1], stiffness[1], state[SP_SPRINGS_MOST * SP_SPRING_STATE];
} one;

// an element of the regular shape, moved by `by`
static void make(one *o, sp_element_type type, double by, bool definite) {
    unsigned long long seed = 9;
    const sp_spring_pattern *p = sp__spring_pattern(type);
    *o = (one){.start = {0, 1}, .volume = {1}, .stiffness = {40}};
    o->g = (sp_springs){p, sp_element_nodes(type), definite, o->start, o->local, o->length, o->volume, o->stiffness, o->state};
    for (int a = 0; a < o->g.nodes; a++) {
        sp_element_natural(type, a, o->rest + 3 * a);
        for (int k = 0; k < 3; k++) o->rest[3 * a + k] += by * sp_test_random(&seed);
        o->local[a] = (uint16_t)a;
    }
    for (int i = 0; i < p->count; i++) {
        double d[3];
        sp__sub3(o->rest + 3 * p->pair[i][1], o->rest + 3 * p->pair[i][0], d);
        o->length[i] = sp__norm3(d);
    }
}

static void place(const one *o, const double *u, double factor, const double *w, double *x) {
    for (int a = 0; a < o->g.nodes; a++)
        for (int k = 0; k < 3; k++) x[4 * a + k] = o->rest[3 * a + k] + u[4 * a + k] + factor * w[4 * a + k];
}

static void random_nodes(double *x, double size, unsigned long long seed) {
    for (int i = 0; i < 4 * MOST; i++) x[i] = i % 4 == 3 ? 0 : size * sp_test_random(&seed);
}

static double dot(const double *a, const double *b) {
    double sum = 0;
    for (int i = 0; i < 4 * MOST; i++) sum += a[i] * b[i];
    return sum;
}

static void assembled_product(const one *o, const double *w, double *y) {
    const int n = o->g.nodes, pairs = n * (n + 1) / 2, block = 0;
    int at[SP_ISO_PAIRS_MAX], a, b;
    double K[9 * SP_ISO_PAIRS_MAX] = {0};
    for (int k = 0; k < pairs; k++) at[k] = 2 * k;
    const sp_stencil where = {1, &block, at};
    sp__springs_assemble(&o->g, &where, 1, K);
    for (int i = 0; i < 4 * MOST; i++) y[i] = 0;
    for (int k = 0; k < pairs; k++) {
        sp__pairs(n, k, &a, &b);
        for (int i = 0; i < 9; i++) {
            y[4 * a + i / 3] += K[9 * k + i] * w[4 * b + i % 3];
            if (a != b) y[4 * b + i % 3] += K[9 * k + i] * w[4 * a + i / 3];
        }
    }
}

TEST(forces_and_products_are_derivatives) {
    for (int t = 0; t < TYPES; t++) {
        one o;
        double u[4 * MOST], w[4 * MOST], x[4 * MOST] = {0}, f[4 * MOST] = {0}, z[4 * MOST] = {0}, dense[4 * MOST], h = 1e-5;
        double energy[2], side[2][4 * MOST] = {{0}}, size = 0, worst = 0;
        make(&o, types[t], 0.1, false);
        random_nodes(u, 0.3, 3), random_nodes(w, 1, 4);
        for (int i = 0; i < 2; i++) {
            place(&o, u, i ? h : -h, w, x);
            energy[i] = sp__springs_state(&o.g, 0, x, side[i]);
        }
        place(&o, u, 0, w, x);
        sp__springs_state(&o.g, 0, x, f);
        sp__springs_product(&o.g, 0, w, z);
        assembled_product(&o, w, dense);
        // differences of second order: h^2 of the size of the third derivatives
        CHECK_NEAR((energy[1] - energy[0]) / (2 * h), -dot(f, w), 1e-8 * fabs(dot(f, w)) + 1e-8);
        for (int i = 0; i < 4 * o.g.nodes; i++) {
            size = fmax(size, fabs(z[i]));
            worst = fmax(worst, fabs((side[0][i] - side[1][i]) / (2 * h) - z[i]));
            CHECK_NEAR(dense[i], z[i], 1e-12 * 100);  // some dozens of roundings of numbers up to 100
        }
        CHECK(size > 1);
        CHECK_NEAR(worst, 0, 1e-7 * size);
    }
}

TEST(the_definite_tangent_has_no_negative_energy) {
    for (int t = 0; t < TYPES; t++)
        for (int definite = 0; definite < 2; definite++) {
            one o;
            double u[4 * MOST], w[4 * MOST], x[4 * MOST], y[4 * MOST] = {0}, least = INFINITY;
            make(&o, types[t], 0.1, definite);
            random_nodes(u, 0, 3);
            for (int i = 0; i < 4 * o.g.nodes; i++) u[i] = i % 4 == 3 ? 0 : -0.6 * o.rest[3 * (i / 4) + i % 4];  // compression
            place(&o, u, 0, u, x);
            sp__springs_state(&o.g, 0, x, y);
            for (unsigned long long seed = 1; seed <= 200; seed++) {
                double z[4 * MOST] = {0};
                random_nodes(w, 1, seed);
                sp__springs_product(&o.g, 0, w, z);
                least = fmin(least, dot(w, z));
            }
            CHECK(definite ? least >= 0 : least < 0);
        }
}

// sum k l^2 d d d d of an isotropic network: the number of xxxx is three times that of xxyy
TEST(shares_of_a_cube_are_isotropic) {
    one o;
    const sp_spring_pattern *p = sp__spring_pattern(SP_ELEMENT_HEX8);
    double sum[2] = {0}, shares = 0;
    make(&o, SP_ELEMENT_HEX8, 0, false);
    for (int i = 0; i < p->count; i++) {
        double d[3];
        sp__sub3(o.rest + 3 * p->pair[i][1], o.rest + 3 * p->pair[i][0], d);
        for (int k = 0; k < 3; k++) d[k] /= o.length[i];
        sum[0] += p->share[i] * d[0] * d[0] * d[0] * d[0], sum[1] += p->share[i] * d[0] * d[0] * d[1] * d[1];
        shares += p->share[i];
    }
    CHECK_NEAR(shares, 1, 1e-14);
    CHECK_NEAR(sum[0], 0.2, 1e-14);
    CHECK_NEAR(sum[1], 0.2 / 3, 1e-14);
}

TEST(cells_fill_their_element) {
    const double volume[VOLUMES] = {1. / 6, 1. / 6, 1};
    for (int t = 0; t < VOLUMES; t++) {
        one o;
        const double still[4 * MOST] = {0};
        double x[4 * MOST], sums[3], shares = 0;
        make(&o, types[t], 0, false);
        place(&o, still, 0, still, x);
        sp__springs_sums(&o.g, 0, x, sums);
        for (int i = 0; i < o.g.pattern->count; i++) shares += o.g.pattern->share[i];
        CHECK_NEAR(shares, 1, 1e-14);
        CHECK_NEAR(sums[0], 0, 1e-20);
        CHECK_NEAR(sums[1], volume[t], 1e-14);
        CHECK_INT(sums[2], 0);
        for (int a = 0; a < o.g.nodes; a++) x[4 * a] = -x[4 * a];  // a mirror image
        sp__springs_sums(&o.g, 0, x, sums);
        CHECK_INT(sums[2], 1);
    }
}

// A triangle has the volume at rest times the ratio of areas, and is never inverted; F is that of its plane, with the normal.
TEST(triangles_measure_their_area) {
    one o;
    const double still[4 * MOST] = {0}, c = cos(0.7), s = sin(0.7);
    double x[4 * MOST], X[9], moved[9], sums[3], F[9];
    make(&o, SP_ELEMENT_TRI3, 0.1, false);
    place(&o, still, 0, still, x);
    for (int a = 0; a < 3; a++) {
        const double *p = o.rest + 3 * a;
        const double to[3] = {1.5 * (c * p[0] - s * p[1]), 1.5 * (s * p[0] + c * p[1]), 1.5 * p[2]};
        for (int k = 0; k < 3; k++) X[3 * a + k] = p[k], x[4 * a + k] = moved[3 * a + k] = to[k];
    }
    sp__springs_sums(&o.g, 0, x, sums);
    CHECK_NEAR(sums[1], 2.25, 1e-13);  // of a volume of 1
    CHECK_INT(sums[2], 0);
    sp__springs_gradient(3, X, moved, F);
    CHECK_NEAR(sp__det3(F), 2.25, 1e-13);
    for (int a = 1; a < 3; a++)
        for (int k = 0; k < 3; k++) {
            double d[3], to[3];
            sp__sub3(X + 3 * a, X, d), sp__sub3(moved + 3 * a, moved, to);
            CHECK_NEAR(sp__dot3(F + 3 * k, d), to[k], 1e-14);
        }
}
