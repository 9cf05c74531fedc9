// Frames of a record: bodies, their cells and arrays. The layout is built once. Each frame then copies its values from the world,
// in the numbering of the input mesh.
#include <stdio.h>

#include "io/run/run_record.h"
#include "math/vec3.h"

// ------------------------------------------------------------------------------------------------ checks

static bool is_visual(const sp_record *r) {
    return sp__build_is(r->node, "part", "visual");
}

static bool has_cells(const sp_record *r) {
    return !is_visual(r) && !r->writer->surfaces;
}

static sp_status check_quantity(sp_run *run, const sp_record *r, const char *name) {
    sp_field_info field;
    if (sp_field_named(name, &field) < 0)
        return SP_BUILD_FAIL(run, r->node, "quantity",
                             "%s is a number of a whole body or world, not a field: measure it by a probe, which .xdmf and .csv "
                             "records hold",
                             name);
    if (!r->writer->fields && strcmp(name, "position") != 0)
        return SP_BUILD_FAIL(run, r->node, "quantity", "%s: a %s record holds positions only; .xdmf and .vtu hold fields", name,
                             r->writer->suffix);
    if (field.on == SP_ON_ELEMENTS && is_visual(r))
        return SP_BUILD_FAIL(run, r->node, "quantity", "%s belongs to elements, and part=\"visual\" has none", name);
    if (is_visual(r) && strcmp(name, "position") != 0 && strcmp(name, "velocity") != 0)
        return SP_BUILD_FAIL(run, r->node, "quantity", "%s: part=\"visual\" holds position and velocity", name);
    return SP_OK;
}

static sp_status check_quantities(sp_run *run, const sp_record *r) {
    const sp_attr *list = sp__build_attr(r->node, "quantity");
    sp_status status = SP_OK;
    for (int i = 0; list && i < list->count; i++)
        if (check_quantity(run, r, list->words[i]) < 0) status = SP_BAD_INPUT;
    return status;
}

static bool is_state(const sp_body_info *info, const sp_field_info *q) {
    return (info->state[0] && strcmp(info->state[0], q->name) == 0) || (info->state[1] && strcmp(info->state[1], q->name) == 0);
}

// the quantities that the scene or the caller lists, and those that a record of this format always has
static bool frame_wanted(const sp_record *r, const sp_body_info *info, const sp_frame_source *s, const sp_field_info *q) {
    const sp_attr *list = sp__build_attr(r->node, "quantity");
    bool whole = s->from == SP_FROM_ELEMENTS, xdmf = r->writer == &sp__writer_xdmf;
    if (strcmp(q->name, "position") == 0) return true;
    // a recording can be displayed and used as an initial state: both need the velocity
    if (strcmp(q->name, "velocity") == 0 && xdmf && !is_visual(r)) return true;
    // the state of the body as a whole; that of a surface cannot be used as an initial state
    if (q->on == SP_ON_BODY) return xdmf && is_state(info, q) && (whole || s->from == SP_FROM_POSE);
    // frames and curvatures of a rod do not follow from its positions
    if (strcmp(q->name, "frame") == 0 || strcmp(q->name, "curvature") == 0) return whole && r->writer->fields;
    for (int i = 0; list && i < list->count; i++)
        if (strcmp(list->words[i], q->name) == 0) return true;
    for (int i = 0; i < r->quantity_count; i++)
        if (strcmp(r->quantities[i], q->name) == 0) return true;
    return false;
}

static bool frame_chosen(const sp_record *r, const sp_run_body *body) {
    const sp_attr *of = sp__build_given(r->node, "of") ? sp__attr(r->node, "of") : NULL;
    for (int i = 0; of && i < of->count; i++)
        if (sp__scene_find(r->node, of->words[i]) == body->node) return true;
    return !of;
}

// ------------------------------------------------------------------------------------------------ bodies

static sp_status add_array(sp_run *run, sp_record *r, sp_layout_body *b, const sp_field_info *q) {
    sp_layout_array *a = &b->arrays[b->array_count++];
    *a = (sp_layout_array){.name = q->name, .unit = q->unit, .components = q->components, .on = q->on, .count = 1};
    if (q->on != SP_ON_BODY) a->count = (size_t)(q->on == SP_ON_ELEMENTS ? b->cell_count : b->node_count);
    a->offset = r->layout->value_count;
    r->layout->value_count += a->count * (size_t)a->components;
    return sp__build_reserve(run, r->node, (double)a->count * a->components, sizeof(double) * (SP_FRAMES_QUEUED + 1), "a frame");
}

