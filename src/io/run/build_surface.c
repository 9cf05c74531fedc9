// Embedded surfaces of a body: from files, or the boundary of the body, in part, finer or subdivided. A role without a surface
// falls to the boundary, so a plain <surface role="collision"/> next to a visual file changes nothing.
//
// The boundary of a rod is the tube or ribbon around it, which the engine makes. It is visible by default. Contact uses points of
// the centreline with their cross section, unless a collision surface selects the vertices of the tube.
#include <stdio.h>
#include <sys/stat.h>

#include "io/picture/picture.h"
#include "io/run/build.h"

static const double CREASE = 40;         // sharper edges stay sharp when the boundary is rounded [deg]
static const double FAR = 0.05;          // relative to the size of the body: vertices farther away cause a warning
static const double VERTEX_BYTES = 400;  // anchors, positions in four snapshots, faces, normals
static const double FINEST = 1 << 24;    // limit of triangles after subdivision

static unsigned roles_of(const sp_scene_node *node) {
    const sp_attr *role = sp__attr(node, "role");
    unsigned roles = 0;
    for (int i = 0; i < role->count; i++) roles |= strcmp(role->words[i], "visual") == 0 ? SP_ROLE_VISUAL : SP_ROLE_COLLISION;
    return roles;
}

// the unmodified boundary
static bool is_plain(const sp_scene_node *node) {
    return !sp__build_given(node, "file") && !sp__build_given(node, "elements") && !sp__selects(node) &&
           sp__build_number(node, "subdivide", 0) == 0;
}

// no other surface has a role of this plain surface: the boundary has it by default
static bool is_implied(const sp_run_body *body, const sp_scene_node *node) {
    if (!is_plain(node) || (body->rod && (roles_of(node) & SP_ROLE_COLLISION))) return false;
    for (const sp_scene_node *c = NULL; (c = sp__next_child(body->node, "surface", c));)
        if (c != node && (roles_of(c) & roles_of(node))) return false;
    return true;
}

// ------------------------------------------------------------------------------------------------ appearance

bool sp__build_look(const sp_scene_node *user, sp_run_look *out) {
    if (!sp__build_given(user, "look")) return false;
    const sp_scene_node *look = sp__scene_find(user, sp__attr_word(user, "look"));
    if (!look || strcmp(look->spec->name, "look") != 0) return false;
    const sp_attr *color = sp__build_attr(look, "color");
    if (color) memcpy(out->color, color->numbers, sizeof out->color);
    out->opacity = sp__build_number(look, "opacity", 1);
    out->roughness = sp__build_number(look, "roughness", 0.6);
    out->metallic = sp__build_number(look, "metallic", 0);
    out->edges = sp__build_is(look, "edges", "yes");
    return true;
}

// ------------------------------------------------------------------------------------------------ triangles

// replaces a surface and frees the old one
static void surface_replace(sp_trimesh **surface, sp_trimesh *next) {
    sp_trimesh_destroy(surface);
    *surface = next;
}

sp_status sp__build_flip(sp_run *run, sp_trimesh **surface) {
    sp_trimesh_def def;
    sp_trimesh *next;
    sp_trimesh_get(*surface, &def);
    size_t n = 3 * (size_t)def.face_count;
    const int *from[3] = {def.faces, def.face_texcoords, def.face_normals};
    int *to[3] = {NULL, NULL, NULL};
    for (int a = 0; a < 3; a++) {
        if (!from[a]) continue;
        if (!SP_KEEP(&run->scratch, to[a], n)) return sp__build_no_memory(run);
        for (size_t i = 0; i < n; i++) to[a][i] = from[a][i % 3 == 0 ? i : i % 3 == 1 ? i + 1 : i - 1];
    }
    def.faces = to[0], def.face_texcoords = to[1], def.face_normals = to[2];
    // vertex normals are dropped: they would point to the wrong side
    def.normals = NULL, def.normal_count = 0, def.face_normals = NULL;
    SP_TRY(sp_trimesh_create(run->ctx, &def, &next));
    surface_replace(surface, next);
    return SP_OK;
}

