// Bodies of a world: addition and removal, names, ids with a generation.
#include <stdio.h>

#include "world/world_internal.h"

sp_body *sp__world_body(const sp_world *w, sp_body_id id) {
    if (id.slot == 0 || id.slot > (uint32_t)w->slot_count) return NULL;
    const sp_slot *slot = &w->slots[id.slot - 1];
    return slot->generation == id.generation ? slot->body : NULL;
}

sp_status sp__world_stale(sp_world *w, sp_body_id id) {
    return WORLD_FAIL(w, SP_BAD_ID, "body id (%u, %u) is null or stale", (unsigned)id.slot, (unsigned)id.generation);
}

sp_slot *sp__world_slot(const sp_world *w, const sp_body *b) {
    return &w->slots[b->id.slot - 1];
}

sp_body *sp__world_anchored(const sp_world *w, const sp_anchor *a) {
    sp_body *b = sp__world_body(w, a->body);
    if (!b) return NULL;
    int64_t elements = b->elements > 0 ? b->elements : 1;
    if ((int64_t)a->elem >= elements || a->group != 0) return NULL;
    for (int i = 0; i < 3; i++)
        if (!isfinite(a->at[i]) || !isfinite(a->offset[i])) return NULL;
    return b;
}

int sp_world_body_count(const sp_world *w) {
    return w->body_count;
}

sp_body_id sp_world_body_id(const sp_world *w, int index) {
    return index >= 0 && index < w->body_count ? w->bodies[index]->id : (sp_body_id){0, 0};
}

sp_body_id sp_world_body_named(const sp_world *w, const char *name) {
    for (int i = 0; name && i < w->body_count; i++)
        if (strcmp(w->bodies[i]->name, name) == 0) return w->bodies[i]->id;
    return (sp_body_id){0, 0};
}

// ---------------------------------------------------------------------------------------------------- addition

static sp_status world_check_name(sp_world *w, const char *name, size_t capacity) {
    if (!name[0] || strlen(name) >= capacity)
        return WORLD_FAIL(w, SP_BAD_INPUT, "body name of %zu characters, must have 1 to %zu", strlen(name), capacity - 1);
    if (strcmp(name, "gravity") == 0 || strcmp(name, "contact") == 0)
        return WORLD_FAIL(w, SP_BAD_INPUT, "body name '%s' is reserved for the parameters of the world", name);
    if (sp_world_body_named(w, name).slot || sp_world_link_named(w, name).slot)
        return WORLD_FAIL(w, SP_BAD_INPUT, "body name '%s' is already used", name);
    return SP_OK;
}

// Reserves memory for one more entry in slots, bodies and obstacles.
static sp_status reserve_body(sp_world *w) {
    if (w->slot_count < w->slot_capacity) return SP_OK;
    if (w->slot_capacity > INT32_MAX / 4) return WORLD_FAIL(w, SP_BAD_INPUT, "more than %d bodies", w->slot_capacity);
    int capacity = w->slot_capacity ? 2 * w->slot_capacity : 8;
    sp_slot *slots = sp__alloc(w->ctx, (size_t)capacity, sizeof *slots);
    sp_body **bodies = sp__alloc(w->ctx, (size_t)capacity, sizeof *bodies);
    sp_body **obstacles = sp__alloc(w->ctx, (size_t)capacity, sizeof *obstacles);
    if (!slots || !bodies || !obstacles) {
        sp__free(w->ctx, slots), sp__free(w->ctx, bodies), sp__free(w->ctx, obstacles);
        return WORLD_FAIL(w, SP_NO_MEMORY, "no memory for another body");
    }
    if (w->slot_count) memcpy(slots, w->slots, (size_t)w->slot_count * sizeof *slots);
    if (w->body_count) memcpy(bodies, w->bodies, (size_t)w->body_count * sizeof *bodies);
    if (w->obstacles.count) memcpy(obstacles, w->obstacles.list, (size_t)w->obstacles.count * sizeof *obstacles);
    sp__free(w->ctx, w->slots), sp__free(w->ctx, w->bodies), sp__free(w->ctx, w->obstacles.list);
    w->slots = slots, w->bodies = bodies, w->obstacles.list = obstacles;
    w->slot_capacity = w->body_capacity = capacity;
    return SP_OK;
}

