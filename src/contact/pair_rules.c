// See pair_rules.h.
#include "contact/pair_rules.h"

#include <stdio.h>
#include <stdlib.h>

enum { BITS = 64, PATH_SIZE = 64 };

typedef struct part {
    uint32_t slot;
    int surface;      // -1: all
    uint64_t *nodes;  // set of user nodes; NULL: all
    int words;        // of the set
    // of an embedded surface: nodes of the elements, because its vertices are inside them
    int *element_nodes, nodes_per_element;
} part;

typedef struct pair {
    part *parts;  // of a, then of b, each ascending by slot
    int count[2];
    bool enabled;
    double alarm, gap;  // NaN: not given
    int continuous;     // -1: not given
    int formulation;    // -1: not given
    double pixel;       // NaN: not given
    int friction;       // number of its coefficient
    int number;         // order of creation
    char name[PATH_SIZE];
} pair;

typedef struct own_friction {  // of a part
    part part;
    int friction;
} own_friction;

struct sp_pair_rules {
    sp_context *ctx;
    pair *pairs;  // a pair comes before those that contain it
    int pair_count, pair_capacity;
    own_friction *owns;
    int own_count, own_capacity;
    double *frictions;
    char (*paths)[PATH_SIZE];
    int friction_count, friction_capacity, path_capacity;
};

sp_status sp__pair_rules_create(sp_context *ctx, sp_pair_rules **out) {
    if (!SP_NEW(ctx, *out, 1)) return SP_FAIL(ctx, SP_NO_MEMORY, "no memory for contact pairs");
    (*out)->ctx = ctx;
    return SP_OK;
}

static void part_free(sp_context *ctx, part *p) {
    sp__free(ctx, p->nodes), sp__free(ctx, p->element_nodes);
}

static void pair_free(sp_context *ctx, pair *p) {
    for (int i = 0; p->parts && i < p->count[0] + p->count[1]; i++) part_free(ctx, &p->parts[i]);
    sp__free(ctx, p->parts);
}

void sp__pair_rules_destroy(sp_pair_rules **rules) {
    sp_pair_rules *r = *rules;
    if (!r) return;
    sp_context *ctx = r->ctx;
    for (int i = 0; i < r->pair_count; i++) pair_free(ctx, &r->pairs[i]);
    for (int i = 0; i < r->own_count; i++) part_free(ctx, &r->owns[i].part);
    sp__free(ctx, r->pairs), sp__free(ctx, r->owns), sp__free(ctx, r->frictions), sp__free(ctx, r->paths);
    sp__free(ctx, r);
    *rules = NULL;
}

#define ROOM(r, array, capacity) rules_room((r), (void **)&(array), &(capacity), sizeof *(array))

// room for one more item than the capacity that is in use
static sp_status rules_room(sp_pair_rules *r, void **memory, int *capacity, size_t size) {
    int more = 2 * *capacity + 8;
    void *fresh = sp__alloc(r->ctx, (size_t)more, size);
    if (!fresh) return SP_FAIL(r->ctx, SP_NO_MEMORY, "no memory for contact pairs");
    if (*capacity) memcpy(fresh, *memory, (size_t)*capacity * size);
    sp__free(r->ctx, *memory);
    *memory = fresh, *capacity = more;
    return SP_OK;
}

// ---------------------------------------------------------------------------------------------------- sets

static bool in_set(const part *p, int node) {
    return node >= 0 && node / BITS < p->words && (p->nodes[node / BITS] >> (node % BITS) & 1);
}

static bool parts_meet(const part *a, const part *b) {
    if (a->slot != b->slot || (a->surface >= 0 && b->surface >= 0 && a->surface != b->surface)) return false;
    if (!a->nodes || !b->nodes) return true;
    for (int i = 0; i < a->words && i < b->words; i++)  // the body may have grown between the two
        if (a->nodes[i] & b->nodes[i]) return true;
    return false;
}

static bool part_contains(const part *wide, const part *p) {
    if (wide->slot != p->slot || (wide->surface >= 0 && wide->surface != p->surface)) return false;
    if (!wide->nodes) return true;
    if (!p->nodes) return false;
    for (int i = 0; i < p->words; i++)
        if (p->nodes[i] & ~(i < wide->words ? wide->nodes[i] : 0)) return false;
    return true;
}

static const part *side_parts(const pair *p, int side) {
    return p->parts + (side ? p->count[0] : 0);
}

