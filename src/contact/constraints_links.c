// Rows of links in the problem of contacts: their groups follow those of the contacts, and their rows those of the contacts in
// the rows of each body.
#include <float.h>

#include "contact/constraints_internal.h"

static bool is_spring(const sp_constraint_tie *k) {
    return k->link->def.type == SP_LINK_SPRING;
}

static bool has_friction(const sp_constraint_tie *k) {
    return sp__tie_slips(k->tie->type) > 0 && k->link->def.friction > 0;
}

static int rows_of(const sp_constraint_tie *k) {
    return sp__tie_rows(k->tie->type);
}

// ---------------------------------------------------------------------------------------------------- ties of the step

// Compliance of a row of a spring, 1 / (h k + c). The passes of statics have no velocity: their springs have no damping.
static double spring_compliance(const sp_constraint_tie *k, double h, double *damping) {
    const sp_link *l = k->link;
    bool still = false;
    for (int s = 0; s < 2; s++)
        still = still || (!sp__constraints_is_static(l->side[s].body) && l->side[s].body->integrator.type == SP_STATIC);
    *damping = still ? 0 : k->tie->share * l->def.damping;
    return 1 / (h * k->tie->share * l->def.stiffness + *damping);
}

static void tie_warm_start(sp_constraints *c, const sp_constraint_tie *k, bool warm) {
    const double *kept = k->tie->kept;
    for (int r = 0; r < rows_of(k); r++) c->link_rows[k->row + r].lambda = warm ? kept[r] : 0;
    if (k->slip < 0) return;
    c->link_rows[k->slip_row].lambda = warm ? kept[SP_TIE_BOUND] : 0;
    for (int r = 0; r < 2; r++) c->link_rows[k->slip_row + 1 + r].lambda = warm ? kept[SP_TIE_SLIP + r] : 0;
}

static void tie_start(sp_constraints *c, sp_constraint_tie *k, double h) {
    sp_tie *t = k->tie;
    sp_link *l = k->link;
    double x[3];
    if (sp__tie_slips(t->type) > 0) k->off = !sp__tie_guide(l, t, &k->guide);
    if (t->type == SP_TIE_CURVE)
        sp__anchor_frame(l->side[1].body, &k->guide, SP_COMMITTED, k->frame);
    else
        sp__tie_frame(l, t, SP_COMMITTED, k->frame);
    sp__tie_point(l, t, 0, 0, SP_COMMITTED, x);
    for (int a = 0; a < 3; a++) c->links_reach = fmax(c->links_reach, fabs(x[a]));
    if (!is_spring(k)) return;
    double damping, soft = spring_compliance(k, h, &damping);
    sp__tie_violation(l, t, &k->guide, k->frame, SP_COMMITTED, k->retarded);
    for (int r = 0; r < 3; r++) k->retarded[r] *= damping * soft;
}

sp_status sp__links_begin(sp_constraints *c, const sp_step *step, bool warm_start) {
    c->tie_count = c->link_group_count = c->link_row_count = 0;
    c->links_scale = c->links_reach = 0;
    for (int i = 0; c->links && i < c->links->count; i++) {
        sp_link *l = &c->links->list[i];
        if (!sp__link_acts(l)) continue;
        SP_TRY(ROOM(c, c->ties, c->tie_capacity, c->tie_count + l->now.tie_count));
        for (int k = 0; k < l->now.tie_count; k++) {
            sp_constraint_tie *t = &c->ties[c->tie_count];
            if (l->now.ties[k].gone) continue;
            *t = (sp_constraint_tie){.link = l, .tie = &l->now.ties[k], .slip = -1};
            tie_start(c, t, step->h);
            c->tie_count++;
            if (t->off) continue;
            t->group = c->link_group_count++, t->row = c->link_row_count;
            c->link_row_count += rows_of(t);
            if (!has_friction(t)) continue;
            t->slip = c->link_group_count++, t->slip_row = c->link_row_count;
            c->link_row_count += 3;
        }
    }
    SP_TRY(ROOM(c, c->link_rows, c->link_row_capacity, c->link_row_count));
    for (int i = 0; i < c->link_row_count; i++) c->link_rows[i] = (sp_constraint_link_row){0};
    for (int i = 0; i < c->tie_count; i++) {
        sp_constraint_tie *t = &c->ties[i];
        if (t->off) continue;
        tie_warm_start(c, t, warm_start);
        double damping;
        for (int r = 0; is_spring(t) && r < 3; r++) c->link_rows[t->row + r].soft = spring_compliance(t, step->h, &damping);
    }
    if (c->tie_count) c->links_scale = sp__links_evaluate(c);
    return SP_OK;
}

