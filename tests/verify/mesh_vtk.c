// Claim: files written by VTK, in every encoding it has, are read with every number unchanged, and VTK reads our files likewise.
// Needs /usr/bin/python3 with the package vtk (Debian: python3-vtk9); reports its absence and passes where it is missing. No
// tolerance: all comparisons are exact, with numbers that each format can represent exactly (VTK's own text files keep 6 digits
// of a float, 11 of a double: those get numbers that need no more).
#include <dirent.h>
#include <sys/stat.h>

#include "io/mesh/mesh_vtk.h"
#include "unit/cells_help.h"

#define SCRIPT SP_SOURCE_DIR "/tests/verify/mesh_vtk.py"

enum { NODES = 60, TETS = 50, CELLS = TETS + 10 + 3 };

static double value(int64_t i, bool plain) {
    int64_t k = i * INT64_C(2654435761);
    return plain ? (double)(k % 3989) / 4.0 : (double)(k % 64007) / 7.0;
}

static bool has_vtk(void) {
    if (system("/usr/bin/python3 -c 'import vtk' >/dev/null 2>&1") == 0) return true;
    printf("  /usr/bin/python3 with vtk is absent: passed over\n");
    return false;
}

static void folder_path(char out[300]) {
    snprintf(out, 300, "%s/mesh-vtk-%ld", SP_BINARY_DIR, (long)getpid());
    mkdir(out, 0777);
}

static bool run_script(const char *command, const char *folder) {
    char line[900];
    snprintf(line, sizeof line, "/usr/bin/python3 '%s' %s '%s' >&2", SCRIPT, command, folder);
    return system(line) == 0;
}

static void remove_folder(const char *folder) {
    char path[900];
    DIR *d = opendir(folder);
    for (struct dirent *e; d && (e = readdir(d));) {
        snprintf(path, sizeof path, "%s/%s", folder, e->d_name);
        if (e->d_name[0] != '.') remove(path);
    }
    if (d) closedir(d);
    rmdir(folder);
}

// ------------------------------------------------------------------------------------------------ files of VTK

static bool array_is(const sp_cells *c, const char *name, int components, bool integral, double (*number)(int i, bool plain),
                     bool plain) {
    const sp_cells_array *a = array_named(c, name);
    if (!a || a->components != components || a->integral != integral) return false;
    int n = components * (a->on_cells ? c->cell_count : c->node_count);
    for (int i = 0; i < n; i++)
        if (a->values[i] != number(i, plain)) return false;
    return true;
}

static double temperature(int i, bool plain) {
    return value(1000 + i, plain);
}
static double velocity(int i, bool plain) {
    return -value(2000 + i, plain);
}
static double single(int i, bool plain) {
    return (void)plain, value(i, true);
}
static double byte(int i, bool plain) {
    return (void)plain, i * 7 % 256;
}
static double short_number(int i, bool plain) {
    return (void)plain, i * 1000 - 30000;
}
static double long_number(int i, bool plain) {
    return (void)plain, (double)(i * INT64_C(1000000000000) - 5);
}
static double stress(int i, bool plain) {
    return value(5000 + i, plain);
}
static double normal(int i) {
    return value(i + 9, true);
}
static double texcoord(int i) {
    return value(i + 77, true);
}

static bool grid_is(const sp_cells *c, bool plain) {
    if (c->node_count != NODES || c->cell_count != CELLS) return false;
    for (int i = 0; i < 3 * NODES; i++)
        if (c->x[i] != value(i, plain)) return false;
    for (int i = 0; i < TETS; i++)
        for (int k = 0; k < 4; k++)
            if (c->type[i] != SP_CELL_TET || c->nodes[c->start[i] + k] != i + k) return false;
    if (c->type[TETS] != SP_CELL_TRIANGLE || c->type[CELLS - 3] != SP_CELL_QUAD || c->type[CELLS - 2] != SP_CELL_LINE ||
        c->type[CELLS - 1] != SP_CELL_POINT)
        return false;
    for (int dimension = 0; dimension < 4; dimension++) {
        const sp_cells_group *g = group_named(c, "2", dimension);
        for (int i = 0; g && i < g->cell_count; i++)
            if (g->cells[i] % 3 != 2) return false;
    }
    const sp_cells_group *g = group_named(c, "2", 3);
    return g && g->cell_count == 16 && c->array_count == 7 && array_is(c, "temperature", 1, false, temperature, plain) &&
           array_is(c, "velocity", 3, false, velocity, plain) && array_is(c, "single", 1, false, single, plain) &&
           array_is(c, "byte", 1, true, byte, plain) && array_is(c, "short", 1, true, short_number, plain) &&
           array_is(c, "long", 1, true, long_number, plain) && array_is(c, "stress", 6, false, stress, plain);
}

