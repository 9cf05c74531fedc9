// The contract of the body table: every kind passes the same checks. A kind is added by one line in `kinds`.
//
// points against pull by differences, push against pull, retract, mass, forces against energy and system where claimed, W against
// dense algebra, failure at every stage, checkpoint and go on, parameters and rollback.
#include "linear/blocks.h"
#include "test.h"
#include "unit/mock_body.h"
#include "world/world_internal.h"

enum { MOCK, RIGID, FREE_RIGID, SOLID, MEMBRANE, ROD };

typedef struct kind {
    const char *name;
    int type;
    sp_material_model model;
    sp_rotation rotation;
    sp_shape shape;
    sp_tangent tangent;
    const char *backend;
    sp_integrator_type integrator;
    sp_rod_model rod;
    bool free_root, edge_clamp, grows, held;
    bool weights;  // with point masses
    sp_integration integration;
    sp_mass_matrix mass;
    bool swells, relaxes, fibres, contracts;
} kind;

static const kind kinds[] = {
    {"mock", MOCK, .backend = "ref", .integrator = SP_IMPLICIT_EULER},
    {"mock newton", MOCK, .backend = "ref", .integrator = SP_NEWTON},
    {"mock explicit", MOCK, .backend = "ref", .integrator = SP_EXPLICIT},
    {"mock static", MOCK, .backend = "ref", .integrator = SP_STATIC},
    {"rigid", RIGID, .backend = "ref", .integrator = SP_IMPLICIT_EULER},
    {"rigid fixed", RIGID, .backend = "ref", .integrator = SP_IMPLICIT_EULER, .held = true},
    {"rigid free", FREE_RIGID, .backend = "ref", .integrator = SP_IMPLICIT_EULER},
    {"rigid free newton", FREE_RIGID, .backend = "ref", .integrator = SP_NEWTON},
    {"rigid free explicit", FREE_RIGID, .backend = "ref", .integrator = SP_EXPLICIT},
    {"rigid free static", FREE_RIGID, .backend = "ref", .integrator = SP_STATIC},
    {"solid linear", SOLID, .model = SP_LINEAR, .rotation = SP_ROTATION_POLAR, .shape = SP_SHAPE_REST,
     .tangent = SP_TANGENT_FROZEN, .backend = "ref", .integrator = SP_IMPLICIT_EULER},
    {"solid polar", SOLID, .model = SP_COROTATIONAL, .rotation = SP_ROTATION_POLAR, .shape = SP_SHAPE_REST,
     .tangent = SP_TANGENT_FROZEN, .backend = "ref", .integrator = SP_IMPLICIT_EULER},
    {"solid polar cpu", SOLID, .model = SP_COROTATIONAL, .rotation = SP_ROTATION_POLAR, .shape = SP_SHAPE_REST,
     .tangent = SP_TANGENT_FROZEN, .backend = "cpu", .integrator = SP_IMPLICIT_EULER},
    {"solid polar exact", SOLID, .model = SP_COROTATIONAL, .rotation = SP_ROTATION_POLAR, .shape = SP_SHAPE_REST,
     .tangent = SP_TANGENT_EXACT, .backend = "cpu", .integrator = SP_NEWTON},
    {"solid polar deformed", SOLID, .model = SP_COROTATIONAL, .rotation = SP_ROTATION_POLAR, .shape = SP_SHAPE_DEFORMED,
     .tangent = SP_TANGENT_FROZEN, .backend = "cpu", .integrator = SP_IMPLICIT_EULER},
    {"solid qr", SOLID, .model = SP_COROTATIONAL, .rotation = SP_ROTATION_QR, .shape = SP_SHAPE_REST,
     .tangent = SP_TANGENT_FROZEN, .backend = "cpu", .integrator = SP_IMPLICIT_EULER},
    {"solid svd", SOLID, .model = SP_COROTATIONAL, .rotation = SP_ROTATION_SVD, .shape = SP_SHAPE_REST,
     .tangent = SP_TANGENT_FROZEN, .backend = "cpu", .integrator = SP_NEWTON},
    {"solid svd exact", SOLID, .model = SP_COROTATIONAL, .rotation = SP_ROTATION_SVD, .shape = SP_SHAPE_REST,
     .tangent = SP_TANGENT_EXACT, .backend = "ref", .integrator = SP_NEWTON},
    {"solid explicit", SOLID, .model = SP_COROTATIONAL, .rotation = SP_ROTATION_POLAR, .shape = SP_SHAPE_REST,
     .tangent = SP_TANGENT_FROZEN, .backend = "cpu", .integrator = SP_EXPLICIT},
    {"solid static", SOLID, .model = SP_COROTATIONAL, .rotation = SP_ROTATION_POLAR, .shape = SP_SHAPE_REST,
     .tangent = SP_TANGENT_EXACT, .backend = "cpu", .integrator = SP_STATIC},
    {"solid patches", SOLID, .model = SP_COROTATIONAL, .rotation = SP_ROTATION_SVD, .shape = SP_SHAPE_REST,
     .tangent = SP_TANGENT_EXACT, .backend = "cpu", .integrator = SP_NEWTON, .integration = SP_INTEGRATION_B_BAR},
    {"solid patches static", SOLID, .model = SP_NEO_HOOKEAN, .tangent = SP_TANGENT_EXACT, .backend = "ref",
     .integrator = SP_STATIC, .integration = SP_INTEGRATION_B_BAR},
    {"solid patches explicit", SOLID, .model = SP_LINEAR, .backend = "cpu", .integrator = SP_EXPLICIT,
     .integration = SP_INTEGRATION_B_BAR},
    {"membrane", MEMBRANE, .model = SP_COROTATIONAL, .rotation = SP_ROTATION_SVD, .tangent = SP_TANGENT_EXACT, .backend = "cpu",
     .integrator = SP_IMPLICIT_EULER},
    {"membrane newton", MEMBRANE, .model = SP_NEO_HOOKEAN, .rotation = SP_ROTATION_SVD, .tangent = SP_TANGENT_EXACT,
     .backend = "ref", .integrator = SP_NEWTON},
    {"membrane explicit", MEMBRANE, .model = SP_STVK, .rotation = SP_ROTATION_SVD, .tangent = SP_TANGENT_EXACT, .backend = "cpu",
     .integrator = SP_EXPLICIT},
    {"membrane weights", MEMBRANE, .model = SP_NEO_HOOKEAN, .rotation = SP_ROTATION_SVD, .tangent = SP_TANGENT_FROZEN,
     .backend = "cpu", .integrator = SP_NEWTON, .weights = true},
    {"solid tensor-mass", SOLID, .model = SP_TENSOR_MASS, .tangent = SP_TANGENT_EXACT, .backend = "cpu", .integrator = SP_NEWTON},
    {"solid tensor-mass explicit", SOLID, .model = SP_TENSOR_MASS, .backend = "ref", .integrator = SP_EXPLICIT},
    {"membrane tensor-mass", MEMBRANE, .model = SP_TENSOR_MASS, .tangent = SP_TANGENT_EXACT, .backend = "ref",
     .integrator = SP_IMPLICIT_EULER},
    {"membrane springs", MEMBRANE, .model = SP_MASS_SPRING, .tangent = SP_TANGENT_EXACT, .backend = "cpu",
     .integrator = SP_NEWTON},
    {"clothoid", ROD, .backend = "cpu", .integrator = SP_IMPLICIT_EULER, .rod = SP_ROD_CLOTHOID},
    {"clothoid newton", ROD, .backend = "cpu", .integrator = SP_NEWTON, .rod = SP_ROD_CLOTHOID},
    {"clothoid static", ROD, .backend = "cpu", .integrator = SP_STATIC, .rod = SP_ROD_CLOTHOID},
    {"clothoid free", ROD, .backend = "cpu", .integrator = SP_IMPLICIT_EULER, .rod = SP_ROD_CLOTHOID, .free_root = true},
    {"clothoid growing", ROD, .backend = "cpu", .integrator = SP_IMPLICIT_EULER, .rod = SP_ROD_CLOTHOID, .grows = true},
    {"helix", ROD, .backend = "cpu", .integrator = SP_IMPLICIT_EULER, .rod = SP_ROD_HELIX},
    {"helix static", ROD, .backend = "cpu", .integrator = SP_STATIC, .rod = SP_ROD_HELIX},
    {"helix growing", ROD, .backend = "cpu", .integrator = SP_IMPLICIT_EULER, .rod = SP_ROD_HELIX, .grows = true},
    {"der", ROD, .backend = "cpu", .integrator = SP_IMPLICIT_EULER, .rod = SP_ROD_DER},
    {"der edge newton", ROD, .backend = "cpu", .integrator = SP_NEWTON, .rod = SP_ROD_DER, .edge_clamp = true},
    {"der static", ROD, .backend = "cpu", .integrator = SP_STATIC, .rod = SP_ROD_DER},
    {"der explicit", ROD, .backend = "cpu", .integrator = SP_EXPLICIT, .rod = SP_ROD_DER},
    {"der free", ROD, .backend = "cpu", .integrator = SP_NEWTON, .rod = SP_ROD_DER, .free_root = true},
    {"beam", ROD, .backend = "cpu", .integrator = SP_IMPLICIT_EULER, .rod = SP_ROD_BEAM},
    {"beam newton", ROD, .backend = "cpu", .integrator = SP_NEWTON, .rod = SP_ROD_BEAM},
    {"beam static", ROD, .backend = "cpu", .integrator = SP_STATIC, .rod = SP_ROD_BEAM},
    {"beam explicit", ROD, .backend = "cpu", .integrator = SP_EXPLICIT, .rod = SP_ROD_BEAM},
    {"beam free", ROD, .backend = "cpu", .integrator = SP_IMPLICIT_EULER, .rod = SP_ROD_BEAM, .free_root = true},
    {"solid weights", SOLID, .model = SP_COROTATIONAL, .rotation = SP_ROTATION_POLAR, .shape = SP_SHAPE_REST,
     .tangent = SP_TANGENT_EXACT, .backend = "cpu", .integrator = SP_NEWTON, .weights = true},
    {"solid weights explicit", SOLID, .model = SP_LINEAR, .rotation = SP_ROTATION_POLAR, .shape = SP_SHAPE_REST,
     .tangent = SP_TANGENT_FROZEN, .backend = "ref", .integrator = SP_EXPLICIT, .weights = true},
    {"solid consistent", SOLID, .model = SP_COROTATIONAL, .rotation = SP_ROTATION_POLAR, .shape = SP_SHAPE_REST,
     .tangent = SP_TANGENT_FROZEN, .backend = "cpu", .integrator = SP_IMPLICIT_EULER, .mass = SP_MASS_CONSISTENT},
    {"solid consistent newton", SOLID, .model = SP_NEO_HOOKEAN, .tangent = SP_TANGENT_EXACT, .backend = "ref",
     .integrator = SP_NEWTON, .weights = true, .mass = SP_MASS_CONSISTENT},
    {"solid swelling", SOLID, .model = SP_COROTATIONAL, .rotation = SP_ROTATION_SVD, .tangent = SP_TANGENT_EXACT,
     .backend = "cpu", .integrator = SP_NEWTON, .swells = true},
    {"solid swelling ref", SOLID, .model = SP_LINEAR, .tangent = SP_TANGENT_FROZEN, .backend = "ref",
     .integrator = SP_IMPLICIT_EULER, .swells = true},
    {"solid viscous", SOLID, .model = SP_COROTATIONAL, .rotation = SP_ROTATION_SVD, .tangent = SP_TANGENT_EXACT, .backend = "cpu",
     .integrator = SP_NEWTON, .relaxes = true},
    {"solid viscous explicit", SOLID, .model = SP_TENSOR_MASS, .backend = "ref", .integrator = SP_EXPLICIT, .relaxes = true},
    {"solid viscous static", SOLID, .model = SP_NEO_HOOKEAN, .tangent = SP_TANGENT_EXACT, .backend = "ref",
     .integrator = SP_STATIC, .relaxes = true},
    {"solid fibres", SOLID, .model = SP_COROTATIONAL, .rotation = SP_ROTATION_SVD, .tangent = SP_TANGENT_EXACT, .backend = "cpu",
     .integrator = SP_NEWTON, .fibres = true},
    {"solid muscle", SOLID, .model = SP_NEO_HOOKEAN, .tangent = SP_TANGENT_EXACT, .backend = "cpu",
     .integrator = SP_IMPLICIT_EULER, .relaxes = true, .fibres = true, .contracts = true},
    {"solid holzapfel", SOLID, .model = SP_HOLZAPFEL, .tangent = SP_TANGENT_EXACT, .backend = "ref", .integrator = SP_NEWTON},
    {"solid costa", SOLID, .model = SP_COSTA, .tangent = SP_TANGENT_EXACT, .backend = "cpu", .integrator = SP_NEWTON},
    {"solid costa viscous", SOLID, .model = SP_COSTA, .tangent = SP_TANGENT_EXACT, .backend = "ref", .integrator = SP_NEWTON,
     .relaxes = true},
    {"solid springs", SOLID, .model = SP_MASS_SPRING, .tangent = SP_TANGENT_EXACT, .backend = "cpu", .integrator = SP_NEWTON},
    {"clothoid weights", ROD, .backend = "cpu", .integrator = SP_IMPLICIT_EULER, .rod = SP_ROD_CLOTHOID, .weights = true},
    {"clothoid weights newton", ROD, .backend = "cpu", .integrator = SP_NEWTON, .rod = SP_ROD_CLOTHOID, .free_root = true,
     .weights = true},
    {"clothoid weights growing", ROD, .backend = "cpu", .integrator = SP_IMPLICIT_EULER, .rod = SP_ROD_CLOTHOID, .grows = true,
     .weights = true},
    {"helix weights static", ROD, .backend = "cpu", .integrator = SP_STATIC, .rod = SP_ROD_HELIX, .weights = true},
    {"der weights", ROD, .backend = "cpu", .integrator = SP_EXPLICIT, .rod = SP_ROD_DER, .weights = true},
    {"beam weights", ROD, .backend = "cpu", .integrator = SP_EXPLICIT, .rod = SP_ROD_BEAM, .weights = true},
    {"beam weights implicit", ROD, .backend = "cpu", .integrator = SP_IMPLICIT_EULER, .rod = SP_ROD_BEAM, .weights = true},
};
enum { KINDS = sizeof kinds / sizeof *kinds };

