// souple.Mesh: meshes from arrays and generators, their arrays as views.
#include <string.h>

#include "convert.h"
#include "docs.h"
#include "mesh_parts.h"
#include "tables.h"

PyTypeObject *sp_py_mesh_type;

// ---------------------------------------------------------------------------------------------------- the object

static void destroy_mesh(void *pointer) {
    sp_mesh *mesh = pointer;
    sp_mesh_destroy(&mesh);
}

PyObject *sp_py_mesh_new(sp_mesh *mesh, sp_py_handle *context) {
    return sp_py_object_new(sp_py_mesh_type, sp_py_handle_new("mesh", mesh, destroy_mesh, context));
}

sp_mesh *sp_py_mesh(PyObject *object, const char *what) {
    if (Py_TYPE(object) != sp_py_mesh_type) return sp_py_fail(SP_BAD_INPUT, "%s: must be a souple.Mesh", what);
    return sp_py_pointer_shared(((sp_py_object *)object)->handle, "mesh");
}

static sp_mesh *mesh_of(PyObject *self) {
    return sp_py_pointer_shared(((sp_py_object *)self)->handle, "mesh");
}

static sp_py_handle *handle_of(PyObject *self) {
    return ((sp_py_object *)self)->handle;
}

// a mesh that a function of the library made, or its failure
static PyObject *made(sp_status status, sp_mesh *mesh, sp_py_handle *context) {
    if (status < 0) return sp_py_raise_context(status, context->pointer);
    return sp_py_mesh_new(mesh, context);
}

static PyObject *made_of(PyObject *self, sp_status status, sp_mesh *mesh) {
    return made(status, mesh, handle_of(self)->parent);
}

// ---------------------------------------------------------------------------------------------------- definitions

static sp_element_type type_of_width(Py_ssize_t width) {
    return width == 3 ? SP_ELEMENT_TRI3 : width == 8 ? SP_ELEMENT_HEX8 : width == 10 ? SP_ELEMENT_TET10 : SP_ELEMENT_TET4;
}

// numbers per row of an array or of nested sequences; 4 where it does not say
static Py_ssize_t width_of(PyObject *elements) {
    Py_ssize_t width = 4;
    PyObject *shape = PyObject_GetAttrString(elements, "shape");
    if (shape && PyTuple_Check(shape) && PyTuple_Size(shape) == 2)
        width = PyLong_AsSsize_t(PyTuple_GetItem(shape, 1));
    else if (!shape && PySequence_Check(elements) && PySequence_Size(elements) > 0) {
        PyObject *first = PySequence_GetItem(elements, 0);
        if (first && PySequence_Check(first)) width = PySequence_Size(first);
        Py_XDECREF(first);
    }
    Py_XDECREF(shape);
    PyErr_Clear();
    return width;
}

typedef struct element_block {
    const int *nodes;
    sp_element_type type;
    Py_ssize_t count;
} element_block;

static int read_block(sp_py_call *call, PyObject *elements, PyObject *type, element_block *out) {
    int word = type_of_width(width_of(elements));
    if (type && type != Py_None && sp_py_word_value(&sp_py_words_sp_element_type, type, "element_type", &word) < 0) return -1;
    out->type = (sp_element_type)word;
    out->nodes = sp_py_numbers(call, elements, "elements", SP_PY_INT, sp_element_nodes(out->type), &out->count);
    return out->nodes ? 0 : -1;
}

// [(type, array), ...] as meshio has it, joined
static int read_blocks(sp_py_call *call, PyObject *list, sp_mesh_def *def) {
    Py_ssize_t n = PySequence_Size(list), total = 0, entries = 0;
    element_block *blocks = sp_py_call_alloc(call, (size_t)n, sizeof *blocks);
    for (Py_ssize_t i = 0; i < n; i++) {
        PyObject *pair = PySequence_GetItem(list, i);
        int done = blocks && pair ? read_block(call, PyTuple_GetItem(pair, 1), PyTuple_GetItem(pair, 0), &blocks[i]) : -1;
        Py_XDECREF(pair);
        if (done < 0) return -1;
        total += blocks[i].count, entries += blocks[i].count * sp_element_nodes(blocks[i].type);
    }
    sp_element_type *types = sp_py_call_alloc(call, (size_t)total, sizeof *types);
    int *nodes = sp_py_call_alloc(call, (size_t)entries, sizeof *nodes);
    if (!types || !nodes) return -1;
    def->element_types = types, def->element_nodes = nodes, def->element_count = (int)total;
    for (Py_ssize_t i = 0; i < n; i++) {
        size_t numbers = (size_t)blocks[i].count * (size_t)sp_element_nodes(blocks[i].type);
        for (Py_ssize_t e = 0; e < blocks[i].count; e++) *types++ = blocks[i].type;
        memcpy(nodes, blocks[i].nodes, numbers * sizeof *nodes);
        nodes += numbers;
    }
    return 0;
}

static bool is_blocks(PyObject *elements) {
    if (!PyList_Check(elements) || PyList_Size(elements) == 0) return false;
    PyObject *first = PyList_GetItem(elements, 0);
    return PyTuple_Check(first) && PyTuple_Size(first) == 2 && PyUnicode_Check(PyTuple_GetItem(first, 0));
}

static int read_elements(sp_py_call *call, PyObject *elements, PyObject *type, sp_mesh_def *def) {
    if (is_blocks(elements)) return read_blocks(call, elements, def);
    element_block block;
    if (read_block(call, elements, type, &block) < 0) return -1;
    def->element_count = (int)block.count, def->element_nodes = block.nodes;
    if (block.type == SP_ELEMENT_TET4) return 0;
    sp_element_type *types = sp_py_call_alloc(call, (size_t)block.count, sizeof *types);
    for (Py_ssize_t e = 0; types && e < block.count; e++) types[e] = block.type;
    def->element_types = types;
    return types ? 0 : -1;
}

static int read_ids(sp_py_call *call, PyObject *ids, const char *what, Py_ssize_t count, const int64_t **out) {
    Py_ssize_t rows;
    if (!ids || ids == Py_None) return 0;
    *out = sp_py_numbers(call, ids, what, SP_PY_INT64, 1, &rows);
    if (*out && rows != count) sp_py_fail(SP_BAD_INPUT, "%s: %zd numbers, must be %zd", what, rows, count);
    return *out && rows == count ? 0 : -1;
}

// takes what it knows out of the keywords
static PyObject *take(PyObject *keywords, const char *name) {
    PyObject *value = PyDict_GetItemString(keywords, name);
    if (!value) return NULL;
    Py_INCREF(value);
    PyDict_DelItemString(keywords, name);
    Py_DECREF(value);  // the arguments of the caller hold it
    return value;
}

static const char *const mesh_arguments[] = {"positions", "elements", "element_type", NULL};

// positions, elements, ... of a dict of arguments, from which they are removed
static int read_def(sp_py_call *call, PyObject *all, sp_mesh_def *def) {
    Py_ssize_t rows = 0;
    mesh_parts parts;
    *def = sp_mesh_def_default();
    PyObject *positions = take(all, "positions"), *elements = take(all, "elements"), *type = take(all, "element_type");
    PyObject *groups = take(all, "groups"), *arrays = take(all, "arrays"), *nodes = take(all, "node_ids");
    PyObject *ids = take(all, "element_ids"), *fix = take(all, "fix_orientation");
    def->positions = sp_py_numbers(call, positions, "positions", SP_PY_DOUBLE, 3, &rows);
    if (!def->positions || read_elements(call, elements, type, def) < 0) return -1;
    def->node_count = (int)rows;
    if (fix) def->fix_orientation = PyObject_IsTrue(fix) > 0;
    if (mesh_parts_read(call, groups, arrays, rows, def->element_count, &parts) < 0) return -1;
    def->groups = parts.groups, def->group_count = parts.group_count;
    def->arrays = parts.arrays, def->array_count = parts.array_count;
    if (read_ids(call, nodes, "node_ids", rows, &def->node_ids) < 0) return -1;
    return read_ids(call, ids, "element_ids", def->element_count, &def->element_ids);
}

