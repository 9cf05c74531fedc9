// See mesh_parts.h.
#include "mesh_parts.h"

#include <math.h>
#include <string.h>

#include "tables.h"

// ---------------------------------------------------------------------------------------------------- groups and arrays

static const char *name_of(sp_py_call *call, PyObject *key) {
    PyObject *bytes = PyUnicode_Check(key) ? PyUnicode_AsUTF8String(key) : NULL;
    if (!bytes) {
        PyErr_Clear();
        return sp_py_fail(SP_BAD_INPUT, "names of groups and arrays must be str");
    }
    const char *text = PyBytes_AsString(bytes);
    char *copy = sp_py_call_alloc(call, strlen(text) + 1, 1);
    if (copy) memcpy(copy, text, strlen(text));
    Py_DECREF(bytes);
    return copy;
}

static int read_set(sp_py_call *call, PyObject *value, const char *what, const int **out, int *count) {
    Py_ssize_t rows = 0;
    if (!value || value == Py_None) return 0;
    *out = sp_py_numbers(call, value, what, SP_PY_INT, 1, &rows);
    *count = (int)rows;
    return *out ? 0 : -1;
}

static int read_group(sp_py_call *call, PyObject *key, PyObject *value, sp_mesh_group *out) {
    out->name = name_of(call, key);
    if (!out->name) return -1;
    if (!PyDict_Check(value)) return read_set(call, value, out->name, &out->elements, &out->element_count);
    if (read_set(call, PyDict_GetItemString(value, "elements"), out->name, &out->elements, &out->element_count) < 0) return -1;
    return read_set(call, PyDict_GetItemString(value, "nodes"), out->name, &out->nodes, &out->node_count);
}

// values, or ("nodes" | "elements", values)
static int read_array(sp_py_call *call, PyObject *key, PyObject *value, Py_ssize_t nodes, Py_ssize_t elements,
                      sp_mesh_array *out) {
    Py_ssize_t rows = 0;
    int where = -1;
    out->name = name_of(call, key);
    if (!out->name) return -1;
    if (PyTuple_Check(value) && PyTuple_Size(value) == 2 && PyUnicode_Check(PyTuple_GetItem(value, 0))) {
        if (sp_py_word_value(&sp_py_words_sp_select_kind, PyTuple_GetItem(value, 0), "array", &where) < 0) return -1;
        value = PyTuple_GetItem(value, 1);
    }
    out->values = sp_py_numbers(call, value, out->name, SP_PY_DOUBLE, 1, &rows);
    if (!out->values) return -1;
    out->on_elements = where == SP_SELECT_ELEMENTS || (where < 0 && rows != nodes);
    if (rows != (out->on_elements ? elements : nodes)) {
        sp_py_fail(SP_BAD_INPUT, "array '%s': %zd values, must be %zd (nodes) or %zd (elements)", out->name, rows, nodes,
                   elements);
        return -1;
    }
    return 0;
}

static Py_ssize_t dict_size(PyObject *dict, const char *what) {
    if (!dict || dict == Py_None) return 0;
    if (PyDict_Check(dict)) return PyDict_Size(dict);
    sp_py_fail(SP_BAD_INPUT, "%s: must be a dict by name", what);
    return -1;
}

int mesh_parts_read(sp_py_call *call, PyObject *groups, PyObject *arrays, Py_ssize_t nodes, Py_ssize_t elements,
                    mesh_parts *out) {
    Py_ssize_t group_count = dict_size(groups, "groups"), array_count = dict_size(arrays, "arrays");
    if (group_count < 0 || array_count < 0) return -1;
    sp_mesh_group *g = sp_py_call_alloc(call, (size_t)group_count, sizeof *g);
    sp_mesh_array *a = sp_py_call_alloc(call, (size_t)array_count, sizeof *a);
    if (!g || !a) return -1;
    PyObject *key, *value;
    Py_ssize_t at = 0;
    for (int i = 0; group_count && PyDict_Next(groups, &at, &key, &value); i++)
        if (read_group(call, key, value, &g[i]) < 0) return -1;
    at = 0;
    for (int i = 0; array_count && PyDict_Next(arrays, &at, &key, &value); i++)
        if (read_array(call, key, value, nodes, elements, &a[i]) < 0) return -1;
    *out = (mesh_parts){g, a, (int)group_count, (int)array_count};
    return 0;
}

static int add_item(PyObject *dict, const char *name, PyObject *value) {
    int done = value ? PyDict_SetItemString(dict, name, value) : -1;
    Py_XDECREF(value);
    return done;
}

PyObject *mesh_groups_dict(PyObject *owner, const sp_mesh_group *groups, int count) {
    PyObject *dict = PyDict_New();
    for (int i = 0; dict && i < count; i++) {
        const sp_mesh_group *g = &groups[i];
        PyObject *both = PyDict_New();
        if (!both ||
            add_item(both, "elements", sp_py_view(owner, g->elements, SP_PY_INT, 1, (Py_ssize_t[]){g->element_count}, false)) <
                0 ||
            add_item(both, "nodes", sp_py_view(owner, g->nodes, SP_PY_INT, 1, (Py_ssize_t[]){g->node_count}, false)) < 0)
            Py_CLEAR(dict);
        if (dict && add_item(dict, g->name, both) < 0)
            Py_CLEAR(dict);
        else if (!dict)
            Py_XDECREF(both);
    }
    return dict;
}

