// Claim: an independent program computes the same displacements. The same linear tetrahedra (C3D4) are given to CalculiX (ccx,
// http://www.calculix.de, Dhondt, "The Finite Element Method for Three-dimensional Thermomechanical Applications", 2004), which
// uses its own direct solver: three meshes, three kinds of load, every node.
//
// Tolerance: 1e-6 of the largest displacement. ccx prints seven digits, so loads are scaled until the largest displacement starts
// with a 9: the printing error is then 0.6e-7. Our system is solved to 1e-9. Our pressure follows the deformed normal, the
// pressure of ccx the rest normal. The difference is of the order of the strain, so it is tested at strains of 1e-8.
#include "ccx.h"

typedef enum load_kind { NODAL, WEIGHT, PRESSURE, LOADS } load_kind;
static const char *const load_names[LOADS] = {"nodal forces", "gravity", "pressure"};
static const double young = 2e5, nu = 0.35, density = 1200;

typedef struct problem {
    lab b;
    load_kind kind;
    int *held, held_count;
    int *faces, face_count;  // under pressure
    double *force;           // nodes x 3
    double scale;            // of the load
} problem;

// ------------------------------------------------------------------------------------------------ the problems

static sp_status make_mesh(sp_context *ctx, int which, sp_mesh **out) {
    const double axis[3] = {0, 1, 0}, radii[3] = {0.5, 0.4, 0.3}, size[3] = {1, 0.5, 0.4};
    const int ring[2] = {24, 2}, cells[3] = {8, 4, 3};
    if (which == 0) return jittered_box(ctx, size, cells, 6, 0.25, out);
    if (which == 1) return sp_mesh_torus(ctx, 0.5, 0.15, axis, ring, out);
    return sp_mesh_sphere(ctx, radii, 4, out);
}

// Fixed: the first twelfth of the length in x. Pressure: faces in the upper half of x. Forces: every fifth node, at random.
static void make_conditions(problem *p) {
    const sp_mesh *mesh = p->b.mesh;
    const double *X = sp_mesh_positions(mesh);
    int n = sp_mesh_node_count(mesh), nf = sp_mesh_face_count(mesh);
    double low[3], high[3];
    unsigned long long seed = 21;
    sp_mesh_bounds(mesh, low, high);
    p->held = calloc((size_t)n, sizeof *p->held), p->force = calloc(3 * (size_t)n, sizeof *p->force);
    p->faces = calloc((size_t)nf, sizeof *p->faces);
    for (int i = 0; i < n; i++) {
        if (X[3 * i] < low[0] + (high[0] - low[0]) / 12) p->held[p->held_count++] = i;
        for (int k = 0; k < 3 && i % 5 == 0; k++) p->force[3 * i + k] = sp_test_random(&seed);
    }
    for (int f = 0; f < nf; f++) {
        const int *t = sp_mesh_faces(mesh) + 3 * f;
        double x = (X[3 * t[0]] + X[3 * t[1]] + X[3 * t[2]]) / 3;
        if (x > 0.5 * (low[0] + high[0])) p->faces[p->face_count++] = f;
    }
}

// ------------------------------------------------------------------------------------------------ Souple

static double *ours(problem *p) {
    lab *b = &p->b;
    int n = sp_mesh_node_count(b->mesh), count = 0;
    sp_load *loads = calloc((size_t)n + 1, sizeof *loads);
    int *items = calloc((size_t)n + 1, sizeof *items);
    for (int i = 0; i < n && p->kind == NODAL; i++) {
        sp_load *l = &loads[count];
        items[count] = i;
        *l = (sp_load){.type = SP_LOAD_EACH, .items = &items[count], .count = 1};
        for (int k = 0; k < 3; k++) l->value[k] = sp_signal_constant(p->scale * p->force[3 * i + k]);
        count += p->force[3 * i] != 0;
    }
    if (p->kind == PRESSURE) {
        loads[count] = (sp_load){.type = SP_LOAD_PRESSURE, .items = p->faces, .count = p->face_count};
        loads[count++].value[0] = sp_signal_constant(p->scale);
    }
    sp_fix fix = {p->held, p->held_count, SP_AXES_ALL, 0};
    sp_solid_def def = lab_solid(b);
    def.model = SP_LINEAR;
    def.material = (sp_material){.density = density, .young = young, .poisson = nu};
    def.fixes = &fix, def.fix_count = 1;
    def.loads = loads, def.load_count = count;
    def.integrator.type = SP_STATIC;
    def.integrator.tolerance = 1e-9;
    def.solver.tolerance = 1e-11;
    def.solver.iterations = 20000;
    double *u = NULL;
    if (lab_world(b, &def, p->kind == WEIGHT ? -p->scale : 0) && lab_step(b, 1) == SP_OK) u = lab_field(b, "displacement");
    sp_world_destroy(&b->world);
    free(loads), free(items);
    return u;
}

