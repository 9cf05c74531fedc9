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
static bool sim_new_file(sp_sim *s, const char *stem, const char *suffix, char *name, char *path, char *why) {
    if (mkdir(s->def.out, 0777) != 0 && errno != EEXIST)
        return snprintf(why, SP_SIM_WHY, "%.200s: %s", s->def.out, strerror(errno)), false;
    do {
        snprintf(name, 64, "%s-%d%s", stem, ++s->file_number, suffix);
        if (snprintf(path, SP_PATH, "%s/%s", s->def.out, name) >= SP_PATH) return snprintf(why, SP_SIM_WHY, "a long path"), false;
    } while (access(path, F_OK) == 0 && s->file_number < INT_MAX);
    return true;
}

// a scene that a client sent: one file per name, replaced when it is sent again
bool sp__sim_upload_path(sp_sim *s, const char *name, char *path, char *why) {
    char folder[SP_PATH];
    bool fits = snprintf(folder, sizeof folder, "%s/opened", s->def.out) < SP_PATH &&
                snprintf(path, SP_PATH, "%s/%s", folder, name) < SP_PATH;
    if (!fits) return snprintf(why, SP_SIM_WHY, "a long path"), false;
    if ((mkdir(s->def.out, 0777) != 0 && errno != EEXIST) || (mkdir(folder, 0777) != 0 && errno != EEXIST))
        return snprintf(why, SP_SIM_WHY, "%.200s: %s", folder, strerror(errno)), false;
    return true;
}

char *sp__sim_read_file(const char *path, size_t *size, char *why) {
    struct stat at;
    FILE *file = fopen(path, "rb");
    bool good = file && fstat(fileno(file), &at) == 0 && at.st_size <= SP_UPLOAD_MAX;
    char *text = good ? malloc((size_t)at.st_size + 1) : NULL;
    *size = text ? fread(text, 1, (size_t)at.st_size, file) : 0;
    if (text) text[*size] = 0;
    if (!text) snprintf(why, SP_SIM_WHY, "%.300s: %s", path, file && !good ? "more than 4 MiB" : strerror(errno));
    if (file) fclose(file);
    return text;
}

bool sp__sim_write_file(const char *path, const void *data, size_t size, char *why) {
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
    if (!sim_new_file(s, "state", ".checkpoint", name, s->base, why) || sp_run_save(s->stage.run, s->base) < 0) {
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
    if (!sim_new_file(s, "edits", ".log", name, path, why)) return false;
    sp__buffer_print(NULL, &all, "souple-edits 1\n");
    sp__buffer_add(NULL, &all, s->log.data, s->log.size);
    bool good = !all.broken && sp__sim_write_file(path, all.data, all.size, why);
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
    if (!sim_new_file(s, "scene", ".xml", name, path, why)) return false;
    sp__buffer_add(NULL, &all, t.text, (size_t)(end - t.text));
    put_values(s, &all);
    sp__buffer_add(NULL, &all, end, t.size - (size_t)(end - t.text));
    bool good = !all.broken && sp__sim_write_file(path, all.data, all.size, why);
    sp__buffer_free(NULL, &all);
    return good;
}

// ---------------------------------------------------------------------------------------------------- recordings

// What a replay needs of the time before: all edits, or where the log starts from a checkpoint what was added, and the parameters
// as they are.
static char *edits_before(const sp_sim *s) {
    sp_buffer all = {0};
    uint64_t step = sp_world_steps(s->stage.world);
    if (!s->base[0] && !s->log_cut) sp__buffer_add(NULL, &all, s->log.data, s->log.size);
    if (s->base[0] || s->log_cut) sp__buffer_print(NULL, &all, "%s", sp_run_additions(s->stage.run));
    for (int i = 0; (s->base[0] || s->log_cut) && i < s->kept_count && step > 0; i++) {
        char line[SP_EDIT_LINE];
        sp_edit e = sp_edit_default(SP_EDIT_PARAM);
        memcpy(e.path, s->kept[i].path, sizeof e.path);
        e.value = s->kept[i].value;
        if (sp_edit_log_line(&e, step - 1, line, sizeof line)) sp__buffer_add(NULL, &all, line, strlen(line));
    }
    sp__buffer_add(NULL, &all, "", 1);
    if (!all.broken) return (char *)all.data;
    sp__buffer_free(NULL, &all);
    return NULL;
}

// the fields that clients display, for other programs; `souple` computes them from the state
static int fields_shown(sp_sim *s, const char *names[SP_FIELD_CODES]) {
    sp_field_info field;
    int n = 0;
    pthread_mutex_lock(&s->lock);
    unsigned wanted = s->want.fields;
    pthread_mutex_unlock(&s->lock);
    for (int code = 1; code < SP_FIELD_CODES; code++)
        if ((wanted & 1u << code) && sp__wire_field(code, &field)) names[n++] = field.name;
    return n;
}

// one state per step, or 60 per simulated second if steps are shorter; where the disk is too slow for them, the simulation waits
bool sp__sim_record_start(sp_sim *s, char *why) {
    char path[SP_PATH];
    const char *names[SP_FIELD_CODES];
    sp_run_recorder_def def = sp_run_recorder_def_default();
    if (s->recorder) return snprintf(why, SP_SIM_WHY, "a recording is under way"), false;
    if (!sim_new_file(s, "recording", ".xdmf", s->recording_name, path, why)) return s->recording_name[0] = 0, false;
    snprintf(strrchr(s->recording_name, '.'), sizeof ".xdmf", ".h5");  // the file that holds everything
    char *edits = edits_before(s);
    def.path = path, def.period = 1.0 / 60, def.edits = edits, def.wait = true;
    def.quantities = names, def.quantity_count = fields_shown(s, names);
    if (edits && sp_run_recorder_start(s->stage.run, &def, &s->recorder) < 0)
        snprintf(why, SP_SIM_WHY, "%.390s", sp_context_error(s->stage.context)->message);
    else if (!edits)
        snprintf(why, SP_SIM_WHY, "out of memory");
    free(edits);
    if (!s->recorder) s->recording_name[0] = 0;
    return s->recorder != NULL;
}

// closes the file; a frame that could not be written ends it too, and those before stay
static void record_close(sp_sim *s, const char *reason) {
    sp_status status = sp_run_recorder_stop(&s->recorder);
    if (status < 0 && !reason) reason = sp_context_error(s->stage.context)->message;
    if (reason) sp__sim_event(s, "warning", "recording ended: %.300s", reason);
}

bool sp__sim_record_stop(sp_sim *s, char *name, char *why) {
    if (!s->recording_name[0]) return snprintf(why, SP_SIM_WHY, "nothing is recorded"), false;
    snprintf(name, 64, "%s", s->recording_name);
    s->recording_name[0] = 0;
    if (s->recorder) record_close(s, NULL);
    return true;
}

// by an event of the simulation
static void record_end(sp_sim *s, const char *reason) {
    record_close(s, reason);
    sp__sim_send_state(s);
}

void sp__sim_record_step(sp_sim *s) {
    sp_run_record r;
    char reason[SP_SIM_WHY] = "it reached 1 GiB";
    if (!s->recorder) return;
    bool good = sp_run_recorder_step(s->recorder) >= 0;
    if (!good) snprintf(reason, sizeof reason, "%.390s", sp_context_error(s->stage.context)->message);
    sp_run_recorder_get(s->recorder, &r);
    if (good && r.bytes < recording_max) return;
    record_end(s, reason);
}
