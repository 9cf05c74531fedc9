// Overlap volumes on random scenes: depth peeling with all triangles confirms volumes, gradients and numbers of layers; the
// results do not depend on workers, tiles and culling; memory is bounded, its growth is reported, and it is kept.
#include "collide/layers.h"
#include "meter.h"
#include "volume_help.h"

enum { BODIES = 6 };

typedef struct scene {
    help_mesh mesh[BODIES];
    sp_volume_surface surface[BODIES];
} scene;

// Boxes and spheres in random places, turned, bumpy, most of them overlapping with some others.
static void scene_random(scene *s, int count, uint64_t seed, int fine) {
    seed = seed * 7919 + 3;
    for (int i = 0; i < count; i++) {
        help_mesh *m = &s->mesh[i];
        const double r = 0.45 + 0.15 * help_uniform(&seed);
        const int n = fine + (int)(help_random(&seed) >> 33) % 4;
        if (i % 2)
            help_sphere(m, (double[]){0, 0, 0}, r, n);
        else
            help_box(m, (double[]){-r, -r, -r}, (double[]){r, r, 0.5 * r}, n);
        // scaled by a smooth factor of the direction: bumpy, closed and without intersections with itself
        for (int v = 0; v < m->nv; v++) {
            double *x = m->x0 + 3 * v, f = 1 + 0.1 * sin(3 * x[0] / r + i) * cos(2 * x[1] / r);
            for (int k = 0; k < 3; k++) x[k] *= f;
        }
        const double axis[3] = {help_uniform(&seed), help_uniform(&seed), 1};
        help_turn(m->x0, m->nv, axis, 3 * help_uniform(&seed));
        help_shift(m->x0, m->nv, 0.6 * help_uniform(&seed), 0.6 * help_uniform(&seed), 0.6 * help_uniform(&seed));
        s->surface[i] = help_surface(m, i);
    }
}

// ---------------------------------------------------------------------------------------------------- peeling

static void compare_with_peeling(const sp_volume_found *found, const sp_volume_surface *s, int count, const help_peeled *p) {
    int pairs = 0;
    for (int a = 0; a < count; a++)
        for (int b = a + 1; b < count; b++) pairs += p->volume[a][b] > 0;
    CHECK_INT(found->count, pairs);
    CHECK_INT(found->layers, p->crossings);
    CHECK_INT(found->unbalanced, 0);
    for (int i = 0; i < found->count; i++) {
        const sp_overlap *o = &found->overlaps[i];
        const int a = o->surface[0], b = o->surface[1];
        double worst = 0, most = 0;
        // sums of a few thousand terms in another order
        CHECK_NEAR(o->volume, p->volume[a][b], 1e-12 * p->volume[a][b]);
        for (int k = 0; k < o->count; k++) {
            const sp_overlap_entry *e = &found->entries[o->first + k];
            double *g = p->gradient[a][b][e->side] + 3 * e->vertex;
            for (int x = 0; x < 3; x++) worst = fmax(worst, fabs(g[x] - e->gradient[x])), most = fmax(most, fabs(g[x])), g[x] = 0;
        }
        CHECK_NEAR(worst, 0, 1e-12 * most);
        // no vertex is missing
        for (int side = 0; side < 2; side++)
            for (int k = 0; k < 3 * s[o->surface[side]].vertex_count; k++) CHECK(p->gradient[a][b][side][k] == 0);
    }
}

TEST(peeling_finds_the_same) {
    static scene s;
    static help_peeled p;
    sp_context *ctx = help_context(2);
    sp_volume *v = NULL;
    sp_volume_found found;
    REQUIRE(sp__volume_create(ctx, &v) >= 0);
    const double pixel = 0.07;
    int overlaps = 0;
    for (uint64_t seed = 1; seed <= (SANITIZED ? 2 : 5); seed++) {
        const int count = 3 + (int)(seed % 3);
        scene_random(&s, count, seed, 1);
        sp_volume_options o = {.pixel = pixel, .region = SP_VOLUME_WHOLE, .tile = 4 << seed % 3, .origin = {0.01, -0.02, 0.005}};
        REQUIRE(sp__volume_find(v, &o, count, s.surface, &found) >= 0);
        overlaps += found.count;
        help_peel_all(s.surface, count, pixel, o.origin, -25, 25, &p);
        compare_with_peeling(&found, s.surface, count, &p);
        help_peeled_free(&p);
    }
    CHECK(overlaps >= 4);  // compilers order the random numbers differently: a scene alone may have one
    sp__volume_destroy(&v), sp_context_destroy(&ctx);
}

