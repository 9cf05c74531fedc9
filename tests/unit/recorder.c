// The recorder thread with test writers: order, the limit on frames, waiting and dropping on a slow disk, failures; files that
// are valid after every write.
#include <pthread.h>
#include <signal.h>
#include <sys/wait.h>
#include <time.h>

#include "record_help.h"

// a writer that blocks until it is released, and may fail at a frame
typedef struct gate {
    pthread_mutex_t mutex;
    pthread_cond_t moved;
    bool held;
    long written, fail_at, opened, closed;
    double times[64];
    pthread_t thread;
    bool same_thread;
} gate;

static gate g;

static void gate_reset(bool held, long fail_at) {
    static bool made;
    if (!made) pthread_mutex_init(&g.mutex, NULL), pthread_cond_init(&g.moved, NULL);
    made = true;
    g.held = held, g.fail_at = fail_at;
    g.written = g.opened = g.closed = 0;
    g.same_thread = true;
}

static void let_go(void) {
    pthread_mutex_lock(&g.mutex);
    g.held = false;
    pthread_cond_broadcast(&g.moved);
    pthread_mutex_unlock(&g.mutex);
}

static sp_status gate_open(sp_sink *s) {
    g.opened++;
    g.thread = pthread_self();
    return g.fail_at < 0 ? SP_FAIL(s->ctx, SP_IO, "%s: cannot be opened", s->path) : SP_OK;
}

static sp_status gate_frame(sp_sink *s, const sp_frame *f) {
    pthread_mutex_lock(&g.mutex);
    while (g.held) pthread_cond_wait(&g.moved, &g.mutex);
    g.same_thread = g.same_thread && pthread_equal(g.thread, pthread_self());
    bool fails = g.fail_at && g.written + 1 == g.fail_at;
    if (!fails) g.times[g.written++ % 64] = f->head.time;
    pthread_mutex_unlock(&g.mutex);
    if (fails) return SP_FAIL(s->ctx, SP_IO, "%s: No space left on device", s->path);
    s->frames++, s->bytes += 100;
    return SP_OK;
}

static sp_status gate_close(sp_sink *s) {
    (void)s;
    g.closed++;
    return SP_OK;
}

static const sp_writer gate_writer = {
    .kind = "gate", .suffix = ".gate", .open = gate_open, .frame = gate_frame, .close = gate_close};

typedef struct rig {
    sp_context *ctx;
    help_layout layout;
    sp_sink sink;
    sp_recorder *r;
    sp_status status;
} rig;

static rig start(bool wait) {
    rig k = {.sink = {.writer = &gate_writer, .path = "x.gate", .wait = wait, .origin = &help_origin}};
    sp_context_create(NULL, &k.ctx);
    return k;
}

static void begin(rig *k) {
    int failed;
    help_layout_make(&k->layout, 0);
    k->sink.layout = &k->layout.layout;
    k->status = sp__recorder_create(k->ctx, &k->sink, 1, &k->r, &failed);
}

static void end(rig *k) {
    size_t bytes, fresh;
    sp_context *other;
    sp__recorder_destroy(&k->r);
    sp_context_create(NULL, &other);
    sp_context_memory(k->ctx, &bytes, NULL), sp_context_memory(other, &fresh, NULL);
    CHECK_INT(bytes, fresh);
    sp_context_destroy(&other);
    sp_context_destroy(&k->ctx);
}

static sp_status send(rig *k, long frame, bool *taken) {
    sp_frame *f;
    sp_status status = sp__recorder_take(k->r, 0, &k->layout.layout, &f);
    *taken = f != NULL;
    if (status < 0 || !f) return status;
    help_fill(f, frame);
    sp__recorder_push(k->r, 0, f);
    return status;
}

TEST(frames_arrive_in_order_from_a_separate_thread) {
    gate_reset(false, 0);
    rig k = start(true);
    begin(&k);
    REQUIRE(k.status == SP_OK);
    bool taken;
    for (int i = 0; i < 50; i++) CHECK(send(&k, i, &taken) == SP_OK && taken);
    CHECK(sp__recorder_drain(k.r) == SP_OK);
    CHECK_INT(g.written, 50);
    for (int i = 0; i < 50; i++) CHECK(g.times[i] == 0.1 * i);
    CHECK(g.same_thread && !pthread_equal(g.thread, pthread_self()));
    CHECK(sp__recorder_finish(k.r) == SP_OK);
    CHECK(g.opened == 1 && g.closed == 1);
    end(&k);
}

