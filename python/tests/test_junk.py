"""Wrong values in every keyword and argument: an exception of the documented kinds, no crash, and the world goes on."""
import math
import os
import pathlib
import sys
import unittest

import souple

SOURCE = pathlib.Path(os.environ.get("SP_SOURCE_DIR", pathlib.Path(__file__).parents[2]))
sys.path.insert(0, str(SOURCE / "tools"))
sys.dont_write_bytecode = True
import python_api  # noqa: E402


class Odd:
    """Objects that lie about what they are."""
    __array_interface__ = {"shape": (3,), "typestr": "<f8", "data": "here", "version": 3}


class Broken:
    @property
    def __array_interface__(self):
        raise RuntimeError("broken")


class Empty:
    __array_interface__ = {}


class Strided:
    __array_interface__ = {"shape": (3,), "typestr": "<f8", "data": (8, False), "strides": (8, 8), "version": 3}


class Growing:
    """Says a larger length each time."""
    length = 0

    def __len__(self):
        self.length += 100
        return self.length

    def __getitem__(self, i):
        if i >= 10000:
            raise IndexError
        return 1


class Endless:
    def __len__(self):
        return 3

    def __getitem__(self, i):
        if i >= 3:
            raise IndexError
        return self


JUNK = [None, True, -1, 0, 1, 2**31, 2**70, -2**63, 0.5, math.nan, math.inf, -1e300, "", "x", "auto", "é" * 300,
        b"bytes", (), [], [[]], [1], [1, 2, 3], [1, [2]], [[1, 2, 3]], ["a"], [None], {}, {"type": "x"}, {"type": 3},
        {1: 2}, {"nodes": [10**9]}, {"nodes": "abc"}, lambda t: None, lambda t: (1, 2), lambda: 0, object, object(),
        Odd(), Broken(), Endless(),
        Empty(), Strided(), Growing(), range(3), {"elem": 2**40}, {"elem": 10**6, "at": (9, 9, 9)}, {"young": "x"}, [{}],
        [{"value": lambda t: 1 / 0}], memoryview(b"\1\2\3"), complex(1, 2), 10**400]
EXPECTED = (souple.Error, TypeError, ValueError, KeyError, IndexError, OverflowError, ZeroDivisionError, AttributeError,
            RuntimeError)


