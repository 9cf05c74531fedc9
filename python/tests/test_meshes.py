"""Meshes and surfaces: generators, selections with predicates, refinement, filling, examination, repair."""
import math
import pickle
import unittest

import souple


class Meshes(unittest.TestCase):
    def test_generators_have_their_volumes(self):
        # polyhedra inside of curved shapes: at least 90 % of the volume with these cells, and never more than it
        for mesh, volume in ((souple.Mesh.box((1, 2, 3), (2, 2, 2), per_cell=1), 6),
                             (souple.Mesh.cylinder(1, 2, (6, 2)), 2 * math.pi), (souple.Mesh.sphere(1, 6), 4 / 3 * math.pi),
                             (souple.Mesh.sphere((1, 2, 3), 6), 8 * math.pi), (souple.Mesh.torus(2, 0.5, (40, 4)), math.pi**2),
                             (souple.Mesh.sheet((1, 2), (3, 3)), 2), (souple.Mesh.disc(1, 12), math.pi)):
            self.assertLessEqual(mesh.volume, volume * (1 + 1e-12))
            self.assertGreater(mesh.volume, 0.9 * volume)
        self.assertIn("liver", souple.list_organs())
        self.assertGreater(souple.Mesh.organ("lens", 0.01, 500).element_count, 300)

    def test_elements_of_several_types(self):
        mesh = souple.Mesh.box((1, 1, 1), (2, 1, 1), per_cell=1)
        self.assertEqual(mesh.element_types, ["hex8", "hex8"])
        self.assertEqual(mesh.elements.shape, (2, 8))
        self.assertEqual(mesh.cells.shape, (12, 4))
        self.assertEqual([int(e) for e in mesh.cell_elements], [0] * 6 + [1] * 6)
        fine = souple.Mesh.box((1, 1, 1), (1, 1, 1)).order2()
        self.assertEqual([(word, nodes.shape) for word, nodes in fine.blocks], [("tet10", (6, 10))])
        inside, element, natural = mesh.locate((0.75, 0.5, 0.5))
        self.assertEqual((element, [float(x) for x in natural]), (1, [0.5, 0.5, 0.5]))
        self.assertGreater(inside, 0)
        self.assertAlmostEqual(sum(mesh.element_integrals(0)), 0.5)
        self.assertEqual(souple.element_info("tet10")["nodes"], 10)

    def test_selections(self):
        mesh = souple.Mesh.box((1, 1, 1), (4, 4, 4))
        by_box = mesh.select(box=(0, 0, 0, 0, 1, 1))
        by_function = mesh.select(where=lambda x: x[0] == 0)
        self.assertEqual([int(n) for n in by_box], [int(n) for n in by_function])
        self.assertEqual(len(by_box), 25)
        self.assertEqual(len(mesh.select(near=(0.3, 0.3, 0.3))), 1)
        self.assertEqual(len(mesh.select(box=(0, 0, 0, 0, 1, 1), invert=True)), 100)
        faces = mesh.select("faces", plane=((1, 0, 0), (1, 0, 0)), within=1e-9)
        self.assertEqual(len(faces), 32)
        self.assertEqual(len(mesh.select("elements", sphere=(0.5, 0.5, 0.5, 9))), mesh.element_count)

    def test_an_exception_of_a_predicate_is_raised(self):
        mesh = souple.Mesh.box((1, 1, 1), (2, 2, 2))
        with self.assertRaises(ZeroDivisionError):
            mesh.select(where=lambda x: 1 / 0)
        with self.assertRaises(ZeroDivisionError):
            souple.Mesh.fill(lambda x: 1 / 0, (-1, -1, -1), (1, 1, 1), size=0.5)
        with self.assertRaises(TypeError):
            mesh.select(where=3)
        with self.assertRaises(souple.BadInput) as caught:
            mesh.select("edges")
        self.assertIn("nodes, elements, faces", str(caught.exception))

    def test_refinement(self):
        mesh = souple.Mesh.box((1, 1, 1), (1, 1, 1))
        self.assertEqual(mesh.refined(2).element_count, 64 * mesh.element_count)
        corner = mesh.refined(where=lambda x: x[0] > 0.6, times=3)
        self.assertLess(mesh.element_count, corner.element_count)
        self.assertAlmostEqual(corner.volume, 1, places=12)
        curved = souple.Mesh.sphere(1, 2).order2(lambda a, b, x: [c / math.dist(x, (0, 0, 0)) for c in x])
        radii = [math.dist(curved.positions[n], (0, 0, 0)) for n in curved.select(on_surface=True)]
        self.assertAlmostEqual(min(radii), 1, places=12)
        moved = mesh.transformed(2, (1, 0, 0))
        self.assertEqual(moved.bounds.tolist(), [[1, 0, 0], [3, 2, 2]])
        turned = mesh.transformed((1, 2, 3), {"quat": (1, 0, 0, 1)})
        self.assertAlmostEqual(turned.bounds.tolist()[0][0], -2)

    def test_filling(self):
        ball = lambda x: math.dist(x, (0, 0, 0)) - 1  # noqa: E731
        mesh, info = souple.Mesh.fill(ball, (-1.1,) * 3, (1.1,) * 3, slope=1, size=0.3, info=True)
        self.assertAlmostEqual(mesh.volume, 4 / 3 * math.pi, delta=0.3)
        self.assertGreater(info.dihedral[0], 5)
        parts = souple.Mesh.fill(ball, (-1.1,) * 3, (1.1,) * 3, slope=1, size=0.3, regions={"right": lambda x: -x[0]})
        self.assertEqual(set(parts.groups), {"body", "right"})
        inside = souple.Mesh.fill(mesh.boundary(), size=0.4)
        self.assertAlmostEqual(inside.volume, mesh.volume, delta=0.2)

    def test_labels(self):
        try:
            import numpy
        except ImportError:
            self.skipTest("NumPy is not installed")
        labels = numpy.zeros((12, 12, 12), dtype=int)
        labels[2:10, 2:10, 2:6], labels[2:10, 2:10, 6:10] = 1, 2
        mesh = souple.Mesh.fill_labels(labels, names={1: "left", 2: "right"}, size=2)
        self.assertEqual(set(mesh.groups), {"left", "right"})
        # the last index runs along x
        self.assertLess(mesh.positions[mesh.groups["left"]["nodes"]][:, 0].mean(),
                        mesh.positions[mesh.groups["right"]["nodes"]][:, 0].mean())

    def test_examination_and_repair(self):
        mesh = souple.Mesh.box((1, 1, 1), (2, 2, 2))
        report = mesh.examine()
        self.assertEqual((report.counts, report.defects, report.whole), ({}, [], True))
        self.assertAlmostEqual(report.stats.volume, 1)
        x, e = mesh.positions.tolist(), mesh.elements.tolist()
        e[3] = [e[3][1], e[3][0]] + e[3][2:]
        report = souple.Mesh.examine_arrays(x + [[9, 9, 9]], e + [e[0]])
        self.assertEqual({k: report.counts[k] for k in ("inverted", "duplicate", "unreferenced")},
                         {"inverted": 1, "duplicate": 1, "unreferenced": 1})
        self.assertEqual([list(d["elements"])[:1] for d in report.defects if d["kind"] == "inverted"], [[3]])
        sound, repairs = souple.Mesh.repair(x + [[9, 9, 9]], e + [e[0]])
        self.assertEqual((repairs.turned, repairs.dropped_duplicates, repairs.dropped_nodes), (1, 1, 1))
        self.assertEqual(sound.element_count, mesh.element_count)


