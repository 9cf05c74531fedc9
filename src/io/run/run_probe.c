// Probes: values read from bodies, their samples over time, and claims about them.
#include "io/run/build.h"

#include <limits.h>
#include <stdio.h>

// ======================================================================================================== probes

// Probes: values read from bodies. A row holds the quantities in sequence; without `combine`, each quantity has its components
// for every node, element or body.

// numbers of a whole body or of the world; fields have a list of their own
static const sp_quantity table[] = {
    {"kinetic", "J", 1, "", SP_OF_BODY, NULL},
    {"elastic", "J", 1, "", SP_OF_BODY, NULL},
    {"potential", "J", 1, "", SP_OF_BODY, NULL},
    {"work", "J", 1, "", SP_OF_BODY, NULL},
    {"appeared", "J", 1, "", SP_OF_BODY, NULL},
    {"inverted", "1", 1, "", SP_OF_BODY, NULL},
    {"volume-lost", "1", 1, "", SP_OF_BODY, NULL},
    {"penetration", "m", 1, "", SP_OF_BODY, NULL},
    {"momentum", "kg m/s", 3, "x y z", SP_OF_BODY, NULL},
    {"volume", "m3", 1, "", SP_OF_BODY, NULL},
    {"iterations", "1", 1, "", SP_OF_BODY, NULL},
    {"residual", "1", 1, "", SP_OF_BODY, NULL},
    {"contact-force", "N", 3, "x y z", SP_OF_BODY, NULL},
    {"contact-count", "1", 1, "", SP_OF_BODY, NULL},
    {"gap", "m", 1, "", SP_OF_BODY, NULL},
    {"step-ms", "ms", 1, "", SP_OF_WORLD, NULL},
};
static const sp_quantity of_links[] = {
    {"force", "N", 3, "x y z", SP_OF_LINK, NULL},
    {"stretch", "m", 1, "", SP_OF_LINK, NULL},
};
enum { QUANTITIES = sizeof table / sizeof *table };
enum { WIDTH_MAX = 1 << 20 };  // values per sample

// A field is read by its name; position and velocity from anchors, which are at any point of a body and not at nodes alone.
static sp_status field_quantity(sp_run *run, const sp_field_info *f, const sp_quantity **out) {
    bool at_anchors = strcmp(f->name, "position") == 0 || strcmp(f->name, "velocity") == 0;
    sp_quantity *q;
    if (!SP_KEEP(&run->keep, q, 1)) return sp__build_no_memory(run);
    *q = (sp_quantity){.name = f->name, .unit = f->unit, .components = f->components, .axes = f->axes};
    q->of = f->on == SP_ON_ELEMENTS ? SP_OF_ELEMENTS : SP_OF_NODES;
    q->field = at_anchors ? NULL : f->name;
    *out = q;
    return SP_OK;
}

// attach elements or bodies, not both
static bool is_about_links(const sp_probe *p) {
    const sp_attr *of = sp__build_given(p->node, "of") ? sp__attr(p->node, "of") : NULL;
    const sp_scene_node *first = of && of->count ? sp__scene_find(p->node, of->words[0]) : NULL;
    return first && strcmp(first->spec->name, "attach") == 0;
}

// The contact force is that of a body, or at a selection a field of its nodes. *out NULL: the name is not known here
static sp_status find_quantity(sp_run *run, const sp_probe *p, const char *name, const sp_quantity **out) {
    sp_field_info field;
    const bool of_nodes = strcmp(name, "contact-force") == 0 && sp__selects(p->node);
    *out = NULL;
    for (int i = 0; i < 2 && is_about_links(p); i++)
        if (strcmp(of_links[i].name, name) == 0) *out = &of_links[i];
    if (*out) return SP_OK;
    for (int i = 0; i < QUANTITIES && !of_nodes; i++)
        if (strcmp(table[i].name, name) == 0) *out = &table[i];
    return !*out && sp_field_named(name, &field) >= 0 ? field_quantity(run, &field, out) : SP_OK;
}

// ------------------------------------------------------------------------------------------------ targets

