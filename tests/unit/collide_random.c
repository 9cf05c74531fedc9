// Collision detection on random and degenerate scenes: tree, hash and brute force give the same contacts; so do any number of
// workers, moved and turned scenes and colliders in another order; a slow search of all pairs of features confirms the contacts.
// Nothing is allocated after warm-up, and a failed allocation leaves a set that works.
#include "collide_help.h"
#include "mesh/tree.h"
#include "meter.h"

enum { MESHES = 6, LINES = 40 };

typedef struct scene {
    help_mesh mesh[MESHES];
    double line[3 * LINES], line1[3 * LINES], radii[LINES];
    uint32_t segments[2 * LINES];
    double points[3 * LINES], points1[3 * LINES];
    int plane, count;
    sp_shape_place floor[2], ball[2], capsule[2];
    double alarm, depth;
} scene;

static void move_randomly(double *x1, const double *x0, int nv, double most, uint64_t *seed) {
    double shift[3] = {most * help_uniform(seed), most * help_uniform(seed), most * help_uniform(seed)};
    for (int i = 0; i < 3 * nv; i++) x1[i] = x0[i] + shift[i % 3] + 0.1 * most * help_uniform(seed);
}

static void place_randomly(sp_shape_place at[2], double most, uint64_t *seed) {
    for (int k = 0; k < 3; k++) {
        at[0].a[k] = help_uniform(seed), at[0].b[k] = at[0].a[k] + help_uniform(seed);
        at[1].a[k] = at[0].a[k] + most * help_uniform(seed), at[1].b[k] = at[0].b[k] + most * help_uniform(seed);
    }
}

// Boxes and spheres of different grids in random places, some of them overlapping, with motion; a line, points and shapes.
static void scene_random(scene *s, uint64_t seed, double motion) {
    seed = seed * 77777 + 1;
    for (int i = 0; i < MESHES; i++) {
        help_mesh *m = &s->mesh[i];
        double c[3] = {help_uniform(&seed), help_uniform(&seed), help_uniform(&seed)}, r = 0.4 + 0.2 * help_uniform(&seed);
        int n = 1 + (int)(help_random(&seed) >> 33) % 5;
        if (i % 2) {
            help_sphere(m, (double[]){0, 0, 0}, r, n);
        } else {
            help_box(m, (double[]){-r, -r, -r}, (double[]){r, r, 0.5 * r}, n);
        }
        help_turn(m->x0, m->nv, (double[]){c[1], c[2], 1}, 3 * c[0]);
        help_shift(m->x0, m->nv, c[0], c[1], c[2]);
        move_randomly(m->x1, m->x0, m->nv, motion, &seed);
    }
    for (int i = 0; i < LINES; i++) {
        for (int k = 0; k < 3; k++) {
            s->points[3 * i + k] = 1.2 * help_uniform(&seed);
            s->line[3 * i + k] = i ? s->line[3 * i - 3 + k] + 0.2 * help_uniform(&seed) : 0;
        }
        s->radii[i] = 0.02 + 0.01 * help_uniform(&seed);
        s->segments[2 * i] = (uint32_t)i,
                        s->segments[2 * i + 1] = (uint32_t)(i + 1 < LINES ? i + 1 : i);  // the last has no length
    }
    move_randomly(s->line1, s->line, LINES, motion, &seed), move_randomly(s->points1, s->points, LINES, motion, &seed);
    place_randomly(s->ball, motion, &seed), place_randomly(s->capsule, motion, &seed);
    for (int k = 0; k < 2; k++) s->floor[k] = (sp_shape_place){{0, 0, -1}, {0, 0, 1}};
    s->alarm = 0.05, s->depth = 0.1;
}

// zero-length edges, faces of no area, coincident vertices and bodies
static void scene_degenerate(scene *s, uint64_t seed) {
    scene_random(s, seed, 0.05);
    for (int i = 0; i < MESHES; i++) {
        help_mesh *m = &s->mesh[i];
        for (int f = 0; f < m->nf; f += 3) m->faces[3 * f + 1] = m->faces[3 * f + (f % 2 ? 0 : 2)];
        for (int v = 1; v < m->nv; v += 5) memcpy(m->x0 + 3 * v, m->x0 + 3 * v - 3, 3 * sizeof *m->x0);
        if (i == MESHES - 1) *m = s->mesh[0];
        memcpy(m->x1, m->x0, sizeof m->x0);
    }
    memcpy(s->points, s->mesh[0].x0, sizeof s->points), memcpy(s->points1, s->points, sizeof s->points);
}

