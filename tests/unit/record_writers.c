// Each writer alone: its files read back to the same numbers; a refused allocation or a full disk ends without a leak, and the
// written part stays valid.
#include "meter.h"
#include "record_help.h"

static bool there(const char *path) {
    return access(path, R_OK) == 0;
}

static sp_status write_frames(sp_sink *s, const help_layout *l, long count) {
    help_frame f;
    sp_status status = s->writer->open(s);
    for (long i = 0; i < count && status >= 0; i++) status = s->writer->frame(s, help_frame_make(&f, &l->layout, i));
    sp_status closed = s->writer->close(s);
    return status < 0 ? status : closed;
}

TEST(numbered_surfaces_read_back) {
    static const char *const names[] = {"s.obj", "s.ply"};
    sp_context *ctx;
    help_layout l;
    sp_context_create(NULL, &ctx);
    help_layout_make(&l, 0);
    // surfaces have triangles: the plate only
    sp_layout plate = {.bodies = &l.bodies[1], .body_count = 1, .value_count = l.layout.value_count};
    for (int k = 0; k < 2; k++) {
        char path[160], frame[180];
        snprintf(path, sizeof path, "%s", record_path(names[k]));
        sp_sink s = help_sink(ctx, path, &plate);
        help_layout only = l;
        only.layout = plate;
        REQUIRE(write_frames(&s, &only, 3) == SP_OK);
        CHECK_INT(s.frames, 3);
        uint64_t bytes = 0;
        for (int i = 0; i < 3; i++) {
            struct stat info;
            sp_trimesh *t;
            sp_trimesh_def def;
            snprintf(frame, sizeof frame, "%.*s-%06d%s", (int)strlen(path) - 4, path, i, path + strlen(path) - 4);
            REQUIRE(stat(frame, &info) == 0);
            bytes += (uint64_t)info.st_size;
            REQUIRE(sp_trimesh_read(ctx, frame, &t) == SP_OK);
            sp_trimesh_get(t, &def);
            CHECK(def.vertex_count == 3 && def.face_count == 1);
            for (size_t n = 0; n < 9; n++) CHECK(def.positions[n] == help_value(i, l.b[0].offset + n));
            sp_trimesh_destroy(&t);
        }
        CHECK_INT(s.bytes, bytes);
    }
    sp_context_destroy(&ctx);
    record_clean();
}

TEST(vtu_frames_and_their_list) {
    sp_context *ctx;
    help_layout l;
    char text[2000];
    sp_context_create(NULL, &ctx);
    help_layout_make(&l, 0);
    for (int compress = 0; compress < 2; compress++) {
        sp_sink s = help_sink(ctx, record_path("v.vtu"), &l.layout);
        s.compress = compress;
        sp_status status = write_frames(&s, &l, 3);
        if (compress && status == SP_UNAVAILABLE) break;  // a build without zlib
        REQUIRE(status == SP_OK);
        // degenerate positions cannot be read as a mesh: recording_tools reads the file with other programs
        CHECK(there(record_path("v-000000.vtu")) && there(record_path("v-000002.vtu")) && !there(record_path("v-000003.vtu")));
        FILE *f = fopen(record_path("v.pvd"), "rb");
        REQUIRE(f != NULL);
        text[fread(text, 1, sizeof text - 1, f)] = 0;
        fclose(f);
        CHECK(strstr(text, "<DataSet timestep=\"0.10000000000000001\" group=\"\" part=\"0\" file=\"v-000001.vtu\"/>\n") != NULL);
        CHECK(strstr(text, "</Collection>\n</VTKFile>\n") != NULL);
    }
    sp_context_destroy(&ctx);
    record_clean();
}

TEST(rows_of_text) {
    sp_context *ctx;
    help_frame f;
    sp_context_create(NULL, &ctx);
    sp_sink s = help_sink(ctx, record_path("r.csv"), NULL);
    help_layout l;
    help_layout_make(&l, 0);
    REQUIRE(s.writer->open(&s) == SP_OK);
    help_frame_make(&f, &l.layout, 0);
    f.frame.text = (sp_buffer){.data = "1\r\n2\r\n", .size = 6};
    CHECK(s.writer->frame(&s, &f.frame) == SP_OK);
    CHECK_INT(s.frames, 2);
    CHECK_INT(s.bytes, 12);
    CHECK(s.writer->close(&s) == SP_OK);
    s = help_sink(ctx, record_path("no/r.csv"), NULL);
    s.writer = &sp__writer_csv;
    CHECK(s.writer->open(&s) == SP_IO);
    CHECK(s.writer->close(&s) == SP_OK);
    if (access("/dev/full", W_OK) == 0) {
        s = help_sink(ctx, "/dev/full", NULL);
        s.writer = &sp__writer_csv;
        CHECK(s.writer->open(&s) == SP_IO);
        CHECK(strstr(sp_context_error(ctx)->message, "/dev/full: No space left") != NULL);
        s.writer->close(&s);
    }
    sp_context_destroy(&ctx);
    record_clean();
}

// ---------------------------------------------------------------------------------------------------- memory

static sp_status metered_write(meter *m, const char *name, const help_layout *l) {
    sp_context *ctx;
    sp_context_def def = metered_context(m);
    char path[160];
    snprintf(path, sizeof path, "%s", record_path(name));
    sp_status status = sp_context_create(&def, &ctx);
    if (status < 0) return status;
    sp_sink s = help_sink(ctx, path, &l->layout);
    status = write_frames(&s, l, 2);
    sp_context_destroy(&ctx);
    return status;
}

static void every_allocation(const char *name, const help_layout *l) {
    meter m = {.allowed = 1 << 20};
    sp_status status = metered_write(&m, name, l);
    if (status == SP_UNAVAILABLE) return;
    REQUIRE(status == SP_OK);
    long needed = (1 << 20) - m.allowed;
    for (long n = 0; n < needed; n++) {
        m = (meter){.allowed = n};
        status = metered_write(&m, name, l);
        if (status != SP_NO_MEMORY || m.live != 0) {
            SP_TEST_FAILED("%s, %ld of %ld allocations: %s, %ld held", name, n, needed, sp_status_name(status), m.live);
            break;
        }
    }
}

TEST(every_allocation_may_fail) {
    help_layout l, surface;
    help_layout_make(&l, 0);
    surface = l;
    surface.layout = (sp_layout){.bodies = &surface.bodies[1], .body_count = 1, .value_count = l.layout.value_count};
    every_allocation("m.xdmf", &l);
    every_allocation("m.vtu", &l);
    every_allocation("m.obj", &surface);
    every_allocation("m.ply", &surface);
    record_clean();
}
