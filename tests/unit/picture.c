// Pictures: where the camera stands, what hides what, sharp and smooth edges, letters, files that decode, and a picture of a
// world whose outline is where geometry says it is.
#include <png.h>
#include <unistd.h>

#include "io/picture/picture.h"
#include "math/vec3.h"
#include "souple/io.h"
#include "test.h"

enum { W = 120, H = 90 };
static const double PI = 3.14159265358979323846;

// ---------------------------------------------------------------------------------------------------- helpers

static sp_context *new_context(int workers) {
    sp_context_def def = sp_context_def_default();
    sp_context *ctx = NULL;
    def.workers = workers;
    sp_context_create(&def, &ctx);
    return ctx;
}

static bool make_soup(sp_context *ctx, sp_soup *s, int vertices, int faces) {
    *s = (sp_soup){.vertex_count = vertices, .face_count = faces, .skin_count = 1};
    bool made = SP_NEW(ctx, s->x, 3 * vertices) && SP_NEW(ctx, s->faces, 3 * faces) && SP_NEW(ctx, s->skin_of, faces) &&
                SP_NEW(ctx, s->skins, 2) && SP_NEW(ctx, s->markers, 3);
    if (made) s->skins[0] = s->skins[1] = (sp_skin){.color = {0.5, 0.1, 0.1}, .opacity = 1, .roughness = 0.6};
    return made;
}

// a ball of unit radius: circles of latitude, poles last
static bool make_ball(sp_context *ctx, sp_soup *s, int rings, int around) {
    int nv = rings * around + 2, nf = 2 * rings * around, f = 0;
    if (!make_soup(ctx, s, nv, nf)) return false;
    for (int r = 0; r < rings; r++)
        for (int k = 0; k < around; k++) {
            double a = PI * (r + 1) / (rings + 1), b = 2 * PI * k / around, *x = s->x + 3 * (r * around + k);
            x[0] = sin(a) * cos(b), x[1] = cos(a), x[2] = -sin(a) * sin(b);
        }
    s->x[3 * (nv - 2) + 1] = 1, s->x[3 * (nv - 1) + 1] = -1;
    for (int k = 0; k < around; k++) {
        uint32_t next = (uint32_t)((k + 1) % around), here = (uint32_t)k, low = (uint32_t)((rings - 1) * around);
        uint32_t caps[6] = {(uint32_t)nv - 2, here, next, (uint32_t)nv - 1, low + next, low + here};
        memcpy(s->faces + 3 * f, caps, sizeof caps), f += 2;
        for (int r = 0; r + 1 < rings; r++) {
            uint32_t a = (uint32_t)(r * around) + here, b = (uint32_t)(r * around) + next, n = (uint32_t)around;
            uint32_t quad[6] = {a, a + n, b, b, a + n, b + n};
            memcpy(s->faces + 3 * f, quad, sizeof quad), f += 2;
        }
    }
    return true;
}

static bool is_background(const unsigned char *p) {
    return p[0] == 255 && p[1] == 255 && p[2] == 255;
}

static int count_ink(const unsigned char *rgb, int width, int height) {
    int n = 0;
    for (int i = 0; i < width * height; i++) n += !is_background(rgb + 3 * i);
    return n;
}

// ---------------------------------------------------------------------------------------------------- camera

TEST(fit_touches_the_margins) {
    double points[24], forward[3] = {-0.3, -0.4, -0.8}, up[3] = {0, 1, 0}, margins[4] = {20, 60, 30, 10};
    for (int i = 0; i < 8; i++)
        points[3 * i] = i & 1 ? 4 : 0, points[3 * i + 1] = i & 2 ? 1 : 0, points[3 * i + 2] = i & 4 ? 1 : 0;
    sp_eye eye = {.focal = 500};
    sp__eye_fit(&eye, forward, up, points, 8, 400, 300, margins);
    double low[2] = {1e9, 1e9}, high[2] = {-1e9, -1e9};
    for (int i = 0; i < 8; i++) {
        double p[3];
        REQUIRE(sp__eye_project(&eye, points + 3 * i, p));
        for (int k = 0; k < 2; k++) low[k] = fmin(low[k], p[k]), high[k] = fmax(high[k], p[k]);
    }
    CHECK(low[0] > 20 - 1 && high[0] < 340 + 1 && low[1] > 30 - 1 && high[1] < 290 + 1);
    // the longer side is used in full; the aim converges geometrically, a sample is left after six passes
    CHECK_NEAR(low[0], 20, 1);
    CHECK_NEAR(high[0], 340, 1);
}

