// Legends of fields, markers at fixed nodes, arrows for loads, balls for point masses.
#include <stdio.h>

#include "io/picture/picture.h"
#include "math/vec3.h"

bool sp__picture_field(const char *name, sp_legend *out) {
    sp_field_info f;
    if (sp_field_named(name, &f) < 0 || !f.color) return false;
    // a unit other than that of the values gets no prefixes and is part of the label
    bool own = strcmp(f.shown_unit, f.unit) == 0 || !f.shown_unit[0];
    *out = (sp_legend){.unit = own ? f.shown_unit : "", .shown = f.shown_scale, .regions = f.values == SP_VALUES_LABEL};
    snprintf(out->label, sizeof out->label, own ? "%s" : "%s [%s]", f.label, f.shown_unit);
    return true;
}

void sp__picture_fields(char *out, size_t size) {
    sp_field_info f;
    size_t used = 0;
    int known = 0;
    for (int i = 0; sp_field_at(i, &f) >= 0; i++) known += f.color > 0;
    for (int color = 1; color <= known; color++)
        for (int i = 0; sp_field_at(i, &f) >= 0; i++) {
            if (f.color != color || used >= size) continue;
            used += (size_t)snprintf(out + used, size - used, "%s%s", color > 1 ? ", " : "", f.name);
        }
}

// ---------------------------------------------------------------------------------------------------- boundary conditions, loads

// a vector field over nodes; the caller frees it
static sp_status node_vectors(sp_context *ctx, sp_world *world, sp_body_id id, const char *field, double **out, int *count) {
    sp_field_info info;
    SP_TRY(sp_world_field_info(world, id, field, &info));
    if (!SP_NEW(ctx, *out, 3 * (size_t)info.count + 1)) return SP_NO_MEMORY;
    *count = info.count;
    return sp_world_field(world, id, field, *out);
}

sp_status sp__field_held(sp_context *ctx, sp_world *world, const sp_snapshot_body *body, sp_soup *soup) {
    const sp_snapshot_surface *b = &body->surfaces[0];
    double *force = NULL;
    int count;
    sp_status status = node_vectors(ctx, world, body->id, "force", &force, &count);
    if (status >= 0 && b->rings) status = sp__rings_held(ctx, b, force, soup);
    for (int v = 0; v < b->vertex_count && status >= 0 && !b->rings; v++) {
        const float *p = b->positions + 3 * (size_t)v;
        double at[3] = {p[0], p[1], p[2]};
        if (sp__norm3(force + 3 * (size_t)b->nodes[v]) > 0) status = sp__soup_marker(ctx, soup, at);
    }
    sp__free(ctx, force);
    return status;
}

enum { PLACES = 1 << 12 };  // size of the hash table that thins out arrows

// keeps the largest force per cube with an edge of a twelfth of the scene. best[]: 1 + node
static void choose_strongest(const double *x, const double *force, int count, double size, int *best) {
    double cell = size / 12, least = 0;
    for (int n = 0; n < count; n++) least = fmax(least, 1e-6 * sp__norm3(force + 3 * (size_t)n));
    for (int n = 0; n < count; n++) {
        double f = sp__norm3(force + 3 * (size_t)n);
        if (!(f > least)) continue;
        uint64_t key = 0;
        for (int k = 0; k < 3; k++) key = sp__mix((uint64_t)(int64_t)floor(x[3 * (size_t)n + (size_t)k] / cell), key);
        int *place = &best[key % PLACES];
        if (!*place || f > sp__norm3(force + 3 * (size_t)(*place - 1))) *place = n + 1;
    }
}

// an arrow that starts at the node if the force points outwards, and ends at the node if it points inwards
static sp_status add_arrow(sp_context *ctx, const double *x, const double *force, double most, double size,
                           const double middle[3], sp_soup *soup) {
    double f = sp__norm3(force), length = size * (0.05 + 0.10 * f / most), out[3], end[3];
    sp__sub3(x, middle, out);
    bool pulls = sp__dot3(out, force) >= 0;
    sp__axpy3(x, (pulls ? length : -length) / f, force, end);
    return pulls ? sp__soup_arrow(ctx, soup, x, end) : sp__soup_arrow(ctx, soup, end, x);
}

