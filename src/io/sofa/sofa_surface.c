// Surfaces of bodies: what is drawn and what is touched, from files, from lists, or the boundary of the mesh.
#include <stdio.h>

#include "io/sofa/sofa.h"

// ---------------------------------------------------------------------------------------------- their triangles

// lists of triangles and quadrangles of a container as a surface; NULL: none, or out of memory
sp_trimesh *sp__sofa_list_surface(sp_import *im, sofa_object *o) {
    const double *x, *triangles, *quads;
    sofa_object *of = o;
    int n = sp__sofa_linked_numbers(im, o, "position/points", &x, &of) / 3;
    if (!n && o->node->state) n = sp__sofa_linked_numbers(im, o->node->state, "position", &x, &of) / 3;
    int t = sp__sofa_linked_numbers(im, o, "triangles", &triangles, &of) / 3,
        q = sp__sofa_linked_numbers(im, o, "quads", &quads, &of) / 4;
    double *numbers = sp__scene_alloc(im->scene, (size_t)t + 2 * (size_t)q, 3 * sizeof *numbers), *at = numbers;
    sp_trimesh *surface = NULL;
    if (!n || !(t + q) || !numbers) return NULL;
    for (int i = 0; i < 3 * t; i++) *at++ = triangles[i];
    for (int i = 0; i < q; i++)
        for (int k = 0; k < 6; k++) *at++ = quads[4 * i + (k < 3 ? k : k == 3 ? 0 : k - 2)];
    sp_trimesh_def def = sp_trimesh_def_default();
    def.vertex_count = n, def.positions = x, def.face_count = t + 2 * q;
    def.faces = sp__sofa_as_indices(im, o, numbers, 3 * def.face_count, n);
    if (!def.faces) return NULL;
    sp_status status = sp_trimesh_create(im->ctx, &def, &surface);
    if (status == SP_NO_MEMORY) im->scene->no_memory = true;
    if (status < 0) sp__sofa_note(im, o, SP_IMPORT_LEFT_OUT, "%s", sp_context_error(im->ctx)->message);
    return surface;
}

// what a component or a link of it leads to
static sofa_object *source_of(sp_import *im, sofa_object *o, int hops) {
    static const char *const ways[] = {"src", "triangles", "quads", "position"}, *data;
    sofa_node *node;
    if (sp__sofa_is(o, SOFA_LOADER)) return o;
    if (hops > 16 || (!sp__sofa_is(o, SOFA_CONTAINER) && !sp__sofa_is(o, SOFA_VISUAL) && hops)) return NULL;
    if (sp__sofa_attr(o, "fileMesh/filename")) return o;
    for (int i = 0; i < 4; i++) {
        const char *text = sp__sofa_attr(o, ways[i]);
        bool list = i == 1 || i == 2;
        if (text && *text != '@' && list) return o;
        sofa_object *to = text && *text == '@' ? sp__sofa_link(im, o, text, &node, &data) : NULL, *found = NULL;
        if (to && to != o) found = source_of(im, to, hops + 1);
        if (found) return found;
    }
    return NULL;
}

sofa_object *sp__sofa_surface_source(sp_import *im, sofa_object *user) {
    sofa_object *found = source_of(im, user, 0);
    for (int i = 0; !found && i < user->node->object_count; i++) {
        sofa_object *c = &user->node->objects[i];
        if (sp__sofa_is(c, SOFA_CONTAINER)) found = source_of(im, c, 0);
    }
    return found ? found : sp__sofa_find(user->node, SOFA_LOADER);
}