// the first part of a side on the body, and behind the last one
static void parts_on(const pair *p, int side, uint32_t slot, int *first, int *end) {
    const part *list = side_parts(p, side);
    int low = 0, high = p->count[side];
    while (low < high) {
        int middle = low + (high - low) / 2;
        if (list[middle].slot < slot)
            low = middle + 1;
        else
            high = middle;
    }
    *first = *end = low;
    while (*end < p->count[side] && list[*end].slot == slot) ++*end;
}

// whether every part of one side of `p` is in a part of a side of `wide`
static bool side_contains(const pair *wide, int wide_side, const pair *p, int side) {
    for (int i = 0; i < p->count[side]; i++) {
        const part *one = side_parts(p, side) + i;
        bool found = false;
        int k, end;
        for (parts_on(wide, wide_side, one->slot, &k, &end); k < end && !found; k++)
            found = part_contains(side_parts(wide, wide_side) + k, one);
        if (!found) return false;
    }
    return true;
}

static bool pair_contains(const pair *wide, const pair *p) {
    return (side_contains(wide, 0, p, 0) && side_contains(wide, 1, p, 1)) ||
           (side_contains(wide, 1, p, 0) && side_contains(wide, 0, p, 1));
}

static const part *sides_meet(const pair *x, int x_side, const pair *y, int y_side) {
    for (int i = 0; i < y->count[y_side]; i++) {
        const part *one = side_parts(y, y_side) + i;
        int k, end;
        for (parts_on(x, x_side, one->slot, &k, &end); k < end; k++)
            if (parts_meet(side_parts(x, x_side) + k, one)) return one;
    }
    return NULL;
}

static bool pairs_meet(const pair *x, const pair *y) {
    return (sides_meet(x, 0, y, 0) && sides_meet(x, 1, y, 1)) || (sides_meet(x, 0, y, 1) && sides_meet(x, 1, y, 0));
}

// ---------------------------------------------------------------------------------------------------- creation

static sp_status part_nodes(sp_pair_rules *r, const sp_body *b, const sp_contact_part *def, part *out) {
    if (def->node_count < 0 || (def->node_count > 0) != (def->nodes != NULL))
        return SP_FAIL(r->ctx, SP_BAD_INPUT, "a part of '%s' with %d nodes, must be a list with its count", b->name,
                       def->node_count);
    if (!def->nodes) return SP_OK;
    if (b->nodes == 0)
        return SP_FAIL(r->ctx, SP_BAD_INPUT, "'%s' has no nodes: a contact pair takes it as a whole, or one of its surfaces",
                       b->name);
    out->words = (b->nodes + BITS - 1) / BITS;
    if (!SP_NEW(r->ctx, out->nodes, out->words)) return SP_FAIL(r->ctx, SP_NO_MEMORY, "no memory for contact pairs");
    for (int i = 0; i < def->node_count; i++) {
        int node = def->nodes[i];
        if (node < 0 || node >= b->nodes)
            return SP_FAIL(r->ctx, SP_BAD_INPUT, "a part of '%s': node %d, must be in [0, %d)", b->name, node, b->nodes);
        out->nodes[node / BITS] |= (uint64_t)1 << (node % BITS);
    }
    if (!b->ops->element_nodes) return SP_OK;
    out->nodes_per_element = b->ops->nodes_per_element;
    if (!SP_NEW(r->ctx, out->element_nodes, (size_t)b->elements * (size_t)out->nodes_per_element))
        return SP_FAIL(r->ctx, SP_NO_MEMORY, "no memory for contact pairs");
    b->ops->element_nodes((sp_body *)b, out->element_nodes);
    return SP_OK;
}

static sp_status part_make(sp_pair_rules *r, const sp_rule_part_def *def, part *out) {
    const sp_body *b = def->body;
    int surface = def->part->surface;
    *out = (part){.slot = b->id.slot, .surface = surface};
    if (surface < -1 || surface >= b->surface_count)
        return SP_FAIL(r->ctx, SP_BAD_INPUT, "a part of '%s': surface %d, must be in [0, %d), or -1 for all", b->name, surface,
                       b->surface_count);
    sp_status status = part_nodes(r, b, def->part, out);
    if (status < 0) part_free(r->ctx, out), *out = (part){0};
    return status;
}

static int compare_parts(const void *x, const void *y) {
    const part *a = x, *b = y;
    return (a->slot > b->slot) - (a->slot < b->slot);
}

