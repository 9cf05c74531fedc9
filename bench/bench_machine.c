// Capability of the machine: identification, bandwidth of the STREAM triad (McCalpin 1995) from memory and caches, and flop rate
// of fused multiply-adds. They are the limits for kernels, measured in the same run.
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "bench.h"
#include "core/core.h"

#if defined(__x86_64__) && defined(__GNUC__)
#include <immintrin.h>
#define SP_BENCH_X86 1
#endif

// ---- identification

static void read_cpu_name(char *out, size_t size) {
    snprintf(out, size, "unknown processor");
    FILE *f = fopen("/proc/cpuinfo", "r");
    char line[256];
    while (f && fgets(line, sizeof line, f)) {
        char *colon = strchr(line, ':');
        if (strncmp(line, "model name", 10) != 0 || !colon) continue;
        colon[strcspn(colon, "\n")] = 0;
        snprintf(out, size, "%s", colon + 2);
        break;
    }
    if (f) fclose(f);
}

// size in bytes of the data or unified cache of a level of core 0; `fallback` if the system does not report it
static double cache_bytes(int level, double fallback) {
    for (int index = 0; index < 8; index++) {
        char path[96], text[32];
        int found = 0;
        double kilo = 0;
        snprintf(path, sizeof path, "/sys/devices/system/cpu/cpu0/cache/index%d/level", index);
        FILE *f = fopen(path, "r");
        if (!f) break;
        if (fgets(text, sizeof text, f)) found = atoi(text);
        fclose(f);
        if (found != level) continue;
        snprintf(path, sizeof path, "/sys/devices/system/cpu/cpu0/cache/index%d/size", index);
        f = fopen(path, "r");
        if (f && fgets(text, sizeof text, f)) kilo = atof(text) * (strchr(text, 'M') ? 1024 : 1);
        if (f) fclose(f);
        if (kilo > 0) return 1024 * kilo;
    }
    return fallback;
}

void sp__machine_describe(sp_machine *m) {
    read_cpu_name(m->cpu, sizeof m->cpu);
#if defined(__clang__)
    snprintf(m->compiler, sizeof m->compiler, "clang %d.%d.%d", __clang_major__, __clang_minor__, __clang_patchlevel__);
#elif defined(__GNUC__)
    snprintf(m->compiler, sizeof m->compiler, "gcc %d.%d.%d", __GNUC__, __GNUC_MINOR__, __GNUC_PATCHLEVEL__);
#else
    snprintf(m->compiler, sizeof m->compiler, "unknown compiler");
#endif
    m->l2_bytes = cache_bytes(2, 1 << 20);
    m->l3_bytes = cache_bytes(3, 16 << 20);
}

sp_status sp__bench_open(const sp_bench_options *o, sp_report *r) {
    sp_machine machine = {0};
    sp__machine_describe(&machine);
    sp__row_number(&r->head, "threads", NULL, "%.0f", o->threads);
    sp__row_text(&r->head, "cpu", NULL, machine.cpu);
    sp__row_text(&r->head, "compiler", NULL, machine.compiler);
    sp__report_note(r, "%s, %s, %d threads", machine.cpu, machine.compiler, o->threads);
    if (!o->dump || mkdir(o->dump, 0777) == 0 || errno == EEXIST) return SP_OK;
    fprintf(stderr, "bench: cannot make %s: %s\n", o->dump, strerror(errno));
    return SP_IO;
}

// ---- loops, one range of the arrays per thread

typedef void loop_fn(double *a, const double *b, const double *c, size_t n, int times);

static void triad_loop(double *a, const double *b, const double *c, size_t n, int times) {
    for (int r = 0; r < times; r++) {
        for (size_t i = 0; i < n; i++) a[i] = b[i] + 3.0 * c[i];
        __asm__ volatile("" ::"r"(a) : "memory");  // keeps every pass: the compiler must not merge them
    }
}

#ifdef SP_BENCH_X86
// scalar loads are too slow to measure the caches; n is a multiple of 8 and the arrays are aligned
__attribute__((target("avx2"))) static void triad_loop_avx2(double *a, const double *b, const double *c, size_t n, int times) {
    const __m256d s = _mm256_set1_pd(3.0);
    for (int r = 0; r < times; r++) {
        for (size_t i = 0; i < n; i += 8) {
            _mm256_store_pd(a + i, _mm256_add_pd(_mm256_load_pd(b + i), _mm256_mul_pd(s, _mm256_load_pd(c + i))));
            _mm256_store_pd(a + i + 4, _mm256_add_pd(_mm256_load_pd(b + i + 4), _mm256_mul_pd(s, _mm256_load_pd(c + i + 4))));
        }
        __asm__ volatile("" ::"r"(a) : "memory");
    }
}

