// Edit logs. One line of text per edit: step, source, sequence number, type, fields. Numbers read back to the same bits, so that
// scene and log reproduce the hash. Edits by events of the scene are not logged: the scene repeats them.
//
//     souple-edits 1
//     12 0 3 pin 1 1 140 7
//     13 0 4 param beam.young 20000
#include <errno.h>
#include <inttypes.h>
#include <limits.h>
#include <stdarg.h>
#include <stdio.h>

#include "io/file/text_file.h"
#include "io/run/build.h"
#include "souple/io.h"

#define HEADER "souple-edits 1"

typedef struct entry {
    uint64_t step;
    int line;
    sp_edit edit;
} entry;

struct sp_edit_log {
    sp_context *ctx;
    char *path;
    FILE *file;  // open for writing; NULL: the log was read
    entry *entries;
    int count, capacity;
};

static const char *const type_words[] = {
    "pin",    "release", "drag", "drop",   "pose", "param",         "take-over", "take-over-compliance", "contact-budget",
    "attach", "detach",  "add",  "remove", "link", "remove-element"};
enum { TYPES = sizeof type_words / sizeof *type_words };

// ------------------------------------------------------------------------------------------------ fields

// one field of an edit: an integer or some doubles, in the order on the line
typedef struct field {
    enum {
        END,
        SLOT,
        GENERATION,
        NODE,
        AXES,
        DRAG_SLOT,
        ANCHOR_BODY,
        ANCHOR_ELEMENT,
        OTHER_SLOT,
        OTHER_GENERATION,
        OTHER_ELEMENT,
        SHAPE,
        MOTION,
        DOUBLES,
        PATH
    } kind;
    size_t offset;
    int count;
} field;

#define DOUBLES_OF(member, n) \
    { DOUBLES, offsetof(sp_edit, member), (n) }
static const field fields[TYPES][16] = {
    {{SLOT, 0, 1}, {GENERATION, 0, 1}, {NODE, 0, 1}, {AXES, 0, 1}},
    {{SLOT, 0, 1}, {GENERATION, 0, 1}, {NODE, 0, 1}, {AXES, 0, 1}},
    {{SLOT, 0, 1},
     {GENERATION, 0, 1},
     {DRAG_SLOT, 0, 1},
     {ANCHOR_BODY, 0, 1},
     {ANCHOR_ELEMENT, 0, 1},
     DOUBLES_OF(anchor.at, 3),
     DOUBLES_OF(anchor.offset, 3),
     DOUBLES_OF(target, 3),
     DOUBLES_OF(stiffness, 1),
     DOUBLES_OF(damping, 1)},
    {{SLOT, 0, 1}, {GENERATION, 0, 1}, {DRAG_SLOT, 0, 1}},
    {{SLOT, 0, 1}, {GENERATION, 0, 1}, DOUBLES_OF(pose.translate, 3), DOUBLES_OF(pose.quat, 4)},
    {{PATH, 0, 1}, DOUBLES_OF(value, 1)},
    {{SLOT, 0, 1}, {GENERATION, 0, 1}},
    {{SLOT, 0, 1}, {GENERATION, 0, 1}},
    {DOUBLES_OF(value, 1)},
    {{PATH, 0, 1}},
    {{PATH, 0, 1}},
    {{PATH, 0, 1},
     {SHAPE, 0, 1},
     {MOTION, 0, 1},
     DOUBLES_OF(size, 3),
     DOUBLES_OF(pose.translate, 3),
     DOUBLES_OF(pose.quat, 4),
     DOUBLES_OF(density, 1),
     DOUBLES_OF(velocity, 3)},
    {{SLOT, 0, 1}, {GENERATION, 0, 1}},
    {{PATH, 0, 1},
     {SLOT, 0, 1},
     {GENERATION, 0, 1},
     {ANCHOR_BODY, 0, 1},
     {ANCHOR_ELEMENT, 0, 1},
     DOUBLES_OF(anchor.at, 3),
     DOUBLES_OF(anchor.offset, 3),
     {OTHER_SLOT, 0, 1},
     {OTHER_GENERATION, 0, 1},
     {OTHER_ELEMENT, 0, 1},
     DOUBLES_OF(other.at, 3),
     DOUBLES_OF(other.offset, 3),
     DOUBLES_OF(stiffness, 1),
     DOUBLES_OF(damping, 1),
     DOUBLES_OF(value, 1)},
    {{SLOT, 0, 1}, {GENERATION, 0, 1}, {NODE, 0, 1}},
};

