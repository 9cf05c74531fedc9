// Mesh files, volumes of labels, edit logs.
#include "io.h"
#include "mesh_parts.h"

static PyTypeObject *mesh_file_type, *volume_type, *log_type;

// ---------------------------------------------------------------------------------------------------- reading and writing

static PyObject *read_mesh(PyObject *module, PyObject *args, PyObject *keywords) {
    (void)module;
    static char *names[] = {"path", "tetrahedra", "context", NULL};
    PyObject *path, *context = NULL, *out = NULL;
    int tets = 0;
    sp_py_file_call c;
    sp_mesh *mesh = NULL;
    sp_status status;
    if (!PyArg_ParseTupleAndKeywords(args, keywords, "O|pO:read", names, &path, &tets, &context)) return NULL;
    if (sp_py_file_begin(&c, path, context)) {
        SP_PY_UNLOCKED(c.owner,
                       status = tets ? sp_mesh_read_tets(c.context, c.path, &mesh) : sp_mesh_read(c.context, c.path, &mesh));
        out = status < 0 ? sp_py_raise_context(status, c.context) : sp_py_mesh_new(mesh, c.owner);
    }
    sp_py_file_end(&c);
    return out;
}

static PyObject *read_surface(PyObject *module, PyObject *args, PyObject *keywords) {
    (void)module;
    static char *names[] = {"path", "context", NULL};
    PyObject *path, *context = NULL, *out = NULL;
    sp_py_file_call c;
    sp_trimesh *surface = NULL;
    sp_status status;
    if (!PyArg_ParseTupleAndKeywords(args, keywords, "O|O:read", names, &path, &context)) return NULL;
    if (sp_py_file_begin(&c, path, context)) {
        SP_PY_UNLOCKED(c.owner, status = sp_trimesh_read(c.context, c.path, &surface));
        out = status < 0 ? sp_py_raise_context(status, c.context) : sp_py_surface_new(surface, c.owner);
    }
    sp_py_file_end(&c);
    return out;
}

static PyObject *write_mesh(PyObject *module, PyObject *args, PyObject *keywords) {
    (void)module;
    static const char *const names[] = {"mesh", "path", NULL};
    PyObject *all = sp_py_arguments("write", args, keywords, names, 2);
    sp_py_call call = {0};
    sp_mesh_write_options options;
    sp_status status = SP_OK;
    if (!all) return NULL;
    PyObject *object = sp_py_take(&call, all, "mesh");
    const char *path = object ? sp_py_path(&call, sp_py_take(&call, all, "path")) : NULL;
    const bool flat = object && PyObject_TypeCheck(object, sp_py_surface_type);
    const sp_trimesh *surface = path && flat ? sp_py_surface(object, "surface") : NULL;
    const sp_mesh *mesh = path && !flat ? sp_py_mesh(object, "mesh") : NULL;
    const bool good = (mesh || surface) && sp_py_struct_set(&call, &sp_py_struct_sp_mesh_write_options, all, &options) == 0;
    const sp_context *ctx = mesh ? sp_mesh_context(mesh) : surface ? sp_trimesh_context(surface) : NULL;
    if (good && mesh) SP_PY_UNLOCKED(((sp_py_object *)object)->handle, status = sp_mesh_write(mesh, path, &options));
    if (good && surface) SP_PY_UNLOCKED(((sp_py_object *)object)->handle, status = sp_trimesh_write(surface, path, &options));
    sp_py_call_end(&call, good);
    Py_DECREF(all);
    if (!good) return NULL;
    if (status < 0) return sp_py_raise_context(status, ctx);
    Py_RETURN_NONE;
}

// ---------------------------------------------------------------------------------------------------- files with defects

static void mesh_file_free(void *pointer) {
    sp_mesh_file *file = pointer;
    sp_mesh_file_close(&file);
}

static sp_status mesh_file_open(sp_context *context, const char *path, void **out) {
    sp_mesh_file *file = NULL;
    const sp_status status = sp_mesh_file_open(context, path, &file);
    *out = file;
    return status;
}

