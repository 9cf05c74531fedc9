// Appending of nodes and elements. A solid that has them is the solid that was created, as it was, and a list of additions
// (sp_additions). All inner numbers follow from the two, and do not depend on how many calls brought the list: a new node has the
// next inner number and belongs to the last leaf, a new element takes the next lane of the last chunk of its group; where these
// are full, others follow. So no number of another node or element moves, and no lane, slot of a sum or order of additions.
//
// The solid with a longer list is made beside the one in use: what is per node or element is copied or computed, what is not
// stays with the body. Then the two are exchanged without a failure; exchanged again, all is as before. A checkpoint holds the
// list, and a restore makes the solid of that list in the same way.
#include "solid/solid.h"

// A new chunk of appended elements starts where one would touch more nodes: twice the nodes of a leaf, as a chunk of a good mesh
enum { GROW_TOUCHED = 2 * SP_CHUNK_NODES };

struct sp_growth {
    sp_body *next;     // a body of the same kind, with the arrays that are exchanged
    sp_remains *left;  // of next, not used yet; NULL: nothing was appended or removed
};

typedef struct growing {
    sp_context *ctx;
    sp_body *b, *next;
    const sp_solid *from;  // of b
    sp_solid *s;           // of next
    const sp_additions *add;
    int *first;          // per appended element: its first node in add->node (elements + 1)
    int *group_of;       // per appended element
    int *slot;           // per appended element: slot in its group
    int *owner, *mark;   // per node: the chunk that touched it last, and its local number there
    int *touched;        // nodes of the chunks of a group
    int *start;          // of the chunks of a group in `touched`
    int *chunk_element;  // first appended element of each chunk, in the order of the group
    int *members;        // appended elements of a group
} growing;

// ------------------------------------------------------------------------------------------------ checks

static sp_status grow_refuse(const growing *w, int i, const char *what, int value) {
    return SP_BODY_FAIL(w->b, SP_BAD_INPUT, "element %d of '%s': %s %d", w->s->built.elements + i, w->b->name, what, value);
}

// the groups of the new elements, and where their nodes are
static sp_status find_groups(growing *w) {
    const sp_solid *s = w->s;
    const sp_additions *add = w->add;
    for (int i = 0; i < add->elements; i++) {
        const int like = add->like[i], own = s->built.elements + i;
        if (like < 0 || like >= own)
            return SP_BODY_FAIL(w->b, SP_BAD_INPUT, "element %d of '%s': like = %d, must be in [0, %d]", own, w->b->name, like,
                                own - 1);
        w->group_of[i] = like >= s->built.elements ? w->group_of[like - s->built.elements]
                                                   : (int)(sp__solid_group_of(w->from, w->from->slot_of[like]) - w->from->group);
        w->first[i + 1] = w->first[i] + w->from->group[w->group_of[i]].nodes;
    }
    if (w->first[add->elements] != add->element_nodes)
        return SP_BODY_FAIL(w->b, SP_BAD_INPUT, "the new elements of '%s' have %d nodes, and their types need %d", w->b->name,
                            add->element_nodes, w->first[add->elements]);
    return SP_OK;
}

static const double *grow_rest(const growing *w, int node) {
    const int built = w->s->built.nodes;
    return node < built ? w->from->rest + 3 * (size_t)w->from->inner_node[node] : w->add->rest + 3 * (size_t)(node - built);
}

static sp_status check_volume(const growing *w, int i, sp_element_type type, sp_integration integration, const double *x) {
    double natural[3], weight, limit = sp__element_flat_below(type, x);
    const int corners = sp__element_corners(type), vertex = integration == SP_INTEGRATION_VERTICES ? SP_ELEMENT_VERTEX_POINTS : 0;
    for (int p = 0; p < corners + sp__element_points(type) + vertex; p++) {
        if (p < corners)
            sp_element_natural(type, p, natural);
        else if (p < corners + vertex)
            sp__element_vertex_point(p - corners, natural, &weight);
        else
            sp__element_point(type, p - corners - vertex, natural, &weight);
        const double det = sp__element_det(type, x, natural);
        if (!(det > limit))
            return SP_BODY_FAIL(w->b, SP_BAD_INPUT,
                                "element %d of '%s' is flat or inverted at rest: Jacobian determinant %g m3, must be above %g m3",
                                w->s->built.elements + i, w->b->name, det, limit);
    }
    return SP_OK;
}

