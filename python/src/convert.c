// Keyword arguments to structs and structs to records, by the tables that tools/python_api.py writes. See convert.h.
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "convert.h"
#include "tables.h"

enum { WORDS_MAX = 96 };

static PyTypeObject *record_types[256];

// ---------------------------------------------------------------------------------------------------- calls

void sp_py_call_end(sp_py_call *call, bool succeeded) {
    for (int i = 0; i < call->block_count; i++) PyMem_Free(call->blocks[i]);
    PyMem_Free(call->blocks);
    Py_CLEAR(call->held);
    if (succeeded && call->signals && call->keeper) {
        PyObject *error[3];
        PyErr_Fetch(&error[0], &error[1], &error[2]);
        if (!call->keeper->kept) call->keeper->kept = PyList_New(0);
        // without the list the functions would be lost: then they live for ever
        if (!call->keeper->kept || PyList_Append(call->keeper->kept, call->signals) < 0) Py_INCREF(call->signals);
        PyErr_Restore(error[0], error[1], error[2]);
    }
    Py_CLEAR(call->signals);
    call->blocks = NULL, call->block_count = call->block_capacity = 0;
}

// the object stays until the end of the call, also if another thread closes it
static int hold(sp_py_call *call, PyObject *object) {
    if (!call->held) call->held = PyList_New(0);
    return call->held ? PyList_Append(call->held, object) : -1;
}

// UTF-8 of a str until the end of the call
static const char *held_text(sp_py_call *call, PyObject *value, const char *what) {
    PyObject *bytes = PyUnicode_Check(value) ? PyUnicode_AsUTF8String(value) : NULL;
    if (!bytes) {
        PyErr_Clear();
        return sp_py_fail(SP_BAD_INPUT, "%s: must be a str", what);
    }
    int done = hold(call, bytes);
    Py_DECREF(bytes);
    return done < 0 ? NULL : PyBytes_AsString(bytes);
}

PyObject *sp_py_arguments(const char *function, PyObject *args, PyObject *keywords, const char *const *names, int required) {
    PyObject *all = keywords ? PyDict_Copy(keywords) : PyDict_New();
    Py_ssize_t given = args ? PyTuple_Size(args) : 0, known = 0;
    while (names && names[known]) known++;
    if (all && given > known) {
        PyErr_Format(PyExc_TypeError, "%s takes at most %zd positional arguments, %zd given; others by name", function, known,
                     given);
        Py_CLEAR(all);
    }
    for (Py_ssize_t i = 0; all && i < given; i++) {
        if (PyDict_GetItemString(all, names[i])) {
            PyErr_Format(PyExc_TypeError, "%s: argument '%s' is given twice", function, names[i]);
            Py_CLEAR(all);
        } else if (PyDict_SetItemString(all, names[i], PyTuple_GetItem(args, i)) < 0)
            Py_CLEAR(all);
    }
    for (int i = 0; all && i < required; i++)
        if (!PyDict_GetItemString(all, names[i])) {
            PyErr_Format(PyExc_TypeError, "%s: argument '%s' is missing", function, names[i]);
            Py_CLEAR(all);
        }
    return all;
}

// a record of the library, such as souple.Pose: a named tuple
static bool is_record(PyObject *value) {
    return PyTuple_Check(value) && !PyTuple_CheckExact(value) && PyObject_HasAttrString(value, "n_sequence_fields");
}

// ---------------------------------------------------------------------------------------------------- words

int sp_py_word_value(const sp_py_words *words, PyObject *value, const char *what, int *out) {
    char text[64] = "";
    if (!PyUnicode_Check(value)) {
        sp_py_fail(SP_BAD_INPUT, "%s: must be a str, one of the words of %s such as '%s'", what, words->name,
                   words->words[0].word);
        return -1;
    }
    PyObject *bytes = PyUnicode_AsUTF8String(value);
    if (bytes) snprintf(text, sizeof text, "%s", PyBytes_AsString(bytes));
    Py_XDECREF(bytes);
    if (!bytes) return -1;
    const char *known[WORDS_MAX];
    for (int i = 0; i < words->count; i++) {
        known[i] = words->words[i].word;
        if (strcmp(text, known[i]) != 0) continue;
        *out = words->words[i].value;
        return 0;
    }
    return sp_py_unknown(sp_py_bad_input, what, text, known, words->count);
}

