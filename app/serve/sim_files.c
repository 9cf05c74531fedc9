// Files of a viewer: log of edits, scene with its current values, recordings. The server chooses the names, so that a client
// cannot choose where to write.
#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "serve/sim_internal.h"

static const size_t log_max = (size_t)64 << 20;
static const uint64_t recording_max = (uint64_t)1 << 30;

// a file name that does not exist yet: edits-1.log, edits-2.log, ...
bool sp__sim_new_file(sp_sim *s, const char *stem, const char *suffix, char *name, char *path, char *why) {
    if (mkdir(s->def.out, 0777) != 0 && errno != EEXIST)
        return snprintf(why, SP_SIM_WHY, "%.200s: %s", s->def.out, strerror(errno)), false;
    do {
        snprintf(name, 64, "%s-%d%s", stem, ++s->file_number, suffix);
        if (snprintf(path, SP_PATH, "%s/%s", s->def.out, name) >= SP_PATH) return snprintf(why, SP_SIM_WHY, "a long path"), false;
    } while (access(path, F_OK) == 0 && s->file_number < INT_MAX);
    return true;
}

static bool write_whole(const char *path, const void *data, size_t size, char *why) {
    FILE *file = fopen(path, "wb");
    bool good = file && fwrite(data, 1, size, file) == size;
    if (file && fclose(file) != 0) good = false;
    if (!good) snprintf(why, SP_SIM_WHY, "%.300s: %s", path, strerror(errno));
    return good;
}

// ---------------------------------------------------------------------------------------------------- log

void sp__sim_log_step(sp_sim *s) {
    int count;
    const sp_edit *taken = sp_world_edits_taken(s->stage.world, &count);
    uint64_t steps = sp_world_steps(s->stage.world);
    for (int i = 0; i < count && !s->log_cut && steps > 0; i++) {
        char line[SP_EDIT_LINE];
        if (!sp_edit_log_line(&taken[i], steps - 1, line, sizeof line)) continue;
        sp__buffer_add(NULL, &s->log, line, strlen(line));
        if (!s->log.broken && s->log.size < log_max) continue;
        s->log_cut = true;
        sp__sim_event(s, "warning", "the log of edits is full: it can no longer be saved");
    }
}

// A run that continues from the state of another one is replayed from a checkpoint.
void sp__sim_log_restart(sp_sim *s, bool go_on) {
    char name[64], why[SP_SIM_WHY];
    sp__buffer_free(NULL, &s->log);
    s->log_cut = false;
    // the checkpoint of a saved log is needed for its replay
    if (s->base[0] && !s->base_used) unlink(s->base);
    s->base[0] = 0, s->base_used = false;
    if (!go_on) return;
    if (!sp__sim_new_file(s, "state", ".checkpoint", name, s->base, why) || sp_run_save(s->stage.run, s->base) < 0) {
        s->log_cut = true;
        s->base[0] = 0;
        sp__sim_event(s, "warning", "no checkpoint could be written: edits from here on cannot be replayed");
    }
}

// quoted for a shell
static void put_word(sp_buffer *out, const char *word) {
    sp__buffer_add(NULL, out, " '", 2);
    for (const char *c = word; *c; c++) {
        if (*c == '\'')
            sp__buffer_add(NULL, out, "'\\''", 4);
        else
            sp__buffer_add(NULL, out, c, 1);
    }
    sp__buffer_add(NULL, out, "'", 1);
}

static void put_command(const sp_sim *s, const char *log, sp_buffer *out) {
    sp__buffer_print(NULL, out, "souple run");
    put_word(out, s->def.gallery->scenes[s->scene].path);
    for (int i = 0; s->scene == s->def.scene && i < s->def.set_count; i++)
        sp__buffer_print(NULL, out, " --set"), put_word(out, s->def.sets[i]);
    for (int i = 0; i < s->set_count; i++) sp__buffer_print(NULL, out, " --set"), put_word(out, s->sets[i]);
    if (s->base[0]) sp__buffer_print(NULL, out, " --resume"), put_word(out, s->base);
    sp__buffer_print(NULL, out, " --edits"), put_word(out, log);
    sp__buffer_print(NULL, out, " --steps %llu", (unsigned long long)sp_world_steps(s->stage.world));
}

