// Static problems need supports that prevent every rigid body motion, else the solution is not unique. A fixed direction a at the
// position r allows only rigid velocities (v, w) with a . (v + w x r) = 0, which is the row (a, r x a). The supports suffice if
// the rows have rank six. Contact may act as a support too, but is not known in advance.
#include "io/run/build.h"
#include "math/vec3.h"

typedef struct hold {
    double centre[3], size;
    double gram[6][6];  // sum of rows^T rows, lengths scaled by the size of the body
} hold;

static void hold_point(hold *h, const double x[3], unsigned axes) {
    double r[3];
    for (int k = 0; k < 3; k++) r[k] = (x[k] - h->centre[k]) / h->size;
    for (int axis = 0; axis < 3; axis++) {
        if (!(axes & (1u << axis))) continue;
        double row[6] = {0}, a[3] = {axis == 0, axis == 1, axis == 2};
        memcpy(row, a, sizeof a);
        sp__cross3(r, a, row + 3);
        for (int i = 0; i < 6; i++)
            for (int j = 0; j < 6; j++) h->gram[i][j] += row[i] * row[j];
    }
}

// rank by elimination with full pivoting on the diagonal (the matrix is positive semi-definite)
static int rank_of(double g[6][6]) {
    double first = 0;
    for (int step = 0; step < 6; step++) {
        int p = step;
        for (int i = step; i < 6; i++)
            if (g[i][i] > g[p][p]) p = i;
        if (step == 0) first = g[p][p];
        // the rows are exact up to rounding: 1e-12 of the largest pivot is far above rounding and far below any real support
        if (!(g[p][p] > 1e-12 * first)) return step;
        for (int j = 0; j < 6; j++) {
            double t = g[step][j];
            g[step][j] = g[p][j], g[p][j] = t;
        }
        for (int i = 0; i < 6; i++) {
            double t = g[i][step];
            g[i][step] = g[i][p], g[i][p] = t;
        }
        for (int i = step + 1; i < 6; i++) {
            double f = g[i][step] / g[step][step];
            for (int j = step; j < 6; j++) g[i][j] -= f * g[step][j];
        }
    }
    return 6;
}

static void hold_nodes(hold *h, const sp_mesh *mesh, const int *nodes, int count, unsigned axes) {
    for (int i = 0; i < count; i++) hold_point(h, sp_mesh_positions(mesh) + 3 * (size_t)nodes[i], axes);
}

static bool may_touch(const sp_run *run) {
    const sp_scene_node *root = sp__scene_root(run->scene);
    return sp__next_child(root, "contact", NULL) && sp__next_child(root, "rigid", NULL);
}

static bool no_stiffness(const sp_run_body *body, const sp_solid_def *def) {
    if (def->young_of_time.eval) return false;
    if (!def->element_young && !def->region_count) return def->material.young == 0;
    for (int e = 0; e < sp_mesh_tet_count(body->own); e++) {
        int region = def->element_region ? def->element_region[e] : 0;
        double young = region ? def->regions[region - 1].young : def->material.young;
        if (def->element_young && !isnan(def->element_young[e])) young = def->element_young[e];
        if (young == 0) return true;
    }
    return false;
}

sp_status sp__build_check_static(sp_run *run, const sp_run_body *body, const sp_solid_def *def) {
    hold h = {0};
    double low[3], high[3];
    if (def->integrator.type != SP_STATIC) return SP_OK;
    if (no_stiffness(body, def))
        return SP_BUILD_FAIL(run, body->node, "young", "young = 0 and a static integrator: there is no unique equilibrium");
    if (may_touch(run)) return SP_OK;
    sp_mesh_bounds(body->placed, low, high);
    for (int k = 0; k < 3; k++) h.centre[k] = 0.5 * (low[k] + high[k]), h.size = fmax(h.size, high[k] - low[k]);
    for (int i = 0; i < def->fix_count; i++)
        hold_nodes(&h, body->placed, def->fixes[i].nodes, def->fixes[i].count, def->fixes[i].axes);
    for (int i = 0; i < def->move_count; i++)
        hold_nodes(&h, body->placed, def->moves[i].nodes, def->moves[i].count, def->moves[i].axes);
    for (int i = 0; i < def->spring_count; i++) {
        const sp_anchor *a = &def->springs[i].at;
        const int *tet = sp_mesh_tets(body->placed) + 4 * (size_t)a->elem;
        double x[3] = {0}, first = 1 - a->at[0] - a->at[1] - a->at[2];
        for (size_t k = 0; k < 4; k++)
            sp__axpy3(x, k ? a->at[k - 1] : first, sp_mesh_positions(body->placed) + 3 * (size_t)tet[k], x);
        hold_point(&h, x, SP_AXES_ALL);
    }
    int rank = rank_of(h.gram);
    if (rank == 6) return SP_OK;
    return SP_BUILD_FAIL(run, body->node, NULL,
                         "a static integrator, but %s: %d of its 6 rigid motions are free, so there is no unique equilibrium",
                         rank ? "the body is not held enough" : "nothing holds the body", 6 - rank);
}