static sp_status check_added(growing *w, int i) {
    const sp_solid_group *g = &w->from->group[w->group_of[i]];
    const int *node = w->add->node + w->first[i];
    double x[3 * SP_ELEMENT_NODES_MAX];
    for (int a = 0; a < g->nodes; a++) {
        if (node[a] < 0 || node[a] >= w->s->nodes)
            return SP_BODY_FAIL(w->b, SP_BAD_INPUT, "element %d of '%s': node %d, must be in [0, %d]", w->s->built.elements + i,
                                w->b->name, node[a], w->s->nodes - 1);
        for (int c = 0; c < a; c++)
            if (node[c] == node[a]) return grow_refuse(w, i, "it names a node twice,", node[a]);
        if (node[a] < w->s->built.nodes && w->from->corner_of[w->from->inner_node[node[a]]] == UINT32_MAX)
            return grow_refuse(w, i, "it cannot use a node that had no element when the body was made,", node[a]);
        memcpy(x + 3 * a, grow_rest(w, node[a]), 3 * sizeof *x);
        w->mark[node[a]] = 1;
    }
    return check_volume(w, i, g->type, g->law.integration, x);
}

static sp_status check_additions(growing *w) {
    const sp_solid *s = w->s;
    for (int g = 0; g < w->from->group_count; g++)
        if (w->from->group[g].iso.patches && w->add->elements)
            return SP_BODY_FAIL(w->b, SP_BAD_INPUT, "'%s' has patches of tetrahedra (integration b-bar), which cannot grow",
                                w->b->name);
    for (int i = 0; i < 3 * w->add->nodes; i++)
        if (!isfinite(w->add->rest[i]))
            return SP_BODY_FAIL(w->b, SP_NOT_FINITE, "node %d of '%s': its rest position is not finite", s->built.nodes + i / 3,
                                w->b->name);
    SP_TRY(find_groups(w));
    for (int i = 0; i < w->add->elements; i++) SP_TRY(check_added(w, i));
    for (int i = s->built.nodes; i < s->nodes; i++)
        if (!w->mark[i]) return SP_BODY_FAIL(w->b, SP_BAD_INPUT, "node %d of '%s' belongs to no element", i, w->b->name);
    return SP_OK;
}

// ------------------------------------------------------------------------------------------------ nodes and leaves

static sp_status grow_nodes(growing *w) {
    sp_solid *s = w->s;
    const sp_solid *from = w->from;
    const int built = s->built.nodes, leaves = s->built.leaf_count;
    s->leaf_count = leaves + (s->nodes - built + SP_CHUNK_NODES - 1) / SP_CHUNK_NODES;
    if (!SP_NEW(w->ctx, s->user_node, s->nodes) || !SP_NEW(w->ctx, s->inner_node, s->nodes) ||
        !SP_NEW(w->ctx, s->leaf_start, s->leaf_count + 1) || !SP_NEW(w->ctx, s->rest, 3 * (size_t)s->nodes))
        return SP_NO_MEMORY;
    memcpy(s->user_node, from->user_node, (size_t)built * sizeof *s->user_node);
    memcpy(s->inner_node, from->inner_node, (size_t)built * sizeof *s->inner_node);
    memcpy(s->leaf_start, from->leaf_start, (size_t)leaves * sizeof *s->leaf_start);
    memcpy(s->rest, from->rest, 3 * (size_t)built * sizeof *s->rest);
    memcpy(s->rest + 3 * (size_t)built, w->add->rest, 3 * (size_t)w->add->nodes * sizeof *s->rest);
    for (int i = built; i < s->nodes; i++) s->user_node[i] = s->inner_node[i] = i;
    for (int l = leaves; l < s->leaf_count; l++) s->leaf_start[l] = built + (l - leaves) * SP_CHUNK_NODES;
    s->leaf_start[s->leaf_count] = s->nodes;
    return SP_OK;
}

// ------------------------------------------------------------------------------------------------ chunks

// nodes of a new element that its chunk does not touch yet
static int fresh_nodes(const growing *w, int i, int nodes, int chunk) {
    int fresh = 0;
    for (int a = 0; a < nodes; a++) fresh += w->owner[w->s->inner_node[w->add->node[w->first[i] + a]]] != chunk;
    return fresh;
}

