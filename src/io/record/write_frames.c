// Records in other formats than HDF5: numbered mesh files, one per frame, and tables of comma-separated values.
#include "io/record/record.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <sys/stat.h>

#include "io/mesh/cells.h"

// ================================================================================================ numbered files

// Numbered files, one per frame, with the mesh writers: .vtu with a .pvd that lists them with their times, .obj and .ply for
// renderers. A file has all bodies of a frame, with the array "body" and groups by name. A field that a body does not have is NaN
// on it.

typedef struct series {
    sp_growing list;  // .pvd
    bool listed;
    char *frame_path;
    size_t path_size;
} series;

enum { DIGITS = 6 };  // minimum; larger numbers take more
static const char pvd_head[] = "<?xml version=\"1.0\"?>\n<VTKFile type=\"Collection\" version=\"0.1\">\n<Collection>\n";
static const char pvd_tail[] = "</Collection>\n</VTKFile>\n";

// "results/beam.vtu" and 7 give "results/beam-000007.vtu"
static void name_frame(const sp_sink *s, series *n, long frame) {
    size_t stem = strlen(s->path) - strlen(s->writer->suffix);
    snprintf(n->frame_path, n->path_size, "%.*s-%0*ld%s", (int)stem, s->path, (int)DIGITS, frame, s->writer->suffix);
}

static sp_status list_frame(sp_sink *s, series *n, long frame, double time) {
    char text[64];
    sp_buffer b = {0};
    name_frame(s, n, frame);
    sp__print_double(text, time);
    bool good = sp__buffer_print(s->ctx, &b, "<DataSet timestep=\"%s\" group=\"\" part=\"0\" file=\"%s\"/>\n", text,
                                 sp__path_name(n->frame_path));
    uint64_t before = sp__growing_bytes(&n->list);
    sp_status status =
        good ? sp__growing_add(&n->list, b.data, b.size) : SP_FAIL(s->ctx, SP_NO_MEMORY, "%s: no memory for its list", s->path);
    s->bytes += sp__growing_bytes(&n->list) - before;
    sp__buffer_free(s->ctx, &b);
    return status;
}

static sp_status open_list(sp_sink *s, series *n) {
    char *path = sp__path_with(s->ctx, s->path, ".pvd");
    if (!path) return SP_FAIL(s->ctx, SP_NO_MEMORY, "%s: no memory for a record", s->path);
    n->listed = true;
    sp_status status = sp__growing_open(s->ctx, path, pvd_head, pvd_tail, &n->list);
    sp__free(s->ctx, path);
    if (status >= 0) s->bytes += sp__growing_bytes(&n->list);
    for (long i = 0; i < s->resumed && status >= 0; i++) status = list_frame(s, n, i, s->resumed_at[i]);
    return status;
}

static sp_status open_frames(sp_sink *s) {
    series *n = s->impl = sp__alloc(s->ctx, 1, sizeof *n);
    size_t size = strlen(s->path) + 32;
    if (!n || !(n->frame_path = sp__alloc(s->ctx, size, 1)))
        return SP_FAIL(s->ctx, SP_NO_MEMORY, "%s: no memory for a record", s->path);
    n->list.fd = -1;
    n->path_size = size;
    s->frames = s->resumed;
    return s->writer == &sp__writer_vtu ? open_list(s, n) : SP_OK;
}

static sp_status close_frames(sp_sink *s) {
    series *n = s->impl;
    s->impl = NULL;
    if (!n) return SP_OK;
    sp_status status = n->listed ? sp__growing_close(&n->list) : SP_OK;
    sp__free(s->ctx, n->frame_path);
    sp__free(s->ctx, n);
    return status;
}

// ---------------------------------------------------------------------------------------------------- a frame as a mesh

static void count_cells(const sp_layout *l, int64_t *nodes, int64_t *cells, int64_t *corners) {
    *nodes = *cells = *corners = 0;
    for (int i = 0; i < l->body_count; i++) {
        *nodes += l->bodies[i].node_count, *cells += l->bodies[i].cell_count;
        *corners += (int64_t)l->bodies[i].cell_count * l->bodies[i].corners;
    }
}

