// Links between bodies: attach elements.
#include "io/run/build.h"

#include "math/vec3.h"

// nodes of the elements that a region selects
static sp_status element_nodes(sp_run *run, const sp_run_body *body, const sp_scene_node *region, int **out, int *count) {
    int *elements, element_count, *corners;
    unsigned char *in;
    sp_element_view view;
    SP_TRY(sp__build_select(run, body, region, SP_SELECT_ELEMENTS, &elements, &element_count));
    sp_status status = sp_world_elements(run->world, body->id, NULL, &view);
    if (status < 0) return sp__build_refused(run, region, status, sp_world_error(run->world));
    sp_body_info info;
    SP_TRY(sp_world_body_info(run->world, body->id, &info));
    if (!SP_KEEP(&run->scratch, corners, (size_t)view.count * (size_t)view.nodes_per_element) ||
        !SP_KEEP(&run->scratch, in, info.nodes) || !SP_KEEP(&run->scratch, *out, info.nodes))
        return sp__build_no_memory(run);
    SP_TRY(sp_world_elements(run->world, body->id, corners, &view));
    for (int i = 0; i < element_count; i++)
        for (int k = 0; k < view.nodes_per_element; k++)
            in[corners[(size_t)elements[i] * (size_t)view.nodes_per_element + (size_t)k]] = 1;
    *count = 0;
    for (int i = 0; i < info.nodes; i++)
        if (in[i]) (*out)[(*count)++] = i;
    return SP_OK;
}

static sp_status link_part(sp_run *run, const sp_scene_node *node, const char *attr, sp_link_part *out) {
    const sp_scene_node *target = sp__scene_find(node, sp__attr_word(node, attr));
    const sp_run_body *body = target ? sp__build_body_of(run, target) : NULL;
    int *nodes = NULL, count = 0;
    *out = (sp_link_part){0};
    if (!body) return SP_BUILD_FAIL(run, node, attr, "\"%s\" is not in the simulation", sp__attr_word(node, attr));
    if (!body->id.slot) return SP_BAD_INPUT;  // it could not be built, which is reported
    out->body = body->id;
    if (sp__build_owner(target) == target && !body->node->strand_count) return SP_OK;
    if (!body->builder->select)
        return SP_BUILD_FAIL(run, node, attr, "\"%s\" is a part of a rigid body, which is attached as a whole",
                             sp__attr_word(node, attr));
    if (strcmp(target->spec->name, "region") == 0)
        SP_TRY(element_nodes(run, body, target, &nodes, &count));
    else
        SP_TRY(sp__build_select(run, body, target, SP_SELECT_NODES, &nodes, &count));
    if (!count) return SP_BUILD_FAIL(run, node, attr, "\"%s\" selects nothing that could be attached", sp__attr_word(node, attr));
    out->nodes = nodes, out->node_count = count;
    return SP_OK;
}

// Coordinates of a copy of a template move with it.
static sp_status link_geometry(sp_run *run, const sp_scene_node *node, sp_link_def *def) {
    const sp_attr *point = sp__build_attr(node, "point"), *axis = sp__build_attr(node, "axis");
    const sp_attr *normal = sp__build_attr(node, "normal"), *along = axis ? axis : normal;
    const double zero[3] = {0, 0, 0};
    double origin[3], end[3];
    sp_places places;
    SP_TRY(sp__build_places(run, node, &places));
    def->has_point = point != NULL;
    if (point) sp__places_point(&places, point->numbers, def->point);
    if (along) {
        sp__places_point(&places, zero, origin), sp__places_point(&places, along->numbers, end);
        sp__sub3(end, origin, def->axis);
    }
    def->guide = axis ? SP_GUIDE_LINE : normal ? SP_GUIDE_PLANE : SP_GUIDE_CENTRELINE;
    return SP_OK;
}

static sp_status build_link(sp_run *run, const sp_scene_node *node) {
    static const char *const types[] = {"weld", "spring", "slide", "hinge"};
    sp_link_def def = sp_link_def_default();
    sp_link_info info;
    sp_link_id id;
    for (int i = 0; i < 4; i++)
        if (sp__build_is(node, "type", types[i])) def.type = (sp_link_type)i;
    SP_TRY(link_part(run, node, "a", &def.a));
    SP_TRY(link_part(run, node, "b", &def.b));
    SP_TRY(link_geometry(run, node, &def));
    def.name = node->path;
    def.within = sp__build_number(node, "within", 0);
    def.stiffness = sp__build_number(node, "stiffness", 0);
    def.damping = sp__build_number(node, "damping", 0);
    def.friction = sp__build_number(node, "friction", 0);
    def.break_force = sp__build_number(node, "break", INFINITY);
    def.attached = !sp__build_is(node, "active", "no");
    sp_status status = sp_world_add_link(run->world, &def, &id);
    if (status < 0) return sp__build_refused(run, node, status, sp_world_error(run->world));
    SP_TRY(sp_world_link_info(run->world, id, &info));
    if (info.within > 0 && info.within < INFINITY && !sp__build_given(node, "within"))
        sp__scene_note_auto(run->scene, node, "within",
                            "%.4g m, a quarter of the mean edge of the finer side; %d points are tied", info.within,
                            info.point_count);
    return SP_OK;
}

sp_status sp__build_links(sp_run *run) {
    const sp_scene_node *root = sp__scene_root(run->scene);
    for (const sp_scene_node *c = NULL; (c = sp__next_child(root, "attach", c));) SP_BUILD(build_link(run, c));
    return SP_OK;
}

bool sp__build_is_attached(const sp_run *run, const sp_scene_node *body) {
    const sp_scene_node *root = sp__scene_root(run->scene);
    for (const sp_scene_node *c = NULL; (c = sp__next_child(root, "attach", c));)
        for (int s = 0; s < 2; s++) {
            const sp_scene_node *target = sp__scene_find(c, sp__attr_word(c, s ? "b" : "a"));
            if (target && sp__build_owner(target) == body) return true;
        }
    return false;
}

sp_link_id sp__build_link_of(const sp_run *run, const sp_scene_node *attach) {
    return sp_world_link_named(run->world, attach->path);
}
