// Handles: memory of the library that Python counts. See convert.h.
//
// After a fork the threads of the library do not exist in the child, and its locks may be held for ever: a handle of the parent
// is refused there, and never destroyed.
#include <pthread.h>

#include "convert.h"

static PyTypeObject *handle_type;
static unsigned forks;

static void count_fork(void) {
    forks++;
}

sp_py_handle *sp_py_handle_new(const char *what, void *pointer, void (*destroy)(void *), sp_py_handle *parent) {
    sp_py_handle *handle = PyObject_GC_New(sp_py_handle, handle_type);
    if (!handle) {
        if (destroy) destroy(pointer);
        return NULL;
    }
    handle->what = what, handle->pointer = pointer, handle->destroy = destroy, handle->parent = parent;
    handle->forks = forks, handle->busy = 0, handle->kept = NULL, handle->under = NULL;
    for (int i = 0; i < 3; i++) handle->raised[i] = NULL;
    Py_XINCREF((PyObject *)parent);
    PyObject_GC_Track((PyObject *)handle);
    return handle;
}

// Breaks cycles only: the collector clears in any order, and a context must outlive its worlds.
static int handle_clear(PyObject *self) {
    sp_py_handle *handle = (sp_py_handle *)self;
    Py_CLEAR(handle->kept);
    for (int i = 0; i < 3; i++) Py_CLEAR(handle->raised[i]);
    return 0;
}

static int handle_traverse(PyObject *self, visitproc visit, void *arg) {
    sp_py_handle *handle = (sp_py_handle *)self;
    Py_VISIT(Py_TYPE(self));
    Py_VISIT(handle->kept);
    for (int i = 0; i < 3; i++) Py_VISIT(handle->raised[i]);
    Py_VISIT(handle->parent);
    return 0;
}

static void handle_dealloc(PyObject *self) {
    PyTypeObject *type = Py_TYPE(self);
    sp_py_handle *handle = (sp_py_handle *)self;
    PyObject_GC_UnTrack(self);
    // what the library points to is released after what points to it
    if (handle->destroy && handle->pointer && handle->forks == forks) {
        // destroying a world waits for its background thread
        Py_BEGIN_ALLOW_THREADS handle->destroy(handle->pointer);
        Py_END_ALLOW_THREADS
    }
    handle_clear(self);
    Py_XDECREF(handle->under);
    Py_XDECREF((PyObject *)handle->parent);
    PyObject_GC_Del(self);
    Py_DECREF((PyObject *)type);
}

void *sp_py_pointer_shared(sp_py_handle *handle, const char *what) {
    if (!handle || !handle->pointer) return sp_py_fail(SP_BAD_ID, "the %s is closed", what);
    if (handle->forks != forks)
        return sp_py_fail(SP_BAD_ID, "the %s was made before fork: a child process must make its own", handle->what);
    return handle->pointer;
}

void *sp_py_pointer(sp_py_handle *handle, const char *what) {
    void *pointer = sp_py_pointer_shared(handle, what);
    for (const sp_py_handle *h = handle; pointer && h; h = h->parent)
        if (h->busy > 0) return sp_py_fail(SP_BUSY, "the %s is in use by another call: one thread at a time", h->what);
    return pointer;
}

bool sp_py_handle_is_current(const sp_py_handle *handle) {
    return handle->forks == forks;
}

void sp_py_keep_exception(sp_py_handle *handle) {
    PyObject *now[3];
    PyErr_Fetch(&now[0], &now[1], &now[2]);
    const bool first = !handle->raised[0];
    for (int i = 0; i < 3; i++) {
        if (first)
            handle->raised[i] = now[i];
        else
            Py_XDECREF(now[i]);
    }
}

int sp_py_raise_kept(sp_py_handle *handle) {
    for (sp_py_handle *h = handle; h; h = h->parent) {
        if (!h->raised[0]) continue;
        PyErr_Restore(h->raised[0], h->raised[1], h->raised[2]);
        for (int i = 0; i < 3; i++) h->raised[i] = NULL;
        return -1;
    }
    return 0;
}

// ---------------------------------------------------------------------------------------------------- objects with one handle

