// Claims about a point mass m on a body, for all models of rods and for solids:
//
//   static   its weight acts as the load m g at its point; a cantilever with a tip mass sinks by m g L^3 / (3 E I)
//   swing    a rigid rod on a hinge with a mass and a moment of inertia at its end swings at sqrt(D / J), D = (m + mb/2) g L,
//            J = (m + mb/3) L^2 + inertia (compound pendulum)
//   beam     a cantilever with a tip mass oscillates at (beta L)^2 sqrt(E I / (rho S L^4)), where 1 + cos b cosh b = (m / mb) b
//            (sin b cosh b - cos b sinh b) (Euler-Bernoulli; Laura, Pombo, Susemihl, J. Sound Vib. 37, 1974). Rayleigh's
//            approximation is sqrt(3 E I / ((m + 33/140 mb) L^3)), high by less than 1 percent
//   fall     the momentum of a free body grows by (m + mb) g t, and its potential energy falls by (m + mb) g times the way
//   change   mass that is added has the velocity of its point, and its energy counts as work of edits
//
// Implicit Euler turns a frequency w into atan(w h) / h. This is corrected, so that tolerances contain the discretisation only.
#include "math/vec3.h"
#include "souple/souple.h"
#include "test.h"

enum { SOLID = 4, ELEMENTS = 24 };

static const double length = 1, radius = 0.01, gravity = 9.81;

typedef struct rig {
    sp_context *ctx;
    sp_mesh *mesh;
    sp_world *world;
    sp_body_id body;
} rig;

typedef struct setup {
    int kind;  // sp_rod_model or SOLID
    sp_integrator_type integrator;
    double young, density, mass, inertia, force, gravity, angle, bend, velocity;
    double at;  // of the mass, share of the length; default 1
    bool free, hinge;
    sp_signal of_time;
} setup;

static sp_anchor anchor_of(const setup *s) {
    if (s->kind == SOLID) return (sp_anchor){.elem = 9, .at = {s->at > 0 ? 0.2 : 1, s->at > 0 ? 0.3 : 0, s->at > 0 ? 0.4 : 0}};
    double u = (s->at > 0 ? s->at : 1) * ELEMENTS;
    int e = u < ELEMENTS ? (int)u : ELEMENTS - 1;
    return (sp_anchor){.elem = (uint32_t)e, .at = {u - e}};
}

static sp_status add_solid(rig *r, const setup *s, const sp_mass_def *mass, const sp_load *load) {
    const double size[3] = {0.4, 0.1, 0.1};
    const int cells[3] = {3, 1, 1}, held[] = {0, 1, 2, 3};
    sp_fix fix = {held, 4, SP_AXES_ALL, 0};
    double v[3 * 16] = {0};
    sp_solid_def def = sp_solid_def_default();
    if (sp_mesh_box(r->ctx, size, cells, 6, &r->mesh) < 0) return SP_NO_MEMORY;
    for (int i = 0; i < 16; i++) v[3 * i] = s->velocity;
    def.mesh = r->mesh, def.material = (sp_material){.density = s->density, .young = s->young, .poisson = 0.3};
    def.fixes = &fix, def.fix_count = !s->free, def.initial_velocity = v;
    def.masses = mass, def.mass_count = s->mass > 0, def.loads = load, def.load_count = s->force != 0;
    def.integrator.type = s->integrator, def.integrator.tolerance = 1e-12, def.solver.tolerance = 1e-13;
    def.integrator.substeps = s->integrator == SP_EXPLICIT ? 20 : SP_SUBSTEPS_AUTO;
    return sp_world_add_solid(r->world, &def, &r->body);
}

