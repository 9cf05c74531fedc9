// Messages of the reader: errors and warnings with file and line, notes for `check`, suggestions of the closest known name.
#include <stdarg.h>
#include <stdio.h>

#include "io/scene/scene_read.h"

// ---------------------------------------------------------------------------------------------- nearest names

const char *sp__did_you_mean(const char *word, const char *const *known, int n, char out[120]) {
    const char *near = sp__nearest(word, known, n);
    out[0] = 0;
    if (near) snprintf(out, 120, "; did you mean \"%.90s\"?", near);
    return out;
}

// ---------------------------------------------------------------------------------------------- texts

const char *sp__quote(const char *text, char out[80]) {
    size_t n = 0, limit = 60;
    out[n++] = '"';
    for (; *text && n < limit; text++) out[n++] = (unsigned char)*text < 32 ? ' ' : *text;
    if (*text) {
        // do not cut inside a UTF-8 character
        while (n > 1 && ((unsigned char)*text & 0xC0) == 0x80) {
            n--;
            text--;
        }
        memcpy(out + n, "...", 3);
        n += 3;
    }
    out[n++] = '"';
    out[n] = 0;
    return out;
}

static bool is_copy(const sp_scene_node *node) {
    return strcmp(node->spec->name, "instance") == 0 && !node->source->inert;
}

// solid "beam"; without a name: box of solid "beam"
static void scene_label(const sp_scene_node *node, char *out, size_t size) {
    int n = 0;
    out[0] = 0;
    for (; node && n >= 0 && (size_t)n < size; node = node->parent) {
        // a copy of an instance is labelled with the name of the instance
        const char *name = is_copy(node) ? sp__raw_attr(node->source->raw, "name") : node->name;
        bool named = name && name[0] && node->parent;
        n += snprintf(out + n, size - (size_t)n, named ? "%s \"%s\"" : "%s", node->spec->name, name);
        if (named || !node->parent || !node->parent->parent || (size_t)n >= size) return;
        n += snprintf(out + n, size - (size_t)n, " of ");
    }
}

static void raw_label(const sp_raw *raw, char *out, size_t size) {
    int n = 0;
    out[0] = 0;
    for (; raw && n >= 0 && (size_t)n < size; raw = raw->parent) {
        const char *name = raw->parent ? sp__raw_attr(raw, "name") : NULL;
        if (name)
            n += snprintf(out + n, size - (size_t)n, "%.40s \"%.64s\"", raw->element, name);
        else
            n += snprintf(out + n, size - (size_t)n, "%.40s", raw->element);
        if (name || !raw->parent || !raw->parent->parent || (size_t)n >= size) return;
        n += snprintf(out + n, size - (size_t)n, " of ");
    }
}

// ---------------------------------------------------------------------------------------------- messages

static bool said_already(const sp_scene *scene, sp_severity severity, const char *file, int line, const char *text, size_t base) {
    for (int i = 0; i < scene->entry_count; i++) {
        const sp_scene_entry *e = &scene->entries[i];
        if (e->message.severity == severity && e->message.line == line && strcmp(e->message.file, file) == 0 && e->base == base &&
            memcmp(e->message.text, text, base) == 0)
            return true;
    }
    return false;
}

static void message_add(sp_scene *scene, sp_severity severity, const char *file, int line, const char *text, size_t base) {
    if (said_already(scene, severity, file, line, text, base)) return;
    bool error = severity == SP_SEVERITY_ERROR;
    if (error ? scene->error_count++ >= SP_MAX_ERRORS : scene->warning_count++ >= SP_MAX_WARNINGS) {
        scene->dropped += error;
        return;
    }
    if (!sp__scene_grow(scene, &scene->entries, scene->entry_count, &scene->entry_capacity, sizeof *scene->entries)) return;
    sp_scene_entry *e = &scene->entries[scene->entry_count];
    e->message =
        (sp_scene_message){severity, sp__scene_copy(scene, file, strlen(file)), line, sp__scene_copy(scene, text, strlen(text))};
    e->base = base;
    if (e->message.file && e->message.text) scene->entry_count++;
}

