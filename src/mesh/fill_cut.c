// Cuts of the lattice by the borders between materials, and the stencils that divide its tetrahedra.
#include "mesh/fill.h"

#include "math/vec3.h"

// ======================================================================================== cut points and warping

// Cut points, where the material changes along lattice edges, and warping. A cut close to a vertex would create slivers. The
// vertex then moves to the cut and belongs to both materials, and its edges towards these materials are no longer cut (Labelle
// and Shewchuk 2007, section 3: "warping", with their safe parameters).

enum { CHUNK = 32, ROOT_STEPS = 60 };

// warping distance relative to the edge length: edges along the axes, and edges from corner to centre
static const double ALPHA_LONG = 0.24999, ALPHA_SHORT = 0.41189;

// ------------------------------------------------------------------------------------------------ cut points

static uint64_t pair_key(int a, int b) {
    return a < b ? (uint64_t)a << 32 | (uint64_t)b : (uint64_t)b << 32 | (uint64_t)a;
}

// the cut on the edge between two nodes, or -1
static int fill_cut_between(const sp_fill *f, int a, int b) {
    if (sp__set_common(f->vertices[a].set, f->vertices[b].set)) return -1;
    return sp__hash_get(&f->cut_at, pair_key(a, b));
}

static bool add_cut(sp_fill *f, int a, int b) {
    if (f->vertices[a].own == f->vertices[b].own) return true;
    uint64_t key = pair_key(a, b);
    if (sp__hash_get(&f->cut_at, key) >= 0) return true;
    if (!SP_FILL_ROOM(f->ctx, f->cuts, f->cut_count, f->cut_capacity)) return false;
    f->cuts[f->cut_count] = (sp_fill_cut){.vertex = {a, b}, .material = {f->vertices[a].own, f->vertices[b].own}, .gone = false};
    return sp__hash_put(f->ctx, &f->cut_at, key, f->cut_count++);
}

// Root by false position (Illinois variant), with bisection if progress is slow: the function may jump.
static void find_root(const sp_fill *f, sp_fill_cut *cut) {
    const sp_fill_source *s = f->source;
    const double *a = f->vertices[cut->vertex[0]].x, *b = f->vertices[cut->vertex[1]].x;
    int ma = cut->material[0] - 1, mb = cut->material[1] - 1;
    double low = 0, high = 1, at_low = s->between(s->user, ma, mb, a), at_high = s->between(s->user, ma, mb, b), t = 0.5;
    at_low = at_low > 0 ? at_low : 0, at_high = at_high < 0 ? at_high : 0;
    for (int i = 0; i < ROOT_STEPS && high - low > 1e-9; i++) {
        bool halve = i % 3 == 2 || !(at_low > at_high);
        t = halve ? 0.5 * (low + high) : low + (high - low) * at_low / (at_low - at_high);
        for (int k = 0; k < 3; k++) cut->x[k] = a[k] + t * (b[k] - a[k]);
        double value = s->between(s->user, ma, mb, cut->x);
        if (value == 0) return;
        if (value > 0) {
            if (t - low < 1e-9 && low > 0) break;
            low = t, at_low = value, at_high *= halve ? 1 : 0.5;
        } else {
            if (high - t < 1e-9 && high < 1) break;
            high = t, at_high = value, at_low *= halve ? 1 : 0.5;
        }
    }
}

static void find_roots(void *arg, int task, int worker) {
    sp_fill *f = arg;
    (void)worker;
    int end = task * CHUNK + CHUNK < f->cut_count ? task * CHUNK + CHUNK : f->cut_count;
    for (int i = task * CHUNK; i < end; i++) find_root(f, &f->cuts[i]);
}

// ------------------------------------------------------------------------------------------------ moving vertices

static bool set_add(uint16_t *set, uint16_t m) {
    for (int i = 0; i < SP_FILL_SET; i++) {
        if (set[i] == m) return true;
        if (!set[i]) {
            set[i] = m;
            return true;
        }
    }
    return false;
}

// Warping distance of vertex v on this edge. It uses the smallest cell at v, so that no vertex moves further than its shortest
// edges allow.
static double too_near(const sp_fill *f, int v, int other) {
    const int *p = f->vertices[v].place, *q = f->vertices[other].place;
    double cell = f->tree.unit * (2 << f->vertices[v].level);
    int along = (p[0] != q[0]) + (p[1] != q[1]) + (p[2] != q[2]);
    return along == 1 ? ALPHA_LONG * cell : ALPHA_SHORT * 0.5 * sqrt(3) * cell;
}

