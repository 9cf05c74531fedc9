// Matrix Market files: reading, writing, and error messages.
#include "matrix_market.h"

#include <unistd.h>

#include "meter.h"
#include "sparse_help.h"

static const char path[] = SP_BINARY_DIR "/matrix_market_test.mtx";

static sp_status parse(sp_context *ctx, const char *text, sp_symmetric_own *A) {
    return sp__mtx_parse(ctx, "test.mtx", text, strlen(text), A);
}

#define HEAD "%%MatrixMarket matrix coordinate real symmetric\n"
#define GENERAL "%%MatrixMarket matrix coordinate real general\n"

TEST(reads_symmetric) {
    sp_context *ctx;
    sp_symmetric_own A;
    REQUIRE(sp_context_create(NULL, &ctx) == SP_OK);
    REQUIRE(parse(ctx, HEAD "% comment\n\n3 3 4\n3 3 7.5\r\n2 1 -1e-3\n%\n1 1 4\n 3\t2  .5 \n", &A) == SP_OK);
    static const int start[] = {0, 2, 4, 5}, col[] = {0, 1, 1, 2, 2};
    static const double val[] = {4, -1e-3, 0, 0.5, 7.5};  // (2, 2) is not in the file: a zero of the pattern
    CHECK_INT(A.view.n, 3);
    CHECK(memcmp(A.row_start, start, sizeof start) == 0 && memcmp(A.row_col, col, sizeof col) == 0);
    CHECK(memcmp(A.val, val, sizeof val) == 0);
    sp__symmetric_free(&A);
    sp_context_destroy(&ctx);
}

TEST(reads_general_if_symmetric) {
    sp_context *ctx;
    sp_symmetric_own A;
    REQUIRE(sp_context_create(NULL, &ctx) == SP_OK);
    REQUIRE(parse(ctx, GENERAL "2 2 4\n1 1 2\n2 2 3\n1 2 -0.3\n2 1 -0.30000000000000004\n", &A) == SP_OK);
    CHECK_NEAR(A.val[1], -0.3, 1e-16);  // between the two, which differ by one bit
    CHECK_INT(A.row_start[2], 3);
    sp__symmetric_free(&A);
    CHECK(parse(ctx, GENERAL "2 2 4\n1 1 2\n2 2 3\n1 2 -0.3\n2 1 -0.31\n", &A) == SP_BAD_INPUT);
    CHECK(strstr(sp_context_error(ctx)->message, "not symmetric") && strstr(sp_context_error(ctx)->message, "test.mtx:6"));
    CHECK(parse(ctx, GENERAL "2 2 3\n1 1 2\n2 2 3\n1 2 -0.3\n", &A) == SP_BAD_INPUT);
    CHECK(strstr(sp_context_error(ctx)->message, "not symmetric") && strstr(sp_context_error(ctx)->message, "test.mtx:5"));
    sp_context_destroy(&ctx);
}

TEST(reads_integers_and_patterns) {
    sp_context *ctx;
    sp_symmetric_own A;
    REQUIRE(sp_context_create(NULL, &ctx) == SP_OK);
    REQUIRE(parse(ctx, "%%MATRIXMARKET Matrix coordinate INTEGER symmetric\n2 2 3\n1 1 5\n2 1 -2\n2 2 9007199254740992\n", &A) ==
            SP_OK);
    CHECK(A.val[0] == 5 && A.val[1] == -2 && A.val[2] == 9007199254740992.0);
    sp__symmetric_free(&A);
    // a chain of three: degrees 1, 2, 1
    REQUIRE(parse(ctx, "%%MatrixMarket matrix coordinate pattern symmetric\n3 3 2\n2 1\n3 2\n", &A) == SP_OK);
    CHECK(A.val[0] == 2 && A.val[1] == -1 && A.val[2] == 3 && A.val[3] == -1 && A.val[4] == 2);
    sp__symmetric_free(&A);
    sp_context_destroy(&ctx);
}

