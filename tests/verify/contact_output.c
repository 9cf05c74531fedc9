// What comes out of contact by constraints: forces, slip, areas and pressures of contacts, the same numbers in the API, in
// snapshots, probes, recordings and fields.
//
// Laws: the floor carries the weight; actions and reactions are opposite; the pressure integrates to the normal force; a uniform
// stress gives a uniform pressure, also at edges and corners, because tributary areas are projected along the normal; a body that
// slides moves along the floor by h v in a step.
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "at.h"
#include "souple/io.h"
#include "test.h"
#include "world/world_internal.h"

static const double g = 9.81;

typedef struct resting {
    sp_context *ctx;
    sp_scene *scene;
    sp_run *run;
    sp_world *w;
    char folder[64];
} resting;

static void run_close(resting *r) {
    char command[128];
    sp_run_destroy(&r->run);
    sp_scene_destroy(&r->scene);
    sp_context_destroy(&r->ctx);
    snprintf(command, sizeof command, "rm -r %s", r->folder);
    if (r->folder[0] && system(command) != 0) printf("  %s stays\n", r->folder);
}

static bool run_open(resting *r, const char *text) {
    sp_run_options options = sp_run_options_default();
    *r = (resting){.folder = "/tmp/souple-contact-XXXXXX"};
    if (!mkdtemp(r->folder)) return false;
    options.out = r->folder;
    sp_status status = sp_context_create(NULL, &r->ctx);
    if (status >= 0) status = sp_scene_parse(r->ctx, text, strlen(text), "contact.xml", NULL, &r->scene);
    if (status >= 0) status = sp_run_create(r->scene, &options, &r->run);
    for (int i = 0; r->scene && i < sp_scene_message_count(r->scene); i++)
        printf("  line %d: %s\n", message_at(r->scene, i).line, message_at(r->scene, i).text);
    if (status >= 0) r->w = sp_run_world(r->run);
    return status >= 0;
}

static void run_go(resting *r) {
    while (!sp_run_done(r->run))
        if (sp_run_step(r->run) < 0) {
            SP_TEST_FAILED("step: %s", sp_context_error(r->ctx)->message);
            return;
        }
}

static sp_contact_sum sum_of(resting *r, const char *body) {
    sp_contact_sum sum = {0};
    CHECK_INT(sp_world_contact_sum(r->w, body ? sp_world_body_named(r->w, body) : (sp_body_id){0}, &sum), SP_OK);
    return sum;
}

static sp_contact_point point_at(resting *r, int index) {
    sp_contact_point p = {0};
    CHECK_INT(sp_world_contact_at(r->w, index, &p), SP_OK);
    return p;
}

static double dot(const double a[3], const double b[3]) {
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}

// ---------------------------------------------------------------------------------------------------- a cube on the floor

static const char *const cube_scene =
    "<scene dt='0.01'>\n"
    "<solid name='cube' density='1000' young='3e5' poisson='0.3' rayleigh='0 0.02' translate='0 0.001 0' compliance='exact'>\n"
    "<box size='0.1 0.1 0.1' cells='4 4 4'/><solver type='cholesky'/>\n"
    "<probe name='base' box='-1 -1 -1 1 0.01 1' quantity='contact-force' combine='sum' every='1'/>\n"
    "<probe name='own' quantity='contact-force contact-count gap' every='1'/></solid>\n"
    "<rigid name='floor'><plane normal='0 1 0'/></rigid>\n"
    "<contact formulation='proximity' friction='0.5'/>\n"
    "<probe name='ground' of='floor' quantity='contact-force contact-count gap' every='1'/>\n"
    "<record file='p.csv'/>\n"
    "<record file='r.xdmf' every='10' precision='double' quantity='contact-force contact-pressure'/>\n"
    "<stop steps='120'/></scene>\n";

