#!/usr/bin/env python3
"""Runs what the pages of docs/ show, so that no example rots: tests/docs.py --souple FILE [--no-view] [--package DIR] PAGE...

A fenced block of a page is

    sh      commands, run in order in a scratch folder that has a copy of scenes/, with `souple` in the path. What a line
            `souple view` starts must print an address, and is ended; with --no-view, for builds without a server, it is left out
    python  run in order in one namespace, in the same folder; only with --package, the folder that has the package `souple`
    text    what the block before it prints: these lines in this order. Lines may be left out, and `...` stands for any words, or
            a part of the word that it touches. Spaces do not count. Numbers agree within half a per cent, or a ten-thousandth of
            the largest number with a decimal point in the line: the last digits depend on the compiler.
    xml     a piece of a scene of scenes/, or a whole scene, which `souple check` must accept
    c       not run here: unit/api_every compares it with examples/

The scripts (.py) and notebooks (.ipynb) of examples/python are pages too: the opening text of a script, or the first cell of a
notebook, ends with "Output:" and what the whole prints.
"""
import argparse
import contextlib
import importlib.util
import io
import json
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
import traceback

ROOT = pathlib.Path(__file__).resolve().parent.parent
NUMBER = re.compile(r"[-+]?(?:\d+\.?\d*|\.\d+)(?:[eE][-+]?\d+)?")


class Wrong(Exception):
    """What a page shows is not what happens."""


def blocks(text):
    """The fenced blocks of a page: (language, line number, text)."""
    found, language, start, lines = [], None, 0, []
    for number, line in enumerate(text.split("\n"), 1):
        if line.startswith("```"):
            if language is None:
                language, start, lines = line[3:].strip(), number, []
            else:
                found.append((language, start, "\n".join(lines)))
                language = None
        elif language is not None:
            lines.append(line)
    return found


def same_word(shown, seen, largest):
    """Whether two words without spaces agree: the text between numbers exactly, the numbers within the tolerance."""
    if "..." in shown:
        begin, end = shown.split("...", 1)
        return seen.startswith(begin) and seen.endswith(end)
    if NUMBER.split(shown) != NUMBER.split(seen):
        return False
    pairs = zip(NUMBER.findall(shown), NUMBER.findall(seen))
    return all(abs(float(a) - float(b)) <= 0.005 * abs(float(a)) + 1e-4 * largest for a, b in pairs)


def same_line(shown, seen):
    """Whether a printed line is the one that a page shows."""
    largest = max((abs(float(n)) for n in NUMBER.findall(shown) if "." in n), default=0.0)

    def match(a, b):
        if not a:
            return not b
        if a[0] == "...":
            return any(match(a[1:], b[i:]) for i in range(len(b) + 1))
        return bool(b) and same_word(a[0], b[0], largest) and match(a[1:], b[1:])

    return match(shown.split(), seen.split())


def compare(shown, outputs):
    """Each line that is shown must be in one of the outputs, after the line of that output that was found last."""
    places = [0] * len(outputs)
    outputs = [re.split(r"[\r\n]", output) for output in outputs]
    for line in shown.split("\n"):
        if line.strip() in ("", "..."):
            continue
        for k, output in enumerate(outputs):
            hit = next((i for i in range(places[k], len(output)) if same_line(line, output[i])), None)
            if hit is not None:
                places[k] = hit + 1
                break
        else:
            rest = sum((output[place:] for output, place in zip(outputs, places)), [])
            raise Wrong("it does not print\n  %s\nbut\n  %s" % (line, "\n  ".join(rest)))


def run_view(command):
    """souple view: it must print an address, and is ended."""
    shell = ["sh", "-c", "exec " + command + " --port 0"]
    with subprocess.Popen(shell, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True) as p:
        lines = []
        for line in p.stdout:
            lines.append(line)
            if "http://" in line:
                break
        else:
            raise Wrong("%s printed no address but\n%s" % (command, "".join(lines)))
        p.terminate()
        p.stdout.read()


def run_shell(text, view=True):
    """The standard output and the standard error of commands."""
    commands = []
    for line in text.split("\n"):
        if line.startswith("souple view"):
            if view:
                run_view(line.split("#")[0].strip())
        else:
            commands.append(line)
    done = subprocess.run(["sh", "-e", "-c", "\n".join(commands)], capture_output=True, text=True, stdin=subprocess.DEVNULL)
    if done.returncode != 0:
        raise Wrong("ended with %d:\n%s%s" % (done.returncode, done.stdout, done.stderr))
    return [done.stdout, done.stderr]


def run_python(text, place, names):
    """What Python code prints."""
    out = io.StringIO()
    with contextlib.redirect_stdout(out):
        exec(compile(text, place, "exec"), names)
    return [out.getvalue()]


