// Internals of the reader. A file becomes raw elements (scene_xml.c) whose names are checked against the table.
// Includes and templates are expanded into nodes with scopes (scene_resolve.c). Each attribute of a node gets its source
// and its value (scene_values.c), parameters and curves on demand (scene_params.c). Rules across attributes are
// checked last (scene_check.c).
#ifndef SP_SCENE_READ_H
#define SP_SCENE_READ_H

#include "io/scene/scene.h"

enum {
    SP_MAX_DEPTH = 64,
    SP_MAX_INCLUDES = 16,
    SP_MAX_ELEMENTS = 1000000,
    SP_MAX_XML = 64 << 20,
    SP_MAX_NAME = 64,
    SP_MAX_ERRORS = 20,
    SP_MAX_WARNINGS = 100,
    SP_MAX_KINDS = 128,    // elements of the table
    SP_MAX_CLASSES = 1000  // classes of defaults
};

// ---- raw elements

typedef struct sp_raw_attr {
    const char *name, *value;
    int line;
} sp_raw_attr;

typedef struct sp_raw sp_raw;
struct sp_raw {
    const char *element;
    const sp_element_spec *spec;  // NULL: unknown, reported and then ignored
    const char *file;
    int line;
    sp_raw_attr *attrs;
    int attr_count;
    sp_raw *parent, *first, *last, *next;
    int size;  // number of elements in this subtree
    bool misplaced;
};

// Comma-separated values: column names and rows of strings.
typedef struct sp_csv {
    int columns, rows;
    const char **heads;  // column names; NULL: the file has none
    const char **cells;  // rows x columns
} sp_csv;

// ---- scopes of names

typedef struct sp_scope sp_scope;
struct sp_scope {
    sp_scope *parent;             // searched after this one
    const char *base;             // path prefix of a name: "", "left-", "pile[3]."
    const sp_scene_node *holder;  // the include or instance; NULL: the scene
    bool indexed;                 // i and n are defined
    double i, n;
    const sp_csv *csv;  // table of an instance, by columns; nullable
    int row;
};

typedef struct sp_set_option {
    const char *text, *path, *value;
    bool matched;
    bool acts;  // some element uses the value, directly or as a default
} sp_set_option;

typedef struct sp_set_hit {
    int attr;
    sp_set_option *option;
    struct sp_set_hit *next;
} sp_set_hit;

typedef enum sp_param_state { SP_PARAM_NEW, SP_PARAM_BUSY, SP_PARAM_NUMBER, SP_PARAM_WORD, SP_PARAM_BAD } sp_param_state;

// Data of a node that only the reader uses.
typedef struct sp_scene_source {
    const sp_raw *raw;
    sp_scope *scope;
    int spec_index;
    sp_set_hit *hits;            // --set
    const sp_scene_node *given;  // param: the `set` of an include or instance with its value
    sp_param_state state;        // param and curve
    double number;
    const char *word;
    const void *curve;
    const char *class_name;  // of the node or its nearest ancestor; NULL: none, or not looked up yet
    bool class_known;
    bool used;   // something references it
    bool inert;  // template, default and their contents, an instance before it is expanded
    bool sole;   // every enclosing instance has one copy: pile.torus means pile[0].torus
} sp_scene_source;

// ---- the scene

typedef struct sp_scene_block sp_scene_block;

typedef struct sp_scene_entry {
    sp_scene_message message;
    size_t base;  // length of the text without the context of the second location
} sp_scene_entry;

typedef struct sp_scene_note {
    const sp_scene_node *node;
    const char *attr, *text;
    struct sp_scene_note *next;
} sp_scene_note;

typedef struct sp_raw_file {
    const char *real;
    const sp_raw *root;
    struct sp_raw_file *next;
} sp_raw_file;

struct sp_scene {
    sp_context *ctx;
    sp_scene_block *blocks;
    size_t block_used;
    bool no_memory;
    const char *file;  // as given by the caller
    const char *text;  // of that file
    size_t text_size;
    const char *name;
    bool foreign;          // XML of another program: a DOCTYPE without entities, text and instructions are passed over
    const char **folders;  // real paths of the folders that files must be in
    int folder_count;
    size_t memory_limit;
    sp_set_option *sets;
    int set_count;
    size_t xml_bytes;
    int element_count;
    sp_raw_file *files;
    sp_scope scope;  // of the scene itself
    sp_scene_node *root;
    sp_scene_node **nodes;  // all nodes in order of creation
    int node_count, node_capacity;
    sp_scene_node **table;  // hash table by path, open addressing
    size_t table_size;
    sp_scene_node **defaults;
    int default_count, default_capacity;
    bool defaults_known;
    bool incomplete;                          // too large to expand: values are not read
    sp_scene_node *solver, *integrator;       // directly under the scene
    long search_left;                         // remaining comparisons for linear searches
    const sp_attr ***built_in;                // per element and attribute of the table: the built-in default, read once
    const sp_scene_node *busy[SP_MAX_DEPTH];  // parameters and curves being evaluated
    int busy_count;
    sp_scene_entry *entries;
    int entry_count, entry_capacity, error_count, warning_count, dropped;
    sp_scene_note *notes, **notes_end;
    sp_scene_slot *slots;
    int slot_count, slot_capacity;
    uint64_t seed;
};

