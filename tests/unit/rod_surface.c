// The surface of rods, from anchors and faces only: the strands here are straight and uniformly twisted, so that every vertex has
// a formula.
#include "meter.h"
#include "rod/rod.h"
#include "test.h"

static const double PI = 3.14159265358979323846;

enum { PARTS_MOST = 3, ELEMENTS_MOST = 16 };

// The part of a rod that its surface uses.
typedef struct dummy {
    sp_body body;
    sp_rod rod;
    sp_error error;
    sp_rod_part part[PARTS_MOST];
    sp_rod_section section[3];
    int section_of[ELEMENTS_MOST];
} dummy;

static sp_context *new_context(void) {
    sp_context_def def = sp_context_def_default();
    sp_context *ctx = NULL;
    def.workers = 1;
    sp_context_create(&def, &ctx);
    return ctx;
}

// the empty surface that every body begins with
static void new_boundary(sp_body *b) {
    sp_surface *boundary = sp__surface_create(b->ctx, "boundary", SP_ROLE_VISUAL);
    REQUIRE(boundary && sp__surfaces_reserve(b) == SP_OK);
    sp__surfaces_add(b, boundary);
}

static void make_dummy(dummy *d, sp_context *ctx, int parts, const int *elements, int sides, int rings) {
    memset(d, 0, sizeof *d);
    d->body = (sp_body){.ctx = ctx, .error = &d->error, .impl = &d->rod};
    d->rod = (sp_rod){.part = d->part, .parts = parts, .section = d->section, .section_of = d->section_of};
    d->rod.sides = sides, d->rod.rings = rings;
    for (int i = 0; i < parts; i++) {
        d->part[i] = (sp_rod_part){.node = d->rod.nodes, .element = d->rod.elements, .elements = elements[i]};
        d->rod.nodes += elements[i] + 1, d->rod.elements += elements[i];
    }
    d->section[0] = (sp_rod_section){.axes = {0.02, 0.01}};
    new_boundary(&d->body);
}

static int part_of(const dummy *d, int element) {
    int p = 0;
    while (p + 1 < d->rod.parts && element >= d->part[p + 1].element) p++;
    return p;
}

// Elements of unit length along x, strands side by side along z, frames rotated by `twist` per length.
static void locate(const dummy *d, const sp_anchor *a, double twist, double x[3]) {
    int p = part_of(d, (int)a->elem);
    double s = (int)a->elem - d->part[p].element + a->at[0], c = cos(twist * s), n = sin(twist * s);
    x[0] = s, x[1] = c * a->offset[1] - n * a->offset[2], x[2] = n * a->offset[1] + c * a->offset[2] + p;
}

static double volume(const dummy *d, double twist) {
    const sp_surface *s = d->body.surfaces[0];
    double sum = 0;
    for (int f = 0; f < s->face_count; f++) {
        double x[3][3];
        for (int k = 0; k < 3; k++) locate(d, &s->anchors[s->faces[3 * f + k]], twist, x[k]);
        sum += x[0][0] * (x[1][1] * x[2][2] - x[1][2] * x[2][1]) - x[0][1] * (x[1][0] * x[2][2] - x[1][2] * x[2][0]) +
               x[0][2] * (x[1][0] * x[2][1] - x[1][1] * x[2][0]);
    }
    return sum / 6;
}

// every edge occurs once in each direction: closed and consistently oriented
static bool is_closed(const sp_surface *s) {
    int n = 3 * s->face_count;
    for (int i = 0; i < n; i++) {
        int there = 0, back = 0;
        uint32_t a = s->faces[i], b = s->faces[i - i % 3 + (i + 1) % 3];
        for (int k = 0; k < n; k++) {
            uint32_t c = s->faces[k], e = s->faces[k - k % 3 + (k + 1) % 3];
            there += a == c && b == e, back += a == e && b == c;
        }
        if (there != 1 || back != 1) return false;
    }
    return true;
}