static sp_status check_range(sp_pair_rules *r, const char *name, const char *what, const char *unit, double value,
                             bool positive) {
    if (isnan(value) || (isfinite(value) && (positive ? value > 0 : value >= 0))) return SP_OK;
    return SP_FAIL(r->ctx, SP_BAD_INPUT, "contact pair '%s': %s = %g%s, must be finite and %s 0", name, what, value, unit,
                   positive ? ">" : ">=");
}

static sp_status check_values(sp_pair_rules *r, const char *name, const sp_contact_pair_def *def) {
    SP_TRY(check_range(r, name, "friction", "", def->friction, false));
    SP_TRY(check_range(r, name, "alarm", " m", def->alarm, true));
    if (def->continuous < -1 || def->continuous > 1)
        return SP_FAIL(r->ctx, SP_BAD_INPUT, "contact pair '%s': continuous = %d, must be -1, 0 or 1", name, def->continuous);
    if (def->formulation < -1 || def->formulation > SP_CONTACT_VOLUME_PENALTY)
        return SP_FAIL(r->ctx, SP_BAD_INPUT, "contact pair '%s': formulation = %d, must be -1 or one of sp_contact_formulation",
                       name, def->formulation);
    SP_TRY(check_range(r, name, "pixel", " m", def->pixel, true));
    return check_range(r, name, "gap", " m", def->gap, false);
}

// friction is a value that may be absent
static sp_status friction_add(sp_pair_rules *r, double value, const char *path, int *index) {
    if (strlen(path) >= PATH_SIZE)
        return SP_FAIL(r->ctx, SP_BAD_INPUT, "'%s': the path of a parameter has at most %d letters", path, PATH_SIZE - 1);
    if (r->friction_count == r->friction_capacity) SP_TRY(ROOM(r, r->frictions, r->friction_capacity));
    if (r->friction_count >= r->path_capacity) SP_TRY(ROOM(r, r->paths, r->path_capacity));
    snprintf(r->paths[r->friction_count], PATH_SIZE, "%s", path);
    r->frictions[r->friction_count] = value;
    *index = r->friction_count++;
    return SP_OK;
}

static sp_status check_overlap(sp_pair_rules *r, const pair *p) {
    for (int i = 0; i < r->pair_count; i++) {
        const pair *other = &r->pairs[i];
        if (!pairs_meet(p, other) || pair_contains(p, other) != pair_contains(other, p)) continue;
        sp_status status = SP_FAIL(r->ctx, SP_BAD_INPUT,
                                   "contact pairs '%s' and '%s' hold for the same contacts, and neither is "
                                   "narrower",
                                   other->name, p->name);
        sp_context_error_index(r->ctx, other->number);
        return status;
    }
    return SP_OK;
}

// a pair of a body with itself
static bool is_self(const pair *p) {
    const part *all = p->parts;
    for (int i = 1; i < p->count[0] + p->count[1]; i++)
        if (all[i].slot != all[0].slot) return false;
    return true;
}

static sp_status pair_fill(sp_pair_rules *r, const sp_contact_pair_def *def, const sp_rule_part_def *parts, pair *out) {
    int count = def->a_count + def->b_count;
    if (!SP_NEW(r->ctx, out->parts, count)) return SP_FAIL(r->ctx, SP_NO_MEMORY, "no memory for contact pairs");
    out->count[0] = def->a_count, out->count[1] = def->b_count;
    for (int i = 0; i < count; i++) SP_TRY(part_make(r, &parts[i], &out->parts[i]));
    for (int side = 0; side < 2; side++)
        qsort(out->parts + (side ? def->a_count : 0), (size_t)out->count[side], sizeof *out->parts, compare_parts);
    if (is_self(out))
        return SP_FAIL(r->ctx, SP_BAD_INPUT, "contact pair '%s': both sides are of '%s', and a pair is of two bodies", out->name,
                       parts[0].body->name);
    return check_overlap(r, out);
}

