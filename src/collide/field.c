// See field.h. Creation in three passes over the blocks, each of which writes only its own block, so that the result does not
// depend on the number of workers:
//
//   far      a bound of the distance in every block; which blocks are near the surface. Groups of 8 x 8 x 8 blocks that are far
//            from it are decided by one distance
//   nodes    exact signed distances at the nodes of near blocks
//   values   coefficients of their nodes, and one layer of nodes around them
#include "collide/field.h"

#include "math/vec3.h"
#include "mesh/edges.h"
#include "mesh/tree.h"
#include "mesh/winding.h"

enum {
    BLOCK = SP_DISTANCE_BLOCK,
    NODES = BLOCK * BLOCK * BLOCK,
    STORED = BLOCK + 2,  // nodes along an edge of a block with the layer around it
    VALUES = STORED * STORED * STORED,
    GROUP = 8,                   // blocks along an edge of a group
    PAD = SP_DISTANCE_BAND + 2,  // cells around the surface
    CHUNK = 256,                 // points of a task
};

// Second differences that are larger, in cells, are not corrected by more: there the surface has an edge, or a radius of less
// than four cells, and a full correction would make it bulge. Convex edges are rounded off instead, concave ones filled.
static const double most_bend = 0.25;
// Error of a value in cells, at most. The weights of a quadratic B-spline have the variance 1/4 along each axis, so that the mean
// of 1-Lipschitz distances differs from the distance by sqrt(3/4) at most; the correction is an eighth of three second
// differences at most.
static const double most_error = 0.97;

struct sp_distance_field {
    sp_context *ctx;          // the host
    sp_distance_field *next;  // in the list of the context
    int refs;
    uint64_t key[2];
    // triangles
    int vertex_count, face_count;
    double *x;
    int *faces;
    sp_tree *tree;
    sp_winding winding;
    bool closed, inverted;  // inverted: the faces look into the space that they enclose
    // grid
    double cell, origin[3], low[3], high[3];  // of the node 0; box of the triangles
    int n[3];                                 // blocks
    int *block;                               // number of its values; -1: none
    float *far;                               // signed distance of the middle of a block, or less
    float *value;                             // VALUES per near block
    int near_count;
    double slope;  // Lipschitz constant of the interpolation
    sp_distance_field_info info;
};

// ---------------------------------------------------------------------------------------------------- distances

static bool point_is_solid(const sp_distance_field *f, const double x[3]) {
    return sp__winding_at(&f->winding, x) > (f->inverted ? -0.5 : 0.5);
}

// Distance of a point. `hint` is a triangle near it (-1: none), and then the nearest one: the search starts with its distance,
// which is hardly larger for the next node of a row.
static double point_distance(const sp_distance_field *f, const double x[3], int *hint, sp_tree_near *near) {
    double within = INFINITY, w[3];
    if (*hint >= 0) {
        const int *c = f->faces + 3 * (size_t)*hint;
        within = sqrt(sp__nearest_on_triangle(f->x + 3 * (size_t)c[0], f->x + 3 * (size_t)c[1], f->x + 3 * (size_t)c[2], x, w));
        within += 1e-9 * (within + f->cell);
    }
    if (!sp__tree_nearest(f->tree, x, within, near)) sp__tree_nearest(f->tree, x, INFINITY, near);
    *hint = near->item;
    return sqrt(near->distance2);
}

static void face_normal(const sp_distance_field *f, int face, double out[3]) {
    const int *c = f->faces + 3 * (size_t)face;
    double u[3], v[3];
    sp__sub3(f->x + 3 * (size_t)c[1], f->x + 3 * (size_t)c[0], u), sp__sub3(f->x + 3 * (size_t)c[2], f->x + 3 * (size_t)c[0], v);
    sp__cross3(u, v, out);
    double length = sp__norm3(out);
    for (int k = 0; k < 3; k++) out[k] = length > 0 ? out[k] / length : k == 2;
}

static double signed_distance(const sp_distance_field *f, const double x[3], bool solid, int *hint, double gradient[3]) {
    sp_tree_near near;
    double d = point_distance(f, x, hint, &near), sign = solid ? -1 : 1;
    if (!gradient) return sign * d;
    sp__sub3(x, near.point, gradient);
    // on the surface the direction would be rounding error
    if (d > 1e-9 * f->cell)
        for (int k = 0; k < 3; k++) gradient[k] *= sign / d;
    else
        face_normal(f, near.item, gradient);
    return sign * d;
}

