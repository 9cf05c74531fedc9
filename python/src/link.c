// souple.Link and souple.Anchor: links between bodies, material points.
#include <string.h>

#include "convert.h"
#include "docs.h"
#include "tables.h"

PyTypeObject *sp_py_link_type, *sp_py_anchor_type;

typedef struct link_object {
    PyObject_HEAD PyObject *world;
    sp_link_id id;
} link_object;

typedef struct anchor_object {
    PyObject_HEAD PyObject *world;
    sp_anchor anchor;
} anchor_object;

static sp_world *world_of(PyObject *self) {
    return sp_py_world(((sp_py_part *)self)->world);
}

// 0, or -1 with an exception
static int check(PyObject *self, sp_status status) {
    return sp_py_world_check(((sp_py_part *)self)->world, status);
}

static PyObject *none_or_raise(PyObject *self, sp_status status) {
    return sp_py_world_done(((sp_py_part *)self)->world, status);
}

// ---------------------------------------------------------------------------------------------------- links

PyObject *sp_py_link_new(PyObject *world, sp_link_id id) {
    if (!id.slot) Py_RETURN_NONE;
    link_object *link = PyObject_GC_New(link_object, sp_py_link_type);
    if (!link) return NULL;
    Py_INCREF(world);
    link->world = world, link->id = id;
    PyObject_GC_Track((PyObject *)link);
    return (PyObject *)link;
}

int sp_py_link_id(sp_py_call *call, PyObject *value, const char *what, sp_link_id *out) {
    (void)call;
    *out = (sp_link_id){0, 0};
    if (value == Py_None) return 0;
    if (Py_TYPE(value) != sp_py_link_type) return sp_py_fail(SP_BAD_INPUT, "%s: must be a souple.Link", what), -1;
    *out = ((link_object *)value)->id;
    return 0;
}

static sp_link_id id_of(PyObject *self) {
    return ((link_object *)self)->id;
}

static PyObject *link_info(PyObject *self, void *closure) {
    (void)closure;
    sp_world *world = world_of(self);
    sp_link_info info;
    if (!world || check(self, sp_world_link_info(world, id_of(self), &info)) < 0) return NULL;
    return sp_py_record(&sp_py_struct_sp_link_info, &info, ((sp_py_part *)self)->world);
}

static PyObject *link_name(PyObject *self, void *closure) {
    (void)closure;
    sp_world *world = world_of(self);
    sp_link_info info;
    return world && check(self, sp_world_link_info(world, id_of(self), &info)) == 0 ? PyUnicode_FromString(info.name) : NULL;
}

static PyObject *link_points(PyObject *self, void *closure) {
    (void)closure;
    sp_world *world = world_of(self);
    sp_link_info info;
    if (!world || check(self, sp_world_link_info(world, id_of(self), &info)) < 0) return NULL;
    PyObject *list = PyList_New(0);
    for (int i = 0; list && i < info.point_count; i++) {
        sp_link_point point;
        PyObject *record = NULL;
        if (check(self, sp_world_link_point(world, id_of(self), i, &point)) == 0)
            record = sp_py_record(&sp_py_struct_sp_link_point, &point, ((sp_py_part *)self)->world);
        sp_py_append(&list, record);
    }
    return list;
}

static PyObject *link_attach(PyObject *self, PyObject *unused) {
    (void)unused;
    sp_world *world = world_of(self);
    return world ? none_or_raise(self, sp_world_set_link(world, id_of(self), true)) : NULL;
}

static PyObject *link_detach(PyObject *self, PyObject *unused) {
    (void)unused;
    sp_world *world = world_of(self);
    return world ? none_or_raise(self, sp_world_set_link(world, id_of(self), false)) : NULL;
}

static PyObject *link_remove(PyObject *self, PyObject *unused) {
    (void)unused;
    sp_world *world = world_of(self);
    return world ? none_or_raise(self, sp_world_remove_link(world, id_of(self))) : NULL;
}

