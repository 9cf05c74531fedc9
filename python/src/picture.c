// Pictures as arrays, cross sections, plots.
#include "io.h"

#include <math.h>

static PyTypeObject *section_type;

// ---------------------------------------------------------------------------------------------------- pictures

// `opacity`: a number for every body, or a dict of name and number
static int take_opacity(sp_py_call *call, PyObject *value, sp_picture_def *def) {
    if (!value || value == Py_None) return 0;
    if (!PyDict_Check(value)) {
        sp_picture_opacity *one = sp_py_call_alloc(call, 1, sizeof *one);
        if (!one) return -1;
        one->opacity = PyFloat_AsDouble(value);
        def->opacities = one, def->opacity_count = 1;
        return PyErr_Occurred() ? -1 : 0;
    }
    PyObject *names = PyDict_Keys(value);
    const char *const *texts;
    int count;
    const int bad = sp_py_strings(call, names, "opacity", &texts, &count);
    Py_XDECREF(names);
    sp_picture_opacity *list = bad < 0 ? NULL : sp_py_call_alloc(call, count ? (size_t)count : 1, sizeof *list);
    for (int i = 0; list && i < count; i++) {
        list[i] = (sp_picture_opacity){texts[i], PyFloat_AsDouble(PyDict_GetItemString(value, texts[i]))};
        if (PyErr_Occurred()) return -1;
    }
    def->opacities = list, def->opacity_count = count;
    return list ? 0 : -1;
}

// Keywords on top of what the scene of the run says. Places of the camera or of a plane say that these are wanted.
static int picture_set(sp_py_call *call, PyObject *keywords, const sp_run *run, sp_picture_def *def) {
    *def = run ? sp_run_picture(run) : sp_picture_def_default();
    if (PyDict_GetItemString(keywords, "at") || PyDict_GetItemString(keywords, "to")) def->fitted = false;
    if (PyDict_GetItemString(keywords, "azimuth") || PyDict_GetItemString(keywords, "elevation")) def->fitted = true;
    if (PyDict_GetItemString(keywords, "clip_point") || PyDict_GetItemString(keywords, "clip_normal")) def->clip = true;
    if (take_opacity(call, sp_py_take(call, keywords, "opacity"), def) < 0) return -1;
    if (PyErr_Occurred() || sp_py_struct_change(call, &sp_py_struct_sp_picture_def, keywords, def) < 0) return -1;
    if (def->width >= 16 && def->width <= 16384 && def->height >= 16 && def->height <= 16384) return 0;
    return sp_py_fail(SP_BAD_INPUT, "width x height = %d x %d, each must be in [16, 16384]", def->width, def->height), -1;
}

static PyObject *pixels_new(const sp_picture_def *def, unsigned char **rgb) {
    const Py_ssize_t shape[] = {def->height, def->width, 3};
    return sp_py_array(SP_PY_BYTE, 3, shape, (void **)rgb);
}

typedef struct picture_call {
    sp_py_call call;
    PyObject *keywords;
    sp_py_handle *handle;  // of the world
    sp_world *world;
    const sp_run *run;
    sp_picture_def def;
} picture_call;

// world, run and keywords of a function; false: exception
static bool picture_begin(picture_call *c, const char *function, PyObject *args, PyObject *keywords) {
    static const char *const names[] = {"world", "run", NULL};
    *c = (picture_call){.keywords = sp_py_arguments(function, args, keywords, names, 1)};
    if (!c->keywords) return false;
    PyObject *world = sp_py_take(&c->call, c->keywords, "world"), *run = sp_py_take(&c->call, c->keywords, "run");
    if (PyErr_Occurred() || !(c->world = sp_py_world(world)) || !(c->handle = sp_py_world_handle(world))) return false;
    if (run && run != Py_None && !(c->run = sp_py_run_pointer(run))) return false;
    c->call.world = world;
    return true;
}

static void picture_end(picture_call *c) {
    sp_py_call_end(&c->call, true);
    Py_XDECREF(c->keywords);
}

static PyObject *draw(PyObject *module, PyObject *args, PyObject *keywords) {
    (void)module;
    picture_call c;
    PyObject *array = NULL;
    unsigned char *rgb;
    sp_status status = SP_OK;
    if (picture_begin(&c, "draw", args, keywords) && picture_set(&c.call, c.keywords, c.run, &c.def) == 0 &&
        (array = pixels_new(&c.def, &rgb))) {
        SP_PY_LONG(c.handle, status = sp_picture_draw(c.world, c.run, &c.def, rgb));
        if (status < 0) {
            Py_CLEAR(array);
            sp_py_raise_context(status, sp_world_context(c.world));
        }
    }
    picture_end(&c);
    return array;
}

