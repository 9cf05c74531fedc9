// A step that is divided (world/divide.c) has the contacts of all its parts. Their impulses and displacements are added up in
// world axes, because normals turn from part to part; everything else is that of the last part in which a contact was found. The
// state, the impulses from which the next step starts, is that of the last part.
#include "contact/constraints_internal.h"

void sp__constraints_parts_begin(sp_constraints *c) {
    c->done_count = c->parts_done = 0, c->parts_h = 0;
}

// Slip without the flow of viscous friction, which is a compliance of the row.
static void contact_sums(const sp_constraint_contact *k, double impulse[3], double slip[3]) {
    const double moved[3] = {0, k->u[1] - k->viscous * k->lambda[1], k->u[2] - k->viscous * k->lambda[2]};
    sp__mul3t(k->frame, k->lambda, impulse);
    sp__mul3t(k->frame, moved, slip);
}

void sp__constraints_sums(const sp_constraints *c, const sp_constraint_contact *k, double impulse[3], double slip[3]) {
    if (c->last_divided)
        memcpy(impulse, k->impulse, sizeof k->impulse), memcpy(slip, k->slip, sizeof k->slip);
    else
        contact_sums(k, impulse, slip);
}

// A contact of this part; before: the same contact in the parts before it, or NULL.
static sp_constraint_contact contact_done(const sp_constraint_contact *now, const sp_constraint_contact *before) {
    sp_constraint_contact out = *now;
    contact_sums(now, out.impulse, out.slip);
    for (int a = 0; a < 3 && before; a++) out.impulse[a] += before->impulse[a], out.slip[a] += before->slip[a];
    return out;
}

// Contacts of this part whose keys are not in the list. Both are sorted.
static int parts_fresh(const sp_constraints *c) {
    int fresh = 0;
    for (int i = 0, k = 0; k < c->count; k++) {
        while (i < c->done_count && sp__constraints_compare(c->done[i].key, c->contacts[k].key) < 0) i++;
        fresh += i == c->done_count || sp__constraints_compare(c->done[i].key, c->contacts[k].key) != 0;
    }
    return fresh;
}

sp_status sp__constraints_part_done(sp_constraints *c) {
    const int fresh = parts_fresh(c);
    SP_TRY(ROOM(c, c->done, c->done_capacity, c->done_count + fresh));
    SP_TRY(sp__links_part_done(c));
    // merged from the end
    int to = c->done_count + fresh, i = c->done_count - 1;
    c->done_count = to;
    for (int k = c->count - 1; k >= 0; k--) {
        const sp_constraint_contact *now = &c->contacts[k];
        while (i >= 0 && sp__constraints_compare(c->done[i].key, now->key) > 0) c->done[--to] = c->done[i--];
        const bool same = i >= 0 && sp__constraints_compare(c->done[i].key, now->key) == 0;
        const sp_constraint_contact sum = contact_done(now, same ? &c->done[i] : NULL);
        c->done[--to] = sum, i -= same;
    }
    c->parts_done++, c->parts_h += c->part_h;
    return SP_OK;
}