static sp_context *ctx;

enum { NV_MAX = 300, NQ_MAX = 500 };

static void sway(const void *user, double t, sp_pose *out) {
    (void)user;
    const double z[3] = {0, 0, 1};
    *out = sp_pose_identity();
    out->translate[0] = 0.3, out->translate[1] = -0.3 + 0.1 * t;
    sp__quat_axis(z, 0.3 * t, out->quat);
}

static void add_rigid(sp_world *w) {
    sp_rigid_shape ball = {.type = SP_SPHERE, .size = {0.3}, .pose = sp_pose_identity()};
    sp_rigid_def def = sp_rigid_def_default();
    def.name = "tool", def.shapes = &ball, def.shape_count = 1, def.kinematic = true;
    def.pose.eval = sway;
    CHECK_INT(sp_world_add_rigid(w, &def, NULL), SP_OK);
}

// a box with an eccentric ball, held by springs and pushed
static void add_free(sp_world *w, const kind *k) {
    const sp_rigid_shape shapes[2] = {
        {.type = SP_BOX, .size = {0.3, 0.2, 0.1}, .pose = sp_pose_identity()},
        {.type = SP_SPHERE, .size = {0.08}, .pose = {{0.3, 0.2, 0.1}, {1, 0, 0, 0}}},
    };
    sp_load load = {.type = SP_LOAD_FORCE, .at = {.offset = {0.05, 0.2, 0}}};
    sp_spring_def springs[3];
    sp_rigid_def def = sp_rigid_def_default();
    for (int i = 0; i < 3; i++) {
        load.value[i] = sp_signal_constant(5 - 7 * i);
        springs[i] = (sp_spring_def){.at = {.offset = {0.3 * (i == 0), 0.2 * (i == 1), 0.1 * (i == 2)}}, .stiffness = 2e3};
        for (int a = 0; a < 3; a++) springs[i].to[a] = sp_signal_constant(0.1 * a + 0.2 * (a == i));
    }
    def.name = "body", def.shapes = shapes, def.shape_count = k->held ? 1 : 2;
    def.pose.constant.translate[1] = 0.1;
    def.free = !k->held;
    if (def.free) def.loads = &load, def.load_count = 1, def.springs = springs, def.spring_count = 3;
    def.integrator.type = k->integrator;
    CHECK_INT(sp_world_add_rigid(w, &def, NULL), SP_OK);
}

