// Section `scenes` of bench volume: whole steps of scenes/volume with contact by volumes, as in Tables 4.1 and 4.2 of
// Courtecuisse (2011), and two rigid armadillos of 349,000 triangles each. Means over the steps that have contacts, wall clock:
//
//   detection_ms    searches, those of further passes included; of contacts at a distance: find_contacts
//   formulation_ms  rows, Delassus operator and correction of the motion, and further passes with their solves
//   deformation_ms  free motion
//   solve_ms        the first solve of the contacts
//   steps_per_s     of the whole step
#include <math.h>

#include "contact/constraints.h"
#include "souple/io.h"
#include "volume_scenes.h"
#include "world/world_internal.h"

#ifndef SP_SOURCE_DIR
#define SP_SOURCE_DIR "."
#endif

typedef struct scene_case {
    const char *name, *file;
    int steps;
    const char *sets[3];
    bool slow;  // not with --quick
} scene_case;

#define DISTANCES "volumes.enabled=no", "distances.enabled=yes"

static const scene_case cases[] = {
    {"tori-10", "tori", 100, {NULL}, false},
    {"tori-10-penalty", "tori", 100, {"formulation=volume-penalty", "cell=8"}, false},
    {"tori-20", "tori", 100, {"count=20"}, true},
    {"snake-1", "snake", 100, {"cell=0"}, false},
    {"snake-6", "snake", 100, {"cell=60"}, false},
    {"snake-18", "snake", 100, {"cell=16"}, false},
    {"snake-41", "snake", 100, {"cell=9"}, false},
    {"snake-proximity", "snake", 100, {DISTANCES}, false},
    {"grasp", "grasp", 120, {NULL}, false},
    {"grasp-proximity", "grasp", 120, {DISTANCES}, false},
    {"octopus", "octopus", 80, {NULL}, false},
    {"organs", "organs", 90, {NULL}, false},
    {"toys-10", "toys", 100, {NULL}, false},
    {"toys-20", "toys", 100, {"copies=4"}, true},
    {"toys-40", "toys", 100, {"copies=8"}, true},
    {"armadillos-soft", "armadillos", 40, {"subdivide=3"}, true},
};

typedef struct step_sums {
    int steps, contacts_most;
    double contacts, rows, detection, formulation, deformation, solve, total;
} step_sums;

static void sums_add(step_sums *s, const sp_world *w) {
    sp_step_info info;
    const sp_constraints_info *c = sp__constraints_info(w->constraints);
    sp_world_step_info(w, &info);
    if (c->contacts == 0) return;
    const double *ms = info.stage_ms, find = ms[SP_STAGE_FIND_CONTACTS];
    const double detection = c->detection_ms > 0 ? c->detection_ms : find;
    s->steps++, s->contacts += c->contacts, s->rows += c->rows;
    if (c->contacts > s->contacts_most) s->contacts_most = c->contacts;
    s->detection += detection, s->deformation += ms[SP_STAGE_FREE_MOTION], s->solve += ms[SP_STAGE_SOLVE_CONTACTS];
    s->formulation += find + ms[SP_STAGE_BUILD_DELASSUS] + ms[SP_STAGE_CORRECT_MOTION] + ms[SP_STAGE_STABILISE] - detection;
    s->total += info.step_ms;
}

static void sums_report(const sp_bench_options *o, sp_report *r, const char *name, const step_sums *s) {
    const double n = s->steps ? s->steps : NAN;
    sp_row *row = sp__report_case(r);
    sp__row_text(row, "name", "scene", name);
    sp__row_number(row, "threads", "threads", "%.0f", o->threads);
    sp__row_number(row, "contacts", "contacts", "%.0f", s->contacts / n);
    sp__row_number(row, "contacts_max", "most", "%.0f", s->contacts_most);
    sp__row_number(row, "rows", "rows", "%.0f", s->rows / n);
    sp__row_number(row, "detection_ms", "detection ms", "%.2f", s->detection / n);
    sp__row_number(row, "formulation_ms", "formulation ms", "%.2f", s->formulation / n);
    sp__row_number(row, "deformation_ms", "deformation ms", "%.2f", s->deformation / n);
    sp__row_number(row, "solve_ms", "solve ms", "%.2f", s->solve / n);
    sp__row_number(row, "steps_per_s", "steps/s", "%.1f", 1000 * n / s->total);
    sp__report_case_done(r);
}

// ---------------------------------------------------------------------------------------------------- scenes

static sp_status scene_case_run(const sp_bench_options *o, sp_report *r, const scene_case *k, sp_scene *scene) {
    sp_run *run = NULL;
    step_sums sums = {0};
    sp_status status = sp_run_create(scene, NULL, &run);
    for (int i = 0; status >= 0 && i < (o->quick ? k->steps / 2 : k->steps); i++) {
        status = sp_run_step(run);
        if (status >= 0) sums_add(&sums, sp_run_world(run));
    }
    if (status >= 0) sums_report(o, r, k->name, &sums);
    sp_run_destroy(&run);
    return status;
}