static void scene_place(const scene *s, sp_collide *set, const int index[]) {
    for (int i = 0; i < MESHES; i++) sp__collider_move(set, index[i], s->mesh[i].x0, s->mesh[i].x1);
    sp__collider_move(set, index[MESHES], s->line, s->line1);
    sp__collider_move(set, index[MESHES + 1], s->points, s->points1);
    sp__collider_move_shape(set, index[MESHES + 2], &s->floor[0], &s->floor[1]);
    sp__collider_move_shape(set, index[MESHES + 3], &s->ball[0], &s->ball[1]);
    sp__collider_move_shape(set, index[MESHES + 4], &s->capsule[0], &s->capsule[1]);
}

enum { COLLIDERS = MESHES + 5 };

// ids: first, first + step, ...
static sp_status scene_add(const scene *s, sp_collide *set, uint32_t first, uint32_t step, int index[COLLIDERS]) {
    uint32_t id = first;
    sp_collider_def d;
    for (int i = 0; i < COLLIDERS; i++, id += step) {
        d = (sp_collider_def){.id = id, .group = id};
        if (i < MESHES) {
            d.vertex_count = s->mesh[i].nv, d.items = s->mesh[i].faces, d.item_count = s->mesh[i].nf;
            d.side = i == 4 ? SP_SIDE_BOTH : SP_SIDE_OUTSIDE, d.radius = i == 3 ? 0.01 : 0;
        } else if (i == MESHES) {
            d.type = SP_COLLIDER_SEGMENTS, d.vertex_count = LINES, d.items = s->segments, d.item_count = LINES,
            d.radii = s->radii;
        } else if (i == MESHES + 1) {
            d.type = SP_COLLIDER_POINTS, d.vertex_count = LINES, d.radius = 0.01;
        } else {
            d.type = (sp_collider_type)(SP_COLLIDER_PLANE + i - MESHES - 2), d.radius = i == MESHES + 2 ? 0 : 0.2;
        }
        SP_TRY(sp__collider_add(set, &d, &index[i]));
    }
    scene_place(s, set, index);
    return SP_OK;
}

static sp_status scene_find(const scene *s, sp_collide *set, sp_broad broad, sp_found *found) {
    sp_collide_options o = {.broad = broad, .rule = {.alarm = s->alarm, .depth = s->depth, .manifold = 0}};
    return sp__collide_find(set, &o, found);
}

static bool same_side(const sp_contact_side *a, const sp_contact_side *b) {
    bool same = a->collider == b->collider && a->index == b->index && a->feature == b->feature && a->count == b->count;
    for (int i = 0; i < a->count; i++) same &= a->vertex[i] == b->vertex[i] && a->weight[i] == b->weight[i];
    return same && memcmp(a->point, b->point, sizeof a->point) == 0;
}

static bool same_contacts(const sp_contact_found *a, int count, const sp_found *b) {
    bool same = count == b->count;
    for (int i = 0; i < count && same; i++) {
        const sp_contact_found *c = &a[i], *d = &b->contacts[i];
        same = memcmp(c->key, d->key, sizeof c->key) == 0 && memcmp(c->normal, d->normal, sizeof c->normal) == 0 &&
               c->distance0 == d->distance0 && c->distance1 == d->distance1 && same_side(&c->a, &d->a) && same_side(&c->b, &d->b);
    }
    return same;
}

static sp_contact_found *copied(const sp_found *f) {
    sp_contact_found *copy = malloc(((size_t)f->count + 1) * sizeof *copy);
    if (copy && f->count) memcpy(copy, f->contacts, (size_t)f->count * sizeof *copy);
    return copy;
}

static scene s;

static void check_contacts(const sp_found *f) {
    for (int i = 0; i < f->count; i++) {
        const sp_contact_found *c = &f->contacts[i];
        double sum = 0;
        CHECK_NEAR(sp__norm3(c->normal), 1, 1e-12);  // rounding of a normalisation
        CHECK(isfinite(c->distance0) && isfinite(c->distance1) && c->a.collider < c->b.collider);
        CHECK(i == 0 || c[-1].key[0] < c->key[0] || (c[-1].key[0] == c->key[0] && c[-1].key[1] < c->key[1]));
        for (int k = 0; k < c->a.count; k++) sum += c->a.weight[k], CHECK(c->a.weight[k] >= 0);
        if (c->a.count) CHECK_NEAR(sum, 1, 1e-12);
    }
}

