// Selections of the scene language against a brute-force search: the nodes of a fix, the elements of a region.
#include "test.h"

#include "souple/io.h"

enum { NODES = 1000, TETS = 5000 };

typedef struct subject {  // a ball, whose nodes are not on a lattice
    sp_context *ctx;
    sp_mesh *mesh;
    bool boundary[NODES], boundary_tet[TETS];
    double centre[TETS][3];
} subject;

static const double radius[3] = {1, 0.8, 1.2};

static bool make_subject(subject *s) {
    memset(s, 0, sizeof *s);
    if (sp_context_create(NULL, &s->ctx) < 0 || sp_mesh_sphere(s->ctx, radius, 3, &s->mesh) < 0) return false;
    if (sp_mesh_node_count(s->mesh) > NODES || sp_mesh_element_count(s->mesh) > TETS) return false;
    const int *faces = sp_mesh_faces(s->mesh), *tets = sp_mesh_tets(s->mesh);
    for (int i = 0; i < 3 * sp_mesh_face_count(s->mesh); i++) s->boundary[faces[i]] = true;
    for (int e = 0; e < sp_mesh_element_count(s->mesh); e++) {
        for (int k = 0; k < 3; k++)
            for (int i = 0; i < 4; i++) s->centre[e][k] += 0.25 * sp_mesh_positions(s->mesh)[3 * tets[4 * e + i] + k];
        // a face of the boundary, by a search over all of them
        for (int f = 0; f < sp_mesh_face_count(s->mesh); f++) {
            int shared = 0;
            for (int i = 0; i < 4; i++)
                for (int k = 0; k < 3; k++) shared += tets[4 * e + i] == faces[3 * f + k];
            s->boundary_tet[e] = s->boundary_tet[e] || shared == 3;
        }
    }
    return true;
}

// ------------------------------------------------------------------------------------------------ meaning of selections

typedef struct shape {  // one selection, its text and its meaning
    int kind;           // 0 box, 1 sphere, 2 plane, 3 layer, 4 where, 5 ids
    double n[6];
    bool surface, invert;
    char text[300];
} shape;

static double random_in(unsigned long long *state, double low, double high) {
    return low + (high - low) * 0.5 * (sp_test_random(state) + 1);
}

static void random_shape(unsigned long long *state, shape *s) {
    char at[200] = "";
    *s = (shape){.kind = (int)random_in(state, 0, 6)};
    for (int k = 0; k < 6; k++) s->n[k] = random_in(state, -1, 1);
    if (s->kind == 0) {
        for (int k = 0; k < 3; k++)
            if (s->n[k] > s->n[k + 3]) s->n[k] = -1, s->n[k + 3] = 0.3;
        snprintf(at, sizeof at, "box='%.17g %.17g %.17g %.17g %.17g %.17g'", s->n[0], s->n[1], s->n[2], s->n[3], s->n[4],
                 s->n[5]);
    } else if (s->kind == 1) {
        s->n[3] = fabs(s->n[3]) + 0.1;
        snprintf(at, sizeof at, "sphere='%.17g %.17g %.17g %.17g'", s->n[0], s->n[1], s->n[2], s->n[3]);
    } else if (s->kind <= 3) {
        snprintf(at, sizeof at, "plane='%.17g %.17g %.17g %.17g %.17g %.17g'%s", s->n[0], s->n[1], s->n[2], s->n[3], s->n[4],
                 s->n[5], s->kind == 3 ? " within='0.2'" : "");
    } else if (s->kind == 4) {
        snprintf(at, sizeof at, "where='{x*%.17g + y*z gt %.17g or z lt -0.9}'", fabs(s->n[0]), fabs(s->n[1]) / 3);
    } else {
        s->n[0] = floor(fabs(s->n[0]) * 300);
        snprintf(at, sizeof at, "nodes='%g %g-%g'", s->n[0], s->n[0] + 10, s->n[0] + 30);
    }
    s->surface = random_in(state, 0, 1) < 0.3;
    s->invert = random_in(state, 0, 1) < 0.3;
    snprintf(s->text, sizeof s->text, "%s%s%s", at, s->surface ? " on='surface'" : "", s->invert ? " invert='yes'" : "");
}

static bool listed(const shape *s, int node) {
    return node == s->n[0] || (node >= s->n[0] + 10 && node <= s->n[0] + 30);
}

