// Claim: a solid to which nodes and elements were appended moves like the solid that was built with them, for every element and
// for laws of both kernels, with every integrator and solver. The two have other chunks, so their sums differ in the order of
// additions: 1e-14 m of displacements of 0.02 to 0.2 m is a hundred times the rounding of a position. Iterative solvers stop at a
// relative residual of 1e-11; 1e-11 m is explained in removal.c.
//
// And: dividing tetrahedra by a node in the middle of an edge, which is a change of the mesh only, keeps volume, mass, momentum
// and elastic energy, and with the consistent mass matrix the kinetic energy.
#include "element_boxes.h"

enum { BEFORE = 8, AFTER = 12, BATCHES = 3 };
static const double beam_size[3] = {0.6, 0.2, 0.2};
static const int beam_cells[3] = {9, 4, 4}, quadratic_cells[3] = {9, 2, 2};  // more nodes than a chunk has

typedef struct beam {
    const char *name;
    sp_element_type type;
    sp_material_model model;
    sp_rotation rotation;
    sp_shape shape;
    sp_tangent tangent;
    sp_integrator_type integrator;
    bool relaxes;  // its state is more than positions and velocities: it grows before the first step
    sp_mass_matrix mass;
    bool varied;  // regions of two laws, fibres, swelling, numbers of each element
} beam;

// ---------------------------------------------------------------------------------------------------- a mesh in parts

// The elements at x < 0.32 are built, the others appended in batches from left to right.
typedef struct parts {
    int nodes, elements;     // of the whole
    int *number, *node_of;   // node of the whole: its number in the solid that grows, and back
    int *order;              // elements of the whole in the order of the solid that grows
    int built, built_nodes;  // elements, nodes
    int batch[BATCHES + 1];  // first element of each batch in `order`
    int *element_of;         // number in the solid that grows of each element
} parts;

static double centre_x(const sp_mesh *mesh, int e) {
    const int *node;
    double x = 0, n = sp_element_nodes(sp_mesh_element(mesh, e, &node));
    for (int a = 0; a < (int)n; a++) x += sp_mesh_positions(mesh)[3 * node[a]] / n;
    return x;
}

static int batch_of(const sp_mesh *mesh, int e) {
    const double x = centre_x(mesh, e);
    return x < 0.32 ? 0 : x < 0.4 ? 1 : x < 0.41 ? 2 : 3;
}

static parts parts_of(const sp_mesh *mesh) {
    parts p = {.nodes = sp_mesh_node_count(mesh), .elements = sp_mesh_element_count(mesh)};
    p.number = malloc((size_t)p.nodes * sizeof *p.number), p.node_of = malloc((size_t)p.nodes * sizeof *p.node_of);
    p.order = malloc((size_t)p.elements * sizeof *p.order), p.element_of = malloc((size_t)p.elements * sizeof *p.element_of);
    int n = 0, k = 0;
    for (int i = 0; i < p.nodes; i++) p.number[i] = -1;
    for (int batch = 0; batch <= BATCHES; batch++) {
        for (int e = 0; e < p.elements; e++) {
            const int *node;
            if (batch_of(mesh, e) != batch) continue;
            const int count = sp_element_nodes(sp_mesh_element(mesh, e, &node));
            p.element_of[e] = k, p.order[k++] = e;
            for (int a = 0; a < count; a++)
                if (p.number[node[a]] < 0) p.node_of[n] = node[a], p.number[node[a]] = n++;
        }
        if (batch == 0) p.built = k, p.built_nodes = n;
        if (batch < BATCHES) p.batch[batch] = k;
    }
    p.batch[BATCHES] = k;
    return p;
}

static void parts_free(parts *p) {
    free(p->number), free(p->node_of), free(p->order), free(p->element_of);
}