// tributary area of each node of the base: a third of the faces around it whose nodes are all on the floor
static void base_areas(resting *r, sp_body_id id, double *area) {
    sp_surface_info info;
    CHECK_INT(sp_world_surface_info(r->w, id, 0, &info), SP_OK);
    double *x = malloc(3 * sizeof *x * (size_t)info.vertex_count);
    CHECK_INT(sp_world_surface_get(r->w, id, 0, x, NULL, NULL), SP_OK);
    for (int f = 0; f < info.face_count; f++) {
        const uint32_t *v = info.faces + 3 * f;
        const double *a = x + 3 * v[0], *b = x + 3 * v[1], *c = x + 3 * v[2];
        if (fmax(a[1], fmax(b[1], c[1])) > 1e-4) continue;
        double twice = fabs((b[0] - a[0]) * (c[2] - a[2]) - (b[2] - a[2]) * (c[0] - a[0]));
        for (int k = 0; k < 3; k++) area[info.nodes[v[k]]] += twice / 6;
    }
    free(x);
}

TEST(the_floor_carries_the_weight_and_the_pressure_integrates_to_it) {
    resting r;
    double nodal[3] = {0}, weight = g, pressed = 0, carried = 0, force[3 * 125], pressure[125], area[125] = {0};
    REQUIRE(run_open(&r, cube_scene));
    run_go(&r);
    sp_contact_sum cube = sum_of(&r, "cube"), floor = sum_of(&r, "floor"), all = sum_of(&r, NULL);
    sp_body_id id = sp_world_body_named(r.w, "cube");
    CHECK_INT(cube.count, 25);
    CHECK_INT(all.count, 25);
    // the problem is solved to 1e-6 of the largest violation, g h^2; what moves after 1.2 s is below that
    printf("  force / weight - 1 = %.2g, largest %.4g N, %.4g Pa\n", cube.force[1] / weight - 1, cube.largest, cube.pressure);
    CHECK_NEAR(cube.force[1], weight, 1e-5 * weight);
    // third law: the same numbers with opposite signs, in the same order
    for (int a = 0; a < 3; a++) CHECK(cube.force[a] + floor.force[a] == 0);
    CHECK_NEAR(all.force[1], 0, 0);
    // contacts: pressure times area is the normal force of each; their normals are those of the plane
    for (int i = 0; i < all.count; i++) {
        sp_contact_point p = point_at(&r, i);
        int own = p.bodies[0].slot == id.slot ? 0 : 1;
        double normal = dot(p.force, p.normal), x[3];
        CHECK_NEAR(p.pressure * p.area, normal, 1e-12 * weight);
        CHECK_NEAR(fabs(p.normal[1]), 1, 1e-15);
        CHECK(p.features[own] == SP_CONTACT_VERTEX && p.features[1 - own] == SP_CONTACT_SHAPE);
        carried += p.area;
        // both material points are at the contact: nothing moves any more
        for (int side = 0; side < 2; side++) {
            CHECK(p.anchors[side].body.slot == p.bodies[side].slot);
            CHECK_INT(sp_world_anchor_get(r.w, &p.anchors[side], x, NULL), SP_OK);
            for (int a = 0; a < 3; a++) CHECK_NEAR(x[a], p.point[a], 1e-7);
        }
        // it sticks: h times the velocity that is left
        CHECK(sqrt(dot(p.slip, p.slip)) < 1e-9);
    }
    // fields at nodes: forces sum up, and pressures times areas computed from the faces of the base
    CHECK_INT(sp_world_field(r.w, id, "contact-force", force), SP_OK);
    CHECK_INT(sp_world_field(r.w, id, "contact-pressure", pressure), SP_OK);
    base_areas(&r, id, area);
    double base = 0;
    for (int n = 0; n < 125; n++) {
        for (int a = 0; a < 3; a++) nodal[a] += force[3 * n + a];
        pressed += pressure[n] * area[n], base += area[n];
        CHECK(area[n] > 0 || pressure[n] == 0);
    }
    for (int a = 0; a < 3; a++) CHECK_NEAR(nodal[a], cube.force[a], 1e-12 * weight);
    // areas are those of the start of the step: the base moves by less than 1e-9 of its size in it
    CHECK_NEAR(pressed, cube.normal, 1e-8 * weight);
    CHECK_NEAR(carried, base, 1e-8 * base);
    run_close(&r);
}

