// The text that `souple run` prints at the end.
#include <math.h>
#include <string.h>

#include "run/summary.h"

static void print_head(const sp_summary *r, const sp_session *s, FILE *f) {
    const char *name = sp_scene_name(s->scene);
    double time = sp_world_time(s->world), wall = 1e-3 * r->wall_ms;
    fprintf(f, "%s: %s, %llu steps of %g s, %g s simulated in %.3g s", name && *name ? name : r->scene_path,
            r->outcome == SP_RUN_RESERVED ? "done, WITH RESERVATIONS" : sp__outcome_name(r->outcome),
            (unsigned long long)sp_world_steps(s->world), sp_run_dt(s->run), time, wall);
    if (wall > 0 && r->steps) fprintf(f, " (%.3g x real time)", sp_run_dt(s->run) * (double)r->steps / wall);
    const char *detail = sp_backend_detail(sp__session_backend(s));
    int threads = sp_context_workers(s->context);
    fprintf(f, "\n  backend %s%s%s%s, %d thread%s, state %016llx\n", sp__session_backend(s), detail ? " (" : "",
            detail ? detail : "", detail ? ")" : "", threads, threads == 1 ? "" : "s",
            (unsigned long long)sp_world_hash(s->world));
}

// reservations are printed at the beginning and at the end
static void print_reservations(const sp_summary *r, const char *before, FILE *f) {
    for (int s = 1; s < SP_RESERVATIONS; s++) {
        char text[300];
        if (!sp__summary_reserved(r, (sp_status)s)) continue;
        sp__summary_reservation(r, (sp_status)s, text, sizeof text);
        fprintf(f, "%s  reservation: %s\n", before, text);
        before = "";
    }
}

static void print_end(const sp_summary *r, FILE *f) {
    const char *before = ": ";
    if (sp__summary_worst(r) == SP_OK) return;
    fprintf(f, "\n  %s, with reservations", r->outcome == SP_RUN_RESERVED ? "done" : sp__outcome_name(r->outcome));
    for (int s = 1; s < SP_RESERVATIONS; s++) {
        char text[300];
        if (!sp__summary_reserved(r, (sp_status)s)) continue;
        sp__summary_reservation(r, (sp_status)s, text, sizeof text);
        char *detail = strstr(text, " (in ");
        if (detail) *detail = 0;
        fprintf(f, "%s%s", before, text);
        before = "; ";
    }
    fputc('\n', f);
}

static void print_times(const sp_summary *r, FILE *f) {
    sp_table t = {.left = 1};
    double n = (double)r->steps;
    if (r->steps == 0) return;
    sp__table_row(&t);
    sp__table_cell(&t, "stage"), sp__table_cell(&t, "ms/step"), sp__table_cell(&t, "share");
    for (int i = 0; i < SP_STAGE_COUNT; i++) {
        sp__table_row(&t);
        sp__table_cell(&t, "%s", sp_stage_name((sp_stage)i));
        sp__table_cell(&t, "%.4f", r->stage_ms[i] / n);
        sp__table_cell(&t, "%.1f %%", r->step_sum > 0 ? 100 * r->stage_ms[i] / r->step_sum : 0);
    }
    sp__table_row(&t);
    sp__table_cell(&t, "step"), sp__table_cell(&t, "%.4f", r->step_sum / n);
    fputc('\n', f);
    sp__table_print(&t, f, 2);
    fprintf(f, "  half of the steps within %.4g ms, 95 %% within %.4g, 99 %% within %.4g, the longest %.4g\n",
            sp__summary_percentile(r, 0.5), sp__summary_percentile(r, 0.95), sp__summary_percentile(r, 0.99), r->step_max);
    sp__table_free(&t);
}

static void heads(sp_table *t, const char *const *words, int count) {
    sp__table_row(t);
    for (int i = 0; i < count; i++) sp__table_cell(t, "%s", words[i]);
}

static void body_row(sp_table *t, const sp_body_summary *b, long steps) {
    const sp_body_info *info = &b->info;
    const sp_body_measures *n = &b->now;
    sp__table_row(t);
    sp__table_cell(t, "%s", info->name), sp__table_cell(t, "%s", info->kind);
    sp__table_cell(t, "%d", info->nodes), sp__table_cell(t, "%d", info->elements);
    if (info->elements == 0) return;
    sp__table_cell(t, "%.6g", n->rest_volume), sp__table_cell(t, "%.6g", n->volume);
    sp__table_cell(t, "%.6g", steps ? b->volume_sum / (double)steps : n->volume);
    sp__table_cell(t, "%.4g", n->kinetic);
    if (isfinite(n->elastic))
        sp__table_cell(t, "%.4g", n->elastic);
    else
        sp__table_cell(t, "-");
    sp__table_cell(t, "%.4g", n->displacement_max);
    sp__table_cell(t, "%.4g", steps ? b->iterations_sum / (double)steps : 0.0);
    sp__table_cell(t, "%s%s", info->solve.solver ? info->solve.solver : "", info->frozen ? ", frozen" : "");
}

