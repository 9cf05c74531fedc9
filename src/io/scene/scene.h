// The resolved scene tree, from the reader (scene_*.c) to the builder (build_*.c) and the runs. Includes, templates, instances,
// defaults, parameters and --set are resolved: every element is in its final position and every attribute has its value.
#ifndef SP_SCENE_H
#define SP_SCENE_H

#include "io/base.h"
#include "io/scene/expr.h"
#include "util/nearest.h"

// ---- the table of elements and attributes (scene_table.c): source of the reader, schema, check, reference page and --set

typedef enum sp_attr_kind {
    SP_ATTR_NUMBER,
    SP_ATTR_INTEGER,
    SP_ATTR_SWITCH,
    SP_ATTR_CHOICE,
    SP_ATTR_WORDS /* list of choices */,
    SP_ATTR_NAME,
    SP_ATTR_REFERENCE,
    SP_ATTR_FILE,
    SP_ATTR_TEXT,
    SP_ATTR_EXPRESSION /* condition: where, when */,
    SP_ATTR_IDS /* "0 7 12-20" */,
    SP_ATTR_CHOICE_OR_NUMBER /* refresh */,
    SP_ATTR_CHOICE_OR_NAME /* material */
} sp_attr_kind;

enum {
    SP_ATTR_OF_TIME = 1,
    SP_ATTR_OF_SPACE = 2,
    SP_ATTR_REQUIRED = 4,
    SP_ATTR_LOW_OPEN = 8,
    SP_ATTR_HIGH_OPEN = 16,
    SP_ATTR_AUTO = 32,
    SP_ATTR_NOT_BUILT = 64,  // part of the language, an error in this build
    SP_ATTR_OUTPUT = 128     // FILE that is written: a plain name without a folder
};
enum { SP_ATTR_MANY = 1 << 24 };  // count_max of lists

typedef struct sp_attr_spec {
    const char *name;
    sp_attr_kind kind;
    int count_min, count_max;  // numbers in the value
    const char *unit;          // "Pa", "" for none
    double low, high;          // allowed range (open ends by flag)
    const char *fallback;      // built-in default as text; NULL: none
    const char *choices;  // "polar/qr/svd"; a choice that this build does not have carries its stage: "auto/ref/cpu/opencl[2]";
                          // REFERENCE: element types that it may name, "solid/rigid"
    unsigned flags;
    int stage;
    const char *price;  // cost of a change while running: "values", "rebuild", ...
    const char *meaning;
    const char *param;  // entry of the engine's list of parameters that unit, range, default, price and meaning come from;
                        // "solid.young"; one per number where they have entries of their own; NULL: none
    char initial[24];   // default made of that list
} sp_attr_spec;

typedef struct sp_element_spec {
    const char *name;
    int stage;
    const char *children;  // allowed children, "box mesh fix ..."
    sp_attr_spec *attrs;   // completed from the list of parameters at the first look into the table
    int attr_count;
    const char *meaning;
    bool built;  // false: part of the language, an error in this build
} sp_element_spec;

const sp_element_spec *sp__element_spec(const char *name);  // NULL: unknown
int sp__element_spec_count(void);
const sp_element_spec *sp__element_spec_at(int index);
int sp__element_index(const sp_element_spec *spec);                     // index in the table
int sp__attr_index(const sp_element_spec *spec, const char *name);      // -1: unknown
bool sp__list_has(const char *list, char separator, const char *word);  // "a b c", "a/b[2]/c"
bool sp__choice_built(const char *choices, const char *word);           // the choice carries no stage
bool sp__may_hold(const sp_element_spec *parent, const sp_element_spec *child);

// ---- the tree

typedef enum sp_origin {
    SP_ORIGIN_ABSENT,
    SP_ORIGIN_UNUSED,  // a built-in value that has no effect
    SP_ORIGIN_BUILTIN,
    SP_ORIGIN_DEFAULT,
    SP_ORIGIN_CLASS,
    SP_ORIGIN_WRITTEN,
    SP_ORIGIN_SET
} sp_origin;

typedef struct sp_attr {
    sp_origin origin;
    const char *text;  // as written
    const char *file;  // source of the text
    int line;
    int count;                 // numbers or words
    double *numbers;           // evaluated at t = 0 and x = 0; IDS: the expanded list
    const sp_expr **programs;  // per number: NULL for a constant, else an expression of t or x, owned by the scene
    const char **words;  // CHOICE, SWITCH, WORDS, NAME, REFERENCE (full paths, [*] expanded), FILE (resolved path), TEXT; numbers
                         // with auto: NULL and count 0. EXPRESSION: programs[0]
    const char *data;    // "@E": name of the array; NULL
    const char *second;  // "@E @F", where six numbers are allowed: F; NULL
    bool is_auto;        // the text or the default is `auto`
} sp_attr;

