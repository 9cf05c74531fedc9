// souple.Batch: many worlds that are stepped together.
#include <string.h>

#include "convert.h"
#include "docs.h"
#include "io.h"
#include "tables.h"

static PyTypeObject *batch_type;

typedef struct batch_object {
    PyObject_HEAD sp_py_handle *handle;
    PyObject *worlds;   // tuple of souple.World
    PyObject *handles;  // of the worlds: a closed world keeps its signals as long as the batch exists
} batch_object;

// What the library calls for each world.
typedef struct builder {
    sp_py_handle *batch;
    PyObject *build, *worlds, *handles;
} builder;

static void destroy_batch(void *pointer) {
    sp_batch *batch = pointer;
    sp_batch_destroy(&batch);
}

static int batch_traverse(PyObject *self, visitproc visit, void *arg) {
    batch_object *batch = (batch_object *)self;
    Py_VISIT(Py_TYPE(self));
    Py_VISIT(batch->handle);
    Py_VISIT(batch->worlds);
    Py_VISIT(batch->handles);
    return 0;
}

static int batch_clear(PyObject *self) {
    batch_object *batch = (batch_object *)self;
    Py_CLEAR(batch->worlds);
    Py_CLEAR(batch->handles);
    Py_CLEAR(batch->handle);
    return 0;
}

static void batch_dealloc(PyObject *self) {
    PyTypeObject *type = Py_TYPE(self);
    PyObject_GC_UnTrack(self);
    batch_clear(self);
    ((freefunc)PyType_GetSlot(type, Py_tp_free))(self);
    Py_DECREF((PyObject *)type);
}

static sp_batch *batch_of(PyObject *self) {
    sp_py_handle *handle = ((batch_object *)self)->handle;
    // one of its worlds may be in a step of its own
    PyObject *handles = ((batch_object *)self)->handles;
    for (Py_ssize_t i = 0; handle && handles && i < PyList_Size(handles); i++)
        if (((sp_py_handle *)PyList_GetItem(handles, i))->busy > 0)
            return sp_py_fail(SP_BUSY, "world %zd of the batch is in use by another call", i);
    return sp_py_pointer(handle, "batch");
}

static sp_context *context_of(PyObject *self) {
    return ((batch_object *)self)->handle->parent->pointer;
}

// ---------------------------------------------------------------------------------------------------- creation

static int build_one(builder *b, int index, sp_world *world) {
    sp_py_handle *handle = sp_py_handle_new("world", world, NULL, b->batch);
    if (!handle) return -1;
    int done = PyList_Append(b->handles, (PyObject *)handle);
    PyObject *object = sp_py_world_new(handle);  // takes over the handle
    if (!object) return -1;
    if (done == 0) done = PyList_Append(b->worlds, object);
    PyObject *result = done == 0 ? PyObject_CallFunction(b->build, "iO", index, object) : NULL;
    Py_DECREF(object);
    Py_XDECREF(result);
    return result ? 0 : -1;
}

static sp_status build_world(void *user, int index, sp_world *world) {
    builder *b = user;
    PyGILState_STATE gil = PyGILState_Ensure();
    int done = build_one(b, index, world);
    if (done < 0) sp_py_keep_exception(b->batch);
    PyGILState_Release(gil);
    return done < 0 ? SP_STOPPED : SP_OK;
}

// `scene`: what a scene says about its world; its signals refer to the scene, which the batch keeps
static int world_of_scene(sp_py_call *call, PyObject *all, sp_py_handle *batch, sp_world_def *def) {
    PyObject *scene = sp_py_take(call, all, "scene");
    if (!scene) return PyErr_Occurred() ? -1 : 0;
    const sp_scene *pointer = sp_py_object_pointer(scene, sp_py_scene_type, "souple.Scene");
    if (!pointer || !(batch->under = PyList_New(0)) ||
        PyList_Append(batch->under, (PyObject *)((sp_py_object *)scene)->handle) < 0)
        return -1;
    const bool snapshots = def->snapshots;
    const int slots = def->snapshot_slots;
    sp_scene_world_def(pointer, def);
    def->snapshots = snapshots, def->snapshot_slots = slots;
    return 0;
}

