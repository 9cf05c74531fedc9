// Pictures of rods: thin ones without gaps, stripes that show twist, both sides of a ribbon, fields along the centreline,
// constraints, memory.
#include "meter.h"
#include "picture_help.h"

enum { WIDTH = 160, HEIGHT = 120 };

typedef struct rod_picture {
    sp_context *ctx;
    sp_world *world;
    sp_rod_def def;
    sp_rod_strand strand;
    sp_rod_section section;
    double curvature[3 * 9];
    unsigned char rgb[3 * WIDTH * HEIGHT];
} rod_picture;

// a straight rod of 2 m along x about the origin, twisted by `twist` over its length
static void describe(rod_picture *p, double width, double thickness, double twist) {
    p->def = sp_rod_def_default();
    p->section = sp_rod_section_default();
    p->section.axes[0] = width, p->section.axes[1] = thickness;
    p->strand = (sp_rod_strand){.length = 2, .elements = 4, .root = sp_pose_identity(), .curvature = p->curvature};
    p->strand.root.translate[0] = -1;
    for (int i = 0; i < 5; i++) p->curvature[3 * i] = twist / 2;
    p->def.name = "rod", p->def.strands = &p->strand, p->def.strand_count = 1;
    p->def.sections = &p->section, p->def.section_count = 1;
}

static bool make_rod_world(rod_picture *p) {
    sp_world_def def = sp_world_def_default();
    memset(def.gravity, 0, sizeof def.gravity);
    return sp_world_create(p->ctx, &def, &p->world) >= 0 && sp_world_add_rod(p->world, &p->def, NULL) >= 0;
}

// from the front, from 4 m away: 60 pixels are tan(20 degrees)
static sp_picture_def rod_view(void) {
    sp_picture_def def = sp_picture_def_default();
    def.width = WIDTH, def.height = HEIGHT, def.fitted = false;
    def.at[2] = 4, def.note = "";
    return def;
}

static bool draw(rod_picture *p, const sp_picture_def *def) {
    return sp_picture_draw(p->world, NULL, def, p->rgb) >= 0;
}

static void free_rod(rod_picture *p) {
    sp_world_destroy(&p->world);
    sp_context_destroy(&p->ctx);
}

static const unsigned char *pixel(const rod_picture *p, int x, int y) {
    return p->rgb + 3 * (y * WIDTH + x);
}

static int brightness(const unsigned char *c) {
    return c[0] + c[1] + c[2];
}

// ---------------------------------------------------------------------------------------------------- width

TEST(a_hair_has_no_gaps) {
    // 41 pixels per metre: 1/500 of a pixel thick
    static const double slant[3] = {0, 0.35, 1.1};
    for (int i = 0; i < 3; i++) {
        rod_picture p = {.ctx = new_context(1)};
        describe(&p, 2.4e-5, 2.4e-5, 0);
        sp__quat_axis((double[3]){0, 0, 1}, slant[i], p.strand.root.quat);
        p.strand.root.translate[0] = -cos(slant[i]), p.strand.root.translate[1] = -sin(slant[i]);
        REQUIRE(make_rod_world(&p));
        sp_picture_def def = rod_view();
        REQUIRE(draw(&p, &def));
        // every column, or row, between the ends is covered, by a few pixels and with varying coverage
        bool flat = slant[i] < 0.8;
        int half = (int)(41 * (flat ? cos(slant[i]) : sin(slant[i]))) - 2, middle = flat ? WIDTH / 2 : HEIGHT / 2;
        for (int k = middle - half; k <= middle + half; k++) {
            double ink = 0;
            for (int m = 0; m < (flat ? HEIGHT : WIDTH); m++) {
                const unsigned char *c = flat ? pixel(&p, k, m) : pixel(&p, m, k);
                ink += is_background(c) ? 0 : (765 - brightness(c)) / 765.0;
            }
            CHECK(ink > 0.2 && ink < 3);
        }
        free_rod(&p);
    }
}

TEST(a_thick_rod_has_its_width) {
    rod_picture p = {.ctx = new_context(1)};
    describe(&p, 0.2, 0.2, 0);
    REQUIRE(make_rod_world(&p));
    sp_picture_def def = rod_view();
    REQUIRE(draw(&p, &def));
    // the silhouette of a cylinder of radius r at distance d: f r / sqrt(d^2 - r^2); half a pixel for the polygon and its edge
    double half = 60 / tan(20 * PI / 180) * 0.2 / sqrt(16 - 0.04);
    int ink = 0;
    for (int y = 0; y < HEIGHT; y++) ink += !is_background(pixel(&p, WIDTH / 2, y));
    CHECK_NEAR(ink, 2 * half, 2);
    free_rod(&p);
}

