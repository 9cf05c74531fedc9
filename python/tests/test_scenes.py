"""Scenes, runs, sweeps and what is built of them."""
import gc
import os
import pickle
import signal
import subprocess
import sys
import tempfile
import textwrap
import threading
import time
import unittest

import numpy as np

import souple

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
BEAM = """<scene version="1" name="beam" dt="0.01">
  <param name="k" value="2" min="1" max="9"/>
  <solid name="beam" young="{young}" poisson="0.4">
    <box size="0.4 0.1 0.1" cells="{4*k} {k} {k}"/>
    <fix box="-0.01 0 0  0.01 0.1 0.1"/>
    <probe name="tip" near="0.4 0.05 0.05" quantity="position velocity" every="1"/>
  </solid>
  <param name="young" value="3e5"/>
  <probe name="bulk" of="beam" quantity="volume kinetic" period="0.05"/>
  <expect probe="bulk" component="volume" over="mean" value="0.004" tolerance="0.05" relative="yes" source="the box"/>
  <record file="beam.csv" every="1"/>
  <stop time="0.1"/>
</scene>
"""


# an explicit step that is too long for a stiff material
BOUNCE = """<scene dt="0.01"><param name="young" value="1e2"/><solid name="b" young="{young}"><box size="0.4 0.1 0.1" cells="8 2 2"/>
<fix box="-1 -1 -1 0.001 1 1"/><integrator type="explicit"/><probe name="p" near="0.4 0 0" quantity="position"/></solid>
<stop time="0.5"/></scene>"""


class Scenes(unittest.TestCase):
    def test_text_and_values(self):
        scene = souple.Scene.parse(BEAM, set={"k": 1, "beam.poisson": 0.3})
        self.assertEqual(scene.name, "beam")
        self.assertEqual(scene.text, BEAM)
        self.assertEqual(scene.sets, ["k=1", "beam.poisson=0.3"])
        self.assertIn("poisson", scene.describe())
        self.assertEqual([o.file for o in scene.outputs], ["beam.csv"])
        self.assertEqual(scene.run().dt, 0.01)

    def test_file(self):
        scene = souple.Scene.load(os.path.join(ROOT, "scenes/beam.xml"))
        self.assertTrue(scene.file.endswith("beam.xml"))
        self.assertEqual(scene.messages, [])

    def test_errors_have_file_line_and_text(self):
        with self.assertRaises(souple.BadInput) as caught:
            souple.Scene.parse(BEAM.replace('poisson="0.4"', 'poisson="0.7"').replace("<fix box", "<fixed box"), name="a/b.xml")
        error = caught.exception
        self.assertIsInstance(error, ValueError)
        self.assertEqual(error.status, souple.Status.BAD_INPUT)
        self.assertEqual(sorted(m.line for m in error.messages if m.severity == "error"), [3, 5])
        self.assertIn("a/b.xml:", str(error))
        with self.assertRaisesRegex(souple.Error, "cannot be read"):
            souple.Scene.load("/nowhere/at-all.xml")
        with self.assertRaises(TypeError):
            souple.Scene()
        with self.assertRaises(TypeError):
            souple.Scene.parse(BEAM, allow_paths=[3])

    def test_errors_of_a_run(self):
        text = BEAM.replace('<fix box="-0.01 0 0  0.01', '<fix box="8 0 0  9')
        with self.assertRaisesRegex(souple.BadInput, "nothing|empty|select"):
            souple.Scene.parse(text).run()
        with self.assertRaisesRegex(TypeError, "time"):
            souple.Scene.parse(BEAM).run(tim=1)
        with self.assertRaises(souple.Error):
            souple.Scene.parse(BEAM).run(backend="abacus")

    def test_language(self):
        self.assertIn("<grammar", souple.scene_schema())
        self.assertIn("young", souple.scene_reference())
        self.assertIn("neo-hookean", souple.scene_choices("solid", "material"))
        with self.assertRaises(souple.BadInput):
            souple.scene_choices("solid", "colour of the sky")


