// Elements with shape functions: partition of unity, derivatives against differences, exactness of the integration points by
// monomials, the inverse map by round trips, and the numbering of nodes by positions.
#include "math/vec3.h"
#include "mesh/element.h"
#include "test.h"

static const sp_element_type solids[] = {SP_ELEMENT_TET4, SP_ELEMENT_TET10, SP_ELEMENT_HEX8};
enum { SOLIDS = sizeof solids / sizeof *solids, NODES = SP_ELEMENT_NODES_MAX };

// The reference element, turned, sheared and shifted, and every coordinate of every node moved by up to `bend`.
static void bent_element(sp_element_type type, double bend, unsigned long long seed, double *x) {
    static const double A[9] = {1.2, 0.3, -0.1, -0.2, 0.9, 0.25, 0.15, -0.1, 1.1};
    for (int a = 0; a < sp_element_nodes(type); a++) {
        double natural[3];
        sp_element_natural(type, a, natural);
        sp__mul3(A, natural, x + 3 * a);
        for (int k = 0; k < 3; k++) x[3 * a + k] += 2 + k + bend * sp_test_random(&seed);
    }
}

// inside of both reference elements
static void random_natural(unsigned long long *seed, double natural[3]) {
    for (int k = 0; k < 3; k++) natural[k] = 0.16 + 0.15 * sp_test_random(seed);
}

static void map_point(sp_element_type type, const double *x, const double natural[3], double p[3]) {
    double w[NODES];
    sp__element_weights(type, natural, w);
    for (int k = 0; k < 3; k++) p[k] = 0;
    for (int a = 0; a < sp_element_nodes(type); a++) sp__axpy3(p, w[a], x + 3 * a, p);
}

TEST(numbers_of_nodes_and_points) {
    static const int nodes[] = {4, 10, 8}, points[] = {1, 4, 8};
    for (int t = 0; t < SOLIDS; t++) {
        CHECK_INT(sp_element_nodes(solids[t]), nodes[t]);
        CHECK_INT(sp__element_points(solids[t]), points[t]);
        CHECK(nodes[t] <= SP_ELEMENT_NODES_MAX && points[t] <= SP_ELEMENT_POINTS_MAX);
    }
    CHECK_INT(sp_element_nodes(SP_ELEMENT_LINE2), 2);
    CHECK_INT(sp__element_points(SP_ELEMENT_LINE2), 0);
    CHECK_INT(sp_element_nodes((sp_element_type)99), 0);
}

TEST(a_shape_function_is_1_at_its_node_and_0_at_the_others) {
    for (int t = 0; t < SOLIDS; t++)
        for (int a = 0; a < sp_element_nodes(solids[t]); a++) {
            double natural[3], w[NODES];
            sp_element_natural(solids[t], a, natural);
            sp__element_weights(solids[t], natural, w);
            for (int b = 0; b < sp_element_nodes(solids[t]); b++) CHECK(w[b] == (a == b));
        }
}

// the order of mid nodes and hexahedra is that of VTK: written down here once more, as positions
TEST(nodes_have_the_order_of_vtk) {
    static const double mid[6][3] = {{0.5, 0, 0}, {0.5, 0.5, 0}, {0, 0.5, 0}, {0, 0, 0.5}, {0.5, 0, 0.5}, {0, 0.5, 0.5}};
    static const double corner[8][3] = {{0, 0, 0}, {1, 0, 0}, {1, 1, 0}, {0, 1, 0}, {0, 0, 1}, {1, 0, 1}, {1, 1, 1}, {0, 1, 1}};
    for (int a = 0; a < 14; a++) {
        double natural[3];
        sp_element_natural(a < 6 ? SP_ELEMENT_TET10 : SP_ELEMENT_HEX8, a < 6 ? 4 + a : a - 6, natural);
        for (int k = 0; k < 3; k++) CHECK(natural[k] == (a < 6 ? mid[a][k] : corner[a - 6][k]));
    }
}

TEST(partition_of_unity) {
    unsigned long long seed = 3;
    for (int i = 0; i < 60; i++) {
        double natural[3], w[NODES], dw[3 * NODES], sum = 0, slope[3] = {0};
        random_natural(&seed, natural);
        sp_element_type type = solids[i % SOLIDS];
        sp__element_weights(type, natural, w);
        sp__element_slopes(type, natural, dw);
        for (int a = 0; a < sp_element_nodes(type); a++) {
            sum += w[a];
            for (int k = 0; k < 3; k++) slope[k] += dw[3 * a + k];
        }
        // ten summands below 3
        CHECK_NEAR(sum, 1, 1e-14);
        for (int k = 0; k < 3; k++) CHECK_NEAR(slope[k], 0, 1e-14);
    }
}

