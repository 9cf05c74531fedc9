// Claims about what contact by volumes sees and what it costs (Courtecuisse 2011, chapter 4):
//
// - overlaps are searched at the end of a step: a fast, small body passes through a plate in long steps, and not in short ones
// - one solve leaves the less overlap, the finer the cells are (figure 4.20)
// - the number of contacts does not depend on the number of triangles (section 4.4.4)
// - memory for the layers of a ray grows, which an event says once, and which changes no result
#include "body/surface.h"
#include "collide/volume.h"
#include "contact_lab.h"

static const double rho = 1000;

// Height of a ball of 2 cm above the middle of a plate of 1 cm, some steps after it has met it with 4 m/s.
static double height_after(double h) {
    contact_lab b;
    sp_contact_def contact = contact_volume(0, 0.002, 0);
    sp_rigid_shape plate = contact_box(0.2, 0.2, 0.01), ball = contact_ball(0.01);
    sp_rigid_def fixed = sp_rigid_def_default(), def = sp_rigid_def_default();
    double x[3];
    if (!contact_open(&b, (double[3]){0}, &contact)) return NAN;
    fixed.shapes = &plate, fixed.shape_count = 1;
    contact_rigid(&b, &fixed);
    def.shapes = &ball, def.shape_count = 1, def.free = true, def.density = rho;
    def.pose.constant = contact_at(0.001, 0.002, 0.04), def.velocity[2] = -4;
    sp_body_id id = contact_rigid(&b, &def);
    CHECK(contact_steps(&b, h, (int)lround(0.04 / h)));
    contact_point(&b, id, def.pose.constant.translate, x);
    contact_close(&b);
    return x[2];
}

// 80 mm in a step of 20 ms are more than the plate and the ball together; 4 mm in one of 1 ms are less than the radius.
TEST(short_steps_catch_what_long_ones_miss) {
    const double missed = height_after(0.02), caught = height_after(0.001);
    printf("  height after 0.04 s: %.4f m with steps of 20 ms, %.4f m with steps of 1 ms\n", missed, caught);
    CHECK_NEAR(missed, 0.04 - 4 * 0.04, 1e-12);
    CHECK(caught > 0.005 + 0.01 - 0.002);  // on the plate, within a pixel
}

// ---------------------------------------------------------------------------------------------------- cells

// Volume of the overlap of two bodies at the end of the last step [m3], by rays 1 mm apart.
static double overlap_volume(contact_lab *b, sp_body_id first, sp_body_id other) {
    const sp_body_id id[2] = {first, other};
    sp_volume_surface surfaces[2];
    double *x[2], sum = 0;
    sp_volume *volume = NULL;
    sp_volume_found found;
    for (int i = 0; i < 2; i++) {
        sp_body *body = sp__world_body(b->world, id[i]);
        const sp_surface *s = body->surfaces[0];
        x[i] = calloc(3 * (size_t)s->vertex_count, sizeof *x[i]);
        sp__surface_positions(body, s, SP_COMMITTED, x[i], NULL, NULL);
        surfaces[i] = (sp_volume_surface){x[i], s->vertex_count, s->faces, s->face_count, i, false};
    }
    const sp_volume_options options = {.pixel = 0.001};
    CHECK_INT(sp__volume_create(b->ctx, &volume), SP_OK);
    CHECK_INT(sp__volume_find(volume, &options, 2, surfaces, &found), SP_OK);
    for (int i = 0; i < found.count; i++) sum += found.overlaps[i].volume;
    sp__volume_destroy(&volume);
    free(x[0]), free(x[1]);
    return sum;
}

// A soft block starts with one of its edges 23 mm deep in a plate. One solve removes the volume of each cell, but for the slack.
static double volume_after_one_solve(int cell, int *contacts) {
    contact_lab b;
    sp_contact_def contact = contact_volume(0, 0.004, cell);
    const sp_pose at = {{0, 0, 0.05}, {0.9659258262890683, 0.2588190451025207, 0, 0}};  // turned by 30 degrees
    sp_rigid_shape plate = contact_box(0.4, 0.4, 0.04);
    sp_rigid_def fixed = sp_rigid_def_default();
    contact.stabilisation = SP_STABILISATION_POSITION, contact.passes = 0, contact.slack = 0;
    if (!contact_open(&b, (double[3]){0}, &contact)) return NAN;
    fixed.shapes = &plate, fixed.shape_count = 1, fixed.pose.constant = contact_at(0, 0, -0.02);
    sp_body_id floor = contact_rigid(&b, &fixed);
    sp_body_id id = contact_block(&b, contact_soft(rho, 1e4, 0.3), (double[3]){0.12, 0.12, 0.1}, (int[3]){8, 8, 6}, &at);
    const double before = overlap_volume(&b, floor, id);
    CHECK(contact_steps(&b, 0.01, 1));
    *contacts = sp_world_contact_count(b.world);
    const double left = overlap_volume(&b, floor, id) / before;
    contact_close(&b);
    return left;
}

TEST(finer_cells_leave_less_overlap) {
    static const int cells[] = {0, 12, 8, 4};
    double last = 1;
    int fewer = 0;
    for (size_t i = 0; i < sizeof cells / sizeof *cells; i++) {
        int contacts;
        const double left = volume_after_one_solve(cells[i], &contacts);
        printf("  cells of %d pixels: %d contacts, %.4f of the volume is left\n", cells[i], contacts, left);
        CHECK(contacts > fewer);
        CHECK(left < last);
        last = left, fewer = contacts;
    }
}

