"""Reinforcement learning: 16 soft pendulums that are moved by hand.

A strip of rubber hangs from a hand, which is a spring at its upper end. An action moves the hand; the lower end is to come to rest
at a target. The environment steps 16 worlds at once, on all cores, and has the methods of vector environments of Gymnasium without
that dependency: `reset` returns (observations, info), `step` returns (observations, rewards, terminated, truncated, info), all of
them arrays with a row for each world. A world that has ended is reset by the next step.

The program compares random actions with a simple rule, which a learner has to beat.

How to run it (needs NumPy), in the folder that has scenes/:

    python3 examples/python/reach_env.py

Output:

    16 worlds, observations (16, 10), actions (16, 2)
    random: ...
    rule: ...
"""
import numpy

import souple

SCENE = """
<scene version="1" name="pendulum" dt="0.02">
  <solid name="strip" material="corotational" young="2e5" poisson="0.3" density="1000" rayleigh="0.5 0">
    <box size="0.02 0.2 0.02" cells="1 8 1" pattern="hex"/>
    <integrator type="implicit-euler"/>
  </solid>
</scene>
"""


class ReachEnv:
    """Soft pendulums in a batch of worlds. Actions: velocity of the hand along x and y, in [-1, 1]."""

    SPEED = 0.5  # of the hand at an action of 1 [m/s]
    STEP = 0.02  # [s]
    LENGTH = 100  # steps of an episode

    def __init__(self, worlds=16):
        self.batch = souple.Batch(souple.Scene.parse(SCENE), worlds)
        self.count = worlds
        self.random = numpy.random.default_rng(0)
        self.hands = numpy.zeros((worlds, 2))
        self.targets = numpy.zeros((worlds, 2))
        self.steps = numpy.zeros(worlds, dtype=int)
        self.ended = numpy.zeros(worlds, dtype=bool)

    def reset(self, *, seed=None, options=None):
        """New episodes in all worlds: (observations, info)."""
        if seed is not None:
            self.random = numpy.random.default_rng(seed)
        self._restart(numpy.arange(self.count))
        return self._observe(), {}

    def step(self, actions):
        """One step of all worlds: (observations, rewards, terminated, truncated, info)."""
        self._restart(numpy.flatnonzero(self.ended))
        self.hands += self.STEP * self.SPEED * numpy.clip(actions, -1, 1)
        for world, hand in zip(self.batch.worlds, self.hands):
            self._hold(world, hand)
        self.batch.step(self.STEP)
        self.steps += 1
        observations = self._observe()
        distance = numpy.linalg.norm(observations[:, 0:2], axis=1)
        speed = numpy.linalg.norm(observations[:, 2:4], axis=1)
        terminated = (distance < 0.01) & (speed < 0.05)
        truncated = ~terminated & (self.steps >= self.LENGTH)
        self.ended = terminated | truncated
        return observations, -distance, terminated, truncated, {}

    def _restart(self, indices):
        """The worlds of a list begin a new episode, with targets of their own."""
        if len(indices) == 0:
            return
        self.batch.reset(indices)
        self.hands[indices] = 0
        self.targets[indices] = self.random.uniform([-0.3, -0.1], [0.3, 0.1], (len(indices), 2))
        self.steps[indices] = 0
        self.ended[indices] = False

    def _hold(self, world, hand):
        """The hand: a spring from the middle of the upper end to a point."""
        strip = world["strip"]
        strip.drag(strip.anchor(point=(0.01, 0.2, 0.01)), (0.01 + hand[0], 0.2 + hand[1], 0.01), stiffness=100, damping=1)

    def _observe(self):
        """Of each world: target minus lower end, velocity of the lower end, lower end and middle seen from the hand, target."""
        position = self.batch.state("strip", "position")[:, :, :2]
        velocity = self.batch.state("strip", "velocity")[:, :, :2]
        lower, middle = self.lower, self.middle
        end = position[:, lower].mean(axis=1) - [0.01, 0]
        centre = position[:, middle].mean(axis=1) - [0.01, 0]
        speed = velocity[:, lower].mean(axis=1)
        return numpy.hstack([self.targets - end, speed, end - self.hands, centre - self.hands, self.targets])


def returns(environment, policy, steps=300):
    """Mean reward of a step, and how many episodes ended at the target."""
    observations, _ = environment.reset(seed=1)
    total, reached = 0.0, 0
    for _ in range(steps):
        observations, rewards, terminated, truncated, _ = environment.step(policy(observations))
        total += rewards.mean()
        reached += terminated.sum()
    return total / steps, reached


def rule(observations):
    """Move the hand towards where the lower end should go, and against its velocity."""
    return 8 * observations[:, 0:2] - 1.5 * observations[:, 2:4]


if __name__ == "__main__":
    environment = ReachEnv()
    first, _ = environment.reset(seed=1)
    print("%d worlds, observations %s, actions (%d, 2)" % (environment.count, first.shape, environment.count))
    random = numpy.random.default_rng(2)
    print("random actions: mean reward %.3f, %d times at the target" % returns(environment, lambda o: random.uniform(-1, 1, (16, 2))))
    print("rule:           mean reward %.3f, %d times at the target" % returns(environment, rule))
