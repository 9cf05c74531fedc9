// The mortar coupling of two plane surfaces: weights sum to one, areas to the common area, and linear fields have the same mean
// on both sides in every row.
#include "map/mortar.h"

#include "math/vec3.h"
#include "test.h"

// A square of side `size` at the height z, n x n cells, turned about its corner; up: outward is +z.
static void square(int n, double size, double turn, double shift, double z, bool up, double *x, int *faces,
                   sp_mortar_surface *out) {
    for (int i = 0; i <= n; i++)
        for (int j = 0; j <= n; j++) {
            double u = shift + size * i / n, v = shift + size * j / n, *p = x + 3 * (i * (n + 1) + j);
            p[0] = u * cos(turn) - v * sin(turn), p[1] = u * sin(turn) + v * cos(turn), p[2] = z;
        }
    int f = 0;
    for (int i = 0; i < n; i++)
        for (int j = 0; j < n; j++) {
            int a = i * (n + 1) + j, b = a + n + 1, quad[2][3] = {{a, b, b + 1}, {a, b + 1, a + 1}};
            for (int k = 0; k < 2; k++, f++)
                for (int c = 0; c < 3; c++) faces[3 * f + c] = quad[k][up ? c : 2 - c];
        }
    *out = (sp_mortar_surface){x, (n + 1) * (n + 1), faces, f};
}

// Largest difference between the positions that both sides of a row give, and the sums of the weights.
static double row_error(const sp_mortar *m, const sp_mortar_surface *first) {
    double worst = 0;
    for (int r = 0; r < m->row_count; r++) {
        double a[3] = {0}, b[3] = {0}, sum[2] = {0}, d[3];
        if (m->first_start[r] == m->first_start[r + 1]) continue;
        for (int i = m->first_start[r]; i < m->first_start[r + 1]; i++)
            sp__axpy3(a, m->first_weight[i], first->x + 3 * m->vertex[i], a), sum[0] += m->first_weight[i];
        for (int i = m->second_start[r]; i < m->second_start[r + 1]; i++)
            sp__axpy3(b, m->second_weight[i], m->point + 3 * i, b), sum[1] += m->second_weight[i];
        sp__sub3(a, b, d);
        worst = fmax(worst, fmax(sp__norm3(d), fmax(fabs(sum[0] - 1), fabs(sum[1] - 1))));
    }
    return worst;
}

static void couple(int n1, int n2, double turn, double shift, double gap, double within, double area) {
    static double x[2][3 * 400];
    static int faces[2][3 * 800];
    sp_mortar_surface s[2];
    sp_context *ctx = NULL;
    sp_mortar *m = NULL;
    REQUIRE(sp_context_create(NULL, &ctx) == SP_OK);
    square(n1, 1, 0, 0, 0, true, x[0], faces[0], &s[0]);
    square(n2, 1, turn, shift, gap, false, x[1], faces[1], &s[1]);
    CHECK_INT(sp__mortar_create(ctx, &s[0], &s[1], within, &m), SP_OK);
    double sum = 0;
    for (int r = 0; m && r < m->row_count; r++) sum += m->area[r];
    CHECK_NEAR(m->total, area, 1e-12);
    CHECK_NEAR(sum, area, 1e-12);
    CHECK_NEAR(row_error(m, &s[0]), 0, 1e-12);  // rounding
    sp__mortar_destroy(ctx, &m);
    sp_context_destroy(&ctx);
}

TEST(equal_triangles) {
    couple(4, 4, 0, 0, 0, 0.01, 1);
}

TEST(other_triangles) {
    couple(3, 7, 0, 0, 0, 0.01, 1);
    couple(7, 3, 0, 0, 0.005, 0.01, 1);
}

// A square that is shifted by 0.3 covers 0.7 x 0.7; one turned by 90 degrees about a corner nothing.
TEST(partial_overlap) {
    couple(4, 5, 0, 0.3, 0, 0.01, 0.49);
    couple(4, 5, SP_PI / 2, 0, 0, 0.01, 0);
    // turned by 45 degrees about a corner: the part of the triangle x < y with x + y < sqrt(2)
    couple(5, 6, SP_PI / 4, 0, 0, 0.01, sqrt(2) - 1);
}

TEST(what_is_too_far_is_not_coupled) {
    couple(4, 5, 0, 0, 0.02, 0.01, 0);
}

TEST(faces_must_look_at_each_other) {
    double x[2][12];
    int faces[2][6];
    sp_mortar_surface s[2];
    sp_context *ctx = NULL;
    sp_mortar *m = NULL;
    REQUIRE(sp_context_create(NULL, &ctx) == SP_OK);
    for (int i = 0; i < 2; i++) square(1, 1, 0, 0, 0, true, x[i], faces[i], &s[i]);
    CHECK_INT(sp__mortar_create(ctx, &s[0], &s[1], 0.1, &m), SP_OK);
    CHECK_NEAR(m->total, 0, 0);
    sp__mortar_destroy(ctx, &m);
    sp_context_destroy(&ctx);
}
