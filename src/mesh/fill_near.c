// Location of the border. A function that bounds its distance is queried cell by cell. Otherwise the material is sampled once in
// every cell of the boundary size, and the cells whose neighbours differ are dilated by three.
#include "mesh/fill_near.h"

// in cells: a cut edge ends within 1 of the border, and a cell that touches it reaches sqrt(3) further
static const double MARGIN = 2.75;
enum { WIDEN = 3 };

// allowed deviation of the border from a plane in a cell, relative to the cell: a sphere of radius r gets cells of about r / 5
static const double FLAT = 0.08;
// cells are enlarged by this factor for the check: a thin sheet may lie between two cells
static const double WIDER = 1.5;

static size_t at(const sp_fill_near *near, int x, int y, int z) {
    return ((size_t)z * (size_t)near->n[1] + (size_t)y) * (size_t)near->n[0] + (size_t)x;
}

// ------------------------------------------------------------------------------------------------ sampling

typedef struct sampling {
    const sp_fill_near *near;
    const sp_octree *tree;
} sampling;

static void sample_layer(void *arg, int z, int worker) {
    const sampling *s = arg;
    const sp_fill_near *near = s->near;
    (void)worker;
    int l = near->sizes.fine;
    for (int y = 0; y < near->n[1]; y++)
        for (int x = 0; x < near->n[0]; x++) {
            const int p[3] = {(2 * x + 1) << l, (2 * y + 1) << l, (2 * z + 1) << l};
            double point[3];
            sp__octree_point(s->tree, p, point);
            near->material[at(near, x, y, z)] = (uint16_t)near->source->material(near->source->user, point);
        }
}

// a cell whose material differs from the next cell along an axis marks both
static void mark(const sp_fill_near *near) {
    for (int z = 0; z < near->n[2]; z++)
        for (int y = 0; y < near->n[1]; y++)
            for (int x = 0; x < near->n[0]; x++) {
                const int next[3][3] = {{x + 1, y, z}, {x, y + 1, z}, {x, y, z + 1}};
                size_t own = at(near, x, y, z);
                for (int k = 0; k < 3; k++) {
                    if (next[k][k] >= near->n[k]) continue;
                    size_t other = at(near, next[k][0], next[k][1], next[k][2]);
                    if (near->material[own] != near->material[other]) near->mask[own] = near->mask[other] = 1;
                }
            }
}

// dilates along one axis; 1: marked, 2: marked by this pass
static void widen(const sp_fill_near *near, int axis) {
    size_t stride = axis == 0 ? 1 : axis == 1 ? (size_t)near->n[0] : (size_t)near->n[0] * (size_t)near->n[1];
    size_t total = (size_t)near->n[0] * (size_t)near->n[1] * (size_t)near->n[2];
    for (size_t i = 0; i < total; i++) {
        if (near->mask[i] != 1) continue;
        int place = (int)(i / stride % (size_t)near->n[axis]);
        for (int d = 1; d <= WIDEN; d++) {
            if (place - d >= 0 && !near->mask[i - (size_t)d * stride]) near->mask[i - (size_t)d * stride] = 2;
            if (place + d < near->n[axis] && !near->mask[i + (size_t)d * stride]) near->mask[i + (size_t)d * stride] = 2;
        }
    }
    for (size_t i = 0; i < total; i++) near->mask[i] = near->mask[i] != 0;
}

sp_status sp__near_begin(sp_context *ctx, const sp_fill_source *source, const sp_fill_sizes *sizes, const sp_octree *o,
                         sp_fill_near *near) {
    *near = (sp_fill_near){.source = source, .sizes = *sizes};
    if (source->distance) return SP_OK;
    double total = 1;
    for (int k = 0; k < 3; k++) total *= near->n[k] = o->roots[k] << (o->top - sizes->fine);
    if (total > (1 << 28))
        return SP_FAIL(ctx, SP_BAD_INPUT, "size = %g m: %g cells in the box, at most %d", sizes->size, total, 1 << 28);
    if (!SP_NEW(ctx, near->material, (size_t)total) || !SP_NEW(ctx, near->mask, (size_t)total)) return sp__fill_no_memory(ctx);
    sampling s = {near, o};
    sp__parallel(ctx, near->n[2], sample_layer, &s);
    mark(near);
    for (int k = 0; k < 3; k++) widen(near, k);
    return SP_OK;
}

