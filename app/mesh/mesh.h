// `souple mesh`: a table of subcommands, one file each, and their shared code: lists of numbers, context, output files.
#ifndef SP_APP_MESH_H
#define SP_APP_MESH_H

#include "common/command.h"

extern const sp_command sp__command_mesh_info, sp__command_mesh_convert, sp__command_mesh_generate, sp__command_mesh_refine;
extern const sp_command sp__command_mesh_tetrahedralise;  // mesh_tetrahedralise.c

// "1,2,3" or "1 2 3": from `least` to `most` finite numbers, the count in *count. False: an error was printed.
bool sp__read_list(const sp_arguments *a, const char *option, const char *text, int least, int most, double *out, int *count);
// The same for integers of at least 1.
bool sp__read_counts(const sp_arguments *a, const char *option, const char *text, int least, int most, int *out, int *count);

// A context that prints warnings to stderr; prints an error and returns NULL if there is no memory.
sp_context *sp__mesh_context(const sp_arguments *a);
// Prints the last error of the context. SP_EXIT_USAGE for wrong input, SP_EXIT_FAILED for system errors.
int sp__mesh_failed(const sp_arguments *a, const sp_context *context);

// ---- output files (mesh.c)

typedef struct sp_mesh_out {
    const char *path;
    sp_mesh_write_options options;
    bool surface;  // the boundary instead of elements
    bool quiet;    // do not print what was written
} sp_mesh_out;

#define SP_MESH_OUT_OPTIONS                                                                                \
    {"--format", "F", "msh, msh2, vtk, vtu, tetgen, obj, stl or ply; default: by the suffix"},             \
        {"--ascii", NULL, "text instead of binary"}, {"--compress", NULL, "vtu: compress with zlib"}, {    \
        "--surface", NULL, "write the boundary triangles instead of elements (obj, stl and ply always do)" \
    }
enum { SP_MESH_OUT_OPTION_COUNT = 4 };

sp_mesh_out sp__mesh_out_default(void);
// One of SP_MESH_OUT_OPTIONS; false: not one of them, or an error was printed (*bad).
bool sp__take_out_option(sp_mesh_out *out, const sp_arguments *a, const char *name, char **values, bool *bad);
// Writes one of the two (the other is NULL) and prints a summary. Returns the exit code.
int sp__mesh_out_write(const sp_mesh_out *out, const sp_arguments *a, const sp_mesh *mesh, const sp_trimesh *surface);

// "24 hexahedra, 5 tetrahedra" from the number of elements of each type.
void sp__mesh_elements_text(const int type_counts[4], char *out, size_t size);

// ---- reports (mesh_report.c)

typedef struct sp_mesh_findings {
    const char *path;
    sp_mesh_file_content content;
    const sp_mesh_report *report;
    bool repaired;
    const char *repaired_path;
    sp_mesh_repairs repairs;
    const sp_mesh_report *after;  // of the repaired mesh
} sp_mesh_findings;

long long sp__findings_defects(const sp_mesh_report *report);
void sp__print_findings(const sp_mesh_findings *f, FILE *file);
void sp__print_findings_json(const sp_mesh_findings *f, FILE *file);

#endif
