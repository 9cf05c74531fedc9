// Frictional contact problems in the form of FCLIB, as dicts of arrays.
#include "io.h"

#include <string.h>

static PyObject *matrix_dict(PyObject *owner, const sp_fclib_matrix *m) {
    const Py_ssize_t rows[] = {m->rows + 1}, entries[] = {m->start[m->rows]};
    return Py_BuildValue("{s:(ii),s:N,s:N,s:N}", "shape", m->rows, m->columns, "start",
                         sp_py_view(owner, m->start, SP_PY_INT, 1, rows, false), "column",
                         sp_py_view(owner, m->column, SP_PY_INT, 1, entries, false), "value",
                         sp_py_view(owner, m->value, SP_PY_DOUBLE, 1, entries, false));
}

static int put(PyObject *dict, const char *name, PyObject *value) {
    const int bad = value ? PyDict_SetItemString(dict, name, value) : -1;
    Py_XDECREF(value);
    return bad;
}

static int put_vector(PyObject *dict, PyObject *owner, const char *name, const double *values, Py_ssize_t count) {
    return values ? put(dict, name, sp_py_view(owner, values, SP_PY_DOUBLE, 1, &count, false)) : 0;
}

static PyObject *problem_dict(PyObject *owner, const sp_fclib_problem *p) {
    PyObject *dict = Py_BuildValue("{s:N,s:i,s:i,s:i}", "global", PyBool_FromLong(p->global), "dimension", p->dimension,
                                   "contacts", p->contacts, "equalities", p->equalities);
    const struct {
        const char *name;
        const sp_fclib_matrix *m;
    } matrices[] = {{"W", &p->W}, {"V", &p->V}, {"R", &p->R}, {"M", &p->M}, {"H", &p->H}, {"G", &p->G}};
    for (int i = 0; dict && i < 6; i++)
        if (matrices[i].m->start && put(dict, matrices[i].name, matrix_dict(owner, matrices[i].m)) < 0) Py_CLEAR(dict);
    const Py_ssize_t rows = (Py_ssize_t)p->dimension * p->contacts;
    if (dict && (put_vector(dict, owner, "q", p->q, rows) < 0 || put_vector(dict, owner, "s", p->s, p->equalities) < 0 ||
                 put_vector(dict, owner, "f", p->f, p->M.rows) < 0 || put_vector(dict, owner, "w", p->w, rows) < 0 ||
                 put_vector(dict, owner, "b", p->b, p->equalities) < 0 || put_vector(dict, owner, "mu", p->mu, p->contacts) < 0))
        Py_CLEAR(dict);
    return dict;
}

static void fclib_free(void *pointer) {
    sp_fclib *file = pointer;
    sp_fclib_close(&file);
}

static sp_status fclib_open(sp_context *context, const char *path, void **out) {
    sp_fclib *file = NULL;
    const sp_status status = sp_fclib_read(context, path, &file);
    *out = file;
    return status;
}

static PyObject *fclib_read(PyObject *module, PyObject *args, PyObject *keywords) {
    (void)module;
    sp_py_handle *handle = sp_py_open("contact problem", args, keywords, "O|O:read", fclib_open, fclib_free);
    PyObject *out = handle ? problem_dict((PyObject *)handle, sp_fclib_get(handle->pointer)) : NULL;
    Py_XDECREF((PyObject *)handle);
    return out;
}

// ---------------------------------------------------------------------------------------------------- writing

static int whole(PyObject *dict, const char *name, int *out) {
    PyObject *value = PyDict_GetItemString(dict, name);
    if (!value) return 0;
    const long number = PyLong_AsLong(value);
    if (number == -1 && PyErr_Occurred()) return -1;
    if (number < 0 || number > 1 << 30) return sp_py_fail(SP_BAD_INPUT, "%s = %ld, must be in [0, 2^30]", name, number), -1;
    *out = (int)number;
    return 0;
}

// NULL: not given, or an exception, also of an earlier vector
static const double *vector(sp_py_call *call, PyObject *dict, const char *name, Py_ssize_t expected) {
    PyObject *value = PyErr_Occurred() ? NULL : PyDict_GetItemString(dict, name);
    Py_ssize_t count = 0;
    if (!value || value == Py_None) return NULL;
    const double *numbers = sp_py_numbers(call, value, name, SP_PY_DOUBLE, 1, &count);
    if (numbers && count != expected)
        return sp_py_fail(SP_BAD_INPUT, "%s has %zd numbers, must be %zd", name, count, expected), NULL;
    return numbers;
}

