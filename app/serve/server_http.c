// HTTP: the connections that are not clients, the page, and files written by the simulation. Access: the page is public; other
// files need the token, or without a token a local host name.
#include <ctype.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

#include "serve/server_internal.h"

static const char bare_page[] =
    "<!doctype html><html lang=\"en\"><meta charset=\"utf-8\"><title>souple</title>"
    "<style>body{font:16px/1.5 system-ui,sans-serif;max-width:40em;margin:3em auto;padding:0 1em}</style>"
    "<h1>The simulation runs, its page is missing</h1>"
    "<p>This build of souple has no page. It is made with Node.js:</p><pre>tools/viewer.sh</pre>"
    "<p>and is then found by <code>souple view</code> in <code>viewer/dist</code>, in <code>share/souple/viewer</code> next to "
    "an "
    "installed program, or where <code>--page DIR</code> says.</p>"
    "<p>Other clients connect to <code>/ws</code>; <code>docs/protocol.md</code> describes the messages.</p></html>";

// of a page that only the pages of `frames` may show in a frame
static const char headers[] =
    "X-Content-Type-Options: nosniff\r\nReferrer-Policy: no-referrer\r\nCache-Control: no-cache\r\n"
    "Content-Security-Policy: default-src 'self'; connect-src 'self' ws: wss:; img-src 'self' data: blob:; style-src 'self' "
    "'unsafe-inline'; worker-src 'self' blob:; frame-ancestors %s\r\n";

static const char *type_of(const char *path) {
    static const char *const types[][2] = {{".html", "text/html; charset=utf-8"},
                                           {".js", "text/javascript; charset=utf-8"},
                                           {".css", "text/css; charset=utf-8"},
                                           {".json", "application/json"},
                                           {".svg", "image/svg+xml"},
                                           {".png", "image/png"},
                                           {".ico", "image/x-icon"},
                                           {".woff2", "font/woff2"},
                                           {".wasm", "application/wasm"},
                                           {".log", "text/plain; charset=utf-8"},
                                           {".xml", "application/xml"}};
    const char *suffix = strrchr(path, '.');
    for (size_t i = 0; suffix && i < sizeof types / sizeof *types; i++)
        if (strcmp(suffix, types[i][0]) == 0) return types[i][1];
    return "application/octet-stream";
}

static bool is_head(struct lws *wsi) {
    return lws_hdr_total_length(wsi, WSI_TOKEN_HEAD_URI) > 0;
}

// A text that is not in a file, of at most SP_HTTP_TEXT bytes; for HEAD only the headers. `allow`: the supported methods,
// nullable.
bool sp__server_send_text(struct lws *wsi, unsigned status, const char *type, const char *allow, const char *text, size_t size) {
    unsigned char head[LWS_PRE + 1024], body[LWS_PRE + SP_HTTP_TEXT], *at = head + LWS_PRE, *end = head + sizeof head - 1;
    if (size > sizeof body - LWS_PRE || lws_add_http_common_headers(wsi, status, type, size, &at, end)) return false;
    if (allow && lws_add_http_header_by_name(wsi, (const unsigned char *)"allow:", (const unsigned char *)allow,
                                             (int)strlen(allow), &at, end))
        return false;
    if (lws_finalize_write_http_header(wsi, head + LWS_PRE, &at, end)) return false;
    memcpy(body + LWS_PRE, text, size);
    return is_head(wsi) || lws_write(wsi, body + LWS_PRE, size, LWS_WRITE_HTTP_FINAL) >= 0;
}

static int send_page(struct lws *wsi, unsigned status, const char *type, const char *text) {
    return !sp__server_send_text(wsi, status, type, NULL, text, strlen(text)) || lws_http_transaction_completed(wsi) ? -1 : 0;
}

static const char plain[] = "text/plain; charset=utf-8";

static int answer(struct lws *wsi, unsigned status, const char *text) {
    return send_page(wsi, status, plain, text);
}

int sp__server_send_last(struct lws *wsi, unsigned status, const char *allow, const char *text) {
    sp__server_send_text(wsi, status, plain, allow, text, strlen(text));
    return -1;
}

// letters, digits, dots, hyphens, slashes; no parent folder, no hidden file
static bool is_plain(const char *path) {
    for (const char *c = path; *c; c++) {
        if (!isalnum((unsigned char)*c) && !strchr("._-/", *c)) return false;
        if (*c == '.' && (c == path || c[-1] == '/')) return false;
    }
    return strlen(path) < 256;
}

