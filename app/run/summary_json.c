// The object of `souple run --json`.
#include <math.h>
#include <string.h>
#include <sys/utsname.h>
#include <unistd.h>

#include "run/summary.h"

static void write_times(sp_json *j, const sp_summary *r) {
    double n = (double)r->steps;
    sp__json_open(j, "stages", '{');
    for (int i = 0; i < SP_STAGE_COUNT; i++) sp__json_number(j, sp_stage_name((sp_stage)i), r->stage_ms[i] / n);
    sp__json_close(j, '}');
    sp__json_open(j, "step_ms", '{');
    sp__json_number(j, "mean", r->step_sum / n);
    sp__json_number(j, "p50", sp__summary_percentile(r, 0.5));
    sp__json_number(j, "p95", sp__summary_percentile(r, 0.95));
    sp__json_number(j, "p99", sp__summary_percentile(r, 0.99));
    sp__json_number(j, "max", r->steps ? r->step_max : NAN);
    sp__json_close(j, '}');
}

static void write_solver(sp_json *j, const sp_body_summary *b, double steps) {
    const sp_solve_info *s = &b->info.solve;
    if (!s->solver) {
        sp__json_text(j, "solver", NULL);
        return;
    }
    sp__json_open(j, "solver", '{');
    sp__json_text(j, "name", s->solver);
    sp__json_number(j, "iterations_mean", b->iterations_sum / steps);
    sp__json_integer(j, "iterations_max", b->iterations_max);
    sp__json_number(j, "substeps_mean", b->substeps_sum / steps);
    sp__json_integer(j, "substeps_max", b->substeps_max);
    sp__json_number(j, "residual_max", b->residual_max);
    sp__json_number(j, "force_residual", s->force_residual);
    sp__json_number(j, "critical_step", s->critical_step > 0 ? s->critical_step : NAN);
    sp__json_open(j, "factor", '{');
    sp__json_number(j, "refreshes", b->refreshes);
    sp__json_integer(j, "age_max", b->age_max);
    sp__json_number(j, "columns_mean", b->columns / steps);
    sp__json_number(j, "elements_refreshed_mean", b->elements_refreshed / steps);
    sp__json_number(j, "shift_max", b->shift_max);
    sp__json_close(j, '}');
    sp__json_close(j, '}');
}

// null: the material has no such energy
static void write_energy(sp_json *j, const sp_body_measures *n) {
    sp__json_open(j, "energy", '{');
    sp__json_number(j, "kinetic", n->kinetic);
    sp__json_number(j, "elastic", n->elastic);
    sp__json_number(j, "potential", n->potential);
    sp__json_number(j, "contact", n->contact);
    sp__json_open(j, "work", '{');
    sp__json_number(j, "loads", n->work.loads);
    sp__json_number(j, "pins", n->work.pins);
    sp__json_number(j, "drags", n->work.drags);
    sp__json_number(j, "contact", n->work.contact);
    sp__json_number(j, "edits", n->work.edits);
    sp__json_close(j, '}');
    sp__json_number(j, "largest", n->energy_max);
    sp__json_number(j, "appeared", n->appeared);
    sp__json_close(j, '}');
}

static void write_body(sp_json *j, const sp_body_summary *b, long steps) {
    const sp_body_info *info = &b->info;
    const sp_body_measures *n = &b->now;
    sp__json_open(j, NULL, '{');
    sp__json_text(j, "name", info->name);
    sp__json_text(j, "kind", info->kind);
    sp__json_integer(j, "nodes", info->nodes);
    sp__json_integer(j, "elements", info->elements);
    sp__json_number(j, "mass", n->mass);
    sp__json_open(j, "volume", '{');
    sp__json_number(j, "rest", n->rest_volume);
    sp__json_number(j, "end", n->volume);
    sp__json_number(j, "mean", steps ? b->volume_sum / (double)steps : n->volume);
    sp__json_number(j, "lost", n->volume_lost);
    sp__json_close(j, '}');
    sp__json_integer(j, "inverted", n->inverted);
    sp__json_integer(j, "inverted_max", b->inverted_max);
    write_energy(j, n);
    sp__json_number(j, "penetration", n->penetration);
    sp__json_number(j, "penetration_max", b->penetration_max);
    sp__json_vector(j, "momentum", n->momentum, 3);
    sp__json_vector(j, "angular_momentum", n->angular, 3);
    sp__json_number(j, "displacement_max", n->displacement_max);
    sp__json_yes(j, "frozen", info->frozen);
    sp__json_integer(j, "bytes", (long long)n->bytes);
    write_solver(j, b, (double)steps);
    sp__json_close(j, '}');
}