static void add_mock(sp_world *w, const kind *k) {
    mock_def def = mock_def_default();
    sp_body *b;
    def.type = k->integrator, def.k3 = 1e4, def.contact_state = true;
    CHECK_INT(mock_create(ctx, &w->ctx->error, &def, &b), SP_OK);
    CHECK_INT(sp__world_adopt(w, b, "body", NULL), SP_OK);
}

// Two weights, about as heavy as the body: on a node; on a node and inside an element.
static const sp_anchor solid_weights[3] = {
    {.elem = 8, .at = {1, 0, 0}}, {.elem = 9, .at = {0, 1, 0}}, {.elem = 7, .at = {0.2, 0.3, 0.1}}};
static const sp_anchor rod_weights[3] = {{.elem = 3, .at = {1}}, {.elem = 1, .at = {0}}, {.elem = 5, .at = {0.3}}};

static void add_weights(const sp_anchor at[3], double mass, double inertia, sp_mass_def out[2]) {
    out[0] = (sp_mass_def){.name = "bob", .at = at, .count = 1, .value = sp_signal_constant(mass), .inertia = inertia};
    out[1] = (sp_mass_def){.at = at + 1, .count = 2, .value = sp_signal_constant(1.5 * mass)};
}

static const sp_anchor membrane_weights[3] = {
    {.elem = 8, .at = {1, 0, 0}}, {.elem = 9, .at = {0, 1, 0}}, {.elem = 7, .at = {0.2, 0.3, 0}}};
static double swelling(const void *user, double t) {
    (void)user;
    return 0.05 + 0.2 * t;
}

static void add_solid(sp_world *w, const kind *k) {
    sp_mesh *mesh;
    const double size[3] = {0.4, 0.2, 0.2};
    const int cells[3] = {2, 1, 1}, held[] = {0, 1, 2, 3};
    const bool membrane = k->type == MEMBRANE;
    sp_fix fix = {held, membrane ? 3 : 4, SP_AXES_ALL, 0};
    sp_solid_def def = sp_solid_def_default();
    if (membrane)
        CHECK_INT(sp_mesh_sheet(ctx, size, (int[]){3, 2}, true, &mesh), SP_OK);
    else
        CHECK_INT(sp_mesh_box(ctx, size, cells, 6, &mesh), SP_OK);
    def.thickness = membrane ? 0.05 : 0;
    def.name = "body", def.mesh = mesh, def.fixes = &fix, def.fix_count = 1;
    def.model = k->model, def.rotation = k->rotation, def.shape = k->shape, def.tangent = k->tangent;
    def.integration = k->integration;
    def.material.young = 2e4, def.integrator.type = k->integrator,
    def.integrator.substeps = k->integrator == SP_EXPLICIT ? 4 : SP_SUBSTEPS_AUTO;
    def.solver.tolerance = 1e-12, def.mass_matrix = k->mass;
    if (k->swells) def.eigenstrains.body.swell.eval = swelling;
    if (k->contracts) def.eigenstrains.body.active.eval = swelling;
    if (k->relaxes) def.material.relaxation_count = 1, def.material.relaxation[0] = 0.4, def.material.relaxation[1] = 0.02;
    if (k->fibres) def.material.fibre_young = 5e4;
    if (k->fibres || k->model == SP_HOLZAPFEL) memcpy(def.material.fibre, (double[]){1, 0.5, 0.2}, 3 * sizeof(double));
    sp_mass_def weights[2];
    add_weights(membrane ? membrane_weights : solid_weights, 8, 0, weights);
    def.masses = weights, def.mass_count = k->weights ? 2 : 0;
    CHECK_INT(sp_world_add_solid(w, &def, NULL), SP_OK);
    sp_mesh_destroy(&mesh);
}

// two strands, bent and twisted away from their natural shapes, the second one shorter
static void add_rod(sp_world *w, const kind *k) {
    sp_rod_section section = sp_rod_section_default();
    sp_rod_strand strands[2];
    sp_rod_grow grow = {.mode = SP_GROW_TIP, .rate = sp_signal_constant(2), .until = 0.6};
    sp_rod_def def = sp_rod_def_default();
    double natural[5][3], start[5][3];
    for (int i = 0; i < 5; i++)
        for (int c = 0; c < 3; c++) natural[i][c] = 0.3 * c + 0.1 * i, start[i][c] = 0.5 - 0.4 * c + 0.1 * i;
    section.axes[0] = 0.02, section.axes[1] = 0.015, section.young = 2e6;
    for (int i = 0; i < 2; i++) {
        strands[i] = (sp_rod_strand){.length = 0.4 - 0.1 * i, .elements = 4 - i, .root = sp_pose_identity()};
        strands[i].root.translate[1] = 0.045 + 0.1 * i;  // the tool slightly touches the first
        strands[i].curvature = natural[0], strands[i].start = start[0];
    }
    def.name = "body", def.model = k->rod, def.strands = strands, def.strand_count = 2;
    def.sections = &section, def.section_count = 1;
    def.free_root = k->free_root, def.edge_clamp = k->edge_clamp, def.grow = k->grows ? &grow : NULL;
    def.rayleigh_mass = 0.1, def.rayleigh_stiffness = 0.001, def.drag = 0.01;
    def.integrator.type = k->integrator, def.integrator.substeps = k->integrator == SP_EXPLICIT ? 40 : SP_SUBSTEPS_AUTO;
    def.sides = 3, def.rings = 1;
    sp_mass_def weights[2];
    add_weights(rod_weights, 0.2, 1e-4, weights);
    def.masses = weights, def.mass_count = k->weights ? 2 : 0;
    CHECK_INT(sp_world_add_rod(w, &def, NULL), SP_OK);
}

static sp_step *step;  // of the tested world

static sp_world *make(const kind *k) {
    sp_world_def def = sp_world_def_default();
    sp_contact_def contact = sp_contact_def_default();
    sp_world *w;
    def.backend = k->backend;
    CHECK_INT(sp_world_create(ctx, &def, &w), SP_OK);
    step = &w->step;
    if (k->type == MOCK) add_mock(w, k);
    if (k->type == SOLID || k->type == MEMBRANE) add_solid(w, k);
    if (k->type == ROD) add_rod(w, k);
    if (k->type == FREE_RIGID || k->held) add_free(w, k);
    add_rigid(w);
    contact.friction = 0.3;
    // contacts of free bodies are rows, which an explicit step does not have
    const bool refused = k->type == FREE_RIGID && k->integrator == SP_EXPLICIT;
    CHECK_INT(sp_world_set_contact(w, &contact), refused ? SP_BAD_INPUT : SP_OK);
    return w;
}

static sp_body *body_of(sp_world *w) {
    return w->bodies[0];
}

// all unknowns are fixed: no driver, no system
static bool prescribed(const sp_body *b) {
    bool all = true;
    for (int i = 0; i < b->nv; i++) all = all && b->fixed[i];
    CHECK(all == ((b->caps & SP_CAP_KINEMATIC) != 0));
    return all;
}

// a deformed trial state and its velocity
static void shake(sp_body *b, double size) {
    unsigned long long seed = 17;
    double d[NV_MAX];
    for (int i = 0; i < b->nv; i++) {
        d[i] = sp_test_random(&seed);
        b->v[SP_TRIAL][i] = sp_test_random(&seed);
    }
    b->ops->retract(b, step, SP_COMMITTED, size, d);
}

// the trial state `from`, moved by e along d: the coordinates of some kinds do not add
static void move_trial(sp_body *b, const double *from, double e, const double *d) {
    memcpy(b->q[SP_TRIAL], from, (size_t)b->nq * sizeof(double));
    b->ops->retract(b, step, SP_TRIAL, e, d);
}

static void move_along(sp_body *b, const double *from, double e, int unknown) {
    double d[NV_MAX] = {0};
    d[unknown] = 1;
    move_trial(b, from, e, d);
}

static int anchors_of(sp_body *b, sp_anchor *out, int most) {
    unsigned long long seed = 23;
    const sp_surface *s = b->surfaces[0];
    int n = 0;
    for (; n < most && n < s->vertex_count; n++) out[n] = s->anchors[n];
    // points inside
    for (int k = 0; k < 3 && n < most; k++) {
        double x[3];
        for (int a = 0; a < 3; a++) x[a] = 0.1 + 0.1 * sp_test_random(&seed);
        if (b->ops->anchor_point(b, x, &out[n]) >= 0) n++;
    }
    return n;
}

