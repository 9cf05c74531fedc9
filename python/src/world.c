// souple.World: creation, bodies, contact, steps, edits, parameters, checkpoints.
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "convert.h"
#include "docs.h"
#include "tables.h"

PyTypeObject *sp_py_world_type;

// ---------------------------------------------------------------------------------------------------- the object

static void destroy_world(void *pointer) {
    sp_world *world = pointer;
    sp_world_destroy(&world);
}

PyObject *sp_py_world_new(sp_py_handle *handle) {
    return sp_py_object_new(sp_py_world_type, handle);
}

sp_py_handle *sp_py_world_handle(PyObject *world) {
    if (!world || !PyObject_TypeCheck(world, sp_py_world_type)) return sp_py_fail(SP_BAD_INPUT, "must be a souple.World");
    sp_py_handle *handle = ((sp_py_object *)world)->handle;
    return sp_py_pointer_shared(handle, "world") ? handle : NULL;
}

sp_world *sp_py_world(PyObject *world) {
    sp_py_handle *handle = sp_py_world_handle(world);
    return handle ? sp_py_pointer(handle, "world") : NULL;
}

sp_world *sp_py_world_shared(PyObject *world) {
    sp_py_handle *handle = sp_py_world_handle(world);
    return handle ? handle->pointer : NULL;
}

PyObject *sp_py_world_result(PyObject *world, sp_status status) {
    sp_py_handle *handle = ((sp_py_object *)world)->handle;
    if (handle && sp_py_raise_kept(handle) < 0) return NULL;
    if (status < 0) return sp_py_raise_world(status, handle ? handle->pointer : NULL);
    return sp_py_status(status);
}

bool sp_py_same_world(PyObject *a, PyObject *b) {
    return a == b || ((sp_py_object *)a)->handle == ((sp_py_object *)b)->handle;
}

int sp_py_world_check(PyObject *world, sp_status status) {
    PyObject *result = sp_py_world_result(world, status);
    Py_XDECREF(result);
    return result ? 0 : -1;
}

PyObject *sp_py_world_done(PyObject *world, sp_status status) {
    if (sp_py_world_check(world, status) < 0) return NULL;
    Py_RETURN_NONE;
}

// a call with keywords on this world
static sp_py_call call_of(PyObject *self) {
    return (sp_py_call){.world = self, .keeper = ((sp_py_object *)self)->handle};
}

static sp_py_handle *handle_of(PyObject *self) {
    return ((sp_py_object *)self)->handle;
}

static PyObject *world_new(PyTypeObject *type, PyObject *args, PyObject *keywords) {
    static const char *const names[] = {"gravity", NULL};
    PyObject *all = sp_py_arguments("World", args, keywords, names, 0);
    if (!all) return NULL;
    PyObject *given = PyDict_GetItemString(all, "context");
    sp_py_handle *context = sp_py_context_handle(given);
    if (given) PyDict_DelItemString(all, "context");
    sp_py_handle *handle = context ? sp_py_handle_new("world", NULL, destroy_world, context) : NULL;
    sp_py_call call = {.keeper = handle};
    sp_world_def def;
    sp_world *world = NULL;
    bool made = false;
    if (handle && sp_py_struct_set(&call, &sp_py_struct_sp_world_def, all, &def) == 0) {
        sp_status status;
        SP_PY_UNLOCKED(context, status = sp_world_create(context->pointer, &def, &world));
        made = sp_py_raise_kept(handle) == 0 && status >= 0;
        handle->pointer = world;
        if (!made && !PyErr_Occurred()) sp_py_raise_context(status, context->pointer);
    }
    sp_py_call_end(&call, made);
    Py_DECREF(all);
    if (made) return sp_py_object_new(type, handle);
    Py_XDECREF((PyObject *)handle);
    return NULL;
}

static PyObject *world_close(PyObject *self, PyObject *unused) {
    (void)unused;
    sp_py_handle *handle = handle_of(self);
    if (handle && handle->busy) return sp_py_fail(SP_BUSY, "the world is in use by another call: it cannot be closed now");
    Py_CLEAR(((sp_py_object *)self)->handle);
    Py_RETURN_NONE;
}

static PyObject *world_enter(PyObject *self, PyObject *unused) {
    (void)unused;
    if (!sp_py_world_handle(self)) return NULL;
    Py_INCREF(self);
    return self;
}

// ---------------------------------------------------------------------------------------------------- bodies

// material="neo-hookean" is the model; material={...} the constants
static int split_material(PyObject *all) {
    PyObject *material = PyDict_GetItemString(all, "material"), *model;
    if (!material) return 0;
    if (PyUnicode_Check(material)) {
        if (PyDict_SetItemString(all, "model", material) < 0) return -1;
        return PyDict_DelItemString(all, "material");
    }
    if (!PyDict_Check(material) || !(model = PyDict_GetItemString(material, "model"))) return 0;
    PyObject *rest = PyDict_Copy(material);
    int done = rest && PyDict_SetItemString(all, "model", model) == 0 && PyDict_DelItemString(rest, "model") == 0
                   ? PyDict_SetItemString(all, "material", rest)
                   : -1;
    Py_XDECREF(rest);
    return done;
}

// what a region does not give and the library does not take from the body
static int complete_regions(sp_py_call *call, sp_solid_def *def) {
    if (def->region_count > 0 && !def->regions) return sp_py_fail(SP_BAD_INPUT, "region_laws: needs as many regions"), -1;
    sp_material *regions = sp_py_call_alloc(call, (size_t)def->region_count, sizeof *regions);
    for (int i = 0; regions && i < def->region_count; i++) {
        regions[i] = def->regions[i];
        if (isnan(regions[i].bulk)) regions[i].bulk = def->material.bulk;
        if (isnan(regions[i].incompressibility)) regions[i].incompressibility = def->material.incompressibility;
    }
    def->regions = regions;
    return regions ? 0 : -1;
}

