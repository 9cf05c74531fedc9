// Layered depth images: closed surfaces are balanced at every sample, common edges are covered once, volumes are correct, no
// layer is lost, the result does not depend on the workers, and a brute-force reference agrees.
#include <stdatomic.h>

#include "io/picture/layers.h"
#include "math/vec3.h"
#include "meter.h"
#include "test.h"

static const double PI = 3.14159265358979323846;

// ---------------------------------------------------------------------------------------------------- shapes

typedef struct shape {
    int nv, nf;
    double *x;
    uint32_t *f;
} shape;

static shape new_shape(int nv, int nf) {
    return (shape){nv, nf, calloc(3 * (size_t)nv + 1, sizeof(double)), calloc(3 * (size_t)nf + 1, sizeof(uint32_t))};
}

static void free_shape(shape *s) {
    free(s->x), free(s->f);
}

// a closed grid of around x across quads, each cut in two, folded to a ring
static shape make_torus(double ring, double tube, int around, int across) {
    shape s = new_shape(around * across, 2 * around * across);
    for (int i = 0; i < around; i++)
        for (int k = 0; k < across; k++) {
            double a = 2 * PI * i / around, b = 2 * PI * k / across, *x = s.x + 3 * (i * across + k);
            x[0] = (ring + tube * cos(b)) * cos(a), x[1] = (ring + tube * cos(b)) * sin(a), x[2] = tube * sin(b);
            uint32_t c[4] = {(uint32_t)(i * across + k), (uint32_t)((i + 1) % around * across + k),
                             (uint32_t)((i + 1) % around * across + (k + 1) % across), (uint32_t)(i * across + (k + 1) % across)};
            uint32_t two[6] = {c[0], c[1], c[2], c[0], c[2], c[3]};
            memcpy(s.f + 6 * (i * across + k), two, sizeof two);
        }
    return s;
}

// a ball: circles of latitude, poles last
static shape make_ball(double radius, int rings, int around) {
    int nv = rings * around + 2, nf = 2 * rings * around, f = 0;
    shape s = new_shape(nv, nf);
    for (int r = 0; r < rings; r++)
        for (int k = 0; k < around; k++) {
            double a = PI * (r + 1) / (rings + 1), b = 2 * PI * k / around, *x = s.x + 3 * (r * around + k);
            x[0] = radius * sin(a) * cos(b), x[1] = radius * cos(a), x[2] = -radius * sin(a) * sin(b);
        }
    s.x[3 * (nv - 2) + 1] = radius, s.x[3 * (nv - 1) + 1] = -radius;
    for (int k = 0; k < around; k++) {
        uint32_t next = (uint32_t)((k + 1) % around), here = (uint32_t)k, low = (uint32_t)((rings - 1) * around);
        uint32_t caps[6] = {(uint32_t)nv - 2, here, next, (uint32_t)nv - 1, low + next, low + here};
        memcpy(s.f + 3 * f, caps, sizeof caps), f += 2;
        for (int r = 0; r + 1 < rings; r++) {
            uint32_t a = (uint32_t)(r * around) + here, b = (uint32_t)(r * around) + next, n = (uint32_t)around;
            uint32_t quad[6] = {a, a + n, b, b, a + n, b + n};
            memcpy(s.f + 3 * f, quad, sizeof quad), f += 2;
        }
    }
    return s;
}

static void turn(shape *s, double angle, const double axis[3], const double shift[3]) {
    double q[4], m[9];
    sp__quat_axis(axis, angle, q), sp__quat_matrix(q, m);
    for (int v = 0; v < s->nv; v++) {
        double y[3];
        sp__mul3(m, s->x + 3 * v, y);
        for (int i = 0; i < 3; i++) s->x[3 * v + i] = y[i] + shift[i];
    }
}

static double signed_volume(const shape *s) {
    double sum = 0, n[3];
    for (int f = 0; f < s->nf; f++) {
        const double *a = s->x + 3 * s->f[3 * f], *b = s->x + 3 * s->f[3 * f + 1], *c = s->x + 3 * s->f[3 * f + 2];
        sp__cross3(b, c, n);
        sum += sp__dot3(a, n) / 6;
    }
    return sum;
}

