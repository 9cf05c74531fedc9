// Overlap volumes from layered depth images: the reference values of two spheres, gradients by differences and their sums, pairs
// of three bodies and of one body with itself, multi-volume cells, contact of exactly touching and degenerate surfaces.
#include "volume_help.h"

static const double ORIGIN = -3.0173;

// Two unit spheres with centres 1.5 apart along x, of section 13 of the method.
typedef struct spheres {
    help_mesh mesh[2];
    sp_volume_surface surface[2];
} spheres;

static void spheres_create(spheres *s) {
    for (int i = 0; i < 2; i++) {
        help_mesh *m = &s->mesh[i];
        help_icosphere(m, 4);
        help_turn(m->x0, m->nv, (double[]){0, 0, 1}, 0.3), help_turn(m->x0, m->nv, (double[]){1, 0, 0}, 0.3);
        help_shift(m->x0, m->nv, 0.013 + (i ? 0.75 : -0.75), 0.021, 0.007);
        s->surface[i] = help_surface(m, i);
    }
}

static sp_volume_options options_at(double pixel) {
    return (sp_volume_options){.pixel = pixel, .origin = {ORIGIN, ORIGIN, ORIGIN}};
}

typedef struct finder {
    sp_context *ctx;
    sp_volume *volume;
    sp_volume_found found;
} finder;

static finder finder_open(int workers) {
    finder f = {.ctx = help_context(workers)};
    CHECK(sp__volume_create(f.ctx, &f.volume) >= 0);
    return f;
}

static void finder_close(finder *f) {
    sp__volume_destroy(&f->volume);
    CHECK(f->volume == NULL);
    sp_context_destroy(&f->ctx);
}

static const sp_volume_found *find(finder *f, sp_volume_options o, int count, const sp_volume_surface *s) {
    CHECK(sp__volume_find(f->volume, &o, count, s, &f->found) >= 0);
    return &f->found;
}

static double total_volume(const sp_volume_found *f) {
    double sum = 0;
    for (int i = 0; i < f->count; i++) sum += f->overlaps[i].volume;
    return sum;
}

// Each interval adds +a and -a, and barycentric coordinates sum up to 1: only rounding remains.
static void check_balance(const sp_volume_found *f) {
    for (int i = 0; i < f->count; i++) {
        const sp_overlap *o = &f->overlaps[i];
        double sum[3] = {0}, side[2][3] = {{0}}, total = 0;
        for (const sp_overlap_entry *e = f->entries + o->first; e < f->entries + o->first + o->count; e++) {
            sp__axpy3(sum, 1, e->gradient, sum), sp__axpy3(side[e->side], 1, e->gradient, side[e->side]);
            total += sp__norm3(e->gradient);
            CHECK(e->surface == o->surface[e->side]);
            if (e > f->entries + o->first) CHECK(e[-1].side < e->side || (e[-1].side == e->side && e[-1].vertex < e->vertex));
        }
        CHECK_NEAR(sp__norm3(sum) / total, 0, 1e-13);
        CHECK_NEAR(sp__norm3(o->normal), 1, 1e-14);
        if (o->area == 0) continue;
        CHECK_NEAR(sp__dot3(o->normal, side[0]), -o->area, 1e-12 * total);
        CHECK_NEAR(sp__dot3(o->normal, side[1]), o->area, 1e-12 * total);
        CHECK_NEAR(o->depth * o->area, o->volume, 1e-14 * o->volume);
    }
}

// ---------------------------------------------------------------------------------------------------- two spheres

