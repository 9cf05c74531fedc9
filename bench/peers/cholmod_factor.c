// Supernodal factor of CHOLMOD of a matrix written by `souple bench`: same matrix, same elimination order, same threads.
//
//   cholmod_factor MATRIX [--order FILE | --metis | --amd] [--threads N] [--repeats R] [--budget MS] [--many] [--remove FILE]...
//
// MATRIX and the removals are Matrix Market files; the order file has one number per line, the old number of each new unknown
// from 0. Prints one line of JSON: wall and processor milliseconds, each the minimum of its repeats, of analyse, factor, solve
// and (--many) solve of 64 right-hand sides. --remove gives W of A - W W^T as sparse columns, rows in the order of A: downdate
// and update are timed as CHOLMOD does them, in simplicial form. The conversion from supernodal form is timed separately
// (convert_ms), and the permutation of the rows of W is not counted.
//
// BLAS and OpenMP read their thread counts when they are loaded, so the program restarts itself with them set.
#include <cholmod.h>
#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

enum { REMOVALS_MOST = 4, MANY = 64 };

// present in OpenBLAS, but not in other libraries
extern char *openblas_get_config(void) __attribute__((weak));

typedef struct options {
    const char *matrix, *order;
    int ordering;  // ordering method of CHOLMOD
    int threads, repeats;
    double budget_ms;
    bool many;
    const char *remove[REMOVALS_MOST];
    int remove_count;
} options;

typedef struct timing {
    double wall, cpu;
} timing;

typedef struct result {
    timing analyse, factor, solve, many, convert, remove[REMOVALS_MOST], restore[REMOVALS_MOST];
    double error, entries, flops, removed_error;
} result;

static int fail(const char *what, const char *detail) {
    fprintf(stderr, "cholmod_factor: %s %s\n", what, detail ? detail : "");
    exit(1);
}

static double clock_ms(clockid_t which) {
    struct timespec t;
    clock_gettime(which, &t);
    return 1e3 * (double)t.tv_sec + 1e-6 * (double)t.tv_nsec;
}

static timing now(void) {
    return (timing){clock_ms(CLOCK_MONOTONIC), clock_ms(CLOCK_PROCESS_CPUTIME_ID)};
}

static void keep_least(timing *least, timing start) {
    timing end = now();
    least->wall = fmin(least->wall, end.wall - start.wall);
    least->cpu = fmin(least->cpu, end.cpu - start.cpu);
}

// ---- arguments and files

static double number_after(int argc, char **argv, int *i) {
    if (*i + 1 >= argc) fail("a number is missing after", argv[*i]);
    return atof(argv[++*i]);
}

static options read_options(int argc, char **argv) {
    options o = {.ordering = CHOLMOD_METIS, .threads = 1, .repeats = 3, .budget_ms = 1e9};
    for (int i = 1; i < argc; i++) {
        if (strcmp(argv[i], "--threads") == 0)
            o.threads = (int)number_after(argc, argv, &i);
        else if (strcmp(argv[i], "--repeats") == 0)
            o.repeats = (int)number_after(argc, argv, &i);
        else if (strcmp(argv[i], "--budget") == 0)
            o.budget_ms = number_after(argc, argv, &i);
        else if (strcmp(argv[i], "--order") == 0 && i + 1 < argc)
            o.order = argv[++i], o.ordering = CHOLMOD_GIVEN;
        else if (strcmp(argv[i], "--remove") == 0 && i + 1 < argc && o.remove_count < REMOVALS_MOST)
            o.remove[o.remove_count++] = argv[++i];
        else if (strcmp(argv[i], "--metis") == 0)
            o.ordering = CHOLMOD_METIS;
        else if (strcmp(argv[i], "--amd") == 0)
            o.ordering = CHOLMOD_AMD;
        else if (strcmp(argv[i], "--many") == 0)
            o.many = true;
        else if (argv[i][0] != '-' && !o.matrix)
            o.matrix = argv[i];
        else
            fail("what is", argv[i]);
    }
    if (!o.matrix) fail("no matrix", NULL);
    if (o.threads < 1 || o.threads > 64 || o.repeats < 1) fail("threads are 1..64, repeats at least 1", NULL);
    return o;
}

static void set_threads(const options *o, char **argv) {
    char count[16];
    snprintf(count, sizeof count, "%d", o->threads);
    const char *had = getenv("OPENBLAS_NUM_THREADS"), *had_omp = getenv("OMP_NUM_THREADS");
    if (had && had_omp && strcmp(had, count) == 0 && strcmp(had_omp, count) == 0) return;
    setenv("OPENBLAS_NUM_THREADS", count, 1);
    setenv("OMP_NUM_THREADS", count, 1);
    execv("/proc/self/exe", argv);
    fail("could not start again with threads set", NULL);
}

