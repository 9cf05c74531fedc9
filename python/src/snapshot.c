// souple.Snapshot: the published state of a world. Everything in it is read without a copy, and each array keeps the snapshot.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "convert.h"
#include "docs.h"
#include "tables.h"

static PyTypeObject *snapshot_type, *body_type, *surface_type;

// A snapshot and its world: the handle points to the snapshot, its parent is that of the world.
typedef struct snapshot_object {
    PyObject_HEAD sp_py_handle *handle;
    PyObject *world;
} snapshot_object;

// A body or a surface of a snapshot, which it keeps.
typedef struct part_object {
    PyObject_HEAD sp_py_handle *handle;
    PyObject *world;
    const void *part;  // sp_snapshot_body, sp_snapshot_surface
} part_object;

// What an acquired snapshot needs to be released.
typedef struct acquired {
    sp_world *world;
    const sp_snapshot *snapshot;
} acquired;

static void release(void *pointer) {
    acquired *a = pointer;
    sp_world_snapshot_release(a->world, a->snapshot);
    free(a);
}

// ---------------------------------------------------------------------------------------------------- the objects

static int object_traverse(PyObject *self, visitproc visit, void *arg) {
    Py_VISIT(Py_TYPE(self));
    Py_VISIT(((snapshot_object *)self)->handle);
    Py_VISIT(((snapshot_object *)self)->world);
    return 0;
}

static int object_clear(PyObject *self) {
    Py_CLEAR(((snapshot_object *)self)->handle);
    Py_CLEAR(((snapshot_object *)self)->world);
    return 0;
}

static void object_dealloc(PyObject *self) {
    PyTypeObject *type = Py_TYPE(self);
    PyObject_GC_UnTrack(self);
    object_clear(self);
    PyObject_GC_Del(self);
    Py_DECREF((PyObject *)type);
}

static const sp_snapshot *snapshot_of(PyObject *self) {
    const acquired *a = sp_py_pointer_shared(((snapshot_object *)self)->handle, "snapshot");
    return a ? a->snapshot : NULL;
}

static PyObject *part_new(PyTypeObject *type, PyObject *from, const void *part) {
    part_object *object = PyObject_GC_New(part_object, type);
    if (!object) return NULL;
    object->handle = ((snapshot_object *)from)->handle, object->world = ((snapshot_object *)from)->world;
    Py_INCREF((PyObject *)object->handle);
    Py_INCREF(object->world);
    object->part = part;
    PyObject_GC_Track((PyObject *)object);
    return (PyObject *)object;
}

// the part of a body or surface; NULL: the process was forked since
static const void *part_of(PyObject *self) {
    return sp_py_pointer_shared(((part_object *)self)->handle, "snapshot") ? ((part_object *)self)->part : NULL;
}

// a view that keeps the snapshot; None where there is no array
static PyObject *view(PyObject *self, const void *data, sp_py_number number, Py_ssize_t rows, Py_ssize_t width) {
    if (!data) Py_RETURN_NONE;
    return sp_py_view((PyObject *)((part_object *)self)->handle, data, number, width ? 2 : 1, (Py_ssize_t[]){rows, width}, false);
}

PyObject *sp_py_snapshot(PyObject *world, PyObject *unused) {
    (void)unused;
    sp_world *w = sp_py_world_shared(world);
    const sp_snapshot *snapshot = w ? sp_world_snapshot_acquire(w) : NULL;
    if (!w) return NULL;
    if (!snapshot) Py_RETURN_NONE;
    acquired *a = malloc(sizeof *a);
    if (!a) {
        sp_world_snapshot_release(w, snapshot);
        return PyErr_NoMemory();
    }
    *a = (acquired){w, snapshot};
    sp_py_handle *handle = sp_py_handle_new("snapshot", a, release, ((sp_py_object *)world)->handle);
    snapshot_object *object = handle ? PyObject_GC_New(snapshot_object, snapshot_type) : NULL;
    if (!object) {
        Py_XDECREF((PyObject *)handle);
        return NULL;
    }
    Py_INCREF(world);
    object->handle = handle, object->world = world;
    PyObject_GC_Track((PyObject *)object);
    return (PyObject *)object;
}

static PyObject *snapshot_close(PyObject *self, PyObject *unused) {
    (void)unused;
    Py_CLEAR(((snapshot_object *)self)->handle);
    Py_RETURN_NONE;
}