bool sp__probe_has_quantity_of(const sp_probe *p, int of) {
    for (int i = 0; i < p->quantity_count; i++)
        if ((int)p->quantities[i]->of == of) return true;
    return false;
}

// indices of all items or of the selected ones, with their numbers in the file; owned by the run
sp_status sp__probe_items(sp_run *run, const sp_probe *p, const sp_run_body *body, sp_select_kind kind, const int **items,
                          const int64_t **numbers, int *count) {
    const sp_builder *builder = body->builder;
    int *list = NULL, *kept;
    int64_t *number;
    bool all = !sp__selects(p->node);
    if (all)
        *count = builder->item_count(body, kind);
    else
        SP_TRY(builder->select(run, body, p->node, kind, &list, count));
    if (!SP_KEEP(&run->keep, kept, *count) || !SP_KEEP(&run->keep, number, *count)) return sp__build_no_memory(run);
    for (int i = 0; i < *count; i++) {
        kept[i] = all ? i : list[i];
        number[i] = builder->item_number(body, p->node, kind, kept[i]);
    }
    *items = kept;
    *numbers = number;
    return SP_OK;
}

// the body's own list says what it has
static sp_status check_fields(sp_run *run, const sp_probe *p, const sp_run_body *body) {
    sp_field_info info;
    for (int i = 0; i < p->quantity_count && body->id.slot; i++)
        if (p->quantities[i]->field && sp_world_field_info(run->world, body->id, p->quantities[i]->field, &info) < 0)
            return SP_BUILD_FAIL(run, p->node, "quantity", "%s", sp_world_error(run->world)->message);
    return SP_OK;
}

static sp_status add_target(sp_run *run, sp_probe *p, const sp_scene_node *body_node) {
    sp_run_body *body = sp__build_body_of(run, body_node);
    if (!body) return SP_BUILD_FAIL(run, p->node, "of", "\"%s\" is not in the simulation", body_node->path);
    for (int i = 0; i < p->target_count; i++)
        if (p->targets[i].body == body) return SP_OK;  // another strand of the same body
    sp_probe_target *t = &p->targets[p->target_count++];
    *t = (sp_probe_target){.body = body};
    SP_TRY(check_fields(run, p, body));
    return body->builder->probe(run, p, t);
}

static sp_status add_link(sp_run *run, sp_probe *p, const sp_scene_node *attach) {
    sp_probe_target *t = &p->targets[p->target_count];
    *t = (sp_probe_target){.attach = attach, .link = sp__build_link_of(run, attach)};
    if (!t->link.slot && !run->failed) return SP_BUILD_FAIL(run, p->node, "of", "\"%s\" is not in the simulation", attach->path);
    p->target_count++;
    return SP_OK;
}

static sp_status find_targets(sp_run *run, sp_probe *p) {
    const sp_attr *of = sp__build_given(p->node, "of") ? sp__attr(p->node, "of") : NULL;
    const sp_scene_node *owner = sp__build_owner(p->node->parent);
    if (!SP_KEEP(&run->keep, p->targets, of ? of->count : 1)) return sp__build_no_memory(run);
    if (owner) return add_target(run, p, owner);
    for (int i = 0; of && i < of->count; i++) {
        const sp_scene_node *node = sp__scene_find(p->node, of->words[i]);
        if (node) SP_TRY(is_about_links(p) ? add_link(run, p, node) : add_target(run, p, node));
    }
    return SP_OK;
}

// ------------------------------------------------------------------------------------------------ building

static int items_of(const sp_probe *p, const sp_quantity *q) {
    int64_t n = q->of == SP_OF_WORLD ? 1 : 0;
    for (int i = 0; i < p->target_count && q->of != SP_OF_WORLD; i++)
        n += q->of == SP_OF_NODES ? p->targets[i].node_count : q->of == SP_OF_ELEMENTS ? p->targets[i].element_count : 1;
    return n > WIDTH_MAX ? WIDTH_MAX + 1 : (int)n;
}