PyObject *sp_py_word_name(const sp_py_words *words, int value) {
    for (int i = 0; i < words->count; i++)
        if (words->words[i].value == value) return PyUnicode_FromString(words->words[i].word);
    return PyLong_FromLong(value);
}

// a number, a word, several words ("x y", ["x", "y"]); words of one letter also without spaces ("xy")
static int bits_value(const sp_py_words *words, PyObject *value, const char *what, unsigned *out) {
    if (PyLong_Check(value)) return sp_py_numbers_into(NULL, value, what, SP_PY_UINT, 1, out);
    PyObject *parts;
    if (PyUnicode_Check(value)) {
        bool letters = strlen(words->words[0].word) == 1;
        parts = letters ? PySequence_List(value) : PyUnicode_Split(value, NULL, -1);
    } else
        parts = PySequence_List(value);
    if (!parts) return -1;
    *out = 0;
    int done = 0;
    for (Py_ssize_t i = 0; done == 0 && i < PyList_Size(parts); i++) {
        PyObject *part = PyList_GetItem(parts, i);
        int bit = 0;
        if (PyUnicode_Check(part) && PyUnicode_CompareWithASCIIString(part, " ") == 0) continue;
        done = sp_py_word_value(words, part, what, &bit);
        *out |= (unsigned)bit;
    }
    Py_DECREF(parts);
    return done;
}

static PyObject *bits_names(const sp_py_words *words, unsigned value) {
    PyObject *list = PyList_New(0), *tuple = NULL;
    for (int i = 0; list && i < words->count; i++) {
        if (!(value & (unsigned)words->words[i].value)) continue;
        PyObject *word = PyUnicode_FromString(words->words[i].word);
        sp_py_append(&list, word);
    }
    if (list) tuple = PyList_AsTuple(list);
    Py_XDECREF(list);
    return tuple;
}

// ---------------------------------------------------------------------------------------------------- poses

static int unit_quaternion(double quat[4], const char *what) {
    double length = sqrt(quat[0] * quat[0] + quat[1] * quat[1] + quat[2] * quat[2] + quat[3] * quat[3]);
    if (!(length > 0) || !isfinite(length)) return sp_py_fail(SP_BAD_INPUT, "%s: the quaternion has no length", what), -1;
    for (int i = 0; i < 4; i++) quat[i] /= length;
    return 0;
}

int sp_py_pose(sp_py_call *call, PyObject *value, const char *what, sp_pose *out) {
    *out = sp_pose_identity();
    if (PyDict_Check(value) || is_record(value)) {
        if (sp_py_struct_change(call, &sp_py_struct_sp_pose, value, out) < 0) return -1;
        return unit_quaternion(out->quat, what);
    }
    Py_ssize_t rows = 0;
    const double *x = sp_py_numbers(call, value, what, SP_PY_DOUBLE, 1, &rows);
    if (!x) return -1;
    if (rows != 3 && rows != 7)
        return sp_py_fail(SP_BAD_INPUT, "%s: %zd numbers, must be 3 (a translation) or 7 (x y z and a quaternion w x y z)", what,
                          rows),
               -1;
    memcpy(out->translate, x, sizeof out->translate);
    if (rows == 3) return 0;
    memcpy(out->quat, x + 3, sizeof out->quat);
    return unit_quaternion(out->quat, what);
}

// ---------------------------------------------------------------------------------------------------- keywords to structs

static int set_field(sp_py_call *call, const sp_py_struct *table, const sp_py_field *field, PyObject *value, char *out);

static int *count_at(const sp_py_field *field, char *out) {
    return (int *)(void *)(out + field->count);
}

