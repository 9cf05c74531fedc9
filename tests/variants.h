// Every combination of material, rotation, shape and tangent of a solid, for tests that hold for all of them.
#ifndef SP_VARIANTS_H
#define SP_VARIANTS_H

#include "souple/world.h"

typedef struct variant {
    const char *name;
    sp_material_model model;
    sp_rotation rotation;
    sp_shape shape;
    sp_tangent tangent;
} variant;

static const variant variants[] = {
    {"linear", SP_LINEAR, SP_ROTATION_POLAR, SP_SHAPE_REST, SP_TANGENT_FROZEN},
    {"polar", SP_COROTATIONAL, SP_ROTATION_POLAR, SP_SHAPE_REST, SP_TANGENT_FROZEN},
    {"polar exact", SP_COROTATIONAL, SP_ROTATION_POLAR, SP_SHAPE_REST, SP_TANGENT_EXACT},
    {"svd", SP_COROTATIONAL, SP_ROTATION_SVD, SP_SHAPE_REST, SP_TANGENT_FROZEN},
    {"svd exact", SP_COROTATIONAL, SP_ROTATION_SVD, SP_SHAPE_REST, SP_TANGENT_EXACT},
    {"qr", SP_COROTATIONAL, SP_ROTATION_QR, SP_SHAPE_REST, SP_TANGENT_FROZEN},
    {"polar deformed", SP_COROTATIONAL, SP_ROTATION_POLAR, SP_SHAPE_DEFORMED, SP_TANGENT_FROZEN},
    {"qr deformed", SP_COROTATIONAL, SP_ROTATION_QR, SP_SHAPE_DEFORMED, SP_TANGENT_FROZEN},
    {"svd deformed", SP_COROTATIONAL, SP_ROTATION_SVD, SP_SHAPE_DEFORMED, SP_TANGENT_FROZEN},
};
enum { VARIANTS = sizeof variants / sizeof *variants };

static inline void use_variant(sp_solid_def *def, const variant *v) {
    def->model = v->model, def->rotation = v->rotation, def->shape = v->shape, def->tangent = v->tangent;
}

#endif
