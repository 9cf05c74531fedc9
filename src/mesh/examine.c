// Mesh examination: runs the stages in order and builds the report. Stages never change the definition. A later stage avoids
// reporting a defect of an earlier stage again under another name.
#include "mesh/examine.h"
#include "mesh/weld.h"

static const char *const names[] = {
#define SP_X(id, name, text) name,
    SP_DEFECT_LIST(SP_X)
#undef SP_X
};

static const char *const texts[] = {
#define SP_X(id, name, text) text,
    SP_DEFECT_LIST(SP_X)
#undef SP_X
};

const char *sp_defect_name(sp_defect_kind kind) {
    return (unsigned)kind < SP_DEFECT_KINDS ? names[kind] : NULL;
}

const char *sp_defect_text(sp_defect_kind kind) {
    return (unsigned)kind < SP_DEFECT_KINDS ? texts[kind] : NULL;
}

sp_examine_options sp_examine_options_default(void) {
    return (sp_examine_options){.tolerance = -1, .limit = 20, .intersections = true, .cookie = SP_COOKIE_EXAMINE};
}

// ------------------------------------------------------------------------------------------------ the report

static sp_defect *new_defect(sp_mesh_report *r, sp_defect_kind kind) {
    if (r->listed[kind] >= r->limit) return NULL;
    if (r->listed[kind] == r->capacity[kind]) {
        int capacity = r->capacity[kind] ? 2 * r->capacity[kind] : 8;
        sp_defect *larger;
        capacity = capacity < r->limit ? capacity : r->limit;
        if (!SP_NEW(r->ctx, larger, capacity)) {
            r->no_memory = true;
            return NULL;
        }
        if (r->listed[kind]) memcpy(larger, r->lists[kind], (size_t)r->listed[kind] * sizeof *larger);
        sp__free(r->ctx, r->lists[kind]);
        r->lists[kind] = larger, r->capacity[kind] = capacity;
    }
    return &r->lists[kind][r->listed[kind]++];
}

static int64_t number(const int64_t *ids, int i) {
    return ids ? ids[i] : i;
}

void sp__examine_add(sp_examination *e, sp_defect_kind kind, int element_a, int element_b, int node_a, int node_b, double value) {
    e->report->counts[kind]++;
    sp_defect *d = new_defect(e->report, kind);
    if (!d) return;
    *d = (sp_defect){.kind = kind, .value = value};
    if (element_a >= 0) d->elements[d->element_count++] = number(e->element_ids, element_a);
    if (element_b >= 0) d->elements[d->element_count++] = number(e->element_ids, element_b);
    if (node_a >= 0) d->nodes[d->node_count++] = number(e->node_ids, node_a);
    if (node_b >= 0) d->nodes[d->node_count++] = number(e->node_ids, node_b);
}

void sp_mesh_report_destroy(sp_mesh_report **handle) {
    if (!handle || !*handle) return;
    sp_mesh_report *r = *handle;
    *handle = NULL;
    for (int k = 0; k < SP_DEFECT_KINDS; k++) sp__free(r->ctx, r->lists[k]);
    sp__free(r->ctx, r);
}

const sp_mesh_stats *sp_mesh_report_stats(const sp_mesh_report *report) {
    return &report->stats;
}

int64_t sp_mesh_report_count(const sp_mesh_report *report, sp_defect_kind kind, bool *whole) {
    bool known = (unsigned)kind < SP_DEFECT_KINDS;
    if (whole) *whole = !known || !report->partial[kind];
    return known ? report->counts[kind] : 0;
}

const sp_defect *sp_mesh_report_at(const sp_mesh_report *report, int index) {
    if (index < 0) return NULL;
    for (int k = 0; k < SP_DEFECT_KINDS; k++) {
        if (index < report->listed[k]) return &report->lists[k][index];
        index -= report->listed[k];
    }
    return NULL;
}

// ------------------------------------------------------------------------------------------------ examination