// the number of items must be that of the struct, or becomes it
static int settle_count(sp_py_call *call, const sp_py_field *field, Py_ssize_t rows, char *out) {
    if (field->size) {
        Py_ssize_t wanted = field->size(out);
        if (wanted < 0) return sp_py_fail(SP_BAD_INPUT, "%s: needs a mesh", call->where), -1;
        if (rows != wanted) return sp_py_fail(SP_BAD_INPUT, "%s: %zd rows, must be %zd", call->where, rows, wanted), -1;
        return 0;
    }
    int *count = count_at(field, out);
    if (*count && *count != rows)
        return sp_py_fail(SP_BAD_INPUT, "%s: %zd rows, must be %d as the others", call->where, rows, *count), -1;
    *count = (int)rows;
    return 0;
}

static int set_numbers(sp_py_call *call, const sp_py_field *field, PyObject *value, char *out) {
    char *at = out + field->at;
    if (!field->extent) {
        if (field->number == SP_PY_BOOL) {
            int truth = PyObject_IsTrue(value);
            if (truth >= 0) *(bool *)at = truth;
            return truth < 0 ? -1 : 0;
        }
        return sp_py_numbers_into(call, value, call->where, field->number, 1, at);
    }
    if (field->width == -2 && (PyFloat_Check(value) || PyLong_Check(value))) {
        double all;
        if (sp_py_numbers_into(call, value, call->where, SP_PY_DOUBLE, 1, &all) < 0) return -1;
        for (size_t i = 0; i < field->extent; i++) memcpy(at + i * sizeof all, &all, sizeof all);
        return 0;
    }
    if (field->width == 0 || field->width == -2)
        return sp_py_numbers_into(call, value, call->where, field->number, (Py_ssize_t)field->extent, at);
    // an array with a count beside it, or one that may be shorter
    Py_ssize_t rows;
    const size_t size = sp_py_number_size(field->number);
    const int width = field->width > 0 ? field->width : 1;
    const void *x = sp_py_numbers(call, value, call->where, field->number, width, &rows);
    if (!x) return -1;
    if ((size_t)rows * (size_t)width > field->extent)
        return sp_py_fail(SP_BAD_INPUT, "%s: %zd numbers, at most %zu", call->where, rows * width, field->extent), -1;
    memset(at, 0, field->extent * size);
    memcpy(at, x, (size_t)rows * (size_t)width * size);
    if (field->width > 0) *count_at(field, out) = (int)rows;
    return 0;
}

static int set_array(sp_py_call *call, const sp_py_field *field, PyObject *value, char *out) {
    Py_ssize_t rows;
    const void *x = sp_py_numbers(call, value, call->where, field->number, field->width > 0 ? field->width : 1, &rows);
    if (!x || settle_count(call, field, rows, out) < 0) return -1;
    memcpy(out + field->at, &x, sizeof x);
    return 0;
}

// true if a value stands for one struct, not for a list of them
static bool is_one(const sp_py_struct *table, PyObject *value) {
    if (PyDict_Check(value) || PyUnicode_Check(value)) return true;
    if (!PyList_Check(value) && !PyTuple_Check(value)) return true;
    if (is_record(value)) return true;
    if (!table->bare || PySequence_Size(value) == 0) return false;
    // a list of numbers is one: the nodes of a fix
    PyObject *first = PySequence_GetItem(value, 0);
    bool number = first && !PyDict_Check(first) && (PyLong_Check(first) || PyIndex_Check(first));
    Py_XDECREF(first);
    return number;
}

static int set_item(sp_py_call *call, const sp_py_field *field, PyObject *value, void *item) {
    if (field->kind == SP_PY_ANCHORS) return sp_py_anchor(call, value, call->where, item);
    if (field->kind == SP_PY_SURFACES) {
        const sp_trimesh *surface = sp_py_surface(value, call->where);
        if (!surface || hold(call, (PyObject *)((sp_py_object *)value)->handle) < 0) return -1;
        memcpy(item, &surface, sizeof surface);
        return 0;
    }
    if (field->initial)
        field->initial(item);
    else if (field->of->initial)
        field->of->initial(item);
    return sp_py_struct_value(call, field->of, value, item);
}

