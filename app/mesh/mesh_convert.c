// `souple mesh convert`: converts between formats, with an optional scale; volume elements, or triangles if there are none.
#include <math.h>

#include "mesh/mesh.h"

enum { SCALE = SP_MESH_OUT_OPTION_COUNT, TRANSLATE, TETRAHEDRA, ORDER };

static const sp_option options[] = {
    SP_MESH_OUT_OPTIONS,
    [SCALE] = {"--scale", "S", "times S, or SX,SY,SZ; 0.001 for a file in millimetres"},
    [TRANSLATE] = {"--translate", "X,Y,Z", "and then moved [m]"},
    [TETRAHEDRA] = {"--tetrahedra", NULL, "cut hexahedra into linear tetrahedra, and take the corners of quadratic ones"},
    [ORDER] = {"--order", "N", "2: linear tetrahedra get nodes on their edges; quadratic ones stay. Default 1: as they are"},
};

typedef struct convert_args {
    sp_mesh_out out;
    double scale[3];
    sp_pose pose;
    bool tetrahedra;
    long order;
} convert_args;

static bool mesh_convert_take(sp_arguments *a, int option, char **values) {
    convert_args *c = a->user;
    int n;
    bool bad;
    if (option == TETRAHEDRA) return c->tetrahedra = true;
    if (option == ORDER) return sp__read_integer(a, "--order", values[0], 1, 2, &c->order);
    if (option == TRANSLATE) return sp__read_list(a, "--translate", values[0], 3, 3, c->pose.translate, &n);
    if (option != SCALE) return sp__take_out_option(&c->out, a, options[option].name, values, &bad) && !bad;
    if (!sp__read_list(a, "--scale", values[0], 1, 3, c->scale, &n)) return false;
    if (n == 2) return sp__complain(a, "--scale \"%s\": must be one number or three", values[0]), false;
    if (n == 1) c->scale[1] = c->scale[2] = c->scale[0];
    return true;
}

static bool all_quadratic(const sp_mesh *mesh) {
    for (int e = 0; e < sp_mesh_element_count(mesh); e++)
        if (sp_mesh_element(mesh, e, NULL) != SP_ELEMENT_TET10) return false;
    return true;
}

static int convert_mesh(const convert_args *c, const sp_arguments *a, const sp_mesh *mesh) {
    sp_mesh *quadratic = NULL, *moved = NULL;
    sp_status status = SP_OK;
    if (c->order == 2 && !all_quadratic(mesh)) status = sp_mesh_order2(mesh, NULL, NULL, &quadratic);
    if (status >= 0) status = sp_mesh_transformed(quadratic ? quadratic : mesh, c->scale, &c->pose, &moved);
    int code = status < 0 ? sp__mesh_failed(a, sp_mesh_context(mesh)) : sp__mesh_out_write(&c->out, a, moved, NULL);
    sp_mesh_destroy(&quadratic);
    sp_mesh_destroy(&moved);
    return code;
}

static int convert_surface(const convert_args *c, const sp_arguments *a, const sp_trimesh *surface) {
    sp_trimesh *moved = NULL;
    if (sp_trimesh_transformed(surface, c->scale, &c->pose, &moved) < 0) return sp__mesh_failed(a, sp_trimesh_context(surface));
    int code = sp__mesh_out_write(&c->out, a, NULL, moved);
    sp_trimesh_destroy(&moved);
    return code;
}

static int mesh_convert_file(const convert_args *c, const sp_arguments *a, sp_context *context) {
    sp_mesh_file *file;
    sp_mesh_file_content content;
    sp_mesh *mesh = NULL;
    sp_trimesh *surface = NULL;
    int code;
    if (sp_mesh_file_open(context, a->words[0], &file) < 0) return sp__mesh_failed(a, context);
    sp_mesh_file_get(file, &content);
    if (content.tetrahedra) {
        sp_status status = (c->tetrahedra ? sp_mesh_file_tets : sp_mesh_file_mesh)(file, &mesh);
        code = status < 0 ? sp__mesh_failed(a, context) : convert_mesh(c, a, mesh);
    } else {
        code = sp_mesh_file_trimesh(file, &surface) < 0 ? sp__mesh_failed(a, context) : convert_surface(c, a, surface);
    }
    sp_mesh_file_close(&file);
    sp_mesh_destroy(&mesh);
    sp_trimesh_destroy(&surface);
    return code;
}

static int convert_main(const sp_command *command, int argc, char **argv) {
    convert_args c = {.out = sp__mesh_out_default(), .scale = {1, 1, 1}, .pose = sp_pose_identity()};
    sp_arguments a = {.command = command, .take = mesh_convert_take, .user = &c, .word_limit = 2};
    int code = sp__read_arguments(&a, argc, argv);
    if (code >= 0) return code;
    if (a.word_count < 2) return sp__complain(&a, a.word_count ? "into which file?" : "which file?");
    c.out.path = a.words[1];
    sp_context *context = sp__mesh_context(&a);
    if (!context) return SP_EXIT_FAILED;
    code = mesh_convert_file(&c, &a, context);
    sp_context_destroy(&context);
    return code;
}

const sp_command sp__command_mesh_convert = {
    .name = "mesh convert",
    .arguments = "IN OUT",
    .summary = "Write a mesh or a surface in another format",
    .text =
        "What IN is, is seen from its content. Volume elements with their groups and arrays where there are any, otherwise "
        "triangles.\n"
        "Linear and quadratic tetrahedra and hexahedra stay what they are; a file with wedges or pyramids is cut into linear\n"
        "tetrahedra as a whole. Quadrangles and polygons are cut into triangles.",
    .options = options,
    .option_count = sizeof options / sizeof options[0],
    .examples = "  souple mesh convert liver.msh liver.vtu --compress\n"
                "  souple mesh convert scan.stl scan.ply --scale 0.001\n"
                "  souple mesh convert liver.msh skin.obj\n"
                "  souple mesh convert bricks.vtu bricks.msh --tetrahedra\n",
    .main = convert_main,
};
