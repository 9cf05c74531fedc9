// Material points of a rod: an element, a relative position along it, and an offset in the section that moves with its frame.
#include "math/vec3.h"
#include "rod/rod.h"

// ------------------------------------------------------------------------------------------------ positions and velocities

static bool rod_same_place(const sp_anchor *a, const sp_anchor *b) {
    return a->elem == b->elem && a->at[0] == b->at[0];
}

static void no_point(double *x, double *v) {
    for (int k = 0; k < 3; k++) {
        x[k] = NAN;
        if (v) v[k] = NAN;
    }
}

// consecutive vertices of one cross section share a frame, which is computed once
void sp__rod_points(sp_body *b, sp_which which, int n, const sp_anchor *a, double *x, double *v) {
    const sp_rod *r = sp__rod(b);
    int kinematics_of = -1;
    sp_status status = SP_OK;
    sp_curve_frame f = {{0}, {0}};
    double speed[6] = {0}, arm[3], turned[3];
    sp__rod_follow(b);
    for (int i = 0; i < n; i++) {
        size_t at = 3 * (size_t)i;
        int part = r->part_of[a[i].elem], local = (int)a[i].elem - r->part[part].element;
        bool again = part == kinematics_of && rod_same_place(&a[i], &a[i - 1]);
        if (part != kinematics_of) status = sp__rod_update_kinematics(b, part, which, false), kinematics_of = part;
        if (status < 0) {
            no_point(x + at, v ? v + at : NULL);
            continue;
        }
        if (!again) r->model->place(b, part, local, a[i].at[0], &f);
        if (!again && v) r->model->speed(b, part, local, a[i].at[0], b->v[which] + r->part[part].v, speed);
        sp__mul3(f.R, a[i].offset, arm);
        sp__axpy3(f.r, 1, arm, x + at);
        if (!v) continue;
        sp__cross3(speed + 3, arm, turned);
        sp__axpy3(speed, 1, turned, v + at);
    }
}

// ------------------------------------------------------------------------------------------------ bounds

// Points of an element are at most half its length from its middle and from one of its ends, and rotate no faster than both ends
// together. A quarter is added for bending and stretching.
static void bound_part(void *arg, int part, int worker) {
    (void)worker;
    sp_body *b = arg;
    const sp_rod *r = sp__rod(b);
    const sp_rod_part *p = &r->part[part];
    const double *v = b->v[SP_TRIAL] + p->v;
    double from[6], to[6];
    r->model->speed(b, part, 0, 0, v, from);
    for (int e = 0; e < p->elements; e++) {
        const sp_rod_section *s = &r->section[r->section_of[p->element + e]];
        sp_bound *out = &r->bounds[p->element + e];
        sp_curve_frame middle;
        r->model->place(b, part, e, 0.5, &middle);
        r->model->speed(b, part, e, 1, v, to);
        memcpy(out->middle, middle.r, sizeof middle.r);
        out->radius = 1.25 * (0.5 * r->length[p->element + e] + s->axes[0] + s->axes[1]);
        out->speed = 1.25 * fmax(sp__norm3(from), sp__norm3(to)) + out->radius * (sp__norm3(from + 3) + sp__norm3(to + 3));
        memcpy(from, to, sizeof from);
    }
}

const sp_bound *sp__rod_bounds(sp_body *b) {
    const sp_rod *r = sp__rod(b);
    if (sp__rod_update_all_kinematics(b, NULL, SP_TRIAL, false) < 0) return NULL;
    sp__parallel(b->ctx, r->parts, bound_part, b);
    return r->bounds;
}

// ------------------------------------------------------------------------------------------------ Jacobian rows

