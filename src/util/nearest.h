// Which known word an unknown one is meant to be.
#ifndef SP_UTIL_NEAREST_H
#define SP_UTIL_NEAREST_H

// The known word within an edit distance of 2, less for short words; words of other programs for ours ("E" for "young") count as
// near. NULL: none.
const char *sp__nearest(const char *word, const char *const *known, int n);
// Insertions, deletions, changes and swaps of neighbours from a to b; limit + 1 where there are more.
int sp__edit_distance(const char *a, const char *b, int limit);

#endif
