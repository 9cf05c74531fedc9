// A solid of the scene: shape, material, boundary conditions, integrator and solver; then one call of the engine.
#include "io/run/build.h"
#include "math/vec3.h"

// ------------------------------------------------------------------------------------------------ initial state

static double element_density(const sp_solid_def *def, int e) {
    if (def->element_density && !isnan(def->element_density[e])) return def->element_density[e];
    int region = def->element_region ? def->element_region[e] : 0;
    return region ? def->regions[region - 1].density : def->material.density;
}

// centre of mass of an initial shape; each node has a quarter of the rest mass of its elements
static void centre_of_mass(const sp_mesh *rest, const sp_solid_def *def, const double *x, double out[3]) {
    const double *X = sp_mesh_positions(rest);
    double mass = 0;
    out[0] = out[1] = out[2] = 0;
    for (int e = 0; e < sp_mesh_tet_count(rest); e++) {
        const int *tet = sp_mesh_tets(rest) + 4 * (size_t)e;
        double D[9];
        for (int i = 0; i < 3; i++) sp__sub3(X + 3 * (size_t)tet[i + 1], X + 3 * (size_t)tet[0], D + 3 * i);
        double m = element_density(def, e) * sp__det3(D) / 6;
        for (int i = 0; i < 4; i++) sp__axpy3(out, 0.25 * m, x + 3 * (size_t)tet[i], out);
        mass += m;
    }
    for (int k = 0; k < 3; k++) out[k] /= mass;
}

static sp_status start_velocity(sp_run *run, const sp_run_body *body, const sp_scene_node *node, sp_solid_def *def) {
    const sp_attr *velocity = sp__build_attr(node, "velocity"), *spin = sp__build_attr(node, "spin");
    const double *x = def->initial ? def->initial : sp_mesh_positions(body->placed);
    int n = sp_mesh_node_count(body->placed);
    double *v, centre[3] = {0};
    if (!velocity && !spin) return SP_OK;
    if (!SP_KEEP(&run->scratch, v, 3 * (size_t)n)) return sp__build_no_memory(run);
    if (spin) centre_of_mass(body->placed, def, x, centre);
    for (size_t i = 0; i < (size_t)n; i++) {
        if (velocity) memcpy(v + 3 * i, velocity->numbers, 3 * sizeof *v);
        if (!spin) continue;
        double r[3], turn[3];
        sp__sub3(x + 3 * i, centre, r);
        sp__cross3(spin->numbers, r, turn);
        sp__axpy3(v + 3 * i, 1, turn, v + 3 * i);
    }
    def->initial_velocity = v;
    return SP_OK;
}

// `initial` acts in the body's own coordinates, before placement
static sp_status build_initial(sp_run *run, const sp_run_body *body, sp_solid_def *def) {
    const sp_scene_node *node = sp__next_child(body->node, "initial", NULL);
    const double *from = body->start ? body->start : sp_mesh_positions(body->own);
    sp_place place = {{1, 1, 1}, sp_pose_identity()};
    double *x;
    if (node && sp__build_given(node, "file")) return sp__build_recorded(run, body, node, def);
    if (node) SP_TRY(sp__build_place(run, node, &place));
    if (body->start || !sp__place_is_identity(&place)) {
        int n = sp_mesh_node_count(body->own);
        if (!SP_KEEP(&run->scratch, x, 3 * (size_t)n)) return sp__build_no_memory(run);
        for (size_t i = 0; i < (size_t)n; i++) {
            sp__place_point(&place, from + 3 * i, x + 3 * i);
            sp__places_point(&body->places, x + 3 * i, x + 3 * i);
        }
        def->initial = x;
    }
    return node ? start_velocity(run, body, node, def) : SP_OK;
}

// ------------------------------------------------------------------------------------------------ solid

static sp_status fill_def(sp_run *run, sp_run_body *body, sp_solid_def *def) {
    const sp_attr *rayleigh = sp__build_attr(body->node, "rayleigh");
    def->name = body->node->path;
    def->mesh = body->placed;
    if (rayleigh) def->rayleigh_mass = rayleigh->numbers[0], def->rayleigh_stiffness = rayleigh->numbers[1];
    def->drag = sp__build_number(body->node, "drag", 0);
    sp__build_integrator(body->node, &def->integrator);
    sp__build_solver(body->node, &def->solver);
    SP_BUILD(sp__build_material(run, body, def));
    SP_BUILD(sp__build_loads(run, body, def));
    SP_BUILD(build_initial(run, body, def));
    // skipped after an error, which could be reported twice
    if (!run->failed) SP_BUILD(sp__build_check_static(run, body, def));
    return SP_OK;
}

static sp_status build_solid(sp_run *run, const sp_scene_node *node) {
    sp_run_body *body = &run->bodies[run->body_count++];
    sp_solid_def def = sp_solid_def_default();
    *body = (sp_run_body){.node = node, .builder = &sp__solid_builder};
    if (strlen(node->path) >= 64)
        return SP_BUILD_FAIL(run, node, "name", "its path \"%s\" has %zu characters, at most 63 can be used", node->path,
                             strlen(node->path));
    SP_TRY(sp__build_places(run, node, &body->places));
    SP_TRY(sp__build_mesh(run, body));
    SP_TRY(fill_def(run, body, &def));
    if (run->failed) return SP_BAD_INPUT;
    sp_status status = sp_world_add_solid(run->world, &def, &body->id);
    if (status < 0) return sp__build_refused(run, node, status, sp_world_error(run->world));
    return sp__build_say_solver(run, body);
}

static int solid_item_count(const sp_run_body *body, sp_select_kind kind) {
    return kind == SP_SELECT_NODES ? sp_mesh_node_count(body->own) : sp_mesh_tet_count(body->own);
}

static int64_t solid_item_number(const sp_run_body *body, const sp_scene_node *node, sp_select_kind kind, int item) {
    (void)node;
    return kind == SP_SELECT_NODES ? sp_mesh_node_ids(body->own)[item] : sp_mesh_tet_ids(body->own)[item];
}

const sp_builder sp__solid_builder = {.element = "solid",
                                      .build = build_solid,
                                      .probe = sp__solid_probe,
                                      .select = sp__solid_select,
                                      .item_count = solid_item_count,
                                      .item_number = solid_item_number,
                                      .loose = true};