#define EACH_KIND(k, w, b)                                        \
    for (int at_ = 0; at_ < KINDS; at_++)                         \
        for (const kind *k = &kinds[at_]; k; k = NULL)            \
            for (sp_world *w = (begin(), make(k)); w; end(k, &w)) \
                for (sp_body *b = body_of(w), *once_ = b; once_; once_ = NULL)

static int failures_before;
static size_t bytes_before;

static void begin(void) {
    failures_before = sp_test_failures;
    sp_context_create(NULL, &ctx);
    sp_context_memory(ctx, &bytes_before, NULL);
}

static void end(const kind *k, sp_world **w) {
    size_t bytes;
    sp_world_destroy(w);
    sp_context_memory(ctx, &bytes, NULL);
    if (bytes != bytes_before) SP_TEST_FAILED("%zu bytes were not freed", bytes - bytes_before);
    sp_context_destroy(&ctx);
    if (sp_test_failures > failures_before) printf("  ... for %s\n", k->name);
}

// ---------------------------------------------------------------------------------------------------- points

enum { ANCHORS = 15, ENTRIES = 60 * ANCHORS };

static double row_times(const sp_rows *J, int row, const double *x) {
    double sum = 0;
    for (int i = J->start[row]; i < J->start[row + 1]; i++) sum += J->val[i] * x[J->col[i]];
    return sum;
}

TEST(points_against_jacobian_and_transpose) {
    EACH_KIND(k, w, b) {
        sp_anchor a[ANCHORS];
        int n = anchors_of(b, a, ANCHORS), start[ANCHORS + 1], col[ENTRIES];
        double dir[3 * ANCHORS], val[ENTRIES], x[3 * ANCHORS], v[3 * ANCHORS], y[3 * ANCHORS], dq[300], g[300] = {0};
        double q[NQ_MAX];
        sp_rows J = {.capacity = ENTRIES, .start = start, .col = col, .val = val};
        unsigned long long seed = 31;
        REQUIRE(n > 2 && b->nv <= NV_MAX && b->nq <= NQ_MAX);
        for (int i = 0; i < 3 * n; i++) dir[i] = sp_test_random(&seed);
        for (int i = 0; i < b->nv; i++) dq[i] = sp_test_random(&seed);
        shake(b, 0.02);
        memcpy(b->v[SP_TRIAL], dq, (size_t)b->nv * sizeof *dq);
        CHECK_INT(b->ops->jacobian_rows(b, SP_TRIAL, n, a, dir, &J), SP_OK);
        CHECK_INT(J.n, n);
        b->ops->points(b, SP_TRIAL, n, a, x, v);
        double e = 1e-6, pushed = 0;
        // sum of J^T dir by push, against dq, is the same number by pull
        b->ops->apply_transpose(b, SP_TRIAL, n, a, dir, g);
        memcpy(q, b->q[SP_TRIAL], (size_t)b->nq * sizeof *q);
        move_trial(b, q, e, dq);
        b->ops->points(b, SP_TRIAL, n, a, y, NULL);
        move_trial(b, q, -e, dq);
        b->ops->points(b, SP_TRIAL, n, a, x, NULL);
        for (int i = 0; i < n; i++) {
            double moved = 0, speed = 0;
            for (int c = 0; c < 3; c++)
                moved += dir[3 * i + c] * (y[3 * i + c] - x[3 * i + c]) / (2 * e), speed += dir[3 * i + c] * v[3 * i + c];
            // rounding of 1e-16 / 1e-6; e2 of the third derivative where points are not linear
            CHECK_NEAR(moved, row_times(&J, i, dq), 1e-8);
            CHECK_NEAR(speed, row_times(&J, i, dq), 1e-12);
            pushed += row_times(&J, i, dq);
        }
        for (int i = 0; i < b->nv; i++) pushed -= g[i] * dq[i];
        CHECK_NEAR(pushed, 0, 1e-12);
    }
}

// rows fit exactly or are refused, with the same status by every kind
TEST(jacobian_rows_fit_or_are_refused) {
    EACH_KIND(k, w, b) {
        sp_anchor a[ANCHORS];
        int n = anchors_of(b, a, ANCHORS), start[ANCHORS + 1], col[ENTRIES];
        double dir[3 * ANCHORS], val[ENTRIES];
        sp_rows J = {.capacity = ENTRIES, .start = start, .col = col, .val = val};
        for (int i = 0; i < 3 * n; i++) dir[i] = 1;
        shake(b, 0.02);
        CHECK_INT(b->ops->jacobian_rows(b, SP_TRIAL, n, a, dir, &J), SP_OK);
        J.capacity = start[n];
        CHECK_INT(b->ops->jacobian_rows(b, SP_TRIAL, n, a, dir, &J), SP_OK);
        int capacity[] = {start[n] - 1, start[1] - 1, 0};
        for (int i = 0; i < 3; i++) {
            J.capacity = capacity[i];
            CHECK_INT(b->ops->jacobian_rows(b, SP_TRIAL, n, a, dir, &J), SP_BAD_INPUT);
        }
    }
}

TEST(retract_and_mass) {
    EACH_KIND(k, w, b) {
        double v[NV_MAX], y[NV_MAX], z[NV_MAX], twice = 0;
        unsigned long long seed = 41;
        for (int i = 0; i < b->nv; i++) v[i] = sp_test_random(&seed);
        b->ops->retract(b, step, SP_COMMITTED, 0, v);
        CHECK(memcmp(b->q[SP_TRIAL], b->q[SP_COMMITTED], (size_t)b->nq * sizeof(double)) == 0);
        b->ops->retract(b, step, SP_COMMITTED, 0.5, v);
        b->ops->retract(b, step, SP_TRIAL, 0.25, v);
        // two moves along the same v are one, by the kind's own difference of two states
        if (b->ops->difference) b->ops->difference(b, b->q[SP_COMMITTED], b->q[SP_TRIAL], y);
        for (int i = 0; i < b->nv && !b->ops->difference; i++) y[i] = b->q[SP_TRIAL][i] - b->q[SP_COMMITTED][i];
        for (int i = 0; i < b->nv; i++) CHECK_NEAR(y[i], 0.75 * v[i], 1e-14);
        if (prescribed(b)) continue;  // no forces, no mass
        b->ops->mass(b, v, y, false);
        for (int i = 0; i < b->nv; i++) twice += v[i] * y[i];
        CHECK(twice > 0);
        if (b->caps & SP_CAP_MASSLESS) continue;
        b->ops->mass(b, y, z, true);
        for (int i = 0; i < b->nv; i++) CHECK_NEAR(z[i], v[i], 1e-14);
    }
}

// ---------------------------------------------------------------------------------------------------- mechanics

static double energy_at(sp_body *b) {
    sp__loads_evaluate(b, step, SP_CONTACT_TRIAL);
    b->ops->evaluate(b, step, SP_WANT_FORCE | SP_WANT_ENERGY);
    return b->energy;
}

static sp_status evaluate(sp_body *b) {
    sp__loads_evaluate(b, step, SP_CONTACT_TRIAL);
    return b->ops->evaluate(b, step, SP_WANT_FORCE);
}

// y += m J^T J x, with rows of the kind
static void add_mass_product(sp_body *b, double m, const sp_anchor *at, const double *x, double *y) {
    static const double axes[9] = {1, 0, 0, 0, 1, 0, 0, 0, 1};
    const sp_anchor three[3] = {*at, *at, *at};
    int start[4], col[ENTRIES];
    double val[ENTRIES];
    sp_rows J = {.capacity = ENTRIES, .start = start, .col = col, .val = val};
    CHECK_INT(b->ops->jacobian_rows(b, SP_TRIAL, 3, three, axes, &J), SP_OK);
    for (int row = 0; row < 3; row++) {
        double v = row_times(&J, row, x);
        for (int i = start[row]; i < start[row + 1]; i++) y[col[i]] += m * v * val[i];
    }
}

