// Fields: numbers on the nodes or elements of a body. SP_FIELD_LIST says what each of them is; a kind lists in its table which of
// them it has and how to compute them. Whoever shows, records or measures fields asks here and knows no kind.
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
    // count x components numbers at the committed state, in users' numbering. step: the last one made, at whose loads forces are
    // found
    sp_status (*fill)(sp_body *b, const sp_step *step, sp_field_id id, double *out);
} sp_field;

// The field of this name or NULL, and what it is in this body.
const sp_field *sp__body_field(const sp_body *b, const char *name);
void sp__body_field_info(const sp_body *b, const sp_field *field, sp_field_info *out);
// Its numbers; out NULL: what it is only. A name that the body has not is refused with the names that it has.
sp_status sp__body_field_get(sp_body *b, const sp_step *step, const char *name, sp_field_info *info, double *out);

#endif
