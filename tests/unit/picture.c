// The parts of pictures: camera position, sharp and smooth edges, transparency, letters and colours.
#include "picture_help.h"

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
    // the longer side is used in full; the centring converges geometrically, an error of one sample is left after six passes
    CHECK_NEAR(low[0], 20, 1);
    CHECK_NEAR(high[0], 340, 1);
}

TEST(camera_may_look_along_up) {
    sp_eye eye = {.focal = 100};
    double at[3] = {0, 5, 0}, to[3] = {0, 0, 0}, up[3] = {0, 1, 0};
    sp__eye_look(&eye, at, to, up);
    // orthonormal to rounding
    CHECK_NEAR(sp__dot3(eye.right, eye.up), 0, 1e-14);
    CHECK_NEAR(sp__dot3(eye.right, eye.forward), 0, 1e-14);
    CHECK_NEAR(sp__norm3(eye.right), 1, 1e-14);
    CHECK_NEAR(eye.forward[1], -1, 1e-14);
}

TEST(orbit_rotates_about_up) {
    sp_context *ctx = new_context(1);
    sp_drawing d = {.width = 160, .height = 120, .size = 3.5};
    sp_picture_def def = sp_picture_def_default();
    REQUIRE(make_ball(ctx, &d.soup, 10, 20));
    for (int v = 0; v < d.soup.vertex_count; v++) d.soup.x[3 * v] *= 3;
    sp_eye eye[3];
    for (int k = 0; k < 3; k++) {
        def.fitted = k < 2;
        def.azimuth = 30, def.elevation = 20, def.orbit = k == 1 ? 90 : 0;
        if (k == 2) def.at[0] = 1, def.at[1] = 2, def.at[2] = 3, def.orbit = -90;
        sp__picture_camera(&def, &d);
        eye[k] = d.camera;
    }
    // looks down by the elevation, from the azimuth: front is +z, right is +x
    CHECK_NEAR(-eye[0].forward[1], sin(20 * PI / 180), 1e-12);
    CHECK_NEAR(atan2(-eye[0].forward[0], -eye[0].forward[2]), 30 * PI / 180, 1e-12);
    CHECK_NEAR(atan2(-eye[1].forward[0], -eye[1].forward[2]), 120 * PI / 180, 1e-12);
    CHECK_NEAR(eye[1].forward[1], eye[0].forward[1], 1e-12);
    // a placed camera orbits its target: (1, 2, 3) by -90 degrees about y is (-3, 2, 1)
    CHECK_NEAR(eye[2].at[0], -3, 1e-12);
    CHECK_NEAR(eye[2].at[1], 2, 1e-12);
    CHECK_NEAR(eye[2].at[2], 1, 1e-12);
    sp__soup_free(ctx, &d.soup);
    sp_context_destroy(&ctx);
}