TEST(camera_looks_along_up_without_trouble) {
    sp_eye eye = {.focal = 100};
    double at[3] = {0, 5, 0}, to[3] = {0, 0, 0}, up[3] = {0, 1, 0};
    sp__eye_look(&eye, at, to, up);
    // orthonormal to rounding
    CHECK_NEAR(sp__dot3(eye.right, eye.up), 0, 1e-14);
    CHECK_NEAR(sp__dot3(eye.right, eye.forward), 0, 1e-14);
    CHECK_NEAR(sp__norm3(eye.right), 1, 1e-14);
    CHECK_NEAR(eye.forward[1], -1, 1e-14);
}

// ---------------------------------------------------------------------------------------------------- what hides what

TEST(nearer_triangle_wins_in_any_order) {
    sp_context *ctx = new_context(1);
    for (int order = 0; order < 2; order++) {
        sp_soup s;
        REQUIRE(make_soup(ctx, &s, 6, 2));
        // two triangles that cover the middle, at depths 4 and 6
        for (int f = 0; f < 2; f++) {
            double z = (f == order) ? -4 : -6, x[9] = {-3, -3, z, 3, -3, z, 0, 3, z};
            memcpy(s.x + 9 * f, x, sizeof x);
        }
        for (uint32_t i = 0; i < 6; i++) s.faces[i] = i;
        float near[W * H];
        uint32_t id[W * H];
        sp_canvas canvas = {.width = W, .height = H, .near = near, .id = id};
        sp_eye eye = {.focal = 100, .cx = W / 2, .cy = H / 2, .nearest = 0.01};
        double at[3] = {0, 0, 0}, to[3] = {0, 0, -1}, up[3] = {0, 1, 0};
        sp__eye_look(&eye, at, to, up);
        sp__canvas_clear(&canvas);
        sp__raster_soup(&canvas, &eye, &s, true);
        CHECK_INT(id[H / 2 * W + W / 2], order + 1);
        CHECK_NEAR(near[H / 2 * W + W / 2], 0.25, 1e-6);  // float of 1/4, interpolated
        CHECK_INT(id[0], 0);
        sp__soup_free(ctx, &s);
    }
    sp_context_destroy(&ctx);
}

TEST(triangle_behind_the_eye_is_cut_at_the_near_plane) {
    sp_context *ctx = new_context(1);
    sp_soup s;
    REQUIRE(make_soup(ctx, &s, 3, 1));
    // a floor that reaches from before the eye to behind it: seen below the horizon only
    double x[9] = {-50, -1, -50, 50, -1, -50, 0, -1, 50};
    memcpy(s.x, x, sizeof x);
    for (uint32_t i = 0; i < 3; i++) s.faces[i] = i;
    float near[W * H];
    uint32_t id[W * H];
    sp_canvas canvas = {.width = W, .height = H, .near = near, .id = id};
    sp_eye eye = {.focal = 100, .cx = W / 2, .cy = H / 2, .nearest = 0.01};
    double at[3] = {0, 0, 0}, to[3] = {0, 0, -1}, up[3] = {0, 1, 0};
    sp__eye_look(&eye, at, to, up);
    sp__canvas_clear(&canvas);
    sp__raster_soup(&canvas, &eye, &s, true);
    CHECK_INT(id[(H - 1) * W + W / 2], 1);
    CHECK_INT(id[(H / 2 + 5) * W + W / 2], 1);
    CHECK_INT(id[(H / 2 - 5) * W + W / 2], 0);
    CHECK_INT(id[0], 0);
    sp__soup_free(ctx, &s);
    sp_context_destroy(&ctx);
}

