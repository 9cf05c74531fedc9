// Numbers of binary files: ten types, two byte orders, from and to doubles.
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
    SP_NUMBER_TYPES  // how many; also: none of them
} sp_number;

#define SP_HOST_BIG (__BYTE_ORDER__ == __ORDER_BIG_ENDIAN__)

size_t sp__number_size(sp_number type);
static inline bool sp__number_integral(sp_number type) {
    return type < SP_FLOAT32;
}
// n numbers at `bytes`, `step` bytes from one to the next, to every `out_step`-th of `out`. `swap`: of the other byte order.
void sp__numbers_get(const void *bytes, sp_number type, bool swap, size_t n, size_t step, double *out, size_t out_step);
// Integers packed one after the other; what int64_t cannot hold becomes negative, which no count or place allows.
void sp__numbers_get_int64(const void *bytes, sp_number type, bool swap, size_t n, int64_t *out);
void sp__numbers_put(const double *values, size_t n, sp_number type, bool swap, void *out);
// The smallest type that keeps every bit: whole numbers as Int8 (only if `bytes`), Int32 or Int64, others as float or double.
sp_number sp__numbers_fit(const double *values, size_t n, bool integral, bool bytes);
void sp__bytes_swap(void *bytes, size_t n, size_t size);  // n numbers in place

#endif
