"""Threads, processes and signals of the system: the GIL is released, one thread at a time uses a world, a fork is refused."""
import os
import signal
import subprocess
import sys
import threading
import time
import unittest

import souple


def block(cells=6, **keywords):
    """A world whose step takes some milliseconds."""
    context = souple.Context(threads=1)
    mesh = souple.Mesh.box((1, 1, 1), (cells, cells, cells), context=context)
    world = souple.World(context=context)
    world.add_solid(mesh, "block", young=1e5, fix=mesh.select(box=(0, 0, 0, 1, 0, 1)), integrator="newton", solver="cholesky",
                    **keywords)
    return world


class Threads(unittest.TestCase):
    def test_python_runs_while_a_world_steps(self):
        # the step waits in a signal for the other thread, which runs only if nobody holds the GIL
        inside, go = threading.Event(), threading.Event()

        def gravity(t):
            inside.set()
            self.assertTrue(go.wait(30))
            return (0, -1, 0)

        world = souple.World(gravity=gravity)
        body = world.add_solid(souple.Mesh.box((1, 1, 1), (1, 1, 1)), "b")
        seen = {}

        def other():
            inside.wait(30)
            # a second thread may queue edits, take snapshots, look at meshes; everything else is refused
            world.queue("param", path="b.young", value=2e5)
            seen["snapshot"] = world.snapshot()
            for name, call in (("step", lambda: world.step(0.01)), ("time", lambda: world.time), ("info", lambda: body.info),
                               ("close", world.close), ("save", world.save)):
                try:
                    seen[name] = call()
                except souple.Busy as error:
                    seen[name] = error.status
            go.set()

        thread = threading.Thread(target=other)
        inside.clear()
        thread.start()
        self.assertEqual(world.step(0.01), souple.Status.OK)
        thread.join(30)
        self.assertIsNone(seen.pop("snapshot"))
        self.assertEqual(set(seen.values()), {souple.Status.BUSY})
        world.step(0.01)
        self.assertEqual(world.params["b.young"].value, 2e5)

    def test_worlds_in_threads_have_the_bits_of_worlds_alone(self):
        def steps(world, n=5):
            for _ in range(n):
                world.step(0.01)

        worlds = [block(4) for _ in range(3)]
        threads = [threading.Thread(target=steps, args=(world,)) for world in worlds]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        alone = block(4)
        steps(alone)
        self.assertEqual({world.hash for world in worlds}, {alone.hash})

    def test_readers_see_whole_steps_while_the_world_steps(self):
        world = block(4)
        world.publish_fields("block", ["position", "velocity"])
        world.step(0.01)
        stop, wrong, read = threading.Event(), [], []

        def reader():
            last = 0
            while not stop.is_set():
                with world.snapshot() as s:
                    x = s.bodies["block"].fields["position"]
                    if s.step < last or x.shape != (125, 3) or (x[0] != [0, 0, 0]).any():
                        wrong.append(s.step)
                    last = s.step
                    read.append(float(x.sum()))

        try:
            import numpy  # noqa: F401
        except ImportError:
            self.skipTest("NumPy is not installed")
        threads = [threading.Thread(target=reader) for _ in range(2)]
        for thread in threads:
            thread.start()
        for _ in range(30):
            world.step(0.01)
        stop.set()
        for thread in threads:
            thread.join()
        self.assertEqual(wrong, [])
        self.assertGreater(len(read), 2)

    def test_a_mesh_may_be_closed_while_another_thread_uses_it(self):
        mesh = souple.Mesh.box((1, 1, 1), (8, 8, 8))
        inside = threading.Event()

        def close():
            inside.wait(30)
            mesh.close()

        thread = threading.Thread(target=close)
        thread.start()

        def where(x):
            inside.set()
            time.sleep(0)
            return True

        self.assertEqual(len(mesh.select(where=where)), 729)
        thread.join()


class Processes(unittest.TestCase):
    @unittest.skipUnless(hasattr(os, "fork"), "no fork")
    def test_a_forked_child_refuses_what_its_parent_made(self):
        code = """
import os, souple
mesh = souple.Mesh.box((1, 1, 1), (2, 2, 2))
world = souple.World()
body = world.add_solid(mesh, "b")
batch = souple.Batch(2, lambda i, w: w.add_solid(mesh, "b"))
world.step(0.01)
snapshot = world.snapshot()
if os.fork() == 0:
    for call in (lambda: world.step(0.01), lambda: body.info, lambda: mesh.positions, lambda: batch.step(0.01),
                 lambda: snapshot.step, lambda: souple.World(context=mesh.context)):
        try:
            call()
            os._exit(1)
        except souple.Error as error:
            assert "before fork" in str(error), error
    own = souple.Mesh.box((1, 1, 1), (2, 2, 2))
    fresh = souple.World()
    fresh.add_solid(own, "b")
    fresh.step(0.01)
    repr(world)
    del world, body, mesh, batch, snapshot
    fresh.close()
    os._exit(0 if own.positions[0][0] == 0 else 2)
_, status = os.wait()
assert status == 0, status
world.step(0.01)
"""
        done = subprocess.run([sys.executable, "-B", "-c", code], capture_output=True, text=True, timeout=60)
        self.assertEqual(done.returncode, 0, done.stderr)

    def test_control_c_stops_a_loop_of_steps_between_two_of_them(self):
        code = """
import souple, sys
mesh = souple.Mesh.box((1, 1, 1), (4, 4, 4))
world = souple.World()
world.add_solid(mesh, "b", fix=[0, 1, 2])
try:
    while True:
        world.step(0.01)
        if world.steps == 3:
            print("going", flush=True)
except KeyboardInterrupt:
    pass
world.step(0.01)
print("stopped", flush=True)
"""
        process = subprocess.Popen([sys.executable, "-B", "-c", code], stdout=subprocess.PIPE, text=True)
        self.assertEqual(process.stdout.readline(), "going\n")
        process.send_signal(signal.SIGINT)
        out, _ = process.communicate(timeout=60)
        self.assertEqual((process.returncode, out), (0, "stopped\n"))


if __name__ == "__main__":
    unittest.main()
