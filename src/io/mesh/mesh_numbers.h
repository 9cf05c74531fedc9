// Numbers of binary files: ten types and two byte orders, converted from and to doubles.
#ifndef SP_MESH_NUMBERS_H
#define SP_MESH_NUMBERS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef enum sp_number {
    SP_INT8,
    SP_UINT8,
    SP_INT16,
    SP_UINT16,
    SP_INT32,
    SP_UINT32,
    SP_INT64,
    SP_UINT64,
    SP_FLOAT32,
    SP_FLOAT64,
    SP_NUMBER_TYPES  // number of types; also means: no type
} sp_number;

#define SP_HOST_BIG (__BYTE_ORDER__ == __ORDER_BIG_ENDIAN__)

size_t sp__number_size(sp_number type);
static inline bool sp__number_integral(sp_number type) {
    return type < SP_FLOAT32;
}
// Reads n numbers at `bytes`, `step` bytes apart, into every `out_step`-th entry of `out`. `swap`: other byte order.
void sp__numbers_get(const void *bytes, sp_number type, bool swap, size_t n, size_t step, double *out, size_t out_step);
// Reads contiguous integers. Values outside of int64_t become negative, which no count or index accepts.
void sp__numbers_get_int64(const void *bytes, sp_number type, bool swap, size_t n, int64_t *out);
void sp__numbers_put(const double *values, size_t n, sp_number type, bool swap, void *out);
// The smallest lossless type: integers as Int8 (only if `bytes`), Int32 or Int64, others as float or double.
sp_number sp__numbers_fit(const double *values, size_t n, bool integral, bool bytes);
void sp__bytes_swap(void *bytes, size_t n, size_t size);  // swaps n numbers in place

#endif