static int set_items(sp_py_call *call, const sp_py_field *field, PyObject *value, char *out) {
    const bool lone = field->kind == SP_PY_STRUCTS ? is_one(field->of, value) : !PyList_Check(value) && !PyTuple_Check(value);
    const size_t size = field->kind == SP_PY_ANCHORS    ? sizeof(sp_anchor)
                        : field->kind == SP_PY_SURFACES ? sizeof(void *)
                                                        : field->of->size;
    Py_ssize_t count = lone ? 1 : PySequence_Size(value);
    char *items = sp_py_call_alloc(call, (size_t)count, size);
    if (!items) return -1;
    size_t end = strlen(call->where);
    for (Py_ssize_t i = 0; i < count; i++) {
        PyObject *item = lone ? (Py_INCREF(value), value) : PySequence_GetItem(value, i);
        if (!lone) snprintf(call->where + end, sizeof call->where - end, "[%d]", (int)i);
        int done = item ? set_item(call, field, item, items + (size_t)i * size) : -1;
        Py_XDECREF(item);
        if (done < 0) return -1;
        call->where[end] = 0;
    }
    if (settle_count(call, field, count, out) < 0) return -1;
    memcpy(out + field->at, &items, sizeof items);
    return 0;
}

static int set_signals(sp_py_call *call, const sp_py_field *field, PyObject *value, sp_signal *out) {
    if (!field->extent) return sp_py_signal(call, value, call->where, -1, out);
    const int n = (int)field->extent;
    if (PyCallable_Check(value)) {
        for (int i = 0; i < n; i++)
            if (sp_py_signal(call, value, call->where, i, &out[i]) < 0) return -1;
        return 0;
    }
    if (!PySequence_Check(value) && field->width == -1) {
        // one number: the first component, as a pressure has it
        for (int i = 1; i < n; i++) out[i] = sp_signal_constant(0);
        return sp_py_signal(call, value, call->where, -1, &out[0]);
    }
    if (!PySequence_Check(value))
        return sp_py_fail(SP_BAD_INPUT, "%s: must be %d numbers or functions, or a function that returns %d", call->where, n, n),
               -1;
    Py_ssize_t given = PySequence_Size(value);
    if (given != n) return sp_py_fail(SP_BAD_INPUT, "%s: %zd values, must be %d", call->where, given, n), -1;
    for (int i = 0; i < n; i++) {
        PyObject *item = PySequence_GetItem(value, i);
        int done = item ? sp_py_signal(call, item, call->where, -1, &out[i]) : -1;
        Py_XDECREF(item);
        if (done < 0) return -1;
    }
    return 0;
}

static int set_text(sp_py_call *call, const sp_py_field *field, PyObject *value, char *at) {
    const char *text = held_text(call, value, call->where);
    if (!text) return -1;
    if (field->kind == SP_PY_STRING) return memcpy(at, &text, sizeof text), 0;
    if (strlen(text) >= field->extent)
        return sp_py_fail(SP_BAD_INPUT, "%s: '%s' is longer than %zu bytes", call->where, text, field->extent - 1), -1;
    memset(at, 0, field->extent);
    memcpy(at, text, strlen(text));
    return 0;
}

static int set_one(sp_py_call *call, const sp_py_field *field, PyObject *value, char *at) {
    void *item = sp_py_call_alloc(call, 1, field->of->size);
    if (!item || set_item(call, field, value, item) < 0) return -1;
    memcpy(at, &item, sizeof item);
    return 0;
}

static int set_handle(sp_py_call *call, const sp_py_field *field, PyObject *value, char *at) {
    const void *pointer = field->kind == SP_PY_MESH ? (const void *)sp_py_mesh(value, call->where)
                                                    : (const void *)sp_py_surface(value, call->where);
    if (!pointer || hold(call, (PyObject *)((sp_py_object *)value)->handle) < 0) return -1;
    memcpy(at, &pointer, sizeof pointer);
    return 0;
}