static sp_status add_rod(rig *r, const setup *s, const sp_mass_def *mass, const sp_load *load) {
    const int root = 0;
    const double z[3] = {0, 0, 1};
    double start[3 * (ELEMENTS + 1)];
    sp_fix hinge = {&root, 1, SP_AXIS_X | SP_AXIS_Y, 0};
    sp_rod_section section = sp_rod_section_default();
    sp_rod_strand strand = {.length = length, .elements = ELEMENTS, .root = sp_pose_identity(), .start = start};
    sp_rod_def def = sp_rod_def_default();
    // the curvature under a force at the tip
    for (int i = 0; i <= ELEMENTS; i++)
        start[3 * i] = start[3 * i + 1] = 0, start[3 * i + 2] = s->bend * (1 - (double)i / ELEMENTS);
    sp__quat_axis(z, s->angle, strand.root.quat);
    section.axes[0] = section.axes[1] = radius, section.young = s->young, section.density = s->density;
    def.model = (sp_rod_model)s->kind, def.strands = &strand, def.strand_count = 1, def.sections = &section,
    def.section_count = 1;
    def.free_root = s->free || s->hinge, def.fixes = &hinge, def.fix_count = s->hinge, def.velocity[0] = s->velocity;
    def.masses = mass, def.mass_count = s->mass > 0, def.loads = load, def.load_count = s->force != 0;
    def.integrator.type = s->integrator, def.integrator.tolerance = 1e-10;
    def.integrator.substeps = s->integrator == SP_EXPLICIT ? 100 : SP_SUBSTEPS_AUTO;
    return sp_world_add_rod(r->world, &def, &r->body);
}

static bool rig_open(rig *r, const setup *s) {
    sp_world_def world = sp_world_def_default();
    sp_anchor at = anchor_of(s);
    sp_mass_def mass = {.at = &at, .count = 1, .value = sp_signal_constant(s->mass), .inertia = s->inertia};
    sp_load load = {.type = SP_LOAD_FORCE, .at = at};
    if (s->of_time.eval) mass.value = s->of_time;
    for (int k = 0; k < 3; k++) load.value[k] = sp_signal_constant(k == 1 ? s->force : 0);
    world.gravity[1] = sp_signal_constant(-s->gravity), world.snapshots = false;
    *r = (rig){0};
    if (sp_context_create(NULL, &r->ctx) < 0 || sp_world_create(r->ctx, &world, &r->world) < 0) return false;
    if ((s->kind == SOLID ? add_solid : add_rod)(r, s, &mass, &load) >= 0) return true;
    printf("  %s\n", sp_world_error(r->world)->message);
    return false;
}

static void rig_close(rig *r) {
    sp_world_destroy(&r->world);
    sp_mesh_destroy(&r->mesh);
    sp_context_destroy(&r->ctx);
}

static void tip_of(rig *r, const setup *s, double x[3], double v[3]) {
    sp_anchor at = anchor_of(s);
    at.body = r->body;
    CHECK_INT(sp_world_anchor_get(r->world, &at, x, v), SP_OK);
}

static sp_body_measures measures_of(rig *r) {
    sp_body_measures m = {0};
    CHECK(sp_world_body_measure(r->world, r->body, &m) >= 0);
    return m;
}

static double bending_stiffness(double young) {
    return young * SP_PI / 4 * radius * radius * radius * radius;
}

// ---------------------------------------------------------------------------------------------------- statics

TEST(the_weight_of_a_mass_is_a_load) {
    for (int kind = 0; kind <= SOLID; kind++)
        for (int inside = 0; inside < 2; inside++) {
            double sunk[2];
            setup s = {.kind = kind, .integrator = SP_STATIC, .young = kind == SOLID ? 1e5 : 1e9, .density = 1e-3, .mass = 0.2};
            s.gravity = gravity, s.at = inside ? 0.613 : 0;
            for (int by_load = 0; by_load < 2; by_load++) {
                rig r;
                double x[3];
                if (by_load) s.force = -s.mass * gravity, s.mass = 0;
                REQUIRE(rig_open(&r, &s));
                CHECK(sp_world_step(r.world, 0.01) >= 0);
                tip_of(&r, &s, x, NULL);
                sunk[by_load] = x[1];
                rig_close(&r);
            }
            // beams take a force inside an element by its shape functions, and a mass by its two nodes: l2 of the curvature
            bool lumped = inside && kind == SP_ROD_BEAM;
            CHECK_NEAR(sunk[0], sunk[1], (lumped ? 1e-3 : 1e-7) * fabs(sunk[1]));
        }
}

