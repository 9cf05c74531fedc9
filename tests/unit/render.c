// `souple render` from the user's side: one picture, numbered ones, an orbit around a mesh, refusals before the simulation
// starts.
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "picture_help.h"

#define SOUPLE SP_BINARY_DIR "/souple"

static char folder[64], err[4096];

static const char *const beam_scene =
    "<scene name='beam' dt='0.01' gravity='0 -9.81 0'>\n"
    "  <solid name='beam' young='1e5'><box size='0.4 0.1 0.1' cells='8 2 2'/><fix box='-0.001 -1 -1 0.001 1 1'/></solid>\n"
    "  <stop time='0.2'/>\n"
    "</scene>\n";

static const char *const octahedron = "v 1 0 0\nv 0 1 0\nv 0 0 1\nv -1 0 0\nv 0 -1 0\nv 0 0 -1\n"
                                      "f 1 2 3\nf 2 4 3\nf 4 5 3\nf 5 1 3\nf 2 1 6\nf 4 2 6\nf 5 4 6\nf 1 5 6\n";

static void put(const char *name, const char *text) {
    char path[128];
    snprintf(path, sizeof path, "%s/%s", folder, name);
    FILE *file = fopen(path, "w");
    if (!file) abort();
    fputs(text, file);
    fclose(file);
}

static void make_folder(void) {
    if (folder[0]) return;
    strcpy(folder, "/tmp/souple-render-XXXXXX");
    if (!mkdtemp(folder)) abort();
    put("beam.xml", beam_scene), put("octa.obj", octahedron);
}

