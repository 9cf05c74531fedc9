// bench rods: ROD-N, the cantilever of the comparison with other engines, in N segments; and a thousand hairs in one body.
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "core/core.h"
#include "math/vec3.h"
#include "rods.h"

// ---- ROD-N: 1 m, radius 5 mm, 1000 kg/m3, E = 1e7 Pa, gravity, one second of steps of 10 ms, undamped

enum { STEPS = 100, TIP_STEP = 25 };
#define STEP 0.01

typedef struct rod_n {
    sp_rod_model model;
    const char *name;
    int elements[5];  // ended by 0
} rod_n;

static const rod_n rods[] = {{SP_ROD_DER, "der", {20, 50, 100, 200}},
                             {SP_ROD_BEAM, "beam", {20, 50, 100, 200}},
                             {SP_ROD_CLOTHOID, "clothoid", {5, 10, 20}}};

// the cable of MuJoCo, measured on another machine, at steps of 0.5 ms: without damping it is NaN from 2 ms on
typedef struct elsewhere {
    int elements;
    double ms;
} elsewhere;
static const elsewhere mujoco[] = {{20, 0.07}, {50, 0.43}, {100, 3.2}, {200, 31}};

static double mujoco_ms(int elements) {
    for (int i = 0; i < 4; i++)
        if (mujoco[i].elements == elements) return mujoco[i].ms;
    return NAN;
}

typedef struct rod_result {
    double ms, tip, reach;  // reach: largest distance of the tip from the root
    bool stable;
} rod_result;

static sp_status run_rod(sp_rod_model model, int elements, bool newton, double step, int steps, rod_result *out) {
    sp_bench_rod_def def = {.model = model, .elements = elements, .length = 1, .radius = 5e-3, .density = 1000, .young = 1e7};
    sp_bench_rod rod;
    double ms[1000], x[3];
    def.poisson = 0.3, def.gravity = 9.81, def.newton = newton;
    SP_TRY(sp__bench_rod_open(&def, &rod));
    *out = (rod_result){.tip = NAN};
    sp_status status = SP_OK;
    for (int s = 0; s < steps && status >= 0; s++) {
        double start = sp__bench_clock(false);
        status = sp__bench_rod_step(&rod, step);
        ms[s] = sp__bench_clock(false) - start;
        if (status >= 0) status = sp__bench_rod_place(&rod, 1, x);
        out->reach = fmax(out->reach, sp__norm3(x));
        if (fabs((s + 1) * step - TIP_STEP * STEP) < 0.5 * step) out->tip = x[1];
    }
    sp__bench_rod_close(&rod);
    if (status < 0 && status != SP_NOT_FINITE && status != SP_DIVERGED) return status;
    out->ms = sp__times_of(ms + 1, steps - 1).mean;
    // the weight is 5e-4 of the axial stiffness; while swinging the stretch is a few times that
    out->stable = status >= 0 && out->reach < 1.01;
    return SP_OK;
}

// the minimum time of several runs
static sp_status run_rod_often(const rod_n *v, int elements, bool newton, bool quick, rod_result *out) {
    out->ms = INFINITY;
    for (int i = 0; i < (quick ? 1 : 3); i++) {
        rod_result now;
        SP_TRY(run_rod(v->model, elements, newton, STEP, STEPS, &now));
        if (now.ms < out->ms) *out = now;
    }
    return SP_OK;
}

static sp_status report_rod(const rod_n *v, int elements, const sp_bench_options *o, sp_report *r, double *ms) {
    rod_result best = {0}, newton = {.ms = NAN, .tip = NAN}, fine = {.tip = NAN};
    SP_TRY(run_rod_often(v, elements, false, o->quick, &best));
    if (v->model != SP_ROD_CLOTHOID) SP_TRY(run_rod_often(v, elements, true, o->quick, &newton));
    if (!o->quick) SP_TRY(run_rod(v->model, elements, v->model != SP_ROD_CLOTHOID, 5e-4, 500, &fine));
    sp_row *row = sp__report_case(r);
    sp__row_text(row, "model", "model   ", v->name);
    sp__row_number(row, "n", "N", "%.0f", elements);
    sp__row_number(row, "ms_per_step", "ms/step", "%.4f", best.ms);
    sp__row_flag(row, "stable", "stable", best.stable && (isnan(newton.ms) || newton.stable));
    sp__row_number(row, "tip", "tip at 0.25 s", "%.4f", best.tip);
    sp__row_number(row, "newton_ms", "Newton", "%.4f", newton.ms);
    sp__row_number(row, "newton_tip", "tip", "%.4f", newton.tip);
    sp__row_number(row, "tip_fine", "steps of 0.5 ms", "%.4f", fine.tip);
    sp__row_number(row, "mujoco_ms", "MuJoCo, elsewhere", "%.2f", v->model == SP_ROD_CLOTHOID ? NAN : mujoco_ms(elements));
    sp__report_case_done(r);
    *ms = best.ms;
    return SP_OK;
}

