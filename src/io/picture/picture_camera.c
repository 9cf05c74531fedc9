// Where the camera stands: as the scene says, or fitted so that every body is on the picture from its broad side.
#include "io/picture/picture.h"
#include "math/vec3.h"

static bool normalise(double v[3]) {
    double n = sp__norm3(v);
    if (!(n > 0) || !isfinite(n)) return false;
    for (int i = 0; i < 3; i++) v[i] /= n;
    return true;
}

// any unit vector that is not along `v`
static void other_direction(const double v[3], double out[3]) {
    int k = fabs(v[0]) <= fabs(v[1]) && fabs(v[0]) <= fabs(v[2]) ? 0 : fabs(v[1]) <= fabs(v[2]) ? 1 : 2;
    out[0] = out[1] = out[2] = 0;
    out[k] = 1;
}

void sp__eye_look(sp_eye *eye, const double at[3], const double to[3], const double up[3]) {
    memcpy(eye->at, at, sizeof eye->at);
    sp__sub3(to, at, eye->forward);
    if (!normalise(eye->forward)) eye->forward[0] = eye->forward[1] = 0, eye->forward[2] = -1;
    sp__cross3(eye->forward, up, eye->right);
    if (sp__norm3(eye->right) < 1e-9 * sp__norm3(up) || !normalise(eye->right)) {
        double side[3];
        other_direction(eye->forward, side);
        sp__cross3(eye->forward, side, eye->right);
        normalise(eye->right);
    }
    sp__cross3(eye->right, eye->forward, eye->up);
}

// distance from `to` at which all points are within the half angles, given as tangents
static double fit_distance(const sp_eye *eye, const double to[3], const double *points, int count, double tx, double ty) {
    double distance = 0;
    for (int i = 0; i < count; i++) {
        double d[3];
        sp__sub3(points + 3 * (size_t)i, to, d);
        double depth = sp__dot3(d, eye->forward);
        distance = fmax(distance, fabs(sp__dot3(d, eye->right)) / tx - depth);
        distance = fmax(distance, fabs(sp__dot3(d, eye->up)) / ty - depth);
    }
    return distance;
}

// extent of the points on the canvas: x0 y0 x1 y1
static void seen_box(const sp_eye *eye, const double *points, int count, double box[4]) {
    box[0] = box[1] = INFINITY, box[2] = box[3] = -INFINITY;
    for (int i = 0; i < count; i++) {
        double p[3];
        if (!sp__eye_project(eye, points + 3 * (size_t)i, p)) continue;
        box[0] = fmin(box[0], p[0]), box[1] = fmin(box[1], p[1]);
        box[2] = fmax(box[2], p[0]), box[3] = fmax(box[3], p[1]);
    }
}

void sp__eye_fit(sp_eye *eye, const double forward[3], const double up[3], const double *points, int count, double width,
                 double height, const double margins[4]) {
    double w = width - margins[0] - margins[1], h = height - margins[2] - margins[3];
    double to[3] = {0, 0, 0}, low[3] = {INFINITY, INFINITY, INFINITY}, high[3] = {-INFINITY, -INFINITY, -INFINITY};
    for (int i = 0; i < 3 * count; i++) low[i % 3] = fmin(low[i % 3], points[i]), high[i % 3] = fmax(high[i % 3], points[i]);
    for (int i = 0; i < 3 && count > 0; i++) to[i] = 0.5 * (low[i] + high[i]);
    eye->parallel = false;
    eye->cx = margins[0] + 0.5 * w, eye->cy = margins[2] + 0.5 * h;
    // the middle of the box is not the middle of the picture: move the aim a few times, then the distance follows
    for (int pass = 0; pass < 6; pass++) {
        double ahead[3], at[3], box[4];
        sp__axpy3(to, 1.0, forward, ahead);
        sp__eye_look(eye, to, ahead, up);
        double distance = fmax(fit_distance(eye, to, points, count, 0.5 * w / eye->focal, 0.5 * h / eye->focal), 1e-12);
        sp__axpy3(to, -distance, eye->forward, at);
        memcpy(eye->at, at, sizeof at);
        eye->nearest = 1e-3 * distance;
        seen_box(eye, points, count, box);
        if (!(box[2] >= box[0])) return;
        double metre = distance / eye->focal;
        sp__axpy3(to, (0.5 * (box[0] + box[2]) - eye->cx) * metre, eye->right, to);
        sp__axpy3(to, -(0.5 * (box[1] + box[3]) - eye->cy) * metre, eye->up, to);
    }
}

// a three-quarter view from above, along the thinner horizontal extent so that what is long lies across the picture
static void choose_forward(const double up[3], const double *points, int count, double forward[3]) {
    double side[2][3], extent[2];
    double z[3] = {0, 0, 1}, y[3] = {0, 1, 0};
    sp__cross3(up, fabs(up[2]) < 0.9 ? z : y, side[0]);
    normalise(side[0]);
    sp__cross3(side[0], up, side[1]);
    for (int k = 0; k < 2; k++) {
        double low = INFINITY, high = -INFINITY;
        for (int i = 0; i < count; i++) {
            double s = sp__dot3(points + 3 * (size_t)i, side[k]);
            low = fmin(low, s), high = fmax(high, s);
        }
        extent[k] = high - low;
    }
    int across = extent[1] > 1.05 * extent[0], along = !across;
    double turn = across ? -0.5 : 0.5;
    for (int i = 0; i < 3; i++) forward[i] = -(side[along][i] + turn * side[across][i] + 0.42 * up[i]);
    normalise(forward);
}

void sp__picture_camera(const sp_picture_def *def, sp_drawing *d) {
    double width = (double)d->width * SP_SAMPLES, height = (double)d->height * SP_SAMPLES;
    sp_eye *eye = &d->camera;
    double up[3] = {def->up[0], def->up[1], def->up[2]};
    if (!normalise(up)) up[0] = up[2] = 0, up[1] = 1;
    memcpy(d->up, up, sizeof up);
    *eye = (sp_eye){.focal = 0.5 * height / tan(0.5 * def->fov * 3.14159265358979323846 / 180.0)};
    if (!def->fitted) {
        const double *to = isfinite(def->to[0]) ? def->to : d->centre;
        double away[3];
        sp__sub3(to, def->at, away);
        sp__eye_look(eye, def->at, to, up);
        eye->cx = 0.5 * width, eye->cy = 0.5 * height;
        eye->nearest = 1e-3 * sp__norm3(away);
        return;
    }
    // the points of all bodies come first in the list, those of grounds last
    const sp_soup *s = &d->soup;
    int last = -1;
    for (int f = 0; f < s->face_count; f++) {
        if (s->skins[s->skin_of[f]].ground) continue;
        for (int k = 0; k < 3; k++) last = (int)s->faces[3 * f + k] > last ? (int)s->faces[3 * f + k] : last;
    }
    int count = last >= 0 ? last + 1 : s->vertex_count;
    double forward[3];
    choose_forward(up, s->x, count, forward);
    double margins[4] = {0.07 * width, (d->legend.label[0] ? 0.17 : 0.07) * width, 0.12 * height, 0.08 * height};
    sp__eye_fit(eye, forward, up, s->x, count, width, height, margins);
}
