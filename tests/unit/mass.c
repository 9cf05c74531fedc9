// Point masses: definitions, queries, edits, functions of time, checkpoints. tests/unit/table.c asks every kind for the mass
// matrix, tests/verify/rod_mass.c for the mechanics.
#include "body/body.h"
#include "test.h"
#include "world/world_internal.h"

typedef struct rig {
    sp_context *ctx;
    sp_mesh *mesh;
    sp_world *world;
    sp_body_id solid, rod;
} rig;

static const sp_anchor inside = {.elem = 0, .at = {0.25, 0.25, 0.25}}, tip = {.elem = 3, .at = {1}};

static sp_status hang(rig *r, const sp_mass_def *on_solid, const sp_mass_def *on_rod) {
    const double size[3] = {1, 1, 1};
    const int cells[3] = {1, 1, 1}, held[4] = {0, 1, 2, 3};
    sp_fix fix = {held, 4, SP_AXES_ALL, 0};
    sp_rod_section section = sp_rod_section_default();
    sp_rod_strand strand = {.length = 1, .elements = 4, .root = sp_pose_identity()};
    sp_solid_def solid = sp_solid_def_default();
    sp_rod_def rod = sp_rod_def_default();
    *r = (rig){0};
    SP_TRY(sp_context_create(NULL, &r->ctx));
    SP_TRY(sp_world_create(r->ctx, NULL, &r->world));
    SP_TRY(sp_mesh_box(r->ctx, size, cells, 6, &r->mesh));
    solid.name = "cube", solid.mesh = r->mesh, solid.fixes = &fix, solid.fix_count = 1;
    solid.masses = on_solid, solid.mass_count = on_solid != NULL;
    section.axes[0] = section.axes[1] = 0.01, section.young = 1e9;
    rod.name = "wire", rod.strands = &strand, rod.strand_count = 1, rod.sections = &section, rod.section_count = 1;
    rod.masses = on_rod, rod.mass_count = on_rod != NULL;
    SP_TRY(sp_world_add_solid(r->world, &solid, &r->solid));
    return sp_world_add_rod(r->world, &rod, &r->rod);
}

static void take_down(rig *r) {
    sp_world_destroy(&r->world);
    sp_mesh_destroy(&r->mesh);
    sp_context_destroy(&r->ctx);
}

static sp_mass_def mass_at(const sp_anchor *at, double value) {
    return (sp_mass_def){.at = at, .count = 1, .value = sp_signal_constant(value)};
}

static bool refused(const sp_mass_def *on_solid, const sp_mass_def *on_rod, const char *words) {
    rig r;
    bool good = hang(&r, on_solid, on_rod) == SP_BAD_INPUT && strstr(sp_world_error(r.world)->message, words);
    if (!good) printf("  '%s', not '%s'\n", sp_world_error(r.world)->message, words);
    take_down(&r);
    return good;
}

static double falling(const void *user, double t) {
    (void)user;
    return -1 - t;
}

TEST(a_wrong_definition_is_refused) {
    sp_anchor outside = {.elem = 0, .at = {0.7, 0.7, 0}}, nowhere = {.elem = 99}, aside = {.elem = 0, .offset = {0, 0.1, 0}};
    sp_anchor beyond = {.elem = 0, .at = {1.5}};
    sp_mass_def good = mass_at(&inside, 1), m;
    m = mass_at(&inside, 0), CHECK(refused(&m, NULL, "value = 0 kg, must be in (0, 1e9]"));
    m = mass_at(&inside, NAN), CHECK(refused(&m, NULL, "value = nan kg"));
    m = mass_at(&inside, 1), m.value.eval = falling, CHECK(refused(&m, NULL, "value = -1 kg at time 0"));
    m = mass_at(&inside, 1), m.count = 0, CHECK(refused(&m, NULL, "count = 0, must be >= 1"));
    m = mass_at(NULL, 1), CHECK(refused(&m, NULL, "must be >= 1 and have a list"));
    m = mass_at(&inside, 1), m.inertia = 0.1, CHECK(refused(&m, NULL, "the nodes of a solid do not rotate"));
    m = mass_at(&tip, 1), m.inertia = -1, CHECK(refused(NULL, &m, "inertia = -1 kg m2, must be in [0, 1e+09]"));
    m = mass_at(&inside, 1), m.name = "", CHECK(refused(&m, NULL, "must have 1 to 47 characters"));
    m = mass_at(&outside, 1), CHECK(refused(&m, NULL, "the point is outside"));
    m = mass_at(&nowhere, 1), CHECK(refused(&m, NULL, "number 99"));
    m = mass_at(&nowhere, 1), CHECK(refused(NULL, &m, "must be in [0, 1] of one in [0, 3]"));
    m = mass_at(&beyond, 1), CHECK(refused(NULL, &m, "at 1.5 of element 0"));
    m = mass_at(&aside, 1), CHECK(refused(&good, &m, "offset 0.1 m of point 0, must be 0"));
}

