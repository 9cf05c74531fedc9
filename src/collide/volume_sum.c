// Sums of the intervals by overlap and by vertex (volume.h; sections 6.2, 6.3 and 9.5 of the method).
//
//     keys of all tiles      distinct ones sorted: the cells; slivers joined: the overlaps
//     records of all tiles   scattered to their overlaps; the order within an overlap is that of the tiles
//     each overlap           distinct vertices counted, scanned, summed: a task. A worker has an array for all vertices of a
//                            pair and a bit for each that has a sum, from which the entries come out sorted
#include "collide/volume_internal.h"
#include "math/vec3.h"

// A cell of a pair, and later an overlap.
typedef struct overlap_id {
    uint64_t key;
    double volume[3], moment[3];  // volume: from the rays along each axis
    double area[3], shadow[3];
    size_t record_first, record_count;
    uint32_t parent;   // the cell that it is joined with, or itself
    uint32_t overlap;  // of the root
    int set;
    int entry_count;
} overlap_id;

// ------------------------------------------------------------------------------------------------ distinct keys

// place of a key in the table, or of the hole where it belongs
static size_t hash_find(const sp_volume *v, size_t mask, uint64_t key) {
    const uint32_t *hash = v->hash.data;
    const overlap_id *ids = v->ids.data;
    size_t at = sp__volume_hash(key) & mask;
    while (hash[at] && ids[hash[at] - 1].key != key) at = (at + 1) & mask;
    return at;
}

static size_t hash_mask(size_t count) {
    size_t size = 64;
    while (size < 2 * count) size *= 2;
    return size - 1;
}

// Distinct keys in the order of their appearance; each key of a tile gets the number of its own.
static uint32_t collect_ids(sp_volume *v, size_t mask) {
    uint32_t *hash = v->hash.data, count = 0;
    overlap_id *ids = v->ids.data;
    const sp_volume_tile *tiles = v->tiles.data;
    memset(hash, 0, (mask + 1) * sizeof *hash);
    for (int t = 0; t < v->tile_count; t++) {
        sp_volume_key *keys = (sp_volume_key *)v->keys.data + tiles[t].key_first;
        for (uint32_t i = 0; i < tiles[t].key_count; i++) {
            const size_t at = hash_find(v, mask, keys[i].key);
            if (!hash[at]) {
                ids[count] = (overlap_id){.key = keys[i].key, .set = tiles[t].set};
                hash[at] = ++count;
            }
            keys[i].id = hash[at] - 1;
        }
    }
    return count;
}

// Numbers the cells by their keys and adds up the sums of the tiles, in the order of the tiles.
static void sort_ids(sp_volume *v, uint32_t count, size_t mask) {
    uint64_t *sorted = v->order.data;
    uint32_t *hash = v->hash.data, *rank = (uint32_t *)(sorted + count);
    overlap_id *ids = v->ids.data;
    const sp_volume_tile *tiles = v->tiles.data;
    for (uint32_t i = 0; i < count; i++) sorted[i] = ids[i].key;
    sp__sort_keys(sorted, (int)count);
    for (uint32_t i = 0; i < count; i++) rank[hash[hash_find(v, mask, sorted[i])] - 1] = i;
    overlap_id *out = ids + count;
    for (uint32_t i = 0; i < count; i++) out[rank[i]] = ids[i], out[rank[i]].parent = rank[i];
    for (int t = 0; t < v->tile_count; t++) {
        sp_volume_key *keys = (sp_volume_key *)v->keys.data + tiles[t].key_first;
        for (uint32_t i = 0; i < tiles[t].key_count; i++) {
            overlap_id *id = &out[keys[i].id = rank[keys[i].id]];
            id->volume[tiles[t].axis] += keys[i].volume, id->record_count += keys[i].records;
            id->area[tiles[t].axis] += keys[i].area, id->shadow[tiles[t].axis] += keys[i].shadow;
            for (int k = 0; k < 3; k++) id->moment[k] += keys[i].moment[k];
        }
    }
    memcpy(ids, out, count * sizeof *ids);
}

