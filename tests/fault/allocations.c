// The n-th allocation fails, for every kind of n (failing.h): nothing leaks, nothing crashes, and the failed call succeeds when
// repeated.
#include "failing.h"
#include "souple/souple.h"
#include "test.h"

typedef struct story {
    counter c;
    sp_context *ctx;
    sp_world *w;
    sp_mesh *mesh;
    bool failed;  // an SP_NO_MEMORY was seen
    sp_compliance_type compliance;
    int workers;
} story;

// Makes a call; where memory ran out, repeats it: only one allocation fails, so the second call must succeed.
#define AGAIN(s, call)                                                                \
    do {                                                                              \
        sp_status first_ = (call);                                                    \
        if (first_ == SP_NO_MEMORY) (s)->failed = true, first_ = (call);              \
        if (first_ < 0) SP_TEST_FAILED("%s gives %s", #call, sp_status_name(first_)); \
    } while (0)

static sp_status make_context(story *s) {
    sp_context_def def = sp_context_def_default();
    def.alloc = count_alloc, def.free = count_free, def.alloc_user = &s->c;
    def.workers = s->workers;
    return sp_context_create(&def, &s->ctx);
}

static sp_status make_mesh(story *s) {
    const double size[3] = {0.4, 0.2, 0.2};
    const int cells[3] = {2, 1, 1};
    return sp_mesh_box(s->ctx, size, cells, 6, &s->mesh);
}

static sp_status add_solid(story *s, const char *name, sp_rotation rotation, sp_integrator_type type, sp_operator_type op) {
    const int held[] = {0, 1, 2, 3}, soft[] = {8, 9}, pushed[] = {10, 11}, face[] = {0, 1};
    sp_fix fixes[2] = {{held, 4, SP_AXES_ALL, 0}, {soft, 2, SP_AXIS_Y, 10}};
    sp_load loads[2] = {{.type = SP_LOAD_FORCE, .items = pushed, .count = 2, .value = {sp_signal_constant(1)}},
                        {.type = SP_LOAD_PRESSURE, .items = face, .count = 2, .value = {sp_signal_constant(5)}}};
    sp_spring_def pull = {.at = {.elem = 3, .at = {0.25, 0.25, 0.25}}, .stiffness = 5};
    sp_material regions[2] = {{.density = 900, .young = 1e4, .poisson = 0.4},
                              {.density = 900, .young = 1e4, .poisson = 0.4, .incompressibility = 1e4}};
    const int of[12] = {0, 1, 2, 1};
    sp_solid_law laws[2] = {{.model = type == SP_NEWTON ? SP_OGDEN : SP_COROTATIONAL, .rotation = rotation},
                            {.model = SP_TENSOR_MASS, .rotation = rotation}};
    sp_solid_def def = sp_solid_def_default();
    sp_body_id id;
    def.name = name, def.mesh = s->mesh, def.rotation = rotation, def.material.young = 2e4;
    def.fixes = fixes, def.fix_count = 2, def.loads = loads, def.load_count = 2, def.springs = &pull, def.spring_count = 1;
    def.regions = regions, def.region_laws = laws, def.region_count = 2, def.element_region = of;
    def.integrator.type = type, def.integrator.substeps = type == SP_NEWTON ? 2 : SP_SUBSTEPS_AUTO, def.solver.cg.op = op;
    return sp_world_add_solid(s->w, &def, &id);
}

static sp_status add_rigid(story *s) {
    sp_rigid_shape shapes[2] = {{.type = SP_PLANE, .size = {0, 1, 0}, .pose = sp_pose_identity()},
                                {.type = SP_CYLINDER, .size = {0.1, 0.2}, .pose = sp_pose_identity()}};
    sp_rigid_def def = sp_rigid_def_default();
    sp_body_id id;
    def.name = "floor", def.shapes = shapes, def.shape_count = 2, def.kinematic = true;
    return sp_world_add_rigid(s->w, &def, &id);
}

// a free body from a surface, which is examined and integrated
static sp_status add_free(story *s) {
    sp_rigid_def def = sp_rigid_def_default();
    sp_load push = {.type = SP_LOAD_FORCE, .value = {sp_signal_constant(1)}};
    sp_spring_def pull = {.stiffness = 5};
    sp_trimesh *surface;
    sp_status status = sp_mesh_boundary(s->mesh, &surface);
    if (status < 0) return status;
    const sp_trimesh *one = surface;
    def.name = "stone", def.meshes = &one, def.mesh_count = 1, def.free = true, def.spin[0] = 3;
    def.loads = &push, def.load_count = 1, def.springs = &pull, def.spring_count = 1, def.integrator.substeps = 2;
    status = sp_world_add_rigid(s->w, &def, NULL);
    sp_trimesh_destroy(&surface);
    return status;
}

static sp_status queue(story *s, sp_edit_type type) {
    sp_edit e = sp_edit_default(type);
    e.body = sp_world_body_named(s->w, type == SP_EDIT_POSE ? "floor" : "soft");
    e.node = 10, e.axes = SP_AXIS_X, e.value = 3e4, e.stiffness = 10, e.target[0] = 1;
    strcpy(e.path, "soft.young");
    if (type == SP_EDIT_DRAG && sp_world_anchor_node(s->w, e.body, 11, &e.anchor) < 0) return SP_BAD_ID;
    return sp_world_queue(s->w, &e);
}

static void play(story *s) {
    sp_contact_def contact = sp_contact_def_default();
    sp_checkpoint c = {0};
    AGAIN(s, make_context(s));
    AGAIN(s, make_mesh(s));
    AGAIN(s, sp_world_create(s->ctx, NULL, &s->w));
    AGAIN(s, add_solid(s, "soft", SP_ROTATION_POLAR, SP_IMPLICIT_EULER, SP_OPERATOR_ASSEMBLED));
    AGAIN(s, add_solid(s, "other", SP_ROTATION_SVD, SP_NEWTON, SP_OPERATOR_FREE));
    AGAIN(s, add_rigid(s));
    AGAIN(s, sp_world_publish_field(s->w, sp_world_body_named(s->w, "soft"), "stress", true));
    AGAIN(s, sp_world_set_contact(s->w, &contact));
    const sp_edit_type edits[] = {SP_EDIT_PARAM, SP_EDIT_PIN, SP_EDIT_DRAG, SP_EDIT_POSE};
    for (int i = 0; i < 4; i++) AGAIN(s, queue(s, edits[i]));
    for (int k = 0; k < 3; k++) AGAIN(s, sp_world_step(s->w, 0.01));
    const sp_snapshot *snapshot = sp_world_snapshot_acquire(s->w);
    CHECK(snapshot != NULL);
    AGAIN(s, sp_world_save(s->w, &c));
    AGAIN(s, sp_world_step(s->w, 0.01));
    AGAIN(s, sp_world_restore(s->w, c.data, c.size));
    AGAIN(s, sp_world_step(s->w, 0.01));
    AGAIN(s, sp_world_set_contact(s->w, NULL));
    AGAIN(s, add_free(s));
    AGAIN(s, sp_world_step(s->w, 0.01));
    sp_world_snapshot_release(s->w, snapshot);
    sp_checkpoint_free(s->w, &c);
}

static uint64_t close_story(story *s) {
    uint64_t hash = s->w ? sp_world_hash(s->w) : 0;
    sp_world_destroy(&s->w);
    sp_mesh_destroy(&s->mesh);
    sp_context_destroy(&s->ctx);
    return hash;
}

// ---------------------------------------------------------------------------------------------------- contact by constraints

static sp_status add_touching(story *s) {
    sp_solid_def def = sp_solid_def_default();
    sp_rigid_shape plane = {.type = SP_PLANE, .size = {0, 1, 0}, .pose = sp_pose_identity()};
    sp_rigid_def floor = sp_rigid_def_default();
    def.name = "soft", def.mesh = s->mesh, def.material.young = 2e4, def.compliance = s->compliance;
    def.solver.type = SP_SOLVER_CG;
    sp_status status = sp_world_body_named(s->w, "soft").slot ? SP_OK : sp_world_add_solid(s->w, &def, NULL);
    plane.pose.translate[1] = -0.001;
    floor.name = "floor", floor.shapes = &plane, floor.shape_count = 1;
    return status < 0 ? status : sp_world_add_rigid(s->w, &floor, NULL);
}

// a free box that touches the soft body from above
static sp_status add_stone(story *s) {
    sp_rigid_shape shape = {.type = SP_BOX, .size = {0.1, 0.1, 0.1}, .pose = {{0.1, 0.201, 0.05}, {1, 0, 0, 0}}};
    sp_rigid_def def = sp_rigid_def_default();
    def.name = "stone", def.shapes = &shape, def.shape_count = 1, def.free = true;
    return sp_world_add_rigid(s->w, &def, NULL);
}

// the lower nodes of the soft body on the floor, and the whole body on the stone
static sp_status add_pair(story *s, const char *name, const char *other, bool part) {
    const int nodes[] = {0, 1, 2, 3};
    sp_contact_part a = sp_contact_part_body(sp_world_body_named(s->w, "soft"));
    sp_contact_part b = sp_contact_part_body(sp_world_body_named(s->w, other));
    sp_contact_pair_def def = sp_contact_pair_def_default();
    if (part) a.nodes = nodes, a.node_count = 4;
    def.name = name, def.a = &a, def.b = &b, def.a_count = def.b_count = 1, def.friction = 0.2;
    return sp_world_add_contact_pair(s->w, &def, NULL);
}

static sp_status add_friction(story *s) {
    const sp_contact_part floor = sp_contact_part_body(sp_world_body_named(s->w, "floor"));
    return sp_world_add_friction(s->w, &floor, 0.4, "floor.friction");
}

static void play_formulation(story *s, sp_contact_formulation formulation, int contacts) {
    sp_contact_problem problem;
    sp_contact_def contact = sp_contact_def_default();
    sp_checkpoint c = {0};
    contact.formulation = formulation, contact.friction = 0.3, contact.gap = 1e-3, contact.pixel = 0.02;
    AGAIN(s, make_context(s));
    AGAIN(s, make_mesh(s));
    AGAIN(s, sp_world_create(s->ctx, NULL, &s->w));
    AGAIN(s, sp_world_set_contact(s->w, &contact));
    AGAIN(s, add_touching(s));
    AGAIN(s, add_stone(s));
    AGAIN(s, add_pair(s, "low", "floor", true));
    AGAIN(s, add_pair(s, "high", "stone", false));
    AGAIN(s, add_friction(s));
    for (int k = 0; k < 2; k++) AGAIN(s, sp_world_step(s->w, 0.01));
    CHECK(sp_world_contact_count(s->w) >= contacts);
    AGAIN(s, sp_world_contact_problem(s->w, &problem));
    AGAIN(s, sp_world_save(s->w, &c));
    AGAIN(s, sp_world_step(s->w, 0.01));
    AGAIN(s, sp_world_restore(s->w, c.data, c.size));
    AGAIN(s, sp_world_step(s->w, 0.01));
    AGAIN(s, sp_world_remove(s->w, sp_world_body_named(s->w, "stone")));
    AGAIN(s, sp_world_step(s->w, 0.01));
    AGAIN(s, sp_world_restore(s->w, c.data, c.size) == SP_BAD_INPUT ? SP_OK : SP_STOPPED);  // a body is missing
    sp_checkpoint_free(s->w, &c);
}

static void play_contact(story *s) {
    play_formulation(s, SP_CONTACT_PROXIMITY, 4);
}

static void play_volumes(story *s) {
    play_formulation(s, SP_CONTACT_VOLUME, 1);
}

// ---------------------------------------------------------------------------------------------------- links

// the solid on the floor and the stone on the solid; faces on faces need a second solid
static sp_status add_link(story *s, const char *name, const char *a, const char *b, sp_link_type type) {
    sp_link_def def = sp_link_def_default();
    def.name = name, def.type = type, def.a.body = sp_world_body_named(s->w, a), def.b.body = sp_world_body_named(s->w, b);
    def.within = 0.05, def.stiffness = type == SP_LINK_SPRING ? 10 : 0, def.has_point = type >= SP_LINK_SLIDE;
    def.friction = type == SP_LINK_SLIDE ? 0.3 : 0, def.axis[0] = 1;
    if (strcmp(b, "rod") == 0) def.guide = SP_GUIDE_CENTRELINE;
    return sp_world_add_link(s->w, &def, NULL);
}

static sp_status add_upper(story *s) {
    sp_pose pose = {{0, 0.2, 0}, {1, 0, 0, 0}};
    sp_mesh *mesh = NULL;
    sp_status status = sp_mesh_transformed(s->mesh, NULL, &pose, &mesh);
    sp_solid_def def = sp_solid_def_default();
    def.name = "upper", def.mesh = mesh;
    if (status >= 0) status = sp_world_add_solid(s->w, &def, NULL);
    sp_mesh_destroy(&mesh);
    return status;
}

// along the x axis from the origin
static sp_status add_rod(story *s) {
    sp_rod_strand strand = {.length = 0.2, .elements = 4, .root = sp_pose_identity()};
    sp_rod_section section = sp_rod_section_default();
    sp_rod_def def = sp_rod_def_default();
    section.axes[0] = section.axes[1] = 0.01;
    def.name = "rod", def.model = SP_ROD_BEAM, def.strands = &strand, def.strand_count = 1;
    def.sections = &section, def.section_count = 1, def.free_root = true;
    return sp_world_add_rod(s->w, &def, NULL);
}

static sp_status queue_link(story *s, sp_edit_type type, const char *name) {
    sp_edit e = sp_edit_default(type);
    strcpy(e.path, name);
    return sp_world_queue(s->w, &e);
}

// a body and a link that edits add, and that leave
static void change_bodies(story *s) {
    const double from[3] = {0, 9, 0}, to[3] = {0, 8, 0};
    double fraction;
    sp_edit e = sp_edit_default(SP_EDIT_ADD);
    strcpy(e.path, "pebble");
    e.shape = SP_SPHERE, e.size[0] = 0.1, e.free = true;
    memcpy(e.pose.translate, from, sizeof from);
    AGAIN(s, sp_world_queue(s->w, &e));
    AGAIN(s, sp_world_step(s->w, 0.01));
    AGAIN(s, sp_world_sweep(s->w, from, to, 0.05, &fraction, NULL));
    e = sp_edit_default(SP_EDIT_LINK);
    strcpy(e.path, "band");
    e.anchor.body = sp_world_body_named(s->w, "pebble");
    AGAIN(s, sp_world_anchor_node(s->w, sp_world_body_named(s->w, "soft"), 0, &e.other));
    AGAIN(s, sp_world_queue(s->w, &e));
    AGAIN(s, sp_world_step(s->w, 0.01));
    CHECK(sp_world_link_named(s->w, "band").slot != 0);
    e = sp_edit_default(SP_EDIT_REMOVE);
    e.body = sp_world_body_named(s->w, "pebble");
    AGAIN(s, sp_world_queue(s->w, &e));
    AGAIN(s, sp_world_step(s->w, 0.01));
    CHECK(sp_world_link_named(s->w, "band").slot == 0);
}

// elements that an edit removes, a checkpoint of that, and the way back
static void remove_elements(story *s) {
    const sp_body_id soft = sp_world_body_named(s->w, "soft");
    sp_checkpoint c = {0};
    sp_edit e = sp_edit_default(SP_EDIT_REMOVE_ELEMENT);
    e.body = soft;
    AGAIN(s, sp_world_queue(s->w, &e));
    AGAIN(s, sp_world_step(s->w, 0.01));
    AGAIN(s, sp_world_save(s->w, &c));
    AGAIN(s, sp_world_set_removed(s->w, soft, NULL));
    AGAIN(s, sp_world_step(s->w, 0.01));
    AGAIN(s, sp_world_restore(s->w, c.data, c.size));
    sp_body_info info;
    CHECK(sp_world_body_info(s->w, soft, &info) == SP_OK && info.removed == 1);
    AGAIN(s, sp_world_step(s->w, 0.01));
    sp_checkpoint_free(s->w, &c);
}

static void play_links(story *s) {
    sp_checkpoint c = {0};
    AGAIN(s, make_context(s));
    AGAIN(s, make_mesh(s));
    AGAIN(s, sp_world_create(s->ctx, NULL, &s->w));
    AGAIN(s, add_touching(s));
    AGAIN(s, add_stone(s));
    AGAIN(s, add_upper(s));
    AGAIN(s, add_link(s, "glue", "upper", "soft", SP_LINK_WELD));
    AGAIN(s, add_link(s, "spring", "soft", "floor", SP_LINK_SPRING));
    AGAIN(s, add_rod(s));
    AGAIN(s, add_link(s, "clamp", "rod", "floor", SP_LINK_WELD));
    AGAIN(s, add_link(s, "bead", "stone", "rod", SP_LINK_SLIDE));
    AGAIN(s, queue_link(s, SP_EDIT_DETACH, "spring"));
    AGAIN(s, sp_world_step(s->w, 0.01));
    AGAIN(s, sp_world_save(s->w, &c));
    AGAIN(s, queue_link(s, SP_EDIT_ATTACH, "spring"));
    AGAIN(s, sp_world_step(s->w, 0.01));
    AGAIN(s, sp_world_restore(s->w, c.data, c.size));
    AGAIN(s, sp_world_step(s->w, 0.01));
    sp_checkpoint_free(s->w, &c);
    change_bodies(s);
    remove_elements(s);
}

// ---------------------------------------------------------------------------------------------------- growth

// an element divided in four around a new node, a checkpoint of that, and the solid as it was made
static sp_status divide(story *s, sp_body_id soft) {
    sp_addition add = sp_addition_default();
    sp_anchor middle = {.body = soft, .elem = 3, .at = {0.25, 0.25, 0.25}};
    const int removed[1] = {3}, like[4] = {3, 3, 3, 3};
    const int *own = sp_mesh_tets(s->mesh) + 12;
    int nodes[16];
    for (int i = 0; i < 16; i++) nodes[i] = i / 4 == i % 4 ? sp_mesh_node_count(s->mesh) : own[i % 4];
    add.node_count = 1, add.at = &middle, add.element_count = 4, add.like = like, add.nodes = nodes, add.node_entries = 16;
    add.removed = removed, add.removed_count = 1;
    return sp_world_append(s->w, soft, &add);
}

static void play_growth(story *s) {
    sp_contact_def contact = sp_contact_def_default();
    sp_checkpoint before = {0}, after = {0};
    sp_body_info info;
    contact.formulation = SP_CONTACT_PROXIMITY;
    AGAIN(s, make_context(s));
    AGAIN(s, make_mesh(s));
    AGAIN(s, sp_world_create(s->ctx, NULL, &s->w));
    AGAIN(s, sp_world_set_contact(s->w, &contact));
    AGAIN(s, add_touching(s));
    AGAIN(s, sp_world_step(s->w, 0.01));
    const sp_body_id soft = sp_world_body_named(s->w, "soft");
    AGAIN(s, sp_world_save(s->w, &before));
    AGAIN(s, divide(s, soft));
    AGAIN(s, sp_world_step(s->w, 0.01));
    AGAIN(s, sp_world_save(s->w, &after));
    AGAIN(s, sp_world_restore(s->w, before.data, before.size));
    CHECK(sp_world_body_info(s->w, soft, &info) == SP_OK && info.appended == 0);
    AGAIN(s, sp_world_restore(s->w, after.data, after.size));
    CHECK(sp_world_body_info(s->w, soft, &info) == SP_OK && info.appended == 4);
    AGAIN(s, sp_world_step(s->w, 0.01));
    sp_checkpoint_free(s->w, &before), sp_checkpoint_free(s->w, &after);
}

// ---------------------------------------------------------------------------------------------------- every allocation

static failing paths;

static void every_allocation(void (*tell)(story *s), sp_compliance_type compliance) {
    failing_next(&paths);
    // layered images grow inside their tasks, and the allocations of two threads have no order
    const int workers = tell == play_volumes ? 1 : 2;
    story all = {.c = {.paths = &paths}, .compliance = compliance, .workers = workers};
    tell(&all);
    failing_choose(&paths);
    uint64_t hash = close_story(&all);
    CHECK_INT(all.c.live, 0);
    CHECK(all.c.calls > 100 && !all.failed);
    for (long n = 1; n <= all.c.calls && !sp_test_failures; n++) {
        if (!paths.fails[n - 1]) continue;
        story s = {.c = {.fail_at = n}, .compliance = compliance, .workers = workers};
        tell(&s);
        // the same end state, independent of what failed before
        CHECK(close_story(&s) == hash);
        CHECK_INT(s.c.refused, 1);
        CHECK_INT(s.c.live, 0);
        if (sp_test_failures) printf("  ... with allocation %ld of %ld\n", n, all.c.calls);
    }
}

TEST(every_allocation_may_fail) {
    every_allocation(play, SP_COMPLIANCE_AUTO);
    failing_free(&paths);
}

TEST(every_allocation_of_contact_may_fail) {
    static const sp_compliance_type types[] = {SP_COMPLIANCE_EXACT, SP_COMPLIANCE_WARPED};
    for (int i = 0; i < 2; i++)
        every_allocation(play_contact, types[i]);  // one place of the call, so that the paths are the same
    failing_free(&paths);
}

TEST(every_allocation_of_volumes_may_fail) {
    every_allocation(play_volumes, SP_COMPLIANCE_EXACT);
    failing_free(&paths);
}

TEST(every_allocation_of_growth_may_fail) {
    every_allocation(play_growth, SP_COMPLIANCE_AUTO);
    failing_free(&paths);
}

TEST(every_allocation_of_links_may_fail) {
    every_allocation(play_links, SP_COMPLIANCE_EXACT);
    failing_free(&paths);
}