// all that a function takes is known: no other keyword is left
static int nothing_left(PyObject *all, const char *function) {
    PyObject *key, *value;
    Py_ssize_t at = 0;
    if (!PyDict_Next(all, &at, &key, &value)) return 0;
    PyErr_Format(PyExc_TypeError, "%s: unknown keyword %R", function, key);
    return -1;
}

static PyObject *mesh_new(PyTypeObject *type, PyObject *args, PyObject *keywords) {
    (void)type;
    PyObject *all = sp_py_arguments("Mesh", args, keywords, mesh_arguments, 2), *result = NULL;
    sp_py_handle *context = all ? sp_py_context_handle(take(all, "context")) : NULL;
    sp_py_call call = {0};
    sp_mesh_def def;
    sp_mesh *mesh = NULL;
    sp_status status;
    if (context && read_def(&call, all, &def) == 0 && nothing_left(all, "Mesh") == 0) {
        SP_PY_UNLOCKED(context, status = sp_mesh_create(context->pointer, &def, &mesh));
        result = made(status, mesh, context);
    }
    sp_py_call_end(&call, false);
    Py_XDECREF(all);
    return result;
}

static PyObject *mesh_examine_arrays(PyObject *cls, PyObject *args, PyObject *keywords) {
    (void)cls;
    PyObject *all = sp_py_arguments("examine_arrays", args, keywords, mesh_arguments, 2), *result = NULL;
    sp_py_handle *context = all ? sp_py_context_handle(take(all, "context")) : NULL;
    sp_py_call call = {0};
    sp_mesh_def def;
    sp_examine_options options;
    sp_mesh_report *report = NULL;
    sp_status status;
    if (context && read_def(&call, all, &def) == 0 &&
        sp_py_struct_set(&call, &sp_py_struct_sp_examine_options, all, &options) == 0) {
        SP_PY_UNLOCKED(context, status = sp_mesh_examine(context->pointer, &def, &options, &report));
        result = status < 0 ? sp_py_raise_context(status, context->pointer) : mesh_report_object(report);
    }
    sp_py_call_end(&call, false);
    Py_XDECREF(all);
    return result;
}

static PyObject *mesh_repair(PyObject *cls, PyObject *args, PyObject *keywords) {
    (void)cls;
    PyObject *all = sp_py_arguments("repair", args, keywords, mesh_arguments, 2), *result = NULL;
    sp_py_handle *context = all ? sp_py_context_handle(take(all, "context")) : NULL;
    sp_py_call call = {0};
    sp_mesh_def def;
    sp_examine_options options;
    sp_mesh_repairs repairs;
    sp_mesh *mesh = NULL;
    sp_status status;
    if (context && read_def(&call, all, &def) == 0 &&
        sp_py_struct_set(&call, &sp_py_struct_sp_examine_options, all, &options) == 0) {
        SP_PY_UNLOCKED(context, status = sp_mesh_repaired(context->pointer, &def, &options, &mesh, &repairs));
        PyObject *object = made(status, mesh, context);
        PyObject *record = object ? sp_py_record(&sp_py_struct_sp_mesh_repairs, &repairs, NULL) : NULL;
        if (record) result = Py_BuildValue("(OO)", object, record);
        Py_XDECREF(object);
        Py_XDECREF(record);
    }
    sp_py_call_end(&call, false);
    Py_XDECREF(all);
    return result;
}

// ---------------------------------------------------------------------------------------------------- generators

static PyObject *mesh_box(PyObject *cls, PyObject *args, PyObject *keywords) {
    (void)cls;
    static char *names[] = {"size", "cells", "per_cell", "context", NULL};
    PyObject *size, *cells, *given = NULL;
    int per_cell = 6, n[3];
    double edges[3];
    sp_mesh *mesh = NULL;
    sp_status status;
    if (!PyArg_ParseTupleAndKeywords(args, keywords, "OO|iO:box", names, &size, &cells, &per_cell, &given)) return NULL;
    sp_py_handle *context = sp_py_context_handle(given);
    if (!context || sp_py_numbers_into(NULL, size, "size", SP_PY_DOUBLE, 3, edges) < 0 ||
        sp_py_numbers_into(NULL, cells, "cells", SP_PY_INT, 3, n) < 0)
        return NULL;
    SP_PY_UNLOCKED(context, status = sp_mesh_box(context->pointer, edges, n, per_cell, &mesh));
    return made(status, mesh, context);
}

// axis: along z where it is not given
static int read_axis(PyObject *axis, double out[3]) {
    out[0] = out[1] = 0, out[2] = 1;
    return axis && axis != Py_None ? sp_py_numbers_into(NULL, axis, "axis", SP_PY_DOUBLE, 3, out) : 0;
}

static PyObject *mesh_cylinder(PyObject *cls, PyObject *args, PyObject *keywords) {
    (void)cls;
    static char *names[] = {"radius", "length", "cells", "axis", "context", NULL};
    PyObject *cells, *along = NULL, *given = NULL;
    double radius, length, axis[3];
    int n[2];
    sp_mesh *mesh = NULL;
    sp_status status;
    if (!PyArg_ParseTupleAndKeywords(args, keywords, "ddO|OO:cylinder", names, &radius, &length, &cells, &along, &given))
        return NULL;
    sp_py_handle *context = sp_py_context_handle(given);
    if (!context || sp_py_numbers_into(NULL, cells, "cells", SP_PY_INT, 2, n) < 0 || read_axis(along, axis) < 0) return NULL;
    SP_PY_UNLOCKED(context, status = sp_mesh_cylinder(context->pointer, radius, length, axis, n, &mesh));
    return made(status, mesh, context);
}

static PyObject *mesh_sphere(PyObject *cls, PyObject *args, PyObject *keywords) {
    (void)cls;
    static char *names[] = {"radius", "cells", "context", NULL};
    PyObject *radius, *given = NULL;
    double axes[3];
    int cells;
    sp_mesh *mesh = NULL;
    sp_status status;
    if (!PyArg_ParseTupleAndKeywords(args, keywords, "Oi|O:sphere", names, &radius, &cells, &given)) return NULL;
    sp_py_handle *context = sp_py_context_handle(given);
    if (!context) return NULL;
    if (PyFloat_Check(radius) || PyLong_Check(radius))
        axes[0] = axes[1] = axes[2] = PyFloat_AsDouble(radius);
    else if (sp_py_numbers_into(NULL, radius, "radius", SP_PY_DOUBLE, 3, axes) < 0)
        return NULL;
    SP_PY_UNLOCKED(context, status = sp_mesh_sphere(context->pointer, axes, cells, &mesh));
    return made(status, mesh, context);
}

static PyObject *mesh_torus(PyObject *cls, PyObject *args, PyObject *keywords) {
    (void)cls;
    static char *names[] = {"ring", "tube", "cells", "axis", "context", NULL};
    PyObject *cells, *along = NULL, *given = NULL;
    double ring, tube, axis[3];
    int n[2];
    sp_mesh *mesh = NULL;
    sp_status status;
    if (!PyArg_ParseTupleAndKeywords(args, keywords, "ddO|OO:torus", names, &ring, &tube, &cells, &along, &given)) return NULL;
    sp_py_handle *context = sp_py_context_handle(given);
    if (!context || sp_py_numbers_into(NULL, cells, "cells", SP_PY_INT, 2, n) < 0 || read_axis(along, axis) < 0) return NULL;
    SP_PY_UNLOCKED(context, status = sp_mesh_torus(context->pointer, ring, tube, axis, n, &mesh));
    return made(status, mesh, context);
}

