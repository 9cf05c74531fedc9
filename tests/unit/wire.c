// Messages of the viewer's clients, and the layouts of docs/protocol.md byte by byte.
#include "serve/wire.h"

#include "serve/websocket.h"
#include "test.h"

static sp_message m;
static char why[SP_WHY_MAX];

static sp_wire_verdict read(const char *text) {
    return sp__message_read(text, strlen(text), &m, why);
}

TEST(every_type_is_read) {
    const char *const texts[SP_MESSAGE_TYPES] = {
        [SP_MESSAGE_CONTROL] = "{\"type\":\"control\",\"id\":1,\"action\":\"grant\"}",
        [SP_MESSAGE_SHOW] = "{\"type\":\"show\",\"id\":1,\"colour\":\"von-mises\",\"surfaces\":[\"mechanical\"],\"marks\":true}",
        [SP_MESSAGE_ACK] = "{\"type\":\"ack\",\"id\":1,\"step\":120}",
        [SP_MESSAGE_PING] = "{\"type\":\"ping\",\"id\":1}",
        [SP_MESSAGE_PLAY] = "{\"type\":\"play\",\"id\":1}",
        [SP_MESSAGE_PAUSE] = "{\"type\":\"pause\",\"id\":1}",
        [SP_MESSAGE_STEP] = "{\"type\":\"step\",\"id\":1,\"count\":10}",
        [SP_MESSAGE_RESET] = "{\"type\":\"reset\",\"id\":1,\"keep\":true}",
        [SP_MESSAGE_SPEED] = "{\"type\":\"speed\",\"id\":1,\"value\":0.5}",
        [SP_MESSAGE_DT] = "{\"type\":\"dt\",\"id\":1,\"value\":0.01}",
        [SP_MESSAGE_GRAVITY] = "{\"type\":\"gravity\",\"id\":1,\"value\":[0,-9.81,0]}",
        [SP_MESSAGE_PARAM] = "{\"type\":\"param\",\"id\":1,\"path\":\"beam.young\",\"value\":2e4}",
        [SP_MESSAGE_SOLVER] = "{\"type\":\"solver\",\"id\":1,\"body\":2,\"solver\":\"cg\"}",
        [SP_MESSAGE_THREADS] = "{\"type\":\"threads\",\"id\":1,\"value\":2}",
        [SP_MESSAGE_SCENE] = "{\"type\":\"scene\",\"id\":1,\"number\":3}",
        [SP_MESSAGE_SET] = "{\"type\":\"set\",\"id\":1,\"path\":\"k\",\"value\":8}",
        [SP_MESSAGE_DRAG] = ("{\"type\":\"drag\",\"id\":1,\"slot\":2,\"body\":1,\"surface\":0,\"face\":17,"
                             "\"weights\":[0.2,0.3,0.5],\"target\":[0.4,0.1,0.05],\"stiffness\":200,\"revision\":4}"),
        [SP_MESSAGE_DROP] = "{\"type\":\"drop\",\"id\":1}",
        [SP_MESSAGE_PIN] = "{\"type\":\"pin\",\"id\":1,\"body\":1,\"node\":140}",
        [SP_MESSAGE_UNPIN] = "{\"type\":\"unpin\",\"id\":1,\"body\":1,\"node\":140}",
        [SP_MESSAGE_THROW] = "{\"type\":\"throw\",\"id\":1,\"at\":[0,1,0],\"velocity\":[0,0,-3],\"radius\":0.05}",
        [SP_MESSAGE_PROBE] = "{\"type\":\"probe\",\"id\":1,\"from\":[0,1,2],\"at\":[0,0.1,0],\"radius\":0.01}",
        [SP_MESSAGE_UNPROBE] = "{\"type\":\"unprobe\",\"id\":1}",
        [SP_MESSAGE_REMOVE] = "{\"type\":\"remove\",\"id\":1,\"body\":7}",
        [SP_MESSAGE_ATTACH] = "{\"type\":\"attach\",\"id\":1,\"name\":\"tie-1\"}",
        [SP_MESSAGE_DETACH] = "{\"type\":\"detach\",\"id\":1,\"name\":\"tie-1\"}",
        [SP_MESSAGE_RECORD] = "{\"type\":\"record\",\"id\":1,\"action\":\"stop\"}",
        [SP_MESSAGE_OPEN] = "{\"type\":\"open\",\"id\":1,\"file\":\"recording-1.h5\",\"name\":\"beam.h5\"}",
        [SP_MESSAGE_SEEK] = "{\"type\":\"seek\",\"id\":1,\"time\":0.5}",
        [SP_MESSAGE_CLOSE] = "{\"type\":\"close\",\"id\":1}",
        [SP_MESSAGE_LOG] = "{\"type\":\"log\",\"id\":1}",
        [SP_MESSAGE_DOWNLOAD] = "{\"type\":\"download\",\"id\":1}",
    };
    for (int i = 0; i < SP_MESSAGE_TYPES; i++) {
        CHECK_INT(read(texts[i]), SP_WIRE_GOOD);
        CHECK_INT(m.type, i);
        CHECK(m.given & SP_GIVEN_ID && m.id == 1);
        CHECK(why[0] == 0);
    }
}

