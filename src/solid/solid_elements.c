// The solid as a heap of turning elements, for solvers that keep matrices of their own: rest gradients in world axes, rotations,
// lumped masses and point terms. Elements are the slots of the kernels, fillers included.
#include "solid/solid.h"

static void rotations(void *o, int begin, int end, double *R) {
    const sp_solid *s = sp__solid(o);
    if (s->model != SP_LINEAR) {
        sp__solid_element_turns(s, begin, end, R);
        return;
    }
    for (int k = 0; k < 9 * (end - begin); k++) R[k] = k % 9 % 4 == 0;
}

// rows of the inverse of the rest edges are the gradients of corners 1..3
static void rest(void *o, sp_coef c, int begin, int end, double *G) {
    const sp_solid *s = sp__solid(o);
    const sp_tets *t = &s->tets;
    double stiff = sqrt(c.k + c.b * s->rayleigh_stiffness);
    for (int slot = begin; slot < end; slot++, G += 10) {
        double edges[9], inverse[9], factor = stiff * t->scale[slot];
        const double *x0 = s->rest + 3 * (size_t)sp__solid_corner(t, slot, 0);
        for (int a = 0; a < 3; a++) {
            const double *x = s->rest + 3 * (size_t)sp__solid_corner(t, slot, a + 1);
            for (int k = 0; k < 3; k++) edges[3 * k + a] = x[k] - x0[k];
        }
        sp__inverse3(edges, inverse);
        for (int k = 0; k < 9; k++) G[k] = factor * inverse[k];
        G[9] = t->ratio[slot];
    }
}

static void diagonal(void *o, sp_coef c, double *d) {
    const sp_solid *s = sp__solid(o);
    double heavy = c.m + c.b * s->rayleigh_mass;
    for (int i = 0; i < s->nodes; i++) d[i] = heavy * s->mass[i] + c.b * s->drag_of[i];
}

void sp__solid_terms(void *o, sp_coef c, void (*fn)(void *arg, int i, int j, const double B[9]), void *arg) {
    const sp_solid *s = sp__solid(o);
    for (int t = 0; t < s->term_count; t++) {
        const sp_solid_term *term = &s->terms[t];
        const int *node = term->node;
        const double *w = term->w;
        double m[6];
        for (int k = 0; k < 6; k++) m[k] = c.k * term->k[k] + c.b * term->b[k];
        for (int i = 0; i < 4; i++)
            for (int j = i; j < 4; j++) {
                double f = w[i] * w[j];
                double B[9] = {f * m[0], f * m[3], f * m[5], f * m[3], f * m[1], f * m[4], f * m[5], f * m[4], f * m[2]};
                int low = node[i] < node[j] ? node[i] : node[j], high = node[i] < node[j] ? node[j] : node[i];
                if (f != 0) fn(arg, low, high, B);
            }
    }
}

sp_status sp__solid_elements(sp_body *b, const sp_elements **out) {
    sp_solid *s = sp__solid(b);
    const sp_tets *t = &s->tets;
    int count = t->blocks * t->lanes;
    *out = NULL;
    if (b->solver_def.type != SP_SOLVER_UPDATED_CHOLESKY) return SP_OK;
    if (!s->slot_node) {
        if (!SP_NEW(b->ctx, s->slot_node, 4 * (size_t)count))
            return SP_BODY_FAIL(b, SP_NO_MEMORY, "no memory for the elements of '%s' (%d)", b->name, s->elements);
        for (int i = 0; i < 4 * count; i++) s->slot_node[i] = sp__solid_corner(t, i / 4, i % 4);
    }
    s->heap = (sp_elements){.count = count,
                            .node = s->slot_node,
                            .volume = s->volume,
                            .user = s->user_tet,
                            .revision = s->material_revision,
                            .rotations = rotations,
                            .rest = rest,
                            .diagonal = diagonal,
                            .terms = sp__solid_terms};
    *out = &s->heap;
    return SP_OK;
}
