// souple.Scene: a scene that was read and checked; what the scene language has; scenes of SOFA.
#include "io.h"

#include <stdio.h>
#include <string.h>

PyTypeObject *sp_py_scene_type;
static PyTypeObject *import_type;

static void scene_free(void *pointer) {
    sp_scene *scene = pointer;
    sp_scene_destroy(&scene);
}

static int message_at(void *scene, int index, void *out) {
    return sp_scene_message_at(scene, index, out);
}

// the first error as "file:line: text", and how many more there are
static void tell_errors(const sp_scene *scene, int from, char *out, size_t size) {
    sp_scene_message m;
    int errors = 0;
    size_t used = 0;
    for (int i = from; sp_scene_message_at(scene, i, &m) >= 0; i++) {
        if (m.severity != SP_SEVERITY_ERROR || errors++) continue;
        char place[300];
        snprintf(place, sizeof place, m.line > 0 ? "%s:%d" : "%s", m.file, m.line);
        int n = snprintf(out, size, "%s: %s", place, m.text);
        used = n < 0 ? 0 : (size_t)n < size ? (size_t)n : size - 1;
    }
    if (errors > 1) snprintf(out + used, size - used, " (and %d more errors, see messages)", errors - 1);
}

PyObject *sp_py_raise_scene(sp_py_handle *handle, sp_status status, int from) {
    const sp_scene *scene = handle->pointer;
    char text[1000] = "";
    PyObject *type, *value, *trace;
    tell_errors(scene, from, text, sizeof text);
    if (!text[0]) return sp_py_raise_context(status, sp_py_io_context(handle));
    PyObject *messages = sp_py_records(&sp_py_struct_sp_scene_message, sp_scene_message_count(scene), message_at, (void *)scene);
    if (!messages) return NULL;
    sp_py_fail(status, "%s", text);
    PyErr_Fetch(&type, &value, &trace);
    PyErr_NormalizeException(&type, &value, &trace);
    if (value && PyObject_SetAttrString(value, "messages", messages) < 0) PyErr_Clear();
    PyErr_Restore(type, value, trace);
    Py_DECREF(messages);
    return NULL;
}

PyObject *sp_py_scene_wrap(PyTypeObject *type, sp_scene *scene, sp_py_handle *parent) {
    sp_py_handle *handle = sp_py_handle_new("scene", scene, scene_free, parent);
    return handle ? sp_py_object_new(type, handle) : NULL;
}

int sp_py_scene_options(sp_py_call *call, PyObject *sets, PyObject *allow, sp_scene_options *out) {
    *out = sp_scene_options_default();
    return sp_py_strings(call, sets, "sets", &out->sets, &out->set_count) < 0 ||
                   sp_py_strings(call, allow, "allow_paths", &out->allow_paths, &out->allow_count) < 0
               ? -1
               : 0;
}

static PyObject *scene_read(PyTypeObject *type, sp_py_handle *context, const char *path, const char *text, Py_ssize_t size,
                            const char *name, const sp_scene_options *options) {
    sp_scene *scene = NULL;
    sp_status status;
    sp_context *ctx = sp_py_pointer_shared(context, "context");
    if (!ctx) return NULL;
    if (path)
        SP_PY_UNLOCKED(context, status = sp_scene_load(ctx, path, options, &scene));
    else
        SP_PY_UNLOCKED(context, status = sp_scene_parse(ctx, text, (size_t)size, name ? name : "scene.xml", options, &scene));
    if (!scene) return sp_py_raise_context(status, ctx);
    PyObject *self = sp_py_scene_wrap(type, scene, context);
    if (self && status < 0) {
        sp_py_raise_scene(((sp_py_object *)self)->handle, status, 0);
        Py_CLEAR(self);
    }
    return self;
}

static PyObject *scene_new(PyTypeObject *type, PyObject *args, PyObject *keywords) {
    static char *names[] = {"path", "text", "name", "sets", "allow_paths", "memory_limit", "context", NULL};
    const char *path = NULL, *text = NULL, *name = NULL;
    Py_ssize_t size = 0, limit = 0;
    PyObject *sets = NULL, *allow = NULL, *context = NULL, *self = NULL;
    sp_py_call call = {0};
    sp_scene_options options;
    if (!PyArg_ParseTupleAndKeywords(args, keywords, "|zz#zOOnO:Scene", names, &path, &text, &size, &name, &sets, &allow, &limit,
                                     &context))
        return NULL;
    if (!path == !text)
        return PyErr_SetString(PyExc_TypeError, "Scene: either path or text must be given; use load or parse"), NULL;
    if (limit < 0) return sp_py_fail(SP_BAD_INPUT, "memory_limit = %zd, must be >= 0", limit);
    sp_py_handle *owner = sp_py_context_handle(context);
    if (owner && sp_py_scene_options(&call, sets, allow, &options) == 0) {
        options.memory_limit = (size_t)limit;
        self = scene_read(type, owner, path, text, size, name, &options);
    }
    sp_py_call_end(&call, self != NULL);
    return self;
}