static cholmod_sparse *read_matrix(const char *path, cholmod_common *c) {
    FILE *f = fopen(path, "r");
    cholmod_sparse *A = f ? cholmod_read_sparse(f, c) : NULL;
    if (f) fclose(f);
    if (!A) fail("cannot read", path);
    return A;
}

static int *read_order(const char *path, size_t n) {
    FILE *f = fopen(path, "r");
    int *order = malloc((n + 1) * sizeof *order);
    if (!f || !order) fail("cannot read", path);
    for (size_t i = 0; i < n; i++)
        if (fscanf(f, "%d", &order[i]) != 1) fail("too few numbers in", path);
    fclose(f);
    return order;
}

// ---- the factor

static void time_analyse(const options *o, cholmod_sparse *A, int *order, cholmod_factor **L, result *r, cholmod_common *c) {
    for (int i = 0; i < (o->repeats > 3 ? 3 : o->repeats); i++) {
        cholmod_free_factor(L, c);
        timing start = now();
        *L = cholmod_analyze_p(A, order, NULL, 0, c);
        keep_least(&r->analyse, start);
        if (!*L) fail("analysis failed", NULL);
    }
    r->entries = c->lnz;
    r->flops = c->fl;
}

static void time_factor(const options *o, cholmod_sparse *A, cholmod_factor *L, result *r, cholmod_common *c) {
    double begun = now().wall;
    for (int i = 0; i < o->repeats && (i < 2 || now().wall - begun < o->budget_ms); i++) {
        timing start = now();
        cholmod_factorize(A, L, c);
        keep_least(&r->factor, start);
        if (c->status != CHOLMOD_OK) fail("not positive definite", NULL);
    }
}

// solve2 reuses its vectors: nothing is allocated in the timed part
static cholmod_dense *time_solve(const options *o, cholmod_dense *b, cholmod_factor *L, timing *out, cholmod_common *c) {
    cholmod_dense *x = NULL, *y = NULL, *e = NULL;
    double begun = now().wall;
    for (int i = 0; i < 10 * o->repeats && (i < 3 || now().wall - begun < 0.2 * o->budget_ms); i++) {
        timing start = now();
        cholmod_solve2(CHOLMOD_A, L, b, NULL, &x, NULL, &y, &e, c);
        keep_least(out, start);
    }
    cholmod_free_dense(&y, c);
    cholmod_free_dense(&e, c);
    if (!x) fail("solve failed", NULL);
    return x;
}

static cholmod_dense *right_sides(size_t n, size_t count, cholmod_common *c) {
    cholmod_dense *b = cholmod_allocate_dense(n, count, n, CHOLMOD_REAL, c);
    if (!b) fail("no memory", NULL);
    double *v = b->x;
    for (size_t i = 0; i < n * count; i++) v[i] = 1 + 0.5 * sin(1.0 + 7.0 * (double)i);
    return b;
}

// |Ax - b| / (|A| |x| + |b|), largest norms
static double backward_error(cholmod_sparse *A, cholmod_dense *x, cholmod_dense *b, cholmod_common *c) {
    double one[2] = {1, 0}, minus[2] = {-1, 0};
    cholmod_dense *r = cholmod_copy_dense(b, c);
    cholmod_sdmult(A, 0, one, minus, x, r, c);
    double error =
        cholmod_norm_dense(r, 0, c) / (cholmod_norm_sparse(A, 0, c) * cholmod_norm_dense(x, 0, c) + cholmod_norm_dense(b, 0, c));
    cholmod_free_dense(&r, c);
    return error;
}

// ---- removal and restoration

static void convert(cholmod_factor *L, result *r, cholmod_common *c) {
    timing start = now();
    cholmod_change_factor(CHOLMOD_REAL, 0, 0, 0, 1, L, c);
    keep_least(&r->convert, start);
    if (c->status != CHOLMOD_OK || L->is_super) fail("cannot leave the supernodal form", NULL);
}