// ---------------------------------------------------------------------------------------------------- a snapshot

static PyObject *snapshot_step(PyObject *self, void *closure) {
    (void)closure;
    const sp_snapshot *s = snapshot_of(self);
    return s ? PyLong_FromUnsignedLongLong(s->step) : NULL;
}

static PyObject *snapshot_time(PyObject *self, void *closure) {
    (void)closure;
    const sp_snapshot *s = snapshot_of(self);
    return s ? PyFloat_FromDouble(s->time) : NULL;
}

static PyObject *snapshot_hash(PyObject *self, void *closure) {
    (void)closure;
    const sp_snapshot *s = snapshot_of(self);
    return s ? PyLong_FromUnsignedLongLong(s->hash) : NULL;
}

static PyObject *snapshot_skipped(PyObject *self, void *closure) {
    (void)closure;
    const sp_snapshot *s = snapshot_of(self);
    return s ? PyLong_FromUnsignedLongLong(s->skipped) : NULL;
}

static PyObject *snapshot_reservations(PyObject *self, void *closure) {
    (void)closure;
    const sp_snapshot *s = snapshot_of(self);
    PyObject *list = s ? PyList_New(0) : NULL;
    for (int i = 1; list && i < 32; i++) {
        if (!(s->reservations >> i & 1)) continue;
        PyObject *status = sp_py_status((sp_status)i);
        sp_py_append(&list, status);
    }
    return list;
}

static PyObject *snapshot_stage_ms(PyObject *self, void *closure) {
    (void)closure;
    const sp_snapshot *s = snapshot_of(self);
    PyObject *dict = s ? PyDict_New() : NULL;
    for (int i = 0; dict && i < SP_STAGE_COUNT; i++) {
        PyObject *ms = PyFloat_FromDouble(s->stage_ms[i]);
        if (!ms || PyDict_SetItemString(dict, sp_stage_name((sp_stage)i), ms) < 0) Py_CLEAR(dict);
        Py_XDECREF(ms);
    }
    return dict;
}

static PyObject *records(PyObject *self, const void *items, int count, const sp_py_struct *table) {
    PyObject *list = PyList_New(0);
    for (int i = 0; list && i < count; i++) {
        PyObject *record = sp_py_record(table, (const char *)items + (size_t)i * table->size, ((snapshot_object *)self)->world);
        sp_py_append(&list, record);
    }
    return list;
}

static PyObject *snapshot_events(PyObject *self, void *closure) {
    (void)closure;
    const sp_snapshot *s = snapshot_of(self);
    return s ? records(self, s->events, s->event_count, &sp_py_struct_sp_event) : NULL;
}

static PyObject *snapshot_contacts(PyObject *self, void *closure) {
    (void)closure;
    const sp_snapshot *s = snapshot_of(self);
    return s ? records(self, s->contacts, s->contact_count, &sp_py_struct_sp_contact_point) : NULL;
}

static PyObject *snapshot_links(PyObject *self, void *closure) {
    (void)closure;
    const sp_snapshot *s = snapshot_of(self);
    return s ? records(self, s->links, s->link_count, &sp_py_struct_sp_snapshot_link) : NULL;
}

static PyObject *snapshot_bodies(PyObject *self, void *closure) {
    (void)closure;
    const sp_snapshot *s = snapshot_of(self);
    PyObject *dict = s ? PyDict_New() : NULL;
    for (int i = 0; dict && i < s->body_count; i++) {
        PyObject *body = part_new(body_type, self, &s->bodies[i]);
        if (!body || PyDict_SetItemString(dict, s->bodies[i].name, body) < 0) Py_CLEAR(dict);
        Py_XDECREF(body);
    }
    return dict;
}

static PyObject *snapshot_repr(PyObject *self) {
    if (!((snapshot_object *)self)->handle) return PyUnicode_FromString("<souple.Snapshot, closed>");
    const sp_snapshot *s = snapshot_of(self);
    char text[120];
    if (!s) return NULL;
    snprintf(text, sizeof text, "<souple.Snapshot: step %llu, t = %g s, %d bodies>", (unsigned long long)s->step, s->time,
             s->body_count);
    return PyUnicode_FromString(text);
}

// ---------------------------------------------------------------------------------------------------- a body

