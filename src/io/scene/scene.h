// The resolved scene tree: what the reader (scene_*.c) hands to the builder (build_*.c) and to runs. Includes, templates,
// instances, defaults, parameters and --set are done with: every element stands where it acts, every attribute has its value.
#ifndef SP_SCENE_H
#define SP_SCENE_H

#include "core/core.h"
#include "io/scene/expr.h"
#include "souple/io.h"

// ---- the one table (scene_table.c): reader, schema, check, reference page and --set come from it

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
    SP_ATTR_NOT_BUILT = 64,  // known to the language, refused by this build
    SP_ATTR_OUTPUT = 128     // FILE that is written: a plain name, not resolved
};
enum { SP_ATTR_MANY = 1 << 24 };  // count_max of lists

typedef struct sp_attr_spec {
    const char *name;
    sp_attr_kind kind;
    int count_min, count_max;  // numbers in the value
    const char *unit;          // "Pa", "" for none
    double low, high;          // allowed range (open ends by flag)
    const char *fallback;      // built-in default as it would be written; NULL: absent
    const char *choices;       // "polar/qr/svd"; one that this build refuses carries its stage: "auto/ref/cpu/opencl[2]";
                               // REFERENCE: elements it may name, "solid/rigid"
    unsigned flags;
    int stage;
    const char *price;  // of a change while running: "values", "rebuild", ...
    const char *meaning;
} sp_attr_spec;

typedef struct sp_element_spec {
    const char *name;
    int stage;
    const char *children;  // "box mesh fix ..." allowed children
    const sp_attr_spec *attrs;
    int attr_count;
    const char *meaning;
    bool built;  // false: known to the language, refused by this build
} sp_element_spec;

const sp_element_spec *sp__element_spec(const char *name);  // NULL: unknown
int sp__element_spec_count(void);
const sp_element_spec *sp__element_spec_at(int index);
int sp__element_index(const sp_element_spec *spec);                     // its place in the table
int sp__attr_index(const sp_element_spec *spec, const char *name);      // -1: unknown
bool sp__list_has(const char *list, char separator, const char *word);  // "a b c", "a/b[2]/c"
bool sp__choice_built(const char *choices, const char *word);           // it carries no stage
bool sp__may_hold(const sp_element_spec *parent, const sp_element_spec *child);

// ---- the tree

typedef enum sp_origin {
    SP_ORIGIN_ABSENT,
    SP_ORIGIN_BUILTIN,
    SP_ORIGIN_DEFAULT,
    SP_ORIGIN_CLASS,
    SP_ORIGIN_WRITTEN,
    SP_ORIGIN_SET
} sp_origin;

typedef struct sp_attr {
    sp_origin origin;
    const char *text;  // as written
    const char *file;  // where
    int line;
    int count;                 // numbers or words
    double *numbers;           // evaluated at t = 0 and x = 0; IDS: expanded list
    const sp_expr **programs;  // per number: NULL constant, else an expression of t or x, kept by the scene
    const char **words;        // CHOICE, SWITCH, WORDS, NAME, REFERENCE (whole paths, [*] expanded), FILE (path resolved), TEXT;
                               // numbers where auto: NULL and count 0. EXPRESSION: programs[0]
    const char *data;          // "@E": name of the array; NULL
    bool is_auto;              // written or defaulted `auto`
} sp_attr;

typedef struct sp_scene_node sp_scene_node;
struct sp_scene_node {
    const sp_element_spec *spec;
    sp_scene *scene;
    sp_scene_node *parent;
    sp_scene_node **children;
    int child_count;
    const char *name;  // as written, or "" ; instances: "pile[3]"
    const char *path;  // "pile[3].torus.solver"; unique; the root's is ""
    const char *file;
    int line;
    bool enabled;           // itself and everything it stands in
    const sp_attr **attrs;  // as many as spec->attr_count, in its order; read them through sp__attr
    int index;              // among the parent's children
    // Copies of a template stand directly under the root. `instance` is the `instance` node of that copy: its scale, rotate or
    // quat, translate act after the body's own (grid offsets are in its translate already), then those of instance->instance.
    sp_scene_node *instance;  // NULL: not a copy
    int copy, copies;         // an `instance`: which of how many it is
    // Copies of a rod that became strands of one body: that body stands under the root in their place. It has the path of the
    // `instance`, and the attributes and children of the first strand.
    sp_scene_node **strands;
    int strand_count;                // 0: nothing was merged
    sp_scene_node *merged;           // a strand: the body it is of; NULL: a body of its own
    struct sp_scene_source *source;  // the reader's own
};

