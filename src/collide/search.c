// One search: trees, pairs, candidates, contacts, in an order that depends on their keys alone.
#include "collide/collide_internal.h"

enum { GROUPS_PER_TASK = 64 };

// ---------------------------------------------------------------------------------------------------- candidates

static sp_candidate_type record_type(const sp_record *r) {
    return (sp_candidate_type)(r->group & ((1 << SP_CANDIDATE_BITS) - 1));
}

// Edges of two colliders: no other candidate is compared with a pair of them, so their order does not matter, and all methods
// but the hash, whose items are in several cells, find each pair once.
static bool record_is_single(const sp_collide *set, sp_broad method, const sp_record *r) {
    return method != SP_BROAD_HASH && record_type(r) == SP_CANDIDATE_EDGES && !set->pairs[r->group >> SP_CANDIDATE_BITS].self;
}

// Candidates without the gaps of unfinished blocks and without repetitions: first those that are sorted, then the others.
static sp_status search_sort(sp_collide *set, sp_broad method, int *count) {
    const sp_record *all = set->candidates.data;
    int taken = atomic_load(&set->candidates.taken), n = 0, unique = 0, single = 0;
    SP_TRY(sp__collide_sorting(set, taken));
    sp_record *sorted = set->sorted[0], *singles = set->sorted[1];
    for (int i = 0; i < taken; i++) {
        if (all[i].group == UINT64_MAX) continue;
        *(record_is_single(set, method, &all[i]) ? &singles[single++] : &sorted[n++]) = all[i];
    }
    sp__records_sort(sorted, singles + single, n);
    for (int i = 0; i < n; i++)
        if (i == 0 || sorted[i].group != sorted[i - 1].group || sorted[i].features != sorted[i - 1].features)
            sorted[unique++] = sorted[i];
    memcpy(sorted + unique, singles, (size_t)single * sizeof *singles);
    *count = unique + single;
    return SP_OK;
}

static bool same_group(const sp_record *a, const sp_record *b) {
    bool vertices = record_type(a) <= SP_CANDIDATE_B;
    return a->group == b->group && vertices && a->features >> 32 == b->features >> 32;
}

// A group is what one call of the narrow phase gets: all items near a vertex, or one pair of edges.
static sp_status search_groups(sp_collide *set, int count, int *groups) {
    const sp_record *r = set->sorted[0];
    SP_TRY(sp__collide_grow(set, &set->groups, sizeof *set->groups, &set->group_capacity, (long)count + 1));
    *groups = 0;
    for (int i = 0; i < count; i++)
        if (i == 0 || !same_group(&r[i], &r[i - 1])) set->groups[(*groups)++] = i;
    set->groups[*groups] = count;
    return SP_OK;
}

// ---------------------------------------------------------------------------------------------------- contacts

typedef struct search_job {
    sp_collide *set;
    const sp_collide_options *options;
    int groups;
} search_job;

static void narrow_group(sp_collide *set, const sp_collide_options *o, const sp_record *r, int count, sp_block *own) {
    int pair = (int)(r->group >> SP_CANDIDATE_BITS);
    const sp_collide_pair *p = &set->pairs[pair];
    sp_narrow n = {.set = set, .options = o, .pair = p, .pair_number = pair, .own = own};
    n.a = &set->colliders[p->a], n.b = &set->colliders[p->b];
    n.moves = n.a->x[0] != n.a->x[1] || n.b->x[0] != n.b->x[1];
    uint32_t first = (uint32_t)(r->features >> 32), second = (uint32_t)r->features;
    switch (record_type(r)) {
    case SP_CANDIDATE_A: sp__narrow_vertex(&n, false, r, count); break;
    case SP_CANDIDATE_B: sp__narrow_vertex(&n, true, r, count); break;
    case SP_CANDIDATE_EDGES: sp__narrow_edges(&n, first, second); break;
    case SP_CANDIDATE_PLANE: sp__narrow_plane(&n, first); break;
    case SP_CANDIDATE_FIELD_A: sp__narrow_field(&n, false, first); break;
    case SP_CANDIDATE_FIELD_B: sp__narrow_field(&n, true, first); break;
    }
}

static void narrow_task(void *user, int task, int worker) {
    const search_job *job = user;
    sp_collide *set = job->set;
    int end = (task + 1) * GROUPS_PER_TASK;
    sp_block own = {0};
    (void)worker;
    for (int g = task * GROUPS_PER_TASK; g < end && g < job->groups; g++)
        narrow_group(set, job->options, set->sorted[0] + set->groups[g], set->groups[g + 1] - set->groups[g], &own);
    sp__block_close(&set->contacts, &own);
}

