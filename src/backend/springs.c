#include "backend/springs.h"

#include "math/vec3.h"

// ------------------------------------------------------------------------------------------------ patterns

// A quadratic tetrahedron has the springs of the 8 linear ones that divide it: an edge of n of them has n shares of 48.
#define ONE (1. / 48)
#define TWO (2. / 48)
#define THREE (3. / 48)
#define FOUR (4. / 48)
// A cube is isotropic if edges : diagonals of faces : diagonals of the body = 17 : 36 : 36 (12, 12 and 4 of them).
#define EDGE (17. / 780)
#define DIAGONAL (36. / 780)

static const sp_spring_pattern tet4 = {
    6, 1, {{0, 1}, {1, 2}, {2, 0}, {0, 3}, {1, 3}, {2, 3}}, {1. / 6, 1. / 6, 1. / 6, 1. / 6, 1. / 6, 1. / 6}, {{0, 1, 2, 3}}};

static const sp_spring_pattern tet10 = {
    25,
    8,
    {{0, 4}, {4, 1}, {1, 5}, {5, 2}, {2, 6}, {6, 0}, {0, 7}, {7, 3}, {1, 8}, {8, 3}, {2, 9}, {9, 3}, {4, 6},
     {4, 7}, {6, 7}, {4, 5}, {4, 8}, {5, 8}, {5, 6}, {5, 9}, {6, 9}, {7, 8}, {7, 9}, {8, 9}, {5, 7}},
    {ONE,   ONE,   ONE,   ONE, ONE,   ONE,   ONE,   ONE, ONE,   ONE,   ONE, ONE, TWO,
     THREE, THREE, THREE, TWO, THREE, THREE, THREE, TWO, THREE, THREE, TWO, FOUR},
    {{0, 4, 6, 7}, {4, 1, 5, 8}, {6, 5, 2, 9}, {7, 8, 9, 3}, {5, 7, 6, 4}, {5, 7, 9, 6}, {5, 7, 8, 9}, {5, 7, 4, 8}}};

static const sp_spring_pattern hex8 = {
    28,
    6,
    {{0, 1}, {1, 2}, {2, 3}, {3, 0}, {4, 5}, {5, 6}, {6, 7}, {7, 4}, {0, 4}, {1, 5}, {2, 6}, {3, 7}, {0, 2}, {1, 3},
     {4, 6}, {5, 7}, {0, 5}, {1, 4}, {1, 6}, {2, 5}, {2, 7}, {3, 6}, {3, 4}, {0, 7}, {0, 6}, {1, 7}, {2, 4}, {3, 5}},
    {EDGE,     EDGE,     EDGE,     EDGE,     EDGE,     EDGE,     EDGE,     EDGE,     EDGE,     EDGE,
     EDGE,     EDGE,     DIAGONAL, DIAGONAL, DIAGONAL, DIAGONAL, DIAGONAL, DIAGONAL, DIAGONAL, DIAGONAL,
     DIAGONAL, DIAGONAL, DIAGONAL, DIAGONAL, DIAGONAL, DIAGONAL, DIAGONAL, DIAGONAL},
    {{0, 1, 2, 6}, {0, 2, 3, 6}, {0, 3, 7, 6}, {0, 7, 4, 6}, {0, 4, 5, 6}, {0, 5, 1, 6}}};

static const sp_spring_pattern tri3 = {3, 0, {{0, 1}, {1, 2}, {2, 0}}, {1. / 3, 1. / 3, 1. / 3}, {{0}}};

const sp_spring_pattern *sp__spring_pattern(sp_element_type type) {
    switch (type) {
    case SP_ELEMENT_TET4: return &tet4;
    case SP_ELEMENT_TET10: return &tet10;
    case SP_ELEMENT_HEX8: return &hex8;
    case SP_ELEMENT_TRI3: return &tri3;
    default: return NULL;
    }
}

// ------------------------------------------------------------------------------------------------ one spring

// x, and what it returns, in 4 numbers per node
typedef struct spring {
    const double *a, *b;
    double d[3], length, rest, k;  // direction, now, at rest, stiffness
} spring;

