// What an import makes: elements of the new scene, files beside it, notes about the components; and the calls of the API.
#include <stdio.h>

#include "io/sofa/sofa.h"

enum { COLUMNS = 120, NAME_MOST = 40 };

const char *sp__sofa_after_slash(const char *path) {
    const char *slash = strrchr(path, '/');
    return slash ? slash + 1 : path;
}

// ---------------------------------------------------------------------------------------------- text

const char *sp__sofa_print(sp_import *im, const char *format, ...) {
    va_list args, again;
    va_start(args, format);
    va_copy(again, args);
    int n = vsnprintf(NULL, 0, format, args);
    char *text = n < 0 ? NULL : sp__scene_alloc(im->scene, (size_t)n + 1, 1);
    if (text) vsnprintf(text, (size_t)n + 1, format, again);
    va_end(again);
    va_end(args);
    return text ? text : im->nothing;
}

// the shortest decimal text of the same bits with 6 digits or more, as people write it: 300000, 2e7, 1e-9
static void shortest(double value, char out[32]) {
    char text[32];
    sp__print_double(out, value);
    for (int digits = 6; digits < 17; digits++) {
        double again;
        snprintf(text, sizeof text, "%.*g", digits, value);
        for (char *c = text; *c; c++)
            if (*c == ',') *c = '.';
        if (!sp__scan_double(text, &again) || again != value) continue;
        strcpy(out, text);
        break;
    }
    char *e = strchr(out, 'e'), *from = e ? e + 1 + (e[1] == '+') : NULL, *to = e ? e + 1 : NULL;
    if (!e) return;
    if (*from == '-') *to++ = *from++;
    while (*from == '0') from++;
    memmove(to, from, strlen(from) + 1);
}

const char *sp__sofa_join(sp_import *im, const double *numbers, int count) {
    char *text = sp__scene_alloc(im->scene, (size_t)count * 26 + 1, 1), *at = text;
    if (!text) return "";
    for (int i = 0; i < count; i++) {
        char number[32];
        shortest(numbers[i] == 0 ? 0 : numbers[i], number);
        at += sprintf(at, "%s%s", i ? " " : "", number);
    }
    return text;
}

// ---------------------------------------------------------------------------------------------- elements

sofa_element *sp__sofa_add(sp_import *im, sofa_element *parent, const char *name, const sofa_object *from) {
    sofa_element *e = sp__scene_alloc(im->scene, 1, sizeof *e);
    if (!e) e = &im->spare;
    *e = (sofa_element){.name = name};
    e->attrs_end = &e->attrs;
    e->end = &e->first;
    if (from) {
        const char *file = from->raw->file == im->file ? "" : sp__sofa_after_slash(from->raw->file);
        e->comment = sp__sofa_print(im, "%s%sline %d: %.80s", file, *file ? " " : "", from->raw->line, from->type);
    }
    if (parent && e != &im->spare) {
        *parent->end = e;
        parent->end = &e->next;
    }
    return e;
}

void sp__sofa_set(sp_import *im, sofa_element *e, const char *name, const char *value) {
    for (sofa_attr *a = e->attrs; a; a = a->next)
        if (strcmp(a->name, name) == 0) {
            a->value = value;
            return;
        }
    sofa_attr *attr = sp__scene_alloc(im->scene, 1, sizeof *attr);
    if (!attr) return;
    *attr = (sofa_attr){.name = name, .value = value};
    *e->attrs_end = attr;
    e->attrs_end = &attr->next;
}

void sp__sofa_set_number(sp_import *im, sofa_element *e, const char *name, double value) {
    sp__sofa_set(im, e, name, sp__sofa_join(im, &value, 1));
}

void sp__sofa_set_result(sp_import *im, sofa_element *e, const char *name, double value) {
    char text[32];
    double rounded;
    snprintf(text, sizeof text, "%.12g", value);
    for (char *c = text; *c; c++)
        if (*c == ',') *c = '.';
    sp__sofa_set_number(im, e, name, sp__scan_double(text, &rounded) ? rounded : value);
}

void sp__sofa_set_vector(sp_import *im, sofa_element *e, const char *name, const double *values, int count) {
    sp__sofa_set(im, e, name, sp__sofa_join(im, values, count));
}

static sofa_name *find_name(const sp_import *im, const char *name) {
    for (int i = 0; i < im->name_count; i++)
        if (strcmp(im->names[i].name, name) == 0) return &im->names[i];
    return NULL;
}

