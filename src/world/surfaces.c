// Surfaces of bodies (body/surface.h): embedding and queries. Surface 0 is the boundary. Embedded surfaces replace it for display
// and collision. Every vertex is an anchor: the body table computes its position and applies its forces to the body, so that
// nothing here depends on the kind.
//
// An embedded surface comes from a triangle mesh, from faces of the boundary, from such faces each subdivided into 4^n, or from
// the faces between regions of a solid.
// Surfaces are topology: created once, removed with their body, not in the hash.
#include <stdio.h>

#include "world/world_internal.h"

sp_surface_def sp_surface_def_default(void) {
    return (sp_surface_def){.roles = SP_ROLE_VISUAL | SP_ROLE_COLLISION, .cookie = SP_COOKIE_SURFACE};
}

// ---------------------------------------------------------------------------------------------------- checks

static bool has_surface(const sp_body *b, const char *name) {
    for (int i = 1; i < b->surface_count; i++)
        if (strcmp(b->surfaces[i]->name, name) == 0) return true;
    return false;
}

static sp_status check_surface_name(sp_world *w, const sp_body *b, const char *name) {
    size_t capacity = sizeof b->surfaces[0]->name;
    if (!name[0] || strlen(name) >= capacity)
        return WORLD_FAIL(w, SP_BAD_INPUT, "surface name of %zu characters, must have 1 to %zu", strlen(name), capacity - 1);
    if (has_surface(b, name)) return WORLD_FAIL(w, SP_BAD_INPUT, "surface name '%s': body '%s' has one already", name, b->name);
    return SP_OK;
}

static sp_status check_region_def(sp_world *w, const sp_body *b, const sp_surface_def *def) {
    if (def->region < 0) return WORLD_FAIL(w, SP_BAD_INPUT, "region = %d of a surface, must be >= 0", def->region);
    if (def->mesh || def->faces || def->face_count || def->subdivide)
        return WORLD_FAIL(w, SP_BAD_INPUT, "interfaces of a region have neither a mesh nor faces of the boundary");
    if (b->ops->element_type != SP_ELEMENT_TET4 || !b->ops->element_nodes || !sp__body_field(b, "region"))
        return WORLD_FAIL(w, SP_BAD_INPUT, "body '%s' has no regions", b->name);
    return def->name ? check_surface_name(w, b, def->name) : SP_OK;
}

static sp_status check_surface_def(sp_world *w, const sp_body *b, const sp_surface_def *def) {
    const unsigned all = SP_ROLE_VISUAL | SP_ROLE_COLLISION;
    if (def->cookie != SP_COOKIE_SURFACE)
        return WORLD_FAIL(w, SP_BAD_INPUT, "sp_surface_def did not start from sp_surface_def_default()");
    if (def->region) return check_region_def(w, b, def);
    if (!def->roles || (def->roles & ~all))
        return WORLD_FAIL(w, SP_BAD_INPUT, "roles = %u of a surface, must be visual (1), collision (2) or both (3)", def->roles);
    if (def->mesh && (def->faces || def->subdivide))
        return WORLD_FAIL(w, SP_BAD_INPUT,
                          "a surface has a mesh, or is of the body's own boundary: faces and subdivide are for that");
    if (def->subdivide < 0 || def->subdivide > 4)
        return WORLD_FAIL(w, SP_BAD_INPUT, "subdivide = %d, must be in [0, 4]", def->subdivide);
    if (def->face_count < 0 || (def->face_count > 0) != (def->faces != NULL))
        return WORLD_FAIL(w, SP_BAD_INPUT, "face_count = %d, must be > 0 with faces given, 0 without", def->face_count);
    if (def->mesh && !b->ops->attach) return WORLD_FAIL(w, SP_BAD_INPUT, "body '%s' cannot hold a surface", b->name);
    return def->name ? check_surface_name(w, b, def->name) : SP_OK;
}

// ---------------------------------------------------------------------------------------------------- contact

// a finer surface must not make contact stiffer: points carried by the same nodes share the stiffness of these nodes
static sp_status share_stiffness(sp_world *w, sp_body *b, int n, const sp_anchor *anchors, sp_contact_node *nodes) {
    sp_transpose t = {0};
    double *share = NULL;
    int *corners = NULL;
    sp_status status = SP_NO_MEMORY;
    if (!SP_NEW(w->ctx, share, n) || !SP_NEW(w->ctx, corners, 4 * (size_t)b->elements + 1)) goto done;
    b->ops->element_nodes(b, corners);
    status = sp__transpose_create(w->ctx, n, anchors, b->nodes, corners, &t);
    if (status < 0) goto done;
    sp__transpose_shares(&t, n, anchors, corners, share);
    for (int i = 0; i < n; i++) nodes[i].share = share[i];
done:
    sp__transpose_free(w->ctx, &t);
    sp__free(w->ctx, share), sp__free(w->ctx, corners);
    return status;
}

