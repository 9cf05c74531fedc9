// The list of parameters: complete, consistent, and used by definitions, edits, worlds and scene files.
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "io/scene/scene.h"
#include "souple/souple.h"
#include "test.h"

// the list, kind by kind
static bool next_spec(int *kind, int *index, sp_param_spec *out) {
    for (; sp_kind_name(*kind); ++*kind, *index = 0)
        if (sp_kind_param_at(sp_kind_name(*kind), *index, out) >= 0) {
            ++*index;
            return true;
        }
    return false;
}

TEST(entries_are_complete) {
    sp_param_spec p, same;
    int count = 0;
    for (int kind = 0, index = 0; next_spec(&kind, &index, &p); count++) {
        const char *name = sp_kind_name(kind);
        CHECK(p.name[0] && p.unit && p.label[0] && p.meaning[0]);
        CHECK(p.low < p.high && p.low <= p.edit_low && p.edit_low < p.edit_high && p.edit_high <= p.high);
        // an edit cannot reach an open end
        CHECK(!(p.ends & SP_RANGE_LOW_OPEN) || p.edit_low > p.low);
        CHECK(!(p.ends & SP_RANGE_HIGH_OPEN) || p.edit_high < p.high);
        // NaN: required
        if (p.price != SP_PRICE_NEW_BODY && !isnan(p.initial)) CHECK(p.initial >= p.edit_low && p.initial <= p.edit_high);
        // a name occurs once in its list
        REQUIRE(sp_kind_param(name, p.name, &same) == SP_OK);
        CHECK(memcmp(&same.low, &p.low, sizeof p.low) == 0 && same.label == p.label);
        CHECK_INT(sp_kind_param(name, p.label, &same), strcmp(p.label, p.name) == 0 ? SP_OK : SP_BAD_INPUT);
    }
    CHECK(count >= 24);
    CHECK(strcmp(sp_kind_name(0), "world") == 0 && sp_kind_name(-1) == NULL && sp_kind_name(99) == NULL);
    CHECK_INT(sp_kind_param_count("rigid"), 0);
    CHECK_INT(sp_kind_param_count("cloud"), 0);
    CHECK_INT(sp_kind_param_at("solid", -1, &p), SP_BAD_INPUT);
    CHECK_INT(sp_kind_param_at("solid", sp_kind_param_count("solid"), &p), SP_BAD_INPUT);
    CHECK_INT(sp_kind_param("cloud", "young", &p), SP_BAD_INPUT);
}

static double initial_of(const char *kind, const char *name) {
    sp_param_spec p;
    return sp_kind_param(kind, name, &p) < 0 ? NAN : p.initial;
}

TEST(defaults_of_definitions_are_those_of_the_list) {
    sp_solid_def solid = sp_solid_def_default();
    sp_rod_def rod = sp_rod_def_default();
    sp_rod_section section = sp_rod_section_default();
    sp_world_def world = sp_world_def_default();
    sp_contact_def contact = sp_contact_def_default();
    CHECK(solid.material.young == initial_of("solid", "young") && section.young == initial_of("rod", "young"));
    CHECK(solid.material.poisson == initial_of("solid", "poisson") && section.poisson == initial_of("rod", "poisson"));
    CHECK(solid.material.density == initial_of("solid", "density") && section.density == initial_of("rod", "density"));
    CHECK(solid.rayleigh_mass == initial_of("solid", "rayleigh-mass") && rod.rayleigh_mass == initial_of("rod", "rayleigh-mass"));
    CHECK(solid.rayleigh_stiffness == initial_of("solid", "rayleigh-stiffness"));
    CHECK(solid.drag == initial_of("solid", "drag") && rod.drag == initial_of("rod", "drag"));
    CHECK(solid.solver.tolerance == initial_of("solid", "solver.tolerance"));
    CHECK(solid.solver.iterations == initial_of("rod", "solver.iterations"));
    CHECK(contact.stiffness == initial_of("world", "contact.stiffness"));
    CHECK(contact.damping == initial_of("world", "contact.damping"));
    CHECK(contact.friction == initial_of("world", "contact.friction"));
    CHECK(contact.enabled == initial_of("world", "contact.enabled"));
    CHECK(world.gravity[0].constant == initial_of("world", "gravity.x"));
    CHECK(world.gravity[1].constant == initial_of("world", "gravity.y"));
}

