// Elements that edits remove: what is refused, the boundary that is left, nodes without elements, the hash, failed steps,
// checkpoints, snapshots, and the way back, which restores every bit. tests/verify/removal.c checks the mechanics.
#include "meter.h"
#include "test.h"

#include "verify/element_boxes.h"
#include "world/world_internal.h"

static const double size[3] = {0.4, 0.2, 0.2};
static const int cells[3] = {4, 2, 2};
static const double h = 0.01;

// a box of one type of element, its side x = 0 clamped
static void start(lab *l, sp_element_type type, sp_material_model model, bool snapshots) {
    int count;
    REQUIRE(lab_context(l));
    REQUIRE(element_box(l->ctx, type, size, cells, 0.2, &l->mesh) == SP_OK);
    int *wall = plane_nodes(l->mesh, 0, 0, &count);
    sp_fix fix = {wall, count, SP_AXES_ALL, 0};
    sp_solid_def def = lab_solid(l);
    sp_world_def wd = sp_world_def_default();
    def.model = model, def.fixes = &fix, def.fix_count = 1;
    def.material.young = 5e4, def.material.poisson = 0.4;
    wd.snapshots = snapshots;
    l->nodes = sp_mesh_node_count(l->mesh), l->tets = sp_mesh_element_count(l->mesh);
    REQUIRE(sp_world_create(l->ctx, &wd, &l->world) == SP_OK);
    REQUIRE(sp_world_add_solid(l->world, &def, &l->body) >= 0);
    free(wall);
}

static void queue_removal(lab *l, int element) {
    sp_edit e = sp_edit_default(SP_EDIT_REMOVE_ELEMENT);
    e.body = l->body, e.node = element;
    CHECK_INT(sp_world_queue(l->world, &e), SP_OK);
}

static bool refused(lab *l, const char *why) {
    sp_event e;
    CHECK_INT(sp_world_step(l->world, h), SP_EDIT_REFUSED);
    for (int i = 0; sp_world_event_at(l->world, i, &e) >= 0; i++)
        if (strstr(e.text, why)) return true;
    return false;
}

// elements with a node at x = 0.4
static bool at_the_end(const sp_mesh *mesh, int e) {
    const int *node;
    for (int a = sp_element_nodes(sp_mesh_element(mesh, e, &node)) - 1; a >= 0; a--)
        if (sp_mesh_positions(mesh)[3 * node[a]] > size[0] - 1e-9) return true;
    return false;
}

static int remove_end(lab *l) {
    int count = 0;
    for (int e = 0; e < l->tets; e++)
        if (at_the_end(l->mesh, e)) queue_removal(l, e), count++;
    return count;
}

// ---------------------------------------------------------------------------------------------------- refusals

TEST(what_is_refused) {
    lab l;
    start(&l, SP_ELEMENT_TET4, SP_COROTATIONAL, false);
    sp_edit e = sp_edit_default(SP_EDIT_REMOVE_ELEMENT);
    e.body = l.body, e.node = -1;
    CHECK_INT(sp_world_queue(l.world, &e), SP_BAD_INPUT);
    CHECK(strstr(sp_world_error(l.world)->message, "element -1, must be >= 0"));
    queue_removal(&l, l.tets);
    CHECK(refused(&l, "no element of that number"));
    // again changes nothing
    queue_removal(&l, 3), queue_removal(&l, 3);
    CHECK_INT(sp_world_step(l.world, h), SP_OK);
    queue_removal(&l, 3);
    CHECK_INT(sp_world_step(l.world, h), SP_OK);
    CHECK_INT(lab_info(&l).removed, 1);
    for (int i = 0; i < l.tets; i++)
        if (i != 3) queue_removal(&l, i);
    CHECK(refused(&l, "last element"));
    CHECK_INT(lab_info(&l).removed, l.tets - 1);
    e.body.generation++, e.node = 0;
    CHECK_INT(sp_world_queue(l.world, &e), SP_OK);
    CHECK(refused(&l, "null or stale"));
    e = sp_edit_default(SP_EDIT_REMOVE_ELEMENT), e.body = l.body;
    CHECK_INT(sp_world_apply(l.world, &e), SP_BAD_INPUT);  // it is queued
    lab_close(&l);
}

