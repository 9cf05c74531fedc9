// See mortar.h.
#include "map/mortar.h"

#include "math/vec3.h"
#include "mesh/tree.h"

enum { POLYGON = 9 };                     // corners of two clipped triangles: at most 6, with room for degenerate ones
static const double FACING = -0.5;        // cosine between the normals of two faces that are coupled
static const double LEAST_SHARE = 1e-12;  // of the area of a face: smaller pieces are rounding

typedef struct mortar_entry {  // of one row: a vertex of the first surface, or a face of the second
    int row, item;
    double weight, moment[3];
} mortar_entry;

typedef struct mortar_list {
    mortar_entry *entry;
    int count, capacity;
} mortar_list;

typedef struct mortar_builder {
    sp_context *ctx;
    const sp_mortar_surface *first, *second;
    double within;
    mortar_list vertices, faces;
    double *area, total;
    sp_status status;
    // the face of the first surface that is coupled
    int face;
    double corner[3][3], normal[3], axis[2][3], flat[3][2], size;
    double products[3][3];  // integrals of N_i N_j over what is coupled so far
} mortar_builder;

static bool mortar_push(mortar_builder *b, mortar_list *list, mortar_entry entry) {
    if (list->count == list->capacity) {
        int capacity = list->capacity ? 2 * list->capacity : 256;
        mortar_entry *more = list->capacity > INT32_MAX / 4 ? NULL : sp__alloc(b->ctx, (size_t)capacity, sizeof *more);
        if (!more) return false;
        if (list->count) memcpy(more, list->entry, (size_t)list->count * sizeof *more);
        sp__free(b->ctx, list->entry);
        list->entry = more, list->capacity = capacity;
    }
    list->entry[list->count++] = entry;
    return true;
}

// ---------------------------------------------------------------------------------------------------- pieces of two faces

static double face_normal(const double a[3], const double b[3], const double c[3], double normal[3]) {
    double u[3], v[3];
    sp__sub3(b, a, u), sp__sub3(c, a, v);
    sp__cross3(u, v, normal);
    double length = sp__norm3(normal);
    for (int k = 0; k < 3 && length > 0; k++) normal[k] /= length;
    return 0.5 * length;
}

static void flatten(const mortar_builder *b, const double x[3], double out[2]) {
    double d[3];
    sp__sub3(x, b->corner[0], d);
    out[0] = sp__dot3(d, b->axis[0]), out[1] = sp__dot3(d, b->axis[1]);
}

static double cross2(const double a[2], const double b[2], const double p[2]) {
    return (b[0] - a[0]) * (p[1] - a[1]) - (b[1] - a[1]) * (p[0] - a[0]);
}

// The part of a polygon to the left of the line from a to b (Sutherland and Hodgman 1974); returns its number of corners.
static int clip_line(const double a[2], const double b[2], int count, double (*in)[2], double (*out)[2]) {
    int n = 0;
    for (int i = 0; i < count; i++) {
        const double *p = in[i], *q = in[(i + 1) % count];
        double dp = cross2(a, b, p), dq = cross2(a, b, q);
        if (dp >= 0) out[n][0] = p[0], out[n][1] = p[1], n++;
        if ((dp > 0 && dq < 0) || (dp < 0 && dq > 0)) {
            double t = dp / (dp - dq);
            for (int k = 0; k < 2; k++) out[n][k] = p[k] + t * (q[k] - p[k]);
            n++;
        }
        if (n >= POLYGON - 1) break;
    }
    return n;
}

// Adds the integrals over one triangle of the common polygon to those of the pair of faces.
static void mortar_triangle(mortar_builder *b, const double *p[3], double area, double weight[3], double moment[3][3]) {
    const double whole = cross2(b->flat[0], b->flat[1], b->flat[2]);
    for (int m = 0; m < 3; m++) {
        double q[2], N[3], x[3] = {0};
        for (int k = 0; k < 2; k++) q[k] = 0.5 * (p[m][k] + p[(m + 1) % 3][k]);
        for (int i = 0; i < 3; i++) N[i] = cross2(b->flat[(i + 1) % 3], b->flat[(i + 2) % 3], q) / whole;
        for (int i = 0; i < 3; i++) sp__axpy3(x, N[i], b->corner[i], x);
        for (int i = 0; i < 3; i++) {
            const double w = area / 3 * N[i];
            weight[i] += w;
            sp__axpy3(moment[i], w, x, moment[i]);
            for (int j = 0; j < 3; j++) b->products[i][j] += w * N[j];
        }
    }
}

