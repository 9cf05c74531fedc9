// Surface of a rod: rings of vertices around the centreline, bands of triangles between them, closed ends. Every vertex is a
// material point of the rod, so the surface follows the strands and shows their twist.
//
// An element has `rings` rings after the ring that it shares with the previous element. Where sections differ, the surface
// changes from one to the other over the first band of the second element. Vertices are stored ring by ring, so that neighbours
// share a frame.
//
// A section FLAT times as wide as thick is drawn as a ribbon with sharp edges: a rectangle with the width and the area of the
// ellipse. A strand is a ribbon if all of its sections are flat.
//
// Automatic numbers of corners and rings fall with the number of strands: a head of hair would otherwise have a million faces of
// less than a pixel. Many thin strands have triangular tubes, widened to the mean width of the cross section and without the
// line that shows twist, which would cover a third of them.
#include "math/vec3.h"
#include "rod/rod.h"

static const double FLAT = 4;   // minimum ratio of the semi-axes of a ribbon
static const double THIN = 30;  // minimum ratio of length and thickness of a thin strand

// maximum rotation of the frame between rings, if the number of rings is automatic [rad]
static const double TURN = 0.2, TURN_SOME = 0.3, TURN_MANY = 0.4;

enum { MOST = 1 << 28 };  // maximum number of vertices or faces
enum { FEW_STRANDS = 10, MANY_STRANDS = 100 };
enum { RINGS_LEAST = 8, RINGS_LEAST_MANY = 4, RINGS_MOST = 64 };
enum { RINGS_VARIED = 24 };  // minimum where the curvature changes in time by an unknown amount

static const sp_rod_section *section_at(const sp_rod *r, const sp_rod_part *p, int element) {
    return &r->section[r->section_of[p->element + element]];
}

static bool is_flat(const sp_rod_section *s) {
    return s->axes[0] >= FLAT * s->axes[1] || s->axes[1] >= FLAT * s->axes[0];
}

static bool is_ribbon(const sp_rod *r, const sp_rod_part *p) {
    for (int e = 0; e < p->elements; e++)
        if (!is_flat(section_at(r, p, e))) return false;
    return true;
}

static int corners_of(const sp_rod *r, const sp_rod_part *p) {
    return is_ribbon(r, p) ? 4 : r->sides;
}

// ---------------------------------------------------------------------------------------------------- cross sections

// number of sides in the line that shows the twist of a tube, the first ones: a twelfth of the circumference
static int line_sides(int corners) {
    return corners < 24 ? 1 : corners / 12;
}

// across[] along n1 and n2; the middle of a tube's line is at +n1
static void tube_corner(const sp_rod_section *s, double widen, int corners, int k, double across[2]) {
    double angle = SP_PI * (2 * k - line_sides(corners)) / corners;
    across[0] = widen * s->axes[0] * cos(angle), across[1] = widen * s->axes[1] * sin(angle);
}

// The mean width of a convex shape over all directions is its perimeter / pi (Cauchy).
static double widening(const sp_rod *r) {
    return r->plain ? SP_PI / r->sides / sin(SP_PI / r->sides) : 1;
}

// the first side faces the thin axis
static void ribbon_corner(const sp_rod_section *s, int k, double across[2]) {
    static const double sign[4][2] = {{1, 1}, {-1, 1}, {-1, -1}, {1, -1}};
    bool wide_first = s->axes[0] >= s->axes[1];
    int turn = wide_first ? k : (k + 3) % 4;
    for (int i = 0; i < 2; i++) across[i] = sign[turn][i] * s->axes[i] * ((i == 1) == wide_first ? SP_PI / 4 : 1);
}

static void place_ring(const sp_rod_part *p, double widen, int corners, const sp_rod_section *s, bool ribbon,
                       const sp_rod_cross_section *ring, sp_anchor *anchors, int *nodes) {
    for (int k = 0; k < corners; k++) {
        double across[2];
        if (ribbon)
            ribbon_corner(s, k, across);
        else
            tube_corner(s, widen, corners, k, across);
        anchors[k] = (sp_anchor){.elem = (uint32_t)ring->element, .at = {ring->at, 0, 0}, .offset = {0, across[0], across[1]}};
        nodes[k] = p->node + ring->element - p->element + (ring->at > 0.5);
    }
}