// Adds the vertices of a collision surface to the collision points; the first such surface replaces those of the kind. Bodies
// without unknowns need no points: contact uses their distance function.
static sp_status add_collision_points(sp_world *w, sp_body *b, const sp_surface *surface) {
    int n = b->loads.by_surface ? b->loads.node_count : 0;
    size_t capacity = (size_t)n + (size_t)surface->vertex_count;
    sp_contact_node *nodes = NULL;
    sp_anchor *anchors = NULL;
    if (!(surface->roles & SP_ROLE_COLLISION) || (b->caps & SP_CAP_KINEMATIC)) return SP_OK;
    sp_status status = SP_NO_MEMORY;
    if (capacity > INT32_MAX || !SP_NEW(w->ctx, nodes, capacity) || !SP_NEW(w->ctx, anchors, capacity)) goto done;
    for (int i = 0; i < n; i++) anchors[i] = b->loads.nodes[i].at;
    // vertices without faces are skipped
    for (int i = 0; i < surface->vertex_count; i++)
        if (surface->vertex_faces.start[i + 1] > surface->vertex_faces.start[i]) anchors[n++] = surface->anchors[i];
    for (int i = 0; i < n; i++) nodes[i] = (sp_contact_node){.at = anchors[i], .share = 1};
    status = b->caps & SP_CAP_NODAL ? share_stiffness(w, b, n, anchors, nodes) : SP_OK;
    if (status >= 0) status = sp__loads_take_points(b, n, nodes);
    if (status < 0) goto done;
    nodes = NULL;
    b->ops->refresh(b);
done:
    sp__free(w->ctx, nodes), sp__free(w->ctx, anchors);
    return status;
}

// ---------------------------------------------------------------------------------------------------- addition

static void name_surface(const sp_body *b, const char *name, sp_surface *surface) {
    if (name) {
        snprintf(surface->name, sizeof surface->name, "%s", name);
        return;
    }
    int number = b->surface_count - 1;
    do snprintf(surface->name, sizeof surface->name, "surface%d", number++);
    while (has_surface(b, surface->name));
}

static sp_status fill_surface(sp_world *w, sp_body *b, const sp_surface_def *def, sp_surface *surface) {
    SP_TRY(def->region ? sp__surface_of_region(w, b, def, surface)
           : def->mesh ? sp__surface_of_mesh(w, b, def, surface)
                       : sp__surface_of_boundary(w, b, def, surface));
    surface->revision = ++w->surface_revision;
    name_surface(b, def->name, surface);
    SP_TRY(sp__surface_prepare(w->ctx, surface));
    sp__surface_share(w->ctx, surface);
    return sp__surfaces_reserve(b);
}

static sp_status add_surface(sp_world *w, sp_body *b, const sp_surface_def *def, int *index) {
    SP_TRY(check_surface_def(w, b, def));
    sp_surface *surface = sp__surface_create(w->ctx, "", def->region ? SP_ROLE_INTERFACES : def->roles);
    sp_status status = surface ? fill_surface(w, b, def, surface) : SP_NO_MEMORY;
    if (status >= 0) {
        surface->side = b->surfaces[0]->side;  // of a membrane both
        // snapshots need memory for it; collision points come last because they cannot be reverted
        sp__surfaces_add(b, surface);
        status = sp__snapshots_reserve(w);
        if (status >= 0) status = add_collision_points(w, b, surface);
        if (status < 0) b->surface_count--;
    }
    if (status < 0) {
        sp__surface_release(w->ctx, &surface);
        return status;
    }
    if (index) *index = b->surface_count - 1;
    return SP_OK;
}

sp_status sp_world_add_surface(sp_world *w, sp_body_id id, const sp_surface_def *def, int *index) {
    if (index) *index = -1;
    if (!def) return WORLD_FAIL(w, SP_BAD_INPUT, "sp_world_add_surface without a definition");
    SP_TRY(sp__world_enter(w));
    sp_body *b = sp__world_body(w, id);
    sp_status status = b ? add_surface(w, b, def, index) : sp__world_stale(w, id);
    if (status == SP_NO_MEMORY) WORLD_FAIL(w, status, "no memory for a surface of body '%s'", b->name);
    return sp__world_leave(w, status);
}