// from the body's own coordinates to its placed rest shape; for a rigid body only the scale, since its frame is placed
static sp_status surface_place(const sp_run_body *body, sp_trimesh **surface) {
    for (int i = 0; i < body->places.count; i++) {
        const sp_place *p = &body->places.at[i];
        sp_trimesh *next;
        SP_TRY(sp_trimesh_transformed(*surface, p->scale, body->builder->select ? &p->pose : NULL, &next));
        surface_replace(surface, next);
    }
    return SP_OK;
}

// the boundary of the tetrahedra of a file; false: it has none
static bool read_boundary(sp_run *run, const char *path, sp_trimesh **out) {
    sp_mesh *mesh;
    if (sp_mesh_read(run->ctx, path, &mesh) < 0) return false;
    sp_status status = sp_mesh_boundary(mesh, out);
    sp_mesh_destroy(&mesh);
    return status >= 0;
}

sp_status sp__build_read_surface(sp_run *run, const sp_run_body *body, const sp_scene_node *node, bool tetrahedra,
                                 sp_trimesh **out) {
    const char *path = sp__attr_word(node, "file");
    double s = sp__build_number(node, "scale", 1);
    sp_trimesh *next;
    struct stat info;
    if (stat(path, &info) == 0) SP_TRY(sp__build_reserve(run, node, (double)info.st_size, 3, "bytes of surface file"));
    if (!tetrahedra || !read_boundary(run, path, out)) SP_TRY(sp_trimesh_read(run->ctx, path, out));
    SP_TRY(sp_trimesh_transformed(*out, (double[3]){s, s, s}, NULL, &next));
    surface_replace(out, next);
    if (sp__build_is(node, "flip", "yes")) SP_TRY(sp__build_flip(run, out));
    return surface_place(body, out);
}

// the boundary, or its selected faces, as a separate surface
static sp_status own_boundary(sp_run *run, const sp_mesh *mesh, const int *faces, int count, sp_trimesh **out) {
    sp_trimesh_def def = sp_trimesh_def_default();
    int *vertex, *corners;
    double *x;
    if (!faces) return sp_mesh_boundary(mesh, out);
    if (!SP_KEEP(&run->scratch, vertex, sp_mesh_node_count(mesh)) || !SP_KEEP(&run->scratch, corners, 3 * (size_t)count) ||
        !SP_KEEP(&run->scratch, x, 9 * (size_t)count))
        return sp__build_no_memory(run);
    for (int i = 0; i < 3 * count; i++) {
        int node = sp_mesh_faces(mesh)[3 * (size_t)faces[i / 3] + (size_t)(i % 3)];
        if (!vertex[node]) {
            memcpy(x + 3 * (size_t)def.vertex_count, sp_mesh_positions(mesh) + 3 * (size_t)node, 3 * sizeof *x);
            vertex[node] = ++def.vertex_count;
        }
        corners[i] = vertex[node] - 1;
    }
    def.positions = x, def.faces = corners, def.face_count = count;
    return sp_trimesh_create(run->ctx, &def, out);
}

static sp_status surface_subdivide(int times, bool smooth, sp_trimesh **surface) {
    sp_trimesh *next;
    SP_TRY(sp_trimesh_subdivided(*surface, times, smooth, CREASE, &next));
    surface_replace(surface, next);
    return SP_OK;
}

static sp_status reserve_subdivided(sp_run *run, const sp_scene_node *node, int times, int from) {
    double finer = ldexp(from, 2 * times);
    if (finer > FINEST)
        return SP_BUILD_FAIL(run, node, "subdivide", "subdivide=\"%d\" makes %.0f triangles of %d, at most %.0f are allowed",
                             times, finer, from, FINEST);
    return sp__build_reserve(run, node, 0.5 * finer, VERTEX_BYTES, "vertices of a surface");
}

// the boundary of the organ at the resolution of the surface
static sp_status finer_boundary(sp_run *run, const sp_run_body *body, const sp_scene_node *node, sp_trimesh **out) {
    int times = (int)sp__build_number(node, "subdivide", 0);
    sp_trimesh_def def;
    SP_TRY(sp__build_organ_surface(run, body, node, out));
    SP_TRY(surface_place(body, out));
    sp_trimesh_get(*out, &def);
    SP_TRY(reserve_subdivided(run, node, times, def.face_count));
    return times ? surface_subdivide(times, !sp__build_is(node, "smooth", "no"), out) : SP_OK;
}

// ------------------------------------------------------------------------------------------------ one surface