// M x of the table and of the system grow by m J^T J x, the force by J^T m g, the kinetic energy by m |J v|2 / 2
TEST(a_point_mass_adds_to_the_mass_matrix) {
    EACH_KIND(k, w, b) {
        sp_param p;
        sp_body *owner;
        sp_gravity *gravity;
        sp_system A;
        double x[NV_MAX], y[5][NV_MAX], f[NV_MAX], more = 0.3, size = 0, at[3], v[3];
        unsigned long long seed = 43;
        if (!k->weights) continue;
        const double zero[3] = {0};
        sp_energies before, after;
        REQUIRE(sp__find_param(w, "body.bob.value", &p, &owner, &gravity) && owner == b);
        sp__prescribe(w, 0.01);
        b->loads.contact = NULL, b->loads.mass_drag = 0;
        shake(b, 0.02);
        memset(y, 0, sizeof y);
        for (int i = 0; i < b->nv; i++) x[i] = sp_test_random(&seed);
        for (int round = 0; round < 2; round++) {
            if (round) *p.value += more, p.changed(b);
            step->h = 0;  // no damping
            memset(b->v[SP_TRIAL], 0, (size_t)b->nv * sizeof(double));
            CHECK_INT(evaluate(b), SP_OK);
            CHECK_INT(b->ops->linearise(b, step, &A), SP_OK);
            b->ops->mass(b, x, y[2 * round], false);
            A.mul_raw(A.o, (sp_coef){1, 0, 0}, x, y[2 * round + 1]);
            for (int i = 0; i < b->nv; i++) f[i] = round ? b->f[i] - f[i] : b->f[i];
            memcpy(b->v[SP_TRIAL], x, (size_t)b->nv * sizeof *x);
            b->ops->energies(b, SP_TRIAL, round ? &after : &before);
        }
        const sp_anchor *point = &b->loads.masses[0].at[0];
        add_mass_product(b, more, point, x, y[4]);
        for (int i = 0; i < b->nv; i++) size = fmax(size, fabs(y[3][i]));
        // rounding of sums
        for (int i = 0; i < b->nv; i++) {
            CHECK_NEAR(y[2][i] - y[0][i], y[4][i], 1e-13 * size);
            CHECK_NEAR(y[3][i] - y[1][i], y[4][i], 1e-13 * size);
        }
        b->ops->points(b, SP_TRIAL, 1, point, at, v);
        CHECK_NEAR(after.kinetic - before.kinetic, 0.5 * more * sp__dot3(v, v), 1e-13 * after.kinetic);
        double weight[3], g[NV_MAX] = {0};
        sp__axpy3(zero, more, step->gravity, weight);
        b->ops->apply_transpose(b, SP_TRIAL, 1, point, weight, g);
        size = 0;
        for (int i = 0; i < b->nv; i++) size = fmax(size, fabs(b->f[i]));
        for (int i = 0; i < b->nv; i++) CHECK_NEAR(f[i], g[i], 1e-13 * size);
    }
}

TEST(forces_are_minus_the_gradient_where_there_is_an_energy) {
    EACH_KIND(k, w, b) {
        if (!(b->caps & SP_CAP_ENERGY)) continue;
        sp__prescribe(w, 0.01);
        w->contact.friction = 0;
        shake(b, 0.02);
        memset(b->v[SP_TRIAL], 0, (size_t)b->nv * sizeof(double));
        step->h = 0;
        b->integrator.type = SP_STATIC;
        sp__loads_begin(b, step);
        double f[NV_MAX], q[NQ_MAX], largest = 0, e = 1e-6;
        energy_at(b);
        memcpy(f, b->f, (size_t)b->nv * sizeof *f);
        memcpy(q, b->q[SP_TRIAL], (size_t)b->nq * sizeof *q);
        for (int i = 0; i < b->nv; i++) largest = fmax(largest, fabs(f[i]));
        for (int i = 0; i < b->nv; i++) {
            move_along(b, q, e, i);
            double up = energy_at(b);
            move_along(b, q, -e, i);
            double down = energy_at(b);
            // differences of 1e-6 in energies of about force times 0.1 m: 1e-16 0.1 / 1e-6, and e2 of the third derivative
            CHECK_NEAR(f[i], -(up - down) / (2 * e), 1e-7 * largest);
        }
    }
}

// Columns of -df by central differences. Rotations about world axes do not commute, so for a rotational unknown the derivative of
// its force has a skew part, as large as the force itself; a system contains the symmetric part.
static void differences(sp_body *b, double *D) {
    int n = b->nv;
    double q[NQ_MAX], f[2][NV_MAX], e = 1e-6;
    memcpy(q, b->q[SP_TRIAL], (size_t)b->nq * sizeof *q);
    for (int j = 0; j < n; j++) {
        for (int s = 0; s < 2; s++) {
            move_along(b, q, s ? -e : e, j);
            CHECK_INT(evaluate(b), SP_OK);
            memcpy(f[s], b->f, (size_t)n * sizeof(double));
        }
        for (int i = 0; i < n; i++) D[i * n + j] = -(f[0][i] - f[1][i]) / (2 * e);
    }
    memcpy(b->q[SP_TRIAL], q, (size_t)b->nq * sizeof *q);
}

TEST(system_is_the_derivative_where_exact) {
    EACH_KIND(k, w, b) {
        if (!(b->caps & SP_CAP_EXACT_TANGENT)) continue;
        sp_system A;
        int n = b->nv;
        double x[NV_MAX], y[NV_MAX], largest = 0, *D = malloc((size_t)n * (size_t)n * sizeof *D);
        sp__prescribe(w, 0.01);
        w->has_contact = false, b->loads.contact = NULL;
        shake(b, 0.02);
        memset(b->v[SP_TRIAL], 0, (size_t)n * sizeof(double));
        step->h = 0;
        differences(b, D);
        CHECK_INT(evaluate(b), SP_OK);
        CHECK_INT(b->ops->linearise(b, step, &A), SP_OK);
        for (int i = 0; i < n * n; i++) largest = fmax(largest, fabs(D[i]));
        for (int j = 0; j < n; j++) {
            memset(x, 0, sizeof x);
            x[j] = 1;
            A.mul_raw(A.o, (sp_coef){0, 0, 1}, x, y);
            // central differences of 1e-6 on forces of K times 0.02. Fixed unknowns do not count
            for (int i = 0; i < n; i++)
                if (!b->fixed[i] && !b->fixed[j]) CHECK_NEAR(y[i], 0.5 * (D[i * n + j] + D[j * n + i]), 1e-6 * largest);
        }
        free(D);
    }
}

// symmetry, unit rows of fixed unknowns, and the dot product that mul returns
TEST(system_is_symmetric_with_unit_rows) {
    EACH_KIND(k, w, b) {
        if (prescribed(b)) continue;
        sp_system A;
        sp_coef c = {1, 0.01, 1e-4};
        double x[300], y[300], Ax[300], Ay[300], xy = 0, yx = 0, size = 0;
        unsigned long long seed = 51;
        sp__prescribe(w, 0.01);
        shake(b, 0.02);
        evaluate(b);
        b->ops->linearise(b, step, &A);
        for (int i = 0; i < b->nv; i++) x[i] = sp_test_random(&seed), y[i] = sp_test_random(&seed);
        double dot = A.mul(A.o, c, x, Ax);
        A.mul(A.o, c, y, Ay);
        for (int i = 0; i < b->nv; i++) {
            xy += x[i] * Ay[i], yx += y[i] * Ax[i], dot -= x[i] * Ax[i], size += fabs(x[i] * Ax[i]);
            if (b->fixed[i]) CHECK(Ax[i] == x[i]);
        }
        CHECK_NEAR(xy, yx, 1e-12 * size);
        CHECK_NEAR(dot, 0, 1e-12 * size);
        CHECK(A.n == b->nv && A.block > 0 && A.n % A.block == 0 && A.fixed == b->fixed);
    }
}

// All data of a system that a solver can read, one array after the other.
typedef struct seen {
    double number[60000];
    size_t count;
} seen;

static void see(seen *s, const double *x, size_t n) {
    REQUIRE(s->count + n <= sizeof s->number / sizeof *s->number);
    memcpy(s->number + s->count, x, n * sizeof *x);
    s->count += n;
}

static void see_bands(seen *s, const sp_system *A, sp_coef c) {
    double band[8000];
    for (int k = 0; A->parts && k < A->parts->count; k++) {
        size_t n = (size_t)(A->parts->start[k + 1] - A->parts->start[k]) * ((size_t)A->parts->band[k] + 1);
        REQUIRE(n <= sizeof band / sizeof *band);
        A->parts->fill(A->o, c, k, band);
        see(s, band, n);
    }
}