typedef struct sp_scene_node sp_scene_node;
struct sp_scene_node {
    const sp_element_spec *spec;
    sp_scene *scene;
    sp_scene_node *parent;
    sp_scene_node **children;
    int child_count;
    const char *name;  // from the file, or ""; instances: "pile[3]"
    const char *path;  // "pile[3].torus.solver"; unique; the root's is ""
    const char *file;
    int line;
    bool enabled;           // the element and all its ancestors are enabled
    const sp_attr **attrs;  // spec->attr_count entries in the order of the table; read them with sp__attr
    int index;              // index among the children of the parent
    // Copies of a template are children of the root. `instance` is the `instance` node of the copy: its scale, rotate or quat,
    // and translate act after those of the body (translate includes the grid offset), then those of instance->instance.
    sp_scene_node *instance;  // NULL: not a copy
    int copy, copies;         // an `instance`: index and number of its copies
    // Copies of a rod that became strands of one body. That body replaces them under the root. It has the path of the `instance`,
    // and the attributes and children of the first strand.
    sp_scene_node **strands;
    int strand_count;                // 0: not a merged body
    sp_scene_node *merged;           // a strand: the merged body that it belongs to; NULL: not a strand
    struct sp_scene_source *source;  // private data of the reader
};

sp_scene_node *sp__scene_root(const sp_scene *scene);
sp_context *sp__scene_context(const sp_scene *scene);
// Iterates over the enabled children with an element name: start with after = NULL; NULL at the end.
sp_scene_node *sp__next_child(const sp_scene_node *node, const char *element, const sp_scene_node *after);
// The node that a path or a name refers to, seen from `from` (its own scope first, then the scene). NULL: none.
sp_scene_node *sp__scene_find(const sp_scene_node *from, const char *path);

// A probe by path, or by its name alone if the name is unique in the scene. NULL: none.
sp_scene_node *sp__scene_find_probe(const sp_scene_node *from, const char *path);
// The node with the material attributes of a solid or region: the node itself, or the `material` that it names.
const sp_scene_node *sp__scene_material(const sp_scene_node *node);

// Probe values that `when` expressions read, by slot: the argument of sp_expr_env.probe.
typedef struct sp_scene_slot {
    const sp_scene_node *probe;
    const char *component;      // the rest after the probe's name: "y", "position.y", "contact_count" (with _ for -)
    const sp_scene_node *user;  // element with the expression, for messages
} sp_scene_slot;
int sp__scene_slot_count(const sp_scene *scene);
const sp_scene_slot *sp__scene_slot_at(const sp_scene *scene, int slot);

const sp_attr *sp__attr(const sp_scene_node *node, const char *name);  // asserts that the table has the attribute
bool sp__attr_given(const sp_scene_node *node, const char *name);      // given by class, file or --set; not the built-in default
double sp__attr_number(const sp_scene_node *node, const char *name);   // first number; NaN if absent
bool sp__attr_yes(const sp_scene_node *node, const char *name);
const char *sp__attr_word(const sp_scene_node *node, const char *name);  // first word; NULL if absent
bool sp__attr_is(const sp_scene_node *node, const char *name, const char *word);
bool sp__attr_varies(const sp_attr *attr, unsigned of);                                 // SP_ATTR_OF_TIME | SP_ATTR_OF_SPACE
sp_signal sp__attr_signal(const sp_scene_node *node, const char *name, int component);  // valid as long as the scene
double sp__attr_at(const sp_scene_node *node, const char *name, int component, const double x[3], double t);
double sp__attr_along(const sp_scene_node *node, const char *name, int component, double s);  // at an arc length s of a rod

// Adds an error at an element (attr nullable: at the line of that attribute). Up to 20 errors are kept.
void sp__scene_error(sp_scene *scene, const sp_scene_node *node, const char *attr, const char *format, ...) SP_PRINTF(4, 5);
void sp__scene_warning(sp_scene *scene, const sp_scene_node *node, const char *attr, const char *format, ...) SP_PRINTF(4, 5);
int sp__scene_errors(const sp_scene *scene);
// Memory that is freed with the scene; NULL: no memory.
void *sp__scene_alloc(sp_scene *scene, size_t n, size_t size);
// For sp_scene_describe: the builder reports the value of an `auto` and the reason.
void sp__scene_note_auto(sp_scene *scene, const sp_scene_node *node, const char *attr, const char *format, ...) SP_PRINTF(4, 5);
size_t sp__scene_memory_limit(const sp_scene *scene);

// A hash that changes with everything in the scene that affects the motion of a body. Scenes that differ only in appearance,
// outputs, expectations or end conditions have the same hash.
uint64_t sp__scene_digest(const sp_scene *scene);

#endif