TEST(masses_are_listed) {
    rig r;
    const sp_anchor two[2] = {inside, {.elem = 2, .at = {0, 0, 1}}};
    sp_mass_def a = {.name = "bob", .at = two, .count = 2, .value = sp_signal_constant(3)}, b = mass_at(&tip, 0.5);
    sp_mass_info m;
    sp_param_info p;
    sp_body_measures now;
    REQUIRE(hang(&r, &a, &b) >= 0);
    CHECK_INT(sp_world_mass_count(r.world, r.solid), 1);
    CHECK_INT(sp_world_mass_count(r.world, (sp_body_id){9, 1}), SP_BAD_ID);
    REQUIRE(sp_world_mass_at(r.world, r.solid, 0, &m) == SP_OK);
    CHECK(!strcmp(m.name, "bob") && m.value == 3 && m.count == 2 && m.at[1].elem == 2 && m.at[0].body.slot == r.solid.slot);
    CHECK_NEAR(m.radius, cbrt(1.5 * 0.75 / 3.14159265358979 / 7850), 1e-12);  // 1.5 kg of steel each
    CHECK_INT(sp_world_mass_at(r.world, r.solid, 1, &m), SP_BAD_INPUT);
    CHECK(sp_world_mass_at(r.world, r.rod, 0, &m) == SP_OK && !strcmp(m.name, "mass[0]") && m.value == 0.5);
    CHECK(sp_world_param(r.world, "cube.bob.value", &p) == SP_OK && p.value == 3 && p.spec.price == SP_PRICE_MASS);
    CHECK(sp_world_param(r.world, "wire.mass[0].value", &p) == SP_OK && p.value == 0.5);
    CHECK(sp_world_body_measure(r.world, r.solid, &now) == SP_OK);
    CHECK_NEAR(now.mass, 1003, 1e-10);
    take_down(&r);
}

static double swinging(const void *user, double t) {
    (void)user;
    return t > 0.1 ? NAN : 1 + sin(30 * t);  // from 0.1 s on not a mass: the last value stays
}

// an edit changes the value; a function of time does at each step; a checkpoint between them continues with the same bits
TEST(values_change_while_running) {
    rig r;
    sp_checkpoint saved;
    sp_mass_def a = mass_at(&inside, 1), b = mass_at(&tip, 0.1);
    sp_edit edit = sp_edit_default(SP_EDIT_PARAM);
    sp_mass_info m;
    uint64_t hash = 0;
    a.value.eval = swinging;
    REQUIRE(hang(&r, &a, &b) >= 0);
    snprintf(edit.path, sizeof edit.path, "wire.mass[0].value");
    edit.value = 0.3;
    for (int k = 0; k < 4; k++) CHECK(sp_world_step(r.world, 0.01) >= 0);
    CHECK(sp_world_mass_at(r.world, r.solid, 0, &m) == SP_OK);
    CHECK_NEAR(m.value, 1 + sin(1.2), 1e-14);
    CHECK_INT(sp_world_queue(r.world, &edit), SP_OK);
    CHECK(sp_world_step(r.world, 0.01) >= 0);
    CHECK(sp_world_mass_at(r.world, r.rod, 0, &m) == SP_OK && m.value == 0.3);
    REQUIRE(sp_world_save(r.world, &saved) == SP_OK);
    for (int round = 0; round < 2; round++) {
        if (round) {
            edit.value = 0.9;
            CHECK(sp_world_queue(r.world, &edit) == SP_OK && sp_world_step(r.world, 0.01) >= 0);
            CHECK_INT(sp_world_restore(r.world, saved.data, saved.size), SP_OK);
        }
        for (int k = 0; k < 8; k++) CHECK(sp_world_step(r.world, 0.01) >= 0);
        CHECK(!round || sp_world_hash(r.world) == hash);
        hash = sp_world_hash(r.world);
    }
    CHECK(sp_world_mass_at(r.world, r.rod, 0, &m) == SP_OK && m.value == 0.3);
    CHECK(sp_world_mass_at(r.world, r.solid, 0, &m) == SP_OK);
    CHECK_NEAR(m.value, 1 + sin(30 * 0.1), 0.1);
    sp_checkpoint_free(r.world, &saved);
    take_down(&r);
}

