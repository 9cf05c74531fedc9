// The viewer's server over loopback: hello and frames, transfer of the controls, slow, hostile and many clients, tokens and
// origins. A misbehaving client loses its own connection, and the simulation continues.
#define _GNU_SOURCE  // strcasestr
#define COMMAND_FOLDER "server"
#include <pthread.h>
#include <sys/stat.h>
#include <time.h>

#include "command_folder.h"
#include "peer.h"
#include "serve/server_internal.h"

static const char beam[] = "<scene version=\"1\" name=\"beam\" dt=\"0.01\">\n"
                           "  <solid name=\"beam\" density=\"1000\" young=\"5e4\" poisson=\"0.3\">\n"
                           "    <box size=\"0.4 0.1 0.1\" cells=\"8 2 2\"/>\n"
                           "    <surface role=\"visual\" subdivide=\"3\"/>\n"
                           "    <fix box=\"-0.001 0 0  0.001 0.1 0.1\"/>\n"
                           "  </solid>\n"
                           "</scene>\n";

typedef struct site {
    sp_server *server;
    pthread_t thread;
    int port;
    sp_gallery gallery;
    sp_context *ctx;
} site;

static void *serve(void *user) {
    sp__server_run(user);
    return NULL;
}

static const char *framers;  // of the next site: pages that may show its page in a frame

static bool open_site_of(site *s, const char *token, bool playing, bool has_page) {
    static char out_folder[256], page[256];
    char why[SP_SIM_WHY];
    sp_context_def c = sp_context_def_default();
    *s = (site){0};
    c.workers = 1;
    if (sp_context_create(&c, &s->ctx) < 0) return false;
    sp__gallery_find(&s->gallery, s->ctx, put("beam.xml", beam));
    put("index.html", "<p>here</p>");
    snprintf(out_folder, sizeof out_folder, "%s", path_of("out"));
    snprintf(page, sizeof page, "%s", folder);
    sp_server_def def = {.address = "127.0.0.1", .token = token, .page = has_page ? page : NULL, .frames = framers};
    def.sim = (sp_sim_def){.gallery = &s->gallery, .scene = 0, .threads = 1, .out = out_folder, .playing = playing};
    s->server = sp__server_start(&def, why);
    if (!s->server) return SP_TEST_FAILED("%s", why), false;
    s->port = sp__server_port(s->server);
    return pthread_create(&s->thread, NULL, serve, s->server) == 0;
}

static bool open_site(site *s, const char *token, bool playing) {
    return open_site_of(s, token, playing, true);
}

static bool open_bare_site(site *s) {
    return open_site_of(s, NULL, false, false);
}

static void close_site(site *s) {
    sp__server_stop(s->server);
    pthread_join(s->thread, NULL);
    sp__server_free(&s->server);
    sp__gallery_free(&s->gallery);
    sp_context_destroy(&s->ctx);
}

static uint64_t steps_made(site *s) {
    sp_sim_state state;
    sp__sim_state(sp__server_sim(s->server), &state);
    return state.steps_made;
}

// The next message of a kind that contains a word (NULL: any); false: none or closed.
static sp_buffer message;
static bool expect(peer *p, int kind, const char *word) {
    for (int i = 0; i < 5000; i++) {
        int got = peer_read(p, &message, PEER_PATIENCE_MS);
        if (got <= 0) return false;
        if (got == kind && (!word || strstr((const char *)message.data, word))) return true;
    }
    return false;
}

static bool expect_close(peer *p) {
    int got = PEER_TEXT;
    for (int i = 0; i < 100000 && got > 0; i++) got = peer_read(p, &message, PEER_PATIENCE_MS);
    return got == PEER_CLOSED;
}

static bool join(site *s, peer *p) {
    return peer_connect(p, s->port, "/ws", NULL, 0) && expect(p, PEER_TEXT, "\"hello\"");
}

TEST(a_client_receives_hello_and_the_state) {
    site s;
    peer p;
    REQUIRE(open_site(&s, NULL, false));
    REQUIRE(join(&s, &p));
    CHECK(strstr((const char *)message.data, "\"beam\""));
    CHECK(expect(&p, PEER_BINARY, NULL));
    CHECK(memcmp(message.data, "SPV1", 4) == 0 && message.data[4] == SP_FRAME_TOPOLOGY);
    CHECK(expect(&p, PEER_BINARY, NULL));
    CHECK(memcmp(message.data, "SPV1", 4) == 0 && message.data[4] == SP_FRAME_STATE);
    const unsigned char *size = (const unsigned char *)message.data + 12;
    CHECK_INT(size[0] | size[1] << 8 | size[2] << 16, message.size);
    CHECK(peer_say(&p, "{\"type\":\"ping\",\"id\":7}") && expect(&p, PEER_TEXT, "\"ok\""));
    // without the controls nothing changes
    CHECK(peer_say(&p, "{\"type\":\"play\",\"id\":8}") && expect(&p, PEER_TEXT, "\"refused\""));
    CHECK_INT(steps_made(&s), 0);
    CHECK(peer_say(&p, "{\"type\":\"control\",\"id\":9,\"action\":\"request\"}") && expect(&p, PEER_TEXT, "\"ok\""));
    CHECK(peer_say(&p, "{\"type\":\"speed\",\"id\":9,\"value\":11}") && expect(&p, PEER_TEXT, "\"refused\""));
    CHECK(peer_say(&p, "{\"type\":\"play\",\"id\":10}") && expect(&p, PEER_TEXT, "\"ok\""));
    CHECK(expect(&p, PEER_TEXT, "\"stats\"") && strstr((const char *)message.data, "\"dropped\""));
    CHECK(steps_made(&s) > 0);
    // colours come with the next frames
    CHECK(peer_say(&p, "{\"type\":\"show\",\"colour\":\"von-mises\",\"marks\":true}"));
    bool coloured = false;
    for (int i = 0; i < 200 && !coloured; i++)
        coloured = expect(&p, PEER_BINARY, NULL) && message.data[48] == sp__wire_field_code("von-mises");
    CHECK(coloured);
    // a reset sends hello again and resends everything
    CHECK(peer_say(&p, "{\"type\":\"reset\"}") && expect(&p, PEER_TEXT, "\"hello\""));
    CHECK(expect(&p, PEER_BINARY, NULL) && message.data[4] == SP_FRAME_TOPOLOGY && message.data[8] == 2);
    peer_close(&p);
    close_site(&s);
}

