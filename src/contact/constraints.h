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
#include "body/contacts.h"
#include "contact/links.h"
#include "contact/pair_rules.h"
#include "contact/solve.h"

enum { SP_CONTACT_RESERVE_MAX = 1 << 24 };

typedef struct sp_constraints sp_constraints;

sp_status sp__constraints_create(sp_context *ctx, sp_constraints **out);
// Rules of pairs, and the clock of the budget of a step; both belong to the caller. Nullable: each.
void sp__constraints_use(sp_constraints *c, const sp_pair_rules *rules, sp_cone_clock *clock);
// Links, of the caller; nullable. contacts: whether contacts are searched, or links alone act.
void sp__constraints_use_links(sp_constraints *c, sp_link_list *links, bool contacts);
void sp__constraints_destroy(sp_constraints **c);  // accepts NULL
// Forgets surfaces and multipliers: before a body is removed.
void sp__constraints_forget(sp_constraints *c);
void sp__constraints_forget_body(sp_constraints *c, const sp_body *b);  // one that leaves; the multipliers of the others stay

typedef struct sp_constraints_info {
    int contacts, rows;
    bool grown;  // memory was allocated
    sp_cone_info solve;
    double overlap;  // deepest overlap at the committed state [m]
    int folded;      // pairs of triangles of a body that intersects itself, where its contacts with itself begin
    const sp_body *folded_body;
    bool unbuilt;  // W was too large to store: it was applied through the compliances
    // volumes, of the last search
    int overlaps;         // pairs and cells that overlap
    int contained;        // overlaps of a body that is inside another: no direction separates them
    int64_t unbalanced;   // rays that leave a surface more or less often than they enter it
    int layers;           // triangles that a ray crosses, at most in all searches of the step
    int layers_reserved;  // memory is reserved for so many
    double detection_ms;  // of all searches of the step
} sp_constraints_info;

sp_status sp__constraints_find(sp_constraints *c, sp_body *const *bodies, int count, const sp_contact_def *def,
                               const sp_step *step);
sp_status sp__constraints_delassus(sp_constraints *c, const sp_step *step);
// Largest W that is stored, in numbers; SP_DELASSUS_NUMBERS unless a test makes it smaller.
enum { SP_DELASSUS_NUMBERS = 4096 * 4096 };
void sp__constraints_limit(sp_constraints *c, size_t numbers);
sp_status sp__constraints_solve(sp_constraints *c, const sp_contact_def *def);
sp_status sp__constraints_correct(sp_constraints *c, const sp_contact_def *def, const sp_step *step);
// A further pass of the step (1, 2, ...): bodies with Newton's method are linearised at the trial state, contacts that only the
// corrected motion makes join, and all are solved again. *changed: the motion was changed, another pass may improve it.
sp_status sp__constraints_again(sp_constraints *c, sp_body *const *bodies, int count, const sp_contact_def *def,
                                const sp_step *step, int pass, bool *changed);
// Positions are corrected until nothing overlaps at the trial state; velocities stay. *changed: they were.
sp_status sp__constraints_separate(sp_constraints *c, sp_body *const *bodies, int count, const sp_contact_def *def,
                                   const sp_step *step, bool *changed);
// A step that is divided (world/divide.c): its contacts are those of all its parts, with the sums of their impulses. A step
// begins; a part of it has ended.
void sp__constraints_parts_begin(sp_constraints *c);
sp_status sp__constraints_part_done(sp_constraints *c);
// The contacts of a body carry nothing: it has been stopped.
void sp__constraints_release(sp_constraints *c, const sp_body *b);
void sp__constraints_commit(sp_constraints *c, sp_body *const *bodies, int count);
const sp_constraints_info *sp__constraints_info(const sp_constraints *c);
int sp__constraints_found(const sp_constraints *c);           // contacts of the current step
int sp__constraints_found_vertices(const sp_constraints *c);  // and vertices of their patches

// Links of the current step: the one whose points stay farthest apart although its rows are not soft, and their distance [m];
// NULL: none.
sp_link *sp__constraints_worst_link(const sp_constraints *c, double *apart);
// Force of each link in the current step, on its first side [N]; of the links that act.
void sp__constraints_link_force(const sp_constraints *c, const sp_link *link, double h, double force[3]);
int sp__constraints_link_rows(const sp_constraints *c, const sp_link *link);  // 0: all its points have slid off

// A collision surface with open edges that may touch another body by volumes, in the committed state; edges 0: there is none.
sp_status sp__constraints_open_surface(sp_context *ctx, const sp_pair_rules *rules, sp_body *const *bodies, int count,
                                       const sp_contact_def *def, sp_open_surface *out);

// The problem of the last solve; NULL: it had neither contacts nor links.
const sp_cone_problem *sp__constraints_problem(const sp_constraints *c);

// Contacts of the last committed step. The records are complete until the next search: sp__contacts_finish then computes their
// pressures.
int sp__constraints_count(const sp_constraints *c);
void sp__constraints_at(const sp_constraints *c, int index, sp_contacts *list);  // appends it to the list

// Checkpoints: number of multipliers, the most that there can be, and the array. sp__constraints_keep forgets the contacts and
// keeps `count` multipliers, which the next visit writes; 0: after the state was set.
int sp__constraints_kept(const sp_constraints *c);
int sp__constraints_most(void);
sp_status sp__constraints_reserve_multipliers(sp_constraints *c, int count);  // before sp__constraints_keep
void sp__constraints_keep(sp_constraints *c, int count);
void sp__constraints_visit(sp_constraints *c, int count, sp_visitor *v);
uint64_t sp__constraints_hash(const sp_constraints *c);  // of the multipliers; 0: no contact

#endif
