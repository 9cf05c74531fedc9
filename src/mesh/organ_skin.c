// A block of skin, fat and muscle with an incision, on a structured grid: borders of layers and lips are straight at any
// resolution, which the implicit shapes of organ_shapes.c are not where surfaces meet at an edge.
//
//            back lip   front lip
//       ____________ \ / ____________  skin     1/6 of the height
//                     |                fat      2/6
//                     |                muscle   3/6; the incision ends at two thirds of its height
//       -----------------------------  base
//
// The incision lies in the plane z = 0. Its nodes exist twice, except at its ends and at its bottom. At rest it is open by a
// small wedge: points of both sides stay apart, so that embedded vertices find the elements of their own side.
#include "math/vec3.h"
#include "mesh/grid.h"
#include "mesh/organ.h"

enum { LAYERS = 3, SIXTHS = 6, PATCHES = 3 };

static const double HEIGHT = 0.3, WIDTH = 0.8;  // relative to the length
static const double HALF = 0.3;                 // half of the length of the incision
static const double GAP = 0.006;                // half of its width in the middle, at the surface
static const double LIP = 0.5;                  // the groups of the lips: this middle share of the incision

typedef struct skin {
    int cells[3];
    double length, half;  // half: of the incision, a whole number of cells [m]
} skin;

// even numbers of cells along x and z, whole cells in every layer
static skin skin_cells(double length, int elements) {
    double across = cbrt(elements / (5 * (1 / HEIGHT) * (WIDTH / HEIGHT)));
    int rows = SIXTHS * (int)fmax(1, round(across / SIXTHS));
    double columns = elements / (5.0 * rows);
    int nx = 2 * (int)fmax(5, round(0.5 * sqrt(columns / WIDTH))), nz = 2 * (int)fmax(2, round(0.5 * columns / nx));
    return (skin){.cells = {nx, rows, nz}, .length = length, .half = round(HALF * nx) / nx * length};
}

// Finer cells near the incision: half the mean width there, twice at the sides. The origin is the centre.
static void place_skin(const void *arg, int i, int j, int l, double x[3]) {
    const skin *s = arg;
    double t = 2.0 * l / s->cells[2] - 1;
    x[0] = s->length * ((double)(2 * i - s->cells[0]) / (2 * s->cells[0]));
    x[1] = s->length * HEIGHT * ((double)(2 * j - s->cells[1]) / (2 * s->cells[1]));
    x[2] = s->length * WIDTH * 0.5 * (0.5 * t + 0.5 * t * t * t);
}

// Half of the gap at a point of the plane z = 0; 0 where both sides are connected. Positions are multiples of the cell size: the
// ends and the bottom are met up to rounding.
static double half_gap(const skin *s, const double x[3]) {
    double top = 0.5 * HEIGHT * s->length, bottom = top - 4.0 / SIXTHS * HEIGHT * s->length, small = 1e-9 * s->length;
    if (fabs(x[2]) > small || fabs(x[0]) > s->half - small || x[1] < bottom + small) return 0;
    double u = x[0] / s->half;
    return GAP * s->length * (1 - u * u) * (x[1] - bottom) / (top - bottom);
}

typedef struct skin_work {
    double *x;
    int *tets, *twin, *members, *nodes;  // twin: the node on the back side, or the node itself
    int node_count;
    unsigned char *mark;
} skin_work;

// nodes of the incision twice, each moved to its side; tetrahedra behind it take the second
static void open_incision(const skin *s, const sp_mesh *raw, skin_work *w) {
    w->node_count = raw->node_count;
    memcpy(w->x, raw->x, 3 * (size_t)raw->node_count * sizeof *w->x);
    for (int i = 0; i < raw->node_count; i++) {
        double *x = w->x + 3 * (size_t)i, gap = half_gap(s, x);
        w->twin[i] = gap > 0 ? w->node_count++ : i;
        if (gap <= 0) continue;
        double *back = w->x + 3 * (size_t)w->twin[i];
        back[0] = x[0], back[1] = x[1], back[2] = -gap;
        x[2] = gap;
    }
    for (size_t t = 0; t < (size_t)raw->element_count; t++) {
        const int *from = raw->nodes + 4 * t;
        double z = 0;
        for (int k = 0; k < 4; k++) z += raw->x[3 * (size_t)from[k] + 2];
        for (int k = 0; k < 4; k++) w->tets[4 * t + (size_t)k] = z < 0 ? w->twin[from[k]] : from[k];
    }
}