static PyObject *mesh_sheet(PyObject *cls, PyObject *args, PyObject *keywords) {
    (void)cls;
    static char *names[] = {"size", "cells", "crossed", "context", NULL};
    PyObject *size, *cells, *given = NULL;
    double edges[2];
    int n[2], crossed = 0;
    sp_mesh *mesh = NULL;
    sp_status status;
    if (!PyArg_ParseTupleAndKeywords(args, keywords, "OO|pO:sheet", names, &size, &cells, &crossed, &given)) return NULL;
    sp_py_handle *context = sp_py_context_handle(given);
    if (!context || sp_py_numbers_into(NULL, size, "size", SP_PY_DOUBLE, 2, edges) < 0 ||
        sp_py_numbers_into(NULL, cells, "cells", SP_PY_INT, 2, n) < 0)
        return NULL;
    SP_PY_UNLOCKED(context, status = sp_mesh_sheet(context->pointer, edges, n, crossed, &mesh));
    return made(status, mesh, context);
}

static PyObject *mesh_disc(PyObject *cls, PyObject *args, PyObject *keywords) {
    (void)cls;
    static char *names[] = {"radius", "rings", "context", NULL};
    PyObject *given = NULL;
    double radius;
    int rings;
    sp_mesh *mesh = NULL;
    sp_status status;
    if (!PyArg_ParseTupleAndKeywords(args, keywords, "di|O:disc", names, &radius, &rings, &given)) return NULL;
    sp_py_handle *context = sp_py_context_handle(given);
    if (!context) return NULL;
    SP_PY_UNLOCKED(context, status = sp_mesh_disc(context->pointer, radius, rings, &mesh));
    return made(status, mesh, context);
}

static PyObject *mesh_organ(PyObject *cls, PyObject *args, PyObject *keywords) {
    (void)cls;
    static char *names[] = {"kind", "length", "elements", "context", NULL};
    PyObject *given = NULL;
    const char *kind;
    double length;
    int elements;
    sp_mesh *mesh = NULL;
    sp_status status;
    if (!PyArg_ParseTupleAndKeywords(args, keywords, "sdi|O:organ", names, &kind, &length, &elements, &given)) return NULL;
    sp_py_handle *context = sp_py_context_handle(given);
    if (!context) return NULL;
    SP_PY_UNLOCKED(context, status = sp_mesh_organ(context->pointer, kind, length, elements, &mesh));
    return made(status, mesh, context);
}

static PyObject *mesh_of_surface(PyObject *cls, PyObject *surface) {
    (void)cls;
    const sp_trimesh *from = sp_py_surface(surface, "surface");
    sp_mesh *mesh = NULL;
    sp_status status;
    if (!from) return NULL;
    SP_PY_UNLOCKED(handle_of(surface), status = sp_mesh_of_triangles(from, &mesh));
    return made(status, mesh, handle_of(surface)->parent);
}

// ---------------------------------------------------------------------------------------------------- filling

// {name: function} of parts of the shape
static int read_regions(sp_py_call *call, PyObject *regions, sp_fill_def *def, space_function **functions) {
    *functions = NULL;
    if (!regions || regions == Py_None) return 0;
    if (!PyDict_Check(regions)) return sp_py_fail(SP_BAD_INPUT, "regions: must be a dict of functions by name"), -1;
    sp_fill_region *list = sp_py_call_alloc(call, (size_t)PyDict_Size(regions), sizeof *list);
    space_function *f = sp_py_call_alloc(call, (size_t)PyDict_Size(regions), sizeof *f);
    PyObject *key, *value;
    Py_ssize_t at = 0;
    if (!list || !f) return -1;
    *functions = f;
    def->regions = list;
    while (PyDict_Next(regions, &at, &key, &value)) {
        PyObject *bytes = PyUnicode_Check(key) ? PyUnicode_AsUTF8String(key) : NULL;
        if (!bytes) return sp_py_fail(SP_BAD_INPUT, "regions: names must be str"), -1;
        char *name = sp_py_call_alloc(call, strlen(PyBytes_AsString(bytes)) + 1, 1);
        if (name) memcpy(name, PyBytes_AsString(bytes), strlen(PyBytes_AsString(bytes)));
        Py_DECREF(bytes);
        if (!name || space_function_init(&f[def->region_count], value, "region") < 0) return -1;
        list[def->region_count] = (sp_fill_region){name, space_field, &f[def->region_count]};
        def->region_count++;
    }
    return 0;
}

// -1: a function raised
static int end_regions(const sp_fill_def *def, space_function *functions) {
    int raised = 0;
    for (int i = 0; functions && i < def->region_count; i++) {
        if (raised < 0) PyErr_Clear();
        raised = space_function_end(&functions[i]) < 0 ? -1 : raised;
    }
    return raised;
}

static PyObject *with_info(PyObject *mesh, const sp_fill_info *info, bool wanted) {
    if (!mesh || !wanted) return mesh;
    PyObject *record = sp_py_record(&sp_py_struct_sp_fill_info, info, NULL);
    PyObject *pair = record ? Py_BuildValue("(OO)", mesh, record) : NULL;
    Py_XDECREF(record);
    Py_DECREF(mesh);
    return pair;
}

// the inside of a surface or of a function
static PyObject *fill_shape(sp_py_handle *context, PyObject *shape, PyObject *low, PyObject *high, double slope,
                            const sp_fill_def *def, space_function *regions, bool info_wanted) {
    double a[3], b[3];
    space_function function = {0};
    sp_fill_info info = {0};
    sp_mesh *mesh = NULL;
    sp_status status;
    if (Py_TYPE(shape) == sp_py_surface_type) {
        const sp_trimesh *surface = sp_py_surface(shape, "shape");
        if (!surface) return NULL;
        context = handle_of(shape)->parent;
        SP_PY_UNLOCKED(context, status = sp_mesh_fill_surface(surface, def, &info, &mesh));
    } else {
        if (!low || !high)
            return sp_py_fail(SP_BAD_INPUT, "fill of a function needs `low` and `high`, the corners of a box around it");
        if (sp_py_numbers_into(NULL, low, "low", SP_PY_DOUBLE, 3, a) < 0 ||
            sp_py_numbers_into(NULL, high, "high", SP_PY_DOUBLE, 3, b) < 0 || space_function_init(&function, shape, "shape") < 0)
            return NULL;
        SP_PY_UNLOCKED(context, status = sp_mesh_fill(context->pointer, space_field, &function, a, b, slope, def, &info, &mesh));
    }
    int raised = space_function_end(&function);
    if (end_regions(def, regions) < 0 || raised < 0) {
        sp_mesh_destroy(&mesh);
        return NULL;
    }
    return with_info(made(status, mesh, context), &info, info_wanted);
}