static PyObject *world_add_solid(PyObject *self, PyObject *args, PyObject *keywords) {
    static const char *const names[] = {"mesh", "name", NULL};
    sp_world *world = sp_py_world(self);
    PyObject *all = world ? sp_py_arguments("add_solid", args, keywords, names, 1) : NULL, *result = NULL;
    sp_py_call call = call_of(self);
    sp_solid_def def;
    sp_body_id id;
    if (all && split_material(all) == 0 && sp_py_struct_set(&call, &sp_py_struct_sp_solid_def, all, &def) == 0) {
        sp_status status;
        if (complete_regions(&call, &def) < 0) goto done;
        SP_PY_LONG(handle_of(self), status = sp_world_add_solid(world, &def, &id));
        if (sp_py_world_check(self, status) == 0) result = sp_py_body_new(self, id);
    }
done:
    sp_py_call_end(&call, result != NULL);
    Py_XDECREF(all);
    return result;
}

// Keywords that belong to an item of a list (a strand, a shape), and not to the definition itself, become its one item, unless
// the list is given: add_rod(length=1, elements=10, radius=0.01).
static int gather_item(PyObject *all, const sp_py_struct *outer, const char *list, const sp_py_struct *item) {
    const sp_py_field *field = sp_py_field_named(outer, list);
    if (PyDict_GetItemString(all, list) || (field->alias && PyDict_GetItemString(all, field->alias))) return 0;
    PyObject *part = PyDict_New(), *copy = PyDict_Copy(all), *key, *value;
    Py_ssize_t at = 0;
    int done = part && copy ? 0 : -1;
    while (done == 0 && PyDict_Next(copy, &at, &key, &value)) {
        PyObject *name = PyUnicode_AsUTF8String(key);
        const char *text = name ? PyBytes_AsString(name) : "";
        if (!name)
            done = -1;
        else if (!sp_py_field_named(outer, text) && sp_py_field_named(item, text))
            done = PyDict_SetItem(part, key, value) < 0 ? -1 : PyDict_DelItem(all, key);
        Py_XDECREF(name);
    }
    if (done == 0 && PyDict_Size(part) > 0) done = PyDict_SetItemString(all, list, part);
    Py_XDECREF(copy);
    Py_XDECREF(part);
    return done;
}

static PyObject *world_add_rigid(PyObject *self, PyObject *args, PyObject *keywords) {
    static const char *const names[] = {"shapes", "name", NULL};
    sp_world *world = sp_py_world(self);
    PyObject *all = world ? sp_py_arguments("add_rigid", args, keywords, names, 0) : NULL, *result = NULL;
    sp_py_call call = call_of(self);
    sp_rigid_def def;
    sp_body_id id;
    if (all && gather_item(all, &sp_py_struct_sp_rigid_def, "shapes", &sp_py_struct_sp_rigid_shape) == 0 &&
        sp_py_struct_set(&call, &sp_py_struct_sp_rigid_def, all, &def) == 0) {
        sp_status status;
        SP_PY_LONG(handle_of(self), status = sp_world_add_rigid(world, &def, &id));
        if (sp_py_world_check(self, status) == 0) result = sp_py_body_new(self, id);
    }
    sp_py_call_end(&call, result != NULL);
    Py_XDECREF(all);
    return result;
}

static PyObject *world_add_rod(PyObject *self, PyObject *args, PyObject *keywords) {
    static const char *const names[] = {"strands", "sections", "name", NULL};
    sp_world *world = sp_py_world(self);
    PyObject *all = world ? sp_py_arguments("add_rod", args, keywords, names, 0) : NULL, *result = NULL;
    sp_py_call call = call_of(self);
    sp_rod_def def;
    sp_body_id id;
    if (all && gather_item(all, &sp_py_struct_sp_rod_def, "strands", &sp_py_struct_sp_rod_strand) == 0 &&
        gather_item(all, &sp_py_struct_sp_rod_def, "sections", &sp_py_struct_sp_rod_section) == 0 &&
        sp_py_struct_set(&call, &sp_py_struct_sp_rod_def, all, &def) == 0) {
        sp_status status;
        SP_PY_LONG(handle_of(self), status = sp_world_add_rod(world, &def, &id));
        if (sp_py_world_check(self, status) == 0) result = sp_py_body_new(self, id);
    }
    sp_py_call_end(&call, result != NULL);
    Py_XDECREF(all);
    return result;
}

static PyObject *world_add_link(PyObject *self, PyObject *args, PyObject *keywords) {
    static const char *const names[] = {"type", "a", "b", NULL};
    sp_world *world = sp_py_world(self);
    PyObject *all = world ? sp_py_arguments("add_link", args, keywords, names, 0) : NULL, *result = NULL;
    sp_py_call call = call_of(self);
    sp_link_def def;
    sp_link_id id;
    if (all && sp_py_struct_set(&call, &sp_py_struct_sp_link_def, all, &def) == 0) {
        sp_status status;
        SP_PY_LONG(handle_of(self), status = sp_world_add_link(world, &def, &id));
        if (sp_py_world_check(self, status) == 0) result = sp_py_link_new(self, id);
    }
    sp_py_call_end(&call, result != NULL);
    Py_XDECREF(all);
    return result;
}

static PyObject *world_bodies(PyObject *self, void *closure) {
    (void)closure;
    const sp_world *world = sp_py_world(self);
    PyObject *list = world ? PyList_New(0) : NULL;
    for (int i = 0; list && i < sp_world_body_count(world); i++) {
        PyObject *body = sp_py_body_new(self, sp_world_body_id(world, i));
        sp_py_append(&list, body);
    }
    return list;
}

static PyObject *world_links(PyObject *self, void *closure) {
    (void)closure;
    sp_world *world = sp_py_world(self);
    PyObject *list = world ? PyList_New(0) : NULL;
    sp_link_info info;
    for (int i = 0; list && sp_world_link_at(world, i, &info) >= 0 && i < sp_world_link_count(world); i++) {
        PyObject *link = sp_py_link_new(self, info.id);
        sp_py_append(&list, link);
    }
    return list;
}