// room for the longest field; a growing rod has more nodes than the scene gives it at first
static sp_status reserve_fields(sp_run *run, const sp_probe *p, const sp_run_body *body) {
    sp_field_info info;
    for (int i = 0; i < p->quantity_count && body->id.slot; i++) {
        if (!p->quantities[i]->field) continue;
        sp_status status = sp_world_field_info(run->world, body->id, p->quantities[i]->field, &info);
        if (status < 0) return sp__build_refused(run, p->node, status, sp_world_error(run->world));
        size_t capacity = (size_t)info.count * (size_t)info.components;
        if (capacity > run->field_size) run->field_size = capacity;
    }
    return SP_OK;
}

// A body to which elements were appended has more of them than when the probe was made.
static sp_status read_field(sp_run *run, const sp_run_body *body, const char *name) {
    sp_field_info info;
    SP_TRY(sp_world_field_info(run->world, body->id, name, &info));
    const size_t size = (size_t)info.count * (size_t)info.components;
    double *more;
    if (size > run->field_size) {
        if (!SP_KEEP(&run->keep, more, 2 * size)) return SP_FAIL(run->ctx, SP_NO_MEMORY, "no memory for a field of '%s'", name);
        run->field = more, run->field_size = 2 * size;
    }
    return sp_world_field(run->world, body->id, name, run->field);
}

static sp_status set_widths(sp_run *run, sp_probe *p) {
    for (int i = 0; i < p->quantity_count; i++) {
        int64_t items = p->combine == SP_COMBINE_NONE ? items_of(p, p->quantities[i]) : 1;
        int64_t width = items * p->quantities[i]->components;
        if (p->width + width > WIDTH_MAX)
            return SP_BUILD_FAIL(run, p->node, NULL, "more than %d numbers in a sample: select fewer, or combine them",
                                 WIDTH_MAX);
        p->widths[i] = (int)width;
        p->width += (int)width;
    }
    for (int i = 0; i < p->target_count; i++)
        if (p->targets[i].body) SP_TRY(reserve_fields(run, p, p->targets[i].body));
    return SP_OK;
}

static sp_status read_quantities(sp_run *run, sp_probe *p) {
    const sp_attr *attr = sp__attr(p->node, "quantity");
    if (!SP_KEEP(&run->keep, p->quantities, attr->count) || !SP_KEEP(&run->keep, p->quantity_names, attr->count) ||
        !SP_KEEP(&run->keep, p->widths, attr->count))
        return sp__build_no_memory(run);
    for (int i = 0; i < attr->count; i++) {
        const sp_quantity *q;
        SP_TRY(find_quantity(run, p, attr->words[i], &q));
        if (!q) continue;
        p->quantities[p->quantity_count] = q;
        p->quantity_names[p->quantity_count++] = q->name;
    }
    return SP_OK;
}

static sp_status build_probe(sp_run *run, const sp_scene_node *node, sp_probe *p) {
    static const char *const ways[] = {"none", "sum", "mean", "max"};
    p->node = node;
    p->name = node->name[0] && !strchr(node->path, '[') ? node->name : node->path;
    for (int i = 0; i < 4; i++)
        if (sp__build_is(node, "combine", ways[i])) p->combine = i;
    SP_TRY(read_quantities(run, p));
    SP_TRY(find_targets(run, p));
    if (p->target_count == 1 && p->targets[0].body) p->body = p->targets[0].body->node->path;
    SP_TRY(set_widths(run, p));
    SP_TRY(sp__build_sampling(run, node, &p->series.sampling));
    return sp__series_init(run, &p->series, p);
}

// probes of the scene and of its bodies, in file order
static int list_probes(const sp_scene_node *node, const sp_scene_node **out) {
    int n = 0;
    for (int i = 0; i < node->child_count; i++) {
        const sp_scene_node *child = node->children[i];
        if (!child->enabled) continue;
        if (strcmp(child->spec->name, "probe") == 0) {
            if (out) out[n] = child;
            n++;
        } else if (child->strand_count) {
            for (int k = 0; k < child->strand_count; k++) n += list_probes(child->strands[k], out ? out + n : NULL);
        } else if (sp__build_owner(child) == child) {
            n += list_probes(child, out ? out + n : NULL);
        }
    }
    return n;
}

