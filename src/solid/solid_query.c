// Queries of a solid: fields, measures, hash of the state. In user numbering.
#define SP_LANES 1
#include <float.h>

#include "body/contacts.h"
#include "body/drive.h"
#include "kernels/tet.h"
#include "solid/solid.h"

// ------------------------------------------------------------------------------------------------ per element

// What fields need of an element at the committed state. Elements with several integration points have the means over these,
// weighted by their volumes.
typedef struct element_values {
    double stress[6], strain[6];  // Cauchy and Green-Lagrange in world axes: xx yy zz xy yz zx
    double energy;                // of the element [J]; NaN: the forces have no energy
    double volume_ratio, fibre;   // stretch of the first family of fibres, 1 without
    double rotation[9];
} element_values;

// rotation of a tetrahedron relative to rest: R maps the rest frame, which comes from the rest positions
static void tet_rotation_from(const sp_solid *s, const sp_solid_group *g, int slot, const double R[9], double out[9]) {
    double u[3], v[3], f[9];
    const double *x[3];
    for (int a = 0; a < 3; a++) x[a] = s->rest + 3 * (size_t)sp__group_node(g, slot, a);
    sp__sub3(x[1], x[0], u), sp__sub3(x[2], x[0], v);
    lane_frame(u, v, f, f + 3, f + 6);
    sp__mul33(R, f, out);  // rows of f are the axes
}

// strain in world axes from F, which starts from the rest frame of the element
static void tet_green(const sp_solid *s, const sp_solid_group *g, int slot, const double F[9], element_values *out) {
    static const int row[6] = {0, 1, 2, 0, 1, 0}, column[6] = {0, 1, 2, 1, 2, 2};
    double H[9];
    tet_rotation_from(s, g, slot, F, H);
    for (int k = 0; k < 9; k += 4) H[k] -= 1;
    for (int k = 0; k < 6; k++) {
        int i = row[k], j = column[k];
        out->strain[k] = 0.5 * (H[3 * i + j] + H[3 * j + i] + H[i] * H[j] + H[3 + i] * H[3 + j] + H[6 + i] * H[6 + j]);
    }
    out->volume_ratio = sp__det3(F), out->fibre = 1;
}

// The stress is that of the corotated small strain.
static void tet_values(const sp_body *b, const sp_solid_group *g, int slot, element_values *out) {
    const sp_solid *s = sp__solid(b);
    const sp_tets *t = &g->tets;
    size_t w = (size_t)t->lanes, blk = (size_t)(slot - g->first) / w, l = (size_t)(slot - g->first) % w;
    double r[6], d[9], G[9], F[9], R[9], e[6];
    const double *x[4], *q = b->q[SP_COMMITTED];
    for (int a = 0; a < 4; a++) x[a] = q + 3 * (size_t)sp__group_node(g, slot, a);
    for (size_t k = 0; k < 6; k++) r[k] = t->rest[(blk * 6 + k) * w + l];
    for (int a = 0; a < 3; a++) sp__sub3(x[a + 1], x[0], d + 3 * a);
    tet_gradient(d, r, F);
    if (sp__group_is_linear(g)) {
        for (size_t i = 0; i < 3; i++)
            for (size_t j = 0; j < 3; j++) R[3 * i + j] = t->frame[(blk * 9 + 3 * j + i) * w + l];
    } else {
        tet_rotate(F, (tet_rotation)t->rotation, R);
    }
    tet_turn(R, r, G);
    if (t->deformed) tet_deformed_gradients(F, r, G);
    tet_strain(d, G, F, R, t->deformed, e);
    sp_material m = sp__solid_material_of(s, slot);
    double mu = m.young / (2 * (1 + m.poisson)), lambda = m.young * m.poisson / ((1 + m.poisson) * (1 - 2 * m.poisson));
    double trace = e[0] + e[1] + e[2];
    if (mu > 0) lambda += m.incompressibility;
    for (int k = 0; k < 6; k++) out->stress[k] = 2 * mu * e[k] + (k < 3 ? lambda * trace : 0);
    // shear strains count twice in e : e
    double ee = e[0] * e[0] + e[1] * e[1] + e[2] * e[2] + 2 * (e[3] * e[3] + e[4] * e[4] + e[5] * e[5]);
    out->energy = sp__group_has_energy(g) ? s->volume[slot] * (mu * ee + 0.5 * lambda * trace * trace) : NAN;
    tet_rotation_from(s, g, slot, R, out->rotation);
    tet_green(s, g, slot, F, out);
}