// a weight that stands on a floor: its contact is stiff enough for its mass, not only for that of the rod
TEST(a_weight_rests_on_the_floor) {
    sp_context *ctx;
    sp_world *world;
    sp_body_id rod;
    sp_rod_section section = sp_rod_section_default();
    sp_rod_strand strand = {.length = 0.2, .elements = 4, .root = {.translate = {0, 0.015, 0}, .quat = {1, 0, 0, 0}}};
    sp_rod_def def = sp_rod_def_default();
    const sp_anchor ends[2] = {{.elem = 0, .at = {0}}, {.elem = 3, .at = {1}}};
    sp_mass_def weights = {.at = ends, .count = 2, .value = sp_signal_constant(2)};
    sp_rigid_shape plane = {.type = SP_PLANE, .size = {0, 1, 0}, .pose = sp_pose_identity()};
    sp_rigid_def floor = sp_rigid_def_default();
    sp_contact_def contact = sp_contact_def_default();
    sp_body_measures m;
    REQUIRE(sp_context_create(NULL, &ctx) == SP_OK && sp_world_create(ctx, NULL, &world) == SP_OK);
    section.axes[0] = section.axes[1] = 0.01, section.density = 100, section.young = 1e9;
    def.model = SP_ROD_BEAM, def.strands = &strand, def.strand_count = 1, def.sections = &section, def.section_count = 1;
    def.free_root = true, def.masses = &weights, def.mass_count = 1, def.rayleigh_mass = 10;
    floor.shapes = &plane, floor.shape_count = 1;
    REQUIRE(sp_world_add_rod(world, &def, &rod) == SP_OK && sp_world_add_rigid(world, &floor, NULL) == SP_OK);
    CHECK_INT(sp_world_set_contact(world, &contact), SP_OK);
    for (int k = 0; k < 100; k++) CHECK(sp_world_step(world, 0.01) >= 0);
    CHECK(sp_world_body_measure(world, rod, &m) == SP_OK);
    // 30 m/h2 hold m g at g h2 / 30 = 3e-5 m; without the mass of the weight it would be 300 times deeper
    CHECK(m.penetration > 0 && m.penetration < 1e-4);
    sp_world_destroy(&world);
    sp_context_destroy(&ctx);
}

static double heavier(const void *user, double t) {
    (void)user;
    return 20 * (1 + 40 * t);
}

// Every solver and preconditioner follows a mass that grows to many times that of the body: none keeps an old factor.
TEST(solvers_follow_a_mass_that_changes) {
    static const struct {
        sp_solver_type type;
        sp_preconditioner preconditioner;
        sp_refresh_policy refresh;
    } list[] = {
        {SP_SOLVER_DENSE, SP_BLOCK_JACOBI, SP_REFRESH_AUTO},    {SP_SOLVER_CG, SP_BLOCK_JACOBI, SP_REFRESH_AUTO},
        {SP_SOLVER_CHOLESKY, SP_BLOCK_JACOBI, SP_REFRESH_AUTO}, {SP_SOLVER_UPDATED_CHOLESKY, SP_BLOCK_JACOBI, SP_REFRESH_AUTO},
        {SP_SOLVER_PCG, SP_COMPLETE_CHOLESKY, SP_REFRESH_AUTO}, {SP_SOLVER_PCG, SP_COMPLETE_CHOLESKY, SP_REFRESH_NEVER},
        {SP_SOLVER_PCG, SP_MULTIGRID, SP_REFRESH_AUTO},         {SP_SOLVER_PCG, SP_IC, SP_REFRESH_STEP},
    };
    double first[3] = {0};
    for (size_t i = 0; i < sizeof list / sizeof *list; i++) {
        const double size[3] = {1, 0.5, 0.5};
        const int cells[3] = {4, 2, 2};
        int held[9];
        for (int k = 0; k < 9; k++) held[k] = k;
        sp_fix fix = {held, 9, SP_AXES_ALL, 0};
        const sp_anchor end = {.elem = 95, .at = {1, 0, 0}};
        sp_mass_def mass = {.at = &end, .count = 1, .value = {heavier, NULL, 0}};
        sp_solid_def def = sp_solid_def_default();
        rig r = {0};
        double x[3], start[3];
        sp_anchor at = end;
        REQUIRE(sp_context_create(NULL, &r.ctx) == SP_OK && sp_world_create(r.ctx, NULL, &r.world) == SP_OK);
        REQUIRE(sp_mesh_box(r.ctx, size, cells, 6, &r.mesh) == SP_OK);
        def.mesh = r.mesh, def.fixes = &fix, def.fix_count = 1, def.masses = &mass, def.mass_count = 1;
        def.solver.type = list[i].type, def.solver.pcg.preconditioner = list[i].preconditioner;
        def.solver.pcg.refresh = list[i].refresh, def.solver.tolerance = 1e-10;
        REQUIRE(sp_world_add_solid(r.world, &def, &r.solid) == SP_OK);
        at.body = r.solid;
        CHECK_INT(sp_world_anchor_get(r.world, &at, start, NULL), SP_OK);
        for (int k = 0; k < 15; k++) CHECK(sp_world_step(r.world, 0.01) >= 0);
        CHECK_INT(sp_world_anchor_get(r.world, &at, x, NULL), SP_OK);
        CHECK(x[1] < start[1] - 0.01);
        if (i == 0) memcpy(first, x, sizeof x);
        // 15 solves to 1e-10; updated-cholesky leaves elements that moved little at their old rotation
        double allowed = list[i].type == SP_SOLVER_UPDATED_CHOLESKY ? 1e-3 : 1e-7;
        for (int k = 0; k < 3; k++) CHECK_NEAR(x[k], first[k], allowed);
        take_down(&r);
    }
}
