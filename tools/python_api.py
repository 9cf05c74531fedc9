#!/usr/bin/env python3
"""Writes what the Python package knows about the C interface, from include/souple/*.h.

    tools/python_api.py                     replaces python/src/tables.h, tables.c and docs.h
    tools/python_api.py --output FOLDER     writes them into FOLDER
    tools/python_api.py --stubs             replaces python/souple/__init__.pyi, from the headers and the built module
                                            (PYTHONPATH=build/gcc/python)
    tools/python_api.py --functions         prints the name of every public function

A struct becomes a table of fields: name, type, offset, how many, the words of its enumeration, its comment. One loop converts
keyword arguments by it and makes records of results, so that a field that is added to a header is known to Python once this
script has run. What a header does not say about an array (how long it must be) stands in SIZES below.
"""
import argparse
import keyword
import pathlib
import re
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent
HEADERS = ["base", "mesh", "solve", "body", "contact", "world", "batch", "io"]

# Structs that Python builds from keyword arguments or shows as records. Others are handles, or are converted by hand.
HAND = {"sp_error", "sp_context_def", "sp_signal", "sp_pose_signal", "sp_checkpoint", "sp_batch_def", "sp_batch_view",
        "sp_fill_region", "sp_label_volume", "sp_defect", "sp_snapshot", "sp_snapshot_body", "sp_snapshot_surface",
        "sp_snapshot_field",
        "sp_contact_problem", "sp_mesh_def", "sp_trimesh_def", "sp_mesh_group", "sp_mesh_array", "sp_body_id", "sp_link_id"}

# What a struct starts from where it has no default function; the rest is zero.
INITIAL = {
    "sp_pose": "sp_pose_identity()",
    "sp_fix": "(sp_fix){.axes = SP_AXES_ALL}",
    "sp_move": "(sp_move){.axes = SP_AXES_ALL, .pose = sp_pose_signal_constant(sp_pose_identity())}",
    "sp_material": "sp_solid_def_default().material",
    "sp_moduli": None,
    "sp_solid_law": "(sp_solid_law){.rotation = SP_ROTATION_SVD, .volumetric = SP_VOLUMETRIC_LOG}",
    "sp_rigid_shape": "(sp_rigid_shape){.pose = sp_pose_identity()}",
    "sp_rod_section": "sp_rod_section_default()",
    "sp_rod_strand": "(sp_rod_strand){.root = sp_pose_identity()}",
    "sp_rod_feed": "(sp_rod_feed){.direction = {1, 0, 0}}",
    "sp_contact_part": "(sp_contact_part){.surface = -1}",
    "sp_edit": "sp_edit_default(SP_EDIT_PIN)",
}
# The same for the items of one field only.
INITIAL_OF = {
    "sp_solid_def.regions": ("sp_material", "initial_region"),
    "sp_eigenstrains.regions": ("sp_eigenstrain", "initial_eigenstrain"),
}
# Number of items of an array, where neither a count of the struct nor its comment says it: (function of tables.c, numbers per
# item). The function gets the address of the struct.
SIZES = {
    "sp_solid_def.initial": ("solid_nodes", 3),
    "sp_solid_def.initial_velocity": ("solid_nodes", 3),
    "sp_solid_def.element_region": ("solid_elements", 1),
    "sp_solid_def.element_density": ("solid_elements", 1),
    "sp_solid_def.element_young": ("solid_elements", 1),
    "sp_solid_def.element_poisson": ("solid_elements", 1),
    "sp_solid_def.element_fibre": ("solid_elements", 6),
    "sp_eigenstrains.regions": ("eigenstrain_regions", 1),
    "sp_eigenstrains.element_swell": ("eigenstrain_elements", 1),
    "sp_eigenstrains.element_active": ("eigenstrain_elements", 1),
    "sp_rod_strand.curvature": ("strand_nodes", 3),
    "sp_rod_strand.start": ("strand_nodes", 3),
    "sp_rod_strand.section": ("strand_elements", 1),
}
COUNTS = {"sp_addition.nodes": "node_entries", "sp_surface_info.nodes": "vertex_count", "sp_surface_info.faces": "face_count",
          "sp_surface_info.rings": "ring_count", "sp_solid_def.region_laws": "region_count", "sp_rigid_def.meshes": "mesh_count",
          "sp_addition.rest": "node_count", "sp_addition.position": "node_count", "sp_addition.velocity": "node_count"}