// a body or a link by name; NULL without exception: there is none
static PyObject *find_named(PyObject *self, PyObject *name) {
    const sp_world *world = sp_py_world(self);
    PyObject *bytes = world && PyUnicode_Check(name) ? PyUnicode_AsUTF8String(name) : NULL, *found = NULL;
    if (!bytes) return NULL;
    sp_body_id body = sp_world_body_named(world, PyBytes_AsString(bytes));
    sp_link_id link = sp_world_link_named(world, PyBytes_AsString(bytes));
    if (body.slot)
        found = sp_py_body_new(self, body);
    else if (link.slot)
        found = sp_py_link_new(self, link);
    Py_DECREF(bytes);
    return found;
}

static PyObject *world_getitem(PyObject *self, PyObject *name) {
    PyObject *found = find_named(self, name);
    if (!found && !PyErr_Occurred()) {
        if (PyUnicode_Check(name))
            sp_py_unknown_name(self, PyExc_KeyError, name);
        else
            PyErr_SetObject(PyExc_KeyError, name);
    }
    return found;
}

static int world_contains(PyObject *self, PyObject *name) {
    PyObject *found = find_named(self, name);
    Py_XDECREF(found);
    return PyErr_Occurred() ? -1 : found != NULL;
}

// ---------------------------------------------------------------------------------------------------- contact

static PyObject *world_set_contact(PyObject *self, PyObject *args, PyObject *keywords) {
    static const char *const names[] = {"formulation", NULL};
    sp_world *world = sp_py_world(self);
    PyObject *all = world ? sp_py_arguments("set_contact", args, keywords, names, 0) : NULL, *result = NULL;
    PyObject *none = all ? PyDict_GetItemString(all, "formulation") : NULL;
    const bool off = none == Py_None;
    sp_py_call call = call_of(self);
    sp_contact_def def;
    if (all && sp_py_struct_set(&call, &sp_py_struct_sp_contact_def, all, &def) == 0) {
        sp_status status;
        SP_PY_LONG(handle_of(self), status = sp_world_set_contact(world, off ? NULL : &def));
        result = sp_py_world_done(self, status);
    }
    sp_py_call_end(&call, false);
    Py_XDECREF(all);
    return result;
}

static PyObject *world_contact_def(PyObject *self, void *closure) {
    (void)closure;
    const sp_world *world = sp_py_world(self);
    sp_contact_def def;
    if (!world) return NULL;
    if (sp_world_get_contact(world, &def)) return sp_py_record(&sp_py_struct_sp_contact_def, &def, self);
    Py_RETURN_NONE;
}

static PyObject *world_add_contact_pair(PyObject *self, PyObject *args, PyObject *keywords) {
    static const char *const names[] = {"a", "b", NULL};
    sp_world *world = sp_py_world(self);
    PyObject *all = world ? sp_py_arguments("add_contact_pair", args, keywords, names, 2) : NULL, *result = NULL;
    // here a formulation is a word, in the struct a number of which -1 means none
    PyObject *formulation = all ? PyDict_GetItemString(all, "formulation") : NULL;
    sp_py_call call = call_of(self);
    sp_contact_pair_def def;
    int word = -1, index = 0, done = all ? 0 : -1;
    if (formulation && PyUnicode_Check(formulation)) {
        done = sp_py_word_value(&sp_py_words_sp_contact_formulation, formulation, "formulation", &word);
        PyDict_DelItemString(all, "formulation");
    }
    if (done == 0 && sp_py_struct_set(&call, &sp_py_struct_sp_contact_pair_def, all, &def) == 0) {
        if (word >= 0) def.formulation = word;
        if (sp_py_world_check(self, sp_world_add_contact_pair(world, &def, &index)) == 0) result = PyLong_FromLong(index);
    }
    sp_py_call_end(&call, false);
    Py_XDECREF(all);
    return result;
}

static PyObject *world_add_friction(PyObject *self, PyObject *args, PyObject *keywords) {
    static char *names[] = {"part", "friction", "path", NULL};
    sp_world *world = sp_py_world(self);
    PyObject *part, *result = NULL;
    double friction;
    const char *path = NULL;
    sp_py_call call = call_of(self);
    sp_contact_part chosen = {.surface = -1};
    if (!world || !PyArg_ParseTupleAndKeywords(args, keywords, "Od|z:add_friction", names, &part, &friction, &path)) return NULL;
    if (sp_py_struct_value(&call, &sp_py_struct_sp_contact_part, part, &chosen) == 0)
        result = sp_py_world_done(self, sp_world_add_friction(world, &chosen, friction, path));
    sp_py_call_end(&call, false);
    return result;
}

static PyObject *world_open_surface(PyObject *self, PyObject *unused) {
    (void)unused;
    sp_world *world = sp_py_world(self);
    sp_open_surface open;
    if (!world || sp_py_world_check(self, sp_world_open_surface(world, &open)) < 0) return NULL;
    if (open.edges) return sp_py_record(&sp_py_struct_sp_open_surface, &open, self);
    Py_RETURN_NONE;
}

static PyObject *world_contacts(PyObject *self, void *closure) {
    (void)closure;
    const sp_world *world = sp_py_world(self);
    PyObject *list = world ? PyList_New(0) : NULL;
    for (int i = 0; list && i < sp_world_contact_count(world); i++) {
        sp_contact_point point;
        PyObject *record = NULL;
        if (sp_py_world_check(self, sp_world_contact_at(world, i, &point)) == 0)
            record = sp_py_record(&sp_py_struct_sp_contact_point, &point, self);
        sp_py_append(&list, record);
    }
    return list;
}

static PyObject *world_contact_sum(PyObject *self, void *closure) {
    (void)closure;
    sp_world *world = sp_py_world(self);
    sp_contact_sum sum;
    if (!world || sp_py_world_check(self, sp_world_contact_sum(world, (sp_body_id){0, 0}, &sum)) < 0) return NULL;
    return sp_py_record(&sp_py_struct_sp_contact_sum, &sum, self);
}

