// What the classes of libsouple-io share: texts, lists of strings and records.
#include "io.h"

#include <limits.h>
#include <string.h>

_Static_assert(sizeof(long) == sizeof(int64_t), "tables.c converts long as int64_t");

sp_context *sp_py_io_context(sp_py_handle *handle) {
    while (handle->parent) handle = handle->parent;
    return handle->pointer;
}

static int call_hold(sp_py_call *call, PyObject *object) {
    if (!call->held) call->held = PyList_New(0);
    return call->held ? PyList_Append(call->held, object) : -1;
}

// the bytes stay with the call
static const char *text_of(sp_py_call *call, PyObject *text) {
    PyObject *bytes = PyUnicode_AsUTF8String(text);
    const char *out = bytes && call_hold(call, bytes) == 0 ? PyBytes_AsString(bytes) : NULL;
    if (out && strlen(out) != (size_t)PyBytes_Size(bytes)) {
        PyErr_SetString(PyExc_ValueError, "a text must not contain a zero byte");
        out = NULL;
    }
    Py_XDECREF(bytes);
    return out;
}

int sp_py_strings(sp_py_call *call, PyObject *value, const char *what, const char *const **out, int *count) {
    *out = NULL, *count = 0;
    if (!value || value == Py_None) return 0;
    if (PyUnicode_Check(value)) return PyErr_Format(PyExc_TypeError, "%s: must be a list of strings, not a string", what), -1;
    PyObject *list = PySequence_List(value);
    if (!list || call_hold(call, list) < 0) return Py_XDECREF(list), -1;
    Py_DECREF(list);  // the call holds it
    Py_ssize_t n = PyList_Size(list);
    if (n > INT_MAX) return PyErr_Format(PyExc_ValueError, "%s: more than %d strings", what, INT_MAX), -1;
    const char **texts = sp_py_call_alloc(call, n ? (size_t)n : 1, sizeof *texts);
    if (!texts) return -1;
    for (Py_ssize_t i = 0; i < n; i++) {
        PyObject *item = PyList_GetItem(list, i);
        if (!PyUnicode_Check(item)) return PyErr_Format(PyExc_TypeError, "%s[%zd]: must be a string, not %R", what, i, item), -1;
        if (!(texts[i] = text_of(call, item))) return -1;
    }
    *out = texts, *count = (int)n;
    return 0;
}

const char *sp_py_path(sp_py_call *call, PyObject *value) {
    PyObject *path = PyOS_FSPath(value);
    if (!path) return NULL;
    const char *out = NULL;
    if (PyUnicode_Check(path))
        out = text_of(call, path);
    else if (call_hold(call, path) == 0)
        out = PyBytes_AsString(path);
    Py_DECREF(path);
    return out;
}

bool sp_py_file_begin(sp_py_file_call *c, PyObject *path, PyObject *context) {
    *c = (sp_py_file_call){.owner = sp_py_context_handle(context)};
    c->context = c->owner ? sp_py_pointer_shared(c->owner, "context") : NULL;
    c->path = c->context ? sp_py_path(&c->call, path) : NULL;
    return c->path != NULL;
}

void sp_py_file_end(sp_py_file_call *c) {
    sp_py_call_end(&c->call, true);
}

sp_py_handle *sp_py_open(const char *what, PyObject *args, PyObject *keywords, const char *format, sp_py_open_fn *open,
                         void (*release)(void *pointer)) {
    static char *names[] = {"path", "context", NULL};
    PyObject *path, *context = NULL;
    sp_py_file_call c;
    sp_py_handle *handle = NULL;
    if (!PyArg_ParseTupleAndKeywords(args, keywords, format, names, &path, &context)) return NULL;
    if (sp_py_file_begin(&c, path, context)) {
        void *opened = NULL;
        sp_status status;
        SP_PY_UNLOCKED(c.owner, status = open(c.context, c.path, &opened));
        if (status < 0)
            sp_py_raise_context(status, c.context);
        else
            handle = sp_py_handle_new(what, opened, release, c.owner);
    }
    sp_py_file_end(&c);
    return handle;
}

PyObject *sp_py_take(sp_py_call *call, PyObject *keywords, const char *name) {
    PyObject *item = keywords ? PyDict_GetItemString(keywords, name) : NULL;
    if (!item || call_hold(call, item) < 0 || PyDict_DelItemString(keywords, name) < 0) return NULL;
    return item;
}

void sp_py_print(void *user, const char *text) {
    PyObject *part = user && !PyErr_Occurred() ? PyUnicode_FromString(text) : NULL;
    if (part) PyList_Append(user, part);
    Py_XDECREF(part);
}

PyObject *sp_py_printed(PyObject *list) {
    PyObject *empty = list && !PyErr_Occurred() ? PyUnicode_FromString("") : NULL;
    PyObject *out = empty ? PyUnicode_Join(empty, list) : NULL;
    Py_XDECREF(empty);
    Py_XDECREF(list);
    return out;
}

PyObject *sp_py_records(const sp_py_struct *table, int count, sp_py_at_fn *at, void *user) {
    PyObject *list = PyList_New(0);
    void *item = PyMem_Malloc(table->size);
    bool good = list && (item || (PyErr_NoMemory(), false));
    for (int i = 0; good && i < count; i++) {
        memset(item, 0, table->size);
        PyObject *record =
            at(user, i, item) < 0 ? sp_py_fail(SP_BAD_INPUT, "there is no item %d", i) : sp_py_record(table, item, NULL);
        good = record && PyList_Append(list, record) == 0;
        Py_XDECREF(record);
    }
    PyMem_Free(item);
    if (!good) Py_CLEAR(list);
    return list;
}

void *sp_py_object_pointer(PyObject *object, PyTypeObject *type, const char *what) {
    if (!PyObject_TypeCheck(object, type)) return PyErr_Format(PyExc_TypeError, "must be a %s, not %R", what, object), NULL;
    return sp_py_pointer(((sp_py_object *)object)->handle, what);
}

int sp_py_init_io(PyObject *module) {
    int (*const inits[])(PyObject *) = {sp_py_init_scene,     sp_py_init_run,     sp_py_init_files,
                                        sp_py_init_recording, sp_py_init_picture, sp_py_init_fclib};
    for (size_t i = 0; i < sizeof inits / sizeof *inits; i++)
        if (inits[i](module) < 0) return -1;
    return 0;
}