static int set_value(sp_py_call *call, const sp_py_field *field, PyObject *value, char *out) {
    char *at = out + field->at;
    switch (field->kind) {
    case SP_PY_NUMBER: return set_numbers(call, field, value, out);
    case SP_PY_STRING:
    case SP_PY_TEXT: return set_text(call, field, value, at);
    case SP_PY_WORD: {
        int word = 0;
        if (sp_py_word_value(field->words, value, call->where, &word) < 0) return -1;
        return memcpy(at, &word, sizeof word), 0;
    }
    case SP_PY_BITS: return bits_value(field->words, value, call->where, (unsigned *)(void *)at);
    case SP_PY_STATUS:
    case SP_PY_RESERVATIONS: return 0;  // results only
    case SP_PY_STRUCT:
        if (field->of == &sp_py_struct_sp_pose) return sp_py_pose(call, value, call->where, (sp_pose *)(void *)at);
        return sp_py_struct_value(call, field->of, value, at);
    case SP_PY_STRUCTS:
    case SP_PY_ANCHORS:
    case SP_PY_SURFACES: return set_items(call, field, value, out);
    case SP_PY_ONE: return set_one(call, field, value, at);
    case SP_PY_ARRAY: return set_array(call, field, value, out);
    case SP_PY_ANCHOR: return sp_py_anchor(call, value, call->where, (sp_anchor *)(void *)at);
    case SP_PY_SIGNAL: return set_signals(call, field, value, (sp_signal *)(void *)at);
    case SP_PY_POSE_SIGNAL: return sp_py_pose_signal(call, value, call->where, (sp_pose_signal *)(void *)at);
    case SP_PY_BODY: return sp_py_body_id(call, value, call->where, (sp_body_id *)(void *)at);
    case SP_PY_LINK: return sp_py_link_id(call, value, call->where, (sp_link_id *)(void *)at);
    case SP_PY_MESH:
    case SP_PY_SURFACE: return set_handle(call, field, value, at);
    }
    return -1;
}

static int set_field(sp_py_call *call, const sp_py_struct *table, const sp_py_field *field, PyObject *value, char *out) {
    (void)table;
    size_t end = strlen(call->where);
    snprintf(call->where + end, sizeof call->where - end, "%s%s", end ? "." : "", field->name);
    int done = set_value(call, field, value, out);
    if (done == 0 && field->given) *(bool *)(out + field->given - 1) = true;
    if (done == 0) call->where[end] = 0;
    return done;
}

// the next word of a list, from *at on, which moves behind it
static bool next_word(const char **at, char *word, size_t size) {
    while (*at && **at == ' ') (*at)++;
    if (!*at || !**at) return false;
    size_t n = strcspn(*at, " ");
    snprintf(word, size, "%.*s", (int)n, *at);
    *at += n;
    return true;
}

static bool is_alias(const sp_py_field *field, const char *name) {
    char word[64];
    for (const char *at = field->alias; next_word(&at, word, sizeof word);)
        if (strcmp(word, name) == 0) return true;
    return false;
}

const sp_py_field *sp_py_field_named(const sp_py_struct *table, const char *name) {
    for (int i = 0; i < table->count; i++) {
        const sp_py_field *field = &table->fields[i];
        if (strcmp(field->name, name) == 0 || is_alias(field, name)) return field;
    }
    return NULL;
}

static int unknown_keyword(const sp_py_struct *table, const sp_py_struct *flat, const char *name) {
    const char *known[WORDS_MAX];
    int count = 0;
    for (int i = 0; i < table->count && count < WORDS_MAX; i++) known[count++] = table->fields[i].name;
    for (int i = 0; flat && i < flat->count && count < WORDS_MAX; i++) known[count++] = flat->fields[i].name;
    char what[100];
    snprintf(what, sizeof what, "keyword of %s", table->title + strlen("souple."));
    return sp_py_unknown(PyExc_TypeError, what, name, known, count);
}

