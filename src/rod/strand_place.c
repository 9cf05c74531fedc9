// Places of a strand that was placed: frames, and how unknowns move them. Polynomials of its segments, no new recurrences.
#include "math/vec3.h"
#include "rod/strand_internal.h"

// ------------------------------------------------------------------------------------------------ segments

static const sp_strand_segment *find_segment(const sp_strand *s, int element, double at) {
    int low = 0, high = s->segment_count - 1;
    while (low < high) {
        int middle = (low + high + 1) / 2;
        const sp_strand_segment *g = &s->segment[middle];
        if (g->element > element || (g->element == element && g->from > at))
            high = middle - 1;
        else
            low = middle;
    }
    return &s->segment[low];
}

const sp_strand_segment *sp__strand_open(const sp_strand *s, int element, double at, double *u) {
    if (element >= s->alive) element = s->alive - 1, at = s->element[element].length;
    if (!(at > 0)) at = 0;
    const sp_strand_segment *g = find_segment(s, element, at);
    *u = (at - g->from) / g->length;
    if (*u > 1) *u = 1;
    return g;
}

// What is known at a place of a segment.
typedef struct sight {
    double R[9], r[3];
    double slope[3][SP_STRAND_COLUMNS];  // velocity along its own controls
    double turn[2][9];                   // and angular velocity
} sight;

// polynomials side by side, an even number
static inline void horner(int width, const double *row, size_t stride, int rows, double u, double *out) {
    sp_pair sum[3 * SP_STRAND_COLUMNS / 2] = {{0, 0}}, w = sp__pair(u);
    for (int n = rows - 1; n >= 0; n--) {
        const sp_pair *x = (const sp_pair *)(row + stride * (size_t)n);
        for (int k = 0; k < width / 2; k++) sum[k] = sum[k] * w + x[k];
    }
    memcpy(out, sum, (size_t)width * sizeof *out);
}

void sp__strand_see(const sp_strand *s, const sp_strand_segment *g, double u, double R[9], double r[3]) {
    double sum[12];
    horner(12, s->pool + g->at, sp__strand_row(s), g->rows, u, sum);
    memcpy(R, sum, 9 * sizeof *R);
    for (int i = 0; i < 3; i++) r[i] = g->begin[i] + sum[9 + i];
}

// turns are integrals of the frame times the weight of a control: termwise
void sp__strand_see_turns(const sp_strand *s, const sp_strand_segment *g, double u, double out[2][9]) {
    sp_pair sum[9] = {{0, 0}}, w = sp__pair(u);
    for (int n = g->rows - 1; n >= 0; n--) {
        const double *R = s->pool + g->at + sp__strand_row(s) * (size_t)n;
        sp_pair both = {1.0 / (n + 1), 1.0 / (n + 2)};
        for (int i = 0; i < 9; i++) sum[i] = sum[i] * w + both * sp__pair(R[i]);
    }
    double p = g->length * u, q = p * u;
    for (int j = 0; j < 2; j++)
        for (int i = 0; i < 9; i++) out[j][i] = g->turn[j][i] + g->weight[j][0] * p * sum[i][0] + g->weight[j][1] * q * sum[i][1];
}

static void see(const sp_strand *s, const sp_strand_segment *g, double u, sight *out) {
    double sum[3 * SP_STRAND_COLUMNS];
    const double *slopes = s->pool + g->at + SP_STRAND_X + SP_STRAND_SLOPE;
    sp__strand_see(s, g, u, out->R, out->r);
    if (s->affine)
        horner(18, slopes, sp__strand_row(s), g->rows, u, sum);
    else
        horner(12, slopes, sp__strand_row(s), g->rows, u, sum);
    for (int i = 0; i < 3; i++) memcpy(out->slope[i], sum + sp__strand_wide(s) * i, (size_t)s->own * sizeof *sum);
    sp__strand_see_turns(s, g, u, out->turn);
}

// ------------------------------------------------------------------------------------------------ places

void sp__strand_frame(const sp_strand *s, int element, double at, sp_curve_frame *out) {
    double u;
    const sp_strand_segment *g = sp__strand_open(s, element, at, &u);
    sp__strand_see(s, g, u, out->R, out->r);
}

int sp__strand_slopes(const sp_strand *s, int element, double at, double *columns) {
    double u, turned[3];
    sight here;
    const sp_strand_segment *g = sp__strand_open(s, element, at, &u);
    int behind = 6 + 3 * g->element;
    see(s, g, u, &here);
    for (int d = 0; d < behind; d++) {
        const double *U = s->rigid + 6 * (size_t)d;
        sp__cross3(U + 3, here.r, turned);
        for (int i = 0; i < 3; i++) columns[6 * d + i] = U[i] + turned[i], columns[6 * d + 3 + i] = U[3 + i];
    }
    for (int c = 0; c < s->own; c++)
        for (int i = 0; i < 3; i++) {
            columns[6 * (behind + c) + i] = here.slope[i][c];
            columns[6 * (behind + c) + 3 + i] = here.turn[c / 3][3 * i + c % 3];
        }
    return behind + s->own;
}

void sp__strand_speed(const sp_strand *s, int element, double at, const double *v, double out[6]) {
    double u, U[6] = {0}, turned[3];
    sight here;
    const sp_strand_segment *g = sp__strand_open(s, element, at, &u);
    int behind = 6 + 3 * g->element;
    see(s, g, u, &here);
    for (int d = 0; d < behind; d++)
        for (int i = 0; i < 6; i++) U[i] += s->rigid[6 * (size_t)d + (size_t)i] * v[d];
    sp__cross3(U + 3, here.r, turned);
    for (int i = 0; i < 3; i++) {
        out[i] = U[i] + turned[i], out[3 + i] = U[3 + i];
        for (int c = 0; c < s->own; c++) {
            out[i] += here.slope[i][c] * v[behind + c];
            out[3 + i] += here.turn[c / 3][3 * i + c % 3] * v[behind + c];
        }
    }
}

void sp__strand_point(const sp_strand *s, int element, double at, double x[3], double *J) {
    double u, turned[3];
    sight here;
    const sp_strand_segment *g = sp__strand_open(s, element, at, &u);
    size_t n = (size_t)s->unknowns, behind = 6 + 3 * (size_t)g->element, own = (size_t)s->own;
    see(s, g, u, &here);
    memcpy(x, here.r, sizeof here.r);
    if (!J) return;
    memset(J, 0, 3 * n * sizeof *J);
    for (size_t d = 0; d < behind; d++) {
        const double *U = s->rigid + 6 * d;
        sp__cross3(U + 3, x, turned);
        for (size_t i = 0; i < 3; i++) J[n * i + d] = U[i] + turned[i];
    }
    for (size_t c = 0; c < own; c++)
        for (size_t i = 0; i < 3; i++) J[n * i + behind + c] = here.slope[i][c];
}
