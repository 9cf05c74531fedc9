"""A world from Python: bodies of all kinds, conditions, edits, parameters, contact, links, checkpoints, errors."""
import gc
import math
import unittest

import souple

G = 9.81


def beam_mesh():
    return souple.Mesh.box((1, 0.1, 0.1), (10, 2, 2))


def root(mesh):
    return mesh.select(box=(0, 0, 0, 0, 1, 1))


class Solids(unittest.TestCase):
    def test_a_beam_under_gravity_goes_down_at_its_tip_and_stays_at_its_root(self):
        mesh = beam_mesh()
        with souple.World() as world:
            beam = world.add_solid(mesh, name="beam", young=3e5, fix=root(mesh))
            for _ in range(10):
                self.assertEqual(world.step(0.01), souple.Status.OK)
            moved = beam.field("position")
            self.assertLess(moved[98][1], mesh.positions[98][1] - 0.01)
            for node in root(mesh):
                self.assertEqual(list(moved[node]), list(mesh.positions[node]))

    def test_free_fall(self):
        # symplectic and implicit Euler fall g h^2 n (n + 1) / 2 in n steps; a uniform acceleration does not deform
        h, n = 0.01, 20
        for integrator in ("implicit-euler", "newton", {"type": "explicit", "substeps": 50}):
            with souple.World(gravity=(0, 0, -G)) as world:
                body = world.add_solid(souple.Mesh.box((1, 1, 1), (1, 1, 1)), young=1e4, integrator=integrator)
                for _ in range(n):
                    world.step(h)
                parts = 50 if isinstance(integrator, dict) else 1
                fall = G * (h / parts)**2 * (n * parts) * (n * parts + 1) / 2
                self.assertAlmostEqual(body.field("position")[0][2], -fall, delta=1e-6 * fall)
                self.assertEqual(world.steps, n)
                self.assertAlmostEqual(world.time, n * h, places=14)

    def test_what_is_given_arrives(self):
        mesh = beam_mesh()
        with souple.World() as world:
            beam = world.add_solid(
                mesh, "beam", material="neo-hookean", form="log", young=3e5, poisson=0.4, density=900, rayleigh_mass=0.5,
                solver={"type": "pcg", "tolerance": 1e-9, "pcg": {"preconditioner": "ic", "drop": 1e-2}},
                fixes=[{"nodes": root(mesh), "axes": "xy"}, [98]],
                load=[{"type": "force", "nodes": [97], "value": (0, 1, 0)}, {"type": "pressure", "faces": [0], "value": 5}],
                spring={"at": {"elem": 3, "at": (0.25, 0.25, 0.25)}, "to": (0, 1, 0), "stiffness": 1.5},
                masses=[{"name": "weight", "at": {"elem": 0, "at": (0.1, 0.1, 0.1)}, "value": 2}])
            info = beam.info
            self.assertEqual((info.name, info.kind, info.nodes, info.elements), ("beam", "solid", 99, 240))
            self.assertEqual(info.solver.type, "pcg")
            self.assertEqual((info.solver.tolerance, info.solver.pcg.preconditioner, info.solver.pcg.drop), (1e-9, "ic", 1e-2))
            self.assertEqual(world.params["beam.young"].value, 3e5)
            self.assertEqual(world.params["beam.rayleigh-mass"].value, 0.5)
            self.assertAlmostEqual(beam.measures.mass, 900 * 0.01 + 2, places=12)
            self.assertEqual([(m.name, m.value) for m in beam.masses], [("weight", 2)])
            world.step(0.01)
            x = beam.field("position")
            self.assertEqual(list(x[98]), list(mesh.positions[98]))
            self.assertEqual(x[0][0], mesh.positions[0][0])
            # a record is taken back as a definition
            other = world.add_solid(mesh, "other", solver=info.solver, material={"model": "stvk", "young": 1e5})
            self.assertEqual(repr(other.info.solver), repr(info.solver))

    def test_regions_take_what_they_do_not_say_from_the_body(self):
        mesh = beam_mesh()
        with souple.World() as world:
            body = world.add_solid(mesh, "b", young=2e5, density=700, regions=[{"young": 1e5}, {"density": 1400}],
                                   element_region=[e % 3 for e in range(240)])
            self.assertAlmostEqual(body.measures.mass, 0.01 * (700 + 700 + 1400) / 3, places=12)
            self.assertEqual(world.params["b.region[0].young"].value, 1e5)

    def test_moduli(self):
        m = souple.moduli("neo-hookean", young=3e5, poisson=0.4)
        self.assertAlmostEqual(m.shear, 3e5 / 2.8)
        self.assertAlmostEqual(m.bulk, 3e5 / 0.6)
        with self.assertRaises(souple.BadInput):
            souple.moduli(young=-1)

    def test_an_empty_selection_holds_nothing(self):
        mesh = souple.Mesh.box((1, 1, 1), (2, 2, 2))
        with souple.World() as world:
            nothing = mesh.select(box=(5, 5, 5, 6, 6, 6))
            with self.assertRaisesRegex(souple.BadInput, "fixes: no nodes: an empty selection"):
                world.add_solid(mesh, fix=nothing)
            world.add_solid(mesh, fix=[])  # no conditions

    def test_initial_state_and_set_state(self):
        mesh = beam_mesh()
        with souple.World(gravity=(0, 0, 0)) as world:
            x = [[a + 1, b, c] for a, b, c in mesh.positions.tolist()]
            body = world.add_solid(mesh, initial=x, initial_velocity=[[0, 2, 0]] * 99)
            self.assertEqual(body.field("position").tolist(), x)
            self.assertAlmostEqual(body.measures.momentum[1], 20)
            body.set_state(position=mesh.positions, velocity=[[0, 0, 0]] * 99)
            self.assertEqual(body.field("position").tolist(), mesh.positions.tolist())
            with self.assertRaises(souple.BadInput) as caught:
                body.set_state(velocity=[[0, 0, 0]])
            self.assertIn("3 numbers, must be 297", str(caught.exception))