static PyObject *world_set_contacts(PyObject *self, PyObject *list) {
    sp_world *world = sp_py_world(self);
    PyObject *items = world ? PySequence_List(list) : NULL, *result = NULL;
    if (!items) return NULL;
    sp_py_call call = call_of(self);
    Py_ssize_t count = PyList_Size(items);
    sp_contact_point *points = sp_py_call_alloc(&call, (size_t)count, sizeof *points);
    int done = points ? 0 : -1;
    for (Py_ssize_t i = 0; done == 0 && i < count; i++)
        done = sp_py_struct_value(&call, &sp_py_struct_sp_contact_point, PyList_GetItem(items, i), &points[i]);
    if (done == 0) result = sp_py_world_done(self, sp_world_set_contacts(world, points, (int)count));
    sp_py_call_end(&call, false);
    Py_DECREF(items);
    return result;
}

static PyObject *world_contact_problem(PyObject *self, PyObject *unused) {
    (void)unused;
    sp_world *world = sp_py_world(self);
    sp_contact_problem p;
    sp_status status;
    if (!world) return NULL;
    SP_PY_LONG(handle_of(self), status = sp_world_contact_problem(world, &p));
    if (sp_py_world_check(self, status) < 0) return NULL;
    const Py_ssize_t rows = 3 * (Py_ssize_t)p.contacts;
    return Py_BuildValue("{sisNsNsNsNsNsNsNsO}", "contacts", p.contacts, "start", sp_py_copy(p.start, SP_PY_INT, rows + 1, 0),
                         "column", sp_py_copy(p.column, SP_PY_INT, p.start[rows], 0), "value",
                         sp_py_copy(p.value, SP_PY_DOUBLE, p.start[rows], 0), "q", sp_py_copy(p.q, SP_PY_DOUBLE, rows, 0), "mu",
                         sp_py_copy(p.mu, SP_PY_DOUBLE, p.contacts, 0), "lambda", sp_py_copy(p.lambda, SP_PY_DOUBLE, rows, 0),
                         "u", sp_py_copy(p.u, SP_PY_DOUBLE, rows, 0), "converged", p.converged ? Py_True : Py_False);
}

// ---------------------------------------------------------------------------------------------------- steps

static PyObject *world_step(PyObject *self, PyObject *length) {
    const double h = PyFloat_AsDouble(length);
    sp_world *world = PyErr_Occurred() ? NULL : sp_py_world(self);
    sp_status status;
    if (!world) return NULL;
    SP_PY_LONG(handle_of(self), status = sp_world_step(world, h));
    return sp_py_world_result(self, status);
}

static PyObject *world_step_info(PyObject *self, void *closure) {
    (void)closure;
    const sp_world *world = sp_py_world(self);
    sp_step_info info;
    if (!world) return NULL;
    sp_world_step_info(world, &info);
    return sp_py_record(&sp_py_struct_sp_step_info, &info, self);
}

static PyObject *world_time(PyObject *self, void *closure) {
    (void)closure;
    const sp_world *world = sp_py_world(self);
    return world ? PyFloat_FromDouble(sp_world_time(world)) : NULL;
}

static PyObject *world_steps(PyObject *self, void *closure) {
    (void)closure;
    const sp_world *world = sp_py_world(self);
    return world ? PyLong_FromUnsignedLongLong(sp_world_steps(world)) : NULL;
}

static PyObject *world_hash(PyObject *self, void *closure) {
    (void)closure;
    const sp_world *world = sp_py_world(self);
    return world ? PyLong_FromUnsignedLongLong(sp_world_hash(world)) : NULL;
}

static PyObject *world_backend(PyObject *self, void *closure) {
    (void)closure;
    const sp_world *world = sp_py_world(self);
    return world ? PyUnicode_FromString(sp_world_backend(world)) : NULL;
}

static PyObject *world_context(PyObject *self, void *closure) {
    (void)closure;
    return sp_py_world_handle(self) ? sp_py_context_of(handle_of(self)) : NULL;
}

static PyObject *world_events(PyObject *self, void *closure) {
    (void)closure;
    const sp_world *world = sp_py_world(self);
    sp_step_info info = {0};
    PyObject *list = world ? PyList_New(0) : NULL;
    if (list) sp_world_step_info(world, &info);
    for (int i = 0; list && i < info.event_count; i++) {
        sp_event event;
        PyObject *record = NULL;
        if (sp_py_world_check(self, sp_world_event_at(world, i, &event)) == 0)
            record = sp_py_record(&sp_py_struct_sp_event, &event, self);
        sp_py_append(&list, record);
    }
    return list;
}

static PyObject *world_sweep(PyObject *self, PyObject *args, PyObject *keywords) {
    static char *names[] = {"start", "end", "radius", NULL};
    sp_world *world = sp_py_world(self);
    PyObject *start, *end;
    double a[3], b[3], radius, fraction;
    sp_body_id body;
    if (!world || !PyArg_ParseTupleAndKeywords(args, keywords, "OOd:sweep", names, &start, &end, &radius) ||
        sp_py_numbers_into(NULL, start, "start", SP_PY_DOUBLE, 3, a) < 0 ||
        sp_py_numbers_into(NULL, end, "end", SP_PY_DOUBLE, 3, b) < 0 ||
        sp_py_world_check(self, sp_world_sweep(world, a, b, radius, &fraction, &body)) < 0)
        return NULL;
    return Py_BuildValue("(dN)", fraction, sp_py_body_new(self, body));
}

// ---------------------------------------------------------------------------------------------------- edits

