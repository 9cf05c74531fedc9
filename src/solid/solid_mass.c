// The mass matrix of a solid, lumped at the nodes or consistent. The consistent one has the same number m_ab = integral of
// density N_a N_b for each direction of space. An element keeps its mass and, by pairs of nodes, the numbers m_ab over it, which
// depend on the rest shape only: linear tetrahedra share 1/10 and 1/20. Point masses are on the diagonal of both.
#include "math/unroll.h"
#include "solid/solid.h"

static size_t mass_pairs(const sp_solid_group *g) {
    return (size_t)(g->nodes * (g->nodes + 1) / 2);
}

// ------------------------------------------------------------------------------------------------ creation

static void slot_share(const sp_solid *s, sp_solid_group *g, int slot) {
    const size_t w = (size_t)g->lanes, at = (size_t)(slot - g->first), pairs = mass_pairs(g);
    double x[3 * SP_ELEMENT_NODES_MAX], products[SP_ELEMENT_PAIRS_MAX];
    for (int a = 0; a < g->nodes; a++) memcpy(x + 3 * a, s->rest + 3 * (size_t)sp__group_node(g, slot, a), 3 * sizeof *x);
    sp__element_products(g->type, x, products);
    for (size_t k = 0; k < pairs; k++)
        g->mass_share[(at / w * pairs + k) * w + at % w] = s->volume[slot] > 0 ? products[k] / s->volume[slot] : 0;
}

static sp_status group_make_mass(sp_context *ctx, const sp_solid *s, sp_solid_group *g) {
    const bool shared = g->type == SP_ELEMENT_TET4;
    if (!SP_NEW(ctx, g->mass_share, shared ? mass_pairs(g) : mass_pairs(g) * (size_t)g->slots + 1)) return SP_NO_MEMORY;
    for (size_t k = 0; shared && k < mass_pairs(g); k++) g->mass_share[k] = k < 4 ? 0.1 : 0.05;
    for (int slot = g->first; !shared && slot < g->first + g->slots; slot++) slot_share(s, g, slot);
    return SP_OK;
}

sp_status sp__solid_make_mass(sp_body *b) {
    sp_solid *s = sp__solid(b);
    const size_t n = (size_t)s->nodes;
    bool linear = true;
    if (!SP_NEW(b->ctx, s->mass, n)) return SP_NO_MEMORY;
    s->load_mass = s->diagonal_mass = s->mass;
    for (int g = 0; g < s->group_count; g++) linear = linear && s->group[g].type == SP_ELEMENT_TET4;
    if (!linear && (s->consistent || b->integrator.type == SP_STATIC) && !SP_NEW(b->ctx, s->load_mass, n)) {
        s->load_mass = s->mass;
        return SP_NO_MEMORY;
    }
    if (!s->consistent) return SP_OK;
    if (!SP_NEW(b->ctx, s->diagonal_mass, n)) {
        s->diagonal_mass = s->mass;
        return SP_NO_MEMORY;
    }
    if (!SP_NEW(b->ctx, s->element_mass, s->slots + 1)) return SP_NO_MEMORY;
    for (int g = 0; g < s->group_count; g++) SP_TRY(group_make_mass(b->ctx, s, &s->group[g]));
    return SP_OK;
}

void sp__mass_rows(const sp_solid_group *g, int slot, double *rows) {
    const size_t w = (size_t)g->lanes, at = (size_t)(slot - g->first), pairs = mass_pairs(g);
    for (int a = 0; a < g->nodes; a++) rows[a] = 0;
    for (size_t k = 0; k < pairs; k++) {
        double share = g->type == SP_ELEMENT_TET4 ? g->mass_share[k] : g->mass_share[(at / w * pairs + k) * w + at % w];
        int a, b;
        sp__pairs(g->nodes, (int)k, &a, &b);
        rows[a] += share;
        if (a != b) rows[b] += share;
    }
}

void sp__solid_point_mass(sp_solid *s, int node, double mass) {
    s->mass[node] += mass;
    if (s->load_mass != s->mass) s->load_mass[node] += mass;
    if (s->diagonal_mass != s->mass) s->diagonal_mass[node] += mass;
}

// ------------------------------------------------------------------------------------------------ elements of a chunk

enum { NUMBERS_MAX = 3 * SP_ELEMENT_NODES_MAX * SP_LANES_MAX };

// local numbers of the nodes of a structure
static const uint16_t *structure_local(const sp_solid_group *g, size_t block) {
    return g->local + block * (size_t)(g->nodes * g->lanes);
}

static void structure_gather(const sp_solid_group *g, size_t block, const double *local, double *x) {
    const uint16_t *id = structure_local(g, block);
    for (int a = 0; a < g->nodes; a++)
        for (int l = 0; l < g->lanes; l++)
            for (int k = 0; k < 3; k++) x[(3 * a + k) * g->lanes + l] = local[4 * id[a * g->lanes + l] + k];
}

// f = (1 + delta_ab) / 20 x
SP_INLINE void tet4_product(int lanes, const double *x, double *f) {
    for (int k = 0; k < 3; k++)
        for (int l = 0; l < lanes; l++) {
            double sum = 0;
            for (int a = 0; a < 4; a++) sum += x[(3 * a + k) * lanes + l];
            for (int a = 0; a < 4; a++) f[(3 * a + k) * lanes + l] = 0.05 * (sum + x[(3 * a + k) * lanes + l]);
        }
}

