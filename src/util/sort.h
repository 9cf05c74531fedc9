// A sort of integers that needs no memory and no comparison function.
#ifndef SP_UTIL_SORT_H
#define SP_UTIL_SORT_H

void sp__sort_ints(int *a, int n);  // rising, in place; quick on short and on nearly sorted lists

#endif
