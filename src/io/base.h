// Common includes of the io library: the public headers of the engine, souple/extension.h, helpers of src/util.
#ifndef SP_IO_BASE_H
#define SP_IO_BASE_H

#include <math.h>
#include <stdarg.h>
#include <string.h>

#include "souple/io.h"
#include "util/clock.h"
#include "util/context.h"
#include "util/sort.h"
#include "util/status.h"

// Cookies of def-structs: catch a def that did not start from its default function.
enum {
    SP_COOKIE_SCENE_OPTIONS = 0x5381,
    SP_COOKIE_RUN_OPTIONS,
    SP_COOKIE_PICTURE,
    SP_COOKIE_MESH_WRITE,
    SP_COOKIE_RUN_RECORDER,
    SP_COOKIE_IMPORT,
    SP_COOKIE_GLTF
};

#endif