// The table of section 13, printed with 6 digits by a prototype in double.
TEST(spheres_have_the_volumes_of_the_reference) {
    static const double volume[] = {0.358718, 0.357714, 0.357766, 0.357712, 0.357726},
                        area[] = {1.34375, 1.36328, 1.36719, 1.37183, 1.36993};
    static spheres s;
    finder f = finder_open(2);
    spheres_create(&s);
    CHECK_INT(s.mesh[0].nf, 5120);
    for (int i = 0; i < 5; i++) {
        const sp_volume_found *found = find(&f, options_at(1.0 / (8 << i)), 2, s.surface);
        REQUIRE(found->count == 1);
        const sp_overlap *o = found->overlaps;
        CHECK_NEAR(o->volume, volume[i], 1e-5 * volume[i]);
        CHECK_NEAR(o->area, area[i], 1e-5 * area[i]);
        CHECK_NEAR(o->normal[0], -1, 1e-12);
        CHECK_INT(found->unbalanced, 0);
        CHECK_INT(found->images, 3);
        // the middle of the lens, to a tenth of a pixel
        CHECK_NEAR(o->point[0], 0.013, 0.1 / (8 << i));
        CHECK_NEAR(o->point[1], 0.021, 0.1 / (8 << i));
        CHECK_NEAR(o->point[2], 0.007, 0.1 / (8 << i));
        check_balance(found);
    }
    finder_close(&f);
}

TEST(cells_sum_up_to_the_whole) {
    static const int cells[] = {4, 8, 16, 32, 64}, count[] = {330, 69, 24, 8, 1};
    static spheres s;
    static double whole[2][3 * HELP_VERTICES];
    finder f = finder_open(2);
    spheres_create(&s);
    const sp_volume_found *found = find(&f, options_at(1.0 / 32), 2, s.surface);
    const double volume = total_volume(found);
    for (int i = 0; i < found->entry_count; i++)
        memcpy(whole[found->entries[i].side] + 3 * found->entries[i].vertex, found->entries[i].gradient, 3 * sizeof(double));
    for (int i = 0; i < 5; i++)
        for (int sliver = 0; sliver < 2; sliver++) {
            static double sum[2][3 * HELP_VERTICES];
            sp_volume_options o = options_at(1.0 / 32);
            o.cell = cells[i], o.sliver = sliver;
            found = find(&f, o, 2, s.surface);
            CHECK_INT(found->count + found->joined, count[i]);
            CHECK(sliver || found->joined == 0);
            CHECK_NEAR(total_volume(found), volume, 1e-12 * volume);
            check_balance(found);
            memset(sum, 0, sizeof sum);
            for (int k = 0; k < found->entry_count; k++) {
                const sp_overlap_entry *e = &found->entries[k];
                sp__axpy3(sum[e->side] + 3 * e->vertex, 1, e->gradient, sum[e->side] + 3 * e->vertex);
            }
            double worst = 0;
            for (int side = 0; side < 2; side++)
                for (int k = 0; k < 3 * HELP_VERTICES; k++) worst = fmax(worst, fabs(sum[side][k] - whole[side][k]));
            CHECK_NEAR(worst, 0, 1e-15);  // of gradients of about 1e-3
            for (int k = 0; k < found->count; k++) {
                const sp_overlap *a = &found->overlaps[k];
                if (sliver && found->count > 1 && a->area < 1.0 / 1024)
                    SP_TEST_FAILED("cell %d %d %d of %d pixels has an area of %g pixels", a->cell[0], a->cell[1], a->cell[2],
                                   cells[i], a->area * 1024);
                // without joined ones the centroid is in the cell: the grid of cells is that of the pixels
                for (int x = 0; x < 3 && !sliver; x++) CHECK_INT(floor((a->point[x] - ORIGIN) / (cells[i] / 32.0)), a->cell[x]);
            }
        }
    finder_close(&f);
}