static PyObject *mesh_file_new(PyTypeObject *type, PyObject *args, PyObject *keywords) {
    sp_py_handle *handle = sp_py_open("mesh file", args, keywords, "O|O:MeshFile", mesh_file_open, mesh_file_free);
    return handle ? sp_py_object_new(type, handle) : NULL;
}

static PyObject *mesh_file_about(PyObject *self, void *what) {
    PyObject *owner = (PyObject *)((sp_py_object *)self)->handle;
    const sp_mesh_file *file = sp_py_pointer((sp_py_handle *)owner, "mesh file");
    sp_mesh_file_content content;
    if (!file) return NULL;
    sp_mesh_file_get(file, &content);
    const sp_mesh_def *mesh = &content.mesh;
    const sp_trimesh_def *surface = &content.surface;
    const bool solid = content.tetrahedra;
    const Py_ssize_t nodes[] = {solid ? mesh->node_count : surface->vertex_count, 3};
    const int64_t *ids = solid ? mesh->node_ids : content.node_ids;
    switch (*(const char *)what) {
    case 'f': return PyUnicode_FromString(content.format);
    case 't': return PyBool_FromLong(solid);
    case 'p': return sp_py_view(owner, solid ? mesh->positions : surface->positions, SP_PY_DOUBLE, 2, nodes, false);
    case 'n': return ids ? sp_py_view(owner, ids, SP_PY_INT64, 1, nodes, false) : Py_BuildValue("");
    default: return PyLong_FromLong(solid ? mesh->element_count : surface->face_count);
    }
}

static PyObject *mesh_file_make(PyObject *self, int what) {
    sp_py_handle *handle = ((sp_py_object *)self)->handle;
    const sp_mesh_file *file = sp_py_pointer(handle, "mesh file");
    sp_mesh *mesh = NULL;
    sp_trimesh *surface = NULL;
    sp_status status;
    if (!file) return NULL;
    SP_PY_LONG(handle, status = what == 0   ? sp_mesh_file_mesh(file, &mesh)
                                : what == 1 ? sp_mesh_file_tets(file, &mesh)
                                            : sp_mesh_file_trimesh(file, &surface));
    if (status < 0) return sp_py_raise_context(status, sp_py_io_context(handle));
    return mesh ? sp_py_mesh_new(mesh, handle->parent) : sp_py_surface_new(surface, handle->parent);
}

static PyObject *mesh_file_mesh(PyObject *self, PyObject *unused) {
    (void)unused;
    return mesh_file_make(self, 0);
}

static PyObject *mesh_file_tets(PyObject *self, PyObject *unused) {
    (void)unused;
    return mesh_file_make(self, 1);
}

static PyObject *mesh_file_surface(PyObject *self, PyObject *unused) {
    (void)unused;
    return mesh_file_make(self, 2);
}

static PyObject *mesh_file_examine(PyObject *self, PyObject *args, PyObject *keywords) {
    static const char *const names[] = {NULL};
    sp_py_handle *handle = ((sp_py_object *)self)->handle;
    const sp_mesh_file *file = sp_py_pointer(handle, "mesh file");
    PyObject *all = file ? sp_py_arguments("examine", args, keywords, names, 0) : NULL, *out = NULL;
    sp_py_call call = {0};
    sp_examine_options options;
    sp_mesh_report *report = NULL;
    sp_mesh_file_content content;
    sp_status status;
    if (!all) return NULL;
    if (sp_py_struct_set(&call, &sp_py_struct_sp_examine_options, all, &options) == 0) {
        sp_context *ctx = sp_py_io_context(handle);
        sp_mesh_file_get(file, &content);
        if (!content.tetrahedra) options.node_ids = content.node_ids, options.element_ids = content.face_ids;
        SP_PY_LONG(handle, status = content.tetrahedra ? sp_mesh_examine(ctx, &content.mesh, &options, &report)
                                                       : sp_trimesh_examine(ctx, &content.surface, &options, &report));
        out = status < 0 ? sp_py_raise_context(status, ctx) : mesh_report_object(report);
    }
    sp_py_call_end(&call, true);
    Py_DECREF(all);
    return out;
}