static spring spring_at(const sp_springs *g, int element, int i, const double *x) {
    const sp_spring_pattern *p = g->pattern;
    const uint16_t *node = g->local + (size_t)g->nodes * (size_t)element;
    spring s = {x + 4 * (size_t)node[p->pair[i][0]], x + 4 * (size_t)node[p->pair[i][1]], {0}, 0, 0, 0};
    s.rest = g->length[(size_t)p->count * (size_t)element + (size_t)i];
    s.k = g->stiffness[element] * p->share[i] / (s.rest * s.rest);
    sp__sub3(s.b, s.a, s.d);
    s.length = sp__norm3(s.d);
    // ends at one place have no direction, and no force acts
    for (int k = 0; k < 3; k++) s.d[k] = s.length > 0 ? s.d[k] / s.length : 0;
    return s;
}

static double spring_energy(const spring *s) {
    return 0.5 * s->k * (s->length - s->rest) * (s->length - s->rest);
}

static void spring_keep(const sp_springs *g, const spring *s, double *state) {
    double across = s->length > 0 ? s->k * (1 - s->rest / s->length) : 0;
    for (int k = 0; k < 3; k++) state[k] = s->d[k];
    state[3] = s->k;
    state[4] = g->definite ? fmax(across, 0) : across;
}

static double *spring_state(const sp_springs *g, int element, int i) {
    return g->state + SP_SPRING_STATE * ((size_t)g->pattern->count * (size_t)element + (size_t)i);
}

// ------------------------------------------------------------------------------------------------ chunks

double sp__springs_state(const sp_springs *g, int chunk, const double *x, double *y) {
    double energy = 0;
    for (int e = g->block_start[chunk]; e < g->block_start[chunk + 1]; e++)
        for (int i = 0; i < g->pattern->count; i++) {
            const spring s = spring_at(g, e, i, x);
            energy += spring_energy(&s);
            if (!y) continue;
            spring_keep(g, &s, spring_state(g, e, i));
            for (int k = 0; k < 3; k++) {
                double f = s.k * (s.length - s.rest) * s.d[k];
                y[s.a - x + k] += f, y[s.b - x + k] -= f;
            }
        }
    return energy;
}

static double cell_volume(const double *x, const uint16_t *node, const unsigned char cell[4]) {
    double e[3][3], n[3];
    for (int a = 0; a < 3; a++) sp__sub3(x + 4 * (size_t)node[cell[a + 1]], x + 4 * (size_t)node[cell[0]], e[a]);
    sp__cross3(e[0], e[1], n);
    return sp__dot3(n, e[2]) / 6;
}

// area of a triangle now over that at rest, which the lengths of its edges give (Heron)
static double area_ratio(const sp_springs *g, int element, const double *x) {
    const uint16_t *node = g->local + 3 * (size_t)element;
    const double *l = g->length + 3 * (size_t)element, half = 0.5 * (l[0] + l[1] + l[2]);
    double u[3], v[3], n[3];
    sp__sub3(x + 4 * (size_t)node[1], x + 4 * (size_t)node[0], u);
    sp__sub3(x + 4 * (size_t)node[2], x + 4 * (size_t)node[0], v);
    sp__cross3(u, v, n);
    return 0.5 * sp__norm3(n) / sqrt(half * (half - l[0]) * (half - l[1]) * (half - l[2]));
}

void sp__springs_sums(const sp_springs *g, int chunk, const double *x, double out[3]) {
    out[0] = sp__springs_state(g, chunk, x, NULL), out[1] = out[2] = 0;
    for (int e = g->block_start[chunk]; e < g->block_start[chunk + 1]; e++) {
        bool inverted = false;
        if (g->pattern->cells == 0) out[1] += g->volume[e] * area_ratio(g, e, x);
        for (int c = 0; g->volume[e] > 0 && c < g->pattern->cells; c++) {
            double volume = cell_volume(x, g->local + (size_t)g->nodes * (size_t)e, g->pattern->cell[c]);
            out[1] += volume;
            inverted = inverted || volume <= 0;
        }
        out[2] += inverted;
    }
}

// K of two ends: across (I - d d^T) + along d d^T, row i times v
static void spring_mul(const double *state, const double v[3], double out[3]) {
    double along = sp__dot3(state, v);
    for (int k = 0; k < 3; k++) out[k] = state[4] * v[k] + (state[3] - state[4]) * along * state[k];
}

void sp__springs_product(const sp_springs *g, int chunk, const double *x, double *y) {
    for (int e = g->block_start[chunk]; e < g->block_start[chunk + 1]; e++) {
        const uint16_t *node = g->local + (size_t)g->nodes * (size_t)e;
        for (int i = 0; i < g->pattern->count; i++) {
            size_t a = 4 * (size_t)node[g->pattern->pair[i][0]], b = 4 * (size_t)node[g->pattern->pair[i][1]];
            double v[3], f[3];
            sp__sub3(x + b, x + a, v);
            spring_mul(spring_state(g, e, i), v, f);
            for (int k = 0; k < 3; k++) y[a + (size_t)k] -= f[k], y[b + (size_t)k] += f[k];
        }
    }
}

