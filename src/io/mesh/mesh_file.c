// A mesh file as it is: unchecked definitions, for tools that report what is wrong with them.
#include "io/mesh/cells_simplices.h"

struct sp_mesh_file {
    sp_context *ctx;
    sp_cells cells;
    sp_simplices simplices;
    sp_mesh_file_content content;
};

static bool has_volumes(const sp_cells *c) {
    for (int i = 0; i < c->cell_count; i++)
        if (sp__cell_dimension(c->type[i]) == 3) return true;
    return false;
}

// triangles that are cells of the file keep the numbers of the cells
static sp_status number_faces(sp_mesh_file *f) {
    const sp_simplices *s = &f->simplices;
    int64_t *ids;
    if (!f->cells.cell_ids) return SP_OK;
    for (int i = 1; i < s->count; i++)
        if (s->behind[i] == s->behind[i - 1]) return SP_OK;  // part of a larger cell
    if (!SP_KEEP(&f->simplices.keep, ids, s->count)) return sp__cells_no_memory(&f->cells);
    for (int i = 0; i < s->count; i++) ids[i] = f->cells.cell_ids[s->behind[i]];
    f->content.face_ids = ids;
    return SP_OK;
}

static sp_status file_fill(sp_mesh_file *f, const char *path) {
    SP_TRY(sp__cells_read(f->ctx, path, &f->cells));
    f->content = (sp_mesh_file_content){.format = f->cells.format, .tetrahedra = has_volumes(&f->cells)};
    f->content.mesh = sp_mesh_def_default();
    f->content.surface = sp_trimesh_def_default();
    f->simplices = (sp_simplices){.cells = &f->cells, .keep = {f->ctx, NULL}, .per = f->content.tetrahedra ? 4 : 3};
    if (f->content.tetrahedra) return sp__simplices_define_mesh(&f->simplices, true, &f->content.mesh);
    SP_TRY(sp__simplices_define_surface(&f->simplices, &f->content.surface));
    f->content.node_ids = f->simplices.ids;
    return number_faces(f);
}

sp_status sp_mesh_file_open(sp_context *context, const char *path, sp_mesh_file **out) {
    sp_mesh_file *f;
    *out = NULL;
    if (!SP_NEW(context, f, 1)) return SP_FAIL(context, SP_NO_MEMORY, "%s: no memory for the mesh", path);
    f->ctx = context;
    sp_status status = file_fill(f, path);
    if (status < 0)
        sp_mesh_file_close(&f);
    else
        *out = f;
    return status;
}

void sp_mesh_file_get(const sp_mesh_file *file, sp_mesh_file_content *out) {
    *out = file->content;
}

sp_status sp_mesh_file_mesh(const sp_mesh_file *file, sp_mesh **out) {
    return sp__cells_to_mesh(&file->cells, out);
}

sp_status sp_mesh_file_trimesh(const sp_mesh_file *file, sp_trimesh **out) {
    return sp__cells_to_trimesh(&file->cells, out);
}

void sp_mesh_file_close(sp_mesh_file **handle) {
    if (!handle || !*handle) return;
    sp_mesh_file *f = *handle;
    sp_context *ctx = f->ctx;
    *handle = NULL;
    if (f->simplices.cells) sp__keep_free(&f->simplices.keep);
    sp__cells_free(&f->cells);
    sp__free(ctx, f);
}
