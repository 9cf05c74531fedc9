// Arrays: views of memory of the library for NumPy and without it, and numbers from what callers pass. See convert.h.
//
// The limited API of Python 3.9 has no buffer protocol, so that arrays go out and come in by __array_interface__: address, shape,
// type and a read-only flag. Other buffers (array.array, memoryview) are read by a memoryview, with a copy.
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "convert.h"

enum { DIMENSIONS = 3 };

// What NumPy takes as an array, and what callers see without NumPy.
typedef struct array_object {
    PyObject_HEAD PyObject *owner;  // NULL: `memory` is its own
    void *memory;
    char *data;
    sp_py_number number;
    int dimensions;
    Py_ssize_t shape[DIMENSIONS];
    bool writable;
} array_object;

static PyTypeObject *array_type;
static PyObject *interface_name;  // "__array_interface__", one string: attribute caches keep each one that they see
static PyObject *asarray;         // numpy.asarray; None: there is no NumPy; NULL: nobody asked yet

static const struct {
    size_t size;
    const char *code, *name;
} numbers[] = {
    [SP_PY_DOUBLE] = {sizeof(double), "f8", "float64"},
    [SP_PY_FLOAT] = {sizeof(float), "f4", "float32"},
    [SP_PY_INT] = {sizeof(int), "i4", "int32"},
    [SP_PY_UINT] = {sizeof(unsigned), "u4", "uint32"},
    [SP_PY_INT64] = {8, "i8", "int64"},
    [SP_PY_UINT64] = {8, "u8", "uint64"},
    [SP_PY_SIZE] = {sizeof(size_t), "u8", "uint64"},
    [SP_PY_BYTE] = {1, "u1", "uint8"},
    [SP_PY_BOOL] = {sizeof(bool), "b1", "bool"},
};

size_t sp_py_number_size(sp_py_number number) {
    return numbers[number].size;
}

static const char *byte_order(void) {
    const int one = 1;
    return *(const char *)&one ? "<" : ">";
}

// ---------------------------------------------------------------------------------------------------- arrays out

static PyObject *find_asarray(void) {
    if (asarray) return asarray;
    PyObject *numpy = PyImport_ImportModule("numpy");
    asarray = numpy ? PyObject_GetAttrString(numpy, "asarray") : NULL;
    Py_XDECREF(numpy);
    if (!asarray) {
        if (!PyErr_ExceptionMatches(PyExc_ImportError)) return NULL;
        PyErr_Clear();
        Py_INCREF(Py_None);
        asarray = Py_None;
    }
    return asarray;
}

static array_object *array_new(sp_py_number number, int dimensions, const Py_ssize_t *shape) {
    array_object *a = PyObject_New(array_object, array_type);
    if (!a) return NULL;
    a->owner = NULL, a->memory = NULL, a->data = NULL;
    a->number = number, a->dimensions = dimensions, a->writable = true;
    for (int i = 0; i < DIMENSIONS; i++) a->shape[i] = i < dimensions ? shape[i] : 1;
    return a;
}

static void array_dealloc(PyObject *self) {
    PyTypeObject *type = Py_TYPE(self);
    array_object *a = (array_object *)self;
    PyMem_Free(a->memory);
    Py_XDECREF(a->owner);
    PyObject_Free(self);
    Py_DECREF((PyObject *)type);
}

// as NumPy's array, where there is NumPy
static PyObject *array_finish(array_object *a) {
    PyObject *as = a ? find_asarray() : NULL;
    if (!as) {
        Py_XDECREF((PyObject *)a);
        return NULL;
    }
    if (as == Py_None) return (PyObject *)a;
    PyObject *result = PyObject_CallFunctionObjArgs(as, (PyObject *)a, NULL);
    Py_DECREF((PyObject *)a);
    return result;
}

PyObject *sp_py_view(PyObject *owner, const void *data, sp_py_number number, int dimensions, const Py_ssize_t *shape,
                     bool writable) {
    array_object *a = array_new(number, dimensions, shape);
    if (a) {
        Py_INCREF(owner);
        a->owner = owner, a->writable = writable;
        memcpy(&a->data, &data, sizeof data);
    }
    return array_finish(a);
}

