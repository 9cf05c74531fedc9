// Events: changes by the scene at step boundaries, applied like edits. An event acts at the first boundary at or after its time,
// or when its condition first holds. With a ramp, the value changes at every boundary until the ramp ends.
#include <stdio.h>

#include "io/run/build.h"

// ------------------------------------------------------------------------------------------------ conditions

static double live_value(void *user, int slot) {
    const sp_run *run = user;
    if (slot < 0 || slot >= run->live_count || !run->live[slot].series) return NAN;
    const sp_series *s = run->live[slot].series;
    return s->count ? s->values[(size_t)(s->count - 1) * (size_t)s->probe->width + (size_t)run->live[slot].column] : NAN;
}

// true if the value is neither 0 nor NaN: a probe without a sample makes no condition true
bool sp__run_condition(sp_run *run, const sp_attr *when, double t) {
    sp_expr_env env = {.t = t, .probe = live_value, .user = run};
    double value = when->programs && when->programs[0] ? sp__expr_eval(when->programs[0], &env)
                   : when->numbers                     ? when->numbers[0]
                                                       : 0;
    return value != 0 && !isnan(value);
}

static sp_status build_live(sp_run *run) {
    int n = sp__scene_slot_count(run->scene);
    if (!SP_KEEP(&run->keep, run->live, n)) return sp__build_no_memory(run);
    run->live_count = n;
    for (int i = 0; i < n; i++) {
        const sp_scene_slot *slot = sp__scene_slot_at(run->scene, i);
        const sp_probe *probe = sp__run_probe_of(run, slot->probe);
        if (!slot->user->enabled) continue;
        if (!probe) return SP_BUILD_FAIL(run, slot->user, "when", "probe \"%s\" is not in the simulation", slot->probe->path);
        SP_BUILD(sp__probe_column(run, slot->user, "when", probe, slot->component, &run->live[i].column));
        run->live[i].series = &probe->series;
    }
    return SP_OK;
}

// ------------------------------------------------------------------------------------------------ building

// one value would change only a part of a rod with several sections
static sp_status rod_region(sp_run *run, const sp_scene_node *node, const sp_run_body *body, const sp_scene_node *at,
                            const char *attr, int *region) {
    bool of_section = strcmp(attr, "young") == 0 || strcmp(attr, "poisson") == 0 || strcmp(attr, "density") == 0;
    if (!of_section) return SP_OK;
    if (strcmp(at->spec->name, "region") == 0) {
        SP_TRY(sp__rod_region_number(run, body, at, region));
        if (*region >= 0) return SP_OK;
        return SP_BUILD_FAIL(run, node, "set", "the elements of \"%s\" are not all of one section of their own", at->path);
    }
    if (body->rod->sections > 1)
        return SP_BUILD_FAIL(run, node, "set", "\"%s\" has %d sections: set those of its regions, one by one", body->node->path,
                             body->rod->sections);
    return SP_OK;
}

// converts a scene path to the engine's path: full names, and regions by number
static sp_status engine_path(sp_run *run, const sp_scene_node *node, const char *path, const char **out) {
    const char *dot = strrchr(path, '.');
    char head[128], *whole;
    *out = path;
    if (!dot) return SP_OK;
    snprintf(head, sizeof head, "%.*s", (int)(dot - path), path);
    const sp_scene_node *at = sp__scene_find(node, head);
    if (!at) return SP_OK;
    const sp_run_body *owner = sp__build_body_of(run, at);
    int region = strcmp(at->spec->name, "region") == 0 && owner && !owner->rod ? sp__build_region_number(at) : -1;
    if (owner && owner->rod) SP_TRY(rod_region(run, node, owner, at, dot + 1, &region));
    const sp_scene_node *body = region >= 0 ? owner->node : at;
    size_t size = strlen(path) + strlen(body->path) + 32;
    if (!(whole = sp__keep_alloc(&run->keep, size, 1))) return sp__build_no_memory(run);
    if (region >= 0)
        snprintf(whole, size, "%s.region[%d]%s", body->path, region, dot);
    else
        snprintf(whole, size, "%s%s", body->path, dot);
    *out = whole;
    return SP_OK;
}

static sp_status resolve_path(sp_run *run, const sp_scene_node *node, sp_run_event *e) {
    const char *path = sp__attr_word(node, "set"), *nearest = NULL;
    sp_param_info info;
    SP_TRY(engine_path(run, node, path, &e->path));
    if (strlen(e->path) < sizeof((sp_edit *)0)->path && sp_world_param(run->world, e->path, &info) >= 0) {
        double value = sp__build_number(node, "value", 0);
        double low = info.spec.edit_low, high = info.spec.edit_high;
        if (value >= low && value <= high) return SP_OK;
        return SP_BUILD_FAIL(run, node, "value", "value = %g for %s, must be in [%g, %g]", value, e->path, low, high);
    }
    const char **known;
    int n = sp_world_param_count(run->world);
    if (!SP_KEEP(&run->scratch, known, n)) return sp__build_no_memory(run);
    for (int i = 0; i < n; i++) {
        if (sp_world_param_at(run->world, i, &info) < 0 || !(known[i] = sp__keep_text(&run->scratch, info.path)))
            return sp__build_no_memory(run);
    }
    nearest = sp__nearest(path, known, n);
    return SP_BUILD_FAIL(run, node, "set", "\"%s\" is not a value that can change while running%s%s%s", path,
                         nearest ? "; did you mean \"" : "", nearest ? nearest : "", nearest ? "\"?" : "");
}

