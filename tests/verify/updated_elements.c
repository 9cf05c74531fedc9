// Claim: updated-cholesky works on elements of every type and law, also with several of them in one mesh. With the threshold 0 it
// is the direct solver: apart by rounding, 1e-11 m after a fall of centimetres. With the automatic threshold it refreshes fewer
// elements and stays within 2 % of the length, and a modulus that changes by time, removed elements, a checkpoint and another
// number of workers are followed: the bits of the last two are the same.
#include "souple/io.h"
#include "test.h"

enum { STEPS = 20, NODES_MAX = 400 };

typedef struct body_case {
    const char *name, *law, *box, *more;
} body_case;

#define HALF(words) "<region where='{x gt 0.2}' " words "/>"
static const body_case cases[] = {
    {"corotational and polar", "material='corotational'", "", HALF("rotation='polar' young='4e4'")},
    {"corotational and linear", "material='corotational'", "", HALF("material='linear' young='4e4'")},
    {"corotational hexahedra", "material='corotational'", "pattern='hex'", ""},
    {"quadratic tetrahedra", "material='corotational'", "order='2'", ""},
    {"neo-hookean hexahedra, b-bar and full", "material='neo-hookean'", "pattern='hex'", HALF("integration='full'")},
    {"neo-hookean and ogden", "material='neo-hookean'", "", HALF("material='ogden'")},
    {"viscous hexahedra", "material='neo-hookean' prony='0.5 0.1'", "pattern='hex'", ""},
    {"fibres", "material='neo-hookean' fibre='1 0 0' fibre-young='3e4'", "", ""},
    {"costa", "material='costa' fibre='1 0 0'", "", ""},
    {"swelling", "material='corotational' swell='{0.2*smooth(0,0.1,t)}'", "", ""},
    {"tensor-mass and springs", "material='tensor-mass'", "", HALF("material='mass-spring'")},
    {"young of time", "material='stvk'", "", ""},  // see scene_text
    {"removed elements", "material='neo-hookean'", "pattern='hex'", ""},
};
enum { CASES = sizeof cases / sizeof *cases };

static void scene_text(const body_case *c, const char *solver, char *text, size_t size) {
    const bool springs = strstr(c->more, "spring"), removed = strstr(c->name, "removed"), time = strstr(c->name, "time");
    snprintf(text, size,
             "<scene dt='0.01'><solid name='b' %s young='%s'%s><box size='0.4 0.1 0.1' cells='6 2 2' %s/>"
             "<fix box='-1 -1 -1 1e-3 1 1'/>%s<solver type='%s/></solid>%s<stop steps='%d'/></scene>",
             c->law, time ? "{2e4+1e5*smooth(0.08,0.12,t)}" : "2e4", springs ? "" : " poisson='0.3'", c->box, c->more, solver,
             removed ? "<event t='0.1' do='remove' of='b' box='0.2 0.05 -1 0.3 1 1'/>" : "", STEPS);
}

typedef struct sample {
    sp_context *ctx;
    sp_scene *scene;
    sp_run *run;
    double x[3 * NODES_MAX];
    double refreshed;  // elements per step, after the first
    int elements;
} sample;

static bool sample_open(sample *s, const body_case *c, const char *solver, int workers) {
    char text[1500];
    sp_context_def def = sp_context_def_default();
    *s = (sample){0};
    def.workers = workers;
    scene_text(c, solver, text, sizeof text);
    sp_status status = sp_context_create(&def, &s->ctx);
    if (status >= 0) status = sp_scene_parse(s->ctx, text, strlen(text), "test.xml", NULL, &s->scene);
    if (status >= 0) status = sp_run_create(s->scene, NULL, &s->run);
    if (status < 0) SP_TEST_FAILED("%s: %s", c->name, sp_context_error(s->ctx)->message);
    return status >= 0;
}

static void sample_close(sample *s) {
    sp_run_destroy(&s->run);
    sp_scene_destroy(&s->scene);
    sp_context_destroy(&s->ctx);
}

static void sample_go(sample *s, int steps) {
    sp_world *w = sp_run_world(s->run);
    const sp_body_id body = sp_world_body_named(w, "b");
    sp_body_info info;
    REQUIRE(sp_world_body_info(w, body, &info) == SP_OK && info.nodes <= NODES_MAX);
    s->elements = info.elements;
    for (int k = 0; k < steps; k++) {
        if (sp_run_step(s->run) < 0) SP_TEST_FAILED("%s", sp_world_error(w)->message);
        REQUIRE(sp_world_body_info(w, body, &info) == SP_OK);
        if (k > 0) s->refreshed += (double)info.solve.elements_refreshed / (steps - 1);
    }
    REQUIRE(sp_world_field(w, body, "position", s->x) == SP_OK);
}

