"""Scenes written in Python: each call of an element makes one element of the scene language.

    import souple

    s = souple.build.scene(dt=0.01)
    s.solid(name="beam", young=3e5).box(size=(0.4, 0.1, 0.1), cells=(16, 4, 4)).fix(box=(-1, 0, 0, 0.001, 1, 1))
    s.probe(name="tip", of="beam", quantity="kinetic", every=1)
    s.stop(time=1)
    run = s.run()

Elements and attributes are those of the scene language, with `_` for `-` and a trailing `_` where Python reserves the word
(`class_`). An element that may contain others is returned by its call; any other call returns the element that it was made in, so
that calls can be chained. Numbers, sequences and arrays become text, True and False become yes and no, None leaves an attribute
out; an expression is a string in braces: `young="{if(x lt 0.2, 1e6, 5e4)}"`. The scene reader checks everything when the scene is
parsed, and its messages name the line of the Python program that made the element.
"""

from __future__ import annotations

import difflib
import os
import sys
import xml.etree.ElementTree as ElementTree
from typing import Any, Dict, List, Optional, Tuple
from xml.sax.saxutils import quoteattr

from . import _core

_RNG = "{http://relaxng.org/ns/structure/1.0}"
_FOLDER = os.path.dirname(os.path.abspath(__file__))
_tree: Optional[Dict[str, Tuple[str, List[str], List[str]]]] = None


def _language() -> Dict[str, Tuple[str, List[str], List[str]]]:
    """Of each definition of the schema: the element, the definitions of its children, its attributes."""
    global _tree
    if _tree is None:
        tree = {}
        for define in ElementTree.fromstring(_core.scene_schema()).iter(_RNG + "define"):
            for element in define.iter(_RNG + "element"):
                names = [ref.get("name", "") for ref in element.iter(_RNG + "ref")]
                attributes = [name.split(".", 1)[1] for name in names if "." in name]
                tree[define.get("name", "")] = (element.get("name", ""), [n for n in names if "." not in n], attributes)
        _tree = tree
    return _tree


def _word(name: str) -> str:
    return name.rstrip("_").replace("_", "-")


def _caller() -> Tuple[str, int]:
    """File and line of the innermost call that is not in this package."""
    frame = sys._getframe(1)
    while frame.f_back and os.path.dirname(os.path.abspath(frame.f_code.co_filename)) == _FOLDER:
        frame = frame.f_back
    return frame.f_code.co_filename, frame.f_lineno


def _text(value: Any) -> str:
    """A value as the scene language writes it."""
    if isinstance(value, str):
        return value
    if isinstance(value, bool) or type(value).__name__ in ("bool_", "bool"):
        return "yes" if value else "no"
    if isinstance(value, int):
        return str(value)
    if isinstance(value, float):
        return repr(float(value))
    if hasattr(value, "tolist"):  # arrays and their numbers
        return _text(value.tolist())
    if isinstance(value, os.PathLike):
        return os.fspath(value)
    try:
        return " ".join(_text(item) for item in value)
    except TypeError:
        kind = type(value).__name__
        raise TypeError("a value must be a number, a string, a bool or a sequence of these, not %s" % kind) from None