# Fields that are converted by hand, or that nobody needs: cookies, functions, what a property of a class shows.
HIDDEN = {"sp_surface_info.anchors", "sp_selection.where", "sp_selection.where_user", "sp_selection.has_box",
          "sp_selection.has_sphere", "sp_selection.has_plane", "sp_selection.has_near", "sp_link_def.has_point",
          "sp_rod_def.natural_in_time", "sp_examine_options.node_ids", "sp_examine_options.element_ids", "sp_fill_def.regions",
          "sp_fill_def.region_count", "sp_fill_def.body"}
# A field that is set when another one is given.
GIVEN = {"sp_selection.box": "has_box", "sp_selection.sphere": "has_sphere", "sp_selection.plane": "has_plane",
         "sp_selection.near": "has_near", "sp_link_def.point": "has_point", "sp_rod_def.natural": "natural_in_time"}
# The field that a bare value means: solver="pcg", fixes=[nodes], a=body.
BARE = {"sp_fix": "nodes", "sp_solver_def": "type", "sp_integrator_def": "type", "sp_contact_part": "body",
        "sp_link_part": "body", "sp_cg_options": "op", "sp_pcg_options": "preconditioner"}
# Structs whose fields may also be given one level higher: young= beside material=.
FLAT = {"sp_solid_def": "material"}
# Records whose name would be that of a class.
TITLES = {"sp_edit": "EditTaken", "sp_batch_memory": "BatchMemory"}
ALIASES = {"fixes": "fix", "masses": "mass", "meshes": "mesh"}
# Other names of a field, which its use suggests.
ALSO = {"sp_load.items": "nodes faces", "sp_rod_section.axes": "radius"}
# Arrays inside a struct with a count beside them, which Python sets itself, and how many numbers one counted item has; and those
# that may be shorter: the rest is zero.
FILLED = {"sp_material.coefficients": ("coefficient_count", 1), "sp_material.relaxation": ("relaxation_count", 2)}
SHORT = {"sp_rigid_shape.size", "sp_edit.size", "sp_material.fibre", "sp_load.value"}
# Arrays inside a struct of which one number means all: a round cross section.
EQUAL = {"sp_rod_section.axes"}
BITS = {
    "axes": ("axes", [("x", "SP_AXIS_X"), ("y", "SP_AXIS_Y"), ("z", "SP_AXIS_Z")]),
    "roles": ("roles", [("visual", "SP_ROLE_VISUAL"), ("collision", "SP_ROLE_COLLISION"), ("mechanical", "SP_ROLE_MECHANICAL"),
                        ("interfaces", "SP_ROLE_INTERFACES")]),
    "ends": ("ends", [("low-open", "SP_RANGE_LOW_OPEN"), ("high-open", "SP_RANGE_HIGH_OPEN"),
                      ("low-guard", "SP_RANGE_LOW_GUARD"), ("high-guard", "SP_RANGE_HIGH_GUARD"),
                      ("integer", "SP_RANGE_INTEGER")]),
}
# Words of the scene language that are not those of the constant.
WORDS = {"SP_COMPLETE_CHOLESKY": "cholesky", "SP_OPERATOR_FREE": "matrix-free"}
PREFIXES = {"sp_on_limit": "SP_LIMIT_", "sp_tensor_law": "SP_TENSOR_", "sp_contact_method": "SP_CONTACT_"}

NUMBERS = {"double": "DOUBLE", "float": "FLOAT", "int": "INT", "unsigned": "UINT", "int64_t": "INT64", "long": "INT64",
           "uint64_t": "UINT64",
           "uint32_t": "UINT", "size_t": "SIZE", "unsigned char": "BYTE", "bool": "BOOL"}


class Field:
    def __init__(self, name, type_, pointer, extent, doc):
        self.name, self.type, self.pointer, self.extent, self.doc = name, type_, pointer, extent, doc