// corners of the triangles, independent of numbering; normals and texture coordinates per vertex where the format has them
static bool surface_is(const sp_cells *c, bool normals, bool texcoords) {
    if (c->cell_count != NODES - 2) return false;
    for (int i = 0; i < c->cell_count; i++)
        for (int k = 0; k < 3; k++)
            for (int m = 0; m < 3; m++)
                if (c->type[i] != SP_CELL_TRIANGLE || c->x[3 * c->nodes[c->start[i] + k] + m] != value(3 * (i + k) + m, true))
                    return false;
    if (c->normal_count != (normals ? NODES : 0) || c->texcoord_count != (texcoords ? NODES : 0)) return false;
    for (int i = 0; i < 3 * c->normal_count; i++)
        if (c->normals[i] != normal(i)) return false;
    for (int i = 0; i < 2 * c->texcoord_count; i++)
        if (c->texcoords[i] != texcoord(i)) return false;
    return true;
}

static bool read_theirs(sp_context *ctx, const char *folder, const char *name) {
    char path[900];
    sp_cells c;
    bool legacy_text = strstr(name, "-ascii.vtk") != NULL, surface = !strstr(name, "-grid-");
    bool stl = strstr(name, ".stl") != NULL, ply = strstr(name, ".ply") != NULL;  // VTK's writer of PLY leaves normals out
    snprintf(path, sizeof path, "%s/%s", folder, name);
    sp_status status = sp__cells_read(ctx, path, &c);
    bool lacks_zlib = status == SP_UNAVAILABLE && strstr(name, "zlib") && !sp__vtu_has_zlib();
    bool good = status >= 0 && (surface ? surface_is(&c, !stl && !ply, !stl) : grid_is(&c, legacy_text));
    if (!good && !lacks_zlib) printf("  %s: %s\n", name, status < 0 ? sp_context_error(ctx)->message : "other numbers");
    sp__cells_free(&c);
    return good || lacks_zlib;
}

TEST(vtk_files_are_read) {
    char folder[300];
    sp_context *ctx;
    if (!has_vtk()) return;
    folder_path(folder);
    REQUIRE(run_script("make", folder));
    REQUIRE(sp_context_create(NULL, &ctx) >= 0);
    int count = 0;
    DIR *d = opendir(folder);
    for (struct dirent *e; d && (e = readdir(d));) {
        if (e->d_name[0] == '.') continue;
        CHECK(read_theirs(ctx, folder, e->d_name));
        count++;
    }
    if (d) closedir(d);
    // legacy: 2 versions x 2 encodings x 2 kinds; XML: 4 encodings x 2 x 2 x 2 x 2 kinds; PLY 3, STL 2, OBJ 1
    CHECK_INT(count, 8 + 64 + 6);
    remove_folder(folder);
    sp_context_destroy(&ctx);
}

// ------------------------------------------------------------------------------------------------ our files

static void write_ours(const sp_cells *c, const char *folder, const char *name, sp_encoding encoding, bool compress) {
    char path[900];
    sp_mesh_write_options options = sp_mesh_write_options_default();
    options.encoding = encoding;
    options.compress = compress;
    snprintf(path, sizeof path, "%s/%s", folder, name);
    sp_status status = sp__cells_write(c, path, &options);
    CHECK(status >= 0);
    if (status < 0) printf("  %s\n", sp_context_error(c->ctx)->message);
}

TEST(vtk_reads_written_files) {
    char folder[300], path[900];
    sp_context *ctx;
    sp_cells c;
    if (!has_vtk() || !sp__vtu_has_zlib()) return;
    folder_path(folder);
    REQUIRE(run_script("make", folder));
    REQUIRE(sp_context_create(NULL, &ctx) >= 0);
    snprintf(path, sizeof path, "%s/vtk-grid-raw-plain-64-little.vtu", folder);
    REQUIRE(sp__cells_read(ctx, path, &c) >= 0);
    write_ours(&c, folder, "ours-ascii.vtu", SP_ENCODING_ASCII, false);
    write_ours(&c, folder, "ours-base64.vtu", SP_ENCODING_BASE64, false);
    write_ours(&c, folder, "ours-appended.vtu", SP_ENCODING_APPENDED, false);
    write_ours(&c, folder, "ours-base64-zlib.vtu", SP_ENCODING_BASE64, true);
    write_ours(&c, folder, "ours-appended-zlib.vtu", SP_ENCODING_APPENDED, true);
    write_ours(&c, folder, "ours-ascii.vtk", SP_ENCODING_ASCII, false);
    write_ours(&c, folder, "ours-binary.vtk", SP_ENCODING_BINARY, false);
    sp__cells_free(&c);
    snprintf(path, sizeof path, "%s/vtk-poly-51-binary.vtk", folder);
    REQUIRE(sp__cells_read(ctx, path, &c) >= 0);
    write_ours(&c, folder, "ours-ascii.ply", SP_ENCODING_ASCII, false);
    write_ours(&c, folder, "ours-binary.ply", SP_ENCODING_BINARY, false);
    write_ours(&c, folder, "ours-ascii.stl", SP_ENCODING_ASCII, false);
    write_ours(&c, folder, "ours-binary.stl", SP_ENCODING_BINARY, false);
    write_ours(&c, folder, "ours-ascii.obj", SP_ENCODING_ASCII, false);
    sp__cells_free(&c);
    CHECK(run_script("check", folder));
    remove_folder(folder);
    sp_context_destroy(&ctx);
}
