// souple.Body: what a world knows of one of its bodies.
#include <stdio.h>
#include <string.h>

#include "convert.h"
#include "docs.h"
#include "tables.h"

PyTypeObject *sp_py_body_type;

typedef struct body_object {
    PyObject_HEAD PyObject *world;
    sp_body_id id;
} body_object;

// ---------------------------------------------------------------------------------------------------- the object

PyObject *sp_py_body_new(PyObject *world, sp_body_id id) {
    if (!id.slot) Py_RETURN_NONE;
    body_object *body = PyObject_GC_New(body_object, sp_py_body_type);
    if (!body) return NULL;
    Py_INCREF(world);
    body->world = world, body->id = id;
    PyObject_GC_Track((PyObject *)body);
    return (PyObject *)body;
}

static sp_world *world_of(PyObject *self) {
    return sp_py_world(((body_object *)self)->world);
}

static sp_py_handle *handle_of(PyObject *self) {
    return ((sp_py_object *)((body_object *)self)->world)->handle;
}

static sp_body_id id_of(PyObject *self) {
    return ((body_object *)self)->id;
}

// 0, or -1 with an exception
static int check(PyObject *self, sp_status status) {
    return sp_py_world_check(((sp_py_part *)self)->world, status);
}

static PyObject *none_or_raise(PyObject *self, sp_status status) {
    return sp_py_world_done(((sp_py_part *)self)->world, status);
}

static sp_py_call call_of(PyObject *self) {
    return (sp_py_call){.world = ((body_object *)self)->world, .keeper = handle_of(self)};
}

int sp_py_unknown_name(PyObject *world, PyObject *type, PyObject *name) {
    enum { MOST = 64 };
    const char *known[MOST];
    char names[MOST][64];
    int count = 0;
    sp_world *w = sp_py_world(world);
    PyObject *bytes = w ? PyUnicode_AsUTF8String(name) : NULL;
    if (!bytes) return -1;
    for (int i = 0; count < MOST && i < sp_world_body_count(w); i++) {
        sp_body_info info;
        if (sp_world_body_info(w, sp_world_body_id(w, i), &info) < 0) continue;
        snprintf(names[count], sizeof names[count], "%s", info.name);
        known[count] = names[count], count++;
    }
    for (int i = 0; count < MOST && i < sp_world_link_count(w); i++) {
        sp_link_info info;
        if (sp_world_link_at(w, i, &info) < 0) continue;
        snprintf(names[count], sizeof names[count], "%s", info.name);
        known[count] = names[count], count++;
    }
    sp_py_unknown(type, "body", PyBytes_AsString(bytes), known, count);
    Py_DECREF(bytes);
    return -1;
}

int sp_py_body_id(sp_py_call *call, PyObject *value, const char *what, sp_body_id *out) {
    *out = (sp_body_id){0, 0};
    if (value == Py_None) return 0;
    if (Py_TYPE(value) == sp_py_body_type) {
        const body_object *body = (const body_object *)value;
        if (call && call->world && !sp_py_same_world(body->world, call->world))
            return sp_py_fail(SP_BAD_INPUT, "%s: a body of another world", what), -1;
        *out = body->id;
        return 0;
    }
    PyObject *bytes = call && call->world && PyUnicode_Check(value) ? PyUnicode_AsUTF8String(value) : NULL;
    if (!bytes) {
        PyErr_Clear();
        return sp_py_fail(SP_BAD_INPUT, "%s: must be a body or the name of one", what), -1;
    }
    // a step may add and remove bodies: names are not looked up meanwhile
    const sp_world *world = sp_py_world(call->world);
    int done = -1;
    if (world) {
        *out = sp_world_body_named(world, PyBytes_AsString(bytes));
        done = out->slot ? 0 : sp_py_unknown_name(call->world, sp_py_bad_input, value);
    }
    Py_DECREF(bytes);
    return done;
}