const char *sp__sofa_unique(sp_import *im, const char *wanted) {
    char base[NAME_MOST + 1];
    int n = 0;
    for (const char *c = wanted; *c && n < NAME_MOST; c++) {
        bool letter = (*c >= 'a' && *c <= 'z') || (*c >= 'A' && *c <= 'Z'), other = (*c >= '0' && *c <= '9') || *c == '_';
        if (letter || (other && n))
            base[n++] = *c;
        else if (n && base[n - 1] != '-')
            base[n++] = '-';
    }
    while (n && base[n - 1] == '-') n--;
    base[n] = 0;
    const char *name = sp__sofa_print(im, "%s", n ? base : "body");
    sofa_name *first = find_name(im, name);
    while (first && !im->scene->no_memory) {
        const char *next = sp__sofa_print(im, "%s-%d", name, first->next++);
        if (find_name(im, next)) continue;
        name = next;
        break;
    }
    if (sp__scene_grow(im->scene, &im->names, im->name_count, &im->name_capacity, sizeof *im->names))
        im->names[im->name_count++] = (sofa_name){name, 2};
    return name;
}

// ---------------------------------------------------------------------------------------------- notes

void sp__sofa_note(sp_import *im, sofa_object *o, sp_import_fate fate, const char *format, ...) {
    char text[512];
    va_list args;
    va_start(args, format);
    vsnprintf(text, sizeof text, format, args);
    va_end(args);
    o->noted = true;
    o->used = o->used || fate == SP_IMPORT_BECAME || fate == SP_IMPORT_CHANGED;
    // a component of several bodies says the same for each
    for (const sofa_said *s = o->said; s; s = s->older)
        if (s->fate == fate && strcmp(s->text, text) == 0) return;
    sofa_said *said = sp__scene_alloc(im->scene, 1, sizeof *said);
    if (!said || !sp__scene_grow(im->scene, &im->notes, im->note_count, &im->note_capacity, sizeof *im->notes)) return;
    *said = (sofa_said){fate, sp__sofa_print(im, "%s", text), o->said};
    o->said = said;
    im->notes[im->note_count++] = (sp_import_note){fate, o->raw->file, o->raw->line, o->type, said->text};
}

void sp__sofa_became(sp_import *im, sofa_object *o) {
    sp__sofa_note(im, o, SP_IMPORT_BECAME, "%s", o->component->becomes);
}

// ---------------------------------------------------------------------------------------------- files

static bool file_taken(const sp_import *im, const char *name) {
    for (const sofa_file *f = im->files; f; f = f->next)
        if (f->name && strcmp(f->name, name) == 0) return true;
    return false;
}

sofa_file *sp__sofa_file(sp_import *im, const char *name, const char *suffix) {
    sofa_file *file = sp__scene_alloc(im->scene, 1, sizeof *file);
    if (!file) return NULL;
    const char *own = sp__sofa_print(im, "%s-%s%s", im->stem, name, suffix);
    for (int i = 2; file_taken(im, own) && !im->scene->no_memory; i++)
        own = sp__sofa_print(im, "%s-%s-%d%s", im->stem, name, i, suffix);
    *file = (sofa_file){.name = own, .next = im->files};
    im->files = file;
    return file;
}

static sp_status write_text(sp_import *im, const char *text, size_t size, const char *path) {
    sp_new_file out;
    SP_TRY(sp__new_file_open(im->ctx, path, &out));
    bool good = fwrite(text, 1, size, out.stream) == size;
    return sp__new_file_close(&out, good);
}

static sp_status write_copy(sp_import *im, const sofa_file *file, const char *path) {
    char *text;
    size_t size;
    SP_TRY(sp__text_read(im->ctx, file->copy_of, 0, &text, &size));
    sp_status status = write_text(im, text, size, path);
    sp__free(im->ctx, text);
    return status;
}

static sp_status write_file(sp_import *im, const sofa_file *file, const char *path) {
    sp_mesh_write_options text = sp_mesh_write_options_default();
    text.encoding = SP_ENCODING_ASCII;
    if (file->mesh) return sp_mesh_write(file->mesh, path, &text);
    if (file->surface) return sp_trimesh_write(file->surface, path, &text);
    if (file->text) return write_text(im, file->text, strlen(file->text), path);
    return write_copy(im, file, path);
}

// ---------------------------------------------------------------------------------------------- the scene as text

static void add(sp_import *im, const char *text) {
    sp__buffer_add(im->ctx, &im->text, text, strlen(text));
}

static void indent(sp_import *im, int depth) {
    for (int i = 0; i < depth; i++) add(im, "  ");
}

// text of an attribute: &, < and quotes are escaped
static void add_value(sp_import *im, const char *value) {
    for (const char *c = value; *c; c++) {
        const char *name = *c == '&' ? "&amp;" : *c == '<' ? "&lt;" : *c == '"' ? "&quot;" : NULL;
        if (name)
            add(im, name);
        else
            sp__buffer_add(im->ctx, &im->text, c, 1);
    }
}

