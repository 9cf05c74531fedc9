// souple.Recording: frames, cells and fields that a run recorded.
#include "io.h"

#include <limits.h>
#include <string.h>

static PyTypeObject *recording_type;

static void recording_free(void *pointer) {
    sp_recording *recording = pointer;
    sp_recording_close(&recording);
}

static sp_status recording_open(sp_context *context, const char *path, void **out) {
    sp_recording *recording = NULL;
    const sp_status status = sp_recording_open(context, path, &recording);
    *out = recording;
    return status;
}

static PyObject *recording_new(PyTypeObject *type, PyObject *args, PyObject *keywords) {
    sp_py_handle *handle = sp_py_open("recording", args, keywords, "O|O:Recording", recording_open, recording_free);
    return handle ? sp_py_object_new(type, handle) : NULL;
}

static sp_recording *recording_of(PyObject *self) {
    return sp_py_pointer(((sp_py_object *)self)->handle, "recording");
}

static PyObject *recording_fail(PyObject *self, sp_status status) {
    return sp_py_raise_context(status, sp_py_io_context(((sp_py_object *)self)->handle));
}

static PyObject *recording_close(PyObject *self, PyObject *unused) {
    (void)unused;
    sp_py_object *object = (sp_py_object *)self;
    if (object->handle && !recording_of(self)) return NULL;
    Py_CLEAR(object->handle);
    Py_RETURN_NONE;
}

// ---------------------------------------------------------------------------------------------------- frames and bodies

static PyObject *recording_info(PyObject *self, void *what) {
    sp_recording *recording = recording_of(self);
    sp_recording_info info;
    if (!recording) return NULL;
    sp_recording_get(recording, &info);
    switch (*(const char *)what) {
    case 't': return PyUnicode_FromStringAndSize(info.scene, (Py_ssize_t)info.scene_size);
    case 'n': return PyLong_FromLong(info.frame_count);
    case 's': break;
    default: return sp_py_record(&sp_py_struct_sp_recording_info, &info, NULL);
    }
    PyObject *list = PyList_New(info.set_count);
    for (int i = 0; list && i < info.set_count; i++) {
        PyObject *text = PyUnicode_FromString(info.sets[i]);
        if (!text || PyList_SetItem(list, i, text) < 0) Py_CLEAR(list);
    }
    return list;
}

static int frame_at(void *recording, int index, void *out) {
    return sp_recording_frame_at(recording, index, out);
}

static PyObject *recording_frames(PyObject *self, void *unused) {
    (void)unused;
    sp_recording *recording = recording_of(self);
    sp_recording_info info;
    if (!recording) return NULL;
    sp_recording_get(recording, &info);
    return sp_py_records(&sp_py_struct_sp_recording_frame, info.frame_count, frame_at, recording);
}

static PyObject *recording_times(PyObject *self, void *unused) {
    (void)unused;
    sp_recording *recording = recording_of(self);
    sp_recording_info info;
    sp_recording_frame frame;
    double *times;
    if (!recording) return NULL;
    sp_recording_get(recording, &info);
    const Py_ssize_t shape[] = {info.frame_count};
    PyObject *array = sp_py_array(SP_PY_DOUBLE, 1, shape, (void **)&times);
    for (int i = 0; array && i < info.frame_count; i++)
        times[i] = sp_recording_frame_at(recording, i, &frame) >= 0 ? frame.time : 0;
    return array;
}

static PyObject *recording_bodies(PyObject *self, void *unused) {
    (void)unused;
    sp_recording *recording = recording_of(self);
    PyObject *dict = recording ? PyDict_New() : NULL;
    sp_recording_body body;
    for (int i = 0; dict && sp_recording_body_at(recording, i, &body) >= 0; i++) {
        PyObject *fields = PyList_New(body.field_count);
        for (int k = 0; fields && k < body.field_count; k++) {
            PyObject *text = PyUnicode_FromString(body.fields[k]);
            if (!text || PyList_SetItem(fields, k, text) < 0) Py_CLEAR(fields);
        }
        PyObject *item = fields ? Py_BuildValue("{s:s,s:N}", "kind", body.kind, "fields", fields) : NULL;
        if (!item || PyDict_SetItemString(dict, body.name, item) < 0) Py_CLEAR(dict);
        Py_XDECREF(item);
    }
    return dict;
}