TEST(control_is_requested_and_transferred) {
    sp_control c = {0};
    uint32_t lost;
    const char *why;
    CHECK(sp__control_request(&c, 1, 0) && c.holder == 1);
    CHECK(!sp__control_request(&c, 1, 0));
    CHECK(sp__control_request(&c, 2, 100) && c.holder == 1 && c.wants == 2);
    CHECK(!sp__control_request(&c, 9, 5000) && c.wants == 2 && c.asked_ms == 100);  // the first keeps its place in the queue
    CHECK(!sp__control_answer(&c, 2, true, &lost, &why) && why);
    CHECK(sp__control_answer(&c, 1, false, &lost, &why) && c.holder == 1 && c.wants == 0);
    CHECK(!sp__control_answer(&c, 1, true, &lost, &why) && why);
    CHECK(sp__control_request(&c, 2, 100) && sp__control_answer(&c, 1, true, &lost, &why) && lost == 1 && c.holder == 2);
    // a holder that does not answer
    CHECK(sp__control_request(&c, 3, 1000));
    CHECK(!sp__control_tick(&c, 1000 + SP_CONTROL_WAIT_MS - 1, &lost));
    CHECK(sp__control_tick(&c, 1000 + SP_CONTROL_WAIT_MS, &lost) && lost == 2 && c.holder == 3);
    // a holder that leaves passes them to the client that requested them, or to none
    CHECK(sp__control_request(&c, 4, 0) && sp__control_leave(&c, 3, &lost) && c.holder == 4 && c.wants == 0);
    CHECK(sp__control_release(&c, 4, &lost) && c.holder == 0 && !sp__control_release(&c, 4, &lost));
}

TEST(two_clients_transfer_the_controls) {
    site s;
    peer a, b;
    REQUIRE(open_site(&s, NULL, false));
    REQUIRE(join(&s, &a) && join(&s, &b));
    CHECK(peer_say(&a, "{\"type\":\"control\",\"id\":1,\"action\":\"request\"}"));
    CHECK(expect(&a, PEER_TEXT, "\"holder\":1") && expect(&b, PEER_TEXT, "\"holder\":1"));
    CHECK(peer_say(&b, "{\"type\":\"control\",\"id\":1,\"action\":\"request\"}"));
    CHECK(expect(&a, PEER_TEXT, "\"wants\":2"));
    // a drag of the old holder ends with its control
    CHECK(peer_say(&a, "{\"type\":\"drag\",\"id\":2,\"body\":1,\"face\":3,\"weights\":[1,0,0],\"target\":[1,1,1]}"));
    CHECK(expect(&a, PEER_TEXT, "\"ok\""));
    CHECK(peer_say(&a, "{\"type\":\"step\",\"id\":3,\"count\":2}") && expect(&a, PEER_TEXT, "\"force\""));
    CHECK(!strstr((const char *)message.data, "\"force\": 0\n"));
    CHECK(peer_say(&a, "{\"type\":\"control\",\"id\":4,\"action\":\"grant\"}"));
    CHECK(expect(&b, PEER_TEXT, "\"holder\":2"));
    CHECK(peer_say(&a, "{\"type\":\"play\",\"id\":5}") && expect(&a, PEER_TEXT, "another client"));
    CHECK(peer_say(&b, "{\"type\":\"step\",\"id\":6,\"count\":1}") && expect(&b, PEER_TEXT, "\"force\": 0\n"));
    // a client that disconnects releases the controls
    CHECK(peer_say(&a, "{\"type\":\"control\",\"id\":7,\"action\":\"request\"}"));
    CHECK(expect(&b, PEER_TEXT, "\"wants\":1"));
    peer_close(&b);
    CHECK(expect(&a, PEER_TEXT, "\"holder\":1"));
    peer_close(&a);
    close_site(&s);
}

TEST(a_body_that_is_added_is_announced_to_all) {
    static const char attach[] =
        "{\"type\":\"attach\",\"id\":2,\"a\":{\"body\":1,\"face\":3,\"weights\":[1,0,0]},\"to\":[0,1,0]}";
    static const char ball[] = "{\"type\":\"throw\",\"id\":3,\"at\":[0,1,0],\"velocity\":[0,0,0],\"radius\":0.1}";
    site s;
    peer a, b;
    REQUIRE(open_site(&s, NULL, false));
    REQUIRE(join(&s, &a) && join(&s, &b));
    CHECK(peer_say(&a, "{\"type\":\"control\",\"id\":1,\"action\":\"request\"}") && expect(&a, PEER_TEXT, "\"holder\":1"));
    CHECK(peer_say(&b, attach) && expect(&b, PEER_TEXT, "another client"));
    CHECK(peer_say(&a, ball) && expect(&a, PEER_TEXT, "no contact"));
    CHECK(peer_say(&a, attach) && expect(&a, PEER_TEXT, "\"name\": \"tie-1\""));
    CHECK(peer_say(&a, "{\"type\":\"step\",\"id\":4,\"count\":2}"));
    CHECK(expect(&a, PEER_TEXT, "\"name\": \"peg-1\"") && strstr((const char *)message.data, "\"type\": \"bodies\""));
    CHECK(expect(&b, PEER_TEXT, "\"name\": \"peg-1\""));
    peer_close(&a), peer_close(&b);
    close_site(&s);
}