static PyObject *mesh_fill(PyObject *cls, PyObject *args, PyObject *keywords) {
    (void)cls;
    static const char *const names[] = {"shape", "low", "high", "slope", NULL};
    PyObject *all = sp_py_arguments("fill", args, keywords, names, 1), *result = NULL;
    if (!all) return NULL;
    PyObject *shape = take(all, "shape"), *low = take(all, "low"), *high = take(all, "high"), *slope = take(all, "slope");
    PyObject *regions = take(all, "regions"), *info = take(all, "info"), *body = take(all, "body");
    sp_py_handle *context = sp_py_context_handle(take(all, "context"));
    sp_py_call call = {0};
    sp_fill_def def;
    space_function *functions = NULL;
    double bound = slope ? PyFloat_AsDouble(slope) : 0;
    if (context && !PyErr_Occurred() && sp_py_struct_set(&call, &sp_py_struct_sp_fill_def, all, &def) == 0 &&
        read_regions(&call, regions, &def, &functions) == 0) {
        PyObject *name = body ? PyUnicode_AsUTF8String(body) : NULL;
        if (name) def.body = PyBytes_AsString(name);
        if (!PyErr_Occurred())
            result = fill_shape(context, shape, low, high, bound, &def, functions, info && PyObject_IsTrue(info) > 0);
        Py_XDECREF(name);
    }
    sp_py_call_end(&call, false);
    Py_DECREF(all);
    return result;
}

// names: {label: name}
static int read_names(sp_py_call *call, PyObject *names, sp_label_volume *volume) {
    if (!names || names == Py_None) return 0;
    if (!PyDict_Check(names)) return sp_py_fail(SP_BAD_INPUT, "names: must be a dict of names by label"), -1;
    size_t n = (size_t)PyDict_Size(names);
    const char **texts = sp_py_call_alloc(call, n, sizeof *texts);
    int *labels = sp_py_call_alloc(call, n, sizeof *labels);
    PyObject *key, *value;
    Py_ssize_t at = 0;
    volume->names = texts, volume->name_of = labels;
    while (texts && labels && PyDict_Next(names, &at, &key, &value)) {
        PyObject *bytes = PyUnicode_Check(value) ? PyUnicode_AsUTF8String(value) : NULL;
        if (!bytes || sp_py_numbers_into(call, key, "names", SP_PY_INT, 1, &labels[volume->name_count]) < 0) {
            Py_XDECREF(bytes);
            return PyErr_Occurred() ? -1 : (sp_py_fail(SP_BAD_INPUT, "names: must be str"), -1);
        }
        char *text = sp_py_call_alloc(call, strlen(PyBytes_AsString(bytes)) + 1, 1);
        if (text) memcpy(text, PyBytes_AsString(bytes), strlen(PyBytes_AsString(bytes)));
        Py_DECREF(bytes);
        if (!text) return -1;
        texts[volume->name_count++] = text;
    }
    return texts && labels ? 0 : -1;
}

// labels: an array [k][j][i], the last index along the first axis of the volume
static int read_volume(sp_py_call *call, PyObject *labels, PyObject *affine, PyObject *names, sp_label_volume *out) {
    Py_ssize_t rows = 0;
    *out = (sp_label_volume){.affine = {1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0}};
    PyObject *shape = PyObject_GetAttrString(labels, "shape");
    bool three = shape && PyTuple_Check(shape) && PyTuple_Size(shape) == 3;
    for (int i = 0; three && i < 3; i++) out->dims[2 - i] = (int)PyLong_AsLong(PyTuple_GetItem(shape, i));
    Py_XDECREF(shape);
    PyErr_Clear();
    if (!three) return sp_py_fail(SP_BAD_INPUT, "labels: must be an array with three dimensions"), -1;
    PyObject *flat = PyObject_CallMethod(labels, "reshape", "i", -1);
    if (!flat) return -1;
    out->labels = sp_py_numbers(call, flat, "labels", SP_PY_INT, 1, &rows);
    Py_DECREF(flat);
    if (!out->labels || read_names(call, names, out) < 0) return -1;
    return affine && affine != Py_None ? sp_py_numbers_into(call, affine, "affine", SP_PY_DOUBLE, 12, out->affine) : 0;
}

static PyObject *mesh_fill_labels(PyObject *cls, PyObject *args, PyObject *keywords) {
    (void)cls;
    static const char *const names[] = {"labels", "affine", "names", NULL};
    PyObject *all = sp_py_arguments("fill_labels", args, keywords, names, 1), *result = NULL;
    if (!all) return NULL;
    PyObject *labels = take(all, "labels"), *affine = take(all, "affine"), *known = take(all, "names"),
             *chosen = take(all, "take");
    PyObject *wanted = take(all, "info");
    sp_py_handle *context = sp_py_context_handle(take(all, "context"));
    sp_py_call call = {0};
    sp_fill_def def;
    sp_fill_info info = {0};
    sp_label_volume volume;
    sp_mesh *mesh = NULL;
    sp_status status;
    const int *only = NULL;
    Py_ssize_t count = 0;
    if (context && sp_py_struct_set(&call, &sp_py_struct_sp_fill_def, all, &def) == 0 &&
        read_volume(&call, labels, affine, known, &volume) == 0) {
        if (chosen && chosen != Py_None) only = sp_py_numbers(&call, chosen, "take", SP_PY_INT, 1, &count);
        if (!PyErr_Occurred()) {
            SP_PY_UNLOCKED(context,
                           status = sp_mesh_fill_labels(context->pointer, &volume, only, (int)count, &def, &info, &mesh));
            result = with_info(made(status, mesh, context), &info, wanted && PyObject_IsTrue(wanted) > 0);
        }
    }
    sp_py_call_end(&call, false);
    Py_DECREF(all);
    return result;
}

// ---------------------------------------------------------------------------------------------------- selections, refinement

typedef struct selecting {
    sp_py_call call;
    sp_selection selection;
    space_function where;
} selecting;

// keywords of a selection, from which `where` is taken
static int selecting_init(selecting *s, PyObject *all) {
    memset(s, 0, sizeof *s);
    PyObject *where = take(all, "where");
    if (sp_py_struct_set(&s->call, &sp_py_struct_sp_selection, all, &s->selection) < 0) return -1;
    if (!where || where == Py_None) return 0;
    if (space_function_init(&s->where, where, "where") < 0) return -1;
    s->selection.where = space_where, s->selection.where_user = &s->where;
    return 0;
}

static int selecting_end(selecting *s) {
    sp_py_call_end(&s->call, false);
    return space_function_end(&s->where);
}

static PyObject *mesh_select(PyObject *self, PyObject *args, PyObject *keywords) {
    static const char *const names[] = {"on", NULL};
    const sp_mesh *mesh = mesh_of(self);
    PyObject *all = mesh ? sp_py_arguments("select", args, keywords, names, 0) : NULL, *result = NULL;
    if (!all) return NULL;
    PyObject *on = take(all, "on");
    int kind = SP_SELECT_NODES, count = 0;
    selecting s;
    bool ready = selecting_init(&s, all) == 0 && (!on || sp_py_word_value(&sp_py_words_sp_select_kind, on, "on", &kind) == 0);
    if (ready) {
        int capacity = kind == SP_SELECT_NODES      ? sp_mesh_node_count(mesh)
                       : kind == SP_SELECT_ELEMENTS ? sp_mesh_element_count(mesh)
                                                    : sp_mesh_face_count(mesh);
        int *found = sp_py_call_alloc(&s.call, (size_t)capacity, sizeof *found);
        sp_status status = SP_NO_MEMORY;
        if (found)
            SP_PY_UNLOCKED(handle_of(self),
                           status = sp_mesh_select(mesh, &s.selection, (sp_select_kind)kind, found, capacity, &count));
        if (found && status < 0)
            sp_py_raise_context(status, sp_mesh_context(mesh));
        else if (found)
            result = sp_py_copy(found, SP_PY_INT, count, 0);
    }
    Py_DECREF(all);
    if (selecting_end(&s) < 0) Py_CLEAR(result);
    return result;
}