// F += weight (I + grad u) at an integration point; u: displacements of the nodes of the element
static void add_gradient(const sp_solid_group *g, int at, int point, const double *u, double weight, double F[9]) {
    size_t w = (size_t)g->lanes, slopes = 3 * ((size_t)g->nodes - 1);
    const double *slope =
        sp__group_slopes(g) + ((size_t)at / w * (size_t)g->iso.points + (size_t)point) * slopes * w + (size_t)at % w;
    for (int k = 0; k < 9; k += 4) F[k] += weight;
    for (int a = 1; a < g->nodes; a++)
        for (int i = 0; i < 3; i++)
            for (int j = 0; j < 3; j++) F[3 * i + j] += weight * (u[3 * a + i] - u[i]) * slope[(size_t)(3 * (a - 1) + j) * w];
}

static void iso_values(const sp_body *b, const sp_solid_group *g, int slot, element_values *out) {
    const sp_solid *s = sp__solid(b);
    const double *q = b->q[SP_COMMITTED];
    double u[3 * SP_ELEMENT_NODES_MAX], F[9] = {0};
    int at = slot - g->first;
    *out = (element_values){.energy = 0};
    const sp_iso lasting = sp__group_lasting(g);
    for (int a = 0; a < g->nodes; a++) {
        size_t i = 3 * (size_t)sp__group_node(g, slot, a);
        sp__sub3(q + i, s->rest + i, u + 3 * a);
    }
    for (int p = 0; p < g->iso.points; p++) {
        sp_iso_value v;
        double weight = sp__group_weights(g)[(at / g->lanes * g->iso.points + p) * g->lanes + at % g->lanes];
        if (g->iso.patches)
            sp__iso_value_mean(&lasting, at, sp__patches_mean(s, g, g->patches.of[at], q), u, &v);
        else
            sp__iso_value(&lasting, at, p, u, &v);
        if (g->relaxes) {
            double S[6];
            sp__solid_history_stress(s, slot, p, q, S);
            sp__iso_add_stress(&g->iso, at, p, u, S, v.cauchy);
        }
        for (int k = 0; k < 6; k++) out->stress[k] += weight / s->volume[slot] * v.cauchy[k];
        for (int k = 0; k < 6; k++) out->strain[k] += weight / s->volume[slot] * v.strain[k];
        out->volume_ratio += weight / s->volume[slot] * v.jacobian;
        out->fibre += weight / s->volume[slot] * v.fibre;
        if (g->type == SP_ELEMENT_TRI3)
            for (int k = 0; k < 9; k++) F[k] = v.gradient[k] + (k % 4 ? 0 : 1);
        else
            add_gradient(g, at, p, u, weight / s->volume[slot], F);
        out->energy += weight * v.energy;
    }
    rotation_nearest(F, out->rotation);
}

static void springs_values(const sp_body *b, const sp_solid_group *g, int slot, element_values *out) {
    static const int row[6] = {0, 1, 2, 0, 1, 2}, column[6] = {0, 1, 2, 1, 2, 0};
    const sp_solid *s = sp__solid(b);
    double X[3 * SP_ELEMENT_NODES_MAX], x[3 * SP_ELEMENT_NODES_MAX], F[9];
    for (int a = 0; a < g->nodes; a++) {
        size_t i = 3 * (size_t)sp__group_node(g, slot, a);
        memcpy(X + 3 * a, s->rest + i, 3 * sizeof *X), memcpy(x + 3 * a, b->q[SP_COMMITTED] + i, 3 * sizeof *x);
    }
    out->energy = sp__springs_virial(&g->springs, slot - g->first, x, out->stress);
    sp__springs_gradient(g->nodes, X, x, F);
    out->volume_ratio = sp__det3(F), out->fibre = 1;
    for (int k = 0; k < 6; k++) {
        int i = row[k], j = column[k];
        out->stress[k] /= s->volume[slot] * out->volume_ratio;
        out->strain[k] = 0.5 * (F[i] * F[j] + F[3 + i] * F[3 + j] + F[6 + i] * F[6 + j] - (i == j));
    }
    memcpy(out->rotation, F, sizeof F);
    rotation_nearest(F, out->rotation);
}

static double von_mises(const double s[6]) {
    double a = s[0] - s[1], c = s[1] - s[2], d = s[2] - s[0];
    return sqrt(0.5 * (a * a + c * c + d * d) + 3 * (s[3] * s[3] + s[4] * s[4] + s[5] * s[5]));
}