sp_status sp__field_loads(sp_context *ctx, sp_world *world, const sp_snapshot_body *body, double size, sp_soup *soup) {
    double *force = NULL, *x = NULL, most = 0, middle[3] = {0, 0, 0};
    int *best = NULL, count = 0, nodes = 0;
    sp_status status = node_vectors(ctx, world, body->id, "load", &force, &count);
    if (status >= 0) status = node_vectors(ctx, world, body->id, "position", &x, &nodes);
    if (status >= 0 && !SP_NEW(ctx, best, PLACES)) status = SP_NO_MEMORY;
    if (status >= 0 && size > 0) choose_strongest(x, force, count, size, best);
    for (int n = 0; n < count && status >= 0; n++)
        for (int k = 0; k < 3; k++) middle[k] += x[3 * (size_t)n + (size_t)k] / count;
    for (int i = 0; i < PLACES && status >= 0; i++)
        if (best[i]) most = fmax(most, sp__norm3(force + 3 * (size_t)(best[i] - 1)));
    for (int i = 0; i < PLACES && status >= 0; i++)
        if (best[i])
            status = add_arrow(ctx, x + 3 * (size_t)(best[i] - 1), force + 3 * (size_t)(best[i] - 1), most, size, middle, soup);
    sp__free(ctx, force), sp__free(ctx, x), sp__free(ctx, best);
    return status;
}

// ---------------------------------------------------------------------------------------------------- point masses

enum { BALL_RINGS = 14, BALL_SIDES = 28, BALLS_MAX = 1000 };
enum { BALL_VERTICES = 2 + BALL_RINGS * BALL_SIDES, BALL_FACES = 2 * BALL_RINGS * BALL_SIDES };

// poles first, then rings of vertices from north to south
static void add_ball(sp_soup *s, const double at[3], double radius) {
    uint32_t first = (uint32_t)s->vertex_count, *face = s->faces + 3 * (size_t)s->face_count;
    double *x = s->x + 3 * (size_t)s->vertex_count;
    for (int v = 0; v < BALL_VERTICES; v++) {
        int ring = v < 2 ? v * (BALL_RINGS + 1) : 1 + (v - 2) / BALL_SIDES, side = v < 2 ? 0 : (v - 2) % BALL_SIDES;
        double down = SP_PI * ring / (BALL_RINGS + 1), turn = 2 * SP_PI * side / BALL_SIDES;
        double n[3] = {sin(down) * cos(turn), cos(down), -sin(down) * sin(turn)};
        sp__axpy3(at, radius, n, x + 3 * (size_t)v);
    }
    for (int ring = 0; ring <= BALL_RINGS; ring++)
        for (int side = 0; side < BALL_SIDES; side++) {
            uint32_t here = (uint32_t)(2 + (ring - 1) * BALL_SIDES), next = (uint32_t)((side + 1) % BALL_SIDES),
                     own = (uint32_t)side;
            uint32_t a = ring ? here + own : 0, b = ring ? here + next : 0;
            uint32_t c = ring < BALL_RINGS ? here + BALL_SIDES + own : 1, d = ring < BALL_RINGS ? here + BALL_SIDES + next : 1;
            const uint32_t two[2][3] = {{a, c, d}, {a, d, b}};
            for (int k = ring < BALL_RINGS ? 0 : 1; k < (ring ? 2 : 1); k++)
                for (int i = 0; i < 3; i++) *face++ = first + two[k][i];
        }
    for (int f = 0; f < BALL_FACES; f++) s->drawable_of[s->face_count++] = s->drawable_count - 1;
    s->vertex_count += BALL_VERTICES;
}

sp_status sp__field_masses(sp_context *ctx, sp_world *world, const sp_snapshot_body *body, bool clipped, sp_soup *s) {
    sp_mass_info m;
    double x[3];
    int left = BALLS_MAX;
    for (int i = 0; sp_world_mass_count(world, body->id) > i; i++) {
        SP_TRY(sp_world_mass_at(world, body->id, i, &m));
        for (int k = 0; k < m.count && m.radius > 0 && left > 0; k++, left--) {
            SP_TRY(sp__soup_reserve(ctx, s, BALL_VERTICES, BALL_FACES, 1));
            if (k == 0)
                s->drawables[s->drawable_count++] = (sp_drawable){
                    .color = {0.1, 0.11, 0.12}, .opacity = 1, .roughness = 0.3, .metallic = 0.4, .clipped = clipped};
            SP_TRY(sp_world_anchor_get(world, &m.at[k], x, NULL));
            add_ball(s, x, m.radius);
        }
    }
    return SP_OK;
}
