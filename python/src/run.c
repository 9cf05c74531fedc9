// souple.Run: the simulation of a scene. Recorders and glTF files of a run.
#include "io.h"

#include <math.h>

PyTypeObject *sp_py_run_type;
static PyTypeObject *recorder_type, *gltf_type;

static void run_free(void *pointer) {
    sp_run *run = pointer;
    sp_run_destroy(&run);
}

// ---------------------------------------------------------------------------------------------------- making

// A world of a batch refers to the run that built it: what owns the world keeps the run.
static int keep_run(sp_py_handle *world, sp_py_handle *run) {
    while (!world->destroy && world->parent) world = world->parent;
    if (!world->under && !(world->under = PyList_New(0))) return -1;
    return PyList_Append(world->under, (PyObject *)run);
}

static PyObject *run_make(PyTypeObject *type, sp_py_handle *scene, const sp_run_options *options, sp_py_handle *world) {
    sp_run *run = NULL;
    sp_status status;
    const int told = sp_scene_message_count(scene->pointer);
    SP_PY_LONG(scene, status = sp_run_create(scene->pointer, options, &run));
    if (status < 0) return sp_py_raise_scene(scene, status, told);
    sp_py_handle *handle = sp_py_handle_new("run", run, run_free, scene);
    PyObject *self = handle ? sp_py_object_new(type, handle) : NULL;
    if (!self) return NULL;
    if (world && keep_run(world, handle) < 0) return Py_DECREF(self), NULL;
    Py_XINCREF((PyObject *)world);
    ((sp_py_run *)self)->world = world ? world : sp_py_handle_new("world", sp_run_world(run), NULL, handle);
    if (!((sp_py_run *)self)->world) Py_CLEAR(self);
    return self;
}

static PyObject *run_new(PyTypeObject *type, PyObject *args, PyObject *keywords) {
    static const char *const names[] = {"scene", NULL};
    PyObject *all = sp_py_arguments("Run", args, keywords, names, 1), *self = NULL;
    sp_py_call call = {0};
    sp_run_options options;
    if (!all) return NULL;
    PyObject *scene = sp_py_take(&call, all, "scene"), *world = sp_py_take(&call, all, "world");
    const bool in_world = world && world != Py_None;
    sp_py_handle *given = in_world ? sp_py_world_handle(world) : NULL;
    if (!PyErr_Occurred() && sp_py_object_pointer(scene, sp_py_scene_type, "souple.Scene") && (!in_world || given) &&
        sp_py_struct_set(&call, &sp_py_struct_sp_run_options, all, &options) == 0) {
        if (in_world) options.world = sp_py_pointer(given, "world");
        if (!PyErr_Occurred()) self = run_make(type, ((sp_py_object *)scene)->handle, &options, given);
    }
    sp_py_call_end(&call, self != NULL);
    Py_DECREF(all);
    return self;
}

static int run_traverse(PyObject *self, visitproc visit, void *arg) {
    Py_VISIT(((sp_py_run *)self)->world);
    return sp_py_object_traverse(self, visit, arg);
}

static int run_clear(PyObject *self) {
    Py_CLEAR(((sp_py_run *)self)->world);
    return sp_py_object_clear(self);
}

static void run_dealloc(PyObject *self) {
    PyObject_GC_UnTrack(self);
    Py_CLEAR(((sp_py_run *)self)->world);
    sp_py_object_dealloc(self);
}

static sp_run *run_of(PyObject *self) {
    return sp_py_pointer(((sp_py_run *)self)->handle, "run");
}

sp_run *sp_py_run_pointer(PyObject *object) {
    if (!PyObject_TypeCheck(object, sp_py_run_type))
        return PyErr_Format(PyExc_TypeError, "must be a souple.Run, not %R", object), NULL;
    return run_of(object);
}

// ---------------------------------------------------------------------------------------------------- steps

PyObject *sp_py_run_result(sp_py_run *run, sp_status status) {
    if (sp_py_raise_kept(run->world) < 0 || PyErr_CheckSignals() < 0) return NULL;
    return status < 0 ? sp_py_raise_context(status, sp_py_io_context(run->handle)) : sp_py_status(status);
}

// a call on a run that may use its world: both are busy meanwhile
#define RUN_LONG(self, statement)                            \
    do {                                                     \
        ((sp_py_run *)(self))->handle->busy++;               \
        SP_PY_LONG(((sp_py_run *)(self))->world, statement); \
        ((sp_py_run *)(self))->handle->busy--;               \
    } while (0)

