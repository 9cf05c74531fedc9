// Colours from fields: values of nodes, or of elements averaged to their nodes, carried to the corners of the drawn faces.
//
// A picture knows a body by what everybody can ask of it: the vertices of its surface, the places of its nodes and of points of
// its elements. They are matched by place, rounded to float as snapshots are; where nodes fall on one another either will do.
#include "io/picture.h"
#include "math/vec3.h"

typedef struct sp_places_map {
    float (*key)[3];
    int *node;  // -1: empty
    uint32_t mask;
} sp_places_map;

typedef struct sp_matched {  // a solid taken apart
    int node_count, element_count;
    double *position;     // nodes x 3
    int *element;         // elements x 4
    int *start, *around;  // elements around each node
    int *vertex;          // node of each vertex
    sp_places_map map;
} sp_matched;

bool sp__picture_field(const char *name, sp_legend *out) {
    static const struct {
        const char *name, *label, *unit;
        double shown;
    } known[] = {{"displacement", "displacement", "m", 1},
                 {"velocity", "speed", "m/s", 1},
                 {"von-mises", "von Mises stress", "Pa", 1},
                 {"rotation", "rotation", "", 180 / 3.14159265358979323846},
                 {"region", "region", "", 1}};
    for (size_t i = 0; i < sizeof known / sizeof known[0]; i++) {
        if (strcmp(known[i].name, name) != 0) continue;
        *out = (sp_legend){.unit = known[i].unit, .shown = known[i].shown, .regions = i == 4};
        memcpy(out->label, known[i].label, strlen(known[i].label) + 1);
        if (i == 3) memcpy(out->label, "rotation [deg]", 15);
        return true;
    }
    return false;
}

// ---- places

static uint32_t place_slot(const sp_places_map *map, const float key[3]) {
    uint32_t bits[3];
    memcpy(bits, key, sizeof bits);
    uint64_t mix = sp__mix((uint64_t)bits[0] << 32 | bits[1], bits[2]);
    uint32_t at = (uint32_t)mix & map->mask;
    while (map->node[at] >= 0 && memcmp(map->key[at], key, 3 * sizeof *key) != 0) at = (at + 1) & map->mask;
    return at;
}

static void place_key(const double x[3], float key[3]) {
    for (int i = 0; i < 3; i++) key[i] = (float)x[i] + 0.0f;  // -0 becomes 0
}

static sp_status map_nodes(sp_context *ctx, sp_matched *m) {
    uint32_t size = 16;
    while (size < 2 * (uint32_t)m->node_count) size *= 2;
    m->map.mask = size - 1;
    if (!SP_NEW(ctx, m->map.key, size) || !SP_NEW(ctx, m->map.node, size)) return SP_NO_MEMORY;
    memset(m->map.node, 0xff, size * sizeof *m->map.node);
    for (int i = 0; i < m->node_count; i++) {
        float key[3];
        place_key(m->position + 3 * (size_t)i, key);
        uint32_t at = place_slot(&m->map, key);
        if (m->map.node[at] >= 0) continue;
        memcpy(m->map.key[at], key, sizeof key);
        m->map.node[at] = i;
    }
    return SP_OK;
}

static int node_at(const sp_matched *m, const double x[3]) {
    float key[3];
    place_key(x, key);
    int node = m->map.node[place_slot(&m->map, key)];
    return node < 0 ? 0 : node;
}

// ---- taking a body apart

static void free_matched(sp_context *ctx, sp_matched *m) {
    sp__free(ctx, m->position), sp__free(ctx, m->element), sp__free(ctx, m->start), sp__free(ctx, m->around);
    sp__free(ctx, m->vertex), sp__free(ctx, m->map.key), sp__free(ctx, m->map.node);
}

static sp_status match_vertices(sp_context *ctx, sp_world *world, const sp_snapshot_body *body, sp_matched *m) {
    sp_field_info info;
    SP_TRY(sp_world_field_info(world, body->id, "position", &info));
    m->node_count = info.count;
    if (!SP_NEW(ctx, m->position, 3 * (size_t)info.count + 1) || !SP_NEW(ctx, m->vertex, (size_t)body->vertex_count + 1))
        return SP_NO_MEMORY;
    SP_TRY(sp_world_field(world, body->id, "position", m->position));
    SP_TRY(map_nodes(ctx, m));
    for (int v = 0; v < body->vertex_count; v++) {
        const float *p = body->positions + 3 * (size_t)v;
        double x[3] = {p[0], p[1], p[2]};
        m->vertex[v] = node_at(m, x);
    }
    return SP_OK;
}

