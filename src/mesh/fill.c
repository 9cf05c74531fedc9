// Mesh generation by filling a source with tetrahedra. Sources: a closed triangle surface, a label volume, implicit functions.
// Then the order of the stages, and the search for the cell size that gives a requested number of elements.
#include "mesh/fill.h"

#include <stdio.h>
#include <stdlib.h>

#include "math/vec3.h"
#include "mesh/trimesh.h"
#include "mesh/winding.h"

// ==================================================================================== triangle surface as source

// Signed distance to a triangle surface; the winding number gives the sign. The winding number is checked close to both sides of
// the triangles: it is an integer there for a closed surface, almost an integer for a surface with small holes, and one half on
// both sides of an open sheet.

enum { PROBES = 4096 };

// a winding number further than UNDECIDED from an integer is ambiguous; a larger share of the area than REFUSED is an error
static const double UNCLEAR = 0.15, REFUSED = 0.2;

typedef struct surface_field {
    sp_tree *tree;
    sp_winding winding;
    double turned;  // -1: inside out
} surface_field;

static double surface_value(const void *user, const double x[3]) {
    const surface_field *s = user;
    sp_tree_near near;
    if (!sp__tree_nearest(s->tree, x, INFINITY, &near)) return INFINITY;
    bool inside = s->turned * sp__winding_at(&s->winding, x) > 0.5;
    return inside ? -sqrt(near.distance2) : sqrt(near.distance2);
}

// ------------------------------------------------------------------------------------------------ check of the winding number

typedef struct winding_check {
    double area, unclear, middle, largest;
} winding_check;

// samples just below and above one triangle, weighted by its area
static void surface_probe(const surface_field *s, int item, double step, winding_check *v) {
    const int *c = s->tree->items + 3 * (size_t)item;
    const double *a = s->tree->x + 3 * (size_t)c[0], *b = s->tree->x + 3 * (size_t)c[1], *d = s->tree->x + 3 * (size_t)c[2];
    double e[3], f[3], n[3], side[2];
    sp__sub3(b, a, e);
    sp__sub3(d, a, f);
    sp__cross3(e, f, n);
    double area = sp__norm3(n);
    if (!(area > 0)) return;
    for (int k = 0; k < 2; k++) {
        double x[3];
        for (int i = 0; i < 3; i++) x[i] = (a[i] + b[i] + d[i]) / 3 + (k ? step : -step) * n[i] / area;
        side[k] = sp__winding_at(&s->winding, x);
        v->largest = fmax(v->largest, fabs(side[k]));
    }
    v->area += area;
    v->middle += area * (side[0] + side[1]);
    if (fabs(side[0] - round(side[0])) > UNCLEAR) v->unclear += area;
}

static sp_status check_winding(sp_context *ctx, surface_field *s, double diagonal, sp_fill_info *info) {
    winding_check v = {0};
    int count = s->tree->count, stride = count / PROBES + 1;
    for (int i = 0; i < count; i += stride) surface_probe(s, i, 1e-6 * diagonal, &v);
    if (!(v.area > 0)) return SP_FAIL(ctx, SP_BAD_INPUT, "the surface has no area");
    double share = v.unclear / v.area;
    if (info) info->winding[0] = share, info->winding[1] = v.largest;
    if (share > REFUSED)
        return SP_FAIL(
            ctx, SP_BAD_INPUT,
            "the surface does not separate inside from outside: near %.0f %% of it the winding number is not close to an integer "
            "(at most %.0f %% is allowed); it is an open sheet, has large holes, or triangles of opposite orientation",
            100 * share, 100 * REFUSED);
    s->turned = v.middle < 0 ? -1 : 1;
    return SP_OK;
}

// ------------------------------------------------------------------------------------------------ filling

static double box_of(const sp_trimesh_def *d, double low[3], double high[3]) {
    double diagonal = 0;
    for (int k = 0; k < 3; k++) low[k] = INFINITY, high[k] = -INFINITY;
    for (size_t i = 0; i < 3 * (size_t)d->face_count; i++)
        for (int k = 0; k < 3; k++) {
            double x = d->positions[3 * (size_t)d->faces[i] + (size_t)k];
            low[k] = fmin(low[k], x), high[k] = fmax(high[k], x);
        }
    for (int k = 0; k < 3; k++) diagonal += (high[k] - low[k]) * (high[k] - low[k]);
    return sqrt(diagonal);
}

static sp_status fill_check(sp_context *ctx, const sp_fill_def *def);

