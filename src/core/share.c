#include "core/share.h"

enum { BUCKETS = 1 << 10 };  // a world of ten bodies has some hundred constant arrays

_Static_assert(sizeof(sp_block) <= SP_BLOCK_HEADER, "the header of a block holds sp_block");

struct sp_share {
    sp_context *ctx;
    pthread_mutex_t lock;
    sp_block *bucket[BUCKETS];  // by hash
    size_t constant;            // bytes
    atomic_size_t bytes;
};

sp_status sp__share_create(sp_context *ctx, sp_share **out) {
    sp_share *s;
    *out = NULL;
    if (!SP_NEW(ctx, s, 1)) return SP_NO_MEMORY;
    s->ctx = ctx;
    atomic_init(&s->bytes, 0);
    if (pthread_mutex_init(&s->lock, NULL) != 0) {
        sp__free(ctx, s);
        return SP_NO_MEMORY;
    }
    *out = s;
    return SP_OK;
}

void sp__share_destroy(sp_share **share) {
    sp_share *s = *share;
    if (!s) return;
    SP_ASSERT(atomic_load(&s->bytes) == 0);
    pthread_mutex_destroy(&s->lock);
    sp__free(s->ctx, s);
    *share = NULL;
}

void sp__share_bytes(sp_share *s, size_t *all, size_t *constant) {
    pthread_mutex_lock(&s->lock);
    *constant = s->constant;
    pthread_mutex_unlock(&s->lock);
    *all = atomic_load(&s->bytes);
}

void sp__share_count(const sp_context *ctx, sp_block *b) {
    b->share = ctx->share;
    if (b->share) atomic_fetch_add_explicit(&b->share->bytes, b->size, memory_order_relaxed);
}

static const void *content_of(const sp_block *b) {
    return (const char *)b + SP_BLOCK_HEADER;
}

// the size is a multiple of 64 bytes, and the bytes behind the array are zero
static uint64_t content_hash(const sp_block *b) {
    uint64_t sum = 0, word;
    const unsigned char *bytes = content_of(b);
    for (size_t i = 0; i < b->size - SP_BLOCK_HEADER; i += sizeof word) {
        memcpy(&word, bytes + i, sizeof word);
        sum += sp__mix(word, i);
    }
    return sum;
}

static sp_block **bucket_of(sp_share *s, uint64_t hash) {
    return &s->bucket[hash % BUCKETS];
}

static sp_block *find_equal(sp_share *s, const sp_block *own) {
    for (sp_block *b = *bucket_of(s, own->hash); b; b = b->next)
        if (b->hash == own->hash && b->size == own->size &&
            memcmp(content_of(b), content_of(own), own->size - SP_BLOCK_HEADER) == 0)
            return b;
    return NULL;
}

void *sp__share(sp_context *ctx, void *memory) {
    sp_share *s = ctx->share;
    if (!s || !memory || sp__block_of(memory)->users > 0) return memory;
    sp_block *own = sp__block_of(memory);
    own->hash = content_hash(own);
    pthread_mutex_lock(&s->lock);
    sp_block *equal = find_equal(s, own);
    if (equal) {
        equal->users++;
    } else {
        sp_block **at = bucket_of(s, own->hash);
        own->users = 1, own->next = *at, *at = own;
        s->constant += own->size;
    }
    pthread_mutex_unlock(&s->lock);
    if (!equal) return memory;
    sp__free(ctx, memory);
    return (char *)equal + SP_BLOCK_HEADER;
}

// under the lock; false: others use the array
static bool leave_constant(sp_share *s, sp_block *b) {
    if (--b->users > 0) return false;
#ifdef SP_VALIDATE
    SP_ASSERT(content_hash(b) == b->hash);
#endif
    sp_block **at = bucket_of(s, b->hash);
    while (*at != b) at = &(*at)->next;
    *at = b->next;
    s->constant -= b->size;
    return true;
}

bool sp__share_leave(sp_block *b) {
    sp_share *s = b->share;
    bool last = true;
    if (!s) return true;
    pthread_mutex_lock(&s->lock);
    if (b->users > 0) last = leave_constant(s, b);
    pthread_mutex_unlock(&s->lock);
    if (last) atomic_fetch_sub_explicit(&s->bytes, b->size, memory_order_relaxed);
    return last;
}