TEST(errors_name_line_value_and_range) {
    static const struct {
        const char *text, *message;
    } bad[] = {
        {"", "test.mtx:1: header: the first word is ''"},
        {"matrix coordinate real symmetric\n", "test.mtx:1: header: the first word is 'matrix', must be %%MatrixMarket"},
        {"%%MatrixMarket tensor coordinate real symmetric\n", "'tensor', must be matrix"},
        {"%%MatrixMarket matrix array real symmetric\n", "'array', must be coordinate"},
        {"%%MatrixMarket matrix coordinate complex symmetric\n", "'complex', must be real, integer or pattern"},
        {"%%MatrixMarket matrix coordinate real hermitian\n", "'hermitian', must be symmetric"},
        {"%%MatrixMarket matrix coordinate real\n", "the symmetry is ''"},
        {HEAD, "test.mtx:2: the file ends before the line of sizes"},
        {HEAD "0 0 0\n", "test.mtx:2: rows = 0, must be in [1, "},
        {HEAD "3 2 1\n1 1 1\n", "3 rows and 2 columns"},
        {HEAD "99999999999 1 1\n", "rows = 99999999999, must be in [1, "},
        {HEAD "99999999999999999999999 1 1\n", "rows: an integer"},
        {HEAD "2 2 5000\n1 1 1\n2 2 1\n", "5000 entries, but the rest of the file has room for 2 at most"},
        {HEAD "300000000 300000000 2\n1 1 1\n2 2 1\n", "300000000 rows and 2 entries: some row has none"},
        {HEAD "2 2 1 7\n1 1 1\n", "7 is more than the line allows"},
        {HEAD "2 2 2\n1 1 1\n0 1 1\n", "test.mtx:4: row = 0, must be in [1, 2]"},
        {HEAD "2 2 2\n1 1 1\n3 1 1\n", "test.mtx:4: row = 3, must be in [1, 2]"},
        {HEAD "2 2 2\n2 -1 1\n2 2 1\n", "test.mtx:3: column = -1, must be in [1, 2]"},
        {HEAD "2 2 2\n1.5 1 1\n2 2 1\n", "row: an integer in [1, 2] is needed, seen 1.5"},
        {HEAD "2 2 2\n1 1 nan\n2 2 1\n", "test.mtx:3: value: a finite number is needed, seen nan"},
        {HEAD "2 2 2\n1 1 1e999\n2 2 1\n", "seen 1e999"},
        {HEAD "2 2 2\n1 1 1    \n2 2\n", "test.mtx:4: value: a finite number is needed, seen the end of the line"},
        {HEAD "2 2 2\n1 1 1 4\n2 2 1\n", "4 is more than the line allows"},
        {HEAD "2 2 2\n1 1 1\n1 2 1\n", "test.mtx:4: entry (1, 2) stands above the diagonal"},
        {HEAD "2 2 3\n1 1 1\n2 2 1\n%        \n", "test.mtx:6: the file ends after 2 entries of 3"},
        {HEAD "2 2 2\n1 1 1\n2 2 1\n2 1 1\n", "test.mtx:5: 2 after the last of 2 entries"},
        {HEAD "2 2 4\n1 1 1\n2 1 5\n2 2 1\n2 1 5\n", "test.mtx:6: entry (2, 1) appears twice, first in line 4"},
        {GENERAL "2 2 5\n1 1 1\n2 1 5\n1 2 5\n2 2 1\n2 1 5\n", "test.mtx:7: entry (2, 1) appears twice, first in line 4"},
        {GENERAL "2 2 3\n1 1 1\n2 2 5\n2 2 5\n", "test.mtx:5: entry (2, 2) appears twice, first in line 4"},
        {HEAD "3 3 2\n1 1 1\n3 3 1\n", "row 2 has no entry"},
        {"%%MatrixMarket matrix coordinate integer symmetric\n1 1 1\n1 1 9007199254740993\n",
         "value = 9007199254740993, must be in"},
    };
    sp_context *ctx;
    sp_symmetric_own A;
    REQUIRE(sp_context_create(NULL, &ctx) == SP_OK);
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        bool reported = parse(ctx, bad[i].text, &A) == SP_BAD_INPUT && strstr(sp_context_error(ctx)->message, bad[i].message);
        if (!reported) printf("  wanted: %s\n  got:    %s\n", bad[i].message, sp_context_error(ctx)->message);
        CHECK(reported);
        CHECK(!A.val);
    }
    CHECK(sp__mtx_read(ctx, SP_BINARY_DIR "/no such file.mtx", &A) == SP_IO);
    CHECK(sp__mtx_read(ctx, SP_BINARY_DIR, &A) == SP_IO);
    sp_context_destroy(&ctx);
}

// a truncated file is refused, or was already complete (its last number shortened is still a number)
TEST(truncated_files) {
    static const char text[] = HEAD "2 2 3\n1 1 2.5\n2 1 -1\n2 2 3.25";
    sp_context *ctx;
    sp_symmetric_own A;
    REQUIRE(sp_context_create(NULL, &ctx) == SP_OK);
    for (size_t n = 0; n < sizeof text - 1; n++) {
        char *copy = calloc(n + 1, 1);  // a separate copy, so that a sanitizer detects reads past the end
        memcpy(copy, text, n);
        sp_status status = sp__mtx_parse(ctx, "cut", copy, n, &A);
        CHECK(status == (n < sizeof text - 4 ? SP_BAD_INPUT : SP_OK));
        sp__symmetric_free(&A);
        free(copy);
    }
    sp_context_destroy(&ctx);
}