// ---------------------------------------------------------------------------------------------------- violations

// Displacement of the first body along the second in the step.
static void slip_violation(const sp_constraint_tie *k, sp_which state, double out[2]) {
    const sp_link *l = k->link;
    double a[2][3], b[2][3], moved[3], also[3];
    for (int i = 0; i < 2; i++) {
        const sp_which at = i == 0 ? SP_COMMITTED : state;
        sp__tie_point(l, k->tie, 0, 0, at, a[i]);
        l->side[1].body->ops->points(l->side[1].body, at, 1, &k->guide, b[i], NULL);
    }
    sp__sub3(a[1], a[0], moved), sp__sub3(b[1], b[0], also);
    sp__sub3(moved, also, moved);
    out[1] = 0;
    for (int r = 0; r < sp__tie_slips(k->tie->type); r++) {
        int point, direction;
        sp__tie_row(k->tie->type, SP_TIE_SLIP + r, &point, &direction);
        out[r] = sp__dot3(k->frame + 3 * direction, moved);
    }
}

double sp__links_evaluate(sp_constraints *c) {
    double most = 0;
    for (int i = 0; i < c->tie_count; i++) {
        const sp_constraint_tie *k = &c->ties[i];
        double u[SP_CONE_ROWS_MAX], slip[2];
        if (k->off) continue;
        sp__tie_violation(k->link, k->tie, &k->guide, k->frame, SP_TRIAL, u);
        for (int r = 0; r < rows_of(k); r++) {
            c->link_rows[k->row + r].delta = is_spring(k) ? u[r] - k->retarded[r] : u[r];
            if (!is_spring(k)) most = fmax(most, fabs(u[r]));
        }
        if (k->slip < 0) continue;
        slip_violation(k, SP_TRIAL, slip);
        for (int r = 0; r < 2; r++) c->link_rows[k->slip_row + 1 + r].delta = slip[r];
    }
    c->links_fresh = true;
    return most;
}

void sp__links_to_free_state(sp_constraints *c, const sp_constraint_body *t, double h) {
    const sp_body *b = t->body;
    if (!c->links_fresh || !t->free || !b->has_free_velocity) return;
    for (int i = 0; i < t->link_row_count; i++) {
        const int r = 3 * t->count + i;
        double sum = 0;
        for (int e = t->J.start[r]; e < t->J.start[r + 1]; e++)
            sum += t->J.val[e] * (b->free_velocity[t->J.col[e]] - b->v[SP_TRIAL][t->J.col[e]]);
        c->link_rows[t->link_row[i]].delta += h * sum;
    }
}

// ---------------------------------------------------------------------------------------------------- rows of bodies

static sp_status touch_rows(sp_constraints *c, int tie, int side, int number, int rows, int group, int offset, int row) {
    sp_constraint_body *t;
    SP_TRY(sp__constraints_touch(c, c->ties[tie].link->side[side].body, &t));
    SP_TRY(ROOM(c, t->blocks, t->block_capacity, t->block_count + 1));
    SP_TRY(ROOM(c, t->link_row, t->link_row_capacity, t->link_row_count + rows));
    t->blocks[t->block_count++] = (sp_constraint_block){tie, side, number, rows, group, offset};
    for (int r = 0; r < rows; r++) t->link_row[t->link_row_count++] = row + r;
    return SP_OK;
}