TEST(slopes_are_the_differences_of_the_shape_functions) {
    unsigned long long seed = 5;
    const double h = 1e-5;
    for (int i = 0; i < 60; i++) {
        double natural[3], dw[3 * NODES], below[NODES], above[NODES];
        random_natural(&seed, natural);
        sp_element_type type = solids[i % SOLIDS];
        sp__element_slopes(type, natural, dw);
        for (int k = 0; k < 3; k++) {
            double centre = natural[k];
            natural[k] = centre - h;
            sp__element_weights(type, natural, below);
            natural[k] = centre + h;
            sp__element_weights(type, natural, above);
            natural[k] = centre;
            // quadratic along a coordinate: no error of truncation; rounding 1e-16 / h
            for (int a = 0; a < sp_element_nodes(type); a++) CHECK_NEAR(dw[3 * a + k], (above[a] - below[a]) / (2 * h), 1e-10);
        }
    }
}

// for bent elements the shape functions reproduce linear functions of space, and their gradients the gradient of these
TEST(gradients_of_linear_functions_are_exact) {
    unsigned long long seed = 7;
    for (int i = 0; i < 30; i++) {
        sp_element_type type = solids[i % SOLIDS];
        double x[3 * NODES], g[3 * NODES], natural[3], sum[9] = {0};
        bent_element(type, 0.05, (unsigned long long)i, x);
        random_natural(&seed, natural);
        double det = sp__element_gradients(type, x, natural, g);
        CHECK(det > 0 && det == sp__element_det(type, x, natural));
        for (int a = 0; a < sp_element_nodes(type); a++)
            for (int r = 0; r < 3; r++)
                for (int c = 0; c < 3; c++) sum[3 * r + c] += x[3 * a + r] * g[3 * a + c];
        // ten products of about 5 x 3, each rounded
        for (int k = 0; k < 9; k++) CHECK_NEAR(sum[k], k % 4 == 0, 1e-13);
    }
}

// the determinant against the differences of the positions themselves
TEST(the_determinant_is_that_of_the_map) {
    unsigned long long seed = 9;
    const double h = 1e-5;
    for (int i = 0; i < 30; i++) {
        sp_element_type type = solids[i % SOLIDS];
        double x[3 * NODES], natural[3], J[9];
        bent_element(type, 0.05, (unsigned long long)i, x);
        random_natural(&seed, natural);
        for (int k = 0; k < 3; k++) {
            double below[3], above[3], at[3] = {natural[0], natural[1], natural[2]};
            at[k] = natural[k] - h;
            map_point(type, x, at, below);
            at[k] = natural[k] + h;
            map_point(type, x, at, above);
            for (int r = 0; r < 3; r++) J[3 * r + k] = (above[r] - below[r]) / (2 * h);
        }
        // rounding of positions of about 5: 1e-15 / h
        CHECK_NEAR(sp__element_det(type, x, natural), sp__det3(J), 1e-9);
    }
}

// ------------------------------------------------------------------------------------------------ integration

static double factorial(int n) {
    return n > 1 ? n * factorial(n - 1) : 1;
}

static double rule_integral(sp_element_type type, const int power[3]) {
    double sum = 0;
    for (int p = 0; p < sp__element_points(type); p++) {
        double natural[3], weight;
        sp__element_point(type, p, natural, &weight);
        for (int k = 0; k < 3; k++) weight *= pow(natural[k], power[k]);
        sum += weight;
    }
    return sum;
}

// tetrahedron: a! b! c! / (a + b + c + 3)!
static double exact_integral(sp_element_type type, const int power[3]) {
    if (type == SP_ELEMENT_HEX8) return 1.0 / ((power[0] + 1) * (power[1] + 1) * (power[2] + 1));
    return factorial(power[0]) * factorial(power[1]) * factorial(power[2]) / factorial(power[0] + power[1] + power[2] + 3);
}

TEST(integration_points_are_exact_to_their_degree_and_not_beyond) {
    for (int t = 0; t < SOLIDS; t++) {
        int degree = solids[t] == SP_ELEMENT_TET4 ? 1 : solids[t] == SP_ELEMENT_TET10 ? 2 : 3, power[3], exact = 0;
        for (power[0] = 0; power[0] <= degree; power[0]++)
            for (power[1] = 0; power[1] <= degree; power[1]++)
                for (power[2] = 0; power[2] <= degree; power[2]++) {
                    if (solids[t] != SP_ELEMENT_HEX8 && power[0] + power[1] + power[2] > degree) continue;
                    exact++;
                    // sums of at most eight numbers below 1
                    CHECK_NEAR(rule_integral(solids[t], power), exact_integral(solids[t], power), 1e-15);
                }
        CHECK_INT(exact, solids[t] == SP_ELEMENT_TET4 ? 4 : solids[t] == SP_ELEMENT_TET10 ? 10 : 64);
        const int more[3] = {degree + 1, 0, 0};
        CHECK(fabs(rule_integral(solids[t], more) - exact_integral(solids[t], more)) > 1e-4);
    }
}

