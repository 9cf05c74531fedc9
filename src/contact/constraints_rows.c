// From contacts to the problem: rows of the bodies, violations at the free state, and the Delassus operator.
#include "contact/constraints_internal.h"
#include "core/share.h"
#include "util/sort.h"

// ---------------------------------------------------------------------------------------------------- rows

sp_constraint_body *sp__constraints_touched(sp_constraints *c, sp_body *b) {
    for (int i = 0; i < c->touched_count; i++)
        if (c->touched[i].body == b) return &c->touched[i];
    return NULL;
}

// Both sides are of one body: its rows are the differences of the two sides.
static bool touches_itself(const sp_constraint_contact *k) {
    return k->body[0] == k->body[1];
}

sp_status sp__constraints_touch(sp_constraints *c, sp_body *b, sp_constraint_body **out) {
    sp_constraint_body *t = sp__constraints_touched(c, b);
    if (!t) {
        SP_TRY(ROOM(c, c->touched, c->touched_capacity, c->touched_count + 1));
        t = &c->touched[c->touched_count++];
        t->body = b, t->count = t->block_count = t->link_row_count = 0;
        t->free = !sp__constraints_is_static(b) && !b->frozen && b->has_system;
    }
    *out = t;
    return SP_OK;
}

static sp_status touch_add(sp_constraints *c, sp_body *b, int entry) {
    sp_constraint_body *t;
    SP_TRY(sp__constraints_touch(c, b, &t));
    SP_TRY(ROOM(c, t->list, t->list_capacity, t->count + 1));
    t->list[t->count++] = entry;
    return SP_OK;
}

static sp_status touched_room(sp_constraints *c, sp_constraint_body *t, int subs) {
    int start = t->sub_capacity ? t->sub_capacity + 1 : 0, anchors = t->sub_capacity, directions = 3 * t->sub_capacity;
    if (subs <= t->sub_capacity) return SP_OK;
    SP_TRY(ROOM(c, t->anchor, anchors, subs));
    SP_TRY(ROOM(c, t->direction, directions, 3 * subs));
    SP_TRY(ROOM(c, t->J.start, start, subs + 1));
    SP_LEND(c->ctx, t->anchor), SP_LEND(c->ctx, t->direction), SP_LEND(c->ctx, t->J.start);
    t->sub_capacity = anchors < start - 1 ? anchors : start - 1;
    if (directions / 3 < t->sub_capacity) t->sub_capacity = directions / 3;
    return SP_OK;
}

// A kind may need any number of entries in a row (a curved rod: all unknowns before the point): the capacity is doubled until the
// rows fit.
static sp_status touched_jacobian(sp_constraints *c, sp_constraint_body *t, int subs) {
    int wanted = 12 * subs;
    for (;;) {
        int columns = t->entry_capacity, values = t->entry_capacity;
        SP_TRY(ROOM(c, t->J.col, columns, wanted));
        SP_TRY(ROOM(c, t->J.val, values, wanted));
        SP_LEND(c->ctx, t->J.col), SP_LEND(c->ctx, t->J.val);
        t->J.capacity = t->entry_capacity = columns < values ? columns : values;
        const sp_which state = sp__constraints_row_state(c, t->body);
        sp_status status = t->body->ops->jacobian_rows(t->body, state, subs, t->anchor, t->direction, &t->J);
        if (status != SP_BAD_INPUT || wanted > INT32_MAX / 4) return status;
        wanted = 2 * t->entry_capacity;
    }
}

// Material points of a row of entry i of a body: those of one side, or of both if the body touches itself.
static int entry_anchors(const sp_constraints *c, const sp_constraint_body *t, int i) {
    const sp_constraint_contact *k = &c->contacts[t->list[i] / 2];
    return k->anchor_count[t->list[i] % 2] + (touches_itself(k) ? k->anchor_count[1] : 0);
}

