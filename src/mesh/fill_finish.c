// From cut tetrahedra to the mesh: removal of non-manifold places, smoothing, removal of debris, numbering of nodes.
#include "mesh/fill.h"

#include <stdio.h>

#include "math/vec3.h"

// =========================================================================================== non-manifold places

// Non-manifold edges and nodes of the boundary, where the tetrahedra of an edge or a node are not connected by faces. They occur
// where a shape is about as thin as a cell. The smaller groups of tetrahedra there are removed until no such place is left.

enum { ROUNDS = 12, AROUND_MAX = 256 };

typedef struct pinch {
    sp_fill *f;
    int *start, *around;    // tetrahedra by node
    unsigned char *border;  // nodes that may lie on the boundary
    unsigned char *gone;    // removed tetrahedra
    int removed;
} pinch;

static bool pinch_holds(const sp_fill_tet *t, int node) {
    return t->node[0] == node || t->node[1] == node || t->node[2] == node || t->node[3] == node;
}

static bool share_face(const sp_fill_tet *a, const sp_fill_tet *b) {
    return pinch_holds(b, a->node[0]) + pinch_holds(b, a->node[1]) + pinch_holds(b, a->node[2]) + pinch_holds(b, a->node[3]) == 3;
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
        if (!p->gone[p->around[i]] && (other < 0 || pinch_holds(&p->f->tets[p->around[i]], other))) list[count++] = p->around[i];
    return count;
}

