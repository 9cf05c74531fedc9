// A picture of the current world or of a surface: checks the options and calls the parts of picture.h in order.
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
                            .azimuth = NAN,
                            .elevation = NAN,
                            .background = {1, 1, 1},
                            .range = {NAN, NAN},
                            .clip_point = {NAN, NAN, NAN},
                            .clip_normal = {0, 0, 1},
                            .cookie = SP_COOKIE_PICTURE};
}

sp_picture_extent sp_picture_extent_default(void) {
    return (sp_picture_extent){.low = {INFINITY, INFINITY, INFINITY},
                               .high = {-INFINITY, -INFINITY, -INFINITY},
                               .least = INFINITY,
                               .greatest = -INFINITY};
}

// ---------------------------------------------------------------------------------------------------- options

static sp_status check_clip(sp_context *ctx, const sp_picture_def *def) {
    const double *n = def->clip_normal;
    double length = sqrt(n[0] * n[0] + n[1] * n[1] + n[2] * n[2]);
    if (!def->clip) return SP_OK;
    for (int i = 0; i < 3 && !isnan(def->clip_point[0]); i++)
        if (!isfinite(def->clip_point[i]))
            return SP_FAIL(ctx, SP_BAD_INPUT, "clip_point[%d] = %g m, must be finite", i, def->clip_point[i]);
    if (length > 0 && isfinite(length)) return SP_OK;
    return SP_FAIL(ctx, SP_BAD_INPUT, "clip_normal = %g %g %g, must be finite and not 0", n[0], n[1], n[2]);
}

static sp_status check_camera(sp_context *ctx, const sp_picture_def *def) {
    if (!(def->fov > 0 && def->fov < 180)) return SP_FAIL(ctx, SP_BAD_INPUT, "fov = %g deg, must be in (0, 180)", def->fov);
    if (!isnan(def->elevation) && !(def->elevation >= -90 && def->elevation <= 90))
        return SP_FAIL(ctx, SP_BAD_INPUT, "elevation = %g deg, must be in [-90, 90]", def->elevation);
    if (isinf(def->azimuth) || !isfinite(def->orbit))
        return SP_FAIL(ctx, SP_BAD_INPUT, "azimuth = %g deg, orbit = %g deg, must be finite", def->azimuth, def->orbit);
    for (int i = 0; i < 3 && !def->fitted; i++)
        if (!isfinite(def->at[i])) return SP_FAIL(ctx, SP_BAD_INPUT, "at[%d] = %g m, must be finite", i, def->at[i]);
    return SP_OK;
}

static sp_status check_def(sp_context *ctx, const sp_picture_def *def) {
    if (def->cookie != SP_COOKIE_PICTURE)
        return SP_FAIL(ctx, SP_BAD_INPUT, "sp_picture_def did not start from sp_picture_def_default()");
    if (def->width < SIDE_LEAST || def->width > SIDE_MOST || def->height < SIDE_LEAST || def->height > SIDE_MOST)
        return SP_FAIL(ctx, SP_BAD_INPUT, "picture of %d x %d pixels, each must be in [%d, %d]", def->width, def->height,
                       SIDE_LEAST, SIDE_MOST);
    SP_TRY(check_camera(ctx, def));
    SP_TRY(check_clip(ctx, def));
    for (int i = 0; i < 3; i++)
        if (!(def->background[i] >= 0 && def->background[i] <= 1))
            return SP_FAIL(ctx, SP_BAD_INPUT, "background[%d] = %g, must be in [0, 1]", i, def->background[i]);
    if (def->range[1] <= def->range[0])
        return SP_FAIL(ctx, SP_BAD_INPUT, "range of colours from %g to %g, must increase", def->range[0], def->range[1]);
    for (int i = 0; i < def->opacity_count; i++)
        if (!(def->opacities[i].opacity >= 0 && def->opacities[i].opacity <= 1))
            return SP_FAIL(ctx, SP_BAD_INPUT, "opacity %g, must be in [0, 1]", def->opacities[i].opacity);
    return SP_OK;
}

