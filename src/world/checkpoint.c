// Checkpoints: all tiers of all bodies and the numbers of the world in one block of memory.
//
//   header (magic, size, checksum) | world | per body: header, springs, then every array of the four tiers with name and size,
//                                            then those of its solver
//
// Where elements of a body were removed, a bit of its header says so, and their list follows the springs.
//
// A world with contact by constraints has more, and the next version number: its multipliers follow the world, and the arrays of
// its compliance, and the impulse of its last contacts, the solver of a body. A world with links has the number after that: a
// word that says whether it has contact by constraints, and after the multipliers its links with their ties.
//
// Where elements were appended to a body, the version has the bit GROWN, and the lists of additions precede the world. A restore
// first makes the bodies with these lists, and exchanges them back if the rest of the block does not fit.
//
// A solver allocates its arrays in its first solve, which has not happened in a new world. If the arrays do not match those of
// the block, a new solver is created for the body and solves once with a zero right-hand side. It replaces the old solver when
// the whole block is known to match.
//
// One traversal counts, writes, checks or applies, so that the four modes stay consistent. A restore first checks the whole block
// against the world, and changes nothing if a part does not match. Topology is compared, not copied, because it comes from the
// mesh of the body.
#include <stdio.h>

#include "body/drive.h"
#include "world/world_internal.h"

typedef enum walk_mode { COUNT, WRITE, CHECK, APPLY } walk_mode;

typedef struct span {
    size_t at, size;
} span;

typedef struct walk {
    walk_mode mode;
    unsigned char *data;  // read-only in CHECK and APPLY
    size_t at, size;
    char why[160];     // the mismatch; empty: none
    bool compare;      // arrays are compared, not copied
    bool constraints;  // of contact are in the block
    bool links;        // links are
    bool grown;        // lists of additions are
    const char *body;
    span solver, compliance;  // CHECK: their arrays of the last body
    bool impulse;             // CHECK: contacts have left an impulse on it
    int multipliers;          // CHECK: of contacts
    size_t removed;           // CHECK: where the list of its removed elements is; 0: it has none
} walk;

typedef struct block_header {
    char magic[8];
    uint64_t size, checksum;  // of everything after the header
} block_header;

static const char magic[8] = "SPCHECK";                        // the final zero is replaced by the version
enum { VERSION = 4, VERSION_CONSTRAINTS = 9, VERSION_LINKS };  // 5 to 8: without impulses or volumes, never released
enum { GROWN = 64 };                                           // added to the version

typedef struct world_record {
    double time, time_carry;
    uint64_t steps;
    double gravity[3], contact[3];
    uint64_t gravity_set[3], has_contact, body_count;  // has_contact: CONTACT_ bits
} world_record;

enum { CONTACT_GIVEN = 1, CONTACT_OFF = 2 };

typedef struct constraints_record {
    double alarm, gap, tolerance, budget_ms;
    uint64_t formulation, stabilisation, passes, reserve, broad, method, local, cone, facets, strategy, sweeps, warm_start;
    uint64_t self, continuous;
    uint64_t multipliers, frictions;  // frictions: of pairs and parts of bodies
    uint64_t clock_replays;
    double pixel, slack, viscosity;
    uint64_t cell, law;
} constraints_record;

typedef struct body_record {
    char name[64], kind[16];
    uint64_t slot, generation, nq, nv, frozen, reported, springs;  // frozen: BODY_ bits
} body_record;

enum { BODY_FROZEN = 1, BODY_REMOVED = 2 };

typedef struct anchor_record {  // as files of version 0.1 have it
    uint32_t body, elem;
    double at[3], offset[3];
} anchor_record;

typedef struct spring_record {
    anchor_record at;
    double target[3], stiffness, damping;
    uint64_t axes, source, active, pin;
    int64_t slot;
} spring_record;

typedef struct array_record {
    char name[32];
    uint64_t size, count;
} array_record;

static bool checkpoint_ok(const walk *k) {
    return !k->why[0];
}

// Writes the next `size` bytes of the block from `item`, or reads them into it. Sizes are rounded up to 8 bytes for alignment.
static void checkpoint_pass(walk *k, void *item, size_t size) {
    size_t whole = (size + 7) & ~(size_t)7;
    if (!checkpoint_ok(k)) return;
    if (k->mode != COUNT && whole > k->size - k->at) {
        snprintf(k->why, sizeof k->why, "it ends after %zu bytes", k->size);
        return;
    }
    if (k->mode == WRITE && size) memcpy(k->data + k->at, item, size);
    // an array that the worlds of a batch share is never different, and not written
    if (k->mode >= CHECK && size && memcmp(item, k->data + k->at, size) != 0) memcpy(item, k->data + k->at, size);
    k->at += whole;
}

// Checkpoints of version 0.2 and before have them. Each step writes them before it reads them.
static bool is_scratch(const array_record *r) {
    static const char *const scratch[] = {"gradients", "spin",         "turned",      "tangent",     "bar",
                                          "patch_q",   "patch_factor", "fibre_state", "spring_state"};
    for (size_t i = 0; i < sizeof scratch / sizeof *scratch; i++)
        if (strncmp(r->name, scratch[i], sizeof r->name) == 0) return true;
    return false;
}

// The record of the next array into `r`, which is `here` where nothing is read.
static void pass_record(walk *k, const array_record *here, array_record *r) {
    do {
        *r = *here;
        checkpoint_pass(k, r, sizeof *r);
        if (k->mode < CHECK || !checkpoint_ok(k) || memcmp(r->name, here->name, sizeof r->name) == 0 || !is_scratch(r)) return;
        const size_t left = k->size - k->at;
        if (r->count > left || r->size > sizeof(double) || (r->size * r->count + 7) / 8 * 8 > left)
            snprintf(k->why, sizeof k->why, "it ends inside array %.31s of body '%.40s'", r->name, k->body);
        else
            k->at += (r->size * r->count + 7) / 8 * 8;
    } while (checkpoint_ok(k));
}