// keys of a dict: all must be fields of the struct, or of the one whose fields may be given one level higher
static int check_keys(const sp_py_struct *table, const sp_py_struct *flat, PyObject *values, PyObject *flat_values) {
    PyObject *key, *value;
    Py_ssize_t at = 0;
    while (PyDict_Next(values, &at, &key, &value)) {
        char name[100] = "";
        PyObject *bytes = PyUnicode_Check(key) ? PyUnicode_AsUTF8String(key) : NULL;
        if (bytes) snprintf(name, sizeof name, "%s", PyBytes_AsString(bytes));
        Py_XDECREF(bytes);
        if (!bytes) return PyErr_SetString(PyExc_TypeError, "keywords must be strings"), -1;
        if (sp_py_field_named(table, name)) continue;
        if (!flat || !sp_py_field_named(flat, name)) return unknown_keyword(table, flat, name);
        if (PyDict_SetItem(flat_values, key, value) < 0) return -1;
    }
    return 0;
}

// the value of a field in a dict or an object; a new reference; NULL without exception: not given
static PyObject *given_value(PyObject *values, const sp_py_field *field) {
    PyObject *value = NULL;
    if (PyDict_Check(values)) {
        value = PyDict_GetItemString(values, field->name);
        char word[64];
        for (const char *at = field->alias; !value && next_word(&at, word, sizeof word);)
            value = PyDict_GetItemString(values, word);
        Py_XINCREF(value);
    } else {
        value = PyObject_GetAttrString(values, field->name);
        if (!value) PyErr_Clear();
    }
    if (value == Py_None) Py_CLEAR(value);
    return value;
}

int sp_py_struct_change(sp_py_call *call, const sp_py_struct *table, PyObject *values, void *out) {
    const sp_py_field *flat = table->flat ? sp_py_field_named(table, table->flat) : NULL;
    PyObject *flat_values = PyDict_New();
    if (!flat_values) return -1;
    int done = PyDict_Check(values) ? check_keys(table, flat ? flat->of : NULL, values, flat_values) : 0;
    for (int i = 0; done == 0 && i < table->count; i++) {
        PyObject *value = given_value(values, &table->fields[i]);
        if (value) done = set_field(call, table, &table->fields[i], value, out);
        Py_XDECREF(value);
    }
    if (done == 0 && flat && PyDict_Size(flat_values) > 0)
        done = sp_py_struct_change(call, flat->of, flat_values, (char *)out + flat->at);
    Py_DECREF(flat_values);
    return done;
}

int sp_py_struct_set(sp_py_call *call, const sp_py_struct *table, PyObject *values, void *out) {
    memset(out, 0, table->size);
    if (table->initial) table->initial(out);
    return values ? sp_py_struct_change(call, table, values, out) : 0;
}

// a bare value is often a selection, and one of nothing a mistake
static int set_bare(sp_py_call *call, const sp_py_struct *table, PyObject *value, void *out) {
    const sp_py_field *field = sp_py_field_named(table, table->bare);
    if (set_field(call, table, field, value, out) < 0) return -1;
    if (field->kind != SP_PY_ARRAY || !field->count || *count_at(field, out) > 0) return 0;
    return sp_py_fail(SP_BAD_INPUT, "%s: no %s: an empty selection", call->where, field->name), -1;
}

int sp_py_struct_value(sp_py_call *call, const sp_py_struct *table, PyObject *value, void *out) {
    bool record = is_record(value);
    if (PyDict_Check(value) || record) return sp_py_struct_change(call, table, value, out);
    if (table->bare) return set_bare(call, table, value, out);
    sp_py_fail(SP_BAD_INPUT, "%s: must be a dict of %s", call->where, table->title + strlen("souple."));
    return -1;
}

// ---------------------------------------------------------------------------------------------------- structs to records

static PyObject *field_object(const sp_py_field *field, const char *data, PyObject *world);

static Py_ssize_t items_of(const sp_py_field *field, const char *data) {
    return field->count ? *(const int *)(const void *)(data + field->count) : field->size ? field->size(data) : 0;
}

