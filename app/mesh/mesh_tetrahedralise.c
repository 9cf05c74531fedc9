// `souple mesh tetrahedralise`: fills a closed surface or a label volume with tetrahedra.
#include <limits.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "mesh/mesh.h"

enum { SIZE = SP_MESH_OUT_OPTION_COUNT, ELEMENTS, GRADE, DETAIL, LABELS, SMOOTH, SCALE, JSON };

static const sp_option options[] = {
    SP_MESH_OUT_OPTIONS,
    [SIZE] = {"--size", "H", "edge of a lattice cell at the boundary [m]"},
    [ELEMENTS] = {"--elements", "N", "instead of a size: about so many tetrahedra; default 5000"},
    [GRADE] = {"--grade", "G", "cells inside may be G times as large as at the boundary: 1 (default), 2, 4, .. 32"},
    [DETAIL] = {"--detail", "D", "cells may be D times smaller where the surface is thin or curved: 1 (default), 2, 4, .. 32"},
    [LABELS] = {"--labels", "A,B,..", "voxels: only these labels; default: all but 0"},
    [SMOOTH] = {"--smooth", "W", "voxels: width of the smoothing [voxels], 0.5..4; default 1"},
    [SCALE] = {"--scale", "S", "factor on every coordinate, 0.001 for a surface in millimetres; default 1"},
    [JSON] = {"--json", NULL, "one JSON object on stdout"},
};

enum { LABELS_LIMIT = 1024 };

typedef struct tet_args {
    sp_mesh_out out;
    sp_fill_def fill;
    int labels[LABELS_LIMIT], label_count;
    bool voxel_options, json;
    double scale;
} tet_args;

// ---------------------------------------------------------------------------------------------------- arguments

static bool read_labels(tet_args *t, const sp_arguments *a, const char *text) {
    double values[LABELS_LIMIT];
    if (!sp__read_list(a, "--labels", text, 1, LABELS_LIMIT, values, &t->label_count)) return false;
    for (int i = 0; i < t->label_count; i++) {
        if (!(fabs(values[i]) <= INT_MAX) || values[i] != floor(values[i]) || values[i] == 0) {
            sp__complain(a, "--labels \"%s\": must be whole numbers other than 0", text);
            return false;
        }
        t->labels[i] = (int)values[i];
    }
    return true;
}

static bool read_power(const sp_arguments *a, const char *name, const char *text, long *out) {
    if (!sp__read_integer(a, name, text, 1, 32, out)) return false;
    if ((*out & (*out - 1)) == 0) return true;
    sp__complain(a, "%s %ld: must be 1, 2, 4, 8, 16 or 32", name, *out);
    return false;
}

static bool take(sp_arguments *a, int option, char **values) {
    tet_args *t = a->user;
    const char *name = options[option].name;
    long n = 1;
    bool bad, good;
    if (option == LABELS || option == SMOOTH) t->voxel_options = true;
    switch (option) {
    case SIZE: return sp__read_number(a, name, values[0], 1e-12, 1e12, &t->fill.size);
    case ELEMENTS:
        good = sp__read_integer(a, name, values[0], 1, 1 << 26, &n);
        t->fill.elements = (int)n;
        return good;
    case GRADE:
        good = read_power(a, name, values[0], &n);
        t->fill.grade = (double)n;
        return good;
    case DETAIL:
        good = read_power(a, name, values[0], &n);
        t->fill.detail = 1 / (double)n;
        return good;
    case LABELS: return read_labels(t, a, values[0]);
    case SMOOTH: return sp__read_number(a, name, values[0], 0.5, 4, &t->fill.smooth);
    case SCALE: return sp__read_number(a, name, values[0], 1e-12, 1e12, &t->scale);
    case JSON: return t->json = true;
    default: return sp__take_out_option(&t->out, a, name, values, &bad) && !bad;
    }
}

// ---------------------------------------------------------------------------------------------------- report

static void print_json(const tet_args *t, const char *from, const sp_mesh *mesh, const sp_fill_info *info) {
    sp_json j = {.file = stdout, .first = true};
    sp__json_open(&j, NULL, '{');
    sp__json_text(&j, "input", from);
    sp__json_text(&j, "output", t->out.path);
    sp__json_integer(&j, "nodes", sp_mesh_node_count(mesh));
    sp__json_integer(&j, "tetrahedra", sp_mesh_element_count(mesh));
    sp__json_number(&j, "volume", sp_mesh_volume(mesh));
    sp__json_number(&j, "size", info->size);
    sp__json_integer(&j, "runs", info->runs);
    sp__json_vector(&j, "dihedral", info->dihedral, 2);
    sp__json_vector(&j, "guarantee", info->guarantee, 2);
    sp__json_integer(&j, "islands", info->islands);
    sp__json_open(&j, "groups", '[');
    sp_mesh_group g;
    for (int i = 0; sp_mesh_group_at(mesh, i, &g) >= 0; i++) {
        sp__json_open(&j, NULL, '{');
        sp__json_text(&j, "name", g.name);
        sp__json_integer(&j, "elements", g.element_count);
        sp__json_close(&j, '}');
    }
    sp__json_close(&j, ']');
    sp__json_close(&j, '}');
    printf("\n");
}