// Long and thin triangles on the lists of many tiles, and vertices on the centres of pixels.
TEST(peeling_finds_the_same_for_large_triangles) {
    static help_mesh m[2];
    static help_peeled p;
    sp_context *ctx = help_context(2);
    sp_volume *v = NULL;
    sp_volume_found found;
    REQUIRE(sp__volume_create(ctx, &v) >= 0);
    const double pixel = 1.0 / 32;
    for (int turn = 0; turn < 3; turn++) {
        help_box(&m[0], (double[]){-0.5, -0.5, -0.5}, (double[]){0.5, 0.5, 0.5}, 1);
        help_box(&m[1], (double[]){-0.4, -0.6, -0.015625}, (double[]){0.7, 0.703125, 0.0625}, 1);
        for (int i = 0; i < 2; i++) help_turn(m[i].x0, m[i].nv, (double[]){1, i, 0.3}, 0.4 * turn);
        const sp_volume_surface s[2] = {help_surface(&m[0], 0), help_surface(&m[1], 1)};
        sp_volume_options o = {.pixel = pixel, .region = SP_VOLUME_WHOLE, .tile = 4 << turn};
        REQUIRE(sp__volume_find(v, &o, 2, s, &found) >= 0);
        help_peel_all(s, 2, pixel, o.origin, -40, 40, &p);
        compare_with_peeling(&found, s, 2, &p);
        help_peeled_free(&p);
    }
    sp__volume_destroy(&v), sp_context_destroy(&ctx);
}

// Clips a polygon to y in [low, high] (Sutherland and Hodgman 1974) and returns the range of x.
static bool clipped_range(const double x[3], const double y[3], double low, double high, double range[2]) {
    bool any = false;
    range[0] = INFINITY, range[1] = -INFINITY;
    for (int k = 0; k < 3; k++) {
        const int n = (k + 1) % 3;
        double candidates[3] = {NAN, NAN, NAN};
        if (y[k] >= low && y[k] <= high) candidates[0] = x[k];
        for (int end = 0; end < 2; end++) {
            const double at = end ? high : low;
            if ((y[k] < at) != (y[n] < at)) candidates[1 + end] = x[k] + (x[n] - x[k]) * ((at - y[k]) / (y[n] - y[k]));
        }
        for (int c = 0; c < 3; c++)
            if (!isnan(candidates[c]))
                any = true, range[0] = fmin(range[0], candidates[c]), range[1] = fmax(range[1], candidates[c]);
    }
    return any;
}

// The five tests of section 5.4 of the method are exact.
TEST(tiles_of_a_triangle_are_those_of_polygon_clipping) {
    uint64_t seed = 12;
    int rows = 0;
    for (int i = 0; i < 20000; i++) {
        double x[3], y[3], low = INFINITY, high = -INFINITY;
        for (int k = 0; k < 3; k++) {
            x[k] = 100 * help_uniform(&seed), y[k] = 60 * help_uniform(&seed);
            if (i % 3 == 0) y[k] = floor(y[k]);  // on the borders of tiles, and horizontal edges
            if (i % 5 == 0 && k) x[k] = x[0] + 0.01 * x[k];
            low = fmin(low, y[k]), high = fmax(high, y[k]);
        }
        for (int row = (int)floor(low / 8); row <= (int)floor(high / 8); row++, rows++) {
            int columns[2];
            double range[2];
            sp__ldi_columns(x, y, row, 8, columns);
            if (!clipped_range(x, y, 8.0 * row, 8.0 * (row + 1), range)) continue;
            // rounding may move a crossing over the border of a tile
            for (int end = 0; end < 2; end++)
                if (fabs(range[end] / 8 - nearbyint(range[end] / 8)) > 1e-9) CHECK_INT(columns[end], floor(range[end] / 8));
        }
    }
    CHECK(rows > 100000);
}