static void list_obstacles(sp_world *w) {
    w->obstacles.count = 0;
    for (int i = 0; i < w->body_count; i++)
        if (w->bodies[i]->ops->distance) w->obstacles.list[w->obstacles.count++] = w->bodies[i];
}

static void name_body(sp_world *w, sp_body *b, const char *name) {
    if (name)
        snprintf(b->name, sizeof b->name, "%s", name);
    else
        snprintf(b->name, sizeof b->name, "%s%u", b->ops->kind, (unsigned)w->slot_count + 1);
}

// Constraints are enforced at the end of one linearised step.
static sp_status check_constraints(sp_world *w, const sp_body *b) {
    if (sp__body_takes_rows(b, false)) return SP_OK;
    if (b->caps & SP_CAP_NO_CONSTRAINTS)
        return WORLD_FAIL(w, SP_BAD_INPUT,
                          "contact by constraints cannot act on '%s': planes of rigid bodies must be bodies of their own; "
                          "formulation=\"penalty\" does",
                          b->name);
    return WORLD_FAIL(
        w, SP_BAD_INPUT,
        "contact by constraints needs integrator type=\"implicit-euler\", \"newton\" or \"static\", without substeps; "
        "'%s' has %s",
        b->name, b->integrator.type == SP_EXPLICIT ? "\"explicit\"" : "substeps");
}

// How penalty contact acts on a pair.
typedef enum penalty_pair {
    PAIR_SPRINGS,  // springs between points of a soft body and shapes, in its own system (contact/penalty.h); or both are
                   // prescribed
    PAIR_ROWS,     // springs that are rows of the contact problem (contact/constraints.h)
    PAIR_IGNORED,  // soft bodies that pass through each other: pairs.c reports it
    PAIR_REFUSED,
} penalty_pair;

static penalty_pair penalty_pair_of(const sp_body *a, const sp_body *b) {
    const bool by_points = !((a->caps | b->caps) & SP_CAP_NO_PENALTY);
    if (a->caps & b->caps & SP_CAP_KINEMATIC || (by_points && (a->caps | b->caps) & SP_CAP_KINEMATIC)) return PAIR_SPRINGS;
    if (sp__body_takes_rows(a, true) && sp__body_takes_rows(b, true)) return PAIR_ROWS;
    return by_points ? PAIR_IGNORED : PAIR_REFUSED;
}

static bool needs_rows(const sp_world *w, const sp_body *b) {
    for (int i = 0; i < w->body_count; i++)
        if (w->bodies[i] != b && penalty_pair_of(b, w->bodies[i]) == PAIR_ROWS) return true;
    return false;
}

// One pair that needs rows brings all contacts into the problem: the push of another body and the friction of the floor act on
// each other within a step. An obstacle without a surface would then be lost.
static sp_status check_obstacle(sp_world *w, const sp_body *b) {
    if (!(b->caps & SP_CAP_KINEMATIC) || sp__body_takes_rows(b, true)) return SP_OK;
    return WORLD_FAIL(
        w, SP_BAD_INPUT,
        "penalty contact between soft bodies, and with free rigid bodies and meshes, cannot act on '%s': its planes "
        "must be bodies of their own",
        b->name);
}