// a value that is a function of time overwrites what an event sets
static bool varies_already(const sp_run *run, const char *path) {
    for (int i = 0; i < run->body_count; i++) {
        const sp_run_body *body = &run->bodies[i];
        size_t n = strlen(body->node->path);
        if (strncmp(path, body->node->path, n) != 0 || path[n] != '.') continue;
        if (body->young_varies && strcmp(path + n, ".young") == 0) return true;
        for (const sp_scene_node *c = NULL; (c = sp__next_child(body->node, "mass", c));) {
            size_t length = strlen(c->path);
            bool its = strncmp(path, c->path, length) == 0 && strcmp(path + length, ".value") == 0;
            if (its && sp__attr_varies(sp__attr(c, "value"), SP_ATTR_OF_TIME)) return true;
        }
    }
    return false;
}

static sp_status build_set(sp_run *run, const sp_scene_node *node, sp_run_event *e) {
    e->type = SP_EDIT_PARAM;
    e->ramp = sp__build_number(node, "ramp", 0);
    // bodies that failed to build have no parameters
    if (run->failed) return SP_BAD_INPUT;
    SP_TRY(resolve_path(run, node, e));
    if (varies_already(run, e->path)) return SP_BUILD_FAIL(run, node, "set", "%s is a function of time already", e->path);
    return SP_OK;
}

static sp_status build_pin(sp_run *run, const sp_scene_node *node, sp_run_event *e) {
    int *list, *kept;
    e->type = sp__build_is(node, "do", "pin") ? SP_EDIT_PIN : SP_EDIT_RELEASE;
    e->axes = SP_AXES_ALL;
    const sp_scene_node *body_node = sp__scene_find(node, sp__attr_word(node, "of"));
    sp_run_body *body = body_node ? sp__build_body_of(run, body_node) : NULL;
    if (!body || !body->builder->select)
        return SP_BUILD_FAIL(run, node, "of", "\"%s\" is neither a solid nor a rod", sp__attr_word(node, "of"));
    if (!body->id.slot) return SP_BAD_INPUT;
    if (!body->builder->along && (sp__build_given(node, "s") || sp__build_given(node, "end")))
        return SP_BUILD_FAIL(run, node, NULL, "s and end apply to rods, and \"%s\" is a solid", body->node->path);
    SP_TRY(sp__build_select(run, body, node, SP_SELECT_NODES, &list, &e->node_count));
    if (!SP_KEEP(&run->keep, kept, e->node_count)) return sp__build_no_memory(run);
    memcpy(kept, list, (size_t)e->node_count * sizeof *kept);
    e->nodes = kept;
    e->body = body->id;
    return SP_OK;
}

// Elements: those of a solid. All of them would leave no body.
static sp_status build_remove(sp_run *run, const sp_scene_node *node, sp_run_event *e) {
    int *list, *kept;
    e->type = SP_EDIT_REMOVE_ELEMENT;
    const sp_scene_node *body_node = sp__scene_find(node, sp__attr_word(node, "of"));
    sp_run_body *body = body_node ? sp__build_body_of(run, body_node) : NULL;
    if (!body || !body->own)
        return SP_BUILD_FAIL(run, node, "of", "\"%s\" is no solid: only elements of solids can be removed",
                             sp__attr_word(node, "of"));
    if (!body->id.slot) return SP_BAD_INPUT;
    if (body->membrane)
        return SP_BUILD_FAIL(run, node, "of", "\"%s\" is a membrane: only volume elements can be removed", body->node->path);
    if (sp__build_given(node, "s") || sp__build_given(node, "end"))
        return SP_BUILD_FAIL(run, node, NULL, "s and end apply to rods, and \"%s\" is a solid", body->node->path);
    if (sp__build_is(body->node, "compliance", "warped"))
        return SP_BUILD_FAIL(run, node, "of",
                             "compliance=\"warped\" of \"%s\" keeps the factor of the whole body: use another one",
                             body->node->path);
    SP_TRY(sp__build_select(run, body, node, SP_SELECT_ELEMENTS, &list, &e->node_count));
    if (e->node_count == sp_mesh_element_count(body->own))
        return SP_BUILD_FAIL(run, node, NULL, "selects all %d elements of \"%s\", and one must be left", e->node_count,
                             body->node->path);
    if (!SP_KEEP(&run->keep, kept, e->node_count)) return sp__build_no_memory(run);
    memcpy(kept, list, (size_t)e->node_count * sizeof *kept);
    e->nodes = kept;
    e->body = body->id;
    return SP_OK;
}

