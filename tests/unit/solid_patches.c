// Patches of tetrahedra: every element is in one of them, of its own chunk and region; they are connected, and few are small.
// They do not depend on the backend.
#include "solid/solid.h"
#include "test.h"

typedef struct specimen {
    sp_context *ctx;
    sp_mesh *mesh;
    sp_body *body;
    int elements, *region;
} specimen;

// 3072 tetrahedra in several chunks; region 1 is a slab
static void make(specimen *s, const char *backend) {
    const double size[3] = {1, 1, 1};
    const int cells[3] = {8, 8, 8};
    const sp_material same = {.density = NAN, .young = NAN, .poisson = NAN};
    sp_error error;
    *s = (specimen){0};
    REQUIRE(sp_context_create(NULL, &s->ctx) == SP_OK && sp_mesh_box(s->ctx, size, cells, 6, &s->mesh) == SP_OK);
    s->elements = sp_mesh_element_count(s->mesh), s->region = calloc((size_t)s->elements, sizeof *s->region);
    for (int e = 0; e < s->elements; e++) {
        double x[3];
        sp_mesh_element_point(s->mesh, e, NULL, x);
        s->region[e] = x[0] > 0.5;
    }
    sp_solid_def def = sp_solid_def_default();
    def.mesh = s->mesh, def.integration = SP_INTEGRATION_B_BAR;
    def.regions = &same, def.region_count = 1, def.element_region = s->region;
    REQUIRE(sp__solid_create(s->ctx, &error, &def, backend, &s->body) == SP_OK);
}

static void drop(specimen *s) {
    s->body->ops->destroy(s->body);
    free(s->region);
    sp_mesh_destroy(&s->mesh);
    sp_context_destroy(&s->ctx);
}

static int shared_nodes(const sp_mesh *mesh, int e, int f) {
    const int *a, *b;
    int count = 0;
    sp_mesh_element(mesh, e, &a), sp_mesh_element(mesh, f, &b);
    for (int i = 0; i < 16; i++) count += a[i / 4] == b[i % 4];
    return count;
}

// number of elements that faces connect to the first one
static int connected(const sp_mesh *mesh, const int *element, int count) {
    int list[64] = {element[0]}, n = 1;
    for (int i = 0; i < n; i++)
        for (int k = 0; k < count; k++) {
            bool in = false;
            for (int j = 0; j < n; j++) in = in || list[j] == element[k];
            if (!in && shared_nodes(mesh, list[i], element[k]) == 3) list[n++] = element[k];
        }
    return n;
}

TEST(patches_are_a_partition) {
    specimen s;
    make(&s, "cpu");
    const sp_solid *solid = sp__solid(s.body);
    const sp_solid_group *g = solid->group;
    const sp_patches *p = &g->patches;
    int *seen = calloc((size_t)s.elements, sizeof *seen), small = 0, chunk = 0;
    CHECK(solid->group_count == 1 && g->chunks.count > 2);
    for (int patch = 0; patch < p->count; patch++) {
        int element[64], count = p->start[patch + 1] - p->start[patch];
        REQUIRE(count >= 1 && count <= 64);
        while (patch >= p->chunk_start[chunk + 1]) chunk++;
        for (int i = 0; i < count; i++) {
            int slot = p->slot[p->start[patch] + i], block = slot / g->lanes;
            element[i] = solid->user_element[g->first + slot];
            seen[element[i]]++;
            CHECK(block >= g->block_start[chunk] && block < g->block_start[chunk + 1]);
            CHECK_INT(s.region[element[i]], s.region[element[0]]);
        }
        CHECK_INT(connected(s.mesh, element, count), count);
        small += count < 4;
    }
    for (int e = 0; e < s.elements; e++) CHECK_INT(seen[e], 1);
    // seven or a few more, so that there is less than one condition on the volume for each three unknowns
    CHECK(7 * p->count < s.elements + 7 && 9 * p->count > s.elements);
    CHECK_INT(small, 0);
    free(seen);
    drop(&s);
}

TEST(patches_do_not_depend_on_the_backend) {
    specimen a, b;
    make(&a, "cpu"), make(&b, "ref");
    const sp_solid *x = sp__solid(a.body), *y = sp__solid(b.body);
    CHECK_INT(x->group->patches.count, y->group->patches.count);
    for (int i = 0; i < a.elements; i++)
        CHECK_INT(x->user_element[x->group->patches.slot[i]], y->user_element[y->group->patches.slot[i]]);
    drop(&a), drop(&b);
}
