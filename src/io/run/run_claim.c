// Claims (`expect`): the expected value of a probe, at a time or over the run.
#include "io/run/build.h"

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