static PyObject *mesh_refined(PyObject *self, PyObject *args, PyObject *keywords) {
    static const char *const names[] = {"times", NULL};
    const sp_mesh *mesh = mesh_of(self);
    PyObject *all = mesh ? sp_py_arguments("refined", args, keywords, names, 0) : NULL, *result = NULL;
    if (!all) return NULL;
    PyObject *times = take(all, "times"), *edge = take(all, "edge");
    const bool everywhere = PyDict_Size(all) == 0 && !edge;
    int n = 1;
    double length = 0;
    sp_mesh *fine = NULL;
    sp_status status;
    selecting s;
    bool ready = selecting_init(&s, all) == 0 && (!times || sp_py_numbers_into(NULL, times, "times", SP_PY_INT, 1, &n) == 0) &&
                 (!edge || sp_py_numbers_into(NULL, edge, "edge", SP_PY_DOUBLE, 1, &length) == 0);
    if (ready) {
        SP_PY_UNLOCKED(handle_of(self), status = everywhere ? sp_mesh_refined(mesh, n, &fine)
                                                            : sp_mesh_refined_where(mesh, &s.selection, length, n, &fine));
        result = made_of(self, status, fine);
    }
    Py_DECREF(all);
    if (selecting_end(&s) < 0) Py_CLEAR(result);
    return result;
}

static PyObject *mesh_order2(PyObject *self, PyObject *args, PyObject *keywords) {
    static char *names[] = {"curve", NULL};
    PyObject *curve = Py_None;
    const sp_mesh *mesh = mesh_of(self);
    space_function f = {0};
    sp_mesh *fine = NULL;
    sp_status status;
    if (!mesh || !PyArg_ParseTupleAndKeywords(args, keywords, "|O:order2", names, &curve)) return NULL;
    const bool curved = curve != Py_None;
    if (curved && space_function_init(&f, curve, "curve") < 0) return NULL;
    SP_PY_UNLOCKED(handle_of(self), status = sp_mesh_order2(mesh, curved ? space_curve : NULL, &f, &fine));
    if (space_function_end(&f) < 0) {
        sp_mesh_destroy(&fine);
        return NULL;
    }
    return made_of(self, status, fine);
}

static PyObject *mesh_transformed(PyObject *self, PyObject *args, PyObject *keywords) {
    static char *names[] = {"scale", "pose", NULL};
    PyObject *scale = NULL, *pose = NULL, *result = NULL;
    const sp_mesh *mesh = mesh_of(self);
    double factors[3];
    const double *s;
    sp_pose motion;
    const sp_pose *p;
    sp_mesh *moved = NULL;
    sp_py_call call = {0};
    sp_status status;
    if (!mesh || !PyArg_ParseTupleAndKeywords(args, keywords, "|OO:transformed", names, &scale, &pose)) return NULL;
    if (transform_read(&call, scale, pose, factors, &motion, &s, &p) == 0) {
        SP_PY_UNLOCKED(handle_of(self), status = sp_mesh_transformed(mesh, s, p, &moved));
        result = made_of(self, status, moved);
    }
    sp_py_call_end(&call, false);
    return result;
}

static PyObject *mesh_boundary(PyObject *self, PyObject *unused) {
    (void)unused;
    const sp_mesh *mesh = mesh_of(self);
    sp_trimesh *surface = NULL;
    sp_status status;
    if (!mesh) return NULL;
    SP_PY_UNLOCKED(handle_of(self), status = sp_mesh_boundary(mesh, &surface));
    if (status < 0) return sp_py_raise_context(status, sp_mesh_context(mesh));
    return sp_py_surface_new(surface, handle_of(self)->parent);
}

// ---------------------------------------------------------------------------------------------------- arrays

static PyObject *view2(PyObject *self, const void *data, sp_py_number number, Py_ssize_t rows, Py_ssize_t width) {
    return sp_py_view((PyObject *)handle_of(self), data, number, width ? 2 : 1, (Py_ssize_t[]){rows, width}, false);
}

static PyObject *mesh_positions(PyObject *self, void *closure) {
    (void)closure;
    const sp_mesh *mesh = mesh_of(self);
    return mesh ? view2(self, sp_mesh_positions(mesh), SP_PY_DOUBLE, sp_mesh_node_count(mesh), 3) : NULL;
}

// elements [first, end) of one type
static PyObject *block_object(PyObject *self, const sp_mesh *mesh, int first, int end) {
    const int *nodes = NULL, *last = NULL;
    sp_element_type type = sp_mesh_element(mesh, first, &nodes);
    const int width = sp_element_nodes(type);
    sp_mesh_element(mesh, end - 1, &last);
    if (last == nodes + (ptrdiff_t)(end - first - 1) * width) return view2(self, nodes, SP_PY_INT, end - first, width);
    void *memory;
    PyObject *array = sp_py_array(SP_PY_INT, 2, (Py_ssize_t[]){end - first, width}, &memory);
    for (int e = first; array && e < end; e++) {
        sp_mesh_element(mesh, e, &nodes);
        memcpy((int *)memory + (ptrdiff_t)(e - first) * width, nodes, (size_t)width * sizeof *nodes);
    }
    return array;
}

static int block_end(const sp_mesh *mesh, int first) {
    const sp_element_type type = sp_mesh_element(mesh, first, NULL);
    int end = first + 1;
    while (end < sp_mesh_element_count(mesh) && sp_mesh_element(mesh, end, NULL) == type) end++;
    return end;
}

static PyObject *mesh_blocks(PyObject *self, void *closure) {
    (void)closure;
    const sp_mesh *mesh = mesh_of(self);
    PyObject *list = mesh ? PyList_New(0) : NULL;
    for (int first = 0; list && first < sp_mesh_element_count(mesh);) {
        int end = block_end(mesh, first);
        PyObject *word = sp_py_word_name(&sp_py_words_sp_element_type, (int)sp_mesh_element(mesh, first, NULL));
        PyObject *nodes = word ? block_object(self, mesh, first, end) : NULL;
        PyObject *pair = nodes ? Py_BuildValue("(OO)", word, nodes) : NULL;
        if (!pair || PyList_Append(list, pair) < 0) Py_CLEAR(list);
        Py_XDECREF(word);
        Py_XDECREF(nodes);
        Py_XDECREF(pair);
        first = end;
    }
    return list;
}

static PyObject *mesh_elements(PyObject *self, void *closure) {
    const sp_mesh *mesh = mesh_of(self);
    if (!mesh) return NULL;
    if (sp_mesh_tets(mesh)) return view2(self, sp_mesh_tets(mesh), SP_PY_INT, sp_mesh_element_count(mesh), 4);
    if (block_end(mesh, 0) == sp_mesh_element_count(mesh)) return block_object(self, mesh, 0, sp_mesh_element_count(mesh));
    return mesh_blocks(self, closure);
}

static PyObject *mesh_element_types(PyObject *self, void *closure) {
    (void)closure;
    const sp_mesh *mesh = mesh_of(self);
    PyObject *list = mesh ? PyList_New(0) : NULL;
    for (int e = 0; list && e < sp_mesh_element_count(mesh); e++) {
        PyObject *word = sp_py_word_name(&sp_py_words_sp_element_type, (int)sp_mesh_element(mesh, e, NULL));
        sp_py_append(&list, word);
    }
    return list;
}

static PyObject *mesh_faces(PyObject *self, void *closure) {
    (void)closure;
    const sp_mesh *mesh = mesh_of(self);
    return mesh ? view2(self, sp_mesh_faces(mesh), SP_PY_INT, sp_mesh_face_count(mesh), 3) : NULL;
}