// ------------------------------------------------------------------------------------------------ slivers

static int id_pair(const overlap_id *id) {
    return (int)(id->key >> (3 * SP_VOLUME_CELL_BITS));
}

static int id_cell(const overlap_id *id, int axis) {
    return (int)(id->key >> (SP_VOLUME_CELL_BITS * axis) & ((1 << SP_VOLUME_CELL_BITS) - 1));
}

static bool is_self(const sp_volume *v, const overlap_id *id) {
    const sp_volume_pair *pair = (const sp_volume_pair *)v->pairs.data + id_pair(id);
    return pair->a == pair->b;
}

// The gradients of one side cancel in the pair (o, o): what the intervals cover takes their place.
static double cell_area(const sp_volume *v, const overlap_id *id) {
    return sp__norm3(is_self(v, id) ? id->shadow : id->area);
}

// The largest of a cell and its 26 neighbours of the same pair; the first one of equal ones.
static const overlap_id *largest_near(const sp_volume *v, const overlap_id *id, size_t mask) {
    const uint32_t *hash = v->hash.data;
    const overlap_id *ids = v->ids.data, *best = id;
    double most = cell_area(v, id);
    for (int n = 0; n < 27; n++) {
        const int cell[3] = {id_cell(id, 0) + n % 3 - 1, id_cell(id, 1) + n / 3 % 3 - 1, id_cell(id, 2) + n / 9 - 1};
        uint64_t key = (uint64_t)id_pair(id) << (3 * SP_VOLUME_CELL_BITS);
        bool inside = true;
        for (int k = 0; k < 3; k++) {
            inside = inside && cell[k] >= 0 && cell[k] < 1 << SP_VOLUME_CELL_BITS;
            key |= (uint64_t)cell[k] << (SP_VOLUME_CELL_BITS * k);
        }
        const uint32_t found = inside && n != 13 ? hash[hash_find(v, mask, key)] : 0;
        if (!found) continue;
        const overlap_id *other = &ids[found - 1];
        const double area = cell_area(v, other);
        if (area > most || (area == most && other->key < best->key)) best = other, most = area;
    }
    return best;
}

// A sliver follows the largest of its neighbours, which may be a sliver with a larger neighbour. Nothing is lost: the sums of all
// cells stay the same.
static void join_slivers(sp_volume *v, uint32_t count, size_t mask) {
    overlap_id *ids = v->ids.data;
    const sp_volume_set *sets = v->sets.data;
    if (!v->o.cell || !(v->o.sliver > 0)) return;
    uint32_t *hash = v->hash.data;
    memset(hash, 0, (mask + 1) * sizeof *hash);
    for (uint32_t i = 0; i < count; i++) hash[hash_find(v, mask, ids[i].key)] = i + 1;
    for (uint32_t i = 0; i < count; i++) {
        const double pixel = sets[ids[i].set].pixel;
        if (cell_area(v, &ids[i]) < v->o.sliver * pixel * pixel) ids[i].parent = (uint32_t)(largest_near(v, &ids[i], mask) - ids);
    }
    for (uint32_t i = 0; i < count; i++) {
        uint32_t root = i;
        while (ids[root].parent != root) root = ids[root].parent;
        if (root == i) continue;
        ids[root].record_count += ids[i].record_count;
        for (int k = 0; k < 3; k++) ids[root].volume[k] += ids[i].volume[k], ids[root].moment[k] += ids[i].moment[k];
        v->joined++;
    }
}

// ------------------------------------------------------------------------------------------------ records by overlap

static void scatter_tile(void *arg, int task, int worker) {
    sp_volume *v = arg;
    const sp_volume_tile *t = (const sp_volume_tile *)v->tiles.data + task;
    const sp_volume_record *records = (const sp_volume_record *)v->records.data + t->record_first;
    sp_volume_record *out = v->sorted.data;
    size_t *places = (size_t *)v->places.data + t->key_first;
    (void)worker;
    for (uint32_t i = 0; i < t->record_count; i++) out[places[records[i].key]++] = records[i];
}

