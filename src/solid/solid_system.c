// The system of a solid for the linear solvers (linear/system.h): the assembled matrix, the rotations of its elements and nodes,
// and the element view.
#include "core/share.h"
#include "solid/solid.h"

// Assembly of the stiffness matrix: pattern from the edges of the mesh, values by chunks of rows. Each chunk has a list of the
// elements that contribute to it and of the positions of their blocks, so that chunks are assembled in parallel without conflicts
// and in a fixed order.

// ------------------------------------------------------------------------------------------------ pattern

// calls fn for each pair of different nodes of each element and of each patch
static void each_edge(const sp_solid *s, void (*fn)(int *at, int *col, int low, int high), int *at, int *col) {
    for (int k = 0; k < s->group_count; k++) {
        const sp_solid_group *g = &s->group[k];
        for (int slot = g->first; slot < g->first + g->slots; slot++)
            for (int a = 0; a < g->nodes && s->user_element[slot] >= 0; a++)
                for (int b = a + 1; b < g->nodes; b++) {
                    int i = sp__group_node(g, slot, a), j = sp__group_node(g, slot, b);
                    fn(at, col, i < j ? i : j, i < j ? j : i);
                }
        sp__patches_pairs(&g->patches, fn, at, col);
    }
}

static void edge_count(int *count, int *col, int low, int high) {
    (void)col, (void)high;
    count[low + 1]++;
}

static void edge_add(int *at, int *col, int low, int high) {
    col[at[low]++] = high;
}

