// A rod of the scene, or the rods of a merged instance: strands, boundary conditions, integrator and solver; then one call of the
// engine.
#include "io/run/build_rod.h"

static sp_rod_model model_of(const sp_scene_node *node) {
    static const char *const models[] = {"clothoid", "helix", "der", "beam"};
    // piecewise constant curvature makes the element a helix
    if (sp__build_given(node, "degree") && sp__build_number(node, "degree", 1) == 0) return SP_ROD_HELIX;
    for (int i = 0; i < 4; i++)
        if (sp__build_is(node, "model", models[i])) return (sp_rod_model)i;
    return SP_ROD_CLOTHOID;
}

// ------------------------------------------------------------------------------------------------ allocation

static sp_status reserve_strands(sp_run *run, sp_run_body *body, sp_rod_strand **strands) {
    const sp_scene_node *node = body->node;
    int n = node->strand_count ? node->strand_count : 1;
    sp_run_rod *rod;
    sp_rod_strand *own;
    sp_rod_rest *rest;
    if (!SP_KEEP(&run->keep, rod, 1) || !SP_KEEP(&run->keep, rod->node, n) || !SP_KEEP(&run->keep, rod->first_node, n + 1) ||
        !SP_KEEP(&run->keep, rod->first_element, n + 1) || !SP_KEEP(&run->keep, rod->length, n) ||
        !SP_KEEP(&run->scratch, rest, 1) || !SP_KEEP(&run->scratch, rest->place, n) || !SP_KEEP(&run->scratch, own, n) ||
        !SP_KEEP(&run->scratch, *strands, n))
        return sp__build_no_memory(run);
    rod->strands = n;
    for (int i = 0; i < n; i++) rod->node[i] = node->strand_count ? node->strands[i] : node;
    const sp_scene_node *grow = sp__next_child(node, "grow", NULL);
    rod->grows = grow && !sp__build_is(grow, "mode", "scale");
    rest->def = sp_rod_def_default();
    rest->def.strands = own, rest->def.strand_count = n;
    rod->rest = rest;
    body->rod = rod;
    return SP_OK;
}

// ------------------------------------------------------------------------------------------------ appearance

static bool is_flat(const sp_rod_section *s) {
    return fmax(s->axes[0], s->axes[1]) >= 4 * fmin(s->axes[0], s->axes[1]);
}

// the section decides the surface: a ribbon if flat, else a tube
static sp_status build_embedded_surface(sp_run *run, const sp_run_body *body, const sp_rod_sections *sections, sp_rod_def *def) {
    for (const sp_scene_node *c = NULL; (c = sp__next_child(body->node, "surface", c));) {
        bool ribbon = sp__build_is(c, "map", "ribbon"), tube = sp__build_is(c, "map", "tube");
        if (sp__build_given(c, "sides")) def->sides = (int)sp__build_number(c, "sides", 12);
        for (int i = 0; (ribbon || tube) && i < sections->count; i++) {
            if (is_flat(&sections->list[i]) == ribbon) continue;
            const double *a = sections->list[i].axes;
            return SP_BUILD_FAIL(run, c, "map", "map=\"%s\": a section of %g by %g is drawn as a %s, which is one that is %s",
                                 ribbon ? "ribbon" : "tube", a[0], a[1], ribbon ? "tube" : "ribbon",
                                 ribbon ? "less than 4 times as wide as thick" : "4 times as wide as thick, or more");
        }
    }
    return SP_OK;
}

// ------------------------------------------------------------------------------------------------ rod

static void fill_plain(const sp_scene_node *node, sp_rod_def *def) {
    const sp_attr *rayleigh = sp__build_attr(node, "rayleigh"), *curvature = sp__attr(node, "curvature");
    def->name = node->path;
    def->model = model_of(node);
    def->free_root = sp__build_is(node, "root", "free");
    def->edge_clamp = sp__build_is(node, "clamp", "edge");
    if (rayleigh) def->rayleigh_mass = rayleigh->numbers[0], def->rayleigh_stiffness = rayleigh->numbers[1];
    def->drag = sp__build_number(node, "drag", 0);
    def->natural_in_time = sp__attr_varies(curvature, SP_ATTR_OF_TIME);
    for (int k = 0; def->natural_in_time && k < 3; k++) def->natural[k] = sp__attr_signal(node, "curvature", k);
    const sp_scene_node *initial = sp__next_child(node, "initial", NULL);
    const sp_attr *velocity = initial ? sp__build_attr(initial, "velocity") : NULL,
                  *spin = initial ? sp__build_attr(initial, "spin") : NULL;
    if (velocity) memcpy(def->velocity, velocity->numbers, sizeof def->velocity);
    if (spin) memcpy(def->spin, spin->numbers, sizeof def->spin);
    sp__build_integrator(node, &def->integrator);
    sp__build_solver(node, &def->solver);
}

static sp_status fill_def(sp_run *run, sp_run_body *body, sp_rod_def *def) {
    sp_rod_strand *strands;
    sp_rod_sections sections = {0};
    SP_TRY(reserve_strands(run, body, &strands));
    fill_plain(body->node, def);
    sp_rod_rest *rest = body->rod->rest;
    sp_rod_section *plain;
    if (!SP_KEEP(&run->scratch, plain, 1)) return sp__build_no_memory(run);
    *plain = sp_rod_section_default();
    plain->axes[0] = plain->axes[1] = 1e-3;  // the rest shape does not depend on it
    rest->def.model = def->model, rest->def.free_root = def->free_root;
    rest->def.sections = plain, rest->def.section_count = 1;
    SP_TRY(sp__build_strands(run, body, def->model, &sections, strands));
    def->strands = strands, def->strand_count = body->rod->strands;
    def->sections = sections.list, def->section_count = sections.count;
    SP_BUILD(build_embedded_surface(run, body, &sections, def));
    SP_BUILD(sp__build_rod_loads(run, body, def));
    return SP_OK;
}

static sp_status check_names(sp_run *run, const sp_scene_node *node) {
    if (strlen(node->path) >= 64)
        return SP_BUILD_FAIL(run, node, "name", "its path \"%s\" has %zu characters, at most 63 can be used", node->path,
                             strlen(node->path));
    return SP_OK;
}

static sp_status build_rod(sp_run *run, const sp_scene_node *node) {
    sp_run_body *body = &run->bodies[run->body_count++];
    sp_rod_def def = sp_rod_def_default();
    bool failed = run->failed;
    *body = (sp_run_body){.node = node, .builder = &sp__rod_builder};
    SP_TRY(check_names(run, node));
    run->failed = false;
    sp_status status = fill_def(run, body, &def);
    failed = failed || run->failed;
    run->failed = failed;
    if (status < 0) return status;
    if (failed) return SP_BAD_INPUT;
    status = sp_world_add_rod(run->world, &def, &body->id);
    if (status < 0) return sp__build_refused(run, node, status, sp_world_error(run->world));
    return sp__build_say_solver(run, body);
}

const sp_builder sp__rod_builder = {.element = "rod",
                                    .build = build_rod,
                                    .probe = sp__rod_probe,
                                    .select = sp__rod_select,
                                    .item_count = sp__rod_item_count,
                                    .item_number = sp__rod_item_number,
                                    .along = true};
