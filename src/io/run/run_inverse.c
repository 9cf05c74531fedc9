// Inverse problems that are solved before the first step: the natural curvature for which a rod is in equilibrium in its initial
// shape, under gravity and its loads. The residual is measured by a trial step: the distance that it moves the rod.
#include <stdio.h>

#include "io/file/text_file.h"
#include "io/run/build.h"
#include "math/vec3.h"

// ------------------------------------------------------------------------------------------------ residual

static sp_status inverse_refused(sp_run *run, const sp_scene_node *node, sp_status status) {
    return status < 0 ? sp__build_refused(run, node, status, sp_world_error(run->world)) : SP_OK;
}

static double inverse_longest(const sp_run_rod *rod) {
    double length = 0;
    for (int i = 0; i < rod->strands; i++) length = fmax(length, rod->length[i]);
    return length;
}

// largest node displacement in a trial step, relative to the length; the step is undone
static sp_status try_step(sp_run *run, const sp_scene_node *node, const sp_run_body *body, double *out) {
    sp_checkpoint before;
    sp_field_info info;
    double *x, *y, d[3];
    *out = 0;
    SP_TRY(inverse_refused(run, node, sp_world_field_info(run->world, body->id, "position", &info)));
    if (!SP_KEEP(&run->scratch, x, 3 * (size_t)info.count) || !SP_KEEP(&run->scratch, y, 3 * (size_t)info.count))
        return sp__build_no_memory(run);
    SP_TRY(inverse_refused(run, node, sp_world_save(run->world, &before)));
    sp_status status = sp_world_field(run->world, body->id, "position", x);
    if (status >= 0) status = sp_world_step(run->world, run->dt);
    if (status >= 0) status = sp_world_field(run->world, body->id, "position", y);
    status = inverse_refused(run, node, status);
    for (size_t i = 0; status >= 0 && i < (size_t)info.count; i++) {
        sp__sub3(y + 3 * i, x + 3 * i, d);
        *out = fmax(*out, sp__norm3(d) / inverse_longest(body->rod));
    }
    if (status >= 0) status = inverse_refused(run, node, sp_world_restore(run->world, before.data, before.size));
    sp_checkpoint_free(run->world, &before);
    return status;
}

// ------------------------------------------------------------------------------------------------ solution

static void write_rows(const sp_run_body *body, const double *natural, bool helix, FILE *f) {
    const sp_run_rod *rod = body->rod;
    fprintf(f, "strand,%s,s [m],twist [rad/m],k1 [rad/m],k2 [rad/m]\n", helix ? "element" : "node");
    for (int k = 0; k < rod->strands; k++) {
        const int *first = helix ? rod->first_element : rod->first_node;
        int elements = rod->first_element[k + 1] - rod->first_element[k];
        for (int i = first[k]; i < first[k + 1]; i++) {
            const double *c = natural + 3 * (size_t)i;
            double s = rod->length[k] * (i - first[k] + (helix ? 0.5 : 0)) / elements;
            char text[4][32];
            sp__print_double(text[0], s);
            for (int a = 0; a < 3; a++) sp__print_double(text[a + 1], c[a]);
            fprintf(f, "%d,%d,%s,%s,%s,%s\n", k, i - first[k], text[0], text[1], text[2], text[3]);
        }
    }
}

static sp_status write_answer(sp_run *run, const sp_scene_node *node, const sp_run_body *body, const double *natural) {
    const char *name = sp__build_given(node, "out") ? sp__attr_word(node, "out") : NULL;
    bool helix = sp__build_is(body->node, "model", "helix") || sp__build_number(body->node, "degree", 1) == 0;
    sp_new_file file;
    char *path;
    if (!name || !run->options.out) return SP_OK;
    size_t size = strlen(run->options.out) + strlen(name) + 2;
    if (!(path = sp__keep_alloc(&run->scratch, size, 1))) return sp__build_no_memory(run);
    snprintf(path, size, "%s/%s", run->options.out, name);
    SP_TRY(sp__new_file_open(run->ctx, path, &file));
    write_rows(body, natural, helix, file.stream);
    return sp__new_file_close(&file, true);
}

static sp_status solve(sp_run *run, const sp_scene_node *node) {
    const char *path = sp__attr_word(node, "unknown"), *dot = strrchr(path, '.');
    char holder[300];
    double *natural;
    snprintf(holder, sizeof holder, "%.*s", dot ? (int)(dot - path) : 0, path);
    const sp_scene_node *rod = sp__scene_find(node, holder);
    const sp_run_body *body = rod ? sp__build_body_of(run, rod) : NULL;
    if (!body || !body->rod) return SP_BUILD_FAIL(run, node, "unknown", "\"%s\" is not in the simulation", holder);
    sp_run_inverse *answer = &run->inverses[run->inverse_count];
    sp_field_info info;
    SP_TRY(inverse_refused(run, node, sp_world_field_info(run->world, body->id, "position", &info)));
    if (!SP_KEEP(&run->scratch, natural, 3 * (size_t)info.count)) return sp__build_no_memory(run);
    SP_TRY(inverse_refused(run, node, sp_world_rod_invert(run->world, body->id, natural)));
    SP_TRY(try_step(run, node, body, &answer->residual));
    answer->unknown = path;
    run->inverse_count++;
    return write_answer(run, node, body, natural);
}

// ------------------------------------------------------------------------------------------------ solve

sp_status sp__build_inverses(sp_run *run) {
    const sp_scene_node *root = sp__scene_root(run->scene);
    int n = 0;
    for (const sp_scene_node *c = NULL; (c = sp__next_child(root, "inverse", c));) n++;
    // a checkpoint has the solution
    if (!n || run->failed || run->options.resume) return SP_OK;
    if (!SP_KEEP(&run->keep, run->inverses, n)) return sp__build_no_memory(run);
    for (const sp_scene_node *c = NULL; (c = sp__next_child(root, "inverse", c));)
        if (!sp__build_is(c, "run", "no")) SP_BUILD(solve(run, c));
    return SP_OK;
}

bool sp__inverse_only(const sp_run *run) {
    const sp_scene_node *root = sp__scene_root(run->scene);
    for (const sp_scene_node *c = NULL; (c = sp__next_child(root, "inverse", c));)
        if (sp__build_is(c, "run", "only")) return true;
    return false;
}

int sp_run_inverse_count(const sp_run *run) {
    return run->inverse_count;
}

sp_status sp_run_inverse_at(const sp_run *run, int index, sp_run_inverse *out) {
    if (index < 0 || index >= run->inverse_count) return SP_BAD_INPUT;
    *out = run->inverses[index];
    return SP_OK;
}
