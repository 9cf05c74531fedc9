// Output of pictures: one PNG file, numbered files, or a pipe to ffmpeg, which is started without a shell.
#include "render/render.h"

#include <errno.h>
#include <limits.h>
#include <signal.h>
#include <spawn.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

extern char **environ;

static bool sink_failed(sp_sink *s, int code, const char *format, ...) SP_PRINTF(3, 4);
static bool sink_failed(sp_sink *s, int code, const char *format, ...) {
    va_list args;
    va_start(args, format);
    vsnprintf(s->message, sizeof s->message, format, args);
    va_end(args);
    s->code = code;
    return false;
}

// ---------------------------------------------------------------------------------------------------- numbered frames

// the only %d, %4d or %04d of a pattern: its position and length; 0: none. -1: a % followed by something else
static int number_in(const char *pattern, const char **where) {
    int found = 0;
    for (const char *c = strchr(pattern, '%'); c; c = strchr(c + 1, '%')) {
        int n = 1 + (int)strspn(c + 1, "0123456789");
        if (found || n > 4 || c[n] != 'd') return -1;
        *where = c, found = n + 1;
    }
    return found;
}

// a folder gets the files "frame-0000.png" and so on
static bool frame_path(const char *pattern, long number, char *out, size_t size) {
    const char *where = NULL;
    int length = number_in(pattern, &where), n;
    if (length == 0) {
        n = snprintf(out, size, "%s/frame-%04ld.png", pattern, number);
    } else {
        int digits = (int)strtol(where + 1, NULL, 10);
        n = where[1] == '0' ? snprintf(out, size, "%.*s%0*ld%s", (int)(where - pattern), pattern, digits, number, where + length)
                            : snprintf(out, size, "%.*s%*ld%s", (int)(where - pattern), pattern, digits, number, where + length);
    }
    return n >= 0 && (size_t)n < size;
}

// the folder of the first frame, created if missing
static bool make_folder(sp_sink *s) {
    char path[PATH_MAX];
    if (!frame_path(s->args->frames, 0, path, sizeof path))
        return sink_failed(s, SP_EXIT_USAGE, "--frames: the name is too long");
    char *slash = strrchr(path, '/');
    if (!slash || slash == path) return true;
    *slash = 0;
    if (mkdir(path, 0777) == 0 || errno == EEXIST) return true;
    return sink_failed(s, SP_EXIT_USAGE, "--frames %s: cannot make the folder %s: %s", s->args->frames, path, strerror(errno));
}

// ---------------------------------------------------------------------------------------------------- ffmpeg

static bool on_the_path(const char *program) {
    const char *path = getenv("PATH");
    char full[PATH_MAX];
    while (path && *path) {
        int n = (int)strcspn(path, ":");
        snprintf(full, sizeof full, "%.*s/%s", n, path, program);
        if (n > 0 && access(full, X_OK) == 0) return true;
        path += n + (path[n] == ':');
    }
    return false;
}

static bool start_ffmpeg(sp_sink *s) {
    char size[32], rate[32];
    int ends[2];
    snprintf(size, sizeof size, "%dx%d", s->width, s->height);
    snprintf(rate, sizeof rate, "%.10g", s->args->fps);
    // pictures of odd size are padded by a column or row: most codecs share colours between two pixels
    char *words[] = {"ffmpeg",    "-nostdin", "-y",
                     "-loglevel", "error",    "-f",
                     "rawvideo",  "-pix_fmt", "rgb24",
                     "-s",        size,       "-r",
                     rate,        "-i",       "pipe:0",
                     "-an",       "-vf",      "pad=ceil(iw/2)*2:ceil(ih/2)*2",
                     "-pix_fmt",  "yuv420p",  (char *)s->args->video,
                     NULL};
    posix_spawn_file_actions_t actions;
    pid_t child;
    if (pipe(ends) != 0) return sink_failed(s, SP_EXIT_FAILED, "no pipe for ffmpeg: %s", strerror(errno));
    posix_spawn_file_actions_init(&actions);
    posix_spawn_file_actions_adddup2(&actions, ends[0], STDIN_FILENO);
    posix_spawn_file_actions_addclose(&actions, ends[0]);
    posix_spawn_file_actions_addclose(&actions, ends[1]);
    int failed = posix_spawnp(&child, "ffmpeg", &actions, NULL, words, environ);
    posix_spawn_file_actions_destroy(&actions);
    close(ends[0]);
    if (failed) {
        close(ends[1]);
        return sink_failed(s, SP_EXIT_FAILED, "ffmpeg could not be started: %s", strerror(failed));
    }
    s->pipe = ends[1], s->process = child;
    return true;
}

