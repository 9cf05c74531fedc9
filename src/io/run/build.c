// The world of a scene: its attributes, its bodies in file order (those scattered over others last), contact; integrators,
// solvers and helpers of all builders.
#include "io/run/build.h"

#include <stdio.h>

// ============================================================================== attributes, errors, memory limit

const sp_attr *sp__build_attr(const sp_scene_node *node, const char *name) {
    for (int i = 0; i < node->spec->attr_count; i++) {
        if (strcmp(node->spec->attrs[i].name, name) != 0) continue;
        const sp_attr *attr = sp__attr(node, name);
        return attr && attr->origin != SP_ORIGIN_ABSENT ? attr : NULL;
    }
    return NULL;
}

bool sp__build_given(const sp_scene_node *node, const char *name) {
    const sp_attr *attr = sp__build_attr(node, name);
    return attr && attr->origin > SP_ORIGIN_BUILTIN;
}

double sp__build_number(const sp_scene_node *node, const char *name, double otherwise) {
    const sp_attr *attr = sp__build_attr(node, name);
    return attr && !attr->is_auto && attr->numbers && attr->count > 0 ? attr->numbers[0] : otherwise;
}

bool sp__build_is(const sp_scene_node *node, const char *name, const char *word) {
    const sp_attr *attr = sp__build_attr(node, name);
    return attr && attr->words && attr->count > 0 && strcmp(attr->words[0], word) == 0;
}

sp_status sp__build_no_memory(sp_run *run) {
    return SP_FAIL(run->ctx, SP_NO_MEMORY, "no memory to build the scene");
}

sp_status sp__build_refused(sp_run *run, const sp_scene_node *node, sp_status status, const sp_error *error) {
    if (status == SP_NO_MEMORY) return status;
    return SP_BUILD_FAIL(run, node, NULL, "%s", error->message[0] ? error->message : sp_status_text(status));
}

sp_status sp__build_reserve(sp_run *run, const sp_scene_node *node, double items, double bytes_each, const char *what) {
    // doubles cannot overflow here and are exact enough for an estimate
    double limit = (double)sp__scene_memory_limit(run->scene), bytes = items * bytes_each;
    if (!(run->memory + bytes <= limit))
        return SP_BUILD_FAIL(run, node, NULL, "%.0f %s need about %.3g MB, %.3g MB are taken and the limit is %.3g MB", items,
                             what, bytes * 1e-6, run->memory * 1e-6, limit * 1e-6);
    run->memory += bytes;
    return SP_OK;
}

unsigned sp__build_axes(const sp_scene_node *node) {
    const char *text = sp__attr_word(node, "axes");
    return (strchr(text, 'x') ? SP_AXIS_X : 0u) | (strchr(text, 'y') ? SP_AXIS_Y : 0u) | (strchr(text, 'z') ? SP_AXIS_Z : 0u);
}

// NULL: the element makes no body
static const sp_builder *builder_of(const sp_scene_node *node) {
    static const sp_builder *const builders[] = {&sp__solid_builder, &sp__rod_builder, &sp__rigid_builder};
    for (size_t i = 0; i < sizeof builders / sizeof *builders; i++)
        if (strcmp(node->spec->name, builders[i]->element) == 0) return builders[i];
    return NULL;
}

const sp_scene_node *sp__build_owner(const sp_scene_node *node) {
    while (node && !builder_of(node)) node = node->parent;
    return node;
}

sp_run_body *sp__build_body_of(sp_run *run, const sp_scene_node *node) {
    const sp_scene_node *owner = sp__build_owner(node);
    if (owner && owner->merged) owner = owner->merged;
    for (int i = 0; owner && i < run->body_count; i++)
        if (run->bodies[i].node == owner) return &run->bodies[i];
    return NULL;
}

// ========================================================================================= integrator and solver