// a word and keywords, or a dict (souple.Edit) or an edit taken
static int read_edit(sp_py_call *call, PyObject *args, PyObject *keywords, sp_edit *out) {
    PyObject *first = PyTuple_Size(args) == 1 ? PyTuple_GetItem(args, 0) : NULL;
    if (first && !PyUnicode_Check(first)) {
        PyObject *word = PyDict_Check(first) ? PyDict_GetItemString(first, "type") : PyObject_GetAttrString(first, "type");
        int type = 0;
        if (!word) return sp_py_fail(SP_BAD_INPUT, "an edit must be a dict or a souple.Edit with a type"), -1;
        int done = sp_py_word_value(&sp_py_words_sp_edit_type, word, "type of an edit", &type);
        if (!PyDict_Check(first)) Py_DECREF(word);
        *out = sp_edit_default((sp_edit_type)type);
        return done < 0 ? -1 : sp_py_struct_change(call, &sp_py_struct_sp_edit, first, out);
    }
    static const char *const names[] = {"type", NULL};
    PyObject *all = sp_py_arguments("queue", args, keywords, names, 1);
    int type = 0, done = -1;
    if (all && sp_py_word_value(&sp_py_words_sp_edit_type, PyDict_GetItemString(all, "type"), "type of an edit", &type) == 0) {
        *out = sp_edit_default((sp_edit_type)type);
        done = sp_py_struct_change(call, &sp_py_struct_sp_edit, all, out);
    }
    Py_XDECREF(all);
    return done;
}

static PyObject *world_queue(PyObject *self, PyObject *args, PyObject *keywords) {
    sp_world *world = sp_py_world_shared(self);
    sp_py_call call = call_of(self);
    sp_edit edit;
    PyObject *result = NULL;
    if (world && read_edit(&call, args, keywords, &edit) == 0) {
        sp_status status = sp_world_queue(world, &edit);
        result = status < 0 ? sp_py_raise_world(status, world) : (Py_INCREF(Py_None), Py_None);
    }
    sp_py_call_end(&call, false);
    return result;
}

static PyObject *world_apply(PyObject *self, PyObject *args, PyObject *keywords) {
    sp_world *world = sp_py_world(self);
    sp_py_call call = call_of(self);
    sp_edit edit;
    PyObject *result = NULL;
    if (world && read_edit(&call, args, keywords, &edit) == 0) result = sp_py_world_done(self, sp_world_apply(world, &edit));
    sp_py_call_end(&call, false);
    return result;
}

static PyObject *world_drop_edits(PyObject *self, PyObject *unused) {
    (void)unused;
    sp_world *world = sp_py_world(self);
    if (!world) return NULL;
    sp_world_drop_edits(world);
    Py_RETURN_NONE;
}

static PyObject *world_edits_taken(PyObject *self, void *closure) {
    (void)closure;
    const sp_world *world = sp_py_world(self);
    int count = 0;
    const sp_edit *edits = world ? sp_world_edits_taken(world, &count) : NULL;
    PyObject *list = world ? PyList_New(0) : NULL;
    for (int i = 0; list && i < count; i++) {
        PyObject *record = sp_py_record(&sp_py_struct_sp_edit, &edits[i], self);
        sp_py_append(&list, record);
    }
    return list;
}

// ---------------------------------------------------------------------------------------------------- parameters, fields

static PyObject *world_parameter(PyObject *self, PyObject *args) {
    sp_world *world = sp_py_world(self);
    const char *path;
    sp_param_info info;
    if (!world || !PyArg_ParseTuple(args, "s:parameter", &path) ||
        sp_py_world_check(self, sp_world_param(world, path, &info)) < 0)
        return NULL;
    return sp_py_record(&sp_py_struct_sp_param_info, &info, self);
}

static PyObject *world_parameters(PyObject *self, PyObject *unused) {
    (void)unused;
    sp_world *world = sp_py_world(self);
    PyObject *list = world ? PyList_New(0) : NULL;
    for (int i = 0; list && i < sp_world_param_count(world); i++) {
        sp_param_info info;
        PyObject *record = NULL;
        if (sp_py_world_check(self, sp_world_param_at(world, i, &info)) == 0)
            record = sp_py_record(&sp_py_struct_sp_param_info, &info, self);
        sp_py_append(&list, record);
    }
    return list;
}

static PyObject *world_set_param(PyObject *self, PyObject *args) {
    sp_world *world = sp_py_world(self);
    const char *path;
    double value;
    if (!world || !PyArg_ParseTuple(args, "sd:set_param", &path, &value)) return NULL;
    return sp_py_world_done(self, sp_world_set_param(world, path, value));
}

static PyObject *world_fields(PyObject *self, void *closure) {
    (void)closure;
    sp_world *world = sp_py_world(self);
    const sp_body_id all = {0, 0};
    PyObject *list = world ? PyList_New(0) : NULL;
    int count = list ? sp_world_field_count(world, all) : 0;
    for (int i = 0; list && i < count; i++) {
        sp_field_info info;
        PyObject *record = NULL;
        if (sp_py_world_check(self, sp_world_field_at(world, all, i, &info)) == 0)
            record = sp_py_record(&sp_py_struct_sp_field_info, &info, self);
        sp_py_append(&list, record);
    }
    return list;
}

static PyObject *world_publish(PyObject *self, PyObject *unused) {
    (void)unused;
    sp_world *world = sp_py_world(self);
    sp_status status;
    if (!world) return NULL;
    SP_PY_LONG(handle_of(self), status = sp_world_publish(world));
    return sp_py_world_done(self, status);
}

// ---------------------------------------------------------------------------------------------------- checkpoints

static PyObject *world_save(PyObject *self, PyObject *unused) {
    (void)unused;
    sp_world *world = sp_py_world(self);
    sp_checkpoint checkpoint;
    sp_status status;
    if (!world) return NULL;
    SP_PY_LONG(handle_of(self), status = sp_world_save(world, &checkpoint));
    if (sp_py_world_check(self, status) < 0) return NULL;
    PyObject *bytes = PyBytes_FromStringAndSize(checkpoint.data, (Py_ssize_t)checkpoint.size);
    sp_checkpoint_free(world, &checkpoint);
    return bytes;
}

