// See sort.h.
#include "util/sort.h"

#include <stdint.h>

// Shell sort with the gaps of Ciura 2001, continued by 9/4: below n^1.3 comparisons in practice; short lists use insertion sort
// alone
#define SORT(type, a, n)                                                        \
    static const int gaps[] = {4193, 1750, 701, 301, 132, 57, 23, 10, 4, 1};    \
    int large[40], count = 0;                                                   \
    for (int64_t g = 9434; g < n; g = g * 9 / 4) large[count++] = (int)g;       \
    for (int k = -count; k < (int)(sizeof gaps / sizeof *gaps); k++) {          \
        int gap = k < 0 ? large[-k - 1] : gaps[k];                              \
        for (int i = gap; i < n; i++) {                                         \
            type value = a[i];                                                  \
            int j = i;                                                          \
            for (; j >= gap && a[j - gap] > value; j -= gap) a[j] = a[j - gap]; \
            a[j] = value;                                                       \
        }                                                                       \
    }

void sp__sort_ints(int *a, int n) {
    SORT(int, a, n)
}

void sp__sort_keys(uint64_t *a, int n) {
    SORT(uint64_t, a, n)
}