// number of the pair (a, b), a < b, in the order of sp__pairs
static int pair_number(int nodes, int a, int b) {
    return nodes + a * (2 * nodes - a - 1) / 2 + b - a - 1;
}

static void block_add(double *blocks, int at, const double K[9], double sign) {
    if (at < 0) return;
    double *to = blocks + 9 * (size_t)(at >> 1);  // K is symmetric: transposed blocks are the same
    for (int k = 0; k < 9; k++) to[k] += sign * K[k];
}

void sp__springs_assemble(const sp_springs *g, const sp_stencil *where, double factor, double *blocks) {
    const int pairs = g->nodes * (g->nodes + 1) / 2;
    for (int s = 0; s < where->count; s++) {
        const int *at = where->at + (size_t)pairs * (size_t)s;
        for (int i = 0; i < g->pattern->count; i++) {
            const double *state = spring_state(g, where->block[s], i);
            int a = g->pattern->pair[i][0], b = g->pattern->pair[i][1];
            double K[9];
            for (int k = 0; k < 9; k++)
                K[k] = factor * ((k % 4 ? 0 : state[4]) + (state[3] - state[4]) * state[k / 3] * state[k % 3]);
            block_add(blocks, at[a], K, 1), block_add(blocks, at[b], K, 1);
            block_add(blocks, at[a < b ? pair_number(g->nodes, a, b) : pair_number(g->nodes, b, a)], K, -1);
        }
    }
}

// ------------------------------------------------------------------------------------------------ queries

// edges of a triangle and its normal of length 1, in columns
static void triangle_frame(const double *x, double A[9]) {
    double u[3], v[3], n[3];
    sp__sub3(x + 3, x, u), sp__sub3(x + 6, x, v);
    sp__cross3(u, v, n);
    double length = sp__norm3(n);
    for (int k = 0; k < 3; k++) A[3 * k] = u[k], A[3 * k + 1] = v[k], A[3 * k + 2] = length > 0 ? n[k] / length : 0;
}

void sp__springs_gradient(int nodes, const double *X, const double *x, double F[9]) {
    if (nodes == 3) {
        double now[9], before[9], over[9];
        triangle_frame(x, now), triangle_frame(X, before);
        sp__inverse3(before, over);
        sp__mul33(now, over, F);
        return;
    }
    double middle[2][3] = {{0}}, moved[9] = {0}, rest[9] = {0}, inverse[9];
    for (int a = 0; a < nodes; a++)
        for (int k = 0; k < 3; k++) middle[0][k] += X[3 * a + k] / nodes, middle[1][k] += x[3 * a + k] / nodes;
    for (int a = 0; a < nodes; a++)
        for (int k = 0; k < 9; k++) {
            double to = X[3 * a + k % 3] - middle[0][k % 3];
            moved[k] += (x[3 * a + k / 3] - middle[1][k / 3]) * to;
            rest[k] += (X[3 * a + k / 3] - middle[0][k / 3]) * to;
        }
    sp__inverse3(rest, inverse);
    sp__mul33(moved, inverse, F);
}

double sp__springs_virial(const sp_springs *g, int element, const double *x, double virial[6]) {
    static const int row[6] = {0, 1, 2, 0, 1, 2}, column[6] = {0, 1, 2, 1, 2, 0};
    double energy = 0;
    for (int k = 0; k < 6; k++) virial[k] = 0;
    for (int i = 0; i < g->pattern->count; i++) {
        const sp_spring_pattern *p = g->pattern;
        double d[3], rest = g->length[(size_t)p->count * (size_t)element + (size_t)i];
        double stiffness = g->stiffness[element] * p->share[i] / (rest * rest);
        sp__sub3(x + 3 * p->pair[i][1], x + 3 * p->pair[i][0], d);
        double length = sp__norm3(d), tension = length > 0 ? stiffness * (length - rest) / length : 0;
        for (int k = 0; k < 6; k++) virial[k] += tension * d[row[k]] * d[column[k]];
        energy += 0.5 * stiffness * (length - rest) * (length - rest);
    }
    return energy;
}
