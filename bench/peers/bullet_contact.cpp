// Deformable bodies of Bullet in contact: the scenes of `souple bench contact`.
//
//   bullet_contact cubes|grasp CELLS CUBES YOUNG BOTTOM MU STEPS [TOLERANCE]
//
// cubes: cubes of 0.1 m in CELLS^3 cells of six tetrahedra, one above the other, fall on a floor. grasp: a bar of 4 CELLS x CELLS
// x CELLS cells between two pads. Mesh, material, mass, gravity and steps are those of the bench. Prints one line of JSON:
// wall-clock and processor time in ms over steps with contact, without the first five of them (one thread), and per step the
// height of the highest centre of a top (grasp: the rise of the centre of mass). The list ends early where a number is not
// finite.
//
// Properties of Bullet that stay: single precision; contacts of nodes with the floor by signed distance, of nodes with faces
// between bodies; the contact margin is the gap of 1 mm. Constraints are solved as in Bullet's examples (implicit, 50
// iterations, hard contacts), errors are corrected whole.
#include <BulletSoftBody/btDeformableBodySolver.h>
#include <BulletSoftBody/btDeformableGravityForce.h>
#include <BulletSoftBody/btDeformableLinearElasticityForce.h>
#include <BulletSoftBody/btDeformableMultiBodyConstraintSolver.h>
#include <BulletSoftBody/btDeformableMultiBodyDynamicsWorld.h>
#include <BulletSoftBody/btSoftBodyHelpers.h>
#include <BulletSoftBody/btSoftBodyRigidBodyCollisionConfiguration.h>
#include <btBulletDynamicsCommon.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <set>
#include <vector>

#include "bullet_box.h"

