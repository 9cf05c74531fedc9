// Calls every public function of the engine as a host would, and checks a result that a wrong answer would break. api_every.c
// verifies that none is missing.
#include <stdbool.h>

#include "souple/extension.h"
#include "souple/souple.h"
#include "test.h"

static sp_context *make_context(void) {
    sp_context_def def = sp_context_def_default();
    def.workers = 2;
    sp_context *context = NULL;
    sp_context_create(&def, &context);
    return context;
}

static sp_mesh *make_box(sp_context *context) {
    sp_mesh *mesh = NULL;
    sp_mesh_box(context, (double[]){2, 1, 1}, (int[]){4, 2, 2}, 6, &mesh);
    return mesh;
}

typedef struct fixture {
    sp_context *context;
    sp_mesh *mesh;
    sp_world *world;
    sp_body_id beam, floor;
} fixture;

// a clamped beam above a floor that it does not reach
static bool set_up(fixture *f) {
    static int clamped[9] = {0, 1, 2, 3, 4, 5, 6, 7, 8};
    *f = (fixture){.context = make_context()};
    f->mesh = make_box(f->context);
    sp_world_def world_def = sp_world_def_default();
    if (!f->mesh || sp_world_create(f->context, &world_def, &f->world) != SP_OK) return false;
    sp_fix fix = {clamped, 9, SP_AXES_ALL, 0};
    sp_solid_def solid = sp_solid_def_default();
    solid.name = "beam", solid.mesh = f->mesh, solid.fixes = &fix, solid.fix_count = 1;
    solid.integrator = sp_integrator_def_default();
    solid.solver = sp_solver_def_default();
    if (sp_world_add_solid(f->world, &solid, &f->beam) != SP_OK) return false;
    sp_rigid_shape plane = {SP_PLANE, {0, 1, 0}, sp_pose_identity()};
    sp_rigid_def rigid = sp_rigid_def_default();
    rigid.name = "floor", rigid.shapes = &plane, rigid.shape_count = 1, rigid.kinematic = true;
    sp_pose below = sp_pose_identity();
    below.translate[1] = -10;
    rigid.pose = sp_pose_signal_constant(below);
    if (sp_world_add_rigid(f->world, &rigid, &f->floor) != SP_OK) return false;
    sp_rigid_mass mass;
    CHECK_INT(sp_rigid_def_mass(f->context, &rigid, &mass), SP_BAD_INPUT);  // a plane has none
    sp_contact_def contact = sp_contact_def_default();
    return sp_world_set_contact(f->world, &contact) == SP_OK;
}

static void tear_down(fixture *f) {
    sp_contact_point point;
    CHECK_INT(sp_world_contact_count(f->world), 0);
    CHECK_INT(sp_world_contact_at(f->world, 0, &point), SP_BAD_INPUT);  // penalty contact has none
    sp_contact_sum sum;
    CHECK_INT(sp_world_contact_sum(f->world, (sp_body_id){0}, &sum), SP_OK);
    CHECK(sum.count == 0 && isinf(sum.gap));
    CHECK_INT(sp_world_set_contacts(f->world, NULL, 0), SP_OK);
    sp_open_surface open = {.edges = -1};
    CHECK_INT(sp_world_open_surface(f->world, &open), SP_OK);
    CHECK_INT(open.edges, 0);  // penalty contact needs no closed surface
    double fraction = 0;
    CHECK_INT(sp_world_sweep(f->world, (double[]){0, 50, 0}, (double[]){0, 60, 0}, 0.1, &fraction, NULL), SP_OK);
    CHECK(fraction == 1);
    sp_contact_def contact;
    CHECK(sp_world_get_contact(f->world, &contact) && contact.formulation == SP_CONTACT_PENALTY);
    sp_edit pin = sp_edit_default(SP_EDIT_PIN);
    CHECK_INT(sp_world_apply(f->world, &pin), SP_BAD_INPUT);
    sp_world_destroy(&f->world);
    sp_mesh_destroy(&f->mesh);
    sp_context_destroy(&f->context);
}

TEST(contact_pairs) {
    fixture f;
    REQUIRE(set_up(&f));
    sp_contact_part beam = sp_contact_part_body(f.beam), floor = sp_contact_part_body(f.floor);
    sp_contact_pair_def pair = sp_contact_pair_def_default();
    sp_contact_problem problem;
    sp_param_info info;
    int index = -1;
    pair.a = &beam, pair.b = &floor, pair.a_count = pair.b_count = 1, pair.friction = 0.3;
    CHECK_INT(sp_world_add_contact_pair(f.world, &pair, &index), SP_OK);
    CHECK_INT(index, 0);
    CHECK_INT(sp_world_add_friction(f.world, &beam, 0.2, "beam.friction"), SP_OK);
    CHECK_INT(sp_world_param(f.world, "contact.pair[0].friction", &info), SP_OK);
    CHECK(info.value == 0.3);
    CHECK_INT(sp_world_contact_problem(f.world, &problem), SP_BAD_INPUT);  // penalty contact has none
    tear_down(&f);
}