// Its frames are dropped; the simulation and the others are not affected.
TEST(a_slow_client_does_not_slow_others) {
    site s;
    peer slow, quick;
    REQUIRE(open_site(&s, NULL, false));
    REQUIRE(peer_connect(&slow, s.port, "/ws", NULL, 4096));
    REQUIRE(join(&s, &quick));
    CHECK(peer_say(&quick, "{\"type\":\"control\",\"action\":\"request\"}"));
    CHECK(peer_say(&quick, "{\"type\":\"speed\",\"value\":0}") && peer_say(&quick, "{\"type\":\"play\",\"id\":1}"));
    int frames = 0;
    // the slow one reads nothing meanwhile
    while (frames < 60 && expect(&quick, PEER_BINARY, NULL)) frames += message.data[4] == SP_FRAME_STATE;
    CHECK_INT(frames, 60);
    uint64_t made = steps_made(&s);
    CHECK(made > 30);  // a frame shows at least one step more, except for those made before it played
    CHECK(peer_say(&quick, "{\"type\":\"pause\",\"id\":2}") && expect(&quick, PEER_TEXT, "\"id\": 2"));
    sp_sim_state last;
    sp__sim_state(sp__server_sim(s.server), &last);
    // it receives the newest frame in the end, and the number of dropped ones
    uint32_t dropped = 0;
    uint64_t step = 0;
    while (step < last.step && expect(&slow, PEER_BINARY, NULL))
        if (message.data[4] == SP_FRAME_STATE) memcpy(&step, message.data + 16, 8), memcpy(&dropped, message.data + 60, 4);
    CHECK(dropped > 0 && step == last.step);
    peer_close(&slow), peer_close(&quick);
    close_site(&s);
}

// an acknowledging client has at most two frames in flight
TEST(acknowledged_frames_are_recent) {
    site s;
    peer p;
    REQUIRE(open_site(&s, NULL, false));
    REQUIRE(join(&s, &p));
    CHECK(peer_say(&p, "{\"type\":\"ack\",\"step\":0}"));
    int states = 0, got = 1;
    double begin = peer_now_ms();  // before the first frame that is counted can be sent
    CHECK(peer_say(&p, "{\"type\":\"control\",\"action\":\"request\"}") && peer_say(&p, "{\"type\":\"play\",\"id\":1}"));
    // longer than sixteen frames take, shorter than the timeout of unanswered ones
    while (got > 0) {
        got = peer_read(&p, &message, 300);
        states += got == PEER_BINARY && message.data[4] == SP_FRAME_STATE;
        if (states >= 2 && got == PEER_TEXT && strstr((const char *)message.data, "\"sent\":")) break;
    }
    int seen = states;
    for (int i = 0; i < 8 && seen <= 3; i++) {
        got = peer_read(&p, &message, 50);
        seen += got == PEER_BINARY && message.data[4] == SP_FRAME_STATE;
    }
    // the first, sent before the client had answered, and two; after a second of silence the others are sent anyway
    CHECK(seen <= 3 || peer_now_ms() - begin > SP_ACK_TIMEOUT_MS);
    CHECK(peer_say(&p, "{\"type\":\"ack\",\"step\":1}"));
    CHECK(expect(&p, PEER_BINARY, NULL));
    peer_close(&p);
    close_site(&s);
}

// ---- what must not be done

static void check_closed(site *s, peer *p, int code, const char *what) {
    if (!expect_close(p)) SP_TEST_FAILED("%s: not closed", what);
    if (p->close_code != code) SP_TEST_FAILED("%s: closed with %d %s", what, p->close_code, p->close_why);
    peer_close(p);
    (void)s;
}

TEST(hostile_messages_close_only_their_client) {
    site s;
    peer good, p;
    static char large[100000];
    memset(large, ' ', sizeof large);
    REQUIRE(open_site(&s, NULL, true));
    REQUIRE(join(&s, &good));
    REQUIRE(join(&s, &p));
    CHECK(peer_say(&p, "{\"type\":"));
    check_closed(&s, &p, 4000, "cut off");
    REQUIRE(join(&s, &p));
    CHECK(peer_say(&p, "{\"type\":\"drag\",\"target\":7}"));
    check_closed(&s, &p, 4000, "another kind");
    REQUIRE(join(&s, &p));
    CHECK(peer_send(&p, PEER_BINARY, "abc", 3));
    check_closed(&s, &p, 1003, "binary");
    REQUIRE(join(&s, &p));
    CHECK(peer_send(&p, PEER_TEXT, large, 4097));
    check_closed(&s, &p, 1009, "a little too large");
    REQUIRE(join(&s, &p));
    peer_send(&p, PEER_TEXT, large, sizeof large);
    CHECK(expect_close(&p));  // a reset may overtake the reason
    peer_close(&p);
    REQUIRE(join(&s, &p));
    // sends until the limit is exceeded
    for (int i = 0; i < 100000 && peer_say(&p, "{\"type\":\"ping\"}"); i++) continue;
    CHECK(expect_close(&p));
    peer_close(&p);
    uint64_t before = steps_made(&s);
    CHECK(expect(&good, PEER_TEXT, "\"stats\"") && peer_say(&good, "{\"type\":\"ping\",\"id\":1}"));
    CHECK(expect(&good, PEER_TEXT, "\"ok\""));
    for (int i = 0; i < 100 && steps_made(&s) == before; i++) expect(&good, PEER_BINARY, NULL);
    CHECK(steps_made(&s) > before);
    peer_close(&good);
    close_site(&s);
}

