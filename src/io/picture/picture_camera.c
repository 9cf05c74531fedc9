// The camera: as the scene defines it, or fitted so that all bodies are visible from their broad side.
#include "io/picture/picture.h"
#include "math/vec3.h"

static const double degree = SP_PI / 180;

static bool camera_normalise(double v[3]) {
    double n = sp__norm3(v);
    if (!(n > 0) || !isfinite(n)) return false;
    for (int i = 0; i < 3; i++) v[i] /= n;
    return true;
}

// any unit vector not parallel to `v`
static void other_direction(const double v[3], double out[3]) {
    int k = fabs(v[0]) <= fabs(v[1]) && fabs(v[0]) <= fabs(v[2]) ? 0 : fabs(v[1]) <= fabs(v[2]) ? 1 : 2;
    out[0] = out[1] = out[2] = 0;
    out[k] = 1;
}

void sp__eye_look(sp_eye *eye, const double at[3], const double to[3], const double up[3]) {
    memcpy(eye->at, at, sizeof eye->at);
    sp__sub3(to, at, eye->forward);
    if (!camera_normalise(eye->forward)) eye->forward[0] = eye->forward[1] = 0, eye->forward[2] = -1;
    sp__cross3(eye->forward, up, eye->right);
    if (sp__norm3(eye->right) < 1e-9 * sp__norm3(up) || !camera_normalise(eye->right)) {
        double side[3];
        other_direction(eye->forward, side);
        sp__cross3(eye->forward, side, eye->right);
        camera_normalise(eye->right);
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

// bounding box of the points on the canvas: x0 y0 x1 y1
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
    // the centre of the box does not project to the centre of the picture: iterate the target, then compute the distance
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

// two horizontal directions: to the right, and towards a viewer in front
static void horizon(const double up[3], double right[3], double front[3]) {
    double z[3] = {0, 0, 1}, y[3] = {0, -1, 0};
    sp__cross3(up, fabs(up[2]) < 0.9 ? z : y, right);
    camera_normalise(right);
    sp__cross3(right, up, front);
}

// a three-quarter view from above along the shorter horizontal extent, so that long bodies lie across the picture
static void choose_forward(const double up[3], const double *points, int count, double forward[3]) {
    double side[2][3], extent[2];
    horizon(up, side[0], side[1]);
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
    camera_normalise(forward);
}

// given azimuth and elevation override the automatic ones
static void aim_camera(const sp_picture_def *def, const double up[3], double forward[3]) {
    double right[3], front[3];
    horizon(up, right, front);
    double azimuth = atan2(-sp__dot3(forward, right), -sp__dot3(forward, front));
    double elevation = asin(fmax(-1, fmin(1, -sp__dot3(forward, up))));
    if (!isnan(def->azimuth)) azimuth = def->azimuth * degree;
    if (!isnan(def->elevation)) elevation = def->elevation * degree;
    for (int i = 0; i < 3; i++)
        forward[i] = -cos(elevation) * (cos(azimuth) * front[i] + sin(azimuth) * right[i]) - sin(elevation) * up[i];
}

// rotates about `up`
static void turn_vector(const double up[3], double angle, double v[3]) {
    double q[4], m[9], out[3];
    sp__quat_axis(up, angle, q), sp__quat_matrix(q, m);
    sp__mul3(m, v, out);
    memcpy(v, out, sizeof out);
}

static void place_camera(const sp_picture_def *def, const sp_drawing *d, sp_eye *eye) {
    const double *to = isfinite(def->to[0]) ? def->to : d->centre;
    double away[3], at[3];
    sp__sub3(def->at, to, away);
    if (def->orbit != 0) turn_vector(d->up, def->orbit * degree, away);
    sp__axpy3(to, 1, away, at);
    if (def->orbit == 0) memcpy(at, def->at, sizeof at);
    sp__eye_look(eye, at, to, d->up);
    eye->cx = 0.5 * d->width * SP_SAMPLES, eye->cy = 0.5 * d->height * SP_SAMPLES;
    eye->nearest = fmax(1e-3 * sp__norm3(away), 1e-9);
}

static void box_corners(const sp_picture_extent *e, double out[24]) {
    for (int i = 0; i < 24; i++) out[i] = i / 3 >> (i % 3) & 1 ? e->high[i % 3] : e->low[i % 3];
}

void sp__picture_camera(const sp_picture_def *def, sp_drawing *d) {
    double width = (double)d->width * SP_SAMPLES, height = (double)d->height * SP_SAMPLES;
    sp_eye *eye = &d->camera;
    double up[3] = {def->up[0], def->up[1], def->up[2]}, box[24], forward[3];
    if (!camera_normalise(up)) up[0] = up[2] = 0, up[1] = 1;
    memcpy(d->up, up, sizeof up);
    *eye = (sp_eye){.focal = 0.5 * height / tan(0.5 * def->fov * degree)};
    if (!def->fitted) {
        place_camera(def, d, eye);
        return;
    }
    const double *points = d->soup.x;
    int count = d->soup.fitted > 0 ? d->soup.fitted : d->soup.vertex_count;
    if (def->extent && def->extent->high[0] >= def->extent->low[0]) box_corners(def->extent, box), points = box, count = 8;
    choose_forward(up, points, count, forward);
    aim_camera(def, up, forward);
    if (def->orbit != 0) turn_vector(up, def->orbit * degree, forward);
    double margins[4] = {0.07 * width, (d->legend.label[0] ? 0.17 : 0.07) * width, 0.12 * height, 0.08 * height};
    sp__eye_fit(eye, forward, up, points, count, width, height, margins);
}
