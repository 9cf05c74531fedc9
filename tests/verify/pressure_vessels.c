// Claim: thick tubes (plane strain) and thick spheres under inner pressure follow their closed forms with every element, and
// converge with the order of the element: at small strains (Lame), and with a nearly incompressible neo-Hookean law (k = 1e4 mu)
// whose inner wall grows by a quarter, to 1e-3 of its displacement. There 4-node tetrahedra and hexahedra with full integration
// lock, hexahedra with mean dilatation and quadratic tetrahedra do not.
//
// Lame: Timoshenko and Goodier, "Theory of Elasticity", sections 28 and 136. Neo-Hookean, incompressible, inner radius A -> a,
// outer radius B -> b:
//
//     tube     p / mu = ln(a B / (A b)) + (a^2 - A^2) / 2 (1 / a^2 - 1 / b^2)         Rivlin 1949, doi:10.1098/rsta.1949.0009
//     sphere   p / mu = 2 (1 / lb - 1 / la) + (1 / lb^4 - 1 / la^4) / 2,  la = a / A  Green and Zerna 1954, section 3.10
//
// A material with k = 1e4 mu is not quite incompressible: `wall_of` integrates the radial equation of the compressible law, whose
// wall moves by 4.6e-5 (tube) and 5.3e-5 (sphere) of its displacement more than the closed form says. Orders are measured against
// it.
#include "element_boxes.h"
#include "math/vec3.h"

static const double inner = 1, outer = 2, mu = 1000;

typedef struct vessel {
    bool sphere, large;  // large: neo-Hookean with k = 1e4 mu, otherwise linear with nu = 0.3
} vessel;

// ------------------------------------------------------------------------------------------------ closed forms

static const double linear_poisson = 0.3, linear_pressure = 1e-4, stiff_bulk = 1e4, large_wall = 1.25;

static double cube(double x) {
    return x * x * x;
}

// displacement of the inner wall
static double lame(bool sphere) {
    double a = inner, b = outer, E = 2 * mu * (1 + linear_poisson), p = linear_pressure, nu = linear_poisson;
    if (!sphere) return p * a * (1 + nu) / (E * (b * b - a * a)) * ((1 - 2 * nu) * a * a + b * b);
    return p * a / (E * (cube(b) - cube(a))) * ((1 - 2 * nu) * cube(a) + (1 + nu) / 2 * cube(b));
}

// pressure that brings the inner wall to the radius a, incompressible
static double incompressible(bool sphere, double a) {
    double la = a / inner;
    if (sphere) {
        double lb = cbrt(cube(outer) + cube(a) - cube(inner)) / outer;
        return mu * (2 * (1 / lb - 1 / la) + (pow(lb, -4) - pow(la, -4)) / 2);
    }
    double c = a * a - inner * inner, b = sqrt(outer * outer + c);
    return mu * (log(a * outer / (inner * b)) + c / 2 * (1 / (a * a) - 1 / (b * b)));
}

// ------------------------------------------------------------------------------------------------ the compressible law

// Cauchy stresses (along the radius, around) of mu/2 (Ibar1 - 3) + k/2 ((J^2 - 1)/2 - ln J) for stretches s and t
static void stresses(bool sphere, double s, double t, double out[2]) {
    double u = sphere ? t : 1, J = s * t * u, third = (s * s + t * t + u * u) / 3, shear = mu * pow(J, -5. / 3);
    double volume = stiff_bulk * mu / 2 * (J - 1 / J);
    out[0] = shear * (s * s - third) + volume, out[1] = shear * (t * t - third) + volume;
}

// rates of (r, radial stress) over R: the stretch along the radius is the one that gives this stress
static void rates(bool sphere, double R, const double y[2], double out[2]) {
    double t = y[0] / R, s = sphere ? 1 / (t * t) : 1 / t, at[2], moved[2];
    for (int i = 0; i < 30; i++) {
        double d = 1e-7;
        stresses(sphere, s, t, at), stresses(sphere, s + d, t, moved);
        double change = (y[1] - at[0]) * d / (moved[0] - at[0]);
        s += change;
        if (fabs(change) < 1e-15) break;
    }
    stresses(sphere, s, t, at);
    out[0] = s, out[1] = (sphere ? 2 : 1) * (at[1] - y[1]) * s / y[0];
}

