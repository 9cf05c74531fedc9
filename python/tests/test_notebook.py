"""What a notebook shows: pictures, the live page, plots. And the package without NumPy and without Matplotlib."""
import gc
import os
import struct
import subprocess
import sys
import tempfile
import time
import unittest
import urllib.error
import urllib.request
import zlib

import numpy as np

import souple
import souple.view

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
SCENE = """<scene version="1" name="beam" dt="0.01">
  <solid name="beam" young="1e5" look="red"><box size="0.4 0.1 0.1" cells="4 1 1"/><fix box="-1 0 0 0.001 1 1"/></solid>
  <look name="red" color="0.9 0.1 0.1"/>
  <camera at="0.2 0.05 1.2" to="0.2 0.05 0" up="0 1 0" fov="30"/>
  <probe name="bulk" of="beam" quantity="kinetic elastic" every="1"/>
</scene>
"""


def pixels_of(png):
    """The pixels of a PNG file with rows of the filter 0."""
    assert png.startswith(b"\x89PNG\r\n\x1a\n")
    at, data, size = 8, b"", None
    while at < len(png):
        length, kind = struct.unpack(">I4s", png[at : at + 8])
        part = png[at + 8 : at + 8 + length]
        assert struct.unpack(">I", png[at + 8 + length : at + 12 + length])[0] == zlib.crc32(kind + part)
        if kind == b"IHDR":
            size = struct.unpack(">II", part[:8])
        data += part if kind == b"IDAT" else b""
        at += 12 + length
    rows = np.frombuffer(zlib.decompress(data), np.uint8).reshape(size[1], 1 + 3 * size[0])
    assert not rows[:, 0].any()
    return rows[:, 1:].reshape(size[1], size[0], 3)


class Pictures(unittest.TestCase):
    def test_show_is_the_picture_of_the_scene(self):
        run = souple.Scene.parse(SCENE).run()
        shown = run.show(width=160, height=90, plain=True)
        pixels = run.world.picture(width=160, height=90, plain=True)
        self.assertEqual((pixels.shape, pixels.dtype), ((90, 160, 3), np.uint8))
        np.testing.assert_array_equal(pixels_of(shown._repr_png_()), pixels)
        np.testing.assert_array_equal(np.asarray(shown), pixels)
        red, green, blue = pixels[45, 80].astype(int)
        self.assertGreater(red, 2 * max(green, blue))  # the look of the scene, in the middle of its camera
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "a.png")
            souple.write_picture(run.world, run, path=path, width=160, height=90, plain=True)
            with open(path, "rb") as file:
                self.assertTrue(file.read().startswith(b"\x89PNG"))
            shown.save(path)
            souple.save_picture(pixels, path, 160, 90)
            with self.assertRaises(souple.BadInput):
                souple.save_picture(pixels, path, 90, 90)

    def test_keywords(self):
        run = souple.Scene.parse(SCENE).run()
        size = {"width": 64, "height": 48, "plain": True}
        plain = run.picture(**size)
        for change in (
            {"azimuth": 60},
            {"at": (1, 1, 1)},
            {"color_by": "displacement"},
            {"opacity": 0.2},
            {"opacity": {"beam": 0}},
            {"clip_normal": (1, 0, 0)},
            {"plain": False},
        ):
            with self.subTest(change):
                self.assertTrue((run.picture(**{**size, **change}) != plain).any())
        np.testing.assert_array_equal(run.picture(opacity={"beam": 0}, **size), run.picture(opacity=0, **size))
        for bad, kind in (
            ({"width": 3}, souple.BadInput),
            ({"azimut": 3}, TypeError),
            ({"color_by": "taste"}, souple.BadInput),
            ({"at": (1, 2)}, ValueError),
            ({"opacity": "x"}, TypeError),
        ):
            with self.subTest(bad), self.assertRaises(kind):
                run.picture(**bad)

    def test_world_without_scene_and_meshes(self):
        world = souple.World()
        world.add_solid(souple.Mesh.box((1, 1, 1), (1, 1, 1)), name="box")
        self.assertTrue(world.show()._repr_png_())
        mesh = souple.Mesh.sphere((1, 1, 1), 2)
        self.assertEqual(mesh.show(width=64, height=48).pixels.shape, (48, 64, 3))
        extent = souple.picture_extent(world)
        self.assertGreaterEqual(extent.high[0], 1)

    def test_sections(self):
        world = souple.World()
        world.add_solid(souple.Mesh.box((1, 1, 1), (2, 2, 2)), name="box")
        section = souple.Section(world, "box")
        section.update()
        cut = section.cut((0.3, 0, 0), (1, 0, 0))
        corners = cut["positions"][cut["faces"]]
        area = np.linalg.norm(np.cross(corners[:, 1] - corners[:, 0], corners[:, 2] - corners[:, 0]), axis=1).sum() / 2
        self.assertAlmostEqual(area, 1, places=12)
        self.assertIsNone(cut["values"])
        section.update("displacement")
        self.assertTrue((section.cut((0.3, 0, 0), (1, 0, 0))["values"] == 0).all())
        with self.assertRaises(souple.Error):
            section.cut((0, 0, 0), (0, 0, 0))


