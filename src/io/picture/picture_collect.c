// From a snapshot to one list of triangles: bodies first, then the grounds, which are planes of rigid bodies drawn as wide as the
// picture needs and fading into the background.
#include "io/picture/picture.h"
#include "math/vec3.h"

// how wide a ground is drawn and how far its lines are apart, in sizes of what stands on it
static const double ground_reach = 2.2, ground_spacing = 0.08;

static bool is_solid(sp_world *world, sp_body_id id) {
    sp_body_info info;
    return sp_world_body_info(world, id, &info) >= 0 && strcmp(info.kind, "solid") == 0;
}

// a rigid body that is nothing but one flat square
static bool is_ground(sp_world *world, const sp_snapshot_body *b) {
    return b->vertex_count == 4 && b->face_count == 2 && !is_solid(world, b->id);
}

static sp_status make_room(sp_context *ctx, const sp_snapshot *shot, const sp_run *run, bool field, sp_soup *s) {
    int vertices = 0, faces = 0;
    for (int i = 0; i < shot->body_count; i++) {
        if (!sp__picture_shows_body(run, shot->bodies[i].name)) continue;
        vertices += shot->bodies[i].vertex_count, faces += shot->bodies[i].face_count;
    }
    if (!SP_NEW(ctx, s->x, 3 * (size_t)vertices + 1) || !SP_NEW(ctx, s->faces, 3 * (size_t)faces + 1) ||
        !SP_NEW(ctx, s->skin_of, (size_t)faces + 1) || !SP_NEW(ctx, s->skins, (size_t)shot->body_count + 1) ||
        !SP_NEW(ctx, s->markers, 3 * (size_t)vertices + 1) || (field && !SP_NEW(ctx, s->scalar, 3 * (size_t)faces + 1)))
        return SP_NO_MEMORY;
    return SP_OK;
}

static void add_surface(sp_soup *s, const sp_snapshot_body *b) {
    for (int i = 0; i < 3 * b->vertex_count; i++) s->x[3 * (size_t)s->vertex_count + (size_t)i] = b->positions[i];
    for (int i = 0; i < 3 * b->face_count; i++)
        s->faces[3 * (size_t)s->face_count + (size_t)i] = b->faces[i] + (uint32_t)s->vertex_count;
    for (int f = 0; f < b->face_count; f++) s->skin_of[s->face_count + f] = s->skin_count;
    s->vertex_count += b->vertex_count, s->face_count += b->face_count;
    s->skin_count++;
}

static sp_status mark_held(sp_context *ctx, sp_world *world, const sp_snapshot_body *b, sp_soup *s) {
    unsigned char *held = sp__alloc(ctx, (size_t)b->vertex_count + 1, 1);
    if (!held) return SP_NO_MEMORY;
    sp_status status = sp__field_held(ctx, world, b, held);
    for (int v = 0; v < b->vertex_count && status >= 0; v++) {
        if (!held[v]) continue;
        for (int i = 0; i < 3; i++) s->markers[3 * (size_t)s->marker_count + (size_t)i] = b->positions[3 * (size_t)v + (size_t)i];
        s->marker_count++;
    }
    sp__free(ctx, held);
    return status;
}

static sp_status add_body(sp_context *ctx, sp_world *world, const sp_snapshot_body *b, const sp_run *run, const char *field,
                          sp_soup *s) {
    sp_skin *skin = &s->skins[s->skin_count];
    bool solid = is_solid(world, b->id);
    sp__picture_skin(run, b->id, false, skin);
    skin->by_field = field && solid;
    if (skin->by_field) SP_TRY(sp__field_corners(ctx, world, b, field, s->scalar + 3 * (size_t)s->face_count));
    if (solid && sp__picture_shows(run, "fixed")) SP_TRY(mark_held(ctx, world, b, s));
    add_surface(s, b);
    return SP_OK;
}

static void measure(sp_drawing *d) {
    double low[3] = {INFINITY, INFINITY, INFINITY}, high[3] = {-INFINITY, -INFINITY, -INFINITY}, across[3];
    for (int i = 0; i < 3 * d->soup.vertex_count; i++) {
        low[i % 3] = fmin(low[i % 3], d->soup.x[i]), high[i % 3] = fmax(high[i % 3], d->soup.x[i]);
    }
    if (d->soup.vertex_count == 0) return;
    for (int i = 0; i < 3; i++) d->centre[i] = 0.5 * (low[i] + high[i]), across[i] = high[i] - low[i];
    d->size = sp__norm3(across);
}