static void print_text(const sp_mesh *mesh, const sp_fill_info *info) {
    printf("cells of %.4g m, %d piece%s, dihedral angles %.2f to %.2f deg", info->size, info->islands,
           info->islands == 1 ? "" : "s", info->dihedral[0], info->dihedral[1]);
    if (info->guarantee[0] > 0) printf(" (guaranteed: %.2f to %.2f)", info->guarantee[0], info->guarantee[1]);
    printf("\n");
    sp_mesh_group g;
    for (int i = 0; sp_mesh_group_at(mesh, i, &g) >= 0; i++) printf("  %-20s %d\n", g.name, g.element_count);
}

// ---------------------------------------------------------------------------------------------------- filling

static bool has_suffix(const char *path, const char *suffix) {
    size_t n = strlen(path), m = strlen(suffix);
    return n > m && strcmp(path + n - m, suffix) == 0;
}

static bool is_volume(const char *path) {
    static const char *const suffixes[] = {".nii", ".nii.gz", ".nrrd", ".nhdr"};
    for (size_t i = 0; i < sizeof suffixes / sizeof *suffixes; i++)
        if (has_suffix(path, suffixes[i])) return true;
    return false;
}

static sp_status fill_volume(sp_context *context, const tet_args *t, const char *path, sp_fill_info *info, sp_mesh **mesh) {
    sp_volume *volume = NULL;
    sp_label_volume labels;
    sp_status status = sp_volume_read(context, path, &volume);
    if (status < 0) return status;
    sp_volume_get(volume, &labels);
    for (int i = 0; i < 12; i++) labels.affine[i] *= t->scale;
    status = sp_mesh_fill_labels(context, &labels, t->label_count ? t->labels : NULL, t->label_count, &t->fill, info, mesh);
    sp_volume_destroy(&volume);
    return status;
}

static sp_status fill_surface(sp_context *context, const tet_args *t, const char *path, sp_fill_info *info, sp_mesh **mesh) {
    sp_trimesh *surface = NULL, *scaled = NULL;
    const double scale[3] = {t->scale, t->scale, t->scale};
    sp_status status = sp_trimesh_read(context, path, &surface);
    if (status >= 0) status = sp_trimesh_transformed(surface, scale, NULL, &scaled);
    if (status >= 0) status = sp_mesh_fill_surface(scaled, &t->fill, info, mesh);
    sp_trimesh_destroy(&scaled);
    sp_trimesh_destroy(&surface);
    return status;
}

static int fill(const tet_args *t, const sp_arguments *a, sp_context *context) {
    sp_mesh *mesh = NULL;
    sp_fill_info info = {0};
    bool voxels = is_volume(a->words[0]);
    if (t->voxel_options && !voxels) return sp__complain(a, "--labels and --smooth: of voxels (.nii, .nii.gz, .nrrd, .nhdr)");
    sp_status status =
        voxels ? fill_volume(context, t, a->words[0], &info, &mesh) : fill_surface(context, t, a->words[0], &info, &mesh);
    int code = status < 0 ? sp__mesh_failed(a, context) : sp__mesh_out_write(&t->out, a, mesh, NULL);
    if (code == SP_EXIT_DONE && t->json) print_json(t, a->words[0], mesh, &info);
    if (code == SP_EXIT_DONE && !t->json) print_text(mesh, &info);
    sp_mesh_destroy(&mesh);
    return code;
}

static int tetrahedralise_main(const sp_command *command, int argc, char **argv) {
    tet_args t = {.out = sp__mesh_out_default(), .fill = sp_fill_def_default(), .scale = 1};
    sp_arguments a = {.command = command, .take = take, .user = &t, .word_limit = 2};
    int code = sp__read_arguments(&a, argc, argv);
    if (code >= 0) return code;
    if (a.word_count < 2) return sp__complain(&a, a.word_count ? "into which file?" : "which surface or volume?");
    if (t.fill.size > 0 && sp__has_option(argc, argv, "--elements"))
        return sp__complain(&a, "--size and --elements: one of them");
    t.out.path = a.words[1], t.out.quiet = t.json;
    sp_context *context = sp__mesh_context(&a);
    if (!context) return SP_EXIT_FAILED;
    code = fill(&t, &a, context);
    sp_context_destroy(&context);
    return code;
}

const sp_command sp__command_mesh_tetrahedralise = {
    .name = "mesh tetrahedralise",
    .arguments = "SURFACE|VOLUME OUT",
    .summary = "Fill a closed surface, or labelled voxels, with tetrahedra",
    .text =
        "A surface (obj, stl, ply, ...) may be noisy, overlap itself or have small holes; one that does not separate\n"
        "inside from outside is refused. A volume (NRRD: .nrrd, .nhdr; NIfTI-1: .nii, .nii.gz) gives a group for each label,\n"
        "with faces along their borders. Without --detail and borders between labels the dihedral angles lie in 10.78 to\n"
        "164.74 deg.",
    .options = options,
    .option_count = sizeof options / sizeof options[0],
    .examples = "  souple mesh tetrahedralise liver.stl liver.msh --scale 0.001 --elements 20000\n"
                "  souple mesh tetrahedralise scan.nii.gz organs.vtu --size 0.004 --labels 1,2,5 --grade 4\n",
    .main = tetrahedralise_main,
};
