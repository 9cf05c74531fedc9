"""What the classes of the extension have besides: short names for edits, parameters as a mapping, meshes as dictionaries."""
import collections
import collections.abc
import difflib

from . import _core

_MESHIO = {"tet4": "tetra", "tet10": "tetra10", "hex8": "hexahedron", "tri3": "triangle"}
_SOUPLE = {meshio: word for word, meshio in _MESHIO.items()}


class Edit(dict):
    """A change of a world, applied at the start of the next step: world.queue(edit).

    Edit("drag", anchor=point, target=(0, 1, 0), stiffness=100). The keywords are those of World.queue.
    """

    def __init__(self, type, **keywords):
        super().__init__(type=type, **keywords)

    def __repr__(self):
        return "souple.Edit(%s)" % ", ".join("%s=%r" % item for item in self.items())


MeshReport = collections.namedtuple("MeshReport", "stats counts defects whole", module="souple")
MeshReport.__doc__ = """Result of an examination of a mesh or a surface.

stats: souple.MeshStats; counts: {kind: number of defects}; defects: a list of dicts with kind, text, elements, nodes and
value, at most `limit` per kind; whole: False if the search was aborted, and the counts are lower bounds.
"""


class Parameters(collections.abc.Mapping):
    """Parameters of a world by path: world.params["beam.young"] is a souple.ParamInfo (value, spec with unit and range, ...).

    world.params["beam.young"] = 1e5 queues an edit, which the next step applies; World.set_param changes a value directly. A path
    that does not exist raises KeyError, and a value out of range BadInput, unless another thread steps the world meanwhile.
    """

    def __init__(self, world):
        self._world = world

    def __getitem__(self, path):
        try:
            return self._world.parameter(path)
        except _core.BadInput as error:
            near = difflib.get_close_matches(path, self, 1)
            raise KeyError(str(error) + ("; did you mean %r?" % near[0] if near else "")) from None

    def __setitem__(self, path, value):
        try:
            spec = self[path].spec
        except _core.Busy:
            pass  # another thread steps the world: the step checks the edit
        else:
            if value < spec.edit_low or value > spec.edit_high:
                raise _core.BadInput("%s = %g, must be in [%g, %g]" % (path, value, spec.edit_low, spec.edit_high))
        self._world.queue("param", path=path, value=value)

    def __iter__(self):
        return iter([parameter.path for parameter in self._world.parameters()])

    def __len__(self):
        return len(self._world.parameters())

    def __repr__(self):
        return "<souple.Parameters: %s>" % ", ".join(self)


# ---------------------------------------------------------------------------------------------------- World


def _params(self):
    """Parameters by path: souple.Parameters."""
    return Parameters(self)


def _publish_fields(self, body, names, published=True):
    """Asks for fields of a body (a souple.Body or its name) in every snapshot from now on.

    Other threads then read them without a copy while the world steps: world.snapshot().bodies["beam"].fields["position"].
    """
    body = self[body] if isinstance(body, str) else body
    for name in [names] if isinstance(names, str) else names:
        body.publish_field(name, published)


# ---------------------------------------------------------------------------------------------------- Body


def _pin(self, node, axes="xyz"):
    """Holds a node at its current position, from the next step on."""
    self.world.queue("pin", body=self, node=node, axes=axes)


def _release(self, node, axes="xyz"):
    """Releases a node that a pin or the definition holds, from the next step on."""
    self.world.queue("release", body=self, node=node, axes=axes)


def _drag(self, anchor, target, stiffness, damping=0, slot=0, source=0):
    """Pulls a material point (souple.Anchor, or the number of a node) to a position by a spring, until `drop`."""
    anchor = anchor if isinstance(anchor, _core.Anchor) else self.anchor(node=anchor)
    self.world.queue("drag", anchor=anchor, target=target, stiffness=stiffness, damping=damping, slot=slot, source=source)


def _drop(self, slot=0, source=0):
    """Ends a drag."""
    self.world.queue("drop", slot=slot, source=source)


def _move(self, pose):
    """Moves a kinematic rigid body to a pose at the end of the next step."""
    self.world.queue("pose", body=self, pose=pose)


# ---------------------------------------------------------------------------------------------------- meshes