// dx = V + w x (R o) for each unknown
void sp__rod_open_place(sp_body *b, const sp_anchor *a, int worker, sp_rod_place *out) {
    const sp_rod *r = sp__rod(b);
    size_t most = (size_t)r->most_unknowns;
    double *memory = r->scratch + r->scratch_size * (size_t)worker, arm[3], turned[3];
    int local = (int)a->elem - r->part[r->part_of[a->elem]].element;
    sp_curve_frame f;
    *out = (sp_rod_place){
        .part = r->part_of[a->elem], .columns = memory, .six = memory + 3 * most, .unknown = (int *)(memory + 9 * most)};
    r->model->place(b, out->part, local, a->at[0], &f);
    out->count = r->model->slopes(b, out->part, local, a->at[0], out->unknown, out->six);
    sp__mul3(f.R, a->offset, arm);
    sp__axpy3(f.r, 1, arm, out->x);
    for (int i = 0; i < out->count; i++) {
        sp__cross3(out->six + 6 * (size_t)i + 3, arm, turned);
        sp__axpy3(out->six + 6 * (size_t)i, 1, turned, out->columns + 3 * (size_t)i);
    }
}

// the same at a given state
static void open_at(sp_body *b, sp_which which, const sp_anchor *a, sp_rod_place *out) {
    out->count = 0;
    if (sp__rod_update_kinematics(b, sp__rod(b)->part_of[a->elem], which, false) >= 0) sp__rod_open_place(b, a, 0, out);
}

sp_status sp__rod_jacobian_rows(sp_body *b, sp_which state, int n, const sp_anchor *a, const double *dir, sp_rows *J) {
    const sp_rod *r = sp__rod(b);
    sp_rod_place s;
    sp__rod_follow(b);
    J->n = n;
    J->start[0] = 0;
    for (int i = 0; i < n; i++) {
        int at = J->start[i];
        open_at(b, state, &a[i], &s);
        if (at > J->capacity - s.count)
            return SP_BODY_FAIL(b, SP_BAD_INPUT, "rows of '%s' need more than the %d entries there is room for", b->name,
                                J->capacity);
        for (int k = 0; k < s.count; k++) {
            J->col[at + k] = r->part[s.part].v + s.unknown[k];
            J->val[at + k] = sp__dot3(dir + 3 * (size_t)i, s.columns + 3 * (size_t)k);
        }
        J->start[i + 1] = at + s.count;
    }
    return SP_OK;
}

void sp__rod_apply_transpose(sp_body *b, sp_which state, int n, const sp_anchor *a, const double *f, double *g) {
    const sp_rod *r = sp__rod(b);
    sp_rod_place s;
    sp__rod_follow(b);
    for (int i = 0; i < n; i++) {
        open_at(b, state, &a[i], &s);
        for (int k = 0; k < s.count; k++)
            g[r->part[s.part].v + s.unknown[k]] += sp__dot3(f + 3 * (size_t)i, s.columns + 3 * (size_t)k);
    }
}

// ------------------------------------------------------------------------------------------------ anchors

int sp__rod_part_of_node(const sp_rod *r, int node) {
    int low = 0, high = r->parts - 1;
    while (low < high) {
        int middle = (low + high + 1) / 2;
        if (r->part[middle].node > node)
            high = middle - 1;
        else
            low = middle;
    }
    return low;
}

sp_status sp__rod_anchor_node(sp_body *b, int node, sp_anchor *out) {
    const sp_rod *r = sp__rod(b);
    if (node < 0 || node >= r->nodes)
        return SP_BODY_FAIL(b, SP_BAD_INPUT, "node %d of '%s', must be in [0, %d]", node, b->name, r->nodes - 1);
    const sp_rod_part *p = &r->part[sp__rod_part_of_node(r, node)];
    int local = node - p->node;
    bool last = local == p->elements;
    *out = (sp_anchor){.body = b->id, .elem = (uint32_t)(p->element + local - last), .at = {last, 0, 0}};
    return SP_OK;
}

// updates the kinematics to the initial shape, for queries of positions
static sp_status kinematics_start(sp_body *b, int part) {
    sp_rod *r = sp__rod(b);
    const sp_rod_part *p = &r->part[part];
    memcpy(r->kinematics_q + p->q, r->start + p->q, (size_t)p->nq * sizeof(double));
    memset(r->kinematics_v + p->v, 0, (size_t)p->nv * sizeof(double));
    r->kinematics_of[part] = 0;  // invalidates the kinematics: the next query recomputes them
    return r->model->update_kinematics(b, part, r->kinematics_q + p->q, r->kinematics_v + p->v, false);
}

