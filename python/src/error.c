// Exceptions: a class per kind of failure, all of them souple.Error. See convert.h.
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "convert.h"
#include "util/nearest.h"

PyObject *sp_py_error, *sp_py_bad_input;

typedef struct error_class {
    const char *name;
    sp_status status;
    PyObject **also;  // the class of Python that it is too; nullable
    const char *doc;
} error_class;

static const error_class classes[] = {
    {"souple.BadInput", SP_BAD_INPUT, &PyExc_ValueError,
     "An argument is invalid; the sentence says the value seen and the range."},
    {"souple.BadId", SP_BAD_ID, &PyExc_LookupError, "A body, link or other thing no longer exists, or its owner is closed."},
    {"souple.OutOfMemory", SP_NO_MEMORY, &PyExc_MemoryError, "Memory ran out; nothing has changed."},
    {"souple.Unavailable", SP_UNAVAILABLE, NULL, "Known, but not in this build."},
    {"souple.NotFinite", SP_NOT_FINITE, &PyExc_ArithmeticError, "A number is not finite."},
    {"souple.Singular", SP_SINGULAR, &PyExc_ArithmeticError, "The problem has no unique solution."},
    {"souple.Diverged", SP_DIVERGED, &PyExc_ArithmeticError, "No descent could be found."},
    {"souple.FileError", SP_IO, &PyExc_OSError, "A file could not be read or written."},
    {"souple.Busy", SP_BUSY, &PyExc_RuntimeError, "Another thread uses the world."},
    {"souple.LimitReached", SP_LIMIT, NULL, "An iteration limit was reached, and it was asked to fail then."},
    {"souple.Stopped", SP_STOPPED, NULL, "Stopped on request."},
};
enum { CLASSES = sizeof classes / sizeof *classes, LOWEST = -11, HIGHEST = 9 };

static PyObject *class_of[CLASSES];
static PyObject *members[HIGHEST - LOWEST + 1];  // souple.Status

static const char error_doc[] =
    "A failure of the library, or of an argument. Nothing has changed where it is raised.\n\n"
    "status: souple.Status; status_name: \"SP_BAD_INPUT\"; message: the sentence; file, line: the source that detected it;\n"
    "body: name of the body concerned, or empty; index: number of the node or element concerned, or -1.";

static void set_attribute(PyObject *object, const char *name, PyObject *value) {
    if (value) {
        if (PyObject_SetAttrString(object, name, value) < 0) PyErr_Clear();
        Py_DECREF(value);
    }
}

static PyObject *class_for(sp_status status) {
    for (int i = 0; i < CLASSES; i++)
        if (classes[i].status == status) return class_of[i];
    return sp_py_error;
}

// error: nullable
static void *raise_with(sp_status status, PyObject *message, const sp_error *error) {
    PyObject *type = class_for(status);
    PyErr_Clear();
    PyObject *exception = message ? PyObject_CallFunctionObjArgs(type, message, NULL) : NULL;
    if (exception) {
        set_attribute(exception, "status", sp_py_status(status));
        set_attribute(exception, "status_name", PyUnicode_FromString(sp_status_name(status)));
        set_attribute(exception, "message", (Py_INCREF(message), message));
        set_attribute(exception, "file", PyUnicode_FromString(error && error->file ? error->file : ""));
        set_attribute(exception, "line", PyLong_FromLong(error ? error->line : 0));
        set_attribute(exception, "body", PyUnicode_FromString(error ? error->body : ""));
        set_attribute(exception, "index", PyLong_FromLongLong(error ? error->index : -1));
        PyErr_SetObject(type, exception);
    }
    Py_XDECREF(exception);
    Py_XDECREF(message);
    return NULL;
}

void *sp_py_raise(sp_status status, const sp_error *error) {
    // the record of a context may be of another thread by now
    bool mine = error && error->status == status && error->message[0];
    const char *text = mine ? error->message : sp_status_text(status);
    return raise_with(status, PyUnicode_DecodeUTF8(text, (Py_ssize_t)strlen(text), "replace"), mine ? error : NULL);
}

void *sp_py_raise_context(sp_status status, const sp_context *context) {
    return sp_py_raise(status, context ? sp_context_error(context) : NULL);
}

void *sp_py_raise_world(sp_status status, const sp_world *world) {
    return sp_py_raise(status, world ? sp_world_error(world) : NULL);
}

void *sp_py_fail(sp_status status, const char *format, ...) {
    sp_error error = {.status = status, .index = -1, .file = ""};
    va_list args;
    va_start(args, format);
    vsnprintf(error.message, sizeof error.message, format, args);
    va_end(args);
    return sp_py_raise(status, &error);
}

