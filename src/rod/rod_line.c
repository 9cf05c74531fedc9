// The centreline of a rod as contact by constraints touches it: capsules between vertices along the strands.
//
// Vertices are the nodes; in elements that are curves (clothoids, helices) also points at equal distances between them. An arc of
// curvature k and length l is k l2 / 8 from its chord. An element is divided so that this is at most SAG of the radius, with the
// largest curvature at the start of the simulation, natural or actual, and at least TURN per element: it changes in time, but
// the vertices do not.
//
// The radius of an elliptic section is its smaller semi-axis: a ribbon lies flat.
#include "math/vec3.h"
#include "rod/rod.h"

static const double SAG = 0.25;  // of the radius
static const double TURN = 1;    // [rad]
enum { PIECES_LEAST = 4, PIECES_MOST = 64 };

static double line_radius(const sp_rod *r, int element) {
    const sp_rod_section *s = &r->section[r->section_of[element]];
    return fmin(s->axes[0], s->axes[1]);
}

// pieces of an element
static int line_pieces(sp_body *b) {
    sp_rod *r = sp__rod(b);
    double most = 0;
    if (!r->model->curved) return 1;
    for (int i = 0; i < r->parts; i++) {
        const sp_rod_part *p = &r->part[i];
        r->model->curvature(b, i, r->node_scratch + 3 * (size_t)p->node);
        for (int k = 0; k < 2 * p->alive; k++) {
            const size_t node = 3 * (size_t)(p->node + (k + 1) / 2);
            const double length = r->length[p->element + k / 2];
            double bent = fmax(hypot(r->natural[node + 1], r->natural[node + 2]),
                               hypot(r->node_scratch[node + 1], r->node_scratch[node + 2]));
            bent = fmax(bent, TURN / length);
            most = fmax(most, length * sqrt(bent / (8 * SAG * line_radius(r, p->element + k / 2))));
        }
    }
    return (int)fmin(PIECES_MOST, fmax(PIECES_LEAST, ceil(most)));
}

static void line_add(sp_body *b, int part, int element, double u, double arc) {
    sp_surface *s = b->centreline;
    const sp_rod_part *p = &sp__rod(b)->part[part];
    const int i = s->vertex_count++;
    s->anchors[i] = (sp_anchor){.body = b->id, .elem = (uint32_t)(p->element + element), .at = {u, 0, 0}};
    s->nodes[i] = p->node + element + (u > 0.5);
    s->radii[i] = line_radius(sp__rod(b), p->element + element);
    s->arc[i] = arc;
}

// A vertex between two elements belongs to the second one.
static void line_fill(sp_body *b) {
    const sp_rod *r = sp__rod(b);
    sp_surface *s = b->centreline;
    s->vertex_count = s->segment_count = 0;
    for (int i = 0; i < r->parts; i++) {
        const sp_rod_part *p = &r->part[i];
        double arc = 0;
        for (int e = 0; e < p->alive; e++) {
            const double length = r->length[p->element + e];
            for (int k = 0; k < r->pieces; k++) {
                uint32_t *ends = s->segments + 2 * (size_t)s->segment_count++;
                ends[0] = (uint32_t)s->vertex_count, ends[1] = ends[0] + 1;
                line_add(b, i, e, (double)k / r->pieces, arc + length * k / r->pieces);
            }
            arc += length;
        }
        line_add(b, i, p->alive - 1, 1, arc);
    }
}

static int line_alive(const sp_rod *r) {
    int alive = 0;
    for (int i = 0; i < r->parts; i++) alive += r->part[i].alive;
    return alive;
}

sp_status sp__rod_line_create(sp_body *b) {
    sp_rod *r = sp__rod(b);
    r->pieces = line_pieces(b), r->line_alive = line_alive(r);
    const size_t segments = (size_t)r->elements * (size_t)r->pieces, vertices = segments + (size_t)r->parts;
    sp_surface *s = b->centreline = sp__surface_create(b->ctx, "centreline", SP_ROLE_COLLISION);
    if (!s || !SP_NEW(b->ctx, s->anchors, vertices) || !SP_NEW(b->ctx, s->nodes, vertices) ||
        !SP_NEW(b->ctx, s->segments, 2 * segments) || !SP_NEW(b->ctx, s->radii, vertices) || !SP_NEW(b->ctx, s->arc, vertices))
        return SP_BODY_FAIL(b, SP_NO_MEMORY, "no memory for a centreline of %zu vertices", vertices);
    line_fill(b);
    return SP_OK;
}

void sp__rod_line_follow(sp_body *b) {
    sp_rod *r = sp__rod(b);
    if (!b->centreline || r->line_alive == line_alive(r)) return;
    r->line_alive = line_alive(r);
    line_fill(b);
    b->centreline->revision++;
}

void sp__rod_offset(sp_body *b, sp_which which, const sp_anchor *a, const double x[3], sp_anchor *out) {
    const sp_rod *r = sp__rod(b);
    const int part = r->part_of[a->elem];
    sp_curve_frame f;
    double d[3];
    *out = *a;
    sp__rod_follow(b);
    if (sp__rod_update_kinematics(b, part, which, false) < 0) return;
    r->model->place(b, part, (int)a->elem - r->part[part].element, a->at[0], &f);
    sp__sub3(x, f.r, d);
    sp__mul3t(f.R, d, out->offset);
}

// The twist of clothoids and helices has no inertia: friction at their surface would turn them by radians in a step. They are
// touched at the centreline.
void sp__rod_section_point(sp_body *b, sp_which which, const sp_anchor *a, const double x[3], sp_anchor *out) {
    if (sp__rod(b)->model->massless)
        *out = *a;
    else
        sp__rod_offset(b, which, a, x, out);
}
