// A body kind with closed-form answers, for tests of drivers, loads and world: a chain of equal masses connected by isotropic
// springs, f = (k + k3 |u|^2) u for the stretch u of a spring. Users number its nodes from the far end, so that inner and outer
// numbers differ.
#ifndef SP_MOCK_BODY_H
#define SP_MOCK_BODY_H

#include "backend/backend.h"
#include "body/body.h"
#include "math/vec3.h"

typedef struct mock_def {
    int nodes;           // >= 2; inner node 0 is fixed
    double mass;         // of a node [kg]
    double k, k3;        // [N/m], [N/m3]
    double alpha;        // damping by mass [1/s]
    double spacing;      // along x [m]
    bool contact_state;  // nodes are collision points
    bool free;           // no node is fixed
    sp_integrator_type type;
    double tolerance;  // of the linear solver
} mock_def;

typedef struct mock {
    int nodes;
    double mass, alpha, spacing;
    double k[2];           // k, k3: parameters
    double *tangent;       // per spring 3x3, of the last linearise
    sp_point_term *terms;  // of the last linearise
    int term_count, term_capacity;
    bool broken;  // evaluate gives a NaN, for tests of the guard
    int changed;  // calls of the parameter hook
    uint64_t values;
} mock;

static inline mock *mock_of(sp_body *b) {
    return b->impl;
}

static void mock_destroy(sp_body *b) {
    sp_context *ctx = b->ctx;
    mock *m = b->impl;
    if (m) sp__free(ctx, m->tangent), sp__free(ctx, m->terms);
    sp__free(ctx, m);
    sp__body_free(b);
    sp__free(ctx, b);
}

static void mock_visit(sp_body *b, sp_tier tier, sp_visitor *v) {
    mock *m = mock_of(b);
    sp__body_visit(b, tier, v);
    if (tier == SP_TOPOLOGY) v->array(v, "spacing", &m->spacing, sizeof m->spacing, 1);
    if (tier == SP_PARAMETERS) v->array(v, "k", m->k, sizeof *m->k, 2);
}

static void mock_refresh(sp_body *b) {
    mock_of(b)->values++;
}

static void mock_prescribe(sp_body *b, const sp_step *step) {
    (void)b, (void)step;  // targets stay where creation and pins put them
}

// stretch of spring e at the trial state
static void mock_stretch(sp_body *b, int e, double u[3]) {
    const double *x = b->q[SP_TRIAL];
    sp__sub3(x + 3 * (e + 1), x + 3 * e, u);
    u[0] -= mock_of(b)->spacing;
}

static sp_status mock_evaluate(sp_body *b, const sp_step *step, unsigned want) {
    (void)want;
    mock *m = mock_of(b);
    b->energy = b->loads.energy;
    for (int i = 0; i < b->nv; i++) {
        double g = step->load_factor * step->gravity[i % 3];
        b->f[i] = m->mass * (g - m->alpha * b->v[SP_TRIAL][i]);
        b->energy -= m->mass * g * b->q[SP_TRIAL][i];
    }
    for (int e = 0; e + 1 < m->nodes; e++) {
        double u[3];
        mock_stretch(b, e, u);
        double uu = sp__dot3(u, u), s = m->k[0] + m->k[1] * uu;
        for (int a = 0; a < 3; a++) b->f[3 * e + a] += s * u[a], b->f[3 * e + 3 + a] -= s * u[a];
        b->energy += 0.5 * m->k[0] * uu + 0.25 * m->k[1] * uu * uu;
    }
    for (int t = 0; t < b->loads.term_count; t++)
        b->ops->apply_transpose(b, SP_TRIAL, 1, &b->loads.terms[t].at, b->loads.terms[t].f, b->f);
    if (m->broken) b->f[4] = NAN;
    return SP_OK;
}

static void mock_term_product(const sp_point_term *t, sp_coef c, const double *x, double *y) {
    double k[6];
    for (int i = 0; i < 6; i++) k[i] = c.k * t->k[i] + c.b * t->b[i];
    y[0] = k[0] * x[0] + k[3] * x[1] + k[5] * x[2];
    y[1] = k[3] * x[0] + k[1] * x[1] + k[4] * x[2];
    y[2] = k[5] * x[0] + k[4] * x[1] + k[2] * x[2];
}

