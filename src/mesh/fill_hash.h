// Hash table from 64-bit keys to integers: open addressing, grows by doubling. Entries can be replaced but not removed.
#ifndef SP_FILL_HASH_H
#define SP_FILL_HASH_H

#include "core/core.h"

typedef struct sp_hash {
    uint64_t *keys;  // key + 1; 0: free
    int *values;
    int bits, count;
} sp_hash;

// The value of a key, or -1.
int sp__hash_get(const sp_hash *h, uint64_t key);
// false: no memory
bool sp__hash_put(sp_context *ctx, sp_hash *h, uint64_t key, int value);
void sp__hash_free(sp_context *ctx, sp_hash *h);

#endif
