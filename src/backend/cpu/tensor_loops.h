// Tensor-mass elements (kernels/tensor.h), four at a time; included by iso_loops.h. Loops are compiled for each kind of element.

// y NULL: only the energy
SP_POINTWISE double tensor_state_loop(const sp_iso *g, int chunk, const double *u, double *y, tensor_kind kind) {
    const size_t numbers = sp__iso_tangent(g), slopes = 3 * ((size_t)kind.nodes - 1);
    sp_lane energy = lane_all(0);
    for (size_t b = (size_t)g->block_start[chunk]; b < (size_t)g->block_start[chunk + 1]; b++) {
        const uint16_t *id = g->local + 4 * (size_t)kind.nodes * b;
        sp_lane d[9], axes[9], T[TENSOR_NUMBERS], f[9], w = lane_load(g->weight + 4 * b);
        iso_edges(kind.nodes, u, id, d);
        energy += w * tensor_state(kind, g->definite, iso_lanes(g->param + 4 * SP_LAW_PARAMS * b),
                                   iso_lanes(g->slope + 4 * slopes * b), w, d, axes, T, f);
        if (!y) continue;
        store_lanes(g->turned + 4 * slopes * b, (int)slopes, axes);
        store_lanes(g->tangent + 4 * numbers * b, kind.penalty ? SP_ISO_TANGENT_PENALTY : SP_ISO_TANGENT_TENSOR, T);
        iso_add(kind.nodes, f, id, y);
    }
    return lane_sum(energy);
}

SP_POINTWISE void tensor_product_loop(const sp_iso *g, int chunk, const double *x, double *y, tensor_kind kind) {
    const size_t numbers = sp__iso_tangent(g), slopes = 3 * ((size_t)kind.nodes - 1);
    for (size_t b = (size_t)g->block_start[chunk]; b < (size_t)g->block_start[chunk + 1]; b++) {
        const uint16_t *id = g->local + 4 * (size_t)kind.nodes * b;
        sp_lane d[9], f[9];
        iso_edges(kind.nodes, x, id, d);
        tensor_product(kind, iso_lanes(g->tangent + 4 * numbers * b), iso_lanes(g->turned + 4 * slopes * b), d, f);
        iso_add(kind.nodes, f, id, y);
    }
}

SP_POINTWISE void tensor_assemble_loop(const sp_iso *g, const sp_stencil *where, double factor, double *blocks,
                                       tensor_kind kind) {
    const int pairs = kind.nodes * (kind.nodes + 1) / 2;
    const size_t numbers = sp__iso_tangent(g), slopes = 3 * ((size_t)kind.nodes - 1);
    for (int s = 0; s < where->count; s++) {
        const int *at = where->at + 4 * (size_t)pairs * (size_t)s;
        const size_t block = (size_t)where->block[s];
        sp_lane all[12], B[9], T[TENSOR_NUMBERS];
        iso_slopes(kind.nodes, g->turned + 4 * slopes * block, all);
        load_lanes(g->tangent + 4 * numbers * block, kind.penalty ? SP_ISO_TANGENT_PENALTY : SP_ISO_TANGENT_TENSOR, T);
        tensor_left(kind.nodes, T, B);
        for (int k = 0; k < pairs; k++, at += 4) {
            sp_lane K[9] = {{0}};
            int p, q;
            sp__pairs(kind.nodes, k, &p, &q);
            tensor_block(kind, T, B, all + 3 * p, all + 3 * q, K);
            for (int i = 0; i < 9; i++) K[i] *= factor;
            iso_flip(at, K);
            add_block(K, at, blocks, false);
        }
    }
}

// The kinds of groups. Hooke's law on tetrahedra has the kernel of the linear law (kernels/tet.h).
static const tensor_kind SP_NAME(tensor_hooke3) = {3, true, false}, SP_NAME(tensor_stvk3) = {3, false, false},
                         SP_NAME(tensor_stvk4) = {4, false, false}, SP_NAME(tensor_penalty4) = {4, false, true};

static double SP_NAME(tensor_states)(const sp_iso *g, int chunk, const double *u, double *y) {
    if (g->nodes == 4 && g->penalty) return tensor_state_loop(g, chunk, u, y, SP_NAME(tensor_penalty4));
    if (g->nodes == 4) return tensor_state_loop(g, chunk, u, y, SP_NAME(tensor_stvk4));
    if (g->law == SP_LAW_LINEAR) return tensor_state_loop(g, chunk, u, y, SP_NAME(tensor_hooke3));
    return tensor_state_loop(g, chunk, u, y, SP_NAME(tensor_stvk3));
}

static void SP_NAME(tensor_products)(const sp_iso *g, int chunk, const double *x, double *y) {
    if (g->nodes == 4 && g->penalty)
        tensor_product_loop(g, chunk, x, y, SP_NAME(tensor_penalty4));
    else if (g->nodes == 4)
        tensor_product_loop(g, chunk, x, y, SP_NAME(tensor_stvk4));
    else if (g->law == SP_LAW_LINEAR)
        tensor_product_loop(g, chunk, x, y, SP_NAME(tensor_hooke3));
    else
        tensor_product_loop(g, chunk, x, y, SP_NAME(tensor_stvk3));
}

static void SP_NAME(tensor_assemble)(const sp_iso *g, const sp_stencil *where, double factor, double *blocks) {
    if (g->nodes == 4 && g->penalty)
        tensor_assemble_loop(g, where, factor, blocks, SP_NAME(tensor_penalty4));
    else if (g->nodes == 4)
        tensor_assemble_loop(g, where, factor, blocks, SP_NAME(tensor_stvk4));
    else if (g->law == SP_LAW_LINEAR)
        tensor_assemble_loop(g, where, factor, blocks, SP_NAME(tensor_hooke3));
    else
        tensor_assemble_loop(g, where, factor, blocks, SP_NAME(tensor_stvk3));
}
