// Hash of what a scene simulates: every resolved value of every element that acts on a body.
#include "io/scene/scene_read.h"

static bool watches(const char *element) {
    return sp__list_has("probe/record/stop/expect/view/camera/light/look/surface", '/', element);
}

static uint64_t mix_text(uint64_t sum, const char *text) {
    for (; text && *text; text++) sum = sp__mix(sum, (unsigned char)*text);
    return sp__mix(sum, 256);
}

static uint64_t mix_attr(uint64_t sum, const sp_attr_spec *spec, const sp_attr *attr) {
    sum = mix_text(sum, spec->name);
    // for an expression the text and its value at the start count; for a file the name as written, not its folder
    if (attr->programs || spec->kind == SP_ATTR_FILE) sum = mix_text(sum, attr->text);
    for (int i = 0; attr->numbers && i < attr->count; i++) {
        uint64_t bits;
        memcpy(&bits, &attr->numbers[i], sizeof bits);
        sum = sp__mix(sum, bits);
    }
    for (int i = 0; attr->words && spec->kind != SP_ATTR_FILE && i < attr->count; i++) sum = mix_text(sum, attr->words[i]);
    return sum;
}

static uint64_t mix_node(uint64_t sum, const sp_scene_node *node) {
    if (!node->enabled || watches(node->spec->name)) return sum;
    sum = mix_text(mix_text(sum, node->spec->name), node->path);
    for (int i = 0; i < node->spec->attr_count; i++) {
        const sp_attr *attr = node->attrs[i];
        if (attr && attr->origin != SP_ORIGIN_ABSENT) sum = mix_attr(sum, &node->spec->attrs[i], attr);
    }
    for (int i = 0; i < node->child_count; i++) sum = mix_node(sum, node->children[i]);
    for (int i = 0; i < node->strand_count; i++) sum = mix_node(sum, node->strands[i]);
    return sum;
}

uint64_t sp__scene_digest(const sp_scene *scene) {
    return mix_node(1, scene->root);
}
