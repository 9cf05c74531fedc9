// `souple mesh refine`: splits each element into eight, or bisects longest edges in a part of the mesh.
#include <math.h>

#include "mesh/mesh.h"

enum { TIMES = SP_MESH_OUT_OPTION_COUNT, BOX, SPHERE, GROUP, MAX_EDGE };

static const sp_option options[] = {
    SP_MESH_OUT_OPTIONS,
    [TIMES] = {"--times", "N", "so often; default 1"},
    [BOX] = {"--box", "X0,Y0,Z0,X1,Y1,Z1", "only elements whose centre is in there [m]"},
    [SPHERE] = {"--sphere", "X,Y,Z,R", "likewise"},
    [GROUP] = {"--group", "NAME", "only elements of a group"},
    [MAX_EDGE] = {"--max-edge", "H", "until no edge there is longer than H [m]"},
};

typedef struct refine_args {
    sp_mesh_out out;
    sp_selection where;
    long times;
    double edge;
    bool local;
} refine_args;

static bool mesh_refine_take(sp_arguments *a, int option, char **values) {
    refine_args *r = a->user;
    const char *name = options[option].name;
    int n;
    bool bad;
    if (option == BOX || option == SPHERE || option == GROUP || option == MAX_EDGE) r->local = true;
    switch (option) {
    case TIMES: return sp__read_integer(a, name, values[0], 0, 100, &r->times);
    case BOX: return r->where.has_box = sp__read_list(a, name, values[0], 6, 6, r->where.box, &n);
    case SPHERE: return r->where.has_sphere = sp__read_list(a, name, values[0], 4, 4, r->where.sphere, &n);
    case GROUP: r->where.group = values[0]; return true;
    case MAX_EDGE: return sp__read_number(a, name, values[0], 1e-12, 1e12, &r->edge);
    default: return sp__take_out_option(&r->out, a, name, values, &bad) && !bad;
    }
}

// surfaces have no longest-edge refinement: each triangle is split into four
static int refine_surface(const refine_args *r, const sp_arguments *a, sp_context *context, const sp_mesh_file *file) {
    sp_trimesh *surface = NULL, *fine = NULL;
    int code;
    if (r->local) return sp__complain(a, "%s holds triangles only: --times alone can refine them", a->words[0]);
    if (sp_mesh_file_trimesh(file, &surface) < 0 || sp_trimesh_subdivided(surface, (int)r->times, false, 0, &fine) < 0)
        code = sp__mesh_failed(a, context);
    else
        code = sp__mesh_out_write(&r->out, a, NULL, fine);
    sp_trimesh_destroy(&fine);
    sp_trimesh_destroy(&surface);
    return code;
}

static int refine_mesh(const refine_args *r, const sp_arguments *a, sp_context *context, const sp_mesh_file *file) {
    sp_mesh *mesh = NULL, *fine = NULL;
    int code;
    sp_status status = sp_mesh_file_mesh(file, &mesh);
    if (status >= 0)
        status = r->local ? sp_mesh_refined_where(mesh, &r->where, r->edge, (int)r->times, &fine)
                          : sp_mesh_refined(mesh, (int)r->times, &fine);
    code = status < 0 ? sp__mesh_failed(a, context) : sp__mesh_out_write(&r->out, a, fine, NULL);
    sp_mesh_destroy(&fine);
    sp_mesh_destroy(&mesh);
    return code;
}

static int refine_main(const sp_command *command, int argc, char **argv) {
    refine_args r = {.out = sp__mesh_out_default(), .where = sp_selection_default(), .times = -1};
    sp_arguments a = {.command = command, .take = mesh_refine_take, .user = &r, .word_limit = 2};
    sp_mesh_file *file = NULL;
    int code = sp__read_arguments(&a, argc, argv);
    if (code >= 0) return code;
    if (a.word_count < 2) return sp__complain(&a, a.word_count ? "into which file?" : "which file?");
    if (r.edge > 0 && r.times >= 0) return sp__complain(&a, "--times and --max-edge: one of them");
    if (r.times < 0) r.times = 1;
    r.out.path = a.words[1];
    sp_context *context = sp__mesh_context(&a);
    if (!context) return SP_EXIT_FAILED;
    if (sp_mesh_file_open(context, a.words[0], &file) < 0) {
        code = sp__mesh_failed(&a, context);
    } else {
        sp_mesh_file_content content;
        sp_mesh_file_get(file, &content);
        code = content.tetrahedra ? refine_mesh(&r, &a, context, file) : refine_surface(&r, &a, context, file);
    }
    sp_mesh_file_close(&file);
    sp_context_destroy(&context);
    return code;
}

const sp_command sp__command_mesh_refine = {
    .name = "mesh refine",
    .arguments = "IN OUT",
    .summary = "Refine a mesh everywhere or in places",
    .text = "Everywhere: each tetrahedron into eight, each triangle of a surface into four. In places, or to a length: longest "
            "edges are\n"
            "halved, with as many neighbours as it takes to leave no hanging node; --times 3 halves about every edge there.",
    .options = options,
    .option_count = sizeof options / sizeof options[0],
    .examples = "  souple mesh refine beam.msh fine.msh --times 2\n"
                "  souple mesh refine beam.msh tip.msh --box 0.3,0,0,0.4,0.1,0.1 --max-edge 0.01\n",
    .main = refine_main,
};
