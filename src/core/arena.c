// Scratch of a step. While it warms up, a block that is too small gets a bigger one in front; the reset then replaces them all by
// one block as big as everything that was asked for, and from then on nothing is allocated.
#include "core/core.h"

enum { ALIGN = 64, FIRST_BLOCK = 1 << 16 };

struct sp_arena_block {
    sp_arena_block *older;
    size_t size;  // bytes behind the header, which fills one cache line
};

static char *data_of(sp_arena_block *block) {
    return (char *)block + ALIGN;
}

static sp_arena_block *new_block(sp_arena *arena, size_t size) {
    if (size > SIZE_MAX - ALIGN) return NULL;
    sp_arena_block *block = sp__alloc(arena->ctx, size + ALIGN, 1);
    if (!block) return NULL;
    block->older = arena->block;
    block->size = size;
    arena->block = block;
    arena->used = 0;
    return block;
}

static void free_blocks(sp_arena *arena) {
    while (arena->block) {
        sp_arena_block *older = arena->block->older;
        sp__free(arena->ctx, arena->block);
        arena->block = older;
    }
    arena->used = 0;
}

void *sp__arena_push(sp_arena *arena, size_t n, size_t size) {
    if (size && n > (SIZE_MAX / 4) / size) return NULL;
    size_t bytes = (n * size + ALIGN - 1) / ALIGN * ALIGN;
    if (!arena->block || bytes > arena->block->size - arena->used) {
        size_t doubled = arena->block && arena->block->size < SIZE_MAX / 4 ? 2 * arena->block->size : FIRST_BLOCK;
        // where the doubled size is refused the bare need may still fit
        if (!new_block(arena, bytes > doubled ? bytes : doubled) && (bytes >= doubled || !new_block(arena, bytes))) return NULL;
    }
    void *memory = data_of(arena->block) + arena->used;
    arena->used += bytes;
    arena->total += bytes;
    return memory;
}

void sp__arena_reset(sp_arena *arena) {
    if (arena->block && arena->block->older) {
        free_blocks(arena);
        // a refusal here costs only another warm-up
        new_block(arena, arena->total);
    }
    arena->used = arena->total = 0;
}

void sp__arena_free(sp_arena *arena) {
    free_blocks(arena);
    arena->total = 0;
}
