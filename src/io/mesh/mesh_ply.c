// PLY, the Stanford polygon format (Turk 1994): text or binary of either byte order. Positions, normals, texture coordinates,
// colours, faces and tetrahedra are recognised by their usual names. Other properties become arrays, and an array "group:<name>"
// becomes a group (mesh_members.h). Unknown elements are skipped.
#include "io/mesh/mesh_ply.h"

#include <limits.h>

#include "io/mesh/mesh_members.h"

static bool ply_named(const char *name, const char *const *list) {
    for (; *list; list++)
        if (strcmp(name, *list) == 0) return true;
    return false;
}

static sp_ply_property *ply_find(sp_ply *r, const sp_ply_element *e, const char *const *names) {
    for (int i = 0; i < e->property_count; i++)
        if (ply_named(r->properties[e->first_property + i].name, names)) return &r->properties[e->first_property + i];
    return NULL;
}

// plans the properties that form one vector of a vertex, if all of them are present
static bool plan_tuple(sp_ply *r, const sp_ply_element *e, int n, const char *const *const *names, int step, double **out) {
    sp_ply_property *p[3];
    for (int k = 0; k < n; k++)
        if (!(p[k] = ply_find(r, e, names[k])) || p[k]->list || p[k]->role != SP_PLY_SKIP) return true;
    if (!SP_KEEP(&r->w.cells->keep, *out, (size_t)step * (size_t)e->count)) return false;
    for (int k = 0; k < n; k++) p[k]->role = SP_PLY_FINITE, p[k]->out = *out + k, p[k]->step = step;
    return true;
}

#define NAMES(...) ((const char *const[]){__VA_ARGS__, NULL})

// colours as bytes, 16-bit integers or numbers in [0, 1]
static bool plan_colors(sp_ply *r, const sp_ply_element *e) {
    sp_cells *c = r->w.cells;
    const char *const *const names[] = {NAMES("red", "diffuse_red"), NAMES("green", "diffuse_green"),
                                        NAMES("blue", "diffuse_blue")};
    if (!plan_tuple(r, e, 3, names, 4, &c->colors)) return false;
    if (!c->colors) return true;
    for (int64_t i = 0; i < e->count; i++) c->colors[4 * i + 3] = 1;
    sp_ply_property *alpha = ply_find(r, e, NAMES("alpha", "diffuse_alpha"));
    if (alpha && !alpha->list && alpha->role == SP_PLY_SKIP)
        alpha->role = SP_PLY_FINITE, alpha->out = c->colors + 3, alpha->step = 4;
    for (int i = 0; i < e->property_count; i++) {
        sp_ply_property *p = &r->properties[e->first_property + i];
        bool color = p->role == SP_PLY_FINITE && p->step == 4;
        if (color && sp__number_integral(p->type)) p->over = p->type == SP_UINT16 ? UINT16_MAX : UINT8_MAX;
    }
    return true;
}

static bool plan_vertex(sp_ply *r, const sp_ply_element *e) {
    sp_cells *c = r->w.cells;
    const char *const *const xyz[] = {NAMES("x"), NAMES("y"), NAMES("z")}, *const *const normal[] = {NAMES("nx"), NAMES("ny"),
                                                                                                     NAMES("nz")};
    const char *const *const uv[] = {NAMES("s", "u", "texture_u", "texture_s"), NAMES("t", "v", "texture_v", "texture_t")};
    if (!plan_tuple(r, e, 3, xyz, 3, &c->x) || !plan_tuple(r, e, 3, normal, 3, &c->normals) ||
        !plan_tuple(r, e, 2, uv, 2, &c->texcoords) || !plan_colors(r, e))
        return false;
    c->node_count = (int)e->count;
    c->normal_count = c->normals ? c->node_count : 0;
    c->texcoord_count = c->texcoords ? c->node_count : 0;
    return true;
}

// ------------------------------------------------------------------------------------------------ cells

static sp_status plan_cells(sp_ply *r, const sp_ply_element *e) {
    sp_cells *c = r->w.cells;
    if (e->kind == SP_PLY_EDGE) {
        sp_ply_property *ends[2] = {ply_find(r, e, NAMES("vertex1")), ply_find(r, e, NAMES("vertex2"))};
        for (int k = 0; k < 2; k++) {
            if (!ends[k] || ends[k]->list || !sp__number_integral(ends[k]->type))
                return SP_WORDS_FAIL(&r->w, "element edge needs the integers vertex1 and vertex2");
            ends[k]->role = SP_PLY_END;
        }
        return SP_OK;
    }
    sp_ply_property *nodes = ply_find(r, e, NAMES("vertex_indices", "vertex_index"));
    sp_ply_property *uv = e->kind == SP_PLY_FACE ? ply_find(r, e, NAMES("texcoord")) : NULL;
    if (!nodes || !nodes->list || !sp__number_integral(nodes->type))
        return SP_WORDS_FAIL(&r->w, "element %s needs a list of integers vertex_indices", e->name);
    nodes->role = SP_PLY_NODES;
    if (!uv || !uv->list) return SP_OK;
    uv->role = SP_PLY_TEXCOORDS;
    int64_t capacity = (r->w.end - r->w.at) / (r->ascii ? 2 : (int64_t)sp__number_size(uv->type)) + 1;
    if (capacity > r->uv_capacity) r->uv_capacity = capacity;
    if (!r->uv_start && !SP_KEEP(&c->keep, r->uv_start, (size_t)c->cell_count + 1)) return sp__cells_no_memory(c);
    return SP_OK;
}

