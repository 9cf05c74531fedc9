// Placements and prescribed motions. P of the scene language is scale, then rotate or quat, then translate. A motion is P as
// functions of time, or keyframes with linear (or smooth) interpolation of translations and slerp of rotations.
#include "io/run/build.h"

#include "math/vec3.h"

// ============================================================================================== scattered copies

// Positions on the surface of a rigid body for the copies of an instance: random but even, with a minimum distance. Darts are
// thrown at the parts of the surface in proportion to their area. A dart too close to another is rejected, and the distance is
// reduced if no space is left (dart throwing: Cook 1986, relaxed: McCool and Fiume 1992). Random numbers depend only on the seed
// of the scene and the path of the instance.

enum { PARTS_A_SHAPE = 6, TRIES = 20000 };

typedef struct sp_scatter {
    struct sp_scatter *next;
    const char *key;  // path of the instance
    size_t key_length;
    sp_run_body *under;
    sp_pose *places;
} sp_scatter;

typedef struct part {  // a part of the surface with a uniform sampling rule
    const sp_rigid_shape *shape;
    int face;            // box: face 0..5; cylinder: 0 side, 1 and 2 caps
    const double *x[3];  // vertices of a triangle
    double area;
} part;

typedef struct dart {
    double x[3], normal[3];
} dart;

typedef struct test {  // a selection, evaluated at a position
    sp_where where;
    bool invert;
    struct test *other, *children;  // must hold; at least one must hold
    int count;
} test;

typedef struct field {
    sp_run *run;
    const sp_scene_node *target;  // select, surface or rigid
    const sp_run_body *body;
    test *test;  // NULL: the whole surface
    part *parts;
    int part_count;
    double *sum;       // cumulative areas
    double factor[3];  // from the body's own coordinates to its frame
    bool flip;
    uint64_t seed, thrown;
} field;

// ------------------------------------------------------------------------------------------------ parts

static double part_area(const sp_rigid_shape *s, int face) {
    const double *a = s->size;
    switch (s->type) {
    case SP_SPHERE: return face == 0 ? 4 * SP_PI * a[0] * a[0] : 0;
    case SP_BOX: return a[(face / 2 + 1) % 3] * a[(face / 2 + 2) % 3];
    case SP_CYLINDER: return face == 0 ? 2 * SP_PI * a[0] * a[1] : face < 3 ? SP_PI * a[0] * a[0] : 0;
    default: return 0;
    }
}

static sp_status shape_parts(field *f) {
    const sp_rigid_def *def = &f->body->rigid;
    if (!SP_KEEP(&f->run->scratch, f->parts, PARTS_A_SHAPE * (size_t)def->shape_count)) return sp__build_no_memory(f->run);
    for (int i = 0; i < def->shape_count; i++)
        if (def->shapes[i].type >= SP_CAPSULE)
            return SP_BUILD_FAIL(f->run, f->target, NULL,
                                 "copies over a %s are known, not in this build; give a surface with a file",
                                 def->shapes[i].type == SP_CAPSULE ? "capsule"
                                 : def->shapes[i].type == SP_TORUS ? "torus"
                                                                   : "ellipsoid");
    for (int i = 0; i < def->shape_count; i++)
        for (int face = 0; face < PARTS_A_SHAPE; face++) {
            double area = part_area(&def->shapes[i], face);
            if (area > 0) f->parts[f->part_count++] = (part){.shape = &def->shapes[i], .face = face, .area = area};
        }
    return SP_OK;
}

static sp_status triangle_parts(field *f, const sp_trimesh *mesh) {
    sp_trimesh_def def;
    double *x, n[3], e[2][3], s = sp__build_number(f->target, "scale", 1);
    sp_trimesh_get(mesh, &def);
    if (!SP_KEEP(&f->run->scratch, x, 3 * (size_t)def.vertex_count) || !SP_KEEP(&f->run->scratch, f->parts, def.face_count))
        return sp__build_no_memory(f->run);
    for (size_t i = 0; i < 3 * (size_t)def.vertex_count; i++) x[i] = def.positions[i] * s * f->factor[i % 3];
    for (int i = 0; i < def.face_count; i++) {
        part *p = &f->parts[f->part_count];
        for (int k = 0; k < 3; k++) p->x[k] = x + 3 * (size_t)def.faces[3 * (size_t)i + (size_t)k];
        sp__sub3(p->x[1], p->x[0], e[0]);
        sp__sub3(p->x[2], p->x[0], e[1]);
        sp__cross3(e[0], e[1], n);
        p->area = 0.5 * sp__norm3(n);
        f->part_count += p->area > 0;
    }
    return SP_OK;
}