typedef struct bad_frame {
    const char *what, *bytes;
    size_t size;
    int code;
} bad_frame;

#define BYTES(text) text, sizeof text - 1
#define ZERO_MASK "\0\0\0\0"  // leaves the payload unchanged

// RFC 6455: frames that must fail the connection, and the code
static const bad_frame bad_frames[] = {
    {"text without a mask (5.1)", BYTES("\x81\x02hi"), 1002},
    {"ping without a mask (5.1)", BYTES("\x89\x00"), 1002},
    {"close without a mask (5.1)", BYTES("\x88\x00"), 1002},
    {"first reserved bit (5.2)", BYTES("\xc1\x82" ZERO_MASK "hi"), 1002},
    {"second reserved bit (5.2)", BYTES("\xa1\x82" ZERO_MASK "hi"), 1002},
    {"third reserved bit (5.2)", BYTES("\x91\x82" ZERO_MASK "hi"), 1002},
    {"reserved bit of a ping (5.2)", BYTES("\xc9\x80" ZERO_MASK), 1002},
    {"opcode 3 (5.2)", BYTES("\x83\x80" ZERO_MASK), 1002},
    {"opcode 7 (5.2)", BYTES("\x87\x80" ZERO_MASK), 1002},
    {"opcode 11 (5.2)", BYTES("\x8b\x80" ZERO_MASK), 1002},
    {"opcode 15 (5.2)", BYTES("\x8f\x80" ZERO_MASK), 1002},
    {"length in too many bytes (5.2)", BYTES("\x81\xfe\x00\x02" ZERO_MASK "hi"), 1002},
    {"length with its first bit set (5.2)", BYTES("\x81\xff\xff\xff\xff\xff\xff\xff\xff\xff" ZERO_MASK), 1002},
    {"continuation of nothing (5.4)", BYTES("\x80\x80" ZERO_MASK), 1002},
    {"message within another (5.4)", BYTES("\x01\x81" ZERO_MASK "h\x81\x81" ZERO_MASK "i"), 1002},
    {"ping in fragments (5.5)", BYTES("\x09\x80" ZERO_MASK), 1002},
    {"close in fragments (5.5)", BYTES("\x08\x80" ZERO_MASK), 1002},
    {"ping of 126 bytes (5.5)", BYTES("\x89\xfe\x00\x7e" ZERO_MASK), 1002},
    {"close of 126 bytes (5.5)", BYTES("\x88\xfe\x00\x7e" ZERO_MASK), 1002},
    {"close of one byte (5.5.1)", BYTES("\x88\x81" ZERO_MASK "\x03"), 1002},
    {"close code 999 (7.4)", BYTES("\x88\x82" ZERO_MASK "\x03\xe7"), 1002},
    {"close code 1005 (7.4.1)", BYTES("\x88\x82" ZERO_MASK "\x03\xed"), 1002},
    {"reason that is not UTF-8 (5.5.1)", BYTES("\x88\x84" ZERO_MASK "\x03\xe8\xff\xfe"), 1007},
    {"text that is not UTF-8 (8.1)", BYTES("\x81\x82" ZERO_MASK "\xc0\x80"), 1007},
    {"half a character (8.1)", BYTES("\x81\x81" ZERO_MASK "\xc3"), 1007},
    {"surrogate (8.1)", BYTES("\x81\x83" ZERO_MASK "\xed\xa0\x80"), 1007},
    {"binary", BYTES("\x82\x81" ZERO_MASK "a"), 1003},
    {"256 MiB to come", BYTES("\x81\xff\0\0\0\0\x10\0\0\0" ZERO_MASK), 1009},
};

TEST(frames_forbidden_by_the_rfc_close_with_its_code) {
    site s;
    peer p, good;
    REQUIRE(open_site(&s, NULL, true));
    REQUIRE(join(&s, &good));
    for (size_t i = 0; i < sizeof bad_frames / sizeof *bad_frames; i++) {
        const bad_frame *f = &bad_frames[i];
        REQUIRE(join(&s, &p));
        CHECK(peer_send_raw(&p, f->bytes, f->size));
        check_closed(&s, &p, f->code, f->what);
        // the reason arrives also where unread data follows
        static const char rest[20000];
        REQUIRE(join(&s, &p));
        CHECK(peer_send_raw(&p, f->bytes, f->size));
        peer_send_raw(&p, rest, sizeof rest);
        check_closed(&s, &p, f->code, f->what);
    }
    CHECK(peer_say(&good, "{\"type\":\"ping\",\"id\":1}") && expect(&good, PEER_TEXT, "\"ok\""));
    peer_close(&good);
    close_site(&s);
}

// A message may come in fragments and byte by byte, with a ping between; pings and closes are answered with their payload.
TEST(frames_allowed_by_the_rfc_are_accepted) {
    site s;
    peer p, other;
    REQUIRE(open_site(&s, NULL, false));
    REQUIRE(join(&s, &p) && join(&s, &other));
    static const char frames[] = "\x01\x88" ZERO_MASK "{\"type\":"
                                 "\x89\x85" ZERO_MASK "hello"
                                 "\x00\x80" ZERO_MASK "\x80\x8e" ZERO_MASK "\"ping\",\"id\":7}";
    for (size_t i = 0; i + 1 < sizeof frames; i++) CHECK(peer_send_raw(&p, frames + i, 1));
    CHECK(expect(&p, PEER_TEXT, "\"id\": 7"));
    CHECK(p.pongs == 1 && strcmp(p.pong, "hello") == 0);
    // a client that closes releases the controls, and is answered with its own code
    CHECK(peer_say(&p, "{\"type\":\"control\",\"id\":1,\"action\":\"request\"}") && expect(&other, PEER_TEXT, "\"holder\":1"));
    CHECK(peer_send(&p, 8,
                    "\x0b\xb8"
                    "bye",
                    5));
    check_closed(&s, &p, 3000, "a close of the client's own");
    CHECK(expect(&other, PEER_TEXT, "\"holder\":0"));
    peer_close(&other);
    close_site(&s);
}

