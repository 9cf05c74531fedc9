// Partial refactorisation: the factor equals a complete factorisation, bit for bit, for any change and any workers.
#include "factor_help.h"
#include "scalar_help.h"

// A body whose elements may be removed, whose nodes may be pinned and whose blocks may change, in its initial pattern.
typedef struct body {
    sp_context *ctx;
    sp_mesh *mesh;
    sp_symmetric_own raw, A;  // without pins, with pins
    unsigned char *gone, *pinned;
    sp_symbolic *S;
    sp_factor *F, *fresh;
    int *changed, count;
    unsigned long long seed;
} body;

static body body_new(sp_context *ctx, int along, int across, sp_factor_def def, unsigned long long seed) {
    body b = {.ctx = ctx, .seed = seed, .mesh = help_beam(ctx, along, across)};
    b.raw = help_elastic(ctx, b.mesh);
    help_copy(ctx, &b.raw.view, &b.A);
    b.gone = calloc((size_t)sp_mesh_element_count(b.mesh), 1);
    b.pinned = calloc((size_t)b.A.view.n, 1);
    b.changed = calloc(4096, sizeof *b.changed);
    sp_factor_info info;
    sp__symbolic_create(ctx, SP_ORDER_AUTO, &b.A.view, sp_mesh_positions(b.mesh), &b.S);
    sp__factor_create(ctx, &def, b.S, &b.F);
    sp__factor_create(ctx, &def, b.S, &b.fresh);
    CHECK_INT(sp__factor_make(b.F, &b.A.view, 0, false, &info), SP_OK);
    CHECK_INT(info.columns, b.A.view.n);
    return b;
}

static void body_free(body *b) {
    sp__factor_destroy(&b->F), sp__factor_destroy(&b->fresh);
    sp__symbolic_release(&b->S);
    sp__symmetric_free(&b->A), sp__symmetric_free(&b->raw);
    sp_mesh_destroy(&b->mesh);
    free(b->gone), free(b->pinned), free(b->changed);
}

static int pick(body *b, int n) {
    int i = (int)(0.5 * (sp_test_random(&b->seed) + 1) * n);
    return i < n ? i : n - 1;
}

static void touch(body *b, int node) {
    b->changed[b->count++] = node;
}

// an element is removed or restored; the mass of its nodes stays
static void toggle_element(body *b) {
    int t = pick(b, sp_mesh_element_count(b->mesh));
    const int *tet = sp_mesh_tets(b->mesh) + 4 * t;
    help_add_element(&b->raw, sp_mesh_positions(b->mesh), tet, b->gone[t] ? 1 : -1);
    b->gone[t] ^= 1;
    for (int c = 0; c < 4; c++) touch(b, tet[c]);
}

// a block becomes stiffer along one axis at both ends
static void change_block(body *b) {
    int i = pick(b, b->A.view.n), k = b->raw.row_start[i] + pick(b, b->raw.row_start[i + 1] - b->raw.row_start[i]);
    int j = b->raw.row_col[k], r = pick(b, 3);
    double v = 0.1 * fabs(sp_test_random(&b->seed));
    b->raw.val[9 * (size_t)b->raw.row_start[i] + 4 * (size_t)r] += v;
    if (j != i) {
        b->raw.val[9 * (size_t)b->raw.row_start[j] + 4 * (size_t)r] += v;
        b->raw.val[9 * (size_t)k + 4 * (size_t)r] -= v;
        touch(b, j);
    }
    touch(b, i);
}

// unit rows for a pinned node: the columns of its neighbours change too
static void toggle_pin(body *b) {
    int node = pick(b, b->A.view.n);
    b->pinned[node] ^= 1;
    touch(b, node);
}

// A from raw, with unit rows for pinned nodes
static void write_matrix(body *b) {
    for (int i = 0; i < b->A.view.n; i++)
        for (int k = b->A.row_start[i]; k < b->A.row_start[i + 1]; k++) {
            int j = b->A.row_col[k];
            bool unit = b->pinned[i] || b->pinned[j];
            for (int e = 0; e < 9; e++) b->A.val[9 * k + e] = !unit ? b->raw.val[9 * k + e] : i == j && e % 4 == 0;
        }
}

static void change(body *b) {
    b->count = 0;
    for (int n = 1 + pick(b, 4); n > 0; n--) switch (pick(b, 3)) {
        case 0: toggle_element(b); break;
        case 1: toggle_pin(b); break;
        default: change_block(b); break;
        }
    write_matrix(b);
}