TEST(writes_bit_for_bit) {
    sp_context *ctx;
    sp_symmetric_own A, B, C;
    REQUIRE(sp_context_create(NULL, &ctx) == SP_OK);
    A = help_random(ctx, 25, 3, 0.2, 4);
    A.val[9 + 1] = 4.9406564584124654e-324, A.val[9 + 2] = -1.7976931348623157e308, A.val[9 + 3] = 0, A.val[9 + 4] = 1.0 / 3;
    REQUIRE(sp__mtx_write(ctx, path, &A.view) == SP_OK);
    REQUIRE(sp__mtx_read(ctx, path, &B) == SP_OK);
    CHECK_INT(B.view.n, 75);
    REQUIRE(sp__mtx_group(ctx, &B.view, 3, &C) == SP_OK);
    CHECK(memcmp(A.row_start, C.row_start, sizeof *A.row_start * 26) == 0);
    CHECK(memcmp(A.row_col, C.row_col, sizeof *A.row_col * (size_t)A.row_start[25]) == 0);
    CHECK(memcmp(A.val, C.val, sizeof *A.val * 9 * (size_t)A.row_start[25]) == 0);
    sp__symmetric_free(&C);
    CHECK(sp__mtx_group(ctx, &B.view, 2, &C) == SP_BAD_INPUT && !C.val);  // 75 is odd
    CHECK(sp__mtx_write(ctx, SP_BINARY_DIR "/no such folder/a.mtx", &A.view) == SP_IO);
    sp__symmetric_free(&A);
    sp__symmetric_free(&B);
    unlink(path);
    sp_context_destroy(&ctx);
}

// views with a stride and their own positions give the same result as their copy
TEST(scalars_of_a_view) {
    sp_context *ctx;
    enum { N = 10 };
    REQUIRE(sp_context_create(NULL, &ctx) == SP_OK);
    sp_symmetric_own A = help_random(ctx, N, 3, 0.3, 6), B;
    int count = A.row_start[N], *pos = calloc((size_t)count, sizeof *pos);
    double *val = calloc((size_t)count * 36, sizeof *val), x[3 * N], y[3 * N], z[3 * N];
    for (int k = 0; k < count; k++) {
        pos[k] = 36 * (count - 1 - k) + 2;
        for (int e = 0; e < 9; e++) val[pos[k] + 3 * e] = A.val[9 * k + e];
    }
    sp_symmetric view = {N, 3, A.row_start, A.row_col, pos, 3, val};
    for (int i = 0; i < 3 * N; i++) x[i] = cos(i);
    sp__symmetric_mul(&view, x, y);
    sp__symmetric_mul(&A.view, x, z);
    CHECK(memcmp(y, z, sizeof y) == 0);
    REQUIRE(help_copy(ctx, &view, &B) == SP_OK);
    CHECK(memcmp(A.val, B.val, sizeof *A.val * 9 * (size_t)count) == 0);
    // rows of scalars, both triangles, against the product
    sp_csr csr;
    REQUIRE(sp__symmetric_csr(ctx, &view, &csr) == SP_OK);
    for (int i = 0; i < 3 * N; i++) {
        double sum = 0;
        for (int64_t k = csr.start[i]; k < csr.start[i + 1]; k++) {
            sum += csr.val[k] * x[csr.col[k]];
            CHECK(k == csr.start[i] || csr.col[k] > csr.col[k - 1]);
        }
        CHECK_NEAR(sum, y[i], 1e-12);  // terms below 30, the same sum in another order
    }
    sp__csr_free(ctx, &csr);
    sp__symmetric_free(&A);
    sp__symmetric_free(&B);
    free(pos);
    free(val);
    sp_context_destroy(&ctx);
}

// reads, groups and expands with fewer and fewer allocations
static sp_status use_all(sp_context *ctx, const char *text) {
    sp_symmetric_own A, B = {0};
    sp_csr csr = {0};
    sp_status status = parse(ctx, text, &A);
    if (status >= 0) status = sp__mtx_group(ctx, &A.view, 2, &B);
    if (status >= 0) status = sp__symmetric_csr(ctx, &B.view, &csr);
    sp__csr_free(ctx, &csr);
    sp__symmetric_free(&A);
    sp__symmetric_free(&B);
    return status;
}

TEST(every_allocation_may_fail) {
    static const char text[] = HEAD "4 4 6\n1 1 2\n2 1 -1\n2 2 3\n3 3 1\n4 4 1\n4 1 -.5\n";
    meter m = {.allowed = 1000000};
    sp_context *ctx;
    sp_context_def def = metered_context(&m);
    REQUIRE(sp_context_create(&def, &ctx) == SP_OK);
    long live = m.live;
    for (long n = 0;; n++) {
        m.allowed = n;
        sp_status status = use_all(ctx, text);
        CHECK_INT(m.live, live);
        if (status == SP_OK) break;
        CHECK_INT(status, SP_NO_MEMORY);
        REQUIRE(n < 100);
    }
    sp_context_destroy(&ctx);
}