// Numbers the overlaps and finds the place of every key among the records of its overlap.
static void place_records(sp_volume *v, uint32_t count) {
    overlap_id *ids = v->ids.data;
    const sp_volume_tile *tiles = v->tiles.data;
    size_t *places = v->places.data, at = 0;
    v->overlap_count = 0;
    for (uint32_t i = 0; i < count; i++) {
        if (ids[i].parent != i) continue;
        ids[i].overlap = (uint32_t)v->overlap_count++, ids[i].record_first = at;
        at += ids[i].record_count, ids[i].record_count = 0;
    }
    for (int t = 0; t < v->tile_count; t++) {
        const sp_volume_key *keys = (const sp_volume_key *)v->keys.data + tiles[t].key_first;
        for (uint32_t i = 0; i < tiles[t].key_count; i++) {
            uint32_t root = keys[i].id;
            while (ids[root].parent != root) root = ids[root].parent;
            places[tiles[t].key_first + i] = ids[root].record_first + ids[root].record_count;
            ids[root].record_count += keys[i].records;
        }
    }
    for (uint32_t i = 0; i < count; i++)
        if (ids[i].parent == i) ids[ids[i].overlap] = ids[i];
    sp__parallel(v->ctx, v->tile_count, scatter_tile, v);
}

// ------------------------------------------------------------------------------------------------ vertices of an overlap

// Number of a vertex in the arrays of a worker: the vertices of the first surface, then those of the second from a whole word on.
typedef struct vertex_space {
    int surface[2];
    size_t second;  // where the second surface starts; 0: there is only one
    size_t count;
} vertex_space;

static size_t whole_words(int vertices) {
    return ((size_t)vertices + 63) / 64 * 64;
}

static vertex_space space_of(const sp_volume *v, const overlap_id *id) {
    const sp_volume_pair *pair = (const sp_volume_pair *)v->pairs.data + id_pair(id);
    vertex_space s = {.surface = {pair->a, pair->b}};
    s.count = whole_words(v->surfaces[pair->a].vertex_count);
    if (pair->a != pair->b) s.second = s.count, s.count += whole_words(v->surfaces[pair->b].vertex_count);
    return s;
}

// vertices a, b, c of a record
static inline void record_vertices(const sp_volume *v, const vertex_space *s, const sp_volume_record *r, size_t out[3]) {
    const int surface = (int)(r->code >> 1 & 0x1fffffff);
    const uint32_t *t = v->surfaces[surface].triangles + 3 * (size_t)r->triangle;
    const size_t base = surface == s->surface[0] ? 0 : s->second;
    const int b = r->code & 1 ? 1 : 2;
    out[0] = base + t[0], out[1] = base + t[b], out[2] = base + t[3 - b];
}

typedef struct word_range {
    size_t first, last;
} word_range;

static inline void mark(uint64_t *bits, word_range *range, size_t vertex) {
    const size_t word = vertex / 64;
    bits[word] |= 1ull << (vertex % 64);
    if (word < range->first) range->first = word;
    if (word > range->last) range->last = word;
}

static void count_vertices(void *arg, int task, int worker) {
    sp_volume *v = arg;
    overlap_id *id = (overlap_id *)v->ids.data + task;
    const sp_volume_record *records = (const sp_volume_record *)v->sorted.data + id->record_first;
    uint64_t *bits = v->workers[worker].bits.data;
    const vertex_space s = space_of(v, id);
    word_range range = {SIZE_MAX, 0};
    size_t vertex[3];
    for (size_t i = 0; i < id->record_count; i++) {
        record_vertices(v, &s, &records[i], vertex);
        for (int k = 0; k < 3; k++) mark(bits, &range, vertex[k]);
    }
    id->entry_count = 0;
    for (size_t w = range.first; w <= range.last; w++) id->entry_count += __builtin_popcountll(bits[w]), bits[w] = 0;
}