// Takes the nearest cut to each other material that is within the warping distance and moves v to their mean. A cut on the outer
// surface has priority, so that an internal border does not dent the surface.
static bool move_vertex(sp_fill *f, int v, const int *list, int count) {
    sp_fill_vertex *vertex = &f->vertices[v];
    if (vertex->held) return false;
    struct {
        uint16_t material;
        double distance;
        const double *x;
    } best[SP_FILL_SET] = {{0}};
    int found = 0;
    for (int i = 0; i < count; i++) {
        const sp_fill_cut *cut = &f->cuts[list[i]];
        if (cut->gone) continue;
        int end = cut->vertex[0] == v;
        double d[3];
        sp__sub3(cut->x, vertex->x, d);
        double distance = sp__norm3(d);
        if (distance >= too_near(f, v, cut->vertex[end])) continue;
        int k = 0;
        while (k < found && best[k].material != cut->material[end]) k++;
        if (k == SP_FILL_SET - 1 || (k < found && distance >= best[k].distance)) continue;
        best[k].material = cut->material[end], best[k].distance = distance, best[k].x = cut->x;
        found += k == found;
    }
    if (!found) return false;
    double goal[3] = {0};
    for (int k = 0; k < found; k++) sp__axpy3(goal, 1.0 / found, best[k].x, goal);
    for (int k = 0; k < found; k++) {
        if (best[k].material == 1) memcpy(goal, best[k].x, sizeof goal);
        set_add(vertex->set, best[k].material);
    }
    memcpy(vertex->x, goal, sizeof goal);
    return true;
}

static void move_all(sp_fill *f, const int *start, const int *lists) {
    for (int v = 0; v < f->vertex_count; v++) {
        const int *list = lists + start[v];
        int count = start[v + 1] - start[v];
        if (!count || !move_vertex(f, v, list, count)) continue;
        for (int i = 0; i < count; i++) {
            sp_fill_cut *cut = &f->cuts[list[i]];
            if (sp__set_common(f->vertices[cut->vertex[0]].set, f->vertices[cut->vertex[1]].set)) cut->gone = true;
        }
    }
}

// sorts the cuts by vertex, then processes the vertices in order
static sp_status move_vertices(sp_fill *f) {
    int *start = NULL, *lists = NULL;
    sp_status status = SP_OK;
    if (!SP_NEW(f->ctx, start, (size_t)f->vertex_count + 2) || !SP_NEW(f->ctx, lists, 2 * (size_t)f->cut_count + 1)) {
        status = sp__fill_no_memory(f->ctx);
        goto done;
    }
    for (int i = 0; i < f->cut_count; i++)
        for (int e = 0; e < 2; e++) start[f->cuts[i].vertex[e] + 2]++;
    for (int v = 0; v < f->vertex_count; v++) start[v + 2] += start[v + 1];
    for (int i = 0; i < f->cut_count; i++)
        for (int e = 0; e < 2; e++) lists[start[f->cuts[i].vertex[e] + 1]++] = i;
    move_all(f, start, lists);
done:
    sp__free(f->ctx, start);
    sp__free(f->ctx, lists);
    return status;
}

// Keeps a cut away from a held vertex, to avoid flat elements.
static void keep_off(sp_fill *f, sp_fill_cut *cut) {
    static const double capacity = 0.05;
    for (int e = 0; e < 2; e++) {
        const sp_fill_vertex *v = &f->vertices[cut->vertex[e]];
        double edge[3], d[3];
        sp__sub3(f->vertices[cut->vertex[!e]].x, v->x, edge);
        sp__sub3(cut->x, v->x, d);
        if (v->held && sp__norm3(d) < capacity * sp__norm3(edge)) sp__axpy3(v->x, capacity, edge, cut->x);
    }
}

static void cut_reset(sp_fill *f) {
    for (int i = 0; i < f->vertex_count; i++) {
        sp_fill_vertex *v = &f->vertices[i];
        memset(v->set, 0, sizeof v->set);
        v->set[0] = v->own;
        sp__octree_point(&f->tree, v->place, v->x);
    }
    f->cut_count = f->extra_count = f->tet_count = 0;
    sp__hash_free(f->ctx, &f->cut_at);
    sp__hash_free(f->ctx, &f->face_at);
}