typedef PyObject *item_fn(const sp_py_field *field, const char *at, PyObject *world);

static PyObject *tuple_of(const sp_py_field *field, const char *at, Py_ssize_t count, size_t size, PyObject *world,
                          item_fn *make) {
    PyObject *tuple = PyTuple_New(count);
    for (Py_ssize_t i = 0; tuple && i < count; i++) {
        PyObject *item = make(field, at + (size_t)i * size, world);
        if (!item || PyTuple_SetItem(tuple, i, item) < 0) Py_CLEAR(tuple);
    }
    return tuple;
}

static PyObject *number_item(const sp_py_field *field, const char *at, PyObject *world) {
    (void)world;
    return sp_py_number_object(field->number, at);
}

static PyObject *record_item(const sp_py_field *field, const char *at, PyObject *world) {
    return sp_py_record(field->of, at, world);
}

static PyObject *body_item(const sp_py_field *field, const char *at, PyObject *world) {
    (void)field;
    sp_body_id id = *(const sp_body_id *)(const void *)at;
    return world ? sp_py_body_new(world, id) : Py_BuildValue("(II)", id.slot, id.generation);
}

static PyObject *anchor_item(const sp_py_field *field, const char *at, PyObject *world) {
    (void)field;
    const sp_anchor *a = (const sp_anchor *)(const void *)at;
    if (world) return sp_py_anchor_new(world, a);
    return Py_BuildValue("{sIs(ddd)s(ddd)}", "elem", a->elem, "at", a->at[0], a->at[1], a->at[2], "offset", a->offset[0],
                         a->offset[1], a->offset[2]);
}

static PyObject *word_item(const sp_py_field *field, const char *at, PyObject *world) {
    (void)world;
    return sp_py_word_name(field->words, *(const int *)(const void *)at);
}

static PyObject *signal_item(const sp_py_field *field, const char *at, PyObject *world) {
    (void)field, (void)world;
    const sp_signal *signal = (const sp_signal *)(const void *)at;
    if (!signal->eval) return PyFloat_FromDouble(signal->constant);
    Py_RETURN_NONE;
}

static PyObject *text_item(const sp_py_field *field, const char *at, PyObject *world) {
    (void)field, (void)world;
    const char *text = *(const char *const *)(const void *)at;
    if (text) return PyUnicode_DecodeUTF8(text, (Py_ssize_t)strlen(text), "replace");
    Py_RETURN_NONE;
}

// a value or, of an array inside the struct, a tuple of them
static PyObject *inside(const sp_py_field *field, const char *data, size_t size, PyObject *world, item_fn *make) {
    if (!field->extent) return make(field, data + field->at, world);
    Py_ssize_t count = (Py_ssize_t)field->extent;
    if (field->width > 0 && field->count) count = items_of(field, data) * field->width;
    return tuple_of(field, data + field->at, count, size, world, make);
}

static PyObject *array_object_of(const sp_py_field *field, const char *data) {
    const void *values = *(const void *const *)(const void *)(data + field->at);
    Py_ssize_t rows = items_of(field, data);
    if (!values || rows < 0) Py_RETURN_NONE;
    return sp_py_copy(values, field->number, rows, field->width > 1 ? field->width : 0);
}

static PyObject *items_object(const sp_py_field *field, const char *data, PyObject *world) {
    const char *items = *(const char *const *)(const void *)(data + field->at);
    const bool anchors = field->kind == SP_PY_ANCHORS;
    Py_ssize_t count = items ? items_of(field, data) : 0;
    return tuple_of(field, items, count, anchors ? sizeof(sp_anchor) : field->of->size, world,
                    anchors ? anchor_item : record_item);
}

static PyObject *reservations_object(uint32_t bits) {
    PyObject *list = PyList_New(0), *tuple = NULL;
    for (int s = 1; list && s < 32; s++) {
        if (!(bits >> s & 1)) continue;
        PyObject *status = sp_py_status((sp_status)s);
        sp_py_append(&list, status);
    }
    if (list) tuple = PyList_AsTuple(list);
    Py_XDECREF(list);
    return tuple;
}