static PyObject *world_restore(PyObject *self, PyObject *data) {
    sp_world *world = sp_py_world(self);
    char *bytes;
    Py_ssize_t size;
    sp_status status;
    if (!world || PyBytes_AsStringAndSize(data, &bytes, &size) < 0) return NULL;
    SP_PY_LONG(handle_of(self), status = sp_world_restore(world, bytes, (size_t)size));
    return sp_py_world_done(self, status);
}

static PyObject *world_repr(PyObject *self) {
    sp_py_handle *handle = handle_of(self);
    if (!handle) return PyUnicode_FromString("<souple.World, closed>");
    if (!sp_py_handle_is_current(handle)) return PyUnicode_FromString("<souple.World of the parent process>");
    if (handle->busy) return PyUnicode_FromString("<souple.World, in a step>");
    char text[120];
    snprintf(text, sizeof text, "<souple.World: %d bodies, %llu steps, t = %g s>", sp_world_body_count(handle->pointer),
             (unsigned long long)sp_world_steps(handle->pointer), sp_world_time(handle->pointer));
    return PyUnicode_FromString(text);
}

// ---------------------------------------------------------------------------------------------------- functions of the module

static PyObject *field_list(PyObject *self, PyObject *unused) {
    (void)self, (void)unused;
    PyObject *list = PyList_New(0);
    sp_field_info info;
    for (int i = 0; list && i < sp_field_count() && sp_field_at(i, &info) >= 0; i++) {
        PyObject *record = sp_py_record(&sp_py_struct_sp_field_info, &info, NULL);
        sp_py_append(&list, record);
    }
    return list;
}

static PyObject *parameter_list(PyObject *self, PyObject *args) {
    (void)self;
    const char *kind;
    if (!PyArg_ParseTuple(args, "s:list_parameters", &kind)) return NULL;
    const char *known[16];
    int kinds = 0, found = 0;
    for (; kinds < 16 && sp_kind_name(kinds); kinds++) {
        known[kinds] = sp_kind_name(kinds);
        found |= strcmp(kind, known[kinds]) == 0;
    }
    if (!found) return sp_py_unknown(sp_py_bad_input, "kind", kind, known, kinds), NULL;
    PyObject *list = PyList_New(0);
    sp_param_spec spec;
    for (int i = 0; list && i < sp_kind_param_count(kind) && sp_kind_param_at(kind, i, &spec) >= 0; i++) {
        PyObject *record = sp_py_record(&sp_py_struct_sp_param_spec, &spec, NULL);
        sp_py_append(&list, record);
    }
    return list;
}

static PyObject *kind_list(PyObject *self, PyObject *unused) {
    (void)self, (void)unused;
    PyObject *list = PyList_New(0);
    for (int i = 0; list && sp_kind_name(i); i++) {
        PyObject *name = PyUnicode_FromString(sp_kind_name(i));
        sp_py_append(&list, name);
    }
    return list;
}

static PyObject *backend_list(PyObject *self, PyObject *unused) {
    (void)self, (void)unused;
    PyObject *dict = PyDict_New();
    for (int i = 0; dict && sp_backend_name(i); i++) {
        const char *detail = sp_backend_detail(sp_backend_name(i));
        PyObject *text = PyUnicode_FromString(detail ? detail : "");
        if (!text || PyDict_SetItemString(dict, sp_backend_name(i), text) < 0) Py_CLEAR(dict);
        Py_XDECREF(text);
    }
    return dict;
}

static PyObject *stage_list(PyObject *self, PyObject *unused) {
    (void)self, (void)unused;
    PyObject *list = PyList_New(0);
    for (int i = 0; list && i < SP_STAGE_COUNT; i++) {
        PyObject *name = PyUnicode_FromString(sp_stage_name((sp_stage)i));
        sp_py_append(&list, name);
    }
    return list;
}

// a definition of a solid without a mesh: law and constants
static PyObject *material_moduli(PyObject *self, PyObject *args, PyObject *keywords) {
    (void)self;
    static const char *const names[] = {"material", NULL};
    PyObject *all = sp_py_arguments("moduli", args, keywords, names, 0), *result = NULL;
    sp_py_call call = {0};
    sp_solid_def def;
    sp_moduli moduli;
    char wrong[300] = "";
    if (all && split_material(all) == 0 && sp_py_struct_set(&call, &sp_py_struct_sp_solid_def, all, &def) == 0) {
        sp_solid_law law = {def.model, def.rotation,   def.shape,       def.tangent,
                            def.form,  def.volumetric, def.integration, def.tensor_law};
        if (sp_material_moduli(&law, &def.material, &moduli, wrong, sizeof wrong))
            result = sp_py_record(&sp_py_struct_sp_moduli, &moduli, NULL);
        else
            sp_py_fail(SP_BAD_INPUT, "%s", wrong);
    }
    sp_py_call_end(&call, false);
    Py_XDECREF(all);
    return result;
}

static PyObject *rigid_mass(PyObject *self, PyObject *args, PyObject *keywords) {
    (void)self;
    static const char *const names[] = {"shapes", NULL};
    PyObject *all = sp_py_arguments("rigid_mass", args, keywords, names, 0), *result = NULL;
    sp_py_handle *context = sp_py_context_handle(NULL);
    sp_py_call call = {0};
    sp_rigid_def def;
    sp_rigid_mass mass;
    if (all && context && sp_py_struct_set(&call, &sp_py_struct_sp_rigid_def, all, &def) == 0) {
        sp_status status = sp_rigid_def_mass(context->pointer, &def, &mass);
        result =
            status < 0 ? sp_py_raise_context(status, context->pointer) : sp_py_record(&sp_py_struct_sp_rigid_mass, &mass, NULL);
    }
    sp_py_call_end(&call, false);
    Py_XDECREF(all);
    return result;
}

