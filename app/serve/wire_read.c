// Client messages. A table defines the fields of each message with type and range; other fields are ignored.
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "serve/wire.h"
#include "util/json_read.h"

typedef enum field_kind {
    WHOLE,
    NUMBER,
    VECTOR,
    WEIGHTS,
    TEXT,
    NUMBER_OR_TEXT,
    YES,
    WORD,
    COLOUR,
    SURFACES,
    PLANE,
    POINT
} field_kind;

typedef struct field {
    const char *key;
    field_kind kind;
    size_t offset;
    double low, high;
    const char *words;  // of WORD, separated by spaces
    unsigned given;     // bit to set; of an optional field
    bool needed;
} field;

#define AT(member) offsetof(sp_message, member)
#define INDEX_MAX 4294967295.0

static const field f_action[] = {{"action", WORD, AT(action), 0, 0, "request release grant deny", 0, true}, {0}};
static const field f_show[] = {{"colour", COLOUR, AT(colour), 0, 0, NULL, SP_GIVEN_COLOUR, false},
                               {"surfaces", SURFACES, AT(surfaces), 0, 0, NULL, SP_GIVEN_SURFACES, false},
                               {"marks", YES, AT(marks), 0, 0, NULL, SP_GIVEN_MARKS, false},
                               {"contacts", YES, AT(contacts), 0, 0, NULL, SP_GIVEN_CONTACTS, false},
                               {"clip", PLANE, AT(clip), -1e9, 1e9, NULL, SP_GIVEN_CLIP, false},
                               {0}};
static const field f_ack[] = {{"step", WHOLE, AT(step), 0, 9007199254740992.0, NULL, 0, true}, {0}};
static const field f_step[] = {{"count", WHOLE, AT(count), 1, 1000, NULL, 0, false}, {0}};
static const field f_reset[] = {{"keep", YES, AT(keep), 0, 0, NULL, 0, false}, {0}};
static const field f_speed[] = {{"value", NUMBER, AT(value), 0, 10, NULL, 0, true}, {0}};
static const field f_dt[] = {{"value", NUMBER, AT(value), 1e-6, 1, NULL, 0, true}, {0}};
static const field f_gravity[] = {{"value", VECTOR, AT(vector), -1e6, 1e6, NULL, 0, true}, {0}};
static const field f_param[] = {
    {"path", TEXT, AT(path), 1, 63, NULL, 0, true}, {"value", NUMBER, AT(value), -INFINITY, INFINITY, NULL, 0, true}, {0}};
static const field f_solver[] = {
    {"body", WHOLE, AT(body), 0, INDEX_MAX, NULL, 0, false}, {"solver", TEXT, AT(text), 1, SP_TEXT_MAX - 1, NULL, 0, true}, {0}};
static const field f_threads[] = {{"value", WHOLE, AT(threads), 1, 64, NULL, 0, true}, {0}};
static const field f_scene[] = {{"number", WHOLE, AT(number), 0, 1e6, NULL, 0, true}, {0}};
static const field f_set[] = {{"path", TEXT, AT(path), 1, SP_TEXT_MAX - 1, NULL, 0, true},
                              {"value", NUMBER_OR_TEXT, AT(text), 0, SP_TEXT_MAX - 1, NULL, 0, true},
                              {0}};
// a point needs all of body, face and weights: see read_point
static const field f_drag[] = {{"slot", WHOLE, AT(slot), 0, SP_DRAG_SLOTS - 1, NULL, 0, false},
                               {"target", VECTOR, AT(vector), -1e9, 1e9, NULL, 0, true},
                               {"stiffness", NUMBER, AT(stiffness), 0, 1e12, NULL, 0, false},
                               {"revision", WHOLE, AT(revision), 0, INDEX_MAX, NULL, SP_GIVEN_REVISION, false},
                               {0}};
#define POINT_FIELDS(member)                                                      \
    {                                                                             \
        {"body", WHOLE, AT(member.body), 1, INDEX_MAX, NULL, 0, true},            \
            {"surface", WHOLE, AT(member.surface), 0, INDEX_MAX, NULL, 0, false}, \
            {"face", WHOLE, AT(member.face), 0, INDEX_MAX, NULL, 0, true},        \
            {"weights", WEIGHTS, AT(member.weights), 0, 1, NULL, 0, true}, {      \
            0                                                                     \
        }                                                                         \
    }