static void mock_mul_raw(void *o, sp_coef c, const double *x, double *y) {
    sp_body *b = o;
    mock *m = mock_of(b);
    for (int i = 0; i < b->nv; i++) y[i] = (c.m + c.b * m->alpha) * m->mass * x[i];
    for (int e = 0; e + 1 < m->nodes; e++) {
        double u[3], f[3];
        sp__sub3(x + 3 * (e + 1), x + 3 * e, u);
        sp__mul3(m->tangent + 9 * e, u, f);
        for (int a = 0; a < 3; a++) y[3 * e + a] -= c.k * f[a], y[3 * e + 3 + a] += c.k * f[a];
    }
    for (int t = 0; t < m->term_count; t++) {
        const sp_point_term *term = &m->terms[t];
        const double *left = x + 3 * term->at.elem, w = term->at.at[0];
        double at[3], f[3];
        for (int a = 0; a < 3; a++) at[a] = (1 - w) * left[a] + w * left[3 + a];
        mock_term_product(term, c, at, f);
        b->ops->apply_transpose(b, SP_TRIAL, 1, &term->at, f, y);
    }
}

static double mock_mul(void *o, sp_coef c, const double *x, double *y) {
    sp_body *b = o;
    double *free = b->target + b->nq, dot = 0;  // behind the targets: see mock_create
    for (int i = 0; i < b->nv; i++) free[i] = b->fixed[i] ? 0 : x[i];
    mock_mul_raw(o, c, free, y);
    for (int i = 0; i < b->nv; i++) {
        if (b->fixed[i]) y[i] = x[i];
        dot += x[i] * y[i];
    }
    return dot;
}

static sp_status mock_linearise(sp_body *b, const sp_step *step, sp_system *out) {
    (void)step;
    mock *m = mock_of(b);
    if (m->term_capacity < b->loads.term_capacity) {
        sp__free(b->ctx, m->terms);
        m->term_capacity = m->term_count = 0;
        if (!SP_NEW(b->ctx, m->terms, b->loads.term_capacity)) return SP_NO_MEMORY;
        m->term_capacity = b->loads.term_capacity;
    }
    m->term_count = b->loads.term_count;
    if (m->term_count) memcpy(m->terms, b->loads.terms, (size_t)m->term_count * sizeof *m->terms);
    for (int e = 0; e + 1 < m->nodes; e++) {
        double u[3];
        mock_stretch(b, e, u);
        double s = m->k[0] + m->k[1] * sp__dot3(u, u);
        for (int i = 0; i < 9; i++) m->tangent[9 * e + i] = (i % 4 == 0 ? s : 0) + 2 * m->k[1] * u[i / 3] * u[i % 3];
    }
    *out = (sp_system){.n = b->nv,
                       .block = 3,
                       .pattern = 1,
                       .values = ++m->values,
                       .fixed = b->fixed,
                       .mul = mock_mul,
                       .mul_raw = mock_mul_raw,
                       .ctx = b->ctx,
                       .o = b};
    return SP_OK;
}

static void mock_retract(sp_body *b, const sp_step *step, sp_which from, double s, const double *v) {
    (void)step;
    for (int i = 0; i < b->nv; i++) b->q[SP_TRIAL][i] = b->q[from][i] + s * v[i];
}

static void mock_mass(sp_body *b, const double *x, double *y, bool inverse) {
    double m = mock_of(b)->mass;
    for (int i = 0; i < b->nv; i++) y[i] = inverse ? x[i] / m : x[i] * m;
}

static void mock_points(sp_body *b, sp_which s, int n, const sp_anchor *a, double *x, double *v) {
    for (int i = 0; i < n; i++)
        for (int k = 0; k < 3; k++) {
            size_t at = 3 * (size_t)a[i].elem + (size_t)k;
            double w = a[i].at[0];
            x[3 * i + k] = (1 - w) * b->q[s][at] + w * b->q[s][at + 3];
            if (v) v[3 * i + k] = (1 - w) * b->v[s][at] + w * b->v[s][at + 3];
        }
}

static sp_status mock_jacobian_rows(sp_body *b, sp_which s, int n, const sp_anchor *a, const double *dir, sp_rows *J) {
    (void)s;
    if (6 * n > J->capacity) return SP_BODY_FAIL(b, SP_BAD_INPUT, "rows need %d entries", 6 * n);
    J->n = n;
    J->start[0] = 0;
    for (int i = 0, at = 0; i < n; i++) {
        for (int k = 0; k < 6; k++, at++) {
            J->col[at] = 3 * (int)a[i].elem + k;
            J->val[at] = (k < 3 ? 1 - a[i].at[0] : a[i].at[0]) * dir[3 * i + k % 3];
        }
        J->start[i + 1] = at;
    }
    return SP_OK;
}

static void mock_apply_transpose(sp_body *b, sp_which s, int n, const sp_anchor *a, const double *f, double *g) {
    (void)b, (void)s;
    for (int i = 0; i < n; i++)
        for (int k = 0; k < 6; k++) g[3 * a[i].elem + (unsigned)k] += (k < 3 ? 1 - a[i].at[0] : a[i].at[0]) * f[3 * i + k % 3];
}