// ------------------------------------------------------------------------------------------------ CalculiX

// The number of a boundary face in the numbering of ccx (1-2-3, 1-4-2, 2-4-3, 3-4-1), and its element.
static void face_of(const sp_mesh *mesh, const int *face, int *element, int *number) {
    static const int opposite[4] = {3, 2, 0, 1};  // node that is not on the face
    for (int e = 0; e < sp_mesh_element_count(mesh); e++) {
        const int *t = sp_mesh_tets(mesh) + 4 * e;
        int shared = 0, missing = 0;
        for (int i = 0; i < 4; i++) {
            bool in = t[i] == face[0] || t[i] == face[1] || t[i] == face[2];
            shared += in;
            if (!in) missing = i;
        }
        for (int k = 0; k < 4 && shared == 3; k++)
            if (opposite[k] == missing) *element = e, *number = k + 1;
        if (shared == 3) return;
    }
}

static void write_load(FILE *f, const problem *p) {
    const sp_mesh *mesh = p->b.mesh;
    if (p->kind == NODAL) {
        fprintf(f, "*CLOAD\n");
        for (int i = 0; i < 3 * sp_mesh_node_count(mesh); i++)
            if (p->force[i] != 0) fprintf(f, "%d, %d, %.12e\n", i / 3 + 1, i % 3 + 1, p->scale * p->force[i]);
        return;
    }
    fprintf(f, "*DLOAD\n");
    if (p->kind == WEIGHT) fprintf(f, "EALL, GRAV, %.12e, 0., -1., 0.\n", p->scale);
    for (int i = 0; i < p->face_count && p->kind == PRESSURE; i++) {
        int e = 0, number = 0;
        face_of(mesh, sp_mesh_faces(mesh) + 3 * p->faces[i], &e, &number);
        fprintf(f, "%d, P%d, %.12e\n", e + 1, number, p->scale);
    }
}

static bool write_input(const char *path, const void *user) {
    const problem *p = user;
    FILE *f = fopen(path, "w");
    if (!f) return false;
    ccx_mesh(f, p->b.mesh);
    fprintf(f, "*MATERIAL, NAME=M\n*ELASTIC\n%.12e, %.12e\n*DENSITY\n%.12e\n", young, nu, density);
    fprintf(f, "*SOLID SECTION, ELSET=EALL, MATERIAL=M\n*BOUNDARY\n");
    for (int i = 0; i < p->held_count; i++) fprintf(f, "%d, 1, 3\n", p->held[i] + 1);
    fprintf(f, "*STEP\n*STATIC\n");
    write_load(f, p);
    fprintf(f, "*NODE PRINT, NSET=NALL\nU\n*END STEP\n");
    return fclose(f) == 0;
}

// ------------------------------------------------------------------------------------------------ comparison

// Scales the load so that the largest displacement is 9.5e-8 (pressure) or 9.5e-3.
static bool rescale(problem *p) {
    p->scale = p->kind == PRESSURE ? 1e-4 : 1;
    double *u = ours(p);
    if (!u) return false;
    p->scale *= (p->kind == PRESSURE ? 9.5e-8 : 9.5e-3) / max_abs(u, 3 * (size_t)p->b.nodes);
    free(u);
    return true;
}

static void compare(int which, load_kind kind) {
    problem p = {.kind = kind};
    REQUIRE(lab_context(&p.b) && make_mesh(p.b.ctx, which, &p.b.mesh) == SP_OK);
    make_conditions(&p);
    CHECK(p.held_count > 3 && p.face_count > 3);
    CHECK(rescale(&p));
    double *a = ours(&p), *b = ccx_run(write_input, &p, p.b.nodes), worst = 0;
    CHECK(a && b);
    if (a && b) {
        double largest = max_abs(b, 3 * (size_t)p.b.nodes);
        for (int i = 0; i < 3 * p.b.nodes; i++) worst = fmax(worst, fabs(a[i] - b[i]) / largest);
        printf("  %d nodes, %d tetrahedra, %s: apart by %.1e of the largest displacement\n", p.b.nodes, p.b.tets,
               load_names[kind], worst);
        CHECK(largest > 9e-9);
        CHECK_NEAR(worst, 0, 1e-6);
    }
    free(a), free(b), free(p.held), free(p.faces), free(p.force);
    lab_close(&p.b);
}

TEST(irregular_box) {
    REQUIRE(have_ccx());
    for (int k = 0; k < LOADS; k++) compare(0, (load_kind)k);
}

TEST(torus) {
    REQUIRE(have_ccx());
    for (int k = 0; k < LOADS; k++) compare(1, (load_kind)k);
}

TEST(ellipsoid) {
    REQUIRE(have_ccx());
    for (int k = 0; k < LOADS; k++) compare(2, (load_kind)k);
}