TEST(rods_and_rigid_bodies_keep_their_elements) {
    lab l;
    sp_body_id ground;
    start(&l, SP_ELEMENT_TET4, SP_COROTATIONAL, false);
    sp_rigid_shape plane = {SP_PLANE, {0, 1, 0}, sp_pose_identity()};
    sp_rigid_def rigid = sp_rigid_def_default();
    rigid.shapes = &plane, rigid.shape_count = 1;
    REQUIRE(sp_world_add_rigid(l.world, &rigid, &ground) == SP_OK);
    sp_edit e = sp_edit_default(SP_EDIT_REMOVE_ELEMENT);
    e.body = ground;
    CHECK_INT(sp_world_queue(l.world, &e), SP_OK);
    CHECK(refused(&l, "only elements of solids"));
    const unsigned char none[1] = {0};
    CHECK_INT(sp_world_set_removed(l.world, ground, none), SP_BAD_INPUT);
    CHECK(strstr(sp_world_error(l.world)->message, "only elements of solids"));
    CHECK_INT(sp_world_set_removed(l.world, (sp_body_id){9, 9}, none), SP_BAD_ID);
    lab_close(&l);
}

// The factor of the first matrix would be that of the whole body.
TEST(warped_compliances_are_refused) {
    lab l;
    REQUIRE(lab_context(&l));
    REQUIRE(element_box(l.ctx, SP_ELEMENT_TET4, size, cells, 0, &l.mesh) == SP_OK);
    sp_solid_def def = lab_solid(&l);
    def.compliance = SP_COMPLIANCE_WARPED;
    REQUIRE(lab_world(&l, &def, 0));
    queue_removal(&l, 3);
    CHECK(refused(&l, "keeps the factor of the whole body"));
    const unsigned char some[80] = {1};
    CHECK_INT(sp_world_set_removed(l.world, l.body, some), SP_BAD_INPUT);
    CHECK(strstr(sp_world_error(l.world)->message, "keeps the factor"));
    lab_close(&l);
}

TEST(all_at_once_are_refused) {
    lab l;
    start(&l, SP_ELEMENT_HEX8, SP_COROTATIONAL, false);
    int n = lab_info(&l).cells;
    unsigned char *all = malloc((size_t)n);
    memset(all, 1, (size_t)n);
    uint64_t hash = sp_world_hash(l.world);
    CHECK_INT(sp_world_set_removed(l.world, l.body, all), SP_BAD_INPUT);
    CHECK(strstr(sp_world_error(l.world)->message, "one must be left"));
    CHECK(lab_info(&l).removed == 0 && sp_world_hash(l.world) == hash);
    free(all);
    lab_close(&l);
}

// ---------------------------------------------------------------------------------------------------- boundary

typedef struct face {
    int node[3];
} face;

static int compare_faces(const void *a, const void *b) {
    return memcmp(a, b, sizeof(face));
}

// the lowest node first: the orientation stays
static face face_of(const int *node) {
    int low = node[1] < node[0] ? (node[2] < node[1] ? 2 : 1) : node[2] < node[0] ? 2 : 0;
    return (face){{node[low], node[(low + 1) % 3], node[(low + 2) % 3]}};
}

static sp_status mesh_without(const sp_mesh *from, const unsigned char *gone, sp_mesh **out) {
    int n = sp_mesh_element_count(from), at = 0, count = 0;
    sp_element_type *types = calloc((size_t)n, sizeof *types);
    int *nodes = calloc(10 * (size_t)n, sizeof *nodes);
    for (int e = 0; e < n; e++) {
        const int *own;
        if (gone[e]) continue;
        types[count] = sp_mesh_element(from, e, &own);
        for (int a = 0; a < sp_element_nodes(types[count]); a++) nodes[at++] = own[a];
        count++;
    }
    sp_mesh_def def = sp_mesh_def_default();
    def.node_count = sp_mesh_node_count(from), def.positions = sp_mesh_positions(from);
    def.element_count = count, def.element_types = types, def.element_nodes = nodes;
    def.fix_orientation = false;
    sp_status status = sp_mesh_create(sp_mesh_context(from), &def, out);
    free(types), free(nodes);
    return status;
}