bool sp__ply_array_reserve(sp_ply *r, int64_t tuples, int64_t components) {
    // elements share arrays over all cells: bound their total size, since one short element could allocate many long arrays
    r->array_values += tuples * components;
    return r->array_values <= 16 * (r->w.end - r->begin);
}

// each remaining property becomes an array over the points or cells
static sp_status plan_arrays(sp_ply *r, const sp_ply_element *e) {
    sp_cells *c = r->w.cells;
    bool on_cells = e->kind != SP_PLY_VERTEX;
    for (int i = 0; i < e->property_count; i++) {
        sp_ply_property *p = &r->properties[e->first_property + i];
        if (p->role != SP_PLY_SKIP) continue;
        if (p->list) {
            p->role = SP_PLY_ARRAY;
            continue;
        }
        double *values = NULL;
        for (int a = 0; a < c->array_count; a++)  // faces and tetrahedra share one array
            if (c->arrays[a].on_cells == on_cells && strcmp(c->arrays[a].name, p->name) == 0) values = c->arrays[a].values;
        if (!values) {
            int64_t n = on_cells ? c->cell_count : c->node_count;
            if (!sp__ply_array_reserve(r, n, 1)) return SP_PLY_FAIL(r, "more properties of few cells than the file has room for");
            if (!SP_KEEP(&c->keep, values, n)) return sp__cells_no_memory(c);
            c->arrays[c->array_count++] = (sp_cells_array){p->name, 1, on_cells, sp__number_integral(p->type), values};
        }
        p->role = SP_PLY_VALUES;
        p->out = values + (on_cells ? e->first_cell : 0);
        p->step = 1;
    }
    return SP_OK;
}

// checks all counts against the file size before anything is allocated
static sp_status check_counts(sp_ply *r, int64_t *cells) {
    int64_t left = r->w.end - r->w.at;
    int vertex_elements = 0;
    *cells = 0;
    for (int i = 0; i < r->element_count; i++) {
        sp_ply_element *e = &r->elements[i];
        if (e->kind == SP_PLY_OTHER) continue;
        if (e->count > left || e->count > INT_MAX / 4)
            return SP_PLY_FAIL(r, "%lld of element '%.40s' are announced, but the rest of the file has %lld bytes",
                               (long long)e->count, e->name, (long long)left);
        if (e->kind == SP_PLY_VERTEX) {
            vertex_elements++;
            continue;
        }
        e->first_cell = (int)*cells;
        *cells += e->count;
    }
    if (vertex_elements != 1) return SP_PLY_FAIL(r, "%d elements 'vertex', must be one", vertex_elements);
    if (*cells > left)
        return SP_PLY_FAIL(r, "%lld cells are announced, but the rest of the file has %lld bytes", (long long)*cells,
                           (long long)left);
    return SP_OK;
}

// bound of the cell nodes: what the rest of the file could hold, since the lengths of lists are not known yet
static int64_t corners_at_most(sp_ply *r) {
    int64_t left = r->w.end - r->w.at, most = 0, in_faces = 0;
    for (int i = 0; i < r->element_count; i++) {
        const sp_ply_element *e = &r->elements[i];
        if (e->kind == SP_PLY_EDGE) most += 2 * e->count;
        if (e->kind == SP_PLY_TET) most += 4 * e->count;
        const sp_ply_property *p = e->kind == SP_PLY_FACE ? ply_find(r, e, NAMES("vertex_indices", "vertex_index")) : NULL;
        int64_t capacity = p ? left / (r->ascii ? 2 : (int64_t)sp__number_size(p->type)) + 1 : 0;
        if (capacity > in_faces) in_faces = capacity;
    }
    return most + in_faces;
}