// the run, if neither it nor its world is in use
static sp_run *run_idle(PyObject *self) {
    sp_run *run = run_of(self);
    return run && sp_py_pointer(((sp_py_run *)self)->world, "world") ? run : NULL;
}

static PyObject *run_step(PyObject *self, PyObject *unused) {
    (void)unused;
    sp_run *run = run_idle(self);
    sp_status status;
    if (!run) return NULL;
    RUN_LONG(self, status = sp_run_step(run));
    return sp_py_run_result((sp_py_run *)self, status);
}

static PyObject *run_finish(PyObject *self, PyObject *unused) {
    (void)unused;
    sp_run *run = run_idle(self);
    sp_status status;
    if (!run) return NULL;
    RUN_LONG(self, status = sp_run_finish(run));
    return status < 0 ? sp_py_raise_context(status, sp_py_io_context(((sp_py_run *)self)->handle)) : sp_py_status(status);
}

static PyObject *run_save(PyObject *self, PyObject *path) {
    sp_run *run = run_idle(self);
    sp_py_call call = {0};
    sp_status status = SP_OK;
    const char *file = run ? sp_py_path(&call, path) : NULL;
    if (file) RUN_LONG(self, status = sp_run_save(run, file));
    sp_py_call_end(&call, true);
    if (!file) return NULL;
    if (status < 0) return sp_py_raise_context(status, sp_py_io_context(((sp_py_run *)self)->handle));
    Py_RETURN_NONE;
}

static PyObject *run_adopt(PyObject *self, PyObject *from) {
    sp_run *run = run_idle(self), *other = run ? sp_py_run_pointer(from) : NULL;
    sp_status status;
    if (!other) return NULL;
    if (run == other) return sp_py_fail(SP_BAD_INPUT, "adopt: a run cannot continue from itself");
    ((sp_py_run *)from)->handle->busy++;
    RUN_LONG(self, status = sp_run_adopt(run, other));
    ((sp_py_run *)from)->handle->busy--;
    if (status < 0) return sp_py_raise_context(status, sp_py_io_context(((sp_py_run *)self)->handle));
    Py_RETURN_NONE;
}

static PyObject *run_close(PyObject *self, PyObject *unused) {
    (void)unused;
    sp_py_run *run = (sp_py_run *)self;
    if (run->handle && !run_idle(self)) return NULL;
    Py_CLEAR(run->world);
    Py_CLEAR(run->handle);
    Py_RETURN_NONE;
}

// ---------------------------------------------------------------------------------------------------- what it holds

static PyObject *world_object(PyObject *self) {
    if (!run_of(self)) return NULL;
    Py_INCREF((PyObject *)((sp_py_run *)self)->world);
    return sp_py_world_new(((sp_py_run *)self)->world);
}

// The world as an object of a subclass of souple.World.
static PyObject *run_world(PyObject *self, PyObject *type) {
    if (!run_of(self)) return NULL;
    if (!PyType_Check(type) || !PyType_IsSubtype((PyTypeObject *)type, sp_py_world_type))
        return PyErr_SetString(PyExc_TypeError, "must be a subclass of souple.World"), NULL;
    Py_INCREF((PyObject *)((sp_py_run *)self)->world);
    return sp_py_object_new((PyTypeObject *)type, ((sp_py_run *)self)->world);
}

static PyObject *run_number(PyObject *self, void *what) {
    sp_run *run = sp_py_pointer_shared(((sp_py_run *)self)->handle, "run");
    if (!run) return NULL;
    switch (*(const char *)what) {
    case 'd': return PyFloat_FromDouble(sp_run_dt(run));
    case 'p': return PyLong_FromLong(sp_run_steps_planned(run));
    case 'e': return PyBool_FromLong(sp_run_done(run));
    default: return PyLong_FromLong(sp_run_probe_count(run));
    }
}

static PyObject *text_tuple(const char *const *texts, int count) {
    PyObject *tuple = PyTuple_New(count);
    for (int i = 0; tuple && i < count; i++) {
        PyObject *text = PyUnicode_FromString(texts[i]);
        if (!text || PyTuple_SetItem(tuple, i, text) < 0) Py_CLEAR(tuple);
    }
    return tuple;
}

