// Signs of determinants against 128-bit integers, and intersecting triangles against separating axes in integers.
#include "mesh/exact.h"

#include <stdint.h>

#include "mesh/intersect.h"
#include "test.h"

__extension__ typedef __int128 wide;

static int64_t whole(unsigned long long *seed, int64_t most) {
    return (int64_t)(sp_test_random(seed) * (double)most);
}

static int sign(wide v) {
    return (v > 0) - (v < 0);
}

// positions with 38 bits, the fourth within a unit of the plane of the others: far below rounding
TEST(orientation_in_space_is_exact) {
    unsigned long long seed = 1;
    int zeros = 0;
    for (int q = 0; q < 20000; q++) {
        int64_t p[4][3], m[3][3];
        double x[4][3];
        int64_t i = whole(&seed, 8), j = whole(&seed, 8);
        for (int k = 0; k < 3; k++) {
            for (int n = 0; n < 3; n++) p[n][k] = whole(&seed, (int64_t)1 << 33);
            p[3][k] = p[0][k] + i * (p[1][k] - p[0][k]) + j * (p[2][k] - p[0][k]) + (q % 3 ? whole(&seed, 2) : 0);
            for (int n = 0; n < 3; n++) m[n][k] = p[n + 1][k] - p[0][k];
        }
        wide det = 0;
        for (int k = 0; k < 3; k++) {
            int u = (k + 1) % 3, v = (k + 2) % 3;
            det += (wide)m[0][k] * ((wide)m[1][u] * m[2][v] - (wide)m[1][v] * m[2][u]);
        }
        for (int n = 0; n < 4; n++)
            for (int k = 0; k < 3; k++) x[n][k] = (double)p[n][k];
        CHECK_INT(sp__orient3(x[0], x[1], x[2], x[3]), sign(det));
        CHECK_INT(sp__orient3(x[1], x[0], x[2], x[3]), -sign(det));
        CHECK_INT(sp__orient3(x[3], x[2], x[1], x[0]), sign(det));
        zeros += det == 0;
    }
    CHECK(zeros > 1000 && zeros < 19000);
}

// differences that are not doubles: a distant origin and a unit in the last place
TEST(orientation_of_differences_that_round) {
    double a[3] = {1e16, 0, 0}, b[3] = {0.5, 1, 0}, c[3] = {0.5, 0, 1}, d[3] = {0.5, 0.25, 0.25};
    // b, c, d have x = 0.5 and a is not in their plane; d moved by half is in front of it or behind it
    CHECK_INT(sp__orient3(b, c, d, a), sp__orient3(b, c, d, (double[3]){1, 0, 0}));
    CHECK_INT(sp__orient3(a, b, c, d), -1 * sp__orient3(b, c, d, a));
    d[0] = 0.5 + 0x1p-53 * 2;
    int beyond = sp__orient3(a, b, c, d);
    d[0] = 0.5;
    double e[3] = {0.5, 0.5, 0.5};  // on the line b c: in the plane a b c
    CHECK_INT(sp__orient3(a, b, c, e), 0);
    e[0] = nextafter(0.5, 1);
    CHECK_INT(sp__orient3(a, b, c, e), -1 * sp__orient3(a, b, c, (double[3]){nextafter(0.5, 0), 0.5, 0.5}));
    CHECK(sp__orient3(a, b, c, e) != 0 && beyond != 0);
}

TEST(orientation_in_a_plane_is_exact) {
    unsigned long long seed = 2;
    int zeros = 0;
    for (int q = 0; q < 20000; q++) {
        int64_t p[3][2], i = whole(&seed, 9);
        double x[3][3] = {{0}};
        for (int k = 0; k < 2; k++) {
            p[0][k] = whole(&seed, (int64_t)1 << 45), p[1][k] = whole(&seed, (int64_t)1 << 45);
            p[2][k] = p[0][k] + i * (p[1][k] - p[0][k]) + (q % 2 ? whole(&seed, 2) : 0);
        }
        wide det = (wide)(p[1][0] - p[0][0]) * (p[2][1] - p[0][1]) - (wide)(p[1][1] - p[0][1]) * (p[2][0] - p[0][0]);
        for (int n = 0; n < 3; n++) x[n][2] = (double)p[n][0], x[n][0] = (double)p[n][1];
        CHECK_INT(sp__orient2(x[0], x[1], x[2], 2, 0), sign(det));
        CHECK_INT(sp__orient2(x[0], x[1], x[2], 0, 2), -sign(det));
        zeros += det == 0;
    }
    CHECK(zeros > 1000 && zeros < 19000);
}

// ---------------------------------------------------------------------------------------------------- triangles

typedef long long vec[3];

static void sub(const vec a, const vec b, vec out) {
    for (int k = 0; k < 3; k++) out[k] = a[k] - b[k];
}

