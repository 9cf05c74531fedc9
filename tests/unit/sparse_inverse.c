// Cached columns of an inverse: their products agree with those of rows, and have the same bits whatever was cached before.
#include "factor_help.h"
#include "meter.h"
#include "sparse/inverse_cache.h"

enum { CONTACTS = 40, COUNT = 3 * CONTACTS, NODES = 3 };

typedef struct fixture {
    sp_context *ctx;
    sp_symmetric_own A;
    sp_symbolic *S;
    sp_factor *F;
    sp_inverse_columns *C;
    int start[COUNT + 1], row[COUNT * NODES];
    double value[COUNT * NODES * 3];
    sp_sparse_columns B;
} fixture;

// Contacts of three columns on up to three nodes; neighbours share nodes.
static fixture *fixture_new(int workers, sp_factor_def def) {
    fixture *f = calloc(1, sizeof *f);
    f->ctx = help_context(workers);
    sp_mesh *mesh = help_beam(f->ctx, 12, 3);
    sp_factor_info info;
    unsigned long long seed = 3;
    f->A = help_elastic(f->ctx, mesh);
    sp__symbolic_create(f->ctx, SP_ORDER_AUTO, &f->A.view, sp_mesh_positions(mesh), &f->S);
    sp__factor_create(f->ctx, &def, f->S, &f->F);
    CHECK_INT(sp__factor_make(f->F, &f->A.view, 0, false, &info), SP_OK);
    CHECK_INT(sp__inverse_columns_create(f->ctx, &f->C), SP_OK);
    sp_mesh_destroy(&mesh);
    for (int c = 0; c < COUNT; c++) {
        int nodes = 1 + c / 3 % NODES;
        f->start[c + 1] = f->start[c] + nodes;
        for (int k = 0; k < nodes; k++) f->row[f->start[c] + k] = (c / 3 * 5 + 7 * k) % f->A.view.n;
        for (int k = 3 * f->start[c]; k < 3 * f->start[c + 1]; k++) f->value[k] = sp_test_random(&seed);
    }
    f->B = (sp_sparse_columns){COUNT, f->start, f->row, f->value};
    return f;
}

static void fixture_free(fixture *f) {
    sp__inverse_columns_destroy(&f->C);
    sp__factor_destroy(&f->F);
    sp__symbolic_release(&f->S);
    sp__symmetric_free(&f->A);
    sp_context_destroy(&f->ctx);
    free(f);
}

static bool cached(fixture *f, sp_inverse_cache *K, const sp_sparse_columns *B, double *G) {
    struct sp_columns_scratch *scratch;
    bool fits;
    CHECK_INT(sp__inverse_cache_plan(K, f->F, B->start[B->count] - B->start[0], B->row + B->start[0], false, &fits), SP_OK);
    if (!fits) return false;
    CHECK_INT(sp__inverse_columns_scratch(f->C, f->F, &scratch), SP_OK);
    sp__inverse_cache_fill(K, f->F, scratch, NULL);
    CHECK_INT(sp__inverse_cache_product(K, f->F, scratch, B, G, COUNT), SP_OK);
    return true;
}

static double worst_of(const double *a, const double *b) {
    double worst = 0, most = 0;
    for (int i = 0; i < COUNT * COUNT; i++) worst = fmax(worst, fabs(a[i] - b[i])), most = fmax(most, fabs(a[i]));
    return isfinite(worst) ? worst / most : INFINITY;
}

// Both sum the same products in another order: the condition number, about 1e3, times the unit roundoff.
TEST(products_of_cached_columns_agree_with_products_of_rows) {
    static double rows[COUNT * COUNT], G[COUNT * COUNT];
    for (int flags = 0; flags < 4; flags++) {
        fixture *f = fixture_new(1 + flags, (sp_factor_def){.kind = flags & 1 ? SP_LDLT : SP_LLT, .single = flags & 2});
        sp_inverse_cache *K = NULL;
        REQUIRE(sp__inverse_cache_create(f->ctx, &K) == SP_OK);
        CHECK_INT(sp__inverse_columns_product(f->C, f->F, &f->B, rows, COUNT), SP_OK);
        CHECK(cached(f, K, &f->B, G));
        CHECK_NEAR(worst_of(rows, G), 0, flags & 2 ? 1e-3 : 1e-12);
        for (int i = 0; i < COUNT; i++)
            for (int j = 0; j < i; j++) CHECK(G[i * COUNT + j] == G[j * COUNT + i]);
        CHECK(sp__inverse_cache_bytes(K) > 9 * sizeof(double) * CONTACTS);
        sp__inverse_cache_destroy(&K);
        fixture_free(f);
    }
}

// Of the inverse, the columns of the nodes that contacts touch are computed, each once: their union.
TEST(only_the_union_of_columns_is_computed) {
    static double G[COUNT * COUNT];
    fixture *f = fixture_new(1, (sp_factor_def){.single = false});
    sp_inverse_cache *K = NULL;
    int rows, distinct = 0, n = f->A.view.n;
    int64_t blocks;
    REQUIRE(sp__inverse_cache_create(f->ctx, &K) == SP_OK);
    CHECK(cached(f, K, &f->B, G));
    for (int node = 0; node < n; node++) {
        bool touched = false;
        for (int i = 0; i < f->start[COUNT]; i++) touched |= f->row[i] == node;
        distinct += touched;
    }
    sp__inverse_cache_counts(K, &rows, &blocks);
    CHECK_INT(rows, distinct);
    CHECK(distinct < n && distinct < f->start[COUNT]);
    sp__inverse_cache_destroy(&K);
    fixture_free(f);
}