static void check_boundary(lab *l, const unsigned char *gone) {
    sp_mesh *rest;
    sp_surface_info s;
    REQUIRE(mesh_without(l->mesh, gone, &rest) == SP_OK);
    REQUIRE(sp_world_surface_info(l->world, l->body, 0, &s) == SP_OK);
    const int n = sp_mesh_face_count(rest);
    CHECK_INT(s.face_count, n);
    face *a = calloc((size_t)n, sizeof *a), *b = calloc((size_t)n, sizeof *b);
    for (int f = 0; f < n && s.face_count == n; f++) {
        int node[3];
        for (int k = 0; k < 3; k++) node[k] = s.nodes[s.faces[3 * f + k]];
        a[f] = face_of(node), b[f] = face_of(sp_mesh_faces(rest) + 3 * f);
    }
    qsort(a, (size_t)n, sizeof *a, compare_faces), qsort(b, (size_t)n, sizeof *b, compare_faces);
    CHECK(memcmp(a, b, (size_t)n * sizeof *a) == 0);
    free(a), free(b);
    sp_mesh_destroy(&rest);
}

// the vertices of a face, by the cell behind it, are where its vertices are
static void check_anchors(lab *l) {
    sp_surface_info s;
    REQUIRE(sp_world_surface_info(l->world, l->body, 0, &s) == SP_OK);
    double *x = calloc(3 * (size_t)s.vertex_count, sizeof *x), *removed = lab_field(l, "removed");
    REQUIRE(sp_world_surface_get(l->world, l->body, 0, x, NULL, NULL) == SP_OK);
    for (int f = 0; f < s.face_count; f++) {
        sp_anchor at;
        double seen[3], mean[3] = {0};
        const double weights[3] = {0.5, 0.3, 0.2};
        REQUIRE(sp_world_anchor_face(l->world, l->body, 0, f, weights, &at) == SP_OK);
        CHECK(removed[at.elem] == 0);
        REQUIRE(sp_world_anchor_get(l->world, &at, seen, NULL) == SP_OK);
        for (int k = 0; k < 3; k++)
            for (int i = 0; i < 3; i++) mean[i] += weights[k] * x[3 * s.faces[3 * f + k] + (uint32_t)i];
        for (int i = 0; i < 3; i++) CHECK_NEAR(seen[i], mean[i], 1e-14);  // rounding of sums below 1 m
    }
    free(x), free(removed);
}

TEST(the_boundary_is_that_of_the_rest) {
    for (int t = 0; t < 3; t++) {
        lab l;
        unsigned long long seed = 5;
        start(&l, solid_types[t], SP_NEO_HOOKEAN, false);
        unsigned char *gone = calloc((size_t)l.tets, 1);
        sp_surface_info before, after;
        REQUIRE(sp_world_surface_info(l.world, l.body, 0, &before) == SP_OK);
        for (int round = 0; round < 3; round++) {
            for (int e = 0; e < l.tets; e++) {
                if (gone[e] || sp_test_random(&seed) < 0.5) continue;
                gone[e] = 1, queue_removal(&l, e);
            }
            CHECK(sp_world_step(l.world, 1e-4) >= 0);
            check_boundary(&l, gone), check_anchors(&l);
        }
        REQUIRE(sp_world_surface_info(l.world, l.body, 0, &after) == SP_OK);
        CHECK(after.revision > before.revision);
        free(gone);
        lab_close(&l);
    }
}

// Readers of snapshots see other faces with another revision, and keep the old ones as long as they hold the snapshot.
TEST(snapshots_follow) {
    lab l;
    start(&l, SP_ELEMENT_TET4, SP_COROTATIONAL, true);
    CHECK(sp_world_step(l.world, h) >= 0);
    const sp_snapshot *before = sp_world_snapshot_acquire(l.world);
    const sp_snapshot_surface *old = &before->bodies[0].surfaces[0];
    const uint32_t revision = old->revision, last = old->faces[3 * old->face_count - 1];
    remove_end(&l);
    CHECK(sp_world_step(l.world, h) >= 0);
    const sp_snapshot *after = sp_world_snapshot_acquire(l.world);
    const sp_snapshot_surface *now = &after->bodies[0].surfaces[0];
    CHECK(now->revision > revision && now->vertex_count < old->vertex_count);
    for (int v = 0; v < now->vertex_count; v++) CHECK(now->positions[3 * v] < size[0] - 0.05);
    CHECK(old->revision == revision && old->faces[3 * old->face_count - 1] == last);
    sp_world_snapshot_release(l.world, before), sp_world_snapshot_release(l.world, after);
    lab_close(&l);
}

