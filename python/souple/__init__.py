"""Souple: soft bodies, rods and contact.

    import souple
    mesh = souple.Mesh.box((1, 0.1, 0.1), (10, 2, 2))
    with souple.World() as world:
        beam = world.add_solid(mesh, name="beam", young=3e5, fix=mesh.select(box=(0, 0, 0, 0, 1, 1)))
        for _ in range(100):
            world.step(0.01)
        print(beam.field("position")[-1])

Names are those of the scene language, numbers are in SI units, choices are words ("neo-hookean"). Arrays are numpy.ndarray where
NumPy is installed, else souple.Array; those that show memory of the library are read-only and keep it.
"""
from ._core import *  # noqa: F401,F403
from ._core import __version__  # noqa: F401
from ._methods import Edit, MeshReport, Parameters  # noqa: F401

from . import build, fclib  # noqa: F401
from .batch import Batch  # noqa: F401
from .extend import extend as _extend
from .picture import Picture  # noqa: F401
from .plots import Plot, panel, plot  # noqa: F401
from .recordings import Recording, export_gltf  # noqa: F401
from .running import Result, run, sweep  # noqa: F401
from .scenes import Probe, Probes, Run, RunWorld, Samples, Scene  # noqa: F401
from .view import View  # noqa: F401

_extend()
