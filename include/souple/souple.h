/// Souple: soft bodies that are touched, squeezed and cut while somebody watches and feels them.
/// One header for the engine; `souple/io.h` (scenes, files, pictures) is a library of its own.
#ifndef SOUPLE_SOUPLE_H
#define SOUPLE_SOUPLE_H

#include "base.h"
#include "mesh.h"
#include "solve.h"
#include "world.h"

#endif
