// Worlds of a batch have the bits of the same worlds alone, with the same edits, for any number of workers; what happens to one
// does not reach the others; a reset gives the bits of a new world.
#include "batch_scene.h"
#include "variants.h"
#include "world/world_internal.h"

enum { WORLDS = 6, STEPS = 12 };

typedef struct rig {
    sp_context *ctx;
    batch_scene scene;
    sp_batch *batch;
} rig;

static void start(rig *r, int workers) {
    sp_context_def cd = sp_context_def_default();
    sp_batch_def def = sp_batch_def_default();
    *r = (rig){0};
    cd.workers = workers;
    REQUIRE(sp_context_create(&cd, &r->ctx) == SP_OK && batch_scene_open(r->ctx, &r->scene) >= 0);
    def.count = WORLDS, def.world = batch_scene_world(def.world), def.build = batch_scene_build, def.user = &r->scene;
    REQUIRE(sp_batch_create(r->ctx, &def, &r->batch) == SP_OK);
}

static void finish(rig *r) {
    sp_batch_destroy(&r->batch);
    batch_scene_close(&r->scene);
    sp_context_destroy(&r->ctx);
}

// World 0 is left alone, in each of the others something else happens.
static void act(sp_world *w, int world, uint64_t step) {
    static const sp_edit_type types[WORLDS] = {SP_EDIT_PIN,  SP_EDIT_PARAM, SP_EDIT_DRAG,
                                               SP_EDIT_POSE, SP_EDIT_PIN,   SP_EDIT_REMOVE_ELEMENT};
    sp_edit e = sp_edit_default(types[world]);
    if (world == 0 || step != (uint64_t)world) return;
    e.body = sp_world_body_named(w, e.type == SP_EDIT_POSE ? "floor" : "block");
    snprintf(e.path, sizeof e.path, "bar.young"), e.value = 5e4;
    e.node = 40, e.stiffness = 20, e.target[0] = 0.3, e.target[2] = 0.4, e.axes = SP_AXES_ALL;
    e.pose.translate[2] = 0.002;
    if (e.type == SP_EDIT_DRAG) CHECK(sp_world_anchor_node(w, sp_world_body_named(w, "bar"), 60, &e.anchor) >= 0);
    CHECK_INT(sp_world_queue(w, &e), SP_OK);
}

// hashes of one world, which is in no batch
static void run_alone(int world, uint64_t hash[STEPS]) {
    sp_context_def cd = sp_context_def_default();
    sp_world_def def = batch_scene_world(sp_world_def_default());
    sp_context *ctx;
    batch_scene scene;
    sp_world *w;
    cd.workers = 2;
    REQUIRE(sp_context_create(&cd, &ctx) == SP_OK && batch_scene_open(ctx, &scene) >= 0);
    REQUIRE(sp_world_create(ctx, &def, &w) == SP_OK && batch_scene_build(&scene, world, w) >= 0);
    for (uint64_t k = 0; k < STEPS; k++) {
        act(w, world, k);
        CHECK(sp_world_step(w, 0.01) >= 0);
        hash[k] = sp_world_hash(w);
    }
    CHECK(sp_world_contact_count(w) > 10);  // block, ball and strands rest on something
    sp_world_destroy(&w);
    batch_scene_close(&scene);
    sp_context_destroy(&ctx);
}

static uint64_t alone[WORLDS][STEPS];
static bool alone_known;

static void know_alone(void) {
    if (alone_known) return;
    for (int i = 0; i < WORLDS; i++) run_alone(i, alone[i]);
    for (int i = 1; i < WORLDS; i++) CHECK(alone[i][STEPS - 1] != alone[0][STEPS - 1]);  // the edits act
    alone_known = true;
}

static void check_hashes(sp_batch *b, uint64_t step, int first, int last) {
    for (int i = first; i <= last; i++)
        if (sp_world_hash(sp_batch_world(b, i)) != alone[i][step])
            SP_TEST_FAILED("world %d differs from the same world alone after step %d", i, (int)step + 1);
}

