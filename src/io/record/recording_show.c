// Puts a frame of a recording into the world of a run of its scene; bodies are matched by name. `souple render` draws it, `souple
// view` plays it and `initial` starts from it.
#include <stdio.h>

#include "io/record/record.h"
#include "io/run/build.h"

typedef struct showing {
    sp_context *ctx;
    sp_recording *recording;
    int frame;
    sp_world *world;
} showing;

// Cells that the frame does not have were removed until then: the others are in the order of the scene.
static sp_status mark_missing(const showing *k, const sp_recording_topology *t, const sp_body_info *info, int *cells,
                              unsigned char *removed) {
    sp_element_view view;
    int found = 0;
    SP_TRY(sp_world_elements(k->world, info->id, cells, &view));
    const size_t corners = (size_t)view.nodes_per_element;
    for (int c = 0; c < view.count; c++) {
        const int *next = t->cells + (size_t)found * corners;
        const bool same = found < t->cell_count && memcmp(cells + (size_t)c * corners, next, corners * sizeof *cells) == 0;
        removed[c] = !same, found += same;
    }
    return found == t->cell_count ? SP_OK : SP_BAD_INPUT;
}

// The same elements are removed as in the frame.
static sp_status show_cells(const showing *k, const sp_recording_topology *t, const sp_recording_body *b,
                            const sp_body_info *info) {
    const bool whole = t->cell_count == info->cells;
    unsigned char *removed = NULL;
    int *cells = NULL;
    if (whole && !info->removed) return SP_OK;
    sp_status status = SP_NO_MEMORY;
    if (SP_NEW(k->ctx, removed, info->cells) && SP_NEW(k->ctx, cells, 4 * (size_t)info->cells)) {
        status = whole ? SP_OK : mark_missing(k, t, info, cells, removed);
        if (status == SP_BAD_INPUT)
            SP_FAIL(k->ctx, status, "body \"%s\" has other cells in the recording than in the scene", b->name);
        else if (status >= 0 && sp_world_set_removed(k->world, info->id, whole ? NULL : removed) < 0)
            status = SP_FAIL(k->ctx, SP_BAD_INPUT, "%s", sp_world_error(k->world)->message);
    }
    sp__free(k->ctx, removed), sp__free(k->ctx, cells);
    return status == SP_NO_MEMORY ? SP_FAIL(k->ctx, status, "no memory to show a frame") : status;
}

static sp_status check_body(const showing *k, int index, const sp_recording_body *b, sp_body_id *id, sp_body_info *info) {
    sp_recording_topology t;
    *id = sp_world_body_named(k->world, b->name);
    if (!id->slot) return SP_FAIL(k->ctx, SP_BAD_INPUT, "body \"%s\" of the recording is not in the scene", b->name);
    SP_TRY(sp_world_body_info(k->world, *id, info));
    if (strcmp(info->kind, b->kind) != 0)
        return SP_FAIL(k->ctx, SP_BAD_INPUT, "body \"%s\" is a %s in the recording, a %s in the scene", b->name, b->kind,
                       info->kind);
    SP_TRY(sp_recording_topology_at(k->recording, k->frame, index, &t));
    // a body without nodes is recorded by the vertices of its surface
    if (info->nodes && (t.node_count != info->nodes || t.cell_count > info->cells))
        return SP_FAIL(k->ctx, SP_BAD_INPUT, "body \"%s\" has %d nodes and %d elements in the recording, %d and %d in the scene",
                       b->name, t.node_count, t.cell_count, info->nodes, info->cells);
    return info->nodes ? show_cells(k, &t, b, info) : SP_OK;
}

// the values of a field of the state, as many as the body has; the caller frees them
static sp_status read_numbers(const showing *k, int index, const sp_recording_body *b, sp_body_id id, const char *name,
                              double **out) {
    sp_field_info field;
    SP_TRY(sp_world_field_info(k->world, id, name, &field));
    int n = field.count * field.components;
    SP_TRY(sp_recording_field_info(k->recording, k->frame, index, name, &field));
    if ((int64_t)field.count * field.components != n)
        return SP_FAIL(k->ctx, SP_BAD_INPUT, "body \"%s\": its %s has %d x %d numbers in the recording, must be %d in all",
                       b->name, name, field.count, field.components, n);
    if (!SP_NEW(k->ctx, *out, n)) return SP_FAIL(k->ctx, SP_NO_MEMORY, "no memory to show a frame");
    return sp_recording_field(k->recording, k->frame, index, name, *out);
}

static sp_status set_body(const showing *k, int index, const sp_recording_body *b) {
    sp_body_info info;
    sp_body_id id;
    double *state[2] = {NULL, NULL};
    SP_TRY(check_body(k, index, b, &id, &info));
    sp_status status = SP_OK;
    for (int i = 0; i < 2 && status >= 0; i++)
        if (info.state[i]) status = read_numbers(k, index, b, id, info.state[i], &state[i]);
    if (status >= 0) status = sp_world_set_state(k->world, id, state[0], state[1]);
    sp__free(k->ctx, state[0]), sp__free(k->ctx, state[1]);
    return status;
}