// the nodes of an element are where its corners are; then the elements around each node, in compressed rows
static sp_status match_elements(sp_context *ctx, sp_world *world, sp_body_id id, int count, sp_matched *m) {
    m->element_count = count;
    if (!SP_NEW(ctx, m->element, 4 * (size_t)count + 1) || !SP_NEW(ctx, m->start, (size_t)m->node_count + 2) ||
        !SP_NEW(ctx, m->around, 4 * (size_t)count + 1))
        return SP_NO_MEMORY;
    for (int i = 0; i < 4 * count; i++) {
        sp_anchor a = {.body = id.slot, .elem = (uint32_t)(i / 4)};
        double x[3];
        if (i % 4 > 0) a.at[i % 4 - 1] = 1;
        SP_TRY(sp_world_anchor_get(world, &a, x, NULL));
        m->element[i] = node_at(m, x);
        m->start[m->element[i] + 2]++;
    }
    for (int n = 0; n < m->node_count; n++) m->start[n + 2] += m->start[n + 1];
    for (int i = 0; i < 4 * count; i++) m->around[m->start[m->element[i] + 1]++] = i / 4;
    return SP_OK;
}

// ---- values

static double length_of(const double *v, int components) {
    double sum = 0;
    for (int i = 0; i < components; i++) sum += v[i] * v[i];
    return components == 1 ? v[0] : sqrt(sum);
}

static double around_mean(const sp_matched *m, int node, const double *value, int components) {
    double sum = 0;
    int first = m->start[node], last = m->start[node + 1];
    for (int k = first; k < last; k++) sum += length_of(value + (size_t)m->around[k] * (size_t)components, components);
    return last > first ? sum / (last - first) : 0;
}

static bool element_has(const sp_matched *m, int element, int node) {
    const int *n = m->element + 4 * (size_t)element;
    return n[0] == node || n[1] == node || n[2] == node || n[3] == node;
}

// the element behind a face: the one that has all its corners
static int element_behind(const sp_matched *m, const int node[3]) {
    for (int k = m->start[node[0]]; k < m->start[node[0] + 1]; k++)
        if (element_has(m, m->around[k], node[1]) && element_has(m, m->around[k], node[2])) return m->around[k];
    return -1;
}

static void write_corners(const sp_matched *m, const sp_snapshot_body *body, const sp_field_info *info, bool flat,
                          const double *value, double *out) {
    for (int f = 0; f < body->face_count; f++) {
        int node[3], behind = -1;
        for (int k = 0; k < 3; k++) node[k] = m->vertex[body->faces[3 * (size_t)f + (size_t)k]];
        if (flat && info->on_elements) behind = element_behind(m, node);
        for (int k = 0; k < 3; k++) {
            double *to = out + 3 * (size_t)f + (size_t)k;
            if (!info->on_elements)
                *to = length_of(value + (size_t)node[k] * (size_t)info->components, info->components);
            else
                *to = behind >= 0 ? value[(size_t)behind * (size_t)info->components]
                                  : around_mean(m, node[k], value, info->components);
        }
    }
}

sp_status sp__field_corners(sp_context *ctx, sp_world *world, const sp_snapshot_body *body, const char *field, double *out) {
    sp_matched m = {0};
    sp_field_info info;
    double *value = NULL;
    sp_status status = sp_world_field_info(world, body->id, field, &info);
    if (status < 0) return status;
    status = match_vertices(ctx, world, body, &m);
    if (status >= 0 && info.on_elements) status = match_elements(ctx, world, body->id, info.count, &m);
    if (status >= 0 && !SP_NEW(ctx, value, (size_t)info.count * (size_t)info.components + 1)) status = SP_NO_MEMORY;
    if (status >= 0) status = sp_world_field(world, body->id, field, value);
    if (status >= 0) write_corners(&m, body, &info, strcmp(field, "region") == 0, value, out);
    sp__free(ctx, value);
    free_matched(ctx, &m);
    return status;
}

sp_status sp__field_held(sp_context *ctx, sp_world *world, const sp_snapshot_body *body, unsigned char *held) {
    sp_matched m = {0};
    double *force = NULL;
    sp_status status = match_vertices(ctx, world, body, &m);
    if (status >= 0 && !SP_NEW(ctx, force, 3 * (size_t)m.node_count + 1)) status = SP_NO_MEMORY;
    if (status >= 0) status = sp_world_field(world, body->id, "force", force);
    for (int v = 0; v < body->vertex_count && status >= 0; v++) held[v] = length_of(force + 3 * (size_t)m.vertex[v], 3) > 0;
    sp__free(ctx, force);
    free_matched(ctx, &m);
    return status;
}