sp_status sp__links_touch(sp_constraints *c) {
    for (int i = 0; i < c->tie_count; i++) {
        const sp_constraint_tie *k = &c->ties[i];
        for (int s = 0; s < 2 && !k->off; s++) {
            SP_TRY(touch_rows(c, i, s, 0, rows_of(k), k->group, 0, k->row));
            if (k->slip < 0) continue;
            SP_TRY(touch_rows(c, i, s, SP_TIE_SLIP, sp__tie_slips(k->tie->type), k->slip, 1, k->slip_row + 1));
        }
    }
    return SP_OK;
}

// Material points of one side of a row; slides act on the second body where the point is now.
static int row_parts(const sp_constraint_tie *k, int side, int point) {
    return side == 1 && sp__tie_slips(k->tie->type) > 0 ? 1 : k->tie->count[point][side];
}

int sp__links_part_count(const sp_constraints *c, const sp_constraint_body *t) {
    int parts = 0, point, direction;
    for (int i = 0; i < t->block_count; i++) {
        const sp_constraint_block *b = &t->blocks[i];
        const sp_constraint_tie *k = &c->ties[b->tie];
        for (int r = 0; r < b->rows; r++) {
            sp__tie_row(k->tie->type, b->number + r, &point, &direction);
            parts += row_parts(k, b->side, point);
        }
    }
    return parts;
}

void sp__links_parts(const sp_constraints *c, sp_constraint_body *t, int part) {
    int point, direction;
    for (int i = 0; i < t->block_count; i++) {
        const sp_constraint_block *b = &t->blocks[i];
        const sp_constraint_tie *k = &c->ties[b->tie];
        const sp_ties *now = &k->link->now;
        for (int r = 0; r < b->rows; r++) {
            sp__tie_row(k->tie->type, b->number + r, &point, &direction);
            const bool slides = b->side == 1 && sp__tie_slips(k->tie->type) > 0;
            const int first = k->tie->first[point][b->side];
            for (int j = 0; j < row_parts(k, b->side, point); j++, part++) {
                const double weight = slides ? 1 : now->weight[first + j], sign = b->side == 0 ? weight : -weight;
                t->anchor[part] = slides ? k->guide : now->anchor[first + j];
                for (int a = 0; a < 3; a++) t->direction[3 * part + a] = sign * k->frame[3 * direction + a];
            }
        }
    }
}

void sp__links_merge(const sp_constraints *c, sp_constraint_body *t, int part) {
    int row = 3 * t->count, point, direction;
    for (int i = 0; i < t->block_count; i++) {
        const sp_constraint_block *b = &t->blocks[i];
        const sp_constraint_tie *k = &c->ties[b->tie];
        for (int r = 0; r < b->rows; r++) {
            sp__tie_row(k->tie->type, b->number + r, &point, &direction);
            t->J.start[row++] = t->J.start[part];
            part += row_parts(k, b->side, point);
        }
    }
    t->J.start[row] = t->J.start[part];
    t->J.n = row;
}

// ---------------------------------------------------------------------------------------------------- the problem

sp_status sp__links_groups(sp_constraints *c) {
    for (int i = 0; i < c->tie_count; i++) {
        const sp_constraint_tie *k = &c->ties[i];
        if (k->off) continue;
        SP_TRY(sp__cone_add_group(c->problem, SP_CONE_BILATERAL, rows_of(k), 0, NULL));
        if (k->slip >= 0) SP_TRY(sp__cone_add_group(c->problem, SP_CONE_COULOMB, 3, k->link->def.friction, NULL));
    }
    return SP_OK;
}