static bool inside(const shape *s, const double x[3]) {
    double d = 0, r = 0, normal = 0;
    bool box = true;
    for (int k = 0; k < 3; k++) {
        box = box && x[k] >= s->n[k] && x[k] <= s->n[k + 3];
        r += (x[k] - s->n[k]) * (x[k] - s->n[k]);
        d += (x[k] - s->n[k]) * s->n[k + 3];
        normal += s->n[k + 3] * s->n[k + 3];
    }
    if (s->kind == 0) return box;
    if (s->kind == 1) return sqrt(r) <= s->n[3];
    if (s->kind == 2) return d >= 0;
    if (s->kind == 3) return fabs(d) <= 0.2 * sqrt(normal);
    return x[0] * fabs(s->n[0]) + x[1] * x[2] > fabs(s->n[1]) / 3 || x[2] < -0.9;
}

static bool node_in(const subject *b, const shape *s, int i) {
    bool hit = s->kind == 5 ? listed(s, i) : inside(s, sp_mesh_positions(b->mesh) + 3 * i);
    return (hit && (!s->surface || b->boundary[i])) != s->invert;
}

static bool element_in(const subject *b, const shape *s, int e) {
    bool hit = true;
    for (int k = 0; s->kind == 5 && k < 4; k++) hit = hit && listed(s, sp_mesh_tets(b->mesh)[4 * e + k]);
    if (s->kind != 5) hit = inside(s, b->centre[e]);
    return (hit && (!s->surface || b->boundary_tet[e])) != s->invert;
}

// ------------------------------------------------------------------------------------------------ the built selection

// held[i]: node i does not move under gravity; taken[e]: element e is in the region
static bool built(subject *b, const char *inside_solid, bool *held, bool *taken) {
    char text[3000];
    sp_scene *scene = NULL;
    sp_run *run = NULL;
    snprintf(text, sizeof text,
             "<scene gravity='1 -10 2' dt='0.01'><solid name='b' young='100' translate='3 0 0'><sphere radius='1 0.8 1.2' "
             "cells='3'/>%s</solid>"
             "<stop steps='1'/></scene>",
             inside_solid);
    bool good = sp_scene_parse(b->ctx, text, strlen(text), "test.xml", NULL, &scene) >= 0 &&
                sp_run_create(scene, NULL, &run) >= 0 && sp_run_step(run) >= 0;
    if (!good) SP_TEST_FAILED("%s: %s", text, sp_context_error(b->ctx)->message);
    if (good) {
        static double u[3 * NODES], region[TETS];
        sp_world *w = sp_run_world(run);
        sp_body_id id = sp_world_body_named(w, "b");
        CHECK(sp_world_field(w, id, "velocity", u) == SP_OK && sp_world_field(w, id, "region", region) == SP_OK);
        for (int i = 0; i < sp_mesh_node_count(b->mesh); i++) held[i] = u[3 * i] == 0 && u[3 * i + 1] == 0 && u[3 * i + 2] == 0;
        for (int e = 0; e < sp_mesh_element_count(b->mesh); e++) taken[e] = region[e] != 0;
    }
    sp_run_destroy(&run);
    sp_scene_destroy(&scene);
    return good;
}

static int differences(subject *b, const char *text, const bool *nodes, const bool *tets) {
    static bool held[NODES], taken[TETS];
    int wrong = 0;
    if (!built(b, text, held, taken)) return 1;
    for (int i = 0; i < sp_mesh_node_count(b->mesh); i++) wrong += held[i] != nodes[i];
    for (int e = 0; e < sp_mesh_element_count(b->mesh); e++) wrong += taken[e] != tets[e];
    if (wrong) SP_TEST_FAILED("%d nodes or elements differ: %s", wrong, text);
    return wrong;
}

TEST(single_selections) {
    subject b;
    unsigned long long state = 3;
    static bool nodes[NODES], tets[TETS];
    REQUIRE(make_subject(&b));
    for (int i = 0; i < 40; i++) {
        shape s;
        char text[1000];
        random_shape(&state, &s);
        snprintf(text, sizeof text, "<fix %s empty='yes'/><region %s empty='yes' young='50'/>", s.text, s.text);
        for (int k = 0; k < sp_mesh_node_count(b.mesh); k++) nodes[k] = node_in(&b, &s, k);
        for (int k = 0; k < sp_mesh_element_count(b.mesh); k++) tets[k] = element_in(&b, &s, k);
        if (differences(&b, text, nodes, tets)) break;
    }
    sp_mesh_destroy(&b.mesh);
    sp_context_destroy(&b.ctx);
}