// Cuts the new elements of a group into chunks and lists the nodes that these touch; returns the number of all chunks.
static int grow_chunks(growing *w, int group, int members) {
    const sp_solid_group *old = &w->from->group[group];
    int chunk = old->built.chunks - 1, size = SP_CHUNK_TETS, total = old->chunks.start[old->built.chunks];
    memcpy(w->start, old->chunks.start, (size_t)(old->built.chunks + 1) * sizeof *w->start);
    memcpy(w->touched, old->chunks.node, (size_t)total * sizeof *w->touched);
    for (int k = 0; k < members; k++) {
        const int i = w->members[k];
        if (size == SP_CHUNK_TETS || total - w->start[chunk] + fresh_nodes(w, i, old->nodes, chunk) > GROW_TOUCHED) {
            chunk++, size = 0;
            w->start[chunk] = total, w->chunk_element[chunk] = k;
        }
        for (int a = 0; a < old->nodes; a++) {
            const int node = w->s->inner_node[w->add->node[w->first[i] + a]];
            if (w->owner[node] != chunk) w->owner[node] = chunk, w->touched[total++] = node;
        }
        size++;
    }
    w->start[chunk + 1] = total, w->chunk_element[chunk + 1] = members;
    return chunk + 1;
}

// structures of the chunks of new elements: the slots of these in the group, nodes and local numbers
static void grow_structures(growing *w, sp_solid_group *g, int chunk) {
    const size_t lanes = (size_t)g->lanes;
    size_t slot = (size_t)g->block_start[chunk] * lanes, end = (size_t)g->block_start[chunk + 1] * lanes;
    for (int k = w->start[chunk]; k < w->start[chunk + 1]; k++) w->mark[w->touched[k]] = k - w->start[chunk];
    for (int k = w->chunk_element[chunk], last = w->chunk_element[chunk + 1] - 1; slot < end; k++, slot++) {
        // padding repeats the last element of the chunk
        const int i = w->members[k <= last ? k : last];
        if (k <= last) w->slot[i] = (int)slot;
        for (size_t a = 0; a < (size_t)g->nodes; a++) {
            const int node = w->s->inner_node[w->add->node[(size_t)w->first[i] + a]];
            const size_t to = (slot / lanes * (size_t)g->nodes + a) * lanes + slot % lanes;
            g->node[to] = node, g->local[to] = (uint16_t)w->mark[node];
        }
    }
}

static sp_status grow_group(growing *w, int group) {
    sp_solid *s = w->s;
    const sp_solid_group *old = &w->from->group[group];
    sp_solid_group *g = &s->group[group];
    int members = 0;
    *g = (sp_solid_group){.be = old->be,
                          .type = old->type,
                          .law = old->law,
                          .directions = old->directions,
                          .strained = old->strained,
                          .penalty = old->penalty,
                          .relaxes = old->relaxes,
                          .nodes = old->nodes,
                          .lanes = old->lanes,
                          .built = old->built,
                          .first = s->slots};
    for (int i = 0; i < w->add->elements; i++)
        if (w->group_of[i] == group) w->members[members++] = i;
    for (int i = 0; i < s->nodes; i++) w->owner[i] = -1;
    g->elements = g->built.elements + members;
    const int chunks = grow_chunks(w, group, members), built = g->built.chunks;
    if (!SP_NEW(w->ctx, g->block_start, chunks + 1)) return SP_NO_MEMORY;
    memcpy(g->block_start, old->block_start, (size_t)(built + 1) * sizeof *g->block_start);
    for (int c = built; c < chunks; c++)
        g->block_start[c + 1] = g->block_start[c] + (w->chunk_element[c + 1] - w->chunk_element[c] + g->lanes - 1) / g->lanes;
    g->blocks = g->block_start[chunks], g->slots = g->blocks * g->lanes;
    s->slots += g->slots;
    const size_t kept = (size_t)g->block_start[built] * (size_t)(g->lanes * g->nodes),
                 n = (size_t)g->nodes * (size_t)g->slots + 1;
    if (!SP_NEW(w->ctx, g->node, n) || !SP_NEW(w->ctx, g->local, n)) return SP_NO_MEMORY;
    memcpy(g->node, old->node, kept * sizeof *g->node);
    memcpy(g->local, old->local, kept * sizeof *g->local);
    for (int c = built; c < chunks; c++) grow_structures(w, g, c);
    return sp__chunks_build(w->ctx, &g->chunks, s->nodes, chunks, w->start, w->touched);
}