// samples of one quantity: numbers, or vectors if it has several components
static void write_quantity(sp_json *j, const sp_run_probe *p, int quantity, int offset) {
    int width = p->components[quantity];
    sp__json_open(j, p->quantities[quantity], '[');
    for (int i = 0; i < p->sample_count; i++) {
        const double *v = p->values + (size_t)i * (size_t)p->width + offset;
        if (width == 1)
            sp__json_number(j, NULL, v[0]);
        else
            sp__json_vector(j, NULL, v, width);
    }
    sp__json_close(j, ']');
}

// names of the numbers of a sample, "position.x [m]", in order
static void write_columns(sp_json *j, const sp_run *run, int probe, int width) {
    sp__json_open(j, "columns", '[');
    for (int i = 0; i < width; i++) {
        char text[200];
        sp_run_column column;
        sp_run_column_at(run, probe, i, &column);
        snprintf(text, sizeof text, "%s [%s]", column.name, column.unit);
        sp__json_text(j, NULL, text);
    }
    sp__json_close(j, ']');
}

static void write_probes(sp_json *j, const sp_run *run) {
    sp__json_open(j, "probes", '[');
    for (int i = 0; i < sp_run_probe_count(run); i++) {
        sp_run_probe p;
        sp_run_probe_at(run, i, &p);
        sp__json_open(j, NULL, '{');
        sp__json_text(j, "name", p.name);
        sp__json_text(j, "body", p.body);
        sp__json_vector(j, "time", p.times, p.sample_count);
        write_columns(j, run, i, p.width);
        for (int q = 0, offset = 0; q < p.quantity_count; offset += p.components[q++]) write_quantity(j, &p, q, offset);
        sp__json_close(j, '}');
    }
    sp__json_close(j, ']');
}

static void write_records(sp_json *j, const sp_run *run) {
    sp__json_open(j, "records", '[');
    for (int i = 0; i < sp_run_record_count(run); i++) {
        sp_run_record r;
        sp_run_record_at(run, i, &r);
        if (!r.path) continue;
        sp__json_open(j, NULL, '{');
        sp__json_text(j, "file", r.path);
        sp__json_text(j, "kind", r.kind);
        sp__json_integer(j, "frames", r.frames);
        sp__json_integer(j, "bytes", (long long)r.bytes);
        sp__json_integer(j, "dropped", r.dropped);
        sp__json_close(j, '}');
    }
    sp__json_close(j, ']');
}

static bool same_pair(const sp_contact_point *p, const sp_contact_point *q) {
    return p->bodies[0].slot == q->bodies[0].slot && p->bodies[1].slot == q->bodies[1].slot;
}

// a pair of bodies: the first contact at or after `from` that has it, and the sum of all that have
static void write_pair(sp_json *j, const sp_session *s, const sp_contact_point *pair) {
    double force[3] = {0};
    int count = 0;
    sp_contact_point p;
    for (int i = 0; i < sp_world_contact_count(s->world); i++) {
        if (sp_world_contact_at(s->world, i, &p) < 0 || !same_pair(&p, pair)) continue;
        for (int a = 0; a < 3; a++) force[a] += p.force[a];
        count++;
    }
    sp__json_open(j, NULL, '{');
    sp__json_open(j, "bodies", '[');
    for (int k = 0; k < 2; k++) {
        sp_body_info info;
        sp__json_text(j, NULL, sp_world_body_info(s->world, pair->bodies[k], &info) >= 0 ? info.name : NULL);
    }
    sp__json_close(j, ']');
    sp__json_integer(j, "count", count);
    sp__json_vector(j, "force", force, 3);
    sp__json_close(j, '}');
}

