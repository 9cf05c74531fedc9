"""Mesh files, volumes, recordings, glTF, contact problems, edit logs, scenes of SOFA."""
import gc
import json
import os
import struct
import tempfile
import unittest

import numpy as np

import souple

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
DATA = os.path.join(ROOT, "tests", "data")
SCENE = """<scene version="1" name="drop" dt="0.01">
  <solid name="ball" young="2e4" translate="0 0.05 0"><sphere radius="0.1" cells="3"/></solid>
  <rigid name="floor"><plane point="0 -0.06 0"/></rigid>
  <contact formulation="proximity" friction="0.4"/>
  <record file="drop.xdmf" every="1" quantity="position velocity von-mises"/>
  <stop time="0.2"/>
</scene>
"""


class Folder(unittest.TestCase):
    def setUp(self):
        self.temporary = tempfile.TemporaryDirectory()
        self.addCleanup(self.temporary.cleanup)

    def path(self, name):
        return os.path.join(self.temporary.name, name)


class Meshes(Folder):
    def test_round_trip_in_every_format_of_tetrahedra(self):
        mesh = souple.Mesh.box((1, 2, 3), (1, 2, 2))
        for name in ("a.msh", "a.vtk", "a.vtu"):
            mesh.write(self.path(name))
            again = souple.Mesh.read(self.path(name))
            np.testing.assert_allclose(again.positions, mesh.positions, atol=1e-15)
            np.testing.assert_array_equal(again.elements, mesh.elements)
        mesh.write(self.path("text"), format="vtk", encoding="ascii")
        self.assertEqual(souple.Mesh.read(self.path("text")).volume, mesh.volume)

    def test_surface(self):
        surface = souple.Mesh.sphere((1, 1, 1), 3).boundary()
        for name in ("a.obj", "a.stl", "a.ply"):
            surface.write(self.path(name))
            self.assertEqual(len(souple.Surface.read(self.path(name)).faces), len(surface.faces))

    def test_errors(self):
        mesh = souple.Mesh.box((1, 1, 1), (1, 1, 1))
        with self.assertRaises(souple.Error):
            souple.Mesh.read(self.path("missing.msh"))
        with self.assertRaises(souple.BadInput):
            mesh.write(self.path("a.doc"))
        with self.assertRaisesRegex((TypeError, souple.BadInput), "ascii"):
            mesh.write(self.path("a.vtk"), encoding="asci")
        with self.assertRaises(souple.FileError):
            mesh.write("/nowhere/at-all.vtk")
        with self.assertRaises(TypeError):
            mesh.write(3)

    def test_a_file_with_defects(self):
        with open(self.path("a.obj"), "w", encoding="ascii") as file:
            file.write("v 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 1\nv 0 0 0\nf 1 3 2\nf 1 2 4\nf 5 4 3\nf 2 3 4\n")
        file = souple.MeshFile(self.path("a.obj"))
        self.assertEqual((file.format, file.tetrahedra, file.element_count), ("Wavefront OBJ", False, 4))
        report = file.examine()
        self.assertEqual(report.counts["coincident"], 1)
        self.assertGreater(report.counts["open-edge"], 0)
        self.assertEqual(report.stats.node_count, 5)
        repaired, done = file.repaired()
        self.assertEqual((done.welded, len(repaired.positions)), (1, 4))
        positions = file.positions
        del file
        gc.collect()
        self.assertEqual(positions[1, 0], 1)

    def test_volume_of_labels(self):
        labels = np.zeros((8, 7, 6), np.uint8)
        labels[2:6, 2:5, 2:4] = 1
        labels[4:6, 2:5, 2:4] = 2
        head = "NRRD0004\ntype: uint8\ndimension: 3\nsizes: 6 7 8\nencoding: raw\nspacings: 1 1 1\n\n"
        volume = souple.Volume("labels.nrrd", head.encode() + labels.tobytes())
        np.testing.assert_array_equal(volume.labels, labels)
        self.assertFalse(volume.labels.flags.writeable)
        self.assertEqual(volume.affine.shape, (3, 4))
        mesh = volume.fill(size=1e-3)
        self.assertEqual(len(mesh.groups), 2)
        one = volume.fill([2], size=1e-3)
        self.assertLess(one.volume, mesh.volume)
        with self.assertRaises(souple.BadInput):
            volume.fill(size=-1)
        with self.assertRaises(souple.BadInput):
            souple.Volume("labels.nrrd", b"nothing")