static PyObject *body_compare(PyObject *self, PyObject *other, int op) {
    if (Py_TYPE(other) != sp_py_body_type || (op != Py_EQ && op != Py_NE)) Py_RETURN_NOTIMPLEMENTED;
    const body_object *a = (const body_object *)self, *b = (const body_object *)other;
    bool same = sp_py_same_world(a->world, b->world) && a->id.slot == b->id.slot && a->id.generation == b->id.generation;
    return PyBool_FromLong(same == (op == Py_EQ));
}

static Py_hash_t body_hash(PyObject *self) {
    return (Py_hash_t)(((uintptr_t)id_of(self).slot << 8 ^ id_of(self).generation) & 0x7fffffff);
}

// ---------------------------------------------------------------------------------------------------- descriptions

static PyObject *body_info(PyObject *self, void *closure) {
    (void)closure;
    sp_world *world = world_of(self);
    sp_body_info info;
    if (!world || check(self, sp_world_body_info(world, id_of(self), &info)) < 0) return NULL;
    return sp_py_record(&sp_py_struct_sp_body_info, &info, ((body_object *)self)->world);
}

static PyObject *body_name(PyObject *self, void *closure) {
    (void)closure;
    sp_world *world = world_of(self);
    sp_body_info info;
    return world && check(self, sp_world_body_info(world, id_of(self), &info)) == 0 ? PyUnicode_FromString(info.name) : NULL;
}

static PyObject *body_kind(PyObject *self, void *closure) {
    (void)closure;
    sp_world *world = world_of(self);
    sp_body_info info;
    return world && check(self, sp_world_body_info(world, id_of(self), &info)) == 0 ? PyUnicode_FromString(info.kind) : NULL;
}

static PyObject *body_id(PyObject *self, void *closure) {
    (void)closure;
    return Py_BuildValue("(II)", id_of(self).slot, id_of(self).generation);
}

static PyObject *body_measures(PyObject *self, void *closure) {
    (void)closure;
    sp_world *world = world_of(self);
    sp_body_measures measures;
    sp_status status;
    if (!world) return NULL;
    SP_PY_LONG(handle_of(self), status = sp_world_body_measure(world, id_of(self), &measures));
    return check(self, status) < 0 ? NULL : sp_py_record(&sp_py_struct_sp_body_measures, &measures, NULL);
}

static PyObject *body_contact_sum(PyObject *self, void *closure) {
    (void)closure;
    sp_world *world = world_of(self);
    sp_contact_sum sum;
    if (!world || check(self, sp_world_contact_sum(world, id_of(self), &sum)) < 0) return NULL;
    return sp_py_record(&sp_py_struct_sp_contact_sum, &sum, NULL);
}

static PyObject *body_masses(PyObject *self, void *closure) {
    (void)closure;
    sp_world *world = world_of(self);
    int count = world ? sp_world_mass_count(world, id_of(self)) : 0;
    if (!world || (count < 0 && check(self, (sp_status)count) < 0)) return NULL;
    PyObject *list = PyList_New(0);
    for (int i = 0; list && i < count; i++) {
        sp_mass_info info;
        PyObject *record = NULL;
        if (check(self, sp_world_mass_at(world, id_of(self), i, &info)) == 0)
            record = sp_py_record(&sp_py_struct_sp_mass_info, &info, ((body_object *)self)->world);
        sp_py_append(&list, record);
    }
    return list;
}

static PyObject *body_elements(PyObject *self, void *closure) {
    (void)closure;
    sp_world *world = world_of(self);
    sp_element_view view;
    void *nodes = NULL;
    if (!world || check(self, sp_world_elements(world, id_of(self), NULL, &view)) < 0) return NULL;
    PyObject *array = sp_py_array(SP_PY_INT, 2, (Py_ssize_t[]){view.count, view.nodes_per_element}, &nodes);
    if (array && check(self, sp_world_elements(world, id_of(self), nodes, &view)) < 0) Py_CLEAR(array);
    return array;
}

// ---------------------------------------------------------------------------------------------------- fields