sp_status sp__build_probes(sp_run *run) {
    const sp_scene_node *root = sp__scene_root(run->scene), **nodes;
    int n = list_probes(root, NULL);
    if (!SP_KEEP(&run->scratch, nodes, n) || !SP_KEEP(&run->keep, run->probes, n)) return sp__build_no_memory(run);
    list_probes(root, nodes);
    run->probe_count = n;
    for (int i = 0; i < n; i++) SP_BUILD(build_probe(run, nodes[i], &run->probes[i]));
    if (run->field_size && !SP_KEEP(&run->keep, run->field, run->field_size)) return sp__build_no_memory(run);
    return SP_OK;
}

sp_probe *sp__run_probe_of(sp_run *run, const sp_scene_node *node) {
    for (int i = 0; i < run->probe_count; i++)
        if (run->probes[i].node == node) return &run->probes[i];
    return NULL;
}

// ------------------------------------------------------------------------------------------------ reading

// once per step, because several quantities of a body are often read together
static sp_status measure_body(sp_run *run, sp_run_body *body) {
    uint64_t step = sp_world_steps(run->world);
    if (body->measured && body->measured_step == step) return SP_OK;
    SP_TRY(sp_world_body_info(run->world, body->id, &body->info));
    SP_TRY(sp_world_body_measure(run->world, body->id, &body->measures));
    body->measured_step = step;
    body->measured = true;
    return SP_OK;
}

// numbers of the contacts of a body; false: the quantity is none of them
static bool contact_value(sp_run *run, sp_body_id id, const char *name, double *out, sp_status *status) {
    const bool force = strcmp(name, "contact-force") == 0, count = strcmp(name, "contact-count") == 0;
    sp_contact_sum sum;
    if (!force && !count && strcmp(name, "gap") != 0) return false;
    *status = sp_world_contact_sum(run->world, id, &sum);
    if (*status < 0) return true;
    if (force)
        memcpy(out, sum.force, sizeof sum.force);
    else
        out[0] = count ? sum.count : sum.gap;
    return true;
}

static void body_value(const sp_run_body *body, const char *name, double *out) {
    const sp_body_measures *now = &body->measures;
    if (strcmp(name, "kinetic") == 0) out[0] = now->kinetic;
    if (strcmp(name, "elastic") == 0) out[0] = now->elastic;
    if (strcmp(name, "potential") == 0) out[0] = now->potential;
    if (strcmp(name, "work") == 0)
        out[0] = now->work.loads + now->work.pins + now->work.drags + now->work.contact + now->work.edits;
    if (strcmp(name, "appeared") == 0) out[0] = now->appeared;
    if (strcmp(name, "inverted") == 0) out[0] = now->inverted;
    if (strcmp(name, "volume-lost") == 0) out[0] = now->volume_lost;
    if (strcmp(name, "penetration") == 0) out[0] = now->penetration;
    if (strcmp(name, "momentum") == 0) memcpy(out, now->momentum, sizeof now->momentum);
    if (strcmp(name, "volume") == 0) out[0] = now->volume;
    if (strcmp(name, "iterations") == 0) out[0] = body->info.solve.linear_iterations;
    if (strcmp(name, "residual") == 0) out[0] = body->info.solve.residual;
}

typedef struct gatherer {  // receives items one by one and stores or combines them
    double *out;
    int components, combine, count;
} gatherer;

static void probe_take(gatherer *g, const double *value) {
    for (int k = 0; k < g->components; k++) {
        if (g->combine == SP_COMBINE_NONE)
            g->out[g->count * g->components + k] = value[k];
        else if (g->count == 0)
            g->out[k] = value[k];
        else if (g->combine == SP_COMBINE_MAX)
            g->out[k] = value[k] > g->out[k] ? value[k] : g->out[k];
        else
            g->out[k] += value[k];
    }
    g->count++;
}

