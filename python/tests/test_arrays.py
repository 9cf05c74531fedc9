"""Arrays: views that keep their owner, what is accepted, life without NumPy."""
import array
import gc
import os
import subprocess
import sys
import unittest

import souple

try:
    import numpy
except ImportError:
    numpy = None

SIZE, CELLS = (1, 0.2, 0.2), (5, 1, 1)


@unittest.skipIf(numpy is None, "NumPy is not installed")
class Views(unittest.TestCase):
    def test_views_are_read_only_and_not_copies(self):
        mesh = souple.Mesh.box(SIZE, CELLS)
        x = mesh.positions
        self.assertEqual(x.__array_interface__["data"][0], mesh.positions.__array_interface__["data"][0])
        for a in (x, mesh.elements, mesh.faces, mesh.node_ids, mesh.cells):
            self.assertFalse(a.flags.writeable)
            with self.assertRaises(ValueError):
                a[0] = 0
            with self.assertRaises(ValueError):
                a.flags.writeable = True

    def test_a_view_keeps_a_closed_mesh(self):
        context = souple.Context(threads=1)
        mesh = souple.Mesh.box(SIZE, (40, 20, 20), context=context)
        bytes_of_mesh = context.memory[0]
        x = mesh.positions
        expected = x.copy()
        mesh.close()
        del mesh
        gc.collect()
        self.assertEqual(context.memory[0], bytes_of_mesh)
        self.assertTrue(numpy.array_equal(x, expected))
        last = x[-1:]
        del x
        gc.collect()
        self.assertEqual(context.memory[0], bytes_of_mesh)
        self.assertTrue(numpy.array_equal(last[0], expected[-1]))
        del last
        gc.collect()
        self.assertEqual(context.memory[0], 0)

    def test_a_view_keeps_the_context(self):
        context = souple.Context(threads=1)
        x = souple.Mesh.box(SIZE, CELLS, context=context).positions
        context.close()
        del context
        gc.collect()
        self.assertEqual(list(x[0]), [0, 0, 0])

    def test_groups_and_arrays(self):
        points = souple.Mesh.box(SIZE, CELLS)
        mesh = souple.Mesh(points.positions, points.elements, groups={"left": [0, 1], "ends": {"nodes": [0, 23]}},
                           arrays={"heat": numpy.arange(24), "young": ("elements", numpy.ones(30))})
        self.assertEqual(list(mesh.groups["left"]["elements"]), [0, 1])
        self.assertEqual(list(mesh.groups["ends"]["nodes"]), [0, 23])
        self.assertEqual(mesh.arrays["heat"][5], 5)
        self.assertEqual(mesh.arrays["young"].shape, (30,))
        self.assertFalse(mesh.arrays["heat"].flags.writeable)
        again = souple.Mesh.from_dict(mesh.to_dict())
        self.assertTrue(numpy.array_equal(again.elements, mesh.elements))
        self.assertEqual(list(again.arrays["young"]), list(mesh.arrays["young"]))