static void run(rig *r, uint64_t steps) {
    for (uint64_t k = 0; k < steps; k++) {
        for (int i = 0; i < WORLDS; i++) act(sp_batch_world(r->batch, i), i, k);
        CHECK(sp_batch_step(r->batch, 0.01) >= 0);
        check_hashes(r->batch, k, 0, WORLDS - 1);
    }
}

TEST(worlds_have_the_bits_that_they_have_alone) {
    static const int workers[] = {1, 2, 5};
    know_alone();
    for (int n = 0; n < 3; n++) {
        rig r;
        start(&r, workers[n]);
        run(&r, STEPS);
        finish(&r);
    }
}

// as many steps at once as lie between two edits
TEST(several_steps_at_once_are_the_same_steps) {
    static const int some[] = {0, 4};
    rig r;
    know_alone();
    start(&r, 2);
    run(&r, WORLDS);  // all edits
    CHECK(sp_batch_run(r.batch, 0.01, 2, NULL, 0) >= 0);
    check_hashes(r.batch, WORLDS + 1, 0, WORLDS - 1);
    // those of a list go on
    CHECK(sp_batch_run(r.batch, 0.01, 3, some, 2) >= 0);
    for (int i = 0; i < WORLDS; i++) check_hashes(r.batch, WORLDS + (i % 4 ? 1 : 4), i, i);
    // a world that fails makes no further step, and the others make all of theirs
    CHECK_INT(sp__world_inject_failure(sp_batch_world(r.batch, 4), SP_STAGE_GUARD), SP_OK);
    CHECK_INT(sp_batch_run(r.batch, 0.01, STEPS - WORLDS - 5, some, 2), SP_STOPPED);
    CHECK(sp_batch_statuses(r.batch)[0] >= 0 && sp_batch_statuses(r.batch)[4] == SP_STOPPED);
    check_hashes(r.batch, STEPS - 1, 0, 0);
    check_hashes(r.batch, WORLDS + 4, 4, 4);
    finish(&r);
}

TEST(a_failing_world_does_not_stop_the_others) {
    rig r;
    know_alone();
    start(&r, 2);
    run(&r, 7);
    CHECK_INT(sp__world_inject_failure(sp_batch_world(r.batch, 2), SP_STAGE_GUARD), SP_OK);
    CHECK_INT(sp_batch_step(r.batch, 0.01), SP_STOPPED);
    CHECK(strncmp(sp_context_error(r.ctx)->message, "world 2: ", 9) == 0);
    for (int i = 0; i < WORLDS; i++) CHECK((sp_batch_statuses(r.batch)[i] < 0) == (i == 2));
    check_hashes(r.batch, 7, 0, 1);
    check_hashes(r.batch, 6, 2, 2);
    check_hashes(r.batch, 7, 3, WORLDS - 1);
    // the failed one follows
    CHECK(sp_batch_step_some(r.batch, 0.01, (int[]){2}, 1) >= 0);
    check_hashes(r.batch, 7, 0, WORLDS - 1);
    finish(&r);
}

TEST(a_reset_world_has_the_bits_of_a_new_one) {
    rig r;
    know_alone();
    start(&r, 2);
    run(&r, STEPS);
    CHECK_INT(sp_batch_reset(r.batch, (int[]){4, 0, 2}, 3), SP_OK);
    CHECK(sp_world_time(sp_batch_world(r.batch, 2)) == 0 && sp_world_time(sp_batch_world(r.batch, 3)) > 0);
    for (uint64_t k = 0; k < STEPS; k++) {
        for (int i = 0; i < WORLDS; i += 2) act(sp_batch_world(r.batch, i), i, k);
        CHECK(sp_batch_step(r.batch, 0.01) >= 0);
        for (int i = 0; i < WORLDS; i += 2) check_hashes(r.batch, k, i, i);
    }
    // later states can be kept instead: the same steps from there have the same bits
    sp_world *w = sp_batch_world(r.batch, 3);
    uint64_t hash[2];
    CHECK_INT(sp_batch_keep(r.batch, 3), SP_OK);
    for (int again = 0; again < 2; again++) {
        if (again) CHECK_INT(sp_batch_reset(r.batch, (int[]){3}, 1), SP_OK);
        for (int k = 0; k < 3; k++) CHECK(sp_batch_step_some(r.batch, 0.01, (int[]){3}, 1) >= 0);
        hash[again] = sp_world_hash(w);
    }
    CHECK(hash[0] == hash[1]);
    finish(&r);
}