void sp__links_to_problem(sp_constraints *c) {
    sp_cone_problem *p = c->problem;
    const int first = 3 * c->count;
    for (int i = 0; i < c->link_row_count; i++)
        p->q[first + i] = c->link_rows[i].delta, p->lambda[first + i] = c->link_rows[i].lambda;
    for (int i = 0; i < c->tie_count; i++) {
        const sp_constraint_tie *k = &c->ties[i];
        if (k->slip >= 0) p->q[first + k->slip_row] = -k->normal * p->lambda[first + k->slip_row];
    }
    c->links_fresh = false;
}

void sp__links_from_problem(sp_constraints *c) {
    for (int i = 0; i < c->link_row_count; i++) c->link_rows[i].lambda = c->problem->lambda[3 * c->count + i];
}

// ---------------------------------------------------------------------------------------------------- the inverse

// Rows of a glued face have the nodes of several faces each. J A^-1 J^T from single rows would combine all nodes of a row with
// all nodes of another one; here the inverse C between the nodes is found first, then J C, then (J C) J^T.

static sp_status inverse_room(sp_constraints *c, void **memory, size_t *capacity, size_t count, size_t size) {
    if (count <= *capacity) return SP_OK;
    c->info.grown = true;
    return sp__scratch_reserve(c->ctx, "rows of links", memory, capacity, count, size);
}

// The unknowns of the nodes that rows have, one row each, ascending.
static sp_status unit_rows(sp_constraints *c, sp_constraint_body *t) {
    const size_t n = (size_t)t->body->nv;
    SP_TRY(inverse_room(c, (void **)&t->place, &t->place_capacity, n, sizeof *t->place));
    for (size_t i = 0; i < n; i++) t->place[i] = -1;
    int count = 0;
    for (int k = 0; k < t->J.start[t->J.n]; k++) t->place[t->J.col[k] / 3 * 3] = 0;
    for (size_t i = 0; i < n; i += 3)
        for (size_t a = 0; t->place[i] >= 0 && a < 3; a++) t->place[i + a] = count++;
    if ((size_t)count + 1 > t->unit_capacity) {
        size_t capacity = t->unit_capacity, same = capacity, more = capacity;
        SP_TRY(inverse_room(c, (void **)&t->unit.col, &same, (size_t)count + 1, sizeof *t->unit.col));
        SP_TRY(inverse_room(c, (void **)&t->unit.val, &more, (size_t)count + 1, sizeof *t->unit.val));
        SP_TRY(inverse_room(c, (void **)&t->unit.start, &capacity, (size_t)count + 1, sizeof *t->unit.start));
        t->unit_capacity = capacity < same ? capacity : same;
        if (more < t->unit_capacity) t->unit_capacity = more;
    }
    t->unit.n = count, t->unit.capacity = (int)t->unit_capacity;
    for (size_t i = 0; i < n; i++)
        if (t->place[i] >= 0) {
            const int r = t->place[i];
            t->unit.start[r] = r, t->unit.col[r] = (int)i, t->unit.val[r] = 1;
        }
    t->unit.start[count] = count;
    return SP_OK;
}

// Row r of J C, and of its product with the rows up to r.
static void inverse_row(sp_constraint_body *t, int r, size_t m, int rows) {
    double *to = t->half;
    memset(to, 0, m * sizeof *to);
    for (int k = t->entry_start[r]; k < t->entry_start[r + 1]; k++) {
        const double *from = t->inverse + m * (size_t)t->entry[k].at, w = t->entry[k].value;
        for (size_t i = 0; i < m; i++) to[i] += w * from[i];
    }
    for (int s = 0; s <= r; s++) {
        double sum = 0;
        for (int k = t->entry_start[s]; k < t->entry_start[s + 1]; k++) sum += t->entry[k].value * to[t->entry[k].at];
        t->G[(size_t)r * (size_t)rows + (size_t)s] = t->G[(size_t)s * (size_t)rows + (size_t)r] = sum;
    }
}

