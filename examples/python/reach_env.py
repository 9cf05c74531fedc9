"""Reinforcement learning: 16 soft pendulums that are moved by hand.

A strip of rubber hangs from a hand, which is a spring at its upper end. An action moves the hand; the lower end is to come to rest
at a target. The environment steps 16 worlds at once, on all cores, and has the methods of vector environments of Gymnasium without
that dependency: `reset` returns (observations, info), `step` returns (observations, rewards, terminated, truncated, info), all of
them arrays with a row for each world. The step after the end of an episode begins the next one, as Gymnasium's autoreset does.

The program compares random actions with a simple rule, which a learner has to beat.

How to run it (needs NumPy):

    python3 examples/python/reach_env.py

Output:

    16 worlds, observations (16, 10), actions (16, 2)
    random mean reward -0.169, 0 episodes at the target, 32 too long
    rule   mean reward -0.076, 121 episodes at the target, 0 too long
"""
import numpy

import souple

SCENE = """
<scene version="1" name="pendulum" dt="0.02">
  <solid name="strip" young="2e5" poisson="0.3" density="1000" rayleigh="0.5 0">
    <box size="0.02 0.2 0.02" cells="1 8 1" pattern="hex"/>
  </solid>
</scene>
"""


class ReachEnv:
    """Soft pendulums in a batch of worlds. Actions: velocity of the hand along x and y, in [-1, 1]."""

    SPEED = 0.5  # of the hand at an action of 1 [m/s]
    STEP = 0.02  # an action lasts for this time [s]
    REPEAT = 4  # steps of the simulation in it, in one call
    LENGTH = 100  # steps of an episode

    def __init__(self, worlds=16):
        self.batch = souple.Batch(souple.Scene.parse(SCENE), worlds)
        self.count = worlds
        height = self.batch.state("strip", "position")[0, :, 1]
        self.lower = numpy.flatnonzero(height < 0.001)
        self.middle = numpy.flatnonzero(abs(height - 0.1) < 0.001)
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
        begins = self.ended.copy()
        self._restart(numpy.flatnonzero(begins))
        active = numpy.flatnonzero(~begins)
        self.hands[active] += self.STEP * self.SPEED * numpy.clip(actions, -1, 1)[active]
        for i in active:
            self._hold(self.batch.worlds[i], self.hands[i])
        self.batch.step(self.STEP / self.REPEAT, active, steps=self.REPEAT)
        self.steps[active] += 1
        observations = self._observe()
        distance = numpy.linalg.norm(observations[:, 0:2], axis=1)
        speed = numpy.linalg.norm(observations[:, 2:4], axis=1)
        terminated = ~begins & (distance < 0.01) & (speed < 0.05)
        truncated = ~begins & ~terminated & (self.steps >= self.LENGTH)
        self.ended = terminated | truncated
        return observations, numpy.where(begins, 0, -distance), terminated, truncated, {}

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
        strip.drag(strip.anchor(point=(0.01, 0.2, 0.01)), (0.01 + hand[0], 0.2 + hand[1], 0.01), stiffness=1000, damping=1)

    def _observe(self):
        """Of each world: target minus lower end, velocity of the lower end, lower end and middle seen from the hand, target."""
        position = self.batch.state("strip", "position")[:, :, :2]
        velocity = self.batch.state("strip", "velocity")[:, :, :2]
        end = position[:, self.lower].mean(axis=1) - [0.01, 0]
        centre = position[:, self.middle].mean(axis=1) - [0.01, 0]
        speed = velocity[:, self.lower].mean(axis=1)
        return numpy.hstack([self.targets - end, speed, end - self.hands, centre - self.hands, self.targets])


def try_out(environment, policy, steps=300):
    """Mean reward of a step, and how many episodes ended at the target and by their length."""
    observations, _ = environment.reset(seed=1)
    rewards, terminated, truncated = 0.0, 0, 0
    for _ in range(steps):
        observations, reward, end, limit, _ = environment.step(policy(observations))
        rewards, terminated, truncated = rewards + reward.mean(), terminated + end.sum(), truncated + limit.sum()
    return rewards / steps, terminated, truncated


def rule(observations):
    """The hand moves towards the place above the target, and follows the swing, which takes its energy away."""
    actions = 6 * (observations[:, 0:2] + observations[:, 4:6])
    actions[:, 0] += 8 * observations[:, 4]
    return actions


if __name__ == "__main__":
    environment = ReachEnv()
    first, _ = environment.reset(seed=1)
    print("%d worlds, observations %s, actions (%d, 2)" % (environment.count, first.shape, environment.count))
    random = numpy.random.default_rng(2)
    policies = {"random": lambda observations: random.uniform(-1, 1, (len(observations), 2)), "rule": rule}
    for name, policy in policies.items():
        print("%-6s mean reward %.3f, %d episodes at the target, %d too long" % (name, *try_out(environment, policy)))