double sp__distance_field_exact(const sp_distance_field *f, const double x[3], double gradient[3]) {
    int hint = -1;
    return signed_distance(f, x, point_is_solid(f, x), &hint, gradient);
}

// ---------------------------------------------------------------------------------------------------- values

typedef struct field_place {
    size_t block;  // in the table
    int near;      // number of its values; -1: none
    int node[3];   // nearest node in the block
    double at[3];  // from that node, in cells, in [-0.5, 0.5]
} field_place;

// false: outside of all blocks
static bool field_place_of(const sp_distance_field *f, const double x[3], field_place *p) {
    size_t b[3];
    for (int k = 0; k < 3; k++) {
        double u = (x[k] - f->origin[k]) / f->cell + 0.5;
        if (!(u >= 0 && u < BLOCK * (double)f->n[k])) return false;
        int i = (int)u;
        b[k] = (size_t)(i / BLOCK), p->node[k] = i % BLOCK, p->at[k] = u - 0.5 - i;
    }
    p->block = (b[2] * (size_t)f->n[1] + b[1]) * (size_t)f->n[0] + b[0];
    p->near = f->block[p->block];
    return true;
}

// quadratic B-splines of three nodes and their derivatives
static void spline_weights(double t, double w[3], double d[3]) {
    w[0] = 0.5 * (0.5 - t) * (0.5 - t), w[1] = 0.75 - t * t, w[2] = 0.5 * (0.5 + t) * (0.5 + t);
    d[0] = t - 0.5, d[1] = -2 * t, d[2] = t + 0.5;
}

static double spline_at(const sp_distance_field *f, const field_place *p, double gradient[3]) {
    double w[3][3], d[3][3], sum = 0, g[3] = {0};
    const float *value = f->value + (size_t)p->near * VALUES;
    for (int k = 0; k < 3; k++) spline_weights(p->at[k], w[k], d[k]);
    for (int k = 0; k < 3; k++)
        for (int j = 0; j < 3; j++) {
            const float *row = value + ((p->node[2] + k) * STORED + p->node[1] + j) * STORED + p->node[0];
            const double a = (double)row[0], b = (double)row[1], c = (double)row[2];
            const double line = w[0][0] * a + w[0][1] * b + w[0][2] * c, along = d[0][0] * a + d[0][1] * b + d[0][2] * c;
            const double across = w[1][j] * w[2][k];
            sum += across * line, g[0] += across * along;
            g[1] += d[1][j] * w[2][k] * line, g[2] += w[1][j] * d[2][k] * line;
        }
    for (int k = 0; k < 3 && gradient; k++) gradient[k] = g[k] / f->cell;
    return sum;
}

double sp__distance_field_at(const sp_distance_field *f, const double x[3], double gradient[3]) {
    field_place p;
    int hint = -1;
    if (!field_place_of(f, x, &p)) return sp__distance_field_exact(f, x, gradient);
    if (p.near < 0) return signed_distance(f, x, f->far[p.block] < 0, &hint, gradient);
    double value = spline_at(f, &p, gradient);
    // where the nearest point is not unique, the mean of the directions says nothing
    if (gradient && sp__dot3(gradient, gradient) < 0.25 * 0.25) sp__distance_field_exact(f, x, gradient);
    return value;
}

// lower bound of the distance to the triangles in a block without values, or outside of all blocks
static double far_bound(const sp_distance_field *f, const double x[3], const field_place *p) {
    double square = 0;
    for (int k = 0; k < 3; k++) {
        double d = p ? (p->node[k] + p->at[k] - 0.5 * (BLOCK - 1)) * f->cell : fmax(fmax(f->low[k] - x[k], x[k] - f->high[k]), 0);
        square += d * d;
    }
    return p ? fabs((double)f->far[p->block]) * (1 - 1e-6) - sqrt(square) : sqrt(square);
}