// room for the longest list of nodes that the chunks of a group touch, and for its chunks
static void most_touched(const growing *w, size_t *touched, size_t *chunks) {
    *touched = *chunks = 0;
    for (int g = 0; g < w->from->group_count; g++) {
        const sp_solid_group *old = &w->from->group[g];
        const size_t n = (size_t)old->chunks.start[old->built.chunks], c = (size_t)old->built.chunks;
        if (n > *touched) *touched = n;
        if (c > *chunks) *chunks = c;
    }
    *touched += (size_t)w->add->element_nodes + 1, *chunks += (size_t)w->add->elements + 2;
}

static sp_status grow_groups(growing *w) {
    sp_solid *s = w->s;
    size_t touched, chunks;
    most_touched(w, &touched, &chunks);
    if (!SP_NEW(w->ctx, s->group, w->from->group_count) || !SP_NEW(w->ctx, w->slot, w->add->elements + 1) ||
        !SP_NEW(w->ctx, w->owner, s->nodes) || !SP_NEW(w->ctx, w->touched, touched) || !SP_NEW(w->ctx, w->start, chunks) ||
        !SP_NEW(w->ctx, w->chunk_element, chunks) || !SP_NEW(w->ctx, w->members, w->add->elements + 1))
        return SP_NO_MEMORY;
    while (s->group_count < w->from->group_count) SP_TRY(grow_group(w, s->group_count++));
    return SP_OK;
}

// ------------------------------------------------------------------------------------------------ elements

static int built_slots(const sp_solid_group *g) {
    return g->block_start[g->built.chunks] * g->lanes;
}

static void number_elements(growing *w) {
    sp_solid *s = w->s;
    for (int k = 0; k < s->slots; k++) s->user_element[k] = -1;
    for (int k = 0; k < s->group_count; k++) {
        const sp_solid_group *g = &s->group[k], *old = &w->from->group[k];
        for (int at = 0; at < built_slots(g); at++) {
            const int e = w->from->user_element[old->first + at];
            s->user_element[g->first + at] = e;
            if (e >= 0) s->slot_of[e] = g->first + at;
        }
    }
    for (int i = 0; i < w->add->elements; i++) {
        const int slot = s->group[w->group_of[i]].first + w->slot[i], e = s->built.elements + i;
        s->slot_of[e] = slot, s->user_element[slot] = e;
    }
}

// An array of the solid with `size` bytes per slot: what the slots had, and for new elements what those that they are like have.
// Nothing where the solid has none.
static sp_status grow_slots(growing *w, const void *old, size_t size, void **out) {
    const sp_solid *s = w->s;
    if (!old) return SP_OK;
    if (!(*out = sp__alloc(w->ctx, (size_t)s->slots + 1, size))) return SP_NO_MEMORY;
    unsigned char *to = *out;
    for (int k = 0; k < s->group_count; k++) {
        const sp_solid_group *g = &s->group[k], *before = &w->from->group[k];
        memcpy(to + (size_t)g->first * size, (const unsigned char *)old + (size_t)before->first * size,
               (size_t)built_slots(g) * size);
    }
    for (int i = 0; i < w->add->elements; i++)
        memcpy(to + (size_t)s->slot_of[s->built.elements + i] * size, to + (size_t)s->slot_of[w->add->like[i]] * size, size);
    return SP_OK;
}

// Numbers of the definition by slot; of padding they are never read.
static sp_status grow_materials(growing *w) {
    const sp_solid *from = w->from;
    sp_solid *s = w->s;
    void *region = NULL;
    sp_status status = grow_slots(w, from->region_of, sizeof *from->region_of, &region);
    s->region_of = region;
    struct {
        const double *old;
        double **out;
    } list[] = {{from->density, &s->density},
                {from->young, &s->young},
                {from->poisson, &s->poisson},
                {from->swell, &s->swell},
                {from->active, &s->active}};
    for (size_t k = 0; k < sizeof list / sizeof *list && status >= 0; k++) {
        void *out = NULL;
        status = grow_slots(w, list[k].old, sizeof(double), &out);
        *list[k].out = out;
    }
    return status;
}

