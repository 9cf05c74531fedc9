// Rods in records. The mechanical part is the centreline: nodes, and a line per element. The visual part is the surface of the
// snapshots, unless the scene has another one.
#include "io/run/run_record.h"

const sp_snapshot_surface *sp__record_boundary(const sp_snapshot *snapshot, sp_body_id id) {
    for (int i = 0; snapshot && i < snapshot->body_count; i++)
        if (snapshot->bodies[i].id.slot == id.slot) return &snapshot->bodies[i].surfaces[0];
    return NULL;
}

// a snapshot of the current state
static sp_status take_snapshot(sp_world *world, const sp_snapshot **out) {
    const sp_snapshot *snapshot = sp_world_snapshot_acquire(world);
    if (!snapshot || snapshot->step != sp_world_steps(world)) {
        if (snapshot) sp_world_snapshot_release(world, snapshot);
        SP_TRY(sp_world_publish(world));
        snapshot = sp_world_snapshot_acquire(world);
    }
    *out = snapshot;
    return snapshot ? SP_OK : SP_NO_MEMORY;
}

// ------------------------------------------------------------------------------------------------ layout

// first node of the element of a cross section
static int first_node(const sp_snapshot_surface *seen, const sp_rod_cross_section *r) {
    return seen->nodes[r->vertex] - (r->at > 0.5);
}

static sp_status add_lines(sp_run *run, const sp_run_body *body, const sp_snapshot_surface *seen, sp_layout_body *b) {
    sp_body_info info;
    int *cells;
    SP_TRY(sp_world_body_info(run->world, body->id, &info));
    b->node_count = info.nodes, b->cell_count = info.elements, b->corners = 2;
    if (!SP_KEEP(&run->keep, cells, 2 * (size_t)b->cell_count)) return SP_NO_MEMORY;
    for (int i = 0; i < seen->ring_count; i++) {
        const sp_rod_cross_section *r = &seen->rings[i];
        for (int k = 0; k < 2; k++) cells[2 * (size_t)r->element + (size_t)k] = first_node(seen, r) + k;
    }
    b->cells = cells;
    return SP_OK;
}

// snapshots give the vertex positions; velocities are interpolated from the two nodes of the element
static sp_status add_tube(sp_run *run, const sp_snapshot_surface *seen, sp_layout_body *b, sp_frame_source *s) {
    int *cells, *nodes;
    double *share;
    b->node_count = seen->vertex_count, b->cell_count = seen->face_count, b->corners = 3;
    size_t corners = 3 * (size_t)b->cell_count;
    if (!SP_KEEP(&run->keep, cells, corners) || !SP_KEEP(&run->keep, nodes, b->node_count) ||
        !SP_KEEP(&run->keep, share, b->node_count))
        return SP_NO_MEMORY;
    for (size_t i = 0; i < corners; i++) cells[i] = (int)seen->faces[i];
    for (int i = 0; i < seen->ring_count; i++) {
        const sp_rod_cross_section *r = &seen->rings[i];
        int end = i + 1 < seen->ring_count ? seen->rings[i + 1].vertex : seen->vertex_count;
        for (int v = r->vertex; v < end; v++) nodes[v] = first_node(seen, r), share[v] = r->at;
    }
    b->cells = cells;
    s->nodes = nodes, s->share = share;
    return SP_OK;
}

sp_status sp__record_rod(sp_run *run, const sp_record *r, const sp_run_body *body, sp_layout_body *b, sp_frame_source *s) {
    const sp_snapshot *snapshot = NULL;
    sp_status status = take_snapshot(run->world, &snapshot);
    if (status < 0) return sp__build_refused(run, r->node, status, sp_world_error(run->world));
    const sp_snapshot_surface *seen = sp__record_boundary(snapshot, body->id);
    status = s->from == SP_FROM_LINES ? add_lines(run, body, seen, b) : add_tube(run, seen, b, s);
    sp_world_snapshot_release(run->world, snapshot);
    return status == SP_NO_MEMORY ? sp__build_no_memory(run) : status;
}

// ------------------------------------------------------------------------------------------------ values

static sp_status copy_positions(sp_run *run, const sp_frame_source *s, size_t count, double *out) {
    const sp_snapshot *snapshot = NULL;
    SP_TRY(take_snapshot(run->world, &snapshot));
    const sp_snapshot_surface *seen = sp__record_boundary(snapshot, s->body->id);
    for (size_t i = 0; i < 3 * count; i++) out[i] = seen->positions[i];
    sp_world_snapshot_release(run->world, snapshot);
    return SP_OK;
}

sp_status sp__record_tube(sp_run *run, const sp_record *r, const sp_layout_body *b, const sp_frame_source *s, double *values) {
    size_t n = (size_t)b->node_count;
    SP_TRY(copy_positions(run, s, n, values + b->arrays[0].offset));
    for (int i = 1; i < b->array_count; i++) {
        double *out = values + b->arrays[i].offset;
        SP_TRY(sp_world_field(run->world, s->body->id, b->arrays[i].name, r->scratch));
        for (size_t v = 0; v < n; v++)
            for (size_t k = 0; k < 3; k++) {
                const double *at = r->scratch + 3 * (size_t)s->nodes[v] + k;
                out[3 * v + k] = (1 - s->share[v]) * at[0] + s->share[v] * at[3];
            }
    }
    return SP_OK;
}