// ---------------------------------------------------------------------------------------------------- nodes and fields

TEST(nodes_without_elements_are_held) {
    lab l;
    start(&l, SP_ELEMENT_TET4, SP_COROTATIONAL, false);
    CHECK_INT(lab_steps(&l, h, 5), SP_OK);
    int count, *end = plane_nodes(l.mesh, 0, size[0], &count), removed = remove_end(&l);
    double *before = lab_field(&l, "position");
    CHECK_INT(lab_step(&l, h), SP_OK);
    sp_event e;
    REQUIRE(sp_world_event_at(l.world, 0, &e) >= 0);
    char text[80];
    snprintf(text, sizeof text, "%d elements are removed, %d are left, %d nodes", removed, l.tets - removed, count);
    CHECK(strstr(e.text, text) != NULL);
    CHECK_INT(lab_steps(&l, h, 5), SP_OK);
    double *after = lab_field(&l, "position"), *speed = lab_field(&l, "velocity");
    for (int i = 0; i < count; i++)
        for (int k = 0; k < 3; k++) {
            CHECK(after[3 * end[i] + k] == before[3 * end[i] + k]);
            CHECK(speed[3 * end[i] + k] == 0);
        }
    sp_edit pin = sp_edit_default(SP_EDIT_RELEASE);
    pin.body = l.body, pin.node = end[0];
    CHECK_INT(sp_world_queue(l.world, &pin), SP_OK);
    CHECK(refused(&l, "all its elements were removed"));
    free(before), free(after), free(speed), free(end);
    lab_close(&l);
}

TEST(fields_of_removed_elements_are_zero) {
    static const char *const names[] = {"von-mises", "strain-energy", "energy-density", "volume-ratio", "rotation"};
    for (int t = 0; t < 3; t++) {
        lab l;
        start(&l, solid_types[t], SP_NEO_HOOKEAN, false);
        remove_end(&l);
        CHECK(lab_steps(&l, h, 3) >= 0);
        double *removed = lab_field(&l, "removed"), sum = 0;
        const int n = lab_info(&l).cells;
        for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
            double *x = lab_field(&l, names[i]);
            for (int c = 0; c < n; c++) CHECK(isfinite(x[c]) && (removed[c] == 0 || x[c] == 0));
            sum += x[0];
            free(x);
        }
        CHECK(sum > 0 && removed[0] == 0);
        free(removed);
        lab_close(&l);
    }
}

TEST(anchors_are_in_elements_that_are_left) {
    lab l;
    start(&l, SP_ELEMENT_TET4, SP_COROTATIONAL, false);
    remove_end(&l);
    CHECK(lab_step(&l, 1e-6) >= 0);
    double *removed = lab_field(&l, "removed");
    sp_anchor at;
    // a point that was inside
    CHECK_INT(sp_world_anchor_point(l.world, l.body, (double[3]){0.39, 0.11, 0.12}, &at), SP_OK);
    CHECK(removed[at.elem] == 0);
    free(removed);
    lab_close(&l);
}

// ---------------------------------------------------------------------------------------------------- back again

static void hash_steps(lab *l, int count, uint64_t *hash) {
    for (int i = 0; i < count; i++) {
        CHECK(lab_step(l, h) >= 0);
        hash[i] = sp_world_hash(l->world);
    }
}

enum { STEPS = 4 };

// Elements that return bring every bit back.
TEST(whole_again) {
    for (int t = 0; t < 6; t++) {
        lab a, b;
        uint64_t x[STEPS], y[STEPS];
        const sp_material_model model = t == 3 ? SP_COROTATIONAL : t > 3 ? SP_MASS_SPRING : SP_NEO_HOOKEAN;
        start(&a, solid_types[t % 3], model, false), start(&b, solid_types[t % 3], model, false);
        CHECK_INT(lab_steps(&a, h, 3), SP_OK);
        CHECK_INT(lab_steps(&b, h, 3), SP_OK);
        const int n = lab_info(&a).cells;
        uint64_t hash = sp_world_hash(a.world);
        unsigned char *gone = calloc((size_t)n, 1);
        for (int c = n / 3; c < n; c++) gone[c] = 1;
        CHECK_INT(sp_world_set_removed(a.world, a.body, gone), SP_OK);
        CHECK(lab_info(&a).removed > 0 && sp_world_hash(a.world) != hash);
        for (int c = 0; c < n; c++) gone[c] = c < n / 2 && c % 5 == 1;
        CHECK_INT(sp_world_set_removed(a.world, a.body, gone), SP_OK);
        CHECK_INT(sp_world_set_removed(a.world, a.body, NULL), SP_OK);
        CHECK(lab_info(&a).removed == 0 && sp_world_hash(a.world) == hash);
        hash_steps(&a, STEPS, x), hash_steps(&b, STEPS, y);
        CHECK(memcmp(x, y, sizeof x) == 0);
        free(gone);
        lab_close(&a), lab_close(&b);
    }
}