// a number or a name -> index; -1: exception
static int body_index(sp_recording *recording, PyObject *value) {
    sp_recording_body body;
    if (PyLong_Check(value)) {
        const long index = PyLong_AsLong(value);
        if (index >= 0 && index < INT_MAX && sp_recording_body_at(recording, (int)index, &body) >= 0) return (int)index;
        if (!PyErr_Occurred()) sp_py_fail(SP_BAD_INPUT, "the recording has no body %ld", index);
        return -1;
    }
    const char *known[64];
    int count = 0;
    PyObject *bytes = PyUnicode_Check(value) ? PyUnicode_AsUTF8String(value) : NULL;
    const char *name = bytes ? PyBytes_AsString(bytes) : NULL;
    if (!name && !PyErr_Occurred()) PyErr_Format(PyExc_TypeError, "body: must be a name or a number, not %R", value);
    int found = -1;
    for (int i = 0; name && found < 0 && sp_recording_body_at(recording, i, &body) >= 0; i++) {
        if (strcmp(body.name, name) == 0) found = i;
        if (count < 64) known[count++] = body.name;
    }
    if (name && found < 0) sp_py_unknown(sp_py_bad_input, "body", name, known, count);
    Py_XDECREF(bytes);
    return found;
}

// frames may be counted from the end: -1 is the last one; -1 with an exception: there is no such frame
static int frame_index(sp_recording *recording, int frame) {
    sp_recording_info info;
    sp_recording_get(recording, &info);
    const int at = frame < 0 ? frame + info.frame_count : frame;
    if (at >= 0 && at < info.frame_count) return at;
    PyErr_Format(PyExc_IndexError, "frame %d: the recording has %d", frame, info.frame_count);
    return -1;
}

static sp_recording *place_of(PyObject *self, PyObject *args, PyObject *keywords, char **names, const char *format, int *frame,
                              int *body, const char **field) {
    PyObject *name;
    sp_recording *recording = recording_of(self);
    if (!recording || !PyArg_ParseTupleAndKeywords(args, keywords, format, names, frame, &name, field)) return NULL;
    *frame = frame_index(recording, *frame);
    *body = *frame >= 0 ? body_index(recording, name) : -1;
    return *body >= 0 ? recording : NULL;
}

static PyObject *recording_nearest(PyObject *self, PyObject *time) {
    sp_recording *recording = recording_of(self);
    const double t = recording ? PyFloat_AsDouble(time) : 0;
    return !recording || PyErr_Occurred() ? NULL : PyLong_FromLong(sp_recording_nearest(recording, t));
}

static PyObject *recording_has_body(PyObject *self, PyObject *args, PyObject *keywords) {
    static char *names[] = {"frame", "body", NULL};
    int frame, body;
    sp_recording *recording = place_of(self, args, keywords, names, "iO:has_body", &frame, &body, NULL);
    return recording ? PyBool_FromLong(sp_recording_has_body(recording, frame, body)) : NULL;
}

// ---------------------------------------------------------------------------------------------------- numbers

static PyObject *recording_topology(PyObject *self, PyObject *args, PyObject *keywords) {
    static char *names[] = {"frame", "body", NULL};
    int frame, body;
    sp_recording *recording = place_of(self, args, keywords, names, "iO:topology", &frame, &body, NULL);
    sp_recording_topology t;
    if (!recording) return NULL;
    const sp_status status = sp_recording_topology_at(recording, frame, body, &t);
    if (status < 0) return recording_fail(self, status);
    PyObject *cells = sp_py_copy(t.cells, SP_PY_INT, t.cell_count, t.corners);
    return Py_BuildValue("{s:i,s:i,s:N}", "revision", t.revision, "node_count", t.node_count, "cells", cells);
}