static PyObject *body_fields(PyObject *self, void *closure) {
    (void)closure;
    sp_world *world = world_of(self);
    int count = world ? sp_world_field_count(world, id_of(self)) : 0;
    if (!world || (count < 0 && check(self, (sp_status)count) < 0)) return NULL;
    PyObject *dict = PyDict_New();
    for (int i = 0; dict && i < count; i++) {
        sp_field_info info;
        PyObject *record = NULL;
        if (check(self, sp_world_field_at(world, id_of(self), i, &info)) == 0)
            record = sp_py_record(&sp_py_struct_sp_field_info, &info, NULL);
        if (!record || PyDict_SetItemString(dict, info.name, record) < 0) Py_CLEAR(dict);
        Py_XDECREF(record);
    }
    return dict;
}

// (items), or (items, components); what the body has once is (components)
static PyObject *field_array(const sp_field_info *info, void **data) {
    const bool once = info->on == SP_ON_BODY && info->count == 1 && info->components > 1;
    if (once) return sp_py_array(SP_PY_DOUBLE, 1, (Py_ssize_t[]){info->components}, data);
    return sp_py_array(SP_PY_DOUBLE, info->components > 1 ? 2 : 1, (Py_ssize_t[]){info->count, info->components}, data);
}

static PyObject *body_field(PyObject *self, PyObject *args, PyObject *keywords) {
    static char *names[] = {"name", "out", NULL};
    sp_world *world = world_of(self);
    const char *name;
    PyObject *out = Py_None, *array;
    sp_field_info info;
    void *data = NULL;
    sp_status status;
    if (!world || !PyArg_ParseTupleAndKeywords(args, keywords, "s|O:field", names, &name, &out) ||
        check(self, sp_world_field_info(world, id_of(self), name, &info)) < 0)
        return NULL;
    if (out == Py_None)
        array = field_array(&info, &data);
    else {
        data = sp_py_writable(out, "out", SP_PY_DOUBLE, (Py_ssize_t)info.count * info.components);
        array = data ? (Py_INCREF(out), out) : NULL;
    }
    if (!array) return NULL;
    SP_PY_LONG(handle_of(self), status = sp_world_field(world, id_of(self), name, data));
    if (check(self, status) < 0) Py_CLEAR(array);
    return array;
}

static PyObject *body_publish_field(PyObject *self, PyObject *args, PyObject *keywords) {
    static char *names[] = {"name", "published", NULL};
    sp_world *world = world_of(self);
    const char *name;
    int published = 1;
    if (!world || !PyArg_ParseTupleAndKeywords(args, keywords, "s|p:publish_field", names, &name, &published)) return NULL;
    return none_or_raise(self, sp_world_publish_field(world, id_of(self), name, published));
}

// vertices or faces of a surface; -1: of all
static int surface_sizes(PyObject *self, sp_world *world, int surface, int *vertices, int *faces) {
    *vertices = *faces = 0;
    const int count = sp_world_surface_count(world, id_of(self));
    if (count < 0) return check(self, (sp_status)count);
    for (int i = surface < 0 ? 0 : surface; i < (surface < 0 ? count : surface + 1); i++) {
        sp_surface_info info;
        if (check(self, sp_world_surface_info(world, id_of(self), i, &info)) < 0) return -1;
        *vertices += info.vertex_count, *faces += info.face_count;
    }
    return 0;
}

static PyObject *body_surface_field(PyObject *self, PyObject *args, PyObject *keywords) {
    static char *names[] = {"name", "surface", "corners", NULL};
    sp_world *world = world_of(self);
    const char *name;
    int surface = 0, corners = 0, vertices, faces;
    void *data;
    sp_status status;
    if (!world || !PyArg_ParseTupleAndKeywords(args, keywords, "s|ip:surface_field", names, &name, &surface, &corners) ||
        surface_sizes(self, world, surface, &vertices, &faces) < 0)
        return NULL;
    PyObject *array = sp_py_array(SP_PY_DOUBLE, corners ? 2 : 1, (Py_ssize_t[]){corners ? faces : vertices, 3}, &data);
    if (!array) return NULL;
    SP_PY_LONG(handle_of(self), status = corners ? sp_world_surface_corner_field(world, id_of(self), surface, name, data)
                                                 : sp_world_surface_field(world, id_of(self), surface, name, data));
    if (check(self, status) < 0) Py_CLEAR(array);
    return array;
}

