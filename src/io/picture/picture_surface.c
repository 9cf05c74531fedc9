// Pictures of a triangle surface without a world: its vertex colours, or one of its arrays.
#include <stdio.h>

#include "io/picture/picture.h"
#include "math/vec3.h"

static const sp_mesh_array *find_array(const sp_trimesh_def *t, const char *name) {
    for (int i = 0; name && i < t->array_count; i++)
        if (strcmp(t->arrays[i].name, name) == 0) return &t->arrays[i];
    return NULL;
}

static void add_arrays(const sp_trimesh_def *t, const sp_mesh_array *array, sp_soup *s) {
    for (size_t i = 0; i < 3 * (size_t)t->vertex_count; i++) s->x[i] = t->positions[i];
    for (size_t i = 0; i < 4 * (size_t)t->vertex_count && s->with_colors; i++)
        s->colors[i] = (float)(i % 4 == 3 ? t->colors[i] : sp__to_linear(t->colors[i]));
    for (size_t i = 0; i < 3 * (size_t)t->face_count; i++) {
        s->faces[i] = (uint32_t)t->faces[i];
        if (array) s->scalar[i] = array->values[array->on_elements ? i / 3 : s->faces[i]];
    }
    s->vertex_count = s->fitted = t->vertex_count, s->face_count = t->face_count;
}

// normals of the file are used as they are, also at sharp edges, unless they point to the wrong side
static void take_normals(const sp_trimesh_def *t, sp_soup *s) {
    const int *index = t->face_normals ? t->face_normals : t->faces;
    for (size_t i = 0; t->normals && i < 3 * (size_t)t->face_count; i++) {
        float *out = s->normals + 3 * i;
        const double *n = index[i] >= 0 && index[i] < t->normal_count ? t->normals + 3 * (size_t)index[i] : NULL;
        if (!n || !(n[0] * out[0] + n[1] * out[1] + n[2] * out[2] > 0)) continue;
        double length = sp__norm3(n);
        for (int k = 0; k < 3; k++) out[k] = (float)(n[k] / length);
    }
}

// label of an unknown array: no unit, no SI prefix
static void name_legend(const sp_picture_def *def, const sp_soup *s, sp_legend *l) {
    double least, greatest;
    *l = (sp_legend){.unit = "", .shown = 1};
    snprintf(l->label, sizeof l->label, "%s", def->color_by);
    if (!sp__picture_values(s, &least, &greatest)) least = 0, greatest = 1;
    if (def->extent && def->extent->greatest >= def->extent->least) least = def->extent->least, greatest = def->extent->greatest;
    if (def->range[1] > def->range[0]) least = def->range[0], greatest = def->range[1];
    l->low = least, l->high = greatest > least ? greatest : least + fmax(1e-12, fabs(least));
}

sp_status sp__picture_collect_surface(sp_context *ctx, const sp_trimesh *surface, const char *name, const sp_picture_def *def,
                                      sp_drawing *d) {
    sp_trimesh_def t;
    sp_soup *s = &d->soup;
    sp_trimesh_get(surface, &t);
    const sp_mesh_array *array = find_array(&t, def->color_by);
    if (def->color_by && !array)
        return SP_FAIL(ctx, SP_BAD_INPUT, "cannot colour by \"%s\": the surface has %s%s", def->color_by,
                       t.array_count ? "the array " : "no arrays", t.array_count ? t.arrays[0].name : "");
    s->with_scalar = array, s->with_colors = t.colors && !array;
    SP_TRY(sp__soup_reserve(ctx, s, t.vertex_count, t.face_count, 1));
    sp__picture_drawable(NULL, (sp_body_id){0}, false, &s->drawables[0]);
    s->drawables[0].opacity = sp__picture_opacity(def, name, 1);
    s->drawables[0].by_field = array, s->drawables[0].by_vertex = s->with_colors;
    s->drawable_count = 1;
    add_arrays(&t, array, s);
    sp__picture_bounds(d);
    if (array) name_legend(def, s, &d->legend);
    SP_TRY(sp__soup_normals(ctx, s));
    take_normals(&t, s);
    return SP_OK;
}