// ------------------------------------------------------------------------------------------------ in a world

static sp_context *ctx;
static sp_world *world;
static sp_mesh *mesh;

static void start(void) {
    sp_world_def def = sp_world_def_default();
    REQUIRE(sp_context_create(NULL, &ctx) == SP_OK && sp_world_create(ctx, &def, &world) == SP_OK);
    REQUIRE(sp_mesh_box(ctx, (double[]){1, 1, 1}, (int[]){1, 1, 1}, 5, &mesh) == SP_OK);
}

static void finish(void) {
    sp_mesh_destroy(&mesh);
    sp_world_destroy(&world);
    sp_context_destroy(&ctx);
}

// a definition with one value at, or just outside, an end of its range
static void try_solid(const char *name, double value, bool good) {
    sp_solid_def def = sp_solid_def_default();
    sp_body_id id;
    double *const fields[] = {&def.material.young, &def.material.poisson, &def.material.density, &def.rayleigh_mass,
                              &def.drag,           &def.solver.tolerance};
    static const char *const names[] = {"young", "poisson", "density", "rayleigh-mass", "drag", "solver.tolerance"};
    def.mesh = mesh;
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (strcmp(names[i], name) == 0) *fields[i] = value;
    sp_status status = sp_world_add_solid(world, &def, &id);
    if ((status >= 0) != good) SP_TEST_FAILED("%s = %g: %s", name, value, sp_status_name(status));
    if (status >= 0) sp_world_remove(world, id);
}

TEST(definitions_are_checked_against_the_list) {
    static const char *const names[] = {"young", "poisson", "density", "rayleigh-mass", "drag", "solver.tolerance"};
    start();
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        sp_param_spec p;
        REQUIRE(sp_kind_param("solid", names[i], &p) == SP_OK);
        try_solid(names[i], p.low, !(p.ends & SP_RANGE_LOW_OPEN));
        try_solid(names[i], p.high, !(p.ends & SP_RANGE_HIGH_OPEN));
        try_solid(names[i], nextafter(p.low, -INFINITY), false);
        try_solid(names[i], nextafter(p.high, INFINITY), false);
        try_solid(names[i], NAN, false);
    }
    try_solid("young", -1, false);
    CHECK(strstr(sp_world_error(world)->message, "young = -1 Pa, must be in [0, 1e15]"));
    try_solid("density", 0, false);
    CHECK(strstr(sp_world_error(world)->message, "density = 0 kg/m3, must be in (0, 1e9]"));
    try_solid("poisson", 0.5, false);
    CHECK(strstr(sp_world_error(world)->message, "poisson = 0.5, must be in (-1, 0.5)"));
    try_solid("rayleigh-mass", -1, false);
    CHECK(strstr(sp_world_error(world)->message, "rayleigh_mass = -1 1/s, must be in [0, 1e9]"));
    sp_contact_def contact = sp_contact_def_default();
    contact.friction = -1;
    CHECK_INT(sp_world_set_contact(world, &contact), SP_BAD_INPUT);
    CHECK(strstr(sp_world_error(world)->message, "contact friction = -1, must be in [0, 1e6]"));
    finish();
}

