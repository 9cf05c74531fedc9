// Spatial hash: the items of one collider are entered into the cells of a grid that they touch, sorted by cell; the items of the
// other look up their cells (Teschner et al. 2003). Items that cover many cells are compared with all.
#include "collide/collide_internal.h"

enum { CELLS_MAX = 64, CELL_BITS = 21 };  // of an item; of a coordinate

typedef struct hash_grid {
    double origin[3], size;
} hash_grid;

typedef struct hash_range {
    int low[3], high[3];
    bool large;  // too many cells: one entry that all others see
    int cells;
} hash_range;

static int grid_cell(const hash_grid *g, double x, int axis) {
    double cell = floor((x - g->origin[axis]) / g->size);
    return cell < 0 ? 0 : cell < (1 << CELL_BITS) - 1 ? (int)cell : (1 << CELL_BITS) - 1;
}

// cells of an item whose box grows by `margin`
static hash_range grid_range(const hash_grid *g, const sp_collider *c, uint32_t item, double margin) {
    double cells = 1;
    hash_range r;
    const sp_swept_box box = sp__item_box(c, item);
    for (int k = 0; k < 3; k++) {
        r.low[k] = grid_cell(g, box.low[k] - margin, k), r.high[k] = grid_cell(g, box.high[k] + margin, k);
        cells *= r.high[k] - r.low[k] + 1;
    }
    r.large = cells > CELLS_MAX, r.cells = r.large ? 1 : (int)cells;
    return r;
}

static uint64_t cell_key(int x, int y, int z) {
    return (uint64_t)x << 2 * CELL_BITS | (uint64_t)y << CELL_BITS | (uint64_t)z;
}

// Edge of a cell, unless it is given: twice the mean extent of the items, so that an item touches few cells.
static void grid_choose(const sp_collider *b, double margin, double cell, hash_grid *g) {
    double sum = 0;
    for (int i = 0; i < b->def.item_count && !(cell > 0); i++) {
        const sp_swept_box x = sp__item_box(b, (uint32_t)i);
        sum += fmax(x.high[0] - x.low[0], fmax(x.high[1] - x.low[1], x.high[2] - x.low[2]));
    }
    g->size = cell > 0 ? cell : 2 * (sum / b->def.item_count + margin);
    if (!(g->size > 0)) g->size = 1;
    for (int k = 0; k < 3; k++) g->origin[k] = b->low[k] - margin;
}

static void entries_add(sp_record *entries, const hash_range *r, uint32_t item, int *n) {
    if (r->large) {
        entries[(*n)++] = (sp_record){UINT64_MAX, item, 0};
        return;
    }
    for (int x = r->low[0]; x <= r->high[0]; x++)
        for (int y = r->low[1]; y <= r->high[1]; y++)
            for (int z = r->low[2]; z <= r->high[2]; z++) entries[(*n)++] = (sp_record){cell_key(x, y, z), item, 0};
}

// entries (cell, item) of b, sorted; large items have the cell UINT64_MAX
static sp_status grid_fill(sp_collide *set, const sp_collider *b, const hash_grid *g, double margin, int *count) {
    long need = 0;
    *count = 0;
    for (int i = 0; i < b->def.item_count; i++) need += grid_range(g, b, (uint32_t)i, margin).cells;
    SP_TRY(sp__collide_sorting(set, need));
    for (int i = 0; i < b->def.item_count; i++) {
        hash_range r = grid_range(g, b, (uint32_t)i, margin);
        entries_add(set->sorted[0], &r, (uint32_t)i, count);
    }
    sp__records_sort(set->sorted[0], set->sorted[1], *count);
    return SP_OK;
}

static int entry_first(const sp_record *entries, int count, uint64_t cell) {
    int low = 0, high = count;
    while (low < high) {
        int middle = low + (high - low) / 2;
        if (entries[middle].group < cell) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    return low;
}

static void hash_items(sp_collide *set, int pair, const sp_item_features *item, uint32_t other, sp_block *own) {
    const sp_collider *b = &set->colliders[set->pairs[pair].b];
    const sp_swept_box box = sp__item_box(b, other);
    sp_item_features features;
    if (!sp__items_near(&set->pairs[pair], &item->box, &box)) return;
    sp__item_features(b, other, &features);
    sp__broad_items(set, pair, item, &features, own);
}

static void cell_items(sp_collide *set, int pair, const sp_item_features *item, uint64_t cell, int count, sp_block *own) {
    const sp_record *e = set->sorted[0];
    for (int i = entry_first(e, count, cell); i < count && e[i].group == cell; i++)
        hash_items(set, pair, item, (uint32_t)e[i].features, own);
}

sp_status sp__broad_hash(sp_collide *set, int pair, double cell) {
    const sp_collide_pair *p = &set->pairs[pair];
    const sp_collider *a = &set->colliders[p->a], *b = &set->colliders[p->b];
    sp_item_features item;
    hash_grid g;
    int count;
    sp_block own = {0};
    grid_choose(b, p->margin, cell, &g);
    // more than the margin, by more than rounding
    SP_TRY(grid_fill(set, b, &g, p->margin + 1e-6 * g.size, &count));
    for (int i = 0; i < a->def.item_count; i++) {
        hash_range r = grid_range(&g, a, (uint32_t)i, 0);
        sp__item_features(a, (uint32_t)i, &item);
        for (int j = 0; r.large && j < b->def.item_count; j++) hash_items(set, pair, &item, (uint32_t)j, &own);
        if (r.large) continue;
        for (int x = r.low[0]; x <= r.high[0]; x++)
            for (int y = r.low[1]; y <= r.high[1]; y++)
                for (int z = r.low[2]; z <= r.high[2]; z++) cell_items(set, pair, &item, cell_key(x, y, z), count, &own);
        cell_items(set, pair, &item, UINT64_MAX, count, &own);
    }
    sp__block_close(&set->candidates, &own);
    return SP_OK;
}