// ---------------------------------------------------------------------------------------------------- queries

// finds the surface and its body, or fails
static sp_status find_surface(sp_world *w, sp_body_id id, int index, sp_body **b, sp_surface **surface) {
    *b = sp__world_body(w, id);
    if (!*b) return sp__world_stale(w, id);
    if (index < 0 || index >= (*b)->surface_count)
        return WORLD_FAIL(w, SP_BAD_INPUT, "surface %d of '%s', which has %d", index, (*b)->name, (*b)->surface_count);
    *surface = (*b)->surfaces[index];
    return SP_OK;
}

int sp_world_surface_count(sp_world *w, sp_body_id id) {
    SP_TRY(sp__world_enter(w));
    const sp_body *b = sp__world_body(w, id);
    int count = b ? b->surface_count : 0;
    sp__world_leave(w, SP_OK);
    return count;
}

sp_status sp_world_surface_info(sp_world *w, sp_body_id id, int index, sp_surface_info *out) {
    sp_body *b;
    sp_surface *s = NULL;
    SP_TRY(sp__world_enter(w));
    sp_status status = find_surface(w, id, index, &b, &s);
    if (status >= 0)
        *out = (sp_surface_info){.name = s->name,
                                 .roles = index == 0 ? sp__boundary_roles(b) : s->roles,
                                 .vertex_count = s->vertex_count,
                                 .face_count = s->face_count,
                                 .outside = s->outside,
                                 .farthest = s->farthest,
                                 .anchors = s->anchors,
                                 .faces = s->faces,
                                 .nodes = s->nodes,
                                 .ring_count = s->ring_count,
                                 .rings = s->rings,
                                 .revision = s->revision};
    return sp__world_leave(w, status);
}

sp_status sp_world_surface_get(sp_world *w, sp_body_id id, int index, double *x, double *v, double *normals) {
    sp_body *b;
    sp_surface *s = NULL;
    SP_TRY(sp__world_enter(w));
    sp_status status = find_surface(w, id, index, &b, &s);
    if (status >= 0 && sp__surface_prepare(w->ctx, s) < 0)
        status = WORLD_FAIL(w, SP_NO_MEMORY, "no memory for the normals of surface '%s'", s->name);
    if (status >= 0) {
        sp__surface_positions(b, s, SP_COMMITTED, s->x, NULL, v);
        if (x && s->vertex_count) memcpy(x, s->x, 3 * (size_t)s->vertex_count * sizeof *x);
        if (normals) sp__surface_normals(w->ctx, s, normals, NULL);
    }
    return sp__world_leave(w, status);
}

// ---------------------------------------------------------------------------------------------------- how it is touched

sp_surface_contact_def sp_surface_contact_def_default(void) {
    return (sp_surface_contact_def){.cookie = SP_COOKIE_SURFACE_CONTACT};
}

static sp_status check_surface_contact(sp_world *w, sp_body *b, const sp_surface *s, const sp_surface_contact_def *def) {
    sp_body_shape shape;
    const bool plain = def->side == SP_SURFACE_OUTSIDE && def->field == 0;
    if (def->cookie != SP_COOKIE_SURFACE_CONTACT)
        return WORLD_FAIL(w, SP_BAD_INPUT, "sp_surface_contact_def did not start from sp_surface_contact_def_default()");
    if ((int)def->side < 0 || def->side > SP_SURFACE_BOTH)
        return WORLD_FAIL(w, SP_BAD_INPUT, "side = %d of a surface, must be one of sp_surface_side", (int)def->side);
    if (!(def->field >= 0 && def->field < INFINITY))
        return WORLD_FAIL(w, SP_BAD_INPUT, "field = %g m, must be > 0 and finite, or 0 for none", def->field);
    if (def->field > 0 && def->side == SP_SURFACE_BOTH)
        return WORLD_FAIL(w, SP_BAD_INPUT, "a distance field tells inside from outside, and a sheet (side both) has neither");
    if (!plain && s->face_count == 0)
        return WORLD_FAIL(w, SP_BAD_INPUT, "surface '%s' of '%s' has no triangles", s->name, b->name);
    if (def->self && (b->ops->shape || !b->ops->rest_point))
        return WORLD_FAIL(w, SP_BAD_INPUT, "'%s' cannot touch itself: only solids do", b->name);
    // anchors of rigid bodies are points of their frame
    if (def->field > 0 && !b->ops->locate)
        return WORLD_FAIL(w, SP_BAD_INPUT, "'%s' is not rigid: a distance field does not follow its motion", b->name);
    if (!plain && b->ops->shape && b->ops->shape(b, SP_COMMITTED, 0, &shape))
        return WORLD_FAIL(w, SP_BAD_INPUT,
                          "'%s' consists of planes, spheres and capsules, which are touched exactly and from outside: %s needs a "
                          "mesh",
                          b->name, def->field > 0 ? "a distance field" : "another side");
    return SP_OK;
}

