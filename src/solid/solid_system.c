// The system of a solid for the linear solvers (linear/system.h): the assembled matrix, the rotations of its elements and nodes,
// and the element view.
#include "solid/solid.h"

// Assembly of the stiffness matrix: pattern from the edges of the mesh, values by chunks of rows. Each chunk has a list of the
// elements that contribute to it and of the positions of their blocks, so that chunks are assembled in parallel without conflicts
// and in a fixed order.

// ------------------------------------------------------------------------------------------------ pattern

// upper triangle by rows: every element adds its six edges to the row of their lower node; rows are sorted and made unique
static sp_status upper_pattern(sp_context *ctx, const sp_solid *s, int **row_start, int **row_col) {
    const sp_tets *t = &s->tets;
    int *count = NULL, *col = NULL, *start = NULL, n = s->nodes;
    *row_start = *row_col = NULL;
    sp_status status = SP_NO_MEMORY;
    if (!SP_NEW(ctx, count, n + 1) || !SP_NEW(ctx, start, n + 1) || !SP_NEW(ctx, col, 6 * (size_t)s->elements + (size_t)n))
        goto done;
    for (int i = 0; i < n; i++) count[i + 1] = 1;
    for (int slot = 0; slot < t->blocks * t->lanes; slot++)
        for (int k = 4; k < 10 && s->user_tet[slot] >= 0; k++) {
            int a = sp__solid_element_node(t, slot, sp__pair_a[k]), b = sp__solid_element_node(t, slot, sp__pair_b[k]);
            count[(a < b ? a : b) + 1]++;
        }
    for (int i = 0; i < n; i++) count[i + 1] += count[i];
    for (int i = 0; i < n; i++) start[i] = count[i], col[start[i]++] = i;
    for (int slot = 0; slot < t->blocks * t->lanes; slot++)
        for (int k = 4; k < 10 && s->user_tet[slot] >= 0; k++) {
            int a = sp__solid_element_node(t, slot, sp__pair_a[k]), b = sp__solid_element_node(t, slot, sp__pair_b[k]);
            col[start[a < b ? a : b]++] = a < b ? b : a;
        }
    // sort each row, remove duplicates
    int out = 0;
    for (int i = 0; i < n; i++) {
        int first = count[i], last = start[i], kept = out;
        sp__sort_ints(col + first, last - first);
        for (int a = first; a < last; a++)
            if (out == kept || col[out - 1] != col[a]) col[out++] = col[a];
        count[i] = kept;
    }
    count[n] = out;
    *row_start = count, *row_col = col, count = col = NULL;
    status = SP_OK;
done:
    sp__free(ctx, count), sp__free(ctx, start), sp__free(ctx, col);
    return status;
}

// the distinct leaves that contain rows of this lane structure; returns their number (at most 4 lanes)
static int leaves_of(const sp_solid *s, const int *leaf_of, int block, int *leaf) {
    const sp_tets *t = &s->tets;
    int n = 0;
    for (int slot = block * t->lanes; slot < (block + 1) * t->lanes; slot++)
        for (int a = 0; a < 4 && s->user_tet[slot] >= 0; a++) {
            int l = leaf_of[sp__solid_element_node(t, slot, a)], k = 0;
            while (k < n && leaf[k] != l) k++;
            if (k == n) leaf[n++] = l;
        }
    return n;
}

// positions of the ten blocks of each element whose row is in this leaf
static void fill_stencil(const sp_solid *s, const sp_blocks *A, const int *leaf_of, int block, int leaf, int *at) {
    const sp_tets *t = &s->tets;
    for (int l = 0; l < t->lanes; l++)
        for (int k = 0; k < 10; k++) {
            int slot = block * t->lanes + l, a = sp__solid_element_node(t, slot, sp__pair_a[k]),
                b = sp__solid_element_node(t, slot, sp__pair_b[k]), row = a < b ? a : b;
            bool here = s->user_tet[slot] >= 0 && leaf_of[row] == leaf;
            at[k * t->lanes + l] =
                here ? 2 * (sp__blocks_number(A, row, a < b ? b : a) - A->row_start[s->leaf_start[leaf]]) + (a > b) : -1;
        }
}