// ---------------------------------------------------------------------------------------------------- the same results

// Field by field, bit for bit: the bytes between fields are not defined.
static bool same_overlap(const sp_overlap *a, const sp_overlap *b) {
    return memcmp(a->surface, b->surface, sizeof a->surface) == 0 && memcmp(a->cell, b->cell, sizeof a->cell) == 0 &&
           memcmp(a->normal, b->normal, sizeof a->normal) == 0 && memcmp(a->point, b->point, sizeof a->point) == 0 &&
           a->pixel == b->pixel && a->volume == b->volume && a->area == b->area && a->depth == b->depth && a->first == b->first &&
           a->count == b->count;
}

static bool same(const sp_volume_found *a, const sp_volume_found *b) {
    bool equal = a->count == b->count && a->entry_count == b->entry_count;
    for (int i = 0; equal && i < a->count; i++) equal = same_overlap(&a->overlaps[i], &b->overlaps[i]);
    for (int i = 0; equal && i < a->entry_count; i++) {
        const sp_overlap_entry *p = &a->entries[i], *q = &b->entries[i];
        equal = p->side == q->side && p->surface == q->surface && p->vertex == q->vertex &&
                memcmp(p->gradient, q->gradient, sizeof p->gradient) == 0;
    }
    return equal;
}

static double difference(const sp_volume_found *a, const sp_volume_found *b) {
    if (a->count != b->count || a->entry_count != b->entry_count) return INFINITY;
    double worst = 0;
    for (int i = 0; i < a->count; i++) {
        const sp_overlap *p = &a->overlaps[i], *q = &b->overlaps[i];
        if (memcmp(p->surface, q->surface, sizeof p->surface) != 0 || memcmp(p->cell, q->cell, sizeof p->cell) != 0)
            return INFINITY;
        worst = fmax(worst, fabs(p->volume - q->volume));
    }
    for (int i = 0; i < a->entry_count; i++) {
        const sp_overlap_entry *p = &a->entries[i], *q = &b->entries[i];
        if (p->surface != q->surface || p->vertex != q->vertex) return INFINITY;
        for (int k = 0; k < 3; k++) worst = fmax(worst, fabs(p->gradient[k] - q->gradient[k]));
    }
    return worst;
}

// Bit for bit for any number of workers, and with and without culling; to rounding for tiles of another size and for images of
// each pair, which sum in another order.
TEST(results_do_not_depend_on_workers_tiles_and_regions) {
    static const int workers[] = {1, 2, 3, 7};
    static scene s;
    scene_random(&s, BODIES, 11, 8);
    s.surface[2].self = true;
    for (int cell = 0; cell <= 6; cell += 6) {
        sp_volume_found first = {0}, found;
        sp_context *ctx[4];
        sp_volume *v[4];
        sp_volume_options o = {.pixel = 0.02, .cell = cell, .sliver = 1};
        for (int w = 0; w < 4; w++) {
            ctx[w] = help_context(workers[w]);
            REQUIRE(sp__volume_create(ctx[w], &v[w]) >= 0);
            for (int repeat = 0; repeat < 2; repeat++) {
                REQUIRE(sp__volume_find(v[w], &o, BODIES, s.surface, w ? &found : &first) >= 0);
                if (w) CHECK(same(&first, &found));
            }
        }
        CHECK(first.count > 5 && first.intervals > 1000);
        o.region = SP_VOLUME_WHOLE;
        REQUIRE(sp__volume_find(v[1], &o, BODIES, s.surface, &found) >= 0);
        CHECK(same(&first, &found));
        CHECK(found.pixels > first.pixels && found.layers > first.layers);
        o.region = SP_VOLUME_PAIRS;
        REQUIRE(sp__volume_find(v[1], &o, BODIES, s.surface, &found) >= 0);
        CHECK_NEAR(difference(&first, &found), 0, 1e-15);
        CHECK_INT(found.images, 3 * found.pairs);
        o.region = SP_VOLUME_CULLED;
        for (o.tile = 4; o.tile <= 16; o.tile *= 2) {
            REQUIRE(sp__volume_find(v[2], &o, BODIES, s.surface, &found) >= 0);
            CHECK_NEAR(difference(&first, &found), 0, 1e-15);
        }
        for (int w = 0; w < 4; w++) sp__volume_destroy(&v[w]), sp_context_destroy(&ctx[w]);
    }
}

