// Bodies of POST requests. A scene (/scene) is text, which the simulation saves and opens; the request waits for the answer of
// the simulation: 200, or 422 with what is wrong in the scene. A recording (/files/) is written to the folder of files; the
// answer is the name, which the message `open` takes.
//
// The sender of a scene is the client whose key the request has (?as=KEY), or nobody; it must hold the controls, or nobody may.
// The last complete recording is kept; one that is open stays readable after its file is removed.
#include <ctype.h>
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "serve/server_internal.h"

static const uint64_t recording_max = (uint64_t)4 << 30;

static void post_refuse(sp_post *p, unsigned status, const char *why) {
    p->status = status;
    snprintf(p->refused, sizeof p->refused, "%s", why);
}

// ---------------------------------------------------------------------------------------------------- recordings

static bool recording_path(const sp_server *s, const char *name, char path[PATH_MAX]) {
    return snprintf(path, PATH_MAX, "%s/%s", s->def.sim.out, name) < PATH_MAX;
}

static void recording_unlink(const sp_server *s, char *name) {
    char path[PATH_MAX];
    if (name[0] && recording_path(s, name, path)) unlink(path);
    name[0] = 0;
}

static void recording_open(sp_server *s, sp_post *p) {
    char path[PATH_MAX], why[160];
    snprintf(p->name, sizeof p->name, "upload-%ld-%d.h5", (long)getpid(), ++s->received_number);
    bool folder = mkdir(s->def.sim.out, 0777) == 0 || errno == EEXIST;
    p->file = folder && recording_path(s, p->name, path) ? fopen(path, "wbx") : NULL;
    if (p->file) return;
    snprintf(why, sizeof why, "the file cannot be kept: %s", strerror(errno));
    post_refuse(p, HTTP_STATUS_INTERNAL_SERVER_ERROR, why);
}

static void recording_fail(const sp_server *s, sp_post *p) {
    if (p->file) fclose(p->file);
    p->file = NULL;
    post_refuse(p, HTTP_STATUS_INTERNAL_SERVER_ERROR, "the file cannot be kept: no space is left");
    recording_unlink(s, p->name);
}

static int recording_end(sp_server *s, struct lws *wsi, sp_post *p) {
    char text[128];
    bool good = fclose(p->file) == 0;
    p->file = NULL;
    if (!good) {
        recording_fail(s, p);
        return sp__server_send_last(wsi, p->status, NULL, p->refused);
    }
    sp__server_receive_remove(s);
    snprintf(s->received_name, sizeof s->received_name, "%s", p->name);
    snprintf(text, sizeof text, "{\"file\": \"files/%s\"}", p->name);
    *p = (sp_post){0};
    if (!sp__server_send_text(wsi, HTTP_STATUS_OK, "application/json", NULL, text, strlen(text))) return -1;
    return lws_http_transaction_completed(wsi) ? -1 : 0;
}

void sp__server_receive_remove(sp_server *s) {
    recording_unlink(s, s->received_name);
}

// ---------------------------------------------------------------------------------------------------- scenes

// Letters, digits, '.', '-' and '_' of the file name that the sender gave, other characters become '-'; always ends with ".xml".
static void scene_name(struct lws *wsi, char out[SP_UPLOAD_NAME + 1]) {
    char text[256];
    const char *given = lws_get_urlarg_by_name(wsi, "name=", text, sizeof text), *slash = given ? strrchr(given, '/') : NULL;
    const char *name = slash ? slash + 1 : given ? given : "";
    size_t n = strlen(name), most = SP_UPLOAD_NAME - 4;
    if (n >= 4 && strcmp(name + n - 4, ".xml") == 0) n -= 4;
    if (n > most) n = most;
    for (size_t i = 0; i < n; i++) {
        bool good = isalnum((unsigned char)name[i]) || (i > 0 && strchr("._-", name[i]));
        out[i] = good ? name[i] : '-';
    }
    snprintf(out + n, SP_UPLOAD_NAME + 1 - n, "%s.xml", n ? "" : "scene");
}

// the client that sends the request; 0: no client
static uint32_t scene_sender(const sp_server *s, struct lws *wsi) {
    char key[64];
    const char *given = lws_get_urlarg_by_name(wsi, "as=", key, sizeof key);
    for (int i = 0; given && i < s->client_count; i++)
        if (strcmp(given, s->clients[i]->key) == 0) return s->clients[i]->number;
    return 0;
}

static void scene_open(sp_server *s, struct lws *wsi, sp_post *p) {
    uint32_t holder = s->control.holder;
    p->sender = ++s->last_number;
    scene_name(wsi, p->name);
    if (holder && scene_sender(s, wsi) != holder) post_refuse(p, HTTP_STATUS_CONFLICT, "another client has the controls");
}