// contacts by constraints at the end of the run, with the largest values of the run; null: there were none
static void write_contacts(sp_json *j, const sp_summary *r, const sp_session *s) {
    sp_contact_point p, q;
    if (r->contacts_most.count == 0) {
        sp__json_text(j, "contacts", NULL);
        return;
    }
    sp__json_open(j, "contacts", '{');
    sp__json_integer(j, "count", r->contacts.count);
    sp__json_integer(j, "count_max", r->contacts_most.count);
    sp__json_number(j, "force", r->contacts.largest);
    sp__json_number(j, "force_max", r->contacts_most.largest);
    sp__json_number(j, "pressure", r->contacts.pressure);
    sp__json_number(j, "pressure_max", r->contacts_most.pressure);
    sp__json_number(j, "overlap_max", fmax(0, -r->contacts_most.gap));
    sp__json_open(j, "pairs", '[');
    for (int i = 0; i < sp_world_contact_count(s->world) && sp_world_contact_at(s->world, i, &p) >= 0; i++) {
        int first = 0;
        while (first < i && sp_world_contact_at(s->world, first, &q) >= 0 && !same_pair(&p, &q)) first++;
        if (first == i) write_pair(j, s, &p);
    }
    sp__json_close(j, ']');
    sp__json_close(j, '}');
}

// links at the end of the run, with the largest force of the run; absent: the scene has none
static void write_links(sp_json *j, const sp_summary *r, const sp_session *s) {
    static const char *const types[] = {"weld", "spring", "slide", "hinge"}, *const states[] = {"attached", "detached", "broken"};
    sp_link_info info;
    if (r->link_count == 0) return;
    sp__json_open(j, "links", '[');
    for (int i = 0; i < r->link_count && sp_world_link_at(s->world, i, &info) >= 0; i++) {
        sp__json_open(j, NULL, '{');
        sp__json_text(j, "name", info.name);
        sp__json_text(j, "type", types[info.type]);
        sp__json_text(j, "state", states[info.state]);
        sp__json_integer(j, "points", info.point_count);
        sp__json_vector(j, "force", info.force, 3);
        sp__json_number(j, "force_max", r->links[i]);
        sp__json_number(j, "stretch", info.stretch);
        sp__json_close(j, '}');
    }
    sp__json_close(j, ']');
}

static void write_inverses(sp_json *j, const sp_run *run) {
    if (sp_run_inverse_count(run) == 0) return;
    sp__json_open(j, "inverses", '[');
    for (int i = 0; i < sp_run_inverse_count(run); i++) {
        sp_run_inverse v;
        sp_run_inverse_at(run, i, &v);
        sp__json_open(j, NULL, '{');
        sp__json_text(j, "unknown", v.unknown);
        sp__json_number(j, "residual", v.residual);
        sp__json_close(j, '}');
    }
    sp__json_close(j, ']');
}

static void write_claims(sp_json *j, const sp_run *run) {
    sp__json_open(j, "claims", '[');
    for (int i = 0; i < sp_run_claim_count(run); i++) {
        sp_run_claim c;
        sp_run_claim_at(run, i, &c);
        sp__json_open(j, NULL, '{');
        sp__json_text(j, "probe", c.probe);
        sp__json_text(j, "component", c.component);
        sp__json_number(j, "seen", c.seen);
        sp__json_number(j, "value", c.value);
        sp__json_number(j, "tolerance", c.tolerance);
        sp__json_yes(j, "relative", c.relative);
        sp__json_yes(j, "held", c.held);
        sp__json_text(j, "source", c.source);
        sp__json_close(j, '}');
    }
    sp__json_close(j, ']');
}

static void write_events(sp_json *j, const sp_summary *r) {
    sp__json_open(j, "events", '[');
    for (int i = 0; i < r->event_count; i++) {
        const sp_event *e = &r->events[i];
        sp__json_open(j, NULL, '{');
        sp__json_integer(j, "step", (long long)e->step);
        sp__json_number(j, "time", e->time);
        sp__json_text(j, "status", sp_status_name(e->status));
        sp__json_text(j, "text", e->text);
        sp__json_close(j, '}');
    }
    sp__json_close(j, ']');
    if (r->events_dropped) sp__json_integer(j, "events_dropped", r->events_dropped);
}

