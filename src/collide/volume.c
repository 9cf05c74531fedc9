// The search for overlaps (volume.h): boxes, pairs, sets of images, and the stages of each set.
#include "collide/volume.h"

#include <stdio.h>

#include "collide/volume_internal.h"

const char *const sp__volume_stage_names[SP_VOLUME_STAGES] = {"boxes", "list", "sort", "raster", "sum"};

enum { PIECE_VERTICES = 4096, REACH_BITS = 30 };
static const size_t BYTES_MOST = (size_t)1 << 30;

// A part of the vertices of a surface and its box.
typedef struct vertex_piece {
    int surface, first, last;
    double box[6];
    int bad;  // 1 + a vertex that is not finite
} vertex_piece;

sp_status sp__volume_create(sp_context *ctx, sp_volume **out) {
    sp_volume *v;
    *out = NULL;
    if (!SP_NEW(ctx, v, 1)) return SP_FAIL(ctx, SP_NO_MEMORY, "no memory for overlap volumes");
    v->ctx = v->memory.ctx = v->ldi.ctx = ctx;
    v->ldi.memory = &v->memory;
    v->memory.most = BYTES_MOST;
    v->worker_count = sp__workers(ctx);
    v->layers_reserved = SP_VOLUME_LAYERS_AUTO;
    if (!SP_NEW(ctx, v->workers, (size_t)v->worker_count)) {
        sp__free(ctx, v);
        return SP_FAIL(ctx, SP_NO_MEMORY, "no memory for overlap volumes");
    }
    *out = v;
    return SP_OK;
}

void sp__volume_destroy(sp_volume **volume) {
    sp_volume *v = *volume;
    if (!v) return;
    sp_ldi_memory *m = &v->memory;
    sp__volume_sum_release(v);
    for (int i = 0; i < v->worker_count; i++) {
        sp_volume_worker *w = &v->workers[i];
        sp__ldi_tile_release(&v->ldi, &w->tile);
        sp__ldi_release(m, &w->slots, sizeof(int32_t)), sp__ldi_release(m, &w->open, sizeof(sp_volume_open));
        sp__ldi_release(m, &w->debts, sizeof(uint32_t)), sp__ldi_release(m, &w->keys, sizeof(sp_volume_key));
        sp__ldi_release(m, &w->records, sizeof(sp_volume_record));
    }
    sp__ldi_destroy(&v->ldi);
    sp__ldi_release(m, &v->pieces, sizeof(vertex_piece)), sp__ldi_release(m, &v->boxes, 6 * sizeof(double));
    sp__ldi_release(m, &v->sweep, sizeof(uint64_t)), sp__ldi_release(m, &v->pair_keys, sizeof(uint64_t));
    sp__ldi_release(m, &v->pairs, sizeof(sp_volume_pair)), sp__ldi_release(m, &v->sets, sizeof(sp_volume_set));
    sp__ldi_release(m, &v->shares, 6 * sizeof(double)), sp__ldi_release(m, &v->local, sizeof(sp_ldi_surface));
    sp__ldi_release(m, &v->pair_of, sizeof(int32_t)), sp__ldi_release(m, &v->tiles, sizeof(sp_volume_tile));
    sp__ldi_release(m, &v->keys, sizeof(sp_volume_key)), sp__ldi_release(m, &v->records, sizeof(sp_volume_record));
    sp__free(v->ctx, v->workers);
    sp__free(v->ctx, v);
    *volume = NULL;
}

void sp__volume_reserve_layers(sp_volume *v, int layers) {
    v->layers_reserved = layers > 0 ? layers : SP_VOLUME_LAYERS_AUTO;
}

// ------------------------------------------------------------------------------------------------ boxes

static void box_clear(double box[6]) {
    for (int k = 0; k < 3; k++) box[k] = INFINITY, box[3 + k] = -INFINITY;
}

static void box_add(double box[6], const double other[6]) {
    for (int k = 0; k < 3; k++) box[k] = fmin(box[k], other[k]), box[3 + k] = fmax(box[3 + k], other[3 + k]);
}