class Api:
    """What the headers declare."""

    def __init__(self):
        self.structs, self.enums, self.functions, self.docs = {}, {}, {}, {}
        self.handles = set()
        self.header_of = {}
        for name in HEADERS:
            self.read(name)

    def read(self, name):
        lines = (ROOT / "include/souple" / (name + ".h")).read_text().split("\n")
        at, doc = 0, []
        while at < len(lines):
            line = lines[at]
            if line.startswith("/// "):
                doc.append(line[4:])
            elif match := re.match(r"typedef struct (\w+) \{", line):
                end = lines.index("} %s;" % match[1], at)
                self.structs[match[1]] = read_fields(lines[at + 1:end])
                self.docs[match[1]], doc = " ".join(doc), []
                self.header_of[match[1]] = name
                at = end
            elif match := re.match(r"typedef struct (\w+) \1;", line):
                self.handles.add(match[1])
                self.docs[match[1]], doc = " ".join(doc), []
            elif match := re.match(r"typedef enum (\w+) \{", line):
                end = at
                while "}" not in lines[end]:
                    end += 1
                if "LIST(SP_X)" not in " ".join(lines[at:end]):
                    self.enums[match[1]] = read_enum(" ".join(re.sub(r"//.*", "", l) for l in lines[at:end + 1]))
                    self.header_of[match[1]] = name
                self.docs[match[1]], doc = " ".join(doc), []
                at = end
            elif line.startswith("SP_API "):
                text = line
                while ";" not in lines[at]:
                    at += 1
                    text += " " + lines[at].strip()
                declaration, _, after = text.partition(";")
                if "///<" in after:
                    doc.append(after.split("///<")[1].strip())
                    while at + 1 < len(lines) and re.match(r"\s+///< ", lines[at + 1]):
                        at += 1
                        doc.append(lines[at].split("///<")[1].strip())
                function = re.search(r"(\w+)\(", declaration)[1]
                self.functions[function] = declaration[len("SP_API "):]
                self.docs[function], doc = " ".join(doc), []
                self.header_of[function] = name
            elif not line.startswith("///"):
                doc = []
            at += 1

    def words(self, enum):
        """(word, constant) of an enumeration: the constant without what all of them begin with."""
        names = self.enums[enum]
        prefix = PREFIXES.get(enum)
        if prefix is None:
            first = names[0].split("_")
            n = 0
            while all(len(x.split("_")) > n + 1 and x.split("_")[n] == first[n] for x in names):
                n += 1
            prefix = "_".join(first[:n]) + "_"
        result = []
        for name in names:
            word = name[len(prefix):].lower().replace("_", "-")
            if word.endswith("-auto"):
                word = "auto"
            result.append((WORDS.get(name, word), name))
        return result


def read_enum(text):
    body = text[text.index("{") + 1:text.index("}")]
    return [part.split("=")[0].strip() for part in body.split(",") if part.strip()]


def read_fields(lines):
    fields, doc, at = [], [], 0
    while at < len(lines):
        line = lines[at].strip()
        if line.startswith("///<"):
            fields[-1].doc += " " + line[4:].strip()
        elif line.startswith("///"):
            doc.append(line[3:].strip())
        elif line.startswith("//") or not line:
            pass
        else:
            while ";" not in line:
                at += 1
                line += " " + lines[at].strip()
            declaration, _, after = line.partition(";")
            comment = " ".join(doc + ([after.split("///<")[1].strip()] if "///<" in after else []))
            doc = []
            fields += read_declaration(declaration, comment)
        at += 1
    return fields


def read_declaration(text, doc):
    if "(*" in text:
        return [Field(re.search(r"\(\*(\w+)\)", text)[1], "function", 1, None, doc)]
    match = re.match(r"(?:const )?(unsigned char|unsigned|\w+) (?=[*\w ])(.*)", text)
    result = []
    for part in match[2].split(","):
        part = part.strip()
        stars = part.count("*")
        name, extent = re.match(r"[*\s]*(?:const \*)?(\w+)(?:\[(.*)\])?$", part.replace("*const *", "**")).groups()
        result.append(Field(name, match[1], stars, extent, doc))
    return result


# ---------------------------------------------------------------------------------------------------- tables

