"""The live page of `souple view`, in a notebook."""

from __future__ import annotations

import atexit
import html
import os
import re
import secrets
import select
import shutil
import signal
import subprocess
import tempfile
import time
import weakref
from typing import Any, List, Optional

from . import _core

_FOLDER = os.path.dirname(os.path.abspath(__file__))
_open: "weakref.WeakSet[View]" = weakref.WeakSet()


def command() -> str:
    """The path of the command `souple`: $SOUPLE_COMMAND, the one installed with this package, or the one on PATH."""
    named = os.environ.get("SOUPLE_COMMAND")
    beside = [os.path.join(_FOLDER, "command", "bin", "souple")]  # a wheel
    folder = _FOLDER
    for _ in range(5):  # <prefix>/lib/python3/dist-packages/souple, build/release/python/souple
        folder = os.path.dirname(folder)
        beside += [os.path.join(folder, "bin", "souple"), os.path.join(folder, "souple")]
    found = named or next((path for path in beside if os.path.isfile(path) and os.access(path, os.X_OK)), shutil.which("souple"))
    if not found or not os.path.isfile(found):
        raise _core.Unavailable(
            "the command `souple` is neither beside the package (%s) nor on PATH%s; install Souple, or name it in $SOUPLE_COMMAND"
            % (_FOLDER, ", and $SOUPLE_COMMAND names %s" % named if named else "")
        )
    return found


def _stop(process: "subprocess.Popen[str]", folder: str) -> None:
    if process.poll() is None:
        process.send_signal(signal.SIGINT)
        try:
            process.wait(5)
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()
    for stream in (process.stdin, process.stdout):
        if stream:
            stream.close()
    shutil.rmtree(folder, ignore_errors=True)


class View:
    """A page on which the simulation runs: `url` for a browser, shown as a frame by notebooks. It ends with `close()`, with the
    end of a `with` block, when the object is no longer used, and with the program."""

    def __init__(self, arguments: List[str], folder: str, height: int, timeout: float):
        token = secrets.token_hex(16)
        line = [command(), "view", *arguments, "--port", "0", "--token", token, "--out", os.path.join(folder, "out")]
        line += ["--frame", "http://localhost:*", "--frame", "http://127.0.0.1:*", "--until-eof"]
        self._process = subprocess.Popen(
            line, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, start_new_session=True
        )
        self._end = weakref.finalize(self, _stop, self._process, folder)
        self.height = height
        self.url = self._read_address(timeout)
        _open.add(self)

    def _read_address(self, timeout: float) -> str:
        output, until = "", time.monotonic() + timeout
        stream = self._process.stdout
        assert stream
        while time.monotonic() < until:
            if not select.select([stream], [], [], 0.1)[0]:
                continue
            line = stream.readline()
            found = re.search(r"http://\S+", line)
            if found:
                return found.group(0)
            output += line
            if not line:
                break
        self.close()
        raise _core.Unavailable("souple view did not start: %s" % (output.strip() or "no address within %g s" % timeout))

    @property
    def closed(self) -> bool:
        """True after `close()`, or when the server has ended."""
        return self._process.poll() is not None

    def close(self) -> None:
        """Ends the server of the page."""
        self._end()

    def __enter__(self) -> "View":
        return self

    def __exit__(self, *error: Any) -> None:
        self.close()

    def _repr_html_(self) -> str:
        if self.closed:
            return "<p>souple view: closed</p>"
        return '<iframe src="%s" width="100%%" height="%d" style="border:0" allow="fullscreen"></iframe>' % (
            html.escape(self.url, True),
            self.height,
        )

    def __repr__(self) -> str:
        return "<souple.View, %s>" % ("closed" if self.closed else self.url)


@atexit.register
def _close_all() -> None:
    for page in list(_open):
        page.close()


def _scene_file(scene: Any, folder: str) -> List[str]:
    """The scene as a file that the command can read: its own, or a copy of its text beside the files that it names."""
    path = scene.file
    try:
        with open(path, encoding="utf-8") as file:
            if file.read() == scene.text:
                return [path]
    except (OSError, UnicodeDecodeError):
        pass
    base = os.path.abspath(os.path.dirname(path))
    for name in os.listdir(base) if os.path.isdir(base) else ():
        if name not in ("scene.xml", "out"):
            os.symlink(os.path.join(base, name), os.path.join(folder, name))
    copy = os.path.join(folder, "scene.xml")
    with open(copy, "w", encoding="utf-8") as file:
        file.write(scene.text)
    return [copy, "--allow-path", base]


def view(self: Any, play: bool = False, height: int = 480, threads: int = 0, timeout: float = 30.0) -> View:
    """Opens the live page of `souple view` in the cell: a simulation of the same scene, which starts at the present state of the
    run. It is a simulation of its own; what is done on the page does not change this one.

    play: begins at once. height: of the frame [pixels]. threads: of its steps, 0: all cores. timeout: for its start [s].
    """
    run: Optional[Any] = self if hasattr(self, "scene") else getattr(self, "run", None)
    if run is None:
        raise _core.BadInput("view: the page needs the scene of a run; a world that was built by calls has none: use show()")
    folder = tempfile.mkdtemp(prefix="souple-view-")
    try:
        arguments = _scene_file(run.scene, folder)
        for text in run.scene.sets:
            arguments += ["--set", text]
        if run.world.steps > 0:
            state = os.path.join(folder, "state.checkpoint")
            run.save(state)
            arguments += ["--resume", state]
        arguments += ["--play"] if play else []
        arguments += ["--threads", str(threads)] if threads else []
        return View(arguments, folder, height, timeout)
    except BaseException:
        shutil.rmtree(folder, ignore_errors=True)
        raise
