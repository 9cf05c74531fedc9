#!/usr/bin/env python3
"""Writes down what every scene gives, to prove that a change of the code moves no bit.

    tools/baseline.py OUT BUILD...          for example: tools/baseline.py /tmp/before build/release build/clang
    diff -r /tmp/before /tmp/after          says nothing if nothing has moved
    ONLY=rods tools/baseline.py OUT BUILD   only the scenes whose path contains this

Each scene runs for a few steps, deterministic, on the backends ref and cpu, with one and two threads. A text file per run holds
the summary of `--json` (with the hash) without times, paths, random keys and sizes in memory, the probe files, steps.csv without
its columns of times, checksums of the HDF5 datasets and of the picture. view-BUILD.txt is the transcript of a client of
`souple view` that steps, drags, pins, changes a parameter and resets.

Needs h5py of the distribution (python3-h5py): run it with the system's own python3.
"""
import base64
import csv
import hashlib
import json
import os
import re
import shutil
import socket
import struct
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import h5py

TOP = Path(__file__).resolve().parent.parent
STEPS = 4
STATE, TOPOLOGY = 1, 2  # kinds of frames (docs/protocol.md)
TIMES = re.compile(r"(_ms|_us|seconds|bytes)$|^(stages|provenance|wall|real_time|version|threads|scene|files|out|rate|budget|key)$")
RECORD = '<record file="baseline.xdmf" every="2" precision="double" quantity="displacement von-mises strain-energy region"/>\n'
PROBES = '<record file="baseline.csv"/>\n'


def digest(data):
    return hashlib.sha256(data).hexdigest()[:24]


def without_times(value):
    if isinstance(value, dict):
        return {k: without_times(v) for k, v in value.items() if not TIMES.search(k)}
    return [without_times(v) for v in value] if isinstance(value, list) else value


def csv_lines(path):
    with open(path, newline="") as f:
        rows = [r for r in csv.reader(f) if r]
    width = max(map(len, rows))
    timed = {i for r in rows for i, c in enumerate(r) if c.endswith("[ms]")}
    return [",".join(c for i, c in enumerate(r) if len(r) < width or i not in timed) for r in rows]


def hdf5_lines(path):
    lines = []

    def visit(name, item):
        if not isinstance(item, h5py.Dataset) or name.startswith("provenance"):
            return
        data = item[()]
        data = data.tobytes() if item.dtype.kind in "fiu" else repr(data).encode()
        lines.append(f"{name} {item.dtype} {item.shape} {digest(data)}")

    with h5py.File(path, "r") as f:
        f.visititems(visit)
    return sorted(lines)


def run_scene(command, scene, backend, threads, folder):
    out = folder / "out"
    shutil.rmtree(out, ignore_errors=True)
    args = [command, "run", scene, "--steps", str(STEPS), "--backend", backend, "--threads", str(threads), "--out", out, "--json", "--quiet"]
    done = subprocess.run(list(map(str, args)), capture_output=True, text=True)
    lines = [f"exit {done.returncode}"]
    if done.stderr:
        lines += ["== messages", done.stderr.replace(str(folder), "").rstrip()]
    if not done.stdout.startswith("{"):
        return lines + [done.stdout]
    lines += ["== summary", json.dumps(without_times(json.loads(done.stdout)), indent=1).replace(str(folder), "")]
    for path in sorted(out.iterdir()) if out.exists() else []:
        if path.suffix == ".csv":
            lines += [f"== {path.name}", *csv_lines(path)]
        elif path.suffix == ".h5":
            lines += [f"== {path.name}", *hdf5_lines(path)]
        elif path.suffix == ".png":
            lines.append(f"== {path.name} {digest(path.read_bytes())}")
    return lines