TEST(fields_arrive) {
    CHECK_INT(read("{\"type\":\"drag\",\"slot\":2,\"body\":1,\"surface\":3,\"face\":17,\"weights\":[0.25,0.25,0.5],"
                   "\"target\":[0.4,-0.1,5],\"stiffness\":200,\"revision\":4}"),
              SP_WIRE_GOOD);
    CHECK(m.given == (SP_GIVEN_POINT | SP_GIVEN_REVISION));
    CHECK(m.slot == 2 && m.point.body == 1 && m.point.surface == 3 && m.point.face == 17 && m.revision == 4);
    CHECK(m.point.weights[2] == 0.5 && m.vector[0] == 0.4 && m.vector[1] == -0.1 && m.vector[2] == 5 && m.stiffness == 200);
    // an active drag needs only the target
    CHECK_INT(read("{\"type\":\"drag\",\"target\":[1,2,3]}"), SP_WIRE_GOOD);
    CHECK(m.given == 0 && m.slot == 0 && m.stiffness == 0);
    CHECK_INT(read("{\"type\":\"show\",\"colour\":null,\"surfaces\":[\"visual\",\"collision\"]}"), SP_WIRE_GOOD);
    CHECK(m.given == (SP_GIVEN_COLOUR | SP_GIVEN_SURFACES) && m.colour == 0);
    CHECK(m.surfaces == (SP_ROLE_VISUAL | SP_ROLE_COLLISION));
    CHECK_INT(read("{\"type\":\"show\",\"colour\":\"rotation\"}"), SP_WIRE_GOOD);
    CHECK_INT(m.colour, sp__wire_field_code("rotation"));
    CHECK_INT(read("{\"type\":\"show\",\"surfaces\":[\"interfaces\"],\"clip\":{\"point\":[1,2,3],\"normal\":[0,0,-4]}}"),
              SP_WIRE_GOOD);
    CHECK(m.given == (SP_GIVEN_SURFACES | SP_GIVEN_CLIP) && m.surfaces == SP_ROLE_INTERFACES);
    CHECK(m.clip.point[0] == 1 && m.clip.point[2] == 3 && m.clip.normal[0] == 0 && m.clip.normal[2] == -1);
    CHECK_INT(read("{\"type\":\"show\",\"clip\":null}"), SP_WIRE_GOOD);
    CHECK(m.given == SP_GIVEN_CLIP && m.clip.normal[2] == 0);
    CHECK_INT(read("{\"type\":\"set\",\"path\":\"k\",\"value\":\"0 1 2\"}"), SP_WIRE_GOOD);
    CHECK(strcmp(m.path, "k") == 0 && strcmp(m.text, "0 1 2") == 0);
    CHECK_INT(read("{\"type\":\"step\"}"), SP_WIRE_GOOD);
    CHECK_INT(m.count, 1);
}

#define POINT_A "\"a\":{\"body\":3,\"surface\":1,\"face\":4,\"weights\":[0,0.5,0.5]}"
#define POINT_B "\"b\":{\"body\":5,\"face\":6,\"weights\":[1,0,0]}"