sp_status sp_mesh_fill_surface(const sp_trimesh *surface, const sp_fill_def *def, sp_fill_info *info, sp_mesh **out) {
    sp_context *ctx = surface->ctx;
    sp_fill_info own = {0};
    *out = NULL;
    info = info ? info : &own;
    memset(info, 0, sizeof *info);
    SP_TRY(fill_check(ctx, def));
    if (surface->def.face_count < 1) return SP_FAIL(ctx, SP_BAD_INPUT, "the surface has no triangles");
    surface_field s = {.turned = 1};
    double low[3], high[3], diagonal = box_of(&surface->def, low, high);
    sp_status status = sp__tree_create(ctx, surface->def.positions, surface->def.faces, surface->def.face_count, 3, &s.tree);
    if (status >= 0) status = sp__winding_create(s.tree, &s.winding);
    if (status >= 0) status = check_winding(ctx, &s, diagonal, info);
    double share = info->winding[0], largest = info->winding[1];
    if (status >= 0) status = sp_mesh_fill(ctx, surface_value, &s, low, high, 1, def, info, out);
    info->winding[0] = share, info->winding[1] = largest;
    sp__winding_free(&s.winding);
    sp__tree_destroy(&s.tree);
    return status;
}

// ======================================================================================== label volume as source

// Label volumes (segmented voxels) as source. The share of a label at a point is the sum of cubic B-splines over the voxels with
// that label: smooth functions that add up to one. The material of a point is the label with the largest share. The border of two
// labels is where their shares are equal, so that any number of labels fit together without gaps.

enum { DIMS_MAX = 65535, MATERIALS_MAX = 65000, NAME_LENGTH = 16, SHARES_MAX = 32 };

typedef struct labels {
    sp_context *ctx;
    const sp_label_volume *volume;
    uint16_t *material;  // of each voxel; 0: none
    int *label;          // label of each material from 1 on, ascending
    int count;
    const char **names;
    char (*numbers)[NAME_LENGTH];
    double inverse[9], width;
} labels;

// ------------------------------------------------------------------------------------------------ shares

typedef struct shares {
    int material[SHARES_MAX];
    double weight[SHARES_MAX];
    int count;
} shares;

static void add_share(shares *s, int material, double weight) {
    int i = 0;
    while (i < s->count && s->material[i] != material) i++;
    if (i == SHARES_MAX) return;
    if (i == s->count) s->material[s->count++] = material, s->weight[i] = 0;
    s->weight[i] += weight;
}

static double labels_spline(double t) {
    t = fabs(t);
    if (t >= 2) return 0;
    return t < 1 ? (4 - 6 * t * t + 3 * t * t * t) / 6 : (2 - t) * (2 - t) * (2 - t) / 6;
}

// weights of the voxels from `first` on whose spline reaches a coordinate; returns their number
static int weights_along(double at, double width, int *first, double weights[20]) {
    *first = (int)ceil(at - 2 * width);
    int last = (int)floor(at + 2 * width), n = 0;
    for (int i = *first; i <= last && n < 20; i++) weights[n++] = labels_spline((i - at) / width);
    return n;
}

static void find_shares(const labels *l, const double x[3], shares *s) {
    const int *dims = l->volume->dims;
    double d[3], at[3], w[3][20];
    int first[3], n[3];
    for (int k = 0; k < 3; k++) d[k] = x[k] - l->volume->affine[4 * k + 3];
    sp__mul3(l->inverse, d, at);
    s->count = 0;
    for (int k = 0; k < 3; k++) {
        // a point far outside has no voxels near it; this also limits the range of the integers below
        if (!(at[k] > -10 && at[k] < dims[k] + 10)) {
            add_share(s, 0, 1);
            return;
        }
        n[k] = weights_along(at[k], l->width, &first[k], w[k]);
    }
    for (int c = 0; c < n[2]; c++)
        for (int b = 0; b < n[1]; b++)
            for (int a = 0; a < n[0]; a++) {
                int i = first[0] + a, j = first[1] + b, k = first[2] + c;
                bool in = i >= 0 && i < dims[0] && j >= 0 && j < dims[1] && k >= 0 && k < dims[2];
                size_t voxel = in ? ((size_t)k * (size_t)dims[1] + (size_t)j) * (size_t)dims[0] + (size_t)i : 0;
                add_share(s, in ? l->material[voxel] : 0, w[0][a] * w[1][b] * w[2][c]);
            }
}

static int label_material(const void *user, const double x[3]) {
    shares s;
    find_shares(user, x, &s);
    int best = 0;
    for (int i = 1; i < s.count; i++)
        if (s.weight[i] > s.weight[best] || (s.weight[i] == s.weight[best] && s.material[i] < s.material[best])) best = i;
    return s.material[best];
}