static bool reserve_cells(sp_cells *c, const sp_layout *l) {
    int64_t nodes, cells, corners;
    count_cells(l, &nodes, &cells, &corners);
    if (nodes > INT_MAX || cells > INT_MAX) return false;
    c->node_count = (int)nodes, c->cell_count = (int)cells;
    return SP_KEEP(&c->keep, c->x, 3 * nodes) && SP_KEEP(&c->keep, c->type, cells) && SP_KEEP(&c->keep, c->start, cells + 1) &&
           SP_KEEP(&c->keep, c->nodes, corners) && SP_KEEP(&c->keep, c->groups, l->body_count);
}

static bool add_body(sp_cells *c, const sp_frame *f, const sp_layout_body *b, int *node, int *cell) {
    sp_cells_group *g = &c->groups[c->group_count];
    *g = (sp_cells_group){.name = b->name, .dimension = b->corners - 1, .number = ++c->group_count, .cell_count = b->cell_count};
    if (!SP_KEEP(&c->keep, g->cells, b->cell_count)) return false;
    if (b->node_count)
        memcpy(c->x + 3 * (size_t)*node, f->values + b->arrays[0].offset, 3 * (size_t)b->node_count * sizeof(double));
    for (int i = 0; i < b->cell_count; i++) {
        int at = *cell + i;
        g->cells[i] = at;
        c->type[at] = b->corners == 4 ? SP_CELL_TET : b->corners == 3 ? SP_CELL_TRIANGLE : SP_CELL_LINE;
        c->start[at + 1] = c->start[at] + b->corners;
        for (int k = 0; k < b->corners; k++)
            c->nodes[c->start[at] + k] = *node + b->cells[(size_t)i * (size_t)b->corners + (size_t)k];
    }
    *node += b->node_count, *cell += b->cell_count;
    return true;
}

static const sp_layout_array *array_named(const sp_layout_body *b, const char *name) {
    for (int i = 0; i < b->array_count; i++)
        if (strcmp(b->arrays[i].name, name) == 0) return &b->arrays[i];
    return NULL;
}

static bool known_array(const sp_cells *c, const char *name) {
    for (int i = 0; i < c->array_count; i++)
        if (strcmp(c->arrays[i].name, name) == 0) return true;
    return false;
}

// one array over all bodies, from the bodies that have it
static bool add_array(sp_cells *c, const sp_frame *f, const sp_layout_array *like) {
    bool on_cells = like->on == SP_ON_ELEMENTS;
    size_t m = (size_t)like->components, at = 0;
    sp_cells_array *a = &c->arrays[c->array_count];
    *a = (sp_cells_array){.name = like->name, .components = like->components, .on_cells = on_cells};
    if (!SP_KEEP(&c->keep, a->values, m * (size_t)(on_cells ? c->cell_count : c->node_count))) return false;
    c->array_count++;
    for (int i = 0; i < f->layout->body_count; i++) {
        const sp_layout_body *b = &f->layout->bodies[i];
        const sp_layout_array *own = array_named(b, like->name);
        size_t n = m * (size_t)(on_cells ? b->cell_count : b->node_count);
        if (own && n) memcpy(a->values + at, f->values + own->offset, n * sizeof(double));
        for (size_t k = 0; !own && k < n; k++) a->values[at + k] = NAN;
        at += n;
    }
    return true;
}

static bool add_body_numbers(sp_cells *c, const sp_layout *l) {
    sp_cells_array *a = &c->arrays[c->array_count];
    *a = (sp_cells_array){.name = "body", .components = 1, .on_cells = true, .integral = true};
    if (!SP_KEEP(&c->keep, a->values, c->cell_count)) return false;
    c->array_count++;
    for (int i = 0, at = 0; i < l->body_count; i++)
        for (int k = 0; k < l->bodies[i].cell_count; k++) a->values[at++] = l->bodies[i].index;
    return true;
}

static bool add_arrays(sp_cells *c, const sp_frame *f) {
    int most = 1;
    for (int i = 0; i < f->layout->body_count; i++) most += f->layout->bodies[i].array_count;
    if (!SP_KEEP(&c->keep, c->arrays, most) || !add_body_numbers(c, f->layout)) return false;
    for (int i = 0; i < f->layout->body_count; i++) {
        const sp_layout_body *b = &f->layout->bodies[i];
        for (int k = 1; k < b->array_count; k++)
            if (b->arrays[k].on != SP_ON_BODY && !known_array(c, b->arrays[k].name) && !add_array(c, f, &b->arrays[k]))
                return false;
    }
    return true;
}