class Page(unittest.TestCase):
    def view(self, source, **options):
        try:
            return source.view(**options)
        except souple.Unavailable as error:
            if "not in this build" in str(error):
                self.skipTest("the command has no server")
            raise

    def test_page_in_a_frame(self):
        run = souple.Scene.parse(SCENE).run()
        run.advance(3)
        page = self.view(run)
        self.assertIn('<iframe src="%s"' % page.url, page._repr_html_())
        with urllib.request.urlopen(page.url, timeout=30) as answer:
            policy = answer.headers["Content-Security-Policy"]
            # the built-in page where none was bundled has no headers
            self.assertTrue(policy is None or "frame-ancestors http://localhost:* http://127.0.0.1:*" in policy)
        with self.assertRaises(urllib.error.HTTPError):
            urllib.request.urlopen(page.url.split("?")[0] + "files/x.log", timeout=30)
        page.close()
        page.close()
        self.assertTrue(page.closed)
        self.assertIn("closed", page._repr_html_())
        with self.assertRaises(OSError):
            urllib.request.urlopen(page.url, timeout=5)

    def test_page_ends_with_its_object(self):
        with self.view(souple.Scene.parse(SCENE)) as page:
            process = page._process
            self.assertIsNone(process.poll())
        self.assertIsNotNone(process.poll())
        process = self.view(souple.Scene.parse(SCENE).run().world)._process
        gc.collect()
        self.assertIsNotNone(process.wait(30))

    def test_page_ends_with_the_program(self):
        # by its end, or killed
        code = "import os, souple; p = souple.Scene.parse(%r).view(); print(p._process.pid, flush=True); %s"
        for end in ("0", "os.kill(os.getpid(), 9)"):
            told = subprocess.run([sys.executable, "-c", code % (SCENE, end)], capture_output=True, text=True)
            if "not in this build" in told.stderr:
                self.skipTest("the command has no server")
            until = time.monotonic() + 30
            while os.path.exists("/proc/%d" % int(told.stdout)) and time.monotonic() < until:
                time.sleep(0.05)
            self.assertFalse(os.path.exists("/proc/%d" % int(told.stdout)), end)

    def test_errors(self):
        with self.assertRaisesRegex(souple.BadInput, "scene"):
            souple.World().view()
        run = souple.Scene.parse(SCENE).run()
        before = os.environ.get("SOUPLE_COMMAND")
        try:
            os.environ["SOUPLE_COMMAND"] = "/nowhere/souple"
            with self.assertRaisesRegex(souple.Unavailable, "/nowhere/souple"):
                run.view()
            os.environ["SOUPLE_COMMAND"] = "/bin/false"
            with self.assertRaisesRegex(souple.Unavailable, "did not start"):
                run.view()
        finally:
            del os.environ["SOUPLE_COMMAND"]
            if before:
                os.environ["SOUPLE_COMMAND"] = before


