"""Scenes and their runs."""

from __future__ import annotations

import os
import tempfile
import weakref
from collections import Counter
from typing import Any, Dict, Iterator, List, Mapping, Optional, Sequence, Tuple

from . import _core


def set_texts(values: Any) -> List[str]:
    """{"beam.young": 1e5} or ["beam.young=1e5"] as the texts of `--set`."""
    from .build import _text

    if not values:
        return []
    if isinstance(values, Mapping):
        return ["%s=%s" % (path, _text(value)) for path, value in values.items()]
    if isinstance(values, str):
        return [values]
    return [str(text) for text in values]


class Scene(_core.Scene):
    """A scene that was read, checked and resolved: `Scene.load(path)`, `Scene.parse(text)` or `souple.build.scene()`.

    `set` overrides attributes by path and parameters by name: set={"beam.young": 1e5, "k": 8}. A scene with errors raises
    souple.BadInput, whose `messages` have file, line and text of each.
    """

    _allowed: Sequence[str] = ()

    @classmethod
    def load(
        cls, path: Any, set: Any = None, *, allow_paths: Sequence[Any] = (), memory_limit: int = 0, context: Any = None
    ) -> "Scene":
        """Reads a file. allow_paths: further folders from which files may be read. memory_limit: bytes that meshes may need, 0:
        8 GiB."""
        allowed = [os.fspath(folder) for folder in allow_paths]
        source = {"path": os.fspath(path), "sets": set_texts(set)}
        return cls._read(**source, allow_paths=allowed, memory_limit=memory_limit, context=context)

    @classmethod
    def parse(
        cls,
        text: str,
        set: Any = None,
        *,
        name: Any = "scene.xml",
        allow_paths: Sequence[Any] = (),
        memory_limit: int = 0,
        context: Any = None,
    ) -> "Scene":
        """The same from a string. `name` is the file name in messages, and its folder is that of other files."""
        allowed = [os.fspath(folder) for folder in allow_paths]
        source = {"text": text, "name": os.fspath(name)}
        return cls._read(**source, sets=set_texts(set), allow_paths=allowed, memory_limit=memory_limit, context=context)

    @classmethod
    def _read(cls, **options: Any) -> "Scene":
        scene = cls(**options)
        scene._allowed = options["allow_paths"]
        return scene

    def again(self, set: Any = None, context: Any = None) -> "Scene":
        """The same scene, read again with further values."""
        sets = list(self.sets) + set_texts(set)
        return type(self).parse(self.text, sets, name=self.file, allow_paths=self._allowed, context=context)

    def run(self, **options: Any) -> "Run":
        """A run of the scene: souple.Run describes the options."""
        return Run(self, **options)

    def view(self, **options: Any) -> Any:
        """The live page of the scene in a notebook: `Run.view` describes the options."""
        with self.run() as run:
            return run.view(**options)

    def __reduce__(self) -> Any:
        return _scene_again, (self.text, list(self.sets), os.path.abspath(self.file), list(self._allowed))

    def __repr__(self) -> str:
        return "<souple.Scene %s>" % (self.name or self.file)


def _scene_again(text: str, sets: List[str], name: str, allowed: List[str]) -> Scene:
    return Scene.parse(text, sets, name=name, allow_paths=allowed)


class Probe:
    """The samples of a probe: `times` and one row of `values` for each of them. The arrays are views of the memory of the run,
    read-only; after further steps, ask again for those with the new samples."""

    def __init__(self, run: Any, index: int):
        self._run, self._index = run, index
        about = run._probe(index)
        self.name: str = about[0]
        self.body: Optional[str] = about[1]  #: None: several bodies, or none
        self.quantities: Tuple[str, ...] = about[2]
        self.columns: Tuple[str, ...] = about[3]  #: names of the columns of `values`: "position.x"
        self.units: Tuple[str, ...] = about[4]

    @property
    def times(self) -> Any:
        """Time of each sample [s]."""
        return self._run._samples(self._index)[0]

    @property
    def values(self) -> Any:
        """(samples, columns) numbers, in the units of `units`."""
        return self._run._samples(self._index)[1]

    @property
    def interpolated(self) -> Any:
        """1 for each sample whose time is between two steps."""
        return self._run._samples(self._index)[2]

    def column(self, name: str) -> int:
        """The number of a column. A quantity with one column is found by its name alone."""
        names = [name, name + "." + name]
        matches = [i for i, column in enumerate(self.columns) if column in names]
        if not matches:
            parts = [column.split(".") for column in self.columns]
            matches = [i for i, part in enumerate(parts) if name in (part[0], part[-1])]
        if len(matches) != 1:
            raise KeyError("no column %r of probe %r; known: %s" % (name, self.name, ", ".join(self.columns)))
        return matches[0]

    def __getitem__(self, name: str) -> Any:
        """A column of `values`: probe["position.y"]."""
        return self.values[:, self.column(name)]

    def __len__(self) -> int:
        return len(self.times)

    def copy(self) -> "Samples":
        """The samples so far, independent of the run."""
        return Samples(self)

    def plot(self, *columns: str, axes: Any = None) -> Any:
        """Draws columns over time with Matplotlib, all without names. Returns the axes."""
        from .plots import plot_probe

        return plot_probe(self, columns, axes)

    def __repr__(self) -> str:
        return "<souple.Probe %s, %d samples of %s>" % (self.name, len(self), " ".join(self.quantities))


