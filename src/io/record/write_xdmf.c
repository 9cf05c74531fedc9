// Writer of .xdmf records (XDMF 3): XML that grows frame by frame and refers to the HDF5 file next to it. In a build without
// HDF5, opening the record fails.
#include "io/record/record.h"
#ifdef SP_HAVE_HDF5
#include <stdio.h>
#include <sys/stat.h>

static const char head[] =
    "<?xml version=\"1.0\"?>\n<Xdmf Version=\"3.0\">\n<Domain>\n<Grid Name=\"frames\" GridType=\"Collection\" "
    "CollectionType=\"Temporal\">\n";
static const char tail[] = "</Grid>\n</Domain>\n</Xdmf>\n";

typedef struct xdmf {
    sp_heavy *heavy;
    char *heavy_path;
    sp_growing light;
} xdmf;

typedef struct printer {  // prints one frame
    sp_context *ctx;
    sp_buffer out;
    bool good;
    const char *file;  // name of the HDF5 file
    int revision;      // of the body
    long row;          // row of the frame in the lists of the body
    int precision;
} printer;

#define PRINT(p, ...) ((p)->good = (p)->good && sp__buffer_print((p)->ctx, &(p)->out, __VA_ARGS__))

static void print_name(printer *p, const char *name) {
    for (; *name; name++) {
        const char *entity = *name == '&' ? "&amp;" : *name == '<' ? "&lt;" : *name == '"' ? "&quot;" : NULL;
        if (entity)
            PRINT(p, "%s", entity);
        else
            PRINT(p, "%c", *name);
    }
}

static void print_place(printer *p, const sp_layout_body *b, const char *array) {
    print_name(p, p->file);
    PRINT(p, ":/bodies/");
    print_name(p, b->name);
    PRINT(p, "/%d/%s</DataItem>", p->revision, array);
}

// hyperslab of one frame in a list of frames
static void print_slab(printer *p, const sp_layout_body *b, const sp_layout_array *a) {
    size_t n = a->count;
    if (a->components > 1)
        PRINT(p,
              "<DataItem ItemType=\"HyperSlab\" Type=\"HyperSlab\" Dimensions=\"%zu %d\"><DataItem Dimensions=\"3 3\" "
              "Format=\"XML\">%ld 0 0 1 1 1 1 %zu %d</DataItem><DataItem Dimensions=\"%ld %zu %d\"",
              n, a->components, p->row, n, a->components, p->row + 1, n, a->components);
    else
        PRINT(p,
              "<DataItem ItemType=\"HyperSlab\" Type=\"HyperSlab\" Dimensions=\"%zu\"><DataItem Dimensions=\"3 2\" "
              "Format=\"XML\">%ld 0 1 1 1 %zu</DataItem><DataItem Dimensions=\"%ld %zu\"",
              n, p->row, n, p->row + 1, n);
    PRINT(p, " NumberType=\"Float\" Precision=\"%d\" Format=\"HDF\">", p->precision);
    print_place(p, b, a->name);
    PRINT(p, "</DataItem>");
}

static void print_body(printer *p, const sp_layout_body *b) {
    PRINT(p, "<Grid Name=\"");
    print_name(p, b->name);
    PRINT(p,
          "\">\n<Topology TopologyType=\"%s NumberOfElements=\"%d\"><DataItem Dimensions=\"%d %d\" NumberType=\"Int\" "
          "Precision=\"4\" Format=\"HDF\">",
          b->corners == 4   ? "Tetrahedron\""
          : b->corners == 3 ? "Triangle\""
                            : "Polyline\" NodesPerElement=\"2\"",
          b->cell_count, b->cell_count, b->corners);
    print_place(p, b, "cells");
    PRINT(p, "</Topology>\n<Geometry GeometryType=\"XYZ\">");
    print_slab(p, b, &b->arrays[0]);
    PRINT(p, "</Geometry>\n");
    for (int i = 1; i < b->array_count; i++) {
        const sp_layout_array *a = &b->arrays[i];
        if (a->on == SP_ON_BODY) continue;
        PRINT(p, "<Attribute Name=\"%s\" AttributeType=\"%s\" Center=\"%s\">", a->name,
              a->components == 1   ? "Scalar"
              : a->components == 3 ? "Vector"
                                   : "Matrix",
              a->on == SP_ON_ELEMENTS ? "Cell" : "Node");
        print_slab(p, b, a);
        PRINT(p, "</Attribute>\n");
    }
    PRINT(p, "</Grid>\n");
}

