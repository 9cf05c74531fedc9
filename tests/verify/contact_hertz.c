// Claim: contact of round elastic bodies without friction follows Hertz (1882; K. L. Johnson, Contact Mechanics, 1985, section
// 4.2): with the depth d, the radius of contact is a = sqrt(R d), the force F = 4/3 E* sqrt(R) d^1.5, the pressure
// p0 sqrt(1 - r^2/a^2) with p0 = 3 F / (2 pi a^2), 1/E* = sum of (1 - nu^2) / E.
//
// A quarter of a paraboloid of linear material with nu = 0.3 is pressed on a plane, a = R / 50. Steps are so long (1000 s) that
// inertia is 1e-12 of the stiffness: each step is an equilibrium. Meshes of one family: 8 and 12 edges in the radius of contact.
// The body ends at 60 radii, where it is held: this makes it stiffer by about 1 %.
//
// Volumes: the force within 3 % of contacts at a distance on the same mesh, where the mean depth V / A of the patch at rest is
// taken off the depth. Their rays reach over a closed part of the body near its pole.
//
// CalculiX solves the same mesh with its own contact search and law (nodes against faces, with a penalty).
#include <unistd.h>

#include "contact_lab.h"

static const double R = 50, E = 1e6, nu = 0.3, extent = 60;
enum { SECTORS = 3 };

// ---------------------------------------------------------------------------------------------------- mesh

// A quarter of a round body about the z axis with its pole at the origin: a paraboloid z = r^2 / 2R, flat beyond r = 4, as high
// and wide as `extent`. Cells of the size 1 / rings up to r = 1 and z = 1 grow from there exponentially with the same rate in
// each mesh, so that errors decrease with the square of 1 / rings.
typedef struct grid {
    int n[3];  // lines of r, of the angle, of z
    double line[3][80];
} grid;

static int grid_lines(double *x, int rings) {
    const double fine = 1, rate = 2.5;
    double length = log(1 + rate * (extent - fine)) / rate;
    int inner = (int)ceil(fine * rings - 1e-9), outer = (int)ceil(length * rings);
    for (int i = 0; i <= inner; i++) x[i] = (double)i / rings;
    for (int i = 1; i <= outer; i++) x[inner + i] = fine + (exp(rate * length * i / outer) - 1) / rate;
    return inner + outer + 1;
}

static grid grid_make(int rings) {
    grid g = {0};
    g.n[0] = grid_lines(g.line[0], rings), g.n[2] = grid_lines(g.line[2], rings);
    for (g.n[1] = 0; g.n[1] <= SECTORS; g.n[1]++) g.line[1][g.n[1]] = acos(-1) / 2 * g.n[1] / SECTORS;
    return g;
}

static int grid_node(const grid *g, int i, int j, int k) {
    return i == 0 ? k : g->n[2] * (1 + (i - 1) * g->n[1] + j) + k;
}