// A point z on the surface of the field is within the error e of the triangles, and 4 cells from every block without values. So a
// way to it that is shorter than 4 cells - e stays in blocks with values, where the slope holds; and |x - z| >= |d(x)| - e.
double sp__distance_field_bound(const sp_distance_field *f, const double x[3], double sign, double level) {
    const double e = most_error * f->cell, least = SP_DISTANCE_BAND * f->cell - e;
    field_place p;
    const bool inside = field_place_of(f, x, &p);
    if (!inside || p.near < 0) {
        double bound = fmax(far_bound(f, x, inside ? &p : NULL), SP_DISTANCE_BAND * f->cell);
        int hint = -1;
        if (inside ? sign * (double)f->far[p.block] < 0 : sign < 0) return -bound;
        if (level == 0) return bound - e;
        return bound - level > 0.5 * f->cell ? bound - level : signed_distance(f, x, false, &hint, NULL) - level;
    }
    const double value = sign * spline_at(f, &p, NULL), above = (value - level) / f->slope;
    return fmax(level == 0 ? fmin(above, least) : above, value - level - 2 * e);
}

double sp__distance_field_error(const sp_distance_field *f) {
    return most_error * f->cell;
}

double sp__distance_field_cell(const sp_distance_field *f) {
    return f->cell;
}

void sp__distance_field_info(const sp_distance_field *f, sp_distance_field_info *out) {
    *out = f->info;
}

// ---------------------------------------------------------------------------------------------------- blocks

typedef struct field_job {
    sp_distance_field *f;
    float *node;        // NODES per near block: signed distances, then coefficients in `smooth`
    float *smooth;      // NODES per near block
    const int *places;  // table entry of each near block
    double *most;       // per task
    int groups[3];
} field_job;

static void block_of(const sp_distance_field *f, size_t at, int b[3]) {
    size_t nx = (size_t)f->n[0], ny = (size_t)f->n[1];
    b[0] = (int)(at % nx), b[1] = (int)(at / nx % ny), b[2] = (int)(at / nx / ny);
}

static void node_position(const sp_distance_field *f, const int node[3], double x[3]) {
    for (int k = 0; k < 3; k++) x[k] = f->origin[k] + f->cell * node[k];
}

// middle of blocks first to end - 1
static void blocks_middle(const sp_distance_field *f, const int first[3], const int end[3], double x[3]) {
    for (int k = 0; k < 3; k++) x[k] = f->origin[k] + f->cell * (0.5 * BLOCK * (first[k] + end[k]) - 0.5);
}

static double apart(const double a[3], const double b[3]) {
    double d[3];
    sp__sub3(a, b, d);
    return sp__norm3(d);
}

static void far_group(void *arg, int task, int worker) {
    const field_job *job = arg;
    sp_distance_field *f = job->f;
    const double half = 0.5 * sqrt(3) * BLOCK * f->cell, band = SP_DISTANCE_BAND * f->cell;
    int group[3] = {task % job->groups[0], task / job->groups[0] % job->groups[1], task / job->groups[0] / job->groups[1]};
    int first[3], end[3], hint = -1;
    double x[3], middle[3];
    sp_tree_near near;
    (void)worker;
    for (int k = 0; k < 3; k++) {
        first[k] = GROUP * group[k];
        end[k] = first[k] + GROUP < f->n[k] ? first[k] + GROUP : f->n[k];
    }
    blocks_middle(f, first, end, middle);
    const double d = point_distance(f, middle, &hint, &near);
    const bool all_far = d > (GROUP + 1) * half + band, solid = all_far && point_is_solid(f, middle);
    for (int k = first[2]; k < end[2]; k++)
        for (int j = first[1]; j < end[1]; j++)
            for (int i = first[0]; i < end[0]; i++) {
                size_t at = ((size_t)k * (size_t)f->n[1] + (size_t)j) * (size_t)f->n[0] + (size_t)i;
                blocks_middle(f, (int[]){i, j, k}, (int[]){i + 1, j + 1, k + 1}, x);
                double own = all_far ? d - apart(x, middle) : point_distance(f, x, &hint, &near);
                f->block[at] = all_far || own > half + band ? -1 : 0;
                // near blocks need no sign
                f->far[at] = (float)(f->block[at] == 0 ? own : (all_far ? solid : point_is_solid(f, x)) ? -own : own);
            }
}

// ---------------------------------------------------------------------------------------------------- nodes