// context that file and line do not show: the element that uses a default, the include or instance that created the element
static void second_place(const sp_scene_node *node, sp_origin origin, char *out, size_t size) {
    char label[200];
    int n = 0;
    out[0] = 0;
    scene_label(node, label, sizeof label);
    if (origin == SP_ORIGIN_CLASS || origin == SP_ORIGIN_DEFAULT || origin == SP_ORIGIN_SET)
        n = snprintf(out, size, " (%s at %s:%d)", label, node->file, node->line);
    if (is_copy(node) && n >= 0 && (size_t)n < size) n += snprintf(out + n, size - (size_t)n, " (copy %s)", node->path);
    for (const sp_scope *s = node->source->scope; s && s->holder && n >= 0 && (size_t)n < size; s = s->parent) {
        const sp_scene_node *h = s->holder;
        bool copy = strcmp(h->spec->name, "instance") == 0;
        n += snprintf(out + n, size - (size_t)n, copy ? " (copy %s, instance at %s:%d)" : " (%.0sincluded at %s:%d)", h->path,
                      h->file, h->line);
    }
}

static void add_at_node(sp_scene *scene, sp_severity severity, const sp_scene_node *node, const char *attr, const char *format,
                        va_list args) {
    char label[200], place[300], body[900], text[1500];
    sp_value_source from = {SP_ORIGIN_WRITTEN, NULL, node->file, node->line, NULL};
    int index = attr ? sp__attr_index(node->spec, attr) : -1;
    if (index >= 0) {
        sp_value_source source = sp__source_of(node, index);
        if (source.origin > SP_ORIGIN_BUILTIN) from = source;
    }
    scene_label(node, label, sizeof label);
    second_place(node, from.origin, place, sizeof place);
    vsnprintf(body, sizeof body, format, args);
    int base = snprintf(text, sizeof text, "%s: %s", label, body);
    if (base < 0) return;
    size_t used = (size_t)base < sizeof text ? (size_t)base : sizeof text - 1;
    snprintf(text + used, sizeof text - used, "%s", place);
    message_add(scene, severity, from.file, from.line, text, used);
}

void sp__scene_error(sp_scene *scene, const sp_scene_node *node, const char *attr, const char *format, ...) {
    va_list args;
    va_start(args, format);
    add_at_node(scene, SP_SEVERITY_ERROR, node, attr, format, args);
    va_end(args);
}

void sp__scene_warning(sp_scene *scene, const sp_scene_node *node, const char *attr, const char *format, ...) {
    va_list args;
    va_start(args, format);
    add_at_node(scene, SP_SEVERITY_WARNING, node, attr, format, args);
    va_end(args);
}

void sp__scene_error_at(sp_scene *scene, const char *file, int line, const char *format, ...) {
    char text[1200];
    va_list args;
    va_start(args, format);
    vsnprintf(text, sizeof text, format, args);
    va_end(args);
    message_add(scene, SP_SEVERITY_ERROR, file, line, text, strlen(text));
}

void sp__raw_error(sp_scene *scene, const sp_raw *raw, int line, const char *format, ...) {
    char label[200], body[900];
    va_list args;
    va_start(args, format);
    vsnprintf(body, sizeof body, format, args);
    va_end(args);
    raw_label(raw, label, sizeof label);
    sp__scene_error_at(scene, raw->file, line, "%s: %s", label, body);
}

void sp__scene_say_dropped(sp_scene *scene) {
    char text[60];
    int count = scene->error_count;
    if (!scene->dropped) return;
    snprintf(text, sizeof text, "and %d more error%s", scene->dropped, scene->dropped == 1 ? "" : "s");
    scene->error_count = 0;  // this message is exempt from the limit
    message_add(scene, SP_SEVERITY_ERROR, scene->file, 0, text, strlen(text));
    scene->error_count = count;
}

int sp__scene_errors(const sp_scene *scene) {
    return scene->error_count;
}

void sp__scene_note_auto(sp_scene *scene, const sp_scene_node *node, const char *attr, const char *format, ...) {
    char text[500];
    va_list args;
    va_start(args, format);
    vsnprintf(text, sizeof text, format, args);
    va_end(args);
    sp_scene_note *note = sp__scene_alloc(scene, 1, sizeof *note);
    if (!note) return;
    *note = (sp_scene_note){node, attr, sp__scene_copy(scene, text, strlen(text)), NULL};
    if (!note->text) return;
    *scene->notes_end = note;
    scene->notes_end = &note->next;
}

void sp__say(const sp_printer *p, const char *format, ...) {
    char text[2000];
    va_list args;
    va_start(args, format);
    vsnprintf(text, sizeof text, format, args);
    va_end(args);
    p->print(p->user, text);
}

// ---------------------------------------------------------------------------------------------- public

int sp_scene_message_count(const sp_scene *scene) {
    return scene ? scene->entry_count : 0;
}

sp_status sp_scene_message_at(const sp_scene *scene, int index, sp_scene_message *out) {
    if (!scene || index < 0 || index >= scene->entry_count) return SP_BAD_INPUT;
    *out = scene->entries[index].message;
    return SP_OK;
}