TEST(data_before_the_end_of_the_handshake_is_refused) {
    site s;
    peer p;
    static const char early[] = "\r\n\x81\x96" ZERO_MASK "{\"type\":\"ping\",\"id\":7}";
    REQUIRE(open_site(&s, NULL, false));
    static const char ask[] = "GET /ws HTTP/1.1\r\nHost: 127.0.0.1\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"
                              "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\nSec-WebSocket-Version: 13\r\n";
    char all[sizeof ask + sizeof early];
    memcpy(all, ask, sizeof ask - 1), memcpy(all + sizeof ask - 1, early, sizeof early - 1);
    REQUIRE(peer_open_socket(&p, s.port, 0) && peer_send_raw(&p, all, sizeof ask + sizeof early - 2));
    bool closed = false;
    while (peer_read_more(&p, peer_now_ms() + PEER_PATIENCE_MS, &closed)) continue;
    CHECK(closed);
    peer_close(&p);
    close_site(&s);
}

TEST(tokens_and_origins_are_checked) {
    site s;
    peer p;
    REQUIRE(open_site(&s, NULL, false));
    CHECK(!peer_connect(&p, s.port, "/ws", "Origin: http://elsewhere.example\r\n", 0));
    CHECK_INT(p.status, 403);
    char own[64];
    snprintf(own, sizeof own, "Origin: http://127.0.0.1:%d\r\n", s.port);
    CHECK(peer_connect(&p, s.port, "/ws", own, 0));
    peer_close(&p);
    CHECK(!peer_connect(&p, s.port, "/other", NULL, 0));
    CHECK_INT(p.status, 404);
    close_site(&s);
    REQUIRE(open_site(&s, "secret-word", false));
    CHECK(!peer_connect(&p, s.port, "/ws", NULL, 0));
    CHECK_INT(p.status, 401);
    CHECK(!peer_connect(&p, s.port, "/ws?token=secret-wor", NULL, 0));
    CHECK_INT(p.status, 401);
    CHECK(peer_connect(&p, s.port, "/ws?token=secret-word", NULL, 0));
    peer_close(&p);
    close_site(&s);
}

TEST(only_files_of_the_page_are_served) {
    site s;
    REQUIRE(open_site(&s, NULL, false));
    CHECK_INT(peer_get(s.port, "/", "localhost", &message), 200);
    CHECK(strstr((const char *)message.data, "<p>here</p>") && strstr((const char *)message.data, "nosniff"));
    CHECK(strstr((const char *)message.data, "frame-ancestors 'none'\r\n"));
    CHECK_INT(peer_get(s.port, "/index.html", "localhost", &message), 200);
    const char *const nothing[] = {"/nothing.js",        "/.hidden",        "/..%2fetc%2fpasswd", "/../../../../../../etc/passwd",
                                   "/%2e%2e/etc/passwd", "/files/",         "/files/x",           "/files/../../etc/x",
                                   "/files/%2e%2e/x",    "/a%00/index.html"};
    for (size_t i = 0; i < sizeof nothing / sizeof *nothing; i++) {
        int status = peer_get(s.port, nothing[i], "localhost", &message);
        // libwebsockets itself closes the connection on some
        if (status != 404 && status != 403 && status != 0) SP_TEST_FAILED("%s: %d", nothing[i], status);
    }
    // written files, for authorised clients
    mkdir(path_of("out"), 0777);
    put("out/edits-1.log", "souple-edits 1\n");
    CHECK_INT(peer_get(s.port, "/files/edits-1.log", "127.0.0.1:80", &message), 200);
    CHECK_INT(peer_get(s.port, "/files/edits-1.log", "evil.example", &message), 403);
    close_site(&s);
    framers = "http://localhost:* http://127.0.0.1:8888";
    REQUIRE(open_site(&s, "secret-word", false));
    framers = NULL;
    CHECK_INT(peer_get(s.port, "/", "localhost", &message), 200);
    CHECK(strstr((const char *)message.data, "frame-ancestors http://localhost:* http://127.0.0.1:8888\r\n"));
    CHECK_INT(peer_get(s.port, "/files/edits-1.log", "localhost", &message), 401);
    CHECK_INT(peer_get(s.port, "/files/edits-1.log?token=secret-word", "some.name", &message), 200);
    CHECK_INT(peer_get(s.port, "/", "some.name", &message), 200);
    close_site(&s);
}

// the answer to a HEAD is that to a GET up to the empty line, and nothing more
static void check_head(site *s, const char *path, const char *host) {
    static sp_buffer get;
    int status = peer_get(s->port, path, host, &get), same = peer_request(s->port, "HEAD", path, host, &message);
    char *end = status ? strstr((char *)get.data, "\r\n\r\n") : NULL;
    if (!end || !end[4]) SP_TEST_FAILED("%s: no body to leave out, status %d", path, status);
    if (end) end[4] = 0;
    if (same != status || !strcasestr((char *)message.data, "content-length: "))
        SP_TEST_FAILED("%s: HEAD answers %d", path, same);
    if (end && strcmp((char *)message.data, (char *)get.data) != 0)
        SP_TEST_FAILED("%s: GET\n%s HEAD\n%s", path, (char *)get.data, (char *)message.data);
    sp__buffer_free(NULL, &get);
}

