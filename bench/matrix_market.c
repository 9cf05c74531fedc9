// Reader of Matrix Market files. Header, sizes, entries as triples with their line; then a counting sort into rows, which finds
// duplicates and entries without a mirror image. No count is accepted that the remaining bytes could not hold.
#include "matrix_market.h"

#include <limits.h>
#include <stdarg.h>
#include <stdio.h>

#include "io/file/text_file.h"

typedef enum field { FIELD_REAL, FIELD_INTEGER, FIELD_PATTERN } field;

// entries of the file with indices from 0; mirrored: (row, col) with row > col
typedef struct triple {
    int row, col, line;
    double value;
} triple;

typedef struct reader {
    sp_context *ctx;
    const char *name, *at, *end;
    int line;
    field field;
    bool general;
    int n, count;
    triple *entry;
    double *diagonal;
    int *start, *order;  // upper triangle, row i: entries order[start[i]] .. by ascending column
} reader;

static sp_status mtx_fail(reader *r, int source_line, int line, const char *format, ...) SP_PRINTF(4, 5);

static sp_status mtx_fail(reader *r, int source_line, int line, const char *format, ...) {
    char text[320];
    va_list list;
    va_start(list, format);
    vsnprintf(text, sizeof text, format, list);
    va_end(list);
    return sp_context_fail(r->ctx, SP_BAD_INPUT, __FILE__, source_line, "%s:%d: %s", r->name, line, text);
}

#define MTX_FAIL(r, ...) mtx_fail((r), __LINE__, (r)->line, __VA_ARGS__)
#define MTX_FAIL_AT(r, line, ...) mtx_fail((r), __LINE__, (line), __VA_ARGS__)

static sp_status no_memory(reader *r) {
    return SP_FAIL(r->ctx, SP_NO_MEMORY, "%s: no memory for a matrix of %d rows and %d entries", r->name, r->n, r->count);
}

// ------------------------------------------------------------------------------------------------ tokens

static bool is_blank(char c) {
    return c == ' ' || c == '\t' || c == '\r' || c == '\f' || c == '\v';
}

static void skip_blanks(reader *r) {
    while (r->at < r->end && is_blank(*r->at)) r->at++;
}

static void skip_line(reader *r) {
    while (r->at < r->end && *r->at != '\n') r->at++;
    if (r->at < r->end) r->at++, r->line++;
}

// moves to the next line with data; false: none
static bool next_line(reader *r) {
    for (; r->at < r->end; skip_line(r)) {
        skip_blanks(r);
        if (r->at < r->end && *r->at != '\n' && *r->at != '%') return true;
    }
    return false;
}

// the next token, shortened for a message
static const char *matrix_market_shown(const reader *r, char out[32]) {
    int n = 0;
    for (const char *p = r->at; p < r->end && n < 28 && (unsigned char)*p > ' '; p++) out[n++] = (*p < 127) ? *p : '?';
    out[n] = 0;
    return n ? out : r->at < r->end ? "the end of the line" : "the end of the file";
}

static bool token_ends(const reader *r, const char *p) {
    return p && (p >= r->end || is_blank(*p) || *p == '\n');
}

static sp_status take_integer(reader *r, const char *what, int64_t low, int64_t high, int64_t *out) {
    char seen[32];
    skip_blanks(r);
    const char *p = sp__scan_int64(r->at, out);
    if (!token_ends(r, p))
        return MTX_FAIL(r, "%s: an integer in [%lld, %lld] is needed, seen %s", what, (long long)low, (long long)high,
                        matrix_market_shown(r, seen));
    if (*out < low || *out > high)
        return MTX_FAIL(r, "%s = %lld, must be in [%lld, %lld]", what, (long long)*out, (long long)low, (long long)high);
    r->at = p;
    return SP_OK;
}

static sp_status take_number(reader *r, double *out) {
    char seen[32];
    skip_blanks(r);
    const char *p = sp__scan_double(r->at, out);
    if (!token_ends(r, p)) return MTX_FAIL(r, "value: a finite number is needed, seen %s", matrix_market_shown(r, seen));
    r->at = p;
    return SP_OK;
}