sp_status sp__links_inverse(sp_constraints *c, sp_constraint_body *t, bool *done) {
    const int rows = t->J.n;
    *done = false;
    // rows of fewer than three nodes in the mean gain nothing
    if (t->block_count == 0 || !(t->body->caps & SP_CAP_NODAL) || t->J.start[rows] < 9 * rows) return SP_OK;
    SP_TRY(unit_rows(c, t));
    const size_t m = (size_t)t->unit.n;
    if (t->unit.n > 2 * rows) return SP_OK;
    SP_TRY(inverse_room(c, (void **)&t->inverse, &t->inverse_capacity, m * m, sizeof *t->inverse));
    SP_TRY(inverse_room(c, (void **)&t->half, &t->half_capacity, m, sizeof *t->half));
    SP_TRY(sp__constraints_reserve_product(c, t, rows));
    SP_TRY(inverse_room(c, (void **)&t->entry, &t->inverse_entries, (size_t)t->J.start[rows] + 1, sizeof *t->entry));
    SP_TRY(inverse_room(c, (void **)&t->entry_start, &t->inverse_starts, (size_t)rows + 1, sizeof *t->entry_start));
    SP_TRY(sp__compliance_product(t->body->compliance, &t->unit, t->inverse, t->unit.n));
    // rows along the axes have two zeros of three
    int count = 0;
    for (int r = 0; r < rows; r++) {
        t->entry_start[r] = count;
        for (int k = t->J.start[r]; k < t->J.start[r + 1]; k++)
            if (t->J.val[k] != 0) t->entry[count++] = (sp_constraint_entry){t->place[t->J.col[k]], t->J.val[k]};
    }
    t->entry_start[rows] = count;
    for (int r = 0; r < rows; r++) inverse_row(t, r, m, rows);
    *done = true;
    return SP_OK;
}

// One block of J A^-1 J^T: rows and columns in the rows of the body.
static void add_block(const sp_constraints *c, const sp_constraint_body *t, double h, int i, int j, const int size[2],
                      const int at[2], const int offset[2]) {
    ptrdiff_t stride;
    double *block = sp__cone_block(c->problem, i, j, &stride);
    for (int p = 0; p < size[0]; p++)
        for (int q = 0; q < size[1]; q++)
            block[(offset[0] + p) * stride + offset[1] + q] +=
                h * t->G[(size_t)(at[0] + p) * (size_t)t->J.n + (size_t)(at[1] + q)];
}

void sp__links_product(sp_constraints *c, const sp_constraint_body *t, double h) {
    int row = 3 * t->count;
    for (int i = 0; i < t->block_count; row += t->blocks[i++].rows) {
        const sp_constraint_block *b = &t->blocks[i];
        const int group = sp__constraints_link_group(c, b->group);
        for (int k = 0; k < t->count; k++) {
            add_block(c, t, h, group, t->list[k], (int[]){b->rows, 3}, (int[]){row, 3 * k}, (int[]){b->offset, 0});
            add_block(c, t, h, t->list[k], group, (int[]){3, b->rows}, (int[]){3 * k, row}, (int[]){0, b->offset});
        }
        int column = 3 * t->count;
        for (int j = 0; j < t->block_count; column += t->blocks[j++].rows) {
            const sp_constraint_block *d = &t->blocks[j];
            add_block(c, t, h, group, sp__constraints_link_group(c, d->group), (int[]){b->rows, d->rows}, (int[]){row, column},
                      (int[]){b->offset, d->offset});
        }
    }
}

// Mean diagonal of a group before its own compliance is added.
static double group_diagonal(const sp_constraints *c, int group) {
    if (c->info.unbuilt) return c->diagonal[group];
    return sp__cone_weight(c->problem, c->problem->place[group]);
}

