// Claims of docs/tensor-mass.md:
// - the tensor-mass model moves as `stvk` of the general kernel does, by every integrator, and with Hooke's law it has the bits
// of
//   `linear`; where it relaxes, has fibres, swells or contracts, it has the bits of these laws;
// - a beam that is bent to a quarter of a circle keeps its volume with St Venant-Kirchhoff, and swells with Hooke's law by the
//   factor of the theory (Faure, Zara, Jaillet, Moreau 2012 show the picture);
// - a membrane in uniaxial tension has the stress of the closed form;
// - the critical step of explicit integration is that of the largest eigenvalue of M^-1 K, follows the state, and bounds stable
//   steps.
#include "verify.h"

static const double length = 0.4, side = 0.1, density = 1000;

typedef enum tissue { ELASTIC, VISCOUS, FIBRED, SWOLLEN, ACTIVE, TISSUES } tissue;
static const char *const tissue_names[TISSUES] = {"elastic", "viscous", "fibres", "swollen", "active"};

typedef struct beam_case {
    sp_material_model model;
    sp_tensor_law law;
    sp_integrator_type integrator;
    double incompressibility;
    tissue tissue;
} beam_case;

static void make_tissue(tissue kind, sp_solid_def *def) {
    static const double fibre[6] = {1, 0.5, 0}, relaxation[2] = {0.4, 0.03};
    sp_material *m = &def->material;
    if (kind == FIBRED || kind == ACTIVE) memcpy(m->fibre, fibre, sizeof fibre);
    if (kind == FIBRED) m->fibre_young = 2e5;
    if (kind == VISCOUS) m->relaxation_count = 1, memcpy(m->relaxation, relaxation, sizeof relaxation);
    if (kind == SWOLLEN) def->eigenstrains.body.swell = sp_signal_constant(0.1);
    if (kind == ACTIVE) def->eigenstrains.body.active = sp_signal_constant(0.2);
}

// a beam of 4 x 1 x 1 cells of 6 tetrahedra, held at one end
static bool open_beam(lab *b, const beam_case *c, const int cells[3], double gravity) {
    const double size[3] = {length, side, side};
    int count, *wall;
    if (!lab_context(b) || sp_mesh_box(b->ctx, size, cells, 6, &b->mesh) < 0) return false;
    wall = plane_nodes(b->mesh, 0, 0, &count);
    sp_fix fix = {wall, count, SP_AXES_ALL, 0};
    sp_solid_def def = lab_solid(b);
    def.model = c->model, def.tensor_law = c->law, def.tangent = SP_TANGENT_EXACT;
    def.material = (sp_material){.density = density, .young = 5e4, .poisson = 0.4, .incompressibility = c->incompressibility};
    make_tissue(c->tissue, &def);
    def.fixes = &fix, def.fix_count = 1;
    def.integrator.type = c->integrator, def.integrator.tolerance = 1e-11, def.integrator.iterations = 60;
    def.solver.type = SP_SOLVER_CHOLESKY;
    bool opened = lab_world(b, &def, gravity);
    free(wall);
    return opened;
}

// ------------------------------------------------------------------------------------------------ the same law

// largest distance between two beams after some steps; *moved: from their rest shape
static double apart(const beam_case *one, const beam_case *other, double h, int steps, double *moved, bool *same) {
    const beam_case *both[2] = {one, other};
    const int cells[3] = {6, 2, 2};
    double *x[2] = {NULL, NULL}, worst = 0;
    uint64_t hash[2] = {0, 1};
    int n = 0;
    *moved = 0;
    for (int i = 0; i < 2; i++) {
        lab b;
        if (open_beam(&b, both[i], cells, -9.81) && lab_steps(&b, h, steps) >= 0) {
            x[i] = lab_field(&b, "position"), n = b.nodes, hash[i] = sp_world_hash(b.world);
            for (int k = 0; k < 3 * n; k++) *moved = fmax(*moved, fabs(x[i][k] - sp_mesh_positions(b.mesh)[k]));
        }
        lab_close(&b);
    }
    for (int k = 0; k < 3 * n; k++) worst = fmax(worst, x[0] && x[1] ? fabs(x[0][k] - x[1][k]) : INFINITY);
    *same = hash[0] == hash[1];
    free(x[0]), free(x[1]);
    return n ? worst : INFINITY;
}

