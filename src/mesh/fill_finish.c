// Output of a filling: used nodes in the order of use, groups by material, statistics of angles and pieces.
#include <stdio.h>

#include "math/vec3.h"
#include "mesh/fill.h"

// smaller pieces are debris: one cell has twelve tetrahedra
enum { DEBRIS_TETS = 60 };

// ------------------------------------------------------------------------------------------------ angles

void sp__tet_dihedral(const double *a, const double *b, const double *c, const double *d, double cosines[2]) {
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

static double degrees(double cosine) {
    return acos(fmin(1, fmax(-1, cosine))) * (180 / SP_PI);
}

static void measure(sp_fill *f, sp_fill_info *info) {
    double least = -1, largest = 1;
    for (int t = 0; t < f->tet_count; t++) {
        const int *n = f->tets[t].node;
        double cosines[2];
        sp__tet_dihedral(sp__fill_node(f, n[0]), sp__fill_node(f, n[1]), sp__fill_node(f, n[2]), sp__fill_node(f, n[3]), cosines);
        least = fmax(least, cosines[0]), largest = fmin(largest, cosines[1]);
    }
    info->dihedral[0] = degrees(least), info->dihedral[1] = degrees(largest);
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

// ------------------------------------------------------------------------------------------------ the mesh

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
    def.tet_count = f->tet_count, def.tets = o.tets;
    def.groups = o.groups, def.group_count = o.group_count;
    def.fix_orientation = false;
    status = sp_mesh_create(f->ctx, &def, out);
done:
    free_output(f, &o);
    return status;
}

sp_status sp__fill_finish(sp_fill *f, sp_fill_info *info, sp_mesh **out) {
    measure(f, info);
    SP_TRY(count_islands(f, info));
    return make_mesh(f, out);
}
