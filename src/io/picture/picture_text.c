// Antialiased text of any size from a stroke font: 95 glyphs and a few symbols.
//
// A glyph is a list of strokes; a stroke is a list of points, two characters each: x then y in hexadecimal. Baseline y = 3, lower
// case up to 9, capitals 12, descenders 0. A stroke that begins with ~ is a smooth curve through its points (Catmull and Rom
// 1974), closed if it ends at its first point.
#include "io/picture/picture.h"

static const char *const glyphs[95] = {
    "",                                       // space
    "1c16 1313",                              // !
    "0c0a 2c2a",                              // "
    "2c13 5c43 0969 0666",                    // #
    "~6a4c2c0a185765432305 3d32",             // $
    "~0b1c2b2a190a0b 6c03 ~45566564534445",   // %
    "~63191b2c4b4a0604234366",                // &
    "0c0a",                                   // '
    "~2d0a0522",                              // (
    "~0d2a2502",                              // )
    "3c36 0a68 086a",                         // *
    "3933 0666",                              // +
    "1301",                                   // ,
    "0747",                                   // -
    "0303",                                   // .
    "5c03",                                   // /
    "~3c1b090614335466695b3c",                // 0
    "0a3c33",                                 // 1
    "~0a1c4c6a5803 0363",                     // 2
    "~0b2c4c6a5938 ~385765432304",            // 3
    "5c0666 5c53",                            // 4
    "6c1c08 ~0829496765432304",               // 5
    "~5c2a070523436566482806",                // 6
    "0c6c23",                                 // 7
    "~3c1b1938595b3c ~381705143354655738",    // 8
    "~1345686a4c2c0a09274769",                // 9
    "0808 0404",                              // :
    "1818 1301",                              // ;
    "5a0754",                                 // <
    "0858 0555",                              // =
    "0a5704",                                 // >
    "~0a1c4c5a3836 3333",                     // ?
    "~543314071b3c5b68564649 ~483928273647",  // @
    "033c63 1656",                            // A
    "33030c3c ~3c5b5938 3808 ~38676433",      // B
    "~6a4c2c0906234365",                      // C
    "23030c2c ~2c5b69665423",                 // D
    "5c0c0353 0848",                          // E
    "5c0c03 0848",                            // F
    "~6a4c2c0906234365 656747",               // G
    "0c03 6c63 0868",                         // H
    "0c03",                                   // I
    "4c46 ~46331305",                         // J
    "0c03 5c06 2853",                         // K
    "0c0353",                                 // L
    "030c376c63",                             // M
    "030c636c",                               // N
    "~2c0906235376795c2c",                    // O
    "030c3c ~3c6b6837 3707",                  // P
    "~2c0906235376795c2c 4672",               // Q
    "030c3c ~3c6b6837 3707 3763",             // R
    "~6a4c2c0a185765432305",                  // S
    "0c6c 3c33",                              // T
    "0c06 ~0614335466 666c",                  // U
    "0c336c",                                 // V
    "0c234c638c",                             // W
    "0c63 036c",                              // X
    "0c386c 3833",                            // Y
    "0c6c0363",                               // Z
    "2d0d0222",                               // [
    "0c53",                                   // backslash
    "0d2d2202",                               // ]
    "092c49",                                 // ^
    "0262",                                   // _
    "0c2a",                                   // `
    "5953 ~5739290705233355",                 // a
    "0c03 ~0729395755332305",                 // b
    "~5839290705233354",                      // c
    "5c53 ~5739290705233355",                 // d
    "0656 ~565739290705233354",               // e
    "~4c2c1a19 1913 0939",                    // f
    "5952 ~52402001 ~5739290705233355",       // g
    "0c03 ~07293957 5753",                    // h
    "0903 0c0c",                              // i
    "2922 ~221000 2c2c",                      // j
    "0c03 4905 2753",                         // k
    "0c03",                                   // l
    "0903 ~07293947 4743 ~47697987 8783",     // m
    "0903 ~07293957 5753",                    // n
    "~290705233355573929",                    // o
    "0900 ~0729395755332305",                 // p
    "5950 ~5739290705233355",                 // q
    "0903 ~072939",                           // r
    "~58392908164654332304",                  // s
    "1c15 ~152343 0939",                      // t
    "0905 ~05233355 5953",                    // u
    "092349",                                 // v
    "0923496389",                             // w
    "0953 0359",                              // x
    "0923 4910",                              // y
    "09590353",                               // z
    "3d1c1807161332",                         // {
    "0d02",                                   // |
    "0d2c2837262302",                         // }
    "~061828465668",                          // ~
};
static const char *const micro = "0900 ~05233355 5953", *const degree = "~1c0b1a2b1c", *const unknown = "030c5c5303";

enum { POINTS_MAX = 256 };

// a glyph as polylines
typedef struct sp_pen {
    double p[POINTS_MAX][2];
    bool lifted[POINTS_MAX];  // no line from the previous point
    int n;
    double right;
} sp_pen;

// the next character of UTF-8 text; an invalid sequence gives the unknown symbol and skips one byte
static unsigned next_code(const char **text) {
    const unsigned char *s = (const unsigned char *)*text;
    int more = s[0] < 0x80 ? 0 : (s[0] & 0xe0) == 0xc0 ? 1 : (s[0] & 0xf0) == 0xe0 ? 2 : (s[0] & 0xf8) == 0xf0 ? 3 : -1;
    unsigned code = more == 0 ? s[0] : more > 0 ? s[0] & (0x3fu >> more) : 0xfffd;
    *text += 1;
    for (int i = 1; i <= more; i++) {
        if ((s[i] & 0xc0) != 0x80) return 0xfffd;
        code = code << 6 | (s[i] & 0x3fu);
    }
    if (more > 0) *text += more;
    return code;
}

