// bench volume: overlap volumes from layered depth images (src/collide/volume.h), wall clock, minimum over moving states.
//
//   pile           20 tori of 4,096 triangles in a bowl of 15,372, with self-collision, as in Table 4.1 of Courtecuisse (2011):
//                  97,292 triangles, 256 samples along the longest axis. There: 6.4 ms on a graphics card of 2008
//   pile-pairs     the pile with three images for each pair (Faure et al. 2008) instead of three for all
//   figures        two figures of 346,800 triangles (figure.h), as many as the scanned armadillos of Table 4.2, 208 samples along
//                  the longest axis, rays only where the boxes overlap. There: 18.5 ms
//   figures-whole  rays everywhere
//   bodies-N       80 tori of 1,024 triangles as N surfaces: the number of bodies does not matter
//
// `growth` is the least-squares line of time over triangles, for tori of 1,024 to 16,384 triangles in the same bowl and the same
// images. `peeling` compares the layers of the pile with depth peeling by the same lists and the same rasteriser, on one thread:
// peeling rasterises the triangles of a tile once for each layer of its deepest ray, and keeps the nearest of each ray that is
// behind the last one (Everitt 2001). Both end with the sorted layers.
#include <math.h>
#include <stdlib.h>

#include "bench.h"
#include "collide/volume_internal.h"
#include "figure.h"
#include "math/vec3.h"
#include "volume_scenes.h"

enum { BODIES_MOST = 80, REPEATS = 40, QUICK_REPEATS = 1, WARM_UP = 2, SAMPLES = 256 };
static const double BOWL = 0.9;  // radius and half of the height [m]

// ---------------------------------------------------------------------------------------------------- surfaces

typedef struct pile {
    int count;
    sp_volume_surface surface[BODIES_MOST + 1];
    double *x[BODIES_MOST + 1];
    uint32_t *triangles[BODIES_MOST + 1];
} pile;

static void pile_free(pile *p) {
    for (int i = 0; i < p->count; i++) free(p->x[i]), free(p->triangles[i]);
    p->count = 0;
}

// Room for one more surface. False: no memory.
static bool pile_add(pile *p, int vertices, int triangles, bool self) {
    const int i = p->count;
    p->x[i] = malloc(3 * sizeof(double) * (size_t)vertices), p->triangles[i] = malloc(3 * sizeof(uint32_t) * (size_t)triangles);
    p->count++;
    if (!p->x[i] || !p->triangles[i]) return false;
    p->surface[i] = (sp_volume_surface){.x = p->x[i],
                                        .vertex_count = vertices,
                                        .triangles = p->triangles[i],
                                        .triangle_count = triangles,
                                        .group = i,
                                        .self = self};
    return true;
}

static void set_triangle(uint32_t *t, int a, int b, int c) {
    t[0] = (uint32_t)a, t[1] = (uint32_t)b, t[2] = (uint32_t)c;
}

// A torus around z: n x n/2 squares.
static void torus_shape(double *x, uint32_t *t, int n, double radius, double tube) {
    const int m = n / 2;
    for (int i = 0; i < n; i++)
        for (int j = 0; j < m; j++) {
            const double u = 2 * SP_PI * i / n, v = 2 * SP_PI * j / m, r = radius + tube * cos(v);
            double *p = x + 3 * (m * i + j);
            p[0] = r * cos(u), p[1] = r * sin(u), p[2] = tube * sin(v);
            const int a = m * i + j, b = m * ((i + 1) % n) + j, c = m * ((i + 1) % n) + (j + 1) % m, d = m * i + (j + 1) % m;
            set_triangle(t + 6 * a, a, b, c), set_triangle(t + 6 * a + 3, a, c, d);
        }
}

enum { BOWL_SIDES = 122, BOWL_RINGS = 63 };