static sp_status boundary_def(sp_run *run, const sp_run_body *body, const sp_scene_node *node, sp_surface_def *def,
                              sp_trimesh **triangles) {
    int *faces = NULL, count = 0, n = body->placed ? sp_mesh_face_count(body->placed) : 0;
    def->subdivide = (int)sp__build_number(node, "subdivide", 0);
    if (sp__selects(node)) {
        SP_TRY(sp__build_select(run, body, node, SP_SELECT_FACES, &faces, &count));
        if (count == 0) return SP_OK;
        def->faces = faces, def->face_count = n = count;
    }
    SP_TRY(reserve_subdivided(run, node, def->subdivide, n));
    if (!body->placed || def->subdivide == 0 || sp__build_is(node, "smooth", "no")) return SP_OK;
    SP_TRY(own_boundary(run, body->placed, def->faces, def->face_count, triangles));
    SP_TRY(surface_subdivide(def->subdivide, true, triangles));
    def->faces = NULL, def->face_count = 0, def->subdivide = 0;
    return SP_OK;
}

static void warn_far(sp_run *run, const sp_run_body *body, const sp_scene_node *node, int index) {
    sp_surface_info info;
    double low[3], high[3], size = 0;
    if (!body->placed || sp_world_surface_info(run->world, body->id, index, &info) < 0) return;
    sp_mesh_bounds(body->placed, low, high);
    for (int k = 0; k < 3; k++) size += (high[k] - low[k]) * (high[k] - low[k]);
    size = sqrt(size);
    if (info.outside)
        sp__scene_note_auto(run->scene, node, "map", "barycentric: %d of %d vertices lie outside, the farthest by %.3g m",
                            info.outside, info.vertex_count, info.farthest);
    if (sp__build_given(node, "file") && info.farthest > FAR * size)
        sp__scene_warning(run->scene, node, "file",
                          "%d of %d vertices lie outside of \"%s\", the farthest %.3g m from it, whose size is %.3g m: do scale "
                          "and place agree?",
                          info.outside, info.vertex_count, body->node->path, info.farthest, size);
}

// an error of the engine or reader at the element, unless it is already reported
static sp_status surface_error(sp_run *run, const sp_scene_node *node, sp_status status, const sp_error *error) {
    return status < 0 && !run->failed ? sp__build_refused(run, node, status, error) : status;
}

static sp_status add_surface(sp_run *run, sp_run_body *body, const sp_scene_node *node) {
    sp_surface_def def = sp_surface_def_default();
    sp_trimesh *triangles = NULL;
    sp_trimesh_def counts;
    sp_run_surface *kept = &body->surfaces[body->surface_count];
    bool failed = run->failed;
    int index;
    run->failed = false;
    def.name = node->name[0] ? node->name : NULL;
    def.roles = roles_of(node);
    // a plain surface is the boundary, which is visible anyway
    if (body->rod && is_plain(node)) def.roles = SP_ROLE_COLLISION;
    sp_status status = sp__build_given(node, "file")       ? sp__build_read_surface(run, body, node, false, &triangles)
                       : sp__build_given(node, "elements") ? finer_boundary(run, body, node, &triangles)
                                                           : boundary_def(run, body, node, &def, &triangles);
    status = surface_error(run, node, status, sp_context_error(run->ctx));
    def.mesh = triangles;
    if (status >= 0 && triangles) {
        sp_trimesh_get(triangles, &counts);
        status = sp__build_reserve(run, node, counts.vertex_count, VERTEX_BYTES, "vertices of a surface");
    }
    if (status >= 0) {
        status = sp_world_add_surface(run->world, body->id, &def, &index);
        status = surface_error(run, node, status, sp_world_error(run->world));
    }
    if (status >= 0) {
        warn_far(run, body, node, index);
        kept->node = node, kept->index = index;
        kept->has_look = sp__build_look(node, &kept->look);
        body->surface_count++;
    }
    sp_trimesh_destroy(&triangles);
    run->failed = run->failed || failed;
    return status;
}