static PyObject *column_tuple(sp_run *run, int probe, int width, bool units) {
    PyObject *tuple = PyTuple_New(width);
    for (int i = 0; tuple && i < width; i++) {
        sp_run_column column;
        const bool good = sp_run_column_at(run, probe, i, &column) >= 0;
        PyObject *text = PyUnicode_FromString(!good ? "" : units ? column.unit : column.name);
        if (!text || PyTuple_SetItem(tuple, i, text) < 0) Py_CLEAR(tuple);
    }
    return tuple;
}

static sp_run *probe_of(PyObject *self, PyObject *index, int *number, sp_run_probe *out) {
    sp_run *run = run_of(self);
    const long at = run ? PyLong_AsLong(index) : -1;
    if (!run || PyErr_Occurred()) return NULL;
    *number = (int)at;
    if (at >= 0 && at <= sp_run_probe_count(run) && sp_run_probe_at(run, (int)at, out) >= 0) return run;
    PyErr_Format(PyExc_IndexError, "probe %ld: the run has %d", at, sp_run_probe_count(run));
    return NULL;
}

static PyObject *run_probe(PyObject *self, PyObject *index) {
    sp_run_probe probe;
    int number;
    sp_run *run = probe_of(self, index, &number, &probe);
    return run ? Py_BuildValue("zzNNN", probe.name, probe.body, text_tuple(probe.quantities, probe.quantity_count),
                               column_tuple(run, number, probe.width, false), column_tuple(run, number, probe.width, true))
               : NULL;
}

static PyObject *run_samples(PyObject *self, PyObject *index) {
    sp_run_probe probe;
    int number;
    if (!probe_of(self, index, &number, &probe)) return NULL;
    PyObject *owner = (PyObject *)((sp_py_run *)self)->handle;
    const Py_ssize_t shape[] = {probe.sample_count, probe.width};
    return Py_BuildValue("NNN", sp_py_view(owner, probe.times, SP_PY_DOUBLE, 1, shape, false),
                         sp_py_view(owner, probe.values, SP_PY_DOUBLE, 2, shape, false),
                         sp_py_view(owner, probe.interpolated, SP_PY_BYTE, 1, shape, false));
}

static int claim_at(void *run, int index, void *out) {
    return sp_run_claim_at(run, index, out);
}

static int inverse_at(void *run, int index, void *out) {
    return sp_run_inverse_at(run, index, out);
}

static int record_at(void *run, int index, void *out) {
    return sp_run_record_at(run, index, out);
}

static PyObject *run_list(PyObject *self, void *what) {
    sp_run *run = run_of(self);
    if (!run) return NULL;
    switch (*(const char *)what) {
    case 'c': return sp_py_records(&sp_py_struct_sp_run_claim, sp_run_claim_count(run), claim_at, run);
    case 'i': return sp_py_records(&sp_py_struct_sp_run_inverse, sp_run_inverse_count(run), inverse_at, run);
    default: return sp_py_records(&sp_py_struct_sp_run_record, sp_run_record_count(run), record_at, run);
    }
}

static PyObject *run_additions(PyObject *self, void *unused) {
    (void)unused;
    sp_run *run = run_of(self);
    return run ? PyUnicode_FromString(sp_run_additions(run)) : NULL;
}

// ---------------------------------------------------------------------------------------------------- appearance

static PyObject *run_look(PyObject *self, PyObject *args, PyObject *keywords) {
    static char *names[] = {"body", "surface", NULL};
    PyObject *body;
    int surface = 0;
    if (!PyArg_ParseTupleAndKeywords(args, keywords, "O|i:look", names, &body, &surface)) return NULL;
    sp_run *run = run_of(self);
    PyObject *world = run ? world_object(self) : NULL, *out = NULL;
    sp_py_call call = {.world = world};
    sp_body_id id;
    sp_run_look look;
    if (world && sp_py_body_id(&call, body, "body", &id) == 0) {
        sp_run_look_of(run, id, surface, &look);
        out = sp_py_record(&sp_py_struct_sp_run_look, &look, NULL);
    }
    sp_py_call_end(&call, true);
    Py_XDECREF(world);
    return out;
}

static PyObject *run_region_name(PyObject *self, PyObject *args) {
    PyObject *body, *out = NULL;
    int region;
    if (!PyArg_ParseTuple(args, "Oi:region_name", &body, &region)) return NULL;
    sp_run *run = run_of(self);
    PyObject *world = run ? world_object(self) : NULL;
    sp_py_call call = {.world = world};
    sp_body_id id;
    if (world && sp_py_body_id(&call, body, "body", &id) == 0) {
        const char *name = sp_run_region_name(run, id, region);
        out = name ? PyUnicode_FromString(name) : sp_py_fail(SP_BAD_INPUT, "the body has no region %d", region);
    }
    sp_py_call_end(&call, true);
    Py_XDECREF(world);
    return out;
}

