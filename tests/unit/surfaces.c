// Embedded surfaces: positions and velocities by interpolation, forces by the exact transpose, normals, subdivision of the
// boundary, snapshots that outlive the body, refusals.
#include <limits.h>

#include "meter.h"
#include "unit/surface_rig.h"

static surface_rig r;

static sp_surface_info info_of(int index) {
    sp_surface_info info = {0};
    CHECK(sp_world_surface_info(r.w, r.body, index, &info) == SP_OK);
    return info;
}

// ---------------------------------------------------------------------------------------------------- the map and its transpose

// f . (J v) = (J^T f) . v for random f and v. Both sides are sums of the same few thousand products, so they differ by rounding
// only: 1e-13 of the sum of magnitudes is a hundred times that.
static void check_adjoint(int index, int unknowns, const double *velocity) {
    sp_surface_info info = info_of(index);
    int n = 3 * info.vertex_count;
    double *f = rig_random(n, 7), *v = calloc((size_t)n, sizeof *v), *g = calloc((size_t)unknowns, sizeof *g), size = 0;
    CHECK(sp_world_surface_get(r.w, r.body, index, NULL, v, NULL) == SP_OK);
    CHECK(sp_world_surface_apply_transpose(r.w, r.body, index, f, g) == SP_OK);
    for (int i = 0; i < n; i++) size += fabs(f[i] * v[i]);
    CHECK(size > 1);
    CHECK_NEAR(rig_dot(f, v, n), rig_dot(g, velocity, unknowns), 1e-13 * size);
    // a second call adds
    double *twice = calloc((size_t)unknowns, sizeof *twice);
    for (int k = 0; k < 2; k++) sp_world_surface_apply_transpose(r.w, r.body, index, f, twice);
    for (int i = 0; i < unknowns; i++) CHECK_NEAR(twice[i], 2 * g[i], 1e-13 * size);
    free(f), free(v), free(g), free(twice);
}

TEST(forces_use_the_transpose_of_the_velocity_map) {
    rig_start(&r, 2);
    rig_box(&r, (int[3]){5, 3, 3});
    rig_shake(&r, 0.05, 1);
    sp_surface_def whole = sp_surface_def_default(), finer = sp_surface_def_default();
    int boundary, cut;
    finer.subdivide = 2;
    rig_ellipsoid(&r, 8, 0.9);
    int inside = rig_add(&r, SP_ROLE_VISUAL);
    sp_trimesh_destroy(&r.tri);
    rig_ellipsoid(&r, 8, 1.6);
    int outside = rig_add(&r, SP_ROLE_VISUAL);
    CHECK(sp_world_add_surface(r.w, r.body, &whole, &boundary) == SP_OK);
    CHECK(sp_world_add_surface(r.w, r.body, &finer, &cut) == SP_OK);
    CHECK_INT(sp_world_surface_count(r.w, r.body), 5);
    CHECK_INT(info_of(inside).outside, 0);
    CHECK(info_of(outside).outside > 50 && info_of(outside).farthest > 0.2 && info_of(outside).farthest < 0.7);
    for (int i = 0; i < 5; i++) check_adjoint(i, 3 * r.nodes, r.v);
    rig_finish(&r);
}

TEST(a_rigid_body_gets_force_and_torque) {
    rig_start(&r, 2);
    sp_rigid_shape box = {.type = SP_BOX, .size = {2, 1, 1}, .pose = sp_pose_identity()};
    sp_rigid_def def = sp_rigid_def_default();
    sp_pose pose = {{0.3, -0.2, 0.5}, {0.5, 0.5, -0.5, 0.5}};
    def.shapes = &box, def.shape_count = 1, def.kinematic = true;
    CHECK(sp_world_add_rigid(r.w, &def, &r.body) == SP_OK);
    rig_ellipsoid(&r, 4, 1.5);
    int on = rig_add(&r, SP_ROLE_VISUAL);
    sp_surface_info info = info_of(on);
    CHECK_INT(info.outside, 0);
    // one step to another pose: the velocity of the frame is the difference over the step
    sp_edit edit = sp_edit_default(SP_EDIT_POSE);
    edit.body = r.body;
    edit.pose = pose;
    CHECK(sp_world_queue(r.w, &edit) == SP_OK && sp_world_step(r.w, 0.5) == SP_OK);
    double velocity[6], *x = calloc(3 * (size_t)info.vertex_count, sizeof *x), half = acos(pose.quat[0]);
    for (int k = 0; k < 3; k++) {
        velocity[k] = pose.translate[k] / 0.5;
        velocity[3 + k] = 2 * half / 0.5 * pose.quat[1 + k] / sin(half);
    }
    check_adjoint(on, 6, velocity);
    // the vertices follow the pose
    double R[9], X[3];
    sp_trimesh_def t;
    sp_trimesh_get(r.tri, &t);
    sp__quat_matrix(pose.quat, R);
    CHECK(sp_world_surface_get(r.w, r.body, on, x, NULL, NULL) == SP_OK);
    for (int i = 0; i < info.vertex_count; i++) {
        sp__mul3(R, t.positions + 3 * i, X);
        for (int k = 0; k < 3; k++) CHECK_NEAR(x[3 * i + k], X[k] + pose.translate[k], 1e-14);
    }
    free(x);
    rig_finish(&r);
}