void sp__build_integrator(const sp_scene_node *body, sp_integrator_def *out) {
    static const char *const types[] = {"implicit-euler", "newton", "explicit", "static"};
    const sp_scene_node *node = sp__next_child(body, "integrator", NULL);
    if (!node) return;
    for (int i = 0; i < 4; i++)
        if (sp__build_is(node, "type", types[i])) out->type = (sp_integrator_type)i;
    out->iterations = (int)sp__build_number(node, "iterations", SP_ITERATIONS_AUTO);
    out->tolerance = sp__build_number(node, "tolerance", out->tolerance);
    out->line_search = !sp__build_is(node, "line-search", "no");
    out->load_steps = (int)sp__build_number(node, "load-steps", out->load_steps);
    out->substeps = (int)sp__build_number(node, "substeps", SP_SUBSTEPS_AUTO);
}

static int choice_of(const sp_scene_node *node, const char *attr, const char *const *words, int count) {
    for (int i = 0; i < count; i++)
        if (sp__build_is(node, attr, words[i])) return i;
    return 0;
}

static void build_refresh(const sp_scene_node *node, sp_solver_def *out) {
    static const char *const policies[] = {"auto", "async", "step", "never"};
    double every = sp__build_number(node, "refresh", 0);
    out->pcg.refresh = (sp_refresh_policy)choice_of(node, "refresh", policies, 4);
    if (every >= 1) out->pcg.refresh = SP_REFRESH_EVERY, out->pcg.refresh_every = (int)every;
    out->pcg.warp = !sp__build_is(node, "warp", "no");
    out->pcg.lag = (int)sp__build_number(node, "lag", out->pcg.lag);
}

static void build_factor(const sp_scene_node *node, sp_solver_def *out) {
    static const char *const orderings[] = {"auto", "natural", "amd", "metis", "geometric"};
    static const char *const factors[] = {"llt", "ldlt"};
    out->cholesky.ordering = (sp_ordering)choice_of(node, "ordering", orderings, 5);
    out->cholesky.factor = (sp_factor_kind)choice_of(node, "factor", factors, 2);
    out->updated.threshold = sp__build_number(node, "threshold", out->updated.threshold);
    out->updated.budget_ms = sp__build_number(node, "budget", out->updated.budget_ms);
    out->pcg.drop = sp__build_number(node, "drop", out->pcg.drop);
    out->pcg.omega = sp__build_number(node, "omega", out->pcg.omega);
}

void sp__build_solver(const sp_scene_node *body, sp_solver_def *out) {
    static const char *const types[] = {"auto", "cg", "pcg", "cholesky", "updated-cholesky", "dense", "block-tridiagonal"};
    static const char *const preconditioners[] = {"block-jacobi", "jacobi",         "ssor",     "ic",
                                                  "cholesky",     "inverse-factor", "multigrid"};
    static const char *const operators[] = {"auto", "matrix-free", "assembled"};
    const sp_scene_node *root = body, *node = sp__next_child(body, "solver", NULL);
    while (root->parent) root = root->parent;
    if (sp__build_is(root, "precision", "mixed")) out->cholesky.precision = SP_FACTOR_FLOAT;
    out->automatic.step = sp__build_number(root, "dt", out->automatic.step);
    out->automatic.aim_ms = sp__build_number(root, "budget", out->automatic.aim_ms);
    if (!node) return;
    out->type = (sp_solver_type)choice_of(node, "type", types, 7);
    out->pcg.preconditioner = (sp_preconditioner)choice_of(node, "preconditioner", preconditioners, 7);
    out->cg.op = (sp_operator_type)choice_of(node, "operator", operators, 3);
    out->tolerance = sp__build_number(node, "tolerance", out->tolerance);
    out->iterations = (int)sp__build_number(node, "iterations", out->iterations);
    build_refresh(node, out);
    build_factor(node, out);
}

// reports the value of substeps="auto" for a body that subdivides its steps
static void say_substeps(sp_run *run, const sp_run_body *body) {
    const sp_scene_node *node = sp__next_child(body->node, "integrator", NULL);
    bool implicit = !node || sp__build_is(node, "type", "implicit-euler");
    if (strcmp(body->node->spec->name, "rod") != 0 || !implicit) return;
    if (node && (sp__build_number(node, "substeps", 0) > 0 || sp__build_number(node, "iterations", 2) < 2)) return;
    sp__scene_note_auto(run->scene, node ? node : body->node, node ? "substeps" : "integrator",
                        "1, and up to 64 of a strand whose step does not converge, gains energy or bends an element by more "
                        "than 0.5 rad");
}

