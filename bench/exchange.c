// Data exchange with CHOLMOD: a folder of input files, a line of JSON as result.
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "core/core.h"
#include "matrix_market.h"
#include "rest_matrix.h"

static sp_status exchange_open(sp_exchange *x) {
    const char *folder = getenv("TMPDIR");
    *x = (sp_exchange){.count = 0};
    snprintf(x->folder, sizeof x->folder, "%s/souple-bench-XXXXXX", folder && *folder ? folder : "/tmp");
    if (mkdtemp(x->folder)) return SP_OK;
    fprintf(stderr, "bench: cannot make %s: %s\n", x->folder, strerror(errno));
    x->folder[0] = 0;
    return SP_IO;
}

void sp__exchange_close(sp_exchange *x) {
    for (int i = 0; i < x->count; i++) remove(x->path[i]);
    if (x->folder[0]) rmdir(x->folder);
    *x = (sp_exchange){.count = 0};
}

const char *sp__exchange_path(sp_exchange *x, const char *name) {
    int most = (int)(sizeof x->path / sizeof x->path[0]);
    char *path = x->path[x->count < most ? x->count++ : most - 1];
    size_t used = strlen(x->folder);
    memcpy(path, x->folder, used);
    snprintf(path + used, sizeof x->path[0] - used, "/%s", name);
    return path;
}

// ---- files

static FILE *open_file(const char *path) {
    FILE *f = fopen(path, "w");
    if (!f) fprintf(stderr, "bench: cannot write %s: %s\n", path, strerror(errno));
    return f;
}

static sp_status close_file(FILE *f, const char *path) {
    bool good = !ferror(f);
    if (fclose(f) == 0 && good) return SP_OK;
    fprintf(stderr, "bench: %s could not be written whole\n", path);
    return SP_IO;
}

sp_status sp__write_matrix(sp_context *ctx, const sp_symmetric *A, const char *path) {
    sp_status status = sp__mtx_write(ctx, path, A);
    if (status < 0) fprintf(stderr, "bench: %s: %s\n", path, sp_context_error(ctx)->message);
    return status;
}

// old number of each new unknown, expanded from the permutation of block rows
static sp_status write_order(const int *perm, int rows, int block, const char *path) {
    FILE *f = open_file(path);
    if (!f) return SP_IO;
    for (int i = 0; i < rows; i++)
        for (int a = 0; a < block; a++) fprintf(f, "%d\n", perm[i] * block + a);
    return close_file(f, path);
}

sp_status sp__write_columns(int n, int row_count, const int *rows, int rank, const double *W, const char *path) {
    FILE *f = open_file(path);
    long long entries = 0;
    size_t total = 3 * (size_t)row_count * (size_t)rank;
    if (!f) return SP_IO;
    for (size_t i = 0; i < total; i++) entries += W[i] != 0;
    fprintf(f, "%%%%MatrixMarket matrix coordinate real general\n%d %d %lld\n", n, rank, entries);
    for (size_t i = 0; i < total; i++) {
        size_t r = i / (size_t)rank;
        if (W[i] != 0) fprintf(f, "%d %zu %.17g\n", 3 * rows[r / 3] + (int)(r % 3) + 1, i % (size_t)rank + 1, W[i]);
    }
    return close_file(f, path);
}

// ---- CHOLMOD

// processor time on one thread, wall clock on more, as for our times
static double time_of(const char *line, const char *name, int threads) {
    char key[48];
    double ms = NAN;
    snprintf(key, sizeof key, "%s%s", name, threads > 1 ? "_ms" : "_cpu_ms");
    sp__peer_numbers(line, key, &ms, 1);
    return ms;
}

sp_status sp__cholmod_open(sp_exchange *x, const sp_rest_matrix *m, const sp_symbolic *S, sp_cholmod_job *job) {
    SP_TRY(exchange_open(x));
    job->matrix = sp__exchange_path(x, "matrix.mtx"), job->order = sp__exchange_path(x, "order.txt");
    sp_status status = sp__write_matrix(m->ctx, &m->A.view, job->matrix);
    if (status >= 0) status = write_order(S->perm, S->n, S->block, job->order);
    if (status < 0) sp__exchange_close(x);
    return status;
}

sp_status sp__cholmod_run(const sp_cholmod_job *job, sp_cholmod *out) {
    char threads[16], repeats[16], budget[32], line[1024];
    const char *args[20] = {job->matrix, "--threads", threads, "--repeats", repeats, "--budget", budget};
    int n = 7;
    *out = (sp_cholmod){.analyse_ms = NAN,
                        .factor_ms = NAN,
                        .solve_ms = NAN,
                        .solve64_ms = NAN,
                        .convert_ms = NAN,
                        .entries = NAN,
                        .error = NAN,
                        .remove_ms = {NAN, NAN, NAN},
                        .restore_ms = {NAN, NAN, NAN}};
    snprintf(threads, sizeof threads, "%d", job->threads);
    snprintf(repeats, sizeof repeats, "%d", job->repeats);
    snprintf(budget, sizeof budget, "%g", job->budget_ms);
    if (job->many) args[n++] = "--many";
    if (job->order) args[n++] = "--order", args[n++] = job->order;
    for (int i = 0; i < 3 && job->remove[i]; i++) args[n++] = "--remove", args[n++] = job->remove[i];
    sp_status status = sp__peer_run("cholmod_factor", args, line, sizeof line);
    if (status == SP_UNAVAILABLE) return SP_OK;
    SP_TRY(status);
    out->present = true;
    out->analyse_ms = time_of(line, "analyse", job->threads);
    out->factor_ms = time_of(line, "factor", job->threads);
    out->solve_ms = time_of(line, "solve", job->threads);
    out->solve64_ms = time_of(line, "solve64", job->threads);
    out->convert_ms = time_of(line, "convert", job->threads);
    sp__peer_numbers(line, "entries", &out->entries, 1);
    sp__peer_numbers(line, "backward_error", &out->error, 1);
    sp__peer_numbers(line, job->threads > 1 ? "remove_ms" : "remove_cpu_ms", out->remove_ms, 3);
    sp__peer_numbers(line, job->threads > 1 ? "restore_ms" : "restore_cpu_ms", out->restore_ms, 3);
    return SP_OK;
}