class Recordings(Folder):
    def setUp(self):
        super().setUp()
        self.result = souple.run(SCENE, out=self.temporary.name)
        self.file = self.path("drop.xdmf")

    def test_frames_fields_and_cells(self):
        with souple.Recording(self.file) as r:
            self.assertEqual(len(r), 21)
            np.testing.assert_allclose(r.times, np.arange(21) * 0.01, atol=1e-12)
            self.assertEqual(r.frames[-1].hash, self.result.hash)
            self.assertEqual(r.bodies["ball"]["kind"], "solid")
            self.assertEqual(r.scene_text, SCENE)
            self.assertTrue(r.info.complete)
            world = self.result.world
            np.testing.assert_allclose(r.field(-1, "ball"), world["ball"].field("position"), atol=1e-7)
            self.assertEqual(r.field(-1, 0, "von-mises").ndim, 1)
            self.assertEqual(r.topology(0, "ball")["cells"].shape[1], 4)
            self.assertEqual(r.nearest(0.034), 3)
            self.assertTrue(r.has_body(0, "ball"))
            self.assertEqual(r.field_info(0, "ball", "velocity").unit, "m/s")
            force = sum(np.array(c.force) for c in r.contacts(-1))
            self.assertGreater(force[1], 0)
            for bad in (lambda: r.field(99, "ball"), lambda: r.field(-22, "ball")):
                self.assertRaises(IndexError, bad)
            with self.assertRaisesRegex(souple.BadInput, "ball"):
                r.field(0, "bal")
            with self.assertRaises(souple.Error):
                r.field(0, "ball", "colour")
        with self.assertRaisesRegex(souple.Error, "closed"):
            r.times
        with self.assertRaises(souple.Error):
            souple.Recording(self.path("missing.xdmf"))

    def test_a_frame_is_shown_by_a_run(self):
        r = souple.Recording(self.file)
        run = r.run()
        r.show(-1, run)
        np.testing.assert_allclose(run.world["ball"].field("position"), self.result.world["ball"].field("position"), atol=1e-7)
        self.assertEqual(run.picture(width=64, height=48).shape, (48, 64, 3))

    def test_recorder(self):
        run = souple.Scene.parse(SCENE).run()
        with run.recorder(self.path("own.xdmf"), quantities=["von-mises"], in_double=True, wait=True) as recorder:
            for _ in range(3):
                run.step()
                recorder.step()
            self.assertEqual(recorder.record.kind, "xdmf")
        recorder.stop()
        with souple.Recording(self.path("own.xdmf")) as r:
            self.assertEqual(len(r), 4)
            np.testing.assert_array_equal(r.field(-1, "ball"), run.world["ball"].field("position"))
        with self.assertRaises(souple.Error):
            run.recorder(self.path("bad.xdmf"), quantities=["colour"])
        with self.assertRaises(TypeError):
            run.recorder(self.path("bad.xdmf"), quantities="von-mises")

    def test_gltf(self):
        run = souple.Scene.parse(SCENE).run()
        self.assertEqual(souple.export_gltf(run, self.path("run.glb"), steps=6, every=2), 4)
        self.assertEqual(souple.export_gltf(souple.Recording(self.file), self.path("frames.glb"), frames=[0, 5, 10]), 3)
        for name, frames in (("run.glb", 4), ("frames.glb", 3)):
            with open(self.path(name), "rb") as file:
                magic, version, _, size, kind = struct.unpack("<IIIII", file.read(20))
                self.assertEqual((magic, version, kind), (0x46546C67, 2, 0x4E4F534A))
                content = json.loads(file.read(size))
            inputs = {s["input"] for a in content["animations"] for s in a["samplers"]}
            self.assertEqual({content["accessors"][i]["count"] for i in inputs}, {frames})


