// Links of a world: addition and removal, attaching and detaching, breaking, queries, parameters. contact/links.h explains their
// ties and rows.
#include <stdio.h>

#include "contact/link_carrier.h"
#include "math/vec3.h"
#include "world/world_internal.h"

sp_link_def sp_link_def_default(void) {
    return (sp_link_def){.break_force = INFINITY, .attached = true, .cookie = SP_COOKIE_LINK};
}

static sp_link *find_link(const sp_world *w, sp_link_id id) {
    if (id.slot == 0 || id.slot > (uint32_t)w->links.count) return NULL;
    sp_link *l = &w->links.list[id.slot - 1];
    return l->used && l->generation == id.generation ? l : NULL;
}

static sp_link_id link_id(const sp_world *w, const sp_link *l) {
    return (sp_link_id){(uint32_t)(l - w->links.list) + 1, l->generation};
}

static sp_status link_stale(sp_world *w, sp_link_id id) {
    return WORLD_FAIL(w, SP_BAD_ID, "link id (%u, %u) is null or stale", (unsigned)id.slot, (unsigned)id.generation);
}

bool sp__world_links_act(const sp_world *w) {
    for (int i = 0; i < w->links.count; i++)
        if (sp__link_acts(&w->links.list[i])) return true;
    return false;
}

bool sp__world_is_linked(const sp_world *w, const sp_body *b) {
    for (int i = 0; i < w->links.count; i++) {
        const sp_link *l = &w->links.list[i];
        if (sp__link_acts(l) && (l->side[0].body == b || l->side[1].body == b)) return true;
    }
    return false;
}

// ---------------------------------------------------------------------------------------------------- checks of a definition

// Ranges of the numbers that edits may change; columns as in body/params.c.
static const sp_param_spec link_specs[] = {
    {"stiffness", "N/m", "stiffness of a link", "of all points together", 0, 1e300, SP_RANGE_LOW_OPEN | SP_RANGE_HIGH_GUARD,
     1e-300, 1e300, NAN, SP_PRICE_NOTHING},
    {"damping", "N s/m", "damping of a link", "of all points together", 0, 1e300, SP_RANGE_HIGH_GUARD, 0, 1e300, 0,
     SP_PRICE_NOTHING},
    {"friction", "1", "Coulomb's coefficient of a slide", "coefficient", 0, 1e6, SP_RANGE_HIGH_GUARD, 0, 1e6, 0,
     SP_PRICE_NOTHING},
    {"break", "N", "force that breaks a link", "force at which it separates", 0, INFINITY, SP_RANGE_LOW_OPEN, 1e-300, 1e300, NAN,
     SP_PRICE_NOTHING},
};
enum { STIFFNESS, DAMPING, FRICTION, BREAK, LINK_PARAMS };

static double *link_value(sp_link *l, int index) {
    double *const values[LINK_PARAMS] = {&l->def.stiffness, &l->def.damping, &l->def.friction, &l->def.break_force};
    return values[index];
}

// Which of them a link has.
static bool link_has(const sp_link_def *def, int index) {
    switch (index) {
    case STIFFNESS:
    case DAMPING: return def->type == SP_LINK_SPRING;
    case FRICTION: return def->type == SP_LINK_SLIDE;
    default: return true;
    }
}

static sp_status check_values(sp_world *w, const sp_link_def *def, const char *name) {
    const double values[LINK_PARAMS] = {def->stiffness, def->damping, def->friction, def->break_force};
    char prefix[96];
    sp_error e;
    snprintf(prefix, sizeof prefix, "link '%s': ", name);
    for (int i = 0; i < LINK_PARAMS; i++) {
        if (!link_has(def, i)) {
            if (values[i] == 0) continue;
            return WORLD_FAIL(w, SP_BAD_INPUT, "link '%s': %s = %g has no effect, it is no %s", name, link_specs[i].name,
                              values[i], i == FRICTION ? "slide" : "spring");
        }
        if (i == BREAK && values[i] == INFINITY) continue;
        if (sp__param_check(&e, prefix, &link_specs[i], values[i]) < 0) return WORLD_FAIL(w, SP_BAD_INPUT, "%s", e.message);
    }
    return SP_OK;
}