static sp_status find_parts(field *f) {
    bool file = strcmp(f->target->spec->name, "surface") == 0 && sp__build_given(f->target, "file");
    sp_trimesh *mesh;
    for (int k = 0; k < 3; k++) {
        f->factor[k] = 1;
        for (int i = 0; i < f->body->places.count; i++) f->factor[k] *= f->body->places.at[i].scale[k];
    }
    if (!file) return shape_parts(f);
    f->flip = sp__build_is(f->target, "flip", "yes");
    sp_status status = sp_trimesh_read(f->run->ctx, sp__attr_word(f->target, "file"), &mesh);
    if (status < 0) return sp__build_refused(f->run, f->target, status, sp_context_error(f->run->ctx));
    status = triangle_parts(f, mesh);
    sp_trimesh_destroy(&mesh);
    return status;
}

// ------------------------------------------------------------------------------------------------ dart throwing

static double scatter_uniform(field *f) {
    return (double)(sp__mix(f->seed, f->thrown++) >> 11) * 0x1p-53;
}

static void on_box(const sp_rigid_shape *s, int face, double u, double v, dart *d) {
    int a = face / 2, b = (a + 1) % 3, c = (a + 2) % 3;
    d->x[a] = face % 2 ? s->size[a] : 0;
    d->x[b] = u * s->size[b], d->x[c] = v * s->size[c];
    d->normal[a] = face % 2 ? 1 : -1;
}

static void on_cylinder(const sp_rigid_shape *s, int face, double u, double v, dart *d) {
    double angle = 2 * SP_PI * u, r = s->size[0] * (face ? sqrt(v) : 1);
    d->x[0] = r * cos(angle), d->x[1] = r * sin(angle);
    d->x[2] = face == 0 ? v * s->size[1] : face == 1 ? 0 : s->size[1];
    if (face)
        d->normal[2] = face == 1 ? -1 : 1;
    else
        d->normal[0] = cos(angle), d->normal[1] = sin(angle);
}

// the height on a sphere is uniformly distributed (Archimedes)
static void on_sphere(const sp_rigid_shape *s, double u, double v, dart *d) {
    double z = 2 * v - 1, r = sqrt(fmax(1 - z * z, 0));
    d->normal[0] = r * cos(2 * SP_PI * u), d->normal[1] = r * sin(2 * SP_PI * u), d->normal[2] = z;
    for (int k = 0; k < 3; k++) d->x[k] = s->size[0] * d->normal[k];
}

static void on_triangle(const field *f, const part *p, double u, double v, dart *d) {
    double e[2][3], length, w = sqrt(u);
    for (int k = 0; k < 3; k++) d->x[k] = (1 - w) * p->x[0][k] + w * (1 - v) * p->x[1][k] + w * v * p->x[2][k];
    sp__sub3(p->x[1], p->x[0], e[0]);
    sp__sub3(p->x[2], p->x[0], e[1]);
    sp__cross3(e[0], e[1], d->normal);
    length = sp__norm3(d->normal) * (f->flip ? -1 : 1);
    for (int k = 0; k < 3; k++) d->normal[k] /= length;
}

// to the frame of the body
static void pose_dart(const sp_pose *pose, dart *d) {
    double R[9], x[3], n[3];
    sp__quat_matrix(pose->quat, R);
    sp__mul3(R, d->x, x);
    sp__mul3(R, d->normal, n);
    for (int k = 0; k < 3; k++) d->x[k] = pose->translate[k] + x[k], d->normal[k] = n[k];
}

static const part *pick_part(field *f) {
    double at = scatter_uniform(f) * f->sum[f->part_count - 1];
    int low = 0, high = f->part_count - 1;
    while (low < high) {
        int middle = low + (high - low) / 2;
        if (f->sum[middle] > at)
            high = middle;
        else
            low = middle + 1;
    }
    return &f->parts[low];
}