bool sp__run_has_field(sp_world *world, sp_body_id id, const char *field) {
    sp_field_info f;
    for (int i = 0; i < sp_world_field_count(world, id); i++)
        if (sp_world_field_at(world, id, i, &f) >= 0 && strcmp(f.name, field) == 0) return true;
    return false;
}

// does this part know the field
static bool is_there(sp_run *run, const sp_frame_source *s, const sp_field_info *q) {
    if (strcmp(q->name, "position") == 0) return true;
    if (!sp__run_has_field(run->world, s->id, q->name)) return false;
    return q->on != SP_ON_ELEMENTS || s->from == SP_FROM_ELEMENTS;
}

static sp_status add_arrays(sp_run *run, sp_record *r, const sp_body_info *info, sp_layout_body *b, const sp_frame_source *s) {
    sp_field_info q, own;
    if (!SP_KEEP(r->keep, b->arrays, SP_FIELD_COUNT)) return sp__build_no_memory(run);
    for (int i = 0; sp_field_at(i, &q) >= 0; i++) {
        if (!frame_wanted(r, info, s, &q) || !is_there(run, s, &q)) continue;
        // all numbers of a whole body are one row
        if (q.on == SP_ON_BODY) {
            sp_status status = sp_world_field_info(run->world, s->id, q.name, &own);
            if (status < 0) return sp__build_refused(run, r->node, status, sp_world_error(run->world));
            q.components *= own.count;
        }
        SP_TRY(add_array(run, r, b, &q));
    }
    return SP_OK;
}

// leaves out the cells of elements that were removed
static sp_status drop_removed(sp_run *run, const sp_record *r, const sp_body_info *info, sp_layout_body *b, int *cells,
                              sp_frame_source *s) {
    double *removed;
    int *kept, count = 0;
    if (!info->removed) return SP_OK;
    if (!SP_KEEP(r->keep, kept, b->cell_count) || !SP_NEW(run->ctx, removed, b->cell_count)) return sp__build_no_memory(run);
    sp_status status = sp_world_field(run->world, info->id, "removed", removed);
    for (int c = 0; c < b->cell_count && status >= 0; c++) {
        if (removed[c] != 0) continue;
        memmove(cells + (size_t)count * (size_t)b->corners, cells + (size_t)c * (size_t)b->corners,
                (size_t)b->corners * sizeof *cells);
        kept[count++] = c;
    }
    sp__free(run->ctx, removed);
    if (status < 0) return sp__build_refused(run, r->node, status, sp_world_error(run->world));
    b->cell_count = count, s->cells = kept;
    return SP_OK;
}

// nodes and elements: tetrahedra of a solid, lines of a rod
static sp_status add_elements(sp_run *run, const sp_record *r, const sp_body_info *info, sp_layout_body *b, sp_frame_source *s) {
    sp_element_view view;
    int *cells;
    sp_status status = sp_world_elements(run->world, info->id, NULL, &view);
    if (status < 0) return sp__build_refused(run, r->node, status, sp_world_error(run->world));
    b->node_count = info->nodes, b->cell_count = view.count, b->corners = view.nodes_per_element;
    size_t corners = (size_t)b->corners * (size_t)b->cell_count;
    SP_TRY(sp__build_reserve(run, r->node, (double)corners, sizeof *cells, "cells of a record"));
    if (!SP_KEEP(r->keep, cells, corners)) return sp__build_no_memory(run);
    sp_world_elements(run->world, info->id, cells, &view);
    b->cells = cells;
    return drop_removed(run, r, info, b, cells, s);
}