// Moving the second sphere by +-1e-3 along x at 1/64: -1.37172 by the rays along x, -1.389 and -1.394 by those across (reference;
// they see the change at the silhouette, by whole pixels), so -1.3849 for their mean, and -1.37183 by the gradient.
TEST(gradient_is_the_difference_of_volumes) {
    static spheres s;
    finder f = finder_open(2);
    double volume[2];
    spheres_create(&s);
    for (int k = 0; k < 2; k++) {
        help_shift(s.mesh[1].x0, s.mesh[1].nv, k ? 2e-3 : -1e-3, 0, 0);
        volume[k] = total_volume(find(&f, options_at(1.0 / 64), 2, s.surface));
    }
    CHECK_NEAR((volume[1] - volume[0]) / 2e-3, -1.3849, 1e-3);
    help_shift(s.mesh[1].x0, s.mesh[1].nv, -1e-3, 0, 0);
    const sp_volume_found *found = find(&f, options_at(1.0 / 64), 2, s.surface);
    double sum[3] = {0}, rate = 0;
    for (int i = 0; i < found->entry_count; i++)
        if (found->entries[i].side == 1) sp__axpy3(sum, 1, found->entries[i].gradient, sum);
    CHECK_NEAR(sum[0], -1.37183, 1e-5);
    // a twist of the first sphere that stretches it along x: pixels limit both to about a percent
    for (int k = 0; k < 2; k++) {
        for (int i = 0; i < s.mesh[0].nv; i++) {
            double *x = s.mesh[0].x0 + 3 * i, u[3] = {0.3 * x[0] + 0.2 * x[1], -0.1 * x[2], 0.1 * x[1] * x[0]};
            sp__axpy3(x, k ? 0.02 : -0.01, u, x);
        }
        volume[k] = total_volume(find(&f, options_at(1.0 / 64), 2, s.surface));
    }
    spheres_create(&s);
    found = find(&f, options_at(1.0 / 64), 2, s.surface);
    for (int i = 0; i < found->entry_count; i++) {
        const sp_overlap_entry *e = &found->entries[i];
        if (e->side) continue;
        const double *x = s.mesh[0].x0 + 3 * e->vertex, u[3] = {0.3 * x[0] + 0.2 * x[1], -0.1 * x[2], 0.1 * x[1] * x[0]};
        rate += sp__dot3(u, e->gradient);
    }
    CHECK_NEAR((volume[1] - volume[0]) / 0.02, rate, 0.01 * fabs(rate));
    finder_close(&f);
}

// A box of 40 x 36 pixels pressed into a larger one by whole pixels: rays along and across see the same change, and the volume is
// linear.
TEST(gradient_of_boxes_is_exact) {
    static help_mesh floor, block;
    finder f = finder_open(2);
    const double pixel = 1.0 / 64;
    help_box(&floor, (double[]){-1, -1, -0.5}, (double[]){1, 1, 0}, 5);
    help_box(&block, (double[]){-0.25, -0.25, -0.1}, (double[]){0.375, 0.3125, 0.6}, 3);
    const sp_volume_surface s[2] = {help_surface(&block, 0), help_surface(&floor, 1)};
    sp_volume_options o = {.pixel = pixel};
    double before = 0;
    for (int k = 0; k < 3; k++) {
        const sp_volume_found *found = find(&f, o, 2, s);
        REQUIRE(found->count == 1);
        const sp_overlap *overlap = found->overlaps;
        CHECK_NEAR(overlap->area, 0.625 * 0.5625, 1e-14);
        CHECK_NEAR(overlap->normal[2], 1, 1e-14);
        if (k) CHECK_NEAR((overlap->volume - before) / pixel, overlap->area, 1e-12);
        before = overlap->volume;
        help_shift(block.x0, block.nv, 0, 0, -pixel);
    }
    finder_close(&f);
}

// ---------------------------------------------------------------------------------------------------- pairs