// ---------------------------------------------------------------------------------------------------- normals

TEST(box_keeps_its_edges_and_ball_is_smooth) {
    sp_context *ctx = new_context(1);
    sp_soup s;
    REQUIRE(make_ball(ctx, &s, 23, 48));
    REQUIRE(sp__soup_normals(ctx, &s) >= 0);
    double worst = 0;
    for (int f = 0; f < s.face_count; f++)
        for (int k = 0; k < 3; k++) {
            const float *n = s.normals + 9 * f + 3 * k;
            const double *x = s.x + 3 * s.faces[3 * f + k];
            worst = fmax(worst, 1 - (n[0] * x[0] + n[1] * x[1] + n[2] * x[2]));
        }
    // means of facets of 7.5 degrees around a vertex are off by a small part of that: 1 - cos(3 degrees)
    CHECK(worst < 1.4e-3);
    sp__soup_free(ctx, &s);

    // two squares at a right angle share an edge: each keeps its own normal there
    REQUIRE(make_soup(ctx, &s, 6, 4));
    double x[18] = {0, 0, 0, 1, 0, 0, 1, 0, 1, 0, 0, 1, 0, 1, 0, 1, 1, 0};
    uint32_t faces[12] = {0, 2, 1, 0, 3, 2, 0, 1, 5, 0, 5, 4};
    memcpy(s.x, x, sizeof x), memcpy(s.faces, faces, sizeof faces);
    REQUIRE(sp__soup_normals(ctx, &s) >= 0);
    for (int f = 0; f < 4; f++)
        for (int k = 0; k < 3; k++) CHECK_NEAR(fabs(s.normals[9 * f + 3 * k + (f < 2 ? 1 : 2)]), 1, 1e-6);  // float
    sp__soup_free(ctx, &s);
    sp_context_destroy(&ctx);
}

// ---------------------------------------------------------------------------------------------------- drawing

static unsigned char *draw_ball(sp_context *ctx, int width, int height) {
    sp_drawing d = {.width = width, .height = height, .background = {1, 1, 1}, .size = 3.5};
    unsigned char *rgb = calloc((size_t)width * (size_t)height, 3);
    sp_picture_def def = sp_picture_def_default();
    def.fitted = false;
    def.at[2] = 5;
    if (!rgb || !make_ball(ctx, &d.soup, 40, 80) || sp__soup_normals(ctx, &d.soup) < 0) return rgb;
    sp__picture_camera(&def, &d);
    sp__lights_default(&d);
    if (sp__shadows(ctx, &d) >= 0) sp__picture_shade(ctx, &d, rgb);
    sp__shadows_free(ctx, &d);
    sp__soup_free(ctx, &d.soup);
    return rgb;
}

TEST(ball_covers_its_disc) {
    sp_context *ctx = new_context(1);
    unsigned char *rgb = draw_ball(ctx, 240, 180);
    // outline of a unit ball from distance 5: a disc of tangent 1 / sqrt(24); 90 pixels are tan(20 degrees)
    double radius = 90 / tan(20 * PI / 180) / sqrt(24), area = PI * radius * radius;
    // pixels touched are those of the disc and half of those on its rim
    CHECK_NEAR(count_ink(rgb, 240, 180), area, PI * radius * 1.5);
    CHECK(!is_background(rgb + 3 * (90 * 240 + 120)));
    CHECK(is_background(rgb + 3 * (90 * 240 + 120 + (int)(radius + 3))));
    // lit from above: the top is brighter than the bottom
    const unsigned char *top = rgb + 3 * ((90 - (int)(0.6 * radius)) * 240 + 110);
    const unsigned char *low = rgb + 3 * ((90 + (int)(0.6 * radius)) * 240 + 110);
    CHECK(top[0] > low[0] + 20);
    free(rgb);
    sp_context_destroy(&ctx);
}