static PyObject *link_compare(PyObject *self, PyObject *other, int op) {
    if (Py_TYPE(other) != sp_py_link_type || (op != Py_EQ && op != Py_NE)) Py_RETURN_NOTIMPLEMENTED;
    bool same = sp_py_same_world(((sp_py_part *)self)->world, ((sp_py_part *)other)->world) &&
                id_of(self).slot == id_of(other).slot && id_of(self).generation == id_of(other).generation;
    return PyBool_FromLong(same == (op == Py_EQ));
}

static Py_hash_t link_hash(PyObject *self) {
    return (Py_hash_t)(((uintptr_t)id_of(self).slot << 8 ^ id_of(self).generation) & 0x7fffffff);
}

static PyObject *link_repr(PyObject *self) {
    PyObject *name = link_name(self, NULL);
    if (!name) {
        PyErr_Clear();
        return PyUnicode_FromString("<souple.Link, removed or of a closed world>");
    }
    PyObject *text = PyUnicode_FromFormat("<souple.Link '%U'>", name);
    Py_DECREF(name);
    return text;
}

// ---------------------------------------------------------------------------------------------------- material points

PyObject *sp_py_anchor_new(PyObject *world, const sp_anchor *anchor) {
    anchor_object *a = PyObject_GC_New(anchor_object, sp_py_anchor_type);
    if (!a) return NULL;
    Py_INCREF(world);
    a->world = world, a->anchor = *anchor;
    PyObject_GC_Track((PyObject *)a);
    return (PyObject *)a;
}

int sp_py_anchor(sp_py_call *call, PyObject *value, const char *what, sp_anchor *out) {
    if (Py_TYPE(value) == sp_py_anchor_type) {
        const anchor_object *a = (const anchor_object *)value;
        if (call && call->world && !sp_py_same_world(a->world, call->world))
            return sp_py_fail(SP_BAD_INPUT, "%s: a point of another world", what), -1;
        *out = a->anchor;
        return 0;
    }
    if (!PyDict_Check(value))
        return sp_py_fail(SP_BAD_INPUT, "%s: must be a souple.Anchor, or a dict with the number of an element: elem, at, offset",
                          what),
               -1;
    *out = (sp_anchor){.elem = 0};
    return sp_py_struct_change(call, &sp_py_struct_sp_anchor, value, out);
}

static const sp_anchor *anchor_of(PyObject *self) {
    return &((anchor_object *)self)->anchor;
}

static PyObject *anchor_body(PyObject *self, void *closure) {
    (void)closure;
    return sp_py_body_new(((sp_py_part *)self)->world, anchor_of(self)->body);
}

static PyObject *anchor_elem(PyObject *self, void *closure) {
    (void)closure;
    return PyLong_FromUnsignedLong(anchor_of(self)->elem);
}

static PyObject *anchor_at(PyObject *self, void *closure) {
    (void)closure;
    return sp_py_copy(anchor_of(self)->at, SP_PY_DOUBLE, 3, 0);
}

static PyObject *anchor_offset(PyObject *self, void *closure) {
    (void)closure;
    return sp_py_copy(anchor_of(self)->offset, SP_PY_DOUBLE, 3, 0);
}

static PyObject *anchor_position(PyObject *self, void *closure) {
    (void)closure;
    sp_world *world = world_of(self);
    double x[3];
    if (!world || check(self, sp_world_anchor_get(world, anchor_of(self), x, NULL)) < 0) return NULL;
    return sp_py_copy(x, SP_PY_DOUBLE, 3, 0);
}

static PyObject *anchor_velocity(PyObject *self, void *closure) {
    (void)closure;
    sp_world *world = world_of(self);
    double x[3], v[3];
    if (!world || check(self, sp_world_anchor_get(world, anchor_of(self), x, v)) < 0) return NULL;
    return sp_py_copy(v, SP_PY_DOUBLE, 3, 0);
}