def quoted(text, width=120):
    """A C string, over several lines where it is long."""
    text = text.replace("\\", "\\\\").replace('"', '\\"').replace("\n", "\\n")
    if len(text) <= width:
        return '"%s"' % text
    lines, rest = [], text
    while len(rest) > width:
        cut = rest.rfind(" ", 0, width) + 1
        if cut <= 0:
            cut = rest.find(" ") + 1 or len(rest)
        lines.append(rest[:cut])
        rest = rest[cut:]
    return "\n    ".join('"%s"' % l for l in lines + [rest])


class Names:
    """The names of C in comments become those of Python: functions, types, constants, statuses."""
    HANDLES = {"sp_context": "Context", "sp_mesh": "Mesh", "sp_trimesh": "Surface", "sp_world": "World", "sp_batch": "Batch",
               "sp_anchor": "Anchor", "sp_body_id": "Body", "sp_link_id": "Link", "sp_snapshot": "Snapshot", "sp_error": "Error",
               "sp_edit": "Edit", "sp_mesh_report": "MeshReport", "sp_snapshot_body": "SnapshotBody",
               "sp_snapshot_surface": "SnapshotSurface", "sp_status": "Status"}
    FAILURES = {"SP_NO_MEMORY": "OutOfMemory", "SP_BAD_INPUT": "BadInput", "SP_BAD_ID": "BadId", "SP_UNAVAILABLE": "Unavailable",
                "SP_NOT_FINITE": "NotFinite", "SP_SINGULAR": "Singular", "SP_DIVERGED": "Diverged", "SP_IO": "FileError",
                "SP_BUSY": "Busy", "SP_LIMIT": "LimitReached", "SP_STOPPED": "Stopped"}

    def __init__(self, api):
        self.names = dict(self.HANDLES)
        self.names.update({name: title(name) for name in results(api) if name not in HAND and name not in self.names})
        for line in (ROOT / "python/src/coverage.txt").read_text().split("\n"):
            function, _, there = line.partition(" ")
            if there and not there.strip().startswith("- ") and function in api.functions:
                self.names[function] = there.strip()
        for enum in api.enums:
            self.names.update({constant: '"%s"' % word for word, constant in api.words(enum)})
            self.names[enum] = "one of " + ", ".join('"%s"' % word for word, _ in api.words(enum))
        for _, words in BITS.values():
            self.names.update({constant: '"%s"' % word for word, constant in words})
        for match in re.finditer(r"X\(SP_(\w+), (-?\d+),", (ROOT / "include/souple/base.h").read_text()):
            self.names["SP_" + match[1]] = self.FAILURES.get("SP_" + match[1], "Status." + match[1])
        self.names.update({"NULL": "None", "SP_AUTO": "nan (auto)", "SP_SUBSTEPS_AUTO": "0", "SP_FIELD_LIST": "list_fields"})

    def __call__(self, text):
        text = re.sub(r" ?Optional: (out|index|info|def|whole)\.", "", text)
        text = text.replace("SP_AXIS_ bits", '"x", "y", "z"').replace("SP_ROLE_ bits", "roles").replace("SP_RANGE_ bits", "words")
        text = re.sub(r"Start from sp_\w+_default\(\)\.? ?", "", text)
        text = re.sub(r"\b(sp_\w+|SP_\w+|NULL)\b(\(\))?", lambda m: self.names.get(m[1], m[0]), text)
        return text.strip()


names = None


def plain(doc):
    """A comment of a header as Python's help shows it."""
    text = doc.replace("Nullable: ", "Optional: ").replace("nullable", "optional")
    return names(text) if names else text


def title(struct):
    """sp_body_info -> BodyInfo"""
    return TITLES.get(struct) or "".join(word.capitalize() for word in struct[3:].split("_"))


def results(api):
    """The structs that functions return or fill, and what is inside of them."""
    found = set()

    def add(name):
        if name in api.structs and name not in found:
            found.add(name)
            for field in api.structs[name]:
                add(field.type)

    for declaration in api.functions.values():
        for match in re.finditer(r"(const )?(\w+) \*(\w+)[,)]", declaration):
            if not match[1]:
                add(match[2])
        add(re.match(r"(?:const )?(\w+)", declaration)[1] if not declaration.split("(")[0].endswith("_default") else "")
    return found


def struct_order(api):
    """The structs with tables, those that are inside others first."""
    order = []

    def visit(name):
        if name in order or name in HAND or name not in api.structs:
            return
        for field in api.structs[name]:
            if field.type != name:
                visit(field.type)
        order.append(name)

    for name in api.structs:
        visit(name)
    return order