static sp_mesh *round_body(sp_context *ctx, const grid *g, double sign) {
    static const int order[6][3] = {{0, 1, 2}, {0, 2, 1}, {1, 0, 2}, {1, 2, 0}, {2, 0, 1}, {2, 1, 0}};
    int nodes = g->n[2] * (1 + (g->n[0] - 1) * g->n[1]), tets = 0;
    double *x = calloc(3 * (size_t)nodes, sizeof *x), top = g->line[2][g->n[2] - 1];
    int *t = calloc(24 * (size_t)(g->n[0] * g->n[1] * g->n[2]), sizeof *t);
    for (int i = 0; i < g->n[0]; i++)
        for (int j = 0; j < g->n[1]; j++)
            for (int k = 0; k < g->n[2]; k++) {
                double *p = x + 3 * (size_t)grid_node(g, i, j, k), r = g->line[0][i], z = g->line[2][k];
                p[0] = r * cos(g->line[1][j]), p[1] = r * sin(g->line[1][j]);
                if (j == g->n[1] - 1) p[0] = 0;
                p[2] = sign * (z + fmin(r * r, 16) / (2 * R) * (1 - z / top));
            }
    for (int i = 0; i + 1 < g->n[0]; i++)
        for (int j = 0; j + 1 < g->n[1]; j++)
            for (int k = 0; k + 1 < g->n[2]; k++)
                for (int s = 0; s < 6; s++) {  // Kuhn: along the diagonal of the cell, in the numbers of the grid
                    int at[3] = {i, j, k}, *v = t + 4 * (size_t)tets;
                    v[0] = grid_node(g, i, j, k);
                    for (int m = 0; m < 3; m++) at[order[s][m]]++, v[m + 1] = grid_node(g, at[0], at[1], at[2]);
                    bool flat = false;
                    for (int a = 0; a < 4; a++)
                        for (int c = a + 1; c < 4; c++) flat = flat || v[a] == v[c];
                    tets += !flat;
                }
    sp_mesh_def def = sp_mesh_def_default();
    sp_mesh *mesh = NULL;
    def.node_count = nodes, def.positions = x, def.element_count = tets, def.element_nodes = t, def.fix_orientation = true;
    if (sp_mesh_create(ctx, &def, &mesh) < 0) SP_TEST_FAILED("%s", sp_context_error(ctx)->message);
    free(x), free(t);
    return mesh;
}

// ---------------------------------------------------------------------------------------------------- Souple

static void rising(const void *user, double t, sp_pose *out) {
    *out = sp_pose_identity();
    out->translate[2] = *(const double *)user * t;
}

// Held on its planes of symmetry and at its far end, which moves with the speed. Nullable: speed.
static sp_body_id add_body(contact_lab *b, const sp_mesh *mesh, double young, double sign, const double *speed) {
    int n = sp_mesh_node_count(mesh);
    const double *x = sp_mesh_positions(mesh);
    int *items[3];
    sp_fix fixes[3];
    sp_body_id id = {0};
    for (int a = 0; a < 3; a++) {
        int count = 0;
        items[a] = calloc((size_t)n, sizeof *items[a]);
        for (int i = 0; i < n; i++)
            if (a < 2 ? fabs(x[3 * i + a]) < 1e-9 : x[3 * i + 2] * sign > extent - 1e-9) items[a][count++] = i;
        fixes[a] = (sp_fix){items[a], count,
                            a == 0   ? SP_AXIS_X
                            : a == 1 ? SP_AXIS_Y
                            : speed  ? SP_AXIS_X | SP_AXIS_Y
                                     : SP_AXES_ALL,
                            0};
    }
    sp_solid_def def = contact_soft(1, young, nu);
    def.model = SP_LINEAR, def.mesh = mesh, def.fixes = fixes, def.fix_count = 3;
    sp_move move = {fixes[2].nodes, fixes[2].count, SP_AXIS_Z, {0}, {.eval = rising, .user = speed}};
    def.moves = &move, def.move_count = speed != NULL;
    if (sp_world_add_solid(b->world, &def, &id) < 0) SP_TEST_FAILED("%s", sp_world_error(b->world)->message);
    for (int a = 0; a < 3; a++) free(items[a]);
    return id;
}

typedef struct result {
    double force[2];  // of a quarter, at two depths
    double radius;    // from the pressure at the second depth
    double peak;      // pressure
} result;

static const double depth[2] = {4.0 / 9 / 50, 1.0 / 50};  // the radii of contact are 2/3 and 1: 8 and 12 edges of the finer mesh
static const double second = 1000;                        // time of the second depth [s]