// ------------------------------------------------------------------------------------------------ normals

// Dominant eigenvector of a symmetric matrix by repeated squaring; its largest component is positive.
static void dominant_direction(const double T[9], double out[3]) {
    double A[9], B[9];
    memcpy(A, T, sizeof A);
    for (int pass = 0; pass < 24; pass++) {
        const double trace = A[0] + A[4] + A[8];
        for (int i = 0; i < 9 && trace > 0; i++) A[i] /= trace;
        for (int i = 0; i < 3; i++)
            for (int j = 0; j < 3; j++) B[3 * i + j] = A[3 * i] * A[j] + A[3 * i + 1] * A[3 + j] + A[3 * i + 2] * A[6 + j];
        memcpy(A, B, sizeof A);
    }
    int column = 0;
    for (int k = 1; k < 3; k++)
        if (A[4 * k] > A[4 * column]) column = k;
    for (int k = 0; k < 3; k++) out[k] = A[3 * k + column];
    const double length = sp__norm3(out);
    for (int k = 0; k < 3; k++) out[k] = length > 0 ? out[k] / length : k == 2;
}

static void add_outer(double T[9], const double g[3]) {
    for (int i = 0; i < 9; i++) T[i] += g[i / 3] * g[i % 3];
}

// Entries with the vertices of one side, in order. `direction` NULL: sides by surface; else by the sign along it.
typedef struct writer {
    const vertex_space *s;
    const double *sums;
    const uint64_t *bits;
    word_range range;
    sp_overlap_entry *out;
    double sum[3], total;  // of side 0, lengths of all
} writer;

static void write_side(writer *w, int side, const double *direction) {
    for (size_t word = w->range.first; word <= w->range.last; word++)
        for (uint64_t bits = w->bits[word]; bits; bits &= bits - 1) {
            const size_t vertex = 64 * word + (size_t)__builtin_ctzll(bits);
            const double *g = w->sums + 3 * vertex;
            const int second = w->s->second && vertex >= w->s->second;
            if ((direction ? !(sp__dot3(direction, g) <= 0) : second) != side) continue;
            *w->out++ = (sp_overlap_entry){.side = side,
                                           .surface = w->s->surface[second],
                                           .vertex = (int)(vertex - (second ? w->s->second : 0)),
                                           .gradient = {g[0], g[1], g[2]}};
            if (side == 0) sp__axpy3(w->sum, 1, g, w->sum);
            w->total += sp__norm3(g);
        }
}

// The direction in which the gradients of all vertices are largest.
static void main_direction(const writer *w, double out[3]) {
    double T[9] = {0};
    for (size_t word = w->range.first; word <= w->range.last; word++)
        for (uint64_t bits = w->bits[word]; bits; bits &= bits - 1) {
            const size_t vertex = 64 * word + (size_t)__builtin_ctzll(bits);
            add_outer(T, w->sums + 3 * vertex);
        }
    dominant_direction(T, out);
}

// Area, normal and depth from the sum of the gradients of side 0. Where these cancel there is no direction.
static void set_normal(sp_overlap *o, const writer *w) {
    const double area = sp__norm3(w->sum), rounding = 1e-9;
    o->area = area > rounding * w->total ? area : 0;
    o->depth = o->area > 0 ? o->volume / o->area : 0;
    if (o->area > 0)
        for (int k = 0; k < 3; k++) o->normal[k] = -w->sum[k] / area;
    else
        main_direction(w, o->normal);
}

// The sums of a worker are zero again.
static void clear_sums(const writer *w, double *sums, uint64_t *marks) {
    for (size_t word = w->range.first; word <= w->range.last; word++) {
        for (uint64_t bits = marks[word]; bits; bits &= bits - 1)
            memset(sums + 3 * (64 * word + (size_t)__builtin_ctzll(bits)), 0, 3 * sizeof *sums);
        marks[word] = 0;
    }
}