static void pass_array(sp_visitor *v, const char *name, void *data, size_t size, size_t count) {
    walk *k = v->user;
    array_record here = {.size = size, .count = count}, r;
    snprintf(here.name, sizeof here.name, "%s", name);
    pass_record(k, &here, &r);
    if (checkpoint_ok(k) && memcmp(&r, &here, sizeof r) != 0)
        snprintf(k->why, sizeof k->why, "array %s of body '%.40s' has another size or name here", name, k->body);
    if (!checkpoint_ok(k)) return;
    if (k->mode == CHECK || (k->mode == APPLY && k->compare)) {
        size_t bytes = size * count, whole = (bytes + 7) & ~(size_t)7;
        if (whole > k->size - k->at)
            snprintf(k->why, sizeof k->why, "it ends inside array %s of body '%.40s'", name, k->body);
        else if (k->compare && bytes && memcmp(data, k->data + k->at, bytes) != 0)
            snprintf(k->why, sizeof k->why, "array %s of body '%.40s' differs: it was built from another mesh", name, k->body);
        k->at += whole;
        return;
    }
    checkpoint_pass(k, data, size * count);
}

// ---------------------------------------------------------------------------------------------------- springs

static sp_anchor anchor_of(const anchor_record *r, sp_body_id body) {
    sp_anchor a = {.body = body, .elem = r->elem};
    memcpy(a.at, r->at, sizeof a.at), memcpy(a.offset, r->offset, sizeof a.offset);
    return a;
}

static spring_record record_of(const sp_spring *s) {
    spring_record r = {.at = {.body = s->at.body.slot, .elem = s->at.elem},
                       .stiffness = s->stiffness,
                       .damping = s->damping,
                       .axes = s->axes,
                       .source = s->source,
                       .active = s->active,
                       .pin = s->pin,
                       .slot = s->slot};
    memcpy(r.at.at, s->at.at, sizeof r.at.at), memcpy(r.at.offset, s->at.offset, sizeof r.at.offset);
    memcpy(r.target, s->target, sizeof r.target);
    return r;
}

// a spring of the definition has no id in its anchor, because nothing reads it there
static void put_spring(sp_spring *s, const spring_record *r, sp_body_id body) {
    s->at = anchor_of(&r->at, r->at.body ? body : (sp_body_id){0});
    memcpy(s->target, r->target, sizeof s->target);
    s->stiffness = r->stiffness, s->damping = r->damping;
    s->axes = (unsigned)r->axes, s->source = (uint32_t)r->source;
    s->active = r->active != 0, s->pin = r->pin != 0, s->slot = (int)r->slot;
    // the target of a drag is a constant; springs of the definition keep their signals
    for (int a = 0; s->slot >= 0 && a < 3; a++) s->to[a] = sp_signal_constant(s->target[a]);
}

static int defined_springs(const sp_body *b) {
    int n = 0;
    while (n < b->loads.spring_count && b->loads.springs[n].slot < 0) n++;
    return n;
}

static void check_spring(sp_world *w, walk *k, sp_body *b, int index, spring_record *r) {
    int defined = defined_springs(b);
    sp_anchor at = anchor_of(&r->at, b->id);
    if ((index < defined) != (r->slot < 0)) snprintf(k->why, sizeof k->why, "springs of body '%.40s' differ", k->body);
    if (!sp__world_anchored(w, &at)) snprintf(k->why, sizeof k->why, "a spring of body '%.40s' is attached to nothing", k->body);
}

static void pass_springs(sp_world *w, walk *k, sp_body *b, uint64_t count) {
    if (k->mode == CHECK && (count < (uint64_t)defined_springs(b) || count > INT32_MAX / 2))
        snprintf(k->why, sizeof k->why, "body '%.40s' has %llu springs", k->body, (unsigned long long)count);
    for (uint64_t i = 0; i < count && checkpoint_ok(k); i++) {
        spring_record r = {0};
        if (k->mode <= WRITE) r = record_of(&b->loads.springs[i]);
        checkpoint_pass(k, &r, sizeof r);
        if (checkpoint_ok(k) && k->mode == CHECK) check_spring(w, k, b, (int)i, &r);
        if (checkpoint_ok(k) && k->mode == APPLY) put_spring(&b->loads.springs[i], &r, b->id);
    }
    if (k->mode == APPLY && checkpoint_ok(k)) b->loads.spring_count = (int)count;
}

// ---------------------------------------------------------------------------------------------------- solvers

static void visit_solver(walk *k, sp_solver *solver) {
    sp_visitor v = {.array = pass_array, .user = k, .writes = k->mode == APPLY};
    k->compare = false;
    if (solver) sp__solver_visit(solver, &v);
}

static void visit_compliance(walk *k, sp_compliance *compliance) {
    sp_visitor v = {.array = pass_array, .user = k, .writes = k->mode == APPLY};
    k->compare = false;
    if (compliance) sp__compliance_visit(compliance, &v);
}

// The size of a part of a body, so that it can be skipped. CHECK: skips it and keeps its position.
static bool pass_span(walk *k, size_t bytes, span *out) {
    uint64_t size = bytes;
    checkpoint_pass(k, &size, sizeof size);
    if (checkpoint_ok(k) && k->mode == CHECK) {
        if (size > k->size - k->at) snprintf(k->why, sizeof k->why, "it ends inside the solver of body '%.40s'", k->body);
        *out = (span){k->at, (size_t)size};
        if (checkpoint_ok(k)) k->at += (size_t)size;
    }
    return checkpoint_ok(k) && k->mode != CHECK;
}

static double *body_impulse(const sp_body *b) {
    return b->compliance ? sp__compliance_impulse(b->compliance) : NULL;
}

// The impulse of the last contacts on a body, where there is one (linear/compliance.h).
static void pass_impulse(walk *k, sp_body *b) {
    double *impulse = body_impulse(b);
    uint64_t numbers = k->mode <= WRITE && impulse && impulse[b->nv] != 0 ? (uint64_t)b->nv + 1 : 0;
    checkpoint_pass(k, &numbers, sizeof numbers);
    if (!checkpoint_ok(k)) return;
    if (k->mode == CHECK && numbers != 0 && numbers != (uint64_t)b->nv + 1)
        snprintf(k->why, sizeof k->why, "the impulse on body '%.40s' has %llu numbers", k->body, (unsigned long long)numbers);
    if (k->mode == CHECK) k->impulse = numbers != 0;
    for (int i = 0; i <= b->nv && numbers && checkpoint_ok(k); i++) {
        double x = k->mode <= WRITE ? impulse[i] : 0;
        checkpoint_pass(k, &x, sizeof x);
        if (k->mode == APPLY) impulse[i] = x;
    }
    if (k->mode == APPLY && !numbers && impulse) impulse[b->nv] = 0;
}

