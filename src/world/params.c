// Parameters by path: "gravity.x|y|z", "contact.stiffness|damping|friction" where there is contact, "<body>.<parameter>".
#include <stdio.h>

#include "world/world_internal.h"

static const char *const axis_names[] = {"gravity.x", "gravity.y", "gravity.z"};
enum { GRAVITY_COUNT = 3, CONTACT_COUNT = 3 };

static sp_param gravity_param(int axis) {
    return (sp_param){.name = axis_names[axis], .unit = "m/s2", .meaning = "gravity", .low = -1e6, .high = 1e6};
}

static sp_param contact_param(sp_world *w, int index) {
    const sp_param list[CONTACT_COUNT] = {
        {"contact.stiffness", "N/m", "penalty of a node; 0: auto", 0, 1e300, &w->contact.stiffness, NULL},
        {"contact.damping", "N s/m", "damping along the normal, of a node", 0, 1e300, &w->contact.damping, NULL},
        {"contact.friction", "1", "Coulomb's coefficient", 0, 1e6, &w->contact.friction, NULL},
    };
    return list[index];
}

static int world_param_count(const sp_world *w) {
    return GRAVITY_COUNT + (w->has_contact ? CONTACT_COUNT : 0);
}

static sp_param world_param_at(sp_world *w, int index, sp_gravity **gravity) {
    *gravity = index < GRAVITY_COUNT ? &w->gravity[index] : NULL;
    return index < GRAVITY_COUNT ? gravity_param(index) : contact_param(w, index - GRAVITY_COUNT);
}

// names may hold dots: every body whose name opens the path is asked
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

// ---------------------------------------------------------------------------------------------------- public

int sp_world_param_count(const sp_world *w) {
    int count = world_param_count(w);
    for (int i = 0; i < w->body_count; i++) count += w->bodies[i]->ops->param_count(w->bodies[i]);
    return count;
}

static void tell(sp_world *w, const sp_param *p, const sp_body *b, const sp_gravity *gravity, sp_param_info *out) {
    snprintf(w->path_text, sizeof w->path_text, "%s%s%s", b ? b->name : "", b ? "." : "", p->name);
    double value = gravity ? sp__gravity_at(gravity, w->time) : *p->value;
    *out = (sp_param_info){w->path_text, p->unit, value, p->low, p->high, p->meaning};
}

static sp_status param_at(sp_world *w, int index, sp_param_info *out) {
    sp_gravity *gravity = NULL;
    int n = world_param_count(w);
    if (index >= 0 && index < n) {
        sp_param p = world_param_at(w, index, &gravity);
        tell(w, &p, NULL, gravity, out);
        return SP_OK;
    }
    for (int i = 0, at = index - n; at >= 0 && i < w->body_count; i++) {
        sp_body *b = w->bodies[i];
        if (at < b->ops->param_count(b)) {
            sp_param p = b->ops->param_at(b, at);
            tell(w, &p, b, NULL, out);
            return SP_OK;
        }
        at -= b->ops->param_count(b);
    }
    return WORLD_FAIL(w, SP_BAD_INPUT, "parameter number %d, must be in [0, %d)", index, sp_world_param_count(w));
}

sp_status sp_world_param_at(sp_world *w, int index, sp_param_info *out) {
    SP_TRY(sp__world_enter(w));
    sp_status status = param_at(w, index, out);
    sp__world_leave(w);
    return status;
}

sp_status sp_world_param(sp_world *w, const char *path, sp_param_info *out) {
    SP_TRY(sp__world_enter(w));
    sp_param p;
    sp_body *b;
    sp_gravity *gravity;
    sp_status status = SP_OK;
    if (sp__find_param(w, path, &p, &b, &gravity))
        tell(w, &p, b, gravity, out);
    else
        status = WORLD_FAIL(w, SP_BAD_INPUT, "there is no parameter '%s'", path);
    sp__world_leave(w);
    return status;
}