static sp_status make_stencils(sp_context *ctx, sp_solid *s, const sp_blocks *A) {
    enum { MOST = 4 * SP_LANES_MAX };  // an element has 4 nodes, each may be in another leaf
    const sp_tets *t = &s->tets;
    int *leaf_of = NULL, *next = NULL, leaf[MOST];
    sp_status status = SP_NO_MEMORY;
    // other matrices of this body may exist and use the old ones, so that they stay if memory runs out
    int *old[] = {s->stencil_start, s->stencil_block, s->stencil_at};
    double *old_sum = s->stencil_sum;
    s->stencil_start = s->stencil_block = s->stencil_at = NULL, s->stencil_sum = NULL;
    if (!SP_NEW(ctx, leaf_of, s->nodes) || !SP_NEW(ctx, next, s->leaf_count + 1) ||
        !SP_NEW(ctx, s->stencil_start, s->leaf_count + 1))
        goto done;
    for (int l = 0; l < s->leaf_count; l++)
        for (int i = s->leaf_start[l]; i < s->leaf_start[l + 1]; i++) leaf_of[i] = l;
    for (int b = 0; b < t->blocks; b++)
        for (int k = leaves_of(s, leaf_of, b, leaf) - 1; k >= 0; k--) s->stencil_start[leaf[k] + 1]++;
    for (int l = 0; l < s->leaf_count; l++) next[l + 1] = s->stencil_start[l + 1] += s->stencil_start[l];
    size_t total = (size_t)s->stencil_start[s->leaf_count] + 1;
    for (int l = 0; l < s->leaf_count; l++)
        if (sp__blocks_chunk_blocks(A, l) > s->stencil_most) s->stencil_most = sp__blocks_chunk_blocks(A, l);
    if (!SP_NEW(ctx, s->stencil_block, total) || !SP_NEW(ctx, s->stencil_at, total * 10 * (size_t)t->lanes) ||
        !SP_NEW(ctx, s->stencil_sum, 9 * (size_t)s->stencil_most * (size_t)sp__workers(ctx)))
        goto done;
    for (int b = 0; b < t->blocks; b++)
        for (int k = leaves_of(s, leaf_of, b, leaf) - 1; k >= 0; k--) {
            int entry = next[leaf[k]]++;
            s->stencil_block[entry] = b;
            fill_stencil(s, A, leaf_of, b, leaf[k], s->stencil_at + (size_t)entry * 10 * (size_t)t->lanes);
        }
    status = SP_OK;
done:
    if (status < 0) {
        int *made[] = {s->stencil_start, s->stencil_block, s->stencil_at};
        double *sum = s->stencil_sum;
        s->stencil_start = old[0], s->stencil_block = old[1], s->stencil_at = old[2], s->stencil_sum = old_sum;
        memcpy(old, made, sizeof old), old_sum = sum;
    }
    for (int i = 0; i < 3; i++) sp__free(ctx, old[i]);
    sp__free(ctx, old_sum);
    sp__free(ctx, leaf_of), sp__free(ctx, next);
    return status;
}

sp_status sp__solid_make_pattern(void *o, sp_context *ctx, sp_blocks **A) {
    sp_body *b = o;
    sp_solid *s = sp__solid(b);
    int *row_start, *row_col;
    *A = NULL;
    sp_status status = upper_pattern(ctx, s, &row_start, &row_col);
    if (status >= 0) status = sp__blocks_create(ctx, s->be, s->nodes, s->leaf_count, s->leaf_start, row_start, row_col, A);
    if (status >= 0) status = make_stencils(ctx, s, *A);
    sp__free(ctx, row_start), sp__free(ctx, row_col);
    if (status < 0) {
        sp__blocks_destroy(A);
        return SP_BODY_FAIL(b, status, "the matrix of '%s' (%d nodes) could not be made", b->name, s->nodes);
    }
    return SP_OK;
}

// ------------------------------------------------------------------------------------------------ values