TEST(links) {
    fixture f;
    REQUIRE(set_up(&f));
    sp_link_def def = sp_link_def_default();
    sp_link_id id;
    sp_link_info info;
    sp_link_point point;
    int tip[1] = {44};
    def.name = "rope", def.type = SP_LINK_SPRING, def.a.body = f.beam, def.b.body = f.floor;
    def.a.nodes = tip, def.a.node_count = 1, def.stiffness = 100, def.within = 100;
    CHECK_INT(sp_world_add_link(f.world, &def, &id), SP_OK);
    CHECK_INT(sp_world_link_count(f.world), 1);
    CHECK(sp_world_link_named(f.world, "rope").slot == id.slot);
    CHECK_INT(sp_world_step(f.world, 0.01), SP_OK);
    CHECK_INT(sp_world_link_at(f.world, 0, &info), SP_OK);
    CHECK(!strcmp(info.name, "rope") && info.point_count == 1 && info.force[1] > 0);
    CHECK_INT(sp_world_link_info(f.world, id, &info), SP_OK);
    CHECK_INT(sp_world_link_point(f.world, id, 0, &point), SP_OK);
    CHECK(point.force[1] == info.force[1] && point.a[1] < point.b[1]);
    CHECK_INT(sp_world_set_link(f.world, id, false), SP_OK);
    CHECK_INT(sp_world_link_info(f.world, id, &info), SP_OK);
    CHECK_INT(info.state, SP_LINK_DETACHED);
    CHECK_INT(sp_world_remove_link(f.world, id), SP_OK);
    CHECK_INT(sp_world_link_info(f.world, id, &info), SP_BAD_ID);
    tear_down(&f);
}

TEST(base) {
    CHECK(!strcmp(sp_status_name(SP_NOT_SPD), "SP_NOT_SPD"));
    CHECK(strlen(sp_status_text(SP_NO_MEMORY)) > 0);
    sp_context *context = make_context();
    REQUIRE(context);
    CHECK_INT(sp_context_workers(context), 2);
    CHECK_INT(sp_context_error(context)->status, SP_OK);
    size_t bytes = 0, after = 0;
    uint64_t allocations = 0;
    sp_context_memory(context, &bytes, &allocations);
    sp_mesh *mesh = make_box(context);
    sp_context_memory(context, &after, &allocations);
    CHECK(after > bytes && allocations > 0);
    sp_mesh_destroy(&mesh);
    sp_context_memory(context, &after, &allocations);
    CHECK_INT(after, bytes);
    sp_context_destroy(&context);
    CHECK(!context);
    sp_signal signal = sp_signal_constant(3);
    CHECK_NEAR(sp_signal_value(&signal, 7), 3, 0);
    sp_pose_signal pose = sp_pose_signal_constant(sp_pose_identity());
    CHECK_NEAR(sp_pose_signal_value(&pose, 7).quat[0], 1, 0);
}

static void keep_line(void *user, sp_log_level level, const char *text) {
    snprintf(user, 64, "%d %s", (int)level, text);
}

static void add_task(void *arg, int task, int worker) {
    (void)worker;
    ((int *)arg)[task] += task + 1;
}

static sp_status extension_call(sp_context *context, bool good) {
    SP_TRY(good ? SP_OK : SP_FAIL(context, SP_IO, "file %d is gone", 3));
    return SP_NOT_CONVERGED;
}

// what a library on top of the engine uses
TEST(extension) {
    char line[64] = "";
    sp_context_def def = sp_context_def_default();
    sp_context *context = NULL;
    def.log = keep_line, def.log_user = line, def.workers = 2;
    REQUIRE(sp_context_create(&def, &context) == SP_OK);
    size_t before, now;
    double *memory;
    sp_context_memory(context, &before, NULL);
    REQUIRE(SP_NEW(context, memory, 100));
    sp_context_memory(context, &now, NULL);
    CHECK(now >= before + 800 && (uintptr_t)memory % 64 == 0 && memory[99] == 0);
    sp_context_free(context, memory);
    sp_context_free(context, NULL);
    CHECK(!sp_context_alloc(context, SIZE_MAX / 2, 8));
    CHECK_INT(extension_call(context, true), SP_NOT_CONVERGED);
    CHECK_INT(extension_call(context, false), SP_IO);
    sp_context_error_index(context, 12);
    sp_error kept = *sp_context_error(context);
    CHECK(!strcmp(kept.message, "file 3 is gone") && kept.index == 12 && kept.line > 0);
    sp_context_fail(context, SP_BAD_INPUT, __FILE__, __LINE__, "another");
    sp_context_keep_error(context, &kept);
    CHECK_INT(sp_context_error(context)->status, SP_IO);
    sp_context_log(context, SP_LOG_WARNING, "%s", "mind this");
    CHECK(!strcmp(line, "2 mind this"));
    int done[50] = {0}, wrong = 0;
    sp_context_parallel(context, 50, add_task, done);
    for (int i = 0; i < 50; i++) wrong += done[i] != i + 1;
    CHECK_INT(wrong, 0);
    sp_context_destroy(&context);
}

