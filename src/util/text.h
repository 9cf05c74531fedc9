// Numbers as people write them.
#ifndef SP_UTIL_TEXT_H
#define SP_UTIL_TEXT_H

#include <stddef.h>

// Six significant digits without padding of the exponent: 1e15 and 1e-6 instead of 1e+15 and 1e-06.
void sp__short_number(double x, char *out, size_t size);

#endif