TEST(series_shares_box) {
    sp_context *ctx = new_context(1);
    sp_drawing d = {.width = 160, .height = 120, .size = 3.5};
    sp_picture_def def = sp_picture_def_default();
    sp_picture_extent box = sp_picture_extent_default();
    REQUIRE(make_ball(ctx, &d.soup, 10, 20));
    for (int i = 0; i < 3; i++) box.low[i] = -1, box.high[i] = 1;
    def.extent = &box;
    sp__picture_camera(&def, &d);
    sp_eye first = d.camera;
    // another shape in the same box is seen from the same camera position
    for (int v = 0; v < d.soup.vertex_count; v++) d.soup.x[3 * v] *= 0.5;
    sp__picture_camera(&def, &d);
    CHECK(memcmp(first.at, d.camera.at, sizeof first.at) == 0);
    sp__soup_free(ctx, &d.soup);
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
    REQUIRE(make_soup(ctx, &s, 6, 4, 1));
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

static unsigned char *draw_ball(sp_context *ctx, int width, int height, double opacity) {
    sp_drawing d = {.width = width, .height = height, .background = {1, 1, 1}, .size = 3.5};
    unsigned char *rgb = calloc((size_t)width * (size_t)height, 3);
    sp_picture_def def = sp_picture_def_default();
    def.fitted = false;
    def.at[2] = 5;
    if (!rgb || !make_ball(ctx, &d.soup, 40, 80) || sp__soup_normals(ctx, &d.soup) < 0) return rgb;
    d.soup.drawables[0].opacity = opacity;
    sp__picture_camera(&def, &d);
    sp__lights_default(&d);
    if (sp__shadows(ctx, &d) >= 0) sp__picture_pixels(ctx, &d, rgb);
    sp__shadows_free(ctx, &d);
    sp__soup_free(ctx, &d.soup);
    return rgb;
}

TEST(ball_covers_its_disc) {
    sp_context *ctx = new_context(1);
    unsigned char *rgb = draw_ball(ctx, 240, 180, 1);
    // outline of a unit ball from distance 5: a disc of tangent 1 / sqrt(24); 90 pixels are tan(20 degrees)
    double radius = 90 / tan(20 * PI / 180) / sqrt(24), area = PI * radius * radius;
    // covered pixels are those of the disc and half of those on its rim
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
    for (int way = 0; way < 2; way++) {
        sp_context *one = new_context(1), *four = new_context(4);
        unsigned char *a = draw_ball(one, 150, 110, way ? 0.4 : 1), *b = draw_ball(four, 150, 110, way ? 0.4 : 1);
        CHECK(a && b && memcmp(a, b, 150 * 110 * 3) == 0);
        free(a), free(b);
        sp_context_destroy(&one), sp_context_destroy(&four);
    }
}

// ---------------------------------------------------------------------------------------------------- transparency

enum { SIDE = 33 };  // odd: one pixel is in the middle

// uniform light, so that a surface shows its own colour
static void light_evenly(sp_drawing *d) {
    d->light_count = 1;
    d->lights[0] = (sp_light){.type = SP_LIGHT_AMBIENT, .color = {1, 1, 1}};
}

static void face_camera(sp_drawing *d) {
    sp_picture_def def = sp_picture_def_default();
    d->width = d->height = SIDE, d->background[0] = d->background[1] = d->background[2] = 1, d->size = 3;
    def.width = def.height = SIDE, def.fitted = false, def.at[2] = 10;
    sp__picture_camera(&def, d);
}

static unsigned char byte_of(double linear) {
    return (unsigned char)(255 * sp__to_srgb(linear) + 0.5);
}

static const double sheet_color[3][3] = {{0.8, 0.1, 0.1}, {0.1, 0.7, 0.2}, {0.1, 0.2, 0.9}};
static const double sheet_opacity[3] = {0.25, 0.5, 0.4};

// three sheets across the view at depths 9, 10, 11; order[k]: the list index of the k-th from the front
static bool make_sheets(sp_context *ctx, const int order[3], sp_drawing *d) {
    if (!make_soup(ctx, &d->soup, 12, 6, 3)) return false;
    for (int k = 0; k < 3; k++) {
        int at = order[k];
        double z = 1.0 - k, x[12] = {-9, -9, z, 9, -9, z, 9, 9, z, -9, 9, z};
        uint32_t f = (uint32_t)(4 * at), faces[6] = {f, f + 1, f + 2, f, f + 2, f + 3};
        memcpy(d->soup.x + 12 * at, x, sizeof x), memcpy(d->soup.faces + 6 * at, faces, sizeof faces);
        d->soup.drawable_of[2 * at] = d->soup.drawable_of[2 * at + 1] = at;
        memcpy(d->soup.drawables[at].color, sheet_color[k], sizeof sheet_color[k]);
        d->soup.drawables[at].opacity = sheet_opacity[k];
    }
    return sp__soup_normals(ctx, &d->soup) >= 0;
}

TEST(three_sheets_blend_from_front_to_back) {
    static const int orders[6][3] = {{0, 1, 2}, {0, 2, 1}, {1, 0, 2}, {1, 2, 0}, {2, 0, 1}, {2, 1, 0}};
    sp_context *ctx = new_context(1);
    for (int o = 0; o < 6; o++) {
        sp_drawing d = {0};
        unsigned char rgb[3 * SIDE * SIDE];
        REQUIRE(make_sheets(ctx, orders[o], &d));
        face_camera(&d), light_evenly(&d);
        REQUIRE(sp__picture_pixels(ctx, &d, rgb) >= 0);
        const unsigned char *middle = rgb + 3 * (SIDE / 2 * SIDE + SIDE / 2);
        for (int i = 0; i < 3; i++) {
            double left = 1, sum = 0;
            for (int k = 0; k < 3; k++) sum += left * sheet_opacity[k] * sheet_color[k][i], left *= 1 - sheet_opacity[k];
            // perpendicular: only the table from linear to sRGB rounds
            CHECK_NEAR(middle[i], byte_of(sum + left), 1);
        }
        // in a corner the ray is longer in each sheet: 1 - a becomes (1 - a)^(1 / cos)
        double t = tan(20 * PI / 180) * (SIDE - 1.0) / SIDE, slant = sqrt(1 + 2 * t * t), left = 1, sum = 0;
        for (int k = 0; k < 3; k++) {
            double a = 1 - pow(1 - sheet_opacity[k], slant);
            sum += left * a * sheet_color[k][0], left *= 1 - a;
        }
        CHECK_NEAR(rgb[0], byte_of(sum + left), 1);
        sp__soup_free(ctx, &d.soup);
    }
    sp_context_destroy(&ctx);
}

TEST(opaque_sheet_ends_the_ray) {
    static const int order[3] = {2, 0, 1};
    sp_context *ctx = new_context(1);
    sp_drawing d = {0};
    unsigned char rgb[3 * SIDE * SIDE];
    REQUIRE(make_sheets(ctx, order, &d));
    d.soup.drawables[0].opacity = 1;  // the one in the middle
    face_camera(&d), light_evenly(&d);
    REQUIRE(sp__picture_pixels(ctx, &d, rgb) >= 0);
    for (int i = 0; i < 3; i++)
        CHECK_NEAR(rgb[3 * (SIDE / 2 * SIDE + SIDE / 2) + i], byte_of(0.25 * sheet_color[0][i] + 0.75 * sheet_color[1][i]), 1);
    d.soup.drawables[2].opacity = 0;  // completely transparent
    REQUIRE(sp__picture_pixels(ctx, &d, rgb) >= 0);
    for (int i = 0; i < 3; i++) CHECK_NEAR(rgb[3 * (SIDE / 2 * SIDE + SIDE / 2) + i], byte_of(sheet_color[1][i]), 1);
    sp__soup_free(ctx, &d.soup);
    sp_context_destroy(&ctx);
}

TEST(walls_count_once_or_all) {
    sp_context *ctx = new_context(1);
    for (int walls = 0; walls < 2; walls++) {
        sp_drawing d = {.walls = walls};
        unsigned char rgb[3 * SIDE * SIDE];
        REQUIRE(make_ball(ctx, &d.soup, 41, 80) && sp__soup_normals(ctx, &d.soup) >= 0);
        d.soup.drawables[0].opacity = 0.5;
        face_camera(&d), light_evenly(&d);
        REQUIRE(sp__picture_pixels(ctx, &d, rgb) >= 0);
        double left = walls ? 0.25 : 0.5;
        // colour 0.1 in green; the nine samples are up to a degree away from the middle
        CHECK_NEAR(rgb[3 * (SIDE / 2 * SIDE + SIDE / 2) + 1], byte_of((1 - left) * 0.1 + left), 1);
        sp__soup_free(ctx, &d.soup);
    }
    sp_context_destroy(&ctx);
}

TEST(vertices_have_colours_and_opacity) {
    sp_context *ctx = new_context(1);
    sp_trimesh *surface = NULL;
    double x[12] = {-9, -9, 0, 9, -9, 0, 9, 9, 0, -9, 9, 0}, colors[16];
    int faces[6] = {0, 1, 2, 0, 2, 3};
    for (int v = 0; v < 4; v++) colors[4 * v] = 0, colors[4 * v + 1] = 1, colors[4 * v + 2] = 0, colors[4 * v + 3] = 0.5;
    sp_trimesh_def t = sp_trimesh_def_default();
    t.vertex_count = 4, t.positions = x, t.face_count = 2, t.faces = faces, t.colors = colors;
    REQUIRE(sp_trimesh_create(ctx, &t, &surface) >= 0);
    sp_picture_def def = sp_picture_def_default();
    unsigned char rgb[3 * SIDE * SIDE];
    def.width = def.height = SIDE, def.fitted = false, def.at[2] = 10, def.background[0] = 0, def.background[2] = 0;
    CHECK_INT(sp_picture_surface(ctx, surface, NULL, &def, rgb), SP_OK);
    const unsigned char *middle = rgb + 3 * (SIDE / 2 * SIDE + SIDE / 2);
    // half of a lit green sheet over a green background
    CHECK(middle[0] < 60 && middle[1] > 150 && middle[2] < 60);
    // invisible, by name and for all
    sp_picture_opacity none = {.body = "sheet", .opacity = 0};
    def.opacities = &none, def.opacity_count = 1;
    CHECK_INT(sp_picture_surface(ctx, surface, "sheet", &def, rgb), SP_OK);
    CHECK(middle[0] == 0 && middle[1] == 255 && middle[2] == 0);
    def.color_by = "heat";
    CHECK_INT(sp_picture_surface(ctx, surface, NULL, &def, rgb), SP_BAD_INPUT);
    CHECK(strstr(sp_context_error(ctx)->message, "heat"));
    sp_trimesh_destroy(&surface);
    sp_context_destroy(&ctx);
}

// the two halves of a square are named groups; "1" is the number that the file gave both
TEST(groups_of_a_surface_are_regions) {
    sp_context *ctx = new_context(1);
    sp_trimesh *surface = NULL;
    double x[12] = {-9, -9, 0, 9, -9, 0, 9, 9, 0, -9, 9, 0};
    int faces[6] = {0, 1, 2, 0, 2, 3}, both[2] = {0, 1};
    sp_mesh_group groups[3] = {{.name = "1", .elements = both, .element_count = 2},
                               {.name = "low", .elements = both, .element_count = 1},
                               {.name = "high", .elements = both + 1, .element_count = 1}};
    sp_trimesh_def t = sp_trimesh_def_default();
    t.vertex_count = 4, t.positions = x, t.face_count = 2, t.faces = faces;
    sp_picture_def def = sp_picture_def_default();
    unsigned char rgb[3 * SIDE * SIDE];
    def.width = def.height = SIDE, def.fitted = false, def.at[2] = 10, def.color_by = "region", def.plain = true;
    REQUIRE(sp_trimesh_create(ctx, &t, &surface) >= 0);
    CHECK_INT(sp_picture_surface(ctx, surface, NULL, &def, rgb), SP_BAD_INPUT);  // there are none
    sp_trimesh_destroy(&surface);
    t.groups = groups, t.group_count = 3;
    REQUIRE(sp_trimesh_create(ctx, &t, &surface) >= 0);
    CHECK_INT(sp_picture_surface(ctx, surface, NULL, &def, rgb), SP_OK);
    // orange below the diagonal, blue above it
    const unsigned char *low = rgb + 3 * (3 * SIDE / 4 * SIDE + SIDE / 2), *high = rgb + 3 * (SIDE / 4 * SIDE + SIDE / 2);
    CHECK(low[0] > low[2] + 60 && high[2] > high[0] + 60);
    sp_trimesh_destroy(&surface);
    sp_context_destroy(&ctx);
}

// ---------------------------------------------------------------------------------------------------- letters and colours

TEST(every_letter_leaves_ink) {
    enum { BOX = 40 };
    unsigned char rgb[BOX * BOX * 3];
    const double ink[3] = {0, 0, 0};
    for (int c = 33; c < 127; c++) {
        char text[2] = {(char)c, 0};
        memset(rgb, 255, sizeof rgb);
        sp__text_draw(rgb, BOX, BOX, 8, 26, 14, text, ink);
        int n = count_ink(rgb, BOX, BOX);
        if (n < 3 || n > 400) SP_TEST_FAILED("letter %c has %d pixels", c, n);
        CHECK(sp__text_width(text, 14) >= 0 && sp__text_width(text, 14) < 20);
    }
    memset(rgb, 255, sizeof rgb);
    sp__text_draw(rgb, BOX, BOX, 8, 26, 14, " ", ink);
    CHECK_INT(count_ink(rgb, BOX, BOX), 0);
    // invalid and unknown UTF-8 is drawn as some glyph and read to its end
    sp__text_draw(rgb, BOX, BOX, -5, 26, 14, "\xc2\xb5\xe4\xb8\xad\xff\xc3", ink);
    CHECK(count_ink(rgb, BOX, BOX) > 0);
    CHECK(sp__text_width("wide", 20) > sp__text_width("wide", 10));
}

TEST(colours_range_from_blue_to_red) {
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

TEST(bar_is_labelled) {
    enum { WIDE = 400, HIGH = 300 };
    static unsigned char rgb[3 * WIDE * HIGH], only[3 * WIDE * HIGH];
    sp_drawing d = {.width = WIDE, .height = HIGH, .background = {1, 1, 1}};
    d.legend = (sp_legend){.label = "von Mises stress", .unit = "Pa", .low = 0, .high = 4000, .shown = 1};
    memset(rgb, 255, sizeof rgb), memset(only, 255, sizeof only);
    sp__picture_letter(&d, rgb);
    // the bar begins at 0.885 of the width and ends at 0.24 of the height: the label "4" is there, in kPa
    double text = 0.85 * 8, x = WIDE - 0.115 * WIDE + 1.6 * 8 + 0.7 * text, y = 0.24 * HIGH + 0.5 * text;
    const double ink[3] = {0.16, 0.16, 0.16};
    sp__text_draw(only, WIDE, HIGH, x, y, text, "4", ink);
    CHECK(count_ink(only, WIDE, HIGH) > 8);
    int missing = 0;
    for (int i = 0; i < WIDE * HIGH; i++) missing += only[3 * i] < 128 && rgb[3 * i] > 140;
    CHECK_INT(missing, 0);
    // red above, blue below
    const unsigned char *top = rgb + 3 * ((int)(0.26 * HIGH) * WIDE + (int)(0.885 * WIDE) + 5);
    const unsigned char *low = rgb + 3 * ((int)(0.76 * HIGH) * WIDE + (int)(0.885 * WIDE) + 5);
    CHECK(top[0] > top[2] + 50 && low[2] > low[0] + 50);
}
