// Isoparametric elements of the backends: forces and products agree between ref, cpu and cpu-generic for every element and law;
// forces are the derivatives of the energy, products those of the forces, and the assembled matrix is the product.
#include "backend/backend.h"
#include "kernels/law.h"
#include "kernels/tet_rotation.h"
#include "solid/law.h"
#include "test.h"

// Shape functions in natural coordinates, written down independently of the mesh: 10-node tetrahedra with corners 0..3 and
// mid-edge nodes of 01 12 20 03 13 23, with four points or those of the vertices and faces; 8-node hexahedra on [0, 1]^3, bottom
// counter-clockwise, then top, with full integration and with mean dilatation; triangles of a membrane of thickness 1.
enum { TET4, TET10, TET10_VERTICES, HEX8, HEX8_BAR, TRI3, SHAPES };
static const int shape_nodes[SHAPES] = {4, 10, 10, 8, 8, 3}, shape_points[SHAPES] = {1, 4, 8, 8, 8, 1};
enum { VOLUMES = TRI3 };  // shapes before it
static const int hex_corner[8][3] = {{0, 0, 0}, {1, 0, 0}, {1, 1, 0}, {0, 1, 0}, {0, 0, 1}, {1, 0, 1}, {1, 1, 1}, {0, 1, 1}};
static const int tet_edge[6][2] = {{0, 1}, {1, 2}, {2, 0}, {0, 3}, {1, 3}, {2, 3}};

static void tet_slopes(int shape, const double *r, double *dw) {
    const double w[4] = {1 - r[0] - r[1] - r[2], r[0], r[1], r[2]};
    const double g[4][3] = {{-1, -1, -1}, {1, 0, 0}, {0, 1, 0}, {0, 0, 1}};
    for (int a = 0; a < 4; a++)
        for (int k = 0; k < 3; k++) dw[3 * a + k] = shape == TET4 ? g[a][k] : (4 * w[a] - 1) * g[a][k];
    for (int e = 0; shape != TET4 && e < 6; e++) {
        int a = tet_edge[e][0], b = tet_edge[e][1];
        for (int k = 0; k < 3; k++) dw[3 * (4 + e) + k] = 4 * (w[a] * g[b][k] + w[b] * g[a][k]);
    }
}

static void hex_slopes(const double *r, double *dw) {
    for (int a = 0; a < 8; a++)
        for (int k = 0; k < 3; k++) {
            dw[3 * a + k] = hex_corner[a][k] ? 1 : -1;
            for (int j = 0; j < 3; j++)
                if (j != k) dw[3 * a + k] *= hex_corner[a][j] ? r[j] : 1 - r[j];
        }
}

static double shape_point(int shape, int q, double *r) {
    if (shape == TRI3) {
        r[0] = r[1] = 1. / 3, r[2] = 0;
        return 0.5;
    }
    const double a = (5 - sqrt(5)) / 20, s = 0.5 / sqrt(3);
    if (shape == TET10_VERTICES) {
        for (int k = 0; k < 3; k++) r[k] = q < 4 ? q == k + 1 : q == k + 5 ? 0 : 1. / 3;
        return q < 4 ? 1. / 240 : 3. / 80;
    }
    for (int k = 0; k < 3; k++)
        r[k] = shape == TET4 ? 0.25 : shape == TET10 ? (q == k + 1 ? 1 - 3 * a : a) : 0.5 + (q >> k & 1 ? s : -s);
    return shape == TET4 ? 1. / 6 : shape == TET10 ? 1. / 24 : 1. / 8;
}

static void shape_rest(int shape, int a, double *x) {
    static const double corner[4][3] = {{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {0, 0, 1}};
    for (int k = 0; k < 3; k++)
        x[k] = shape == HEX8 || shape == HEX8_BAR ? hex_corner[a][k]
               : a < 4                            ? corner[a][k]
                                                  : 0.5 * (corner[tet_edge[a - 4][0]][k] + corner[tet_edge[a - 4][1]][k]);
}

// 7 distorted elements with nodes of their own but for the first node, which all of them share: a chunk with padding
enum { ELEMENTS = 7, NODES_MOST = 9 * ELEMENTS + 1 };
typedef struct patch {
    const sp_backend *be;
    sp_iso g;
    int shape, count;  // nodes
    double rest[3 * NODES_MOST];
    int block_start[2], node[8 * 10];
    uint16_t local[8 * 10];
    double volume[8];
    double *memory;
} patch;

static int patch_node(const patch *p, int e, int a) {
    return a == 0 ? 0 : e * (shape_nodes[p->shape] - 1) + a;
}

static size_t lane_index(const patch *p, int e, int per, int i) {
    size_t lanes = (size_t)p->g.lanes;
    return ((size_t)e / lanes * (size_t)per + (size_t)i) * lanes + (size_t)e % lanes;
}

// rest gradients and volume of point q of element e
static void patch_point(patch *p, int e, int q) {
    int n = p->g.nodes;
    double r[3], dw[30], J[9] = {0}, weight = shape_point(p->shape, q, r);
    if (p->shape == TRI3)
        memcpy(dw, (double[9]){-1, -1, 0, 1, 0, 0, 0, 1, 0}, 9 * sizeof *dw);
    else if (p->shape >= HEX8)
        hex_slopes(r, dw);
    else
        tet_slopes(p->shape, r, dw);
    for (int a = 0; a < n; a++)
        for (int k = 0; k < 9; k++) J[k] += p->rest[3 * patch_node(p, e, a) + k / 3] * dw[3 * a + k % 3];
    if (p->shape == TRI3) {  // the unit normal is the third column
        const double normal[3] = {J[3] * J[7] - J[6] * J[4], J[6] * J[1] - J[0] * J[7], J[0] * J[4] - J[3] * J[1]};
        for (int k = 0; k < 3; k++)
            J[3 * k + 2] = normal[k] / sqrt(normal[0] * normal[0] + normal[1] * normal[1] + normal[2] * normal[2]);
    }
    double cof[9];
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++) {
            int a = (i + 1) % 3, b = (i + 2) % 3, c = (j + 1) % 3, d = (j + 2) % 3;
            cof[3 * i + j] = J[3 * a + c] * J[3 * b + d] - J[3 * a + d] * J[3 * b + c];
        }
    double det = J[0] * cof[0] + J[1] * cof[1] + J[2] * cof[2];
    for (int a = 1; a < n; a++)
        for (int k = 0; k < 3; k++) {
            double s = 0;
            for (int j = 0; j < 3; j++) s += cof[3 * k + j] * dw[3 * a + j] / det;
            p->g.slope[lane_index(p, e, 3 * p->g.points * (n - 1), 3 * (q * (n - 1) + a - 1) + k)] = s;
        }
    p->g.weight[lane_index(p, e, p->g.points, q)] = weight * det;
    p->volume[e] += weight * det;
}

