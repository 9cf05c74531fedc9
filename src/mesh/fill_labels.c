// Label volumes (segmented voxels) as source. The share of a label at a point is the sum of cubic B-splines over the voxels with
// that label: smooth functions that add up to one. The material of a point is the label with the largest share, and two labels
// border where their shares are equal, so that any number of labels fit together without gaps.
#include <stdio.h>
#include <stdlib.h>

#include "math/vec3.h"
#include "mesh/fill.h"

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

static double spline(double t) {
    t = fabs(t);
    if (t >= 2) return 0;
    return t < 1 ? (4 - 6 * t * t + 3 * t * t * t) / 6 : (2 - t) * (2 - t) * (2 - t) / 6;
}

// weights of the voxels from `first` on whose spline reaches a coordinate; returns their number
static int weights_along(double at, double width, int *first, double weights[20]) {
    *first = (int)ceil(at - 2 * width);
    int last = (int)floor(at + 2 * width), n = 0;
    for (int i = *first; i <= last && n < 20; i++) weights[n++] = spline((i - at) / width);
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

sp_status sp_mesh_fill_labels(sp_context *context, const sp_label_volume *volume, const int *take, int take_count,
                              const sp_fill_def *def, sp_fill_info *info, sp_mesh **out) {
    *out = NULL;
    labels l = {.ctx = context, .volume = volume, .width = def->smooth};
    sp_fill_def plain = *def;
    plain.region_count = 0;
    SP_TRY(sp__fill_check(context, &plain));
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
        status = sp__fill_run(context, &source, &plain, info, out);
    }
    sp__free(context, l.material);
    sp__free(context, l.label);
    sp__free(context, l.names);
    sp__free(context, l.numbers);
    return status;
}