bool sp__sim_log_save(sp_sim *s, char *name, sp_buffer *command, char *why) {
    char path[SP_PATH];
    sp_buffer all = {0};
    if (s->log_cut) return snprintf(why, SP_SIM_WHY, "the log is incomplete: reset starts a new one"), false;
    if (!sp__sim_new_file(s, "edits", ".log", name, path, why)) return false;
    sp__buffer_print(NULL, &all, "souple-edits 1\n");
    sp__buffer_add(NULL, &all, s->log.data, s->log.size);
    bool good = !all.broken && write_whole(path, all.data, all.size, why);
    sp__buffer_free(NULL, &all);
    if (good) put_command(s, path, command), s->base_used = true;
    return good;
}

// ---------------------------------------------------------------------------------------------------- scene

// escapes an attribute value: names of bodies may contain any character
static void put_escaped(sp_buffer *out, const char *text) {
    for (const char *c = text; *c; c++) {
        const char *as = *c == '"' ? "&quot;" : *c == '<' ? "&lt;" : *c == '&' ? "&amp;" : NULL;
        sp__buffer_add(NULL, out, as ? as : c, as ? strlen(as) : 1);
    }
}

// no two hyphens may follow each other in a comment
static void put_comment(sp_buffer *out, const char *text) {
    for (const char *c = text; *c; c++)
        sp__buffer_add(NULL, out, *c == '-' && c[1] == '-' ? "- " : c, *c == '-' && c[1] == '-' ? 2 : 1);
}

// writes parameters as events at the start, and values that need a rebuild as comments
static void put_values(const sp_sim *s, sp_buffer *out) {
    sp_scene_info t;
    sp_scene_get(s->stage.scene, &t);
    sp__buffer_print(NULL, out, "  <!-- as it was left in the viewer -->\n");
    for (int i = 0; i < t.set_count; i++) {
        sp__buffer_print(NULL, out, "  <!-- set ");
        put_comment(out, sp_scene_set_text(s->stage.scene, i));
        sp__buffer_print(NULL, out, " -->\n");
    }
    for (int i = 0; i < s->kept_count; i++) {
        sp__buffer_print(NULL, out, "  <event t=\"0\" set=\"");
        put_escaped(out, s->kept[i].path);
        sp__buffer_print(NULL, out, "\" value=\"%.17g\"/>\n", s->kept[i].value);
    }
}

static const char *last_of(const char *text, size_t size, const char *word) {
    size_t n = strlen(word);
    for (size_t i = size >= n ? size - n + 1 : 0; i > 0; i--)
        if (memcmp(text + i - 1, word, n) == 0) return text + i - 1;
    return NULL;
}

bool sp__sim_scene_save(sp_sim *s, char *name, char *why) {
    char path[SP_PATH];
    sp_scene_info t;
    sp_scene_get(s->stage.scene, &t);
    const char *end = last_of(t.text, t.size, "</scene>");
    sp_buffer all = {0};
    if (!end) return snprintf(why, SP_SIM_WHY, "the scene has no end to write to"), false;
    if (!sp__sim_new_file(s, "scene", ".xml", name, path, why)) return false;
    sp__buffer_add(NULL, &all, t.text, (size_t)(end - t.text));
    put_values(s, &all);
    sp__buffer_add(NULL, &all, end, t.size - (size_t)(end - t.text));
    bool good = !all.broken && write_whole(path, all.data, all.size, why);
    sp__buffer_free(NULL, &all);
    return good;
}

