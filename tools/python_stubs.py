"""The stubs of the package souple: python_api.py --stubs. Signatures are those of the live module; what keyword arguments a
definition takes, and the types of fields, come from the headers."""
import inspect
import re

from python_api import FLAT, field_row, results, struct_order, title

HEAD = '''# Written by tools/python_api.py --stubs from include/souple/*.h and the built package: change those and run it again.
import enum
from collections import Counter
from typing import Any, Callable, Dict, Iterable, Iterator, List, Mapping, NamedTuple, Optional, Sequence, Tuple, Union

Numbers = Any  # numpy.ndarray, a buffer, nested sequences of numbers
Signal = Union[float, Callable[[float], Any]]
Array_ = Any  # numpy.ndarray, or Array where NumPy is not installed

__version__: str

from . import build as build, fclib as fclib

'''
NUMBER = {"DOUBLE": "float", "FLOAT": "float", "BOOL": "bool"}
# the definitions that take keyword arguments
KEYWORDS = {"World.__init__": "sp_world_def", "World.add_solid": "sp_solid_def", "World.add_rigid": "sp_rigid_def",
            "World.add_rod": "sp_rod_def", "World.add_link": "sp_link_def", "World.set_contact": "sp_contact_def",
            "World.add_contact_pair": "sp_contact_pair_def", "World.queue": "sp_edit", "World.apply": "sp_edit",
            "Body.add_surface": "sp_surface_def", "Body.set_surface_contact": "sp_surface_contact_def",
            "Body.append": "sp_addition",
            "Mesh.select": "sp_selection", "Mesh.refined": "sp_selection", "Mesh.examine": "sp_examine_options",
            "Mesh.examine_arrays": "sp_examine_options", "Mesh.repair": "sp_examine_options",
            "Surface.examine": "sp_examine_options",
            "Surface.repaired": "sp_examine_options", "Mesh.fill": "sp_fill_def", "Mesh.fill_labels": "sp_fill_def",
            "Batch.__init__": "sp_world_def", "moduli": "sp_material", "rigid_mass": "sp_rigid_def"}
# fields of items that may be given directly where there is one
ITEMS = {"sp_rod_def": ("sp_rod_strand", "sp_rod_section"), "sp_rigid_def": ("sp_rigid_shape",)}
RETURNS = {"World.step": "Status", "World.add_solid": "Body", "World.add_rigid": "Body", "World.add_rod": "Body",
           "World.add_link": "Link", "World.save": "bytes", "World.snapshot": "Optional[Snapshot]", "Body.field": "Array_",
           "Body.anchor": "Anchor", "Mesh.select": "Array_", "Mesh.boundary": "Surface", "Mesh.examine": "MeshReport",
           "Surface.examine": "MeshReport", "Mesh.examine_arrays": "MeshReport", "Batch.step": "Status", "Batch.state": "Array_",
           "World.__getitem__": "Any", "World.__enter__": "World", "Batch.__enter__": "Batch", "default_context": "Context",
           "moduli": "Moduli", "World.parameter": "ParamInfo", "World.parameters": "List[ParamInfo]", "rigid_mass": "RigidMass",
           "list_fields": "List[FieldInfo]", "list_parameters": "List[ParamSpec]"}
for maker in ("box", "cylinder", "sphere", "torus", "sheet", "disc", "organ", "of_surface", "transformed", "refined", "order2",
              "from_dict"):
    RETURNS["Mesh." + maker] = "Mesh"
for maker in ("subdivided", "transformed"):
    RETURNS["Surface." + maker] = "Surface"
PROPERTIES = {"World.time": "float", "World.steps": "int", "World.hash": "int", "World.bodies": "List[Body]",
              "World.links": "List[Link]", "World.step_info": "StepInfo", "World.events": "List[Event]",
              "World.contacts": "List[ContactPoint]", "World.contact_sum": "ContactSum", "World.params": "Parameters",
              "Body.name": "str", "Body.kind": "str", "Body.world": "World", "Body.info": "BodyInfo",
              "Body.measures": "BodyMeasures", "Body.fields": "Dict[str, FieldInfo]", "Mesh.volume": "float",
              "Mesh.node_count": "int", "Mesh.element_count": "int", "Link.info": "LinkInfo", "Anchor.body": "Body",
              "Batch.worlds": "Tuple[World, ...]", "Batch.memory": "BatchMemory",
              "Snapshot.bodies": "Dict[str, SnapshotBody]", "SnapshotBody.surfaces": "Dict[str, SnapshotSurface]",
              "SnapshotBody.fields": "Dict[str, Array_]"}