TEST(three_spheres_make_three_pairs) {
    static help_mesh m[3];
    sp_volume_surface s[3];
    finder f = finder_open(2);
    for (int i = 0; i < 3; i++) {
        help_icosphere(&m[i], 3);
        // distances of 1.2: all three share a volume, where a counter of the open surfaces would lose pairs
        help_shift(m[i].x0, m[i].nv, 1.2 / sqrt(3) * cos(2.1 * SP_PI / 3 * i), 1.2 / sqrt(3) * sin(2.1 * SP_PI / 3 * i), 0);
        s[i] = help_surface(&m[i], i);
    }
    static const int pairs[3][2] = {{0, 1}, {0, 2}, {1, 2}};
    sp_volume_options o = {.pixel = 1.0 / 64};
    const sp_volume_found *found = find(&f, o, 3, s);
    REQUIRE(found->count == 3);
    for (int i = 0; i < 3; i++) {
        const sp_overlap *p = &found->overlaps[i];
        double d[3];
        CHECK_INT(p->surface[0], pairs[i][0]), CHECK_INT(p->surface[1], pairs[i][1]);
        sp__sub3(m[p->surface[0]].x0, m[p->surface[1]].x0, d);
        const double distance = sp__norm3(d), lens = SP_PI * (4 + distance) * (2 - distance) * (2 - distance) / 12;
        // spheres of 1280 triangles are 2.5 % smaller
        CHECK(p->volume < lens && p->volume > 0.95 * lens);
        CHECK_NEAR(sp__dot3(p->normal, d) / distance, 1, 1e-3);
    }
    check_balance(found);
    // two surfaces of one body make no pair, and ignored pairs neither
    s[1].group = 0;
    CHECK_INT(find(&f, o, 3, s)->count, 2);
    finder_close(&f);
}

static double pixel_of_pair(void *user, int a, int b) {
    return ((const double(*)[3])user)[a][b];
}

TEST(pairs_have_pixels_of_their_own) {
    static help_mesh m[3];
    sp_volume_surface s[3];
    finder f = finder_open(2);
    for (int i = 0; i < 3; i++) {
        help_icosphere(&m[i], 3);
        help_shift(m[i].x0, m[i].nv, 1.3 * i, 0, 0);
        s[i] = help_surface(&m[i], i);
    }
    double pixel[3][3] = {{0, 1.0 / 16, 1}, {0, 0, 1.0 / 40}, {0, 0, 0}}, volume[2];
    for (int k = 0; k < 2; k++)
        volume[k] = find(&f, (sp_volume_options){.pixel = k ? 1.0 / 40 : 1.0 / 16}, 2, s + k)->overlaps[0].volume;
    sp_volume_options o = {.pixel = 1, .pair_pixel = pixel_of_pair, .user = pixel};
    const sp_volume_found *found = find(&f, o, 3, s);
    REQUIRE(found->count == 2);
    CHECK_INT(found->images, 6);
    for (int k = 0; k < 2; k++) {
        CHECK_INT(found->overlaps[k].surface[0], k);
        CHECK_NEAR(found->overlaps[k].pixel, pixel[k][k + 1], 0);
        CHECK_NEAR(found->overlaps[k].volume, volume[k], 1e-14);
    }
    pixel[0][1] = 0;
    found = find(&f, o, 3, s);
    REQUIRE(found->count == 1 && found->overlaps[0].surface[0] == 1 && found->images == 3);
    finder_close(&f);
}