static bool finite3(const double x[3]) {
    return isfinite(x[0]) && isfinite(x[1]) && isfinite(x[2]);
}

static sp_status check_geometry(sp_world *w, const sp_link_def *def, const char *name) {
    const bool axis = def->type == SP_LINK_HINGE || (def->type == SP_LINK_SLIDE && def->guide != SP_GUIDE_CENTRELINE);
    if ((unsigned)def->type > SP_LINK_HINGE || (unsigned)def->guide > SP_GUIDE_CENTRELINE)
        return WORLD_FAIL(w, SP_BAD_INPUT, "link '%s': type %d or guide %d is unknown", name, (int)def->type, (int)def->guide);
    if (!(def->within >= 0) || !isfinite(def->within))
        return WORLD_FAIL(w, SP_BAD_INPUT, "link '%s': within = %g m, must be finite and > 0, or 0 for auto", name, def->within);
    if (def->has_point && !finite3(def->point)) return WORLD_FAIL(w, SP_BAD_INPUT, "link '%s': its point must be finite", name);
    if (!axis) return SP_OK;
    if (!finite3(def->axis) || !(sp__norm3(def->axis) > 0))
        return WORLD_FAIL(w, SP_BAD_INPUT, "link '%s': axis = %g %g %g, must be finite and not 0", name, def->axis[0],
                          def->axis[1], def->axis[2]);
    if (def->type == SP_LINK_HINGE && !def->has_point)
        return WORLD_FAIL(w, SP_BAD_INPUT, "link '%s': a hinge needs a point", name);
    return SP_OK;
}

static sp_status check_body(sp_world *w, const sp_body *b, const char *name) {
    if (b->caps & SP_CAP_KINEMATIC) return SP_OK;
    if (b->integrator.type != SP_EXPLICIT && (b->integrator.substeps <= 1 || b->integrator.type == SP_STATIC)) return SP_OK;
    return WORLD_FAIL(
        w, SP_BAD_INPUT,
        "link '%s' needs integrator type=\"implicit-euler\", \"newton\" or \"static\", without substeps; '%s' has %s", name,
        b->name, b->integrator.type == SP_EXPLICIT ? "\"explicit\"" : "substeps");
}

static sp_status check_part(sp_world *w, const sp_link_part *part, const char *name, sp_body **out) {
    sp_body *b = *out = sp__world_body(w, part->body);
    if (!b) return WORLD_FAIL(w, SP_BAD_INPUT, "link '%s': the id of a body is null or stale", name);
    if (part->nodes && part->points)
        return WORLD_FAIL(w, SP_BAD_INPUT, "link '%s': nodes and points of '%s', must be one of them", name, b->name);
    if (part->node_count < 0 || part->point_count < 0 || (part->nodes && part->node_count < 1) ||
        (part->points && part->point_count < 1))
        return WORLD_FAIL(w, SP_BAD_INPUT, "link '%s': %d nodes and %d points of '%s', must be at least one", name,
                          part->node_count, part->point_count, b->name);
    for (int i = 0; part->nodes && i < part->node_count; i++)
        if (part->nodes[i] < 0 || part->nodes[i] >= b->nodes)
            return WORLD_FAIL(w, SP_BAD_INPUT, "link '%s': node %d of '%s', must be in [0, %d]", name, part->nodes[i], b->name,
                              b->nodes - 1);
    for (int i = 0; part->points && i < part->point_count; i++)
        if (sp__world_anchored(w, &part->points[i]) != b)
            return WORLD_FAIL(w, SP_BAD_INPUT, "link '%s': point %d is not of the body '%s'", name, i, b->name);
    return check_body(w, b, name);
}