// every parameter of a world is an entry of the list, and an edit may set it to both ends of its range and no further
TEST(edits_are_checked_against_the_list) {
    start();
    sp_solid_def def = sp_solid_def_default();
    sp_contact_def contact = sp_contact_def_default();
    sp_material region = {.density = 500, .young = 2e6, .poisson = NAN};
    sp_body_id id;
    sp_anchor corner = {.elem = 0};
    sp_mass_def mass = {.name = "mass", .at = &corner, .count = 1, .value = sp_signal_constant(2)};
    def.name = "cube", def.mesh = mesh, def.regions = &region, def.region_count = 1, def.masses = &mass, def.mass_count = 1;
    REQUIRE(sp_world_add_solid(world, &def, &id) == SP_OK && sp_world_set_contact(world, &contact) == SP_OK);
    // penalty contact has no contact.enabled
    CHECK_INT(sp_world_param_count(world), sp_kind_param_count("world") - 1 + sp_kind_param_count("solid") + 3);
    for (int i = 0; i < sp_world_param_count(world); i++) {
        sp_param_info info;
        sp_param_spec listed;
        sp_edit e = sp_edit_default(SP_EDIT_PARAM);
        REQUIRE(sp_world_param_at(world, i, &info) == SP_OK);
        CHECK(sp_kind_param("world", info.spec.name, &listed) >= 0 || sp_kind_param("solid", info.spec.name, &listed) >= 0);
        CHECK(listed.low == info.spec.low && listed.high == info.spec.high && listed.price == info.spec.price);
        snprintf(e.path, sizeof e.path, "%s", info.path);
        CHECK(strlen(info.path) >= strlen(info.spec.name) &&
              strcmp(info.path + strlen(info.path) - strlen(info.spec.name), info.spec.name) == 0);
        const double tries[] = {nextafter(info.spec.edit_low, -INFINITY), nextafter(info.spec.edit_high, INFINITY), NAN};
        for (int k = 0; k < 3; k++) {
            e.value = tries[k];
            if (sp_world_queue(world, &e) < 0) continue;  // not finite
            sp_step_info step;
            CHECK(sp_world_step(world, 1e-3) >= 0);
            sp_world_step_info(world, &step);
            CHECK(step.reservations & 1u << SP_EDIT_REFUSED);
        }
    }
    finish();
}

// ------------------------------------------------------------------------------------------------ in scene files

TEST(scene_files_use_the_list) {
    int rows = 0;
    for (int i = 0; i < sp__element_spec_count(); i++) {
        const sp_element_spec *e = sp__element_spec_at(i);
        for (int a = 0; a < e->attr_count; a++) {
            const sp_attr_spec *s = &e->attrs[a];
            sp_param_spec p;
            char kind[64];
            if (!s->param) continue;
            rows++;
            snprintf(kind, sizeof kind, "%.*s", (int)strcspn(s->param, " "), s->param);
            char *dot = strchr(kind, '.');
            REQUIRE(dot);
            *dot = 0;
            REQUIRE(sp_kind_param(kind, dot + 1, &p) == SP_OK);
            CHECK(s->low == (p.ends & SP_RANGE_LOW_GUARD ? -INFINITY : p.low));
            CHECK(s->high == (p.ends & SP_RANGE_HIGH_GUARD ? INFINITY : p.high));
            CHECK(!(p.ends & SP_RANGE_LOW_OPEN) || s->flags & SP_ATTR_LOW_OPEN);
            if (s->count_max == 1 && s->fallback && !(s->flags & SP_ATTR_AUTO)) CHECK(strtod(s->fallback, NULL) == p.initial);
        }
    }
    CHECK(rows > 20);
    const sp_element_spec *solid = sp__element_spec("solid"), *scene = sp__element_spec("scene");
    CHECK(strcmp(solid->attrs[sp__attr_index(solid, "young")].fallback, "1e6") == 0);
    CHECK(strcmp(solid->attrs[sp__attr_index(solid, "rayleigh")].fallback, "0 0") == 0);
    CHECK(strcmp(scene->attrs[sp__attr_index(scene, "gravity")].fallback, "0 -9.81 0") == 0);
}