static void cross(const vec a, const vec b, vec out) {
    for (int k = 0; k < 3; k++) out[k] = a[(k + 1) % 3] * b[(k + 2) % 3] - a[(k + 2) % 3] * b[(k + 1) % 3];
}

static bool parts(const vec axis, vec a[3], vec b[3]) {
    long long low[2] = {INT64_MAX, INT64_MAX}, high[2] = {INT64_MIN, INT64_MIN};
    for (int s = 0; s < 2; s++)
        for (int n = 0; n < 3; n++) {
            const long long *p = s ? b[n] : a[n];
            long long at = axis[0] * p[0] + axis[1] * p[1] + axis[2] * p[2];
            low[s] = at < low[s] ? at : low[s];
            high[s] = at > high[s] ? at : high[s];
        }
    return high[0] < low[1] || high[1] < low[0];
}

// brute force: two triangles are disjoint if one of these axes separates them (normals, edge cross edge, edge cross normal)
static bool slow_meet(vec a[3], vec b[3]) {
    vec normal[2], axis, edges[2][3];
    for (int s = 0; s < 2; s++) {
        vec *t = s ? b : a;
        for (int k = 0; k < 3; k++) sub(t[(k + 1) % 3], t[k], edges[s][k]);
        cross(edges[s][0], edges[s][1], normal[s]);
        if (parts(normal[s], a, b)) return false;
    }
    for (int i = 0; i < 3; i++) {
        for (int j = 0; j < 3; j++) {
            cross(edges[0][i], edges[1][j], axis);
            if (parts(axis, a, b)) return false;
        }
        for (int s = 0; s < 2; s++) {
            cross(edges[s][i], normal[s], axis);
            if (parts(axis, a, b)) return false;
        }
    }
    return true;
}

// small integers: every second pair touches in a point, along an edge or in a plane
TEST(triangle_intersection_agrees_with_separating_axes) {
    unsigned long long seed = 3;
    int met = 0, tried = 0;
    for (int q = 0; q < 60000; q++) {
        vec t[6], normal, u, v;
        double x[18];
        int most = 2 + q % 5, axis = q % 7;
        bool flat = false;
        for (int n = 0; n < 6; n++)
            for (int k = 0; k < 3; k++) t[n][k] = k == axis ? 1 : whole(&seed, most), x[3 * n + k] = (double)t[n][k];
        for (int s = 0; s < 6; s += 3) {
            sub(t[s + 1], t[s], u), sub(t[s + 2], t[s], v);
            cross(u, v, normal);
            flat = flat || (normal[0] == 0 && normal[1] == 0 && normal[2] == 0);
        }
        if (flat) continue;
        bool fast = sp__triangles_intersect(x, (int[]){0, 1, 2}, (int[]){3, 4, 5});
        CHECK(fast == slow_meet(t, t + 3));
        CHECK(fast == sp__triangles_intersect(x, (int[]){4, 3, 5}, (int[]){2, 1, 0}));
        met += fast, tried++;
    }
    CHECK(met > tried / 4 && met < tried * 3 / 4);
}

TEST(neighbours_may_touch_at_shared_vertices_and_edges) {
    // nodes 0 1 2 are the triangle in the plane z = 0; 3, 4 and 9 are in its plane
    static const double x[] = {0, 0, 0, 4, 0, 0, 0, 4, 0, -4, -4, 0, 1, 1, 0, 1, 1, -1, 1, 1, 1, -1, -1, 1, 4, 0, 1, 2, -1, 0};
    const int t[3] = {0, 1, 2};
    static const struct {
        int b[3];
        bool meet;
    } cases[] = {{{2, 1, 0}, false},   // the same nodes
                 {{1, 0, 3}, false},   // across an edge, in the same plane, on the other side
                 {{1, 0, 4}, true},    // on this side: folded onto it
                 {{0, 1, 6}, false},   // across an edge, at an angle
                 {{0, 5, 6}, true},    // from a vertex through the inside
                 {{0, 3, 7}, false},   // from a vertex away
                 {{0, 4, 6}, true},    // from a vertex, one edge in the plane and inside
                 {{0, 9, 4}, true},    // from a vertex, in the plane, overlapping
                 {{2, 8, 6}, false},   // from a vertex, above
                 {{3, 7, 8}, false},   // no common node, disjoint
                 {{4, 5, 6}, false}};  // degenerate: no area
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        const int *b = cases[i].b;
        for (int r = 0; r < 3; r++) {
            const int turned[3] = {b[r], b[(r + 1) % 3], b[(r + 2) % 3]};
            if (sp__triangles_intersect(x, t, turned) != cases[i].meet || sp__triangles_intersect(x, turned, t) != cases[i].meet)
                SP_TEST_FAILED("case %zu turned by %d", i, r);
        }
    }
}