TEST(fields_of_tools_arrive) {
    CHECK_INT(read("{\"type\":\"throw\",\"at\":[1,2,3],\"velocity\":[4,5,6],\"radius\":0.05}"), SP_WIRE_GOOD);
    CHECK(m.vector[1] == 2 && m.velocity[2] == 6 && m.radius == 0.05 && m.density == 1000);
    CHECK_INT(read("{\"type\":\"throw\",\"at\":[1,2,3],\"velocity\":[4,5,6],\"radius\":0.05,\"density\":300}"), SP_WIRE_GOOD);
    CHECK(m.density == 300);
    CHECK_INT(read("{\"type\":\"probe\",\"from\":[1,2,3],\"at\":[4,5,6],\"radius\":0.01}"), SP_WIRE_GOOD);
    CHECK(m.from[0] == 1 && m.vector[2] == 6);
    CHECK_INT(read("{\"type\":\"attach\"," POINT_A "," POINT_B ",\"stiffness\":30}"), SP_WIRE_GOOD);
    CHECK(m.given == (SP_GIVEN_A | SP_GIVEN_B) && m.stiffness == 30);
    CHECK(m.point.body == 3 && m.point.surface == 1 && m.point.face == 4 && m.point.weights[1] == 0.5);
    CHECK(m.other.body == 5 && m.other.surface == 0 && m.other.face == 6 && m.other.weights[0] == 1);
    CHECK_INT(read("{\"type\":\"attach\"," POINT_A ",\"to\":[7,8,9]}"), SP_WIRE_GOOD);
    CHECK(m.given == (SP_GIVEN_A | SP_GIVEN_TO) && m.vector[0] == 7 && m.stiffness == 0);
}

TEST(malformed_messages) {
    const char *const texts[] = {"",
                                 "{",
                                 "[]",
                                 "7",
                                 "{}",
                                 "{\"type\":7}",
                                 "{\"type\":\"fly\"}",
                                 "{\"type\":\"play\"} x",
                                 "{\"type\":\"play\",\"id\":-1}",
                                 "{\"type\":\"play\",\"id\":1.5}",
                                 "{\"type\":\"play\",\"id\":\"1\"}",
                                 "{\"type\":\"control\"}",
                                 "{\"type\":\"control\",\"action\":\"steal\"}",
                                 "{\"type\":\"dt\"}",
                                 "{\"type\":\"dt\",\"value\":\"0.01\"}",
                                 "{\"type\":\"gravity\",\"value\":[0,1]}",
                                 "{\"type\":\"gravity\",\"value\":[0,1,\"2\"]}",
                                 "{\"type\":\"drag\"}",
                                 "{\"type\":\"drag\",\"target\":[1,2,3],\"face\":1}",
                                 "{\"type\":\"show\",\"surfaces\":\"visual\"}",
                                 "{\"type\":\"show\",\"surfaces\":[\"hidden\"]}",
                                 "{\"type\":\"show\",\"marks\":1}",
                                 "{\"type\":\"pin\",\"body\":1,\"node\":1.5}",
                                 "{\"type\":\"param\",\"path\":7,\"value\":1}",
                                 "{\"type\":\"throw\",\"at\":[0,0,0],\"radius\":1}",
                                 "{\"type\":\"throw\",\"at\":[0,0,0],\"velocity\":3,\"radius\":1}",
                                 "{\"type\":\"probe\",\"at\":[0,0,0],\"radius\":1}",
                                 "{\"type\":\"remove\"}",
                                 "{\"type\":\"attach\"}",
                                 "{\"type\":\"attach\"," POINT_A "}",
                                 "{\"type\":\"attach\"," POINT_A "," POINT_B ",\"to\":[0,0,0]}",
                                 "{\"type\":\"attach\",\"a\":3," POINT_B "}",
                                 "{\"type\":\"attach\",\"a\":{\"body\":3},\"to\":[0,0,0]}",
                                 "{\"type\":\"attach\",\"name\":\"x\",\"to\":[0,0,0]}",
                                 "{\"type\":\"detach\"}"};
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        if (read(texts[i]) != SP_WIRE_MALFORMED) SP_TEST_FAILED("taken: %s", texts[i]);
        CHECK(why[0] != 0);
    }
}