static void piece_box(void *arg, int task, int worker) {
    sp_volume *v = arg;
    vertex_piece *p = (vertex_piece *)v->pieces.data + task;
    const double *x = v->surfaces[p->surface].x;
    double box[6], sum = 0;
    (void)worker;
    box_clear(box);
    for (size_t i = (size_t)p->first; i < (size_t)p->last; i++)
        for (size_t k = 0; k < 3; k++) {
            const double c = x[3 * i + k];
            box[k] = c < box[k] ? c : box[k], box[3 + k] = c > box[3 + k] ? c : box[3 + k];
            sum += c - c;  // not 0 if it is not finite
        }
    memcpy(p->box, box, sizeof box);
    p->bad = 0;
    if (sum == 0) return;
    for (int i = p->first; i < p->last && !p->bad; i++)
        if (!isfinite(x[3 * i] + x[3 * i + 1] + x[3 * i + 2])) p->bad = i + 1;
}

static bool plan_pieces(sp_volume *v, int *count) {
    size_t n = 0;
    for (int s = 0; s < v->surface_count; s++) n += (size_t)(v->surfaces[s].vertex_count / PIECE_VERTICES) + 1;
    if (!sp__ldi_reserve(&v->memory, &v->pieces, n, sizeof(vertex_piece), 0) ||
        !sp__ldi_reserve(&v->memory, &v->boxes, (size_t)v->surface_count, 6 * sizeof(double), 0))
        return false;
    vertex_piece *p = v->pieces.data;
    *count = 0;
    for (int s = 0; s < v->surface_count; s++)
        for (int first = 0; first < v->surfaces[s].vertex_count; first += PIECE_VERTICES) {
            const int left = v->surfaces[s].vertex_count - first;
            p[(*count)++] =
                (vertex_piece){.surface = s, .first = first, .last = first + (left < PIECE_VERTICES ? left : PIECE_VERTICES)};
        }
    return true;
}

static sp_status find_boxes(sp_volume *v) {
    int count;
    if (!plan_pieces(v, &count)) return SP_NO_MEMORY;
    sp__parallel(v->ctx, count, piece_box, v);
    const vertex_piece *p = v->pieces.data;
    double *boxes = v->boxes.data;
    for (int s = 0; s < v->surface_count; s++) box_clear(boxes + 6 * s);
    for (int i = 0; i < count; i++) {
        if (p[i].bad) return SP_FAIL(v->ctx, SP_NOT_FINITE, "surface %d: vertex %d is not finite", p[i].surface, p[i].bad - 1);
        box_add(boxes + 6 * p[i].surface, p[i].box);
    }
    return SP_OK;
}

// ------------------------------------------------------------------------------------------------ pairs

// The bits of a finite double in an order of integers.
static uint64_t ordered_bits(double x) {
    uint64_t bits;
    memcpy(&bits, &x, sizeof bits);
    return bits >> 63 ? ~bits : bits | 1ull << 63;
}

static bool boxes_overlap(const double *a, const double *b) {
    for (int k = 0; k < 3; k++)
        if (!(a[k] < b[3 + k] && b[k] < a[3 + k])) return false;
    return true;
}

static bool add_pair(sp_volume *v, int a, int b) {
    if (!sp__ldi_reserve(&v->memory, &v->pair_keys, (size_t)v->pair_count + 1, sizeof(uint64_t), (size_t)v->pair_count))
        return false;
    ((uint64_t *)v->pair_keys.data)[v->pair_count++] = (uint64_t)(a < b ? a : b) << 32 | (uint32_t)(a < b ? b : a);
    return true;
}

// Sweep along x: the low ends are sorted by their upper 52 bits, the number of the surface is in the others.
static bool sweep_boxes(sp_volume *v) {
    const int n = v->surface_count;
    const double *boxes = v->boxes.data;
    if (!sp__ldi_reserve(&v->memory, &v->sweep, (size_t)n, sizeof(uint64_t), 0)) return false;
    uint64_t *sweep = v->sweep.data;
    const uint64_t low_bits = SP_VOLUME_SURFACES_MOST - 1;
    for (int s = 0; s < n; s++) sweep[s] = (ordered_bits(boxes[6 * s]) & ~low_bits) | (uint64_t)s;
    sp__sort_keys(sweep, n);
    v->pair_count = 0;
    for (int i = 0; i < n; i++) {
        const int a = (int)(sweep[i] & low_bits);
        if (v->surfaces[a].triangle_count == 0) continue;
        if (v->surfaces[a].self && !add_pair(v, a, a)) return false;
        const uint64_t end = ordered_bits(boxes[6 * a + 3]) | low_bits;
        for (int j = i + 1; j < n && sweep[j] <= end; j++) {
            const int b = (int)(sweep[j] & low_bits);
            if (v->surfaces[b].triangle_count == 0 || v->surfaces[a].group == v->surfaces[b].group) continue;
            if (boxes_overlap(boxes + 6 * a, boxes + 6 * b) && !add_pair(v, a, b)) return false;
        }
    }
    sp__sort_keys(v->pair_keys.data, v->pair_count);
    return true;
}

