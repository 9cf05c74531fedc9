// Claim: a rod clamped at one end and plucked oscillates at the frequencies of the Euler-Bernoulli cantilever, for every model:
// omega = (beta L)^2 sqrt(E I / (rho S L^4)), beta L = 1.8751 and 4.6941: 3.516 and 22.03. Twisted and released, a rod that has
// inertia about its tangent oscillates at (pi / 2 L) sqrt(mu J / rho I_p).
//
// Published: Rayleigh, "The Theory of Sound" (1894), sections 148 and 173.
//
// Implicit Euler turns a mode exp(i omega t) into one of frequency atan(omega h) / h that decays by 1 / sqrt(1 + omega^2 h^2)
// each step: the frequency is low by (omega h)^2 / 3, second order, and the motion loses omega h / 2 of itself per radian, first
// order. Both are checked, so only the discretisation in space is left.
#include "rod_lab.h"

static const double roots[2] = {1.8751040687119611, 4.6940911329741745};

typedef struct swing {
    double omega, decay;  // per second, from zero crossings and from peaks between them
} swing;

// curvature of a mode at share s, 1 at the root, minus the excess of piecewise linear interpolation between nodes l apart: l^2 /
// 12 of the second derivative. Otherwise a plucked second mode contains a few percent of the first.
static double mode_curvature(int mode, double s, double l) {
    double b = roots[mode], ratio = (cosh(b) + cos(b)) / (sinh(b) + sin(b)), too_much = b * b * l * l / 12;
    double even = cosh(b * s) - ratio * sinh(b * s), odd = cos(b * s) - ratio * sin(b * s);
    return 0.5 * ((1 - too_much) * even + (1 + too_much) * odd);
}

// The measured quantity of an oscillation: a number that is zero at rest.
typedef double reading(rod_lab *b);

static double tip_aside(rod_lab *b) {
    double x[3];
    rod_at(b, 1, x, NULL);
    return x[1];
}

static double tip_turned(rod_lab *b) {
    double R[9];
    rod_frame(b, 1, R);
    return R[7];  // n1 towards z
}

// Steps until `count` zero crossings are seen. The decay is measured by the largest |x| between two crossings.
static swing watch(rod_lab *b, double h, reading *read, int count) {
    double last = read(b), first = NAN, time = NAN, peak = fabs(last), peaks[2] = {0, 0};
    int seen = 0;
    for (int k = 1; k < 100000 && seen < count; k++) {
        if (!rod_step(b, h)) break;
        double now = read(b);
        if ((now > 0) != (last > 0)) {
            time = (k - 1 + last / (last - now)) * h;
            if (seen == 0) first = time;
            if (seen == 1) peaks[0] = peak;
            peaks[1] = peak;
            peak = 0;
            seen++;
        }
        peak = fmax(peak, fabs(now));
        last = now;
    }
    double half_periods = seen - 1;
    if (seen < count) return (swing){NAN, NAN};
    return (swing){half_periods * rod_pi / (time - first), log(peaks[0] / peaks[1]) / (time - first) * half_periods / (seen - 2)};
}

static const int enough[ROD_MODELS] = {8, 24, 40, 24};

// Plucked in a mode with a relative amplitude of 1e-4, with steps of `share` of a period.
static swing pluck(sp_rod_model model, int elements, int mode, double share, double *omega, double *h) {
    rod_lab b;
    rod_begin(&b, model, elements);
    for (int i = 0; i <= elements; i++)
        b.start[3 * i + 2] = 1e-4 * mode_curvature(mode, (double)i / elements, model <= SP_ROD_HELIX ? 1.0 / elements : 0);
    b.strand.start = b.start;
    *omega = roots[mode] * roots[mode];
    *h = share * 2 * rod_pi / *omega;
    swing s = {NAN, NAN};
    if (rod_open(&b)) s = watch(&b, *h, tip_aside, 5);
    rod_close(&b);
    return s;
}

