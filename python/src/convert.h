// What all classes of the extension share: handles and their lifetime, errors, arrays in and out, and the conversion of structs
// by tables. convert.c, handle.c, error.c, array.c and signal.c implement it.
//
// To add a class: a file that begins with this header; a heap type made by sp_py_add_type(module, &spec) in a function
// sp_py_init_<name>(PyObject *module), which module.c calls. The object holds an sp_py_handle for each thing of the library that
// must be destroyed; what points into that memory (arrays, snapshots, bodies) holds a reference to the handle, so nothing
// dangles after close(). Docstrings are SP_DOC_<function> of docs.h, keyword arguments and results are converted by the struct
// tables of tables.h:
//
//     sp_py_call call = {.world = world, .keeper = handle};
//     sp_solid_def def;
//     if (sp_py_struct_set(&call, &sp_py_struct_sp_solid_def, keywords, &def) == 0) ... the call, then:
//     sp_py_call_end(&call, succeeded);
//     return sp_py_record(&sp_py_struct_sp_step_info, &info, world);
//
// All functions but sp_py_call_signal are called with the GIL held. Results are new references; NULL or -1: an exception is set.
#ifndef SP_PYTHON_CONVERT_H
#define SP_PYTHON_CONVERT_H

#ifndef Py_LIMITED_API
#define Py_LIMITED_API 0x03090000
#endif
#define PY_SSIZE_T_CLEAN
#include <Python.h>
#include <souple/souple.h>

// ---------------------------------------------------------------------------------------------------- handles

// A thing of the library with the memory that belongs to it, counted by Python. It is destroyed when the last object that uses it
// is gone: the class, a view of its memory, a snapshot.
typedef struct sp_py_handle {
    PyObject_HEAD void *pointer;     // sp_mesh, sp_world, ...
    void (*destroy)(void *pointer);  // nullable: somebody else destroys it
    struct sp_py_handle *parent;     // what must live longer: the context of a mesh, the batch of a world; nullable
    unsigned forks;                  // number of forks of the process before it was made
    int busy;                        // a thread is in a long call on it
    PyObject *under;                 // list of handles that must live longer, beside the parent; nullable
    PyObject *kept;                  // list of what the library points to: signals
    PyObject *raised[3];             // the exception of a signal or another callback, until the call that caused it returns
    const char *what;                // "world", for messages
} sp_py_handle;

// Takes over `pointer`: also when it fails, it is destroyed. Nullable: destroy, parent.
sp_py_handle *sp_py_handle_new(const char *what, void *pointer, void (*destroy)(void *), sp_py_handle *parent);
// The pointer; NULL with an exception: the handle is NULL (closed, `what` names it), from before a fork, or in use by a thread.
void *sp_py_pointer(sp_py_handle *handle, const char *what);
// The same for what may be called while a step runs (edits, snapshots, errors, meshes).
void *sp_py_pointer_shared(sp_py_handle *handle, const char *what);
// False: it was made before the process forked.
bool sp_py_handle_is_current(const sp_py_handle *handle);
// Stores the current exception in the handle; the first one stays.
void sp_py_keep_exception(sp_py_handle *handle);
// Sets the exception that was stored in the handle or its parents: -1. 0: there was none.
int sp_py_raise_kept(sp_py_handle *handle);

// A call that takes time, without the GIL; other threads that use the handle meanwhile get an exception.
#define SP_PY_LONG(handle, statement)         \
    do {                                      \
        sp_py_handle *const long_ = (handle); \
        Py_INCREF((PyObject *)long_);         \
        long_->busy++;                        \
        Py_BEGIN_ALLOW_THREADS statement;     \
        Py_END_ALLOW_THREADS long_->busy--;   \
        Py_DECREF((PyObject *)long_);         \
    } while (0)
// The same for things that never change, which any number of threads may read.
#define SP_PY_UNLOCKED(handle, statement)                    \
    do {                                                     \
        sp_py_handle *const shared_ = (handle);              \
        Py_INCREF((PyObject *)shared_);                      \
        Py_BEGIN_ALLOW_THREADS statement;                    \
        Py_END_ALLOW_THREADS Py_DECREF((PyObject *)shared_); \
    } while (0)

// ---------------------------------------------------------------------------------------------------- errors