def run_block(language, text, place, names, options):
    """The outputs of a block; None where it cannot run here."""
    if language == "sh":
        return run_shell(text, not options.no_view)
    if language == "python" and options.package:
        return run_python(text, place, names)
    if language == "xml":
        check_scene(text)
    elif language not in ("python", "c"):
        raise Wrong("a block is sh, python, text, xml or c, not \"%s\"" % language)
    return None


def check_scene(text):
    """A piece of a scene is in one of scenes/, and a whole scene is accepted."""
    piece = re.sub(r"\s+", " ", text).strip()
    if any(piece in re.sub(r"\s+", " ", path.read_text()) for path in sorted(ROOT.glob("scenes/**/*.xml"))):
        return
    if not piece.startswith("<scene"):
        raise Wrong("this is in no scene of scenes/")
    pathlib.Path("scene-of-page.xml").write_text(text)
    run_shell("souple check scene-of-page.xml")


def check_page(path, options):
    """A page of docs/: the blocks in their order."""
    names, outputs, count = {"__name__": "__main__"}, None, 0
    for language, line, text in blocks(path.read_text()):
        try:
            if language == "text":
                if outputs is not None:
                    compare(text, outputs)
                continue
            outputs = run_block(language, text, "%s:%d" % (path.name, line), names, options)
            count += outputs is not None
        except Wrong as error:
            raise Wrong("line %d: %s" % (line, error)) from None
    print("%s: %d blocks ran" % (path.name, count))


def opening_output(text):
    """What an opening text shows under "Output:", to its end."""
    parts = re.split(r"^Output:\s*$", text, flags=re.MULTILINE)
    if len(parts) != 2:
        raise Wrong("the opening text has no line \"Output:\"")
    return re.sub(r"^```\w*$", "", parts[1], flags=re.MULTILINE)


def check_script(path):
    """A script of examples/python."""
    namespace = {"__name__": "__main__", "__file__": str(path)}
    outputs = run_python(path.read_text(), str(path), namespace)
    compare(opening_output(namespace["__doc__"]), outputs)
    print("%s: ran" % path.name)


def check_notebook(path):
    """A notebook: its cells of code in their order, without Jupyter."""
    cells = json.loads(path.read_text())["cells"]
    for k, cell in enumerate(cells):
        if cell["cell_type"] == "code" and (cell["outputs"] or cell["execution_count"] is not None):
            raise Wrong("cell %d has outputs; they do not belong into the repository" % k)
    namespace, outputs = {"__name__": "__main__"}, ""
    for k, cell in enumerate(cells):
        if cell["cell_type"] == "code":
            outputs += run_python("".join(cell["source"]), "%s, cell %d" % (path.name, k), namespace)[0]
    compare(opening_output("".join(cells[0]["source"])), [outputs])
    print("%s: ran" % path.name)


def check(path, options):
    """One page, script or notebook, in a scratch folder."""
    with tempfile.TemporaryDirectory() as folder:
        shutil.copytree(ROOT / "scenes", pathlib.Path(folder) / "scenes")
        os.chdir(folder)
        try:
            if path.suffix == ".md":
                check_page(path, options)
            elif path.suffix == ".ipynb":
                check_notebook(path)
            else:
                check_script(path)
        finally:
            os.chdir(ROOT)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--souple", type=pathlib.Path, required=True)
    parser.add_argument("--no-view", action="store_true")
    parser.add_argument("--package", type=pathlib.Path)
    parser.add_argument("pages", nargs="+", type=pathlib.Path)
    options = parser.parse_args()
    pages = [page.resolve() for page in options.pages]
    if options.package and not importlib.util.find_spec("numpy"):
        print("%s has no NumPy: what is Python is passed over" % sys.executable)
        options.package = None
        pages = [page for page in pages if page.suffix == ".md"]
    if options.package:
        sys.path.insert(0, str(options.package.resolve()))
        os.environ["PYTHONPATH"] = str(options.package.resolve())
    os.environ["MPLBACKEND"] = "Agg"
    failed = False
    with tempfile.TemporaryDirectory() as folder:
        (pathlib.Path(folder) / "souple").symlink_to(options.souple.resolve())
        os.environ["PATH"] = folder + os.pathsep + os.environ["PATH"]
        for page in pages:
            try:
                check(page, options)
            except Wrong as error:
                print("%s: %s" % (page.name, error), file=sys.stderr)
                failed = True
            except ModuleNotFoundError as error:
                if error.name.split(".")[0] == "souple":
                    raise
                print("%s: passed over: %s has no module %s" % (page.name, sys.executable, error.name))
            except Exception:
                print("%s: " % page, file=sys.stderr)
                traceback.print_exc()
                failed = True
    return failed


if __name__ == "__main__":
    sys.exit(main())