// Profile of the bowl, from the middle of its lower side over the rim to the middle of its upper side.
static void bowl_profile(int ring, double *r, double *z) {
    const double s = (double)(ring + 1) / (BOWL_RINGS + 1), wall = 0.04, inner = BOWL - wall;
    if (s < 0.25)
        *r = BOWL * s / 0.25, *z = -BOWL;
    else if (s < 0.5)
        *r = BOWL, *z = -BOWL + 2 * BOWL * (s - 0.25) / 0.25;
    else if (s < 0.75)
        *r = inner, *z = BOWL - (2 * BOWL - wall) * (s - 0.5) / 0.25;
    else
        *r = inner * (1 - s) / 0.25, *z = -BOWL + wall;
}

static void bowl_shape(double *x, uint32_t *t) {
    const int n = BOWL_SIDES, poles[2] = {n * BOWL_RINGS, n * BOWL_RINGS + 1};
    double r, z;
    for (int ring = 0; ring < BOWL_RINGS; ring++) {
        bowl_profile(ring, &r, &z);
        for (int i = 0; i < n; i++) {
            const double u = 2 * SP_PI * i / n;
            double *p = x + 3 * (n * ring + i);
            p[0] = r * cos(u), p[1] = r * sin(u), p[2] = z;
            if (ring == 0) continue;
            const int a = n * (ring - 1) + i, b = n * (ring - 1) + (i + 1) % n, c = b + n, d = a + n;
            set_triangle(t, a, b, c), set_triangle(t + 3, a, c, d), t += 6;
        }
    }
    for (int k = 0; k < 3; k++) x[3 * poles[0] + k] = x[3 * poles[1] + k] = 0;
    x[3 * poles[0] + 2] = -BOWL, x[3 * poles[1] + 2] = -BOWL + 0.04;
    for (int i = 0; i < n; i++, t += 6) {
        const int last = n * (BOWL_RINGS - 1);
        set_triangle(t, poles[0], (i + 1) % n, i), set_triangle(t + 3, poles[1], last + i, last + (i + 1) % n);
    }
}

// Torus number i of a pile: layers of four, tilted, some of them pressed into each other and into the bowl. Their areas add up to
// that of 20 tori of 0.3 and 0.1 m, so that rays cross as many layers whatever their number is.
static void torus_place(int i, int tori, int around, double *x, uint32_t *triangles) {
    const double scale = sqrt(20.0 / tori), turn = 0.5 * SP_PI * (i % 4) + 0.4 * (i / 4), tilt = 0.35 * sin(7.0 * i);
    const double at[3] = {0.43 * cos(turn), 0.43 * sin(turn), -0.72 + 1.5 * (i / 4 + 0.5) / ((tori + 3) / 4)};
    const double c = cos(tilt), s = sin(tilt), u = cos(1.7 * i), v = sin(1.7 * i);
    torus_shape(x, triangles, around, 0.3 * scale, 0.1 * scale);
    for (double *q = x; q < x + 3 * around * (around / 2); q += 3) {
        const double w = q[0], y = c * q[1] - s * q[2], z = s * q[1] + c * q[2];
        q[0] = at[0] + u * w - v * y, q[1] = at[1] + v * w + u * y, q[2] = at[2] + z;
    }
}

// A bowl and tori of around^2 triangles, `joined` of them in one surface.
static sp_status pile_create(pile *p, int tori, int around, int joined) {
    const int vertices = around * (around / 2), faces = around * around;
    *p = (pile){0};
    if (!pile_add(p, BOWL_SIDES * BOWL_RINGS + 2, 2 * BOWL_SIDES * BOWL_RINGS, false)) goto no_memory;
    bowl_shape(p->x[0], p->triangles[0]);
    for (int i = 0; i < tori; i++) {
        if (i % joined == 0 && !pile_add(p, joined * vertices, joined * faces, true)) goto no_memory;
        uint32_t *t = p->triangles[p->count - 1] + 3 * faces * (i % joined);
        torus_place(i, tori, around, p->x[p->count - 1] + 3 * vertices * (i % joined), t);
        for (int k = 0; k < 3 * faces; k++) t[k] += (uint32_t)(vertices * (i % joined));
    }
    return SP_OK;
no_memory:
    fprintf(stderr, "bench: out of memory\n");
    pile_free(p);
    return SP_NO_MEMORY;
}

static void pile_move(pile *p, int step) {
    for (int i = 1; i < p->count; i++)
        for (int v = 0; v < p->surface[i].vertex_count; v++) p->x[i][3 * v + 2] += 3e-4 * cos(step + 1e-3 * v);
}