// the set of images with this pixel size
static int find_set(sp_volume *v, double pixel) {
    sp_volume_set *sets = v->sets.data;
    if (v->o.region != SP_VOLUME_PAIRS)
        for (int i = 0; i < v->set_count; i++)
            if (sets[i].pixel == pixel) return i;
    if (!sp__ldi_reserve(&v->memory, &v->sets, (size_t)v->set_count + 1, sizeof *sets, (size_t)v->set_count)) return -1;
    ((sp_volume_set *)v->sets.data)[v->set_count] = (sp_volume_set){.pixel = pixel};
    return v->set_count++;
}

static sp_status find_pairs(sp_volume *v) {
    v->set_count = 0;
    if (!sweep_boxes(v) || !sp__ldi_reserve(&v->memory, &v->pairs, (size_t)v->pair_count + 1, sizeof(sp_volume_pair), 0))
        return SP_NO_MEMORY;
    const uint64_t *keys = v->pair_keys.data;
    sp_volume_pair *pairs = v->pairs.data;
    int count = 0;
    for (int i = 0; i < v->pair_count; i++) {
        const int a = (int)(keys[i] >> 32), b = (int)(uint32_t)keys[i];
        const double pixel = v->o.pair_pixel ? v->o.pair_pixel(v->o.user, a, b) : v->o.pixel;
        if (!(pixel >= 0 && isfinite(pixel)))
            return SP_FAIL(v->ctx, SP_BAD_INPUT, "pixel of surfaces %d and %d = %g m, must be >= 0 and finite", a, b, pixel);
        if (pixel == 0) continue;
        const int set = find_set(v, pixel);
        if (set < 0) return SP_NO_MEMORY;
        pairs[count++] = (sp_volume_pair){.a = a, .b = b, .set = set, .pixel = pixel};
    }
    v->pair_count = count;
    if (count < 1 << SP_VOLUME_PAIR_BITS) return SP_OK;
    return SP_FAIL(v->ctx, SP_BAD_INPUT, "%d pairs of surfaces with overlapping boxes, must be below %d", count,
                   1 << SP_VOLUME_PAIR_BITS);
}

// ------------------------------------------------------------------------------------------------ the images of a set

// Where each surface is rasterised: what it shares with its partners, or all of it.
static bool share_boxes(sp_volume *v, int set) {
    const sp_volume_pair *pairs = v->pairs.data;
    const double *boxes = v->boxes.data;
    if (!sp__ldi_reserve(&v->memory, &v->shares, (size_t)v->surface_count, 6 * sizeof(double), 0)) return false;
    double *shares = v->shares.data;
    for (int s = 0; s < v->surface_count; s++) box_clear(shares + 6 * s);
    for (int i = 0; i < v->pair_count; i++) {
        const int a = pairs[i].a, b = pairs[i].b;
        if (pairs[i].set != set) continue;
        double common[6];
        for (int k = 0; k < 3; k++) {
            common[k] = fmax(boxes[6 * a + k], boxes[6 * b + k]);
            common[3 + k] = fmin(boxes[6 * a + 3 + k], boxes[6 * b + 3 + k]);
        }
        const bool whole = v->o.region == SP_VOLUME_WHOLE;
        box_add(shares + 6 * a, whole ? boxes + 6 * a : common);
        box_add(shares + 6 * b, whole ? boxes + 6 * b : common);
    }
    return true;
}