// Raises the class of a status with the record of the library (status, file, line, body, index, message). NULL for `return`.
void *sp_py_raise(sp_status status, const sp_error *error);
// The same with the last error of a context or a world.
void *sp_py_raise_context(sp_status status, const sp_context *context);
void *sp_py_raise_world(sp_status status, const sp_world *world);
// A failure that Python finds itself, with a sentence.
void *sp_py_fail(sp_status status, const char *format, ...) SP_PRINTF(2, 3);
// A member of souple.Status.
PyObject *sp_py_status(sp_status status);
// -1 with an exception: an unknown word of `count` known ones; the sentence has the nearest and all of them. `type`: an
// exception.
int sp_py_unknown(PyObject *type, const char *what, const char *word, const char *const *known, int count);
extern PyObject *sp_py_error;  // souple.Error
extern PyObject *sp_py_bad_input;

// ---------------------------------------------------------------------------------------------------- arrays

typedef enum sp_py_number {
    SP_PY_DOUBLE,
    SP_PY_FLOAT,
    SP_PY_INT,
    SP_PY_UINT,
    SP_PY_INT64,
    SP_PY_UINT64,
    SP_PY_SIZE,
    SP_PY_BYTE,
    SP_PY_BOOL
} sp_py_number;
size_t sp_py_number_size(sp_py_number number);
PyObject *sp_py_number_object(sp_py_number number, const void *at);

// A view of memory of the library: numpy.ndarray if NumPy can be imported, else souple.Array. It keeps `owner` alive.
PyObject *sp_py_view(PyObject *owner, const void *data, sp_py_number number, int dimensions, const Py_ssize_t *shape,
                     bool writable);
// An array with its own memory, writable; *data is not initialised.
PyObject *sp_py_array(sp_py_number number, int dimensions, const Py_ssize_t *shape, void **data);
// A copy of `rows` x `width` numbers (width 0: one dimension).
PyObject *sp_py_copy(const void *data, sp_py_number number, Py_ssize_t rows, Py_ssize_t width);

// Memory and references that live until the end of a call, and who it is made for.
typedef struct sp_py_call {
    PyObject *world;       // nullable: bodies and links by name; souple.World
    sp_py_handle *keeper;  // nullable: who keeps signals; needed by structs with signals
    void **blocks;
    int block_count, block_capacity;
    PyObject *held;     // list
    PyObject *signals;  // list; the keeper gets them if the call succeeds
    char where[200];    // of a message: "fixes[0].nodes"
} sp_py_call;

// Memory of this call, zeroed.
void *sp_py_call_alloc(sp_py_call *call, size_t count, size_t size);
// Frees all; signals stay with the keeper if the call succeeded.
void sp_py_call_end(sp_py_call *call, bool succeeded);
// Numbers of an argument (an array, a buffer, nested sequences) as contiguous memory of this call. width: numbers per row,
// checked; 1: a list of numbers. *rows: how many rows. `what` names it in messages. NULL: exception.
void *sp_py_numbers(sp_py_call *call, PyObject *value, const char *what, sp_py_number number, int width, Py_ssize_t *rows);
// Exactly `count` numbers into `out`. -1: exception.
int sp_py_numbers_into(sp_py_call *call, PyObject *value, const char *what, sp_py_number number, Py_ssize_t count, void *out);
// The memory of an array to write into: writable, contiguous, `count` numbers of this type. NULL: exception.
void *sp_py_writable(PyObject *array, const char *what, sp_py_number number, Py_ssize_t count);

// ---------------------------------------------------------------------------------------------------- structs

typedef struct sp_py_word {
    const char *word;
    int value;
} sp_py_word;

// Words of an enumeration, or of bits.
typedef struct sp_py_words {
    const char *name;
    const sp_py_word *words;
    int count;
    bool bits;
} sp_py_words;

typedef enum sp_py_kind {
    SP_PY_NUMBER,
    SP_PY_STRING,        // const char *
    SP_PY_TEXT,          // char [n]
    SP_PY_WORD,          // an enumeration
    SP_PY_BITS,          // unsigned, words of bits
    SP_PY_STATUS,        // sp_status
    SP_PY_RESERVATIONS,  // unsigned, bit s stands for status s
    SP_PY_STRUCT,        // inside
    SP_PY_STRUCTS,       // const T *, with a count
    SP_PY_ONE,           // const T *, nullable
    SP_PY_ARRAY,         // pointer to numbers
    SP_PY_ANCHOR,
    SP_PY_ANCHORS,  // const sp_anchor *
    SP_PY_SIGNAL,
    SP_PY_POSE_SIGNAL,
    SP_PY_BODY,
    SP_PY_LINK,
    SP_PY_MESH,
    SP_PY_SURFACE,
    SP_PY_SURFACES  // const sp_trimesh *const *
} sp_py_kind;

