// Spelling suggestions: the known word that is nearest to an unknown word.
#ifndef SP_UTIL_NEAREST_H
#define SP_UTIL_NEAREST_H

// Returns the known word within an edit distance of 2, less for short words. Synonyms from other programs ("E" for "young") also
// match. NULL: none.
const char *sp__nearest(const char *word, const char *const *known, int n);
// Number of insertions, deletions, substitutions and swaps of neighbours from a to b; limit + 1 if it exceeds the limit.
int sp__edit_distance(const char *a, const char *b, int limit);

#endif