sp_status sp__ply_plan(sp_ply *r) {
    sp_cells *c = r->w.cells;
    int64_t cells;
    SP_TRY(check_counts(r, &cells));
    r->corner_capacity = corners_at_most(r);
    if (cells > INT_MAX / 4) return SP_PLY_FAIL(r, "%lld cells, at most %d are allowed", (long long)cells, INT_MAX / 4);
    if (!sp__cells_reserve(c, (int)cells, r->corner_capacity) || !SP_KEEP(&c->keep, c->arrays, r->property_count))
        return sp__cells_no_memory(c);
    for (int i = 0; i < r->element_count; i++) {
        const sp_ply_element *e = &r->elements[i];
        if (e->kind == SP_PLY_OTHER) {
            if (e->count) sp__log(c->ctx, SP_LOG_INFO, "%s: element '%.40s' is not used", c->file, e->name);
            continue;
        }
        if (e->kind == SP_PLY_VERTEX && !plan_vertex(r, e)) return sp__cells_no_memory(c);
        if (e->kind != SP_PLY_VERTEX) SP_TRY(plan_cells(r, e));
    }
    if (!c->x) return SP_PLY_FAIL(r, "element vertex needs the properties x, y and z");
    for (int i = 0; i < r->element_count; i++)
        if (r->elements[i].kind != SP_PLY_OTHER) SP_TRY(plan_arrays(r, &r->elements[i]));
    if (r->uv_capacity && !SP_KEEP(&c->keep, r->uv, r->uv_capacity)) return sp__cells_no_memory(c);
    return SP_OK;
}

// ------------------------------------------------------------------------------------------------ reader

// reserves the nodes of the edges when the reader reaches their element
static void begin_edges(sp_ply *r, const sp_ply_element *e) {
    sp_cells *c = r->w.cells;
    for (int i = 0; i < e->property_count; i++) {
        sp_ply_property *p = &r->properties[e->first_property + i];
        if (p->role == SP_PLY_END) p->int_out = c->nodes + r->corner_count + (strcmp(p->name, "vertex2") == 0);
    }
    for (int64_t i = 0; i < e->count; i++) {
        c->type[e->first_cell + i] = SP_CELL_LINE;
        c->start[e->first_cell + i + 1] = r->corner_count += 2;
    }
}

// builds the texture coordinates per corner; faces without a list have none
static sp_status settle_texcoords(sp_ply *r) {
    sp_cells *c = r->w.cells;
    if (!r->uv_start || !r->uv_count) return SP_OK;
    if (!SP_KEEP(&c->keep, c->corner_texcoords, c->start[c->cell_count])) return sp__cells_no_memory(c);
    int64_t uv = 0;
    for (int i = 0; i < c->cell_count; i++) {
        if (r->uv_start[i + 1] < uv) r->uv_start[i + 1] = uv;
        int64_t corners = c->start[i + 1] - c->start[i], numbers = r->uv_start[i + 1] - uv;
        if (numbers && numbers != 2 * corners)
            return SP_PLY_FAIL(r, "face %d has %lld texture coordinates, must have %lld", i, (long long)numbers,
                               2 * (long long)corners);
        for (int64_t k = 0; k < corners; k++) c->corner_texcoords[c->start[i] + k] = numbers ? (int)(uv / 2 + k) : -1;
        uv = r->uv_start[i + 1];
    }
    c->texcoords = r->uv;
    c->texcoord_count = (int)(uv / 2);
    return SP_OK;
}

// some files store colours in 0..255 as other types than bytes
static sp_status check_colors(sp_ply *r) {
    sp_cells *c = r->w.cells;
    double brightest = 0;
    for (size_t i = 0; c->colors && i < 4 * (size_t)c->node_count; i++) {
        if (!(c->colors[i] >= 0 && c->colors[i] <= 255))
            return SP_PLY_FAIL(r, "a colour of vertex %zu is %g, must be in [0, 1]", i / 4, c->colors[i]);
        if (c->colors[i] > brightest) brightest = c->colors[i];
    }
    for (size_t i = 0; brightest > 1 && i < 4 * (size_t)c->node_count; i++)
        if (i % 4 < 3 || c->colors[i] > 1) c->colors[i] /= 255;
    return SP_OK;
}

static sp_status check_end(sp_ply *r) {
    sp__words_space(&r->w);
    if (r->w.at == r->w.end) return SP_OK;
    return SP_PLY_FAIL(r, "%lld bytes are left after the last element", (long long)(r->w.end - r->w.at));
}

sp_status sp__ply_read(sp_cells *cells, const char *text, size_t size, const char *path) {
    (void)path;
    sp_ply r = {.w = sp__words(cells, text, size), .begin = text};
    SP_TRY(sp__ply_header(&r));
    SP_TRY(sp__ply_plan(&r));
    for (int i = 0; i < r.element_count; i++) {
        if (r.elements[i].kind == SP_PLY_EDGE) begin_edges(&r, &r.elements[i]);
        SP_TRY(sp__ply_rows(&r, &r.elements[i]));
    }
    SP_TRY(check_end(&r));
    SP_TRY(check_colors(&r));
    SP_TRY(settle_texcoords(&r));
    return sp__members_from_arrays(cells);
}

static bool ply_knows(const char *head, size_t size) {
    return size >= 4 && memcmp(head, "ply", 3) == 0 && (head[3] == '\n' || head[3] == '\r' || head[3] == ' ');
}

const sp_mesh_format sp__format_ply = {"ply", ".ply", "PLY", ply_knows, sp__ply_read, sp__ply_write};