// Rows of one body: for each of its contacts and each direction, the sum over the material points.
static sp_status touched_rows(sp_constraints *c, sp_constraint_body *t) {
    int subs = 0;
    for (int i = 0; i < t->count; i++) subs += 3 * entry_anchors(c, t, i);
    const int links = sp__links_part_count(c, t), all = subs + links;
    SP_TRY(touched_room(c, t, all));
    subs = 0;
    for (int i = 0; i < t->count; i++) {
        const sp_constraint_contact *k = &c->contacts[t->list[i] / 2];
        const int last = touches_itself(k) ? 1 : t->list[i] % 2;
        for (int d = 0; d < 3; d++)
            for (int side = t->list[i] % 2; side <= last; side++)
                for (int j = 0; j < k->anchor_count[side]; j++, subs++) {
                    if (sp__constraints_is_volume(k)) {
                        sp__volumes_part(c, k, side, j, d, &t->anchor[subs], t->direction + 3 * subs);
                        continue;
                    }
                    double sign = side == 0 ? k->weight[side][j] : -k->weight[side][j];
                    t->anchor[subs] = k->anchor[side][j];
                    for (int a = 0; a < 3; a++) t->direction[3 * subs + a] = sign * k->frame[3 * d + a];
                }
    }
    sp__links_parts(c, t, subs);
    SP_TRY(touched_jacobian(c, t, all));
    // the parts of a row follow each other
    int part = 0, row = 0;
    for (int i = 0; i < t->count; i++)
        for (int d = 0; d < 3; d++) {
            t->J.start[row++] = t->J.start[part];
            part += entry_anchors(c, t, i);
        }
    sp__links_merge(c, t, part);
    return sp__volumes_merge(c, t);
}

// ---------------------------------------------------------------------------------------------------- strands

// The strands of a rod are independent: a contact of one does not move the others. What a contact of a body has in its strands
// becomes one key for each strand, and sorted keys are the contacts of each strand along it.
enum { KEY_CONTACT = 20, KEY_UNKNOWN = 24 };  // bits

static int strand_of(const sp_parts *p, int unknown) {
    int low = 0, high = p->count - 1;
    while (low < high) {
        const int middle = (low + high + 1) / 2;
        if (p->start[middle] > unknown)
            high = middle - 1;
        else
            low = middle;
    }
    return low;
}

static int key_strand(uint64_t key) {
    return (int)(key >> (KEY_CONTACT + KEY_UNKNOWN));
}

static int key_contact(uint64_t key) {
    return (int)(key & ((1u << KEY_CONTACT) - 1));
}

// one key for each strand of a contact, with the first unknown that its rows have there
static sp_status contact_keys(sp_constraints *c, sp_constraint_body *t, int contact, int *count) {
    const sp_parts *p = t->body->system.parts;
    const int before = *count, row = 3 * contact;
    for (int k = t->J.start[row]; k < t->J.start[row + 1]; k++) {
        const int col = t->J.col[k], strand = strand_of(p, col);
        const uint64_t key = (uint64_t)strand << (KEY_CONTACT + KEY_UNKNOWN) | (uint64_t)(col - p->start[strand]) << KEY_CONTACT |
                             (uint64_t)contact;
        int i = before;
        while (i < *count && key_strand(t->strand_keys[i]) != strand) i++;
        if (i == *count) {
            SP_TRY(ROOM(c, t->strand_keys, t->key_capacity, *count + 1));
            t->strand_keys[(*count)++] = key;
        } else if (key < t->strand_keys[i]) {
            t->strand_keys[i] = key;
        }
    }
    return SP_OK;
}

static sp_status touched_strands(sp_constraints *c, sp_constraint_body *t) {
    int count = 0, rows = 0;
    t->strand_count = 0;
    if (!t->free || !t->body->system.parts || t->block_count || t->count >> KEY_CONTACT) return SP_OK;
    for (int i = 0; i < t->count; i++) SP_TRY(contact_keys(c, t, i, &count));
    sp__sort_keys(t->strand_keys, count);
    SP_TRY(ROOM(c, t->strand_row, t->strand_row_capacity, 3 * count));
    for (int i = 0; i < count; i++)
        for (int d = 0; d < 3; d++) t->strand_row[rows++] = 3 * key_contact(t->strand_keys[i]) + d;
    for (int i = 0, end; i < count; i = end) {
        for (end = i; end < count && key_strand(t->strand_keys[end]) == key_strand(t->strand_keys[i]);) end++;
        SP_TRY(ROOM(c, t->strands, t->strand_capacity, t->strand_count + 1));
        t->strands[t->strand_count++] =
            (sp_part_rows){.part = key_strand(t->strand_keys[i]), .count = 3 * (end - i), .row = t->strand_row + 3 * i};
    }
    return SP_OK;
}