static void compare_methods(int workers) {
    sp_context *ctx = help_context(workers), *one = help_context(1);
    sp_collide *set = help_set(ctx), *other = help_set(one);
    int index[COLLIDERS];
    sp_found f;
    REQUIRE(scene_add(&s, set, 1, 3, index) >= 0 && scene_add(&s, other, 1, 3, index) >= 0);
    REQUIRE(scene_find(&s, other, SP_BROAD_BRUTE, &f) >= 0);
    check_contacts(&f);
    sp_contact_found *brute = copied(&f);
    int count = f.count, candidates = f.candidates;
    CHECK(count > 20);
    for (int method = SP_BROAD_TREE; method <= SP_BROAD_BRUTE; method++) {
        REQUIRE(scene_find(&s, set, (sp_broad)method, &f) >= 0);
        CHECK(same_contacts(brute, count, &f));
        CHECK_INT(f.candidates, candidates);
    }
    // small cells: most items enter many; large cells: all are in one
    for (double cell = 0.1; cell < 50; cell *= 400) {
        sp_collide_options o = {.broad = SP_BROAD_HASH, .rule = {.alarm = s.alarm, .depth = s.depth}, .cell = cell};
        REQUIRE(sp__collide_find(set, &o, &f) >= 0);
        CHECK(same_contacts(brute, count, &f));
    }
    free(brute);
    sp__collide_destroy(&set), sp__collide_destroy(&other);
    sp_context_destroy(&ctx), sp_context_destroy(&one);
}

TEST(tree_hash_and_brute_force_agree) {
    const int workers[] = {1, 2, 3, 7};
    for (uint64_t seed = 0; seed < (SANITIZED ? 2 : 6); seed++) {
        scene_random(&s, seed, seed % 3 * 0.05);
        compare_methods(workers[seed % 4]);
        scene_degenerate(&s, seed);
        compare_methods(workers[(seed + 1) % 4]);
    }
}

static void scene_rigid(scene *m, const double axis[3], double angle, const double shift[3]) {
    double *arrays[2 * MESHES + 4];
    int n = 0, counts[2 * MESHES + 4];
    for (int i = 0; i < MESHES; i++)
        for (int k = 0; k < 2; k++) counts[n] = m->mesh[i].nv, arrays[n++] = k ? m->mesh[i].x1 : m->mesh[i].x0;
    for (int k = 0; k < 4; k++)
        counts[n] = LINES, arrays[n++] = k == 0 ? m->line : k == 1 ? m->line1 : k == 2 ? m->points : m->points1;
    for (int i = 0; i < n; i++)
        help_turn(arrays[i], counts[i], axis, angle), help_shift(arrays[i], counts[i], shift[0], shift[1], shift[2]);
    sp_shape_place *places[] = {m->floor, m->ball, m->capsule};
    for (int i = 0; i < 6; i++) {
        sp_shape_place *p = &places[i / 2][i % 2];
        help_turn(p->a, 1, axis, angle), help_turn(p->b, 1, axis, angle);
        help_shift(p->a, 1, shift[0], shift[1], shift[2]);
        if (i >= 2) help_shift(p->b, 1, shift[0], shift[1], shift[2]);
    }
}