// ---------------------------------------------------------------------------------------------------- the same numbers
// everywhere

TEST(snapshots_probes_and_recordings_have_the_numbers_of_the_api) {
    resting r;
    REQUIRE(run_open(&r, cube_scene));
    run_go(&r);
    const int count = sp_world_contact_count(r.w);
    sp_contact_sum cube = sum_of(&r, "cube"), floor = sum_of(&r, "floor");
    REQUIRE(count == 25);
    const sp_snapshot *s = sp_world_snapshot_acquire(r.w);
    REQUIRE(s && s->contact_count == count);
    for (int i = 0; i < count; i++) {
        sp_contact_point p = point_at(&r, i);
        CHECK(memcmp(s->contacts[i].force, p.force, sizeof p.force) == 0 && s->contacts[i].pressure == p.pressure);
        CHECK(s->contacts[i].bodies[0].slot == p.bodies[0].slot && s->contacts[i].gap == p.gap);
    }
    sp_world_snapshot_release(r.w, s);
    // probes: at the base the nodal forces, of the bodies the sums
    for (int i = 0; i < sp_run_probe_count(r.run); i++) {
        sp_run_probe p;
        CHECK_INT(sp_run_probe_at(r.run, i, &p), SP_OK);
        const double *v = p.values + (size_t)(p.sample_count - 1) * (size_t)p.width;
        const sp_contact_sum *want = strcmp(p.name, "ground") == 0 ? &floor : &cube;
        const double slack = strcmp(p.name, "base") == 0 ? 1e-12 : 0;  // nodes are added in another order
        for (int a = 0; a < 3; a++) CHECK_NEAR(v[a], want->force[a], slack);
        if (p.width == 3) continue;
        CHECK_INT(v[3], count);
        CHECK(v[4] == want->gap);
        // before the first step there are no contacts: the gap is infinite
        CHECK(p.values[3] == 0 && isinf(p.values[4]));
    }
    sp_run_destroy(&r.run);  // closes the files
    run_close(&r);
}

static bool with_hdf5(void) {
    sp_context *ctx;
    sp_recording *none;
    sp_context_create(NULL, &ctx);
    bool there = sp_recording_open(ctx, "none.h5", &none) != SP_UNAVAILABLE;
    sp_context_destroy(&ctx);
    if (!there) printf("  left out: this build has no HDF5\n");
    return there;
}

// the last row of the table has the last sample of each probe, with all digits
static void check_csv(const char *path, const sp_contact_sum *floor) {
    FILE *f = fopen(path, "r");
    char line[2000] = "", head[2000] = "", last[2000] = "";
    if (!f) SP_TEST_FAILED("no %s", path);
    for (int i = 0; f && fgets(line, sizeof line, f); i++) memcpy(i ? last : head, line, sizeof line);
    if (f) fclose(f);
    CHECK(strstr(head, "ground.contact-force.y [N],") && strstr(head, "ground.contact-count [1],ground.gap [m]"));
    int columns = 0, from = 0;
    for (const char *c = head; c < strstr(head, "ground.contact-force.x"); c++) from += *c == ',';
    const double want[5] = {floor->force[0], floor->force[1], floor->force[2], floor->count, floor->gap};
    for (char *c = last, *next; c && *c; c = next) {
        next = strchr(c, ',');
        if (next) *next++ = 0;
        if (columns >= from && columns < from + 5) CHECK(strtod(c, NULL) == want[columns - from]);
        columns++;
    }
    CHECK_INT(columns, from + 5);
}