TEST(a_slow_disk_drops_and_counts) {
    gate_reset(true, 0);
    rig k = start(false);
    begin(&k);
    bool taken;
    long taken_count = 0, frames, dropped;
    uint64_t bytes;
    for (int i = 0; i < 10; i++) {
        CHECK(send(&k, i, &taken) == SP_OK);
        taken_count += taken;
    }
    // as many as there are frames, whether the thread has already taken one or not
    CHECK_INT(taken_count, SP_FRAMES_QUEUED);
    let_go();
    CHECK(sp__recorder_finish(k.r) == SP_OK);
    sp__recorder_counts(k.r, 0, &frames, &dropped, &bytes);
    CHECK_INT(frames, SP_FRAMES_QUEUED);
    CHECK_INT(dropped, 10 - SP_FRAMES_QUEUED);
    CHECK_INT(bytes, 100 * SP_FRAMES_QUEUED);
    end(&k);
}

static void *release_later(void *arg) {
    struct timespec t = {.tv_nsec = 20000000};
    (void)arg;
    nanosleep(&t, NULL);
    let_go();
    return NULL;
}

TEST(a_slow_disk_is_waited_for) {
    gate_reset(true, 0);
    rig k = start(true);
    begin(&k);
    pthread_t helper;
    bool taken;
    REQUIRE(pthread_create(&helper, NULL, release_later, NULL) == 0);
    for (int i = 0; i < 20; i++) CHECK(send(&k, i, &taken) == SP_OK && taken);
    pthread_join(helper, NULL);
    CHECK(sp__recorder_finish(k.r) == SP_OK);
    CHECK_INT(g.written, 20);
    for (int i = 0; i < 20; i++) CHECK(g.times[i] == 0.1 * i);
    end(&k);
}

TEST(a_failure_reaches_the_caller_and_writing_stops) {
    gate_reset(false, 3);
    rig k = start(true);
    begin(&k);
    bool taken;
    sp_status status = SP_OK;
    int sent = 0;
    for (; sent < 100 && status >= 0; sent++) status = send(&k, sent, &taken);
    CHECK_INT(status, SP_IO);
    CHECK(strstr(sp_context_error(k.ctx)->message, "x.gate: No space left") != NULL);
    CHECK_INT(sp__recorder_drain(k.r), SP_IO);
    CHECK_INT(sp__recorder_finish(k.r), SP_IO);
    CHECK_INT(g.written, 2);
    CHECK_INT(g.closed, 1);
    end(&k);
}

TEST(a_record_that_cannot_be_opened_is_reported_at_once) {
    gate_reset(false, -1);
    rig k = start(true);
    begin(&k);
    CHECK_INT(k.status, SP_IO);
    CHECK(strstr(sp_context_error(k.ctx)->message, "cannot be opened") != NULL);
    end(&k);
}

// ---------------------------------------------------------------------------------------------------- growing files

enum { PIECES = 400, PIECE = 6007 };  // a piece spans three pages

static char *read_text(const char *path) {
    static char text[PIECES * (PIECE + 4200)];
    FILE *f = fopen(path, "rb");
    size_t size = f ? fread(text, 1, sizeof text - 1, f) : 0;
    text[size] = 0;
    if (f) fclose(f);
    return text;
}

static const char *skip_blank(const char *at) {
    return at + strspn(at, " \n");
}

// number of pieces "<b>...</b>" between "<a>" and "</a>", which spaces and processing instructions may follow; -1: not
// well-formed
static int count_pieces(const char *at) {
    int n = 0;
    if (strncmp(at, "<a>", 3) != 0) return -1;
    for (at = skip_blank(at + 3); strncmp(at, "<b>", 3) == 0; n++) {
        const char *mark = strchr(at + 3, '<');
        if (!mark || strncmp(mark, "</b>", 4) != 0) return -1;
        at = skip_blank(mark + 4);
    }
    if (strncmp(at, "</a>", 4) != 0) return -1;
    for (at = skip_blank(at + 4); strncmp(at, "<?end", 5) == 0; at = skip_blank(at)) {
        const char *mark = strstr(at, "?>");
        if (!mark) return -1;
        at = mark + 2;
    }
    return *at ? -1 : n;
}

static void fill_piece(char piece[PIECE + 1]) {
    snprintf(piece, PIECE + 1, "<b>%*s", PIECE - 4, "x</b>\n");
    for (int i = 3; i < PIECE - 6; i++) piece[i] = (char)('a' + i % 26);
}