static sp_status pair_add(sp_pair_rules *r, const sp_contact_pair_def *def, const sp_rule_part_def *parts, pair *p) {
    char path[2 * PATH_SIZE];
    for (int i = 0; i < r->pair_count; i++)
        if (strcmp(r->pairs[i].name, p->name) == 0)
            return SP_FAIL(r->ctx, SP_BAD_INPUT, "there is already a contact pair of the name '%s'", p->name);
    if (r->pair_count == r->pair_capacity) SP_TRY(ROOM(r, r->pairs, r->pair_capacity));
    SP_TRY(pair_fill(r, def, parts, p));
    snprintf(path, sizeof path, "contact.%s.friction", p->name);
    SP_TRY(friction_add(r, def->friction, path, &p->friction));
    int at = 0;
    while (at < r->pair_count && !pair_contains(&r->pairs[at], p)) at++;
    memmove(r->pairs + at + 1, r->pairs + at, (size_t)(r->pair_count - at) * sizeof *r->pairs);
    r->pairs[at] = *p;
    r->pair_count++;
    return SP_OK;
}

sp_status sp__pair_rules_add(sp_pair_rules *r, const sp_contact_pair_def *def, const sp_rule_part_def *parts, int *index) {
    pair p = {.enabled = def->enabled,
              .alarm = def->alarm,
              .gap = def->gap,
              .continuous = def->continuous,
              .formulation = def->formulation,
              .pixel = def->pixel,
              .number = r->pair_count};
    if (def->name && (!def->name[0] || strlen(def->name) >= sizeof p.name))
        return SP_FAIL(r->ctx, SP_BAD_INPUT, "contact pair: the name '%s' must have 1..%d letters", def->name, PATH_SIZE - 1);
    if (def->name)
        snprintf(p.name, sizeof p.name, "%s", def->name);
    else
        snprintf(p.name, sizeof p.name, "pair[%d]", r->pair_count);
    SP_TRY(check_values(r, p.name, def));
    sp_status status = pair_add(r, def, parts, &p);
    if (status < 0)
        pair_free(r->ctx, &p);
    else if (index)
        *index = p.number;
    return status;
}

sp_status sp__pair_rules_add_friction(sp_pair_rules *r, const sp_rule_part_def *def, double friction, const char *path) {
    own_friction own = {0};
    if (!(friction >= 0) || !isfinite(friction))
        return SP_FAIL(r->ctx, SP_BAD_INPUT, "'%s': friction = %g, must be finite and >= 0", path ? path : def->body->name,
                       friction);
    if (r->own_count == r->own_capacity) SP_TRY(ROOM(r, r->owns, r->own_capacity));
    SP_TRY(part_make(r, def, &own.part));
    sp_status status = friction_add(r, friction, path ? path : "", &own.friction);
    if (status < 0)
        part_free(r->ctx, &own.part);
    else
        r->owns[r->own_count++] = own;
    return status;
}

int sp__pair_rules_count(const sp_pair_rules *r) {
    return r ? r->pair_count : 0;
}

int sp__pair_rules_friction_count(const sp_pair_rules *r) {
    return r ? r->friction_count : 0;
}

double *sp__pair_rules_friction(sp_pair_rules *r, int index, const char **path) {
    *path = r->paths[index];
    return &r->frictions[index];
}

double *sp__pair_rules_frictions(sp_pair_rules *r) {
    return r ? r->frictions : NULL;
}

// ---------------------------------------------------------------------------------------------------- of a contact

// The node of a vertex: of the boundary its own; else the one that carries most of it.
static int vertex_node(const part *p, const sp_surface *s, uint32_t vertex) {
    if (s->nodes) return s->nodes[vertex];
    const sp_anchor *a = &s->anchors[vertex];
    if (p->nodes_per_element != 4) return -1;
    double weight[4] = {1 - a->at[0] - a->at[1] - a->at[2], a->at[0], a->at[1], a->at[2]};
    int most = 0;
    for (int k = 1; k < 4; k++)
        if (weight[k] > weight[most]) most = k;
    return p->element_nodes[4 * (size_t)a->elem + (size_t)most];
}

// Whether a side is in a part. Without a feature: 1 if all of the surface is, -1 if some of it may be.
static int side_in(const part *p, const sp_rule_side *side) {
    if (p->surface >= 0 && p->surface != side->surface) return 0;
    if (!p->nodes) return 1;
    if (!side->at) return 0;
    if (!side->on) return -1;
    for (int i = 0; i < side->on->count; i++)
        if (side->on->weight[i] > 0 && !in_set(p, vertex_node(p, side->at, side->on->vertex[i]))) return 0;
    return 1;
}

static int on_side(const pair *p, int part_side, const sp_rule_side *side) {
    int best = 0, k, end;
    for (parts_on(p, part_side, side->slot, &k, &end); k < end; k++) {
        int here = side_in(side_parts(p, part_side) + k, side);
        if (here == 1) return 1;
        if (here) best = here;
    }
    return best;
}

