// Arrays that parallel tasks fill, and their sort. A task appends to blocks of its own, so that the number of entries taken
// depends on the tasks alone, not on the workers that run them; the sort then gives an order that depends on the keys alone.
#include "collide/collide_internal.h"

void *sp__block_next(sp_blocks *b, sp_block *own) {
    if (own->next == own->end) {
        own->next = atomic_fetch_add_explicit(&b->taken, SP_BLOCK, memory_order_relaxed);
        own->end = own->next + SP_BLOCK;
    }
    int at = own->next++;
    return own->end <= b->capacity ? (char *)b->data + (size_t)at * b->size : NULL;
}

void sp__block_close(sp_blocks *b, const sp_block *own) {
    atomic_fetch_add_explicit(&b->gaps, own->end - own->next, memory_order_relaxed);
    if (own->end > b->capacity) return;
    for (int i = own->next; i < own->end; i++) memset((char *)b->data + (size_t)i * b->size, 0xff, sizeof(uint64_t));
}

// ---------------------------------------------------------------------------------------------------- radix sort

enum { RADIX = 256, DIGITS = 24, INSERTION = 32 };

static bool record_less(const sp_record *a, const sp_record *b) {
    if (a->group != b->group) return a->group < b->group;
    return a->features != b->features ? a->features < b->features : a->place < b->place;
}

static unsigned record_digit(const sp_record *r, int digit) {
    uint64_t word = digit < 8 ? r->place : digit < 16 ? r->features : r->group;
    return (unsigned)(word >> 8 * (digit % 8)) & (RADIX - 1);
}

static void records_insertion(sp_record *r, int count) {
    for (int i = 1; i < count; i++) {
        sp_record now = r[i];
        int j = i;
        for (; j > 0 && record_less(&now, &r[j - 1]); j--) r[j] = r[j - 1];
        r[j] = now;
    }
}

// Least significant digit first; digits in which all records agree are skipped.
void sp__records_sort(sp_record *records, sp_record *other, int count) {
    if (count <= INSERTION) {
        records_insertion(records, count);
        return;
    }
    sp_record differ = {0}, *from = records, *to = other;
    for (int i = 1; i < count; i++) {
        differ.group |= records[i].group ^ records[0].group;
        differ.features |= records[i].features ^ records[0].features;
        differ.place |= records[i].place ^ records[0].place;
    }
    for (int digit = 0; digit < DIGITS; digit++) {
        int start[RADIX + 1] = {0};
        if (record_digit(&differ, digit) == 0) continue;
        for (int i = 0; i < count; i++) start[record_digit(&from[i], digit) + 1]++;
        for (int i = 0; i < RADIX; i++) start[i + 1] += start[i];
        for (int i = 0; i < count; i++) to[start[record_digit(&from[i], digit)]++] = from[i];
        sp_record *swap = from;
        from = to, to = swap;
    }
    if (from != records) memcpy(records, from, (size_t)count * sizeof *records);
}
