// Sorts numbers without extra memory and without a comparison function: ascending, in place, fast on short and on nearly sorted
// lists.
#ifndef SP_UTIL_SORT_H
#define SP_UTIL_SORT_H

#include <stdint.h>

void sp__sort_ints(int *a, int n);
void sp__sort_keys(uint64_t *a, int n);  // what follows a key is sorted with it: put it into the low bits

#endif