static void pass_solvers(walk *k, sp_body *b) {
    walk solver = {.mode = COUNT, .body = b->name}, compliance = solver;
    if (k->mode <= WRITE) visit_solver(&solver, b->solver), visit_compliance(&compliance, b->compliance);
    if (pass_span(k, solver.at, &k->solver)) visit_solver(k, b->solver);
    if (!k->constraints && !k->links) return;
    if (pass_span(k, compliance.at, &k->compliance)) visit_compliance(k, b->compliance);
    if (checkpoint_ok(k)) pass_impulse(k, b);
}

// true if the arrays of the solver match those in the block
static bool solver_fits(const walk *block, sp_body *b, sp_solver *solver) {
    walk k = {.mode = CHECK, .data = block->data + block->solver.at, .size = block->solver.size, .body = b->name};
    visit_solver(&k, solver);
    return checkpoint_ok(&k) && k.at == k.size;
}

static bool compliance_fits(const walk *block, sp_body *b, sp_compliance *compliance) {
    walk k = {.mode = CHECK, .data = block->data + block->compliance.at, .size = block->compliance.size, .body = b->name};
    visit_compliance(&k, compliance);
    return checkpoint_ok(&k) && k.at == k.size;
}

static const sp_coef prime_coef = {1, 0.01, 0.0001};  // arbitrary: the results are overwritten

static sp_status checkpoint_system(const sp_world *w, sp_body *b, sp_system *A) {
    const sp_step step = sp__body_step(b, &w->step);
    sp__drive_begin(b);
    SP_TRY(sp__drive_evaluate(b, &step, SP_WANT_FORCE));
    return b->ops->linearise(b, &step, A);
}

// solves with a zero right-hand side, so that the solver allocates all arrays
static sp_status checkpoint_prime(const sp_world *w, sp_body *b, sp_solver *solver) {
    sp_system A;
    sp_linear_info info;
    SP_TRY(checkpoint_system(w, b, &A));
    memset(b->work[0], 0, (size_t)b->nv * sizeof(double));
    sp__solver_step(solver, 0, true);
    return sp__solver_solve(solver, &A, prime_coef, b->work[0], b->work[1], &info);
}

static sp_status make_solver(const sp_world *w, const walk *block, sp_body *b) {
    sp__solver_destroy(&b->next_solver);
    if (solver_fits(block, b, b->solver)) return SP_OK;
    sp_status status = b->solver ? sp__solver_create(b->ctx, &b->solver->def, b->solver->be, &b->next_solver) : SP_BAD_INPUT;
    if (status >= 0 && block->solver.size) status = checkpoint_prime(w, b, b->next_solver);
    if (status >= 0 && !solver_fits(block, b, b->next_solver)) status = SP_BAD_INPUT;
    if (status < 0) sp__solver_destroy(&b->next_solver);
    if (status == SP_BAD_INPUT) SP_BODY_FAIL(b, status, "checkpoint: body '%s' has another solver", b->name);
    return status;
}

static sp_status make_impulse(const walk *block, sp_body *b) {
    if (!block->impulse) return SP_OK;
    if (!b->compliance && !b->next_compliance && b->solver)
        SP_TRY(sp__compliance_create(b->ctx, b->solver->be, b->compliance_type, &b->solver_def, &b->next_compliance));
    sp_compliance *C = b->next_compliance ? b->next_compliance : b->compliance;
    return C ? sp__compliance_reserve_impulse(C, b->nv) : SP_BAD_INPUT;
}

static sp_status make_compliance(const sp_world *w, const walk *block, sp_body *b) {
    sp__compliance_destroy(&b->next_compliance);
    if (!block->constraints && !block->links) return SP_OK;
    if (compliance_fits(block, b, b->compliance)) return make_impulse(block, b);
    sp_status status = b->solver
                           ? sp__compliance_create(b->ctx, b->solver->be, b->compliance_type, &b->solver_def, &b->next_compliance)
                           : SP_BAD_INPUT;
    sp_system A;
    if (status >= 0 && block->compliance.size) {
        status = checkpoint_system(w, b, &A);
        if (status >= 0) status = sp__compliance_prime(b->next_compliance, &A, prime_coef);
    }
    if (status >= 0 && !compliance_fits(block, b, b->next_compliance)) status = SP_BAD_INPUT;
    if (status >= 0) status = make_impulse(block, b);
    if (status < 0) sp__compliance_destroy(&b->next_compliance);
    if (status == SP_BAD_INPUT) SP_BODY_FAIL(b, status, "checkpoint: body '%s' has another compliance", b->name);
    return status;
}

// ---------------------------------------------------------------------------------------------------- bodies and world

static const unsigned char *removed_of(const sp_body *b) {
    int count;
    return sp__world_removed(b, &count);
}

// the state of a body that moves by prescription is one array, as files of version 0.1 have it
static body_record body_record_of(const sp_world *w, const sp_body *b) {
    bool one = b->caps & SP_CAP_KINEMATIC;
    body_record r = {.slot = b->id.slot,
                     .generation = b->id.generation,
                     .nq = (uint64_t)(one ? b->nq + b->nv : b->nq),
                     .nv = (uint64_t)(one ? 0 : b->nv),
                     .frozen = (b->frozen ? BODY_FROZEN : 0) | (removed_of(b) ? BODY_REMOVED : 0),
                     .reported = sp__world_slot(w, b)->reported | (uint64_t)sp__world_slot(w, b)->compliance_reported << 1,
                     .springs = (uint64_t)b->loads.spring_count};
    memcpy(r.name, b->name, sizeof r.name);
    snprintf(r.kind, sizeof r.kind, "%s", b->ops->kind);
    return r;
}

