// souple.Surface: triangle surfaces.
#include <string.h>

#include "convert.h"
#include "docs.h"
#include "mesh_parts.h"
#include "tables.h"

PyTypeObject *sp_py_surface_type;

static void destroy_surface(void *pointer) {
    sp_trimesh *surface = pointer;
    sp_trimesh_destroy(&surface);
}

PyObject *sp_py_surface_new(sp_trimesh *surface, sp_py_handle *context) {
    return sp_py_object_new(sp_py_surface_type, sp_py_handle_new("surface", surface, destroy_surface, context));
}

sp_trimesh *sp_py_surface(PyObject *object, const char *what) {
    if (Py_TYPE(object) != sp_py_surface_type) return sp_py_fail(SP_BAD_INPUT, "%s: must be a souple.Surface", what);
    return sp_py_pointer_shared(((sp_py_object *)object)->handle, "surface");
}

static sp_py_handle *handle_of(PyObject *self) {
    return ((sp_py_object *)self)->handle;
}

static sp_trimesh *surface_of(PyObject *self) {
    return sp_py_pointer_shared(handle_of(self), "surface");
}

static PyObject *made(sp_status status, sp_trimesh *surface, sp_py_handle *context) {
    if (status < 0) return sp_py_raise_context(status, context->pointer);
    return sp_py_surface_new(surface, context);
}

// an optional array: its address into the pointer at `out`, and its number of rows, which must be *rows unless that is -1
static int read_optional(sp_py_call *call, PyObject *value, const char *what, sp_py_number number, int width, void *out,
                         int *rows) {
    Py_ssize_t n = 0;
    if (!value || value == Py_None) return 0;
    const void *numbers = sp_py_numbers(call, value, what, number, width, &n);
    if (numbers && *rows >= 0 && n != *rows) return sp_py_fail(SP_BAD_INPUT, "%s: %zd rows, must be %d", what, n, *rows), -1;
    *rows = (int)n;
    memcpy(out, &numbers, sizeof numbers);
    return numbers ? 0 : -1;
}

static PyObject *surface_new(PyTypeObject *type, PyObject *args, PyObject *keywords) {
    (void)type;
    static char *names[] = {"positions", "faces",  "texcoords", "face_texcoords", "normals", "face_normals",
                            "colors",    "groups", "arrays",    "context",        NULL};
    PyObject *positions, *faces, *texcoords = NULL, *face_texcoords = NULL, *normals = NULL, *face_normals = NULL;
    PyObject *colors = NULL, *groups = NULL, *arrays = NULL, *given = NULL, *result = NULL;
    if (!PyArg_ParseTupleAndKeywords(args, keywords, "OO|$OOOOOOOO:Surface", names, &positions, &faces, &texcoords,
                                     &face_texcoords, &normals, &face_normals, &colors, &groups, &arrays, &given))
        return NULL;
    sp_py_handle *context = sp_py_context_handle(given);
    sp_py_call call = {0};
    sp_trimesh_def def = sp_trimesh_def_default();
    mesh_parts parts;
    sp_trimesh *surface = NULL;
    sp_status status;
    def.vertex_count = def.face_count = def.texcoord_count = def.normal_count = -1;
    if (!context || read_optional(&call, positions, "positions", SP_PY_DOUBLE, 3, &def.positions, &def.vertex_count) < 0 ||
        read_optional(&call, faces, "faces", SP_PY_INT, 3, &def.faces, &def.face_count) < 0 ||
        read_optional(&call, texcoords, "texcoords", SP_PY_DOUBLE, 2, &def.texcoords, &def.texcoord_count) < 0 ||
        read_optional(&call, face_texcoords, "face_texcoords", SP_PY_INT, 3, &def.face_texcoords, &def.face_count) < 0 ||
        read_optional(&call, normals, "normals", SP_PY_DOUBLE, 3, &def.normals, &def.normal_count) < 0 ||
        read_optional(&call, face_normals, "face_normals", SP_PY_INT, 3, &def.face_normals, &def.face_count) < 0 ||
        read_optional(&call, colors, "colors", SP_PY_DOUBLE, 4, &def.colors, &def.vertex_count) < 0 ||
        mesh_parts_read(&call, groups, arrays, def.vertex_count, def.face_count, &parts) < 0)
        goto done;
    if (!def.texcoords) def.texcoord_count = 0;
    if (!def.normals) def.normal_count = 0;
    def.groups = parts.groups, def.group_count = parts.group_count, def.arrays = parts.arrays,
    def.array_count = parts.array_count;
    SP_PY_UNLOCKED(context, status = sp_trimesh_create(context->pointer, &def, &surface));
    result = made(status, surface, context);
done:
    sp_py_call_end(&call, false);
    return result;
}

// ---------------------------------------------------------------------------------------------------- arrays

static PyObject *rows_of(PyObject *self, const void *data, sp_py_number number, Py_ssize_t rows, Py_ssize_t width) {
    if (!data) Py_RETURN_NONE;
    return sp_py_view((PyObject *)handle_of(self), data, number, 2, (Py_ssize_t[]){rows, width}, false);
}

