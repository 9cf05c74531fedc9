// The factor of A +- W W^T computed in place, checked by its solutions: residuals against the changed matrix, elements removed
// and restored, columns of W on many branches of the tree, refusals that keep the old factor.
#include "factor_help.h"
#include "meter.h"

// The change of A; columns have their rows where the factor of A has entries.
typedef struct change {
    int row_count, rank, block;
    int *rows;
    double *W;
} change;

static change new_change(int row_count, int rank, int block) {
    change c = {row_count, rank, block, NULL, NULL};
    c.rows = calloc((size_t)row_count + 1, sizeof *c.rows);
    c.W = calloc((size_t)row_count * (size_t)(block * rank) + 1, sizeof *c.W);
    return c;
}

static void drop_change(change *c) {
    free(c->rows), free(c->W);
}

static double *entry(const change *c, int row, int part, int column) {
    return c->W + (size_t)(row * c->block + part) * (size_t)c->rank + column;
}

// y += sign W W^T x
static void add_product(const change *c, double sign, const double *x, double *y) {
    for (int k = 0; k < c->rank; k++) {
        double dot = 0;
        for (int i = 0; i < c->row_count; i++)
            for (int r = 0; r < c->block; r++) dot += *entry(c, i, r, k) * x[c->rows[i] * c->block + r];
        for (int i = 0; i < c->row_count; i++)
            for (int r = 0; r < c->block; r++) y[c->rows[i] * c->block + r] += sign * dot * *entry(c, i, r, k);
    }
}

// |b - (A + sign W W^T) x| / ((|A| + |W W^T|) |x| + |b|), maximum norms; x from the factor. |A| by its largest diagonal entry.
static double error_of(sp_factor *F, const sp_symmetric *A, const change *c, double sign) {
    int n = A->n * A->block;
    double *b = help_vector(n, 3), *x = help_vector(n, 4), *y = help_vector(n, 5), r = 0, nA = 0, nx = 0, nb = 0;
    sp__factor_solve(F, b, x, true);
    sp__symmetric_mul(A, x, y);
    if (c) add_product(c, sign, x, y);
    for (int i = 0; i < A->n; i++)
        for (int e = 0; e < A->block; e++)
            nA = fmax(nA, fabs(sp__symmetric_block(A, A->row_start[i])[A->stride * e * (A->block + 1)]));
    for (int i = 0; c && i < c->row_count * c->block; i++) {
        double sum = 0;
        for (int k = 0; k < c->rank; k++) sum += c->W[i * c->rank + k] * c->W[i * c->rank + k];
        nA = fmax(nA, sum);
    }
    for (int i = 0; i < n; i++) r = fmax(r, fabs(b[i] - y[i])), nx = fmax(nx, fabs(x[i])), nb = fmax(nb, fabs(b[i]));
    bool finite = isfinite(r) && isfinite(nx);
    for (int i = 0; i < n; i++) finite = finite && isfinite(x[i]);
    free(b), free(x), free(y);
    return finite ? r / (nA * nx + nb) : INFINITY;
}

// Each rank adds about one rounding to every entry it changes, mixed forward and backward (Bojanczyk and others 1987), to those
// of factor and solve.
static double allowed(const sp_factor *F, int rank) {
    return (F->def.single ? 1.2e-7 : 2.3e-16) * (10 + rank);
}

typedef struct setting {
    sp_context *ctx;
    sp_symbolic *S;
    sp_factor *F;
    sp_symmetric_own A;
    sp_mesh *mesh;
} setting;

static bool factor_setting(setting *s, sp_factor_def def) {
    sp_factor_info info;
    const double *points = s->mesh ? sp_mesh_positions(s->mesh) : NULL;  // without METIS and AMD an ordering needs them
    return sp__symbolic_create(s->ctx, SP_ORDER_AUTO, &s->A.view, points, &s->S) == SP_OK &&
           sp__factor_create(s->ctx, &def, s->S, &s->F) == SP_OK && sp__factor_make(s->F, &s->A.view, 0, true, &info) == SP_OK;
}