// takes the world definition and the context out of the keywords
static PyObject *batch_make(PyTypeObject *type, int count, PyObject *build, PyObject *all) {
    PyObject *given = PyDict_GetItemString(all, "context");
    sp_py_handle *context = sp_py_context_handle(given);
    if (!context) return NULL;
    if (given) PyDict_DelItemString(all, "context");
    sp_py_handle *handle = sp_py_handle_new("batch", NULL, destroy_batch, context);
    builder b = {handle, build, PyList_New(0), PyList_New(0)};
    sp_batch_def def = sp_batch_def_default();
    sp_py_call call = {.keeper = handle};
    sp_batch *batch = NULL;
    batch_object *object = NULL;
    if (handle && b.worlds && b.handles && world_of_scene(&call, all, handle, &def.world) == 0 &&
        sp_py_struct_change(&call, &sp_py_struct_sp_world_def, all, &def.world) == 0) {
        sp_status status;
        def.count = count, def.build = build_world, def.user = &b;
        SP_PY_UNLOCKED(context, status = sp_batch_create(context->pointer, &def, &batch));
        handle->pointer = batch;
        if (sp_py_raise_kept(handle) == 0 && status < 0)
            sp_py_raise_context(status, context->pointer);
        else if (!PyErr_Occurred())
            object = (batch_object *)((allocfunc)PyType_GetSlot(type, Py_tp_alloc))(type, 0);
    }
    sp_py_call_end(&call, object != NULL);
    if (!object) {
        // the worlds are gone
        for (Py_ssize_t i = 0; b.handles && i < PyList_Size(b.handles); i++)
            ((sp_py_handle *)PyList_GetItem(b.handles, i))->pointer = NULL;
        Py_XDECREF(b.worlds);
        Py_XDECREF(b.handles);
        Py_XDECREF((PyObject *)handle);
        return NULL;
    }
    object->handle = handle, object->worlds = b.worlds, object->handles = b.handles;
    return (PyObject *)object;
}

static PyObject *batch_new(PyTypeObject *type, PyObject *args, PyObject *keywords) {
    static const char *const names[] = {"count", "build", NULL};
    PyObject *all = sp_py_arguments("Batch", args, keywords, names, 2), *result = NULL;
    if (!all) return NULL;
    PyObject *build = PyDict_GetItemString(all, "build"), *number = PyDict_GetItemString(all, "count");
    long count = PyLong_AsLong(number);
    if (count < 1 || count > SP_BATCH_MAX) {
        if (!PyErr_Occurred()) sp_py_fail(SP_BAD_INPUT, "count: %ld, must be in [1, %d]", count, SP_BATCH_MAX);
    } else if (!PyCallable_Check(build))
        PyErr_SetString(PyExc_TypeError, "build: must be a function (index, world)");
    else {
        Py_INCREF(build);
        PyDict_DelItemString(all, "build");
        PyDict_DelItemString(all, "count");
        result = batch_make(type, (int)count, build, all);
        Py_DECREF(build);
    }
    Py_DECREF(all);
    return result;
}

static PyObject *batch_close(PyObject *self, PyObject *unused) {
    (void)unused;
    sp_py_handle *handle = ((batch_object *)self)->handle;
    if (handle && handle->busy) return sp_py_fail(SP_BUSY, "the batch is in use by another call: it cannot be closed now");
    batch_clear(self);
    Py_RETURN_NONE;
}

// ---------------------------------------------------------------------------------------------------- steps

// an exception of a signal, or else the status: failures of worlds are statuses here, those of the call itself exceptions
static PyObject *batch_result(PyObject *self, sp_status status, bool refused) {
    batch_object *batch = (batch_object *)self;
    int raised = sp_py_raise_kept(batch->handle);
    for (Py_ssize_t i = 0; i < PyList_Size(batch->handles); i++) {
        sp_py_handle *world = (sp_py_handle *)PyList_GetItem(batch->handles, i);
        if (!world->raised[0]) continue;
        if (raised < 0) PyErr_Clear();
        raised = sp_py_raise_kept(world);
    }
    if (raised < 0) return NULL;
    if (refused) return sp_py_raise_context(status, context_of(self));
    return sp_py_status(status);
}