TEST(a_cantilever_sinks_under_a_tip_mass) {
    for (int kind = 0; kind < SOLID; kind++) {
        rig r;
        double x[3], EI = bending_stiffness(1e9);
        setup s = {.kind = kind, .integrator = SP_STATIC, .young = 1e9, .density = 1e-3, .mass = 1e-3 * 3 * EI / gravity};
        s.gravity = gravity;
        REQUIRE(rig_open(&r, &s));
        CHECK(sp_world_step(r.world, 0.01) >= 0);
        tip_of(&r, &s, x, NULL);
        // helices and discrete rods are of second order: 1/4 and 1/2 of the squared element length; 1e-6 of large rotation
        double order = kind == SP_ROD_HELIX ? 0.3 : kind == SP_ROD_DER ? 0.6 : 0;
        double own = s.density * SP_PI * radius * radius * gravity / (8 * EI);  // of its own weight
        CHECK_NEAR(x[1], -1e-3 - own, 1e-3 * (5e-6 + order / (ELEMENTS * ELEMENTS)));
        rig_close(&r);
    }
}

// ---------------------------------------------------------------------------------------------------- oscillations

// frequency from zero crossings of the height or of the side of the tip, without the error of implicit Euler
static double frequency_of(rig *r, const setup *s, int axis, double h, int crossings) {
    double x[3], last, first = NAN, time = NAN;
    int seen = 0;
    tip_of(r, s, x, NULL);
    last = x[axis];
    for (int k = 1; k < 20000 && seen < crossings; k++) {
        if (sp_world_step(r->world, h) < 0) return NAN;
        tip_of(r, s, x, NULL);
        if ((x[axis] > 0) != (last > 0)) {
            time = (k - 1 + last / (last - x[axis])) * h;
            if (seen++ == 0) first = time;
        }
        last = x[axis];
    }
    double omega = SP_PI * (seen - 1) / (time - first);
    return tan(omega * h) / h;
}

TEST(a_weight_on_a_rigid_rod_swings) {
    for (int kind = 0; kind < SOLID; kind++)
        for (int newton = 0; newton < 2; newton++) {
            rig r;
            setup s = {.kind = kind, .integrator = newton ? SP_NEWTON : SP_IMPLICIT_EULER, .young = 1e12, .density = 100};
            double mb = s.density * SP_PI * radius * radius * length;
            s.hinge = true, s.gravity = gravity, s.mass = 3 * mb, s.angle = -SP_PI / 2 + 0.03;
            // a discrete rod has no inertia across its tangent
            s.inertia = kind == SP_ROD_DER ? 0 : 0.5 * s.mass;
            REQUIRE(rig_open(&r, &s));
            double J = (s.mass + mb / 3) * length * length + s.inertia, D = (s.mass + mb / 2) * gravity * length;
            // an angle of 0.03 slows it by 0.03^2 / 16; lumped ends of the rod itself: 1/6 of l2 of its part of J, 2e-5
            CHECK_NEAR(frequency_of(&r, &s, 0, 0.01, 4) / sqrt(D / J), 1, 2e-4);
            CHECK_NEAR(measures_of(&r).mass, s.mass + mb, 1e-12);
            rig_close(&r);
        }
}

static double loaded_root(double ratio) {
    double low = 0.1, high = 1.8752;
    for (int k = 0; k < 100; k++) {
        double b = 0.5 * (low + high);
        bool below = 1 + cos(b) * cosh(b) > ratio * b * (sin(b) * cosh(b) - cos(b) * sinh(b));
        *(below ? &low : &high) = b;
    }
    return low;
}

TEST(a_cantilever_with_a_tip_mass_oscillates) {
    for (int kind = 0; kind < SOLID; kind++) {
        rig r;
        setup s = {.kind = kind, .integrator = SP_IMPLICIT_EULER, .young = 1e9, .density = 1000, .bend = 0.01};
        double mb = s.density * SP_PI * radius * radius * length, EI = bending_stiffness(s.young);
        s.mass = 0.5 * mb;
        REQUIRE(rig_open(&r, &s));
        double b = loaded_root(0.5), exact = b * b * sqrt(EI / (mb * length * length * length));
        double rayleigh = sqrt(3 * EI / ((s.mass + 33.0 / 140 * mb) * length * length * length));
        double seen = frequency_of(&r, &s, 1, 0.02 / exact, 4);
        // second order in the element length, as above; crossings are shifted by what is left of the second mode
        CHECK_NEAR(seen / exact, 1, 1.5e-3);
        CHECK(rayleigh > exact && rayleigh < 1.01 * exact);
        rig_close(&r);
    }
}

// ---------------------------------------------------------------------------------------------------- momentum and energy

