// One set of loops in double and in float. The including file defines SP_FACTOR_VARIANT(name), the names of the two tables.
#include "sparse/factor_internal.h"

#define real double
#define LOOP(name) name##_d
#define DENSE_TABLE(F) ((F)->dense_d)
#include "sparse/factor_loops.h"
const sp_factor_loops SP_FACTOR_VARIANT(d) = {make_front_d, forward_d, backward_d, scale_d, product_d, put_d, get_d};
#undef real
#undef LOOP
#undef DENSE_TABLE

#define real float
#define LOOP(name) name##_f
#define DENSE_TABLE(F) ((F)->dense_f)
#include "sparse/factor_loops.h"
const sp_factor_loops SP_FACTOR_VARIANT(f) = {make_front_f, forward_f, backward_f, scale_f, product_f, put_f, get_f};