TEST(values_out_of_range_are_refused) {
    const char *const texts[] = {"{\"type\":\"throw\",\"id\":9,\"at\":[0,0,0],\"velocity\":[0,0,0],\"radius\":0}",
                                 "{\"type\":\"throw\",\"id\":9,\"at\":[0,0,0],\"velocity\":[1e9,0,0],\"radius\":1}",
                                 "{\"type\":\"throw\",\"id\":9,\"at\":[0,0,0],\"velocity\":[0,0,0],\"radius\":1,\"density\":0}",
                                 "{\"type\":\"probe\",\"id\":9,\"from\":[0,1e10,0],\"at\":[0,0,0],\"radius\":1}",
                                 "{\"type\":\"remove\",\"id\":9,\"body\":0}",
                                 "{\"type\":\"attach\",\"id\":9,\"name\":\"\"}",
                                 "{\"type\":\"attach\",\"id\":9," POINT_A "," POINT_B ",\"stiffness\":-1}",
                                 "{\"type\":\"attach\",\"id\":9," POINT_B ",\"a\":{\"body\":1,\"face\":1,\"weights\":[0,0,0]}}",
                                 "{\"type\":\"speed\",\"id\":9,\"value\":11}",
                                 "{\"type\":\"speed\",\"id\":9,\"value\":0.01}",
                                 "{\"type\":\"dt\",\"id\":9,\"value\":0}",
                                 "{\"type\":\"gravity\",\"id\":9,\"value\":[0,1e9,0]}",
                                 "{\"type\":\"step\",\"id\":9,\"count\":1001}",
                                 "{\"type\":\"threads\",\"id\":9,\"value\":65}",
                                 "{\"type\":\"drag\",\"id\":9,\"slot\":16,\"target\":[0,0,0]}",
                                 "{\"type\":\"drag\",\"id\":9,\"target\":[0,0,1e300]}",
                                 "{\"type\":\"drag\",\"id\":9,\"body\":0,\"face\":1,\"weights\":[1,0,0],\"target\":[0,0,0]}",
                                 "{\"type\":\"drag\",\"id\":9,\"body\":1,\"face\":1,\"weights\":[0,0,0],\"target\":[0,0,0]}",
                                 "{\"type\":\"drag\",\"id\":9,\"body\":1,\"face\":1e10,\"weights\":[1,0,0],\"target\":[0,0,0]}",
                                 "{\"type\":\"show\",\"id\":9,\"colour\":\"taste\"}",
                                 "{\"type\":\"show\",\"id\":9,\"clip\":{\"point\":[0,0,0],\"normal\":[0,0,0]}}",
                                 "{\"type\":\"show\",\"id\":9,\"clip\":{\"point\":[0,2e9,0],\"normal\":[0,0,1]}}",
                                 "{\"type\":\"param\",\"id\":9,\"path\":\"\",\"value\":1}"};
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        if (read(texts[i]) != SP_WIRE_REFUSED) SP_TEST_FAILED("not refused: %s: %s", texts[i], why);
        CHECK(why[0] != 0 && m.id == 9);
    }
    // errors that close the connection take precedence over refusals, in any order
    CHECK_INT(read("{\"type\":\"drag\",\"slot\":99,\"target\":1}"), SP_WIRE_MALFORMED);
}

TEST(long_messages_are_malformed) {
    static char text[SP_MESSAGE_MAX + 2];
    memset(text, ' ', sizeof text);
    memcpy(text, "{\"type\":\"play\"}", 15);
    CHECK_INT(sp__message_read(text, SP_MESSAGE_MAX, &m, why), SP_WIRE_GOOD);
    CHECK_INT(sp__message_read(text, SP_MESSAGE_MAX + 1, &m, why), SP_WIRE_MALFORMED);
    memset(text, '[', sizeof text);
    CHECK_INT(sp__message_read(text, SP_MESSAGE_MAX, &m, why), SP_WIRE_MALFORMED);
    // a zero byte does not end the text
    CHECK_INT(sp__message_read("{\"type\":\"play\"}\0", 16, &m, why), SP_WIRE_MALFORMED);
}