// a ball of 0.3 m radius at the middle of the rod: dark, round, and as wide as its silhouette
TEST(a_point_mass_is_a_ball_of_steel) {
    rod_picture p = {.ctx = new_context(1)};
    const sp_anchor middle = {.elem = 2};
    sp_mass_def mass = {.at = &middle, .count = 1, .value = sp_signal_constant(7850 * 4 * PI / 3 * 0.3 * 0.3 * 0.3)};
    describe(&p, 0.05, 0.05, 0);
    p.def.masses = &mass, p.def.mass_count = 1;
    REQUIRE(make_rod_world(&p));
    sp_picture_def def = rod_view();
    REQUIRE(draw(&p, &def));
    double half = 60 / tan(20 * PI / 180) * 0.3 / sqrt(16 - 0.09);
    int across = 0, down = 0;
    for (int y = 0; y < HEIGHT; y++) down += !is_background(pixel(&p, WIDTH / 2, y));
    for (int x = 0; x < WIDTH; x++) across += !is_background(pixel(&p, x, HEIGHT / 2 + 6));  // below the rod
    CHECK_NEAR(down, 2 * half, 2);
    CHECK_NEAR(across, 2 * sqrt(half * half - 36), 2);
    CHECK(brightness(pixel(&p, WIDTH / 2, HEIGHT / 2 + 6)) < 400);
    free_rod(&p);
}

TEST(cross_sections_are_widened_across_the_view_only) {
    sp_context *ctx = new_context(1);
    sp_drawing d = {.width = WIDTH, .height = HEIGHT};
    sp_picture_def def = rod_view();
    double before[3 * 8];
    REQUIRE(make_soup(ctx, &d.soup, 8, 0, 0));
    for (int k = 0; k < 8; k++) {
        double *x = d.soup.x + 3 * k, a = 2 * PI * k / 8;
        x[0] = 0.3, x[1] = 1e-4 * cos(a), x[2] = 1e-4 * sin(a);
    }
    memcpy(before, d.soup.x, sizeof before);
    REQUIRE(sp__soup_vertex_faces(ctx, &d.soup, 0, 8) == SP_OK);
    sp__picture_camera(&def, &d);
    REQUIRE(sp__rings_fit(ctx, &d) == SP_OK);
    double low = 0, high = 0, pixel_size = 4 * tan(20 * PI / 180) / 60;
    for (int k = 0; k < 8; k++) {
        const double *x = d.soup.x + 3 * k;
        low = fmin(low, x[1]), high = fmax(high, x[1]);
        CHECK_NEAR(x[0], 0.3, 1e-12);  // the rod is across the view
        CHECK_NEAR(x[2], before[3 * k + 2], 1e-12);
    }
    CHECK_NEAR(high - low, 1.5 * pixel_size, 1e-9);
    sp__soup_free(ctx, &d.soup);
    sp_context_destroy(&ctx);
}

// ---------------------------------------------------------------------------------------------------- stripes

// number of changes from light to dark and back in the row through the middle of the rod
static int changes(const rod_picture *p) {
    int n = 0, before = brightness(pixel(p, WIDTH / 2 - 40, HEIGHT / 2));
    bool dark = false;
    for (int x = WIDTH / 2 - 40; x <= WIDTH / 2 + 40; x++) {
        int b = brightness(pixel(p, x, HEIGHT / 2));
        before = b > before ? b : before;
        bool now = b < before - 90;
        n += now != dark, dark = now;
    }
    return n;
}

TEST(a_twisted_tube_shows_its_line) {
    for (int turns = 0; turns <= 4; turns += 2) {
        rod_picture p = {.ctx = new_context(1)};
        describe(&p, 0.2, 0.2, 2 * PI * turns);
        // the line points up at the left end and comes to the front `turns` times
        REQUIRE(make_rod_world(&p));
        sp_picture_def def = rod_view();
        REQUIRE(draw(&p, &def));
        CHECK_INT(changes(&p), 2 * turns);
        free_rod(&p);
    }
}

TEST(the_sides_of_a_ribbon_differ) {
    for (int side = 0; side < 2; side++) {
        rod_picture p = {.ctx = new_context(1)};
        describe(&p, 0.3, 0.01, 0);
        // n2 is towards the camera, or away from it
        sp__quat_axis((double[3]){1, 0, 0}, side * PI, p.strand.root.quat);
        REQUIRE(make_rod_world(&p));
        sp_picture_def def = rod_view();
        REQUIRE(draw(&p, &def));
        int seen = brightness(pixel(&p, WIDTH / 2 + 5, HEIGHT / 2));
        CHECK(side == 0 ? seen < 400 : seen > 400);
        free_rod(&p);
    }
}

TEST(stripes_fade_where_they_are_too_fine) {
    double color[3] = {0.4, 0.3, 0.2}, faded[3] = {0.4, 0.3, 0.2}, black[3] = {0.001, 0.001, 0.001};
    sp__stripe_color(1, color), sp__stripe_color(0, faded), sp__stripe_color(1, black);
    CHECK(color[0] < 0.2 && color[1] < 0.15);
    CHECK(faded[0] == 0.4 && faded[1] == 0.3 && faded[2] == 0.2);
    CHECK(black[0] > 0.05);
}

