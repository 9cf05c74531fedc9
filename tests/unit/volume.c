// Files of labelled voxels: every supported format with the same voxels, and broken ones, each with its reason.
#include "meter.h"
#include "souple/io.h"
#include "test.h"

#define FOLDER SP_SOURCE_DIR "/tests/data/volume/"

static sp_volume *read_file(sp_context *c, const char *name) {
    char path[600];
    sp_volume *v = NULL;
    snprintf(path, sizeof path, FOLDER "%s", name);
    if (sp_volume_read(c, path, &v) < 0) printf("  %s\n", sp_context_error(c)->message);
    return v;
}

// 6 x 5 x 4 voxels: a block of 1 with one 2 and one 7
static int label_at(int i, int j, int k) {
    if (i == 1 && j == 1 && k == 1) return 2;
    if (i == 3 && j == 2 && k == 2) return 7;
    return i >= 1 && i <= 4 && j >= 1 && j <= 3 && k >= 1 && k <= 2;
}

static void check_labels(const sp_label_volume *l) {
    REQUIRE(l->dims[0] == 6 && l->dims[1] == 5 && l->dims[2] == 4);
    for (int k = 0; k < 4; k++)
        for (int j = 0; j < 5; j++)
            for (int i = 0; i < 6; i++) CHECK_INT(l->labels[(k * 5 + j) * 6 + i], label_at(i, j, k));
}

static void check_affine(const sp_label_volume *l, const double rows[12]) {
    for (int i = 0; i < 12; i++) CHECK_NEAR(l->affine[i], rows[i], 1e-9);  // floats of the header, in metres
}

TEST(all_formats_contain_the_same_labels) {
    static const double placed[12] = {1e-3, 0, 0, 0.01, 0, 1e-3, 0, 0.02, 0, 0, 2e-3, 0.03};
    static const double turned[12] = {0, -1e-3, 0, 0.01, 1e-3, 0, 0, 0.02, 0, 0, 2e-3, 0.03};
    static const double spaced[12] = {1e-3, 0, 0, 0, 0, 1e-3, 0, 0, 0, 0, 2e-3, 0};
    static const double plain[12] = {1e-3, 0, 0, 0, 0, 1e-3, 0, 0, 0, 0, 1e-3, 0};
    static const struct {
        const char *name;
        const double *affine;
        bool packed;
    } files[] = {{"little-uint8.nii", placed, false}, {"big-int16.nii", placed, false}, {"little-float-qform.nii", turned, false},
                 {"int32.nii.gz", placed, true},      {"scan.nhdr", placed, false},     {"one.nrrd", spaced, false},
                 {"packed.nrrd", plain, true},        {"crlf.nrrd", plain, false}};
    sp_context *c = NULL;
    REQUIRE(sp_context_create(NULL, &c) == SP_OK);
    for (size_t i = 0; i < sizeof files / sizeof *files; i++) {
        sp_volume *v = read_file(c, files[i].name);
        // a build without zlib reports it
        if (!v && files[i].packed && sp_context_error(c)->status == SP_UNAVAILABLE) continue;
        REQUIRE(v);
        sp_label_volume l;
        sp_volume_get(v, &l);
        check_labels(&l);
        check_affine(&l, files[i].affine);
        sp_volume_destroy(&v);
    }
    sp_context_destroy(&c);
}

TEST(names_become_groups) {
    sp_context *c = NULL;
    REQUIRE(sp_context_create(NULL, &c) == SP_OK);
    sp_volume *v = read_file(c, "scan.nhdr");
    REQUIRE(v);
    sp_label_volume l;
    sp_volume_get(v, &l);
    CHECK_INT(l.name_count, 2);
    sp_fill_def def = sp_fill_def_default();
    sp_mesh *m = NULL;
    def.size = 0.0008;
    REQUIRE(sp_mesh_fill_labels(c, &l, NULL, 0, &def, NULL, &m) == SP_OK);
    CHECK(sp_mesh_group_named(m, "liver"));
    sp_mesh_destroy(&m);
    sp_volume_destroy(&v);
    sp_context_destroy(&c);
}

