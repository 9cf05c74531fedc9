// Nodes and elements that are appended: what is refused, that no number and no bit of the others changes, the boundary, the
// hash, checkpoints, edits of what is new, contact. tests/verify/growth.c checks the mechanics.
#include "solid/solid.h"
#include "test.h"

#include "mixed_help.h"
#include "verify/element_boxes.h"
#include "world/world_internal.h"

static const double size[3] = {0.4, 0.2, 0.2};
static const int cells[3] = {4, 2, 2};
static const double h = 0.01;

static void start(lab *l, sp_element_type type, sp_material_model model, sp_integrator_type integrator) {
    int count;
    REQUIRE(lab_context(l));
    REQUIRE(element_box(l->ctx, type, size, cells, 0.2, &l->mesh) == SP_OK);
    int *wall = plane_nodes(l->mesh, 0, 0, &count);
    sp_fix fix = {wall, count, SP_AXES_ALL, 0};
    sp_solid_def def = lab_solid(l);
    sp_world_def wd = sp_world_def_default();
    def.model = model, def.fixes = &fix, def.fix_count = 1, def.integrator.type = integrator;
    def.material.young = 5e4, def.material.poisson = 0.4;
    l->nodes = sp_mesh_node_count(l->mesh), l->tets = sp_mesh_element_count(l->mesh);
    REQUIRE(sp_world_create(l->ctx, &wd, &l->world) == SP_OK);
    REQUIRE(sp_world_add_solid(l->world, &def, &l->body) >= 0);
    free(wall);
}

static sp_body *body_of(lab *l) {
    return sp__world_body(l->world, l->body);
}

// ---------------------------------------------------------------------------------------------------- what is appended

// Copies of the elements at the end of the box, beyond it: the mirror image at the plane x = 0.4. Nodes on it are shared.
typedef struct layer {
    sp_addition add;
    double *rest, *x, *v;
    int *like, *nodes;
} layer;

static bool at_the_end(const sp_mesh *mesh, int e) {
    const int *node;
    for (int a = sp_element_nodes(sp_mesh_element(mesh, e, &node)) - 1; a >= 0; a--)
        if (sp_mesh_positions(mesh)[3 * node[a]] > size[0] - 1e-9) return true;
    return false;
}

// the mirror image has the orientation of the element again
static void mirror_order(sp_element_type type, int *nodes) {
    static const int tet[10] = {0, 1, 3, 2, 4, 8, 7, 6, 5, 9}, hex[8] = {0, 3, 2, 1, 4, 7, 6, 5};
    int before[10], n = sp_element_nodes(type);
    memcpy(before, nodes, (size_t)n * sizeof *nodes);
    for (int a = 0; a < n; a++) nodes[a] = before[type == SP_ELEMENT_HEX8 ? hex[a] : tet[a]];
}

static layer layer_of(lab *l) {
    layer o = {.add = sp_addition_default()};
    const double *rest = sp_mesh_positions(l->mesh);
    double *x = lab_field(l, "position"), *v = lab_field(l, "velocity");
    int *number = malloc((size_t)l->nodes * sizeof *number), first = lab_info(l).nodes;
    for (int i = 0; i < l->nodes; i++) number[i] = rest[3 * i] > size[0] - 1e-9 ? i : -1;
    o.rest = calloc(3 * (size_t)l->nodes, sizeof *o.rest), o.x = calloc(3 * (size_t)l->nodes, sizeof *o.x);
    o.v = calloc(3 * (size_t)l->nodes, sizeof *o.v);
    o.like = calloc((size_t)l->tets, sizeof *o.like), o.nodes = calloc(10 * (size_t)l->tets, sizeof *o.nodes);
    for (int e = 0; e < l->tets; e++) {
        const int *node;
        sp_element_type type = sp_mesh_element(l->mesh, e, &node);
        if (!at_the_end(l->mesh, e)) continue;
        for (int a = 0; a < sp_element_nodes(type); a++) {
            const int i = node[a], n = o.add.node_count;
            if (number[i] < 0) {
                number[i] = first + n, o.add.node_count++;
                memcpy(o.rest + 3 * n, rest + 3 * i, 3 * sizeof *rest), memcpy(o.v + 3 * n, v + 3 * i, 3 * sizeof *v);
                o.rest[3 * n] = 2 * size[0] - rest[3 * i];
                for (int k = 0; k < 3; k++) o.x[3 * n + k] = x[3 * i + k] + o.rest[3 * n + k] - rest[3 * i + k];
            }
            o.nodes[o.add.node_entries + a] = number[i];
        }
        mirror_order(type, o.nodes + o.add.node_entries);
        o.add.node_entries += sp_element_nodes(type);
        o.like[o.add.element_count++] = e;
    }
    o.add.rest = o.rest, o.add.position = o.x, o.add.velocity = o.v, o.add.like = o.like, o.add.nodes = o.nodes;
    free(number), free(x), free(v);
    return o;
}

static void layer_free(layer *o) {
    free(o->rest), free(o->x), free(o->v), free(o->like), free(o->nodes);
}

static void append(lab *l, const sp_addition *add) {
    if (sp_world_append(l->world, l->body, add) < 0) SP_TEST_FAILED("%s", sp_world_error(l->world)->message);
}

// appends the layer; returns its elements
static int grow(lab *l) {
    layer o = layer_of(l);
    append(l, &o.add);
    layer_free(&o);
    return o.add.element_count;
}