// Area vector and area of the triangles of one side, as far as rays have seen them.
typedef struct facets {
    double sum[3], area;
} facets;

// Rays along axis a see |n_a| of an area: weighted by |n_a| once more, the three axes together see all of it.
static void add_facet(const sp_volume *v, const sp_volume_record *r, facets *f) {
    const sp_volume_surface *surface = &v->surfaces[(r->code & 0x3fffffff) >> 1];
    const uint32_t *t = surface->triangles + 3 * (size_t)r->triangle;
    double d[2][3], n[3];
    for (int k = 0; k < 2; k++) sp__sub3(surface->x + 3 * (size_t)t[k + 1], surface->x + 3 * (size_t)t[0], d[k]);
    sp__cross3(d[0], d[1], n);
    const double square = sp__dot3(n, n), area = square > 0 ? fabs(r->sum * n[r->code >> 30]) / sqrt(square) : 0;
    if (!(area > 0)) return;
    sp__axpy3(f->sum, area / sqrt(square), n, f->sum);
    f->area += area;
}

// The flatter side: the area vector of a flat one is as long as its area. An edge of a body that is in the overlap tilts the
// other one.
static void set_facet(sp_overlap *o, const facets side[2]) {
    double flat[2];
    for (int s = 0; s < 2; s++) flat[s] = side[s].area > 0 ? sp__norm3(side[s].sum) / side[s].area : 0;
    const int best = flat[1] >= flat[0];
    for (int k = 0; k < 3; k++) o->facet[k] = flat[best] > 0 ? (best ? 1 : -1) * side[best].sum[k] / side[best].area : 0;
}

static void write_overlap(void *arg, int task, int worker) {
    sp_volume *v = arg;
    const overlap_id *id = (const overlap_id *)v->ids.data + task;
    const sp_volume_record *records = (const sp_volume_record *)v->sorted.data + id->record_first;
    sp_overlap *o = (sp_overlap *)v->overlaps.data + task;
    double *sums = v->workers[worker].sums.data, direction[3];
    facets side[2] = {0};
    uint64_t *bits = v->workers[worker].bits.data;
    const vertex_space s = space_of(v, id);
    writer w = {.s = &s, .sums = sums, .bits = bits, .range = {SIZE_MAX, 0}};
    size_t vertex[3];
    for (size_t i = 0; i < id->record_count; i++) {
        const sp_volume_record *r = &records[i];
        const double g[3] = {r->sum - r->b - r->c, r->b, r->c};
        const uint32_t axis = r->code >> 30;
        record_vertices(v, &s, r, vertex);
        for (int k = 0; k < 3; k++) sums[3 * vertex[k] + axis] += g[k], mark(bits, &w.range, vertex[k]);
        if (s.second) add_facet(v, r, &side[vertex[0] >= s.second]);
    }
    set_facet(o, side);
    w.out = (sp_overlap_entry *)v->entries.data + o->first;
    if (!s.second) main_direction(&w, direction);
    for (int k = 0; k < 2; k++) write_side(&w, k, s.second ? NULL : direction);
    set_normal(o, &w);
    clear_sums(&w, sums, bits);
}

// ------------------------------------------------------------------------------------------------ everything

static void set_overlap(const sp_volume *v, const overlap_id *id, int first, sp_overlap *o) {
    const sp_volume_pair *pair = (const sp_volume_pair *)v->pairs.data + id_pair(id);
    const sp_volume_set *set = (const sp_volume_set *)v->sets.data + id->set;
    *o = (sp_overlap){.surface = {pair->a, pair->b}, .pixel = pair->pixel, .first = first, .count = id->entry_count};
    const double sum = id->volume[0] + id->volume[1] + id->volume[2];
    o->volume = sum / 3;
    for (int k = 0; k < 3; k++) {
        o->cell[k] = v->o.cell ? (int)(set->cell_base[k] + id_cell(id, k)) : 0;
        o->point[k] = id->moment[k] / sum, o->along[k] = id->volume[k];
    }
}