// largest distance of a node
static double apart(const sample *a, const sample *b) {
    double worst = 0;
    for (int i = 0; i < 3 * NODES_MAX; i++) worst = fmax(worst, fabs(a->x[i] - b->x[i]));
    return worst;
}

static void sample_run(sample *s, const body_case *c, const char *solver) {
    REQUIRE(sample_open(s, c, solver, 2));
    sample_go(s, STEPS);
}

TEST(every_element_and_law) {
    for (int i = 0; i < CASES; i++) {
        sample exact, zero, usual;
        sample_run(&exact, &cases[i], "cholesky'");
        sample_run(&zero, &cases[i], "updated-cholesky' threshold='0'");
        sample_run(&usual, &cases[i], "updated-cholesky'");
        const double share = usual.refreshed / usual.elements;
        printf("  %-38s threshold 0: %.1e m, auto: %.1e m, %4.1f %% of the elements in a step\n", cases[i].name,
               apart(&exact, &zero), apart(&exact, &usual), 100 * share);
        CHECK_NEAR(apart(&exact, &zero), 0, 1e-11);
        CHECK_NEAR(apart(&exact, &usual), 0, 0.02 * 0.4);
        CHECK(share < 0.6 && zero.refreshed > 0.99 * zero.elements);
        sample_close(&exact), sample_close(&zero), sample_close(&usual);
    }
}

TEST(same_bits_for_any_number_of_workers_and_from_a_checkpoint_without_allocations) {
    for (int i = 0; i < CASES; i++) {
        sample one, three;
        sp_checkpoint saved;
        REQUIRE(sample_open(&one, &cases[i], "updated-cholesky'", 1) && sample_open(&three, &cases[i], "updated-cholesky'", 3));
        sp_world *w = sp_run_world(one.run);
        sample_go(&one, 9);
        REQUIRE(sp_world_save(w, &saved) == SP_OK);
        size_t bytes;
        uint64_t warm, later;
        sp_context_memory(one.ctx, &bytes, &warm);
        for (int k = 0; k < 5; k++) CHECK(sp_world_step(w, 0.01) >= 0);
        sp_context_memory(one.ctx, &bytes, &later);
        CHECK_INT(later, warm);
        const uint64_t first = sp_world_hash(w);
        REQUIRE(sp_world_restore(w, saved.data, saved.size) == SP_OK);
        for (int k = 0; k < 5; k++) CHECK(sp_world_step(w, 0.01) >= 0);
        CHECK(sp_world_hash(w) == first);
        sample_go(&three, 9);
        sp_world *other = sp_run_world(three.run);
        for (int k = 0; k < 5; k++) CHECK(sp_world_step(other, 0.01) >= 0);
        CHECK(sp_world_hash(other) == first);
        sp_checkpoint_free(w, &saved);
        sample_close(&one), sample_close(&three);
    }
}

// A body that turns by a whole turn and bends only a little keeps its factor: blocks are kept in the frames of the nodes.
TEST(a_rotation_refreshes_little) {
    static const char *const text =
        "<scene dt='0.01' gravity='0 0 0'><solid name='b' material='neo-hookean' young='1e5'>"
        "<box size='0.4 0.1 0.1' cells='6 2 2' pattern='hex'/><move box='-1 -1 -1 0.01 1 1' about='0 0.05 0.05' "
        "rotate='0 0 1 {90*smooth(0,1,t)}'/><solver type='updated-cholesky'/></solid><stop steps='100'/></scene>";
    sample s = {0};
    sp_status status = sp_context_create(NULL, &s.ctx);
    if (status >= 0) status = sp_scene_parse(s.ctx, text, strlen(text), "test.xml", NULL, &s.scene);
    if (status >= 0) status = sp_run_create(s.scene, NULL, &s.run);
    if (status < 0) SP_TEST_FAILED("%s", sp_context_error(s.ctx)->message);
    REQUIRE(status >= 0);
    sample_go(&s, 100);
    printf("  %.2f of %d elements in a step\n", s.refreshed, s.elements);
    CHECK(s.refreshed < 0.1 * s.elements);
    sample_close(&s);
}