void sp__links_soften(sp_constraints *c) {
    for (int i = 0; i < c->tie_count; i++) {
        sp_constraint_tie *k = &c->ties[i];
        if (k->off) continue;
        const double own = group_diagonal(c, sp__constraints_link_group(c, k->group)), soft = c->link_rows[k->row].soft;
        if (c->info.unbuilt && own > 0) c->diagonal[sp__constraints_link_group(c, k->group)] += soft;
        for (int r = 0; r < rows_of(k) && !c->info.unbuilt && own > 0; r++)
            sp__cone_soften(c->problem, sp__constraints_link_group(c, k->group), r, soft);
        if (k->slip < 0) continue;
        const int slips = sp__tie_slips(k->tie->type), group = sp__constraints_link_group(c, k->slip);
        k->normal = own;
        c->link_rows[k->slip_row].soft = own;
        if (slips == 1) c->link_rows[k->slip_row + 2].soft = own;
        if (c->info.unbuilt) c->diagonal[group] = own;
        for (int r = 0; r < 3 && !c->info.unbuilt; r++) sp__cone_soften(c->problem, group, r, c->link_rows[k->slip_row + r].soft);
        c->problem->q[3 * c->count + k->slip_row] = -own * c->problem->lambda[3 * c->count + k->slip_row];
    }
}

bool sp__links_bound(sp_constraints *c, double tolerance) {
    sp_cone_problem *p = c->problem;
    const int first = 3 * c->count;
    double most = 0, scale = 0;
    for (int i = 0; i < p->row_count; i++) scale = fmax(scale, fabs(p->q[i]));
    for (int i = 0; i < c->tie_count; i++) {
        const sp_constraint_tie *k = &c->ties[i];
        double square = 0;
        if (k->slip < 0 || k->off) continue;
        for (int r = 0; r < rows_of(k); r++) square += p->lambda[first + k->row + r] * p->lambda[first + k->row + r];
        const double now = -k->normal * sqrt(square);
        most = fmax(most, fabs(now - p->q[first + k->slip_row]));
        p->q[first + k->slip_row] = now;
        p->lambda[first + k->slip_row] = sqrt(square);
    }
    return most > tolerance * scale;
}

void sp__links_transposed(const sp_constraints *c, const sp_constraint_body *t, double *g) {
    for (int i = 0; i < t->link_row_count; i++) {
        const int r = 3 * t->count + i;
        const double lambda = c->link_rows[t->link_row[i]].lambda;
        for (int k = t->J.start[r]; k < t->J.start[r + 1]; k++) g[t->J.col[k]] += lambda * t->J.val[k];
    }
}

// ---------------------------------------------------------------------------------------------------- positions alone

void sp__links_separate(sp_constraints *c) {
    sp_cone_problem *p = c->problem;
    const int first = 3 * c->count;
    for (int i = 0; i < c->link_row_count; i++)
        c->link_rows[i].velocity = c->link_rows[i].lambda, c->link_rows[i].q = p->q[first + i];
    sp__links_evaluate(c);
    for (int i = 0; i < c->tie_count; i++) {
        const sp_constraint_tie *k = &c->ties[i];
        for (int r = 0; !k->off && r < rows_of(k); r++)
            p->q[first + k->row + r] = is_spring(k) ? 0 : c->link_rows[k->row + r].delta;
        for (int r = 0; k->slip >= 0 && r < 3; r++) p->q[first + k->slip_row + r] = 0;
    }
    for (int i = 0; i < c->link_row_count; i++) p->lambda[first + i] = 0;
}

void sp__links_separated(sp_constraints *c) {
    sp_cone_problem *p = c->problem;
    const int first = 3 * c->count;
    for (int i = 0; i < c->link_row_count; i++) {
        sp_constraint_link_row *r = &c->link_rows[i];
        r->lambda = p->lambda[first + i] = r->velocity;
        p->q[first + i] = r->q;
    }
    c->links_fresh = false;
}

// ---------------------------------------------------------------------------------------------------- results

