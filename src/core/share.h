// Constant arrays that the worlds of a batch share (docs/batch.md).
//
// Worlds of a batch are built one by one, and each computes its own meshes, patterns, stencils, orderings and tables. An array
// that will not change any more is then exchanged for the one of an earlier world with the same bytes, if there is one, and its
// own memory is freed. So worlds share what is equal, whether they were built by the same calls or not, and no function above
// this file knows of more than one world.
//
// A shared array is read-only, and any thread may read it. A world that needs another content replaces the array by one of its
// own (copy on write) and frees its share of the old one. Builds with SP_VALIDATE compare the content with its hash when the last
// user frees it.
#ifndef SP_SHARE_H
#define SP_SHARE_H

#include "core/core.h"

enum { SP_BLOCK_HEADER = 64 };

typedef struct sp_share sp_share;  // of a batch: its constant arrays, and a count of its memory

// The start of the header of every block of a context.
typedef struct sp_block {
    size_t size;            // with the header
    sp_share *share;        // of the batch for which it was allocated; NULL: none
    struct sp_block *next;  // constant arrays, protected by the lock of the share
    uint64_t hash;
    size_t users;  // 0: not constant, one owner
} sp_block;

static inline sp_block *sp__block_of(const void *memory) {
    return (sp_block *)((uintptr_t)memory - SP_BLOCK_HEADER);
}

sp_status sp__share_create(sp_context *ctx, sp_share **out);
// Nothing may be shared any more. Sets the pointer to NULL; accepts NULL.
void sp__share_destroy(sp_share **share);
// Bytes that are allocated for the batch; those of its constant arrays, each counted once.
void sp__share_bytes(sp_share *share, size_t *all, size_t *constant);

// Makes a branch of a context that of a world of the batch: its work runs on the thread that uses it, and no job goes to the
// background thread.
static inline void sp__context_branch_share(sp_context *branch, sp_share *share) {
    branch->share = share;
}

// Returns an array with the same bytes, of the same size: another one, and `memory` is freed; or `memory`, which others may share
// from now on. Where the context belongs to no batch, or memory is NULL: `memory`.
void *sp__share(sp_context *ctx, void *memory);
#define SP_SHARE(ctx, pointer) ((pointer) = sp__share((ctx), (pointer)))

// For sp_context_alloc and sp_context_free. Accept a context and a block of no batch.
void sp__share_count(const sp_context *ctx, sp_block *block);
bool sp__share_leave(sp_block *block);  // false: the block has other users, and stays

#endif