static void patch_make(patch *p, const char *backend, int shape, int law, const double *param, bool definite) {
    *p = (patch){.be = sp__backend_find(backend), .shape = shape};
    sp_iso *g = &p->g;
    g->lanes = p->be->lanes, g->blocks = (ELEMENTS + g->lanes - 1) / g->lanes;
    g->nodes = shape_nodes[shape], g->points = shape_points[shape], g->law = law, g->definite = definite;
    g->block_start = p->block_start, g->node = p->node, g->local = p->local, g->volume = p->volume;
    p->block_start[1] = g->blocks, p->count = ELEMENTS * (g->nodes - 1) + 1;
    size_t points = (size_t)(g->blocks * g->lanes * g->points), edges = 3 * (size_t)(g->nodes - 1);
    size_t elements = (size_t)(g->blocks * g->lanes),
           need = points * (2 * edges + 1 + SP_ISO_TANGENT_PENALTY) + elements * (SP_LAW_PARAMS + edges + 1);
    p->memory = aligned_alloc(64, (need * sizeof *p->memory + 63) / 64 * 64);
    memset(p->memory, 0, need * sizeof *p->memory);
    // each array is a multiple of the lanes, hence aligned to them
    g->slope = p->memory, g->turned = g->slope + points * edges, g->weight = g->turned + points * edges;
    g->tangent = g->weight + points, g->param = g->tangent + points * SP_ISO_TANGENT_PENALTY;
    if (shape == HEX8_BAR) g->bar = g->param + elements * SP_LAW_PARAMS;
    unsigned long long seed = 7;
    // gradients at a vertex are seven times the differences of its nodes: distorted less, the element is not inverted there
    const double bend = shape == TET10_VERTICES ? 0.02 : 0.08;
    for (int e = 0; e < ELEMENTS; e++)
        for (int a = e ? 1 : 0; a < g->nodes; a++) {
            double x[3];
            shape_rest(shape, a, x);
            for (int k = 0; k < 3; k++)
                p->rest[3 * patch_node(p, e, a) + k] = 0.2 * (x[k] + (a ? bend * sp_test_random(&seed) : 0));
        }
    for (int e = 0; e < ELEMENTS; e++) {
        for (int a = 0; a < g->nodes; a++)
            p->node[lane_index(p, e, g->nodes, a)] = p->local[lane_index(p, e, g->nodes, a)] = (uint16_t)patch_node(p, e, a);
        for (int i = 0; i < SP_LAW_PARAMS; i++) g->param[lane_index(p, e, SP_LAW_PARAMS, i)] = param[i];
        for (int q = 0; q < g->points; q++) patch_point(p, e, q);
    }
}

static void patch_free(patch *p) {
    free(p->memory);
}

// ------------------------------------------------------------------------------------------------ cases

static void law_numbers(int law, double *param) {
    sp_law_numbers n = {.young = 3000, .poisson = 0.3, .bulk = NAN};
    char text[200];
    CHECK(sp__law_params(law, SP_LAW_VOLUME_MIXED, &n, param, text, sizeof text) == NULL);
}

// local arrays: 4 numbers per node, aligned
typedef struct field {
    _Alignas(32) double at[4 * NODES_MOST];
} field;

static void random_field(const patch *p, unsigned long long *seed, double size, field *x) {
    memset(x, 0, sizeof *x);
    for (int i = 0; i < p->count; i++)
        for (int k = 0; k < 3; k++) x->at[4 * i + k] = size * sp_test_random(seed);
}

static double field_dot(const patch *p, const field *a, const field *b) {
    double s = 0;
    for (int i = 0; i < p->count; i++)
        for (int k = 0; k < 3; k++) s += a->at[4 * i + k] * b->at[4 * i + k];
    return s;
}

static double field_difference(const patch *p, const field *a, const field *b) {
    double most = 0;
    for (int i = 0; i < p->count; i++)
        for (int k = 0; k < 3; k++) most = fmax(most, fabs(a->at[4 * i + k] - b->at[4 * i + k]));
    return most;
}

static double field_size(const patch *p, const field *a) {
    static const field zero;
    return field_difference(p, a, &zero);
}

static double patch_state(patch *p, const field *u, field *y) {
    memset(y, 0, sizeof *y);
    return p->be->iso_state(&p->g, 0, u->at, y->at);
}

static void patch_product(patch *p, const field *x, field *y) {
    memset(y, 0, sizeof *y);
    p->be->iso_product(&p->g, 0, x->at, y->at);
}

TEST(backends_agree_for_every_element_and_law) {
    static const char *const names[] = {"cpu", "cpu-generic"};
    for (int shape = 0; shape < SHAPES; shape++)
        for (int law = 0; law < SP_LAWS; law++)
            for (int b = 0; b < 2; b++) {
                patch a, c;
                double param[SP_LAW_PARAMS], sums[2][3];
                field u, x, y[2], z[2];
                unsigned long long seed = 3;
                law_numbers(law, param);
                patch_make(&a, "ref", shape, law, param, law % 2);
                patch_make(&c, names[b], shape, law, param, law % 2);
                random_field(&a, &seed, shape == TET10_VERTICES ? 0.005 : 0.02, &u), random_field(&a, &seed, 1, &x);
                double energy = patch_state(&a, &u, &y[0]);
                // fused multiply-adds and other orders of sums: some hundred roundings
                CHECK_NEAR(patch_state(&c, &u, &y[1]), energy, 1e-12 * energy);
                CHECK_NEAR(field_difference(&a, &y[0], &y[1]), 0, 1e-12 * field_size(&a, &y[0]));
                patch_product(&a, &x, &z[0]), patch_product(&c, &x, &z[1]);
                CHECK(field_size(&a, &z[0]) > 0);
                CHECK_NEAR(field_difference(&a, &z[0], &z[1]), 0, 1e-12 * field_size(&a, &z[0]));
                a.be->iso_sums(&a.g, 0, u.at, sums[0]), c.be->iso_sums(&c.g, 0, u.at, sums[1]);
                for (int k = 0; k < 3; k++) CHECK_NEAR(sums[0][k], sums[1][k], 1e-12 * fabs(sums[0][k]));
                CHECK_NEAR(sums[0][0], energy, 1e-13 * energy);
                CHECK_INT(sums[0][2], 0);
                patch_free(&a), patch_free(&c);
            }
}