// Signed distances along rows of nodes. Between two nodes of a closed surface the sign changes only if their distances are not
// larger than the cell together; the winding number is computed there only. An open surface needs it everywhere.
static void node_block(void *arg, int task, int worker) {
    const field_job *job = arg;
    const sp_distance_field *f = job->f;
    float *out = job->node + (size_t)task * NODES;
    int b[3], hint = -1;
    double before[3] = {0};  // unsigned distances of the last node, the first one of the last row, of the last layer
    bool solid[3] = {false};
    sp_tree_near near;
    (void)worker;
    block_of(f, (size_t)job->places[task], b);
    for (int k = 0; k < BLOCK; k++)
        for (int j = 0; j < BLOCK; j++)
            for (int i = 0; i < BLOCK; i++) {
                const int from = i > 0 ? 0 : j > 0 ? 1 : 2, node[3] = {BLOCK * b[0] + i, BLOCK * b[1] + j, BLOCK * b[2] + k};
                const bool first = i + j + k == 0;
                double x[3];
                node_position(f, node, x);
                double d = point_distance(f, x, &hint, &near);
                bool same = !first && f->closed && before[from] + d > f->cell * 1.000001;
                bool inside = same ? solid[from] : point_is_solid(f, x);
                for (int a = 0; a <= from; a++) before[a] = d, solid[a] = inside;
                *out++ = (float)(inside ? -d : d);
            }
}

// entry of a node in the arrays of near blocks; false: its block has none
static bool node_entry(const sp_distance_field *f, const int node[3], size_t *entry, size_t *block) {
    int b[3], at[3];
    for (int k = 0; k < 3; k++) {
        if (node[k] < 0 || node[k] >= BLOCK * f->n[k]) return false;
        b[k] = node[k] / BLOCK, at[k] = node[k] % BLOCK;
    }
    *block = ((size_t)b[2] * (size_t)f->n[1] + (size_t)b[1]) * (size_t)f->n[0] + (size_t)b[0];
    *entry = (size_t)f->block[*block] * NODES + (size_t)((at[2] * BLOCK + at[1]) * BLOCK + at[0]);
    return f->block[*block] >= 0;
}

static double node_distance(const field_job *job, const int node[3], int *hint) {
    size_t entry, block = SIZE_MAX;
    double x[3];
    if (node_entry(job->f, node, &entry, &block)) return (double)job->node[entry];
    node_position(job->f, node, x);
    // no node of a block without values is nearer to the surface than the band: its sign is that of the block
    return signed_distance(job->f, x, block == SIZE_MAX ? point_is_solid(job->f, x) : job->f->far[block] < 0, hint, NULL);
}

static void smooth_block(void *arg, int task, int worker) {
    const field_job *job = arg;
    const sp_distance_field *f = job->f;
    float *out = job->smooth + (size_t)task * NODES;
    int b[3], hint = -1;
    (void)worker;
    block_of(f, (size_t)job->places[task], b);
    for (int i = 0; i < NODES; i++) {
        int node[3] = {BLOCK * b[0] + i % BLOCK, BLOCK * b[1] + i / BLOCK % BLOCK, BLOCK * b[2] + i / BLOCK / BLOCK};
        double own = (double)job->node[(size_t)task * NODES + (size_t)i], bend = 0;
        for (int k = 0; k < 3; k++) {
            double along = 0;
            for (int s = -1; s <= 1; s += 2) {
                node[k] += s;
                along += node_distance(job, node, &hint) - own;
                node[k] -= s;
            }
            bend += fmax(fmin(along, most_bend * f->cell), -most_bend * f->cell);
        }
        out[i] = (float)(own - 0.125 * bend);
    }
}

// ---------------------------------------------------------------------------------------------------- stored values

// The values of a block and of the layer around it: coefficients, in blocks without values distances. The slope of the splines is
// that of the steepest pair of neighbours.
static void value_block(void *arg, int task, int worker) {
    const field_job *job = arg;
    sp_distance_field *f = job->f;
    float *value = f->value + (size_t)task * VALUES;
    static const int step[3] = {1, STORED, STORED * STORED};
    int b[3], hint = -1;
    double most = 0;
    (void)worker;
    block_of(f, (size_t)job->places[task], b);
    for (int i = 0; i < VALUES; i++) {
        const int at[3] = {i % STORED, i / STORED % STORED, i / STORED / STORED};
        const int node[3] = {BLOCK * b[0] + at[0] - 1, BLOCK * b[1] + at[1] - 1, BLOCK * b[2] + at[2] - 1};
        size_t entry, block;
        value[i] = node_entry(f, node, &entry, &block) ? job->smooth[entry] : (float)node_distance(job, node, &hint);
        for (int k = 0; k < 3; k++)
            if (at[k] > 0) most = fmax(most, fabs((double)value[i] - (double)value[i - step[k]]));
    }
    job->most[task] = most;
}