// ---------------------------------------------------------------------------------------------------- surfaces

static PyObject *body_surface_count(PyObject *self, void *closure) {
    (void)closure;
    sp_world *world = world_of(self);
    int count = world ? sp_world_surface_count(world, id_of(self)) : 0;
    if (!world || (count < 0 && check(self, (sp_status)count) < 0)) return NULL;
    if (count == 0) return sp_py_fail(SP_BAD_ID, "the body no longer exists");
    return PyLong_FromLong(count);
}

static PyObject *body_surface_info(PyObject *self, PyObject *args) {
    sp_world *world = world_of(self);
    int index = 0;
    sp_surface_info info;
    if (!world || !PyArg_ParseTuple(args, "|i:surface_info", &index) ||
        check(self, sp_world_surface_info(world, id_of(self), index, &info)) < 0)
        return NULL;
    return sp_py_record(&sp_py_struct_sp_surface_info, &info, ((body_object *)self)->world);
}

// the material point of a vertex
static PyObject *body_surface_anchor(PyObject *self, PyObject *args) {
    sp_world *world = world_of(self);
    int index, vertex;
    sp_surface_info info;
    if (!world || !PyArg_ParseTuple(args, "ii:surface_anchor", &index, &vertex) ||
        check(self, sp_world_surface_info(world, id_of(self), index, &info)) < 0)
        return NULL;
    if (vertex < 0 || vertex >= info.vertex_count)
        return sp_py_fail(SP_BAD_INPUT, "vertex %d, must be in [0, %d)", vertex, info.vertex_count);
    return sp_py_anchor_new(((body_object *)self)->world, &info.anchors[vertex]);
}

static PyObject *body_surface(PyObject *self, PyObject *args) {
    sp_world *world = world_of(self);
    int index = 0, vertices, faces;
    void *x, *v, *n;
    sp_status status;
    if (!world || !PyArg_ParseTuple(args, "|i:surface", &index)) return NULL;
    if (index < 0) return sp_py_fail(SP_BAD_INPUT, "surface %d, must be >= 0", index);
    if (surface_sizes(self, world, index, &vertices, &faces) < 0) return NULL;
    const Py_ssize_t shape[2] = {vertices, 3};
    PyObject *positions = sp_py_array(SP_PY_DOUBLE, 2, shape, &x), *velocities = sp_py_array(SP_PY_DOUBLE, 2, shape, &v);
    PyObject *normals = sp_py_array(SP_PY_DOUBLE, 2, shape, &n), *result = NULL;
    if (positions && velocities && normals) {
        SP_PY_LONG(handle_of(self), status = sp_world_surface_get(world, id_of(self), index, x, v, n));
        if (check(self, status) == 0)
            result = Py_BuildValue("{sOsOsO}", "positions", positions, "velocities", velocities, "normals", normals);
    }
    Py_XDECREF(positions);
    Py_XDECREF(velocities);
    Py_XDECREF(normals);
    return result;
}