// The material point of a face is where the face is displayed: a spring with its target there exerts no force.
static void check_face_points(int surface, bool rest) {
    const double weights[3] = {0.2, 0.5, 0.3};
    sp_surface_info info = info_of(surface);
    double *x = calloc(3 * (size_t)info.vertex_count + 1, sizeof *x);
    CHECK(sp_world_surface_get(r.w, r.body, surface, x, NULL, NULL) == SP_OK);
    for (int f = 0; f < info.face_count; f++) {
        sp_anchor a;
        double at[3];
        CHECK_INT(sp_world_anchor_face(r.w, r.body, surface, f, weights, &a), SP_OK);
        CHECK_INT(a.body.slot, r.body.slot);
        CHECK_INT(sp_world_anchor_get(r.w, &a, at, NULL), SP_OK);
        for (int k = 0; k < 3; k++) {
            double shown = 0;
            for (int c = 0; c < 3; c++) shown += weights[c] * x[3 * info.faces[3 * f + c] + (unsigned)k];
            CHECK_NEAR(at[k], shown, 1e-12);
        }
        CHECK_INT(sp_world_anchor_rest(r.w, &a, at), rest ? SP_OK : SP_BAD_INPUT);
    }
    free(x);
}

TEST(a_point_of_a_face_is_where_it_is_displayed) {
    unsigned long long seed = 11;
    rig_start(&r, 1);
    rig_box(&r, (int[3]){4, 3, 2});
    rig_ellipsoid(&r, 6, 0.6);
    int on = rig_add(&r, SP_ROLE_VISUAL);
    // far from the rest shape, but no element is inverted
    for (int i = 0; i < 3 * r.nodes; i++)
        r.x[i] = 1.5 * sp_mesh_positions(r.mesh)[i] + 0.02 * sp_test_random(&seed) + (i % 3 == 0 ? 3 : 0);
    CHECK_INT(sp_world_set_state(r.w, r.body, r.x, NULL), SP_OK);
    check_face_points(0, true);
    check_face_points(on, true);
    // at a corner of a boundary face: its node, also in the rest shape
    sp_anchor a;
    double at[3];
    sp_surface_info info = info_of(0);
    int node = info.nodes[info.faces[3]];
    CHECK(sp_world_anchor_face(r.w, r.body, 0, 1, (double[3]){1, 0, 0}, &a) == SP_OK);
    CHECK(sp_world_anchor_rest(r.w, &a, at) == SP_OK && !memcmp(at, sp_mesh_positions(r.mesh) + 3 * node, sizeof at));
    CHECK_INT(sp_world_anchor_face(r.w, r.body, 2, 0, (double[3]){1, 0, 0}, &a), SP_BAD_INPUT);
    CHECK_INT(sp_world_anchor_face(r.w, r.body, 0, info.face_count, (double[3]){1, 0, 0}, &a), SP_BAD_INPUT);
    CHECK_INT(sp_world_anchor_face(r.w, r.body, 0, 0, (double[3]){NAN, 0, 0}, &a), SP_BAD_INPUT);
    CHECK_INT(sp_world_anchor_face(r.w, (sp_body_id){99, 1}, 0, 0, (double[3]){1, 0, 0}, &a), SP_BAD_ID);
    a.body.slot = 99;
    CHECK_INT(sp_world_anchor_rest(r.w, &a, at), SP_BAD_ID);
    rig_finish(&r);
}

TEST(a_point_of_a_face_of_a_rigid_body) {
    const sp_rigid_shape box = {SP_BOX, {1, 2, 3}, sp_pose_identity()};
    sp_rigid_def def = sp_rigid_def_default();
    rig_start(&r, 1);
    def.shapes = &box, def.shape_count = 1;
    def.pose = sp_pose_signal_constant((sp_pose){{0.3, -0.2, 0.5}, {0.5, 0.5, -0.5, 0.5}});
    CHECK(sp_world_add_rigid(r.w, &def, &r.body) == SP_OK);
    check_face_points(0, false);
    rig_finish(&r);
}