static PyObject *write_picture(PyObject *module, PyObject *args, PyObject *keywords) {
    (void)module;
    picture_call c;
    bool good = picture_begin(&c, "write_picture", args, keywords);
    PyObject *path = good ? sp_py_take(&c.call, c.keywords, "path") : NULL;
    const char *file = path ? sp_py_path(&c.call, path) : NULL;
    if (good && !path && !PyErr_Occurred()) PyErr_SetString(PyExc_TypeError, "write_picture: path is missing");
    good = file && picture_set(&c.call, c.keywords, c.run, &c.def) == 0;
    if (good) {
        sp_status status;
        SP_PY_LONG(c.handle, status = sp_picture_write(c.world, c.run, &c.def, file));
        if (status < 0) good = false, sp_py_raise_context(status, sp_world_context(c.world));
    }
    picture_end(&c);
    if (!good) return NULL;
    Py_RETURN_NONE;
}

static PyObject *measure(PyObject *module, PyObject *args, PyObject *keywords) {
    (void)module;
    picture_call c;
    PyObject *out = NULL;
    sp_picture_extent extent;
    if (!picture_begin(&c, "picture_extent", args, keywords)) return picture_end(&c), NULL;
    PyObject *given = sp_py_take(&c.call, c.keywords, "extent");
    if (given == Py_None) given = NULL;
    if (sp_py_struct_set(&c.call, &sp_py_struct_sp_picture_extent, given, &extent) == 0 &&
        picture_set(&c.call, c.keywords, c.run, &c.def) == 0) {
        sp_status status;
        SP_PY_LONG(c.handle, status = sp_picture_measure(c.world, c.run, &c.def, &extent));
        out = status < 0 ? sp_py_raise_context(status, sp_world_context(c.world))
                         : sp_py_record(&sp_py_struct_sp_picture_extent, &extent, NULL);
    }
    picture_end(&c);
    return out;
}

static PyObject *draw_surface(PyObject *module, PyObject *args, PyObject *keywords) {
    (void)module;
    static const char *const names[] = {"surface", NULL};
    PyObject *all = sp_py_arguments("draw_surface", args, keywords, names, 1), *array = NULL;
    sp_py_call call = {0};
    sp_picture_def def;
    unsigned char *rgb;
    if (!all) return NULL;
    PyObject *object = sp_py_take(&call, all, "surface"), *named = sp_py_take(&call, all, "name");
    const sp_trimesh *surface = sp_py_surface(object, "surface");
    const char *name = surface && named && named != Py_None ? sp_py_path(&call, named) : NULL;
    if (surface && !PyErr_Occurred() && picture_set(&call, all, NULL, &def) == 0 && (array = pixels_new(&def, &rgb))) {
        sp_context *ctx = sp_trimesh_context(surface);
        sp_status status;
        SP_PY_UNLOCKED(((sp_py_object *)object)->handle, status = sp_picture_surface(ctx, surface, name, &def, rgb));
        if (status < 0) {
            Py_CLEAR(array);
            sp_py_raise_context(status, ctx);
        }
    }
    sp_py_call_end(&call, true);
    Py_DECREF(all);
    return array;
}

static PyObject *save_picture(PyObject *module, PyObject *args, PyObject *keywords) {
    (void)module;
    static char *names[] = {"pixels", "path", "width", "height", NULL};
    PyObject *pixels, *path;
    int width, height;
    sp_py_call call = {0};
    Py_ssize_t rows;
    if (!PyArg_ParseTupleAndKeywords(args, keywords, "OOii:save_picture", names, &pixels, &path, &width, &height)) return NULL;
    sp_py_handle *owner = sp_py_context_handle(NULL);
    sp_context *ctx = owner ? sp_py_pointer_shared(owner, "context") : NULL;
    const char *file = ctx ? sp_py_path(&call, path) : NULL;
    const unsigned char *rgb = file ? sp_py_numbers(&call, pixels, "pixels", SP_PY_BYTE, 3, &rows) : NULL;
    bool good = rgb && width > 0 && height > 0 && rows == (Py_ssize_t)width * height;
    sp_status status = SP_OK;
    if (rgb && !good) sp_py_fail(SP_BAD_INPUT, "pixels: %zd, must be %d x %d", rows, width, height);
    if (good) SP_PY_UNLOCKED(owner, status = sp_picture_save(ctx, rgb, width, height, file));
    sp_py_call_end(&call, good);
    if (!good) return NULL;
    if (status < 0) return sp_py_raise_context(status, ctx);
    Py_RETURN_NONE;
}

// ---------------------------------------------------------------------------------------------------- sections