static bool open_body(setting *s, int along, int across, sp_factor_def def) {
    *s = (setting){.ctx = help_context(1)};
    s->mesh = help_beam(s->ctx, along, across);
    s->A = help_elastic(s->ctx, s->mesh);
    return factor_setting(s, def);
}

static void close_setting(setting *s) {
    sp__factor_destroy(&s->F);
    sp__symbolic_release(&s->S);
    sp__symmetric_free(&s->A);
    if (s->mesh) sp_mesh_destroy(&s->mesh);
    sp_context_destroy(&s->ctx);
}

// The stiffness of elements as W W^T, six columns each: strains times the square root of the elastic matrix with lambda = mu = 1,
// whose upper part is 2 I + 1 1^T.
static void element_columns(const setting *s, int tet, change *c, int column) {
    const double a = sqrt(3), b = 1 / a, e = sqrt(8.0 / 3), f = 2 / (3 * e), h = sqrt(2.5);
    const double root[3][3] = {{a, b, b}, {0, e, f}, {0, 0, h}};
    const int *corner = sp_mesh_tets(s->mesh) + 4 * tet;
    double g[4][3], v = sqrt(help_gradients(sp_mesh_positions(s->mesh), corner, g));
    for (int n = 0; n < 4; n++) {
        int i = 0;
        while (c->rows[i] != corner[n]) i++;
        for (int r = 0; r < 3; r++) {
            for (int k = 0; k < 3; k++) *entry(c, i, r, column + k) = v * root[k][r] * g[n][r];
            for (int k = 0; k < 3; k++)  // shear in the plane without axis k
                if (k != r) *entry(c, i, r, column + 3 + k) = v * g[n][3 - r - k];
        }
    }
}

static change elements(const setting *s, int count, const int *tets) {
    change c = new_change(4 * count, 6 * count, 3);
    c.row_count = 0;
    for (int t = 0; t < count; t++)
        for (int n = 0; n < 4; n++) {
            int node = sp_mesh_tets(s->mesh)[4 * tets[t] + n], i = 0;
            while (i < c.row_count && c.rows[i] != node) i++;
            if (i == c.row_count) c.rows[c.row_count++] = node;
        }
    for (int t = 0; t < count; t++) element_columns(s, tets[t], &c, 6 * t);
    return c;
}

static sp_status apply(sp_factor *F, double sign, const change *c, sp_factor_info *info) {
    return sp__factor_update(F, sign, c->row_count, c->rows, c->rank, c->W, info);
}

static void scale_elements(setting *s, int count, const int *tets, double scale) {
    for (int t = 0; t < count; t++)
        help_add_element(&s->A, sp_mesh_positions(s->mesh), sp_mesh_tets(s->mesh) + 4 * tets[t], scale);
}

static const sp_factor_def kinds[] = {
    {.kind = SP_LLT},
    {.kind = SP_LLT, .spare = true, .keep = true},
    {.kind = SP_LDLT},
    {.kind = SP_LDLT, .spare = true},
    {.kind = SP_LLT, .plain = true},
    {.kind = SP_LLT, .single = true},
    {.kind = SP_LDLT, .single = true, .spare = true},
};
enum { KINDS = sizeof kinds / sizeof *kinds };

// ------------------------------------------------------------------------------------------------ removed and restored elements

TEST(removed_and_restored_elements) {
    const int tets[] = {7, 200, 201, 5, 100, 319, 40, 150, 151, 152, 153, 154, 21};
    for (int k = 0; k < KINDS; k++)
        for (int count = 1; count <= 13; count = 3 * count + 1) {
            setting s;
            sp_factor_info info;
            REQUIRE(open_body(&s, 6, 3, kinds[k]));
            change c = elements(&s, count, tets);
            CHECK_INT(apply(s.F, -1, &c, &info), SP_OK);
            CHECK(info.columns > 0 && info.columns <= s.S->n && info.supernodes > 0 && info.flops > 0 && info.unknown == -1);
            scale_elements(&s, count, tets, -1);  // the matrix assembled without them
            CHECK_NEAR(error_of(s.F, &s.A.view, NULL, 0), 0, allowed(s.F, c.rank));
            CHECK_INT(apply(s.F, 1, &c, &info), SP_OK);
            scale_elements(&s, count, tets, 1);
            CHECK_NEAR(error_of(s.F, &s.A.view, NULL, 0), 0, allowed(s.F, 2 * c.rank));
            drop_change(&c);
            close_setting(&s);
        }
}

