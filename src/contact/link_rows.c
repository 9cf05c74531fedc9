// Points, frames and violations of the ties of a link. See links.h.
#include "contact/links.h"
#include "math/vec3.h"

// ---------------------------------------------------------------------------------------------------- which rows

typedef struct tie_spec {
    unsigned char rows, slips;
    unsigned char point[SP_CONE_ROWS_MAX], direction[SP_CONE_ROWS_MAX];
    unsigned char slip[2];  // directions of friction
} tie_spec;

static const tie_spec specs[] = {
    [SP_TIE_POINT] = {.rows = 3, .direction = {0, 1, 2}},
    [SP_TIE_FRAME] = {.rows = 6, .point = {0, 0, 0, 1, 1, 2}, .direction = {0, 1, 2, 1, 2, 2}},
    [SP_TIE_HINGE] = {.rows = 5, .point = {0, 0, 0, 1, 1}, .direction = {0, 1, 2, 1, 2}},
    [SP_TIE_LINE] = {.rows = 2, .slips = 1, .direction = {1, 2}, .slip = {0}},
    [SP_TIE_PLANE] = {.rows = 1, .slips = 2, .direction = {0}, .slip = {1, 2}},
    [SP_TIE_CURVE] = {.rows = 2, .slips = 1, .direction = {1, 2}, .slip = {0}},
};

int sp__tie_rows(sp_tie_type type) {
    return specs[type].rows;
}

int sp__tie_slips(sp_tie_type type) {
    return specs[type].slips;
}

void sp__tie_row(sp_tie_type type, int number, int *point, int *direction) {
    const tie_spec *s = &specs[type];
    *point = number < SP_TIE_SLIP ? s->point[number] : 0;
    *direction = number < SP_TIE_SLIP ? s->direction[number] : s->slip[number - SP_TIE_SLIP];
}

static bool tie_slides(sp_tie_type type) {
    return type >= SP_TIE_LINE;
}

// ---------------------------------------------------------------------------------------------------- points

void sp__tie_point(const sp_link *l, const sp_tie *t, int point, int side, sp_which state, double x[3]) {
    enum { CHUNK = 16 };
    sp_body *b = l->side[side].body;
    const int first = t->first[point][side], end = first + t->count[point][side];
    double at[3 * CHUNK], sum[3] = {0};
    for (int i = first; i < end; i += CHUNK) {
        const int n = end - i < CHUNK ? end - i : CHUNK;
        b->ops->points(b, state, n, l->now.anchor + i, at, NULL);
        for (int k = 0; k < n; k++) sp__axpy3(sum, l->now.weight[i + k], at + 3 * k, sum);
    }
    memcpy(x, sum, sizeof sum);
}

static void anchor_at(sp_body *b, const sp_anchor *a, sp_which state, double x[3]) {
    b->ops->points(b, state, 1, a, x, NULL);
}

static void unit3(double x[3]) {
    const double length = sp__norm3(x);
    for (int k = 0; k < 3 && length > 0; k++) x[k] /= length;
}

// Directions from the axis e0, not normalised, and something across it.
static void frame_of_axes(const double axis[3], const double across[3], double frame[9]) {
    double *e0 = frame, *e1 = frame + 3, *e2 = frame + 6;
    memcpy(e0, axis, 3 * sizeof *axis);
    unit3(e0);
    sp__axpy3(across, -sp__dot3(across, e0), e0, e1);
    unit3(e1);
    sp__cross3(e0, e1, e2);
}

// Directions from an axis alone.
static void frame_of_axis(const double axis[3], double frame[9]) {
    const double a[3] = {fabs(axis[0]), fabs(axis[1]), fabs(axis[2])};
    double across[3] = {0};
    across[a[0] <= a[1] && a[0] <= a[2] ? 0 : a[1] <= a[2] ? 1 : 2] = 1;
    frame_of_axes(axis, across, frame);
}

void sp__anchor_frame(sp_body *b, const sp_anchor *a, sp_which state, double frame[9]) {
    sp_anchor at[3] = {*a, *a, *a};
    double x[9], n1[3], n2[3];
    memset(at[0].offset, 0, sizeof at[0].offset);
    for (int k = 1; k < 3; k++) {
        memset(at[k].offset, 0, sizeof at[k].offset);
        at[k].offset[k] = 1;
    }
    b->ops->points(b, state, 3, at, x, NULL);
    sp__sub3(x + 3, x, n1), sp__sub3(x + 6, x, n2);
    sp__cross3(n1, n2, frame);
    memcpy(frame + 3, n1, sizeof n1), memcpy(frame + 6, n2, sizeof n2);
}