static sp_status check_link_name(sp_world *w, const char *name) {
    const size_t capacity = sizeof((sp_link *)0)->name;
    if (!name[0] || strlen(name) >= capacity)
        return WORLD_FAIL(w, SP_BAD_INPUT, "link name of %zu characters, must have 1 to %zu", strlen(name), capacity - 1);
    if (strcmp(name, "gravity") == 0 || strcmp(name, "contact") == 0)
        return WORLD_FAIL(w, SP_BAD_INPUT, "link name '%s' is reserved for the parameters of the world", name);
    if (sp_world_body_named(w, name).slot || sp_world_link_named(w, name).slot)
        return WORLD_FAIL(w, SP_BAD_INPUT, "link name '%s' is already used", name);
    return SP_OK;
}

static sp_status check_link(sp_world *w, const sp_link_def *def, const char *name, sp_body *bodies[2]) {
    if (def->cookie != SP_COOKIE_LINK) return WORLD_FAIL(w, SP_BAD_INPUT, "sp_link_def did not start from sp_link_def_default()");
    SP_TRY(check_link_name(w, name));
    SP_TRY(check_geometry(w, def, name));
    SP_TRY(check_values(w, def, name));
    SP_TRY(check_part(w, &def->a, name, &bodies[0]));
    SP_TRY(check_part(w, &def->b, name, &bodies[1]));
    if ((bodies[0]->caps & SP_CAP_KINEMATIC) && (bodies[1]->caps & SP_CAP_KINEMATIC))
        return WORLD_FAIL(w, SP_BAD_INPUT, "link '%s': neither '%s' nor '%s' can move, they are fixed or kinematic", name,
                          bodies[0]->name, bodies[1]->name);
    const bool parts = (def->a.nodes || def->a.points) && (def->b.nodes || def->b.points);
    if (bodies[0] == bodies[1] && !parts)
        return WORLD_FAIL(w, SP_BAD_INPUT, "link '%s' joins '%s' to itself, must name two parts of it", name, bodies[0]->name);
    return SP_OK;
}

// ---------------------------------------------------------------------------------------------------- addition and removal

static void link_free(sp_world *w, sp_link *l) {
    for (int s = 0; s < 2; s++) sp__free(w->ctx, l->side[s].nodes), sp__free(w->ctx, l->side[s].points);
    sp__ties_free(w->ctx, &l->now), sp__ties_free(w->ctx, &l->before), sp__ties_free(w->ctx, &l->incoming);
    *l = (sp_link){.generation = l->generation + 1};
}

static sp_status copy_part(sp_world *w, const sp_link_part *part, sp_body *b, sp_link_side *out) {
    *out = (sp_link_side){.body = b, .node_count = part->node_count, .point_count = part->point_count};
    if (part->nodes) {
        if (!SP_NEW(w->ctx, out->nodes, part->node_count)) return SP_NO_MEMORY;
        memcpy(out->nodes, part->nodes, (size_t)part->node_count * sizeof *out->nodes);
    }
    if (part->points) {
        if (!SP_NEW(w->ctx, out->points, part->point_count)) return SP_NO_MEMORY;
        memcpy(out->points, part->points, (size_t)part->point_count * sizeof *out->points);
    }
    return SP_OK;
}

static sp_status reserve_link(sp_world *w) {
    if (w->links.count < w->links.capacity) return SP_OK;
    if (w->links.capacity > INT32_MAX / 4) return WORLD_FAIL(w, SP_BAD_INPUT, "more than %d links", w->links.capacity);
    int capacity = w->links.capacity ? 2 * w->links.capacity : 8;
    sp_link *list = sp__alloc(w->ctx, (size_t)capacity, sizeof *list);
    if (!list) return WORLD_FAIL(w, SP_NO_MEMORY, "no memory for another link");
    if (w->links.count) memcpy(list, w->links.list, (size_t)w->links.count * sizeof *list);
    sp__free(w->ctx, w->links.list);
    w->links.list = list, w->links.capacity = capacity;
    return SP_OK;
}