static const part *throw_dart(field *f, dart *d) {
    const part *p = pick_part(f);
    double u = scatter_uniform(f), v = scatter_uniform(f);
    *d = (dart){0};
    if (!p->shape) {
        on_triangle(f, p, u, v, d);
        return p;
    }
    if (p->shape->type == SP_SPHERE) on_sphere(p->shape, u, v, d);
    if (p->shape->type == SP_BOX) on_box(p->shape, p->face, u, v, d);
    if (p->shape->type == SP_CYLINDER) on_cylinder(p->shape, p->face, u, v, d);
    pose_dart(&p->shape->pose, d);
    return p;
}

// ------------------------------------------------------------------------------------------------ acceptance

static bool inside_shape(const sp_rigid_shape *s, const double at[3]) {
    double R[9], d[3], x[3];
    sp__quat_matrix(s->pose.quat, R);
    sp__sub3(at, s->pose.translate, d);
    sp__mul3t(R, d, x);
    switch (s->type) {
    case SP_SPHERE: return sp__norm3(x) < s->size[0];
    case SP_BOX: return x[0] > 0 && x[0] < s->size[0] && x[1] > 0 && x[1] < s->size[1] && x[2] > 0 && x[2] < s->size[2];
    case SP_CYLINDER: return hypot(x[0], x[1]) < s->size[0] && x[2] > 0 && x[2] < s->size[1];
    case SP_PLANE: return sp__dot3(x, s->size) < 0;
    case SP_CAPSULE: return hypot(hypot(x[0], x[1]), x[2] - fmin(fmax(x[2], 0), s->size[1])) < s->size[0];
    case SP_TORUS: return hypot(hypot(x[0], x[1]) - s->size[0], x[2]) < s->size[1];
    case SP_ELLIPSOID: return hypot(hypot(x[0] / s->size[0], x[1] / s->size[1]), x[2] / s->size[2]) < 1;
    }
    return false;
}

// evaluates a `select` of the body at a position in its own coordinates
static bool selected(const test *t, const double x[3]) {
    bool in = sp__where_holds(&t->where, x, 0) && (!t->other || selected(t->other, x)), any = t->count == 0;
    for (int i = 0; in && i < t->count && !any; i++) any = selected(&t->children[i], x);
    return (in && any) != t->invert;
}

static bool scatter_counts(const field *f, const part *p, const dart *d) {
    const sp_rigid_def *def = &f->body->rigid;
    double own[3];
    for (int k = 0; k < 3; k++) own[k] = d->x[k] / f->factor[k];
    if (f->test && !selected(f->test, own)) return false;
    for (int i = 0; p->shape && i < def->shape_count; i++)
        if (&def->shapes[i] != p->shape && inside_shape(&def->shapes[i], d->x)) return false;
    return true;
}

static sp_status check_select(sp_run *run, const sp_scene_node *node) {
    static const char *const no[] = {"near", "nodes", "point", "tag", "s", "end"};
    for (int i = 0; i < 6; i++)
        if (sp__build_given(node, no[i]))
            return SP_BUILD_FAIL(run, node, no[i],
                                 "%s selects nodes, and a rigid body has none: give box, sphere, plane or where", no[i]);
    if (sp__build_is(node, "frame", "world"))
        return SP_BUILD_FAIL(run, node, "frame", "a part of a rigid body is given in its own coordinates");
    return SP_OK;
}

// parsed once, since it is evaluated for every dart. The reader reports cycles
static sp_status read_select(sp_run *run, const sp_scene_node *node, test *out) {
    int n = 0;
    SP_TRY(check_select(run, node));
    for (const sp_scene_node *c = NULL; (c = sp__next_child(node, "select", c));) n++;
    *out = (test){.where = sp__where_of(node), .invert = sp__build_is(node, "invert", "yes")};
    if (n && !SP_KEEP(&run->scratch, out->children, n)) return sp__build_no_memory(run);
    for (const sp_scene_node *c = NULL; (c = sp__next_child(node, "select", c));)
        SP_TRY(read_select(run, c, &out->children[out->count++]));
    const sp_scene_node *other = sp__build_given(node, "select") ? sp__scene_find(node, sp__attr_word(node, "select")) : NULL;
    if (!other) return SP_OK;
    if (!SP_KEEP(&run->scratch, out->other, 1)) return sp__build_no_memory(run);
    return read_select(run, other, out->other);
}