TEST(head_answers_as_get_without_a_body) {
    site s;
    REQUIRE(open_site(&s, "secret-word", false));
    check_head(&s, "/", "localhost");
    check_head(&s, "/index.html", "localhost");
    check_head(&s, "/nothing.js", "localhost");
    check_head(&s, "/files/edits-1.log", "localhost");  // without the token
    mkdir(path_of("out"), 0777);
    put("out/edits-1.log", "souple-edits 1\n");
    check_head(&s, "/files/edits-1.log?token=secret-word", "localhost");
    // the connection continues after it
    peer p;
    bool closed;
    static const char head[] = "HEAD / HTTP/1.1\r\nHost: a\r\n\r\n",
                      get[] = "GET / HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n";
    REQUIRE(peer_open_socket(&p, s.port, 0) && peer_send_raw(&p, head, strlen(head)));
    while (!(p.in.size > 4 && memcmp(p.in.data + p.in.size - 4, "\r\n\r\n", 4) == 0))
        REQUIRE(peer_read_more(&p, peer_now_ms() + PEER_PATIENCE_MS, &closed));
    size_t first = p.in.size;
    CHECK(peer_send_raw(&p, get, strlen(get)));
    while (peer_read_more(&p, peer_now_ms() + PEER_PATIENCE_MS, &closed)) continue;
    sp__buffer_add(NULL, &p.in, "", 1);
    const char *second = (const char *)p.in.data + first;
    CHECK(strncmp(second, "HTTP/1.1 200", 12) == 0 && strstr(second, "<p>here</p>"));
    peer_close(&p);
    // a page that is not in a file
    close_site(&s);
    REQUIRE(open_bare_site(&s));
    check_head(&s, "/", "localhost");
    close_site(&s);
}

TEST(other_methods_are_answered_with_the_allowed_ones) {
    site s;
    REQUIRE(open_site(&s, NULL, false));
    static const char *const methods[] = {"POST", "PUT", "DELETE", "PATCH", "OPTIONS"};
    for (size_t i = 0; i < sizeof methods / sizeof *methods; i++) {
        CHECK_INT(peer_request(s.port, methods[i], "/", "localhost", &message), 405);
        if (!strcasestr((const char *)message.data, "\r\nallow: GET, HEAD\r\n"))
            SP_TEST_FAILED("%s: %s", methods[i], message.data);
    }
    close_site(&s);
}

// ---- scenes and recordings sent by POST

#define OWN_SCENE(young)                                                             \
    "<scene version=\"1\" name=\"mine\" dt=\"0.01\">\n"                              \
    "  <solid name=\"cube\" density=\"1000\" young=\"" young "\" poisson=\"0.3\">\n" \
    "    <box size=\"0.1 0.1 0.1\" cells=\"2 2 2\"/><fix box=\"-1 -1 -1 0 1 1\"/></solid>\n</scene>\n"

static int post_text(site *s, const char *path, const char *header, const char *text) {
    static char more[1 << 19];
    snprintf(more, sizeof more, "%sContent-Length: %zu\r\n\r\n%s", header, strlen(text), text);
    return peer_request_with(s->port, "POST", path, "localhost", more, &message);
}

static bool answer_has(const char *words) {
    return strstr((const char *)message.data, words) != NULL;
}

TEST(a_scene_is_sent_saved_and_opened) {
    site s;
    peer p;
    REQUIRE(open_site(&s, NULL, false));
    REQUIRE(join(&s, &p) && !strstr((const char *)message.data, "\"mine\""));
    // nobody holds the controls: anybody may
    CHECK_INT(post_text(&s, "/scene?name=my%20cube.xml", "", OWN_SCENE("1e5")), 200);
    CHECK(answer_has("\"ok\"") && expect(&p, PEER_TEXT, "\"hello\""));
    CHECK(answer_has("\"title\": \"mine\"") && answer_has("opened/my-cube.xml") && answer_has("\"version\": 1"));
    CHECK(is_there("out/opened/my-cube.xml"));
    // the same name again is the same scene, read again
    CHECK_INT(post_text(&s, "/scene?name=my%20cube.xml", "", OWN_SCENE("2e5")), 200);
    CHECK(expect(&p, PEER_TEXT, "\"hello\"") && answer_has("\"version\": 2"));
    // all that is wrong is in the answer, the file and the simulation stay
    CHECK_INT(post_text(&s, "/scene?name=my%20cube.xml", "", "<scene version=\"1\"><solid nam=\"a\"/>\n<rigd/></scene>"), 422);
    CHECK(answer_has("did you mean") && answer_has("\"line\": 1") && answer_has("\"line\": 2") && answer_has("my-cube.xml"));
    CHECK_INT(post_text(&s, "/scene", "", "no scene at all"), 422);
    get_some("out/opened/my-cube.xml", out, sizeof out);
    CHECK(strstr(out, "2e5") && !is_there("out/opened/scene.xml"));
    peer_close(&p);
    close_site(&s);
}

TEST(only_the_holder_sends_a_scene) {
    site s;
    peer p, other;
    char path[128], key[33] = "";
    REQUIRE(open_site(&s, NULL, false));
    REQUIRE(join(&s, &other) && join(&s, &p));
    const char *at = strstr((const char *)message.data, "\"key\":\"");
    REQUIRE(at && sscanf(at, "\"key\":\"%32[0-9a-f]\"", key) == 1 && strlen(key) == 32);
    CHECK(peer_say(&p, "{\"type\":\"control\",\"action\":\"request\",\"id\":1}") && expect(&p, PEER_TEXT, "\"ok\""));
    CHECK_INT(post_text(&s, "/scene", "", OWN_SCENE("1e5")), 409);
    CHECK_INT(post_text(&s, "/scene?as=00", "", OWN_SCENE("1e5")), 409);
    snprintf(path, sizeof path, "/scene?as=%s", key);
    CHECK_INT(post_text(&s, path, "", OWN_SCENE("1e5")), 200);
    CHECK(expect(&other, PEER_TEXT, "\"mine\""));
    peer_close(&p), peer_close(&other);
    close_site(&s);
}

