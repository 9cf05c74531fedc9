// Mass, centre of mass and inertia of rigid bodies: closed forms for the shapes, exact integrals over the polyhedron for closed
// triangle surfaces, sums for several of them.
//
// A part is described by its volume, its centre and the second moments S = integral of x x^T about that centre, for density 1.
// The inertia is trace(S) 1 - S. Second moments of parts add up by the parallel axis theorem.
#include "math/vec3.h"
#include "rigid/rigid.h"

#define REFUSE(...) return sp__fail(error, SP_BAD_INPUT, __FILE__, __LINE__, __VA_ARGS__)

typedef struct moments {
    double volume, centre[3], second[9];
} moments;

// ---------------------------------------------------------------------------------------------------- shapes

// second moments of a shape that is symmetric about its own planes, in the frame of the shape
static void shape_moments(const sp_rigid_shape *s, moments *out) {
    const double *a = s->size, r2 = a[0] * a[0];
    double *S = out->second;
    *out = (moments){0};
    switch (s->type) {
    case SP_PLANE: return;
    case SP_BOX:
        out->volume = a[0] * a[1] * a[2];
        for (int k = 0; k < 3; k++) out->centre[k] = 0.5 * a[k], S[4 * k] = out->volume * a[k] * a[k] / 12;
        return;
    case SP_SPHERE:
    case SP_ELLIPSOID:
        for (int k = 0; k < 3; k++) S[4 * k] = s->type == SP_SPHERE ? r2 : a[k] * a[k];
        out->volume = 4.0 / 3 * SP_PI * a[0] * (s->type == SP_SPHERE ? r2 : a[1] * a[2]);
        for (int k = 0; k < 3; k++) S[4 * k] *= out->volume / 5;
        return;
    case SP_CYLINDER:
        out->volume = SP_PI * r2 * a[1], out->centre[2] = 0.5 * a[1];
        S[0] = S[4] = out->volume * r2 / 4, S[8] = out->volume * a[1] * a[1] / 12;
        return;
    case SP_CAPSULE: {
        double shaft = SP_PI * r2 * a[1], caps = 4.0 / 3 * SP_PI * r2 * a[0];
        out->volume = shaft + caps, out->centre[2] = 0.5 * a[1];
        S[0] = S[4] = shaft * r2 / 4 + caps * r2 / 5;
        // a half ball has its centre at 3/8 of its radius
        S[8] = shaft * a[1] * a[1] / 12 + caps * (r2 / 5 + a[1] * a[1] / 4 + 3.0 / 8 * a[1] * a[0]);
        return;
    }
    case SP_TORUS: {
        double ring2 = r2, tube2 = a[1] * a[1];
        out->volume = 2 * SP_PI * SP_PI * a[0] * tube2;
        S[0] = S[4] = out->volume * (ring2 / 2 + 3.0 / 8 * tube2), S[8] = out->volume * tube2 / 4;
        return;
    }
    }
}

static void turn_moments(const sp_pose *pose, moments *m) {
    double R[9], RS[9], turned[3];
    sp__quat_matrix(pose->quat, R);
    sp__mul3(R, m->centre, turned);
    sp__axpy3(turned, 1, pose->translate, m->centre);
    sp__mul33(R, m->second, RS);
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++) m->second[3 * i + j] = sp__dot3(RS + 3 * i, R + 3 * j);
}

// ---------------------------------------------------------------------------------------------------- surfaces

// Sum over the tetrahedra from a point near the surface to its triangles, signed (Cohen and Hickey 1979; Eberly, Polyhedral Mass
// Properties). With s = a + b + c of a tetrahedron of volume v at the origin, the second moment is v/20 (s s^T + a a^T + ...).
static void surface_moments(const sp_trimesh_def *t, moments *out) {
    double origin[3] = {0}, *S = out->second;
    *out = (moments){0};
    for (int i = 0; i < t->vertex_count; i++) sp__axpy3(origin, 1.0 / t->vertex_count, t->positions + 3 * (size_t)i, origin);
    for (int f = 0; f < t->face_count; f++) {
        double x[12];
        for (size_t k = 0; k < 3; k++) sp__sub3(t->positions + 3 * (size_t)t->faces[3 * (size_t)f + k], origin, x + 3 * k);
        for (int k = 0; k < 3; k++) x[9 + k] = x[k] + x[3 + k] + x[6 + k];
        double v = sp__det3(x) / 6;
        out->volume += v;
        sp__axpy3(out->centre, v / 4, x + 9, out->centre);
        for (int p = 0; p < 4; p++)
            for (int i = 0; i < 3; i++)
                for (int j = 0; j < 3; j++) S[3 * i + j] += v / 20 * x[3 * p + i] * x[3 * p + j];
    }
    for (int k = 0; k < 3; k++) out->centre[k] /= out->volume;
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++) S[3 * i + j] -= out->volume * out->centre[i] * out->centre[j];
    sp__axpy3(out->centre, 1, origin, out->centre);
}