static PyObject *mesh_face_elements(PyObject *self, void *closure) {
    (void)closure;
    const sp_mesh *mesh = mesh_of(self);
    void *memory;
    PyObject *array = mesh ? sp_py_array(SP_PY_INT, 1, (Py_ssize_t[]){sp_mesh_face_count(mesh)}, &memory) : NULL;
    for (int i = 0; array && i < sp_mesh_face_count(mesh); i++) ((int *)memory)[i] = sp_mesh_face_element(mesh, i);
    return array;
}

static PyObject *mesh_cells(PyObject *self, void *closure) {
    (void)closure;
    const sp_mesh *mesh = mesh_of(self);
    return mesh ? view2(self, sp_mesh_cells(mesh), SP_PY_INT, sp_mesh_cell_count(mesh), 4) : NULL;
}

static PyObject *mesh_cell_elements(PyObject *self, void *closure) {
    (void)closure;
    const sp_mesh *mesh = mesh_of(self);
    void *memory;
    PyObject *array = mesh ? sp_py_array(SP_PY_INT, 1, (Py_ssize_t[]){sp_mesh_cell_count(mesh)}, &memory) : NULL;
    for (int i = 0; array && i < sp_mesh_cell_count(mesh); i++) ((int *)memory)[i] = sp_mesh_cell_element(mesh, i);
    return array;
}

// the first cell of each element, and the number of cells: one number more than elements
static PyObject *mesh_element_cells(PyObject *self, void *closure) {
    (void)closure;
    const sp_mesh *mesh = mesh_of(self);
    void *memory;
    PyObject *array = mesh ? sp_py_array(SP_PY_INT, 1, (Py_ssize_t[]){sp_mesh_element_count(mesh) + 1}, &memory) : NULL;
    for (int i = 0; array && i <= sp_mesh_element_count(mesh); i++) ((int *)memory)[i] = sp_mesh_element_cell(mesh, i);
    return array;
}

static PyObject *mesh_node_ids(PyObject *self, void *closure) {
    (void)closure;
    const sp_mesh *mesh = mesh_of(self);
    return mesh ? view2(self, sp_mesh_node_ids(mesh), SP_PY_INT64, sp_mesh_node_count(mesh), 0) : NULL;
}

static PyObject *mesh_element_ids(PyObject *self, void *closure) {
    (void)closure;
    const sp_mesh *mesh = mesh_of(self);
    return mesh ? view2(self, sp_mesh_element_ids(mesh), SP_PY_INT64, sp_mesh_element_count(mesh), 0) : NULL;
}

// all groups and arrays, as arrays of structs that end with the call
static const sp_mesh_group *groups_of(sp_py_call *call, const sp_mesh *mesh) {
    sp_mesh_group *groups = sp_py_call_alloc(call, (size_t)sp_mesh_group_count(mesh), sizeof *groups);
    for (int i = 0; groups && i < sp_mesh_group_count(mesh); i++) sp_mesh_group_at(mesh, i, &groups[i]);
    return groups;
}

static const sp_mesh_array *arrays_of(sp_py_call *call, const sp_mesh *mesh) {
    sp_mesh_array *arrays = sp_py_call_alloc(call, (size_t)sp_mesh_array_count(mesh), sizeof *arrays);
    for (int i = 0; arrays && i < sp_mesh_array_count(mesh); i++) sp_mesh_array_at(mesh, i, &arrays[i]);
    return arrays;
}

static PyObject *mesh_groups(PyObject *self, void *closure) {
    (void)closure;
    const sp_mesh *mesh = mesh_of(self);
    sp_py_call call = {0};
    const sp_mesh_group *groups = mesh ? groups_of(&call, mesh) : NULL;
    PyObject *dict = groups ? mesh_groups_dict((PyObject *)handle_of(self), groups, sp_mesh_group_count(mesh)) : NULL;
    sp_py_call_end(&call, false);
    return dict;
}

static PyObject *mesh_arrays(PyObject *self, void *closure) {
    (void)closure;
    const sp_mesh *mesh = mesh_of(self);
    sp_py_call call = {0};
    const sp_mesh_array *arrays = mesh ? arrays_of(&call, mesh) : NULL;
    PyObject *dict = arrays ? mesh_arrays_dict((PyObject *)handle_of(self), arrays, sp_mesh_array_count(mesh),
                                               sp_mesh_node_count(mesh), sp_mesh_element_count(mesh))
                            : NULL;
    sp_py_call_end(&call, false);
    return dict;
}

// the mesh as a definition, which its examination needs
static int def_of(sp_py_call *call, const sp_mesh *mesh, sp_mesh_def *def) {
    const int n = sp_mesh_element_count(mesh);
    *def = sp_mesh_def_default();
    sp_element_type *types = sp_py_call_alloc(call, (size_t)n, sizeof *types);
    int *all = sp_py_call_alloc(call, (size_t)n * SP_ELEMENT_NODES_MAX, sizeof *all), *end = all;
    def->groups = groups_of(call, mesh), def->arrays = arrays_of(call, mesh);
    if (!types || !all || !def->groups || !def->arrays) return -1;
    for (int e = 0; e < n; e++) {
        const int *nodes;
        types[e] = sp_mesh_element(mesh, e, &nodes);
        memcpy(end, nodes, (size_t)sp_element_nodes(types[e]) * sizeof *nodes);
        end += sp_element_nodes(types[e]);
    }
    def->node_count = sp_mesh_node_count(mesh), def->positions = sp_mesh_positions(mesh);
    def->element_count = n, def->element_types = types, def->element_nodes = all;
    def->node_ids = sp_mesh_node_ids(mesh), def->element_ids = sp_mesh_element_ids(mesh);
    def->group_count = sp_mesh_group_count(mesh), def->array_count = sp_mesh_array_count(mesh);
    return 0;
}

static PyObject *mesh_examine(PyObject *self, PyObject *args, PyObject *keywords) {
    const sp_mesh *mesh = mesh_of(self);
    PyObject *all = mesh ? sp_py_arguments("examine", args, keywords, NULL, 0) : NULL, *result = NULL;
    sp_py_call call = {0};
    sp_mesh_def def;
    sp_examine_options options;
    sp_mesh_report *report = NULL;
    sp_status status;
    if (all && def_of(&call, mesh, &def) == 0 && sp_py_struct_set(&call, &sp_py_struct_sp_examine_options, all, &options) == 0) {
        SP_PY_UNLOCKED(handle_of(self), status = sp_mesh_examine(sp_mesh_context(mesh), &def, &options, &report));
        result = status < 0 ? sp_py_raise_context(status, sp_mesh_context(mesh)) : mesh_report_object(report);
    }
    sp_py_call_end(&call, false);
    Py_XDECREF(all);
    return result;
}

// ---------------------------------------------------------------------------------------------------- single values

static PyObject *mesh_node_count(PyObject *self, void *closure) {
    (void)closure;
    const sp_mesh *mesh = mesh_of(self);
    return mesh ? PyLong_FromLong(sp_mesh_node_count(mesh)) : NULL;
}

static PyObject *mesh_element_count(PyObject *self, void *closure) {
    (void)closure;
    const sp_mesh *mesh = mesh_of(self);
    return mesh ? PyLong_FromLong(sp_mesh_element_count(mesh)) : NULL;
}

static PyObject *mesh_volume(PyObject *self, void *closure) {
    (void)closure;
    const sp_mesh *mesh = mesh_of(self);
    return mesh ? PyFloat_FromDouble(sp_mesh_volume(mesh)) : NULL;
}

static PyObject *mesh_bounds(PyObject *self, void *closure) {
    (void)closure;
    const sp_mesh *mesh = mesh_of(self);
    double bounds[6];
    if (!mesh) return NULL;
    sp_mesh_bounds(mesh, bounds, bounds + 3);
    return sp_py_copy(bounds, SP_PY_DOUBLE, 2, 3);
}