static sp_status mesh_of_part(sp_context *ctx, const sp_mesh *whole, const parts *p, sp_mesh **out) {
    sp_element_type *types = calloc((size_t)p->built, sizeof *types);
    int *nodes = calloc(10 * (size_t)p->built, sizeof *nodes), at = 0;
    double *x = calloc(3 * (size_t)p->built_nodes, sizeof *x);
    for (int k = 0; k < p->built; k++) {
        const int *own;
        types[k] = sp_mesh_element(whole, p->order[k], &own);
        for (int a = 0; a < sp_element_nodes(types[k]); a++) nodes[at++] = p->number[own[a]];
    }
    for (int i = 0; i < p->built_nodes; i++) memcpy(x + 3 * i, sp_mesh_positions(whole) + 3 * p->node_of[i], 3 * sizeof *x);
    sp_mesh_def def = sp_mesh_def_default();
    def.node_count = p->built_nodes, def.positions = x;
    def.element_count = p->built, def.element_types = types, def.element_nodes = nodes;
    def.fix_orientation = false;
    sp_status status = sp_mesh_create(ctx, &def, out);
    free(types), free(nodes), free(x);
    return status;
}

// an element of the built part in the same region, whose numbers the new one takes
static int region_at(const sp_mesh *whole, int e) {
    return e % 2 && centre_x(whole, e) > 0;
}

static int like_of(const sp_mesh *whole, const parts *p, int e) {
    int k = 0;
    while (region_at(whole, p->order[k]) != region_at(whole, e)) k++;
    return k;
}

// New nodes are where those at the end of the built part have moved to on average.
static void mean_motion(lab *b, double move[3], double speed[3]) {
    double *x = lab_field(b, "position"), *v = lab_field(b, "velocity");
    const double *rest = sp_mesh_positions(b->mesh);
    int count = 0;
    for (int k = 0; k < 3; k++) move[k] = speed[k] = 0;
    for (int i = 0; i < sp_mesh_node_count(b->mesh); i++) {
        if (rest[3 * i] < 0.3) continue;
        for (int k = 0; k < 3; k++) move[k] += x[3 * i + k] - rest[3 * i + k], speed[k] += v[3 * i + k];
        count++;
    }
    for (int k = 0; k < 3; k++) move[k] /= count, speed[k] /= count;
    free(x), free(v);
}

static void append_batch(lab *b, const sp_mesh *whole, const parts *p, int from, int to, const double move[3],
                         const double speed[3]) {
    sp_addition add = sp_addition_default();
    const int known = lab_info(b).nodes;
    int *nodes = calloc(10 * (size_t)(to - from), sizeof *nodes), *like = calloc((size_t)(to - from), sizeof *like), most = known;
    for (int k = from; k < to; k++) {
        const int *own, n = sp_element_nodes(sp_mesh_element(whole, p->order[k], &own));
        for (int a = 0; a < n; a++) {
            nodes[add.node_entries++] = p->number[own[a]];
            if (p->number[own[a]] >= most) most = p->number[own[a]] + 1;
        }
        like[k - from] = like_of(whole, p, p->order[k]);
    }
    add.node_count = most - known, add.element_count = to - from, add.nodes = nodes, add.like = like;
    double *rest = calloc(9 * (size_t)add.node_count + 1, sizeof *rest), *x = rest + 3 * add.node_count,
           *v = x + 3 * add.node_count;
    for (int i = 0; i < 3 * add.node_count; i++) {
        rest[i] = sp_mesh_positions(whole)[3 * p->node_of[known + i / 3] + i % 3];
        x[i] = rest[i] + move[i % 3], v[i] = speed[i % 3];
    }
    add.rest = rest, add.position = x, add.velocity = v;
    if (sp_world_append(b->world, b->body, &add) < 0) SP_TEST_FAILED("%s", sp_world_error(b->world)->message);
    free(nodes), free(like), free(rest);
}

// ---------------------------------------------------------------------------------------------------- two solids

static sp_solid_def beam_def(const beam *c) {
    sp_solid_def def = sp_solid_def_default();
    def.name = "body", def.model = c->model, def.rotation = c->rotation, def.shape = c->shape, def.tangent = c->tangent;
    def.material = (sp_material){.density = 1000, .young = 1e5, .poisson = 0.4};
    if (c->relaxes) def.material.relaxation_count = 1, def.material.relaxation[0] = 0.5, def.material.relaxation[1] = 0.05;
    def.integrator.type = c->integrator;
    def.integrator.tolerance = 1e-12;
    def.solver.type = SP_SOLVER_CHOLESKY;
    def.mass_matrix = c->mass;
    def.rayleigh_stiffness = 0.002, def.rayleigh_mass = 0.5;
    return def;
}