static PyObject *body_body(PyObject *self, void *closure) {
    (void)closure;
    const sp_snapshot_body *b = part_of(self);
    return b ? sp_py_body_new(((part_object *)self)->world, b->id) : NULL;
}

static PyObject *body_name(PyObject *self, void *closure) {
    (void)closure;
    const sp_snapshot_body *b = part_of(self);
    return b ? PyUnicode_FromString(b->name) : NULL;
}

static PyObject *body_fields(PyObject *self, void *closure) {
    (void)closure;
    const sp_snapshot_body *b = part_of(self);
    PyObject *dict = b ? PyDict_New() : NULL;
    for (int i = 0; dict && i < b->field_count; i++) {
        const sp_snapshot_field *f = &b->fields[i];
        PyObject *array = view(self, f->values, SP_PY_DOUBLE, f->count, f->components > 1 ? f->components : 0);
        if (!array || PyDict_SetItemString(dict, f->name, array) < 0) Py_CLEAR(dict);
        Py_XDECREF(array);
    }
    return dict;
}

static PyObject *body_surfaces(PyObject *self, void *closure) {
    (void)closure;
    const sp_snapshot_body *b = part_of(self);
    PyObject *dict = b ? PyDict_New() : NULL;
    for (int i = 0; dict && i < b->surface_count; i++) {
        PyObject *surface = part_new(surface_type, self, &b->surfaces[i]);
        if (!surface || PyDict_SetItemString(dict, b->surfaces[i].name, surface) < 0) Py_CLEAR(dict);
        Py_XDECREF(surface);
    }
    return dict;
}

static PyObject *body_work(PyObject *self, void *closure) {
    (void)closure;
    const sp_snapshot_body *b = part_of(self);
    return b ? sp_py_record(&sp_py_struct_sp_work, &b->work, NULL) : NULL;
}

static PyObject *body_inverted(PyObject *self, void *closure) {
    (void)closure;
    const sp_snapshot_body *b = part_of(self);
    return b ? PyLong_FromLong(b->inverted) : NULL;
}

// closure: the offset of a double
static PyObject *body_number(PyObject *self, void *closure) {
    const char *b = part_of(self);
    double x;
    if (!b) return NULL;
    memcpy(&x, b + (uintptr_t)closure, sizeof x);
    return PyFloat_FromDouble(x);
}

// ---------------------------------------------------------------------------------------------------- a surface

static PyObject *surface_name(PyObject *self, void *closure) {
    (void)closure;
    const sp_snapshot_surface *s = part_of(self);
    return s ? PyUnicode_FromString(s->name) : NULL;
}

static PyObject *surface_roles(PyObject *self, void *closure) {
    (void)closure;
    const sp_snapshot_surface *s = part_of(self);
    PyObject *list = s ? PyList_New(0) : NULL;
    for (int i = 0; list && i < sp_py_words_roles.count; i++) {
        if (!(s->roles & (unsigned)sp_py_words_roles.words[i].value)) continue;
        PyObject *word = PyUnicode_FromString(sp_py_words_roles.words[i].word);
        sp_py_append(&list, word);
    }
    return list;
}

static PyObject *surface_revision(PyObject *self, void *closure) {
    (void)closure;
    const sp_snapshot_surface *s = part_of(self);
    return s ? PyLong_FromUnsignedLong(s->revision) : NULL;
}

static PyObject *surface_moved(PyObject *self, void *closure) {
    (void)closure;
    const sp_snapshot_surface *s = part_of(self);
    return s ? PyLong_FromUnsignedLongLong(s->moved) : NULL;
}

static PyObject *surface_positions(PyObject *self, void *closure) {
    (void)closure;
    const sp_snapshot_surface *s = part_of(self);
    return s ? view(self, s->positions, SP_PY_FLOAT, s->vertex_count, 3) : NULL;
}

static PyObject *surface_normals(PyObject *self, void *closure) {
    (void)closure;
    const sp_snapshot_surface *s = part_of(self);
    return s ? view(self, s->normals, SP_PY_FLOAT, s->vertex_count, 3) : NULL;
}

static PyObject *surface_faces(PyObject *self, void *closure) {
    (void)closure;
    const sp_snapshot_surface *s = part_of(self);
    return s ? view(self, s->faces, SP_PY_UINT, s->face_count, 3) : NULL;
}