static PyObject *body_surface_forces(PyObject *self, PyObject *args) {
    sp_world *world = world_of(self);
    PyObject *forces, *result = NULL;
    int index, vertices, faces;
    sp_body_info info;
    if (!world || !PyArg_ParseTuple(args, "iO:surface_forces", &index, &forces)) return NULL;
    if (index < 0) return sp_py_fail(SP_BAD_INPUT, "surface %d, must be >= 0", index);
    if (surface_sizes(self, world, index, &vertices, &faces) < 0 ||
        check(self, sp_world_body_info(world, id_of(self), &info)) < 0)
        return NULL;
    sp_py_call call = call_of(self);
    double *f = sp_py_call_alloc(&call, (size_t)vertices * 3, sizeof *f);
    void *g;
    if (f && sp_py_numbers_into(&call, forces, "forces", SP_PY_DOUBLE, (Py_ssize_t)vertices * 3, f) == 0) {
        const bool whole = strcmp(info.kind, "rigid") == 0;
        result = sp_py_array(SP_PY_DOUBLE, whole ? 1 : 2, (Py_ssize_t[]){whole ? 6 : info.nodes, 3}, &g);
        if (result && check(self, sp_world_surface_apply_transpose(world, id_of(self), index, f, g)) < 0) Py_CLEAR(result);
    }
    sp_py_call_end(&call, false);
    return result;
}

static PyObject *body_add_surface(PyObject *self, PyObject *args, PyObject *keywords) {
    static const char *const names[] = {"mesh", "name", NULL};
    sp_world *world = world_of(self);
    PyObject *all = world ? sp_py_arguments("add_surface", args, keywords, names, 0) : NULL, *result = NULL;
    sp_py_call call = call_of(self);
    sp_surface_def def;
    int index = 0;
    if (all && sp_py_struct_set(&call, &sp_py_struct_sp_surface_def, all, &def) == 0) {
        sp_status status;
        SP_PY_LONG(handle_of(self), status = sp_world_add_surface(world, id_of(self), &def, &index));
        if (check(self, status) == 0) result = PyLong_FromLong(index);
    }
    sp_py_call_end(&call, false);
    Py_XDECREF(all);
    return result;
}

static PyObject *body_set_surface_contact(PyObject *self, PyObject *args, PyObject *keywords) {
    static const char *const names[] = {"surface", NULL};
    sp_world *world = world_of(self);
    PyObject *all = world ? sp_py_arguments("set_surface_contact", args, keywords, names, 0) : NULL, *result = NULL;
    PyObject *surface = all ? PyDict_GetItemString(all, "surface") : NULL;
    sp_py_call call = call_of(self);
    sp_surface_contact_def def;
    int index = 0, done = all ? 0 : -1;
    if (surface) {
        done = sp_py_numbers_into(&call, surface, "surface", SP_PY_INT, 1, &index);
        PyDict_DelItemString(all, "surface");
    }
    if (done == 0 && sp_py_struct_set(&call, &sp_py_struct_sp_surface_contact_def, all, &def) == 0) {
        sp_status status;
        SP_PY_LONG(handle_of(self), status = sp_world_set_surface_contact(world, id_of(self), index, &def));
        result = none_or_raise(self, status);
    }
    sp_py_call_end(&call, false);
    Py_XDECREF(all);
    return result;
}

static PyObject *body_distance_field(PyObject *self, PyObject *args) {
    sp_world *world = world_of(self);
    int surface = 0;
    sp_distance_field_info info;
    if (!world || !PyArg_ParseTuple(args, "|i:distance_field", &surface) ||
        check(self, sp_world_distance_field_info(world, id_of(self), surface, &info)) < 0)
        return NULL;
    return sp_py_record(&sp_py_struct_sp_distance_field_info, &info, NULL);
}

// ---------------------------------------------------------------------------------------------------- material points