TEST(files_have_the_numbers_of_the_api) {
    resting r;
    sp_recording *rec = NULL;
    sp_contact_point kept[25];
    sp_recording_contact read[25];
    char path[128];
    if (!with_hdf5()) return;
    REQUIRE(run_open(&r, cube_scene));
    run_go(&r);
    REQUIRE(sp_world_contact_count(r.w) == 25);
    for (int i = 0; i < 25; i++) kept[i] = point_at(&r, i);
    sp_contact_sum floor = sum_of(&r, "floor");
    sp_run_destroy(&r.run);
    snprintf(path, sizeof path, "%s/p.csv", r.folder);
    check_csv(path, &floor);
    snprintf(path, sizeof path, "%s/r.xdmf", r.folder);
    REQUIRE(sp_recording_open(r.ctx, path, &rec) == SP_OK);
    sp_recording_info info;
    sp_recording_get(rec, &info);
    CHECK_INT(info.frame_count, 13);
    CHECK_INT(sp_recording_contact_count(rec, 0), 0);
    CHECK_INT(sp_recording_contact_count(rec, 12), 25);
    CHECK_INT(sp_recording_contact_count(rec, 13), SP_BAD_INPUT);
    REQUIRE(sp_recording_contacts(rec, 12, read) == SP_OK);
    for (int i = 0; i < 25; i++) {
        sp_recording_body b;
        CHECK(memcmp(read[i].point, kept[i].point, sizeof kept[i].point) == 0);
        CHECK(memcmp(read[i].normal, kept[i].normal, sizeof kept[i].normal) == 0);
        CHECK(memcmp(read[i].force, kept[i].force, sizeof kept[i].force) == 0);
        CHECK(read[i].gap == kept[i].gap && read[i].pressure == kept[i].pressure);
        CHECK_INT(sp_recording_body_at(rec, read[i].bodies[0], &b), SP_OK);
        CHECK(strcmp(b.name, "cube") == 0 && read[i].bodies[1] == 1 - read[i].bodies[0]);
    }
    // shown again in a world that has made no step: the same contacts
    sp_scene *scene = NULL;
    sp_run *run = NULL;
    REQUIRE(sp_recording_scene(rec, NULL, &scene) == SP_OK && sp_run_create(scene, NULL, &run) == SP_OK);
    REQUIRE(sp_recording_show(rec, 12, run) == SP_OK);
    r.w = sp_run_world(run);
    CHECK_INT(sp_world_contact_count(r.w), 25);
    for (int i = 0; i < sp_world_contact_count(r.w); i++)
        CHECK(memcmp(point_at(&r, i).force, kept[i].force, sizeof kept[i].force) == 0);
    CHECK_NEAR(sum_of(&r, "floor").force[1], floor.force[1], 0);
    // its field is that of the run: vertices touch
    double recorded[125], shown[125];
    CHECK_INT(sp_recording_field(rec, 12, 0, "contact-pressure", recorded), SP_OK);
    CHECK_INT(sp_world_field(r.w, sp_world_body_named(r.w, "cube"), "contact-pressure", shown), SP_OK);
    for (int n = 0; n < 125; n++) CHECK_NEAR(shown[n], recorded[n], 1e-6 * floor.pressure);
    REQUIRE(sp_recording_show(rec, 0, run) == SP_OK);
    CHECK_INT(sp_world_contact_count(r.w), 0);
    sp_run_destroy(&run);
    sp_scene_destroy(&scene);
    sp_recording_close(&rec);
    run_close(&r);
}

TEST(a_condition_reads_the_number_of_contacts) {
    resting r;
    // it falls 5 mm in 0.032 s; contacts are made 3 mm (alarm: an eighth of an edge of 25 mm) before
    REQUIRE(run_open(
        &r, "<scene dt='0.001'><solid name='cube' translate='0 0.005 0'><box size='0.1 0.1 0.1' cells='4 4 4'/></solid>\n"
            "<rigid name='floor'><plane normal='0 1 0'/></rigid><contact formulation='proximity'/>\n"
            "<probe name='ground' of='floor' quantity='contact-count' every='1'/>\n"
            "<stop time='1' when='{ground.contact_count gt 0}'/></scene>\n"));
    run_go(&r);
    printf("  first contacts at %g s\n", sp_world_time(r.w));
    CHECK_INT(sum_of(&r, "floor").count, 25);
    CHECK(sp_world_time(r.w) < 0.033 && sp_world_time(r.w) > 0.01);
    run_close(&r);
}

// ---------------------------------------------------------------------------------------------------- uniform pressure