static PyObject *field_object(const sp_py_field *field, const char *data, PyObject *world) {
    const char *at = data + field->at;
    switch (field->kind) {
    case SP_PY_NUMBER: return inside(field, data, sp_py_number_size(field->number), world, number_item);
    case SP_PY_STRING: return inside(field, data, sizeof(char *), world, text_item);
    case SP_PY_TEXT: return PyUnicode_DecodeUTF8(at, (Py_ssize_t)strlen(at), "replace");
    case SP_PY_WORD: return inside(field, data, sizeof(int), world, word_item);
    case SP_PY_BITS: return bits_names(field->words, *(const unsigned *)(const void *)at);
    case SP_PY_STATUS: return sp_py_status(*(const sp_status *)(const void *)at);
    case SP_PY_RESERVATIONS: return reservations_object(*(const uint32_t *)(const void *)at);
    case SP_PY_STRUCT: return inside(field, data, field->of->size, world, record_item);
    case SP_PY_STRUCTS:
    case SP_PY_ANCHORS: return items_object(field, data, world);
    case SP_PY_ONE: {
        const void *item = *(const void *const *)(const void *)at;
        if (item) return sp_py_record(field->of, item, world);
        break;
    }
    case SP_PY_ARRAY: return array_object_of(field, data);
    case SP_PY_ANCHOR: return inside(field, data, sizeof(sp_anchor), world, anchor_item);
    case SP_PY_SIGNAL: return inside(field, data, sizeof(sp_signal), world, signal_item);
    case SP_PY_BODY: return inside(field, data, sizeof(sp_body_id), world, body_item);
    case SP_PY_LINK:
        if (world) return sp_py_link_new(world, *(const sp_link_id *)(const void *)at);
        break;
    case SP_PY_POSE_SIGNAL:
    case SP_PY_MESH:
    case SP_PY_SURFACE:
    case SP_PY_SURFACES: break;
    }
    Py_RETURN_NONE;
}

PyObject *sp_py_record(const sp_py_struct *table, const void *data, PyObject *world) {
    int index = 0;
    while (sp_py_structs[index] && sp_py_structs[index] != table) index++;
    PyTypeObject *type = sp_py_structs[index] ? record_types[index] : NULL;
    if (!type) return sp_py_fail(SP_BAD_INPUT, "%s is no result", table->name);
    PyObject *record = PyStructSequence_New(type);
    for (int i = 0; record && i < table->count; i++) {
        PyObject *value = field_object(&table->fields[i], data, world);
        if (!value) {
            // the rest must not be read
            for (int k = i; k < table->count; k++) {
                Py_INCREF(Py_None);
                PyStructSequence_SetItem(record, k, Py_None);
            }
            Py_CLEAR(record);
        } else
            PyStructSequence_SetItem(record, i, value);
    }
    return record;
}

static PyTypeObject *record_type(const sp_py_struct *table) {
    PyStructSequence_Field fields[WORDS_MAX + 1] = {{NULL, NULL}};
    for (int i = 0; i < table->count; i++) {
        const sp_py_field *field = &table->fields[i];
        memcpy(&fields[i].name, &field->name, sizeof field->name);
        memcpy(&fields[i].doc, &field->doc, sizeof field->doc);
    }
    PyStructSequence_Desc desc = {table->title, table->doc, fields, table->count};
    return PyStructSequence_NewType(&desc);
}

int sp_py_init_convert(PyObject *module) {
    for (int i = 0; sp_py_structs[i]; i++) {
        const sp_py_struct *table = sp_py_structs[i];
        if (!table->record) continue;
        record_types[i] = record_type(table);
        if (!record_types[i]) return -1;
        Py_INCREF((PyObject *)record_types[i]);
        if (PyModule_AddObject(module, strchr(table->title, '.') + 1, (PyObject *)record_types[i]) < 0) return -1;
    }
    return 0;
}