static PyObject *run_clips(PyObject *self, PyObject *body) {
    sp_run *run = run_of(self);
    PyObject *world = run ? world_object(self) : NULL, *out = NULL;
    sp_py_call call = {.world = world};
    sp_body_id id;
    bool cap;
    if (world && sp_py_body_id(&call, body, "body", &id) == 0) {
        const bool cut = sp_run_clips(run, id, &cap);
        out = Py_BuildValue("NN", PyBool_FromLong(cut), PyBool_FromLong(cap));
    }
    sp_py_call_end(&call, true);
    Py_XDECREF(world);
    return out;
}

static PyObject *run_camera(PyObject *self, PyObject *args, PyObject *keywords) {
    static char *names[] = {"time", NULL};
    double time = NAN;
    if (!PyArg_ParseTupleAndKeywords(args, keywords, "|d:camera", names, &time)) return NULL;
    sp_run *run = run_of(self);
    if (!run) return NULL;
    sp_picture_def def = sp_run_picture(run);
    if (!isnan(time)) sp_run_picture_set_time(run, time, &def);
    return sp_py_record(&sp_py_struct_sp_picture_def, &def, NULL);
}

// ---------------------------------------------------------------------------------------------------- recorders

static void recorder_free(void *pointer) {
    sp_run_recorder *recorder = pointer;
    sp_run_recorder_stop(&recorder);
}

static PyObject *run_recorder(PyObject *self, PyObject *args, PyObject *keywords) {
    static const char *const names[] = {"path", NULL};
    sp_run *run = run_idle(self);
    PyObject *all = run ? sp_py_arguments("recorder", args, keywords, names, 1) : NULL, *out = NULL;
    sp_py_call call = {0};
    sp_run_recorder_def def;
    sp_run_recorder *recorder = NULL;
    sp_status status;
    if (!all) return NULL;
    PyObject *path = sp_py_take(&call, all, "path"), *quantities = sp_py_take(&call, all, "quantities");
    if (sp_py_struct_set(&call, &sp_py_struct_sp_run_recorder_def, all, &def) == 0 && (def.path = sp_py_path(&call, path)) &&
        sp_py_strings(&call, quantities, "quantities", &def.quantities, &def.quantity_count) == 0) {
        RUN_LONG(self, status = sp_run_recorder_start(run, &def, &recorder));
        sp_py_handle *handle =
            status < 0 ? NULL : sp_py_handle_new("recorder", recorder, recorder_free, ((sp_py_run *)self)->handle);
        if (status < 0) sp_py_raise_context(status, sp_py_io_context(((sp_py_run *)self)->handle));
        out = handle ? sp_py_object_new(recorder_type, handle) : NULL;
    }
    sp_py_call_end(&call, out != NULL);
    Py_DECREF(all);
    return out;
}

static PyObject *recorder_step(PyObject *self, PyObject *unused) {
    (void)unused;
    sp_py_handle *handle = ((sp_py_object *)self)->handle;
    sp_run_recorder *recorder = sp_py_pointer(handle, "recorder");
    sp_status status;
    if (!recorder) return NULL;
    SP_PY_LONG(handle, status = sp_run_recorder_step(recorder));
    return status < 0 ? sp_py_raise_context(status, sp_py_io_context(handle)) : sp_py_status(status);
}

static PyObject *recorder_record(PyObject *self, void *unused) {
    (void)unused;
    sp_run_recorder *recorder = sp_py_pointer(((sp_py_object *)self)->handle, "recorder");
    sp_run_record record;
    if (!recorder) return NULL;
    sp_run_recorder_get(recorder, &record);
    return sp_py_record(&sp_py_struct_sp_run_record, &record, NULL);
}

// Further calls do nothing.
static PyObject *recorder_stop(PyObject *self, PyObject *unused) {
    (void)unused;
    sp_py_handle *handle = ((sp_py_object *)self)->handle;
    if (!handle) Py_RETURN_NONE;
    sp_run_recorder *recorder = sp_py_pointer(handle, "recorder");
    sp_status status;
    if (!recorder) return NULL;
    handle->pointer = NULL;
    SP_PY_LONG(handle, status = sp_run_recorder_stop(&recorder));
    PyObject *out = status < 0 ? sp_py_raise_context(status, sp_py_io_context(handle)) : Py_None;
    Py_XINCREF(out == Py_None ? out : NULL);
    Py_CLEAR(((sp_py_object *)self)->handle);
    return out;
}