// lanes and nodes are constants, so that the loops over lanes become vectors
SP_INLINE void pairs_product(int lanes, int nodes, const double *share, const double *x, double *f) {
    const double *other = share + nodes * lanes;
    for (int i = 0; i < 3 * nodes; i++)
        for (int l = 0; l < lanes; l++) f[i * lanes + l] = share[i / 3 * lanes + l] * x[i * lanes + l];
    for (int a = 0; a < nodes; a++)
        for (int b = a + 1; b < nodes; b++, other += lanes)
            for (int k = 0; k < 3; k++)
                for (int l = 0; l < lanes; l++) {
                    f[(3 * a + k) * lanes + l] += other[l] * x[(3 * b + k) * lanes + l];
                    f[(3 * b + k) * lanes + l] += other[l] * x[(3 * a + k) * lanes + l];
                }
}

SP_INLINE void lanes_product(int lanes, const sp_solid_group *g, size_t block, const double *x, double *f) {
    const double *share = g->mass_share + (g->nodes == 4 ? 0 : block * mass_pairs(g) * (size_t)lanes);
    if (g->nodes == 4)
        tet4_product(lanes, x, f);
    else if (g->nodes == 10)
        pairs_product(lanes, 10, share, x, f);
    else
        pairs_product(lanes, 8, share, x, f);
}

// f = M x of the elements of a structure, divided by their masses
static void structure_product(const sp_solid_group *g, size_t block, const double *x, double *f) {
    if (g->lanes == 4)
        lanes_product(4, g, block, x, f);
    else if (g->lanes == 1)
        lanes_product(1, g, block, x, f);
    else
        lanes_product(g->lanes, g, block, x, f);
}

void sp__mass_product(const sp_solid *s, const sp_solid_group *g, int chunk, double factor, const double *x, double *y) {
    double u[NUMBERS_MAX], f[NUMBERS_MAX];
    for (size_t b = (size_t)g->block_start[chunk]; b < (size_t)g->block_start[chunk + 1]; b++) {
        const uint16_t *id = structure_local(g, b);
        const double *mass = s->element_mass + (size_t)g->first + b * (size_t)g->lanes;
        structure_gather(g, b, x, u);
        structure_product(g, b, u, f);
        for (int a = 0; a < g->nodes; a++)
            for (int l = 0; l < g->lanes; l++)
                for (int k = 0; k < 3; k++) y[4 * id[a * g->lanes + l] + k] += factor * mass[l] * f[(3 * a + k) * g->lanes + l];
    }
}

double sp__mass_energy(const sp_solid *s, const sp_solid_group *g, int chunk, const double *x) {
    double u[NUMBERS_MAX], f[NUMBERS_MAX], sum = 0;
    for (size_t b = (size_t)g->block_start[chunk]; b < (size_t)g->block_start[chunk + 1]; b++) {
        const double *mass = s->element_mass + (size_t)g->first + b * (size_t)g->lanes;
        structure_gather(g, b, x, u);
        structure_product(g, b, u, f);
        for (int i = 0; i < 3 * g->nodes; i++)
            for (int l = 0; l < g->lanes; l++) sum += 0.5 * mass[l] * u[i * g->lanes + l] * f[i * g->lanes + l];
    }
    return sum;
}

void sp__mass_assemble(const sp_solid *s, const sp_solid_group *g, const sp_stencil *where, double factor, double *blocks) {
    const size_t w = (size_t)g->lanes, pairs = mass_pairs(g);
    const int *at = where->at;
    for (int i = 0; i < where->count; i++) {
        const size_t block = (size_t)where->block[i];
        for (size_t k = 0; k < pairs * w; k++, at++) {
            if (*at < 0) continue;
            double *to = blocks + 9 * (size_t)(*at >> 1);
            double share = g->nodes == 4 ? g->mass_share[k / w] : g->mass_share[block * pairs * w + k];
            double m = factor * s->element_mass[(size_t)g->first + block * w + k % w] * share;
            to[0] += m, to[4] += m, to[8] += m;
        }
    }
}

// ------------------------------------------------------------------------------------------------ product

typedef struct mass_pass {
    const sp_solid *s;
    const sp_solid_group *g;
    const double *x;
    double *y;
} mass_pass;

static double mass_chunk(const void *data, int chunk, const double *x, double *y) {
    const mass_pass *p = data;
    sp__mass_product(p->s, p->g, chunk, 1, x, y);
    return 0;
}

static double mass_nodes(void *arg, int begin, int end) {
    const mass_pass *p = arg;
    for (int i = begin; i < end; i++) {
        double e[3];
        sp__solid_slots(p->s, i, e);
        for (size_t at = 3 * (size_t)i, k = 0; k < 3; k++) p->y[at + k] = p->s->diagonal_mass[i] * p->x[at + k] + e[k];
    }
    return 0;
}

void sp__solid_mass(sp_body *b, const double *x, double *y, bool inverse) {
    sp_solid *s = sp__solid(b);
    sp__solid_materials(b);
    for (int i = 0; i < s->nodes && !s->consistent; i++) {
        double m = s->mass[i], f = inverse ? (m > 0 ? 1 / m : 0) : m;
        for (int k = 0; k < 3; k++) y[3 * (size_t)i + (size_t)k] = f * x[3 * (size_t)i + (size_t)k];
    }
    if (!s->consistent) return;
    SP_ASSERT(!inverse);  // SP_CAP_MASSLESS
    mass_pass p = {.s = s, .x = x, .y = y};
    for (int g = 0; g < s->group_count; g++) {
        p.g = &s->group[g];
        sp__chunks_run(b->ctx, s->be, &s->group[g].chunks, mass_chunk, &p, x, NULL, true, s->scratch);
    }
    sp__ranges(b->ctx, s->nodes, mass_nodes, &p, s->partial);
}