const char *sp__sofa_surface(sp_import *im, sofa_object *source, const sofa_placing *moved, const char *name) {
    bool lists = !sp__sofa_is(source, SOFA_LOADER) && !sp__sofa_attr(source, "fileMesh/filename");
    sofa_placing own = sp__sofa_placing(im, source), all;
    sp_trimesh *surface = NULL, *placed = NULL;
    const char *path = NULL;
    if (!sp__sofa_placing_after(&own, moved, &all)) {
        sp__sofa_note(im, source, SP_IMPORT_LEFT_OUT, "a surface that is turned, then stretched");
        return NULL;
    }
    if (lists)
        surface = sp__sofa_list_surface(im, source);
    else if (sp__sofa_placing_none(&all))
        path = sp__sofa_file_path(im, source, "filename/fileMesh");
    else
        surface = sp__sofa_read_surface(im, source, "filename/fileMesh", &path);
    if (!surface) return path && sp__sofa_placing_none(&all) ? sp__sofa_file_name(im, path, name) : NULL;
    placed = sp__sofa_moved(im, surface, &all);
    sp_trimesh_destroy(&surface);
    sofa_file *file = placed ? sp__sofa_file(im, name, ".obj") : NULL;
    if (!file) {
        im->scene->no_memory = true;
        sp_trimesh_destroy(&placed);
        return NULL;
    }
    file->surface = placed;
    return file->name;
}

// ---------------------------------------------------------------------------------------------- of a body

// "name Diffuse 1 r g b a Ambient ...": the number after the word says whether it is used
static bool color_of_material(const char *text, double out[4]) {
    const char *at = text ? strstr(text, "Diffuse") : NULL;
    double numbers[5];
    if (!at || !sp__sofa_read(at + strlen("Diffuse"), 5, numbers) || numbers[0] == 0) return false;
    for (int i = 0; i < 4; i++) out[i] = fmax(0, fmin(1, numbers[i + 1]));
    return true;
}

// "#rrggbb" or "#rrggbbaa"
static bool color_of_digits(const char *text, double out[4]) {
    size_t length = strlen(text);
    if (*text != '#' || (length != 7 && length != 9) || strspn(text + 1, "0123456789abcdefABCDEF") != length - 1) return false;
    for (size_t i = 0; i < (length - 1) / 2; i++) {
        unsigned byte;
        if (sscanf(text + 1 + 2 * i, "%2x", &byte) == 1) out[i] = byte / 255.0;
    }
    return true;
}

static bool color_of(sp_import *im, sofa_object *o, double out[4]) {
    static const struct {
        const char *name;
        double color[3];
    } names[] = {{"red", {1, 0, 0}},        {"green", {0, 1, 0}},      {"blue", {0, 0, 1}},    {"yellow", {1, 1, 0}},
                 {"cyan", {0, 1, 1}},       {"magenta", {1, 0, 1}},    {"white", {1, 1, 1}},   {"black", {0, 0, 0}},
                 {"gray", {0.5, 0.5, 0.5}}, {"grey", {0.5, 0.5, 0.5}}, {"orange", {1, 0.5, 0}}};
    const char *text = sp__sofa_attr(o, "color"), *material = sp__sofa_attr(o, "material");
    const double *numbers;
    out[3] = 1;
    if (!text) return color_of_material(material, out);
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++)
        if (strcmp(names[i].name, text) == 0) return memcpy(out, names[i].color, 3 * sizeof *out), true;
    if (color_of_digits(text, out)) return true;
    if (*text == '#' || (*text >= 'a' && *text <= 'z')) {
        sp__sofa_note(im, o, SP_IMPORT_LEFT_OUT, "color %.40s", text);
        return false;
    }
    int n = sp__sofa_numbers(im, o, "color", &numbers);
    for (int i = 0; i < n && i < 4; i++) out[i] = fmax(0, fmin(1, numbers[i]));
    return n >= 3;
}

static const char *look_of(sp_import *im, sofa_object *o, const char *name) {
    double color[4];
    if (!color_of(im, o, color)) return NULL;
    sofa_element *look = sp__sofa_add(im, im->top, "look", o);
    const char *unique = sp__sofa_unique(im, sp__sofa_print(im, "%s-look", name));
    sp__sofa_set(im, look, "name", unique);
    sp__sofa_set_vector(im, look, "color", color, 3);
    if (color[3] != 1) sp__sofa_set_number(im, look, "opacity", color[3]);
    return unique;
}