// Contacts that are decided by rounding (parameters at an end, distances at alarm) may differ in a moved scene, so all but a few
// must be there again, with distances that differ by rounding.
TEST(moved_and_turned_scenes_have_the_same_contacts) {
    static scene moved;
    const double shifts[2][3] = {{3, -2, 1}, {1e4, -2e4, 5e3}};
    for (uint64_t seed = 20; seed < 24; seed++)
        for (int far = 0; far < 2; far++) {
            sp_context *ctx = help_context(2);
            sp_collide *set = help_set(ctx), *other = help_set(ctx);
            int index[COLLIDERS], found = 0, j = 0;
            sp_found f, g;
            scene_random(&s, seed, 0.03);
            moved = s;
            scene_rigid(&moved, (double[]){1, 2, 3}, 0.7, shifts[far]);
            REQUIRE(scene_add(&s, set, 1, 1, index) >= 0 && scene_add(&moved, other, 1, 1, index) >= 0);
            REQUIRE(scene_find(&s, set, SP_BROAD_TREE, &f) >= 0 && scene_find(&moved, other, SP_BROAD_TREE, &g) >= 0);
            for (int i = 0; i < f.count; i++) {
                const sp_contact_found *c = &f.contacts[i];
                while (j < g.count && (g.contacts[j].key[0] < c->key[0] ||
                                       (g.contacts[j].key[0] == c->key[0] && g.contacts[j].key[1] < c->key[1])))
                    j++;
                if (j == g.count || memcmp(g.contacts[j].key, c->key, sizeof c->key) != 0) continue;
                // coordinates of 2e4 have 4e-12 of rounding; normals of small triangles amplify it
                found += fabs(g.contacts[j].distance0 - c->distance0) < (far ? 1e-9 : 1e-12) &&
                         fabs(g.contacts[j].distance1 - c->distance1) < (far ? 1e-9 : 1e-12);
            }
            CHECK(f.count > 50 && found >= 0.99 * f.count && found >= 0.99 * g.count);
            sp__collide_destroy(&set), sp__collide_destroy(&other);
            sp_context_destroy(&ctx);
        }
}

// The ids in the opposite order: the same contacts with a and b exchanged.
TEST(order_of_colliders_exchanges_sides) {
    for (uint64_t seed = 30; seed < 34; seed++) {
        sp_context *ctx = help_context(2);
        sp_collide *set = help_set(ctx), *other = help_set(ctx);
        int index[COLLIDERS], found = 0;
        sp_found f, g;
        scene_random(&s, seed, 0.03);
        REQUIRE(scene_add(&s, set, 1, 1, index) >= 0 && scene_add(&s, other, 100, (uint32_t)-1, index) >= 0);
        REQUIRE(scene_find(&s, set, SP_BROAD_TREE, &f) >= 0 && scene_find(&s, other, SP_BROAD_TREE, &g) >= 0);
        CHECK_INT(f.count, g.count);
        for (int i = 0; i < f.count; i++)
            for (int j = 0; j < g.count; j++) {
                const sp_contact_found *c = &f.contacts[i], *d = &g.contacts[j];
                bool same = c->a.collider == 101 - d->b.collider && c->b.collider == 101 - d->a.collider;
                same &= (uint32_t)c->key[0] == (uint32_t)d->key[1] && (uint32_t)c->key[1] == (uint32_t)d->key[0];
                if (!same) continue;
                found += fabs(c->distance0 - d->distance0) < 1e-12 && fabs(sp__dot3(c->normal, d->normal) + 1) < 1e-12;
            }
        CHECK(found >= 0.99 * f.count);
        sp__collide_destroy(&set), sp__collide_destroy(&other);
        sp_context_destroy(&ctx);
    }
}

TEST(steps_allocate_nothing_after_warm_up) {
    meter held = {.allowed = 1000000};
    sp_context_def def = metered_context(&held);
    sp_context *ctx = NULL;
    REQUIRE(sp_context_create(&def, &ctx) >= 0);
    sp_collide *set = help_set(ctx);
    int index[COLLIDERS];
    sp_found f;
    scene_random(&s, 5, 0.05);
    REQUIRE(scene_add(&s, set, 1, 1, index) >= 0);
    REQUIRE(scene_find(&s, set, SP_BROAD_TREE, &f) >= 0);
    CHECK(f.grown);
    held.allowed = 0;
    for (int step = 0; step < 40; step++) {  // trees are measured in between
        for (int i = 0; i < 3 * s.mesh[1].nv; i++) s.mesh[1].x0[i] *= i % 3 ? 1.01 : 0.98, s.mesh[1].x1[i] = s.mesh[1].x0[i];
        scene_place(&s, set, index);
        REQUIRE(scene_find(&s, set, SP_BROAD_TREE, &f) >= 0);
        CHECK(!f.grown);
    }
    sp__collide_destroy(&set);
    sp_context_destroy(&ctx);
    CHECK_INT(held.live, 0);
}

