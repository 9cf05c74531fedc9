// Files of frictional contact problems in the format of FCLIB: groups fclib_local or fclib_global with matrices as in CSparse
// (compressed rows if nz = -2, compressed columns if nz = -1, triplets otherwise), and solution. Everything is checked before it
// is used: sizes against the file, indices against the matrix, numbers for being finite.
#ifdef SP_HAVE_HDF5
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>

#include "io/record/hdf5_items.h"
#include "io/record/recording.h"

struct sp_fclib {
    sp_recording r;  // only its parts for reading items: context, memory, path, file
    sp_fclib_problem problem;
};

// ---------------------------------------------------------------------------------------------------- items

// one integer, stored as a list of one
static sp_status read_integer(sp_fclib *c, hid_t at, const char *name, int *out) {
    int count = -1, *list;
    SP_TRY(sp__recording_column(&c->r, at, name, H5T_NATIVE_INT, sizeof *list, &count, (void **)&list));
    if (count != 1) return SP_RECORDING_FAIL(&c->r, "\"%s\" has %d numbers, must have 1", name, count);
    *out = list[0];
    return SP_OK;
}

static sp_status read_vector(sp_fclib *c, hid_t at, const char *name, int wanted, const double **out) {
    int count = -1;
    double *list;
    SP_TRY(sp__recording_column(&c->r, at, name, H5T_NATIVE_DOUBLE, sizeof *list, &count, (void **)&list));
    if (count != wanted) return SP_RECORDING_FAIL(&c->r, "\"%s\" has %d numbers, must have %d", name, count, wanted);
    for (int i = 0; i < count; i++)
        if (!isfinite(list[i])) return SP_RECORDING_FAIL(&c->r, "\"%s\": number %d is not finite", name, i);
    *out = list;
    return SP_OK;
}

// ---------------------------------------------------------------------------------------------------- matrices

typedef struct stored_matrix {
    const char *name;
    int m, n, nz, p_count, i_count, x_count;
    int *p, *i;
    double *x;
} stored_matrix;

static sp_status index_wrong(sp_fclib *c, const stored_matrix *a, const char *what, int value, int limit) {
    return SP_RECORDING_FAIL(&c->r, "matrix \"%s\": %s %d, must be in [0, %d)", a->name, what, value, limit);
}

// pointers of compressed rows or columns: ascending, within the lists
static sp_status check_compressed(sp_fclib *c, const stored_matrix *a, int outer, int inner) {
    if (a->p_count != outer + 1)
        return SP_RECORDING_FAIL(&c->r, "matrix \"%s\": %d pointers, must be %d", a->name, a->p_count, outer + 1);
    if (a->p[0] != 0) return SP_RECORDING_FAIL(&c->r, "matrix \"%s\" starts at entry %d, must be 0", a->name, a->p[0]);
    for (int k = 0; k < outer; k++)
        if (a->p[k + 1] < a->p[k])
            return SP_RECORDING_FAIL(&c->r, "matrix \"%s\": pointer %d is below the one before", a->name, k + 1);
    if (a->p[outer] > a->i_count || a->p[outer] > a->x_count)
        return SP_RECORDING_FAIL(&c->r, "matrix \"%s\": %d entries, but %d indices and %d values", a->name, a->p[outer],
                                 a->i_count, a->x_count);
    for (int k = 0; k < a->p[outer]; k++)
        if (a->i[k] < 0 || a->i[k] >= inner) return index_wrong(c, a, "index", a->i[k], inner);
    return SP_OK;
}