// SOFA finds the points of a mapping in the world where they start; those of a rigid body are in its frame, and those of a sparse
// grid are found in the grid as it was before its state moved it.
bool sp__sofa_surface_placing(sp_import *im, const sofa_body *b, const sofa_node *n, sofa_object *placer, sofa_placing *out) {
    sofa_placing own = sp__sofa_placing(im, placer), back;
    sofa_object *mapping = sp__sofa_find(n, SOFA_MAPPING);
    bool local = b->frame && !(mapping && sp__sofa_yes(mapping, "globalToLocalCoords", false));
    bool rest = b->mesh && mapping && sp__sofa_yes(mapping, "useRestPosition", false);
    bool sparse = b->mesh && b->mesh->kind == SOFA_MESH_SPARSE;
    *out = own;
    if (local || strcmp(b->e->name, "rod") == 0) return true;
    return sp__sofa_placing_inverse(rest || sparse ? &b->mesh->rest : &b->placing, &back) &&
           sp__sofa_placing_after(&own, &back, out);
}

// triangles that a ROI selects are not known here
static void note_part(sp_import *im, const sofa_body *b, sofa_object *o) {
    const char *text, *data;
    sofa_node *node;
    for (int i = 0; i < o->node->object_count; i++) {
        sofa_object *c = &o->node->objects[i];
        if (!sp__sofa_is(c, SOFA_CONTAINER) || !(text = sp__sofa_attr(c, "triangles")) || *text != '@') continue;
        if (sp__sofa_is(sp__sofa_link(im, c, text, &node, &data), SOFA_ROI_BOX))
            sp__sofa_note(im, o, SP_IMPORT_CHANGED, "the whole boundary of %s, not only %.60s", b->node->body, text);
    }
}

void sp__sofa_add_surface(sp_import *im, sofa_body *b, sofa_object *o, const char *role) {
    bool visual = strcmp(role, "visual") == 0;
    sofa_object *source = sp__sofa_surface_source(im, o);
    // the collision model of a mapped surface is placed by its state
    sofa_object *placer = visual ? o : o->node == b->node ? NULL : o->node->state;
    sofa_placing moved;
    bool own = !source || source == b->source || sp__sofa_find(o->node, SOFA_BORDER);
    const char *file = NULL;
    if (!own) {
        bool good = sp__sofa_surface_placing(im, b, o->node, placer == source ? NULL : placer, &moved);
        file = good ? sp__sofa_surface(im, source, &moved, b->node->body) : NULL;
        if (!file) {
            if (!o->noted) sp__sofa_note(im, o, SP_IMPORT_LEFT_OUT, "its surface could not be placed");
            return;
        }
        if (!source->noted) sp__sofa_became(im, source);
    }
    sofa_element *e = sp__sofa_add(im, b->e, "surface", o);
    sp__sofa_set(im, e, "role", role);
    if (file) sp__sofa_set(im, e, "file", file);
    const char *look = visual ? look_of(im, o, b->node->body) : NULL;
    if (look) sp__sofa_set(im, e, "look", look);
    if (sp__sofa_yes(o, "selfCollision", false) && strcmp(b->e->name, "solid") == 0) sp__sofa_set(im, e, "self", "yes");
    sp__sofa_became(im, o);
    if (own) note_part(im, b, o);
    for (int i = 0; i < o->node->object_count; i++) {
        sofa_object *c = &o->node->objects[i];
        if (sp__sofa_is(c, SOFA_CONTAINER) && !c->noted) sp__sofa_became(im, c);
        if (own && sp__sofa_is(c, SOFA_GRID) && o->node != b->node && !c->noted)
            sp__sofa_note(im, c, SP_IMPORT_LEFT_OUT, "the boundary of %s is drawn instead", b->node->body);
    }
}

void sp__sofa_note_followers(sp_import *im, sofa_node *n) {
    for (int i = 0; i < n->object_count; i++) {
        sofa_object *o = &n->objects[i];
        bool container = sp__sofa_is(o, SOFA_CONTAINER) && sp__sofa_find(n, SOFA_BORDER);
        if (sp__sofa_is(o, SOFA_MAPPING) || sp__sofa_is(o, SOFA_BORDER) || container || (o == n->state && n->mapped)) {
            sp__sofa_attr(o, "position/rest_position/src/object1/object2");
            sp__sofa_note(im, o, SP_IMPORT_BECAME, "%s", o == n->state ? "the points of a surface" : o->component->becomes);
        }
    }
}

