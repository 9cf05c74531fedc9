// `souple mesh`: selects the subcommand; shared code of the subcommands.
#include "mesh/mesh.h"

#include <limits.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "util/nearest.h"

static const sp_command *const parts[] = {&sp__command_mesh_info, &sp__command_mesh_convert, &sp__command_mesh_generate,
                                          &sp__command_mesh_refine, &sp__command_mesh_tetrahedralise};
enum { PARTS = sizeof parts / sizeof parts[0] };

static const char *own_name(int i) {
    return strchr(parts[i]->name, ' ') + 1;
}

static int mesh_main(const sp_command *command, int argc, char **argv) {
    const char *names[PARTS];
    sp_arguments a = {.command = command};
    if (argc < 2) {
        sp__print_help(command, stderr);
        return SP_EXIT_USAGE;
    }
    if (strcmp(argv[1], "--help") == 0 || strcmp(argv[1], "-h") == 0) {
        sp__print_help(command, stdout);
        return SP_EXIT_DONE;
    }
    for (int i = 0; i < PARTS; i++) {
        names[i] = own_name(i);
        if (strcmp(argv[1], names[i]) == 0) return parts[i]->main(parts[i], argc - 1, argv + 1);
    }
    // both spellings are accepted
    if (strcmp(argv[1], "tetrahedralize") == 0)
        return sp__command_mesh_tetrahedralise.main(&sp__command_mesh_tetrahedralise, argc - 1, argv + 1);
    sp__check_word(&a, "subcommand", argv[1], names, PARTS);
    return SP_EXIT_USAGE;
}

const sp_command sp__command_mesh = {
    .name = "mesh",
    .arguments = "info|convert|generate|refine|tetrahedralise ...",
    .summary = "Look at, convert, make and refine meshes and surfaces",
    .text = "\n"
            "  mesh info FILE            what is in a mesh file, how good it is, every defect; --repair\n"
            "  mesh convert IN OUT       between msh, vtk, vtu, tetgen, obj, stl and ply\n"
            "  mesh generate SHAPE       boxes, cylinders, balls, rings, organs\n"
            "  mesh refine IN OUT        everywhere or in places\n"
            "  mesh tetrahedralise IN    fill a surface or a segmented scan with tetrahedra\n"
            "\n"
            "`souple mesh SUBCOMMAND --help` says more.",
    .examples = "  souple mesh generate sphere --radius 0.05 --cells 6 --out ball.msh\n"
                "  souple mesh info ball.msh\n"
                "  souple mesh convert ball.msh ball.vtu --compress\n",
    .main = mesh_main,
    .parts = parts,
    .part_count = PARTS,
};

// ---------------------------------------------------------------------------------------------------- numbers in lists

bool sp__read_list(const sp_arguments *a, const char *option, const char *text, int least, int most, double *out, int *count) {
    const char *at = text + strspn(text, " ");
    int n = 0;
    for (; *at; n++) {
        char *end;
        double value = strtod(at, &end);
        if (end == at || !isfinite(value) || n == most || (*end && !strchr(" ,", *end))) {
            n = -1;
            break;
        }
        out[n] = value;
        at = end + strspn(end, " ,");
    }
    *count = n;
    if (n >= least) return true;
    if (least == most)
        sp__complain(a, "%s \"%s\": must be %d number%s, \"a,b,...\"", option, text, most, most == 1 ? "" : "s");
    else
        sp__complain(a, "%s \"%s\": must be %d to %d numbers, \"a,b,...\"", option, text, least, most);
    return false;
}

bool sp__read_counts(const sp_arguments *a, const char *option, const char *text, int least, int most, int *out, int *count) {
    double values[8];
    if (!sp__read_list(a, option, text, least, most < 8 ? most : 8, values, count)) return false;
    for (int i = 0; i < *count; i++) {
        if (!(values[i] >= 1 && values[i] <= INT_MAX && values[i] == floor(values[i]))) {
            sp__complain(a, "%s \"%s\": must be whole numbers of at least 1", option, text);
            return false;
        }
        out[i] = (int)values[i];
    }
    return true;
}

// ---------------------------------------------------------------------------------------------------- contexts

static void log_line(void *user, sp_log_level level, const char *text) {
    (void)user;
    if (level >= SP_LOG_WARNING) fprintf(stderr, "souple: %s\n", text);
}