// Clamped at x = 0; pressure on the side z = 0 of what is built in both solids. p: of the solid that grows; NULL: the whole
static void hang(lab *b, sp_solid_def def, const beam *c, const sp_mesh *whole, const parts *p) {
    int wall_count, side_count, count = 0, *wall = plane_nodes(b->mesh, 0, 0, &wall_count),
                                *side = plane_faces(b->mesh, 2, 0, &side_count);
    for (int f = 0; f < side_count; f++) {
        double x = 0;
        for (int k = 0; k < 3; k++) x += sp_mesh_positions(b->mesh)[3 * sp_mesh_faces(b->mesh)[3 * side[f] + k]] / 3;
        if (x < 0.2) side[count++] = side[f];
    }
    sp_fix fix = {wall, wall_count, SP_AXES_ALL, 0};
    sp_load load = {.type = SP_LOAD_PRESSURE, .items = side, .count = count};
    load.value[0] = sp_signal_constant(40);
    def.mesh = b->mesh, def.fixes = &fix, def.fix_count = 1, def.loads = &load, def.load_count = 1;
    const int n = sp_mesh_element_count(b->mesh);
    sp_material region = def.material;
    sp_solid_law law = {.model = SP_NEO_HOOKEAN};
    sp_eigenstrain strains[1] = {{sp_signal_constant(NAN), sp_signal_constant(NAN)}};
    int *of = calloc((size_t)n, sizeof *of);
    double *young = calloc((size_t)n, sizeof *young), *fibre = calloc(6 * (size_t)n, sizeof *fibre);
    for (int e = 0; e < n; e++) {
        of[e] = region_at(whole, p ? p->order[e] : e), young[e] = of[e] ? 8e4 : NAN;
        fibre[6 * e] = of[e] ? 1 : 0.6, fibre[6 * e + 1] = of[e] ? 0 : 0.8;
    }
    region.fibre_young = 2e4, region.fibre[1] = 1;
    if (c->varied) {
        def.regions = &region, def.region_laws = &law, def.region_count = 1, def.element_region = of;
        def.element_young = young, def.element_fibre = fibre;
        strains[0].swell = sp_signal_constant(0.02);
        def.eigenstrains.regions = strains;
    }
    REQUIRE(lab_world(b, &def, -9.81));
    free(wall), free(side), free(of), free(young), free(fibre);
}

// state of the grown solid, in numbers of the whole
static double *state_of(lab *grown, const parts *p, const char *field) {
    double *own = lab_field(grown, field), *out = calloc(3 * (size_t)p->nodes, sizeof *out);
    for (int i = 0; i < p->nodes; i++) memcpy(out + 3 * i, own + 3 * p->number[i], 3 * sizeof *out);
    free(own);
    return out;
}

static void compare_measures(lab *a, lab *b) {
    sp_body_measures m = lab_measures(a), n = lab_measures(b);
    CHECK_NEAR(m.mass, n.mass, 1e-12 * n.mass);  // sums of positive numbers in another order
    CHECK_NEAR(m.rest_volume, n.rest_volume, 1e-12 * n.rest_volume);
    CHECK_NEAR(m.element_size, n.element_size, 1e-12 * n.element_size);
    // positions that differ by 1e-11 m in elements of 0.05 m: strains by 1e-9
    CHECK_NEAR(m.volume, n.volume, 1e-8 * n.volume);
    CHECK_NEAR(m.kinetic, n.kinetic, 1e-8 * n.kinetic + 1e-20);
    if (isfinite(n.elastic)) CHECK_NEAR(m.elastic, n.elastic, 1e-7 * n.elastic);
    CHECK_INT(m.inverted, n.inverted);
}