// Rows are in `i` and columns in `p`, as in CSparse; the header of FCLIB says the reverse, so files of both kinds are accepted
// where the size of the matrix distinguishes them.
static sp_status check_triplets(sp_fclib *c, stored_matrix *a) {
    if (a->nz > a->p_count || a->nz > a->i_count || a->nz > a->x_count)
        return SP_RECORDING_FAIL(&c->r, "matrix \"%s\": %d triplets, but lists of %d, %d and %d", a->name, a->nz, a->i_count,
                                 a->p_count, a->x_count);
    for (int way = 0; way < 2; way++) {
        int k = 0;
        while (k < a->nz && a->i[k] >= 0 && a->i[k] < a->m && a->p[k] >= 0 && a->p[k] < a->n) k++;
        if (k == a->nz) return SP_OK;
        int *swap = a->i;
        a->i = a->p, a->p = swap;
        if (way == 1) return index_wrong(c, a, "row", a->i[k], a->m);
    }
    return SP_OK;
}

// entry k of the file as row, column
static void entry_at(const stored_matrix *a, int k, int outer, int *row, int *column) {
    *row = a->nz == -2 ? outer : a->i[k];
    *column = a->nz == -2 ? a->i[k] : a->nz == -1 ? outer : a->p[k];
}

// to compressed rows, by counting
static sp_status turn_to_rows(sp_fclib *c, const stored_matrix *a, sp_fclib_matrix *out) {
    int entries = a->nz >= 0 ? a->nz : a->p[a->nz == -1 ? a->n : a->m], *start, *column, *next;
    double *value;
    if (!SP_KEEP(&c->r.keep, start, (size_t)a->m + 2) || !SP_KEEP(&c->r.keep, next, (size_t)a->m + 1) ||
        !SP_KEEP(&c->r.keep, column, (size_t)entries + 1) || !SP_KEEP(&c->r.keep, value, (size_t)entries + 1))
        return SP_FAIL(c->r.ctx, SP_NO_MEMORY, "%s: no memory to read it", c->r.path);
    for (int pass = 0; pass < 2; pass++) {
        for (int k = 0, outer = 0; k < entries; k++) {
            int row, col;
            while (a->nz < 0 && k >= a->p[outer + 1]) outer++;
            entry_at(a, k, outer, &row, &col);
            if (pass == 0) {
                start[row + 1]++;
                continue;
            }
            if (!isfinite(a->x[k])) return SP_RECORDING_FAIL(&c->r, "matrix \"%s\": entry %d is not finite", a->name, k);
            column[next[row]] = col, value[next[row]++] = a->x[k];
        }
        for (int r = 0; r < a->m && pass == 0; r++) start[r + 1] += start[r], next[r] = start[r];
    }
    *out = (sp_fclib_matrix){a->m, a->n, start, column, value};
    return SP_OK;
}

static sp_status read_matrix_items(sp_fclib *c, hid_t g, stored_matrix *a) {
    a->p_count = a->i_count = a->x_count = -1;
    SP_TRY(read_integer(c, g, "m", &a->m));
    SP_TRY(read_integer(c, g, "n", &a->n));
    SP_TRY(read_integer(c, g, "nz", &a->nz));
    if (a->m < 0 || a->n < 0 || a->m > INT_MAX / 8 || a->n > INT_MAX / 8)
        return SP_RECORDING_FAIL(&c->r, "matrix \"%s\" of %d x %d", a->name, a->m, a->n);
    if (a->nz < -2)
        return SP_RECORDING_FAIL(&c->r, "matrix \"%s\": nz = %d, must be -2, -1 or a number of triplets", a->name, a->nz);
    SP_TRY(sp__recording_column(&c->r, g, "p", H5T_NATIVE_INT, sizeof *a->p, &a->p_count, (void **)&a->p));
    SP_TRY(sp__recording_column(&c->r, g, "i", H5T_NATIVE_INT, sizeof *a->i, &a->i_count, (void **)&a->i));
    SP_TRY(sp__recording_column(&c->r, g, "x", H5T_NATIVE_DOUBLE, sizeof *a->x, &a->x_count, (void **)&a->x));
    if (a->nz >= 0) return check_triplets(c, a);
    return a->nz == -1 ? check_compressed(c, a, a->n, a->m) : check_compressed(c, a, a->m, a->n);
}