class Plots(unittest.TestCase):
    def test_svg_and_png(self):
        drawn = souple.plot({"tip": ([0, 1, 2], [3, 4, 3.5])}, title="a <b>", x_label="time [s]")
        self.assertIn("a &lt;b&gt;", drawn._repr_svg_())
        with tempfile.TemporaryDirectory() as folder:
            for name, head in (("a.svg", b"<svg"), ("a.png", b"\x89PNG")):
                path = os.path.join(folder, name)
                drawn.write(path)
                with open(path, "rb") as file:
                    self.assertTrue(file.read().startswith(head))
            with self.assertRaisesRegex(souple.BadInput, "svg or .png"):
                drawn.write(os.path.join(folder, "a.pdf"))
        bars = souple.panel({"one": [1, 2]}, kind="bars", labels=["a", "b"])
        self.assertIn("<svg", souple.plot([bars, souple.panel({"tip": ([0, 1], [1, 2])})]).svg)
        for bad in ({"kind": "cake"}, {"labels": ["a"], "kind": "bars"}, {"colour": 1}):
            with self.subTest(bad), self.assertRaises((ValueError, TypeError)):
                souple.plot({"a": [1, 2]} if bad.get("kind") == "bars" else {"a": ([1], [2])}, **bad).svg

    def test_matplotlib(self):
        import matplotlib

        matplotlib.use("Agg")
        probe = souple.run(SCENE, steps=5)["bulk"]
        axes = probe.plot("kinetic")
        self.assertEqual([line.get_label() for line in axes.get_lines()], ["bulk.kinetic [J]"])
        np.testing.assert_array_equal(axes.get_lines()[0].get_ydata(), probe["kinetic"])
        self.assertEqual(len(probe.plot(axes=axes).get_lines()), 3)


HIDE = """
import sys
class Hide:
    def find_spec(self, name, path=None, target=None):
        if name.split('.')[0] == %r:
            raise ImportError(name + ' is hidden')
sys.meta_path.insert(0, Hide())
import souple
"""


class Without(unittest.TestCase):
    def run_without(self, package, code):
        told = subprocess.run([sys.executable, "-c", HIDE % package + code], capture_output=True, text=True)
        self.assertEqual(told.returncode, 0, told.stderr)
        return told.stdout

    def test_numpy(self):
        told = self.run_without(
            "numpy",
            "r = souple.run(%r, steps=3)\n"
            "p = r['bulk']\n"
            "print(type(p.times).__name__, len(p.times), p.times.tolist())\n"
            "q = r.run.show(width=32, height=24)\n"
            "print(len(q._repr_png_()) > 50, q)\n"
            "s = souple.sweep(%r, {'beam.young': [1e4]}, steps=1)\n"
            "print(p.values.shape, p.copy().times[3], s[0]['bulk'].values.shape)\n" % (SCENE, SCENE),
        )
        self.assertIn("Array 4 [0.0, 0.01, 0.02, 0.03]", told)
        self.assertIn("True <souple.Picture, 32 x 24>", told)
        self.assertIn("(4, 2) 0.03 (2, 2)", told)

    def test_matplotlib(self):
        told = self.run_without(
            "matplotlib", "try:\n    souple.run(%r, steps=1)['bulk'].plot()\nexcept ImportError as e:\n    print(e)\n" % SCENE
        )
        self.assertIn("python3-matplotlib", told)
        self.assertIn("souple[plots]", told)


class Documentation(unittest.TestCase):
    def test_the_code_of_the_page_runs(self):
        with open(os.path.join(ROOT, "docs/python.md"), encoding="utf-8") as file:
            blocks = [part.split("```")[0] for part in file.read().split("```python\n")[1:]]
        self.assertGreater(len(blocks), 4)
        names = {}
        for block in blocks:
            exec(compile(block, "docs/python.md", "exec"), names)  # the page is ours


if __name__ == "__main__":
    unittest.main()