// 1: the pair holds, 0: it does not, -1: it may
static int pair_holds(const pair *p, const sp_rule_side side[2]) {
    int best = 0;
    for (int turn = 0; turn < 2; turn++) {
        int a = on_side(p, turn, &side[0]), b = a ? on_side(p, 1 - turn, &side[1]) : 0;
        if (a == 1 && b == 1) return 1;
        if (a && b) best = -1;
    }
    return best;
}

bool sp__pair_rules_has(const sp_pair_rules *r, sp_contact_formulation base, bool volume) {
    bool has = sp__contact_is_volume(base) == volume;
    for (int i = 0; i < sp__pair_rules_count(r) && !has; i++)
        has = r->pairs[i].formulation >= 0 && sp__contact_is_volume((sp_contact_formulation)r->pairs[i].formulation) == volume;
    return has;
}

double sp__pair_rules_pixel(const sp_pair_rules *r, double base) {
    double least = base > 0 ? base : INFINITY;
    for (int i = 0; i < sp__pair_rules_count(r); i++) least = fmin(least, r->pairs[i].pixel);
    return least;
}

// Values that a pair inherits come from wider ones: the sum of the largest of each is an upper bound.
double sp__pair_rules_distance(const sp_pair_rules *r, const sp_contact_rule *base) {
    double alarm = base->alarm, gap = base->gap;
    for (int i = 0; i < sp__pair_rules_count(r); i++) alarm = fmax(alarm, r->pairs[i].alarm), gap = fmax(gap, r->pairs[i].gap);
    return alarm + gap;
}

bool sp__pair_rules_search(const sp_pair_rules *r, const sp_contact_rule *base, const sp_rule_side side[2], double *distance,
                           bool *continuous) {
    const sp_contact_rule all = sp__pair_rules_of(r, base, side);  // what holds where no pair of parts does
    bool enabled = all.enabled && !sp__contact_is_volume(all.formulation);
    double alarm = all.alarm, gap = all.gap;
    *continuous = all.continuous;
    for (int i = 0; i < r->pair_count; i++) {
        const pair *p = &r->pairs[i];
        int holds = pair_holds(p, side);
        if (holds == 1) break;  // the pairs behind it hold less
        if (!holds) continue;
        enabled = enabled || (p->enabled && !sp__contact_is_volume(all.formulation));
        alarm = fmax(alarm, p->alarm), gap = fmax(gap, p->gap);
        *continuous = *continuous || p->continuous == 1;
    }
    *distance = alarm + gap;
    return enabled;
}

static double own_of(const sp_pair_rules *r, const sp_rule_side *side) {
    for (int i = r->own_count; i-- > 0;)
        if (r->owns[i].part.slot == side->slot && side_in(&r->owns[i].part, side) == 1) return r->frictions[r->owns[i].friction];
    return NAN;
}

sp_contact_rule sp__pair_rules_of(const sp_pair_rules *r, const sp_contact_rule *base, const sp_rule_side side[2]) {
    sp_contact_rule out = {true, NAN, NAN, NAN, base->continuous, base->formulation, NAN};
    bool found = false;
    int continuous = -1, formulation = -1;
    for (int i = 0; i < r->pair_count; i++) {
        const pair *p = &r->pairs[i];
        if (pair_holds(p, side) != 1) continue;
        if (!found) out.enabled = p->enabled;
        found = true;
        if (isnan(out.friction)) out.friction = r->frictions[p->friction];
        if (isnan(out.alarm)) out.alarm = p->alarm;
        if (isnan(out.gap)) out.gap = p->gap;
        if (isnan(out.pixel)) out.pixel = p->pixel;
        if (continuous < 0) continuous = p->continuous;
        if (formulation < 0) formulation = p->formulation;
    }
    if (isnan(out.friction)) out.friction = fmin(own_of(r, &side[0]), own_of(r, &side[1]));  // NaN: the other one
    if (isnan(out.friction)) out.friction = base->friction;
    if (isnan(out.alarm)) out.alarm = base->alarm;
    if (isnan(out.gap)) out.gap = base->gap;
    if (isnan(out.pixel)) out.pixel = base->pixel;
    if (continuous >= 0) out.continuous = continuous == 1;
    if (formulation >= 0) out.formulation = (sp_contact_formulation)formulation;
    return out;
}