static Py_ssize_t array_count(const array_object *a) {
    return a->shape[0] * a->shape[1] * a->shape[2];
}

PyObject *sp_py_array(sp_py_number number, int dimensions, const Py_ssize_t *shape, void **data) {
    array_object *a = array_new(number, dimensions, shape);
    if (!a) return NULL;
    a->memory = PyMem_Calloc((size_t)array_count(a) + 1, numbers[number].size);
    if (!a->memory) {
        Py_DECREF((PyObject *)a);
        return PyErr_NoMemory();
    }
    *data = a->data = a->memory;
    return array_finish(a);
}

PyObject *sp_py_copy(const void *data, sp_py_number number, Py_ssize_t rows, Py_ssize_t width) {
    void *memory;
    PyObject *array = sp_py_array(number, width > 0 ? 2 : 1, (Py_ssize_t[]){rows, width}, &memory);
    if (array && rows > 0) memcpy(memory, data, (size_t)rows * (size_t)(width > 0 ? width : 1) * numbers[number].size);
    return array;
}

static PyObject *shape_tuple(const array_object *a) {
    PyObject *shape = PyTuple_New(a->dimensions);
    for (int i = 0; shape && i < a->dimensions; i++) {
        PyObject *n = PyLong_FromSsize_t(a->shape[i]);
        if (!n || PyTuple_SetItem(shape, i, n) < 0) Py_CLEAR(shape);
    }
    return shape;
}

static PyObject *array_interface(PyObject *self, void *closure) {
    (void)closure;
    const array_object *a = (array_object *)self;
    char type[8];
    snprintf(type, sizeof type, "%s%s", numbers[a->number].size == 1 ? "|" : byte_order(), numbers[a->number].code);
    PyObject *shape = shape_tuple(a);
    // NumPy takes no null pointer, also for an array without items
    return shape ? Py_BuildValue("{sNsss(NO)sOsi}", "shape", shape, "typestr", type, "data",
                                 PyLong_FromVoidPtr(a->data ? (void *)a->data : (void *)self), a->writable ? Py_False : Py_True,
                                 "strides", Py_None, "version", 3)
                 : NULL;
}

static PyObject *array_shape(PyObject *self, void *closure) {
    (void)closure;
    return shape_tuple((array_object *)self);
}

static PyObject *array_dtype(PyObject *self, void *closure) {
    (void)closure;
    return PyUnicode_FromString(numbers[((array_object *)self)->number].name);
}

PyObject *sp_py_number_object(sp_py_number number, const void *at) {
    switch (number) {
    case SP_PY_DOUBLE: return PyFloat_FromDouble(*(const double *)at);
    case SP_PY_FLOAT: return PyFloat_FromDouble((double)*(const float *)at);
    case SP_PY_INT: return PyLong_FromLong(*(const int *)at);
    case SP_PY_UINT: return PyLong_FromUnsignedLong(*(const unsigned *)at);
    case SP_PY_INT64: return PyLong_FromLongLong(*(const int64_t *)at);
    case SP_PY_UINT64: return PyLong_FromUnsignedLongLong(*(const uint64_t *)at);
    case SP_PY_SIZE: return PyLong_FromSize_t(*(const size_t *)at);
    case SP_PY_BYTE: return PyLong_FromLong(*(const unsigned char *)at);
    case SP_PY_BOOL: return PyBool_FromLong(*(const bool *)at);
    }
    return NULL;
}

static Py_ssize_t array_length(PyObject *self) {
    return ((array_object *)self)->shape[0];
}

// a number, or a view of a row
static PyObject *array_item(PyObject *self, Py_ssize_t i) {
    array_object *a = (array_object *)self;
    if (i < 0 || i >= a->shape[0]) {
        PyErr_SetString(PyExc_IndexError, "index out of range");
        return NULL;
    }
    const char *at = a->data + (size_t)i * (size_t)(a->shape[1] * a->shape[2]) * numbers[a->number].size;
    if (a->dimensions == 1) return sp_py_number_object(a->number, at);
    return sp_py_view(self, at, a->number, a->dimensions - 1, a->shape + 1, a->writable);
}