static PyObject *surface_nodes(PyObject *self, void *closure) {
    (void)closure;
    const sp_snapshot_surface *s = part_of(self);
    return s ? view(self, s->nodes, SP_PY_INT, s->vertex_count, 0) : NULL;
}

static PyObject *surface_stripes(PyObject *self, void *closure) {
    (void)closure;
    const sp_snapshot_surface *s = part_of(self);
    return s ? view(self, s->stripes, SP_PY_BYTE, s->face_count, 0) : NULL;
}

static PyObject *surface_texcoords(PyObject *self, void *closure) {
    (void)closure;
    const sp_snapshot_surface *s = part_of(self);
    return s ? view(self, s->texcoords, SP_PY_FLOAT, 3 * (Py_ssize_t)s->face_count, 2) : NULL;
}

static PyObject *surface_colors(PyObject *self, void *closure) {
    (void)closure;
    const sp_snapshot_surface *s = part_of(self);
    return s ? view(self, s->colors, SP_PY_FLOAT, s->vertex_count, 4) : NULL;
}

static PyObject *surface_rings(PyObject *self, void *closure) {
    (void)closure;
    const sp_snapshot_surface *s = part_of(self);
    return s ? records(self, s->rings, s->ring_count, &sp_py_struct_sp_rod_cross_section) : NULL;
}

static PyObject *surface_anchor(PyObject *self, PyObject *args) {
    const sp_snapshot_surface *s = part_of(self);
    int vertex;
    if (!s || !PyArg_ParseTuple(args, "i:anchor", &vertex)) return NULL;
    if (vertex < 0 || vertex >= s->vertex_count)
        return sp_py_fail(SP_BAD_INPUT, "vertex %d, must be in [0, %d)", vertex, s->vertex_count);
    return sp_py_anchor_new(((part_object *)self)->world, &s->anchors[vertex]);
}

// ---------------------------------------------------------------------------------------------------- the classes

#define OBJECT_SLOTS                                                                                   \
    {Py_tp_dealloc, object_dealloc}, {Py_tp_traverse, object_traverse}, {Py_tp_clear, object_clear}, { \
        Py_tp_new, sp_py_refuse_new                                                                    \
    }
