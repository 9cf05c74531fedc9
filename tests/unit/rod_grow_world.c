// Growth in a world: failed steps, checkpoints, memory, a frozen body.
#include "rod/rod.h"
#include "rod_world.h"

static const sp_rod_model kinds[] = {SP_ROD_CLOTHOID, SP_ROD_HELIX};
static const sp_grow_mode modes[] = {SP_GROW_TIP, SP_GROW_SCALE};

// A rod that swings while it grows, pulled at a point of its last element.
typedef struct garden {
    sp_context *ctx;
    sp_world *world;
    sp_body_id rod;
} garden;

static sp_status garden_plant(garden *g, sp_rod_model model, const sp_rod_grow *grow) {
    sp_rod_section section = sp_rod_section_default();
    sp_rod_strand strand[2] = {{.length = 0.3, .elements = 3, .root = sp_pose_identity()}};
    sp_spring_def pull = {.at = {.elem = 2, .at = {0.5}}, .stiffness = 1};
    sp_rod_def def = sp_rod_def_default();
    section.axes[0] = section.axes[1] = 0.005;
    strand[1] = strand[0], strand[1].length = 0.2, strand[1].root.translate[2] = 0.1;
    def.model = model, def.grow = grow, def.rayleigh_stiffness = 0.01, def.springs = &pull, def.spring_count = 1;
    def.strands = strand, def.strand_count = 2, def.sections = &section, def.section_count = 1;
    return sp_world_add_rod(g->world, &def, &g->rod);
}

static sp_status garden_fill(garden *g, sp_rod_model model, sp_grow_mode mode, double gravity) {
    sp_world_def world = sp_world_def_default();
    sp_rod_grow grow = {.mode = mode, .rate = sp_signal_constant(0.5), .until = 0.6};
    world.gravity[1] = sp_signal_constant(gravity);
    grow.curvature[2] = sp_signal_constant(5);
    SP_TRY(sp_world_create(g->ctx, &world, &g->world));
    return garden_plant(g, model, &grow);
}

static bool garden_open_under(garden *g, sp_rod_model model, sp_grow_mode mode, double gravity) {
    *g = (garden){0};
    return sp_context_create(NULL, &g->ctx) == SP_OK && garden_fill(g, model, mode, gravity) == SP_OK;
}

static bool garden_open(garden *g, sp_rod_model model, sp_grow_mode mode) {
    return garden_open_under(g, model, mode, -9.81);
}

static void garden_close(garden *g) {
    sp_world_destroy(&g->world);
    sp_context_destroy(&g->ctx);
}

static void steps(garden *g, int n) {
    world_steps(g->world, n);
}

// Failures at every stage before each step, against a world without failures.
TEST(failed_steps_do_not_grow) {
    for (int kind = 0; kind < 2; kind++)
        for (int mode = 0; mode < 2; mode++) {
            garden plain, tried;
            REQUIRE(garden_open(&plain, kinds[kind], modes[mode]) && garden_open(&tried, kinds[kind], modes[mode]));
            for (int i = 0; i < 70; i++) {
                check_failures(tried.world);
                steps(&plain, 1), steps(&tried, 1);
                CHECK(sp_world_hash(plain.world) == sp_world_hash(tried.world));
            }
            garden_close(&plain), garden_close(&tried);
        }
}

// the volume measures its length
static double volume_of(garden *g) {
    sp_body_measures info = {0};
    CHECK_INT(sp_world_body_measure(g->world, g->rod, &info), SP_OK);
    return info.volume;
}

TEST(checkpoints_of_growth_continue_with_the_same_hashes) {
    for (int kind = 0; kind < 2; kind++)
        for (int mode = 0; mode < 2; mode++) {
            garden g, other;
            REQUIRE(garden_open(&g, kinds[kind], modes[mode]) && garden_open(&other, kinds[kind], modes[mode]));
            steps(&g, 10);
            double volume = volume_of(&g), area = 3.14159265358979323846 * 0.005 * 0.005;
            CHECK_NEAR(volume, (0.35 + 0.25) * area, 1e-9 * area);
            check_checkpoint(g.world, other.world, 60);
            CHECK_NEAR(volume_of(&g), (0.6 + 0.55) * area, 1e-9 * area);
            CHECK(volume_of(&g) == volume_of(&other));
            garden_close(&g), garden_close(&other);
        }
}

// The rod doubles its length and its number of elements. Without weight: strands allocate where they bend more than ever before.
TEST(nothing_is_allocated_while_it_grows) {
    for (int kind = 0; kind < 2; kind++) {
        garden g;
        REQUIRE(garden_open_under(&g, kinds[kind], SP_GROW_TIP, 0));
        check_no_allocation(g.ctx, g.world, 70);
        garden_close(&g);
    }
}

static sp_status fill_world(sp_context *ctx, sp_world **out) {
    garden g = {.ctx = ctx};
    sp_status status = garden_fill(&g, SP_ROD_CLOTHOID, SP_GROW_TIP, -9.81);
    *out = g.world;
    return status;
}

// Every allocation of creation, growth included, may be refused.
TEST(every_allocation_of_a_world_may_fail) {
    check_allocations(fill_world, 30);
}

static double breaks_at(const void *user, double t) {
    (void)user;
    return t < 0.1 ? 5 : NAN;
}

// A rod that fails is frozen in the state before the step, including its length.
TEST(a_frozen_rod_does_not_grow) {
    garden g;
    REQUIRE(sp_context_create(NULL, &g.ctx) == SP_OK);
    sp_world_def world = sp_world_def_default();
    world.on_failure = SP_FAILURE_FREEZE;
    REQUIRE(sp_world_create(g.ctx, &world, &g.world) == SP_OK);
    sp_rod_grow grow = {.mode = SP_GROW_TIP, .rate = sp_signal_constant(0.5), .until = 0.6};
    grow.curvature[2] = (sp_signal){.eval = breaks_at};
    REQUIRE(garden_plant(&g, SP_ROD_CLOTHOID, &grow) == SP_OK);
    steps(&g, 10);
    double volume = volume_of(&g);
    CHECK_INT(sp_world_step(g.world, 0.01), SP_FROZEN);
    CHECK(volume_of(&g) == volume);
    steps(&g, 5);
    CHECK(volume_of(&g) == volume);
    garden_close(&g);
}
