// `integration` and `incompressibility` of a scene reach the elements: of a body, of a material, of a region, and only there.
#include "souple/io.h"
#include "test.h"

#define STVK "material='stvk' young='1e5' poisson='0.49'"

// energy of a body `b` after a step; NAN: the scene is refused
static double energy_of(const char *text) {
    sp_context *ctx;
    sp_scene *scene = NULL;
    sp_run *run = NULL;
    double energy = NAN;
    CHECK(sp_context_create(NULL, &ctx) == SP_OK);
    sp_status status = sp_scene_parse(ctx, text, strlen(text), "test.xml", NULL, &scene);
    if (status >= 0) status = sp_run_create(scene, NULL, &run);
    if (status >= 0 && sp_run_step(run) >= 0) {
        sp_world *w = sp_run_world(run);
        sp_body_measures m;
        if (sp_world_body_measure(w, sp_world_body_named(w, "b"), &m) == SP_OK) energy = m.elastic;
    }
    sp_run_destroy(&run);
    sp_scene_destroy(&scene);
    sp_context_destroy(&ctx);
    return energy;
}

// of a bar that hangs at its root, after a static step; box: attributes of its mesh
static double hanging_box(const char *box, const char *attributes, const char *more) {
    char text[1000];
    snprintf(text, sizeof text,
             "<scene><material name='m' model='stvk' young='1e5' poisson='0.49' integration='full'/>"
             "<solid name='b' %s><box size='0.4 0.2 0.2' cells='4 2 2' %s/>"
             "<fix box='-1 -1 -1 1e-3 1 1'/>%s<integrator type='static'/></solid><stop steps='1'/></scene>",
             attributes, box, more);
    return energy_of(text);
}

static double hanging(const char *attributes, const char *more) {
    return hanging_box("pattern='hex'", attributes, more);
}

// the same of quadratic tetrahedra; integration "": not given
static double tetrahedra(const char *attributes, const char *integration) {
    char text[1000];
    snprintf(text, sizeof text,
             "<scene><solid name='b' %s %s%s%s><box size='0.4 0.2 0.2' cells='4 2 2' order='2'/><fix box='-1 -1 -1 1e-3 1 1'/>"
             "<integrator type='static'/></solid><stop steps='1'/></scene>",
             attributes, *integration ? "integration='" : "", integration, *integration ? "'" : "");
    return energy_of(text);
}

TEST(integration_of_a_scene) {
    double bar = hanging(STVK, ""), full = hanging(STVK " integration='full'", "");
    double region = hanging(STVK, "<region where='{x lt 0.2}' integration='full'/>");
    double all = hanging(STVK, "<region where='{x lt 1}' integration='full'/>");
    // the load is the same, so the energy falls as the bar stiffens; 2 x 2 elements across lock
    CHECK(bar > 1.2 * full);
    CHECK(region > 1.01 * full && region < 0.99 * bar);
    CHECK(all == full);
    CHECK(hanging(STVK " integration='b-bar'", "") == bar);
}

TEST(integration_of_tetrahedra) {
    double full = hanging_box("", STVK, ""), patches = hanging_box("", STVK " integration='b-bar'", "");
    double region = hanging_box("", STVK, "<region where='{x lt 0.2}' integration='b-bar'/>");
    CHECK(patches > 1.2 * full);
    CHECK(region > 1.01 * full && region < 0.99 * patches);
    CHECK(hanging_box("", STVK " integration='full'", "") == full);
    CHECK(isnan(hanging_box("order='2'", STVK " integration='b-bar'", "")));
    CHECK(!isnan(hanging_box("order='2'", STVK, "")));
}

TEST(incompressibility_of_a_scene) {
    double none = hanging(STVK, ""), body = hanging(STVK " incompressibility='1e7'", "");
    double region = hanging(STVK, "<region where='{x lt 0.2}' incompressibility='1e7'/>");
    double inner = hanging(STVK " incompressibility='1e7'", "<region where='{x lt 0.2}' incompressibility='0'/>");
    CHECK(hanging(STVK " incompressibility='0'", "") == none);
    CHECK(body < region && region < none);
    CHECK(body < inner && inner < none);
    // a region with a modulus of its own keeps the penalty of the body: this one has the modulus of the body
    CHECK_NEAR(hanging(STVK " incompressibility='1e7'", "<region where='{x lt 0.2}' young='1e5'/>"), body, 1e-6 * body);
    CHECK(isnan(hanging("material='mooney-rivlin' young='1e5' incompressibility='1e7'", "")));
}

// Straight quadratic tetrahedra: the linear law is integrated exactly with four points and with eight; a law of higher degree
// in the displacement is not, and at eight points fewer changes of volume are free.
TEST(vertices_of_quadratic_tetrahedra) {
    double four = tetrahedra("material='linear' young='1e5'", ""),
           eight = tetrahedra("material='linear' young='1e5'", "vertices");
    CHECK_NEAR(eight / four, 1, 1e-10);
    four = tetrahedra(STVK, ""), eight = tetrahedra(STVK, "vertices");
    CHECK(eight < four && eight > 0.95 * four);
    CHECK(isnan(tetrahedra(STVK, "full")));
    CHECK(isnan(hanging(STVK " integration='vertices'", "")));
}

TEST(integration_of_a_named_material) {
    double full = hanging(STVK " integration='full'", "");
    CHECK(hanging("material='m'", "") == full);
    // a value is written here or there, not both
    CHECK(isnan(hanging("material='m' integration='b-bar'", "")));
}

TEST(integration_of_a_definition) {
    const double size[3] = {1, 1, 1};
    const int cells[3] = {1, 1, 1};
    sp_context *ctx;
    sp_mesh *mesh = NULL;
    sp_world *world;
    CHECK(sp_context_create(NULL, &ctx) == SP_OK && sp_mesh_box(ctx, size, cells, 1, &mesh) == SP_OK);
    CHECK(sp_world_create(ctx, NULL, &world) == SP_OK);
    sp_solid_def def = sp_solid_def_default();
    def.mesh = mesh, def.integration = (sp_integration)4;
    CHECK(sp_world_add_solid(world, &def, NULL) == SP_BAD_INPUT);
    CHECK(strstr(sp_world_error(world)->message, "integration = 4 is unknown"));
    sp_world_destroy(&world);
    sp_mesh_destroy(&mesh);
    sp_context_destroy(&ctx);
}
