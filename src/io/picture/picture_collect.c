// From a snapshot to one list of triangles: bodies first, then the grounds. A ground is a plane of a rigid body; it is drawn as
// wide as the picture needs and fades into the background.
//
// A body shows its surfaces of the selected roles, or its boundary if it has none. Surfaces shown in addition to the visual one
// are transparent and have their edges drawn, so that both are visible. Interfaces of regions are opaque and lie inside: the
// surfaces around them are transparent.
#include <stdio.h>

#include "io/picture/picture.h"
#include "io/run/build.h"
#include "math/vec3.h"

// width of a ground and distance of its grid lines, relative to the size of the bodies
static const double ground_reach = 2.2, ground_spacing = 0.08;
static const double secondary_opacity = 0.35;
static const double collision_color[3] = {0.95, 0.55, 0.10}, mechanical_color[3] = {0.25, 0.45, 0.85};  // sRGB

// arguments of the collecting functions
typedef struct sp_collecting {
    sp_context *ctx;
    sp_world *world;
    const sp_run *run;
    const sp_picture_def *def;
    sp_drawing *d;
    bool visual, mechanical, collision, interfaces;  // what is drawn
} sp_collecting;

static bool has_field(sp_world *world, const sp_snapshot_body *b, const char *field) {
    return field && sp__run_has_field(world, b->id, field);
}

// the body has nodes with boundary conditions, loads and fields
static bool is_soft(sp_world *world, const sp_snapshot_body *b) {
    return has_field(world, b, "force");
}

// a rigid body that is a single flat square
static bool is_ground(sp_world *world, const sp_snapshot_body *b) {
    const sp_snapshot_surface *s = &b->surfaces[0];
    return s->vertex_count == 4 && s->face_count == 2 && b->surface_count == 1 && has_field(world, b, "pose");
}

// ---------------------------------------------------------------------------------------------------- triangles

static void add_triangles(sp_soup *s, int vertices, const float *x, const float *colors, int faces, const uint32_t *corners) {
    double *to = s->x + 3 * (size_t)s->vertex_count;
    for (size_t i = 0; i < 3 * (size_t)vertices; i++) to[i] = x[i];
    for (size_t i = 0; i < 4 * (size_t)vertices && colors; i++)
        s->colors[4 * (size_t)s->vertex_count + i] = i % 4 == 3 ? colors[i] : (float)sp__to_linear(colors[i]);
    for (size_t i = 0; i < 3 * (size_t)faces; i++)
        s->faces[3 * (size_t)s->face_count + i] = corners[i] + (uint32_t)s->vertex_count;
    for (int f = 0; f < faces; f++) s->drawable_of[s->face_count + f] = s->drawable_count;
    s->vertex_count += vertices, s->face_count += faces;
    s->drawable_count++;
}

// surface 0 is the boundary
static sp_status add_surface(const sp_collecting *c, const sp_snapshot_body *b, int surface, const char *field,
                             sp_drawable drawable) {
    const sp_snapshot_surface *r = &b->surfaces[surface];
    sp_soup *s = &c->d->soup;
    bool round = b->surfaces[0].rings;
    SP_TRY(sp__soup_reserve(c->ctx, s, r->vertex_count, r->face_count, 1));
    int first = s->vertex_count;
    drawable.clipped = c->d->clip && sp__picture_clips_body(c->run, b->name);
    drawable.by_field = field != NULL, drawable.by_vertex = !field && r->colors, drawable.round = round;
    s->drawables[s->drawable_count] = drawable;
    if (field) SP_TRY(sp_world_surface_corner_field(c->world, b->id, surface, field, s->scalar + 3 * (size_t)s->face_count));
    for (int f = 0; f < r->face_count && r->stripes; f++) s->stripes[s->face_count + f] = r->stripes[f] ? 255 : 0;
    if (r->normals) memcpy(s->smooth + 3 * (size_t)s->vertex_count, r->normals, 3 * (size_t)r->vertex_count * sizeof *r->normals);
    add_triangles(s, r->vertex_count, r->positions, r->colors, r->face_count, r->faces);
    if (!round) return SP_OK;
    return surface == 0 ? sp__rings_add(c->ctx, r, first, s) : sp__rings_add_embedded(c->ctx, r, first, s);
}

