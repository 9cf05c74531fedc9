// Lights and shadow maps: a depth image from the light decides what is in shadow. Scenes without lights get a key light over the
// viewer's shoulder, a sky light from above that darkens surfaces close to the ground, and a rim light from behind that separates
// the outline from the background.
#include "io/picture/picture.h"
#include "math/vec3.h"

static void set_light(sp_light *l, sp_light_type type, const double at[3], const double color[3], double intensity) {
    *l = (sp_light){.type = type, .gloss = 1, .softness = 0.012};
    double n = sp__norm3(at);
    for (int i = 0; i < 3; i++) l->at[i] = at[i] / n, l->color[i] = color[i] * intensity;
}

void sp__lights_default(sp_drawing *d) {
    static const double warm[3] = {1, 0.97, 0.92}, cool[3] = {0.85, 0.92, 1}, white[3] = {1, 1, 1};
    const sp_eye *eye = &d->camera;
    double key[3], rim[3];
    for (int i = 0; i < 3; i++) {
        key[i] = 1.1 * d->up[i] - 0.75 * eye->right[i] - 0.8 * eye->forward[i];
        rim[i] = 0.5 * d->up[i] + 0.9 * eye->right[i] + 0.8 * eye->forward[i];
    }
    set_light(&d->lights[0], SP_LIGHT_SUN, key, warm, 0.78);
    d->lights[0].shadow = true;
    set_light(&d->lights[1], SP_LIGHT_SKY, d->up, white, 0.3);
    d->lights[1].shadow = true, d->lights[1].softness = 0.07, d->lights[1].gloss = 0;
    set_light(&d->lights[2], SP_LIGHT_SUN, rim, cool, 0.3);
    d->light_count = 3;
    for (int i = 0; i < 3; i++) d->ambient_sky[i] = 0.3 * cool[i], d->ambient_ground[i] = 0.16 * warm[i];
}

// a camera at the light that sees the bounding sphere of all bodies
static bool light_eye(const sp_light *l, const sp_drawing *d, sp_eye *eye) {
    double radius = 0.55 * d->size, half = 0.5 * SP_SHADOW_SIZE, at[3], side[3] = {0.31, 0.17, 0.93};
    *eye = (sp_eye){.cx = half, .cy = half};
    if (l->type == SP_LIGHT_SUN || l->type == SP_LIGHT_SKY) {
        sp__axpy3(d->centre, 2 * radius, l->at, at);
        eye->parallel = true, eye->focal = half / radius;
    } else {
        double away[3];
        memcpy(at, l->at, sizeof at);
        sp__sub3(d->centre, at, away);
        double distance = sp__norm3(away);
        if (distance < 1.2 * radius) return false;  // the light is among the bodies: a single map cannot see all of them
        eye->focal = half * sqrt(distance * distance - radius * radius) / radius;
        eye->nearest = 0.5 * (distance - radius);
    }
    sp__eye_look(eye, at, d->centre, side);
    return true;
}

typedef struct sp_shadow_work {
    const sp_soup *soup;
    sp_light *light;
} sp_shadow_work;

// depth of the opaque face; for transparent bodies the depth of the first face and the transmitted fraction. A ray passes two
// faces of each body, so only front faces count
static void shadow_sample(const sp_shadow_work *w, const sp_layer *layers, uint32_t count, size_t at) {
    double hidden = INFINITY, transparency = INFINITY, left = 1;
    for (uint32_t k = 0; k < count; k++) {
        const sp_layer *l = &layers[k];
        double opacity = w->soup->drawables[w->soup->drawable_of[l->face]].opacity;
        if (opacity >= 1) hidden = l->depth;
        if (opacity < 1 && transparency == INFINITY) transparency = l->depth;
        if (opacity < 1 && !l->back) left *= 1 - opacity;
    }
    w->light->map[at] = (float)hidden;
    if (w->light->transparency)
        w->light->transparency[2 * at] = (float)transparency, w->light->transparency[2 * at + 1] = (float)left;
}

static void shadow_tile(void *user, const sp_layer_tile *t, int worker) {
    const sp_shadow_work *w = user;
    (void)worker;
    for (int y = 0; y < t->height; y++) {
        size_t at = (size_t)(t->y + y) * SP_SHADOW_SIZE + (size_t)t->x;
        const uint32_t *start = t->start + y * t->width;
        if (start[0] == start[t->width] && !w->light->transparency) {  // most rows: nothing is there
            for (int x = 0; x < t->width; x++) w->light->map[at + (size_t)x] = INFINITY;
            continue;
        }
        for (int x = 0; x < t->width; x++) {
            uint32_t count = start[x + 1] - start[x];  // an empty tile has no list
            shadow_sample(w, count ? t->layers + start[x] : NULL, count, at + (size_t)x);
        }
    }
}

static unsigned char shadow_kind(const sp_drawable *drawable) {
    if (drawable->ground || drawable->mark || drawable->opacity <= 0) return SP_LAYER_ABSENT;
    return drawable->opacity >= 1 ? SP_LAYER_HIDES : SP_LAYER_THROUGH;
}

sp_status sp__shadows(sp_context *ctx, sp_drawing *d) {
    const sp_soup *s = &d->soup;
    sp_status status = SP_OK;
    unsigned char *kind = sp__alloc(ctx, (size_t)s->face_count + 1, 1);
    if (!kind) return SP_NO_MEMORY;
    bool through = false;
    for (int f = 0; f < s->face_count; f++) {
        // faces that the clipping plane cuts would cast the shadow of their front part on the cap
        kind[f] = sp__clips_face(d, f, 1) ? SP_LAYER_ABSENT : shadow_kind(&s->drawables[s->drawable_of[f]]);
        through |= kind[f] == SP_LAYER_THROUGH;
    }
    for (int i = 0; i < d->light_count && status >= 0; i++) {
        sp_light *l = &d->lights[i];
        if (!l->shadow || !(d->size > 0) || !light_eye(l, d, &l->eye)) continue;
        if (!SP_NEW(ctx, l->map, SP_SHADOW_SIZE * SP_SHADOW_SIZE)) status = SP_NO_MEMORY;
        if (through && !SP_NEW(ctx, l->transparency, 2 * SP_SHADOW_SIZE * SP_SHADOW_SIZE)) status = SP_NO_MEMORY;
        sp_shadow_work work = {s, l};
        sp_layers_def def = {.eye = &l->eye, .width = SP_SHADOW_SIZE, .height = SP_SHADOW_SIZE, .kind = kind};
        def.vertex_count = s->vertex_count, def.x = s->x, def.face_count = s->face_count, def.faces = s->faces;
        def.tile = shadow_tile, def.user = &work;
        if (status >= 0) status = sp__layers(ctx, &def);
    }
    sp__free(ctx, kind);
    return status;
}

void sp__shadows_free(sp_context *ctx, sp_drawing *d) {
    for (int i = 0; i < d->light_count; i++) {
        sp__free(ctx, d->lights[i].map), sp__free(ctx, d->lights[i].transparency);
        d->lights[i].map = d->lights[i].transparency = NULL;
    }
}
