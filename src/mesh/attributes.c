// Copies of groups and arrays. A count is raised as soon as its entry exists, so that freeing works after any failure.
#include "mesh/attributes.h"

static sp_status no_memory(sp_context *ctx) {
    return SP_FAIL(ctx, SP_NO_MEMORY, "no memory for groups and arrays of a mesh");
}

static sp_status copy_name(sp_context *ctx, const char *name, const char *what, const char **out) {
    if (!name) return SP_FAIL(ctx, SP_BAD_INPUT, "a %s of the mesh has no name", what);
    size_t size = strlen(name) + 1;
    char *copy = sp__alloc(ctx, size, 1);
    if (!copy) return no_memory(ctx);
    memcpy(copy, name, size);
    *out = copy;
    return SP_OK;
}

static sp_status copy_items(sp_context *ctx, const char *name, const int *items, int count, int limit, const int **out) {
    if (count < 0 || (count > 0 && !items))
        return SP_FAIL(ctx, SP_BAD_INPUT, "group '%s': %d items, but none given", name, count);
    for (int i = 0; i < count; i++)
        if (items[i] < 0 || items[i] >= limit)
            return SP_FAIL(ctx, SP_BAD_INPUT, "group '%s' names index %d, must be in [0, %d]", name, items[i], limit - 1);
    int *copy;
    if (!SP_NEW(ctx, copy, count)) return no_memory(ctx);
    if (count) memcpy(copy, items, (size_t)count * sizeof *copy);
    *out = copy;
    return SP_OK;
}

static sp_status take_group(sp_context *ctx, const sp_mesh_group *from, int nodes, int elements, sp_mesh_group *to) {
    SP_TRY(copy_name(ctx, from->name, "group", &to->name));
    if (from->element_count == 0 && from->node_count == 0) return SP_FAIL(ctx, SP_BAD_INPUT, "group '%s' is empty", from->name);
    SP_TRY(copy_items(ctx, from->name, from->elements, from->element_count, elements, &to->elements));
    to->element_count = from->element_count;
    SP_TRY(copy_items(ctx, from->name, from->nodes, from->node_count, nodes, &to->nodes));
    to->node_count = from->node_count;
    return SP_OK;
}

static sp_status take_array(sp_context *ctx, const sp_mesh_array *from, int nodes, int elements, sp_mesh_array *to) {
    size_t n = (size_t)(from->on_elements ? elements : nodes);
    double *copy;
    SP_TRY(copy_name(ctx, from->name, "array", &to->name));
    if (!from->values) return SP_FAIL(ctx, SP_BAD_INPUT, "array '%s' has no values", from->name);
    if (!SP_NEW(ctx, copy, n)) return no_memory(ctx);
    memcpy(copy, from->values, n * sizeof *copy);
    to->values = copy;
    to->on_elements = from->on_elements;
    return SP_OK;
}

static sp_status check_counts(sp_context *ctx, const sp_attributes *from) {
    if (from->group_count < 0 || (from->group_count > 0 && !from->groups))
        return SP_FAIL(ctx, SP_BAD_INPUT, "group_count = %d without groups", from->group_count);
    if (from->array_count < 0 || (from->array_count > 0 && !from->arrays))
        return SP_FAIL(ctx, SP_BAD_INPUT, "array_count = %d without arrays", from->array_count);
    return SP_OK;
}

sp_status sp__attributes_take(sp_context *ctx, const sp_attributes *from, int nodes, int elements, sp_attributes *out) {
    SP_TRY(check_counts(ctx, from));
    if (!SP_NEW(ctx, out->groups, from->group_count) || !SP_NEW(ctx, out->arrays, from->array_count)) return no_memory(ctx);
    for (int i = 0; i < from->group_count; i++) {
        out->group_count++;
        SP_TRY(take_group(ctx, &from->groups[i], nodes, elements, &out->groups[i]));
    }
    for (int i = 0; i < from->array_count; i++) {
        out->array_count++;
        SP_TRY(take_array(ctx, &from->arrays[i], nodes, elements, &out->arrays[i]));
    }
    return SP_OK;
}

void sp__attributes_free(sp_context *ctx, sp_attributes *a) {
    for (int i = 0; i < a->group_count; i++) {
        sp__free(ctx, (void *)a->groups[i].name);
        sp__free(ctx, (void *)a->groups[i].elements);
        sp__free(ctx, (void *)a->groups[i].nodes);
    }
    for (int i = 0; i < a->array_count; i++) {
        sp__free(ctx, (void *)a->arrays[i].name);
        sp__free(ctx, (void *)a->arrays[i].values);
    }
    sp__free(ctx, a->groups);
    sp__free(ctx, a->arrays);
    *a = (sp_attributes){0};
}
