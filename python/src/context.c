// souple.Context, and the one that is used where none is named.
#include "convert.h"
#include "docs.h"
#include "tables.h"

PyTypeObject *sp_py_context_type;
static sp_py_handle *default_handle;

static void destroy_context(void *pointer) {
    sp_context *context = pointer;
    sp_context_destroy(&context);
}

static sp_py_handle *context_make(int threads) {
    sp_context_def def = sp_context_def_default();
    sp_context *context = NULL;
    def.workers = threads;
    if (threads < 0 || threads > 64) return sp_py_fail(SP_BAD_INPUT, "threads: %d, must be in [0, 64]; 0: one per core", threads);
    sp_status status;
    Py_BEGIN_ALLOW_THREADS status = sp_context_create(&def, &context);
    Py_END_ALLOW_THREADS if (status < 0) return sp_py_raise(status, NULL);
    return sp_py_handle_new("context", context, destroy_context, NULL);
}

// after a fork the child has one of its own
static sp_py_handle *default_context(void) {
    if (default_handle && !sp_py_handle_is_current(default_handle)) Py_CLEAR(default_handle);
    if (!default_handle) default_handle = context_make(0);
    return default_handle;
}

sp_py_handle *sp_py_context_handle(PyObject *context) {
    if (!context || context == Py_None) return default_context();
    if (Py_TYPE(context) != sp_py_context_type) {
        PyErr_SetString(PyExc_TypeError, "context: must be a souple.Context");
        return NULL;
    }
    sp_py_handle *handle = ((sp_py_object *)context)->handle;
    return sp_py_pointer_shared(handle, "context") ? handle : NULL;
}

PyObject *sp_py_context_of(sp_py_handle *handle) {
    while (handle && handle->parent) handle = handle->parent;
    Py_XINCREF((PyObject *)handle);
    return sp_py_object_new(sp_py_context_type, handle);
}

static PyObject *context_new(PyTypeObject *type, PyObject *args, PyObject *keywords) {
    static char *names[] = {"threads", NULL};
    int threads = 0;
    if (!PyArg_ParseTupleAndKeywords(args, keywords, "|i:Context", names, &threads)) return NULL;
    return sp_py_object_new(type, context_make(threads));
}

static PyObject *context_close(PyObject *self, PyObject *unused) {
    (void)unused;
    Py_CLEAR(((sp_py_object *)self)->handle);
    Py_RETURN_NONE;
}

static PyObject *context_threads(PyObject *self, void *closure) {
    (void)closure;
    const sp_context *context = sp_py_pointer_shared(((sp_py_object *)self)->handle, "context");
    return context ? PyLong_FromLong(sp_context_workers(context)) : NULL;
}

static PyObject *context_memory(PyObject *self, void *closure) {
    (void)closure;
    const sp_context *context = sp_py_pointer_shared(((sp_py_object *)self)->handle, "context");
    size_t bytes = 0;
    uint64_t allocations = 0;
    if (!context) return NULL;
    sp_context_memory(context, &bytes, &allocations);
    return Py_BuildValue("(KK)", (unsigned long long)bytes, (unsigned long long)allocations);
}

static PyObject *module_default_context(PyObject *self, PyObject *unused) {
    (void)self, (void)unused;
    sp_py_handle *handle = default_context();
    Py_XINCREF((PyObject *)handle);
    return sp_py_object_new(sp_py_context_type, handle);
}

static PyMethodDef functions[] = {
    {"default_context", module_default_context, METH_NOARGS,
     "default_context()\n--\n\nThe context of all meshes and worlds for which none is named: one thread per core."},
    {NULL, NULL, 0, NULL}};

int sp_py_init_context(PyObject *module) {
    static PyMethodDef methods[] = {
        {"close", context_close, METH_NOARGS,
         "close($self)\n--\n\nReleases the context. Meshes and worlds of it keep what they need until they are closed too."},
        {"__enter__", sp_py_enter, METH_NOARGS, NULL},
        {"__exit__", sp_py_exit, METH_VARARGS, NULL},
        {NULL, NULL, 0, NULL}};
    static PyGetSetDef properties[] = {{"threads", context_threads, NULL, SP_DOC_sp_context_workers, NULL},
                                       {"memory", context_memory, NULL, SP_DOC_sp_context_memory, NULL},
                                       {NULL, NULL, NULL, NULL, NULL}};
    static PyType_Slot slots[] = {SP_PY_OBJECT_SLOTS,
                                  {Py_tp_new, context_new},
                                  {Py_tp_methods, methods},
                                  {Py_tp_getset, properties},
                                  {Py_tp_doc, "Context(threads=0)\n--\n\n" SP_DOC_sp_context
                                              "\n\nthreads: of a step, including the calling one; 0: one per core."},
                                  {0, NULL}};
    static PyType_Spec spec = {"souple.Context", sizeof(sp_py_object), 0, Py_TPFLAGS_DEFAULT | Py_TPFLAGS_HAVE_GC, slots};
    sp_py_context_type = (PyTypeObject *)sp_py_add_type(module, &spec);
    return sp_py_context_type ? PyModule_AddFunctions(module, functions) : -1;
}
