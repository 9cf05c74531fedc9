// Dense kernels for any machine: vectors of 16 bytes, in tiles that leave half of 16 registers for the operands.
#include "sparse/dense.h"
#define SP_DENSE_BYTES 16
#define SP_DENSE_HIGH 2
#define SP_DENSE_ISA "generic"
#define SP_DENSE_VARIANT(type) sp__dense_generic_##type
#include "sparse/dense_variants.h"
