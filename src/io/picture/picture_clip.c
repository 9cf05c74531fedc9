// The clipping plane of a picture: what is in front of it is not drawn, and caps close the cut through solids. A cap is the cross
// section of the tetrahedra: coloured by the field of the picture, or by the material regions.
#include "io/picture/picture.h"
#include "math/vec3.h"

void sp__picture_clip(const sp_picture_def *def, const double centre[3], sp_drawing *d) {
    const double length = sp__norm3(def->clip_normal), *point = isnan(def->clip_point[0]) ? centre : def->clip_point;
    d->clip = def->clip;
    for (int i = 0; i < 3 && d->clip; i++) d->clip_point[i] = point[i], d->clip_normal[i] = def->clip_normal[i] / length;
}

double sp__clip_distance(const sp_drawing *d, const double x[3]) {
    double to[3];
    sp__sub3(x, d->clip_point, to);
    return sp__dot3(to, d->clip_normal);
}

bool sp__clips_face(const sp_drawing *d, int f, int vertices) {
    const sp_soup *s = &d->soup;
    int in_front = 0;
    if (!d->clip || !s->drawables[s->drawable_of[f]].clipped) return false;
    for (int k = 0; k < 3; k++) in_front += sp__clip_distance(d, s->x + 3 * (size_t)s->faces[3 * (size_t)f + (size_t)k]) > 0;
    return in_front >= vertices;
}

// ---------------------------------------------------------------------------------------------------- caps

typedef struct cap {
    sp_drawing *d;
    const double *x;      // nodes x 3
    const double *value;  // per node or element; NULL: no field
    bool per_element;
} cap;

static double cap_value(const cap *c, int element, int a, int b, double share) {
    if (!c->value) return 0;
    return c->per_element ? c->value[element] : (1 - share) * c->value[a] + share * c->value[b];
}

static int add_corner(const cap *c, int element, int a, int b, double da, double db, double *values, int n) {
    sp_soup *s = &c->d->soup;
    double share = da / (da - db), *to = s->x + 3 * (size_t)(s->vertex_count + n);
    for (int i = 0; i < 3; i++) to[i] = (1 - share) * c->x[3 * (size_t)a + (size_t)i] + share * c->x[3 * (size_t)b + (size_t)i];
    values[n] = cap_value(c, element, a, b, share);
    return n + 1;
}

static void add_cap_face(const cap *c, int i, int j, int k, const double *values) {
    sp_soup *s = &c->d->soup;
    const double *x = s->x + 3 * (size_t)s->vertex_count;
    int corner[3] = {i, j, k};
    double e[3], f[3], n[3];
    sp__sub3(x + 3 * j, x + 3 * i, e), sp__sub3(x + 3 * k, x + 3 * i, f), sp__cross3(e, f, n);
    if (sp__dot3(n, c->d->clip_normal) < 0) corner[1] = k, corner[2] = j;
    for (int m = 0; m < 3; m++) {
        s->faces[3 * (size_t)s->face_count + (size_t)m] = (uint32_t)(s->vertex_count + corner[m]);
        if (s->scalar) s->scalar[3 * (size_t)s->face_count + (size_t)m] = values[corner[m]];
    }
    s->drawable_of[s->face_count++] = s->drawable_count;
}

// The plane cuts a tetrahedron in a triangle, or in a quadrilateral whose corners lie on the edges between its two sides.
static void cut_element(const cap *c, int element, const int node[4]) {
    int front[4], back[4], in_front = 0, behind = 0, n = 0;
    double d[4], values[4];
    for (int k = 0; k < 4; k++) {
        d[k] = sp__clip_distance(c->d, c->x + 3 * (size_t)node[k]);
        *(d[k] > 0 ? &front[in_front++] : &back[behind++]) = k;
    }
    // around the quadrilateral: front 0 with both of the back, then front 1 with both in reverse
    for (int i = 0; i < in_front; i++)
        for (int j = 0; j < behind; j++) {
            int a = front[i], b = back[i % 2 ? behind - 1 - j : j];
            n = add_corner(c, element, node[a], node[b], d[a], d[b], values, n);
        }
    if (n < 3) return;
    add_cap_face(c, 0, 1, 2, values);
    if (n == 4) add_cap_face(c, 0, 2, 3, values);
    c->d->soup.vertex_count += n;
}

