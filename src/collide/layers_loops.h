// Projection of triangles and coverage of the rays of a tile, for one instruction set. Included by a file that defines
// SP_LDI_KERNELS, the name of the table.
#include "collide/layers.h"
#include "math/unroll.h"

typedef int32_t lane4i __attribute__((vector_size(16), aligned(4), may_alias));
typedef double lane4 __attribute__((vector_size(32)));
typedef double lane4d __attribute__((vector_size(32), aligned(8), may_alias));  // in memory, as lane4i
typedef int64_t lane4m __attribute__((vector_size(32)));
typedef float lane4f __attribute__((vector_size(16)));
typedef int32_t lane4s __attribute__((vector_size(16)));
typedef uint64_t lane2u __attribute__((vector_size(16)));

enum { PREFETCH = 8 };  // entries

SP_INLINE lane4 lane4_all(double a) {
    return (lane4){a, a, a, a};
}

// bit k: lane k is not negative
SP_INLINE unsigned lane4_inside(lane4m v) {
#ifdef __AVX2__
    return ~(unsigned)__builtin_ia32_movmskpd256((lane4)v) & 15u;
#else
    return (unsigned)(v[0] >= 0) | (unsigned)(v[1] >= 0) << 1 | (unsigned)(v[2] >= 0) << 2 | (unsigned)(v[3] >= 0) << 3;
#endif
}

// Edge functions of the edges ab, bc, ca in the lanes of a vector, at a sample [grid], and their increments. A sample is inside
// if none is negative. Lane 3 has no meaning.
typedef struct triangle_edges {
    lane4 at, right, down;
    lane4 less;  // -1 where a sample on the edge is outside, else 0; contained in `at`
} triangle_edges;

SP_INLINE triangle_edges edges_of(lane4i grid_x, lane4i grid_y, double px, double py, double unit) {
    const lane4 x = __builtin_convertvector(grid_x, lane4), y = __builtin_convertvector(grid_y, lane4);
    const lane4 dx = __builtin_shufflevector(x, x, 1, 2, 0, 3) - x, dy = __builtin_shufflevector(y, y, 1, 2, 0, 3) - y;
    const lane4m zero_inside = (dy < 0) | ((dy == 0) & (dx > 0));
    triangle_edges e = {.right = -dy * unit, .down = dx * unit};
    e.less = (lane4)(~zero_inside & (lane4m)lane4_all(-1));
    // the addition also makes a +0 of a -0
    e.at = dx * (lane4_all(py) - y) - dy * (lane4_all(px) - x) + e.less;
    return e;
}

// ------------------------------------------------------------------------------------------------ projection

// One edge at the samples (0, 0), (1, 0), (0, 1), (1, 1) of a box.
SP_INLINE lane4 edge_square(const triangle_edges *e, int k) {
    const lane4 x = {0, 1, 0, 1}, y = {0, 0, 1, 1};
    return lane4_all(e->at[k]) + x * lane4_all(e->right[k]) + y * lane4_all(e->down[k]);
}

// The box has at most 2 x 2 samples. All four are tested, and those outside of the box ignored.
SP_INLINE bool covers_any(lane4i x, lane4i y, int x0, int x1, int y0, int y1, double unit) {
    const triangle_edges e = edges_of(x, y, (x0 + 0.5) * unit, (y0 + 0.5) * unit, unit);
    const unsigned columns = x1 > x0 ? 15u : 5u, rows = y1 > y0 ? 15u : 3u;
    const lane4m any = (lane4m)edge_square(&e, 0) | (lane4m)edge_square(&e, 1) | (lane4m)edge_square(&e, 2);
    return lane4_inside(any) & columns & rows;
}

// gcc does not make one instruction of the comparison and the choice
#if defined(__AVX2__) && !defined(__clang__)
SP_INLINE lane4s least4(lane4s a, lane4s b) {
    return (lane4s)__builtin_ia32_pminsd128(a, b);
}

SP_INLINE lane4s most4(lane4s a, lane4s b) {
    return (lane4s)__builtin_ia32_pmaxsd128(a, b);
}
#else
SP_INLINE lane4s least4(lane4s a, lane4s b) {
    const lane4s m = a < b;
    return (a & m) | (b & ~m);
}

SP_INLINE lane4s most4(lane4s a, lane4s b) {
    const lane4s m = a > b;
    return (a & m) | (b & ~m);
}
#endif

// bit k: lane k of a comparison of the first three
SP_INLINE unsigned lane3_bits(lane4s v) {
#ifdef __AVX2__
    return (unsigned)__builtin_ia32_movmskps((lane4f)v) & 7u;
#else
    return (v[0] & 1u) | (v[1] & 2u) | (v[2] & 4u);
#endif
}

SP_INLINE lane4 coordinates_of(const double *x) {
    return (lane4){x[0], x[1], x[2], 0};
}

// What the axes share: lane k is that of axis k.
typedef struct triangle_lanes {
    int32_t p[3][4];            // vertices on the grid
    int32_t first[4], last[4];  // samples of the box
    double area[4], to_b[4], to_c[4], z[4];
    int32_t depth[4];
} triangle_lanes;