// ---------------------------------------------------------------------------------------------------- memory and errors

TEST(memory_is_kept_and_growth_is_told) {
    static scene s;
    scene_random(&s, BODIES, 5, 8);
    for (int workers = 1; workers <= 3; workers += 2) {
        sp_context *ctx = help_context(workers);
        sp_volume *v = NULL;
        sp_volume_found found;
        sp_volume_options o = {.pixel = 0.03, .cell = 8, .sliver = 1};
        uint64_t before, after;
        REQUIRE(sp__volume_create(ctx, &v) >= 0);
        REQUIRE(sp__volume_find(v, &o, BODIES, s.surface, &found) >= 0);
        CHECK(found.grown && found.bytes > 0);
        sp_context_memory(ctx, NULL, &before);
        for (int step = 0; step < 6; step++) {
            for (int i = 0; i < 3 * s.mesh[1].nv; i++) s.mesh[1].x0[i] += i % 3 ? 1e-4 : -1e-4;
            REQUIRE(sp__volume_find(v, &o, BODIES, s.surface, &found) >= 0);
            CHECK(!found.grown);
        }
        sp_context_memory(ctx, NULL, &after);
        CHECK_INT(after, before);
        // four times as many rays and layers
        o.pixel = 0.015;
        REQUIRE(sp__volume_find(v, &o, BODIES, s.surface, &found) >= 0);
        CHECK(found.grown && found.unbalanced == 0);
        sp__volume_destroy(&v), sp_context_destroy(&ctx);
    }
}

// More layers on a ray than there is room for at first: the storage grows within a tile, and nothing is lost.
TEST(rays_have_as_many_layers_as_needed) {
    enum { PLATES = 160 };
    static help_mesh plates, block;
    sp_context *ctx = help_context(2);
    sp_volume *v = NULL;
    sp_volume_found found;
    double volume = 0;
    REQUIRE(sp__volume_create(ctx, &v) >= 0);
    help_box(&plates, (double[]){0, 0, 0}, (double[]){1, 1, 0.5 / PLATES}, 1);
    const help_mesh one = plates;
    for (int k = 1; k < PLATES; k++) {
        for (int i = 0; i < one.nv; i++)
            help_shift(memcpy(plates.x0 + 3 * (plates.nv + i), one.x0 + 3 * i, 24), 1, 0, 0, (double)k / PLATES);
        for (int i = 0; i < 3 * one.nf; i++) plates.faces[3 * plates.nf + i] = one.faces[i] + (uint32_t)plates.nv;
        plates.nv += one.nv, plates.nf += one.nf;
    }
    help_box(&block, (double[]){0.25, 0.25, -0.1}, (double[]){0.75, 0.75, 1.1}, 2);
    const sp_volume_surface s[2] = {help_surface(&plates, 0), help_surface(&block, 1)};
    sp_volume_options o = {.pixel = 1.0 / 32};
    for (int repeat = 0; repeat < 2; repeat++) {
        REQUIRE(sp__volume_find(v, &o, 2, s, &found) >= 0);
        CHECK_INT(found.grown, !repeat);
        REQUIRE(found.count == 1);
        // exact by the rays along the plates' normal; those across see every plate or none
        for (int i = 0; i < found.entry_count; i++)
            volume += found.entries[i].gradient[2] * s[found.entries[i].side].x[3 * found.entries[i].vertex + 2];
        CHECK_NEAR(volume, 0.125, 1e-12);
        CHECK(found.layers >= 16 * 16 * (2 * PLATES + 2));
        volume = 0;
    }
    sp__volume_destroy(&v), sp_context_destroy(&ctx);
}

