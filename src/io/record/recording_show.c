// Puts a frame of a recording into the world of a run; bodies are matched by name. `souple render` draws it and `initial` starts
// from it.
#include "io/record/record.h"

typedef struct showing {
    sp_context *ctx;
    sp_recording *recording;
    int frame;
    sp_world *world;
} showing;

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
    if (info->nodes && (t.node_count != info->nodes || t.cell_count != info->elements))
        return SP_FAIL(k->ctx, SP_BAD_INPUT, "body \"%s\" has %d nodes and %d elements in the recording, %d and %d in the scene",
                       b->name, t.node_count, t.cell_count, info->nodes, info->elements);
    return SP_OK;
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

static sp_status show_body(const showing *k, int index, const sp_recording_body *b) {
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
    for (int i = 0; i < info.body_count; i++) {
        sp_recording_body b;
        SP_TRY(sp_recording_body_at(recording, i, &b));
        SP_TRY(show_body(&k, i, &b));
    }
    SP_TRY(sp_world_publish(k.world));
    return SP_OK;
}