// Pins change the blocks of their neighbours as well: a changed block (i, j) is in the column of the one that comes first.
static void touch_neighbours(body *b) {
    int count = b->count;
    for (int c = 0; c < count; c++)
        for (int i = 0; i < b->A.view.n; i++)
            for (int k = b->A.row_start[i]; k < b->A.row_start[i + 1]; k++) {
                if (b->count > 4000) break;
                if (i == b->changed[c] && b->A.row_col[k] != i) touch(b, b->A.row_col[k]);
                if (b->A.row_col[k] == b->changed[c] && b->A.row_col[k] != i) touch(b, i);
            }
}

static void random_updates(sp_factor_def def, int updates, int along, int across, int workers, unsigned long long seed) {
    sp_context *ctx = help_context(workers);
    body b = body_new(ctx, along, across, def, seed);
    int fewer = 0;
    for (int u = 0; u < updates; u++) {
        sp_factor_info info, whole;
        int columns;
        double flops;
        change(&b);
        touch_neighbours(&b);
        sp__factor_price(b.F, b.count, b.changed, &columns, &flops);
        REQUIRE(sp__factor_partial(b.F, &b.A.view, b.count, b.changed, u % 2, &info) == SP_OK);
        REQUIRE(sp__factor_make(b.fresh, &b.A.view, 0, u % 3 == 0, &whole) == SP_OK);
        REQUIRE(help_same_factor(b.F, b.fresh));
        CHECK(info.columns == columns && info.flops == flops && info.columns <= whole.columns);
        fewer += info.columns < whole.columns;
    }
    CHECK(fewer > updates / 2);
    body_free(&b);
    sp_context_destroy(&ctx);
}

TEST(a_thousand_random_updates_equal_the_complete_factor) {
    random_updates((sp_factor_def){.keep = true}, 400, 14, 2, 1, 1);
    random_updates((sp_factor_def){.keep = true, .spare = true}, 200, 14, 2, 2, 2);
    random_updates((sp_factor_def){.kind = SP_LDLT, .keep = true}, 200, 14, 2, 1, 3);
    random_updates((sp_factor_def){.keep = true, .spare = true, .single = true}, 200, 14, 2, 3, 4);
}

TEST(large_fronts_are_refactored_by_all_workers) {
    random_updates((sp_factor_def){.keep = true, .spare = true}, 6, 14, 7, 3, 5);
}

// the scalar closure of the changed unknowns is inside ours, and the factors agree
TEST(the_closure_covers_that_of_the_reference) {
    sp_context *ctx = help_context(1);
    body b = body_new(ctx, 14, 2, (sp_factor_def){.keep = true}, 6);
    sp_scalar_factor O;
    int column, n = b.A.view.n;
    REQUIRE(sp__scalar_analyse(ctx, &b.A.view, b.S->perm, &O) == SP_OK);
    REQUIRE(sp__scalar_factor(&O, &b.A.view, &column) == SP_OK);
    double *rhs = help_vector(3 * n, 1), *x = help_vector(3 * n, 2), *y = help_vector(3 * n, 3);
    for (int u = 0; u < 20; u++) {
        int unknowns[3 * 4096];
        sp_factor_info info;
        change(&b);
        touch_neighbours(&b);
        for (int i = 0; i < 3 * b.count; i++) unknowns[i] = 3 * b.S->place[b.changed[i / 3]] + i % 3;
        CHECK_INT(sp__scalar_factor(&O, &b.A.view, &column), SP_OK);
        CHECK_INT(sp__factor_partial(b.F, &b.A.view, b.count, b.changed, false, &info), SP_OK);
        CHECK(3 * info.columns >= help_closure(&O, 3 * b.count, unknowns));
        help_scalar_solve(&O, rhs, x);
        sp__factor_solve(b.F, rhs, y, false);
        // two backward stable solves: they differ by the condition number (some 1e3 here: stiffness over mass) times unit
        // roundoffs
        double worst = 0, most = 0;
        for (int i = 0; i < 3 * n; i++) worst = fmax(worst, fabs(x[i] - y[i])), most = fmax(most, fabs(x[i]));
        CHECK_NEAR(worst / most, 0, 1e-11);
    }
    free(rhs), free(x), free(y);
    sp__scalar_free(&O);
    body_free(&b);
    sp_context_destroy(&ctx);
}