static void checkpoint_check_body(const sp_world *w, walk *k, const sp_body *b, const body_record *r) {
    body_record here = body_record_of(w, b);
    here.frozen = r->frozen, here.reported = r->reported, here.springs = r->springs;
    if (memcmp(&here, r, sizeof here) != 0)
        snprintf(k->why, sizeof k->why, "body '%.40s' of kind %s is not the one in the checkpoint", b->name, b->ops->kind);
    if (r->frozen & BODY_REMOVED && !b->ops->removal)
        snprintf(k->why, sizeof k->why, "body '%.40s' has removed elements, which a %s has not", b->name, b->ops->kind);
}

// The removed elements, one byte for each element. Applying them exchanges what is left before the arrays of the body follow.
static void pass_removed(sp_world *w, walk *k, sp_body *b, bool some) {
    sp_visitor v = {.array = pass_array, .user = k};
    k->removed = 0, k->compare = false;
    if (k->mode == APPLY) sp__world_remains_take(w, b);
    if (!some) return;
    const size_t count = (size_t)b->computed, whole = (count + 7) & ~(size_t)7;
    if (k->mode >= CHECK) {
        walk skip = *k;
        skip.mode = CHECK;
        v.user = &skip;
        v.array(&v, "removed", NULL, 1, count);
        memcpy(k->why, skip.why, sizeof k->why);
        k->at = skip.at, k->removed = skip.at - whole;
        return;
    }
    // the visitor writes from it
    v.array(&v, "removed", (unsigned char *)(uintptr_t)removed_of(b), 1, count);
}

static void pass_body(sp_world *w, walk *k, sp_body *b) {
    body_record r = body_record_of(w, b);
    k->body = b->name;
    checkpoint_pass(k, &r, sizeof r);
    if (checkpoint_ok(k) && k->mode >= CHECK) checkpoint_check_body(w, k, b, &r);
    if (!checkpoint_ok(k)) return;
    if (k->mode == APPLY) {
        sp_slot *slot = sp__world_slot(w, b);
        b->frozen = r.frozen & BODY_FROZEN, slot->reported = r.reported & 1, slot->compliance_reported = (r.reported & 2) != 0;
    }
    pass_springs(w, k, b, r.springs);
    if (checkpoint_ok(k)) pass_removed(w, k, b, r.frozen & BODY_REMOVED);
    sp_visitor v = {.array = pass_array, .user = k, .writes = k->mode == APPLY};
    for (int tier = SP_TOPOLOGY; tier <= SP_CACHE && checkpoint_ok(k); tier++) {
        k->compare = tier == SP_TOPOLOGY;
        b->ops->visit(b, (sp_tier)tier, &v);
    }
    pass_solvers(k, b);
}

static world_record world_record_of(const sp_world *w) {
    world_record r = {.time = w->time,
                      .time_carry = w->time_carry,
                      .steps = w->steps,
                      .has_contact = w->has_contact ? CONTACT_GIVEN | (w->contact.enabled != 0 ? 0 : CONTACT_OFF) : 0,
                      .body_count = (uint64_t)w->body_count};
    for (int a = 0; a < 3; a++) r.gravity[a] = w->gravity[a].value, r.gravity_set[a] = w->gravity[a].set;
    const double contact[3] = {w->contact.stiffness, w->contact.damping, w->contact.friction};
    memcpy(r.contact, contact, sizeof contact);
    return r;
}

static void put_world(sp_world *w, const world_record *r) {
    w->time = r->time, w->time_carry = r->time_carry, w->steps = r->steps;
    for (int a = 0; a < 3; a++) w->gravity[a].value = r->gravity[a], w->gravity[a].set = r->gravity_set[a] != 0;
    w->has_contact = r->has_contact != 0;
    w->contact = sp_contact_def_default();
    w->contact.enabled = r->has_contact & CONTACT_OFF ? 0 : 1;
    w->contact.stiffness = r->contact[0], w->contact.damping = r->contact[1], w->contact.friction = r->contact[2];
}

// Contact by constraints: its definition, and the multipliers of the last step.
static void pass_constraints(sp_world *w, walk *k) {
    sp_contact_def *c = &w->contact;
    constraints_record r = {.alarm = c->alarm,
                            .gap = c->gap,
                            .tolerance = c->solver.tolerance,
                            .budget_ms = c->solver.budget_ms,
                            .formulation = (uint64_t)c->formulation,
                            .stabilisation = (uint64_t)c->stabilisation,
                            .passes = (uint64_t)c->passes,
                            .reserve = (uint64_t)c->reserve,
                            .broad = (uint64_t)c->broad,
                            .self = c->self,
                            .continuous = c->continuous,
                            .method = (uint64_t)c->solver.method,
                            .local = (uint64_t)c->solver.local,
                            .cone = (uint64_t)c->solver.cone,
                            .facets = (uint64_t)c->solver.facets,
                            .strategy = (uint64_t)c->solver.strategy,
                            .sweeps = (uint64_t)c->solver.sweeps,
                            .warm_start = c->solver.warm_start,
                            .multipliers = w->constraints ? (uint64_t)sp__constraints_kept(w->constraints) : 0,
                            .frictions = (uint64_t)sp__pair_rules_friction_count(w->pair_rules),
                            .clock_replays = w->clock_replays,
                            .pixel = c->pixel,
                            .slack = c->slack,
                            .viscosity = c->viscosity,
                            .cell = (uint64_t)c->cell,
                            .law = (uint64_t)c->law};
    checkpoint_pass(k, &r, sizeof r);
    if (checkpoint_ok(k) && k->mode == CHECK && r.multipliers > (uint64_t)sp__constraints_most())
        snprintf(k->why, sizeof k->why, "it holds %llu multipliers of contacts", (unsigned long long)r.multipliers);
    if (checkpoint_ok(k) && k->mode == CHECK && r.frictions != (uint64_t)sp__pair_rules_friction_count(w->pair_rules))
        snprintf(k->why, sizeof k->why, "it holds %llu pairs and parts with friction, the world %d",
                 (unsigned long long)r.frictions, sp__pair_rules_friction_count(w->pair_rules));
    if (!checkpoint_ok(k)) return;
    k->multipliers = (int)r.multipliers;
    if (k->mode == APPLY) {
        c->alarm = r.alarm, c->gap = r.gap, c->reserve = (int)r.reserve, c->broad = (sp_contact_broad)r.broad;
        c->self = r.self != 0, c->continuous = r.continuous != 0;
        c->pixel = r.pixel, c->slack = r.slack, c->viscosity = r.viscosity, c->cell = (int)r.cell;
        c->law = (sp_contact_law)r.law;
        c->formulation = (sp_contact_formulation)r.formulation;
        c->stabilisation = (sp_stabilisation)r.stabilisation, c->passes = (int)r.passes;
        c->solver = (sp_contact_solver_def){.method = (sp_contact_method)r.method,
                                            .local = (sp_contact_local)r.local,
                                            .cone = (sp_contact_cone)r.cone,
                                            .facets = (int)r.facets,
                                            .strategy = (sp_contact_strategy)r.strategy,
                                            .sweeps = (int)r.sweeps,
                                            .tolerance = r.tolerance,
                                            .warm_start = r.warm_start != 0,
                                            .budget_ms = r.budget_ms};
        w->clock_replays = r.clock_replays != 0;
        sp__world_contacts_forget(w, (int)r.multipliers);
    }
    sp_visitor v = {.array = pass_array, .user = k};
    k->body = "world", k->compare = false;
    if (r.multipliers) sp__constraints_visit(w->constraints, (int)r.multipliers, &v);
    if (r.frictions) pass_array(&v, "frictions", sp__pair_rules_frictions(w->pair_rules), sizeof(double), (size_t)r.frictions);
}