// children form a union, references and attributes intersect, inversion is applied last
TEST(unions_references_and_inversions) {
    subject b;
    unsigned long long state = 11;
    static bool nodes[NODES], tets[TETS];
    REQUIRE(make_subject(&b));
    for (int i = 0; i < 20; i++) {
        shape a, c, d;
        char text[2500];
        bool invert = i % 2;
        random_shape(&state, &a);
        random_shape(&state, &c);
        random_shape(&state, &d);
        // the inversion of the whole is written below
        char *said = strstr(d.text, " invert='yes'");
        if (said) *said = 0;
        d.invert = false;
        snprintf(text, sizeof text,
                 "<select name='both' empty='yes'><select %s/><select %s/></select>"
                 "<fix %s select='both' invert='%s' empty='yes'/><region %s select='both' invert='%s' young='50' empty='yes'/>",
                 a.text, c.text, d.text, invert ? "yes" : "no", d.text, invert ? "yes" : "no");
        for (int k = 0; k < sp_mesh_node_count(b.mesh); k++)
            nodes[k] = ((node_in(&b, &a, k) || node_in(&b, &c, k)) && node_in(&b, &d, k)) != invert;
        for (int k = 0; k < sp_mesh_element_count(b.mesh); k++)
            tets[k] = ((element_in(&b, &a, k) || element_in(&b, &c, k)) && element_in(&b, &d, k)) != invert;
        if (differences(&b, text, nodes, tets)) break;
    }
    sp_mesh_destroy(&b.mesh);
    sp_context_destroy(&b.ctx);
}

TEST(the_nearest_node) {
    subject b;
    unsigned long long state = 5;
    static bool nodes[NODES], held[NODES], taken[TETS];
    REQUIRE(make_subject(&b));
    for (int i = 0; i < 10; i++) {
        double x[3], best = INFINITY;
        int nearest = 0, count = sp_mesh_node_count(b.mesh), wrong = 0;
        char text[300];
        for (int k = 0; k < 3; k++) x[k] = random_in(&state, -1, 1);
        snprintf(text, sizeof text, "<fix near='%.17g %.17g %.17g'/>", x[0], x[1], x[2]);
        for (int n = 0; n < count; n++) {
            double d = 0;
            for (int k = 0; k < 3; k++) d += pow(sp_mesh_positions(b.mesh)[3 * n + k] - x[k], 2);
            if (d < best) best = d, nearest = n;
        }
        memset(nodes, 0, sizeof nodes);
        nodes[nearest] = true;
        REQUIRE(built(&b, text, held, taken));
        for (int n = 0; n < count; n++) wrong += held[n] != nodes[n];
        CHECK_INT(wrong, 0);
    }
    sp_mesh_destroy(&b.mesh);
    sp_context_destroy(&b.ctx);
}

// pressure acts on the faces with all three nodes inside: its sum is pressure times their area, against their normals
TEST(faces_have_all_their_nodes_inside) {
    sp_context *ctx;
    sp_scene *scene = NULL;
    sp_run *run = NULL;
    static const char text[] = "<scene gravity='0 0 0' dt='1e-6'><solid name='b' density='1'><box size='1 2 1' cells='2 2 2'/>"
                               "<load plane='0 2 0 0 1 0' pressure='3'/></solid><stop steps='1'/></scene>";
    sp_body_measures info;
    REQUIRE(sp_context_create(NULL, &ctx) == SP_OK);
    REQUIRE(sp_scene_parse(ctx, text, strlen(text), "test.xml", NULL, &scene) >= 0 && sp_run_create(scene, NULL, &run) >= 0);
    CHECK(sp_run_step(run) >= 0);
    CHECK(sp_world_body_measure(sp_run_world(run), sp_world_body_id(sp_run_world(run), 0), &info) == SP_OK);
    // momentum = force x time; elastic forces sum to zero; the solver's tolerance is 1e-6
    CHECK_NEAR(info.momentum[1], -3e-6, 3e-6 * 1e-5);
    CHECK_NEAR(info.momentum[0], 0, 3e-6 * 1e-5);
    sp_run_destroy(&run);
    sp_scene_destroy(&scene);
    sp_context_destroy(&ctx);
}