class Samples(Probe):
    """The samples of a probe at the end of a run, copied."""

    def __init__(self, probe: Probe):
        self.name, self.body, self.quantities = probe.name, probe.body, probe.quantities
        self.columns, self.units = probe.columns, probe.units
        # without NumPy they stay views, which keep the run
        self._arrays = tuple(getattr(array, "copy", lambda: array)() for array in probe._run._samples(probe._index))

    times = property(lambda self: self._arrays[0], doc=Probe.times.__doc__)
    values = property(lambda self: self._arrays[1], doc=Probe.values.__doc__)
    interpolated = property(lambda self: self._arrays[2], doc=Probe.interpolated.__doc__)

    def copy(self) -> "Samples":
        return self


class Probes(dict):  # of str and Probe
    """The probes of a run by name. Probes of several bodies with one name are in it as "body.name", which finds every probe of a
    body."""

    def __init__(self, probes: Sequence[Probe]):
        count = Counter(probe.name for probe in probes)
        super().__init__((probe.name if count[probe.name] == 1 else self._long(probe), probe) for probe in probes)

    @staticmethod
    def _long(probe: Probe) -> str:
        return "%s.%s" % (probe.body, probe.name)

    def __missing__(self, name: str) -> Probe:
        for probe in self.values():
            if name == self._long(probe):
                return probe
        raise KeyError("no probe %r; known: %s" % (name, ", ".join(self) or "none"))


class Run(_core.Run):
    """The simulation of a scene: world, events, probes, records, stop conditions and claims.

    backend: overrides that of the scene. time, steps: stop there instead of where the scene says. out: folder for records; None:
    none are written. endless: no stop condition is required (default). resume: checkpoint file of `save` from which to continue.

    A `with` block closes records and checks claims at its end, also after an exception.
    """

    def __new__(
        cls, scene: Scene, *, endless: bool = True, out: Any = None, resume: Any = None, world: Any = None, **options: Any
    ) -> "Run":
        if out is not None:
            out = os.fspath(out)
            os.makedirs(out, exist_ok=True)
        if resume is not None:
            resume = os.fspath(resume)
        run = super().__new__(cls, scene, endless=endless, out=out, resume=resume, world=world, **options)
        run._options = dict(options, endless=endless)
        run.scene = scene
        run.status = _core.Status(0)
        run.reservations = Counter()
        return run

    scene: Scene
    status: Any  #: of the last step
    reservations: "Counter[Any]"  #: how many steps ended with each reservation
    _options: Dict[str, Any]
    _probes: Optional[Probes] = None
    _kept: Any = None

    @property
    def world(self) -> "RunWorld":
        """The world of the run, which keeps the run alive."""
        world = self._kept() if self._kept else None
        if world is None:
            world = self._world(RunWorld)
            world._run = self
            self._kept = weakref.ref(world)
        return world

    @property
    def probes(self) -> Probes:
        """The probes of the scene by name, or "body.name"."""
        if self._probes is None:
            self._probes = Probes([Probe(self, i) for i in range(self.probe_count)])
        return self._probes

    def step(self) -> Any:
        """One step: events, world step, probes, records. Returns its status; a failure raises, and the world stays as it was."""
        self.status = super().step()
        if self.status > 0:
            self.reservations[self.status] += 1
        return self.status

    def __iter__(self) -> Iterator[int]:
        """Steps until a stop condition is met, and gives the number of each step."""
        while not self.done:
            self.step()
            yield self.world.steps

    def advance(self, steps: int) -> Any:
        """Up to `steps` steps, until a stop condition is met. Returns the status of the last one."""
        for _ in range(steps):
            if self.done:
                break
            self.step()
        return self.status

    def __enter__(self) -> "Run":
        return self

    def __exit__(self, *error: Any) -> None:
        self.finish()

    def __reduce__(self) -> Any:
        with tempfile.TemporaryDirectory(prefix="souple-") as folder:
            path = os.path.join(folder, "state.checkpoint")
            self.save(path)
            with open(path, "rb") as file:
                state = file.read()
        return _run_again, (self.scene, self._options, state)

    def __repr__(self) -> str:
        return "<souple.Run %s, step %d, %.6g s>" % (self.scene.name or self.scene.file, self.world.steps, self.world.time)


class RunWorld(_core.World):
    """The world of a run: a souple.World with its `run`."""

    _run: Any = None

    @property
    def run(self) -> Run:
        """The run that the world belongs to."""
        return self._run


def _run_again(scene: Scene, options: Dict[str, Any], state: bytes) -> Run:
    with tempfile.TemporaryDirectory(prefix="souple-") as folder:
        path = os.path.join(folder, "state.checkpoint")
        with open(path, "wb") as file:
            file.write(state)
        return Run(scene, resume=path, **options)


def _world_again(run: Run) -> Any:
    return run.world


def _reduce_world(world: Any) -> Any:
    run = getattr(world, "run", None)
    if run is None:
        raise TypeError(
            "a world that was built by calls has no scene and cannot be pickled; pickle the bytes of world.save(), or a run"
        )
    return _world_again, (run,)


def as_scene(scene: Any, set: Any = None, context: Any = None) -> Scene:
    """A scene of a path, a text that begins with `<`, a builder or a scene, with further values."""
    from .build import SceneBuilder

    if isinstance(scene, SceneBuilder):
        return scene.parse(set=set, context=context)
    if isinstance(scene, _core.Scene):
        return scene.again(set, context) if set or context else scene  # type: ignore[attr-defined]
    if isinstance(scene, str) and scene.lstrip().startswith("<"):
        return Scene.parse(scene, set, context=context)
    return Scene.load(scene, set, context=context)