// A failed step leaves no trace, wherever it fails; its edits are taken by the next one.
TEST(failed_steps_take_it_back) {
    static const sp_stage stages[] = {SP_STAGE_TAKE_EDITS, SP_STAGE_FREE_MOTION, SP_STAGE_BALANCE};
    for (int t = 0; t < 3; t++)
        for (int i = 0; i < 3; i++) {
            lab a, b;
            uint64_t x[STEPS], y[STEPS];
            start(&a, solid_types[t], SP_NEO_HOOKEAN, false), start(&b, solid_types[t], SP_NEO_HOOKEAN, false);
            CHECK_INT(lab_steps(&a, h, 2), SP_OK);
            CHECK_INT(lab_steps(&b, h, 2), SP_OK);
            sp_edit pin = sp_edit_default(SP_EDIT_PIN);
            pin.body = a.body, pin.node = 5;
            remove_end(&a);
            CHECK_INT(sp_world_queue(a.world, &pin), SP_OK);
            queue_removal(&a, 0);  // after another edit: a second exchange in this step
            CHECK_INT(sp__world_inject_failure(a.world, stages[i]), SP_OK);
            CHECK(sp_world_step(a.world, h) < 0);
            CHECK(lab_info(&a).removed == 0 && sp_world_hash(a.world) == sp_world_hash(b.world));
            sp_world_drop_edits(a.world);
            hash_steps(&a, STEPS, x), hash_steps(&b, STEPS, y);
            CHECK(memcmp(x, y, sizeof x) == 0);
            // taken again
            const int count = remove_end(&a);
            CHECK_INT(sp__world_inject_failure(a.world, stages[i]), SP_OK);
            CHECK(sp_world_step(a.world, h) < 0);
            CHECK(sp_world_step(a.world, h) >= 0);
            CHECK_INT(lab_info(&a).removed, count);
            lab_close(&a), lab_close(&b);
        }
}

// Checkpoints of before and after, into the same world and into a new one.
TEST(checkpoints) {
    for (int t = 0; t < 4; t++) {
        lab a, b;
        sp_checkpoint before, after;
        uint64_t x[STEPS], y[STEPS];
        const sp_material_model model = t == 3 ? SP_COROTATIONAL : SP_NEO_HOOKEAN;
        start(&a, solid_types[t % 3], model, true), start(&b, solid_types[t % 3], model, true);
        CHECK_INT(lab_steps(&a, h, 2), SP_OK);
        REQUIRE(sp_world_save(a.world, &before) == SP_OK);
        const int count = remove_end(&a);
        CHECK_INT(lab_steps(&a, h, 2), SP_OK);
        REQUIRE(sp_world_save(a.world, &after) == SP_OK);
        hash_steps(&a, STEPS, x);
        CHECK_INT(sp_world_restore(b.world, after.data, after.size), SP_OK);
        CHECK_INT(lab_info(&b).removed, count);
        hash_steps(&b, STEPS, y);
        CHECK(memcmp(x, y, sizeof x) == 0);
        // back to the whole solid, and forth
        CHECK_INT(sp_world_restore(a.world, before.data, before.size), SP_OK);
        CHECK_INT(lab_info(&a).removed, 0);
        hash_steps(&a, STEPS, x);
        CHECK_INT(sp_world_restore(b.world, before.data, before.size), SP_OK);
        hash_steps(&b, STEPS, y);
        CHECK(memcmp(x, y, sizeof x) == 0);
        CHECK_INT(sp_world_restore(a.world, after.data, after.size), SP_OK);
        CHECK_INT(lab_info(&a).removed, count);
        // one that is cut off changes nothing
        CHECK_INT(sp_world_restore(b.world, after.data, after.size - 8), SP_BAD_INPUT);
        CHECK_INT(lab_info(&b).removed, 0);
        sp_checkpoint_free(a.world, &before), sp_checkpoint_free(a.world, &after);
        lab_close(&a), lab_close(&b);
    }
}

