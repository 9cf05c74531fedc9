// Contact by constraints of a world: pairs and frictions of parts of bodies, the contacts of the last step, and its contact
// problem.
#include "math/vec3.h"
#include "world/world_internal.h"

// ---------------------------------------------------------------------------------------------------- pairs and frictions

sp_contact_part sp_contact_part_body(sp_body_id body) {
    return (sp_contact_part){.body = body, .surface = -1};
}

sp_contact_pair_def sp_contact_pair_def_default(void) {
    return (sp_contact_pair_def){.enabled = true,
                                 .friction = NAN,
                                 .alarm = NAN,
                                 .gap = NAN,
                                 .continuous = -1,
                                 .formulation = -1,
                                 .pixel = NAN,
                                 .cookie = SP_COOKIE_CONTACT_PAIR};
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

sp_status sp_world_open_surface(sp_world *w, sp_open_surface *out) {
    SP_TRY(sp__world_enter(w));
    *out = (sp_open_surface){0};
    sp_status status = SP_OK;
    if (sp__world_finds_contacts(w) && sp__pair_rules_has(w->pair_rules, w->contact.formulation, true))
        status = sp__constraints_open_surface(w->ctx, w->pair_rules, w->bodies, w->body_count, &w->contact, out);
    return sp__world_leave(w, status);
}

// ---------------------------------------------------------------------------------------------------- contacts of the last step

// Snapshots that no reader has grow with the list, also those that have not been used yet.
sp_status sp__world_contacts_reserve(sp_world *w) {
    const int before = w->contacts.capacity;
    SP_TRY(sp__contacts_reserve(w->ctx, &w->contacts, sp__constraints_found(w->constraints),
                                sp__constraints_found_vertices(w->constraints)));
    return w->contacts.capacity > before ? sp__snapshots_reserve(w) : SP_OK;
}

void sp__world_contacts_take(sp_world *w) {
    const int count = sp__world_finds_contacts(w) ? sp__constraints_count(w->constraints) : 0;
    sp__contacts_clear(&w->contacts);
    for (int i = 0; i < count; i++) sp__constraints_at(w->constraints, i, &w->contacts);
    sp__contacts_finish(&w->contacts);
}

void sp__world_contacts_forget(sp_world *w, int multipliers) {
    sp__contacts_clear(&w->contacts);
    if (w->constraints) sp__constraints_keep(w->constraints, multipliers);
}

void sp__world_contacts_forget_body(sp_world *w, const sp_body *b) {
    int kept = 0;
    if (w->constraints) sp__constraints_forget_body(w->constraints, b);
    for (int i = 0; i < w->contacts.count; i++) {
        const sp_body_id *of = w->contacts.list[i].point.bodies;
        if (of[0].slot != b->id.slot && of[1].slot != b->id.slot) w->contacts.list[kept++] = w->contacts.list[i];
    }
    if (kept == w->contacts.count) return;
    w->contacts.count = kept;
    sp__contacts_finish(&w->contacts);  // pressures without those of the body
}

int sp_world_contact_count(const sp_world *w) {
    return w->contacts.count;
}

sp_status sp_world_contact_at(const sp_world *w, int index, sp_contact_point *out) {
    if (index < 0 || index >= w->contacts.count)
        return WORLD_FAIL((sp_world *)w, SP_BAD_INPUT, "contact %d, must be in [0, %d)", index, w->contacts.count);
    *out = w->contacts.list[index].point;
    return SP_OK;
}

sp_status sp_world_contact_sum(sp_world *w, sp_body_id id, sp_contact_sum *out) {
    SP_TRY(sp__world_enter(w));
    sp_status status = SP_OK;
    if (id.slot && !sp__world_body(w, id))
        status = sp__world_stale(w, id);
    else
        sp__contacts_sum(&w->contacts, id, out);
    return sp__world_leave(w, status);
}

static sp_status contacts_check(sp_world *w, const sp_contact_point *p, int index) {
    for (int s = 0; s < 2; s++)
        if (!sp__world_body(w, p->bodies[s]))
            return WORLD_FAIL(w, SP_BAD_ID, "contact %d: body id (%u, %u) is null or stale", index, (unsigned)p->bodies[s].slot,
                              (unsigned)p->bodies[s].generation);
    for (int a = 0; a < 3; a++)
        if (!isfinite(p->point[a]) || !isfinite(p->normal[a]) || !isfinite(p->force[a]))
            return WORLD_FAIL(w, SP_NOT_FINITE, "contact %d: its point, normal or force is not finite", index);
    return SP_OK;
}

// the vertex nearest to a point
static uint32_t nearest_vertex(const double *x, int count, const double point[3]) {
    double least = INFINITY, d[3];
    uint32_t best = 0;
    for (int i = 0; i < count; i++) {
        sp__sub3(x + 3 * (size_t)i, point, d);
        if (sp__dot3(d, d) < least) least = sp__dot3(d, d), best = (uint32_t)i;
    }
    return best;
}

// Given contacts name no vertices: each acts at the nearest vertex of the boundary, or of the centreline, for the fields at
// nodes.
static sp_status contacts_attach(sp_world *w, sp_body *b) {
    sp_surface *s = b->centreline ? b->centreline : b->surface_count ? b->surfaces[0] : NULL;
    bool any = false;
    for (int i = 0; i < w->contacts.count; i++)
        for (int side = 0; side < 2; side++) any = any || w->contacts.list[i].point.bodies[side].slot == b->id.slot;
    if (!any || !s || !s->nodes || (s->face_count == 0 && s->segment_count == 0)) return SP_OK;
    double *line = NULL;  // a centreline gains vertices where the rod grows
    SP_TRY(s->segments ? SP_OK : sp__surface_prepare(w->ctx, s));
    if (s->segments && !SP_NEW(w->ctx, line, 3 * (size_t)s->vertex_count)) return SP_NO_MEMORY;
    double *x = line ? line : s->x;
    sp__surface_positions(b, s, SP_COMMITTED, x, NULL, NULL);
    for (int i = 0; i < w->contacts.count; i++)
        for (int side = 0; side < 2; side++) {
            sp_contact_record *r = &w->contacts.list[i];
            const double sign = side == 0 ? -1 : 1, *n = r->point.normal, away[3] = {sign * n[0], sign * n[1], sign * n[2]};
            if (r->point.bodies[side].slot != b->id.slot) continue;
            r->side[side] = (sp_contact_patch){.surface = s, .body = b};
            sp__contacts_patch(&w->contacts, 1, &r->side[side]);
            r->side[side].vertex[0] = nearest_vertex(x, s->vertex_count, r->point.point), r->side[side].weight[0] = 1;
            sp__contacts_areas(x, away, &r->side[side]);
        }
    sp__free(w->ctx, line);
    return SP_OK;
}

static sp_status contacts_set(sp_world *w, const sp_contact_point *contacts, int count) {
    if (count < 0) return WORLD_FAIL(w, SP_BAD_INPUT, "%d contacts, must be >= 0", count);
    for (int i = 0; i < count; i++) SP_TRY(contacts_check(w, &contacts[i], i));
    SP_TRY(sp__contacts_reserve(w->ctx, &w->contacts, count, 2 * count));
    sp__contacts_clear(&w->contacts);
    w->contacts.count = count;
    for (int i = 0; i < count; i++)
        w->contacts.list[i] =
            (sp_contact_record){.point = contacts[i], .normal_force = sp__dot3(contacts[i].force, contacts[i].normal)};
    for (int i = 0; i < w->body_count; i++) {
        sp_status status = contacts_attach(w, w->bodies[i]);
        if (status >= 0) continue;
        sp__contacts_clear(&w->contacts);
        return sp__world_body_failed(w, w->bodies[i], status);
    }
    return SP_OK;
}

sp_status sp_world_set_contacts(sp_world *w, const sp_contact_point *contacts, int count) {
    SP_TRY(sp__world_enter(w));
    return sp__world_leave(w, contacts_set(w, contacts, count));
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