static sp_status link_fill(sp_world *w, const sp_link_def *def, sp_body *const bodies[2], sp_link *l) {
    l->def = *def, l->used = true;
    l->def.name = NULL, l->def.a = l->def.b = (sp_link_part){0};
    l->state = SP_LINK_DETACHED;
    sp_status status = copy_part(w, &def->a, bodies[0], &l->side[0]);
    if (status >= 0) status = copy_part(w, &def->b, bodies[1], &l->side[1]);
    if (status < 0) return WORLD_FAIL(w, status, "no memory for the link '%s'", l->name);
    for (int i = 0; i < LINK_PARAMS; i++) snprintf(l->path[i], sizeof l->path[i], "%s.%s", l->name, link_specs[i].name);
    if (!def->attached) return SP_OK;
    SP_TRY(sp__ties_make(w->ctx, l, &l->now));
    l->state = SP_LINK_ATTACHED;
    return SP_OK;
}

static sp_status add_link(sp_world *w, const sp_link_def *def, sp_link_id *out) {
    sp_body *bodies[2];
    char name[sizeof((sp_link *)0)->name] = "";
    snprintf(name, sizeof name, "link%d", w->links.count + 1);
    if (def->name) snprintf(name, sizeof name, "%s", def->name);
    SP_TRY(check_link(w, def, def->name ? def->name : name, bodies));
    SP_TRY(reserve_link(w));
    sp_link *l = &w->links.list[w->links.count];
    *l = (sp_link){.generation = 1};
    memcpy(l->name, name, sizeof name);
    sp_status status = link_fill(w, def, bodies, l);
    if (status < 0) {
        link_free(w, l);
        return status;
    }
    w->links.count++;
    w->hash = sp__world_compute_hash(w);
    if (out) *out = link_id(w, l);
    return SP_OK;
}

sp_status sp_world_add_link(sp_world *w, const sp_link_def *def, sp_link_id *out) {
    if (out) *out = (sp_link_id){0, 0};
    if (!def) return WORLD_FAIL(w, SP_BAD_INPUT, "sp_world_add_link without a definition");
    SP_TRY(sp__world_enter(w));
    return sp__world_leave(w, add_link(w, def, out));
}

sp_status sp_world_remove_link(sp_world *w, sp_link_id id) {
    SP_TRY(sp__world_enter(w));
    sp_link *l = find_link(w, id);
    if (!l) return sp__world_leave(w, link_stale(w, id));
    link_free(w, l);
    w->hash = sp__world_compute_hash(w);
    return sp__world_leave(w, SP_OK);
}

void sp__world_links_forget(sp_world *w, const sp_body *b) {
    for (int i = 0; i < w->links.count; i++) {
        sp_link *l = &w->links.list[i];
        if (l->used && (l->side[0].body == b || l->side[1].body == b)) link_free(w, l);
    }
}

void sp__world_links_free(sp_world *w) {
    for (int i = 0; i < w->links.count; i++) link_free(w, &w->links.list[i]);
    sp__free(w->ctx, w->links.list);
    w->links = (sp_link_list){0};
}

// ---------------------------------------------------------------------------------------------------- attach and detach

// The ties at the current state; detached: none.
static sp_status link_set(sp_world *w, sp_link *l, bool attached) {
    sp_ties ties = {0};
    if (attached) SP_TRY(sp__ties_make(w->ctx, l, &ties));
    sp__ties_free(w->ctx, &l->now);
    l->now = ties;
    l->state = attached ? SP_LINK_ATTACHED : SP_LINK_DETACHED;
    memset(l->force, 0, sizeof l->force);
    return SP_OK;
}

sp_status sp_world_set_link(sp_world *w, sp_link_id id, bool attached) {
    SP_TRY(sp__world_enter(w));
    sp_link *l = find_link(w, id);
    sp_status status = l ? link_set(w, l, attached) : link_stale(w, id);
    if (status >= 0) w->hash = sp__world_compute_hash(w);
    return sp__world_leave(w, status);
}