static sp_status build_attach(sp_run *run, const sp_scene_node *node, sp_run_event *e) {
    const sp_scene_node *link = sp__scene_find(node, sp__attr_word(node, "of"));
    e->type = sp__build_is(node, "do", "attach") ? SP_EDIT_ATTACH : SP_EDIT_DETACH;
    if (run->failed) return SP_BAD_INPUT;
    if (!link || !sp__build_link_of(run, link).slot)
        return SP_BUILD_FAIL(run, node, "of", "\"%s\" is not in the simulation", sp__attr_word(node, "of"));
    e->path = link->path;
    return SP_OK;
}

static sp_status build_event(sp_run *run, const sp_scene_node *node, sp_run_event *e) {
    *e = (sp_run_event){.node = node, .t = sp__build_number(node, "t", NAN)};
    if (sp__build_given(node, "when")) e->when = sp__attr(node, "when");
    if (sp__build_is(node, "do", "set")) return build_set(run, node, e);
    if (sp__build_is(node, "do", "remove")) return build_remove(run, node, e);
    bool links = sp__build_is(node, "do", "attach") || sp__build_is(node, "do", "detach");
    return links ? build_attach(run, node, e) : build_pin(run, node, e);
}

sp_status sp__build_events(sp_run *run) {
    const sp_scene_node *root = sp__scene_root(run->scene);
    int n = 0;
    SP_BUILD(build_live(run));
    for (const sp_scene_node *c = NULL; (c = sp__next_child(root, "event", c));) n++;
    if (!SP_KEEP(&run->keep, run->events, n)) return sp__build_no_memory(run);
    for (const sp_scene_node *c = NULL; (c = sp__next_child(root, "event", c));)
        SP_BUILD(build_event(run, c, &run->events[run->event_count++]));
    return SP_OK;
}

// ------------------------------------------------------------------------------------------------ triggering

static sp_status queue(sp_run *run, const sp_edit *edit) {
    sp_status status = sp_world_queue(run->world, edit);
    return status;
}

static sp_status queue_nodes(sp_run *run, sp_run_event *e) {
    sp_edit edit = sp_edit_default(e->type);
    edit.source = SP_RUN_EVENT_SOURCE;
    edit.body = e->body;
    edit.axes = e->axes;
    for (int i = 0; i < e->node_count; i++) {
        edit.node = e->nodes[i];
        SP_TRY(queue(run, &edit));
    }
    e->state = SP_EVENT_DONE;
    return SP_OK;
}

static sp_status queue_link(sp_run *run, sp_run_event *e) {
    sp_edit edit = sp_edit_default(e->type);
    edit.source = SP_RUN_EVENT_SOURCE;
    snprintf(edit.path, sizeof edit.path, "%s", e->path);
    e->state = SP_EVENT_DONE;
    return queue(run, &edit);
}

static sp_status queue_value(sp_run *run, sp_run_event *e, double t) {
    sp_edit edit = sp_edit_default(SP_EDIT_PARAM);
    double to = sp__build_number(e->node, "value", 0);
    double part = e->ramp > 0 ? fmax((t - e->started) / e->ramp, 0) : 1;
    edit.source = SP_RUN_EVENT_SOURCE;
    snprintf(edit.path, sizeof edit.path, "%s", e->path);
    edit.value = part >= 1 ? to : e->from + part * (to - e->from);
    SP_TRY(queue(run, &edit));
    e->state = part >= 1 ? SP_EVENT_DONE : SP_EVENT_RAMPS;
    return SP_OK;
}

static sp_status start_event(sp_run *run, sp_run_event *e, double t) {
    sp_param_info info;
    if (e->type == SP_EDIT_ATTACH || e->type == SP_EDIT_DETACH) return queue_link(run, e);
    if (e->type != SP_EDIT_PARAM) return queue_nodes(run, e);
    SP_TRY(sp_world_param(run->world, e->path, &info));
    e->from = info.value;
    // a ramp starts at its given time, not at the next boundary
    e->started = e->when ? t : e->t;
    return queue_value(run, e, t);
}

sp_status sp__events_queue(sp_run *run) {
    double t = sp_world_time(run->world), slack = 1e-6 * run->dt;
    for (int i = 0; i < run->event_count; i++) {
        sp_run_event *e = &run->events[i];
        if (e->state == SP_EVENT_RAMPS) SP_TRY(queue_value(run, e, t));
        if (e->state != SP_EVENT_WAITS) continue;
        if (e->when ? sp__run_condition(run, e->when, t) : t >= e->t - slack) SP_TRY(start_event(run, e, t));
    }
    return SP_OK;
}