// The largest extent of a triangle along an axis [m]; a surface with a small box needs no look at its triangles.
static double longest_triangle(const sp_volume_surface *s, const double *box, double enough) {
    const double extent = fmax(box[3] - box[0], fmax(box[4] - box[1], box[5] - box[2]));
    double longest = 0;
    if (extent <= enough) return extent;
    for (int i = 0; i < s->triangle_count; i++) {
        const uint32_t *t = s->triangles + 3 * (size_t)i, n = (uint32_t)s->vertex_count;
        if (t[0] >= n || t[1] >= n || t[2] >= n) continue;  // reported by the lists
        for (size_t k = 0; k < 3; k++) {
            const double a = s->x[3 * (size_t)t[0] + k], b = s->x[3 * (size_t)t[1] + k], c = s->x[3 * (size_t)t[2] + k];
            longest = fmax(longest, fmax(a, fmax(b, c)) - fmin(a, fmin(b, c)));
        }
    }
    return longest;
}

// Bits of the grid below the pixel, so that products of extents of triangles are exact.
static sp_status choose_bits(sp_volume *v, double pixel, int *bits) {
    const double *boxes = v->boxes.data, *shares = v->shares.data;
    const double enough = ldexp(pixel, SP_LDI_SPAN_BITS - SP_LDI_BITS) - 2 * pixel;
    double longest = 0;
    for (int s = 0; s < v->surface_count; s++)
        if (shares[6 * s] <= shares[6 * s + 3]) longest = fmax(longest, longest_triangle(&v->surfaces[s], boxes + 6 * s, enough));
    for (*bits = SP_LDI_BITS; *bits >= 4; --*bits)
        if (longest / pixel + 2 <= ldexp(1, SP_LDI_SPAN_BITS - *bits)) return SP_OK;
    return SP_FAIL(v->ctx, SP_BAD_INPUT, "a triangle extends over %.3g pixels of %g m, must be below %.3g", longest / pixel,
                   pixel, ldexp(1, SP_LDI_SPAN_BITS - 4));
}

static int64_t align_down(int64_t i, int64_t to) {
    return (i - (i % to + to) % to) / to * to;
}

// First and last sample of a box along an axis, and one more on each side.
static void box_samples(const sp_ldi *l, const double box[6], int axis, int64_t out[2]) {
    out[0] = (int64_t)floor((box[axis] - l->origin[axis]) / l->pixel) - 1;
    out[1] = (int64_t)floor((box[3 + axis] - l->origin[axis]) / l->pixel) + 1;
}

static sp_status place_image(sp_volume *v, sp_ldi *l) {
    const double *shares = v->shares.data, *boxes = v->boxes.data, reach = ldexp(1, REACH_BITS);
    double all[6], whole[6];
    box_clear(all), box_clear(whole);
    for (int s = 0; s < v->surface_count; s++) {
        box_add(all, shares + 6 * s);
        if (shares[6 * s] <= shares[6 * s + 3]) box_add(whole, boxes + 6 * s);
    }
    for (int k = 0; k < 3; k++) {
        int64_t sample[2];
        for (int end = 0; end < 2; end++)
            if (!(fabs(all[3 * end + k] - l->origin[k]) / l->pixel < reach))
                return SP_FAIL(v->ctx, SP_BAD_INPUT,
                               "a surface is %.3g pixels of %g m from the origin of the grid, must be below %.3g",
                               fabs(all[3 * end + k] - l->origin[k]) / l->pixel, l->pixel, reach);
        box_samples(l, all, k, sample);
        l->base[k] = align_down(sample[0], 1 << l->tile_shift);
        if (sample[1] - l->base[k] >= SP_LDI_SIDE_MOST)
            return SP_FAIL(v->ctx, SP_BAD_INPUT, "an image has %lld pixels of %g m along axis %d, must be at most %d",
                           (long long)(sample[1] - l->base[k] + 1), l->pixel, k, SP_LDI_SIDE_MOST);
        l->size[k] = (int)(sample[1] - l->base[k] + 1);
        l->depth_low[k] = whole[k], l->depth_high[k] = whole[3 + k];
    }
    return SP_OK;
}