static PyObject *array_tolist(PyObject *self, PyObject *unused) {
    (void)unused;
    PyObject *list = PyList_New(0);
    for (Py_ssize_t i = 0; list && i < array_length(self); i++) {
        PyObject *item = array_item(self, i);
        if (item && Py_TYPE(item) == array_type) {
            PyObject *inner = array_tolist(item, NULL);
            Py_DECREF(item);
            item = inner;
        }
        if (!item || PyList_Append(list, item) < 0) Py_CLEAR(list);
        Py_XDECREF(item);
    }
    return list;
}

static PyObject *array_subscript(PyObject *self, PyObject *key) {
    if (PyIndex_Check(key)) {
        Py_ssize_t i = PyNumber_AsSsize_t(key, PyExc_IndexError);
        if (i == -1 && PyErr_Occurred()) return NULL;
        return array_item(self, i < 0 ? i + array_length(self) : i);
    }
    if (PyTuple_Check(key)) {
        PyObject *at = self;
        Py_INCREF(at);
        for (Py_ssize_t i = 0; at && i < PyTuple_Size(key); i++) {
            PyObject *next = PyObject_GetItem(at, PyTuple_GetItem(key, i));
            Py_DECREF(at);
            at = next;
        }
        return at;
    }
    // slices: a list, without NumPy
    PyObject *list = array_tolist(self, NULL);
    PyObject *part = list ? PyObject_GetItem(list, key) : NULL;
    Py_XDECREF(list);
    return part;
}

static PyObject *array_repr(PyObject *self) {
    PyObject *list = array_tolist(self, NULL);
    PyObject *text = list ? PyUnicode_FromFormat("souple.Array(%R)", list) : NULL;
    Py_XDECREF(list);
    return text;
}

// ---------------------------------------------------------------------------------------------------- numbers in

void *sp_py_call_alloc(sp_py_call *call, size_t count, size_t size) {
    if (call->block_count == call->block_capacity) {
        int capacity = 2 * call->block_capacity + 8;
        void **blocks = PyMem_Realloc(call->blocks, (size_t)capacity * sizeof *blocks);
        if (!blocks) return PyErr_NoMemory();
        call->blocks = blocks, call->block_capacity = capacity;
    }
    void *block = PyMem_Calloc(count + 1, size);
    if (!block) return PyErr_NoMemory();
    return call->blocks[call->block_count++] = block;
}

// numbers as another program describes them: address, type, shape, strides
typedef struct source {
    const char *data;
    char kind;  // f i u b
    int size;   // bytes of a number
    int dimensions;
    Py_ssize_t shape[4], strides[4];
    bool read_only, contiguous;
} source;

// "<f8"; false: another byte order or no numbers
static bool read_type(source *s, const char *type) {
    bool native = type[0] == byte_order()[0] || type[0] == '|' || type[0] == '=';
    s->kind = type[1], s->size = type[1] ? type[2] - '0' : 0;
    return native && strchr("fiub", s->kind) && type[2] && !type[3] && strchr("1248", type[2]) &&
           !(s->kind == 'f' && s->size < 4);
}

static int read_sizes(PyObject *tuple, Py_ssize_t *out) {
    Py_ssize_t n = PyTuple_Size(tuple);
    for (Py_ssize_t i = 0; i < n && i < 4; i++) out[i] = PyLong_AsSsize_t(PyTuple_GetItem(tuple, i));
    return PyErr_Occurred() || n > 4 ? -1 : (int)n;
}

// the text of a str in memory of the caller
static bool text_into(PyObject *text, char *out, size_t size) {
    PyObject *bytes = text ? PyUnicode_AsUTF8String(text) : NULL;
    if (bytes) snprintf(out, size, "%s", PyBytes_AsString(bytes));
    Py_XDECREF(bytes);
    return bytes != NULL;
}