TEST(vertex_points_are_exact_to_degree_3_and_not_beyond) {
    for (int a = 0; a <= 4; a++)
        for (int b = 0; a + b <= 4; b++)
            for (int c = 0; a + b + c <= 4; c++) {
                const int power[3] = {a, b, c};
                double sum = 0;
                for (int p = 0; p < SP_ELEMENT_VERTEX_POINTS; p++) {
                    double natural[3], weight;
                    sp__element_vertex_point(p, natural, &weight);
                    CHECK(weight > 0);
                    sum += weight * pow(natural[0], a) * pow(natural[1], b) * pow(natural[2], c);
                }
                double apart = fabs(sum - exact_integral(SP_ELEMENT_TET10, power));
                CHECK(a + b + c == 4 ? apart > 1e-5 : apart < 1e-15);  // sums of eight numbers below 1
            }
}

// The volume of the bent hexahedron: its map is trilinear, the determinant at most quadratic per coordinate. Against the
// divergence theorem over its six faces, each by 3 x 3 Gauss points of its bilinear surface.
TEST(the_volume_of_a_bent_hexahedron) {
    static const double at[3] = {0.5 - 0.5 * 0.7745966692414834, 0.5, 0.5 + 0.5 * 0.7745966692414834};
    static const double weight[3] = {5.0 / 18, 8.0 / 18, 5.0 / 18};
    double x[3 * NODES], volume = 0, flux = 0;
    bent_element(SP_ELEMENT_HEX8, 0.1, 11, x);
    for (int p = 0; p < 8; p++) {
        double natural[3], w;
        sp__element_point(SP_ELEMENT_HEX8, p, natural, &w);
        volume += w * sp__element_det(SP_ELEMENT_HEX8, x, natural);
    }
    for (int face = 0; face < 6; face++)
        for (int q = 0; q < 9; q++) {
            int k = face / 2, i = (k + 1) % 3, j = (k + 2) % 3;
            double natural[3], p[3], di[3] = {0}, dj[3] = {0}, n[3], dw[3 * NODES];
            natural[k] = face % 2, natural[i] = at[q / 3], natural[j] = at[q % 3];
            map_point(SP_ELEMENT_HEX8, x, natural, p);
            sp__element_slopes(SP_ELEMENT_HEX8, natural, dw);
            for (int a = 0; a < 8; a++) {
                sp__axpy3(di, dw[3 * a + i], x + 3 * a, di);
                sp__axpy3(dj, dw[3 * a + j], x + 3 * a, dj);
            }
            sp__cross3(di, dj, n);
            flux += (face % 2 ? 1 : -1) * weight[q / 3] * weight[q % 3] * sp__dot3(p, n) / 3;
        }
    // 54 terms of about 1
    CHECK_NEAR(volume, flux, 1e-13);
    CHECK(volume > 1);
}

// ------------------------------------------------------------------------------------------------ inverse map

TEST(the_inverse_map_finds_the_natural_coordinates) {
    unsigned long long seed = 13;
    for (int i = 0; i < 300; i++) {
        sp_element_type type = solids[i % SOLIDS];
        double x[3 * NODES], natural[3], p[3], found[3];
        bent_element(type, 0.05, (unsigned long long)(i / 10), x);
        // also outside by up to a third
        for (int k = 0; k < 3; k++) natural[k] = 0.3 + 0.6 * sp_test_random(&seed);
        if (type != SP_ELEMENT_HEX8)
            for (int k = 0; k < 3; k++) natural[k] *= 0.5;
        map_point(type, x, natural, p);
        CHECK(sp__element_locate(type, x, p, found));
        // positions of about 5 in elements of size 1
        for (int k = 0; k < 3; k++) CHECK_NEAR(found[k], natural[k], 1e-14);
    }
}

TEST(the_inverse_map_of_a_flat_element_does_not_converge) {
    for (int t = 0; t < SOLIDS; t++) {
        double x[3 * NODES], found[3];
        bent_element(solids[t], 0, 1, x);
        for (int a = 0; a < sp_element_nodes(solids[t]); a++) x[3 * a + 2] = 0;
        CHECK(!sp__element_locate(solids[t], x, (double[3]){2.2, 3.1, 1}, found));
    }
}

TEST(inside_is_the_least_weight_or_distance) {
    CHECK_NEAR(sp__element_inside(SP_ELEMENT_TET10, (double[3]){0.5, 0.3, 0.1}), 0.1, 1e-15);
    CHECK_NEAR(sp__element_inside(SP_ELEMENT_TET4, (double[3]){0.5, 0.3, 0.15}), 0.05, 1e-15);
    CHECK_NEAR(sp__element_inside(SP_ELEMENT_HEX8, (double[3]){0.5, 0.3, 0.8}), 0.2, 1e-15);
    CHECK_NEAR(sp__element_inside(SP_ELEMENT_HEX8, (double[3]){0.5, 1.25, 0.8}), -0.25, 1e-15);
    for (int t = 0; t < SOLIDS; t++) {
        double centre[3], w[NODES];
        sp__element_centre(solids[t], centre);
        sp__element_weights(solids[t], centre, w);
        CHECK(sp__element_inside(solids[t], centre) > 0.2);
        for (int a = 1; a < (solids[t] == SP_ELEMENT_HEX8 ? 8 : 4); a++) CHECK(w[a] == w[0]);
    }
}
