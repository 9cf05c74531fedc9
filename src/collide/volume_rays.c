// Where the rays of a tile are inside two surfaces (volume.h), and what each interval adds to the volume and its gradient.
//
// A ray keeps the list of the surfaces that it is in, by the layers through which it entered. Where it leaves surface X at z, the
// oldest layer e of X is removed, and every other layer f of the list gives an interval from the later of e and f to z. For two
// surfaces this is the counter of the thesis (section 4.3.2: an overlap where it is above 1), and with more all pairs are found.
#include "collide/volume_internal.h"

typedef struct ray {
    sp_volume *v;
    sp_volume_worker *w;
    const sp_volume_set *set;
    const int32_t *pair_of;
    int x, y;              // sample of the image
    bool placed;           // the following are set
    double at[3];          // its centre, in the order x, y, z of space; the depth is not set
    double area;           // of a pixel
    uint64_t column_cell;  // cells of the sample across the ray, as a part of a key
    int column_shift;      // place of the cell along the ray in a key
    bool ok;
} ray;

static int64_t floor_divide(int64_t a, int64_t b) {
    return a / b - (a % b < 0);
}

// ------------------------------------------------------------------------------------------------ records

// What only rays with intervals need: the keys of a sample contain its cells across the ray.
static void ray_place(ray *r) {
    const sp_ldi *l = &r->v->ldi;
    const sp_ldi_tile *t = &r->w->tile;
    const int across[2] = {(t->axis + 1) % 3, (t->axis + 2) % 3};
    r->placed = true, r->column_cell = 0;
    for (int k = 0; k < 2; k++) {
        const int axis = across[k];
        const int64_t sample = l->base[axis] + (k ? r->y : r->x);
        r->at[axis] = l->origin[axis] + l->pixel * ((double)sample + 0.5);
        if (!r->v->o.cell) continue;
        const int64_t cell = floor_divide(sample, r->v->o.cell) - r->set->cell_base[axis];
        r->column_cell |= (uint64_t)cell << (SP_VOLUME_CELL_BITS * axis);
    }
}

static sp_volume_key *find_key(ray *r, uint64_t key) {
    sp_volume_worker *w = r->w;
    sp_volume_key *keys = w->keys.data;
    if (w->last_key < w->key_count && keys[w->last_key].key == key) return &keys[w->last_key];
    uint32_t *bucket = &w->buckets[sp__volume_hash(key) % SP_VOLUME_BUCKETS], i = *bucket;
    while (i && keys[i - 1].key != key) i = keys[i - 1].id;
    if (!i) {
        keys[w->key_count++] = (sp_volume_key){.key = key, .id = *bucket};
        *bucket = i = (uint32_t)w->key_count;
    }
    w->last_key = i - 1;
    return &keys[i - 1];
}

// The record of the triangle of an entry for a key of the tile. A triangle has one key for each pair and cell, few in a tile.
static sp_volume_record *find_record(ray *r, sp_volume_key *key, uint32_t entry) {
    sp_volume_worker *w = r->w;
    sp_volume_record *records = w->records.data;
    int32_t *first = (int32_t *)w->slots.data + entry;
    const uint32_t number = (uint32_t)(key - (sp_volume_key *)w->keys.data);
    for (int32_t i = *first; i >= 0; i = records[i].next)
        if (records[i].key == number) return &records[i];
    const sp_ldi_setup *s = w->tile.setups[entry];
    const uint32_t surface = (uint32_t)r->v->ldi.surfaces[s->code >> 1].number;
    sp_volume_record *record = &records[w->record_count];
    *record = (sp_volume_record){.triangle = s->triangle,
                                 .code = (uint32_t)w->tile.axis << 30 | 2 * surface | (s->code & 1),
                                 .key = number,
                                 .next = *first};
    *first = (int32_t)w->record_count++;
    key->records++;
    return record;
}

// Adds a share of the area of the sample, with its sign, to the triangle of an entry.
static void add_gradient(ray *r, sp_volume_key *key, uint32_t entry, const double weights[2], double area) {
    sp_volume_record *record = find_record(r, key, entry);
    record->sum += area, record->b += area * weights[0], record->c += area * weights[1];
}

