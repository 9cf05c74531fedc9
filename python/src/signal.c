// Numbers and poses that vary with time, as Python functions. See convert.h.
//
// The library calls them in a step, from any thread; each call takes the GIL. An exception makes the value NaN, which fails the
// step, and the step raises the exception.
#include <math.h>

#include "convert.h"

typedef struct signal_object {
    PyObject_HEAD PyObject *callable;
    sp_py_handle *keeper;  // borrowed: it keeps this object
    int index;             // of a function that returns several numbers; -1: one
} signal_object;

static PyTypeObject *signal_type;

static signal_object *signal_new(sp_py_call *call, PyObject *callable, int index) {
    if (!call->keeper) {
        sp_py_fail(SP_BAD_INPUT, "a function of time is not possible here");
        return NULL;
    }
    if (!call->signals && !(call->signals = PyList_New(0))) return NULL;
    signal_object *signal = PyObject_GC_New(signal_object, signal_type);
    if (!signal) return NULL;
    Py_INCREF(callable);
    signal->callable = callable, signal->keeper = call->keeper, signal->index = index;
    PyObject_GC_Track((PyObject *)signal);
    int done = PyList_Append(call->signals, (PyObject *)signal);
    Py_DECREF((PyObject *)signal);
    return done < 0 ? NULL : signal;
}

static int signal_traverse(PyObject *self, visitproc visit, void *arg) {
    Py_VISIT(Py_TYPE(self));
    Py_VISIT(((signal_object *)self)->callable);
    return 0;
}

static int signal_clear(PyObject *self) {
    Py_CLEAR(((signal_object *)self)->callable);
    return 0;
}

static void signal_dealloc(PyObject *self) {
    PyTypeObject *type = Py_TYPE(self);
    PyObject_GC_UnTrack(self);
    signal_clear(self);
    PyObject_GC_Del(self);
    Py_DECREF((PyObject *)type);
}

static double number_of(PyObject *result, int index) {
    if (index < 0 || !result) return result ? PyFloat_AsDouble(result) : NAN;
    PyObject *item = PySequence_GetItem(result, index);
    double x = item ? PyFloat_AsDouble(item) : NAN;
    Py_XDECREF(item);
    return x;
}

static double signal_eval(const void *user, double t) {
    const signal_object *signal = user;
    PyGILState_STATE gil = PyGILState_Ensure();
    PyObject *result = signal->callable ? PyObject_CallFunction(signal->callable, "d", t) : NULL;
    double x = number_of(result, signal->index);
    Py_XDECREF(result);
    if (PyErr_Occurred()) {
        sp_py_keep_exception(signal->keeper);
        x = NAN;
    }
    PyGILState_Release(gil);
    return x;
}

static void pose_eval(const void *user, double t, sp_pose *out) {
    const signal_object *signal = user;
    PyGILState_STATE gil = PyGILState_Ensure();
    PyObject *result = signal->callable ? PyObject_CallFunction(signal->callable, "d", t) : NULL;
    sp_py_call call = {0};
    *out = (sp_pose){{NAN, NAN, NAN}, {1, 0, 0, 0}};
    if (!result || sp_py_pose(&call, result, "pose", out) < 0) sp_py_keep_exception(signal->keeper);
    sp_py_call_end(&call, false);
    Py_XDECREF(result);
    PyGILState_Release(gil);
}

int sp_py_signal(sp_py_call *call, PyObject *value, const char *what, int index, sp_signal *out) {
    if (PyCallable_Check(value)) {
        signal_object *signal = signal_new(call, value, index);
        if (!signal) return -1;
        *out = (sp_signal){.eval = signal_eval, .user = signal};
        return 0;
    }
    double constant;
    if (sp_py_numbers_into(call, value, what, SP_PY_DOUBLE, 1, &constant) < 0) return -1;
    *out = sp_signal_constant(constant);
    return 0;
}

int sp_py_pose_signal(sp_py_call *call, PyObject *value, const char *what, sp_pose_signal *out) {
    if (PyCallable_Check(value)) {
        signal_object *signal = signal_new(call, value, -1);
        if (!signal) return -1;
        *out = (sp_pose_signal){.eval = pose_eval, .user = signal, .constant = sp_pose_identity()};
        return 0;
    }
    sp_pose pose = sp_pose_identity();
    if (sp_py_pose(call, value, what, &pose) < 0) return -1;
    *out = sp_pose_signal_constant(pose);
    return 0;
}

int sp_py_init_signal(PyObject *module) {
    (void)module;
    static PyType_Slot slots[] = {{Py_tp_dealloc, signal_dealloc},
                                  {Py_tp_traverse, signal_traverse},
                                  {Py_tp_clear, signal_clear},
                                  {Py_tp_new, sp_py_refuse_new},
                                  {0, NULL}};
    static PyType_Spec spec = {"souple._Signal", sizeof(signal_object), 0, Py_TPFLAGS_DEFAULT | Py_TPFLAGS_HAVE_GC, slots};
    signal_type = (PyTypeObject *)PyType_FromSpec(&spec);
    return signal_type ? 0 : -1;
}