TEST(forces_and_products_are_derivatives) {
    static const char *const names[] = {"ref", "cpu"};
    for (int shape = 0; shape < SHAPES; shape++)
        for (int law = 0; law < SP_LAWS; law++)
            for (int b = 0; b < 2; b++) {
                patch p;
                double param[SP_LAW_PARAMS], h = 3e-6, energy[4];
                field u, x, y, z, moved, ys[4];
                unsigned long long seed = 5;
                law_numbers(law, param);
                if (law == SP_LAW_COROTATIONAL) param[SP_LAW_EXACT] = 1;
                patch_make(&p, names[b], shape, law, param, false);
                random_field(&p, &seed, 0.008, &u), random_field(&p, &seed, 1, &x);
                patch_state(&p, &u, &y), patch_product(&p, &x, &z);
                for (int i = 0; i < 4; i++) {
                    static const double at[4] = {-2, -1, 1, 2};
                    for (int k = 0; k < 4 * p.count; k++) moved.at[k] = u.at[k] + at[i] * h * x.at[k];
                    energy[i] = patch_state(&p, &moved, &ys[i]);
                }
                // fourth order in h = 1.5e-5 of an element
                double slope = (energy[0] - 8 * energy[1] + 8 * energy[2] - energy[3]) / (12 * h);
                CHECK_NEAR(slope, -field_dot(&p, &y, &x), 1e-8 * fabs(slope));
                for (int k = 0; k < 4 * p.count; k++)
                    moved.at[k] = -(ys[0].at[k] - 8 * ys[1].at[k] + 8 * ys[2].at[k] - ys[3].at[k]) / (12 * h);
                CHECK_NEAR(field_difference(&p, &moved, &z), 0, 1e-8 * field_size(&p, &z));
                patch_free(&p);
            }
}

// ------------------------------------------------------------------------------------------------ tensor-mass

// Elements of the tensor-mass model: two membranes, and tetrahedra without and with a penalty on the change of volume
enum { TENSOR_CASES = 4 };
static void tensor_make(patch *p, const char *backend, int n, bool tensor, bool definite) {
    static const int shapes[TENSOR_CASES] = {TRI3, TRI3, TET4, TET4}, laws[2] = {SP_LAW_LINEAR, SP_LAW_STVK};
    sp_law_numbers numbers = {.young = 3000, .poisson = 0.3, .bulk = NAN, .penalty = n == 3 ? 5000 : 0};
    double param[SP_LAW_PARAMS];
    char text[200];
    CHECK(sp__law_params(laws[n > 0], 0, &numbers, param, text, sizeof text) == NULL);
    patch_make(p, backend, shapes[n], laws[n > 0], param, definite);
    p->g.tensor = tensor, p->g.penalty = tensor && n == 3;
}

static void tensor_assembled(patch *p, const field *x, const field *product);

// Closed forms of every backend against the general kernel of the reference backend, in a deformed state, and padding; the
// matrix is the product. Tolerance: some hundred roundings.
TEST(tensor_mass_of_every_backend) {
    static const char *const names[] = {"ref", "cpu", "cpu-generic"};
    for (int n = 0; n < TENSOR_CASES; n++)
        for (int b = 0; b < 6; b++) {
            const bool definite = b > 2;
            patch general, own;
            field u, x, y[2], z[2];
            unsigned long long seed = 31;
            tensor_make(&general, "ref", n, false, false), tensor_make(&own, names[b % 3], n, true, definite);
            random_field(&own, &seed, 0.03, &u), random_field(&own, &seed, 1, &x);
            double energy = patch_state(&general, &u, &y[0]);
            CHECK_NEAR(patch_state(&own, &u, &y[1]), energy, 1e-12 * energy);
            CHECK_NEAR(field_difference(&own, &y[0], &y[1]), 0, 1e-12 * field_size(&own, &y[0]));
            CHECK_NEAR(own.be->iso_state(&own.g, 0, u.at, NULL), energy, 1e-12 * energy);
            patch_product(&general, &x, &z[0]), patch_product(&own, &x, &z[1]);
            if (!definite) CHECK_NEAR(field_difference(&own, &z[0], &z[1]), 0, 1e-12 * field_size(&own, &z[0]));
            CHECK(field_dot(&own, &x, &z[1]) > 0);
            tensor_assembled(&own, &x, &z[1]);
            patch_free(&general), patch_free(&own);
        }
}

// ------------------------------------------------------------------------------------------------ assembly

// upper triangle of blocks over all nodes in the order `from_last` or not; only rows of `part` (0: all, 1: even, 2: odd rows)
typedef struct dense {
    bool from_last;
    int part, structures[ELEMENTS], at[ELEMENTS * SP_ISO_PAIRS_MAX + 4 * SP_ISO_PAIRS_MAX];
    double *blocks;
} dense;

static int dense_place(const patch *p, const dense *A, int e, int k) {
    int a, b;
    sp__pairs(p->g.nodes, k, &a, &b);
    int i = patch_node(p, e, a), j = patch_node(p, e, b);
    if (A->from_last) i = p->count - 1 - i, j = p->count - 1 - j;
    int row = i < j ? i : j, col = i < j ? j : i;
    if (A->part && row % 2 != A->part - 1) return -1;
    return 2 * (row * p->count + col) + (i > j);
}