static bool place_surfaces(sp_volume *v, sp_ldi *l) {
    const double *shares = v->shares.data;
    if (!sp__ldi_reserve(&v->memory, &v->local, (size_t)v->surface_count, sizeof(sp_ldi_surface), 0)) return false;
    l->surfaces = v->local.data, l->surface_count = 0;
    size_t vertices = 0;
    int64_t triangles = 0;
    for (int i = 0; i < v->surface_count; i++) {
        if (!(shares[6 * i] <= shares[6 * i + 3])) continue;
        sp_ldi_surface *s = &l->surfaces[l->surface_count++];
        *s = (sp_ldi_surface){.x = v->surfaces[i].x,
                              .triangles = v->surfaces[i].triangles,
                              .vertex_count = v->surfaces[i].vertex_count,
                              .triangle_count = v->surfaces[i].triangle_count,
                              .number = i,
                              .vertex_first = vertices,
                              .triangle_first = triangles};
        vertices += (size_t)s->vertex_count, triangles += s->triangle_count;
        for (int k = 0; k < 3; k++) {
            int64_t sample[2];
            box_samples(l, shares + 6 * i, k, sample);
            s->low[k] = (int)(sample[0] - l->base[k]), s->high[k] = (int)(sample[1] - l->base[k]);
        }
    }
    return true;
}

// Number of the pair of two surfaces of the images.
static bool fill_pair_table(sp_volume *v, int set) {
    const sp_ldi *l = &v->ldi;
    const size_t n = (size_t)l->surface_count;
    const sp_volume_pair *pairs = v->pairs.data;
    if (!sp__ldi_reserve(&v->memory, &v->pair_of, n * n, sizeof(int32_t), 0) ||
        !sp__ldi_reserve(&v->memory, &v->sweep, (size_t)v->surface_count, sizeof(uint64_t), 0))
        return false;
    int32_t *table = v->pair_of.data;
    uint64_t *local = v->sweep.data;
    memset(table, -1, n * n * sizeof *table);
    for (size_t i = 0; i < n; i++) local[l->surfaces[i].number] = i;
    for (int i = 0; i < v->pair_count; i++) {
        if (pairs[i].set != set) continue;
        const uint64_t a = local[pairs[i].a], b = local[pairs[i].b];
        table[a * n + b] = table[b * n + a] = i;
    }
    return true;
}

static sp_status prepare_set(sp_volume *v, int set) {
    sp_ldi *l = &v->ldi;
    sp_volume_set *s = (sp_volume_set *)v->sets.data + set;
    v->set = set;
    l->pixel = s->pixel;
    memcpy(l->origin, v->o.origin, sizeof l->origin);
    l->tile_shift = v->o.tile == 4 ? 2 : v->o.tile == 8 ? 3 : 4;
    if (!share_boxes(v, set)) return SP_NO_MEMORY;
    SP_TRY(choose_bits(v, l->pixel, &l->bits));
    SP_TRY(place_image(v, l));
    if (!place_surfaces(v, l) || !fill_pair_table(v, set)) return SP_NO_MEMORY;
    for (int k = 0; k < 3; k++) s->cell_base[k] = v->o.cell ? align_down(l->base[k], v->o.cell) / v->o.cell : 0;
    return SP_OK;
}

// ------------------------------------------------------------------------------------------------ rays of a set

// A multiple of 4 and not of 8, as in layers_raster.c; two more than there are layers, so that none of them makes it grow.
static int layer_stride(int layers) {
    return layers + 2 + (12 - (layers + 2) % 8) % 8;
}

static bool reserve_raster(sp_volume *v) {
    int stride = layer_stride(v->layers_reserved);
    for (int i = 0; i < v->worker_count; i++)
        if (v->workers[i].tile.stride > stride) stride = v->workers[i].tile.stride;
    for (int i = 0; i < v->worker_count; i++) {
        sp_volume_worker *w = &v->workers[i];
        if (!sp__ldi_tile_reserve(&v->ldi, &w->tile, stride) ||
            !sp__ldi_reserve(&v->memory, &w->slots, v->ldi.longest + 1, sizeof(int32_t), 0))
            return false;
    }
    return sp__ldi_reserve(&v->memory, &v->tiles, (size_t)v->tile_first + (size_t)v->ldi.tile_count, sizeof(sp_volume_tile),
                           (size_t)v->tile_first);
}