static void print_bodies(const sp_summary *r, FILE *f) {
    static const char *const words[] = {"body",      "kind",     "nodes",    "elements",  "rest [m3]",  "end [m3]",
                                        "mean [m3]", "kin. [J]", "ela. [J]", "moved [m]", "iterations", "solver"};
    sp_table t = {.left = 1 | 2 | 1 << 11};
    if (r->body_count == 0) return;
    heads(&t, words, 12);
    for (int i = 0; i < r->body_count; i++) body_row(&t, &r->bodies[i], r->steps);
    fputc('\n', f);
    sp__table_print(&t, f, 2);
    sp__table_free(&t);
}

// "not available" where the material has no energy
static void energy_cell(sp_table *t, double value) {
    if (isfinite(value))
        sp__table_cell(t, "%.4g", value);
    else
        sp__table_cell(t, "not available");
}

static void print_energies(const sp_summary *r, FILE *f) {
    static const char *const words[] = {"energy [J]", "potential", "contact",  "loads did", "pins", "drags",
                                        "contact",    "edits",     "appeared", "inverted",  "lost", "deepest [m]"};
    sp_table t = {.left = 1};
    bool any = false;
    heads(&t, words, 12);
    for (int i = 0; i < r->body_count; i++) {
        const sp_body_info *info = &r->bodies[i].info;
        const sp_body_measures *n = &r->bodies[i].now;
        if (info->elements == 0) continue;
        any = true;
        sp__table_row(&t);
        sp__table_cell(&t, "%s", info->name);
        const double values[] = {n->potential,  n->contact,      n->work.loads, n->work.pins,
                                 n->work.drags, n->work.contact, n->work.edits, n->appeared};
        for (int k = 0; k < 8; k++) energy_cell(&t, values[k]);
        sp__table_cell(&t, "%d", n->inverted);
        sp__table_cell(&t, "%.3g %%", 100 * n->volume_lost);
        sp__table_cell(&t, "%.3g", r->bodies[i].penetration_max);
    }
    if (any) fputc('\n', f), sp__table_print(&t, f, 2);
    sp__table_free(&t);
}

static void values_text(const sp_run_probe *p, int quantity, int offset, char *out, size_t size) {
    const double *v = p->values + (size_t)(p->sample_count - 1) * (size_t)p->width + offset;
    size_t n = 0;
    out[0] = 0;
    for (int i = 0; i < p->components[quantity] && i < 6 && n < size; i++)
        n += (size_t)snprintf(out + n, size - n, "%s%.6g", i ? " " : "", v[i]);
}

static void print_probes(const sp_run *run, FILE *f) {
    sp_table t = {.left = 1 | 8 | 16};
    static const char *const words[] = {"probe", "samples", "last at [s]", "quantity", "value"};
    if (sp_run_probe_count(run) == 0) return;
    heads(&t, words, 5);
    for (int i = 0; i < sp_run_probe_count(run); i++) {
        sp_run_probe p;
        sp_run_probe_at(run, i, &p);
        for (int q = 0, offset = 0; q < p.quantity_count; offset += p.components[q++]) {
            char text[SP_TABLE_CELL] = "";
            if (p.sample_count) values_text(&p, q, offset, text, sizeof text);
            sp__table_row(&t);
            sp__table_cell(&t, "%s", q ? "" : p.name);
            sp__table_cell(&t, "%d", p.sample_count);
            if (p.sample_count)
                sp__table_cell(&t, "%.6g", p.times[p.sample_count - 1]);
            else
                sp__table_cell(&t, "-");
            sp__table_cell(&t, "%s", p.quantities[q]), sp__table_cell(&t, "%s", text);
        }
    }
    fputc('\n', f);
    sp__table_print(&t, f, 2);
    sp__table_free(&t);
}

static void print_contacts(const sp_summary *r, FILE *f) {
    const sp_contact_sum *end = &r->contacts, *most = &r->contacts_most;
    if (most->count == 0) return;
    fprintf(
        f,
        "\n  contacts: %d at the end, %d at most; largest force %.4g N, at most %.4g; largest pressure %.4g Pa, at most %.4g\n",
        end->count, most->count, end->largest, most->largest, end->pressure, most->pressure);
}