TEST(fields_have_codes) {
    sp_field_info f;
    for (int i = 1; i < SP_FIELD_CODES; i++) {
        REQUIRE(sp__wire_field(i, &f));
        CHECK_INT(sp__wire_field_code(f.name), i);
    }
    CHECK(!sp__wire_field(0, &f) && !sp__wire_field(SP_FIELD_CODES, &f) && sp__wire_field_code("taste") == -1);
}

// ---- layouts

// the example of docs/protocol.md
TEST(a_state_frame_has_the_documented_bytes) {
    static const unsigned char expected[] = {0x53, 0x50, 0x56, 0x31, 1,    0,    1,    0, 1, 0, 0, 0, 0x7c, 0, 0,    0,  // head
                                             0x19, 0,    0,    0,    0,    0,    0,    0, 0, 0, 0, 0, 0,    0, 0xe0, 0x3f, 0x33,
                                             0x22, 0x11, 0,    0xde, 0xc0, 0xa1, 0x5f,  // step, time, hash
                                             1,    0,    0,    0,    1,    0,    0,    0, 0, 0, 0, 0, 0,    0, 0,    0,    0,
                                             0,    0,    0,    0,    0,    0,    0,  // counts, range
                                             1,    0,    0,    0,    0,    0,    0,    0, 0, 0, 0, 0, 3,    0, 0,    0,    0,
                                             0,    0,    0,    0,    0,    0,    0};  // a surface
    const float x[9] = {0, 0, 0, 1, 0, 0, 0, 1, 0};
    sp_frame_state s = {.generation = 1, .step = 25, .time = 0.5, .hash = 0x5fa1c0de00112233u, .flags = SP_STATE_ALL};
    sp_frame_surface f = {.body = 1, .vertex_count = 3, .positions = x};
    sp_buffer b = {0};
    size_t at = sp__frame_begin(&b, &s);
    sp__frame_surface(&b, &f);
    s.surface_count = 1;
    sp__frame_end(&b, at, &s);
    CHECK_INT(b.size, 124);
    REQUIRE(b.size == 124 && !b.broken);
    CHECK(memcmp(b.data, expected, sizeof expected) == 0);
    CHECK(memcmp(b.data + sizeof expected, x, sizeof x) == 0);
    sp__buffer_free(NULL, &b);
}

static uint32_t word(const sp_buffer *b, size_t at);

TEST(sections_follow_the_surfaces) {
    float x[9] = {0, 0, 0, 1, 0, 0, 0, 1, 0}, values[3] = {5, 6, 7};
    uint32_t regions[3] = {0, 2, 2}, faces[3] = {0, 1, 2};
    const sp_clip_plane plane = {{0.5, 0, 0}, {0, 0, 1}};
    sp_frame_section s = {
        .body = 4, .vertex_count = 3, .face_count = 1, .positions = x, .values = values, .regions = regions, .faces = faces};
    for (int coloured = 0; coloured < 2; coloured++) {
        sp_buffer b = {0};
        sp_frame_state head = {.generation = 1, .flags = SP_STATE_SECTIONS};
        size_t at = sp__frame_begin(&b, &head);
        sp__frame_sections(&b, &plane, &s, 1, coloured == 1);
        sp__frame_end(&b, at, &head);
        REQUIRE(!b.broken && b.size == 64 + 32 + 16 + 60 + (coloured ? 12 : 0));
        float f;
        memcpy(&f, b.data + 64, 4);
        CHECK(f == 0.5f && word(&b, 44) == SP_STATE_SECTIONS && word(&b, 12) == b.size);
        memcpy(&f, b.data + 84, 4);
        CHECK(f == 1 && word(&b, 88) == 1 && word(&b, 92) == 0);  // one section
        CHECK(word(&b, 96) == 4 && word(&b, 100) == 3 && word(&b, 104) == 1 && (int)word(&b, 108) == coloured);
        CHECK(memcmp(b.data + 112, x, sizeof x) == 0 && word(&b, 152) == 2 && word(&b, 168) == 2);
        memcpy(&f, b.data + b.size - 4, 4);
        if (coloured) CHECK(f == 7);
        sp__buffer_free(NULL, &b);
    }
}