// A piece of an interval in one cell: the part from z0 to z1 of it, a share f.
static void add_piece(ray *r, uint64_t code, double f, double z0, double z1, const uint32_t ends[2], double weights[2][2],
                      const bool first[2]) {
    const int axis = r->w->tile.axis;
    const double area = r->area * f, volume = r->area * (z1 - z0);
    sp_volume_key *key = find_key(r, code);
    key->volume += volume, key->shadow += area, key->area += (first[1] ? area : 0) - (first[0] ? area : 0);
    r->at[axis] = 0.5 * (z0 + z1);
    for (int k = 0; k < 3; k++) key->moment[k] += volume * r->at[k];
    add_gradient(r, key, ends[0], weights[0], -area);
    add_gradient(r, key, ends[1], weights[1], area);
}

static bool reserve_pieces(ray *r, size_t pieces) {
    sp_volume_worker *w = r->w;
    sp_ldi_memory *m = &r->v->memory;
    r->ok = sp__ldi_reserve(m, &w->keys, w->key_count + pieces, sizeof(sp_volume_key), w->key_count) &&
            sp__ldi_reserve(m, &w->records, w->record_count + 2 * pieces, sizeof(sp_volume_record), w->record_count);
    return r->ok;
}

// The interval of a pair between two layers. With cells it is cut at their walls (eq. 4.18 to 4.20: the walls move with the ends
// of the interval, so that a piece has its share of the gradient).
static void add_interval(ray *r, int pair, sp_ldi_layer lower, sp_ldi_layer upper) {
    const int axis = r->w->tile.axis, bits = r->v->ldi.bits, cell = r->v->o.cell;
    const uint32_t ends[2] = {sp__ldi_entry(lower), sp__ldi_entry(upper)};
    double weights[2][2], z[2];
    bool first[2];
    if (!r->placed) ray_place(r);
    for (int k = 0; k < 2; k++) {
        const sp_ldi_setup *s = r->w->tile.setups[ends[k]];
        const int number = r->v->ldi.surfaces[s->code >> 1].number;
        z[k] = sp__ldi_ends(s, bits, r->x, r->y, weights[k]);
        first[k] = number == ((const sp_volume_pair *)r->v->pairs.data)[pair].a;
    }
    const double z0 = z[0], z1 = z[1];
    if (!(z1 > z0)) return;
    r->w->intervals++;
    const uint64_t code = (uint64_t)pair << (3 * SP_VOLUME_CELL_BITS) | r->column_cell;
    if (!cell) {
        if (reserve_pieces(r, 1)) add_piece(r, code, 1, z0, z1, ends, weights, first);
        return;
    }
    const double edge = cell * r->set->pixel, origin = r->v->o.origin[axis], most = (1 << SP_VOLUME_CELL_BITS) - 1;
    const int64_t base = r->set->cell_base[axis];
    double c0 = floor((z0 - origin) / edge) - (double)base, c1 = floor((z1 - origin) / edge) - (double)base;
    c0 = fmin(fmax(c0, 0), most), c1 = fmin(fmax(c1, c0), most);
    if (!reserve_pieces(r, (size_t)(c1 - c0) + 1)) return;
    for (double c = c0, from = z0; c <= c1; c++) {
        const double wall = origin + edge * (c + 1 + (double)base), to = c < c1 && wall < z1 ? wall : z1;
        if (to > from)
            add_piece(r, code | (uint64_t)c << r->column_shift, (to - from) / (z1 - z0), from, to, ends, weights, first);
        from = to > from ? to : from;
    }
}

// ------------------------------------------------------------------------------------------------ a ray

// The ray leaves a surface at a layer. Removes the oldest open layer of it; false: none.
static bool ray_leave(ray *r, sp_ldi_layer at, uint32_t surface, sp_volume_open *open, int *count) {
    int e = 0;
    while (e < *count && open[e].surface != surface) e++;
    if (e == *count) return false;
    const int32_t *pair_of = r->pair_of + (size_t)surface * (size_t)r->v->ldi.surface_count;
    for (int f = 0; f < *count; f++) {
        if (f == e) continue;
        const int pair = pair_of[open[f].surface];
        if (pair >= 0) add_interval(r, pair, open[e > f ? e : f].layer, at);
    }
    --*count;
    for (int f = e; f < *count; f++) open[f] = open[f + 1];
    return true;
}

// A front layer that pays a debt is not opened: the surface is inverted there, or the two ends of an interval without thickness
// changed places by rounding.
static bool debt_paid(uint32_t *debts, int *count, uint32_t surface) {
    for (int i = 0; i < *count; i++)
        if (debts[i] == surface) {
            debts[i] = debts[--*count];
            return true;
        }
    return false;
}