TEST(no_change_costs_nothing) {
    sp_context *ctx = help_context(2);
    body b = body_new(ctx, 8, 2, (sp_factor_def){.keep = true}, 7);
    sp_factor_info info;
    int columns;
    double flops;
    sp__factor_price(b.F, 0, NULL, &columns, &flops);
    CHECK(columns == 0 && flops == 0);
    CHECK_INT(sp__factor_partial(b.F, &b.A.view, 0, NULL, false, &info), SP_OK);
    CHECK(info.columns == 0 && info.flops == 0 && info.supernodes == 0 && sp__factor_good(b.F));
    body_free(&b);
    sp_context_destroy(&ctx);
}

// a failed part leaves the old factor, and the next one starts from it
static void fail_and_go_on(sp_factor_def def) {
    sp_context *ctx = help_context(2);
    body b = body_new(ctx, 10, 2, def, 8);
    sp_factor_info info;
    for (int u = 0; u < 30; u++) {
        int node = pick(&b, b.A.view.n);
        double *at = b.A.val + 9 * (size_t)b.A.row_start[node], good = *at;
        *at = u % 2 ? -1e3 : NAN;
        sp_status failed = sp__factor_partial(b.F, &b.A.view, 1, &node, u % 3 == 0, &info);
        CHECK_INT(failed, u % 2 ? SP_NOT_SPD : SP_NOT_FINITE);
        CHECK(info.unknown >= 0 && info.unknown < 3 * b.A.view.n);
        CHECK_INT(sp__factor_good(b.F), def.spare);
        *at = good;
        if (def.spare) {
            sp__factor_make(b.fresh, &b.A.view, 0, false, &info);
            CHECK(help_same_factor(b.F, b.fresh));
        }
        change(&b);
        touch_neighbours(&b);
        CHECK_INT(sp__factor_partial(b.F, &b.A.view, b.count, b.changed, false, &info), SP_OK);
        CHECK(def.spare || info.columns == b.A.view.n);  // no valid factor: the whole matrix is factored
        sp__factor_make(b.fresh, &b.A.view, 0, false, &info);
        CHECK(help_same_factor(b.F, b.fresh));
    }
    body_free(&b);
    sp_context_destroy(&ctx);
}

TEST(a_failed_part_leaves_the_old_factor) {
    fail_and_go_on((sp_factor_def){.keep = true, .spare = true});
    fail_and_go_on((sp_factor_def){.keep = true});
}

TEST(the_shift_is_kept) {
    sp_context *ctx = help_context(1);
    body b = body_new(ctx, 8, 2, (sp_factor_def){.keep = true}, 9);
    sp_factor_info info;
    CHECK_INT(sp__factor_make(b.F, &b.A.view, 0.5, false, &info), SP_OK);
    change(&b);
    touch_neighbours(&b);
    CHECK_INT(sp__factor_partial(b.F, &b.A.view, b.count, b.changed, false, &info), SP_OK);
    CHECK_NEAR(info.shift, 0.5, 0);
    CHECK_INT(sp__factor_make(b.fresh, &b.A.view, 0.5, false, &info), SP_OK);
    CHECK(help_same_factor(b.F, b.fresh));
    body_free(&b);
    sp_context_destroy(&ctx);
}

TEST(stopped_parts_leave_the_old_factor) {
    sp_context *ctx = help_context(1);
    body b = body_new(ctx, 8, 2, (sp_factor_def){.keep = true, .spare = true}, 10);
    sp_factor_info info;
    atomic_bool stop;
    atomic_init(&stop, true);
    sp__factor_stop_flag(b.F, &stop);
    change(&b);
    CHECK_INT(sp__factor_partial(b.F, &b.A.view, b.count, b.changed, false, &info), SP_STOPPED);
    CHECK(sp__factor_good(b.F));
    atomic_store(&stop, false);
    touch_neighbours(&b);
    CHECK_INT(sp__factor_partial(b.F, &b.A.view, b.count, b.changed, false, &info), SP_OK);
    CHECK_INT(sp__factor_make(b.fresh, &b.A.view, 0, false, &info), SP_OK);
    CHECK(help_same_factor(b.F, b.fresh));
    body_free(&b);
    sp_context_destroy(&ctx);
}