struct sp_py_struct;

// A field of a struct. Written by tools/python_api.py.
typedef struct sp_py_field {
    const char *name;
    const char *alias;  // other names of it, between spaces: "fix" of fixes; nullable
    sp_py_kind kind;
    sp_py_number number;
    size_t at;      // offset
    size_t extent;  // of an array inside the struct, else 0
    int width;  // numbers per item behind a pointer; of an array inside with a count: per counted item; -1: may be shorter; -2:
                // one number means all
    int count;  // offset of the number of items, > 0; 0: see size
    Py_ssize_t (*size)(const void *record);
    int given;  // 1 + offset of a bool that says that the field is given
    const struct sp_py_struct *of;
    void (*initial)(void *item);  // items of this field start from it instead of of->initial
    const sp_py_words *words;
    const char *doc;
} sp_py_field;

typedef struct sp_py_struct {
    const char *name;   // "sp_solid_def"
    const char *title;  // "souple.SolidDef"
    const char *doc;
    size_t size;
    const sp_py_field *fields;
    int count;
    void (*initial)(void *out);
    bool record;       // functions return it: sp_py_record makes it a named tuple
    const char *bare;  // field that a bare value means
    const char *flat;  // field whose own fields may be given one level higher
} sp_py_struct;

// Defaults, then the values of a dict (or of a record or object with such attributes) into *out. -1: exception. Nullable: values.
int sp_py_struct_set(sp_py_call *call, const sp_py_struct *table, PyObject *values, void *out);
// The same without the defaults: *out keeps what is not given.
int sp_py_struct_change(sp_py_call *call, const sp_py_struct *table, PyObject *values, void *out);
// A field by its name or one of its other names; NULL: none.
const sp_py_field *sp_py_field_named(const sp_py_struct *table, const char *name);
// One struct: from a dict, a record, or a bare value where the table has one.
int sp_py_struct_value(sp_py_call *call, const sp_py_struct *table, PyObject *value, void *out);
// A record (a named tuple, souple.<Title>) of a struct; arrays are copied. Nullable: world, for bodies and links.
PyObject *sp_py_record(const sp_py_struct *table, const void *data, PyObject *world);
// A word of an enumeration. -1: exception.
int sp_py_word_value(const sp_py_words *words, PyObject *value, const char *what, int *out);
PyObject *sp_py_word_name(const sp_py_words *words, int value);
// Positional arguments `names` (ends with NULL) join the keywords: a new dict. `required` of them must be there.
PyObject *sp_py_arguments(const char *function, PyObject *args, PyObject *keywords, const char *const *names, int required);

// A signal of a number or a callable t -> number; index: of a callable that returns several, else -1.
int sp_py_signal(sp_py_call *call, PyObject *value, const char *what, int index, sp_signal *out);
int sp_py_pose_signal(sp_py_call *call, PyObject *value, const char *what, sp_pose_signal *out);
int sp_py_pose(sp_py_call *call, PyObject *value, const char *what, sp_pose *out);

// ---------------------------------------------------------------------------------------------------- classes

PyObject *sp_py_add_type(PyObject *module, PyType_Spec *spec);

extern PyTypeObject *sp_py_context_type, *sp_py_mesh_type, *sp_py_surface_type, *sp_py_world_type, *sp_py_body_type,
    *sp_py_link_type, *sp_py_anchor_type;

// A class with one handle and nothing else: Context, Mesh, Surface.
typedef struct sp_py_object {
    PyObject_HEAD sp_py_handle *handle;
} sp_py_object;
// An object of such a type around a handle, which it takes over. NULL: exception.
PyObject *sp_py_object_new(PyTypeObject *type, sp_py_handle *handle);
// Slots of such a type, which has Py_TPFLAGS_HAVE_GC: a signal may refer to its own world.
void sp_py_object_dealloc(PyObject *self);
int sp_py_object_traverse(PyObject *self, visitproc visit, void *arg);
int sp_py_object_clear(PyObject *self);
#define SP_PY_OBJECT_SLOTS                                                            \
    {Py_tp_dealloc, sp_py_object_dealloc}, {Py_tp_traverse, sp_py_object_traverse}, { \
        Py_tp_clear, sp_py_object_clear                                               \
    }
// Py_tp_new of classes whose objects the library makes.
PyObject *sp_py_refuse_new(PyTypeObject *type, PyObject *args, PyObject *keywords);