class OtherBodies(unittest.TestCase):
    def test_a_free_ball_and_a_kinematic_box(self):
        with souple.World() as world:
            ball = world.add_rigid({"type": "sphere", "size": 0.1, "pose": (0, 1, 0)}, "ball", free=True, density=500)
            box = world.add_rigid([{"type": "box", "size": (1, 1, 1)}], "box", kinematic=True, pose=lambda t: (t, 0, 0))
            self.assertAlmostEqual(ball.measures.mass, 500 * 4 / 3 * math.pi * 1e-3, places=9)
            self.assertAlmostEqual(souple.rigid_mass({"type": "sphere", "size": 0.1}, free=True, density=500).mass,
                                   ball.measures.mass)
            for _ in range(10):
                world.step(0.01)
            self.assertAlmostEqual(box.field("pose")[0], 0.1, places=12)
            # the shape is at 1 m above the frame of the body, which its centre of mass is not
            self.assertAlmostEqual(ball.field("pose")[1], -G * 1e-4 * 55, places=9)
            box.move((5, 0, 0, 1, 0, 0, 0))
            world.step(0.01)
            self.assertEqual(box.field("pose")[0], 5)

    def test_one_strand_and_one_shape_are_given_directly(self):
        with souple.World() as world:
            rod = world.add_rod(length=2, elements=5, radius=0.01, young=2e6, density=900, name="rod", model="der")
            self.assertEqual(rod.info.elements, 5)
            self.assertAlmostEqual(rod.measures.mass, 900 * 2 * math.pi * 1e-4, delta=1e-9)
            self.assertEqual(world.params["rod.young"].value, 2e6)
            ball = world.add_rigid(type="sphere", size=0.1, pose=(0, 2, 0), free=True, density=500)
            self.assertEqual(ball.field("pose")[1], 2)
            self.assertAlmostEqual(ball.measures.mass, 500 * 4 / 3 * math.pi * 1e-3, places=9)
            with self.assertRaises(TypeError):
                world.add_rod({"length": 1, "elements": 2}, radius=0.01, length=2)

    def test_a_rod_that_is_inverted_stays(self):
        points = [(0.01 * i, 0.002 * math.sin(0.3 * i), 0) for i in range(30)]
        fit = souple.fit_rod(points, 8)
        self.assertLess(fit["farthest"], 1e-3)
        strand = {key: fit[key] for key in ("root", "length", "elements")}
        with souple.World() as world:
            rod = world.add_rod(dict(strand, curvature=fit["curvature"]), {"axes": 1e-3, "young": 1e7}, "rod")
            before = rod.field("position")
            natural = rod.invert()
            self.assertEqual(natural.shape, (9, 3))
            for _ in range(5):
                world.step(0.01)
            moved = max(math.dist(a, b) for a, b in zip(before, rod.field("position")))
            self.assertLess(moved, 1e-9)
            self.assertEqual(rod.elements.shape, (8, 2))

    def test_surfaces(self):
        mesh = beam_mesh()
        with souple.World() as world:
            body = world.add_solid(mesh, "b", fix=root(mesh))
            skin = body.add_surface(mesh.boundary().transformed((1, 0.5, 0.5), (0, 0.02, 0.02)), "skin", roles="visual collision")
            self.assertEqual((skin, body.surface_count), (1, 2))
            info = body.surface_info(1)
            self.assertEqual((info.name, info.roles, info.outside), ("skin", ("visual", "collision"), 0))
            x = body.surface(1)["positions"]
            self.assertEqual(x.shape, (info.vertex_count, 3))
            forces = body.surface_forces(1, [[0, 1, 0]] * info.vertex_count)
            self.assertAlmostEqual(sum(f[1] for f in forces.tolist()), info.vertex_count)
            self.assertEqual(len(body.surface_field("displacement", 1)), info.vertex_count)
            self.assertEqual(body.surface_field("von-mises", 0, corners=True).shape, (len(body.surface_info(0).faces), 3))
            anchor = body.surface_anchor(1, 0)
            self.assertTrue(all(abs(a - b) < 1e-12 for a, b in zip(anchor.position, x[0])))