// eigenvalues of a symmetric matrix, the largest first (Smith 1961: roots of the characteristic polynomial by its angle)
static void principal_values(const double s[6], double out[3]) {
    double mean = (s[0] + s[1] + s[2]) / 3, d[3] = {s[0] - mean, s[1] - mean, s[2] - mean};
    double p = sqrt((d[0] * d[0] + d[1] * d[1] + d[2] * d[2] + 2 * (s[3] * s[3] + s[4] * s[4] + s[5] * s[5])) / 6);
    double det = d[0] * (d[1] * d[2] - s[4] * s[4]) - s[3] * (s[3] * d[2] - s[4] * s[5]) + s[5] * (s[3] * s[4] - d[1] * s[5]);
    double c = p > 0 ? det / (2 * p * p * p) : 0, angle = acos(c < -1 ? -1 : c > 1 ? 1 : c) / 3;
    out[0] = mean + 2 * p * cos(angle);
    out[2] = mean + 2 * p * cos(angle + 2 * SP_PI / 3);
    out[1] = 3 * mean - out[0] - out[2];
}

static double rotation_angle(const double Q[9]) {
    double c = 0.5 * (Q[0] + Q[4] + Q[8] - 1);
    return acos(c < -1 ? -1 : c > 1 ? 1 : c);
}

static size_t element_components(sp_field_id id) {
    if (id == SP_FIELD_STRESS || id == SP_FIELD_STRAIN) return 6;
    return id == SP_FIELD_PRINCIPAL_STRESS || id == SP_FIELD_PRINCIPAL_STRAIN ? 3 : 1;
}

// 0 in an element that was removed
static void element_value(const sp_body *b, sp_field_id id, int slot, double share, double *out) {
    const sp_solid *s = sp__solid(b);
    const sp_solid_group *g = sp__solid_group_of(s, slot);
    element_values v;
    if (id == SP_FIELD_REGION) {
        *out = s->region_of ? s->region_of[slot] : 0;
        return;
    }
    if (!sp__solid_alive(s, slot)) {
        memset(out, 0, element_components(id) * sizeof *out);
        return;
    }
    (g->springs.pattern ? springs_values : g->iso.points ? iso_values : tet_values)(b, g, slot, &v);
    switch (id) {
    case SP_FIELD_ROTATION: *out = rotation_angle(v.rotation); break;
    case SP_FIELD_STRESS: memcpy(out, v.stress, sizeof v.stress); break;
    case SP_FIELD_STRAIN: memcpy(out, v.strain, sizeof v.strain); break;
    case SP_FIELD_PRINCIPAL_STRESS: principal_values(v.stress, out); break;
    case SP_FIELD_PRINCIPAL_STRAIN: principal_values(v.strain, out); break;
    case SP_FIELD_ENERGY_DENSITY: *out = v.energy / s->volume[slot]; break;
    case SP_FIELD_VOLUME_RATIO: *out = v.volume_ratio; break;
    case SP_FIELD_FIBRE_STRETCH: *out = v.fibre; break;
    case SP_FIELD_STRAIN_ENERGY: *out = share * v.energy; break;
    default: *out = von_mises(v.stress); break;
    }
}

// Values are given for cells: those of their element, energies divided by the number of its cells.
static sp_status element_field(sp_body *b, const sp_step *step, sp_field_id id, double *out) {
    (void)step;
    const sp_solid *s = sp__solid(b);
    size_t components = element_components(id);
    for (int c = 0, end; c < s->cells; c = end) {
        for (end = c + 1; end < s->cells && s->cell_element[end] == s->cell_element[c];) end++;
        element_value(b, id, s->slot_of[s->cell_element[c]], 1.0 / (end - c), out + components * (size_t)c);
        for (int k = c + 1; k < end; k++)
            memcpy(out + components * (size_t)k, out + components * (size_t)c, components * sizeof *out);
    }
    return SP_OK;
}

static sp_status removed_field(sp_body *b, const sp_step *step, sp_field_id id, double *out) {
    const sp_solid *s = sp__solid(b);
    (void)step, (void)id;
    for (int c = 0; c < s->cells; c++) out[c] = sp__solid_cell_gone(s, (uint32_t)c);
    return SP_OK;
}