def field_type(row, argument):
    """The type of a field: of a keyword argument, or of a record."""
    kind = row["kind"]
    if kind == "NUMBER":
        base = NUMBER.get(row["number"], "int")
        if "extent" in row:
            return "Numbers" if argument else "Tuple[%s, ...]" % base
        return base
    simple = {"STRING": "str", "TEXT": "str", "WORD": "str", "BODY": "Union[Body, str]" if argument else "Optional[Body]",
              "LINK": "Link", "MESH": "Mesh", "SURFACE": "Surface", "STATUS": "Status",
              "BITS": "Union[str, Sequence[str]]" if argument else "Tuple[str, ...]", "RESERVATIONS": "Tuple[Status, ...]",
              "ARRAY": "Numbers" if argument else "Optional[Array_]", "ANCHOR": "Union[Anchor, dict]" if argument else "Any"}
    if kind in simple:
        text = simple[kind]
        return "Tuple[%s, ...]" % text if "extent" in row and not argument and kind not in ("TEXT",) else text
    if kind == "SIGNAL":
        return "Union[Signal, Sequence[Signal]]" if "extent" in row else "Signal"
    if kind == "STRUCT" and not argument:
        return title(row["of"]) if "extent" not in row else "Tuple[%s, ...]" % title(row["of"])
    return "Any"


def rows_of(api, struct, tables):
    return [row for row in (field_row(api, struct, field, tables) for field in api.structs[struct]) if row]


def keyword_rows(api, struct, tables):
    rows = rows_of(api, struct, tables)
    for item in ITEMS.get(struct, ()):
        names = {r["name"] for r in rows} | {a for r in rows for a in r.get("alias", "").split()}
        rows += [r for r in rows_of(api, item, tables) if r["name"] not in names]
    if struct in FLAT:
        inner = next(r for r in rows if r["name"] == FLAT[struct])["of"]
        names = {r["name"] for r in rows}
        rows += [r for r in rows_of(api, inner, tables) if r["name"] not in names]
    return rows


def annotation(value, default="Any"):
    """What a Python function says about a type: its text."""
    return value.strip("'\"").replace('"', "") if isinstance(value, str) else default


def parameters_of(function, name, api, tables):
    """The text between the brackets."""
    try:
        signature = inspect.signature(function)
    except (TypeError, ValueError):
        return "*args: Any, **keywords: Any"
    parts, star, known = [], False, set()
    for p in signature.parameters.values():
        known.add(p.name)
        if p.kind == p.VAR_KEYWORD and name in KEYWORDS:
            if not star:
                parts.append("*")
            for row in keyword_rows(api, KEYWORDS[name], tables):
                if row["name"] not in known:
                    parts.append("%s: %s = ..." % (row["name"], field_type(row, True)))
                for alias in row.get("alias", "").split():
                    if alias not in known:
                        parts.append("%s: Any = ..." % alias)
        elif p.kind == p.VAR_KEYWORD:
            parts.append("**%s: Any" % p.name)
        elif p.kind == p.VAR_POSITIONAL:
            parts.append("*%s: Any" % p.name)
            star = True
        else:
            if p.kind == p.KEYWORD_ONLY and not star:
                parts.append("*")
                star = True
            default = "" if p.default is p.empty else " = ..."
            parts.append(p.name if p.name == "self" else "%s: %s%s" % (p.name, annotation(p.annotation), default))
    return ", ".join(parts)


def returned(function, key):
    said = getattr(function, "__annotations__", {}).get("return") if function else None
    return RETURNS.get(key) or PROPERTIES.get(key) or annotation(said)