static bool zeroed(sp_ldi_memory *m, sp_ldi_array *a, size_t count, size_t size) {
    if (a->capacity >= count) return true;
    if (!sp__ldi_reserve(m, a, count, size, 0)) return false;
    memset(a->data, 0, a->capacity * size);
    return true;
}

static bool reserve_workers(sp_volume *v) {
    const overlap_id *ids = v->ids.data;
    size_t most = 0;
    for (int i = 0; i < v->overlap_count; i++) {
        const vertex_space s = space_of(v, &ids[i]);
        if (s.count > most) most = s.count;
    }
    for (int i = 0; i < v->worker_count; i++)
        if (!zeroed(&v->memory, &v->workers[i].sums, 3 * most, sizeof(double)) ||
            !zeroed(&v->memory, &v->workers[i].bits, most / 64, sizeof(uint64_t)))
            return false;
    return true;
}

static bool write_overlaps(sp_volume *v) {
    const overlap_id *ids = v->ids.data;
    size_t entries = 0;
    if (!reserve_workers(v) || !sp__ldi_reserve(&v->memory, &v->overlaps, (size_t)v->overlap_count, sizeof(sp_overlap), 0))
        return false;
    sp__parallel(v->ctx, v->overlap_count, count_vertices, v);
    for (int i = 0; i < v->overlap_count; i++) entries += (size_t)ids[i].entry_count;
    if (entries > INT32_MAX || !sp__ldi_reserve(&v->memory, &v->entries, entries, sizeof(sp_overlap_entry), 0)) return false;
    v->entry_count = 0;
    for (int i = 0; i < v->overlap_count; v->entry_count += ids[i].entry_count, i++)
        set_overlap(v, &ids[i], v->entry_count, (sp_overlap *)v->overlaps.data + i);
    sp__parallel(v->ctx, v->overlap_count, write_overlap, v);
    return true;
}

bool sp__volume_sum(sp_volume *v) {
    const size_t keys = atomic_load(&v->key_count), records = atomic_load(&v->record_count), mask = hash_mask(keys);
    v->overlap_count = v->entry_count = v->joined = 0;
    if (keys == 0) return true;
    if (keys > INT32_MAX || !sp__ldi_reserve(&v->memory, &v->hash, mask + 1, sizeof(uint32_t), 0) ||
        !sp__ldi_reserve(&v->memory, &v->ids, 2 * keys, sizeof(overlap_id), 0) ||
        !sp__ldi_reserve(&v->memory, &v->order, 2 * keys, sizeof(uint64_t), 0) ||
        !sp__ldi_reserve(&v->memory, &v->places, keys, sizeof(size_t), 0) ||
        !sp__ldi_reserve(&v->memory, &v->sorted, records + 1, sizeof(sp_volume_record), 0))
        return false;
    const uint32_t count = collect_ids(v, mask);
    sort_ids(v, count, mask);
    join_slivers(v, count, mask);
    place_records(v, count);
    return write_overlaps(v);
}

void sp__volume_sum_release(sp_volume *v) {
    sp__ldi_release(&v->memory, &v->hash, sizeof(uint32_t));
    sp__ldi_release(&v->memory, &v->ids, sizeof(overlap_id));
    sp__ldi_release(&v->memory, &v->order, sizeof(uint64_t));
    sp__ldi_release(&v->memory, &v->places, sizeof(size_t));
    sp__ldi_release(&v->memory, &v->sorted, sizeof(sp_volume_record));
    sp__ldi_release(&v->memory, &v->overlaps, sizeof(sp_overlap));
    sp__ldi_release(&v->memory, &v->entries, sizeof(sp_overlap_entry));
    for (int i = 0; i < v->worker_count; i++) {
        sp__ldi_release(&v->memory, &v->workers[i].sums, sizeof(double));
        sp__ldi_release(&v->memory, &v->workers[i].bits, sizeof(uint64_t));
    }
}