static PyObject *body_anchor(PyObject *self, PyObject *args, PyObject *keywords) {
    static char *names[] = {"node", "point", "face", "weights", "surface", NULL};
    sp_world *world = world_of(self);
    PyObject *node = Py_None, *point = Py_None, *face = Py_None, *weights = Py_None;
    int surface = 0, number = 0;
    double x[3], w[3] = {1. / 3, 1. / 3, 1. / 3};
    sp_anchor anchor;
    sp_status status;
    if (!world || !PyArg_ParseTupleAndKeywords(args, keywords, "|OOOOi:anchor", names, &node, &point, &face, &weights, &surface))
        return NULL;
    if ((node != Py_None) + (point != Py_None) + (face != Py_None) != 1)
        return sp_py_fail(SP_BAD_INPUT, "anchor: one of node, point and face must be given");
    if (point != Py_None) {
        if (sp_py_numbers_into(NULL, point, "point", SP_PY_DOUBLE, 3, x) < 0) return NULL;
        status = sp_world_anchor_point(world, id_of(self), x, &anchor);
    } else {
        if (sp_py_numbers_into(NULL, node != Py_None ? node : face, node != Py_None ? "node" : "face", SP_PY_INT, 1, &number) < 0)
            return NULL;
        if (weights != Py_None && sp_py_numbers_into(NULL, weights, "weights", SP_PY_DOUBLE, 3, w) < 0) return NULL;
        status = node != Py_None ? sp_world_anchor_node(world, id_of(self), number, &anchor)
                                 : sp_world_anchor_face(world, id_of(self), surface, number, w, &anchor);
    }
    return check(self, status) < 0 ? NULL : sp_py_anchor_new(((body_object *)self)->world, &anchor);
}

// ---------------------------------------------------------------------------------------------------- changes

// the numbers of the state that the body has, by the name of their field
static Py_ssize_t state_size(PyObject *self, sp_world *world, const char *field) {
    sp_field_info info;
    if (!field || sp_world_field_info(world, id_of(self), field, &info) < 0) return 6;
    return (Py_ssize_t)info.count * info.components;
}

static PyObject *body_set_state(PyObject *self, PyObject *args, PyObject *keywords) {
    static char *names[] = {"position", "velocity", NULL};
    sp_world *world = world_of(self);
    PyObject *given[2] = {Py_None, Py_None}, *result = NULL;
    double *numbers[2] = {NULL, NULL};
    sp_body_info info;
    if (!world || !PyArg_ParseTupleAndKeywords(args, keywords, "|OO:set_state", names, &given[0], &given[1]) ||
        check(self, sp_world_body_info(world, id_of(self), &info)) < 0)
        return NULL;
    sp_py_call call = call_of(self);
    int done = 0;
    for (int i = 0; done == 0 && i < 2; i++) {
        if (given[i] == Py_None) continue;
        Py_ssize_t count = state_size(self, world, info.state[i]);
        numbers[i] = sp_py_call_alloc(&call, (size_t)count, sizeof *numbers[i]);
        done = numbers[i] ? sp_py_numbers_into(&call, given[i], names[i], SP_PY_DOUBLE, count, numbers[i]) : -1;
    }
    if (done == 0) result = none_or_raise(self, sp_world_set_state(world, id_of(self), numbers[0], numbers[1]));
    sp_py_call_end(&call, false);
    return result;
}

static PyObject *body_set_removed(PyObject *self, PyObject *mask) {
    sp_world *world = world_of(self);
    sp_body_info info;
    if (!world || check(self, sp_world_body_info(world, id_of(self), &info)) < 0) return NULL;
    if (mask == Py_None) return none_or_raise(self, sp_world_set_removed(world, id_of(self), NULL));
    sp_py_call call = call_of(self);
    PyObject *result = NULL;
    unsigned char *removed = sp_py_call_alloc(&call, (size_t)info.cells, 1);
    if (removed && sp_py_numbers_into(&call, mask, "removed", SP_PY_BYTE, info.cells, removed) == 0) {
        sp_status status;
        SP_PY_LONG(handle_of(self), status = sp_world_set_removed(world, id_of(self), removed));
        result = none_or_raise(self, status);
    }
    sp_py_call_end(&call, false);
    return result;
}