static void dense_assemble(patch *p, dense *A, double factor) {
    int pairs = p->g.nodes * (p->g.nodes + 1) / 2, all = p->g.blocks * p->g.lanes;
    for (int i = 0; i < all * pairs; i++) A->at[i] = -1;
    for (int e = 0; e < ELEMENTS; e++)
        for (int k = 0; k < pairs; k++) A->at[lane_index(p, e, pairs, k)] = dense_place(p, A, e, k);
    for (int s = 0; s < p->g.blocks; s++) A->structures[s] = s;
    sp_stencil where = {p->g.blocks, A->structures, A->at};
    p->be->iso_assemble(&p->g, &where, factor, A->blocks);
}

static void dense_product(const patch *p, const dense *A, const field *x, field *y) {
    memset(y, 0, sizeof *y);
    for (int i = 0; i < p->count; i++)
        for (int j = i; j < p->count; j++)
            for (int k = 0; k < 9; k++) {
                int m = A->from_last ? p->count - 1 - i : i, n = A->from_last ? p->count - 1 - j : j;
                double v = A->blocks[9 * (i * p->count + j) + k];
                y->at[4 * m + k / 3] += v * x->at[4 * n + k % 3];
                if (i < j) y->at[4 * n + k % 3] += v * x->at[4 * m + k / 3];
            }
}

TEST(the_assembled_matrix_is_the_product) {
    static const char *const names[] = {"ref", "cpu", "cpu-generic"};
    for (int shape = 0; shape < SHAPES; shape++)
        for (int b = 0; b < 3; b++)
            for (int t = 0; t < 4; t++) {
                patch p;
                dense A = {.from_last = t % 2};
                double param[SP_LAW_PARAMS];
                field u, x, y, z;
                unsigned long long seed = 11;
                int law = t < 2 ? SP_LAW_STVK : SP_LAW_MOONEY_RIVLIN;
                law_numbers(law, param);
                patch_make(&p, names[b], shape, law, param, t == 3);
                A.blocks = calloc(9 * (size_t)p.count * (size_t)p.count + 3, sizeof *A.blocks);  // and a store of four at the end
                random_field(&p, &seed, 0.02, &u), random_field(&p, &seed, 1, &x);
                patch_state(&p, &u, &y), patch_product(&p, &x, &y);
                if (t < 2)
                    dense_assemble(&p, &A, 2.5);
                else  // the rows of two chunks
                    A.part = 1, dense_assemble(&p, &A, 2.5), A.part = 2, dense_assemble(&p, &A, 2.5);
                dense_product(&p, &A, &x, &z);
                for (int k = 0; k < 4 * p.count; k++) y.at[k] *= 2.5;
                // other orders of sums: some hundred roundings
                CHECK_NEAR(field_difference(&p, &y, &z), 0, 1e-12 * field_size(&p, &y));
                free(A.blocks);
                patch_free(&p);
            }
}

static void tensor_assembled(patch *p, const field *x, const field *product) {
    dense A = {.from_last = p->g.definite};
    field z;
    A.blocks = calloc(9 * (size_t)p->count * (size_t)p->count + 3, sizeof *A.blocks);  // and a store of four at the end
    dense_assemble(p, &A, 1);
    dense_product(p, &A, x, &z);
    CHECK_NEAR(field_difference(p, product, &z), 0, 1e-12 * field_size(p, product));
    free(A.blocks);
}

// ------------------------------------------------------------------------------------------------ viscous materials

// a stress of the size of the elastic one at every point
static void patch_keep(patch *p) {
    size_t n = 6 * (size_t)(p->g.blocks * p->g.lanes * p->g.points);
    unsigned long long seed = 23;
    p->g.kept = aligned_alloc(64, (n * sizeof *p->g.kept + 63) / 64 * 64);
    memset(p->g.kept, 0, n * sizeof *p->g.kept);
    for (int e = 0; e < ELEMENTS; e++)
        for (int i = 0; i < 6 * p->g.points; i++) p->g.kept[lane_index(p, e, 6 * p->g.points, i)] = 400 * sp_test_random(&seed);
}

// the derivative of a field function by differences of fourth order, at 1.5e-5 of an element
static double patch_slope(patch *p, const field *u, const field *x, field *force) {
    const double h = 3e-6, at[4] = {-2, -1, 1, 2};
    double energy[4];
    field moved, y[4];
    for (int i = 0; i < 4; i++) {
        for (int k = 0; k < 4 * p->count; k++) moved.at[k] = u->at[k] + at[i] * h * x->at[k];
        energy[i] = patch_state(p, &moved, &y[i]);
    }
    memset(force, 0, sizeof *force);
    for (int k = 0; k < 4 * p->count; k++) force->at[k] = -(y[0].at[k] - 8 * y[1].at[k] + 8 * y[2].at[k] - y[3].at[k]) / (12 * h);
    return (energy[0] - 8 * energy[1] + 8 * energy[2] - energy[3]) / (12 * h);
}

TEST(a_kept_stress_has_an_energy_and_a_tangent) {
    static const char *const names[] = {"ref", "cpu", "cpu-generic"};
    for (int shape = 0; shape < SHAPES; shape++)
        for (int law = 0; law < SP_LAWS; law++) {
            field u, x, y[3], z[3], dense_z, dy;
            for (int b = 0; b < 3; b++) {
                patch p;
                dense A = {.from_last = b % 2};
                double param[SP_LAW_PARAMS];
                unsigned long long seed = 5;
                law_numbers(law, param);
                if (law == SP_LAW_COROTATIONAL) param[SP_LAW_EXACT] = 1;
                patch_make(&p, names[b], shape, law, param, false);
                random_field(&p, &seed, 0.008, &u), random_field(&p, &seed, 1, &x);
                patch_state(&p, &u, &y[b]);
                patch_keep(&p);
                field without = y[b];
                patch_state(&p, &u, &y[b]), patch_product(&p, &x, &z[b]);
                CHECK(field_difference(&p, &y[b], &without) > 0.05 * field_size(&p, &without));
                A.blocks = calloc(9 * (size_t)p.count * (size_t)p.count + 3, sizeof *A.blocks);
                dense_assemble(&p, &A, 1), dense_product(&p, &A, &x, &dense_z);
                double slope = patch_slope(&p, &u, &x, &dy);
                CHECK_NEAR(slope, -field_dot(&p, &y[b], &x), 1e-8 * fabs(slope));
                CHECK_NEAR(field_difference(&p, &dy, &z[b]), 0, 1e-8 * field_size(&p, &z[b]));
                // other orders of sums, and fused multiply-adds: some hundred roundings
                CHECK_NEAR(field_difference(&p, &dense_z, &z[b]), 0, 1e-12 * field_size(&p, &z[b]));
                CHECK_NEAR(field_difference(&p, &y[b], &y[0]), 0, 1e-12 * field_size(&p, &y[0]));
                CHECK_NEAR(field_difference(&p, &z[b], &z[0]), 0, 1e-12 * field_size(&p, &z[0]));
                free(A.blocks), free(p.g.kept);
                patch_free(&p);
            }
        }
}