static PyObject *mesh_context(PyObject *self, void *closure) {
    (void)closure;
    return mesh_of(self) ? sp_py_context_of(handle_of(self)) : NULL;
}

static int read_element(const sp_mesh *mesh, int element) {
    if (element >= 0 && element < sp_mesh_element_count(mesh)) return 0;
    sp_py_fail(SP_BAD_INPUT, "element %d, must be in [0, %d)", element, sp_mesh_element_count(mesh));
    return -1;
}

static PyObject *mesh_element_point(PyObject *self, PyObject *args, PyObject *keywords) {
    static char *names[] = {"element", "natural", NULL};
    PyObject *natural = Py_None;
    const sp_mesh *mesh = mesh_of(self);
    int element;
    double at[3], x[3];
    if (!mesh || !PyArg_ParseTupleAndKeywords(args, keywords, "i|O:element_point", names, &element, &natural)) return NULL;
    if (read_element(mesh, element) < 0) return NULL;
    if (natural != Py_None && sp_py_numbers_into(NULL, natural, "natural", SP_PY_DOUBLE, 3, at) < 0) return NULL;
    sp_mesh_element_point(mesh, element, natural == Py_None ? NULL : at, x);
    return sp_py_copy(x, SP_PY_DOUBLE, 3, 0);
}

static PyObject *mesh_element_integrals(PyObject *self, PyObject *args) {
    const sp_mesh *mesh = mesh_of(self);
    int element;
    double integrals[SP_ELEMENT_NODES_MAX];
    if (!mesh || !PyArg_ParseTuple(args, "i:element_integrals", &element) || read_element(mesh, element) < 0) return NULL;
    sp_mesh_element_integrals(mesh, element, integrals);
    return sp_py_copy(integrals, SP_PY_DOUBLE, sp_element_nodes(sp_mesh_element(mesh, element, NULL)), 0);
}

static PyObject *located(PyObject *self, PyObject *point,
                         double find(const sp_mesh *mesh, const double point[3], int *element, double natural[3])) {
    const sp_mesh *mesh = mesh_of(self);
    double x[3], natural[3];
    int element = -1;
    if (!mesh || sp_py_numbers_into(NULL, point, "point", SP_PY_DOUBLE, 3, x) < 0) return NULL;
    double inside = find(mesh, x, &element, natural);
    return Py_BuildValue("(diN)", inside, element, sp_py_copy(natural, SP_PY_DOUBLE, 3, 0));
}

static PyObject *mesh_locate(PyObject *self, PyObject *point) {
    return located(self, point, sp_mesh_locate);
}

static PyObject *mesh_locate_cell(PyObject *self, PyObject *point) {
    return located(self, point, sp_mesh_locate_cell);
}

static PyObject *mesh_close(PyObject *self, PyObject *unused) {
    (void)unused;
    Py_CLEAR(((sp_py_object *)self)->handle);
    Py_RETURN_NONE;
}

static PyObject *mesh_repr(PyObject *self) {
    if (!handle_of(self)) return PyUnicode_FromString("<souple.Mesh, closed>");
    const sp_mesh *mesh = mesh_of(self);
    if (!mesh) return NULL;
    return PyUnicode_FromFormat("<souple.Mesh: %d nodes, %d elements, %d groups>", sp_mesh_node_count(mesh),
                                sp_mesh_element_count(mesh), sp_mesh_group_count(mesh));
}

// ---------------------------------------------------------------------------------------------------- functions of the module

static PyObject *module_element_info(PyObject *self, PyObject *word) {
    (void)self;
    int type;
    double natural[3 * SP_ELEMENT_NODES_MAX];
    if (sp_py_word_value(&sp_py_words_sp_element_type, word, "element type", &type) < 0) return NULL;
    const int nodes = sp_element_nodes((sp_element_type)type);
    for (int i = 0; i < nodes; i++) sp_element_natural((sp_element_type)type, i, natural + (ptrdiff_t)3 * i);
    return Py_BuildValue("{sisssN}", "nodes", nodes, "name", sp_element_name((sp_element_type)type), "natural",
                         sp_py_copy(natural, SP_PY_DOUBLE, nodes, 3));
}

static PyObject *module_organs(PyObject *self, PyObject *unused) {
    (void)self, (void)unused;
    PyObject *list = PyList_New(0);
    for (int i = 0; list && sp_mesh_organ_name(i); i++) {
        PyObject *name = PyUnicode_FromString(sp_mesh_organ_name(i));
        sp_py_append(&list, name);
    }
    return list;
}

static PyMethodDef functions[] = {{"element_info", module_element_info, METH_O,
                                   "element_info(type)\n--\n\nNumber of nodes, name and natural coordinates of the nodes of an "
                                   "element type (\"tet4\", \"hex8\", ...)."},
                                  {"list_organs", module_organs, METH_NOARGS, "list_organs()\n--\n\nThe kinds of Mesh.organ."},
                                  {NULL, NULL, 0, NULL}};

// ---------------------------------------------------------------------------------------------------- the class

#define CONTEXT "\n\ncontext: souple.Context; default: souple.default_context()."