static void write_reservations(sp_json *j, const sp_summary *r) {
    sp_status worst = sp__summary_worst(r);
    sp__json_text(j, "reservation", worst > 0 ? sp_status_name(worst) : NULL);
    sp__json_open(j, "reservations", '[');
    for (int s = 1; s < SP_RESERVATIONS; s++) {
        char text[300];
        if (!sp__summary_reserved(r, (sp_status)s)) continue;
        sp__summary_reservation(r, (sp_status)s, text, sizeof text);
        sp__json_open(j, NULL, '{');
        sp__json_text(j, "name", sp_status_name((sp_status)s));
        sp__json_text(j, "text", text);
        sp__json_integer(j, "steps", r->reservations[s].steps);
        sp__json_number(j, "first_time", r->reservations[s].first_time);
        sp__json_close(j, '}');
    }
    sp__json_close(j, ']');
}

static void write_head(sp_json *j, const sp_summary *r, const sp_session *s) {
    char hash[20];
    snprintf(hash, sizeof hash, "%016llx", (unsigned long long)sp_world_hash(s->world));
    sp__json_text(j, "scene", r->scene_path);
    sp__json_text(j, "name", sp_scene_name(s->scene));
    sp__json_text(j, "status", sp__outcome_name(r->outcome));
    sp__json_integer(j, "exit", sp__summary_exit(r));
    if (r->outcome == SP_RUN_FAILED) sp__json_error(j, &r->error);
    write_reservations(j, r);
    sp__json_integer(j, "steps", (long long)sp_world_steps(s->world));
    sp__json_number(j, "time", sp_world_time(s->world));
    sp__json_number(j, "dt", sp_run_dt(s->run));
    sp__json_integer(j, "threads", sp_context_workers(s->context));
    sp__json_text(j, "backend", sp__session_backend(s));
    sp__json_text(j, "backend_detail", sp_backend_detail(sp__session_backend(s)));
    sp__json_text(j, "version", SP_VERSION_TEXT);
    sp__json_text(j, "hash", hash);
    sp__json_number(j, "wall_ms", r->wall_ms);
}

// data for reproduction: time, machine, scene text and values
static void write_provenance(sp_json *j, const sp_summary *r) {
    struct utsname system;
    char text[3 * sizeof system.sysname] = "", hash[20] = "";
    if (uname(&system) >= 0) snprintf(text, sizeof text, "%s %s %s", system.sysname, system.release, system.machine);
    sp__json_open(j, "provenance", '{');
    sp__json_text(j, "started", r->started);
    sp__json_text(j, "scene_hash", sp__file_hash(r->scene_path, hash) ? hash : NULL);
    sp__json_open(j, "sets", '[');
    for (int i = 0; i < r->set_count; i++) sp__json_text(j, NULL, r->sets[i]);
    sp__json_close(j, ']');
    sp__json_text(j, "system", text);
    sp__json_integer(j, "cpus", sysconf(_SC_NPROCESSORS_ONLN));
    sp__json_text(j, "compiler", __VERSION__);
    sp__json_close(j, '}');
}

void sp__summary_json(const sp_summary *r, const sp_session *s, FILE *file) {
    sp_json j = {.file = file};
    sp__json_open(&j, NULL, '{');
    write_head(&j, r, s);
    write_provenance(&j, r);
    write_times(&j, r);
    sp__json_open(&j, "bodies", '[');
    for (int i = 0; i < r->body_count; i++) write_body(&j, &r->bodies[i], r->steps);
    sp__json_close(&j, ']');
    write_contacts(&j, r, s);
    write_links(&j, r, s);
    write_probes(&j, s->run);
    write_records(&j, s->run);
    write_inverses(&j, s->run);
    write_claims(&j, s->run);
    write_events(&j, r);
    sp__session_messages(s, &j);
    sp__json_close(&j, '}');
}