class Element:
    """An element of a scene that is being built. Its methods are the elements that it may contain."""

    def __init__(self, define: str, attributes: Dict[str, Any], parent: Optional["Element"]):
        self._name, self._kinds, self._known = _language()[define]
        self._children: List[Element] = []
        self._parent = parent
        self._place = _caller()
        self._attributes: Dict[str, str] = {}
        self.update(**attributes)

    @property
    def parent(self) -> Optional["Element"]:
        """The element around this one, None for a scene."""
        return self._parent

    def update(self, **attributes: Any) -> "Element":
        """Sets attributes; None removes one. Returns the element."""
        for key, value in attributes.items():
            if value is None:
                self._attributes.pop(_word(key), None)
                continue
            try:
                self._attributes[_word(key)] = _text(value)
            except TypeError as error:
                raise TypeError("%s(%s=...): %s" % (self._name, key, error)) from None
        return self

    def __getattr__(self, name: str) -> Any:
        if name.startswith("_"):
            raise AttributeError(name)
        kinds = {_language()[kind][0]: kind for kind in self._kinds}
        word = _word(name)
        if word not in kinds:
            near = difflib.get_close_matches(word, kinds, 1)
            hint = " (did you mean %s?)" % near[0].replace("-", "_") if near else ""
            known = ", ".join(sorted(kind.replace("-", "_") for kind in kinds)) or "none"
            raise AttributeError("no element %s in <%s>%s; known: %s" % (name, self._name, hint, known))

        def call(**attributes: Any) -> "Element":
            child = Element(kinds[word], attributes, self)
            self._children.append(child)
            return child if child._kinds else self

        call.__name__ = call.__qualname__ = name
        attributes = [a.replace("-", "_") for a in _language()[kinds[word]][2]]
        call.__doc__ = "Adds <%s>. Attributes: %s." % (word, ", ".join(attributes))
        return call

    def __dir__(self) -> List[str]:
        return sorted(set(object.__dir__(self)) | {_language()[kind][0].replace("-", "_") for kind in self._kinds})

    def __repr__(self) -> str:
        return "<souple.build.%s, %d elements>" % (self._name, len(self._children))

    def _lines(self, depth: int, out: List[Tuple[str, "Element"]]) -> None:
        head = "  " * depth + "<" + self._name
        head += "".join(" %s=%s" % (key, quoteattr(value)) for key, value in self._attributes.items())
        if not self._children:
            out.append((head + "/>", self))
            return
        out.append((head + ">", self))
        for child in self._children:
            child._lines(depth + 1, out)
        out.append(("  " * depth + "</%s>" % self._name, self))


class SceneBuilder(Element):
    """A scene that is being built: its elements are made by calls, then `parse` or `run` reads it."""

    def __init__(self, **attributes: Any):
        attributes.setdefault("version", 1)
        super().__init__("scene", attributes, None)

    @property
    def text(self) -> str:
        """The scene as XML."""
        out: List[Tuple[str, Element]] = []
        self._lines(0, out)
        return "\n".join(line for line, _ in out) + "\n"

    def write(self, path: Any) -> None:
        """Writes the scene to a file, for `souple run` and `souple view`."""
        with open(path, "w", encoding="utf-8") as file:
            file.write(self.text)

    def parse(self, name: Optional[str] = None, **options: Any) -> Any:
        """The scene, read and checked. `name` stands for the file; relative paths in the scene start in its folder. Other
        options are those of `souple.Scene.parse`."""
        from .scenes import Scene

        try:
            return Scene.parse(self.text, name=name or "scene.xml", **options)
        except _core.Error as error:
            raise self._placed(error, name or "scene.xml") from None

    def run(self, set: Any = None, **options: Any) -> Any:
        """Parses the scene and makes a run of it: `souple.Scene.run` describes the options."""
        return self.parse(set=set).run(**options)

    def _placed(self, error: Any, name: str) -> Any:
        """The same error, whose messages begin with the line of the Python program that made the element."""
        lines: List[Tuple[str, Element]] = []
        self._lines(0, lines)
        messages = []
        for message in getattr(error, "messages", ()):
            place = "%s:%d" % (message.file, message.line) if message.line > 0 else message.file
            text = "%s: %s" % (place, message.text)
            if message.severity == "error" and message.file == name and 0 < message.line <= len(lines):
                element = lines[message.line - 1][1]
                text = "%s:%d: %s(...): %s" % (*element._place, element._name.replace("-", "_"), message.text)
            if message.severity == "error":
                messages.append(text)
        if messages:
            error.message = "\n".join(messages)
            error.args = (error.message,)
        return error


def scene(**attributes: Any) -> SceneBuilder:
    """A new scene. Attributes are those of the element `scene`: dt, gravity, name, ..."""
    return SceneBuilder(**attributes)
