// Base64 (RFC 4648, section 4) as VTK uses it: padded streams may follow each other, and white space may stand anywhere.
#ifndef SP_BASE64_H
#define SP_BASE64_H

#include <stdbool.h>
#include <stddef.h>

// Number of characters for n bytes, and the encoder, which writes no terminating zero.
size_t sp__base64_length(size_t n);
void sp__base64_encode(const void *bytes, size_t n, char *out);
// Decodes `want` bytes from at most n characters. Returns the characters read, or 0 on an invalid character or too few of them;
// *bad (nullable) is then the index of the first invalid character, or n if the text is too short.
size_t sp__base64_decode(const char *text, size_t n, void *out, size_t want, size_t *bad);

#endif
