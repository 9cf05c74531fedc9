// Selection of nodes, elements or faces of a mesh. Each attribute removes the candidates that do not match; the rest is the
// selection.
#include "math/vec3.h"
#include "mesh/mesh_internal.h"

// The candidates: n items, each with a position and a user number.
typedef struct candidates {
    const sp_mesh *mesh;
    bool elements;
    int n;
    const int64_t *ids;
    const int *by_id;
    unsigned char *in;    // still selected
    unsigned char *mark;  // scratch, all 0 between uses
} candidates;

sp_selection sp_selection_default(void) {
    return (sp_selection){.cookie = SP_COOKIE_SELECTION};
}

static void place_of(const candidates *c, int i, double x[3]) {
    const sp_mesh *mesh = c->mesh;
    if (!c->elements) {
        memcpy(x, mesh->x + 3 * (size_t)i, 3 * sizeof *x);
        return;
    }
    sp_mesh_element_point(mesh, i, NULL, x);
}

// ------------------------------------------------------------------------------------------------ by position

static bool in_box(const double *box, const double *x) {
    for (int k = 0; k < 3; k++)
        if (!(x[k] >= box[k] && x[k] <= box[k + 3])) return false;
    return true;
}

static bool in_sphere(const double *sphere, const double *x) {
    double d[3];
    sp__sub3(x, sphere, d);
    return sp__dot3(d, d) <= sphere[3] * sphere[3];
}

static bool by_plane(const sp_selection *s, const double *x) {
    double d[3];
    sp__sub3(x, s->plane, d);
    double height = sp__dot3(d, s->plane + 3) / sp__norm3(s->plane + 3);
    return s->within > 0 ? fabs(height) <= s->within : height >= 0;
}

static bool place_holds(const sp_selection *s, const double *x) {
    return (!s->has_box || in_box(s->box, x)) && (!s->has_sphere || in_sphere(s->sphere, x)) &&
           (!s->has_plane || by_plane(s, x)) && (!s->where || s->where(s->where_user, x));
}

static void deselect_by_place(const sp_selection *s, candidates *c) {
    if (!s->has_box && !s->has_sphere && !s->has_plane && !s->where) return;
    for (int i = 0; i < c->n; i++) {
        double x[3];
        place_of(c, i, x);
        c->in[i] = place_holds(s, x);
    }
}

// ------------------------------------------------------------------------------------------------ by name

// Keeps the marked candidates and clears the marks.
static void keep_marked(candidates *c) {
    for (int i = 0; i < c->n; i++) {
        c->in[i] &= c->mark[i];
        c->mark[i] = 0;
    }
}

static void deselect_by_near(const sp_selection *s, candidates *c) {
    if (!s->has_near) return;
    int best = 0;
    double least = INFINITY;
    for (int i = 0; i < c->n; i++) {
        double x[3], d[3];
        place_of(c, i, x);
        sp__sub3(x, s->near, d);
        double d2 = sp__dot3(d, d);
        if (d2 > least || (d2 == least && c->ids[i] > c->ids[best])) continue;
        least = d2, best = i;
    }
    c->mark[best] = 1;
    keep_marked(c);
}

static sp_status deselect_by_group(const sp_selection *s, candidates *c) {
    if (!s->group) return SP_OK;
    const sp_mesh *mesh = c->mesh;
    const sp_mesh_group *group = sp_mesh_group_named(mesh, s->group);
    if (!group)
        return SP_FAIL(mesh->ctx, SP_BAD_INPUT, "the mesh has no group '%s' (it has %d groups)", s->group,
                       mesh->with.group_count);
    for (int i = 0; i < group->element_count; i++) {
        int t = group->elements[i];
        if (c->elements)
            c->mark[t] = 1;
        else
            for (int a = 0; a < sp_element_nodes(sp__mesh_type(mesh, t)); a++) c->mark[sp__mesh_nodes(mesh, t)[a]] = 1;
    }
    for (int i = 0; i < group->node_count && !c->elements; i++) c->mark[group->nodes[i]] = 1;
    keep_marked(c);
    return SP_OK;
}

static sp_status deselect_by_ids(const sp_selection *s, candidates *c) {
    if (!s->ids) return SP_OK;
    sp_context *ctx = c->mesh->ctx;
    for (int i = 0; i < s->id_count; i++) {
        int at = sp__ids_find(c->ids, c->by_id, c->n, s->ids[i]);
        if (at < 0) {
            sp_status status =
                SP_FAIL(ctx, SP_BAD_INPUT, "the mesh has no %s %lld", c->elements ? "element" : "node", (long long)s->ids[i]);
            sp_context_error_index(ctx, s->ids[i]);
            return status;
        }
        c->mark[at] = 1;
    }
    keep_marked(c);
    return SP_OK;
}