// The areas along the three axes are the components of a cross product.
SP_INLINE void project(const sp_ldi_lister *w, const uint32_t *v, lane4s a, lane4s b, lane4s c, triangle_lanes *t) {
    const double *x = w->surface->x;
    const lane4 e = __builtin_convertvector(b - a, lane4), f = __builtin_convertvector(c - a, lane4);
    const lane4 area = __builtin_shufflevector(e, e, 1, 2, 0, 3) * __builtin_shufflevector(f, f, 2, 0, 1, 3) -
                       __builtin_shufflevector(e, e, 2, 0, 1, 3) * __builtin_shufflevector(f, f, 1, 2, 0, 3);
    const lane4 xa = coordinates_of(x + 3 * (size_t)v[0]), xb = coordinates_of(x + 3 * (size_t)v[1]),
                xc = coordinates_of(x + 3 * (size_t)v[2]);
    const lane4 size = (lane4)((lane4m)area & INT64_MAX), per_area = 1 / size;
    const lane4 low = coordinates_of(w->list->depth_low), scale = coordinates_of(w->depth_scale);
    const lane4s depth = __builtin_convertvector(((xa + xb + xc) * (1.0 / 3) - low) * scale, lane4s);
    *(lane4i *)t->p[0] = a, *(lane4i *)t->p[1] = b, *(lane4i *)t->p[2] = c;
    *(lane4d *)t->area = area, *(lane4d *)t->z = xa;
    *(lane4d *)t->to_b = (xb - xa) * per_area, *(lane4d *)t->to_c = (xc - xa) * per_area;
    *(lane4i *)t->depth = depth & 255;
}

enum { SMALL = 2 };  // samples along x and y up to which a triangle is tested before it is listed

SP_INLINE void list_axis(sp_ldi_lister *w, int axis, uint32_t triangle, const triangle_lanes *t) {
    const int X = axis == 2 ? 0 : axis + 1, Y = axis == 0 ? 2 : axis - 1, shift = w->list->tile_shift;
    const double area = t->area[axis];
    if (area == 0) return;
    const int x0 = t->first[X], x1 = t->last[X], y0 = t->first[Y], y1 = t->last[Y];
    const int c0 = x0 >> shift, c1 = x1 >> shift, r0 = y0 >> shift, r1 = y1 >> shift;
    if (!sp__ldi_list_room(w, (size_t)(c1 - c0 + 1) * (size_t)(r1 - r0 + 1))) return;
    sp_ldi_setup *s = (sp_ldi_setup *)w->chunk->setups.data + w->chunk->setup_count;
    const int b = area > 0 ? 1 : 2, c = 3 - b;
    const lane4i x = {t->p[0][X], t->p[b][X], t->p[c][X], 0}, y = {t->p[0][Y], t->p[b][Y], t->p[c][Y], 0};
    if (x1 - x0 < SMALL && y1 - y0 < SMALL && !covers_any(x, y, x0, x1, y0, y1, w->unit)) return;
    // the fourth lanes are overwritten by what follows
    *(lane4i *)s->x = x, *(lane4i *)s->y = y;
    s->box[0] = (int16_t)x0, s->box[1] = (int16_t)x1, s->box[2] = (int16_t)y0, s->box[3] = (int16_t)y1;
    s->z = t->z[axis], s->to_b = area > 0 ? t->to_b[axis] : t->to_c[axis], s->to_c = area > 0 ? t->to_c[axis] : t->to_b[axis];
    s->triangle = triangle, s->code = 2 * (uint32_t)(w->surface - w->list->surfaces) + (area > 0);
    const uint64_t code = (uint64_t)t->depth[axis] << SP_LDI_CHUNK_BITS | w->chunk->setup_count++;
    if (c0 == c1 || r0 == r1) {
        for (int row = r0; row <= r1; row++)
            for (int column = c0; column <= c1; column++) sp__ldi_list_tile(w, axis, column, row, code);
    } else {
        sp__ldi_list_tiles(w, axis, s, code);
    }
}

// One gather of the vertices serves the three axes.
static void list_triangles(sp_ldi_lister *w, int first, int last) {
    const sp_ldi_surface *s = w->surface;
    const int bits = w->list->bits, half = 1 << (bits - 1);
    const uint32_t vertices = (uint32_t)s->vertex_count;
    const int32_t *grid = (const int32_t *)w->list->grid.data + 4 * s->vertex_first;
    const lane4s low = {s->low[0], s->low[1], s->low[2], 0}, high = {s->high[0], s->high[1], s->high[2], 0};
    for (int i = first; i < last && w->ok; i++) {
        const uint32_t *v = s->triangles + 3 * (size_t)i;
        if (v[0] >= vertices || v[1] >= vertices || v[2] >= vertices) {
            atomic_store(&w->list->bad_triangle, s->number + 1);
            return;
        }
        const lane4s a = *(const lane4i *)(grid + 4 * (size_t)v[0]), b = *(const lane4i *)(grid + 4 * (size_t)v[1]),
                     c = *(const lane4i *)(grid + 4 * (size_t)v[2]);
        const lane4s from = most4((least4(least4(a, b), c) + (half - 1)) >> bits, low);
        const lane4s to = least4((most4(most4(a, b), c) - half) >> bits, high);
        const unsigned none = lane3_bits(from > to);  // axes without a sample
        if (none & (none - 1)) continue;
        triangle_lanes t;
        project(w, v, a, b, c, &t);
        *(lane4i *)t.first = from, *(lane4i *)t.last = to;
        if (!(none & 6)) list_axis(w, 0, (uint32_t)i, &t);
        if (!(none & 5)) list_axis(w, 1, (uint32_t)i, &t);
        if (!(none & 3)) list_axis(w, 2, (uint32_t)i, &t);
    }
}

