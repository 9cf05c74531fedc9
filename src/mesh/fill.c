// Mesh generation by filling: the order of the stages, the search for the size that gives a number of elements, and implicit
// functions as source.
#include "mesh/fill.h"

// bounds proved by Labelle and Shewchuk (2007, table 1) for the uniform lattice with the parameters of fill_cut.c [deg]
static const double LEAST = 10.78, LARGEST = 164.74;

enum { ELEMENTS_MAX = 1 << 26, REGIONS_MAX = 64, LEVELS_MAX = 5, RUNS_MAX = 14, ROUNDS_MAX = 10 };

sp_fill_def sp_fill_def_default(void) {
    return (sp_fill_def){.elements = 5000, .grade = 1, .detail = 1, .smooth = 1, .body = "body", .cookie = SP_COOKIE_FILL};
}

// ------------------------------------------------------------------------------------------------ definition

// exponent of a power of two: 1, 2, 4, .. give 0, 1, 2, ..; -1 for anything else
static int levels_of(double ratio) {
    for (int l = 0; l <= LEVELS_MAX; l++)
        if (ratio == 1 << l) return l;
    return -1;
}

sp_status sp__fill_check(sp_context *ctx, const sp_fill_def *def) {
    if (def->cookie != SP_COOKIE_FILL)
        return SP_FAIL(ctx, SP_BAD_INPUT, "the definition did not start from sp_fill_def_default()");
    if (!(def->size >= 0) || !isfinite(def->size))
        return SP_FAIL(ctx, SP_BAD_INPUT, "size = %g m, must be positive, or 0 for one that follows from elements", def->size);
    if (def->size == 0 && (def->elements < 1 || def->elements > ELEMENTS_MAX))
        return SP_FAIL(ctx, SP_BAD_INPUT, "elements = %d, must be in [1, %d]", def->elements, ELEMENTS_MAX);
    if (levels_of(def->grade) < 0) return SP_FAIL(ctx, SP_BAD_INPUT, "grade = %g, must be 1, 2, 4, 8, 16 or 32", def->grade);
    if (levels_of(1 / def->detail) < 0)
        return SP_FAIL(ctx, SP_BAD_INPUT, "detail = %g, must be 1, 1/2, 1/4, 1/8, 1/16 or 1/32", def->detail);
    if (!(def->smooth >= 0.5 && def->smooth <= 4))
        return SP_FAIL(ctx, SP_BAD_INPUT, "smooth = %g voxels, must be in [0.5, 4]", def->smooth);
    if (def->region_count < 0 || def->region_count > REGIONS_MAX || (def->region_count && !def->regions))
        return SP_FAIL(ctx, SP_BAD_INPUT, "%d regions, must be in [0, %d]", def->region_count, REGIONS_MAX);
    return SP_OK;
}

// ------------------------------------------------------------------------------------------------ one run

void sp__fill_free(sp_fill *f) {
    sp__octree_free(f->ctx, &f->tree);
    sp__free(f->ctx, f->vertices);
    sp__hash_free(f->ctx, &f->vertex_at);
    sp__free(f->ctx, f->cells);
    sp__free(f->ctx, f->cuts);
    sp__hash_free(f->ctx, &f->cut_at);
    sp__free(f->ctx, f->extra);
    sp__hash_free(f->ctx, &f->face_at);
    sp__free(f->ctx, f->tets);
}

static sp_status fill_once(sp_context *ctx, const sp_fill_source *source, const sp_fill_def *def, double size, sp_fill *f) {
    *f = (sp_fill){.ctx = ctx, .source = source};
    sp_fill_sizes sizes = {.size = size, .fine = levels_of(1 / def->detail), .coarse = levels_of(def->grade)};
    SP_TRY(sp__octree_build(ctx, source, &sizes, &f->tree));
    SP_TRY(sp__fill_lattice(f));
    // at junctions of materials or of cell sizes a moved vertex can invert a cell: the next round does not move that vertex
    for (int round = 0; round < ROUNDS_MAX; round++) {
        SP_TRY(sp__fill_cuts(f));
        SP_TRY(sp__fill_stencils(f));
        if (sp__fill_hold(f) == 0) break;
    }
    SP_TRY(sp__fill_pinches(f));
    return source->tight ? SP_OK : sp__fill_debris(f);  // a label of a few voxels is kept
}

static sp_status finish(sp_fill *f, const sp_fill_def *def, sp_fill_info *info, sp_mesh **out) {
    if (f->tet_count == 0)
        return SP_FAIL(f->ctx, SP_BAD_INPUT, "nothing is inside: the shape is empty, or thinner than a cell of %g m", info->size);
    // a border that the octree missed (by sampling, or across a hole) may be cut in cells of several sizes
    bool promised = def->detail == 1 && f->extra_count == 0 && f->source->materials == 2 && sp__fill_is_uniform(f);
    info->guarantee[0] = promised ? LEAST : 0, info->guarantee[1] = promised ? LARGEST : 180;
    if (!promised) SP_TRY(sp__fill_improve(f));
    return sp__fill_finish(f, info, out);
}

// ------------------------------------------------------------------------------------------------ by number of elements

// Initial size: as if the box were full, with 12 tetrahedra per cell.
static double first_size(const sp_fill_source *source, double elements) {
    double volume = 1;
    for (int k = 0; k < 3; k++) volume *= source->high[k] - source->low[k];
    return cbrt(12 * volume / elements);
}

// State of the size search: the last two trials, and the nearest sizes on both sides of the target.
typedef struct search {
    double size[2], count[2];
    double few, many;  // 0: none yet
    double best, miss;
} search;