sp_context *sp__mesh_context(const sp_arguments *a) {
    sp_context_def def = sp_context_def_default();
    sp_context *context = NULL;
    def.log = log_line;
    if (sp_context_create(&def, &context) < 0) sp__complain(a, "out of memory");
    return context;
}

int sp__mesh_failed(const sp_arguments *a, const sp_context *context) {
    const sp_error *e = sp_context_error(context);
    sp__complain(a, "%s", e->message);
    return e->status == SP_NO_MEMORY ? SP_EXIT_FAILED : SP_EXIT_USAGE;
}

// ---- output files

sp_mesh_out sp__mesh_out_default(void) {
    return (sp_mesh_out){.options = sp_mesh_write_options_default()};
}

bool sp__take_out_option(sp_mesh_out *out, const sp_arguments *a, const char *name, char **values, bool *bad) {
    static const char *const formats[] = {"msh", "msh2", "vtk", "vtu", "tetgen", "obj", "stl", "ply"};
    *bad = false;
    if (strcmp(name, "--format") == 0) {
        *bad = !sp__check_word(a, "format", values[0], formats, sizeof formats / sizeof *formats);
        out->options.format = values[0];
    } else if (strcmp(name, "--ascii") == 0) {
        out->options.encoding = SP_ENCODING_ASCII;
    } else if (strcmp(name, "--compress") == 0) {
        out->options.compress = true;
    } else if (strcmp(name, "--surface") == 0) {
        out->surface = true;
    } else {
        return false;
    }
    return true;
}

static bool is_format(const sp_mesh_out *out, const char *name) {
    const char *format = out->options.format, *suffix = strrchr(out->path, '.');
    if (!format) format = suffix ? suffix + 1 : "";
    return strcmp(format, name) == 0;
}

static bool for_surfaces(const sp_mesh_out *out) {
    return is_format(out, "obj") || is_format(out, "stl") || is_format(out, "ply");
}

static int write_surface(const sp_mesh_out *out, const sp_arguments *a, const sp_trimesh *surface) {
    sp_trimesh_def def;
    if (sp_trimesh_write(surface, out->path, &out->options) < 0) return sp__mesh_failed(a, sp_trimesh_context(surface));
    sp_trimesh_get(surface, &def);
    if (!out->quiet) printf("%s: %d vertices, %d triangles\n", out->path, def.vertex_count, def.face_count);
    return SP_EXIT_DONE;
}

void sp__mesh_elements_text(const int type_counts[4], char *out, size_t size) {
    static const struct {
        sp_element_type type;
        const char *name;
    } names[] = {{SP_ELEMENT_HEX8, "hexahedra"}, {SP_ELEMENT_TET10, "quadratic tetrahedra"}, {SP_ELEMENT_TET4, "tetrahedra"}};
    size_t at = 0;
    *out = 0;
    for (int i = 0; i < 3; i++) {
        int count = type_counts[names[i].type], n = 0;
        if (count && at < size) n = snprintf(out + at, size - at, "%s%d %s", at ? ", " : "", count, names[i].name);
        at += n > 0 ? (size_t)n : 0;
    }
}

static void print_written(const sp_mesh_out *out, const sp_mesh *mesh) {
    int counts[4] = {0};
    char elements[120];
    for (int e = 0; e < sp_mesh_element_count(mesh); e++) counts[sp_mesh_element(mesh, e, NULL)]++;
    sp__mesh_elements_text(counts, elements, sizeof elements);
    printf("%s: %d nodes, %s, %.6g m3\n", out->path, sp_mesh_node_count(mesh), elements, sp_mesh_volume(mesh));
}

int sp__mesh_out_write(const sp_mesh_out *out, const sp_arguments *a, const sp_mesh *mesh, const sp_trimesh *surface) {
    if (out->options.compress && !is_format(out, "vtu")) return sp__complain(a, "--compress: only vtu files can be compressed");
    if (surface) return write_surface(out, a, surface);
    if (out->surface || for_surfaces(out)) {
        sp_trimesh *boundary;
        if (sp_mesh_boundary(mesh, &boundary) < 0) return sp__mesh_failed(a, sp_mesh_context(mesh));
        int code = write_surface(out, a, boundary);
        sp_trimesh_destroy(&boundary);
        return code;
    }
    if (sp_mesh_write(mesh, out->path, &out->options) < 0) return sp__mesh_failed(a, sp_mesh_context(mesh));
    if (!out->quiet) print_written(out, mesh);
    return SP_EXIT_DONE;
}