typedef struct assembly {
    const sp_solid *s;
    sp_blocks *A;
    sp_coef c;
} assembly;

static void assemble_chunk(void *arg, int chunk, int worker) {
    const assembly *as = arg;
    const sp_solid *s = as->s;
    const sp_blocks *A = as->A;
    double *blocks = s->stencil_sum + 9 * (size_t)s->stencil_most * (size_t)worker;
    double stiff = as->c.k + as->c.b * s->params.rayleigh_stiffness, heavy = as->c.m + as->c.b * s->params.rayleigh_mass;
    size_t entry = (size_t)s->stencil_start[chunk];
    sp_stencil where = {s->stencil_start[chunk + 1] - s->stencil_start[chunk], s->stencil_block + entry,
                        s->stencil_at + entry * 10 * (size_t)s->tets.lanes};
    memset(blocks, 0, sizeof *blocks * 9 * (size_t)sp__blocks_chunk_blocks(A, chunk));
    if (stiff != 0) s->be->tet_assemble(&s->frozen, &where, stiff, blocks);
    for (int i = A->chunk_row[chunk]; i < A->chunk_row[chunk + 1]; i++) {
        double m = heavy * s->mass[i] + as->c.b * s->drag_of[i],
               *v = blocks + 9 * (size_t)(A->row_start[i] - A->row_start[A->chunk_row[chunk]]);
        v[0] += m, v[4] += m, v[8] += m;
    }
    sp__blocks_store(as->A, chunk, blocks);
}

static void add_block(void *A, int i, int j, const double B[9]) {
    sp__blocks_add(A, i, j, B);
}

static void solid_terms(void *o, sp_coef c, void (*fn)(void *arg, int i, int j, const double B[9]), void *arg);

sp_status sp__solid_assemble(void *o, sp_coef c, sp_blocks *A) {
    sp_body *b = o;
    sp_solid *s = sp__solid(b);
    assembly as = {s, A, c};
    sp__chunks_each(b->ctx, s->be, s->leaf_count, assemble_chunk, &as);
    solid_terms(b, c, add_block, A);
    sp__blocks_pin(A, b->fixed);
    return SP_OK;
}

// ------------------------------------------------------------------------------------------------ rotations

// Rotations of elements and nodes relative to rest. Solvers use them to rotate (warp) an old preconditioner or an old matrix
// block.
//
// The kernels store rotated gradients c_i = R g_i, times a scale. Rest gradients and rest edges e_i satisfy sum g_i e_i^T = I, so
// R = sum c_i e_i^T, and no polar decomposition is needed. With gradients on the deformed shape the sum is F^-T, whose rotation
// is that of F. The rotation of a node is the rotation nearest to the mean over the elements around it, weighted by volume
// (Pincon 2020; Courtecuisse 2011, section 3.4.3).

enum { LANES_MOST = SP_LANES_MAX };