// ---------------------------------------------------------------------------------------------------- a strand

static int place_rings(const sp_rod *r, const sp_rod_part *p, int vertex, sp_surface *out) {
    bool ribbon = is_ribbon(r, p);
    int corners = corners_of(r, p);
    double widen = widening(r);
    for (int e = 0; e < p->elements; e++)
        for (int k = e > 0; k <= r->rings; k++, vertex += corners) {
            sp_rod_cross_section ring = {vertex, p->element + e, (double)k / r->rings};
            out->rings[out->ring_count++] = ring;
            place_ring(p, widen, corners, section_at(r, p, e), ribbon, &ring, out->anchors + vertex, out->nodes + vertex);
        }
    return vertex;
}

static void add_face(sp_surface *out, uint32_t a, uint32_t b, uint32_t c, bool stripe) {
    uint32_t *f = out->faces + 3 * (size_t)out->face_count;
    f[0] = a, f[1] = b, f[2] = c;
    if (out->stripes) out->stripes[out->face_count] = stripe;
    out->face_count++;
}

// Vertices go round from n1 to n2, so that side x tangent points outwards. The two sides of a twisted ribbon are split along the
// same diagonal: with crossing diagonals they would intersect.
static void join_rings(sp_surface *out, uint32_t first, int corners, bool ribbon) {
    int striped = ribbon ? 1 : line_sides(corners);
    for (int k = 0; k < corners; k++) {
        uint32_t a = first + (uint32_t)k, b = first + (uint32_t)((k + 1) % corners), n = (uint32_t)corners;
        bool other = ribbon && k >= 2;
        add_face(out, a, b, other ? a + n : b + n, k < striped);
        add_face(out, other ? b : a, b + n, a + n, k < striped);
    }
}

static void add_faces(const sp_rod *r, const sp_rod_part *p, int vertex, sp_surface *out) {
    int corners = corners_of(r, p), bands = r->rings * p->elements;
    bool ribbon = is_ribbon(r, p);
    uint32_t first = (uint32_t)vertex, last = first + (uint32_t)(bands * corners);
    for (int k = 1; k + 1 < corners; k++) add_face(out, first, first + (uint32_t)k + 1, first + (uint32_t)k, false);
    for (int i = 0; i < bands; i++) join_rings(out, first + (uint32_t)(i * corners), corners, ribbon);
    for (int k = 1; k + 1 < corners; k++) add_face(out, last, last + (uint32_t)k, last + (uint32_t)k + 1, false);
}

// ---------------------------------------------------------------------------------------------------- the whole surface

static bool all_ribbons(const sp_rod *r) {
    for (int i = 0; i < r->parts; i++)
        if (!is_ribbon(r, &r->part[i])) return false;
    return true;
}

// compares the mean length of the strands with the thickest section
static bool are_thin(const sp_rod *r) {
    double length = 0, radius = 0;
    for (int e = 0; e < r->elements; e++) length += r->length[e];
    for (int i = 0; i < r->sections; i++) radius = fmax(radius, fmax(r->section[i].axes[0], r->section[i].axes[1]));
    return length / r->parts >= THIN * 2 * radius;
}

static void choose_sides(sp_rod *r) {
    r->plain = r->parts > MANY_STRANDS && are_thin(r) && !all_ribbons(r);
    r->sides = r->plain ? 3 : r->parts > MANY_STRANDS ? 6 : r->parts > FEW_STRANDS ? 8 : 12;
}

// automatic number of rings, from the curvature
static int choose_rings(sp_body *b, int strands) {
    sp_rod *r = sp__rod(b);
    double most = 0;
    for (int i = 0; i < r->parts; i++) {
        const sp_rod_part *p = &r->part[i];
        // initial and natural curvature
        r->model->curvature(b, i, r->node_scratch + 3 * (size_t)p->node);
        for (int k = 0; k <= 2 * p->elements - 1; k++) {
            size_t node = 3 * (size_t)(p->node + (k + 1) / 2);
            double bent = fmax(sp__norm3(r->natural + node), sp__norm3(r->node_scratch + node));
            most = fmax(most, bent * r->length[p->element + k / 2]);
        }
    }
    double turn = strands > MANY_STRANDS ? TURN_MANY : strands > FEW_STRANDS ? TURN_SOME : TURN;
    int least = r->natural_in_time || r->growth ? RINGS_VARIED : strands > MANY_STRANDS ? RINGS_LEAST_MANY : RINGS_LEAST;
    return (int)fmin(RINGS_MOST, fmax(least, ceil(most / turn)));
}