static void time_removal(const options *o, int index, cholmod_factor *L, result *r, cholmod_common *c) {
    cholmod_sparse *W = read_matrix(o->remove[index], c);
    cholmod_sparse *C = cholmod_submatrix(W, L->Perm, (SuiteSparse_long)L->n, NULL, -1, 1, 1, c);
    double begun = now().wall;
    if (!C) fail("cannot permute", o->remove[index]);
    for (int i = 0; i < 10 * o->repeats && (i < 3 || now().wall - begun < 0.2 * o->budget_ms); i++) {
        timing start = now();
        cholmod_updown(0, C, L, c);
        keep_least(&r->remove[index], start);
        start = now();
        cholmod_updown(1, C, L, c);
        keep_least(&r->restore[index], start);
        if (c->status != CHOLMOD_OK) fail("update failed", o->remove[index]);
    }
    cholmod_free_sparse(&C, c);
    cholmod_free_sparse(&W, c);
}

// ---- report

static void print_list(const char *key, const timing *t, int count, bool cpu) {
    printf(",\"%s\":[", key);
    for (int i = 0; i < count; i++) printf("%s%.6g", i ? "," : "", cpu ? t[i].cpu : t[i].wall);
    printf("]");
}

static void print_time(const char *key, timing t) {
    if (isfinite(t.wall)) printf(",\"%s_ms\":%.6g,\"%s_cpu_ms\":%.6g", key, t.wall, key, t.cpu);
}

static void print_result(const options *o, const cholmod_sparse *A, const cholmod_factor *L, const result *r) {
    int version[3];
    cholmod_version(version);
    printf("{\"engine\":\"CHOLMOD %d.%d.%d\",\"blas\":\"%s\"", version[0], version[1], version[2],
           openblas_get_config ? openblas_get_config() : "unknown");
    printf(",\"threads\":%d,\"dofs\":%zu,\"ordering\":\"%s\"", o->threads, A->nrow,
           L->ordering == CHOLMOD_GIVEN   ? "given"
           : L->ordering == CHOLMOD_METIS ? "metis"
                                          : "amd");
    printf(",\"entries\":%.0f,\"flops\":%.0f,\"backward_error\":%.3g", r->entries, r->flops, r->error);
    print_time("analyse", r->analyse);
    print_time("factor", r->factor);
    print_time("solve", r->solve);
    print_time("solve64", r->many);
    print_time("convert", r->convert);
    if (o->remove_count) {
        printf(",\"removed_error\":%.3g", r->removed_error);
        print_list("remove_ms", r->remove, o->remove_count, false);
        print_list("remove_cpu_ms", r->remove, o->remove_count, true);
        print_list("restore_ms", r->restore, o->remove_count, false);
        print_list("restore_cpu_ms", r->restore, o->remove_count, true);
    }
    printf("}\n");
}

int main(int argc, char **argv) {
    options o = read_options(argc, argv);
    set_threads(&o, argv);
    cholmod_common c;
    cholmod_start(&c);
    c.print = 0;
    c.supernodal = CHOLMOD_SUPERNODAL;
    c.nmethods = 1;
    c.method[0].ordering = o.ordering;
    c.postorder = 1;

    timing never = {INFINITY, INFINITY};
    result r = {.analyse = never, .factor = never, .solve = never, .many = never, .convert = never};
    for (int i = 0; i < REMOVALS_MOST; i++) r.remove[i] = r.restore[i] = never;
    cholmod_sparse *A = read_matrix(o.matrix, &c);
    int *order = o.order ? read_order(o.order, A->nrow) : NULL;
    cholmod_factor *L = NULL;
    time_analyse(&o, A, order, &L, &r, &c);
    time_factor(&o, A, L, &r, &c);
    cholmod_dense *b = right_sides(A->nrow, 1, &c), *x = time_solve(&o, b, L, &r.solve, &c);
    r.error = backward_error(A, x, b, &c);
    cholmod_free_dense(&x, &c);
    if (o.many) {
        cholmod_dense *B = right_sides(A->nrow, MANY, &c), *X = time_solve(&o, B, L, &r.many, &c);
        cholmod_free_dense(&X, &c);
        cholmod_free_dense(&B, &c);
    }
    if (o.remove_count) {
        options once = {.repeats = 1, .budget_ms = 0};
        timing unused = never;
        convert(L, &r, &c);
        for (int i = 0; i < o.remove_count; i++) time_removal(&o, i, L, &r, &c);
        x = time_solve(&once, b, L, &unused, &c);
        r.removed_error = backward_error(A, x, b, &c);
        cholmod_free_dense(&x, &c);
    }
    print_result(&o, A, L, &r);
    cholmod_free_dense(&b, &c);
    cholmod_free_factor(&L, &c);
    cholmod_free_sparse(&A, &c);
    free(order);
    cholmod_finish(&c);
    return 0;
}
