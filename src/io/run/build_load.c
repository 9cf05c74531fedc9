// Boundary conditions and loads of a solid: fix, move, load and pull of the scene as the lists of a sp_solid_def. Directions are
// in world coordinates. Positions are in the body's own coordinates before placement, except the target of a spring.
#include "io/run/build.h"

static int count_children(const sp_scene_node *node, const char *name) {
    int n = 0;
    for (const sp_scene_node *c = NULL; (c = sp__next_child(node, name, c));) n++;
    return n;
}

// ------------------------------------------------------------------------------------------------ fixed and prescribed nodes

static sp_status build_fix(sp_run *run, const sp_run_body *body, const sp_scene_node *node, sp_fix *out) {
    int *nodes;
    SP_TRY(sp__build_select(run, body, node, SP_SELECT_NODES, &nodes, &out->count));
    out->nodes = nodes;
    out->stiffness = sp__build_number(node, "stiffness", 0);
    out->axes = sp__build_axes(node);
    return SP_OK;
}

static sp_status build_move(sp_run *run, const sp_run_body *body, const sp_scene_node *node, sp_move *out) {
    int *nodes;
    const double origin[3] = {0, 0, 0};
    const sp_attr *about = sp__build_attr(node, "about");
    SP_TRY(sp__build_select(run, body, node, SP_SELECT_NODES, &nodes, &out->count));
    out->nodes = nodes;
    out->axes = sp__build_axes(node);
    if (sp__build_is(node, "frame", "world"))
        memcpy(out->about, about ? about->numbers : origin, sizeof out->about);
    else
        sp__places_point(&body->places, about ? about->numbers : origin, out->about);
    return sp__build_motion(run, node, &out->pose);
}

// ------------------------------------------------------------------------------------------------ loads

static const struct {
    const char *name;
    sp_load_type type;
    sp_select_kind kind;
    int components;
} load_kinds[] = {
    {"force", SP_LOAD_FORCE, SP_SELECT_NODES, 3},
    {"each", SP_LOAD_EACH, SP_SELECT_NODES, 3},
    {"traction", SP_LOAD_TRACTION, SP_SELECT_FACES, 3},
    {"pressure", SP_LOAD_PRESSURE, SP_SELECT_FACES, 1},
    {"acceleration", SP_LOAD_ACCELERATION, SP_SELECT_NODES, 3},
};
enum { LOAD_KINDS = sizeof load_kinds / sizeof *load_kinds };

// the reader guarantees that one of them is given
static int load_kind(const sp_scene_node *node) {
    int i = 0;
    while (i + 1 < LOAD_KINDS && !sp__build_given(node, load_kinds[i].name)) i++;
    return i;
}

static sp_status build_load(sp_run *run, const sp_run_body *body, const sp_scene_node *node, sp_load *out, int *count) {
    int kind = load_kind(node), *items, n;
    SP_TRY(sp__build_select(run, body, node, load_kinds[kind].kind, &items, &n));
    if (n == 0) return SP_OK;
    sp_load *load = &out[(*count)++];
    *load = (sp_load){.type = load_kinds[kind].type, .items = items, .count = n};
    for (int k = 0; k < 3; k++)
        load->value[k] =
            k < load_kinds[kind].components ? sp__attr_signal(node, load_kinds[kind].name, k) : sp_signal_constant(0);
    return SP_OK;
}

// ------------------------------------------------------------------------------------------------ springs

// an element per node, for an anchor with all weight on the node; NULL: no memory
static int *elements_of_nodes(sp_run *run, const sp_mesh *mesh) {
    int *first;
    if (!SP_KEEP(&run->scratch, first, sp_mesh_node_count(mesh))) return NULL;
    for (int e = sp_mesh_tet_count(mesh) - 1; e >= 0; e--)
        for (int k = 0; k < 4; k++) first[sp_mesh_tets(mesh)[4 * (size_t)e + (size_t)k]] = e;
    return first;
}

// the shares of nodes 1, 2, 3 of the element
static sp_anchor anchor_at_node(const sp_mesh *mesh, int node, int element) {
    sp_anchor a = {.elem = (uint32_t)element};
    for (size_t k = 0; k < 3; k++) a.at[k] = sp_mesh_tets(mesh)[4 * (size_t)element + k + 1] == node;
    return a;
}

static sp_status build_pull(sp_run *run, const sp_run_body *body, const sp_scene_node *node, sp_spring_def **out, int *count) {
    int *nodes = NULL, n = 1;
    bool point = sp__build_given(node, "point");
    if (!point) SP_TRY(sp__build_select(run, body, node, SP_SELECT_NODES, &nodes, &n));
    if (!SP_KEEP(&run->scratch, *out, n)) return sp__build_no_memory(run);
    int *elements = point ? NULL : elements_of_nodes(run, body->placed);
    if (!point && !elements) return sp__build_no_memory(run);
    for (int i = 0; i < n; i++) {
        sp_spring_def *pull = &(*out)[i];
        if (point)
            SP_TRY(sp__build_point(run, body, node, &pull->at));
        else
            pull->at = anchor_at_node(body->placed, nodes[i], elements[nodes[i]]);
        for (int k = 0; k < 3; k++) pull->to[k] = sp__attr_signal(node, "to", k);
        pull->stiffness = sp__build_number(node, "stiffness", 100);
        pull->damping = sp__build_number(node, "damping", 0);
    }
    *count = n;
    return SP_OK;
}

static sp_status build_pulls(sp_run *run, const sp_run_body *body, sp_solid_def *def) {
    sp_spring_def *all = NULL;
    int total = 0;
    for (const sp_scene_node *c = NULL; (c = sp__next_child(body->node, "pull", c));) {
        sp_spring_def *some, *memory;
        int n = 0;
        SP_BUILD(build_pull(run, body, c, &some, &n));
        if (!n) continue;
        if (!SP_KEEP(&run->scratch, memory, (size_t)total + (size_t)n)) return sp__build_no_memory(run);
        if (total) memcpy(memory, all, (size_t)total * sizeof *memory);
        memcpy(memory + total, some, (size_t)n * sizeof *memory);
        all = memory;
        total += n;
    }
    def->springs = all;
    def->spring_count = total;
    return SP_OK;
}

sp_status sp__build_loads(sp_run *run, sp_run_body *body, sp_solid_def *def) {
    sp_fix *fixes;
    sp_move *moves;
    sp_load *loads;
    if (!SP_KEEP(&run->scratch, fixes, count_children(body->node, "fix")) ||
        !SP_KEEP(&run->scratch, moves, count_children(body->node, "move")) ||
        !SP_KEEP(&run->scratch, loads, count_children(body->node, "load")))
        return sp__build_no_memory(run);
    for (const sp_scene_node *c = NULL; (c = sp__next_child(body->node, "fix", c));) {
        SP_BUILD(build_fix(run, body, c, &fixes[def->fix_count]));
        if (fixes[def->fix_count].count) def->fix_count++;
    }
    for (const sp_scene_node *c = NULL; (c = sp__next_child(body->node, "move", c));) {
        SP_BUILD(build_move(run, body, c, &moves[def->move_count]));
        if (moves[def->move_count].count) def->move_count++;
    }
    for (const sp_scene_node *c = NULL; (c = sp__next_child(body->node, "load", c));)
        SP_BUILD(build_load(run, body, c, loads, &def->load_count));
    def->fixes = fixes;
    def->moves = moves;
    def->loads = loads;
    return build_pulls(run, body, def);
}