static sp_status run_rods(const sp_bench_options *o, sp_report *r) {
    double exponent[3];
    sp__report_array(r, "rod_n");
    for (int i = 0; i < 3; i++) {
        double x[5], y[5];
        int count = 0;
        for (; rods[i].elements[count] && (!o->quick || count < 2); count++) {
            double ms;
            SP_TRY(report_rod(&rods[i], rods[i].elements[count], o, r, &ms));
            x[count] = log(rods[i].elements[count]), y[count] = log(ms);
        }
        exponent[i] = sp__slope(x, y, count);
    }
    sp_row *row = sp__report_object(r, "rod_n_growth");
    for (int i = 0; i < 3; i++) sp__row_number(row, rods[i].name, NULL, "%.2f", exponent[i]);
    sp__row_number(row, "mujoco", "MuJoCo, measured elsewhere", "%.1f", 2.9);
    sp__report_object_done(r);
    return SP_OK;
}

// ---- hair: 15 cm, 80 um thick, E = 3.9e9 Pa, 1300 kg/m3, wavy, four clothoids each, rooted on a half sphere of 9 cm

enum { HAIR_ELEMENTS = 4 };

// evenly distributed points on a sphere by the golden angle
static void hair_root(int strand, sp_pose *out) {
    double up = (strand % 1000 + 0.5) / 1000, around = 2.39996322972865332 * strand, flat = sqrt(1 - up * up);
    double t[3] = {flat * cos(around), up, flat * sin(around)}, x[3] = {1, 0, 0}, axis[3];
    for (int i = 0; i < 3; i++) out->translate[i] = 0.09 * t[i];
    sp__cross3(x, t, axis);
    if (sp__norm3(axis) > 0) sp__quat_axis(axis, atan2(sp__norm3(axis), t[0]), out->quat);
}

typedef struct hair_result {
    double ms, most;
} hair_result;

static sp_status run_hair(int strands, int threads, int steps, hair_result *out) {
    double curvature[3 * (HAIR_ELEMENTS + 1)], ms[200];
    for (int i = 0; i <= HAIR_ELEMENTS; i++)
        curvature[3 * i] = 5, curvature[3 * i + 1] = 25 * cos(2.0 * i), curvature[3 * i + 2] = 25 * sin(2.0 * i);
    sp_bench_rod_def def = {
        .model = SP_ROD_CLOTHOID, .elements = HAIR_ELEMENTS, .strands = strands, .workers = threads, .length = 0.15};
    def.radius = 4e-5, def.density = 1300, def.young = 3.9e9, def.poisson = 0.4, def.gravity = 9.81, def.damping = 1e-3;
    def.curvature = curvature, def.root = hair_root;
    sp_bench_rod rod;
    SP_TRY(sp__bench_rod_open(&def, &rod));
    sp_status status = SP_OK;
    for (int s = 0; s < steps && status >= 0; s++) {
        double start = sp__bench_clock(threads > 1);
        status = sp__bench_rod_step(&rod, 0.011);
        ms[s] = sp__bench_clock(threads > 1) - start;
    }
    sp__bench_rod_close(&rod);
    SP_TRY(status);
    sp_times t = sp__times_of(ms + 1, steps - 1);
    *out = (hair_result){t.mean, t.most};
    return SP_OK;
}

static sp_status run_hairs(const sp_bench_options *o, sp_report *r) {
    int strands = o->quick ? 50 : 1000, steps = o->quick ? 5 : 60;
    sp__report_array(r, "hair");
    for (int threads = 1;; threads = o->threads) {
        hair_result hair;
        SP_TRY(run_hair(strands, threads, steps, &hair));
        sp_row *row = sp__report_case(r);
        sp__row_number(row, "strands", "strands", "%.0f", strands);
        sp__row_number(row, "elements", "elements", "%.0f", HAIR_ELEMENTS);
        sp__row_number(row, "threads", "threads", "%.0f", threads);
        sp__row_number(row, "ms_per_step", "ms/step", "%.2f", hair.ms);
        sp__row_number(row, "max_ms", "longest", "%.2f", hair.most);
        sp__row_number(row, "steps_per_s", "steps/s", "%.1f", 1e3 / hair.ms);
        sp__report_case_done(r);
        if (threads == o->threads) return SP_OK;
    }
}

sp_status sp__rods_many(const sp_bench_options *o, sp_report *r) {
    SP_TRY(run_rods(o, r));
    return run_hairs(o, r);
}