class Runs(unittest.TestCase):
    def test_steps_probes_and_claims(self):
        run = souple.Scene.parse(BEAM).run()
        self.assertEqual(list(run), list(range(1, 11)))
        self.assertTrue(run.done)
        tip = run.probes["tip"]
        self.assertEqual(tip.columns[:3], ("position.x", "position.y", "position.z"))
        self.assertEqual(tip.units, ("m",) * 3 + ("m/s",) * 3)
        self.assertEqual(tip.values.shape, (11, 6))
        np.testing.assert_allclose(tip.times, np.arange(11) * 0.01, atol=1e-15)
        np.testing.assert_array_equal(tip["position.y"], tip.values[:, 1])
        # implicit Euler: the end velocity moved the point
        np.testing.assert_allclose(np.diff(tip["position.y"]) / 0.01, tip["velocity.y"][1:], rtol=1e-6)
        run.finish()
        self.assertTrue(run.claims[0].held)
        with self.assertRaisesRegex(KeyError, "position.x"):
            tip["weight"]

    def test_probes_of_one_name_in_several_bodies(self):
        solid = BEAM[BEAM.index("  <solid") : BEAM.index("</solid>") + 9]
        result = souple.run(BEAM.replace(solid, solid + solid.replace('name="beam"', 'name="other" density="2000"')), keep=False)
        self.assertEqual(sorted(result.probes), ["beam.tip", "bulk", "other.tip"])
        self.assertIs(result["beam.bulk"], result["bulk"])
        self.assertNotEqual(result["beam.tip"]["position.y"][-1], result["other.tip"]["position.y"][-1])
        for name in ("tip", "other.bulk"):
            with self.assertRaisesRegex(KeyError, "known: .*other.tip"):
                result[name]

    def test_samples_stay_while_the_run_goes_on_and_after_it(self):
        run = souple.Scene.parse(BEAM, set={"k": 1}).run(steps=1)
        first = run.probes["tip"].values
        self.assertFalse(first.flags.writeable)
        with self.assertRaises(ValueError):
            first[0, 0] = 1
        kept = first.copy()
        for _ in range(300):  # more than the samples that were reserved
            run.step()
        self.assertEqual(len(run.probes["tip"]), 301)
        del run
        gc.collect()
        np.testing.assert_array_equal(first, kept)

    def test_world_keeps_the_run(self):
        world = souple.Scene.parse(BEAM).run().world
        gc.collect()
        self.assertIs(world.run.world, world)
        world.run.step()
        self.assertEqual(world.steps, 1)
        self.assertEqual([body.name for body in world.bodies], ["beam"])

    def test_records_are_written_and_closed(self):
        with tempfile.TemporaryDirectory() as out:
            with souple.Scene.parse(BEAM).run(out=out) as run:
                run.advance(3)
                self.assertEqual(run.records[0].kind, "csv")
            with open(os.path.join(out, "beam.csv"), encoding="utf-8") as file:
                self.assertEqual(len(file.readlines()), 1 + 4)

    def test_save_and_resume(self):
        scene = souple.Scene.parse(BEAM)
        whole = scene.run()
        whole.advance(8)
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "half.checkpoint")
            half = scene.run()
            half.advance(4)
            half.save(path)
            rest = scene.run(resume=path)
            rest.advance(4)
        self.assertEqual(rest.world.hash, whole.world.hash)
        np.testing.assert_array_equal(rest.probes["tip"].values, whole.probes["tip"].values)
        other = souple.Scene.parse(BEAM).run()
        other.adopt(half)
        other.advance(4)
        self.assertEqual(other.world.hash, whole.world.hash)
        with self.assertRaises(souple.Error):
            scene.run(resume="/nowhere/at-all")

    def test_a_closed_run_says_so(self):
        run = souple.Scene.parse(BEAM).run()
        run.close()
        run.close()
        with self.assertRaisesRegex(souple.Error, "closed"):
            run.step()

    def test_looks_and_regions(self):
        scene = souple.Scene.load(os.path.join(ROOT, "scenes/beam.xml"))
        run = scene.run()
        self.assertEqual(tuple(run.look("beam").color), (0.8, 0.3, 0.2))
        self.assertEqual(run.region_name("beam", 1), "stiff")
        self.assertEqual(run.clips("beam"), (True, True))
        self.assertEqual(run.camera().color_by, "von-mises")
        with self.assertRaises(souple.Error):
            run.region_name("beam", 9)
        with self.assertRaises(souple.Error):
            run.look("bean")