static int warnings;

static void count_warnings(void *user, sp_log_level level, const char *text) {
    (void)user;
    warnings += level == SP_LOG_WARNING && strstr(text, "scl_slope") != NULL;
}

TEST(scaled_labels_warn) {
    sp_context_def def = sp_context_def_default();
    sp_context *c = NULL;
    def.log = count_warnings;
    REQUIRE(sp_context_create(&def, &c) == SP_OK);
    sp_volume *v = read_file(c, "little-float-qform.nii");
    CHECK(v);
    CHECK_INT(warnings, 1);
    sp_volume_destroy(&v);
    sp_context_destroy(&c);
}

// lines "file | part of the message"
TEST(broken_files_are_refused) {
    sp_context *c = NULL;
    char line[300], path[700];
    FILE *list = fopen(FOLDER "bad/expected.txt", "r");
    int count = 0;
    REQUIRE(list && sp_context_create(NULL, &c) == SP_OK);
    while (fgets(line, sizeof line, list)) {
        char *bar = strstr(line, " | ");
        REQUIRE(bar);
        *bar = 0;
        bar[3 + strcspn(bar + 3, "\n")] = 0;
        snprintf(path, sizeof path, FOLDER "bad/%s", line);
        sp_volume *v = NULL;
        size_t before, after;
        sp_context_memory(c, &before, NULL);
        sp_status status = sp_volume_read(c, path, &v);
        sp_context_memory(c, &after, NULL);
        if (status >= 0 || v || !strstr(sp_context_error(c)->message, bar + 3))
            SP_TEST_FAILED("%s: status %d, \"%s\"", line, status, sp_context_error(c)->message);
        CHECK(before == after);
        count++;
    }
    fclose(list);
    CHECK(count >= 30);
    sp_context_destroy(&c);
}

// every truncation of a valid file is refused, and nothing is read past its end
TEST(truncations_are_refused) {
    static const char *const names[] = {"little-uint8.nii", "one.nrrd", "packed.nrrd"};
    sp_context *c = NULL;
    REQUIRE(sp_context_create(NULL, &c) == SP_OK);
    for (int f = 0; f < 3; f++) {
        char path[600], data[2048];
        snprintf(path, sizeof path, FOLDER "%s", names[f]);
        FILE *file = fopen(path, "rb");
        REQUIRE(file);
        size_t size = fread(data, 1, sizeof data, file);
        fclose(file);
        for (size_t n = 0; n + 12 < size; n++) {  // gzip ends in a mark and a checksum that are not needed
            char *copy = malloc(n + 1);
            REQUIRE(copy);
            memcpy(copy, data, n);
            copy[n] = 0;
            sp_volume *v = NULL;
            CHECK(sp_volume_parse(c, copy, n, names[f], &v) < 0 && !v);
            free(copy);
        }
    }
    sp_context_destroy(&c);
}

TEST(every_allocation_may_fail) {
    static const char *const names[] = {"scan.nhdr", "big-int16.nii"};
    for (int f = 0; f < 2; f++)
        for (long allowed = 0;; allowed++) {
            meter m = {.allowed = 100000};
            sp_context_def cd = metered_context(&m);
            sp_context *c = NULL;
            REQUIRE(sp_context_create(&cd, &c) == SP_OK);
            long before = m.live;
            char path[600];
            snprintf(path, sizeof path, FOLDER "%s", names[f]);
            sp_volume *v = NULL;
            m.allowed = allowed;
            sp_status status = sp_volume_read(c, path, &v);
            m.allowed = 100000;
            sp_volume_destroy(&v);
            CHECK_INT(m.live, before);
            sp_context_destroy(&c);
            if (status == SP_OK) break;
            CHECK_INT(status, SP_NO_MEMORY);
            REQUIRE(allowed < 1000);
        }
}
