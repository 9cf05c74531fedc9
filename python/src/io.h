// The classes of libsouple-io, and what their files share. The rules are those of convert.h.
#ifndef SP_PYTHON_IO_H
#define SP_PYTHON_IO_H

#include <souple/io.h>

#include "convert.h"
#include "docs.h"
#include "tables.h"

// A run: its handle, whose parent is that of the scene, and that of its world.
typedef struct sp_py_run {
    PyObject_HEAD sp_py_handle *handle;
    sp_py_handle *world;
} sp_py_run;

extern PyTypeObject *sp_py_scene_type, *sp_py_run_type;

// The context of a handle: walks up its parents.
sp_context *sp_py_io_context(sp_py_handle *handle);
// A list of strings as an array of this call; None or NULL: none, *count = 0. -1: exception.
int sp_py_strings(sp_py_call *call, PyObject *value, const char *what, const char *const **out, int *count);
// A string or path object as text of this call. NULL: exception.
const char *sp_py_path(sp_py_call *call, PyObject *value);
// The context and the path of a function that reads a file.
typedef struct sp_py_file_call {
    sp_py_call call;
    sp_py_handle *owner;
    sp_context *context;
    const char *path;
} sp_py_file_call;
bool sp_py_file_begin(sp_py_file_call *c, PyObject *path, PyObject *context);  // false: exception; end it, too
void sp_py_file_end(sp_py_file_call *c);
// What a function (path, context=None) opens, as a handle. `format`: "O|O:Recording". NULL: exception.
typedef sp_status sp_py_open_fn(sp_context *context, const char *path, void **out);
sp_py_handle *sp_py_open(const char *what, PyObject *args, PyObject *keywords, const char *format, sp_py_open_fn *open,
                         void (*release)(void *pointer));
// Takes an item out of a dict of keywords: borrowed until the call ends, NULL where it is not given (no exception).
PyObject *sp_py_take(sp_py_call *call, PyObject *keywords, const char *name);
// Collects the texts that the library prints: user of sp_py_print is a list.
void sp_py_print(void *user, const char *text);
PyObject *sp_py_printed(PyObject *list);  // the text; takes over the list, NULL where it is NULL or an exception is set
// A list of `count` records by an _at function.
typedef int sp_py_at_fn(void *user, int index, void *out);
PyObject *sp_py_records(const sp_py_struct *table, int count, sp_py_at_fn *at, void *user);
// The pointer of an object of one of the classes below; NULL: exception.
void *sp_py_object_pointer(PyObject *object, PyTypeObject *type, const char *what);

// Raises a failure that left messages in a scene, from the given number on; without messages the error of the context.
PyObject *sp_py_raise_scene(sp_py_handle *scene, sp_status status, int from);
// A scene that takes over `scene`, of this subclass of souple.Scene.
PyObject *sp_py_scene_wrap(PyTypeObject *type, sp_scene *scene, sp_py_handle *parent);
int sp_py_scene_options(sp_py_call *call, PyObject *sets, PyObject *allow, sp_scene_options *out);
sp_run *sp_py_run_pointer(PyObject *run);  // NULL: exception
// The status of a call on a run as souple.Status, after signals were looked at. A failure is raised.
PyObject *sp_py_run_result(sp_py_run *run, sp_status status);

int sp_py_init_scene(PyObject *module);
int sp_py_init_run(PyObject *module);
int sp_py_init_files(PyObject *module);
int sp_py_init_recording(PyObject *module);
int sp_py_init_picture(PyObject *module);
int sp_py_init_fclib(PyObject *module);
int sp_py_init_io(PyObject *module);  // all of them

#endif
