"""Many worlds that are stepped together."""

from __future__ import annotations

from typing import Any, Callable, Dict, Mapping, Tuple, Union

from . import _core
from .scenes import Run, Scene, as_scene, set_texts


class Batch(_core.Batch):
    """Many worlds of one scene, or built by a function, that are stepped together on all cores, one world on each core at a time.

        souple.Batch("beam.xml", 16, set=lambda i: {"beam.young": 1e5 * (1 + i)})
        souple.Batch(16, build, gravity=(0, 0, 0))      # build(index, world) adds the bodies to an empty world

    scene: path, text, Scene or builder. set: values of all worlds, or a function of the index. Further keywords are those of
    souple.World, and context; a scene has its own gravity and options. Events, probes and records of a scene do nothing in a
    batch.
    """

    def __new__(
        cls,
        scene: Any,
        count: Any = None,
        *,
        set: Union[None, Mapping[str, Any], Callable[[int], Mapping[str, Any]]] = None,
        context: Any = None,
        **options: Any,
    ) -> "Batch":
        if isinstance(scene, int):
            if context is not None:
                options["context"] = context
            if set is not None:
                raise TypeError("Batch: set needs a scene; the function that builds the worlds gets their index")
            return super().__new__(cls, scene, count, **options)
        if not isinstance(count, int) or count < 1:
            raise _core.BadInput("Batch(scene, count): count = %r, must be a whole number >= 1" % (count,))
        first = as_scene(scene, None, context)
        scenes: Dict[Tuple[str, ...], Scene] = {}

        def scene_of(index: int) -> Scene:
            texts = set_texts(set(index) if callable(set) else set)
            key = tuple(texts)
            if key not in scenes:
                scenes[key] = first.again(texts) if texts else first
            return scenes[key]

        def build(index: int, world: Any) -> None:
            Run(scene_of(index), world=world)

        return super().__new__(cls, count, build, scene=scene_of(0), context=first.context, **options)

    def __len__(self) -> int:
        return len(self.worlds)

    def __getitem__(self, index: int) -> Any:
        """The world of this index."""
        return self.worlds[index]

    def __repr__(self) -> str:
        return "<souple.Batch of %d worlds>" % len(self)
