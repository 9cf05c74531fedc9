// The symbolic analysis against elimination on a dense pattern, and the guarantees of symbolic.h on all test matrices.
#include "meter.h"
#include "sparse/symbolic.h"
#include "sparse_help.h"

// pattern of L for A in the order perm, by elimination: L[i * n + j], lower triangle with the diagonal
static unsigned char *eliminate(const sp_symmetric *A, const int *perm) {
    int n = A->n, *place = calloc((size_t)n + 1, sizeof *place);
    unsigned char *L = calloc((size_t)n * (size_t)n + 1, 1);
    for (int k = 0; k < n; k++) place[perm[k]] = k;
    for (int i = 0; i < n; i++)
        for (int k = A->row_start[i]; k < A->row_start[i + 1]; k++) {
            int p = place[i], q = place[A->row_col[k]];
            L[(p > q ? p : q) * n + (p < q ? p : q)] = 1;
        }
    for (int k = 0; k < n; k++)
        for (int i = k + 1; i < n; i++)
            for (int j = k + 1; L[i * n + k] && j <= i; j++)
                if (L[j * n + k]) L[i * n + j] = 1;
    free(place);
    return L;
}

static void check_tree(const sp_symbolic *S, const unsigned char *L) {
    int n = S->n, b = S->block, wrong = 0;
    int64_t entries = 0;
    for (int j = 0; j < n; j++) {
        int parent = -1, below = 0;
        for (int i = n - 1; i > j; i--)
            if (L[i * n + j]) parent = i, below++;
        wrong += S->parent[j] != parent;
        entries += (int64_t)below * b * b + b * (b + 1) / 2;
    }
    CHECK_INT(wrong, 0);
    CHECK_INT(S->entries_exact, entries);
    CHECK(S->entries >= S->entries_exact);
}

// own columns first, then ascending rows: all rows of any own column, and the last own column has every row below
static void check_front(const sp_symbolic *S, const unsigned char *L, int s) {
    int n = S->n, k = sp__front_columns(S, s), m = sp__front_rows(S, s), wrong = 0;
    const int *row = S->row + S->row_start[s];
    unsigned char *in = calloc((size_t)n, 1);
    for (int i = 0; i < m; i++) {
        wrong += i < k ? row[i] != S->first[s] + i : row[i] <= row[i - 1];
        in[row[i]] = 1;
    }
    for (int j = S->first[s]; j < S->first[s + 1]; j++) {
        wrong += S->super_of[j] != s;
        for (int i = j; i < n; i++) wrong += L[i * n + j] && !in[i];
    }
    for (int i = k; i < m; i++) wrong += !L[row[i] * n + S->first[s + 1] - 1];
    CHECK_INT(wrong, 0);
    free(in);
}

static void check_nesting(const sp_symbolic *S, int s) {
    int k = sp__front_columns(S, s), m = sp__front_rows(S, s), p = S->super_parent[s], wrong = 0;
    const int *row = S->row + S->row_start[s], *up = S->up + S->row_start[s];
    CHECK(p < 0 ? m == k : p > s && S->super_of[S->parent[S->first[s + 1] - 1]] == p);
    for (int i = 0; i < m; i++)
        wrong += i < k ? up[i] != -1 : up[i] < 0 || up[i] >= sp__front_rows(S, p) || S->row[S->row_start[p] + up[i]] != row[i];
    CHECK_INT(wrong, 0);
}

static void check_children(const sp_symbolic *S) {
    int roots = 0, wrong = 0;
    for (int s = 0; s < S->count; s++) {
        int low = s;
        roots += S->super_parent[s] < 0;
        for (int c = S->child_start[s]; c < S->child_start[s + 1]; c++) {
            wrong += S->super_parent[S->child[c]] != s || (c > S->child_start[s] && S->child[c] <= S->child[c - 1]);
            if (S->subtree[S->child[c]] < low) low = S->subtree[S->child[c]];
        }
        wrong += S->subtree[s] != low;
        // a contiguous range: every one of it except the last has its parent inside
        for (int t = S->subtree[s]; t < s; t++) wrong += S->super_parent[t] < 0 || S->super_parent[t] > s;
    }
    CHECK_INT(wrong, 0);
    CHECK_INT(S->child_start[S->count], S->count - roots);
}