// radial stress of the outer wall, when the inner one is at a under the pressure p (Runge and Kutta, 400 steps)
static double outer_stress(bool sphere, double a, double p) {
    enum { STEPS = 400 };
    double y[2] = {a, -p}, h = (outer - inner) / STEPS;
    for (int i = 0; i < STEPS; i++) {
        double R = inner + i * h, k[4][2], z[2];
        rates(sphere, R, y, k[0]);
        for (int j = 1; j < 4; j++) {
            double part = j == 3 ? h : h / 2;
            for (int c = 0; c < 2; c++) z[c] = y[c] + part * k[j - 1][c];
            rates(sphere, R + part, z, k[j]);
        }
        for (int c = 0; c < 2; c++) y[c] += h / 6 * (k[0][c] + 2 * k[1][c] + 2 * k[2][c] + k[3][c]);
    }
    return y[1];
}

// displacement of the inner wall under the pressure p, by secants from the incompressible one
static double wall_of(bool sphere, double p) {
    double a = large_wall, b = large_wall * (1 + 1e-4), fa = outer_stress(sphere, a, p), fb = outer_stress(sphere, b, p);
    for (int i = 0; i < 20 && fabs(b - a) > 1e-13; i++) {
        double c = b - fb * (b - a) / (fb - fa);
        a = b, fa = fb, b = c, fb = outer_stress(sphere, b, p);
    }
    return b - inner;
}

// ------------------------------------------------------------------------------------------------ meshes

typedef struct grid {  // hexahedra of blocks whose borders may coincide
    double *x;
    int *hex, nodes, hexes;
} grid;

static int grid_node(grid *g, const double x[3]) {
    for (int i = g->nodes - 1; i >= 0; i--)
        if (fabs(g->x[3 * i] - x[0]) + fabs(g->x[3 * i + 1] - x[1]) + fabs(g->x[3 * i + 2] - x[2]) < 1e-9) return i;
    memcpy(g->x + 3 * g->nodes, x, 3 * sizeof *x);
    return g->nodes++;
}

// unit cube -> an eighth of a sphere is three blocks, a quarter of a tube is one. Where strains are large, cells grow with the
// radius.
static void place(vessel v, int block, const double u[3], double x[3]) {
    double r = v.large ? inner * pow(outer / inner, u[0]) : inner + (outer - inner) * u[0], a = u[1] * SP_PI / 2;
    if (!v.sphere) {
        x[0] = r * cos(a), x[1] = r * sin(a), x[2] = u[2];
        return;
    }
    double d[3] = {1, tan(u[1] * SP_PI / 4), tan(u[2] * SP_PI / 4)}, l = sp__norm3(d);
    for (int k = 0; k < 3; k++) x[(k + block) % 3] = r * d[k] / l;
}

static void grid_make(vessel v, int n, grid *g) {
    static const int corner[8][3] = {{0, 0, 0}, {1, 0, 0}, {1, 1, 0}, {0, 1, 0}, {0, 0, 1}, {1, 0, 1}, {1, 1, 1}, {0, 1, 1}};
    const int cells[3] = {n, n, v.sphere ? n : 1}, blocks = v.sphere ? 3 : 1, total = blocks * n * n * cells[2];
    *g = (grid){.x = calloc(24 * (size_t)total, sizeof *g->x), .hex = calloc(8 * (size_t)total, sizeof *g->hex)};
    for (int e = 0; e < total; e++) {
        const int in = e % (n * n * cells[2]), at[3] = {in / cells[2] / n, in / cells[2] % n, in % cells[2]};
        for (int a = 0; a < 8; a++) {
            double u[3], x[3];
            for (int k = 0; k < 3; k++) u[k] = (at[k] + corner[a][k]) / (double)cells[k];
            if (!v.sphere) u[2] /= n;
            place(v, e / (n * n * cells[2]), u, x);
            g->hex[8 * e + a] = grid_node(g, x);
        }
    }
    g->hexes = total;
}