// Under an affine motion of the nodes every vertex moves by the same affine map, inside and outside: x = A X + b. Weights of
// points outside grow with the distance (here up to about 5), and so does rounding.
TEST(affine_motion_is_reproduced_exactly) {
    rig_start(&r, 1);
    rig_box(&r, (int[3]){4, 3, 2});
    rig_ellipsoid(&r, 6, 1.7);
    int on = rig_add(&r, SP_ROLE_VISUAL);
    const double A[9] = {1.2, 0.3, -0.4, -0.2, 0.7, 0.1, 0.5, 0.2, 1.1}, b[3] = {3, -1, 2};
    const double *X = sp_mesh_positions(r.mesh);
    for (int i = 0; i < r.nodes; i++) {
        sp__mul3(A, X + 3 * i, r.x + 3 * i);
        sp__axpy3(b, 1, r.x + 3 * i, r.x + 3 * i);
    }
    sp_world_set_state(r.w, r.body, r.x, NULL);
    sp_trimesh_def t;
    sp_trimesh_get(r.tri, &t);
    double *x = calloc(3 * (size_t)t.vertex_count, sizeof *x), want[3];
    CHECK(sp_world_surface_get(r.w, r.body, on, x, NULL, NULL) == SP_OK);
    CHECK(info_of(on).outside > 50);
    for (int i = 0; i < t.vertex_count; i++) {
        sp__mul3(A, t.positions + 3 * i, want);
        for (int k = 0; k < 3; k++) CHECK_NEAR(x[3 * i + k], want[k] + b[k], 1e-13);
    }
    free(x);
    rig_finish(&r);
}

// The surface of a rotated body is the rotated surface, normals too; a ball's normals point away from its middle.
TEST(a_rotated_body_has_a_rotated_surface) {
    rig_start(&r, 1);
    rig_box(&r, (int[3]){4, 2, 2});
    rig_ellipsoid(&r, 8, 0.95);
    int on = rig_add(&r, SP_ROLE_VISUAL), n = 3 * info_of(on).vertex_count;
    double *x = calloc((size_t)n, sizeof *x), *y = calloc((size_t)n, sizeof *y), *normals = calloc((size_t)n, sizeof *normals);
    double *turned = calloc((size_t)n, sizeof *turned), q[4], R[9], want[3];
    rig_shake(&r, 0.02, 3);
    CHECK(sp_world_surface_get(r.w, r.body, on, x, NULL, normals) == SP_OK);
    sp__quat_axis((double[3]){1, 2, -0.5}, 2.1, q);
    sp__quat_matrix(q, R);
    for (int i = 0; i < r.nodes; i++) {
        double was[3] = {r.x[3 * i], r.x[3 * i + 1], r.x[3 * i + 2]};
        sp__mul3(R, was, r.x + 3 * i);
    }
    sp_world_set_state(r.w, r.body, r.x, NULL);
    CHECK(sp_world_surface_get(r.w, r.body, on, y, NULL, turned) == SP_OK);
    for (int i = 0; i < n / 3; i++) {
        double away[3] = {x[3 * i] - 1, 4 * (x[3 * i + 1] - 0.5), 4 * (x[3 * i + 2] - 0.5)};
        CHECK_NEAR(sp__norm3(normals + 3 * i), 1, 1e-15);
        // the displaced nodes tilt the ellipsoid's normals slightly
        CHECK(sp__dot3(away, normals + 3 * i) > 0.9 * sp__norm3(away));
        sp__mul3(R, x + 3 * i, want);
        for (int k = 0; k < 3; k++) CHECK_NEAR(y[3 * i + k], want[k], 1e-14);
        sp__mul3(R, normals + 3 * i, want);
        // sums of face vectors of size 1e-3: their rounding is 1e-13 of the sum
        for (int k = 0; k < 3; k++) CHECK_NEAR(turned[3 * i + k], want[k], 1e-12);
    }
    free(x), free(y), free(normals), free(turned);
    rig_finish(&r);
}

// A finer surface on a coarse beam moves as the beam's own interpolation does: the nodes are twisted, and anchors at the same
// points are compared.
TEST(a_fine_surface_follows_the_interpolation) {
    rig_start(&r, 1);
    rig_box(&r, (int[3]){6, 2, 2});
    rig_ellipsoid(&r, 6, 0.9);
    int on = rig_add(&r, SP_ROLE_VISUAL);
    for (int i = 0; i < r.nodes; i++) {
        double *x = r.x + 3 * i, c = cos(x[0]), s = sin(x[0]), y = x[1] - 0.5, z = x[2] - 0.5;
        x[1] = c * y - s * z, x[2] = s * y + c * z;
    }
    sp_world_set_state(r.w, r.body, r.x, NULL);
    sp_trimesh_def t;
    sp_trimesh_get(r.tri, &t);
    double *x = calloc(3 * (size_t)t.vertex_count, sizeof *x);
    CHECK(sp_world_surface_get(r.w, r.body, on, x, NULL, NULL) == SP_OK);
    for (int i = 0; i < t.vertex_count; i++) {
        int element;
        double w[4], want[3] = {0, 0, 0};
        CHECK(sp_mesh_locate(r.mesh, t.positions + 3 * i, &element, w + 1) >= 0);
        w[0] = 1 - w[1] - w[2] - w[3];
        for (int a = 0; a < 4; a++) sp__axpy3(want, w[a], r.x + 3 * sp_mesh_tets(r.mesh)[4 * element + a], want);
        for (int k = 0; k < 3; k++) CHECK_NEAR(x[3 * i + k], want[k], 1e-14);
    }
    free(x);
    rig_finish(&r);
}

