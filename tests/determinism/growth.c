// Elements that are divided while solids of every type of element touch a floor: the same bits for any number of workers, and
// from a checkpoint in a new world.
#include "../verify/element_boxes.h"

enum { STEPS = 9, APPEND = 3, AGAIN = 6, SAVE = 5 };

typedef struct stage {
    sp_context *ctx;
    sp_world *w;
    sp_body_id body[3];
    sp_mesh *mesh[3];
} stage;

static void add_box(stage *s, int t) {
    const double size[3] = {0.4, 0.2, 0.2};
    const int many[3] = {8, 5, 5}, fewer[3] = {4, 2, 2};
    sp_pose pose = sp_pose_identity();
    sp_mesh *mesh = NULL;
    pose.translate[0] = 0.5 * t, pose.translate[1] = 0.001;
    REQUIRE(element_box(s->ctx, solid_types[t], size, solid_types[t] == SP_ELEMENT_TET10 ? fewer : many, 0.1, &mesh) == SP_OK);
    REQUIRE(sp_mesh_transformed(mesh, NULL, &pose, &s->mesh[t]) == SP_OK);
    sp_solid_def def = sp_solid_def_default();
    def.mesh = s->mesh[t], def.material.young = 3e4;
    if (t > 0) def.model = SP_NEO_HOOKEAN;
    REQUIRE(sp_world_add_solid(s->w, &def, &s->body[t]) >= 0);
    sp_mesh_destroy(&mesh);
}

static void begin(stage *s, int workers) {
    sp_context_def cd = sp_context_def_default();
    sp_contact_def contact = sp_contact_def_default();
    sp_rigid_shape plane = {SP_PLANE, {0, 1, 0}, sp_pose_identity()};
    sp_rigid_def floor = sp_rigid_def_default();
    *s = (stage){0};
    cd.workers = workers;
    REQUIRE(sp_context_create(&cd, &s->ctx) == SP_OK && sp_world_create(s->ctx, NULL, &s->w) == SP_OK);
    contact.formulation = SP_CONTACT_PROXIMITY, contact.friction = 0.4;
    REQUIRE(sp_world_set_contact(s->w, &contact) == SP_OK);
    for (int t = 0; t < 3; t++) add_box(s, t);
    floor.shapes = &plane, floor.shape_count = 1;
    REQUIRE(sp_world_add_rigid(s->w, &floor, NULL) == SP_OK);
}

static void end(stage *s) {
    sp_world_destroy(&s->w);
    for (int t = 0; t < 3; t++) sp_mesh_destroy(&s->mesh[t]);
    sp_context_destroy(&s->ctx);
}

// Every tenth element leaves, and an element like it, with its nodes, takes its place: with other lanes and chunks. The four-node
// tetrahedra are divided in four around a new node instead.
static void replace(stage *s, int t, int first) {
    enum { EACH = 10 };
    const int n = sp_mesh_element_count(s->mesh[t]), parts = t == 0 ? 4 : 1;
    sp_body_info info;
    sp_addition add = sp_addition_default();
    REQUIRE(sp_world_body_info(s->w, s->body[t], &info) == SP_OK);
    int *removed = calloc((size_t)n, sizeof *removed), *like = calloc(4 * (size_t)n, sizeof *like),
        *nodes = calloc(16 * (size_t)n, sizeof *nodes);
    sp_anchor *at = calloc((size_t)n, sizeof *at);
    for (int e = first; e < n; e += EACH) {
        const int *own, count = sp_element_nodes(sp_mesh_element(s->mesh[t], e, &own));
        removed[add.removed_count++] = e;
        for (int p = 0; p < parts; p++) {
            like[add.element_count++] = e;
            for (int a = 0; a < count; a++)
                nodes[add.node_entries++] = parts > 1 && a == p ? info.nodes + add.node_count : own[a];
        }
        if (parts > 1) at[add.node_count++] = (sp_anchor){.body = s->body[t], .elem = (uint32_t)e, .at = {0.25, 0.25, 0.25}};
    }
    add.removed = removed, add.like = like, add.nodes = nodes, add.at = at;
    if (sp_world_append(s->w, s->body[t], &add) < 0) SP_TEST_FAILED("%s", sp_world_error(s->w)->message);
    free(removed), free(like), free(nodes), free(at);
}

static void go(stage *s, int from, int to, uint64_t *hash) {
    for (int i = from; i < to; i++) {
        for (int t = 0; t < 3 && (i == APPEND || i == AGAIN); t++) replace(s, t, i == APPEND ? 0 : 4);
        if (sp_world_step(s->w, 0.01) < 0) SP_TEST_FAILED("%s", sp_world_error(s->w)->message);
        hash[i] = sp_world_hash(s->w);
    }
}

static void check_same(const char *what, const uint64_t *a, const uint64_t *b, int from) {
    for (int i = from; i < STEPS; i++)
        if (a[i] != b[i]) {
            SP_TEST_FAILED("%s: step %d differs", what, i);
            return;
        }
}

TEST(workers_and_checkpoints) {
    static const int workers[3] = {1, 2, 5};
    uint64_t hash[3][STEPS], other[STEPS];
    for (int i = THREAD_SANITIZED ? 1 : 0; i < 3; i++) {
        stage s;
        begin(&s, workers[i]);
        go(&s, 0, STEPS, hash[i]);
        if (i == 2) CHECK(sp_world_contact_count(s.w) > 10);
        end(&s);
        if (i > 1 || (i == 1 && !THREAD_SANITIZED)) check_same("workers", hash[i], hash[i - 1], 0);
    }
    stage s, fresh;
    sp_checkpoint c;
    begin(&s, 2);
    go(&s, 0, SAVE, other);
    REQUIRE(sp_world_save(s.w, &c) == SP_OK);
    go(&s, SAVE, STEPS, other);
    begin(&fresh, 2);
    CHECK_INT(sp_world_restore(fresh.w, c.data, c.size), SP_OK);
    go(&fresh, SAVE, STEPS, other);
    check_same("from a checkpoint", other, hash[2], SAVE);
    CHECK_INT(sp_world_restore(s.w, c.data, c.size), SP_OK);  // less was appended in it
    go(&s, SAVE, STEPS, other);
    check_same("back to a checkpoint", other, hash[2], SAVE);
    sp_checkpoint_free(s.w, &c);
    end(&s), end(&fresh);
}