static PyObject *body_append(PyObject *self, PyObject *args, PyObject *keywords) {
    sp_world *world = world_of(self);
    PyObject *all = world ? sp_py_arguments("append", args, keywords, NULL, 0) : NULL, *result = NULL;
    sp_py_call call = call_of(self);
    sp_addition addition;
    if (all && sp_py_struct_set(&call, &sp_py_struct_sp_addition, all, &addition) == 0) {
        sp_status status;
        SP_PY_LONG(handle_of(self), status = sp_world_append(world, id_of(self), &addition));
        result = none_or_raise(self, status);
    }
    sp_py_call_end(&call, false);
    Py_XDECREF(all);
    return result;
}

static PyObject *body_remove(PyObject *self, PyObject *unused) {
    (void)unused;
    sp_world *world = world_of(self);
    return world ? none_or_raise(self, sp_world_remove(world, id_of(self))) : NULL;
}

static PyObject *body_invert(PyObject *self, PyObject *unused) {
    (void)unused;
    sp_world *world = world_of(self);
    sp_body_info info;
    void *natural;
    sp_status status;
    if (!world || check(self, sp_world_body_info(world, id_of(self), &info)) < 0) return NULL;
    // of a helix one row per element, which is fewer: the rest stays zero
    PyObject *array =
        sp_py_array(SP_PY_DOUBLE, 2, (Py_ssize_t[]){info.nodes > info.elements ? info.nodes : info.elements, 3}, &natural);
    if (!array) return NULL;
    SP_PY_LONG(handle_of(self), status = sp_world_rod_invert(world, id_of(self), natural));
    if (check(self, status) < 0) Py_CLEAR(array);
    return array;
}

static PyObject *body_repr(PyObject *self) {
    PyObject *name = body_name(self, NULL), *kind = name ? body_kind(self, NULL) : NULL;
    PyObject *text = kind ? PyUnicode_FromFormat("<souple.Body '%U', %U>", name, kind) : NULL;
    Py_XDECREF(name);
    Py_XDECREF(kind);
    if (!text) {
        PyErr_Clear();
        text = PyUnicode_FromString("<souple.Body, removed or of a closed world>");
    }
    return text;
}

// ---------------------------------------------------------------------------------------------------- the class

static PyMethodDef methods[] = {
    {"field", SP_PY_KEYWORDS(body_field), METH_VARARGS | METH_KEYWORDS,
     "field($self, name, out=None)\n--\n\n" SP_DOC_sp_world_field
     "\n\nThe result is a new array of float64, (items) or (items, components); out: an array to write into instead."},
    {"publish_field", SP_PY_KEYWORDS(body_publish_field), METH_VARARGS | METH_KEYWORDS,
     "publish_field($self, name, published=True)\n--\n\n" SP_DOC_sp_world_publish_field},
    {"surface_field", SP_PY_KEYWORDS(body_surface_field), METH_VARARGS | METH_KEYWORDS,
     "surface_field($self, name, surface=0, corners=False)\n--\n\n" SP_DOC_sp_world_surface_field
     "\n\ncorners: " SP_DOC_sp_world_surface_corner_field},
    {"surface_info", body_surface_info, METH_VARARGS, "surface_info($self, surface=0)\n--\n\n" SP_DOC_sp_world_surface_info},
    {"surface_anchor", body_surface_anchor, METH_VARARGS,
     "surface_anchor($self, surface, vertex)\n--\n\nThe material point of a vertex of a surface."},
    {"surface", body_surface, METH_VARARGS,
     "surface($self, surface=0)\n--\n\nA dict of positions, velocities and normals. " SP_DOC_sp_world_surface_get},
    {"surface_forces", body_surface_forces, METH_VARARGS,
     "surface_forces($self, surface, forces)\n--\n\n" SP_DOC_sp_world_surface_apply_transpose},
    {"add_surface", SP_PY_KEYWORDS(body_add_surface), METH_VARARGS | METH_KEYWORDS,
     "add_surface($self, mesh=None, name=None, **keywords)\n--\n\nReturns the number of the surface. " SP_DOC_sp_world_add_surface
     "\n" SP_KEYWORDS_sp_surface_def},
    {"set_surface_contact", SP_PY_KEYWORDS(body_set_surface_contact), METH_VARARGS | METH_KEYWORDS,
     "set_surface_contact($self, surface=0, **keywords)\n--\n\n" SP_DOC_sp_world_set_surface_contact
     "\n" SP_KEYWORDS_sp_surface_contact_def},
    {"distance_field", body_distance_field, METH_VARARGS,
     "distance_field($self, surface=0)\n--\n\n" SP_DOC_sp_world_distance_field_info},
    {"anchor", SP_PY_KEYWORDS(body_anchor), METH_VARARGS | METH_KEYWORDS,
     "anchor($self, node=None, point=None, face=None, weights=None, surface=0)\n--\n\n"
     "A material point of the body.\n\nnode: " SP_DOC_sp_world_anchor_node "\npoint: " SP_DOC_sp_world_anchor_point
     "\nface: " SP_DOC_sp_world_anchor_face},
    {"set_state", SP_PY_KEYWORDS(body_set_state), METH_VARARGS | METH_KEYWORDS,
     "set_state($self, position=None, velocity=None)\n--\n\n" SP_DOC_sp_world_set_state},
    {"set_removed", body_set_removed, METH_O, "set_removed($self, removed)\n--\n\n" SP_DOC_sp_world_set_removed},
    {"append", SP_PY_KEYWORDS(body_append), METH_VARARGS | METH_KEYWORDS,
     "append($self, **keywords)\n--\n\n" SP_DOC_sp_world_append "\n" SP_KEYWORDS_sp_addition},
    {"remove", body_remove, METH_NOARGS, "remove($self)\n--\n\n" SP_DOC_sp_world_remove},
    {"invert", body_invert, METH_NOARGS,
     "invert($self)\n--\n\n" SP_DOC_sp_world_rod_invert
     "\n\nThe result is (nodes, 3); of a helix the rows of its elements come first, the rest is 0."},
    {NULL, NULL, 0, NULL}};