// Distance of the second face from the plane of the first at a point of that plane, along the normal of the first.
static double gap_at(const mortar_builder *b, const double a[3], const double normal[3], const double point[2]) {
    double x[3], d[3];
    memcpy(x, b->corner[0], sizeof x);
    for (int k = 0; k < 2; k++) sp__axpy3(x, point[k], b->axis[k], x);
    sp__sub3(a, x, d);
    return fabs(sp__dot3(d, normal) / sp__dot3(b->normal, normal));
}

static void couple_faces(mortar_builder *b, int item) {
    const int *f = b->second->faces + 3 * (size_t)item;
    const double *a[3];
    double normal[3], polygon[2][POLYGON][2], middle[2] = {0}, weight[3] = {0}, moment[3][3] = {{0}}, area = 0;
    for (int i = 0; i < 3; i++) a[i] = b->second->x + 3 * (size_t)f[i];
    if (!(face_normal(a[0], a[1], a[2], normal) > 0) || !(sp__dot3(normal, b->normal) < FACING)) return;
    for (int i = 0; i < 3; i++) flatten(b, a[2 - i], polygon[0][i]);  // it looks the other way: its corners turn round
    int n = 3, now = 0;
    for (int i = 0; i < 3 && n > 2; i++, now = 1 - now)
        n = clip_line(b->flat[i], b->flat[(i + 1) % 3], n, polygon[now], polygon[1 - now]);
    if (n < 3) return;
    for (int i = 0; i < n; i++)
        for (int k = 0; k < 2; k++) middle[k] += polygon[now][i][k] / n;
    if (gap_at(b, a[0], normal, middle) > b->within) return;
    for (int i = 1; i + 1 < n; i++) {
        const double *p[3] = {polygon[now][0], polygon[now][i], polygon[now][i + 1]};
        double piece = 0.5 * cross2(p[0], p[1], p[2]);
        if (!(piece > LEAST_SHARE * b->size)) continue;
        mortar_triangle(b, p, piece, weight, moment);
        area += piece;
    }
    const int *own = b->first->faces + 3 * (size_t)b->face;
    for (int i = 0; i < 3 && area > 0; i++) {
        if (!(weight[i] > LEAST_SHARE * b->size)) continue;
        mortar_entry e = {own[i], item, weight[i], {moment[i][0], moment[i][1], moment[i][2]}};
        if (!mortar_push(b, &b->faces, e)) b->status = SP_NO_MEMORY;
        b->area[own[i]] += weight[i];
    }
    b->total += area;
}

static bool couple_item(void *user, int item) {
    mortar_builder *b = user;
    couple_faces(b, item);
    return b->status >= 0;
}

// All that is coupled with one face of the first surface.
static sp_status couple_face(mortar_builder *b, const sp_tree *tree, int face) {
    const int *f = b->first->faces + 3 * (size_t)face;
    double low[3], high[3], e[3];
    b->face = face;
    for (int i = 0; i < 3; i++) memcpy(b->corner[i], b->first->x + 3 * (size_t)f[i], sizeof b->corner[i]);
    b->size = face_normal(b->corner[0], b->corner[1], b->corner[2], b->normal);
    if (!(b->size > 0)) return SP_OK;
    sp__sub3(b->corner[1], b->corner[0], e);
    for (int k = 0; k < 3; k++) b->axis[0][k] = e[k] / sp__norm3(e);
    sp__cross3(b->normal, b->axis[0], b->axis[1]);
    for (int i = 0; i < 3; i++) flatten(b, b->corner[i], b->flat[i]);
    memset(b->products, 0, sizeof b->products);
    for (int k = 0; k < 3; k++) {
        low[k] = fmin(b->corner[0][k], fmin(b->corner[1][k], b->corner[2][k])) - b->within;
        high[k] = fmax(b->corner[0][k], fmax(b->corner[1][k], b->corner[2][k])) + b->within;
    }
    sp__tree_in_box(tree, low, high, couple_item, b);
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++)
            if (b->products[i][j] > LEAST_SHARE * b->size &&
                !mortar_push(b, &b->vertices, (mortar_entry){f[i], f[j], b->products[i][j], {0}}))
                b->status = SP_NO_MEMORY;
    return b->status;
}

// ---------------------------------------------------------------------------------------------------- rows