// upper triangle by rows: every element adds its edges to the row of their lower node; rows are sorted and made unique
static sp_status upper_pattern(sp_context *ctx, const sp_solid *s, int **row_start, int **row_col) {
    int *count = NULL, *col = NULL, *start = NULL, n = s->nodes;
    *row_start = *row_col = NULL;
    sp_status status = SP_NO_MEMORY;
    size_t edges = (size_t)n;
    for (int g = 0; g < s->group_count; g++)
        edges += (size_t)s->group[g].elements * (size_t)(s->group[g].nodes * (s->group[g].nodes - 1) / 2) +
                 sp__patches_pairs(&s->group[g].patches, NULL, NULL, NULL);
    if (!SP_NEW(ctx, count, n + 1) || !SP_NEW(ctx, start, n + 1) || !SP_NEW(ctx, col, edges)) goto done;
    for (int i = 0; i < n; i++) count[i + 1] = 1;
    each_edge(s, edge_count, count, NULL);
    for (int i = 0; i < n; i++) count[i + 1] += count[i];
    for (int i = 0; i < n; i++) start[i] = count[i], col[start[i]++] = i;
    each_edge(s, edge_add, start, col);
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

enum { LEAVES_MOST = SP_ELEMENT_NODES_MAX * SP_LANES_MAX };  // each node of the elements of a structure may be in another leaf

// the distinct leaves that contain rows of this lane structure; returns their number
static int leaves_of(const sp_solid *s, const sp_solid_group *g, const int *leaf_of, int block, int *leaf) {
    int n = 0;
    for (int slot = g->first + block * g->lanes; slot < g->first + (block + 1) * g->lanes; slot++)
        for (int a = 0; a < g->nodes && s->user_element[slot] >= 0; a++) {
            int l = leaf_of[sp__group_node(g, slot, a)], k = 0;
            while (k < n && leaf[k] != l) k++;
            if (k == n) leaf[n++] = l;
        }
    return n;
}

static int group_pairs(const sp_solid_group *g) {
    return g->nodes * (g->nodes + 1) / 2;
}

// positions of the blocks of each element whose row is in this leaf
static void fill_stencil(const sp_solid *s, const sp_solid_group *g, const sp_blocks *A, const int *leaf_of, int block, int leaf,
                         int *at) {
    for (int l = 0; l < g->lanes; l++)
        for (int k = 0; k < group_pairs(g); k++) {
            int first, second, slot = g->first + block * g->lanes + l;
            sp__pairs(g->nodes, k, &first, &second);
            int a = sp__group_node(g, slot, first), b = sp__group_node(g, slot, second), row = a < b ? a : b;
            bool here = s->user_element[slot] >= 0 && leaf_of[row] == leaf;
            at[k * g->lanes + l] =
                here ? 2 * (sp__blocks_number(A, row, a < b ? b : a) - A->row_start[s->leaf_start[leaf]]) + (a > b) : -1;
        }
}

typedef struct stencils {
    int *start, *block, *at;
    sp_patch_list patches;
} stencils;

static sp_status group_stencils(sp_context *ctx, const sp_solid *s, const sp_solid_group *g, const sp_blocks *A,
                                const int *leaf_of, int *next, stencils *out) {
    int leaf[LEAVES_MOST], width = group_pairs(g) * g->lanes;
    if (!SP_NEW(ctx, out->start, s->leaf_count + 1)) return SP_NO_MEMORY;
    for (int b = 0; b < g->blocks; b++)
        for (int k = leaves_of(s, g, leaf_of, b, leaf) - 1; k >= 0; k--) out->start[leaf[k] + 1]++;
    next[0] = 0;
    for (int l = 0; l < s->leaf_count; l++) next[l + 1] = out->start[l + 1] += out->start[l];
    size_t total = (size_t)out->start[s->leaf_count] + 1;
    if (!SP_NEW(ctx, out->block, total) || !SP_NEW(ctx, out->at, total * (size_t)width)) return SP_NO_MEMORY;
    for (int b = 0; b < g->blocks; b++)
        for (int k = leaves_of(s, g, leaf_of, b, leaf) - 1; k >= 0; k--) {
            int entry = next[leaf[k]]++;
            out->block[entry] = b;
            fill_stencil(s, g, A, leaf_of, b, leaf[k], out->at + (size_t)entry * (size_t)width);
        }
    return sp__patches_list(ctx, s, &g->patches, A, leaf_of, &out->patches);
}

static sp_status make_stencils(sp_context *ctx, sp_solid *s, const sp_blocks *A) {
    int *leaf_of = NULL, *next = NULL, most = 0;
    double *sum = NULL;
    // other matrices of this body may exist and use the old ones, so that they stay if memory runs out
    stencils *made = NULL;
    sp_status status = SP_NO_MEMORY;
    for (int l = 0; l < s->leaf_count; l++)
        if (sp__blocks_chunk_blocks(A, l) > most) most = sp__blocks_chunk_blocks(A, l);
    if (!SP_NEW(ctx, leaf_of, s->nodes) || !SP_NEW(ctx, next, s->leaf_count + 1) || !SP_NEW(ctx, made, s->group_count) ||
        !SP_NEW(ctx, sum, 9 * (size_t)most * (size_t)sp__workers(ctx)))
        goto done;
    for (int l = 0; l < s->leaf_count; l++)
        for (int i = s->leaf_start[l]; i < s->leaf_start[l + 1]; i++) leaf_of[i] = l;
    status = SP_OK;
    for (int g = 0; g < s->group_count && status >= 0; g++)
        status = group_stencils(ctx, s, &s->group[g], A, leaf_of, next, &made[g]);
    if (status < 0) goto done;
    for (int k = 0; k < s->group_count; k++) {
        sp_solid_group *g = &s->group[k];
        stencils old = {g->stencil_start, g->stencil_block, g->stencil_at, g->patch_list};
        g->stencil_start = made[k].start, g->stencil_block = made[k].block, g->stencil_at = made[k].at;
        SP_SHARE(ctx, g->stencil_start), SP_SHARE(ctx, g->stencil_block), SP_SHARE(ctx, g->stencil_at);
        g->patch_list = made[k].patches;
        made[k] = old;
    }
    double *old_sum = s->stencil_sum;
    s->stencil_sum = sp__lend(ctx, sum), s->stencil_most = most, sum = old_sum;
done:
    for (int g = 0; made && g < s->group_count; g++)
        sp__free(ctx, made[g].start), sp__free(ctx, made[g].block), sp__free(ctx, made[g].at),
            sp__patches_list_free(ctx, &made[g].patches);
    sp__free(ctx, made), sp__free(ctx, sum);
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

static void assemble_stiffness(const sp_solid *s, const sp_solid_group *g, const sp_tets *tets, const sp_stencil *where,
                               double stiff, double *blocks) {
    if (g->springs.pattern)
        sp__springs_assemble(&g->frozen_springs, where, stiff, blocks);
    else if (g->iso.points)
        s->be->iso_assemble(&g->frozen_iso, where, stiff, blocks);
    else
        s->be->tet_assemble(tets, where, stiff, blocks);
}

static void assemble_group(const sp_solid *s, const sp_solid_group *g, int chunk, double stiff, double heavy, double *blocks) {
    size_t entry = (size_t)g->stencil_start[chunk];
    sp_stencil where = {g->stencil_start[chunk + 1] - g->stencil_start[chunk], g->stencil_block + entry,
                        g->stencil_at + entry * (size_t)(group_pairs(g) * g->lanes)};
    if (s->consistent && heavy != 0) sp__mass_assemble(s, g, &where, heavy, blocks);
    if (stiff == 0) return;
    assemble_stiffness(s, g, &g->frozen, &where, stiff, blocks);
    if (!g->iso.patches) return;
    const sp_patch_list *list = &g->patch_list;
    sp_patch_stencil patches = {list->start[chunk + 1] - list->start[chunk], list->patch + list->start[chunk],
                                list->at + list->at_start[chunk]};
    sp__patches_assemble(&g->frozen_iso, &patches, stiff, blocks);
}

static void assemble_chunk(void *arg, int chunk, int worker) {
    const assembly *as = arg;
    const sp_solid *s = as->s;
    const sp_blocks *A = as->A;
    double *blocks = s->stencil_sum + 9 * (size_t)s->stencil_most * (size_t)worker;
    double stiff = as->c.k + as->c.b * s->params.rayleigh_stiffness, heavy = as->c.m + as->c.b * s->params.rayleigh_mass;
    memset(blocks, 0, sizeof *blocks * 9 * (size_t)sp__blocks_chunk_blocks(A, chunk));
    for (int g = 0; g < s->group_count; g++) assemble_group(s, &s->group[g], chunk, stiff, heavy, blocks);
    for (int i = A->chunk_row[chunk]; i < A->chunk_row[chunk + 1]; i++) {
        double m = heavy * s->diagonal_mass[i] + as->c.b * s->drag_of[i],
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

// of the directions of the springs, from those at rest
static void springs_rotation(const sp_solid *s, const sp_solid_group *g, int slot, double R[9]) {
    const sp_spring_pattern *p = g->springs.pattern;
    for (int k = 0; k < 9; k++) R[k] = 0;
    for (int i = 0; i < p->count; i++) {
        size_t at = (size_t)p->count * (size_t)(slot - g->first) + (size_t)i;
        const double *now = g->frozen_springs.state + SP_SPRING_STATE * at;
        double d[3];
        sp__sub3(s->rest + 3 * (size_t)sp__group_node(g, slot, p->pair[i][1]),
                 s->rest + 3 * (size_t)sp__group_node(g, slot, p->pair[i][0]), d);
        for (int k = 0; k < 9; k++) R[k] += p->share[i] * now[k / 3] * d[k % 3] / g->springs.length[at];
    }
    s->be->nearest_rotations(1, R);
}

// rotation of the slots [begin, end) of the solid in the system, 9 numbers each
static void solid_element_rotations(const sp_solid *s, int begin, int end, double *R) {
    for (int slot = begin; slot < end;) {
        const sp_solid_group *g = sp__solid_group_of(s, slot);
        double all[9 * SP_LANES_MAX];
        int w = g->lanes, at = slot - g->first, lane = at % w, n = w - lane < end - slot ? w - lane : end - slot;
        if (sp__group_is_linear(g)) {
            for (int k = 0; k < 9 * w; k++) all[k] = k % 9 % 4 == 0;
        } else if (g->springs.pattern) {
            springs_rotation(s, g, slot, all);
        } else if (g->iso.points) {
            s->be->iso_rotations(&g->frozen_iso, at / w, s->rest, all);
            s->be->nearest_rotations(w, all);
        } else {
            s->be->tet_rotations(&g->tets, at / w, g->frozen.grad, s->rest, all);
        }
        memcpy(R, all + 9 * lane, 9 * (size_t)n * sizeof *R);
        // elements without stiffness have no gradients
        for (int l = 0; l < n; l++, slot++, R += 9)
            if (g->tets.scale && !sp__group_is_linear(g) && (g->tets.deformed || !(g->tets.scale[slot - g->first] > 0)))
                s->be->nearest_rotations(1, R);
    }
}

// lists the elements around each node
static sp_status solid_list_around(sp_body *b) {
    sp_solid *s = sp__solid(b);
    int *next = NULL;
    size_t corners = 0;
    if (s->slot_rotation) return SP_OK;
    for (int g = 0; g < s->group_count; g++) corners += (size_t)s->group[g].elements * (size_t)s->group[g].nodes;
    if (!SP_NEW(b->ctx, s->around_start, s->nodes + 1) || !SP_NEW(b->ctx, s->around, corners) ||
        !SP_NEW(b->ctx, next, s->nodes + 1) || !SP_NEW(b->ctx, s->slot_rotation, 9 * (size_t)s->slots)) {
        sp__free(b->ctx, s->around_start), sp__free(b->ctx, s->around), sp__free(b->ctx, next);
        s->around_start = s->around = NULL;
        return SP_BODY_FAIL(b, SP_NO_MEMORY, "no memory for the rotations of '%s' (%d nodes)", b->name, s->nodes);
    }
    for (int slot = 0; slot < s->slots; slot++) {
        const sp_solid_group *g = sp__solid_group_of(s, slot);
        for (int a = 0; a < g->nodes && s->user_element[slot] >= 0; a++) s->around_start[sp__group_node(g, slot, a) + 1]++;
    }
    for (int i = 0; i < s->nodes; i++) next[i + 1] = s->around_start[i + 1] += s->around_start[i];
    for (int slot = 0; slot < s->slots; slot++) {
        const sp_solid_group *g = sp__solid_group_of(s, slot);
        for (int a = 0; a < g->nodes && s->user_element[slot] >= 0; a++) s->around[next[sp__group_node(g, slot, a)]++] = slot;
    }
    sp__free(b->ctx, next);
    SP_SHARE(b->ctx, s->around_start), SP_SHARE(b->ctx, s->around), SP_LEND(b->ctx, s->slot_rotation);
    return SP_OK;
}

// an element without stiffness does not count
static double rotation_weight(const sp_solid *s, int slot) {
    const sp_solid_group *g = sp__solid_group_of(s, slot);
    return !g->tets.scale || g->tets.scale[slot - g->first] > 0 ? s->volume[slot] : 0;
}

static double update_element_rotations(void *arg, int begin, int end) {
    const sp_solid *s = arg;
    solid_element_rotations(s, begin, end, s->slot_rotation + 9 * (size_t)begin);
    for (int slot = begin; slot < end; slot++) {
        double *R = s->slot_rotation + 9 * (size_t)slot, weight = rotation_weight(s, slot);
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
    bool linear = true;
    for (int g = 0; g < s->group_count; g++) linear = linear && sp__group_is_linear(&s->group[g]);
    if (linear) {
        for (size_t k = 0; k < 9 * (size_t)s->nodes; k++) R[k] = k % 9 % 4 == 0;
        return SP_OK;
    }
    SP_TRY(solid_list_around(b));
    // the sums of sp__ranges are not used; R is large enough to receive the partial sums
    sp__ranges(b->ctx, s->slots, update_element_rotations, s, R);
    rotation_job n = {s, R};
    sp__ranges(b->ctx, s->nodes, update_node_rotations, &n, s->partial);
    return SP_OK;
}

void sp__solid_rest_points(void *o, double *x) {
    const sp_solid *s = sp__solid(o);
    memcpy(x, s->rest, 3 * (size_t)s->nodes * sizeof *x);
}

// ------------------------------------------------------------------------------------------------ element view

// The element view of a solid, for solvers that assemble matrices of their own: lumped masses and point terms; of one group of
// tetrahedra with kernels of their own rest gradients in world axes and element rotations, of all others the blocks of the
// elements. Elements are the slots of the kernels, including padding.

static void solid_rotations(void *o, int begin, int end, double *R) {
    solid_element_rotations(sp__solid(o), begin, end, R);
}

// rows of the inverse of the rest edges are the gradients of local nodes 1..3
static void solid_rest(void *o, sp_coef c, int begin, int end, double *G) {
    const sp_solid *s = sp__solid(o);
    const sp_solid_group *g = s->group;
    double stiff = sqrt(c.k + c.b * s->params.rayleigh_stiffness);
    for (int slot = begin; slot < end; slot++, G += 10) {
        double edges[9], inverse[9], factor = stiff * g->tets.scale[slot];
        const double *x0 = s->rest + 3 * (size_t)sp__group_node(g, slot, 0);
        for (int a = 0; a < 3; a++) {
            const double *x = s->rest + 3 * (size_t)sp__group_node(g, slot, a + 1);
            for (int k = 0; k < 3; k++) edges[3 * k + a] = x[k] - x0[k];
        }
        sp__inverse3(edges, inverse);
        for (int k = 0; k < 9; k++) G[k] = factor * inverse[k];
        G[9] = g->tets.ratio[slot];
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

// ---- elements of any kind

enum { BLOCKS_MOST = SP_LANES_MAX * SP_ISO_PAIRS_MAX };

static int pairs_of(int width) {
    return width * (width + 1) / 2;
}

// number of the pair a <= b among those of `width` nodes, in the order of sp__pairs
static int pair_number(int width, int a, int b) {
    return a == b ? a : width + a * (2 * width - a - 1) / 2 + b - a - 1;
}

// the blocks of all elements of a structure, in the order of the pairs of `width` nodes
static void structure_blocks(const sp_solid *s, const sp_solid_group *g, int block, int width, double stiff, double *blocks) {
    int at[BLOCKS_MOST];
    sp_tets tets = g->frozen;
    tets.spin = NULL;  // without the part that may be negative
    for (int l = 0; l < g->lanes; l++)
        for (int k = 0; k < group_pairs(g); k++) {
            int a, b;
            sp__pairs(g->nodes, k, &a, &b);
            bool alive = s->user_element[g->first + block * g->lanes + l] >= 0;
            at[k * g->lanes + l] = alive ? 2 * (l * pairs_of(width) + pair_number(width, a, b)) : -1;
        }
    memset(blocks, 0, 9 * (size_t)(g->lanes * pairs_of(width)) * sizeof *blocks);
    if (stiff != 0) assemble_stiffness(s, g, &tets, &(sp_stencil){1, &block, at}, stiff, blocks);
}

static void solid_blocks(void *o, sp_coef c, int begin, int end, double *K) {
    const sp_solid *s = sp__solid(o);
    const int width = s->element_view.width;
    const size_t each = 9 * (size_t)pairs_of(width);
    double all[9 * BLOCKS_MOST], stiff = c.k + c.b * s->params.rayleigh_stiffness;
    for (int slot = begin; slot < end;) {
        const sp_solid_group *g = sp__solid_group_of(s, slot);
        int w = g->lanes, lane = (slot - g->first) % w, n = w - lane < end - slot ? w - lane : end - slot;
        structure_blocks(s, g, (slot - g->first) / w, width, stiff, all);
        memcpy(K, all + each * (size_t)lane, each * (size_t)n * sizeof *K);
        slot += n, K += each * (size_t)n;
    }
}

// A sum of the numbers of the law with powers of an irrational factor: it changes with each of them.
static const double material_factor = 2.718281828459045;

static double slot_material(const sp_solid *s, const sp_solid_group *g, int slot) {
    const size_t at = (size_t)(slot - g->first), w = (size_t)g->lanes;
    double sum = s->volume[slot] * (1 + s->params.rayleigh_stiffness);
    if (g->springs.pattern) return material_factor * sum + g->springs.stiffness[at];
    if (!g->iso.points) return material_factor * (material_factor * sum + g->tets.scale[at]) + g->tets.ratio[at];
    for (size_t k = 0; k < SP_LAW_PARAMS; k++)
        sum = material_factor * sum + g->iso.param[(at / w * SP_LAW_PARAMS + k) * w + at % w];
    const size_t n = (size_t)g->iso.families * SP_FIBRE_PARAMS;
    for (size_t k = 0; k < n; k++) sum = material_factor * sum + g->iso.fibre_param[(at / w * n + k) * w + at % w];
    return sum;
}

static void solid_materials(void *o, int begin, int end, double *out) {
    const sp_solid *s = sp__solid(o);
    for (int slot = begin; slot < end; slot++)
        out[slot - begin] = s->user_element[slot] < 0 ? 0 : slot_material(s, sp__solid_group_of(s, slot), slot);
}

static sp_status list_slot_nodes(sp_body *b, sp_solid *s, int width) {
    if (s->slot_node) return SP_OK;
    if (!SP_NEW(b->ctx, s->slot_node, (size_t)width * (size_t)s->slots))
        return SP_BODY_FAIL(b, SP_NO_MEMORY, "no memory for the elements of '%s' (%d)", b->name, s->elements);
    for (int slot = 0; slot < s->slots; slot++) {
        const sp_solid_group *g = sp__solid_group_of(s, slot);
        for (int a = 0; a < width; a++)
            s->slot_node[(size_t)width * (size_t)slot + (size_t)a] = a < g->nodes ? sp__group_node(g, slot, a) : -1;
    }
    return SP_OK;
}

sp_status sp__solid_elements(sp_body *b, const sp_elements **out) {
    sp_solid *s = sp__solid(b);
    *out = NULL;
    if (b->solver_def.type != SP_SOLVER_UPDATED_CHOLESKY) return SP_OK;
    int width = 0;
    for (int g = 0; g < s->group_count; g++)
        if (s->group[g].nodes > width) width = s->group[g].nodes;
    SP_TRY(list_slot_nodes(b, s, width));
    s->element_view = (sp_elements){.count = s->slots,
                                    .width = width,
                                    .node = s->slot_node,
                                    .volume = s->volume,
                                    .user = s->user_element,
                                    .revision = s->material_revision,
                                    .diagonal = solid_diagonal,
                                    .terms = solid_terms};
    if (s->group_count == 1 && !s->group->iso.points && !s->group->springs.pattern)
        s->element_view.rotations = solid_rotations, s->element_view.rest = solid_rest;
    else
        s->element_view.blocks = solid_blocks, s->element_view.materials = solid_materials;
    *out = &s->element_view;
    return SP_OK;
}
