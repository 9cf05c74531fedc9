// Sampling of probes, T: every n steps, or at given times. A sample between two steps is interpolated linearly and marked. The
// previous values are stored only if the next sample needs them.
#include <limits.h>

#include "io/run/build.h"

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

static void *grown(sp_run *run, void *old, int count, int capacity, size_t size) {
    void *memory = sp__alloc(run->ctx, (size_t)capacity, size);
    if (memory && count) memcpy(memory, old, (size_t)count * size);
    return memory;
}

sp_status sp__series_reserve(sp_run *run, sp_series *s, int capacity) {
    size_t row = (size_t)(s->probe->width ? s->probe->width : 1) * sizeof(double);
    double *times = grown(run, s->times, s->count, capacity, sizeof *times);
    double *values = grown(run, s->values, s->count, capacity, row);
    unsigned char *marks = grown(run, s->interpolated, s->count, capacity, 1);
    if (!times || !values || !marks) {
        sp__free(run->ctx, times);
        sp__free(run->ctx, values);
        sp__free(run->ctx, marks);
        return SP_FAIL(run->ctx, SP_NO_MEMORY, "no memory for %d samples of probe \"%s\"", capacity, s->probe->name);
    }
    sp__series_free(run, s);
    s->times = times, s->values = values, s->interpolated = marks;
    s->capacity = capacity;
    return SP_OK;
}

void sp__series_free(sp_run *run, sp_series *s) {
    sp__free(run->ctx, s->times);
    sp__free(run->ctx, s->values);
    sp__free(run->ctx, s->interpolated);
    s->times = s->values = NULL;
    s->interpolated = NULL;
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
    SP_TRY(sp__probe_row(run, s->probe, row));
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
    return sp__probe_row(run, s->probe, s->before);
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