// ---------------------------------------------------------------------------------------------------- resolution

typedef struct mesh_impact {
    int triangles, contacts;
    double speed;  // of the second ball after the impact
} mesh_impact;

static sp_body_id mesh_ball(contact_lab *b, int cells, double x, double y, double speed, int *triangles) {
    sp_mesh *ball = NULL;
    sp_trimesh *surface = NULL;
    sp_trimesh_def faces;
    sp_rigid_def def = sp_rigid_def_default();
    sp_body_id id = {0};
    if (sp_mesh_sphere(b->ctx, (double[3]){0.05, 0.05, 0.05}, cells, &ball) < 0 || sp_mesh_boundary(ball, &surface) < 0) {
        SP_TEST_FAILED("%s", sp_context_error(b->ctx)->message);
    } else {
        sp_trimesh_get(surface, &faces);
        *triangles = faces.face_count;
        def.meshes = (const sp_trimesh *const[]){surface}, def.mesh_count = 1, def.free = true, def.density = rho;
        def.pose.constant = contact_at(x, y, 0), def.velocity[0] = speed;
        id = contact_rigid(b, &def);
    }
    sp_mesh_destroy(&ball), sp_trimesh_destroy(&surface);
    return id;
}

static const double ball_pixel = 0.001, ball_step = 0.01;

static mesh_impact mesh_balls_meet(int cells) {
    contact_lab b;
    sp_contact_def contact = contact_volume(0, ball_pixel, 24);
    mesh_impact out = {0};
    if (!contact_open(&b, (double[3]){0}, &contact)) return out;
    mesh_ball(&b, cells, 0, 0, 1, &out.triangles);
    sp_body_id second = mesh_ball(&b, cells, 0.105, 0.01, 0, &out.triangles);
    for (int i = 0; i < 5; i++) {
        CHECK(contact_steps(&b, ball_step, 1));
        const int count = sp_world_contact_count(b.world);
        out.contacts = count > out.contacts ? count : out.contacts;
    }
    sp_body_measures m = contact_measures(&b, second);
    out.speed = sp__norm3(m.momentum) / m.mass;
    contact_close(&b);
    return out;
}

// Balls of 1,200 triangles have 0.5 % less volume than those of 19,200, 0.2 mm of their radius: a twentieth of a pixel.
TEST(contacts_do_not_grow_with_the_triangles) {
    const mesh_impact coarse = mesh_balls_meet(5), fine = mesh_balls_meet(20);
    printf("  %d triangles: %d contacts, %.4f m/s; %d triangles: %d contacts, %.4f m/s\n", coarse.triangles, coarse.contacts,
           coarse.speed, fine.triangles, fine.contacts, fine.speed);
    CHECK(fine.triangles >= 16 * coarse.triangles);
    CHECK(coarse.contacts > 0 && abs(fine.contacts - coarse.contacts) <= 1);
    // rays measure the depth of a moving cell to a tenth of a pixel (docs/volume-contact.md, limits), at the start and at the end
    CHECK_NEAR(fine.speed, coarse.speed, 0.2 * ball_pixel / ball_step);
}

// ---------------------------------------------------------------------------------------------------- layers

// Events of a box on the floor: rays cross the box and the floor, four triangles.
static uint64_t box_with_layers(int layers, int *events) {
    contact_lab b;
    sp_contact_def contact = contact_volume(0.3, 0.005, 0);
    sp_rigid_shape box = contact_box(0.1, 0.1, 0.05);
    const sp_pose at = contact_at(0, 0, 0.024);
    contact.layers = layers, *events = 0;
    if (!contact_open(&b, (double[3]){0, 0, -9.81}, &contact)) return 0;
    contact_plane(&b, (double[3]){0}, (double[3]){0, 0, 1});
    contact_free(&b, &box, &at, rho);
    for (int i = 0; i < 5; i++) {
        sp_event e;
        CHECK(contact_steps(&b, 0.01, 1));
        for (int k = 0; sp_world_event_at(b.world, k, &e) == SP_OK; k++)
            *events += strstr(e.text, "a ray crosses 4 surfaces") != NULL;
    }
    const uint64_t hash = sp_world_hash(b.world);
    contact_close(&b);
    return hash;
}

TEST(layers_grow_and_say_so_once) {
    int events[3];
    const uint64_t few = box_with_layers(1, &events[0]), automatic = box_with_layers(0, &events[1]),
                   many = box_with_layers(4096, &events[2]);
    CHECK(few == automatic && many == automatic);
    CHECK(events[0] == 1 && events[1] == 0 && events[2] == 0);
    contact_lab b;
    sp_contact_def contact = contact_volume(0, 0.005, 0);
    REQUIRE(contact_open(&b, (double[3]){0}, &contact));
    contact.layers = 4097;
    CHECK_INT(sp_world_set_contact(b.world, &contact), SP_BAD_INPUT);
    CHECK(strstr(sp_world_error(b.world)->message, "layers = 4097, must be in [0, 4096]"));
    contact_close(&b);
}