class Inputs(unittest.TestCase):
    """The same mesh from everything that holds numbers."""

    def setUp(self):
        mesh = souple.Mesh.box(SIZE, CELLS)
        self.x, self.e = mesh.positions.tolist(), mesh.elements.tolist()

    def check(self, positions, elements):
        mesh = souple.Mesh(positions, elements)
        self.assertEqual(mesh.positions.tolist(), self.x)
        self.assertEqual(mesh.elements.tolist(), self.e)

    def test_lists_and_tuples(self):
        self.check(self.x, self.e)
        self.check(tuple(map(tuple, self.x)), tuple(map(tuple, self.e)))

    def test_buffers(self):
        flat = array.array("d", [c for p in self.x for c in p])
        nodes = array.array("q", [n for e in self.e for n in e])
        self.check(flat, nodes)
        self.check(memoryview(flat), memoryview(nodes))

    @unittest.skipIf(numpy is None, "NumPy is not installed")
    def test_numpy_of_any_type_and_order(self):
        x, e = numpy.array(self.x), numpy.array(self.e)
        self.check(x, e)
        self.check(numpy.asfortranarray(x), e.astype("u2"))
        self.check(numpy.repeat(x, 2, axis=0)[::2], e.astype("f8"))
        self.check(numpy.hstack([x, x])[:, 3:], e[::-1][::-1])

    def refused(self, sentence, *args, **keywords):
        with self.assertRaises(souple.BadInput) as caught:
            souple.Mesh(*args, **keywords)
        self.assertIn(sentence, str(caught.exception))
        self.assertEqual(caught.exception.status, souple.Status.BAD_INPUT)

    def test_wrong_input_is_named(self):
        self.refused("positions: rows of 2 numbers, must have 3", [p[:2] for p in self.x], self.e)
        self.refused("positions: 'a' is not a number", [["a", 0, 0]], self.e)
        self.refused("rows of 3 and of 2 numbers", [[0, 0, 0], [1, 1]], self.e)
        self.refused("elements: 0.5, must be an integer", self.x, [[0.5, 1, 2, 3]])
        self.refused("elements: 4e+09, must be an integer of 32 bits", self.x, [[4000000000, 1, 2, 3]])
        self.refused("unknown element_type 'tet5'; did you mean 'tet", self.x, self.e, "tet5")
        self.refused("index 99", self.x, [[99, 1, 2, 3]])
        self.refused("array 'a': 3 values, must be 24 (nodes) or 30 (elements)", self.x, self.e, arrays={"a": [1, 2, 3]})
        self.refused("groups: must be a dict", self.x, self.e, groups=[1])
        with self.assertRaises(TypeError):
            souple.Mesh(self.x, self.e, colour=1)
        if numpy is not None:
            self.refused(">f8", numpy.array(self.x, dtype=">f8"), self.e)
            self.refused("bool", numpy.array(self.x) > 0, self.e)
            self.refused("must have 3", numpy.zeros((4, 4)), self.e)

    @unittest.skipIf(numpy is None, "NumPy is not installed")
    def test_out_writes_into_an_array(self):
        with souple.World() as world:
            body = world.add_solid(souple.Mesh.box(SIZE, CELLS))
            out = numpy.empty((24, 3))
            self.assertIs(body.field("position", out=out), out)
            self.assertEqual(out.tolist(), self.x)
            for wrong in (numpy.empty((23, 3)), numpy.empty((24, 3), dtype="f4"), numpy.empty((24, 6))[:, ::2],
                          souple.Mesh.box(SIZE, CELLS).positions, [0] * 72):
                with self.assertRaises(souple.BadInput):
                    body.field("position", out=wrong)


WITHOUT = """
import sys
sys.modules["numpy"] = None
import souple
mesh = souple.Mesh.box((1, 0.2, 0.2), (5, 1, 1))
x = mesh.positions
assert type(x) is souple.Array and len(x) == 24 and x.shape == (24, 3) and x.dtype == "float64"
assert x[23][0] == 1 and x[-1, 2] == 0.2 and x[1:3] == x.tolist()[1:3] and mesh.elements.dtype == "int32"
mesh.close()
del mesh
assert [list(row) for row in x] == x.tolist()
try:
    x[24]
    raise SystemExit("no IndexError")
except IndexError:
    pass
world = souple.World()
body = world.add_solid(souple.Mesh(x, souple.Mesh.box((1, 0.2, 0.2), (5, 1, 1)).elements), fix=[0, 1, 2, 3])
world.step(0.01)
assert body.field("position")[-1][1] < 0.2
"""


class WithoutNumPy(unittest.TestCase):
    def test_the_package_works_without_numpy(self):
        done = subprocess.run([sys.executable, "-B", "-c", WITHOUT], env=os.environ, capture_output=True, text=True)
        self.assertEqual(done.returncode, 0, done.stderr + done.stdout)


if __name__ == "__main__":
    unittest.main()