TEST(pairs_are_numbered_as_those_of_tetrahedra) {
    int a, b;
    for (int k = 0; k < 10; k++) {
        sp__pairs(4, k, &a, &b);
        CHECK(a == sp__pair_a[k] && b == sp__pair_b[k]);
    }
    sp__pairs(10, 54, &a, &b);
    CHECK(a == 8 && b == 9);
    sp__pairs(10, 18, &a, &b);
    CHECK(a == 0 && b == 9);
    sp__pairs(10, 19, &a, &b);
    CHECK(a == 1 && b == 2);
}

// ------------------------------------------------------------------------------------------------ rotations and sums

// u = (R S - I) X
static void affine(const patch *p, const double *F, field *u) {
    memset(u, 0, sizeof *u);
    for (int i = 0; i < p->count; i++)
        for (int k = 0; k < 3; k++)
            for (int j = 0; j < 3; j++) u->at[4 * i + k] += (F[3 * k + j] - (k == j)) * p->rest[3 * i + j];
}

TEST(rotations_of_elements_are_those_of_an_affine_motion) {
    static const char *const names[] = {"ref", "cpu", "cpu-generic"};
    const double c = cos(2.2), s = sin(2.2), R[9] = {c, -s, 0, s, c, 0, 0, 0, 1};
    const double F[9] = {1.2 * c, -0.9 * s, 0, 1.2 * s, 0.9 * c, 0, 0, 0, 1.1};
    for (int shape = 0; shape < VOLUMES; shape++)
        for (int b = 0; b < (shape == TET4 ? 6 : 3); b++) {
            patch p;
            double param[SP_LAW_PARAMS], out[9 * SP_LANES_MAX], sums[3], volume = 0;
            field u, y;
            law_numbers(SP_LAW_STVK, param);
            patch_make(&p, names[b % 3], shape, SP_LAW_STVK, param, false);
            p.g.tensor = b >= 3;  // F of tensor-mass elements is in their own axes
            affine(&p, F, &u);
            patch_state(&p, &u, &y);
            for (int e = 0; e < ELEMENTS; e++) {
                p.be->iso_rotations(&p.g, e / p.g.lanes, p.rest, out);
                for (int k = 0; k < 9; k++) CHECK_NEAR(out[9 * (e % p.g.lanes) + k], R[k], 1e-13);  // some dozens of roundings
                volume += p.volume[e];
            }
            if (p.g.lanes > 1)
                for (int k = 0; k < 9; k++) CHECK(out[9 * (ELEMENTS % p.g.lanes) + k] == 0);  // padding
            p.be->iso_sums(&p.g, 0, u.at, sums);
            CHECK_NEAR(sums[1], volume * 1.2 * 0.9 * 1.1, 1e-14 * volume * p.g.points * ELEMENTS);  // a rounding for each point
            CHECK_INT(sums[2], 0);
            patch_free(&p);
        }
}

TEST(inverted_elements_are_counted_once) {
    static const char *const names[] = {"ref", "cpu"};
    const double mirror[9] = {1, 0, 0, 0, 1, 0, 0, 0, -0.8};
    for (int shape = 0; shape < VOLUMES; shape++)
        for (int b = 0; b < 2; b++) {
            patch p;
            double param[SP_LAW_PARAMS], sums[3];
            field u, y;
            law_numbers(SP_LAW_NEO_HOOKEAN_LOG, param);
            patch_make(&p, names[b], shape, SP_LAW_NEO_HOOKEAN_LOG, param, false);
            affine(&p, mirror, &u);
            p.be->iso_sums(&p.g, 0, u.at, sums);
            CHECK_INT(sums[2], ELEMENTS);
            CHECK(isinf(sums[0]) && sums[0] > 0);
            // the tangent is that of the rest shape: finite
            CHECK(isinf(patch_state(&p, &u, &y)));
            patch_product(&p, &u, &y);
            CHECK(isfinite(field_size(&p, &y)) && field_size(&p, &y) > 0);
            u.at[4] = NAN;
            CHECK(!isfinite(patch_state(&p, &u, &y)));
            patch_free(&p);
        }
}

// Bits of an element do not depend on the elements that share its structure: elements may appear and vanish beside it. Element 2
// is crushed, turned over and torn; the forces of the others stay.
TEST(lanes_are_independent) {
    static const char *const names[] = {"cpu", "cpu-generic"};
    for (int shape = 0; shape < SHAPES; shape++)
        for (int law = 0; law < SP_LAWS; law++)
            for (int b = 0; b < 2; b++) {
                patch p;
                double param[SP_LAW_PARAMS];
                field u, x, y[2], z[2];
                unsigned long long seed = 17;
                law_numbers(law, param);
                patch_make(&p, names[b], shape, law, param, true);
                random_field(&p, &seed, 0.01, &u), random_field(&p, &seed, 1, &x);
                patch_state(&p, &u, &y[0]), patch_product(&p, &x, &z[0]);
                int first = 4 * patch_node(&p, 2, 1), end = 4 * patch_node(&p, 3, 1), other = 0;
                for (int k = first; k < end; k++) u.at[k] = 3 * sp_test_random(&seed);
                patch_state(&p, &u, &y[1]), patch_product(&p, &x, &z[1]);
                for (int k = 4; k < 4 * p.count; k++)  // node 0 belongs to all
                    if (k < first || k >= end) other += y[0].at[k] != y[1].at[k] || z[0].at[k] != z[1].at[k];
                CHECK_INT(other, 0);
                CHECK(memcmp(y[0].at + first, y[1].at + first, sizeof(double) * (size_t)(end - first)) != 0);
                patch_free(&p);
            }
}