#define NUMBER(field, doc) \
    { #field, body_number, NULL, doc, (void *)offsetof(sp_snapshot_body, field) }

static int add_snapshot(PyObject *module) {
    static PyMethodDef methods[] = {
        {"close", snapshot_close, METH_NOARGS,
         "close($self)\n--\n\nReleases the snapshot. Its slot is free again when the last array that shows it is gone."},
        {"__enter__", sp_py_enter, METH_NOARGS, NULL},
        {"__exit__", sp_py_exit, METH_VARARGS, NULL},
        {NULL, NULL, 0, NULL}};
    static PyGetSetDef properties[] = {
        {"step", snapshot_step, NULL, "Number of the step.", NULL},
        {"time", snapshot_time, NULL, "Time of the state [s].", NULL},
        {"hash", snapshot_hash, NULL, "Hash of the state.", NULL},
        {"bodies", snapshot_bodies, NULL, "{name: souple.SnapshotBody}.", NULL},
        {"events", snapshot_events, NULL, "Events of the step: souple.Event.", NULL},
        {"contacts", snapshot_contacts, NULL, "Contacts of the step: souple.ContactPoint.", NULL},
        {"links", snapshot_links, NULL, "Tied points of links: souple.SnapshotLink.", NULL},
        {"stage_ms", snapshot_stage_ms, NULL, "{stage: time [ms]} of the step.", NULL},
        {"skipped", snapshot_skipped, NULL, "Snapshots that were not published so far, because readers held all slots.", NULL},
        {"reservations", snapshot_reservations, NULL, "Reservations of the step: souple.Status.", NULL},
        {NULL, NULL, NULL, NULL, NULL}};
    static PyType_Slot slots[] = {OBJECT_SLOTS,
                                  {Py_tp_repr, snapshot_repr},
                                  {Py_tp_methods, methods},
                                  {Py_tp_getset, properties},
                                  {Py_tp_doc, SP_DOC_sp_snapshot "\n\nArrays are read-only views of its memory and keep it."},
                                  {0, NULL}};
    static PyType_Spec spec = {"souple.Snapshot", sizeof(snapshot_object), 0, Py_TPFLAGS_DEFAULT | Py_TPFLAGS_HAVE_GC, slots};
    snapshot_type = (PyTypeObject *)sp_py_add_type(module, &spec);
    return snapshot_type ? 0 : -1;
}

static int add_body(PyObject *module) {
    static PyGetSetDef properties[] = {
        {"name", body_name, NULL, "The name of the body.", NULL},
        {"body", body_body, NULL, "The souple.Body.", NULL},
        {"fields", body_fields, NULL, "{name: array} of the fields that World.publish_fields asked for: read-only views.", NULL},
        {"surfaces", body_surfaces, NULL, "{name: souple.SnapshotSurface}; \"boundary\" is the first.", NULL},
        {"inverted", body_inverted, NULL, "Inverted elements.", NULL},
        {"work", body_work, NULL, "Work done on the body since its first step: souple.Work.", NULL},
        NUMBER(volume_lost, "1 - volume / rest volume."),
        NUMBER(penetration, "Deepest collision point below a rigid surface [m]."),
        NUMBER(kinetic, "Kinetic energy [J]."),
        NUMBER(elastic, "Elastic energy [J]; NaN: the material has none."),
        NUMBER(potential, "Potential energy of gravity [J], relative to the first step."),
        NUMBER(contact, "Energy stored in penalty contacts [J]."),
        NUMBER(appeared, "Spurious energy, see BodyMeasures.appeared [J]."),
        {NULL, NULL, NULL, NULL, NULL}};
    static PyType_Slot slots[] = {OBJECT_SLOTS, {Py_tp_getset, properties}, {Py_tp_doc, SP_DOC_sp_snapshot_body}, {0, NULL}};
    static PyType_Spec spec = {"souple.SnapshotBody", sizeof(part_object), 0, Py_TPFLAGS_DEFAULT | Py_TPFLAGS_HAVE_GC, slots};
    body_type = (PyTypeObject *)sp_py_add_type(module, &spec);
    return body_type ? 0 : -1;
}

static int add_surface(PyObject *module) {
    static PyMethodDef methods[] = {
        {"anchor", surface_anchor, METH_VARARGS, "anchor($self, vertex)\n--\n\nThe material point of a vertex."},
        {NULL, NULL, 0, NULL}};
    static PyGetSetDef properties[] = {
        {"name", surface_name, NULL, "The name of the surface.", NULL},
        {"roles", surface_roles, NULL, "\"visual\", \"collision\", \"mechanical\", \"interfaces\".", NULL},
        {"revision", surface_revision, NULL, "Of the constant arrays.", NULL},
        {"moved", surface_moved, NULL, "Changes if the positions differ from those of the previous snapshot.", NULL},
        {"positions", surface_positions, NULL, "(vertices, 3) float32 [m], a read-only view.", NULL},
        {"normals", surface_normals, NULL, "(vertices, 3) float32, or None: the boundary.", NULL},
        {"faces", surface_faces, NULL, "(faces, 3), outward.", NULL},
        {"nodes", surface_nodes, NULL, "User node of each vertex of the boundary, or None.", NULL},
        {"stripes", surface_stripes, NULL, "Per face: 1 along n1 of a rod; or None.", NULL},
        {"rings", surface_rings, NULL, "Cross sections of a rod: souple.RodCrossSection.", NULL},
        {"texcoords", surface_texcoords, NULL, "(3 faces, 2): of the corners of the faces, or None.", NULL},
        {"colors", surface_colors, NULL, "(vertices, 4), or None.", NULL},
        {NULL, NULL, NULL, NULL, NULL}};
    static PyType_Slot slots[] = {
        OBJECT_SLOTS, {Py_tp_methods, methods}, {Py_tp_getset, properties}, {Py_tp_doc, SP_DOC_sp_snapshot_surface}, {0, NULL}};
    static PyType_Spec spec = {"souple.SnapshotSurface", sizeof(part_object), 0, Py_TPFLAGS_DEFAULT | Py_TPFLAGS_HAVE_GC, slots};
    surface_type = (PyTypeObject *)sp_py_add_type(module, &spec);
    return surface_type ? 0 : -1;
}

int sp_py_init_snapshot(PyObject *module) {
    return add_snapshot(module) < 0 || add_body(module) < 0 || add_surface(module) < 0 ? -1 : 0;
}
