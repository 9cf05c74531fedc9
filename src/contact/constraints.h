// Contact by constraints: the stages of a step between the free motion of the bodies and the guard (Courtecuisse 2011, chapter
// 5).
//
//   find        surfaces of all bodies, from the committed to the free state: contacts, their rows J and violations delta
//   delassus    W = sum over the bodies of h J A^-1 J^T, through the compliance of each body (linear/compliance.h)
//   solve       0 <= delta + W lambda, lambda in the Coulomb cone, complementary (contact/solve.h)
//   correct     v += A^-1 J^T lambda, q = committed q (+) h v, with the same inverse
//
// A contact has three rows, its normal and two tangents. Violations are lengths [m]: the distance along the normal minus the gap,
// and the relative displacement of the step along the tangents. Multipliers are impulses [N s]. A row acts on one material point
// of each body, or on a weighted mean of up to three. Bodies that nothing can move (fixed, kinematic, frozen) add nothing to W.
//
// Everything is on trial arrays until commit. Multipliers of the last step start the next solve; they belong to the state.
#ifndef SP_CONSTRAINTS_H
#define SP_CONSTRAINTS_H

#include "body/body.h"
#include "contact/solve.h"

typedef struct sp_constraints sp_constraints;

sp_status sp__constraints_create(sp_context *ctx, sp_constraints **out);
void sp__constraints_destroy(sp_constraints **c);  // accepts NULL
// Forgets surfaces and multipliers: before a body is removed.
void sp__constraints_forget(sp_constraints *c);

typedef struct sp_constraints_info {
    int contacts, rows;
    bool grown;  // memory was allocated
    sp_cone_info solve;
    double overlap;  // deepest overlap at the committed state [m]
} sp_constraints_info;

sp_status sp__constraints_find(sp_constraints *c, sp_body *const *bodies, int count, const sp_contact_def *def,
                               const sp_step *step);
sp_status sp__constraints_delassus(sp_constraints *c, const sp_step *step);
sp_status sp__constraints_solve(sp_constraints *c, const sp_contact_def *def);
sp_status sp__constraints_correct(sp_constraints *c, const sp_step *step);
void sp__constraints_commit(sp_constraints *c, const sp_step *step);
const sp_constraints_info *sp__constraints_info(const sp_constraints *c);

// Contacts of the last committed step.
int sp__constraints_count(const sp_constraints *c);
void sp__constraints_at(const sp_constraints *c, int index, sp_contact_point *out);

// Checkpoints: number of multipliers, the most that there can be, and the array. sp__constraints_keep forgets the contacts and
// keeps `count` multipliers, which the next visit writes; 0: after the state was set.
int sp__constraints_kept(const sp_constraints *c);
int sp__constraints_most(void);
void sp__constraints_keep(sp_constraints *c, int count);
void sp__constraints_visit(sp_constraints *c, int count, sp_visitor *v);
uint64_t sp__constraints_hash(const sp_constraints *c);  // of the multipliers; 0: no contact

#endif