// ---------------------------------------------------------------------------------------------------- links

typedef struct link_record {
    char name[64];
    uint64_t used, generation, state, reported, ties, parts;
    double stiffness, damping, friction, break_force, force[3];
    anchor_record base[3];
} link_record;

typedef struct tie_record {
    uint64_t type, first[SP_TIE_POINTS][2], count[SP_TIE_POINTS][2], strand[2], gone;
    double share, rest[SP_CONE_ROWS_MAX], kept[SP_TIE_NUMBERS], force[3];
    anchor_record guide;
} tie_record;

typedef struct part_record {
    anchor_record at;
    double weight;
} part_record;

static anchor_record anchor_record_of(const sp_anchor *a) {
    anchor_record r = {.body = a->body.slot, .elem = a->elem};
    memcpy(r.at, a->at, sizeof r.at), memcpy(r.offset, a->offset, sizeof r.offset);
    return r;
}

// an anchor of one of the two bodies of a link
static sp_anchor link_anchor(const sp_link *l, const anchor_record *r) {
    const sp_body_id b = l->side[1].body->id;
    return anchor_of(r, r->body == b.slot ? b : l->side[0].body->id);
}

static link_record link_record_of(const sp_link *l) {
    link_record r = {.used = l->used,
                     .generation = l->generation,
                     .state = (uint64_t)l->state,
                     .reported = l->reported,
                     .ties = (uint64_t)l->now.tie_count,
                     .parts = (uint64_t)l->now.part_count,
                     .stiffness = l->def.stiffness,
                     .damping = l->def.damping,
                     .friction = l->def.friction,
                     .break_force = l->def.break_force};
    memcpy(r.name, l->name, sizeof r.name), memcpy(r.force, l->force, sizeof r.force);
    for (int i = 0; i < 3; i++) r.base[i] = anchor_record_of(&l->now.base[i]);
    return r;
}

static void put_link(sp_world *w, sp_link *l, const link_record *r) {
    l->state = (sp_link_state)r->state, l->reported = r->reported != 0;
    l->def.stiffness = r->stiffness, l->def.damping = r->damping, l->def.friction = r->friction;
    l->def.break_force = r->break_force;
    memcpy(l->force, r->force, sizeof l->force);
    sp__ties_free(w->ctx, &l->now);
    l->now = l->incoming, l->incoming = (sp_ties){0};
}

static tie_record tie_record_of(const sp_tie *t) {
    tie_record r = {.type = (uint64_t)t->type, .gone = t->gone, .share = t->share, .guide = anchor_record_of(&t->guide)};
    for (int p = 0; p < SP_TIE_POINTS; p++)
        for (int s = 0; s < 2; s++) r.first[p][s] = (uint64_t)t->first[p][s], r.count[p][s] = (uint64_t)t->count[p][s];
    for (int i = 0; i < 2; i++) r.strand[i] = (uint64_t)t->strand[i];
    memcpy(r.rest, t->rest, sizeof r.rest), memcpy(r.kept, t->kept, sizeof r.kept), memcpy(r.force, t->force, sizeof r.force);
    return r;
}

static void put_tie(const sp_link *l, sp_tie *t, const tie_record *r) {
    *t = (sp_tie){.type = (sp_tie_type)r->type, .gone = r->gone != 0, .share = r->share, .guide = link_anchor(l, &r->guide)};
    for (int p = 0; p < SP_TIE_POINTS; p++)
        for (int s = 0; s < 2; s++) t->first[p][s] = (int)r->first[p][s], t->count[p][s] = (int)r->count[p][s];
    for (int i = 0; i < 2; i++) t->strand[i] = (int)r->strand[i];
    memcpy(t->rest, r->rest, sizeof r->rest), memcpy(t->kept, r->kept, sizeof r->kept),
        memcpy(t->force, r->force, sizeof r->force);
}

static void check_tie(const sp_world *w, walk *k, const sp_link *l, const tie_record *r, uint64_t parts) {
    const sp_anchor guide = link_anchor(l, &r->guide);
    bool good = r->type <= SP_TIE_CURVE && (r->type < SP_TIE_LINE || sp__world_anchored(w, &guide) == l->side[1].body);
    for (int p = 0; p < SP_TIE_POINTS; p++)
        for (int s = 0; s < 2; s++) good = good && r->first[p][s] <= parts && r->count[p][s] <= parts - r->first[p][s];
    for (int i = 0; i < 2 && r->type == SP_TIE_CURVE; i++) good = good && r->strand[i] < (uint64_t)l->side[1].body->elements;
    if (!good) snprintf(k->why, sizeof k->why, "a tie of the link '%.40s' is not one", l->name);
}