// ---------------------------------------------------------------------------------------------------- kinds of bodies

// A bar or a strand of one kind, in a world for itself.
typedef struct kind {
    const char *name;
    const sp_mesh *mesh;  // NULL: a strand
    sp_solid_def solid;
    sp_rod_model model;
} kind;

static const int clamped[] = {0, 1, 2, 3};
static const sp_fix clamp = {clamped, 4, SP_AXES_ALL, 0};

static sp_status add_strand(const kind *k, sp_world *w) {
    const double curvature[] = {0, 20, 0, 5, 20, 0, 0, 10, 0, 0, 20, 10, 0, 20, 0};
    sp_rod_section section = sp_rod_section_default();
    sp_rod_strand strand = {.length = 0.1, .elements = 4, .root = sp_pose_identity(), .curvature = curvature};
    sp_rod_def def = sp_rod_def_default();
    section.axes[0] = section.axes[1] = 2e-3;
    def.name = "body", def.model = k->model, def.strands = &strand, def.strand_count = 1;
    def.sections = &section, def.section_count = 1;
    return sp_world_add_rod(w, &def, NULL);
}

static sp_status build_kind(void *user, int index, sp_world *w) {
    const kind *k = user;
    (void)index;
    return k->mesh ? sp_world_add_solid(w, &k->solid, NULL) : add_strand(k, w);
}

static void soften(sp_world *w) {
    sp_edit e = sp_edit_default(SP_EDIT_PARAM);
    snprintf(e.path, sizeof e.path, "body.young"), e.value = 1.5e4;
    CHECK_INT(sp_world_queue(w, &e), SP_OK);
}

enum { KIND_STEPS = 5, EXPLICIT_STEPS = 18, EDITED = 2 };

// what the world tells of the stability of explicit steps, which it follows from step to step
static double critical_step(sp_world *w) {
    sp_body_info info;
    return sp_world_body_info(w, sp_world_body_id(w, 0), &info) >= 0 ? info.solve.critical_step : NAN;
}

static bool fields_are_equal(sp_world *a, sp_world *b) {
    sp_body_id id[2] = {sp_world_body_named(a, "body"), sp_world_body_named(b, "body")};
    for (int i = 0; i < sp_world_field_count(a, id[0]); i++) {
        sp_field_info info;
        if (sp_world_field_at(a, id[0], i, &info) < 0) return false;
        const size_t bytes = sizeof(double) * (size_t)info.count * (size_t)info.components;
        double *one = malloc(bytes + 1), *other = malloc(bytes + 1);
        const bool equal = one && other && sp_world_field(a, id[0], info.name, one) >= 0 &&
                           sp_world_field(b, id[1], info.name, other) >= 0 && memcmp(one, other, bytes) == 0;
        free(one), free(other);
        if (!equal) return SP_TEST_FAILED("field %s", info.name), false;
    }
    return true;
}

