// Arrays for "@name": from the mesh file, or from a `data` element that reads a column of a text file, with one row per element
// or node in the order of the mesh file. An array over nodes is averaged to elements.
#include "io/run/build.h"

typedef struct column_reader {
    sp_run *run;
    const sp_scene_node *node;
    const char *path, *at;
    int line, column;
} column_reader;

static sp_status values_on_elements(sp_run *run, const sp_run_body *body, const double *nodes, const double **out) {
    const int *tets = sp_mesh_tets(body->own);
    double *values;
    if (!SP_KEEP(&run->scratch, values, sp_mesh_tet_count(body->own))) return sp__build_no_memory(run);
    for (size_t i = 0; i < (size_t)sp_mesh_tet_count(body->own); i++) {
        double sum = 0;
        for (size_t k = 0; k < 4; k++) sum += nodes[tets[4 * i + k]];
        values[i] = sum / 4;
    }
    *out = values;
    return SP_OK;
}

// ------------------------------------------------------------------------------------------------ column of a file

static const char *data_blanks(const char *p) {
    while (*p == ' ' || *p == '\t') p++;
    return p;
}

static const char *next_line(const char *p) {
    p += strcspn(p, "\n");
    return *p ? p + 1 : p;
}

// the next field on the same line; NULL: none
static const char *next_field(const char *p) {
    p = data_blanks(p + strcspn(p, ",; \t\r\n"));
    if (*p == ',' || *p == ';') p = data_blanks(p + 1);
    return *p && *p != '\r' && *p != '\n' ? p : NULL;
}

static bool same_word(const char *p, const char *word) {
    size_t n = strlen(word);
    if (*p == '"') p++;
    return strncmp(p, word, n) == 0 && strchr("\",; \t\r\n", p[n]);
}

// finds the column by its name in the header, or by number from 1; default: the last one
static sp_status find_column(column_reader *r) {
    const char *wanted = sp__build_given(r->node, "column") ? sp__attr_word(r->node, "column") : NULL;
    double number;
    bool head = !sp__scan_double(data_blanks(r->at), &number);
    int64_t index;
    if (wanted && sp__scan_int64(wanted, &index) && index >= 1 && index <= 1000000) {
        r->column = (int)index - 1;
    } else if (wanted) {
        const char *p = head ? data_blanks(r->at) : NULL;
        for (r->column = 0; p && !same_word(p, wanted); r->column++) p = next_field(p);
        if (!p) return SP_BUILD_FAIL(r->run, r->node, "column", "%s has no column \"%s\"", r->path, wanted);
    } else {
        for (const char *p = data_blanks(r->at); (p = next_field(p));) r->column++;
    }
    if (head) r->at = next_line(r->at), r->line++;
    return SP_OK;
}

static sp_status read_column(column_reader *r, int count, double *values) {
    int rows = 0;
    SP_TRY(find_column(r));
    for (; *r->at; r->at = next_line(r->at), r->line++) {
        const char *p = data_blanks(r->at);
        if (*p == '#' || *p == '\r' || *p == '\n' || *p == 0) continue;
        for (int i = 0; p && i < r->column; i++) p = next_field(p);
        if (rows == count)
            return SP_BUILD_FAIL(r->run, r->node, "file", "%s:%d: more than the %d values needed", r->path, r->line, count);
        if (!p || !sp__scan_double(p, &values[rows++]))
            return SP_BUILD_FAIL(r->run, r->node, "file", "%s:%d: no finite number in column %d", r->path, r->line,
                                 r->column + 1);
    }
    if (rows < count) return SP_BUILD_FAIL(r->run, r->node, "file", "%s: %d values, %d are needed", r->path, rows, count);
    return SP_OK;
}

static sp_status read_data(sp_run *run, const sp_run_body *body, const sp_scene_node *data, const double **out) {
    const char *path = sp__attr_word(data, "file");
    bool on_nodes = sp__build_is(data, "on", "nodes");
    int count = on_nodes ? sp_mesh_node_count(body->own) : sp_mesh_tet_count(body->own);
    double *values;
    char *text;
    size_t size;
    if (!SP_KEEP(&run->scratch, values, count)) return sp__build_no_memory(run);
    sp_status status = sp__text_read(run->ctx, path, sp__scene_memory_limit(run->scene), &text, &size);
    if (status < 0) return sp__build_refused(run, data, status, sp_context_error(run->ctx));
    column_reader r = {run, data, path, text, 1, 0};
    status = read_column(&r, count, values);
    sp__free(run->ctx, text);
    if (status < 0) return status;
    *out = values;
    return on_nodes ? values_on_elements(run, body, values, out) : SP_OK;
}

// ------------------------------------------------------------------------------------------------ by name

sp_status sp__build_data(sp_run *run, const sp_run_body *body, const sp_scene_node *node, const char *attr, const char *name,
                         const double **out) {
    for (const sp_scene_node *data = NULL; (data = sp__next_child(body->node, "data", data));)
        if (strcmp(data->name, name) == 0) return read_data(run, body, data, out);
    const sp_mesh_array *array = sp_mesh_array_named(body->own, name);
    if (!array) return SP_BUILD_FAIL(run, node, attr, "@%s: neither the mesh nor a data element has an array of that name", name);
    if (!array->on_elements) return values_on_elements(run, body, array->values, out);
    *out = array->values;
    return SP_OK;
}