// a triplet matrix may announce any number of rows: they are bounded by the vectors of the problem, which the caller checks first
static sp_status read_matrix(sp_fclib *c, hid_t at, const char *name, int rows, int columns, sp_fclib_matrix *out) {
    stored_matrix a = {.name = name};
    hid_t g = sp__recording_group(&c->r, at, name);
    if (g < 0) return SP_BAD_INPUT;
    sp_status status = read_matrix_items(c, g, &a);
    H5Gclose(g);
    SP_TRY(status);
    if (a.m != rows || a.n != columns)
        return SP_RECORDING_FAIL(&c->r, "matrix \"%s\" is %d x %d, must be %d x %d", name, a.m, a.n, rows, columns);
    return turn_to_rows(c, &a, out);
}

// ---------------------------------------------------------------------------------------------------- problems

// number of a list of the group "vectors"; 0: there is none
static sp_status vector_length(sp_fclib *c, hid_t vectors, const char *name, int *out) {
    sp_extent e;
    hid_t data;
    *out = 0;
    if (H5Lexists(vectors, name, H5P_DEFAULT) <= 0) return SP_OK;
    SP_TRY(sp__recording_extent(&c->r, vectors, name, &data, &e));
    H5Dclose(data);
    if (e.rank != 1 || e.size[0] > INT_MAX / 8) return SP_RECORDING_FAIL(&c->r, "\"%s\" is not a list of numbers", name);
    *out = (int)e.size[0];
    return sp__recording_fits(&c->r, name, e.size[0], sizeof(double));
}

static sp_status read_friction(sp_fclib *c, hid_t vectors) {
    sp_fclib_problem *p = &c->problem;
    SP_TRY(vector_length(c, vectors, "mu", &p->contacts));
    if (p->contacts == 0) return SP_RECORDING_FAIL(&c->r, "a problem without contacts");
    SP_TRY(read_vector(c, vectors, "mu", p->contacts, &p->mu));
    for (int i = 0; i < p->contacts; i++)
        if (!(p->mu[i] >= 0))
            return SP_RECORDING_FAIL(&c->r, "friction coefficient %g of contact %d, must not be negative", p->mu[i], i);
    return SP_OK;
}

static sp_status read_local(sp_fclib *c, hid_t g, hid_t vectors) {
    sp_fclib_problem *p = &c->problem;
    int rows = p->dimension * p->contacts, n;
    SP_TRY(read_vector(c, vectors, "q", rows, &p->q));
    SP_TRY(read_matrix(c, g, "W", rows, rows, &p->W));
    SP_TRY(vector_length(c, vectors, "s", &n));
    if (n == 0 || H5Lexists(g, "V", H5P_DEFAULT) <= 0) return SP_OK;
    p->equalities = n;
    SP_TRY(read_vector(c, vectors, "s", n, &p->s));
    SP_TRY(read_matrix(c, g, "V", rows, n, &p->V));
    return read_matrix(c, g, "R", n, n, &p->R);
}

static sp_status read_global(sp_fclib *c, hid_t g, hid_t vectors) {
    sp_fclib_problem *p = &c->problem;
    int rows = p->dimension * p->contacts, dofs, n;
    SP_TRY(vector_length(c, vectors, "f", &dofs));
    SP_TRY(read_vector(c, vectors, "f", dofs, &p->f));
    SP_TRY(read_vector(c, vectors, "w", rows, &p->w));
    SP_TRY(read_matrix(c, g, "M", dofs, dofs, &p->M));
    SP_TRY(read_matrix(c, g, "H", dofs, rows, &p->H));
    SP_TRY(vector_length(c, vectors, "b", &n));
    if (n == 0 || H5Lexists(g, "G", H5P_DEFAULT) <= 0) return SP_OK;
    p->equalities = n;
    SP_TRY(read_vector(c, vectors, "b", n, &p->b));
    return read_matrix(c, g, "G", dofs, n, &p->G);
}