static void deviation_chunk(void *arg, int task, int worker) {
    const field_job *job = arg;
    const sp_distance_field *f = job->f;
    double most = 0;
    (void)worker;
    for (int i = task * CHUNK; i < (task + 1) * CHUNK && i < f->vertex_count + f->face_count; i++) {
        double x[3] = {0};
        const int *c = i < f->vertex_count ? NULL : f->faces + 3 * (size_t)(i - f->vertex_count);
        for (int k = 0; k < 3 && c; k++) sp__axpy3(x, 1.0 / 3, f->x + 3 * (size_t)c[k], x);
        most = fmax(most, fabs(sp__distance_field_at(f, c ? x : f->x + 3 * (size_t)i, NULL)));
    }
    job->most[task] = most;
}

static double largest(const double *x, int n) {
    double most = 0;
    for (int i = 0; i < n; i++) most = fmax(most, x[i]);
    return most;
}

// ---------------------------------------------------------------------------------------------------- creation

// number of blocks along each axis; SP_BAD_INPUT: too many
static sp_status field_size(sp_distance_field *f) {
    double extent = 0;
    for (int k = 0; k < 3; k++) extent = fmax(extent, f->high[k] - f->low[k]);
    if (!(f->cell <= 0.5 * extent))
        return SP_FAIL(f->ctx, SP_BAD_INPUT, "field = %g m, must be at most half of the size of the surface, %g m", f->cell,
                       0.5 * extent);
    f->info.blocks = 1;
    for (int k = 0; k < 3; k++) {
        double cells = ceil((f->high[k] - f->low[k]) / f->cell), blocks = ceil((cells + 1 + 2 * PAD) / BLOCK);
        f->info.blocks *= blocks;
        if (!(f->info.blocks * (sizeof *f->block + sizeof *f->far) <= SP_DISTANCE_LIMIT && blocks < INT32_MAX / BLOCK / 2))
            return SP_FAIL(f->ctx, SP_BAD_INPUT,
                           "field = %g m: the cells around a surface of %g m need more than %.3g MB; a larger cell needs less",
                           f->cell, extent, SP_DISTANCE_LIMIT * 1e-6);
        f->n[k] = (int)blocks, f->info.cells[k] = (int)cells;
        f->origin[k] = f->low[k] - f->cell * (PAD + 0.5 * (BLOCK * blocks - 1 - 2 * PAD - cells));
    }
    return SP_OK;
}

static sp_status field_far(sp_distance_field *f) {
    field_job job = {.f = f};
    size_t blocks = (size_t)f->info.blocks;
    double groups = 1;
    if (!SP_NEW(f->ctx, f->block, blocks) || !SP_NEW(f->ctx, f->far, blocks)) return SP_NO_MEMORY;
    for (int k = 0; k < 3; k++) job.groups[k] = (f->n[k] + GROUP - 1) / GROUP, groups *= job.groups[k];
    sp__parallel(f->ctx, (int)groups, far_group, &job);
    for (size_t i = 0; i < blocks; i++)
        if (f->block[i] == 0) f->block[i] = f->near_count++;
    f->info.blocks_near = f->near_count;
    return SP_OK;
}

// bytes of triangles, tree and table; of the values of near blocks
static double field_bytes(const sp_distance_field *f, double each) {
    const double tree = (2.0 * f->face_count - 1) * sizeof *f->tree->nodes + 4.0 * f->face_count +
                        (double)f->tree->node_count * sizeof *f->winding.nodes;
    return tree + 24.0 * f->vertex_count + 12.0 * f->face_count + 8 * f->info.blocks + each * f->near_count;
}