// ---------------------------------------------------------------------------------------------------- the boundary

static double area_of(const sp_surface_info *info, const double *x) {
    double sum = 0;
    for (int f = 0; f < info->face_count; f++) {
        const uint32_t *c = info->faces + 3 * (size_t)f;
        double u[3], v[3], n[3];
        sp__sub3(x + 3 * (size_t)c[1], x + 3 * (size_t)c[0], u), sp__sub3(x + 3 * (size_t)c[2], x + 3 * (size_t)c[0], v);
        sp__cross3(u, v, n);
        sum += 0.5 * sp__norm3(n);
    }
    return sum;
}

static double volume_of(const sp_surface_info *info, const double *x) {
    double sum = 0;
    for (int f = 0; f < info->face_count; f++) {
        const uint32_t *c = info->faces + 3 * (size_t)f;
        double n[3];
        sp__cross3(x + 3 * (size_t)c[0], x + 3 * (size_t)c[1], n);
        sum += sp__dot3(n, x + 3 * (size_t)c[2]) / 6;
    }
    return sum;
}

// every subdivision has the same area and volume, is closed (Euler: V - F / 2 = 2), and has no coincident vertices
TEST(subdivision_keeps_shape_and_closedness) {
    rig_start(&r, 1);
    rig_box(&r, (int[3]){2, 1, 1});
    int faces = sp_mesh_face_count(r.mesh);
    for (int n = 0; n <= 4; n++) {
        sp_surface_def def = sp_surface_def_default();
        int on;
        def.subdivide = n;
        REQUIRE(sp_world_add_surface(r.w, r.body, &def, &on) == SP_OK);
        sp_surface_info info = info_of(on);
        CHECK_INT(info.face_count, faces << (2 * n));
        CHECK_INT(info.vertex_count - info.face_count / 2, 2);
        double *x = calloc(3 * (size_t)info.vertex_count, sizeof *x);
        sp_world_surface_get(r.w, r.body, on, x, NULL, NULL);
        CHECK_NEAR(area_of(&info, x), 10, 1e-12);
        CHECK_NEAR(volume_of(&info, x), 2, 1e-12);
        double least = INFINITY;
        for (int i = 0; n < 3 && i < info.vertex_count; i++)
            for (int k = 0; k < i; k++) {
                double d[3];
                sp__sub3(x + 3 * i, x + 3 * k, d);
                least = fmin(least, sp__norm3(d));
            }
        if (n < 3) CHECK_NEAR(least, ldexp(1, -n), 1e-12);
        free(x);
    }
    rig_finish(&r);
}

TEST(some_faces_of_the_boundary) {
    rig_start(&r, 1);
    rig_box(&r, (int[3]){4, 2, 2});
    sp_selection top = sp_selection_default();
    int faces[64], count;
    top.has_plane = true;
    memcpy(top.plane, (double[6]){0, 1, 0, 0, 1, 0}, sizeof top.plane);
    top.within = 1e-9;
    CHECK(sp_mesh_select(r.mesh, &top, SP_SELECT_FACES, faces, 64, &count) == SP_OK);
    for (int n = 0; n <= 1; n++) {
        sp_surface_def def = sp_surface_def_default();
        int on;
        def.faces = faces, def.face_count = count, def.subdivide = n;
        CHECK(sp_world_add_surface(r.w, r.body, &def, &on) == SP_OK);
        sp_surface_info info = info_of(on);
        CHECK_INT(info.face_count, 16 << (2 * n));
        CHECK_INT(info.vertex_count, (4 * (n + 1) + 1) * (2 * (n + 1) + 1));
        double x[3 * 64], normals[3 * 64];
        sp_world_surface_get(r.w, r.body, on, x, NULL, normals);
        CHECK_NEAR(area_of(&info, x), 2, 1e-13);
        for (int i = 0; i < info.vertex_count; i++) CHECK(x[3 * i + 1] == 1 && normals[3 * i + 1] == 1);
    }
    rig_finish(&r);
}

