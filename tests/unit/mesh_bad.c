// Broken mesh files: tests/data/mesh/bad/expected.txt lists the expected messages. Each file is given to the reader and to the
// built command, which must end with exit code 2 and the same message, quickly and in bounded memory.
#include <ctype.h>
#include <dirent.h>
#include <stdbool.h>
#include <unistd.h>

#include "limited.h"
#include "unit/mesh_help.h"

#define FOLDER SP_SOURCE_DIR "/tests/data/mesh/bad"

enum { ROWS_MAX = 400 };
enum { READER_CEILING = 16 << 20 };  // bytes: all of these files are below 4 kB

typedef struct row {
    char file[100], outcome[16], part[200];
} row;

static row rows[ROWS_MAX];
static int row_count;

static char *trimmed(char *s) {
    while (isspace((unsigned char)*s)) s++;
    for (size_t n = strlen(s); n > 0 && isspace((unsigned char)s[n - 1]); n--) s[n - 1] = 0;
    return s;
}

static bool read_row(char *text, row *out) {
    char *first = strchr(text, '|'), *second = first ? strchr(first + 1, '|') : NULL;
    if (!second) return false;
    *first = *second = 0;
    snprintf(out->file, sizeof out->file, "%s", trimmed(text));
    snprintf(out->outcome, sizeof out->outcome, "%s", trimmed(first + 1));
    snprintf(out->part, sizeof out->part, "%s", trimmed(second + 1));
    return true;
}

static void read_table(void) {
    char line[600];
    FILE *f = row_count ? NULL : fopen(FOLDER "/expected.txt", "r");
    if (!f) return;
    while (row_count < ROWS_MAX && fgets(line, sizeof line, f))
        if (line[0] != '#' && read_row(line, &rows[row_count])) row_count++;
    fclose(f);
}

// ------------------------------------------------------------------------------------------------ the reader

static size_t held;

static void *capped_alloc(void *user, size_t size, size_t align) {
    (void)user;
    if (size > READER_CEILING - held) return NULL;
    held += size;
    return aligned_alloc(align, (size + align - 1) / align * align);
}

static void capped_free(void *user, void *memory, size_t size) {
    (void)user;
    held -= memory ? size : 0;
    free(memory);
}

static void check_reader(sp_context *ctx, const row *r) {
    char path[400];
    sp_cells cells;
    sp_mesh *mesh = NULL;
    sp_trimesh *surface = NULL;
    snprintf(path, sizeof path, FOLDER "/%s", r->file);
    sp_status status = sp__cells_read(ctx, path, &cells), want = SP_BAD_INPUT;
    if (strcmp(r->outcome, "missing") == 0) want = SP_IO;
    if (strcmp(r->outcome, "bad-mesh") == 0 && status == SP_OK) status = sp__cells_to_mesh(&cells, false, &mesh);
    if (strcmp(r->outcome, "good") == 0) {
        want = SP_OK;
        if (status == SP_OK)
            status = sp__cells_to_mesh(&cells, false, &mesh) == SP_OK ? SP_OK : sp__cells_to_trimesh(&cells, &surface);
    }
    const char *message = status < 0 ? sp_context_error(ctx)->message : "accepted";
    if (status != want || (want != SP_OK && (!strstr(message, r->part) || !strstr(message, "mesh/bad/"))))
        SP_TEST_FAILED("%s: wanted %s '%s', seen %d '%s'", r->file, r->outcome, r->part, (int)status, message);
    sp_mesh_destroy(&mesh);
    sp_trimesh_destroy(&surface);
    sp__cells_free(&cells);
}

TEST(the_reader_reports_the_error) {
    sp_context_def def = sp_context_def_default();
    sp_context *ctx;
    def.alloc = capped_alloc, def.free = capped_free, def.workers = 1;
    REQUIRE(sp_context_create(&def, &ctx) == SP_OK);
    size_t before = held;
    read_table();
    CHECK(row_count >= 40);
    for (int i = 0; i < row_count; i++) {
        check_reader(ctx, &rows[i]);
        CHECK_INT(held, before);
    }
    sp_context_destroy(&ctx);
}

// ------------------------------------------------------------------------------------------------ the command

// returns the wait status
static int run_souple(const char *file, char *output) {
    char path[400];
    snprintf(path, sizeof path, FOLDER "/%s", file);
    return run_limited((char *[]){"souple", "mesh", "info", path, NULL}, output);
}

TEST(the_command_ends_with_code_2) {
    static char output[LIMITED_OUTPUT];
    read_table();
    for (int i = 0; i < row_count; i++) {
        bool good = strcmp(rows[i].outcome, "good") == 0;
        if (!good && strcmp(rows[i].outcome, "bad") != 0) continue;
        int status = run_souple(rows[i].file, output), code = WIFEXITED(status) ? WEXITSTATUS(status) : -1;
        if (code != (good ? 0 : 2) || !strstr(output, rows[i].part))
            SP_TEST_FAILED("%s: exit code %d, '%.300s'", rows[i].file, code, output);
    }
}

// ------------------------------------------------------------------------------------------------ the table

static bool in_table(const char *name) {
    size_t stem = strcspn(name, ".");
    for (int i = 0; i < row_count; i++) {
        if (strcmp(rows[i].file, name) == 0) return true;
        // belongs to another file of the table
        if (strncmp(name, "tetgen-", 7) == 0 && strncmp(rows[i].file, name, stem) == 0 && rows[i].file[stem] == '.') return true;
    }
    return false;
}

TEST(every_file_is_in_the_table) {
    read_table();
    DIR *folder = opendir(FOLDER);
    REQUIRE(folder);
    for (const struct dirent *e; (e = readdir(folder));)
        if (e->d_name[0] != '.' && strcmp(e->d_name, "expected.txt") != 0 && !in_table(e->d_name))
            SP_TEST_FAILED("%s has no row", e->d_name);
    closedir(folder);
}
