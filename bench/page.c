// bench page: `souple view` on a soft block of 45,000 tetrahedra at maximum speed, all clients on this machine.
//
//   browser   one page in a headless browser with software rendering; its frame rate, and the time from sending a drag until the
//             first frame that shows it at the picked vertex is drawn
//   plain     ten clients without rendering; frames per second of each, and the time from sending a drag until the first frame
//             that shows it at the picked vertex reaches the last client that joined
//
// `sim_slowdown` is the ratio of the step time with ten plain clients to that without clients: both in alternating rounds, the
// median of the ratios of neighbouring rounds. Server, clients and browser are separate processes and share the same cores.
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "core/core.h"
#include "page.h"

typedef struct page_plan {
    int cells[3];
    int samples, rounds;
    double round_ms;
    bool browser;
} page_plan;

static const page_plan full_plan = {{25, 20, 15}, 100, 7, 3000, true};
static const page_plan quick_plan = {{10, 8, 6}, 5, 1, 300, false};

typedef struct page_figures {
    double frames, least_frames;  // per second, mean and minimum of the clients
    double bytes;                 // per second to one client
    sp_times latency;
    double p95;
    double steps_alone, steps_together;  // per second, medians of the rounds
    double slowdown;
} page_figures;

// ---------------------------------------------------------------------------------------------------- the clients

static sp_status sent_away(const sp_page_clients *c) {
    fprintf(stderr, "bench page: %s\n", c->why[0] ? c->why : "a client was sent away");
    return SP_IO;
}

static double least_of_95(const double *sorted, int count) {
    return count ? sorted[(int)ceil(0.95 * count) - 1] : NAN;
}

static sp_status measure_latency(int port, const page_plan *plan, page_figures *out) {
    static double ms[SP_PAGE_SAMPLES];
    static sp_page_clients c;
    sp_status status = SP_OK;
    if (!sp__page_join(&c, port, SP_PAGE_CLIENTS, true)) status = sent_away(&c);
    if (status >= 0) {
        sp__page_say(&c, "{\"type\":\"speed\",\"value\":0}");
        sp__page_say(&c, "{\"type\":\"play\"}");
        sp__page_listen(&c, 200);
        int count = sp__page_latency(&c, plan->samples, ms);
        if (c.why[0] || count == 0) status = sent_away(&c);
        if (count) out->latency = sp__times_of(ms, count), out->p95 = least_of_95(ms, count);
    }
    sp__page_leave(&c);
    return status;
}

static void count_frames(const sp_page_clients *before, const sp_page_clients *after, double ms, page_figures *out) {
    double sum = 0, least = INFINITY, bytes = 0;
    for (int i = 0; i < after->count; i++) {
        double rate = 1e3 * (double)(after->clients[i].frames - before->clients[i].frames) / ms;
        sum += rate, least = fmin(least, rate);
        bytes += 1e3 * (double)(after->clients[i].ws.bytes - before->clients[i].ws.bytes) / ms;
    }
    out->frames = sum / after->count, out->least_frames = least, out->bytes = bytes / after->count;
}

// Runs ten clients for this time and counts the steps that they see.
static sp_status steps_together(int port, double ms, double *rate, page_figures *out) {
    static sp_page_clients c, before;
    sp_status status = SP_OK;
    if (!sp__page_join(&c, port, SP_PAGE_CLIENTS, false)) status = sent_away(&c);
    before = c;
    double begin = sp__page_clock();
    if (status >= 0 && !sp__page_listen(&c, ms)) status = sent_away(&c);
    const sp_page_client *a = &before.clients[0], *b = &c.clients[0];
    *rate = 1e3 * (double)(b->step - a->step) / (b->step_at - a->step_at);
    count_frames(&before, &c, sp__page_clock() - begin, out);
    sp__page_leave(&c);
    return status;
}

static sp_status read_step(int port, uint64_t *step, double *at) {
    static sp_page_clients c;
    sp_status status = sp__page_join(&c, port, 1, false) ? SP_OK : sent_away(&c);
    *step = c.clients[0].step, *at = c.clients[0].step_at;
    sp__page_leave(&c);
    return status;
}

// One client joins before and after the interval, to read the step numbers.
static sp_status steps_alone(int port, double ms, double *rate) {
    static sp_page_clients nobody;
    uint64_t first, last;
    double from, to;
    SP_TRY(read_step(port, &first, &from));
    sp__page_listen(&nobody, ms);
    SP_TRY(read_step(port, &last, &to));
    *rate = 1e3 * (double)(last - first) / (to - from);
    return SP_OK;
}

static sp_status measure_slowdown(int port, const page_plan *plan, page_figures *out) {
    double alone[16], together[16], ratio[16];
    page_figures round;
    out->least_frames = INFINITY;
    for (int i = 0; i < plan->rounds; i++) {
        SP_TRY(steps_alone(port, plan->round_ms, &alone[i]));
        SP_TRY(steps_together(port, plan->round_ms, &together[i], &round));
        ratio[i] = alone[i] / together[i];
        out->frames += round.frames / plan->rounds, out->bytes += round.bytes / plan->rounds;
        out->least_frames = fmin(out->least_frames, round.least_frames);
    }
    out->steps_alone = sp__times_of(alone, plan->rounds).median;
    out->steps_together = sp__times_of(together, plan->rounds).median;
    out->slowdown = sp__times_of(ratio, plan->rounds).median - 1;
    return SP_OK;
}