sp_scene_node *sp__scene_root(const sp_scene *scene);
sp_context *sp__scene_context(const sp_scene *scene);
// Children by element name, enabled ones only: start with after = NULL; NULL at the end.
sp_scene_node *sp__next_child(const sp_scene_node *node, const char *element, const sp_scene_node *after);
// What a path or a name refers to, seen from `from` (own names first, then the scene's). NULL: nothing.
sp_scene_node *sp__scene_find(const sp_scene_node *from, const char *path);

// A probe by path, or by its name alone where only one in the scene has it. NULL: none.
sp_scene_node *sp__scene_find_probe(const sp_scene_node *from, const char *path);
// The node that holds the material attributes of a solid or region: itself, or the `material` it names.
const sp_scene_node *sp__scene_material(const sp_scene_node *node);

// Probe values that `when` expressions read, by slot: the number that sp_expr_env.probe is asked for.
typedef struct sp_scene_slot {
    const sp_scene_node *probe;
    const char *component;      // what follows the probe's name: "y", "position.y", "contact_count" (- written _)
    const sp_scene_node *user;  // element whose expression asks, for messages
} sp_scene_slot;
int sp__scene_slot_count(const sp_scene *scene);
const sp_scene_slot *sp__scene_slot_at(const sp_scene *scene, int slot);

const sp_attr *sp__attr(const sp_scene_node *node, const char *name);  // asserts that the table knows it
bool sp__attr_given(const sp_scene_node *node, const char *name);      // from class, file or --set, not built in
double sp__attr_number(const sp_scene_node *node, const char *name);   // first number; NaN if absent
bool sp__attr_yes(const sp_scene_node *node, const char *name);
const char *sp__attr_word(const sp_scene_node *node, const char *name);  // first word; NULL if absent
bool sp__attr_is(const sp_scene_node *node, const char *name, const char *word);
bool sp__attr_varies(const sp_attr *attr, unsigned of);                                 // SP_ATTR_OF_TIME | SP_ATTR_OF_SPACE
sp_signal sp__attr_signal(const sp_scene_node *node, const char *name, int component);  // lives as long as the scene
double sp__attr_at(const sp_scene_node *node, const char *name, int component, const double x[3], double t);
double sp__attr_along(const sp_scene_node *node, const char *name, int component, double s);  // at an arc length of a rod

// Add a diagnostic at an element (attr nullable: at that attribute's line). Up to 20 errors are kept.
void sp__scene_error(sp_scene *scene, const sp_scene_node *node, const char *attr, const char *format, ...) SP_PRINTF(4, 5);
void sp__scene_warning(sp_scene *scene, const sp_scene_node *node, const char *attr, const char *format, ...) SP_PRINTF(4, 5);
int sp__scene_errors(const sp_scene *scene);
// Memory that dies with the scene; NULL: none left.
void *sp__scene_alloc(sp_scene *scene, size_t n, size_t size);
// For sp_scene_describe: what an `auto` picked and why, said by the builder.
void sp__scene_note_auto(sp_scene *scene, const sp_scene_node *node, const char *attr, const char *format, ...) SP_PRINTF(4, 5);
size_t sp__scene_memory_limit(const sp_scene *scene);

// What the scene was read from.
typedef struct sp_scene_text {
    const char *file, *text;
    size_t size;
    int set_count;
    uint64_t seed;
} sp_scene_text;
sp_scene_text sp__scene_text(const sp_scene *scene);
const char *sp__scene_set_at(const sp_scene *scene, int index);  // "path=value"
// A number that changes with anything in the scene that moves a body: two scenes that differ only in what is seen, written down
// or claimed, or in when they stop, have the same.
uint64_t sp__scene_digest(const sp_scene *scene);

// Edit distance based suggestion among n words; NULL if none is within 2 (synonyms included). Also used by the command.
const char *sp__nearest(const char *word, const char *const *known, int n);

#endif