// Six tetrahedra, from the lowest node to the three faces without it, which are cut from their lowest node
static int cut_hexahedron(const int hex[8], int *out) {
    static const int faces[6][4] = {{0, 3, 2, 1}, {4, 5, 6, 7}, {0, 1, 5, 4}, {1, 2, 6, 5}, {2, 3, 7, 6}, {3, 0, 4, 7}};
    int lowest = hex[0], count = 0;
    for (int a = 1; a < 8; a++) lowest = hex[a] < lowest ? hex[a] : lowest;
    for (int f = 0; f < 6; f++) {
        int first = 0;
        bool has = false;
        for (int a = 0; a < 4; a++) {
            has = has || hex[faces[f][a]] == lowest;
            if (hex[faces[f][a]] < hex[faces[f][first]]) first = a;
        }
        for (int t = 1; t < 3 && !has; t++) {
            out[4 * count] = lowest;
            out[4 * count + 1] = hex[faces[f][first]];
            out[4 * count + 2] = hex[faces[f][(first + t) % 4]], out[4 * count + 3] = hex[faces[f][(first + t + 1) % 4]];
            count++;
        }
    }
    return count;
}

static double radius(bool sphere, const double *x) {
    return sphere ? sp__norm3(x) : hypot(x[0], x[1]);
}

// the middle of an edge between two nodes of one wall, onto that wall
static void curve(const void *user, const double a[3], const double b[3], double x[3]) {
    const bool sphere = *(const bool *)user;
    double r = radius(sphere, a);
    if (fabs(radius(sphere, b) - r) > 1e-9 || (fabs(r - inner) > 1e-9 && fabs(r - outer) > 1e-9)) return;
    double scale = r / radius(sphere, x);
    x[0] *= scale, x[1] *= scale;
    if (sphere) x[2] *= scale;
}

static sp_status vessel_mesh(sp_context *ctx, vessel v, sp_element_type type, int n, sp_mesh **out) {
    grid g;
    grid_make(v, n, &g);
    const bool hex = type == SP_ELEMENT_HEX8;
    int count = 0, *tets = calloc(24 * (size_t)g.hexes, sizeof *tets);
    for (int e = 0; e < g.hexes && !hex; e++) count += cut_hexahedron(g.hex + 8 * e, tets + 4 * count);
    sp_element_type *types = calloc(6 * (size_t)g.hexes, sizeof *types);
    for (int e = 0; e < 6 * g.hexes; e++) types[e] = hex ? SP_ELEMENT_HEX8 : SP_ELEMENT_TET4;
    sp_mesh_def def = sp_mesh_def_default();
    def.node_count = g.nodes, def.positions = g.x;
    def.element_count = hex ? g.hexes : count, def.element_types = types, def.element_nodes = hex ? g.hex : tets;
    sp_mesh *linear = NULL;
    sp_status s = sp_mesh_create(ctx, &def, type == SP_ELEMENT_TET10 ? &linear : out);
    if (s >= 0 && linear) s = sp_mesh_order2(linear, curve, &v.sphere, out);
    sp_mesh_destroy(&linear);
    free(g.x), free(g.hex), free(tets), free(types);
    return s;
}

// ------------------------------------------------------------------------------------------------ a vessel

static int *wall_faces(const sp_mesh *mesh, bool sphere, int *count) {
    int n = sp_mesh_face_count(mesh), *out = calloc((size_t)n + 1, sizeof *out);
    *count = 0;
    for (int i = 0; i < n; i++) {
        const int *f = sp_mesh_faces(mesh) + 3 * i;
        bool all = true;
        for (int k = 0; k < 3; k++) all = all && fabs(radius(sphere, sp_mesh_positions(mesh) + 3 * f[k]) - inner) < 1e-6;
        if (all) out[(*count)++] = i;
    }
    return out;
}

