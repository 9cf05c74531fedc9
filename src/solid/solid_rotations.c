// Rotations of elements and nodes relative to rest. Solvers use them to rotate (warp) an old preconditioner or an old matrix
// block.
//
// The kernels store rotated gradients c_i = R g_i, times a scale. Rest gradients and rest edges e_i satisfy sum g_i e_i^T = I, so
// R = sum c_i e_i^T, and no polar decomposition is needed. With gradients on the deformed shape the sum is F^-T, whose rotation
// is that of F. The rotation of a node is the rotation nearest to the mean over the elements around it, weighted by volume
// (Pincon 2020; Courtecuisse 2011, section 3.4.3).
#define SP_LANES 1
#include "kernels/rotation.h"
#include "solid/solid.h"

enum { LANES_MOST = 8 };

// rotations of one lane structure: entry k of lane l goes to R[9 l + k]
static void block_rotations(const sp_solid *s, int block, double *R) {
    const sp_tets *t = &s->tets;
    size_t w = (size_t)t->lanes, first = (size_t)block * w;
    const double *c = s->frozen.grad + 9 * first;
    double e[9][LANES_MOST];  // rest edges divided by the scale
    for (size_t l = 0; l < w; l++) {
        double scale = t->scale[first + l] > 0 ? 1 / t->scale[first + l] : 0;
        const int *node = t->node + 4 * first + l;
        for (size_t i = 0; i < 9; i++)
            e[i][l] = scale * (s->rest[3 * (size_t)node[(i / 3 + 1) * w] + i % 3] - s->rest[3 * (size_t)node[0] + i % 3]);
    }
    for (size_t k = 0; k < 9; k++)
        for (size_t l = 0; l < w; l++)
            R[9 * l + k] = c[k / 3 * w + l] * e[k % 3][l] + c[(3 + k / 3) * w + l] * e[3 + k % 3][l] +
                           c[(6 + k / 3) * w + l] * e[6 + k % 3][l];
}

// the nearest rotation; the identity if R is zero or not finite
static void solid_nearest(double R[9]) {
    double M[9], size = 0;
    for (int k = 0; k < 9; k++) M[k] = R[k], size += fabs(R[k]);
    if (size > 0 && isfinite(size)) {
        for (int k = 0; k < 9; k++) M[k] /= size;
        rotation_svd(M, R);
    } else {
        for (int k = 0; k < 9; k++) R[k] = k % 4 == 0;
    }
}

void sp__solid_element_rotations(const sp_solid *s, int begin, int end, double *R) {
    int w = s->tets.lanes;
    for (int slot = begin; slot < end;) {
        double all[9 * LANES_MOST];
        int lane = slot % w, n = w - lane < end - slot ? w - lane : end - slot;
        block_rotations(s, slot / w, all);
        memcpy(R, all + 9 * lane, 9 * (size_t)n * sizeof *R);
        // elements without stiffness have no gradients
        for (int l = 0; l < n; l++, slot++, R += 9)
            if (s->tets.deformed || !(s->tets.scale[slot] > 0)) solid_nearest(R);
    }
}

// lists the elements around each node
static sp_status solid_list_around(sp_body *b) {
    sp_solid *s = sp__solid(b);
    const sp_tets *t = &s->tets;
    int slots = t->blocks * t->lanes, *next = NULL;
    if (s->slot_rotation) return SP_OK;
    if (!SP_NEW(b->ctx, s->around_start, s->nodes + 1) || !SP_NEW(b->ctx, s->around, 4 * (size_t)s->elements) ||
        !SP_NEW(b->ctx, next, s->nodes + 1) || !SP_NEW(b->ctx, s->slot_rotation, 9 * (size_t)slots)) {
        sp__free(b->ctx, s->around_start), sp__free(b->ctx, s->around), sp__free(b->ctx, next);
        s->around_start = s->around = NULL;
        return SP_BODY_FAIL(b, SP_NO_MEMORY, "no memory for the rotations of '%s' (%d nodes)", b->name, s->nodes);
    }
    for (int slot = 0; slot < slots; slot++)
        for (int a = 0; a < 4 && s->user_tet[slot] >= 0; a++) s->around_start[sp__solid_element_node(t, slot, a) + 1]++;
    for (int i = 0; i < s->nodes; i++) next[i + 1] = s->around_start[i + 1] += s->around_start[i];
    for (int slot = 0; slot < slots; slot++)
        for (int a = 0; a < 4 && s->user_tet[slot] >= 0; a++) s->around[next[sp__solid_element_node(t, slot, a)]++] = slot;
    sp__free(b->ctx, next);
    return SP_OK;
}

static double update_element_rotations(void *arg, int begin, int end) {
    const sp_solid *s = arg;
    sp__solid_element_rotations(s, begin, end, s->slot_rotation + 9 * (size_t)begin);
    for (int slot = begin; slot < end; slot++)
        for (int k = 0; k < 9; k++)
            s->slot_rotation[9 * (size_t)slot + (size_t)k] *= s->tets.scale[slot] > 0 ? s->volume[slot] : 0;
    return 0;
}

typedef struct rotation_job {
    const sp_solid *s;
    double *R;
} rotation_job;

static double update_node_rotations(void *arg, int begin, int end) {
    const rotation_job *n = arg;
    const sp_solid *s = n->s;
    for (int i = begin; i < end; i++) {
        double *R = n->R + 9 * (size_t)i, sum[9] = {0};
        for (int a = s->around_start[i]; a < s->around_start[i + 1]; a++) {
            const double *slot_rotation = s->slot_rotation + 9 * (size_t)s->around[a];
            for (int k = 0; k < 9; k++) sum[k] += slot_rotation[k];
        }
        memcpy(R, sum, sizeof sum);
        solid_nearest(R);
    }
    return 0;
}

sp_status sp__solid_node_rotations(void *o, double *R) {
    sp_body *b = o;
    sp_solid *s = sp__solid(b);
    int slots = s->tets.blocks * s->tets.lanes;
    if (s->model == SP_LINEAR) {
        for (size_t k = 0; k < 9 * (size_t)s->nodes; k++) R[k] = k % 9 % 4 == 0;
        return SP_OK;
    }
    SP_TRY(solid_list_around(b));
    // the sums of sp__ranges are not used; R is large enough to receive the partial sums
    sp__ranges(b->ctx, slots, update_element_rotations, s, R);
    rotation_job n = {s, R};
    sp__ranges(b->ctx, s->nodes, update_node_rotations, &n, s->partial);
    return SP_OK;
}

void sp__solid_rest_points(void *o, double *x) {
    const sp_solid *s = sp__solid(o);
    memcpy(x, s->rest, 3 * (size_t)s->nodes * sizeof *x);
}