static sp_status take_target(sp_run *run, const sp_probe_target *t, const sp_quantity *q, gatherer *g) {
    double x[6], v[3];
    bool velocity = strcmp(q->name, "velocity") == 0;
    if (q->of == SP_OF_LINK) {
        sp_link_info info;
        SP_TRY(sp_world_link_info(run->world, t->link, &info));
        probe_take(g, q->components == 3 ? info.force : &info.stretch);
        return SP_OK;
    }
    if (q->of == SP_OF_BODY) {
        sp_status status = SP_OK;
        if (!contact_value(run, t->body->id, q->name, x, &status)) {
            status = measure_body(run, t->body);
            if (status >= 0) body_value(t->body, q->name, x);
        }
        SP_TRY(status);
        probe_take(g, x);
        return SP_OK;
    }
    if (q->field) SP_TRY(read_field(run, t->body, q->field));
    bool nodes = q->of == SP_OF_NODES;
    for (int i = 0; i < (nodes ? t->node_count : t->element_count); i++) {
        if (q->field) {
            probe_take(g, run->field + (size_t)q->components * (size_t)(nodes ? t->nodes[i] : t->elements[i]));
            continue;
        }
        SP_TRY(sp_world_anchor_get(run->world, &t->anchors[i], x, v));
        probe_take(g, velocity ? v : x);
    }
    return SP_OK;
}

static sp_status probe_row(sp_run *run, const sp_probe *p, double *out) {
    for (int i = 0; i < p->quantity_count; i++) {
        const sp_quantity *q = p->quantities[i];
        gatherer g = {out, q->components, (int)p->combine, 0};
        memset(out, 0, (size_t)p->widths[i] * sizeof *out);
        if (q->of == SP_OF_WORLD) {
            sp_step_info info;
            sp_world_step_info(run->world, &info);
            probe_take(&g, &info.step_ms);
        }
        for (int t = 0; q->of != SP_OF_WORLD && t < p->target_count; t++) SP_TRY(take_target(run, &p->targets[t], q, &g));
        if (p->combine == SP_COMBINE_MEAN && g.count)
            for (int k = 0; k < q->components; k++) out[k] /= g.count;
        out += p->widths[i];
    }
    return SP_OK;
}

// ------------------------------------------------------------------------------------------------ column names

// the k-th word of a list separated by spaces
static int word_at(const char *list, int k, const char **out) {
    while (k-- > 0) list += strcspn(list, " ") + 1;
    *out = list;
    return (int)strcspn(list, " ");
}

// the number of an item in the file, or the name of the body
static void item_name(const sp_probe *p, const sp_quantity *q, int item, char *out, size_t size) {
    for (int i = 0; i < p->target_count; i++) {
        const sp_probe_target *t = &p->targets[i];
        int n = q->of == SP_OF_NODES ? t->node_count : q->of == SP_OF_ELEMENTS ? t->element_count : 1;
        const int64_t *ids = q->of == SP_OF_NODES ? t->node_ids : q->of == SP_OF_ELEMENTS ? t->element_ids : NULL;
        if (item >= n) {
            item -= n;
            continue;
        }
        const char *body = p->target_count > 1 ? (t->body ? t->body->node : t->attach)->path : "";
        if (ids)
            snprintf(out, size, "%s%s%lld", body, *body ? ":" : "", (long long)ids[item]);
        else
            snprintf(out, size, "%s", body);
        return;
    }
    out[0] = 0;
}

void sp__probe_column_name(const sp_probe *p, int column, char *out, size_t size, const char **unit) {
    int i = 0;
    while (column >= p->widths[i]) column -= p->widths[i++];
    const sp_quantity *q = p->quantities[i];
    const char *axis = "";
    char item[96] = "";
    int length = word_at(q->axes, column % q->components, &axis);
    if (p->widths[i] > q->components) item_name(p, q, column / q->components, item, sizeof item);
    snprintf(out, size, "%s%s%s%s%s%.*s", q->name, *item ? "[" : "", item, *item ? "]" : "", length ? "." : "", length, axis);
    if (unit) *unit = q->unit;
}