// ---------------------------------------------------------------------------------------------------- refusals

static void refused(lab *l, const sp_addition *add, const char *why) {
    const uint64_t hash = sp_world_hash(l->world);
    const sp_body_info before = lab_info(l);
    CHECK(sp_world_append(l->world, l->body, add) < 0);
    if (!strstr(sp_world_error(l->world)->message, why))
        SP_TEST_FAILED("'%s' instead of '%s'", sp_world_error(l->world)->message, why);
    const sp_body_info after = lab_info(l);
    CHECK(sp_world_hash(l->world) == hash && after.nodes == before.nodes && after.elements == before.elements);
}

TEST(what_is_refused) {
    lab l;
    start(&l, SP_ELEMENT_TET4, SP_NEO_HOOKEAN, 0);
    layer o = layer_of(&l);
    sp_addition a = {0};
    refused(&l, &a, "sp_addition_default()");
    a = o.add, a.node_count = -1, refused(&l, &a, "node_count = -1");
    a = o.add, a.rest = NULL, refused(&l, &a, "node_count");
    a = o.add, a.like = NULL, refused(&l, &a, "element_count");
    a = o.add, a.removed_count = 1, refused(&l, &a, "removed_count = 1");
    const int far[1] = {l.tets};
    a = o.add, a.removed_count = 1, a.removed = far, refused(&l, &a, "removed element 80 of 'body', must be in [0, 79]");
    a = o.add, a.node_entries--, refused(&l, &a, "and their types need");
    a = o.add, a.element_count = 1, a.node_entries = 4, refused(&l, &a, "belongs to no element");
    const int like = o.like[0], node = o.nodes[0];
    o.like[0] = l.tets, refused(&l, &o.add, "like = 80, must be in [0, 79]"), o.like[0] = like;
    o.nodes[0] = l.nodes + o.add.node_count, refused(&l, &o.add, "must be in [0, "), o.nodes[0] = node;
    o.nodes[0] = o.nodes[1], refused(&l, &o.add, "names a node twice"), o.nodes[0] = node;
    o.nodes[0] = o.nodes[1], o.nodes[1] = node, refused(&l, &o.add, "flat or inverted at rest"), o.nodes[1] = o.nodes[0];
    o.nodes[0] = node;
    o.rest[4] = NAN, refused(&l, &o.add, "rest of node 1 is not finite"), o.rest[4] = 0.1;
    layer_free(&o);
    // the element that is there already
    const int *own;
    const int zero[1] = {0};
    sp_mesh_element(l.mesh, 0, &own);
    a = sp_addition_default();
    a.element_count = 1, a.like = zero, a.nodes = own, a.node_entries = 4;
    refused(&l, &a, "overlap");
    lab_close(&l);
    // inverted now, for a law that is not defined there
    start(&l, SP_ELEMENT_TET4, SP_OGDEN, 0);
    o = layer_of(&l);
    for (int i = 0; i < o.add.node_count; i++) o.x[3 * i] -= 0.3;
    refused(&l, &o.add, "not defined there");
    layer_free(&o);
    lab_close(&l);
}

TEST(other_bodies_are_refused) {
    lab l;
    sp_body_id ground;
    start(&l, SP_ELEMENT_TET4, SP_COROTATIONAL, 0);
    sp_rigid_shape plane = {SP_PLANE, {0, 1, 0}, sp_pose_identity()};
    sp_rigid_def rigid = sp_rigid_def_default();
    rigid.shapes = &plane, rigid.shape_count = 1;
    REQUIRE(sp_world_add_rigid(l.world, &rigid, &ground) == SP_OK);
    sp_addition a = sp_addition_default();
    CHECK_INT(sp_world_append(l.world, ground, &a), SP_BAD_INPUT);
    CHECK(strstr(sp_world_error(l.world)->message, "only solids of volume elements can grow"));
    CHECK_INT(sp_world_append(l.world, (sp_body_id){9, 9}, &a), SP_BAD_ID);
    sp_solid_def def = lab_solid(&l);
    sp_body_id other;
    def.name = "warped", def.compliance = SP_COMPLIANCE_WARPED;
    REQUIRE(sp_world_add_solid(l.world, &def, &other) >= 0);
    CHECK_INT(sp_world_append(l.world, other, &a), SP_BAD_INPUT);
    def.name = "patches", def.compliance = SP_COMPLIANCE_AUTO, def.integration = SP_INTEGRATION_B_BAR;
    def.model = SP_NEO_HOOKEAN;
    REQUIRE(sp_world_add_solid(l.world, &def, &other) >= 0);
    layer o = layer_of(&l);
    CHECK_INT(sp_world_append(l.world, other, &o.add), SP_BAD_INPUT);
    CHECK(strstr(sp_world_error(l.world)->message, "patches"));
    layer_free(&o);
    lab_close(&l);
}

// ---------------------------------------------------------------------------------------------------- what stays

// What a body knows of its elements: lane and block, nodes, rest shape, in the order of users' numbers.
typedef struct picture {
    double *f;     // forces, by inner node
    int *place;    // per element: slot in its group
    double *rest;  // per element: rest gradients or slopes of the lane, up to 8 numbers
} picture;