static void tint(sp_drawable *drawable, const double color[3], bool secondary) {
    for (int i = 0; i < 3; i++) drawable->color[i] = sp__to_linear(color[i]);
    drawable->edges = true;
    if (secondary) drawable->opacity = secondary_opacity;
}

// ---------------------------------------------------------------------------------------------------- bodies

static bool has_faces_of(const sp_snapshot_body *b, unsigned roles) {
    for (int k = 1; k < b->surface_count; k++)
        if (b->surfaces[k].roles & roles && b->surfaces[k].face_count > 0) return true;
    return false;
}

// of the surfaces of a body and of the cap through what has no region; an opaque one would hide the interfaces
static double outer_opacity(const sp_collecting *c, const sp_snapshot_body *b, double own) {
    double opacity = sp__picture_opacity(c->def, b->name, own);
    return c->interfaces && opacity == 1 && has_faces_of(b, SP_ROLE_INTERFACES) ? secondary_opacity : opacity;
}

static sp_status add_interfaces(const sp_collecting *c, const sp_snapshot_body *b, const char *field, const sp_drawable *own) {
    for (int k = 1; k < b->surface_count; k++) {
        sp_drawable drawable = *own;
        if (!(b->surfaces[k].roles & SP_ROLE_INTERFACES) || b->surfaces[k].face_count == 0) continue;
        sp__picture_surface_drawable(c->run, b->id, k, &drawable);
        SP_TRY(add_surface(c, b, k, field, drawable));
    }
    return SP_OK;
}

static sp_status add_surfaces(const sp_collecting *c, const sp_snapshot_body *b, const char *field, const sp_drawable *own) {
    bool drawn = false;
    for (int k = 1; k < b->surface_count; k++) {
        const sp_snapshot_surface *r = &b->surfaces[k];
        sp_drawable drawable = *own;
        bool visual = c->visual && r->roles & SP_ROLE_VISUAL, collision = c->collision && r->roles & SP_ROLE_COLLISION;
        if (!visual && !collision) continue;
        sp__picture_surface_drawable(c->run, b->id, k, &drawable);
        drawable.opacity = outer_opacity(c, b, drawable.opacity), drawable.edges |= own->edges;
        if (!visual) tint(&drawable, collision_color, c->visual || c->mechanical);
        SP_TRY(add_surface(c, b, k, visual ? field : NULL, drawable));
        drawn |= visual;
    }
    // a body with collision surfaces only shows its boundary
    if (c->visual && !drawn) return add_surface(c, b, 0, field, *own);
    if (!c->mechanical) return SP_OK;
    sp_drawable drawable = *own;
    tint(&drawable, mechanical_color, drawn);
    return add_surface(c, b, 0, drawn ? NULL : field, drawable);
}

// markers of what the clipping plane cuts off
static void drop_clipped_markers(const sp_collecting *c, int first) {
    sp_soup *s = &c->d->soup;
    int n = first;
    for (int i = first; i < s->marker_count; i++) {
        const double *at = s->markers + 3 * (size_t)i;
        if (sp__clip_distance(c->d, at) <= 0) memmove(s->markers + 3 * (size_t)n++, at, 3 * sizeof *at);
    }
    s->marker_count = n;
}