// What an edit replaces is kept until the step is committed.
sp_status sp__world_edit_link(sp_world *w, const char *name, bool attached, const char **refused) {
    const sp_link_id id = sp_world_link_named(w, name);
    sp_link *l = find_link(w, id);
    *refused = "there is no link of that name";
    if (!l) return SP_EDIT_REFUSED;
    const bool first = !l->edited;
    if (first) {
        l->edited = true, l->state_before = l->state, l->before = l->now;
        l->now = (sp_ties){0};
    }
    sp_status status = link_set(w, l, attached);
    if (status == SP_NO_MEMORY) return status;
    *refused = w->ctx->error.message;
    if (status >= 0) return SP_OK;
    // nothing is near enough: as before
    if (first) l->now = l->before, l->before = (sp_ties){0}, l->edited = false;
    return SP_EDIT_REFUSED;
}

// A weld ties the point of one side to the other body, if possible to one with a frame, which carries every point exactly; two
// bodies with frames keep their relative pose.
static void weld_def(const sp_anchor *const at[2], sp_body *const b[2], sp_link_def *def) {
    sp_link_part *part[2] = {&def->a, &def->b};
    if (sp__carries_frame(b[0]) && sp__carries_frame(b[1])) return;
    const int side = sp__carries_frame(b[0]) ? 1 : 0;
    part[side]->points = at[side], part[side]->point_count = 1;
}

sp_status sp__world_edit_add_link(sp_world *w, const sp_edit *e, bool attached) {
    const sp_anchor *const at[2] = {&e->anchor, &e->other};
    sp_body *b[2];
    sp_link_id id;
    sp_link_def def = sp_link_def_default();
    for (int s = 0; s < 2; s++)
        if (!(b[s] = sp__world_anchored(w, at[s]))) return WORLD_FAIL(w, SP_BAD_INPUT, "a point is attached to no body");
    def.name = e->path, def.a.body = b[0]->id, def.b.body = b[1]->id, def.attached = attached;
    if (e->stiffness > 0) {
        def.type = SP_LINK_SPRING, def.stiffness = e->stiffness, def.damping = e->damping;
        def.a.points = at[0], def.b.points = at[1], def.a.point_count = def.b.point_count = 1;
    } else {
        def.within = e->value;
        weld_def(at, b, &def);
    }
    SP_TRY(add_link(w, &def, &id));
    find_link(w, id)->added = attached;  // by an edit of a step, which may fail
    return SP_OK;
}

void sp__world_links_undo(sp_world *w) {
    while (w->links.count && w->links.list[w->links.count - 1].added) link_free(w, &w->links.list[--w->links.count]);
    for (int i = 0; i < w->links.count; i++) {
        sp_link *l = &w->links.list[i];
        l->breaks = l->contradicts = false;
        if (!l->edited) continue;
        sp__ties_free(w->ctx, &l->now);
        l->now = l->before, l->before = (sp_ties){0};
        l->state = l->state_before, l->edited = false;
    }
}

// ---------------------------------------------------------------------------------------------------- the end of a step

static void check_contradiction(sp_world *w) {
    double apart;
    if (sp__constraints_info(w->constraints)->solve.status != SP_NOT_CONVERGED) return;
    sp_link *l = sp__constraints_worst_link(w->constraints, &apart);
    if (!l || l->reported) return;
    l->contradicts = true;
    sp__event(w, SP_NOT_CONVERGED,
              "link '%s' cannot hold: what it joins is %.3g m apart; it contradicts other links, contacts or fixed bodies",
              l->name, apart);
}

void sp__world_links_check(sp_world *w) {
    if (!sp__world_links_act(w)) return;
    check_contradiction(w);
    for (int i = 0; i < w->links.count; i++) {
        sp_link *l = &w->links.list[i];
        if (!sp__link_acts(l)) continue;
        sp__constraints_link_force(w->constraints, l, w->step.h, l->trial_force);
        const double force = sp__norm3(l->trial_force);
        l->breaks = force > l->def.break_force;
        l->ends = sp__constraints_link_rows(w->constraints, l) == 0;
        if (l->breaks)
            sp__event(w, SP_OK, "link '%s' breaks: its force is %.6g N, the limit %.6g N", l->name, force, l->def.break_force);
        if (l->ends) sp__event(w, SP_OK, "link '%s' ends: it has slid off '%s'", l->name, l->side[1].body->name);
    }
}

