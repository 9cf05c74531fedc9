"""Recordings, and the motion of runs as glTF files."""

from __future__ import annotations

from typing import Any, Iterable, Optional, Sequence

from . import _core
from .scenes import Run, Scene, set_texts


class Recording(_core.Recording):
    """A recording (.xdmf, or its .h5) opened for reading. `len()` is the number of frames; they count from 0, and -1 is the last.

        with souple.Recording("out/beam.xdmf") as r:
            tip = [r.field(i, "beam", "position")[-1] for i in range(len(r))]
    """

    def __len__(self) -> int:
        return self._count

    def scene(self, set: Any = None, *, allow_paths: Sequence[Any] = ()) -> Scene:
        """The scene of the recording, for a run that `show` can use. set: further values."""
        return self._scene(Scene, set_texts(set), [str(path) for path in allow_paths])

    def run(self, set: Any = None) -> Run:
        """A run of its scene, whose world shows the first frame: `show(frame, run)` shows others."""
        run = self.scene(set).run()
        if len(self):
            self.show(0, run)
        return run

    def __enter__(self) -> "Recording":
        return self

    def __exit__(self, *error: Any) -> None:
        self.close()


def export_gltf(
    source: Any,
    path: Any,
    *,
    steps: Optional[int] = None,
    every: int = 1,
    frames: Optional[Iterable[int]] = None,
    normals: bool = True,
) -> int:
    """Writes the motion of a run or a recording as a glTF 2.0 file (.glb) and returns the number of frames.

    A run is stepped to its end, or by `steps`; every n-th step becomes a frame. Of a recording every n-th frame is used, or those
    of `frames`.
    """
    if isinstance(source, _core.Recording):
        run = source.run()  # type: ignore[attr-defined]
        gltf, count = run.gltf(path, normals=normals), 0
        times = source.times
        for frame in frames if frames is not None else range(0, len(source), every):  # type: ignore[arg-type]
            source.show(frame, run)
            run.world.publish()
            gltf.frame(float(times[frame]))
            count += 1
    else:
        run, count, done = source, 1, 0
        gltf = run.gltf(path, normals=normals)
        run.world.publish()
        gltf.frame(run.world.time)
        while not run.done and (steps is None or done < steps):
            run.step()
            done += 1
            if done % every == 0:
                gltf.frame(run.world.time)
                count += 1
    gltf.write()
    return count
