// A video has the requested number and size of pictures. Needs ffmpeg and ffprobe; passes where they are absent.
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "test.h"

#define SOUPLE SP_BINARY_DIR "/souple"

static int run(const char *command) {
    int status = system(command);
    return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

static int have(const char *program) {
    char command[64];
    snprintf(command, sizeof command, "command -v %s >/dev/null 2>&1", program);
    return run(command) == 0;
}

TEST(video_contains_all_pictures) {
    char folder[] = "/tmp/souple-video-XXXXXX", command[1024], text[256] = "";
    if (!have("ffmpeg") || !have("ffprobe")) return;
    REQUIRE(mkdtemp(folder));
    // 0.2 s at 50 pictures per second and steps of 10 ms: steps 0, 2, .. 20; 65 x 49 is rounded to even numbers
    snprintf(command, sizeof command,
             "%s render %s/scenes/beam.xml --set dt=0.01 --video %s/v.mp4 --fps 50 --until 0.2 --size 65 49 --quiet 2>%s/err",
             SOUPLE, SP_SOURCE_DIR, folder, folder);
    CHECK_INT(run(command), 0);
    snprintf(command, sizeof command,
             "ffprobe -v error -count_frames -show_entries stream=width,height,nb_read_frames,r_frame_rate -of csv=p=0 %s/v.mp4",
             folder);
    FILE *pipe = popen(command, "r");
    REQUIRE(pipe);
    CHECK(fgets(text, sizeof text, pipe));
    pclose(pipe);
    if (strncmp(text, "66,50,50/1,11", 13) != 0) SP_TEST_FAILED("ffprobe says %s", text);
    // a file that ffmpeg cannot write: the error is reported and no file is left
    snprintf(command, sizeof command,
             "%s render %s/scenes/beam.xml --video %s/no/v.mp4 --until 0.1 --size 64 48 --quiet 2>%s/err", SOUPLE, SP_SOURCE_DIR,
             folder, folder);
    CHECK_INT(run(command), 1);
    snprintf(command, sizeof command, "grep -q ffmpeg %s/err", folder);
    CHECK_INT(run(command), 0);
    snprintf(command, sizeof command, "rm -rf %s", folder);
    CHECK_INT(run(command), 0);
}