static double product_numbers(const sp_constraint_body *t) {
    double numbers = 0;
    for (int i = 0; i < t->strand_count; i++) numbers += (double)t->strands[i].count * t->strands[i].count;
    return t->strand_count ? numbers : (double)t->J.n * t->J.n;
}

// number of contact i of a strand in the problem
static int strand_contact(const sp_constraint_body *t, const sp_part_rows *s, int i) {
    return t->list[s->row[3 * i] / 3];
}

static void add_member(sp_constraints *c, int contact, int *count) {
    for (int g = 0; g < sp__constraints_groups(&c->contacts[contact]); g++) c->member[(*count)++] = c->group_of[contact] + g;
}

// The contacts of a body, or of each of its strands, are coupled.
static sp_status add_cliques(sp_constraints *c, sp_constraint_body *t) {
    SP_TRY(ROOM(c, c->member, c->member_capacity, 2 * t->count + t->block_count));
    for (int i = 0; i < t->strand_count; i++) {
        const sp_part_rows *s = &t->strands[i];
        int count = 0;
        for (int k = 0; k < s->count / 3; k++) add_member(c, strand_contact(t, s, k), &count);
        SP_TRY(sp__cone_add_clique(c->problem, count, c->member));
    }
    if (t->strand_count) return SP_OK;
    int count = 0;
    for (int k = 0; k < t->count; k++) add_member(c, t->list[k], &count);
    for (int k = 0; k < t->block_count; k++) c->member[count++] = sp__constraints_link_group(c, t->blocks[k].group);
    return sp__cone_add_clique(c->problem, count, c->member);
}

// ---------------------------------------------------------------------------------------------------- the problem

// Each body couples all its contacts. The sum counts blocks of pairs of bodies twice, which only makes the limit safe.
static bool delassus_is_large(const sp_constraints *c) {
    double numbers = 0;
    for (int i = 0; i < c->touched_count; i++)
        if (c->touched[i].free) numbers += product_numbers(&c->touched[i]);
    return numbers > (double)c->numbers_most;
}

static sp_status contact_groups(sp_constraints *c) {
    SP_TRY(ROOM(c, c->group_of, c->group_capacity, c->count + 1));
    for (int i = 0; i < c->count; i++) {
        const sp_constraint_contact *k = &c->contacts[i];
        c->group_of[i] = c->problem->group_count;
        if (sp__constraints_groups(k) == 1) {
            SP_TRY(sp__cone_add_group(c->problem, SP_CONE_COULOMB, 3, k->friction, NULL));
        } else {
            SP_TRY(sp__cone_add_group(c->problem, SP_CONE_UNILATERAL, 1, 0, NULL));
            SP_TRY(sp__cone_add_group(c->problem, SP_CONE_BILATERAL, 2, 0, NULL));
        }
    }
    c->group_of[c->count] = c->problem->group_count;
    return SP_OK;
}

static sp_status problem_groups(sp_constraints *c) {
    sp__cone_clear(c->problem);
    SP_TRY(contact_groups(c));
    SP_TRY(sp__links_groups(c));
    for (int i = 0; i < c->touched_count; i++) {
        sp_constraint_body *t = &c->touched[i];
        if (!t->free) continue;
        for (int k = 0; k < t->count; k++) t->list[k] /= 2;
        SP_TRY(add_cliques(c, t));
    }
    c->info.unbuilt = delassus_is_large(c);
    if (!c->info.unbuilt) SP_TRY(sp__cone_layout(c->problem));
    for (int i = 0; i < c->count; i++)
        for (int d = 0; d < 3; d++)
            c->problem->q[3 * i + d] = c->contacts[i].delta[d], c->problem->lambda[3 * i + d] = c->contacts[i].lambda[d];
    sp__links_to_problem(c);
    return SP_OK;
}