sp_status sp__fill_cuts(sp_fill *f) {
    cut_reset(f);
    for (int i = 0; i < f->cell_count; i++)
        for (int a = 0; a < 4; a++)
            for (int b = 0; b < a; b++)
                if (!add_cut(f, f->cells[i][a], f->cells[i][b])) return sp__fill_no_memory(f->ctx);
    sp__parallel(f->ctx, (f->cut_count + CHUNK - 1) / CHUNK, find_roots, f);
    for (int i = 0; i < f->cut_count; i++) keep_off(f, &f->cuts[i]);
    return move_vertices(f);
}

// ====================================================================================================== stencils

// Cutting stencils of lattice cells. Usually two materials meet in a cell: its vertices are in one material (P), in the other
// (N), or moved onto the border (Z). Every edge from P to N is cut, and each side is a tetrahedron, a pyramid or a prism (Labelle
// and Shewchuk 2007, figure 3). Quadrilaterals on cell faces are split by a rule that depends only on the face, so that
// neighbours agree. Where three or more materials meet, the faces of the cell are split by their cut edges and joined to a point
// inside.

double *sp__fill_node(sp_fill *f, int node) {
    if (node < f->vertex_count) return f->vertices[node].x;
    node -= f->vertex_count;
    return node < f->cut_count ? f->cuts[node].x : f->extra[node - f->cut_count];
}

int sp__fill_node_count(const sp_fill *f) {
    return f->vertex_count + f->cut_count + f->extra_count;
}

static bool stencil_emit(sp_fill *f, int a, int b, int c, int d, bool positive, int material) {
    if (material == 0) return true;
    if (!SP_FILL_ROOM(f->ctx, f->tets, f->tet_count, f->tet_capacity)) return false;
    f->tets[f->tet_count++] = (sp_fill_tet){{a, b, positive ? c : d, positive ? d : c}, material, f->cell};
    return true;
}

// ------------------------------------------------------------------------------------------------ materials

// Material at a sample point between the part and the middle of the cell.
static int sample_material(const sp_fill *f, const int *vertices, int count) {
    const int *cell = f->cells[f->cell];
    double x[3] = {0};
    for (int k = 0; k < count; k++) sp__axpy3(x, 0.7 / count, f->vertices[vertices[k]].x, x);
    for (int k = 0; k < 4; k++) sp__axpy3(x, 0.3 / 4, f->vertices[cell[k]].x, x);
    return f->source->material(f->source->user, x);
}

// Material of a part: the one that all its vertices share; if they share several, the sampled one. A whole cell with all vertices
// on the only surface is dropped, because it may be flat.
static int material_of(const sp_fill *f, const int *vertices, int count) {
    const uint16_t *first = f->vertices[vertices[0]].set;
    int common[SP_FILL_SET], found = 0;
    for (int i = 0; i < SP_FILL_SET && first[i]; i++) {
        bool all = true;
        for (int k = 1; k < count && all; k++) all = sp__set_has(f->vertices[vertices[k]].set, first[i]);
        if (all) common[found++] = first[i] - 1;
    }
    if (found == 1) return common[0];
    if (f->source->materials == 2 && found == 2) return 0;
    int there = sample_material(f, vertices, count), solid = 0;
    for (int i = 0; i < found; i++) {
        if (common[i] == there) return there;
        solid = common[i] > solid ? common[i] : solid;
    }
    return found ? solid : there;
}

// ------------------------------------------------------------------------------------------------ diagonals of faces

static int64_t stencil_length2(const int *p, const int *q) {
    int64_t sum = 0;
    for (int k = 0; k < 3; k++) sum += (int64_t)(p[k] - q[k]) * (p[k] - q[k]);
    return sum;
}

