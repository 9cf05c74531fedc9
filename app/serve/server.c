// The server: one libwebsockets context, one thread, a table of clients. See server.h.
#include "serve/server.h"

#include <arpa/inet.h>
#include <errno.h>
#include <netinet/in.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

#include "serve/server_internal.h"

void sp__server_close(sp_client *c, int code, const char *why) {
    if (c->close_code) return;
    c->close_code = code;
    snprintf(c->close_why, sizeof c->close_why, "%s", why);
    lws_callback_on_writable(c->wsi);
}

// ---------------------------------------------------------------------------------------------------- callbacks

static void wake_all(sp_server *s) {
    sp__server_deliver(s);
    for (int i = 0; i < s->client_count; i++) lws_callback_on_writable(s->clients[i]->wsi);
    for (int i = 0; s->stopping && i < s->client_count; i++) sp__server_close(s->clients[i], SP_CLOSE_GOING, "the server ends");
}

static int on_event(struct lws *wsi, enum lws_callback_reasons reason, void *user, void *in, size_t size) {
    sp_server *s = lws_context_user(lws_get_context(wsi));
    sp_client *c = user;
    switch (reason) {
    case LWS_CALLBACK_SERVER_NEW_CLIENT_INSTANTIATED: sp__server_connection_opened(s, wsi); return 0;
    case LWS_CALLBACK_WSI_DESTROY:
        if (s) sp__server_connection_left(s, wsi);
        return 0;
    case LWS_CALLBACK_HTTP: sp__server_connection_asked(s, wsi); return sp__server_http(s, wsi, c, in);
    case LWS_CALLBACK_HTTP_BODY: return sp__server_receive_part(s, c, in, size);
    case LWS_CALLBACK_HTTP_BODY_COMPLETION: return sp__server_receive_end(s, wsi, c);
    case LWS_CALLBACK_HTTP_WRITEABLE: return sp__server_receive_write(s, wsi, c);
    case LWS_CALLBACK_CLOSED_HTTP:
        if (s && c) sp__server_receive_stop(s, c);
        return 0;
    case LWS_CALLBACK_HTTP_FILE_COMPLETION: return lws_http_transaction_completed(wsi) ? -1 : 0;
    case LWS_CALLBACK_HTTP_CONFIRM_UPGRADE:
        sp__server_connection_asked(s, wsi);
        return in && strcmp(in, "websocket") == 0 ? sp__server_may_connect(s, wsi) : -1;
    case LWS_CALLBACK_ESTABLISHED: sp__server_joined(s, c, wsi); return 0;
    case LWS_CALLBACK_CLOSED: sp__server_left(s, c); return 0;
    // only data that arrived with the upgrade request, before it was answered
    case LWS_CALLBACK_RECEIVE: sp__server_close(c, SP_CLOSE_PROTOCOL, "data before the handshake was over"); return 0;
    case LWS_CALLBACK_RAW_RX_FILE: return sp__server_input(s, wsi);
    case LWS_CALLBACK_RAW_CLOSE_FILE: sp__server_input_closed(wsi); return 0;
    case LWS_CALLBACK_SERVER_WRITEABLE: return sp__server_write(s, c);
    case LWS_CALLBACK_EVENT_WAIT_CANCELLED:
        if (s) wake_all(s);
        return 0;
    default: return 0;
    }
}

static const struct lws_protocols protocols[] = {
    {"souple", on_event, sizeof(sp_client), SP_MESSAGE_MAX, 0, NULL, 0},
    {NULL, NULL, 0, 0, 0, NULL, 0},
};

// A client that sends nothing for this time is dropped. It must not be shorter: a page with software rendering on a busy machine
// may be blocked for many seconds by a large scene, and pings wait behind the current frame.
static const lws_retry_bo_t keepalive = {.secs_since_valid_ping = 5, .secs_since_valid_hangup = 40};

// ---------------------------------------------------------------------------------------------------- starting

