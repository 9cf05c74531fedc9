// Every material of a solid, with its options, for tests that hold for all of them.
#ifndef SP_VARIANTS_H
#define SP_VARIANTS_H

#include "souple/world.h"

typedef struct variant {
    const char *name;
    sp_material_model model;
    sp_rotation rotation;
    sp_shape shape;
    sp_tangent tangent;
    sp_neo_hookean_form form;
    sp_volumetric volumetric;
    sp_integration integration;
} variant;

static const variant variants[] = {
    {"linear", .model = SP_LINEAR},
    {"polar", .model = SP_COROTATIONAL},
    {"polar exact", .model = SP_COROTATIONAL, .tangent = SP_TANGENT_EXACT},
    {"svd", .model = SP_COROTATIONAL, .rotation = SP_ROTATION_SVD},
    {"svd exact", .model = SP_COROTATIONAL, .rotation = SP_ROTATION_SVD, .tangent = SP_TANGENT_EXACT},
    {"qr", .model = SP_COROTATIONAL, .rotation = SP_ROTATION_QR},
    {"polar deformed", .model = SP_COROTATIONAL, .shape = SP_SHAPE_DEFORMED},
    {"qr deformed", .model = SP_COROTATIONAL, .rotation = SP_ROTATION_QR, .shape = SP_SHAPE_DEFORMED},
    {"svd deformed", .model = SP_COROTATIONAL, .rotation = SP_ROTATION_SVD, .shape = SP_SHAPE_DEFORMED},
    {"stvk", .model = SP_STVK},
    {"stvk exact", .model = SP_STVK, .tangent = SP_TANGENT_EXACT},
    {"neo-hookean stable", .model = SP_NEO_HOOKEAN},
    {"neo-hookean stable exact", .model = SP_NEO_HOOKEAN, .tangent = SP_TANGENT_EXACT},
    {"neo-hookean log", .model = SP_NEO_HOOKEAN, .form = SP_FORM_LOG},
    {"neo-hookean isochoric", .model = SP_NEO_HOOKEAN, .form = SP_FORM_ISOCHORIC, .tangent = SP_TANGENT_EXACT},
    {"mooney-rivlin", .model = SP_MOONEY_RIVLIN, .volumetric = SP_VOLUMETRIC_QUADRATIC},
    {"arruda-boyce", .model = SP_ARRUDA_BOYCE, .volumetric = SP_VOLUMETRIC_MIXED},
    {"veronda-westmann", .model = SP_VERONDA_WESTMANN},
    {"ogden", .model = SP_OGDEN, .tangent = SP_TANGENT_EXACT, .volumetric = SP_VOLUMETRIC_MIXED},
    {"patches, linear", .model = SP_LINEAR, .integration = SP_INTEGRATION_B_BAR},
    {"patches, polar", .model = SP_COROTATIONAL, .integration = SP_INTEGRATION_B_BAR},
    {"patches, svd exact", .model = SP_COROTATIONAL, .rotation = SP_ROTATION_SVD, .tangent = SP_TANGENT_EXACT,
     .integration = SP_INTEGRATION_B_BAR},
    {"patches, stvk", .model = SP_STVK, .integration = SP_INTEGRATION_B_BAR},
    {"patches, neo-hookean stable exact", .model = SP_NEO_HOOKEAN, .tangent = SP_TANGENT_EXACT,
     .integration = SP_INTEGRATION_B_BAR},
    {"patches, neo-hookean log", .model = SP_NEO_HOOKEAN, .form = SP_FORM_LOG, .integration = SP_INTEGRATION_B_BAR},
    {"patches, mooney-rivlin", .model = SP_MOONEY_RIVLIN, .integration = SP_INTEGRATION_B_BAR},
};
enum { VARIANTS = sizeof variants / sizeof *variants };

static inline void use_variant(sp_solid_def *def, const variant *v) {
    def->model = v->model, def->rotation = v->rotation, def->shape = v->shape, def->tangent = v->tangent;
    def->form = v->form, def->volumetric = v->volumetric, def->integration = v->integration;
}

#endif
