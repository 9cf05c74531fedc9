/// Souple: interactive simulation of soft bodies (finite elements, rods, contact).
/// This header includes the whole engine; `souple/io.h` (scenes, files, pictures) belongs to a second library.
#ifndef SOUPLE_SOUPLE_H
#define SOUPLE_SOUPLE_H

#include "base.h"
#include "mesh.h"
#include "solve.h"
#include "world.h"

#endif