class Whole(unittest.TestCase):
    def test_run(self):
        seen = []
        with tempfile.TemporaryDirectory() as out:
            result = souple.run(BEAM, set={"young": 1e5}, out=out, progress=lambda done, planned: seen.append((done, planned)))
            self.assertEqual(os.listdir(out), ["beam.csv"])
        self.assertEqual(seen, [(i, 10) for i in range(1, 11)])
        self.assertTrue(result.held)
        self.assertEqual(result.steps, 10)
        self.assertLess(result["tip"]["position.y"][-1], souple.run(BEAM)["tip"]["position.y"][-1])

    def test_on_step_ends_a_run(self):
        result = souple.run(BEAM, on_step=lambda run: run.world.steps < 3)
        self.assertEqual(result.steps, 3)

    def test_a_scene_without_end_is_refused(self):
        with self.assertRaises(souple.BadInput):
            souple.run(BEAM.replace('<stop time="0.1"/>', ""))
        self.assertEqual(souple.run(BEAM.replace('<stop time="0.1"/>', ""), steps=2).steps, 2)

    def test_progress_line(self):
        code = "import souple; souple.run(%r, progress=True)" % BEAM
        told = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stderr
        self.assertIn("steps: 10/10", told)

    def test_sweep_in_threads_has_the_results_of_one_after_the_other(self):
        values = {"young": [1e5, 3e5], "k": [1, 2]}
        order = []
        one = souple.sweep(BEAM, values)
        four = souple.sweep(BEAM, values, threads=4, on_result=order.append)
        self.assertEqual([r.values for r in one], [{"young": y, "k": k} for y in (1e5, 3e5) for k in (1, 2)])
        self.assertEqual([r.hash for r in one], [r.hash for r in four])
        self.assertEqual(len({r.hash for r in one}), 4)
        self.assertEqual(len(order), 4)
        self.assertIsNone(one[0].world)
        self.assertEqual(one[0]["tip"].values.shape, (11, 6))
        self.assertEqual(len(souple.sweep(BEAM, [{"young": 1e5}, {}])), 2)

    def test_a_failed_step_does_not_end_a_sweep(self):
        for threads in (1, 2):
            good, bad = souple.sweep(BOUNCE, {"young": [1e2, 1e7]}, threads=threads)
            self.assertIsNone(good.error)
            self.assertEqual(str(bad.status), "NOT_FINITE")
            self.assertIsInstance(bad.error, souple.NotFinite)
            self.assertTrue(0 < bad.steps < good.steps)
            self.assertEqual(len(bad["p"].times), bad.steps + 1)
        with self.assertRaises(souple.NotFinite):
            souple.run(BOUNCE, set={"young": 1e7})

    def test_a_wrong_value_ends_a_sweep(self):
        for threads in (1, 2):
            with self.assertRaises(souple.BadInput):
                souple.sweep(BEAM, {"k": [1, -4, 2]}, threads=threads)

    def test_sweep_writes_a_folder_for_each_run(self):
        with tempfile.TemporaryDirectory() as out:
            souple.sweep(BEAM, {"k": [1, 2]}, out=out)
            self.assertEqual(sorted(os.listdir(out)), ["0", "1"])


