// The deformable beam of Bullet on BEAM-k, corotational or neo-Hookean: mesh, material, mass, gravity and step of `souple bench
// beam`.
//
//   bullet_beam K [--steps N] [--repeats R] [--tolerance T] [--law corotational|neo-hookean]
//
// Prints one line of JSON: milliseconds per step (minimum of the repeats, one thread), conjugate gradient iterations per step and
// the displacement of the tip at t = 0.25, 0.50, 0.75, 1.00 s, as far as the steps reach.
//
// Properties of Bullet that stay: single precision; forces and rotations at x + h v instead of x; conjugate gradients that stop
// at |r|^2 < T^2 min(1, |b|^2), so that T is the usual tolerance on the residual. The default T^2 is the float epsilon, as in
// Bullet; the limit of 300 iterations is removed. (The mass preconditioner of projections never gets its masses in 3.24 and acts
// as the identity: left unchanged.) The body has no faces and no links, so no time is spent on collisions, which the other
// programs do not compute.
#include <BulletSoftBody/btDeformableBodySolver.h>
#include <BulletSoftBody/btDeformableGravityForce.h>
#include <BulletSoftBody/btDeformableLinearElasticityForce.h>
#include <BulletSoftBody/btDeformableMultiBodyConstraintSolver.h>
#include <BulletSoftBody/btDeformableMultiBodyDynamicsWorld.h>
#include <BulletSoftBody/btDeformableNeoHookeanForce.h>
#include <BulletSoftBody/btSoftBodyRigidBodyCollisionConfiguration.h>
#include <btBulletDynamicsCommon.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <vector>

#include "bullet_box.h"