static sp_anchor mock_anchor_of(sp_body *b, int inner) {
    int last = mock_of(b)->nodes - 2, e = inner < last ? inner : last;
    return (sp_anchor){.body = b->id, .elem = (uint32_t)e, .at = {inner - e, 0, 0}};
}

static sp_status mock_anchor_node(sp_body *b, int node, sp_anchor *out) {
    int n = mock_of(b)->nodes;
    if (node < 0 || node >= n) return SP_BODY_FAIL(b, SP_BAD_INPUT, "node %d of '%s', must be in [0, %d)", node, b->name, n);
    *out = mock_anchor_of(b, n - 1 - node);
    return SP_OK;
}

static sp_status mock_anchor_point(sp_body *b, const double rest[3], sp_anchor *out) {
    mock *m = mock_of(b);
    double s = fmin(fmax(rest[0] / m->spacing, 0), m->nodes - 1);
    int e = (int)s < m->nodes - 2 ? (int)s : m->nodes - 2;
    *out = (sp_anchor){.body = b->id, .elem = (uint32_t)e, .at = {s - e, 0, 0}};
    return SP_OK;
}

static int mock_field_count(const sp_body *b) {
    return ((const mock *)b->impl)->nodes;
}

static sp_status mock_field(sp_body *b, const sp_step *step, sp_field_id id, double *out) {
    (void)step;
    int n = mock_of(b)->nodes;
    const double *from = id == SP_FIELD_POSITION ? b->q[SP_COMMITTED] : b->v[SP_COMMITTED];
    for (int i = 0; i < n; i++) memcpy(out + 3 * i, from + 3 * (n - 1 - i), 3 * sizeof *out);
    return SP_OK;
}

static const sp_field mock_fields[] = {{SP_FIELD_POSITION, mock_field_count, mock_field},
                                       {SP_FIELD_VELOCITY, mock_field_count, mock_field}};

static void mock_measure(sp_body *b, sp_measure *out) {
    mock *m = mock_of(b);
    *out = (sp_measure){.mass = m->mass * m->nodes, .elastic = NAN};
    for (int i = 0; i < b->nv; i++) {
        out->kinetic += 0.5 * m->mass * b->v[SP_COMMITTED][i] * b->v[SP_COMMITTED][i];
        out->momentum[i % 3] += m->mass * b->v[SP_COMMITTED][i];
    }
}

static uint64_t mock_hash(sp_body *b) {
    uint64_t sum = 0, bits[2];
    for (int i = 0; i < b->nv; i++) {
        memcpy(bits, &b->q[SP_COMMITTED][i], sizeof *bits);
        memcpy(bits + 1, &b->v[SP_COMMITTED][i], sizeof *bits);
        sum += sp__mix(bits[0], (uint64_t)i) + sp__mix(bits[1], (uint64_t)(b->nv + i));
    }
    return sum;
}

static sp_status mock_pin(sp_body *b, int node, unsigned axes, bool hold) {
    int n = mock_of(b)->nodes, inner = n - 1 - node;
    if (node < 0 || node >= n) return SP_BODY_FAIL(b, SP_BAD_INPUT, "node %d of '%s', must be in [0, %d)", node, b->name, n);
    for (int a = 0; a < 3; a++) {
        if (!(axes >> a & 1)) continue;
        b->fixed[3 * inner + a] = hold;
        b->target[3 * inner + a] = b->q[SP_COMMITTED][3 * inner + a];
    }
    return SP_OK;
}

static sp_status mock_set_state(sp_body *b, const double *x, const double *v) {
    int n = mock_of(b)->nodes;
    for (int i = 0; i < n; i++) {
        if (x) memcpy(b->q[SP_COMMITTED] + 3 * (n - 1 - i), x + 3 * i, 3 * sizeof *x);
        if (v) memcpy(b->v[SP_COMMITTED] + 3 * (n - 1 - i), v + 3 * i, 3 * sizeof *v);
    }
    return SP_OK;
}

static int mock_param_count(sp_body *b) {
    (void)b;
    return 2;
}

static void mock_param_changed(sp_body *b) {
    mock_of(b)->changed++;
}

static sp_param mock_param_at(sp_body *b, int index) {
    static const sp_param_spec specs[] = {
        {"young", "N/m", "stiffness", "stiffness of a spring", 0, 1e9, 0, 0, 1e9, 1, SP_PRICE_VALUES},
        {"cubic", "N/m3", "cubic stiffness", "cubic stiffness of a spring", 0, 1e9, 0, 0, 1e9, 0, SP_PRICE_VALUES}};
    return (sp_param){&specs[index], specs[index].name, &mock_of(b)->k[index], mock_param_changed};
}

