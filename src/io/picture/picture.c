// A picture of the world now: what the caller asked for is checked, the pieces of picture.h are called in their order.
#include "io/picture/picture.h"

#include <stdio.h>

#include "math/vec3.h"

enum { SIDE_LEAST = 16, SIDE_MOST = 16384 };

sp_picture_def sp_picture_def_default(void) {
    return (sp_picture_def){.width = 1280,
                            .height = 720,
                            .up = {0, 1, 0},
                            .fitted = true,
                            .fov = 40,
                            .background = {1, 1, 1},
                            .cookie = SP_COOKIE_PICTURE};
}

static sp_status check_def(sp_world *w, const sp_picture_def *def) {
    sp_legend legend;
    if (def->cookie != SP_COOKIE_PICTURE)
        return SP_FAIL(sp_world_context(w), SP_BAD_INPUT, "sp_picture_def did not start from sp_picture_def_default()");
    if (def->width < SIDE_LEAST || def->width > SIDE_MOST || def->height < SIDE_LEAST || def->height > SIDE_MOST)
        return SP_FAIL(sp_world_context(w), SP_BAD_INPUT, "picture of %d x %d pixels, each must be in [%d, %d]", def->width,
                       def->height, SIDE_LEAST, SIDE_MOST);
    if (!(def->fov > 0 && def->fov < 180))
        return SP_FAIL(sp_world_context(w), SP_BAD_INPUT, "fov = %g deg, must be in (0, 180)", def->fov);
    for (int i = 0; i < 3; i++)
        if (!(def->background[i] >= 0 && def->background[i] <= 1))
            return SP_FAIL(sp_world_context(w), SP_BAD_INPUT, "background[%d] = %g, must be in [0, 1]", i, def->background[i]);
    if (def->color_by && !sp__picture_field(def->color_by, &legend))
        return SP_FAIL(sp_world_context(w), SP_BAD_INPUT,
                       "cannot colour by \"%s\": pictures know displacement, velocity, von-mises, rotation, refresh and region",
                       def->color_by);
    return SP_OK;
}

// the newest snapshot; a world that has not been stepped yet makes its first one here
static const sp_snapshot *newest(sp_world *w) {
    const sp_snapshot *shot = sp_world_snapshot_acquire(w);
    if (shot || sp_world_publish(w) < 0) return shot;
    return sp_world_snapshot_acquire(w);
}

// a ground seen from below would hide all that stands on it
static void hide_grounds_from_below(sp_drawing *d) {
    for (int i = 0; i < d->soup.skin_count; i++) {
        sp_skin *s = &d->soup.skins[i];
        double n[3], to[3];
        if (!s->ground) continue;
        sp__cross3(s->u, s->v, n);
        sp__sub3(d->camera.at, s->origin, to);
        if (sp__dot3(n, to) <= 0) s->opacity = 0;
    }
}

static void write_words(const sp_picture_def *def, const sp_snapshot *shot, sp_drawing *d) {
    d->width = def->width, d->height = def->height;
    memcpy(d->background, def->background, sizeof d->background);
    if (def->title) snprintf(d->title, sizeof d->title, "%s", def->title);
    snprintf(d->note, sizeof d->note, "t = %.6g s, step %llu", shot->time, (unsigned long long)shot->step);
    if (def->color_by) sp__picture_field(def->color_by, &d->legend);
}

static sp_status draw(sp_world *w, const sp_snapshot *shot, const sp_run *run, const sp_picture_def *def, const char *path) {
    sp_context *ctx = sp_world_context(w);
    sp_drawing *d = NULL;
    unsigned char *rgb = NULL;
    sp_status status = SP_NO_MEMORY;
    if (!SP_NEW(ctx, d, 1) || !SP_NEW(ctx, rgb, 3 * (size_t)def->width * (size_t)def->height)) goto done;
    write_words(def, shot, d);
    if ((status = sp__picture_collect(ctx, w, shot, run, def->color_by, d)) < 0) goto done;
    sp__picture_camera(def, d);
    hide_grounds_from_below(d);
    d->light_count = sp__picture_lights(run, d, d->lights, SP_LIGHTS_MAX);
    if (d->light_count == 0) sp__lights_default(d);
    if ((status = sp__shadows(ctx, d)) < 0) goto done;
    if ((status = sp__picture_shade(ctx, d, rgb)) < 0) goto done;
    sp__picture_letter(d, rgb);
    sp_error error = {.index = -1};
    status = sp__png_write(ctx, &error, path, d->width, d->height, rgb);
    if (status < 0 && error.message[0]) SP_FAIL(sp_world_context(w), status, "%s", error.message);
done:
    if (d) sp__shadows_free(ctx, d), sp__soup_free(ctx, &d->soup);
    sp__free(ctx, d), sp__free(ctx, rgb);
    if (status == SP_NO_MEMORY)
        return SP_FAIL(sp_world_context(w), status, "no memory for a picture of %d x %d", def->width, def->height);
    return status;
}

sp_status sp_picture_write(sp_world *world, const sp_run *run, const sp_picture_def *def, const char *path) {
    sp_picture_def usual = run ? sp_run_picture(run) : sp_picture_def_default();
    if (!def) def = &usual;
    SP_TRY(check_def(world, def));
    const sp_snapshot *shot = newest(world);
    if (!shot) return SP_FAIL(sp_world_context(world), SP_NO_MEMORY, "no snapshot to make a picture from");
    sp_status status = draw(world, shot, run, def, path);
    sp_world_snapshot_release(world, shot);
    return status;
}