// area of the polygon over that of the ellipse
static double polygon(int sides) {
    return sides / (2 * PI) * sin(2 * PI / sides);
}

TEST(a_tube_is_closed_and_as_large_as_its_section) {
    sp_context *ctx = new_context();
    dummy d;
    for (int sides = 3; sides <= 36; sides += 11) {
        make_dummy(&d, ctx, 1, (int[]){3}, sides, 2);
        REQUIRE(sp__rod_surface_create(&d.body) == SP_OK);
        const sp_surface *s = d.body.surfaces[0];
        CHECK_INT(s->vertex_count, 7 * sides);
        CHECK(is_closed(s));
        // rounding of a sum of some hundred terms below 1e-3
        CHECK_NEAR(volume(&d, 0), 3 * PI * 0.02 * 0.01 * polygon(sides), 1e-15);
        sp__surfaces_free(&d.body);
    }
    sp_context_destroy(&ctx);
}

TEST(vertices_are_on_the_section) {
    sp_context *ctx = new_context();
    dummy d;
    make_dummy(&d, ctx, 2, (int[]){2, 3}, 8, 4);
    REQUIRE(sp__rod_surface_create(&d.body) == SP_OK);
    const sp_surface *s = d.body.surfaces[0];
    int on_line = 0;
    for (int v = 0; v < s->vertex_count; v++) {
        const sp_anchor *a = &s->anchors[v];
        double y = a->offset[1] / 0.02, z = a->offset[2] / 0.01;
        CHECK_NEAR(y * y + z * z, 1, 1e-14);  // a few roundings
        CHECK(a->offset[0] == 0 && a->at[1] == 0 && a->at[2] == 0 && a->at[0] >= 0 && a->at[0] <= 1);
        int p = part_of(&d, (int)a->elem);
        CHECK_INT(s->nodes[v], d.part[p].node + (int)a->elem - d.part[p].element + (a->at[0] > 0.5));
        on_line += a->at[0] == 0;
    }
    CHECK_INT(on_line, 2 * 8);  // the start of an element is the end of the previous one
    CHECK_INT(s->nodes[s->vertex_count - 1], d.rod.nodes - 1);
    sp__surfaces_free(&d.body);
    sp_context_destroy(&ctx);
}

TEST(cross_sections_contain_their_vertices) {
    sp_context *ctx = new_context();
    dummy d;
    make_dummy(&d, ctx, 2, (int[]){2, 3}, 6, 4);
    d.section[1] = (sp_rod_section){.axes = {0.001, 0.02}};
    for (int e = 2; e < 5; e++) d.section_of[e] = 1;  // the second strand is a ribbon
    REQUIRE(sp__rod_surface_create(&d.body) == SP_OK);
    const sp_surface *s = d.body.surfaces[0];
    CHECK_INT(s->ring_count, 9 + 13);
    for (int i = 0, v = 0; i < s->ring_count; i++) {
        int end = i + 1 < s->ring_count ? s->rings[i + 1].vertex : s->vertex_count;
        CHECK_INT(s->rings[i].vertex, v);
        CHECK_INT(end - v, i < 9 ? 6 : 4);
        for (; v < end; v++) CHECK((int)s->anchors[v].elem == s->rings[i].element && s->anchors[v].at[0] == s->rings[i].at);
    }
    CHECK(is_closed(s));
    sp__surfaces_free(&d.body);
    sp_context_destroy(&ctx);
}

