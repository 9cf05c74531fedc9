// Pictures of worlds and scenes: outlines at their geometric positions, fields, constraints and loads, settings of a scene,
// sizes, refusals, memory.
#include "picture_help.h"

TEST(outline_of_a_bar_is_at_its_geometric_position) {
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
        // a gradient along the bar is visible between its left and right
        const unsigned char *left = rgb + 3 * (60 * 160 + 45), *right = rgb + 3 * (60 * 160 + 115);
        CHECK(abs(left[0] - right[0]) + abs(left[1] - right[1]) + abs(left[2] - right[2]) > 30);
        free(rgb);
    }
    unlink(path);
    free_world(&w);
    sp_context_destroy(&w.ctx);
}

// at rest the stress is a rounding error, of another size in each element
TEST(rounding_errors_have_one_colour) {
    world_of_one w = {.ctx = new_context(1)};
    static unsigned char rgb[3 * 160 * 120];
    REQUIRE(make_world(&w));
    sp_picture_def def = front_view();
    def.color_by = "von-mises", def.plain = true;
    CHECK_INT(sp_picture_draw(w.world, NULL, &def, rgb), SP_OK);
    const unsigned char *middle = rgb + 3 * (60 * 160 + 80);
    CHECK(!is_background(middle));
    for (int x = 45; x < 116; x++)  // the lit front face: equal up to the fall-off of the light
        for (int i = 0; i < 3; i++) CHECK(abs(rgb[3 * (60 * 160 + x) + i] - middle[i]) <= 6);
    free_world(&w);
    sp_context_destroy(&w.ctx);
}

// area of the faces that a clipping plane adds, and the largest distance of their corners from it
static double cap_area(world_of_one *w, const sp_picture_def *def, double *off_plane) {
    sp_drawing d = {0};
    double area = 0;
    const sp_snapshot *snapshot = sp_world_snapshot_acquire(w->world);
    CHECK(snapshot && sp__picture_collect(w->ctx, w->world, snapshot, NULL, def, &d) == SP_OK);
    *off_plane = 0;
    for (int f = 0; f < d.soup.face_count; f++) {
        const double *x[3];
        double e[3], g[3], n[3];
        if (d.soup.drawables[d.soup.drawable_of[f]].clipped) continue;
        for (int k = 0; k < 3; k++) {
            x[k] = d.soup.x + 3 * (size_t)d.soup.faces[3 * f + k];
            *off_plane = fmax(*off_plane, fabs(sp__clip_distance(&d, x[k])));
        }
        sp__sub3(x[1], x[0], e), sp__sub3(x[2], x[0], g), sp__cross3(e, g, n);
        CHECK(sp__dot3(n, d.clip_normal) >= 0);  // faces the side that is cut off
        area += 0.5 * sp__norm3(n);
    }
    sp__soup_free(w->ctx, &d.soup);
    sp_world_snapshot_release(w->world, snapshot);
    return area;
}

// cross sections of a bar 2 x 1 x 1 about the origin
TEST(caps_are_the_cross_section) {
    world_of_one w = {.ctx = new_context(1)};
    const struct {
        double point[3], normal[3], area;
    } cuts[] = {
        {{NAN, NAN, NAN}, {0, 0, 1}, 2},           // through the centre, along the bar
        {{0.3, 0, 0}, {5, 0, 0}, 1},               // across it; normals have any length
        {{0.3, 0.1, 0}, {1, 1, 0}, sqrt(2)},       // across it at 45 degrees
        {{-0.9, 0, 0}, {1, 0, 1}, 0.6 * sqrt(2)},  // over an edge, from (-1, 0.1) to (-0.4, -0.5) in x and z
        {{3, 0, 0}, {1, 0, 0}, 0},                 // beyond its end
    };
    REQUIRE(make_world(&w) && sp_world_publish(w.world) >= 0);
    for (size_t i = 0; i < sizeof cuts / sizeof *cuts; i++)
        for (int by_field = 0; by_field < 2; by_field++) {
            sp_picture_def def = front_view();
            double off_plane;
            def.clip = true, def.color_by = by_field ? "von-mises" : NULL;
            memcpy(def.clip_point, cuts[i].point, sizeof def.clip_point);
            memcpy(def.clip_normal, cuts[i].normal, sizeof def.clip_normal);
            CHECK_NEAR(cap_area(&w, &def, &off_plane), cuts[i].area, 1e-12);  // rounding of coordinates of about one
            CHECK(off_plane < 1e-12);
        }
    free_world(&w);
    sp_context_destroy(&w.ctx);
}

