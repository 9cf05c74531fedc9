// Fields: numbers on the nodes or elements of a body. SP_FIELD_LIST defines them. The table of a kind lists the fields that it
// has and how to compute them. Code that shows, records or measures fields uses these functions and does not depend on the kind.
#ifndef SP_FIELD_H
#define SP_FIELD_H

#include "core/core.h"
#include "souple/world.h"

typedef struct sp_body sp_body;
typedef struct sp_step sp_step;

// An entry of a kind's list.
typedef struct sp_field {
    sp_field_id id;
    int (*count)(const sp_body *b);  // items
    // count x components numbers at the committed state, in user numbering. step: the last step, whose loads act in forces
    sp_status (*fill)(sp_body *b, const sp_step *step, sp_field_id id, double *out);
} sp_field;

// The field of this name, or NULL; and its description for this body.
const sp_field *sp__body_field(const sp_body *b, const char *name);
void sp__body_field_info(const sp_body *b, const sp_field *field, sp_field_info *out);
// The numbers of a field. out NULL: only the description. The error for an unknown name lists the fields of the body.
sp_status sp__body_field_get(sp_body *b, const sp_step *step, const char *name, sp_field_info *info, double *out);

#endif
