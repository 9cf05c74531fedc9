// Pictures of a triangle surface without a world: its vertex colours, one of its arrays, or its groups as regions.
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

static bool is_number(const char *name) {
    return name[strspn(name, "0123456789")] == 0;
}

// a group of faces; files number their groups, and may name them in addition: only the names are shown then
static bool is_region(const sp_trimesh_def *t, const sp_mesh_group *g) {
    bool named = false;
    for (int i = 0; i < t->group_count; i++) named = named || (t->groups[i].element_count && !is_number(t->groups[i].name));
    return g->element_count && !(named && is_number(g->name));
}

// Groups as regions, by number from 1, with a legend of their names. The later one wins a face. Returns the number of regions.
static int add_groups(const sp_trimesh_def *t, const sp_picture_def *def, sp_soup *s, sp_legend *l) {
    int n = 0;
    *l = (sp_legend){.unit = "", .shown = 1, .regions = true};
    snprintf(l->label, sizeof l->label, "%s", def->color_by);
    if (s) memset(s->scalar, 0, 3 * (size_t)t->face_count * sizeof *s->scalar);
    for (int i = 0; i < t->group_count; i++) {
        const sp_mesh_group *g = &t->groups[i];
        if (!is_region(t, g)) continue;
        if (++n < SP_REGIONS_SHOWN) snprintf(l->names[n], sizeof l->names[n], "%.39s", g->name);
        for (int k = 0; s && k < g->element_count; k++)
            for (int c = 0; c < 3; c++) s->scalar[3 * (size_t)g->elements[k] + (size_t)c] = n;
    }
    snprintf(l->names[0], sizeof l->names[0], "other");
    l->high = n;
    return n;
}

sp_status sp__picture_collect_surface(sp_context *ctx, const sp_trimesh *surface, const char *name, const sp_picture_def *def,
                                      sp_drawing *d) {
    sp_trimesh_def t;
    sp_soup *s = &d->soup;
    sp_trimesh_get(surface, &t);
    const sp_mesh_array *array = find_array(&t, def->color_by);
    bool regions = def->color_by && !array && strcmp(def->color_by, "region") == 0 && add_groups(&t, def, NULL, &d->legend) > 0;
    if (def->color_by && !array && !regions)
        return SP_FAIL(ctx, SP_BAD_INPUT, "cannot colour by \"%s\": the surface has %s%s", def->color_by,
                       t.array_count ? "the array " : "no arrays", t.array_count ? t.arrays[0].name : "");
    s->with_scalar = array || regions, s->with_colors = t.colors && !s->with_scalar;
    SP_TRY(sp__soup_reserve(ctx, s, t.vertex_count, t.face_count, 1));
    sp__picture_drawable(NULL, (sp_body_id){0}, false, &s->drawables[0]);
    s->drawables[0].opacity = sp__picture_opacity(def, name, 1);
    s->drawables[0].by_field = s->with_scalar, s->drawables[0].by_vertex = s->with_colors;
    s->drawable_count = 1;
    add_arrays(&t, array, s);
    sp__picture_bounds(d);
    sp__picture_clip(def, d->centre, d);
    s->drawables[0].clipped = d->clip;
    if (array) name_legend(def, s, &d->legend);
    if (regions) add_groups(&t, def, s, &d->legend);
    SP_TRY(sp__soup_normals(ctx, s));
    take_normals(&t, s);
    return SP_OK;
}
