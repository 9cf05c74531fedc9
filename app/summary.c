// Counting along with a run.
#include "summary.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

// buckets of 0.2 % from a tenth of a microsecond to eleven days
static const double bucket_least = 1e-4, bucket_growth = 1.002;
enum { BUCKETS = 15000 };

const char *sp__outcome_name(sp_outcome outcome) {
    static const char *const names[] = {"ok", "failed", "stopped", "missed"};
    return names[outcome];
}

int sp__outcome_exit(sp_outcome outcome) {
    static const int codes[] = {SP_EXIT_DONE, SP_EXIT_FAILED, SP_EXIT_FAILED, SP_EXIT_MISSED};
    return codes[outcome];
}

bool sp__summary_start(sp_summary *r, const sp_session *s, const char *path) {
    *r = (sp_summary){.scene_path = path, .error.index = -1, .step_min = INFINITY};
    time_t now = time(NULL);
    struct tm utc;
    if (gmtime_r(&now, &utc)) strftime(r->started, sizeof r->started, "%Y-%m-%dT%H:%M:%SZ", &utc);
    r->body_count = sp_world_body_count(s->world);
    r->buckets = calloc(BUCKETS, sizeof *r->buckets);
    r->bodies = calloc((size_t)r->body_count + 1, sizeof *r->bodies);
    r->events = calloc(SP_EVENTS_KEPT, sizeof *r->events);
    for (int i = 0; r->bodies && i < r->body_count; i++)
        sp_world_body_info(s->world, sp_world_body_at(s->world, i), &r->bodies[i].now);
    return r->buckets && r->bodies && r->events;
}

void sp__summary_free(sp_summary *r) {
    free(r->buckets), free(r->bodies), free(r->events);
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
    if (sp_world_body_info(world, id, &b->now) < 0) return;
    b->volume_sum += b->now.volume;
    b->iterations_sum += b->now.solve.linear_iterations;
    if (b->now.solve.linear_iterations > b->iterations_max) b->iterations_max = b->now.solve.linear_iterations;
    b->residual_max = fmax(b->residual_max, b->now.solve.residual);
    b->refreshes += b->now.solve.refreshes;
    b->columns += b->now.solve.columns;
    b->elements_refreshed += b->now.solve.elements_refreshed;
    b->shift_max = fmax(b->shift_max, b->now.solve.shift);
    if (b->now.solve.factor_age > b->age_max) b->age_max = b->now.solve.factor_age;
}

static void keep_event(sp_summary *r, const sp_event *e) {
    if (r->event_count < SP_EVENTS_KEPT)
        r->events[r->event_count++] = *e;
    else
        r->events_dropped++;
}

void sp__summary_step(sp_summary *r, const sp_session *s) {
    sp_step_info info;
    sp_world_step_info(s->world, &info);
    r->steps++;
    if (info.status > r->reservation) r->reservation = info.status;
    for (int i = 0; i < SP_STAGE_COUNT; i++) r->stage_ms[i] += info.stage_ms[i];
    count_time(r, info.step_ms);
    for (int i = 0; i < r->body_count; i++) count_body(&r->bodies[i], s->world, sp_world_body_at(s->world, i));
    for (int i = 0; i < info.event_count; i++) keep_event(r, sp_world_event(s->world, i));
}
