// Claim: every showcase scene runs to its end and meets its claims (its `expect` elements, each with its own tolerance). The
// scenes in robust/ and peers/ are run by the programs that verify them.
#include <dirent.h>

#include "scene_run.h"

static int ran;

// scenes of heads of hair run with a tenth of the hair
static const char *set_of(const char *path) {
    return strstr(path, "rods/hair-") ? "hairs=60" : NULL;
}

static void run_scene(const char *path) {
    scene_run s;
    printf("  %s\n", path);
    if (!scene_open(&s, path, set_of(path), NULL)) {
        CHECK(!"scene opened");
        return;
    }
    CHECK(scene_go(&s, 0));
    CHECK(sp_run_finish(s.run) >= 0);
    CHECK_INT(scene_claims_missed(&s), 0);
    scene_close(&s);
    ran++;
}

static void run_folder(const char *folder) {
    char full[1000], path[600];
    snprintf(full, sizeof full, "%s/scenes/%s", SP_SOURCE_DIR, folder);
    DIR *dir = opendir(full);
    REQUIRE(dir);
    for (struct dirent *e = readdir(dir); e; e = readdir(dir)) {
        size_t n = strlen(e->d_name);
        if (n < 5 || n > 200 || strcmp(e->d_name + n - 4, ".xml")) continue;
        snprintf(path, sizeof path, "%s%s", folder, e->d_name);
        run_scene(path);
    }
    closedir(dir);
}

TEST(showcase) {
    run_folder("");
    CHECK(ran >= 4);
}

TEST(organs) {
    int before = ran;
    run_folder("organs/");
    CHECK(ran - before >= 7);
}

TEST(rods) {
    int before = ran;
    run_folder("rods/");
    CHECK(ran - before >= 11);
}