static picture picture_of(lab *l) {
    sp_body *b = body_of(l);
    const sp_solid *s = sp__solid(b);
    picture p = {calloc((size_t)b->nv, sizeof *p.f), calloc((size_t)s->elements, sizeof *p.place),
                 calloc(8 * (size_t)s->elements, sizeof *p.rest)};
    const sp_step step = sp__step_default(0.01);
    memcpy(b->q[SP_TRIAL], b->q[SP_COMMITTED], (size_t)b->nq * sizeof(double));
    memcpy(b->v[SP_TRIAL], b->v[SP_COMMITTED], (size_t)b->nv * sizeof(double));
    CHECK(b->ops->evaluate(b, &step, SP_WANT_FORCE) >= 0);
    memcpy(p.f, b->f, (size_t)b->nv * sizeof *p.f);
    for (int e = 0; e < s->elements; e++) {
        const sp_solid_group *g = sp__solid_group_of(s, s->slot_of[e]);
        const int at = p.place[e] = s->slot_of[e] - g->first, w = g->lanes;
        for (int k = 0; k < 6; k++) {
            const double *rest = g->iso.points ? g->iso.slope : g->tets.rest;
            const int each = g->iso.points ? g->iso.points * 3 * (g->nodes - 1) : 6;
            p.rest[8 * e + k] = rest[(at / w * each + k) * w + at % w];
        }
        p.rest[8 * e + 6] = s->volume[s->slot_of[e]];
        p.rest[8 * e + 7] = g->iso.points ? g->iso.param[at / w * SP_LAW_PARAMS * w + at % w] : g->tets.scale[at];
    }
    return p;
}

static void picture_free(picture *p) {
    free(p->f), free(p->place), free(p->rest);
}

// No number of an element changes, and no bit of the forces on nodes that no new element has, also not where new elements are in
// the lanes beside those that were appended before.
TEST(others_keep_every_bit) {
    static const sp_material_model models[] = {SP_COROTATIONAL, SP_NEO_HOOKEAN, SP_LINEAR};
    for (int t = 0; t < 9; t++) {
        lab l;
        start(&l, solid_types[t % 3], models[t / 3], 0);
        CHECK_INT(lab_steps(&l, h, 3), SP_OK);
        layer o = layer_of(&l);
        const int entries = o.add.node_entries / o.add.element_count, all = o.add.element_count;
        picture before = picture_of(&l);
        int known = l.nodes, elements = l.tets;
        // one element at a time: its new nodes, which have the next numbers
        for (int i = 0; i < all; i++) {
            sp_addition a = o.add;
            const int *nodes = o.nodes + i * entries;
            int most = known;
            for (int k = 0; k < entries; k++) most = nodes[k] >= most ? nodes[k] + 1 : most;
            const int done = known - l.nodes;
            a.element_count = 1, a.like = o.like + i, a.nodes = nodes, a.node_entries = entries;
            a.node_count = most - known, a.rest = o.rest + 3 * done, a.position = o.x + 3 * done, a.velocity = o.v + 3 * done;
            append(&l, &a);
            picture after = picture_of(&l);
            const sp_solid *s = sp__solid(body_of(&l));
            CHECK(memcmp(before.place, after.place, (size_t)elements * sizeof *before.place) == 0);
            CHECK(memcmp(before.rest, after.rest, 8 * (size_t)elements * sizeof *before.rest) == 0);
            for (int n = 0; n < known; n++) {
                bool touched = false;
                for (int k = 0; k < entries; k++) touched = touched || nodes[k] == n;
                const int at = 3 * s->inner_node[n];
                if (!touched) CHECK(memcmp(before.f + at, after.f + at, 3 * sizeof *before.f) == 0);
            }
            picture_free(&before);
            before = after, known = most, elements++;
        }
        CHECK_INT(lab_info(&l).appended, all);
        CHECK_INT(lab_info(&l).elements, l.tets + all);
        picture_free(&before), layer_free(&o);
        lab_close(&l);
    }
}

static void hash_steps(lab *l, int count, uint64_t *hash) {
    for (int i = 0; i < count; i++) {
        CHECK(lab_step(l, h) >= 0);
        hash[i] = sp_world_hash(l->world);
    }
}

enum { STEPS = 4 };