static void run_both(const beam *c, const sp_solver_def *solver, double *worst, double *moved) {
    lab whole, grown;
    double move[3], speed[3];
    REQUIRE(lab_context(&whole));
    REQUIRE(lab_context(&grown));
    REQUIRE(element_box(whole.ctx, c->type, beam_size, c->type == SP_ELEMENT_TET10 ? quadratic_cells : beam_cells, 0.1,
                        &whole.mesh) == SP_OK);
    parts p = parts_of(whole.mesh);
    REQUIRE(mesh_of_part(grown.ctx, whole.mesh, &p, &grown.mesh) == SP_OK);
    sp_solid_def def = beam_def(c), other = def;
    if (solver) def.solver = *solver;
    hang(&grown, def, c, whole.mesh, &p), hang(&whole, other, c, whole.mesh, NULL);
    const double h = c->integrator == SP_EXPLICIT ? 2e-4 : 0.01;
    CHECK(lab_steps(&grown, h, c->relaxes ? 0 : BEFORE) >= 0);
    mean_motion(&grown, move, speed);
    for (int i = 0; i < BATCHES; i++) append_batch(&grown, whole.mesh, &p, p.batch[i], p.batch[i + 1], move, speed);
    CHECK_INT(lab_info(&grown).appended, p.elements - p.built);
    double *x = state_of(&grown, &p, "position"), *v = state_of(&grown, &p, "velocity");
    REQUIRE(sp_world_set_state(whole.world, whole.body, x, v) == SP_OK);
    free(x), free(v);
    CHECK(lab_steps(&grown, h, AFTER) >= 0);
    CHECK(lab_steps(&whole, h, AFTER) >= 0);
    compare_measures(&grown, &whole);
    x = state_of(&grown, &p, "position"), v = lab_field(&whole, "position");
    *worst = 0, *moved = lab_measures(&whole).displacement_max;
    for (int i = 0; i < 3 * p.nodes; i++) *worst = fmax(*worst, fabs(x[i] - v[i]));
    free(x), free(v);
    parts_free(&p);
    lab_close(&whole), lab_close(&grown);
}

TEST(like_a_solid_built_whole) {
    static const beam cases[] = {
        {"corotational, svd", SP_ELEMENT_TET4, SP_COROTATIONAL, SP_ROTATION_SVD, .mass = SP_MASS_LUMPED},
        {"corotational, exact", SP_ELEMENT_TET4, SP_COROTATIONAL, SP_ROTATION_POLAR, .tangent = SP_TANGENT_EXACT,
         .integrator = SP_NEWTON},
        {"corotational, qr", SP_ELEMENT_TET4, SP_COROTATIONAL, SP_ROTATION_QR, .mass = SP_MASS_CONSISTENT},
        {"linear", SP_ELEMENT_TET4, SP_LINEAR, .mass = SP_MASS_CONSISTENT},
        {"explicit", SP_ELEMENT_TET4, SP_COROTATIONAL, SP_ROTATION_SVD, .integrator = SP_EXPLICIT},
        {"regions, fibres, swelling", SP_ELEMENT_TET4, SP_COROTATIONAL, SP_ROTATION_SVD, .varied = true},
        {"neo-hookean", SP_ELEMENT_TET4, SP_NEO_HOOKEAN, .integrator = SP_NEWTON},
        {"stvk, 10 nodes", SP_ELEMENT_TET10, SP_STVK, .mass = SP_MASS_CONSISTENT},
        {"ogden, 10 nodes", SP_ELEMENT_TET10, SP_OGDEN, .integrator = SP_NEWTON},
        {"neo-hookean, b-bar", SP_ELEMENT_HEX8, SP_NEO_HOOKEAN, .mass = SP_MASS_LUMPED},
        {"8 nodes, regions", SP_ELEMENT_HEX8, SP_COROTATIONAL, SP_ROTATION_SVD, .mass = SP_MASS_CONSISTENT, .varied = true},
        {"springs", SP_ELEMENT_TET4, SP_MASS_SPRING, .mass = SP_MASS_LUMPED},
        {"relaxing, corotational", SP_ELEMENT_TET4, SP_COROTATIONAL, SP_ROTATION_SVD, .relaxes = true},
        {"relaxing, 10 nodes", SP_ELEMENT_TET10, SP_NEO_HOOKEAN, .relaxes = true},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        double moved = 0, worst = INFINITY;
        run_both(&cases[i], NULL, &worst, &moved);
        printf("  %-26s apart by %.1e m, moved by %.3f m\n", cases[i].name, worst, moved);
        CHECK_NEAR(worst, 0, 1e-14);
        CHECK(moved > (cases[i].integrator == SP_EXPLICIT ? 1e-5 : 0.01));
    }
}