// ---------------------------------------------------------------------------------------------------- fields and markers

TEST(values_between_nodes_are_interpolated_linearly) {
    rod_picture p = {.ctx = new_context(1)};
    describe(&p, 0.1, 0.1, 0);
    p.def.spin[1] = 1, p.def.free_root = true;
    REQUIRE(make_rod_world(&p));
    for (int i = 0; i < 3; i++) REQUIRE(sp_world_step(p.world, 0.01) >= 0);
    const sp_snapshot *snapshot = sp_world_snapshot_acquire(p.world);
    REQUIRE(snapshot && snapshot->bodies[0].surfaces[0].rings);
    const sp_snapshot_surface *b = &snapshot->bodies[0].surfaces[0];
    sp_body_id id = snapshot->bodies[0].id;
    double u[5 * 3], node[5], stress[4], most = 0;
    double *value = calloc(3 * (size_t)b->face_count, sizeof *value), *vertex = calloc((size_t)b->vertex_count, sizeof *vertex);
    REQUIRE(value && vertex && b->rings[b->ring_count - 1].element == 3);
    REQUIRE(sp_world_field(p.world, id, "displacement", u) == SP_OK && sp_world_field(p.world, id, "von-mises", stress) == SP_OK);
    for (int i = 0; i < 5; i++) node[i] = sp__norm3(u + 3 * i), most = fmax(most, node[i]);
    CHECK(most > 0);
    REQUIRE(sp_world_surface_corner_field(p.world, id, 0, "displacement", value) == SP_OK);
    for (int i = 0; i < 3 * b->face_count; i++) {
        const sp_anchor *a = &b->anchors[b->faces[i]];
        CHECK_NEAR(value[i], node[a->elem] + a->at[0] * (node[a->elem + 1] - node[a->elem]), 1e-14 * most);  // roundings
    }
    // a face belongs to the later of its elements where numbers must not be mixed
    REQUIRE(sp_world_surface_corner_field(p.world, id, 0, "region", value) == SP_OK);
    for (int i = 0; i < 3 * b->face_count; i++) CHECK(value[i] == 0);
    // at vertices: the node that a ring is nearest to, or its element
    REQUIRE(sp_world_surface_field(p.world, id, 0, "displacement", vertex) == SP_OK);
    for (int v = 0; v < b->vertex_count; v++) CHECK(vertex[v] == node[b->nodes[v]]);
    REQUIRE(sp_world_surface_field(p.world, id, 0, "von-mises", vertex) == SP_OK);
    for (int v = 0; v < b->vertex_count; v++) CHECK(vertex[v] == stress[b->anchors[v].elem]);
    CHECK_INT(sp_world_surface_field(p.world, id, 0, "coordinates", vertex), SP_BAD_INPUT);
    free(value), free(vertex);
    sp_world_snapshot_release(p.world, snapshot);
    free_rod(&p);
}

TEST(fields_colour_a_rod) {
    static const char *const fields[] = {"displacement", "velocity", "von-mises", "region", "rotation", "refresh"};
    rod_picture p = {.ctx = new_context(1)};
    static unsigned char plain[3 * WIDTH * HEIGHT];
    describe(&p, 0.1, 0.1, 0);
    REQUIRE(make_rod_world(&p));
    sp_picture_def view = rod_view();
    REQUIRE(draw(&p, &view));
    memcpy(plain, p.rgb, sizeof plain);
    for (int i = 0; i < 6; i++) {
        view.color_by = fields[i];
        REQUIRE(draw(&p, &view));
        // a field that rods do not have leaves them unchanged
        bool same = memcmp(pixel(&p, WIDTH / 2, HEIGHT / 2 + 2), plain + 3 * ((HEIGHT / 2 + 2) * WIDTH + WIDTH / 2), 3) == 0;
        CHECK(same == (i >= 4));
    }
    free_rod(&p);
}

// ---------------------------------------------------------------------------------------------------- memory

TEST(every_allocation_may_fail) {
    meter m = {.allowed = 1000000};
    sp_context_def cd = metered_context(&m);
    rod_picture p = {0};
    REQUIRE(sp_context_create(&cd, &p.ctx) == SP_OK);
    describe(&p, 0.1, 0.1, 6);
    p.def.rings = 2, p.def.sides = 5;
    REQUIRE(make_rod_world(&p) && sp_world_publish(p.world) == SP_OK);
    sp_picture_def def = rod_view();
    def.width = 32, def.height = 24, def.color_by = "von-mises";
    long held = m.live, n = 0;
    sp_status status = SP_NO_MEMORY;
    for (; status == SP_NO_MEMORY && n < 500; n++) {
        m.allowed = n;
        status = sp_picture_draw(p.world, NULL, &def, p.rgb);
        m.allowed = 1000000;
        CHECK_INT(m.live, held);
    }
    CHECK_INT(status, SP_OK);
    CHECK(n > 15);
    free_rod(&p);
    CHECK_INT(m.live, 0);
}