// Values inside are interpolated along the cut edges: a linear field is exact on the cap, regions are those of the elements.
TEST(a_section_has_the_values_of_the_field) {
    world_of_one w = {.ctx = new_context(1)};
    REQUIRE(make_world(&w));
    sp_section *s = NULL;
    sp_section_faces f;
    sp_field_info nodes;
    sp_body_id body = sp_world_body_named(w.world, "bar");
    REQUIRE(sp_section_create(w.world, body, &s) == SP_OK);
    // stretched: the displacement of a node is half its coordinate
    REQUIRE(sp_world_field_info(w.world, body, "position", &nodes) == SP_OK);
    double *x = calloc(3 * (size_t)nodes.count, sizeof *x);
    REQUIRE(sp_world_field(w.world, body, "position", x) == SP_OK);
    for (int i = 0; i < nodes.count; i++) x[3 * i] *= 1.5;
    REQUIRE(sp_world_set_state(w.world, body, x, NULL) == SP_OK);
    REQUIRE(sp_section_update(s, "displacement") == SP_OK);
    REQUIRE(sp_section_cut(s, (double[3]){0.3, 0, 0}, (double[3]){1, 0.5, 0}, &f) == SP_OK);
    CHECK(f.face_count > 0 && f.values);
    for (int v = 0; v < f.vertex_count; v++) {
        // the boundary of the two halves is a layer of nodes
        CHECK_NEAR(f.values[v], fabs(f.positions[3 * v]) / 3, 1e-12);
        CHECK(fabs(f.positions[3 * v]) < 1e-9 || f.regions[v] == (f.positions[3 * v] > 0 ? 1 : 0));
    }
    REQUIRE(sp_section_update(s, NULL) == SP_OK && sp_section_cut(s, (double[3]){0}, (double[3]){0, 0, 1}, &f) == SP_OK);
    CHECK(!f.values && f.face_count > 0);
    CHECK_INT(sp_section_update(s, "taste"), SP_BAD_INPUT);
    CHECK_INT(sp_section_cut(s, (double[3]){0, NAN, 0}, (double[3]){0, 0, 1}, &f), SP_BAD_INPUT);
    CHECK(strstr(sp_context_error(w.ctx)->message, "point[1]") && f.face_count == 0);
    CHECK_INT(sp_section_cut(s, (double[3]){0}, (double[3]){0}, &f), SP_BAD_INPUT);
    CHECK(strstr(sp_context_error(w.ctx)->message, "normal = 0 0 0"));
    sp_section_destroy(&s);
    sp_section_destroy(&s);
    free(x);
    free_world(&w);
    sp_context_destroy(&w.ctx);
}

// The bar is cut at its middle, seen from the front: left the stiff cap or the soft one, right nothing.
TEST(what_is_in_front_of_the_plane_is_not_drawn) {
    world_of_one w = {.ctx = new_context(1)};
    static unsigned char whole[3 * 160 * 120], cut[3 * 160 * 120];
    REQUIRE(make_world(&w));
    sp_picture_def def = front_view();
    def.plain = true;
    CHECK_INT(sp_picture_draw(w.world, NULL, &def, whole), SP_OK);
    def.clip = true, def.clip_normal[0] = 1, def.clip_normal[2] = 0;
    CHECK_INT(sp_picture_draw(w.world, NULL, &def, cut), SP_OK);
    CHECK(!is_background(whole + 3 * (60 * 160 + 60)) && !is_background(whole + 3 * (60 * 160 + 100)));
    CHECK(!is_background(cut + 3 * (60 * 160 + 60)) && is_background(cut + 3 * (60 * 160 + 100)));
    def.clip_normal[0] = 0;
    CHECK_INT(sp_picture_draw(w.world, NULL, &def, cut), SP_BAD_INPUT);
    CHECK(strstr(sp_context_error(w.ctx)->message, "clip_normal") || strstr(sp_world_error(w.world)->message, "clip_normal"));
    free_world(&w);
    sp_context_destroy(&w.ctx);
}

// a plain picture is the same without its words: the bar in the middle stays, the title above it goes
TEST(a_plain_picture_has_no_words) {
    world_of_one w = {.ctx = new_context(1)};
    static unsigned char with[3 * 160 * 120], without[3 * 160 * 120];
    REQUIRE(make_world(&w));
    sp_picture_def def = front_view();
    def.title = "bar", def.color_by = "region";
    CHECK_INT(sp_picture_draw(w.world, NULL, &def, with), SP_OK);
    def.plain = true;
    CHECK_INT(sp_picture_draw(w.world, NULL, &def, without), SP_OK);
    int inked = 0, words = 0;
    for (int i = 0; i < 160 * 20; i++) inked += !is_background(with + 3 * i), words += !is_background(without + 3 * i);
    CHECK(inked > 20 && words == 0);
    CHECK(memcmp(with + 3 * 60 * 160, without + 3 * 60 * 160, 3 * 120) == 0);
    free_world(&w);
    sp_context_destroy(&w.ctx);
}

