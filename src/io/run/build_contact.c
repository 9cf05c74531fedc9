// Contact by constraints: options of its solver, pairs, and the friction of regions and surfaces.
#include "io/run/build.h"

#include <stdio.h>

static int word_of(const sp_scene_node *node, const char *attr, const char *const *words, int count) {
    for (int i = 0; i < count; i++)
        if (sp__build_is(node, attr, words[i])) return i;
    return 0;
}

void sp__build_contact_solver(const sp_scene_node *contact, sp_contact_def *out) {
    // in the order of the enumerations
    static const char *const broads[] = {"auto", "bvh", "hash", "brute"};
    static const char *const methods[] = {"auto", "gauss-seidel", "interior-point", "direct"};
    static const char *const locals[] = {"projection", "newton"};
    static const char *const cones[] = {"exact", "facets"};
    static const char *const strategies[] = {"auto", "sequential", "block", "graph", "row", "col"};
    const sp_scene_node *node = sp__next_child(contact, "contact-solver", NULL);
    sp_contact_solver_def *s = &out->solver;
    out->broad = (sp_contact_broad)word_of(contact, "broad", broads, 4);
    out->reserve = (int)sp__build_number(contact, "reserve", 0);
    if (!node) return;
    s->method = (sp_contact_method)word_of(node, "method", methods, 4);
    s->local = (sp_contact_local)word_of(node, "local", locals, 2);
    s->cone = (sp_contact_cone)word_of(node, "cone", cones, 2);
    s->strategy = (sp_contact_strategy)word_of(node, "strategy", strategies, 6);
    s->facets = (int)sp__build_number(node, "facets", s->facets);
    s->sweeps = (int)sp__build_number(node, "sweeps", s->sweeps);
    s->tolerance = sp__build_number(node, "tolerance", s->tolerance);
    s->warm_start = !sp__build_is(node, "warm-start", "no");
    s->budget_ms = sp__build_number(node, "budget", 0);
}

// ------------------------------------------------------------------------------------------------ parts of bodies

// marks the nodes of an element of a body, in the numbering of the world
static void mark_element(const sp_run_body *body, int element, unsigned char *in) {
    const int *nodes;
    if (body->own) {
        for (int k = sp_element_nodes(sp_mesh_element(body->own, element, &nodes)) - 1; k >= 0; k--) in[nodes[k]] = 1;
        return;
    }
    int strand = 0;
    while (element >= body->rod->first_element[strand + 1]) strand++;
    in[element + strand] = in[element + strand + 1] = 1;
}

// nodes of the elements that a region selects
static sp_status region_nodes(sp_run *run, const sp_run_body *body, const sp_scene_node *region, int **out, int *count) {
    int *elements, element_count, n = body->own ? sp_mesh_node_count(body->own) : body->rod->nodes;
    unsigned char *in;
    SP_TRY(sp__build_select(run, body, region, SP_SELECT_ELEMENTS, &elements, &element_count));
    if (!SP_KEEP(&run->scratch, in, n) || !SP_KEEP(&run->scratch, *out, n)) return sp__build_no_memory(run);
    for (int i = 0; i < element_count; i++) mark_element(body, elements[i], in);
    *count = 0;
    for (int i = 0; i < n; i++)
        if (in[i]) (*out)[(*count)++] = i;
    return SP_OK;
}

static sp_status part_of(sp_run *run, const sp_run_body *body, const sp_scene_node *target, sp_contact_part *out) {
    int *nodes = NULL, count = 0;
    *out = sp_contact_part_body(body->id);
    if (target == body->node) return SP_OK;
    if (strcmp(target->spec->name, "region") == 0)
        SP_TRY(region_nodes(run, body, target, &nodes, &count));
    else
        SP_TRY(sp__build_select(run, body, target, SP_SELECT_NODES, &nodes, &count));
    out->nodes = count ? nodes : NULL, out->node_count = count;
    return SP_OK;
}

// ------------------------------------------------------------------------------------------------ pairs

static sp_status pair_parts(sp_run *run, const sp_scene_node *pair, const char *attr, const sp_contact_part **out, int *count) {
    const sp_attr *a = sp__attr(pair, attr);
    sp_contact_part *parts;
    *count = 0;
    if (!SP_KEEP(&run->scratch, parts, a->count)) return sp__build_no_memory(run);
    for (int i = 0; i < a->count; i++) {
        const sp_scene_node *target = sp__scene_find(pair, a->words[i]);
        const sp_run_body *body = target ? sp__build_body_of(run, target) : NULL;
        if (!body || !body->id.slot) return SP_OK;  // it could not be built, which is reported
        bool whole = target == body->node;
        if (!whole && !body->own && !body->rod)
            return SP_BUILD_FAIL(run, pair, attr, "\"%s\" is a part of \"%s\": contact pairs take parts of solids and rods only",
                                 a->words[i], body->node->path);
        SP_TRY(part_of(run, body, target, &parts[i]));
        if (!whole && !parts[i].nodes) continue;  // empty="yes"
        parts[(*count)++] = parts[i];
    }
    *out = parts;
    return SP_OK;
}

// the other pair of an overlap: the engine numbers pairs as they were added
static sp_status pair_refused(sp_run *run, const sp_scene_node *node, const sp_scene_node *const *added, sp_status status) {
    const sp_error e = *sp_world_error(run->world);
    if (status == SP_NO_MEMORY || e.index < 0) return sp__build_refused(run, node, status, &e);
    const sp_scene_node *other = added[e.index];
    return SP_BUILD_FAIL(run, node, NULL, "%s; the other one is at %s:%d", e.message, other->file, other->line);
}