class Junk(unittest.TestCase):
    def setUp(self):
        self.mesh = souple.Mesh.box((1, 0.2, 0.2), (2, 1, 1))
        self.world = souple.World()
        self.body = self.world.add_solid(self.mesh, "beam", fix=[0, 1, 2, 3])
        self.rod = self.world.add_rod({"length": 1, "elements": 3}, {"axes": 0.01}, "rod")

    def attempt(self, call, /, *args, **keywords):
        try:
            call(*args, **keywords)
        except EXPECTED:
            pass

    def keywords(self, struct):
        api = python_api.Api()
        tables = python_api.struct_order(api)
        return [row["name"] for row in (python_api.field_row(api, struct, f, tables) for f in api.structs[struct]) if row]

    def test_keywords(self):
        mesh, world, body = self.mesh, self.world, self.body
        ball = {"type": "sphere", "size": 0.1}
        strand, section = {"length": 1, "elements": 2}, {"axes": 0.01}
        calls = [("sp_solid_def", lambda **k: world.add_solid(**dict({"mesh": mesh}, **k))),
                 ("sp_material", lambda **k: world.add_solid(mesh, **k)),
                 ("sp_rigid_def", lambda **k: world.add_rigid(**dict({"shapes": ball}, **k))),
                 ("sp_rigid_shape", lambda **k: world.add_rigid(dict(ball, **k), free=True)),
                 ("sp_rod_def", lambda **k: world.add_rod(**dict({"strands": strand, "sections": section}, **k))),
                 ("sp_rod_strand", lambda **k: world.add_rod(dict(strand, **k), section)),
                 ("sp_link_def", lambda **k: world.add_link(**dict({"a": body, "b": self.rod, "within": 1}, **k))),
                 ("sp_contact_def", lambda **k: world.set_contact(**k)),
                 ("sp_contact_pair_def", lambda **k: world.add_contact_pair(**dict({"a": body, "b": self.rod}, **k))),
                 ("sp_surface_def", lambda **k: body.add_surface(**k)),
                 ("sp_surface_contact_def", lambda **k: body.set_surface_contact(**k)),
                 ("sp_addition", lambda **k: body.append(**k)),
                 ("sp_world_def", lambda **k: souple.World(**k).close()),
                 ("sp_selection", lambda **k: mesh.select(**k)), ("sp_examine_options", lambda **k: mesh.examine(**k)),
                 ("sp_fix", lambda **k: world.add_solid(mesh, fix=dict({"nodes": [1]}, **k))),
                 ("sp_move", lambda **k: world.add_solid(mesh, move=dict({"nodes": [1]}, **k))),
                 ("sp_load", lambda **k: world.add_solid(mesh, load=dict({"items": [1], "value": (1, 1, 1)}, **k))),
                 ("sp_solver_def", lambda **k: world.add_solid(mesh, solver=k)),
                 ("sp_integrator_def", lambda **k: world.add_solid(mesh, integrator=k)),
                 ("sp_eigenstrains", lambda **k: world.add_solid(mesh, eigenstrains=k))]
        for struct, call in calls:
            names = self.keywords(struct)
            self.assertTrue(names)
            for name in names:
                # a number of threads or of subdivisions is not wrong because it is large: such values would only take long
                values = [v for v in JUNK if not (name in ("elements", "limit", "subdivide", "reserve", "layers") and v == 2**31)]
                for value in values:
                    self.attempt(call, **{name: value})
            if len(world.bodies) > 60:
                for extra in world.bodies[2:]:
                    extra.remove()
            world.set_contact(None)
        for extra in world.bodies[2:]:
            extra.remove()
        self.assertEqual([b.name for b in world.bodies], ["beam", "rod"])
        world.drop_edits()
        self.assertGreaterEqual(world.step(0.01), 0)

    def test_edits(self):
        for name in self.keywords("sp_edit"):
            for value in JUNK:
                for type_ in ("pin", "drag", "param", "add", "link", "pose", "remove-element"):
                    self.attempt(self.world.queue, type_, **{name: value})
            self.attempt(self.world.step, 0.01)
        for value in JUNK:
            self.attempt(self.world.queue, value)
        self.world.drop_edits()
        self.assertGreaterEqual(self.world.step(0.01), 0)

    def test_arguments(self):
        world, body, mesh = self.world, self.body, self.mesh
        calls = [world.step, world.restore, world.parameter, world.set_contacts, world.snapshot, world.__getitem__,
                 body.field, body.surface, body.surface_info, body.surface_field, body.set_state, body.set_removed, body.anchor,
                 body.distance_field, mesh.refined, mesh.order2, mesh.transformed, mesh.locate, mesh.element_point,
                 mesh.element_integrals, souple.Mesh.of_surface, souple.list_parameters, souple.element_info, souple.moduli,
                 souple.World, lambda v: souple.Mesh(v, mesh.elements), lambda v: souple.Mesh(mesh.positions, v),
                 lambda v: souple.Mesh(mesh.positions, mesh.elements, v), lambda v: souple.Surface(v, [[0, 1, 2]]),
                 lambda v: souple.Surface(mesh.positions, v), lambda v: souple.Surface(mesh.positions, mesh.faces, colors=v),
                 lambda v: souple.Mesh(mesh.positions, mesh.elements, groups=v),
                 lambda v: souple.Mesh(mesh.positions, mesh.elements, groups={"a": v}),
                 lambda v: souple.Mesh(mesh.positions, mesh.elements, arrays={"a": v}),
                 lambda v: souple.Mesh(mesh.positions, mesh.elements, node_ids=v),
                 lambda v: souple.Mesh.box(v, (1, 1, 1)), lambda v: souple.Mesh.box((1, 1, 1), v), lambda v: mesh.select(v),
                 lambda v: souple.Mesh.fill_labels(v), lambda v: souple.fit_rod(v, 2), lambda v: body.field("position", out=v),
                 lambda v: world.sweep(v, (1, 1, 1), 0.1), lambda v: world.set_param("beam.young", v),
                 lambda v: body.drag(v, (0, 0, 0), 1), lambda v: body.surface_forces(0, v),
                 lambda v: world.publish_fields(v, "x"),
                 lambda v: world.add_friction(v, 0.1), lambda v: souple.Batch(2, v), lambda v: souple.Batch(1, lambda i, w: v)]
        for call in calls:
            for value in JUNK:
                if value == 2**31 and call is mesh.refined:
                    continue
                self.attempt(call, value)
        self.assertGreaterEqual(world.step(0.01), 0)


if __name__ == "__main__":
    unittest.main()