// The same forces and tangents up to rounding; implicit steps solve to 1e-11, explicit ones add 400 times some roundings.
TEST(a_beam_moves_as_with_the_general_kernel) {
    static const sp_integrator_type types[] = {SP_IMPLICIT_EULER, SP_NEWTON, SP_STATIC, SP_EXPLICIT};
    for (int t = 0; t < 4; t++)
        for (int penalty = 0; penalty < 2; penalty++) {
            const bool explicit_steps = types[t] == SP_EXPLICIT;
            beam_case a = {SP_TENSOR_MASS, SP_TENSOR_STVK, types[t], penalty ? 2e5 : 0, ELASTIC}, b = a;
            double moved;
            bool same;
            b.model = SP_STVK;
            double d = apart(&a, &b, explicit_steps ? 2e-4 : 0.02, explicit_steps ? 400 : 4, &moved, &same);
            printf("  integrator %d%s: moved by %.3g m, apart by %.1e m\n", (int)types[t], penalty ? ", penalty" : "", moved, d);
            CHECK(moved > 0.01);
            CHECK_NEAR(d, 0, 1e-9 * moved);
        }
}

TEST(hooke_has_the_bits_of_the_linear_law) {
    static const beam_case both[2] = {{SP_TENSOR_MASS, SP_TENSOR_HOOKE, SP_IMPLICIT_EULER, 3e4, ELASTIC},
                                      {SP_LINEAR, SP_TENSOR_STVK, SP_IMPLICIT_EULER, 3e4, ELASTIC}};
    static const char *const names[] = {"stress", "strain", "energy-density"};
    const int cells[3] = {6, 2, 2};
    lab b[2];
    for (int i = 0; i < 2; i++) REQUIRE(open_beam(&b[i], &both[i], cells, -9.81) && lab_steps(&b[i], 0.02, 3) == SP_OK);
    for (int n = 0; n < 3; n++) {
        double *x[2] = {lab_field(&b[0], names[n]), lab_field(&b[1], names[n])};
        const size_t size = (size_t)b[0].tets * (n < 2 ? 6 : 1) * sizeof *x[0];
        CHECK(x[0] && x[1] && max_abs(x[0], size / sizeof *x[0]) > 0 && memcmp(x[0], x[1], size) == 0);
        free(x[0]), free(x[1]);
    }
    lab_close(&b[0]), lab_close(&b[1]);
}

TEST(hooke_moves_with_the_bits_of_the_linear_law) {
    static const sp_integrator_type types[] = {SP_IMPLICIT_EULER, SP_EXPLICIT};
    for (int t = 0; t < 2; t++) {
        beam_case a = {SP_TENSOR_MASS, SP_TENSOR_HOOKE, types[t], 0, ELASTIC},
                  b = {SP_LINEAR, SP_TENSOR_STVK, types[t], 0, ELASTIC};
        double moved;
        bool same;
        CHECK(apart(&a, &b, 1e-4, 10, &moved, &same) == 0 && same && moved > 0);
    }
}

// Viscous, with fibres, swollen or active, elements of the tensor-mass model have the kernels of `stvk` and of `linear`, and move
// otherwise than elastic ones. Fibres do not join Hooke's law, which knows no rotations.
TEST(tissue_has_the_bits_of_the_general_kernel) {
    for (int kind = VISCOUS; kind < TISSUES; kind++)
        for (int k = 0; k < 3; k++) {
            const bool hooke = k == 2, penalty = k == 1;
            beam_case a = {SP_TENSOR_MASS, hooke ? SP_TENSOR_HOOKE : SP_TENSOR_STVK, SP_NEWTON, penalty ? 2e5 : 0, (tissue)kind};
            beam_case b = a, elastic = a;
            double moved;
            bool same;
            if (hooke && kind == FIBRED) continue;
            b.model = hooke ? SP_LINEAR : SP_STVK, elastic.tissue = ELASTIC;
            CHECK(apart(&a, &b, 0.02, 4, &moved, &same) == 0 && same);
            const double other = apart(&a, &elastic, 0.02, 4, &moved, &same);
            printf("  %-7s %s: %.3g m from an elastic beam\n", tissue_names[kind],
                   hooke     ? "hooke"
                   : penalty ? "penalty"
                             : "stvk",
                   other);
            CHECK(other > 1e-3);
        }
    beam_case wrong = {SP_TENSOR_MASS, SP_TENSOR_HOOKE, SP_NEWTON, 0, FIBRED};
    lab b;
    CHECK(!open_beam(&b, &wrong, (int[]){1, 1, 1}, 0));
    lab_close(&b);
}

// ------------------------------------------------------------------------------------------------ volume

