// Claim: every showcase scene runs to its end and meets its claims (its `expect` elements, each with its own tolerance). The
// scenes in robust/ and peers/ are run by the programs that verify them. Results do not depend on the number of workers
// (determinism/), and most of these scenes are small: a process with one worker runs a scene, one process on each core.
#include <dirent.h>
#include <sys/wait.h>
#include <unistd.h>

#include "scene_run.h"

static int ran, running;

// scenes of heads of hair run with a tenth of the hair, boxes and piles of bodies with some of them
static const char *set_of(const char *path) {
    static const char *const fewer[][2] = {{"rods/hair-", "hairs=60"},
                                           {"contact/bag", "copies=2"},
                                           {"volume/tori", "count=4"},
                                           {"volume/toys", "copies=1"},
                                           {"volume/octopus", "count=1"}};
    for (size_t i = 0; i < sizeof fewer / sizeof *fewer; i++)
        if (strstr(path, fewer[i][0])) return fewer[i][1];
    return NULL;
}

static void run_scene(const char *path) {
    scene_run s;
    printf("  %s\n", path);
    if (!scene_open_on(&s, 1, path, set_of(path), NULL)) {
        CHECK(!"scene opened");
        return;
    }
    CHECK(scene_go(&s, 0));
    CHECK(sp_run_finish(s.run) >= 0);
    CHECK_INT(scene_claims_missed(&s), 0);
    scene_close(&s);
}

static void await_scene(void) {
    int status = 0;
    CHECK(wait(&status) > 0);
    CHECK(WIFEXITED(status) && WEXITSTATUS(status) == 0);  // the process has printed what failed
    ran++, running--;
}

static void start_scene(const char *path) {
    long cores = sysconf(_SC_NPROCESSORS_ONLN);
    while (running > 0 && running >= cores) await_scene();
    fflush(stdout);
    pid_t child = fork();
    REQUIRE(child >= 0);
    if (child == 0) {
        sp_test_failures = 0;
        run_scene(path);
        fflush(stdout);
        _exit(sp_test_failures != 0);
    }
    running++;
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
        start_scene(path);
    }
    closedir(dir);
    while (running > 0) await_scene();
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

TEST(volumes) {
    int before = ran;
    run_folder("volume/");
    CHECK(ran - before >= 9);
}

TEST(tutorials) {
    int before = ran;
    run_folder("tutorials/");
    CHECK(ran - before >= 11);
}

TEST(materials) {
    int before = ran;
    run_folder("materials/");
    CHECK(ran - before >= 3);
}