enum { MOTION_FIXED, MOTION_KINEMATIC, MOTION_FREE };

static int64_t get_integer(const sp_edit *e, int kind) {
    const sp_body_id *body = e->type == SP_EDIT_DRAG || e->type == SP_EDIT_LINK ? &e->anchor.body : &e->body;
    switch (kind) {
    case SLOT: return body->slot;
    case GENERATION: return body->generation;
    case NODE: return e->node;
    case AXES: return e->axes;
    case DRAG_SLOT: return e->slot;
    case ANCHOR_BODY: return e->anchor.body.slot;
    case OTHER_SLOT: return e->other.body.slot;
    case OTHER_GENERATION: return e->other.body.generation;
    case OTHER_ELEMENT: return e->other.elem;
    case SHAPE: return e->shape;
    case MOTION: return e->free ? MOTION_FREE : e->kinematic ? MOTION_KINEMATIC : MOTION_FIXED;
    default: return e->anchor.elem;
    }
}

static bool set_integer(sp_edit *e, int kind, int64_t value) {
    bool is_signed = kind == NODE || kind == DRAG_SLOT;
    if (value < (is_signed ? INT_MIN : 0) || value > (is_signed ? INT_MAX : UINT32_MAX)) return false;
    switch (kind) {
    case SLOT: e->body.slot = (uint32_t)value; break;
    case GENERATION: e->body.generation = (uint32_t)value; break;
    case NODE: e->node = (int)value; break;
    case AXES: e->axes = (unsigned)value; break;
    case DRAG_SLOT: e->slot = (int)value; break;
    case ANCHOR_BODY:  // the id of the body precedes it; version 0.1 could omit that in a drag
        e->anchor.body = e->body.slot == (uint32_t)value ? e->body : (sp_body_id){(uint32_t)value, 1};
        break;
    case OTHER_SLOT: e->other.body.slot = (uint32_t)value; break;
    case OTHER_GENERATION: e->other.body.generation = (uint32_t)value; break;
    case OTHER_ELEMENT: e->other.elem = (uint32_t)value; break;
    case SHAPE: e->shape = (sp_shape_type)value; return value <= SP_ELLIPSOID;
    case MOTION: e->free = value == MOTION_FREE, e->kinematic = value == MOTION_KINEMATIC; return value <= MOTION_FREE;
    default: e->anchor.elem = (uint32_t)value; break;
    }
    return true;
}

// ------------------------------------------------------------------------------------------------ writing

static sp_status new_log(sp_context *ctx, const char *path, sp_edit_log **out) {
    sp_edit_log *log = sp__alloc(ctx, 1, sizeof *log);
    size_t n = strlen(path) + 1;
    *out = NULL;
    if (log) log->path = sp__alloc(ctx, n, 1);
    if (!log || !log->path) {
        sp__free(ctx, log);
        return SP_FAIL(ctx, SP_NO_MEMORY, "%s: no memory for an edit log", path);
    }
    memcpy(log->path, path, n);
    log->ctx = ctx;
    *out = log;
    return SP_OK;
}

sp_status sp_edit_log_create(sp_context *context, const char *path, sp_edit_log **out) {
    sp_edit_log *log;
    *out = NULL;
    SP_TRY(new_log(context, path, &log));
    log->file = fopen(path, "w");
    if (!log->file || fprintf(log->file, HEADER "\n") < 0) {
        sp_status status = SP_FAIL(context, SP_IO, "%s: %s", path, strerror(errno));
        sp_edit_log_close(&log);
        return status;
    }
    *out = log;
    return SP_OK;
}

static size_t add_text(char *out, size_t size, size_t at, const char *format, ...) {
    va_list args;
    va_start(args, format);
    int n = at < size ? vsnprintf(out + at, size - at, format, args) : 0;
    va_end(args);
    return at + (n > 0 ? (size_t)n : 0);
}

static void edit_text(char *out, size_t size, uint64_t step, const sp_edit *e) {
    size_t at =
        add_text(out, size, 0, "%" PRIu64 " %" PRIu32 " %" PRIu64 " %s", step, e->source, e->sequence, type_words[e->type]);
    for (const field *f = fields[e->type]; f->kind != END; f++) {
        const double *numbers = (const double *)((const char *)e + f->offset);
        char text[32];
        if (f->kind == PATH) {
            at = add_text(out, size, at, " %s", e->path);
        } else if (f->kind != DOUBLES) {
            at = add_text(out, size, at, " %" PRId64, get_integer(e, (int)f->kind));
        } else {
            for (int i = 0; i < f->count; i++) {
                sp__print_double(text, numbers[i]);
                at = add_text(out, size, at, " %s", text);
            }
        }
    }
    add_text(out, size, at, "\n");
}