// Violations of contacts that were found at a corrected state, at the free state: delta += h J (v free - v trial).
static void move_to_free_state(sp_constraints *c, const sp_constraint_body *t, double h) {
    const sp_body *b = t->body;
    for (int r = 0; t->free && b->has_free_velocity && r < 3 * t->count; r++) {
        sp_constraint_contact *k = &c->contacts[t->list[r / 3] / 2];
        double sum = 0;
        for (int e = t->J.start[r]; e < t->J.start[r + 1]; e++)
            sum += t->J.val[e] * (b->free_velocity[t->J.col[e]] - b->v[SP_TRIAL][t->J.col[e]]);
        if (k->fresh) k->delta[r % 3] += h * sum;
    }
}

// The rows of all contacts and the layout of the problem.
sp_status sp__constraints_rows(sp_constraints *c, const sp_step *step) {
    c->touched_count = 0;
    for (int i = 0; i < c->count; i++)
        for (int s = 0; s < (touches_itself(&c->contacts[i]) ? 1 : 2); s++)
            SP_TRY(touch_add(c, c->contacts[i].body[s], 2 * i + s));
    SP_TRY(sp__links_touch(c));
    for (int i = 0; i < c->touched_count; i++) {
        SP_TRY(touched_rows(c, &c->touched[i]));
        SP_TRY(touched_strands(c, &c->touched[i]));
        move_to_free_state(c, &c->touched[i], step->h);
        sp__links_to_free_state(c, &c->touched[i], step->h);
    }
    for (int i = 0; i < c->count; i++) c->contacts[i].fresh = false;
    c->info.contacts = c->count, c->info.rows = 3 * c->count + c->link_row_count;
    return problem_groups(c);
}

void sp__constraints_free_touched(sp_constraints *c, sp_constraint_body *t) {
    void *all[] = {t->list,    t->anchor, t->direction, t->J.start,     t->J.col,    t->J.val,       t->G,
                   t->impulse, t->blocks, t->link_row,  t->unit.start,  t->unit.col, t->unit.val,    t->inverse,
                   t->half,    t->place,  t->entry,     t->entry_start, t->strands,  t->strand_keys, t->strand_row};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++) sp__free(c->ctx, all[i]);
    *t = (sp_constraint_body){0};
}

// ---------------------------------------------------------------------------------------------------- Delassus operator

void sp__constraints_limit(sp_constraints *c, size_t numbers) {
    c->numbers_most = numbers;
}

// Once for each system of a body: the inverse stays the same in all passes of a step that do not linearise the body again.
sp_status sp__constraints_compliance(sp_constraints *c, sp_body *b) {
    // the passes of statics change the matrix much more than the steps of a motion
    sp_compliance_type type = b->integrator.type == SP_STATIC ? SP_COMPLIANCE_EXACT : b->compliance_type;
    if (b->compliance_ready) return SP_OK;
    if (!b->compliance) SP_TRY(sp__compliance_create(c->ctx, b->solver->be, type, &b->solver_def, &b->compliance));
    sp__compliance_set_swap(b->compliance, b->compliance_swap);
    if (b->passes) SP_TRY(sp__compliance_reserve_impulse(b->compliance, b->nv));
    SP_TRY(sp__compliance_prepare(b->compliance, b->solver, &b->system, b->coef));
    b->compliance_swapped = b->compliance_swapped || sp__compliance_swapped(b->compliance);
    b->compliance_ready = true;
    return SP_OK;
}

static sp_status reserve_numbers(sp_constraints *c, sp_constraint_body *t, size_t need, int count) {
    if (need <= t->product_capacity) return SP_OK;
    sp__free(c->ctx, t->G);
    t->product_capacity = 0;
    if (!SP_NEW(c->ctx, t->G, need + need / 2)) return SP_FAIL(c->ctx, SP_NO_MEMORY, "no memory for %d contact rows", count);
    SP_LEND(c->ctx, t->G);
    t->product_capacity = need + need / 2, c->info.grown = true;
    return SP_OK;
}

sp_status sp__constraints_reserve_product(sp_constraints *c, sp_constraint_body *t, int count) {
    return reserve_numbers(c, t, (size_t)count * (size_t)count, count);
}