def _report(examine):
    def call(*args, **keywords):
        return MeshReport(*examine(*args, **keywords))

    call.__name__, call.__doc__ = examine.__name__, examine.__doc__
    return call


def _to_dict(self):
    """The mesh as meshio has it: points, cells as (type, nodes), point_data, cell_data; groups as they are here."""
    nodes = self.node_count
    arrays = self.arrays
    blocks = self.blocks
    cells = [(_MESHIO[word], array) for word, array in blocks]
    cell_data = {}
    for name, values in arrays.items():
        if len(values) == nodes:
            continue
        parts, first = [], 0
        for _, array in blocks:
            parts.append(values[first:first + len(array)])
            first += len(array)
        cell_data[name] = parts
    return {"points": self.positions, "cells": cells, "groups": self.groups, "cell_data": cell_data,
            "point_data": {name: values for name, values in arrays.items() if len(values) == nodes}}


def _from_dict(content, context=None):
    """A mesh of such a dictionary. Cells of other types than tetra, tetra10, hexahedron and triangle are left out, and triangles
    beside volume elements: with them goes their data."""
    cells = content["cells"]
    volume = any(kind in ("tetra", "tetra10", "hexahedron") for kind, _ in cells)
    used = [i for i, (kind, _) in enumerate(cells) if kind in _SOUPLE and not (volume and kind == "triangle")]
    arrays = {name: ("nodes", values) for name, values in content.get("point_data", {}).items()}
    for name, parts in content.get("cell_data", {}).items():
        arrays[name] = ("elements", [x for i in used for x in parts[i]])
    return _core.Mesh(content["points"], [(_SOUPLE[cells[i][0]], cells[i][1]) for i in used], groups=content.get("groups"),
                      arrays=arrays, context=context)


def _copied(values):
    """Numbers that pickle: views of the library are copied on the way."""
    return values if values is None or not isinstance(values, _core.Array) else values.tolist()


def _copied_groups(groups):
    return {name: {part: _copied(numbers) for part, numbers in group.items() if len(numbers)} for name, group in groups.items()}


def _make_mesh(positions, blocks, keywords):
    return _core.Mesh(positions, blocks, **keywords)


def _reduce_mesh(self):
    nodes = self.node_count
    arrays = {name: ("nodes" if len(values) == nodes else "elements", _copied(values)) for name, values in self.arrays.items()}
    keywords = {"groups": _copied_groups(self.groups), "arrays": arrays, "node_ids": _copied(self.node_ids),
                "element_ids": _copied(self.element_ids), "fix_orientation": False}
    return _make_mesh, (_copied(self.positions), [(word, _copied(array)) for word, array in self.blocks], keywords)


def _make_surface(positions, faces, keywords):
    return _core.Surface(positions, faces, **keywords)


def _reduce_surface(self):
    vertices = len(self.positions)
    keywords = {name: _copied(getattr(self, name))
                for name in ("texcoords", "face_texcoords", "normals", "face_normals", "colors")}
    keywords["groups"] = _copied_groups(self.groups)
    keywords["arrays"] = {name: ("nodes" if len(values) == vertices else "elements", _copied(values))
                          for name, values in self.arrays.items()}
    return _make_surface, (_copied(self.positions), _copied(self.faces), keywords)


def attach():
    """Adds the functions to the classes."""
    for function, name in ((_publish_fields, "publish_fields"),):
        function.__name__, function.__qualname__ = name, "World." + name
        setattr(_core.World, name, function)
    _core.World.params = property(_params)
    for function, name in ((_pin, "pin"), (_release, "release"), (_drag, "drag"), (_drop, "drop"), (_move, "move")):
        function.__name__, function.__qualname__ = name, "Body." + name
        setattr(_core.Body, name, function)
    _core.Mesh.examine = _report(_core.Mesh.examine)
    _core.Surface.examine = _report(_core.Surface.examine)
    _core.Mesh.examine_arrays = staticmethod(_report(_core.Mesh.examine_arrays))
    _core.Mesh.__reduce__, _core.Surface.__reduce__ = _reduce_mesh, _reduce_surface
    _core.Mesh.to_dict, _core.Mesh.from_dict = _to_dict, staticmethod(_from_dict)
    _to_dict.__name__, _from_dict.__name__ = "to_dict", "from_dict"


attach()
