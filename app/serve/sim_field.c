// Fields at the vertices of surfaces: values of nodes, or of elements averaged to their nodes, carried to the vertices. What must
// not be mixed (regions, ages) is that of an element at the vertex.
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "serve/sim_internal.h"

// A field of one body on its way to the vertices.
typedef struct carried {
    const sp_sim_body *body;
    double *raw;      // as the engine gives it
    double *of_node;  // NULL: there are only elements
    double *of_element;
    int *around;  // elements at each node
    int nodes, elements;
    bool discrete;
} carried;

static double length_of(const double *v, int components) {
    double sum = 0;
    for (int i = 0; i < components; i++) sum += v[i] * v[i];
    return components == 1 ? v[0] : sqrt(sum);
}

static void spread(carried *c) {
    const int *tets = c->body->tets;
    for (int n = 0; n < c->nodes; n++) c->of_node[n] = 0, c->around[n] = 0;
    for (int i = 0; i < 4 * c->elements; i++) {
        double value = c->of_element[i / 4], *to = &c->of_node[tets[i]];
        // of what must not be mixed the greatest is shown
        *to = !c->discrete || c->around[tets[i]] == 0 ? (c->discrete ? value : *to + value) : fmax(*to, value);
        c->around[tets[i]]++;
    }
    for (int n = 0; n < c->nodes && !c->discrete; n++) c->of_node[n] /= c->around[n] ? c->around[n] : 1;
}

// scratch: raw values, one number a node, one an element, and counts in the place of numbers
static bool take(sp_sim *s, const sp_sim_body *body, int code, carried *c) {
    sp_field_info info, nodes;
    sp_world *w = s->stage.world;
    *c = (carried){.body = body};
    if (!sp__wire_field(code, &info) || sp_world_field_info(w, body->id, info.name, &info) < 0 ||
        sp_world_field_info(w, body->id, "position", &nodes) < 0)
        return false;
    size_t raw = (size_t)info.count * (size_t)info.components, n = (size_t)nodes.count, e = (size_t)info.count;
    double *room = sp__sim_numbers(s, raw + 2 * n + e + 1);
    if (!room) return false;
    c->raw = room, c->nodes = nodes.count, c->discrete = info.values != SP_VALUES_CONTINUOUS;
    if (sp_world_field(w, body->id, info.name, c->raw) < 0) return false;
    double *one = room + raw + 2 * n;
    for (size_t i = 0; i < e; i++) one[i] = length_of(c->raw + i * (size_t)info.components, info.components);
    if (info.on == SP_ON_NODES) {
        c->of_node = one;
        return true;
    }
    c->of_element = one, c->elements = info.count;
    if (!body->tets) return true;
    if (c->elements != body->elements) return false;
    c->of_node = room + raw, c->around = (int *)(void *)(room + raw + n);
    spread(c);
    return true;
}

// ---------------------------------------------------------------------------------------------------- to the vertices

static void carry_own(const carried *c, const sp_snapshot_body *b, float *out) {
    if (c->of_node && b->nodes) {
        for (int v = 0; v < b->vertex_count; v++) out[v] = b->nodes[v] < c->nodes ? (float)c->of_node[b->nodes[v]] : NAN;
        return;
    }
    // elements of a rod: ring by ring
    for (int r = 0; r < b->ring_count; r++) {
        int end = r + 1 < b->ring_count ? b->rings[r + 1].vertex : b->vertex_count;
        int element = b->rings[r].element;
        for (int v = b->rings[r].vertex; v < end; v++) out[v] = element < c->elements ? (float)c->of_element[element] : NAN;
    }
}

static float at_anchor(const carried *c, const sp_anchor *a) {
    if (!c->body->tets || a->elem >= (uint32_t)c->body->elements) return NAN;
    if (c->discrete && c->of_element) return (float)c->of_element[a->elem];
    const int *n = c->body->tets + 4 * (size_t)a->elem;
    double sum = (1 - a->at[0] - a->at[1] - a->at[2]) * c->of_node[n[0]];
    for (int k = 0; k < 3; k++) sum += a->at[k] * c->of_node[n[k + 1]];
    return (float)sum;
}

void sp__sim_field(sp_sim *s, const sp_snapshot *shot, int code, float *out) {
    for (int i = 0; i < shot->body_count; i++) {
        const sp_snapshot_body *b = &shot->bodies[i];
        const sp_sim_body *body = sp__sim_body(s, b->id.slot);
        carried c = {0};
        bool known = body && take(s, body, code, &c);
        for (int k = 0; k <= b->surface_count; k++) {
            sp_surface_view v;
            sp__surface_view(b, k, &v);
            for (int n = 0; n < v.vertex_count; n++) out[n] = NAN;
            if (known && k == 0) carry_own(&c, b, out);
            for (int n = 0; known && k > 0 && n < v.vertex_count; n++) out[n] = at_anchor(&c, &v.anchors[n]);
            out += v.vertex_count;
        }
    }
}
