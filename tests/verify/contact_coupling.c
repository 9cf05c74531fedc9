// Claim: the coupling of contacts through the body, the entries of W beside its diagonal, gives the right distribution of forces
// in one step, in a body of one and of two materials (H. Courtecuisse, thesis, Lille 2011, section 5.5.3, figure 5.13).
//
// A plane is pressed by 1 mm onto a block of 0.2 x 0.1 x 0.1 m on a fixed base, Poisson's ratio 0, no friction, in one long step,
// so that inertia does not matter. The strain is 1 % everywhere, and the stress E times that, whatever E is in the two halves:
// each carries E / 100 times 0.01 m2. Without coupling each node is pushed as if it were alone, and forces are far too large.
#include "contact_lab.h"

enum { CELLS = 4 };
static const double SIDE = 0.1, PRESSED = 1e-3, GAP = 1e-4, YOUNG = 1e5;

static void plane_motion(const void *user, double t, sp_pose *out) {
    const double *step = user;
    *out = sp_pose_identity();
    out->translate[2] = SIDE + 2 * GAP - (PRESSED + GAP) * fmin(t / *step, 1);
}

static bool at_base(const void *user, const double x[3]) {
    (void)user;
    return x[2] < 1e-9;
}

static sp_status add_halves(contact_lab *lab, double ratio, sp_compliance_type compliance) {
    static int nodes[(2 * CELLS + 1) * (CELLS + 1)];
    static double young[12 * CELLS * CELLS * CELLS];
    sp_mesh *mesh = NULL;
    int count;
    SP_TRY(sp_mesh_box(lab->ctx, (double[]){2 * SIDE, SIDE, SIDE}, (int[]){2 * CELLS, CELLS, CELLS}, 6, &mesh));
    const int *tets = sp_mesh_tets(mesh);
    const double *x = sp_mesh_positions(mesh);
    for (int e = 0; e < sp_mesh_element_count(mesh); e++) {
        double middle = 0;
        for (int k = 0; k < 4; k++) middle += x[3 * (size_t)tets[4 * e + k]] / 4;
        young[e] = middle < SIDE ? YOUNG : ratio * YOUNG;
    }
    sp_selection base = sp_selection_default();
    base.where = at_base;
    sp_status status = sp_mesh_select(mesh, &base, SP_SELECT_NODES, nodes, sizeof nodes / sizeof *nodes, &count);
    sp_fix fix = {.nodes = nodes, .count = count, .axes = SP_AXIS_Z};
    sp_solid_def def = sp_solid_def_default();
    def.name = "halves", def.mesh = mesh, def.fixes = &fix, def.fix_count = 1;
    // light, so that a step is static
    def.material = (sp_material){.density = 1, .young = YOUNG, .poisson = 0};
    def.element_young = young, def.compliance = compliance;
    def.solver.tolerance = 1e-10;
    sp_body_id id;
    if (status >= 0) status = sp_world_add_solid(lab->world, &def, &id);
    sp_mesh_destroy(&mesh);
    return status;
}

// normal forces on the two halves after one step
static void press(double ratio, sp_compliance_type compliance, double force[2]) {
    static const double step = 1;
    contact_lab lab;
    sp_contact_def contact = contact_exact(0, GAP);
    force[0] = force[1] = 0;
    REQUIRE(contact_open(&lab, (double[]){0, 0, 0}, &contact));
    sp_rigid_shape shape = {.type = SP_PLANE, .size = {0, 0, -1}, .pose = sp_pose_identity()};
    sp_rigid_def def = sp_rigid_def_default();
    def.shapes = &shape, def.shape_count = 1, def.kinematic = true, def.pose.eval = plane_motion, def.pose.user = &step;
    contact_rigid(&lab, &def);
    CHECK(add_halves(&lab, ratio, compliance) >= 0);
    contact_steps(&lab, step, 1);
    for (int i = 0; i < sp_world_contact_count(lab.world); i++) {
        sp_contact_point p;
        CHECK_INT(sp_world_contact_at(lab.world, i, &p), SP_OK);
        // nodes on the seam belong to both halves: by their share of the area, which is equal, times their stiffness
        const double right = p.point[0] > SIDE + 1e-6 ? 1 : p.point[0] < SIDE - 1e-6 ? 0 : ratio / (1 + ratio);
        force[0] += (1 - right) * fabs(p.force[2]), force[1] += right * fabs(p.force[2]);
    }
    CHECK_INT(sp_world_contact_count(lab.world), (2 * CELLS + 1) * (CELLS + 1));
    contact_close(&lab);
}

TEST(forces_are_distributed_by_the_stiffness_of_the_parts) {
    for (int i = 0; i < 2; i++) {
        const double ratio = i ? 10 : 1, strain = PRESSED / SIDE, area = SIDE * SIDE;
        double coupled[2], alone[2];
        press(ratio, SP_COMPLIANCE_EXACT, coupled), press(ratio, SP_COMPLIANCE_DIAGONAL, alone);
        const double exact[2] = {YOUNG * strain * area, ratio * YOUNG * strain * area};
        printf("  E2 / E1 = %2g: %7.3f and %7.3f N, exact %g and %g; without coupling %.0f and %.0f N\n", ratio, coupled[0],
               coupled[1], exact[0], exact[1], alone[0], alone[1]);
        for (int k = 0; k < 2; k++) {
            CHECK_NEAR(coupled[k], exact[k], 1e-6 * exact[k]);  // inertia is 1e-7 of it
            CHECK(alone[k] > 2 * exact[k]);
        }
    }
}