TEST(a_free_body_falls_with_its_mass) {
    static const sp_integrator_type types[] = {SP_IMPLICIT_EULER, SP_NEWTON, SP_EXPLICIT};
    for (int kind = 0; kind <= SOLID; kind++)
        for (int i = 0; i < 3; i++) {
            rig r;
            setup s = {.kind = kind, .integrator = types[i], .young = 1e5, .density = 1000, .mass = 0.4, .gravity = gravity};
            s.free = true, s.at = 0.4, s.velocity = 2;
            if (types[i] == SP_EXPLICIT && kind <= SP_ROD_HELIX) continue;  // refused
            REQUIRE(rig_open(&r, &s));
            double mass = s.mass + s.density * (kind == SOLID ? 4e-3 : SP_PI * radius * radius * length);
            sp_body_measures m;
            for (int k = 0; k < 20; k++) CHECK(sp_world_step(r.world, 0.01) >= 0);
            m = measures_of(&r);
            // no stiffness acts: rounding, and 1e-6 of the linear solver of the rods
            double fallen = gravity * 0.2 * 0.2 / 2;
            CHECK_NEAR(m.mass, mass, 1e-12 * mass);
            CHECK_NEAR(m.momentum[0], 2 * mass, 1e-6 * mass);
            CHECK_NEAR(m.momentum[1], -mass * gravity * 0.2, 1e-6 * mass);
            // both Euler methods are off by half a step
            CHECK_NEAR(m.potential, -mass * gravity * fallen, mass * gravity * gravity * 0.2 * 0.005 * 1.01);
            CHECK_NEAR(m.kinetic, 0.5 * mass * (4 + gravity * gravity * 0.04), 1e-5 * mass);
            CHECK_NEAR(m.appeared, 0, 1e-6 * mass);
            rig_close(&r);
        }
}

static double doubled(const void *user, double t) {
    return *(const double *)user * (1 + fmin(t / 0.1, 1));
}

// in flight the velocity stays, momentum and kinetic energy grow with the mass, and the work of edits is the growth
TEST(mass_that_is_added_has_the_velocity_of_its_point) {
    static const double at_first = 0.5;
    for (int kind = 0; kind <= SOLID; kind++) {
        rig r;
        double x[3], v[3];
        setup s = {.kind = kind, .integrator = SP_IMPLICIT_EULER, .young = 1e5, .density = 1000, .mass = at_first, .free = true};
        s.velocity = 2, s.of_time = (sp_signal){doubled, &at_first, 0};
        REQUIRE(rig_open(&r, &s));
        double before = measures_of(&r).mass;
        for (int k = 0; k < 20; k++) CHECK(sp_world_step(r.world, 0.01) >= 0);
        sp_body_measures m = measures_of(&r);
        tip_of(&r, &s, x, v);
        CHECK_NEAR(m.mass, before + at_first, 1e-12 * m.mass);
        CHECK_NEAR(v[0], 2, 1e-7);
        CHECK_NEAR(m.momentum[0], 2 * m.mass, 1e-6 * m.mass);
        // the first of the twenty changes is part of the start: 0.05 kg
        CHECK_NEAR(m.work.edits, 0.5 * 4 * (at_first - 0.05), 1e-6 * m.mass);
        CHECK_NEAR(m.appeared, 0, 1e-6 * m.mass);
        rig_close(&r);
    }
}

// a light rod with a heavy end, plucked: all of its energy is elastic first, half a period later too, and none appears
TEST(the_energy_of_a_swinging_weight_is_balanced) {
    for (int kind = 0; kind < SOLID; kind++) {
        rig r;
        setup s = {.kind = kind, .integrator = SP_IMPLICIT_EULER, .young = 1e8, .density = 500, .mass = 0.3, .gravity = gravity};
        s.bend = 1;
        REQUIRE(rig_open(&r, &s));
        for (int k = 0; k < 200; k++) CHECK(sp_world_step(r.world, 0.005) >= 0);
        sp_body_measures m = measures_of(&r);
        CHECK(m.potential < -0.01 && m.energy_max > 0.1);
        // implicit Euler only loses energy; 1e-3: corrections of the nonlinear step stop at their tolerance
        CHECK(m.appeared < 1e-3 * m.energy_max);
        rig_close(&r);
    }
}
