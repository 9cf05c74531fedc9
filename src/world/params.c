// The list of parameters by kind, and the parameters of a world by path: "gravity.x|y|z", "contact.stiffness|damping|friction"
// |enabled and the frictions of pairs and parts (with contact), "<link>.<parameter>", "<body>.<parameter>".
#include <stdio.h>

#include "world/world_internal.h"

// columns as in body/params.c
static const sp_param_spec world_specs[] = {
#define GRAVITY_ROW(axis, initial)                                                                 \
    {                                                                                              \
        "gravity." axis, "m/s2", "gravity", "acceleration of everything that has mass", -1e6, 1e6, \
            SP_RANGE_LOW_GUARD | SP_RANGE_HIGH_GUARD, -1e6, 1e6, initial, SP_PRICE_NOTHING         \
    }
    GRAVITY_ROW("x", 0),
    GRAVITY_ROW("y", -9.81),
    GRAVITY_ROW("z", 0),
    {"contact.stiffness", "N/m", "penalty of a node; 0: auto", "per node; auto: from mass and step", 0, 1e300,
     SP_RANGE_HIGH_GUARD, 0, 1e300, 0, SP_PRICE_NOTHING},
    {"contact.damping", "N s/m", "damping along the normal, of a node", "per node", 0, 1e300, SP_RANGE_HIGH_GUARD, 0, 1e300, 0,
     SP_PRICE_NOTHING},
    {"contact.friction", "1", "Coulomb's coefficient", "coefficient", 0, 1e6, SP_RANGE_HIGH_GUARD, 0, 1e6, 0, SP_PRICE_NOTHING},
    {"contact.enabled", "1", "contacts act", "proximity: 1: contacts act; 0: bodies pass through each other", 0, 1, 0, 0, 1, 1,
     SP_PRICE_NOTHING},
};
static const sp_param_spec *const world_params[] = {&world_specs[0], &world_specs[1], &world_specs[2], &world_specs[3],
                                                    &world_specs[4], &world_specs[5], &world_specs[6], NULL};
enum { GRAVITY_COUNT = 3, CONTACT_COUNT = 4, FRICTION = GRAVITY_COUNT + 2 };

// Friction of a pair or of a part of a body: the range is that of the common one.
static bool is_rule_param(const sp_world *w, int index, sp_param *out) {
    const char *path;
    double *value = sp__pair_rules_friction(w->pair_rules, index, &path);
    if (out) *out = (sp_param){.spec = &world_specs[FRICTION], .name = path, .value = value};
    return path[0] && !isnan(*value);
}

static int rule_param_count(const sp_world *w) {
    int count = 0;
    for (int i = 0; i < sp__pair_rules_friction_count(w->pair_rules); i++) count += is_rule_param(w, i, NULL);
    return count;
}

static sp_param rule_param(sp_world *w, int index) {
    sp_param p = {0};
    for (int i = 0; index >= 0; i++) index -= is_rule_param(w, i, &p);
    return p;
}

// Penalty contact cannot be switched: where it begins inside a body, its springs throw the bodies apart.
static int own_contact_count(const sp_world *w) {
    return w->contact.formulation != SP_CONTACT_PENALTY ? CONTACT_COUNT : CONTACT_COUNT - 1;
}

static sp_param contact_param(sp_world *w, int index) {
    if (index >= own_contact_count(w)) return rule_param(w, index - own_contact_count(w));
    sp_contact_def *c = &w->contact;
    double *const values[CONTACT_COUNT] = {&c->stiffness, &c->damping, &c->friction, &c->enabled};
    const sp_param_spec *spec = &world_specs[GRAVITY_COUNT + index];
    return (sp_param){.spec = spec, .name = spec->name, .value = values[index]};
}

sp_status sp__check_gravity(sp_error *error, int axis, double value) {
    return sp__param_check(error, "gravity.", &world_specs[axis], value);
}

sp_status sp__check_contact(sp_error *error, const sp_contact_def *def) {
    const double values[CONTACT_COUNT] = {def->stiffness, def->damping, def->friction, def->enabled};
    for (int i = 0; i < CONTACT_COUNT; i++)
        SP_TRY(sp__param_check(error, "contact ", &world_specs[GRAVITY_COUNT + i], values[i]));
    return SP_OK;
}

static int contact_param_count(const sp_world *w) {
    return w->has_contact ? own_contact_count(w) + rule_param_count(w) : 0;
}

static int world_param_count(const sp_world *w) {
    int links = 0;
    for (sp_param p; sp__world_link_param((sp_world *)w, links, &p);) links++;
    return GRAVITY_COUNT + contact_param_count(w) + links;
}

static sp_param world_param_at(sp_world *w, int index, sp_gravity **gravity) {
    const int contact = contact_param_count(w);
    sp_param link = {0};
    *gravity = index < GRAVITY_COUNT ? &w->gravity[index] : NULL;
    if (index >= GRAVITY_COUNT + contact) {
        sp__world_link_param(w, index - GRAVITY_COUNT - contact, &link);
        return link;
    }
    if (index >= GRAVITY_COUNT) return contact_param(w, index - GRAVITY_COUNT);
    return (sp_param){.spec = &world_specs[index], .name = world_specs[index].name};
}

// names can contain dots: every body whose name is a prefix of the path is searched
static bool find_in_body(sp_body *b, const char *path, sp_param *out) {
    size_t length = strlen(b->name);
    if (strncmp(path, b->name, length) != 0 || path[length] != '.') return false;
    for (int i = 0; i < b->ops->param_count(b); i++) {
        *out = b->ops->param_at(b, i);
        if (strcmp(out->name, path + length + 1) == 0) return true;
    }
    return false;
}