class Pickles(unittest.TestCase):
    def test_meshes_and_surfaces_pickle(self):
        box = souple.Mesh.box((1, 1, 1), (2, 2, 2))
        mesh = souple.Mesh(box.positions, box.elements, groups={"a": [1, 2], "b": {"nodes": [5]}}, node_ids=range(10, 37),
                           arrays={"heat": list(range(27)), "young": ("elements", [1.5] * 48)})
        again = pickle.loads(pickle.dumps(mesh))
        self.assertEqual(again.positions.tolist(), mesh.positions.tolist())
        self.assertEqual(again.elements.tolist(), mesh.elements.tolist())
        self.assertEqual([int(n) for n in again.groups["a"]["elements"]], [1, 2])
        self.assertEqual([int(n) for n in again.groups["b"]["nodes"]], [5])
        self.assertEqual(again.node_ids[0], 10)
        self.assertEqual({name: len(values) for name, values in again.arrays.items()}, {"heat": 27, "young": 48})
        surface = souple.Surface([[0, 0, 0], [1, 0, 0], [0, 1, 0]], [[0, 1, 2]], colors=[[1, 0, 0, 1]] * 3, groups={"f": [0]})
        twin = pickle.loads(pickle.dumps(surface))
        self.assertEqual(twin.faces.tolist(), [[0, 1, 2]])
        self.assertEqual(twin.colors.tolist(), surface.colors.tolist())
        self.assertEqual(list(twin.groups), ["f"])
        self.assertIsNone(twin.texcoords)


class Surfaces(unittest.TestCase):
    def test_a_boundary_is_closed(self):
        surface = souple.Mesh.box((1, 1, 1), (2, 2, 2)).boundary()
        self.assertEqual(surface.faces.shape, (48, 3))
        self.assertEqual(surface.examine().counts, {})
        self.assertEqual(surface.subdivided(2).faces.shape, (48 * 16, 3))
        self.assertAlmostEqual(surface.transformed(2).examine().stats.volume, 8)
        self.assertIn("node", surface.arrays)

    def test_from_arrays_and_repaired(self):
        x = [[0, 0, 0], [1, 0, 0], [0, 1, 0], [0, 0, 1], [0, 0, 0]]
        faces = [[0, 2, 1], [0, 1, 3], [0, 3, 2], [1, 2, 3], [4, 1, 2]]
        surface = souple.Surface(x, faces, colors=[[1, 0, 0, 1]] * 5, groups={"base": [0]})
        self.assertIsNone(surface.normals)
        self.assertEqual(surface.colors.shape, (5, 4))
        self.assertIn("coincident", surface.examine().counts)
        sound, repairs = surface.repaired()
        self.assertEqual(repairs.welded, 1)
        self.assertEqual(sound.positions.shape, (4, 3))
        with self.assertRaises(souple.BadInput):
            souple.Surface(x, faces, colors=[[1, 0, 0, 1]])
        sheet = souple.Mesh.of_surface(souple.Surface(x[:4], faces[:4]))
        self.assertEqual(sheet.element_types[0], "tri3")


if __name__ == "__main__":
    unittest.main()