// ---------------------------------------------------------------------------------------------------- report

static void report_case(sp_report *r, const char *name, int clients, double frames, const double ms[2], const char *skipped) {
    sp_row *row = sp__report_case(r);
    sp__row_text(row, "name", "name   ", name);
    sp__row_number(row, "clients", "clients", "%.0f", clients);
    sp__row_number(row, "frames_per_s", "frames/s", "%.1f", frames);
    sp__row_number(row, "p50_ms", "p50 ms", "%.1f", ms[0]);
    sp__row_number(row, "p95_ms", "p95 ms", "%.1f", ms[1]);
    if (skipped) sp__row_text(row, "skipped", "skipped", skipped);
    sp__report_case_done(r);
}

static void run_browser(const sp_page_server *s, const page_plan *plan, sp_report *r) {
    char line[2000] = "left out when quick";
    double frames = NAN, ms[2] = {NAN, NAN};
    bool there = plan->browser && sp__page_browser(s, plan->samples / 4, line, sizeof line) >= 0;
    if (there) {
        sp__peer_numbers(line, "frames_per_s", &frames, 1);
        sp__peer_numbers(line, "p50_ms", &ms[0], 1);
        sp__peer_numbers(line, "p95_ms", &ms[1], 1);
    }
    report_case(r, "browser", 1, frames, ms, there ? NULL : line);
}

static void report_figures(sp_report *r, const page_figures *f) {
    report_case(r, "plain", SP_PAGE_CLIENTS, f->frames, (double[2]){f->latency.median, f->p95}, NULL);
    sp_row *row = sp__report_object(r, "latency_ms");
    sp__row_number(row, "p50", "p50 [ms]", "%.1f", f->latency.median);
    sp__row_number(row, "p95", "p95 [ms]", "%.1f", f->p95);
    sp__row_number(row, "most", "most [ms]", "%.1f", f->latency.most);
    sp__row_number(row, "samples", "drags", "%.0f", f->latency.count);
    sp__report_object_done(r);
    sp__row_number(&r->tail, "frames_per_s", NULL, "%.1f", f->frames);
    sp__row_number(&r->tail, "least_frames_per_s", NULL, "%.1f", f->least_frames);
    sp__row_number(&r->tail, "bytes_per_s", NULL, "%.0f", f->bytes);
    sp__row_number(&r->tail, "steps_per_s_alone", NULL, "%.1f", f->steps_alone);
    sp__row_number(&r->tail, "steps_per_s", NULL, "%.1f", f->steps_together);
    sp__row_number(&r->tail, "sim_slowdown", NULL, "%.3f", f->slowdown);
    sp__report_note(r, "%.1f steps/s alone, %.1f with ten plain clients: slowed by %.1f%%; %.2f MB/s to each", f->steps_alone,
                    f->steps_together, 100 * f->slowdown, 1e-6 * f->bytes);
}

static sp_status page_measure(const sp_page_server *s, const page_plan *plan, sp_report *r) {
    static page_figures f;
    f = (page_figures){.p95 = NAN};
    run_browser(s, plan, r);
    SP_TRY(measure_latency(s->port, plan, &f));
    SP_TRY(measure_slowdown(s->port, plan, &f));
    report_figures(r, &f);
    return SP_OK;
}

// Without a server nothing is measured: the fields are present and say so.
static void report_nothing(sp_report *r, const char *why) {
    page_figures f = {.frames = NAN, .least_frames = NAN, .bytes = NAN, .p95 = NAN};
    f.latency.median = f.latency.most = f.steps_alone = f.steps_together = f.slowdown = NAN;
    report_figures(r, &f);
    sp__row_text(&r->tail, "skipped", NULL, why);
    sp__report_note(r, "%s", why);
}

sp_status sp__bench_page(const sp_bench_options *o, sp_report *r) {
    const page_plan *plan = o->quick ? &quick_plan : &full_plan;
    sp_page_server server;
    SP_TRY(sp__bench_open(o, r));
    sp__row_number(&r->head, "scene_tets", NULL, "%.0f", 6.0 * plan->cells[0] * plan->cells[1] * plan->cells[2]);
    sp__row_number(&r->head, "clients", NULL, "%.0f", SP_PAGE_CLIENTS);
    sp_status status = sp__page_server_start(&server, plan->cells, o->threads);
    if (status == SP_UNAVAILABLE) {
        report_nothing(r, "this build has no server: libwebsockets was not there");
        return SP_OK;
    }
    if (status < 0) return status;
    status = page_measure(&server, plan, r);
    sp__page_server_stop(&server);
    return status;
}
