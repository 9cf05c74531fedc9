// Queries of a rod: fields, measures, energies, work, the hash of the state.
#include "body/contacts.h"
#include "body/drive.h"
#include "math/rotation_vector.h"
#include "math/vec3.h"
#include "rod/rod.h"

// ------------------------------------------------------------------------------------------------ per node

// at the committed state, node by node; needs positions only
static void fill_nodes(sp_body *b, sp_field_id what, double *out) {
    const sp_rod *r = sp__rod(b);
    for (int p = 0; p < r->parts; p++) {
        const sp_rod_part *part = &r->part[p];
        for (int i = 0; i <= part->elements; i++) {
            bool last = i == part->elements;
            size_t node = (size_t)(part->node + i);
            sp_curve_frame f;
            double speed[6];
            r->model->place(b, p, i - last, last, &f);
            if (what == SP_FIELD_FRAME) memcpy(out + 9 * node, f.R, sizeof f.R);
            if (what == SP_FIELD_POSITION) memcpy(out + 3 * node, f.r, sizeof f.r);
            if (what == SP_FIELD_DISPLACEMENT) sp__sub3(f.r, r->rest + 3 * node, out + 3 * node);
            if (what != SP_FIELD_VELOCITY) continue;
            r->model->speed(b, p, i - last, last, b->v[SP_COMMITTED] + part->v, speed);
            memcpy(out + 3 * node, speed, 3 * sizeof(double));
        }
    }
}

// Generalised forces as node forces, for every direction of a node that is one unknown.
static void spread_forces(sp_body *b, const double *g, bool held_only, double *out) {
    const sp_rod *r = sp__rod(b);
    memset(out, 0, 3 * (size_t)r->nodes * sizeof *out);
    for (int p = 0; p < r->parts; p++)
        for (int i = 0; i <= r->part[p].elements; i++)
            for (int a = 0; a < 3; a++) {
                int unknown[12], n = r->model->held(b, p, i, 1u << a, unknown), at = r->part[p].v + unknown[0];
                if (n == 1 && (!held_only || b->fixed[at])) out[3 * (r->part[p].node + i) + a] = g[at];
            }
}

// springs that hold a node are reactions too
static void add_pins(sp_body *b, double *out) {
    for (int i = 0; i < b->loads.spring_count; i++) {
        const sp_spring *s = &b->loads.springs[i];
        const sp_rod *r = sp__rod(b);
        double x[3];
        if (!s->active || !s->pin) continue;
        const sp_rod_part *p = &r->part[r->part_of[s->at.elem]];
        int node = p->node + (int)s->at.elem - p->element + (s->at.at[0] > 0.5);
        sp__rod_points(b, SP_TRIAL, 1, &s->at, x, NULL);
        for (int a = 0; a < 3; a++)
            if (s->axes >> a & 1) out[3 * node + a] += s->stiffness * (s->target[a] - x[a]);
    }
}

// reactions at fixed nodes: minus the force on them at the committed state
static sp_status reaction_field(sp_body *b, const sp_step *step, sp_field_id id, double *out) {
    (void)id;
    double energy = b->energy;
    sp__drive_begin(b);
    sp__loads_evaluate(b, step, SP_CONTACT_COMMITTED);
    SP_TRY(sp__rod_evaluate(b, step, SP_WANT_FORCE));
    for (int i = 0; i < b->nv; i++) b->f[i] = -b->f[i];
    spread_forces(b, b->f, true, out);
    add_pins(b, out);
    b->energy = energy;
    return SP_OK;
}

static int nearest_node(const sp_rod *r, int element, double at) {
    const sp_rod_part *p = &r->part[r->part_of[element]];
    return p->node + element - p->element + (at >= 0.5);
}

