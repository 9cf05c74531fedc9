"""Pictures: pixels of a world or a surface, shown inline by notebooks."""

from __future__ import annotations

import ctypes
import struct
import zlib
from typing import Any, Optional

from . import _core


def _chunk(kind: bytes, data: bytes) -> bytes:
    return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))


def _bytes(pixels: Any, size: int) -> Any:
    try:
        return memoryview(pixels).cast("B")
    except TypeError:  # souple.Array has no buffer: the stable interface of Python 3.9 has none
        return memoryview(ctypes.string_at(pixels.__array_interface__["data"][0], size))


def _png(pixels: Any) -> bytes:
    """(height, width, 3) bytes as a PNG file."""
    height, width = pixels.shape[:2]
    data = _bytes(pixels, 3 * width * height)
    rows = b"".join(b"\0" + bytes(data[3 * width * row : 3 * width * (row + 1)]) for row in range(height))
    head = struct.pack(">IIBBBBB", width, height, 8, 2, 0, 0, 0)
    return b"\x89PNG\r\n\x1a\n" + _chunk(b"IHDR", head) + _chunk(b"IDAT", zlib.compress(rows, 6)) + _chunk(b"IEND", b"")


class Picture:
    """Pixels that a notebook shows: what `world.show()` returns."""

    def __init__(self, pixels: Any):
        self.pixels = pixels  #: (height, width, 3) numbers 0..255, sRGB, rows from the top

    def _repr_png_(self) -> bytes:
        return _png(self.pixels)

    def __array__(self, dtype: Any = None, **options: Any) -> Any:
        import numpy

        return numpy.asarray(self.pixels, dtype)

    def save(self, path: Any) -> None:
        """Writes a PNG file."""
        with open(path, "wb") as file:
            file.write(self._repr_png_())

    def __repr__(self) -> str:
        return "<souple.Picture, %d x %d>" % (self.pixels.shape[1], self.pixels.shape[0])


def _run_of(world: Any) -> Optional[Any]:
    return getattr(world, "run", None)


def picture(self: Any, **camera: Any) -> Any:
    """The current state as pixels: an array (height, width, 3) of uint8, sRGB, rows from the top.

    Keywords are the fields of a picture: width, height, azimuth, elevation, orbit, fov, at, to, up, color_by, range, title, note,
    background, clip_point, clip_normal, interfaces, contacts, links, plain, opacity, extent. A world of a run has the camera,
    lights, looks and colours of its scene.
    """
    world = getattr(self, "world", self)
    return _core.draw(world, _run_of(world), **camera)


def show(self: Any, **camera: Any) -> Picture:
    """Draws the current state in a notebook. Keywords are those of `picture`; the default size is 720 x 405."""
    camera.setdefault("width", 720)
    camera.setdefault("height", 405)
    return Picture(picture(self, **camera))