// scene_load.c
// An empty scene, which holds memory, folders and messages of its reader; then the verdict: its first error, where there is one.
sp_status sp__scene_create(sp_context *ctx, const char *name, const sp_scene_options *options, sp_scene **out);
sp_status sp__scene_finish(sp_scene **scene);
char *sp__scene_copy(sp_scene *scene, const char *text, size_t length);  // NULL: no memory
// Grows an array in the scene's memory by doubling; false: no memory.
bool sp__scene_grow(sp_scene *scene, void *array, int count, int *capacity, size_t size);

// scene_message.c
void sp__scene_error_at(sp_scene *scene, const char *file, int line, const char *format, ...) SP_PRINTF(4, 5);
void sp__scene_say_dropped(sp_scene *scene);  // reports the number of errors beyond the limit
void sp__raw_error(sp_scene *scene, const sp_raw *raw, int line, const char *format, ...) SP_PRINTF(4, 5);
// A value for a message: shortened, quoted, cut at whole characters.
const char *sp__quote(const char *text, char out[80]);
// "; did you mean "x"?" or nothing
const char *sp__did_you_mean(const char *word, const char *const *known, int n, char out[120]);

// Formatted output to a caller's print function.
typedef struct sp_printer {
    void (*print)(void *user, const char *text);
    void *user;
} sp_printer;
void sp__say(const sp_printer *p, const char *format, ...) SP_PRINTF(2, 3);

// scene_xml.c: raw elements, and their names
sp_raw *sp__xml_parse(sp_scene *scene, const char *text, size_t size, const char *file);
void sp__check_names(sp_scene *scene, sp_raw *root);
bool sp__name_valid(const char *name);

// scene_load.c: files that the scene names
// The real path of a file that the file `from` names, or NULL with the reason in `why`.
const char *sp__file_resolve(sp_scene *scene, const char *from, const char *name, char *why, size_t why_size);
const char *sp__file_relative(sp_scene *scene, const char *from, const char *name);  // path for messages
const sp_csv *sp__csv_read(sp_scene *scene, const char *path, char *why, size_t why_size);

// scene_access.c
bool sp__path_add(sp_scene *scene, sp_scene_node *node);      // false: the path is taken and nothing is added
void sp__path_replace(sp_scene *scene, sp_scene_node *node);  // the node replaces the one at its path
sp_scene_node *sp__path_get(const sp_scene *scene, const char *base, const char *separator, const char *path);
bool sp__path_matches(const char *pattern, const char *path, bool sole);
// All nodes that match a path with [*], seen from a node. Returns their number and writes up to `capacity`. elements: element
// types, "look/material"; NULL: any
int sp__path_all(const sp_scene_node *from, const char *path, const char *elements, sp_scene_node **out, int capacity);
// Charges a search over all nodes to the budget; false: the budget is used up.
bool sp__search_charge(const sp_scene *scene);
sp_scene_node *sp__scope_find(const sp_scene *scene, const sp_scope *scope, const char *name, const char *element, bool own);

// scene_resolve.c
void sp__scene_expand(sp_scene *scene, const sp_raw *root);
// The path that addresses every strand: "hair.young" for "hair[3].curl.young". NULL: the node is not in a strand.
const char *sp__merged_path(sp_scene_node *node, char *out, size_t size);
void sp__check_merged(sp_scene_node *body);  // checks the attributes that strands must have in common

// scene_values.c: sources of values, and values
// Attributes that belong to one element only and cannot be defaulted: name, class, file and selections.
bool sp__is_own(const sp_element_spec *spec, const char *attr);
typedef struct sp_value_source {
    sp_origin origin;
    const char *text, *file;
    int line;
    sp_set_option *set;  // NULL: the value is not from --set
} sp_value_source;
sp_value_source sp__source_of(const sp_scene_node *node, int attr);
const char *sp__raw_attr(const sp_raw *raw, const char *name);  // NULL: not given
void sp__check_defaults(sp_scene *scene);
const sp_attr *sp__attr_read(sp_scene *scene, sp_scene_node *node, int attr);  // reads the attribute once; never NULL
void sp__attr_forget(sp_scene_node *node, int attr);                           // resets the attribute to the built-in default
void sp__attr_unused(sp_scene_node *node, int attr);                           // its built-in value has no effect
extern const sp_attr sp__attr_absent;

// scene_params.c
bool sp__curve_read(sp_scene *scene, sp_scene_node *curve);
sp_param_state sp__param_value(sp_scene *scene, sp_scene_node *param, double *number, const char **word);
// Compiles an expression without its braces in the scope of a node. NULL: error reported or no memory.
const sp_expr *sp__compile(sp_scene *scene, sp_scene_node *node, int attr, const char *text, size_t length, unsigned of);
// The word that `{name}` expands to; NULL: none.
const char *sp__scope_word(sp_scene *scene, const sp_scope *scope, const char *text, size_t length);

// scene_check.c: rules across attributes; scene_check_parts.c: rules of single elements
void sp__scene_check(sp_scene *scene);
void sp__check_element(sp_scene_node *node);
void sp__check_unused(sp_scene *scene);
// Errors for a --set without a matching path, and, after all values are read, for a --set without effect
void sp__set_unmatched(sp_scene *scene, const sp_set_option *option);
void sp__check_sets(sp_scene *scene);
// Handles an attribute without effect: an error if it was written; a reset with a note if it is a default, or if the attribute
// that decides (nullable) came from --set.
void sp__cannot_act(sp_scene_node *node, const char *attr, const sp_scene_node *decider, const char *decides, const char *why);
bool sp__selects_something(const sp_scene_node *node);
bool sp__is_present(const sp_scene_node *node);
bool sp__is_body(const sp_scene_node *node);

#endif
