// Inverse statics (Casati 2015, section 16): the natural curvature for which the current shape is an equilibrium. In curvature
// coordinates the elastic force is Kbar (q - q_rest), and Kbar does not depend on the shape, so
//     q_rest += -Kbar^-1 f
// with the residual force f at rest: weight, loads, springs and contacts.
#include "body/drive.h"
#include "math/vec3.h"
#include "rod/rod.h"
#include "rod/strand.h"

static sp_status invert_refuse(const sp_body *b) {
    const sp_rod *r = sp__rod(b);
    if (r->which != SP_ROD_CLOTHOID && r->which != SP_ROD_HELIX)
        return SP_BODY_FAIL(b, SP_BAD_INPUT,
                            "'%s': natural curvature of a %s cannot be found from its shape: must be clothoid or helix", b->name,
                            r->model->name);
    if (r->natural_in_time) return SP_BODY_FAIL(b, SP_BAD_INPUT, "'%s': its natural curvature is prescribed in time", b->name);
    return SP_OK;
}

// ------------------------------------------------------------------------------------------------ roots

// sum of the force magnitudes on a strand: the scale of the residual that a free root may have
static double invert_pulled(const sp_body *b, int part) {
    const sp_rod *r = sp__rod(b);
    const sp_rod_part *p = &r->part[part];
    double sum = 0, g = sp__norm3(r->acceleration);
    for (int e = p->element; e < p->element + p->alive; e++) sum += g * r->length[e] * sp__rod_stiffness(r, e)->line_density;
    sp_rod_mass m;
    for (int i = 0; sp__rod_mass_next(b, part, &i, &m);) sum += g * m.mass;
    for (int i = 0; i < b->loads.term_count; i++)
        if (r->part_of[b->loads.terms[i].at.elem] == part) sum += sp__norm3(b->loads.terms[i].f);
    for (int i = 0; i < r->loads; i++)
        if (r->load[i].type == SP_LOAD_FORCE && r->part_of[r->load[i].element] == part) sum += sp__norm3(r->load_now[i]);
    return sum;
}

// curvature can balance all forces except those on a free root
static sp_status check_root(const sp_body *b, int part) {
    const sp_rod *r = sp__rod(b);
    const sp_rod_part *p = &r->part[part];
    double scale = invert_pulled(b, part), length = 0;
    for (int e = p->element; e < p->element + p->alive; e++) length += r->length[e];
    for (int i = 0; i < 6; i++) {
        double f = b->f[p->v + i], least = 1e-9 * scale * (i < 3 ? 1 : length);
        if (b->fixed[p->v + i] || fabs(f) <= least) continue;
        return SP_BODY_FAIL(b, SP_BAD_INPUT, "'%s', strand %d: its root is free and %s of %g %s is left on it: hold it", b->name,
                            part, i < 3 ? "a force" : "a torque", f, i < 3 ? "N" : "N m");
    }
    return SP_OK;
}

// ------------------------------------------------------------------------------------------------ curvature

// Nodal values whose means over elements change by d. One value is free, the others follow: x_i+1 = 2 d_i - x_i. It is chosen by
// least squares of the differences between neighbouring nodes, for the smoothest change.
static void invert_spread(const double *d, int elements, double *nodes) {
    for (int k = 0; k < 3; k++) {
        double x = 0, sum = 0;
        for (int i = 0, sign = 1; i < elements; i++, sign = -sign) {
            double next = 2 * d[3 * i + k] - x;
            sum += sign * (next - x);
            x = next;
        }
        x = 0.5 * sum / elements;
        for (int i = 0; i <= elements; i++) {
            nodes[3 * i + k] += x;
            if (i < elements) x = 2 * d[3 * i + k] - x;
        }
    }
}

// change of the natural curvatures of the controls, strand by strand as in f
static sp_status natural_change(sp_body *b, double *d) {
    const sp_rod *r = sp__rod(b);
    for (int p = 0; p < r->parts; p++) {
        const sp_rod_part *part = &r->part[p];
        SP_TRY(check_root(b, p));
        if (sp__strand_stiffness_solve(sp__rod_strand(b, p), b->f + part->v + 6, d + part->v + 6) < 0)
            return SP_BODY_FAIL(b, SP_NO_MEMORY, "no memory to invert strand %d of '%s'", p, b->name);
        for (int i = 6; i < part->nv; i++) d[part->v + i] = -d[part->v + i];
    }
    return SP_OK;
}

static void invert_go(sp_body *b, const double *d) {
    sp_rod *r = sp__rod(b);
    for (int p = 0; p < r->parts; p++) {
        const sp_rod_part *part = &r->part[p];
        double *nodes = r->natural + 3 * (size_t)part->node;
        const double *own = d + part->v + 6;
        if (r->which == SP_ROD_HELIX) invert_spread(own, part->alive, nodes);
        for (int i = 0; i < 3 * (part->alive + 1) && r->which == SP_ROD_CLOTHOID; i++) nodes[i] += own[i];
    }
}

static void copy_natural(const sp_rod *r, double *out) {
    if (r->which == SP_ROD_CLOTHOID) memcpy(out, r->natural, 3 * (size_t)r->nodes * sizeof *out);
    for (int e = 0; e < r->elements && r->which == SP_ROD_HELIX; e++) {
        const sp_rod_part *part = &r->part[r->part_of[e]];
        const double *nodes = r->natural + 3 * (size_t)(part->node + e - part->element);
        for (int k = 0; k < 3; k++) out[3 * e + k] = 0.5 * (nodes[k] + nodes[3 + k]);
    }
}

sp_status sp__rod_invert(sp_body *b, const sp_step *step, double *natural) {
    double *d;
    SP_TRY(invert_refuse(b));
    if (!SP_NEW(b->ctx, d, b->nv)) return SP_BODY_FAIL(b, SP_NO_MEMORY, "no memory to invert '%s'", b->name);
    sp__drive_begin(b);
    memset(b->v[SP_TRIAL], 0, (size_t)b->nv * sizeof(double));
    sp_status status = sp__drive_evaluate(b, step, SP_WANT_FORCE);
    if (status >= 0) status = natural_change(b, d);
    if (status >= 0) {
        invert_go(b, d);
        sp__rod_changed(b);
        if (natural) copy_natural(sp__rod(b), natural);
    }
    sp__free(b->ctx, d);
    return status;
}
