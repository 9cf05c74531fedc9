// A first guess of a curve through points: a parabola through the neighbours of each station gives a direction and a curvature
// vector; frames carried along the directions turn these into curvatures of a rod.
#include <math.h>

#include "math/vec3.h"
#include "rod/rod_fit.h"

enum { NEIGHBOURS = 5 };  // at least, where there are as many

// A parabola sees no more than about this much of the polyline bent away from straight (1: straight).
#define STRAIGHT 0.9
// A bend of less than this over the whole length has no direction worth following [rad].
#define FAINT 0.5

// ---- what the points show

static double straightness(const sp_fit *f, int a, int b) {
    double d[3];
    sp__sub3(f->p + 3 * b, f->p + 3 * a, d);
    return sp__norm3(d) / (f->chord[b] - f->chord[a]);
}

// points [a, b] within w of s, at least as many as a parabola wants
static void neighbours(const sp_fit *f, double s, double w, int *a, int *b) {
    int low = 0, high = f->points - 1, least = f->points < NEIGHBOURS ? f->points : NEIGHBOURS;
    while (low < high) {
        int middle = low + (high - low) / 2;
        if (f->chord[middle] < s - w)
            low = middle + 1;
        else
            high = middle;
    }
    *a = low;
    while (high + 1 < f->points && f->chord[high + 1] <= s + w) high++;
    *b = high;
    while (*b - *a + 1 < least) {
        bool back = *a > 0 && (*b == f->points - 1 || s - f->chord[*a - 1] < f->chord[*b + 1] - s);
        if (back)
            --*a;
        else
            ++*b;
    }
}

// least squares of p = c0 + c1 x + c2 x^2, x = (chord - s) / w, over points [a, b]; false: they do not determine it
static bool parabola(const sp_fit *f, double s, double w, int a, int b, double c[3][3]) {
    double N[9] = {0}, inverse[9], right[3][3] = {{0}};
    for (int i = a; i <= b; i++) {
        double x = (f->chord[i] - s) / w, power[3] = {1, x, x * x};
        for (int j = 0; j < 3; j++)
            for (int k = 0; k < 3; k++) {
                N[3 * j + k] += power[j] * power[k];
                right[j][k] += power[j] * f->p[3 * i + k];
            }
    }
    if (b - a < 2 || !(fabs(sp__inverse3(N, inverse)) > 1e-12 * N[0] * N[0] * N[0])) return false;
    for (int j = 0; j < 3; j++)
        for (int k = 0; k < 3; k++)
            c[j][k] = inverse[3 * j] * right[0][k] + inverse[3 * j + 1] * right[1][k] + inverse[3 * j + 2] * right[2][k];
    return true;
}

static void look_at(sp_fit *f, int station) {
    double s = (double)station / (f->stations - 1), w = 0.5 / f->elements, c[3][3];
    double *t = f->tangent + 3 * station, *bend = f->bend + 3 * station;
    int a, b;
    neighbours(f, s, w, &a, &b);
    while (b - a + 1 > NEIGHBOURS && straightness(f, a, b) < STRAIGHT) neighbours(f, s, w *= 0.5, &a, &b);
    double wide = fmax(f->chord[b] - s, s - f->chord[a]);
    bool curved = parabola(f, s, wide, a, b, c) && sp__norm3(c[1]) > 0;
    if (!curved) {
        sp__sub3(f->p + 3 * b, f->p + 3 * a, c[1]);
        for (int i = 0; i < 3; i++) c[2][i] = 0;
    }
    double length = sp__norm3(c[1]);
    if (!(length > 0)) c[1][0] = length = 1;  // there and back again: any direction is as good
    for (int i = 0; i < 3; i++) t[i] = c[1][i] / length, c[2][i] *= 2 / (length * length);
    sp__cross3(t, c[2], bend);  // t x t'
}

// ---- curvatures