static void vessel_material(vessel v, sp_integration integration, sp_solid_def *def) {
    def->integration = integration, def->tangent = SP_TANGENT_EXACT;
    def->integrator.type = SP_STATIC, def->integrator.iterations = 200;
    def->solver.type = SP_SOLVER_CHOLESKY;
    def->model = v.large ? SP_NEO_HOOKEAN : SP_LINEAR;
    def->material = (sp_material){.density = 1, .young = 2 * mu * (1 + linear_poisson), .poisson = linear_poisson};
    if (!v.large) return;
    def->integrator.load_steps = 2;  // the tangent is without that of the pressure: in one step the sphere jumps past its limit
    def->form = SP_FORM_ISOCHORIC, def->volumetric = SP_VOLUMETRIC_MIXED;
    def->material.coefficient_count = 1, def->material.coefficients[0] = mu, def->material.bulk = stiff_bulk * mu;
}

// mean displacement of the inner wall along the radius
static double wall_mean(lab *b, bool sphere) {
    double *u = lab_field(b, "displacement"), sum = 0;
    const double *X = sp_mesh_positions(b->mesh);
    int count = 0;
    for (int i = 0; i < b->nodes; i++) {
        double r = radius(sphere, X + 3 * i);
        if (fabs(r - inner) > 1e-6) continue;
        sum += (u[3 * i] * X[3 * i] + u[3 * i + 1] * X[3 * i + 1] + (sphere ? u[3 * i + 2] * X[3 * i + 2] : 0)) / r, count++;
    }
    free(u);
    return sum / count;
}

static double vessel_wall(vessel v, sp_element_type type, sp_integration integration, int n, double pressure) {
    lab b;
    double wall = NAN;
    if (!lab_context(&b) || vessel_mesh(b.ctx, v, type, n, &b.mesh) < 0) return wall;
    int count = sp_mesh_node_count(b.mesh), *all = calloc((size_t)count, sizeof *all), *sides[3];
    sp_fix fixes[3] = {{.axes = SP_AXIS_X}, {.axes = SP_AXIS_Y}, {.axes = SP_AXIS_Z}};
    for (int k = 0; k < 3; k++) fixes[k].nodes = sides[k] = plane_nodes(b.mesh, k, 0, &fixes[k].count);
    for (int i = 0; i < count; i++) all[i] = i;
    if (!v.sphere) fixes[2].nodes = all, fixes[2].count = count;
    sp_load load = {.type = SP_LOAD_PRESSURE};
    int *faces = wall_faces(b.mesh, v.sphere, &load.count);
    load.items = faces, load.value[0] = sp_signal_constant(pressure);
    sp_solid_def def = lab_solid(&b);
    vessel_material(v, integration, &def);
    def.fixes = fixes, def.fix_count = 3;
    def.loads = &load, def.load_count = 1;
    if (lab_world(&b, &def, 0) && lab_step(&b, 1) == SP_OK) wall = wall_mean(&b, v.sphere);
    free(all), free(faces);
    for (int k = 0; k < 3; k++) free(sides[k]);
    lab_close(&b);
    return wall;
}

// ------------------------------------------------------------------------------------------------ claims

typedef struct method {
    const char *name;
    sp_element_type type;
    sp_integration integration;
} method;

enum { METHODS = 4, MESHES = 3 };
static const method methods[METHODS] = {{"tet4", SP_ELEMENT_TET4, SP_INTEGRATION_FULL},
                                        {"tet10", SP_ELEMENT_TET10, SP_INTEGRATION_FULL},
                                        {"hex8, full", SP_ELEMENT_HEX8, SP_INTEGRATION_FULL},
                                        {"hex8, b-bar", SP_ELEMENT_HEX8, SP_INTEGRATION_B_BAR}};

