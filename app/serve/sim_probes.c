// Probes of the scene for clients: their list in "hello", and their samples. The run samples as the scene says (every, period,
// times); this file only passes the samples on. A recording that is shown makes no steps, so it has no samples and no probes.
//
// Samples are kept as text, one JSON object per line. A client has a place in this text and receives what follows it, so none is
// lost while it is slow, and one that joins later receives the earlier ones too. The text of a generation begins with the first
// sample of its run. Above SAMPLES_MAX bytes the older half is dropped.
#include <math.h>
#include <string.h>

#include "serve/sim_internal.h"

enum { COLUMNS_MAX = 16 };                                   // of a probe; the others are counted
enum { SAMPLES_MAX = 4 << 20, SAMPLES_AT_ONCE = 64 << 10 };  // bytes kept, and in one message

static int columns_shown(const sp_run_probe *p) {
    return p->width < COLUMNS_MAX ? p->width : COLUMNS_MAX;
}

// the quantity that a column belongs to
static const char *quantity_of(const sp_run_probe *p, int column) {
    int i = 0;
    while (i + 1 < p->quantity_count && column >= p->components[i]) column -= p->components[i++];
    return p->quantities[i];
}

static void put_column(const sp_run *run, int probe, const sp_run_probe *p, int column, sp_json *j) {
    sp_run_column c;
    if (sp_run_column_at(run, probe, column, &c) < 0) return;
    sp__json_open(j, NULL, '{');
    sp__json_text(j, "name", c.name);
    sp__json_text(j, "quantity", quantity_of(p, column));
    sp__json_text(j, "unit", c.unit);
    sp__json_close(j, '}');
}

// the run that samples; NULL: none
static const sp_run *sampled_run(const sp_sim *s) {
    return s->stage.recording ? NULL : s->stage.run;
}

void sp__sim_put_probes(const sp_sim *s, sp_json *j) {
    const sp_run *run = sampled_run(s);
    sp_run_probe p;
    sp__json_open(j, "probes", '[');
    for (int i = 0; run && i < SP_PROBES_MAX && sp_run_probe_at(run, i, &p) >= 0; i++) {
        sp__json_open(j, NULL, '{');
        sp__json_text(j, "name", p.name);
        sp__json_text(j, "body", p.body);
        sp__json_integer(j, "width", p.width);
        sp__json_open(j, "columns", '[');
        for (int c = 0; c < columns_shown(&p); c++) put_column(run, i, &p, c, j);
        sp__json_close(j, ']');
        sp__json_close(j, '}');
    }
    sp__json_close(j, ']');
}

// ---------------------------------------------------------------------------------------------------- samples

static void put_number(sp_buffer *out, double value) {
    char text[32] = "null";
    if (isfinite(value)) sp__number_text(value, text);
    sp__buffer_add(NULL, out, text, strlen(text));
}

static void put_sample(sp_buffer *out, int probe, const sp_run_probe *p, int sample) {
    const double *row = p->values + (size_t)sample * (size_t)p->width;
    sp__buffer_print(NULL, out, "{\"probe\":%d,\"time\":", probe);
    put_number(out, p->times[sample]);
    sp__buffer_print(NULL, out, ",\"values\":[");
    for (int c = 0; c < columns_shown(p); c++) {
        if (c) sp__buffer_add(NULL, out, ",", 1);
        put_number(out, row[c]);
    }
    sp__buffer_print(NULL, out, "]}\n");
}

// the caller holds the lock
static void drop_oldest(sp_sim_samples *t) {
    const char *half = t->text.size > SAMPLES_MAX ? memchr(t->text.data + t->text.size / 2, '\n', t->text.size / 2) : NULL;
    size_t dropped = half ? (size_t)(half + 1 - t->text.data) : 0;
    if (!dropped) return;
    memmove(t->text.data, t->text.data + dropped, t->text.size - dropped);
    t->text.size -= dropped, t->first += dropped;
}

void sp__sim_forget_samples(sp_sim *s) {
    memset(s->samples_taken, 0, sizeof s->samples_taken);
    pthread_mutex_lock(&s->lock);
    s->samples.generation = s->generation;
    s->samples.text.size = 0, s->samples.text.broken = false, s->samples.first = 0;
    pthread_mutex_unlock(&s->lock);
}

void sp__sim_take_samples(sp_sim *s) {
    const sp_run *run = sampled_run(s);
    sp_run_probe p;
    s->scratch.size = 0, s->scratch.broken = false;
    for (int i = 0; run && i < SP_PROBES_MAX && sp_run_probe_at(run, i, &p) >= 0; i++)
        for (; s->samples_taken[i] < p.sample_count; s->samples_taken[i]++) put_sample(&s->scratch, i, &p, s->samples_taken[i]);
    if (!s->scratch.size || s->scratch.broken) return;
    pthread_mutex_lock(&s->lock);
    sp__buffer_add(NULL, &s->samples.text, s->scratch.data, s->scratch.size);
    drop_oldest(&s->samples);
    pthread_mutex_unlock(&s->lock);
}

uint64_t sp__sim_samples(sp_sim *s, uint32_t generation, uint64_t from, sp_buffer *out) {
    pthread_mutex_lock(&s->lock);
    const sp_sim_samples *t = &s->samples;
    size_t at = from > t->first ? (size_t)(from - t->first) : 0;
    if (generation == t->generation && at < t->text.size) {
        size_t size = t->text.size - at;
        // whole lines; one line is always shorter than a message
        if (size > SAMPLES_AT_ONCE)
            for (size = SAMPLES_AT_ONCE; t->text.data[at + size - 1] != '\n';) size--;
        sp__buffer_print(NULL, out, "{\"type\":\"probes\",\"generation\":%u,\"samples\":[", generation);
        size_t begin = out->size;
        sp__buffer_add(NULL, out, t->text.data + at, size - 1);
        for (size_t i = begin; i < out->size; i++)
            if (out->data[i] == '\n') out->data[i] = ',';
        sp__buffer_print(NULL, out, "]}");
        from = t->first + at + size;
    }
    pthread_mutex_unlock(&s->lock);
    return from;
}
