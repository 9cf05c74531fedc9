// Colours from fields: values of nodes, or of elements averaged to nodes, interpolated to the corners of the drawn faces. Values
// that must not be averaged (regions, ages) come from the element of the face.
#include <stdio.h>

#include "io/picture/picture.h"
#include "math/vec3.h"

bool sp__picture_field(const char *name, sp_legend *out) {
    sp_field_info f;
    if (sp_field_named(name, &f) < 0 || !f.color) return false;
    // a unit that is not the numbers' own has no prefixes: it stands with the label
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

static double length_of(const double *v, int components) {
    double sum = 0;
    for (int i = 0; i < components; i++) sum += v[i] * v[i];
    return components == 1 ? v[0] : sqrt(sum);
}

// ---------------------------------------------------------------------------------------------------- sampling

void sp__field_free(sp_context *ctx, sp_body_field *f) {
    sp__free(ctx, f->element), sp__free(ctx, f->of_node), sp__free(ctx, f->flat);
    sp__free(ctx, f->start), sp__free(ctx, f->around);
    *f = (sp_body_field){0};
}

// elements around each node, in compressed rows (CSR)
static sp_status find_neighbours(sp_context *ctx, sp_body_field *f) {
    int corners = 4 * f->element_count;
    if (!SP_NEW(ctx, f->start, (size_t)f->node_count + 2) || !SP_NEW(ctx, f->around, (size_t)corners + 1)) return SP_NO_MEMORY;
    for (int i = 0; i < corners; i++) f->start[f->element[i] + 2]++;
    for (int n = 0; n < f->node_count; n++) f->start[n + 2] += f->start[n + 1];
    for (int i = 0; i < corners; i++) f->around[f->start[f->element[i] + 1]++] = i / 4;
    return SP_OK;
}

static sp_status average_to_nodes(sp_context *ctx, sp_body_field *f, const double *value, int components) {
    int *count = sp__alloc(ctx, (size_t)f->node_count + 1, sizeof *count);
    if (!count) return SP_NO_MEMORY;
    for (int i = 0; i < 4 * f->element_count; i++) {
        f->of_node[f->element[i]] += length_of(value + (size_t)(i / 4) * (size_t)components, components);
        count[f->element[i]]++;
    }
    for (int n = 0; n < f->node_count; n++) f->of_node[n] /= count[n] ? count[n] : 1;
    sp__free(ctx, count);
    return SP_OK;
}

static sp_status spread(sp_context *ctx, sp_body_field *f, const sp_field_info *info, double *value) {
    for (int n = 0; n < f->node_count && info->on == SP_ON_NODES; n++)
        f->of_node[n] = length_of(value + (size_t)n * (size_t)info->components, info->components);
    if (info->on == SP_ON_NODES) return SP_OK;
    if (info->values == SP_VALUES_CONTINUOUS) return average_to_nodes(ctx, f, value, info->components);
    if (!SP_NEW(ctx, f->flat, (size_t)f->element_count + 1)) return SP_NO_MEMORY;
    for (int e = 0; e < f->element_count; e++) f->flat[e] = value[(size_t)e * (size_t)info->components];
    return find_neighbours(ctx, f);
}

// the nodes of all elements
static sp_status take_elements(sp_world *world, const sp_snapshot_body *b, sp_body_field *out) {
    if (!b->rings) return sp_world_tets(world, b->id, out->element);
    sp__rings_elements(b, out->element_count, out->element);
    return SP_OK;
}

sp_status sp__field_take(sp_context *ctx, sp_world *world, const sp_snapshot_body *b, const char *field, sp_body_field *out) {
    sp_field_info info, nodes;
    sp_body_info size;
    double *value = NULL;
    *out = (sp_body_field){0};
    SP_TRY(sp_world_field_info(world, b->id, field, &info));
    SP_TRY(sp_world_field_info(world, b->id, "position", &nodes));
    SP_TRY(sp_world_body_info(world, b->id, &size));
    out->node_count = nodes.count, out->element_count = size.elements;
    sp_status status = SP_NO_MEMORY;
    if (SP_NEW(ctx, out->element, 4 * (size_t)size.elements + 1) && SP_NEW(ctx, out->of_node, (size_t)nodes.count + 1) &&
        SP_NEW(ctx, value, (size_t)info.count * (size_t)info.components + 1)) {
        status = take_elements(world, b, out);
        if (status >= 0) status = sp_world_field(world, b->id, field, value);
        if (status >= 0) status = spread(ctx, out, &info, value);
    }
    sp__free(ctx, value);
    if (status < 0) sp__field_free(ctx, out);
    return status;
}

// ---------------------------------------------------------------------------------------------------- interpolation

static bool element_has(const sp_body_field *f, int element, int node) {
    const int *n = f->element + 4 * (size_t)element;
    return n[0] == node || n[1] == node || n[2] == node || n[3] == node;
}

// the element of a boundary face: the one that has all its nodes
static int element_behind(const sp_body_field *f, const int node[3]) {
    for (int k = f->start[node[0]]; k < f->start[node[0] + 1]; k++)
        if (element_has(f, f->around[k], node[1]) && element_has(f, f->around[k], node[2])) return f->around[k];
    return -1;
}

void sp__field_corners(const sp_body_field *field, const sp_snapshot_body *body, double *out) {
    for (int f = 0; f < body->face_count; f++) {
        int node[3], behind = -1;
        for (int k = 0; k < 3; k++) node[k] = body->nodes[body->faces[3 * (size_t)f + (size_t)k]];
        if (field->flat) behind = element_behind(field, node);
        for (int k = 0; k < 3; k++) out[3 * (size_t)f + (size_t)k] = behind >= 0 ? field->flat[behind] : field->of_node[node[k]];
    }
}

static double at_anchor(const sp_body_field *f, const sp_anchor *a) {
    if (a->elem >= (uint32_t)f->element_count) return 0;
    if (f->flat) return f->flat[a->elem];
    const int *n = f->element + 4 * (size_t)a->elem;
    double rest = 1 - a->at[0] - a->at[1] - a->at[2], sum = rest * f->of_node[n[0]];
    for (int k = 0; k < 3; k++) sum += a->at[k] * f->of_node[n[k + 1]];
    return sum;
}

void sp__field_riding(const sp_body_field *field, const sp_snapshot_surface *surface, double *out) {
    for (size_t i = 0; i < 3 * (size_t)surface->face_count; i++) out[i] = at_anchor(field, &surface->anchors[surface->faces[i]]);
    // values that must not be interpolated: the face gets the value of its first corner
    for (size_t i = 0; i < 3 * (size_t)surface->face_count && field->flat; i++) out[i] = out[i - i % 3];
}

// ---------------------------------------------------------------------------------------------------- boundary conditions and
// loads

// a vector field over nodes; the caller frees it
static sp_status node_vectors(sp_context *ctx, sp_world *world, sp_body_id id, const char *field, double **out, int *count) {
    sp_field_info info;
    SP_TRY(sp_world_field_info(world, id, field, &info));
    if (!SP_NEW(ctx, *out, 3 * (size_t)info.count + 1)) return SP_NO_MEMORY;
    *count = info.count;
    return sp_world_field(world, id, field, *out);
}

sp_status sp__field_held(sp_context *ctx, sp_world *world, const sp_snapshot_body *body, sp_soup *soup) {
    double *force = NULL;
    int count;
    sp_status status = node_vectors(ctx, world, body->id, "force", &force, &count);
    if (status >= 0 && body->rings) status = sp__rings_held(ctx, body, force, soup);
    for (int v = 0; v < body->vertex_count && status >= 0 && !body->rings; v++) {
        const float *p = body->positions + 3 * (size_t)v;
        double at[3] = {p[0], p[1], p[2]};
        if (length_of(force + 3 * (size_t)body->nodes[v], 3) > 0) status = sp__soup_marker(ctx, soup, at);
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
