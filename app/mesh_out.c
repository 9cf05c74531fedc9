// Mesh files out: options that several subcommands share, and a line that says what was written.
#include <stdlib.h>
#include <string.h>

#include "mesh.h"

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
    if (!out->quiet)
        printf("%s: %d nodes, %d tetrahedra, %.6g m3\n", out->path, sp_mesh_node_count(mesh), sp_mesh_tet_count(mesh),
               sp_mesh_volume(mesh));
    return SP_EXIT_DONE;
}
