// Statistics collected during a run.
#include "run/summary.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

// buckets of 0.2 % from a tenth of a microsecond to eleven days
static const double bucket_least = 1e-4, bucket_growth = 1.002;
enum { BUCKETS = 15000 };

const char *sp__outcome_name(sp_outcome outcome) {
    static const char *const names[] = {"ok", "failed", "stopped", "missed", "reservations"};
    return names[outcome];
}

int sp__summary_exit(const sp_summary *r) {
    static const int codes[] = {SP_EXIT_DONE, SP_EXIT_FAILED, SP_EXIT_FAILED, SP_EXIT_MISSED, SP_EXIT_DONE};
    return r->strict && r->outcome == SP_RUN_RESERVED ? SP_EXIT_FAILED : codes[r->outcome];
}

// ---- reservations

bool sp__summary_reserved(const sp_summary *r, sp_status status) {
    const sp_reservation *s = &r->reservations[status];
    return status == SP_INVERTED ? s->last : s->steps > 0;
}

sp_status sp__summary_worst(const sp_summary *r) {
    for (int s = SP_RESERVATIONS - 1; s > 0; s--)
        if (sp__summary_reserved(r, (sp_status)s)) return (sp_status)s;
    return SP_OK;
}

static void count_reservations(sp_summary *r, const sp_step_info *info) {
    for (int s = 1; s < SP_RESERVATIONS; s++) {
        sp_reservation *own = &r->reservations[s];
        own->last = info->reservations >> s & 1;
        if (own->last && own->steps++ == 0) own->first_time = info->time;
    }
}

// magnitude of the reservation in a body
static double share_of(const sp_body_summary *b, sp_status status) {
    const sp_body_measures *n = &b->now;
    if (status == SP_INVERTED) return n->inverted;
    if (status == SP_ENERGY_GAIN) return n->energy_max > 0 ? n->appeared / n->energy_max : 0;
    return n->element_size > 0 ? b->penetration_max / n->element_size : 0;
}

static const sp_body_summary *worst_body(const sp_summary *r, sp_status status) {
    const sp_body_summary *worst = &r->bodies[0];
    for (int i = 1; i < r->body_count; i++)
        if (!(share_of(&r->bodies[i], status) <= share_of(worst, status))) worst = &r->bodies[i];
    return worst;
}

void sp__summary_reservation(const sp_summary *r, sp_status status, char *text, size_t size) {
    const sp_reservation *s = &r->reservations[status];
    const sp_body_summary *b = worst_body(r, status);
    const sp_body_measures *n = &b->now;
    int at;
    if (status == SP_INVERTED && !(fabs(n->volume_lost) < 10))
        at = snprintf(text, size, "%d of %d elements of '%s' inverted at the end, its volume grew without bound", n->inverted,
                      b->info.elements, b->info.name);
    else if (status == SP_INVERTED)
        at = snprintf(text, size, "%d of %d elements of '%s' inverted at the end, %.3g %% of its volume lost", n->inverted,
                      b->info.elements, b->info.name, 100 * n->volume_lost);
    else if (status == SP_ENERGY_GAIN && !isfinite(n->appeared))
        at = snprintf(text, size, "the energy of '%s' grew without bound", b->info.name);
    else if (status == SP_ENERGY_GAIN)
        at = snprintf(text, size, "the energy of '%s' increased by %.3g J without external work, %.3g %% of its largest energy",
                      b->info.name, n->appeared, 100 * share_of(b, status));
    else if (status == SP_PENETRATION)
        at = snprintf(text, size, "'%s' was up to %.3g m deep in another body, %.3g %% of an element", b->info.name,
                      b->penetration_max, 100 * share_of(b, status));
    else
        at = snprintf(text, size, "%s", sp_status_text(status));
    if (at >= 0 && (size_t)at < size)
        snprintf(text + at, size - (size_t)at, " (in %ld of %ld steps, first at t = %g s)", s->steps, r->steps, s->first_time);
}

static bool measure_body(sp_body_summary *b, sp_world *world, sp_body_id id) {
    return sp_world_body_info(world, id, &b->info) >= 0 && sp_world_body_measure(world, id, &b->now) >= 0;
}

bool sp__summary_start(sp_summary *r, const sp_session *s, const char *path) {
    *r = (sp_summary){.scene_path = path, .error.index = -1, .step_min = INFINITY, .contacts_most.gap = INFINITY};
    time_t now = time(NULL);
    struct tm utc;
    if (gmtime_r(&now, &utc)) strftime(r->started, sizeof r->started, "%Y-%m-%dT%H:%M:%SZ", &utc);
    r->body_count = sp_world_body_count(s->world);
    r->buckets = calloc(BUCKETS, sizeof *r->buckets);
    r->bodies = calloc((size_t)r->body_count + 1, sizeof *r->bodies);
    r->events = calloc(SP_EVENTS_KEPT, sizeof *r->events);
    r->link_count = sp_world_link_count(s->world);
    r->links = calloc((size_t)r->link_count + 1, sizeof *r->links);
    for (int i = 0; r->bodies && i < r->body_count; i++) measure_body(&r->bodies[i], s->world, sp_world_body_id(s->world, i));
    return r->buckets && r->bodies && r->events && r->links;
}