// Values of a field for caps: magnitudes of vectors; continuous fields of elements are averaged at the nodes, as on surfaces.
static sp_status cap_values(sp_context *ctx, sp_world *world, sp_body_id id, const char *field, const sp_element_view *e,
                            int nodes, double **out, bool *per_element) {
    sp_field_info f;
    double *raw = NULL;
    SP_TRY(sp_world_field_info(world, id, field, &f));
    size_t components = (size_t)f.components, most = (size_t)(nodes > f.count ? nodes : f.count);
    if (!SP_NEW(ctx, raw, components * (size_t)f.count + 1)) return SP_NO_MEMORY;
    sp_status status = SP_NEW(ctx, *out, 2 * most + 1) ? sp_world_field(world, id, field, raw) : SP_NO_MEMORY;
    *per_element = f.on == SP_ON_ELEMENTS && f.values != SP_VALUES_CONTINUOUS;
    double *count = *out + most;
    for (int i = 0; i < f.count && status >= 0; i++) {
        double v = raw[components * (size_t)i];
        if (components == 3) v = sp__norm3(raw + 3 * (size_t)i);
        if (f.on != SP_ON_ELEMENTS || *per_element)
            (*out)[i] = v;
        else
            for (int k = 0; k < 4; k++) (*out)[e->nodes[4 * i + k]] += v, count[e->nodes[4 * i + k]] += 1;
    }
    for (int i = 0; i < nodes && status >= 0 && f.on == SP_ON_ELEMENTS && !*per_element; i++)
        if (count[i] > 0) (*out)[i] /= count[i];
    sp__free(ctx, raw);
    return status;
}

// one region after the other: each has its own colour
static sp_status cut_elements(sp_context *ctx, cap *c, const sp_element_view *e, const double *region, const sp_drawable *look) {
    static const sp_legend regions = {.regions = true};
    int last = 0;
    for (int i = 0; region && i < e->count; i++) last = region[i] > last ? (int)region[i] : last;
    for (int r = 0; r <= last; r++) {
        sp_soup *s = &c->d->soup;
        int cut = 0, before;
        for (int i = 0; i < e->count; i++) {
            if (region && (int)region[i] != r) continue;
            int in_front = 0;
            for (int k = 0; k < 4; k++) in_front += sp__clip_distance(c->d, c->x + 3 * (size_t)e->nodes[4 * i + k]) > 0;
            cut += in_front > 0 && in_front < 4;
        }
        SP_TRY(sp__soup_reserve(ctx, s, 4 * cut, 2 * cut, 1));
        s->drawables[s->drawable_count] = *look;
        if (!c->value && r > 0) sp__legend_color(&regions, r, s->drawables[s->drawable_count].color);
        before = s->face_count;
        for (int i = 0; i < e->count; i++)
            if (!region || (int)region[i] == r) cut_element(c, i, e->nodes + 4 * i);
        if (s->face_count > before) s->drawable_count++;
    }
    return SP_OK;
}

sp_status sp__picture_cap(sp_context *ctx, sp_world *world, sp_body_id id, const char *field, const sp_drawable *look,
                          sp_drawing *d) {
    sp_element_view e;
    sp_field_info info;
    double *x = NULL, *value = NULL, *region = NULL;
    int *nodes = NULL;
    cap c = {.d = d};
    if (sp_world_elements(world, id, NULL, &e) < 0 || e.type != SP_ELEMENT_TET4) return SP_OK;
    SP_TRY(sp_world_field_info(world, id, "position", &info));
    sp_status status = SP_NO_MEMORY;
    if (SP_NEW(ctx, x, 3 * (size_t)info.count + 1) && SP_NEW(ctx, nodes, 4 * (size_t)e.count + 1) &&
        SP_NEW(ctx, region, (size_t)e.count + 1)) {
        status = sp_world_elements(world, id, nodes, &e);
        if (status >= 0) status = sp_world_field(world, id, "position", x);
        if (status >= 0) status = sp_world_field(world, id, "region", region);
        if (status >= 0 && field) status = cap_values(ctx, world, id, field, &e, info.count, &value, &c.per_element);
    }
    sp_drawable own = *look;
    own.clipped = own.edges = own.by_vertex = false, own.by_field = field != NULL, own.opacity = 1, own.roughness = 0.8;
    c.x = x, c.value = value;
    if (status >= 0) status = cut_elements(ctx, &c, &e, field ? NULL : region, &own);
    sp__free(ctx, x), sp__free(ctx, value), sp__free(ctx, region), sp__free(ctx, nodes);
    return status;
}