static int find_layers(const skin *s, const sp_mesh *raw, skin_work *w, sp_mesh_group *groups) {
    static const struct {
        const char *name;
        double top;  // sixths of the height
    } layers[LAYERS] = {{"muscle", 3}, {"fat", 5}, {"skin", 6}};
    int used = 0;
    for (int k = 0; k < LAYERS; k++) {
        int begin = used;
        for (int t = 0; t < raw->element_count; t++) {
            double y = 0;
            for (int c = 0; c < 4; c++) y += 0.25 * raw->x[3 * (size_t)raw->nodes[4 * (size_t)t + (size_t)c] + 1];
            double level = SIXTHS * (y / (s->length * HEIGHT) + 0.5);
            if (level < layers[k].top && (k == 0 || level > layers[k - 1].top)) w->members[used++] = t;
        }
        int *nodes = w->nodes + (PATCHES + k) * (size_t)w->node_count, node_count = 0;
        memset(w->mark, 0, (size_t)w->node_count);
        for (int i = 4 * begin; i < 4 * used; i++) w->mark[w->tets[4 * (size_t)w->members[i / 4] + (size_t)(i % 4)]] = 1;
        for (int i = 0; i < w->node_count; i++)
            if (w->mark[i]) nodes[node_count++] = i;
        groups[k] = (sp_mesh_group){.name = layers[k].name,
                                    .nodes = nodes,
                                    .node_count = node_count,
                                    .elements = w->members + begin,
                                    .element_count = used - begin};
    }
    return LAYERS;
}

// side: 0 the base, 1 the front lip, -1 the back lip
static bool in_skin_patch(const skin *s, const skin_work *w, const int *side_of, int node, int side) {
    const double *x = w->x + 3 * (size_t)node;
    double small = 1e-9 * s->length, top = 0.5 * HEIGHT * s->length;
    if (side == 0) return x[1] < small - top;
    return side_of[node] == side && x[1] > top - small && fabs(x[0]) < LIP * s->half + small;
}

static int find_skin_patches(const skin *s, const sp_mesh *raw, skin_work *w, sp_mesh_group *groups) {
    static const char *const names[PATCHES] = {"base", "front-lip", "back-lip"};
    static const int sides[PATCHES] = {0, 1, -1};
    int used = 0, *side_of = w->nodes + (PATCHES + LAYERS) * (size_t)w->node_count;
    for (int i = 0; i < raw->node_count; i++)
        if (w->twin[i] != i) side_of[i] = 1, side_of[w->twin[i]] = -1;
    for (int p = 0; p < PATCHES; p++) {
        int begin = used;
        for (int i = 0; i < w->node_count; i++)
            if (in_skin_patch(s, w, side_of, i, sides[p])) w->nodes[used++] = i;
        groups[p] = (sp_mesh_group){.name = names[p], .nodes = w->nodes + begin, .node_count = used - begin};
    }
    return PATCHES;
}

sp_status sp__organ_skin(sp_context *ctx, double length, int elements, sp_mesh **out) {
    skin s = skin_cells(length, elements);
    skin_work w = {0};
    sp_mesh *raw = NULL;
    sp_mesh_group groups[LAYERS + PATCHES];
    sp_grid grid = {.cells = {s.cells[0], s.cells[1], s.cells[2]}, .per_cell = 5};
    SP_TRY(sp__grid_mesh(ctx, &grid, place_skin, &s, &raw));
    size_t n = 2 * (size_t)raw->node_count, nt = (size_t)raw->element_count;
    sp_status status = SP_NO_MEMORY;
    if (!SP_NEW(ctx, w.x, 3 * n) || !SP_NEW(ctx, w.tets, 4 * nt) || !SP_NEW(ctx, w.twin, n) || !SP_NEW(ctx, w.members, nt) ||
        !SP_NEW(ctx, w.nodes, (PATCHES + LAYERS + 1) * n) || !SP_NEW(ctx, w.mark, n)) {
        SP_FAIL(ctx, SP_NO_MEMORY, "no memory for a block of skin of %zu tetrahedra", nt);
        goto done;
    }
    open_incision(&s, raw, &w);
    sp_mesh_def def = sp_mesh_def_default();
    def.node_count = w.node_count, def.positions = w.x;
    def.element_count = raw->element_count, def.element_nodes = w.tets;
    def.groups = groups;
    def.group_count = find_layers(&s, raw, &w, groups);
    def.group_count += find_skin_patches(&s, raw, &w, groups + def.group_count);
    status = sp_mesh_create(ctx, &def, out);
done:
    sp__free(ctx, w.x);
    sp__free(ctx, w.tets);
    sp__free(ctx, w.twin);
    sp__free(ctx, w.members);
    sp__free(ctx, w.nodes);
    sp__free(ctx, w.mark);
    sp_mesh_destroy(&raw);
    return status;
}
