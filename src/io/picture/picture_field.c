// Colours from fields: values of nodes, or of elements averaged to their nodes, carried to the corners of the drawn faces.
#include "io/picture/picture.h"

typedef struct sp_neighbours {
    int node_count;
    int *element;         // elements x 4: their nodes
    int *start, *around;  // elements around each node
} sp_neighbours;

bool sp__picture_field(const char *name, sp_legend *out) {
    static const struct {
        const char *name, *label, *unit;
        double shown;
    } known[] = {{"displacement", "displacement", "m", 1},
                 {"velocity", "speed", "m/s", 1},
                 {"von-mises", "von Mises stress", "Pa", 1},
                 {"rotation", "rotation", "", 180 / 3.14159265358979323846},
                 {"region", "region", "", 1},
                 {"refresh", "steps since refresh", "", 1}};
    for (size_t i = 0; i < sizeof known / sizeof known[0]; i++) {
        if (strcmp(known[i].name, name) != 0) continue;
        *out = (sp_legend){.unit = known[i].unit, .shown = known[i].shown, .regions = i == 4};
        memcpy(out->label, known[i].label, strlen(known[i].label) + 1);
        if (i == 3) memcpy(out->label, "rotation [deg]", 15);
        return true;
    }
    return false;
}

// ---- who is around a node

static void free_neighbours(sp_context *ctx, sp_neighbours *m) {
    sp__free(ctx, m->element), sp__free(ctx, m->start), sp__free(ctx, m->around);
}

// the elements around each node, in compressed rows
static sp_status find_neighbours(sp_context *ctx, sp_world *world, sp_body_id id, int count, sp_neighbours *m) {
    sp_field_info nodes;
    SP_TRY(sp_world_field_info(world, id, "position", &nodes));
    m->node_count = nodes.count;
    if (!SP_NEW(ctx, m->element, 4 * (size_t)count) || !SP_NEW(ctx, m->start, (size_t)nodes.count + 2) ||
        !SP_NEW(ctx, m->around, 4 * (size_t)count))
        return SP_NO_MEMORY;
    SP_TRY(sp_world_tets(world, id, m->element));
    for (int i = 0; i < 4 * count; i++) m->start[m->element[i] + 2]++;
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

static double around_mean(const sp_neighbours *m, int node, const double *value, int components) {
    double sum = 0;
    int first = m->start[node], last = m->start[node + 1];
    for (int k = first; k < last; k++) sum += length_of(value + (size_t)m->around[k] * (size_t)components, components);
    return last > first ? sum / (last - first) : 0;
}

static bool element_has(const sp_neighbours *m, int element, int node) {
    const int *n = m->element + 4 * (size_t)element;
    return n[0] == node || n[1] == node || n[2] == node || n[3] == node;
}

// the element behind a face: the one that has all its corners
static int element_behind(const sp_neighbours *m, const int node[3]) {
    for (int k = m->start[node[0]]; k < m->start[node[0] + 1]; k++)
        if (element_has(m, m->around[k], node[1]) && element_has(m, m->around[k], node[2])) return m->around[k];
    return -1;
}

static void write_corners(const sp_neighbours *m, const sp_snapshot_body *body, const sp_field_info *info, bool flat,
                          const double *value, double *out) {
    for (int f = 0; f < body->face_count; f++) {
        int node[3], behind = -1;
        for (int k = 0; k < 3; k++) node[k] = body->nodes[body->faces[3 * (size_t)f + (size_t)k]];
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
    sp_neighbours m = {0};
    sp_field_info info;
    double *value = NULL;
    sp_status status = sp_world_field_info(world, body->id, field, &info);
    if (status < 0) return status;
    if (info.on_elements) status = find_neighbours(ctx, world, body->id, info.count, &m);
    if (status >= 0 && !SP_NEW(ctx, value, (size_t)info.count * (size_t)info.components)) status = SP_NO_MEMORY;
    if (status >= 0) status = sp_world_field(world, body->id, field, value);
    bool flat = strcmp(field, "region") == 0 || strcmp(field, "refresh") == 0;
    if (status >= 0) write_corners(&m, body, &info, flat, value, out);
    sp__free(ctx, value);
    free_neighbours(ctx, &m);
    return status;
}

sp_status sp__field_held(sp_context *ctx, sp_world *world, const sp_snapshot_body *body, unsigned char *held) {
    sp_field_info info;
    double *force = NULL;
    SP_TRY(sp_world_field_info(world, body->id, "force", &info));
    if (!SP_NEW(ctx, force, 3 * (size_t)info.count)) return SP_NO_MEMORY;
    sp_status status = sp_world_field(world, body->id, "force", force);
    for (int v = 0; v < body->vertex_count && status >= 0; v++) held[v] = length_of(force + 3 * (size_t)body->nodes[v], 3) > 0;
    sp__free(ctx, force);
    return status;
}