static void pass_ties(sp_world *w, walk *k, sp_link *l, const link_record *link, sp_ties *into) {
    for (uint64_t i = 0; i < link->ties && checkpoint_ok(k); i++) {
        tie_record r = {0};
        if (k->mode <= WRITE) r = tie_record_of(&l->now.ties[i]);
        checkpoint_pass(k, &r, sizeof r);
        if (checkpoint_ok(k) && k->mode == CHECK) check_tie(w, k, l, &r, link->parts);
        if (checkpoint_ok(k) && into) put_tie(l, &into->ties[i], &r);
    }
    for (uint64_t i = 0; i < link->parts && checkpoint_ok(k); i++) {
        part_record r = {0};
        if (k->mode <= WRITE) r.at = anchor_record_of(&l->now.anchor[i]), r.weight = l->now.weight[i];
        checkpoint_pass(k, &r, sizeof r);
        const sp_anchor at = link_anchor(l, &r.at);
        if (checkpoint_ok(k) && k->mode == CHECK && !sp__world_anchored(w, &at))
            snprintf(k->why, sizeof k->why, "a point of the link '%.40s' is on no body", l->name);
        if (checkpoint_ok(k) && into) into->anchor[i] = at, into->weight[i] = r.weight;
    }
}

// into (nullable): where its ties are read to
static void pass_link(sp_world *w, walk *k, sp_link *l, sp_ties *into) {
    link_record r = link_record_of(l);
    const uint64_t most = INT32_MAX / 4;
    checkpoint_pass(k, &r, sizeof r);
    if (checkpoint_ok(k) && k->mode >= CHECK &&
        (memcmp(r.name, l->name, sizeof r.name) != 0 || (r.used != 0) != l->used || r.generation != l->generation))
        snprintf(k->why, sizeof k->why, "link '%.40s' is not the one in the checkpoint", l->name);
    if (checkpoint_ok(k) && k->mode == CHECK && (r.ties > most || r.parts > most || r.state > SP_LINK_BROKEN))
        snprintf(k->why, sizeof k->why, "link '%.40s' has %llu ties", l->name, (unsigned long long)r.ties);
    if (checkpoint_ok(k) && k->mode == APPLY && l->used) put_link(w, l, &r);
    if (checkpoint_ok(k) && l->used) pass_ties(w, k, l, &r, into);
}

// A word that says whether contact by constraints is in the block, in front of it.
static void pass_kinds(walk *k) {
    uint64_t constraints = k->constraints;
    if (!k->links) return;
    checkpoint_pass(k, &constraints, sizeof constraints);
    k->constraints = constraints != 0;
}

static void pass_links(sp_world *w, walk *k) {
    uint64_t count = (uint64_t)w->links.count;
    if (!k->links) return;
    checkpoint_pass(k, &count, sizeof count);
    if (checkpoint_ok(k) && count != (uint64_t)w->links.count)
        snprintf(k->why, sizeof k->why, "it holds %llu links, the world %d", (unsigned long long)count, w->links.count);
    for (int i = 0; i < w->links.count && checkpoint_ok(k); i++) pass_link(w, k, &w->links.list[i], NULL);
}

// Reads the ties of the block, which is known to fit; applying it takes them over.
static sp_status reserve_links(sp_world *w, walk *k) {
    uint64_t count = 0;
    if (!k->links) return SP_OK;
    checkpoint_pass(k, &count, sizeof count);
    for (int i = 0; i < w->links.count; i++) {
        sp_link *l = &w->links.list[i];
        walk header = *k;
        link_record r;
        checkpoint_pass(&header, &r, sizeof r);
        sp_ties *in = &l->incoming;
        sp__ties_free(w->ctx, in);
        if (l->used && (!SP_NEW(w->ctx, in->ties, (size_t)r.ties + 1) || !SP_NEW(w->ctx, in->anchor, (size_t)r.parts + 1) ||
                        !SP_NEW(w->ctx, in->weight, (size_t)r.parts + 1)))
            return WORLD_FAIL(w, SP_NO_MEMORY, "no memory for the link '%s' of a checkpoint", l->name);
        in->tie_count = (int)r.ties, in->part_count = (int)r.parts;
        for (int p = 0; p < 3 && l->used; p++) in->base[p] = link_anchor(l, &r.base[p]);
        pass_link(w, k, l, in);
        if (l->used && r.ties) SP_TRY(sp__ties_mark(w->ctx, l, in));
    }
    return SP_OK;
}

// ---------------------------------------------------------------------------------------------------- additions

typedef struct additions_record {
    uint64_t slot, nodes, elements, element_nodes;  // slot 0: the end of the lists
    uint64_t flags;                                 // elements of the body, if some are removed; else 0
} additions_record;

static const sp_additions *additions_of(const sp_body *b) {
    return b->ops->growth ? b->ops->growth->list(b) : NULL;
}

static bool is_grown(const sp_body *b) {
    return additions_of(b) && additions_of(b)->elements > 0;
}

static bool world_grown(const sp_world *w) {
    bool grown = false;
    for (int i = 0; i < w->body_count; i++) grown = grown || is_grown(w->bodies[i]);
    return grown;
}

static void write_additions(const sp_world *w, walk *k) {
    for (int i = 0; i <= w->body_count; i++) {
        const sp_additions none = {0}, *a = i < w->body_count ? additions_of(w->bodies[i]) : &none;
        if (i < w->body_count && !is_grown(w->bodies[i])) continue;
        const unsigned char *removed = i < w->body_count ? removed_of(w->bodies[i]) : NULL;
        additions_record r = {i < w->body_count ? w->bodies[i]->id.slot : 0, (uint64_t)a->nodes, (uint64_t)a->elements,
                              (uint64_t)a->element_nodes, removed ? (uint64_t)w->bodies[i]->computed : 0};
        checkpoint_pass(k, &r, sizeof r);
        checkpoint_pass(k, a->rest, 3 * (size_t)a->nodes * sizeof *a->rest);
        checkpoint_pass(k, a->like, (size_t)a->elements * sizeof *a->like);
        checkpoint_pass(k, a->node, (size_t)a->element_nodes * sizeof *a->node);
        checkpoint_pass(k, (unsigned char *)(uintptr_t)removed, (size_t)r.flags);  // writes from it
    }
}

