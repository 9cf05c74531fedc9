// Claim: a shaken box of bodies of all shapes, rigid and soft, loses none of them (scenes/contact/bag.xml with 30 bodies and 1.5
// s; the whole scene has 200 and 20 s).
//
// - no step has a reservation: contacts are solved, no energy appears, nothing is deep in another body
// - the box carries the weight of all bodies, and all of them are in it
// - at rest nothing overlaps by more than the contacts allow: flat edges of soft bodies make one from 1e-3 of the alarm distance
//   on, 1.4e-6 m. The oracle knows no contacts: points along the edges of each body, their winding number in each other one
//   (solid angles, van Oosterom and Strackee 1983), and their distance from its surface. Tolerance: four times that, as some
//   bodies still slide
#include "math/vec3.h"
#include "mesh/tree.h"
#include "scene_run.h"
#include "world/world_internal.h"

// the box rests at its place again; positions are floats
static int vertices_outside(sp_world *w) {
    const float low[3] = {-0.2501f, -0.0001f, -0.2501f}, high[3] = {0.2501f, 1.1f, 0.2501f};
    const sp_snapshot *now = sp_world_snapshot_acquire(w);
    int outside = 0;
    if (!now) return -1;
    for (int b = 0; b < now->body_count; b++) {
        const sp_snapshot_surface *surface = &now->bodies[b].surfaces[0];
        for (int i = 0; i < 3 * surface->vertex_count && strcmp(now->bodies[b].name, "box") != 0; i++)
            outside += surface->positions[i] < low[i % 3] || surface->positions[i] > high[i % 3];
    }
    sp_world_snapshot_release(w, now);
    return outside;
}

enum { BODIES = 32, ALONG = 20 };

typedef struct outline {
    const sp_surface *surface;
    double *x;
    double low[3], high[3];
} outline;

// Bodies that move and have triangles: a sphere and a capsule are touched as such, not by their triangles.
static int outlines(sp_world *w, outline list[BODIES]) {
    int n = 0;
    sp_body_shape shape;
    for (int i = 0; i < w->body_count && n < BODIES; i++) {
        sp_body *b = w->bodies[i];
        outline *o = &list[n];
        if (b->caps & SP_CAP_KINEMATIC || (b->ops->shape && b->ops->shape(b, SP_COMMITTED, 0, &shape))) continue;
        o->surface = b->surfaces[0];
        o->x = malloc(3 * sizeof *o->x * (size_t)o->surface->vertex_count);
        sp__surface_positions(b, o->surface, SP_COMMITTED, o->x, NULL, NULL);
        for (int a = 0; a < 3; a++) {
            o->low[a] = INFINITY, o->high[a] = -INFINITY;
            for (int v = 0; v < o->surface->vertex_count; v++)
                o->low[a] = fmin(o->low[a], o->x[3 * v + a]), o->high[a] = fmax(o->high[a], o->x[3 * v + a]);
        }
        n++;
    }
    return n;
}

// depth of a point in a body, 0: it is outside
static double depth_in(const outline *o, const double x[3]) {
    double angle = 0, least = INFINITY;
    for (int a = 0; a < 3; a++)
        if (x[a] < o->low[a] || x[a] > o->high[a]) return 0;
    for (int f = 0; f < o->surface->face_count; f++) {
        double p[3][3], weights[3], foot[3], normal[3], length[3];
        for (int k = 0; k < 3; k++) {
            sp__sub3(o->x + 3 * (size_t)o->surface->faces[3 * f + k], x, p[k]);
            length[k] = sp__norm3(p[k]);
        }
        sp__nearest_on_triangle(p[0], p[1], p[2], (double[3]){0}, weights);
        for (int a = 0; a < 3; a++) foot[a] = weights[0] * p[0][a] + weights[1] * p[1][a] + weights[2] * p[2][a];
        least = fmin(least, sp__norm3(foot));
        sp__cross3(p[1], p[2], normal);
        angle += 2 * atan2(sp__dot3(p[0], normal), length[0] * length[1] * length[2] + sp__dot3(p[0], p[1]) * length[2] +
                                                       sp__dot3(p[1], p[2]) * length[0] + sp__dot3(p[2], p[0]) * length[1]);
    }
    return angle > 2 * SP_PI ? least : 0;
}

// largest depth of points on the edges of one body in another one
static double deepest_edge(const outline *of, const outline *in) {
    double deepest = 0;
    for (int a = 0; a < 3; a++)
        if (of->high[a] < in->low[a] || of->low[a] > in->high[a]) return 0;
    for (int k = 0; k < 3 * of->surface->face_count; k++) {
        const uint32_t i = of->surface->faces[k], j = of->surface->faces[k - k % 3 + (k + 1) % 3];
        for (int s = 0; s <= ALONG && i < j; s++) {
            double x[3], t = (double)s / ALONG;
            for (int a = 0; a < 3; a++) x[a] = (1 - t) * of->x[3 * (size_t)i + (size_t)a] + t * of->x[3 * (size_t)j + (size_t)a];
            deepest = fmax(deepest, depth_in(in, x));
        }
    }
    return deepest;
}

static double deepest_overlap(sp_world *w) {
    outline list[BODIES];
    const int n = outlines(w, list);
    double deepest = 0;
    for (int i = 0; i < n; i++)
        for (int j = 0; j < n; j++)
            if (i != j) deepest = fmax(deepest, deepest_edge(&list[i], &list[j]));
    for (int i = 0; i < n; i++) free(list[i].x);
    return deepest;
}

TEST(a_shaken_box_keeps_its_bodies) {
    scene_run s;
    REQUIRE(scene_open(&s, "contact/bag.xml", "copies=3", NULL));
    sp_world *w = sp_run_world(s.run);
    int reservations = 0;
    double overlap = 0;
    while (!sp_run_done(s.run)) {
        sp_status status = sp_run_step(s.run);
        if (status < 0) SP_TEST_FAILED("%s", sp_world_error(w)->message);
        if (status < 0) break;
        reservations += status != SP_OK;
    }
    CHECK_INT(reservations, 0);
    CHECK(sp_run_finish(s.run) >= 0);
    CHECK_INT(scene_claims_missed(&s), 0);
    CHECK_INT(vertices_outside(w), 0);
    for (int i = 0; i < sp_world_contact_count(w); i++) {
        sp_contact_point p;
        CHECK_INT(sp_world_contact_at(w, i, &p), SP_OK);
        overlap = fmax(overlap, -p.gap);
    }
    const double deepest = deepest_overlap(w);
    printf("  %d bodies, %d contacts, overlap at the end %.2g m, of edges %.2g m\n", sp_world_body_count(w),
           sp_world_contact_count(w), overlap, deepest);
    CHECK(overlap < 4 * 1.4e-6);
    CHECK(deepest < 4 * 1.4e-6);
    scene_close(&s);
}