// area of the faces around each node of the contact surface
static double *node_areas(const sp_mesh *mesh) {
    const double *x = sp_mesh_positions(mesh);
    double *area = calloc((size_t)sp_mesh_node_count(mesh), sizeof *area);
    for (int f = 0; f < sp_mesh_face_count(mesh); f++) {
        const int *v = sp_mesh_faces(mesh) + 3 * (size_t)f;
        double a[3], c[3], n[3];
        sp__sub3(x + 3 * v[1], x + 3 * v[0], a), sp__sub3(x + 3 * v[2], x + 3 * v[0], c);
        sp__cross3(a, c, n);
        for (int k = 0; k < 3 && fabs(n[2]) > 0.9 * sp__norm3(n); k++) area[v[k]] += sp__norm3(n) / 6;
    }
    return area;
}

// Least squares of p^2 over r^2 where r < 0.9: the radius where p vanishes, and the peak.
static void read_pressure(contact_lab *b, const sp_mesh *mesh, int rings, result *out) {
    double *area = node_areas(mesh), force[80] = {0}, share[80] = {0}, s[5] = {0};
    const double *x = sp_mesh_positions(mesh);
    for (int i = 0; i < sp_mesh_node_count(mesh); i++) {
        double r = hypot(x[3 * i], x[3 * i + 1]);
        if (r < 1 && x[3 * i + 2] <= r * r / R) share[(int)lround(r * rings)] += area[i];
    }
    for (int i = 0; i < sp_world_contact_count(b->world); i++) {
        sp_contact_point p;
        CHECK_INT(sp_world_contact_at(b->world, i, &p), SP_OK);
        double r = hypot(p.point[0], p.point[1]);
        if (r < 1) force[(int)lround(r * rings)] += fabs(p.force[2]);
    }
    for (int i = 0; i < 0.9 * rings; i++) {
        double r2 = (double)i * i / (rings * rings), p = force[i] / share[i];
        s[0]++, s[1] += r2, s[2] += r2 * r2, s[3] += p * p, s[4] += p * p * r2;
    }
    double slope = (s[0] * s[4] - s[1] * s[3]) / (s[0] * s[2] - s[1] * s[1]), top = (s[3] - slope * s[1]) / s[0];
    out->radius = sqrt(-top / slope), out->peak = sqrt(top);
    free(area);
}

// The lower side moves up by the depth, or twice the depth where it is a second body: with `young` > 0.
static result press(int rings, double young) {
    const bool two = young > 0;
    const double speed = (two ? 2 : 1) * depth[1] / second;
    grid g = grid_make(rings);
    contact_lab b;
    sp_contact_def contact = contact_exact(0, 0);
    result out = {0};
    contact.alarm = 0.02, contact.solver.tolerance = 1e-9;
    if (!contact_open(&b, (double[3]){0}, &contact)) return out;
    sp_mesh *mesh = round_body(b.ctx, &g, 1);
    sp_body_id id = add_body(&b, mesh, E, 1, NULL);
    sp_rigid_shape shape = {.type = SP_PLANE, .size = {0, 0, 1}, .pose = sp_pose_identity()};
    sp_rigid_def def = sp_rigid_def_default();
    def.shapes = &shape, def.shape_count = 1, def.kinematic = true, def.pose.eval = rising, def.pose.user = &speed;
    if (!two) contact_rigid(&b, &def);
    if (two) {
        sp_mesh *other = round_body(b.ctx, &g, -1);
        add_body(&b, other, young, -1, &speed);
        sp_mesh_destroy(&other);
    }
    for (int k = 0; k < 2; k++) {
        double torque[3], force[3];
        contact_steps(&b, second * depth[k] / depth[1] - sp_world_time(b.world), 1);
        contact_load(&b, id, (double[3]){0}, force, torque);
        out.force[k] = force[2];
    }
    read_pressure(&b, mesh, rings, &out);
    CHECK_INT(b.worst, SP_OK);
    printf("  %d edges, %d nodes: force %.6g and %.6g N of a quarter, radius %.4f, peak %.6g Pa\n", rings,
           sp_mesh_node_count(mesh), out.force[0], out.force[1], out.radius, out.peak);
    sp_mesh_destroy(&mesh);
    contact_close(&b);
    return out;
}

// ---------------------------------------------------------------------------------------------------- volumes