class Changes(unittest.TestCase):
    def setUp(self):
        self.mesh = beam_mesh()
        self.world = souple.World()
        self.beam = self.world.add_solid(self.mesh, "beam", young=3e5, fix=root(self.mesh))
        self.addCleanup(self.world.close)

    def test_edits(self):
        world, beam = self.world, self.beam
        beam.pin(98)
        world.params["beam.young"] = 1e5
        world.queue("param", path="gravity.y", value=-1)
        world.queue(souple.Edit("param", path="beam.density", value=500))
        world.step(0.01)
        self.assertEqual([e.type for e in world.edits_taken], ["pin", "param", "param", "param"])
        self.assertEqual([world.params[p].value for p in ("beam.young", "gravity.y", "beam.density")], [1e5, -1, 500])
        self.assertEqual(list(beam.field("position")[98]), list(self.mesh.positions[98]))
        beam.release(98)
        beam.drag(98, (1, 1, 0), 50)
        world.step(0.01)
        self.assertGreater(beam.field("position")[98][1], self.mesh.positions[98][1])
        taken = world.edits_taken[1]
        self.assertEqual((taken.anchor.body, taken.target), (beam, (1, 1, 0)))
        world.queue(taken)
        beam.drop()
        world.drop_edits()
        world.step(0.01)
        self.assertEqual(world.edits_taken, [])

    def test_parameters(self):
        world = self.world
        young = world.params["beam.young"]
        self.assertEqual((young.spec.unit, young.spec.price, young.value), ("Pa", "values", 3e5))
        self.assertEqual(len(world.params), len(list(world.params)))
        self.assertNotIn("beam.colour", world.params)
        world.set_param("beam.young", 2e5)
        self.assertEqual(world.params["beam.young"].value, 2e5)
        with self.assertRaises(souple.BadInput):
            world.set_param("beam.young", -1)
        with self.assertRaisesRegex(KeyError, "did you mean 'beam.young'"):
            world.params["beam.yung"] = 3
        with self.assertRaisesRegex(souple.BadInput, r"beam.young = -3, must be in \[0, 1e\+15\]"):
            world.params["beam.young"] = -3
        world.step(0.01)
        self.assertEqual((world.edits_taken, world.events), ([], []))
        self.assertIn("solid", souple.list_kinds())
        self.assertIn("young", [spec.name for spec in souple.list_parameters("solid")])
        with self.assertRaises(souple.BadInput) as caught:
            souple.list_parameters("soild")
        self.assertIn("did you mean 'solid'", str(caught.exception))

    def test_checkpoints(self):
        world = self.world
        for _ in range(3):
            world.step(0.01)
        saved, hash_ = world.save(), world.hash
        self.assertIsInstance(saved, bytes)
        for _ in range(3):
            world.step(0.01)
        later = world.hash
        world.restore(saved)
        self.assertEqual((world.hash, world.steps), (hash_, 3))
        for _ in range(3):
            world.step(0.01)
        self.assertEqual(world.hash, later)
        with self.assertRaises(souple.BadInput):
            world.restore(saved[:100])

    def test_elements_are_removed_and_appended(self):
        world, beam = self.world, self.beam
        world.queue("remove-element", body="beam", node=200)
        world.step(0.01)
        self.assertEqual(beam.info.removed, 1)
        beam.set_removed([e in (10, 11) for e in range(240)])
        self.assertEqual([int(e) for e in range(240) if beam.field("removed")[e]], [10, 11])
        beam.set_removed(None)
        # a tetrahedron on the last face
        face = [int(n) for n in self.mesh.faces[-1]]
        corners = [self.mesh.positions[n] for n in face]
        side = [[b - a for a, b in zip(corners[0], corners[k])] for k in (1, 2)]
        normal = [side[0][(i + 1) % 3] * side[1][(i + 2) % 3] - side[0][(i + 2) % 3] * side[1][(i + 1) % 3] for i in range(3)]
        size = math.sqrt(sum(n * n for n in normal))
        tip = [sum(c[i] for c in corners) / 3 + 0.05 * normal[i] / size for i in range(3)]
        like = int(self.mesh.face_elements[-1])
        beam.append(node_count=1, rest=[tip], element_count=1, like=[like], nodes=face + [99])
        self.assertEqual((beam.info.nodes, beam.info.elements, beam.info.appended), (100, 241, 1))
        self.assertEqual(world.step(0.01), souple.Status.OK)

    def test_anchors(self):
        a = self.beam.anchor(node=98)
        self.assertTrue(all(abs(x - y) < 1e-12 for x, y in zip(a.position, self.mesh.positions[98])))
        middle = self.beam.anchor(point=(0.5, 0.05, 0.05))
        self.assertEqual(middle.body, self.beam)
        self.world.step(0.01)
        self.assertLess(middle.position[1], 0.05)
        self.assertAlmostEqual(middle.rest[1], 0.05)
        self.assertLess(middle.velocity[1], 0)
        self.assertEqual(self.beam.anchor(face=0, weights=(1, 0, 0)).elem, self.beam.anchor(face=0, weights=(0, 1, 0)).elem)
        with self.assertRaises(souple.BadInput):
            self.beam.anchor(node=98, face=0)

    def test_removed_things_are_detected(self):
        link = self.world.add_link("spring", self.beam, self.world.add_rigid({"type": "box", "size": (0.1,) * 3,
                                                                              "pose": (1, 0, 0)}, "stone", free=True),
                                   stiffness=10, within=0.2)
        self.assertEqual(self.world["stone"].kind, "rigid")
        self.assertEqual(link.info.type, "spring")
        self.assertEqual(len(link.points), link.info.point_count)
        self.assertEqual([l.name for l in self.world.links], [link.name])
        self.world.step(0.01)
        link.detach()
        self.assertEqual(link.info.state, "detached")
        link.attach()
        link.remove()
        with self.assertRaises(souple.BadId):
            link.info
        stone = self.world["stone"]
        stone.remove()
        with self.assertRaises(souple.BadId):
            stone.info
        with self.assertRaises(LookupError):
            self.world["stone"]
        self.assertEqual(self.world.bodies, [self.beam])
        self.assertIn("removed", repr(stone))


