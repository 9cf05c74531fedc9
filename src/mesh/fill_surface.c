// A triangle surface as source: its distance, signed by the winding number. The winding number is checked just beside the
// triangles: it is an integer there for a closed surface, almost an integer for a surface with small holes, and one half on both
// sides of an open sheet.
#include "math/vec3.h"
#include "mesh/fill.h"
#include "mesh/trimesh.h"
#include "mesh/winding.h"

enum { PROBES = 4096 };

// a winding number further than UNDECIDED from an integer is ambiguous; a larger share of the area than REFUSED is an error
static const double UNDECIDED = 0.15, REFUSED = 0.2;

typedef struct surface_field {
    sp_tree *tree;
    sp_winding winding;
    double turned;  // -1: inside out
} surface_field;

static double surface_value(const void *user, const double x[3]) {
    const surface_field *s = user;
    sp_tree_near near;
    if (!sp__tree_nearest(s->tree, x, INFINITY, &near)) return INFINITY;
    bool inside = s->turned * sp__winding_at(&s->winding, x) > 0.5;
    return inside ? -sqrt(near.distance2) : sqrt(near.distance2);
}

// ------------------------------------------------------------------------------------------------ check of the winding number

typedef struct verdict {
    double area, undecided, middle, largest;
} verdict;

// samples just below and above one triangle, weighted by its area
static void probe(const surface_field *s, int item, double step, verdict *v) {
    const int *c = s->tree->items + 3 * (size_t)item;
    const double *a = s->tree->x + 3 * (size_t)c[0], *b = s->tree->x + 3 * (size_t)c[1], *d = s->tree->x + 3 * (size_t)c[2];
    double e[3], f[3], n[3], side[2];
    sp__sub3(b, a, e);
    sp__sub3(d, a, f);
    sp__cross3(e, f, n);
    double area = sp__norm3(n);
    if (!(area > 0)) return;
    for (int k = 0; k < 2; k++) {
        double x[3];
        for (int i = 0; i < 3; i++) x[i] = (a[i] + b[i] + d[i]) / 3 + (k ? step : -step) * n[i] / area;
        side[k] = sp__winding_at(&s->winding, x);
        v->largest = fmax(v->largest, fabs(side[k]));
    }
    v->area += area;
    v->middle += area * (side[0] + side[1]);
    if (fabs(side[0] - round(side[0])) > UNDECIDED) v->undecided += area;
}

static sp_status judge(sp_context *ctx, surface_field *s, double diagonal, sp_fill_info *info) {
    verdict v = {0};
    int count = s->tree->count, stride = count / PROBES + 1;
    for (int i = 0; i < count; i += stride) probe(s, i, 1e-6 * diagonal, &v);
    if (!(v.area > 0)) return SP_FAIL(ctx, SP_BAD_INPUT, "the surface has no area");
    double share = v.undecided / v.area;
    if (info) info->winding[0] = share, info->winding[1] = v.largest;
    if (share > REFUSED)
        return SP_FAIL(
            ctx, SP_BAD_INPUT,
            "the surface does not tell inside from outside: beside %.0f %% of it the winding number is not near a whole "
            "one (at most %.0f %% may be so); it is an open sheet, has large holes, or neighbours turned against each other",
            100 * share, 100 * REFUSED);
    s->turned = v.middle < 0 ? -1 : 1;
    return SP_OK;
}

// ------------------------------------------------------------------------------------------------ filling

static double box_of(const sp_trimesh_def *d, double low[3], double high[3]) {
    double diagonal = 0;
    for (int k = 0; k < 3; k++) low[k] = INFINITY, high[k] = -INFINITY;
    for (size_t i = 0; i < 3 * (size_t)d->face_count; i++)
        for (int k = 0; k < 3; k++) {
            double x = d->positions[3 * (size_t)d->faces[i] + (size_t)k];
            low[k] = fmin(low[k], x), high[k] = fmax(high[k], x);
        }
    for (int k = 0; k < 3; k++) diagonal += (high[k] - low[k]) * (high[k] - low[k]);
    return sqrt(diagonal);
}

sp_status sp_mesh_fill_surface(const sp_trimesh *surface, const sp_fill_def *def, sp_fill_info *info, sp_mesh **out) {
    sp_context *ctx = surface->ctx;
    sp_fill_info own = {0};
    *out = NULL;
    info = info ? info : &own;
    memset(info, 0, sizeof *info);
    SP_TRY(sp__fill_check(ctx, def));
    if (surface->def.face_count < 1) return SP_FAIL(ctx, SP_BAD_INPUT, "the surface has no triangles");
    surface_field s = {.turned = 1};
    double low[3], high[3], diagonal = box_of(&surface->def, low, high);
    sp_status status = sp__tree_create(ctx, surface->def.positions, surface->def.faces, surface->def.face_count, 3, &s.tree);
    if (status >= 0) status = sp__winding_create(s.tree, &s.winding);
    if (status >= 0) status = judge(ctx, &s, diagonal, info);
    double share = info->winding[0], largest = info->winding[1];
    if (status >= 0) status = sp_mesh_fill(ctx, surface_value, &s, low, high, 1, def, info, out);
    info->winding[0] = share, info->winding[1] = largest;
    sp__winding_free(&s.winding);
    sp__tree_destroy(&s.tree);
    return status;
}