void sp__world_links_commit(sp_world *w) {
    for (int i = 0; i < w->links.count; i++) {
        sp_link *l = &w->links.list[i];
        if (!l->used) continue;
        sp__ties_free(w->ctx, &l->before);
        l->edited = l->added = false;
        memset(l->force, 0, sizeof l->force);
        if (!sp__link_acts(l)) continue;
        memcpy(l->force, l->trial_force, sizeof l->force);
        l->reported = l->reported || l->contradicts;
        if (l->breaks || l->ends) {
            l->state = l->breaks ? SP_LINK_BROKEN : SP_LINK_DETACHED;
            sp__ties_free(w->ctx, &l->now);
        }
        l->breaks = l->ends = l->contradicts = false;
    }
}

uint64_t sp__world_links_hash(const sp_world *w) {
    uint64_t sum = 0, word;
    for (int i = 0; i < w->links.count; i++) {
        const sp_link *l = &w->links.list[i];
        if (!l->used) continue;
        sum += sp__mix((uint64_t)l->state + 1, (uint64_t)i);
        for (int k = 0; k < l->now.tie_count; k++) {
            const sp_tie *t = &l->now.ties[k];
            uint64_t at = ((uint64_t)i << 40) + (uint64_t)k * (SP_TIE_NUMBERS + 2);
            for (int n = 0; n < SP_TIE_NUMBERS; n++) {
                memcpy(&word, &t->kept[n], sizeof word);
                sum += sp__mix(word, ++at);
            }
            if (t->type != SP_TIE_CURVE) continue;
            memcpy(&word, &t->guide.at[0], sizeof word);
            sum += sp__mix(word ^ t->guide.elem, at + 1) + sp__mix(t->gone, at + 2);
        }
    }
    return sum;
}

// ---------------------------------------------------------------------------------------------------- parameters

bool sp__world_link_param(sp_world *w, int index, sp_param *out) {
    for (int i = 0; i < w->links.count; i++) {
        sp_link *l = &w->links.list[i];
        for (int k = 0; l->used && k < LINK_PARAMS; k++) {
            if (!link_has(&l->def, k) || !isfinite(*link_value(l, k)) || index-- > 0) continue;
            *out = (sp_param){.spec = &link_specs[k], .name = l->path[k], .value = link_value(l, k)};
            return true;
        }
    }
    return false;
}

// ---------------------------------------------------------------------------------------------------- queries

int sp_world_link_count(const sp_world *w) {
    int count = 0;
    for (int i = 0; i < w->links.count; i++) count += w->links.list[i].used;
    return count;
}

sp_link_id sp_world_link_named(const sp_world *w, const char *name) {
    for (int i = 0; name && i < w->links.count; i++)
        if (w->links.list[i].used && strcmp(w->links.list[i].name, name) == 0) return link_id(w, &w->links.list[i]);
    return (sp_link_id){0, 0};
}

static void link_info(const sp_world *w, const sp_link *l, sp_link_info *out) {
    *out = (sp_link_info){.id = link_id(w, l),
                          .name = l->name,
                          .type = l->def.type,
                          .state = l->state,
                          .bodies = {l->side[0].body->id, l->side[1].body->id},
                          .stretch = sp__link_stretch(l),
                          .within = l->within,
                          .break_force = l->def.break_force};
    memcpy(out->force, l->force, sizeof out->force);
    for (int i = 0; i < l->now.tie_count; i++) out->point_count += !l->now.ties[i].gone;
}