static void check_tasks(const sp_symbolic *S) {
    int *seen = calloc((size_t)S->count + 1, sizeof *seen), wrong = 0;
    for (int t = 0; t < S->task_count; t++) {
        wrong += S->subtree[S->task_last[t]] != S->task_first[t];
        for (int s = S->task_first[t]; s <= S->task_last[t]; s++) seen[s]++;
    }
    for (int t = 0; t < S->top_count; t++) {
        wrong += t > 0 && S->top[t] <= S->top[t - 1];
        seen[S->top[t]]++;
        if (S->super_parent[S->top[t]] >= 0) wrong += seen[S->super_parent[S->top[t]]] != 0;  // its parent is in top, later
    }
    for (int s = 0; s < S->count; s++) wrong += seen[s] != 1;
    CHECK_INT(wrong, 0);
    free(seen);
}

// the blocks of A at the positions of the analysis are P A P^T: its lower triangle, or whole on the diagonal
static void check_entries(const sp_symbolic *S, const sp_symmetric *A) {
    int b = S->block, wrong = 0;
    size_t n = (size_t)S->n * (size_t)b;
    double *D = help_dense(A), *P = calloc(n * n + 1, sizeof *P);
    for (int s = 0; s < S->count; s++)
        for (int e = S->entry_start[s]; e < S->entry_start[s + 1]; e++) {
            const double *B = sp__symmetric_block(A, S->entry[e]);
            bool turned = S->entry_col[e] & SP_ENTRY_TRANSPOSED;
            int i = S->row[S->row_start[s] + S->entry_at[e]], j = S->first[s] + (S->entry_col[e] & ~SP_ENTRY_TRANSPOSED);
            wrong += S->super_of[j] != s || i < j;
            for (int r = 0; r < b; r++)
                for (int c = 0; c < b; c++)
                    P[(size_t)(i * b + r) * n + (size_t)(j * b + c)] = B[A->stride * (turned ? b * c + r : b * r + c)];
        }
    CHECK_INT(S->entry_start[S->count], A->row_start[A->n]);
    for (int i = 0; i < S->n; i++)
        for (int j = 0; j <= i; j++)
            for (int r = 0; r < b; r++)
                for (int c = 0; c < b; c++)
                    wrong += P[(size_t)(i * b + r) * n + (size_t)(j * b + c)] !=
                             D[(size_t)(S->perm[i] * b + r) * n + (size_t)(S->perm[j] * b + c)];
    CHECK_INT(wrong, 0);
    free(D);
    free(P);
}

static void check_measures(const sp_symbolic *S) {
    double total = 0;
    int64_t entries = 0, below = 0;
    int front = 0, column = 0;
    for (int s = 0; s < S->count; s++) {
        int m = S->block * sp__front_rows(S, s), k = S->block * sp__front_columns(S, s);
        double flops = 0;
        for (int j = 0; j < k; j++) flops += (double)(m - j) * (m - j), entries += m - j;
        CHECK_NEAR(S->flops[s], flops, 0);  // integers below 2^53
        total += flops;
        below += (int64_t)(m - k) * (m - k);
        front = m > front ? m : front;
        column = k > column ? k : column;
    }
    CHECK_NEAR(S->flops_total, total, 0);
    CHECK_INT(S->entries, entries);
    CHECK_INT(S->below_total, below);
    CHECK_INT(S->front_most, front);
    CHECK_INT(S->column_most, column);
}

static void check_symbolic(const sp_symbolic *S, const sp_symmetric *A) {
    int n = S->n, wrong = 0;
    for (int k = 0; k < n; k++) wrong += S->perm[k] < 0 || S->perm[k] >= n || S->place[S->perm[k]] != k;
    CHECK_INT(wrong, 0);
    if (wrong) return;
    unsigned char *L = eliminate(A, S->perm);
    check_tree(S, L);
    CHECK_INT(S->first[0], 0);
    CHECK_INT(S->first[S->count], n);
    for (int s = 0; s < S->count; s++) {
        check_front(S, L, s);
        check_nesting(S, s);
    }
    check_children(S);
    check_tasks(S);
    check_entries(S, A);
    check_measures(S);
    free(L);
}