// One call and several give the same bits: only the list counts.
TEST(calls_do_not_matter) {
    for (int t = 0; t < 3; t++) {
        lab a, b;
        uint64_t x[STEPS], y[STEPS];
        start(&a, solid_types[t], SP_NEO_HOOKEAN, 0), start(&b, solid_types[t], SP_NEO_HOOKEAN, 0);
        CHECK_INT(lab_steps(&a, h, 3), SP_OK);
        CHECK_INT(lab_steps(&b, h, 3), SP_OK);
        layer o = layer_of(&a);
        append(&a, &o.add);
        const int entries = o.add.node_entries / o.add.element_count;
        for (int i = 0, known = b.nodes; i < o.add.element_count; i++) {
            sp_addition one = o.add;
            int most = known;
            one.nodes = o.nodes + i * entries, one.like = o.like + i, one.element_count = 1, one.node_entries = entries;
            for (int k = 0; k < entries; k++) most = one.nodes[k] >= most ? one.nodes[k] + 1 : most;
            one.rest = o.rest + 3 * (known - b.nodes), one.position = o.x + 3 * (known - b.nodes);
            one.velocity = o.v + 3 * (known - b.nodes), one.node_count = most - known;
            append(&b, &one);
            known = most;
        }
        CHECK(sp_world_hash(a.world) == sp_world_hash(b.world));
        hash_steps(&a, STEPS, x), hash_steps(&b, STEPS, y);
        CHECK(memcmp(x, y, sizeof x) == 0);
        layer_free(&o);
        lab_close(&a), lab_close(&b);
    }
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

// the mesh of the elements that are left
static sp_status mesh_now(lab *l, sp_mesh **out) {
    const sp_solid *s = sp__solid(body_of(l));
    sp_element_type *types = calloc((size_t)s->elements, sizeof *types);
    int *nodes = calloc(10 * (size_t)s->elements, sizeof *nodes), at = 0, count = 0;
    double *x = calloc(3 * (size_t)s->nodes, sizeof *x);
    for (int i = 0; i < s->nodes; i++) memcpy(x + 3 * s->user_node[i], s->rest + 3 * i, 3 * sizeof *x);
    for (int e = 0; e < s->elements; e++) {
        const sp_solid_group *g = sp__solid_group_of(s, s->slot_of[e]);
        if (!sp__solid_alive(s, s->slot_of[e])) continue;
        types[count++] = g->type;
        for (int a = 0; a < g->nodes; a++) nodes[at++] = s->user_node[sp__group_node(g, s->slot_of[e], a)];
    }
    sp_mesh_def def = sp_mesh_def_default();
    def.node_count = s->nodes, def.positions = x, def.fix_orientation = false;
    def.element_count = count, def.element_types = types, def.element_nodes = nodes;
    sp_status status = sp_mesh_create(l->ctx, &def, out);
    free(types), free(nodes), free(x);
    return status;
}

static void check_boundary(lab *l) {
    sp_mesh *now;
    sp_surface_info s;
    REQUIRE(mesh_now(l, &now) == SP_OK);
    REQUIRE(sp_world_surface_info(l->world, l->body, 0, &s) == SP_OK);
    const int n = sp_mesh_face_count(now);
    CHECK_INT(s.face_count, n);
    face *a = calloc((size_t)n, sizeof *a), *b = calloc((size_t)n, sizeof *b);
    double *removed = lab_field(l, "removed");
    for (int f = 0; f < n && s.face_count == n; f++) {
        int node[3];
        sp_anchor at;
        for (int k = 0; k < 3; k++) node[k] = s.nodes[s.faces[3 * f + k]];
        a[f] = face_of(node), b[f] = face_of(sp_mesh_faces(now) + 3 * f);
        REQUIRE(sp_world_anchor_face(l->world, l->body, 0, f, (double[3]){0.5, 0.3, 0.2}, &at) == SP_OK);
        CHECK(removed[at.elem] == 0);
    }
    qsort(a, (size_t)n, sizeof *a, compare_faces), qsort(b, (size_t)n, sizeof *b, compare_faces);
    CHECK(memcmp(a, b, (size_t)n * sizeof *a) == 0);
    free(a), free(b), free(removed);
    sp_mesh_destroy(&now);
}

TEST(the_boundary_is_that_of_the_elements_left) {
    for (int t = 0; t < 3; t++) {
        lab l;
        unsigned long long seed = 5;
        sp_surface_info before, after;
        start(&l, solid_types[t], SP_NEO_HOOKEAN, 0);
        REQUIRE(sp_world_surface_info(l.world, l.body, 0, &before) == SP_OK);
        const int count = grow(&l);
        REQUIRE(sp_world_surface_info(l.world, l.body, 0, &after) == SP_OK);
        CHECK(after.revision > before.revision);
        check_boundary(&l);
        for (int round = 0; round < 2; round++) {
            for (int e = 0; e < l.tets + count; e++) {
                sp_edit edit = sp_edit_default(SP_EDIT_REMOVE_ELEMENT);
                edit.body = l.body, edit.node = e;
                if (sp_test_random(&seed) > 0.4) CHECK_INT(sp_world_queue(l.world, &edit), SP_OK);
            }
            CHECK(sp_world_step(l.world, 1e-4) >= 0);
            check_boundary(&l);
        }
        CHECK_INT(sp_world_set_removed(l.world, l.body, NULL), SP_OK);
        CHECK_INT(lab_info(&l).removed, 0);
        check_boundary(&l);
        lab_close(&l);
    }
}

// ---------------------------------------------------------------------------------------------------- there and back

// An element that is removed and appended again, with its own nodes, moves on as it was. Its forces are added last: sums differ
// by rounding. A removed element cannot return beside the one that replaced it.
TEST(removed_and_appended_again) {
    for (int t = 0; t < 3; t++) {
        lab a, b;
        start(&a, solid_types[t], SP_NEO_HOOKEAN, SP_NEWTON), start(&b, solid_types[t], SP_NEO_HOOKEAN, SP_NEWTON);
        CHECK_INT(lab_steps(&a, h, 3), SP_OK);
        CHECK_INT(lab_steps(&b, h, 3), SP_OK);
        const int some[2] = {1, 7};
        int nodes[20], entries = 0;
        for (int i = 0; i < 2; i++) {
            const int *own, n = sp_element_nodes(sp_mesh_element(a.mesh, some[i], &own));
            memcpy(nodes + entries, own, (size_t)n * sizeof *own), entries += n;
        }
        sp_addition add = sp_addition_default();
        add.element_count = add.removed_count = 2, add.like = add.removed = some, add.nodes = nodes, add.node_entries = entries;
        append(&a, &add);
        CHECK_INT(lab_info(&a).removed, 2);
        check_boundary(&a);
        CHECK_INT(lab_steps(&a, h, 6), SP_OK);
        CHECK_INT(lab_steps(&b, h, 6), SP_OK);
        double *x = lab_field(&a, "position"), *y = lab_field(&b, "position"), worst = 0;
        for (int i = 0; i < 3 * a.nodes; i++) worst = fmax(worst, fabs(x[i] - y[i]));
        // Newton's method stops at 1e-6 of the forces: 1e-8 m of a motion of 0.01 m
        CHECK_NEAR(worst, 0, 1e-8);
        CHECK_INT(sp_world_set_removed(a.world, a.body, NULL), SP_BAD_INPUT);
        CHECK(strstr(sp_world_error(a.world)->message, "overlap"));
        CHECK_INT(lab_info(&a).removed, 2);
        free(x), free(y);
        lab_close(&a), lab_close(&b);
    }
}

// Without anything new the call removes, in a solid with patches too; and an empty one changes nothing.
TEST(only_removed) {
    for (int patches = 0; patches < 2; patches++) {
        lab l, m;
        uint64_t x[STEPS], y[STEPS];
        lab *both[2] = {&l, &m};
        for (int i = 0; i < 2; i++) {
            REQUIRE(lab_context(both[i]));
            REQUIRE(element_box(both[i]->ctx, SP_ELEMENT_TET4, size, cells, 0.2, &both[i]->mesh) == SP_OK);
            sp_solid_def def = lab_solid(both[i]);
            def.model = SP_NEO_HOOKEAN, def.material.poisson = 0.45;
            if (patches) def.integration = SP_INTEGRATION_B_BAR;
            REQUIRE(lab_world(both[i], &def, -9.81));
            CHECK_INT(lab_steps(both[i], h, 2), SP_OK);
        }
        const int some[2] = {4, 9};
        sp_addition add = sp_addition_default();
        const uint64_t hash = sp_world_hash(l.world);
        append(&l, &add);
        CHECK(sp_world_hash(l.world) == hash);
        add.removed = some, add.removed_count = 2;
        append(&l, &add);
        unsigned char removed[80] = {0};
        removed[4] = removed[9] = 1;
        CHECK_INT(sp_world_set_removed(m.world, m.body, removed), SP_OK);
        CHECK_INT(lab_info(&l).removed, 2);
        hash_steps(&l, STEPS, x), hash_steps(&m, STEPS, y);
        CHECK(memcmp(x, y, sizeof x) == 0);
        lab_close(&l), lab_close(&m);
    }
}

// Checkpoints of before and after, into the same world and into a new one; a damaged one changes nothing.
TEST(checkpoints) {
    for (int t = 0; t < 4; t++) {
        lab a, b;
        sp_checkpoint before, after, later;
        uint64_t x[STEPS], y[STEPS];
        const sp_material_model model = t == 3 ? SP_COROTATIONAL : SP_NEO_HOOKEAN;
        start(&a, solid_types[t % 3], model, 0), start(&b, solid_types[t % 3], model, 0);
        CHECK_INT(lab_steps(&a, h, 2), SP_OK);
        REQUIRE(sp_world_save(a.world, &before) == SP_OK);
        const int count = grow(&a);
        REQUIRE(sp_world_save(a.world, &after) == SP_OK);
        sp_edit edit = sp_edit_default(SP_EDIT_REMOVE_ELEMENT);
        edit.body = a.body, edit.node = a.tets + 1;  // a new one
        CHECK_INT(sp_world_queue(a.world, &edit), SP_OK);
        CHECK(lab_steps(&a, h, 2) >= 0);
        REQUIRE(sp_world_save(a.world, &later) == SP_OK);
        hash_steps(&a, STEPS, x);
        CHECK_INT(sp_world_restore(b.world, later.data, later.size), SP_OK);
        CHECK_INT(lab_info(&b).appended, count);
        CHECK_INT(lab_info(&b).removed, 1);
        check_boundary(&b);
        hash_steps(&b, STEPS, y);
        CHECK(memcmp(x, y, sizeof x) == 0);
        // as it was appended, then the solid as it was made, and forth
        CHECK_INT(sp_world_restore(b.world, after.data, after.size), SP_OK);
        CHECK_INT(lab_info(&b).removed, 0);
        CHECK_INT(sp_world_restore(a.world, after.data, after.size), SP_OK);
        hash_steps(&a, STEPS, x), hash_steps(&b, STEPS, y);
        CHECK(memcmp(x, y, sizeof x) == 0);
        CHECK_INT(sp_world_restore(a.world, before.data, before.size), SP_OK);
        CHECK_INT(lab_info(&a).appended, 0);
        CHECK_INT(lab_info(&a).nodes, a.nodes);
        hash_steps(&a, STEPS, x);
        CHECK_INT(sp_world_restore(b.world, before.data, before.size), SP_OK);
        hash_steps(&b, STEPS, y);
        CHECK(memcmp(x, y, sizeof x) == 0);
        const uint64_t hash = sp_world_hash(b.world);
        CHECK_INT(sp_world_restore(b.world, after.data, after.size - 8), SP_BAD_INPUT);
        CHECK(lab_info(&b).appended == 0 && sp_world_hash(b.world) == hash);
        sp_checkpoint_free(a.world, &before), sp_checkpoint_free(a.world, &after), sp_checkpoint_free(a.world, &later);
        lab_close(&a), lab_close(&b);
    }
}

// A checkpoint of another world: bodies grow to take it, and are as before when it does not fit.
TEST(a_checkpoint_that_does_not_fit_leaves_no_trace) {
    lab a, b, c;
    sp_checkpoint of_hexahedra;
    uint64_t x[STEPS], y[STEPS];
    start(&a, SP_ELEMENT_TET4, SP_COROTATIONAL, 0), start(&b, SP_ELEMENT_TET4, SP_COROTATIONAL, 0);
    start(&c, SP_ELEMENT_TET4, SP_NEO_HOOKEAN, 0);
    grow(&c), grow(&a), grow(&b);
    REQUIRE(sp_world_save(c.world, &of_hexahedra) == SP_OK);
    sp_addition more = sp_addition_default();
    sp_anchor middle = {.body = a.body, .elem = 0, .at = {0.25, 0.25, 0.25}};
    const int *own, like[4] = {0}, removed[1] = {0};
    int nodes[16];
    sp_mesh_element(a.mesh, 0, &own);
    for (int i = 0; i < 16; i++) nodes[i] = i / 4 == i % 4 ? lab_info(&a).nodes : own[i % 4];
    more.node_count = 1, more.at = &middle, more.element_count = 4, more.like = like, more.nodes = nodes, more.node_entries = 16;
    more.removed = removed, more.removed_count = 1;
    append(&a, &more), append(&b, &more);
    check_boundary(&a);
    CHECK_INT(lab_steps(&a, h, 2), SP_OK);
    CHECK_INT(lab_steps(&b, h, 2), SP_OK);
    CHECK_INT(sp_world_restore(a.world, of_hexahedra.data, of_hexahedra.size), SP_BAD_INPUT);
    CHECK_INT(lab_info(&a).appended, lab_info(&b).appended);
    CHECK(sp_world_hash(a.world) == sp_world_hash(b.world));
    hash_steps(&a, STEPS, x), hash_steps(&b, STEPS, y);
    CHECK(memcmp(x, y, sizeof x) == 0);
    sp_checkpoint_free(c.world, &of_hexahedra);
    lab_close(&a), lab_close(&b), lab_close(&c);
}

// ---------------------------------------------------------------------------------------------------- what is new

// Pins, drags and anchors on new nodes and elements; snapshots and fields have them; anchors on others are where they were.
TEST(new_parts_are_parts) {
    for (int t = 0; t < 3; t++) {
        lab l;
        sp_anchor old, fresh;
        double before[3], now[3];
        start(&l, solid_types[t], SP_NEO_HOOKEAN, 0);
        CHECK_INT(lab_steps(&l, h, 3), SP_OK);
        REQUIRE(sp_world_anchor_point(l.world, l.body, (double[3]){0.21, 0.1, 0.1}, &old) == SP_OK);
        REQUIRE(sp_world_anchor_get(l.world, &old, before, NULL) == SP_OK);
        CHECK_INT(sp_world_publish_field(l.world, l.body, "position", true), SP_OK);
        const int count = grow(&l);
        REQUIRE(sp_world_anchor_get(l.world, &old, now, NULL) == SP_OK);
        CHECK(memcmp(before, now, sizeof now) == 0);
        REQUIRE(sp_world_anchor_point(l.world, l.body, (double[3]){0.45, 0.1, 0.1}, &fresh) == SP_OK);
        sp_edit pin = sp_edit_default(SP_EDIT_PIN), drag = sp_edit_default(SP_EDIT_DRAG);
        pin.body = l.body, pin.node = l.nodes + 2, pin.axes = SP_AXES_ALL;
        drag.anchor = fresh, drag.stiffness = 10, drag.target[1] = 1;
        CHECK_INT(sp_world_queue(l.world, &pin), SP_OK);
        CHECK_INT(sp_world_queue(l.world, &drag), SP_OK);
        double *x = lab_field(&l, "position");
        CHECK_INT(lab_steps(&l, h, 3), SP_OK);
        double *y = lab_field(&l, "position"), *stress = lab_field(&l, "von-mises");
        CHECK(memcmp(x + 3 * (l.nodes + 2), y + 3 * (l.nodes + 2), 3 * sizeof *x) == 0);
        CHECK(stress[lab_info(&l).cells - 1] > 0);
        const sp_snapshot *seen = sp_world_snapshot_acquire(l.world);
        double right = 0;
        for (int v = 0; v < seen->bodies[0].surfaces[0].vertex_count; v++)
            right = fmax(right, seen->bodies[0].surfaces[0].positions[3 * v]);
        CHECK(right > 0.45 && count > 0);
        const sp_snapshot_field *shown = seen->bodies[0].fields;
        REQUIRE(seen->bodies[0].field_count == 1 && shown->count == lab_info(&l).nodes);
        CHECK(memcmp(shown->values, y, 3 * (size_t)shown->count * sizeof *y) == 0);
        sp_world_snapshot_release(l.world, seen);
        free(x), free(y), free(stress);
        lab_close(&l);
    }
}

// The energy that comes with new elements counts as work of edits: no energy appears by itself.
TEST(energy_of_the_new) {
    lab l;
    start(&l, SP_ELEMENT_TET4, SP_COROTATIONAL, 0);
    CHECK_INT(lab_steps(&l, h, 5), SP_OK);
    const sp_body_measures before = lab_measures(&l);
    grow(&l);
    CHECK(lab_step(&l, 1e-6) >= 0);
    const sp_body_measures after = lab_measures(&l);
    CHECK(after.work.edits != before.work.edits);
    CHECK(after.appeared == before.appeared);
    lab_close(&l);
}

// The grown end lies on a floor: by penalty and by constraints the floor carries all of the weight. Tolerance: the motion that is
// left after damping, 1e-3 of the weight.
TEST(the_floor_carries_the_new) {
    for (int t = 0; t < 3; t++)
        for (int rows = 0; rows < 2; rows++) {
            lab l;
            REQUIRE(lab_context(&l));
            REQUIRE(element_box(l.ctx, solid_types[t], size, cells, 0, &l.mesh) == SP_OK);
            sp_contact_def contact = sp_contact_def_default();
            sp_rigid_shape plane = {SP_PLANE, {0, 1, 0}, sp_pose_identity()};
            sp_rigid_def floor = sp_rigid_def_default();
            sp_solid_def def = lab_solid(&l);
            def.material = (sp_material){.density = 1000, .young = 1e5, .poisson = 0.3};
            def.rayleigh_mass = 20, def.model = SP_NEO_HOOKEAN;
            REQUIRE(lab_world(&l, &def, -9.81));
            contact.formulation = rows ? SP_CONTACT_PROXIMITY : SP_CONTACT_PENALTY;
            REQUIRE(sp_world_set_contact(l.world, &contact) == SP_OK);
            floor.shapes = &plane, floor.shape_count = 1;
            REQUIRE(sp_world_add_rigid(l.world, &floor, NULL) == SP_OK);
            CHECK(lab_steps(&l, h, 5) >= 0);
            grow(&l);
            CHECK(lab_steps(&l, h, 80) >= 0);
            double *x = lab_field(&l, "position"), low = INFINITY;
            for (int i = l.nodes; i < lab_info(&l).nodes; i++) low = fmin(low, x[3 * i + 1]);
            CHECK(low > -2e-3 && low < 2e-3);  // elements of 0.1 m, of which the weight presses 1e-3
            CHECK(lab_measures(&l).kinetic < 1e-4);
            free(x);
            lab_close(&l);
        }
}

// ---------------------------------------------------------------------------------------------------- several groups

// A hexahedron beside two others, and a quadratic and a linear tetrahedron that fly free: after a mesh of the three types.
enum { MORE = 3, MORE_ENTRIES = 8 + 10 + 4, MIXED_ENTRIES = 8 * HEXES + 10 * QUADRATIC + 4 * LINEAR };

static void more_elements(mixed *m, int *to) {
    static const double corner[8][3] = {{2, 0, 0}, {2.5, 0, 0}, {2.5, 1, 0}, {2, 1, 0},
                                        {2, 0, 1}, {2.5, 0, 1}, {2.5, 1, 1}, {2, 1, 1}};
    static const double tet[4][3] = {{8, 0, 0}, {9, 0, 0}, {8, 1, 0}, {8, 0, 1}};
    static const int edges[6][2] = {{0, 1}, {1, 2}, {2, 0}, {0, 3}, {1, 3}, {2, 3}};
    for (int a = 0; a < 8; a++) *to++ = mixed_node(m, corner[a][0], corner[a][1], corner[a][2]);
    for (int a = 0; a < 4; a++) *to++ = mixed_node(m, tet[a][0], tet[a][1], tet[a][2]);
    for (int e = 0; e < 6; e++) {
        const double *a = tet[edges[e][0]], *b = tet[edges[e][1]];
        *to++ = mixed_node(m, (a[0] + b[0]) / 2, (a[1] + b[1]) / 2, (a[2] + b[2]) / 2);
    }
    for (int a = 0; a < 4; a++) *to++ = mixed_node(m, tet[a][0] + 3, tet[a][1], tet[a][2]);
}

static void hang_mixed(lab *l, const sp_mesh_def *mesh) {
    int count;
    REQUIRE(lab_context(l));
    REQUIRE(sp_mesh_create(l->ctx, mesh, &l->mesh) == SP_OK);
    int *wall = plane_nodes(l->mesh, 0, 0, &count);
    sp_fix fix = {wall, count, SP_AXES_ALL, 0};
    sp_solid_def def = lab_solid(l);
    def.model = SP_NEO_HOOKEAN, def.fixes = &fix, def.fix_count = 1, def.solver.type = SP_SOLVER_CHOLESKY;
    REQUIRE(lab_world(l, &def, -9.81));
    free(wall);
}

// The numbers are those of the mesh that is built whole, and so is the motion up to the order of sums: 1e-13 m of falls by 0.3 m.
TEST(mixed_meshes) {
    static mixed m;
    static const int like[MORE] = {0, HEXES, HEXES + QUADRATIC};
    int nodes[MIXED_ENTRIES + MORE_ENTRIES], cell[2][4 * 200];
    sp_element_type types[ELEMENTS + MORE];
    sp_element_view view[2];
    lab whole, grown;
    make_mixed(&m);
    const int built = m.node_count;
    hang_mixed(&grown, &m.def);
    memcpy(nodes, m.nodes, MIXED_ENTRIES * sizeof *nodes), memcpy(types, m.types, sizeof m.types);
    more_elements(&m, nodes + MIXED_ENTRIES);
    for (int i = 0; i < MORE; i++) types[ELEMENTS + i] = m.types[like[i]];
    sp_mesh_def def = sp_mesh_def_default();
    def.node_count = m.node_count, def.positions = m.x;
    def.element_count = ELEMENTS + MORE, def.element_types = types, def.element_nodes = nodes;
    hang_mixed(&whole, &def);
    sp_addition add = sp_addition_default();
    add.node_count = m.node_count - built, add.rest = m.x + 3 * built;
    add.element_count = MORE, add.like = like, add.nodes = nodes + MIXED_ENTRIES, add.node_entries = MORE_ENTRIES;
    append(&grown, &add);
    REQUIRE(lab_info(&grown).cells == lab_info(&whole).cells && lab_info(&whole).cells <= 200);
    REQUIRE(sp_world_elements(grown.world, grown.body, cell[0], &view[0]) == SP_OK);
    REQUIRE(sp_world_elements(whole.world, whole.body, cell[1], &view[1]) == SP_OK);
    CHECK(memcmp(cell[0], cell[1], 4 * (size_t)view[0].count * sizeof(int)) == 0);
    check_boundary(&grown);
    CHECK_INT(lab_steps(&grown, h, 25), SP_OK);
    CHECK_INT(lab_steps(&whole, h, 25), SP_OK);
    double *x = lab_field(&grown, "position"), *y = lab_field(&whole, "position"), worst = 0;
    for (int i = 0; i < 3 * m.node_count; i++) worst = fmax(worst, fabs(x[i] - y[i]));
    CHECK_NEAR(worst, 0, 1e-13);
    CHECK(y[3 * m.node_count - 2] < -0.25);
    free(x), free(y);
    lab_close(&whole), lab_close(&grown);
}

// ---------------------------------------------------------------------------------------------------- what is attached

// A link, an embedded surface and a point mass on elements that stay; then the elements under the surface are divided, and a
// second surface has vertices in new elements. The link made before does not know these. Steps and a checkpoint go on.
TEST(links_and_surfaces_stay) {
    lab l, m;
    uint64_t x[STEPS], y[STEPS];
    sp_checkpoint c;
    lab *both[2] = {&l, &m};
    for (int i = 0; i < 2; i++) {
        start(both[i], SP_ELEMENT_TET4, SP_COROTATIONAL, 0);
        sp_world *w = both[i]->world;
        sp_rigid_shape shape = {SP_BOX, {0.1, 0.2, 0.2}, sp_pose_identity()};
        sp_rigid_def rigid = sp_rigid_def_default();
        sp_body_id stone;
        sp_contact_def contact = sp_contact_def_default();
        rigid.shapes = &shape, rigid.shape_count = 1, rigid.free = true, rigid.pose.constant.translate[0] = 0.4;
        contact.formulation = SP_CONTACT_PROXIMITY;
        REQUIRE(sp_world_set_contact(w, &contact) == SP_OK);
        REQUIRE(sp_world_add_rigid(w, &rigid, &stone) == SP_OK);
        sp_surface_def surface = sp_surface_def_default();
        surface.name = "skin", surface.subdivide = 1;
        if (sp_world_add_surface(w, both[i]->body, &surface, NULL) < 0) SP_TEST_FAILED("%s", sp_world_error(w)->message);
        sp_link_def link = sp_link_def_default();
        link.type = SP_LINK_WELD, link.a.body = both[i]->body, link.b.body = stone, link.within = 0.01;
        if (sp_world_add_link(w, &link, NULL) < 0) SP_TEST_FAILED("%s", sp_world_error(w)->message);
    }
    CHECK(lab_steps(&l, h, 3) >= 0);
    const int first = l.tets - 3;
    for (int e = first; e < l.tets; e++) {
        const int *own, like[4] = {e, e, e, e}, removed[1] = {e};
        const sp_anchor middle = {.body = l.body, .elem = (uint32_t)e, .at = {0.25, 0.25, 0.25}};
        int nodes[16];
        sp_mesh_element(l.mesh, e, &own);
        for (int i = 0; i < 16; i++) nodes[i] = i / 4 == i % 4 ? lab_info(&l).nodes : own[i % 4];
        sp_addition add = sp_addition_default();
        add.node_count = 1, add.at = &middle, add.element_count = 4, add.like = like, add.nodes = nodes, add.node_entries = 16;
        add.removed = removed, add.removed_count = 1;
        append(&l, &add);
    }
    check_boundary(&l);
    CHECK(lab_steps(&l, h, 3) >= 0);
    REQUIRE(sp_world_save(l.world, &c) == SP_OK);
    hash_steps(&l, STEPS, x);
    CHECK_INT(sp_world_restore(m.world, c.data, c.size), SP_OK);
    hash_steps(&m, STEPS, y);
    CHECK(memcmp(x, y, sizeof x) == 0);
    sp_surface_def later = sp_surface_def_default();
    later.name = "later", later.subdivide = 1;
    CHECK_INT(sp_world_add_surface(l.world, l.body, &later, NULL), SP_OK);
    CHECK(lab_steps(&l, h, 3) >= 0);
    sp_checkpoint_free(l.world, &c);
    lab_close(&l), lab_close(&m);
}