TEST(refused_definitions_have_a_reason) {
    sp_context_def zero = {0};
    sp_context *context = NULL;
    CHECK_INT(sp_context_create(&zero, &context), SP_BAD_INPUT);  // did not start from the default
    CHECK(!context);
    context = make_context();
    REQUIRE(context);
    sp_mesh *mesh = NULL;
    CHECK_INT(sp_mesh_box(context, (double[]){1, -1, 1}, (int[]){1, 1, 1}, 6, &mesh), SP_BAD_INPUT);
    CHECK(!mesh && strstr(sp_context_error(context)->message, "-1"));
    sp_context_destroy(&context);
}

static double unit_ball(const void *user, const double x[3]) {
    (void)user;
    return sqrt(x[0] * x[0] + x[1] * x[1] + x[2] * x[2]) - 1;
}

TEST(mesh_filling) {
    sp_context *context = make_context();
    sp_fill_def def = sp_fill_def_default();
    sp_fill_info info;
    sp_mesh *ball = NULL, *again = NULL, *cube = NULL, *organ = NULL;
    sp_trimesh *skin = NULL;
    def.elements = 1000;
    REQUIRE(sp_mesh_fill(context, unit_ball, NULL, (double[]){-1, -1, -1}, (double[]){1, 1, 1}, 1, &def, &info, &ball) == SP_OK);
    CHECK(info.dihedral[0] >= info.guarantee[0] && info.dihedral[1] <= info.guarantee[1]);
    REQUIRE(sp_mesh_boundary(ball, &skin) == SP_OK);
    REQUIRE(sp_mesh_fill_surface(skin, &def, &info, &again) == SP_OK);
    CHECK_NEAR(sp_mesh_volume(again), sp_mesh_volume(ball),
               0.1 * sp_mesh_volume(ball));  // chords of chords: the boundary is approximated twice
    int labels[8] = {1, 1, 1, 1, 1, 1, 1, 1};
    sp_label_volume volume = {.dims = {2, 2, 2}, .labels = labels, .affine = {1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0}};
    REQUIRE(sp_mesh_fill_labels(context, &volume, NULL, 0, &def, NULL, &cube) == SP_OK);
    CHECK(sp_mesh_group_named(cube, "1"));
    REQUIRE(sp_mesh_organ(context, sp_mesh_organ_name(0), 0.2, 1000, &organ) == SP_OK);
    CHECK(sp_mesh_group_named(organ, "tumour"));
    sp_trimesh_destroy(&skin);
    sp_mesh_destroy(&ball), sp_mesh_destroy(&again), sp_mesh_destroy(&cube), sp_mesh_destroy(&organ);
    sp_context_destroy(&context);
}

TEST(mesh_making) {
    sp_context *context = make_context();
    const double pi = 3.14159265358979323846, axis[3] = {0, 0, 1};
    sp_mesh *cylinder = NULL, *ball = NULL, *ring = NULL, *larger = NULL, *one = NULL;
    REQUIRE(sp_mesh_cylinder(context, 1, 2, axis, (int[]){3, 2}, &cylinder) == SP_OK);
    REQUIRE(sp_mesh_sphere(context, (double[]){1, 1, 1}, 4, &ball) == SP_OK);
    REQUIRE(sp_mesh_torus(context, 2, 0.5, axis, (int[]){24, 2}, &ring) == SP_OK);
    REQUIRE(sp_mesh_transformed(ball, (double[]){2, 2, 2}, NULL, &larger) == SP_OK);
    // inscribed meshes lose volume: less than a fifth at these cell counts
    CHECK_NEAR(sp_mesh_volume(cylinder), 2 * pi, 0.2 * 2 * pi);
    CHECK_NEAR(sp_mesh_volume(ball), 4 * pi / 3, 0.2 * 4 * pi / 3);
    CHECK_NEAR(sp_mesh_volume(ring), pi * pi, 0.2 * pi * pi);
    CHECK_NEAR(sp_mesh_volume(larger), 8 * sp_mesh_volume(ball), 1e-9);  // rounding of some hundred terms
    sp_mesh_def def = sp_mesh_def_default();
    double x[12] = {0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0, 1}, young = 5;
    int tet[4] = {0, 1, 2, 3};
    int64_t ids[4] = {10, 20, 30, 40}, tet_id = 7;
    sp_mesh_group group = {"all", (int[]){0}, 1, tet, 4};
    sp_mesh_array array = {"E", &young, true};
    def.node_count = 4, def.positions = x, def.element_count = 1, def.element_nodes = tet, def.node_ids = ids,
    def.element_ids = &tet_id;
    def.groups = &group, def.group_count = 1, def.arrays = &array, def.array_count = 1;
    REQUIRE(sp_mesh_create(context, &def, &one) == SP_OK);
    CHECK_INT(sp_mesh_node_ids(one)[3], 40);
    CHECK_INT(sp_mesh_element_ids(one)[0], 7);
    CHECK_INT(sp_mesh_group_count(one), 1);
    CHECK(sp_mesh_group_at(one, 0, &group) == SP_OK && group.node_count == 4);
    CHECK(sp_mesh_group_at(one, 1, &group) == SP_BAD_INPUT && group.node_count == 4);
    CHECK(sp_mesh_group_named(one, "all") && !sp_mesh_group_named(one, "none"));
    CHECK_INT(sp_mesh_array_count(one), 1);
    CHECK(sp_mesh_array_at(one, 0, &array) == SP_OK && array.values != &young && array.values[0] == 5);
    CHECK_INT(sp_mesh_array_at(one, 1, &array), SP_BAD_INPUT);
    CHECK(sp_mesh_array_named(one, "E") && !sp_mesh_array_named(one, "nu"));
    sp_mesh_destroy(&one), sp_mesh_destroy(&larger), sp_mesh_destroy(&ring), sp_mesh_destroy(&ball), sp_mesh_destroy(&cylinder);
    sp_context_destroy(&context);
}