static PyObject *recording_field(PyObject *self, PyObject *args, PyObject *keywords) {
    static char *names[] = {"frame", "body", "field", NULL};
    int frame, body;
    const char *field = "position";
    sp_recording *recording = place_of(self, args, keywords, names, "iO|s:field", &frame, &body, &field);
    sp_field_info info;
    double *values;
    if (!recording) return NULL;
    sp_status status = sp_recording_field_info(recording, frame, body, field, &info);
    if (status < 0) return recording_fail(self, status);
    const Py_ssize_t shape[] = {info.count, info.components};
    PyObject *array = sp_py_array(SP_PY_DOUBLE, info.components == 1 ? 1 : 2, shape, (void **)&values);
    if (!array) return NULL;
    SP_PY_LONG(((sp_py_object *)self)->handle, status = sp_recording_field(recording, frame, body, field, values));
    if (status >= 0) return array;
    Py_DECREF(array);
    return recording_fail(self, status);
}

static PyObject *recording_field_info(PyObject *self, PyObject *args, PyObject *keywords) {
    static char *names[] = {"frame", "body", "field", NULL};
    int frame, body;
    const char *field;
    sp_recording *recording = place_of(self, args, keywords, names, "iOs:field_info", &frame, &body, &field);
    sp_field_info info;
    if (!recording) return NULL;
    const sp_status status = sp_recording_field_info(recording, frame, body, field, &info);
    return status < 0 ? recording_fail(self, status) : sp_py_record(&sp_py_struct_sp_field_info, &info, NULL);
}

static int contact_at(void *contacts, int index, void *out) {
    *(sp_recording_contact *)out = ((const sp_recording_contact *)contacts)[index];
    return 0;
}

static PyObject *recording_contacts(PyObject *self, PyObject *number) {
    sp_recording *recording = recording_of(self);
    const long given = recording ? PyLong_AsLong(number) : 0;
    if (!recording || PyErr_Occurred()) return NULL;
    const int frame = frame_index(recording, given > INT_MAX ? INT_MAX : given < INT_MIN ? INT_MIN : (int)given);
    if (frame < 0) return NULL;
    const int count = sp_recording_contact_count(recording, frame);
    sp_recording_contact *contacts = PyMem_Calloc(count > 0 ? (size_t)count : 1, sizeof *contacts);
    if (!contacts) return PyErr_NoMemory();
    const sp_status status = count > 0 ? sp_recording_contacts(recording, frame, contacts) : SP_OK;
    PyObject *list = status < 0 ? recording_fail(self, status)
                                : sp_py_records(&sp_py_struct_sp_recording_contact, count > 0 ? count : 0, contact_at, contacts);
    PyMem_Free(contacts);
    return list;
}

// ---------------------------------------------------------------------------------------------------- its scene

static PyObject *recording_scene(PyObject *self, PyObject *args, PyObject *keywords) {
    static char *names[] = {"type", "sets", "allow_paths", NULL};
    PyObject *type, *sets = NULL, *allow = NULL, *out = NULL;
    sp_py_call call = {0};
    sp_scene_options options;
    sp_scene *scene = NULL;
    sp_status status;
    if (!PyArg_ParseTupleAndKeywords(args, keywords, "O|OO:_scene", names, &type, &sets, &allow)) return NULL;
    if (!PyType_Check(type) || !PyType_IsSubtype((PyTypeObject *)type, sp_py_scene_type))
        return PyErr_SetString(PyExc_TypeError, "must be a subclass of souple.Scene"), NULL;
    sp_recording *recording = recording_of(self);
    sp_py_handle *handle = ((sp_py_object *)self)->handle;
    if (recording && sp_py_scene_options(&call, sets, allow, &options) == 0) {
        SP_PY_LONG(handle, status = sp_recording_scene(recording, &options, &scene));
        if (!scene) recording_fail(self, status);
        // the name of the scene is that of the recording, whose memory it may use
        out = scene ? sp_py_scene_wrap((PyTypeObject *)type, scene, handle) : NULL;
        if (out && status < 0) {
            sp_py_raise_scene(((sp_py_object *)out)->handle, status, 0);
            Py_CLEAR(out);
        }
    }
    sp_py_call_end(&call, out != NULL);
    return out;
}

