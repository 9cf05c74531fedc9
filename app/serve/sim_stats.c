// Data that changes all the time and may be lost: statistics, marks. Each text replaces the previous one.
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "serve/sim_internal.h"

static void sim_latest(sp_sim *s, sp_sim_latest *latest, const char *words, size_t size) {
    pthread_mutex_lock(&s->lock);
    latest->text.size = 0;
    sp__buffer_add(NULL, &latest->text, words, size);
    latest->number++;
    pthread_mutex_unlock(&s->lock);
}

uint64_t sp__sim_text(sp_sim *s, sp_sim_text kind, uint64_t than, sp_buffer *out) {
    pthread_mutex_lock(&s->lock);
    const sp_sim_latest *latest = &s->texts[kind];
    uint64_t number = latest->number;
    if (number > than) sp__buffer_add(NULL, out, latest->text.data, latest->text.size);
    pthread_mutex_unlock(&s->lock);
    return number;
}

// ---------------------------------------------------------------------------------------------------- events

enum { EVENTS_A_SECOND = 20 };

// sends the events of the step, at a limited rate
void sp__sim_world_events(sp_sim *s) {
    double now = sp__now_ms();
    if (now - s->event_ms > 1000) s->event_ms = now, s->event_count = 0;
    sp_event e;
    for (int i = 0; sp_world_event_at(s->stage.world, i, &e) >= 0; i++) {
        if (++s->event_count > EVENTS_A_SECOND) return;
        sp__sim_event(s, e.status < 0 ? "error" : e.status > 0 ? "warning" : "info", "%s", e.text);
    }
}

// ---------------------------------------------------------------------------------------------------- stats

typedef struct totals {
    long long iterations;
    double residual, kinetic, elastic;
} totals;

// Values that the engine does not provide are null; see docs/protocol.md.
static void put_body(const sp_body_measures *now, sp_body_id id, sp_json *j) {
    const sp_work *w = &now->work;
    sp__json_open(j, NULL, '{');
    sp__json_integer(j, "body", id.slot);
    sp__json_integer(j, "inverted", now->inverted);
    sp__json_number(j, "volume_lost", now->volume_lost);
    sp__json_number(j, "penetration", now->penetration);
    sp__json_open(j, "energy", '{');
    sp__json_number(j, "kinetic", now->kinetic);
    sp__json_number(j, "elastic", now->elastic);
    sp__json_number(j, "potential", now->potential);
    sp__json_number(j, "contact", now->contact);
    sp__json_number(j, "work", w->loads + w->pins + w->drags + w->contact + w->edits);
    sp__json_number(j, "appeared", now->appeared);
    sp__json_close(j, '}');
    sp__json_close(j, '}');
}

static totals put_bodies(const sp_sim *s, sp_json *j) {
    totals t = {0};
    sp__json_open(j, "bodies", '[');
    for (int i = 0; i < s->stage.body_count; i++) {
        sp_body_info info;
        sp_body_measures now;
        const sp_sim_body *b = &s->stage.bodies[i];
        if (!b->soft || sp_world_body_info(s->stage.world, b->id, &info) < 0) continue;
        if (sp_world_body_measure(s->stage.world, b->id, &now) < 0) continue;
        put_body(&now, b->id, j);
        t.iterations += info.solve.linear_iterations;
        t.residual = fmax(t.residual, info.solve.residual);
        t.kinetic += now.kinetic, t.elastic += now.elastic;
    }
    sp__json_close(j, ']');
    return t;
}

// reservations of the last step
static void put_reservations(const sp_world *world, sp_json *j) {
    sp_step_info info;
    sp_world_step_info(world, &info);
    sp__json_open(j, "reservations", '[');
    for (int s = 1; s < 32; s++) {
        if (!(info.reservations >> s & 1)) continue;
        sp__json_open(j, NULL, '{');
        sp__json_text(j, "name", sp_status_name((sp_status)s));
        sp__json_text(j, "text", sp_status_text((sp_status)s));
        sp__json_close(j, '}');
    }
    sp__json_close(j, ']');
}

static double stats_distance(const double *a, const double *b) {
    return sqrt((a[0] - b[0]) * (a[0] - b[0]) + (a[1] - b[1]) * (a[1] - b[1]) + (a[2] - b[2]) * (a[2] - b[2]));
}

// of the spring; of contacts on a kinematic body, which has none
static double drag_force(sp_sim *s, const sp_sim_drag *h, const double x[3]) {
    const sp_sim_body *body = sp__sim_body(s, h->body.slot);
    sp_contact_sum sum;
    if (!h->held) return 0;
    if (!body || !body->kinematic) return h->stiffness * stats_distance(x, h->target);
    if (sp_world_contact_sum(s->stage.world, body->id, &sum) < 0) return 0;
    return stats_distance(sum.force, (const double[3]){0, 0, 0});
}