TEST(mesh_reading_out) {
    sp_context *context = make_context();
    sp_mesh *mesh = make_box(context);
    REQUIRE(mesh);
    CHECK_INT(sp_mesh_node_count(mesh), 5 * 3 * 3);
    CHECK_INT(sp_mesh_element_count(mesh), 16 * 6);
    CHECK_INT(sp_mesh_face_count(mesh), 2 * 2 * (8 + 8 + 4));
    CHECK_NEAR(sp_mesh_positions(mesh)[3 * 44], 2, 0);
    double low[3], high[3], weights[4], inside[3] = {0.3, 0.3, 0.3}, back = 0;
    sp_mesh_bounds(mesh, low, high);
    CHECK_NEAR(high[0] - low[0], 2, 0);
    int element = -1, count = 0;
    CHECK(sp_mesh_locate(mesh, inside, &element, weights + 1) >= 0);
    weights[0] = 1 - weights[1] - weights[2] - weights[3];
    for (int i = 0; i < 4; i++) back += weights[i] * sp_mesh_positions(mesh)[3 * sp_mesh_tets(mesh)[4 * element + i]];
    CHECK_NEAR(back, 0.3, 1e-14);  // rounding of four products
    CHECK(sp_mesh_faces(mesh)[0] >= 0);
    sp_selection selection = sp_selection_default();
    selection.has_box = true;
    for (int i = 0; i < 3; i++) selection.box[i] = -0.01, selection.box[3 + i] = i ? 2 : 0.01;
    CHECK_INT(sp_mesh_select(mesh, &selection, SP_SELECT_NODES, NULL, 0, &count), SP_OK);
    CHECK_INT(count, 9);
    sp_mesh_destroy(&mesh);
    sp_context_destroy(&context);
}