class Client:
    """Enough of RFC 6455 to speak with `souple view`."""

    def __init__(self, port):
        self.socket = socket.create_connection(("127.0.0.1", port), timeout=60)
        key = base64.b64encode(os.urandom(16)).decode()
        self.socket.sendall(f"GET /ws HTTP/1.1\r\nHost: 127.0.0.1:{port}\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"
                            f"Sec-WebSocket-Key: {key}\r\nSec-WebSocket-Version: 13\r\nSec-WebSocket-Protocol: souple\r\n\r\n".encode())
        self.data = b""
        while b"\r\n\r\n" not in self.data:
            self.data += self.socket.recv(65536)
        self.data = self.data.split(b"\r\n\r\n", 1)[1]
        self.next_id = 1

    def take(self, n):
        while len(self.data) < n:
            more = self.socket.recv(1 << 20)
            if not more:
                raise EOFError("souple view closed the connection")
            self.data += more
        head, self.data = self.data[:n], self.data[n:]
        return head

    def receive(self):
        whole, kind = b"", 0
        while True:
            first, size = self.take(2)
            if size == 126:
                size, = struct.unpack(">H", self.take(2))
            elif size == 127:
                size, = struct.unpack(">Q", self.take(8))
            payload = self.take(size)
            if first & 15 >= 8:
                continue
            kind = first & 15 or kind
            whole += payload
            if first & 128:
                return json.loads(whole) if kind == 1 else whole

    def send(self, **message):
        text = json.dumps(message).encode()
        head = bytes([0x81, 0x80 | min(len(text), 126)]) + (struct.pack(">H", len(text)) if len(text) > 125 else b"")
        self.socket.sendall(head + b"\0\0\0\0" + text)


def transcript(command, scene, folder):
    """Texts as they are, frames as checksums. Which frames arrive before an answer depends on timing: each step is asked for alone,
    and its frame awaited."""
    with socket.socket() as s:
        s.bind(("127.0.0.1", 0))
        port = s.getsockname()[1]
    out = tempfile.mkdtemp()
    server = subprocess.Popen([str(command), "view", str(scene), "--port", str(port), "--threads", "1", "--out", out],
                              stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    lines = []
    try:
        for _ in range(100):
            try:
                client = Client(port)
                break
            except OSError:
                time.sleep(0.1)

        def note(m, awaited=None):
            if isinstance(m, bytes):
                kind, step = struct.unpack_from("<H", m, 4)[0], struct.unpack_from("<Q", m, 16)[0]
                # a state is sent again when a client asks for something else to be shown
                line = f"frame kind {kind} step {step} size {len(m)} {digest(m)}"
                if kind == TOPOLOGY or awaited == step:
                    lines.append(line)
                return kind, step
            if m["type"] not in ("stats", "marks"):
                lines.append(json.dumps(without_times(m)).replace(str(folder), ""))
            return m["type"], None

        def ask(**message):
            client.next_id += 1
            client.send(id=client.next_id, **message)
            lines.append(f"> {json.dumps(message)}")
            while True:
                m = client.receive()
                note(m)
                if not isinstance(m, bytes) and m["type"] in ("ok", "refused") and m.get("id") == client.next_id:
                    return m

        def frame(step):
            while note(client.receive(), step) != (STATE, step):
                pass

        hello = client.receive()
        note(hello)
        ask(type="control", action="request")
        ask(type="pause")
        ask(type="show", visual=True, collision=False, field="von-mises")
        for step in (1, 2, 3):
            ask(type="step", count=1)
            frame(step)
        for path in [p["path"] for p in hello["params"][:6]]:
            value = next(p["value"] for p in hello["params"] if p["path"] == path)
            ask(type="param", path=path, value=value * 1.1)
        ask(type="step", count=1)
        frame(4)
        ask(type="param", path="nobody.young", value=1)
        ask(type="reset", keep=True)
    except (OSError, EOFError) as e:
        lines.append(f"ended: {e}")
    finally:
        server.terminate()
        server.wait()
        shutil.rmtree(out, ignore_errors=True)
    return lines


def main():
    if len(sys.argv) < 3:
        sys.exit(__doc__)
    out, builds = Path(sys.argv[1]), [Path(b).resolve() for b in sys.argv[2:]]
    out.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory() as tmp:
        scenes = Path(tmp) / "scenes"
        shutil.copytree(TOP / "scenes", scenes)
        for scene in sorted(scenes.rglob("*.xml")):
            text = scene.read_text()
            if "<scene" not in text:
                continue
            if "deterministic=" not in text:
                text = text.replace("<scene ", '<scene deterministic="yes" ', 1)
            scene.write_text(text.replace("</scene>", RECORD + (PROBES if "<probe" in text else "") + "</scene>"))
            name = str(scene.relative_to(scenes).with_suffix("")).replace("/", "-")
            if os.environ.get("ONLY", "") not in name:
                continue
            for build in builds:
                for backend in ("ref", "cpu"):
                    for threads in (1, 2):
                        lines = run_scene(build / "souple", scene, backend, threads, Path(tmp))
                        (out / f"{name}.{build.name}.{backend}.{threads}.txt").write_text("\n".join(lines) + "\n")
            print(name, flush=True)
        for build in builds:
            (out / f"view.{build.name}.txt").write_text("\n".join(transcript(build / "souple", scenes / "torus-drop.xml", Path(tmp))) + "\n")


main()