static bool fill_cells(sp_cells *c, const sp_frame *f, bool fields) {
    int node = 0, cell = 0;
    if (!reserve_cells(c, f->layout)) return false;
    for (int i = 0; i < f->layout->body_count; i++)
        if (!add_body(c, f, &f->layout->bodies[i], &node, &cell)) return false;
    return !fields || add_arrays(c, f);
}

static sp_status write_frame(sp_sink *s, const sp_frame *f) {
    series *n = s->impl;
    sp_cells c = {.ctx = s->ctx, .file = n->frame_path, .keep = {s->ctx, NULL}};
    sp_mesh_write_options o = sp_mesh_write_options_default();
    struct stat info;
    if (!f->shown) return SP_OK;
    o.format = s->writer->kind;
    o.compress = s->compress;
    name_frame(s, n, s->frames);
    sp_status status = SP_OK;
    if (!fill_cells(&c, f, s->writer->fields)) status = SP_FAIL(s->ctx, SP_NO_MEMORY, "%s: no memory for a frame", n->frame_path);
    if (status >= 0) status = sp__cells_write(&c, n->frame_path, &o);
    sp__cells_free(&c);
    SP_TRY(status);
    if (stat(n->frame_path, &info) == 0) s->bytes += (uint64_t)info.st_size;
    if (n->listed) SP_TRY(list_frame(s, n, s->frames, f->head.time));
    s->frames++;
    return SP_OK;
}

const sp_writer sp__writer_vtu = {
    .kind = "vtu", .suffix = ".vtu", .fields = true, .open = open_frames, .frame = write_frame, .close = close_frames};
const sp_writer sp__writer_obj = {
    .kind = "obj", .suffix = ".obj", .surfaces = true, .open = open_frames, .frame = write_frame, .close = close_frames};
const sp_writer sp__writer_ply = {
    .kind = "ply", .suffix = ".ply", .surfaces = true, .open = open_frames, .frame = write_frame, .close = close_frames};

// ========================================================================================================== .csv

// Writer of .csv records (RFC 4180). The rows arrive as text; the run chooses probes, times and columns (run_record.c). Each
// row is written on arrival, so that a killed run loses only its last rows.

static sp_status write_csv_failed(sp_sink *s) {
    return SP_FAIL(s->ctx, SP_IO, "%s: %s", s->path, strerror(errno));
}

static sp_status write_csv_put(sp_sink *s, const char *text, size_t size) {
    if (fwrite(text, 1, size, s->impl) != size || fflush(s->impl) != 0) return write_csv_failed(s);
    s->bytes += size;
    return SP_OK;
}

static sp_status open_csv(sp_sink *s) {
    s->impl = fopen(s->path, "wb");
    if (!s->impl) return write_csv_failed(s);
    return write_csv_put(s, s->head, strlen(s->head));
}

static sp_status write_csv(sp_sink *s, const sp_frame *f) {
    SP_TRY(write_csv_put(s, f->text.data, f->text.size));
    for (size_t i = 0; i < f->text.size; i++) s->frames += f->text.data[i] == '\n';
    return SP_OK;
}

static sp_status close_csv(sp_sink *s) {
    FILE *file = s->impl;
    s->impl = NULL;
    return file && fclose(file) != 0 ? write_csv_failed(s) : SP_OK;
}

const sp_writer sp__writer_csv = {.kind = "csv", .suffix = ".csv", .open = open_csv, .frame = write_csv, .close = close_csv};

// ---------------------------------------------------------------------------------------------------- files

const sp_writer *sp__writer_of(const char *file) {
    static const sp_writer *const all[] = {&sp__writer_csv, &sp__writer_xdmf, &sp__writer_vtu, &sp__writer_obj, &sp__writer_ply};
    const char *dot = strrchr(file, '.');
    for (size_t i = 0; dot && i < sizeof all / sizeof *all; i++)
        if (strcmp(all[i]->suffix, dot) == 0) return all[i];
    return NULL;
}