// Only the path of one element is changed, which is less than the whole factor.
TEST(one_element_changes_only_its_path) {
    setting s;
    sp_factor_info info;
    const int first = 0;
    REQUIRE(open_body(&s, 16, 3, kinds[0]));
    change c = elements(&s, 1, &first);
    int *list = calloc((size_t)s.S->count, sizeof *list);
    CHECK_INT(apply(s.F, 1, &c, &info), SP_OK);
    CHECK_INT(info.supernodes, sp__factor_closure(s.F, c.row_count, c.rows, list));
    CHECK(info.columns < s.S->n / 2);
    free(list);
    drop_change(&c);
    close_setting(&s);
}

// Errors of many changes grow like a random walk: 200 of them are allowed 15 times one.
TEST(many_changes_in_a_row) {
    setting s;
    sp_factor_info info;
    unsigned long long seed = 9;
    bool out[400] = {false};
    REQUIRE(open_body(&s, 6, 3, kinds[0]));
    int n = sp_mesh_element_count(s.mesh) < 400 ? sp_mesh_element_count(s.mesh) : 400;
    for (int i = 0; i < 200; i++) {
        int tet = (int)((sp_test_random(&seed) + 1) * 0.5 * n);
        change c = elements(&s, 1, &tet);
        CHECK_INT(apply(s.F, out[tet] ? 1 : -1, &c, &info), SP_OK);
        scale_elements(&s, 1, &tet, out[tet] ? 1 : -1);
        out[tet] = !out[tet];
        drop_change(&c);
    }
    CHECK_NEAR(error_of(s.F, &s.A.view, NULL, 0), 0, 15 * allowed(s.F, 6));
    close_setting(&s);
}

// ------------------------------------------------------------------------------------------------ general W

// Columns with a few rows each from randomly chosen fronts; sizes from a thousandth to the largest.
static change random_change(const sp_symbolic *S, int rank, double size, unsigned long long *seed) {
    change c = new_change(S->n, rank, S->block);
    for (int i = 0; i < S->n; i++) c.rows[i] = S->n - 1 - i;
    for (int k = 0; k < rank; k++) {
        int s = (int)((sp_test_random(seed) + 1) * 0.5 * S->count);
        double scale = size * pow(10, 1.5 * (sp_test_random(seed) - 1));
        for (int i = S->row_start[s]; i < S->row_start[s + 1]; i++)
            for (int r = 0; r < S->block && (sp_test_random(seed) > 0.3 || i == S->row_start[s]); r++)
                *entry(&c, S->n - 1 - S->perm[S->row[i]], r, k) = scale * sp_test_random(seed);
    }
    return c;
}

TEST(random_ranks_solve_the_changed_matrix) {
    const int blocks[] = {1, 2, 3, 6};
    unsigned long long seed = 21;
    for (int k = 0; k < KINDS; k++)
        for (int rank = 1; rank <= 130; rank += rank < 12 ? 3 : 29) {
            setting s = {.ctx = help_context(1)};
            sp_factor_info info;
            s.A = help_random(s.ctx, 60, blocks[(k + rank) % 4], 0.03, (unsigned long long)(rank + k));
            REQUIRE(factor_setting(&s, kinds[k]));
            change c = random_change(s.S, rank, 10, &seed);
            CHECK_INT(apply(s.F, 1, &c, &info), SP_OK);
            CHECK_NEAR(error_of(s.F, &s.A.view, &c, 1), 0, allowed(s.F, rank));
            CHECK_INT(apply(s.F, -1, &c, &info), SP_OK);
            // the addition is subtracted again: the remaining error is that of the matrix in between, up to 10 times larger for a
            // rank
            CHECK_NEAR(error_of(s.F, &s.A.view, NULL, 0), 0, 10 * allowed(s.F, rank));
            drop_change(&c);
            close_setting(&s);
        }
}