// G of the rows [first, first + count)
static sp_status touched_product(sp_constraints *c, sp_constraint_body *t, int first, int count) {
    sp_rows part = {.n = count, .capacity = t->J.capacity, .start = t->J.start + first, .col = t->J.col, .val = t->J.val};
    SP_TRY(sp__constraints_reserve_product(c, t, count));
    return sp__compliance_product(t->body->compliance, &part, t->G, count);
}

// W += h G between two contacts; G has the leading dimension ld
static void add_block(sp_constraints *c, int a, int b, double h, const double *G, int ld) {
    const int groups[2] = {c->group_of[a], c->group_of[b]}, first[2] = {3 * a, 3 * b};
    for (int i = groups[0]; i < c->group_of[a + 1]; i++)
        for (int j = groups[1]; j < c->group_of[b + 1]; j++) {
            const sp_cone_group *r = &c->problem->group[i], *s = &c->problem->group[j];
            const double *from = G + (size_t)(r->row - first[0]) * (size_t)ld + (size_t)(s->row - first[1]);
            ptrdiff_t stride;
            double *block = sp__cone_block(c->problem, i, j, &stride);
            for (int p = 0; p < r->rows; p++)
                for (int q = 0; q < s->rows; q++) block[p * stride + q] += h * from[(size_t)p * (size_t)ld + (size_t)q];
        }
}

// A contact beside a point of a strand that is held can hardly move it. Where its response along the normal is below this share
// of that of the free mass, it acts on something that is fixed: an overlap there would need impulses without bound.
static const double least_response = 1e-12;

static void drop_held(const sp_part_rows *s, double mass) {
    const size_t n = (size_t)s->count;
    for (size_t i = 0; i < n; i += 3) {
        if (s->G[i * n + i] * mass >= least_response) continue;
        for (size_t k = i; k < i + 3; k++)
            for (size_t j = 0; j < n; j++) s->G[k * n + j] = s->G[j * n + k] = 0;
    }
}

// G of each strand, added to W
static sp_status strands_product(sp_constraints *c, sp_constraint_body *t, double h) {
    SP_TRY(reserve_numbers(c, t, (size_t)product_numbers(t), t->J.n));
    for (int i = 0; i < t->strand_count; i++) {
        const sp_part_rows *before = i ? &t->strands[i - 1] : NULL;
        t->strands[i].G = before ? before->G + (size_t)before->count * (size_t)before->count : t->G;
    }
    SP_TRY(sp__compliance_product_parts(t->body->compliance, &t->J, t->strand_count, t->strands));
    sp_measure m = {0};
    t->body->ops->measure(t->body, &m);
    for (int n = 0; n < t->strand_count; n++) {
        const sp_part_rows *s = &t->strands[n];
        drop_held(s, m.mass);
        for (int i = 0; i < s->count; i += 3)
            for (int j = 0; j < s->count; j += 3)
                add_block(c, strand_contact(t, s, i / 3), strand_contact(t, s, j / 3), h,
                          s->G + (size_t)i * (size_t)s->count + (size_t)j, s->count);
    }
    return SP_OK;
}

static void add_product(sp_constraints *c, const sp_constraint_body *t, double h) {
    const double *from = t->G;
    int count = 0;
    for (int i = 0; i < t->count; i++) add_member(c, t->list[i], &count);
    for (int i = 0; i < count; i++) {
        sp__cone_add_blocks(c->problem, c->member[i], count, c->member, h, from, t->J.n);
        from += (size_t)c->problem->group[c->member[i]].rows * (size_t)t->J.n;
    }
    sp__links_product(c, t, h);
}