// Sorts entries by row and item and adds up equal ones; start has one number for each row and one more.
static bool sort_entries(sp_context *ctx, mortar_list *list, int rows, int *start) {
    mortar_entry *sorted = sp__alloc(ctx, (size_t)list->count + 1, sizeof *sorted);
    if (!sorted) return false;
    memset(start, 0, ((size_t)rows + 1) * sizeof *start);
    for (int i = 0; i < list->count; i++) start[list->entry[i].row + 1]++;
    for (int i = 0; i < rows; i++) start[i + 1] += start[i];
    for (int i = list->count - 1; i >= 0; i--) sorted[--start[list->entry[i].row + 1]] = list->entry[i];
    memmove(start, start + 1, (size_t)rows * sizeof *start);
    start[rows] = list->count;
    int kept = 0;
    for (int r = 0; r < rows; r++) {
        int first = start[r], end = start[r + 1], begin = kept;
        start[r] = kept;
        for (int i = first; i < end; i++) {
            int at = begin;
            while (at < kept && list->entry[at].item < sorted[i].item) at++;
            if (at < kept && list->entry[at].item == sorted[i].item) {
                list->entry[at].weight += sorted[i].weight;
                sp__axpy3(list->entry[at].moment, 1, sorted[i].moment, list->entry[at].moment);
                continue;
            }
            memmove(list->entry + at + 1, list->entry + at, (size_t)(kept - at) * sizeof *sorted);
            list->entry[at] = sorted[i];
            kept++;
        }
    }
    start[rows] = kept, list->count = kept;
    sp__free(ctx, sorted);
    return true;
}

static void scale_to_one(double *weight, int count) {
    double sum = 0;
    for (int i = 0; i < count; i++) sum += weight[i];
    for (int i = 0; i < count; i++) weight[i] /= sum;
}

static bool mortar_fill(mortar_builder *b, sp_mortar *m) {
    size_t rows = (size_t)m->row_count + 1;
    if (!SP_NEW(b->ctx, m->first_start, rows) || !SP_NEW(b->ctx, m->second_start, rows)) return false;
    if (!sort_entries(b->ctx, &b->vertices, m->row_count, m->first_start)) return false;
    if (!sort_entries(b->ctx, &b->faces, m->row_count, m->second_start)) return false;
    size_t n = (size_t)b->vertices.count + 1, k = (size_t)b->faces.count + 1;
    if (!SP_NEW(b->ctx, m->vertex, n) || !SP_NEW(b->ctx, m->first_weight, n) || !SP_NEW(b->ctx, m->face, k) ||
        !SP_NEW(b->ctx, m->second_weight, k) || !SP_NEW(b->ctx, m->point, 3 * k))
        return false;
    for (int i = 0; i < b->vertices.count; i++) {
        const mortar_entry *e = &b->vertices.entry[i];
        m->vertex[i] = e->item, m->first_weight[i] = e->weight;
    }
    for (int i = 0; i < b->faces.count; i++) {
        const mortar_entry *e = &b->faces.entry[i];
        m->face[i] = e->item, m->second_weight[i] = e->weight;
        for (int a = 0; a < 3; a++) m->point[3 * i + a] = e->moment[a] / e->weight;
    }
    // each side by its own sum: a row acts with equal and opposite forces to the last bit of rounding
    for (int r = 0; r < m->row_count; r++) {
        scale_to_one(m->first_weight + m->first_start[r], m->first_start[r + 1] - m->first_start[r]);
        scale_to_one(m->second_weight + m->second_start[r], m->second_start[r + 1] - m->second_start[r]);
    }
    return true;
}

sp_status sp__mortar_create(sp_context *ctx, const sp_mortar_surface *first, const sp_mortar_surface *second, double within,
                            sp_mortar **out) {
    mortar_builder b = {.ctx = ctx, .first = first, .second = second, .within = within};
    sp_tree *tree = NULL;
    sp_mortar *m = NULL;
    *out = NULL;
    if (!SP_NEW(ctx, m, 1) || !SP_NEW(ctx, m->area, (size_t)first->vertex_count + 1)) b.status = SP_NO_MEMORY;
    if (b.status >= 0) {
        m->row_count = first->vertex_count, b.area = m->area;
        if (second->face_count > 0) b.status = sp__tree_create(ctx, second->x, second->faces, second->face_count, 3, &tree);
        for (int f = 0; tree && f < first->face_count && b.status >= 0; f++) b.status = couple_face(&b, tree, f);
        m->total = b.total;
        if (b.status >= 0 && !mortar_fill(&b, m)) b.status = SP_NO_MEMORY;
    }
    sp__tree_destroy(&tree);
    sp__free(ctx, b.vertices.entry), sp__free(ctx, b.faces.entry);
    if (b.status < 0) {
        sp__mortar_destroy(ctx, &m);
        return SP_FAIL(ctx, SP_NO_MEMORY, "no memory for the coupling of %d and %d faces", first->face_count, second->face_count);
    }
    *out = m;
    return SP_OK;
}

void sp__mortar_destroy(sp_context *ctx, sp_mortar **mortar) {
    sp_mortar *m = *mortar;
    if (!m) return;
    void *all[] = {m->area, m->first_start, m->vertex, m->first_weight, m->second_start, m->face, m->second_weight, m->point};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++) sp__free(ctx, all[i]);
    sp__free(ctx, m);
    *mortar = NULL;
}