// rest directions, as `grow_slots`
static void grow_directions(growing *w, int group) {
    sp_solid_group *g = &w->s->group[group];
    const size_t per = 3 * (size_t)g->directions, lanes = (size_t)g->lanes;
    if (!per) return;
    memcpy(g->iso.fibre, w->from->group[group].iso.fibre, (size_t)built_slots(g) * per * sizeof *g->iso.fibre);
    for (int i = 0; i < w->add->elements; i++) {
        const size_t to = (size_t)w->slot[i], like = (size_t)(w->s->slot_of[w->add->like[i]] - g->first);
        for (size_t k = 0; w->group_of[i] == group && k < per; k++)
            g->iso.fibre[(to / lanes * per + k) * lanes + to % lanes] =
                g->iso.fibre[(like / lanes * per + k) * lanes + like % lanes];
    }
}

// The rest shapes give the same bits as at creation, also of elements that are removed.
static sp_status grow_shapes(growing *w) {
    sp_solid *s = w->s;
    for (int k = 0; k < s->group_count; k++) {
        sp_solid_group *g = &s->group[k];
        SP_TRY(sp__group_make(w->ctx, s, g));
        grow_directions(w, k);
        for (int at = 0; at < g->slots; at++) {
            int node[SP_ELEMENT_NODES_MAX];
            for (int a = 0; a < g->nodes; a++) node[a] = sp__group_node(g, g->first + at, a);
            sp__group_rest(s, g, s->rest, node, (size_t)at);
            if (s->user_element[g->first + at] < 0) sp__group_padding(s, g, (size_t)at);
            sp__group_keep_rest(s, g, g->first + at);
        }
    }
    return SP_OK;
}

static sp_status grow_elements(growing *w) {
    sp_solid *s = w->s;
    if (!SP_NEW(w->ctx, s->user_element, s->slots + 1) || !SP_NEW(w->ctx, s->slot_of, s->elements) ||
        !SP_NEW(w->ctx, s->volume, s->slots + 1))
        return SP_NO_MEMORY;
    number_elements(w);
    SP_TRY(grow_materials(w));
    return grow_shapes(w);
}

// ------------------------------------------------------------------------------------------------ cells

static int added_cells(const growing *w, int i, int cell[SP_ELEMENT_CELLS_MAX][4]) {
    return sp__element_cells(w->from->group[w->group_of[i]].type, w->add->node + w->first[i], cell);
}

// The first corner of each new node, in the order of elements. The corners of others stay; their slots may have other numbers.
static void grow_corners(growing *w) {
    sp_solid *s = w->s;
    const bool by_slot = s->built.cells == s->built.elements;
    for (int i = 0; i < s->nodes; i++) {
        const uint32_t old = i < s->built.nodes ? w->from->corner_of[i] : UINT32_MAX;
        s->corner_of[i] = old;
        if (!by_slot || old == UINT32_MAX) continue;
        const int group = (int)(sp__solid_group_of(w->from, (int)(old / 4)) - w->from->group);
        s->corner_of[i] = old + 4 * (uint32_t)(s->group[group].first - w->from->group[group].first);
    }
    for (int c = s->built.cells; c < s->cells; c++)
        for (uint32_t a = 0; a < 4; a++) {
            uint32_t *corner = &s->corner_of[s->cell_node[4 * (size_t)c + a]];
            if (*corner == UINT32_MAX) *corner = 4 * (uint32_t)(by_slot ? s->slot_of[s->cell_element[c]] : c) + a;
        }
}