static sp_status field_values(sp_distance_field *f) {
    field_job job = {.f = f};
    int *places = NULL, chunks = (f->vertex_count + f->face_count) / CHUNK + 1,
        tasks = f->near_count > chunks ? f->near_count : chunks;
    size_t nodes = (size_t)f->near_count * NODES;
    sp_status status = SP_NO_MEMORY;
    if (!SP_NEW(f->ctx, f->value, (size_t)f->near_count * VALUES) || !SP_NEW(f->ctx, job.node, nodes) ||
        !SP_NEW(f->ctx, job.smooth, nodes) || !SP_NEW(f->ctx, places, f->near_count) || !SP_NEW(f->ctx, job.most, tasks))
        goto done;
    for (size_t i = 0; i < (size_t)f->info.blocks; i++)
        if (f->block[i] >= 0) places[f->block[i]] = (int)i;
    job.places = places;
    sp__parallel(f->ctx, f->near_count, node_block, &job);
    sp__parallel(f->ctx, f->near_count, smooth_block, &job);
    sp__parallel(f->ctx, f->near_count, value_block, &job);
    f->slope = sqrt(3) * largest(job.most, f->near_count) / f->cell * (1 + 1e-6);
    sp__parallel(f->ctx, chunks, deviation_chunk, &job);
    f->info.deviation = largest(job.most, chunks);
    status = SP_OK;
done:
    sp__free(f->ctx, job.node), sp__free(f->ctx, job.smooth), sp__free(f->ctx, places), sp__free(f->ctx, job.most);
    return status;
}

static sp_status field_triangles(sp_distance_field *f, const sp_distance_field_def *def) {
    sp_edges edges = {0};
    double volume = 0;
    size_t nx = 3 * (size_t)def->vertex_count, nf = 3 * (size_t)def->face_count;
    if (!SP_NEW(f->ctx, f->x, nx) || !SP_NEW(f->ctx, f->faces, nf)) return SP_NO_MEMORY;
    memcpy(f->x, def->x, nx * sizeof *f->x);
    for (size_t i = 0; i < nf; i++) f->faces[i] = (int)def->faces[i];
    sp_status status = sp__edges_find(f->ctx, f->faces, f->face_count, f->vertex_count, &edges);
    for (int i = 0; status >= 0 && i < edges.count; i++) f->info.open_edges += edges.first[i + 1] - edges.first[i] == 1;
    sp__edges_free(f->ctx, &edges);
    SP_TRY(status);
    f->closed = f->info.open_edges == 0;
    // only vertices that faces have: a file may have others far away
    for (int k = 0; k < 3; k++) f->low[k] = INFINITY, f->high[k] = -INFINITY;
    for (size_t i = 0; i < nf; i++)
        for (int k = 0; k < 3; k++) {
            double v = f->x[3 * (size_t)f->faces[i] + (size_t)k];
            f->low[k] = fmin(f->low[k], v), f->high[k] = fmax(f->high[k], v);
        }
    // enclosed volume, as cones from the middle of the box
    for (size_t i = 0; i < nf; i += 3) {
        double p[3][3], n[3];
        for (int c = 0; c < 3; c++)
            for (int k = 0; k < 3; k++)
                p[c][k] = f->x[3 * (size_t)f->faces[i + (size_t)c] + (size_t)k] - 0.5 * (f->low[k] + f->high[k]);
        sp__cross3(p[1], p[2], n);
        volume += sp__dot3(p[0], n);
    }
    f->inverted = volume < 0;
    SP_TRY(sp__tree_create(f->ctx, f->x, f->faces, f->face_count, 3, &f->tree));
    return sp__winding_create(f->tree, &f->winding);
}

static void field_free(sp_distance_field *f) {
    if (!f) return;
    sp_context *ctx = f->ctx;
    sp__winding_free(&f->winding);
    sp__tree_destroy(&f->tree);
    sp__free(ctx, f->x), sp__free(ctx, f->faces), sp__free(ctx, f->block), sp__free(ctx, f->far), sp__free(ctx, f->value);
    sp__free(ctx, f);
}

// Memory of the grid, before it is allocated.
static sp_status field_check_memory(const sp_distance_field *f) {
    const double bytes = field_bytes(f, (VALUES + 2 * NODES) * sizeof(float));
    if (bytes <= SP_DISTANCE_LIMIT) return SP_OK;
    return SP_FAIL(f->ctx, SP_BAD_INPUT, "field = %g m: %d blocks near the surface need %.3g MB, at most %.3g MB are allowed",
                   f->cell, f->near_count, bytes * 1e-6, SP_DISTANCE_LIMIT * 1e-6);
}

static sp_status field_build(sp_distance_field *f, const sp_distance_field_def *def) {
    double start = sp__now_ms();
    SP_TRY(field_triangles(f, def));
    SP_TRY(field_size(f));
    SP_TRY(field_far(f));
    SP_TRY(field_check_memory(f));
    SP_TRY(field_values(f));
    f->info.cell = f->cell, f->info.bytes = (size_t)field_bytes(f, VALUES * sizeof(float));
    f->info.build_ms = sp__now_ms() - start;
    return SP_OK;
}