static double label_between(const void *user, int a, int b, const double x[3]) {
    shares s;
    double difference = 0;
    find_shares(user, x, &s);
    for (int i = 0; i < s.count; i++) difference += (s.material[i] == a) * s.weight[i] - (s.material[i] == b) * s.weight[i];
    return difference;
}

// ------------------------------------------------------------------------------------------------ materials

static int find_label(const labels *l, int label) {
    int low = 0, high = l->count;
    while (low < high) {
        int middle = (low + high) / 2;
        if (l->label[middle] < label)
            low = middle + 1;
        else
            high = middle;
    }
    return low < l->count && l->label[low] == label ? low : -1;
}

// labels in ascending order, each once, without 0
static sp_status add_label(labels *l, int *capacity, int label) {
    if (label == 0 || find_label(l, label) >= 0) return SP_OK;
    if (l->count >= MATERIALS_MAX)
        return SP_FAIL(l->ctx, SP_BAD_INPUT, "more than %d labels: is it a segmented volume?", MATERIALS_MAX);
    if (!SP_FILL_ROOM(l->ctx, l->label, l->count, *capacity)) return sp__fill_no_memory(l->ctx);
    int i = l->count++;
    for (; i > 0 && l->label[i - 1] > label; i--) l->label[i] = l->label[i - 1];
    l->label[i] = label;
    return SP_OK;
}

static bool is_taken(const int *take, int take_count, int label) {
    if (!take) return true;
    for (int i = 0; i < take_count; i++)
        if (take[i] == label) return true;
    return false;
}

static sp_status find_labels(labels *l, size_t voxels, const int *take, int take_count) {
    int capacity = 0, last = 0, last_material = 0;
    for (size_t i = 0; i < voxels; i++) {
        if (l->volume->labels[i] == last) continue;
        last = l->volume->labels[i];
        if (is_taken(take, take_count, last)) SP_TRY(add_label(l, &capacity, last));
    }
    for (int i = 0; i < take_count; i++)
        if (take[i] != 0 && find_label(l, take[i]) < 0)
            return SP_FAIL(l->ctx, SP_BAD_INPUT, "no voxel has the label %d", take[i]);
    if (l->count == 0) return SP_FAIL(l->ctx, SP_BAD_INPUT, "all voxels are background");
    if (!SP_NEW(l->ctx, l->material, voxels)) return sp__fill_no_memory(l->ctx);
    last = 0;
    for (size_t i = 0; i < voxels; i++) {
        if (l->volume->labels[i] != last) {
            last = l->volume->labels[i];
            last_material = find_label(l, last) + 1;
        }
        l->material[i] = (uint16_t)last_material;
    }
    return SP_OK;
}

static sp_status name_labels(labels *l) {
    if (!SP_NEW(l->ctx, l->names, l->count) || !SP_NEW(l->ctx, l->numbers, l->count)) return sp__fill_no_memory(l->ctx);
    for (int i = 0; i < l->count; i++) {
        snprintf(l->numbers[i], NAME_LENGTH, "%d", l->label[i]);
        l->names[i] = l->numbers[i];
        for (int k = 0; k < l->volume->name_count; k++)
            if (l->volume->name_of[k] == l->label[i]) l->names[i] = l->volume->names[k];
    }
    return SP_OK;
}

// ------------------------------------------------------------------------------------------------ the volume

static sp_status check_volume(sp_context *ctx, const sp_label_volume *v, labels *l) {
    double m[9], scale = 0;
    for (int k = 0; k < 3; k++)
        if (v->dims[k] < 1 || v->dims[k] > DIMS_MAX)
            return SP_FAIL(ctx, SP_BAD_INPUT, "%d voxels along axis %d, must be in [1, %d]", v->dims[k], k, DIMS_MAX);
    if (!v->labels) return SP_FAIL(ctx, SP_BAD_INPUT, "the volume has no labels");
    for (int i = 0; i < 12; i++)
        if (!isfinite(v->affine[i])) return SP_FAIL(ctx, SP_BAD_INPUT, "the affine of the volume is not finite");
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++) m[3 * i + j] = v->affine[4 * i + j], scale = fmax(scale, fabs(m[3 * i + j]));
    double det = sp__inverse3(m, l->inverse);
    if (!(fabs(det) > 1e-9 * scale * scale * scale))
        return SP_FAIL(ctx, SP_BAD_INPUT, "the voxels are flat: determinant %g", det);
    return SP_OK;
}

