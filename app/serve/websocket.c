// See websocket.h.
#include "serve/websocket.h"

#include <string.h>

enum { OP_CONTINUE = 0, OP_TEXT = 1, OP_BINARY = 2, OP_CLOSE = 8, OP_PING = 9, OP_PONG = 10 };

static sp_ws_event ws_fail(sp_ws_reader *r, int code, const char *why) {
    r->code = code, r->why = why;
    return SP_WS_FAILED;
}

// RFC 3629: no overlong encodings, no surrogates, nothing above U+10FFFF
static bool is_utf8(const unsigned char *at, size_t size) {
    const unsigned char *end = at + size;
    while (at < end) {
        unsigned char c = *at++;
        if (c < 0x80) continue;
        int more = c >= 0xf0 ? 3 : c >= 0xe0 ? 2 : 1;
        if (c < 0xc2 || c > 0xf4 || end - at < more) return false;
        unsigned char low = c == 0xe0 ? 0xa0 : c == 0xf0 ? 0x90 : 0x80, high = c == 0xed ? 0x9f : c == 0xf4 ? 0x8f : 0xbf;
        if (*at < low || *at > high) return false;
        for (int i = 1; i < more; i++)
            if ((at[i] & 0xc0) != 0x80) return false;
        at += more;
    }
    return true;
}

// ---------------------------------------------------------------------------------------------------- headers

static int ws_opcode(const sp_ws_reader *r) {
    return r->head[0] & 15;
}

static bool ws_is_final(const sp_ws_reader *r) {
    return (r->head[0] & 128) != 0;
}

// size of the header as far as it is known
static int ws_head_need(const sp_ws_reader *r) {
    int length = r->head_size < 2 ? 0 : r->head[1] & 127;
    return r->head_size < 2 ? 2 : 6 + (length == 126 ? 2 : length == 127 ? 8 : 0);
}

// checks the first two bytes of a frame; NULL: valid
static const char *ws_head_wrong(const sp_ws_reader *r) {
    int opcode = ws_opcode(r), length = r->head[1] & 127;
    bool control = opcode >= OP_CLOSE, continues = opcode == OP_CONTINUE;
    if (r->head[0] & 0x70) return "reserved bits are set";
    if (opcode > OP_PONG || (opcode > OP_BINARY && opcode < OP_CLOSE)) return "an unknown opcode";
    if (!(r->head[1] & 128)) return "a frame without a mask";
    if (control && !ws_is_final(r)) return "a control frame in fragments";
    if (control && length > SP_WS_CONTROL_MAX) return "a control frame of more than 125 bytes";
    if (opcode == OP_CLOSE && length == 1) return "a close frame of one byte";
    if (continues && !r->fragmented) return "a continuation without a message";
    if (!control && !continues && r->fragmented) return "a message within another";
    return NULL;
}

// the header is complete
static sp_ws_event ws_begin(sp_ws_reader *r) {
    int length = r->head[1] & 127, bytes = length == 126 ? 2 : length == 127 ? 8 : 0, opcode = ws_opcode(r);
    r->frames++;
    r->size = bytes ? 0 : (uint64_t)length;
    r->taken = 0;
    for (int i = 0; i < bytes; i++) r->size = r->size << 8 | r->head[2 + i];
    if (r->size >> 63) return ws_fail(r, SP_CLOSE_PROTOCOL, "a length beyond 63 bits");
    if ((bytes == 2 && r->size < 126) || (bytes == 8 && r->size < 65536))
        return ws_fail(r, SP_CLOSE_PROTOCOL, "a length with more bytes than it needs");
    if (opcode == OP_BINARY) return ws_fail(r, SP_CLOSE_BINARY, "clients send text");
    if (opcode >= OP_CLOSE) {
        r->control_size = (size_t)r->size;
        return SP_WS_MORE;
    }
    if (opcode == OP_TEXT) r->text_size = 0;
    if (r->size > sizeof r->text - r->text_size) return ws_fail(r, SP_CLOSE_LARGE, "a message of more than 4096 bytes");
    r->fragmented = !ws_is_final(r);
    return SP_WS_MORE;
}

// ---------------------------------------------------------------------------------------------------- payloads

static sp_ws_event ws_take_close(sp_ws_reader *r) {
    if (r->control_size == 0) return r->code = SP_CLOSE_NORMAL, SP_WS_CLOSE;
    int code = r->control[0] << 8 | r->control[1];
    bool reserved = code < 1000 || (code >= 1004 && code <= 1006) || (code >= 1015 && code < 3000) || code >= 5000;
    if (reserved) return ws_fail(r, SP_CLOSE_PROTOCOL, "a close code that is reserved");
    if (!is_utf8(r->control + 2, r->control_size - 2)) return ws_fail(r, SP_CLOSE_UTF8, "not UTF-8");
    r->code = code;
    return SP_WS_CLOSE;
}

// a frame is complete
static sp_ws_event ws_take_frame(sp_ws_reader *r) {
    r->head_size = 0;
    switch (ws_opcode(r)) {
    case OP_PING: return SP_WS_PING;
    case OP_PONG: return SP_WS_PONG;
    case OP_CLOSE: return ws_take_close(r);
    default: break;
    }
    if (r->fragmented) return SP_WS_MORE;
    return is_utf8((const unsigned char *)r->text, r->text_size) ? SP_WS_TEXT : ws_fail(r, SP_CLOSE_UTF8, "not UTF-8");
}

static void ws_unmask(sp_ws_reader *r, const unsigned char *data, size_t size) {
    const unsigned char *mask = r->head + r->head_size - 4;
    bool control = ws_opcode(r) >= OP_CLOSE;
    unsigned char *to = control ? r->control + r->taken : (unsigned char *)r->text + r->text_size;
    for (size_t i = 0; i < size; i++) to[i] = data[i] ^ mask[(r->taken + i) % 4];
    r->taken += size;
    if (!control) r->text_size += size;
}

sp_ws_event sp__ws_read(sp_ws_reader *r, const unsigned char **data, size_t *size) {
    for (;;) {
        if (r->code) return SP_WS_FAILED;
        bool begins = r->head_size < ws_head_need(r);
        while (*size > 0 && r->head_size < ws_head_need(r)) {
            r->head[r->head_size++] = **data;
            ++*data, --*size;
            const char *wrong = r->head_size == 2 ? ws_head_wrong(r) : NULL;
            if (wrong) return ws_fail(r, SP_CLOSE_PROTOCOL, wrong);
        }
        if (r->head_size < ws_head_need(r)) return SP_WS_MORE;
        if (begins && ws_begin(r) == SP_WS_FAILED) return SP_WS_FAILED;
        size_t part = r->size - r->taken < *size ? (size_t)(r->size - r->taken) : *size;
        ws_unmask(r, *data, part);
        *data += part, *size -= part;
        if (r->taken < r->size) return SP_WS_MORE;
        sp_ws_event event = ws_take_frame(r);
        if (event != SP_WS_MORE) return event;
    }
}