def count_of(api, struct, field):
    """(name of the count, numbers per item) of an array behind a pointer, or None."""
    names = {f.name for f in api.structs[struct] if f.type == "int" and not f.pointer and not f.extent}
    width = re.search(r"\w x (\d+)\b", field.doc)
    width = int(width[1]) if width else 1
    key = "%s.%s" % (struct, field.name)
    if key in COUNTS:
        return COUNTS[key], width
    said = re.match(r"\(?(\w+_count)\b", field.doc)
    if said and said[1] in names:
        return said[1], width
    base = ALIASES.get(field.name, field.name[:-1] if field.name.endswith("s") else field.name)
    for name in (base + "_count", field.name + "_count", "count"):
        if name in names:
            return name, width
    return None


def field_row(api, struct, field, tables):
    """The initialiser of one field, or None where it is hidden."""
    key = "%s.%s" % (struct, field.name)
    counts = {count_of(api, struct, f)[0] for f in api.structs[struct] if f.pointer and count_of(api, struct, f)}
    if key in HIDDEN or field.name in ("cookie",) or field.type in ("function", "void"):
        return None
    counts |= {count for filled, (count, _) in FILLED.items() if filled.startswith(struct + ".")}
    # a record shows how many there are, a definition counts what it is given
    if field.name in counts and not struct.endswith("_info") and struct != "sp_addition":
        return None
    # a word of Python cannot be a keyword argument
    row = {"name": field.name + "_" * keyword.iskeyword(field.name), "at": "offsetof(%s, %s)" % (struct, field.name),
           "doc": plain(field.doc)}
    if field.extent:
        row["extent"] = "sizeof ((%s *)0)->%s / sizeof ((%s *)0)->%s[0]" % (struct, field.name, struct, field.name)
    if key in FILLED:
        row["count"], row["width"] = "(int)offsetof(%s, %s)" % (struct, FILLED[key][0]), FILLED[key][1]
    elif key in SHORT:
        row["width"] = -1
    elif key in EQUAL:
        row["width"] = -2
    if key in GIVEN:
        row["given"] = "1 + (int)offsetof(%s, %s)" % (struct, GIVEN[key])
    alias = ALIASES.get(field.name) or (field.name[:-1] if field.name.endswith("s") and field.pointer else None)
    if key in ALSO:
        row["alias"] = ALSO[key]
    elif (alias and field.pointer and (field.type in api.structs or field.pointer > 1)
          and alias not in {f.name for f in api.structs[struct]}):
        row["alias"] = alias
    if field.type == "char":
        if field.pointer > 1:
            return None
        row["kind"] = "STRING" if field.pointer else "TEXT"
        if field.pointer == 0:
            row["extent"] = "sizeof ((%s *)0)->%s" % (struct, field.name)
        return row
    single = {"sp_signal": "SIGNAL", "sp_pose_signal": "POSE_SIGNAL", "sp_body_id": "BODY", "sp_link_id": "LINK",
              "sp_mesh": "MESH", "sp_trimesh": "SURFACE", "sp_anchor": "ANCHOR", "sp_status": "STATUS"}
    if field.pointer:
        if field.type in ("sp_mesh", "sp_trimesh"):
            row["kind"] = single[field.type]
            if field.pointer > 1:
                row["kind"] = "SURFACES"
                row["count"] = "(int)offsetof(%s, %s)" % (struct, count_of(api, struct, field)[0])
            return row
        if key in SIZES:
            row["size"], row["width"] = SIZES[key]
        elif found := count_of(api, struct, field):
            row["count"] = "(int)offsetof(%s, %s)" % (struct, found[0])
            row["width"] = found[1]
        elif field.type in tables:
            row["kind"], row["of"] = "ONE", field.type
            return row
        else:
            return None
        if field.type in NUMBERS:
            row["kind"], row["number"] = "ARRAY", NUMBERS[field.type]
        elif field.type == "sp_anchor":
            row["kind"] = "ANCHORS"
        elif field.type in tables:
            row["kind"], row["of"] = "STRUCTS", field.type
            if key in INITIAL_OF:
                row["initial"] = INITIAL_OF[key][1]
        else:
            return None
        return row
    if field.name in BITS and field.type == "unsigned":
        row["kind"], row["words"] = "BITS", BITS[field.name][0]
    elif field.name == "reservations":
        row["kind"] = "RESERVATIONS"
    elif field.type in NUMBERS:
        row["kind"], row["number"] = "NUMBER", NUMBERS[field.type]
    elif field.type in single:
        row["kind"] = single[field.type]
    elif field.type in api.enums:
        row["kind"], row["words"] = "WORD", field.type
    elif field.type in tables:
        row["kind"], row["of"] = "STRUCT", field.type
    else:
        return None
    return row