// ---------------------------------------------------------------------------------------------------- sharing

static void field_key(const sp_distance_field_def *def, uint64_t key[2]) {
    uint64_t bits;
    memcpy(&bits, &def->cell, sizeof bits);
    key[0] = sp__mix(bits, (uint64_t)def->vertex_count), key[1] = sp__mix(bits, (uint64_t)def->face_count);
    for (size_t i = 0; i < 3 * (size_t)def->vertex_count; i++) {
        memcpy(&bits, &def->x[i], sizeof bits);
        key[0] = sp__mix(key[0] ^ bits, i);
    }
    for (size_t i = 0; i < 3 * (size_t)def->face_count; i++) key[1] = sp__mix(key[1] ^ def->faces[i], i);
}

static bool field_is(const sp_distance_field *f, const sp_distance_field_def *def, const uint64_t key[2]) {
    if (f->key[0] != key[0] || f->key[1] != key[1] || f->cell != def->cell) return false;
    if (f->vertex_count != def->vertex_count || f->face_count != def->face_count) return false;
    if (memcmp(f->x, def->x, 3 * (size_t)def->vertex_count * sizeof *def->x) != 0) return false;
    for (size_t i = 0; i < 3 * (size_t)def->face_count; i++)
        if ((uint32_t)f->faces[i] != def->faces[i]) return false;
    return true;
}

// A field of the list of the context, with one more reference; NULL: there is none. `fresh` joins the list then.
static sp_distance_field *field_shared(sp_context *ctx, const sp_distance_field_def *def, const uint64_t key[2],
                                       sp_distance_field *fresh) {
    pthread_mutex_lock(&ctx->field_lock);
    sp_distance_field *f = ctx->fields;
    while (f && !field_is(f, def, key)) f = f->next;
    if (f) f->refs++;
    if (!f && fresh) fresh->next = ctx->fields, ctx->fields = fresh;
    pthread_mutex_unlock(&ctx->field_lock);
    return f;
}

sp_status sp__distance_field_acquire(sp_context *ctx, const sp_distance_field_def *def, sp_distance_field **out) {
    sp_context *host = sp__context_host(ctx);
    uint64_t key[2];
    sp_distance_field *f, *other;
    *out = NULL;
    if (!(def->cell > 0 && def->cell < INFINITY))
        return SP_FAIL(ctx, SP_BAD_INPUT, "field = %g m, must be > 0 and finite", def->cell);
    if (def->vertex_count < 1 || def->face_count < 1)
        return SP_FAIL(ctx, SP_BAD_INPUT, "a distance field of %d vertices and %d triangles", def->vertex_count, def->face_count);
    field_key(def, key);
    if ((*out = field_shared(host, def, key, NULL))) return SP_OK;
    if (!SP_NEW(ctx, f, 1)) return SP_FAIL(ctx, SP_NO_MEMORY, "no memory for a distance field");
    // errors are recorded in the context of the caller
    *f = (sp_distance_field){
        .ctx = ctx, .refs = 1, .vertex_count = def->vertex_count, .face_count = def->face_count, .cell = def->cell};
    memcpy(f->key, key, sizeof key);
    sp_status status = field_build(f, def);
    if (status < 0) {
        field_free(f);
        return status == SP_NO_MEMORY ? SP_FAIL(ctx, status, "no memory for a distance field of %d triangles with cells of %g m",
                                                def->face_count, def->cell)
                                      : status;
    }
    f->ctx = host, f->tree->ctx = host;
    other = field_shared(host, def, key, f);
    if (other) field_free(f);  // another thread was quicker
    *out = other ? other : f;
    return SP_OK;
}

void sp__distance_field_retain(sp_distance_field *f) {
    pthread_mutex_lock(&f->ctx->field_lock);
    f->refs++;
    pthread_mutex_unlock(&f->ctx->field_lock);
}

void sp__distance_field_release(sp_distance_field **field) {
    sp_distance_field *f = *field;
    if (!f) return;
    *field = NULL;
    sp_context *ctx = f->ctx;
    pthread_mutex_lock(&ctx->field_lock);
    bool last = --f->refs == 0;
    sp_distance_field **at = &ctx->fields;
    while (last && *at != f) at = &(*at)->next;
    if (last) *at = f->next;
    pthread_mutex_unlock(&ctx->field_lock);
    if (last) field_free(f);
}