TEST(stepping_and_queries) {
    fixture f;
    REQUIRE(set_up(&f));
    CHECK_INT(sp_world_error(f.world)->status, SP_OK);
    for (int i = 0; i < 3; i++) CHECK(sp_world_step(f.world, 0.01) >= 0);
    CHECK_INT(sp_world_steps(f.world), 3);
    CHECK_NEAR(sp_world_time(f.world), 0.03, 1e-15);
    sp_step_info step;
    sp_world_step_info(f.world, &step);
    CHECK(step.step == 3 && step.hash == sp_world_hash(f.world));
    sp_event event;
    CHECK_INT(sp_world_event_at(f.world, step.event_count, &event), SP_BAD_INPUT);
    CHECK(!strcmp(sp_stage_name(SP_STAGE_COMMIT), "commit"));
    CHECK_INT(sp_world_body_count(f.world), 2);
    CHECK_INT(sp_world_body_id(f.world, 1).slot, f.floor.slot);
    CHECK_INT(sp_world_body_named(f.world, "beam").slot, f.beam.slot);
    sp_body_info info;
    REQUIRE(sp_world_body_info(f.world, f.beam, &info) == SP_OK);
    CHECK(!strcmp(info.kind, "solid") && info.nodes == 45 && info.elements == 96 && info.id.slot == f.beam.slot);
    CHECK(!strcmp(info.state[0], "position") && !strcmp(info.state[1], "velocity"));
    CHECK(sp_world_body_info(f.world, f.floor, &info) == SP_OK && !strcmp(info.state[0], "pose") && !info.state[1]);
    sp_body_measures measures;
    REQUIRE(sp_world_body_measure(f.world, f.beam, &measures) == SP_OK);
    CHECK(measures.displacement_max > 0);
    CHECK_NEAR(measures.mass, 2000, 1e-9);  // rounding of 96 volumes
    sp_field_info field;
    REQUIRE(sp_world_field_info(f.world, f.beam, "position", &field) == SP_OK);
    CHECK(field.count == 45 && field.components == 3 && field.on == SP_ON_NODES);
    CHECK(sp_world_field_count(f.world, f.beam) < sp_field_count());
    CHECK(sp_world_field_at(f.world, f.beam, 0, &field) == SP_OK && !strcmp(field.name, "position") && field.count == 45);
    CHECK(sp_field_named("von-mises", &field) == SP_OK && !strcmp(field.unit, "Pa") && field.count == 0);
    CHECK(sp_field_at(SP_FIELD_POSE, &field) == SP_OK && field.components == 7);
    double x[3 * 45], at[3];
    CHECK_INT(sp_world_field(f.world, f.beam, "position", x), SP_OK);
    sp_anchor anchor;
    CHECK_INT(sp_world_anchor_node(f.world, f.beam, 44, &anchor), SP_OK);
    CHECK_INT(sp_world_anchor_get(f.world, &anchor, at, NULL), SP_OK);
    CHECK_NEAR(at[1], x[3 * 44 + 1], 1e-15);
    CHECK_INT(sp_world_anchor_rest(f.world, &anchor, at), SP_OK);
    CHECK(at[1] == sp_mesh_positions(f.mesh)[3 * 44 + 1]);
    sp_mass_info weight;
    CHECK_INT(sp_world_mass_count(f.world, f.beam), 0);
    CHECK_INT(sp_world_mass_at(f.world, f.beam, 0, &weight), SP_BAD_INPUT);
    int tets[4 * 96];
    sp_element_view elements;
    CHECK_INT(sp_world_elements(f.world, f.beam, NULL, &elements), SP_OK);
    CHECK(elements.type == SP_ELEMENT_TET4 && elements.nodes_per_element == 4 && elements.count == 96 && !elements.nodes);
    CHECK_INT(sp_world_elements(f.world, f.beam, tets, &elements), SP_OK);
    CHECK(elements.nodes == tets);
    CHECK(!memcmp(tets, sp_mesh_tets(f.mesh), sizeof tets));
    CHECK(sp_world_context(f.world) == f.context);
    CHECK(sp_backend_detail(sp_world_backend(f.world)));
    CHECK(sp_backend_name(0) && sp_backend_detail(sp_backend_name(0)) && !sp_backend_detail("abacus"));
    tear_down(&f);
}

TEST(removed_elements) {
    fixture f;
    sp_body_info info;
    REQUIRE(set_up(&f));
    REQUIRE(sp_world_body_info(f.world, f.beam, &info) == SP_OK);
    unsigned char *removed = calloc((size_t)info.cells, 1);
    removed[0] = removed[1] = 1;
    CHECK_INT(sp_world_set_removed(f.world, f.beam, removed), SP_OK);
    CHECK(sp_world_body_info(f.world, f.beam, &info) == SP_OK && info.removed == 2);
    CHECK_INT(sp_world_set_removed(f.world, f.beam, NULL), SP_OK);
    CHECK(sp_world_body_info(f.world, f.beam, &info) == SP_OK && info.removed == 0);
    free(removed);
    tear_down(&f);
}

TEST(elements_can_be_appended) {
    fixture f;
    sp_body_info info;
    REQUIRE(set_up(&f));
    const int like[4] = {0, 0, 0, 0}, gone[1] = {0}, *own = sp_mesh_tets(f.mesh);
    int nodes[16];
    const sp_anchor middle = {.body = f.beam, .at = {0.25, 0.25, 0.25}};
    for (int i = 0; i < 16; i++) nodes[i] = i / 4 == i % 4 ? sp_mesh_node_count(f.mesh) : own[i % 4];
    sp_addition add = sp_addition_default();
    add.node_count = 1, add.at = &middle, add.element_count = 4, add.like = like, add.nodes = nodes, add.node_entries = 16;
    add.removed_count = 1, add.removed = gone;
    CHECK_INT(sp_world_append(f.world, f.beam, &add), SP_OK);
    CHECK(sp_world_body_info(f.world, f.beam, &info) == SP_OK && info.appended == 4 && info.removed == 1);
    CHECK_INT(info.nodes, sp_mesh_node_count(f.mesh) + 1);
    tear_down(&f);
}