// ------------------------------------------------------------------------------------------------ mean dilatation

// Where the measure of volume is the same at all points of an element, mean dilatation is full integration.
TEST(mean_dilatation_is_full_integration_for_homogeneous_motions) {
    static const char *const names[] = {"ref", "cpu"};
    const double F[9] = {1.2, 0.3, -0.1, -0.2, 0.9, 0.15, 0.05, -0.1, 1.1};
    for (int law = 0; law < SP_LAWS; law++)
        for (int b = 0; b < 2; b++) {
            patch p[2];
            double param[SP_LAW_PARAMS], energy[2];
            field u, y[2];
            law_numbers(law, param);
            for (int i = 0; i < 2; i++) {
                patch_make(&p[i], names[b], i ? HEX8_BAR : HEX8, law, param, false);
                affine(&p[i], F, &u);
                energy[i] = patch_state(&p[i], &u, &y[i]);
            }
            // some hundred roundings of terms that are larger than their sums
            CHECK_NEAR(energy[1], energy[0], 1e-12 * energy[0]);
            CHECK_NEAR(field_difference(&p[0], &y[0], &y[1]), 0, 1e-12 * field_size(&p[0], &y[0]));
            patch_free(&p[0]), patch_free(&p[1]);
        }
}

// Rigid motions have no energy and no force: at most the roundings of moduli of 3 kPa times areas of 0.04 m2.
TEST(mean_dilatation_of_rigid_motions) {
    static const char *const names[] = {"ref", "cpu"};
    const double c = cos(2.2), s = sin(2.2), R[9] = {c, -s, 0, s, c, 0, 0, 0, 1}, I[9] = {1, 0, 0, 0, 1, 0, 0, 0, 1};
    for (int law = 0; law < SP_LAWS; law++)
        for (int b = 0; b < 2; b++) {
            patch p;
            double param[SP_LAW_PARAMS];
            field u, y;
            law_numbers(law, param);
            patch_make(&p, names[b], HEX8_BAR, law, param, true);
            affine(&p, law == SP_LAW_LINEAR ? I : R, &u);
            for (int k = 0; k < 4 * p.count; k++) u.at[k] += k % 4 < 3 ? 0.5 : 0;
            CHECK_NEAR(patch_state(&p, &u, &y), 0, 1e-22);
            CHECK_NEAR(field_size(&p, &y), 0, 1e-12);
            patch_free(&p);
        }
}

static void full(const double *six, double *M) {
    M[0] = six[0], M[4] = six[1], M[8] = six[2], M[1] = M[3] = six[3], M[5] = M[7] = six[4], M[2] = M[6] = six[5];
}

static void set_bulk(int law, double bulk, double *param) {
    if (law >= SP_LAW_NEO_HOOKEAN_ISOCHORIC)
        param[SP_LAW_BULK] = bulk;
    else
        param[1] = bulk - 2. / 3. * param[0];
}

// One element moves at random, less the motion along the derivative q of its volume: its points change their volumes, their
// mean does not. The bulk modulus, a million shear moduli, then does not act with mean dilatation, and full integration is at
// least 1e4 times stiffer. The mean changes by the second order of the strain 1e-5, hence the energy by 1e6 1e-5^2 of itself.
TEST(mean_dilatation_leaves_one_condition_on_the_volume) {
    for (int law = 0; law < SP_LAWS; law++) {
        patch p[3];
        double param[SP_LAW_PARAMS], energy[3], qu = 0, qq = 0;
        field u = {{0}}, y;
        unsigned long long seed = 17;
        law_numbers(law, param);
        for (int i = 0; i < 3; i++) {
            set_bulk(law, i == 2 ? 0 : 1e6 * sp__law_shear(law, param), param);
            patch_make(&p[i], "ref", i == 0 ? HEX8 : HEX8_BAR, law, param, false);
        }
        patch_state(&p[1], &u, &y);  // q at rest
        for (int k = 0; k < 21; k++) u.at[4 + k / 3 * 4 + k % 3] = 2e-6 * sp_test_random(&seed);
        for (int k = 0; k < 21; k++) qu += p[1].g.bar[k] * u.at[4 + k / 3 * 4 + k % 3], qq += p[1].g.bar[k] * p[1].g.bar[k];
        for (int k = 0; k < 21; k++) u.at[4 + k / 3 * 4 + k % 3] -= qu / qq * p[1].g.bar[k];
        for (int i = 0; i < 3; i++) energy[i] = patch_state(&p[i], &u, &y);
        CHECK(energy[0] > 1e4 * energy[1]);
        CHECK_NEAR(energy[1], energy[2], 1e-4 * energy[2]);
        for (int i = 0; i < 3; i++) patch_free(&p[i]);
    }
}

// Strong states of nearly incompressible elements: the tangent stays positive semi-definite where it is asked to be.
TEST(mean_dilatation_is_definite_where_asked) {
    for (int law = 1; law < SP_LAWS; law++) {
        patch p;
        double param[SP_LAW_PARAMS];
        field u, x, y;
        unsigned long long seed = 19;
        law_numbers(law, param);
        set_bulk(law, 100 * sp__law_shear(law, param), param);
        patch_make(&p, "cpu", HEX8_BAR, law, param, true);
        random_field(&p, &seed, 0.03, &u);
        patch_state(&p, &u, &y);
        for (int i = 0; i < 200; i++) {
            random_field(&p, &seed, 1, &x);
            patch_product(&p, &x, &y);
            CHECK(field_dot(&p, &x, &y) >= 0);
        }
        patch_free(&p);
    }
}

