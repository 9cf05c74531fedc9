/// Souple: interactive simulation of soft bodies (finite elements, rods, contact).
/// This header includes the whole engine; `souple/io.h` (scenes, files, pictures) belongs to a second library.
///
/// Conventions of all headers:
///
/// Units. SI everywhere: m, kg, s, N, Pa, J, rad. The unit of a number is in brackets after it. Exceptions are marked: measured
/// times are in ms, angles of meshes and scenes in degrees.
///
/// Signs. Axes are right-handed. Positions are in world coordinates unless they are marked as rest shape or as the own frame of a
/// body. Faces are counter-clockwise seen from outside, and normals point outward. Stress is positive in tension; pressure acts
/// against the outward normal. A force acts on the body. Quaternions are w x y z. Symmetric tensors are xx yy zz xy yz zx.
///
/// Numbering. Nodes, elements and faces have the numbers of the user, from 0. The engine renumbers internally, which is not
/// visible.
///
/// Names. sp_ + noun + verb; the first argument names the family. A _def creates something, _options tune a call, an _info
/// reports. A _def or _options starts from its _default() function, whose cookie detects a struct that did not. _count is a
/// number of items. An _at function takes an index from 0 and fills a struct; past the end it returns SP_BAD_INPUT and does not
/// change the struct. _named finds an item by its name.
///
/// Ownership. The caller that creates also destroys: sp_x_create(..., &x), sp_x_destroy(&x), which sets x to NULL and accepts
/// NULL. A const pointer is borrowed for the call and its content is copied; signals keep their `user`, which must outlive the
/// world. Returned pointers belong to the library; their lifetime is documented with the function. Objects in a world are ids
/// with a generation: zero is null, and the id of a removed object is refused with SP_BAD_ID. An anchor, a material point of a
/// body, holds such an id.
///
/// Errors. 0: done. Above 0: done with a reservation. Below 0: refused, and nothing has changed. The object of the call, world or
/// context, keeps a message with the value and the allowed range: sp_world_error, sp_context_error. The library does not print,
/// exit or abort. A pointer may be NULL only where "nullable" is written.
///
/// Threads. One thread at a time uses a world; another one that calls it meanwhile gets SP_BUSY. Any thread may queue edits,
/// acquire snapshots and read the last error at any time. Two worlds share only their context, which is safe to share.
///
/// Determinism. The same build, backend, definitions and edits give the same bits, for any number of threads.
#ifndef SOUPLE_SOUPLE_H
#define SOUPLE_SOUPLE_H

#include "base.h"
#include "batch.h"
#include "body.h"
#include "contact.h"
#include "mesh.h"
#include "solve.h"
#include "world.h"

#endif
