// The program souple-bench, which `souple bench` starts: list of benches, selection by arguments, output of the report.
//
//   0  done      1  a bench failed      2  wrong usage
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "bench.h"
#include "core/core.h"
#include "util/json.h"
#include "util/nearest.h"

static const sp_bench benches[] = {
    {"step", "time of a step with 25 CG iterations from 1k to 1M tetrahedra, by operator and threads", sp__bench_step},
    {"rotation", "price of qr, polar and svd rotations over the linear tensor at equal iterations", sp__bench_rotation},
    {"beam", "the peers' beam to convergence by several solvers, and Bullet in the same run", sp__bench_beam},
    {"materials", "laws and elements: time of 25 CG iterations, and the neo-Hookean beam beside Bullet", sp__bench_materials},
    {"cholesky", "sparse factors, whole and in part, and CHOLMOD in the same run", sp__bench_cholesky},
    {"factor", "the peers' matrix: factor, solve, remove tetrahedra and put them back, compared with CHOLMOD", sp__bench_factor},
    {"preconditioners", "asynchronous and warped preconditioners compared with the published tables", sp__bench_preconditioners},
    {"updated", "a pulled torus by exact, updated, preconditioned and plain solves", sp__bench_updated},
    {"rods", "rods: curves compared with integrators and SUNDIALS, four models by precision and time, hair", sp__bench_rods},
    {"contact", "soft bodies in contact and Bullet; detection by size, the Delassus operator and CHOLMOD, sweeps and STREAM",
     sp__bench_contact},
    {"friction", "frictional contact problems, generated or from FCLIB files: method, iterations, time, residual",
     sp__bench_friction},
    {"volume", "overlap volumes from layered depth images: a pile of tori, two figures, growth, depth peeling", sp__bench_volume},
    {"batch", "a thousand small worlds of a batch and one of them alone: steps per second and core, bytes of a world",
     sp__bench_batch},
    {"page", "`souple view` with a browser and with ten plain clients: frames, latency of a drag, slowdown", sp__bench_page},
};

enum { BENCHES = sizeof benches / sizeof benches[0] };

static int list_benches(bool json) {
    sp_json j = {.file = stdout};
    if (json) {
        sp__json_open(&j, NULL, '{');
        sp__json_open(&j, "benches", '[');
    }
    for (int i = 0; i < BENCHES; i++) {
        if (!json) {
            printf("%-16s %s\n", benches[i].name, benches[i].what);
            continue;
        }
        sp__json_open(&j, NULL, '{');
        sp__json_text(&j, "name", benches[i].name);
        sp__json_text(&j, "what", benches[i].what);
        sp__json_close(&j, '}');
    }
    if (json) {
        sp__json_close(&j, ']');
        sp__json_close(&j, '}');
    }
    return 0;
}

static const sp_bench *find_bench(const char *name) {
    const char *names[BENCHES];
    for (int i = 0; i < BENCHES; i++) {
        names[i] = benches[i].name;
        if (strcmp(name, names[i]) == 0) return &benches[i];
    }
    const char *near = sp__nearest(name, names, BENCHES);
    fprintf(stderr, "souple bench: no bench is called \"%s\"", name);
    if (near)
        fprintf(stderr, "; did you mean \"%s\"?\n", near);
    else
        fprintf(stderr, "; `souple bench` lists them\n");
    return NULL;
}

// ---- arguments

static int usage(const char *what, const char *word) {
    fprintf(stderr,
            "souple bench: %s%s%s\nusage: souple bench [NAME] [--json] [--quick] [--threads N] [--dump DIR]\n"
            "       souple bench friction [--problem FILE...] [--out DIR]\n",
            what, word ? " " : "", word ? word : "");
    return 2;
}

static bool read_threads(const char *text, int *out) {
    char *end;
    errno = 0;
    long n = strtol(text, &end, 10);
    if (errno || end == text || *end || n < 1 || n > 64) return false;
    *out = (int)n;
    return true;
}

// 0: continue; otherwise the exit code
static int read_options(int argc, char **argv, sp_bench_options *o, const char **name) {
    static const char *const known[] = {"--json", "--quick", "--threads", "--dump", "--problem", "--out"};
    for (int i = 1; i < argc; i++) {
        const char *a = argv[i];
        bool takes_value =
            strcmp(a, "--threads") == 0 || strcmp(a, "--dump") == 0 || strcmp(a, "--problem") == 0 || strcmp(a, "--out") == 0;
        if (takes_value && i + 1 >= argc) return usage("a value is missing after", a);
        if (strcmp(a, "--json") == 0)
            o->json = true;
        else if (strcmp(a, "--quick") == 0)
            o->quick = true;
        else if (strcmp(a, "--dump") == 0)
            o->dump = argv[++i];
        else if (strcmp(a, "--out") == 0)
            o->out = argv[++i];
        else if (strcmp(a, "--problem") == 0) {
            // one or more files, up to the next option
            do {
                if (o->problems == SP_BENCH_PROBLEMS) return usage("at most 64 problems; not also", argv[i + 1]);
                o->problem[o->problems++] = argv[++i];
            } while (i + 1 < argc && argv[i + 1][0] != '-');
        } else if (strcmp(a, "--threads") == 0) {
            if (!read_threads(argv[++i], &o->threads)) return usage("--threads is a number in 1..64, not", argv[i]);
        } else if (a[0] == '-') {
            const char *near = sp__nearest(a, known, sizeof known / sizeof *known);
            if (near) fprintf(stderr, "souple bench: did you mean %s?\n", near);
            return usage("unknown option", a);
        } else if (*name)
            return usage("one bench at a time; not also", a);
        else
            *name = a;
    }
    return 0;
}

// ---- reports

static sp_status dump_report(const sp_report *r, const char *folder, const char *ending,
                             void (*write)(const sp_report *r, FILE *file)) {
    char path[512];
    snprintf(path, sizeof path, "%s/%s.%s", folder, r->bench, ending);
    FILE *f = mkdir(folder, 0777) == 0 || errno == EEXIST ? fopen(path, "w") : NULL;
    if (!f) {
        fprintf(stderr, "bench: cannot write %s: %s\n", path, strerror(errno));
        return SP_IO;
    }
    write(r, f);
    return fclose(f) == 0 ? SP_OK : SP_IO;
}

int main(int argc, char **argv) {
    sp_bench_options o = {.threads = 0};
    const char *name = NULL;
    int code = read_options(argc, argv, &o, &name);
    if (code) return code;
    if (!name) return list_benches(o.json);
    const sp_bench *bench = find_bench(name);
    if (!bench) return 2;
    if ((o.problems || o.out) && bench->run != sp__bench_friction)
        return usage("only the bench friction has problems, not", name);
    long cores = sysconf(_SC_NPROCESSORS_ONLN);
    if (o.threads == 0) o.threads = cores < 1 ? 1 : cores > 64 ? 64 : (int)cores;

    sp_report report = {.bench = bench->name, .json = o.json};
    report.cases = calloc(SP_REPORT_CASES, sizeof *report.cases);
    if (!report.cases) {
        fprintf(stderr, "bench: out of memory\n");
        return 1;
    }
    sp_status status = bench->run(&o, &report);
    if (status >= 0 && o.dump) status = dump_report(&report, o.dump, "json", sp__report_json);
    if (status >= 0 && o.dump) status = dump_report(&report, o.dump, "md", sp__report_markdown);
    if (status >= 0 && o.json) sp__report_json(&report, stdout);
    free(report.cases);
    if (fflush(stdout) != 0) return 1;
    return status < 0 ? 1 : 0;
}