static int check_matrix(const char *name, const sp_fclib_matrix *m, Py_ssize_t rows, Py_ssize_t columns, Py_ssize_t values) {
    if (rows != m->rows + 1)
        return sp_py_fail(SP_BAD_INPUT, "%s: start has %zd numbers, must be %d", name, rows, m->rows + 1), -1;
    for (int i = 0; i < m->rows; i++)
        if (m->start[i] > m->start[i + 1] || m->start[0] != 0)
            return sp_py_fail(SP_BAD_INPUT, "%s: start must begin with 0 and ascend, row %d does not", name, i), -1;
    if (columns != m->start[m->rows] || values != columns)
        return sp_py_fail(SP_BAD_INPUT, "%s has %zd columns and %zd values, must be %d", name, columns, values,
                          m->start[m->rows]),
               -1;
    for (Py_ssize_t i = 0; i < columns; i++)
        if (m->column[i] < 0 || m->column[i] >= m->columns)
            return sp_py_fail(SP_BAD_INPUT, "%s: column[%zd] = %d, must be in [0, %d)", name, i, m->column[i], m->columns), -1;
    return 0;
}

// a dict of shape, start, column, value, or a matrix of scipy.sparse with indptr, indices, data
static int matrix(sp_py_call *call, PyObject *dict, const char *name, sp_fclib_matrix *out) {
    PyObject *value = PyDict_GetItemString(dict, name);
    static const char *const own[] = {"start", "column", "value"}, *const scipy[] = {"indptr", "indices", "data"};
    if (!value || value == Py_None) return 0;
    PyObject *parts[4] = {NULL};
    const bool is_dict = PyDict_Check(value);
    bool good = true;
    for (int i = 0; i < 4 && good; i++) {
        const char *part = i == 3 ? "shape" : is_dict ? own[i] : scipy[i];
        if (is_dict) {
            parts[i] = PyDict_GetItemString(value, part);
            Py_XINCREF(parts[i]);
        } else {
            parts[i] = PyObject_GetAttrString(value, part);
        }
        good = parts[i] != NULL;
        if (good) continue;
        PyErr_Clear();
        sp_py_fail(SP_BAD_INPUT, "%s: must be a dict of shape, start, column, value, or a scipy.sparse.csr_matrix", name);
    }
    Py_ssize_t rows, columns, values;
    int shape[2];
    good = good && sp_py_numbers_into(call, parts[3], "shape", SP_PY_INT, 2, shape) == 0;
    if (good && (shape[0] < 0 || shape[1] < 0)) good = false, sp_py_fail(SP_BAD_INPUT, "%s: negative shape", name);
    out->rows = good ? shape[0] : 0, out->columns = good ? shape[1] : 0;
    good = good && (out->start = sp_py_numbers(call, parts[0], "start", SP_PY_INT, 1, &rows)) &&
           (out->column = sp_py_numbers(call, parts[1], "column", SP_PY_INT, 1, &columns)) &&
           (out->value = sp_py_numbers(call, parts[2], "value", SP_PY_DOUBLE, 1, &values)) &&
           check_matrix(name, out, rows, columns, values) == 0;
    for (int i = 0; i < 4; i++) Py_XDECREF(parts[i]);
    return good ? 0 : -1;
}

static int known_keys(PyObject *dict, const char *const *known, int count) {
    PyObject *key, *value;
    Py_ssize_t at = 0;
    while (PyDict_Next(dict, &at, &key, &value)) {
        PyObject *bytes = PyUnicode_Check(key) ? PyUnicode_AsUTF8String(key) : NULL;
        const char *name = bytes ? PyBytes_AsString(bytes) : "?";
        int i = 0;
        while (i < count && strcmp(known[i], name) != 0) i++;
        if (i == count) sp_py_unknown(sp_py_bad_input, "key", name, known, count);
        Py_XDECREF(bytes);
        if (i == count) return -1;
    }
    return 0;
}