TEST(same_bits_for_any_worker_count) {
    sp_context *one = new_context(1), *three = new_context(3);
    unsigned char *a = draw_ball(one, 150, 110), *b = draw_ball(three, 150, 110);
    CHECK(a && b && memcmp(a, b, 150 * 110 * 3) == 0);
    free(a), free(b);
    sp_context_destroy(&one), sp_context_destroy(&three);
}

TEST(half_opacity_lets_half_of_the_background_through) {
    sp_context *ctx = new_context(1);
    sp_soup s;
    REQUIRE(make_soup(ctx, &s, 3, 1));
    double x[9] = {-9, -9, -4, 9, -9, -4, 0, 9, -4};
    memcpy(s.x, x, sizeof x);
    for (uint32_t i = 0; i < 3; i++) s.faces[i] = i;
    s.skins[0].opacity = 5.0 / 9;
    float near[36];
    uint32_t id[36];
    sp_canvas canvas = {.width = 6, .height = 6, .near = near, .id = id};
    sp_eye eye = {.focal = 10, .cx = 3, .cy = 3, .nearest = 0.01};
    double at[3] = {0, 0, 0}, to[3] = {0, 0, -1}, up[3] = {0, 1, 0};
    sp__eye_look(&eye, at, to, up);
    sp__canvas_clear(&canvas);
    sp__raster_soup(&canvas, &eye, &s, true);
    int seen = 0;
    for (int i = 0; i < 36; i++) seen += id[i] != 0;
    CHECK_INT(seen, 20);  // 5 of 9 samples of each of 4 pixels
    sp__soup_free(ctx, &s);
    sp_context_destroy(&ctx);
}

// ---------------------------------------------------------------------------------------------------- letters and colours

TEST(every_letter_leaves_ink) {
    enum { SIDE = 40 };
    unsigned char rgb[SIDE * SIDE * 3];
    const double ink[3] = {0, 0, 0};
    for (int c = 33; c < 127; c++) {
        char text[2] = {(char)c, 0};
        memset(rgb, 255, sizeof rgb);
        sp__text_draw(rgb, SIDE, SIDE, 8, 26, 14, text, ink);
        int n = count_ink(rgb, SIDE, SIDE);
        if (n < 3 || n > 400) SP_TEST_FAILED("letter %c has %d pixels", c, n);
        CHECK(sp__text_width(text, 14) >= 0 && sp__text_width(text, 14) < 20);
    }
    memset(rgb, 255, sizeof rgb);
    sp__text_draw(rgb, SIDE, SIDE, 8, 26, 14, " ", ink);
    CHECK_INT(count_ink(rgb, SIDE, SIDE), 0);
    // broken and unknown UTF-8 is drawn as something and read to its end
    sp__text_draw(rgb, SIDE, SIDE, -5, 26, 14, "\xc2\xb5\xe4\xb8\xad\xff\xc3", ink);
    CHECK(count_ink(rgb, SIDE, SIDE) > 0);
    CHECK(sp__text_width("wide", 20) > sp__text_width("wide", 10));
}

TEST(colours_run_from_blue_to_red) {
    sp_legend l = {.low = -1, .high = 3};
    double low[3], high[3], below[3];
    sp__legend_color(&l, -1, low), sp__legend_color(&l, 3, high), sp__legend_color(&l, -7, below);
    CHECK(low[2] > low[0] && high[0] > high[2]);
    for (int i = 0; i < 3; i++) CHECK_NEAR(low[i], below[i], 0);
    for (int i = 0; i <= 10; i++) CHECK_NEAR(sp__to_srgb(sp__to_linear(0.1 * i)), 0.1 * i, 1e-6);  // the standard's constants
    sp__legend_color(&(sp_legend){.regions = true}, 1, low);
    sp__legend_color(&(sp_legend){.regions = true}, 2, high);
    CHECK(fabs(low[0] - high[0]) + fabs(low[1] - high[1]) > 0.1);
}

// ---------------------------------------------------------------------------------------------------- a world

