"""Snapshots and batches: views that keep what they show."""
import gc
import unittest

import souple

try:
    import numpy
except ImportError:
    numpy = None


def beam(context, slots=4):
    mesh = souple.Mesh.box((1, 0.1, 0.1), (10, 2, 2), context=context)
    world = souple.World(context=context, snapshot_slots=slots)
    world.add_solid(mesh, "beam", fix=mesh.select(box=(0, 0, 0, 0, 1, 1)))
    return world


class Snapshots(unittest.TestCase):
    def test_a_snapshot_shows_the_state(self):
        world = beam(None)
        self.assertIsNone(world.snapshot())
        world.publish_fields("beam", ["position", "von-mises"])
        world.step(0.01)
        with world.snapshot() as s:
            self.assertEqual((s.step, s.time, s.hash, s.skipped), (1, world.time, world.hash, 0))
            body = s.bodies["beam"]
            self.assertEqual(body.body, world["beam"])
            self.assertEqual(set(body.fields), {"position", "von-mises"})
            self.assertEqual(body.fields["position"].tolist(), world["beam"].field("position").tolist())
            self.assertEqual(body.fields["von-mises"].tolist(), world["beam"].field("von-mises").tolist())
            self.assertGreater(body.kinetic, 0)
            self.assertEqual(body.work.edits, 0)
            surface = body.surfaces["boundary"]
            self.assertEqual(surface.faces.shape[1], 3)
            x = world["beam"].field("position")
            for vertex, node in enumerate(surface.nodes):
                for a, b in zip(surface.positions[vertex], x[node]):
                    self.assertAlmostEqual(float(a), float(b), places=6)
            self.assertEqual(surface.anchor(0).body, world["beam"])
            self.assertEqual(set(s.stage_ms), set(souple.list_stages()))
        with self.assertRaises(souple.BadId):
            s.step
        world.publish_fields("beam", "von-mises", False)
        world.publish()
        self.assertEqual(set(world.snapshot().bodies["beam"].fields), {"position"})
        with self.assertRaises(souple.BadInput):
            world.publish_fields("beam", ["colour"])

    def test_an_array_of_a_snapshot_keeps_the_world(self):
        context = souple.Context(threads=1)
        world = beam(context)
        world.publish_fields("beam", ["position"])
        world.step(0.01)
        s = world.snapshot()
        x, faces = s.bodies["beam"].fields["position"], s.bodies["beam"].surfaces["boundary"].faces
        expected = x.tolist()
        if numpy is not None:
            self.assertFalse(x.flags.writeable or faces.flags.writeable)
        s.close()
        # the slot is still in use: later steps do not write there
        for _ in range(10):
            world.step(0.01)
        self.assertEqual(x.tolist(), expected)
        world.close()
        del world, s
        gc.collect()
        self.assertEqual(x.tolist(), expected)
        self.assertGreater(context.memory[0], 0)
        del x, faces
        gc.collect()
        self.assertEqual(context.memory[0], 0)

    def test_a_slot_is_free_when_its_last_array_is_gone(self):
        world = beam(None, slots=2)
        world.step(0.01)
        held = [world.snapshot().bodies["beam"].surfaces["boundary"].positions]
        world.step(0.01)
        held.append(world.snapshot().bodies["beam"].surfaces["boundary"].positions)
        world.step(0.01)
        self.assertEqual(world.snapshot().step, 2)
        held.clear()
        gc.collect()
        world.step(0.01)
        self.assertEqual((world.snapshot().step, world.snapshot().skipped), (4, 1))