static int read_interface(PyObject *interface, const char *what, source *s) {
    if (!PyDict_Check(interface)) return 0;
    PyObject *shape = PyDict_GetItemString(interface, "shape"), *data = PyDict_GetItemString(interface, "data");
    PyObject *strides = PyDict_GetItemString(interface, "strides");
    char type[16] = "";
    PyObject *typestr = PyDict_GetItemString(interface, "typestr");
    if (!typestr || !PyUnicode_Check(typestr) || !shape || !PyTuple_Check(shape) || !data || !PyTuple_Check(data) ||
        PyTuple_Size(data) != 2)
        return 0;
    if (!text_into(typestr, type, sizeof type)) return -1;
    if (!read_type(s, type)) return sp_py_fail(SP_BAD_INPUT, "%s: numbers of the type %s cannot be read", what, type), -1;
    s->dimensions = read_sizes(shape, s->shape);
    if (s->dimensions < 0) return sp_py_fail(SP_BAD_INPUT, "%s: at most 4 dimensions", what), -1;
    s->data = PyLong_AsVoidPtr(PyTuple_GetItem(data, 0));
    s->read_only = PyObject_IsTrue(PyTuple_GetItem(data, 1)) != 0;
    s->contiguous = true;
    Py_ssize_t step = s->size;
    for (int i = s->dimensions - 1; i >= 0; i--) s->strides[i] = step, step *= s->shape[i];
    if (strides && PyTuple_Check(strides)) {
        Py_ssize_t own[4];
        if (read_sizes(strides, own) != s->dimensions)
            return sp_py_fail(SP_BAD_INPUT, "%s: its strides cannot be read", what), -1;
        for (int i = 0; i < s->dimensions; i++) {
            s->contiguous &= own[i] == s->strides[i] || s->shape[i] <= 1;
            s->strides[i] = own[i];
        }
    }
    return 1;
}

// "d" of the module struct -> "<f8"
static bool read_format(source *s, const char *format, Py_ssize_t size) {
    if (*format == '@' || *format == '=' || *format == '<') format++;
    s->size = (int)size;
    s->kind = strchr("fd", *format)       ? 'f'
              : strchr("bhilqn", *format) ? 'i'
              : strchr("BHILQN", *format) ? 'u'
              : *format == '?'            ? 'b'
                                          : 0;
    return *format && !format[1] && s->kind;
}

// any other buffer; *held: its bytes
static int read_buffer(PyObject *value, source *s, PyObject **held) {
    PyObject *view = PyMemoryView_FromObject(value);
    if (!view) {
        PyErr_Clear();
        return 0;
    }
    PyObject *format = PyObject_GetAttrString(view, "format"), *shape = PyObject_GetAttrString(view, "shape");
    PyObject *size = PyObject_GetAttrString(view, "itemsize");
    char text[8] = "";
    int result = 0;
    if (format && shape && size && text_into(format, text, sizeof text) && read_format(s, text, PyLong_AsSsize_t(size))) {
        s->dimensions = read_sizes(shape, s->shape);
        *held = PyObject_CallMethod(view, "tobytes", NULL);
        if (*held && s->dimensions >= 0) {
            s->data = PyBytes_AsString(*held);
            Py_ssize_t step = s->size;
            for (int i = s->dimensions - 1; i >= 0; i--) s->strides[i] = step, step *= s->shape[i];
            s->read_only = true, s->contiguous = true;
            result = 1;
        }
    }
    Py_XDECREF(format);
    Py_XDECREF(shape);
    Py_XDECREF(size);
    Py_DECREF(view);
    if (!result && PyErr_Occurred()) PyErr_Clear();
    return result;
}

// whole numbers exactly, all others as double
typedef struct one_number {
    bool whole;
    int64_t i;
    double d;
} one_number;

static one_number load(const source *s, const char *at) {
    one_number x = {.whole = s->kind != 'f'};
    if (s->kind == 'f' && s->size == 8)
        memcpy(&x.d, at, 8);
    else if (s->kind == 'f') {
        float f;
        memcpy(&f, at, 4);
        x.d = (double)f;
    } else {
        // little end first, or all of it
        uint64_t raw = 0;
        if (s->size == 8)
            memcpy(&raw, at, 8);
        else if (s->size == 4) {
            uint32_t r;
            memcpy(&r, at, 4);
            raw = s->kind == 'i' ? (uint64_t)(int64_t)(int32_t)r : r;
        } else if (s->size == 2) {
            uint16_t r;
            memcpy(&r, at, 2);
            raw = s->kind == 'i' ? (uint64_t)(int64_t)(int16_t)r : r;
        } else
            raw = s->kind == 'i' ? (uint64_t)(int64_t) * (const signed char *)at : *(const unsigned char *)at;
        x.i = (int64_t)raw;
        x.d = s->kind == 'u' ? (double)raw : (double)x.i;
    }
    return x;
}