static sp_status scene_case_open(const sp_bench_options *o, sp_report *r, const scene_case *k) {
    sp_scene_options options = sp_scene_options_default();
    sp_context_def def = sp_context_def_default();
    sp_context *ctx = NULL;
    sp_scene *scene = NULL;
    char path[600];
    snprintf(path, sizeof path, "%s/scenes/volume/%s.xml", SP_SOURCE_DIR, k->file);
    options.sets = k->sets;
    while (k->sets[options.set_count]) options.set_count++;
    def.workers = o->threads;
    SP_TRY(sp_context_create(&def, &ctx));
    sp_status status = sp_scene_load(ctx, path, &options, &scene);
    if (status >= 0) status = scene_case_run(o, r, k, scene);
    if (!scene) sp__report_note(r, "%s is omitted: no scene %s", k->name, path), status = SP_OK;
    sp_scene_destroy(&scene);
    sp_context_destroy(&ctx);
    return status;
}

// ---------------------------------------------------------------------------------------------------- rigid armadillos

// About 349,000 triangles of a body that is 0.25 m tall.
static sp_status armadillo_surface(sp_context *ctx, bool quick, sp_trimesh **out) {
    sp_mesh *mesh = NULL;
    sp_trimesh *coarse = NULL;
    SP_TRY(sp_mesh_organ(ctx, "armadillo", 0.25, 25000, &mesh));
    sp_status status = sp_mesh_boundary(mesh, &coarse);
    if (status >= 0) status = sp_trimesh_subdivided(coarse, quick ? 1 : 3, true, 40, out);
    sp_trimesh_destroy(&coarse), sp_mesh_destroy(&mesh);
    return status;
}

// They fly into each other with 0.5 m/s.
static sp_status armadillos_add(sp_world *w, const sp_trimesh *surface, bool field) {
    for (int i = 0; i < 2; i++) {
        const double side = i ? 1 : -1;
        const sp_pose pose = {{0.12 * side, 0.005 * side, 0.01 * side}, {1, 0, 0, 0}};
        sp_rigid_def def = sp_rigid_def_default();
        sp_body_id id;
        def.name = i ? "right" : "left", def.meshes = &surface, def.mesh_count = 1, def.free = true;
        def.pose = sp_pose_signal_constant(pose), def.velocity[0] = -0.5 * side;
        SP_TRY(sp_world_add_rigid(w, &def, &id));
        sp_surface_contact_def touch = sp_surface_contact_def_default();
        touch.field = 0.25 / 128;
        if (field) SP_TRY(sp_world_set_surface_contact(w, id, 0, &touch));
    }
    sp_contact_def contact = sp_contact_def_default();
    contact.formulation = field ? SP_CONTACT_PROXIMITY : SP_CONTACT_VOLUME;
    contact.friction = 0.3, contact.pixel = 0.0025, contact.cell = 16;
    return sp_world_set_contact(w, &contact);
}

static sp_status armadillos_case(const sp_bench_options *o, sp_report *r, sp_context *ctx, const sp_trimesh *surface,
                                 bool field) {
    sp_world_def def = sp_world_def_default();
    sp_world *w = NULL;
    step_sums sums = {0};
    def.gravity[1] = (sp_signal){0};
    SP_TRY(sp_world_create(ctx, &def, &w));
    sp_status status = armadillos_add(w, surface, field);
    for (int i = 0; i < 40 && status >= 0; i++) {
        status = sp_world_step(w, 0.01);
        if (status >= 0) sums_add(&sums, w);
    }
    if (status >= 0) sums_report(o, r, field ? "armadillos-rigid-field" : "armadillos-rigid", &sums);
    sp_world_destroy(&w);
    return status;
}

static sp_status armadillos_cases(const sp_bench_options *o, sp_report *r) {
    sp_context_def def = sp_context_def_default();
    sp_context *ctx = NULL;
    sp_trimesh *surface = NULL;
    def.workers = o->threads;
    SP_TRY(sp_context_create(&def, &ctx));
    sp_status status = armadillo_surface(ctx, o->quick, &surface);
    if (status >= 0) status = armadillos_case(o, r, ctx, surface, true);
    if (status >= 0) status = armadillos_case(o, r, ctx, surface, false);
    if (status < 0) fprintf(stderr, "bench: %s\n", sp_context_error(ctx)->message);
    sp_trimesh_destroy(&surface);
    sp_context_destroy(&ctx);
    return status;
}

sp_status sp__volume_scenes(const sp_bench_options *o, sp_report *r) {
    sp__report_array(r, "scenes");
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        if (!o->quick || !cases[i].slow) SP_TRY(scene_case_open(o, r, &cases[i]));
    return armadillos_cases(o, r);
}
