// Symmetric matrices in Matrix Market files (Boisvert, Pozo and Remington 1996): coordinate format, real, integer or pattern,
// symmetric or general. A general file must hold a symmetric matrix. A pattern gets -1 off the diagonal and the number of
// off-diagonal entries of the row plus one on it, which makes it positive definite.
#ifndef SP_MATRIX_MARKET_H
#define SP_MATRIX_MARKET_H

#include "sparse/symmetric.h"

// One unknown per block. Missing diagonal entries become zeros of the sparsity pattern; an empty row is an error. Messages name
// file, line, value and range.
sp_status sp__mtx_read(sp_context *ctx, const char *path, sp_symmetric_own *out);
// The same from memory, with a zero byte after the text. `name` replaces the file name in messages.
sp_status sp__mtx_parse(sp_context *ctx, const char *name, const char *text, size_t size, sp_symmetric_own *out);
// Writes every entry of the pattern including zeros, so that the file reads back bit for bit.
sp_status sp__mtx_write(sp_context *ctx, const char *path, const sp_symmetric *A);
// Groups the scalar unknowns of a matrix into blocks of size `block`, which must divide their number.
sp_status sp__mtx_group(sp_context *ctx, const sp_symmetric *A, int block, sp_symmetric_own *out);

#endif