// W is not stored: only its diagonal is computed, a few contacts at a time.
static sp_status add_diagonal(sp_constraints *c, sp_constraint_body *t, double h) {
    enum { EACH = 16 };
    for (int first = 0; first < t->count; first += EACH) {
        int count = t->count - first < EACH ? t->count - first : EACH;
        SP_TRY(touched_product(c, t, 3 * first, 3 * count));
        for (int r = 0; r < 3 * count; r++) {
            const int contact = t->list[first + r / 3], group = r % 3 ? c->group_of[contact + 1] - 1 : c->group_of[contact];
            c->diagonal[group] += h / c->problem->group[group].rows * t->G[(size_t)r * (size_t)(3 * count + 1)];
        }
    }
    for (int i = 0, row = 3 * t->count; i < t->block_count; row += t->blocks[i++].rows) {
        const int rows = t->blocks[i].rows;
        SP_TRY(touched_product(c, t, row, rows));
        for (int r = 0; r < rows; r++)
            c->diagonal[sp__constraints_link_group(c, t->blocks[i].group)] += h / rows * t->G[(size_t)r * (size_t)(rows + 1)];
    }
    return SP_OK;
}

// Penalty contact: the force of a spring and a damper, F = -k u - c (u - u0) / h with the overlaps -u and -u0 at the two ends of
// the step, is the complementarity of lambda = h F with u + lambda / (h k + c) - c u0 / (h k + c). So the normal has a compliance
// of its own, and the matrices of the bodies stay as they are. `auto` takes spring_ratio times the stiffness with which the
// bodies answer there within the step, 1 / (h W_nn): m / h^2 and more if they are stiff, K in statics.
// Volumes take once: stiffer springs rest at overlaps of hundredths of a pixel, which rays do not resolve, and rattle.
static const double spring_ratio = 30, volume_ratio = 1;

static void soften_tangents(sp_constraints *c, int group, double compliance) {
    if (c->info.unbuilt) c->diagonal[group] += compliance;
    for (int r = 0; r < 2 && !c->info.unbuilt; r++) sp__cone_soften(c->problem, group, r, compliance);
}

static void springs_soften(sp_constraints *c, double h) {
    for (int i = 0; i < c->count; i++) {
        sp_constraint_contact *k = &c->contacts[i];
        const int group = c->group_of[i];
        ptrdiff_t stride;
        if (k->viscous > 0) soften_tangents(c, group + 1, k->viscous);
        if (!k->spring) continue;
        const double own = c->info.unbuilt ? c->diagonal[group] : *sp__cone_block(c->problem, group, group, &stride);
        k->soft = 1 / (k->stiffness > 0 ? h * k->stiffness + k->damping
                                        : (sp__constraints_is_volume(k) ? volume_ratio : spring_ratio) / own + k->damping);
        if (!isfinite(k->soft)) k->soft = 0;
        if (c->info.unbuilt)
            c->diagonal[group] += k->soft / c->problem->group[group].rows;
        else
            sp__cone_soften(c->problem, group, 0, k->soft);
        c->problem->q[3 * i] -= k->damping * k->soft * fmin(k->distance, 0);
    }
}

// Products of many small bodies: one body is one task. A few large bodies use all workers one after the other.
enum { PRODUCT_BODIES = 16 };

static bool product_is_plain(const sp_constraints *c, const sp_constraint_body *t) {
    return t->free && !c->info.unbuilt && !t->strand_count && !t->block_count;
}

static void product_task(void *arg, int task, int worker) {
    const sp_constraints *c = arg;
    sp_constraint_body *t = &c->touched[task];
    (void)worker;
    t->status = product_is_plain(c, t) ? sp__compliance_product(t->body->compliance, &t->J, t->G, t->J.n) : SP_OK;
}

static sp_status products_together(sp_constraints *c, bool *done) {
    double all = 0, most = 0;
    int count = 0;
    for (int i = 0; i < c->touched_count; i++) {
        const double rows = product_is_plain(c, &c->touched[i]) ? c->touched[i].J.n : 0;
        count += rows > 0, all += rows * rows, most = fmax(most, rows * rows);
    }
    *done = count >= PRODUCT_BODIES && 4 * most <= all;
    for (int i = 0; i < c->touched_count && *done; i++) {
        sp_constraint_body *t = &c->touched[i];
        if (!product_is_plain(c, t)) continue;
        SP_TRY(sp__constraints_compliance(c, t->body));
        SP_TRY(sp__constraints_reserve_product(c, t, t->J.n));
    }
    if (*done) sp__parallel(c->ctx, c->touched_count, product_task, c);
    for (int i = 0; i < c->touched_count && *done; i++) SP_TRY(c->touched[i].status);
    return SP_OK;
}