TEST(a_flat_section_is_a_band) {
    sp_context *ctx = new_context();
    dummy d;
    for (int thin = 0; thin < 2; thin++) {
        make_dummy(&d, ctx, 1, (int[]){2}, 12, 3);
        d.section[0].axes[!thin] = 0.05, d.section[0].axes[thin] = 0.01;
        REQUIRE(sp__rod_surface_create(&d.body) == SP_OK);
        const sp_surface *s = d.body.surfaces[0];
        CHECK_INT(s->vertex_count, 7 * 4);
        CHECK(is_closed(s));
        CHECK_NEAR(volume(&d, 0), 2 * PI * 0.05 * 0.01, 1e-15);  // the area of the ellipse: rounding only
        int striped = 0;
        for (int v = 0; v < s->vertex_count; v++) CHECK_NEAR(fabs(s->anchors[v].offset[1 + !thin]), 0.05, 0);
        for (int f = 0; f < s->face_count; f++) {
            striped += s->stripes[f];
            for (int k = 0; k < 3 && s->stripes[f]; k++) CHECK(s->anchors[s->faces[3 * f + k]].offset[1 + thin] > 0);
        }
        CHECK_INT(striped, 2 * 6);  // one of the flat sides, all along
        sp__surfaces_free(&d.body);
    }
    sp_context_destroy(&ctx);
}

TEST(the_line_follows_n1_and_rotates_with_the_frame) {
    sp_context *ctx = new_context();
    dummy d;
    for (int sides = 5; sides <= 30; sides += 25) {
        make_dummy(&d, ctx, 1, (int[]){2}, sides, 5);
        REQUIRE(sp__rod_surface_create(&d.body) == SP_OK);
        const sp_surface *s = d.body.surfaces[0];
        double middle[2] = {0, 0}, widest = 0;
        int striped = 0;
        for (int f = 0; f < s->face_count; f++)
            for (int k = 0; k < 3 && s->stripes[f]; k++) {
                const sp_anchor *a = &s->anchors[s->faces[3 * f + k]];
                double angle = atan2(a->offset[2] / 0.01, a->offset[1] / 0.02);
                widest = fmax(widest, fabs(angle)), striped++;
                middle[0] += a->offset[1], middle[1] += a->offset[2];
            }
        CHECK(striped > 0);
        CHECK_NEAR(middle[1], 0, 1e-15 * striped);  // n1 is in its middle, to rounding
        CHECK(middle[0] > 0 && widest <= PI / 5 + 1e-12);
        sp__surfaces_free(&d.body);
    }
    sp_context_destroy(&ctx);
}

TEST(twist_does_not_invert_the_surface) {
    sp_context *ctx = new_context();
    dummy d;
    make_dummy(&d, ctx, 2, (int[]){2, 2}, 24, 32);
    REQUIRE(sp__rod_surface_create(&d.body) == SP_OK);
    // facets of a twisted surface lose volume: the error is of second order in the rotation of a band, 3/32 rad, squared: 0.9%
    double exact = 4 * PI * 0.02 * 0.01 * polygon(24);
    CHECK_NEAR(volume(&d, 3), exact, 0.009 * exact);
    sp__surfaces_free(&d.body);
    sp_context_destroy(&ctx);
}

TEST(different_sections_have_a_smooth_transition) {
    sp_context *ctx = new_context();
    dummy d;
    make_dummy(&d, ctx, 1, (int[]){2}, 16, 4);
    d.section[1] = (sp_rod_section){.axes = {0.04, 0.02}};
    d.section_of[1] = 1;
    REQUIRE(sp__rod_surface_create(&d.body) == SP_OK);
    CHECK(is_closed(d.body.surfaces[0]));
    // a cone over a quarter of the second element: (1 + 2 + 4) / 3 of the first area; rounding only
    double area = PI * 0.02 * 0.01 * polygon(16);
    CHECK_NEAR(volume(&d, 0), area * (1 + 0.25 * 7 / 3 + 0.75 * 4), 1e-15);
    // a round part makes a tube of the whole strand
    sp__surfaces_free(&d.body);
    new_boundary(&d.body);
    d.section[1] = (sp_rod_section){.axes = {0.04, 0.001}};
    REQUIRE(sp__rod_surface_create(&d.body) == SP_OK);
    CHECK_INT(d.body.surfaces[0]->vertex_count, 9 * 16);
    sp__surfaces_free(&d.body);
    sp_context_destroy(&ctx);
}