// ------------------------------------------------------------------------------------------------ coverage

// One edge at four samples of a row, and the increments to the next four and to the next row.
typedef struct edge_lanes {
    lane4 at, right, down;
} edge_lanes;

SP_INLINE edge_lanes edge_spread(const triangle_edges *e, int k) {
    const lane4 steps = {0, 1, 2, 3}, right = lane4_all(e->right[k]);
    return (edge_lanes){lane4_all(e->at[k]) + steps * right, 4 * right, lane4_all(e->down[k])};
}

// The layers of four samples, by their depths above depth_low.
SP_INLINE void layers_of_lanes(lane4 depth, lane4s code, lane2u out[2]) {
    const lane4s bits = (lane4s) __builtin_convertvector(depth, lane4f), z = bits & ~(bits >> 31);  // not negative
    out[0] = (lane2u)__builtin_shufflevector(code, z, 0, 4, 1, 5);
    out[1] = (lane2u)__builtin_shufflevector(code, z, 2, 6, 3, 7);
}

// Four samples at a time. Each writes its layer behind the others of its ray, and only a covered one keeps it: coverage of small
// triangles cannot be predicted, so there is no branch. Samples right of the box are written too; they are not kept.
SP_INLINE void raster_box(sp_ldi_layer **next, int edge, int width, int height, edge_lanes e[3], lane4 z, lane4 to_b, lane4 to_c,
                          lane4s code) {
    for (int y = 0; y < height; y++, next += edge) {
        lane4 a = e[0].at, b = e[1].at, c = e[2].at;
        for (int x = 0; x < width; x += 4) {
            const unsigned most = width - x >= 4 ? 15u : (1u << (width - x)) - 1;
            const unsigned inside = lane4_inside((lane4m)a | (lane4m)b | (lane4m)c) & most;
            lane2u layers[2];
            layers_of_lanes(z + a * to_c + c * to_b, code, layers);
            SP_UNROLL
            for (int k = 0; k < 4; k++) {
                *next[x + k] = layers[k / 2][k % 2];
                next[x + k] += inside >> k & 1;
            }
            a += e[0].right, b += e[1].right, c += e[2].right;
        }
        e[0].at += e[0].down, e[1].at += e[1].down, e[2].at += e[2].down;
    }
}

SP_INLINE void raster_triangle(sp_ldi_tile *t, const sp_ldi_setup *s, double unit, double depth_low, uint32_t entry) {
    const int edge = t->edge, x0 = s->box[0] > t->x ? s->box[0] : t->x, y0 = s->box[2] > t->y ? s->box[2] : t->y;
    const int x1 = s->box[1] < t->x + edge ? s->box[1] : t->x + edge - 1,
              y1 = s->box[3] < t->y + edge ? s->box[3] : t->y + edge - 1;
    const triangle_edges edges =
        edges_of(*(const lane4i *)s->x, *(const lane4i *)s->y, (x0 + 0.5) * unit, (y0 + 0.5) * unit, unit);
    edge_lanes e[3] = {edge_spread(&edges, 0), edge_spread(&edges, 1), edge_spread(&edges, 2)};
    const lane4 z = lane4_all(s->z - depth_low - edges.less[2] * s->to_b - edges.less[0] * s->to_c);
    const int32_t code = (int32_t)(s->code << 31 | entry);
    t->codes[entry] = s->code;
    raster_box(t->next + (y0 - t->y) * edge + x0 - t->x, edge, x1 - x0 + 1, y1 - y0 + 1, e, z, lane4_all(s->to_b),
               lane4_all(s->to_c), (lane4s){code, code, code, code});
}

static void raster_entries(const sp_ldi *l, sp_ldi_tile *t, int first, int last) {
    const double unit = (double)(1 << l->bits), depth_low = l->depth_low[t->axis];
    for (int i = first; i < last; i++) {
        if (i + PREFETCH < t->entry_count) __builtin_prefetch(t->setups[i + PREFETCH]);
        raster_triangle(t, t->setups[i], unit, depth_low, (uint32_t)i);
    }
}

const sp_ldi_kernels SP_LDI_KERNELS = {list_triangles, raster_entries};