// How fast the bend turns about the tangent around a station: the mean of the torsion with the squared curvature as its weight,
// which stays quiet where a curve is straight or passes from one side to the other.
static double winding(const sp_fit *f, int station) {
    int a = station - f->per, b = station + f->per;
    double turned = 0, kept = 0;
    a = a < 0 ? 0 : a, b = b > f->stations - 1 ? f->stations - 1 : b;
    for (int i = a; i < b; i++) {
        const double *t = f->tangent + 3 * i, *from = f->bend + 3 * i, *to = from + 3;
        double across[3];
        sp__cross3(from, to, across);
        turned += sp__dot3(t, across);
        kept += sp__dot3(from, to);
    }
    if (hypot(turned, kept) < FAINT * FAINT * (b - a)) return 0;
    return atan2(turned, kept) * (f->stations - 1);
}

void sp__fit_look(sp_fit *f) {
    double bend = 0, twist = 0;
    for (int i = 0; i < f->stations; i++) look_at(f, i);
    for (int i = 0; i < f->stations; i++) {
        bend = fmax(bend, sp__norm3(f->bend + 3 * i));
        twist = fmax(twist, fabs(winding(f, i)));
    }
    f->bound = 4 * (bend + twist) + 30;  // several times over, and five turns more
}

// n made orthogonal to t, of length 1; any such where it is along t
static void square_to(const double *t, double *n) {
    sp__axpy3(n, -sp__dot3(n, t), t, n);
    double length = sp__norm3(n);
    if (length < 1e-6) {
        int least = fabs(t[0]) < fabs(t[1]) ? (fabs(t[0]) < fabs(t[2]) ? 0 : 2) : fabs(t[1]) < fabs(t[2]) ? 1 : 2;
        for (int i = 0; i < 3; i++) n[i] = (i == least) - t[least] * t[i];
        length = sp__norm3(n);
    }
    for (int i = 0; i < 3; i++) n[i] /= length;
}

// n carried from one direction to the next without turning about them
static void carry(const double *from, const double *to, double *n) {
    double axis[3], turned[3], c = sp__dot3(from, to);
    sp__cross3(from, to, axis);
    if (c > -0.99) {
        sp__cross3(axis, n, turned);
        double along = sp__dot3(axis, n) / (1 + c);
        for (int i = 0; i < 3; i++) n[i] = c * n[i] + turned[i] + along * axis[i];
    }
    square_to(to, n);
}

static void turn_about(const double *t, double angle, double *n) {
    double side[3];
    sp__cross3(t, n, side);
    for (int i = 0; i < 3; i++) n[i] = cos(angle) * n[i] + sin(angle) * side[i];
    square_to(t, n);
}

void sp__fit_guess(sp_fit *f, int from, const double R[9], bool twisted) {
    double n1[3] = {R[1], R[4], R[7]}, n2[3], share = f->affine ? 1 : 1.0 / f->per, ds = 1.0 / (f->stations - 1);
    int begin = from * f->per;
    square_to(f->tangent + 3 * begin, n1);
    for (int i = f->affine && from > 0 ? from + 1 : from; i < f->controls; i++)
        for (int c = 0; c < 3; c++) f->now.k[3 * i + c] = 0;
    for (int j = begin; j < f->stations; j++) {
        const double *t = f->tangent + 3 * j, *bend = f->bend + 3 * j;
        int control = j / f->per;
        // of a clothoid the stations at nodes count, of a helix the mean of an element's own
        bool counts = f->affine ? j % f->per == 0 && (control > from || from == 0) : control < f->controls;
        double twist = twisted ? winding(f, j) : 0, *k = f->now.k + 3 * control;
        sp__cross3(t, n1, n2);
        if (counts) k[0] += share * twist, k[1] += share * sp__dot3(bend, n1), k[2] += share * sp__dot3(bend, n2);
        if (j + 1 == f->stations) break;
        carry(t, t + 3, n1);
        turn_about(t + 3, twist * ds, n1);
    }
}