static PyObject *recording_show(PyObject *self, PyObject *args, PyObject *keywords) {
    static char *names[] = {"frame", "run", NULL};
    int frame;
    PyObject *run;
    if (!PyArg_ParseTupleAndKeywords(args, keywords, "iO:show", names, &frame, &run)) return NULL;
    sp_recording *recording = recording_of(self);
    sp_run *target = recording ? sp_py_run_pointer(run) : NULL;
    sp_py_handle *handle = ((sp_py_object *)self)->handle;
    sp_status status;
    if (!target || !sp_py_pointer(((sp_py_run *)run)->world, "world") || (frame = frame_index(recording, frame)) < 0) return NULL;
    handle->busy++;
    SP_PY_LONG(((sp_py_run *)run)->world, status = sp_recording_show(recording, frame, target));
    handle->busy--;
    if (status < 0) return recording_fail(self, status);
    Py_RETURN_NONE;
}

// ---------------------------------------------------------------------------------------------------- registration

#define KEYWORDS(function) (PyCFunction)(void (*)(void))(function), METH_VARARGS | METH_KEYWORDS

static PyGetSetDef getset[] = {
    {"info", recording_info, NULL, SP_DOC_sp_recording_get, "i"},
    {"scene_text", recording_info, NULL, "The text of the scene.", "t"},
    {"sets", recording_info, NULL, "The values of `set` of the run as \"path=value\".", "s"},
    {"_count", recording_info, NULL, "Number of frames.", "n"},
    {"frames", recording_frames, NULL, "All frames: time, step, hash, interpolated.", NULL},
    {"times", recording_times, NULL, "Time of each frame [s].", NULL},
    {"bodies", recording_bodies, NULL, "Bodies by name: kind, and names of the recorded fields.", NULL},
    {NULL, NULL, NULL, NULL, NULL}};

static PyMethodDef methods[] = {
    {"close", recording_close, METH_NOARGS, "close($self)\n--\n\nCloses the file."},
    {"nearest", recording_nearest, METH_O, "nearest($self, time)\n--\n\n" SP_DOC_sp_recording_nearest},
    {"has_body", KEYWORDS(recording_has_body), "has_body($self, frame, body)\n--\n\n" SP_DOC_sp_recording_has_body},
    {"topology", KEYWORDS(recording_topology),
     "topology($self, frame, body)\n--\n\nThe cells of a body: revision, node_count, cells."},
    {"field", KEYWORDS(recording_field), "field($self, frame, body, field='position')\n--\n\n" SP_DOC_sp_recording_field},
    {"field_info", KEYWORDS(recording_field_info),
     "field_info($self, frame, body, field)\n--\n\n" SP_DOC_sp_recording_field_info},
    {"contacts", recording_contacts, METH_O, "contacts($self, frame)\n--\n\nThe contacts of a frame."},
    {"show", KEYWORDS(recording_show), "show($self, frame, run)\n--\n\n" SP_DOC_sp_recording_show},
    {"_scene", KEYWORDS(recording_scene), SP_DOC_sp_recording_scene},
    {NULL, NULL, 0, NULL}};

static PyType_Slot slots[] = {{Py_tp_new, recording_new},
                              SP_PY_OBJECT_SLOTS,
                              {Py_tp_getset, getset},
                              {Py_tp_methods, methods},
                              {Py_tp_doc, "A recording (.xdmf, or its .h5) opened for reading."},
                              {0, NULL}};
static PyType_Spec spec = {"souple._core.Recording", sizeof(sp_py_object), 0,
                           Py_TPFLAGS_DEFAULT | Py_TPFLAGS_HAVE_GC | Py_TPFLAGS_BASETYPE, slots};

int sp_py_init_recording(PyObject *module) {
    recording_type = (PyTypeObject *)sp_py_add_type(module, &spec);
    return recording_type ? 0 : -1;
}