// A box 2 x 1 x 1 of three regions: below x = 0.5 none, then region 2, above x = 1 region 1. The faces between two regions belong
// to the higher number and point out of it.
TEST(interfaces_lie_between_regions) {
    rig_start(&r, 1);
    sp_solid_def def = sp_solid_def_default();
    sp_mesh_box(r.ctx, (double[3]){2, 1, 1}, (int[3]){4, 3, 2}, 6, &r.mesh);
    int n = sp_mesh_element_count(r.mesh), *region = calloc((size_t)n, sizeof *region);
    const double *x = sp_mesh_positions(r.mesh);
    const int *tets = sp_mesh_tets(r.mesh);
    double low = INFINITY;
    for (int i = 0; i < sp_mesh_node_count(r.mesh); i++) low = fmin(low, x[3 * i]);
    for (int e = 0; e < n; e++) {
        double centre = -low;
        for (int k = 0; k < 4; k++) centre += x[3 * tets[4 * e + k]] / 4;
        region[e] = centre < 0.5 ? 0 : centre < 1 ? 2 : 1;
    }
    sp_material two[2] = {{.density = NAN, .young = NAN, .poisson = NAN}, {.density = NAN, .young = NAN, .poisson = NAN}};
    def.mesh = r.mesh, def.element_region = region, def.regions = two, def.region_count = 2;
    REQUIRE(sp_world_add_solid(r.w, &def, &r.body) == SP_OK);
    sp_surface_def s = sp_surface_def_default();
    for (int of = 1; of <= 2; of++) {
        int on;
        double p[3 * 64], values[64], normals[3 * 64];
        s.region = of;
        REQUIRE(sp_world_add_surface(r.w, r.body, &s, &on) == SP_OK);
        sp_surface_info info = info_of(on);
        CHECK(info.roles == SP_ROLE_INTERFACES && info.vertex_count <= 64);
        // region 1 touches only region 2, whose number is higher
        CHECK_INT(info.face_count, of == 1 ? 0 : 2 * 2 * 3 * 2);
        REQUIRE(sp_world_surface_get(r.w, r.body, on, p, NULL, normals) == SP_OK);
        CHECK_NEAR(area_of(&info, p), of == 1 ? 0 : 2, 1e-13);
        CHECK(sp_world_surface_field(r.w, r.body, on, "region", values) == SP_OK);
        for (int v = 0; v < info.vertex_count; v++) {
            double at = p[3 * v] - low;
            CHECK(values[v] == 2 && fabs(fabs(at - 0.75) - 0.25) < 1e-12);
            CHECK_NEAR(normals[3 * v], at < 0.75 ? -1 : 1, 1e-12);
        }
    }
    // the roles of the boundary stay with it
    CHECK(info_of(0).roles == (SP_ROLE_VISUAL | SP_ROLE_COLLISION | SP_ROLE_MECHANICAL));
    free(region);
    rig_finish(&r);
}

TEST(a_rigid_boundary_can_be_subdivided_too) {
    rig_start(&r, 1);
    sp_rigid_shape box = {.type = SP_BOX, .size = {2, 1, 1}, .pose = sp_pose_identity()};
    sp_rigid_def rigid = sp_rigid_def_default();
    sp_surface_def def = sp_surface_def_default();
    int on;
    rigid.shapes = &box, rigid.shape_count = 1;
    sp_world_add_rigid(r.w, &rigid, &r.body);
    def.subdivide = 2;
    CHECK(sp_world_add_surface(r.w, r.body, &def, &on) == SP_OK);
    sp_surface_info info = info_of(on);
    double *x = calloc(3 * (size_t)info.vertex_count, sizeof *x);
    sp_world_surface_get(r.w, r.body, on, x, NULL, NULL);
    CHECK_NEAR(area_of(&info, x), 10, 1e-12);
    CHECK_NEAR(volume_of(&info, x), 2, 1e-12);
    free(x);
    rig_finish(&r);
}

// ---------------------------------------------------------------------------------------------------- workers

TEST(same_bits_for_any_number_of_workers) {
    NOT_SANITIZED();
    double *first[4] = {0};
    for (int workers = 1; workers <= 3; workers++) {
        rig_start(&r, workers);
        rig_box(&r, (int[3]){12, 8, 8});
        rig_shake(&r, 0.01, 5);
        rig_ellipsoid(&r, 20, 1.2);
        int on = rig_add(&r, SP_ROLE_VISUAL), n = 3 * info_of(on).vertex_count;
        CHECK(n > 3 * 2048);  // several tasks
        double *f = rig_random(n, 9);
        double *out[4] = {calloc((size_t)n, 8), calloc((size_t)n, 8), calloc((size_t)n, 8), calloc(3 * (size_t)r.nodes, 8)};
        sp_world_surface_get(r.w, r.body, on, out[0], out[1], out[2]);
        sp_world_surface_apply_transpose(r.w, r.body, on, f, out[3]);
        for (int k = 0; k < 4; k++) {
            size_t bytes = 8 * (size_t)(k < 3 ? n : 3 * r.nodes);
            if (first[k]) CHECK(memcmp(first[k], out[k], bytes) == 0);
            if (workers > 1)
                free(out[k]);
            else
                first[k] = out[k];
        }
        free(f);
        rig_finish(&r);
    }
    for (int k = 0; k < 4; k++) free(first[k]);
}