static sp_status refresh_field(sp_body *b, const sp_step *step, sp_field_id id, double *out) {
    int n = sp__solid(b)->cells;  // only solids of tetrahedra have solvers that refresh elements
    (void)step, (void)id;
    if (!sp__solver_refresh_ages(b->solver, n, out)) memset(out, 0, (size_t)n * sizeof *out);
    return SP_OK;
}

// ------------------------------------------------------------------------------------------------ per node

// reaction forces at fixed unknowns: minus the force on them at the committed state
static sp_status reaction_field(sp_body *b, const sp_step *step, sp_field_id id, double *out) {
    sp_solid *s = sp__solid(b);
    (void)id;
    sp_step now = sp__body_step(b, step);
    if (now.h > 0) now.h = DBL_MIN;  // viscous materials: the stress at the end of the step, before it relaxes further
    sp__drive_begin(b);
    sp__loads_evaluate(b, step, SP_CONTACT_COMMITTED);
    SP_TRY(sp__solid_evaluate(b, &now, SP_WANT_FORCE));
    for (int i = 0; i < s->nodes; i++)
        for (size_t k = 0; k < 3; k++) {
            size_t at = 3 * (size_t)i + k;
            out[3 * (size_t)s->user_node[i] + k] = b->fixed[at] ? -b->f[at] : 0.0;
        }
    return SP_OK;
}

// external loads at the committed state, as nodal forces: forces, tractions, pressure, springs, drags. Without gravity, contact
// and pins
static sp_status load_field(sp_body *b, const sp_step *step, sp_field_id id, double *out) {
    sp_solid *s = sp__solid(b);
    (void)id;
    double energy = b->energy;
    sp__drive_begin(b);
    memset(b->f, 0, sizeof(double) * (size_t)b->nv);
    sp__solid_dead_loads(b, step->load_factor);
    for (int i = 0; i < b->loads.spring_count; i++) {
        const sp_spring *sp = &b->loads.springs[i];
        double x[3], v[3], f[3];
        if (!sp->active || sp->pin) continue;
        b->ops->points(b, SP_TRIAL, 1, &sp->at, x, v);
        for (int a = 0; a < 3; a++) f[a] = sp->axes >> a & 1 ? sp->stiffness * (sp->target[a] - x[a]) - sp->damping * v[a] : 0;
        b->ops->apply_transpose(b, SP_TRIAL, 1, &sp->at, f, b->f);
    }
    for (int i = 0; i < s->nodes; i++) memcpy(out + 3 * (size_t)s->user_node[i], b->f + 3 * (size_t)i, 3 * sizeof *out);
    b->energy = energy;
    return SP_OK;
}

static sp_status node_field(sp_body *b, const sp_step *step, sp_field_id id, double *out) {
    (void)step;
    const sp_solid *s = sp__solid(b);
    const double *array = id == SP_FIELD_VELOCITY ? b->v[SP_COMMITTED] : b->q[SP_COMMITTED];
    bool less_rest = id == SP_FIELD_DISPLACEMENT;
    for (int i = 0; i < s->nodes; i++)
        for (size_t k = 0; k < 3; k++) {
            size_t at = 3 * (size_t)i + k;
            out[3 * (size_t)s->user_node[i] + k] = array[at] - (less_rest ? s->rest[at] : 0);
        }
    return SP_OK;
}

// ------------------------------------------------------------------------------------------------ contact

static sp_status contact_force_field(sp_body *b, const sp_step *step, sp_field_id id, double *out) {
    const sp_solid *s = sp__solid(b);
    const sp_contacts *c = b->contacts;
    double *g = b->work[0];
    (void)step, (void)id;
    memset(g, 0, (size_t)b->nv * sizeof *g);
    for (int k = 0; c && k < c->count; k++)
        for (int side = 0; side < 2; side++) {
            const sp_contact_patch *p = &c->list[k].side[side];
            if (p->body != b) continue;
            for (int i = 0; i < p->count; i++) {
                double f[3];
                for (int a = 0; a < 3; a++) f[a] = (side == 0 ? p->weight[i] : -p->weight[i]) * c->list[k].point.force[a];
                sp__solid_apply_transpose(b, SP_COMMITTED, 1, &p->surface->anchors[p->vertex[i]], f, g);
            }
        }
    for (int i = 0; i < s->nodes; i++) memcpy(out + 3 * (size_t)s->user_node[i], g + 3 * (size_t)i, 3 * sizeof *out);
    return SP_OK;
}

