// Rules of contact by constraints: what holds for a contact between two parts of bodies. Pairs override the definition of
// contact; the narrower pair wins, value by value. Below them come the friction coefficients of parts themselves (regions,
// surfaces).
//
// A part is a set of features of one body: all, those of one surface, or those whose nodes are in a set. A pair holds for a
// contact if one side is in a part of `a` and the other in a part of `b`. It is narrower than another one if its parts are
// contained in those of the other. Two pairs that overlap, and neither of which is narrower, are refused: which of them holds
// would depend on their order.
#ifndef SP_PAIR_RULES_H
#define SP_PAIR_RULES_H

#include "body/body.h"
#include "collide/collide.h"

typedef struct sp_pair_rules sp_pair_rules;

enum { SP_CONTACT_CELL_MAX = 4096 };  // pixels

static inline bool sp__contact_is_volume(sp_contact_formulation f) {
    return f == SP_CONTACT_VOLUME || f == SP_CONTACT_VOLUME_PENALTY;
}

sp_status sp__pair_rules_create(sp_context *ctx, sp_pair_rules **out);
void sp__pair_rules_destroy(sp_pair_rules **rules);  // accepts NULL

// What a rule is made of: a part of a definition with its body.
typedef struct sp_rule_part_def {
    sp_body *body;
    const sp_contact_part *part;
} sp_rule_part_def;

// Adds a pair. The parts are those of def->a, then those of def->b. SP_BAD_INPUT: nodes that the body does not have, or an
// overlap.
sp_status sp__pair_rules_add(sp_pair_rules *rules, const sp_contact_pair_def *def, const sp_rule_part_def *parts, int *index);
// Adds the friction of a part. path: of its parameter; nullable.
sp_status sp__pair_rules_add_friction(sp_pair_rules *rules, const sp_rule_part_def *part, double friction, const char *path);

int sp__pair_rules_count(const sp_pair_rules *rules);  // pairs; 0 also for NULL
// The friction coefficients of all rules, pairs and parts in order of creation, NaN: not given. They are parameters.
int sp__pair_rules_friction_count(const sp_pair_rules *rules);
double *sp__pair_rules_friction(sp_pair_rules *rules, int index, const char **path);  // *path is "": not a parameter
double *sp__pair_rules_frictions(sp_pair_rules *rules);                               // the array

// Values of one contact.
typedef struct sp_contact_rule {
    bool enabled;
    double friction;
    double alarm, gap;  // [m]; contacts are made below alarm + gap
    bool continuous;
    sp_contact_formulation formulation;
    double pixel;  // of volumes [m]
} sp_contact_rule;

// One side of a contact: where it is.
typedef struct sp_rule_side {
    uint32_t slot;              // of the body
    int surface;                // number; -1: a shape
    const sp_surface *at;       // NULL: a shape
    const sp_contact_side *on;  // the feature; NULL: anywhere on the surface
} sp_rule_side;

// Whether a pair with a volume, or one with a distance, may exist. `base` is the formulation of the definition.
bool sp__pair_rules_has(const sp_pair_rules *rules, sp_contact_formulation base, bool volume);
double sp__pair_rules_pixel(const sp_pair_rules *rules, double base);  // the smallest one [m]; base 0: that of the pairs
// Whether the bodies of two colliders can touch at a distance, the largest distance (alarm and gap) of any rule that may hold for
// them, and whether one of these is continuous. `base` has the values of the definition.
bool sp__pair_rules_search(const sp_pair_rules *rules, const sp_contact_rule *base, const sp_rule_side side[2], double *distance,
                           bool *continuous);
// Rule of one contact.
sp_contact_rule sp__pair_rules_of(const sp_pair_rules *rules, const sp_contact_rule *base, const sp_rule_side side[2]);
// The largest distance of all rules and the definition.
double sp__pair_rules_distance(const sp_pair_rules *rules, const sp_contact_rule *base);

#endif