static void section_free(void *pointer) {
    sp_section *section = pointer;
    sp_section_destroy(&section);
}

static PyObject *section_new(PyTypeObject *type, PyObject *args, PyObject *keywords) {
    static char *names[] = {"world", "body", NULL};
    PyObject *object, *body, *self = NULL;
    if (!PyArg_ParseTupleAndKeywords(args, keywords, "OO:Section", names, &object, &body)) return NULL;
    sp_world *world = sp_py_world(object);
    sp_py_call call = {.world = object};
    sp_body_id id;
    sp_section *section = NULL;
    if (world && sp_py_body_id(&call, body, "body", &id) == 0) {
        const sp_status status = sp_section_create(world, id, &section);
        sp_py_handle *handle = status < 0 ? NULL : sp_py_handle_new("section", section, section_free, sp_py_world_handle(object));
        if (status < 0) sp_py_raise_context(status, sp_world_context(world));
        self = handle ? sp_py_object_new(type, handle) : NULL;
    }
    sp_py_call_end(&call, self != NULL);
    return self;
}

static PyObject *section_update(PyObject *self, PyObject *args, PyObject *keywords) {
    static char *names[] = {"field", NULL};
    const char *field = NULL;
    if (!PyArg_ParseTupleAndKeywords(args, keywords, "|z:update", names, &field)) return NULL;
    sp_py_handle *handle = ((sp_py_object *)self)->handle;
    sp_section *section = sp_py_pointer(handle, "section");
    sp_status status;
    if (!section) return NULL;
    SP_PY_LONG(handle, status = sp_section_update(section, field));
    if (status < 0) return sp_py_raise_context(status, sp_py_io_context(handle));
    Py_RETURN_NONE;
}

static PyObject *section_cut(PyObject *self, PyObject *args, PyObject *keywords) {
    static char *names[] = {"point", "normal", NULL};
    PyObject *point, *normal, *out = NULL;
    double p[3], n[3];
    sp_py_call call = {0};
    if (!PyArg_ParseTupleAndKeywords(args, keywords, "OO:cut", names, &point, &normal)) return NULL;
    sp_py_handle *handle = ((sp_py_object *)self)->handle;
    sp_section *section = sp_py_pointer(handle, "section");
    sp_section_faces faces;
    sp_status status;
    if (section && sp_py_numbers_into(&call, point, "point", SP_PY_DOUBLE, 3, p) == 0 &&
        sp_py_numbers_into(&call, normal, "normal", SP_PY_DOUBLE, 3, n) == 0) {
        SP_PY_LONG(handle, status = sp_section_cut(section, p, n, &faces));
        if (status < 0)
            sp_py_raise_context(status, sp_py_io_context(handle));
        else
            out = Py_BuildValue("{s:N,s:N,s:N,s:N}", "positions",
                                sp_py_copy(faces.positions, SP_PY_DOUBLE, faces.vertex_count, 3), "values",
                                faces.values ? sp_py_copy(faces.values, SP_PY_DOUBLE, faces.vertex_count, 0) : Py_BuildValue(""),
                                "regions", sp_py_copy(faces.regions, SP_PY_INT, faces.vertex_count, 0), "faces",
                                sp_py_copy(faces.faces, SP_PY_UINT, faces.face_count, 3));
    }
    sp_py_call_end(&call, out != NULL);
    return out;
}

// ---------------------------------------------------------------------------------------------------- plots

// a list of dicts with the fields of a panel
static sp_plot *panels_of(sp_py_call *call, PyObject *list, int *count) {
    const Py_ssize_t n = PyList_Check(list) ? PyList_Size(list) : 0;
    if (n < 1 || n > SP_PLOT_PANELS)
        return sp_py_fail(SP_BAD_INPUT, "panels: a list of %zd, must have 1 to %d", n, SP_PLOT_PANELS), NULL;
    sp_plot *plots = sp_py_call_alloc(call, (size_t)n, sizeof *plots);
    for (Py_ssize_t i = 0; plots && i < n; i++) {
        PyObject *item = PyList_GetItem(list, i), *panel = PyDict_Check(item) ? PyDict_Copy(item) : NULL;
        if (!panel && !PyErr_Occurred()) PyErr_SetString(PyExc_TypeError, "a panel must be a dict");
        int labels;
        if (!panel || sp_py_strings(call, sp_py_take(call, panel, "labels"), "labels", &plots[i].labels, &labels) < 0 ||
            sp_py_struct_change(call, &sp_py_struct_sp_plot, panel, &plots[i]) < 0)
            plots = NULL;
        for (int k = 0; plots && plots[i].labels && k < plots[i].series_count; k++)
            if (plots[i].series[k].count > labels)
                plots = (sp_py_fail(SP_BAD_INPUT, "series \"%s\" has %d bars, but there are %d labels", plots[i].series[k].name,
                                    plots[i].series[k].count, labels),
                         NULL);
        Py_XDECREF(panel);
    }
    *count = (int)n;
    return plots;
}