TEST(edits_and_parameters) {
    fixture f;
    REQUIRE(set_up(&f));
    sp_edit edit = sp_edit_default(SP_EDIT_PARAM);
    edit.body = f.beam;
    snprintf(edit.path, sizeof edit.path, "beam.young");
    edit.value = 2e6;
    sp_param_info param;
    CHECK_INT(sp_world_queue(f.world, &edit), SP_OK);
    CHECK(sp_world_step(f.world, 0.01) >= 0);
    int taken = 0;
    CHECK(sp_world_edits_taken(f.world, &taken) && taken == 1);
    REQUIRE(sp_world_param(f.world, "beam.young", &param) == SP_OK);
    CHECK_NEAR(param.value, 2e6, 0);
    CHECK(sp_world_param_count(f.world) > 1);
    CHECK_INT(sp_world_param_at(f.world, 0, &param), SP_OK);
    sp_param_spec spec;
    CHECK(sp_kind_name(1) && sp_kind_param_count(sp_kind_name(1)) > 0);
    CHECK_INT(sp_kind_param_at(sp_kind_name(1), 0, &spec), SP_OK);
    CHECK_INT(sp_kind_param("solid", "young", &spec), SP_OK);
    CHECK(spec.low == 0 && spec.high == 1e15 && spec.initial == 1e6);
    sp_edit drag = sp_edit_default(SP_EDIT_DRAG);
    drag.body = f.beam, drag.stiffness = 10;
    CHECK_INT(sp_world_anchor_point(f.world, f.beam, (double[]){2, 0.5, 0.5}, &drag.anchor), SP_OK);
    CHECK_INT(sp_world_queue(f.world, &drag), SP_OK);
    sp_world_drop_edits(f.world);
    CHECK(sp_world_step(f.world, 0.01) >= 0);
    sp_world_edits_taken(f.world, &taken);
    CHECK_INT(taken, 0);
    tear_down(&f);
}

TEST(state_is_set_and_read) {
    fixture f;
    REQUIRE(set_up(&f));
    CHECK(sp_world_step(f.world, 0.01) >= 0);
    const sp_snapshot *seen = sp_world_snapshot_acquire(f.world);
    REQUIRE(seen);
    CHECK(seen->step == 1 && seen->body_count == 2 && seen->hash == sp_world_hash(f.world));
    sp_world_snapshot_release(f.world, seen);
    sp_checkpoint saved = {0};
    REQUIRE(sp_world_save(f.world, &saved) == SP_OK);
    uint64_t before = sp_world_hash(f.world);
    double still[3 * 45] = {0};
    sp_param_info young;
    CHECK_INT(sp_world_set_param(f.world, "beam.young", 3e4), SP_OK);
    CHECK(sp_world_param(f.world, "beam.young", &young) == SP_OK && young.value == 3e4);
    CHECK_INT(sp_world_set_param(f.world, "beam.young", -1), SP_BAD_INPUT);
    CHECK_INT(sp_world_set_param(f.world, "beam.young", NAN), SP_BAD_INPUT);
    CHECK_INT(sp_world_set_param(f.world, "beam.colour", 1), SP_BAD_INPUT);
    CHECK(sp_world_param(f.world, "beam.young", &young) == SP_OK && young.value == 3e4);
    CHECK_INT(sp_world_set_state(f.world, f.beam, NULL, still), SP_OK);
    CHECK(sp_world_hash(f.world) != before);
    CHECK_INT(sp_world_restore(f.world, saved.data, saved.size), SP_OK);
    CHECK(sp_world_hash(f.world) == before);
    CHECK_INT(sp_world_publish_field(f.world, f.beam, "position", true), SP_OK);
    CHECK_INT(sp_world_publish(f.world), SP_OK);
    seen = sp_world_snapshot_acquire(f.world);
    CHECK(seen && seen->hash == before && seen->bodies[0].field_count == 1 && seen->bodies[0].fields[0].count == 45);
    sp_world_snapshot_release(f.world, seen);
    sp_checkpoint_free(f.world, &saved);
    CHECK_INT(sp_world_remove(f.world, f.floor), SP_OK);
    CHECK_INT(sp_world_remove(f.world, f.floor), SP_BAD_ID);
    tear_down(&f);
}

TEST(surfaces) {
    fixture f;
    REQUIRE(set_up(&f));
    sp_surface_def def = sp_surface_def_default();
    sp_surface_info info;
    int index = -1;
    def.name = "skin", def.subdivide = 1;
    CHECK(sp_world_add_surface(f.world, f.beam, &def, &index) == SP_OK && index == 1);
    CHECK_INT(sp_world_surface_count(f.world, f.beam), 2);
    CHECK(sp_world_surface_info(f.world, f.beam, 1, &info) == SP_OK && !strcmp(info.name, "skin"));
    double *x = calloc(6 * (size_t)info.vertex_count, sizeof *x), g[3 * 45] = {0}, sum = 0;
    CHECK_INT(sp_mesh_node_count(f.mesh), 45);
    CHECK(sp_world_surface_get(f.world, f.beam, 1, x, NULL, x + 3 * info.vertex_count) == SP_OK);
    for (int i = 0; i < info.vertex_count; i++) CHECK(x[3 * i] >= 0 && x[3 * i] <= 2);
    // the beam hangs by one end: the corners of the other are displaced most, whichever way they are asked for
    CHECK_INT(sp_world_step(f.world, 0.01), SP_OK);
    double *u = calloc(3 * (size_t)info.face_count, sizeof *u), most = 0;
    CHECK_INT(sp_world_surface_field(f.world, f.beam, 1, "displacement", u), SP_OK);
    for (int i = 0; i < info.vertex_count; i++) most = fmax(most, u[i]);
    CHECK(most > 0);
    CHECK_INT(sp_world_surface_corner_field(f.world, f.beam, 1, "displacement", u), SP_OK);
    for (int i = 0; i < 3 * info.face_count; i++) CHECK(u[i] <= most);
    free(u);
    // one newton upwards on every vertex gives the same sum on the nodes
    for (int i = 0; i < 3 * info.vertex_count; i++) x[i] = i % 3 == 1;
    CHECK(sp_world_surface_apply_transpose(f.world, f.beam, 1, x, g) == SP_OK);
    for (int i = 0; i < 45; i++) sum += g[3 * i + 1];
    CHECK_NEAR(sum, info.vertex_count, 1e-10);
    free(x);
    tear_down(&f);
}