// ---------------------------------------------------------------------------------------------------- timing

typedef struct timing {
    double ms, stage_ms[SP_VOLUME_STAGES];
    sp_volume_found found;
} timing;

static sp_status find_once(sp_volume *v, const sp_volume_options *o, int count, const sp_volume_surface *surfaces, timing *best) {
    sp_volume_found found;
    const double start = sp__now_ms();
    SP_TRY(sp__volume_find(v, o, count, surfaces, &found));
    const double ms = sp__now_ms() - start;
    if (ms < best->ms) best->ms = ms, memcpy(best->stage_ms, found.stage_ms, sizeof best->stage_ms);
    best->found = found;
    return SP_OK;
}

static void report_timing(const sp_bench_options *o, sp_report *r, const char *scene, int64_t triangles, const timing *t) {
    sp_row *row = sp__report_case(r);
    sp__row_text(row, "scene", "scene", scene);
    sp__row_number(row, "threads", "threads", "%.0f", o->threads);
    sp__row_number(row, "triangles", "triangles", "%.0f", (double)triangles);
    sp__row_number(row, "pixels", "pixels", "%.0f", (double)t->found.pixels);
    sp__row_number(row, "layers", "layers", "%.0f", (double)t->found.layers);
    sp__row_number(row, "pairs", "pairs", "%.0f", t->found.count);
    sp__row_number(row, "projected", NULL, "%.0f", (double)t->found.triangles);
    sp__row_number(row, "listed", NULL, "%.0f", (double)t->found.listed);
    sp__row_number(row, "intervals", "intervals", "%.0f", (double)t->found.intervals);
    sp__row_number(row, "gradients", "gradients", "%.0f", t->found.entry_count);
    sp__row_number(row, "ms", "ms", "%.2f", t->ms);
    sp__row_list(row, "stages_ms", "boxes list sort raster sum", "%.2f", t->stage_ms, SP_VOLUME_STAGES);
    row->cells[row->count - 1].names = sp__volume_stage_names;
    sp__row_number(row, "ns_per_triangle", "ns/triangle", "%.1f", 1e6 * t->ms / (double)triangles);
    sp__row_number(row, "megabytes", "MB", "%.1f", (double)t->found.bytes / 1e6);
    sp__report_case_done(r);
}

static int64_t pile_triangles(const pile *p) {
    int64_t n = 0;
    for (int i = 0; i < p->count; i++) n += p->surface[i].triangle_count;
    return n;
}

static sp_status pile_case(const sp_bench_options *o, sp_volume_region region, int tori, int around, int joined, timing *best,
                           int64_t *triangles) {
    pile p;
    sp_context_def def = sp_context_def_default();
    sp_context *ctx = NULL;
    sp_volume *v = NULL;
    const sp_volume_options options = {.pixel = 2 * BOWL / (SAMPLES - 4), .region = region};
    def.workers = o->threads, best->ms = INFINITY;
    SP_TRY(pile_create(&p, tori, around, joined));
    *triangles = pile_triangles(&p);
    sp_status status = sp_context_create(&def, &ctx);
    if (status >= 0) status = sp__volume_create(ctx, &v);
    for (int step = 0; step < WARM_UP + (o->quick ? QUICK_REPEATS : REPEATS) && status >= 0; step++) {
        pile_move(&p, step);
        if (step == WARM_UP) best->ms = INFINITY;
        status = find_once(v, &options, p.count, p.surface, best);
    }
    sp__volume_destroy(&v), sp_context_destroy(&ctx), pile_free(&p);
    return status;
}

// ---------------------------------------------------------------------------------------------------- figures

static double figure_extent(const sp_figures *f) {
    double low[3] = {INFINITY, INFINITY, INFINITY}, high[3] = {-INFINITY, -INFINITY, -INFINITY}, most = 0;
    for (int i = 0; i < 2; i++)
        for (int v = 0; v < f->figure[i].vertex_count; v++)
            for (int k = 0; k < 3; k++) {
                const double x = f->x[i][1][3 * v + k];
                low[k] = fmin(low[k], x), high[k] = fmax(high[k], x);
            }
    for (int k = 0; k < 3; k++) most = fmax(most, high[k] - low[k]);
    return most;
}