// A sphere that is wrung: the items of a leaf are drawn apart until the tree is built again, which changes no contact.
TEST(degraded_trees_are_rebuilt) {
    sp_context *ctx = help_context(2);
    sp_collide *set = help_set(ctx);
    static help_mesh ball, box;
    int rebuilt = 0, agree = 0;
    help_sphere(&ball, (double[]){0, 0, 0}, 1, 12);
    help_box(&box, (double[]){-2, -2, -2}, (double[]){2, 2, -0.98}, 3);
    int index = help_add_mesh(set, 1, &ball);
    help_add_mesh(set, 2, &box);
    for (int step = 0; step < 40; step++) {
        for (int i = 0; i < ball.nv; i++) help_turn(ball.x0 + 3 * i, 1, (double[]){0, 0, 1}, 0.2 * ball.x0[3 * i + 2]);
        sp__collider_move(set, index, ball.x0, ball.x0);
        sp_found f = help_find(set, SP_BROAD_BRUTE, 0.05, 0.05);
        rebuilt += f.rebuilt;
        sp_contact_found *brute = copied(&f);
        int count = f.count;
        f = help_find(set, SP_BROAD_TREE, 0.05, 0.05);
        agree += count > 0 && same_contacts(brute, count, &f);
        free(brute);
    }
    CHECK(rebuilt >= 1);
    CHECK_INT(agree, 40);
    sp__collide_destroy(&set);
    sp_context_destroy(&ctx);
}

TEST(failed_allocations_leave_a_set_that_works) {
    scene_random(&s, 6, 0.05);
    sp_context *plain = help_context(1);
    sp_collide *reference = help_set(plain);
    int index[COLLIDERS], refused = 0;
    sp_found f, g;
    REQUIRE(scene_add(&s, reference, 1, 1, index) >= 0 && scene_find(&s, reference, SP_BROAD_TREE, &f) >= 0);
    for (int n = 0; n < 400; n++) {
        meter held = {.allowed = 1000};
        sp_context_def def = metered_context(&held);
        sp_context *ctx = NULL;
        sp_collide *set = NULL;
        REQUIRE(sp_context_create(&def, &ctx) >= 0);
        held.allowed = n;
        sp_status made = sp__collide_create(ctx, &set), status = made;
        if (made >= 0) status = made = scene_add(&s, set, 1, 1, index);
        if (made >= 0) status = scene_find(&s, set, n % 2 ? SP_BROAD_TREE : SP_BROAD_HASH, &g);
        held.allowed = 1000;
        if (status >= 0) n = 400;
        refused += status == SP_NO_MEMORY;
        CHECK(status >= 0 || (status == SP_NO_MEMORY && (made < 0 || g.count == 0)));
        // the same search, repeated
        if (made >= 0) CHECK(scene_find(&s, set, SP_BROAD_TREE, &g) >= 0 && same_contacts(f.contacts, f.count, &g));
        sp__collide_destroy(&set);
        sp_context_destroy(&ctx);
        CHECK_INT(held.live, 0);
    }
    CHECK(refused > 50);
    sp__collide_destroy(&reference);
    sp_context_destroy(&plain);
}

// ---------------------------------------------------------------------------------------------------- the slow search

static double segments_apart(const double *p, const double *p1, const double *q, const double *q1) {
    double u[3], v[3], r[3], best = INFINITY, d[3];
    sp__sub3(p1, p, u), sp__sub3(q1, q, v), sp__sub3(p, q, r);
    double uu = sp__dot3(u, u), vv = sp__dot3(v, v), uv = sp__dot3(u, v), ur = sp__dot3(u, r), vr = sp__dot3(v, r);
    double det = uu * vv - uv * uv, x = det > 0 ? (uv * vr - vv * ur) / det : 0, y = det > 0 ? (uu * vr - uv * ur) / det : 0;
    // inside both, or at one of the four ends
    for (int i = 0; i < 5; i++) {
        double s0 = x, t0 = y;
        if (i == 1 || i == 2) s0 = i - 1, t0 = fmin(fmax((vr + s0 * uv) / vv, 0), 1);
        if (i >= 3) t0 = i - 3, s0 = fmin(fmax((t0 * uv - ur) / uu, 0), 1);
        if (!(s0 >= 0 && s0 <= 1 && t0 >= 0 && t0 <= 1)) continue;
        for (int k = 0; k < 3; k++) d[k] = r[k] + s0 * u[k] - t0 * v[k];
        best = fmin(best, sp__norm3(d));
    }
    return best;
}