// ---------------------------------------------------------------------------------------------------- rendering

static sp_context *new_context(int workers) {
    sp_context_def def = sp_context_def_default();
    sp_context *ctx = NULL;
    def.workers = workers;
    sp_context_create(&def, &ctx);
    return ctx;
}

// looks along -z, x to the right, y up
static sp_eye make_eye(bool parallel, double focal, double distance, int side) {
    return (sp_eye){.at = {0, 0, distance},
                    .right = {1, 0, 0},
                    .up = {0, 1, 0},
                    .forward = {0, 0, -1},
                    .parallel = parallel,
                    .focal = focal,
                    .cx = 0.5 * side,
                    .cy = 0.5 * side,
                    .nearest = 1e-3};
}

// all layers of a small canvas, sample by sample
typedef struct image {
    int width, height;
    int *count;      // per sample
    sp_layer *list;  // per sample x room
    int capacity, tiles, lost;
} image;

static image new_image(int width, int height, int capacity) {
    image m = {.width = width, .height = height, .capacity = capacity};
    m.count = calloc((size_t)width * (size_t)height, sizeof *m.count);
    m.list = calloc((size_t)width * (size_t)height * (size_t)capacity, sizeof *m.list);
    return m;
}

static void free_image(image *m) {
    free(m->count), free(m->list);
}

static void keep_tile(void *user, const sp_layer_tile *t, int worker) {
    image *m = user;
    (void)worker;
    for (int i = 0; i < t->width * t->height; i++) {
        int at = (t->y + i / t->width) * m->width + t->x + i % t->width;
        for (uint32_t k = t->start[i]; k < t->start[i + 1]; k++) {
            if (m->count[at] < m->capacity) m->list[at * m->capacity + m->count[at]] = t->layers[k];
            m->count[at]++;
        }
    }
}

static sp_status look_with(sp_context *ctx, const shape *s, const sp_eye *eye, const unsigned char *kind, image *m) {
    memset(m->count, 0, (size_t)m->width * (size_t)m->height * sizeof *m->count);
    sp_layers_def d = {.eye = eye, .width = m->width, .height = m->height, .vertex_count = s->nv, .x = s->x};
    d.face_count = s->nf, d.faces = s->f, d.kind = kind, d.tile = keep_tile, d.user = m;
    return sp__layers(ctx, &d);
}

static sp_status look(const shape *s, const sp_eye *eye, image *m) {
    sp_context *ctx = new_context(1);
    sp_status status = look_with(ctx, s, eye, NULL, m);
    sp_context_destroy(&ctx);
    return status;
}

// samples whose layers are not front, back, front, back, ...
static int not_alternating(const image *m) {
    int wrong = 0;
    for (int i = 0; i < m->width * m->height; i++) {
        bool bad = m->count[i] % 2 || m->count[i] > m->capacity;
        for (int k = 0; k < m->count[i] && !bad; k++) bad = (int)m->list[i * m->capacity + k].back != k % 2;
        wrong += bad;
    }
    return wrong;
}

// samples with different numbers of front and back layers
static int unbalanced(const image *m) {
    int wrong = 0;
    for (int i = 0; i < m->width * m->height; i++) {
        int sum = 0;
        for (int k = 0; k < m->count[i]; k++) sum += m->list[i * m->capacity + k].back ? -1 : 1;
        wrong += sum != 0;
    }
    return wrong;
}

static double volume_of(const image *m, double pixel) {
    double sum = 0;
    for (int i = 0; i < m->width * m->height; i++)
        for (int k = 0; k < m->count[i]; k++)
            sum += m->list[i * m->capacity + k].depth * (m->list[i * m->capacity + k].back ? 1 : -1);
    return sum * pixel * pixel;
}

// ---------------------------------------------------------------------------------------------------- closed surfaces