static sp_status read_problem(sp_fclib *c, hid_t g) {
    sp_fclib_problem *p = &c->problem;
    SP_TRY(read_integer(c, g, "spacedim", &p->dimension));
    if (p->dimension != 2 && p->dimension != 3) return SP_RECORDING_FAIL(&c->r, "spacedim = %d, must be 2 or 3", p->dimension);
    hid_t vectors = sp__recording_group(&c->r, g, "vectors");
    if (vectors < 0) return SP_BAD_INPUT;
    sp_status status = read_friction(c, vectors);
    if (status >= 0) status = p->global ? read_global(c, g, vectors) : read_local(c, g, vectors);
    H5Gclose(vectors);
    return status;
}

static sp_status read_file(sp_fclib *c) {
    SP_TRY(sp__recording_open_file(&c->r));
    c->problem.global = H5Lexists(c->r.file, "fclib_global", H5P_DEFAULT) > 0;
    if (!c->problem.global && H5Lexists(c->r.file, "fclib_local", H5P_DEFAULT) <= 0)
        return SP_RECORDING_FAIL(&c->r, "no contact problem: it has neither \"fclib_local\" nor \"fclib_global\"");
    hid_t g = sp__recording_group(&c->r, c->r.file, c->problem.global ? "fclib_global" : "fclib_local");
    if (g < 0) return SP_BAD_INPUT;
    sp_status status = read_problem(c, g);
    H5Gclose(g);
    return status;
}

sp_status sp_fclib_read(sp_context *ctx, const char *path, sp_fclib **out) {
    sp_fclib *c = *out = sp__alloc(ctx, 1, sizeof *c);
    if (!c) return SP_FAIL(ctx, SP_NO_MEMORY, "%s: no memory to read it", path);
    c->r = (sp_recording){.ctx = ctx, .keep = {ctx, NULL}, .file = -1, .path = path};
    sp__hdf5_enter();
    sp_status status = read_file(c);
    if (c->r.file >= 0) H5Fclose(c->r.file);
    sp__hdf5_leave();
    if (status < 0) sp_fclib_close(out);
    return status;
}

const sp_fclib_problem *sp_fclib_get(const sp_fclib *c) {
    return &c->problem;
}

void sp_fclib_close(sp_fclib **file) {
    sp_fclib *c = *file;
    if (!c) return;
    sp__keep_free(&c->r.keep);
    sp__free(c->r.ctx, c);
    *file = NULL;
}

// ---------------------------------------------------------------------------------------------------- writing

static void write_integer(sp_h5 *h, hid_t at, const char *name, int value) {
    sp__h5_numbers(h, at, name, H5T_STD_I32LE, H5T_NATIVE_INT, &value, 1);
}

static void write_vector(sp_h5 *h, hid_t at, const char *name, const double *values, int count) {
    if (values) sp__h5_numbers(h, at, name, H5T_IEEE_F64LE, H5T_NATIVE_DOUBLE, values, (size_t)count);
}

static void write_matrix(sp_h5 *h, hid_t at, const char *name, const sp_fclib_matrix *a) {
    if (!a->start) return;
    hid_t g = sp__h5_group(h, at, name);
    if (g < 0) return;
    int entries = a->start[a->rows];
    write_integer(h, g, "nzmax", entries);
    write_integer(h, g, "m", a->rows);
    write_integer(h, g, "n", a->columns);
    write_integer(h, g, "nz", -2);
    sp__h5_numbers(h, g, "p", H5T_STD_I32LE, H5T_NATIVE_INT, a->start, (size_t)a->rows + 1);
    sp__h5_numbers(h, g, "i", H5T_STD_I32LE, H5T_NATIVE_INT, a->column, (size_t)entries);
    sp__h5_numbers(h, g, "x", H5T_IEEE_F64LE, H5T_NATIVE_DOUBLE, a->value, (size_t)entries);
    H5Gclose(g);
}