def row_text(row):
    parts = ['.name = "%s"' % row["name"], ".kind = SP_PY_%s" % row["kind"], ".at = " + row["at"]]
    for key in ("extent", "width", "count", "size", "given", "initial"):
        if key in row:
            parts.append(".%s = %s" % (key, row[key]))
    if "number" in row:
        parts.append(".number = SP_PY_" + row["number"])
    if "of" in row:
        parts.append(".of = &sp_py_struct_" + row["of"])
    if "words" in row:
        parts.append(".words = &sp_py_words_" + row["words"])
    if "alias" in row:
        parts.append('.alias = "%s"' % row["alias"])
    return "    {%s,\n     .doc = %s}," % (", ".join(parts), quoted(row["doc"]))


HEAD = "// Written by tools/python_api.py from include/souple/*.h: change those and run it again. clang-format does not apply.\n"


def tables_h(api):
    out = [HEAD + "// Fields of structs and words of enumerations, for convert.c.",
           "// clang-format off", "#ifndef SP_PYTHON_TABLES_H", "#define SP_PYTHON_TABLES_H", "", '#include "convert.h"', ""]
    for name in sorted(api.enums):
        out.append("extern const sp_py_words sp_py_words_%s;" % name)
    out += ["extern const sp_py_words sp_py_words_%s;" % name for name, _ in BITS.values()]
    out.append("")
    out += ["extern const sp_py_struct sp_py_struct_%s;" % name for name in struct_order(api)]
    out += ["", "// all structs with tables, ends with NULL", "extern const sp_py_struct *const sp_py_structs[];",
            "// all enumerations, ends with NULL", "extern const sp_py_words *const sp_py_all_words[];", "", "#endif", ""]
    return "\n".join(out)


def tables_c(api):
    tables, shown = struct_order(api), results(api)
    out = [HEAD + "// clang-format off", '#include "tables.h"', "", "#include <souple/io.h>", "", '#include "sizes.h"', ""]
    for name in sorted(api.enums):
        rows = "".join('    {"%s", %s},\n' % pair for pair in api.words(name))
        out.append('static const sp_py_word words_%s[] = {\n%s};' % (name, rows))
        out.append('const sp_py_words sp_py_words_%s = {"%s", words_%s, %d, false};\n' % (name, name, name, len(api.words(name))))
    for name, words in BITS.values():
        rows = "".join('    {"%s", %s},\n' % pair for pair in words)
        out.append('static const sp_py_word words_%s[] = {\n%s};' % (name, rows))
        out.append('const sp_py_words sp_py_words_%s = {"%s", words_%s, %d, true};\n' % (name, name, name, len(words)))
    for name in tables:
        rows = [r for r in (field_row(api, name, f, tables) for f in api.structs[name]) if r]
        out.append("static const sp_py_field fields_%s[] = {" % name)
        out += [row_text(row) for row in rows]
        out.append("};")
        initial = INITIAL.get(name, name + "_default()" if name + "_default" in api.functions else None)
        if name + "_default" in api.functions and name != "sp_edit":
            initial = name + "_default()"
        if initial:
            out.append("static void initial_%s(void *out) {\n    *(%s *)out = %s;\n}" % (name, name, initial))
        out.append('const sp_py_struct sp_py_struct_%s = {' % name)
        out.append('    .name = "%s", .title = "souple.%s", .size = sizeof(%s), .fields = fields_%s, .count = %d,'
                   % (name, title(name), name, name, len(rows)))
        extra = ['.initial = %s' % ("initial_" + name if initial else "NULL")]
        if name in shown and name != "sp_anchor":
            extra.append(".record = true")
        if name in BARE:
            extra.append('.bare = "%s"' % BARE[name])
        if name in FLAT:
            extra.append('.flat = "%s"' % FLAT[name])
        out.append("    %s,\n    .doc = %s};\n" % (", ".join(extra), quoted(plain(api.docs[name]))))
    lines = "".join("    &sp_py_struct_%s,\n" % n for n in tables)
    out.append("const sp_py_struct *const sp_py_structs[] = {\n%s    NULL};" % lines)
    enums = sorted(api.enums) + [name for name, _ in BITS.values()]
    lines = "".join("    &sp_py_words_%s,\n" % n for n in enums)
    out.append("const sp_py_words *const sp_py_all_words[] = {\n%s    NULL};\n" % lines)
    return "\n".join(out)


