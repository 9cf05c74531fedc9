// What the worlds of a batch share (docs/batch.md): constant arrays, and scratch.
//
// Worlds of a batch are built one by one, and each computes its own meshes, patterns, stencils, orderings and tables. An array
// that will not change any more is then exchanged for the one of an earlier world with the same bytes, if there is one, and its
// own memory is freed. So worlds share what is equal, whether they were built by the same calls or not, and no function above
// this file knows of more than one world.
//
// A shared array is read-only, and any thread may read it. A world that needs another content replaces the array by one of its
// own (copy on write) and frees its share of the old one. Builds with SP_VALIDATE compare the content with its hash when the last
// user frees it.
//
// Worlds that never run at the same time are a lane. An array whose content is dead whenever no function of the world runs is
// lent: the worlds of a lane have it in common. Builds with SP_VALIDATE fill lent arrays with NaN whenever a function of a world
// begins, so that what is not scratch changes the result.
#ifndef SP_SHARE_H
#define SP_SHARE_H

#include "core/core.h"

enum { SP_BLOCK_HEADER = 64 };

typedef struct sp_share sp_share;  // of a batch: its constant arrays, and a count of its memory
typedef struct sp_lane sp_lane;    // its lent arrays

// The start of the header of every block of a context.
typedef struct sp_memory_block {
    size_t size;                   // with the header
    sp_share *share;               // of the batch for which it was allocated; NULL: none
    struct sp_memory_block *next;  // constant and lent arrays
    // constant arrays, protected by the lock of the share
    uint64_t hash;
    size_t users;  // 0: not constant
    // lent arrays, used by the thread that runs the lane
    sp_lane *lane;                 // NULL: not lent
    const sp_context **borrowers;  // of the worlds that have it
} sp_memory_block;

static inline sp_memory_block *sp__block_of(const void *memory) {
    return (sp_memory_block *)((uintptr_t)memory - SP_BLOCK_HEADER);
}

sp_status sp__share_create(sp_context *ctx, sp_share **out);
// Nothing may be shared any more. Sets the pointer to NULL; accepts NULL.
void sp__share_destroy(sp_share **share);
// Bytes that are allocated for the batch; of these: constant arrays, lent arrays.
void sp__share_bytes(sp_share *share, size_t *all, size_t *constant, size_t *lent);

// A lane of at most `worlds` worlds. It is destroyed after them.
sp_status sp__lane_create(sp_share *share, int worlds, sp_lane **out);
void sp__lane_destroy(sp_lane **lane);
void sp__lane_spoil(sp_lane *lane);  // with SP_VALIDATE: fills the lent arrays with NaN

// Makes a branch of a context that of a world of a batch: its work runs on the thread that uses it, and no job goes to the
// background thread.
void sp__context_branch_share(sp_context *branch, sp_lane *lane);

// Once for an array: returns one with the same bytes, of the same size: another one, and `memory` is freed; or `memory`, which
// others may share from now on. Where the context belongs to no batch, or memory is NULL: `memory`.
void *sp__share(sp_context *ctx, void *memory);
#define SP_SHARE(ctx, pointer) ((pointer) = sp__share((ctx), (pointer)))

// Returns an array of at least the same size whose content is undefined: one that other worlds of the lane have, and this one has
// not, and `memory` is freed; or `memory`, which others may have from now on. Where the context belongs to no batch, or memory is
// NULL: `memory`. The content must be dead between two calls on the world, and the array not be exchanged with one that is kept.
void *sp__lend(sp_context *ctx, void *memory);
#define SP_LEND(ctx, pointer) ((pointer) = sp__lend((ctx), (pointer)))

// For sp_context_alloc and sp_context_free. Accept a context and a block of no batch.
void sp__share_count(const sp_context *ctx, sp_memory_block *block);
bool sp__share_leave(const sp_context *ctx, sp_memory_block *block);  // false: the block has other users, and stays

#endif