static sp_status stages(sp_examination *e) {
    sp_context *ctx = e->ctx;
    if (!SP_NEW(ctx, e->state, e->element_count) || !SP_NEW(ctx, e->used, e->node_count) || !SP_NEW(ctx, e->same, e->node_count))
        return SP_FAIL(ctx, SP_NO_MEMORY, "no memory to examine %d elements", e->element_count);
    SP_TRY(sp__examine_elements(e));
    sp__examine_quality(e);
    SP_TRY(sp__examine_nodes(e));
    SP_TRY(sp__examine_collect(e));
    SP_TRY(sp__examine_surface(e));
    if (e->intersections) SP_TRY(sp__examine_intersections(e));
    if (e->report->no_memory) return SP_FAIL(ctx, SP_NO_MEMORY, "no memory to list defects");
    return SP_OK;
}

static sp_status examine(sp_examination *e, const sp_examine_options *o, sp_mesh_report **out) {
    sp_context *ctx = e->ctx;
    *out = NULL;
    if (o->cookie != SP_COOKIE_EXAMINE)
        return SP_FAIL(ctx, SP_BAD_INPUT, "the options did not start from sp_examine_options_default()");
    if (isnan(o->tolerance) || o->tolerance == INFINITY) return SP_FAIL(ctx, SP_BAD_INPUT, "tolerance = %g m", o->tolerance);
    if (o->limit < 0) return SP_FAIL(ctx, SP_BAD_INPUT, "limit = %d, must be at least 0", o->limit);
    if (e->node_count < 0 || e->node_count > SP_NODES_MAX)
        return SP_FAIL(ctx, SP_BAD_INPUT, "%d nodes, must be in [0, %d]", e->node_count, SP_NODES_MAX);
    if (e->element_count < 0 || e->element_count > SP_TETS_MAX)
        return SP_FAIL(ctx, SP_BAD_INPUT, "%d elements, must be in [0, %d]", e->element_count, SP_TETS_MAX);
    if ((e->node_count && !e->x) || (e->element_count && !e->elements))
        return SP_FAIL(ctx, SP_BAD_INPUT, "positions and elements must be given");
    if (!SP_NEW(ctx, e->report, 1)) return SP_FAIL(ctx, SP_NO_MEMORY, "no memory for a report");
    e->report->ctx = ctx;
    e->report->limit = o->limit;
    e->tolerance = sp__weld_tolerance(e->x, e->node_count, o->tolerance);
    e->intersections = o->intersections;
    sp_status status = stages(e);
    void *owned[] = {e->state, e->used, e->same, e->faces, e->face_element, e->shell, e->shell_bad};
    for (size_t i = 0; i < sizeof owned / sizeof *owned; i++) sp__free(ctx, owned[i]);
    sp__edges_free(ctx, &e->edges);
    if (status < 0)
        sp_mesh_report_destroy(&e->report);
    else
        *out = e->report;
    return status;
}

sp_status sp_mesh_examine(sp_context *context, const sp_mesh_def *def, const sp_examine_options *options, sp_mesh_report **out) {
    sp_examine_options o = options ? *options : sp_examine_options_default();
    *out = NULL;
    if (def->cookie != SP_COOKIE_MESH)
        return SP_FAIL(context, SP_BAD_INPUT, "the mesh definition did not start from sp_mesh_def_default()");
    sp_examination e = {.ctx = context,
                        .x = def->positions,
                        .elements = def->tets,
                        .node_count = def->node_count,
                        .element_count = def->tet_count,
                        .corners = 4,
                        .node_ids = def->node_ids,
                        .element_ids = def->tet_ids};
    return examine(&e, &o, out);
}

sp_status sp_trimesh_examine(sp_context *context, const sp_trimesh_def *def, const sp_examine_options *options,
                             sp_mesh_report **out) {
    sp_examine_options o = options ? *options : sp_examine_options_default();
    *out = NULL;
    if (def->cookie != SP_COOKIE_TRIMESH)
        return SP_FAIL(context, SP_BAD_INPUT, "the surface definition did not start from sp_trimesh_def_default()");
    sp_examination e = {.ctx = context,
                        .x = def->positions,
                        .elements = def->faces,
                        .node_count = def->vertex_count,
                        .element_count = def->face_count,
                        .corners = 3,
                        .node_ids = o.node_ids,
                        .element_ids = o.element_ids};
    return examine(&e, &o, out);
}