namespace {

const double edge = 0.1, density = 1000, poisson = 0.4, gravity = -9.81, step = 0.01, gap = 0.001;
const int warm_up = 5;

struct Options {
    bool grasp = false;
    int cells = 0, cubes = 1, steps = 0;
    double young = 0, bottom = 0, mu = 0, tolerance = std::sqrt(double(SIMD_EPSILON));
};

// Conjugate gradients stop at |r|^2 < T^2 min(1, |b|^2), so that T is the usual tolerance on the residual. The default T^2 is the
// float epsilon, as in Bullet; the limit of iterations is 2000 instead of 300.
class Solver : public btDeformableBodySolver {
  public:
    explicit Solver(double tolerance) {
        m_cg.m_tolerance = btScalar(tolerance * tolerance);
        m_cg.m_maxIterations = 2000;
        m_maxNewtonIterations = 1;
    }
};

// Links join nodes to trees of boxes (without them the construction never ends); no force acts along them.
void append_links(btSoftBody *body) {
    std::set<std::pair<long, long>> edges;
    const btSoftBody::Node *first = &body->m_nodes[0];
    for (int t = 0; t < body->m_tetras.size(); t++)
        for (int a = 0; a < 4; a++)
            for (int b = a + 1; b < 4; b++)
                edges.insert(std::minmax(body->m_tetras[t].m_n[a] - first, body->m_tetras[t].m_n[b] - first));
    for (const auto &e : edges) body->appendLink(int(e.first), int(e.second));
}

btSoftBody *make_box(btSoftBodyWorldInfo &info, int nx, int n, const double corner[3], bool several) {
    const int row = n + 1, layer = row * row, stride[3] = {layer, row, 1};
    const double h = edge / n, share = density * h * h * h / 6 / 4;
    std::vector<btVector3> x;
    for (int i = 0; i <= nx; i++)
        for (int j = 0; j <= n; j++)
            for (int l = 0; l <= n; l++)
                x.emplace_back(btScalar(corner[0] + h * i), btScalar(corner[1] + h * j), btScalar(corner[2] + h * l));
    btSoftBody *body = new btSoftBody(&info, int(x.size()), x.data(), nullptr);
    std::vector<double> mass(x.size(), 0.0);
    for (int i = 0; i < nx; i++)
        for (int j = 0; j < n; j++)
            for (int l = 0; l < n; l++) append_cell(body, i * layer + j * row + l, stride, mass, share);
    for (int k = 0; k < int(x.size()); k++) body->setMass(k, btScalar(mass[size_t(k)]));
    body->initializeDmInverse();
    body->m_tetraScratches.resize(body->m_tetras.size());
    body->m_tetraScratchesTn.resize(body->m_tetras.size());
    append_links(body);
    btSoftBodyHelpers::generateBoundaryFaces(body);
    body->getCollisionShape()->setMargin(btScalar(several ? gap / 2 : gap));
    body->m_cfg.kDP = 0, body->m_cfg.kCHR = 1, body->m_cfg.kKHR = 1, body->m_cfg.kSHR = 1, body->m_cfg.kDF = 1;
    body->m_cfg.collisions = btSoftBody::fCollision::SDF_RD | btSoftBody::fCollision::SDF_RDN;
    if (several) body->m_cfg.collisions |= btSoftBody::fCollision::VF_DD;
    body->setActivationState(DISABLE_DEACTIVATION);
    body->m_sleepingThreshold = 0;
    return body;
}

struct Rigid {
    Rigid(const btVector3 &half, const btVector3 &at, double mu, bool kinematic)
        : shape(half), state(btTransform(btQuaternion::getIdentity(), at)), body(0, &state, &shape) {
        shape.setMargin(btScalar(1e-4));  // inside the box: the size stays
        body.setFriction(btScalar(mu));
        if (!kinematic) return;
        body.setCollisionFlags(body.getCollisionFlags() | btCollisionObject::CF_KINEMATIC_OBJECT);
        body.setActivationState(DISABLE_DEACTIVATION);
    }
    void move(const btVector3 &at, const btVector3 &velocity) {
        btTransform to(btQuaternion::getIdentity(), at);
        state.setWorldTransform(to);
        body.setWorldTransform(to);
        body.setLinearVelocity(velocity);
        body.setInterpolationLinearVelocity(velocity);
    }
    btBoxShape shape;
    btDefaultMotionState state;
    btRigidBody body;
};

struct Scene {
    std::vector<std::unique_ptr<Rigid>> rigids;  // the floor, then the pads
    std::vector<btSoftBody *> bodies;
    std::vector<std::unique_ptr<btDeformableLagrangianForce>> forces;
    double rest = 0;  // height of the centre of mass at the start
};

double centre(const btSoftBody *body) {
    double sum = 0, mass = 0;
    for (int i = 0; i < body->m_nodes.size(); i++) {
        double m = 1 / double(body->m_nodes[i].m_im);
        sum += m * double(body->m_nodes[i].m_x.z()), mass += m;
    }
    return sum / mass;
}

btVector3 pad_place(double side, double t) {
    double close = 0.024 * std::min(t, 0.5), lift = 0.2 * std::min(std::max(t - 0.6, 0.0), 1.0);
    return btVector3(btScalar(0.002), btScalar(side * (0.052 + 0.04 - close)), btScalar(0.006 + 0.053 + lift));
}

void make_scene(btDeformableMultiBodyDynamicsWorld &world, const Options &o, Scene &s) {
    s.rigids.emplace_back(new Rigid(btVector3(2, 2, 0.5), btVector3(0, 0, -0.5), o.mu, false));
    if (o.grasp)
        for (double side : {1.0, -1.0})
            s.rigids.emplace_back(new Rigid(btVector3(0.06f, 0.04f, 0.053f), pad_place(side, 0), o.mu, true));
    for (auto &r : s.rigids) world.addRigidBody(&r->body);
    for (int i = 0; i < o.cubes; i++) {
        double shift = o.cubes > 1 ? 0.004 : 0;
        double corner[3] = {-0.05 + shift * std::sin(1.7 * i), -0.05 + shift * std::cos(2.3 * i), o.bottom + 0.11 * i};
        if (o.grasp) corner[0] = -0.2, corner[1] = -0.05;
        btSoftBody *body = make_box(world.getWorldInfo(), o.grasp ? 4 * o.cells : o.cells, o.cells, corner, o.cubes > 1);
        world.addSoftBody(body);
        s.bodies.push_back(body);
        auto *elasticity = new btDeformableLinearElasticityForce();
        elasticity->setYoungsModulus(btScalar(o.young));
        elasticity->setPoissonRatio(btScalar(poisson));
        elasticity->setDamping(0, 0);
        s.forces.emplace_back(elasticity);
        world.addForce(body, elasticity);
        auto *weight = new btDeformableGravityForce(world.getWorldInfo().m_gravity);
        s.forces.emplace_back(weight);
        world.addForce(body, weight);
    }
    s.rest = centre(s.bodies[0]);
}

double height(const Scene &s, const Options &o) {
    if (o.grasp) return centre(s.bodies[0]) - s.rest;
    const int row = o.cells + 1, top = o.cells / 2 * row * row + o.cells / 2 * row + o.cells;
    double most = -1e30;
    for (const btSoftBody *b : s.bodies) most = std::max(most, double(b->m_nodes[top].m_x.z()));
    return most;
}

bool touches(const Scene &s) {
    for (const btSoftBody *b : s.bodies)
        if (b->m_nodeRigidContacts.size() + b->m_faceRigidContacts.size() + b->m_faceNodeContacts.size() > 0) return true;
    return false;
}

void run(const Options &o) {
    btSoftBodyRigidBodyCollisionConfiguration configuration;
    btCollisionDispatcher dispatcher(&configuration);
    btDbvtBroadphase broadphase;
    Solver solver(o.tolerance);
    btDeformableMultiBodyConstraintSolver constraints;
    constraints.setDeformableSolver(&solver);
    btDeformableMultiBodyDynamicsWorld world(&dispatcher, &broadphase, &constraints, &configuration, &solver);
    Scene s;
    world.setImplicit(true);
    world.setLineSearch(false);
    world.setUseProjection(true);
    world.getSolverInfo().m_numIterations = 50;
    world.getSolverInfo().m_deformable_erp = btScalar(0.2);
    world.getSolverInfo().m_deformable_cfm = 0;
    world.getSolverInfo().m_deformable_maxErrorReduction = btScalar(10);
    world.getSolverInfo().m_leastSquaresResidualThreshold = btScalar(1e-6);
    world.getSolverInfo().m_splitImpulse = false;
    world.getWorldInfo().m_gravity = btVector3(0, 0, btScalar(gravity));
    world.getWorldInfo().m_sparsesdf.setDefaultVoxelsz(btScalar(0.01));
    world.setGravity(world.getWorldInfo().m_gravity);
    make_scene(world, o, s);
    std::vector<double> track;
    double wall_ms = 0, cpu_ms = 0;
    int touching = 0, timed = 0;
    for (int k = 0; k < o.steps; k++) {
        const double t = step * k, to = step * (k + 1);
        for (size_t i = 1; i < s.rigids.size(); i++) {
            btVector3 a = pad_place(i == 1 ? 1 : -1, t), b = pad_place(i == 1 ? 1 : -1, to);
            s.rigids[i]->move(b, (b - a) / btScalar(step));
        }
        double wall = clock_ms(CLOCK_MONOTONIC), cpu = clock_ms(CLOCK_PROCESS_CPUTIME_ID);
        world.stepSimulation(btScalar(step), 0);
        wall = clock_ms(CLOCK_MONOTONIC) - wall, cpu = clock_ms(CLOCK_PROCESS_CPUTIME_ID) - cpu;
        if (touches(s) && ++touching > warm_up) wall_ms += wall, cpu_ms += cpu, timed++;
        double z = height(s, o);
        if (!std::isfinite(z)) break;
        track.push_back(z);
    }
    printf("{\"engine\":\"bullet\",\"version\":\"%d.%02d\",\"steps\":%d,\"timed_steps\":%d", btGetVersion() / 100,
           btGetVersion() % 100, o.steps, timed);
    if (timed) printf(",\"ms_per_step\":%.4f,\"cpu_ms_per_step\":%.4f", wall_ms / timed, cpu_ms / timed);
    printf(",\"track\":[");
    for (size_t i = 0; i < track.size(); i++) printf("%s%.5f", i ? "," : "", track[i]);
    printf("]}\n");
    for (btSoftBody *b : s.bodies) world.removeSoftBody(b), delete b;
    for (auto &r : s.rigids) world.removeRigidBody(&r->body);
}

bool read_options(int argc, char **argv, Options &o) {
    if (argc != 8 && argc != 9) return false;
    o.grasp = !strcmp(argv[1], "grasp");
    o.cells = atoi(argv[2]), o.cubes = atoi(argv[3]), o.young = atof(argv[4]), o.bottom = atof(argv[5]);
    o.mu = atof(argv[6]), o.steps = atoi(argv[7]);
    if (argc == 9) o.tolerance = atof(argv[8]);
    return (o.grasp || !strcmp(argv[1], "cubes")) && o.cells >= 1 && o.cells <= 32 && o.cubes >= 1 && o.cubes <= 100 &&
           o.young > 0 && o.bottom >= 0 && o.mu >= 0 && o.steps >= 1 && o.tolerance > 0 && o.tolerance < 1;
}

}  // namespace

int main(int argc, char **argv) {
    Options o;
    if (!read_options(argc, argv, o)) {
        fprintf(stderr, "usage: bullet_contact cubes|grasp CELLS CUBES YOUNG BOTTOM MU STEPS [TOLERANCE]\n");
        return 2;
    }
    run(o);
    return 0;
}