class Contact(unittest.TestCase):
    def test_a_box_at_rest_carries_its_weight(self):
        with souple.World() as world:
            world.set_contact("proximity", friction=0.4, gap=1e-3)
            floor = world.add_rigid({"type": "plane", "size": (0, 1, 0)}, "floor")
            box = world.add_rigid({"type": "box", "size": (0.1, 0.1, 0.1), "pose": (0, 1e-3, 0)}, "box", free=True)
            self.assertEqual((world.contact_def.formulation, world.contact_def.friction), ("proximity", 0.4))
            for _ in range(20):
                world.step(0.01)
            weight = box.measures.mass * G
            # the gap may still close a little: a thousandth of the weight
            self.assertAlmostEqual(box.contact_sum.force[1], weight, delta=1e-3 * weight)
            self.assertAlmostEqual(floor.contact_sum.force[1], -weight, delta=1e-3 * weight)
            contacts = world.contacts
            self.assertEqual(len(contacts), world.contact_sum.count)
            self.assertEqual({c.bodies[0].name for c in contacts} | {c.bodies[1].name for c in contacts}, {"floor", "box"})
            problem = world.contact_problem()
            self.assertEqual(len(problem["q"]), 3 * problem["contacts"])
            self.assertTrue(problem["converged"])
            # u = W lambda + q, row by row
            for row in range(3 * problem["contacts"]):
                entries = range(problem["start"][row], problem["start"][row + 1])
                u = problem["q"][row] + sum(problem["value"][k] * problem["lambda"][problem["column"][k]] for k in entries)
                self.assertAlmostEqual(u, problem["u"][row], delta=1e-12)
            self.assertEqual(world.add_contact_pair(box, "floor", friction=0.1), 0)
            self.assertIsNone(world.open_surface())
            fraction, hit = world.sweep((1, 1, 0), (1, -1, 0), 0.1)
            self.assertEqual(hit, floor)
            self.assertAlmostEqual(fraction, 0.45)
            world.set_contact(None)
            self.assertIsNone(world.contact_def)