// With a reservation for the layers the first search has room for all of them; the results are the same.
TEST(layers_are_reserved) {
    static scene s;
    scene_random(&s, BODIES, 5, 8);
    double volume[3];
    size_t bytes[3];
    for (int k = 0; k < 3; k++) {
        sp_context *ctx = help_context(2);
        sp_volume *v = NULL;
        sp_volume_found found;
        sp_volume_options o = {.pixel = 0.03};
        REQUIRE(sp__volume_create(ctx, &v) >= 0);
        if (k > 0) sp__volume_reserve_layers(v, k == 1 ? 1 : SP_VOLUME_LAYERS_MOST);
        REQUIRE(sp__volume_find(v, &o, BODIES, s.surface, &found) >= 0);
        REQUIRE(found.count > 0);
        CHECK(found.layers_most > 2 && found.layers_most <= SP_VOLUME_LAYERS_AUTO);
        volume[k] = found.overlaps[0].volume, bytes[k] = found.bytes;
        CHECK(sp__volume_find(v, &o, BODIES, s.surface, &found) >= 0 && !found.grown);
        sp__volume_destroy(&v);
        // more than the limit: nothing is allocated for them
        o.bytes_most = 4 << 20;
        REQUIRE(sp__volume_create(ctx, &v) >= 0);
        if (k == 2) {
            sp__volume_reserve_layers(v, SP_VOLUME_LAYERS_MOST);
            CHECK_INT(sp__volume_find(v, &o, BODIES, s.surface, &found), SP_NO_MEMORY);
            CHECK(strstr(sp_context_error(ctx)->message, "MiB, the limit is 4.0 MiB"));
            CHECK(found.bytes <= o.bytes_most);
        }
        sp__volume_destroy(&v), sp_context_destroy(&ctx);
    }
    CHECK(volume[1] == volume[0] && volume[2] == volume[0]);
    // 260 rays of 4,096 layers of 8 bytes for each of two workers, and half more
    CHECK(bytes[2] - bytes[0] > 2 * 260 * 8 * (size_t)(SP_VOLUME_LAYERS_MOST - SP_VOLUME_LAYERS_AUTO));
}

TEST(too_much_memory_is_refused_before_it_is_allocated) {
    static scene s;
    sp_context *ctx = help_context(2);
    sp_volume *v = NULL;
    sp_volume_found found;
    size_t bytes;
    scene_random(&s, 3, 2, 4);
    REQUIRE(sp__volume_create(ctx, &v) >= 0);
    sp_volume_options o = {.pixel = 2e-4, .bytes_most = 1 << 20};
    CHECK_INT(sp__volume_find(v, &o, 3, s.surface, &found), SP_NO_MEMORY);
    CHECK(found.count == 0 && found.overlaps == NULL);
    const char *text = sp_context_error(ctx)->message;
    CHECK(strstr(text, "MiB, the limit is 1.0 MiB") && strstr(text, "3 surfaces with"));
    sp_context_memory(ctx, &bytes, NULL);
    CHECK(bytes < (1 << 20) + (1 << 16));  // and what the context has besides
    o = (sp_volume_options){.pixel = 0.05};
    CHECK(sp__volume_find(v, &o, 3, s.surface, &found) >= 0 && found.count > 0);
    sp__volume_destroy(&v), sp_context_destroy(&ctx);
}