sp_status sp_run_column_at(const sp_run *run, int probe, int column, sp_run_column *out) {
    if (probe < 0 || probe >= run->probe_count || column < 0 || column >= run->probes[probe].width) return SP_BAD_INPUT;
    *out = (sp_run_column){.unit = ""};
    sp__probe_column_name(&run->probes[probe], column, out->name, sizeof out->name, &out->unit);
    return SP_OK;
}

// "von_mises" in an expression is "von-mises" in the table
static bool same_name(const char *a, const char *b) {
    for (; *a && *b; a++, b++)
        if (*a != *b && !((*a == '_' || *a == '-') && (*b == '_' || *b == '-'))) return false;
    return *a == *b;
}

sp_status sp__probe_column(sp_run *run, const sp_scene_node *node, const char *attr, const sp_probe *p, const char *component,
                           int *out) {
    char name[192], known[256] = "";
    int vectors = 0;
    *out = 0;
    if (!component && p->width == 1) return SP_OK;
    for (int c = 0; component && c < p->width; c++) {
        sp__probe_column_name(p, c, name, sizeof name, NULL);
        *out = c;
        if (same_name(name, component)) return SP_OK;
    }
    // an axis alone refers to the first quantity that has it
    for (int c = 0; component && c < p->width; c++) {
        sp__probe_column_name(p, c, name, sizeof name, NULL);
        const char *dot = strrchr(name, '.');
        *out = c;
        if (dot && !strchr(name, '[') && strcmp(dot + 1, component) == 0) return SP_OK;
    }
    for (int c = 0; c < p->width && vectors < 6; c++, vectors++) {
        sp__probe_column_name(p, c, name, sizeof name, NULL);
        size_t used = strlen(known);
        snprintf(known + used, sizeof known - used, "%s%s", used ? ", " : "", name);
    }
    if (!component)
        return SP_BUILD_FAIL(run, node, attr, "probe \"%s\" has %d numbers, choose one: %s%s", p->name, p->width, known,
                             p->width > 6 ? ", ..." : "");
    return SP_BUILD_FAIL(run, node, attr, "probe \"%s\" has no component \"%s\"; it has %s%s", p->name, component, known,
                         p->width > 6 ? ", ..." : "");
}

// ======================================================================================================= samples

// Sampling of probes, T: every n steps, or at given times. A sample between two steps is interpolated linearly and marked. The
// previous values are stored only if the next sample needs them.

static const double TIME_SLACK = 1e-6;  // relative to dt: tolerance for the rounding of sums of dt

sp_status sp__build_sampling(sp_run *run, const sp_scene_node *node, sp_sampling *out) {
    const sp_attr *times = sp__build_attr(node, "times");
    bool every = sp__build_given(node, "every"), period = sp__build_given(node, "period");
    *out = (sp_sampling){
        .from = sp__build_number(node, "from", 0), .until = sp__build_number(node, "until", INFINITY), .before = NAN};
    out->period = sp__build_number(node, "period", 0);
    // more than a thousand samples between two steps would only repeat a straight line
    if (period && out->period < 1e-3 * run->dt)
        return SP_BUILD_FAIL(run, node, "period", "period = %g s, must be at least dt / 1000 = %g s", out->period,
                             1e-3 * run->dt);
    if (!period && !times) out->every = every ? (int)sp__build_number(node, "every", 1) : 1;
    if (times) out->times = times->numbers, out->time_count = times->count;
    // skip times before `from`
    while (out->times && out->next < out->time_count && out->times[out->next] < out->from) out->next++;
    return SP_OK;
}

// the next sampling time; infinite: none
static double next_time(const sp_sampling *s) {
    double t = INFINITY;
    if (s->times)
        t = s->next < s->time_count ? s->times[s->next] : INFINITY;
    else
        t = s->from + (double)s->next * s->period;
    return t > s->until ? INFINITY : t;
}

// ------------------------------------------------------------------------------------------------ storage

// expected number of samples of a run of known length, limited to what is worth reserving
static int expected_samples(const sp_run *run, const sp_sampling *s) {
    double steps = (double)run->steps_planned, n = 64;
    if (s->times)
        n = s->time_count;
    else if (steps > 0)
        n = s->every ? steps / s->every + 2 : steps * run->dt / s->period + 2;
    return n < 16 ? 16 : n > 65536 ? 65536 : (int)n;
}