static int send_file(const sp_server *s, struct lws *wsi, const char *folder, const char *name) {
    char path[PATH_MAX], head[sizeof headers + SP_FRAMES_MAX];
    struct stat st;
    bool fits = folder && is_plain(name) && snprintf(path, sizeof path, "%s/%s", folder, name) < (int)sizeof path;
    snprintf(head, sizeof head, headers, s->def.frames ? s->def.frames : "'none'");
    if (!fits || stat(path, &st) != 0 || !S_ISREG(st.st_mode)) return answer(wsi, HTTP_STATUS_NOT_FOUND, "not here");
    int n = lws_serve_http_file(wsi, path, type_of(path), head, (int)strlen(head));
    return n < 0 ? -1 : n > 0 && lws_http_transaction_completed(wsi) ? -1 : 0;
}

// ---------------------------------------------------------------------------------------------------- access control

// comparison in constant time, so that the time does not reveal a partial match
static bool same_text(const char *a, const char *b) {
    size_t n = strlen(a), m = strlen(b);
    unsigned differs = n != m;
    for (size_t i = 0; i < n && m > 0; i++) differs |= (unsigned char)(a[i] ^ b[i % m]);
    return !differs;
}

static bool has_token(const sp_server *s, struct lws *wsi) {
    char text[256];
    if (!s->def.token) return true;
    const char *given = lws_get_urlarg_by_name(wsi, "token=", text, sizeof text);
    return given && same_text(s->def.token, given);
}

// "localhost:8765", "127.0.0.1", "[::1]:80"
static bool is_loopback(const char *host) {
    size_t n = host[0] == '[' ? strcspn(host, "]") + 1 : strcspn(host, ":");
    if (n == 9 && strncmp(host, "localhost", 9) == 0) return true;
    if (n == 5 && strncmp(host, "[::1]", 5) == 0) return true;
    return n > 4 && strncmp(host, "127.", 4) == 0 && strspn(host, "0123456789.") == n;
}

// without a token: rejects foreign host names that resolve to this machine (DNS rebinding)
static bool good_host(const sp_server *s, struct lws *wsi) {
    char host[256];
    if (s->def.token) return true;
    return lws_hdr_copy(wsi, host, sizeof host, WSI_TOKEN_HOST) > 0 && is_loopback(host);
}

// browsers send the origin of their page; other programs send none
static bool good_origin(const sp_server *s, struct lws *wsi) {
    char origin[256], host[256];
    int n = lws_hdr_total_length(wsi, WSI_TOKEN_ORIGIN);
    if (n == 0) return true;
    if (n >= (int)sizeof origin || lws_hdr_copy(wsi, origin, sizeof origin, WSI_TOKEN_ORIGIN) <= 0) return false;
    if (s->def.origin && strcmp(origin, s->def.origin) == 0) return true;
    if (lws_hdr_copy(wsi, host, sizeof host, WSI_TOKEN_HOST) <= 0) return false;
    const char *from = strstr(origin, "://");
    return from && strcmp(from + 3, host) == 0;
}

static int http_refuse(struct lws *wsi, unsigned status, const char *text) {
    return sp__server_send_text(wsi, status, plain, NULL, text, strlen(text)) ? 1 : -1;
}

bool sp__server_admits(const sp_server *s, struct lws *wsi, unsigned *status, const char **why) {
    *status = HTTP_STATUS_FORBIDDEN;
    if (!good_host(s, wsi)) return *why = "the Host is not a loopback name", false;
    if (!good_origin(s, wsi)) return *why = "the Origin is another page", false;
    *status = HTTP_STATUS_UNAUTHORIZED;
    if (!has_token(s, wsi)) return *why = "the token is missing or wrong", false;
    return true;
}

int sp__server_may_connect(sp_server *s, struct lws *wsi) {
    char uri[64];
    if (lws_hdr_copy(wsi, uri, sizeof uri, WSI_TOKEN_GET_URI) <= 0 || strcmp(uri, "/ws") != 0)
        return http_refuse(wsi, HTTP_STATUS_NOT_FOUND, "only /ws speaks WebSocket");
    unsigned status;
    const char *why;
    return sp__server_admits(s, wsi, &status, &why) ? 0 : http_refuse(wsi, status, why);
}

