// Base64 (RFC 4648, section 4) as VTK uses it: streams may follow each other, each padded, with white space anywhere.
#ifndef SP_BASE64_H
#define SP_BASE64_H

#include <stdbool.h>
#include <stddef.h>

// Characters of n bytes, and their encoding into `out`, without a zero byte after it.
size_t sp__base64_length(size_t n);
void sp__base64_encode(const void *bytes, size_t n, char *out);
// `want` bytes from at most n characters; returns the characters taken, or 0: a character that does not belong, or too few.
// *bad (nullable) is then the place of the first that does not fit, n where they end too early.
size_t sp__base64_decode(const char *text, size_t n, void *out, size_t want, size_t *bad);

#endif