static void deselect_inner(const sp_selection *s, candidates *c) {
    if (!s->on_surface) return;
    const sp_mesh *mesh = c->mesh;
    for (int f = 0; f < mesh->face_count; f++) {
        if (c->elements)
            c->mark[mesh->face_element[f]] = 1;
        else
            for (int k = 0; k < 3; k++) c->mark[mesh->faces[3 * (size_t)f + (size_t)k]] = 1;
    }
    keep_marked(c);
}

// ------------------------------------------------------------------------------------------------ selection

static sp_status select_check(const sp_mesh *mesh, const sp_selection *s) {
    sp_context *ctx = mesh->ctx;
    if (s->cookie != SP_COOKIE_SELECTION)
        return SP_FAIL(ctx, SP_BAD_INPUT, "the selection did not start from sp_selection_default()");
    for (int k = 0; k < 3 && s->has_box; k++)
        if (!(s->box[k] <= s->box[k + 3]))
            return SP_FAIL(ctx, SP_BAD_INPUT, "box from %g to %g along axis %d, must not decrease", s->box[k], s->box[k + 3], k);
    if (s->has_sphere && !(s->sphere[3] >= 0))
        return SP_FAIL(ctx, SP_BAD_INPUT, "sphere radius = %g m, must be at least 0", s->sphere[3]);
    double n = s->has_plane ? sp__norm3(s->plane + 3) : 1;
    if (!(n > 0) || !isfinite(n)) return SP_FAIL(ctx, SP_BAD_INPUT, "plane normal of length %g, must be positive", n);
    if (s->has_plane && !(s->within >= 0)) return SP_FAIL(ctx, SP_BAD_INPUT, "within = %g m, must be at least 0", s->within);
    if (s->has_near && !isfinite(sp__norm3(s->near)))
        return SP_FAIL(ctx, SP_BAD_INPUT, "near = %g %g %g, must be finite", s->near[0], s->near[1], s->near[2]);
    if (s->id_count < 0 || (s->id_count > 0 && !s->ids))
        return SP_FAIL(ctx, SP_BAD_INPUT, "id_count = %d without ids", s->id_count);
    return SP_OK;
}

static sp_status deselect_all(const sp_selection *s, candidates *c) {
    memset(c->in, 1, (size_t)c->n);
    deselect_by_place(s, c);
    deselect_by_near(s, c);
    SP_TRY(deselect_by_group(s, c));
    SP_TRY(deselect_by_ids(s, c));
    deselect_inner(s, c);
    return SP_OK;
}

// Whether item i of a kind is selected, before inversion.
static bool select_chosen(const candidates *c, sp_select_kind kind, int i) {
    if (kind != SP_SELECT_FACES) return c->in[i];
    const int *face = c->mesh->faces + 3 * (size_t)i;
    return c->in[face[0]] && c->in[face[1]] && c->in[face[2]];
}

static int write_out(const candidates *c, sp_select_kind kind, bool invert, int *out, int capacity) {
    int n = kind == SP_SELECT_FACES ? c->mesh->face_count : c->n, count = 0;
    for (int i = 0; i < n; i++) {
        if (select_chosen(c, kind, i) == invert) continue;
        if (out && count < capacity) out[count] = i;
        count++;
    }
    return count;
}

sp_status sp_mesh_select(const sp_mesh *mesh, const sp_selection *selection, sp_select_kind kind, int *out, int capacity,
                         int *count) {
    *count = 0;
    SP_TRY(select_check(mesh, selection));
    sp_context *ctx = mesh->ctx;
    candidates c = {.mesh = mesh, .elements = kind == SP_SELECT_ELEMENTS};
    c.n = c.elements ? mesh->element_count : mesh->node_count;
    c.ids = c.elements ? mesh->element_ids : mesh->node_ids;
    c.by_id = c.elements ? mesh->element_by_id : mesh->node_by_id;
    sp_status status;
    if (SP_NEW(ctx, c.in, c.n) && SP_NEW(ctx, c.mark, c.n))
        status = deselect_all(selection, &c);
    else
        status = SP_FAIL(ctx, SP_NO_MEMORY, "no memory for a selection among %d", c.n);
    if (status == SP_OK) *count = write_out(&c, kind, selection->invert, out, capacity);
    sp__free(ctx, c.in);
    sp__free(ctx, c.mark);
    return status;
}
