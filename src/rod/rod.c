// Data derived from parameters and from a state: section stiffness and strand kinematics. A strand keeps the kinematics of one
// state. They are recomputed only if coordinates differ, or, for the motion, if velocities or gravity differ.
#include "rod/rod.h"
#include "math/vec3.h"

// ------------------------------------------------------------------------------------------------ sections

// (4.1.31), (4.1.32) for an ellipse; a round hole subtracts its own contribution. Exact for tubes; an ellipse with a hole would
// warp differently in torsion
sp_rod_stiffness sp__rod_section_stiffness(const sp_rod_section *s) {
    double a = s->axes[0], b = s->axes[1], c = s->bore, hole = SP_PI * c * c * c * c / 4;
    double area = SP_PI * (a * b - c * c), I1 = SP_PI / 4 * a * b * b * b - hole, I2 = SP_PI / 4 * a * a * a * b - hole;
    double J = SP_PI * a * a * a * b * b * b / (a * a + b * b) - 2 * hole, shear = s->young / (2 * (1 + s->poisson));
    return (sp_rod_stiffness){.line_density = s->density * area,
                              .spin = s->density * (I1 + I2),
                              .stretch = s->young * area,
                              .bend = {s->young * I1, s->young * I2},
                              .twist = shear * J};
}

void sp__rod_changed(sp_body *b) {
    sp__rod(b)->stale = true;
    b->retune = b->energy_stale = true;
}

// scales of the automatic contact stiffness: each contact point has its share of the element's mass
static void follow_contacts(sp_body *b) {
    const sp_rod *r = sp__rod(b);
    for (int i = 0; i < b->loads.node_count; i++) {
        sp_contact_node *n = &b->loads.nodes[i];
        int e = (int)n->at.elem;
        double mass = sp__rod_stiffness(r, e)->line_density * r->length[e];
        n->mass = b->loads.by_surface ? n->share * mass / (r->rings * r->sides) : mass / r->samples;
        // a contact between nodes also rotates them, and their rotational inertia is small
        if (b->integrator.type == SP_EXPLICIT) n->mass *= 0.25;
        if (!b->loads.by_surface) n->share = r->length[e] > 0;  // not grown yet: no contact
    }
}

// a point mass also rests on the contact points nearest to it
static void follow_mass_contacts(sp_body *b, const sp_anchor *at, double mass) {
    double least = INFINITY;
    int n = 0;
    for (int pass = 0; pass < 3; pass++)
        for (int i = 0; i < b->loads.node_count; i++) {
            sp_contact_node *c = &b->loads.nodes[i];
            if (c->at.elem != at->elem) continue;
            double away = fabs(c->at.at[0] - at->at[0]);
            bool nearest = away <= least + 1e-9;
            if (pass == 0) least = fmin(least, away);
            if (pass == 1) n += nearest;
            if (pass == 2 && nearest) c->mass += (b->integrator.type == SP_EXPLICIT ? 0.25 : 1) * mass / n;  // as above
        }
}

static double mean_line_density(const sp_rod *r) {
    double mass = 0, length = 0;
    for (int e = 0; e < r->elements; e++) mass += sp__rod_stiffness(r, e)->line_density * r->length[e], length += r->length[e];
    return mass / length;
}

static void follow_part(void *arg, int part, int worker) {
    (void)worker;
    sp_body *b = arg;
    sp__rod(b)->model->changed(b, part);
}

void sp__rod_follow(sp_body *b) {
    sp_rod *r = sp__rod(b);
    if (!r->stale) return;
    for (int i = 0; i < r->sections; i++) r->stiffness[i] = sp__rod_section_stiffness(&r->section[i]);
    r->mean_line_density = mean_line_density(r);
    b->loads.mass_drag = r->params.drag / r->mean_line_density;
    follow_contacts(b);
    sp__rod_line_follow(b);
    for (int i = 0; i < b->loads.mass_count; i++)
        for (int k = 0; k < b->loads.masses[i].count; k++)
            follow_mass_contacts(b, &b->loads.masses[i].at[k], sp__mass_each(&b->loads.masses[i]));
    sp__parallel(b->ctx, r->parts, follow_part, b);
    memset(r->kinematics_of, 0, (size_t)r->parts);
    r->filled = false;
    r->stale = false;
}