static sp_status surface_field(sp_world *w, const sp_surface *s, double cell, sp_distance_field **out) {
    double *x;
    *out = NULL;
    if (cell == 0) return SP_OK;
    if (!SP_NEW(w->ctx, x, 3 * (size_t)s->vertex_count)) return WORLD_FAIL(w, SP_NO_MEMORY, "no memory for a distance field");
    for (int i = 0; i < s->vertex_count; i++) memcpy(x + 3 * (size_t)i, s->anchors[i].offset, 3 * sizeof *x);
    const sp_distance_field_def def = {
        .vertex_count = s->vertex_count, .x = x, .face_count = s->face_count, .faces = s->faces, .cell = cell};
    sp_status status = sp__distance_field_acquire(w->ctx, &def, out);
    sp__free(w->ctx, x);
    return status;
}

static sp_status set_surface_contact(sp_world *w, sp_body_id id, int index, const sp_surface_contact_def *def) {
    sp_body *b;
    sp_surface *s = NULL;
    sp_distance_field *field;
    SP_TRY(find_surface(w, id, index, &b, &s));
    SP_TRY(check_surface_contact(w, b, s, def));
    SP_TRY(surface_field(w, s, def->field, &field));
    // colliders are made again
    if (w->constraints) sp__constraints_forget(w->constraints);
    w->contacts.count = 0;
    sp__distance_field_release(&s->field);
    s->side = def->side, s->field = field, s->self = def->self;
    return SP_OK;
}

sp_status sp_world_set_surface_contact(sp_world *w, sp_body_id id, int index, const sp_surface_contact_def *def) {
    SP_TRY(sp__world_enter(w));
    return sp__world_leave(w, set_surface_contact(w, id, index, def));
}

sp_status sp_world_distance_field_info(sp_world *w, sp_body_id id, int index, sp_distance_field_info *out) {
    sp_body *b;
    sp_surface *s = NULL;
    SP_TRY(sp__world_enter(w));
    sp_status status = find_surface(w, id, index, &b, &s);
    if (status >= 0 && !s->field)
        status = WORLD_FAIL(w, SP_BAD_INPUT, "surface '%s' of '%s' has no distance field", s->name, b->name);
    if (status >= 0) sp__distance_field_info(s->field, out);
    return sp__world_leave(w, status);
}

// ---------------------------------------------------------------------------------------------------- transpose

static sp_status make_transpose(sp_world *w, sp_body *b, sp_surface *s) {
    int *corners;
    if (s->up.start) return SP_OK;
    sp_status status = SP_NO_MEMORY;
    if (SP_NEW(w->ctx, corners, 4 * (size_t)b->elements + 1)) {
        b->ops->element_nodes(b, corners);
        status = sp__transpose_create(w->ctx, s->vertex_count, s->anchors, b->nodes, corners, &s->up);
    }
    sp__free(w->ctx, corners);
    return status < 0 ? WORLD_FAIL(w, status, "no memory for the forces of surface '%s'", s->name) : SP_OK;
}

sp_status sp_world_surface_apply_transpose(sp_world *w, sp_body_id id, int index, const double *f, double *g) {
    sp_body *b;
    sp_surface *s = NULL;
    SP_TRY(sp__world_enter(w));
    sp_status status = find_surface(w, id, index, &b, &s);
    if (status >= 0 && !(b->caps & SP_CAP_NODAL))
        b->ops->apply_transpose(b, SP_COMMITTED, s->vertex_count, s->anchors, f, g);
    else if (status >= 0) {
        status = make_transpose(w, b, s);
        if (status >= 0) sp__transpose_apply(w->ctx, &s->up, f, g);
    }
    return sp__world_leave(w, status);
}