static PyObject *anchor_rest(PyObject *self, void *closure) {
    (void)closure;
    sp_world *world = world_of(self);
    double x[3];
    if (!world || check(self, sp_world_anchor_rest(world, anchor_of(self), x)) < 0) return NULL;
    return sp_py_copy(x, SP_PY_DOUBLE, 3, 0);
}

static PyObject *anchor_repr(PyObject *self) {
    PyObject *body = anchor_body(self, NULL);
    PyObject *text = body ? PyUnicode_FromFormat("<souple.Anchor: element %u of %R>", anchor_of(self)->elem, body) : NULL;
    Py_XDECREF(body);
    return text;
}

// ---------------------------------------------------------------------------------------------------- the classes

int sp_py_init_link(PyObject *module) {
    static PyMethodDef link_methods[] = {
        {"attach", link_attach, METH_NOARGS, "attach($self)\n--\n\n" SP_DOC_sp_world_set_link},
        {"detach", link_detach, METH_NOARGS, "detach($self)\n--\n\n" SP_DOC_sp_world_set_link},
        {"remove", link_remove, METH_NOARGS, "remove($self)\n--\n\n" SP_DOC_sp_world_remove_link},
        {NULL, NULL, 0, NULL}};
    static PyGetSetDef link_properties[] = {{"name", link_name, NULL, "The name of the link.", NULL},
                                            {"world", sp_py_part_world, NULL, "The souple.World of the link.", NULL},
                                            {"info", link_info, NULL, "The link and what it did in the last step.", NULL},
                                            {"points", link_points, NULL, "The tied points of the link: souple.LinkPoint.", NULL},
                                            {NULL, NULL, NULL, NULL, NULL}};
    static PyType_Slot link_slots[] = {SP_PY_PART_SLOTS,
                                       {Py_tp_richcompare, link_compare},
                                       {Py_tp_hash, link_hash},
                                       {Py_tp_repr, link_repr},
                                       {Py_tp_methods, link_methods},
                                       {Py_tp_getset, link_properties},
                                       {Py_tp_doc, "A link of a world: world[\"hinge\"], or the result of World.add_link."},
                                       {0, NULL}};
    static PyType_Spec link_spec = {"souple.Link", sizeof(link_object), 0, Py_TPFLAGS_DEFAULT | Py_TPFLAGS_HAVE_GC, link_slots};
    static PyGetSetDef anchor_properties[] = {
        {"body", anchor_body, NULL, "The body of the point.", NULL},
        {"world", sp_py_part_world, NULL, "The souple.World of the point.", NULL},
        {"elem", anchor_elem, NULL, "Number of the element.", NULL},
        {"at", anchor_at, NULL, "Natural coordinates in the element.", NULL},
        {"offset", anchor_offset, NULL, "Offset [m] of a point of a rod or a rigid body.", NULL},
        {"position", anchor_position, NULL, "Current position [m].", NULL},
        {"velocity", anchor_velocity, NULL, "Current velocity [m/s].", NULL},
        {"rest", anchor_rest, NULL, SP_DOC_sp_world_anchor_rest, NULL},
        {NULL, NULL, NULL, NULL, NULL}};
    static PyType_Slot anchor_slots[] = {SP_PY_PART_SLOTS,
                                         {Py_tp_repr, anchor_repr},
                                         {Py_tp_getset, anchor_properties},
                                         {Py_tp_doc, "A material point of a body: Body.anchor makes it."},
                                         {0, NULL}};
    static PyType_Spec anchor_spec = {"souple.Anchor", sizeof(anchor_object), 0, Py_TPFLAGS_DEFAULT | Py_TPFLAGS_HAVE_GC,
                                      anchor_slots};
    sp_py_link_type = (PyTypeObject *)sp_py_add_type(module, &link_spec);
    sp_py_anchor_type = (PyTypeObject *)sp_py_add_type(module, &anchor_spec);
    return sp_py_link_type && sp_py_anchor_type ? 0 : -1;
}