static const char *strokes_of(unsigned code) {
    if (code >= 32 && code < 127) return glyphs[code - 32];
    return code == 0xb5 || code == 0x3bc ? micro : code == 0xb0 ? degree : unknown;
}

static double digit(char c) {
    return c <= '9' ? c - '0' : c - 'a' + 10;
}

static void pen_to(sp_pen *pen, double x, double y, bool lifted) {
    if (pen->n >= POINTS_MAX) return;
    pen->p[pen->n][0] = x, pen->p[pen->n][1] = y;
    pen->lifted[pen->n++] = lifted;
    pen->right = fmax(pen->right, x);
}

// between points b and c of a curve with neighbours a and d
static void pen_curve(sp_pen *pen, const double *a, const double *b, const double *c, const double *d) {
    for (int k = 1; k <= 4; k++) {
        double t = 0.25 * k, out[2];
        for (int i = 0; i < 2; i++)
            out[i] =
                0.5 * (2 * b[i] +
                       t * (c[i] - a[i] + t * (2 * a[i] - 5 * b[i] + 4 * c[i] - d[i] + t * (3 * b[i] - a[i] - 3 * c[i] + d[i]))));
        pen_to(pen, out[0], out[1], false);
    }
}

static void pen_stroke(sp_pen *pen, const char *s, int length) {
    double p[32][2];
    bool curve = s[0] == '~';
    int n = 0;
    for (int i = curve; i + 1 < length && n < 32; i += 2, n++) p[n][0] = digit(s[i]), p[n][1] = digit(s[i + 1]);
    if (n == 0) return;
    bool closed = curve && n > 2 && p[0][0] == p[n - 1][0] && p[0][1] == p[n - 1][1];
    pen_to(pen, p[0][0], p[0][1], true);
    for (int i = 1; i < n; i++) {
        if (curve)
            pen_curve(pen,
                      i > 1    ? p[i - 2]
                      : closed ? p[n - 2]
                               : p[0],
                      p[i - 1], p[i],
                      i + 1 < n ? p[i + 1]
                      : closed  ? p[1]
                                : p[n - 1]);
        else
            pen_to(pen, p[i][0], p[i][1], false);
    }
}

static void pen_glyph(sp_pen *pen, unsigned code) {
    const char *s = strokes_of(code);
    pen->n = 0, pen->right = code == ' ' ? 1 : 0;
    while (*s) {
        int length = (int)strcspn(s, " ");
        pen_stroke(pen, s, length);
        s += length + (s[length] == ' ');
    }
}

static double segment_distance(const double *a, const double *b, double x, double y) {
    double dx = b[0] - a[0], dy = b[1] - a[1], len = dx * dx + dy * dy;
    double t = len > 0 ? ((x - a[0]) * dx + (y - a[1]) * dy) / len : 0;
    t = t < 0 ? 0 : t > 1 ? 1 : t;
    return hypot(x - a[0] - t * dx, y - a[1] - t * dy);
}

static double pen_distance(const sp_pen *pen, double x, double y) {
    double least = INFINITY;
    for (int i = 0; i < pen->n; i++) least = fmin(least, segment_distance(pen->p[pen->lifted[i] ? i : i - 1], pen->p[i], x, y));
    return least;
}

// unit: pixels per unit of the glyph grid
static void draw_glyph(unsigned char *rgb, int width, int height, double x, double y, double unit, const sp_pen *pen,
                       const double ink[3]) {
    double half = fmax(0.55, 0.62 * unit), right = x + pen->right * unit + 2;
    int x0 = (int)fmax(0, x - 2), x1 = (int)fmin(width, right + 1);
    int y0 = (int)fmax(0, y - 11 * unit - 2), y1 = (int)fmin(height, y + 4 * unit + 2);
    for (int py = y0; py < y1; py++)
        for (int px = x0; px < x1; px++) {
            double gx = (px + 0.5 - x) / unit, gy = 3 + (y - py - 0.5) / unit;
            double cover = half + 0.5 - pen_distance(pen, gx, gy) * unit;
            cover = cover < 0 ? 0 : cover > 1 ? 1 : cover;
            unsigned char *out = rgb + 3 * ((size_t)py * (size_t)width + (size_t)px);
            for (int i = 0; i < 3 && cover > 0; i++) out[i] = (unsigned char)(out[i] * (1 - cover) + 255 * ink[i] * cover + 0.5);
        }
}

void sp__text_draw(unsigned char *rgb, int width, int height, double x, double y, double size, const char *text,
                   const double ink[3]) {
    double unit = size / 9;
    sp_pen pen = {.n = 0};
    while (*text) {
        pen_glyph(&pen, next_code(&text));
        draw_glyph(rgb, width, height, x, y, unit, &pen, ink);
        x += (pen.right + 3) * unit;
    }
}

double sp__text_width(const char *text, double size) {
    double sum = 0;
    sp_pen pen = {.n = 0};
    while (*text) {
        pen_glyph(&pen, next_code(&text));
        sum += pen.right + 3;
    }
    return fmax(0, sum - 3) * size / 9;
}