static sp_status check_penalty(sp_world *w, const sp_body *b) {
    for (int i = 0; i < w->body_count; i++)
        if (w->bodies[i] != b && penalty_pair_of(b, w->bodies[i]) == PAIR_REFUSED)
            return WORLD_FAIL(w, SP_BAD_INPUT,
                              "penalty contact cannot act between '%s' and '%s': rods, and bodies with explicit integration or "
                              "substeps, touch fixed or kinematic rigid bodies made of shapes, not meshes and free bodies",
                              w->bodies[i]->name, b->name);
    if (!w->coupled && !needs_rows(w, b)) return SP_OK;
    for (int i = 0; i < w->body_count; i++) SP_TRY(check_obstacle(w, w->bodies[i]));
    return check_obstacle(w, b);
}

sp_status sp__world_check_contact(sp_world *w, const sp_body *b, const sp_contact_def *def) {
    return def->formulation == SP_CONTACT_PENALTY ? check_penalty(w, b) : check_constraints(w, b);
}

void sp__world_couple(sp_world *w) {
    bool coupled = false;
    for (int i = 0; i < w->body_count && w->has_contact && w->contact.formulation == SP_CONTACT_PENALTY && !coupled; i++)
        coupled = needs_rows(w, w->bodies[i]);
    if (coupled == w->coupled) return;
    w->coupled = coupled;
    for (int i = 0; i < w->body_count; i++) sp__loads_forget(w->bodies[i]);
    sp__world_contacts_forget(w, 0);
}

static sp_status take_body(sp_world *w, sp_body *b, const char *name) {
    b->error = &w->ctx->error;
    name_body(w, b, NULL);
    SP_TRY(world_check_name(w, name ? name : b->name, sizeof b->name));
    SP_TRY(reserve_body(w));
    name_body(w, b, name);
    if (w->has_contact) SP_TRY(sp__world_check_contact(w, b, &w->contact));
    sp_status status = !(b->caps & SP_CAP_KINEMATIC) ? sp__loads_reserve(b, SP_DRAG_ROOM) : SP_OK;
    if (status < 0) return sp__world_body_failed(w, b, status);
    w->slots[w->slot_count] = (sp_slot){.body = b, .generation = 1};
    b->id = (sp_body_id){(uint32_t)w->slot_count + 1, 1};
    for (int i = 0; i < b->surfaces[0]->vertex_count; i++) b->surfaces[0]->anchors[i].body = b->id;
    for (int i = 0; b->centreline && i < b->centreline->vertex_count; i++) b->centreline->anchors[i].body = b->id;
    for (int i = 0; i < b->loads.mass_count; i++)
        for (int k = 0; k < b->loads.masses[i].count; k++) b->loads.masses[i].at[k].body = b->id;
    w->bodies[w->body_count++] = b;
    w->slot_count++;
    status = sp__snapshots_reserve(w);
    if (status < 0) {
        w->body_count--;
        w->slot_count--;
        return status;
    }
    sp__surface_share(w->ctx, b->surfaces[0]);
    list_obstacles(w);
    sp__world_couple(w);
    w->hash = sp__world_compute_hash(w);
    return SP_OK;
}

sp_status sp__world_adopt(sp_world *w, sp_body *b, const char *name, sp_body_id *out) {
    sp_status status = take_body(w, b, name);
    if (status < 0) {
        b->ops->destroy(b);
        return status;
    }
    b->contacts = &w->contacts;
    if (out) *out = b->id;
    return SP_OK;
}

// The create function of a kind; def is the definition of the kind.
typedef sp_status create_fn(sp_world *w, const void *def, sp_body **out);

static sp_status create_solid(sp_world *w, const void *def, sp_body **out) {
    return sp__solid_create(w->ctx, &w->ctx->error, def, w->backend, out);
}

static sp_status create_rod(sp_world *w, const void *def, sp_body **out) {
    return sp__rod_create(w->ctx, &w->ctx->error, def, out);
}

static sp_status create_rigid(sp_world *w, const void *def, sp_body **out) {
    return sp__rigid_create(w->ctx, &w->ctx->error, def, out);
}