// `h` NULL: nothing was picked yet
void sp__sim_put_picked(sp_sim *s, const sp_sim_drag *h, sp_json *j) {
    double x[3];
    if (!h || sp_world_anchor_get(s->stage.world, &h->anchor, x, NULL) < 0) {
        sp__json_text(j, "picked", NULL);
        return;
    }
    sp__json_open(j, "picked", '{');
    sp__json_integer(j, "body", h->anchor.body.slot);
    sp__json_vector(j, "x", x, 3);
    sp__json_number(j, "displacement", stats_distance(x, h->rest));
    sp__json_number(j, "force", drag_force(s, h, x));
    sp__json_close(j, '}');
}

// the first active drag, otherwise the last picked point
static const sp_sim_drag *drag_to_show(const sp_sim *s) {
    for (int i = 0; i < SP_DRAG_SLOTS; i++)
        if (s->drags[i].held) return &s->drags[i];
    return s->has_watched ? &s->watched : NULL;
}

static void put_times(const sp_sim *s, sp_json *j) {
    const sp_sim_timings *g = &s->timings;
    double n = g->steps, budget = 1e3 * sp_run_dt(s->stage.run), wall = sp__now_ms() - g->since_ms, stages[SP_STAGE_COUNT];
    for (int i = 0; i < SP_STAGE_COUNT; i++) stages[i] = g->stage_ms[i] / n;
    sp__json_integer(j, "steps", g->steps);
    sp__json_number(j, "step_ms", g->step_ms / n);
    sp__json_number(j, "budget_ms", budget);
    sp__json_number(j, "rtf", g->step_ms > 0 ? n * budget / g->step_ms : NAN);
    // for a single step the clock is not meaningful
    sp__json_number(j, "achieved", s->playing && wall > 5 ? 1e3 * (sp_world_time(s->stage.world) - g->from_time) / wall : NAN);
    sp__json_vector(j, "stages", stages, SP_STAGE_COUNT);
}

void sp__sim_make_stats(sp_sim *s) {
    char *words = NULL, hash[32];
    size_t size = 0;
    sp_world *w = s->stage.world;
    sp_json j = {.file = open_memstream(&words, &size)};
    if (!j.file) return;
    snprintf(hash, sizeof hash, "%016llx", (unsigned long long)sp_world_hash(w));
    sp__json_open(&j, NULL, '{');
    sp__json_text(&j, "type", "stats");
    sp__json_integer(&j, "generation", s->generation);
    sp__json_integer(&j, "step", (long long)sp_world_steps(w));
    sp__json_number(&j, "time", sp_world_time(w));
    sp__json_text(&j, "hash", hash);
    put_times(s, &j);
    totals t = put_bodies(s, &j);
    sp__json_integer(&j, "iterations", t.iterations);
    sp__json_number(&j, "residual", t.residual);
    sp__json_number(&j, "kinetic", t.kinetic);
    sp__json_number(&j, "elastic", t.elastic);
    sp__sim_put_picked(s, drag_to_show(s), &j);
    put_reservations(w, &j);
    // left open: the server adds the data of the client
    if (fclose(j.file) == 0) sim_latest(s, &s->texts[SP_SIM_STATS], words, size);
    free(words);
    s->timings = (sp_sim_timings){.since_ms = sp__now_ms(), .from_time = sp_world_time(w)};
}

// ---------------------------------------------------------------------------------------------------- marks

enum { HELD_MAX = 4000, LOADS_MAX = 64, MASSES_MAX = 200, LINKS_MAX = 200 };

// a field of three numbers per node, in the scratch of the simulation; NULL: the body has no such field
static const double *stats_vectors(sp_sim *s, sp_body_id id, const char *field, int *count) {
    sp_field_info info;
    if (sp_world_field_info(s->stage.world, id, field, &info) < 0 || info.on != SP_ON_NODES || info.components != 3) return NULL;
    double *out = sp__sim_numbers(s, 3 * (size_t)info.count);
    *count = info.count;
    return out && sp_world_field(s->stage.world, id, field, out) >= 0 ? out : NULL;
}

static double length2(const double *v) {
    return v[0] * v[0] + v[1] * v[1] + v[2] * v[2];
}

