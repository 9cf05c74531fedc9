// Numbers of a Gmsh file: map from node and element numbers to indices, and from Gmsh's element types to ours.
#include <stdlib.h>

#include "io/mesh/mesh_msh.h"

static int by_number(const void *a, const void *b) {
    int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;
    return (x > y) - (x < y);
}

static sp_status msh_ids_twice(sp_msh *r, const char *what, int64_t id) {
    return SP_MSH_FAIL(r, "%s %lld appears twice", what, (long long)id);
}

static sp_status ids_sorted(sp_msh *r, const int64_t *ids, int count, const char *unique, sp_msh_ids *out) {
    if (!SP_KEEP(r->keep, out->sorted, 2 * (size_t)count)) return sp__cells_no_memory(r->cells);
    for (int i = 0; i < count; i++) out->sorted[2 * (size_t)i] = ids[i], out->sorted[2 * (size_t)i + 1] = i;
    qsort(out->sorted, (size_t)count, 2 * sizeof *out->sorted, by_number);
    for (size_t i = 1; unique && i < (size_t)count; i++)
        if (out->sorted[2 * i] == out->sorted[2 * i - 2]) return msh_ids_twice(r, unique, out->sorted[2 * i]);
    return SP_OK;
}

sp_status sp__msh_ids_index(sp_msh *r, const int64_t *ids, int count, const char *unique, sp_msh_ids *out) {
    out->count = count;
    out->low = INT64_MAX, out->high = INT64_MIN;
    for (int i = 0; i < count; i++) {
        if (ids[i] < out->low) out->low = ids[i];
        if (ids[i] > out->high) out->high = ids[i];
    }
    if (count == 0) return SP_OK;
    uint64_t span = (uint64_t)out->high - (uint64_t)out->low;
    if (span > 8 * (uint64_t)count + 1024) return ids_sorted(r, ids, count, unique, out);
    if (!SP_KEEP(r->keep, out->table, span + 1)) return sp__cells_no_memory(r->cells);
    for (int i = 0; i < count; i++) {
        int *place = &out->table[ids[i] - out->low];
        if (*place && unique) return msh_ids_twice(r, unique, ids[i]);
        *place = i + 1;
    }
    return SP_OK;
}

int sp__msh_place(const sp_msh_ids *ids, int64_t id) {
    if (!ids->count || id < ids->low || id > ids->high) return -1;
    if (ids->table) return ids->table[id - ids->low] - 1;
    const int64_t *hit = bsearch(&id, ids->sorted, (size_t)ids->count, 2 * sizeof *ids->sorted, by_number);
    return hit ? (int)hit[1] : -1;
}

// ------------------------------------------------------------------------------------------------ element types

// of unsupported higher-order types only the corner nodes are kept, which Gmsh lists first
static const sp_msh_kind kinds[] = {
    {1, 2, SP_CELL_LINE, 2},       {2, 3, SP_CELL_TRIANGLE, 3},   {3, 4, SP_CELL_QUAD, 4},       {4, 4, SP_CELL_TET, 4},
    {5, 8, SP_CELL_HEX, 8},        {6, 6, SP_CELL_WEDGE, 6},      {7, 5, SP_CELL_PYRAMID, 5},    {8, 3, SP_CELL_LINE3, 3},
    {9, 6, SP_CELL_TRIANGLE6, 6},  {10, 9, SP_CELL_QUAD, 4},      {11, 10, SP_CELL_TET10, 10},   {12, 27, SP_CELL_HEX, 8},
    {13, 18, SP_CELL_WEDGE, 6},    {14, 14, SP_CELL_PYRAMID, 5},  {15, 1, SP_CELL_POINT, 1},     {16, 8, SP_CELL_QUAD, 4},
    {17, 20, SP_CELL_HEX, 8},      {18, 15, SP_CELL_WEDGE, 6},    {19, 13, SP_CELL_PYRAMID, 5},  {20, 9, SP_CELL_TRIANGLE, 3},
    {21, 10, SP_CELL_TRIANGLE, 3}, {22, 12, SP_CELL_TRIANGLE, 3}, {23, 15, SP_CELL_TRIANGLE, 3}, {24, 15, SP_CELL_TRIANGLE, 3},
    {25, 21, SP_CELL_TRIANGLE, 3}, {26, 4, SP_CELL_LINE, 2},      {27, 5, SP_CELL_LINE, 2},      {28, 6, SP_CELL_LINE, 2},
    {29, 20, SP_CELL_TET, 4},      {30, 35, SP_CELL_TET, 4},      {31, 56, SP_CELL_TET, 4},      {92, 64, SP_CELL_HEX, 8},
    {93, 125, SP_CELL_HEX, 8},
};

const sp_msh_kind *sp__msh_kind(int64_t type) {
    if (type >= 1 && type <= 31) return &kinds[type - 1];
    return type == 92 || type == 93 ? &kinds[type - 92 + 31] : NULL;
}

int sp__msh_type_of(int cell) {
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++)
        if (kinds[i].cell == cell && kinds[i].kept == kinds[i].nodes) return kinds[i].type;
    return 0;
}

void sp__msh_reorder(int cell, int *nodes) {
    if (cell != SP_CELL_TET10) return;
    int swap = nodes[8];
    nodes[8] = nodes[9], nodes[9] = swap;
}