static sp_status add_body(const sp_collecting *c, const sp_snapshot_body *b) {
    sp_status status = SP_OK;
    sp_drawable drawable;
    bool soft = is_soft(c->world, b);
    const char *field = soft && has_field(c->world, b, c->def->color_by) ? c->def->color_by : NULL;
    sp__picture_drawable(c->run, b->id, false, &drawable);
    drawable.opacity = outer_opacity(c, b, drawable.opacity);
    drawable.edges |= c->mechanical;
    bool embedded = has_faces_of(b, SP_ROLE_VISUAL | SP_ROLE_COLLISION);
    if (status >= 0) status = embedded ? add_surfaces(c, b, field, &drawable) : add_surface(c, b, 0, field, drawable);
    if (status >= 0 && c->interfaces) status = add_interfaces(c, b, field, &drawable);
    bool clipped = c->d->clip && sp__picture_clips_body(c->run, b->name);
    bool cap = clipped && sp__picture_caps(c->run) && drawable.opacity > 0;
    int markers = c->d->soup.marker_count;
    double through = c->interfaces && has_faces_of(b, SP_ROLE_INTERFACES) ? drawable.opacity : 1;
    if (status >= 0 && cap) status = sp__picture_cap(c->ctx, c->world, b->id, field, &drawable, through, c->d);
    if (status >= 0 && drawable.opacity > 0) status = sp__field_masses(c->ctx, c->world, b, clipped, &c->d->soup);
    if (status >= 0 && soft && sp__picture_shows(c->run, "fixed")) status = sp__field_held(c->ctx, c->world, b, &c->d->soup);
    if (status >= 0 && clipped) drop_clipped_markers(c, markers);
    return status;
}

// after the bodies, when their size is known. Both ends of the arrows are fitted into the view
static sp_status add_loads(const sp_collecting *c, const sp_snapshot *snapshot) {
    sp_soup *s = &c->d->soup;
    if (!sp__picture_shows(c->run, "loads")) return SP_OK;
    for (int i = 0; i < snapshot->body_count; i++) {
        const sp_snapshot_body *b = &snapshot->bodies[i];
        if (!is_soft(c->world, b) || !sp__picture_shows_body(c->run, b->name)) continue;
        SP_TRY(sp__field_loads(c->ctx, c->world, b, c->d->size, s));
    }
    SP_TRY(sp__soup_reserve(c->ctx, s, 2 * s->arrow_count, 0, 0));
    for (int i = 0; i < s->arrow_count; i++) {
        memcpy(s->x + 3 * (size_t)s->vertex_count++, s->arrows[i].from, sizeof s->arrows[i].from);
        memcpy(s->x + 3 * (size_t)s->vertex_count++, s->arrows[i].to, sizeof s->arrows[i].to);
    }
    return SP_OK;
}

// ---------------------------------------------------------------------------------------------------- grounds

// 1, 2 or 5 times a power of ten, near `raw`
static double round_length(double raw) {
    double power = pow(10, floor(log10(raw))), r = raw / power;
    return power * (r < 1.5 ? 1 : r < 3.5 ? 2 : r < 7.5 ? 5 : 10);
}

// the grid lines pass through the centre of the plane, independent of the bodies
static void align_lines(sp_drawable *drawable, const double *x) {
    double middle[3], shift[3];
    for (int i = 0; i < 3; i++) middle[i] = 0.25 * (x[i] + x[3 + i] + x[6 + i] + x[9 + i]);
    sp__sub3(middle, drawable->origin, shift);
    double step = 5 * drawable->spacing, a = sp__dot3(shift, drawable->u), c = sp__dot3(shift, drawable->v);
    sp__axpy3(drawable->origin, a - step * floor(a / step + 0.5), drawable->u, drawable->origin);
    sp__axpy3(drawable->origin, c - step * floor(c / step + 0.5), drawable->v, drawable->origin);
}