static void see_blocks(seen *s, const sp_system *A, sp_coef c, sp_blocks *M) {
    double turn[3 * NV_MAX + 1];
    if (!M) return;
    CHECK_INT(A->assemble(A->o, c, M), SP_OK);
    see(s, M->val, 36 * (size_t)M->slots);
    CHECK_INT(A->node_rotations(A->o, turn), SP_OK);
    see(s, turn, 3 * (size_t)A->n);
}

static void see_elements(seen *s, const sp_elements *e, void *o) {
    double R[9 * 64];
    if (!e) return;
    REQUIRE(e->count <= 64);
    e->rotations(o, 0, e->count, R);
    see(s, R, 9 * (size_t)e->count);
}

static void see_system(seen *s, const sp_system *A, sp_blocks *M) {
    const sp_coef c = {1, 0.01, 1e-4};
    double x[NV_MAX + 1], y[NV_MAX + 1];
    unsigned long long seed = 61;
    s->count = 0;
    for (int i = 0; i < A->n; i++) x[i] = sp_test_random(&seed);
    double dot = A->mul(A->o, c, x, y);
    see(s, &dot, 1), see(s, y, (size_t)A->n);
    A->mul_raw(A->o, c, x, y);
    see(s, y, (size_t)A->n);
    see_bands(s, A, c), see_blocks(s, A, c, M), see_elements(s, A->elements, A->o);
}

static bool same(const seen *a, const seen *b) {
    return a->count == b->count && memcmp(a->number, b->number, a->count * sizeof *a->number) == 0;
}

static sp_spring *pull_at(sp_body *b, const sp_anchor *a) {
    if (sp__loads_reserve(b, 1) < 0) return NULL;
    sp_spring *s = &b->loads.springs[b->loads.spring_count++];
    *s = (sp_spring){.at = *a, .stiffness = 1e4, .damping = 2, .axes = SP_AXES_ALL, .slot = 0, .active = true};
    return s;
}

// ---------------------------------------------------------------------------------------------------- fields

// a listed field has what its entry says, can be asked for by name, and writes as many numbers as it says
static void check_field(sp_world *w, sp_body_id id, int index) {
    sp_field_info f, named, all;
    double *x;
    REQUIRE(sp_world_field_at(w, id, index, &f) == SP_OK);
    CHECK(f.name[0] && f.label[0] && f.unit[0] && f.meaning[0] && f.low < f.high && f.count > 0);
    CHECK(sp_world_field_info(w, id, f.name, &named) == SP_OK && named.name == f.name && named.count == f.count);
    CHECK(sp_field_named(f.name, &all) == SP_OK && all.count == 0 && all.components == f.components && all.on == f.on);
    int axes = f.axes[0] != 0;
    for (const char *c = f.axes; *c; c++) axes += *c == ' ';
    CHECK_INT(axes, f.components > 1 ? f.components : 0);
    size_t n = (size_t)f.count * (size_t)f.components;
    REQUIRE((x = malloc((n + 1) * sizeof *x)) != NULL);
    for (size_t i = 0; i <= n; i++) x[i] = -7.25e77;
    CHECK_INT(sp_world_field(w, id, f.name, x), SP_OK);
    for (size_t i = 0; i < n; i++) CHECK(isnan(x[i]) || (x[i] >= f.low - 1e-12 && x[i] <= f.high + 1e-12 && x[i] != -7.25e77));
    CHECK(x[n] == -7.25e77);
    free(x);
}

TEST(every_listed_field_can_be_asked_for) {
    bool met[SP_FIELD_COUNT] = {false};
    EACH_KIND(k, w, b) {
        sp_field_info f;
        for (int i = 0; i < w->body_count; i++) {
            sp_body_id id = w->bodies[i]->id;
            int n = sp_world_field_count(w, id);
            CHECK(n > 0 && n == w->bodies[i]->ops->field_count);
            for (int field = 0; field < n; field++) check_field(w, id, field), met[w->bodies[i]->ops->fields[field].id] = true;
            CHECK_INT(sp_world_field_at(w, id, n, &f), SP_BAD_INPUT);
            CHECK_INT(sp_world_field_at(w, id, -1, &f), SP_BAD_INPUT);
            // a name that it has not is refused with those that it has
            CHECK_INT(sp_world_field_info(w, id, "taste", &f), SP_BAD_INPUT);
            for (int field = 0; field < n; field++)
                CHECK(sp_world_field_at(w, id, field, &f) == SP_OK && strstr(sp_world_error(w)->message, f.name));
        }
        // the world's list: each name once
        const sp_body_id all = {0};
        int n = sp_world_field_count(w, all), before = -1;
        CHECK(n >= b->ops->field_count && n <= SP_FIELD_COUNT);
        for (int i = 0; i < n; i++) {
            int at = 0;
            sp_field_info entry;
            REQUIRE(sp_world_field_at(w, all, i, &f) == SP_OK);
            while (sp_field_at(at, &entry) == SP_OK && entry.name != f.name) at++;
            CHECK(at > before && f.count == 0);
            before = at;
        }
        CHECK_INT(sp_world_field_count(w, (sp_body_id){99, 1}), SP_BAD_ID);
    }
    sp_field_info f;
    CHECK_INT(sp_field_count(), SP_FIELD_COUNT);
    CHECK(sp_field_at(-1, &f) == SP_BAD_INPUT && sp_field_at(SP_FIELD_COUNT, &f) == SP_BAD_INPUT);
    CHECK_INT(sp_field_named("taste", &f), SP_BAD_INPUT);
    // every field of the list belongs to some kind
    for (int i = 0; i < SP_FIELD_COUNT; i++) CHECK(met[i]);
}

// Products, assembled matrix, bands and rotations belong to the linearised state, to the bit, while other states with other point
// terms are evaluated and fields are queried.
TEST(a_system_is_unchanged_until_the_next_linearise) {
    static seen first, later;
    EACH_KIND(k, w, b) {
        if (prescribed(b)) continue;
        sp_anchor a[3];
        sp_system A, next;
        sp_blocks *M = NULL;
        sp_field_info info;
        double force[NQ_MAX];
        REQUIRE(anchors_of(b, a, 3) == 3);
        sp__prescribe(w, 0.01);
        sp_spring *s = pull_at(b, &a[2]);
        REQUIRE(s);
        if (k->type == SOLID) b->solver_def.type = SP_SOLVER_UPDATED_CHOLESKY;  // needs the elements
        shake(b, 0.02);
        CHECK_INT(evaluate(b), SP_OK);
        CHECK_INT(b->ops->linearise(b, step, &A), SP_OK);
        if (A.make_pattern) REQUIRE(A.make_pattern(A.o, ctx, &M) == SP_OK);
        see_system(&first, &A, M);
        // twice: written buffers must not become the read ones again
        for (int round = 1; round <= 2; round++) {
            s->at = a[round - 1], s->stiffness = 3e4;
            s->active = round == 1;
            shake(b, -0.03 * round);
            CHECK_INT(evaluate(b), SP_OK);
            see_system(&later, &A, M);
            CHECK(same(&first, &later));
        }
        sp__body_field_get(b, step, "force", &info, force);
        see_system(&later, &A, M);
        CHECK(same(&first, &later));
        // the next one differs
        s->active = true;
        shake(b, -0.03);
        CHECK_INT(evaluate(b), SP_OK);
        CHECK_INT(b->ops->linearise(b, step, &next), SP_OK);
        see_system(&later, &next, M);
        CHECK(!same(&first, &later));
        sp__blocks_destroy(&M);
    }
}

// Gaussian elimination with pivoting on a copy, the reference
static void solve_dense(int n, double *A, double *x) {
    for (int p = 0; p < n; p++) {
        int best = p;
        for (int i = p; i < n; i++)
            if (fabs(A[i * n + p]) > fabs(A[best * n + p])) best = i;
        for (int j = 0; j < n; j++) {
            double t = A[p * n + j];
            A[p * n + j] = A[best * n + j], A[best * n + j] = t;
        }
        double t = x[p];
        x[p] = x[best], x[best] = t;
        for (int i = p + 1; i < n; i++) {
            double s = A[i * n + p] / A[p * n + p];
            for (int j = p; j < n; j++) A[i * n + j] -= s * A[p * n + j];
            x[i] -= s * x[p];
        }
    }
    for (int i = n - 1; i >= 0; i--) {
        for (int j = i + 1; j < n; j++) x[i] -= A[i * n + j] * x[j];
        x[i] /= A[i * n + i];
    }
}