static sp_status link_at(sp_world *w, int index, sp_link_info *out) {
    for (int i = 0, left = index; left >= 0 && i < w->links.count; i++) {
        if (!w->links.list[i].used || left-- > 0) continue;
        link_info(w, &w->links.list[i], out);
        return SP_OK;
    }
    return WORLD_FAIL(w, SP_BAD_INPUT, "link %d, must be in [0, %d)", index, sp_world_link_count(w));
}

sp_status sp_world_link_at(sp_world *w, int index, sp_link_info *out) {
    SP_TRY(sp__world_enter(w));
    return sp__world_leave(w, link_at(w, index, out));
}

sp_status sp_world_link_info(sp_world *w, sp_link_id id, sp_link_info *out) {
    SP_TRY(sp__world_enter(w));
    const sp_link *l = find_link(w, id);
    if (l) link_info(w, l, out);
    return sp__world_leave(w, l ? SP_OK : link_stale(w, id));
}

// the material point of one side with the largest weight
static sp_anchor heaviest(const sp_link *l, const sp_tie *t, int side) {
    int best = t->first[0][side];
    for (int i = best; i < t->first[0][side] + t->count[0][side]; i++)
        if (fabs(l->now.weight[i]) > fabs(l->now.weight[best])) best = i;
    sp_anchor at = side == 1 && t->type >= SP_TIE_LINE ? t->guide : l->now.anchor[best];
    at.body = l->side[side].body->id;
    return at;
}

static void link_point(const sp_link *l, const sp_tie *t, sp_link_point *out) {
    sp_body *b = l->side[1].body;
    sp__tie_point(l, t, 0, 0, SP_COMMITTED, out->a);
    sp__tie_point(l, t, 0, 1, SP_COMMITTED, out->b);
    for (int s = 0; s < 2; s++) out->anchors[s] = heaviest(l, t, s);
    sp_anchor guide;
    if (t->type >= SP_TIE_LINE) {
        sp__tie_guide(l, t, &guide);
        b->ops->points(b, SP_COMMITTED, 1, &guide, out->b, NULL);
        out->anchors[1] = guide, out->anchors[1].body = b->id;
    }
    memcpy(out->force, t->force, sizeof out->force);
}

// the index-th point that has not slid off
static const sp_tie *tie_at(const sp_link *l, int index) {
    for (int i = 0; i < l->now.tie_count; i++)
        if (!l->now.ties[i].gone && index-- == 0) return &l->now.ties[i];
    return NULL;
}

int sp__world_link_points(const sp_world *w) {
    int count = 0;
    for (int i = 0; i < w->links.count; i++) {
        const sp_link *l = &w->links.list[i];
        for (int k = 0; sp__link_acts(l) && k < l->now.tie_count; k++) count += !l->now.ties[k].gone;
    }
    return count;
}

void sp__world_link_snapshot(const sp_world *w, sp_snapshot_link *out) {
    for (int i = 0; i < w->links.count; i++) {
        const sp_link *l = &w->links.list[i];
        sp_link_point p;
        for (int k = 0; sp__link_acts(l) && k < l->now.tie_count; k++) {
            if (l->now.ties[k].gone) continue;
            link_point(l, &l->now.ties[k], &p);
            *out = (sp_snapshot_link){.link = link_id(w, l), .bodies = {l->side[0].body->id, l->side[1].body->id}};
            memcpy(out->a, p.a, sizeof p.a), memcpy(out->b, p.b, sizeof p.b), memcpy(out->force, p.force, sizeof p.force);
            out++;
        }
    }
}

sp_status sp_world_link_point(sp_world *w, sp_link_id id, int index, sp_link_point *out) {
    SP_TRY(sp__world_enter(w));
    const sp_link *l = find_link(w, id);
    if (!l) return sp__world_leave(w, link_stale(w, id));
    const sp_tie *t = index >= 0 ? tie_at(l, index) : NULL;
    if (!t) return sp__world_leave(w, WORLD_FAIL(w, SP_BAD_INPUT, "link '%s' has no point %d", l->name, index));
    link_point(l, t, out);
    return sp__world_leave(w, SP_OK);
}
