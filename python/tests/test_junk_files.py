"""Wrong values in the calls of scenes, runs, recordings, pictures and files: an exception, no crash, and the run goes on."""
import inspect
import math
import os
import random
import tempfile
import unittest

import souple

SCENE = """<scene version="1" name="beam" dt="0.01">
  <solid name="beam"><box size="0.4 0.1 0.1" cells="4 1 1"/><fix box="-1 0 0 0.001 1 1"/>
    <probe name="tip" near="0.4 0.05 0.05" quantity="position" every="1"/></solid>
</scene>
"""
JUNK = [None, [], {}, -1, 0, 1, 10**20, -(10**20), 1e308, math.nan, "x", "beam", "", "a\0b", b"x", object(), (1, 2, 3), [1, 2, 3],
        True, {"beam": 0.5}, {"a": 1}, [[1]], "/nowhere/x", "out.svg", "out.png", "position"]
# long, or with names of their own; the arrays and worlds of the other half have tests of their own
LEFT_OUT = {"view", "save_picture", "Mesh", "Surface", "World", "Batch", "Context", "organ"}


class Junk(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        before = os.getcwd()
        self.addCleanup(os.chdir, before)
        os.chdir(folder.name)  # what is written by accident

    def objects(self):
        run = souple.Scene.parse(SCENE).run()
        souple.Mesh.box((1, 1, 1), (1, 1, 1)).boundary().write("box.obj")
        with run.recorder("first.xdmf", wait=True) as recorder:
            run.step()
            recorder.step()
        head = b"NRRD0004\ntype: uint8\ndimension: 3\nsizes: 4 4 4\nencoding: raw\nspacings: 1 1 1\n\n"
        labels = head + bytes([0] * 16 + [1] * 48)
        return [souple.Scene.parse(SCENE), run, run.world, run.probes["tip"], souple.Recording("first.xdmf"),
                souple.MeshFile("box.obj"), souple.Volume("labels.nrrd", labels), souple.EditLog("edits.log", "w"),
                run.gltf("a.glb"), souple.Section(run.world, "beam"), run.recorder("second.xdmf"),
                souple.import_sofa(text='<Node name="root"/>')]

    def test_calls_with_wrong_values(self):
        choose = random.Random(7)
        objects = self.objects()
        own = objects[:2] + objects[3:]
        calls = [getattr(o, n) for o in own for n in dir(type(o)) if not n.startswith("__") and n not in LEFT_OUT]
        calls += [getattr(souple._core, n) for n in dir(souple._core) if n not in LEFT_OUT]
        made = 0
        for call in calls:
            if not callable(call) or (isinstance(call, type) and issubclass(call, (BaseException, int, tuple))):
                continue
            try:
                names = [name for name in inspect.signature(call).parameters if name not in ("self", "cls")]
            except (TypeError, ValueError):
                names = []
            for _ in range(5):
                values = [choose.choice(JUNK + objects) for _ in range(choose.randrange(4))]
                keywords = {name: choose.choice(JUNK + objects) for name in names if choose.random() < 0.3}
                try:
                    call(*values, **keywords)
                except (SystemError, MemoryError) as error:
                    self.fail("%r(%r, %r): %r" % (call, values, keywords, error))
                except Exception:
                    pass
                made += 1
        self.assertGreater(made, 300)
        fresh = souple.Scene.parse(SCENE).run()
        fresh.advance(2)
        self.assertEqual(fresh.world.steps, 2)


if __name__ == "__main__":
    unittest.main()
