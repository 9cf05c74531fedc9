// Smoothing of the worst angles where the stencils give no bound. Nodes of bad tetrahedra move towards the mean of their
// neighbours as long as the worst angle around them improves. A node between two materials is projected back to the border. Where
// angles are still bad, nodes on borders and on junctions of three materials may leave their position by a fifth of a cell.
#include "math/vec3.h"
#include "mesh/fill.h"

enum { PASSES = 10 };

// cosines of 15 and 10 degrees: tetrahedra better than GOOD are left alone; worse than BAD, accuracy of the border is given up. A
// large angle is compared as 180 degrees minus the angle.
static const double GOOD = 0.966, BAD = 0.985;
// how far a border node may then move, in cells
static const double LEAVE = 0.2;

typedef struct improve {
    sp_fill *f;
    int *start, *around;  // tetrahedra by node
    unsigned char *kind;  // 0 unused, 1 inside one material, 2 between two, 3 fixed
    int (*sides)[2];      // the two materials of a node of kind 2
    double (*home)[3];    // original positions
} improve;

static double badness(sp_fill *f, int t) {
    const int *n = f->tets[t].node;
    const double *a = sp__fill_node(f, n[0]), *b = sp__fill_node(f, n[1]), *c = sp__fill_node(f, n[2]),
                 *d = sp__fill_node(f, n[3]);
    double m[9], cosines[2];
    sp__sub3(b, a, m), sp__sub3(c, a, m + 3), sp__sub3(d, a, m + 6);
    if (!(sp__det3(m) > 0)) return 2;
    sp__tet_dihedral(a, b, c, d, cosines);
    return fmax(cosines[0], -cosines[1]);
}

static double worst_around(const improve *v, int node) {
    double worst = -1;
    for (int i = v->start[node]; i < v->start[node + 1]; i++) worst = fmax(worst, badness(v->f, v->around[i]));
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

static sp_status begin(improve *v) {
    sp_fill *f = v->f;
    int n = sp__fill_node_count(f);
    if (!SP_NEW(f->ctx, v->start, (size_t)n + 2) || !SP_NEW(f->ctx, v->around, 4 * (size_t)f->tet_count + 1) ||
        !SP_NEW(f->ctx, v->kind, (size_t)n + 1) || !SP_NEW(f->ctx, v->sides, (size_t)n + 1) ||
        !SP_NEW(f->ctx, v->home, (size_t)n + 1))
        return sp__fill_no_memory(f->ctx);
    for (int t = 0; t < f->tet_count; t++)
        for (int k = 0; k < 4; k++) {
            v->start[f->tets[t].node[k] + 2]++;
            note_material(v, f->tets[t].node[k], f->tets[t].material);
        }
    for (int i = 0; i < n; i++) v->start[i + 2] += v->start[i + 1];
    for (int t = 0; t < f->tet_count; t++)
        for (int k = 0; k < 4; k++) v->around[v->start[f->tets[t].node[k] + 1]++] = t;
    for (int i = 0; i < n; i++) memcpy(v->home[i], sp__fill_node(f, i), sizeof v->home[i]);
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

static bool at_home(const improve *v, int node, const double x[3]) {
    double d[3];
    sp__sub3(x, v->home[node], d);
    return sp__norm3(d) <= LEAVE * 2 * v->f->tree.unit;
}

// moves towards the mean, halving the step; true: the worst angle improved
static bool try_mean(const improve *v, int node, bool all, double before) {
    double *x = sp__fill_node(v->f, node), old[3] = {x[0], x[1], x[2]}, mean[3];
    bool free = v->kind[node] == 1;
    if (!mean_around(v, node, all, mean)) return false;
    for (double part = 1; part > 0.05; part *= 0.5) {
        for (int k = 0; k < 3; k++) x[k] = old[k] + part * (mean[k] - old[k]);
        bool allowed = free || (all ? at_home(v, node, x) : v->kind[node] == 2 && to_border(v, node, x));
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
    sp_status status = begin(&v);
    int n = sp__fill_node_count(f);
    for (int pass = 0; status == SP_OK && pass < PASSES; pass++)
        for (int node = 0; node < n; node++)
            if (v.kind[node]) move_node(&v, node);
    sp__free(f->ctx, v.start);
    sp__free(f->ctx, v.around);
    sp__free(f->ctx, v.kind);
    sp__free(f->ctx, v.sides);
    sp__free(f->ctx, v.home);
    return status;
}
