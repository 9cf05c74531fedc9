// souple._core: the library as Python sees it. The classes are in files of their own; python/souple/ adds what is better written
// in Python and is what users import.
#include "convert.h"
#include "io.h"

static int add_all(PyObject *module) {
    static int (*const parts[])(PyObject *) = {
        sp_py_init_handle,  sp_py_init_error,    sp_py_init_array,   sp_py_init_signal, sp_py_init_convert,
        sp_py_init_context, sp_py_init_mesh,     sp_py_init_surface, sp_py_init_world,  sp_py_init_body,
        sp_py_init_link,    sp_py_init_snapshot, sp_py_init_batch,   sp_py_init_io,
    };
    for (size_t i = 0; i < sizeof parts / sizeof *parts; i++)
        if (parts[i](module) < 0) return -1;
    return PyModule_AddStringConstant(module, "__version__", SP_VERSION_TEXT);
}

PyMODINIT_FUNC PyInit__core(void);

PyMODINIT_FUNC PyInit__core(void) {
    static PyModuleDef definition = {
        PyModuleDef_HEAD_INIT, "souple._core", "The classes of souple that are written in C.", -1, NULL, NULL, NULL, NULL, NULL};
    PyObject *module = PyModule_Create(&definition);
    if (module && add_all(module) < 0) Py_CLEAR(module);
    return module;
}