def keyword_doc(api, row):
    """What help says of a keyword: its comment, and the words or the kind of its value."""
    of = "a dict"
    if row.get("of"):
        rows = (field_row(api, row["of"], field, struct_order(api)) for field in api.structs[row["of"]])
        of += " of " + ", ".join(r["name"] for r in rows if r)
        of += ", or just its " + BARE[row["of"]] if row["of"] in BARE else ""
    kinds = {"BODY": "a body, or its name", "ANCHOR": "a material point: Body.anchor, or a dict of elem, at, offset",
             "STRUCT": of, "STRUCTS": of + "; or a list of them", "ONE": of,
             "SIGNAL": "a number or a function of t [s]" if "extent" not in row else
                       "numbers or functions of t [s], or one function that returns as many",
             "POSE_SIGNAL": "a pose, or a function of t [s] that returns one"}
    kind = kinds.get(row["kind"], "")
    if row.get("of") == "sp_pose":
        kind = "x y z, or x y z and a quaternion w x y z, or a dict of translate and quat"
    if "words" in row:
        words = dict((name, words) for name, words in BITS.values()).get(row["words"]) or api.words(row["words"])
        kind = ("words: " if row["kind"] == "BITS" else "one of ") + ", ".join('"%s"' % word for word, _ in words)
    return "; ".join(part for part in (row["doc"], kind) if part)


def docs_h(api):
    """Comments of functions, and lists of keyword arguments, as macros for docstrings."""
    tables = struct_order(api)
    out = [HEAD + "// Docstrings: SP_DOC_sp_world_step is the comment of the function,",
           "// SP_KEYWORDS_sp_solid_def the list of the fields of a definition.", "// clang-format off",
           "#ifndef SP_PYTHON_DOCS_H", "#define SP_PYTHON_DOCS_H", ""]
    for name in api.functions:
        out.append("#define SP_DOC_%s \\\n    %s" % (name, quoted(plain(api.docs[name])).replace("\n", " \\\n")))
    for name in sorted(api.handles | set(api.structs)):
        out.append("#define SP_DOC_%s \\\n    %s" % (name, quoted(plain(api.docs[name])).replace("\n", " \\\n")))
    for name in tables:
        rows = [r for r in (field_row(api, name, f, tables) for f in api.structs[name]) if r]
        text = "\n".join("    %s: %s" % (r["name"], keyword_doc(api, r)) for r in rows)
        out.append("#define SP_KEYWORDS_%s \\\n    %s" % (name, quoted("\n" + text + "\n").replace("\n", " \\\n")))
    return "\n".join(out + ["", "#endif", ""])


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--output", type=pathlib.Path, default=ROOT / "python/src")
    parser.add_argument("--functions", action="store_true")
    parser.add_argument("--stubs", action="store_true")
    options = parser.parse_args()
    global names
    api = Api()
    names = Names(api)
    if options.functions:
        print("\n".join(api.functions))
        return 0
    if options.stubs:
        from python_stubs import stubs
        path = ROOT / "python/souple/__init__.pyi" if options.output == ROOT / "python/src" else options.output / "__init__.pyi"
        path.write_text(stubs(api))
        return 0
    options.output.mkdir(parents=True, exist_ok=True)
    (options.output / "tables.h").write_text(tables_h(api))
    (options.output / "tables.c").write_text(tables_c(api))
    (options.output / "docs.h").write_text(docs_h(api))
    return 0


if __name__ == "__main__":
    sys.exit(main())