// bounding box of the selected voxels, enlarged by the distance that the smoothed border may lie outside
static void find_box(const labels *l, sp_fill_source *source) {
    const int *dims = l->volume->dims;
    int low[3] = {INT32_MAX, INT32_MAX, INT32_MAX}, high[3] = {-1, -1, -1};
    for (int k = 0; k < dims[2]; k++)
        for (int j = 0; j < dims[1]; j++)
            for (int i = 0; i < dims[0]; i++) {
                const int at[3] = {i, j, k};
                if (!l->material[((size_t)k * (size_t)dims[1] + (size_t)j) * (size_t)dims[0] + (size_t)i]) continue;
                for (int a = 0; a < 3; a++) low[a] = at[a] < low[a] ? at[a] : low[a], high[a] = at[a] > high[a] ? at[a] : high[a];
            }
    for (int a = 0; a < 3; a++) source->low[a] = INFINITY, source->high[a] = -INFINITY;
    for (int c = 0; c < 8; c++)
        for (int a = 0; a < 3; a++) {
            double x = l->volume->affine[4 * a + 3];
            for (int b = 0; b < 3; b++) x += l->volume->affine[4 * a + b] * (c >> b & 1 ? high[b] + l->width : low[b] - l->width);
            source->low[a] = fmin(source->low[a], x), source->high[a] = fmax(source->high[a], x);
        }
}

static sp_status fill_run(sp_context *ctx, const sp_fill_source *source, const sp_fill_def *def, sp_fill_info *info,
                          sp_mesh **out);

sp_status sp_mesh_fill_labels(sp_context *context, const sp_label_volume *volume, const int *take, int take_count,
                              const sp_fill_def *def, sp_fill_info *info, sp_mesh **out) {
    *out = NULL;
    labels l = {.ctx = context, .volume = volume, .width = def->smooth};
    sp_fill_def plain = *def;
    plain.region_count = 0;
    SP_TRY(fill_check(context, &plain));
    SP_TRY(check_volume(context, volume, &l));
    if (def->detail != 1) return SP_FAIL(context, SP_BAD_INPUT, "detail = %g: of labelled voxels it must be 1", def->detail);
    if (info) memset(info, 0, sizeof *info);
    size_t voxels = (size_t)volume->dims[0] * (size_t)volume->dims[1] * (size_t)volume->dims[2];
    sp_status status = find_labels(&l, voxels, take, take ? take_count : 0);
    if (status >= 0) status = name_labels(&l);
    if (status >= 0) {
        sp_fill_source source = {.user = &l,
                                 .materials = l.count + 1,
                                 .names = l.names,
                                 .material = label_material,
                                 .between = label_between,
                                 .tight = true};
        find_box(&l, &source);
        status = fill_run(context, &source, &plain, info, out);
    }
    sp__free(context, l.material);
    sp__free(context, l.label);
    sp__free(context, l.names);
    sp__free(context, l.numbers);
    return status;
}

// ========================================================================================== stages and cell size

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

static sp_status fill_check(sp_context *ctx, const sp_fill_def *def) {
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

static void fill_free(sp_fill *f) {
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

static sp_status fill_finish(sp_fill *f, const sp_fill_def *def, sp_fill_info *info, sp_mesh **out) {
    if (f->tet_count == 0)
        return SP_FAIL(f->ctx, SP_BAD_INPUT, "nothing is inside: the shape is empty, or thinner than a cell of %g m", info->size);
    // a border that the octree missed (by sampling, or across a hole) may be cut in cells of several sizes
    bool guaranteed = def->detail == 1 && f->extra_count == 0 && f->source->materials == 2 && sp__fill_is_uniform(f);
    info->guarantee[0] = guaranteed ? LEAST : 0, info->guarantee[1] = guaranteed ? LARGEST : 180;
    if (!guaranteed) SP_TRY(sp__fill_improve(f));
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
        fill_free(f);
        *f = (sp_fill){.ctx = ctx};
    }
    info->size = s.best > 0 ? s.best : size;
    return fill_once(ctx, source, def, info->size, f);
}

// Fills by element size or by number of elements; checks the definition.
static sp_status fill_run(sp_context *ctx, const sp_fill_source *source, const sp_fill_def *def, sp_fill_info *info,
                          sp_mesh **out) {
    sp_fill_info own = {0};
    info = info ? info : &own;
    for (int k = 0; k < 3; k++)
        if (!(source->high[k] > source->low[k]) || !isfinite(source->high[k] - source->low[k]))
            return SP_FAIL(ctx, SP_BAD_INPUT, "the box reaches from %g to %g m along axis %d", source->low[k], source->high[k],
                           k);
    sp_fill f = {.ctx = ctx};
    info->size = def->size, info->runs = 1;
    sp_status status = def->size > 0 ? fill_once(ctx, source, def, def->size, &f) : fill_by_number(ctx, source, def, info, &f);
    if (status >= 0) status = fill_finish(&f, def, info, out);
    fill_free(&f);
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
    SP_TRY(fill_check(context, def));
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
    return fill_run(context, &source, def, info, out);
}
