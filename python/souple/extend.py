"""Methods of the classes of the extension that are written in Python, and those that read and write files."""

from __future__ import annotations

from typing import Any

from . import _core
from ._methods import _report
from .picture import Picture, picture, show
from .scenes import Run, Scene, _reduce_world
from .view import view


def _show_surface(self: Any, **camera: Any) -> Picture:
    """Draws the surface in a notebook: `souple.draw_surface` describes the keywords."""
    camera.setdefault("width", 720)
    camera.setdefault("height", 405)
    return Picture(_core.draw_surface(self, **camera))


def _show_mesh(self: Any, **camera: Any) -> Picture:
    """Draws the boundary of the mesh in a notebook: `souple.draw_surface` describes the keywords."""
    return _show_surface(self.boundary(), **camera)


def _show_scene(self: Scene, **camera: Any) -> Picture:
    """Draws the scene as it starts: `World.show` describes the keywords."""
    return show(self.run(), **camera)


def _read_mesh(path: Any, tetrahedra: bool = False, context: Any = None) -> Any:
    return _core._read_mesh(path, tetrahedra=tetrahedra, context=context)


def _read_surface(path: Any, context: Any = None) -> Any:
    return _core._read_surface(path, context=context)


def _write(self: Any, path: Any, **options: Any) -> None:
    """Writes a file; its suffix says the format. Options: format, encoding ("auto", "ascii", "binary", ...), compress."""
    _core._write_mesh(self, path, **options)


_read_mesh.__doc__ = _core._read_mesh.__doc__
_read_surface.__doc__ = _core._read_surface.__doc__


def extend() -> None:
    """Adds the methods to the classes."""
    for name, function in (("picture", picture), ("show", show), ("view", view)):
        for owner in (_core.World, Run):
            setattr(owner, name, function)
    _core.World.run = property(lambda self: None, doc="The souple.Run that the world belongs to, or None.")
    _core.Status.__str__ = lambda self: self.name  # type: ignore[method-assign]
    _core.MeshFile.examine = _report(_core.MeshFile.examine)
    _core.World.__reduce__ = _reduce_world
    Scene.show = _show_scene  # type: ignore[attr-defined]
    for owner, read, shown in ((_core.Mesh, _read_mesh, _show_mesh), (_core.Surface, _read_surface, _show_surface)):
        owner.read, owner.write, owner.show = staticmethod(read), _write, shown