static void check_matrix(sp_context *ctx, sp_symmetric_own *A) {
    static const sp_ordering kinds[] = {SP_ORDER_NATURAL, SP_ORDER_METIS, SP_ORDER_AMD, SP_ORDER_AUTO};
    for (int k = 0; k < 4; k++) {
        sp_symbolic *S = NULL;
        sp_status status = sp__symbolic_create(ctx, kinds[k], &A->view, NULL, &S);
        if (status == SP_UNAVAILABLE) continue;
        REQUIRE(status == SP_OK);
        check_symbolic(S, &A->view);
        sp__symbolic_release(&S);
        CHECK(!S);
    }
    sp__symmetric_free(A);
}

TEST(random_patterns) {
    sp_context *ctx;
    REQUIRE(sp_context_create(NULL, &ctx) == SP_OK);
    for (int n = 1; n <= 60; n += n < 12 ? 1 : 12)
        for (int c = 0; c < 4; c++) {
            static const double chance[] = {0.02, 0.08, 0.2, 0.6};
            sp_symmetric_own A = help_random(ctx, n, 1 + (n + c) % 3, chance[c], (unsigned long long)(100 * n + c));
            check_matrix(ctx, &A);
        }
    sp_context_destroy(&ctx);
}

TEST(extreme_patterns) {
    sp_context *ctx;
    enum { N = 70 };
    unsigned char *P = calloc(N * N, 1);
    REQUIRE(sp_context_create(NULL, &ctx) == SP_OK);
    sp_symmetric_own A = help_matrix(ctx, N, 3, P, 1);  // only a diagonal: N trees
    check_matrix(ctx, &A);
    for (int i = 1; i < N; i++) P[i] = 1;  // an arrow in the wrong direction: natural order fills everything
    A = help_matrix(ctx, N, 2, P, 2);
    check_matrix(ctx, &A);
    memset(P, 0, N * N);
    for (int i = 0; i < N - 1; i++) P[i * N + N - 1] = 1;  // in the right direction: no fill
    A = help_matrix(ctx, N, 2, P, 3);
    check_matrix(ctx, &A);
    memset(P, 1, N * N);  // dense
    A = help_matrix(ctx, N, 3, P, 4);
    check_matrix(ctx, &A);
    memset(P, 0, N * N);
    for (int i = 0; i + 1 < N; i++) P[i * N + i + 1] = 1;
    P[N - 1] = 1;  // a chain that is closed over the whole width
    A = help_matrix(ctx, N, 6, P, 5);
    check_matrix(ctx, &A);
    memset(P, 0, N * N);
    for (int i = 0; i < N; i++)
        for (int j = i + 1; j < N; j++) P[i * N + j] = i % 3 == j % 3 && j - i < 12;  // three interlaced disconnected graphs
    A = help_matrix(ctx, N, 3, P, 6);
    check_matrix(ctx, &A);
    free(P);
    sp_context_destroy(&ctx);
}

TEST(the_natural_order_keeps_its_fill) {
    sp_context *ctx;
    int perm[40];
    REQUIRE(sp_context_create(NULL, &ctx) == SP_OK);
    for (int round = 0; round < 10; round++) {
        sp_symmetric_own A = help_random(ctx, 40, 1, 0.1, 50 + (unsigned)round);
        for (int i = 0; i < 40; i++) perm[i] = i;
        sp_symbolic *S;
        REQUIRE(sp__symbolic_create(ctx, SP_ORDER_NATURAL, &A.view, NULL, &S) == SP_OK);
        check_symbolic(S, &A.view);
        unsigned char *L = eliminate(&A.view, perm);
        int64_t fill = 0;
        for (int i = 0; i < 40 * 40; i++) fill += L[i];
        CHECK_INT(S->entries_exact, fill);
        free(L);
        sp__symbolic_release(&S);
        sp__symmetric_free(&A);
    }
    sp_context_destroy(&ctx);
}