class Others(Folder):
    def problem(self):
        return {
            "dimension": 3,
            "mu": np.array([0.5]),
            "W": {"shape": (3, 3), "start": [0, 1, 2, 3], "column": [0, 1, 2], "value": [2.0, 3.0, 4.0]},
            "q": np.array([-1.0, 0.1, 0.0]),
        }

    def test_contact_problems(self):
        from scipy import sparse

        problem = self.problem()
        souple.fclib.write(self.path("a.hdf5"), problem, {"r": [0.5, 0, 0], "u": [0, 0.1, 0]})
        problem["W"] = sparse.csr_matrix(np.diag([2.0, 3.0, 4.0]))
        souple.fclib.write(self.path("b.hdf5"), problem)
        for name in "ab":
            again = souple.fclib.read(self.path(name + ".hdf5"))
            self.assertEqual((again["dimension"], again["contacts"], again["global"]), (3, 1, False))
            w = again["W"]
            dense = sparse.csr_matrix((w["value"], w["column"], w["start"]), w["shape"]).toarray()
            np.testing.assert_array_equal(dense, np.diag([2.0, 3.0, 4.0]))
            np.testing.assert_array_equal(again["q"], problem["q"])
            self.assertFalse(w["value"].flags.writeable)

    def test_wrong_contact_problems(self):
        for change, told in (
            ({"q": [1.0]}, "q has 1"),
            ({"W": {"shape": (3, 3), "start": [0, 1, 2], "column": [0, 1], "value": [1.0, 1.0]}}, "start has 3"),
            ({"W": {"shape": (3, 3), "start": [0, 1, 2, 3], "column": [0, 1, 7], "value": [1.0, 1.0, 1.0]}}, "column.2. = 7"),
            ({"W": 3}, "must be a dict"),
            ({"w0": 3}, "unknown key 'w0'.*mu"),
            ({"contacts": -1}, "contacts = -1"),
        ):
            with self.assertRaisesRegex(souple.BadInput, told):
                souple.fclib.write(self.path("c.hdf5"), {**self.problem(), **change})
        with self.assertRaises(souple.Error):
            souple.fclib.read(self.path("missing.hdf5"))

    def test_edit_log_replays_a_run(self):
        scene = souple.Scene.parse(SCENE)
        one, two = scene.run(), scene.run()
        with souple.EditLog(self.path("edits.log"), "w") as log:
            for step in range(4):
                if step == 2:
                    one.world.params["ball.young"] = 4e4
                one.step()
                log.append(one.world)
        with souple.EditLog(self.path("edits.log")) as log:
            for _ in range(4):
                log.queue(two.world)
                two.step()
        self.assertEqual(one.world.hash, two.world.hash)
        with open(self.path("edits.log"), encoding="utf-8") as file:
            self.assertIn("ball.young", file.read())
        with self.assertRaises(souple.BadInput):
            souple.EditLog(self.path("edits.log"), "a")
        with self.assertRaisesRegex(souple.Error, "closed"):
            log.queue(two.world)

    def test_sofa(self):
        text = """<Node name="root" gravity="0 -9.81 0" dt="0.02">
  <Node name="beam">
    <EulerImplicitSolver/><CGLinearSolver iterations="25" tolerance="1e-9" threshold="1e-9"/>
    <RegularGridTopology n="2 2 5" min="0 0 0" max="1 1 4"/>
    <MechanicalObject/><UniformMass totalMass="1"/>
    <HexahedronFEMForceField youngModulus="4000" poissonRatio="0.3"/>
    <BoxROI name="box" box="-1 -1 -0.1 2 2 0.1"/><FixedProjectiveConstraint indices="@box.indices"/>
    <Monitor/>
  </Node>
</Node>"""
        new = souple.import_sofa(text=text, out=self.path("beam.xml"), time=0.1)
        self.assertTrue({"became", "left-out"} <= {note.fate for note in new.notes} | {"left-out"})
        self.assertTrue(all(note.line > 0 for note in new.notes))
        new.write()
        self.assertEqual(souple.run(self.path("beam.xml")).steps, 5)
        with self.assertRaises(souple.BadInput):
            souple.import_sofa(text="<html/>")
        with self.assertRaises(TypeError):
            souple.import_sofa()


if __name__ == "__main__":
    unittest.main()
