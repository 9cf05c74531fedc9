// The plain WebSocket client of the benches, against bytes that a server sends.
#include "../../bench/ws_client.c"

#include "test.h"

typedef struct rig {
    sp_ws ws;
    int far;  // the server's end
    const unsigned char *data;
    size_t size;
} rig;

static bool open_rig(rig *r) {
    int ends[2];
    if (socketpair(AF_UNIX, SOCK_STREAM, 0, ends) != 0) return false;
    *r = (rig){.ws = {.fd = ends[0]}, .far = ends[1]};
    return true;
}

static void close_rig(rig *r) {
    sp__ws_close(&r->ws);
    close(r->far);
}

static void feed(rig *r, const void *bytes, size_t size) {
    CHECK(write(r->far, bytes, size) == (ssize_t)size);
}

static sp_ws_kind next(rig *r) {
    return sp__ws_next(&r->ws, &r->data, &r->size);
}

TEST(whole_messages_of_each_length) {
    static unsigned char large[10 + 70000] = {0x82, 127, 0, 0, 0, 0, 0, 1, 0x11, 0x70};  // 70000 bytes
    rig r;
    REQUIRE(open_rig(&r));
    CHECK_INT(next(&r), SP_WS_NONE);
    feed(&r, "\x81\x02hi\x81\x00", 6);
    CHECK_INT(next(&r), SP_WS_TEXT);
    CHECK(r.size == 2 && memcmp(r.data, "hi", 2) == 0);
    CHECK_INT(next(&r), SP_WS_TEXT);
    CHECK_INT((int)r.size, 0);
    unsigned char middle[4 + 300] = {0x82, 126, 1, 44};
    memset(middle + 4, 7, 300);
    feed(&r, middle, sizeof middle);
    CHECK_INT(next(&r), SP_WS_BINARY);
    CHECK(r.size == 300 && r.data[299] == 7);
    large[10 + 69999] = 9;
    feed(&r, large, sizeof large);
    CHECK_INT(next(&r), SP_WS_BINARY);
    CHECK(r.size == 70000 && r.data[69999] == 9);
    CHECK_INT((int)r.ws.bytes, 6 + 304 + 70010);
    close_rig(&r);
}

TEST(message_that_comes_byte_by_byte) {
    const char bytes[] = "\x82\x7e\x00\x03"
                         "abc";
    rig r;
    REQUIRE(open_rig(&r));
    for (int i = 0; i < 7; i++) {
        CHECK_INT(next(&r), SP_WS_NONE);
        feed(&r, bytes + i, 1);
    }
    CHECK_INT(next(&r), SP_WS_BINARY);
    CHECK(r.size == 3 && memcmp(r.data, "abc", 3) == 0);
    close_rig(&r);
}

// a ping may come between the fragments of a message
TEST(fragments_are_joined_and_pings_answered) {
    unsigned char back[64];
    rig r;
    REQUIRE(open_rig(&r));
    feed(&r, "\x01\x03one\x89\x02hi\x00\x03two\x80\x01!", 5 + 4 + 5 + 3);
    CHECK_INT(next(&r), SP_WS_TEXT);
    CHECK(r.size == 7 && memcmp(r.data, "onetwo!", 7) == 0);
    REQUIRE(read(r.far, back, sizeof back) == 8);
    CHECK(back[0] == 0x8a && back[1] == (0x80 | 2));
    CHECK((back[6] ^ back[2]) == 'h' && (back[7] ^ back[3]) == 'i');
    close_rig(&r);
}

TEST(sent_text_is_masked_and_whole) {
    unsigned char back[512];
    char text[301];
    rig r;
    REQUIRE(open_rig(&r));
    memset(text, 'x', 300), text[300] = 0;
    CHECK(sp__ws_send(&r.ws, text));
    REQUIRE(read(r.far, back, sizeof back) == 8 + 300);
    CHECK(back[0] == 0x81 && back[1] == (0x80 | 126) && back[2] == 1 && back[3] == 44);
    for (int i = 0; i < 300; i++) CHECK((back[8 + i] ^ back[4 + (i & 3)]) == 'x');
    close_rig(&r);
}

TEST(closing_reports_the_reason) {
    rig r;
    REQUIRE(open_rig(&r));
    feed(&r, "\x88\x07\x03\xf5later", 9);
    CHECK_INT(next(&r), SP_WS_CLOSED);
    CHECK(strstr(r.ws.why, "1013 later") != NULL);
    CHECK(!sp__ws_send(&r.ws, "{}"));
    close_rig(&r);
    REQUIRE(open_rig(&r));
    feed(&r, "\x82\xff\x7f\xff\xff\xff\xff\xff\xff\xff", 10);
    CHECK_INT(next(&r), SP_WS_CLOSED);
    CHECK(strstr(r.ws.why, "no server sends") != NULL);
    close_rig(&r);
    REQUIRE(open_rig(&r));
    shutdown(r.far, SHUT_RDWR);
    CHECK_INT(next(&r), SP_WS_CLOSED);
    CHECK(strstr(r.ws.why, "closed the connection") != NULL);
    close_rig(&r);
}

TEST(nobody_listens) {
    sp_ws w;
    CHECK(!sp__ws_connect(&w, 1, "/ws"));
    CHECK(w.why[0] != 0);
    sp__ws_close(&w);
}