TEST(invalid_orderings_are_refused) {
    sp_context *ctx;
    sp_symbolic *S = NULL;
    REQUIRE(sp_context_create(NULL, &ctx) == SP_OK);
    sp_symmetric_own A = help_random(ctx, 4, 1, 0.5, 1);
    CHECK(sp__symbolic_create(ctx, (sp_ordering)17, &A.view, NULL, &S) == SP_BAD_INPUT && !S);
    CHECK(sp__symbolic_create(ctx, SP_ORDER_GEOMETRIC, &A.view, NULL, &S) == SP_UNAVAILABLE && !S);
    sp__symmetric_free(&A);
    sp_context_destroy(&ctx);
}

// a large body: the tree has work for several workers, and padding stays within the limit of amalgamation
TEST(beam) {
    sp_context *ctx;
    sp_mesh *mesh;
    REQUIRE(sp_context_create(NULL, &ctx) == SP_OK);
    REQUIRE(sp_mesh_box(ctx, (double[]){4, 1, 1}, (int[]){16, 4, 4}, 6, &mesh) == SP_OK);
    sp_symmetric_own A = help_mesh(ctx, mesh, 3);
    sp_symbolic *S;
    REQUIRE(sp__symbolic_create(ctx, SP_ORDER_AUTO, &A.view, sp_mesh_positions(mesh), &S) == SP_OK);
    check_symbolic(S, &A.view);
    CHECK(S->task_count > 3);
    CHECK((double)S->entries < 1.5 * (double)S->entries_exact);
    sp_symbolic *T = sp__symbolic_share(S);
    sp__symbolic_release(&S);
    CHECK(T->count > 0 && sp__symbolic_bytes(T) > sizeof *T);  // lives as long as its last user
    sp__symbolic_release(&T);
    sp__symmetric_free(&A);
    sp_mesh_destroy(&mesh);
    sp_context_destroy(&ctx);
}

// a chain of a million rows, in order and from both ends: no recursion, no quadratic algorithm
TEST(a_million_rows) {
    enum { N = 1000000 };
    sp_context *ctx;
    sp_symmetric_own A;
    REQUIRE(sp_context_create(NULL, &ctx) == SP_OK);
    REQUIRE(sp__symmetric_create(ctx, N, 1, 2 * N - 1, &A) == SP_OK);
    for (int i = 0, k = 0; i < N; i++) {
        A.row_col[k++] = i;
        if (i + 1 < N) A.row_col[k++] = i + 1;
        A.row_start[i + 1] = k;
    }
    sp_symbolic *S;
    REQUIRE(sp__symbolic_create(ctx, SP_ORDER_NATURAL, &A.view, NULL, &S) == SP_OK);
    CHECK_INT(S->entries_exact, 2 * N - 1);
    CHECK_INT(S->first[S->count], N);
    sp__symbolic_release(&S);
    // a star: a million children of one root
    for (int i = 0, k = 0; i < N; i++) {
        A.row_col[k++] = i;
        if (i + 1 < N) A.row_col[k++] = N - 1;
        A.row_start[i + 1] = k;
    }
    REQUIRE(sp__symbolic_create(ctx, SP_ORDER_NATURAL, &A.view, NULL, &S) == SP_OK);
    CHECK_INT(S->entries_exact, 2 * N - 1);
    sp__symbolic_release(&S);
    sp__symmetric_free(&A);
    sp_context_destroy(&ctx);
}

TEST(every_allocation_may_fail) {
    meter m = {.allowed = 1000000};
    sp_context *ctx;
    sp_context_def def = metered_context(&m);
    REQUIRE(sp_context_create(&def, &ctx) == SP_OK);
    sp_symmetric_own A = help_random(ctx, 30, 3, 0.1, 9);
    long live = m.live;
    bool done = false;
    for (long n = 0; !done; n++) {
        sp_symbolic *S = NULL;
        m.allowed = n;
        sp_status status = sp__symbolic_create(ctx, SP_ORDER_AUTO, &A.view, NULL, &S);
        done = status == SP_OK;
        CHECK(done ? S != NULL : status == SP_NO_MEMORY && !S);
        sp__symbolic_release(&S);
        CHECK_INT(m.live, live);
        REQUIRE(n < 200);
    }
    sp__symmetric_free(&A);
    sp_context_destroy(&ctx);
}