// moves the square of the snapshot below the bodies and scales it
static void widen_ground(sp_drawing *d, sp_drawable *drawable, double *x, uint32_t *faces, uint32_t first) {
    double e[2][3], n[3], to[3];
    for (int k = 0; k < 2; k++) sp__sub3(x + 3 * (size_t)(faces[k + 1] - first), x + 3 * (size_t)(faces[0] - first), e[k]);
    sp__cross3(e[0], e[1], n);
    double area = sp__norm3(n), edge = sp__norm3(e[0]);
    if (!(area > 0)) return;
    for (int i = 0; i < 3; i++) n[i] /= area, drawable->u[i] = e[0][i] / edge;
    sp__cross3(n, drawable->u, drawable->v);
    if (!(d->size > 0)) memcpy(d->centre, x, sizeof d->centre), d->size = edge;
    sp__sub3(d->centre, x, to);
    sp__axpy3(d->centre, -sp__dot3(to, n), n, drawable->origin);
    double drop = fabs(sp__dot3(to, n));
    drawable->ground = true;
    drawable->reach = ground_reach * (d->size + drop);
    drawable->spacing = round_length(ground_spacing * d->size);
    align_lines(drawable, x);
    static const double corner[4][2] = {{-1, -1}, {1, -1}, {1, 1}, {-1, 1}};
    static const uint32_t two[6] = {0, 1, 2, 0, 2, 3};
    for (int k = 0; k < 4; k++) {
        sp__axpy3(drawable->origin, corner[k][0] * drawable->reach, drawable->u, x + 3 * k);
        sp__axpy3(x + 3 * k, corner[k][1] * drawable->reach, drawable->v, x + 3 * k);
    }
    for (int k = 0; k < 6; k++) faces[k] = two[k] + first;
}

static sp_status add_ground(const sp_collecting *c, const sp_snapshot_body *b) {
    sp_soup *s = &c->d->soup;
    sp_drawable drawable;
    uint32_t first = (uint32_t)s->vertex_count;
    sp__picture_drawable(c->run, b->id, true, &drawable);
    drawable.opacity = sp__picture_opacity(c->def, b->name, drawable.opacity);
    SP_TRY(add_surface(c, b, 0, NULL, drawable));
    s->drawables[s->drawable_count - 1].clipped = false;
    widen_ground(c->d, &s->drawables[s->drawable_count - 1], s->x + 3 * (size_t)first, s->faces + 3 * (size_t)(s->face_count - 2),
                 first);
    return SP_OK;
}

// ---------------------------------------------------------------------------------------------------- all triangles

static void find_extras(const sp_snapshot *snapshot, sp_soup *s) {
    for (int i = 0; i < snapshot->body_count; i++)
        for (int k = 0; k < snapshot->bodies[i].surface_count; k++) {
            const sp_snapshot_surface *r = &snapshot->bodies[i].surfaces[k];
            s->with_stripes |= r->stripes != NULL;
            s->with_smooth |= r->rings != NULL || r->normals != NULL;
            s->with_colors |= r->colors != NULL;
        }
}

// largest Young's modulus in the world [Pa]
static double largest_young(sp_world *world) {
    double largest = 0;
    sp_param_info p;
    for (int i = 0; world && sp_world_param_at(world, i, &p) >= 0; i++)
        if (strcmp(p.spec.name, "young") == 0 && isfinite(p.value)) largest = fmax(largest, p.value);
    return largest;
}

// The scale of a field, in its unit. Values below 1e-9 of it are rounding errors, which colours must not show; the page has the
// same rule (viewer/src/ranges.js).
static double natural_scale(const sp_collecting *c) {
    sp_field_info f;
    if (sp_field_named(c->def->color_by, &f) < 0) return 0;
    if (strcmp(f.unit, "m") == 0 || strcmp(f.unit, "m/s") == 0) return c->d->size;
    if (strcmp(f.unit, "Pa") == 0) return largest_young(c->world);
    return strcmp(f.unit, "rad") == 0;
}