class Builder(unittest.TestCase):
    def build(self):
        s = souple.build.scene(dt=0.01, name="beam")
        s.param(name="k", value=2)
        s.solid(name="beam", young=np.float64(3e5), poisson=0.4).box(size=(0.4, 0.1, 0.1), cells=("{4*k}", "{k}", "{k}")).fix(
            box=np.array([[-0.01, 0, 0], [0.01, 0.1, 0.1]])
        ).probe(name="tip", near=(0.4, 0.05, 0.05), quantity="position velocity", every=1)
        s.stop(time=0.1)
        return s

    def test_has_the_bits_of_the_same_text(self):
        run = self.build().run(set={"k": 1})
        run.advance(5)
        text = souple.Scene.parse(BEAM, set={"k": 1}).run()
        text.advance(5)
        self.assertEqual(run.world.hash, text.world.hash)
        self.assertEqual(souple.run(self.build()).steps, 10)

    def test_messages_name_the_line_of_python(self):
        s = self.build()
        s.rigid(name="floor").plane(normal=(0, 1, 0), colour="red")
        line = sys._getframe().f_lineno - 1
        with self.assertRaises(souple.BadInput) as caught:
            s.parse()
        self.assertIn("%s:%d: plane(...): " % (os.path.basename(__file__), line), str(caught.exception))
        self.assertIn("colour", str(caught.exception))

    def test_unknown_elements_and_values(self):
        s = souple.build.scene()
        with self.assertRaisesRegex(AttributeError, "did you mean solid"):
            s.solit(name="x")
        with self.assertRaisesRegex(TypeError, "young"):
            s.solid(name="x", young=object())
        self.assertFalse(hasattr(s, "_repr_png_"))
        self.assertIn("solid", dir(s))

    def test_text(self):
        s = souple.build.scene(dt=0.5)
        c = s.contact(friction=0.5, self_=True)
        c.contact_solver(warm_start=False)
        s.solid(name='a"<&', class_="soft", material=None).update(young=2).parent.stop(time=1)
        self.assertEqual(
            s.text,
            textwrap.dedent(
                """\
                <scene dt="0.5" version="1">
                  <contact friction="0.5" self="yes">
                    <contact-solver warm-start="no"/>
                  </contact>
                  <solid name='a"&lt;&amp;' class="soft" young="2"/>
                  <stop time="1"/>
                </scene>
                """
            ),
        )


class Batches(unittest.TestCase):
    def test_worlds_have_the_bits_that_they_have_alone(self):
        batch = souple.Batch(BEAM, 4, set=lambda i: {"k": 1, "young": 1e5 * (1 + i % 2)})
        self.assertEqual(len(batch), 4)
        for _ in range(3):
            self.assertEqual(batch.step(0.01), 0)
        for i in range(4):
            alone = souple.Scene.parse(BEAM, set={"k": 1, "young": 1e5 * (1 + i % 2)}).run()
            alone.advance(3)
            self.assertEqual(batch[i].hash, alone.world.hash)
        state = batch.state("beam", "position")
        self.assertEqual(state.shape, (4, 20, 3))
        np.testing.assert_array_equal(state[0], state[2])
        np.testing.assert_array_equal(state[3], batch.worlds[3]["beam"].field("position"))
        batch.reset([1])
        self.assertEqual([w.steps for w in batch.worlds], [3, 0, 3, 3])

    def test_the_scene_says_how_its_worlds_are(self):
        text = BEAM.replace('dt="0.01"', 'dt="0.01" gravity="0 0 {t}"')
        batch = souple.Batch(text, 2, set={"k": 1})
        run = souple.Scene.parse(text, set={"k": 1}).run()
        for _ in range(4):
            batch.step(0.01)
            run.step()
        gc.collect()
        self.assertEqual(batch[1].hash, run.world.hash)
        worlds = batch.worlds
        del batch
        gc.collect()
        self.assertEqual(worlds[0].steps, 4)

    def test_wrong_batches(self):
        with self.assertRaisesRegex(souple.BadInput, "count"):
            souple.Batch(BEAM, 0)
        with self.assertRaises(souple.BadInput):
            souple.Batch(BEAM, 2, set=lambda i: {"k": 1 - i})
        with self.assertRaises(TypeError):
            souple.Batch(2, lambda i, w: None, set={})
        with self.assertRaises(ZeroDivisionError):
            souple.Batch(BEAM, 2, set=lambda i: {"k": 1 / i})