// vertices with constrained nodes; of a rod only those of the cross sections at its nodes
static void put_held(sp_sim *s, const sp_snapshot *snapshot, sp_json *j) {
    sp__json_open(j, "held", '[');
    for (int i = 0, left = HELD_MAX; i < snapshot->body_count; i++) {
        const sp_snapshot_surface *b = &snapshot->bodies[i].surfaces[0];
        sp_body_id id = snapshot->bodies[i].id;
        int count = 0;
        const double *force = b->nodes ? stats_vectors(s, id, "force", &count) : NULL;
        if (!force) continue;
        sp__json_open(j, NULL, '{');
        sp__json_integer(j, "body", id.slot);
        sp__json_open(j, "vertices", '[');
        for (int v = 0, ring = 0; v < b->vertex_count && left > 0; v++) {
            while (ring + 1 < b->ring_count && b->rings[ring + 1].vertex <= v) ring++;
            if (b->ring_count && b->rings[ring].at != 0 && b->rings[ring].at != 1) continue;
            if (b->nodes[v] >= count || !(length2(force + 3 * (size_t)b->nodes[v]) > 0)) continue;
            sp__json_integer(j, NULL, v);
            left--;
        }
        sp__json_close(j, ']');
        sp__json_close(j, '}');
    }
    sp__json_close(j, ']');
}

typedef struct load {
    double force[3], x[3], size2;
} load;

// keeps the largest loads of all bodies, sorted in descending order
static void keep_load(load *list, int *count, const load *l) {
    int at = *count < LOADS_MAX ? (*count)++ : LOADS_MAX - 1;
    if (at == LOADS_MAX - 1 && list[at].size2 >= l->size2) return;
    for (; at > 0 && list[at - 1].size2 < l->size2; at--) list[at] = list[at - 1];
    list[at] = *l;
}

static void put_loads(sp_sim *s, const sp_snapshot *snapshot, sp_json *j) {
    load list[LOADS_MAX] = {0};
    int n = 0;
    for (int i = 0; i < snapshot->body_count; i++) {
        const sp_snapshot_surface *b = &snapshot->bodies[i].surfaces[0];
        sp_body_id id = snapshot->bodies[i].id;
        int count = 0;
        const double *force = b->nodes ? stats_vectors(s, id, "load", &count) : NULL;
        for (int v = 0; force && v < b->vertex_count; v++) {
            if (b->nodes[v] >= count) continue;
            load l = {.size2 = length2(force + 3 * (size_t)b->nodes[v])};
            for (int k = 0; k < 3; k++) {
                l.force[k] = force[3 * (size_t)b->nodes[v] + (size_t)k];
                l.x[k] = b->positions[3 * (size_t)v + (size_t)k];
            }
            if (l.size2 > 0) keep_load(list, &n, &l);
        }
    }
    sp__json_open(j, "loads", '[');
    for (int i = 0; i < n; i++) {
        sp__json_open(j, NULL, '{');
        sp__json_vector(j, "at", list[i].x, 3);
        sp__json_vector(j, "force", list[i].force, 3);
        sp__json_close(j, '}');
    }
    sp__json_close(j, ']');
}

// The vertices whose mean follows a material point, as near to it as possible: a cross section of a rod, or one vertex.
static void nearest_vertices(const sp_snapshot_surface *b, const sp_anchor *at, const double x[3], int *first, int *count) {
    double least = INFINITY;
    *first = 0, *count = 1;
    for (int i = 0; i < b->ring_count; i++) {
        double away = fabs(b->rings[i].element + b->rings[i].at - at->elem - at->at[0]);
        if (!(away < least)) continue;
        least = away;
        *first = b->rings[i].vertex;
        *count = (i + 1 < b->ring_count ? b->rings[i + 1].vertex : b->vertex_count) - *first;
    }
    for (int v = 0; v < b->vertex_count && !b->ring_count; v++) {
        const float *p = b->positions + 3 * (size_t)v;
        double d[3] = {p[0] - x[0], p[1] - x[1], p[2] - x[2]};
        if (length2(d) < least) least = length2(d), *first = v;
    }
}

// Where a point is: vertices of a surface, and the offset from their mean. Offsets below `rounding` are zero: the message then
// stays the same while the body moves.
static void put_place(const sp_snapshot_surface *b, uint32_t slot, const sp_anchor *at, const double x[3], double rounding,
                      sp_json *j) {
    int first, count;
    double offset[3] = {x[0], x[1], x[2]};
    nearest_vertices(b, at, x, &first, &count);
    for (int v = first; v < first + count; v++)
        for (int k = 0; k < 3; k++) offset[k] -= b->positions[3 * (size_t)v + (size_t)k] / count;
    for (int k = 0; k < 3; k++)
        if (fabs(offset[k]) < rounding) offset[k] = 0;
    sp__json_integer(j, "body", slot);
    sp__json_integer(j, "first", first);
    sp__json_integer(j, "count", count);
    sp__json_vector(j, "offset", offset, 3);
}