static PyObject *enter(PyObject *self, PyObject *unused) {
    (void)unused;
    Py_INCREF(self);
    return self;
}

static PyObject *recorder_exit(PyObject *self, PyObject *args) {
    (void)args;
    return recorder_stop(self, NULL);
}

// ---------------------------------------------------------------------------------------------------- glTF

static void gltf_free(void *pointer) {
    sp_gltf *gltf = pointer;
    sp_gltf_destroy(&gltf);
}

static PyObject *run_gltf(PyObject *self, PyObject *args, PyObject *keywords) {
    static const char *const names[] = {"path", NULL};
    sp_run *run = run_idle(self);
    PyObject *all = run ? sp_py_arguments("gltf", args, keywords, names, 1) : NULL, *out = NULL;
    sp_py_call call = {0};
    sp_gltf_options options;
    sp_gltf *gltf = NULL;
    if (!all) return NULL;
    const char *path = sp_py_path(&call, sp_py_take(&call, all, "path"));
    if (path && sp_py_struct_set(&call, &sp_py_struct_sp_gltf_options, all, &options) == 0) {
        sp_status status = sp_gltf_create(run, path, &options, &gltf);
        sp_py_handle *handle = status < 0 ? NULL : sp_py_handle_new("glTF file", gltf, gltf_free, ((sp_py_run *)self)->handle);
        if (status < 0) sp_py_raise_context(status, sp_py_io_context(((sp_py_run *)self)->handle));
        out = handle ? sp_py_object_new(gltf_type, handle) : NULL;
    }
    sp_py_call_end(&call, out != NULL);
    Py_DECREF(all);
    return out;
}

static PyObject *gltf_call(PyObject *self, bool write, double time) {
    sp_py_handle *handle = ((sp_py_object *)self)->handle;
    sp_gltf *gltf = sp_py_pointer(handle, "glTF file");
    sp_status status;
    if (!gltf) return NULL;
    SP_PY_LONG(handle, status = write ? sp_gltf_write(gltf) : sp_gltf_frame(gltf, time));
    if (status < 0) return sp_py_raise_context(status, sp_py_io_context(handle));
    Py_RETURN_NONE;
}

static PyObject *gltf_frame(PyObject *self, PyObject *time) {
    const double t = PyFloat_AsDouble(time);
    return PyErr_Occurred() ? NULL : gltf_call(self, false, t);
}

static PyObject *gltf_write(PyObject *self, PyObject *unused) {
    (void)unused;
    return gltf_call(self, true, 0);
}

// ---------------------------------------------------------------------------------------------------- registration

#define KEYWORDS(function) (PyCFunction)(void (*)(void))(function), METH_VARARGS | METH_KEYWORDS

static PyGetSetDef run_getset[] = {
    {"dt", run_number, NULL, SP_DOC_sp_run_dt, "d"},
    {"steps_planned", run_number, NULL, SP_DOC_sp_run_steps_planned, "p"},
    {"done", run_number, NULL, SP_DOC_sp_run_done, "e"},
    {"probe_count", run_number, NULL, SP_DOC_sp_run_probe_count, "n"},
    {"claims", run_list, NULL, "The `expect` elements of the scene: observed and expected value. finish() checks them.", "c"},
    {"inverses", run_list, NULL, "Inverse problems that were solved before the first step: unknown, residual.", "i"},
    {"records", run_list, NULL, "The files that the run writes: file, path, kind, frames, dropped, bytes.", "r"},
    {"additions", run_additions, NULL, SP_DOC_sp_run_additions, NULL},
    {NULL, NULL, NULL, NULL, NULL}};