// For the quadrilateral of p, q and the cuts of pn and qn: whether the diagonal starts at p. It ends in the cut of the longer
// edge. For equal edges the parity of the directions decides, with opposite signs for corners and centres, so that both sides of
// a border agree.
static bool diagonal_at(const sp_fill *f, int p, int q, int n) {
    const int *a = f->vertices[p].place, *b = f->vertices[q].place, *c = f->vertices[n].place;
    int64_t to_a = stencil_length2(a, c), to_b = stencil_length2(b, c);
    if (to_a != to_b) return to_a < to_b;
    int axis = -1, along = 0;
    for (int k = 0; k < 3; k++)
        if (a[k] != b[k]) axis = k, along++;
    int u = (axis + 1) % 3, v = (axis + 2) % 3;
    if (along != 1 || c[u] == a[u] || c[v] == a[v]) return sp__place_key(a) < sp__place_key(b);
    int side = a[axis] > b[axis] ? a[axis] - b[axis] : b[axis] - a[axis];
    bool stencil_even = (c[u] > a[u]) == (c[v] > a[v]), centre = a[0] & (side >> 1);
    return (a[axis] < b[axis]) == (stencil_even != centre);
}

// ------------------------------------------------------------------------------------------------ prisms

// Prism with the columns bottom[i], top[i]. at_bottom[i]: the diagonal between columns i and i + 1 starts at bottom[i], not at
// bottom[i + 1]. Cyclic diagonals have no decomposition; the caller must exclude them. positive: orientation of bottom, top.
static bool stencil_prism(sp_fill *f, const int bottom[3], const int top[3], const bool at_bottom[3], bool positive,
                          int material) {
    int wins[3] = {0}, order[3];
    for (int i = 0; i < 3; i++) wins[at_bottom[i] ? i : (i + 1) % 3]++;
    for (int i = 0; i < 3; i++) order[2 - wins[i]] = i;
    int a = order[0], b = order[1], c = order[2];
    if ((b - a + 3) % 3 != 1) positive = !positive;
    return stencil_emit(f, bottom[a], bottom[b], bottom[c], top[c], positive, material) &&
           stencil_emit(f, bottom[a], bottom[b], top[c], top[b], positive, material) &&
           stencil_emit(f, bottom[a], top[b], top[c], top[a], positive, material);
}

static bool is_cyclic(const bool at_bottom[3]) {
    return at_bottom[0] == at_bottom[1] && at_bottom[1] == at_bottom[2];
}

// ------------------------------------------------------------------------------------------------ two materials

typedef struct stencil {
    int vertex[4];  // P, then N, then Z
    int p, n;
    bool positive;    // vertex[] is positively oriented
    int cut[4][4];    // node of the cut, or -1
    int material[2];  // of P and of N
} stencil;

// A single vertex of its material: cuts off its corner of the cell. `at` is its index in vertex[].
static bool stencil_corner(sp_fill *f, const stencil *s, int at, int material) {
    int node[4];
    for (int i = 0; i < 4; i++) node[i] = s->cut[at][i] >= 0 ? s->cut[at][i] : s->vertex[i];
    return stencil_emit(f, node[0], node[1], node[2], node[3], s->positive, material);
}

// Two vertices of a material (i, j) against one (n), and one on the border: a pyramid over a split quadrilateral.
static bool stencil_pyramid(sp_fill *f, const stencil *s, int i, int j, int n, int material) {
    if (!diagonal_at(f, s->vertex[i], s->vertex[j], s->vertex[n])) {
        int swap = i;
        i = j, j = swap;
    }
    int first[4], second[4];
    memcpy(first, s->vertex, sizeof first);
    memcpy(second, s->vertex, sizeof second);
    first[n] = s->cut[j][n];
    second[j] = s->cut[j][n], second[n] = s->cut[i][n];
    return stencil_emit(f, first[0], first[1], first[2], first[3], s->positive, material) &&
           stencil_emit(f, second[0], second[1], second[2], second[3], s->positive, material);
}

// Whether (a, b, c, d) is an even permutation of 0, 1, 2, 3.
static bool stencil_even(int a, int b, int c, int d) {
    return ((a > b) + (a > c) + (a > d) + (b > c) + (b > d) + (c > d)) % 2 == 0;
}

// Three vertices of a material against vertex n.
static bool three_columns(const sp_fill *f, const stencil *s, int n, int column[3], bool at_bottom[3]) {
    int count = 0;
    for (int i = 0; i < 4; i++)
        if (i != n) column[count++] = i;
    for (int i = 0; i < 3; i++) at_bottom[i] = diagonal_at(f, s->vertex[column[i]], s->vertex[column[(i + 1) % 3]], s->vertex[n]);
    return !is_cyclic(at_bottom);
}