// Worlds of one lane, whose scratch is spoilt between them: the second is as the world alone, the third as one with an edit.
static void check_kind(sp_context *ctx, kind *k) {
    sp_batch_def def = sp_batch_def_default();
    sp_batch *batch = NULL;
    sp_world *one[2] = {NULL};
    const bool explicit_steps = k->mesh && k->solid.integrator.type == SP_EXPLICIT;
    bool good = true;
    def.count = 3, def.build = build_kind, def.user = k;
    CHECK_INT(sp_batch_create(ctx, &def, &batch), SP_OK);
    for (int i = 0; i < 2 && batch; i++) CHECK(sp_world_create(ctx, NULL, &one[i]) == SP_OK && build_kind(k, 0, one[i]) >= 0);
    for (int n = 0; n < (explicit_steps ? EXPLICIT_STEPS : KIND_STEPS) && batch; n++) {
        if (n == EDITED) soften(one[1]), soften(sp_batch_world(batch, 2));
        CHECK(sp_batch_step(batch, 0.01) >= 0);
        for (int i = 0; i < 2; i++) {
            CHECK(sp_world_step(one[i], 0.01) >= 0);
            good = good && sp_world_hash(one[i]) == sp_world_hash(sp_batch_world(batch, i + 1));
            if (explicit_steps) CHECK(critical_step(one[i]) == critical_step(sp_batch_world(batch, i + 1)));
        }
    }
    for (int i = 0; i < 2 && batch; i++) good = fields_are_equal(one[i], sp_batch_world(batch, i + 1)) && good;
    if (!good) SP_TEST_FAILED("%s: a world of a batch differs from the world alone", k->name);
    sp_world_destroy(&one[0]), sp_world_destroy(&one[1]);
    sp_batch_destroy(&batch);
}

static sp_context *one_worker(void) {
    sp_context_def cd = sp_context_def_default();
    sp_context *ctx = NULL;
    cd.workers = 1;
    sp_context_create(&cd, &ctx);
    return ctx;
}

static kind bar_of(const char *name, const sp_mesh *mesh) {
    kind k = {.name = name, .mesh = mesh, .solid = sp_solid_def_default()};
    k.solid.name = "body", k.solid.mesh = mesh, k.solid.fixes = &clamp, k.solid.fix_count = 1, k.solid.material.young = 3e4;
    return k;
}

TEST(every_material_has_the_same_bits_in_a_batch) {
    sp_context *ctx = one_worker();
    sp_mesh *mesh = NULL;
    REQUIRE(ctx && sp_mesh_box(ctx, (double[]){0.2, 0.1, 0.1}, (int[]){2, 1, 1}, 6, &mesh) == SP_OK);
    for (int i = 0; i < VARIANTS; i++) {
        kind k = bar_of(variants[i].name, mesh);
        use_variant(&k.solid, &variants[i]);
        check_kind(ctx, &k);
    }
    // viscous, with fibres, swelling, with a consistent mass matrix
    kind k = bar_of("viscous", mesh);
    k.solid.material.relaxation_count = 1, k.solid.material.relaxation[0] = 0.4, k.solid.material.relaxation[1] = 0.05;
    check_kind(ctx, &k);
    k = bar_of("fibres", mesh);
    k.solid.model = SP_NEO_HOOKEAN, k.solid.material.fibre_young = 1e5, k.solid.material.fibre[0] = 1;
    check_kind(ctx, &k);
    k = bar_of("swelling", mesh);
    k.solid.eigenstrains.body.swell = sp_signal_constant(0.1);
    check_kind(ctx, &k);
    k = bar_of("consistent", mesh);
    k.solid.mass_matrix = SP_MASS_CONSISTENT;
    check_kind(ctx, &k);
    sp_mesh_destroy(&mesh);
    sp_context_destroy(&ctx);
}

