#include "core/share.h"

enum { BUCKETS = 1 << 10 };  // a world of ten bodies has some hundred constant arrays

_Static_assert(sizeof(sp_memory_block) <= SP_BLOCK_HEADER, "the header of a block holds sp_memory_block");

struct sp_share {
    sp_context *ctx;
    pthread_mutex_t lock;
    sp_memory_block *bucket[BUCKETS];  // by hash
    size_t constant;                   // bytes
    atomic_size_t bytes, lent;
};

sp_status sp__share_create(sp_context *ctx, sp_share **out) {
    sp_share *s;
    *out = NULL;
    if (!SP_NEW(ctx, s, 1)) return SP_NO_MEMORY;
    s->ctx = ctx;
    atomic_init(&s->bytes, 0), atomic_init(&s->lent, 0);
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

void sp__share_bytes(sp_share *s, size_t *all, size_t *constant, size_t *lent) {
    pthread_mutex_lock(&s->lock);
    *constant = s->constant;
    pthread_mutex_unlock(&s->lock);
    *all = atomic_load(&s->bytes), *lent = atomic_load(&s->lent);
}

void sp__share_count(const sp_context *ctx, sp_memory_block *b) {
    b->share = ctx->share;
    if (b->share) atomic_fetch_add_explicit(&b->share->bytes, b->size, memory_order_relaxed);
}

static const void *content_of(const sp_memory_block *b) {
    return (const char *)b + SP_BLOCK_HEADER;
}

// the size is a multiple of 64 bytes, and the bytes behind the array are zero
static uint64_t content_hash(const sp_memory_block *b) {
    uint64_t sum = 0, word;
    const unsigned char *bytes = content_of(b);
    for (size_t i = 0; i < b->size - SP_BLOCK_HEADER; i += sizeof word) {
        memcpy(&word, bytes + i, sizeof word);
        sum += sp__mix(word, i);
    }
    return sum;
}

static sp_memory_block **bucket_of(sp_share *s, uint64_t hash) {
    return &s->bucket[hash % BUCKETS];
}

static sp_memory_block *find_equal(sp_share *s, const sp_memory_block *own) {
    for (sp_memory_block *b = *bucket_of(s, own->hash); b; b = b->next)
        if (b->hash == own->hash && b->size == own->size &&
            memcmp(content_of(b), content_of(own), own->size - SP_BLOCK_HEADER) == 0)
            return b;
    return NULL;
}

void *sp__share(sp_context *ctx, void *memory) {
    sp_share *s = ctx->share;
    if (!s || !memory) return memory;
    sp_memory_block *own = sp__block_of(memory);
    SP_ASSERT(own->users == 0);
    own->hash = content_hash(own);
    pthread_mutex_lock(&s->lock);
    sp_memory_block *equal = find_equal(s, own);
    if (equal) {
        equal->users++;
    } else {
        sp_memory_block **at = bucket_of(s, own->hash);
        own->users = 1, own->next = *at, *at = own;
        s->constant += own->size;
    }
    pthread_mutex_unlock(&s->lock);
    if (!equal) return memory;
    sp__free(ctx, memory);
    return (char *)equal + SP_BLOCK_HEADER;
}

// under the lock; false: others use the array
static bool leave_constant(sp_share *s, sp_memory_block *b) {
    if (--b->users > 0) return false;
#ifdef SP_VALIDATE
    SP_ASSERT(content_hash(b) == b->hash);
#endif
    sp_memory_block **at = bucket_of(s, b->hash);
    while (*at != b) at = &(*at)->next;
    *at = b->next;
    s->constant -= b->size;
    return true;
}

static bool leave_lane(const sp_context *ctx, sp_memory_block *b);

bool sp__share_leave(const sp_context *ctx, sp_memory_block *b) {
    sp_share *s = b->share;
    bool last = true;
    if (!s) return true;
    if (b->lane && !leave_lane(ctx, b)) return false;
    pthread_mutex_lock(&s->lock);
    if (b->users > 0) last = leave_constant(s, b);
    pthread_mutex_unlock(&s->lock);
    if (last) atomic_fetch_sub_explicit(&s->bytes, b->size, memory_order_relaxed);
    return last;
}

// ---------------------------------------------------------------------------------------------------- lanes

struct sp_lane {
    sp_share *share;
    int worlds;
    sp_memory_block *lent;
};

sp_status sp__lane_create(sp_share *share, int worlds, sp_lane **out) {
    sp_lane *lane;
    *out = NULL;
    if (!SP_NEW(share->ctx, lane, 1)) return SP_NO_MEMORY;
    *lane = (sp_lane){.share = share, .worlds = worlds};
    *out = lane;
    return SP_OK;
}

void sp__lane_destroy(sp_lane **lane) {
    if (!*lane) return;
    SP_ASSERT(!(*lane)->lent);
    sp__free((*lane)->share->ctx, *lane);
    *lane = NULL;
}

void sp__lane_spoil(sp_lane *lane) {
    (void)lane;
#ifdef SP_VALIDATE
    for (sp_memory_block *b = lane->lent; b; b = b->next) memset((char *)b + SP_BLOCK_HEADER, 0xff, b->size - SP_BLOCK_HEADER);
#endif
}

void sp__context_branch_share(sp_context *branch, sp_lane *lane) {
    branch->lane = lane, branch->share = lane->share;
}

// the place of a world among those that have the array, or the first free place
static int borrower_place(const sp_memory_block *b, const sp_context *ctx) {
    int i = 0;
    while (i < b->lane->worlds && b->borrowers[i] && b->borrowers[i] != ctx) i++;
    return i;
}

// The smallest array that the world has not and that is large enough, but not twice as large; NULL: none.
static sp_memory_block *find_lent(const sp_context *ctx, const sp_memory_block *own) {
    sp_memory_block *best = NULL;
    for (sp_memory_block *b = ctx->lane->lent; b; b = b->next) {
        if (b->size < own->size || b->size / 2 > own->size || (best && b->size >= best->size)) continue;
        const int i = borrower_place(b, ctx);
        if (i < b->lane->worlds && b->borrowers[i] != ctx) best = b;
    }
    return best;
}

void *sp__lend(sp_context *ctx, void *memory) {
    sp_lane *lane = ctx->lane;
    if (!lane || !memory || sp__block_of(memory)->lane) return memory;
    sp_memory_block *own = sp__block_of(memory), *lent = find_lent(ctx, own);
    if (lent) {
        lent->borrowers[borrower_place(lent, ctx)] = ctx;
        sp__free(ctx, memory);
        return (char *)lent + SP_BLOCK_HEADER;
    }
    // without memory for the list it stays the world's own
    if (!(own->borrowers = sp__alloc(lane->share->ctx, (size_t)lane->worlds, sizeof *own->borrowers))) return memory;
    own->borrowers[0] = ctx;
    own->lane = lane, own->next = lane->lent, lane->lent = own;
    atomic_fetch_add_explicit(&own->share->lent, own->size, memory_order_relaxed);
    return memory;
}

// false: other worlds have the array
static bool leave_lane(const sp_context *ctx, sp_memory_block *b) {
    int last = b->lane->worlds - 1;
    const int place = borrower_place(b, ctx);
    SP_ASSERT(place < b->lane->worlds && b->borrowers[place] == ctx);
    while (last > 0 && !b->borrowers[last]) last--;
    b->borrowers[place] = b->borrowers[last], b->borrowers[last] = NULL;
    if (b->borrowers[0]) return false;
    sp_memory_block **at = &b->lane->lent;
    while (*at != b) at = &(*at)->next;
    *at = b->next;
    atomic_fetch_sub_explicit(&b->share->lent, b->size, memory_order_relaxed);
    sp__free(b->share->ctx, (void *)b->borrowers);
    return true;
}