static const field f_point[] = POINT_FIELDS(point), f_other[] = POINT_FIELDS(other);
static const field f_drop[] = {{"slot", WHOLE, AT(slot), 0, SP_DRAG_SLOTS - 1, NULL, SP_GIVEN_SLOT, false}, {0}};
static const field f_node[] = {
    {"body", WHOLE, AT(body), 1, INDEX_MAX, NULL, 0, true}, {"node", WHOLE, AT(node), 0, 2147483647, NULL, 0, true}, {0}};
static const field f_throw[] = {{"at", VECTOR, AT(vector), -1e9, 1e9, NULL, 0, true},
                                {"velocity", VECTOR, AT(velocity), -1e6, 1e6, NULL, 0, true},
                                {"radius", NUMBER, AT(radius), 1e-9, 1e6, NULL, 0, true},
                                {"density", NUMBER, AT(density), 1e-6, 1e6, NULL, 0, false},
                                {0}};
static const field f_probe[] = {{"from", VECTOR, AT(from), -1e9, 1e9, NULL, 0, true},
                                {"at", VECTOR, AT(vector), -1e9, 1e9, NULL, 0, true},
                                {"radius", NUMBER, AT(radius), 1e-9, 1e6, NULL, 0, true},
                                {0}};
static const field f_remove[] = {{"body", WHOLE, AT(body), 1, INDEX_MAX, NULL, 0, true}, {0}};
static const field f_attach[] = {{"name", TEXT, AT(path), 1, 63, NULL, SP_GIVEN_NAME, false},
                                 {"a", POINT, 0, 0, 0, NULL, SP_GIVEN_A, false},
                                 {"b", POINT, 0, 0, 0, NULL, SP_GIVEN_B, false},
                                 {"to", VECTOR, AT(vector), -1e9, 1e9, NULL, SP_GIVEN_TO, false},
                                 {"stiffness", NUMBER, AT(stiffness), 0, 1e12, NULL, 0, false},
                                 {0}};
static const field f_detach[] = {{"name", TEXT, AT(path), 1, 63, NULL, 0, true}, {0}};
static const field f_record[] = {{"action", WORD, AT(action), 0, 0, "start stop", 0, true}, {0}};
static const field f_open[] = {{"file", TEXT, AT(path), 1, SP_TEXT_MAX - 1, NULL, 0, true},
                               {"name", TEXT, AT(text), 1, SP_TEXT_MAX - 1, NULL, 0, false},
                               {0}};
static const field f_seek[] = {{"time", NUMBER, AT(value), -INFINITY, INFINITY, NULL, 0, true}, {0}};
static const field f_none[] = {{0}};

static const field *const fields_of[SP_MESSAGE_TYPES] = {
    [SP_MESSAGE_CONTROL] = f_action, [SP_MESSAGE_SHOW] = f_show,       [SP_MESSAGE_ACK] = f_ack,
    [SP_MESSAGE_STEP] = f_step,      [SP_MESSAGE_RESET] = f_reset,     [SP_MESSAGE_SPEED] = f_speed,
    [SP_MESSAGE_DT] = f_dt,          [SP_MESSAGE_GRAVITY] = f_gravity, [SP_MESSAGE_PARAM] = f_param,
    [SP_MESSAGE_SOLVER] = f_solver,  [SP_MESSAGE_THREADS] = f_threads, [SP_MESSAGE_SCENE] = f_scene,
    [SP_MESSAGE_SET] = f_set,        [SP_MESSAGE_DRAG] = f_drag,       [SP_MESSAGE_DROP] = f_drop,
    [SP_MESSAGE_PIN] = f_node,       [SP_MESSAGE_UNPIN] = f_node,      [SP_MESSAGE_RECORD] = f_record,
    [SP_MESSAGE_OPEN] = f_open,      [SP_MESSAGE_SEEK] = f_seek,       [SP_MESSAGE_THROW] = f_throw,
    [SP_MESSAGE_PROBE] = f_probe,    [SP_MESSAGE_REMOVE] = f_remove,   [SP_MESSAGE_ATTACH] = f_attach,
    [SP_MESSAGE_DETACH] = f_detach,
};

static const char *const type_words[SP_MESSAGE_TYPES] = {
#define SP_X(id, word) [SP_MESSAGE_##id] = word,
    SP_MESSAGE_LIST(SP_X)
#undef SP_X
};

// ---------------------------------------------------------------------------------------------------- fields to show

bool sp__wire_field(int code, sp_field_info *out) {
    for (int i = 0; code > SP_FIELD_NONE && sp_field_at(i, out) >= 0; i++)
        if (out->color == code) return true;
    return false;
}

int sp__wire_field_code(const char *name) {
    sp_field_info f;
    return sp_field_named(name, &f) >= 0 && f.color ? f.color : -1;
}