// `souple render ARGUMENTS` in the folder, after a prefix; stderr is kept
static int render_with(const char *before, const char *arguments) {
    char command[1024], path[128];
    make_folder();
    snprintf(command, sizeof command, "cd %s && %s %s render %s >.out 2>.err", folder, before, SOUPLE, arguments);
    int status = system(command);
    snprintf(path, sizeof path, "%s/.err", folder);
    FILE *file = fopen(path, "r");
    err[file ? fread(err, 1, sizeof err - 1, file) : 0] = 0;
    if (file) fclose(file);
    return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

static int render(const char *arguments) {
    return render_with("", arguments);
}

static unsigned char *picture(const char *name, int *width, int *height) {
    char path[192];
    snprintf(path, sizeof path, "%s/%s", folder, name);
    return decode(path, width, height);
}

static bool exists(const char *name) {
    char path[192];
    struct stat st;
    snprintf(path, sizeof path, "%s/%s", folder, name);
    return stat(path, &st) == 0;
}

// number of bytes that differ between two pictures; -1: one is missing
static int difference(const char *a, const char *b) {
    int w[2] = {0}, h[2] = {0}, n = 0;
    unsigned char *one = picture(a, &w[0], &h[0]), *other = picture(b, &w[1], &h[1]);
    if (!one || !other || w[0] != w[1] || h[0] != h[1]) n = -1;
    for (int i = 0; n >= 0 && i < 3 * w[0] * h[0]; i++) n += one[i] != other[i];
    free(one), free(other);
    return n;
}

TEST(frames_are_numbered) {
    // 0.01 s steps, 25 pictures per second: every 4 steps
    CHECK_INT(render("beam.xml --frames p/f-%03d.png --until 0.12 --size 64 48 --quiet"), 0);
    CHECK(exists("p/f-000.png") && exists("p/f-003.png") && !exists("p/f-004.png"));
    CHECK(difference("p/f-000.png", "p/f-003.png") > 100);
    CHECK_INT(render("beam.xml --frames q --every 5 --from 0.1 --size 64 48"), 0);
    CHECK(exists("q/frame-0000.png") && exists("q/frame-0002.png") && !exists("q/frame-0003.png"));
    CHECK(strstr(err, "3 pictures: q"));
}

TEST(camera_orbits) {
    CHECK_INT(render("beam.xml --frames o/%d.png --steps 0 --orbit 120 --size 64 48 --quiet"), 0);
    CHECK(exists("o/0.png") && exists("o/2.png") && !exists("o/3.png"));
    CHECK(difference("o/0.png", "o/1.png") > 100 && difference("o/1.png", "o/2.png") > 100);
    CHECK_INT(render("beam.xml --png a.png --steps 0 --orbit 120 --size 64 48"), 0);
    CHECK_INT(difference("a.png", "o/1.png"), 0);
    CHECK_INT(render("beam.xml --png b.png --steps 0 --azimuth 200 --elevation -10 --size 64 48"), 0);
    CHECK_INT(render("beam.xml --png c.png --steps 0 --camera '0.2 0.1 1' '0.2 0 0' --size 64 48"), 0);
    CHECK(difference("a.png", "b.png") > 100 && difference("a.png", "c.png") > 100);
}

TEST(same_bits_for_any_thread_count) {
    CHECK_INT(render("beam.xml --png t1.png --steps 3 --color-by von-mises --transparent 0.4 --size 200 150 --threads 1"), 0);
    CHECK_INT(render("beam.xml --png t3.png --steps 3 --color-by von-mises --transparent 0.4 --size 200 150 --threads 3"), 0);
    CHECK_INT(difference("t1.png", "t3.png"), 0);
}

TEST(colours_and_opacity_by_option) {
    CHECK_INT(render("beam.xml --png r1.png --color-by displacement --range 0 0.001 --size 64 48"), 0);
    CHECK_INT(render("beam.xml --png r2.png --color-by displacement --range 0 1 --size 64 48"), 0);
    CHECK(difference("r1.png", "r2.png") > 100);
    CHECK_INT(render("beam.xml --png n.png --transparent beam=0 --size 160 120"), 0);
    int w = 0, h = 0;
    unsigned char *rgb = picture("n.png", &w, &h);
    REQUIRE(rgb);
    CHECK(is_background(rgb + 3 * (70 * 160 + 80)));
    free(rgb);
}

TEST(mesh_files_are_drawn) {
    CHECK_INT(render("octa.obj --png octa.png --size 64 48"), 0);
    int w = 0, h = 0;
    unsigned char *rgb = picture("octa.png", &w, &h);
    REQUIRE(rgb);
    CHECK(!is_background(rgb + 3 * (26 * 64 + 32)) && is_background(rgb + 3 * (26 * 64 + 1)));
    free(rgb);
    CHECK_INT(render("octa.obj --frames turn --orbit 90 --size 64 48"), 0);
    CHECK(exists("turn/frame-0003.png") && !exists("turn/frame-0004.png"));
    CHECK_INT(render("octa.obj --png octa.png --color-by heat"), 2);
    CHECK(strstr(err, "no arrays"));
}

TEST(invalid_options_are_2) {
    static const struct {
        const char *arguments, *said;
    } cases[] = {{"beam.xml", "--png FILE"},
                 {"beam.xml --png a.png --video b.mp4", "one of"},
                 {"beam.xml --frames f-%s.png", "%04d"},
                 {"beam.xml --frames f-%d-%d.png", "%04d"},
                 {"beam.xml --frames no/such/f.png", "no/such"},
                 {"beam.xml --png x.png --every 3", "--frames and --video"},
                 {"beam.xml --frames x --from 2 --until 1", "must increase"},
                 {"beam.xml --frames x --time 0.1", "--orbit"},
                 {"beam.xml --png x.png --range 2 1", "must increase"},
                 {"beam.xml --png x.png --camera 1 '0 0 0'", "three numbers"},
                 {"beam.xml --png x.png --elevation 91", "[-90, 90]"},
                 {"beam.xml --png x.png --transparent beam=2", "[0, 1]"},
                 {"beam.xml --png x.png --transparent bean=0.5", "bean"},
                 {"beam.xml --png x.png --size 15 100", "[16, 16384]"},
                 {"beam.xml --png x.png --size 100 16385", "[16, 16384]"},
                 {"beam.xml --png x.png --color-by heat", "heat"},
                 {"beam.xml --video x.gif", ".mp4"},
                 {"not-there.obj --png x.png", "not-there.obj"},
                 {"not-there.xdmf --png x.png", "not-there.xdmf"}};
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        int code = render(cases[i].arguments);
        if (code != 2 || !strstr(err, cases[i].said))
            SP_TEST_FAILED("render %s: exit %d, said: %s", cases[i].arguments, code, err);
    }
    CHECK(!exists("x.png"));
}

TEST(unwritable_paths_are_refused) {
    CHECK_INT(render("beam.xml --png no/such/folder.png --steps 0"), 2);
    CHECK(strstr(err, "no/such/folder.png"));
}

TEST(video_without_ffmpeg_reports_how_to_get_it) {
    CHECK_INT(render_with("PATH=/nowhere", "beam.xml --video v.mp4"), 2);
    CHECK(strstr(err, "ffmpeg") && strstr(err, "install") && strstr(err, "--frames"));
    CHECK(!exists("v.mp4"));
}

TEST(zz_clean_up) {
    char command[128];
    make_folder();
    snprintf(command, sizeof command, "rm -rf %s", folder);
    CHECK_INT(system(command), 0);
}