// the columns of some contacts
static sp_sparse_columns part_of(const fixture *f, int first, int count) {
    return (sp_sparse_columns){3 * count, f->start + 3 * first, f->row, f->value};
}

// What is cached when all columns are asked for: nothing, contacts one by one, contacts in another order, columns from a thread
// of its own, columns of which most were dropped for lack of room.
TEST(bits_do_not_depend_on_what_is_cached) {
    static double first[COUNT * COUNT], G[COUNT * COUNT];
    for (int single = 0; single < 2; single++)
        for (int story = 0; story < 6; story++) {
            fixture *f = fixture_new(story % 3 + 1, (sp_factor_def){.single = single});
            sp_inverse_cache *K = NULL;
            bool fits;
            int rows = 0;
            int64_t before, after;
            REQUIRE(sp__inverse_cache_create(f->ctx, &K) == SP_OK);
            for (int k = 0; k < CONTACTS && (story == 1 || story == 2 || story == 5); k += story == 2 ? 3 : 1) {
                sp_sparse_columns B = part_of(f, story == 2 ? CONTACTS - 1 - k : k, 1);
                if (story == 5) sp__inverse_cache_limit(K, 30, SP_CACHE_BYTES);  // fewer rows than all contacts touch
                CHECK(cached(f, K, &B, G));
            }
            if (story == 5) sp__inverse_cache_limit(K, SP_CACHE_ROWS, SP_CACHE_BYTES);
            if (story == 3 || story == 4) {
                atomic_bool stop;
                atomic_init(&stop, story == 4);  // ends at once: all is computed later
                CHECK_INT(sp__inverse_cache_plan(K, f->F, f->start[COUNT / 2], f->row, true, &fits), SP_OK);
                CHECK(fits);
                sp__inverse_cache_fill(K, f->F, NULL, &stop);
                sp__inverse_cache_counts(K, &rows, &before);
                CHECK(story == 4 ? rows == 0 : rows > CONTACTS / 2);
            }
            sp__inverse_cache_counts(K, &rows, &before);
            CHECK(cached(f, K, &f->B, G));
            sp__inverse_cache_counts(K, &rows, &after);
            CHECK(rows > CONTACTS && after > before);
            if (story == 0) memcpy(first, G, sizeof first);
            CHECK(memcmp(first, G, sizeof G) == 0);
            // all is there: nothing is computed again
            CHECK(cached(f, K, &f->B, G));
            sp__inverse_cache_counts(K, &rows, &before);
            CHECK_INT(before, after);
            CHECK(memcmp(first, G, sizeof G) == 0);
            // another factor: all is computed again
            sp__inverse_cache_clear(K);
            CHECK(cached(f, K, &f->B, G));
            CHECK(memcmp(first, G, sizeof G) == 0);
            sp__inverse_cache_destroy(&K);
            fixture_free(f);
        }
}

// Whether a request is refused depends on the request, not on what is there.
TEST(requests_beyond_the_limits_are_refused) {
    static double G[COUNT * COUNT];
    fixture *f = fixture_new(2, (sp_factor_def){0});
    sp_sparse_columns few = part_of(f, 0, 5);
    for (int warm = 0; warm < 2; warm++) {
        sp_inverse_cache *K = NULL;
        REQUIRE(sp__inverse_cache_create(f->ctx, &K) == SP_OK);
        if (warm) CHECK(cached(f, K, &f->B, G));
        sp__inverse_cache_limit(K, 20, SP_CACHE_BYTES);
        CHECK(!cached(f, K, &f->B, G));
        CHECK(cached(f, K, &few, G));
        sp__inverse_cache_limit(K, SP_CACHE_ROWS, 50000);
        CHECK(!cached(f, K, &f->B, G));
        sp__inverse_cache_destroy(&K);
    }
    fixture_free(f);
}

// A failed allocation at any place leaves a cache that works.
TEST(a_cache_survives_a_lack_of_memory) {
    static double first[COUNT * COUNT], G[COUNT * COUNT];
    for (long n = 0, failed = 1; failed; n++) {
        meter m = {.allowed = 1000000};
        sp_context_def def = metered_context(&m);
        fixture *f = fixture_new(1, (sp_factor_def){0});
        sp_context *ctx;
        sp_inverse_cache *K = NULL;
        bool fits;
        REQUIRE(sp_context_create(&def, &ctx) == SP_OK && sp__inverse_cache_create(ctx, &K) == SP_OK);
        m.allowed = n;
        sp_status status = sp__inverse_cache_plan(K, f->F, f->start[COUNT], f->row, true, &fits);
        failed = status < 0;
        CHECK(status == SP_NO_MEMORY || (status == SP_OK && fits));
        m.allowed = 1000000;
        CHECK(cached(f, K, &f->B, G));
        if (n == 0) memcpy(first, G, sizeof first);
        CHECK(memcmp(first, G, sizeof G) == 0);
        sp__inverse_cache_destroy(&K);
        sp_context_destroy(&ctx);
        CHECK_INT(m.live, 0);
        fixture_free(f);
        REQUIRE(n < 100);
    }
}