static PyObject *mesh_file_repaired(PyObject *self, PyObject *args, PyObject *keywords) {
    static char *names[] = {"tolerance", NULL};
    sp_examine_options options = sp_examine_options_default();
    if (!PyArg_ParseTupleAndKeywords(args, keywords, "|d:repaired", names, &options.tolerance)) return NULL;
    sp_py_handle *handle = ((sp_py_object *)self)->handle;
    const sp_mesh_file *file = sp_py_pointer(handle, "mesh file");
    sp_mesh_file_content content;
    sp_mesh_repairs done;
    sp_mesh *mesh = NULL;
    sp_trimesh *surface = NULL;
    sp_status status;
    if (!file) return NULL;
    sp_context *ctx = sp_py_io_context(handle);
    sp_mesh_file_get(file, &content);
    SP_PY_LONG(handle, status = content.tetrahedra ? sp_mesh_repaired(ctx, &content.mesh, &options, &mesh, &done)
                                                   : sp_trimesh_repaired(ctx, &content.surface, &options, &surface, &done));
    if (status < 0) return sp_py_raise_context(status, ctx);
    return Py_BuildValue("NN", mesh ? sp_py_mesh_new(mesh, handle->parent) : sp_py_surface_new(surface, handle->parent),
                         sp_py_record(&sp_py_struct_sp_mesh_repairs, &done, NULL));
}

// ---------------------------------------------------------------------------------------------------- volumes of labels

static void volume_free(void *pointer) {
    sp_volume *volume = pointer;
    sp_volume_destroy(&volume);
}

static PyObject *volume_new(PyTypeObject *type, PyObject *args, PyObject *keywords) {
    static char *names[] = {"path", "data", "context", NULL};
    PyObject *path, *context = NULL, *self = NULL;
    const char *data = NULL;
    Py_ssize_t size = 0;
    sp_py_file_call c;
    sp_volume *volume = NULL;
    sp_status status;
    if (!PyArg_ParseTupleAndKeywords(args, keywords, "O|z#O:Volume", names, &path, &data, &size, &context)) return NULL;
    if (sp_py_file_begin(&c, path, context)) {
        SP_PY_UNLOCKED(c.owner, status = data ? sp_volume_parse(c.context, data, (size_t)size, c.path, &volume)
                                              : sp_volume_read(c.context, c.path, &volume));
        sp_py_handle *handle = status < 0 ? NULL : sp_py_handle_new("volume", volume, volume_free, c.owner);
        if (status < 0) sp_py_raise_context(status, c.context);
        self = handle ? sp_py_object_new(type, handle) : NULL;
    }
    sp_py_file_end(&c);
    return self;
}

static PyObject *volume_about(PyObject *self, void *what) {
    PyObject *owner = (PyObject *)((sp_py_object *)self)->handle;
    const sp_volume *volume = sp_py_pointer((sp_py_handle *)owner, "volume");
    sp_label_volume v;
    if (!volume) return NULL;
    sp_volume_get(volume, &v);
    const Py_ssize_t shape[] = {v.dims[2], v.dims[1], v.dims[0]};
    if (*(const char *)what == 'l') return sp_py_view(owner, v.labels, SP_PY_INT, 3, shape, false);
    if (*(const char *)what == 'a') return sp_py_copy(v.affine, SP_PY_DOUBLE, 3, 4);
    PyObject *dict = PyDict_New();
    for (int i = 0; dict && i < v.name_count; i++) {
        PyObject *label = PyLong_FromLong(v.name_of[i]), *name = PyUnicode_FromString(v.names[i]);
        const bool good = label && name && PyDict_SetItem(dict, label, name) == 0;
        Py_XDECREF(label);
        Py_XDECREF(name);
        if (!good) Py_CLEAR(dict);
    }
    return dict;
}

