// Symmetric matrices in Matrix Market files (Boisvert, Pozo and Remington 1996): coordinate format, real, integer or pattern,
// symmetric or general. A general file must hold a symmetric matrix. A pattern gets -1 off the diagonal and one more than the
// count of the others on it, so that it is positive definite.
#ifndef SP_MATRIX_MARKET_H
#define SP_MATRIX_MARKET_H

#include "sparse/symmetric.h"

// One unknown a block. Diagonal entries that the file leaves out are zeros of the pattern; a row without any entry is refused.
// Messages name file, line, value and range.
sp_status sp__mtx_read(sp_context *ctx, const char *path, sp_symmetric_own *out);
// The same from text in memory, with a zero byte after its end; `name` stands for the file in messages.
sp_status sp__mtx_parse(sp_context *ctx, const char *name, const char *text, size_t size, sp_symmetric_own *out);
// Every entry of the pattern, zeros too, so that it reads back bit for bit.
sp_status sp__mtx_write(sp_context *ctx, const char *path, const sp_symmetric *A);
// The unknowns of a matrix of single unknowns taken together, `block` to a row; their number must be a multiple of it.
sp_status sp__mtx_group(sp_context *ctx, const sp_symmetric *A, int block, sp_symmetric_own *out);

#endif