// Any worker may get any tile the next time: all get the memory of the one that needed most.
static bool level_workers(sp_volume *v) {
    size_t keys = 0, records = 0, open = 0, debts = 0;
    int stride = 0;
    for (int i = 0; i < v->worker_count; i++) {
        const sp_volume_worker *w = &v->workers[i];
        if (w->keys.capacity > keys) keys = w->keys.capacity;
        if (w->records.capacity > records) records = w->records.capacity;
        if (w->open.capacity > open) open = w->open.capacity;
        if (w->debts.capacity > debts) debts = w->debts.capacity;
        if (w->tile.stride > stride) stride = w->tile.stride;
    }
    for (int i = 0; i < v->worker_count; i++) {
        sp_volume_worker *w = &v->workers[i];
        sp_ldi_memory *m = &v->memory;
        if (!sp__ldi_tile_reserve(&v->ldi, &w->tile, stride) || !sp__ldi_match(m, &w->keys, keys, sizeof(sp_volume_key)) ||
            !sp__ldi_match(m, &w->records, records, sizeof(sp_volume_record)) ||
            !sp__ldi_match(m, &w->open, open, sizeof(sp_volume_open)) || !sp__ldi_match(m, &w->debts, debts, sizeof(uint32_t)))
            return false;
    }
    return true;
}

static void worker_clear(sp_volume_worker *w) {
    w->layers = w->intervals = w->unbalanced = 0, w->layers_most = 0;
}

// The tiles of a set. Where the common arrays are too short, they grow to what was counted and the tiles are done again.
static bool raster_set(sp_volume *v, sp_volume_found *found) {
    const size_t key_first = atomic_load(&v->key_count), record_first = atomic_load(&v->record_count);
    v->tile_first = v->tile_count;
    if (!reserve_raster(v)) return false;
    for (bool again = true; again;) {
        for (int i = 0; i < v->worker_count; i++) worker_clear(&v->workers[i]);
        atomic_store(&v->key_count, key_first), atomic_store(&v->record_count, record_first);
        sp__parallel(v->ctx, v->ldi.tile_count, sp__volume_tile, v);
        if (atomic_load(&v->memory.refused)) return false;
        const size_t keys = atomic_load(&v->key_count), records = atomic_load(&v->record_count);
        again = keys > v->keys.capacity || records > v->records.capacity;
        if (!sp__ldi_reserve(&v->memory, &v->keys, keys, sizeof(sp_volume_key), key_first) ||
            !sp__ldi_reserve(&v->memory, &v->records, records, sizeof(sp_volume_record), record_first))
            return false;
    }
    v->tile_count += v->ldi.tile_count;
    for (int i = 0; i < v->worker_count; i++) {
        found->layers += v->workers[i].layers, found->intervals += v->workers[i].intervals;
        found->unbalanced += v->workers[i].unbalanced;
        if (v->workers[i].layers_most > found->layers_most) found->layers_most = v->workers[i].layers_most;
    }
    return level_workers(v);
}

static sp_status run_set(sp_volume *v, int set, sp_volume_found *found, double *clock) {
    sp_ldi *l = &v->ldi;
    SP_TRY(prepare_set(v, set));
    const int stage[] = {SP_VOLUME_STAGE_BOXES, SP_VOLUME_STAGE_LIST, SP_VOLUME_STAGE_SORT, SP_VOLUME_STAGE_RASTER};
    bool ok = true;
    for (int i = 0; i < 4 && ok; i++) {
        if (i == 1) ok = sp__ldi_list(l);
        if (i == 2) ok = sp__ldi_sort(l);
        if (i == 3) ok = raster_set(v, found);
        const double now = sp__now_ms();
        found->stage_ms[stage[i]] += now - *clock, *clock = now;
    }
    if (l->bad_triangle)
        return SP_FAIL(v->ctx, SP_BAD_INPUT, "surface %d: a triangle has a vertex out of range, must be below %d",
                       l->bad_triangle - 1, v->surfaces[l->bad_triangle - 1].vertex_count);
    if (!ok) return SP_NO_MEMORY;
    found->images += 3;
    for (int k = 0; k < 3; k++) found->pixels += (int64_t)l->size[(k + 1) % 3] * l->size[(k + 2) % 3];
    found->listed += (int64_t)l->entry_count, found->triangles += (int64_t)l->setup_count;
    return SP_OK;
}