// Volume in equilibrium under the weight, relative to that at rest; *sag: of the end, relative to the length
static double bent_volume(sp_tensor_law law, double *sag) {
    const beam_case c = {SP_TENSOR_MASS, law, SP_STATIC, 0, ELASTIC};
    const int cells[3] = {16, 4, 4};
    double ratio = NAN;
    lab b;
    if (open_beam(&b, &c, cells, -6) && lab_step(&b, 1) >= 0) {
        double *x = lab_field(&b, "position");
        int count, *end = plane_nodes(b.mesh, 0, length, &count);
        *sag = 0;
        for (int i = 0; i < count; i++)
            *sag += (sp_mesh_positions(b.mesh)[3 * end[i] + 1] - x[3 * end[i] + 1]) / (count * length);
        ratio = lab_measures(&b).volume / (length * side * side);
        free(x), free(end);
    }
    lab_close(&b);
    return ratio;
}

// With Hooke's law sections move by u = (-y w', w) where w is the sag of the middle line, so that det(I + grad u) is 1 + w'^2 in
// the mean over a section. The sag under a uniform load is a polynomial of degree 4, whose mean of w'^2 is 8/7 (w_end /
// length)^2. Shear and the clamped end change it by some percent in a beam of four times its height. St Venant-Kirchhoff knows
// the rotation: what is left is of the size of the bending strain, which is zero in the mean over a section.
TEST(hooke_swells_and_st_venant_kirchhoff_does_not) {
    double sag[2] = {0, 0}, hooke = bent_volume(SP_TENSOR_HOOKE, &sag[0]), stvk = bent_volume(SP_TENSOR_STVK, &sag[1]);
    printf("  sag and volume: hooke %.3f %.4f (theory %.4f), stvk %.3f %.4f\n", sag[0], hooke, 1 + 8. / 7 * sag[0] * sag[0],
           sag[1], stvk);
    CHECK(sag[0] > 0.5 && sag[1] > 0.4);
    CHECK_NEAR((hooke - 1) / (8. / 7 * sag[0] * sag[0]), 1, 0.1);
    CHECK_NEAR(stvk, 1, 0.02);
}

// ------------------------------------------------------------------------------------------------ membranes

// A sheet between rollers, pulled along x by the nominal stress of the stretch s: the second Piola-Kirchhoff stress in uniaxial
// tension is E (s^2 - 1) / 2, and the stretch across follows from -nu times the strain along. Homogeneous: Newton's method finds
// the stretch to its tolerance, 1e-11 of the first force.
static void tension(double s, sp_tensor_law law) {
    const double young = 2e4, nu = 0.35, thick = 1e-3, size[2] = {0.4, 0.2};
    const bool linear = law == SP_TENSOR_HOOKE;
    const double nominal = linear ? young * (s - 1) : young * s * (s * s - 1) / 2;
    const double across = linear ? 1 - nu * (s - 1) : sqrt(1 - nu * (s * s - 1));
    lab b;
    int count[4];
    REQUIRE(lab_context(&b) && sp_mesh_sheet(b.ctx, size, (int[]){6, 3}, true, &b.mesh) == SP_OK);
    int *left = plane_nodes(b.mesh, 0, 0, &count[0]), *low = plane_nodes(b.mesh, 2, 0, &count[1]),
        *right = plane_nodes(b.mesh, 0, size[0], &count[2]), *all = plane_nodes(b.mesh, 1, 0, &count[3]);
    sp_fix fixes[3] = {{left, count[0], SP_AXIS_X, 0}, {low, count[1], SP_AXIS_Z, 0}, {all, count[3], SP_AXIS_Y, 0}};
    const sp_pose_signal to = sp_pose_signal_constant((sp_pose){{(s - 1) * size[0], 0, 0}, {1, 0, 0, 0}});
    sp_move move = {right, count[2], SP_AXIS_X, {0}, to};
    sp_solid_def def = lab_solid(&b);
    def.model = SP_TENSOR_MASS, def.tensor_law = law, def.thickness = thick;
    def.material = (sp_material){.density = 1000, .young = young, .poisson = nu};
    def.fixes = fixes, def.fix_count = 3, def.moves = &move, def.move_count = 1;
    def.integrator.type = SP_STATIC, def.integrator.tolerance = 1e-11, def.integrator.iterations = 60;
    def.solver.type = SP_SOLVER_CHOLESKY;
    if (!linear) def.tangent = SP_TANGENT_EXACT;
    REQUIRE(lab_world(&b, &def, 0) && lab_step(&b, 1) == SP_OK);
    double *x = lab_field(&b, "position"), *stress = lab_field(&b, "stress"), worst = 0;
    for (int i = 0; i < b.nodes; i++) {
        const double *X = sp_mesh_positions(b.mesh) + 3 * i;
        worst = fmax(worst, fmax(fabs(x[3 * i] - s * X[0]), fabs(x[3 * i + 2] - across * X[2])));
    }
    CHECK_NEAR(worst, 0, 1e-9 * size[0]);
    // Cauchy's stress; of the linear law the nominal one. The thickness has the stretch across, too
    const double cauchy = linear ? nominal : nominal / (across * across);
    for (int e = 0; e < b.tets; e++) {
        CHECK_NEAR(stress[6 * e], cauchy, 1e-8 * fabs(cauchy));
        for (int k = 1; k < 6; k++) CHECK_NEAR(stress[6 * e + k], 0, 1e-8 * fabs(cauchy));
    }
    free(left), free(low), free(right), free(all), free(x), free(stress);
    lab_close(&b);
}