// An indefinite matrix keeps an L D L^T.
TEST(indefinite_with_pivots) {
    setting s = {.ctx = help_context(1)};
    sp_factor_info info;
    unsigned long long seed = 2;
    s.A = help_random(s.ctx, 40, 3, 0.05, 6);
    for (int i = 0; i < s.A.view.n; i += 2)
        for (int r = 0; r < 3; r++) s.A.val[9 * (size_t)s.A.row_start[i] + 4 * (size_t)r] *= -1;
    REQUIRE(factor_setting(&s, (sp_factor_def){.kind = SP_LDLT}));
    change c = random_change(s.S, 9, 0.5, &seed);
    CHECK_INT(apply(s.F, -1, &c, &info), SP_OK);
    CHECK_NEAR(error_of(s.F, &s.A.view, &c, -1), 0, allowed(s.F, c.rank));
    drop_change(&c);
    close_setting(&s);
}

TEST(empty_changes) {
    setting s;
    sp_factor_info info;
    REQUIRE(open_body(&s, 3, 2, kinds[0]));
    change c = new_change(5, 3, 3);  // zeros
    for (int i = 0; i < 5; i++) c.rows[i] = i;
    CHECK_INT(apply(s.F, 1, &c, &info), SP_OK);
    CHECK_INT(info.columns, 0);
    CHECK_INT(sp__factor_update(s.F, -1, 0, NULL, 0, NULL, &info), SP_OK);
    CHECK_NEAR(error_of(s.F, &s.A.view, NULL, 0), 0, allowed(s.F, 0));
    drop_change(&c);
    close_setting(&s);
}

// Outdated blocks are refactored: the next partial factorisation gives the bits of a complete one.
TEST(partial_after_update_equals_a_complete_factor) {
    setting s;
    sp_factor *G;
    sp_factor_info info;
    const int tets[] = {3, 250}, other = 120;
    for (int spare = 0; spare < 2; spare++) {
        REQUIRE(open_body(&s, 6, 3, (sp_factor_def){.kind = SP_LLT, .keep = true, .spare = spare}));
        change c = elements(&s, 2, tets);
        CHECK_INT(apply(s.F, -1, &c, &info), SP_OK);
        scale_elements(&s, 2, tets, -1);
        scale_elements(&s, 1, &other, 1);
        CHECK_INT(sp__factor_partial(s.F, &s.A.view, 4, sp_mesh_tets(s.mesh) + 4 * other, true, &info), SP_OK);
        REQUIRE(sp__factor_create(s.ctx, &(sp_factor_def){.kind = SP_LLT, .keep = true}, s.S, &G) == SP_OK);
        CHECK_INT(sp__factor_make(G, &s.A.view, 0, true, &info), SP_OK);
        CHECK(help_same_factor(s.F, G));
        sp__factor_destroy(&G);
        drop_change(&c);
        close_setting(&s);
    }
}

// ------------------------------------------------------------------------------------------------ refusals

// Twice the stiffness of two elements is subtracted: one pivot must fail.
TEST(a_downdate_that_fails_keeps_the_old_factor) {
    const int tets[] = {7, 200};
    for (int k = 0; k < KINDS; k++) {
        setting s;
        sp_factor *G;
        sp_factor_info info;
        if (kinds[k].kind == SP_LDLT) continue;
        REQUIRE(open_body(&s, 6, 3, kinds[k]));
        REQUIRE(sp__factor_create(s.ctx, &kinds[k], s.S, &G) == SP_OK);
        CHECK_INT(sp__factor_make(G, &s.A.view, 0, true, &info), SP_OK);
        change c = elements(&s, 2, tets);
        for (int i = 0; i < c.row_count * 3 * c.rank; i++) c.W[i] *= 3;
        CHECK_INT(apply(s.F, -1, &c, &info), SP_NOT_SPD);
        CHECK_INT(info.status, SP_NOT_SPD);
        CHECK(info.unknown >= 0 && info.unknown < 3 * s.S->n && info.pivot <= 0);
        CHECK(sp__factor_good(s.F) == kinds[k].spare);
        if (kinds[k].spare) {
            CHECK(help_same_factor(s.F, G));
            CHECK_NEAR(error_of(s.F, &s.A.view, NULL, 0), 0, allowed(s.F, 0));
        }
        CHECK_INT(sp__factor_make(s.F, &s.A.view, 0, true, &info), SP_OK);
        CHECK(help_same_factor(s.F, G));
        sp__factor_destroy(&G);
        drop_change(&c);
        close_setting(&s);
    }
}

