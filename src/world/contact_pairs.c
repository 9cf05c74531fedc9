// Pairs of contact and frictions of parts of bodies; the contact problem of the last step.
#include "world/world_internal.h"

sp_contact_part sp_contact_part_body(sp_body_id body) {
    return (sp_contact_part){.body = body, .surface = -1};
}

sp_contact_pair_def sp_contact_pair_def_default(void) {
    return (sp_contact_pair_def){
        .enabled = true, .friction = NAN, .alarm = NAN, .gap = NAN, .continuous = -1, .cookie = SP_COOKIE_CONTACT_PAIR};
}

static sp_status find_part(sp_world *w, const sp_contact_part *part, sp_rule_part_def *out) {
    *out = (sp_rule_part_def){.body = sp__world_body(w, part->body), .part = part};
    return out->body ? SP_OK : WORLD_FAIL(w, SP_BAD_INPUT, "a contact pair: the id of a body is null or stale");
}

static sp_status reserve_rules(sp_world *w) {
    return w->pair_rules ? SP_OK : sp__pair_rules_create(w->ctx, &w->pair_rules);
}

static sp_status add_pair(sp_world *w, const sp_contact_pair_def *def, int *index) {
    sp_rule_part_def *parts;
    if (def->cookie != SP_COOKIE_CONTACT_PAIR)
        return WORLD_FAIL(w, SP_BAD_INPUT, "sp_contact_pair_def did not start from sp_contact_pair_def_default()");
    if (def->a_count < 1 || def->b_count < 1 || !def->a || !def->b || def->a_count > INT32_MAX / 2 - def->b_count)
        return WORLD_FAIL(w, SP_BAD_INPUT, "a contact pair of %d and %d parts, must be at least one each", def->a_count,
                          def->b_count);
    SP_TRY(reserve_rules(w));
    if (!SP_NEW(w->ctx, parts, def->a_count + def->b_count)) return WORLD_FAIL(w, SP_NO_MEMORY, "no memory for a contact pair");
    sp_status status = SP_OK;
    for (int i = 0; i < def->a_count && status >= 0; i++) status = find_part(w, &def->a[i], &parts[i]);
    for (int i = 0; i < def->b_count && status >= 0; i++) status = find_part(w, &def->b[i], &parts[def->a_count + i]);
    if (status >= 0) status = sp__pair_rules_add(w->pair_rules, def, parts, index);
    sp__free(w->ctx, parts);
    return status;
}

sp_status sp_world_add_contact_pair(sp_world *w, const sp_contact_pair_def *def, int *index) {
    SP_TRY(sp__world_enter(w));
    return sp__world_leave(w, add_pair(w, def, index));
}

static sp_status add_friction(sp_world *w, const sp_contact_part *part, double friction, const char *path) {
    sp_rule_part_def p;
    SP_TRY(find_part(w, part, &p));
    SP_TRY(reserve_rules(w));
    return sp__pair_rules_add_friction(w->pair_rules, &p, friction, path);
}

sp_status sp_world_add_friction(sp_world *w, const sp_contact_part *part, double friction, const char *path) {
    SP_TRY(sp__world_enter(w));
    return sp__world_leave(w, add_friction(w, part, friction, path));
}

// ---------------------------------------------------------------------------------------------------- the problem

void sp__contact_matrix_free(sp_world *w) {
    sp_contact_matrix *m = &w->contact_matrix;
    sp__free(w->ctx, m->start), sp__free(w->ctx, m->column), sp__free(w->ctx, m->value), sp__free(w->ctx, m->mu);
    sp__free(w->ctx, m->u);
    *m = (sp_contact_matrix){0};
}

// W by rows in the order of the contacts
static void fill_matrix(const sp_cone_problem *p, sp_contact_matrix *m) {
    int at = 0;
    for (int i = 0; i < p->group_count; i++) {
        const sp_cone_group *g = &p->group[i];
        m->mu[i] = g->mu;
        for (int r = 0; r < g->rows; r++) {
            m->start[g->row + r] = at;
            for (int j = 0; j < p->group_count; j++) {
                ptrdiff_t stride;
                const double *block = sp__cone_block(p, i, j, &stride);
                for (int c = 0; block && c < p->group[j].rows; c++, at++)
                    m->column[at] = p->group[j].row + c, m->value[at] = block[r * stride + c];
            }
        }
    }
    m->start[p->row_count] = at;
}

static sp_status contact_problem(sp_world *w, sp_contact_problem *out) {
    const sp_cone_problem *p = w->constraints ? sp__constraints_problem(w->constraints) : NULL;
    sp_contact_matrix *m = &w->contact_matrix;
    if (!p) return WORLD_FAIL(w, SP_BAD_INPUT, "the last step had no contacts");
    for (int i = 0; i < p->group_count; i++)
        if (p->group[i].kind != SP_CONE_COULOMB)
            return WORLD_FAIL(w, SP_BAD_INPUT, "the problem of the last step has rows other than those of contacts");
    sp__contact_matrix_free(w);
    if (p->val_count > INT32_MAX) return WORLD_FAIL(w, SP_NO_MEMORY, "the contact problem has too many numbers");
    if (!SP_NEW(w->ctx, m->start, p->row_count + 1) || !SP_NEW(w->ctx, m->column, p->val_count) ||
        !SP_NEW(w->ctx, m->value, p->val_count) || !SP_NEW(w->ctx, m->mu, p->group_count) ||
        !SP_NEW(w->ctx, m->u, p->row_count)) {
        sp__contact_matrix_free(w);
        return WORLD_FAIL(w, SP_NO_MEMORY, "no memory for the contact problem of %d rows", p->row_count);
    }
    fill_matrix(p, m);
    // not that of the last solve, which may have been one of positions alone
    sp__cone_multiply(p, p->lambda, m->u);
    for (int i = 0; i < p->row_count; i++) m->u[i] += p->q[i];
    *out = (sp_contact_problem){.contacts = p->group_count,
                                .start = m->start,
                                .column = m->column,
                                .value = m->value,
                                .q = p->q,
                                .mu = m->mu,
                                .lambda = p->lambda,
                                .u = m->u,
                                .converged = sp__constraints_info(w->constraints)->solve.status == SP_OK};
    return SP_OK;
}

sp_status sp_world_contact_problem(sp_world *w, sp_contact_problem *out) {
    SP_TRY(sp__world_enter(w));
    return sp__world_leave(w, contact_problem(w, out));
}