// point forces, springs and drags, at the nearest node
static sp_status load_field(sp_body *b, const sp_step *step, sp_field_id id, double *out) {
    (void)step, (void)id;
    const sp_rod *r = sp__rod(b);
    memset(out, 0, 3 * (size_t)r->nodes * sizeof *out);
    for (int i = 0; i < r->loads; i++)
        if (r->load[i].type == SP_LOAD_FORCE) {
            double *f = out + 3 * nearest_node(r, r->load[i].element, r->load[i].at);
            sp__axpy3(f, 1, r->load_now[i], f);
        }
    for (int i = 0; i < b->loads.spring_count; i++) {
        const sp_spring *s = &b->loads.springs[i];
        double x[3], v[3], *f = out + 3 * nearest_node(r, (int)s->at.elem, s->at.at[0]);
        if (!s->active || s->pin) continue;
        sp__rod_points(b, SP_COMMITTED, 1, &s->at, x, v);
        for (int a = 0; a < 3; a++)
            if (s->axes >> a & 1) f[a] += s->stiffness * (s->target[a] - x[a]) - s->damping * v[a];
    }
    return SP_OK;
}

// A vertex of the centreline is a node, or lies between the two nodes of a curved element: shares of both.
static int line_nodes(const sp_body *b, uint32_t vertex, double share[2]) {
    const sp_rod *r = sp__rod(b);
    const sp_anchor *a = &b->centreline->anchors[vertex];
    const sp_rod_part *p = &r->part[r->part_of[a->elem]];
    share[0] = 1 - a->at[0], share[1] = a->at[0];
    return p->node + (int)a->elem - p->element;
}

// Contacts by constraints of the last step, at the nodes: forces (3 numbers each), or the normal forces.
static void contact_shares(const sp_body *b, bool normal, double *out) {
    const sp_contacts *c = b->contacts;
    for (int k = 0; k < c->count; k++)
        for (int side = 0; side < 2; side++) {
            const sp_contact_patch *p = &c->list[k].side[side];
            if (p->body != b || p->surface != b->centreline) continue;
            for (int i = 0; i < p->count; i++) {
                double share[2];
                const int node = line_nodes(b, p->vertex[i], share);
                for (int n = 0; n < 2; n++) {
                    const double w = p->weight[i] * share[n];
                    if (normal) out[node + n] += w * c->list[k].normal_force;
                    for (int a = 0; a < 3 && !normal; a++)
                        out[3 * (node + n) + a] += (side == 0 ? w : -w) * c->list[k].point.force[a];
                }
            }
        }
}

static sp_status contact_force_field(sp_body *b, const sp_step *step, sp_field_id id, double *out) {
    (void)step, (void)id;
    memset(out, 0, 3 * (size_t)sp__rod(b)->nodes * sizeof *out);
    if (b->contacts && b->contacts->count && b->centreline) contact_shares(b, false, out);
    return SP_OK;
}

// Normal force per length over the diameter.
static sp_status contact_pressure_field(sp_body *b, const sp_step *step, sp_field_id id, double *out) {
    const sp_rod *r = sp__rod(b);
    double *area = r->node_scratch;
    (void)step, (void)id;
    memset(out, 0, (size_t)r->nodes * sizeof *out);
    if (!b->contacts || !b->contacts->count || !b->centreline) return SP_OK;
    contact_shares(b, true, out);
    memset(area, 0, (size_t)r->nodes * sizeof *area);
    for (int v = 0; v < b->centreline->vertex_count; v++) {
        double share[2];
        const int node = line_nodes(b, (uint32_t)v, share);
        for (int n = 0; n < 2; n++) area[node + n] += share[n] * sp__contacts_line_area(b->centreline, v);
    }
    for (int i = 0; i < r->nodes; i++) out[i] = area[i] > 0 ? out[i] / area[i] : 0;
    return SP_OK;
}

// ------------------------------------------------------------------------------------------------ per element

// Largest von Mises stress on the surface: bending stress over the section, combined with torsional shear. Uses the differences
// to the natural curvature at the ends of the element; axial stress of extensible models is not included.
static double outer_stress(const sp_rod *r, int element, const double *curvature, const double *natural) {
    const sp_rod_section *s = &r->section[r->section_of[element]];
    double most = 0, shear = s->young / (2 * (1 + s->poisson)), a = s->axes[0], c = s->axes[1];
    for (int end = 0; end < 2; end++) {
        double k[3];
        sp__sub3(curvature + 3 * end, natural + 3 * end, k);
        // ellipse: bending stress at the farthest point from the axis, torsional shear at the end of the shorter axis
        double bent = s->young * hypot(k[1] * c, k[2] * a), flat = fmin(a, c), wide = fmax(a, c);
        double twisted = shear * fabs(k[0]) * 2 * flat * wide * wide / (a * a + c * c);
        most = fmax(most, sqrt(bent * bent + 3 * twisted * twisted));
    }
    return most;
}