int sp__server_http(sp_server *s, struct lws *wsi, sp_client *c, const char *uri) {
    bool scene = strcmp(uri, "/scene") == 0, post = lws_hdr_total_length(wsi, WSI_TOKEN_POST_URI) > 0;
    if (scene && post) return sp__server_receive(s, wsi, c, SP_POST_SCENE);
    if (scene) return sp__server_send_last(wsi, HTTP_STATUS_METHOD_NOT_ALLOWED, "POST", "only POST");
    if (post && strcmp(uri, "/files/") == 0) return sp__server_receive(s, wsi, c, SP_POST_RECORDING);
    if (lws_hdr_total_length(wsi, WSI_TOKEN_GET_URI) <= 0 && !is_head(wsi))
        return sp__server_send_last(wsi, HTTP_STATUS_METHOD_NOT_ALLOWED, "GET, HEAD", "only GET and HEAD");
    if (strncmp(uri, "/files/", 7) == 0) {
        if (!good_host(s, wsi)) return answer(wsi, HTTP_STATUS_FORBIDDEN, "the Host is not a loopback name");
        if (!has_token(s, wsi)) return answer(wsi, HTTP_STATUS_UNAUTHORIZED, "the token is missing or wrong");
        return strchr(uri + 7, '/') ? answer(wsi, HTTP_STATUS_NOT_FOUND, "not here") : send_file(s, wsi, s->def.sim.out, uri + 7);
    }
    if (!s->has_page && strcmp(uri, "/") == 0) return send_page(wsi, HTTP_STATUS_OK, "text/html; charset=utf-8", bare_page);
    return send_file(s, wsi, s->has_page ? s->def.page : NULL, uri[0] == '/' && uri[1] ? uri + 1 : "index.html");
}

// ---------------------------------------------------------------------------------------------- connections

// HTTP connections that are not clients: their request is incomplete, or they were answered and stay open. At most SP_HTTP_MAX
// are kept, and a new one is always accepted: the oldest without a complete request is closed, or else the one with the oldest
// request. So silent and slow peers block no other peer. Clients have separate slots.

static int connection_find(const sp_server *s, const struct lws *wsi) {
    int at = 0;
    while (at < s->connection_count && s->connections[at].wsi != wsi) at++;
    return at;
}

static void connection_remove(sp_server *s, int at) {
    s->connection_count--;
    memmove(s->connections + at, s->connections + at + 1, (size_t)(s->connection_count - at) * sizeof *s->connections);
}

static void connection_close(sp_connection *c) {
    c->closing = true;
    lws_set_timeout(c->wsi, PENDING_TIMEOUT_USER_OK, LWS_TO_KILL_ASYNC);
}

static void connection_reserve(sp_server *s) {
    sp_connection *oldest = NULL;
    int open = 0;
    for (int i = 0; i < s->connection_count; i++) {
        sp_connection *c = &s->connections[i];
        if (c->closing) continue;
        open++;
        if (!oldest || (oldest->asked && !c->asked)) oldest = c;
    }
    if (open >= SP_HTTP_MAX) connection_close(oldest);
}

void sp__server_connection_opened(sp_server *s, struct lws *wsi) {
    connection_reserve(s);
    if (s->connection_count < SP_CONNECTIONS_MAX)
        s->connections[s->connection_count++] = (sp_connection){.wsi = wsi, .since_ms = sp__now_ms()};
}

void sp__server_connection_asked(sp_server *s, struct lws *wsi) {
    int at = connection_find(s, wsi);
    if (at == s->connection_count) return;
    sp_connection c = s->connections[at];
    c.asked = true, c.since_ms = sp__now_ms();
    connection_remove(s, at);
    s->connections[s->connection_count++] = c;
}

void sp__server_connection_left(sp_server *s, struct lws *wsi) {
    int at = connection_find(s, wsi);
    if (at < s->connection_count) connection_remove(s, at);
}

void sp__server_connection_tick(sp_server *s) {
    double now = sp__now_ms();
    for (int i = 0; i < s->connection_count; i++) {
        sp_connection *c = &s->connections[i];
        // data in between may have set another timeout: repeat it
        if (c->closing || (!c->asked && now - c->since_ms > SP_REQUEST_MS)) connection_close(c);
    }
}
