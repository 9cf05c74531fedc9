// `souple mesh info`: contents, quality and defects of a mesh file; and its repair.
#include <limits.h>
#include <math.h>

#include "mesh/mesh.h"

enum { JSON = SP_MESH_OUT_OPTION_COUNT, REPAIR, TOLERANCE, LIMIT, NO_INTERSECTIONS, STRICT };

static const sp_option options[] = {
    SP_MESH_OUT_OPTIONS,
    [JSON] = {"--json", NULL, "one JSON object on stdout"},
    [REPAIR] = {"--repair", "OUT", "write there what can be repaired safely, and say what was done"},
    [TOLERANCE] = {"--tolerance", "D", "nodes this close coincide [m]; default: 1e-9 of the diagonal of the bounding box"},
    [LIMIT] = {"--limit", "N", "defects listed of each kind; default 10. The counts are whole in any case"},
    [NO_INTERSECTIONS] = {"--no-intersections", NULL, "do not look for self-intersections"},
    [STRICT] = {"--strict", NULL, "exit with 1 where there is any defect"},
};

typedef struct info_args {
    sp_mesh_out out;
    sp_examine_options examine;
    bool json, strict;
} info_args;

static bool mesh_info_take(sp_arguments *a, int option, char **values) {
    info_args *i = a->user;
    const char *name = options[option].name;
    long n;
    bool bad;
    switch (option) {
    case JSON: return i->json = true;
    case REPAIR: i->out.path = values[0]; return true;
    case TOLERANCE: return sp__read_number(a, name, values[0], 0, 1e12, &i->examine.tolerance);
    case LIMIT:
        if (!sp__read_integer(a, name, values[0], 0, 1000000, &n)) return false;
        i->examine.limit = (int)n;
        return true;
    case NO_INTERSECTIONS: i->examine.intersections = false; return true;
    case STRICT: return i->strict = true;
    default: return sp__take_out_option(&i->out, a, name, values, &bad) && !bad;
    }
}

// ---------------------------------------------------------------------------------------------------- repair

// examines the repaired mesh
static sp_status examine_repaired(sp_context *context, const sp_examine_options *o, const sp_mesh *mesh,
                                  const sp_trimesh *surface, sp_mesh_report **after) {
    if (surface) {
        sp_trimesh_def def;
        sp_trimesh_get(surface, &def);
        return sp_trimesh_examine(context, &def, o, after);
    }
    sp_mesh_def def = sp_mesh_def_default();  // only meshes of linear tetrahedra are repaired
    def.node_count = sp_mesh_node_count(mesh), def.positions = sp_mesh_positions(mesh), def.node_ids = sp_mesh_node_ids(mesh);
    def.element_count = sp_mesh_element_count(mesh), def.element_nodes = sp_mesh_tets(mesh);
    def.element_ids = sp_mesh_element_ids(mesh);
    return sp_mesh_examine(context, &def, o, after);
}

static sp_status write_repaired(const sp_mesh_out *out, const sp_mesh *mesh, const sp_trimesh *surface) {
    if (surface) return sp_trimesh_write(surface, out->path, &out->options);
    if (!out->surface) return sp_mesh_write(mesh, out->path, &out->options);
    sp_trimesh *boundary;
    sp_status status = sp_mesh_boundary(mesh, &boundary);
    if (status >= 0) status = sp_trimesh_write(boundary, out->path, &out->options);
    sp_trimesh_destroy(&boundary);
    return status;
}

static sp_status repair(sp_context *context, const info_args *i, sp_mesh_findings *f, sp_mesh_report **after) {
    sp_mesh *mesh = NULL;
    sp_trimesh *surface = NULL;
    sp_examine_options o = i->examine;
    sp_status status = f->content.tetrahedra
                           ? sp_mesh_repaired(context, &f->content.mesh, &i->examine, &mesh, &f->repairs)
                           : sp_trimesh_repaired(context, &f->content.surface, &i->examine, &surface, &f->repairs);
    o.node_ids = o.element_ids = NULL;
    if (status >= 0) status = examine_repaired(context, &o, mesh, surface, after);
    if (status >= 0) status = write_repaired(&i->out, mesh, surface);
    f->repaired = status >= 0;
    f->repaired_path = i->out.path;
    f->after = *after;
    sp_mesh_destroy(&mesh);
    sp_trimesh_destroy(&surface);
    return status;
}

// ---------------------------------------------------------------------------------------------------- command

static int print_report(info_args *i, const sp_arguments *a, sp_context *context, const sp_mesh_file *file) {
    sp_mesh_findings f = {.path = a->words[0]};
    sp_mesh_report *report = NULL, *after = NULL;
    sp_mesh_file_get(file, &f.content);
    i->examine.node_ids = f.content.node_ids, i->examine.element_ids = f.content.face_ids;
    sp_status status = f.content.tetrahedra ? sp_mesh_examine(context, &f.content.mesh, &i->examine, &report)
                                            : sp_trimesh_examine(context, &f.content.surface, &i->examine, &report);
    f.report = report;
    if (status >= 0 && i->out.path) status = repair(context, i, &f, &after);
    int code = SP_EXIT_DONE;
    if (status < 0)
        code = sp__mesh_failed(a, context);
    else if (i->json)
        sp__print_findings_json(&f, stdout);
    else
        sp__print_findings(&f, stdout);
    if (code == SP_EXIT_DONE && i->strict && sp__findings_defects(after ? after : report) > 0) code = SP_EXIT_FAILED;
    sp_mesh_report_destroy(&report);
    sp_mesh_report_destroy(&after);
    return code;
}

static int info_main(const sp_command *command, int argc, char **argv) {
    info_args i = {.out = sp__mesh_out_default(), .examine = sp_examine_options_default()};
    sp_arguments a = {.command = command, .take = mesh_info_take, .user = &i, .word_limit = 1};
    sp_mesh_file *file = NULL;
    i.examine.limit = 10;
    int code = sp__read_arguments(&a, argc, argv);
    if (code >= 0) return code;
    if (a.word_count < 1) return sp__complain(&a, "which file?");
    sp_context *context = sp__mesh_context(&a);
    if (!context) return SP_EXIT_FAILED;
    code = sp_mesh_file_open(context, a.words[0], &file) < 0 ? sp__mesh_failed(&a, context) : print_report(&i, &a, context, file);
    sp_mesh_file_close(&file);
    sp_context_destroy(&context);
    return code;
}

const sp_command sp__command_mesh_info = {
    .name = "mesh info",
    .arguments = "FILE",
    .summary = "Say what is in a mesh file, how good it is, and everything that is wrong with it",
    .text =
        "Volume elements where there are any, otherwise triangles. Defects come first, with the numbers of the file.\n"
        "Hexahedra and quadratic tetrahedra have a Jacobian ratio: the smallest determinant of their map to the largest one.\n"
        "--repair works on linear tetrahedra and triangles: it welds coincident nodes, leaves out nodes of no element and "
        "degenerate, duplicate or broken elements, turns\n"
        "inverted tetrahedra and orients surfaces; holes and self-intersections stay, and are reported (see `souple mesh\n"
        "tetrahedralise`, which can live with both).",
    .options = options,
    .option_count = sizeof options / sizeof options[0],
    .examples = "  souple mesh info liver.msh\n"
                "  souple mesh info scan.stl --repair scan.ply\n"
                "  souple mesh info liver.msh --strict --json\n",
    .main = info_main,
};