typedef struct world_of_one {
    sp_context *ctx;
    sp_mesh *mesh;
    sp_world *world;
} world_of_one;

// a bar 2 x 1 x 1 about the origin, clamped at its left end
static bool make_world(world_of_one *w) {
    const double size[3] = {2, 1, 1};
    const int cells[3] = {4, 2, 2};
    sp_pose pose = sp_pose_identity();
    sp_mesh *box = NULL;
    pose.translate[0] = -1, pose.translate[1] = pose.translate[2] = -0.5;
    bool ok = sp_mesh_box(w->ctx, size, cells, 6, &box) >= 0 && sp_mesh_transformed(box, NULL, &pose, &w->mesh) >= 0 &&
              sp_world_create(w->ctx, NULL, &w->world) >= 0;
    sp_mesh_destroy(&box);
    if (!ok) return false;
    int nodes[9], region[96];
    for (int i = 0; i < 9; i++) nodes[i] = i;
    for (int i = 0; i < 96; i++) region[i] = i >= 48;
    sp_fix fix = {.nodes = nodes, .count = 9, .axes = SP_AXES_ALL};
    sp_solid_def def = sp_solid_def_default();
    sp_material other = def.material;
    other.young = 1e7;
    def.name = "bar", def.mesh = w->mesh, def.fixes = &fix, def.fix_count = 1;
    def.regions = &other, def.region_count = 1, def.element_region = region;
    return sp_world_add_solid(w->world, &def, NULL) >= 0;
}

static void free_world(world_of_one *w) {
    sp_world_destroy(&w->world);
    sp_mesh_destroy(&w->mesh);
}

static unsigned char *decode(const char *path, int *width, int *height) {
    png_image image = {.version = PNG_IMAGE_VERSION};
    if (!png_image_begin_read_from_file(&image, path)) return NULL;
    image.format = PNG_FORMAT_RGB;
    unsigned char *rgb = malloc(PNG_IMAGE_SIZE(image));
    *width = (int)image.width, *height = (int)image.height;
    if (rgb && png_image_finish_read(&image, NULL, rgb, 0, NULL)) return rgb;
    free(rgb);
    return NULL;
}

static void temporary(char *path) {
    strcpy(path, "/tmp/souple-picture-XXXXXX");
    int fd = mkstemp(path);
    if (fd >= 0) close(fd);
}

static sp_picture_def front_view(void) {
    sp_picture_def def = sp_picture_def_default();
    def.width = 160, def.height = 120, def.fitted = false;
    def.at[2] = 4.5;  // 4 from the front face
    return def;
}

TEST(outline_of_a_bar_is_where_geometry_says) {
    world_of_one w = {.ctx = new_context(1)};
    char path[40];
    int width = 0, height = 0;
    REQUIRE(make_world(&w));
    temporary(path);
    sp_picture_def def = front_view();
    CHECK_INT(sp_picture_write(w.world, NULL, &def, path), SP_OK);
    unsigned char *rgb = decode(path, &width, &height);
    REQUIRE(rgb && width == 160 && height == 120);
    // the front face spans +-1 and +-0.5 at distance 4; 60 pixels are tan(20 degrees)
    double scale = 60 / tan(20 * PI / 180) / 4;
    int half_x = (int)scale, half_y = (int)(0.5 * scale);
    CHECK(!is_background(rgb + 3 * (60 * 160 + 80 - half_x + 2)) && !is_background(rgb + 3 * (60 * 160 + 80 + half_x - 2)));
    CHECK(is_background(rgb + 3 * (60 * 160 + 80 - half_x - 3)) && is_background(rgb + 3 * (60 * 160 + 80 + half_x + 3)));
    CHECK(!is_background(rgb + 3 * ((60 - half_y + 2) * 160 + 80)) && is_background(rgb + 3 * ((60 - half_y - 3) * 160 + 80)));
    free(rgb);
    unlink(path);
    free_world(&w);
    sp_context_destroy(&w.ctx);
}