static sp_status world_add_body(sp_world *w, create_fn *create, const char *kind, const void *def, const char *name,
                                sp_body_id *out) {
    if (out) *out = (sp_body_id){0, 0};
    if (!def) return WORLD_FAIL(w, SP_BAD_INPUT, "sp_world_add_%s without a definition", kind);
    SP_TRY(sp__world_enter(w));
    sp_body *b = NULL;
    sp_status status = create(w, def, &b);
    status = status < 0 ? sp__world_body_failed(w, NULL, status) : sp__world_adopt(w, b, name, out);
    return sp__world_leave(w, status);
}

sp_status sp_world_add_solid(sp_world *w, const sp_solid_def *def, sp_body_id *out) {
    return world_add_body(w, create_solid, "solid", def, def ? def->name : NULL, out);
}

sp_status sp_world_add_rod(sp_world *w, const sp_rod_def *def, sp_body_id *out) {
    return world_add_body(w, create_rod, "rod", def, def ? def->name : NULL, out);
}

sp_status sp_world_add_rigid(sp_world *w, const sp_rigid_def *def, sp_body_id *out) {
    return world_add_body(w, create_rigid, "rigid", def, def ? def->name : NULL, out);
}

// Takes a body out of all lists and destroys it.
static void drop_body(sp_world *w, sp_body *b) {
    int place = 0;
    while (w->bodies[place] != b) place++;
    w->body_count--;
    for (int i = place; i < w->body_count; i++) w->bodies[i] = w->bodies[i + 1];
    sp__free(w->ctx, w->slots[b->id.slot - 1].removing);
    w->slots[b->id.slot - 1] = (sp_slot){.generation = b->id.generation + 1};
    list_obstacles(w);
    sp__world_couple(w);
    sp__journal_forget(w, b);
    sp__world_links_forget(w, b);
    sp__world_contacts_forget_body(w, b);
    b->ops->destroy(b);
}

static void remove_body(sp_world *w, sp_body *b) {
    drop_body(w, b);
    w->hash = sp__world_compute_hash(w);
}

sp_status sp_world_remove(sp_world *w, sp_body_id id) {
    SP_TRY(sp__world_enter(w));
    sp_body *b = sp__world_body(w, id);
    sp_status status = SP_OK;
    if (b)
        remove_body(w, b);
    else
        status = sp__world_stale(w, id);
    return sp__world_leave(w, status);
}

// ---------------------------------------------------------------------------------------------------- edits

sp_status sp__world_edit_add(sp_world *w, const sp_edit *e) {
    sp_rigid_shape shape = {.type = e->shape, .pose = sp_pose_identity()};
    sp_rigid_def def = sp_rigid_def_default();
    sp_body *b = NULL;
    sp_body_id id;
    memcpy(shape.size, e->size, sizeof shape.size);
    memcpy(def.velocity, e->velocity, sizeof def.velocity);
    def.name = e->path, def.shapes = &shape, def.shape_count = 1;
    def.kinematic = e->kinematic, def.free = e->free, def.density = e->density;
    def.pose = sp_pose_signal_constant(e->pose);
    SP_TRY(create_rigid(w, &def, &b));
    SP_TRY(sp__world_adopt(w, b, e->path, &id));
    w->slots[id.slot - 1].added = true;
    return SP_OK;
}

void sp__world_bodies_commit(sp_world *w) {
    for (int i = w->body_count - 1; i >= 0; i--) {
        sp_slot *slot = sp__world_slot(w, w->bodies[i]);
        slot->added = false;
        if (slot->leaves) drop_body(w, w->bodies[i]);
    }
}

// The slots of added bodies are free again, so that the step that repeats the edits gives them the same ids.
void sp__world_bodies_undo(sp_world *w) {
    for (int i = w->body_count - 1; i >= 0; i--) {
        sp_slot *slot = sp__world_slot(w, w->bodies[i]);
        slot->leaves = false;
        if (!slot->added) continue;
        drop_body(w, w->bodies[i]);
        w->slot_count--;
    }
    w->hash = sp__world_compute_hash(w);
}