// ------------------------------------------------------------------------------------------------ search

static sp_status check_options(const sp_volume *v, const sp_volume_options *o, int surface_count,
                               const sp_volume_surface *surfaces) {
    if (!(o->pixel > 0 && isfinite(o->pixel)))
        return SP_FAIL(v->ctx, SP_BAD_INPUT, "pixel = %g m, must be > 0 and finite", o->pixel);
    if (o->cell < 0 || o->cell > SP_LDI_SIDE_MOST)
        return SP_FAIL(v->ctx, SP_BAD_INPUT, "cell = %d pixels, must be in [0, %d]", o->cell, SP_LDI_SIDE_MOST);
    if (!(o->sliver >= 0)) return SP_FAIL(v->ctx, SP_BAD_INPUT, "sliver = %g pixel areas, must be >= 0", o->sliver);
    if (o->tile != 0 && o->tile != 4 && o->tile != 8 && o->tile != 16)
        return SP_FAIL(v->ctx, SP_BAD_INPUT, "tile = %d pixels, must be 4, 8 or 16", o->tile);
    if (surface_count < 0 || surface_count > SP_VOLUME_SURFACES_MOST)
        return SP_FAIL(v->ctx, SP_BAD_INPUT, "%d surfaces, must be in [0, %d]", surface_count, SP_VOLUME_SURFACES_MOST);
    for (int i = 0; i < surface_count; i++)
        if (surfaces[i].vertex_count < 0 || surfaces[i].triangle_count < 0)
            return SP_FAIL(v->ctx, SP_BAD_INPUT, "surface %d: %d vertices and %d triangles, must be >= 0", i,
                           surfaces[i].vertex_count, surfaces[i].triangle_count);
    return SP_OK;
}

static sp_status run_search(sp_volume *v, sp_volume_found *found) {
    double clock = sp__now_ms();
    v->tile_count = v->overlap_count = v->entry_count = v->joined = 0;
    atomic_store(&v->key_count, 0), atomic_store(&v->record_count, 0);
    SP_TRY(find_boxes(v));
    SP_TRY(find_pairs(v));
    found->pairs = v->pair_count;
    for (int set = 0; set < v->set_count; set++) SP_TRY(run_set(v, set, found, &clock));
    if (!sp__volume_sum(v)) return SP_NO_MEMORY;
    found->stage_ms[SP_VOLUME_STAGE_SUM] = sp__now_ms() - clock;
    return SP_OK;
}

// What a refusal of memory concerns.
static void describe(const sp_volume *v, char *text, size_t size) {
    const sp_ldi *l = &v->ldi;
    int64_t triangles = 0;
    for (int i = 0; i < v->surface_count; i++) triangles += v->surfaces[i].triangle_count;
    snprintf(text, size, "%d surfaces with %lld triangles (%d x %d x %d pixels of %g m)", v->surface_count, (long long)triangles,
             l->size[0], l->size[1], l->size[2], l->pixel);
}

sp_status sp__volume_find(sp_volume *v, const sp_volume_options *options, int surface_count, const sp_volume_surface *surfaces,
                          sp_volume_found *found) {
    *found = (sp_volume_found){0};
    SP_TRY(check_options(v, options, surface_count, surfaces));
    v->o = *options, v->surface_count = surface_count, v->surfaces = surfaces;
    v->memory.most = options->bytes_most ? options->bytes_most : BYTES_MOST;
    atomic_store(&v->memory.grown, false), atomic_store(&v->memory.refused, 0);
    memset(v->ldi.size, 0, sizeof v->ldi.size);
    v->ldi.pixel = options->pixel, v->ldi.bad_triangle = 0;
    sp_status status = run_search(v, found);
    found->grown = atomic_load(&v->memory.grown), found->bytes = atomic_load(&v->memory.bytes);
    if (status >= 0) {
        found->overlaps = v->overlaps.data, found->count = v->overlap_count;
        found->entries = v->entries.data, found->entry_count = v->entry_count, found->joined = v->joined;
        return status;
    }
    *found = (sp_volume_found){.grown = found->grown, .bytes = found->bytes};
    char what[128];
    describe(v, what, sizeof what);
    return status == SP_NO_MEMORY ? sp__ldi_refused(&v->memory, what) : status;
}