static sp_status grow_cells(growing *w) {
    sp_solid *s = w->s;
    int cell[SP_ELEMENT_CELLS_MAX][4];
    s->cells = s->built.cells;
    for (int i = 0; i < w->add->elements; i++) s->cells += added_cells(w, i, cell);
    if (!SP_NEW(w->ctx, s->cell_node, 4 * (size_t)s->cells) || !SP_NEW(w->ctx, s->cell_element, s->cells) ||
        !SP_NEW(w->ctx, s->corner_of, s->nodes))
        return SP_NO_MEMORY;
    memcpy(s->cell_node, w->from->cell_node, 4 * (size_t)s->built.cells * sizeof *s->cell_node);
    memcpy(s->cell_element, w->from->cell_element, (size_t)s->built.cells * sizeof *s->cell_element);
    for (int i = 0, c = s->built.cells; i < w->add->elements; i++)
        for (int k = 0, n = added_cells(w, i, cell); k < n; k++, c++) {
            for (int a = 0; a < 4; a++) s->cell_node[4 * (size_t)c + (size_t)a] = s->inner_node[cell[k][a]];
            s->cell_element[c] = s->built.elements + i;
        }
    grow_corners(w);
    return SP_OK;
}

// ------------------------------------------------------------------------------------------------ state

static int element_histories(const growing *w, int element) {
    const sp_solid *s = w->s;
    if (element >= s->built.elements) element = w->add->like[element - s->built.elements];
    return element < s->built.elements ? w->from->history_at[element + 1] - w->from->history_at[element]
                                       : s->history_at[element + 1] - s->history_at[element];
}

// numbers of q after the positions, users' order
static sp_status grow_histories(growing *w) {
    sp_solid *s = w->s;
    SP_TRY(sp__solid_reserve_histories(w->ctx, s));
    for (int e = 0; s->history_at && e < s->elements; e++) s->history_at[e + 1] = s->history_at[e] + element_histories(w, e);
    return SP_OK;
}

// Histories that the body has; a new element begins with those of the one that it is like.
static void copy_histories(growing *w) {
    sp_solid *s = w->s;
    for (int e = 0; s->history_at && e < s->elements; e++) {
        const size_t count = (size_t)(s->history_at[e + 1] - s->history_at[e]);
        double *to = w->next->q[SP_COMMITTED] + 3 * (size_t)s->nodes + s->history_at[e];
        const double *like = e < s->built.elements ? to
                                                   : w->next->q[SP_COMMITTED] + 3 * (size_t)s->nodes +
                                                         s->history_at[w->add->like[e - s->built.elements]];
        const bool known = e < w->from->elements && count == (size_t)(w->from->history_at[e + 1] - w->from->history_at[e]);
        memmove(to, known ? w->b->q[SP_COMMITTED] + 3 * (size_t)w->from->nodes + w->from->history_at[e] : like,
                count * sizeof *to);
    }
}

static void copy_part(double *to, const double *from, size_t known, size_t all, const double *more) {
    memcpy(to, from, known * sizeof *to);
    if (all > known) memcpy(to + known, more, (all - known) * sizeof *to);
}

// x, v: of the nodes that the body does not have
static void grow_state(growing *w, const double *x, const double *v) {
    sp_solid *s = w->s;
    sp_body *b = w->b, *next = w->next;
    const size_t all = 3 * (size_t)s->nodes, known = all < (size_t)b->nv ? all : (size_t)b->nv;
    copy_part(next->q[SP_COMMITTED], b->q[SP_COMMITTED], known, all, x);
    copy_part(next->v[SP_COMMITTED], b->v[SP_COMMITTED], known, all, v);
    copy_part(s->hold, w->from->hold, known, all, x);
    copy_part(next->target, b->target, known, all, x);
    copy_histories(w);
    memcpy(next->q[SP_TRIAL], next->q[SP_COMMITTED], (size_t)next->nq * sizeof(double));
    memcpy(next->v[SP_TRIAL], next->v[SP_COMMITTED], all * sizeof(double));
    // without those that are held because they have no element left
    for (size_t i = 0; i < known; i++) next->fixed[i] = w->from->left && w->from->left->held[i] ? SP_FREE : b->fixed[i];
}

// ------------------------------------------------------------------------------------------------ the rest of the body

static sp_status grow_boundary(growing *w) {
    const sp_solid *from = w->from;
    sp_surface *whole = from->left ? from->whole_boundary : w->b->surfaces[0];
    const int *cells = from->left ? from->whole_cells : from->surface_cells;
    if (!SP_NEW(w->ctx, w->s->surface_cells, whole->face_count + 1)) return SP_NO_MEMORY;
    memcpy(w->s->surface_cells, cells, (size_t)whole->face_count * sizeof *cells);
    sp__surface_release(w->ctx, &w->next->surfaces[0]);
    w->next->surfaces[0] = whole, whole->refs++;
    const uint32_t shown = w->b->surfaces[0]->revision;
    w->s->boundary_changes = from->boundary_changes > shown ? from->boundary_changes : shown;
    return SP_OK;
}