TEST(contacts_are_the_last_block_of_a_state) {
    const sp_contact_point two[2] = {
        {.bodies = {{1, 1}, {2, 1}}, .point = {1, 2, 3}, .normal = {0, 1, 0}, .force = {3, 4, 5}, .gap = -0.5, .pressure = 8},
        {.bodies = {{1, 1}, {7, 1}}, .point = {4, 5, 6}, .normal = {1, 0, 0}, .force = {6, 0, 0}, .gap = 0.25, .pressure = 9}};
    static const float rest[] = {1, 2, 3, 4, 5, 6, 0, 1, 0, 1, 0, 0, 3, 4, 5, 6, 0, 0, -0.5f, 0.25f, 8, 9};
    sp_buffer b = {0};
    sp_frame_state head = {.generation = 1, .flags = SP_STATE_CONTACTS};
    size_t at = sp__frame_begin(&b, &head);
    sp__frame_contacts(&b, two, 2);
    sp__frame_end(&b, at, &head);
    REQUIRE(!b.broken && b.size == 64 + 8 + 2 * 52);
    CHECK(word(&b, 44) == SP_STATE_CONTACTS && word(&b, 12) == b.size && word(&b, 64) == 2 && word(&b, 68) == 0);
    CHECK(word(&b, 72) == 1 && word(&b, 76) == 2 && word(&b, 80) == 1 && word(&b, 84) == 7);
    for (size_t i = 0; i < sizeof rest / sizeof *rest; i++) {
        float f;
        memcpy(&f, b.data + 88 + 4 * i, 4);
        CHECK(f == rest[i]);
    }
    sp__buffer_free(NULL, &b);
    CHECK(read("{\"type\":\"show\",\"contacts\":true}") == SP_WIRE_GOOD && m.given == SP_GIVEN_CONTACTS && m.contacts);
    CHECK(read("{\"type\":\"show\",\"contacts\":1}") == SP_WIRE_MALFORMED);
}

static uint32_t word(const sp_buffer *b, size_t at) {
    const unsigned char *c = (const unsigned char *)b->data + at;
    return c[0] | (uint32_t)c[1] << 8 | (uint32_t)c[2] << 16 | (uint32_t)c[3] << 24;
}

TEST(a_topology_frame_contains_everything) {
    const uint32_t faces[6] = {0, 1, 2, 2, 1, 3};
    const int nodes[4] = {7, 8, 9, 10};
    const float colours[16] = {0.5f};
    const unsigned char stripes[2] = {1, 0};
    sp_frame_topology t = {.generation = 3,
                           .body = 2,
                           .surface = 1,
                           .revision = 9,
                           .vertex_count = 4,
                           .face_count = 2,
                           .faces = faces,
                           .nodes = nodes,
                           .colours = colours,
                           .stripes = stripes};
    sp_buffer b = {0};
    sp__buffer_print(NULL, &b, "before");  // frames may have any alignment
    sp__frame_topology(&b, &t);
    REQUIRE(!b.broken && b.size == 6 + 40 + 24 + 16 + 64 + 4);
    CHECK(memcmp(b.data + 6, "SPV1", 4) == 0);
    CHECK_INT(b.data[6 + 4], SP_FRAME_TOPOLOGY);
    const uint32_t head[] = {3, 148, 2, 1, 9, 4, 2, 7};
    for (size_t i = 0; i < 8; i++) CHECK_INT(word(&b, 6 + 8 + 4 * i), head[i]);
    CHECK_INT(word(&b, 6 + 40 + 20), 3);
    CHECK_INT(word(&b, 6 + 40 + 24), 7);
    CHECK_INT(b.data[6 + 40 + 24 + 16 + 64], 1);
    sp__buffer_free(NULL, &b);
    // without the optional parts
    t.nodes = NULL, t.colours = NULL, t.stripes = NULL;
    sp__frame_topology(&b, &t);
    CHECK_INT(b.size, 64);
    CHECK_INT(word(&b, 36), 0);
    sp__buffer_free(NULL, &b);
}