static sp_status check_world(sp_world *w, const sp_picture_def *def) {
    sp_context *ctx = sp_world_context(w);
    sp_legend legend;
    SP_TRY(check_def(ctx, def));
    for (int i = 0; i < def->opacity_count; i++) {
        const char *name = def->opacities[i].body;
        if (name && sp_world_body_named(w, name).slot == 0)
            return SP_FAIL(ctx, SP_BAD_INPUT, "opacity of \"%s\": no such body", name);
    }
    if (!def->color_by || sp__picture_field(def->color_by, &legend)) return SP_OK;
    char known[200];
    sp__picture_fields(known, sizeof known);
    return SP_FAIL(ctx, SP_BAD_INPUT, "cannot colour by \"%s\": must be one of %s", def->color_by, known);
}

// ---------------------------------------------------------------------------------------------------- drawing

// the newest snapshot; a world without a step publishes its first one here
static const sp_snapshot *newest(sp_world *w) {
    const sp_snapshot *snapshot = sp_world_snapshot_acquire(w);
    if (snapshot || sp_world_publish(w) < 0) return snapshot;
    return sp_world_snapshot_acquire(w);
}

// a ground seen from below would hide everything on it
static void hide_grounds_from_below(sp_drawing *d) {
    for (int i = 0; i < d->soup.drawable_count; i++) {
        sp_drawable *s = &d->soup.drawables[i];
        double n[3], to[3];
        if (!s->ground) continue;
        sp__cross3(s->u, s->v, n);
        sp__sub3(d->camera.at, s->origin, to);
        if (sp__dot3(n, to) <= 0) s->opacity = 0;
    }
}

static void write_words(const sp_picture_def *def, sp_drawing *d) {
    d->width = def->width, d->height = def->height;
    memcpy(d->background, def->background, sizeof d->background);
    if (def->title) snprintf(d->title, sizeof d->title, "%s", def->title);
    if (def->note) snprintf(d->note, sizeof d->note, "%s", def->note);
}

// renders the collected triangles to pixels. Nullable: run
static sp_status picture_finish(sp_context *ctx, const sp_run *run, const sp_picture_def *def, sp_drawing *d,
                                unsigned char *rgb) {
    sp__picture_camera(def, d);
    hide_grounds_from_below(d);
    SP_TRY(sp__rings_fit(ctx, d));
    SP_TRY(sp__picture_marks(ctx, d));
    d->light_count = sp__picture_lights(run, d, d->lights, SP_LIGHTS_MAX);
    if (d->light_count == 0) sp__lights_default(d);
    sp_status status = sp__shadows(ctx, d);
    if (status >= 0) status = sp__picture_pixels(ctx, d, rgb);
    sp__shadows_free(ctx, d);
    if (status >= 0 && !def->plain) sp__picture_letter(d, rgb);
    return status;
}

static sp_status no_memory(sp_context *ctx, const sp_picture_def *def, sp_status status) {
    if (status != SP_NO_MEMORY) return status;
    return SP_FAIL(ctx, status, "no memory for a picture of %d x %d", def->width, def->height);
}

static void put_sources(const sp_picture_def *def, const sp_snapshot *snapshot, sp_drawing *d) {
    write_words(def, d);
    if (!def->note)
        snprintf(d->note, sizeof d->note, "t = %.6g s, step %llu", snapshot->time, (unsigned long long)snapshot->step);
    if (def->color_by) sp__picture_field(def->color_by, &d->legend);
}