TEST(closed_surfaces_alternate_at_every_sample) {
    const double axis[3] = {0.3, 0.8, -0.5}, shift[3] = {0.013, 0.021, 0.007};
    for (int way = 0; way < 4; way++) {
        shape s = way / 2 ? make_torus(0.7, 0.25, 60, 24) : make_ball(1, 31, 64);
        turn(&s, 0.9, axis, shift);
        image m = new_image(203, 171, 8);
        sp_eye eye = way % 2 ? make_eye(true, 80, 5, 180) : make_eye(false, 300, 5, 180);
        CHECK_INT(look(&s, &eye, &m), SP_OK);
        CHECK_INT(not_alternating(&m), 0);
        int seen = 0, most = 0;
        for (int i = 0; i < 203 * 171; i++) seen += m.count[i] > 0, most = m.count[i] > most ? m.count[i] : most;
        CHECK(seen > 5000);
        CHECK_INT(most, way / 2 ? 4 : 2);
        free_image(&m), free_shape(&s);
    }
}

// corners on sample centres, needles, triangles seen from the side: all difficult cases of an edge rule
TEST(any_closed_surface_is_balanced) {
    unsigned long long seed = 7;
    for (int round = 0; round < 300; round++) {
        shape s = make_torus(1, 0.5, 3 + round % 4, 3 + round % 3);
        double grid = round % 3 == 0 ? 1 : round % 3 == 1 ? 0.5 : 1.0 / 256;
        for (int i = 0; i < 3 * s.nv; i++) {
            double v = 12 * sp_test_random(&seed);
            s.x[i] = i % 3 == 2 ? v : floor(v / grid) * grid + (round % 2 ? 0.5 : 0);
        }
        image m = new_image(40, 40, 64);
        sp_eye eye = make_eye(true, 1, 50, 40);
        CHECK_INT(look(&s, &eye, &m), SP_OK);
        if (unbalanced(&m)) SP_TEST_FAILED("round %d: %d samples", round, unbalanced(&m));
        free_image(&m), free_shape(&s);
    }
}

TEST(common_edges_are_covered_once) {
    // a sheet of squares whose corners are sample centres, each cut along one of its diagonals
    enum { N = 12 };
    shape s = new_shape((N + 1) * (N + 1), 2 * N * N);
    for (int i = 0; i <= N; i++)
        for (int k = 0; k <= N; k++) s.x[3 * (i * (N + 1) + k)] = 2.5 + 2 * i, s.x[3 * (i * (N + 1) + k) + 1] = 2.5 + 2 * k;
    for (int i = 0; i < N; i++)
        for (int k = 0; k < N; k++) {
            uint32_t a = (uint32_t)(i * (N + 1) + k), b = a + N + 1, c = b + 1, d = a + 1;
            uint32_t one[6] = {a, b, c, a, c, d}, other[6] = {a, b, d, b, c, d};
            memcpy(s.f + 6 * (i * N + k), (i + k) % 2 ? one : other, sizeof one);
        }
    image m = new_image(64, 64, 4);
    sp_eye eye = make_eye(true, 1, 5, 64);
    eye.cx = eye.cy = 0, eye.up[1] = -1;  // canvas x, y are the sheet's
    CHECK_INT(look(&s, &eye, &m), SP_OK);
    // from the first corner, included, to the last, not included: 24 x 24 samples of one layer
    for (int y = 0; y < 64; y++)
        for (int x = 0; x < 64; x++) CHECK_INT(m.count[y * 64 + x], x >= 2 && x < 26 && y >= 2 && y < 26);
    free_image(&m), free_shape(&s);
}