// least distance of two triangles that do not intersect
static double triangles_apart(const double *p[3], const double *q[3]) {
    double best = INFINITY, w[3];
    for (int i = 0; i < 3; i++) {
        best = fmin(best, sqrt(sp__nearest_on_triangle(q[0], q[1], q[2], p[i], w)));
        best = fmin(best, sqrt(sp__nearest_on_triangle(p[0], p[1], p[2], q[i], w)));
        for (int j = 0; j < 3; j++) best = fmin(best, segments_apart(p[i], p[(i + 1) % 3], q[j], q[(j + 1) % 3]));
    }
    return best;
}

static double meshes_apart(const help_mesh *a, const help_mesh *b) {
    double best = INFINITY;
    for (int i = 0; i < a->nf; i++)
        for (int j = 0; j < b->nf; j++) {
            const double *p[3], *q[3];
            for (int k = 0; k < 3; k++) p[k] = a->x0 + 3 * a->faces[3 * i + k], q[k] = b->x0 + 3 * b->faces[3 * j + k];
            best = fmin(best, triangles_apart(p, q));
        }
    return best;
}

// the solid angle of a closed surface at a point is 4 pi inside and 0 outside (van Oosterom and Strackee 1983)
static bool mesh_holds(const help_mesh *m, const double *x, const double p[3]) {
    double sum = 0;
    for (int i = 0; i < m->nf; i++) {
        double r[3][3], n[3], l[3];
        for (int k = 0; k < 3; k++) sp__sub3(x + 3 * m->faces[3 * i + k], p, r[k]), l[k] = sp__norm3(r[k]);
        sp__cross3(r[1], r[2], n);
        sum += 2 * atan2(sp__dot3(r[0], n), l[0] * l[1] * l[2] + sp__dot3(r[0], r[1]) * l[2] + sp__dot3(r[1], r[2]) * l[0] +
                                                sp__dot3(r[2], r[0]) * l[1]);
    }
    return sum > 2 * SP_PI;
}

static double mesh_depth(const help_mesh *m, const double *x, const double p[3]) {
    double best = INFINITY, w[3];
    for (int i = 0; i < m->nf; i++) {
        const uint32_t *f = m->faces + 3 * i;
        best = fmin(best, sqrt(sp__nearest_on_triangle(x + 3 * f[0], x + 3 * f[1], x + 3 * f[2], p, w)));
    }
    return best;
}

static void random_mesh(help_mesh *m, int kind, int n, uint64_t *seed) {
    double r = 0.5 + 0.1 * help_uniform(seed), axis[3] = {help_uniform(seed), help_uniform(seed), help_uniform(seed)};
    if (kind == 0) help_box(m, (double[]){-r, -r, -r}, (double[]){r, r, 0.5 * r}, n);
    if (kind == 1) help_sphere(m, (double[]){0, 0, 0}, r, n);
    if (kind == 2) {  // concave
        help_sphere(m, (double[]){0, 0, 0}, r, n);
        for (int i = 0; i < 3 * m->nv; i++) m->x0[i] *= 1 + 0.3 * sin(7 * m->x0[i - i % 3] + 5 * m->x0[i - i % 3 + 1]);
    }
    help_turn(m->x0, m->nv, axis, 3 * help_uniform(seed));
}

static help_mesh p, q;

// Two bodies apart: the least of all distances is that of a contact.
TEST(the_least_distance_is_a_contact) {
    uint64_t seed = 99;
    int tried = 0;
    for (int i = 0; i < (SANITIZED ? 9 : 36); i++) {
        random_mesh(&p, i % 3, 1 + i % 4, &seed), random_mesh(&q, i / 3 % 3, 1 + i / 2 % 4, &seed);
        double away[3] = {help_uniform(&seed), help_uniform(&seed), help_uniform(&seed)}, length = sp__norm3(away);
        double far = 1.6;
        help_shift(q.x0, q.nv, far * away[0] / length, far * away[1] / length, far * away[2] / length);
        double least = meshes_apart(&p, &q);
        if (!(least > 0.01)) continue;
        memcpy(p.x1, p.x0, sizeof p.x0), memcpy(q.x1, q.x0, sizeof q.x0);
        sp_context *ctx = help_context(1);
        sp_collide *set = help_set(ctx);
        help_add_mesh(set, 1, &p), help_add_mesh(set, 2, &q);
        sp_found f = help_find(set, SP_BROAD_TREE, 1.001 * least, 0);
        double found = INFINITY;
        for (int k = 0; k < f.count; k++) found = fmin(found, f.contacts[k].distance0);
        // a vertex within 0.02 of an edge length of an edge counts as on it, which moves the foot by as much and the distance by
        // its square over the distance: 1e-3 of alarm at most
        CHECK_NEAR(found, least, 1e-3 * least);
        // without motion nothing is nearer
        CHECK(found >= least * (1 - 1e-3));
        tried++;
        sp__collide_destroy(&set);
        sp_context_destroy(&ctx);
    }
    CHECK(tried > (SANITIZED ? 4 : 18));
}