void sp__summary_free(sp_summary *r) {
    free(r->buckets), free(r->bodies), free(r->events), free(r->links);
    *r = (sp_summary){0};
}

bool sp__file_hash(const char *path, char hash[20]) {
    FILE *file = fopen(path, "rb");
    uint64_t sum = 0xcbf29ce484222325ull;
    if (!file) return false;
    for (int c; (c = getc(file)) != EOF;) sum = (sum ^ (uint64_t)c) * 0x100000001b3ull;
    bool good = !ferror(file);
    fclose(file);
    snprintf(hash, 20, "%016llx", (unsigned long long)sum);
    return good;
}

static void count_time(sp_summary *r, double ms) {
    int at = ms > bucket_least ? (int)(log(ms / bucket_least) / log(bucket_growth)) : 0;
    r->buckets[at < BUCKETS ? at : BUCKETS - 1]++;
    r->step_sum += ms;
    r->step_max = fmax(r->step_max, ms), r->step_min = fmin(r->step_min, ms);
}

double sp__summary_percentile(const sp_summary *r, double share) {
    if (r->steps == 0) return NAN;
    double wanted = share * (double)r->steps, seen = 0;
    for (int i = 0; i < BUCKETS; i++) {
        seen += (double)r->buckets[i];
        if (seen < wanted) continue;
        double ms = bucket_least * pow(bucket_growth, i + 0.5);
        return fmin(fmax(ms, r->step_min), r->step_max);
    }
    return r->step_max;
}

static void count_body(sp_body_summary *b, sp_world *world, sp_body_id id) {
    if (!measure_body(b, world, id)) return;
    b->penetration_max = fmax(b->penetration_max, b->now.penetration);
    if (b->now.inverted > b->inverted_max) b->inverted_max = b->now.inverted;
    b->volume_sum += b->now.volume;
    b->iterations_sum += b->info.solve.linear_iterations;
    b->substeps_sum += b->info.solve.substeps;
    if (b->info.solve.substeps > b->substeps_max) b->substeps_max = b->info.solve.substeps;
    if (b->info.solve.linear_iterations > b->iterations_max) b->iterations_max = b->info.solve.linear_iterations;
    b->residual_max = fmax(b->residual_max, b->info.solve.residual);
    b->refreshes += b->info.solve.refreshes;
    b->columns += b->info.solve.columns;
    b->elements_refreshed += b->info.solve.elements_refreshed;
    b->shift_max = fmax(b->shift_max, b->info.solve.shift);
    if (b->info.solve.factor_age > b->age_max) b->age_max = b->info.solve.factor_age;
}

static void keep_event(sp_summary *r, const sp_event *e) {
    if (r->event_count < SP_EVENTS_KEPT)
        r->events[r->event_count++] = *e;
    else
        r->events_dropped++;
}

static void count_contacts(sp_summary *r, sp_world *world) {
    sp_contact_sum *now = &r->contacts, *most = &r->contacts_most;
    if (sp_world_contact_sum(world, (sp_body_id){0}, now) < 0) return;
    if (now->count > most->count) most->count = now->count;
    most->largest = fmax(most->largest, now->largest), most->pressure = fmax(most->pressure, now->pressure);
    most->gap = fmin(most->gap, now->gap);
}

static void count_links(sp_summary *r, sp_world *world) {
    sp_link_info info;
    for (int i = 0; i < r->link_count && sp_world_link_at(world, i, &info) >= 0; i++)
        r->links[i] = fmax(r->links[i], hypot(hypot(info.force[0], info.force[1]), info.force[2]));
}

void sp__summary_step(sp_summary *r, const sp_session *s) {
    sp_step_info info;
    sp_world_step_info(s->world, &info);
    r->steps++;
    count_reservations(r, &info);
    for (int i = 0; i < SP_STAGE_COUNT; i++) r->stage_ms[i] += info.stage_ms[i];
    count_time(r, info.step_ms);
    for (int i = 0; i < r->body_count; i++) count_body(&r->bodies[i], s->world, sp_world_body_id(s->world, i));
    count_contacts(r, s->world);
    count_links(r, s->world);
    sp_event e;
    for (int i = 0; sp_world_event_at(s->world, i, &e) >= 0; i++) keep_event(r, &e);
}
