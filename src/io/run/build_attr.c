// Helpers of the builder: optional attributes, errors, memory limit.
#include "io/run/build.h"

#include <stdio.h>

const sp_attr *sp__build_attr(const sp_scene_node *node, const char *name) {
    for (int i = 0; i < node->spec->attr_count; i++) {
        if (strcmp(node->spec->attrs[i].name, name) != 0) continue;
        const sp_attr *attr = sp__attr(node, name);
        return attr && attr->origin != SP_ORIGIN_ABSENT ? attr : NULL;
    }
    return NULL;
}

bool sp__build_given(const sp_scene_node *node, const char *name) {
    const sp_attr *attr = sp__build_attr(node, name);
    return attr && attr->origin > SP_ORIGIN_BUILTIN;
}

double sp__build_number(const sp_scene_node *node, const char *name, double otherwise) {
    const sp_attr *attr = sp__build_attr(node, name);
    return attr && !attr->is_auto && attr->numbers && attr->count > 0 ? attr->numbers[0] : otherwise;
}

bool sp__build_is(const sp_scene_node *node, const char *name, const char *word) {
    const sp_attr *attr = sp__build_attr(node, name);
    return attr && attr->words && attr->count > 0 && strcmp(attr->words[0], word) == 0;
}

sp_status sp__build_no_memory(sp_run *run) {
    return SP_FAIL(run->ctx, SP_NO_MEMORY, "no memory to build the scene");
}

sp_status sp__build_refused(sp_run *run, const sp_scene_node *node, sp_status status, const sp_error *error) {
    if (status == SP_NO_MEMORY) return status;
    return SP_BUILD_FAIL(run, node, NULL, "%s", error->message[0] ? error->message : sp_status_text(status));
}

sp_status sp__build_reserve(sp_run *run, const sp_scene_node *node, double items, double bytes_each, const char *what) {
    // doubles cannot overflow here and are exact enough for an estimate
    double limit = (double)sp__scene_memory_limit(run->scene), bytes = items * bytes_each;
    if (!(run->memory + bytes <= limit))
        return SP_BUILD_FAIL(run, node, NULL, "%.0f %s need about %.3g MB, %.3g MB are taken and the limit is %.3g MB", items,
                             what, bytes * 1e-6, run->memory * 1e-6, limit * 1e-6);
    run->memory += bytes;
    return SP_OK;
}

unsigned sp__build_axes(const sp_scene_node *node) {
    const char *text = sp__attr_word(node, "axes");
    return (strchr(text, 'x') ? SP_AXIS_X : 0u) | (strchr(text, 'y') ? SP_AXIS_Y : 0u) | (strchr(text, 'z') ? SP_AXIS_Z : 0u);
}

const sp_builder *sp__builder_of(const sp_scene_node *node) {
    static const sp_builder *const builders[] = {&sp__solid_builder, &sp__rod_builder, &sp__rigid_builder};
    for (size_t i = 0; i < sizeof builders / sizeof *builders; i++)
        if (strcmp(node->spec->name, builders[i]->element) == 0) return builders[i];
    return NULL;
}

const sp_scene_node *sp__build_owner(const sp_scene_node *node) {
    while (node && !sp__builder_of(node)) node = node->parent;
    return node;
}

sp_run_body *sp__build_body_of(sp_run *run, const sp_scene_node *node) {
    const sp_scene_node *owner = sp__build_owner(node);
    if (owner && owner->merged) owner = owner->merged;
    for (int i = 0; owner && i < run->body_count; i++)
        if (run->bodies[i].node == owner) return &run->bodies[i];
    return NULL;
}