static sp_scene *scene_of(PyObject *self) {
    return sp_py_pointer_shared(((sp_py_object *)self)->handle, "scene");
}

static PyObject *scene_messages(PyObject *self, void *unused) {
    (void)unused;
    sp_scene *scene = scene_of(self);
    return scene ? sp_py_records(&sp_py_struct_sp_scene_message, sp_scene_message_count(scene), message_at, scene) : NULL;
}

static PyObject *scene_name(PyObject *self, void *unused) {
    (void)unused;
    sp_scene *scene = scene_of(self);
    return scene ? PyUnicode_FromString(sp_scene_name(scene)) : NULL;
}

static PyObject *scene_info(PyObject *self, void *what) {
    sp_scene *scene = scene_of(self);
    sp_scene_info info;
    if (!scene) return NULL;
    sp_scene_get(scene, &info);
    switch (*(const char *)what) {
    case 'f': return PyUnicode_FromString(info.file);
    case 't': return PyUnicode_FromStringAndSize(info.text, (Py_ssize_t)info.size);
    default: return PyLong_FromUnsignedLongLong(info.seed);
    }
}

static PyObject *scene_context(PyObject *self, void *unused) {
    (void)unused;
    return scene_of(self) ? sp_py_context_of(((sp_py_object *)self)->handle) : NULL;
}

static PyObject *scene_sets(PyObject *self, void *unused) {
    (void)unused;
    sp_scene *scene = scene_of(self);
    PyObject *list = scene ? PyList_New(0) : NULL;
    const char *text;
    for (int i = 0; list && (text = sp_scene_set_text(scene, i)); i++) {
        // as messages name it: "--set path=value"
        PyObject *item = PyUnicode_FromString(strncmp(text, "--set ", 6) == 0 ? text + 6 : text);
        if (!item || PyList_Append(list, item) < 0) Py_CLEAR(list);
        Py_XDECREF(item);
    }
    return list;
}

static int output_at(void *scene, int index, void *out) {
    return sp_scene_output_at(scene, index, out);
}

static PyObject *scene_outputs(PyObject *self, void *unused) {
    (void)unused;
    sp_scene *scene = scene_of(self);
    return scene ? sp_py_records(&sp_py_struct_sp_scene_output, sp_scene_output_count(scene), output_at, scene) : NULL;
}

static PyObject *scene_describe(PyObject *self, PyObject *unused) {
    (void)unused;
    sp_scene *scene = scene_of(self);
    PyObject *list = scene ? PyList_New(0) : NULL;
    if (list) sp_scene_describe(scene, sp_py_print, list);
    return sp_py_printed(list);
}

// The definition of a world that the scene asks for, as keywords of souple.World and souple.Batch.
static PyObject *scene_world(PyObject *self, PyObject *unused) {
    (void)unused;
    sp_scene *scene = scene_of(self);
    if (!scene) return NULL;
    sp_world_def def = sp_world_def_default();
    sp_scene_world_def(scene, &def);
    return sp_py_record(&sp_py_struct_sp_world_def, &def, NULL);
}

static PyGetSetDef scene_getset[] = {
    {"messages", scene_messages, NULL, "Messages of the reader: severity, file, line, text.", NULL},
    {"name", scene_name, NULL, SP_DOC_sp_scene_name, NULL},
    {"file", scene_info, NULL, "The file, as the caller named it.", "f"},
    {"text", scene_info, NULL, "The XML text.", "t"},
    {"seed", scene_info, NULL, "Of all random numbers of the scene.", "s"},
    {"sets", scene_sets, NULL, "The values of `set` as \"path=value\".", NULL},
    {"context", scene_context, NULL, "The souple.Context that it was read with.", NULL},
    {"outputs", scene_outputs, NULL, "Files that a run writes to its output folder: element, file.", NULL},
    {NULL, NULL, NULL, NULL, NULL}};