TEST(membranes_in_tension) {
    static const double stretch[] = {1.001, 1.2, 1.5};
    for (int i = 0; i < 3; i++) tension(stretch[i], SP_TENSOR_STVK), tension(stretch[i], SP_TENSOR_HOOKE);
}

// ------------------------------------------------------------------------------------------------ explicit steps

// Jacobi's method for a symmetric matrix: the largest eigenvalue
static double largest_eigenvalue(double *A, int n) {
    for (int sweep = 0; sweep < 60; sweep++) {
        double off = 0, all = 0;
        for (int i = 0; i < n * n; i++) *(i / n == i % n ? &all : &off) += A[i] * A[i];
        if (off < 1e-20 * all) break;
        for (int p = 0; p < n - 1; p++)
            for (int q = p + 1; q < n; q++) {
                double o = A[p * n + q];
                if (o == 0) continue;
                double z = (A[q * n + q] - A[p * n + p]) / (2 * o), t = (z < 0 ? -1 : 1) / (fabs(z) + sqrt(z * z + 1)),
                       c = 1 / sqrt(t * t + 1), s = t * c;
                for (int k = 0; k < n; k++) {
                    double x = A[k * n + p], y = A[k * n + q];
                    A[k * n + p] = c * x - s * y, A[k * n + q] = s * x + c * y;
                }
                for (int k = 0; k < n; k++) {
                    double x = A[p * n + k], y = A[q * n + k];
                    A[p * n + k] = c * x - s * y, A[q * n + k] = s * x + c * y;
                }
            }
    }
    double most = 0;
    for (int i = 0; i < n; i++) most = fmax(most, A[i * n + i]);
    return most;
}

static const struct {
    const char *name;
    sp_material_model model;
} elastic_laws[] = {{"tensor-mass", SP_TENSOR_MASS},     {"stvk", SP_STVK},   {"neo-hookean", SP_NEO_HOOKEAN},
                    {"mooney-rivlin", SP_MOONEY_RIVLIN}, {"ogden", SP_OGDEN}, {"corotational", SP_COROTATIONAL}};
enum { LAWS = sizeof elastic_laws / sizeof *elastic_laws };

static bool open_cube(lab *b, sp_material_model model, const sp_move *moves, int count) {
    const double size[3] = {0.1, 0.1, 0.1};
    if (!b->ctx && (!lab_context(b) || sp_mesh_box(b->ctx, size, (int[]){2, 2, 2}, 6, &b->mesh) < 0)) return false;
    sp_solid_def def = lab_solid(b);
    def.model = model, def.tangent = SP_TANGENT_EXACT;
    def.material = (sp_material){.density = density, .young = 5e4, .poisson = 0.3};
    def.integrator.type = SP_EXPLICIT;
    def.moves = moves, def.move_count = count;
    return lab_world(b, &def, 0);
}

// accelerations of the nodes at positions x, from a step so short that nothing moves
static void accelerations(lab *b, const double *x, double *a) {
    const double h = 1e-7;
    double *rest = calloc(3 * (size_t)b->nodes, sizeof *rest), *v;
    CHECK(sp_world_set_state(b->world, b->body, x, rest) >= 0 && lab_step(b, h) >= 0);
    v = lab_field(b, "velocity");
    for (int i = 0; i < 3 * b->nodes; i++) a[i] = v[i] / h;
    free(rest), free(v);
}