// reports the choice of type="auto" and the reason
sp_status sp__build_say_solver(sp_run *run, const sp_run_body *body) {
    const sp_scene_node *node = sp__next_child(body->node, "solver", NULL);
    sp_body_info info;
    SP_TRY(sp_world_body_info(run->world, body->id, &info));
    say_substeps(run, body);
    if (info.solver_why[0])
        sp__scene_note_auto(run->scene, node ? node : body->node, node ? "type" : "solver", "%s", info.solver_why);
    if (info.material_note[0]) sp__scene_note_auto(run->scene, body->node, "material", "%s", info.material_note);
    const sp_scene_node *contact = sp__next_child(sp__scene_root(run->scene), "contact", NULL);
    bool touches = contact && !sp__build_is(contact, "formulation", "penalty") && strcmp(info.kind, "rigid") != 0;
    if (touches && info.compliance_why[0]) sp__scene_note_auto(run->scene, body->node, "compliance", "%s", info.compliance_why);
    return SP_OK;
}

// ========================================================================================================= world

void sp_scene_world_def(const sp_scene *scene, sp_world_def *def) {
    const sp_scene_node *root = sp__scene_root(scene);
    for (int k = 0; k < 3; k++) def->gravity[k] = sp__attr_signal(root, "gravity", k);
    def->backend = sp__attr_word(root, "backend");
    def->on_limit = sp__build_is(root, "on-limit", "fail") ? SP_LIMIT_FAIL : SP_LIMIT_ACCEPT;
    def->on_failure = sp__build_is(root, "on-failure", "freeze") ? SP_FAILURE_FREEZE : SP_FAILURE_STOP;
    def->deterministic = !sp__build_is(root, "deterministic", "no");
}

static sp_status create_world(sp_run *run) {
    const sp_scene_node *root = sp__scene_root(run->scene);
    sp_world_def def = sp_world_def_default();
    sp_scene_world_def(run->scene, &def);
    if (run->options.backend) def.backend = run->options.backend;
    run->dt = sp__build_number(root, "dt", 0.01);
    run->world = run->options.world;
    if (run->world && sp_world_body_count(run->world) > 0)
        return SP_FAIL(run->ctx, SP_BAD_INPUT, "a scene is built in an empty world, this one has %d bodies",
                       sp_world_body_count(run->world));
    sp_status status = run->world ? SP_OK : sp_world_create(run->ctx, &def, &run->world);
    return status < 0 ? sp__build_refused(run, root, status, sp_context_error(run->ctx)) : SP_OK;
}

sp_compliance_type sp__build_compliance(const sp_scene_node *node) {
    static const char *const words[] = {"auto", "diagonal", "warped", "factor", "exact", "block-tridiagonal"};
    for (int i = SP_COMPLIANCE_AUTO; i <= SP_COMPLIANCE_BLOCK_TRIDIAGONAL; i++)
        if (sp__build_is(node, "compliance", words[i])) return (sp_compliance_type)i;
    return SP_COMPLIANCE_AUTO;
}

// The file of the triangles of a surface or of a rigid body; NULL: there is none, or there are several.
static const char *triangle_file(const sp_scene_node *node) {
    const sp_scene_node *mesh = strcmp(node->spec->name, "surface") == 0 ? node : sp__next_child(node, "mesh", NULL);
    if (!mesh || !sp__build_given(mesh, "file") || (mesh != node && sp__next_child(node, "mesh", mesh))) return NULL;
    return sp__attr_word(mesh, "file");
}

static const sp_scene_node *surface_node(const sp_run *run, const sp_open_surface *open) {
    const sp_scene_node *node = NULL;
    for (int i = 0; i < run->body_count; i++) {
        const sp_run_body *b = &run->bodies[i];
        if (b->id.slot != open->body.slot) continue;
        node = b->node;
        for (int k = 0; k < b->surface_count; k++)
            if (b->surfaces[k].index == open->surface) node = b->surfaces[k].node;
    }
    return node;
}