TEST(every_solver) {
    static const struct {
        const char *name;
        sp_solver_type type;
        sp_preconditioner preconditioner;
        sp_refresh_policy refresh;
    } solvers[] = {{"cg", SP_SOLVER_CG, 0, 0},
                   {"updated-cholesky", SP_SOLVER_UPDATED_CHOLESKY, 0, 0},
                   {"block-jacobi", SP_SOLVER_PCG, SP_BLOCK_JACOBI, SP_REFRESH_AUTO},
                   {"ssor", SP_SOLVER_PCG, SP_SSOR, SP_REFRESH_AUTO},
                   {"incomplete-cholesky", SP_SOLVER_PCG, SP_IC, SP_REFRESH_AUTO},
                   {"cholesky, async", SP_SOLVER_PCG, SP_COMPLETE_CHOLESKY, SP_REFRESH_ASYNC},
                   {"inverse-factor", SP_SOLVER_PCG, SP_INVERSE_FACTOR, SP_REFRESH_AUTO},
                   {"multigrid", SP_SOLVER_PCG, SP_MULTIGRID, SP_REFRESH_AUTO}};
    static const beam cases[2] = {
        {"tetrahedra", SP_ELEMENT_TET4, SP_COROTATIONAL, SP_ROTATION_POLAR, .mass = SP_MASS_LUMPED},
        {"hexahedra", SP_ELEMENT_HEX8, SP_NEO_HOOKEAN, .mass = SP_MASS_LUMPED},
    };
    for (size_t i = 0; i < 2 * (sizeof solvers / sizeof *solvers); i++) {
        const beam *c = &cases[i % 2];
        sp_solver_def solver = sp_solver_def_default();
        double moved = 0, worst = INFINITY;
        solver.type = solvers[i / 2].type, solver.tolerance = 1e-11, solver.iterations = 5000;
        solver.pcg.preconditioner = solvers[i / 2].preconditioner, solver.pcg.refresh = solvers[i / 2].refresh;
        solver.updated.threshold = 0;  // no element stays as it was
        run_both(c, &solver, &worst, &moved);
        printf("  %-20s %-10s apart by %.1e m\n", solvers[i / 2].name, c->name, worst);
        CHECK_NEAR(worst, 0, 1e-11);
    }
}

// ---------------------------------------------------------------------------------------------------- edges that are divided

typedef struct tets {
    int count, nodes;
    int (*node)[4];
    bool *gone;
} tets;

static bool has_edge(const int node[4], int a, int b) {
    int found = 0;
    for (int k = 0; k < 4; k++) found += node[k] == a || node[k] == b;
    return found == 2;
}

// Replaces the tetrahedra around an edge by two each, with a node in the middle of the edge.
static void divide_edge(lab *l, tets *t, int a, int b) {
    enum { MOST = 64 };
    int nodes[2 * MOST][4], like[2 * MOST], removed[MOST], count = 0, corner[2] = {0, 0};
    for (int e = 0; e < t->count && count < MOST; e++)
        if (!t->gone[e] && has_edge(t->node[e], a, b)) removed[count++] = e;
    REQUIRE(count > 0 && count < MOST);
    sp_anchor middle = {.body = l->body, .elem = (uint32_t)removed[0]};
    for (int k = 0; k < 4; k++) {
        if (t->node[removed[0]][k] != a && t->node[removed[0]][k] != b) continue;
        if (k > 0) middle.at[k - 1] = 0.5;
        corner[t->node[removed[0]][k] == b] = k;
    }
    CHECK(corner[0] != corner[1]);
    for (int i = 0; i < 2 * count; i++) {
        memcpy(nodes[i], t->node[removed[i / 2]], sizeof nodes[i]);
        for (int k = 0; k < 4; k++)
            if (nodes[i][k] == (i % 2 ? a : b)) nodes[i][k] = t->nodes;
        like[i] = removed[i / 2];
    }
    sp_addition add = sp_addition_default();
    add.node_count = 1, add.at = &middle, add.element_count = 2 * count, add.like = like, add.nodes = nodes[0];
    add.node_entries = 8 * count, add.removed = removed, add.removed_count = count;
    if (sp_world_append(l->world, l->body, &add) < 0) SP_TEST_FAILED("%s", sp_world_error(l->world)->message);
    for (int i = 0; i < count; i++) t->gone[removed[i]] = true;
    memcpy(t->node + t->count, nodes, 2 * (size_t)count * sizeof *nodes);
    t->count += 2 * count, t->nodes++;
}

