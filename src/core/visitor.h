// Visitors over arrays that a caller copies, hashes or counts: tiers of a body, state of a solver.
#ifndef SP_VISITOR_H
#define SP_VISITOR_H

#include <stdbool.h>
#include <stddef.h>

// Called with every array of one tier. The visitor must not replace `data`; it copies, hashes or counts the array.
typedef struct sp_visitor {
    void (*array)(struct sp_visitor *v, const char *name, void *data, size_t size, size_t count);
    void *user;
    bool writes;   // the visitor writes to the arrays: no other thread may read them meanwhile
    bool scratch;  // it also sees what every step writes before it reads it
} sp_visitor;

#endif
