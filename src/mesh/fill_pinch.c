// Non-manifold edges and nodes of the boundary, where the tetrahedra of an edge or a node are not connected by faces. They occur
// where a shape is about as thin as a cell. The smaller groups of tetrahedra there are removed until no such place is left.
#include "mesh/fill.h"

enum { ROUNDS = 12, AROUND_MAX = 256 };

typedef struct pinch {
    sp_fill *f;
    int *start, *around;    // tetrahedra by node
    unsigned char *border;  // nodes that may lie on the boundary
    unsigned char *gone;    // removed tetrahedra
    int removed;
} pinch;

static bool holds(const sp_fill_tet *t, int node) {
    return t->node[0] == node || t->node[1] == node || t->node[2] == node || t->node[3] == node;
}

static bool share_face(const sp_fill_tet *a, const sp_fill_tet *b) {
    return holds(b, a->node[0]) + holds(b, a->node[1]) + holds(b, a->node[2]) + holds(b, a->node[3]) == 3;
}

// Splits the list into parts connected by faces: part[i] is 0, 1, ...; returns the number of parts.
static int part_list(const pinch *p, const int *list, int count, int *part) {
    int parts = 0, queue[AROUND_MAX];
    for (int i = 0; i < count; i++) part[i] = -1;
    for (int i = 0; i < count; i++) {
        if (part[i] >= 0) continue;
        int head = 0, tail = 0;
        part[i] = parts;
        queue[tail++] = i;
        while (head < tail) {
            const sp_fill_tet *own = &p->f->tets[list[queue[head++]]];
            for (int k = 0; k < count; k++)
                if (part[k] < 0 && share_face(own, &p->f->tets[list[k]])) part[k] = parts, queue[tail++] = k;
        }
        parts++;
    }
    return parts;
}

static void remove_part(pinch *p, const int *list, int count, const int *part, int which) {
    for (int i = 0; i < count; i++) {
        if (part[i] != which) continue;
        p->gone[list[i]] = 1;
        p->removed++;
        for (int k = 0; k < 4; k++) p->border[p->f->tets[list[i]].node[k]] = 1;
    }
}

// Removes all parts but the largest; of equal parts the first stays.
static void open_list(pinch *p, const int *list, int count) {
    int part[AROUND_MAX], size[AROUND_MAX] = {0}, parts = part_list(p, list, count, part), largest = 0;
    if (parts < 2) return;
    for (int i = 0; i < count; i++) size[part[i]]++;
    for (int i = 1; i < parts; i++)
        if (size[i] > size[largest]) largest = i;
    for (int i = 0; i < parts; i++)
        if (i != largest) remove_part(p, list, count, part, i);
}

// the tetrahedra at one node; other != -1: those at both nodes
static int list_at(const pinch *p, int node, int other, int *list) {
    int count = 0;
    for (int i = p->start[node]; i < p->start[node + 1] && count < AROUND_MAX; i++)
        if (!p->gone[p->around[i]] && (other < 0 || holds(&p->f->tets[p->around[i]], other))) list[count++] = p->around[i];
    return count;
}

static void open_node(pinch *p, int node) {
    int list[AROUND_MAX], seen[4 * AROUND_MAX], seen_count = 0, count = list_at(p, node, -1, list), edge[AROUND_MAX];
    open_list(p, list, count);
    for (int i = 0; i < count; i++)
        for (int k = 0; k < 4; k++) {
            int other = p->f->tets[list[i]].node[k], j = 0;
            if (other <= node || !p->border[other]) continue;
            while (j < seen_count && seen[j] != other) j++;
            if (j < seen_count) continue;
            seen[seen_count++] = other;
            open_list(p, edge, list_at(p, node, other, edge));
        }
}

static void mark_border(pinch *p) {
    const sp_fill *f = p->f;
    for (int i = 0; i < f->vertex_count; i++) p->border[i] |= sp__set_has(f->vertices[i].set, 1);
    for (int i = 0; i < f->cut_count; i++)
        p->border[f->vertex_count + i] |= f->cuts[i].material[0] == 1 || f->cuts[i].material[1] == 1;
    memset(p->border + f->vertex_count + f->cut_count, 1, (size_t)f->extra_count);
}

static void list_tets(pinch *p, int nodes) {
    sp_fill *f = p->f;
    memset(p->start, 0, ((size_t)nodes + 2) * sizeof *p->start);
    for (int t = 0; t < f->tet_count; t++)
        for (int k = 0; k < 4; k++) p->start[f->tets[t].node[k] + 2]++;
    for (int i = 0; i < nodes; i++) p->start[i + 2] += p->start[i + 1];
    for (int t = 0; t < f->tet_count; t++)
        for (int k = 0; k < 4; k++) p->around[p->start[f->tets[t].node[k] + 1]++] = t;
}

static void drop_gone(pinch *p) {
    int kept = 0;
    for (int t = 0; t < p->f->tet_count; t++)
        if (!p->gone[t]) p->f->tets[kept++] = p->f->tets[t];
    memset(p->gone, 0, (size_t)p->f->tet_count);
    p->f->tet_count = kept;
}

sp_status sp__fill_pinches(sp_fill *f) {
    pinch p = {.f = f};
    int nodes = sp__fill_node_count(f);
    sp_status status = SP_OK;
    if (!SP_NEW(f->ctx, p.start, (size_t)nodes + 2) || !SP_NEW(f->ctx, p.around, 4 * (size_t)f->tet_count + 1) ||
        !SP_NEW(f->ctx, p.border, (size_t)nodes + 1) || !SP_NEW(f->ctx, p.gone, (size_t)f->tet_count + 1)) {
        status = sp__fill_no_memory(f->ctx);
        goto done;
    }
    mark_border(&p);
    for (int round = 0; round < ROUNDS; round++) {
        p.removed = 0;
        list_tets(&p, nodes);
        for (int i = 0; i < nodes; i++)
            if (p.border[i]) open_node(&p, i);
        drop_gone(&p);
        if (p.removed == 0) break;
    }
done:
    sp__free(f->ctx, p.start);
    sp__free(f->ctx, p.around);
    sp__free(f->ctx, p.border);
    sp__free(f->ctx, p.gone);
    return status;
}