void sp__tie_frame(const sp_link *l, const sp_tie *t, sp_which state, double frame[9]) {
    static const double world[9] = {1, 0, 0, 0, 1, 0, 0, 0, 1};
    sp_body *b = l->side[1].body;
    double x[3][3] = {{0}}, axis[3], across[3];
    switch (t->type) {
    case SP_TIE_POINT: memcpy(frame, world, sizeof world); return;
    case SP_TIE_CURVE: sp__anchor_frame(b, &t->guide, state, frame); return;
    case SP_TIE_FRAME:
    case SP_TIE_HINGE:
        for (int p = 0; p < (t->type == SP_TIE_FRAME ? 3 : 2); p++) sp__tie_point(l, t, p, 1, state, x[p]);
        break;
    case SP_TIE_LINE:
    case SP_TIE_PLANE:
        for (int p = 0; p < 3; p++) anchor_at(b, &l->now.base[p], state, x[p]);
        break;
    }
    sp__sub3(x[1], x[0], axis), sp__sub3(x[2], x[0], across);
    if (t->type == SP_TIE_HINGE)
        frame_of_axis(axis, frame);
    else
        frame_of_axes(axis, across, frame);
}

// ---------------------------------------------------------------------------------------------------- slides

bool sp__tie_guide(const sp_link *l, const sp_tie *t, sp_anchor *out) {
    sp_body *b = l->side[1].body;
    double x[3], o[3], d[3], frame[9];
    sp__tie_point(l, t, 0, 0, SP_COMMITTED, x);
    if (t->type == SP_TIE_CURVE) {
        *out = t->guide;
        return sp__centreline_nearest(b, SP_COMMITTED, t->strand, x, out);
    }
    sp__tie_frame(l, t, SP_COMMITTED, frame);
    sp__tie_point(l, t, 0, 1, SP_COMMITTED, o);
    sp__sub3(x, o, d);
    const double along = sp__dot3(d, frame);
    if (t->type == SP_TIE_LINE)
        sp__axpy3(o, along, frame, x);
    else
        sp__axpy3(x, -along, frame, x);
    b->ops->locate(b, SP_COMMITTED, x, out);
    return true;
}

// From element to element by Newton's method on the distance along the tangent. Where two elements meet at an angle, both may
// point to the other one: the point is then at their node.
bool sp__centreline_nearest(sp_body *b, sp_which state, const int strand[2], const double x[3], sp_anchor *at) {
    enum { MOST = 100 };
    int e = (int)at->elem, heading = 0;
    double u = fmin(1, fmax(0, at->at[0]));
    for (int k = 0; k < MOST + (strand[1] - strand[0]); k++) {
        const sp_anchor here[3] = {{.body = b->id, .elem = (uint32_t)e, .at = {u}},
                                   {.body = b->id, .elem = (uint32_t)e, .at = {0}},
                                   {.body = b->id, .elem = (uint32_t)e, .at = {1}}};
        double p[9], d[3], chord[3], frame[9];
        b->ops->points(b, state, 3, here, p, NULL);
        sp__anchor_frame(b, &here[0], state, frame);
        sp__sub3(x, p, d), sp__sub3(p + 6, p + 3, chord);
        *at = here[0];
        const double length = sp__norm3(chord), step = sp__dot3(d, frame) / length;
        if (!(fabs(step) > 1e-13)) return true;
        const double next = u + step;
        u = fmin(1, fmax(0, next));
        if (next > 1 && at->at[0] == 1) {
            if (e == strand[1]) return step < 1e-9;
            if (heading < 0) return true;
            e++, u = 0, heading = 1;
        } else if (next < 0 && at->at[0] == 0) {
            if (e == strand[0]) return step > -1e-9;
            if (heading > 0) return true;
            e--, u = 1, heading = -1;
        }
    }
    return true;
}

// ---------------------------------------------------------------------------------------------------- violations