static int64_t mock_node_of(sp_body *b, int unknown) {
    return mock_of(b)->nodes - 1 - unknown / 3;
}

static const sp_body_ops mock_ops = {
    .kind = "mock",
    .destroy = mock_destroy,
    .visit = mock_visit,
    .refresh = mock_refresh,
    .prescribe = mock_prescribe,
    .evaluate = mock_evaluate,
    .linearise = mock_linearise,
    .retract = mock_retract,
    .mass = mock_mass,
    .points = mock_points,
    .jacobian_rows = mock_jacobian_rows,
    .apply_transpose = mock_apply_transpose,
    .anchor_node = mock_anchor_node,
    .anchor_point = mock_anchor_point,
    .fields = mock_fields,
    .field_count = 2,
    .state = {SP_FIELD_POSITION, SP_FIELD_VELOCITY},
    .measure = mock_measure,
    .hash = mock_hash,
    .pin = mock_pin,
    .set_state = mock_set_state,
    .param_count = mock_param_count,
    .param_at = mock_param_at,
    .node_of = mock_node_of,
};

static inline mock_def mock_def_default(void) {
    return (mock_def){.nodes = 5, .mass = 0.5, .k = 200, .spacing = 0.1, .tolerance = 1e-12};
}

static sp_status mock_fill(sp_body *b, const mock_def *def) {
    mock *m = sp__alloc(b->ctx, 1, sizeof *m);
    b->impl = m;
    if (!m) return SP_NO_MEMORY;
    *m = (mock){.nodes = def->nodes, .mass = def->mass, .alpha = def->alpha, .spacing = def->spacing, .k = {def->k, def->k3}};
    int n = def->nodes;
    b->nodes = n, b->elements = n - 1;
    if (!SP_NEW(b->ctx, m->tangent, 9 * n)) return SP_NO_MEMORY;
    SP_TRY(sp__body_init(b, 3 * n, 3 * n));
    sp_surface *fan = b->surfaces[0];  // over the nodes
    if (!SP_NEW(b->ctx, fan->anchors, n) || !SP_NEW(b->ctx, fan->faces, 3 * n)) return SP_NO_MEMORY;
    fan->vertex_count = n, fan->face_count = n - 2;
    // scratch of mock_mul behind the targets
    sp__free(b->ctx, b->target);
    if (!SP_NEW(b->ctx, b->target, 6 * n)) return SP_NO_MEMORY;
    for (int i = 0; i < n; i++) {
        b->q[SP_COMMITTED][3 * i] = b->q[SP_TRIAL][3 * i] = b->target[3 * i] = i * def->spacing;
        fan->anchors[i] = mock_anchor_of(b, i);
    }
    for (int i = 0; i + 2 < n; i++) fan->faces[3 * i + 1] = (uint32_t)i + 1, fan->faces[3 * i + 2] = (uint32_t)i + 2;
    for (int a = 0; a < 3 && !def->free; a++) b->fixed[a] = 1;
    b->loads.size = n * def->spacing;
    b->loads.inertia_stiffness = 30, b->loads.force_tolerance = 5e-3;
    b->loads.static_stiffness = 1e4;
    if (def->contact_state) {
        if (!SP_NEW(b->ctx, b->loads.nodes, n)) return SP_NO_MEMORY;
        for (int i = 0; i < n; i++) b->loads.nodes[i] = (sp_contact_node){.at = fan->anchors[i], .mass = def->mass, .share = 1};
        b->loads.node_count = n;
    }
    sp_integrator_def integrator = sp_integrator_def_default();
    integrator.type = def->type;
    b->integrator = integrator;
    b->solver_def = sp_solver_def_default();
    b->solver_def.tolerance = def->tolerance;
    b->solver_def.cg.op = SP_OPERATOR_FREE;
    SP_TRY(sp__solver_create(b->ctx, &b->solver_def, sp__backend_find("ref"), &b->solver));
    return sp__loads_reserve(b, 1);
}

static inline sp_status mock_create(sp_context *ctx, sp_error *error, const mock_def *def, sp_body **out) {
    *out = NULL;
    sp_body *b = sp__alloc(ctx, 1, sizeof *b);
    if (!b) return SP_NO_MEMORY;
    b->ops = &mock_ops;
    b->ctx = ctx;
    b->error = error;
    b->caps = SP_CAP_ENERGY | SP_CAP_EXACT_TANGENT;
    sp_status status = mock_fill(b, def);
    if (status < 0) {
        mock_destroy(b);
        return status;
    }
    *out = b;
    return SP_OK;
}

#endif
