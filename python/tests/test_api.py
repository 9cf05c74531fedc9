"""The lists agree: headers, generated tables, coverage, stubs, docstrings."""
import ast
import inspect
import os
import pathlib
import re
import subprocess
import sys
import tempfile
import unittest

import souple

SOURCE = pathlib.Path(os.environ.get("SP_SOURCE_DIR", pathlib.Path(__file__).parents[2]))
HEADERS = ("base", "mesh", "solve", "body", "contact", "world", "batch", "io")

sys.path.insert(0, str(SOURCE / "tools"))
sys.dont_write_bytecode = True
import python_api  # noqa: E402


def resolve(name):
    at = souple
    for part in name.split("."):
        at = getattr(at, part)
    return at


# fields of scenes, runs and files that are converted by hand: lists of texts, arrays with lengths of their own
BY_HAND = {"sp_scene_options": "sets allow_paths", "sp_import_options": "folders", "sp_run_options": "world",
           "sp_run_probe": "quantities components times interpolated", "sp_mesh_file_content": "mesh surface node_ids face_ids",
           "sp_recording_info": "sets", "sp_recording_body": "fields", "sp_run_recorder_def": "quantities",
           "sp_section_faces": "values regions", "sp_plot": "labels", "sp_fclib_matrix": "start column value",
           "sp_fclib_problem": "q s f w b mu", "sp_fclib_solution": "u r v l"}


class Lists(unittest.TestCase):
    def test_generated_files_are_those_of_the_headers(self):
        with tempfile.TemporaryDirectory() as folder:
            subprocess.run([sys.executable, "-B", str(SOURCE / "tools/python_api.py"), "--output", folder], check=True)
            for name in ("tables.h", "tables.c", "docs.h"):
                self.assertEqual(pathlib.Path(folder, name).read_text(), (SOURCE / "python/src" / name).read_text(),
                                 "run tools/python_api.py")

    def test_every_function_has_a_name_in_python_or_a_reason(self):
        api = python_api.Api()
        public = {name for name in api.functions if api.header_of[name] in HEADERS}
        covered = {}
        for line in (SOURCE / "python/src/coverage.txt").read_text().split("\n"):
            if line and not line.startswith("#"):
                function, _, there = line.partition(" ")
                covered[function] = there.strip()
        self.assertEqual(sorted(public - set(covered)), [], "functions without a line in python/src/coverage.txt")
        self.assertEqual(sorted(f for f in covered if f not in api.functions), [], "lines without a function")
        for function, there in covered.items():
            if there.startswith("- "):
                self.assertGreater(len(there), 8, function)
            elif there not in ("Status.text", "Error.status_name"):
                resolve(there)

    def test_every_field_of_a_definition_is_a_keyword(self):
        # a field that nothing converts would be lost in silence: it must be one of those that are known to be left out
        api = python_api.Api()
        tables = python_api.struct_order(api)
        for struct in tables:
            if api.header_of[struct] not in HEADERS:
                continue
            for field in api.structs[struct]:
                counted = field.name.endswith(("count", "entries")) or field.name in ("cookie", "nodes_per_element")
                key = "%s.%s" % (struct, field.name)
                if field.name in BY_HAND.get(struct, "").split():
                    continue
                if python_api.field_row(api, struct, field, tables) is None and not counted and key not in python_api.HIDDEN:
                    self.assertEqual(field.type, "function", key)

    def test_stubs_name_everything(self):
        tree = ast.parse((SOURCE / "python/souple/__init__.pyi").read_text())
        classes = {node.name: node for node in tree.body if isinstance(node, ast.ClassDef)}
        names = set(classes) | {node.name for node in tree.body if isinstance(node, ast.FunctionDef)}
        names |= {node.target.id for node in tree.body if isinstance(node, ast.AnnAssign)}
        for name in dir(souple):
            value = getattr(souple, name)
            if name.startswith("_") or inspect.ismodule(value):
                continue
            self.assertIn(name, names, "run tools/python_api.py --stubs")
            if not isinstance(value, type) or issubclass(value, (tuple, BaseException, int, dict)):
                continue
            known = {node.name for node in classes[name].body if isinstance(node, ast.FunctionDef)}
            missing = {n for n in vars(value) if not n.startswith("_")} - known
            self.assertEqual(missing, set(), "of %s: run tools/python_api.py --stubs" % name)
        self.assertTrue((SOURCE / "python/souple/py.typed").exists())

    def test_help_says_what_the_headers_say(self):
        self.assertIn("h > 0 seconds", souple.World.step.__doc__)
        self.assertIn("young: [Pa] >= 0", souple.World.add_solid.__doc__)
        self.assertEqual(str(inspect.signature(souple.Mesh.box)), "(size, cells, per_cell=6, context=None)")
        self.assertIn("[J]", souple.BodyMeasures.kinetic.__doc__)
        for cls in (souple.World, souple.Body, souple.Link, souple.Anchor, souple.Mesh, souple.Surface, souple.Batch,
                    souple.Snapshot, souple.Context, souple.Scene, souple.Run, souple.Probe, souple.Recording, souple.Recorder,
                    souple.MeshFile, souple.Volume, souple.EditLog, souple.Import, souple.Gltf, souple.Section):
            for name, value in vars(cls).items():
                if not name.startswith("_"):
                    self.assertTrue(value.__doc__, "%s.%s" % (cls.__name__, name))


class Words(unittest.TestCase):
    def test_words_are_those_of_scenes(self):
        schema = (SOURCE / "scenes/schema/scene.rng").read_text()
        known = set(re.findall(r"<value>([^<]+)</value>", schema))
        api = python_api.Api()
        # what scenes have no word for: they say it by another attribute, or never
        silent = {"every"}
        for enum in ("sp_material_model", "sp_integrator_type", "sp_solver_type", "sp_preconditioner", "sp_operator_type",
                     "sp_refresh_policy", "sp_ordering", "sp_factor_kind", "sp_contact_formulation", "sp_contact_method",
                     "sp_contact_local", "sp_contact_broad", "sp_contact_law", "sp_link_type", "sp_rod_model",
                     "sp_compliance_type", "sp_stabilisation", "sp_volumetric", "sp_neo_hookean_form", "sp_rotation",
                     "sp_tangent", "sp_mass_matrix", "sp_integration", "sp_grow_mode", "sp_on_limit", "sp_on_failure"):
            words = {word for word, _ in api.words(enum)}
            self.assertEqual(words - known - silent, set(), enum)


if __name__ == "__main__":
    unittest.main()