static PyMethodDef scene_methods[] = {
    {"describe", scene_describe, METH_NOARGS, "describe($self)\n--\n\nEvery resolved value with unit and origin, one per line."},
    {"_world", scene_world, METH_NOARGS, SP_DOC_sp_scene_world_def},
    {NULL, NULL, 0, NULL}};

// ---------------------------------------------------------------------------------------------------- the language

static PyObject *language_schema(PyObject *module, PyObject *unused) {
    (void)module, (void)unused;
    PyObject *list = PyList_New(0);
    if (list) sp_scene_schema(sp_py_print, list);
    return sp_py_printed(list);
}

static PyObject *language_reference(PyObject *module, PyObject *args, PyObject *keywords) {
    (void)module;
    static char *names[] = {"all", NULL};
    int all = 0;
    if (!PyArg_ParseTupleAndKeywords(args, keywords, "|p:scene_reference", names, &all)) return NULL;
    PyObject *list = PyList_New(0);
    if (list) sp_scene_reference(all, sp_py_print, list);
    return sp_py_printed(list);
}

static PyObject *language_choices(PyObject *module, PyObject *args, PyObject *keywords) {
    (void)module;
    static char *names[] = {"element", "attribute", NULL};
    const char *element, *attribute;
    if (!PyArg_ParseTupleAndKeywords(args, keywords, "ss:scene_choices", names, &element, &attribute)) return NULL;
    PyObject *list = PyList_New(0);
    sp_scene_choice choice;
    for (int i = 0; list && sp_scene_choice_at(element, attribute, i, &choice) >= 0; i++) {
        if (!choice.built) continue;
        PyObject *item = PyUnicode_FromString(choice.name);
        if (!item || PyList_Append(list, item) < 0) Py_CLEAR(list);
        Py_XDECREF(item);
    }
    if (list && PyList_Size(list) == 0) {
        Py_DECREF(list);
        return sp_py_fail(SP_BAD_INPUT, "attribute \"%s\" of \"%s\" has no list of words", attribute, element);
    }
    return list;
}

// ---------------------------------------------------------------------------------------------------- scenes of SOFA

static void import_free(void *pointer) {
    sp_import *import = pointer;
    sp_import_destroy(&import);
}

static PyObject *import_read(sp_py_call *call, sp_context *ctx, sp_py_handle *context, PyObject *keywords) {
    PyObject *path = sp_py_take(call, keywords, "path"), *text = sp_py_take(call, keywords, "text");
    PyObject *name = sp_py_take(call, keywords, "name"), *out = sp_py_take(call, keywords, "out");
    PyObject *folders = sp_py_take(call, keywords, "folders");
    sp_import_options options;
    sp_import *import = NULL;
    sp_status status;
    const char *file = NULL, *words = NULL;
    Py_ssize_t size = 0;
    if (sp_py_struct_set(call, &sp_py_struct_sp_import_options, keywords, &options) < 0 ||
        sp_py_strings(call, folders, "folders", &options.folders, &options.folder_count) < 0 ||
        (out && out != Py_None && !(options.out = sp_py_path(call, out))))
        return NULL;
    PyObject *named = path && path != Py_None ? path : name;
    if (named && named != Py_None && !(file = sp_py_path(call, named))) return NULL;
    if (text && text != Py_None) {
        PyObject *bytes = PyUnicode_AsUTF8String(text);
        if (!bytes || PyBytes_AsStringAndSize(bytes, (char **)&words, &size) < 0) return Py_XDECREF(bytes), NULL;
        SP_PY_UNLOCKED(context,
                       status = sp_import_sofa_parse(ctx, words, (size_t)size, file ? file : "scene.scn", &options, &import));
        Py_DECREF(bytes);
    } else if (file) {
        SP_PY_UNLOCKED(context, status = sp_import_sofa(ctx, file, &options, &import));
    } else {
        return PyErr_SetString(PyExc_TypeError, "import_sofa: either path or text must be given"), NULL;
    }
    if (status < 0) return sp_py_raise_context(status, ctx);
    sp_py_handle *handle = sp_py_handle_new("import", import, import_free, context);
    return handle ? sp_py_object_new(import_type, handle) : NULL;
}

static PyObject *import_sofa(PyObject *module, PyObject *args, PyObject *keywords) {
    (void)module;
    static const char *const names[] = {"path", NULL};
    PyObject *all = sp_py_arguments("import_sofa", args, keywords, names, 0), *self = NULL;
    if (!all) return NULL;
    sp_py_call call = {0};
    sp_py_handle *context = sp_py_context_handle(sp_py_take(&call, all, "context"));
    sp_context *ctx = context ? sp_py_pointer_shared(context, "context") : NULL;
    if (ctx) self = import_read(&call, ctx, context, all);
    sp_py_call_end(&call, self != NULL);
    Py_DECREF(all);
    return self;
}