// A point set. A frame without contacts has none: readers do not expect empty grids.
static void print_contacts(printer *p, const sp_heavy *heavy, long frame) {
    static const struct {
        const char *name;
        int components;
        bool integer;
    } arrays[] = {
#define SP_X(id, name, unit, components, integer) {name, components, integer},
        SP_CONTACT_ARRAYS(SP_X)
#undef SP_X
    };
    uint64_t first;
    int n;
    sp__heavy_contacts(heavy, frame, &first, &n);
    if (n == 0) return;
    const unsigned long long row = first, all = first + (uint64_t)n;
    PRINT(p, "<Grid Name=\"contacts\">\n");
    for (int i = 0; i < SP_CONTACT_ARRAY_COUNT; i++) {
        const int m = arrays[i].components;
        const char *tag = i == SP_CONTACT_ARRAY_CELL ? "Topology" : i == SP_CONTACT_ARRAY_POINT ? "Geometry" : "Attribute";
        if (i == SP_CONTACT_ARRAY_CELL)
            PRINT(p, "<Topology TopologyType=\"Polyvertex\" NumberOfElements=\"%d\" NodesPerElement=\"1\">", n);
        else if (i == SP_CONTACT_ARRAY_POINT)
            PRINT(p, "<Geometry GeometryType=\"XYZ\">");
        else
            PRINT(p, "<Attribute Name=\"%s\" AttributeType=\"%s\" Center=\"Node\">", arrays[i].name,
                  m == 1   ? "Scalar"
                  : m == 3 ? "Vector"
                           : "Matrix");
        if (m > 1)
            PRINT(p,
                  "<DataItem ItemType=\"HyperSlab\" Type=\"HyperSlab\" Dimensions=\"%d %d\"><DataItem Dimensions=\"3 2\" "
                  "Format=\"XML\">%llu 0 1 1 %d %d</DataItem><DataItem Dimensions=\"%llu %d\"",
                  n, m, row, n, m, all, m);
        else
            PRINT(p,
                  "<DataItem ItemType=\"HyperSlab\" Type=\"HyperSlab\" Dimensions=\"%d\"><DataItem Dimensions=\"3 1\" "
                  "Format=\"XML\">%llu 1 %d</DataItem><DataItem Dimensions=\"%llu\"",
                  n, row, n, all);
        PRINT(p, " NumberType=\"%s\" Precision=\"%d\" Format=\"HDF\">", arrays[i].integer ? "Int" : "Float",
              arrays[i].integer ? 4 : p->precision);
        print_name(p, p->file);
        PRINT(p, ":/contacts/%s</DataItem></DataItem></%s>\n", arrays[i].name, tag);
    }
    PRINT(p, "</Grid>\n");
}

static sp_status add_light(sp_sink *s, xdmf *x, long frame, double time) {
    printer p = {.ctx = s->ctx, .good = true, .file = sp__path_name(x->heavy_path)};
    const sp_layout_body *b;
    char text[32];
    int next = 0;
    long first;
    p.precision = s->in_double ? 8 : 4;
    sp__print_double(text, time);
    PRINT(&p, "<Grid Name=\"frame %ld\" GridType=\"Collection\" CollectionType=\"Spatial\">\n<Time Value=\"%s\"/>\n", frame,
          text);
    while ((b = sp__heavy_body(x->heavy, frame, &next, &p.revision, &first))) {
        p.row = frame - first;
        print_body(&p, b);
    }
    print_contacts(&p, x->heavy, frame);
    PRINT(&p, "</Grid>\n");
    sp_status status = p.good ? sp__growing_add(&x->light, p.out.data, p.out.size)
                              : SP_FAIL(s->ctx, SP_NO_MEMORY, "%s: no memory for a frame", s->path);
    sp__buffer_free(s->ctx, &p.out);
    return status;
}

static void count(sp_sink *s, const xdmf *x) {
    s->bytes = sp__growing_bytes(&x->light) + sp__heavy_bytes(x->heavy);
}

static sp_status open_xdmf(sp_sink *s) {
    xdmf *x = s->impl = sp__alloc(s->ctx, 1, sizeof *x);
    if (x) x->light.fd = -1;
    if (!x || !(x->heavy_path = sp__path_with(s->ctx, s->path, ".h5")))
        return SP_FAIL(s->ctx, SP_NO_MEMORY, "%s: no memory for a record", s->path);
    SP_TRY(sp__heavy_open(s, x->heavy_path, &x->heavy, &s->frames));
    SP_TRY(sp__growing_open(s->ctx, s->path, head, tail, &x->light));
    for (long i = 0; i < s->frames; i++) SP_TRY(add_light(s, x, i, s->resumed_at[i]));
    count(s, x);
    return SP_OK;
}

static sp_status write_xdmf(sp_sink *s, const sp_frame *f) {
    xdmf *x = s->impl;
    SP_TRY(sp__heavy_frame(x->heavy, f));
    count(s, x);
    if (!f->shown) return SP_OK;
    SP_TRY(add_light(s, x, s->frames, f->head.time));
    s->frames++;
    count(s, x);
    return SP_OK;
}

static sp_status close_xdmf(sp_sink *s) {
    xdmf *x = s->impl;
    s->impl = NULL;
    if (!x) return SP_OK;
    struct stat info;
    uint64_t light_bytes = x->light.fd >= 0 ? sp__growing_bytes(&x->light) : 0;
    sp_status status = sp__heavy_close(&x->heavy), light = sp__growing_close(&x->light);
    if (x->heavy_path && stat(x->heavy_path, &info) == 0) s->bytes = light_bytes + (uint64_t)info.st_size;
    sp__free(s->ctx, x->heavy_path);
    sp__free(s->ctx, x);
    return status < 0 ? status : light;
}
#else
static sp_status open_xdmf(sp_sink *s) {
    return SP_FAIL(s->ctx, SP_UNAVAILABLE,
                   "%s: this build has no HDF5: install libhdf5-dev and build again with -DSP_HDF5=ON, or record .vtu", s->path);
}

static sp_status write_xdmf(sp_sink *s, const sp_frame *f) {
    (void)f;
    return open_xdmf(s);
}

static sp_status close_xdmf(sp_sink *s) {
    (void)s;
    return SP_OK;
}
#endif

const sp_writer sp__writer_xdmf = {
    .kind = "xdmf", .suffix = ".xdmf", .fields = true, .open = open_xdmf, .frame = write_xdmf, .close = close_xdmf};