static sp_status find_test(field *f) {
    if (strcmp(f->target->spec->name, "select") != 0) return SP_OK;
    if (!SP_KEEP(&f->run->scratch, f->test, 1)) return sp__build_no_memory(f->run);
    return read_select(f->run, f->target, f->test);
}

// ------------------------------------------------------------------------------------------------ even spacing

typedef struct grid {  // accepted darts by grid cells as wide as the initial distance
    double cell;
    size_t mask;
    int *head, *next;
    dart *darts;
    int count;
} grid;

static size_t slot(const grid *g, const int64_t at[3]) {
    uint64_t h = 0;
    for (int k = 0; k < 3; k++) h = sp__mix(h, (uint64_t)at[k]);
    return (size_t)h & g->mask;
}

static void cell_of(const grid *g, const double x[3], int64_t at[3]) {
    for (int k = 0; k < 3; k++) at[k] = (int64_t)floor(x[k] / g->cell);
}

// another dart on the same side is closer than r
static bool too_close(const grid *g, const dart *d, double r) {
    int64_t at[3], c[3];
    cell_of(g, d->x, at);
    for (int k = 0; k < 27; k++) {
        c[0] = at[0] + k / 9 - 1, c[1] = at[1] + k / 3 % 3 - 1, c[2] = at[2] + k % 3 - 1;
        for (int i = g->head[slot(g, c)] - 1; i >= 0; i = g->next[i] - 1) {
            double e[3];
            sp__sub3(d->x, g->darts[i].x, e);
            if (sp__dot3(e, e) < r * r && sp__dot3(d->normal, g->darts[i].normal) > 0) return true;
        }
    }
    return false;
}

static void accept(grid *g, const dart *d) {
    int64_t at[3];
    cell_of(g, d->x, at);
    size_t s = slot(g, at);
    g->darts[g->count] = *d;
    g->next[g->count] = g->head[s];
    g->head[s] = ++g->count;
}

// estimated fraction of accepted darts; 0: none
static double share_that_counts(field *f) {
    int hits = 0;
    dart d;
    for (int i = 0; i < TRIES; i++) {
        const part *p = throw_dart(f, &d);
        hits += scatter_counts(f, p, &d);
    }
    return (double)hits / TRIES;
}

static sp_status spread_evenly(field *f, int count, double area, grid *g) {
    size_t slots = 64;
    while (slots < 2 * (size_t)count) slots *= 2;
    // centres of the densest disc packing are sqrt(2 A / (sqrt(3) n)) apart; darts reach about 0.75 of that
    double r = 0.85 * sqrt(2 * area / (sqrt(3) * count));
    g->cell = r, g->mask = slots - 1;
    if (!SP_KEEP(&f->run->scratch, g->head, slots) || !SP_KEEP(&f->run->scratch, g->next, count) ||
        !SP_KEEP(&f->run->scratch, g->darts, count))
        return sp__build_no_memory(f->run);
    for (int64_t missed = 0; g->count < count;) {
        dart d;
        const part *p = throw_dart(f, &d);
        if (!scatter_counts(f, p, &d)) continue;
        if (!too_close(g, &d, r)) {
            accept(g, &d);
            missed = 0;
        } else if (++missed > 64 + count) {
            r *= 0.97;
            missed = 0;
        }
    }
    return SP_OK;
}

// ------------------------------------------------------------------------------------------------ poses

// shortest rotation from the own x axis to the normal
static void turn_to(const double n[3], double out[4]) {
    const double x[3] = {1, 0, 0}, z[3] = {0, 0, 1};
    double across[3];
    sp__cross3(x, n, across);
    double s = sp__norm3(across);
    out[0] = 1, out[1] = out[2] = out[3] = 0;
    if (s > 1e-12)
        sp__quat_axis(across, atan2(s, n[0]), out);
    else if (n[0] < 0)
        sp__quat_axis(z, SP_PI, out);
}

