// Base64 encoder and decoder. The decoder works on four characters at a time.
#include "util/base64.h"

static const char letters[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

size_t sp__base64_length(size_t n) {
    return (n + 2) / 3 * 4;
}

void sp__base64_encode(const void *bytes, size_t n, char *out) {
    const unsigned char *in = bytes;
    for (; n >= 3; n -= 3, in += 3, out += 4) {
        unsigned word = (unsigned)in[0] << 16 | (unsigned)in[1] << 8 | in[2];
        out[0] = letters[word >> 18], out[1] = letters[word >> 12 & 63];
        out[2] = letters[word >> 6 & 63], out[3] = letters[word & 63];
    }
    if (!n) return;
    unsigned word = (unsigned)in[0] << 16 | (n == 2 ? (unsigned)in[1] << 8 : 0);
    out[0] = letters[word >> 18], out[1] = letters[word >> 12 & 63];
    out[2] = n == 2 ? letters[word >> 6 & 63] : '=';
    out[3] = '=';
}

enum { PAD = 64, SPACE, BAD };

static unsigned char value_of(unsigned char c) {
    if (c >= 'A' && c <= 'Z') return (unsigned char)(c - 'A');
    if (c >= 'a' && c <= 'z') return (unsigned char)(c - 'a' + 26);
    if (c >= '0' && c <= '9') return (unsigned char)(c - '0' + 52);
    if (c == '+') return 62;
    if (c == '/') return 63;
    if (c == '=') return PAD;
    return c == ' ' || c == '\n' || c == '\r' || c == '\t' ? SPACE : BAD;
}

// reads the next four characters, white space skipped, with up to two pads at the end; false: end of text or an invalid character
static bool next_four(const unsigned char *table, const char *text, size_t n, size_t *at, unsigned char four[4]) {
    for (int k = 0; k < 4;) {
        if (*at >= n) return false;
        unsigned char v = table[(unsigned char)text[*at]];
        if (v == BAD || (v == PAD && k < 2) || (v < PAD && k == 3 && four[2] == PAD)) return false;
        ++*at;
        if (v != SPACE) four[k++] = v;
    }
    return true;
}

size_t sp__base64_decode(const char *text, size_t n, void *out, size_t want, size_t *bad) {
    unsigned char table[256], four[4], *to = out;
    size_t at = 0, made = 0;
    for (int c = 0; c < 256; c++) table[c] = value_of((unsigned char)c);
    while (made < want) {
        // fast path: four characters without white space or padding
        while (want - made >= 3 && n - at >= 4) {
            const unsigned char *c = (const unsigned char *)text + at;
            unsigned char a = table[c[0]], b = table[c[1]], d = table[c[2]], e = table[c[3]];
            if ((a | b | d | e) > 63) break;
            unsigned word = (unsigned)a << 18 | (unsigned)b << 12 | (unsigned)d << 6 | e;
            to[made] = (unsigned char)(word >> 16), to[made + 1] = (unsigned char)(word >> 8), to[made + 2] = (unsigned char)word;
            at += 4, made += 3;
        }
        if (made == want) break;
        if (!next_four(table, text, n, &at, four)) {
            if (bad) *bad = at;
            return 0;
        }
        unsigned word = (unsigned)four[0] << 18 | (unsigned)four[1] << 12 | (four[2] & 63u) << 6 | (four[3] & 63u);
        int bytes = four[2] == PAD ? 1 : four[3] == PAD ? 2 : 3;
        for (int k = 0; k < bytes && made < want; k++) to[made++] = (unsigned char)(word >> (16 - 8 * k));
    }
    return at;
}
