// See model_chain.h.
#include "rod/model_chain.h"

#include "linear/banded.h"
#include "math/vec3.h"

static sp_status chain_check_curvature(sp_body *b, int part, bool twist, const char *what) {
    const sp_rod *r = sp__rod(b);
    const sp_rod_part *p = &r->part[part];
    for (int i = 0; i <= p->elements; i++) {
        const double *k = r->natural + 3 * (size_t)(p->node + i), length = r->length[p->element + (i < p->elements ? i : i - 1)];
        double turn = (twist ? sp__norm3(k) : hypot(k[1], k[2])) * length;
        if (twist ? turn < SP_PI : turn <= SP_PI) continue;
        return SP_BODY_FAIL(b, SP_BAD_INPUT,
                            "strand %d: the natural curvature at node %d turns by %g rad in an element, a %s takes %s %g: use "
                            "more elements",
                            part, i, turn, what, twist ? "less than" : "up to", SP_PI);
    }
    return SP_OK;
}

sp_status sp__chain_create(sp_body *b, int part, int q, int v, bool twist, const char *what) {
    sp_chain *c = sp__chain(b, part);
    c->q = q, c->v = v;
    SP_TRY(chain_check_curvature(b, part, twist, what));
    return SP_NEW(b->ctx, c->mass, (size_t)sp__rod(b)->part[part].elements + 1) ? SP_OK : SP_NO_MEMORY;
}

void sp__chain_destroy(sp_body *b, int part) {
    sp__free(b->ctx, sp__chain(b, part)->mass);
}

void sp__chain_lump_masses(sp_body *b, int part) {
    const sp_rod *r = sp__rod(b);
    const sp_rod_part *p = &r->part[part];
    double *mass = sp__chain(b, part)->mass;
    sp_rod_mass m;
    memset(mass, 0, ((size_t)p->elements + 1) * sizeof *mass);
    for (int e = 0; e < p->elements; e++)
        for (int end = 0; end < 2; end++)
            mass[e + end] += 0.5 * sp__rod_stiffness(r, p->element + e)->line_density * r->length[p->element + e];
    for (int i = 0; sp__rod_mass_next(b, part, &i, &m);)
        for (int end = 0; end < 2; end++) mass[m.element + end] += m.mass * (end ? m.u : 1 - m.u);
}

double sp__chain_add_weight(const sp_body *b, int part, double potential, double *f) {
    const sp_rod *r = sp__rod(b);
    const sp_chain *c = sp__chain(b, part);
    const double *x = sp__rod_kinematics_at(b, part);
    for (int i = 0; i <= r->part[part].elements; i++, x += c->q, f += c->v) {
        sp__axpy3(f, c->mass[i], r->acceleration, f);
        potential -= c->mass[i] * sp__dot3(r->acceleration, x);
    }
    return potential;
}

void sp__chain_add_masses(const sp_body *b, int part, double *M) {
    const sp_rod_part *p = &sp__rod(b)->part[part];
    const sp_chain *c = p->model;
    for (int i = 0; i <= p->elements; i++)
        for (int k = 0; k < 3; k++) *sp__banded_at(M, p->band, c->v * i + k, c->v * i + k) += c->mass[i];
}

int sp__chain_find(int elements, const double *s, double at, int near, double *share) {
    int e = near < elements ? near : elements - 1;
    while (e > 0 && at < s[e]) e--;
    while (e + 1 < elements && at > s[e + 1]) e++;
    *share = fmin(fmax((at - s[e]) / (s[e + 1] - s[e]), 0), 1);
    return e;
}