// The boundary of the part of the body with r and z below `reach`: faces of its tetrahedra that only one of them has.
static sp_trimesh *pole_surface(sp_context *ctx, const sp_mesh *mesh, double reach) {
    static const int face[4][3] = {{0, 2, 1}, {0, 1, 3}, {1, 2, 3}, {2, 0, 3}};
    const double *x = sp_mesh_positions(mesh);
    int *faces = calloc(12 * (size_t)sp_mesh_element_count(mesh), sizeof *faces), count = 0;
    for (int e = 0; e < sp_mesh_element_count(mesh); e++) {
        const int *t = sp_mesh_tets(mesh) + 4 * (size_t)e;
        bool inside = true;
        for (int k = 0; k < 4; k++) inside = inside && hypot(x[3 * t[k]], x[3 * t[k] + 1]) < reach && x[3 * t[k] + 2] < reach;
        for (int f = 0; f < 4 && inside; f++) {
            int *now = faces + 3 * (size_t)count, found = -1;
            for (int k = 0; k < 3; k++) now[k] = t[face[f][k]];
            for (int i = 0; i < count && found < 0; i++)
                for (int turn = 0; turn < 3; turn++)
                    if (faces[3 * i] == now[turn] && faces[3 * i + 1] == now[(turn + 2) % 3] &&
                        faces[3 * i + 2] == now[(turn + 1) % 3])
                        found = i;
            if (found < 0)
                count++;
            else
                memcpy(faces + 3 * found, faces + 3 * (size_t)--count, 3 * sizeof *faces);
        }
    }
    sp_trimesh_def def = sp_trimesh_def_default();
    sp_trimesh *out = NULL;
    def.vertex_count = sp_mesh_node_count(mesh), def.positions = x, def.face_count = count, def.faces = faces;
    if (sp_trimesh_create(ctx, &def, &out) < 0) SP_TEST_FAILED("%s", sp_context_error(ctx)->message);
    free(faces);
    return out;
}

// Force of a quarter at the second depth.
static double press_volume(int rings, double pixel, int cell, double slack) {
    static const double speed = 1.0 / 50 / 1000;
    grid g = grid_make(rings);
    contact_lab b;
    sp_contact_def contact = contact_volume(0, pixel, cell);
    double force[3], torque[3];
    contact.stabilisation = SP_STABILISATION_POSITION, contact.slack = slack, contact.solver.tolerance = 1e-6;
    if (!contact_open(&b, (double[3]){0}, &contact)) return NAN;
    sp_mesh *mesh = round_body(b.ctx, &g, 1);
    sp_body_id id = add_body(&b, mesh, E, 1, NULL);
    sp_trimesh *pole = pole_surface(b.ctx, mesh, 1.7);
    sp_surface_def surface = sp_surface_def_default();
    surface.mesh = pole, surface.roles = SP_ROLE_COLLISION;
    CHECK_INT(sp_world_add_surface(b.world, id, &surface, NULL), SP_OK);
    sp_rigid_shape shape = {.type = SP_PLANE, .size = {0, 0, 1}, .pose = sp_pose_identity()};
    sp_rigid_def def = sp_rigid_def_default();
    def.shapes = &shape, def.shape_count = 1, def.kinematic = true, def.pose.eval = rising, def.pose.user = &speed;
    contact_rigid(&b, &def);
    contact_steps(&b, second, 1);
    contact_load(&b, id, (double[3]){0}, force, torque);
    CHECK_INT(b.worst, SP_OK);
    sp_mesh_destroy(&mesh), sp_trimesh_destroy(&pole);
    contact_close(&b);
    return force[2];
}

static double hertz(double d, double modulus) {
    return 4.0 / 3 * modulus * sqrt(R) * pow(d, 1.5) / 4;
}