TEST(volume_follows_from_depths) {
    const double axis[3] = {1, 2, 3}, shift[3] = {0.013, 0.021, 0.007};
    double error[3];
    for (int level = 0; level < 3; level++) {
        int side = 40 << level;
        shape s = make_ball(1, 63, 128);
        turn(&s, 0.4, axis, shift);
        image m = new_image(side, side, 4);
        sp_eye eye = make_eye(true, side / 2.2, 5, side);
        CHECK_INT(look(&s, &eye, &m), SP_OK);
        error[level] = fabs(volume_of(&m, 1 / eye.focal) - signed_volume(&s)) / signed_volume(&s);
        // facets of 2.8 degrees lie inside the ball: 4/3 pi minus about the square of half of that
        CHECK_NEAR(signed_volume(&s) / (4 * PI / 3), 1, 2e-3);
        // the midpoint rule on a half ball whose slope is infinite at the rim: an error of p^1.5 at worst
        CHECK(error[level] < 0.3 * pow(eye.focal, -1.5));
        free_image(&m), free_shape(&s);
    }
    CHECK(error[2] < 2e-4);
}

// ---------------------------------------------------------------------------------------------------- against a reference

// whether the ray of a sample intersects the triangle, and where; 2: too close to an edge to decide
static int meets(const sp_eye *eye, double sx, double sy, const double *a, const double *b, const double *c, double *depth) {
    double p[3][3], q[2] = {sx, sy}, area[3], sum;
    const double *x[3] = {a, b, c};
    for (int k = 0; k < 3; k++) sp__eye_project(eye, x[k], p[k]);
    for (int k = 0; k < 3; k++) {
        const double *u = p[(k + 1) % 3], *v = p[(k + 2) % 3];
        area[k] = (v[0] - u[0]) * (q[1] - u[1]) - (v[1] - u[1]) * (q[0] - u[0]);
        if (fabs(area[k]) < 0.01) return 2;
    }
    sum = area[0] + area[1] + area[2];
    if ((area[0] > 0) != (area[1] > 0) || (area[1] > 0) != (area[2] > 0)) return 0;
    if (eye->parallel)
        *depth = (area[0] * p[0][2] + area[1] * p[1][2] + area[2] * p[2][2]) / sum;
    else
        *depth = sum / (area[0] / p[0][2] + area[1] / p[1][2] + area[2] / p[2][2]);
    return 1;
}

TEST(agrees_with_testing_every_triangle) {
    unsigned long long seed = 3;
    for (int way = 0; way < 2; way++) {
        shape s = new_shape(180, 60);
        for (int i = 0; i < 540; i++) s.x[i] = sp_test_random(&seed);
        for (uint32_t i = 0; i < 180; i++) s.f[i] = i;
        image m = new_image(60, 60, 64);
        sp_eye eye = way ? make_eye(true, 20, 4, 60) : make_eye(false, 90, 4, 60);
        CHECK_INT(look(&s, &eye, &m), SP_OK);
        int compared = 0;
        for (int i = 0; i < 3600; i++) {
            int count = 0;
            bool unsure = false;
            double sum = 0, found = 0, last = 0, depth;
            for (int f = 0; f < 60; f++) {
                int met = meets(&eye, i % 60 + 0.5, i / 60 + 0.5, s.x + 3 * s.f[3 * f], s.x + 3 * s.f[3 * f + 1],
                                s.x + 3 * s.f[3 * f + 2], &depth);
                if (met == 2) unsure = true;
                if (met == 1) count++, sum += depth;
            }
            if (unsure) continue;
            compared++;
            CHECK_INT(m.count[i], count);
            for (int k = 0; k < m.count[i] && k < 64; k++) {
                CHECK(m.list[i * 64 + k].depth >= last);
                last = m.list[i * 64 + k].depth, found += last;
            }
            // corners move by up to 1/8192 of a sample: depths by that share of the steepest slope accepted here
            CHECK_NEAR(found, sum, 0.02);
        }
        CHECK(compared > 3000);
        free_image(&m), free_shape(&s);
    }
}

// ---------------------------------------------------------------------------------------------------- cuts

