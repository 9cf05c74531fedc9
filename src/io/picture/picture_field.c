// Legends of fields, markers at fixed nodes, arrows for loads.
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