TEST(ball_on_a_plane) {
    const double modulus = E / (1 - nu * nu), limit = hertz(depth[1], modulus);
    result coarse = press(8, 0), fine = press(12, 0);
    double exponent = log(fine.force[1] / fine.force[0]) / log(depth[1] / depth[0]);
    double extrapolated = fine.force[1] + (fine.force[1] - coarse.force[1]) * 64 / (144 - 64);
    double peak = 6 * fine.force[1] / acos(-1);
    printf("  exponent %.4f, force / Hertz %.4f %.4f, extrapolated %.4f; peak / Hertz %.4f\n", exponent, coarse.force[1] / limit,
           fine.force[1] / limit, extrapolated / limit, fine.peak / peak);
    CHECK_NEAR(exponent, 1.5, 0.02);
    // the errors of the coarse mesh are 4 %, of the fine one 3 %; what remains is the extent of the body
    CHECK_NEAR(extrapolated, limit, 0.03 * limit);
    CHECK(fabs(fine.force[1] - limit) < fabs(coarse.force[1] - limit));
    // the pressure of the outermost nodes is that of half an edge further out: an error of first order
    CHECK_NEAR(fine.radius + (fine.radius - coarse.radius) * 8 / (12 - 8), 1, 0.02);
    CHECK_NEAR(fine.peak, peak, 0.03 * peak);
}

// At rest the patch overlaps by the slack: the bodies are pressed by so much less. The second slack is a hundredth of the depth.
TEST(volumes_on_a_plane) {
    const double modulus = E / (1 - nu * nu);
    const result distance = press(8, 0);
    const struct {
        double pixel, slack;
        int cell;
    } with[] = {{0.02, 0.5, 6}, {0.01, 0.02, 12}};
    for (int k = 0; k < 2; k++) {
        const double mean = with[k].slack * with[k].pixel, less = pow(1 - mean / depth[1], 1.5);
        const double force = press_volume(8, with[k].pixel, with[k].cell, with[k].slack);
        printf("  slack %g of the depth: force %.6g N; distances at the depth less the slack %.6g N, Hertz %.6g N\n",
               mean / depth[1], force, less * distance.force[1], less * hertz(depth[1], modulus));
        CHECK_NEAR(force, less * distance.force[1], 0.03 * less * distance.force[1]);
    }
}

// Two equal bodies, mirrored: their common plane stays flat, so that each is pressed as by a plane, with half of the approach.
// A vertex that touches a vertex may take a face next to it: 1.3e-5.
// With different moduli E* = E / (1 - nu^2) / (1 + 1/3) and 1 / R = 2 / 50; the error of the mesh is the same.
TEST(ball_on_a_ball) {
    const double modulus = E / (1 - nu * nu);
    result plane = press(8, 0), same = press(8, E), stiffer = press(8, 3 * E);
    for (int k = 0; k < 2; k++) {
        double limit = hertz(depth[k], modulus), other = hertz(depth[k], 2 * modulus / (1 + 1.0 / 3));
        printf("  force / Hertz: plane %.4f, equal ball %.4f, stiffer ball %.4f\n", plane.force[k] / limit, same.force[k] / limit,
               stiffer.force[k] / other);
        CHECK_NEAR(same.force[k], plane.force[k], 1e-4 * plane.force[k]);
        CHECK_NEAR(stiffer.force[k] / other, plane.force[k] / limit, 0.01);
    }
}

// ---------------------------------------------------------------------------------------------------- CalculiX

// The pole of a body, where it may touch.
static bool is_touchable(const sp_mesh *mesh, int node, double reach) {
    const double *x = sp_mesh_positions(mesh) + 3 * node;
    double r = hypot(x[0], x[1]);
    return r < reach && fabs(x[2]) <= r * r / R;
}