// ---------------------------------------------------------------------------------------------------- single fields

typedef struct reading {
    sp_message *out;
    char *why;
} reading;

static sp_wire_verdict malformed(const reading *r, const field *f, const char *what) {
    snprintf(r->why, SP_WHY_MAX, "%s: \"%s\" must be %s", type_words[r->out->type], f->key, what);
    return SP_WIRE_MALFORMED;
}

static sp_wire_verdict out_of_range(const reading *r, const field *f, double value) {
    snprintf(r->why, SP_WHY_MAX, "%s: %s = %g, must be in [%g, %g]", type_words[r->out->type], f->key, value, f->low, f->high);
    return SP_WIRE_REFUSED;
}

static sp_wire_verdict read_whole(const reading *r, const field *f, const sp_json_value *v, void *to) {
    if (v->kind != SP_JSON_NUMBER || v->number != floor(v->number)) return malformed(r, f, "a whole number");
    if (v->number < f->low || v->number > f->high) return out_of_range(r, f, v->number);
    *(int64_t *)to = (int64_t)v->number;
    return SP_WIRE_GOOD;
}

static sp_wire_verdict read_number(const reading *r, const field *f, const sp_json_value *v, double *to) {
    if (v->kind != SP_JSON_NUMBER) return malformed(r, f, "a number");
    if (v->number < f->low || v->number > f->high) return out_of_range(r, f, v->number);
    *to = v->number;
    return SP_WIRE_GOOD;
}

static sp_wire_verdict read_vector(const reading *r, const field *f, const sp_json_value *v, double *to) {
    if (v->kind != SP_JSON_LIST || sp__json_count(v) != 3) return malformed(r, f, "three numbers");
    const sp_json_value *item = v->first;
    for (int i = 0; i < 3; i++, item = item->next) {
        sp_wire_verdict verdict = read_number(r, f, item, &to[i]);
        if (verdict != SP_WIRE_GOOD) return verdict;
    }
    return SP_WIRE_GOOD;
}

// normalised to sum 1
static sp_wire_verdict read_weights(const reading *r, const field *f, const sp_json_value *v, double *to) {
    sp_wire_verdict verdict = read_vector(r, f, v, to);
    double sum = to[0] + to[1] + to[2];
    if (verdict != SP_WIRE_GOOD) return verdict;
    if (!(sum > 0.5 && sum < 1.5)) {
        snprintf(r->why, SP_WHY_MAX, "%s: weights sum up to %g, must be 1", type_words[r->out->type], sum);
        return SP_WIRE_REFUSED;
    }
    for (int i = 0; i < 3; i++) to[i] /= sum;
    return SP_WIRE_GOOD;
}

static sp_wire_verdict read_text(const reading *r, const field *f, const sp_json_value *v, char *to) {
    if (f->kind == NUMBER_OR_TEXT && v->kind == SP_JSON_NUMBER) {
        snprintf(to, SP_TEXT_MAX, "%.17g", v->number);
        return SP_WIRE_GOOD;
    }
    if (v->kind != SP_JSON_TEXT) return malformed(r, f, f->kind == TEXT ? "text" : "text or a number");
    size_t n = strlen(v->text);
    if (n < (size_t)f->low || n > (size_t)f->high) {
        snprintf(r->why, SP_WHY_MAX, "%s: %s has %zu bytes, must have %g to %g", type_words[r->out->type], f->key, n, f->low,
                 f->high);
        return SP_WIRE_REFUSED;
    }
    memcpy(to, v->text, n + 1);
    return SP_WIRE_GOOD;
}

// index of a word in a list, -1: not found
static int find_word(const char *words, const char *word) {
    size_t n = strlen(word);
    for (int i = 0; n && *words; i++) {
        size_t length = strcspn(words, " ");
        if (length == n && memcmp(words, word, n) == 0) return i;
        words += length + (words[length] == ' ');
    }
    return -1;
}

static sp_wire_verdict read_word(const reading *r, const field *f, const sp_json_value *v, int *to) {
    char what[80];
    snprintf(what, sizeof what, "one of: %s", f->words);
    *to = v->kind == SP_JSON_TEXT ? find_word(f->words, v->text) : -1;
    return *to >= 0 ? SP_WIRE_GOOD : malformed(r, f, what);
}

static sp_wire_verdict read_colour(const reading *r, const field *f, const sp_json_value *v, int *to) {
    *to = SP_FIELD_NONE;
    if (v->kind == SP_JSON_NULL) return SP_WIRE_GOOD;
    if (v->kind != SP_JSON_TEXT) return malformed(r, f, "the name of a field or null");
    *to = sp__wire_field_code(v->text);
    if (*to >= 0) return SP_WIRE_GOOD;
    snprintf(r->why, SP_WHY_MAX, "show: there is no field \"%.60s\"", v->text);
    return SP_WIRE_REFUSED;
}