static void slide_violation(const sp_link *l, const sp_tie *t, const sp_anchor *guide, const double frame[9], sp_which state,
                            double *out) {
    sp_body *b = l->side[1].body;
    double x[3], o[3], d[3], now[9];
    sp__tie_point(l, t, 0, 0, state, x);
    if (t->type == SP_TIE_CURVE) {
        sp_anchor at = *guide;
        sp__centreline_nearest(b, state, t->strand, x, &at);
        anchor_at(b, &at, state, o);
        memcpy(now, frame, sizeof now);
    } else {
        sp__tie_point(l, t, 0, 1, state, o);
        sp__tie_frame(l, t, state, now);
    }
    sp__sub3(x, o, d);
    for (int r = 0; r < sp__tie_rows(t->type); r++) out[r] = sp__dot3(now + 3 * specs[t->type].direction[r], d);
}

void sp__tie_violation(const sp_link *l, const sp_tie *t, const sp_anchor *guide, const double frame[9], sp_which state,
                       double *out) {
    double d[SP_TIE_POINTS][3];
    int known = 0;
    if (tie_slides(t->type)) {
        slide_violation(l, t, guide, frame, state, out);
        return;
    }
    for (int r = 0; r < sp__tie_rows(t->type); r++) {
        int point, direction;
        sp__tie_row(t->type, r, &point, &direction);
        for (; known <= point; known++) {
            double a[3], b[3];
            sp__tie_point(l, t, known, 0, state, a), sp__tie_point(l, t, known, 1, state, b);
            sp__sub3(a, b, d[known]);
        }
        out[r] = sp__dot3(frame + 3 * direction, d[point]) - t->rest[r];
    }
}

// node of a vertex of a surface; of a vertex inside of an element the node that carries most of it
static int vertex_node(const sp_link *l, int side, const sp_surface *s, uint32_t vertex) {
    if (s->nodes) return s->nodes[vertex];
    const sp_anchor *a = &s->anchors[vertex];
    const int each = l->side[side].body->ops->nodes_per_element;
    double w[4] = {1 - a->at[0], a->at[0]};
    int best = 0;
    if (!l->now.corners[side] || a->elem >= (uint32_t)l->now.marked[side][1]) return -1;
    if (each == 4) sp__anchor_weights(a, w);
    for (int k = 1; k < each; k++)
        if (w[k] > w[best]) best = k;
    return l->now.corners[side][(size_t)a->elem * (size_t)each + (size_t)best];
}

bool sp__link_holds(const sp_link *l, const sp_link_touch touch[2]) {
    if (!sp__link_acts(l) || l->def.type == SP_LINK_SPRING) return false;
    for (int turn = 0; turn < 2; turn++) {
        bool all[2], any[2];
        if (touch[turn].body != l->side[0].body || touch[1 - turn].body != l->side[1].body) continue;
        for (int s = 0; s < 2; s++) {
            const sp_link_touch *t = &touch[s ? 1 - turn : turn];
            all[s] = any[s] = !l->now.tied[s];
            if (all[s]) continue;
            all[s] = t->count > 0;
            for (int i = 0; i < t->count; i++) {
                const int node = t->surface ? vertex_node(l, s, t->surface, t->vertex[i]) : -1;
                const bool tied = node >= 0 && node < l->now.marked[s][0] && l->now.tied[s][node];
                all[s] = all[s] && tied, any[s] = any[s] || tied;
            }
        }
        if ((all[0] && any[1]) || (all[1] && any[0])) return true;
    }
    return false;
}

double sp__link_stretch(const sp_link *l) {
    double most = 0;
    for (int i = 0; sp__link_acts(l) && i < l->now.tie_count; i++) {
        const sp_tie *t = &l->now.ties[i];
        double frame[9], u[SP_CONE_ROWS_MAX], square[SP_TIE_POINTS] = {0};
        if (t->gone) continue;
        sp__tie_frame(l, t, SP_COMMITTED, frame);
        sp__tie_violation(l, t, &t->guide, frame, SP_COMMITTED, u);
        for (int r = 0; r < sp__tie_rows(t->type); r++) {
            int point, direction;
            sp__tie_row(t->type, r, &point, &direction);
            square[point] += u[r] * u[r];
        }
        for (int p = 0; p < SP_TIE_POINTS; p++) most = fmax(most, sqrt(square[p]));
    }
    return most;
}