static int store_range(const char *what, double value, const char *range) {
    sp_py_fail(SP_BAD_INPUT, "%s: %g, must be %s", what, value, range);
    return -1;
}

static int store(sp_py_number number, one_number x, const char *what, void *out) {
    if (number == SP_PY_DOUBLE) return *(double *)out = x.d, 0;
    if (number == SP_PY_FLOAT) return *(float *)out = (float)x.d, 0;
    if (!x.whole) {
        if (x.d != floor(x.d) || fabs(x.d) > 9e15) return store_range(what, x.d, "an integer");
        x.i = (int64_t)x.d;
    }
    switch (number) {
    case SP_PY_INT:
        if (x.i < INT32_MIN || x.i > INT32_MAX) return store_range(what, x.d, "an integer of 32 bits");
        return *(int *)out = (int)x.i, 0;
    case SP_PY_UINT:
        if (x.i < 0 || x.i > UINT32_MAX) return store_range(what, x.d, "in [0, 4294967295]");
        return *(unsigned *)out = (unsigned)x.i, 0;
    case SP_PY_BYTE:
        if (x.i < 0 || x.i > 255) return store_range(what, x.d, "in [0, 255]");
        return *(unsigned char *)out = (unsigned char)x.i, 0;
    case SP_PY_BOOL: return *(bool *)out = x.i != 0, 0;
    default:
        if (number != SP_PY_INT64 && x.i < 0) return store_range(what, x.d, ">= 0");
        return *(int64_t *)out = x.i, 0;
    }
}

// all numbers of a source in row-major order
static int load_all(const source *s, sp_py_number number, const char *what, char *out) {
    Py_ssize_t shape[4] = {1, 1, 1, 1}, strides[4] = {0};
    for (int i = 0; i < s->dimensions; i++)
        shape[4 - s->dimensions + i] = s->shape[i], strides[4 - s->dimensions + i] = s->strides[i];
    const size_t size = numbers[number].size;
    if (s->contiguous && s->kind == numbers[number].code[0] && (size_t)s->size == size && number != SP_PY_BOOL) {
        size_t bytes = size * (size_t)(shape[0] * shape[1] * shape[2] * shape[3]);
        if (bytes) memcpy(out, s->data, bytes);
        return 0;
    }
    for (Py_ssize_t a = 0; a < shape[0]; a++)
        for (Py_ssize_t b = 0; b < shape[1]; b++)
            for (Py_ssize_t c = 0; c < shape[2]; c++)
                for (Py_ssize_t d = 0; d < shape[3]; d++, out += size) {
                    const char *at = s->data + a * strides[0] + b * strides[1] + c * strides[2] + d * strides[3];
                    if (store(number, load(s, at), what, out) < 0) return -1;
                }
    return 0;
}

static int one_from_object(PyObject *value, const char *what, one_number *out) {
    if (PyLong_Check(value)) {
        int overflow = 0;
        out->whole = true;
        out->i = PyLong_AsLongLongAndOverflow(value, &overflow);
        out->d = PyLong_AsDouble(value);
        if (!overflow && !PyErr_Occurred()) return 0;
        PyErr_Clear();
        sp_py_fail(SP_BAD_INPUT, "%s: the integer is too large", what);
        return -1;
    }
    // a number of NumPy is an integer by __index__
    if (!PyFloat_Check(value) && PyIndex_Check(value)) {
        PyObject *whole = PyNumber_Index(value);
        int done = whole ? one_from_object(whole, what, out) : -1;
        Py_XDECREF(whole);
        return done;
    }
    out->whole = false;
    out->d = PyFloat_AsDouble(value);
    if (!PyErr_Occurred()) return 0;
    PyErr_Clear();
    PyObject *text = PyObject_Repr(value);
    char shown[80] = "";
    text_into(text, shown, sizeof shown);
    Py_XDECREF(text);
    sp_py_fail(SP_BAD_INPUT, "%s: %s is not a number", what, shown);
    return -1;
}