// masses of the nodes: a quarter of each element
static void node_masses(const lab *b, double *m) {
    const double *x = sp_mesh_positions(b->mesh);
    for (int i = 0; i < b->nodes; i++) m[i] = 0;
    for (int e = 0; e < b->tets; e++) {
        const int *n = sp_mesh_tets(b->mesh) + 4 * e;
        double d[3][3];
        for (int i = 0; i < 9; i++) d[i / 3][i % 3] = x[3 * n[i / 3 + 1] + i % 3] - x[3 * n[0] + i % 3];
        double det = d[0][0] * (d[1][1] * d[2][2] - d[1][2] * d[2][1]) - d[0][1] * (d[1][0] * d[2][2] - d[1][2] * d[2][0]) +
                     d[0][2] * (d[1][0] * d[2][1] - d[1][1] * d[2][0]);
        for (int a = 0; a < 4; a++) m[n[a]] += density * fabs(det) / 24;
    }
}

// 2 / w by the eigenvalues of M^-1/2 K M^-1/2, whose columns are central differences of accelerations
static double critical_by_eigenvalues(lab *b, const double *x) {
    const int n = 3 * b->nodes;
    const double step = 1e-6;
    double *A = malloc((size_t)(n * n) * sizeof *A), *m = malloc((size_t)b->nodes * sizeof *m),
           *moved = malloc((size_t)n * sizeof *m), *a[2] = {malloc((size_t)n * sizeof *m), malloc((size_t)n * sizeof *m)};
    node_masses(b, m);
    for (int j = 0; j < n; j++) {
        for (int k = 0; k < 2; k++) {
            memcpy(moved, x, (size_t)n * sizeof *moved);
            moved[j] += k ? step : -step;
            accelerations(b, moved, a[k]);
        }
        for (int i = 0; i < n; i++) A[i * n + j] = -(a[1][i] - a[0][i]) / (2 * step) * sqrt(m[i / 3] / m[j / 3]);
    }
    for (int i = 0; i < n; i++)
        for (int j = 0; j < i; j++) A[i * n + j] = A[j * n + i] = 0.5 * (A[i * n + j] + A[j * n + i]);
    double w2 = largest_eigenvalue(A, n);
    free(A), free(m), free(moved), free(a[0]), free(a[1]);
    return 2 / sqrt(w2);
}

// The polynomials converge from below and stop at changes of 1e-5 of w^2: the reported step may be longer by some 1e-3, where
// several eigenvalues are close.
TEST(the_critical_step_is_that_of_the_largest_eigenvalue) {
    for (int l = 0; l < LAWS; l++)
        for (int stretched = 0; stretched < 2; stretched++) {
            lab b = {0};
            REQUIRE(open_cube(&b, elastic_laws[l].model, NULL, 0));
            double *x = malloc(3 * (size_t)b.nodes * sizeof *x), *a = malloc(3 * (size_t)b.nodes * sizeof *a);
            for (int i = 0; i < 3 * b.nodes; i++) x[i] = sp_mesh_positions(b.mesh)[i] * (!stretched ? 1 : i % 3 ? 0.95 : 1.3);
            accelerations(&b, x, a);
            const double told = lab_info(&b).solve.critical_step, expected = critical_by_eigenvalues(&b, x);
            printf("  %-14s %s: told %.4g s, by eigenvalues %.4g s\n", elastic_laws[l].name, stretched ? "stretched" : "at rest",
                   told, expected);
            CHECK_NEAR(told / expected, 1, 5e-3);
            free(x), free(a);
            lab_close(&b);
        }
}

// From a small motion: bounded at 0.98 of the critical step; at 1.02 of it the step is told to be too long, and the motion grows.
TEST(steps_are_stable_up_to_the_critical_one) {
    for (int l = 0; l < LAWS; l++)
        for (int above = 0; above < 2; above++) {
            lab b = {0};
            REQUIRE(open_cube(&b, elastic_laws[l].model, NULL, 0));
            const double *rest = sp_mesh_positions(b.mesh), amplitude = 1e-7;
            const size_t n = 3 * (size_t)b.nodes;
            double *x = malloc(n * sizeof *x), *v = calloc(n, sizeof *v), most = 0;
            unsigned long long seed = 9;
            bool told = false, refused = false;
            for (size_t i = 0; i < n; i++) x[i] = rest[i] + amplitude * sp_test_random(&seed);
            CHECK(lab_step(&b, 1e-7) >= 0);
            const double h = lab_info(&b).solve.critical_step * (above ? 1.02 : 0.98);
            CHECK(sp_world_set_state(b.world, b.body, x, v) >= 0);
            for (int i = 0; i < 300 && !refused && most < 1e3 * amplitude; i++) {
                refused = sp_world_step(b.world, h) < 0;
                told = told || lab_info(&b).solve.status == SP_UNSTABLE_STEP;
                double *now = lab_field(&b, "position");
                for (size_t k = 0; k < n; k++) most = fmax(most, fabs(now[k] - rest[k]));
                free(now);
            }
            CHECK(above ? told && (refused || most >= 1e3 * amplitude) : !told && most < 30 * amplitude);
            free(x), free(v);
            lab_close(&b);
        }
}