static sp_status fill_places(field *f, int count, sp_pose **out) {
    sp_pose start = sp_pose_signal_value(&f->body->rigid.pose, 0);
    grid g = {0};
    if (!SP_KEEP(&f->run->scratch, f->sum, f->part_count + 1) || !SP_KEEP(&f->run->scratch, *out, count))
        return sp__build_no_memory(f->run);
    for (int i = 0; i < f->part_count; i++) f->sum[i] = (i ? f->sum[i - 1] : 0) + f->parts[i].area;
    double share = f->part_count ? share_that_counts(f) : 0;
    if (!(share > 0))
        return SP_BUILD_FAIL(f->run, f->target, NULL, "nothing can be scattered over it: %s",
                             f->part_count ? "no part of the body's surface is selected" : "its shapes have no finite surface");
    SP_TRY(spread_evenly(f, count, share * f->sum[f->part_count - 1], &g));
    for (int i = 0; i < count; i++) {
        sp_pose own;
        memcpy(own.translate, g.darts[i].x, sizeof own.translate);
        turn_to(g.darts[i].normal, own.quat);
        (*out)[i] = sp__pose_mul(&start, &own);
    }
    return SP_OK;
}

// ------------------------------------------------------------------------------------------------ instances

static uint64_t seed_of(const sp_run *run, const char *key, size_t length) {
    sp_scene_info from;
    sp_scene_get(run->scene, &from);
    uint64_t h = sp__mix(from.seed, 0);
    for (size_t i = 0; i < length; i++) h = sp__mix(h, (unsigned char)key[i]);
    return h;
}

static const sp_scatter *find_scatter(const sp_run *run, const sp_scene_node *copy) {
    const char *number = strrchr(copy->path, '[');
    size_t n = number ? (size_t)(number - copy->path) : strlen(copy->path);
    for (const sp_scatter *s = run->scatters; s; s = s->next)
        if (s->key_length == n && strncmp(s->key, copy->path, n) == 0) return s;
    return NULL;
}

static sp_status make_scatter(sp_run *run, const sp_scene_node *copy, const sp_scatter **out) {
    const char *number = strrchr(copy->path, '[');
    sp_scatter *s;
    if (!SP_KEEP(&run->scratch, s, 1)) return sp__build_no_memory(run);
    field f = {.run = run, .target = sp__scene_find(copy, sp__attr_word(copy, "scatter"))};
    s->key = copy->path;
    s->key_length = number ? (size_t)(number - copy->path) : strlen(copy->path);
    s->under = f.target ? sp__build_body_of(run, f.target) : NULL;
    // a body that failed to build is already reported
    if (!s->under || !s->under->id.slot)
        return run->failed ? SP_BAD_INPUT : SP_BUILD_FAIL(run, copy, "scatter", "the body is not in the simulation");
    f.body = s->under;
    f.seed = seed_of(run, s->key, s->key_length);
    SP_TRY(find_test(&f));
    SP_TRY(find_parts(&f));
    SP_TRY(fill_places(&f, copy->copies > 0 ? copy->copies : 1, &s->places));
    s->next = run->scatters;
    *out = run->scatters = s;
    return SP_OK;
}

// Placement of a copy of an instance with `scatter`
static sp_status build_scatter(sp_run *run, const sp_scene_node *copy, sp_place *out) {
    const sp_scatter *s = find_scatter(run, copy);
    if (!s) SP_TRY(make_scatter(run, copy, &s));
    *out = (sp_place){{1, 1, 1}, s->places[copy->copy]};
    return SP_OK;
}

sp_run_body *sp__scattered_over(sp_run *run, const sp_scene_node *node) {
    for (const sp_scene_node *copy = node->instance; copy; copy = copy->instance) {
        const sp_scatter *s = sp__build_attr(copy, "scatter") ? find_scatter(run, copy) : NULL;
        if (s) return s->under;
    }
    return NULL;
}

// ======================================================================================== placements and motions

