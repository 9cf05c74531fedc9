// Points of a `path`: from the scene, from a file of comma-separated coordinates, or the polyline of an .obj file.
#include "io/run/build_rod.h"
#include "math/vec3.h"

typedef struct reader {
    sp_run *run;
    const sp_scene_node *node;
    const char *path, *at;
    int line;
    double *points;  // in file order
    int count;
    size_t capacity;
    int *order;  // .obj: vertices of the polyline in sequence
    int order_count;
    size_t order_capacity;
} reader;

static const char *rod_path_blanks(const char *p) {
    while (*p == ' ' || *p == '\t') p++;
    return p;
}

static bool at_end(const char *p) {
    return *p == 0 || *p == '\n' || *p == '\r' || *p == '#';
}

static sp_status add_point(reader *r, const double x[3]) {
    if ((size_t)r->count * 3 + 3 > r->capacity) {
        size_t capacity = r->capacity ? 2 * r->capacity : 384;
        double *more = sp__keep_grow(&r->run->scratch, r->points, r->capacity, capacity, sizeof *more);
        if (!more) return sp__build_no_memory(r->run);
        r->points = more, r->capacity = capacity;
    }
    memcpy(r->points + 3 * (size_t)r->count++, x, 3 * sizeof *x);
    return SP_OK;
}

static sp_status bad_line(reader *r, const char *what) {
    return SP_BUILD_FAIL(r->run, r->node, "file", "%s:%d: %s", r->path, r->line, what);
}

// three numbers separated by commas, semicolons or blanks; NULL: not found
static const char *three(const char *p, double x[3]) {
    for (int k = 0; k < 3; k++) {
        p = rod_path_blanks(p);
        if (k > 0 && (*p == ',' || *p == ';')) p = rod_path_blanks(p + 1);
        if (!(p = sp__scan_double(p, &x[k]))) return NULL;
    }
    return p;
}

// ------------------------------------------------------------------------------------------------ .obj

static sp_status obj_line(reader *r, const char *p) {
    int64_t index;
    for (p = rod_path_blanks(p); !at_end(p); p = rod_path_blanks(p + strcspn(p, " \t\r\n"))) {
        if (!sp__scan_int64(p, &index) || index == 0) return bad_line(r, "an l line lists numbers of points");
        int64_t i = index > 0 ? index - 1 : r->count + index;
        if (i < 0 || i >= r->count) return bad_line(r, "an l line names a point that has not been given");
        if (r->order_count && r->order[r->order_count - 1] == (int)i) continue;  // the line continues where the last one ended
        if (!SP_KEEP_MORE(&r->run->scratch, r->order, r->order_count, &r->order_capacity)) return sp__build_no_memory(r->run);
        r->order[r->order_count++] = (int)i;
    }
    return SP_OK;
}

static bool is_obj(const char *path) {
    size_t n = strlen(path);
    return n > 4 && strcmp(path + n - 4, ".obj") == 0;
}

static sp_status read_line(reader *r, const char *p, bool obj) {
    double x[3];
    p = rod_path_blanks(p);
    if (at_end(p)) return SP_OK;
    if (obj && p[0] == 'l' && (p[1] == ' ' || p[1] == '\t')) return obj_line(r, p + 1);
    if (obj && !(p[0] == 'v' && (p[1] == ' ' || p[1] == '\t'))) return SP_OK;
    if (three(obj ? p + 1 : p, x)) return add_point(r, x);
    // column names
    if (!obj && r->count == 0 && r->line == 1) return SP_OK;
    return bad_line(r, "three finite numbers are needed, x, y, z");
}

static sp_status read_file(reader *r) {
    char *text;
    size_t size;
    bool obj = is_obj(r->path);
    sp_status status = sp__text_read(r->run->ctx, r->path, sp__scene_memory_limit(r->run->scene), &text, &size);
    if (status < 0) return sp__build_refused(r->run, r->node, status, sp_context_error(r->run->ctx));
    for (r->at = text; *r->at && status >= 0; r->line++) {
        status = read_line(r, r->at, obj);
        r->at += strcspn(r->at, "\n");
        r->at += *r->at == '\n';
    }
    sp__free(r->run->ctx, text);
    return status;
}

// the points along the polyline; without a polyline, all points in file order
static sp_status in_order(reader *r) {
    double *sorted;
    if (!r->order_count) return SP_OK;
    if (!SP_KEEP(&r->run->scratch, sorted, 3 * (size_t)r->order_count)) return sp__build_no_memory(r->run);
    for (int i = 0; i < r->order_count; i++)
        memcpy(sorted + 3 * (size_t)i, r->points + 3 * (size_t)r->order[i], 3 * sizeof *sorted);
    r->points = sorted;
    r->count = r->order_count;
    return SP_OK;
}

// ------------------------------------------------------------------------------------------------ any path

sp_status sp__build_path_points(sp_run *run, const sp_scene_node *path, double **points, int *count) {
    reader r = {.run = run, .node = path, .line = 1};
    const sp_attr *written = sp__build_attr(path, "points");
    const char *attr = written ? "points" : "file";
    double scale = sp__build_number(path, "scale", 1);
    for (int i = 0; written && i + 2 < written->count; i += 3) SP_TRY(add_point(&r, written->numbers + i));
    if (!written) {
        r.path = sp__attr_word(path, "file");
        SP_TRY(read_file(&r));
        SP_TRY(in_order(&r));
    }
    if (r.count < 2) return SP_BUILD_FAIL(run, path, attr, "%d points, must be two at least", r.count);
    for (int i = 1; i < r.count; i++) {
        double d[3];
        sp__sub3(r.points + 3 * (size_t)i, r.points + 3 * (size_t)(i - 1), d);
        if (!(sp__norm3(d) > 0)) return SP_BUILD_FAIL(run, path, attr, "points %d and %d lie at the same place", i, i + 1);
    }
    for (size_t i = 0; i < 3 * (size_t)r.count; i++) r.points[i] *= scale;
    *points = r.points;
    *count = r.count;
    return SP_OK;
}