static void note_run(search *s, double size, double count, double wanted) {
    s->size[0] = s->size[1], s->count[0] = s->count[1];
    s->size[1] = size, s->count[1] = count;
    if (count > wanted) s->many = fmax(s->many, size);
    if (count <= wanted) s->few = s->few > 0 ? fmin(s->few, size) : size;
    double off = count > 0 ? fabs(log(count / wanted)) : INFINITY;
    if (off < s->miss) s->miss = off, s->best = size;
}

// The number of elements falls with the third power of the size, or more slowly if the mesh is graded: secant method in the
// logarithms, bracketed by the known sizes. Large targets are approached from below, so that only the last run is expensive.
static double next_size(const search *s, double wanted) {
    double exponent = -3, ratio = 0.5;
    if (s->count[0] > 0 && s->count[1] > 0 && s->size[0] != s->size[1] && s->count[0] != s->count[1])
        exponent = fmin(-1, fmax(-5, log(s->count[1] / s->count[0]) / log(s->size[1] / s->size[0])));
    if (s->count[1] > 0) ratio = pow(wanted / s->count[1], 1 / exponent);
    double next = s->size[1] * fmax(0.25, fmin(4, ratio));
    if (s->many > 0 && s->few > s->many) {
        double width = pow(s->few / s->many, 0.1);
        if (next < s->many * width || next > s->few / width) next = sqrt(s->few * s->many);
    }
    return next;
}

static sp_status fill_by_number(sp_context *ctx, const sp_fill_source *source, const sp_fill_def *def, sp_fill_info *info,
                                sp_fill *f) {
    search s = {.miss = INFINITY};
    double wanted = def->elements, size = first_size(source, wanted > 4000 ? wanted / 8 : wanted);
    for (info->runs = 1; info->runs <= RUNS_MAX; info->runs++) {
        info->size = size;
        sp_status status = fill_once(ctx, source, def, size, f);
        if (status < 0) return status;
        note_run(&s, size, f->tet_count, wanted);
        double off = f->tet_count > 0 ? fabs(log(f->tet_count / wanted)) : INFINITY;
        if (off < 0.02 || (off < 0.09 && info->runs > 4)) return SP_OK;
        size = next_size(&s, wanted);
        sp__fill_free(f);
        *f = (sp_fill){.ctx = ctx};
    }
    info->size = s.best > 0 ? s.best : size;
    return fill_once(ctx, source, def, info->size, f);
}

sp_status sp__fill_run(sp_context *ctx, const sp_fill_source *source, const sp_fill_def *def, sp_fill_info *info, sp_mesh **out) {
    sp_fill_info own = {0};
    info = info ? info : &own;
    for (int k = 0; k < 3; k++)
        if (!(source->high[k] > source->low[k]) || !isfinite(source->high[k] - source->low[k]))
            return SP_FAIL(ctx, SP_BAD_INPUT, "the box reaches from %g to %g m along axis %d", source->low[k], source->high[k],
                           k);
    sp_fill f = {.ctx = ctx};
    info->size = def->size, info->runs = 1;
    sp_status status = def->size > 0 ? fill_once(ctx, source, def, def->size, &f) : fill_by_number(ctx, source, def, info, &f);
    if (status >= 0) status = finish(&f, def, info, out);
    sp__fill_free(&f);
    return status;
}

// ------------------------------------------------------------------------------------------------ implicit functions

typedef struct field_source {
    sp_field_fn *field;
    const void *user;
    double slope;
    const sp_fill_region *regions;
    int region_count;
} field_source;

// 0 outside, 1 inside, 2 and higher: the regions
static int field_material(const void *user, const double x[3]) {
    const field_source *s = user;
    if (!(s->field(s->user, x) < 0)) return 0;
    for (int i = s->region_count - 1; i >= 0; i--)
        if (s->regions[i].field(s->regions[i].user, x) < 0) return i + 2;
    return 1;
}

// Positive where material a applies. The shape decides between inside and outside; a region with a higher number overrides a
// lower one.
static double field_between(const void *user, int a, int b, const double x[3]) {
    const field_source *s = user;
    if (a < b) return -field_between(user, b, a, x);
    if (b == 0) return -s->field(s->user, x);
    return -s->regions[a - 2].field(s->regions[a - 2].user, x);
}

static double field_distance(const void *user, const double x[3]) {
    const field_source *s = user;
    double value = s->field(s->user, x), least = fabs(value);
    for (int i = 0; i < s->region_count && value < 0; i++) least = fmin(least, fabs(s->regions[i].field(s->regions[i].user, x)));
    return least / s->slope;
}

static double field_value(const void *user, const double x[3]) {
    const field_source *s = user;
    return s->field(s->user, x);
}

sp_status sp_mesh_fill(sp_context *context, sp_field_fn *field, const void *user, const double low[3], const double high[3],
                       double slope, const sp_fill_def *def, sp_fill_info *info, sp_mesh **out) {
    *out = NULL;
    SP_TRY(sp__fill_check(context, def));
    if (!(slope >= 0) || !isfinite(slope)) return SP_FAIL(context, SP_BAD_INPUT, "slope = %g, must be 0 or above", slope);
    field_source f = {field, user, slope, def->regions, def->region_count};
    const char *names[REGIONS_MAX + 1] = {def->body ? def->body : "body"};
    for (int i = 0; i < def->region_count; i++) names[i + 1] = def->regions[i].name;
    sp_fill_source source = {.user = &f,
                             .materials = def->region_count + 2,
                             .names = def->region_count ? names : NULL,
                             .material = field_material,
                             .between = field_between,
                             .distance = slope > 0 ? field_distance : NULL,
                             .value = field_value};
    memcpy(source.low, low, sizeof source.low);
    memcpy(source.high, high, sizeof source.high);
    if (info) memset(info, 0, sizeof *info);
    return sp__fill_run(context, &source, def, info, out);
}
