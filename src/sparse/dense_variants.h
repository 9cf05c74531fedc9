// One set of dense kernels in double and in float for one vector width. The including file defines SP_DENSE_BYTES, SP_DENSE_HIGH
// (vectors per tile height) and SP_DENSE_VARIANT(name), the names of the two tables.
#include <math.h>
#include <string.h>

#include "math/unroll.h"  // the loops over the vectors of a tile
#include "sparse/dense.h"

#define real double
#define DENSE(name) name##_d
#define SP_DENSE_SQRT sqrt
#include "sparse/dense_loops.h"
const sp_dense_d SP_DENSE_VARIANT(d) = {
    SP_DENSE_ISA, diagonal_d,     below_d,         pack_d,       update_d,      update_whole_d, forward_d,
    backward_d,   forward_many_d, backward_many_d, many_below_d, rank_update_d, product_d,      product_transposed_d,
};
#undef real
#undef DENSE
#undef SP_DENSE_SQRT

#define real float
#define DENSE(name) name##_f
#define SP_DENSE_SQRT sqrtf
#include "sparse/dense_loops.h"
const sp_dense_f SP_DENSE_VARIANT(f) = {
    SP_DENSE_ISA, diagonal_f,     below_f,         pack_f,       update_f,      update_whole_f, forward_f,
    backward_f,   forward_many_f, backward_many_f, many_below_f, rank_update_f, product_f,      product_transposed_f,
};