static bool against_one(sp_fill *f, const stencil *s, int n, int material) {
    int column[3], bottom[3], top[3];
    bool at_bottom[3];
    three_columns(f, s, n, column, at_bottom);
    for (int i = 0; i < 3; i++) bottom[i] = s->vertex[column[i]], top[i] = s->cut[column[i]][n];
    bool positive = s->positive == stencil_even(column[0], column[1], column[2], n);
    return stencil_prism(f, bottom, top, at_bottom, positive, material);
}

// Two vertices (i, j) against two (m, n). Columns: (i, j), then the cuts towards m, then those towards n. The caller chooses the
// diagonal of the quadrilateral of cuts: `at_i` says that it starts at the cut of i and m.
static void two_columns(const sp_fill *f, const stencil *s, int i, int j, int m, int n, bool at_i, bool at_bottom[3]) {
    at_bottom[0] = diagonal_at(f, s->vertex[i], s->vertex[j], s->vertex[m]);
    at_bottom[1] = at_i;
    at_bottom[2] = !diagonal_at(f, s->vertex[i], s->vertex[j], s->vertex[n]);
}

static bool against_two(sp_fill *f, const stencil *s, int i, int j, int m, int n, bool at_i, int material) {
    const int bottom[3] = {s->vertex[i], s->cut[i][m], s->cut[i][n]}, top[3] = {s->vertex[j], s->cut[j][m], s->cut[j][n]};
    bool at_bottom[3];
    two_columns(f, s, i, j, m, n, at_i, at_bottom);
    return stencil_prism(f, bottom, top, at_bottom, s->positive == stencil_even(i, m, n, j), material);
}

// Diagonal of the four cuts, P = (0, 1), N = (2, 3): from (0, 2) to (1, 3), or from (0, 3) to (1, 2). Both sides must have a
// decomposition with it; if both diagonals are possible, the shorter is used. Returns false if neither is.
static bool middle_diagonal(sp_fill *f, const stencil *s, bool *from_02) {
    bool able[2], at[3];
    for (int k = 0; k < 2; k++) {
        two_columns(f, s, 0, 1, 2, 3, k, at);
        able[k] = !is_cyclic(at);
        two_columns(f, s, 2, 3, 0, 1, k, at);
        able[k] = able[k] && !is_cyclic(at);
    }
    double d[3], e[3];
    sp__sub3(sp__fill_node(f, s->cut[0][2]), sp__fill_node(f, s->cut[1][3]), d);
    sp__sub3(sp__fill_node(f, s->cut[0][3]), sp__fill_node(f, s->cut[1][2]), e);
    *from_02 = able[1] && (!able[0] || sp__dot3(d, d) <= sp__dot3(e, e));
    return able[0] || able[1];
}

// 1: done, 0: this stencil does not apply, -1: no memory
static int two_materials(sp_fill *f, const stencil *s) {
    bool at[3], good, from_02 = false;
    int column[3];
    if (s->p == 3 && !three_columns(f, s, 3, column, at)) return 0;
    if (s->n == 3 && !three_columns(f, s, 0, column, at)) return 0;
    if (s->p == 2 && s->n == 2 && !middle_diagonal(f, s, &from_02)) return 0;
    int mp = s->material[0], mn = s->material[1];
    if (s->p == 1)
        good = stencil_corner(f, s, 0, mp);
    else if (s->p == 3)
        good = against_one(f, s, 3, mp);
    else
        good = s->n == 1 ? stencil_pyramid(f, s, 0, 1, 2, mp) : against_two(f, s, 0, 1, 2, 3, from_02, mp);
    if (!good) return -1;
    if (s->n == 1)
        good = stencil_corner(f, s, s->p, mn);
    else if (s->n == 3)
        good = against_one(f, s, 0, mn);
    else
        good = s->p == 1 ? stencil_pyramid(f, s, 1, 2, 0, mn) : against_two(f, s, 2, 3, 0, 1, from_02, mn);
    return good ? 1 : -1;
}