class Signals(unittest.TestCase):
    def test_functions_of_time(self):
        with souple.World(gravity=lambda t: (0, -t, 0)) as world:
            body = world.add_solid(souple.Mesh.box((1, 1, 1), (1, 1, 1)), young=1e4)
            for _ in range(10):
                world.step(0.1)
            # v grows by h t at the end of each step
            self.assertAlmostEqual(body.field("velocity")[0][1], -0.1 * sum(0.1 * (k + 1) for k in range(10)), places=6)

    def test_an_exception_in_a_signal_is_raised_and_the_world_goes_on(self):
        broken = []

        def pull(t):
            if broken:
                raise KeyError("no value at %g" % t)
            return 1.0

        mesh = beam_mesh()
        with souple.World() as world:
            body = world.add_solid(mesh, "b", fix=root(mesh), load={"type": "force", "items": [98], "value": (0, pull, 0)})
            world.step(0.01)
            before = world.hash, world.steps, body.field("position").tolist()
            broken.append(1)
            for _ in range(2):
                with self.assertRaises(KeyError):
                    world.step(0.01)
                self.assertEqual((world.hash, world.steps, body.field("position").tolist()), before)
            broken.clear()
            self.assertGreaterEqual(world.step(0.01), 0)
            self.assertEqual(world.steps, 2)

    def test_what_a_signal_may_not_do(self):
        with souple.World() as world:
            def step(t):
                world.step(0.01)

            world.add_rigid({"type": "sphere", "size": 1}, kinematic=True, pose=lambda t: (t and step(t) or 0, 0, 0))
            with self.assertRaises(souple.Busy):
                world.step(0.01)
        with souple.World() as world:
            world.add_rigid({"type": "sphere", "size": 1}, kinematic=True, pose=lambda t: "here" if t else (0, 0, 0))
            with self.assertRaises(souple.BadInput):
                world.step(0.01)

    def test_a_signal_may_refer_to_its_own_world(self):
        context = souple.Context(threads=1)
        world = souple.World(gravity=lambda t: (0, -1 if world else 0, 0), context=context)
        world.step(0.01)
        del world
        gc.collect()
        self.assertEqual(context.memory[0], 0)


