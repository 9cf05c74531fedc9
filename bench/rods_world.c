// Rods of the bench, created with the public API.
#include <stdio.h>
#include <string.h>

#include "core/core.h"
#include "rods.h"

static sp_status rods_world_say(sp_status status, const sp_error *error, const char *what) {
    fprintf(stderr, "bench: %s: %s (%s)\n", what, error->message[0] ? error->message : sp_status_text(status),
            sp_status_name(status));
    return status;
}

static sp_status add_rod(const sp_bench_rod_def *def, sp_bench_rod *rod) {
    int count = def->strands > 1 ? def->strands : 1;
    sp_rod_strand *strands;
    if (!SP_NEW(rod->context, strands, count)) return rods_world_say(SP_NO_MEMORY, sp_context_error(rod->context), "strands");
    for (int i = 0; i < count; i++) {
        strands[i] = (sp_rod_strand){.length = def->length, .elements = def->elements, .root = sp_pose_identity()};
        strands[i].curvature = def->curvature;
        if (def->root) def->root(i, &strands[i].root);
    }
    sp_rod_section section = sp_rod_section_default();
    section.axes[0] = section.axes[1] = def->radius;
    section.density = def->density;
    section.young = def->young;
    section.poisson = def->poisson;
    sp_rod_def body = sp_rod_def_default();
    body.name = "rod";
    body.model = def->model;
    body.strands = strands;
    body.strand_count = count;
    body.sections = &section;
    body.section_count = 1;
    body.edge_clamp = def->edge_clamp;
    body.rayleigh_stiffness = def->damping;
    if (def->newton) {
        body.integrator.type = SP_NEWTON;
        body.integrator.tolerance = 1e-6;  // 1e-8 does not change the fourth digit of the tip
    }
    if (def->statics) {
        body.integrator.type = SP_STATIC;
        body.integrator.iterations = 200;
        body.integrator.tolerance = 1e-10;
        body.integrator.load_steps = 20;
    }
    sp_status status = sp_world_add_rod(rod->world, &body, &rod->body);
    sp__free(rod->context, strands);
    return status < 0 ? rods_world_say(status, sp_world_error(rod->world), "rod") : SP_OK;
}

static sp_status open_parts(const sp_bench_rod_def *def, sp_bench_rod *rod) {
    sp_context_def context = sp_context_def_default();
    sp_world_def world = sp_world_def_default();
    context.workers = def->workers > 1 ? def->workers : 1;
    sp_status status = sp_context_create(&context, &rod->context);
    if (status < 0) {
        fprintf(stderr, "bench: context: %s\n", sp_status_text(status));
        return status;
    }
    world.gravity[1] = sp_signal_constant(-def->gravity);
    world.snapshots = false;
    status = sp_world_create(rod->context, &world, &rod->world);
    if (status < 0) return rods_world_say(status, sp_context_error(rod->context), "world");
    rod->elements = def->elements;
    return add_rod(def, rod);
}

sp_status sp__bench_rod_open(const sp_bench_rod_def *def, sp_bench_rod *rod) {
    *rod = (sp_bench_rod){0};
    sp_status status = open_parts(def, rod);
    if (status < 0) sp__bench_rod_close(rod);
    return status;
}

void sp__bench_rod_close(sp_bench_rod *rod) {
    if (rod->world) sp_world_destroy(&rod->world);
    if (rod->context) sp_context_destroy(&rod->context);
}

sp_status sp__bench_rod_step(sp_bench_rod *rod, double h) {
    sp_status status = sp_world_step(rod->world, h);
    return status < 0 ? rods_world_say(status, sp_world_error(rod->world), "step") : status;
}

sp_status sp__bench_rod_place(sp_bench_rod *rod, double u, double x[3]) {
    double at = u * rod->elements;
    int element = at < rod->elements ? (int)at : rod->elements - 1;
    sp_anchor anchor;
    sp_status status = sp_world_anchor_node(rod->world, rod->body, 0, &anchor);
    anchor.elem = (uint32_t)element;
    anchor.at[0] = at - element;
    if (status >= 0) status = sp_world_anchor_get(rod->world, &anchor, x, NULL);
    return status < 0 ? rods_world_say(status, sp_world_error(rod->world), "place") : SP_OK;
}

int sp__bench_rod_dofs(sp_rod_model model, int elements) {
    switch (model) {
    case SP_ROD_CLOTHOID: return 3 * (elements + 1);
    case SP_ROD_HELIX: return 3 * elements;
    case SP_ROD_DER: return 4 * elements + 3;
    default: return 6 * (elements + 1);
    }
}