// A vertex of an embedded surface is inside an element: a node has the mean of the pressures of the touched vertices, weighted
// by their areas and natural coordinates. sum: the weighted pressures and the weights of each node.
static void embedded_pressure(sp_body *b, const sp_surface *surface, double *seen, double *sum) {
    const sp_contacts *c = b->contacts;
    for (int k = 0; k < c->count; k++)
        for (int side = 0; side < 2; side++) {
            const sp_contact_patch *p = &c->list[k].side[side];
            if (p->body != b || p->surface != surface) continue;
            for (int i = 0; i < p->count; i++) {
                const sp_anchor *a = &surface->anchors[p->vertex[i]];
                const int *node = sp__solid_cell(sp__solid(b), a->elem);
                double w[4], force = p->weight[i] * c->list[k].normal_force;
                sp__solid_weights(a, w);
                for (int e = 0; e < 4; e++) {
                    sum[2 * (size_t)node[e]] += w[e] * force;
                    if (!(seen[p->vertex[i]] > 0)) sum[2 * (size_t)node[e] + 1] += w[e] * p->area[i];
                }
                seen[p->vertex[i]] = 1;
            }
        }
}

static sp_status contact_pressure_embedded(sp_body *b, const sp_surface *surface, double *out) {
    const sp_solid *s = sp__solid(b);
    double *seen = sp__alloc(b->ctx, (size_t)surface->vertex_count + 2 * (size_t)s->nodes + 1, sizeof *seen);
    if (!seen) return SP_BODY_FAIL(b, SP_NO_MEMORY, "no memory for the contact pressure of '%s'", b->name);
    double *sum = seen + surface->vertex_count;
    embedded_pressure(b, surface, seen, sum);
    for (size_t i = 0; i < (size_t)s->nodes; i++)
        if (sum[2 * i + 1] > 0) out[s->user_node[i]] += fmax(0, sum[2 * i] / sum[2 * i + 1]);
    sp__free(b->ctx, seen);
    return SP_OK;
}

static sp_status contact_pressure_field(sp_body *b, const sp_step *step, sp_field_id id, double *out) {
    const sp_contacts *c = b->contacts;
    (void)step, (void)id;
    memset(out, 0, (size_t)sp__solid(b)->nodes * sizeof *out);
    if (!c || c->count == 0) return SP_OK;
    for (int i = 1; i < b->surface_count; i++)
        if (b->surfaces[i]->roles & SP_ROLE_COLLISION) SP_TRY(contact_pressure_embedded(b, b->surfaces[i], out));
    for (int k = 0; k < c->count; k++)
        for (int side = 0; side < 2; side++) {
            const sp_contact_patch *p = &c->list[k].side[side];
            if (p->body != b || p->surface != b->surfaces[0]) continue;
            for (int i = 0; i < p->count; i++)
                out[p->surface->nodes[p->vertex[i]]] += sp__contacts_pressure(p, i, c->list[k].normal_force);
        }
    return SP_OK;
}

static int node_count(const sp_body *b) {
    return sp__solid(b)->nodes;
}

static int cell_count(const sp_body *b) {
    return sp__solid(b)->cells;
}

const sp_field sp__solid_fields[SP_SOLID_FIELDS] = {
    {SP_FIELD_POSITION, node_count, node_field},
    {SP_FIELD_VELOCITY, node_count, node_field},
    {SP_FIELD_DISPLACEMENT, node_count, node_field},
    {SP_FIELD_FORCE, node_count, reaction_field},
    {SP_FIELD_LOAD, node_count, load_field},
    {SP_FIELD_CONTACT_FORCE, node_count, contact_force_field},
    {SP_FIELD_CONTACT_PRESSURE, node_count, contact_pressure_field},
    {SP_FIELD_STRESS, cell_count, element_field},
    {SP_FIELD_VON_MISES, cell_count, element_field},
    {SP_FIELD_STRAIN_ENERGY, cell_count, element_field},
    {SP_FIELD_STRAIN, cell_count, element_field},
    {SP_FIELD_PRINCIPAL_STRESS, cell_count, element_field},
    {SP_FIELD_PRINCIPAL_STRAIN, cell_count, element_field},
    {SP_FIELD_ENERGY_DENSITY, cell_count, element_field},
    {SP_FIELD_VOLUME_RATIO, cell_count, element_field},
    {SP_FIELD_ROTATION, cell_count, element_field},
    {SP_FIELD_REGION, cell_count, element_field},
    {SP_FIELD_REFRESH, cell_count, refresh_field},
    {SP_FIELD_REMOVED, cell_count, removed_field},
    {SP_FIELD_FIBRE_STRETCH, cell_count, element_field},
};