static sp_status figures_case(const sp_bench_options *o, sp_report *r, sp_figures *f, sp_volume_region region, const char *name) {
    sp_volume *v = NULL;
    sp_volume_surface surfaces[2];
    timing best = {.ms = INFINITY};
    sp__figures_move(f, 0);
    const sp_volume_options options = {.pixel = figure_extent(f) / 204, .region = region};
    sp_status status = sp__volume_create(f->context, &v);
    for (int step = 0; step < WARM_UP + (o->quick ? QUICK_REPEATS : REPEATS / 2) && status >= 0; step++) {
        sp__figures_move(f, step);
        for (int i = 0; i < 2; i++)
            surfaces[i] = (sp_volume_surface){.x = f->x[i][1],
                                              .vertex_count = f->figure[i].vertex_count,
                                              .triangles = f->figure[i].faces,
                                              .triangle_count = f->figure[i].face_count,
                                              .group = i};
        // the figures of the bench contact just touch: pressed together by two percent
        for (int k = 0; k < surfaces[1].vertex_count; k++) f->x[1][1][3 * k] -= 0.02 * options.pixel * 204;
        if (step == WARM_UP) best.ms = INFINITY;
        status = find_once(v, &options, 2, surfaces, &best);
    }
    if (status >= 0) report_timing(o, r, name, (int64_t)f->figure[0].face_count + f->figure[1].face_count, &best);
    sp__volume_destroy(&v);
    return status;
}

// ---------------------------------------------------------------------------------------------------- depth peeling

typedef struct peeling {
    double layers_ms, peeling_ms;
    int64_t layers, peeled, passes;
} peeling;

// The nearest layer of each sample behind `last`; true: there is one.
static bool peel_pass(const sp_ldi *l, sp_ldi_tile *t, sp_ldi_layer *last, bool first, peeling *p) {
    const int samples = t->edge * t->edge;
    sp_ldi_layer nearest[SP_LDI_SAMPLES];
    bool any = false;
    for (int i = 0; i < samples; i++) nearest[i] = UINT64_MAX;
    for (int from = 0; from < t->entry_count; from += t->stride - 1) {
        const int left = t->entry_count - from;
        for (int i = 0; i < samples + SP_LDI_LANES; i++) t->next[i] = t->layers + i * t->stride;
        l->kernels->raster(l, t, from, from + (left < t->stride ? left : t->stride - 1));
        for (int i = 0; i < samples; i++)
            for (const sp_ldi_layer *a = t->layers + i * t->stride; a < t->next[i]; a++)
                if ((first || *a > last[i]) && *a < nearest[i]) nearest[i] = *a;
    }
    for (int i = 0; i < samples; i++) {
        const bool found = nearest[i] != UINT64_MAX;
        last[i] = nearest[i], any |= found, p->peeled += found;
    }
    p->passes++;
    return any;
}

static bool peel_tile(sp_ldi *l, sp_ldi_tile *t, int tile, peeling *p) {
    sp_ldi_layer last[SP_LDI_SAMPLES];
    const double start = sp__now_ms();
    if (!sp__ldi_raster(l, tile, t)) return false;
    const double middle = sp__now_ms();
    for (int i = 0; i < t->edge * t->edge; i++) p->layers += t->count[i];
    if (t->entry_count)
        for (bool first = true; peel_pass(l, t, last, first, p); first = false) continue;
    p->layers_ms += middle - start, p->peeling_ms += sp__now_ms() - middle;
    return true;
}