// Old arrays stay as they are until the run is destroyed: callers may still read them. Together they are no larger than the new
// ones.
static void *grown(sp_run *run, const void *old, int count, int capacity, size_t size) {
    void *memory = sp__keep_alloc(&run->keep, (size_t)capacity, size);
    if (memory && count) memcpy(memory, old, (size_t)count * size);
    return memory;
}

sp_status sp__series_reserve(sp_run *run, sp_series *s, int capacity) {
    size_t row = (size_t)(s->probe->width ? s->probe->width : 1) * sizeof(double);
    double *times = grown(run, s->times, s->count, capacity, sizeof *times);
    double *values = grown(run, s->values, s->count, capacity, row);
    unsigned char *marks = grown(run, s->interpolated, s->count, capacity, 1);
    if (!times || !values || !marks)
        return SP_FAIL(run->ctx, SP_NO_MEMORY, "no memory for %d samples of probe \"%s\"", capacity, s->probe->name);
    s->times = times, s->values = values, s->interpolated = marks;
    s->capacity = capacity;
    return SP_OK;
}

sp_status sp__series_init(sp_run *run, sp_series *s, const sp_probe *probe) {
    s->probe = probe;
    if (!SP_KEEP(&run->keep, s->before, probe->width)) return sp__build_no_memory(run);
    return sp__series_reserve(run, s, expected_samples(run, &s->sampling));
}

// ------------------------------------------------------------------------------------------------ sampling

// adds a sample at time t: the current values, or interpolated between the previous and the current ones
static sp_status sample_push(sp_run *run, void *user, double t, double now, bool between) {
    sp_series *s = user;
    if (s->count == s->capacity) {
        if (s->capacity > INT_MAX / 4) return SP_FAIL(run->ctx, SP_NO_MEMORY, "too many samples of probe \"%s\"", s->probe->name);
        SP_TRY(sp__series_reserve(run, s, 2 * s->capacity));
    }
    double *row = s->values + (size_t)s->count * (size_t)s->probe->width;
    SP_TRY(probe_row(run, s->probe, row));
    if (between) {
        double u = (t - s->sampling.before) / (now - s->sampling.before);
        for (int i = 0; i < s->probe->width; i++) row[i] = (1 - u) * s->before[i] + u * row[i];
    }
    s->times[s->count] = t;
    s->interpolated[s->count++] = between;
    return SP_OK;
}

static sp_status sample_remember(sp_run *run, void *user) {
    sp_series *s = user;
    return probe_row(run, s->probe, s->before);
}

static sp_status sample_steps(sp_run *run, sp_sampling *s, sp_sample_fn *take, void *user, double now) {
    double slack = TIME_SLACK * run->dt;
    if (sp_world_steps(run->world) % (uint64_t)s->every != 0) return SP_OK;
    if (now < s->from - slack || now > s->until + slack) return SP_OK;
    return take(run, user, now, now, false);
}

static sp_status sample_times(sp_run *run, sp_sampling *s, sp_sample_fn *take, sp_remember_fn *keep, void *user, double now) {
    double slack = TIME_SLACK * run->dt, t;
    for (; (t = next_time(s)) <= now + slack; s->next++) {
        bool here = fabs(t - now) <= slack;
        if (!here && !(s->before <= t)) continue;  // before the start
        SP_TRY(take(run, user, t, now, !here));
    }
    s->before = NAN;
    if (t < now + run->dt - slack) {
        SP_TRY(keep(run, user));
        s->before = now;
    }
    return SP_OK;
}

sp_status sp__sample(sp_run *run, sp_sampling *s, sp_sample_fn *take, sp_remember_fn *keep, void *user) {
    double now = sp_world_time(run->world);
    return s->every ? sample_steps(run, s, take, user, now) : sample_times(run, s, take, keep, user, now);
}

sp_status sp__series_sample(sp_run *run, sp_series *s) {
    return sp__sample(run, &s->sampling, sample_push, sample_remember, s);
}

// ======================================================================================================== claims