class Errors(unittest.TestCase):
    def test_what_an_exception_carries(self):
        with souple.World() as world, self.assertRaises(souple.Error) as caught:
            world.add_solid(beam_mesh(), "b", fix=[1000])
        error = caught.exception
        self.assertIsInstance(error, ValueError)
        self.assertEqual((error.status, error.status_name), (souple.Status.BAD_INPUT, "SP_BAD_INPUT"))
        self.assertEqual(str(error), error.message)
        self.assertRegex(error.message, "node 1000, must be in")
        self.assertRegex(error.file, r"\.c$")
        self.assertGreater(error.line, 0)

    def test_unknown_keywords_and_words(self):
        mesh = beam_mesh()
        with souple.World() as world:
            for keywords, kind, sentence in (({"yung": 1}, TypeError, "did you mean 'young'"),
                                             ({"material": "neohookean"}, ValueError, "did you mean 'neo-hookean'"),
                                             ({"solver": "pgc"}, ValueError, "did you mean 'pcg'"),
                                             ({"solver": {"kind": 1}}, TypeError, "Known: type, tolerance"),
                                             ({"fix": {"nodes": [1], "axes": "xw"}}, ValueError, "unknown fixes.axes 'w'"),
                                             ({"young": "soft"}, ValueError, "young: 'soft' is not a number"),
                                             ({"element_young": [1, 2]}, ValueError, "2 rows, must be 240"),
                                             ({"load": {"type": "force", "value": (1, 2)}}, ValueError, "2 values, must be 3"),
                                             ({"mesh": 3}, ValueError, "must be a souple.Mesh")):
                with self.subTest(**keywords), self.assertRaises(kind) as caught:
                    world.add_solid(**dict({"mesh": mesh}, **keywords))
                self.assertIn(sentence, str(caught.exception))
            self.assertEqual(world.bodies, [])
            with self.assertRaises(TypeError):
                world.add_solid()
            with self.assertRaises(souple.BadInput):
                world.step(-1)
            with self.assertRaises(TypeError):
                world.step("long")
            with self.assertRaises(souple.BadInput) as caught:
                world.queue("pin", body="beam", node=1)
            self.assertIn("unknown body 'beam'", str(caught.exception))
            with self.assertRaises(souple.BadInput) as caught:
                souple.World(gravity=-9.81)
            self.assertIn("gravity: must be 3 numbers or functions", str(caught.exception))
            with souple.World() as other, self.assertRaises(souple.BadInput):
                world.queue("pin", body=other.add_solid(mesh), node=1)

    def test_closed_things_refuse(self):
        mesh, world = beam_mesh(), souple.World()
        body = world.add_solid(mesh)
        anchor = body.anchor(node=0)
        world.close()
        world.close()
        mesh.close()
        for call in (lambda: world.step(0.01), lambda: body.info, lambda: anchor.position, lambda: mesh.positions,
                     lambda: world.add_solid(mesh), world.__enter__):
            with self.assertRaises(souple.BadId) as caught:
                call()
            self.assertIn("closed", str(caught.exception))
        self.assertIn("closed", repr(world) + repr(mesh))
        for kind in (souple.Body, souple.Link, souple.Anchor, souple.Snapshot, souple.Array):
            with self.assertRaises(TypeError):
                kind()


if __name__ == "__main__":
    unittest.main()