static sp_status element_field(sp_body *b, const sp_step *step, sp_field_id id, double *out) {
    (void)step;
    const sp_rod *r = sp__rod(b);
    SP_TRY(sp__rod_update_all_kinematics(b, NULL, SP_COMMITTED, false));
    for (int p = 0; p < r->parts; p++) {
        const sp_rod_part *part = &r->part[p];
        if (id == SP_FIELD_STRAIN_ENERGY) sp__rod_elastic(b, p, out + part->element);
        if (id == SP_FIELD_VON_MISES) r->model->curvature(b, p, r->node_scratch + 3 * (size_t)part->node);
        for (int e = 0; e < part->elements; e++) {
            size_t node = 3 * (size_t)(part->node + e);
            if (id == SP_FIELD_REGION) out[part->element + e] = r->section_of[part->element + e];
            if (id == SP_FIELD_VON_MISES)
                out[part->element + e] = outer_stress(r, part->element + e, r->node_scratch + node, r->natural + node);
        }
    }
    return SP_OK;
}

// ------------------------------------------------------------------------------------------------ fields

static sp_status node_field(sp_body *b, const sp_step *step, sp_field_id id, double *out) {
    (void)step;
    SP_TRY(sp__rod_update_all_kinematics(b, NULL, SP_COMMITTED, false));
    fill_nodes(b, id, out);
    return SP_OK;
}

static sp_status curvature_field(sp_body *b, const sp_step *step, sp_field_id id, double *out) {
    const sp_rod *r = sp__rod(b);
    (void)step, (void)id;
    SP_TRY(sp__rod_update_all_kinematics(b, NULL, SP_COMMITTED, false));
    for (int p = 0; p < r->parts; p++) r->model->curvature(b, p, out + 3 * (size_t)r->part[p].node);
    return SP_OK;
}

// a growing rod appends the lengths of its elements to the coordinates, a fed rod the length and the angle of its feed
static sp_status coordinates_field(sp_body *b, const sp_step *step, sp_field_id id, double *out) {
    const sp_rod *r = sp__rod(b);
    (void)step, (void)id;
    if (b->nq) memcpy(out, b->q[SP_COMMITTED], (size_t)b->nq * sizeof *out);
    if (r->growth) memcpy(out + b->nq, r->length, (size_t)r->elements * sizeof *out);
    if (r->guide) memcpy(out + b->nq, sp__rod_feed_state(r), 2 * sizeof *out);
    return SP_OK;
}

static sp_status rates_field(sp_body *b, const sp_step *step, sp_field_id id, double *out) {
    (void)step, (void)id;
    if (b->nv) memcpy(out, b->v[SP_COMMITTED], (size_t)b->nv * sizeof *out);
    return SP_OK;
}

static int node_count(const sp_body *b) {
    return sp__rod(b)->nodes;
}

static int element_count(const sp_body *b) {
    return sp__rod(b)->elements;
}

static int coordinate_count(const sp_body *b) {
    return b->nq + (sp__rod(b)->growth ? sp__rod(b)->elements : 0) + (sp__rod(b)->guide ? 2 : 0);
}

static int rate_count(const sp_body *b) {
    return b->nv;
}

const sp_field sp__rod_fields[SP_ROD_FIELDS] = {
    {SP_FIELD_POSITION, node_count, node_field},
    {SP_FIELD_VELOCITY, node_count, node_field},
    {SP_FIELD_DISPLACEMENT, node_count, node_field},
    {SP_FIELD_FORCE, node_count, reaction_field},
    {SP_FIELD_LOAD, node_count, load_field},
    {SP_FIELD_CONTACT_FORCE, node_count, contact_force_field},
    {SP_FIELD_CONTACT_PRESSURE, node_count, contact_pressure_field},
    {SP_FIELD_FRAME, node_count, node_field},
    {SP_FIELD_CURVATURE, node_count, curvature_field},
    {SP_FIELD_VON_MISES, element_count, element_field},
    {SP_FIELD_STRAIN_ENERGY, element_count, element_field},
    {SP_FIELD_REGION, element_count, element_field},
    {SP_FIELD_COORDINATES, coordinate_count, coordinates_field},
    {SP_FIELD_RATES, rate_count, rates_field},
};