#define ARRAY(field, number, rows, width)                             \
    static PyObject *surface_##field(PyObject *self, void *closure) { \
        (void)closure;                                                \
        const sp_trimesh *surface = surface_of(self);                 \
        sp_trimesh_def def;                                           \
        if (!surface) return NULL;                                    \
        sp_trimesh_get(surface, &def);                                \
        return rows_of(self, def.field, number, def.rows, width);     \
    }
ARRAY(positions, SP_PY_DOUBLE, vertex_count, 3)
ARRAY(faces, SP_PY_INT, face_count, 3)
ARRAY(texcoords, SP_PY_DOUBLE, texcoord_count, 2)
ARRAY(face_texcoords, SP_PY_INT, face_count, 3)
ARRAY(normals, SP_PY_DOUBLE, normal_count, 3)
ARRAY(face_normals, SP_PY_INT, face_count, 3)
ARRAY(colors, SP_PY_DOUBLE, vertex_count, 4)
#undef ARRAY

static PyObject *surface_groups(PyObject *self, void *closure) {
    (void)closure;
    const sp_trimesh *surface = surface_of(self);
    sp_trimesh_def def;
    if (!surface) return NULL;
    sp_trimesh_get(surface, &def);
    return mesh_groups_dict((PyObject *)handle_of(self), def.groups, def.group_count);
}

static PyObject *surface_arrays(PyObject *self, void *closure) {
    (void)closure;
    const sp_trimesh *surface = surface_of(self);
    sp_trimesh_def def;
    if (!surface) return NULL;
    sp_trimesh_get(surface, &def);
    return mesh_arrays_dict((PyObject *)handle_of(self), def.arrays, def.array_count, def.vertex_count, def.face_count);
}

static PyObject *surface_context(PyObject *self, void *closure) {
    (void)closure;
    return surface_of(self) ? sp_py_context_of(handle_of(self)) : NULL;
}

// ---------------------------------------------------------------------------------------------------- other surfaces

static PyObject *surface_subdivided(PyObject *self, PyObject *args, PyObject *keywords) {
    static char *names[] = {"times", "smooth", "crease", NULL};
    int times = 1, smooth = 0;
    double crease = 180;
    const sp_trimesh *surface = surface_of(self);
    sp_trimesh *fine = NULL;
    sp_status status;
    if (!surface || !PyArg_ParseTupleAndKeywords(args, keywords, "|ipd:subdivided", names, &times, &smooth, &crease)) return NULL;
    SP_PY_UNLOCKED(handle_of(self), status = sp_trimesh_subdivided(surface, times, smooth, crease, &fine));
    return made(status, fine, handle_of(self)->parent);
}

static PyObject *surface_transformed(PyObject *self, PyObject *args, PyObject *keywords) {
    static char *names[] = {"scale", "pose", NULL};
    PyObject *scale = NULL, *pose = NULL, *result = NULL;
    const sp_trimesh *surface = surface_of(self);
    double factors[3];
    const double *s;
    sp_pose motion;
    const sp_pose *p;
    sp_trimesh *moved = NULL;
    sp_py_call call = {0};
    sp_status status;
    if (!surface || !PyArg_ParseTupleAndKeywords(args, keywords, "|OO:transformed", names, &scale, &pose)) return NULL;
    if (transform_read(&call, scale, pose, factors, &motion, &s, &p) == 0) {
        SP_PY_UNLOCKED(handle_of(self), status = sp_trimesh_transformed(surface, s, p, &moved));
        result = made(status, moved, handle_of(self)->parent);
    }
    sp_py_call_end(&call, false);
    return result;
}

static PyObject *surface_examine(PyObject *self, PyObject *args, PyObject *keywords) {
    const sp_trimesh *surface = surface_of(self);
    PyObject *all = surface ? sp_py_arguments("examine", args, keywords, NULL, 0) : NULL, *result = NULL;
    sp_py_call call = {0};
    sp_trimesh_def def;
    sp_examine_options options;
    sp_mesh_report *report = NULL;
    sp_status status;
    if (all && sp_py_struct_set(&call, &sp_py_struct_sp_examine_options, all, &options) == 0) {
        sp_trimesh_get(surface, &def);
        SP_PY_UNLOCKED(handle_of(self), status = sp_trimesh_examine(sp_trimesh_context(surface), &def, &options, &report));
        result = status < 0 ? sp_py_raise_context(status, sp_trimesh_context(surface)) : mesh_report_object(report);
    }
    sp_py_call_end(&call, false);
    Py_XDECREF(all);
    return result;
}