// draws into rgb, or only measures into extent
static sp_status visit(sp_world *world, const sp_run *run, const sp_picture_def *def, unsigned char *rgb,
                       sp_picture_extent *extent) {
    sp_context *ctx = sp_world_context(world);
    SP_TRY(check_world(world, def));
    const sp_snapshot *snapshot = newest(world);
    if (!snapshot) return SP_FAIL(ctx, SP_NO_MEMORY, "no snapshot to make a picture from");
    sp_drawing *d = sp__alloc(ctx, 1, sizeof *d);
    sp_status status = d ? SP_OK : SP_NO_MEMORY;
    if (d) put_sources(def, snapshot, d);
    if (d) status = sp__picture_collect(ctx, world, snapshot, run, def, d);
    if (status >= 0 && extent) {
        double least, greatest;
        for (size_t i = 0; i < 3 * (size_t)d->soup.fitted; i++) {
            extent->low[i % 3] = fmin(extent->low[i % 3], d->soup.x[i]);
            extent->high[i % 3] = fmax(extent->high[i % 3], d->soup.x[i]);
        }
        extent->force = fmax(extent->force, sp__picture_largest_force(snapshot));
        if (sp__picture_values(&d->soup, &least, &greatest))
            extent->least = fmin(extent->least, least), extent->greatest = fmax(extent->greatest, greatest);
    }
    if (status >= 0 && rgb) status = picture_finish(ctx, run, def, d, rgb);
    if (d) sp__soup_free(ctx, &d->soup);
    sp__free(ctx, d);
    sp_world_snapshot_release(world, snapshot);
    return no_memory(ctx, def, status);
}

sp_status sp_picture_draw(sp_world *world, const sp_run *run, const sp_picture_def *def, unsigned char *rgb) {
    sp_picture_def usual = run ? sp_run_picture(run) : sp_picture_def_default();
    return visit(world, run, def ? def : &usual, rgb, NULL);
}

sp_status sp_picture_measure(sp_world *world, const sp_run *run, const sp_picture_def *def, sp_picture_extent *extent) {
    sp_picture_def usual = run ? sp_run_picture(run) : sp_picture_def_default();
    return visit(world, run, def ? def : &usual, NULL, extent);
}

sp_status sp_picture_surface(sp_context *context, const sp_trimesh *surface, const char *name, const sp_picture_def *def,
                             unsigned char *rgb) {
    sp_picture_def usual = sp_picture_def_default();
    if (!def) def = &usual;
    SP_TRY(check_def(context, def));
    sp_drawing *d = sp__alloc(context, 1, sizeof *d);
    sp_status status = d ? SP_OK : SP_NO_MEMORY;
    if (d) write_words(def, d);
    if (d) status = sp__picture_collect_surface(context, surface, name, def, d);
    if (status >= 0) status = picture_finish(context, NULL, def, d, rgb);
    if (d) sp__soup_free(context, &d->soup);
    sp__free(context, d);
    return no_memory(context, def, status);
}

// ---------------------------------------------------------------------------------------------------- files

sp_status sp_picture_save(sp_context *context, const unsigned char *rgb, int width, int height, const char *path) {
    sp_error error = {.index = -1};
    if (width < 1 || height < 1)
        return SP_FAIL(context, SP_BAD_INPUT, "picture of %d x %d pixels, each must be > 0", width, height);
    sp_status status = sp__png_write(context, &error, path, width, height, rgb);
    return status < 0 ? SP_FAIL(context, status, "%s", error.message) : status;
}

sp_status sp_picture_write(sp_world *world, const sp_run *run, const sp_picture_def *def, const char *path) {
    sp_context *ctx = sp_world_context(world);
    sp_picture_def usual = run ? sp_run_picture(run) : sp_picture_def_default();
    unsigned char *rgb = NULL;
    if (!def) def = &usual;
    SP_TRY(check_world(world, def));
    if (!SP_NEW(ctx, rgb, 3 * (size_t)def->width * (size_t)def->height)) return no_memory(ctx, def, SP_NO_MEMORY);
    sp_status status = sp_picture_draw(world, run, def, rgb);
    if (status >= 0) status = sp_picture_save(ctx, rgb, def->width, def->height, path);
    sp__free(ctx, rgb);
    return status;
}