static PyObject *rod_fit(PyObject *self, PyObject *args, PyObject *keywords) {
    (void)self;
    static char *names[] = {"points", "elements", "model", NULL};
    PyObject *points, *model = NULL, *result = NULL;
    int elements, word = SP_ROD_CLOTHOID;
    Py_ssize_t count;
    sp_py_call call = {0};
    sp_py_handle *context = sp_py_context_handle(NULL);
    if (!context || !PyArg_ParseTupleAndKeywords(args, keywords, "Oi|O:fit_rod", names, &points, &elements, &model)) return NULL;
    if (model && sp_py_word_value(&sp_py_words_sp_rod_model, model, "model", &word) < 0) return NULL;
    const double *x = sp_py_numbers(&call, points, "points", SP_PY_DOUBLE, 3, &count);
    double *curvature = x ? sp_py_call_alloc(&call, elements >= 0 ? 3 * ((size_t)elements + 1) : 1, sizeof *curvature) : NULL;
    if (curvature) {
        sp_pose root;
        double length, farthest;
        sp_status status;
        SP_PY_UNLOCKED(context, status = sp_rod_fit(context->pointer, x, (int)count, elements, word != SP_ROD_HELIX, &root,
                                                    &length, curvature, &farthest));
        if (status < 0)
            sp_py_raise_context(status, context->pointer);
        else
            result = Py_BuildValue("{sNsdsisNsd}", "root", sp_py_record(&sp_py_struct_sp_pose, &root, NULL), "length", length,
                                   "elements", elements, "curvature", sp_py_copy(curvature, SP_PY_DOUBLE, elements + 1, 3),
                                   "farthest", farthest);
    }
    sp_py_call_end(&call, false);
    return result;
}

static PyMethodDef functions[] = {
    {"list_fields", field_list, METH_NOARGS, "list_fields()\n--\n\nAll fields of all kinds of bodies: souple.FieldInfo."},
    {"list_parameters", parameter_list, METH_VARARGS,
     "list_parameters(kind)\n--\n\nThe parameters of a kind (see list_kinds): souple.ParamSpec."},
    {"list_kinds", kind_list, METH_NOARGS, "list_kinds()\n--\n\n" SP_DOC_sp_kind_name},
    {"list_backends", backend_list, METH_NOARGS,
     "list_backends()\n--\n\nBackends of this build, and the hardware that they use."},
    {"list_stages", stage_list, METH_NOARGS,
     "list_stages()\n--\n\nNames of the stages of a step, in the order of StepInfo.stage_ms."},
    {"moduli", SP_PY_KEYWORDS(material_moduli), METH_VARARGS | METH_KEYWORDS,
     "moduli(material=\"corotational\", **keywords)\n--\n\n" SP_DOC_sp_material_moduli "\n" SP_KEYWORDS_sp_material},
    {"rigid_mass", SP_PY_KEYWORDS(rigid_mass), METH_VARARGS | METH_KEYWORDS,
     "rigid_mass(shapes=None, **keywords)\n--\n\n" SP_DOC_sp_rigid_def_mass "\n" SP_KEYWORDS_sp_rigid_def},
    {"fit_rod", SP_PY_KEYWORDS(rod_fit), METH_VARARGS | METH_KEYWORDS,
     "fit_rod(points, elements, model=\"clothoid\")\n--\n\n" SP_DOC_sp_rod_fit
     "\n\nThe result is a dict with root, length, elements, curvature (a strand of World.add_rod has these) and farthest."},
    {NULL, NULL, 0, NULL}};

// ---------------------------------------------------------------------------------------------------- the class