// ---------------------------------------------------------------------------------------------------- contact and memory

// Penalty contact: nodes that are held below the floor touch nothing.
TEST(penalty_contact_forgets_what_is_gone) {
    lab l;
    start(&l, SP_ELEMENT_TET4, SP_COROTATIONAL, false);
    sp_rigid_shape plane = {SP_PLANE, {1, 0, 0}, sp_pose_identity()};
    sp_rigid_def wall = sp_rigid_def_default();
    sp_contact_def contact = sp_contact_def_default();
    // a wall whose solid side holds the end of the beam, 5 mm deep
    plane.size[0] = -1, wall.shapes = &plane, wall.shape_count = 1, wall.pose.constant.translate[0] = size[0] - 0.005;
    REQUIRE(sp_world_add_rigid(l.world, &wall, NULL) == SP_OK);
    contact.formulation = SP_CONTACT_PENALTY;
    REQUIRE(sp_world_set_contact(l.world, &contact) == SP_OK);
    CHECK(lab_step(&l, h) >= 0);
    CHECK(lab_measures(&l).penetration > 1e-4);
    remove_end(&l);
    CHECK(lab_step(&l, h) >= 0);
    CHECK(lab_measures(&l).penetration == 0 && lab_measures(&l).contact == 0);
    lab_close(&l);
}

// The step that removes may allocate, and so may those that fill the snapshots for the first time; then none does.
TEST(steps_after_a_removal_do_not_allocate) {
    meter held = {.allowed = 100000000};
    lab l = {0};
    sp_context_def cd = metered_context(&held);
    sp_solid_def def = sp_solid_def_default();
    REQUIRE(sp_context_create(&cd, &l.ctx) == SP_OK);
    REQUIRE(sp_mesh_box(l.ctx, size, cells, 5, &l.mesh) == SP_OK);
    REQUIRE(sp_world_create(l.ctx, NULL, &l.world) == SP_OK);
    def.mesh = l.mesh;
    REQUIRE(sp_world_add_solid(l.world, &def, &l.body) == SP_OK);
    l.tets = sp_mesh_element_count(l.mesh);
    CHECK(lab_steps(&l, h, 8) >= 0);
    remove_end(&l);
    CHECK(lab_steps(&l, h, 6) >= 0);
    long before = held.allowed, live = held.live;
    CHECK(lab_steps(&l, h, 10) >= 0);
    CHECK(held.allowed == before && held.live == live);
    lab_close(&l);
    CHECK_INT(held.live, 0);
}

// Every allocation of a removal may fail: the step fails and the world is as before.
TEST(out_of_memory) {
    meter held = {.allowed = 100000000};
    lab l = {0};
    sp_context_def cd = metered_context(&held);
    sp_solid_def def = sp_solid_def_default();
    REQUIRE(sp_context_create(&cd, &l.ctx) == SP_OK);
    REQUIRE(sp_mesh_box(l.ctx, size, cells, 5, &l.mesh) == SP_OK);
    REQUIRE(sp_world_create(l.ctx, NULL, &l.world) == SP_OK);
    def.mesh = l.mesh;
    REQUIRE(sp_world_add_solid(l.world, &def, &l.body) == SP_OK);
    l.tets = sp_mesh_element_count(l.mesh);
    CHECK(lab_steps(&l, h, 8) >= 0);
    const uint64_t hash = sp_world_hash(l.world);
    const int count = remove_end(&l);
    int failures = 0;
    sp_status status = SP_NO_MEMORY;
    for (; failures < 100 && status == SP_NO_MEMORY; failures++) {
        held.allowed = failures;
        status = sp_world_step(l.world, h);
        held.allowed = 100000000;
        if (status < 0) CHECK(lab_info(&l).removed == 0 && sp_world_hash(l.world) == hash);
    }
    CHECK(failures > 10 && status >= 0);
    CHECK_INT(lab_info(&l).removed, count);
    lab_close(&l);
    CHECK_INT(held.live, 0);
}
