// The clipping plane of a picture: what is in front of it is not drawn, and caps close the cut through solids. A cap is the cross
// section of the tetrahedra (section.c): coloured by the field of the picture, or by the material regions.
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

// one drawable per region, the first one for what has none
static void cap_drawables(const sp_section_faces *f, const sp_drawable *look, double opacity, bool by_field, int count,
                          sp_soup *s) {
    static const sp_legend regions = {.regions = true};
    for (int r = 0; r < count; r++) {
        sp_drawable *own = &s->drawables[s->drawable_count + r];
        *own = *look;
        own->clipped = own->edges = own->by_vertex = false, own->by_field = by_field, own->roughness = 0.8;
        own->opacity = r > 0 ? 1 : opacity;
        if (!by_field && r > 0) sp__legend_color(&regions, r, own->color);
    }
    for (int i = 0; i < f->face_count; i++)
        s->drawable_of[s->face_count + i] = s->drawable_count + f->regions[f->faces[3 * (size_t)i]];
}

static sp_status add_cap(sp_context *ctx, const sp_section_faces *f, const sp_drawable *look, double opacity, sp_soup *s) {
    int last = 0;
    for (int v = 0; v < f->vertex_count; v++) last = f->regions[v] > last ? f->regions[v] : last;
    if (f->face_count == 0) return SP_OK;
    SP_TRY(sp__soup_reserve(ctx, s, f->vertex_count, f->face_count, last + 1));
    memcpy(s->x + 3 * (size_t)s->vertex_count, f->positions, 3 * (size_t)f->vertex_count * sizeof *s->x);
    for (size_t i = 0; i < 3 * (size_t)f->face_count; i++) {
        s->faces[3 * (size_t)s->face_count + i] = f->faces[i] + (uint32_t)s->vertex_count;
        if (s->scalar && f->values) s->scalar[3 * (size_t)s->face_count + i] = f->values[f->faces[i]];
    }
    cap_drawables(f, look, opacity, f->values != NULL, last + 1, s);
    s->vertex_count += f->vertex_count, s->face_count += f->face_count, s->drawable_count += last + 1;
    return SP_OK;
}

sp_status sp__picture_cap(sp_context *ctx, sp_world *world, sp_body_id id, const char *field, const sp_drawable *look,
                          double opacity, sp_drawing *d) {
    sp_section *section = NULL;
    sp_section_faces faces;
    sp_element_view e;
    if (sp_world_elements(world, id, NULL, &e) < 0 || e.type != SP_ELEMENT_TET4) return SP_OK;
    sp_status status = sp_section_create(world, id, &section);
    if (status >= 0) status = sp_section_update(section, field);
    if (status >= 0) status = sp_section_cut(section, d->clip_point, d->clip_normal, &faces);
    if (status >= 0) status = add_cap(ctx, &faces, look, opacity, &d->soup);
    sp_section_destroy(&section);
    return status;
}