// Finds P, N and Z from the cut edges; every edge between P and N must be cut.
static bool stencil_divide(const sp_fill *f, const int cell[4], int node[4][4], stencil *s) {
    int kind[4] = {0}, order[4], count = 0;
    for (int i = 0; i < 4; i++)
        for (int j = 0; j < 4; j++)
            if (node[i][j] >= 0 && !kind[i]) kind[i] = kind[j] == 1 ? 2 : 1;
    for (int i = 0; i < 4; i++)
        for (int j = 0; j < i; j++)
            if ((node[i][j] >= 0) != (kind[i] + kind[j] == 3 && kind[i] && kind[j])) return false;
    s->p = s->n = 0;
    for (int k = 1; k <= 3; k++)
        for (int i = 0; i < 4; i++)
            if (kind[i] == k % 3) {
                s->p += k == 1, s->n += k == 2;
                order[count++] = i;
            }
    for (int i = 0; i < 4; i++) {
        s->vertex[i] = cell[order[i]];
        for (int j = 0; j < 4; j++) s->cut[i][j] = node[order[i]][order[j]];
    }
    s->positive = stencil_even(order[0], order[1], order[2], order[3]);
    s->material[0] = material_of(f, s->vertex, s->p);
    s->material[1] = material_of(f, s->vertex + s->p, s->n);
    return true;
}

// ------------------------------------------------------------------------------------------------ several materials

static int add_extra(sp_fill *f, const double x[3]) {
    if (!SP_FILL_ROOM(f->ctx, f->extra, f->extra_count, f->extra_capacity)) return -1;
    memcpy(f->extra[f->extra_count], x, 3 * sizeof(double));
    return f->vertex_count + f->cut_count + f->extra_count++;
}

static int mean_of(sp_fill *f, const int *nodes, int count) {
    double x[3] = {0};
    for (int i = 0; i < count; i++) sp__axpy3(x, 1.0 / count, sp__fill_node(f, nodes[i]), x);
    return add_extra(f, x);
}

// the point in a face with three cut edges; both cells of the face use the same point
static int face_point(sp_fill *f, const int vertex[3], const int cuts[3]) {
    int a[3] = {vertex[0], vertex[1], vertex[2]};
    sp__sort_ints(a, 3);
    // a face with three cut edges has three cuts: the two cuts at the lowest vertex identify the face
    int first = fill_cut_between(f, a[0], a[1]), second = fill_cut_between(f, a[0], a[2]);
    uint64_t key = (uint64_t)first << 32 | (uint64_t)second;
    int i = sp__hash_get(&f->face_at, key);
    if (i >= 0) return i;
    i = mean_of(f, cuts, 3);
    return i >= 0 && sp__hash_put(f->ctx, &f->face_at, key, i) ? i : -1;
}

typedef struct fan {
    sp_fill *f;
    int apex;
    bool good;
} fan;

static void stencil_join(fan *n, int a, int b, int c, const int *owners, int owner_count) {
    n->good = n->good && stencil_emit(n->f, a, b, c, n->apex, true, material_of(n->f, owners, owner_count));
}

// v: opposite to the outward order, so that (v, apex) is positive; c[i]: the cut of the edge from v[i] to v[i + 1], or -1.
static void join_face(fan *n, const int v[3], const int c[3]) {
    int cuts = (c[0] >= 0) + (c[1] >= 0) + (c[2] >= 0), r = 0;
    if (cuts == 0) {
        stencil_join(n, v[0], v[1], v[2], v, 3);
    } else if (cuts == 3) {
        int p = face_point(n->f, v, c);
        if (p < 0) n->good = false;
        for (int i = 0; i < 3 && n->good; i++) {
            stencil_join(n, v[i], c[i], p, v + i, 1);
            stencil_join(n, v[i], p, c[(i + 2) % 3], v + i, 1);
        }
    } else if (cuts == 1) {
        while (c[r] < 0) r++;
        const int p = v[r], q = v[(r + 1) % 3], z = v[(r + 2) % 3], pz[2] = {p, z}, qz[2] = {q, z};
        stencil_join(n, p, c[r], z, pz, 2);
        stencil_join(n, c[r], q, z, qz, 2);
    } else {
        while (c[r] >= 0) r++;  // edge p q is not cut, z is separated
        const int p = v[r], q = v[(r + 1) % 3], z = v[(r + 2) % 3], qz = c[(r + 1) % 3], zp = c[(r + 2) % 3], pq[2] = {p, q};
        stencil_join(n, z, zp, qz, &z, 1);
        bool at_p = diagonal_at(n->f, p, q, z);
        stencil_join(n, p, q, at_p ? qz : zp, pq, 2);
        stencil_join(n, at_p ? p : q, qz, zp, pq, 2);
    }
}