TEST(inside_a_box_every_ray_leaves_once) {
    static const uint32_t faces[36] = {0, 2, 1, 1, 2, 3, 4, 5, 6, 5, 7, 6, 0, 1, 4, 1, 5, 4,
                                       2, 6, 3, 3, 6, 7, 0, 4, 2, 2, 4, 6, 1, 3, 5, 3, 7, 5};
    for (int way = 0; way < 3; way++) {
        // corners up to a hundred thousand canvases away
        double half = way == 0 ? 1 : way == 1 ? 100 : 1e5;
        shape s = new_shape(8, 12);
        memcpy(s.f, faces, sizeof faces);
        for (int v = 0; v < 8; v++)
            for (int k = 0; k < 3; k++) s.x[3 * v + k] = (v >> k & 1 ? half : -half) + 0.01 * k;
        CHECK(signed_volume(&s) > 0);
        image m = new_image(97, 101, 4);
        sp_eye eye = make_eye(false, 40, 0.3 * half, 100);
        CHECK_INT(look(&s, &eye, &m), SP_OK);
        for (int i = 0; i < 97 * 101; i++) CHECK(m.count[i] == 1 && m.list[4 * i].back);
        // in parallel projection a box that is far wider than the canvas shows its two walls
        eye.parallel = true;
        CHECK_INT(look(&s, &eye, &m), SP_OK);
        if (way) CHECK_INT(m.count[50 * 97 + 50], 2);
        CHECK_INT(not_alternating(&m), 0);
        free_image(&m), free_shape(&s);
    }
}

TEST(points_that_are_not_finite_are_ignored) {
    shape s = make_ball(1, 5, 8);
    s.x[4] = NAN, s.x[9] = INFINITY;
    image m = new_image(50, 50, 4);
    for (int way = 0; way < 2; way++) {
        sp_eye eye = make_eye(way, way ? 20 : 80, 4, 50);
        CHECK_INT(look(&s, &eye, &m), SP_OK);
        CHECK(m.count[25 * 50 + 25] > 0);
    }
    free_image(&m), free_shape(&s);
}

// ---------------------------------------------------------------------------------------------------- all layers

TEST(no_layer_is_lost) {
    enum { DEEP = 3000 };
    shape s = new_shape(3 * DEEP, DEEP);
    for (int f = 0; f < DEEP; f++) {
        // from far to near, the opposite of the sorted order
        double z = -(DEEP - f) * 1e-3, x[9] = {-50, -50, z, 50, -50, z, 0, 50, z};
        memcpy(s.x + 9 * f, x, sizeof x);
    }
    for (uint32_t i = 0; i < 3 * DEEP; i++) s.f[i] = i;
    image m = new_image(8, 8, DEEP);
    sp_eye eye = make_eye(true, 1, 5, 8);
    CHECK_INT(look(&s, &eye, &m), SP_OK);
    for (int i = 0; i < 64; i++) {
        CHECK_INT(m.count[i], DEEP);
        for (int k = 0; k < DEEP; k += 500) CHECK_INT(m.list[i * DEEP + k].face, DEEP - 1 - k);
    }
    free_image(&m), free_shape(&s);
}

TEST(opaque_layers_end_the_list) {
    sp_context *ctx = new_context(1);
    shape s = make_torus(0.7, 0.25, 40, 16);
    unsigned char *kind = calloc((size_t)s.nf, 1);
    for (int f = 0; f < s.nf; f++) kind[f] = (unsigned char)(f % 5 == 0 ? SP_LAYER_HIDES : f % 7 == 0 ? SP_LAYER_ABSENT : 0);
    const double axis[3] = {1, 0.2, 0}, none[3] = {0, 0, 0};
    turn(&s, 1.2, axis, none);
    image all = new_image(120, 120, 8), cut = new_image(120, 120, 8);
    sp_eye eye = make_eye(false, 200, 4, 120);
    CHECK_INT(look_with(ctx, &s, &eye, NULL, &all), SP_OK);
    CHECK_INT(look_with(ctx, &s, &eye, kind, &cut), SP_OK);
    int shorter = 0;
    for (int i = 0; i < 120 * 120; i++) {
        int n = 0;
        bool hidden = false;
        for (int k = 0; k < all.count[i] && !hidden; k++) {
            const sp_layer *l = &all.list[8 * i + k];
            if (kind[l->face] == SP_LAYER_ABSENT) continue;
            hidden = kind[l->face] == SP_LAYER_HIDES;
            CHECK(n < cut.count[i] && memcmp(l, &cut.list[8 * i + n], sizeof *l) == 0);
            n++;
        }
        CHECK_INT(cut.count[i], n);
        shorter += n < all.count[i];
    }
    CHECK(shorter > 500);
    free(kind), free_image(&all), free_image(&cut), free_shape(&s);
    sp_context_destroy(&ctx);
}