static double distance_at(sp_body *b, int part, int element, double u, const double x[3], sp_curve_frame *f) {
    double d[3];
    sp__rod(b)->model->place(b, part, element, u, f);
    sp__sub3(x, f->r, d);
    return sp__norm3(d);
}

// nearest position on one strand: from samples, then ternary search between the neighbours of the best
static double nearest_of(sp_body *b, int part, const double x[3], int *element, double *u) {
    enum { SAMPLES = 16, ROUNDS = 60 };
    const sp_rod_part *p = &sp__rod(b)->part[part];
    sp_curve_frame f;
    double best = INFINITY;
    for (int e = 0; e < p->alive; e++)
        for (int k = 0; k <= SAMPLES; k++) {
            double d = distance_at(b, part, e, (double)k / SAMPLES, x, &f);
            if (d < best) best = d, *element = e, *u = (double)k / SAMPLES;
        }
    double low = fmax(0, *u - 1.0 / SAMPLES), high = fmin(1, *u + 1.0 / SAMPLES);
    for (int k = 0; k < ROUNDS && high - low > 1e-12; k++) {
        double a = low + (high - low) / 3, c = high - (high - low) / 3;
        if (distance_at(b, part, *element, a, x, &f) < distance_at(b, part, *element, c, x, &f))
            high = c;
        else
            low = a;
    }
    double middle = 0.5 * (low + high), d = distance_at(b, part, *element, middle, x, &f);
    if (d < best) best = d, *u = middle;
    return best;
}

// Nearest position on the initial shape, with the remainder as an offset in its section; outside: distance to the section.
static sp_status rod_nearest(sp_body *b, const double x[3], sp_anchor *out, double *outside) {
    const sp_rod *r = sp__rod(b);
    double best = INFINITY, d[3];
    int best_part = 0, element = 0;
    sp_curve_frame f;
    sp__rod_follow(b);
    for (int part = 0; part < r->parts; part++) {
        int e = 0;
        double u = 0;
        SP_TRY(kinematics_start(b, part));
        double away = nearest_of(b, part, x, &e, &u);
        if (!(away < best)) continue;
        best = away, best_part = part, element = e;
        *out = (sp_anchor){.body = b->id, .elem = (uint32_t)(r->part[part].element + e), .at = {u, 0, 0}};
    }
    if (best == INFINITY) return SP_BODY_FAIL(b, SP_NOT_FINITE, "point (%g, %g, %g) of '%s'", x[0], x[1], x[2], b->name);
    SP_TRY(kinematics_start(b, best_part));
    r->model->place(b, best_part, element, out->at[0], &f);
    sp__sub3(x, f.r, d);
    sp__mul3t(f.R, d, out->offset);
    out->offset[0] = 0;
    const sp_rod_section *s = &r->section[r->section_of[out->elem]];
    double size = hypot(out->offset[1] / s->axes[0], out->offset[2] / s->axes[1]);
    *outside = size > 1 ? best * (1 - 1 / size) : 0;
    return SP_OK;
}

// limits the offset of a dragged point to the section, which avoids long lever arms
sp_status sp__rod_anchor_point(sp_body *b, const double rest[3], sp_anchor *out) {
    double outside;
    SP_TRY(rod_nearest(b, rest, out, &outside));
    const sp_rod *r = sp__rod(b);
    const sp_rod_section *s = &r->section[r->section_of[out->elem]];
    double size = hypot(out->offset[1] / s->axes[0], out->offset[2] / s->axes[1]);
    for (int k = 1; k < 3 && size > 1; k++) out->offset[k] /= size;
    return SP_OK;
}

sp_status sp__rod_attach(sp_body *b, int n, const double *places, sp_anchor *out, double *outside) {
    for (int i = 0; i < n; i++) SP_TRY(rod_nearest(b, places + 3 * (size_t)i, &out[i], &outside[i]));
    return SP_OK;
}