// Impulse of a tie on the first body in world axes.
static void tie_impulse(const sp_constraints *c, const sp_constraint_tie *k, double out[3]) {
    int point, direction;
    memset(out, 0, 3 * sizeof *out);
    for (int r = 0; r < rows_of(k); r++) {
        sp__tie_row(k->tie->type, r, &point, &direction);
        sp__axpy3(out, c->link_rows[k->row + r].lambda, k->frame + 3 * direction, out);
    }
    for (int r = 0; k->slip >= 0 && r < sp__tie_slips(k->tie->type); r++) {
        sp__tie_row(k->tie->type, SP_TIE_SLIP + r, &point, &direction);
        sp__axpy3(out, c->link_rows[k->slip_row + 1 + r].lambda, k->frame + 3 * direction, out);
    }
}

sp_status sp__links_part_done(sp_constraints *c) {
    SP_TRY(ROOM(c, c->tie_done, c->tie_done_capacity, 3 * c->tie_count));
    for (int i = 0; i < c->tie_count; i++) {
        double *sum = c->tie_done + 3 * i, now[3];
        if (c->parts_done == 0) memset(sum, 0, 3 * sizeof *sum);
        if (!c->ties[i].off) tie_impulse(c, &c->ties[i], now), sp__axpy3(sum, 1, now, sum);
    }
    return SP_OK;
}

// Impulse of a tie in the whole step: the ties of its parts are the same, in the same order.
static void tie_sum(const sp_constraints *c, int tie, double out[3]) {
    if (c->parts_done > 0)
        memcpy(out, c->tie_done + 3 * tie, 3 * sizeof *out);
    else
        tie_impulse(c, &c->ties[tie], out);
}

void sp__constraints_link_force(const sp_constraints *c, const sp_link *link, double h, double force[3]) {
    double one[3];
    memset(force, 0, 3 * sizeof *force);
    for (int i = 0; i < c->tie_count; i++) {
        if (c->ties[i].link != link || c->ties[i].off) continue;
        tie_sum(c, i, one);
        sp__axpy3(force, 1 / h, one, force);
    }
}

int sp__constraints_link_rows(const sp_constraints *c, const sp_link *link) {
    int rows = 0;
    for (int i = 0; i < c->tie_count; i++)
        if (c->ties[i].link == link && !c->ties[i].off) rows += rows_of(&c->ties[i]);
    return rows;
}

sp_link *sp__constraints_worst_link(const sp_constraints *c, double *apart) {
    // beyond the tolerance of the solver by far: the rows contradict others
    const double limit = 1e-3;
    sp_link *worst = NULL;
    *apart = fmax(limit * c->links_scale, 1e-9 * c->links_reach);
    for (int i = 0; i < c->tie_count; i++) {
        const sp_constraint_tie *k = &c->ties[i];
        double u[SP_CONE_ROWS_MAX];
        if (k->off || is_spring(k)) continue;
        sp__tie_violation(k->link, k->tie, &k->guide, k->frame, SP_TRIAL, u);
        for (int r = 0; r < rows_of(k); r++)
            if (fabs(u[r]) > *apart) *apart = fabs(u[r]), worst = k->link;
    }
    return worst;
}

void sp__links_commit(sp_constraints *c) {
    for (int i = 0; i < c->tie_count; i++) {
        const sp_constraint_tie *k = &c->ties[i];
        sp_tie *t = k->tie;
        double impulse[3];
        memset(t->kept, 0, sizeof t->kept);
        memset(t->force, 0, sizeof t->force);
        t->gone = k->off;
        if (k->off) continue;
        if (k->tie->type == SP_TIE_CURVE) t->guide = k->guide;
        for (int r = 0; r < rows_of(k); r++) t->kept[r] = c->link_rows[k->row + r].lambda;
        for (int r = 0; k->slip >= 0 && r < 2; r++) t->kept[SP_TIE_SLIP + r] = c->link_rows[k->slip_row + 1 + r].lambda;
        if (k->slip >= 0) t->kept[SP_TIE_BOUND] = c->link_rows[k->slip_row].lambda;
        tie_sum(c, i, impulse);
        for (int a = 0; a < 3; a++) t->force[a] = impulse[a] / (c->parts_done > 0 ? c->parts_h : c->part_h);
    }
    c->tie_count = 0;
}