TEST(a_growing_file_is_valid_after_every_write) {
    sp_context *ctx;
    sp_growing grow;
    char piece[PIECE + 1];
    sp_context_create(NULL, &ctx);
    const char *path = record_path("grow.xml");
    fill_piece(piece);
    REQUIRE(sp__growing_open(ctx, path, "<a>\n", "</a>\n", &grow) == SP_OK);
    CHECK_INT(count_pieces(read_text(path)), 0);
    for (int i = 0; i < 200; i++) {
        bool large = i % 3 == 2;
        CHECK(sp__growing_add(&grow, large ? piece : "<b>y</b>\n", large ? PIECE - 1 : 9) == SP_OK);
        const char *text = read_text(path);
        CHECK_INT(count_pieces(text), i + 1);
        CHECK(strlen(text) == sp__growing_bytes(&grow));
        // the closing lines, which one write replaces, are in one page
        CHECK(grow.end / 4096 == (strlen(text) - 1) / 4096);
    }
    CHECK(sp__growing_close(&grow) == SP_OK);
    CHECK(sp__growing_open(ctx, record_path("no/such/place.xml"), "", "", &grow) == SP_IO);
    CHECK(strstr(sp_context_error(ctx)->message, "no/such/place.xml") != NULL);
    CHECK(sp__growing_close(&grow) == SP_OK);
    if (access("/dev/full", W_OK) == 0) {
        CHECK(sp__growing_open(ctx, "/dev/full", "<a>", "</a>", &grow) == SP_IO);
        sp__growing_close(&grow);
    }
    sp_context_destroy(&ctx);
    record_clean();
}

static void grow_until_killed(const char *path) {
    sp_context *ctx;
    sp_growing grow;
    char piece[PIECE + 1];
    sp_context_create(NULL, &ctx);
    fill_piece(piece);
    if (sp__growing_open(ctx, path, "<a>\n", "</a>\n", &grow) < 0) _exit(1);
    for (int i = 0; i < PIECES; i++) sp__growing_add(&grow, piece, PIECE - 1);
    for (;;) pause();
}

TEST(a_growing_file_survives_a_kill_at_any_time) {
    int most = 0;
    const char *path = record_path("killed.xml");
    for (int round = 0; round < 60; round++) {
        remove(path);
        pid_t pid = fork();
        if (pid == 0) grow_until_killed(path);
        REQUIRE(pid > 0);
        struct stat info;
        struct timespec t = {.tv_nsec = 20000};
        while (stat(path, &info) != 0 || info.st_size < 2000) nanosleep(&t, NULL);
        t.tv_nsec = 37777L * round;  // other moments in each round
        nanosleep(&t, NULL);
        kill(pid, SIGKILL);
        waitpid(pid, NULL, 0);
        int n = count_pieces(read_text(path));
        CHECK(n >= 0);
        if (n > most) most = n;
    }
    CHECK(most > 1);
    record_clean();
}

TEST(buffers_and_names) {
    sp_context *ctx;
    sp_buffer b = {0};
    sp_context_create(NULL, &ctx);
    for (int i = 0; i < 1000; i++) CHECK(sp__buffer_print(ctx, &b, "%03d,", i));
    CHECK_INT(b.size, 4000);
    CHECK(memcmp(b.data + 3996, "999,", 4) == 0);
    CHECK(!sp__buffer_add(ctx, &b, "x", SIZE_MAX / 2));
    CHECK_INT(b.size, 4000);
    sp__buffer_free(ctx, &b);
    char *heavy_path = sp__path_with(ctx, "a.b/c.xdmf", ".h5"), *bare = sp__path_with(ctx, "a.b/c", ".h5");
    CHECK(strcmp(heavy_path, "a.b/c.h5") == 0 && strcmp(bare, "a.b/c.h5") == 0);
    CHECK(strcmp(sp__path_name(heavy_path), "c.h5") == 0 && strcmp(sp__path_name("c.h5"), "c.h5") == 0);
    CHECK(sp__writer_of("a.xdmf") == &sp__writer_xdmf && sp__writer_of("a.ply") == &sp__writer_ply);
    CHECK(sp__writer_of("a.png") == NULL && sp__writer_of("a") == NULL);
    sp__free(ctx, heavy_path), sp__free(ctx, bare);
    sp_context_destroy(&ctx);
}