void sp__rod_element_nodes(sp_body *b, int *out) {
    const sp_rod *r = sp__rod(b);
    for (int e = 0; e < r->elements; e++) {
        const sp_rod_part *p = &r->part[r->part_of[e]];
        out[2 * (size_t)e] = p->node + e - p->element;
        out[2 * (size_t)e + 1] = out[2 * (size_t)e] + 1;
    }
}

// ------------------------------------------------------------------------------------------------ measures

static double farthest(sp_body *b) {
    const sp_rod *r = sp__rod(b);
    double most = 0;
    fill_nodes(b, SP_FIELD_DISPLACEMENT, r->node_scratch);
    for (int i = 0; i < r->nodes; i++) most = fmax(most, sp__norm3(r->node_scratch + 3 * (size_t)i));
    return most;
}

void sp__rod_measure_mass(sp_measure *out, double m, const double x[3], const double u[3]) {
    double moment[3];
    sp__cross3(x, u, moment);
    out->mass += m;
    sp__axpy3(out->moment, m, x, out->moment);
    sp__axpy3(out->momentum, m, u, out->momentum);
    sp__axpy3(out->angular, m, moment, out->angular);
}

double sp__rod_elastic(sp_body *b, int part, double *per_element) {
    const sp_rod *r = sp__rod(b);
    double sum = 0;
    for (int e = 0; e < r->part[part].elements; e++) {
        double own = r->model->element_energy(b, part, e);
        if (per_element) per_element[e] = own;
        sum += own;
    }
    return sum;
}

typedef struct measure_job {
    sp_body *b;
    sp_which which;
} measure_job;

// on all workers: the next step uses what the model computes here
static void measure_part(void *arg, int part, int worker) {
    (void)worker;
    const measure_job *j = arg;
    const sp_rod *r = sp__rod(j->b);
    sp_measure *own = &r->part_measure[part];
    *own = (sp_measure){0};
    r->model->measure(j->b, part, j->b->v[j->which] + r->part[part].v, own);
    own->elastic = sp__rod_elastic(j->b, part, NULL);
}

// the volume of an inextensible rod is that of its sections
static void measure_state(sp_body *b, sp_which which, sp_measure *out) {
    const sp_rod *r = sp__rod(b);
    measure_job j = {b, which};
    *out = (sp_measure){0};
    if (sp__rod_update_all_kinematics(b, NULL, which, false) < 0) return;
    for (int e = 0; e < r->elements; e++) {
        const sp_rod_section *s = &r->section[r->section_of[e]];
        const sp_rod_stiffness *k = sp__rod_stiffness(r, e);
        out->rest_volume += k->line_density / s->density * r->length[e];
        out->rigidity += k->stretch * r->length[e];
    }
    out->volume = out->rest_volume;
    out->size = cbrt(out->volume / r->elements);
    sp__parallel(b->ctx, r->parts, measure_part, &j);
    for (int p = 0; p < r->parts; p++) {
        const sp_measure *own = &r->part_measure[p];
        out->mass += own->mass, out->kinetic += own->kinetic, out->elastic += own->elastic;
        for (int k = 0; k < 3; k++) {
            out->momentum[k] += own->momentum[k], out->angular[k] += own->angular[k];
            out->moment[k] += own->moment[k];
        }
    }
}

void sp__rod_measure(sp_body *b, sp_measure *out) {
    measure_state(b, SP_COMMITTED, out);
    if (out->mass > 0) out->displacement_max = farthest(b);
}

void sp__rod_energies(sp_body *b, sp_which which, sp_energies *out) {
    sp_measure m;
    measure_state(b, which, &m);
    *out = (sp_energies){.kinetic = m.kinetic,
                         .elastic = m.elastic,
                         .volume = m.volume,
                         .rest_volume = m.rest_volume,
                         .size = m.size,
                         .rigidity = m.rigidity};
    memcpy(out->moment, m.moment, sizeof out->moment);
}