bool sp__find_param(sp_world *w, const char *path, sp_param *out, sp_body **body, sp_gravity **gravity) {
    *body = NULL;
    for (int i = 0; i < world_param_count(w); i++) {
        *out = world_param_at(w, i, gravity);
        if (strcmp(out->name, path) == 0) return true;
    }
    *gravity = NULL;
    for (int i = 0; i < w->body_count; i++) {
        *body = w->bodies[i];
        if (find_in_body(*body, path, out)) return true;
    }
    return false;
}

// ---------------------------------------------------------------------------------------------------- the list

typedef struct param_list {
    const char *kind;
    const sp_param_spec *const *params;
} param_list;

static bool find_list(int index, param_list *out) {
    const param_list lists[] = {{"world", world_params},
                                {sp__solid_ops.kind, sp__solid_ops.params},
                                {sp__rod_ops.kind, sp__rod_ops.params},
                                {sp__rigid_ops.kind, sp__rigid_ops.params}};
    if (index < 0 || index >= (int)(sizeof lists / sizeof *lists)) return false;
    *out = lists[index];
    return true;
}

static const sp_param_spec *const *find_params(const char *kind) {
    param_list list;
    for (int i = 0; find_list(i, &list); i++)
        if (strcmp(list.kind, kind) == 0) return list.params;
    return NULL;
}

const char *sp_kind_name(int index) {
    param_list list;
    return find_list(index, &list) ? list.kind : NULL;
}

int sp_kind_param_count(const char *kind) {
    const sp_param_spec *const *params = find_params(kind);
    int n = 0;
    while (params && params[n]) n++;
    return n;
}

sp_status sp_kind_param_at(const char *kind, int index, sp_param_spec *out) {
    if (index < 0 || index >= sp_kind_param_count(kind)) return SP_BAD_INPUT;
    *out = *find_params(kind)[index];
    return SP_OK;
}

sp_status sp_kind_param(const char *kind, const char *name, sp_param_spec *out) {
    const sp_param_spec *const *params = find_params(kind);
    for (int i = 0; params && params[i]; i++)
        if (strcmp(params[i]->name, name) == 0) {
            *out = *params[i];
            return SP_OK;
        }
    return SP_BAD_INPUT;
}

// ---------------------------------------------------------------------------------------------------- of a world

int sp_world_param_count(const sp_world *w) {
    int count = world_param_count(w);
    for (int i = 0; i < w->body_count; i++) count += w->bodies[i]->ops->param_count(w->bodies[i]);
    return count;
}

static void fill_param_info(sp_world *w, const sp_param *p, const sp_body *b, const sp_gravity *gravity, sp_param_info *out) {
    snprintf(w->path_text, sizeof w->path_text, "%s%s%s", b ? b->name : "", b ? "." : "", p->name);
    double value = gravity ? sp__gravity_at(gravity, w->time) : *p->value;
    *out = (sp_param_info){.path = w->path_text, .value = value, .spec = *p->spec};
}

static sp_status param_at(sp_world *w, int index, sp_param_info *out) {
    sp_gravity *gravity = NULL;
    int n = world_param_count(w);
    if (index >= 0 && index < n) {
        sp_param p = world_param_at(w, index, &gravity);
        fill_param_info(w, &p, NULL, gravity, out);
        return SP_OK;
    }
    for (int i = 0, at = index - n; at >= 0 && i < w->body_count; i++) {
        sp_body *b = w->bodies[i];
        if (at < b->ops->param_count(b)) {
            sp_param p = b->ops->param_at(b, at);
            fill_param_info(w, &p, b, NULL, out);
            return SP_OK;
        }
        at -= b->ops->param_count(b);
    }
    return WORLD_FAIL(w, SP_BAD_INPUT, "parameter number %d, must be in [0, %d)", index, sp_world_param_count(w));
}

sp_status sp_world_param_at(sp_world *w, int index, sp_param_info *out) {
    SP_TRY(sp__world_enter(w));
    sp_status status = param_at(w, index, out);
    return sp__world_leave(w, status);
}

sp_status sp_world_param(sp_world *w, const char *path, sp_param_info *out) {
    SP_TRY(sp__world_enter(w));
    sp_param p;
    sp_body *b;
    sp_gravity *gravity;
    sp_status status = SP_OK;
    if (sp__find_param(w, path, &p, &b, &gravity))
        fill_param_info(w, &p, b, gravity, out);
    else
        status = WORLD_FAIL(w, SP_BAD_INPUT, "there is no parameter '%s'", path);
    return sp__world_leave(w, status);
}

static sp_status set_param(sp_world *w, const char *path, double value) {
    sp_param p;
    sp_body *b;
    sp_gravity *gravity;
    if (!sp__find_param(w, path, &p, &b, &gravity)) return WORLD_FAIL(w, SP_BAD_INPUT, "there is no parameter '%s'", path);
    bool inherits = isnan(value) && strncmp(p.name, "region[", 7) == 0;
    if (!inherits && !sp__param_editable(p.spec, value))
        return WORLD_FAIL(w, SP_BAD_INPUT, "%s = %g, must be in [%g, %g]", path, value, p.spec->edit_low, p.spec->edit_high);
    if (gravity) {
        gravity->set = true, gravity->value = value;
        return SP_OK;
    }
    *p.value = value;
    if (b) b->retune = b->energy_stale = true;
    if (p.changed) p.changed(b);
    return SP_OK;
}

sp_status sp_world_set_param(sp_world *w, const char *path, double value) {
    SP_TRY(sp__world_enter(w));
    return sp__world_leave(w, set_param(w, path, value));
}