static PyGetSetDef properties[] = {{"name", body_name, NULL, "The name of the body.", NULL},
                                   {"kind", body_kind, NULL, "\"solid\", \"rod\" or \"rigid\".", NULL},
                                   {"world", sp_py_part_world, NULL, "The souple.World of the body.", NULL},
                                   {"id", body_id, NULL, "(slot, generation): the number of the body in its world.", NULL},
                                   {"info", body_info, NULL, SP_DOC_sp_world_body_info, NULL},
                                   {"measures", body_measures, NULL, SP_DOC_sp_world_body_measure, NULL},
                                   {"contact_sum", body_contact_sum, NULL, "All contacts of the body in the last step.", NULL},
                                   {"masses", body_masses, NULL, "Point masses of the body: souple.MassInfo.", NULL},
                                   {"elements", body_elements, NULL,
                                    "Nodes of the elements of a rod, of the cells of a solid: (count, nodes per element).", NULL},
                                   {"fields", body_fields, NULL, "{name: souple.FieldInfo} of the fields of the body.", NULL},
                                   {"surface_count", body_surface_count, NULL, SP_DOC_sp_world_surface_count, NULL},
                                   {NULL, NULL, NULL, NULL, NULL}};

int sp_py_init_body(PyObject *module) {
    static PyType_Slot slots[] = {
        SP_PY_PART_SLOTS,
        {Py_tp_richcompare, body_compare},
        {Py_tp_hash, body_hash},
        {Py_tp_repr, body_repr},
        {Py_tp_methods, methods},
        {Py_tp_getset, properties},
        {Py_tp_doc, "A body of a world: world[\"beam\"], or the result of World.add_solid, add_rod and add_rigid."},
        {0, NULL}};
    static PyType_Spec spec = {"souple.Body", sizeof(body_object), 0, Py_TPFLAGS_DEFAULT | Py_TPFLAGS_HAVE_GC, slots};
    sp_py_body_type = (PyTypeObject *)sp_py_add_type(module, &spec);
    return sp_py_body_type ? 0 : -1;
}