// Contact by volumes is defined for closed surfaces. The first step would refuse an open one, but does not know its file.
static sp_status check_closed(sp_run *run) {
    sp_open_surface open;
    char repair[512] = "";
    SP_TRY(sp_world_open_surface(run->world, &open));
    const sp_scene_node *node = open.edges > 0 ? surface_node(run, &open) : NULL;
    if (!node) return SP_OK;
    const char *file = triangle_file(node), *path = node->path;
    if (file)
        snprintf(repair, sizeof repair,
                 "`souple mesh info %s --repair OUT` lists them, welds and orients, `souple mesh tetrahedralise %s OUT` also "
                 "closes small holes; ",
                 file, file);
    return SP_BUILD_FAIL(run, node, NULL,
                         "volume contact needs closed surfaces: %s \"%s\" has %d open edges; %sa pair with "
                         "formulation=\"proximity\" measures its distance",
                         open.surface == 0 ? "the boundary of" : "surface", path, open.edges, repair);
}

static sp_status build_contact(sp_run *run) {
    const sp_scene_node *root = sp__scene_root(run->scene), *node = sp__next_child(root, "contact", NULL);
    sp_contact_def def = sp_contact_def_default();
    if (!node) return SP_OK;
    def.friction = sp__build_number(node, "friction", 0);
    def.damping = sp__build_number(node, "damping", 0);
    def.stiffness = sp__build_number(node, "stiffness", 0);
    def.formulation = sp__build_formulation(node, SP_CONTACT_PENALTY);
    run->constraints = def.formulation != SP_CONTACT_PENALTY;
    def.pixel = sp__build_number(node, "pixel", 0);
    def.cell = (int)sp__build_number(node, "cell", 0);
    def.layers = (int)sp__build_number(node, "layers", 0);
    def.slack = sp__build_number(node, "slack", def.slack);
    def.viscosity = sp__build_number(node, "viscosity", 0);
    if (sp__build_is(node, "law", "viscous")) def.law = SP_CONTACT_VISCOUS;
    def.alarm = sp__build_number(node, "alarm", 0);
    def.gap = sp__build_number(node, "gap", 0);
    def.passes = (int)sp__build_number(node, "passes", def.passes);
    static const char *const stabilisations[] = {"auto", "post", "velocity", "position"};
    for (int i = SP_STABILISATION_AUTO; i <= SP_STABILISATION_POSITION; i++)
        if (sp__build_is(node, "stabilisation", stabilisations[i])) def.stabilisation = (sp_stabilisation)i;
    def.self = sp__build_is(node, "self", "yes");
    def.continuous = sp__build_is(node, "continuous", "yes");
    sp__build_contact_solver(node, &def);
    // of the rays of one tile of 16 x 16 for each thread, and four more (collide/layers.h)
    if (def.layers > 0)
        SP_TRY(sp__build_reserve(run, node, 260.0 * def.layers * sp_context_workers(run->ctx), 8, "layers of rays"));
    if (def.pixel > 0 && def.layers == 0)
        sp__scene_note_auto(run->scene, node, "layers",
                            "98; memory grows where a ray crosses more surfaces, and an event says so");
    if (def.formulation == SP_CONTACT_PROXIMITY && def.alarm == 0)
        sp__scene_note_auto(run->scene, node, "alarm",
                            "of each pair: an eighth of the smaller mean edge of those of the two that can move");
    if (def.formulation == SP_CONTACT_PENALTY && def.stiffness == 0)
        sp__scene_note_auto(run->scene, node, "stiffness",
                            "thirty (rods: ten) times a node's mass over dt squared; in statics Young's modulus times "
                            "the element size; between several bodies thirty times their own stiffness in a step");
    sp_status status = sp_world_set_contact(run->world, &def);
    if (status < 0) return sp__build_refused(run, node, status, sp_world_error(run->world));
    if (!run->constraints) return SP_OK;
    SP_TRY(sp__build_pairs(run, node));
    return check_closed(run);
}

// ------------------------------------------------------------------------------------------------ contact exclusions

static bool is_soft(const sp_run_body *body) {
    return body->builder->select != NULL;
}

// penalty contact of this soft body acts with rigid bodies only
static bool is_alone(const sp_run_body *body) {
    sp_integrator_def def = {0};
    sp__build_integrator(body->node, &def);
    return body->builder->along || def.type == SP_EXPLICIT || def.substeps > 1;
}