void sp__solid_user_cells(sp_body *b, int *out) {
    const sp_solid *s = sp__solid(b);
    for (int i = 0; i < 4 * s->cells; i++) out[i] = s->user_node[s->cell_node[i]];
}

// ------------------------------------------------------------------------------------------------ measures

// kinetic energy, and angular momentum: the sum of x times M v
static void measure_consistent(sp_body *b, double kinetic, sp_measure *out) {
    sp_solid *s = sp__solid(b);
    const double *q = b->q[SP_COMMITTED];
    memset(out->angular, 0, sizeof out->angular);
    sp__solid_mass(b, b->v[SP_COMMITTED], s->work, false);
    out->kinetic = kinetic;
    for (int i = 0; i < s->nodes; i++) {
        double moment[3];
        sp__cross3(q + 3 * (size_t)i, s->work + 3 * (size_t)i, moment);
        for (int k = 0; k < 3; k++) out->angular[k] += moment[k];
    }
}

void sp__solid_measure(sp_body *b, sp_measure *out) {
    sp_solid *s = sp__solid(b);
    const double *q = b->q[SP_COMMITTED], *v = b->v[SP_COMMITTED], *mass = s->consistent ? s->load_mass : s->mass;
    double farthest = 0;
    sp__solid_materials(b);
    sp_energies e;
    sp__solid_energies(b, SP_COMMITTED, &e);
    *out = (sp_measure){.rest_volume = e.rest_volume, .volume = e.volume, .inverted = (int)e.inverted, .size = e.size};
    for (int i = 0; i < s->nodes; i++) {
        size_t at = 3 * (size_t)i;
        double m = mass[i], moment[3], u[3];
        out->mass += m, out->kinetic += 0.5 * m * sp__dot3(v + at, v + at);
        sp__cross3(q + at, v + at, moment);
        sp__sub3(q + at, s->rest + at, u);
        if (!sp__solid_bare(s, i)) farthest = fmax(farthest, sp__dot3(u, u));
        for (int k = 0; k < 3; k++) out->momentum[k] += m * v[at + (size_t)k], out->angular[k] += m * moment[k];
    }
    if (s->consistent) measure_consistent(b, e.kinetic, out);
    out->displacement_max = sqrt(farthest);
    out->elastic = sp__solid_elastic(b, q);
}

// what was appended: the nodes of the elements, those that they are like, rest positions
static uint64_t additions_hash(const sp_additions *a) {
    uint64_t sum = 0, place = (uint64_t)1 << 40;  // behind all numbers of the state
    for (int i = 0; i < a->elements; i++) sum += sp__mix((uint64_t)a->like[i], place++);
    for (int i = 0; i < a->element_nodes; i++) sum += sp__mix((uint64_t)a->node[i], place++);
    return sum + sp__body_hash_numbers(a->rest, 3 * a->nodes, place);
}

uint64_t sp__solid_hash(sp_body *b) {
    sp_solid *s = sp__solid(b);
    uint64_t sum = 0;
    for (int i = 0; i < s->nodes; i++)
        for (size_t k = 0; k < 3; k++) {
            uint64_t x, v, place = 6 * (uint64_t)s->user_node[i] + 2 * k;
            memcpy(&x, &b->q[SP_COMMITTED][3 * (size_t)i + k], sizeof x);
            memcpy(&v, &b->v[SP_COMMITTED][3 * (size_t)i + k], sizeof v);
            sum += sp__mix(x, place) + sp__mix(v, place + 1);
        }
    for (int i = 0; i < sp__solid_histories(s); i++) {
        uint64_t x;
        memcpy(&x, &b->q[SP_COMMITTED][3 * (size_t)s->nodes + (size_t)i], sizeof x);
        sum += sp__mix(x, 6 * (uint64_t)s->nodes + (uint64_t)i);
    }
    for (int e = 0; s->left && e < s->elements; e++)
        if (s->left->gone[e]) sum += sp__mix(1, 6 * (uint64_t)s->nodes + (uint64_t)(sp__solid_histories(s) + e));
    return s->added.elements ? sum + additions_hash(&s->added) : sum;
}

int64_t sp__solid_node_of(sp_body *b, int unknown) {
    return sp__solid(b)->user_node[unknown / 3];
}