// ---------------------------------------------------------------------------------------------------- snapshots

// a triangle with all optional attributes
static void painted_triangle(void) {
    static const double x[9] = {0.1, 0.1, 0.5, 1.9, 0.1, 0.5, 0.1, 0.9, 0.5}, colors[12] = {1, 0, 0, 1, 0, 1, 0, 1, 0, 0, 1, 0.5};
    static const double texcoords[4] = {0.25, 0.75, 0.5, 1};
    static const int faces[6] = {0, 1, 2, 0, 2, 1}, face_texcoords[6] = {0, 1, -1, 1, 0, 0};
    sp_trimesh_def def = sp_trimesh_def_default();
    def.vertex_count = 3, def.positions = x, def.face_count = 2, def.faces = faces;
    def.texcoord_count = 2, def.texcoords = texcoords, def.face_texcoords = face_texcoords;
    def.colors = colors;
    CHECK(sp_trimesh_create(r.ctx, &def, &r.tri) == SP_OK);
}

TEST(snapshots_contain_surfaces) {
    rig_start(&r, 1);
    rig_box(&r, (int[3]){4, 2, 2});
    painted_triangle();
    sp_surface_def def = sp_surface_def_default();
    def.mesh = r.tri, def.name = "sail", def.roles = SP_ROLE_VISUAL;
    CHECK(sp_world_add_surface(r.w, r.body, &def, NULL) == SP_OK);
    rig_shake(&r, 0.02, 4);
    for (int k = 0; k < 6; k++) {
        sp_world_step(r.w, 0.01);
        const sp_snapshot *s = sp_world_snapshot_acquire(r.w);
        REQUIRE(s && s->bodies[0].surface_count == 2);
        const sp_snapshot_surface *f = &s->bodies[0].surfaces[1];
        double x[9];
        sp_world_surface_get(r.w, r.body, 1, x, NULL, NULL);
        for (int i = 0; i < 9; i++) CHECK(f->positions[i] == (float)x[i]);
        CHECK(strcmp(f->name, "sail") == 0 && f->roles == SP_ROLE_VISUAL && f->vertex_count == 3 && f->face_count == 2);
        CHECK(f->faces[1] == 1 && f->anchors[2].body.slot == r.body.slot);
        CHECK(f->texcoords[0] == 0.25f && f->texcoords[3] == 1 && f->texcoords[4] == 0 && f->texcoords[5] == 0);
        CHECK(f->colors[5] == 1 && f->colors[11] == 0.5f);
        // the two faces point in opposite directions: their sum is zero
        for (int i = 0; i < 9; i++) CHECK(f->normals[i] == 0);
        sp_world_snapshot_release(r.w, s);
    }
    rig_finish(&r);
}

TEST(a_reader_may_hold_a_removed_body) {
    rig_start(&r, 1);
    rig_box(&r, (int[3]){4, 2, 2});
    rig_ellipsoid(&r, 4, 0.9);
    rig_add(&r, SP_ROLE_VISUAL);
    sp_world_step(r.w, 0.01);
    const sp_snapshot *s = sp_world_snapshot_acquire(r.w);
    const sp_snapshot_surface *f = &s->bodies[0].surfaces[1];
    double sum[2] = {0, 0};
    int n = f->vertex_count;
    for (int i = 0; i < 3 * f->face_count; i++) sum[0] += f->faces[i] + f->positions[f->faces[i]];
    CHECK(sp_world_remove(r.w, r.body) == SP_OK);
    CHECK_INT(sp_world_surface_count(r.w, r.body), 0);
    // another body reuses the slot in the list, with another surface and with none
    for (int k = 0; k < 2; k++) {
        sp_solid_def def = sp_solid_def_default();
        sp_surface_def surface = sp_surface_def_default();
        def.mesh = r.mesh;
        sp_world_add_solid(r.w, &def, &r.body);
        if (k == 0) CHECK(sp_world_add_surface(r.w, r.body, &surface, NULL) == SP_OK);
        for (int i = 0; i < 5; i++) sp_world_step(r.w, 0.01);
        const sp_snapshot *now = sp_world_snapshot_acquire(r.w);
        CHECK(now->bodies[0].surface_count == (k == 0 ? 2 : 1));
        if (k == 0) CHECK(now->bodies[0].surfaces[1].revision != f->revision);
        sp_world_snapshot_release(r.w, now);
        sp_world_remove(r.w, r.body);
    }
    for (int i = 0; i < 3 * f->face_count; i++) sum[1] += f->faces[i] + f->positions[f->faces[i]];
    CHECK(sum[0] == sum[1] && f->vertex_count == n && strcmp(f->name, "surface0") == 0);
    sp_world_snapshot_release(r.w, s);
    rig_finish(&r);
}