// what a group of elements keeps, and what it computes again in each step
TEST(every_element_has_the_same_bits_in_a_batch) {
    static const struct {
        const char *name;
        int shape;  // 0: 4-node tetrahedra, 1: hexahedra, 2: quadratic tetrahedra
        sp_solid_law law;
        sp_integration integration;
    } all[] = {{"hexahedra, linear", 1, {.model = SP_LINEAR}, SP_INTEGRATION_AUTO},
               {"hexahedra, corotational", 1, {.model = SP_COROTATIONAL}, SP_INTEGRATION_AUTO},
               {"hexahedra, neo-hookean", 1, {.model = SP_NEO_HOOKEAN}, SP_INTEGRATION_FULL},
               {"quadratic, linear", 2, {.model = SP_LINEAR}, SP_INTEGRATION_AUTO},
               {"quadratic, mooney-rivlin", 2, {.model = SP_MOONEY_RIVLIN}, SP_INTEGRATION_AUTO},
               {"tensor-mass", 0, {.model = SP_TENSOR_MASS}, SP_INTEGRATION_AUTO},
               {"springs", 0, {.model = SP_MASS_SPRING}, SP_INTEGRATION_AUTO},
               {"springs of hexahedra", 1, {.model = SP_MASS_SPRING}, SP_INTEGRATION_AUTO}};
    sp_context *ctx = one_worker();
    sp_mesh *mesh[3] = {NULL};
    const double size[3] = {0.2, 0.1, 0.1};
    REQUIRE(ctx && sp_mesh_box(ctx, size, (int[]){2, 1, 1}, 6, &mesh[0]) == SP_OK &&
            sp_mesh_box(ctx, size, (int[]){2, 1, 1}, 1, &mesh[1]) == SP_OK &&
            sp_mesh_order2(mesh[0], NULL, NULL, &mesh[2]) == SP_OK);
    for (size_t i = 0; i < sizeof all / sizeof *all; i++) {
        kind k = bar_of(all[i].name, mesh[all[i].shape]);
        k.solid.model = all[i].law.model, k.solid.integration = all[i].integration;
        check_kind(ctx, &k);
    }
    for (int i = 0; i < 3; i++) sp_mesh_destroy(&mesh[i]);
    sp_context_destroy(&ctx);
}

TEST(every_solver_and_integrator_has_the_same_bits_in_a_batch) {
    static const sp_solver_type solvers[] = {SP_SOLVER_CG, SP_SOLVER_CHOLESKY, SP_SOLVER_UPDATED_CHOLESKY, SP_SOLVER_DENSE};
    static const sp_preconditioner kinds[] = {SP_BLOCK_JACOBI,      SP_JACOBI,         SP_SSOR,     SP_IC,
                                              SP_COMPLETE_CHOLESKY, SP_INVERSE_FACTOR, SP_MULTIGRID};
    static const sp_integrator_type integrators[] = {SP_NEWTON, SP_EXPLICIT, SP_STATIC};
    sp_context *ctx = one_worker();
    sp_mesh *mesh = NULL;
    char name[64];
    REQUIRE(ctx && sp_mesh_box(ctx, (double[]){0.4, 0.1, 0.1}, (int[]){4, 1, 1}, 6, &mesh) == SP_OK);
    for (int i = 0; i < 4; i++) {
        kind k = bar_of(name, mesh);
        snprintf(name, sizeof name, "solver %d", (int)solvers[i]);
        k.solid.solver.type = solvers[i];
        check_kind(ctx, &k);
    }
    for (int i = 0; i < 7; i++)
        for (int policy = SP_REFRESH_AUTO; policy <= SP_REFRESH_STEP; policy++) {
            kind k = bar_of(name, mesh);
            snprintf(name, sizeof name, "preconditioner %d, refresh %d", (int)kinds[i], policy);
            k.solid.solver.type = SP_SOLVER_PCG, k.solid.solver.pcg.preconditioner = kinds[i];
            k.solid.solver.pcg.refresh = (sp_refresh_policy)policy;
            check_kind(ctx, &k);
        }
    for (int i = 0; i < 3; i++) {
        kind k = bar_of(name, mesh);
        snprintf(name, sizeof name, "integrator %d", (int)integrators[i]);
        k.solid.integrator.type = integrators[i];
        k.solid.integrator.substeps = integrators[i] == SP_EXPLICIT ? 50 : SP_SUBSTEPS_AUTO;
        check_kind(ctx, &k);
    }
    sp_mesh_destroy(&mesh);
    sp_context_destroy(&ctx);
}

TEST(every_model_of_a_rod_has_the_same_bits_in_a_batch) {
    static const char *const names[] = {"clothoid", "helix", "der", "beam"};
    sp_context *ctx = one_worker();
    REQUIRE(ctx);
    for (int model = SP_ROD_CLOTHOID; model <= SP_ROD_BEAM; model++) {
        kind k = {.name = names[model], .model = (sp_rod_model)model};
        check_kind(ctx, &k);
    }
    sp_context_destroy(&ctx);
}