static sp_status surface_check(sp_context *ctx, sp_error *error, int index, const sp_trimesh_def *t) {
    sp_examine_options options = sp_examine_options_default();
    sp_mesh_report *report;
    options.limit = 0, options.intersections = false;
    if (sp_trimesh_examine(ctx, t, &options, &report) < 0)
        return sp__fail(error, SP_NO_MEMORY, __FILE__, __LINE__, "no memory to examine mesh %d of a rigid body", index);
    int64_t open = sp_mesh_report_count(report, SP_DEFECT_OPEN_EDGE, NULL),
            turned = sp_mesh_report_count(report, SP_DEFECT_ORIENTATION, NULL);
    sp_mesh_report_destroy(&report);
    if (open > 0)
        REFUSE("mesh %d of a free rigid body has %lld open edges: its volume is not defined; it must be closed", index,
               (long long)open);
    if (turned > 0)
        REFUSE("mesh %d of a free rigid body: %lld pairs of neighbouring triangles have opposite orientations", index,
               (long long)turned);
    return SP_OK;
}

// ---------------------------------------------------------------------------------------------------- sums

static void add_moments(moments *sum, const moments *m) {
    double volume = sum->volume + m->volume, apart[3], reduced = sum->volume * m->volume / volume;
    if (!(m->volume > 0)) return;
    sp__sub3(m->centre, sum->centre, apart);
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++) sum->second[3 * i + j] += m->second[3 * i + j] + reduced * apart[i] * apart[j];
    sp__axpy3(sum->centre, m->volume / volume, apart, sum->centre);
    sum->volume = volume;
}

static sp_status all_moments(sp_context *ctx, sp_error *error, const sp_rigid_def *def, moments *sum) {
    moments part;
    *sum = (moments){0};
    for (int i = 0; i < def->shape_count; i++) {
        if (def->shapes[i].type == SP_PLANE) REFUSE("shape %d of a free rigid body is a plane, which has no mass", i);
        shape_moments(&def->shapes[i], &part);
        turn_moments(&def->shapes[i].pose, &part);
        add_moments(sum, &part);
    }
    for (int i = 0; i < def->mesh_count; i++) {
        sp_trimesh_def t;
        sp_trimesh_get(def->meshes[i], &t);
        SP_TRY(surface_check(ctx, error, i, &t));
        surface_moments(&t, &part);
        if (!(part.volume > 0))
            REFUSE("mesh %d of a free rigid body encloses %g m3: it is empty or oriented inwards, must be > 0", i, part.volume);
        add_moments(sum, &part);
    }
    return SP_OK;
}

// an inertia is that of some distribution of mass if trace/2 1 - I, its second moments, are positive semi-definite
static sp_status check_inertia(sp_error *error, const double *I) {
    double half = 0.5 * (I[0] + I[4] + I[8]), S[9], room = 1e-9 * half;
    for (int i = 0; i < 9; i++) S[i] = (i % 4 == 0 ? half + room : 0) - I[i];
    bool whole = I[0] > 0 && I[0] * I[4] > I[1] * I[1] && sp__det3(I) > 0;
    bool real = S[0] >= 0 && S[4] >= 0 && S[8] >= 0 && S[0] * S[4] >= S[1] * S[1] && S[4] * S[8] >= S[5] * S[5] &&
                S[0] * S[8] >= S[2] * S[2] && sp__det3(S) >= -room * half * half;
    if (whole && real) return SP_OK;
    REFUSE("inertia %g %g %g %g %g %g kg m2 (xx yy zz xy yz zx), must be positive definite, and no principal moment larger than "
           "the sum of the other two",
           I[0], I[4], I[8], I[1], I[5], I[2]);
}

sp_status sp__rigid_mass(sp_context *ctx, sp_error *error, const sp_rigid_def *def, sp_rigid_mass *out) {
    const double *given = def->inertia;
    moments m;
    bool own = false;
    *out = (sp_rigid_mass){0};
    if (!(def->mass >= 0) || !isfinite(def->mass))
        REFUSE("mass = %g kg, must be finite and > 0, or 0: from the density", def->mass);
    if (!(def->density > 0) || !isfinite(def->density)) REFUSE("density = %g kg/m3, must be finite and > 0", def->density);
    for (int i = 0; i < 6; i++) {
        if (!isfinite(given[i])) REFUSE("inertia: number %d is %g, must be finite", i, given[i]);
        own = own || given[i] != 0;
    }
    SP_TRY(all_moments(ctx, error, def, &m));
    if (m.volume == 0 && (def->mass == 0 || !own)) REFUSE("a free rigid body without volume needs a mass and an inertia");
    out->volume = m.volume, out->mass = def->mass > 0 ? def->mass : def->density * m.volume;
    memcpy(out->centre, m.centre, sizeof m.centre);
    double density = m.volume > 0 ? out->mass / m.volume : 0, trace = m.second[0] + m.second[4] + m.second[8];
    static const int place[9] = {0, 3, 5, 3, 1, 4, 5, 4, 2};  // xx yy zz xy yz zx
    for (int i = 0; i < 9; i++) out->inertia[i] = own ? given[place[i]] : density * ((i % 4 == 0 ? trace : 0) - m.second[i]);
    return check_inertia(error, out->inertia);
}

sp_status sp_rigid_def_mass(sp_context *context, const sp_rigid_def *def, sp_rigid_mass *out) {
    if (!def || def->cookie != SP_COOKIE_RIGID)
        return SP_FAIL(context, SP_BAD_INPUT, "sp_rigid_def did not start from sp_rigid_def_default()");
    sp_error error = {.index = -1};
    sp_status status = sp__rigid_mass(context, &error, def, out);
    return status < 0 ? SP_FAIL(context, status, "%s", error.message) : SP_OK;
}
