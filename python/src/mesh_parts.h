// What mesh.c and surface.c share: groups and arrays, callbacks on space, reports.
#ifndef SP_PYTHON_MESH_PARTS_H
#define SP_PYTHON_MESH_PARTS_H

#include "convert.h"

// Groups {name: elements | {"elements": ..., "nodes": ...}} and arrays {name: values} of a definition. Nullable: both.
typedef struct mesh_parts {
    const sp_mesh_group *groups;
    const sp_mesh_array *arrays;
    int group_count, array_count;
} mesh_parts;
int mesh_parts_read(sp_py_call *call, PyObject *groups, PyObject *arrays, Py_ssize_t nodes, Py_ssize_t elements, mesh_parts *out);
PyObject *mesh_groups_dict(PyObject *owner, const sp_mesh_group *groups, int count);
PyObject *mesh_arrays_dict(PyObject *owner, const sp_mesh_array *arrays, int count, int nodes, int elements);

// A Python function of a point, called from any thread; its first exception is kept.
typedef struct space_function {
    PyObject *callable;
    sp_py_handle *errors;
} space_function;
int space_function_init(space_function *f, PyObject *callable, const char *what);
// -1: the function raised, and the exception is set. Releases it.
int space_function_end(space_function *f);
double space_field(const void *user, const double x[3]);
bool space_where(const void *user, const double x[3]);
void space_curve(const void *user, const double a[3], const double b[3], double x[3]);

// (stats, {kind: count}, [defects], whole) of a report, which it destroys.
PyObject *mesh_report_object(sp_mesh_report *report);
// scale (a number or three) and pose; the results are NULL where not given. -1: exception.
int transform_read(sp_py_call *call, PyObject *scale, PyObject *pose, double scale_out[3], sp_pose *pose_out, const double **s,
                   const sp_pose **p);

#endif