// A block without weight between a load of 1 Pa on its top and a floor without friction: the stress is uniform, so is the
// pressure at every node of the base. The area of the base grows by 2 nu p / E = 6e-7.
TEST(a_uniform_stress_gives_a_uniform_pressure) {
    resting r;
    double pressure[125], least = INFINITY, most = 0;
    int carrying = 0;
    REQUIRE(run_open(&r, "<scene dt='0.01' gravity='0 0 0'>\n"
                         "<solid name='cube' density='1000' young='1e6' poisson='0.3' rayleigh='5 0.05' compliance='exact'>\n"
                         "<box size='0.1 0.1 0.1' cells='4 4 4'/><solver type='cholesky'/>\n"
                         "<load plane='0 0.1 0 0 1 0' within='1e-6' traction='0 -1 0'/></solid>\n"
                         "<rigid name='floor'><plane normal='0 1 0'/></rigid>\n"
                         "<contact formulation='proximity'/><stop steps='150'/></scene>\n"));
    sp_contact_def contact = sp_contact_def_default();
    contact.formulation = SP_CONTACT_PROXIMITY, contact.solver.tolerance = 1e-10, contact.solver.sweeps = 1000;
    CHECK_INT(sp_world_set_contact(r.w, &contact), SP_OK);
    run_go(&r);
    CHECK_INT(sp_world_field(r.w, sp_world_body_named(r.w, "cube"), "contact-pressure", pressure), SP_OK);
    for (int n = 0; n < 125; n++)
        if (pressure[n] > 0) carrying++, least = fmin(least, pressure[n]), most = fmax(most, pressure[n]);
    printf("  %d nodes, pressure from %.9g to %.9g Pa\n", carrying, least, most);
    CHECK_INT(carrying, 25);
    // the base is stiff: gaps that are solved to 1e-10 of the first violation leave about 1e-7 of the forces
    CHECK_NEAR(least, 1, 2e-6);
    CHECK_NEAR(most, 1, 2e-6);
    CHECK_NEAR(sum_of(&r, NULL).pressure, 1, 2e-6);
    run_close(&r);
}

// ---------------------------------------------------------------------------------------------------- slip

// A rigid box slides: v = v0 - mu g t, exactly in implicit Euler. In a step every contact slips by h v, and each force is on its
// cone, opposite to the slip.
TEST(a_sliding_box_slips_by_its_velocity) {
    resting r;
    const double h = 0.01, mu = 0.2, v0 = 1;
    REQUIRE(run_open(&r, "<scene dt='0.01'><rigid name='box' motion='free' density='1000' translate='0 0 0'>\n"
                         "<box size='0.2 0.05 0.2'/><initial velocity='1 0 0'/></rigid>\n"
                         "<rigid name='floor'><plane normal='0 1 0'/></rigid>\n"
                         "<contact formulation='proximity' friction='0.2'/><stop steps='20'/></scene>\n"));
    run_go(&r);
    const int count = sp_world_contact_count(r.w);
    const double v = v0 - mu * g * 20 * h, weight = 2 * g;
    CHECK(count >= 4);
    for (int i = 0; i < count; i++) {
        sp_contact_point p = point_at(&r, i);
        const double sign = p.bodies[0].slot == sp_world_body_named(r.w, "box").slot ? 1 : -1;
        const double normal = dot(p.force, p.normal);
        // the tolerance of the problem is 1e-6 of the largest violation, h v here
        CHECK_NEAR(sign * p.slip[0], h * v, 1e-6 * h * v0);
        CHECK_NEAR(p.slip[1], 0, 1e-12);
        CHECK_NEAR(sign * p.force[0], -mu * normal, 1e-5 * weight);
    }
    printf("  %d contacts, v = %.6g m/s\n", count, v);
    CHECK_NEAR(sum_of(&r, "box").force[0], -mu * weight, 1e-5 * weight);
    run_close(&r);
}

// ---------------------------------------------------------------------------------------------------- a step that fails