void sp__sofa_note_group(sp_import *im, sofa_body *b, sofa_object *o) {
    double proximity = sp__sofa_number(im, o, "proximity/contactDistance", 0);
    b->node->proximity = fmax(b->node->proximity, proximity);
    sp__sofa_attr(o, "moving/radius/listRadius/color");
    const double *groups;
    int count = sp__sofa_numbers(im, o, "group", &groups);
    if (count) b->node->groups = groups, b->node->group_count = count;
}

static void collision(sp_import *im, sofa_body *b, sofa_object *o) {
    sp__sofa_note_group(im, b, o);
    if (!b->touched && im->touching && strcmp(b->e->name, "rod") != 0) sp__sofa_add_surface(im, b, o, "collision");
    b->touched = true;
    if (!o->noted)
        sp__sofa_note(im, o, SP_IMPORT_NOT_NEEDED, im->touching ? "the surface is there already" : "the scene has no contact");
}

// lines and points of a surface with triangles belong to it; alone they stand for the whole surface, or for the boundary
static void edges_and_balls(sp_import *im, sofa_body *b, sofa_object *o) {
    bool balls = sp__sofa_is(o, SOFA_COLLISION_BALLS), solid = strcmp(b->e->name, "solid") == 0;
    sp__sofa_note_group(im, b, o);
    sp__sofa_attr(o, "selfCollision");
    if (balls && solid)
        sp__sofa_note(im, o, SP_IMPORT_CHANGED, "the boundary of %s is touched instead of spheres", b->node->body);
    if (!sp__sofa_find(o->node, SOFA_COLLISION)) {
        if (!balls && solid && !b->touched && im->touching) {
            sp__sofa_add_surface(im, b, o, "collision");
            sp__sofa_note(im, o, SP_IMPORT_CHANGED, "the whole surface is touched, not only its lines and points");
        }
        b->touched = true;
    }
    if (!o->noted) sp__sofa_became(im, o);
}

void sp__sofa_surfaces(sp_import *im, sofa_body *b) {
    for (sofa_node *n = b->node; n; n = sp__sofa_next_of_body(n, b->node)) {
        for (int i = 0; i < n->object_count; i++) {
            sofa_object *o = &n->objects[i];
            if (sp__sofa_is(o, SOFA_VISUAL)) sp__sofa_add_surface(im, b, o, "visual"), b->drawn = true;
            if (sp__sofa_is(o, SOFA_COLLISION)) collision(im, b, o);
            if (sp__sofa_is(o, SOFA_COLLISION_EDGES) || sp__sofa_is(o, SOFA_COLLISION_BALLS)) edges_and_balls(im, b, o);
        }
        sp__sofa_note_followers(im, n);
    }
    b->node->touched = b->touched;
}

// A body without a surface element is drawn and touched by its boundary; say what differs from that.
void sp__sofa_complete_surfaces(sp_import *im, sofa_body *b) {
    if (!im->touching) return;
    bool written = false;
    for (const sofa_element *c = b->e->first; c; c = c->next) written = written || strcmp(c->name, "surface") == 0;
    if (!b->touched && !b->drawn) {
        sofa_element *e = sp__sofa_add(im, b->e, "surface", NULL);
        e->comment = "no collision model: drawn, not touched";
        sp__sofa_set(im, e, "role", "visual");
    } else if (written && !b->drawn) {
        sofa_element *e = sp__sofa_add(im, b->e, "surface", NULL);
        sp__sofa_set(im, e, "role", "visual");
    } else if (written && b->touched) {
        bool touched = false;
        for (const sofa_element *c = b->e->first; c; c = c->next)
            touched = touched || (strcmp(c->name, "surface") == 0 && strcmp(c->attrs->value, "collision") == 0);
        if (touched) return;
        sofa_element *e = sp__sofa_add(im, b->e, "surface", NULL);
        sp__sofa_set(im, e, "role", "collision");
    }
}