TEST(fields_colour_the_body) {
    world_of_one w = {.ctx = new_context(1)};
    static const char *const fields[] = {"displacement", "velocity", "von-mises", "rotation", "region"};
    char path[40];
    REQUIRE(make_world(&w));
    for (int i = 0; i < 5; i++) REQUIRE(sp_world_step(w.world, 0.01) >= 0);
    temporary(path);
    for (int i = 0; i < 5; i++) {
        int width = 0, height = 0;
        sp_picture_def def = front_view();
        def.color_by = fields[i], def.title = "bar";
        CHECK_INT(sp_picture_write(w.world, NULL, &def, path), SP_OK);
        unsigned char *rgb = decode(path, &width, &height);
        REQUIRE(rgb);
        // a gradient along the bar shows between its left and right
        const unsigned char *left = rgb + 3 * (60 * 160 + 45), *right = rgb + 3 * (60 * 160 + 115);
        CHECK(abs(left[0] - right[0]) + abs(left[1] - right[1]) + abs(left[2] - right[2]) > 30);
        free(rgb);
    }
    unlink(path);
    free_world(&w);
    sp_context_destroy(&w.ctx);
}

TEST(corners_carry_the_field_of_their_nodes) {
    world_of_one w = {.ctx = new_context(1)};
    REQUIRE(make_world(&w));
    for (int i = 0; i < 5; i++) REQUIRE(sp_world_step(w.world, 0.01) >= 0);
    const sp_snapshot *shot = sp_world_snapshot_acquire(w.world);
    REQUIRE(shot && shot->body_count == 1);
    const sp_snapshot_body *b = &shot->bodies[0];
    double *value = calloc(3 * (size_t)b->face_count, sizeof *value), *u = calloc(3 * 45, sizeof *u),
           *x = calloc(3 * 45, sizeof *x);
    CHECK_INT(sp__field_corners(w.ctx, w.world, b, "displacement", value), SP_OK);
    sp_body_id id = sp_world_body_at(w.world, 0);
    REQUIRE(sp_world_field(w.world, id, "displacement", u) >= 0 && sp_world_field(w.world, id, "position", x) >= 0);
    for (int i = 0; i < 3 * b->face_count; i++) {
        const float *p = b->positions + 3 * b->faces[i];
        int node = -1;
        for (int n = 0; n < 45; n++)
            if (fabs(x[3 * n] - p[0]) + fabs(x[3 * n + 1] - p[1]) + fabs(x[3 * n + 2] - p[2]) < 1e-5) node = n;
        REQUIRE(node >= 0);
        CHECK_NEAR(value[i], sp__norm3(u + 3 * node), 0);
    }
    // elements 0..47 are region 0 and those of the nearer half; the two halves show pure colours
    CHECK_INT(sp__field_corners(w.ctx, w.world, b, "region", value), SP_OK);
    for (int i = 0; i < 3 * b->face_count; i++) {
        double middle = 0;
        for (int k = 0; k < 3; k++) middle += b->positions[3 * b->faces[i - i % 3 + k]] / 3;
        CHECK_NEAR(value[i], middle > 0 ? 1 : 0, 0);
    }
    unsigned char held[64] = {0};
    CHECK_INT(sp__field_held(w.ctx, w.world, b, held), SP_OK);
    for (int v = 0; v < b->vertex_count; v++) CHECK_INT(held[v], b->positions[3 * v] < -0.99f);
    free(value), free(u), free(x);
    sp_world_snapshot_release(w.world, shot);
    free_world(&w);
    sp_context_destroy(&w.ctx);
}