// New nodes are collision points, unless points of surfaces are. What the others touch stays.
static sp_status grow_points(growing *w) {
    const sp_loads *old = &w->b->loads;
    sp_loads *l = &w->next->loads;
    const sp_solid *s = w->s;
    if (old->by_surface) return SP_OK;
    if (!SP_NEW(w->ctx, l->nodes, s->nodes + 1)) return SP_NO_MEMORY;
    for (int i = 0; i < s->nodes; i++) {
        if (s->corner_of[s->inner_node[i]] == UINT32_MAX) continue;
        sp_contact_node *node = &l->nodes[l->node_count++];
        *node = (sp_contact_node){.share = 1};
        SP_TRY(sp__solid_anchor_node(w->next, i, &node->at));
    }
    // the terms of the springs and masses of the body have room too
    SP_TRY(sp__loads_reserve(w->next, old->spring_capacity + old->mass_points));
    const size_t known = (size_t)(l->node_count < old->node_count ? l->node_count : old->node_count) * SP_MEMORY_SLOTS;
    for (int which = 0; which < 2 && old->memory[which]; which++) {
        memcpy(l->memory[which], old->memory[which], known * sizeof(sp_contact_memory));
        l->remembers[which] = old->remembers[which];
    }
    return SP_OK;
}

static sp_status grow_body(growing *w, const double *x, const double *v) {
    sp_body *next = w->next;
    sp_solid *s = w->s;
    next->nodes = s->nodes, next->elements = s->cells, next->computed = s->elements;
    next->integrator = w->b->integrator, next->id = w->b->id;
    SP_TRY(grow_histories(w));
    next->histories = sp__solid_histories(s);
    SP_TRY(sp__body_init(next, 3 * s->nodes + next->histories, 3 * s->nodes));
    if (!SP_NEW(w->ctx, s->hold, 3 * (size_t)s->nodes)) return SP_NO_MEMORY;
    grow_state(w, x, v);
    SP_TRY(sp__solid_make_caches(next));
    // revisions are not used twice
    s->pattern = w->from->pattern + 1, s->values = w->from->values + 1, s->material_revision = w->from->material_revision + 1;
    SP_TRY(grow_boundary(w));
    SP_TRY(grow_points(w));
    return sp__solver_create(w->ctx, &w->b->solver_def, s->be, &next->solver);
}

// ------------------------------------------------------------------------------------------------ make

static sp_status grow_all(growing *w, const double *x, const double *v) {
    sp_solid *s = w->s;
    const sp_solid *from = w->from;
    s->be = from->be, s->built = from->built, s->thickness = from->thickness, s->consistent = from->consistent;
    s->nodes = s->built.nodes + w->add->nodes, s->elements = s->built.elements + w->add->elements;
    if (!SP_NEW(w->ctx, w->first, w->add->elements + 1) || !SP_NEW(w->ctx, w->group_of, w->add->elements + 1) ||
        !SP_NEW(w->ctx, w->mark, s->nodes))
        return SP_NO_MEMORY;
    SP_TRY(check_additions(w));
    SP_TRY(sp__additions_copy(w->ctx, w->add, 0, 0, 0, &s->added));
    SP_TRY(grow_nodes(w));
    SP_TRY(grow_groups(w));
    SP_TRY(grow_elements(w));
    SP_TRY(grow_cells(w));
    return grow_body(w, x, v);
}

static void growing_free(growing *w) {
    void *all[] = {w->first, w->group_of, w->slot, w->owner, w->mark, w->touched, w->start, w->chunk_element, w->members};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++) sp__free(w->ctx, all[i]);
}

static void grow_free(sp_body *b, sp_growth **growth) {
    sp_growth *g = *growth;
    *growth = NULL;
    if (!g) return;
    if (g->left) sp__solid_drop_remains(g->next, &g->left);
    if (g->next) b->ops->destroy(g->next);
    sp__free(b->ctx, g);
}