// Candidates of single pairs of edges have no fixed order, so the task that compares them, and the gaps in the blocks of a task,
// depend on the workers. The memory must not: it is enough for every order.
static sp_status narrow_pass(sp_collide *set, const sp_collide_options *o, int groups) {
    search_job job = {set, o, groups};
    sp_blocks *b = &set->contacts;
    const int tasks = (groups + GROUPS_PER_TASK - 1) / GROUPS_PER_TASK;
    long need = 0;
    for (int pass = 0; pass < 2; pass++) {
        atomic_store(&b->taken, 0), atomic_store(&b->gaps, 0);
        sp__parallel(set->ctx, tasks, narrow_task, &job);
        need = atomic_load(&b->taken) - atomic_load(&b->gaps) + (SP_BLOCK - 1L) * tasks;
        if (need <= b->capacity) break;
        SP_TRY(sp__collide_grow(set, &b->data, b->size, &b->capacity, need));
    }
    return sp__collide_sorting(set, need);  // the candidates are not needed any more
}

// places of contacts in set->contacts, sorted by key, without repetitions
static sp_status contacts_sort(sp_collide *set, int *count) {
    const sp_contact_made *made = set->contacts.data;
    int taken = atomic_load(&set->contacts.taken), n = 0, unique = 0;
    sp_record *r = set->sorted[0];
    for (int i = 0; i < taken; i++)
        if (made[i].found.key[0] != UINT64_MAX)
            r[n++] = (sp_record){made[i].found.key[0], made[i].found.key[1], (uint64_t)made[i].source << 32 | (uint64_t)i};
    sp__records_sort(r, set->sorted[1], n);
    for (int i = 0; i < n; i++)
        if (unique == 0 || r[i].group != r[unique - 1].group || r[i].features != r[unique - 1].features) r[unique++] = r[i];
    *count = unique;
    return SP_OK;
}

// ---------------------------------------------------------------------------------------------------- manifolds

static const sp_contact_made *contact_made(const sp_collide *set, const sp_record *r) {
    return (const sp_contact_made *)set->contacts.data + (uint32_t)r->place;
}

// Of the flat edges of a pair that overlap, the deepest are a contact in this search, and others in the next ones if they still
// overlap then. This exchange method (Hettich and Kortanek 1993) ends with the few contacts that hold two pressed faces apart;
// all of them together are more than the faces have degrees of freedom.
static sp_status contacts_exchange(sp_collide *set, int *count) {
    SP_TRY(sp__collide_grow(set, &set->lists, sizeof *set->lists, &set->list_capacity, set->pair_count));
    int *deepest = set->lists, kept = 0;
    sp_record *r = set->sorted[0];
    for (int i = 0; i < set->pair_count; i++) deepest[i] = -1;
    for (int i = 0; i < *count; i++) {
        const sp_contact_made *now = contact_made(set, &r[i]);
        int *best = &deepest[now->pair];
        if (now->flat && (*best < 0 || now->found.distance0 < contact_made(set, &r[*best])->found.distance0)) *best = i;
    }
    for (int i = 0; i < *count; i++) {
        const sp_contact_made *now = contact_made(set, &r[i]);
        if (!now->flat || deepest[now->pair] == i) r[kept++] = r[i];
    }
    *count = kept;
    return SP_OK;
}

// Reduces the contacts of the pairs that ask for it: lists by pair (counting sort), then marks what is dropped.
static sp_status contacts_reduce(sp_collide *set, int *count) {
    bool any = false;
    for (int i = 0; i < set->pair_count; i++) any |= set->pairs[i].rule.manifold > 0;
    if (!any) return SP_OK;
    SP_TRY(sp__collide_grow(set, &set->lists, sizeof *set->lists, &set->list_capacity, (long)*count + set->pair_count + 2));
    int *start = set->lists, *list = start + set->pair_count + 2, kept = 0;
    sp_record *r = set->sorted[0];
    memset(start, 0, ((size_t)set->pair_count + 2) * sizeof *start);
    for (int i = 0; i < *count; i++) start[contact_made(set, &r[i])->pair + 2]++;
    for (int i = 0; i < set->pair_count; i++) start[i + 2] += start[i + 1];
    for (int i = 0; i < *count; i++) list[start[contact_made(set, &r[i])->pair + 1]++] = i;
    for (int i = 0; i < set->pair_count; i++)
        if (set->pairs[i].rule.manifold > 0) sp__manifold_reduce(set, &set->pairs[i], list + start[i], start[i + 1] - start[i]);
    for (int i = 0; i < *count; i++)
        if (r[i].group != UINT64_MAX) r[kept++] = r[i];
    *count = kept;
    return SP_OK;
}

// ---------------------------------------------------------------------------------------------------- the search

static sp_status search_reserve(sp_collide *set, int contacts) {
    sp_blocks *b = &set->contacts;
    if (contacts <= 0) return SP_OK;
    SP_TRY(sp__collide_grow(set, &set->out, sizeof *set->out, &set->out_capacity, contacts));
    SP_TRY(sp__collide_grow(set, &b->data, b->size, &b->capacity, contacts));
    return sp__collide_sorting(set, contacts);
}