sp_contact_formulation sp__build_formulation(const sp_scene_node *node, sp_contact_formulation none) {
    static const char *const words[] = {"penalty", "proximity", "volume", "volume-penalty"};
    for (int i = SP_CONTACT_PENALTY; i <= SP_CONTACT_VOLUME_PENALTY; i++)
        if (sp__build_is(node, "formulation", words[i])) return (sp_contact_formulation)i;
    return none;
}

static sp_status build_pair(sp_run *run, const sp_scene_node *node, const sp_scene_node **added, int *count) {
    sp_contact_pair_def def = sp_contact_pair_def_default();
    const char *dot = strrchr(node->path, '.');
    int index;
    SP_TRY(pair_parts(run, node, "a", &def.a, &def.a_count));
    SP_TRY(pair_parts(run, node, "b", &def.b, &def.b_count));
    if (!def.a_count || !def.b_count) return SP_OK;
    def.name = dot ? dot + 1 : node->path;
    def.enabled = !sp__build_is(node, "enabled", "no");
    def.friction = sp__build_number(node, "friction", NAN);
    def.alarm = sp__build_number(node, "alarm", NAN);
    def.gap = sp__build_number(node, "gap", NAN);
    if (sp__build_attr(node, "formulation")) def.formulation = (int)sp__build_formulation(node, SP_CONTACT_PENALTY);
    def.pixel = sp__build_number(node, "pixel", NAN);
    if (sp__build_attr(node, "continuous")) def.continuous = sp__build_is(node, "continuous", "yes");
    sp_status status = sp_world_add_contact_pair(run->world, &def, &index);
    if (status < 0) return pair_refused(run, node, added, status);
    added[(*count)++] = node;
    return SP_OK;
}

// ------------------------------------------------------------------------------------------------ friction of parts

static sp_status add_friction(sp_run *run, const sp_scene_node *node, const sp_contact_part *part, const char *path) {
    sp_status status = sp_world_add_friction(run->world, part, sp__build_number(node, "friction", 0), path);
    return status < 0 ? sp__build_refused(run, node, status, sp_world_error(run->world)) : SP_OK;
}

// A rigid body is touched by its shapes: the friction of its surface is that of the body.
static sp_status surface_friction(sp_run *run, const sp_run_body *body, const sp_scene_node *node) {
    sp_contact_part part = sp_contact_part_body(body->id);
    char path[300];
    if (!sp__build_attr(node, "friction")) return SP_OK;
    if (body->own) part.surface = 0;
    for (int i = 0; body->own && i < body->surface_count; i++)
        if (body->surfaces[i].node == node) part.surface = body->surfaces[i].index;
    snprintf(path, sizeof path, "%s.friction", node->path);
    return add_friction(run, node, &part, path);
}

static sp_status region_friction(sp_run *run, const sp_run_body *body, const sp_scene_node *node) {
    sp_contact_part part;
    char path[300];
    if (!sp__build_attr(node, "friction")) return SP_OK;
    const int number = body->rod ? -1 : sp__build_region_number(node);
    SP_TRY(part_of(run, body, node, &part));
    if (!part.nodes) return SP_OK;
    // the name that events and edits use for a region with a number
    if (number >= 0)
        snprintf(path, sizeof path, "%s.region[%d].friction", body->node->path, number);
    else
        snprintf(path, sizeof path, "%s.friction", node->path);
    return add_friction(run, node, &part, path);
}

// regions after surfaces, since the later one holds
static sp_status build_frictions(sp_run *run, const sp_run_body *body, const sp_scene_node *node) {
    for (const sp_scene_node *c = NULL; (c = sp__next_child(node, "surface", c));) SP_BUILD(surface_friction(run, body, c));
    for (const sp_scene_node *c = NULL; (c = sp__next_child(node, "region", c));) SP_BUILD(region_friction(run, body, c));
    return SP_OK;
}

static sp_status build_body_frictions(sp_run *run, const sp_run_body *body) {
    if (!body->id.slot) return SP_OK;
    if (!body->rod) return build_frictions(run, body, body->node);
    for (int i = 0; i < body->rod->strands; i++) SP_TRY(build_frictions(run, body, body->rod->node[i]));
    return SP_OK;
}

// Threads belong to the command, not to the scene: this is no error.
static void warn_of_threads(sp_run *run, const sp_scene_node *contact) {
    const sp_scene_node *node = sp__next_child(contact, "contact-solver", NULL);
    bool alone = sp_context_workers(run->ctx) == 1;
    if (node && alone && (sp__build_is(node, "strategy", "block") || sp__build_is(node, "strategy", "graph")))
        sp__scene_warning(run->scene, node, "strategy",
                          "strategy=\"%s\" is for several threads, and there is one: \"sequential\" has the same iterates",
                          sp__attr_word(node, "strategy"));
}

sp_status sp__build_pairs(sp_run *run, const sp_scene_node *contact) {
    const sp_scene_node **added;
    int count = 0;
    warn_of_threads(run, contact);
    if (!SP_KEEP(&run->scratch, added, contact->child_count + 1)) return sp__build_no_memory(run);
    for (int i = 0; i < run->body_count; i++) SP_TRY(build_body_frictions(run, &run->bodies[i]));
    for (int i = 0; i < contact->child_count; i++)  // a pair that is not enabled acts too
        if (strcmp(contact->children[i]->spec->name, "pair") == 0) SP_BUILD(build_pair(run, contact->children[i], added, &count));
    return SP_OK;
}
