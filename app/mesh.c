// `souple mesh`: which of its subcommands is meant, and what they share.
#include "mesh.h"

#include <limits.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "io/scene/scene.h"

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
    // both spellings are taken
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