TEST(wrong_input_is_refused) {
    static scene s;
    sp_context *ctx = help_context(1);
    sp_volume *v = NULL;
    sp_volume_found found;
    scene_random(&s, 2, 4, 3);
    REQUIRE(sp__volume_create(ctx, &v) >= 0);
    const sp_volume_options bad[] = {
        {.pixel = 0},    {.pixel = NAN},           {.pixel = 0.1, .cell = -1}, {.pixel = 0.1, .sliver = -1},
        {.pixel = 1e-6}, {.pixel = 0.1, .tile = 5}};
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++)
        CHECK_INT(sp__volume_find(v, &bad[i], 2, s.surface, &found), SP_BAD_INPUT);
    const sp_volume_options good = {.pixel = 0.05};
    s.mesh[1].faces[7] = (uint32_t)s.mesh[1].nv;
    CHECK_INT(sp__volume_find(v, &good, 2, s.surface, &found), SP_BAD_INPUT);
    CHECK(strstr(sp_context_error(ctx)->message, "surface 1"));
    s.mesh[1].faces[7] = 0, s.mesh[1].x0[4] = NAN;
    CHECK_INT(sp__volume_find(v, &good, 2, s.surface, &found), SP_NOT_FINITE);
    CHECK(strstr(sp_context_error(ctx)->message, "surface 1: vertex 1 "));
    // far away from the origin of the grid, and a triangle of more pixels than the grid has
    scene_random(&s, 2, 4, 3);
    for (int i = 0; i < 2; i++) help_shift(s.mesh[i].x0, s.mesh[i].nv, 1e8, 0, 0);
    CHECK_INT(sp__volume_find(v, &good, 2, s.surface, &found), SP_BAD_INPUT);
    scene_random(&s, 2, 4, 3);
    help_box(&s.mesh[1], (double[]){-1e6, -1e6, -1e6}, (double[]){1e6, 1e6, 1e6}, 1);
    s.surface[1] = help_surface(&s.mesh[1], 1);
    CHECK_INT(sp__volume_find(v, &good, 2, s.surface, &found), SP_BAD_INPUT);
    // nothing at all
    CHECK(sp__volume_find(v, &good, 0, NULL, &found) >= 0 && found.count == 0);
    sp__volume_destroy(&v), sp_context_destroy(&ctx);
}

// Large triangles have fewer bits below the pixel, and the rest of the scene hardly differs.
TEST(large_triangles_share_a_coarser_grid) {
    static help_mesh ball, floor;
    sp_context *ctx = help_context(1);
    sp_volume *v = NULL;
    sp_volume_found found;
    double volume[2];
    REQUIRE(sp__volume_create(ctx, &v) >= 0);
    help_sphere(&ball, (double[]){0.1, 0.2, 0.4}, 0.5, 12);
    help_turn(ball.x0, ball.nv, (double[]){1, 2, 0}, 0.4);
    for (int k = 0; k < 2; k++) {
        const double size = k ? 2000 : 4;
        help_box(&floor, (double[]){-size, -size, -1}, (double[]){size, size, 0}, 1);
        const sp_volume_surface s[2] = {help_surface(&ball, 0), help_surface(&floor, 1)};
        sp_volume_options o = {.pixel = 1.0 / 64};
        REQUIRE(sp__volume_find(v, &o, 2, s, &found) >= 0 && found.count == 1);
        volume[k] = found.overlaps[0].volume;
        CHECK_INT(found.unbalanced, 0);
    }
    CHECK_NEAR(volume[1], volume[0], 1e-3 * volume[0]);  // 8 bits
    sp__volume_destroy(&v), sp_context_destroy(&ctx);
}

TEST(failed_allocations_leave_a_workspace_that_works) {
    static scene s;
    sp_context *plain = help_context(1);
    sp_volume *reference = NULL;
    sp_volume_found want, found;
    const sp_volume_options o = {.pixel = 0.03, .cell = 8, .sliver = 1};
    int refused = 0;
    scene_random(&s, 4, 9, 3);
    REQUIRE(sp__volume_create(plain, &reference) >= 0);
    REQUIRE(sp__volume_find(reference, &o, 4, s.surface, &want) >= 0);
    for (long n = 0; n < 200; n++) {
        meter held = {.allowed = 1000};
        sp_context_def def = metered_context(&held);
        sp_context *ctx = NULL;
        sp_volume *v = NULL;
        REQUIRE(sp_context_create(&def, &ctx) >= 0);
        held.allowed = n;
        sp_status made = sp__volume_create(ctx, &v), status = made;
        if (made >= 0) status = sp__volume_find(v, &o, 4, s.surface, &found);
        held.allowed = 1000;
        refused += status == SP_NO_MEMORY;
        CHECK(status >= 0 || status == SP_NO_MEMORY);
        if (status >= 0) n = 200;
        if (made >= 0) CHECK(sp__volume_find(v, &o, 4, s.surface, &found) >= 0 && same(&want, &found));
        sp__volume_destroy(&v);
        sp_context_destroy(&ctx);
        CHECK_INT(held.live, 0);
    }
    CHECK(refused > 20);
    sp__volume_destroy(&reference), sp_context_destroy(&plain);
}