PyObject *sp_py_object_new(PyTypeObject *type, sp_py_handle *handle) {
    // of a subclass, too: it has a dict
    allocfunc make = (allocfunc)PyType_GetSlot(type, Py_tp_alloc);
    sp_py_object *object = handle ? (sp_py_object *)make(type, 0) : NULL;
    if (!object) {
        Py_XDECREF((PyObject *)handle);
        return NULL;
    }
    object->handle = handle;
    return (PyObject *)object;
}

int sp_py_object_traverse(PyObject *self, visitproc visit, void *arg) {
    Py_VISIT(Py_TYPE(self));
    Py_VISIT(((sp_py_object *)self)->handle);
    return 0;
}

int sp_py_object_clear(PyObject *self) {
    Py_CLEAR(((sp_py_object *)self)->handle);
    return 0;
}

void sp_py_object_dealloc(PyObject *self) {
    PyTypeObject *type = Py_TYPE(self);
    PyObject_GC_UnTrack(self);
    sp_py_object_clear(self);
    ((freefunc)PyType_GetSlot(type, Py_tp_free))(self);
    Py_DECREF((PyObject *)type);
}

// ---------------------------------------------------------------------------------------------------- parts of a world

int sp_py_part_traverse(PyObject *self, visitproc visit, void *arg) {
    Py_VISIT(Py_TYPE(self));
    Py_VISIT(((sp_py_part *)self)->world);
    return 0;
}

int sp_py_part_clear(PyObject *self) {
    Py_CLEAR(((sp_py_part *)self)->world);
    return 0;
}

void sp_py_part_dealloc(PyObject *self) {
    PyTypeObject *type = Py_TYPE(self);
    PyObject_GC_UnTrack(self);
    sp_py_part_clear(self);
    PyObject_GC_Del(self);
    Py_DECREF((PyObject *)type);
}

PyObject *sp_py_part_world(PyObject *self, void *closure) {
    (void)closure;
    PyObject *world = ((sp_py_part *)self)->world;
    Py_INCREF(world);
    return world;
}

// ---------------------------------------------------------------------------------------------------- all classes

PyObject *sp_py_enter(PyObject *self, PyObject *unused) {
    (void)unused;
    Py_INCREF(self);
    return self;
}

PyObject *sp_py_exit(PyObject *self, PyObject *args) {
    // one string: attribute caches keep each one that they see
    static PyObject *close;
    (void)args;
    if (!close && !(close = PyUnicode_InternFromString("close"))) return NULL;
    return PyObject_CallMethodObjArgs(self, close, NULL);
}

void sp_py_append(PyObject **list, PyObject *item) {
    if (*list && (!item || PyList_Append(*list, item) < 0)) Py_CLEAR(*list);
    Py_XDECREF(item);
}

PyObject *sp_py_add_type(PyObject *module, PyType_Spec *spec) {
    PyObject *type = PyType_FromSpec(spec);
    const char *name = strrchr(spec->name, '.') + 1;
    if (!type) return NULL;
    Py_INCREF(type);
    if (PyModule_AddObject(module, name, type) < 0) {
        Py_DECREF(type);
        Py_DECREF(type);
        return NULL;
    }
    return type;
}

PyObject *sp_py_refuse_new(PyTypeObject *type, PyObject *args, PyObject *keywords) {
    (void)type, (void)args, (void)keywords;
    PyErr_SetString(PyExc_TypeError, "this class is made by the library");
    return NULL;
}

int sp_py_init_handle(PyObject *module) {
    (void)module;
    static PyType_Slot slots[] = {{Py_tp_dealloc, handle_dealloc},       {Py_tp_traverse, handle_traverse},
                                  {Py_tp_clear, handle_clear},           {Py_tp_new, sp_py_refuse_new},
                                  {Py_tp_doc, "Memory of the library."}, {0, NULL}};
    static PyType_Spec spec = {"souple._Handle", sizeof(sp_py_handle), 0, Py_TPFLAGS_DEFAULT | Py_TPFLAGS_HAVE_GC, slots};
    static bool registered;
    if (!registered && pthread_atfork(NULL, NULL, count_fork) != 0) return -1;
    registered = true;
    handle_type = (PyTypeObject *)PyType_FromSpec(&spec);
    return handle_type ? 0 : -1;
}