// Tolerance: crossings are found by linear interpolation between steps, which costs the interpolation error of a sine, (omega
// h)^2 / 8 of a step at each end, 1e-5 of the observed time. In space, frequencies of lumped masses and chords are low by about
// (beta l)^2 / 12 to 1/6: beta l is 0.12 for the second mode of 40 edges and 0.2 for 24 elements. Clothoids are of fourth order.
TEST(bending_frequencies) {
    for (int m = 0; m < ROD_MODELS; m++)
        for (int mode = 0; mode < 2; mode++) {
            double omega, h, tolerance = m == SP_ROD_CLOTHOID ? 2e-4 : 5e-3;
            swing s = pluck((sp_rod_model)m, enough[m], mode, 1.0 / 160, &omega, &h);
            double want = atan(omega * h) / h;
            printf("  %s, mode %d: omega %.4f, implicit Euler makes %.4f of %.4f (off by %.2g), decay %.4f of %.4f\n",
                   rod_names[m], mode + 1, s.omega, want, omega, s.omega / want - 1, s.decay,
                   log1p(omega * omega * h * h) / (2 * h));
            CHECK_NEAR(s.omega / want, 1, tolerance);
            // peaks are sampled at steps: at most 1 - cos(omega h / 2) of them is missed, over three half periods
            CHECK_NEAR(s.decay / (log1p(omega * omega * h * h) / (2 * h)), 1, 0.02);
        }
}

// The frequency is of second order in h, the decay of first. Steps of 1/20, 1/40 and 1/80 of a period: differences of successive
// frequencies fall by 4 up to the next power, (omega h)^2 / 2 of 4 or 5% at the largest.
TEST(orders_in_time) {
    for (int m = 0; m < ROD_MODELS; m++) {
        double omega[3], decay[3], exact, h;
        for (int k = 0; k < 3; k++) {
            swing s = pluck((sp_rod_model)m, m == SP_ROD_CLOTHOID ? 3 : 12, 0, 1.0 / (20 << k), &exact, &h);
            omega[k] = s.omega, decay[k] = s.decay;
        }
        double frequency = (omega[1] - omega[0]) / (omega[2] - omega[1]);
        printf("  %s: frequency %.2f, decay %.2f and %.2f a halving\n", rod_names[m], frequency, decay[0] / decay[1],
               decay[1] / decay[2]);
        CHECK_NEAR(frequency, 4, 0.4);
        CHECK_NEAR(decay[1] / decay[2], 2, 0.1);
    }
}

// ------------------------------------------------------------------------------------------------ twist

// rho I_p = rho S a^2 / 2 for a round section. Only models with rotational inertia: clothoids and helices have none about their
// tangent.
// Tolerance: lumped inertia and linear twist of 40 pieces: (pi / 2 / 40)^2 / 24 of the frequency, negligible; crossings as above.
// A clamp at a frame and half a cell is second order, too.
TEST(twist_frequency) {
    for (int m = SP_ROD_DER; m <= SP_ROD_BEAM; m++) {
        const int p = 40;
        const double radius = 0.05;
        rod_lab b;
        rod_begin(&b, (sp_rod_model)m, p);
        b.section = rod_section(1, 2.0 / 3, 1, radius);
        for (int i = 0; i <= p; i++) b.start[3 * i] = 1e-3 * cos(rod_pi / 2 * i / p);
        b.strand.start = b.start;
        double omega = rod_pi / 2 * sqrt(2.0 / 3 / (radius * radius / 2)), h = 2 * rod_pi / omega / 160;
        swing s = {NAN, NAN};
        if (rod_open(&b)) s = watch(&b, h, tip_turned, 5);
        rod_close(&b);
        double want = atan(omega * h) / h;
        printf("  %s: omega %.3f, implicit Euler makes %.3f (off by %.2g)\n", rod_names[m], s.omega, want, s.omega / want - 1);
        CHECK_NEAR(s.omega / want, 1, 1e-3);
    }
}