TEST(corners_of_a_face_are_in_one_element) {
    sp_context *ctx = new_context();
    dummy d;
    make_dummy(&d, ctx, 2, (int[]){3, 2}, 5, 2);
    REQUIRE(sp__rod_surface_create(&d.body) == SP_OK);
    const sp_surface *s = d.body.surfaces[0];
    for (int f = 0; f < s->face_count; f++) {
        sp_anchor corner[3];
        sp__rod_face_anchors(&d.body, f, corner);
        CHECK(corner[0].elem == corner[1].elem && corner[1].elem == corner[2].elem);
        for (int k = 0; k < 3; k++) {
            double x[3], y[3];
            locate(&d, &corner[k], 0.5, x), locate(&d, &s->anchors[s->faces[3 * f + k]], 0.5, y);
            for (int i = 0; i < 3; i++) CHECK_NEAR(x[i], y[i], 0);  // the same point
        }
    }
    sp__surfaces_free(&d.body);
    sp_context_destroy(&ctx);
}

static double started[9];  // initial curvature of a strand

static void curvature_of(sp_body *b, int part, double *out) {
    (void)b, (void)part;
    memcpy(out, started, sizeof started);
}

TEST(the_number_of_cross_sections_follows_the_curvature) {
    sp_context *ctx = new_context();
    const sp_rod_model_ops model = {.curvature = curvature_of};
    static const struct {
        double kappa, start;
        bool varies;
        int rings;
    } list[] = {{0, 0, false, 8}, {5, 0, false, 25}, {-5, 5, false, 25},  {0, 5, false, 25},
                {0, 0, true, 24}, {5, 5, true, 25},  {1000, 0, false, 64}};
    for (size_t i = 0; i < sizeof list / sizeof *list; i++) {
        double natural[9] = {0}, scratch[9], length[2] = {1, 0.5};
        dummy d;
        make_dummy(&d, ctx, 1, (int[]){2}, 0, 0);
        d.rod.model = &model, d.rod.node_scratch = scratch;
        natural[0] = list[i].kappa, started[0] = list[i].start;
        d.rod.natural = natural, d.rod.length = length, d.rod.natural_in_time = list[i].varies;
        REQUIRE(sp__rod_surface_create(&d.body) == SP_OK);
        CHECK_INT(d.rod.rings, list[i].rings);
        CHECK_INT(d.body.surfaces[0]->ring_count, 2 * list[i].rings + 1);
        CHECK_INT(d.body.surfaces[0]->vertex_count, 12 * d.body.surfaces[0]->ring_count);
        sp__surfaces_free(&d.body);
    }
    sp_context_destroy(&ctx);
}

TEST(too_large_a_surface_is_refused) {
    sp_context *ctx = new_context();
    dummy d;
    make_dummy(&d, ctx, 1, (int[]){1}, 64, 64);
    int *section_of = calloc(100000, sizeof *section_of);
    REQUIRE(section_of);
    d.rod.section_of = section_of, d.part[0].elements = 100000;  // 409,600,064 vertices
    CHECK(sp__rod_surface_create(&d.body) == SP_BAD_INPUT);
    CHECK(strstr(d.error.message, "409600064") != NULL);
    sp__surfaces_free(&d.body);
    free(section_of);
    sp_context_destroy(&ctx);
}

TEST(every_allocation_may_fail) {
    bool done = false;
    for (long allowed = 0; !done && allowed < 100; allowed++) {
        meter m = {.allowed = 1000};
        sp_context_def def = metered_context(&m);
        sp_context *ctx = NULL;
        dummy d;
        REQUIRE(sp_context_create(&def, &ctx) == SP_OK);
        long held = m.live;
        make_dummy(&d, ctx, 2, (int[]){2, 1}, 6, 2);
        m.allowed = allowed;
        sp_status status = sp__rod_surface_create(&d.body);
        done = status == SP_OK;
        CHECK(done || status == SP_NO_MEMORY);
        sp__surfaces_free(&d.body);
        CHECK_INT(m.live, held);
        m.allowed = 1000;
        sp_context_destroy(&ctx);
    }
    CHECK(done);
}