// how the surface is touched; index: of the engine, 0 is the boundary
static sp_status surface_contact(sp_run *run, const sp_run_body *body, const sp_scene_node *node, int index) {
    sp_surface_contact_def def = sp_surface_contact_def_default();
    sp_distance_field_info info;
    // a membrane has two sides, whatever is not said
    if (body->membrane && !sp__build_given(node, "side")) def.side = SP_SURFACE_BOTH;
    if (sp__build_is(node, "side", "inside")) def.side = SP_SURFACE_INSIDE;
    if (sp__build_is(node, "side", "both")) def.side = SP_SURFACE_BOTH;
    def.field = sp__build_number(node, "field", 0);
    def.self = sp__build_is(node, "self", "yes");
    if (def.side == SP_SURFACE_OUTSIDE && def.field == 0 && !def.self) return SP_OK;
    sp_status status = sp_world_set_surface_contact(run->world, body->id, index, &def);
    if (status < 0) return sp__build_refused(run, node, status, sp_world_error(run->world));
    if (def.field == 0) return SP_OK;
    SP_TRY(sp_world_distance_field_info(run->world, body->id, index, &info));
    SP_TRY(sp__build_reserve(run, node, (double)info.bytes, 1, "bytes of a distance field"));
    sp__scene_note_auto(run->scene, node, "field",
                        "%d x %d x %d cells, %d of %.0f blocks have values, %.3g MB; the surface is reproduced within %.3g m%s",
                        info.cells[0], info.cells[1], info.cells[2], info.blocks_near, info.blocks, (double)info.bytes * 1e-6,
                        info.deviation, info.open_edges ? "; it is open: winding numbers tell inside from outside" : "");
    if (info.deviation > 0.5 * info.cell)
        sp__scene_warning(run->scene, node, "field",
                          "the field differs from the surface by up to %.3g m, and its cell is %.3g m: parts that are thinner "
                          "than two cells are lost",
                          info.deviation, info.cell);
    return SP_OK;
}

// after the embedded surfaces, one for each region of a solid in the order of their numbers: the regions of a rod or a membrane
// have no faces between them. A space keeps names of interfaces apart from those of elements
static sp_status add_interfaces(sp_run *run, const sp_run_body *body) {
    const char *region;
    for (int r = 1; !body->rod && !body->membrane && (region = sp_run_region_name(run, body->id, r)); r++) {
        sp_surface_def def = sp_surface_def_default();
        char name[64];
        snprintf(name, sizeof name, "region %.50s", region);
        if (!region[0]) snprintf(name, sizeof name, "region %d", r);
        def.name = name, def.region = r;
        sp_status status = sp_world_add_surface(run->world, body->id, &def, NULL);
        SP_BUILD(surface_error(run, body->node, status, sp_world_error(run->world)));
    }
    return SP_OK;
}

sp_status sp__build_surfaces(sp_run *run, sp_run_body *body) {
    int n = 0;
    for (const sp_scene_node *c = NULL; (c = sp__next_child(body->node, "surface", c));) n++;
    if (n > 0 && !SP_KEEP(&run->keep, body->surfaces, n)) return sp__build_no_memory(run);
    for (const sp_scene_node *c = NULL; (c = sp__next_child(body->node, "surface", c));) {
        bool own = is_implied(body, c), tube = body->rod && is_plain(c);
        int added = body->surface_count;
        if (!own) SP_BUILD(add_surface(run, body, c));
        if ((roles_of(c) & SP_ROLE_COLLISION) && (own || body->surface_count > added))
            SP_BUILD(surface_contact(run, body, c, own ? 0 : body->surfaces[added].index));
        // this look applies to the boundary
        if ((own || tube) && (roles_of(c) & SP_ROLE_VISUAL) && sp__build_look(c, &body->look)) body->has_look = true;
    }
    return add_interfaces(run, body);
}

bool sp_run_look_of(const sp_run *run, sp_body_id body, int surface, sp_run_look *out) {
    int own = surface - 1;
    for (int i = 0; i < run->body_count; i++) {
        const sp_run_body *b = &run->bodies[i];
        if (b->id.slot != body.slot || own < 0) continue;
        if (own >= b->surface_count && sp_run_region_name(run, body, surface - b->surface_count)) {
            *out = (sp_run_look){.opacity = 1, .roughness = 0.6};
            memcpy(out->color, sp__region_color(surface - b->surface_count), sizeof out->color);
            return true;
        }
        if (own >= b->surface_count || !b->surfaces[own].has_look) continue;
        *out = b->surfaces[own].look;
        return true;
    }
    return sp__run_look(run, body.slot, out);
}