static PyObject *volume_fill(PyObject *self, PyObject *args, PyObject *keywords) {
    static const char *const names[] = {"labels", NULL};
    sp_py_handle *handle = ((sp_py_object *)self)->handle;
    const sp_volume *volume = sp_py_pointer(handle, "volume");
    PyObject *all = volume ? sp_py_arguments("fill", args, keywords, names, 0) : NULL, *out = NULL;
    sp_py_call call = {0};
    sp_fill_def def;
    sp_label_volume v;
    sp_fill_info info;
    sp_mesh *mesh = NULL;
    sp_status status;
    Py_ssize_t count = 0;
    const int *labels = NULL;
    if (!all) return NULL;
    PyObject *wanted = sp_py_take(&call, all, "labels");
    if (wanted && wanted != Py_None) labels = sp_py_numbers(&call, wanted, "labels", SP_PY_INT, 1, &count);
    if (!PyErr_Occurred() && sp_py_struct_set(&call, &sp_py_struct_sp_fill_def, all, &def) == 0) {
        sp_context *ctx = sp_py_io_context(handle);
        sp_volume_get(volume, &v);
        SP_PY_LONG(handle, status = sp_mesh_fill_labels(ctx, &v, labels, (int)count, &def, &info, &mesh));
        out = status < 0 ? sp_py_raise_context(status, ctx) : sp_py_mesh_new(mesh, handle->parent);
    }
    sp_py_call_end(&call, out != NULL);
    Py_DECREF(all);
    return out;
}

// ---------------------------------------------------------------------------------------------------- edit logs

static void log_free(void *pointer) {
    sp_edit_log *log = pointer;
    sp_edit_log_close(&log);
}

static PyObject *log_new(PyTypeObject *type, PyObject *args, PyObject *keywords) {
    static char *names[] = {"path", "mode", "context", NULL};
    PyObject *path, *context = NULL, *self = NULL;
    const char *mode = "r";
    sp_py_file_call c;
    sp_edit_log *log = NULL;
    if (!PyArg_ParseTupleAndKeywords(args, keywords, "O|sO:EditLog", names, &path, &mode, &context)) return NULL;
    if ((mode[0] != 'r' && mode[0] != 'w') || mode[1]) return sp_py_fail(SP_BAD_INPUT, "mode = '%s', must be 'r' or 'w'", mode);
    if (sp_py_file_begin(&c, path, context)) {
        const sp_status status =
            mode[0] == 'w' ? sp_edit_log_create(c.context, c.path, &log) : sp_edit_log_open(c.context, c.path, &log);
        sp_py_handle *handle = status < 0 ? NULL : sp_py_handle_new("edit log", log, log_free, c.owner);
        if (status < 0) sp_py_raise_context(status, c.context);
        self = handle ? sp_py_object_new(type, handle) : NULL;
    }
    sp_py_file_end(&c);
    return self;
}

static PyObject *log_call(PyObject *self, PyObject *object, bool append) {
    sp_py_handle *handle = ((sp_py_object *)self)->handle;
    sp_edit_log *log = sp_py_pointer(handle, "edit log");
    sp_world *world = log ? sp_py_world(object) : NULL;
    if (!world) return NULL;
    const sp_status status = append ? sp_edit_log_append(log, world) : sp_edit_log_queue(log, world);
    if (status < 0) return sp_py_raise_context(status, sp_py_io_context(handle));
    Py_RETURN_NONE;
}

static PyObject *log_append(PyObject *self, PyObject *world) {
    return log_call(self, world, true);
}

static PyObject *log_queue(PyObject *self, PyObject *world) {
    return log_call(self, world, false);
}