bool sp__rod_mass_next(const sp_body *b, int part, int *at, sp_rod_mass *out) {
    const sp_rod *r = sp__rod(b);
    for (int i = 0, first = 0; i < b->loads.mass_count; first += b->loads.masses[i++].count) {
        const sp_point_mass *m = &b->loads.masses[i];
        for (int k = *at > first ? *at - first : 0; k < m->count; k++) {
            if (r->part_of[m->at[k].elem] != part) continue;
            *out =
                (sp_rod_mass){(int)m->at[k].elem - r->part[part].element, m->at[k].at[0], sp__mass_each(m), sp__inertia_each(m)};
            *at = first + k + 1;
            return true;
        }
    }
    return false;
}

// ------------------------------------------------------------------------------------------------ kinematics

enum { PLACES = 1, MOTION = 2 };

static bool rod_same(const double *a, const double *b, int n) {
    return memcmp(a, b, (size_t)n * sizeof *a) == 0;
}

static bool has_kinematics(const sp_body *b, int part, sp_which which, bool motion) {
    const sp_rod *r = sp__rod(b);
    const sp_rod_part *p = &r->part[part];
    if (r->kinematics_of[part] < (motion ? MOTION : PLACES)) return false;
    if (!rod_same(r->kinematics_q + p->q, b->q[which] + p->q, p->nq)) return false;
    return !motion || (rod_same(r->kinematics_v + p->v, b->v[which] + p->v, p->nv) &&
                       rod_same(r->kinematics_acceleration[part], r->acceleration, 3));
}

sp_status sp__rod_update_kinematics(sp_body *b, int part, sp_which which, bool motion) {
    sp_rod *r = sp__rod(b);
    const sp_rod_part *p = &r->part[part];
    if (has_kinematics(b, part, which, motion)) return SP_OK;
    memcpy(r->kinematics_q + p->q, b->q[which] + p->q, (size_t)p->nq * sizeof(double));
    memcpy(r->kinematics_v + p->v, b->v[which] + p->v, (size_t)p->nv * sizeof(double));
    memcpy(r->kinematics_acceleration[part], r->acceleration, sizeof r->acceleration);
    sp_status status = r->model->update_kinematics(b, part, r->kinematics_q + p->q, r->kinematics_v + p->v, motion);
    r->kinematics_of[part] = status < 0 ? 0 : motion ? MOTION : PLACES;
    return status;
}

typedef struct kinematics_job {
    sp_body *b;
    sp_which which;
    bool motion;
} kinematics_job;

static void update_part_kinematics(void *arg, int part, int worker) {
    (void)worker;
    const kinematics_job *s = arg;
    sp__rod(s->b)->kinematics_status[part] = sp__rod_update_kinematics(s->b, part, s->which, s->motion);
}

sp_status sp__rod_update_all_kinematics(sp_body *b, const sp_step *step, sp_which which, bool motion) {
    sp_rod *r = sp__rod(b);
    if (step) r->h = step->h;
    sp__rod_follow(b);
    kinematics_job s = {b, which, motion};
    sp__parallel(b->ctx, r->parts, update_part_kinematics, &s);
    for (int i = 0; i < r->parts; i++) {
        if (r->kinematics_status[i] >= 0) continue;
        if (r->kinematics_status[i] == SP_NO_MEMORY)
            return SP_BODY_FAIL(b, SP_NO_MEMORY, "no memory for strand %d of '%s'", i, b->name);
        sp_status status = SP_BODY_FAIL(b, r->kinematics_status[i],
                                        "strand %d of '%s' has a state that is not finite or bends too much", i, b->name);
        b->error->index = r->part[i].node;
        return status;
    }
    return SP_OK;
}
