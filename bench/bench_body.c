// The beam that all benches step, created with the public API, and the time measurement.
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "bench.h"
#include "core/core.h"

enum { TIMES_MOST = 2000 };

static sp_status body_say(sp_status status, const sp_error *error, const char *what) {
    fprintf(stderr, "bench: %s: %s (%s)\n", what, error->message[0] ? error->message : sp_status_text(status),
            sp_status_name(status));
    return status;
}

static bool at_clamp(const void *user, const double x[3]) {
    return x[0] <= *(const double *)user;
}

static const sp_material beam_material = {.density = 1000, .young = 3e5, .poisson = 0.4};

static sp_solid_def solid_of(const sp_beam_def *def, const sp_beam *beam) {
    sp_solid_def solid = sp_solid_def_default();
    solid.name = "beam";
    solid.mesh = beam->mesh;
    solid.model = def->model;
    solid.rotation = def->rotation;
    if (def->law) {
        solid.model = def->law->model, solid.rotation = def->law->rotation, solid.shape = def->law->shape;
        solid.tangent = def->law->tangent, solid.form = def->law->form, solid.volumetric = def->law->volumetric;
        solid.integration = def->law->integration, solid.tensor_law = def->law->tensor_law;
    }
    solid.material = def->material ? *def->material : beam_material;
    solid.element_young = def->element_young;
    solid.solver.type = SP_SOLVER_CG;
    solid.solver.cg.op = def->op;
    solid.solver.tolerance = def->tolerance;
    solid.solver.iterations = def->iterations;
    if (def->solver) solid.solver = *def->solver;
    return solid;
}

static sp_status add_body(const sp_beam_def *def, sp_beam *beam, double edge) {
    double reach = def->clamp + 1e-6 * edge;
    sp_selection clamp = sp_selection_default();
    clamp.where = at_clamp;
    clamp.where_user = &reach;
    int count = sp_mesh_node_count(beam->mesh);
    int *nodes = sp__alloc(beam->context, (size_t)count, sizeof *nodes);
    if (!nodes) return body_say(SP_NO_MEMORY, sp_context_error(beam->context), "clamped nodes");
    sp_status status = sp_mesh_select(beam->mesh, &clamp, SP_SELECT_NODES, nodes, count, &count);
    sp_fix fix = {.nodes = nodes, .count = count, .axes = SP_AXES_ALL};
    sp_solid_def solid = solid_of(def, beam);
    solid.fixes = &fix;
    solid.fix_count = count > 0;
    if (def->set_conditions) def->set_conditions(def->user, beam->mesh, &solid);
    if (status >= 0) status = sp_world_add_solid(beam->world, &solid, &beam->body);
    sp__free(beam->context, nodes);
    return status < 0 ? body_say(status, sp_world_error(beam->world), "solid") : SP_OK;
}

// a box of hexahedra or of quadratic tetrahedra
static sp_status make_box(const sp_beam_def *def, sp_beam *beam, const double size[3]) {
    sp_mesh *linear = NULL;
    sp_status status = sp_mesh_box(beam->context, size, def->cells, def->element == SP_ELEMENT_HEX8 ? 1 : 6, &linear);
    if (status >= 0 && def->element == SP_ELEMENT_TET10) {
        status = sp_mesh_order2(linear, NULL, NULL, &beam->mesh);
        sp_mesh_destroy(&linear);
    } else {
        beam->mesh = linear;
    }
    return status < 0 ? body_say(status, sp_context_error(beam->context), "mesh") : SP_OK;
}

static sp_status make_mesh(const sp_beam_def *def, sp_beam *beam, double edge) {
    static const double axis[3] = {0, 0, 1};
    double size[3] = {edge * def->cells[0], edge * def->cells[1], edge * def->cells[2]};
    if (def->element != SP_ELEMENT_TET4 && !def->torus[0]) return make_box(def, beam, size);
    sp_status status = def->torus[0] ? sp_mesh_torus(beam->context, 0.3, 0.1, axis, def->torus, &beam->mesh)
                                     : sp_mesh_box(beam->context, size, def->cells, 6, &beam->mesh);
    return status < 0 ? body_say(status, sp_context_error(beam->context), "mesh") : SP_OK;
}

static sp_status make_world(const sp_beam_def *def, sp_beam *beam) {
    sp_world_def world = sp_world_def_default();
    world.backend = def->backend;
    world.deterministic = def->deterministic;
    if (def->gravity != 0) world.gravity[1] = sp_signal_constant(isnan(def->gravity) ? 0 : -def->gravity);
    sp_status status = sp_world_create(beam->context, &world, &beam->world);
    return status < 0 ? body_say(status, sp_context_error(beam->context), "world") : SP_OK;
}

// node (nx, ny/2, nz/2) of a beam, any node of a torus
static int tip_node(const sp_beam_def *def) {
    if (def->torus[0]) return 0;
    int row = def->cells[2] + 1, layer = row * (def->cells[1] + 1);
    return def->cells[0] * layer + def->cells[1] / 2 * row + def->cells[2] / 2;
}