TEST(steps_allocate_nothing_after_warm_up) {
    meter m = {LONG_MAX, 0};
    sp_context_def def = metered_context(&m);
    r = (surface_rig){0};
    sp_context_create(&def, &r.ctx);
    sp_world_create(r.ctx, NULL, &r.w);
    rig_box(&r, (int[3]){4, 2, 2});
    rig_ellipsoid(&r, 4, 1.1);
    rig_add(&r, SP_ROLE_VISUAL | SP_ROLE_COLLISION);
    for (int i = 0; i < 6; i++) CHECK(sp_world_step(r.w, 0.01) == SP_OK);
    m.allowed = 0;
    for (int i = 0; i < 6; i++) CHECK(sp_world_step(r.w, 0.01) == SP_OK);
    const sp_snapshot *s = sp_world_snapshot_acquire(r.w);
    CHECK(s->step == 12 && s->skipped == 0);
    sp_world_snapshot_release(r.w, s);
    rig_finish(&r);
    CHECK_INT(m.live, 0);
}

// ---------------------------------------------------------------------------------------------------- checkpoints

static void ground(void) {
    sp_rigid_shape plane = {.type = SP_PLANE, .size = {0, 1, 0}, .pose = sp_pose_identity()};
    sp_rigid_def def = sp_rigid_def_default();
    sp_contact_def contact = sp_contact_def_default();
    def.shapes = &plane, def.shape_count = 1;
    sp_world_add_rigid(r.w, &def, NULL);
    sp_world_set_contact(r.w, &contact);
    for (int i = 0; i < r.nodes; i++) r.v[3 * i + 1] = -1;
    sp_world_set_state(r.w, r.body, NULL, r.v);
}

// a surface of exactly the nodes equals the nodes: same forces, same bits (in this mesh every node is on the boundary)
TEST(contact_of_the_boundary_equals_contact_of_the_nodes) {
    uint64_t hash[2];
    for (int pass = 0; pass < 2; pass++) {
        sp_surface_def def = sp_surface_def_default();
        rig_start(&r, 1);
        rig_box(&r, (int[3]){2, 1, 1});
        ground();
        if (pass) CHECK(sp_world_add_surface(r.w, r.body, &def, NULL) == SP_OK);
        for (int i = 0; i < 10; i++) sp_world_step(r.w, 0.01);
        hash[pass] = sp_world_hash(r.w);
        rig_finish(&r);
    }
    CHECK(hash[0] == hash[1]);
}

// visual surfaces are not state; collision surfaces are topology: the same calls continue with the same hash, others are refused
TEST(checkpoints_include_collision_surfaces) {
    sp_checkpoint kept = {0};
    uint64_t hash = 0;
    for (int pass = 0; pass < 4; pass++) {
        rig_start(&r, 1);
        rig_box(&r, (int[3]){2, 1, 1});
        rig_ellipsoid(&r, 2, pass == 2 ? 0.8 : 1.1);
        ground();
        uint64_t before = sp_world_hash(r.w);
        if (pass < 3) rig_add(&r, SP_ROLE_COLLISION);
        rig_add(&r, SP_ROLE_VISUAL);
        CHECK(sp_world_hash(r.w) == before);
        for (int i = 0; pass == 0 && i < 8; i++) sp_world_step(r.w, 0.01);
        if (pass == 0) {
            sp_checkpoint block;
            CHECK(sp_world_save(r.w, &block) == SP_OK);
            kept = (sp_checkpoint){malloc(block.size), block.size};
            memcpy(kept.data, block.data, block.size);
            sp_checkpoint_free(r.w, &block);
        } else {
            CHECK(sp_world_restore(r.w, kept.data, kept.size) == (pass == 1 ? SP_OK : SP_BAD_INPUT));
        }
        for (int i = 0; pass < 2 && i < 8; i++) sp_world_step(r.w, 0.01);
        if (pass == 0) hash = sp_world_hash(r.w);
        if (pass == 1) CHECK(sp_world_hash(r.w) == hash);
        rig_finish(&r);
    }
    free(kept.data);
}

// ---------------------------------------------------------------------------------------------------- refusals

static void refused(const sp_surface_def *def, const char *part) {
    int index = 5;
    CHECK(sp_world_add_surface(r.w, r.body, def, &index) == SP_BAD_INPUT);
    CHECK_INT(index, -1);
    if (!strstr(sp_world_error(r.w)->message, part)) SP_TEST_FAILED("\"%s\" lacks \"%s\"", sp_world_error(r.w)->message, part);
}