void sp__near_end(sp_context *ctx, sp_fill_near *near) {
    sp__free(ctx, near->material);
    sp__free(ctx, near->mask);
}

static bool masked(const sp_fill_near *near, const int centre[3], int level) {
    int l = near->sizes.fine, half = level > l ? 1 << (level - l - 1) : 0, low[3], high[3];
    for (int k = 0; k < 3; k++) {
        int own = centre[k] >> (l + 1);  // the cell of boundary size that contains the centre or starts there
        low[k] = own - half, high[k] = half ? own + half : own + 1;
    }
    for (int z = low[2]; z < high[2]; z++)
        for (int y = low[1]; y < high[1]; y++)
            for (int x = low[0]; x < high[0]; x++)
                if (near->mask[at(near, x, y, z)]) return true;
    return false;
}

// ------------------------------------------------------------------------------------------------ detail

static double blend(const double corner[8], double u, double v, double w) {
    double sum = 0;
    for (int c = 0; c < 8; c++) sum += corner[c] * (c & 1 ? u : 1 - u) * (c & 2 ? v : 1 - v) * (c & 4 ? w : 1 - w);
    return sum;
}

typedef struct bend {
    const sp_fill_source *source;
    const double *x;  // the cell's centre
    double half, corner[8];
    double error, steep, nearest;
} bend;

// compares the value at one point (in half cells from the centre) with the interpolation of the corners
static void probe(bend *b, double u, double v, double w) {
    const double p[3] = {b->x[0] + u * b->half, b->x[1] + v * b->half, b->x[2] + w * b->half};
    double value = b->source->value(b->source->user, p);
    b->nearest = fmin(b->nearest, fabs(value));
    b->error = fmax(b->error, fabs(value - blend(b->corner, 0.5 * (u + 1), 0.5 * (v + 1), 0.5 * (w + 1))));
    for (int c = 0; c < 8; c++) b->steep = fmax(b->steep, fabs(value - b->corner[c]));
}

// Whether the border is curved in a cell. Samples the middle of the cell, of its faces and edges, and quarter points, so that a
// sheet between two layers of points is found. A sheet thinner than the cell counts as curved, like a sharp corner.
static bool bends(const sp_fill_source *source, const double x[3], double half) {
    bend b = {.source = source, .x = x, .half = half, .nearest = INFINITY};
    for (int c = 0; c < 8; c++) {
        const double p[3] = {x[0] + (c & 1 ? half : -half), x[1] + (c & 2 ? half : -half), x[2] + (c & 4 ? half : -half)};
        b.corner[c] = source->value(source->user, p);
    }
    for (int i = 0; i < 27; i++) {
        const int s[3] = {i % 3 - 1, i / 3 % 3 - 1, i / 9 - 1};
        double part = s[0] && s[1] && s[2] ? 0.5 : 1;
        probe(&b, part * s[0], part * s[1], part * s[2]);
    }
    // half the diagonal is about the largest distance to a corner
    double slope = b.steep / (1.73 * half);
    return b.nearest <= half / WIDER * slope && b.error > FLAT * 2 * half * slope;
}

bool sp__near_split(const sp_fill_near *near, const sp_octree *o, const int centre[3], int level) {
    const sp_fill_source *source = near->source;
    double x[3], half = o->unit * (1 << level);
    sp__octree_point(o, centre, x);
    if (level <= near->sizes.fine) return source->value && bends(source, x, WIDER * half);
    bool close;
    if (source->distance)
        close = source->distance(source->user, x) <= sqrt(3) * half + MARGIN * near->sizes.size;
    else
        close = masked(near, centre, level);
    if (close) return true;
    return level > near->sizes.fine + near->sizes.coarse && source->material(source->user, x) != 0;
}
