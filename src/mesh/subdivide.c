// Subdivision of each triangle into four.
//
//         c            Old vertices keep their numbers; the midpoint of edge e becomes vertex V + e.
//        / \           Triangle f becomes 4f .. 4f+3: those at its corners a, b, c, then the middle one.
//      ca---bc
//      / \ / \         Smooth: positions by the masks of Loop 1987. Sharp edges (open, shared by more than two
//     a---ab--b        triangles, or above the crease angle) and their halves follow the cubic B-spline of
//                      Hoppe et al. 1994 (section 3). Sharpness is decided once, on the given surface.
// All other attributes are interpolated linearly along the edges.
#include "mesh/subdivide.h"
#include "math/vec3.h"
#include "mesh/edges.h"

// ------------------------------------------------------------------------------------------------ positions

// Cosine of the angle between the normals of the two triangles of an edge; 1 next to a degenerate triangle, which has no normal.
static double turn_at(const sp_trimesh_def *d, int side_a, int side_b) {
    double n[2][3], length[2];
    for (int s = 0; s < 2; s++) {
        const int *face = d->faces + 3 * (size_t)((s ? side_b : side_a) / 3);
        double u[3], v[3];
        sp__sub3(d->positions + 3 * (size_t)face[1], d->positions + 3 * (size_t)face[0], u);
        sp__sub3(d->positions + 3 * (size_t)face[2], d->positions + 3 * (size_t)face[0], v);
        sp__cross3(u, v, n[s]);
        length[s] = sp__norm3(n[s]);
    }
    return length[0] > 0 && length[1] > 0 ? sp__dot3(n[0], n[1]) / (length[0] * length[1]) : 1;
}

void sp__subdivide_find_creases(const sp_trimesh_def *d, const sp_edges *e, double degrees, unsigned char *sharp) {
    double limit = cos(degrees * SP_PI / 180);
    for (int i = 0; i < e->count; i++) {
        const int *side = e->sides + e->first[i];
        int n = e->first[i + 1] - e->first[i];
        bool is = n != 2 || (degrees < 180 && turn_at(d, side[0], side[1]) < limit);
        for (int k = 0; k < n; k++) sharp[side[k]] = is;
    }
}

// the vertex of the triangle of a side that is not on the side
static int opposite(const int *faces, int side) {
    int f = side / 3, k = side % 3;
    return faces[3 * (size_t)f + (size_t)((k + 2) % 3)];
}

static void smooth_edges(const sp_trimesh_def *d, const sp_edges *e, const unsigned char *sharp, double *x) {
    const double *from = d->positions;
    for (int i = 0; i < e->count; i++) {
        const int *side = e->sides + e->first[i];
        const double *a = from + 3 * (size_t)e->ends[2 * i], *b = from + 3 * (size_t)e->ends[2 * i + 1];
        double *to = x + 3 * ((size_t)d->vertex_count + (size_t)i);
        if (sharp[side[0]]) {
            for (int k = 0; k < 3; k++) to[k] = 0.5 * (a[k] + b[k]);
            continue;
        }
        const double *c = from + 3 * (size_t)opposite(d->faces, side[0]), *f = from + 3 * (size_t)opposite(d->faces, side[1]);
        for (int k = 0; k < 3; k++) to[k] = 0.375 * (a[k] + b[k]) + 0.125 * (c[k] + f[k]);
    }
}

// the neighbourhood of a vertex
typedef struct ring {
    double all[3], along[3];  // sums of all neighbours, and of those along sharp edges
    int valence, sharp;
} ring;

static void gather_rings(const sp_trimesh_def *d, const sp_edges *e, const unsigned char *sharp, ring *rings) {
    for (int i = 0; i < e->count; i++) {
        bool is = sharp[e->sides[e->first[i]]];
        for (int s = 0; s < 2; s++) {
            ring *r = rings + e->ends[2 * i + s];
            const double *x = d->positions + 3 * (size_t)e->ends[2 * i + !s];
            r->valence++;
            r->sharp += is;
            for (int k = 0; k < 3; k++) r->all[k] += x[k], r->along[k] += is ? x[k] : 0;
        }
    }
}

static void smooth_vertices(const sp_trimesh_def *d, const ring *rings, double *x) {
    for (int i = 0; i < d->vertex_count; i++) {
        const double *own = d->positions + 3 * (size_t)i;
        const ring *r = rings + i;
        double own_weight = 1, beta = 0;
        const double *sum = r->all;
        if (r->sharp == 2) {
            own_weight = 0.75, beta = 0.125, sum = r->along;
        } else if (r->sharp < 2 && r->valence > 0) {
            double c = 0.375 + 0.25 * cos(2 * SP_PI / r->valence);
            beta = (0.625 - c * c) / r->valence;
            own_weight = 1 - r->valence * beta;
        }
        for (int k = 0; k < 3; k++) x[3 * (size_t)i + (size_t)k] = own_weight * own[k] + beta * sum[k];
    }
}

sp_status sp__subdivide_smooth(sp_context *ctx, const sp_trimesh_def *d, const sp_edges *e, const unsigned char *sharp,
                               double *x) {
    ring *rings;
    if (!SP_NEW(ctx, rings, d->vertex_count)) return SP_FAIL(ctx, SP_NO_MEMORY, "no memory to subdivide a surface");
    gather_rings(d, e, sharp, rings);
    smooth_edges(d, e, sharp, x);
    smooth_vertices(d, rings, x);
    sp__free(ctx, rings);
    return SP_OK;
}