// The lists of a search stay in its workspace.
static sp_status peeling_case(sp_report *r) {
    pile p;
    sp_context_def def = sp_context_def_default();
    sp_context *ctx = NULL;
    sp_volume *v = NULL;
    sp_volume_found found;
    peeling sums = {0};
    const sp_volume_options options = {.pixel = 2 * BOWL / (SAMPLES - 4)};
    def.workers = 1;
    SP_TRY(pile_create(&p, 20, 64, 1));
    sp_status status = sp_context_create(&def, &ctx);
    if (status >= 0) status = sp__volume_create(ctx, &v);
    for (int i = 0; i < 3 && status >= 0; i++) status = sp__volume_find(v, &options, p.count, p.surface, &found);
    for (int tile = 0; status >= 0 && tile < v->ldi.tile_count; tile++)
        if (!peel_tile(&v->ldi, &v->workers[0].tile, tile, &sums)) status = SP_NO_MEMORY;
    if (status >= 0 && sums.layers == sums.peeled) {
        sp_row *row = sp__report_object(r, "peeling");
        sp__row_text(row, "scene", "scene", "pile");
        sp__row_number(row, "layers", "layers", "%.0f", (double)sums.layers);
        sp__row_number(row, "layers_ms", "ms, all layers in one pass", "%.1f", sums.layers_ms);
        sp__row_number(row, "peeling_ms", "ms, by peeling", "%.1f", sums.peeling_ms);
        sp__row_number(row, "passes_per_tile", "passes per tile", "%.1f", (double)sums.passes / v->ldi.tile_count);
        sp__row_number(row, "ratio", "peeling over one pass", "%.1f", sums.peeling_ms / sums.layers_ms);
        sp__report_object_done(r);
    }
    sp__volume_destroy(&v), sp_context_destroy(&ctx), pile_free(&p);
    return status;
}

// ---------------------------------------------------------------------------------------------------- all cases

static sp_status growth_cases(const sp_bench_options *o, sp_report *r) {
    enum { SIZES = 4 };
    static const int around[SIZES] = {32, 64, 90, 128};
    const int sizes = o->quick ? 2 : SIZES;
    double x[SIZES], y[SIZES], mean_x = 0, mean_y = 0;
    for (int i = 0; i < sizes; i++) {
        timing best;
        int64_t triangles;
        char name[32];
        snprintf(name, sizeof name, "pile-%d", around[i] * around[i]);
        SP_TRY(pile_case(o, SP_VOLUME_CULLED, 20, around[i], 1, &best, &triangles));
        report_timing(o, r, name, triangles, &best);
        x[i] = (double)triangles, y[i] = best.ms, mean_x += x[i] / sizes, mean_y += y[i] / sizes;
    }
    const double slope = sp__slope(x, y, sizes);
    sp_row *row = sp__report_object(r, "growth");
    sp__row_number(row, "fixed_ms", "fixed ms", "%.2f", mean_y - slope * mean_x);
    sp__row_number(row, "ns_per_triangle", "ns per triangle more", "%.1f", 1e6 * slope);
    sp__report_object_done(r);
    return SP_OK;
}

sp_status sp__bench_volume(const sp_bench_options *o, sp_report *r) {
    timing best;
    int64_t triangles;
    SP_TRY(sp__bench_open(o, r));
    sp__report_array(r, "detection");
    SP_TRY(pile_case(o, SP_VOLUME_CULLED, 20, 64, 1, &best, &triangles));
    report_timing(o, r, "pile", triangles, &best);
    SP_TRY(pile_case(o, SP_VOLUME_PAIRS, 20, 64, 1, &best, &triangles));
    report_timing(o, r, "pile-pairs", triangles, &best);
    sp_figures f;
    SP_TRY(sp__figures_create(o->quick ? 40 : 170, o->threads, &f));
    sp_status status = figures_case(o, r, &f, SP_VOLUME_CULLED, "figures");
    if (status >= 0) status = figures_case(o, r, &f, SP_VOLUME_WHOLE, "figures-whole");
    sp__figures_destroy(&f);
    if (status < 0) return status;
    SP_TRY(pile_case(o, SP_VOLUME_CULLED, 80, 32, 16, &best, &triangles));
    report_timing(o, r, "bodies-5", triangles, &best);
    SP_TRY(pile_case(o, SP_VOLUME_CULLED, 80, 32, 1, &best, &triangles));
    report_timing(o, r, "bodies-80", triangles, &best);
    SP_TRY(growth_cases(o, r));
    SP_TRY(peeling_case(r));
    return sp__volume_scenes(o, r);
}