static sp_status take_end_of_line(reader *r) {
    char seen[32];
    skip_blanks(r);
    if (r->at >= r->end || *r->at == '\n') return SP_OK;
    return MTX_FAIL(r, "%s is more than the line allows", matrix_market_shown(r, seen));
}

// ------------------------------------------------------------------------------------------------ header and sizes

// the next word of the line in lower case, truncated; "" at the end of the line
static void take_word(reader *r, char *out, size_t size) {
    size_t n = 0;
    skip_blanks(r);
    for (; r->at < r->end && !is_blank(*r->at) && *r->at != '\n'; r->at++) {
        unsigned char c = (unsigned char)*r->at;
        if (n + 1 < size) out[n++] = (char)(c >= 'A' && c <= 'Z' ? c - 'A' + 'a' : c < ' ' || c > 126 ? '?' : c);
    }
    out[n] = 0;
}

// one word of the header: its index in a NULL-terminated list
static sp_status take_choice(reader *r, const char *what, const char *const *choices, const char *allowed, int *out) {
    char word[32];
    take_word(r, word, sizeof word);
    for (*out = 0; choices[*out]; ++*out)
        if (!strcmp(word, choices[*out])) return SP_OK;
    return MTX_FAIL(r, "header: %s is '%s', must be %s", what, word, allowed);
}

static sp_status read_header(reader *r) {
    static const char *const banner[] = {"%%matrixmarket", NULL}, *const object[] = {"matrix", NULL},
                             *const format[] = {"coordinate", NULL}, *const fields[] = {"real", "integer", "pattern", NULL},
                             *const symmetry[] = {"symmetric", "general", NULL};
    int choice, kind;
    SP_TRY(take_choice(r, "the first word", banner, "%%MatrixMarket", &choice));
    SP_TRY(take_choice(r, "the object", object, "matrix", &choice));
    SP_TRY(take_choice(r, "the format", format, "coordinate", &choice));
    SP_TRY(take_choice(r, "the field", fields, "real, integer or pattern", &kind));
    SP_TRY(take_choice(r, "the symmetry", symmetry, "symmetric, or general with a symmetric matrix", &choice));
    r->field = (field)kind;
    r->general = choice == 1;
    SP_TRY(take_end_of_line(r));
    return SP_OK;
}

static sp_status read_sizes(reader *r) {
    int64_t rows, cols, count;
    skip_line(r);
    if (!next_line(r)) return MTX_FAIL(r, "the file ends before the line of sizes");
    SP_TRY(take_integer(r, "rows", 1, INT_MAX / SP_BLOCK_MAX, &rows));
    SP_TRY(take_integer(r, "columns", 1, INT_MAX / SP_BLOCK_MAX, &cols));
    SP_TRY(take_integer(r, "entries", 0, INT_MAX / 2, &count));
    SP_TRY(take_end_of_line(r));
    if (rows != cols)
        return MTX_FAIL(r, "%lld rows and %lld columns: a symmetric matrix is square", (long long)rows, (long long)cols);
    // the shortest entries are "1 1" and "1 1 1", each after a newline
    int64_t most = (r->end - r->at) / (r->field == FIELD_PATTERN ? 4 : 6);
    if (count > most)
        return MTX_FAIL(r, "%lld entries, but the rest of the file has room for %lld at most: cut short, or a wrong count",
                        (long long)count, (long long)most);
    if (rows > 2 * count)
        return MTX_FAIL(r, "%lld rows and %lld entries: some row has none, and the matrix is singular", (long long)rows,
                        (long long)count);
    r->n = (int)rows, r->count = (int)count;
    return SP_OK;
}

// ------------------------------------------------------------------------------------------------ entries

static sp_status read_value(reader *r, double *out) {
    int64_t whole;
    const int64_t exact = INT64_C(1) << 53;  // larger integers are not all exact as doubles
    switch (r->field) {
    case FIELD_REAL: return take_number(r, out);
    case FIELD_INTEGER:
        SP_TRY(take_integer(r, "value", -exact, exact, &whole));
        *out = (double)whole;
        return SP_OK;
    default: *out = -1; return SP_OK;
    }
}