// ---------------------------------------------------------------------------------------------------- bodies that come and go

static bool in_scene(const sp_run *run, const char *name) {
    for (int i = 0; i < run->body_count; i++)
        if (strcmp(run->bodies[i].node->path, name) == 0) return true;
    return false;
}

// the last edit before a step that adds a body of this name; NULL: none
static const sp_edit *find_addition(const sp_run *run, const char *name, uint64_t step) {
    const sp_edit *e, *found = NULL;
    uint64_t at;
    for (int i = 0; run->shown_added && (e = sp__edit_log_at(run->shown_added, i, &at)) && at < step; i++)
        if (strcmp(e->path, name) == 0) found = e;
    return found;
}

// A body of this name that another edit has added does not have the same shape: it is replaced.
static sp_status make_body(const showing *k, sp_run *run, const char *name, uint64_t step) {
    sp_body_id id = sp_world_body_named(k->world, name);
    const sp_edit *e = find_addition(run, name, step), *last = find_addition(run, name, run->shown_step);
    if (id.slot && e == last) return SP_OK;
    sp_status status = id.slot ? sp_world_remove(k->world, id) : SP_OK;
    if (status >= 0 && e) status = sp_world_apply(k->world, e);
    return status < 0 ? SP_FAIL(k->ctx, status, "%s", sp_world_error(k->world)->message) : SP_OK;
}

static sp_status hide_body(const showing *k, const char *name) {
    sp_body_id id = sp_world_body_named(k->world, name);
    return id.slot ? sp_world_remove(k->world, id) : SP_OK;
}

// A body that an edit added is made by the same edit; one of the scene that was removed keeps its last state.
static sp_status show_body(const showing *k, sp_run *run, int index, uint64_t step) {
    showing at = *k;
    sp_recording_body b;
    SP_TRY(sp_recording_body_at(k->recording, index, &b));
    bool there = sp_recording_has_body(k->recording, k->frame, index), own = in_scene(run, b.name);
    if (!there && !own) return hide_body(k, b.name);
    while (at.frame > 0 && !sp_recording_has_body(k->recording, at.frame, index)) at.frame--;
    if (!own) SP_TRY(make_body(k, run, b.name, step));
    return set_body(&at, index, &b);
}

// ---------------------------------------------------------------------------------------------------- contacts

// contacts of bodies that are not recorded are left out
static sp_status name_contacts(const showing *k, const sp_recording_contact *from, int count, sp_contact_point *to, int *kept) {
    *kept = 0;
    for (int i = 0; i < count; i++) {
        const sp_recording_contact *c = &from[i];
        sp_contact_point *p = &to[*kept];
        *p = (sp_contact_point){.gap = c->gap, .pressure = c->pressure};
        memcpy(p->point, c->point, sizeof p->point), memcpy(p->normal, c->normal, sizeof p->normal);
        memcpy(p->force, c->force, sizeof p->force);
        for (int s = 0; s < 2 && c->bodies[s] >= 0; s++) {
            sp_recording_body b;
            SP_TRY(sp_recording_body_at(k->recording, c->bodies[s], &b));
            p->bodies[s] = sp_world_body_named(k->world, b.name);
        }
        *kept += p->bodies[0].slot && p->bodies[1].slot;
    }
    return SP_OK;
}

static sp_status show_contacts(const showing *k) {
    int count = sp_recording_contact_count(k->recording, k->frame), kept = 0;
    sp_recording_contact *from = NULL;
    sp_contact_point *to = NULL;
    sp_status status = SP_OK;
    if (count < 0) return (sp_status)count;
    if (!SP_NEW(k->ctx, from, (size_t)count + 1) || !SP_NEW(k->ctx, to, (size_t)count + 1))
        status = SP_FAIL(k->ctx, SP_NO_MEMORY, "no memory to show a frame");
    if (status >= 0) status = sp_recording_contacts(k->recording, k->frame, from);
    if (status >= 0) status = name_contacts(k, from, count, to, &kept);
    if (status >= 0 && sp_world_set_contacts(k->world, to, kept) < 0)
        status = SP_FAIL(k->ctx, SP_BAD_INPUT, "%s", sp_world_error(k->world)->message);
    sp__free(k->ctx, from), sp__free(k->ctx, to);
    return status;
}

// ---------------------------------------------------------------------------------------------------- parameters

static int find_shown(const sp_run *run, const char *path) {
    int i = 0;
    while (i < run->shown_count && strcmp(run->shown_params[i].path, path) != 0) i++;
    return i;
}