static void put_weight(const sp_snapshot_surface *b, uint32_t slot, const sp_anchor *at, const double x[3], double radius,
                       sp_json *j) {
    sp__json_open(j, NULL, '{');
    put_place(b, slot, at, x, 1e-3 * radius, j);
    sp__json_number(j, "radius", radius);
    sp__json_close(j, '}');
}

static void put_masses(const sp_sim *s, const sp_snapshot *snapshot, sp_json *j) {
    sp_world *w = s->stage.world;
    sp_mass_info m;
    double x[3];
    sp__json_open(j, "masses", '[');
    for (int i = 0, left = MASSES_MAX; i < snapshot->body_count; i++) {
        const sp_snapshot_surface *b = &snapshot->bodies[i].surfaces[0];
        sp_body_id id = snapshot->bodies[i].id;
        for (int k = 0; b->vertex_count > 0 && sp_world_mass_at(w, id, k, &m) >= 0; k++)
            for (int p = 0; p < m.count && left > 0; p++) {
                if (!(m.radius > 0) || sp_world_anchor_get(w, &m.at[p], x, NULL) < 0) continue;
                put_weight(b, id.slot, &m.at[p], x, m.radius, j);
                left--;
            }
    }
    sp__json_close(j, ']');
}

static const sp_snapshot_surface *boundary_of(const sp_snapshot *snapshot, sp_body_id id) {
    for (int i = 0; i < snapshot->body_count; i++)
        if (snapshot->bodies[i].id.slot == id.slot) return &snapshot->bodies[i].surfaces[0];
    return NULL;
}

// Both ends of tied points, each on its own body.
static void put_links(const sp_sim *s, const sp_snapshot *snapshot, sp_json *j) {
    sp_world *w = s->stage.world;
    sp_link_info info;
    sp_link_point p;
    sp__json_open(j, "links", '[');
    for (int i = 0, left = LINKS_MAX; sp_world_link_at(w, i, &info) >= 0; i++)
        for (int k = 0; k < info.point_count && left > 0; k++, left--) {
            const sp_snapshot_surface *b[2] = {boundary_of(snapshot, info.bodies[0]), boundary_of(snapshot, info.bodies[1])};
            if (!b[0] || !b[1] || !b[0]->vertex_count || !b[1]->vertex_count) break;
            if (sp_world_link_point(w, info.id, k, &p) < 0) break;
            sp__json_open(j, NULL, '{');
            sp__json_text(j, "name", info.name);
            for (int side = 0; side < 2; side++) {
                sp__json_open(j, side ? "b" : "a", '{');
                put_place(b[side], info.bodies[side].slot, &p.anchors[side], side ? p.b : p.a, 1e-9, j);
                sp__json_close(j, '}');
            }
            sp__json_close(j, '}');
        }
    sp__json_close(j, ']');
}

static void put_pins(const sp_sim *s, sp_json *j) {
    sp__json_open(j, "pins", '[');
    for (int i = 0; i < s->stage.body_count; i++) {
        uint32_t slot = s->stage.bodies[i].id.slot;
        bool open = false;
        for (int k = 0; k < s->pin_count; k++) {
            if (s->pins[k].body.slot != slot) continue;
            if (!open) {
                sp__json_open(j, NULL, '{');
                sp__json_integer(j, "body", slot);
                sp__json_open(j, "nodes", '[');
            }
            open = true;
            sp__json_integer(j, NULL, s->pins[k].node);
        }
        if (open) sp__json_close(j, ']'), sp__json_close(j, '}');
    }
    sp__json_close(j, ']');
}

// only this thread writes it, so reading needs no lock
static bool is_latest(const sp_sim_latest *latest, const char *words, size_t size) {
    return latest->text.size == size && memcmp(latest->text.data, words, size) == 0;
}

void sp__sim_make_marks(sp_sim *s) {
    char *words = NULL;
    size_t size = 0;
    const sp_snapshot *snapshot = sp_world_snapshot_acquire(s->stage.world);
    sp_json j = {.file = snapshot ? open_memstream(&words, &size) : NULL};
    if (j.file) {
        sp__json_open(&j, NULL, '{');
        sp__json_text(&j, "type", "marks");
        sp__json_integer(&j, "generation", s->generation);
        put_held(s, snapshot, &j);
        put_loads(s, snapshot, &j);
        put_masses(s, snapshot, &j);
        put_links(s, snapshot, &j);
        put_pins(s, &j);
        sp__json_close(&j, '}');
        if (fclose(j.file) == 0 && !is_latest(&s->texts[SP_SIM_MARKS], words, size))
            sim_latest(s, &s->texts[SP_SIM_MARKS], words, size);
        free(words);
    }
    sp_world_snapshot_release(s->stage.world, snapshot);
}