enum { EDGES = 40, ROOM = 4000 };

static void divide_some(sp_material_model model, sp_mass_matrix mass, bool relaxes) {
    lab l;
    unsigned long long seed = 3;
    REQUIRE(lab_context(&l));
    REQUIRE(element_box(l.ctx, SP_ELEMENT_TET4, (double[3]){0.4, 0.2, 0.2}, (int[3]){4, 2, 2}, 0.2, &l.mesh) == SP_OK);
    int count, *wall = plane_nodes(l.mesh, 0, 0, &count);
    sp_fix fix = {wall, count, SP_AXES_ALL, 0};
    sp_solid_def def = lab_solid(&l);
    def.model = model, def.mass_matrix = mass, def.fixes = &fix, def.fix_count = 1;
    def.material = (sp_material){.density = 1000, .young = 2e5, .poisson = 0.4};
    if (relaxes) def.material.relaxation_count = 1, def.material.relaxation[0] = 0.4, def.material.relaxation[1] = 0.2;
    REQUIRE(lab_world(&l, &def, -9.81));
    tets t = {l.tets, l.nodes, malloc(ROOM * sizeof *t.node), calloc(ROOM, sizeof *t.gone)};
    memcpy(t.node, sp_mesh_tets(l.mesh), (size_t)t.count * sizeof *t.node);
    const double volume = lab_measures(&l).rest_volume;
    for (int i = 0; i < EDGES; i++) {
        int e = (int)(fabs(sp_test_random(&seed)) * t.count) % t.count;
        while (t.gone[e]) e = (e + 1) % t.count;
        CHECK(lab_step(&l, 0.01) >= 0);
        const sp_body_measures before = lab_measures(&l);
        divide_edge(&l, &t, t.node[e][i % 2], t.node[e][2 + i % 2]);
        const sp_body_measures after = lab_measures(&l);
        // sums of up to 1000 numbers
        CHECK_NEAR(after.rest_volume, volume, 1e-12 * volume);
        CHECK_NEAR(after.volume, before.volume, 1e-12 * volume);
        CHECK_NEAR(after.mass, before.mass, 1e-12 * before.mass);
        for (int k = 0; k < 3; k++) CHECK_NEAR(after.momentum[k], before.momentum[k], 1e-11 * before.mass * 0.1);
        // strains of 0.1 with an error of 1e-15
        CHECK_NEAR(after.elastic, before.elastic, 1e-12 * before.elastic);
        if (mass == SP_MASS_CONSISTENT) CHECK_NEAR(after.kinetic, before.kinetic, 1e-12 * before.kinetic + 1e-18);
        CHECK(after.kinetic <= before.kinetic * (1 + 1e-12));  // lumping in smaller pieces
        CHECK_INT(after.inverted, 0);
    }
    CHECK(lab_steps(&l, 0.01, 5) >= 0);
    CHECK_INT(lab_info(&l).elements, t.count);
    CHECK_INT(lab_info(&l).nodes, t.nodes);
    free(wall), free(t.node), free(t.gone);
    lab_close(&l);
}

TEST(divided_edges_conserve) {
    static const sp_material_model models[] = {SP_COROTATIONAL, SP_LINEAR, SP_NEO_HOOKEAN, SP_STVK};
    for (size_t i = 0; i < sizeof models / sizeof *models; i++)
        for (int mass = 0; mass < 2; mass++) divide_some(models[i], mass ? SP_MASS_CONSISTENT : SP_MASS_LUMPED, false);
    divide_some(SP_NEO_HOOKEAN, SP_MASS_LUMPED, true);
}