// The products of all strands of a rod add up to that of the body, also for rows that two strands share, as where one touches the
// other. Rows of a strand ascend by their first unknown.
static void compare_strands(sp_compliance *C, const sp_system *A, const sp_rows *J, const double *G, double scale) {
    double sum[36] = {0}, own[36];
    for (int part = 0; part < A->parts->count; part++) {
        int row[6], first[6], count = 0;
        for (int r = 0; r < J->n; r++) {
            int least = A->n;
            for (int k = J->start[r]; k < J->start[r + 1]; k++)
                if (J->col[k] >= A->parts->start[part] && J->col[k] < A->parts->start[part + 1] && J->col[k] < least)
                    least = J->col[k];
            if (least == A->n) continue;
            int at = count++;
            for (; at > 0 && first[at - 1] > least; at--) first[at] = first[at - 1], row[at] = row[at - 1];
            first[at] = least, row[at] = r;
        }
        sp_part_rows list = {part, count, row, own};
        CHECK_INT(sp__compliance_product_parts(C, J, 1, &list), SP_OK);
        for (int i = 0; i < count * count; i++) sum[row[i / count] * J->n + row[i % count]] += own[i];
    }
    for (int i = 0; i < J->n * J->n; i++) CHECK_NEAR(sum[i], G[i], 1e-9 * scale);
}

// The compliance of the contacts of a body: J A^-1 J^T against dense algebra where it is exact, and the correction with the same
// inverse. Condition numbers times the unit roundoff of double, or of float.
static void compare_compliance(sp_body *b, const sp_system *A, sp_coef c, int type, const sp_rows *J, const double *dense) {
    int n = b->nv, m = J->n;
    sp_compliance *C = NULL;
    sp_solver_def def = b->solver_def;
    double G[36], scale = 0;
    def.cholesky.precision = SP_FACTOR_DOUBLE;
    if (!A->parts && !A->assemble) return;  // products only: no contact acts on such a body
    if (type == SP_COMPLIANCE_BLOCK_TRIDIAGONAL && !A->parts) return;
    REQUIRE(m * m <= 36);
    CHECK_INT(sp__compliance_create(b->ctx, b->solver->be, (sp_compliance_type)type, &def, &C), SP_OK);
    CHECK_INT(sp__compliance_prepare(C, b->solver, A, c), SP_OK);
    CHECK_INT(sp__compliance_product(C, J, G, m), SP_OK);
    double *copy = malloc((size_t)n * (size_t)n * sizeof *copy), *x = calloc((size_t)n + 4, sizeof *x);
    for (int i = 0; i < m; i++) scale = fmax(scale, G[i * m + i]);
    for (int r = 0; r < m; r++) {
        for (int apply = 0; apply < 2; apply++) {
            memset(x, 0, (size_t)n * sizeof *x);
            for (int i = J->start[r]; i < J->start[r + 1]; i++)
                if (!b->fixed[J->col[i]]) x[J->col[i]] += J->val[i];
            if (apply) {
                sp__compliance_apply(C, x, x);
            } else {
                memcpy(copy, dense, (size_t)n * (size_t)n * sizeof *copy);
                solve_dense(n, copy, x);
            }
            // others may use a factor of an earlier matrix, or in float
            bool is_exact = type == SP_COMPLIANCE_WARPED || type >= SP_COMPLIANCE_EXACT;
            for (int s = 0; s < m && (apply || is_exact); s++) {
                double sum = 0;
                for (int i = J->start[s]; i < J->start[s + 1]; i++)
                    if (!b->fixed[J->col[i]]) sum += J->val[i] * x[J->col[i]];
                CHECK_NEAR(G[r * m + s], sum, (is_exact ? 1e-9 : 1e-4) * scale);
            }
        }
    }
    if (A->parts) compare_strands(C, A, J, G, scale);
    free(copy), free(x);
    sp__compliance_destroy(&C);
}

// The last two rows become one, as that of a body that touches itself: it has the unknowns of both points.
static void couple_rows(sp_rows *J) {
    J->n--;
    J->start[J->n] = J->start[J->n + 1];
}

// W = J A^-1 J^T by the body's solver, matrix-free and as configured, against dense algebra on the columns of mul
TEST(delassus_against_dense_algebra) {
    EACH_KIND(k, w, b) {
        if (prescribed(b)) continue;
        enum { ROWS = 6 };
        sp_anchor a[ANCHORS];
        int n = b->nv, start[ROWS + 1], col[60 * ROWS], found = anchors_of(b, a, ANCHORS);
        double dir[3 * ROWS], val[60 * ROWS], W[ROWS][ROWS];
        sp_rows J = {.capacity = 60 * ROWS, .start = start, .col = col, .val = val};
        sp_system A;
        sp_coef c = {1, 0.01, 1e-4};
        unsigned long long seed = 61;
        bool definite = true;
        REQUIRE(found >= ROWS);
        double *dense = malloc((size_t)n * (size_t)n * sizeof *dense), *copy = malloc((size_t)n * (size_t)n * sizeof *copy);
        double *x = calloc((size_t)n + 1, sizeof *x), *y = calloc((size_t)n + 1, sizeof *y);
        for (int i = 0; i < 3 * ROWS; i++) dir[i] = sp_test_random(&seed);
        sp__prescribe(w, 0.01);
        shake(b, 0.01);
        evaluate(b);
        b->ops->linearise(b, step, &A);
        // anchors from the end of the list: away from fixed nodes
        CHECK_INT(b->ops->jacobian_rows(b, SP_TRIAL, ROWS, a + found - ROWS, dir, &J), SP_OK);
        couple_rows(&J);
        for (int j = 0; j < n; j++) {
            memset(x, 0, (size_t)n * sizeof *x);
            x[j] = 1;
            A.mul(A.o, c, x, y);
            for (int i = 0; i < n; i++) dense[i * n + j] = y[i];
        }
        for (int r = 0; r < J.n; r++) {
            double rhs[300] = {0};
            for (int i = J.start[r]; i < J.start[r + 1]; i++)
                if (!b->fixed[J.col[i]]) rhs[J.col[i]] += J.val[i];
            sp_linear_info info;
            CHECK_INT(sp__solver_solve(b->solver, &A, c, rhs, x, &info), SP_OK);
            // the exact tangent of statics need not be positive definite; no contact is solved with it
            if (info.status == SP_NOT_SPD && k->type == ROD && k->integrator == SP_STATIC) definite = false;
            if (!definite) break;
            memcpy(copy, dense, (size_t)n * (size_t)n * sizeof *copy);
            memcpy(y, rhs, (size_t)n * sizeof *y);
            solve_dense(n, copy, y);
            for (int s = 0; s < J.n; s++) {
                W[r][s] = row_times(&J, s, x);
                // the solver stops at 1e-12 of the right-hand side; W is about 1/m of a node
                CHECK_NEAR(W[r][s], row_times(&J, s, y), 1e-9 * (1 + fabs(W[r][s])));
            }
        }
        for (int r = 0; r < J.n && definite; r++) {
            CHECK(W[r][r] > 0);
            for (int s = 0; s < r; s++) CHECK_NEAR(W[r][s], W[s][r], 1e-9 * (1 + fabs(W[r][s])));
        }
        for (int type = SP_COMPLIANCE_AUTO; type <= SP_COMPLIANCE_BLOCK_TRIDIAGONAL && definite; type++)
            compare_compliance(b, &A, c, type, &J, dense);
        free(dense), free(copy), free(x), free(y);
    }
}

// ---------------------------------------------------------------------------------------------------- tiers

// hash of all bytes of a tier and the springs
static void hash_array(sp_visitor *v, const char *name, void *data, size_t size, size_t count) {
    (void)name;
    for (size_t i = 0; i < size * count; i++)
        *(uint64_t *)v->user = sp__mix(*(uint64_t *)v->user ^ ((unsigned char *)data)[i], i);
}