typedef struct surface_size {
    size_t vertices, faces, rings;
} surface_size;

static sp_status count_surface(sp_body *b, surface_size *out) {
    const sp_rod *r = sp__rod(b);
    double v = 0, f = 0, rings = 0;
    for (int i = 0; i < r->parts; i++) {
        double corners = corners_of(r, &r->part[i]), bands = (double)r->rings * r->part[i].elements;
        v += (bands + 1) * corners;
        f += 2 * bands * corners + 2 * (corners - 2);
        rings += bands + 1;
    }
    if (v > MOST || f > MOST)
        return SP_BODY_FAIL(b, SP_BAD_INPUT,
                            "a rod's surface of %.0f vertices and %.0f triangles, must have at most %d of each: fewer rings (%d) "
                            "or sides (%d)",
                            v, f, MOST, r->rings, r->sides);
    *out = (surface_size){(size_t)v, (size_t)f, (size_t)rings};
    return SP_OK;
}

sp_status sp__rod_surface_create(sp_body *b) {
    sp_rod *r = sp__rod(b);
    sp_surface *s = b->surfaces[0];
    surface_size n = {0};
    int strands = r->sides ? 1 : r->parts;  // with given corners, rings do not depend on their number
    if (!r->sides) choose_sides(r);
    if (!r->rings) r->rings = choose_rings(b, strands);
    SP_TRY(count_surface(b, &n));
    if (!SP_NEW(b->ctx, s->anchors, n.vertices) || !SP_NEW(b->ctx, s->nodes, n.vertices) ||
        !SP_NEW(b->ctx, s->faces, 3 * n.faces) || (!r->plain && !SP_NEW(b->ctx, s->stripes, n.faces)) ||
        !SP_NEW(b->ctx, s->rings, n.rings))
        return SP_BODY_FAIL(b, SP_NO_MEMORY, "no memory for a rod's surface of %zu vertices", n.vertices);
    for (int i = 0; i < r->parts; i++) {
        add_faces(r, &r->part[i], s->vertex_count, s);
        s->vertex_count = place_rings(r, &r->part[i], s->vertex_count, s);
    }
    return SP_OK;
}

// a vertex at the start of the face's element may be stored with the previous element: move it to position 0
void sp__rod_face_anchors(sp_body *b, int face, sp_anchor out[3]) {
    const sp_surface *s = b->surfaces[0];
    uint32_t element = 0;
    for (int k = 0; k < 3; k++) {
        out[k] = s->anchors[s->faces[3 * (size_t)face + (size_t)k]];
        element = out[k].elem > element ? out[k].elem : element;
    }
    for (int k = 0; k < 3; k++)
        if (out[k].elem < element) out[k].elem = element, out[k].at[0] = 0;
}

// Boundary: the point of the centreline at the nearest cross section, because a drag pulls a thread and does not twist it.
// Embedded surface: the mean position along the rod, and the offset of the point from there.
sp_status sp__rod_face_point(sp_body *b, int surface, int face, const double weights[3], sp_anchor *out) {
    const sp_surface *s = b->surfaces[surface];
    const uint32_t *vertex = s->faces + 3 * (size_t)face;
    const sp_anchor *heavy = &s->anchors[vertex[sp__heaviest_corner(weights)]];
    double x[3] = {0}, p[3], along = 0;
    *out = (sp_anchor){.body = b->id, .elem = heavy->elem, .at = {heavy->at[0], 0, 0}};
    if (surface == 0) return SP_OK;
    for (int k = 0; k < 3; k++) {
        const sp_anchor *corner = &s->anchors[vertex[k]];
        along += weights[k] * (corner->elem + corner->at[0]);
        sp__rod_points(b, SP_COMMITTED, 1, corner, p, NULL);
        sp__axpy3(x, weights[k], p, x);
    }
    out->at[0] = fmin(1, fmax(0, along - heavy->elem));
    const sp_anchor centre = *out;
    sp__rod_offset(b, SP_COMMITTED, &centre, x, out);
    return SP_OK;
}