class Batches(unittest.TestCase):
    def batch(self, context=None, n=4, **keywords):
        mesh = souple.Mesh.box((1, 0.1, 0.1), (5, 1, 1), context=context)
        root = mesh.select(box=(0, 0, 0, 0, 1, 1))

        def build(index, world):
            world.add_solid(mesh, "beam", young=1e5 * (1 + index), fix=root)

        return souple.Batch(n, build, context=context, **keywords)

    def test_states_of_all_worlds_in_one_array(self):
        with self.batch(gravity=(0, -5, 0)) as batch:
            self.assertEqual(len(batch), 4)
            for _ in range(5):
                self.assertEqual(batch.step(0.01), souple.Status.OK)
            x = batch.state("beam", "position")
            self.assertEqual(x.shape, (4, 24, 3))
            self.assertEqual(x[2].tolist(), batch.worlds[2]["beam"].field("position").tolist())
            # four stiffnesses, four motions
            self.assertEqual(len({x[i, 23, 1] for i in range(4)}), 4)
            self.assertEqual(list(batch.statuses), [0, 0, 0, 0])
            self.assertGreater(batch.memory.constant, 0)
            self.assertEqual([w["beam"].kind for w in batch], ["solid"] * 4)

    def test_bits_are_those_of_a_world_alone(self):
        batch = self.batch()
        with souple.World(snapshots=False, snapshot_slots=2) as world:
            mesh = souple.Mesh.box((1, 0.1, 0.1), (5, 1, 1))
            world.add_solid(mesh, "beam", young=3e5, fix=mesh.select(box=(0, 0, 0, 0, 1, 1)))
            for _ in range(5):
                batch.step(0.01)
                world.step(0.01)
            self.assertEqual(batch[2].hash, world.hash)

    def test_some_worlds_step_and_return(self):
        batch = self.batch()
        start = batch[0].hash
        batch.step(0.01, indices=[0, 2])
        self.assertEqual([w.steps for w in batch], [1, 0, 1, 0])
        self.assertEqual(batch.step(0.01, indices=[1, 3], steps=4), souple.Status.OK)
        self.assertEqual([w.steps for w in batch], [1, 4, 1, 4])
        batch.reset([0])
        self.assertEqual((batch[0].hash, batch[2].steps), (start, 1))
        batch.keep(2)
        kept = batch[2].hash
        batch.step(0.01)
        batch.reset()
        self.assertEqual(batch[2].hash, kept)
        for wrong in ([4], [-1], [1, 1]):
            with self.assertRaises(souple.BadInput):
                batch.step(0.01, indices=wrong)
        with self.assertRaises(souple.BadInput):
            batch.state("beam", "colour")
        with self.assertRaises(souple.BadInput):
            batch.step(0)
        with self.assertRaises(souple.BadInput):
            batch.step(0.01, steps=0)

    def test_exceptions_while_building_and_in_signals(self):
        def build(index, world):
            if index == 2:
                raise KeyError("nothing for 2")

        with self.assertRaises(KeyError):
            souple.Batch(4, build)
        failing = []

        def pose(t):
            if failing:
                raise ZeroDivisionError
            return (t, 0, 0)

        batch = souple.Batch(3, lambda i, w: w.add_rigid({"type": "sphere", "size": 1}, kinematic=True, pose=pose))
        batch.step(0.01)
        failing.append(1)
        with self.assertRaises(ZeroDivisionError):
            batch.step(0.01)
        failing.clear()
        self.assertEqual(batch.step(0.01), souple.Status.OK)

    def test_views_and_worlds_keep_the_batch(self):
        context = souple.Context(threads=1)
        batch = self.batch(context)
        batch.step(0.01)
        x, world = batch.state("beam", "position"), batch[1]
        expected = x.tolist()
        world.close()
        batch.close()
        del batch, world
        gc.collect()
        self.assertEqual(x.tolist(), expected)
        del x
        gc.collect()
        self.assertEqual(context.memory[0], 0)

    def test_a_view_outlives_a_field_that_grows(self):
        # the memory of the smaller array stays: a view of it does not dangle
        batch = self.batch(n=1)
        x = batch.state("beam", "position")
        expected = x.tolist()
        mesh_tip = [[1.1, 0.05, 0.05]]
        elements = batch[0]["beam"].elements
        like = len(elements) - 1
        face = [20, 21, 22]
        try:
            batch[0]["beam"].append(node_count=1, rest=mesh_tip, element_count=1, like=[like], nodes=face + [24])
        except souple.BadInput:
            batch[0]["beam"].append(node_count=1, rest=mesh_tip, element_count=1, like=[like], nodes=face[::-1] + [24])
        self.assertEqual(batch.state("beam", "position").shape, (1, 25, 3))
        self.assertEqual(x.tolist(), expected)


if __name__ == "__main__":
    unittest.main()
