#include "body/field.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "body/body.h"
#include "math/vec3.h"

// ---------------------------------------------------------------------------------------------------- all fields

static const sp_field_info all_fields[SP_FIELD_COUNT] = {
#define SP_X(id, field_name, where, parts, si, mixing, number, uses, least, most, axis_names, text, sentence) \
    [SP_FIELD_##id] = {.name = (field_name),                                                                  \
                       .label = (text),                                                                       \
                       .unit = (si),                                                                          \
                       .meaning = (sentence),                                                                 \
                       .axes = (axis_names),                                                                  \
                       .low = (least),                                                                        \
                       .high = (most),                                                                        \
                       .values = SP_VALUES_##mixing,                                                          \
                       .on = SP_ON_##where,                                                                   \
                       .color = (number),                                                                     \
                       .components = (parts)},
    SP_FIELD_LIST(SP_X)
#undef SP_X
};

// angles are shown in degrees; dimensionless fields show no unit
static sp_field_info field_of(sp_field_id id) {
    sp_field_info f = all_fields[id];
    bool angle = strcmp(f.unit, "rad") == 0;
    f.shown_unit = angle ? "deg" : strcmp(f.unit, "1") == 0 ? "" : f.unit;
    f.shown_scale = angle ? 180 / SP_PI : 1;
    return f;
}

int sp_field_count(void) {
    return SP_FIELD_COUNT;
}

sp_status sp_field_at(int index, sp_field_info *out) {
    if (index < 0 || index >= SP_FIELD_COUNT) return SP_BAD_INPUT;
    *out = field_of((sp_field_id)index);
    return SP_OK;
}

sp_status sp_field_named(const char *name, sp_field_info *out) {
    for (int i = 0; i < SP_FIELD_COUNT; i++)
        if (strcmp(all_fields[i].name, name) == 0) return sp_field_at(i, out);
    return SP_BAD_INPUT;
}

// ---------------------------------------------------------------------------------------------------- of a body

const sp_field *sp__body_field(const sp_body *b, const char *name) {
    for (int i = 0; i < b->ops->field_count; i++)
        if (strcmp(all_fields[b->ops->fields[i].id].name, name) == 0) return &b->ops->fields[i];
    return NULL;
}

void sp__body_field_info(const sp_body *b, const sp_field *field, sp_field_info *out) {
    *out = field_of(field->id);
    out->count = field->count(b);
}

static sp_status field_unknown(sp_body *b, const char *name) {
    char known[400] = "";
    for (int i = 0, used = 0; i < b->ops->field_count && used < (int)sizeof known; i++)
        used += snprintf(known + used, sizeof known - (size_t)used, "%s%s", i ? ", " : "", all_fields[b->ops->fields[i].id].name);
    return SP_BODY_FAIL(b, SP_BAD_INPUT, "field '%.60s' of '%s' is unknown, must be one of: %s", name, b->name, known);
}

sp_status sp__body_field_get(sp_body *b, const sp_step *step, const char *name, sp_field_info *info, double *out) {
    const sp_field *field = sp__body_field(b, name);
    if (!field) return field_unknown(b, name);
    sp__body_field_info(b, field, info);
    return out ? field->fill(b, step, field->id, out) : SP_OK;
}