static sp_status open_parts(const sp_beam_def *def, sp_beam *beam) {
    sp_context_def context = sp_context_def_default();
    double edge = def->torus[0] ? 0.1 / def->torus[1] : def->edge > 0 ? def->edge : 0.1 / def->cells[1];
    context.workers = beam->workers = def->workers;
    beam->wall = def->wall;
    beam->h = def->h > 0 ? def->h : 0.01;
    sp_status status = sp_context_create(&context, &beam->context);
    if (status < 0) {
        fprintf(stderr, "bench: context: %s\n", sp_status_text(status));
        return status;
    }
    SP_TRY(make_mesh(def, beam, edge));
    SP_TRY(make_world(def, beam));
    SP_TRY(add_body(def, beam, edge));
    status = sp_world_anchor_node(beam->world, beam->body, tip_node(def), &beam->tip);
    if (status < 0) return body_say(status, sp_world_error(beam->world), "tip");
    return sp__beam_tip(beam, &beam->tip_start);
}

sp_status sp__beam_open(const sp_beam_def *def, sp_beam *beam) {
    *beam = (sp_beam){0};
    sp_status status = open_parts(def, beam);
    if (status < 0) sp__beam_close(beam);
    return status;
}

void sp__beam_close(sp_beam *beam) {
    if (beam->world) sp_world_destroy(&beam->world);
    if (beam->mesh) sp_mesh_destroy(&beam->mesh);
    if (beam->context) sp_context_destroy(&beam->context);
}

static double beam_clock_ms(const sp_beam *beam) {
    return beam->wall || beam->workers > 1 ? sp__now_ms() : sp__thread_ms();
}

sp_status sp__beam_step(sp_beam *beam, double *ms) {
    double start = beam_clock_ms(beam);
    sp_status status = sp_world_step(beam->world, beam->h);
    *ms = beam_clock_ms(beam) - start;
    return status < 0 ? body_say(status, sp_world_error(beam->world), "step") : status;
}

sp_status sp__beam_tip(sp_beam *beam, double *y) {
    double x[3];
    sp_status status = sp_world_anchor_get(beam->world, &beam->tip, x, NULL);
    if (status < 0) return body_say(status, sp_world_error(beam->world), "tip");
    *y = x[1] - beam->tip_start;
    return SP_OK;
}

// ---- times

static int compare_doubles(const void *a, const void *b) {
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

sp_times sp__times_of(double *ms, int count) {
    if (count < 1) return (sp_times){NAN, NAN, NAN, NAN, NAN, 0};
    qsort(ms, (size_t)count, sizeof *ms, compare_doubles);
    sp_times t = {.least = ms[0], .median = 0.5 * (ms[(count - 1) / 2] + ms[count / 2]), .most = ms[count - 1], .count = count};
    for (int i = 0; i < count; i++) t.mean += ms[i] / count;
    t.p99 = ms[(int)ceil(0.99 * count) - 1];
    return t;
}

double sp__bench_clock(bool wall) {
    return wall ? sp__now_ms() : sp__process_ms();
}

sp_status sp__beam_time(sp_beam *beam, int warm_up, int at_least, int at_most, double budget_ms, sp_times *out) {
    double ms[TIMES_MOST], spent = 0;
    int count = 0;
    for (int i = 0; i < warm_up; i++) SP_TRY(sp__beam_step(beam, &ms[0]));
    if (at_most > TIMES_MOST) at_most = TIMES_MOST;
    while (count < at_most && (count < at_least || spent < budget_ms)) {
        SP_TRY(sp__beam_step(beam, &ms[count]));
        spent += ms[count++];
    }
    *out = sp__times_of(ms, count);
    return SP_OK;
}

double sp__slope(const double *x, const double *y, int n) {
    double sx = 0, sy = 0, sxx = 0, sxy = 0;
    for (int i = 0; i < n; i++) sx += x[i], sy += y[i], sxx += x[i] * x[i], sxy += x[i] * y[i];
    return n < 2 ? NAN : (n * sxy - sx * sy) / (n * sxx - sx * sx);
}

// ---- files of --dump

sp_status sp__beam_dump(const sp_beam *beam, const char *folder) {
    char path[512];
    int nodes = sp_mesh_node_count(beam->mesh), tets = sp_mesh_element_count(beam->mesh);
    const double *x = sp_mesh_positions(beam->mesh);
    const int *t = sp_mesh_tets(beam->mesh);
    if (mkdir(folder, 0777) != 0 && errno != EEXIST) {
        fprintf(stderr, "bench: cannot make %s: %s\n", folder, strerror(errno));
        return SP_IO;
    }
    snprintf(path, sizeof path, "%s/beam-%d.msh", folder, tets);
    FILE *f = fopen(path, "w");
    if (!f) {
        fprintf(stderr, "bench: cannot write %s: %s\n", path, strerror(errno));
        return SP_IO;
    }
    fprintf(f, "$MeshFormat\n2.2 0 8\n$EndMeshFormat\n$Nodes\n%d\n", nodes);
    for (int i = 0; i < nodes; i++) fprintf(f, "%d %.17g %.17g %.17g\n", i + 1, x[3 * i], x[3 * i + 1], x[3 * i + 2]);
    fprintf(f, "$EndNodes\n$Elements\n%d\n", tets);
    for (int i = 0; i < tets; i++, t += 4) fprintf(f, "%d 4 2 0 1 %d %d %d %d\n", i + 1, t[0] + 1, t[1] + 1, t[2] + 1, t[3] + 1);
    fprintf(f, "$EndElements\n");
    bool good = !ferror(f);
    if (fclose(f) != 0 || !good) {
        fprintf(stderr, "bench: %s could not be written whole\n", path);
        return SP_IO;
    }
    return SP_OK;
}