static void pull_apart(const void *user, double t, sp_pose *out) {
    const double *speed = user;
    *out = sp_pose_identity();
    out->translate[0] = *speed * t;
}

typedef struct pulled_bar {
    double size[3], speed, h;
    int cells[3], per_cell, steps;
    double falls_below;  // critical step, relative to that at rest
} pulled_bar;

// A bar that is pulled becomes stiffer: the critical step that is told follows, without an edit. What was the highest mode at
// rest may be orthogonal to the new one, as in the second bar, which is symmetric; a mode that is only followed stays where it
// is.
static void follow(const pulled_bar *bar, int law) {
    lab b = {0};
    int count[2];
    REQUIRE(lab_context(&b) && sp_mesh_box(b.ctx, bar->size, bar->cells, bar->per_cell, &b.mesh) == SP_OK);
    int *end[2] = {plane_nodes(b.mesh, 0, 0, &count[0]), plane_nodes(b.mesh, 0, bar->size[0], &count[1])};
    const sp_pose_signal pulled = {.eval = pull_apart, .user = &bar->speed}, still = sp_pose_signal_constant(sp_pose_identity());
    sp_move moves[2] = {{end[0], count[0], SP_AXES_ALL, {0}, still}, {end[1], count[1], SP_AXES_ALL, {0}, pulled}};
    REQUIRE(open_cube(&b, elastic_laws[law].model, moves, 2));
    CHECK(lab_step(&b, bar->h) >= 0);
    const double first = lab_info(&b).solve.critical_step;
    CHECK(lab_steps(&b, bar->h, bar->steps - 1) >= 0);
    const double told = lab_info(&b).solve.critical_step;
    double *x = lab_field(&b, "position"), *v = lab_field(&b, "velocity");
    // the same state, estimated from nothing
    CHECK(sp_world_set_state(b.world, b.body, x, v) >= 0 && lab_step(&b, bar->h) >= 0);
    const double again = lab_info(&b).solve.critical_step;
    printf("  %s: %.4g s at rest, %.4g s stretched, %.4g s from nothing\n", elastic_laws[law].name, first, told, again);
    CHECK(again < bar->falls_below * first);
    // what is told is some steps old, in which the bar is stretched by a per cent
    CHECK_NEAR(told / again, 1, 0.02);
    free(end[0]), free(end[1]), free(x), free(v);
    lab_close(&b);
}

TEST(the_critical_step_follows_the_state) {
    static const pulled_bar bars[2] = {{{0.1, 0.1, 0.1}, 0.3, 1e-4, {2, 2, 2}, 6, 2000, 0.8},
                                       {{0.2, 0.05, 0.05}, 0.35, 1.1e-3, {8, 2, 2}, 5, 257, 0.78}};
    for (int law = 0; law < 2; law++)
        for (int k = 0; k < 2; k++) follow(&bars[k], law);
}

// whether an event of three steps of `factor` times the critical step tells what to do
static bool unstable_is_told(double factor) {
    lab b = {0};
    bool told = false;
    CHECK(open_cube(&b, SP_TENSOR_MASS, NULL, 0) && lab_step(&b, 1e-5) >= 0);
    const double critical = lab_info(&b).solve.critical_step;
    for (int n = 0; n < 3; n++) {
        sp_event event;
        CHECK(lab_step(&b, factor * critical) >= 0);
        for (int i = 0; sp_world_event_at(b.world, i, &event) >= 0; i++)
            told = told || (event.status == SP_UNSTABLE_STEP && strstr(event.text, "take 2 substeps"));
    }
    lab_close(&b);
    return told;
}

TEST(a_step_above_the_critical_one_is_told) {
    CHECK(!unstable_is_told(0.97));
    CHECK(unstable_is_told(1.03));
}