static PyObject *import_text(PyObject *self, void *unused) {
    (void)unused;
    sp_import *import = sp_py_pointer(((sp_py_object *)self)->handle, "import");
    return import ? PyUnicode_FromString(sp_import_text(import)) : NULL;
}

static int note_at(void *import, int index, void *out) {
    return sp_import_note_at(import, index, out);
}

static PyObject *import_notes(PyObject *self, void *unused) {
    (void)unused;
    sp_import *import = sp_py_pointer(((sp_py_object *)self)->handle, "import");
    return import ? sp_py_records(&sp_py_struct_sp_import_note, sp_import_note_count(import), note_at, import) : NULL;
}

static PyObject *import_write(PyObject *self, PyObject *unused) {
    (void)unused;
    sp_py_handle *handle = ((sp_py_object *)self)->handle;
    sp_import *import = sp_py_pointer(handle, "import");
    sp_status status;
    if (!import) return NULL;
    SP_PY_LONG(handle, status = sp_import_write(import));
    if (status < 0) return sp_py_raise_context(status, sp_py_io_context(handle));
    Py_RETURN_NONE;
}

static PyGetSetDef import_getset[] = {
    {"text", import_text, NULL, SP_DOC_sp_import_text, NULL},
    {"notes", import_notes, NULL, "What became of each component: fate, file, line, component, text.", NULL},
    {NULL, NULL, NULL, NULL, NULL}};

static PyMethodDef import_methods[] = {{"write", import_write, METH_NOARGS, "write($self)\n--\n\n" SP_DOC_sp_import_write},
                                       {NULL, NULL, 0, NULL}};

// ---------------------------------------------------------------------------------------------------- registration

static PyType_Slot scene_slots[] = {{Py_tp_new, scene_new},
                                    SP_PY_OBJECT_SLOTS,
                                    {Py_tp_getset, scene_getset},
                                    {Py_tp_methods, scene_methods},
                                    {Py_tp_doc, "A scene that was read, checked and resolved, with its messages."},
                                    {0, NULL}};
static PyType_Spec scene_spec = {"souple._core.Scene", sizeof(sp_py_object), 0,
                                 Py_TPFLAGS_DEFAULT | Py_TPFLAGS_HAVE_GC | Py_TPFLAGS_BASETYPE, scene_slots};

static PyType_Slot import_slots[] = {
    SP_PY_OBJECT_SLOTS,
    {Py_tp_getset, import_getset},
    {Py_tp_methods, import_methods},
    {Py_tp_doc, "A scene of SOFA that was read and converted to the scene language, with a note for each of its components."},
    {0, NULL}};
static PyType_Spec import_spec = {"souple.Import", sizeof(sp_py_object), 0, Py_TPFLAGS_DEFAULT | Py_TPFLAGS_HAVE_GC,
                                  import_slots};

static PyMethodDef functions[] = {
    {"scene_schema", language_schema, METH_NOARGS, "scene_schema($module)\n--\n\nThe RelaxNG schema of the scene language."},
    {"scene_reference", (PyCFunction)(void (*)(void))language_reference, METH_VARARGS | METH_KEYWORDS,
     "scene_reference($module, all=False)\n--\n\nThe reference page of the scene language in Markdown. all: also what this build "
     "lacks."},
    {"scene_choices", (PyCFunction)(void (*)(void))language_choices, METH_VARARGS | METH_KEYWORDS,
     "scene_choices($module, element, attribute)\n--\n\nThe words that an attribute of the scene language takes."},
    {"import_sofa", (PyCFunction)(void (*)(void))import_sofa, METH_VARARGS | METH_KEYWORDS,
     "import_sofa($module, path=None, *, text=None, name='scene.scn', out=None, folders=(), time=1, context=None)\n--\n\n"
     "Reads and converts a scene of SOFA (.scn); nothing is written before write()."},
    {NULL, NULL, 0, NULL}};

int sp_py_init_scene(PyObject *module) {
    sp_py_scene_type = (PyTypeObject *)sp_py_add_type(module, &scene_spec);
    import_type = sp_py_scene_type ? (PyTypeObject *)sp_py_add_type(module, &import_spec) : NULL;
    return import_type ? PyModule_AddFunctions(module, functions) : -1;
}