static uint64_t parameters_of(sp_world *w) {
    uint64_t sum = w->contact.friction > 0;
    sp_visitor v = {.array = hash_array, .user = &sum};
    for (int i = 0; i < w->body_count; i++) {
        sp_body *b = w->bodies[i];
        b->ops->visit(b, SP_PARAMETERS, &v);
        for (int k = 0; k < b->loads.spring_count; k++) {
            const sp_spring *from = &b->loads.springs[k];
            sp_spring s;
            memset(&s, 0, sizeof s);  // padding has no value; `before` belongs to the last step only
            s.at = from->at, s.stiffness = from->stiffness, s.damping = from->damping, s.axes = from->axes;
            s.source = from->source, s.slot = from->slot, s.active = from->active, s.pin = from->pin;
            memcpy(s.to, from->to, sizeof s.to), memcpy(s.target, from->target, sizeof s.target);
            hash_array(&v, "spring", &s, sizeof s, 1);
        }
    }
    for (int i = 0; i < sp_world_param_count(w); i++) {
        sp_param_info info;
        sp_world_param_at(w, i, &info);
        hash_array(&v, "value", &info.value, sizeof info.value, 1);
    }
    return sum;
}

static void queue_param(sp_world *w, const char *path, double value) {
    sp_edit e = sp_edit_default(SP_EDIT_PARAM);
    snprintf(e.path, sizeof e.path, "%s", path);
    e.value = value;
    CHECK_INT(sp_world_queue(w, &e), SP_OK);
}

// one of each edit that the kind supports
static void queue_all(sp_world *w, const kind *k, int round) {
    sp_edit e = sp_edit_default(SP_EDIT_POSE);
    e.body = sp_world_body_named(w, "tool");
    e.pose.translate[0] = 0.3, e.pose.translate[1] = -0.27 + 0.001 * round;  // touches the free end
    sp_world_queue(w, &e);
    queue_param(w, "gravity.x", 0.5 * round);
    if (k->type != FREE_RIGID) queue_param(w, "contact.friction", 0.1 * round);
    if (k->type == RIGID) return;
    if (k->type != FREE_RIGID) {
        queue_param(w, "body.young", k->type == MOCK ? 150 : k->type == ROD ? 1.5e6 : 1.5e4);
        e = sp_edit_default(SP_EDIT_PIN);
        e.body = sp_world_body_named(w, "body"), e.node = 2, e.axes = SP_AXIS_Z;
        sp_world_queue(w, &e);
    }
    e = sp_edit_default(SP_EDIT_DRAG);
    const double at[3] = {0.35, 0.1, 0.1};
    CHECK_INT(sp_world_anchor_point(w, sp_world_body_named(w, "body"), at, &e.anchor), SP_OK);
    e.target[0] = 0.4, e.target[1] = 0.1 * round, e.stiffness = 20;
    sp_world_queue(w, &e);
}

TEST(a_failure_at_any_stage_leaves_no_trace) {
    EACH_KIND(k, w, b) {
        double h = 0.004;
        (void)b;
        for (int i = 0; i < 3; i++) CHECK(sp_world_step(w, h) >= 0);
        // result of the same steps without any failure
        sp_world *twin = make(k);
        for (int i = 0; i < 3; i++) sp_world_step(twin, h);
        CHECK(sp_world_hash(w) == sp_world_hash(twin));
        for (int stage = 0; stage < SP_STAGE_COMMIT; stage++) {
            uint64_t hash = sp_world_hash(w), parameters = parameters_of(w), steps = sp_world_steps(w);
            double time = sp_world_time(w);
            queue_all(w, k, stage + 1), queue_all(twin, k, stage + 1);
            CHECK_INT(sp__world_inject_failure(w, (sp_stage)stage), SP_OK);
            CHECK_INT(sp_world_step(w, h), SP_STOPPED);
            CHECK(sp_world_hash(w) == hash && sp__world_compute_hash(w) == hash);
            CHECK(parameters_of(w) == parameters);
            CHECK(sp_world_steps(w) == steps && sp_world_time(w) == time);
            // again, with the edits that are still queued
            CHECK(sp_world_step(w, h) >= 0 && sp_world_step(twin, h) >= 0);
            CHECK(sp_world_hash(w) == sp_world_hash(twin) && sp_world_hash(w) != hash);
            CHECK(parameters_of(w) == parameters_of(twin));
            int n = 0;
            sp_world_edits_taken(w, &n);
            CHECK_INT(n, k->type == RIGID || k->type == FREE_RIGID ? 3 : 6);
        }
        sp_world_destroy(&twin);
    }
}

TEST(checkpoints_continue_with_the_same_hashes) {
    EACH_KIND(k, w, b) {
        double h = 0.004;
        uint64_t later[4];
        sp_checkpoint c;
        (void)b;
        queue_all(w, k, 1);
        for (int i = 0; i < 3; i++) CHECK(sp_world_step(w, h) >= 0);
        CHECK_INT(sp_world_save(w, &c), SP_OK);
        uint64_t hash = sp_world_hash(w), parameters = parameters_of(w);
        for (int i = 0; i < 4; i++) {
            if (i == 1) queue_all(w, k, 3);
            CHECK(sp_world_step(w, h) >= 0);
            later[i] = sp_world_hash(w);
        }
        // into the same world, then into one built by the same calls
        sp_world *other = make(k), *into[2] = {w, other};
        for (int t = 0; t < 2; t++) {
            CHECK_INT(sp_world_restore(into[t], c.data, c.size), SP_OK);
            CHECK(sp_world_hash(into[t]) == hash && parameters_of(into[t]) == parameters && sp_world_steps(into[t]) == 3);
            for (int i = 0; i < 4; i++) {
                if (i == 1) queue_all(into[t], k, 3);
                CHECK(sp_world_step(into[t], h) >= 0);
                CHECK(sp_world_hash(into[t]) == later[i]);
            }
        }
        // another world refuses it and is unchanged
        sp_world *alien = make(&kinds[k->type == MOCK ? 4 : 0]);
        uint64_t before = sp_world_hash(alien);
        CHECK_INT(sp_world_restore(alien, c.data, c.size), SP_BAD_INPUT);
        CHECK(sp_world_hash(alien) == before && sp_world_steps(alien) == 0);
        sp_world_destroy(&alien);
        sp_checkpoint_free(w, &c);
        sp_world_destroy(&other);
    }
}

TEST(damaged_checkpoints_are_refused) {
    EACH_KIND(k, w, b) {
        sp_checkpoint c;
        (void)b;
        sp_world_step(w, 0.004);
        CHECK_INT(sp_world_save(w, &c), SP_OK);
        sp_world_step(w, 0.004);
        uint64_t hash = sp_world_hash(w);
        unsigned char *data = c.data;
        unsigned long long seed = 71;
        CHECK_INT(sp_world_restore(w, NULL, 0), SP_BAD_INPUT);
        for (int i = 0; i < 40; i++) {
            size_t at = i < 24 ? (size_t)i : (size_t)((0.5 + 0.5 * sp_test_random(&seed)) * (double)(c.size - 1));
            data[at] ^= 0x10;
            CHECK_INT(sp_world_restore(w, data, c.size), SP_BAD_INPUT);
            data[at] ^= 0x10;
            size_t cut = (size_t)((0.5 + 0.5 * sp_test_random(&seed)) * (double)(c.size - 1));
            CHECK_INT(sp_world_restore(w, data, cut), SP_BAD_INPUT);
        }
        CHECK(sp_world_hash(w) == hash && sp__world_compute_hash(w) == hash);
        CHECK_INT(sp_world_restore(w, data, c.size), SP_OK);
        sp_checkpoint_free(w, &c);
    }
}

// every parameter of a kind is changed and reset, and the world then continues as one that was never changed
TEST(parameters_change_and_reset) {
    EACH_KIND(k, w, b) {
        double h = 0.004;
        sp_world *twin = make(k);
        for (int i = 0; i < b->ops->param_count(b); i++) {
            sp_param p = b->ops->param_at(b, i);
            double old = *p.value, to = old > 0 ? 0.5 * old : fmin(p.spec->edit_high, 1e-3);
            char path[128];
            snprintf(path, sizeof path, "body.%s", p.name);
            CHECK(sp__param_editable(p.spec, old) && p.spec->unit && p.spec->meaning);
            queue_param(w, path, to);
            sp__world_inject_failure(w, SP_STAGE_FREE_MOTION);
            CHECK_INT(sp_world_step(w, h), SP_STOPPED);
            sp_world_drop_edits(w);
            p = b->ops->param_at(b, i);
            CHECK(*p.value == old);
            CHECK(sp_world_step(w, h) >= 0 && sp_world_step(twin, h) >= 0);
            CHECK(sp_world_hash(w) == sp_world_hash(twin));
        }
        sp_world_destroy(&twin);
    }
}