static PyObject *surface_repaired(PyObject *self, PyObject *args, PyObject *keywords) {
    const sp_trimesh *surface = surface_of(self);
    PyObject *all = surface ? sp_py_arguments("repaired", args, keywords, NULL, 0) : NULL, *result = NULL;
    sp_py_call call = {0};
    sp_trimesh_def def;
    sp_examine_options options;
    sp_mesh_repairs repairs;
    sp_trimesh *sound = NULL;
    sp_status status;
    if (all && sp_py_struct_set(&call, &sp_py_struct_sp_examine_options, all, &options) == 0) {
        sp_trimesh_get(surface, &def);
        SP_PY_UNLOCKED(handle_of(self),
                       status = sp_trimesh_repaired(sp_trimesh_context(surface), &def, &options, &sound, &repairs));
        PyObject *object = made(status, sound, handle_of(self)->parent);
        PyObject *record = object ? sp_py_record(&sp_py_struct_sp_mesh_repairs, &repairs, NULL) : NULL;
        if (record) result = Py_BuildValue("(OO)", object, record);
        Py_XDECREF(object);
        Py_XDECREF(record);
    }
    sp_py_call_end(&call, false);
    Py_XDECREF(all);
    return result;
}

static PyObject *surface_close(PyObject *self, PyObject *unused) {
    (void)unused;
    Py_CLEAR(((sp_py_object *)self)->handle);
    Py_RETURN_NONE;
}

static PyObject *surface_repr(PyObject *self) {
    sp_trimesh_def def;
    if (!handle_of(self)) return PyUnicode_FromString("<souple.Surface, closed>");
    const sp_trimesh *surface = surface_of(self);
    if (!surface) return NULL;
    sp_trimesh_get(surface, &def);
    return PyUnicode_FromFormat("<souple.Surface: %d vertices, %d faces>", def.vertex_count, def.face_count);
}

int sp_py_init_surface(PyObject *module) {
    static PyMethodDef methods[] = {
        {"subdivided", SP_PY_KEYWORDS(surface_subdivided), METH_VARARGS | METH_KEYWORDS,
         "subdivided($self, times=1, smooth=False, crease=180)\n--\n\n" SP_DOC_sp_trimesh_subdivided},
        {"transformed", SP_PY_KEYWORDS(surface_transformed), METH_VARARGS | METH_KEYWORDS,
         "transformed($self, scale=None, pose=None)\n--\n\n" SP_DOC_sp_trimesh_transformed},
        {"examine", SP_PY_KEYWORDS(surface_examine), METH_VARARGS | METH_KEYWORDS,
         "examine($self, **keywords)\n--\n\nDefects and statistics: souple.MeshReport.\n" SP_KEYWORDS_sp_examine_options},
        {"repaired", SP_PY_KEYWORDS(surface_repaired), METH_VARARGS | METH_KEYWORDS,
         "repaired($self, **keywords)\n--\n\n(surface, MeshRepairs). " SP_DOC_sp_mesh_repaired},
        {"close", surface_close, METH_NOARGS,
         "close($self)\n--\n\nReleases the surface. Its memory is freed when the last array that shows it is gone."},
        {NULL, NULL, 0, NULL}};
    static PyGetSetDef properties[] = {
        {"positions", surface_positions, NULL, "Positions of the vertices [m], (vertices, 3), a read-only view.", NULL},
        {"faces", surface_faces, NULL, "Vertices of the faces, (faces, 3), a read-only view.", NULL},
        {"texcoords", surface_texcoords, NULL, "Texture coordinates, (n, 2), or None.", NULL},
        {"face_texcoords", surface_face_texcoords, NULL, "Their numbers at the corners of faces, (faces, 3), or None.", NULL},
        {"normals", surface_normals, NULL, "Normals, (n, 3), or None.", NULL},
        {"face_normals", surface_face_normals, NULL, "Their numbers at the corners of faces, (faces, 3), or None.", NULL},
        {"colors", surface_colors, NULL, "Red, green, blue and opacity of the vertices, (vertices, 4), or None.", NULL},
        {"groups", surface_groups, NULL, "{name: {\"elements\": faces, \"nodes\": vertices}}, read-only views.", NULL},
        {"arrays", surface_arrays, NULL, "{name: values}, read-only views.", NULL},
        {"context", surface_context, NULL, SP_DOC_sp_trimesh_context, NULL},
        {NULL, NULL, NULL, NULL, NULL}};
    static PyType_Slot slots[] = {
        SP_PY_OBJECT_SLOTS,
        {Py_tp_new, surface_new},
        {Py_tp_repr, surface_repr},
        {Py_tp_methods, methods},
        {Py_tp_getset, properties},
        {Py_tp_doc,
         "Surface(positions, faces, *, texcoords=None, face_texcoords=None, normals=None, face_normals=None, colors=None, "
         "groups=None, arrays=None, context=None)\n--\n\n" SP_DOC_sp_trimesh "\n\n" SP_DOC_sp_trimesh_create
         "\n\npositions: (vertices, 3) [m]. faces: (faces, 3), counter-clockwise seen from outside."},
        {0, NULL}};
    static PyType_Spec spec = {"souple.Surface", sizeof(sp_py_object), 0, Py_TPFLAGS_DEFAULT | Py_TPFLAGS_HAVE_GC, slots};
    sp_py_surface_type = (PyTypeObject *)sp_py_add_type(module, &spec);
    return sp_py_surface_type ? 0 : -1;
}