// ---------------------------------------------------------------------------------------------------- recordings

static void stop_writing(sp_sim *s) {
    fclose(s->recording);
    s->recording = NULL;
}

// writes one record; a full disk ends the recording, and the part written so far stays valid
static void write_record(sp_sim *s, uint32_t kind, const void *data, size_t size) {
    size_t padding = (8 - size % 8) % 8;
    unsigned char head[8];
    for (int i = 0; i < 4; i++) {
        head[i] = (unsigned char)(kind >> 8 * i);
        head[4 + i] = (unsigned char)(size >> 8 * i);
    }
    if (!s->recording) return;
    bool full = s->recorded_bytes + size + 16 > recording_max;
    bool good = !full && fwrite(head, 1, 8, s->recording) == 8 && fwrite(data, 1, size, s->recording) == size &&
                fwrite("\0\0\0\0\0\0\0", 1, padding, s->recording) == padding;
    s->recorded_bytes += 8 + size + padding;
    if (good) return;
    stop_writing(s);
    sp__sim_event(s, "warning", "recording ended: %s", full ? "it reached 1 GiB" : strerror(errno));
    sp__sim_send_state(s);
}

static void write_hello(sp_sim *s) {
    sp_buffer hello = {0};
    sp__sim_make_hello(s);
    sp__buffer_print(NULL, &hello,
                     "{\"type\":\"hello\",\"protocol\":%d,\"you\":0,\"control\":{\"holder\":0,\"you\":0,\"wants\":0},",
                     SP_PROTOCOL);
    sp__sim_hello(s, &hello);
    if (!hello.broken) write_record(s, 0, hello.data, hello.size);
    sp__buffer_free(NULL, &hello);
}

static void write_state(sp_sim *s) {
    sp_sim_frame frame = {.generation = s->generation, .snapshot = sp_world_snapshot_acquire(s->stage.world)};
    if (!frame.snapshot) return;
    s->scratch.size = 0;
    while (s->recording && sp__client_view_topology(&s->recorded_view, &frame, &s->scratch)) {
        write_record(s, 1, s->scratch.data, s->scratch.size);
        s->scratch.size = 0;
    }
    sp__client_view_state(&s->recorded_view, &frame, &s->scratch);
    if (!s->scratch.broken) write_record(s, 1, s->scratch.data, s->scratch.size);
    sp_world_snapshot_release(s->stage.world, frame.snapshot);
    s->recorded_time = sp_world_time(s->stage.world);
}

bool sp__sim_record_start(sp_sim *s, char *why) {
    char path[SP_PATH];
    if (s->recording) return snprintf(why, SP_SIM_WHY, "a recording is under way"), false;
    if (!sp__sim_new_file(s, "recording", ".spv", s->recording_name, path, why)) return false;
    s->recording = fopen(path, "wb");
    if (!s->recording) return snprintf(why, SP_SIM_WHY, "%.300s: %s", path, strerror(errno)), false;
    s->recorded_bytes = 8;
    fwrite("SPVREC1", 1, 8, s->recording);
    sp__client_view_forget(&s->recorded_view);
    write_hello(s);
    write_state(s);
    return s->recording != NULL || (snprintf(why, SP_SIM_WHY, "%.300s cannot be written", path), false);
}

bool sp__sim_record_stop(sp_sim *s, char *name, char *why) {
    if (!s->recording_name[0]) return snprintf(why, SP_SIM_WHY, "nothing is recorded"), false;
    snprintf(name, 64, "%s", s->recording_name);
    s->recording_name[0] = 0;
    if (s->recording) stop_writing(s);
    return true;
}

// every step, or 60 times per simulated second if steps are shorter
void sp__sim_record_step(sp_sim *s) {
    if (s->recording && sp_world_time(s->stage.world) - s->recorded_time >= 1.0 / 60 - 0.5 * sp_run_dt(s->stage.run))
        write_state(s);
}
