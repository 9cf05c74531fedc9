// Shapes, worlds and files for the tests of pictures.
#ifndef SP_PICTURE_HELP_H
#define SP_PICTURE_HELP_H

#include <png.h>
#include <unistd.h>

#include "io/picture/picture.h"
#include "math/vec3.h"
#include "souple/io.h"
#include "test.h"

static const double PI = 3.14159265358979323846;

static inline sp_context *new_context(int workers) {
    sp_context_def def = sp_context_def_default();
    sp_context *ctx = NULL;
    def.workers = workers;
    sp_context_create(&def, &ctx);
    return ctx;
}

static inline bool make_soup(sp_context *ctx, sp_soup *s, int vertices, int faces, int drawables) {
    *s = (sp_soup){0};
    if (sp__soup_reserve(ctx, s, vertices, faces, drawables) < 0) return false;
    s->vertex_count = s->fitted = vertices, s->face_count = faces, s->drawable_count = drawables;
    for (int i = 0; i < drawables; i++) s->drawables[i] = (sp_drawable){.color = {0.5, 0.1, 0.1}, .opacity = 1, .roughness = 0.6};
    return true;
}

// a ball of unit radius: circles of latitude, poles last
static inline bool make_ball(sp_context *ctx, sp_soup *s, int rings, int around) {
    int nv = rings * around + 2, nf = 2 * rings * around, f = 0;
    if (!make_soup(ctx, s, nv, nf, 1)) return false;
    for (int r = 0; r < rings; r++)
        for (int k = 0; k < around; k++) {
            double a = PI * (r + 1) / (rings + 1), b = 2 * PI * k / around, *x = s->x + 3 * (r * around + k);
            x[0] = sin(a) * cos(b), x[1] = cos(a), x[2] = -sin(a) * sin(b);
        }
    s->x[3 * (nv - 2) + 1] = 1, s->x[3 * (nv - 1) + 1] = -1;
    for (int k = 0; k < around; k++) {
        uint32_t next = (uint32_t)((k + 1) % around), here = (uint32_t)k, low = (uint32_t)((rings - 1) * around);
        uint32_t caps[6] = {(uint32_t)nv - 2, here, next, (uint32_t)nv - 1, low + next, low + here};
        memcpy(s->faces + 3 * f, caps, sizeof caps), f += 2;
        for (int r = 0; r + 1 < rings; r++) {
            uint32_t a = (uint32_t)(r * around) + here, b = (uint32_t)(r * around) + next, n = (uint32_t)around;
            uint32_t quad[6] = {a, a + n, b, b, a + n, b + n};
            memcpy(s->faces + 3 * f, quad, sizeof quad), f += 2;
        }
    }
    return true;
}

static inline bool is_background(const unsigned char *p) {
    return p[0] == 255 && p[1] == 255 && p[2] == 255;
}

static inline int count_ink(const unsigned char *rgb, int width, int height) {
    int n = 0;
    for (int i = 0; i < width * height; i++) n += !is_background(rgb + 3 * i);
    return n;
}

// ---------------------------------------------------------------------------------------------------- a world

typedef struct world_of_one {
    sp_context *ctx;
    sp_mesh *mesh;
    sp_world *world;
} world_of_one;

// a bar 2 x 1 x 1 about the origin, clamped at its left end, two materials, pushed down at its right end
static inline bool make_world(world_of_one *w) {
    const double size[3] = {2, 1, 1};
    const int cells[3] = {4, 2, 2};
    sp_pose pose = sp_pose_identity();
    sp_mesh *box = NULL;
    pose.translate[0] = -1, pose.translate[1] = pose.translate[2] = -0.5;
    bool ok = sp_mesh_box(w->ctx, size, cells, 6, &box) >= 0 && sp_mesh_transformed(box, NULL, &pose, &w->mesh) >= 0 &&
              sp_world_create(w->ctx, NULL, &w->world) >= 0;
    sp_mesh_destroy(&box);
    if (!ok) return false;
    int nodes[9], region[96], end[1] = {44};
    for (int i = 0; i < 9; i++) nodes[i] = i;
    for (int i = 0; i < 96; i++) region[i] = i >= 48;
    sp_fix fix = {.nodes = nodes, .count = 9, .axes = SP_AXES_ALL};
    sp_load load = {.type = SP_LOAD_EACH, .items = end, .count = 1, .value[1].constant = -50};
    sp_solid_def def = sp_solid_def_default();
    sp_material other = def.material;
    other.young = 1e7;
    def.name = "bar", def.mesh = w->mesh, def.fixes = &fix, def.fix_count = 1, def.loads = &load, def.load_count = 1;
    def.regions = &other, def.region_count = 1, def.element_region = region;
    return sp_world_add_solid(w->world, &def, NULL) >= 0;
}

static inline void free_world(world_of_one *w) {
    sp_world_destroy(&w->world);
    sp_mesh_destroy(&w->mesh);
}

// ---------------------------------------------------------------------------------------------------- files

static inline unsigned char *decode(const char *path, int *width, int *height) {
    png_image image = {.version = PNG_IMAGE_VERSION};
    if (!png_image_begin_read_from_file(&image, path)) return NULL;
    image.format = PNG_FORMAT_RGB;
    unsigned char *rgb = malloc(PNG_IMAGE_SIZE(image));
    *width = (int)image.width, *height = (int)image.height;
    if (rgb && png_image_finish_read(&image, NULL, rgb, 0, NULL)) return rgb;
    free(rgb);
    return NULL;
}

static inline void temporary(char *path) {
    strcpy(path, "/tmp/souple-picture-XXXXXX");
    int fd = mkstemp(path);
    if (fd >= 0) close(fd);
}

static inline sp_picture_def front_view(void) {
    sp_picture_def def = sp_picture_def_default();
    def.width = 160, def.height = 120, def.fitted = false;
    def.at[2] = 4.5;  // 4 from the front face of the bar
    return def;
}

#endif