PyObject *mesh_arrays_dict(PyObject *owner, const sp_mesh_array *arrays, int count, int nodes, int elements) {
    PyObject *dict = PyDict_New();
    for (int i = 0; dict && i < count; i++) {
        Py_ssize_t n = arrays[i].on_elements ? elements : nodes;
        if (add_item(dict, arrays[i].name, sp_py_view(owner, arrays[i].values, SP_PY_DOUBLE, 1, &n, false)) < 0) Py_CLEAR(dict);
    }
    return dict;
}

// ---------------------------------------------------------------------------------------------------- functions of space

int space_function_init(space_function *f, PyObject *callable, const char *what) {
    f->errors = NULL;
    f->callable = callable;
    if (!PyCallable_Check(callable)) {
        PyErr_Format(PyExc_TypeError, "%s: must be a function", what);
        return -1;
    }
    f->errors = sp_py_handle_new(what, NULL, NULL, NULL);
    return f->errors ? 0 : -1;
}

int space_function_end(space_function *f) {
    int raised = f->errors ? sp_py_raise_kept(f->errors) : 0;
    Py_XDECREF((PyObject *)f->errors);
    f->errors = NULL;
    return raised;
}

double space_field(const void *user, const double x[3]) {
    const space_function *f = user;
    PyGILState_STATE gil = PyGILState_Ensure();
    double value = NAN;
    if (!f->errors->raised[0]) {
        PyObject *result = PyObject_CallFunction(f->callable, "((ddd))", x[0], x[1], x[2]);
        if (result) value = PyFloat_AsDouble(result);
        Py_XDECREF(result);
        if (PyErr_Occurred()) sp_py_keep_exception(f->errors);
    }
    PyGILState_Release(gil);
    return value;
}

bool space_where(const void *user, const double x[3]) {
    const space_function *f = user;
    PyGILState_STATE gil = PyGILState_Ensure();
    int truth = 0;
    if (!f->errors->raised[0]) {
        PyObject *result = PyObject_CallFunction(f->callable, "((ddd))", x[0], x[1], x[2]);
        truth = result ? PyObject_IsTrue(result) : -1;
        Py_XDECREF(result);
        if (truth < 0) sp_py_keep_exception(f->errors);
    }
    PyGILState_Release(gil);
    return truth > 0;
}

void space_curve(const void *user, const double a[3], const double b[3], double x[3]) {
    const space_function *f = user;
    PyGILState_STATE gil = PyGILState_Ensure();
    if (!f->errors->raised[0]) {
        PyObject *result =
            PyObject_CallFunction(f->callable, "(ddd)(ddd)(ddd)", a[0], a[1], a[2], b[0], b[1], b[2], x[0], x[1], x[2]);
        if (!result || (result != Py_None && sp_py_numbers_into(NULL, result, "curve", SP_PY_DOUBLE, 3, x) < 0))
            sp_py_keep_exception(f->errors);
        Py_XDECREF(result);
    }
    PyGILState_Release(gil);
}

// ---------------------------------------------------------------------------------------------------- reports, transformations

PyObject *mesh_report_object(sp_mesh_report *report) {
    PyObject *counts = PyDict_New(), *defects = PyList_New(0), *result = NULL;
    PyObject *stats = sp_py_record(&sp_py_struct_sp_mesh_stats, sp_mesh_report_stats(report), NULL);
    bool all = true;
    for (int kind = 0; counts && kind < SP_DEFECT_KINDS; kind++) {
        bool whole = true;
        int64_t n = sp_mesh_report_count(report, (sp_defect_kind)kind, &whole);
        all &= whole;
        if (n > 0 && add_item(counts, sp_defect_name((sp_defect_kind)kind), PyLong_FromLongLong(n)) < 0) Py_CLEAR(counts);
    }
    sp_defect defect;
    for (int i = 0; defects && sp_mesh_report_at(report, i, &defect) >= 0; i++) {
        PyObject *item = Py_BuildValue("{ssss}", "kind", sp_defect_name(defect.kind), "text", sp_defect_text(defect.kind));
        PyObject *elements = sp_py_copy(defect.elements, SP_PY_INT64, defect.element_count, 0);
        PyObject *nodes = sp_py_copy(defect.nodes, SP_PY_INT64, defect.node_count, 0);
        bool done = item && add_item(item, "elements", elements) == 0 && add_item(item, "nodes", nodes) == 0 &&
                    add_item(item, "value", PyFloat_FromDouble(defect.value)) == 0 && PyList_Append(defects, item) == 0;
        Py_XDECREF(item);
        if (!done) Py_CLEAR(defects);
    }
    if (stats && counts && defects) result = Py_BuildValue("(OOOO)", stats, counts, defects, all ? Py_True : Py_False);
    Py_XDECREF(stats);
    Py_XDECREF(counts);
    Py_XDECREF(defects);
    sp_mesh_report_destroy(&report);
    return result;
}

int transform_read(sp_py_call *call, PyObject *scale, PyObject *pose, double scale_out[3], sp_pose *pose_out, const double **s,
                   const sp_pose **p) {
    *s = NULL, *p = NULL;
    if (scale && scale != Py_None) {
        if (PyNumber_Check(scale) && !PySequence_Check(scale)) {
            scale_out[0] = scale_out[1] = scale_out[2] = PyFloat_AsDouble(scale);
            if (PyErr_Occurred()) return -1;
        } else if (sp_py_numbers_into(call, scale, "scale", SP_PY_DOUBLE, 3, scale_out) < 0)
            return -1;
        *s = scale_out;
    }
    if (pose && pose != Py_None) {
        if (sp_py_pose(call, pose, "pose", pose_out) < 0) return -1;
        *p = pose_out;
    }
    return 0;
}