TEST(ground_fades_and_hides_nothing_from_below) {
    world_of_one w = {.ctx = new_context(1)};
    char path[40];
    int width = 0, height = 0;
    REQUIRE(make_world(&w));
    sp_rigid_shape plane = {.type = SP_PLANE, .size = {0, 1, 0}, .pose = sp_pose_identity()};
    sp_rigid_def floor = sp_rigid_def_default();
    floor.name = "floor", floor.shapes = &plane, floor.shape_count = 1, floor.pose.constant.translate[1] = -0.8;
    REQUIRE(sp_world_add_rigid(w.world, &floor, NULL) >= 0);
    temporary(path);
    sp_picture_def def = front_view();
    def.at[1] = 2;
    CHECK_INT(sp_picture_write(w.world, NULL, &def, path), SP_OK);
    unsigned char *rgb = decode(path, &width, &height);
    REQUIRE(rgb);
    int ink = count_ink(rgb, width, height);
    free(rgb);
    def.at[1] = -4;  // under the floor: it is not drawn, the bar is
    CHECK_INT(sp_picture_write(w.world, NULL, &def, path), SP_OK);
    rgb = decode(path, &width, &height);
    REQUIRE(rgb);
    CHECK(!is_background(rgb + 3 * (60 * 160 + 80)));
    CHECK(count_ink(rgb, width, height) < ink / 2);
    free(rgb);
    unlink(path);
    free_world(&w);
    sp_context_destroy(&w.ctx);
}

// ---------------------------------------------------------------------------------------------------- a scene

TEST(scene_says_camera_view_looks_and_lights) {
    static const char text[] =
        "<scene name='what is seen' gravity='0 0 -9.81' dt='0.01'>\n"
        "  <solid name='seen' look='green'><box size='1 1 1' cells='2 2 2'/><fix plane='0 0 0 -1 0 0' within='0.01'/></solid>\n"
        "  <solid name='hidden' translate='9 0 0'><box size='1 1 1' cells='1 1 1'/></solid>\n"
        "  <look name='green' color='0 1 0' opacity='0.5' edges='yes'/>\n"
        "  <view of='seen' color-by='rotation' range='0 2' show='visual fixed' background='0 0 0.5'/>\n"
        "  <camera at='3 2 1' fov='30' size='64 48'/>\n"
        "  <light type='spot' at='0 0 5' to='0 0 0' intensity='2'/><light type='ambient' color='1 0 0'/>\n"
        "</scene>\n";
    sp_context *ctx = new_context(1);
    sp_scene *scene = NULL;
    sp_run *run = NULL;
    sp_run_options o = sp_run_options_default();
    o.endless = true;
    REQUIRE(sp_scene_parse(ctx, text, sizeof text - 1, "seen.xml", NULL, &scene) >= 0);
    REQUIRE(sp_run_create(scene, &o, &run) >= 0 && sp_run_step(run) >= 0);
    sp_picture_def def = sp_run_picture(run);
    CHECK(!def.fitted && def.at[0] == 3 && isnan(def.to[0]) && def.fov == 30 && def.width == 64 && def.height == 48);
    CHECK(def.up[2] > 0 && def.up[1] == 0);  // against gravity
    CHECK(def.background[2] == 0.5 && def.color_by && strcmp(def.color_by, "rotation") == 0);
    CHECK(strcmp(def.title, "what is seen") == 0);

    sp_drawing d = {.width = 64, .height = 48};
    const sp_snapshot *shot = sp_world_snapshot_acquire(sp_run_world(run));
    REQUIRE(shot);
    CHECK_INT(sp__picture_collect(ctx, sp_run_world(run), shot, run, "rotation", &d), SP_OK);
    sp__picture_camera(&def, &d);
    CHECK_INT(d.soup.face_count, 48);
    CHECK_INT(d.soup.marker_count, 9);
    CHECK_INT(d.soup.skin_count, 1);
    CHECK(d.soup.skins[0].opacity == 0.5 && d.soup.skins[0].edges && d.soup.skins[0].by_field);
    CHECK(d.legend.low == 0 && d.legend.high == 2);
    // without `to` the camera looks at the middle of what is shown
    double p[3];
    REQUIRE(sp__eye_project(&d.camera, d.centre, p));
    CHECK_NEAR(p[0], 32 * SP_SAMPLES, 1e-9);  // rounding of a sum over a few hundred samples
    CHECK_INT(sp__picture_lights(run, &d, d.lights, SP_LIGHTS_MAX), 2);
    CHECK(d.lights[0].type == SP_LIGHT_SPOT && d.lights[0].shadow && d.lights[0].aim[2] == -1 && d.lights[0].color[0] == 2);
    CHECK(d.lights[1].type == SP_LIGHT_AMBIENT && d.lights[1].color[0] == 1 && d.lights[1].color[1] == 0);
    sp__soup_free(ctx, &d.soup);
    sp_world_snapshot_release(sp_run_world(run), shot);
    char path[40];
    temporary(path);
    CHECK_INT(sp_picture_write(sp_run_world(run), run, NULL, path), SP_OK);
    unlink(path);
    sp_run_destroy(&run);
    sp_scene_destroy(&scene);
    sp_context_destroy(&ctx);
}

