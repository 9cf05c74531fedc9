"""Nothing leaks: many worlds come and go, the memory of the library and of Python stays."""
import gc
import os
import subprocess
import sys
import tracemalloc
import unittest

import souple


def use_everything(context):
    mesh = souple.Mesh.box((1, 0.2, 0.2), (4, 1, 1), context=context)
    root = mesh.select(where=lambda x: x[0] == 0)
    with souple.World(gravity=lambda t: (0, -1, 0), context=context) as world:
        beam = world.add_solid(mesh, "beam", young=1e4, fix=root,
                               load={"type": "force", "nodes": [5], "value": (0, lambda t: t, 0)})
        ball = world.add_rigid({"type": "sphere", "size": 0.1, "pose": (0, 1, 0)}, "ball", free=True)
        beam.add_surface(mesh.boundary(), "skin")
        world.publish_fields("beam", ["position"])
        beam.drag(5, (1, 1, 1), 10)
        for _ in range(2):
            world.step(0.01)
        saved = world.save()
        world.restore(saved)
        with world.snapshot() as s:
            s.bodies["beam"].fields["position"], s.bodies["beam"].surfaces["skin"].positions
        beam.info, beam.measures, beam.fields, world.parameters(), world.events, world.edits_taken, world.step_info, ball.info
        beam.field("stress"), beam.anchor(node=3).position, world.links, world.bodies, mesh.groups, mesh.examine()
        for wrong in (lambda: world.add_solid(mesh, yung=1), lambda: world.add_solid(mesh, fix=[-1]), lambda: world["none"],
                      lambda: beam.field("none"), lambda: world.queue("pin", body="nobody"), lambda: world.step(-1),
                      lambda: souple.Mesh([[0, 0]], [[0]]), lambda: world.add_solid(mesh, load={"type": "force", "value": "x"}),
                      lambda: souple.Mesh.fill(lambda x: 1 / 0, (0, 0, 0), (1, 1, 1), size=1)):
            try:
                wrong()
            except (souple.Error, TypeError, KeyError, ZeroDivisionError):
                pass
    with souple.Batch(2, lambda i, w: w.add_solid(mesh, "b"), context=context) as batch:
        batch.step(0.01)
        batch.state("b", "position")


def growth(rounds):
    """What is left after so many rounds: [lines with objects], bytes of the library."""
    context = souple.Context(threads=1)
    for _ in range(3):
        use_everything(context)
    gc.collect()
    tracemalloc.start()
    use_everything(context)
    gc.collect()
    before = tracemalloc.take_snapshot()
    for _ in range(rounds):
        use_everything(context)
    gc.collect()
    after = tracemalloc.take_snapshot()
    tracemalloc.stop()
    # what one round leaves behind would be there `rounds` times
    lines = [str(g) for g in after.compare_to(before, "lineno")
             if g.count_diff >= rounds and g.traceback[0].filename != tracemalloc.__file__]
    return lines, context.memory[0]


class Memory(unittest.TestCase):
    def test_nothing_is_left(self):
        # without NumPy, which keeps small blocks of memory for later arrays
        code = "import sys; sys.modules['numpy'] = None; import test_memory; print(test_memory.growth(40))"
        done = subprocess.run([sys.executable, "-B", "-c", code], capture_output=True, text=True, timeout=100,
                              cwd=os.path.dirname(os.path.abspath(__file__)))
        self.assertEqual(done.stdout, "([], 0)\n", done.stderr)

    def test_objects_of_a_world_do_not_outlive_it_in_cycles(self):
        context = souple.Context(threads=1)
        kept = []
        for _ in range(5):
            mesh = souple.Mesh.box((1, 1, 1), (1, 1, 1), context=context)
            world = souple.World(gravity=lambda t: (0, -1, 0) if body else (0, 0, 0), context=context)
            body = world.add_solid(mesh, "b")
            world.step(0.01)
            kept.append(world.time)
        del mesh, world, body
        gc.collect()
        self.assertEqual(context.memory[0], 0)


if __name__ == "__main__":
    unittest.main()