sp_status sp__constraints_delassus(sp_constraints *c, const sp_step *step) {
    if (c->info.unbuilt) {
        const int groups = c->problem->group_count;
        SP_TRY(ROOM(c, c->diagonal, c->diagonal_capacity, groups));
        memset(c->diagonal, 0, (size_t)groups * sizeof *c->diagonal);
        c->h = step->h;
    }
    bool together;
    SP_TRY(products_together(c, &together));
    for (int i = 0; i < c->touched_count; i++) {
        sp_constraint_body *t = &c->touched[i];
        if (!t->free) continue;
        SP_TRY(sp__constraints_compliance(c, t->body));
        if (c->info.unbuilt) {
            SP_TRY(ROOM(c, t->impulse, t->impulse_capacity, 2 * t->body->nv + 4));
            SP_TRY(add_diagonal(c, t, step->h));
        } else if (t->strand_count) {
            SP_TRY(strands_product(c, t, step->h));
        } else {
            bool done = together && product_is_plain(c, t);
            if (!done) SP_TRY(sp__links_inverse(c, t, &done));
            if (!done) SP_TRY(touched_product(c, t, 0, t->J.n));
            add_product(c, t, step->h);
        }
    }
    springs_soften(c, step->h);
    sp__links_soften(c);
    return SP_OK;
}

// row of the problem of a row of a body
static int problem_row(const sp_constraints *c, const sp_constraint_body *t, int r) {
    return r < 3 * t->count ? 3 * t->list[r / 3] + r % 3 : 3 * c->count + t->link_row[r - 3 * t->count];
}

// y = W x without W: for each body J^T, one solve, J
static void delassus_multiply(void *user, const double *x, double *y) {
    sp_constraints *c = user;
    memset(y, 0, (size_t)c->problem->row_count * sizeof *y);
    for (int i = 0; i < c->touched_count; i++) {
        const sp_constraint_body *t = &c->touched[i];
        double *g = t->impulse;
        if (!t->free) continue;
        memset(g, 0, (size_t)t->body->nv * sizeof *g);
        for (int r = 0; r < t->J.n; r++)
            for (int k = t->J.start[r]; k < t->J.start[r + 1]; k++) g[t->J.col[k]] += x[problem_row(c, t, r)] * t->J.val[k];
        sp__compliance_apply(t->body->compliance, g, g);
        for (int r = 0; r < t->J.n; r++) {
            double sum = 0;
            for (int k = t->J.start[r]; k < t->J.start[r + 1]; k++) sum += t->J.val[k] * g[t->J.col[k]];
            y[problem_row(c, t, r)] += c->h * sum;
        }
    }
    for (int i = 0; i < c->count; i++)
        for (int d = 0; d < 3; d++) y[3 * i + d] += (d ? c->contacts[i].viscous : c->contacts[i].soft) * x[3 * i + d];
    for (int i = 0; i < c->link_row_count; i++) y[3 * c->count + i] += c->link_rows[i].soft * x[3 * c->count + i];
}

// Solves with W as it is: stored, or applied. A product with W is the work of a sweep of Gauss-Seidel and brings less.
sp_status sp__constraints_solve_problem(sp_constraints *c, const sp_cone_options *options) {
    enum { PRODUCTS = 10 };  // for each sweep
    if (!c->info.unbuilt) return sp__cone_solve(c->solver, c->problem, options, &c->info.solve);
    sp_cone_problem *p = c->problem;
    sp_cone_options o = *options;
    sp_cone_operator op = {.group_count = p->group_count,
                           .row_count = p->row_count,
                           .group = p->group,
                           .diagonal = c->diagonal,
                           .q = p->q,
                           .lambda = p->lambda,
                           .u = p->u,
                           .multiply = delassus_multiply,
                           .user = c};
    o.sweeps = options->sweeps < INT32_MAX / PRODUCTS ? PRODUCTS * options->sweeps : INT32_MAX;
    return sp__cone_solve_operator(c->ctx, &op, &o, &c->info.solve);
}