static PyObject *log_close(PyObject *self, PyObject *unused) {
    (void)unused;
    sp_py_handle *handle = ((sp_py_object *)self)->handle;
    if (!handle) Py_RETURN_NONE;
    sp_edit_log *log = sp_py_pointer(handle, "edit log");
    if (!log) return NULL;
    handle->pointer = NULL;
    const sp_status status = sp_edit_log_close(&log);
    PyObject *out = status < 0 ? sp_py_raise_context(status, sp_py_io_context(handle)) : Py_BuildValue("");
    Py_CLEAR(((sp_py_object *)self)->handle);
    return out;
}

static PyObject *log_enter(PyObject *self, PyObject *unused) {
    (void)unused;
    Py_INCREF(self);
    return self;
}

static PyObject *log_exit(PyObject *self, PyObject *args) {
    (void)args;
    return log_close(self, NULL);
}

static PyObject *edit_line(PyObject *module, PyObject *args) {
    (void)module;
    PyObject *edit, *world = NULL, *out = NULL;
    unsigned long long step;
    sp_edit e = sp_edit_default(SP_EDIT_PARAM);
    char line[SP_EDIT_LINE];
    if (!PyArg_ParseTuple(args, "OK|O:edit_line", &edit, &step, &world)) return NULL;
    sp_py_call call = {.world = world == Py_None ? NULL : world};
    if (sp_py_struct_value(&call, &sp_py_struct_sp_edit, edit, &e) == 0)
        out = sp_edit_log_line(&e, step, line, sizeof line) ? PyUnicode_FromString(line) : Py_BuildValue("");
    sp_py_call_end(&call, true);
    return out;
}

// ---------------------------------------------------------------------------------------------------- registration

#define KEYWORDS(function) (PyCFunction)(void (*)(void))(function), METH_VARARGS | METH_KEYWORDS

static PyGetSetDef mesh_file_getset[] = {
    {"format", mesh_file_about, NULL, "The format: \"Gmsh 4.1\".", "f"},
    {"tetrahedra", mesh_file_about, NULL, "Whether the file has volume cells, else triangles.", "t"},
    {"positions", mesh_file_about, NULL, "(nodes, 3) [m], as in the file.", "p"},
    {"node_ids", mesh_file_about, NULL, "Numbers of the nodes in the file; None: 0, 1, 2, ...", "n"},
    {"element_count", mesh_file_about, NULL, "Number of volume cells or triangles.", "e"},
    {NULL, NULL, NULL, NULL, NULL}};
static PyMethodDef mesh_file_methods[] = {
    {"mesh", mesh_file_mesh, METH_NOARGS, "mesh($self)\n--\n\n" SP_DOC_sp_mesh_file_mesh},
    {"tets", mesh_file_tets, METH_NOARGS, "tets($self)\n--\n\n" SP_DOC_sp_mesh_file_tets},
    {"surface", mesh_file_surface, METH_NOARGS, "surface($self)\n--\n\n" SP_DOC_sp_mesh_file_trimesh},
    {"examine", KEYWORDS(mesh_file_examine),
     "examine($self, *, tolerance=-1, limit=20, intersections=True)\n--\n\nDefects and statistics of what is in the file: a dict "
     "of "
     "counts "
     "by kind, defects, stats."},
    {"repaired", KEYWORDS(mesh_file_repaired),
     "repaired($self, tolerance=-1)\n--\n\nA mesh or surface with safe repairs, and how many there were."},
    {NULL, NULL, 0, NULL}};
static PyType_Slot mesh_file_slots[] = {
    {Py_tp_new, mesh_file_new},
    SP_PY_OBJECT_SLOTS,
    {Py_tp_getset, mesh_file_getset},
    {Py_tp_methods, mesh_file_methods},
    {Py_tp_doc,
     "MeshFile(path, context=None)\n--\n\nA mesh file with or without defects, to examine and repair what Mesh.read does "
     "not accept."},
    {0, NULL}};
static PyType_Spec mesh_file_spec = {"souple.MeshFile", sizeof(sp_py_object), 0, Py_TPFLAGS_DEFAULT | Py_TPFLAGS_HAVE_GC,
                                     mesh_file_slots};

