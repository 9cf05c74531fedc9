"""Souple: soft bodies, rods and contact.

    import souple
    mesh = souple.Mesh.box((1, 0.1, 0.1), (10, 2, 2))
    with souple.World() as world:
        beam = world.add_solid(mesh, name="beam", young=3e5, fix=mesh.select(box=(0, 0, 0, 0, 1, 1)))
        for _ in range(100):
            world.step(0.01)
        print(beam.field("position")[-1])
"""
from ._core import *  # noqa: F401,F403
from ._core import __version__  # noqa: F401