static bool vertex_has_contact(const sp_found *f, uint32_t collider, uint32_t v, bool committed) {
    for (int i = 0; i < f->count; i++) {
        const sp_contact_found *c = &f->contacts[i];
        const sp_contact_side *side = c->a.collider == collider ? &c->a : &c->b;
        if (side->feature == SP_FEATURE_VERTEX && side->index == v && (committed ? c->distance0 : c->distance1) < 1e-9)
            return true;
    }
    return false;
}

// No vertex is lost: one that is inside at the committed state, up to `depth`, has a contact with a negative distance there; one
// that was outside and is inside at the free state has a contact that is violated at the free state.
TEST(no_vertex_inside_is_lost) {
    uint64_t seed = 7;
    int before = 0, after = 0, lost = 0;
    for (int i = 0; i < (SANITIZED ? 8 : 32); i++) {
        random_mesh(&p, i % 3, 1 + i % 4, &seed), random_mesh(&q, i / 3 % 3, 1 + i / 2 % 5, &seed);
        double away[3] = {help_uniform(&seed), help_uniform(&seed), help_uniform(&seed)}, length = sp__norm3(away);
        double far = i % 2 ? 0.9 : 1.1, speed = i % 4 < 2 ? 0.3 : 0.05;
        help_shift(q.x0, q.nv, far * away[0] / length, far * away[1] / length, far * away[2] / length);
        memcpy(p.x1, p.x0, sizeof p.x0), memcpy(q.x1, q.x0, sizeof q.x0);
        help_turn(p.x1, p.nv, away, 0.1);
        help_shift(q.x1, q.nv, -speed * away[0] / length, -speed * away[1] / length, -speed * away[2] / length);
        sp_context *ctx = help_context(1);
        sp_collide *set = help_set(ctx);
        const help_mesh *m[2] = {&p, &q};
        for (int k = 0; k < 2; k++) help_add_mesh(set, (uint32_t)k + 1, m[k]);
        sp_found f = help_find(set, SP_BROAD_TREE, 0.02, 0.15);
        for (int k = 0; k < 2; k++)
            for (int v = 0; v < m[k]->nv; v++) {
                const double *x0 = m[k]->x0 + 3 * v, *x1 = m[k]->x1 + 3 * v;
                bool in0 = mesh_holds(m[!k], m[!k]->x0, x0), in1 = mesh_holds(m[!k], m[!k]->x1, x1);
                double depth = mesh_depth(m[!k], m[!k]->x0, x0);
                CHECK(in0 == sp__collider_contains(set, !k, x0) || depth < 1e-6);
                if (in0 && depth < 0.15) {
                    before++;
                    if (!vertex_has_contact(&f, (uint32_t)k + 1, (uint32_t)v, true))
                        lost++, printf("  inside before: %d of %d in case %d, depth %g\n", v, k, i, depth);
                } else if (!in0 && in1) {
                    after++;
                    if (!vertex_has_contact(&f, (uint32_t)k + 1, (uint32_t)v, false))
                        lost++, printf("  inside after: %d of %d in case %d, %g before, %g after\n", v, k, i, depth,
                                       mesh_depth(m[!k], m[!k]->x1, x1));
                }
            }
        sp__collide_destroy(&set);
        sp_context_destroy(&ctx);
    }
    CHECK_INT(lost, 0);
    CHECK(before > (SANITIZED ? 5 : 50) && after > (SANITIZED ? 5 : 50));
}