// unit quaternion of `rotate` or `quat` at time t; false: not possible
static bool turn_at(const sp_scene_node *node, double t, double out[4]) {
    const double origin[3] = {0, 0, 0};
    const sp_attr *rotate = sp__build_attr(node, "rotate"), *quat = sp__build_attr(node, "quat");
    const sp_attr *attr = rotate ? rotate : quat;
    double n[4];
    out[0] = 1, out[1] = out[2] = out[3] = 0;
    if (!attr) return true;
    const char *name = rotate ? "rotate" : "quat";
    for (int k = 0; k < attr->count && k < 4; k++) n[k] = sp__attr_at(node, name, k, origin, t);
    if (!rotate) {
        double length = sqrt(n[0] * n[0] + n[1] * n[1] + n[2] * n[2] + n[3] * n[3]);
        if (!(length > 0)) return false;
        for (int k = 0; k < 4; k++) out[k] = n[k] / length;
    } else if (attr->count == 4) {
        if (!(sp__norm3(n) > 0)) return false;
        sp__quat_axis(n, n[3] * SP_PI / 180, out);
    } else {
        // rotations about the fixed axes x, then y, then z
        for (int k = 0; k < 3; k++) {
            double axis[3] = {k == 0, k == 1, k == 2}, q[4], before[4];
            memcpy(before, out, sizeof before);
            sp__quat_axis(axis, n[k] * SP_PI / 180, q);
            sp__quat_mul(q, before, out);
        }
    }
    return true;
}

static void pose_at(const sp_scene_node *node, double t, sp_pose *out) {
    const double origin[3] = {0, 0, 0};
    *out = sp_pose_identity();
    if (sp__build_attr(node, "translate"))
        for (int k = 0; k < 3; k++) out->translate[k] = sp__attr_at(node, "translate", k, origin, t);
    if (!turn_at(node, t, out->quat)) out->quat[0] = 1, out->quat[1] = out->quat[2] = out->quat[3] = 0;
}

static sp_status check_turn(sp_run *run, const sp_scene_node *node) {
    double q[4];
    if (!turn_at(node, 0, q))
        return SP_BUILD_FAIL(run, node, sp__build_attr(node, "rotate") ? "rotate" : "quat",
                             "the axis or quaternion has length 0");
    return SP_OK;
}

sp_status sp__build_place(sp_run *run, const sp_scene_node *node, sp_place *out) {
    *out = (sp_place){{1, 1, 1}, sp_pose_identity()};
    const sp_attr *scale = sp__build_attr(node, "scale");
    for (int k = 0; scale && k < 3; k++) out->scale[k] = scale->numbers[scale->count == 3 ? k : 0];
    SP_TRY(check_turn(run, node));
    pose_at(node, 0, &out->pose);
    return SP_OK;
}

sp_status sp__build_places(sp_run *run, const sp_scene_node *node, sp_places *out) {
    out->count = 0;
    for (const sp_scene_node *n = node; n; n = n->instance) {
        if (out->count == SP_PLACE_DEPTH)
            return SP_BUILD_FAIL(run, node, NULL, "is nested in more than %d instances", SP_PLACE_DEPTH - 1);
        SP_TRY(sp__build_place(run, n, &out->at[out->count]));
        if (!sp__place_is_identity(&out->at[out->count])) out->count++;
        if (!sp__build_attr(n, "scatter")) continue;
        if (out->count == SP_PLACE_DEPTH)
            return SP_BUILD_FAIL(run, node, NULL, "is nested in more than %d instances", SP_PLACE_DEPTH - 1);
        SP_TRY(build_scatter(run, n, &out->at[out->count++]));
    }
    const sp_run_body *under = sp__scattered_over(run, node);
    if (under && under->rigid.free)
        return SP_BUILD_FAIL(run, node, NULL, "it is scattered over \"%s\", which is free: it would not be carried along",
                             under->node->path);
    if (under && under->rigid.kinematic && strcmp(node->spec->name, "rod") != 0)
        return SP_BUILD_FAIL(run, node, NULL,
                             "it is scattered over \"%s\", which moves: only the roots of rods can be carried along",
                             under->node->path);
    return SP_OK;
}

bool sp__place_is_identity(const sp_place *p) {
    const double *t = p->pose.translate, *q = p->pose.quat;
    return p->scale[0] == 1 && p->scale[1] == 1 && p->scale[2] == 1 && t[0] == 0 && t[1] == 0 && t[2] == 0 && q[1] == 0 &&
           q[2] == 0 && q[3] == 0;
}

void sp__place_point(const sp_place *place, const double x[3], double out[3]) {
    double R[9], y[3] = {place->scale[0] * x[0], place->scale[1] * x[1], place->scale[2] * x[2]}, z[3];
    sp__quat_matrix(place->pose.quat, R);
    sp__mul3(R, y, z);
    for (int k = 0; k < 3; k++) out[k] = place->pose.translate[k] + z[k];
}