TEST(corners_have_the_field_of_their_nodes) {
    world_of_one w = {.ctx = new_context(1)};
    REQUIRE(make_world(&w));
    for (int i = 0; i < 5; i++) REQUIRE(sp_world_step(w.world, 0.01) >= 0);
    const sp_snapshot *snapshot = sp_world_snapshot_acquire(w.world);
    REQUIRE(snapshot && snapshot->body_count == 1);
    const sp_snapshot_surface *b = &snapshot->bodies[0].surfaces[0];
    double *value = calloc(3 * (size_t)b->face_count, sizeof *value), *u = calloc(3 * 45, sizeof *u),
           *x = calloc(3 * 45, sizeof *x);
    sp_body_id id = sp_world_body_id(w.world, 0);
    REQUIRE(sp_world_surface_corner_field(w.world, id, 0, "displacement", value) >= 0);
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
    REQUIRE(sp_world_surface_corner_field(w.world, id, 0, "region", value) >= 0);
    for (int i = 0; i < 3 * b->face_count; i++) {
        double middle = 0;
        for (int k = 0; k < 3; k++) middle += b->positions[3 * b->faces[i - i % 3 + k]] / 3;
        CHECK_NEAR(value[i], middle > 0 ? 1 : 0, 0);
    }
    // at vertices: numbers of nodes as they are, of regions the greater one
    double *vertex = calloc((size_t)b->vertex_count, sizeof *vertex);
    REQUIRE(vertex && sp_world_surface_field(w.world, id, 0, "displacement", vertex) == SP_OK);
    for (int v = 0; v < b->vertex_count; v++) CHECK_NEAR(vertex[v], sp__norm3(u + 3 * b->nodes[v]), 0);
    REQUIRE(sp_world_surface_field(w.world, id, 0, "region", vertex) == SP_OK);
    for (int v = 0; v < b->vertex_count; v++) CHECK(vertex[v] == 0 || vertex[v] == 1);
    for (int i = 0; i < 3 * b->face_count; i++) CHECK(vertex[b->faces[i]] >= value[i]);
    CHECK_INT(sp_world_surface_field(w.world, id, 1, "region", vertex), SP_BAD_INPUT);
    CHECK_INT(sp_world_surface_field(w.world, id, 0, "taste", vertex), SP_BAD_INPUT);
    free(vertex);
    // what was put on it: 50 N down at one node, neither gravity nor what holds it
    CHECK_INT(sp_world_field(w.world, id, "load", u), SP_OK);
    for (int i = 0; i < 3 * 45; i++) CHECK_NEAR(u[i], i == 3 * 44 + 1 ? -50 : 0, 0);
    sp_soup soup = {0};
    CHECK_INT(sp__field_held(w.ctx, w.world, &snapshot->bodies[0], &soup), SP_OK);
    CHECK_INT(soup.marker_count, 9);
    for (int m = 0; m < soup.marker_count; m++) CHECK(soup.markers[3 * m] < -0.99);
    // one force at one node: one arrow, onto the node since it pushes inwards from above
    CHECK_INT(sp__field_loads(w.ctx, w.world, &snapshot->bodies[0], 2.5, &soup), SP_OK);
    CHECK_INT(soup.arrow_count, 1);
    CHECK(soup.arrow_count == 1 && soup.arrows[0].from[1] > soup.arrows[0].to[1] + 0.3);
    for (int i = 0; i < 3 && soup.arrow_count; i++) CHECK_NEAR(soup.arrows[0].to[i], x[3 * 44 + i], 1e-12);
    sp__soup_free(w.ctx, &soup);
    free(value), free(u), free(x);
    sp_world_snapshot_release(w.world, snapshot);
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
    def.at[1] = -4;  // under the floor: the floor is not drawn, the bar is
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

// faces of the picture of a scene that its clipping plane cuts, and faces that it does not: other bodies, and caps
static void count_clipped(const char *clip, int *cut, int *uncut) {
    char text[600];
    snprintf(text, sizeof text,
             "<scene><solid name='a'><box size='1 1 1' cells='2 2 2'/></solid>"
             "<solid name='b' translate='3 0 0'><box size='1 1 1' cells='2 2 2'/></solid>%s</scene>",
             clip);
    sp_context *ctx = new_context(1);
    sp_scene *scene = NULL;
    sp_run *run = NULL;
    sp_drawing d = {0};
    sp_run_options o = sp_run_options_default();
    o.endless = true;
    REQUIRE(sp_scene_parse(ctx, text, strlen(text), "clip.xml", NULL, &scene) >= 0 && sp_run_create(scene, &o, &run) >= 0);
    REQUIRE(sp_world_publish(sp_run_world(run)) >= 0);
    sp_picture_def def = sp_run_picture(run);
    const sp_snapshot *snapshot = sp_world_snapshot_acquire(sp_run_world(run));
    REQUIRE(snapshot && sp__picture_collect(ctx, sp_run_world(run), snapshot, run, &def, &d) == SP_OK);
    *cut = *uncut = 0;
    for (int f = 0; f < d.soup.face_count; f++) ++*(d.soup.drawables[d.soup.drawable_of[f]].clipped ? cut : uncut);
    sp__soup_free(ctx, &d.soup);
    sp_world_snapshot_release(sp_run_world(run), snapshot);
    sp_run_destroy(&run);
    sp_scene_destroy(&scene);
    sp_context_destroy(&ctx);
}

TEST(a_scene_has_a_clipping_plane) {
    int cut, uncut;
    count_clipped("", &cut, &uncut);
    CHECK(cut == 0 && uncut == 96);
    count_clipped("<clip normal='0 1 0' cap='no'/>", &cut, &uncut);
    CHECK(cut == 96 && uncut == 0);
    count_clipped("<clip normal='0 1 0' of='b' cap='no'/>", &cut, &uncut);
    CHECK(cut == 48 && uncut == 48);
    // through the tetrahedra, not along their faces
    count_clipped("<clip point='0 0.3 0' normal='0 1 0' of='b'/>", &cut, &uncut);
    CHECK(cut == 48 && uncut > 48);
}

TEST(the_point_of_a_clipping_plane_varies_in_time) {
    static const char text[] = "<scene dt='0.5'><solid name='a'><box size='1 1 1' cells='1 1 1'/></solid>"
                               "<clip point='{1 - 2*t} 0 0' normal='1 0 0'/></scene>";
    sp_context *ctx = new_context(1);
    sp_scene *scene = NULL;
    sp_run *run = NULL;
    sp_run_options o = sp_run_options_default();
    o.endless = true;
    REQUIRE(sp_scene_parse(ctx, text, sizeof text - 1, "clip.xml", NULL, &scene) >= 0 && sp_run_create(scene, &o, &run) >= 0);
    sp_picture_def def = sp_run_picture(run);
    CHECK(def.clip && def.clip_point[0] == 1 && def.clip_point[1] == 0);
    REQUIRE(sp_run_step(run) >= 0);
    CHECK_NEAR(sp_run_picture(run).clip_point[0], 0, 1e-15);
    sp_run_picture_set_time(run, 2, &def);
    CHECK_NEAR(def.clip_point[0], -3, 1e-15);
    sp_run_destroy(&run);
    sp_scene_destroy(&scene);
    sp_context_destroy(&ctx);
}

// A cube 2 x 2 x 2 with a cube 1 x 1 x 1 inside, whose surface is drawn opaque in a transparent one, also behind a clipping
// plane.
TEST(interfaces_are_drawn_inside_transparent_bodies) {
    static const char text[] = "<scene><solid name='a' young='1e4'><box size='2 2 2' cells='4 4 4'/>"
                               "<region name='core' box='0.5 0.5 0.5  1.5 1.5 1.5' young='1e5'/></solid>"
                               "<clip point='0 0 1.75' normal='0 0 1'/><view show='visual interfaces'/></scene>";
    sp_context *ctx = new_context(1);
    sp_scene *scene = NULL;
    sp_run *run = NULL;
    sp_drawing d = {0};
    sp_run_options o = sp_run_options_default();
    sp_run_look look;
    o.endless = true;
    REQUIRE(sp_scene_parse(ctx, text, sizeof text - 1, "core.xml", NULL, &scene) >= 0 && sp_run_create(scene, &o, &run) >= 0);
    REQUIRE(sp_world_publish(sp_run_world(run)) >= 0);
    sp_picture_def def = sp_run_picture(run);
    CHECK(def.interfaces);
    const sp_snapshot *snapshot = sp_world_snapshot_acquire(sp_run_world(run));
    REQUIRE(snapshot && sp__picture_collect(ctx, sp_run_world(run), snapshot, run, &def, &d) == SP_OK);
    CHECK(strcmp(snapshot->bodies[0].surfaces[1].name, "region core") == 0);
    double area[2] = {0};  // of transparent faces, of opaque ones
    for (int f = 0; f < d.soup.face_count; f++) {
        const double *x = d.soup.x;
        const uint32_t *c = d.soup.faces + 3 * f;
        double e[3], g[3], n[3];
        sp__sub3(x + 3 * c[1], x + 3 * c[0], e), sp__sub3(x + 3 * c[2], x + 3 * c[0], g), sp__cross3(e, g, n);
        area[d.soup.drawables[d.soup.drawable_of[f]].opacity == 1] += 0.5 * sp__norm3(n);
    }
    // 6 sides of 4 and a cap of 4, which does not cut the core
    CHECK_NEAR(area[0], 28, 1e-6);  // positions of a snapshot are floats
    CHECK_NEAR(area[1], 6, 1e-6);
    CHECK(sp_run_look_of(run, snapshot->bodies[0].id, 1, &look) && look.color[0] == 0.90 && look.opacity == 1);
    sp__soup_free(ctx, &d.soup);
    sp_world_snapshot_release(sp_run_world(run), snapshot);
    sp_run_destroy(&run);
    sp_scene_destroy(&scene);
    sp_context_destroy(&ctx);
}

TEST(scene_sets_camera_view_appearance_and_lights) {
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
    const sp_snapshot *snapshot = sp_world_snapshot_acquire(sp_run_world(run));
    REQUIRE(snapshot);
    CHECK_INT(sp__picture_collect(ctx, sp_run_world(run), snapshot, run, &def, &d), SP_OK);
    sp__picture_camera(&def, &d);
    CHECK_INT(d.soup.face_count, 48);
    CHECK_INT(d.soup.marker_count, 9);
    CHECK_INT(d.soup.drawable_count, 1);
    CHECK(d.soup.drawables[0].opacity == 0.5 && d.soup.drawables[0].edges && d.soup.drawables[0].by_field);
    CHECK(d.legend.low == 0 && d.legend.high == 2);
    // without `to` the camera looks at the middle of the visible bodies
    double p[3];
    REQUIRE(sp__eye_project(&d.camera, d.centre, p));
    CHECK_NEAR(p[0], 32 * SP_SAMPLES, 1e-9);  // rounding of a sum over a few hundred samples
    CHECK_INT(sp__picture_lights(run, &d, d.lights, SP_LIGHTS_MAX), 2);
    CHECK(d.lights[0].type == SP_LIGHT_SPOT && d.lights[0].shadow && d.lights[0].aim[2] == -1 && d.lights[0].color[0] == 2);
    CHECK(d.lights[1].type == SP_LIGHT_AMBIENT && d.lights[1].color[0] == 1 && d.lights[1].color[1] == 0);
    sp__soup_free(ctx, &d.soup);
    sp_world_snapshot_release(sp_run_world(run), snapshot);
    char path[40];
    temporary(path);
    CHECK_INT(sp_picture_write(sp_run_world(run), run, NULL, path), SP_OK);
    unlink(path);
    sp_run_destroy(&run);
    sp_scene_destroy(&scene);
    sp_context_destroy(&ctx);
}

TEST(invalid_settings_are_refused) {
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
    def = front_view(), def.range[0] = 2, def.range[1] = 1;
    CHECK_INT(sp_picture_write(w.world, NULL, &def, "/tmp/never.png"), SP_BAD_INPUT);
    def = front_view(), def.elevation = 91;
    CHECK_INT(sp_picture_write(w.world, NULL, &def, "/tmp/never.png"), SP_BAD_INPUT);
    sp_picture_opacity wrong = {.body = "barr", .opacity = 0.5};
    def = front_view(), def.opacities = &wrong, def.opacity_count = 1;
    CHECK_INT(sp_picture_write(w.world, NULL, &def, "/tmp/never.png"), SP_BAD_INPUT);
    CHECK(strstr(sp_context_error(w.ctx)->message, "barr"));
    wrong.body = NULL, wrong.opacity = 2;
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

// ---------------------------------------------------------------------------------------------------- embedded surfaces

// the bar's boundary as a separate surface, red and half transparent, in a role; vertices coincide with nodes
static bool add_drawable(world_of_one *w, unsigned roles) {
    sp_trimesh *boundary = NULL, *drawable = NULL;
    sp_trimesh_def t;
    bool ok = sp_mesh_boundary(w->mesh, &boundary) >= 0;
    double *colors = NULL;
    if (ok) {
        sp_trimesh_get(boundary, &t);
        colors = calloc(4 * (size_t)t.vertex_count, sizeof *colors);
        for (int v = 0; v < t.vertex_count; v++) colors[4 * v] = 1, colors[4 * v + 3] = 0.5;
        t.colors = colors;
        ok = sp_trimesh_create(w->ctx, &t, &drawable) >= 0;
    }
    sp_surface_def def = sp_surface_def_default();
    def.name = "skin", def.mesh = drawable, def.roles = roles;
    ok = ok && sp_world_add_surface(w->world, sp_world_body_id(w->world, 0), &def, NULL) >= 0;
    free(colors);
    sp_trimesh_destroy(&drawable), sp_trimesh_destroy(&boundary);
    return ok;
}

static sp_status collect(world_of_one *w, const sp_picture_def *def, sp_drawing *d) {
    *d = (sp_drawing){.width = 64, .height = 48};
    if (sp_world_publish(w->world) < 0) return SP_NO_MEMORY;
    const sp_snapshot *snapshot = sp_world_snapshot_acquire(w->world);
    if (!snapshot) return SP_NO_MEMORY;
    sp_status status = sp__picture_collect(w->ctx, w->world, snapshot, NULL, def, d);
    sp_world_snapshot_release(w->world, snapshot);
    return status;
}

// a count that is zero everywhere: the ticks of its bar are different numbers
TEST(a_field_of_zeros_has_a_range) {
    world_of_one w = {.ctx = new_context(1)};
    sp_picture_def def = sp_picture_def_default();
    sp_drawing d;
    REQUIRE(make_world(&w));
    def.color_by = "refresh";
    REQUIRE(collect(&w, &def, &d) >= 0);
    CHECK(d.legend.low == 0 && d.legend.high == 1);
    sp__soup_free(w.ctx, &d.soup);
    free_world(&w);
    sp_context_destroy(&w.ctx);
}

TEST(embedded_surfaces_have_colours_and_fields) {
    world_of_one w = {.ctx = new_context(1)};
    sp_picture_def def = sp_picture_def_default();
    sp_drawing d;
    REQUIRE(make_world(&w) && add_drawable(&w, SP_ROLE_VISUAL));
    for (int i = 0; i < 5; i++) REQUIRE(sp_world_step(w.world, 0.01) >= 0);
    REQUIRE(collect(&w, &def, &d) >= 0);
    CHECK_INT(d.soup.drawable_count, 1);
    CHECK(d.soup.drawables[0].by_vertex && d.soup.colors && d.soup.colors[0] == 1 && d.soup.colors[1] == 0 &&
          d.soup.colors[3] == 0.5f);
    sp__soup_free(w.ctx, &d.soup);
    def.color_by = "displacement";
    REQUIRE(collect(&w, &def, &d) >= 0);
    CHECK(d.soup.drawables[0].by_field && !d.soup.drawables[0].by_vertex && d.legend.high > 0);
    double u[3 * 45], x[3 * 45];
    sp_body_id id = sp_world_body_id(w.world, 0);
    REQUIRE(sp_world_field(w.world, id, "displacement", u) >= 0 && sp_world_field(w.world, id, "position", x) >= 0);
    for (int i = 0; i < 3 * d.soup.face_count; i++) {
        const double *p = d.soup.x + 3 * d.soup.faces[i];
        for (int n = 0; n < 45; n++)
            if (fabs(x[3 * n] - p[0]) + fabs(x[3 * n + 1] - p[1]) + fabs(x[3 * n + 2] - p[2]) < 1e-5)
                CHECK_NEAR(d.soup.scalar[i], sp__norm3(u + 3 * n), 1e-9);  // weights of 1 and 0 to rounding, lengths of 1e-2
    }
    sp__soup_free(w.ctx, &d.soup);
    free_world(&w);
    sp_context_destroy(&w.ctx);
}

TEST(with_a_collision_surface_the_boundary_stays_visible) {
    world_of_one w = {.ctx = new_context(1)};
    sp_picture_def def = sp_picture_def_default();
    sp_drawing d;
    REQUIRE(make_world(&w) && add_drawable(&w, SP_ROLE_COLLISION));
    REQUIRE(collect(&w, &def, &d) >= 0);
    CHECK_INT(d.soup.face_count, sp_mesh_face_count(w.mesh));
    CHECK(!d.soup.drawables[0].by_vertex && d.soup.drawables[0].opacity == 1);
    sp__soup_free(w.ctx, &d.soup);
    free_world(&w);
    sp_context_destroy(&w.ctx);
}

// ---------------------------------------------------------------------------------------------------- series

TEST(extent_of_a_series_grows) {
    world_of_one w = {.ctx = new_context(1)};
    sp_picture_extent e = sp_picture_extent_default();
    sp_picture_def def = front_view();
    def.color_by = "displacement";
    REQUIRE(make_world(&w));
    CHECK_INT(sp_picture_measure(w.world, NULL, &def, &e), SP_OK);
    CHECK(e.low[0] == -1 && e.high[0] == 1 && e.least == 0 && e.greatest == 0);
    for (int i = 0; i < 5; i++) REQUIRE(sp_world_step(w.world, 0.01) >= 0);
    CHECK_INT(sp_picture_measure(w.world, NULL, &def, &e), SP_OK);
    CHECK(e.low[1] < -0.5 && e.high[1] >= 0.5 && e.greatest > 0);
    // with a range beyond the values, nothing is as red as the end of the scale
    unsigned char *one = calloc(160 * 120, 3), *other = calloc(160 * 120, 3);
    CHECK_INT(sp_picture_draw(w.world, NULL, &def, one), SP_OK);
    e.greatest *= 100, def.extent = &e;
    CHECK_INT(sp_picture_draw(w.world, NULL, &def, other), SP_OK);
    const unsigned char *tip = one + 3 * (65 * 160 + 120), *pale = other + 3 * (65 * 160 + 120);
    CHECK(tip[0] > tip[2] && pale[2] > pale[0]);
    free(one), free(other);
    free_world(&w);
    sp_context_destroy(&w.ctx);
}

TEST(any_size_is_drawn) {
    static const int sizes[4][2] = {{16, 16}, {17, 31}, {16384, 16}, {16, 16384}};
    world_of_one w = {.ctx = new_context(1)};
    REQUIRE(make_world(&w));
    for (int i = 0; i < 4; i++) {
        sp_picture_def def = sp_picture_def_default();
        def.width = sizes[i][0], def.height = sizes[i][1], def.note = "";
        unsigned char *rgb = calloc((size_t)def.width * (size_t)def.height, 3);
        CHECK_INT(sp_picture_draw(w.world, NULL, &def, rgb), SP_OK);
        CHECK(count_ink(rgb, def.width, def.height) > 3);
        free(rgb);
        def.width = i % 2 ? 15 : 16385;
        CHECK_INT(sp_picture_draw(w.world, NULL, &def, NULL), SP_BAD_INPUT);
    }
    free_world(&w);
    sp_context_destroy(&w.ctx);
}

// ---------------------------------------------------------------------------------------------------- views of a scene

// draws a scene and counts the pixels that are clearly red: arrows
static int red_pixels(const char *show) {
    char text[800];
    snprintf(text, sizeof text,
             "<scene name='pushed' gravity='0 0 0' dt='0.01'>\n"
             "  <solid name='bar' look='grey'><box size='1 0.4 0.4' cells='5 2 2'/><fix plane='0 0 0 -1 0 0' within='0.01'/>\n"
             "    <load plane='1 0 0 1 0 0' within='0.01' force='0 -10 0'/><load plane='0 0.4 0 0 1 0' within='0.01' "
             "pressure='100'/><pull near='1 0.4 0.4' to='1.4 0.4 0.4' stiffness='50'/></solid>\n"
             "  <look name='grey' color='0.6 0.6 0.6'/><view show='%s'/>\n"
             "</scene>\n",
             show);
    sp_context *ctx = new_context(1);
    sp_scene *scene = NULL;
    sp_run *run = NULL;
    sp_run_options o = sp_run_options_default();
    o.endless = true;
    int n = -1;
    unsigned char *rgb = calloc(320 * 240, 3);
    if (sp_scene_parse(ctx, text, strlen(text), "pushed.xml", NULL, &scene) >= 0 && sp_run_create(scene, &o, &run) >= 0) {
        sp_picture_def def = sp_run_picture(run);
        def.width = 320, def.height = 240;
        n = sp_picture_draw(sp_run_world(run), run, &def, rgb) < 0 ? -1 : 0;
        for (int i = 0; i < 320 * 240 && n >= 0; i++) n += rgb[3 * i] > rgb[3 * i + 1] + 60;
    }
    free(rgb);
    sp_run_destroy(&run);
    sp_scene_destroy(&scene);
    sp_context_destroy(&ctx);
    return n;
}

TEST(loads_are_drawn_on_request) {
    CHECK_INT(red_pixels("visual"), 0);
    CHECK_INT(red_pixels("visual fixed"), 0);
    CHECK(red_pixels("visual fixed loads") > 150);
    CHECK(red_pixels("mechanical loads") > 150);
}

// A ball hangs by a spring in front of nothing: a line of 0.2 m between the two, seen from the side.
TEST(links_are_drawn_on_request) {
    const char *text = "<scene gravity='0 0 0'><rigid name='beam'><box size='0.2 0.1 0.2' translate='-0.1 0.2 -0.1'/></rigid>"
                       "<solid name='ball' translate='-0.05 -0.1 -0.05'><box size='0.1 0.1 0.1' cells='1 1 1'/></solid>"
                       "<attach name='s' type='spring' a='ball' b='beam' stiffness='1' within='0.3'/>"
                       "<camera at='0 0.1 1' to='0 0.1 0'/><view show='visual links'/></scene>";
    sp_context *ctx = new_context(1);
    sp_scene *scene = NULL;
    sp_run *run = NULL;
    sp_run_options o = sp_run_options_default();
    static unsigned char rgb[2][3 * 160 * 120];
    o.endless = true;
    REQUIRE(sp_scene_parse(ctx, text, strlen(text), "linked.xml", NULL, &scene) >= 0 && sp_run_create(scene, &o, &run) >= 0);
    sp_world *w = sp_run_world(run);
    // the ball falls by 0.2 m
    double x[3 * 8];
    sp_body_id ball = sp_world_body_named(w, "ball");
    CHECK_INT(sp_world_field(w, ball, "position", x), SP_OK);
    for (int i = 0; i < 8; i++) x[3 * i + 1] -= 0.2;
    CHECK_INT(sp_world_set_state(w, ball, x, NULL), SP_OK);
    CHECK_INT(sp_world_publish(w), SP_OK);
    sp_picture_def def = sp_run_picture(run);
    CHECK(def.links);
    def.width = 160, def.height = 120, def.plain = true;
    for (int i = 0; i < 2; i++) {
        def.links = i == 1;
        CHECK_INT(sp_picture_draw(w, run, &def, rgb[i]), SP_OK);
    }
    // rows of the picture with a pixel that the lines changed: 0.2 of 0.73 m
    int rows = 0;
    for (int y = 0; y < 120; y++) rows += memcmp(rgb[0] + 3 * 160 * y, rgb[1] + 3 * 160 * y, 3 * 160) != 0;
    CHECK(rows > 28 && rows < 60);
    sp_run_destroy(&run);
    sp_scene_destroy(&scene);
    sp_context_destroy(&ctx);
}

// ---------------------------------------------------------------------------------------------------- memory

static long allowed;  // allocations until one is refused; negative: no limit

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

typedef struct memory_story {
    world_of_one w;
    sp_picture_def def;
    unsigned char rgb[3 * 40 * 30];
    char path[40];
} memory_story;

static sp_status draw_it(memory_story *m) {
    return sp_picture_draw(m->w.world, NULL, &m->def, m->rgb);
}

static sp_status save_it(memory_story *m) {
    return sp_picture_save(m->w.ctx, m->rgb, m->def.width, m->def.height, m->path);
}

static sp_status write_it(memory_story *m) {
    return sp_picture_write(m->w.world, NULL, &m->def, m->path);
}

// only n allocations are granted
static sp_status with_little(memory_story *m, sp_status (*call)(memory_story *), int n) {
    size_t before, after;
    sp_context_memory(m->w.ctx, &before, NULL);
    allowed = n;
    sp_status status = call(m);
    allowed = -1;
    sp_context_memory(m->w.ctx, &after, NULL);
    CHECK_INT(after, before);
    // libpng reports a refused allocation in its compressor as its own error
    return status == SP_IO ? SP_NO_MEMORY : status;
}

// returns the number of allocations of a call that succeeds
static int every_allocation_of(memory_story *m, sp_status (*call)(memory_story *)) {
    int n = 0;
    sp_status status = with_little(m, call, 0);
    while (status == SP_NO_MEMORY && n < 500) status = with_little(m, call, ++n);
    CHECK_INT(status, SP_OK);
    return n;
}

// drawing and saving are scanned separately: saving would draw the picture again for each of its allocations
TEST(every_allocation_may_fail) {
    sp_context_def cd = sp_context_def_default();
    static memory_story m;
    cd.alloc = limited_alloc, cd.free = limited_free, cd.workers = 1;
    allowed = -1;
    REQUIRE(sp_context_create(&cd, &m.w.ctx) >= 0 && make_world(&m.w) && sp_world_step(m.w.world, 0.01) >= 0);
    temporary(m.path);
    m.def = front_view();
    m.def.width = 40, m.def.height = 30, m.def.color_by = "von-mises";
    int draws = every_allocation_of(&m, draw_it), saves = every_allocation_of(&m, save_it);
    CHECK(draws > 15 && saves > 2);
    // both in one call: the memory of the pixels, the first and the last allocation of drawing and of saving
    const int refused[] = {0, 1, draws, draws + 1, draws + saves};
    for (size_t i = 0; i < sizeof refused / sizeof *refused; i++) CHECK_INT(with_little(&m, write_it, refused[i]), SP_NO_MEMORY);
    CHECK_INT(with_little(&m, write_it, 1 + draws + saves), SP_OK);
    unlink(m.path);
    free_world(&m.w);
    sp_context_destroy(&m.w.ctx);
}