// The failing unknown is the one whose diagonal was subtracted.
TEST(the_failing_unknown_is_named) {
    setting s;
    sp_factor_info info;
    REQUIRE(open_body(&s, 4, 2, (sp_factor_def){.kind = SP_LLT, .spare = true}));
    for (int i = 0; i < s.S->n; i += 7) {
        change c = new_change(1, 1, 3);
        c.rows[0] = i;
        *entry(&c, 0, 1, 0) = 1e4;
        CHECK_INT(apply(s.F, -1, &c, &info), SP_NOT_SPD);
        CHECK_INT(info.unknown, 3 * i + 1);
        CHECK(info.pivot < 0);
        drop_change(&c);
    }
    close_setting(&s);
}

TEST(wrong_input_is_refused) {
    setting s;
    sp_factor *G;
    sp_factor_info info;
    const int first = 0;
    REQUIRE(open_body(&s, 16, 2, kinds[0]));
    REQUIRE(sp__factor_create(s.ctx, &kinds[0], s.S, &G) == SP_OK);
    change c = elements(&s, 1, &first);
    CHECK_INT(apply(G, 1, &c, &info), SP_BAD_INPUT);  // not factored yet
    CHECK_INT(sp__factor_make(G, &s.A.view, 0, true, &info), SP_OK);
    CHECK_INT(apply(s.F, 2, &c, &info), SP_BAD_INPUT);
    c.W[17] = NAN;
    CHECK_INT(apply(s.F, 1, &c, &info), SP_NOT_FINITE);
    c.rows[2] = s.S->n;
    CHECK_INT(apply(s.F, 1, &c, &info), SP_BAD_INPUT);
    drop_change(&c);
    // the two ends of the body have no common entry
    c = new_change(2, 1, 3);
    c.rows[0] = 0, c.rows[1] = s.S->n - 1;
    for (int i = 0; i < 2; i++) *entry(&c, i, 0, 0) = 1;
    for (int i = 0; i < s.S->n; i++)
        if (sp_mesh_positions(s.mesh)[3 * i] == 0) c.rows[0] = i;
    for (int i = 0; i < s.S->n; i++)
        if (sp_mesh_positions(s.mesh)[3 * i] == 16) c.rows[1] = i;
    CHECK_INT(apply(s.F, 1, &c, &info), SP_BAD_INPUT);
    CHECK(help_same_factor(s.F, G));
    sp__factor_destroy(&G);
    drop_change(&c);
    close_setting(&s);
}

TEST(failed_allocations_keep_the_factor) {
    meter m = {1000000, 0};
    sp_context_def def = metered_context(&m);
    setting s = {0};
    sp_factor_info info;
    REQUIRE(sp_context_create(&def, &s.ctx) == SP_OK);
    s.A = help_random(s.ctx, 30, 3, 0.1, 4);
    REQUIRE(factor_setting(&s, kinds[0]));
    unsigned long long seed = 3;
    change c = random_change(s.S, 7, 1, &seed);
    m.allowed = 0;
    CHECK_INT(apply(s.F, 1, &c, &info), SP_NO_MEMORY);
    CHECK_NEAR(error_of(s.F, &s.A.view, NULL, 0), 0, allowed(s.F, 0));
    m.allowed = 1;
    CHECK_INT(apply(s.F, 1, &c, &info), SP_OK);
    CHECK_INT(apply(s.F, 1, &c, &info), SP_OK);  // without further allocations
    drop_change(&c);
    close_setting(&s);
    CHECK_INT(m.live, 0);
}