// relative errors of the displacement of the inner wall, with n, 2n and 4n cells across it; returns the order of the last two
static double wall_errors(vessel v, int which, int n, double pressure, double exact, double error[MESHES]) {
    const method *m = &methods[which];
    for (int i = 0; i < MESHES; i++) error[i] = vessel_wall(v, m->type, m->integration, n << i, pressure) / exact - 1;
    double order = log2(error[1] / error[2]);
    printf("  %-6s %-11s %2d to %2d cells: %9.2e %9.2e %9.2e, order %.2f\n", v.sphere ? "sphere" : "tube", m->name, n, n << 2,
           error[0], error[1], error[2], order);
    return order;
}

// Orders in theory: 2 for linear elements, which approach it from below, and 3 for quadratic ones. 0.25 below is what the meshes
// of a test reach, for tubes of quadratic tetrahedra 0.5; the bounds on the last error are 1.2 times those found.
TEST(small_strains_follow_lame) {
    static const double least[2][METHODS] = {{1.75, 2.5, 1.9, 1.9}, {1.75, 2.75, 1.9, 1.9}};
    static const double last[2][METHODS] = {{5e-3, 1.4e-4, 1.7e-3, 1.2e-3}, {2.3e-2, 4.4e-4, 1.2e-2, 5e-3}};
    for (int sphere = 0; sphere < 2; sphere++)
        for (int m = 0; m < METHODS; m++) {
            const bool quadratic = methods[m].type == SP_ELEMENT_TET10;
            double error[MESHES];
            int n = (sphere ? 2 : 4) / (quadratic ? 2 : 1);
            double order = wall_errors((vessel){sphere, false}, m, n, linear_pressure, lame(sphere), error);
            CHECK(order > least[sphere][m] && fabs(error[2]) < last[sphere][m]);
        }
}

// The integration agrees with the closed form to 1 / k, as stresses of the size of mu change the volume by mu / k = 1e-4.
static double large_pressure(bool sphere, double *exact) {
    double p = incompressible(sphere, large_wall), closed = large_wall - inner;
    *exact = wall_of(sphere, p);
    printf("  %s: pressure %.4f mu, wall %.6f, closed form %.6f: apart by %.1e\n", sphere ? "sphere" : "tube", p / mu, *exact,
           closed, *exact / closed - 1);
    CHECK(*exact > closed);
    CHECK_NEAR(*exact / closed, 1, 1e-4);
    return p;
}

// Elements that do not lock are within 1e-3 of the closed form: directly, and those with mean dilatation, whose sphere has 8
// cells across the wall, after extrapolation with their order of 2.
TEST(large_strains_follow_the_closed_form) {
    NOT_SANITIZED();
    for (int sphere = 0; sphere < 2; sphere++) {
        const vessel v = {sphere, true};
        double exact, p = large_pressure(sphere, &exact), quadratic[MESHES], bar[MESHES], closed = large_wall - inner;
        CHECK(wall_errors(v, 1, sphere ? 1 : 2, p, exact, quadratic) > 2.75);
        CHECK_NEAR((1 + quadratic[2]) * exact / closed, 1, 1e-3);
        CHECK_NEAR(wall_errors(v, 3, sphere ? 2 : 6, p, exact, bar), 2, 0.1);
        double wall = sphere ? 1 + (4 * bar[2] - bar[1]) / 3 : 1 + bar[2];
        CHECK_NEAR(wall * exact / closed, 1, 1e-3);
    }
}

// What is missing of the displacement on the finest mesh, at least: locking ends far below the order of the element.
TEST(locking) {
    NOT_SANITIZED();
    static const double missing[2][2] = {{0.06, 0.5}, {0.3, 0.9}};
    for (int sphere = 0; sphere < 2; sphere++)
        for (int m = 0; m < METHODS; m += 2) {
            double error[MESHES], exact, p = large_pressure(sphere, &exact);
            double order = wall_errors((vessel){sphere, true}, m, sphere ? 2 : 4, p, exact, error);
            CHECK(order < 1.5 && -error[2] > missing[sphere][m / 2]);
        }
}