// one warning for all pairs of soft bodies between which penalty contact does not act
static void warn_of_pairs(sp_run *run, const sp_scene_node *contact) {
    enum { NAMED = 3 };
    char names[300] = "";
    int soft = 0, alone = 0;
    size_t length = 0;
    for (int i = 0; i < run->body_count; i++) {
        if (!is_soft(&run->bodies[i])) continue;
        soft++;
        if (!is_alone(&run->bodies[i]) || alone++ >= NAMED) continue;
        int n = snprintf(names + length, sizeof names - length, "%s'%s'", alone > 1 ? ", " : "", run->bodies[i].node->path);
        length += n > 0 ? (size_t)n : 0;
    }
    const int others = soft - alone, pairs = soft * (soft - 1) / 2 - others * (others - 1) / 2;
    if (pairs == 0) return;
    sp__scene_warning(
        run->scene, contact, NULL,
        "%s%s pass%s through other soft bodies (%d pair%s): penalty contact of rods and of explicit integration acts "
        "with rigid bodies only",
        names, alone > NAMED ? ", ..." : "", alone > 1 ? "" : "es", pairs, pairs > 1 ? "s" : "");
}

static bool is_held(const sp_scene_node *body) {
    static const char *const holds[] = {"fix", "move", "pull"};
    for (int i = 0; i < 3; i++)
        if (sp__next_child(body, holds[i], NULL)) return true;
    return false;
}

// Without a contact element, an unsupported solid falls through the bodies below it.
static void warn_of_falling(sp_run *run) {
    const sp_scene_node *root = sp__scene_root(run->scene);
    const sp_run_body *loose = NULL, *rigid = NULL;
    bool falls = false;
    for (int k = 0; k < 3; k++) {
        sp_signal g = sp__attr_signal(root, "gravity", k);
        falls = falls || sp_signal_value(&g, 0) != 0;
    }
    for (int i = 0; i < run->body_count; i++) {
        const sp_run_body *b = &run->bodies[i];
        if (!is_soft(b) && !b->rigid.free && !rigid) rigid = b;
        if (b->builder->loose && !loose && !is_held(b->node) && !sp__build_is_attached(run, b->node)) loose = b;
    }
    if (falls && loose && rigid)
        sp__scene_warning(run->scene, loose->node, NULL,
                          "nothing holds it and the scene has no contact element: it falls through \"%s\"; "
                          "<contact formulation=\"proximity\"/> lets them touch",
                          rigid->node->path);
}

static sp_status build_body(sp_run *run, const sp_scene_node *node) {
    int before = run->body_count;
    const sp_builder *builder = builder_of(node);
    if (builder) SP_BUILD(builder->build(run, node));
    if (run->body_count == before) return SP_OK;
    sp_run_body *body = &run->bodies[before];
    body->has_look = sp__build_look(node, &body->look);
    if (body->id.slot) SP_BUILD(sp__build_surfaces(run, body));
    return SP_OK;
}

// a scattered copy can be placed only after the body it lies on is built
static bool is_scattered(const sp_scene_node *node) {
    const sp_scene_node *copy = node->strand_count ? node->strands[0]->instance : node->instance;
    for (; copy; copy = copy->instance)
        if (sp__build_attr(copy, "scatter")) return true;
    return false;
}

static sp_status build_bodies(sp_run *run) {
    const sp_scene_node *root = sp__scene_root(run->scene);
    if (!SP_KEEP(&run->keep, run->bodies, root->child_count)) return sp__build_no_memory(run);
    for (int scattered = 0; scattered < 2; scattered++)
        for (int i = 0; i < root->child_count; i++) {
            const sp_scene_node *node = root->children[i];
            if (node->enabled && is_scattered(node) == (scattered == 1)) SP_BUILD(build_body(run, node));
        }
    return SP_OK;
}

sp_status sp__build_world(sp_run *run) {
    SP_TRY(create_world(run));
    SP_TRY(build_bodies(run));
    const sp_scene_node *contact = sp__next_child(sp__scene_root(run->scene), "contact", NULL);
    if (contact && sp__build_is(contact, "formulation", "penalty"))
        warn_of_pairs(run, contact);
    else if (!contact)
        warn_of_falling(run);
    SP_TRY(build_contact(run));
    return sp__build_links(run);
}
