// Element size and quality: volumes, dihedral angles, radius ratios, edge lengths.
#include "math/vec3.h"
#include "mesh/examine.h"

static const double DEGREES = 57.295779513082320877;

typedef struct shape {
    double ratio, aspect, angle[6];
    int angles;
} shape;

static void keep_edge(sp_mesh_stats *s, double length, int64_t *count) {
    s->edge_min = fmin(s->edge_min, length);
    s->edge_max = fmax(s->edge_max, length);
    s->edge_mean += length;
    ++*count;
}

// edge i joins nodes ends[i][0] and ends[i][1]; across[i] are the other two nodes
static const int ends[6][2] = {{0, 1}, {0, 2}, {0, 3}, {1, 2}, {1, 3}, {2, 3}};
static const int across[6][2] = {{2, 3}, {1, 3}, {1, 2}, {0, 3}, {0, 2}, {0, 1}};

// The dihedral angle at edge e between the faces to k and l is atan2(|e| |det|, n1.n2) with n1 = e x k, n2 = e x l, since n1 x n2
// = det e. Inradius r = 3 V / area; circumradius R = | |a|^2 b x c + |b|^2 c x a + |c|^2 a x b | / (2 det) with edges a, b, c
// from one node.
static double judge_tet(const double *const x[4], double length[6], shape *s) {
    double edge[6][3], n[3], to[2][3], normal[2][3], area = 0, radius[3] = {0}, longest = 0;
    for (int i = 0; i < 6; i++) {
        sp__sub3(x[ends[i][1]], x[ends[i][0]], edge[i]);
        length[i] = sp__norm3(edge[i]);
        longest = fmax(longest, length[i]);
    }
    double m[9];
    memcpy(m, edge, sizeof m);  // the first three edges start at node 0
    double det = sp__det3(m), size = fabs(det);
    for (int i = 0; i < 6; i++) {
        for (int k = 0; k < 2; k++) {
            sp__sub3(x[across[i][k]], x[ends[i][0]], to[k]);
            sp__cross3(edge[i], to[k], normal[k]);
            area += sp__norm3(normal[k]) / 6;  // each face is visited at three edges, and its normal has twice its area
        }
        s->angle[i] = DEGREES * atan2(length[i] * size, sp__dot3(normal[0], normal[1]));
    }
    s->angles = 6;
    for (int k = 0; k < 3; k++) {
        sp__cross3(edge[(k + 1) % 3], edge[(k + 2) % 3], n);
        sp__axpy3(radius, length[k] * length[k], n, radius);
    }
    double r = size / (2 * area), R = sp__norm3(radius) / (2 * size);
    s->ratio = size > 0 ? 3 * r / R : 0;
    s->aspect = size > 0 ? longest / (2 * sqrt(6) * r) : INFINITY;
    return size / 6;
}

// r = 2 area / perimeter, R = abc / (4 area)
static double judge_triangle(const double *const x[3], double length[3], shape *s) {
    double edge[3][3], n[3], longest = 0;
    for (int i = 0; i < 3; i++) {
        sp__sub3(x[(i + 1) % 3], x[i], edge[i]);
        length[i] = sp__norm3(edge[i]);
        longest = fmax(longest, length[i]);
    }
    sp__cross3(edge[0], edge[1], n);
    double area = 0.5 * sp__norm3(n), around = length[0] + length[1] + length[2];
    for (int i = 0; i < 3; i++) s->angle[i] = DEGREES * atan2(2 * area, -sp__dot3(edge[i], edge[(i + 2) % 3]));
    s->angles = 3;
    s->ratio = area > 0 ? 16 * area * area / (around * length[0] * length[1] * length[2]) : 0;
    s->aspect = area > 0 ? longest * around / (4 * sqrt(3) * area) : INFINITY;
    return area;
}

static void keep_shape(sp_mesh_stats *s, const shape *now, int64_t number) {
    for (int i = 0; i < now->angles; i++) {
        int bin = (int)((now->angle[i] + 1e-9) / 10);  // 90 degrees go to the bin of 90 despite rounding
        s->angles[bin < 0 ? 0 : bin > 17 ? 17 : bin]++;
        s->angle_min = fmin(s->angle_min, now->angle[i]);
        s->angle_max = fmax(s->angle_max, now->angle[i]);
    }
    int bin = (int)(now->ratio * 10 + 1e-9);
    s->ratios[bin < 0 ? 0 : bin > 9 ? 9 : bin]++;
    s->ratio_mean += now->ratio;
    s->aspect_max = fmax(s->aspect_max, now->aspect);
    if (now->ratio < s->ratio_min) s->ratio_min = now->ratio, s->worst = number;
}

static void keep_bounds(const sp_examination *e, sp_mesh_stats *s) {
    for (int k = 0; k < 3; k++) s->low[k] = INFINITY, s->high[k] = -INFINITY;
    for (size_t i = 0; i < (size_t)e->node_count; i++) {
        const double *x = e->x + 3 * i;
        for (int k = 0; k < 3 && isfinite(x[0]) && isfinite(x[1]) && isfinite(x[2]); k++)
            s->low[k] = fmin(s->low[k], x[k]), s->high[k] = fmax(s->high[k], x[k]);
    }
    for (int k = 0; k < 3 && !(s->low[0] <= s->high[0]); k++) s->low[k] = s->high[k] = NAN;
}

void sp__examine_quality(sp_examination *e) {
    sp_mesh_stats *s = &e->report->stats;
    int64_t elements = 0, edges = 0;
    *s = (sp_mesh_stats){.node_count = e->node_count,
                         .element_count = e->element_count,
                         .tetrahedra = e->corners == 4,
                         .tolerance = e->tolerance,
                         .angle_min = INFINITY,
                         .ratio_min = INFINITY,
                         .edge_min = INFINITY,
                         .worst = -1};
    keep_bounds(e, s);
    for (int i = 0; i < e->element_count; i++) {
        if (e->state[i] & SP_ELEMENT_BROKEN) continue;
        const int *c = e->elements + (size_t)i * (size_t)e->corners;
        const double *x[4];
        double length[6];
        shape now = {0};
        for (int k = 0; k < e->corners; k++) x[k] = e->x + 3 * (size_t)c[k];
        if (e->corners == 4)
            s->volume += judge_tet(x, length, &now);
        else
            judge_triangle(x, length, &now);
        for (int k = 0; k < now.angles; k++) keep_edge(s, length[k], &edges);
        keep_shape(s, &now, e->element_ids ? e->element_ids[i] : i);
        elements++;
    }
    s->ratio_mean = elements ? s->ratio_mean / (double)elements : NAN;
    s->edge_mean = edges ? s->edge_mean / (double)edges : NAN;
    if (!elements) s->angle_min = s->angle_max = s->ratio_min = s->aspect_max = s->edge_min = s->edge_max = NAN;
}