static void write_problem(sp_h5 *h, const sp_fclib_problem *p) {
    int rows = p->dimension * p->contacts, dofs = p->M.rows;
    hid_t g = sp__h5_group(h, h->file, p->global ? "fclib_global" : "fclib_local");
    if (g < 0) return;
    write_integer(h, g, "spacedim", p->dimension);
    const sp_fclib_matrix *matrices[] = {&p->W, &p->V, &p->R, &p->M, &p->H, &p->G};
    static const char *const names[] = {"W", "V", "R", "M", "H", "G"};
    for (int i = 0; i < 6; i++) write_matrix(h, g, names[i], matrices[i]);
    hid_t vectors = sp__h5_group(h, g, "vectors");
    if (vectors >= 0) {
        write_vector(h, vectors, "q", p->q, rows);
        write_vector(h, vectors, "s", p->s, p->equalities);
        write_vector(h, vectors, "f", p->f, dofs);
        write_vector(h, vectors, "w", p->w, rows);
        write_vector(h, vectors, "b", p->b, p->equalities);
        write_vector(h, vectors, "mu", p->mu, p->contacts);
        H5Gclose(vectors);
    }
    H5Gclose(g);
}

static void write_solution(sp_h5 *h, const sp_fclib_problem *p, const sp_fclib_solution *s) {
    hid_t g = sp__h5_group(h, h->file, "solution");
    if (g < 0) return;
    write_vector(h, g, "v", p->global ? s->v : NULL, p->M.rows);
    write_vector(h, g, "u", s->u, p->dimension * p->contacts);
    write_vector(h, g, "r", s->r, p->dimension * p->contacts);
    write_vector(h, g, "l", p->equalities ? s->l : NULL, p->equalities);
    H5Gclose(g);
}

// under a temporary name, so that a failure leaves nothing
sp_status sp_fclib_write(sp_context *ctx, const char *path, const sp_fclib_problem *p, const sp_fclib_solution *solution) {
    size_t n = strlen(path) + 8;
    char *part = sp__alloc(ctx, n, 1);
    sp_h5 h = {.ctx = ctx, .path = path};
    if (!part) return SP_FAIL(ctx, SP_NO_MEMORY, "%s: no memory to write it", path);
    snprintf(part, n, "%s.part", path);
    sp__hdf5_enter();
    h.file = H5Fcreate(part, H5F_ACC_TRUNC, H5P_DEFAULT, H5P_DEFAULT);
    if (h.file >= 0) {
        write_problem(&h, p);
        if (solution) write_solution(&h, p, solution);
        if (H5Fclose(h.file) < 0) sp__h5_failed(&h, "closing");
    } else {
        sp__h5_failed(&h, "creating");
    }
    sp__hdf5_leave();
    if (!h.failed && rename(part, path) != 0) sp__h5_failed(&h, "renaming");
    if (h.failed) remove(part);
    sp__free(ctx, part);
    return h.failed ? SP_FAIL(ctx, SP_IO, "%s: cannot be written (%s)", path, h.what) : SP_OK;
}
#else
#include "io/base.h"

static sp_status fclib_absent(sp_context *ctx, const char *path) {
    return SP_FAIL(ctx, SP_UNAVAILABLE, "%s: this build has no HDF5: install libhdf5-dev and build again with -DSP_HDF5=ON",
                   path);
}

sp_status sp_fclib_read(sp_context *ctx, const char *path, sp_fclib **out) {
    *out = NULL;
    return fclib_absent(ctx, path);
}

// no file can be open: these functions only complete the library

const sp_fclib_problem *sp_fclib_get(const sp_fclib *file) {
    (void)file;
    return NULL;
}

void sp_fclib_close(sp_fclib **file) {
    *file = NULL;
}

sp_status sp_fclib_write(sp_context *ctx, const char *path, const sp_fclib_problem *problem, const sp_fclib_solution *solution) {
    (void)problem, (void)solution;
    return fclib_absent(ctx, path);
}
#endif