// Claims (`expect`): the expected value of a probe, at a time or over the run.

static sp_status build_claim(sp_run *run, const sp_scene_node *node, sp_claim *c) {
    const char *component = sp__build_given(node, "component") ? sp__attr_word(node, "component") : NULL;
    const sp_scene_node *probe = sp__scene_find_probe(node, sp__attr_word(node, "probe"));
    c->node = node;
    c->probe = probe ? sp__run_probe_of(run, probe) : NULL;
    if (!c->probe)
        return SP_BUILD_FAIL(run, node, "probe", "probe \"%s\" is not in the simulation", sp__attr_word(node, "probe"));
    c->at = sp__build_number(node, "at", NAN);
    c->over = sp__build_given(node, "over") ? sp__attr_word(node, "over") : NULL;
    c->claim = (sp_run_claim){.probe = c->probe->name,
                              .seen = NAN,
                              .value = sp__build_number(node, "value", NAN),
                              .tolerance = sp__build_number(node, "tolerance", 0),
                              .relative = sp__build_is(node, "relative", "yes"),
                              .source = sp__build_given(node, "source") ? sp__attr_word(node, "source") : ""};
    char name[192];
    // a probe that failed to build is already reported
    if (!c->probe->width)
        return run->failed ? SP_BAD_INPUT : SP_BUILD_FAIL(run, node, "probe", "probe \"%s\" measures nothing", c->probe->name);
    SP_TRY(sp__probe_column(run, node, component ? "component" : NULL, c->probe, component, &c->column));
    sp__probe_column_name(c->probe, c->column, name, sizeof name, NULL);
    c->claim.component = sp__keep_text(&run->keep, name);
    return c->claim.component ? SP_OK : sp__build_no_memory(run);
}

sp_status sp__build_claims(sp_run *run) {
    const sp_scene_node *root = sp__scene_root(run->scene);
    int n = 0;
    for (const sp_scene_node *c = NULL; (c = sp__next_child(root, "expect", c));) n++;
    if (!SP_KEEP(&run->keep, run->claims, n)) return sp__build_no_memory(run);
    for (const sp_scene_node *c = NULL; (c = sp__next_child(root, "expect", c));)
        SP_BUILD(build_claim(run, c, &run->claims[run->claim_count++]));
    return SP_OK;
}

static double sample(const sp_claim *c, int i) {
    const sp_series *s = &c->probe->series;
    return s->values[(size_t)i * (size_t)c->probe->width + (size_t)c->column];
}

// linear interpolation between samples; NaN: outside of them
static double seen_at(const sp_claim *c, double t, double slack) {
    const sp_series *s = &c->probe->series;
    for (int i = 0; i < s->count; i++) {
        if (fabs(s->times[i] - t) <= slack) return sample(c, i);
        if (s->times[i] < t) continue;
        if (i == 0) return NAN;
        double u = (t - s->times[i - 1]) / (s->times[i] - s->times[i - 1]);
        return (1 - u) * sample(c, i - 1) + u * sample(c, i);
    }
    return NAN;
}

static double seen_over(const sp_claim *c) {
    int n = c->probe->series.count;
    double low = INFINITY, high = -INFINITY, sum = 0;
    if (n == 0) return NAN;
    for (int i = 0; i < n; i++) {
        double value = sample(c, i);
        if (isnan(value)) return NAN;
        low = value < low ? value : low;
        high = value > high ? value : high;
        sum += value;
    }
    if (strcmp(c->over, "mean") == 0) return sum / n;
    if (strcmp(c->over, "min") == 0) return low;
    if (strcmp(c->over, "max") == 0) return high;
    return sample(c, n - 1);
}

void sp__claims_check(sp_run *run) {
    for (int i = 0; i < run->claim_count; i++) {
        sp_claim *c = &run->claims[i];
        double scale = c->claim.relative ? fabs(c->claim.value) : 1;
        c->claim.seen = c->over ? seen_over(c) : seen_at(c, c->at, 1e-6 * run->dt);
        c->claim.held = fabs(c->claim.seen - c->claim.value) <= c->claim.tolerance * scale;
    }
}