// the reason why the address cannot be bound, which libwebsockets does not report
static bool can_bind(const char *address, int port, char *why) {
    struct sockaddr_in v4 = {.sin_family = AF_INET, .sin_port = htons((uint16_t)port)};
    struct sockaddr_in6 v6 = {.sin6_family = AF_INET6, .sin6_port = htons((uint16_t)port)};
    bool is4 = inet_pton(AF_INET, address, &v4.sin_addr) == 1, is6 = !is4 && inet_pton(AF_INET6, address, &v6.sin6_addr) == 1;
    if (!is4 && !is6) return snprintf(why, SP_SIM_WHY, "%.60s: not an address (127.0.0.1, 0.0.0.0, ::1, ...)", address), false;
    int on = 1, fd = socket(is4 ? AF_INET : AF_INET6, SOCK_STREAM, 0);
    bool good = fd >= 0 && setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &on, sizeof on) == 0;
    if (good && is4) good = bind(fd, (struct sockaddr *)&v4, sizeof v4) == 0;
    if (good && is6) good = bind(fd, (struct sockaddr *)&v6, sizeof v6) == 0;
    if (!good) snprintf(why, SP_SIM_WHY, "cannot listen on %.60s, port %d: %s", address, port, strerror(errno));
    if (fd >= 0) close(fd);
    return good;
}

static bool listen_on(sp_server *s, char *why) {
    struct lws_context_creation_info info = {0};
    if (!can_bind(s->def.address, s->def.port, why)) return false;
    info.port = s->def.port;
    info.iface = s->def.address;
    info.protocols = protocols;
    info.user = s;
    info.options = LWS_SERVER_OPTION_EXPLICIT_VHOSTS | LWS_SERVER_OPTION_FAIL_UPON_UNABLE_TO_BIND;
    if (!strchr(s->def.address, ':')) info.options |= LWS_SERVER_OPTION_DISABLE_IPV6;
    info.gid = (gid_t)-1, info.uid = (uid_t)-1;
    info.fd_limit_per_thread = SP_CONNECTIONS_MAX;
    info.max_http_header_pool = SP_CONNECTIONS_MAX;  // with fewer, connections without a header wait for those that have one
    info.timeout_secs = 10;
    info.keepalive_timeout = 10;
    info.retry_and_idle_policy = &keepalive;
    info.vhost_name = "souple";
    lws_set_log_level(0, NULL);
    snprintf(why, SP_SIM_WHY, "cannot listen on %.60s, port %d", s->def.address, s->def.port);
    s->context = lws_create_context(&info);
    s->vhost = s->context ? lws_create_vhost(s->context, &info) : NULL;
    return s->vhost != NULL;
}

static void wake(void *user) {
    sp_server *s = user;
    lws_cancel_service(s->context);
}

sp_server *sp__server_start(const sp_server_def *def, char *why) {
    sp_server *s = calloc(1, sizeof *s);
    struct stat st;
    char index[1024];
    snprintf(why, SP_SIM_WHY, "out of memory");
    if (!s) return NULL;
    s->def = *def;
    atomic_init(&s->stopping, false);
    snprintf(index, sizeof index, "%s/index.html", def->page ? def->page : "");
    s->has_page = def->page && stat(index, &st) == 0 && S_ISREG(st.st_mode);
    if (!listen_on(s, why)) {
        sp__server_free(&s);
        return NULL;
    }
    sp_sim_def sim = def->sim;
    sim.wake = wake, sim.user = s;
    s->sim = sp__sim_start(&sim, why);
    if (!s->sim) sp__server_free(&s);
    return s;
}

int sp__server_port(const sp_server *s) {
    return lws_get_vhost_listen_port(s->vhost);
}

sp_sim *sp__server_sim(sp_server *s) {
    return s->sim;
}

// ---------------------------------------------------------------------------------------------------- serving

enum { TICK_US = 500000 };

static void tick(lws_sorted_usec_list_t *timer) {
    sp_server *s = lws_container_of(timer, sp_server, timer);
    sp__server_tick(s);
    lws_sul_schedule(s->context, 0, &s->timer, tick, TICK_US);
}

void sp__server_run(sp_server *s) {
    double stopped = 0;
    lws_sul_schedule(s->context, 0, &s->timer, tick, TICK_US);
    while (lws_service(s->context, 0) >= 0) {
        double now = sp__now_ms();
        if (!s->stopping) continue;
        // clients get a moment to receive their close frames
        if (stopped == 0) stopped = now, wake_all(s);
        if (s->client_count == 0 || now - stopped > 500) return;
    }
}

void sp__server_stop(sp_server *s) {
    atomic_store(&s->stopping, true);
    lws_cancel_service(s->context);
}

void sp__server_free(sp_server **server) {
    sp_server *s = *server;
    if (!s) return;
    *server = NULL;
    // a destroyed context must not be woken; closing clients still access the simulation
    sp_sim *sim = s->sim;
    s->sim = NULL;
    sp__sim_stop(&sim);
    if (s->context) lws_context_destroy(s->context);
    sp__server_receive_remove(s);
    sp__buffer_free(NULL, &s->out), sp__buffer_free(NULL, &s->note);
    free(s);
}