static sp_status read_entries(reader *r) {
    for (int k = 0; k < r->count; k++) {
        int64_t row, col;
        triple *e = &r->entry[k];
        skip_line(r);
        if (!next_line(r)) return MTX_FAIL(r, "the file ends after %d entries of %d", k, r->count);
        SP_TRY(take_integer(r, "row", 1, r->n, &row));
        SP_TRY(take_integer(r, "column", 1, r->n, &col));
        SP_TRY(read_value(r, &e->value));
        SP_TRY(take_end_of_line(r));
        if (!r->general && row < col)
            return MTX_FAIL(r, "entry (%lld, %lld) stands above the diagonal: a symmetric file has the lower triangle only",
                            (long long)row, (long long)col);
        e->row = (int)row - 1, e->col = (int)col - 1, e->line = r->line;
        if (row == col) r->diagonal[e->row] = e->value;
    }
    skip_line(r);
    char seen[32];
    if (next_line(r)) return MTX_FAIL(r, "%s after the last of %d entries", matrix_market_shown(r, seen), r->count);
    return SP_OK;
}

static int upper_row(const triple *e) {
    return e->row < e->col ? e->row : e->col;
}

static int upper_col(const triple *e) {
    return e->row < e->col ? e->col : e->row;
}

// sorts the entries by row and column of the upper triangle: a counting sort by column, then a stable one by row. An entry and
// its mirror image become neighbours.
static sp_status sort_entries(reader *r) {
    int *by_col = NULL, *at = NULL;
    if (!SP_NEW(r->ctx, by_col, r->count) || !SP_NEW(r->ctx, at, (size_t)r->n + 1)) {
        sp__free(r->ctx, by_col);
        return no_memory(r);
    }
    for (int k = 0; k < r->count; k++) at[upper_col(&r->entry[k]) + 1]++;
    for (int i = 0; i < r->n; i++) at[i + 1] += at[i];
    for (int k = 0; k < r->count; k++) by_col[at[upper_col(&r->entry[k])]++] = k;
    for (int k = 0; k < r->count; k++) r->start[upper_row(&r->entry[k]) + 1]++;
    for (int i = 0; i < r->n; i++) r->start[i + 1] += r->start[i];
    memcpy(at, r->start, sizeof *at * ((size_t)r->n + 1));
    for (int k = 0; k < r->count; k++) r->order[at[upper_row(&r->entry[by_col[k]])]++] = by_col[k];
    sp__free(r->ctx, by_col);
    sp__free(r->ctx, at);
    return SP_OK;
}

static const triple *sorted(const reader *r, int k) {
    return &r->entry[r->order[k]];
}

// whether k and k + 1 are the same entry of the upper triangle
static bool same_place(const reader *r, int k, int end) {
    return k + 1 < end && upper_col(sorted(r, k)) == upper_col(sorted(r, k + 1));
}

// Entry (i, j) and its mirror image may differ by rounding. The tolerance is relative to the diagonal, which bounds the entries
// of a positive definite matrix.
static bool mirrors(const reader *r, const triple *e, double a, double b) {
    double scale = sqrt(fabs(r->diagonal[e->row])) * sqrt(fabs(r->diagonal[e->col]));
    return fabs(a - b) <= 1e-13 * fmax(scale, fmax(fabs(a), fabs(b)));
}

// one value of the triangle from the entries at *k, which is advanced
static sp_status take_place(reader *r, int *k, int end, double *value) {
    const triple *e = sorted(r, *k);
    bool pair = same_place(r, *k, end);
    const triple *f = pair ? sorted(r, *k + 1) : NULL;
    if (pair && (!r->general || e->row == f->row || same_place(r, *k + 1, end))) {
        const triple *g = e->row == f->row ? f : same_place(r, *k + 1, end) ? sorted(r, *k + 2) : f;
        return MTX_FAIL_AT(r, g->line, "entry (%d, %d) appears twice, first in line %d", g->row + 1, g->col + 1,
                           g->row == e->row ? e->line : f->line);
    }
    bool mirrored = r->general && e->row != e->col;
    double image = pair ? f->value : 0;
    if (mirrored && !mirrors(r, e, e->value, image))
        return MTX_FAIL_AT(r, pair ? f->line : e->line,
                           "entry (%d, %d) = %.17g, but (%d, %d) = %.17g%s: the matrix is not symmetric", e->row + 1, e->col + 1,
                           e->value, e->col + 1, e->row + 1, image, pair ? "" : " (not in the file)");
    *value = mirrored && e->value != image ? 0.5 * e->value + 0.5 * image : e->value;
    *k += pair ? 2 : 1;
    return SP_OK;
}