static sp_wire_verdict read_surfaces(const reading *r, const field *f, const sp_json_value *v, unsigned *to) {
    static const char words[] = "visual collision mechanical interfaces";
    if (v->kind != SP_JSON_LIST) return malformed(r, f, "a list");
    *to = 0;
    for (const sp_json_value *item = v->first; item; item = item->next) {
        int bit = item->kind == SP_JSON_TEXT ? find_word(words, item->text) : -1;
        if (bit < 0) return malformed(r, f, "a list of: visual collision mechanical interfaces");
        *to |= 1u << bit;
    }
    return SP_WIRE_GOOD;
}

// {"point": [x, y, z], "normal": [x, y, z]} or null
static sp_wire_verdict read_plane(const reading *r, const field *f, const sp_json_value *v, sp_clip_plane *to) {
    *to = (sp_clip_plane){0};
    if (v->kind == SP_JSON_NULL) return SP_WIRE_GOOD;
    const sp_json_value *point = v->kind == SP_JSON_OBJECT ? sp__json_get(v, "point") : NULL;
    const sp_json_value *normal = v->kind == SP_JSON_OBJECT ? sp__json_get(v, "normal") : NULL;
    if (!point || !normal) return malformed(r, f, "null or a plane, with point and normal");
    const field parts[2] = {{.key = "point", .low = f->low, .high = f->high}, {.key = "normal", .low = f->low, .high = f->high}};
    sp_wire_verdict verdict = read_vector(r, &parts[0], point, to->point), other = read_vector(r, &parts[1], normal, to->normal);
    if (verdict != SP_WIRE_MALFORMED && other != SP_WIRE_GOOD) verdict = other;
    if (verdict != SP_WIRE_GOOD) return verdict;
    double length = sqrt(to->normal[0] * to->normal[0] + to->normal[1] * to->normal[1] + to->normal[2] * to->normal[2]);
    if (!(length > 1e-9)) {
        snprintf(r->why, SP_WHY_MAX, "show: normal of the clipping plane has the length %g, must be above 1e-9", length);
        return SP_WIRE_REFUSED;
    }
    for (int i = 0; i < 3; i++) to->normal[i] /= length;
    return SP_WIRE_GOOD;
}

static sp_wire_verdict read_fields(const reading *r, const sp_json_value *root, const field *list);

static sp_wire_verdict read_field(const reading *r, const field *f, const sp_json_value *v) {
    void *to = (char *)r->out + f->offset;
    r->out->given |= f->given;
    switch (f->kind) {
    case WHOLE: return read_whole(r, f, v, to);
    case NUMBER: return read_number(r, f, v, to);
    case VECTOR: return read_vector(r, f, v, to);
    case WEIGHTS: return read_weights(r, f, v, to);
    case TEXT:
    case NUMBER_OR_TEXT: return read_text(r, f, v, to);
    case WORD: return read_word(r, f, v, to);
    case COLOUR: return read_colour(r, f, v, to);
    case SURFACES: return read_surfaces(r, f, v, to);
    case PLANE: return read_plane(r, f, v, to);
    case POINT:
        if (v->kind != SP_JSON_OBJECT) return malformed(r, f, "a point of a face");
        return read_fields(r, v, f->given == SP_GIVEN_A ? f_point : f_other);
    case YES:
        if (v->kind != SP_JSON_TRUE && v->kind != SP_JSON_FALSE) return malformed(r, f, "true or false");
        *(bool *)to = v->kind == SP_JSON_TRUE;
        return SP_WIRE_GOOD;
    }
    return SP_WIRE_MALFORMED;
}

// ---------------------------------------------------------------------------------------------------- whole messages

// A malformed message closes the connection, so all fields are read before a field out of range is reported.
static sp_wire_verdict read_fields(const reading *r, const sp_json_value *root, const field *list) {
    sp_wire_verdict worst = SP_WIRE_GOOD;
    char kept[SP_WHY_MAX] = "";
    for (const field *f = list; f->key; f++) {
        const sp_json_value *v = sp__json_get(root, f->key);
        if (!v && f->needed) {
            snprintf(r->why, SP_WHY_MAX, "%s: \"%s\" is missing", type_words[r->out->type], f->key);
            return SP_WIRE_MALFORMED;
        }
        sp_wire_verdict verdict = v ? read_field(r, f, v) : SP_WIRE_GOOD;
        if (verdict == SP_WIRE_MALFORMED) return verdict;
        if (verdict == SP_WIRE_REFUSED && worst == SP_WIRE_GOOD) worst = verdict, memcpy(kept, r->why, sizeof kept);
    }
    if (worst != SP_WIRE_GOOD) memcpy(r->why, kept, sizeof kept);
    return worst;
}