TEST(invalid_surfaces_are_refused_with_reasons) {
    rig_start(&r, 1);
    rig_box(&r, (int[3]){2, 1, 1});
    painted_triangle();
    sp_surface_def good = sp_surface_def_default(), def = good;
    int faces[2] = {0, 1000};
    refused(NULL, "without a definition");
    def.cookie = 0;
    refused(&def, "sp_surface_def_default");
    def = good, def.roles = 0;
    refused(&def, "roles = 0");
    def = good, def.roles = 8;
    refused(&def, "roles = 8");
    def = good, def.subdivide = 5;
    refused(&def, "subdivide = 5");
    def = good, def.subdivide = -1;
    refused(&def, "subdivide = -1");
    def = good, def.faces = faces, def.face_count = 2;
    refused(&def, "face 1000");
    def = good, def.faces = faces;
    refused(&def, "face_count = 0");
    def = good, def.face_count = 3;
    refused(&def, "face_count = 3");
    def = good, def.mesh = r.tri, def.subdivide = 1;
    refused(&def, "a mesh, or");
    def = good, def.region = -1;
    refused(&def, "region = -1");
    def = good, def.region = 1, def.subdivide = 1;
    refused(&def, "interfaces of a region");
    def = good, def.name = "";
    refused(&def, "name of 0");
    def = good, def.name = "a name that is longer than the sixty-three characters that there is room for";
    refused(&def, "characters");
    def = good, def.name = "surface1";
    CHECK(sp_world_add_surface(r.w, r.body, &def, NULL) == SP_OK);
    refused(&def, "has one already");
    CHECK_INT(sp_world_surface_count(r.w, r.body), 2);
    // its number as a name is in use: the next free one
    CHECK(sp_world_add_surface(r.w, r.body, &good, NULL) == SP_OK && strcmp(info_of(2).name, "surface2") == 0);

    double x[3];
    sp_surface_info info;
    CHECK(sp_world_surface_info(r.w, r.body, 3, &info) == SP_BAD_INPUT);
    CHECK(sp_world_surface_info(r.w, r.body, -1, &info) == SP_BAD_INPUT);
    CHECK(sp_world_surface_get(r.w, r.body, 3, x, NULL, NULL) == SP_BAD_INPUT);
    CHECK(sp_world_surface_apply_transpose(r.w, r.body, 3, x, x) == SP_BAD_INPUT);
    sp_body_id nobody = {9, 1};
    CHECK(sp_world_add_surface(r.w, nobody, &good, NULL) == SP_BAD_ID);
    CHECK(sp_world_surface_get(r.w, nobody, 0, x, NULL, NULL) == SP_BAD_ID);
    CHECK_INT(sp_world_surface_count(r.w, nobody), 0);
    rig_finish(&r);
}

TEST(empty_surfaces_are_refused) {
    rig_start(&r, 1);
    sp_rigid_def rigid = sp_rigid_def_default();
    sp_surface_def def = sp_surface_def_default();
    sp_world_add_rigid(r.w, &rigid, &r.body);
    refused(&def, "no boundary");
    sp_trimesh_def none = sp_trimesh_def_default();
    double x[3] = {0, 0, 0};
    none.vertex_count = 1, none.positions = x;
    if (sp_trimesh_create(r.ctx, &none, &r.tri) == SP_OK) {
        def.mesh = r.tri;
        refused(&def, "empty");
    }
    rig_finish(&r);
}

// the n-th allocation fails: nothing is added, nothing leaks, and the contact of the body is unchanged
TEST(failed_allocations_leave_the_world_unchanged) {
    for (long allowed = 0;; allowed++) {
        meter m = {LONG_MAX, 0};
        sp_context_def def = metered_context(&m);
        sp_status status = SP_OK;
        r = (surface_rig){0};
        sp_context_create(&def, &r.ctx);
        sp_world_create(r.ctx, NULL, &r.w);
        rig_box(&r, (int[3]){2, 1, 1});
        rig_ellipsoid(&r, 2, 1.1);
        sp_world_step(r.w, 0.01);
        m.allowed = allowed;
        sp_surface_def surface[2] = {sp_surface_def_default(), sp_surface_def_default()};
        surface[0].mesh = r.tri, surface[1].subdivide = 1;
        for (int k = 0; k < 2 && status >= 0; k++) {
            status = sp_world_add_surface(r.w, r.body, &surface[k], NULL);
            CHECK_INT(sp_world_surface_count(r.w, r.body), status >= 0 ? k + 2 : k + 1);
        }
        double *f = rig_random(3 * 2000, 1), *g = calloc(3 * (size_t)r.nodes, sizeof *g);
        if (status >= 0) status = sp_world_surface_apply_transpose(r.w, r.body, 1, f, g);
        CHECK(status == SP_OK || status == SP_NO_MEMORY);
        if (status == SP_NO_MEMORY) CHECK(sp_world_error(r.w)->message[0] != 0);
        m.allowed = LONG_MAX;
        for (int i = 0; i < 3; i++) CHECK(sp_world_step(r.w, 0.01) == SP_OK);
        free(f), free(g);
        rig_finish(&r);
        CHECK_INT(m.live, 0);
        if (status == SP_OK) break;
        REQUIRE(allowed < 400);
    }
}