static PyMethodDef run_methods[] = {
    {"step", run_step, METH_NOARGS, "step($self)\n--\n\n" SP_DOC_sp_run_step},
    {"finish", run_finish, METH_NOARGS, "finish($self)\n--\n\n" SP_DOC_sp_run_finish},
    {"save", run_save, METH_O, "save($self, path)\n--\n\n" SP_DOC_sp_run_save},
    {"adopt", run_adopt, METH_O, "adopt($self, run)\n--\n\n" SP_DOC_sp_run_adopt},
    {"close", run_close, METH_NOARGS, "close($self)\n--\n\nFrees the run, as soon as no array or world of it is in use."},
    {"_world", run_world, METH_O, SP_DOC_sp_run_world},
    {"_probe", run_probe, METH_O, "Name, body, quantities, columns and units of a probe."},
    {"_samples", run_samples, METH_O, "Times, values and marks of a probe so far."},
    {"look", KEYWORDS(run_look), "look($self, body, surface=0)\n--\n\n" SP_DOC_sp_run_look_of},
    {"region_name", run_region_name, METH_VARARGS, "region_name($self, body, region)\n--\n\n" SP_DOC_sp_run_region_name},
    {"clips", run_clips, METH_O, "clips($self, body)\n--\n\nWhether clipping planes cut a body, and whether caps close the cut."},
    {"camera", KEYWORDS(run_camera), "camera($self, time=None)\n--\n\n" SP_DOC_sp_run_picture},
    {"recorder", KEYWORDS(run_recorder),
     "recorder($self, path, *, period=0, quantities=(), edits=None, in_double=False, compress=False, wait=False)\n--\n\n"
     "A recording (.xdmf and .h5) that starts now. Call its step() after each step, and stop() at the end, or use it in a with "
     "block."},
    {"gltf", KEYWORDS(run_gltf),
     "gltf($self, path, *, normals=True)\n--\n\nStarts a glTF file (.glb): frame(time) adds the newest snapshot, write() writes "
     "the "
     "file."},
    {NULL, NULL, 0, NULL}};

static PyMethodDef recorder_methods[] = {
    {"step", recorder_step, METH_NOARGS, "step($self)\n--\n\n" SP_DOC_sp_run_recorder_step},
    {"stop", recorder_stop, METH_NOARGS, "stop($self)\n--\n\nWrites what is waiting and closes the files."},
    {"__enter__", enter, METH_NOARGS, NULL},
    {"__exit__", recorder_exit, METH_VARARGS, NULL},
    {NULL, NULL, 0, NULL}};
static PyGetSetDef recorder_getset[] = {{"record", recorder_record, NULL, SP_DOC_sp_run_recorder_get, NULL},
                                        {NULL, NULL, NULL, NULL, NULL}};

static PyMethodDef gltf_methods[] = {{"frame", gltf_frame, METH_O, "frame($self, time)\n--\n\n" SP_DOC_sp_gltf_frame},
                                     {"write", gltf_write, METH_NOARGS, "write($self)\n--\n\n" SP_DOC_sp_gltf_write},
                                     {NULL, NULL, 0, NULL}};

static PyType_Slot run_slots[] = {
    {Py_tp_new, run_new},
    {Py_tp_dealloc, run_dealloc},
    {Py_tp_traverse, run_traverse},
    {Py_tp_clear, run_clear},
    {Py_tp_getset, run_getset},
    {Py_tp_methods, run_methods},
    {Py_tp_doc, "The simulation of a scene: world, events, probes, records, stop conditions and claims."},
    {0, NULL}};
static PyType_Spec run_spec = {"souple._core.Run", sizeof(sp_py_run), 0,
                               Py_TPFLAGS_DEFAULT | Py_TPFLAGS_HAVE_GC | Py_TPFLAGS_BASETYPE, run_slots};

static PyType_Slot recorder_slots[] = {SP_PY_OBJECT_SLOTS,
                                       {Py_tp_getset, recorder_getset},
                                       {Py_tp_methods, recorder_methods},
                                       {Py_tp_doc, "A recording that starts and stops while a run goes on."},
                                       {0, NULL}};
static PyType_Spec recorder_spec = {"souple.Recorder", sizeof(sp_py_object), 0, Py_TPFLAGS_DEFAULT | Py_TPFLAGS_HAVE_GC,
                                    recorder_slots};

static PyType_Slot gltf_slots[] = {
    SP_PY_OBJECT_SLOTS, {Py_tp_methods, gltf_methods}, {Py_tp_doc, "The motion of a run as a glTF 2.0 file (.glb)."}, {0, NULL}};
static PyType_Spec gltf_spec = {"souple.Gltf", sizeof(sp_py_object), 0, Py_TPFLAGS_DEFAULT | Py_TPFLAGS_HAVE_GC, gltf_slots};

int sp_py_init_run(PyObject *module) {
    sp_py_run_type = (PyTypeObject *)sp_py_add_type(module, &run_spec);
    recorder_type = sp_py_run_type ? (PyTypeObject *)sp_py_add_type(module, &recorder_spec) : NULL;
    gltf_type = recorder_type ? (PyTypeObject *)sp_py_add_type(module, &gltf_spec) : NULL;
    return gltf_type ? 0 : -1;
}