static PyObject *plot_write(PyObject *module, PyObject *args) {
    (void)module;
    PyObject *list, *path, *out = NULL;
    sp_py_call call = {0};
    int count;
    if (!PyArg_ParseTuple(args, "OO:plot_write", &list, &path)) return NULL;
    sp_py_handle *owner = sp_py_context_handle(NULL);
    sp_context *ctx = owner ? sp_py_pointer_shared(owner, "context") : NULL;
    sp_plot *plots = ctx ? panels_of(&call, list, &count) : NULL;
    const char *file = plots ? sp_py_path(&call, path) : NULL;
    if (file && !sp_plot_suffix(file))
        sp_py_fail(SP_BAD_INPUT, "%s: the name of a plot must end in .svg or .png", file);
    else if (file) {
        const sp_status status = sp_plot_write(ctx, plots, count, file);
        out = status < 0 ? sp_py_raise_context(status, ctx) : Py_BuildValue("");
    }
    sp_py_call_end(&call, out != NULL);
    return out;
}

static PyObject *plot_svg(PyObject *module, PyObject *list) {
    (void)module;
    sp_py_call call = {0};
    int count;
    PyObject *out = NULL;
    sp_py_handle *owner = sp_py_context_handle(NULL);
    sp_context *ctx = owner ? sp_py_pointer_shared(owner, "context") : NULL;
    sp_plot *plots = ctx ? panels_of(&call, list, &count) : NULL;
    PyObject *text = plots ? PyList_New(0) : NULL;
    if (text) {
        const sp_status status = sp_plot_svg(ctx, plots, count, sp_py_print, text);
        if (status < 0) {
            Py_CLEAR(text);
            sp_py_raise_context(status, ctx);
        }
        out = sp_py_printed(text);
    }
    sp_py_call_end(&call, out != NULL);
    return out;
}

// ---------------------------------------------------------------------------------------------------- registration

#define KEYWORDS(function) (PyCFunction)(void (*)(void))(function), METH_VARARGS | METH_KEYWORDS

static PyMethodDef section_methods[] = {
    {"update", KEYWORDS(section_update), "update($self, field=None)\n--\n\n" SP_DOC_sp_section_update},
    {"cut", KEYWORDS(section_cut),
     "cut($self, point, normal)\n--\n\n" SP_DOC_sp_section_cut " A dict of positions, values, regions, faces."},
    {NULL, NULL, 0, NULL}};

static PyType_Slot section_slots[] = {
    {Py_tp_new, section_new},
    SP_PY_OBJECT_SLOTS,
    {Py_tp_methods, section_methods},
    {Py_tp_doc, "Section(world, body)\n--\n\nThe elements of a solid, prepared to be cut by planes."},
    {0, NULL}};
static PyType_Spec section_spec = {"souple.Section", sizeof(sp_py_object), 0, Py_TPFLAGS_DEFAULT | Py_TPFLAGS_HAVE_GC,
                                   section_slots};

static PyMethodDef functions[] = {
    {"draw", KEYWORDS(draw),
     "draw($module, world, run=None, **picture)\n--\n\nThe current state as (height, width, 3) bytes, rows from the top."},
    {"write_picture", KEYWORDS(write_picture),
     "write_picture($module, world, run=None, *, path, **picture)\n--\n\n" SP_DOC_sp_picture_write},
    {"picture_extent", KEYWORDS(measure),
     "picture_extent($module, world, run=None, *, extent=None, **picture)\n--\n\nThe extent of a series of pictures, extended by "
     "the "
     "current "
     "state."},
    {"draw_surface", KEYWORDS(draw_surface),
     "draw_surface($module, surface, name=None, **picture)\n--\n\n" SP_DOC_sp_picture_surface},
    {"save_picture", KEYWORDS(save_picture), "save_picture($module, pixels, path, width, height)\n--\n\n" SP_DOC_sp_picture_save},
    {"_plot_write", plot_write, METH_VARARGS, "_plot_write($module, panels, path)\n--\n\n" SP_DOC_sp_plot_write},
    {"_plot_svg", plot_svg, METH_O, "_plot_svg($module, panels)\n--\n\nThe panels as one SVG element."},
    {NULL, NULL, 0, NULL}};

int sp_py_init_picture(PyObject *module) {
    section_type = (PyTypeObject *)sp_py_add_type(module, &section_spec);
    return section_type ? PyModule_AddFunctions(module, functions) : -1;
}
