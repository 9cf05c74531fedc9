// Sorts integers without extra memory and without a comparison function.
#ifndef SP_UTIL_SORT_H
#define SP_UTIL_SORT_H

void sp__sort_ints(int *a, int n);  // ascending, in place; fast on short and on nearly sorted lists

#endif