// True if the call itself was refused: a wrong list of worlds
static int read_indices(sp_py_call *call, PyObject *indices, const sp_batch *batch, const int **out, Py_ssize_t *count) {
    *out = sp_py_numbers(call, indices, "indices", SP_PY_INT, 1, count);
    if (!*out) return -1;
    const int worlds = sp_batch_count(batch);
    bool *seen = sp_py_call_alloc(call, (size_t)worlds, sizeof *seen);
    for (Py_ssize_t i = 0; seen && i < *count; i++) {
        const int w = (*out)[i];
        if (w < 0 || w >= worlds) return sp_py_fail(SP_BAD_INPUT, "indices: world %d, must be in [0, %d)", w, worlds), -1;
        if (seen[w]) return sp_py_fail(SP_BAD_INPUT, "indices: world %d occurs twice", w), -1;
        seen[w] = true;
    }
    return seen ? 0 : -1;
}

static PyObject *batch_step(PyObject *self, PyObject *args, PyObject *keywords) {
    static char *names[] = {"h", "indices", "steps", NULL};
    sp_batch *batch = batch_of(self);
    PyObject *indices = Py_None, *result = NULL;
    double h;
    int steps = 1;
    sp_status status;
    if (!batch || !PyArg_ParseTupleAndKeywords(args, keywords, "d|Oi:step", names, &h, &indices, &steps)) return NULL;
    if (steps < 1) return sp_py_fail(SP_BAD_INPUT, "steps: %d, must be >= 1", steps);
    if (!(h > 0)) return sp_py_fail(SP_BAD_INPUT, "h: %g s, must be > 0", h);
    sp_py_call call = {0};
    const int *list = NULL;
    Py_ssize_t count = 0;
    if (indices == Py_None || read_indices(&call, indices, batch, &list, &count) == 0) {
        SP_PY_LONG(((batch_object *)self)->handle, status = sp_batch_run(batch, h, steps, list, (int)count));
        result = batch_result(self, status, false);
    }
    sp_py_call_end(&call, false);
    return result;
}

static PyObject *batch_reset(PyObject *self, PyObject *args, PyObject *keywords) {
    static char *names[] = {"indices", NULL};
    sp_batch *batch = batch_of(self);
    PyObject *indices = Py_None, *result = NULL;
    sp_status status;
    if (!batch || !PyArg_ParseTupleAndKeywords(args, keywords, "|O:reset", names, &indices)) return NULL;
    sp_py_call call = {0};
    const int *list = NULL;
    Py_ssize_t count = 0;
    if (indices == Py_None) {
        count = sp_batch_count(batch);
        int *all = sp_py_call_alloc(&call, (size_t)count, sizeof *all);
        for (Py_ssize_t i = 0; all && i < count; i++) all[i] = (int)i;
        list = all;
    } else if (read_indices(&call, indices, batch, &list, &count) < 0)
        list = NULL;
    if (list) {
        SP_PY_LONG(((batch_object *)self)->handle, status = sp_batch_reset(batch, list, (int)count));
        result = batch_result(self, status, status < 0);
    }
    sp_py_call_end(&call, false);
    return result;
}

static PyObject *batch_keep(PyObject *self, PyObject *args) {
    sp_batch *batch = batch_of(self);
    int index;
    sp_status status;
    if (!batch || !PyArg_ParseTuple(args, "i:keep", &index)) return NULL;
    if (index < 0 || index >= sp_batch_count(batch))
        return sp_py_fail(SP_BAD_INPUT, "world %d, must be in [0, %d)", index, sp_batch_count(batch));
    SP_PY_LONG(((batch_object *)self)->handle, status = sp_batch_keep(batch, index));
    return batch_result(self, status, status < 0);
}

static PyObject *batch_state(PyObject *self, PyObject *args) {
    sp_batch *batch = batch_of(self);
    const char *body, *field;
    sp_batch_view view;
    sp_status status;
    if (!batch || !PyArg_ParseTuple(args, "ss:state", &body, &field)) return NULL;
    SP_PY_LONG(((batch_object *)self)->handle, status = sp_batch_field(batch, body, field, &view));
    if (status < 0) return sp_py_raise_context(status, context_of(self));
    return sp_py_view((PyObject *)((batch_object *)self)->handle, view.values, SP_PY_DOUBLE, view.components > 1 ? 3 : 2,
                      (Py_ssize_t[]){view.worlds, view.items, view.components}, false);
}

// ---------------------------------------------------------------------------------------------------- properties