// a comment must not hold two hyphens
static void add_comment(sp_import *im, const char *text, int depth) {
    indent(im, depth);
    add(im, "<!-- ");
    for (const char *c = text; *c; c++)
        if (!(*c == '-' && c[1] == '-')) sp__buffer_add(im->ctx, &im->text, c, 1);
    add(im, " -->\n");
}

static void print_attrs(sp_import *im, const sofa_element *e, int depth) {
    size_t start = im->text.size;
    for (const sofa_attr *a = e->attrs; a; a = a->next) {
        bool wide = im->text.size - start + strlen(a->name) + strlen(a->value) + 4 > (size_t)(COLUMNS - 2 * depth);
        if (wide && a != e->attrs) {
            add(im, "\n");
            start = im->text.size;
            indent(im, depth + 2);
        } else {
            add(im, " ");
        }
        add(im, a->name);
        add(im, "=\"");
        add_value(im, a->value);
        add(im, "\"");
    }
}

static void print_element(sp_import *im, const sofa_element *e, int depth) {
    if (e->comment) add_comment(im, e->comment, depth);
    if (!e->name) return;
    indent(im, depth);
    add(im, "<");
    add(im, e->name);
    print_attrs(im, e, depth);
    add(im, e->first ? ">\n" : "/>\n");
    for (const sofa_element *c = e->first; c; c = c->next) print_element(im, c, depth + 1);
    if (!e->first) return;
    indent(im, depth);
    add(im, "</");
    add(im, e->name);
    add(im, ">\n");
}

static void print_scene(sp_import *im) {
    print_element(im, im->top, 0);
    char end = 0;
    if (sp__buffer_add(im->ctx, &im->text, &end, 1)) im->text.size--;
    if (im->text.broken) im->scene->no_memory = true;
}

// ---------------------------------------------------------------------------------------------- what nobody used

static void say_attributes(sp_import *im, sofa_object *o) {
    char list[300] = "";
    size_t used = 0;
    int count = 0;
    for (int i = 0; i < o->raw->attr_count; i++) {
        const char *name = o->raw->attrs[i].name;
        if (o->asked[i] || sp__sofa_idle_attribute(name, o->raw->attrs[i].value)) continue;
        int n = snprintf(list + used, sizeof list - used, "%s%.40s", used ? ", " : "", name);
        if (n > 0 && (size_t)n < sizeof list - used) used += (size_t)n;
        count++;
    }
    if (count) sp__sofa_note(im, o, SP_IMPORT_LEFT_OUT, "attribute%s %s", count > 1 ? "s" : "", list);
}

static void say_rest(sp_import *im, sofa_object *o) {
    const sofa_component *c = o->component;
    if (!c) {
        sp__sofa_note(im, o, SP_IMPORT_LEFT_OUT, "the importer does not know this component");
    } else if (c->role == SOFA_NOT_NEEDED) {
        sp__sofa_note(im, o, SP_IMPORT_NOT_NEEDED, "%s", c->becomes);
    } else if (c->role == SOFA_LEFT_OUT) {
        sp__sofa_note(im, o, SP_IMPORT_LEFT_OUT, "no counterpart: %s", c->becomes);
    } else if (!o->noted) {
        sp__sofa_note(im, o, SP_IMPORT_LEFT_OUT, "it belongs to no body of the new scene");
    } else if (o->used) {
        say_attributes(im, o);
    }
}

static int by_line(const void *a, const void *b) {
    const sp_import_note *x = a, *y = b;
    int files = strcmp(x->file, y->file);
    return files ? files : (x->line > y->line) - (x->line < y->line);
}

// insertion keeps the order of the notes of a line; they are nearly sorted
static void sort_notes(sp_import *im) {
    for (int i = 1; i < im->note_count; i++) {
        sp_import_note note = im->notes[i];
        int at = i;
        for (; at > 0 && by_line(&im->notes[at - 1], &note) > 0; at--) im->notes[at] = im->notes[at - 1];
        im->notes[at] = note;
    }
}

// ---------------------------------------------------------------------------------------------- API

sp_import_options sp_import_options_default(void) {
    return (sp_import_options){.time = 1, .cookie = SP_COOKIE_IMPORT};
}

static bool is_python(const char *name) {
    const char *suffix = strrchr(name, '.');
    return suffix && sp__list_has(".py/.pyscn/.pscn/.py3scn", '/', suffix);
}

