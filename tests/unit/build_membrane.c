// `thickness` of a scene: sheets, discs, the skins of shapes, triangles of files; what selects, loads, holds, probes, joins,
// touches and records them.
#include <math.h>
#include <unistd.h>

#include "souple/io.h"
#include "test.h"

typedef struct tried {
    sp_context *ctx;
    sp_scene *scene;
    sp_run *run;
} tried;

// a scene of this content after some steps; false: refused or failed, with a message in `why`
static bool try_scene(const char *content, int steps, tried *t, char why[600]) {
    char text[3000];
    *t = (tried){0};
    why[0] = 0;
    snprintf(text, sizeof text, "<scene version='1' dt='0.01'>%s<stop steps='100'/></scene>", content);
    CHECK(sp_context_create(NULL, &t->ctx) == SP_OK);
    sp_status status = sp_scene_parse(t->ctx, text, strlen(text), "test.xml", NULL, &t->scene);
    if (status >= 0) status = sp_run_create(t->scene, NULL, &t->run);
    for (int i = 0; i < steps && status >= 0; i++) status = sp_run_step(t->run);
    if (status < 0) snprintf(why, 600, "%s", sp_context_error(t->ctx)->message);
    return status >= 0;
}

static void leave(tried *t) {
    sp_run_destroy(&t->run);
    sp_scene_destroy(&t->scene);
    sp_context_destroy(&t->ctx);
}

static sp_body_measures measures(const tried *t, const char *name) {
    sp_body_measures m = {0};
    sp_world *w = sp_run_world(t->run);
    CHECK(sp_world_body_measure(w, sp_world_body_named(w, name), &m) == SP_OK);
    return m;
}

// mass = area x thickness x density
static double mass_of(const char *attributes, const char *shape) {
    char content[600], why[600];
    tried t;
    double mass = NAN;
    snprintf(content, sizeof content, "<solid name='a' thickness='2e-3' density='500' %s>%s</solid>", attributes, shape);
    if (try_scene(content, 0, &t, why)) mass = measures(&t, "a").mass;
    if (why[0]) printf("  %s\n", why);
    leave(&t);
    return mass;
}

TEST(membranes_of_all_shapes) {
    CHECK_NEAR(mass_of("", "<sheet size='0.5 0.4' cells='3 2'/>"), 0.2, 1e-14);
    CHECK_NEAR(mass_of("", "<sheet size='0.5 0.4' cells='3 2' pattern='diagonal'/>"), 0.2, 1e-14);
    CHECK_NEAR(mass_of("scale='2'", "<sheet size='0.5 0.4' cells='3 2'/>"), 0.8, 1e-14);
    // a hexagon, and the skin of a box
    CHECK_NEAR(mass_of("", "<disc radius='1' rings='1'/>"), 1.5 * sqrt(3), 1e-14);
    CHECK_NEAR(mass_of("", "<box size='1 2 3' cells='2 2 2'/>"), 22, 1e-13);
    CHECK_NEAR(mass_of("", "<box size='1 2 3' cells='2 2 2' pattern='hex'/>"), 22, 1e-13);
    // a sphere of many facets is a little smaller
    CHECK_NEAR(mass_of("", "<sphere radius='1' cells='8'/>"), 4 * 3.14159265358979, 0.02 * 12.6);
}

// A file of triangles, and `flip`: a pressure pushes to the other side.
static double pushed(const char *flip) {
    static const char obj[] = "v 0 0 0\nv 1 0 0\nv 1 0 1\nv 0 0 1\nf 1 3 2\nf 1 4 3\n";
    char content[600], why[600];
    tried t;
    double y = NAN;
    FILE *f = fopen("membrane.obj", "w");
    if (!f) return NAN;
    fputs(obj, f), fclose(f);
    snprintf(content, sizeof content,
             "<solid name='a' thickness='1e-3'><mesh file='membrane.obj' flip='%s'/><load on='all' pressure='100'/></solid>",
             flip);
    if (try_scene(content, 1, &t, why)) {
        double m[3];
        memcpy(m, measures(&t, "a").momentum, sizeof m);
        y = m[1] + 0.01 * 9.81;  // less the weight of 1 kg
    }
    if (why[0]) printf("  %s\n", why);
    leave(&t);
    remove("membrane.obj");
    return y;
}

// 100 Pa on 1 m2 for 10 ms: 1 N s against the normal, which is +y in the file
TEST(triangles_of_a_file) {
    CHECK_NEAR(pushed("no"), -1, 1e-9);
    CHECK_NEAR(pushed("yes"), 1, 1e-9);
}

// Everything that a solid may have, on a membrane.
TEST(membranes_have_what_solids_have) {
    char why[600];
    tried t;
    bool done = try_scene("<contact formulation='proximity'/><rigid name='floor'><plane point='0 -0.3 0'/></rigid>"
                          "<solid name='a' thickness='1e-3' material='mooney-rivlin' young='1e5'>"
                          "<sheet size='0.5 0.5' cells='4 4'/>"
                          "<region name='hem' where='{x lt 0.2}' material='stvk' young='2e5'/>"
                          "<fix box='-1 -1 -1 1e-6 1 1e-6'/><fix near='0 0 0.5' stiffness='100'/>"
                          "<load near='0.5 0 0.5' force='0 -0.1 0'/><load where='{x gt 0.2}' traction='0 1 0'/>"
                          "<pull point='0.31 0 0.27' to='0.3 0.1 0.3' stiffness='5'/><mass near='0.5 0 0' value='0.01'/>"
                          "<surface role='visual' subdivide='1'/><surface role='collision' self='no'/>"
                          "<probe name='p' point='0.21 0 0.33' quantity='position stress'/></solid>"
                          "<solid name='b' translate='0.5 0 0'><box size='0.1 0.1 0.1' cells='1 1 1'/></solid>"
                          "<attach a='a' b='b' type='weld' within='0.02'/>",
                          5, &t, why);
    if (!done) printf("  %s\n", why);
    CHECK(done);
    if (done) {
        sp_world *w = sp_run_world(t.run);
        sp_body_id id = sp_world_body_named(w, "a");
        sp_element_view view;
        int nodes[3 * 64];
        CHECK(sp_world_elements(w, id, NULL, &view) == SP_OK && view.type == SP_ELEMENT_TRI3 && view.count == 64);
        CHECK(view.nodes_per_element == 3 && sp_world_elements(w, id, nodes, &view) == SP_OK);
        CHECK(isfinite(measures(&t, "a").elastic) && measures(&t, "a").inverted == 0);
    }
    leave(&t);
}