TEST(a_failed_step_leaves_the_contacts) {
    resting r;
    REQUIRE(run_open(&r, cube_scene));
    for (int i = 0; i < 20; i++) REQUIRE(sp_run_step(r.run) >= 0);
    const int count = sp_world_contact_count(r.w);
    sp_contact_point before = point_at(&r, 7), after;
    CHECK_INT(count, 25);
    static const sp_stage stages[] = {SP_STAGE_FIND_CONTACTS, SP_STAGE_SOLVE_CONTACTS, SP_STAGE_BALANCE};
    for (int i = 0; i < 3; i++) {
        CHECK_INT(sp__world_inject_failure(r.w, stages[i]), SP_OK);
        CHECK_INT(sp_world_step(r.w, 0.01), SP_STOPPED);
        CHECK_INT(sp_world_contact_count(r.w), count);
        after = point_at(&r, 7);
        CHECK(memcmp(after.force, before.force, sizeof before.force) == 0 && after.pressure == before.pressure);
    }
    // a state that is set from outside has no contacts yet; bad ids and numbers are refused
    CHECK_INT(sp_world_set_contacts(r.w, &before, 1), SP_OK);
    CHECK_INT(sp_world_contact_count(r.w), 1);
    before.bodies[1].generation += 7;
    CHECK_INT(sp_world_set_contacts(r.w, &before, 1), SP_BAD_ID);
    before.bodies[1].generation -= 7, before.force[2] = NAN;
    CHECK_INT(sp_world_set_contacts(r.w, &before, 1), SP_NOT_FINITE);
    CHECK_INT(sp_world_set_contacts(r.w, NULL, -1), SP_BAD_INPUT);
    CHECK_INT(sp_world_contact_count(r.w), 1);
    CHECK_INT(sp_world_set_contacts(r.w, NULL, 0), SP_OK);
    sp_contact_sum none = sum_of(&r, "cube");
    CHECK(none.count == 0 && none.force[1] == 0 && isinf(none.gap));
    CHECK_INT(sp_world_contact_sum(r.w, (sp_body_id){99, 1}, &none), SP_BAD_ID);
    run_close(&r);
}

// ---------------------------------------------------------------------------------------------------- pictures

enum { WIDE = 160, HIGH = 120 };

static int changed(const unsigned char *a, const unsigned char *b) {
    int n = 0;
    for (int i = 0; i < WIDE * HIGH; i++) n += memcmp(a + 3 * i, b + 3 * i, 3) != 0;
    return n;
}

TEST(pictures_show_contacts_through_bodies) {
    resting r;
    static unsigned char without[3 * WIDE * HIGH], with[3 * WIDE * HIGH];
    REQUIRE(run_open(&r, cube_scene));
    sp_picture_def def = sp_run_picture(r.run);
    def.width = WIDE, def.height = HIGH, def.plain = true, def.fitted = false;
    const double at[3] = {0.05, 0.3, 0.5}, to[3] = {0.05, 0.05, 0.05}, up[3] = {0, 1, 0};
    memcpy(def.at, at, sizeof at), memcpy(def.to, to, sizeof to), memcpy(def.up, up, sizeof up);
    CHECK(!def.contacts);
    // before the first step there is nothing to show
    CHECK_INT(sp_picture_draw(r.w, r.run, &def, without), SP_OK);
    def.contacts = true;
    CHECK_INT(sp_picture_draw(r.w, r.run, &def, with), SP_OK);
    CHECK_INT(changed(with, without), 0);
    run_go(&r);
    def.contacts = false;
    CHECK_INT(sp_picture_draw(r.w, r.run, &def, without), SP_OK);
    def.contacts = true;
    CHECK_INT(sp_picture_draw(r.w, r.run, &def, with), SP_OK);
    // 25 balls, of which 20 are behind faces of the cube, and as many arrows
    printf("  %d pixels of contacts\n", changed(with, without));
    CHECK(changed(with, without) > 25 * 6);
    // the colours of the field reach the base only
    def.contacts = false, def.color_by = "contact-pressure";
    CHECK_INT(sp_picture_draw(r.w, r.run, &def, with), SP_OK);
    CHECK(changed(with, without) > 500);
    run_close(&r);
}