static void print_links(const sp_summary *r, const sp_session *s, FILE *f) {
    static const char *const words[] = {"link", "points", "force [N]", "at most [N]", "stretch [m]", "state"};
    static const char *const states[] = {"attached", "detached", "broken"};
    sp_table t = {.left = 1 | 32};
    sp_link_info info;
    if (r->link_count == 0) return;
    heads(&t, words, 6);
    for (int i = 0; i < r->link_count && sp_world_link_at(s->world, i, &info) >= 0; i++) {
        sp__table_row(&t);
        sp__table_cell(&t, "%s", info.name), sp__table_cell(&t, "%d", info.point_count);
        sp__table_cell(&t, "%.4g", hypot(hypot(info.force[0], info.force[1]), info.force[2]));
        sp__table_cell(&t, "%.4g", r->links[i]), sp__table_cell(&t, "%.3g", info.stretch);
        sp__table_cell(&t, "%s", states[info.state]);
    }
    fputc('\n', f);
    sp__table_print(&t, f, 2);
    sp__table_free(&t);
}

static void print_records(const sp_run *run, FILE *f) {
    static const char *const words[] = {"record", "kind", "frames", "MB", "dropped"};
    sp_table t = {.left = 1 | 2};
    bool any = false;
    heads(&t, words, 5);
    for (int i = 0; i < sp_run_record_count(run); i++) {
        sp_run_record r;
        sp_run_record_at(run, i, &r);
        if (!r.path) continue;
        any = true;
        sp__table_row(&t);
        sp__table_cell(&t, "%s", r.path), sp__table_cell(&t, "%s", r.kind), sp__table_cell(&t, "%ld", r.frames);
        sp__table_cell(&t, "%.3g", 1e-6 * (double)r.bytes), sp__table_cell(&t, "%ld", r.dropped);
    }
    if (any) fputc('\n', f), sp__table_print(&t, f, 2);
    sp__table_free(&t);
}

static void print_inverses(const sp_run *run, FILE *f) {
    for (int i = 0; i < sp_run_inverse_count(run); i++) {
        sp_run_inverse v;
        sp_run_inverse_at(run, i, &v);
        fprintf(f, "%s  found %s: a first step moves the rod by %.2g of its length\n", i ? "" : "\n", v.unknown, v.residual);
    }
}

static void print_claims(const sp_run *run, FILE *f) {
    static const char *const words[] = {"claim", "seen", "expected", "tolerance", "", "source"};
    sp_table t = {.left = 1 | 16 | 32};
    if (sp_run_claim_count(run) == 0) return;
    heads(&t, words, 6);
    for (int i = 0; i < sp_run_claim_count(run); i++) {
        sp_run_claim c;
        sp_run_claim_at(run, i, &c);
        sp__table_row(&t);
        sp__table_cell(&t, "%s%s%s", c.probe, c.component ? "." : "", c.component ? c.component : "");
        sp__table_cell(&t, "%.8g", c.seen), sp__table_cell(&t, "%.8g", c.value);
        sp__table_cell(&t, "%.3g%s", c.tolerance, c.relative ? " rel." : "");
        sp__table_cell(&t, "%s", c.held ? "held" : "MISSED"), sp__table_cell(&t, "%s", c.source ? c.source : "");
    }
    fputc('\n', f);
    sp__table_print(&t, f, 2);
    sp__table_free(&t);
}

static void print_events(const sp_summary *r, FILE *f) {
    enum { SHOWN = 12 };
    if (r->event_count == 0) return;
    fprintf(f, "\n  events:\n");
    for (int i = 0; i < r->event_count && i < SHOWN; i++)
        fprintf(f, "  step %llu, t = %g s: %s\n", (unsigned long long)r->events[i].step, r->events[i].time, r->events[i].text);
    long more = r->event_count - SHOWN + r->events_dropped;
    if (more > 0) fprintf(f, "  and %ld more (--json lists them)\n", more);
}

void sp__summary_text(const sp_summary *r, const sp_session *s, FILE *file) {
    print_head(r, s, file);
    print_reservations(r, "", file);
    print_times(r, file);
    print_bodies(r, file);
    print_energies(r, file);
    print_contacts(r, file);
    print_links(r, s, file);
    print_probes(s->run, file);
    print_records(s->run, file);
    print_inverses(s->run, file);
    print_claims(s->run, file);
    print_events(r, file);
    print_end(r, file);
}