// Fields of the points are those of the element: the sum of their energies is its energy, and the change of the energy with a
// homogeneous change of the shape is the mean Cauchy stress, although the shape is not homogeneous.
TEST(fields_of_mean_dilatation) {
    const double D[9] = {0.3, 0.5, -0.2, 0.1, -0.4, 0.6, 0.2, -0.3, 0.5};
    for (int law = 1; law < SP_LAWS; law++) {
        patch p;
        double param[SP_LAW_PARAMS], energy[2], h = 1e-6, power = 0, sum = 0, of_nodes[24];
        field u = {{0}}, moved, y;
        unsigned long long seed = 23;
        law_numbers(law, param);
        patch_make(&p, "cpu", HEX8_BAR, law, param, false);
        for (int a = 0; a < 7; a++)
            for (int k = 0; k < 3; k++) u.at[4 + 4 * a + k] = 0.02 * sp_test_random(&seed);
        for (int a = 0; a < 8; a++) memcpy(of_nodes + 3 * a, u.at + 4 * a, 3 * sizeof *of_nodes);
        for (int s = 0; s < 2; s++) {
            moved = u;
            for (int a = 1; a < 8; a++)
                for (int k = 0; k < 9; k++)
                    moved.at[4 * a + k / 3] +=
                        (s ? h : -h) * D[k] * (p.rest[3 * a + k % 3] + u.at[4 * a + k % 3] - p.rest[k % 3]);
            energy[s] = patch_state(&p, &moved, &y);
        }
        for (int q = 0; q < 8; q++) {
            sp_iso_value v;
            double sigma[9], w = p.g.weight[lane_index(&p, 0, 8, q)];
            sp__iso_value(&p.g, 0, q, of_nodes, &v);
            full(v.cauchy, sigma);
            for (int k = 0; k < 9; k++) power += w * v.jacobian * sigma[k] * D[k];
            sum += w * v.energy;
        }
        CHECK_NEAR(sum, patch_state(&p, &u, &y), 1e-12 * sum);
        CHECK_NEAR((energy[1] - energy[0]) / (2 * h), power, 1e-7 * sum);  // h^2 and roundings of the energy by h
        patch_free(&p);
    }
}

// ------------------------------------------------------------------------------------------------ small strains, fields

// Every law is Hooke's at small strains: forces and energies of displacements of 1e-9 m in elements of 0.2 m against the
// linear law, at six digits; the terms that the linear law leaves out are of the order of the strain, 1e-7 at the most.
TEST(small_displacements_keep_six_digits) {
    static const char *const names[] = {"ref", "cpu"};
    for (int shape = 0; shape < SHAPES; shape++)
        for (int b = 0; b < 2; b++) {
            patch linear;
            double param[SP_LAW_PARAMS];
            field u, y[2];
            unsigned long long seed = 13;
            law_numbers(SP_LAW_LINEAR, param);
            patch_make(&linear, names[b], shape, SP_LAW_LINEAR, param, false);
            random_field(&linear, &seed, 1e-9, &u);
            double energy = patch_state(&linear, &u, &y[0]);
            for (int law = 1; law < SP_LAWS; law++) {
                patch p;
                law_numbers(law, param);
                patch_make(&p, names[b], shape, law, param, false);
                CHECK_NEAR(patch_state(&p, &u, &y[1]), energy, 1e-6 * energy);
                CHECK_NEAR(field_difference(&p, &y[0], &y[1]), 0, 1e-6 * field_size(&p, &y[0]));
                patch_free(&p);
            }
            patch_free(&linear);
        }
}

// values of a point of element 5, F the same everywhere
static sp_iso_value value_at(const patch *p, const double *F) {
    field u;
    double of_nodes[3 * SP_ISO_NODES_MAX];
    sp_iso_value out;
    affine(p, F, &u);
    for (int a = 0; a < p->g.nodes; a++) memcpy(of_nodes + 3 * a, u.at + 4 * patch_node(p, 5, a), 3 * sizeof *of_nodes);
    sp__iso_value(&p->g, 5, p->g.points - 1, of_nodes, &out);
    return out;
}

static double inverse(const double *F, double *inv) {
    double det = 0;
    for (int k = 0; k < 9; k++) {
        int i = k % 3, j = k / 3, a = (i + 1) % 3, b = (i + 2) % 3, c = (j + 1) % 3, d = (j + 2) % 3;
        inv[k] = F[3 * a + c] * F[3 * b + d] - F[3 * a + d] * F[3 * b + c];
        if (j == 0) det += F[3 * i] * inv[k];
    }
    for (int k = 0; k < 9; k++) inv[k] /= det;
    return det;
}

// The strain is (F^T F - I) / 2, and the Cauchy stress is the one whose power is the change of the energy: for a change D of
// F, the energy density changes by J sigma : (D F^-1).
TEST(fields_of_a_point) {
    const double F[9] = {1.2, 0.3, -0.1, -0.2, 0.9, 0.15, 0.05, -0.1, 1.1};
    for (int shape = 0; shape < VOLUMES; shape++)
        for (int law = SP_LAW_COROTATIONAL; law < SP_LAWS; law++) {
            patch p;
            double param[SP_LAW_PARAMS], inv[9], E[9], sigma[9];
            law_numbers(law, param);
            patch_make(&p, "cpu", shape, law, param, false);
            sp_iso_value v = value_at(&p, F);
            double J = inverse(F, inv);
            CHECK_NEAR(v.jacobian, J, 1e-13);
            full(v.strain, E), full(v.cauchy, sigma);
            for (int k = 0; k < 9; k++) {
                double C = F[k / 3] * F[k % 3] + F[3 + k / 3] * F[3 + k % 3] + F[6 + k / 3] * F[6 + k % 3];
                CHECK_NEAR(E[k], 0.5 * (C - (k % 4 == 0)), 1e-13);  // some dozens of roundings
            }
            for (int k = 0; k < 9; k++) {
                double G[2][9], h = 1e-5, power = 0;
                for (int s = 0; s < 2; s++) memcpy(G[s], F, sizeof F), G[s][k] += s ? h : -h;
                double slope = (value_at(&p, G[1]).energy - value_at(&p, G[0]).energy) / (2 * h);
                for (int i = 0; i < 3; i++) power += J * sigma[3 * (k / 3) + i] * inv[3 * (k % 3) + i];
                CHECK_NEAR(slope, power, 1e-9 * 1e4);  // h^2 of moduli of some kPa
            }
            patch_free(&p);
        }
}