bool sp_edit_log_line(const sp_edit *e, uint64_t step, char *out, size_t size) {
    if (e->source == SP_RUN_EVENT_SOURCE || (unsigned)e->type >= TYPES) return false;
    edit_text(out, size, step, e);
    return true;
}

sp_status sp_edit_log_append(sp_edit_log *log, const sp_world *world) {
    int count;
    if (!log->file) return SP_FAIL(log->ctx, SP_BAD_INPUT, "%s: the log was opened for reading", log->path);
    const sp_edit *taken = sp_world_edits_taken(world, &count);
    uint64_t steps = sp_world_steps(world);
    for (int i = 0; i < count && steps > 0; i++) {
        char line[SP_EDIT_LINE];
        if (!sp_edit_log_line(&taken[i], steps - 1, line, sizeof line)) continue;
        fputs(line, log->file);
    }
    if (ferror(log->file)) return SP_FAIL(log->ctx, SP_IO, "%s: %s", log->path, strerror(errno));
    return SP_OK;
}

// ------------------------------------------------------------------------------------------------ reading

typedef struct line_reader {
    const char *at;
    int line;
    const char *wrong;  // the missing or invalid item
} line_reader;

static void skip_blanks(line_reader *r) {
    while (*r->at == ' ') r->at++;
}

static bool take_end_of_word(line_reader *r, const char *p, const char *wrong) {
    if (p && (*p == ' ' || *p == '\n' || *p == '\r' || *p == 0)) {
        r->at = p;
        return true;
    }
    r->wrong = wrong;
    return false;
}

static bool take_integer(line_reader *r, int64_t *out) {
    skip_blanks(r);
    return take_end_of_word(r, sp__scan_int64(r->at, out), "an integer");
}

static bool take_doubles(line_reader *r, double *out, int count) {
    for (int i = 0; i < count; i++) {
        skip_blanks(r);
        if (!take_end_of_word(r, sp__scan_double(r->at, &out[i]), "a finite number")) return false;
    }
    return true;
}

static bool take_word(line_reader *r, char *out, size_t size) {
    size_t n = 0;
    skip_blanks(r);
    while ((unsigned char)*r->at > ' ' && n + 1 < size) out[n++] = *r->at++;
    out[n] = 0;
    return n > 0 && take_end_of_word(r, r->at, "a shorter word");
}

static bool take_field(line_reader *r, const field *f, sp_edit *e) {
    int64_t value;
    if (f->kind == DOUBLES) return take_doubles(r, (double *)((char *)e + f->offset), f->count);
    if (f->kind == PATH) {
        r->wrong = "a path";
        return take_word(r, e->path, sizeof e->path);
    }
    if (!take_integer(r, &value)) return false;
    if (set_integer(e, (int)f->kind, value)) return true;
    r->wrong = "an integer within its range";
    return false;
}

static bool parse_line(line_reader *r, entry *out) {
    int64_t step, source, sequence;
    char word[24];
    if (!take_integer(r, &step) || !take_integer(r, &source) || !take_integer(r, &sequence)) return false;
    r->wrong = "numbers of step, source and sequence";
    if (step < 0 || source < 0 || source > UINT32_MAX || sequence < 0) return false;
    r->wrong =
        "one of pin release drag drop pose param take-over take-over-compliance contact-budget attach detach add remove link "
        "remove-element";
    if (!take_word(r, word, sizeof word)) return false;
    int type = 0;
    while (type < TYPES && strcmp(word, type_words[type]) != 0) type++;
    if (type == TYPES) return false;
    *out = (entry){(uint64_t)step, r->line, sp_edit_default((sp_edit_type)type)};
    out->edit.source = (uint32_t)source;
    out->edit.sequence = (uint64_t)sequence;
    for (const field *f = fields[type]; f->kind != END; f++)
        if (!take_field(r, f, &out->edit)) return false;
    skip_blanks(r);
    if (*r->at == '\r') r->at++;
    r->wrong = "the end of the line";
    return *r->at == '\n' && r->at++;
}