// Most rays are in one surface at a time: they enter and leave the same one in turn. Without branches, for such rays are many and
// short.
static bool ray_is_plain(const uint32_t *codes, const sp_ldi_layer *layers, int count) {
    uint32_t other = (uint32_t)count & 1;
    for (int i = 0; i + 1 < count; i += 2) {
        const uint32_t enter = codes[sp__ldi_entry(layers[i])], leave = codes[sp__ldi_entry(layers[i + 1])];
        other |= ((enter ^ leave) ^ 1) | (enter & 1);
    }
    return !other;
}

static void ray_walk(ray *r, const sp_ldi_layer *layers, int count) {
    const uint32_t *codes = r->w->tile.codes;
    sp_volume_open *open = r->w->open.data;
    uint32_t *debts = r->w->debts.data;
    int open_count = 0, debt_count = 0;
    if (ray_is_plain(codes, layers, count)) return;
    for (int i = 0; i < count && r->ok; i++) {
        const uint32_t surface = codes[sp__ldi_entry(layers[i])] >> 1;
        if (sp__ldi_leaves(layers[i])) {
            if (!ray_leave(r, layers[i], surface, open, &open_count)) debts[debt_count++] = surface;
        } else if (!debt_count || !debt_paid(debts, &debt_count, surface)) {
            open[open_count++] = (sp_volume_open){layers[i], surface};
        }
    }
    r->w->unbalanced += open_count + debt_count > 0;
}

// ------------------------------------------------------------------------------------------------ a tile

// Copies the sums of a tile to the common arrays. If there is no room, only the counts are right: the batch is repeated.
static void publish_tile(sp_volume *v, const sp_volume_worker *w, sp_volume_tile *out) {
    out->key_count = (uint32_t)w->key_count, out->record_count = (uint32_t)w->record_count;
    out->key_first = atomic_fetch_add(&v->key_count, w->key_count);
    out->record_first = atomic_fetch_add(&v->record_count, w->record_count);
    if (w->key_count && out->key_first + w->key_count <= v->keys.capacity)
        memcpy((sp_volume_key *)v->keys.data + out->key_first, w->keys.data, w->key_count * sizeof(sp_volume_key));
    if (w->record_count && out->record_first + w->record_count <= v->records.capacity)
        memcpy((sp_volume_record *)v->records.data + out->record_first, w->records.data,
               w->record_count * sizeof(sp_volume_record));
}

static bool reserve_rays(sp_volume *v, sp_volume_worker *w) {
    const size_t stride = (size_t)w->tile.stride;
    return sp__ldi_reserve(&v->memory, &w->open, stride, sizeof(sp_volume_open), 0) &&
           sp__ldi_reserve(&v->memory, &w->debts, stride, sizeof(uint32_t), 0);
}

void sp__volume_tile(void *arg, int task, int worker) {
    sp_volume *v = arg;
    sp_volume_worker *w = &v->workers[worker];
    const sp_ldi *l = &v->ldi;
    const uint32_t *begin = l->begin.data;
    sp_volume_tile *out = (sp_volume_tile *)v->tiles.data + v->tile_first + task;
    *out = (sp_volume_tile){.axis = (task >= l->tile_first[1]) + (task >= l->tile_first[2]), .set = v->set};
    if (begin[task] == begin[task + 1] || atomic_load_explicit(&v->memory.refused, memory_order_relaxed)) return;
    if (!sp__ldi_raster(&v->ldi, task, &w->tile) || !reserve_rays(v, w)) return;
    if (w->key_count) memset(w->buckets, 0, sizeof w->buckets);
    w->key_count = w->record_count = w->last_key = 0;
    memset(w->slots.data, -1, (size_t)w->tile.entry_count * sizeof(int32_t));
    ray r = {.v = v, .w = w, .pair_of = v->pair_of.data, .area = l->pixel * l->pixel, .ok = true};
    r.set = (const sp_volume_set *)v->sets.data + v->set;
    r.column_shift = SP_VOLUME_CELL_BITS * w->tile.axis;
    for (int i = 0; i < w->tile.edge * w->tile.edge && r.ok; i++) {
        if (!w->tile.count[i]) continue;
        w->layers += w->tile.count[i];
        if (w->tile.count[i] > w->layers_most) w->layers_most = w->tile.count[i];
        r.x = w->tile.x + i % w->tile.edge, r.y = w->tile.y + i / w->tile.edge, r.placed = false;
        ray_walk(&r, w->tile.layers + i * w->tile.stride, w->tile.count[i]);
    }
    publish_tile(v, w, out);
}