// 1, 2 or 5 times a power of ten, near `raw`
static double round_length(double raw) {
    double power = pow(10, floor(log10(raw))), r = raw / power;
    return power * (r < 1.5 ? 1 : r < 3.5 ? 2 : r < 7.5 ? 5 : 10);
}

// the square of the snapshot moved below what is drawn and made as wide as it needs to be
static void add_ground(const sp_snapshot_body *b, const sp_run *run, sp_drawing *d) {
    sp_soup *s = &d->soup;
    sp_skin *skin = &s->skins[s->skin_count];
    double *x = s->x + 3 * (size_t)s->vertex_count, e[2][3], n[3], to[3];
    sp__picture_skin(run, b->id, true, skin);
    add_surface(s, b);
    for (int k = 0; k < 2; k++) {
        sp__sub3(x + 3 * (size_t)b->faces[k + 1], x + 3 * (size_t)b->faces[0], e[k]);
    }
    sp__cross3(e[0], e[1], n);
    double area = sp__norm3(n), edge = sp__norm3(e[0]);
    if (!(area > 0)) return;
    for (int i = 0; i < 3; i++) n[i] /= area, skin->u[i] = e[0][i] / edge;
    sp__cross3(n, skin->u, skin->v);
    if (!(d->size > 0)) memcpy(d->centre, x, sizeof d->centre), d->size = edge;
    sp__sub3(d->centre, x, to);
    sp__axpy3(d->centre, -sp__dot3(to, n), n, skin->origin);
    double drop = fabs(sp__dot3(to, n));
    skin->ground = true;
    skin->reach = ground_reach * (d->size + drop);
    skin->spacing = round_length(ground_spacing * d->size);
    // lines run through the plane's own middle, wherever the bodies are
    double middle[3], shift[3];
    for (int i = 0; i < 3; i++) middle[i] = 0.25 * (x[i] + x[3 + i] + x[6 + i] + x[9 + i]);
    sp__sub3(middle, skin->origin, shift);
    double step = 5 * skin->spacing, a = sp__dot3(shift, skin->u), c = sp__dot3(shift, skin->v);
    sp__axpy3(skin->origin, a - step * floor(a / step + 0.5), skin->u, skin->origin);
    sp__axpy3(skin->origin, c - step * floor(c / step + 0.5), skin->v, skin->origin);
    static const double corner[4][2] = {{-1, -1}, {1, -1}, {1, 1}, {-1, 1}};
    static const uint32_t faces[6] = {0, 1, 2, 0, 2, 3};
    for (int k = 0; k < 4; k++) {
        sp__axpy3(skin->origin, corner[k][0] * skin->reach, skin->u, x + 3 * k);
        sp__axpy3(x + 3 * k, corner[k][1] * skin->reach, skin->v, x + 3 * k);
    }
    for (int k = 0; k < 6; k++)
        s->faces[3 * (size_t)(s->face_count - 2) + (size_t)k] = faces[k] + (uint32_t)(s->vertex_count - 4);
}

// colours reach from zero, or from the least value of either sign, to the greatest
static void set_range(const sp_run *run, const char *field, sp_drawing *d) {
    double low = INFINITY, high = -INFINITY, given[2];
    const sp_soup *s = &d->soup;
    for (int f = 0; f < s->face_count; f++) {
        if (!s->skins[s->skin_of[f]].by_field) continue;
        for (int k = 0; k < 3; k++)
            low = fmin(low, s->scalar[3 * (size_t)f + (size_t)k]), high = fmax(high, s->scalar[3 * (size_t)f + (size_t)k]);
    }
    if (sp__picture_range(run, field, given))
        low = given[0], high = given[1];
    else
        low = fmin(low, 0);
    if (!(high > low)) high = isfinite(low) ? low + fmax(1e-12, fabs(low)) : (low = 0, 1);
    d->legend.low = low, d->legend.high = high;
}

sp_status sp__picture_collect(sp_context *ctx, sp_world *world, const sp_snapshot *shot, const sp_run *run, const char *field,
                              sp_drawing *d) {
    SP_TRY(make_room(ctx, shot, run, field != NULL, &d->soup));
    for (int i = 0; i < shot->body_count; i++) {
        const sp_snapshot_body *b = &shot->bodies[i];
        if (is_ground(world, b) || !sp__picture_shows_body(run, b->name)) continue;
        SP_TRY(add_body(ctx, world, b, run, field, &d->soup));
    }
    measure(d);
    if (field) set_range(run, field, d);
    for (int i = 0; i < shot->body_count; i++)
        if (is_ground(world, &shot->bodies[i]) && sp__picture_shows_body(run, shot->bodies[i].name))
            add_ground(&shot->bodies[i], run, d);
    return sp__soup_normals(ctx, &d->soup);
}