TEST(wrong_wishes_are_refused) {
    world_of_one w = {.ctx = new_context(1)};
    REQUIRE(make_world(&w));
    sp_picture_def def = front_view();
    def.width = 100000;
    CHECK_INT(sp_picture_write(w.world, NULL, &def, "/tmp/never.png"), SP_BAD_INPUT);
    CHECK(strstr(sp_context_error(w.ctx)->message, "100000"));
    def = front_view(), def.color_by = "temperature";
    CHECK_INT(sp_picture_write(w.world, NULL, &def, "/tmp/never.png"), SP_BAD_INPUT);
    CHECK(strstr(sp_context_error(w.ctx)->message, "temperature"));
    def = front_view(), def.cookie = 0;
    CHECK_INT(sp_picture_write(w.world, NULL, &def, "/tmp/never.png"), SP_BAD_INPUT);
    def = front_view(), def.fov = 180;
    CHECK_INT(sp_picture_write(w.world, NULL, &def, "/tmp/never.png"), SP_BAD_INPUT);
    def = front_view();
    CHECK_INT(sp_picture_write(w.world, NULL, &def, "/nowhere/at/all.png"), SP_IO);
    CHECK(strstr(sp_context_error(w.ctx)->message, "/nowhere/at/all.png"));
    CHECK(access("/tmp/never.png", F_OK) != 0);
    free_world(&w);
    sp_context_destroy(&w.ctx);
}

// ---------------------------------------------------------------------------------------------------- memory

static long allowed;  // allocations until one is refused; negative: all are granted

static void *limited_alloc(void *user, size_t size, size_t align) {
    void *memory = NULL;
    (void)user;
    if (allowed == 0) return NULL;
    if (allowed > 0) allowed--;
    return posix_memalign(&memory, align < sizeof(void *) ? sizeof(void *) : align, size) == 0 ? memory : NULL;
}

static void limited_free(void *user, void *memory, size_t size) {
    (void)user, (void)size;
    free(memory);
}

TEST(every_allocation_may_fail) {
    sp_context_def cd = sp_context_def_default();
    world_of_one w = {0};
    char path[40];
    cd.alloc = limited_alloc, cd.free = limited_free, cd.workers = 1;
    allowed = -1;
    REQUIRE(sp_context_create(&cd, &w.ctx) >= 0 && make_world(&w) && sp_world_step(w.world, 0.01) >= 0);
    temporary(path);
    sp_picture_def def = front_view();
    def.width = 40, def.height = 30, def.color_by = "von-mises";
    size_t before, after;
    sp_context_memory(w.ctx, &before, NULL);
    sp_status status = SP_NO_MEMORY;
    int n = 0;
    for (; status == SP_NO_MEMORY && n < 500; n++) {
        allowed = n;
        status = sp_picture_write(w.world, NULL, &def, path);
        allowed = -1;
        sp_context_memory(w.ctx, &after, NULL);
        CHECK_INT(after, before);
        // libpng reports a refusal inside its compressor as an error of its own
        if (status == SP_IO) status = SP_NO_MEMORY;
    }
    CHECK_INT(status, SP_OK);
    CHECK(n > 10);
    unlink(path);
    free_world(&w);
    sp_context_destroy(&w.ctx);
}