// nested sequences: counts the numbers; *width: of the innermost rows, 0 before the first
static Py_ssize_t count_nested(PyObject *value, const char *what, int depth, Py_ssize_t *width) {
    if (!PySequence_Check(value) || PyUnicode_Check(value)) return 1;
    Py_ssize_t n = PySequence_Size(value), total = 0;
    if (n < 0) return -1;
    if (depth > 3) return sp_py_fail(SP_BAD_INPUT, "%s: sequences nested deeper than 4", what), -1;
    bool rows = false;
    for (Py_ssize_t i = 0; i < n; i++) {
        PyObject *item = PySequence_GetItem(value, i);
        if (!item) return -1;
        rows |= PySequence_Check(item) && !PyUnicode_Check(item);
        Py_ssize_t inner = count_nested(item, what, depth + 1, width);
        Py_DECREF(item);
        if (inner < 0) return -1;
        total += inner;
    }
    if (!rows && depth > 0) {
        if (*width && *width != n) return sp_py_fail(SP_BAD_INPUT, "%s: rows of %zd and of %zd numbers", what, *width, n), -1;
        *width = n;
    }
    return total;
}

// an object may say another length each time: never past `end`
static int load_nested(PyObject *value, sp_py_number number, const char *what, char **out, const char *end) {
    if (!PySequence_Check(value) || PyUnicode_Check(value)) {
        one_number x;
        if (*out >= end) return sp_py_fail(SP_BAD_INPUT, "%s: the sequence grew while it was read", what), -1;
        if (one_from_object(value, what, &x) < 0 || store(number, x, what, *out) < 0) return -1;
        *out += numbers[number].size;
        return 0;
    }
    Py_ssize_t n = PySequence_Size(value);
    for (Py_ssize_t i = 0; i < n; i++) {
        PyObject *item = PySequence_GetItem(value, i);
        int done = item ? load_nested(item, number, what, out, end) : -1;
        Py_XDECREF(item);
        if (done < 0) return -1;
    }
    return 0;
}

// 1: *s describes the numbers; 0: it is no array; -1: exception
static int find_source(PyObject *value, const char *what, source *s, PyObject **held) {
    PyObject *interface = PyObject_GetAttr(value, interface_name);
    if (!interface) {
        PyErr_Clear();
        return PyList_Check(value) || PyTuple_Check(value) || PyUnicode_Check(value) ? 0 : read_buffer(value, s, held);
    }
    int found = read_interface(interface, what, s);
    *held = interface;
    return found;
}

static int check_rows(const char *what, Py_ssize_t total, Py_ssize_t last, int dimensions, int width, Py_ssize_t *rows) {
    if (total % width != 0 || (dimensions > 1 && width > 1 && last != width) || (dimensions > 1 && width == 1 && last != 1)) {
        if (dimensions > 1)
            sp_py_fail(SP_BAD_INPUT, "%s: rows of %zd numbers, must have %d", what, last, width);
        else
            sp_py_fail(SP_BAD_INPUT, "%s: %zd numbers, must be a multiple of %d", what, total, width);
        return -1;
    }
    if (total / width > INT32_MAX) return sp_py_fail(SP_BAD_INPUT, "%s: more than 2^31 - 1 rows", what), -1;
    *rows = total / width;
    return 0;
}

void *sp_py_numbers(sp_py_call *call, PyObject *value, const char *what, sp_py_number number, int width, Py_ssize_t *rows) {
    source s = {0};
    PyObject *held = NULL;
    char *out = NULL;
    int found = find_source(value, what, &s, &held);
    if (found > 0) {
        Py_ssize_t total = 1;
        for (int i = 0; i < s.dimensions; i++) total *= s.shape[i];
        Py_ssize_t last = s.dimensions ? s.shape[s.dimensions - 1] : 1;
        if (s.kind == 'b' && number != SP_PY_BOOL && number != SP_PY_BYTE)
            sp_py_fail(SP_BAD_INPUT, "%s: an array of bool, must be numbers (numpy.flatnonzero makes them of a mask)", what);
        else if (check_rows(what, total, last, total ? s.dimensions : 1, width, rows) == 0) {
            out = sp_py_call_alloc(call, (size_t)total, numbers[number].size);
            if (out && load_all(&s, number, what, out) < 0) out = NULL;
        }
    } else if (found == 0) {
        Py_ssize_t last = 0, total = count_nested(value, what, 0, &last);
        if (total >= 0 && check_rows(what, total, last, last ? 2 : 1, width, rows) == 0) {
            char *at = out = sp_py_call_alloc(call, (size_t)total, numbers[number].size);
            if (out && load_nested(value, number, what, &at, out + (size_t)total * numbers[number].size) < 0) out = NULL;
        }
    }
    Py_XDECREF(held);
    return out;
}