TEST(a_scene_is_refused_as_a_connection_is) {
    site s;
    REQUIRE(open_site(&s, NULL, false));
    CHECK_INT(post_text(&s, "/scene", "Origin: http://elsewhere.example\r\n", OWN_SCENE("1e5")), 403);
    CHECK_INT(peer_request_with(s.port, "POST", "/scene", "evil.example", "Content-Length: 1\r\n\r\nx", &message), 403);
    CHECK_INT(peer_request_with(s.port, "POST", "/scene", "localhost", "Content-Length: 4194305\r\n\r\n", &message), 413);
    CHECK(answer_has("4194305 bytes, must have 1 to 4194304"));
    CHECK_INT(peer_request_with(s.port, "POST", "/scene", "localhost", "Content-Length: 0\r\n\r\n", &message), 400);
    CHECK_INT(peer_request(s.port, "POST", "/scene", "localhost", &message), 411);
    CHECK_INT(peer_get(s.port, "/scene", "localhost", &message), 405);
    CHECK(strcasestr((const char *)message.data, "\r\nallow: POST\r\n"));
    // half a body, then gone
    peer p;
    REQUIRE(peer_open_socket(&p, s.port, 0));
    CHECK(peer_send_raw(&p, "POST /scene HTTP/1.1\r\nHost: localhost\r\nContent-Length: 100\r\n\r\n<scene", 68));
    peer_close(&p);
    CHECK_INT(peer_get(s.port, "/", "localhost", &message), 200);
    close_site(&s);
    REQUIRE(open_site(&s, "secret-word", false));
    CHECK_INT(post_text(&s, "/scene", "", OWN_SCENE("1e5")), 401);
    CHECK_INT(post_text(&s, "/scene?token=secret-word", "", OWN_SCENE("1e5")), 200);
    close_site(&s);
}

static bool wait_for_file(const char *name, bool there) {
    for (int i = 0; i < 10000 && is_there(name) != there; i++) nanosleep(&(struct timespec){.tv_nsec = 2000000}, NULL);
    return is_there(name) == there;
}

TEST(recordings_are_uploaded) {
    site s;
    struct stat st;
    static char body[300000 + 1];
    char name[64], path[128];
    REQUIRE(open_site(&s, NULL, false));
    memset(body, 'x', sizeof body - 1);
    // another page, another host name, no length, nothing, too much
    CHECK_INT(post_text(&s, "/files/", "Origin: http://elsewhere.example\r\n", "xx"), 403);
    CHECK_INT(peer_request_with(s.port, "POST", "/files/", "evil.example", "Content-Length: 2\r\n\r\nxx", &message), 403);
    CHECK_INT(peer_request(s.port, "POST", "/files/", "localhost", &message), 411);
    CHECK_INT(post_text(&s, "/files/", "", ""), 400);
    CHECK_INT(peer_request_with(s.port, "POST", "/files/", "localhost", "Content-Length: 5000000000\r\n\r\n", &message), 413);
    CHECK_INT(post_text(&s, "/files/x", "", "xx"), 405);
    // a connection that ends early leaves no file
    snprintf(path, sizeof path, "out/upload-%ld-1.h5", (long)getpid());
    peer p;
    REQUIRE(peer_open_socket(&p, s.port, 0));
    CHECK(peer_send_raw(&p, "POST /files/ HTTP/1.1\r\nHost: localhost\r\nContent-Length: 9\r\n\r\nxx", 63));
    CHECK(wait_for_file(path, true));
    peer_close(&p);
    CHECK(wait_for_file(path, false));
    for (int i = 0; i < 2; i++) {
        CHECK_INT(post_text(&s, "/files/", "", body), 200);
        const char *file = strstr((const char *)message.data, "{\"file\": \"files/");
        REQUIRE(file && sscanf(file, "{\"file\": \"files/%63[^\"]", name) == 1);
        snprintf(path, sizeof path, "out/%s", name);
        CHECK(stat(path_of(path), &st) == 0 && st.st_size == sizeof body - 1);
    }
    // it is no recording, which the simulation finds out; the next one and the end of the server remove it
    char text[160];
    REQUIRE(join(&s, &p));
    CHECK(peer_say(&p, "{\"type\":\"control\",\"id\":1,\"action\":\"request\"}") && expect(&p, PEER_TEXT, "\"id\": 1"));
    snprintf(text, sizeof text, "{\"type\":\"open\",\"id\":2,\"file\":\"%s\",\"name\":\"beam.h5\"}", name);
    CHECK(peer_say(&p, text) && expect(&p, PEER_TEXT, "\"refused\""));
    peer_close(&p);
    close_site(&s);
    CHECK(stat(path_of(path), &st) != 0);
    REQUIRE(open_site(&s, "secret-word", false));
    CHECK_INT(post_text(&s, "/files/", "", "xx"), 401);
    CHECK_INT(post_text(&s, "/files/?token=secret-word", "", "xx"), 200);
    close_site(&s);
}

// ---- who is not a client yet

enum { SILENT = 300 };  // more than the server's limit

