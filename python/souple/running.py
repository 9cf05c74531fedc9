"""A scene from beginning to end, once or for many values."""

from __future__ import annotations

import itertools
import os
import sys
import threading
import time
from concurrent.futures import FIRST_COMPLETED, ThreadPoolExecutor, wait
from typing import Any, Callable, Dict, List, Mapping, Optional

from . import _core
from .scenes import Probe, Probes, Run, as_scene


class Result:
    """What a run ended with."""

    def __init__(self, run: Run, values: Mapping[str, Any], seconds: float, keep: bool, error: Optional[_core.Error] = None):
        self.error = error  #: why the run of a sweep ended before its stop condition; None: it did not
        self.values: Dict[str, Any] = dict(values)  #: the values of `set`
        self.probes = Probes([probe if keep else probe.copy() for probe in run.probes.values()])
        self.claims: List[Any] = run.claims
        self.inverses: List[Any] = run.inverses
        self.records: List[Any] = run.records
        self.reservations: Dict[Any, int] = dict(run.reservations)  #: how many steps ended with each reservation
        #: 0, the highest reservation, or the failure
        self.status = error.status if error else max(self.reservations, default=_core.Status(0))
        self.steps: int = run.world.steps
        self.time: float = run.world.time  #: simulated [s]
        self.hash: int = run.world.hash
        self.seconds = seconds  #: measured time
        self.run: Optional[Run] = run if keep else None
        self.world: Any = run.world if keep else None

    @property
    def held(self) -> bool:
        """Whether all claims of the scene hold."""
        return all(claim.held for claim in self.claims)

    def __getitem__(self, name: str) -> Probe:
        return self.probes[name]

    def __repr__(self) -> str:
        values = "".join(" %s=%s," % item for item in self.values.items())
        failed = ", failed: %s" % self.error if self.error else ""
        return "<souple.Result%s %d steps to %.6g s%s>" % (values, self.steps, self.time, failed)


class _Progress:
    """A line on the standard error output that tells how far something is, or the function of the caller."""

    def __init__(self, progress: Any, what: str):
        self.call: Optional[Callable[[int, int], Any]] = progress if callable(progress) else None
        self.show = bool(progress) and self.call is None
        self.what, self.begin, self.last = what, time.monotonic(), 0.0

    def __call__(self, done: int, planned: int) -> None:
        if self.call:
            self.call(done, planned)
        now = time.monotonic()
        if not self.show or (now - self.last < 0.2 and done != planned):
            return
        self.last = now
        rest = ", %.0f s left" % ((now - self.begin) / done * (planned - done)) if 0 < done < planned else ""
        line = "\r%s: %d%s%s   " % (self.what, done, "/%d" % planned if planned else "", rest)
        print(line, end="", file=sys.stderr, flush=True)

    def end(self) -> None:
        if self.show:
            print(file=sys.stderr)


def _run(
    scene: Any,
    values: Any,
    out: Any,
    progress: _Progress,
    on_step: Any,
    keep: bool,
    stop: Optional[threading.Event],
    options: Dict[str, Any],
) -> Result:
    """stop: of a sweep, which goes on when a step of a run fails; None: the failure is raised."""
    begin = time.monotonic()
    options.setdefault("endless", False)
    context = options.pop("context", None)
    run = as_scene(scene, values, context).run(out=out, **options)
    planned, failure = run.steps_planned, None
    with run:
        try:
            for _ in run:
                if on_step and on_step(run) is False:
                    break
                progress(run.world.steps, planned)
                if stop and stop.is_set():
                    raise KeyboardInterrupt
        except _core.Error as error:
            if not stop:
                raise
            failure = error
    return Result(run, values if isinstance(values, Mapping) else {}, time.monotonic() - begin, keep, failure)


def run(
    scene: Any,
    set: Any = None,
    out: Any = None,
    *,
    progress: Any = None,
    on_step: Optional[Callable[[Run], Any]] = None,
    keep: bool = True,
    **options: Any,
) -> Result:
    """Runs a scene to its stop condition and returns probes, claims and the world.

    scene: path, text, Scene or builder. set: values by path, {"beam.young": 1e5}. out: folder for the records of the scene.
    progress: True shows a line on the standard error output; or a function of (steps done, steps planned). on_step: called with
    the run after each step; the run ends if it returns False. keep: False frees the world and copies the samples. Further options
    are those of souple.Run: time, steps, backend, resume, and context.

    Records are closed also when the run ends by an exception or by Ctrl-C.
    """
    bar = _Progress(progress, "steps")
    try:
        return _run(scene, set, out, bar, on_step, keep, None, options)
    finally:
        bar.end()


def _points(values: Any) -> List[Dict[str, Any]]:
    if isinstance(values, Mapping):
        lists = [list(v) if hasattr(v, "__iter__") and not isinstance(v, str) else [v] for v in values.values()]
        return [dict(zip(values, point)) for point in itertools.product(*lists)]
    return [dict(point) for point in values]


def sweep(
    scene: Any,
    values: Any,
    *,
    out: Any = None,
    progress: Any = None,
    threads: int = 1,
    on_result: Optional[Callable[[Result], Any]] = None,
    on_step: Optional[Callable[[Run], Any]] = None,
    keep: bool = False,
    **options: Any,
) -> List[Result]:
    """Runs a scene for many values and returns the results in the order of the values.

    values: {"beam.young": [1e4, 1e5], "k": [2, 4]} runs all combinations, the last varies fastest; a list of dictionaries runs
    these. threads: how many runs at a time, each then has one thread of its own; 1: one after the other with all cores; 0: as
    many as there are cores. out: each run writes its records to a folder of its own in it, 0, 1, 2, ... on_result: called with
    each result as soon as it is there, in the calling thread. A run whose step fails has the samples until then, and `error`; a
    value that the scene does not take is raised. Other options are those of souple.run; on_step is called in the
    thread of its run.
    """
    points = _points(values)
    count = threads if threads > 0 else (os.cpu_count() or 1)
    bar, silent, stop = _Progress(progress, "runs"), _Progress(None, ""), threading.Event()
    results: List[Any] = [None] * len(points)

    def one(index: int) -> Result:
        own = dict(options)
        if count > 1:
            own["context"] = _core.Context(threads=1)
        folder = os.path.join(os.fspath(out), str(index)) if out is not None else None
        return _run(scene, points[index], folder, silent, on_step, keep, stop, own)

    def take(index: int, result: Result, done: int) -> None:
        results[index] = result
        bar(done, len(points))
        if on_result:
            on_result(result)

    try:
        if count == 1:
            for index in range(len(points)):
                take(index, one(index), index + 1)
        else:
            _sweep_in_threads(one, take, stop, len(points), count)
    finally:
        bar.end()
    return results


def _sweep_in_threads(one: Any, take: Any, stop: threading.Event, count: int, threads: int) -> None:
    done = 0
    waiting: Dict[Any, int] = {}
    with ThreadPoolExecutor(threads) as pool:
        try:  # from the first run on: Ctrl-C may come while the others are handed in
            for index in range(count):
                waiting[pool.submit(one, index)] = index
            while waiting:
                for future in wait(waiting, timeout=0.2, return_when=FIRST_COMPLETED).done:
                    done += 1
                    take(waiting.pop(future), future.result(), done)
        except BaseException:
            stop.set()
            for future in waiting:
                future.cancel()
            raise