static bool feed(sp_sink *s) {
    size_t left = 3 * (size_t)s->width * (size_t)s->height;
    const unsigned char *from = s->rgb;
    while (left > 0) {
        ssize_t n = write(s->pipe, from, left);
        if (n < 0 && errno == EINTR) continue;
        if (n <= 0) return sink_failed(s, SP_EXIT_FAILED, "--video %s: ffmpeg took no more pictures", s->args->video);
        from += n, left -= (size_t)n;
    }
    return true;
}

static bool end_ffmpeg(sp_sink *s, bool good) {
    int status = 0;
    close(s->pipe);
    s->pipe = -1;
    while (waitpid((pid_t)s->process, &status, 0) < 0 && errno == EINTR) continue;
    bool done = WIFEXITED(status) && WEXITSTATUS(status) == 0;
    if (good && done) return true;
    remove(s->args->video);
    if (s->message[0] || !good) return false;
    return sink_failed(s, SP_EXIT_FAILED, "--video %s: ffmpeg failed", s->args->video);
}

// ---------------------------------------------------------------------------------------------------- sink

static bool ends_in(const char *text, const char *end) {
    size_t n = strlen(text), m = strlen(end);
    return n > m && strcmp(text + n - m, end) == 0;
}

bool sp__sink_open(sp_sink *s, const sp_render_args *args) {
    const char *where;
    *s = (sp_sink){.args = args, .pipe = -1};
    if (args->frames && number_in(args->frames, &where) < 0)
        return sink_failed(s, SP_EXIT_USAGE, "--frames \"%s\": one %%04d or the like for the number, and no other %%",
                           args->frames);
    if (args->frames) return make_folder(s);
    if (!args->video) return true;
    if (!ends_in(args->video, ".mp4") && !ends_in(args->video, ".mkv") && !ends_in(args->video, ".mov") &&
        !ends_in(args->video, ".webm") && !ends_in(args->video, ".avi"))
        return sink_failed(s, SP_EXIT_USAGE, "--video \"%s\": must end in .mp4, .mkv, .mov, .webm or .avi", args->video);
    if (!on_the_path("ffmpeg"))
        return sink_failed(
            s, SP_EXIT_USAGE,
            "--video needs the program ffmpeg, which is not on the PATH: install it (apt install ffmpeg), or write "
            "numbered pictures with --frames and join them elsewhere");
    signal(SIGPIPE, SIG_IGN);  // if ffmpeg ends early, write must return an error instead of ending this process
    return true;
}

bool sp__sink_size(sp_sink *s, sp_context *context, int width, int height) {
    s->context = context, s->width = width, s->height = height;
    s->rgb = malloc(3 * (size_t)width * (size_t)height);
    if (!s->rgb) return sink_failed(s, SP_EXIT_FAILED, "no memory for a picture of %d x %d", width, height);
    return !s->args->video || start_ffmpeg(s);
}

bool sp__sink_put(sp_sink *s) {
    char path[PATH_MAX];
    if (s->args->video) {
        if (!feed(s)) return false;
    } else {
        if (s->args->png)
            snprintf(path, sizeof path, "%s", s->args->png);
        else if (!frame_path(s->args->frames, s->count, path, sizeof path))
            return sink_failed(s, SP_EXIT_USAGE, "--frames: the name is too long");
        if (sp_picture_save(s->context, s->rgb, s->width, s->height, path) < 0)
            return sink_failed(s, SP_EXIT_FAILED, "%s", sp_context_error(s->context)->message);
    }
    s->count++;
    return true;
}

bool sp__sink_close(sp_sink *s, bool good) {
    free(s->rgb);
    s->rgb = NULL;
    return s->pipe < 0 || end_ffmpeg(s, good);
}