class Pickling(unittest.TestCase):
    def test_a_run_goes_on_with_the_same_bits(self):
        run = souple.Scene.parse(BEAM, set={"k": 1}).run()
        run.advance(4)
        data = pickle.dumps(run)
        run.advance(3)
        for again in (pickle.loads(data), pickle.loads(pickle.dumps(pickle.loads(data).world)).run):
            self.assertEqual(again.world.steps, 4)
            again.advance(3)
            self.assertEqual(again.world.hash, run.world.hash)
            self.assertEqual(len(again.probes["tip"]), 8)
        scene = pickle.loads(pickle.dumps(souple.Scene.parse(BEAM, set={"k": 3})))
        self.assertEqual(scene.sets, ["k=3"])

    def test_in_another_process(self):
        run = souple.Scene.parse(BEAM, set={"k": 1}).run()
        run.advance(4)
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "run.pickle")
            with open(path, "wb") as file:
                pickle.dump(run, file)
            code = "import pickle; r = pickle.load(open(%r, 'rb')); r.advance(2); print(r.world.hash)" % path
            told = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout
        run.advance(2)
        self.assertEqual(int(told), run.world.hash)

    def test_a_world_without_scene_refuses(self):
        with self.assertRaisesRegex(TypeError, "no scene"):
            pickle.dumps(souple.World())


class Interruption(unittest.TestCase):
    CODE = """
import os, souple, sys
told = []
text = open(sys.argv[1]).read().replace('<stop time="0.1"/>', '<stop time="1e6"/>')
def on_step(run):
    if run.world.steps == 2 and not told:
        told.append(os.write(1, b"running\\n"))
try:
    souple.%s
except KeyboardInterrupt:
    print("interrupted", flush=True)
    raise
"""

    def interrupt(self, call):
        with tempfile.TemporaryDirectory() as folder:
            scene, out = os.path.join(folder, "scene.xml"), os.path.join(folder, "out")
            with open(scene, "w", encoding="utf-8") as file:
                file.write(BEAM)
            child = subprocess.Popen(
                [sys.executable, "-c", self.CODE % call, scene, out], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
            )
            try:
                self.assertEqual(child.stdout.readline(), "running\n")
                child.send_signal(signal.SIGINT)
                rest, errors = child.communicate(timeout=60)
            finally:
                child.kill()
                child.communicate()
            self.assertEqual(rest.replace("running\n", ""), "interrupted\n")  # two threads may both be the first
            self.assertIn("KeyboardInterrupt", errors)
            files = [os.path.join(path, name) for path, _, names in os.walk(out) for name in names]
            self.assertTrue(files)
            for name in files:
                with open(name, encoding="utf-8") as file:
                    lines = file.read().split("\n")
                self.assertGreaterEqual(len(lines), 2)
                self.assertEqual(lines[-1], "")
                self.assertEqual(len({line.count(",") for line in lines[:-1]}), 1)

    def test_a_long_run_ends_and_closes_its_records(self):
        self.interrupt("run(text, out=sys.argv[2], on_step=on_step)")

    def test_a_sweep_in_threads_ends(self):
        self.interrupt("sweep(text, {'k': [1, 1, 2, 2]}, threads=2, out=sys.argv[2], on_step=on_step)")


class Threads(unittest.TestCase):
    def test_two_worlds_in_two_threads_have_the_bits_of_one(self):
        alone = souple.run(BEAM).hash
        hashes, errors = [], []

        def work():
            try:
                hashes.append(souple.run(BEAM).hash)
            except BaseException as error:  # noqa: B902
                errors.append(error)

        threads = [threading.Thread(target=work) for _ in range(4)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        self.assertEqual(errors, [])
        self.assertEqual(hashes, [alone] * 4)

    def test_other_threads_run_while_a_step_does(self):
        run = souple.Scene.parse(BEAM, set={"k": 9}).run(steps=3)
        count = [0]
        end = threading.Event()

        def tick():
            while not end.is_set():
                count[0] += 1
                time.sleep(0)

        thread = threading.Thread(target=tick)
        thread.start()
        before = count[0]
        run.advance(3)
        ticks = count[0] - before
        end.set()
        thread.join()
        # with the lock held, the other thread moves at most once per step, between two of them
        self.assertGreater(ticks, 50)

    def test_a_run_in_use_is_refused(self):
        run = souple.Scene.parse(BEAM, set={"k": 9}).run()
        thread = threading.Thread(target=run.advance, args=(5,))
        thread.start()
        refused = 0
        while thread.is_alive():
            try:
                run.save("/dev/null")
            except souple.Error as error:
                refused += "use" in str(error) or "busy" in str(error).lower()
        thread.join()
        self.assertGreater(refused, 0)


if __name__ == "__main__":
    unittest.main()