static PyMethodDef methods[] = {
    {"snapshot", sp_py_snapshot, METH_NOARGS, "snapshot($self)\n--\n\n" SP_DOC_sp_world_snapshot_acquire},
    {"publish", world_publish, METH_NOARGS, "publish($self)\n--\n\n" SP_DOC_sp_world_publish},
    {"close", world_close, METH_NOARGS,
     "close($self)\n--\n\nReleases the world. Its memory is freed when the last snapshot or array that shows it is gone."},
    {"__enter__", world_enter, METH_NOARGS, NULL},
    {"__exit__", sp_py_exit, METH_VARARGS, NULL},
    {"add_solid", SP_PY_KEYWORDS(world_add_solid), METH_VARARGS | METH_KEYWORDS,
     "add_solid($self, mesh, name=None, **keywords)\n--\n\n" SP_DOC_sp_world_add_solid
     "\n\nmaterial: the law (\"neo-hookean\"), or a dict of constants; these may also be given directly (young=3e5). fix, load, "
     "...:\n"
     "one dict or a list of them; a fix may be just a list of nodes. Functions of time take t [s].\n" SP_KEYWORDS_sp_solid_def
     "\nof the material:\n" SP_KEYWORDS_sp_material},
    {"add_rigid", SP_PY_KEYWORDS(world_add_rigid), METH_VARARGS | METH_KEYWORDS,
     "add_rigid($self, shapes=None, name=None, **keywords)\n--\n\n" SP_DOC_sp_world_add_rigid "\n" SP_KEYWORDS_sp_rigid_def
     "\nof a shape (one shape: also directly, but its pose is that of the body):\n" SP_KEYWORDS_sp_rigid_shape},
    {"add_rod", SP_PY_KEYWORDS(world_add_rod), METH_VARARGS | METH_KEYWORDS,
     "add_rod($self, strands=None, sections=None, name=None, **keywords)\n--\n\n" SP_DOC_sp_world_add_rod
     "\n" SP_KEYWORDS_sp_rod_def "\nof a strand (one strand: also directly):\n" SP_KEYWORDS_sp_rod_strand
     "\nof a section (one section: also directly):\n" SP_KEYWORDS_sp_rod_section},
    {"add_link", SP_PY_KEYWORDS(world_add_link), METH_VARARGS | METH_KEYWORDS,
     "add_link($self, type=\"weld\", a=None, b=None, **keywords)\n--\n\n" SP_DOC_sp_world_add_link "\n" SP_KEYWORDS_sp_link_def},
    {"set_contact", SP_PY_KEYWORDS(world_set_contact), METH_VARARGS | METH_KEYWORDS,
     "set_contact($self, formulation=\"penalty\", **keywords)\n--\n\n" SP_DOC_sp_world_set_contact
     "\n\nformulation None: no contact.\n" SP_KEYWORDS_sp_contact_def},
    {"add_contact_pair", SP_PY_KEYWORDS(world_add_contact_pair), METH_VARARGS | METH_KEYWORDS,
     "add_contact_pair($self, a, b, **keywords)\n--\n\n" SP_DOC_sp_world_add_contact_pair
     "\n\na, b: a body or its name, a dict of a part, or a list of them.\n" SP_KEYWORDS_sp_contact_pair_def},
    {"add_friction", SP_PY_KEYWORDS(world_add_friction), METH_VARARGS | METH_KEYWORDS,
     "add_friction($self, part, friction, path=None)\n--\n\n" SP_DOC_sp_world_add_friction},
    {"open_surface", world_open_surface, METH_NOARGS, "open_surface($self)\n--\n\n" SP_DOC_sp_world_open_surface},
    {"set_contacts", world_set_contacts, METH_O, "set_contacts($self, contacts)\n--\n\n" SP_DOC_sp_world_set_contacts},
    {"contact_problem", world_contact_problem, METH_NOARGS,
     "contact_problem($self)\n--\n\n" SP_DOC_sp_contact_problem "\n\nA dict; W by compressed rows: start, column, value."},
    {"step", world_step, METH_O, "step($self, h)\n--\n\n" SP_DOC_sp_world_step "\n\nReturns souple.Status; failures are raised."},
    {"sweep", SP_PY_KEYWORDS(world_sweep), METH_VARARGS | METH_KEYWORDS,
     "sweep($self, start, end, radius)\n--\n\n(fraction, body). " SP_DOC_sp_world_sweep},
    {"queue", SP_PY_KEYWORDS(world_queue), METH_VARARGS | METH_KEYWORDS,
     "queue($self, type, **keywords)\n--\n\n" SP_DOC_sp_world_queue "\n" SP_KEYWORDS_sp_edit},
    {"apply", SP_PY_KEYWORDS(world_apply), METH_VARARGS | METH_KEYWORDS,
     "apply($self, type, **keywords)\n--\n\n" SP_DOC_sp_world_apply},
    {"drop_edits", world_drop_edits, METH_NOARGS, "drop_edits($self)\n--\n\n" SP_DOC_sp_world_drop_edits},
    {"parameter", world_parameter, METH_VARARGS, "parameter($self, path)\n--\n\n" SP_DOC_sp_world_param},
    {"parameters", world_parameters, METH_NOARGS,
     "parameters($self)\n--\n\nAll parameters that edits may change: souple.ParamInfo."},
    {"set_param", world_set_param, METH_VARARGS, "set_param($self, path, value)\n--\n\n" SP_DOC_sp_world_set_param},
    {"save", world_save, METH_NOARGS,
     "save($self)\n--\n\n"
     "The state of the world as bytes. After `restore`, the same world, or one made by the same calls, continues with the same "
     "hashes."},
    {"restore", world_restore, METH_O, "restore($self, checkpoint)\n--\n\n" SP_DOC_sp_world_restore},
    {NULL, NULL, 0, NULL}};

static PyGetSetDef properties[] = {{"bodies", world_bodies, NULL, "All bodies, in the order of creation.", NULL},
                                   {"links", world_links, NULL, "All links, in the order of creation.", NULL},
                                   {"contact_def", world_contact_def, NULL, "Contact as it is now, or None.", NULL},
                                   {"contacts", world_contacts, NULL, "Contacts of the last step: souple.ContactPoint.", NULL},
                                   {"contact_sum", world_contact_sum, NULL, "Sum of all contacts of the last step.", NULL},
                                   {"step_info", world_step_info, NULL, SP_DOC_sp_world_step_info, NULL},
                                   {"time", world_time, NULL, SP_DOC_sp_world_time, NULL},
                                   {"steps", world_steps, NULL, SP_DOC_sp_world_steps, NULL},
                                   {"hash", world_hash, NULL, SP_DOC_sp_world_hash, NULL},
                                   {"backend", world_backend, NULL, SP_DOC_sp_world_backend, NULL},
                                   {"context", world_context, NULL, SP_DOC_sp_world_context, NULL},
                                   {"events", world_events, NULL, "Events of the last step: souple.Event.", NULL},
                                   {"edits_taken", world_edits_taken, NULL, SP_DOC_sp_world_edits_taken, NULL},
                                   {"fields", world_fields, NULL, "Fields of all bodies of the world: souple.FieldInfo.", NULL},
                                   {NULL, NULL, NULL, NULL, NULL}};

int sp_py_init_world(PyObject *module) {
    static PyType_Slot slots[] = {
        SP_PY_OBJECT_SLOTS,
        {Py_tp_new, world_new},
        {Py_tp_repr, world_repr},
        {Py_tp_methods, methods},
        {Py_tp_getset, properties},
        {Py_mp_subscript, world_getitem},
        {Py_sq_contains, world_contains},
        {Py_tp_doc, "World(gravity=(0, -9.81, 0), *, backend=\"auto\", context=None, **keywords)\n--\n\n" SP_DOC_sp_world
                    "\n\nOne thread at a time uses a world; edits may be queued and snapshots taken by any thread.\n"
                    "world[name] is a body or a link.\n" SP_KEYWORDS_sp_world_def},
        {0, NULL}};
    static PyType_Spec spec = {"souple.World", sizeof(sp_py_object), 0,
                               Py_TPFLAGS_DEFAULT | Py_TPFLAGS_HAVE_GC | Py_TPFLAGS_BASETYPE, slots};
    sp_py_world_type = (PyTypeObject *)sp_py_add_type(module, &spec);
    return sp_py_world_type ? PyModule_AddFunctions(module, functions) : -1;
}