// The next list of the block, in place, and where its flags of removed elements are; false: there are no more, or the block is
// damaged (checkpoint_ok).
static bool read_additions(walk *k, additions_record *r, sp_additions *out, size_t *flags) {
    const uint64_t most = INT32_MAX / 64;
    checkpoint_pass(k, r, sizeof *r);
    if (!checkpoint_ok(k) || r->slot == 0) return false;
    size_t size[4] = {0}, at[4], sum = 0;
    if (r->nodes <= most && r->elements <= most && r->element_nodes <= most && r->flags <= most) {
        size[0] = 3 * (size_t)r->nodes * sizeof *out->rest, size[1] = (size_t)r->elements * sizeof *out->like;
        size[2] = (size_t)r->element_nodes * sizeof *out->node, size[3] = (size_t)r->flags;
        for (int i = 0; i < 4; i++) at[i] = k->at + sum, sum += (size[i] + 7) & ~(size_t)7;
    }
    if (size[1] == 0 || sum > k->size - k->at) {
        snprintf(k->why, sizeof k->why, "it ends inside a list of %llu elements", (unsigned long long)r->elements);
        return false;
    }
    *out = (sp_additions){.nodes = (int)r->nodes, .elements = (int)r->elements, .element_nodes = (int)r->element_nodes};
    out->rest = (double *)(void *)(k->data + at[0]);
    out->like = (int *)(void *)(k->data + at[1]), out->node = (int *)(void *)(k->data + at[2]);
    *flags = at[3];
    k->at += sum;
    return true;
}

static void pass_additions(const sp_world *w, walk *k) {
    additions_record r;
    sp_additions a;
    size_t flags;
    if (!k->grown) return;
    if (k->mode <= WRITE)
        write_additions(w, k);
    else
        while (read_additions(k, &r, &a, &flags)) continue;
}

// The list of a body in the block; where it has none, the list is empty.
static sp_status try_growth(sp_world *w, walk k, sp_body *b) {
    additions_record r, own = {0};
    sp_additions a, found = {0};
    size_t flags, at = 0;
    while (k.grown && read_additions(&k, &r, &a, &flags))
        if (r.slot == b->id.slot) found = a, own = r, at = flags;
    if (!checkpoint_ok(&k)) return WORLD_FAIL(w, SP_BAD_INPUT, "checkpoint does not fit this world: %s", k.why);
    if (!b->ops->growth) return SP_OK;  // a list of it is refused with the body
    const int elements = b->computed - b->ops->growth->list(b)->elements + found.elements;
    if (own.flags != 0 && own.flags != (uint64_t)elements)
        return WORLD_FAIL(w, SP_BAD_INPUT, "checkpoint does not fit this world: body '%s' has %d elements with those appended",
                          b->name, elements);
    sp_status status = sp__world_growth_try(w, b, &found, own.flags ? k.data + at : NULL);
    return status < 0 ? sp__world_body_failed(w, b, status) : SP_OK;
}

static sp_status try_growths(sp_world *w, walk k) {
    k.mode = CHECK;
    for (int i = 0; i < w->body_count; i++) SP_TRY(try_growth(w, k, w->bodies[i]));
    return SP_OK;
}

static void end_growths(sp_world *w, bool keep) {
    for (int i = 0; i < w->body_count; i++) sp__world_growth_end(w, w->bodies[i], keep);
}

static void pass_world(sp_world *w, walk *k) {
    pass_additions(w, k);
    if (!checkpoint_ok(k)) return;
    world_record r = world_record_of(w);
    checkpoint_pass(k, &r, sizeof r);
    if (checkpoint_ok(k) && k->mode >= CHECK && r.body_count != (uint64_t)w->body_count)
        snprintf(k->why, sizeof k->why, "it holds %llu bodies, the world %d", (unsigned long long)r.body_count, w->body_count);
    if (checkpoint_ok(k) && k->mode == APPLY) {
        put_world(w, &r);
        sp__world_contacts_forget(w, 0);
    }
    if (checkpoint_ok(k)) pass_kinds(k);
    if (checkpoint_ok(k) && k->constraints) pass_constraints(w, k);
    if (checkpoint_ok(k)) pass_links(w, k);
    for (int i = 0; i < w->body_count && checkpoint_ok(k); i++) pass_body(w, k, w->bodies[i]);
    if (checkpoint_ok(k) && k->mode >= CHECK && k->at != k->size)
        snprintf(k->why, sizeof k->why, "%zu bytes are left over", k->size - k->at);
}

static uint64_t checkpoint_checksum(const unsigned char *data, size_t size) {
    uint64_t sum = 0, word;
    for (size_t i = 0; i + sizeof word <= size; i += sizeof word) {
        memcpy(&word, data + i, sizeof word);
        sum += sp__mix(word, i);
    }
    return sum;
}

// ---------------------------------------------------------------------------------------------------- save

static sp_status checkpoint_save(sp_world *w, sp_checkpoint *out) {
    walk count = {
        .mode = COUNT, .constraints = sp__world_has_contact_rows(w), .links = w->links.count > 0, .grown = world_grown(w)};
    pass_world(w, &count);
    size_t size = sizeof(block_header) + count.at;
    unsigned char *data = sp__alloc(w->ctx, size, 1);
    if (!data) return WORLD_FAIL(w, SP_NO_MEMORY, "no memory for a checkpoint of %zu bytes", size);
    walk write = {.mode = WRITE,
                  .data = data + sizeof(block_header),
                  .size = count.at,
                  .constraints = count.constraints,
                  .links = count.links,
                  .grown = count.grown};
    pass_world(w, &write);
    block_header h = {.size = count.at, .checksum = checkpoint_checksum(write.data, count.at)};
    memcpy(h.magic, magic, sizeof magic);
    const int version = write.links ? VERSION_LINKS : write.constraints ? VERSION_CONSTRAINTS : VERSION;
    h.magic[7] = (char)(version | (write.grown ? GROWN : 0));
    memcpy(data, &h, sizeof h);
    *out = (sp_checkpoint){data, size};
    return SP_OK;
}

sp_status sp_world_save(sp_world *w, sp_checkpoint *out) {
    *out = (sp_checkpoint){0};
    SP_TRY(sp__world_enter(w));
    sp_status status = checkpoint_save(w, out);
    return sp__world_leave(w, status);
}