static int scene_end(sp_server *s, struct lws *wsi, sp_post *p) {
    if (!s->sim) return -1;
    lws_set_timeout(wsi, NO_PENDING_TIMEOUT, 0);  // a large scene may need long to be built
    bool posted = sp__sim_post_scene(s->sim, p->sender, p->name, p->text.data, p->text.size);
    sp__buffer_free(NULL, &p->text);
    return posted ? 0 : sp__server_send_last(wsi, HTTP_STATUS_SERVICE_UNAVAILABLE, NULL, "too many commands wait, try again");
}

void sp__server_receive_answer(sp_server *s, uint32_t sender, const sp_buffer *answer) {
    for (int i = 0; i < s->connection_count; i++) {
        struct lws *wsi = s->connections[i].wsi;
        sp_client *c = lws_wsi_user(wsi);
        if (!c || c->post.type != SP_POST_SCENE || c->post.sender != sender) continue;
        sp__buffer_print(NULL, &c->post.answer, "%.*s", (int)answer->size, (const char *)answer->data);
        lws_callback_on_writable(wsi);
    }
}

int sp__server_receive_write(sp_server *s, struct lws *wsi, sp_client *c) {
    const sp_buffer *a = &c->post.answer;
    if (c->post.type != SP_POST_SCENE || !a->size) return 0;
    // the type is the first member of an answer
    bool refused = strncmp(a->data + strcspn(a->data, ":"), ": \"refused\"", 11) == 0;
    bool sent = sp__server_send_text(wsi, refused ? 422 : HTTP_STATUS_OK, "application/json", NULL, a->data, a->size);
    sp__server_receive_stop(s, c);
    return !sent || lws_http_transaction_completed(wsi) ? -1 : 0;
}

// ---------------------------------------------------------------------------------------------------- both

int sp__server_receive(sp_server *s, struct lws *wsi, sp_client *c, sp_post_type type) {
    sp_post *p = &c->post;
    char length[32], why[96];
    const char *refused;
    bool scene = type == SP_POST_SCENE;
    if (lws_hdr_copy(wsi, length, sizeof length, WSI_TOKEN_HTTP_CONTENT_LENGTH) <= 0)
        return sp__server_send_last(wsi, HTTP_STATUS_LENGTH_REQUIRED, NULL, "Content-Length is missing");
    long long size = strtoll(length, NULL, 10);
    uint64_t most = scene ? SP_UPLOAD_MAX : recording_max;
    snprintf(why, sizeof why, "a %s of %lld bytes, must have 1 to %llu", scene ? "scene" : "recording", size,
             (unsigned long long)most);
    if (size < 1) return sp__server_send_last(wsi, HTTP_STATUS_BAD_REQUEST, NULL, why);
    if ((uint64_t)size > most) return sp__server_send_last(wsi, HTTP_STATUS_REQ_ENTITY_TOO_LARGE, NULL, why);
    sp__server_receive_stop(s, c);
    p->type = type, p->left = (uint64_t)size;
    if (!sp__server_admits(s, wsi, &p->status, &refused))
        post_refuse(p, p->status, refused);
    else if (scene)
        scene_open(s, wsi, p);
    else
        recording_open(s, p);
    return 0;
}

// The body of a refused request is read too: the system resets a connection that is closed with unread data, and the answer
// would be lost.
int sp__server_receive_part(sp_server *s, sp_client *c, const void *data, size_t size) {
    sp_post *p = &c->post;
    if (!p->type || size > p->left) return -1;
    p->left -= size;
    if (p->refused[0]) return 0;
    if (p->type == SP_POST_SCENE) return sp__buffer_add(NULL, &p->text, data, size) ? 0 : -1;
    if (fwrite(data, 1, size, p->file) != size) recording_fail(s, p);
    return 0;
}

int sp__server_receive_end(sp_server *s, struct lws *wsi, sp_client *c) {
    sp_post *p = &c->post;
    if (!p->type || p->left) return -1;
    if (p->refused[0]) return sp__server_send_last(wsi, p->status, NULL, p->refused);
    return p->type == SP_POST_SCENE ? scene_end(s, wsi, p) : recording_end(s, wsi, p);
}

void sp__server_receive_stop(sp_server *s, sp_client *c) {
    sp_post *p = &c->post;
    if (p->file) fclose(p->file);
    if (p->type == SP_POST_RECORDING) recording_unlink(s, p->name);
    sp__buffer_free(NULL, &p->text), sp__buffer_free(NULL, &p->answer);
    *p = (sp_post){0};
}