static void open_node(pinch *p, int node) {
    int list[AROUND_MAX] = {0}, seen[4 * AROUND_MAX], seen_count = 0, edge[AROUND_MAX];
    int count = list_at(p, node, -1, list);
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

// ===================================================================================================== smoothing

// Smoothing of the worst angles where the stencils give no bound. Nodes of bad tetrahedra move towards the mean of their
// neighbours as long as the worst angle around them improves. A node between two materials is projected back to the border. Where
// angles are still bad, nodes on borders and on junctions of three materials may leave their position by a fifth of a cell.

enum { PASSES = 10 };

// cosines of 15 and 10 degrees: tetrahedra better than GOOD are left alone; worse than BAD, accuracy of the border is given up. A
// large angle is compared as 180 degrees minus the angle.
static const double GOOD = 0.966, BAD = 0.985;
// how far a border node may then move, in cells
static const double LEAVE = 0.2;

typedef struct improve {
    sp_fill *f;
    int *start, *around;    // tetrahedra by node
    unsigned char *kind;    // 0 unused, 1 inside one material, 2 between two, 3 fixed
    int (*sides)[2];        // the two materials of a node of kind 2
    double (*original)[3];  // original positions
} improve;

static void tet_dihedral(const double *a, const double *b, const double *c, const double *d, double cosines[2]);

static double improve_badness(sp_fill *f, int t) {
    const int *n = f->tets[t].node;
    const double *a = sp__fill_node(f, n[0]), *b = sp__fill_node(f, n[1]), *c = sp__fill_node(f, n[2]),
                 *d = sp__fill_node(f, n[3]);
    double m[9], cosines[2];
    sp__sub3(b, a, m), sp__sub3(c, a, m + 3), sp__sub3(d, a, m + 6);
    if (!(sp__det3(m) > 0)) return 2;
    tet_dihedral(a, b, c, d, cosines);
    return fmax(cosines[0], -cosines[1]);
}

static double worst_around(const improve *v, int node) {
    double worst = -1;
    for (int i = v->start[node]; i < v->start[node + 1]; i++) worst = fmax(worst, improve_badness(v->f, v->around[i]));
    return worst;
}

// ------------------------------------------------------------------------------------------------ kinds of nodes

static void note_material(improve *v, int node, int material) {
    int *side = v->sides[node];
    if (v->kind[node] == 0) {
        v->kind[node] = 1, side[0] = material;
    } else if (v->kind[node] == 1 && side[0] != material) {
        v->kind[node] = 2, side[1] = material;
    } else if (v->kind[node] == 2 && side[0] != material && side[1] != material) {
        v->kind[node] = 3;
    }
}

// The outside has no tetrahedra, so the materials of a vertex come from its set and those of a cut from its ends. Points inside
// faces and cells stay fixed unless all tetrahedra around them have one material.
static void note_outside(improve *v) {
    const sp_fill *f = v->f;
    for (int i = 0; i < f->vertex_count; i++)
        if (v->kind[i] && sp__set_has(f->vertices[i].set, 1)) note_material(v, i, 0);
    for (int i = 0; i < f->cut_count; i++)
        if (v->kind[f->vertex_count + i] && (f->cuts[i].material[0] == 1 || f->cuts[i].material[1] == 1))
            note_material(v, f->vertex_count + i, 0);
    for (int i = 0; i < f->extra_count; i++) {
        int node = f->vertex_count + f->cut_count + i;
        if (v->kind[node] > 1) v->kind[node] = 3;
    }
}

static sp_status improve_begin(improve *v) {
    sp_fill *f = v->f;
    int n = sp__fill_node_count(f);
    if (!SP_NEW(f->ctx, v->start, (size_t)n + 2) || !SP_NEW(f->ctx, v->around, 4 * (size_t)f->tet_count + 1) ||
        !SP_NEW(f->ctx, v->kind, (size_t)n + 1) || !SP_NEW(f->ctx, v->sides, (size_t)n + 1) ||
        !SP_NEW(f->ctx, v->original, (size_t)n + 1))
        return sp__fill_no_memory(f->ctx);
    for (int t = 0; t < f->tet_count; t++)
        for (int k = 0; k < 4; k++) {
            v->start[f->tets[t].node[k] + 2]++;
            note_material(v, f->tets[t].node[k], f->tets[t].material);
        }
    for (int i = 0; i < n; i++) v->start[i + 2] += v->start[i + 1];
    for (int t = 0; t < f->tet_count; t++)
        for (int k = 0; k < 4; k++) v->around[v->start[f->tets[t].node[k] + 1]++] = t;
    for (int i = 0; i < n; i++) memcpy(v->original[i], sp__fill_node(f, i), sizeof v->original[i]);
    note_outside(v);
    return SP_OK;
}

// ------------------------------------------------------------------------------------------------ moving

// one Newton step along the gradient by finite differences; false: no gradient
static bool to_border(const improve *v, int node, double x[3]) {
    const sp_fill_source *s = v->f->source;
    int a = v->sides[node][0], b = v->sides[node][1];
    double h = 0.02 * v->f->tree.unit, gradient[3];
    for (int step = 0; step < 3; step++) {
        double value = s->between(s->user, a, b, x), length2 = 0;
        for (int k = 0; k < 3; k++) {
            double p[3] = {x[0], x[1], x[2]}, q[3] = {x[0], x[1], x[2]};
            p[k] += h, q[k] -= h;
            gradient[k] = (s->between(s->user, a, b, p) - s->between(s->user, a, b, q)) / (2 * h);
            length2 += gradient[k] * gradient[k];
        }
        if (!(length2 > 0) || fabs(value) > 0.5 * v->f->tree.unit * sqrt(length2)) return false;
        sp__axpy3(x, -value / length2, gradient, x);
    }
    return true;
}

// The mean of the neighbours. A border node uses only its neighbours on the border, unless `all` is set.
static bool mean_around(const improve *v, int node, bool all, double mean[3]) {
    int count = 0;
    mean[0] = mean[1] = mean[2] = 0;
    for (int i = v->start[node]; i < v->start[node + 1]; i++)
        for (int k = 0; k < 4; k++) {
            int other = v->f->tets[v->around[i]].node[k];
            if (other == node || (!all && v->kind[other] < v->kind[node])) continue;
            sp__axpy3(mean, 1, sp__fill_node(v->f, other), mean);
            count++;
        }
    for (int k = 0; k < 3 && count; k++) mean[k] /= count;
    return count > 0;
}

static bool near_original(const improve *v, int node, const double x[3]) {
    double d[3];
    sp__sub3(x, v->original[node], d);
    return sp__norm3(d) <= LEAVE * 2 * v->f->tree.unit;
}

// moves towards the mean, halving the step; true: the worst angle improved
static bool try_mean(const improve *v, int node, bool all, double before) {
    double *x = sp__fill_node(v->f, node), old[3] = {x[0], x[1], x[2]}, mean[3];
    bool free = v->kind[node] == 1;
    if (!mean_around(v, node, all, mean)) return false;
    for (double part = 1; part > 0.05; part *= 0.5) {
        for (int k = 0; k < 3; k++) x[k] = old[k] + part * (mean[k] - old[k]);
        bool allowed = free || (all ? near_original(v, node, x) : v->kind[node] == 2 && to_border(v, node, x));
        if (allowed && worst_around(v, node) < before) return true;
    }
    memcpy(x, old, sizeof old);
    return false;
}

static void move_node(const improve *v, int node) {
    double before = worst_around(v, node);
    if (before < GOOD || try_mean(v, node, false, before) || before < BAD) return;
    try_mean(v, node, true, before);
}

sp_status sp__fill_improve(sp_fill *f) {
    improve v = {.f = f};
    sp_status status = improve_begin(&v);
    int n = sp__fill_node_count(f);
    for (int pass = 0; status == SP_OK && pass < PASSES; pass++)
        for (int node = 0; node < n; node++)
            if (v.kind[node]) move_node(&v, node);
    sp__free(f->ctx, v.start);
    sp__free(f->ctx, v.around);
    sp__free(f->ctx, v.kind);
    sp__free(f->ctx, v.sides);
    sp__free(f->ctx, v.original);
    return status;
}

// ===================================================================================== angles, pieces and output

// Output of a filling: used nodes in the order of use, groups by material, statistics of angles and pieces.

// smaller pieces are debris: one cell has twelve tetrahedra
enum { DEBRIS_TETS = 60 };

// ------------------------------------------------------------------------------------------------ angles

// Cosines of the smallest and the largest dihedral angle of a tetrahedron: cosines[0] >= cosines[1].
static void tet_dihedral(const double *a, const double *b, const double *c, const double *d, double cosines[2]) {
    const double *x[4] = {a, b, c, d};
    double normal[4][3];
    for (int k = 0; k < 4; k++) {
        double u[3], v[3];
        sp__sub3(x[sp__tet_face[k][1]], x[sp__tet_face[k][0]], u);
        sp__sub3(x[sp__tet_face[k][2]], x[sp__tet_face[k][0]], v);
        sp__cross3(u, v, normal[k]);
        double length = sp__norm3(normal[k]);
        for (int i = 0; i < 3 && length > 0; i++) normal[k][i] /= length;
    }
    cosines[0] = -1, cosines[1] = 1;
    for (int i = 0; i < 4; i++)
        for (int j = 0; j < i; j++) {
            double cosine = -sp__dot3(normal[i], normal[j]);
            cosines[0] = fmax(cosines[0], cosine), cosines[1] = fmin(cosines[1], cosine);
        }
}

static double finish_degrees(double cosine) {
    return acos(fmin(1, fmax(-1, cosine))) * (180 / SP_PI);
}

static void finish_measure(sp_fill *f, sp_fill_info *info) {
    double least = -1, largest = 1;
    for (int t = 0; t < f->tet_count; t++) {
        const int *n = f->tets[t].node;
        double cosines[2];
        tet_dihedral(sp__fill_node(f, n[0]), sp__fill_node(f, n[1]), sp__fill_node(f, n[2]), sp__fill_node(f, n[3]), cosines);
        least = fmax(least, cosines[0]), largest = fmin(largest, cosines[1]);
    }
    info->dihedral[0] = finish_degrees(least), info->dihedral[1] = finish_degrees(largest);
}

// ------------------------------------------------------------------------------------------------ pieces

static int root_of(int *parent, int i) {
    while (parent[i] != i) i = parent[i] = parent[parent[i]];
    return i;
}

// Pieces connected by nodes, with their sizes at the roots. The caller frees it.
typedef struct pieces {
    int *parent, *size;
} pieces;

static void free_pieces(sp_fill *f, pieces *p) {
    sp__free(f->ctx, p->parent);
    sp__free(f->ctx, p->size);
}

static sp_status find_pieces(sp_fill *f, pieces *p) {
    int n = sp__fill_node_count(f);
    if (!SP_NEW(f->ctx, p->parent, (size_t)n + 1) || !SP_NEW(f->ctx, p->size, (size_t)n + 1)) return sp__fill_no_memory(f->ctx);
    for (int i = 0; i < n; i++) p->parent[i] = i;
    for (int t = 0; t < f->tet_count; t++)
        for (int k = 1; k < 4; k++) p->parent[root_of(p->parent, f->tets[t].node[k])] = root_of(p->parent, f->tets[t].node[0]);
    for (int t = 0; t < f->tet_count; t++) p->size[root_of(p->parent, f->tets[t].node[0])]++;
    return SP_OK;
}

static sp_status count_islands(sp_fill *f, sp_fill_info *info) {
    pieces p = {0};
    sp_status status = find_pieces(f, &p);
    info->islands = 0;
    for (int i = 0; status == SP_OK && i < sp__fill_node_count(f); i++) info->islands += p.size[i] > 0;
    free_pieces(f, &p);
    return status;
}

sp_status sp__fill_debris(sp_fill *f) {
    pieces p = {0};
    sp_status status = find_pieces(f, &p);
    int largest = 0, kept = 0;
    for (int i = 0; status == SP_OK && i < sp__fill_node_count(f); i++) largest = p.size[i] > largest ? p.size[i] : largest;
    for (int t = 0; status == SP_OK && t < f->tet_count; t++) {
        int size = p.size[root_of(p.parent, f->tets[t].node[0])];
        if (size >= DEBRIS_TETS || size >= largest / 100) f->tets[kept++] = f->tets[t];
    }
    if (status == SP_OK) f->tet_count = kept;
    free_pieces(f, &p);
    return status;
}

// ------------------------------------------------------------------------------------------------ output

typedef struct output {
    int *place;  // node of the filling -> node of the mesh
    double *x;
    int *tets;
    int *members;  // elements by material
    int *corners;  // nodes by material
    int *seen;     // per node of the mesh: the last material that listed the node
    sp_mesh_group *groups;
    int node_count, group_count;
} output;

static void number_nodes(sp_fill *f, output *o) {
    for (int i = sp__fill_node_count(f) - 1; i >= 0; i--) o->place[i] = -1;
    for (int t = 0; t < f->tet_count; t++)
        for (int k = 0; k < 4; k++) {
            int node = f->tets[t].node[k];
            if (o->place[node] < 0) {
                memcpy(o->x + 3 * (size_t)o->node_count, sp__fill_node(f, node), 3 * sizeof(double));
                o->place[node] = o->node_count++;
            }
            o->tets[4 * (size_t)t + (size_t)k] = o->place[node];
        }
}

// sorts the elements by material
static void sort_members(const sp_fill *f, output *o, int *start) {
    for (int t = 0; t < f->tet_count; t++) start[f->tets[t].material + 1]++;
    for (int m = 0; m < f->source->materials; m++) start[m + 1] += start[m];
    for (int t = 0; t < f->tet_count; t++) o->members[start[f->tets[t].material]++] = t;
    for (int m = f->source->materials; m > 0; m--) start[m] = start[m - 1];
    start[0] = 0;
}

static void make_groups(const sp_fill *f, output *o, const int *start) {
    int used = 0;
    for (int m = 1; m < f->source->materials; m++) {
        int begin = used;
        for (int i = start[m]; i < start[m + 1]; i++)
            for (int k = 0; k < 4; k++) {
                int node = o->tets[4 * (size_t)o->members[i] + (size_t)k];
                if (o->seen[node] != m) o->corners[used++] = node;
                o->seen[node] = m;
            }
        sp__sort_ints(o->corners + begin, used - begin);
        if (used > begin)
            o->groups[o->group_count++] = (sp_mesh_group){.name = f->source->names[m - 1],
                                                          .elements = o->members + start[m],
                                                          .element_count = start[m + 1] - start[m],
                                                          .nodes = o->corners + begin,
                                                          .node_count = used - begin};
    }
}

static sp_status add_groups(sp_fill *f, output *o) {
    int *start;
    if (!SP_NEW(f->ctx, start, (size_t)f->source->materials + 2)) return sp__fill_no_memory(f->ctx);
    sort_members(f, o, start);
    make_groups(f, o, start);
    sp__free(f->ctx, start);
    return SP_OK;
}

static void free_output(sp_fill *f, output *o) {
    sp__free(f->ctx, o->place);
    sp__free(f->ctx, o->x);
    sp__free(f->ctx, o->tets);
    sp__free(f->ctx, o->members);
    sp__free(f->ctx, o->corners);
    sp__free(f->ctx, o->seen);
    sp__free(f->ctx, o->groups);
}

static sp_status make_mesh(sp_fill *f, sp_mesh **out) {
    output o = {0};
    sp_status status = SP_NO_MEMORY;
    size_t nodes = (size_t)sp__fill_node_count(f), tets = (size_t)f->tet_count;
    if (!SP_NEW(f->ctx, o.place, nodes) || !SP_NEW(f->ctx, o.x, 3 * nodes) || !SP_NEW(f->ctx, o.tets, 4 * tets) ||
        !SP_NEW(f->ctx, o.members, tets) || !SP_NEW(f->ctx, o.corners, 4 * tets) || !SP_NEW(f->ctx, o.seen, nodes) ||
        !SP_NEW(f->ctx, o.groups, f->source->materials)) {
        sp__fill_no_memory(f->ctx);
        goto done;
    }
    number_nodes(f, &o);
    if (f->source->names && (status = add_groups(f, &o)) < 0) goto done;
    sp_mesh_def def = sp_mesh_def_default();
    def.node_count = o.node_count, def.positions = o.x;
    def.element_count = f->tet_count, def.element_nodes = o.tets;
    def.groups = o.groups, def.group_count = o.group_count;
    def.fix_orientation = false;
    status = sp_mesh_create(f->ctx, &def, out);
done:
    free_output(f, &o);
    return status;
}

sp_status sp__fill_finish(sp_fill *f, sp_fill_info *info, sp_mesh **out) {
    finish_measure(f, info);
    SP_TRY(count_islands(f, info));
    return make_mesh(f, out);
}
