// Walks over arrays that others keep, copy, hash or count: tiers of a body, what a solver remembers.
#ifndef SP_VISITOR_H
#define SP_VISITOR_H

#include <stdbool.h>
#include <stddef.h>

// Called with every array of one tier. `data` may be replaced by nobody; copy, hash or count what it points to.
typedef struct sp_visitor {
    void (*array)(struct sp_visitor *v, const char *name, void *data, size_t size, size_t count);
    void *user;
    bool writes;  // the arrays are written to: nobody else may read them meanwhile
} sp_visitor;

#endif