namespace {

const double edge_x = 0.4, edge_y = 0.1, density = 1000, young = 3e5, poisson = 0.4, gravity = -9.81, step = 0.01;

struct Options {
    int k = 0, steps = 100, repeats = 1;
    double tolerance = std::sqrt(double(SIMD_EPSILON));
    bool neo_hookean = false;
};

struct Result {
    double wall_ms = 0, cpu_ms = 0, iterations = 0;
    std::vector<double> tip;
};

// the preconditioner of Bullet's conjugate gradients, with a counter of its calls: two before the loop, one per iteration
class CountingPreconditioner : public MassPreconditioner {
  public:
    using MassPreconditioner::MassPreconditioner;
    void operator()(const TVStack &x, TVStack &b) override {
        calls++;
        MassPreconditioner::operator()(x, b);
    }
    long calls = 0;
};

class Solver : public btDeformableBodySolver {
  public:
    explicit Solver(double tolerance) : counter(m_softBodies) {
        m_cg.m_tolerance = btScalar(tolerance * tolerance);
        m_cg.m_maxIterations = 100000;
        m_maxNewtonIterations = 1;
    }
    void setPreconditioner(int) override { m_objective->m_preconditioner = &counter; }
    CountingPreconditioner counter;
};

// node id = i (k+1)^2 + j (k+1) + l with i along x; nodes of the face x = 0 have zero inverse mass
btSoftBody *make_beam(btSoftBodyWorldInfo &info, int k) {
    const int nx = 4 * k, row = k + 1, layer = row * row, stride[3] = {layer, row, 1};
    const double h = edge_y / k, share = density * h * h * h / 6 / 4;
    std::vector<btVector3> x;
    for (int i = 0; i <= nx; i++)
        for (int j = 0; j <= k; j++)
            for (int l = 0; l <= k; l++) x.emplace_back(btScalar(edge_x * i / nx), btScalar(h * j), btScalar(h * l));
    btSoftBody *body = new btSoftBody(&info, int(x.size()), x.data(), nullptr);
    std::vector<double> mass(x.size(), 0.0);
    for (int i = 0; i < nx; i++)
        for (int j = 0; j < k; j++)
            for (int l = 0; l < k; l++) append_cell(body, i * layer + j * row + l, stride, mass, share);
    for (int n = 0; n < int(x.size()); n++) body->setMass(n, n < layer ? 0 : btScalar(mass[size_t(n)]));
    body->initializeDmInverse();
    body->m_tetraScratches.resize(body->m_tetras.size());
    body->m_tetraScratchesTn.resize(body->m_tetras.size());
    body->setActivationState(DISABLE_DEACTIVATION);
    body->m_sleepingThreshold = 0;
    body->m_cfg.kDP = 0;
    return body;
}

void run_steps(btDeformableMultiBodyDynamicsWorld &world, const btVector3 &tip, const Options &o, Result &out) {
    const double start = tip.y(), wall = clock_ms(CLOCK_MONOTONIC), cpu = clock_ms(CLOCK_PROCESS_CPUTIME_ID);
    for (int s = 1; s <= o.steps; s++) {
        world.stepSimulation(btScalar(step), 0);
        if (s % 25 == 0 && s <= 100) out.tip.push_back(double(tip.y()) - start);
    }
    out.wall_ms = (clock_ms(CLOCK_MONOTONIC) - wall) / o.steps;
    out.cpu_ms = (clock_ms(CLOCK_PROCESS_CPUTIME_ID) - cpu) / o.steps;
}

Result run(const Options &o) {
    btSoftBodyRigidBodyCollisionConfiguration configuration;
    btCollisionDispatcher dispatcher(&configuration);
    btDbvtBroadphase broadphase;
    Solver solver(o.tolerance);
    btDeformableMultiBodyConstraintSolver constraints;
    constraints.setDeformableSolver(&solver);
    btDeformableMultiBodyDynamicsWorld world(&dispatcher, &broadphase, &constraints, &configuration, &solver);
    world.setImplicit(true);
    world.setLineSearch(false);
    world.setUseProjection(true);  // conjugate gradients with the fixed nodes projected out
    world.getWorldInfo().m_gravity = btVector3(0, btScalar(gravity), 0);
    world.setGravity(world.getWorldInfo().m_gravity);

    btSoftBody *body = make_beam(world.getWorldInfo(), o.k);
    world.addSoftBody(body);
    btDeformableLinearElasticityForce elasticity;
    elasticity.setYoungsModulus(btScalar(young));
    elasticity.setPoissonRatio(btScalar(poisson));
    elasticity.setDamping(0, 0);
    btDeformableNeoHookeanForce rubber;
    rubber.setYoungsModulus(btScalar(young));
    rubber.setPoissonRatio(btScalar(poisson));
    rubber.setDamping(0);
    if (o.neo_hookean)
        world.addForce(body, &rubber);
    else
        world.addForce(body, &elasticity);
    btDeformableGravityForce weight(world.getWorldInfo().m_gravity);
    world.addForce(body, &weight);

    Result out;
    const int row = o.k + 1;
    run_steps(world, body->m_nodes[4 * o.k * row * row + o.k / 2 * row + o.k / 2].m_x, o, out);
    out.iterations = double(solver.counter.calls) / o.steps - 2;
    world.removeSoftBody(body);
    delete body;
    return out;
}

bool read_options(int argc, char **argv, Options &o) {
    if (argc < 2 || argc % 2) return false;
    o.k = atoi(argv[1]);
    for (int i = 2; i < argc; i += 2) {
        if (!strcmp(argv[i], "--steps"))
            o.steps = atoi(argv[i + 1]);
        else if (!strcmp(argv[i], "--repeats"))
            o.repeats = atoi(argv[i + 1]);
        else if (!strcmp(argv[i], "--tolerance"))
            o.tolerance = atof(argv[i + 1]);
        else if (!strcmp(argv[i], "--law") && (!strcmp(argv[i + 1], "neo-hookean") || !strcmp(argv[i + 1], "corotational")))
            o.neo_hookean = argv[i + 1][0] == 'n';
        else
            return false;
    }
    return o.k >= 1 && o.k <= 64 && o.steps >= 1 && o.repeats >= 1 && o.tolerance > 0 && o.tolerance < 1;
}

}  // namespace

int main(int argc, char **argv) {
    Options o;
    if (!read_options(argc, argv, o)) {
        fprintf(stderr, "usage: bullet_beam K [--steps N] [--repeats R] [--tolerance T] [--law LAW]\n");
        return 2;
    }
    Result best = run(o);
    for (int r = 1; r < o.repeats; r++) {
        Result again = run(o);
        best.wall_ms = std::min(best.wall_ms, again.wall_ms);
        best.cpu_ms = std::min(best.cpu_ms, again.cpu_ms);
    }
    printf("{\"engine\":\"bullet\",\"version\":\"%d.%02d\",\"k\":%d,\"tets\":%d,\"steps\":%d,\"tolerance\":%.3g,",
           btGetVersion() / 100, btGetVersion() % 100, o.k, 24 * o.k * o.k * o.k, o.steps, o.tolerance);
    printf("\"iterations\":%.1f,\"ms_per_step\":%.4f,\"cpu_ms_per_step\":%.4f,\"tip\":[", best.iterations, best.wall_ms,
           best.cpu_ms);
    for (size_t i = 0; i < best.tip.size(); i++) printf("%s%.6f", i ? "," : "", best.tip[i]);
    printf("]}\n");
    return 0;
}