// Idle connections of one kind block nobody: neither present clients nor new ones.
static void check_crowd(site *s, const char *first, const char *what) {
    static peer crowd[SILENT];
    peer early, late;
    int status = 0;
    REQUIRE(peer_connect(&early, s->port, "/ws?token=secret-word", NULL, 0) && expect(&early, PEER_TEXT, "\"hello\""));
    for (int i = 0; i < SILENT; i++)
        if (!peer_open_socket(&crowd[i], s->port, 0) || !peer_send_raw(&crowd[i], first, strlen(first)))
            SP_TEST_FAILED("%s: %d were taken", what, i);
    for (int i = 0; i < 5 && (status == 200 || i == 0); i++) status = peer_get(s->port, "/", "localhost", &message);
    if (status != 200) SP_TEST_FAILED("%s: a newcomer got %d", what, status);
    bool in = peer_connect(&late, s->port, "/ws?token=secret-word", NULL, 0) && expect(&late, PEER_TEXT, "\"hello\"");
    if (!in) SP_TEST_FAILED("%s: nobody can join", what);
    CHECK(peer_say(&early, "{\"type\":\"ping\",\"id\":7}") && expect(&early, PEER_TEXT, "\"ok\""));
    peer_close(&early), peer_close(&late);
    for (int i = 0; i < SILENT; i++) peer_close(&crowd[i]);
}

TEST(idle_connections_block_nobody) {
    site s;
    REQUIRE(open_site(&s, "secret-word", true));
    check_crowd(&s, "", "silent");
    check_crowd(&s, "GET / HTTP/1.1\r\nHost: lo", "half a request");
    check_crowd(&s, "GET / HTTP/1.1\r\nHost: localhost\r\n\r\n", "answered, and kept open");
    close_site(&s);
}

TEST(an_incomplete_request_is_closed) {
    site s;
    peer p;
    bool closed = false;
    REQUIRE(open_site(&s, NULL, false));
    REQUIRE(peer_open_socket(&p, s.port, 0) && peer_send_raw(&p, "GET / HTTP/1.1\r\nX: ", 19));
    // a byte from time to time does not help
    for (double begin = peer_now_ms(); !closed && peer_now_ms() - begin < SP_REQUEST_MS + PEER_PATIENCE_MS;) {
        peer_send_raw(&p, "x", 1);
        while (peer_read_more(&p, peer_now_ms() + 100, &closed)) continue;
    }
    CHECK(closed);
    peer_close(&p);
    close_site(&s);
}

enum { MANY = 200 };

TEST(two_hundred_connections_are_bounded) {
    site s;
    static peer peers[MANY];
    int connected = 0, full = 0;
    REQUIRE(open_site(&s, NULL, true));
    uint64_t before = steps_made(&s);
    for (int i = 0; i < MANY; i++) connected += peer_connect(&peers[i], s.port, "/ws", NULL, 0);
    CHECK(connected == MANY);
    // those beyond the limit are informed, the others are served
    for (int i = 64; i < MANY; i++) full += expect_close(&peers[i]) && peers[i].close_code == 1013;
    CHECK_INT(full, MANY - 64);
    int greeted = 0;
    for (int i = 0; i < 64; i++) greeted += expect(&peers[i], PEER_TEXT, "\"hello\"");
    CHECK_INT(greeted, 64);
    for (int i = 0; i < 1000 && steps_made(&s) == before; i++) CHECK(expect(&peers[0], PEER_BINARY, NULL));
    CHECK(steps_made(&s) > before);
    for (int i = 0; i < MANY; i++) peer_close(&peers[i]);
    // connections are available again
    peer p;
    bool in = false;
    for (int i = 0; i < 1000 && !in; i++) {
        in = join(&s, &p);
        if (!in) peer_close(&p), nanosleep(&(struct timespec){.tv_nsec = 20000000}, NULL);
    }
    CHECK(in);
    peer_close(&p);
    sp__buffer_free(NULL, &message);
    close_site(&s);
}

TEST(the_end_is_announced) {
    site s;
    peer p;
    REQUIRE(open_site(&s, NULL, true));
    REQUIRE(join(&s, &p));
    close_site(&s);
    CHECK(expect_close(&p));
    CHECK_INT(p.close_code, 1001);
    peer_close(&p);
    sp__buffer_free(NULL, &message);
}

TEST(a_port_in_use_is_reported) {
    site s;
    char why[SP_SIM_WHY];
    REQUIRE(open_site(&s, NULL, false));
    sp_server_def def = {.address = "127.0.0.1", .port = s.port};
    CHECK(!sp__server_start(&def, why));
    CHECK(strstr(why, "cannot listen"));
    def.address = "nowhere";
    CHECK(!sp__server_start(&def, why) && strstr(why, "not an address"));
    close_site(&s);
}

// examples/view_client.c moves the point that it drags
TEST(the_example_is_a_client) {
    site s;
    char command[512];
    bool moved = false;
    REQUIRE(open_site(&s, NULL, false));
    // it prints a line each second; where other work keeps the machine busy, the first ones can be without a force
    for (double seconds = 1.2; !moved && seconds < 40; seconds *= 3) {
        snprintf(command, sizeof command, SP_BINARY_DIR "/tests/example_view_client %d %g >%s", s.port, seconds,
                 path_of("said.txt"));
        CHECK_INT(system(command), 0);
        FILE *file = fopen(path_of("said.txt"), "r");
        REQUIRE(file);
        while (!moved && fgets(out, sizeof out, file)) moved = strstr(out, "steps/s") && !strstr(out, "force 0 N");
        fclose(file);
    }
    CHECK(moved);
    CHECK(steps_made(&s) > 0);
    close_site(&s);
}

TEST(nothing_leaks) {
    char command[128];
    make_folder();
    snprintf(command, sizeof command, "rm -rf %s", folder);
    CHECK_INT(system(command), 0);
}