static void write_mesh(FILE *f, const sp_mesh *mesh, int body, int first_node, int first_element) {
    const double *x = sp_mesh_positions(mesh);
    fprintf(f, "*NODE, NSET=N%d\n", body);
    for (int i = 0; i < sp_mesh_node_count(mesh); i++)
        fprintf(f, "%d, %.12e, %.12e, %.12e\n", first_node + i, x[3 * i], x[3 * i + 1], x[3 * i + 2]);
    fprintf(f, "*ELEMENT, TYPE=C3D4, ELSET=E%d\n", body);
    for (int e = 0; e < sp_mesh_element_count(mesh); e++) {
        const int *t = sp_mesh_tets(mesh) + 4 * (size_t)e;
        fprintf(f, "%d", first_element + e);
        for (int k = 0; k < 4; k++) fprintf(f, ", %d", first_node + t[k]);
        fprintf(f, "\n");
    }
}

static void write_material(FILE *f, int body, double young) {
    fprintf(f, "*MATERIAL, NAME=M%d\n*ELASTIC\n%.12e, %.12e\n*SOLID SECTION, ELSET=E%d, MATERIAL=M%d\n", body, young, nu, body,
            body);
}

// Nodes on the planes of symmetry and at the far end are held; the far end of the second body is lifted in the step.
static void write_held(FILE *f, const sp_mesh *mesh, int first_node, bool lifted) {
    const double *x = sp_mesh_positions(mesh);
    for (int i = 0; i < sp_mesh_node_count(mesh); i++)
        for (int a = 0; a < 3; a++) {
            bool far = fabs(x[3 * i + 2]) > extent - 1e-9;
            if ((far && !(lifted && a == 2)) || (a < 2 && fabs(x[3 * i + a]) < 1e-9))
                fprintf(f, "%d, %d, %d\n", first_node + i, a + 1, a + 1);
        }
}

// Faces of elements at the pole, in the numbers of CalculiX: S1 to S4 are 1-2-3, 1-4-2, 2-4-3, 3-4-1.
static void write_faces(FILE *f, const sp_mesh *mesh, int first_element) {
    static const int face[4][3] = {{0, 1, 2}, {0, 3, 1}, {1, 3, 2}, {2, 3, 0}};
    for (int e = 0; e < sp_mesh_element_count(mesh); e++)
        for (int s = 0; s < 4; s++) {
            const int *t = sp_mesh_tets(mesh) + 4 * (size_t)e;
            bool all = true;
            for (int k = 0; k < 3; k++) all = all && is_touchable(mesh, t[face[s][k]], 1.8);
            if (all) fprintf(f, "%d, S%d\n", first_element + e, s + 1);
        }
}

// The second body, or a brick below the first one that is the plane, moves up by the depth. Nullable: other.
static bool write_input(const char *path, const sp_mesh *mesh, const sp_mesh *other, double young, double d) {
    const int n = sp_mesh_node_count(mesh), tets = sp_mesh_element_count(mesh);
    int slaves = 0;
    FILE *f = fopen(path, "w");
    if (!f) return false;
    write_mesh(f, mesh, 1, 1, 1);
    if (other) {
        write_mesh(f, other, 2, n + 1, tets + 1);
        fprintf(f, "*NSET, NSET=MOVED\n");
        for (int i = 0; i < sp_mesh_node_count(other); i++)
            if (sp_mesh_positions(other)[3 * i + 2] < 1e-9 - extent) fprintf(f, "%d,\n", n + 1 + i);
    } else {
        fprintf(f, "*NODE, NSET=MOVED\n");
        for (int i = 0; i < 8; i++)
            fprintf(f, "%d, %d., %d., %d.\n", n + i + 1, i % 4 == 1 || i % 4 == 2 ? 5 : -1, i % 4 > 1 ? 5 : -1, i < 4 ? -1 : 0);
        fprintf(f, "*ELEMENT, TYPE=C3D8, ELSET=E2\n%d", tets + 1);
        for (int i = 0; i < 8; i++) fprintf(f, ", %d", n + i + 1);
        fprintf(f, "\n");
    }
    write_material(f, 1, E), write_material(f, 2, young);
    fprintf(f, "*NSET, NSET=NSLAVE\n");
    for (int i = 0; i < n; i++)
        if (is_touchable(mesh, i, 1.4)) fprintf(f, "%d,\n", i + 1), slaves++;
    fprintf(f, "*SURFACE, NAME=SLAVE, TYPE=NODE\nNSLAVE,\n*SURFACE, NAME=MASTER\n");
    if (other)
        write_faces(f, other, tets + 1);
    else
        fprintf(f, "E2, S2\n");
    fprintf(f, "*SURFACE INTERACTION, NAME=I\n*SURFACE BEHAVIOR, PRESSURE-OVERCLOSURE=LINEAR\n%.12e, 1e-3\n", 5e3 * E);
    fprintf(f, "*CONTACT PAIR, INTERACTION=I, TYPE=NODE TO SURFACE\nSLAVE, MASTER\n*BOUNDARY\n");
    write_held(f, mesh, 1, false);
    if (other)
        write_held(f, other, n + 1, true);
    else
        fprintf(f, "MOVED, 1, 2\n");
    fprintf(f, "*STEP, INC=100\n*STATIC\n1., 1.\n*BOUNDARY\nMOVED, 3, 3, %.12e\n", d);
    fprintf(f, "*NODE PRINT, NSET=MOVED, TOTALS=ONLY\nRF\n*END STEP\n");
    return fclose(f) == 0 && slaves > 10;
}