// A class that is a part of a world, which it keeps: Body, Link, Anchor. Its struct begins with these members.
typedef struct sp_py_part {
    PyObject_HEAD PyObject *world;
} sp_py_part;
int sp_py_part_traverse(PyObject *self, visitproc visit, void *arg);
int sp_py_part_clear(PyObject *self);
void sp_py_part_dealloc(PyObject *self);
PyObject *sp_py_part_world(PyObject *self, void *closure);
#define SP_PY_PART_SLOTS                                                                                           \
    {Py_tp_dealloc, sp_py_part_dealloc}, {Py_tp_traverse, sp_py_part_traverse}, {Py_tp_clear, sp_py_part_clear}, { \
        Py_tp_new, sp_py_refuse_new                                                                                \
    }

// Methods of context managers: `with` of an object that has a method close.
PyObject *sp_py_enter(PyObject *self, PyObject *unused);
PyObject *sp_py_exit(PyObject *self, PyObject *args);
// Appends an item, which it takes over; a failure, or NULL for an item, clears the list.
void sp_py_append(PyObject **list, PyObject *item);
// A function with keywords in a table of methods.
#define SP_PY_KEYWORDS(function) ((PyCFunction)(void (*)(void))(function))

// The handle of a souple.Context, or of the default context where `context` is NULL or None. Borrowed.
sp_py_handle *sp_py_context_handle(PyObject *context);
// A souple.Context for the context of a handle: walks up its parents.
PyObject *sp_py_context_of(sp_py_handle *handle);
PyObject *sp_py_mesh_new(sp_mesh *mesh, sp_py_handle *context);           // takes over the mesh
PyObject *sp_py_surface_new(sp_trimesh *surface, sp_py_handle *context);  // likewise
sp_mesh *sp_py_mesh(PyObject *object, const char *what);                  // NULL: exception
sp_trimesh *sp_py_surface(PyObject *object, const char *what);            // NULL: exception

// A souple.World around a handle to an sp_world, which it takes over; the handle's parent destroys the world if it is part of
// something larger (a batch, a run): then its `destroy` is NULL.
PyObject *sp_py_world_new(sp_py_handle *handle);
sp_py_handle *sp_py_world_handle(PyObject *world);  // borrowed; NULL: exception, it is closed or no world
sp_world *sp_py_world(PyObject *world);             // NULL: exception: closed, forked, busy
sp_world *sp_py_world_shared(PyObject *world);      // may be stepped by another thread
bool sp_py_same_world(PyObject *a, PyObject *b);    // two objects of one world
// Status of a step or a batch of steps as souple.Status; a failure, or an exception of a signal, is raised.
PyObject *sp_py_world_result(PyObject *world, sp_status status);
int sp_py_world_check(PyObject *world, sp_status status);       // the same: 0, or -1 with an exception
PyObject *sp_py_world_done(PyObject *world, sp_status status);  // the same: None

// World.snapshot: the newest one; None before the first.
PyObject *sp_py_snapshot(PyObject *world, PyObject *unused);

PyObject *sp_py_body_new(PyObject *world, sp_body_id id);  // None: null id
PyObject *sp_py_link_new(PyObject *world, sp_link_id id);
// -1 with an exception: the world has no body or link of this name; the sentence has the nearest and all of them.
int sp_py_unknown_name(PyObject *world, PyObject *type, PyObject *name);
PyObject *sp_py_anchor_new(PyObject *world, const sp_anchor *anchor);
// Body, name of a body, or None (null id) -> id. -1: exception.
int sp_py_body_id(sp_py_call *call, PyObject *value, const char *what, sp_body_id *out);
int sp_py_link_id(sp_py_call *call, PyObject *value, const char *what, sp_link_id *out);
int sp_py_anchor(sp_py_call *call, PyObject *value, const char *what, sp_anchor *out);

int sp_py_init_handle(PyObject *module);
int sp_py_init_error(PyObject *module);
int sp_py_init_array(PyObject *module);
int sp_py_init_signal(PyObject *module);
int sp_py_init_convert(PyObject *module);
int sp_py_init_context(PyObject *module);
int sp_py_init_mesh(PyObject *module);
int sp_py_init_surface(PyObject *module);
int sp_py_init_world(PyObject *module);
int sp_py_init_body(PyObject *module);
int sp_py_init_link(PyObject *module);
int sp_py_init_snapshot(PyObject *module);
int sp_py_init_batch(PyObject *module);

#endif