int sp_py_numbers_into(sp_py_call *call, PyObject *value, const char *what, sp_py_number number, Py_ssize_t count, void *out) {
    (void)call;
    if (count == 1 && (PyFloat_Check(value) || PyLong_Check(value))) {
        one_number x;
        return one_from_object(value, what, &x) < 0 ? -1 : store(number, x, what, out);
    }
    // of any shape
    source s = {0};
    PyObject *held = NULL;
    int found = find_source(value, what, &s, &held), done = -1;
    Py_ssize_t total = 1, width = 0;
    if (found > 0)
        for (int i = 0; i < s.dimensions; i++) total *= s.shape[i];
    else if (found == 0)
        total = count_nested(value, what, 0, &width);
    if (found >= 0 && total >= 0 && total != count)
        sp_py_fail(SP_BAD_INPUT, "%s: %zd numbers, must be %zd", what, total, count);
    else if (found > 0)
        done = load_all(&s, number, what, out);
    else if (found == 0 && total >= 0) {
        char *at = out;
        done = load_nested(value, number, what, &at, at + (size_t)count * numbers[number].size);
    }
    Py_XDECREF(held);
    return done;
}

void *sp_py_writable(PyObject *array, const char *what, sp_py_number number, Py_ssize_t count) {
    source s = {0};
    PyObject *interface = PyObject_GetAttr(array, interface_name);
    int found = interface ? read_interface(interface, what, &s) : 0;
    Py_XDECREF(interface);
    if (found < 0) return NULL;
    PyErr_Clear();
    Py_ssize_t total = 1;
    for (int i = 0; i < s.dimensions; i++) total *= s.shape[i];
    if (!found || s.read_only || !s.contiguous || s.kind != numbers[number].code[0] || (size_t)s.size != numbers[number].size ||
        total != count)
        return sp_py_fail(SP_BAD_INPUT, "%s: must be a writable contiguous array of %zd numbers of type %s", what, count,
                          numbers[number].name);
    char *data;
    memcpy(&data, &s.data, sizeof data);
    return data;
}

// ---------------------------------------------------------------------------------------------------- the class

int sp_py_init_array(PyObject *module) {
    static PyGetSetDef properties[] = {
        {"__array_interface__", array_interface, NULL, "How NumPy reads it, without a copy.", NULL},
        {"shape", array_shape, NULL, "Length along each dimension.", NULL},
        {"dtype", array_dtype, NULL, "Name of the type of the numbers: \"float64\".", NULL},
        {NULL, NULL, NULL, NULL, NULL}};
    static PyMethodDef methods[] = {{"tolist", array_tolist, METH_NOARGS, "tolist($self)\n--\n\nA list of lists of numbers."},
                                    {NULL, NULL, 0, NULL}};
    static PyType_Slot slots[] = {
        {Py_tp_dealloc, array_dealloc},
        {Py_tp_new, sp_py_refuse_new},
        {Py_tp_getset, properties},
        {Py_tp_methods, methods},
        {Py_tp_repr, array_repr},
        {Py_sq_length, array_length},
        {Py_sq_item, array_item},
        {Py_mp_length, array_length},
        {Py_mp_subscript, array_subscript},
        {Py_tp_doc, "Numbers of the library where NumPy is not installed: length, indexing, tolist, shape, dtype.\n\n"
                    "numpy.asarray of it makes no copy. It keeps alive what it shows."},
        {0, NULL}};
    static PyType_Spec spec = {"souple.Array", sizeof(array_object), 0, Py_TPFLAGS_DEFAULT, slots};
    array_type = (PyTypeObject *)sp_py_add_type(module, &spec);
    interface_name = PyUnicode_InternFromString("__array_interface__");
    return array_type && interface_name ? 0 : -1;
}
