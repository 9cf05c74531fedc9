// What point terms did in a step, for the watch over energy: the work of springs, of friction and of damping, the potential of
// penalty contacts, and how deep collision points are.
#include "body/body.h"
#include "math/vec3.h"

// ---------------------------------------------------------------------------------------------------- springs

// potential against the targets of the end of the step, and what dampers take in a step of length h
static void add_springs(sp_body *b, sp_which s, double sign, double h, sp_loads_work *out) {
    for (int i = 0; i < b->loads.spring_count; i++) {
        const sp_spring *p = &b->loads.springs[i];
        double x[3], v[3], sum = 0;
        if (!p->active) continue;
        b->ops->points(b, s, 1, &p->at, x, v);
        for (int a = 0; a < 3; a++) {
            if (!(p->axes & (1u << a))) continue;
            double u = x[a] - p->target[a];
            sum += sign * 0.5 * p->stiffness * u * u - h * p->damping * v[a] * v[a];
        }
        *(p->pin ? &out->pins : &out->drags) += sum;
    }
}

// ---------------------------------------------------------------------------------------------------- contacts

// Potential of contacts at the committed places, against rigid bodies where they are at the end of the step. Asked for where
// parameters changed, not in every step.
static double potential_before(sp_body *b, const sp_step *step) {
    const sp_loads *l = &b->loads;
    double sum = 0;
    if (b->ops->settle && b->ops->settle(b, step, SP_COMMITTED) < 0) return 0;
    for (int i = 0; i < l->node_count; i++) {
        const sp_contact_node *node = &l->nodes[i];
        double x[3], n[3], surface[3], k = sp__contact_stiffness(b, step, node);
        b->ops->points(b, SP_COMMITTED, 1, &node->at, x, NULL);
        for (int o = 0; o < l->obstacles->count; o++) {
            sp_body *with = l->obstacles->list[o];
            double d = fmin(with->ops->distance(with, SP_TRIAL, x, n, surface) - node->radius, 0);
            sum += 0.5 * k * d * d;
        }
    }
    return sum;
}

// Implicit drivers and statics leave the touches of the trial state. An explicit step has looked at the start of its last
// substep. Points of rods do not move along their velocities, so the work of friction on them is uncertain: only what it gives
// them counts. What it takes away is then missing from the balance, which falls.
static void add_touches(sp_body *b, const sp_step *step, double h, sp_loads_work *out) {
    const sp_loads *l = &b->loads;
    if (b->integrator.type == SP_EXPLICIT) sp__loads_evaluate(b, step, SP_CONTACT_TRIAL);
    double steps = step->h > 0 ? h / step->h : 1;
    for (int i = 0; i < l->node_count; i++) {
        const sp_touch *t = &l->touches[i];
        if (!t->active) continue;
        out->contact += t->potential;
        out->contact_work += steps * (t->work + (b->ops->between ? fmax(t->friction_work, 0) : t->friction_work));
        out->penetration = fmax(out->penetration, t->depth);
    }
}

void sp__loads_work(sp_body *b, const sp_step *step, double h, bool before, sp_loads_work *out) {
    *out = (sp_loads_work){0};
    bool touches = sp__loads_touch(b);
    // the committed state first: what is made for the trial state serves the next step
    add_springs(b, SP_COMMITTED, 1, 0, out);
    if (before && touches) out->contact_before = potential_before(b, step);
    add_springs(b, SP_TRIAL, -1, h, out);
    if (touches) add_touches(b, step, h, out);
}