static PyObject *batch_worlds(PyObject *self, void *closure) {
    (void)closure;
    if (!sp_py_pointer_shared(((batch_object *)self)->handle, "batch")) return NULL;
    return PyList_AsTuple(((batch_object *)self)->worlds);
}

static PyObject *batch_statuses(PyObject *self, void *closure) {
    (void)closure;
    const sp_batch *batch = batch_of(self);
    return batch ? sp_py_copy(sp_batch_statuses(batch), SP_PY_INT, sp_batch_count(batch), 0) : NULL;
}

static PyObject *batch_memory(PyObject *self, void *closure) {
    (void)closure;
    const sp_batch *batch = batch_of(self);
    sp_batch_memory memory;
    if (!batch) return NULL;
    sp_batch_get_memory(batch, &memory);
    return sp_py_record(&sp_py_struct_sp_batch_memory, &memory, NULL);
}

static Py_ssize_t batch_length(PyObject *self) {
    const sp_batch *batch = sp_py_pointer_shared(((batch_object *)self)->handle, "batch");
    return batch ? sp_batch_count(batch) : -1;
}

static PyObject *batch_item(PyObject *self, Py_ssize_t index) {
    if (!sp_py_pointer_shared(((batch_object *)self)->handle, "batch")) return NULL;
    PyObject *world = PyList_GetItem(((batch_object *)self)->worlds, index);
    Py_XINCREF(world);
    return world;
}

int sp_py_init_batch(PyObject *module) {
    static PyMethodDef methods[] = {
        {"step", SP_PY_KEYWORDS(batch_step), METH_VARARGS | METH_KEYWORDS,
         "step($self, h, indices=None, steps=1)\n--\n\n" SP_DOC_sp_batch_step "\n\nindices, steps: " SP_DOC_sp_batch_run
         "\n\nFailures of worlds are not raised here: see the result and `statuses`."},
        {"reset", SP_PY_KEYWORDS(batch_reset), METH_VARARGS | METH_KEYWORDS,
         "reset($self, indices=None)\n--\n\n" SP_DOC_sp_batch_reset},
        {"keep", batch_keep, METH_VARARGS, "keep($self, index)\n--\n\n" SP_DOC_sp_batch_keep},
        {"state", batch_state, METH_VARARGS,
         "state($self, body, field)\n--\n\n" SP_DOC_sp_batch_field "\n\nA read-only view, (worlds, items, components)."},
        {"close", batch_close, METH_NOARGS,
         "close($self)\n--\n\nReleases the batch. Its memory is freed when the last world or array of it is gone."},
        {"__enter__", sp_py_enter, METH_NOARGS, NULL},
        {"__exit__", sp_py_exit, METH_VARARGS, NULL},
        {NULL, NULL, 0, NULL}};
    static PyGetSetDef properties[] = {
        {"worlds", batch_worlds, NULL, SP_DOC_sp_batch_world, NULL},
        {"statuses", batch_statuses, NULL, SP_DOC_sp_batch_statuses " Numbers of souple.Status.", NULL},
        {"memory", batch_memory, NULL, SP_DOC_sp_batch_get_memory, NULL},
        {NULL, NULL, NULL, NULL, NULL}};
    static PyType_Slot slots[] = {
        {Py_tp_dealloc, batch_dealloc},
        {Py_tp_traverse, batch_traverse},
        {Py_tp_clear, batch_clear},
        {Py_tp_new, batch_new},
        {Py_tp_methods, methods},
        {Py_tp_getset, properties},
        {Py_sq_length, batch_length},
        {Py_sq_item, batch_item},
        {Py_tp_doc,
         "Batch(count, build, *, context=None, **keywords)\n--\n\n" SP_DOC_sp_batch " " SP_DOC_sp_batch_create
         "\n\nbuild(index, world) adds the bodies of a world. The keywords are those of World.\n" SP_KEYWORDS_sp_world_def},
        {0, NULL}};
    static PyType_Spec spec = {"souple.Batch", sizeof(batch_object), 0,
                               Py_TPFLAGS_DEFAULT | Py_TPFLAGS_HAVE_GC | Py_TPFLAGS_BASETYPE, slots};
    batch_type = (PyTypeObject *)sp_py_add_type(module, &spec);
    return batch_type ? 0 : -1;
}