static PyMethodDef methods[] = {
    {"box", SP_PY_KEYWORDS(mesh_box), METH_VARARGS | METH_KEYWORDS | METH_STATIC,
     "box(size, cells, per_cell=6, context=None)\n--\n\n" SP_DOC_sp_mesh_box CONTEXT},
    {"cylinder", SP_PY_KEYWORDS(mesh_cylinder), METH_VARARGS | METH_KEYWORDS | METH_STATIC,
     "cylinder(radius, length, cells, axis=(0, 0, 1), context=None)\n--\n\n" SP_DOC_sp_mesh_cylinder CONTEXT},
    {"sphere", SP_PY_KEYWORDS(mesh_sphere), METH_VARARGS | METH_KEYWORDS | METH_STATIC,
     "sphere(radius, cells, context=None)\n--\n\n" SP_DOC_sp_mesh_sphere CONTEXT},
    {"torus", SP_PY_KEYWORDS(mesh_torus), METH_VARARGS | METH_KEYWORDS | METH_STATIC,
     "torus(ring, tube, cells, axis=(0, 0, 1), context=None)\n--\n\n" SP_DOC_sp_mesh_torus CONTEXT},
    {"sheet", SP_PY_KEYWORDS(mesh_sheet), METH_VARARGS | METH_KEYWORDS | METH_STATIC,
     "sheet(size, cells, crossed=False, context=None)\n--\n\n" SP_DOC_sp_mesh_sheet CONTEXT},
    {"disc", SP_PY_KEYWORDS(mesh_disc), METH_VARARGS | METH_KEYWORDS | METH_STATIC,
     "disc(radius, rings, context=None)\n--\n\n" SP_DOC_sp_mesh_disc CONTEXT},
    {"organ", SP_PY_KEYWORDS(mesh_organ), METH_VARARGS | METH_KEYWORDS | METH_STATIC,
     "organ(kind, length, elements, context=None)\n--\n\n" SP_DOC_sp_mesh_organ CONTEXT},
    {"of_surface", mesh_of_surface, METH_O | METH_STATIC, "of_surface(surface)\n--\n\n" SP_DOC_sp_mesh_of_triangles},
    {"fill", SP_PY_KEYWORDS(mesh_fill), METH_VARARGS | METH_KEYWORDS | METH_STATIC,
     "fill(shape, low=None, high=None, slope=0, *, regions=None, body=\"body\", info=False, context=None, **keywords)\n--\n\n"
     "Meshes the inside of `shape`: a souple.Surface, or a function of a point x that is below 0 inside, in the box "
     "low..high.\n\n"
     "Of a surface: " SP_DOC_sp_mesh_fill_surface "\n\nOf a function: " SP_DOC_sp_mesh_fill
     "\n\nregions: {name: function}, parts that become groups. info: the result is (mesh, FillInfo).\n" SP_KEYWORDS_sp_fill_def},
    {"fill_labels", SP_PY_KEYWORDS(mesh_fill_labels), METH_VARARGS | METH_KEYWORDS | METH_STATIC,
     "fill_labels(labels, affine=None, names=None, *, take=None, info=False, context=None, "
     "**keywords)\n--\n\n" SP_DOC_sp_mesh_fill_labels "\n\nlabels: array [k][j][i] of integers; affine: 3 x 4, see "
     "sp_label_volume; names: {label: name}.\n" SP_KEYWORDS_sp_fill_def},
    {"examine_arrays", SP_PY_KEYWORDS(mesh_examine_arrays), METH_VARARGS | METH_KEYWORDS | METH_STATIC,
     "examine_arrays(positions, elements, element_type=None, **keywords)\n--\n\n" SP_DOC_sp_mesh_examine
     "\n\nThe arguments are those of Mesh, and:\n" SP_KEYWORDS_sp_examine_options},
    {"repair", SP_PY_KEYWORDS(mesh_repair), METH_VARARGS | METH_KEYWORDS | METH_STATIC,
     "repair(positions, elements, element_type=None, **keywords)\n--\n\n(mesh, MeshRepairs). " SP_DOC_sp_mesh_repaired},
    {"examine", SP_PY_KEYWORDS(mesh_examine), METH_VARARGS | METH_KEYWORDS,
     "examine($self, **keywords)\n--\n\nDefects and statistics: souple.MeshReport.\n" SP_KEYWORDS_sp_examine_options},
    {"select", SP_PY_KEYWORDS(mesh_select), METH_VARARGS | METH_KEYWORDS,
     "select($self, on=\"nodes\", *, where=None, **keywords)\n--\n\n" SP_DOC_sp_mesh_select
     "\n\non: \"nodes\", \"elements\" or \"faces\"; where: a function of a point x that says True or "
     "False.\n" SP_KEYWORDS_sp_selection},
    {"refined", SP_PY_KEYWORDS(mesh_refined), METH_VARARGS | METH_KEYWORDS,
     "refined($self, times=1, *, edge=0, where=None, **keywords)\n--\n\n" SP_DOC_sp_mesh_refined
     "\n\nWith a selection or `edge`: " SP_DOC_sp_mesh_refined_where "\n" SP_KEYWORDS_sp_selection},
    {"order2", SP_PY_KEYWORDS(mesh_order2), METH_VARARGS | METH_KEYWORDS,
     "order2($self, curve=None)\n--\n\n" SP_DOC_sp_mesh_order2},
    {"transformed", SP_PY_KEYWORDS(mesh_transformed), METH_VARARGS | METH_KEYWORDS,
     "transformed($self, scale=None, pose=None)\n--\n\n" SP_DOC_sp_mesh_transformed},
    {"boundary", mesh_boundary, METH_NOARGS, "boundary($self)\n--\n\n" SP_DOC_sp_mesh_boundary},
    {"element_point", SP_PY_KEYWORDS(mesh_element_point), METH_VARARGS | METH_KEYWORDS,
     "element_point($self, element, natural=None)\n--\n\n" SP_DOC_sp_mesh_element_point},
    {"element_integrals", mesh_element_integrals, METH_VARARGS,
     "element_integrals($self, element)\n--\n\n" SP_DOC_sp_mesh_element_integrals},
    {"locate", mesh_locate, METH_O, "locate($self, point)\n--\n\n(inside, element, natural). " SP_DOC_sp_mesh_locate},
    {"locate_cell", mesh_locate_cell, METH_O,
     "locate_cell($self, point)\n--\n\n(inside, cell, natural). " SP_DOC_sp_mesh_locate_cell},
    {"close", mesh_close, METH_NOARGS,
     "close($self)\n--\n\nReleases the mesh. Its memory is freed when the last array that shows it is gone."},
    {NULL, NULL, 0, NULL}};

static PyGetSetDef properties[] = {
    {"positions", mesh_positions, NULL, "Positions of the nodes [m], (nodes, 3), a read-only view.", NULL},
    {"elements", mesh_elements, NULL,
     "Nodes of the elements, (elements, nodes per element), a read-only view; of a mesh with several types `blocks`.", NULL},
    {"blocks", mesh_blocks, NULL, "Elements as a list of (type, nodes), in their order: as meshio has them.", NULL},
    {"element_types", mesh_element_types, NULL, "The type of each element.", NULL},
    {"faces", mesh_faces, NULL, SP_DOC_sp_mesh_face_count, NULL},
    {"face_elements", mesh_face_elements, NULL, SP_DOC_sp_mesh_face_element, NULL},
    {"cells", mesh_cells, NULL, SP_DOC_sp_mesh_cell_count, NULL},
    {"cell_elements", mesh_cell_elements, NULL, SP_DOC_sp_mesh_cell_element, NULL},
    {"element_cells", mesh_element_cells, NULL, SP_DOC_sp_mesh_element_cell, NULL},
    {"node_ids", mesh_node_ids, NULL, SP_DOC_sp_mesh_node_ids, NULL},
    {"element_ids", mesh_element_ids, NULL, SP_DOC_sp_mesh_element_ids, NULL},
    {"groups", mesh_groups, NULL, "{name: {\"elements\": ..., \"nodes\": ...}}, read-only views.", NULL},
    {"arrays", mesh_arrays, NULL, "{name: values}, read-only views.", NULL},
    {"node_count", mesh_node_count, NULL, SP_DOC_sp_mesh_node_count, NULL},
    {"element_count", mesh_element_count, NULL, SP_DOC_sp_mesh_element_count, NULL},
    {"volume", mesh_volume, NULL, "Volume " SP_DOC_sp_mesh_volume, NULL},
    {"bounds", mesh_bounds, NULL, "Smallest and largest coordinates [m], (2, 3).", NULL},
    {"context", mesh_context, NULL, SP_DOC_sp_mesh_context, NULL},
    {NULL, NULL, NULL, NULL, NULL}};

int sp_py_init_mesh(PyObject *module) {
    static PyType_Slot slots[] = {
        SP_PY_OBJECT_SLOTS,
        {Py_tp_new, mesh_new},
        {Py_tp_repr, mesh_repr},
        {Py_tp_methods, methods},
        {Py_tp_getset, properties},
        {Py_tp_doc, "Mesh(positions, elements, element_type=None, *, groups=None, arrays=None, node_ids=None, element_ids=None, "
                    "fix_orientation=True, context=None)\n--\n\n" SP_DOC_sp_mesh "\n\n" SP_DOC_sp_mesh_create
                    "\n\npositions: (nodes, 3) [m]. elements: (elements, nodes per element), or a list of (type, array).\n"
                    "element_type: \"tet4\", \"tet10\", \"hex8\", \"tri3\"; default: by the number of nodes.\n"
                    "groups: {name: elements} or {name: {\"elements\": ..., \"nodes\": ...}}.\n"
                    "arrays: {name: values}, one per node or per element."},
        {0, NULL}};
    static PyType_Spec spec = {"souple.Mesh", sizeof(sp_py_object), 0, Py_TPFLAGS_DEFAULT | Py_TPFLAGS_HAVE_GC, slots};
    sp_py_mesh_type = (PyTypeObject *)sp_py_add_type(module, &spec);
    return sp_py_mesh_type ? PyModule_AddFunctions(module, functions) : -1;
}