def members(cls):
    """Of a class and of the class of the extension below it that has the same name: what Python adds to it."""
    names = {}
    for base in reversed(cls.__mro__):
        if base is cls or (base.__name__ == cls.__name__ and base is not object):
            names.update(vars(base))
    return names


def class_text(cls, api, tables):
    bases = [b.__name__ for b in cls.__bases__ if b is not object and b.__name__ != cls.__name__]
    lines = ["class %s%s:" % (cls.__name__, "(%s)" % ", ".join(bases) if bases else "")]
    if getattr(cls, "__text_signature__", None) or "__init__" in vars(cls) or isinstance(vars(cls).get("__new__"), staticmethod):
        text = parameters_of(cls, cls.__name__ + ".__init__", api, tables)
        lines.append("    def __init__(self, %s) -> None: ..." % text)
    for name, value in sorted(members(cls).items()):
        key = "%s.%s" % (cls.__name__, name)
        special = name in ("__enter__", "__exit__", "__getitem__", "__setitem__", "__len__", "__contains__", "__iter__")
        if name.startswith("_") and not special:
            continue
        if isinstance(value, property) or inspect.isgetsetdescriptor(value):
            lines += ["    @property", "    def %s(self) -> %s: ..." % (name, returned(getattr(value, "fget", None), key))]
        elif isinstance(value, (staticmethod, classmethod)) or isinstance(inspect.getattr_static(cls, name), staticmethod):
            function = getattr(cls, name)
            text = parameters_of(function, key, api, tables)
            lines += ["    @staticmethod", "    def %s(%s) -> %s: ..." % (name, text, returned(function, key))]
        elif callable(value):
            text = parameters_of(value, key, api, tables) if not special else "self, *args: Any"
            lines.append("    def %s(%s) -> %s: ..." % (name, text, returned(value, key)))
    return lines + (["    ..."] if len(lines) == 1 else [])


def record_text(struct, api, tables):
    lines = ["class %s(NamedTuple):" % title(struct)]
    return lines + ["    %s: %s" % (row["name"], field_type(row, False)) for row in rows_of(api, struct, tables)]


def error_text(cls):
    lines = ["class %s(%s):" % (cls.__name__, ", ".join(b.__name__ for b in cls.__bases__))]
    if cls.__name__ != "Error":
        return lines + ["    ..."]
    return lines + ["    status: Status", "    status_name: str", "    message: str", "    file: str", "    line: int",
                    "    body: str",
                    "    index: int"]


def status_text(cls):
    return ["class Status(enum.IntEnum):"] + ["    %s = %d" % (m.name, m.value) for m in cls] + ["    text: str"]


def stubs(api):
    """The text of __init__.pyi, for the public names of the built package."""
    import souple
    tables = struct_order(api)
    records = {title(name): name for name in results(api) & set(tables)}
    blocks = []
    names = sorted(n for n in dir(souple) if not n.startswith("_"))
    for name in sorted(names, key=lambda n: (not isinstance(getattr(souple, n), type), n)):
        value = getattr(souple, name)
        if name == "Status":
            blocks.insert(0, status_text(value))
        elif isinstance(value, type) and issubclass(value, BaseException):
            blocks.append(error_text(value))
        elif name in records and issubclass(value, tuple):
            blocks.append(record_text(records[name], api, tables))
        elif isinstance(value, type) and issubclass(value, tuple):
            blocks.append(["class %s(NamedTuple):" % name] + ["    %s: Any" % f for f in value._fields])
        elif isinstance(value, type):
            blocks.append(class_text(value, api, tables))
        elif callable(value):
            blocks.append(["def %s(%s) -> %s: ..." % (name, parameters_of(value, name, api, tables), returned(value, name))])
        elif inspect.ismodule(value):
            continue
        else:
            blocks.append(["%s: Any" % name])
    order = {"Error": 0}
    blocks.sort(key=lambda b: (not b[0].startswith("class Status"), order.get(re.sub(r"class (\w+).*", r"\1", b[0]), 1)))
    return HEAD + "\n\n".join("\n".join(block) for block in blocks) + "\n"