// One surface with two lobes gives the pair (o, o), with the numbers of two surfaces.
TEST(lobes_of_one_surface_overlap) {
    static spheres s;
    static help_mesh both;
    finder f = finder_open(2);
    spheres_create(&s);
    help_icosphere(&s.mesh[0], 3), help_icosphere(&s.mesh[1], 3);
    help_shift(s.mesh[1].x0, s.mesh[1].nv, 1.5, 0.02, 0.01);
    both = s.mesh[0];
    memcpy(both.x0 + 3 * both.nv, s.mesh[1].x0, 3 * sizeof(double) * (size_t)s.mesh[1].nv);
    for (int i = 0; i < 3 * s.mesh[1].nf; i++) both.faces[3 * both.nf + i] = s.mesh[1].faces[i] + (uint32_t)both.nv;
    both.nv *= 2, both.nf *= 2;
    for (int i = 0; i < 2; i++) s.surface[i] = help_surface(&s.mesh[i], i);
    sp_overlap two = find(&f, options_at(1.0 / 32), 2, s.surface)->overlaps[0];
    sp_volume_surface one = help_surface(&both, 0);
    CHECK_INT(find(&f, options_at(1.0 / 32), 1, &one)->count, 0);
    one.self = true;
    const sp_volume_found *found = find(&f, options_at(1.0 / 32), 1, &one);
    REQUIRE(found->count == 1);
    const sp_overlap *o = found->overlaps;
    CHECK(o->surface[0] == 0 && o->surface[1] == 0);
    CHECK_NEAR(o->volume, two.volume, 1e-13);
    CHECK_NEAR(o->area, two.area, 1e-2 * two.area);  // at the rim the two sides of a curved patch are separated by the normal
    CHECK_NEAR(fabs(o->normal[0]), 1, 1e-2);
    check_balance(found);
    // the normal points along +x: side 0 is moved that way out of the other, so it is the lobe with the larger x
    int wrong = 0;
    for (int i = 0; i < found->entry_count; i++) {
        const sp_overlap_entry *e = &found->entries[i];
        wrong += (e->side == 0) != (e->vertex >= both.nv / 2) && fabs(e->gradient[0]) > 1e-4;
    }
    CHECK_INT(wrong, 0);
    // cells of a surface with itself are balanced too
    sp_volume_options cells = options_at(1.0 / 32);
    cells.cell = 6, cells.sliver = 1;
    found = find(&f, cells, 1, &one);
    CHECK(found->count > 20);
    CHECK_NEAR(total_volume(found), two.volume, 1e-12);
    check_balance(found);
    finder_close(&f);
}

// A body inside another: both ends of each interval are its own, and no direction leads out.
TEST(contained_body_has_no_direction) {
    static help_mesh m[2];
    finder f = finder_open(1);
    help_icosphere(&m[0], 2), help_icosphere(&m[1], 2);
    for (int i = 0; i < 3 * m[1].nv; i++) m[1].x0[i] = 0.4 * m[1].x0[i] + 0.1;
    const sp_volume_surface s[2] = {help_surface(&m[0], 0), help_surface(&m[1], 1)};
    const sp_volume_found *found = find(&f, (sp_volume_options){.pixel = 1.0 / 32}, 2, s);
    REQUIRE(found->count == 1);
    CHECK_NEAR(found->overlaps[0].volume, 4 * SP_PI / 3 * 0.064, 0.08 * 0.268);  // 320 triangles: 7 % smaller
    CHECK(found->overlaps[0].area == 0 && found->overlaps[0].depth == 0);
    check_balance(found);
    for (int i = 0; i < found->entry_count; i++) CHECK_INT(found->entries[i].side, 1);
    finder_close(&f);
}

// ---------------------------------------------------------------------------------------------------- special positions

// Boxes on the grid: edges, and for the half shift also vertices, are exactly on rays. Samples on a boundary belong to one of the
// two sides, so that the volume of boxes of whole pixels is exact.
TEST(edges_on_rays_are_counted_once) {
    static help_mesh m[2];
    finder f = finder_open(2);
    const double p = 1.0 / 16;
    for (int half = 0; half < 2; half++) {
        const double h = half * p / 2;
        help_box(&m[0], (double[]){h, h, h}, (double[]){1 + h, 1 + h, 1 + h}, 4);
        help_box(&m[1], (double[]){0.5 + h, 0.25 + h, 0.75 + h}, (double[]){1.5 + h, 1.25 + h, 1.75 + h}, 8);
        const sp_volume_surface s[2] = {help_surface(&m[0], 0), help_surface(&m[1], 1)};
        const sp_volume_found *found = find(&f, (sp_volume_options){.pixel = p}, 2, s);
        REQUIRE(found->count == 1);
        CHECK_NEAR(found->overlaps[0].volume, 0.5 * 0.75 * 0.25, 1e-15);
        CHECK_INT(found->unbalanced, 0);
        check_balance(found);
    }
    finder_close(&f);
}