static sp_status import_check(sp_context *ctx, const char *name, const sp_import_options *options) {
    if (!name || !name[0]) return SP_FAIL(ctx, SP_BAD_INPUT, "an import needs the name of a scene");
    if (options->cookie != SP_COOKIE_IMPORT)
        return SP_FAIL(ctx, SP_BAD_INPUT, "sp_import_options: start from sp_import_options_default()");
    if (!(options->time > 0 && options->time < 1e12))
        return SP_FAIL(ctx, SP_BAD_INPUT, "time %g: must be in (0, 1e12) s", options->time);
    if (is_python(name))
        return SP_FAIL(
            ctx, SP_BAD_INPUT,
            "%s: a Python scene is a program that only SOFA can run; save what it builds as .scn there (File, Save as) "
            "and import that",
            name);
    return SP_OK;
}

// "out/beam.xml" gives "beam"
static const char *stem_of(sp_import *im, const char *path) {
    const char *name = sp__sofa_after_slash(path), *dot = strrchr(name, '.');
    return sp__sofa_print(im, "%.*s", (int)(dot && dot != name ? dot - name : (long)strlen(name)), name);
}

static void convert(sp_import *im, const char *text, size_t size) {
    im->scene->foreign = true;
    const sp_raw *raw = sp__sofa_parse(im, text, size, im->file);
    if (raw && !im->scene->no_memory) im->root = sp__sofa_tree(im, raw);
    if (!im->root || im->scene->no_memory || im->scene->error_count) return;
    sp__sofa_scene(im);
    for (const sofa_node *n = im->root; n; n = sp__sofa_next_node(n, im->root))
        for (int i = 0; i < n->object_count; i++) say_rest(im, &n->objects[i]);
    sort_notes(im);
    print_scene(im);
}

static void free_files(sp_import *im) {
    for (sofa_file *f = im->files; f; f = f->next) {
        sp_mesh_destroy(&f->mesh);
        sp_trimesh_destroy(&f->surface);
    }
    im->files = NULL;
}

sp_status sp_import_sofa_parse(sp_context *ctx, const char *text, size_t size, const char *name, const sp_import_options *options,
                               sp_import **out) {
    sp_import_options fallback = sp_import_options_default();
    if (!options) options = &fallback;
    *out = NULL;
    SP_TRY(import_check(ctx, name, options));
    sp_scene_options reading = sp_scene_options_default();
    reading.allow_paths = options->folders, reading.allow_count = options->folder_count;
    sp_import *im = sp__alloc(ctx, 1, sizeof *im);
    if (!im) return SP_FAIL(ctx, SP_NO_MEMORY, "no memory to import %s", name);
    *im = (sp_import){.ctx = ctx, .folders = options->folders, .folder_count = options->folder_count, .stop = options->time};
    sp_status status = sp__scene_create(ctx, name, &reading, &im->scene);
    if (status >= 0 && !im->scene->no_memory && !im->scene->error_count) {
        im->file = im->scene->file;
        im->out = sp__sofa_print(im, "%s", options->out ? options->out : "scene.xml");
        im->stem = stem_of(im, im->out);
        convert(im, text, size);
    }
    if (status >= 0) {
        if (im->scene->no_memory) free_files(im);  // their records go with the scene
        status = sp__scene_finish(&im->scene);
    }
    *out = im;
    if (status < 0) sp_import_destroy(out);
    return status;
}

sp_status sp_import_sofa(sp_context *ctx, const char *path, const sp_import_options *options, sp_import **out) {
    sp_import_options fallback = sp_import_options_default();
    char *text;
    size_t size;
    *out = NULL;
    SP_TRY(import_check(ctx, path, options ? options : &fallback));
    SP_TRY(sp__text_read(ctx, path, SP_MAX_XML, &text, &size));
    sp_status status = sp_import_sofa_parse(ctx, text, size, path, options, out);
    sp__free(ctx, text);
    return status;
}

void sp_import_destroy(sp_import **import) {
    if (!import || !*import) return;
    sp_import *im = *import;
    free_files(im);
    sp_scene_destroy(&im->scene);
    sp__buffer_free(im->ctx, &im->text);
    sp__free(im->ctx, im);
    *import = NULL;
}

const char *sp_import_text(const sp_import *import) {
    return import->text.data ? import->text.data : "";
}

int sp_import_note_count(const sp_import *import) {
    return import->note_count;
}

sp_status sp_import_note_at(const sp_import *import, int index, sp_import_note *out) {
    if (index < 0 || index >= import->note_count) return SP_BAD_ID;
    *out = import->notes[index];
    return SP_OK;
}

sp_status sp_import_write(sp_import *import) {
    const char *slash = strrchr(import->out, '/');
    for (const sofa_file *f = import->files; f; f = f->next) {
        const char *path = sp__sofa_print(import, "%.*s%s", (int)(slash ? slash + 1 - import->out : 0), import->out, f->name);
        SP_TRY(write_file(import, f, path));
    }
    return write_text(import, sp_import_text(import), import->text.size, import->out);
}