TEST(distance_field_of_a_surface) {
    fixture f;
    REQUIRE(set_up(&f));
    sp_rigid_shape shape = {.type = SP_BOX, .size = {0.1, 0.1, 0.1}, .pose = sp_pose_identity()};
    sp_rigid_def box = sp_rigid_def_default();
    sp_surface_contact_def def = sp_surface_contact_def_default();
    sp_distance_field_info info;
    sp_body_id id;
    box.shapes = &shape, box.shape_count = 1;
    REQUIRE(sp_world_add_rigid(f.world, &box, &id) == SP_OK);
    def.side = SP_SURFACE_INSIDE, def.field = 0.02;
    CHECK_INT(sp_world_set_surface_contact(f.world, id, 0, &def), SP_OK);
    CHECK_INT(sp_world_distance_field_info(f.world, id, 0, &info), SP_OK);
    CHECK(info.cell == 0.02 && info.cells[0] == 5 && info.cells[2] == 5 && info.blocks_near <= info.blocks && info.bytes > 4000);
    // refused: not of a soft body, no such surface, not from the default
    CHECK_INT(sp_world_set_surface_contact(f.world, f.beam, 0, &def), SP_BAD_INPUT);
    CHECK_INT(sp_world_set_surface_contact(f.world, id, 1, &def), SP_BAD_INPUT);
    def.cookie = 0;
    CHECK_INT(sp_world_set_surface_contact(f.world, id, 0, &def), SP_BAD_INPUT);
    CHECK_INT(sp_world_distance_field_info(f.world, id, 0, &info), SP_OK);
    def = sp_surface_contact_def_default();
    CHECK_INT(sp_world_set_surface_contact(f.world, id, 0, &def), SP_OK);
    CHECK_INT(sp_world_distance_field_info(f.world, id, 0, &info), SP_BAD_INPUT);
    tear_down(&f);
}

TEST(rods) {
    fixture f;
    REQUIRE(set_up(&f));
    sp_pose root;
    double points[12 * 3], length, curvature[4 * 3], farthest, natural[4 * 3];
    for (int i = 0; i < 12; i++) {
        double angle = 0.1 * i;
        points[3 * i] = 0.5 * sin(angle), points[3 * i + 1] = 0.5 * (1 - cos(angle)), points[3 * i + 2] = 0;
    }
    // an arc of radius 0.5
    REQUIRE(sp_rod_fit(f.context, points, 12, 3, true, &root, &length, curvature, &farthest) == SP_OK);
    CHECK_NEAR(length, 0.55, 1e-3);
    CHECK_NEAR(curvature[5], 2, 1e-2);
    CHECK(farthest < 1e-4);
    sp_rod_section section = sp_rod_section_default();
    section.axes[0] = section.axes[1] = 0.01, section.young = 1e8;
    sp_rod_strand strand = {.length = length, .elements = 3, .root = root, .curvature = curvature};
    sp_rod_def def = sp_rod_def_default();
    def.name = "rod", def.strands = &strand, def.strand_count = 1, def.sections = &section, def.section_count = 1;
    sp_body_id rod;
    REQUIRE(sp_world_add_rod(f.world, &def, &rod) == SP_OK);
    CHECK_INT(sp_world_rod_invert(f.world, rod, natural), SP_OK);
    CHECK(natural[2] > curvature[2]);  // curved upwards, so that the weight brings it to the given shape
    sp_body_measures info;
    CHECK_INT(sp_world_step(f.world, 0.01), SP_OK);
    CHECK(sp_world_body_measure(f.world, rod, &info) == SP_OK && info.kinetic < 1e-18);
    // elements are lines between consecutive nodes
    int lines[2 * 3];
    sp_element_view elements;
    CHECK_INT(sp_world_elements(f.world, rod, lines, &elements), SP_OK);
    CHECK(elements.type == SP_ELEMENT_LINE2 && elements.nodes_per_element == 2 && elements.count == 3);
    for (int e = 0; e < 3; e++) CHECK(lines[2 * e] == e && lines[2 * e + 1] == e + 1);
    // a drag of the tube pulls the centreline
    sp_anchor anchor;
    CHECK_INT(sp_world_anchor_face(f.world, rod, 0, 40, (double[3]){0.1, 0.8, 0.1}, &anchor), SP_OK);
    for (int k = 0; k < 3; k++) CHECK(anchor.offset[k] == 0);
    CHECK(anchor.elem < 3 && anchor.at[0] >= 0 && anchor.at[0] <= 1);
    tear_down(&f);
}