// position and frame of a load at a state
static bool load_frame(sp_body *b, const sp_rod_point_load *l, sp_which which, sp_curve_frame *out) {
    const sp_rod *r = sp__rod(b);
    int part = r->part_of[l->element];
    if (sp__rod_update_kinematics(b, part, which, false) < 0) return false;
    r->model->place(b, part, l->element - r->part[part].element, l->at, out);
    return true;
}

// Forces have a constant direction, so work is force times displacement. A torque does work along the rotation vector of its
// section from the committed to the trial state.
static double load_work(sp_body *b, int load) {
    const sp_rod *r = sp__rod(b);
    sp_curve_frame from, to;
    double offset[3], R[9];
    if (!load_frame(b, &r->load[load], SP_COMMITTED, &from) || !load_frame(b, &r->load[load], SP_TRIAL, &to)) return 0;
    sp__sub3(to.r, from.r, offset);
    if (r->load[load].type == SP_LOAD_TORQUE) {
        for (int i = 0; i < 3; i++)
            for (int j = 0; j < 3; j++) R[3 * i + j] = sp__dot3(to.R + 3 * i, from.R + 3 * j);
        sp__rotvec_of_matrix(R, offset);
    }
    return sp__dot3(r->load_now[load], offset);
}

// Work of rotating a clamp's frame that is not an unknown: the change of elastic energy of the committed strand with the frame at
// the end of the step.
static double clamp_work(sp_body *b, int part) {
    const sp_rod *r = sp__rod(b);
    const sp_rod_part *p = &r->part[part];
    int at = p->q + r->model->clamp(p->elements);
    double *clamp = b->q[SP_COMMITTED] + at, kept[9], work = 0;
    if (memcmp(clamp, b->q[SP_TRIAL] + at, sizeof kept) == 0) return 0;
    memcpy(kept, clamp, sizeof kept);
    if (sp__rod_update_kinematics(b, part, SP_COMMITTED, false) >= 0) work = -sp__rod_elastic(b, part, NULL);
    memcpy(clamp, b->q[SP_TRIAL] + at, sizeof kept);
    if (sp__rod_update_kinematics(b, part, SP_COMMITTED, false) >= 0) work += sp__rod_elastic(b, part, NULL);
    memcpy(clamp, kept, sizeof kept);
    return work;
}

double sp__rod_work(sp_body *b, double push[3]) {
    const sp_rod *r = sp__rod(b);
    double work = 0;
    for (int p = 0; p < r->parts && r->model->clamp; p++) b->pin_work += clamp_work(b, p);
    for (int i = 0; i < r->loads; i++) {
        // statics may rotate a section by several turns in a step, which cannot be seen from its two frames
        if (r->load[i].type == SP_LOAD_TORQUE && b->integrator.type == SP_STATIC) return NAN;
        if (r->load[i].type != SP_LOAD_ACCELERATION) work += load_work(b, i);
    }
    memcpy(push, r->pushed, sizeof r->pushed);
    return work;
}

uint64_t sp__rod_hash(sp_body *b) {
    const sp_rod *r = sp__rod(b);
    uint64_t q = (uint64_t)b->nq, v = (uint64_t)b->nv;
    uint64_t fed = r->guide ? sp__body_hash_numbers(sp__rod_feed_state(r), 2, q + v + (uint64_t)r->elements) : 0;
    return sp__body_hash_numbers(b->q[SP_COMMITTED], b->nq, 0) + sp__body_hash_numbers(b->v[SP_COMMITTED], b->nv, q) +
           sp__body_hash_numbers(r->length, r->elements, q + v) + fed;
}

// the node nearest to an unknown, by its position in the numbering
int64_t sp__rod_node_of(sp_body *b, int unknown) {
    const sp_rod *r = sp__rod(b);
    int p = 0;
    while (p + 1 < r->parts && r->part[p + 1].v <= unknown) p++;
    const sp_rod_part *part = &r->part[p];
    int local = (int)((int64_t)(unknown - part->v) * (part->elements + 1) / (part->nv > 0 ? part->nv : 1));
    return part->node + (local > part->elements ? part->elements : local);
}
