// A curve from its curvature by SUNDIALS: the variable-order Adams method of CVODE (the non-stiff half of the LSODA family) or
// the explicit Runge-Kutta pair of order 8 of ARKODE, both adaptive, on a quaternion and a point.
//
//   sundials_curve adams|erk LENGTH L0 L1 L2 M0 M1 M2 TOLERANCE REPEATS
//
// kappa = L + s M. Prints one line of JSON: the minimum processor time of a run with 50 output points [us], its steps and
// evaluations, and from another run the positions at 100 points from the start to the end.
#include <arkode/arkode_erkstep.h>
#include <cvode/cvode.h>
#include <math.h>
#include <nvector/nvector_serial.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sunnonlinsol/sunnonlinsol_fixedpoint.h>
#include <time.h>

enum { PLACES = 100, TIMED_PLACES = 50 };

typedef struct problem {
    bool adams;
    double length, lambda[6], tolerance;
    SUNContext context;
    N_Vector y;
    SUNNonlinearSolver fixed;
    void *solver;
    long steps, evaluations;
} problem;

static int sundials_curve_slope(realtype s, N_Vector y, N_Vector d, void *user) {
    const double *l = ((const problem *)user)->lambda, *q = NV_DATA_S(y);
    double x = 0.5 * (l[0] + s * l[3]), v = 0.5 * (l[1] + s * l[4]), z = 0.5 * (l[2] + s * l[5]), *o = NV_DATA_S(d);
    o[0] = -q[1] * x - q[2] * v - q[3] * z;
    o[1] = q[0] * x + q[2] * z - q[3] * v;
    o[2] = q[0] * v - q[1] * z + q[3] * x;
    o[3] = q[0] * z + q[1] * v - q[2] * x;
    o[4] = 1 - 2 * (q[2] * q[2] + q[3] * q[3]);
    o[5] = 2 * (q[1] * q[2] + q[0] * q[3]);
    o[6] = 2 * (q[1] * q[3] - q[0] * q[2]);
    return 0;
}

static void sundials_curve_start(N_Vector y) {
    N_VConst(0, y);
    NV_Ith_S(y, 0) = 1;
}

static void be_quiet(int code, const char *module, const char *function, char *message, void *user) {
    (void)code, (void)module, (void)function, (void)message, (void)user;
}

static bool open_adams(problem *p) {
    p->solver = CVodeCreate(CV_ADAMS, p->context);
    p->fixed = SUNNonlinSol_FixedPoint(p->y, 0, p->context);
    return p->solver && p->fixed && CVodeInit(p->solver, sundials_curve_slope, 0, p->y) == 0 &&
           CVodeSStolerances(p->solver, p->tolerance, p->tolerance) == 0 && CVodeSetUserData(p->solver, p) == 0 &&
           CVodeSetNonlinearSolver(p->solver, p->fixed) == 0 && CVodeSetMaxNumSteps(p->solver, 1000000) == 0 &&
           CVodeSetErrHandlerFn(p->solver, be_quiet, NULL) == 0;
}

static bool open_erk(problem *p) {
    p->solver = ERKStepCreate(sundials_curve_slope, 0, p->y, p->context);
    return p->solver && ERKStepSetOrder(p->solver, 8) == 0 && ERKStepSStolerances(p->solver, p->tolerance, p->tolerance) == 0 &&
           ERKStepSetUserData(p->solver, p) == 0 && ERKStepSetMaxNumSteps(p->solver, 1000000) == 0 &&
           ERKStepSetErrHandlerFn(p->solver, be_quiet, NULL) == 0;
}

// Adams interpolates between its steps without loss of accuracy; the interpolant of the Runge-Kutta pair has a lower order, so it
// steps exactly to the output points
static bool advance(problem *p, double s) {
    double reached;
    if (p->adams) return CVode(p->solver, s, p->y, &reached, CV_NORMAL) >= 0;
    return ERKStepSetStopTime(p->solver, s) == 0 && ERKStepEvolve(p->solver, s, p->y, &reached, ARK_NORMAL) >= 0;
}

static bool run(problem *p, int places, double *out) {
    sundials_curve_start(p->y);
    if ((p->adams ? CVodeReInit(p->solver, 0, p->y) : ERKStepReInit(p->solver, sundials_curve_slope, 0, p->y)) != 0) return false;
    for (int i = 0; i < places; i++) {
        if (i > 0 && !advance(p, p->length * i / (places - 1))) return false;
        if (out) memcpy(out + 3 * i, NV_DATA_S(p->y) + 4, 3 * sizeof *out);
    }
    if (p->adams)
        CVodeGetNumSteps(p->solver, &p->steps), CVodeGetNumRhsEvals(p->solver, &p->evaluations);
    else
        ERKStepGetNumSteps(p->solver, &p->steps), ERKStepGetNumRhsEvals(p->solver, &p->evaluations);
    return true;
}

static double clock_us(void) {
    struct timespec t;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
    return 1e6 * (double)t.tv_sec + 1e-3 * (double)t.tv_nsec;
}

static bool sundials_curve_measure(problem *p, int repeats, double *us, double *places) {
    *us = INFINITY;
    if (!run(p, PLACES, places)) return false;
    for (int i = 0; i < repeats; i++) {
        double begin = clock_us();
        if (!run(p, TIMED_PLACES, NULL)) return false;
        *us = fmin(*us, clock_us() - begin);
    }
    return true;
}

static void print(const problem *p, double us, const double *places) {
    printf("{\"method\": \"%s\", \"us\": %.6g, \"steps\": %ld, \"evaluations\": %ld, \"places\": [", p->adams ? "adams" : "erk",
           us, p->steps, p->evaluations);
    for (int i = 0; i < 3 * PLACES; i++) printf("%s%.17g", i ? ", " : "", places[i]);
    printf("]}\n");
}

int main(int argc, char **argv) {
    problem p = {0};
    double us, places[3 * PLACES];
    if (argc != 11) {
        fprintf(stderr, "usage: sundials_curve adams|erk LENGTH L0 L1 L2 M0 M1 M2 TOLERANCE REPEATS\n");
        return 2;
    }
    p.adams = strcmp(argv[1], "adams") == 0;
    p.length = atof(argv[2]);
    for (int i = 0; i < 6; i++) p.lambda[i] = atof(argv[3 + i]);
    p.tolerance = atof(argv[9]);
    if (SUNContext_Create(NULL, &p.context) != 0) return 1;
    p.y = N_VNew_Serial(7, p.context);
    if (!p.y) return 1;
    sundials_curve_start(p.y);
    bool good = (p.adams ? open_adams(&p) : open_erk(&p)) && sundials_curve_measure(&p, atoi(argv[10]), &us, places);
    if (good) print(&p, us, places);
    if (p.adams)
        CVodeFree(&p.solver);
    else
        ERKStepFree(&p.solver);
    if (p.fixed) SUNNonlinSolFree(p.fixed);
    N_VDestroy(p.y);
    SUNContext_Free(&p.context);
    return good ? 0 : 1;
}