// ---------------------------------------------------------------------------------------------------- workers, memory, refusals

static void mix_tile(void *user, const sp_layer_tile *t, int worker) {
    atomic_ullong *sum = user;
    uint64_t h = 0;
    (void)worker;
    for (int i = 0; i < t->width * t->height; i++)
        for (uint32_t k = t->start[i]; k < t->start[i + 1]; k++) {
            uint64_t bits, place = (uint64_t)(t->y + i / t->width) << 20 | (uint64_t)(t->x + i % t->width);
            memcpy(&bits, &t->layers[k].depth, sizeof bits);
            h += sp__mix(bits ^ (uint64_t)t->layers[k].face << 1 ^ t->layers[k].back, place << 8 | (k - t->start[i]));
        }
    atomic_fetch_add(sum, h);
}

TEST(same_bits_for_any_worker_count) {
    shape s = make_torus(0.7, 0.25, 120, 50);
    const double axis[3] = {1, 0.2, 0.3}, none[3] = {0, 0, 0};
    turn(&s, 1.2, axis, none);
    sp_eye eye = make_eye(false, 900, 4, 500);
    unsigned long long first = 0;
    for (int workers = 1; workers <= 4; workers++) {
        sp_context *ctx = new_context(workers);
        atomic_ullong sum = 0;
        sp_layers_def d = {.eye = &eye, .width = 500, .height = 500, .vertex_count = s.nv, .x = s.x};
        d.face_count = s.nf, d.faces = s.f, d.tile = mix_tile, d.user = &sum;
        CHECK_INT(sp__layers(ctx, &d), SP_OK);
        if (workers == 1) first = sum;
        CHECK(sum == first && first != 0);
        sp_context_destroy(&ctx);
    }
    free_shape(&s);
}

TEST(every_allocation_may_fail) {
    shape s = make_ball(1, 9, 12);
    s.x[2] = 9;  // behind the eye: something is cut
    image m = new_image(60, 60, 16);
    sp_eye eye = make_eye(false, 80, 4, 60);
    sp_status status = SP_NO_MEMORY;
    long n = 0;
    for (; status == SP_NO_MEMORY && n < 200; n++) {
        meter watch = {.allowed = 1000};
        sp_context_def def = metered_context(&watch);
        sp_context *ctx = NULL;
        REQUIRE(sp_context_create(&def, &ctx) >= 0);
        long before = watch.live;
        watch.allowed = n;
        status = look_with(ctx, &s, &eye, NULL, &m);
        CHECK_INT(watch.live, before);
        sp_context_destroy(&ctx);
    }
    CHECK_INT(status, SP_OK);
    CHECK(n > 8);
    free_image(&m), free_shape(&s);
}

TEST(invalid_options_are_refused) {
    sp_context *ctx = new_context(1);
    shape s = make_ball(1, 3, 4);
    image m = new_image(8, 8, 4);
    sp_eye eye = make_eye(false, 10, 4, 8);
    s.f[4] = 99;
    CHECK_INT(look_with(ctx, &s, &eye, NULL, &m), SP_BAD_INPUT);
    CHECK(strstr(sp_context_error(ctx)->message, "corner"));
    eye.nearest = 0;
    CHECK_INT(look_with(ctx, &s, &eye, NULL, &m), SP_BAD_INPUT);
    m.width = 0;
    CHECK_INT(look_with(ctx, &s, &eye, NULL, &m), SP_BAD_INPUT);
    m.width = 8;
    free_image(&m), free_shape(&s);
    sp_context_destroy(&ctx);
}