static sp_status add_entry(sp_edit_log *log, const entry *e) {
    if (log->count == log->capacity) {
        if (log->capacity > INT_MAX / 4) return SP_FAIL(log->ctx, SP_BAD_INPUT, "%s: too many edits", log->path);
        int capacity = log->capacity ? 2 * log->capacity : 64;
        entry *memory = sp__alloc(log->ctx, (size_t)capacity, sizeof *memory);
        if (!memory) return SP_FAIL(log->ctx, SP_NO_MEMORY, "%s: no memory for %d edits", log->path, capacity);
        if (log->count) memcpy(memory, log->entries, (size_t)log->count * sizeof *memory);
        sp__free(log->ctx, log->entries);
        log->entries = memory;
        log->capacity = capacity;
    }
    log->entries[log->count++] = *e;
    return SP_OK;
}

static sp_status parse_log(sp_edit_log *log, const char *text, size_t size) {
    size_t n = strlen(HEADER);
    line_reader r = {text + n, 1, NULL};
    if (size < n || memcmp(text, HEADER, n) != 0 || (*r.at != '\n' && *r.at != '\r'))
        return SP_FAIL(log->ctx, SP_BAD_INPUT, "%s:1: not an edit log of this version: its first line must be \"" HEADER "\"",
                       log->path);
    r.at += strcspn(r.at, "\n");
    if (*r.at) r.at++;
    for (r.line = 2; r.at < text + size; r.line++) {
        entry e;
        if (!parse_line(&r, &e))
            return SP_FAIL(log->ctx, SP_BAD_INPUT, "%s:%d: %s is needed, seen \"%.*s\"", log->path, r.line,
                           r.wrong ? r.wrong : "a word", (int)strcspn(r.at, " \r\n") > 40 ? 40 : (int)strcspn(r.at, " \r\n"),
                           r.at);
        if (log->count && e.step < log->entries[log->count - 1].step)
            return SP_FAIL(log->ctx, SP_BAD_INPUT, "%s:%d: step %" PRIu64 " after step %" PRIu64, log->path, r.line, e.step,
                           log->entries[log->count - 1].step);
        SP_TRY(add_entry(log, &e));
    }
    return SP_OK;
}

sp_status sp_edit_log_open(sp_context *context, const char *path, sp_edit_log **out) {
    sp_edit_log *log;
    char *text = NULL;
    size_t size;
    *out = NULL;
    SP_TRY(new_log(context, path, &log));
    sp_status status = sp__text_read(context, path, 0, &text, &size);
    if (status >= 0) status = parse_log(log, text, size);
    sp__free(context, text);
    if (status >= 0)
        *out = log;
    else
        sp_edit_log_close(&log);
    return status;
}

sp_status sp__edit_log_select(sp_context *context, const char *name, const char *text, unsigned types, sp_edit_log **out) {
    SP_TRY(new_log(context, name, out));
    sp_edit_log *log = *out;
    sp_status status = parse_log(log, text, strlen(text));
    int kept = 0;
    for (int i = 0; i < log->count; i++)
        if (types >> log->entries[i].edit.type & 1) log->entries[kept++] = log->entries[i];
    log->count = kept;
    if (status < 0) sp_edit_log_close(out);
    return status;
}

const sp_edit *sp__edit_log_at(const sp_edit_log *log, int index, uint64_t *step) {
    if (index >= log->count) return NULL;
    *step = log->entries[index].step;
    return &log->entries[index].edit;
}

// first entry of this step or a later one: after a restore the world may return to an earlier step
static int first_of(const sp_edit_log *log, uint64_t step) {
    int low = 0, high = log->count;
    while (low < high) {
        int middle = low + (high - low) / 2;
        if (log->entries[middle].step < step)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

sp_status sp_edit_log_queue(sp_edit_log *log, sp_world *world) {
    if (log->file) return SP_FAIL(log->ctx, SP_BAD_INPUT, "%s: the log is being written", log->path);
    uint64_t step = sp_world_steps(world);
    for (int i = first_of(log, step); i < log->count && log->entries[i].step == step; i++) {
        sp_status status = sp_world_queue(world, &log->entries[i].edit);
        if (status < 0)
            return SP_FAIL(log->ctx, status, "%s:%d: %s", log->path, log->entries[i].line, sp_world_error(world)->message);
    }
    return SP_OK;
}

sp_status sp_edit_log_close(sp_edit_log **log) {
    sp_edit_log *l = *log;
    sp_status status = SP_OK;
    if (!l) return SP_OK;
    *log = NULL;
    if (l->file && fclose(l->file) != 0) status = SP_FAIL(l->ctx, SP_IO, "%s: %s", l->path, strerror(errno));
    sp__free(l->ctx, l->entries);
    sp__free(l->ctx, l->path);
    sp__free(l->ctx, l);
    return status;
}