static double calculix_force(const sp_mesh *mesh, const sp_mesh *other, double young, double d) {
    const char *root = getenv("TMPDIR");
    char dir[400], path[450], command[1000], line[256];
    double force = NAN, v[3];
    snprintf(dir, sizeof dir, "%s/souple-ccx-XXXXXX", root && strlen(root) < 300 ? root : "/tmp");
    if (!mkdtemp(dir)) return NAN;
    snprintf(path, sizeof path, "%s/job.inp", dir);
    snprintf(command, sizeof command, "cd '%s' && ccx -i job >log 2>&1", dir);
    if (write_input(path, mesh, other, young, d)) {
        int code = system(command);
        snprintf(path, sizeof path, "%s/job.dat", dir);
        FILE *f = fopen(path, "r");
        while (f && fgets(line, sizeof line, f))
            if (sscanf(line, "%lf %lf %lf", &v[0], &v[1], &v[2]) == 3) force = v[2];
        if (f) fclose(f);
        if (isnan(force)) printf("  ccx ended with %d and no force\n", code);
    }
    snprintf(command, sizeof command, "rm -rf '%s'", dir);
    if (system(command)) printf("  %s remains\n", dir);
    return force;
}

// A plane, and a second body that is three times as stiff and mirrored, so that nodes meet nodes.
TEST(calculix) {
    if (system("command -v ccx >/dev/null 2>&1") != 0) {
        SP_TEST_FAILED("ccx is not installed (Debian: calculix-ccx; make test installs it)");
        return;
    }
    sp_context *ctx = NULL;
    grid g = grid_make(8);
    REQUIRE(sp_context_create(NULL, &ctx) == SP_OK);
    sp_mesh *mesh = round_body(ctx, &g, 1), *other = round_body(ctx, &g, -1);
    const result plane = press(8, 0), soft = press(8, 3 * E);
    for (int k = 0; k < 3 && mesh && other; k++) {
        const bool two = k == 2;
        const double d = two ? depth[1] : depth[k], ours = two ? soft.force[1] : plane.force[k];
        double theirs = calculix_force(mesh, two ? other : NULL, two ? 3 * E : E, two ? 2 * d : d);
        printf("  %s, depth %g: Souple %.6g N, CalculiX %.6g N, ratio - 1 = %.2g\n", two ? "soft on soft" : "plane", d, ours,
               theirs, ours / theirs - 1);
        // the penalty of CalculiX
        CHECK_NEAR(ours, theirs, 1e-3 * theirs);
    }
    sp_mesh_destroy(&mesh), sp_mesh_destroy(&other);
    sp_context_destroy(&ctx);
}