static sp_wire_verdict read_type(const sp_json_value *root, sp_message *out, char *why) {
    const sp_json_value *type = sp__json_get(root, "type"), *id = sp__json_get(root, "id");
    int number = SP_MESSAGE_TYPES;
    if (root->kind != SP_JSON_OBJECT || !type || type->kind != SP_JSON_TEXT) {
        snprintf(why, SP_WHY_MAX, "a message must be an object with a \"type\"");
        return SP_WIRE_MALFORMED;
    }
    while (number > 0 && strcmp(type->text, type_words[number - 1]) != 0) number--;
    if (number == 0) {
        snprintf(why, SP_WHY_MAX, "unknown type \"%.60s\"", type->text);
        return SP_WIRE_MALFORMED;
    }
    out->type = (sp_message_type)(number - 1);
    if (!id || id->kind == SP_JSON_NULL) return SP_WIRE_GOOD;
    if (id->kind != SP_JSON_NUMBER || id->number != floor(id->number) || id->number < 0 || id->number > 9007199254740992.0) {
        snprintf(why, SP_WHY_MAX, "%s: \"id\" must be a whole number in [0, 2^53]", type_words[out->type]);
        return SP_WIRE_MALFORMED;
    }
    out->id = (int64_t)id->number;
    out->given |= SP_GIVEN_ID;
    return SP_WIRE_GOOD;
}

// an active drag may omit its point
static sp_wire_verdict read_point(const reading *r, const sp_json_value *root) {
    if (!sp__json_get(root, "face") && !sp__json_get(root, "weights")) return SP_WIRE_GOOD;
    r->out->given |= SP_GIVEN_POINT;
    return read_fields(r, root, f_point);
}

// a link that was there before by its name, or a new one between two places
static sp_wire_verdict check_attach(const reading *r) {
    const unsigned given = r->out->given & (SP_GIVEN_NAME | SP_GIVEN_A | SP_GIVEN_B | SP_GIVEN_TO);
    if (given == SP_GIVEN_NAME || given == (SP_GIVEN_A | SP_GIVEN_B) || given == (SP_GIVEN_A | SP_GIVEN_TO)) return SP_WIRE_GOOD;
    snprintf(r->why, SP_WHY_MAX, "attach: must have \"name\", or \"a\" and one of \"b\" and \"to\"");
    return SP_WIRE_MALFORMED;
}

static sp_wire_verdict read_rest(const reading *r, const sp_json_value *root) {
    sp_message *m = r->out;
    sp_wire_verdict verdict = read_fields(r, root, fields_of[m->type] ? fields_of[m->type] : f_none);
    if (verdict == SP_WIRE_GOOD && m->type == SP_MESSAGE_DRAG) verdict = read_point(r, root);
    if (verdict == SP_WIRE_GOOD && m->type == SP_MESSAGE_ATTACH) verdict = check_attach(r);
    if (verdict == SP_WIRE_GOOD && m->type == SP_MESSAGE_SPEED && m->value != 0 && m->value < 0.1) {
        snprintf(r->why, SP_WHY_MAX, "speed = %g, must be in [0.1, 10], or 0: as fast as it can", m->value);
        return SP_WIRE_REFUSED;
    }
    return verdict;
}

sp_wire_verdict sp__message_read(const char *text, size_t size, sp_message *out, char why[SP_WHY_MAX]) {
    *out = (sp_message){.count = 1, .density = 1000};
    why[0] = 0;
    if (size > SP_MESSAGE_MAX) {
        snprintf(why, SP_WHY_MAX, "a message of %zu bytes, at most %d are read", size, SP_MESSAGE_MAX);
        return SP_WIRE_MALFORMED;
    }
    sp_json_tree tree;
    reading r = {out, why};
    sp_wire_verdict verdict = SP_WIRE_MALFORMED;
    if (!sp__json_parse(&tree, text, size))
        snprintf(why, SP_WHY_MAX, "no JSON: %.100s", tree.why);
    else
        verdict = read_type(tree.root, out, why);
    if (verdict == SP_WIRE_GOOD) verdict = read_rest(&r, tree.root);
    sp__json_free(&tree);
    return verdict;
}
