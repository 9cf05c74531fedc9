// The triangle list of a picture: growing arrays, markers, arrows, bounds.
#include "io/picture/picture.h"
#include "math/vec3.h"

// enlarges an array of `used` items to n items of `size` bytes; false: no memory, *memory is unchanged
static bool enlarge(sp_context *ctx, void **memory, size_t used, size_t n, size_t size) {
    void *more = sp__alloc(ctx, n + 1, size);
    if (!more) return false;
    if (used) memcpy(more, *memory, used * size);
    sp__free(ctx, *memory);
    *memory = more;
    return true;
}

#define ENLARGE(array, used, n) \
    (memory = (array), enlarge(ctx, &memory, (used), (n), sizeof *(array)) ? ((array) = memory, true) : false)

static bool add_ints(int a, int b, int *out) {
    *out = b <= INT32_MAX / 4 - a ? a + b : -1;
    return b >= 0 && *out >= 0;
}

// grows by at least one half, so that many small additions stay cheap
static int rounded(int wanted, int had) {
    int half = had < INT32_MAX / 8 ? had + had / 2 : had;
    return wanted > half ? wanted : half;
}

static bool reserve_vertices(sp_context *ctx, sp_soup *s, int more) {
    int wanted;
    void *memory;
    if (!add_ints(s->vertex_count, more, &wanted)) return false;
    if (wanted <= s->vertex_capacity && s->x) return true;
    size_t n = (size_t)rounded(wanted, s->vertex_capacity), used = (size_t)s->vertex_count;
    if (!ENLARGE(s->x, 3 * used, 3 * n) || (s->with_colors && !ENLARGE(s->colors, 4 * used, 4 * n)) ||
        (s->with_smooth && !ENLARGE(s->smooth, 3 * used, 3 * n)))
        return false;
    s->vertex_capacity = (int)n;
    return true;
}

static bool reserve_faces(sp_context *ctx, sp_soup *s, int more) {
    int wanted;
    void *memory;
    if (!add_ints(s->face_count, more, &wanted)) return false;
    if (wanted <= s->face_capacity && s->faces) return true;
    size_t n = (size_t)rounded(wanted, s->face_capacity), used = (size_t)s->face_count;
    if (!ENLARGE(s->faces, 3 * used, 3 * n) || !ENLARGE(s->drawable_of, used, n) || !ENLARGE(s->normals, 9 * used, 9 * n) ||
        (s->with_scalar && !ENLARGE(s->scalar, 3 * used, 3 * n)) || (s->with_stripes && !ENLARGE(s->stripes, used, n)))
        return false;
    s->face_capacity = (int)n;
    return true;
}

sp_status sp__soup_reserve(sp_context *ctx, sp_soup *s, int vertices, int faces, int drawables) {
    int wanted;
    void *memory;
    if (!reserve_vertices(ctx, s, vertices) || !reserve_faces(ctx, s, faces) || !add_ints(s->drawable_count, drawables, &wanted))
        return SP_NO_MEMORY;
    if (wanted <= s->drawable_capacity && s->drawables) return SP_OK;
    if (!ENLARGE(s->drawables, (size_t)s->drawable_count, (size_t)rounded(wanted, s->drawable_capacity))) return SP_NO_MEMORY;
    s->drawable_capacity = rounded(wanted, s->drawable_capacity);
    return SP_OK;
}

sp_status sp__soup_marker(sp_context *ctx, sp_soup *s, const double at[3]) {
    void *memory;
    if (s->marker_count == s->marker_capacity) {
        int n = s->marker_capacity ? 2 * s->marker_capacity : 256;
        if (!ENLARGE(s->markers, 3 * (size_t)s->marker_count, 3 * (size_t)n)) return SP_NO_MEMORY;
        s->marker_capacity = n;
    }
    memcpy(s->markers + 3 * (size_t)s->marker_count++, at, 3 * sizeof *at);
    return SP_OK;
}

sp_status sp__soup_arrow(sp_context *ctx, sp_soup *s, const double from[3], const double to[3]) {
    void *memory;
    if (s->arrow_count == s->arrow_capacity) {
        int n = s->arrow_capacity ? 2 * s->arrow_capacity : 64;
        if (!ENLARGE(s->arrows, (size_t)s->arrow_count, (size_t)n)) return SP_NO_MEMORY;
        s->arrow_capacity = n;
    }
    sp_arrow *a = &s->arrows[s->arrow_count++];
    memcpy(a->from, from, sizeof a->from), memcpy(a->to, to, sizeof a->to);
    return SP_OK;
}

sp_status sp__soup_vertex_faces(sp_context *ctx, sp_soup *s, int first, int count) {
    void *memory;
    if (s->ring_count == s->ring_capacity) {
        int n = s->ring_capacity ? 2 * s->ring_capacity : 64;
        if (!ENLARGE(s->rings, (size_t)s->ring_count, (size_t)n)) return SP_NO_MEMORY;
        s->ring_capacity = n;
    }
    s->rings[s->ring_count++] = (sp_soup_vertex_faces){first, count};
    return SP_OK;
}

void sp__soup_free(sp_context *ctx, sp_soup *s) {
    sp__free(ctx, s->x), sp__free(ctx, s->colors), sp__free(ctx, s->smooth), sp__free(ctx, s->scalar), sp__free(ctx, s->faces),
        sp__free(ctx, s->drawable_of);
    sp__free(ctx, s->normals), sp__free(ctx, s->drawables), sp__free(ctx, s->markers), sp__free(ctx, s->arrows);
    sp__free(ctx, s->stripes), sp__free(ctx, s->rings), sp__free(ctx, s->contacts);
    sp__free(ctx, s->links);
    *s = (sp_soup){0};
}

void sp__picture_bounds(sp_drawing *d) {
    double low[3] = {INFINITY, INFINITY, INFINITY}, high[3] = {-INFINITY, -INFINITY, -INFINITY}, across[3];
    const double *x = d->soup.x;
    if (d->soup.vertex_count == 0) return;
    for (size_t v = 0; v < (size_t)d->soup.vertex_count; v++)
        for (size_t i = 0; i < 3; i++) {
            low[i] = x[3 * v + i] < low[i] ? x[3 * v + i] : low[i];
            high[i] = x[3 * v + i] > high[i] ? x[3 * v + i] : high[i];
        }
    for (int i = 0; i < 3; i++) d->centre[i] = 0.5 * (low[i] + high[i]), across[i] = high[i] - low[i];
    d->size = sp__norm3(across);
}

bool sp__picture_values(const sp_soup *s, double *least, double *greatest) {
    *least = INFINITY, *greatest = -INFINITY;
    for (int f = 0; f < s->face_count && s->scalar; f++) {
        if (!s->drawables[s->drawable_of[f]].by_field) continue;
        for (int k = 0; k < 3; k++) {
            double v = s->scalar[3 * (size_t)f + (size_t)k];
            *least = v < *least ? v : *least, *greatest = v > *greatest ? v : *greatest;
        }
    }
    return *greatest >= *least;
}

double sp__picture_opacity(const sp_picture_def *def, const char *body, double otherwise) {
    for (int i = 0; i < def->opacity_count; i++) {
        const sp_picture_opacity *o = &def->opacities[i];
        if (!o->body || (body && strcmp(o->body, body) == 0)) otherwise = o->opacity;
    }
    return otherwise;
}