static PyGetSetDef volume_getset[] = {
    {"labels", volume_about, NULL, "(k, j, i) labels, a view: labels[k, j, i] is voxel (i, j, k).", "l"},
    {"affine", volume_about, NULL, "3 rows of 4: position [m] of the centre of voxel (i, j, k).", "a"},
    {"names", volume_about, NULL, "Names of labels.", "n"},
    {NULL, NULL, NULL, NULL, NULL}};
static PyMethodDef volume_methods[] = {
    {"fill", KEYWORDS(volume_fill),
     "fill($self, labels=None, *, size=0, elements=0, grade=1, detail=1, smooth=1)\n--\n\n" SP_DOC_sp_mesh_fill_labels},
    {NULL, NULL, 0, NULL}};
static PyType_Slot volume_slots[] = {
    {Py_tp_new, volume_new},
    SP_PY_OBJECT_SLOTS,
    {Py_tp_getset, volume_getset},
    {Py_tp_methods, volume_methods},
    {Py_tp_doc,
     "Volume(path, data=None, context=None)\n--\n\nLabelled voxels of a file: NRRD or NIfTI-1. data: the bytes of the file, "
     "whose name is then `path`."},
    {0, NULL}};
static PyType_Spec volume_spec = {"souple.Volume", sizeof(sp_py_object), 0, Py_TPFLAGS_DEFAULT | Py_TPFLAGS_HAVE_GC,
                                  volume_slots};

static PyMethodDef log_methods[] = {
    {"append", log_append, METH_O, "append($self, world)\n--\n\nAfter a step: writes the edits that it applied."},
    {"queue", log_queue, METH_O, "queue($self, world)\n--\n\nBefore a step: queues the edits of that step."},
    {"close", log_close, METH_NOARGS, "close($self)\n--\n\nCloses the file."},
    {"__enter__", log_enter, METH_NOARGS, NULL},
    {"__exit__", log_exit, METH_VARARGS, NULL},
    {NULL, NULL, 0, NULL}};
static PyType_Slot log_slots[] = {
    {Py_tp_new, log_new},
    SP_PY_OBJECT_SLOTS,
    {Py_tp_methods, log_methods},
    {Py_tp_doc, "EditLog(path, mode='r', context=None)\n--\n\nAn edit log: 'w' starts a new one, 'r' replays one."},
    {0, NULL}};
static PyType_Spec log_spec = {"souple.EditLog", sizeof(sp_py_object), 0, Py_TPFLAGS_DEFAULT | Py_TPFLAGS_HAVE_GC, log_slots};

static PyMethodDef functions[] = {
    {"_read_mesh", KEYWORDS(read_mesh), "_read_mesh($module, path, tetrahedra=False, context=None)\n--\n\n" SP_DOC_sp_mesh_read},
    {"_read_surface", KEYWORDS(read_surface), "_read_surface($module, path, context=None)\n--\n\n" SP_DOC_sp_trimesh_read},
    {"_write_mesh", KEYWORDS(write_mesh),
     "_write_mesh($module, mesh, path, *, format=None, encoding='auto', compress=False)\n--\n\n" SP_DOC_sp_mesh_write},
    {"edit_line", edit_line, METH_VARARGS, "edit_line($module, edit, step, world=None)\n--\n\n" SP_DOC_sp_edit_log_line},
    {NULL, NULL, 0, NULL}};

int sp_py_init_files(PyObject *module) {
    mesh_file_type = (PyTypeObject *)sp_py_add_type(module, &mesh_file_spec);
    volume_type = mesh_file_type ? (PyTypeObject *)sp_py_add_type(module, &volume_spec) : NULL;
    log_type = volume_type ? (PyTypeObject *)sp_py_add_type(module, &log_spec) : NULL;
    return log_type ? PyModule_AddFunctions(module, functions) : -1;
}