// rows of the triangle with their diagonal; with A == NULL only the number of entries
static sp_status build_rows(reader *r, sp_symmetric_own *A, int *count) {
    int m = 0;
    for (int i = 0; i < r->n; i++) {
        int k = r->start[i], end = r->start[i + 1];
        bool has_diagonal = k < end && upper_col(sorted(r, k)) == i;
        if (!has_diagonal && A) A->row_col[m] = i;
        m += !has_diagonal;
        while (k < end) {
            double value = 0;
            int col = upper_col(sorted(r, k));
            SP_TRY(take_place(r, &k, end, &value));
            if (A) A->row_col[m] = col, A->val[m] = value;
            m++;
        }
        if (A) A->row_start[i + 1] = m;
    }
    *count = m;
    return SP_OK;
}

// every row must have an entry in its own row or in a row above
static sp_status check_rows(reader *r) {
    int *seen = NULL, i;
    if (!SP_NEW(r->ctx, seen, r->n)) return no_memory(r);
    for (int k = 0; k < r->count; k++) seen[r->entry[k].row] = seen[r->entry[k].col] = 1;
    for (i = 0; i < r->n && seen[i]; i++) continue;
    sp__free(r->ctx, seen);
    return i == r->n ? SP_OK : MTX_FAIL(r, "row %d has no entry: the matrix is singular", i + 1);
}

static void fill_pattern_values(sp_symmetric_own *A) {
    int n = A->view.n;
    for (int i = 0; i < n; i++) A->val[A->row_start[i]] = 1;
    for (int i = 0; i < n; i++)
        for (int k = A->row_start[i] + 1; k < A->row_start[i + 1]; k++) {
            A->val[A->row_start[i]] += 1;
            A->val[A->row_start[A->row_col[k]]] += 1;
        }
}

static sp_status read_matrix(reader *r, sp_symmetric_own *out) {
    int count;
    SP_TRY(read_header(r));
    SP_TRY(read_sizes(r));
    if (!SP_NEW(r->ctx, r->entry, r->count) || !SP_NEW(r->ctx, r->order, r->count) ||
        !SP_NEW(r->ctx, r->start, (size_t)r->n + 1) || !SP_NEW(r->ctx, r->diagonal, r->n))
        return no_memory(r);
    SP_TRY(read_entries(r));
    SP_TRY(check_rows(r));
    SP_TRY(sort_entries(r));
    SP_TRY(build_rows(r, NULL, &count));
    SP_TRY(sp__symmetric_create(r->ctx, r->n, 1, count, out));
    sp_status status = build_rows(r, out, &count);
    if (r->field == FIELD_PATTERN) fill_pattern_values(out);
    return status;
}

sp_status sp__mtx_parse(sp_context *ctx, const char *name, const char *text, size_t size, sp_symmetric_own *out) {
    reader r = {.ctx = ctx, .name = name, .at = text, .end = text + size, .line = 1};
    *out = (sp_symmetric_own){0};
    sp_status status = read_matrix(&r, out);
    sp__free(ctx, r.entry);
    sp__free(ctx, r.order);
    sp__free(ctx, r.start);
    sp__free(ctx, r.diagonal);
    return status;
}

sp_status sp__mtx_read(sp_context *ctx, const char *path, sp_symmetric_own *out) {
    char *text;
    size_t size;
    *out = (sp_symmetric_own){0};
    SP_TRY(sp__text_read(ctx, path, 0, &text, &size));
    sp_status status = sp__mtx_parse(ctx, path, text, size, out);
    sp__free(ctx, text);
    return status;
}
