// Organ-like shapes as tetrahedral meshes: implicit function of the parts, groups, length.
#include "mesh/organ.h"

#include "math/vec3.h"

enum { ORGAN_REGIONS_MAX = 8, PATCHES_MAX = 8, ELEMENTS_MIN = 300 };

// ------------------------------------------------------------------------------------------------ parts

// rotates v back by the angles about x, then y, then z, into the axes of the ellipsoid
static void rotate_back(const double turn[3], double v[3]) {
    static const double degree = SP_PI / 180;
    for (int k = 2; k >= 0; k--) {
        if (turn[k] == 0) continue;
        double c = cos(turn[k] * degree), s = sin(turn[k] * degree), *p = &v[(k + 1) % 3], *q = &v[(k + 2) % 3], old = *p;
        *p = c * old + s * *q;
        *q = c * *q - s * old;
    }
}

// approximate distance: exact to first order on the surface
static double ball(const sp_part *part, const double x[3]) {
    double v[3], near = 0, steep = 0;
    sp__sub3(x, part->a, v);
    rotate_back(part->turn, v);
    for (int k = 0; k < 3; k++) {
        double u = v[k] / part->size[k];
        near += u * u, steep += u * u / (part->size[k] * part->size[k]);
    }
    near = sqrt(near), steep = sqrt(steep);
    double least = fmin(part->size[0], fmin(part->size[1], part->size[2]));
    return steep > 0 ? near * (near - 1) / steep : -least;
}

static double cone(const sp_part *part, const double x[3]) {
    double axis[3], v[3];
    sp__sub3(part->b, part->a, axis);
    sp__sub3(x, part->a, v);
    double t = fmin(1, fmax(0, sp__dot3(v, axis) / sp__dot3(axis, axis)));
    sp__axpy3(v, -t, axis, v);
    return sp__norm3(v) - (part->size[0] + t * (part->size[1] - part->size[0]));
}

static double half(const sp_part *part, const double x[3]) {
    double v[3];
    sp__sub3(x, part->a, v);
    return sp__dot3(v, part->b) / sp__norm3(part->b);
}

// smooth minimum of two values over a width
static double smooth_min(double a, double b, double width) {
    double h = width > 0 ? fmax(0, 1 - fabs(a - b) / width) : 0;
    return fmin(a, b) - 0.25 * width * h * h;
}

// The signed function of a list of parts.
static double parts_value(const sp_part *parts, int count, const double x[3]) {
    double value = INFINITY;
    for (int i = 0; i < count; i++) {
        const sp_part *p = &parts[i];
        double own = p->kind == SP_PART_BALL ? ball(p, x) : p->kind == SP_PART_CONE ? cone(p, x) : half(p, x);
        value = i == 0 ? own : p->cut ? -smooth_min(-value, own, p->blend) : smooth_min(value, own, p->blend);
    }
    return value;
}

static double organ_value(const void *user, const double x[3]) {
    const sp_organ *o = user;
    double value = parts_value(o->parts, o->part_count, x);
    if (o->wall > 0) value = fmax(value, -(value + o->wall));
    // a sharp rim would be cut off at random places by the cells
    if (o->opening_count) value = -smooth_min(-value, parts_value(o->openings, o->opening_count, x), 0.5 * o->wall);
    return value;
}

static double zone_value(const void *user, const double x[3]) {
    const sp_organ_zone *z = user;
    return parts_value(z->parts, z->part_count, x);
}

// ------------------------------------------------------------------------------------------------ groups

static void mark_boundary(const sp_mesh *mesh, unsigned char *mark) {
    for (size_t i = 0; i < 3 * (size_t)mesh->face_count; i++) mark[mesh->faces[i]] = 1;
}

// a definition that borrows the tables of a mesh
static sp_mesh_def copy_of(const sp_mesh *mesh) {
    sp_mesh_def def = sp_mesh_def_default();
    def.node_count = mesh->node_count, def.positions = mesh->x;
    def.element_count = mesh->element_count, def.element_nodes = mesh->nodes;
    def.fix_orientation = false;
    return def;
}