static sp_status grow_make(sp_body *b, const sp_additions *all, const double *x, const double *v, const unsigned char *removed,
                           sp_growth **out) {
    sp_growth *g;
    *out = NULL;
    if (!SP_NEW(b->ctx, g, 1))
        return SP_BODY_FAIL(b, SP_NO_MEMORY, "no memory to append %d elements to '%s'", all->elements, b->name);
    sp_status status = sp__body_new(b->ctx, b->error, b->ops, sizeof(sp_solid), b->name, &g->next);
    if (status >= 0) {
        growing w = {.ctx = b->ctx, .b = b, .next = g->next, .from = sp__solid(b), .s = sp__solid(g->next), .add = all};
        status = grow_all(&w, x, v);
        growing_free(&w);
        if (status >= 0) status = sp__solid_make_remains(g->next, removed, &g->left);
        if (status == SP_NO_MEMORY) SP_BODY_FAIL(b, status, "no memory to append %d elements to '%s'", all->elements, b->name);
    }
    if (status < 0)
        grow_free(b, &g);
    else
        *out = g;
    return status;
}

// ------------------------------------------------------------------------------------------------ exchange

static void swap_bytes(void *a, void *b, size_t size) {
    unsigned char *p = a, *q = b;
    for (size_t i = 0; i < size; i++) {
        const unsigned char c = p[i];
        p[i] = q[i], q[i] = c;
    }
}

#define SWAP(member) swap_bytes(&a->member, &b->member, sizeof a->member)

// what is not per node, element or unknown stays with the body
static void keep_common(sp_solid *a, sp_solid *b) {
    SWAP(dead), SWAP(dead_count), SWAP(pressure), SWAP(pressure_count), SWAP(moved), SWAP(moved_count);
    SWAP(region), SWAP(region_count), SWAP(own), SWAP(eigenstrain), SWAP(strain), SWAP(young_of_time), SWAP(params);
    const uint32_t most = a->boundary_changes > b->boundary_changes ? a->boundary_changes : b->boundary_changes;
    a->boundary_changes = b->boundary_changes = most;
}

static void swap_points(sp_loads *a, sp_loads *b) {
    SWAP(nodes), SWAP(node_count), SWAP(memory), SWAP(contact_state), SWAP(from);
    SWAP(terms), SWAP(term_count), SWAP(term_capacity);
}

// arrays of the size of the body; scratch that is allocated at first use goes with them
static void swap_body(sp_body *a, sp_body *b) {
    const sp_surface_side side = a->surfaces[0]->side;
    const bool self = a->surfaces[0]->self;
    SWAP(nq), SWAP(nv), SWAP(histories), SWAP(nodes), SWAP(elements), SWAP(computed), SWAP(impl), SWAP(surfaces[0]);
    SWAP(q), SWAP(v), SWAP(f), SWAP(fixed), SWAP(target), SWAP(work), SWAP(solver), SWAP(compliance);
    SWAP(free_velocity), SWAP(solved_velocity), SWAP(contact_impulse), SWAP(predicted);
    SWAP(has_free_velocity), SWAP(has_contact_impulse), SWAP(is_predicted), SWAP(pass_start), SWAP(has_pass_start);
    SWAP(divided), SWAP(part_impulse), SWAP(history), SWAP(parts), SWAP(mode);
    SWAP(has_system), SWAP(compliance_ready);
    a->surfaces[0]->side = side, a->surfaces[0]->self = self;
    a->params = &sp__solid(a)->params, b->params = &sp__solid(b)->params;
    SWAP(solve.solver);  // points into the solver
}

static void grow_exchange(sp_body *b, sp_growth *g) {
    if (!b->loads.by_surface) swap_points(&b->loads, &g->next->loads);
    swap_body(b, g->next);
    keep_common(sp__solid(b), sp__solid(g->next));
    if (g->left)
        sp__solid_use_remains(b, g->left);  // with a refresh
    else
        b->ops->refresh(b);
    g->left = NULL;
    b->retune = true;
}

// elements whose law is not defined where their nodes are
static sp_status grow_check(sp_body *b) {
    return sp__solid_undefined(b, SP_COMMITTED, SP_BAD_INPUT);
}

static const sp_additions *grow_list(const sp_body *b) {
    return &sp__solid(b)->added;
}

const sp_growth_ops sp__solid_growth = {
    .list = grow_list, .make = grow_make, .exchange = grow_exchange, .check = grow_check, .free = grow_free};