void sp_checkpoint_free(sp_world *w, sp_checkpoint *checkpoint) {
    if (!checkpoint) return;
    sp__free(w->ctx, checkpoint->data);
    *checkpoint = (sp_checkpoint){0};
}

// ---------------------------------------------------------------------------------------------------- restore

static sp_status check_header(sp_world *w, const void *data, size_t size, block_header *h) {
    if (!data || size < sizeof *h) return WORLD_FAIL(w, SP_BAD_INPUT, "checkpoint of %zu bytes: too short to be one", size);
    memcpy(h, data, sizeof *h);
    if (memcmp(h->magic, magic, 7) != 0) return WORLD_FAIL(w, SP_BAD_INPUT, "checkpoint: the first bytes are not those of one");
    const int version = h->magic[7] & ~GROWN;
    if (version != VERSION && version != VERSION_CONSTRAINTS && version != VERSION_LINKS)
        return WORLD_FAIL(w, SP_BAD_INPUT, "checkpoint of version %d, this build reads %d, %d and %d", h->magic[7], VERSION,
                          VERSION_CONSTRAINTS, VERSION_LINKS);
    if (h->size != size - sizeof *h)
        return WORLD_FAIL(w, SP_BAD_INPUT, "checkpoint of %zu bytes, must be %llu", size,
                          (unsigned long long)h->size + sizeof *h);
    if (checkpoint_checksum((const unsigned char *)data + sizeof *h, size - sizeof *h) != h->checksum)
        return WORLD_FAIL(w, SP_BAD_INPUT, "checkpoint: damaged, its checksum does not fit");
    return SP_OK;
}

// Reserves memory for drags and solvers of the block. No other part of a restore allocates, so this is done before any change.
static sp_status checkpoint_reserve(sp_world *w, walk k) {
    world_record r;
    pass_additions(w, &k);
    checkpoint_pass(&k, &r, sizeof r);
    pass_kinds(&k);
    if (k.constraints && !w->constraints) SP_TRY(sp__constraints_create(w->ctx, &w->constraints));
    if (k.constraints) pass_constraints(w, &k);
    if (k.multipliers && sp__constraints_reserve_multipliers(w->constraints, k.multipliers) < 0)
        return WORLD_FAIL(w, SP_NO_MEMORY, "no memory for %d multipliers of a checkpoint", k.multipliers);
    SP_TRY(reserve_links(w, &k));
    for (int i = 0; i < w->body_count; i++) {
        sp_body *b = w->bodies[i];
        walk header = k;
        body_record br;
        checkpoint_pass(&header, &br, sizeof br);
        int extra = (int)br.springs - b->loads.spring_count;
        sp_status status = extra > 0 ? sp__loads_reserve(b, extra) : SP_OK;
        pass_body(w, &k, b);
        if (status >= 0) status = sp__world_remains_reserve(w, b, k.removed ? k.data + k.removed : NULL);
        if (status >= 0) status = make_solver(w, &k, b);
        if (status >= 0) status = make_compliance(w, &k, b);
        if (status < 0) return sp__world_body_failed(w, b, status);
    }
    return SP_OK;
}

static void swap_solvers(sp_world *w, bool keep_new) {
    for (int i = 0; i < w->body_count; i++) {
        sp_body *b = w->bodies[i];
        if (keep_new && b->next_solver) {
            sp_solver *old = b->solver;
            b->solver = b->next_solver, b->next_solver = old;
            b->solve.solver = NULL;  // points into the old solver
        }
        sp__solver_destroy(&b->next_solver);
        if (keep_new && b->next_compliance) {
            sp_compliance *old = b->compliance;
            b->compliance = b->next_compliance, b->next_compliance = old;
        }
        sp__compliance_destroy(&b->next_compliance);
    }
}

// Checks the whole block and reserves what it needs. Bodies have the additions of the block then; on failure all is as before.
static sp_status checkpoint_fit(sp_world *w, walk start) {
    walk k = start;
    sp_status status = try_growths(w, start);
    if (status >= 0) pass_world(w, &k);
    if (!checkpoint_ok(&k)) status = WORLD_FAIL(w, SP_BAD_INPUT, "checkpoint does not fit this world: %s", k.why);
    if (status >= 0) {
        status = checkpoint_reserve(w, start);
        swap_solvers(w, status >= 0);
    }
    for (int i = 0; i < w->body_count && status < 0; i++) sp__world_remains_drop(w, w->bodies[i]);
    end_growths(w, status >= 0);
    return status;
}

static sp_status checkpoint_restore(sp_world *w, const void *data, size_t size) {
    block_header h;
    SP_TRY(check_header(w, data, size, &h));
    // the cast removes const: CHECK and APPLY only read
    unsigned char *block = (unsigned char *)(uintptr_t)data + sizeof h;
    walk start = {.mode = CHECK,
                  .data = block,
                  .size = size - sizeof h,
                  .constraints = (h.magic[7] & ~GROWN) == VERSION_CONSTRAINTS,
                  .links = (h.magic[7] & ~GROWN) == VERSION_LINKS,
                  .grown = (h.magic[7] & GROWN) != 0};
    SP_TRY(checkpoint_fit(w, start));
    walk k = start;
    k.mode = APPLY;
    pass_world(w, &k);
    for (int i = 0; i < w->body_count; i++) {
        sp_body *b = w->bodies[i];
        b->ops->refresh(b);
        b->retune = true;
        sp_status status = b->solver ? sp__solver_restored(b->solver) : SP_OK;
        if (status >= 0 && b->compliance) status = sp__compliance_restored(b->compliance);
        if (status < 0) return sp__world_body_failed(w, b, status);
    }
    w->hash = sp__world_compute_hash(w);
    w->info = w->trial = (sp_step_info){.step = w->steps, .time = w->time, .hash = w->hash};
    w->events->count = w->taken.count = 0;
    sp__pairs_forget(w);
    if (w->def.snapshots) sp__snapshot_publish(w);
    return SP_OK;
}

sp_status sp_world_restore(sp_world *w, const void *data, size_t size) {
    SP_TRY(sp__world_enter(w));
    sp_status status = checkpoint_restore(w, data, size);
    return sp__world_leave(w, status);
}