// of slots in the system, 9 numbers each
static void solid_element_rotations(const sp_solid *s, int begin, int end, double *R) {
    int w = s->tets.lanes;
    for (int slot = begin; slot < end;) {
        double all[9 * LANES_MOST];
        int lane = slot % w, n = w - lane < end - slot ? w - lane : end - slot;
        s->be->tet_rotations(&s->tets, slot / w, s->frozen.grad, s->rest, all);
        memcpy(R, all + 9 * lane, 9 * (size_t)n * sizeof *R);
        // elements without stiffness have no gradients
        for (int l = 0; l < n; l++, slot++, R += 9)
            if (s->tets.deformed || !(s->tets.scale[slot] > 0)) s->be->nearest_rotations(1, R);
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
    solid_element_rotations(s, begin, end, s->slot_rotation + 9 * (size_t)begin);
    for (int slot = begin; slot < end; slot++) {
        double *R = s->slot_rotation + 9 * (size_t)slot, weight = s->tets.scale[slot] > 0 ? s->volume[slot] : 0;
        for (int k = 0; k < 9; k++) R[k] *= weight;
    }
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
    }
    s->be->nearest_rotations(end - begin, n->R + 9 * (size_t)begin);
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

// ------------------------------------------------------------------------------------------------ element view

// The element view of the solid, for solvers that assemble matrices of their own: rest gradients in world axes, element
// rotations, lumped masses and point terms. Elements are the slots of the kernels, including padding.

static void solid_rotations(void *o, int begin, int end, double *R) {
    const sp_solid *s = sp__solid(o);
    if (s->model != SP_LINEAR) {
        solid_element_rotations(s, begin, end, R);
        return;
    }
    for (int k = 0; k < 9 * (end - begin); k++) R[k] = k % 9 % 4 == 0;
}

// rows of the inverse of the rest edges are the gradients of local nodes 1..3
static void solid_rest(void *o, sp_coef c, int begin, int end, double *G) {
    const sp_solid *s = sp__solid(o);
    const sp_tets *t = &s->tets;
    double stiff = sqrt(c.k + c.b * s->params.rayleigh_stiffness);
    for (int slot = begin; slot < end; slot++, G += 10) {
        double edges[9], inverse[9], factor = stiff * t->scale[slot];
        const double *x0 = s->rest + 3 * (size_t)sp__solid_element_node(t, slot, 0);
        for (int a = 0; a < 3; a++) {
            const double *x = s->rest + 3 * (size_t)sp__solid_element_node(t, slot, a + 1);
            for (int k = 0; k < 3; k++) edges[3 * k + a] = x[k] - x0[k];
        }
        sp__inverse3(edges, inverse);
        for (int k = 0; k < 9; k++) G[k] = factor * inverse[k];
        G[9] = t->ratio[slot];
    }
}

static void solid_diagonal(void *o, sp_coef c, double *d) {
    const sp_solid *s = sp__solid(o);
    double heavy = c.m + c.b * s->params.rayleigh_mass;
    for (int i = 0; i < s->nodes; i++) d[i] = heavy * s->mass[i] + c.b * s->drag_of[i];
}

// calls fn with the stiffness blocks of springs and contacts, for each pair of nodes i <= j
static void solid_terms(void *o, sp_coef c, void (*fn)(void *arg, int i, int j, const double B[9]), void *arg) {
    const sp_solid *s = sp__solid(o);
    for (int t = 0; t < s->term_count; t++) {
        const sp_solid_term *term = &s->terms[t];
        const int *node = term->node;
        const double *w = term->w;
        double m[6];
        for (int k = 0; k < 6; k++) m[k] = c.k * term->k[k] + c.b * term->b[k];
        for (int i = 0; i < 4; i++)
            for (int j = i; j < 4; j++) {
                double f = w[i] * w[j];
                double B[9] = {f * m[0], f * m[3], f * m[5], f * m[3], f * m[1], f * m[4], f * m[5], f * m[4], f * m[2]};
                int low = node[i] < node[j] ? node[i] : node[j], high = node[i] < node[j] ? node[j] : node[i];
                if (f != 0) fn(arg, low, high, B);
            }
    }
}

sp_status sp__solid_elements(sp_body *b, const sp_elements **out) {
    sp_solid *s = sp__solid(b);
    const sp_tets *t = &s->tets;
    int count = t->blocks * t->lanes;
    *out = NULL;
    if (b->solver_def.type != SP_SOLVER_UPDATED_CHOLESKY) return SP_OK;
    if (!s->slot_node) {
        if (!SP_NEW(b->ctx, s->slot_node, 4 * (size_t)count))
            return SP_BODY_FAIL(b, SP_NO_MEMORY, "no memory for the elements of '%s' (%d)", b->name, s->elements);
        for (int i = 0; i < 4 * count; i++) s->slot_node[i] = sp__solid_element_node(t, i / 4, i % 4);
    }
    s->element_view = (sp_elements){.count = count,
                                    .node = s->slot_node,
                                    .volume = s->volume,
                                    .user = s->user_tet,
                                    .revision = s->material_revision,
                                    .rotations = solid_rotations,
                                    .rest = solid_rest,
                                    .diagonal = solid_diagonal,
                                    .terms = solid_terms};
    *out = &s->element_view;
    return SP_OK;
}