static int find_patches(const sp_mesh *mesh, const sp_organ *o, const unsigned char *mark, int *nodes, sp_mesh_group *groups) {
    int used = 0, count = 0;
    for (int p = 0; p < o->patch_count; p++) {
        int begin = used;
        for (int i = 0; i < mesh->node_count; i++)
            if (mark[i] && zone_value(&o->patches[p], mesh->x + 3 * (size_t)i) < 0) nodes[used++] = i;
        if (used > begin)
            groups[count++] = (sp_mesh_group){.name = o->patches[p].name, .nodes = nodes + begin, .node_count = used - begin};
    }
    return count;
}

// Keeps the regions, adds patches from the coordinates of the function, then scales to the given length.
static sp_status with_groups(const sp_organ *o, const sp_mesh *raw, double length, sp_mesh **out) {
    sp_context *ctx = raw->ctx;
    sp_mesh_group groups[ORGAN_REGIONS_MAX + PATCHES_MAX];
    unsigned char *mark = NULL;
    int *nodes = NULL, count = sp_mesh_group_count(raw);
    double *x = NULL, extent = 0;
    sp_status status = SP_NO_MEMORY;
    size_t n = (size_t)raw->node_count;
    if (!SP_NEW(ctx, mark, n) || !SP_NEW(ctx, nodes, n * (size_t)(o->patch_count + 1)) || !SP_NEW(ctx, x, 3 * n)) {
        SP_FAIL(ctx, SP_NO_MEMORY, "no memory for the groups of an organ");
        goto done;
    }
    mark_boundary(raw, mark);
    for (int i = 0; i < count; i++) sp_mesh_group_at(raw, i, &groups[i]);
    count += find_patches(raw, o, mark, nodes, groups + count);
    for (int k = 0; k < 3; k++) extent = fmax(extent, raw->high[k] - raw->low[k]);
    for (size_t i = 0; i < n; i++)
        for (size_t k = 0; k < 3; k++)
            x[3 * i + k] = (raw->x[3 * i + k] - 0.5 * (raw->low[k] + raw->high[k])) * (length / extent);
    sp_mesh_def def = copy_of(raw);
    def.positions = x, def.groups = groups, def.group_count = count;
    status = sp_mesh_create(ctx, &def, out);
done:
    sp__free(ctx, mark);
    sp__free(ctx, nodes);
    sp__free(ctx, x);
    return status;
}

// ------------------------------------------------------------------------------------------------ meshes

static const sp_organ *organ_at(int index) {
    int first = 0;
    while (sp__organs_body[first].name) first++;
    if (index < 0) return NULL;
    if (index < first) return &sp__organs_body[index];
    for (int i = 0; sp__organs_animal[i].name; i++)
        if (i == index - first) return &sp__organs_animal[i];
    return NULL;
}

const char *sp_mesh_organ_name(int index) {
    const sp_organ *o = organ_at(index);
    return o ? o->name : NULL;
}

static const sp_organ *organ_named(const char *name) {
    for (int i = 0; organ_at(i); i++)
        if (strcmp(organ_at(i)->name, name) == 0) return organ_at(i);
    return NULL;
}

sp_status sp_mesh_organ(sp_context *context, const char *kind, double length, int elements, sp_mesh **out) {
    *out = NULL;
    const sp_organ *o = organ_named(kind);
    if (!o)
        return SP_FAIL(context, SP_BAD_INPUT,
                       "organ \"%.40s\", must be liver, lens, eye, skin, stomach, vessels, gall-bladder, rabbit, armadillo, "
                       "octopus or snake",
                       kind);
    if (!(length > 0) || !isfinite(length))
        return SP_FAIL(context, SP_BAD_INPUT, "length = %g m, must be positive and finite", length);
    if (elements < ELEMENTS_MIN)
        return SP_FAIL(context, SP_BAD_INPUT, "elements = %d, must be at least %d", elements, ELEMENTS_MIN);
    if (!o->parts) return sp__organ_skin(context, length, elements, out);
    sp_fill_region regions[ORGAN_REGIONS_MAX];
    sp_fill_def def = sp_fill_def_default();
    for (int i = 0; i < o->region_count; i++)
        regions[i] = (sp_fill_region){.name = o->regions[i].name, .field = zone_value, .user = &o->regions[i]};
    def.elements = elements, def.detail = o->detail;
    def.regions = regions, def.region_count = o->region_count, def.body = o->body;
    sp_mesh *raw = NULL;
    SP_TRY(sp_mesh_fill(context, organ_value, o, o->low, o->high, 0, &def, NULL, &raw));
    sp_status status = with_groups(o, raw, length, out);
    sp_mesh_destroy(&raw);
    return status;
}