// default range: from zero, or a smaller minimum, to the maximum
static void set_range(const sp_collecting *c) {
    const sp_picture_def *def = c->def;
    double low, high, given[2];
    bool any = sp__picture_values(&c->d->soup, &low, &high);
    if (def->extent && def->extent->greatest >= def->extent->least)
        low = def->extent->least, high = def->extent->greatest, any = true;
    if (def->range[1] > def->range[0])
        low = def->range[0], high = def->range[1];
    else if (sp__picture_range(c->run, def->color_by, given))
        low = given[0], high = given[1];
    else {
        double scale = natural_scale(c);
        low = any ? fmin(low, 0) : 0;
        if (high - low < 1e-9 * scale) low = 0, high = 1e-6 * scale;
    }
    if (!(high > low)) high = isfinite(low) ? low + (low != 0 ? fabs(low) : 1) : (low = 0, 1);
    c->d->legend.low = low, c->d->legend.high = high;
}

// of the boxes of all bodies that are no ground
static void centre_of(sp_world *world, const sp_snapshot *snapshot, double out[3]) {
    double low[3] = {INFINITY, INFINITY, INFINITY}, high[3] = {-INFINITY, -INFINITY, -INFINITY};
    for (int i = 0; i < snapshot->body_count; i++) {
        const sp_snapshot_surface *s = &snapshot->bodies[i].surfaces[0];
        if (is_ground(world, &snapshot->bodies[i])) continue;
        for (int k = 0; k < 3 * s->vertex_count; k++)
            low[k % 3] = fmin(low[k % 3], s->positions[k]), high[k % 3] = fmax(high[k % 3], s->positions[k]);
    }
    for (int i = 0; i < 3; i++) out[i] = low[i] <= high[i] ? 0.5 * (low[i] + high[i]) : 0;
}

// names of regions from the scene; number 0 is every body without its regions
static void name_regions(const sp_collecting *c, const sp_snapshot *snapshot) {
    char(*names)[40] = c->d->legend.names;
    for (int i = 0; i < snapshot->body_count; i++)
        for (int r = 1; r < SP_REGIONS_SHOWN; r++) {
            const char *name = sp_run_region_name(c->run, snapshot->bodies[i].id, r);
            if (!name) break;
            if (!names[0][0]) snprintf(names[0], sizeof names[0], "other");
            if (!names[r][0]) snprintf(names[r], sizeof names[r], "%s", name);
        }
}

sp_status sp__picture_collect(sp_context *ctx, sp_world *world, const sp_snapshot *snapshot, const sp_run *run,
                              const sp_picture_def *def, sp_drawing *d) {
    sp_collecting c = {.ctx = ctx, .world = world, .run = run, .def = def, .d = d};
    c.mechanical = sp__picture_shows(run, "mechanical"), c.collision = sp__picture_shows(run, "collision");
    c.visual = sp__picture_shows(run, "visual") || !(c.mechanical || c.collision);
    c.interfaces = def->interfaces;
    double centre[3];
    centre_of(world, snapshot, centre);
    sp__picture_clip(def, centre, d);
    find_extras(snapshot, &d->soup);
    d->soup.with_scalar = def->color_by, d->walls = sp__picture_walls(run);
    for (int i = 0; i < snapshot->body_count; i++) {
        const sp_snapshot_body *b = &snapshot->bodies[i];
        if (is_ground(world, b) || !sp__picture_shows_body(run, b->name)) continue;
        SP_TRY(add_body(&c, b));
    }
    sp__picture_bounds(d);
    if (def->color_by) set_range(&c);
    if (d->legend.regions && run) name_regions(&c, snapshot);
    SP_TRY(add_loads(&c, snapshot));
    if (def->contacts) SP_TRY(sp__picture_contacts(ctx, world, snapshot, run, def, d));
    if (def->links) SP_TRY(sp__picture_links(ctx, world, snapshot, run, d));
    d->soup.fitted = d->soup.vertex_count;
    for (int i = 0; i < snapshot->body_count; i++)
        if (is_ground(world, &snapshot->bodies[i]) && sp__picture_shows_body(run, snapshot->bodies[i].name))
            SP_TRY(add_ground(&c, &snapshot->bodies[i]));
    SP_TRY(sp__soup_reserve(ctx, &d->soup, 0, 0, 0));
    return sp__soup_normals(ctx, &d->soup);
}
