// The tip of a planar spiral with curvature `rate` times arc length, by quadrature of GSL (QAG of QUADPACK): the integrals of
// cos(rate s^2 / 2) and sin(rate s^2 / 2).
//
//   gsl_spiral LENGTH RATE TOLERANCE REPEATS
//
// Prints one line of JSON: the minimum processor time of both integrals [us] and the tip.
#include <gsl/gsl_errno.h>
#include <gsl/gsl_integration.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

enum { ROOM = 1000 };

static double cosine(double s, void *rate) {
    return cos(0.5 * *(double *)rate * s * s);
}

static double sine(double s, void *rate) {
    return sin(0.5 * *(double *)rate * s * s);
}

static double clock_us(void) {
    struct timespec t;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
    return 1e6 * (double)t.tv_sec + 1e-3 * (double)t.tv_nsec;
}

int main(int argc, char **argv) {
    if (argc != 5) {
        fprintf(stderr, "usage: gsl_spiral LENGTH RATE TOLERANCE REPEATS\n");
        return 2;
    }
    double length = atof(argv[1]), rate = atof(argv[2]), tolerance = atof(argv[3]), tip[2] = {0}, bound, best = INFINITY;
    gsl_function f[2] = {{cosine, &rate}, {sine, &rate}};
    gsl_integration_workspace *workspace = gsl_integration_workspace_alloc(ROOM);
    if (!workspace) return 1;
    gsl_set_error_handler_off();  // at rounding level GSL reports an error, but the result is as accurate as possible
    for (int i = 0; i < atoi(argv[4]); i++) {
        double begin = clock_us();
        for (int k = 0; k < 2; k++)
            gsl_integration_qag(&f[k], 0, length, tolerance, 0, ROOM, GSL_INTEG_GAUSS21, workspace, &tip[k], &bound);
        best = fmin(best, clock_us() - begin);
    }
    gsl_integration_workspace_free(workspace);
    printf("{\"us\": %.6g, \"tip\": [%.17g, %.17g]}\n", best, tip[0], tip[1]);
    return 0;
}
