// `initial file`: a solid starts from a recording, at the frame nearest to `time` or at the last frame.
#include "io/run/build.h"

static int find_body(const sp_recording *r, const char *name, sp_recording_body *out) {
    sp_recording_info info;
    sp_recording_get(r, &info);
    for (int i = 0; i < info.body_count; i++)
        if (sp_recording_body_at(r, i, out) >= 0 && strcmp(out->name, name) == 0) return i;
    return -1;
}

static sp_status recorded_refused(sp_run *run, const sp_scene_node *node, sp_status status) {
    return status < 0 ? sp__build_refused(run, node, status, sp_context_error(run->ctx)) : SP_OK;
}

static sp_status read_array(sp_run *run, const sp_scene_node *node, sp_recording *r, int frame, int body, const char *field,
                            int nodes, double **out) {
    sp_field_info info;
    SP_TRY(recorded_refused(run, node, sp_recording_field_info(r, frame, body, field, &info)));
    if (info.count != nodes || info.components != 3)
        return SP_BUILD_FAIL(run, node, "file", "%s of %d nodes in the recording, the solid has %d", field, info.count, nodes);
    if (!SP_KEEP(&run->scratch, *out, 3 * (size_t)nodes)) return sp__build_no_memory(run);
    return recorded_refused(run, node, sp_recording_field(r, frame, body, field, *out));
}

static sp_status take_state(sp_run *run, const sp_run_body *body, const sp_scene_node *node, sp_recording *r, sp_solid_def *def) {
    sp_recording_info info;
    sp_recording_body found;
    sp_recording_topology t;
    double *x, *v;
    int index = find_body(r, body->node->path, &found), nodes = sp_mesh_node_count(body->placed);
    sp_recording_get(r, &info);
    int frame = sp__build_given(node, "time") ? sp_recording_nearest(r, sp__build_number(node, "time", 0)) : info.frame_count - 1;
    if (frame < 0) return SP_BUILD_FAIL(run, node, "file", "the recording holds no frame");
    const char *kind = body->node->spec->name;
    if (index < 0 || info.visual || strcmp(found.kind, kind) != 0)
        return SP_BUILD_FAIL(run, node, "file", "the recording holds no mechanical state of a %s \"%s\"", kind, body->node->path);
    SP_TRY(recorded_refused(run, node, sp_recording_topology_at(r, frame, index, &t)));
    size_t corners = 4 * (size_t)sp_mesh_tet_count(body->placed);
    if (t.cell_count != sp_mesh_tet_count(body->placed) || t.corners != 4 ||
        memcmp(t.cells, sp_mesh_tets(body->placed), corners * sizeof(int)) != 0)
        return SP_BUILD_FAIL(run, node, "file", "\"%s\" has other elements in the recording", body->node->path);
    SP_TRY(read_array(run, node, r, frame, index, "position", nodes, &x));
    SP_TRY(read_array(run, node, r, frame, index, "velocity", nodes, &v));
    def->initial = x;
    def->initial_velocity = v;
    return SP_OK;
}

sp_status sp__build_recorded(sp_run *run, const sp_run_body *body, const sp_scene_node *node, sp_solid_def *def) {
    sp_recording *r;
    SP_TRY(recorded_refused(run, node, sp_recording_open(run->ctx, sp__attr_word(node, "file"), &r)));
    sp_status status = take_state(run, body, node, r, def);
    sp_recording_close(&r);
    return status;
}
