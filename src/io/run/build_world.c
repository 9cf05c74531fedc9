// The world of a scene: its attributes, its bodies in file order (those scattered over others last), contact.
#include <stdio.h>

#include "io/run/build.h"

static sp_status create_world(sp_run *run) {
    const sp_scene_node *root = sp__scene_root(run->scene);
    sp_world_def def = sp_world_def_default();
    for (int k = 0; k < 3; k++) def.gravity[k] = sp__attr_signal(root, "gravity", k);
    def.backend = run->options.backend ? run->options.backend : sp__attr_word(root, "backend");
    def.on_limit = sp__build_is(root, "on-limit", "fail") ? SP_LIMIT_FAIL : SP_LIMIT_ACCEPT;
    def.on_failure = sp__build_is(root, "on-failure", "freeze") ? SP_FAILURE_FREEZE : SP_FAILURE_STOP;
    def.deterministic = !sp__build_is(root, "deterministic", "no");
    run->dt = sp__build_number(root, "dt", 0.01);
    sp_status status = sp_world_create(run->ctx, &def, &run->world);
    return status < 0 ? sp__build_refused(run, root, status, sp_context_error(run->ctx)) : SP_OK;
}

static sp_status build_contact(sp_run *run) {
    const sp_scene_node *root = sp__scene_root(run->scene), *node = sp__next_child(root, "contact", NULL);
    sp_contact_def def = sp_contact_def_default();
    if (!node) return SP_OK;
    def.friction = sp__build_number(node, "friction", 0);
    def.damping = sp__build_number(node, "damping", 0);
    def.stiffness = sp__build_number(node, "stiffness", 0);
    if (def.stiffness == 0)
        sp__scene_note_auto(run->scene, node, "stiffness",
                            "thirty (rods: ten) times a node's mass over dt squared; in statics Young's modulus times "
                            "the element size");
    sp_status status = sp_world_set_contact(run->world, &def);
    return status < 0 ? sp__build_refused(run, node, status, sp_world_error(run->world)) : SP_OK;
}

// ------------------------------------------------------------------------------------------------ contact exclusions

static bool is_soft(const sp_run_body *body) {
    return body->builder->select != NULL;
}

// one warning for all pairs of soft bodies, between which contact does not act
static void warn_of_pairs(sp_run *run, const sp_scene_node *contact) {
    enum { NAMED = 3 };
    char names[300] = "";
    int soft = 0;
    size_t length = 0;
    for (int i = 0; i < run->body_count; i++) {
        if (!is_soft(&run->bodies[i]) || soft++ >= NAMED) continue;
        int n = snprintf(names + length, sizeof names - length, "%s'%s'", soft > 1 ? ", " : "", run->bodies[i].node->path);
        length += n > 0 ? (size_t)n : 0;
    }
    if (soft < 2) return;
    sp__scene_warning(run->scene, contact, NULL,
                      "the soft bodies %s%s do not touch each other (%d pair%s): penalty contact acts between soft and rigid "
                      "bodies only",
                      names, soft > NAMED ? ", ..." : "", soft * (soft - 1) / 2, soft > 2 ? "s" : "");
}

static bool is_held(const sp_scene_node *body) {
    static const char *const holds[] = {"fix", "move", "pull"};
    for (int i = 0; i < 3; i++)
        if (sp__next_child(body, holds[i], NULL)) return true;
    return false;
}

// Without a contact element, an unsupported solid falls through the bodies below it.
static void warn_of_falling(sp_run *run) {
    const sp_scene_node *root = sp__scene_root(run->scene);
    const sp_run_body *loose = NULL, *rigid = NULL;
    bool falls = false;
    for (int k = 0; k < 3; k++) {
        sp_signal g = sp__attr_signal(root, "gravity", k);
        falls = falls || sp_signal_at(&g, 0) != 0;
    }
    for (int i = 0; i < run->body_count; i++) {
        const sp_run_body *b = &run->bodies[i];
        if (!is_soft(b) && !rigid) rigid = b;
        if (b->builder->loose && !loose && !is_held(b->node)) loose = b;
    }
    if (falls && loose && rigid)
        sp__scene_warning(run->scene, loose->node, NULL,
                          "nothing holds it and the scene has no contact element: it falls through \"%s\"; "
                          "<contact formulation=\"penalty\"/> lets them touch",
                          rigid->node->path);
}

static sp_status build_body(sp_run *run, const sp_scene_node *node) {
    int before = run->body_count;
    const sp_builder *builder = sp__builder_of(node);
    if (builder) SP_BUILD(builder->build(run, node));
    if (run->body_count == before) return SP_OK;
    sp_run_body *body = &run->bodies[before];
    body->has_look = sp__build_look(node, &body->look);
    if (body->id.slot) SP_BUILD(sp__build_surfaces(run, body));
    return SP_OK;
}

// a scattered copy can be placed only after the body it lies on is built
static bool is_scattered(const sp_scene_node *node) {
    const sp_scene_node *copy = node->strand_count ? node->strands[0]->instance : node->instance;
    for (; copy; copy = copy->instance)
        if (sp__build_attr(copy, "scatter")) return true;
    return false;
}

static sp_status build_bodies(sp_run *run) {
    const sp_scene_node *root = sp__scene_root(run->scene);
    if (!SP_KEEP(&run->keep, run->bodies, root->child_count)) return sp__build_no_memory(run);
    for (int scattered = 0; scattered < 2; scattered++)
        for (int i = 0; i < root->child_count; i++) {
            const sp_scene_node *node = root->children[i];
            if (node->enabled && is_scattered(node) == (scattered == 1)) SP_BUILD(build_body(run, node));
        }
    return SP_OK;
}

sp_status sp__build_world(sp_run *run) {
    SP_TRY(create_world(run));
    SP_TRY(build_bodies(run));
    const sp_scene_node *contact = sp__next_child(sp__scene_root(run->scene), "contact", NULL);
    if (contact)
        warn_of_pairs(run, contact);
    else
        warn_of_falling(run);
    return build_contact(run);
}