static sp_status search_run(sp_collide *set, const sp_collide_options *o, sp_found *found) {
    double start = sp__now_ms(), now;
    int groups;
    SP_TRY(search_reserve(set, o->reserve));
    SP_TRY(sp__bvh_update(set, &found->rebuilt));
    found->refit_ms = (now = sp__now_ms()) - start, start = now;
    SP_TRY(sp__broad_pairs(set, o));
    SP_TRY(sp__broad_candidates(set, o));
    SP_TRY(search_sort(set, o->broad, &found->candidates));
    found->broad_ms = (now = sp__now_ms()) - start, start = now;
    SP_TRY(search_groups(set, found->candidates, &groups));
    SP_TRY(narrow_pass(set, o, groups));
    SP_TRY(contacts_sort(set, &found->count));
    SP_TRY(contacts_exchange(set, &found->count));
    SP_TRY(contacts_reduce(set, &found->count));
    SP_TRY(sp__collide_grow(set, &set->out, sizeof *set->out, &set->out_capacity, found->count));
    for (int i = 0; i < found->count; i++) set->out[i] = contact_made(set, &set->sorted[0][i])->found;
    found->narrow_ms = sp__now_ms() - start;
    return SP_OK;
}

sp_status sp__collide_find(sp_collide *set, const sp_collide_options *o, sp_found *found) {
    *found = (sp_found){0};
    if (!(o->rule.alarm >= 0 && o->rule.alarm < INFINITY && o->rule.depth >= 0 && o->rule.depth < INFINITY))
        return SP_FAIL(set->ctx, SP_BAD_INPUT, "alarm = %g and depth = %g, must be >= 0 and finite", o->rule.alarm,
                       o->rule.depth);
    if (!(o->cell >= 0 && o->cell < INFINITY))
        return SP_FAIL(set->ctx, SP_BAD_INPUT, "cell = %g, must be >= 0 and finite", o->cell);
    set->grown = false;
    sp_status status = search_run(set, o, found);
    found->contacts = set->out, found->grown = set->grown, found->pairs = set->pair_count;
    if (status < 0) found->count = 0;
    return status;
}

// ---------------------------------------------------------------------------------------------------- inside a surface

// True if an edge crosses the ray from p along +x, in the xy plane. The ends are ordered first, so that both faces at an edge get
// bitwise the same result and no point falls between two neighbours.
static bool edge_crosses(const double *a, const double *b, const double p[3]) {
    if ((a[1] > p[1]) == (b[1] > p[1])) return false;
    const double *low = a[1] > b[1] ? b : a, *high = a[1] > b[1] ? a : b;
    return p[0] < low[0] + (p[1] - low[1]) * (high[0] - low[0]) / (high[1] - low[1]);
}

// true if the ray from p along +z meets the face
static bool face_above(const double *a, const double *b, const double *c, const double p[3]) {
    if (a[2] <= p[2] && b[2] <= p[2] && c[2] <= p[2]) return false;
    if ((edge_crosses(a, b, p) != edge_crosses(b, c, p)) == edge_crosses(c, a, p)) return false;
    double u[3], v[3], n[3];
    sp__sub3(b, a, u), sp__sub3(c, a, v), sp__cross3(u, v, n);
    return n[2] != 0 && a[2] - (n[0] * (p[0] - a[0]) + n[1] * (p[1] - a[1])) / n[2] > p[2];
}

// point in polyhedron: an odd number of faces above (Jordan)
bool sp__collider_contains(const sp_collide *set, int index, const double point[3]) {
    const sp_collider *c = &set->colliders[index];
    const sp_bvh *t = &c->tree;
    int stack[SP_BVH_LEVELS + 4], top = 0;
    bool inside = false;
    if (!c->used || !c->placed || c->corners != 3) return false;
    stack[top++] = 0;
    while (top > 0) {
        int node = stack[--top];
        const sp_bvh_box *box = &t->nodes[node];
        double x = point[0] - set->origin[0], y = point[1] - set->origin[1], z = point[2] - set->origin[2];
        if (x < (double)box->low[0] || x > (double)box->high[0] || y < (double)box->low[1] || y > (double)box->high[1] ||
            z > (double)box->high[2])
            continue;
        if (node < t->leaves - 1) {
            stack[top++] = 2 * node + 2, stack[top++] = 2 * node + 1;
            continue;
        }
        for (int i = (node - t->leaves + 1) * SP_BVH_LEAF, k = 0; k < SP_BVH_LEAF && i < c->def.item_count; i++, k++) {
            const uint32_t *v = sp__collider_item(c, (uint32_t)t->order[i]);
            const double *x0 = c->x[0];
            inside ^= face_above(x0 + 3 * (size_t)v[0], x0 + 3 * (size_t)v[1], x0 + 3 * (size_t)v[2], point);
        }
    }
    return inside;
}