// closed forms of sp_material_moduli
TEST(moduli_at_small_strains) {
    sp_moduli out;
    char wrong[100] = "old";
    sp_material m = sp_solid_def_default().material;
    m.young = 2e4, m.poisson = 0.25;
    CHECK(sp_material_moduli(&(sp_solid_law){.model = SP_COROTATIONAL}, &m, &out, wrong, sizeof wrong) && !wrong[0]);
    CHECK_NEAR(out.young, 2e4, 1e-9), CHECK_NEAR(out.poisson, 0.25, 1e-14);
    CHECK_NEAR(out.shear, 8e3, 1e-9), CHECK_NEAR(out.bulk, 4e4 / 3, 1e-9);
    // a network of springs has Poisson's ratio 1/4, whatever `poisson` is
    m.poisson = 0.4;
    sp_moduli springs;
    CHECK(sp_material_moduli(&(sp_solid_law){.model = SP_MASS_SPRING}, &m, &springs, NULL, 0));
    CHECK_NEAR(springs.young, out.young, 1e-9), CHECK_NEAR(springs.poisson, out.poisson, 1e-14);
    CHECK_NEAR(springs.shear, out.shear, 1e-9), CHECK_NEAR(springs.bulk, out.bulk, 1e-9);
    // coefficients and a bulk modulus: mu = 2 (c10 + c01)
    m.coefficient_count = 2, m.coefficients[0] = 2e3, m.coefficients[1] = 500, m.bulk = 1e7;
    CHECK(sp_material_moduli(&(sp_solid_law){.model = SP_MOONEY_RIVLIN}, &m, &out, NULL, 0));
    CHECK_NEAR(out.shear, 5e3, 1e-9), CHECK_NEAR(out.bulk, 1e7, 1e-5);
    CHECK_NEAR(out.young, 9 * 1e7 * 5e3 / (3e7 + 5e3), 1e-9), CHECK_NEAR(out.poisson, (3e7 - 1e4) / (6e7 + 1e4), 1e-14);
    m.coefficient_count = 1;
    CHECK(!sp_material_moduli(&(sp_solid_law){.model = SP_MOONEY_RIVLIN}, &m, &out, wrong, sizeof wrong));
    CHECK(isnan(out.shear) && isnan(out.bulk) && isnan(out.young) && isnan(out.poisson));
    CHECK(!strcmp(wrong, "1 coefficients, mooney-rivlin has 2"));
}

static sp_status build_ball(void *user, int index, sp_world *world) {
    sp_rigid_shape sphere = {.type = SP_SPHERE, .size = {0.1}, .pose = sp_pose_identity()};
    sp_rigid_def def = sp_rigid_def_default();
    def.name = "ball", def.shapes = &sphere, def.shape_count = 1, def.free = true;
    ++*(int *)user;
    return index < 3 ? sp_world_add_rigid(world, &def, NULL) : SP_BAD_INPUT;
}

TEST(batches) {
    sp_context *context = make_context();
    sp_batch *batch = NULL;
    sp_batch_def def = sp_batch_def_default();
    sp_batch_view view;
    sp_batch_memory memory;
    int built = 0;
    def.count = 3, def.build = build_ball, def.user = &built;
    REQUIRE(context && sp_batch_create(context, &def, &batch) == SP_OK);
    CHECK(built == 3 && sp_batch_count(batch) == 3 && !sp_batch_world(batch, 3));
    CHECK_INT(sp_batch_step(batch, 0.01), SP_OK);
    CHECK_INT(sp_batch_run(batch, 0.01, 1, (int[]){0}, 1), SP_OK);
    CHECK_INT(sp_batch_keep(batch, 2), SP_OK);
    CHECK_INT(sp_batch_step_some(batch, 0.01, (int[]){2}, 1), SP_OK);
    CHECK_INT(sp_batch_statuses(batch)[2], SP_OK);
    CHECK(sp_world_steps(sp_batch_world(batch, 1)) == 1 && sp_world_steps(sp_batch_world(batch, 2)) == 2);
    CHECK_INT(sp_batch_reset(batch, (int[]){2}, 1), SP_OK);
    CHECK(sp_world_steps(sp_batch_world(batch, 2)) == 1);
    CHECK_INT(sp_batch_field(batch, "ball", "pose", &view), SP_OK);
    CHECK(view.worlds == 3 && view.items == 1 && view.components == 7 && view.values[8] < 0);
    sp_batch_get_memory(batch, &memory);
    CHECK(memory.bytes > memory.constant + memory.lent && memory.constant > 0);
    sp_batch_destroy(&batch);
    CHECK(!batch);
    sp_context_destroy(&context);
}