// ten independent chains hide the latency of two units
__attribute__((target("avx2,fma"))) static void fma_loop(double *a, const double *b, const double *c, size_t n, int times) {
    __m256d x[10], s = _mm256_set1_pd(b[0]), t = _mm256_set1_pd(c[0]), sum = _mm256_setzero_pd();
    for (int k = 0; k < 10; k++) x[k] = _mm256_set1_pd(k);
    for (int r = 0; r < times; r++)
        for (size_t i = 0; i < n; i++) {
            x[0] = _mm256_fmadd_pd(x[0], s, t), x[1] = _mm256_fmadd_pd(x[1], s, t), x[2] = _mm256_fmadd_pd(x[2], s, t);
            x[3] = _mm256_fmadd_pd(x[3], s, t), x[4] = _mm256_fmadd_pd(x[4], s, t), x[5] = _mm256_fmadd_pd(x[5], s, t);
            x[6] = _mm256_fmadd_pd(x[6], s, t), x[7] = _mm256_fmadd_pd(x[7], s, t), x[8] = _mm256_fmadd_pd(x[8], s, t);
            x[9] = _mm256_fmadd_pd(x[9], s, t);
        }
    for (int k = 0; k < 10; k++) sum = _mm256_add_pd(sum, x[k]);
    _mm256_storeu_pd(a, sum);
}
#endif

typedef struct loop_job {
    loop_fn *loop;
    double *a, *b, *c;
    size_t each;  // elements per thread
    int times;
} loop_job;

static void touch_task(void *arg, int task, int worker) {
    const loop_job *j = arg;
    size_t at = j->each * (size_t)task;
    (void)worker;
    for (size_t i = at; i < at + j->each; i++) j->a[i] = 0, j->b[i] = 1e-9, j->c[i] = 2e-9;
}

static void loop_task(void *arg, int task, int worker) {
    const loop_job *j = arg;
    size_t at = j->each * (size_t)task;
    (void)worker;
    j->loop(j->a + at, j->b + at, j->c + at, j->each, j->times);
}

// minimum wall time of `times` passes over `each` elements on every thread of the engine's pool; NaN: no memory or no threads
static double loop_ms(loop_fn *loop, int threads, size_t each, int times, int repeats) {
    sp_context_def def = sp_context_def_default();
    sp_context *context = NULL;
    double best = INFINITY;
    def.workers = threads;
    if (sp_context_create(&def, &context) < 0) return NAN;
    loop_job job = {.loop = loop, .each = each, .times = times};
    SP_NEW(context, job.a, each * (size_t)threads);
    SP_NEW(context, job.b, each * (size_t)threads);
    SP_NEW(context, job.c, each * (size_t)threads);
    if (job.a && job.b && job.c) {
        sp__parallel(context, threads, touch_task, &job);
        sp__parallel(context, threads, loop_task, &job);
        for (int r = 0; r < repeats; r++) {
            double start = sp__now_ms();
            sp__parallel(context, threads, loop_task, &job);
            best = fmin(best, sp__now_ms() - start);
        }
    }
    sp__free(context, job.a);
    sp__free(context, job.b);
    sp__free(context, job.c);
    sp_context_destroy(&context);
    return isfinite(best) ? best : NAN;
}

double sp__stream_gb(int threads, double bytes, int repeats) {
    size_t each = (size_t)(bytes / 24) & ~(size_t)63;
    int times = 1 + (int)(2e7 / bytes);
    loop_fn *loop = triad_loop;
#ifdef SP_BENCH_X86
    if (__builtin_cpu_supports("avx2")) loop = triad_loop_avx2;
#endif
    return 24e-6 * (double)each * threads * times / loop_ms(loop, threads, each, times, repeats);
}

static double fma_gflops(int threads, int repeats) {
#ifdef SP_BENCH_X86
    if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma")) {
        size_t n = 4096;
        int times = 200;
        return 2e-6 * 4 * 10 * (double)n * times * threads / loop_ms(fma_loop, threads, n, times, repeats);
    }
#endif
    (void)threads, (void)repeats;
    return NAN;
}

sp_status sp__machine_measure(sp_machine *m, int threads, bool quick) {
    int repeats = quick ? 3 : 8;
    sp__machine_describe(m);
    double beyond = fmax(192e6, 8 * m->l3_bytes);  // total of the three arrays
    m->threads = threads;
    for (int all = 0; all < 2; all++) {
        int n = all ? threads : 1;
        m->stream_gb[all] = sp__stream_gb(n, beyond / n, repeats);
        m->l3_gb[all] = sp__stream_gb(n, m->l3_bytes / 2 / n, 2 * repeats);
        m->l2_gb[all] = sp__stream_gb(n, m->l2_bytes / 2, 2 * repeats);
        m->gflops[all] = fma_gflops(n, 2 * repeats);
    }
    return isfinite(m->stream_gb[0]) && isfinite(m->stream_gb[1]) ? SP_OK : SP_NO_MEMORY;
}