static int problem_of(sp_py_call *call, PyObject *dict, sp_fclib_problem *p) {
    static const char *const known[] = {"global", "dimension", "contacts", "equalities", "W", "V", "R", "M",
                                        "H",      "G",         "q",        "s",          "f", "w", "b", "mu"};
    PyObject *global = PyDict_GetItemString(dict, "global"), *mu = PyDict_GetItemString(dict, "mu");
    if (known_keys(dict, known, sizeof known / sizeof *known) < 0) return -1;
    p->global = global && PyObject_IsTrue(global) > 0;
    p->dimension = 3;
    p->contacts = mu ? (int)PyObject_Length(mu) : 0;
    if (PyErr_Occurred() || whole(dict, "dimension", &p->dimension) < 0 || whole(dict, "contacts", &p->contacts) < 0 ||
        whole(dict, "equalities", &p->equalities) < 0)
        return -1;
    if (matrix(call, dict, "W", &p->W) < 0 || matrix(call, dict, "V", &p->V) < 0 || matrix(call, dict, "R", &p->R) < 0 ||
        matrix(call, dict, "M", &p->M) < 0 || matrix(call, dict, "H", &p->H) < 0 || matrix(call, dict, "G", &p->G) < 0)
        return -1;
    const Py_ssize_t rows = (Py_ssize_t)p->dimension * p->contacts;
    p->q = vector(call, dict, "q", rows), p->s = vector(call, dict, "s", p->equalities);
    p->f = vector(call, dict, "f", p->M.rows), p->w = vector(call, dict, "w", rows);
    p->b = vector(call, dict, "b", p->equalities), p->mu = vector(call, dict, "mu", p->contacts);
    return PyErr_Occurred() ? -1 : 0;
}

static PyObject *fclib_write(PyObject *module, PyObject *args, PyObject *keywords) {
    (void)module;
    static char *names[] = {"path", "problem", "solution", "context", NULL};
    static const char *const vectors[] = {"u", "r", "v", "l"};
    PyObject *path, *dict, *solution = NULL, *context = NULL;
    if (!PyArg_ParseTupleAndKeywords(args, keywords, "OO|OO:write", names, &path, &dict, &solution, &context)) return NULL;
    if (solution == Py_None) solution = NULL;
    if (!PyDict_Check(dict) || (solution && !PyDict_Check(solution)))
        return PyErr_SetString(PyExc_TypeError, "problem and solution must be dicts of arrays"), NULL;
    sp_py_call call = {0};
    sp_fclib_problem p = {0};
    sp_fclib_solution s = {0};
    sp_status status = SP_OK;
    sp_py_handle *owner = sp_py_context_handle(context);
    sp_context *ctx = owner ? sp_py_pointer_shared(owner, "context") : NULL;
    const char *name = ctx ? sp_py_path(&call, path) : NULL;
    bool good = name && problem_of(&call, dict, &p) == 0 && (!solution || known_keys(solution, vectors, 4) == 0);
    if (good && solution) {
        const Py_ssize_t rows = (Py_ssize_t)p.dimension * p.contacts;
        s.u = vector(&call, solution, "u", rows), s.r = vector(&call, solution, "r", rows);
        s.v = vector(&call, solution, "v", p.M.rows), s.l = vector(&call, solution, "l", p.equalities);
        good = !PyErr_Occurred();
    }
    if (good) SP_PY_UNLOCKED(owner, status = sp_fclib_write(ctx, name, &p, solution ? &s : NULL));
    sp_py_call_end(&call, good);
    if (!good) return NULL;
    if (status < 0) return sp_py_raise_context(status, ctx);
    Py_RETURN_NONE;
}

static PyMethodDef functions[] = {
    {"_fclib_read", (PyCFunction)(void (*)(void))fclib_read, METH_VARARGS | METH_KEYWORDS, SP_DOC_sp_fclib_read},
    {"_fclib_write", (PyCFunction)(void (*)(void))fclib_write, METH_VARARGS | METH_KEYWORDS, SP_DOC_sp_fclib_write},
    {NULL, NULL, 0, NULL}};

int sp_py_init_fclib(PyObject *module) {
    return PyModule_AddFunctions(module, functions);
}