PyObject *sp_py_status(sp_status status) {
    if ((int)status < LOWEST || (int)status > HIGHEST) return PyLong_FromLong(status);
    PyObject *member = members[(int)status - LOWEST];
    Py_INCREF(member);
    return member;
}

int sp_py_unknown(PyObject *type, const char *what, const char *word, const char *const *known, int count) {
    const char *near = sp__nearest(word, known, count);
    PyObject *list = PyUnicode_FromString("");
    for (int i = 0; i < count && list; i++) {
        PyObject *longer = PyUnicode_FromFormat("%U%s%s", list, i ? ", " : "", known[i]);
        Py_DECREF(list);
        list = longer;
    }
    if (!list) return -1;
    PyObject *text = near ? PyUnicode_FromFormat("unknown %s '%s'; did you mean '%s'? Known: %U", what, word, near, list)
                          : PyUnicode_FromFormat("unknown %s '%s'. Known: %U", what, word, list);
    Py_DECREF(list);
    if (text && type == sp_py_bad_input)
        raise_with(SP_BAD_INPUT, text, NULL);
    else if (text) {
        PyErr_SetObject(type, text);
        Py_DECREF(text);
    }
    return -1;
}

// ---------------------------------------------------------------------------------------------------- the module's names

static int add_status(PyObject *module) {
    static const struct {
        const char *name;
        int value;
    } list[] = {
#define SP_X(name, value, text) {#name, value},
        SP_STATUS_LIST(SP_X)
#undef SP_X
    };
    PyObject *pairs = PyList_New(0), *library = PyImport_ImportModule("enum");
    for (size_t i = 0; pairs && i < sizeof list / sizeof *list; i++) {
        PyObject *pair = Py_BuildValue("(si)", list[i].name + 3, list[i].value);
        sp_py_append(&pairs, pair);
    }
    PyObject *type = pairs && library ? PyObject_CallMethod(library, "IntEnum", "sO", "Status", pairs) : NULL;
    Py_XDECREF(pairs);
    Py_XDECREF(library);
    if (!type) return -1;
    set_attribute(type, "__module__", PyUnicode_FromString("souple"));
    set_attribute(type, "__doc__",
                  PyUnicode_FromString("Result of a call. OK; above 0: done and committed, with the reservation of that number; "
                                       "below 0: failure, which is raised as souple.Error."));
    for (size_t i = 0; i < sizeof list / sizeof *list; i++) {
        PyObject *member = PyObject_GetAttrString(type, list[i].name + 3);
        if (!member) return -1;
        set_attribute(member, "text", PyUnicode_FromString(sp_status_text(list[i].value)));
        members[list[i].value - LOWEST] = member;
    }
    return PyModule_AddObject(module, "Status", type);
}

static PyObject *add_class(PyObject *module, const char *name, const char *doc, PyObject *bases) {
    PyObject *type = PyErr_NewExceptionWithDoc(name, doc, bases, NULL);
    if (!type) return NULL;
    Py_INCREF(type);
    return PyModule_AddObject(module, strchr(name, '.') + 1, type) < 0 ? NULL : type;
}

// what an exception has that was not raised by the library, for instance one that was unpickled
static int add_defaults(void) {
    set_attribute(sp_py_error, "status", sp_py_status(SP_BAD_INPUT));
    set_attribute(sp_py_error, "status_name", PyUnicode_FromString("SP_BAD_INPUT"));
    set_attribute(sp_py_error, "message", PyUnicode_FromString(""));
    set_attribute(sp_py_error, "file", PyUnicode_FromString(""));
    set_attribute(sp_py_error, "line", PyLong_FromLong(0));
    set_attribute(sp_py_error, "body", PyUnicode_FromString(""));
    set_attribute(sp_py_error, "index", PyLong_FromLong(-1));
    return 0;
}

int sp_py_init_error(PyObject *module) {
    if (add_status(module) < 0) return -1;
    sp_py_error = add_class(module, "souple.Error", error_doc, NULL);
    if (!sp_py_error || add_defaults() < 0) return -1;
    for (int i = 0; i < CLASSES; i++) {
        PyObject *bases = classes[i].also ? PyTuple_Pack(2, sp_py_error, *classes[i].also) : PyTuple_Pack(1, sp_py_error);
        class_of[i] = bases ? add_class(module, classes[i].name, classes[i].doc, bases) : NULL;
        Py_XDECREF(bases);
        if (!class_of[i]) return -1;
    }
    sp_py_bad_input = class_of[0];
    return 0;
}