// Common faces have no volume between them, whatever the order of equal depths. Where they are tilted, vertices are rounded
// across the rays by 2^-17 pixels, and the two sides of a face by different ones.
TEST(touching_surfaces_do_not_overlap) {
    static help_mesh m[2];
    finder f = finder_open(2);
    const double pixel = 1.0 / 20;
    help_box(&m[0], (double[]){0, 0, 0}, (double[]){1, 1, 1}, 3);
    help_box(&m[1], (double[]){1, 0.2, 0.1}, (double[]){2, 1.2, 1.1}, 5);
    for (int turn = 0; turn < 3; turn++) {
        // a larger box around both, so that rays go there
        static help_mesh around;
        help_box(&around, (double[]){-3, -3, -3}, (double[]){3, 3, 3}, 1);
        const sp_volume_surface s[3] = {help_surface(&m[turn == 1], 0), help_surface(&m[turn != 1], 1), help_surface(&around, 2)};
        const sp_volume_found *found = find(&f, (sp_volume_options){.pixel = pixel}, 3, s);
        double between = 0;
        for (int i = 0; i < found->count; i++)
            if (found->overlaps[i].surface[1] == 1) between += found->overlaps[i].volume;
        CHECK_NEAR(between, 0, turn == 2 ? 0.72 * pixel / 65536 : 0);
        CHECK_INT(found->unbalanced, 0);
        for (int i = 0; i < 2 && turn == 1; i++) help_turn(m[i].x0, m[i].nv, (double[]){1, 2, 3}, 0.7);
    }
    finder_close(&f);
}

// Triangles without area, a body without thickness and an inverted one add nothing; the rest is as before.
TEST(degenerate_surfaces_add_nothing) {
    static spheres s;
    static help_mesh flat, inside_out;
    finder f = finder_open(2);
    spheres_create(&s);
    const double volume = total_volume(find(&f, options_at(1.0 / 16), 2, s.surface));
    help_mesh *m = &s.mesh[0];
    for (int i = 0; i < 200; i++) help_face(m, i, i, i + 1), help_face(m, i, i + 3, i);
    help_box(&flat, (double[]){-2, -2, 0.01}, (double[]){2, 2, 0.01}, 3);
    help_icosphere(&inside_out, 2);
    for (int i = 0; i < inside_out.nf; i++) {
        uint32_t *t = inside_out.faces + 3 * i, swap = t[1];
        t[1] = t[2], t[2] = swap;
    }
    const sp_volume_surface all[4] = {help_surface(m, 0), s.surface[1], help_surface(&flat, 2), help_surface(&inside_out, 3)};
    const sp_volume_found *found = find(&f, options_at(1.0 / 16), 4, all);
    REQUIRE(found->count == 1);
    CHECK_NEAR(found->overlaps[0].volume, volume, 1e-15);
    CHECK_INT(found->unbalanced, 0);
    finder_close(&f);
}

// A hole in a surface is counted by the rays through it; the others are not disturbed. A ray that stays inside sees at most the
// diameter of the other sphere.
TEST(open_surfaces_are_told) {
    static spheres s;
    finder f = finder_open(2);
    spheres_create(&s);
    const double volume = total_volume(find(&f, options_at(1.0 / 32), 2, s.surface));
    s.surface[0].triangle_count -= 40;
    const sp_volume_found *found = find(&f, options_at(1.0 / 32), 2, s.surface);
    CHECK(found->unbalanced > 0 && found->unbalanced < 200);
    CHECK_NEAR(total_volume(found), volume, (double)found->unbalanced / 1024 * 2 / 3);
    finder_close(&f);
}