static const sp_snapshot_surface *snapshot_boundary(const sp_snapshot *snapshot, sp_body_id id) {
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

// the surface of a snapshot, transformed back to the frame of the body
static sp_status copy_local(sp_run *run, const sp_record *r, const sp_snapshot_surface *seen, const double at[7],
                            sp_layout_body *b, sp_frame_source *s) {
    double *local, R[9], d[3];
    int *cells;
    b->node_count = seen->vertex_count, b->cell_count = seen->face_count, b->corners = 3;
    if (!SP_KEEP(r->keep, local, 3 * (size_t)b->node_count) || !SP_KEEP(r->keep, cells, 3 * (size_t)b->cell_count))
        return sp__build_no_memory(run);
    for (size_t i = 0; i < 3 * (size_t)b->cell_count; i++) cells[i] = (int)seen->faces[i];
    sp__quat_matrix(at + 3, R);
    for (size_t i = 0; i < (size_t)b->node_count; i++) {
        for (int k = 0; k < 3; k++) d[k] = seen->positions[3 * i + (size_t)k] - at[k];
        for (int k = 0; k < 3; k++) local[3 * i + (size_t)k] = R[k] * d[0] + R[3 + k] * d[1] + R[6 + k] * d[2];
    }
    b->cells = cells;
    s->local = local;
    return SP_OK;
}

static sp_status add_posed(sp_run *run, const sp_record *r, sp_layout_body *b, sp_frame_source *s) {
    double at[7];
    sp_status status = sp_world_publish(run->world);
    if (status >= 0) status = sp_world_field(run->world, s->id, "pose", at);
    if (status < 0) return sp__build_refused(run, r->node, status, sp_world_error(run->world));
    const sp_snapshot *snapshot = sp_world_snapshot_acquire(run->world);
    const sp_snapshot_surface *seen = snapshot_boundary(snapshot, s->id);
    if (seen) status = copy_local(run, r, seen, at, b, s);
    if (snapshot) sp_world_snapshot_release(run->world, snapshot);
    return status;
}

static sp_status surface_name(sp_run *run, const sp_record *r, const char *surface, sp_layout_body *b) {
    char *name = sp__keep_alloc(r->keep, strlen(b->name) + strlen(surface) + 2, 1);
    if (!name) return sp__build_no_memory(run);
    sprintf(name, "%s.%s", b->name, surface);
    b->name = name;
    return SP_OK;
}

// node of each vertex of the boundary; around the cross sections of a rod, the two nodes of the element and the weight of the
// second
static sp_status boundary_nodes(sp_run *run, const sp_record *r, const sp_surface_info *from, sp_frame_source *s) {
    int *nodes;
    double *share = NULL;
    if (!SP_KEEP(r->keep, nodes, from->vertex_count) || (from->rings && !SP_KEEP(r->keep, share, from->vertex_count)))
        return sp__build_no_memory(run);
    for (int v = 0; v < from->vertex_count; v++) nodes[v] = from->nodes[v];
    for (int i = 0; i < from->ring_count; i++) {
        const sp_rod_cross_section *ring = &from->rings[i];
        int end = i + 1 < from->ring_count ? from->rings[i + 1].vertex : from->vertex_count;
        for (int v = ring->vertex; v < end; v++) nodes[v] -= ring->at > 0.5, share[v] = ring->at;
    }
    s->nodes = nodes, s->share = share;
    return SP_OK;
}

static sp_status add_surface(sp_run *run, const sp_record *r, sp_layout_body *b, sp_frame_source *s) {
    sp_surface_info info;
    int *cells;
    sp_status status = sp_world_surface_info(run->world, s->id, s->surface, &info);
    if (status < 0) return sp__build_refused(run, r->node, status, sp_world_error(run->world));
    b->node_count = info.vertex_count, b->cell_count = info.face_count, b->corners = 3;
    if (!SP_KEEP(r->keep, cells, 3 * (size_t)b->cell_count)) return sp__build_no_memory(run);
    for (size_t i = 0; i < 3 * (size_t)b->cell_count; i++) cells[i] = (int)info.faces[i];
    b->cells = cells;
    return s->from == SP_FROM_BOUNDARY ? boundary_nodes(run, r, &info, s) : surface_name(run, r, info.name, b);
}

static uint32_t boundary_revision(const sp_run *run, sp_body_id id) {
    sp_surface_info info;
    return sp_world_surface_info(run->world, id, 0, &info) >= 0 ? info.revision : 0;
}

// surface 0: the body itself, or its boundary if the format or the scene asks for surfaces
static sp_status add_part(sp_run *run, sp_record *r, const char *name, sp_body_id id, int surface, int index) {
    sp_layout_body *b = &r->layout->bodies[r->layout->body_count];
    sp_frame_source *s = &r->sources[r->layout->body_count];
    sp_body_info info;
    sp_status status = sp_world_body_info(run->world, id, &info);
    if (status < 0) return sp__build_refused(run, r->node, status, sp_world_error(run->world));
    *b = (sp_layout_body){.name = name, .kind = info.kind, .index = index};
    *s = (sp_frame_source){.id = id, .surface = surface, .revision = boundary_revision(run, id)};
    s->from = surface > 0 ? SP_FROM_SURFACE : !info.nodes ? SP_FROM_POSE : has_cells(r) ? SP_FROM_ELEMENTS : SP_FROM_BOUNDARY;
    switch (s->from) {
    case SP_FROM_ELEMENTS: SP_TRY(add_elements(run, r, &info, b, s)); break;
    case SP_FROM_SURFACE:
    case SP_FROM_BOUNDARY: SP_TRY(add_surface(run, r, b, s)); break;
    case SP_FROM_POSE: SP_TRY(add_posed(run, r, b, s)); break;
    }
    if (3 * (size_t)info.nodes > r->scratch_size) r->scratch_size = 3 * (size_t)info.nodes;
    r->layout->body_count++;
    return add_arrays(run, r, &info, b, s);
}

// adds the visual surfaces of the body, or the body itself if it has none
static sp_status add_body(sp_run *run, sp_record *r, sp_run_body *body, bool count_only, int *count) {
    int n = is_visual(r) ? sp_world_surface_count(run->world, body->id) : 0, seen = 0;
    for (int i = 1; i < n; i++) {
        sp_surface_info info;
        if (sp_world_surface_info(run->world, body->id, i, &info) < 0 || !(info.roles & SP_ROLE_VISUAL)) continue;
        if (!count_only) SP_TRY(add_part(run, r, body->node->path, body->id, i, *count + seen));
        seen++;
    }
    int own = *count;
    *count += seen ? seen : 1;
    return seen || count_only ? SP_OK : add_part(run, r, body->node->path, body->id, 0, own);
}

static sp_status new_layout(sp_run *run, sp_record *r, int bodies) {
    return SP_KEEP(r->keep, r->layout, 1) && SP_KEEP(r->keep, r->layout->bodies, bodies) && SP_KEEP(r->keep, r->sources, bodies)
               ? SP_OK
               : sp__build_no_memory(run);
}

sp_status sp__record_layout(sp_run *run, sp_record *r) {
    int n = 0, made = 0;
    SP_TRY(check_quantities(run, r));
    // a body that failed to build is already reported
    for (int i = 0; i < run->body_count; i++)
        if (run->failed || !run->bodies[i].id.slot) return SP_BAD_INPUT;
    for (int i = 0; i < run->body_count; i++)
        if (frame_chosen(r, &run->bodies[i])) SP_TRY(add_body(run, r, &run->bodies[i], true, &n));
    if (!n) return SP_BUILD_FAIL(run, r->node, NULL, "a %s record shows bodies, and there are none", r->writer->suffix);
    SP_TRY(new_layout(run, r, n));
    for (int i = 0; i < run->body_count; i++)
        if (frame_chosen(r, &run->bodies[i])) SP_TRY(add_body(run, r, &run->bodies[i], false, &made));
    r->scene_bodies = n;
    r->layout->contacts = run->constraints && r->writer == &sp__writer_xdmf;
    if (!SP_KEEP(r->keep, r->scratch, r->scratch_size) || !SP_NEW(run->ctx, r->before, r->layout->value_count))
        return sp__build_no_memory(run);
    return SP_OK;
}

void sp__record_free(sp_run *run, sp_record *r) {
    sp__buffer_free(run->ctx, &r->edits), sp__buffer_free(run->ctx, &r->events), sp__buffer_free(run->ctx, &r->times);
    sp__free(run->ctx, r->before);
    r->before = NULL;
}

// ------------------------------------------------------------------------------------------------ bodies that come and go

static bool same_id(sp_body_id a, sp_body_id b) {
    return a.slot == b.slot && a.generation == b.generation;
}

static bool is_alive(const sp_run *run, sp_body_id id) {
    sp_body_info info;
    return id.slot && sp_world_body_info(run->world, id, &info) >= 0;
}

// a body of the previous layout that stays: only the places of its values change
static sp_status copy_part(sp_run *run, sp_record *r, const sp_layout_body *from, const sp_frame_source *source) {
    sp_layout_body *b = &r->layout->bodies[r->layout->body_count];
    *b = *from;
    r->sources[r->layout->body_count++] = *source;
    if (!SP_KEEP(r->keep, b->arrays, from->array_count)) return sp__build_no_memory(run);
    for (int i = 0; i < from->array_count; i++) {
        b->arrays[i] = from->arrays[i];
        b->arrays[i].offset = r->layout->value_count;
        r->layout->value_count += from->arrays[i].count * (size_t)from->arrays[i].components;
    }
    return SP_OK;
}

static bool has_source(const sp_record *old, sp_body_id id) {
    for (int i = 0; i < old->layout->body_count; i++)
        if (same_id(old->sources[i].id, id)) return true;
    return false;
}

// bodies that edits added are in records that do not choose their bodies
static sp_status add_new(sp_run *run, sp_record *r, const sp_record *old) {
    int count;
    const sp_added_body *added = sp__run_added(run, &count);
    for (int i = 0; i < count && !sp__build_given(r->node, "of"); i++) {
        if (!is_alive(run, added[i].id) || has_source(old, added[i].id)) continue;
        const char *name = sp__keep_text(r->keep, added[i].name);
        if (!name) return sp__build_no_memory(run);
        SP_TRY(add_part(run, r, name, added[i].id, 0, r->scene_bodies + i));
    }
    return SP_OK;
}

// Values at the previous step in the places of the new layout. Bodies that were not there have their current ones.
static sp_status move_before(sp_run *run, sp_record *r, const sp_record *old) {
    if (!SP_NEW(run->ctx, r->before, r->layout->value_count)) return sp__build_no_memory(run);
    SP_TRY(sp__record_values(run, r, r->before));
    for (int i = 0, k = 0; i < old->layout->body_count && k < r->layout->body_count; i++) {
        const sp_layout_body *from = &old->layout->bodies[i], *to = &r->layout->bodies[k];
        if (!same_id(old->sources[i].id, r->sources[k].id)) continue;
        for (int a = 0; a < to->array_count; a++)
            if (to->arrays[a].count == from->arrays[a].count)  // else elements were removed or appended
                memcpy(r->before + to->arrays[a].offset, old->before + from->arrays[a].offset,
                       to->arrays[a].count * (size_t)to->arrays[a].components * sizeof *r->before);
        k++;
    }
    return SP_OK;
}

// Where elements were removed or appended since the last layout, the body has other cells or another boundary.
static bool is_changed(const sp_run *run, const sp_frame_source *source) {
    const bool follows = source->from == SP_FROM_ELEMENTS || source->from == SP_FROM_BOUNDARY;
    return follows && boundary_revision(run, source->id) != source->revision;
}

static sp_status next_part(sp_run *run, sp_record *r, const sp_layout_body *from, const sp_frame_source *source) {
    if (!is_changed(run, source)) return copy_part(run, r, from, source);
    return add_part(run, r, from->name, source->id, source->surface, from->index);
}

static sp_status next_layout(sp_run *run, sp_record *r, const sp_record *old) {
    int added;
    sp__run_added(run, &added);
    SP_TRY(new_layout(run, r, old->layout->body_count + added));
    r->layout->contacts = old->layout->contacts;
    for (int i = 0; i < old->layout->body_count; i++)
        if (is_alive(run, old->sources[i].id)) SP_TRY(next_part(run, r, &old->layout->bodies[i], &old->sources[i]));
    SP_TRY(add_new(run, r, old));
    if (r->scratch_size > old->scratch_size && !SP_KEEP(r->keep, r->scratch, r->scratch_size)) return sp__build_no_memory(run);
    return move_before(run, r, old);
}

// By an edit of the run, or by the program that has its world: it appends and removes elements of solids.
static bool layout_changed(const sp_run *run, const sp_record *r) {
    bool changed = r->changes != run->body_changes;
    for (int i = 0; i < r->layout->body_count && !changed; i++)
        changed = strcmp(r->layout->bodies[i].kind, "solid") == 0 && is_changed(run, &r->sources[i]);
    return changed;
}

sp_status sp__record_update(sp_run *run, sp_record *r) {
    sp_record old = *r;
    if (!r->layout || !layout_changed(run, r)) return SP_OK;
    double memory = run->memory;
    r->before = NULL;
    sp_status status = next_layout(run, r, &old);
    run->memory = memory;
    sp__free(run->ctx, status < 0 ? r->before : old.before);
    if (status < 0) {
        r->layout = old.layout, r->sources = old.sources, r->before = old.before;
        r->scratch = old.scratch, r->scratch_size = old.scratch_size;
        run->failed = false;
        return SP_FAIL(run->ctx, SP_NO_MEMORY, "%s: no memory for the bodies that were added", r->file);
    }
    r->changes = run->body_changes;
    return SP_OK;
}

// ------------------------------------------------------------------------------------------------ values

static void frame_place(const sp_layout_body *b, const sp_frame_source *s, const double at[7], double *values) {
    double R[9], x[3], *out = values + b->arrays[0].offset;
    sp__quat_matrix(at + 3, R);
    for (size_t i = 0; i < (size_t)b->node_count; i++) {
        sp__mul3(R, s->local + 3 * i, x);
        for (size_t k = 0; k < 3; k++) out[3 * i + k] = at[k] + x[k];
    }
}

static const sp_layout_array *pose_of(const sp_layout_body *b) {
    const sp_layout_array *last = &b->arrays[b->array_count - 1];
    return last->on == SP_ON_BODY && strcmp(last->name, "pose") == 0 ? last : NULL;
}

static sp_status posed_values(sp_run *run, const sp_layout_body *b, const sp_frame_source *s, double *values) {
    double at[7];
    SP_TRY(sp_world_field(run->world, s->id, "pose", at));
    frame_place(b, s, at, values);
    if (pose_of(b)) memcpy(values + pose_of(b)->offset, at, sizeof at);
    return SP_OK;
}

static sp_status surface_values(sp_run *run, const sp_layout_body *b, const sp_frame_source *s, double *values) {
    double *v = b->array_count > 1 ? values + b->arrays[1].offset : NULL;
    return sp_world_surface_get(run->world, s->id, s->surface, values + b->arrays[0].offset, v, NULL);
}

// Boundary whose vertices are nodes: the numbers of these nodes.
static sp_status node_values(sp_run *run, const sp_record *r, const sp_layout_body *b, const sp_frame_source *s, double *values) {
    for (int i = 0; i < b->array_count; i++) {
        double *out = values + b->arrays[i].offset;
        SP_TRY(sp_world_field(run->world, s->id, b->arrays[i].name, r->scratch));
        for (size_t v = 0; v < (size_t)b->node_count; v++)
            memcpy(out + 3 * v, r->scratch + 3 * (size_t)s->nodes[v], 3 * sizeof *out);
    }
    return SP_OK;
}

// Boundary around cross sections: positions of the snapshot, and numbers interpolated between the two nodes of the element.
static sp_status section_values(sp_run *run, const sp_record *r, const sp_layout_body *b, const sp_frame_source *s,
                                double *values) {
    const sp_snapshot *snapshot = NULL;
    double *x = values + b->arrays[0].offset;
    size_t n = (size_t)b->node_count;
    SP_TRY(take_snapshot(run->world, &snapshot));
    const sp_snapshot_surface *seen = snapshot_boundary(snapshot, s->id);
    for (size_t i = 0; i < 3 * n; i++) x[i] = seen->positions[i];
    sp_world_snapshot_release(run->world, snapshot);
    for (int i = 1; i < b->array_count; i++) {
        double *out = values + b->arrays[i].offset;
        SP_TRY(sp_world_field(run->world, s->id, b->arrays[i].name, r->scratch));
        for (size_t v = 0; v < n; v++)
            for (size_t k = 0; k < 3; k++) {
                const double *at = r->scratch + 3 * (size_t)s->nodes[v] + k;
                out[3 * v + k] = (1 - s->share[v]) * at[0] + s->share[v] * at[3];
            }
    }
    return SP_OK;
}

// Numbers of cells: those of the cells that are recorded.
static sp_status element_values(sp_run *run, const sp_layout_array *a, const sp_frame_source *s, double *values) {
    const size_t size = (size_t)a->components;
    sp_body_info info;
    double *all;
    if (!s->cells || a->on != SP_ON_ELEMENTS) return sp_world_field(run->world, s->id, a->name, values);
    SP_TRY(sp_world_body_info(run->world, s->id, &info));
    if (!SP_NEW(run->ctx, all, (size_t)info.cells * size)) return SP_NO_MEMORY;
    sp_status status = sp_world_field(run->world, s->id, a->name, all);
    for (size_t c = 0; c < a->count && status >= 0; c++)
        memcpy(values + c * size, all + (size_t)s->cells[c] * size, size * sizeof *all);
    sp__free(run->ctx, all);
    return status;
}

static sp_status body_values(sp_run *run, const sp_record *r, int index, double *values) {
    const sp_layout_body *b = &r->layout->bodies[index];
    const sp_frame_source *s = &r->sources[index];
    switch (s->from) {
    case SP_FROM_POSE: return posed_values(run, b, s, values);
    case SP_FROM_SURFACE: return surface_values(run, b, s, values);
    case SP_FROM_BOUNDARY: return s->share ? section_values(run, r, b, s, values) : node_values(run, r, b, s, values);
    case SP_FROM_ELEMENTS: break;
    }
    for (int i = 0; i < b->array_count; i++) SP_TRY(element_values(run, &b->arrays[i], s, values + b->arrays[i].offset));
    return SP_OK;
}

sp_status sp__record_values(sp_run *run, const sp_record *r, double *values) {
    for (int i = 0; i < r->layout->body_count; i++) {
        sp_status status = body_values(run, r, i, values);
        if (status < 0) return SP_FAIL(run->ctx, status, "%s: %s", r->file, sp_world_error(run->world)->message);
    }
    return SP_OK;
}

// index of a body in the recording; -1: it is not recorded
static int layout_index(const sp_record *r, sp_body_id id) {
    for (int i = 0; i < r->layout->body_count; i++)
        if (same_id(r->sources[i].id, id)) return r->layout->bodies[i].index;
    return -1;
}

// contacts that touch a recorded body
sp_status sp__record_contacts(sp_run *run, const sp_record *r, sp_frame *f) {
    f->contact_count = 0;
    for (int i = 0; i < sp_world_contact_count(run->world); i++) {
        sp_contact_point p;
        SP_TRY(sp_world_contact_at(run->world, i, &p));
        const int bodies[2] = {layout_index(r, p.bodies[0]), layout_index(r, p.bodies[1])};
        const void *const data[] = {&f->contact_count, p.point, p.normal, p.force, &p.gap, &p.pressure, bodies};
        const size_t size[] = {sizeof f->contact_count, sizeof p.point, sizeof p.normal, sizeof p.force, sizeof p.gap,
                               sizeof p.pressure,       sizeof bodies};
        if (bodies[0] < 0 && bodies[1] < 0) continue;
        for (int k = 0; k < SP_CONTACT_ARRAY_COUNT; k++)
            if (!sp__buffer_add(run->ctx, &f->contacts[k], data[k], size[k]))
                return SP_FAIL(run->ctx, SP_NO_MEMORY, "%s: no memory for contacts", r->file);
        f->contact_count++;
    }
    return SP_OK;
}

// interpolation along the shorter arc between two quaternions
static void blend_pose(const double *before, double u, double *at) {
    double dot = 0, length = 0;
    for (int k = 3; k < 7; k++) dot += before[k] * at[k];
    for (int k = 0; k < 7; k++) at[k] = (1 - u) * before[k] + u * (k >= 3 && dot < 0 ? -at[k] : at[k]);
    for (int k = 3; k < 7; k++) length += at[k] * at[k];
    for (int k = 3; k < 7 && length > 0; k++) at[k] /= sqrt(length);
}

void sp__record_blend(const sp_record *r, double u, double *values) {
    for (int i = 0; i < r->layout->body_count; i++) {
        const sp_layout_body *b = &r->layout->bodies[i];
        const sp_layout_array *p = pose_of(b);
        for (int k = 0; k < b->array_count; k++) {
            const sp_layout_array *a = &b->arrays[k];
            // rotations are not interpolated linearly: frames and state of a rod come from the nearer step
            bool turns = a->on == SP_ON_BODY || strcmp(a->name, "frame") == 0;
            double w = !turns ? u : u < 0.5 ? 0 : 1;
            for (size_t n = 0; a != p && n < a->count * (size_t)a->components; n++)
                values[a->offset + n] = (1 - w) * r->before[a->offset + n] + w * values[a->offset + n];
        }
        if (!p) continue;
        blend_pose(r->before + p->offset, u, values + p->offset);
        frame_place(b, &r->sources[i], values + p->offset, values);
    }
}
