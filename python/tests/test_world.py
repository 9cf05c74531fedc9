"""A world from Python: bodies, steps, errors."""
import unittest

import souple


class Beam(unittest.TestCase):
    def test_a_beam_under_gravity_goes_down_at_its_tip_and_stays_at_its_root(self):
        mesh = souple.Mesh.box((1, 0.1, 0.1), (10, 2, 2))
        root = mesh.select(box=(0, 0, 0, 0, 1, 1))
        with souple.World() as world:
            beam = world.add_solid(mesh, name="beam", young=3e5, fix=root)
            for _ in range(10):
                self.assertEqual(world.step(0.01), souple.Status.OK)
            moved = beam.field("position")
            self.assertLess(moved[98][1], mesh.positions[98][1] - 0.01)
            for node in root:
                self.assertEqual(list(moved[node]), list(mesh.positions[node]))


if __name__ == "__main__":
    unittest.main()