// the parameters that edits of the recording change, with their values in the scene
static sp_status list_params(const showing *k, sp_run *run, const char *edits) {
    const sp_edit *e;
    uint64_t step;
    SP_TRY(sp__edit_log_select(k->ctx, "edits of the recording", edits, 1u << SP_EDIT_PARAM, &run->shown_edits));
    int count = 0;
    while (sp__edit_log_at(run->shown_edits, count, &step)) count++;
    if (!SP_KEEP(&run->keep, run->shown_params, count + 1)) return SP_FAIL(k->ctx, SP_NO_MEMORY, "no memory to show a frame");
    for (int i = 0; (e = sp__edit_log_at(run->shown_edits, i, &step)); i++) {
        int at = find_shown(run, e->path);
        sp_param_info p;
        if (at < run->shown_count) continue;
        if (sp_world_param(k->world, e->path, &p) < 0)
            return SP_FAIL(k->ctx, SP_BAD_INPUT, "parameter \"%s\" of the recording is not in the scene", e->path);
        sp_shown_param *to = &run->shown_params[run->shown_count++];
        snprintf(to->path, sizeof to->path, "%s", e->path);
        to->initial = p.value;
    }
    return SP_OK;
}

// Fields such as the stress depend on parameters: they get the values that the edits before the frame have set, or those of the
// scene. Frames are shown in any order.
static sp_status show_params(const showing *k, sp_run *run, uint64_t step) {
    const sp_edit *e;
    uint64_t at;
    for (int i = 0; i < run->shown_count; i++) run->shown_params[i].value = run->shown_params[i].initial;
    for (int i = 0; run->shown_edits && (e = sp__edit_log_at(run->shown_edits, i, &at)) && at < step; i++)
        run->shown_params[find_shown(run, e->path)].value = e->value;
    for (int i = 0; i < run->shown_count; i++)
        if (sp_world_set_param(k->world, run->shown_params[i].path, run->shown_params[i].value) < 0)
            return SP_FAIL(k->ctx, SP_BAD_INPUT, "%s", sp_world_error(k->world)->message);
    return SP_OK;
}

// ---------------------------------------------------------------------------------------------------- frames

// the edits of the recording that its frames need
static sp_status show_edits(const showing *k, sp_run *run, const char *edits) {
    if (run->shown == k->recording) return SP_OK;
    sp_edit_log_close(&run->shown_edits), sp_edit_log_close(&run->shown_added);
    run->shown = k->recording, run->shown_count = 0, run->shown_step = 0;
    if (!edits[0]) return SP_OK;
    SP_TRY(list_params(k, run, edits));
    return sp__edit_log_select(k->ctx, "edits of the recording", edits, 1u << SP_EDIT_ADD, &run->shown_added);
}

sp_status sp_recording_scene(sp_recording *recording, const sp_scene_options *options, sp_scene **out) {
    sp_recording_info info;
    sp_scene_options o = options ? *options : sp_scene_options_default();
    sp_context *ctx = sp__recording_context(recording);
    const char **sets;
    *out = NULL;
    sp_recording_get(recording, &info);
    if (info.visual)
        return SP_FAIL(ctx, SP_BAD_INPUT,
                       "the recording holds visual surfaces only, from which no body can be shown again: record "
                       "part=\"mechanical\"");
    if (!SP_NEW(ctx, sets, info.set_count + o.set_count + 1)) return SP_FAIL(ctx, SP_NO_MEMORY, "no memory for a scene");
    // 0.1 and 0.2 wrote "--set path=value"
    for (int i = 0; i < info.set_count; i++) sets[i] = info.sets[i] + (strncmp(info.sets[i], "--set ", 6) == 0 ? 6 : 0);
    for (int i = 0; i < o.set_count; i++) sets[info.set_count + i] = o.sets[i];
    o.sets = sets, o.set_count += info.set_count;
    sp_status status = sp_scene_parse(ctx, info.scene, info.scene_size, info.scene_path, &o, out);
    sp__free(ctx, sets);
    return status;
}

sp_status sp_recording_show(sp_recording *recording, int frame, sp_run *run) {
    showing k = {.recording = recording, .frame = frame, .world = sp_run_world(run)};
    sp_recording_info info;
    sp_recording_frame at;
    k.ctx = sp_world_context(k.world);
    sp_recording_get(recording, &info);
    SP_TRY(sp_recording_frame_at(recording, frame, &at));
    if (info.visual)
        return SP_FAIL(k.ctx, SP_BAD_INPUT,
                       "the recording holds visual surfaces, which do not determine a state: record part=\"mechanical\"");
    SP_TRY(show_edits(&k, run, info.edits));
    for (int i = 0; i < info.body_count; i++) SP_TRY(show_body(&k, run, i, at.step));
    run->shown_step = at.step;
    SP_TRY(show_params(&k, run, at.step));
    SP_TRY(show_contacts(&k));
    SP_TRY(sp_world_publish(k.world));
    return SP_OK;
}