// A vertex that belongs to all materials and to no cut edge, or -1.
static int whole_vertex(int node[4][4]) {
    for (int i = 0; i < 4; i++)
        if (node[i][0] < 0 && node[i][1] < 0 && node[i][2] < 0 && node[i][3] < 0) return i;
    return -1;
}

// The apex is a vertex that belongs to all materials, joined to its opposite face, or else the mean of the cuts.
static bool several_materials(sp_fill *f, const int cell[4], int node[4][4]) {
    int cuts[6], count = 0, whole = whole_vertex(node);
    for (int i = 0; i < 4; i++)
        for (int j = 0; j < i; j++)
            if (node[i][j] >= 0) cuts[count++] = node[i][j];
    fan n = {.f = f, .apex = whole >= 0 ? cell[whole] : mean_of(f, cuts, count), .good = true};
    if (n.apex < 0) return false;
    for (int k = 0; k < 4; k++) {
        int v[3], c[3];
        // oriented inward, so that the apex is on the positive side
        for (int i = 0; i < 3; i++) v[i] = sp__tet_face[k][2 - i];
        if (whole >= 0 && (v[0] == whole || v[1] == whole || v[2] == whole)) continue;
        for (int i = 0; i < 3; i++) c[i] = node[v[i]][v[(i + 1) % 3]];
        for (int i = 0; i < 3; i++) v[i] = cell[v[i]];
        join_face(&n, v, c);
    }
    return n.good;
}

// ------------------------------------------------------------------------------------------------ all cells

static bool cut_cell(sp_fill *f, const int cell[4]) {
    int node[4][4], count = 0;
    for (int i = 0; i < 4; i++) {
        node[i][i] = -1;
        for (int j = 0; j < i; j++) {
            int cut = fill_cut_between(f, cell[i], cell[j]);
            node[i][j] = node[j][i] = cut < 0 ? -1 : f->vertex_count + cut;
            count += cut >= 0;
        }
    }
    if (count == 0) return stencil_emit(f, cell[0], cell[1], cell[2], cell[3], true, material_of(f, cell, 4));
    stencil s;
    int done = stencil_divide(f, cell, node, &s) ? two_materials(f, &s) : 0;
    return done > 0 || (done == 0 && several_materials(f, cell, node));
}

sp_status sp__fill_stencils(sp_fill *f) {
    for (f->cell = 0; f->cell < f->cell_count; f->cell++)
        if (!cut_cell(f, f->cells[f->cell])) return sp__fill_no_memory(f->ctx);
    return SP_OK;
}

int sp__fill_hold(sp_fill *f) {
    int count = 0;
    double least = 1e-3 * f->tree.unit * f->tree.unit * f->tree.unit;
    for (int t = 0; t < f->tet_count; t++) {
        const int *n = f->tets[t].node;
        double m[9];
        for (int k = 0; k < 3; k++) sp__sub3(sp__fill_node(f, n[k + 1]), sp__fill_node(f, n[0]), m + 3 * k);
        if (sp__det3(m) > least) continue;
        count++;
        for (int k = 0; k < 4; k++) f->vertices[f->cells[f->tets[t].cell][k]].held = true;
    }
    return count;
}

// four edges from corner to centre and two along the axes, of the finest cell: squared lengths 3 and 4
static bool is_body_centred(const sp_fill *f, const int cell[4]) {
    int shorter = 0, longer = 0;
    for (int i = 0; i < 4; i++)
        for (int j = 0; j < i; j++) {
            int64_t d2 = stencil_length2(f->vertices[cell[i]].place, f->vertices[cell[j]].place);
            shorter += d2 == 3, longer += d2 == 4;
        }
    return shorter == 4 && longer == 2;
}

bool sp__fill_is_uniform(const sp_fill *f) {
    for (int c = 0; c < f->cell_count; c++) {
        const int *cell = f->cells[c];
        bool touched = false;
        for (int i = 0; i < 4; i++) {
            const sp_fill_vertex *v = &f->vertices[cell[i]];
            if (v->held) return false;
            touched = touched || v->set[1] || v->own != f->vertices[cell[0]].own;
        }
        if (touched && !is_body_centred(f, cell)) return false;
    }
    return true;
}