TEST(values_follow_positions) {
    const float x[3] = {1, 2, 3}, value = 5;
    sp_frame_surface f = {.body = 4, .surface = 2, .revision = 6, .vertex_count = 1, .positions = x, .values = &value};
    sp_buffer b = {0};
    sp__frame_surface(&b, &f);
    REQUIRE(b.size == 24 + 12 + 4);
    CHECK_INT(word(&b, 0), 4);
    CHECK_INT(word(&b, 16), SP_STATE_FIELD);
    CHECK_INT(word(&b, 36), 0x40a00000);
    sp__buffer_free(NULL, &b);
}

// ---- frames of clients

// events of a stream that comes in pieces of `piece` bytes, as one number
static uint64_t events_of(const unsigned char *data, size_t size, size_t piece, int *count) {
    static sp_ws_reader r;
    uint64_t sum = 7;
    memset(&r, 0, sizeof r);
    *count = 0;
    while (size > 0) {
        size_t n = piece < size ? piece : size;
        // an exact copy, so that a sanitizer detects a read past its end
        unsigned char *part = malloc(n);
        const unsigned char *at = part;
        if (!part) return 0;
        memcpy(part, data, n);
        data += n, size -= n;
        sp_ws_event event;
        do {
            event = sp__ws_read(&r, &at, &n);
            CHECK(r.text_size <= sizeof r.text && r.control_size <= sizeof r.control);
            if (event == SP_WS_MORE) CHECK_INT(n, 0);
            if (event != SP_WS_MORE) ++*count, sum = sum * 31 + (uint64_t)event;
            for (size_t i = 0; event == SP_WS_TEXT && i < r.text_size; i++) sum = sum * 31 + (unsigned char)r.text[i];
            for (size_t i = 0; event == SP_WS_PING && i < r.control_size; i++) sum = sum * 31 + r.control[i];
        } while (event != SP_WS_MORE && event != SP_WS_FAILED && event != SP_WS_CLOSE);
        free(part);
        if (event != SP_WS_MORE) return sum * 31 + (uint64_t)r.code;
    }
    return sum;
}

static uint64_t next_random(uint64_t *state) {
    *state = *state * 6364136223846793005u + 1442695040888963407u;
    return *state >> 33;
}

// frames that are mostly valid, one after the other
static size_t random_frames(uint64_t *seed, unsigned char *out, size_t capacity) {
    size_t n = 0;
    bool open = false;
    while (n + 400 < capacity) {
        bool control = next_random(seed) % 4 == 0, final = control || next_random(seed) % 3 != 0;
        size_t size = next_random(seed) % (control ? 126 : 300);
        out[n++] = (unsigned char)((final ? 128 : 0) | (control ? 9 + next_random(seed) % 2 : open ? 0 : 1));
        if (size < 126) out[n++] = (unsigned char)(128 | size);
        if (size >= 126) out[n++] = 128 | 126, out[n++] = (unsigned char)(size >> 8), out[n++] = (unsigned char)size;
        for (int i = 0; i < 4; i++) out[n++] = (unsigned char)next_random(seed);
        for (size_t i = 0; i < size; i++, n++) out[n] = (unsigned char)(next_random(seed) % 96 + 32) ^ out[n - i - 4 + i % 4];
        if (!control) open = !final;
        if (next_random(seed) % 40 == 0) out[next_random(seed) % n] ^= (unsigned char)(1 << next_random(seed) % 8);
    }
    return n;
}

TEST(frames_are_independent_of_their_fragmentation) {
    static unsigned char data[6000];
    uint64_t seed = 1;
    int whole_streams = 0, events = 0, again = 0;
    for (int run = 0; run < 2000; run++) {
        size_t size = random_frames(&seed, data, sizeof data);
        uint64_t whole = events_of(data, size, size, &events);
        CHECK(events_of(data, size, 1 + next_random(&seed) % 20, &again) == whole);
        CHECK_INT(again, events);
        whole_streams += events > 5;
    }
    CHECK(whole_streams > 1000);  // most are not cut off by an invalid frame
}