TEST(fields_of_the_linear_law) {
    const double F[9] = {1.01, 0.02, 0, 0, 0.99, 0, 0, 0.03, 1};
    patch p;
    double param[SP_LAW_PARAMS];
    law_numbers(SP_LAW_LINEAR, param);
    patch_make(&p, "cpu", TET10, SP_LAW_LINEAR, param, false);
    sp_iso_value v = value_at(&p, F);
    double mu = 3000 / 2.6, expected[6] = {2 * mu * 0.01, -2 * mu * 0.01, 0, 2 * mu * 0.01, 2 * mu * 0.015, 0};
    for (int k = 0; k < 6; k++) CHECK_NEAR(v.cauchy[k], expected[k], 1e-10);  // roundings of 2 mu; the trace is zero
    CHECK_NEAR(v.energy, mu * (2 * 1e-4 + 2 * (1e-4 + 2.25e-4)), 1e-10);
    patch_free(&p);
}

// ------------------------------------------------------------------------------------------------ the hand-written
// tetrahedron

// Four elements in one structure, as sp_tets and as sp_iso: the first edge lies along x and the first face in the xy plane,
// so that the rest frame of sp_tets is the world.
typedef struct twin {
    _Alignas(32) double rest[6 * 4], scale[4], ratio[4], volume[4], grad[36], spin[24];
    _Alignas(32) double slope[36], weight[4], param[4 * SP_LAW_PARAMS], turned[36], tangent[4 * SP_ISO_TANGENT];
    double X[16][3];
    int block_start[2], node[16];
    uint16_t local[16];
    sp_tets t;
    sp_iso g;
} twin;

static void twin_make(twin *p, const double *param) {
    unsigned long long seed = 21;
    *p = (twin){.block_start = {0, 1}};
    for (int e = 0; e < 4; e++) {
        double a = 0.1, b = 0.02 * sp_test_random(&seed), c = 0.12, d = 0.03 * sp_test_random(&seed),
               f = 0.03 * sp_test_random(&seed), h = 0.09;
        double x[4][3] = {{0}, {a}, {b, c}, {d, f, h}};
        // rows of the inverse of the upper triangular matrix of edges
        double g[9] = {1 / a, -b / (a * c), (b * f - c * d) / (a * c * h), 0, 1 / c, -f / (c * h), 0, 0, 1 / h};
        for (int i = 0; i < 4; i++)
            memcpy(p->X[4 * i + e], x[i], sizeof x[i]), p->node[4 * i + e] = p->local[4 * i + e] = (uint16_t)(4 * i + e);
        static const int some[6] = {0, 1, 2, 4, 5, 8};
        for (int k = 0; k < 6; k++) p->rest[4 * k + e] = g[some[k]];
        for (int k = 0; k < 9; k++) p->slope[4 * k + e] = g[k];
        p->volume[e] = p->weight[e] = a * c * h / 6;
        p->scale[e] = sqrt(p->volume[e] * param[0]), p->ratio[e] = param[1] / param[0];
        for (int k = 0; k < SP_LAW_PARAMS; k++) p->param[4 * k + e] = param[k];
    }
    p->t = (sp_tets){.lanes = 4,
                     .blocks = 1,
                     .block_start = p->block_start,
                     .node = p->node,
                     .local = p->local,
                     .rest = p->rest,
                     .scale = p->scale,
                     .ratio = p->ratio,
                     .volume = p->volume,
                     .grad = p->grad,
                     .spin = p->spin,
                     .rotation = TET_SVD};
    p->g = (sp_iso){.lanes = 4,
                    .blocks = 1,
                    .nodes = 4,
                    .points = 1,
                    .law = SP_LAW_COROTATIONAL,
                    .block_start = p->block_start,
                    .node = p->node,
                    .local = p->local,
                    .slope = p->slope,
                    .weight = p->weight,
                    .param = p->param,
                    .volume = p->volume,
                    .turned = p->turned,
                    .tangent = p->tangent};
}

TEST(the_corotational_law_is_the_hand_written_tetrahedron) {
    twin p;
    double param[SP_LAW_PARAMS];
    unsigned long long seed = 23;
    law_numbers(SP_LAW_COROTATIONAL, param);
    const sp_backend *be = sp__backend_find("cpu");
    for (int exact = 0; exact < 2; exact++)
        for (int t = 0; t < 100; t++) {
            _Alignas(32) double x[64] = {0}, u[64] = {0}, v[64] = {0}, y[2][64] = {{0}}, z[2][64] = {{0}};
            double energy[2], sums[2][3], size[2] = {0}, apart[2] = {0};
            param[SP_LAW_EXACT] = exact;
            twin_make(&p, param);
            if (!exact) p.t.spin = NULL;
            for (int i = 0; i < 16; i++)
                for (int k = 0; k < 3; k++) {
                    u[4 * i + k] = (t % 2 ? 0.02 : 0.1) * sp_test_random(&seed), v[4 * i + k] = sp_test_random(&seed);
                    x[4 * i + k] = p.X[i][k] + u[4 * i + k];
                }
            energy[0] = be->tet_state(&p.t, 0, x, y[0]), energy[1] = be->iso_state(&p.g, 0, u, y[1]);
            be->tet_product(&p.t, 0, v, z[0]), be->iso_product(&p.g, 0, v, z[1]);
            be->tet_sums(&p.t, 0, x, sums[0]), be->iso_sums(&p.g, 0, u, sums[1]);
            for (int k = 0; k < 64; k++) {
                size[0] = fmax(size[0], fabs(y[0][k])), apart[0] = fmax(apart[0], fabs(y[0][k] - y[1][k]));
                size[1] = fmax(size[1], fabs(z[0][k])), apart[1] = fmax(apart[1], fabs(z[0][k] - z[1][k]));
            }
            // the condition number of the nearest rotation, 1 / (s2 + s3), reaches 1e2 at these states, and enters the exact
            // tangent twice
            CHECK_NEAR(energy[1], energy[0], 1e-11 * energy[0]);
            CHECK_NEAR(apart[0], 0, 1e-11 * size[0]);
            CHECK_NEAR(apart[1], 0, (exact ? 1e-9 : 1e-11) * size[1]);
            CHECK_NEAR(sums[1][0], sums[0][0], 1e-9 * sums[0][0]);  // by a root of a quartic in tet_sums
            CHECK_NEAR(sums[1][1], sums[0][1], 1e-13 * fabs(sums[0][1]) + 1e-17);
            CHECK_INT(sums[1][2], sums[0][2]);
        }
}