void sp__places_point(const sp_places *places, const double x[3], double out[3]) {
    double y[3] = {x[0], x[1], x[2]};
    for (int i = 0; i < places->count; i++) {
        sp__place_point(&places->at[i], y, out);
        memcpy(y, out, sizeof y);
    }
    memcpy(out, y, sizeof y);
}

sp_pose sp__pose_mul(const sp_pose *a, const sp_pose *b) {
    sp_pose out;
    double R[9];
    sp__quat_matrix(a->quat, R);
    sp__mul3(R, b->translate, out.translate);
    for (int k = 0; k < 3; k++) out.translate[k] += a->translate[k];
    sp__quat_mul(a->quat, b->quat, out.quat);
    return out;
}

// ------------------------------------------------------------------------------------------------ motions

typedef struct keys {
    int count;
    enum { LINEAR, SMOOTH, STEP } interpolate;
    double *times;
    sp_pose *poses;
} keys;

static void eval_formula(const void *user, double t, sp_pose *out) {
    pose_at(user, t, out);
}

static void slerp(const double *a, const double *b, double s, double out[4]) {
    double d = a[0] * b[0] + a[1] * b[1] + a[2] * b[2] + a[3] * b[3], sign = d < 0 ? -1 : 1, u = 1 - s, v = s;
    d = fabs(d);
    // nearly equal rotations: linear interpolation is exact to rounding, and sin(angle) is too small to divide by
    if (d < 1 - 1e-12) {
        double angle = acos(d);
        u = sin((1 - s) * angle) / sin(angle), v = sin(s * angle) / sin(angle);
    }
    double length = 0;
    for (int k = 0; k < 4; k++) out[k] = u * a[k] + sign * v * b[k], length += out[k] * out[k];
    for (int k = 0; k < 4; k++) out[k] /= sqrt(length);
}

static void eval_keys(const void *user, double t, sp_pose *out) {
    const keys *k = user;
    int i = 0;
    while (i + 1 < k->count && t >= k->times[i + 1]) i++;
    *out = k->poses[i];
    if (i + 1 == k->count || t <= k->times[i] || k->interpolate == STEP) return;
    double s = (t - k->times[i]) / (k->times[i + 1] - k->times[i]);
    if (k->interpolate == SMOOTH) s = s * s * (3 - 2 * s);
    const sp_pose *a = &k->poses[i], *b = &k->poses[i + 1];
    for (int c = 0; c < 3; c++) out->translate[c] = a->translate[c] + s * (b->translate[c] - a->translate[c]);
    slerp(a->quat, b->quat, s, out->quat);
}

static sp_status build_keys(sp_run *run, const sp_scene_node *move, int count, sp_pose_signal *out) {
    keys *k;
    if (!SP_KEEP(&run->keep, k, 1) || !SP_KEEP(&run->keep, k->times, count) || !SP_KEEP(&run->keep, k->poses, count))
        return sp__build_no_memory(run);
    k->interpolate = sp__build_is(move, "interpolate", "smooth") ? SMOOTH
                     : sp__build_is(move, "interpolate", "step") ? STEP
                                                                 : LINEAR;
    for (const sp_scene_node *key = NULL; (key = sp__next_child(move, "key", key));) {
        sp_place place;
        SP_TRY(sp__build_place(run, key, &place));
        if (place.scale[0] != 1 || place.scale[1] != 1 || place.scale[2] != 1)
            return SP_BUILD_FAIL(run, key, "scale", "a motion is rigid: scale has no effect here");
        k->times[k->count] = sp__build_number(key, "t", 0);
        k->poses[k->count++] = place.pose;
    }
    *out = (sp_pose_signal){eval_keys, k, k->poses[0]};
    return SP_OK;
}

sp_status sp__build_motion(sp_run *run, const sp_scene_node *move, sp_pose_signal *out) {
    int count = 0;
    for (const sp_scene_node *key = NULL; (key = sp__next_child(move, "key", key));) count++;
    if (sp__build_given(move, "scale")) return SP_BUILD_FAIL(run, move, "scale", "a motion is rigid: scale has no effect here");
    if (count) return build_keys(run, move, count, out);
    SP_TRY(check_turn(run, move));
    *out = (sp_pose_signal){eval_formula, move, sp_pose_identity()};
    pose_at(move, 0, &out->constant);
    return SP_OK;
}
