// Scenes of SOFA as scenes of Souple. sofa_tree.c reads the tree of nodes and components, with links and numbers; sofa_table.c
// knows what each component is; sofa_mesh.c finds the mesh of a body; sofa_body.c writes the bodies, sofa_act.c what acts on one,
// sofa_surface.c its surfaces, sofa_links.c what joins two, sofa_scene.c what all share; sofa_write.c holds the elements of the
// new scene, its files and the notes about the components.
//
// Nothing is skipped silently: every component ends with a note, and an attribute that nobody asked for ends in one.
#ifndef SP_SOFA_H
#define SP_SOFA_H

#include "io/file/text_file.h"
#include "io/scene/scene_read.h"
#include "util/buffer.h"

// ---- components

typedef enum sofa_role {
    SOFA_UNKNOWN,
    SOFA_NOT_NEEDED,  // settings of SOFA that have no counterpart because nothing needs one
    SOFA_LEFT_OUT,    // no counterpart
    SOFA_STATE,
    SOFA_LOADER,
    SOFA_GRID,
    SOFA_SPARSE_GRID,
    SOFA_CONTAINER,
    SOFA_SPLIT,   // hexahedra to tetrahedra
    SOFA_BORDER,  // elements to their boundary
    SOFA_MASS,
    SOFA_ELASTIC,
    SOFA_HYPERELASTIC,
    SOFA_MEMBRANE,
    SOFA_TENSOR_MASS,
    SOFA_SPRINGS,       // along the edges of a mesh
    SOFA_PAIR_SPRINGS,  // between two states
    SOFA_REST_SPRINGS,
    SOFA_BEAM,
    SOFA_BEAM_SHAPE,
    SOFA_FIX,
    SOFA_FIX_BOX,
    SOFA_FIX_PLANE,
    SOFA_FIX_AXES,
    SOFA_PROJECT,
    SOFA_MOVE,
    SOFA_WELD,
    SOFA_JOIN,  // points of two states, by constraints
    SOFA_ROI_BOX,
    SOFA_ROI_SPHERE,
    SOFA_VALUES,     // one number for each element
    SOFA_TRANSFORM,  // positions, moved
    SOFA_FORCE,
    SOFA_PRESSURE,
    SOFA_TRACTION,
    SOFA_PLANE,
    SOFA_INTEGRATOR,
    SOFA_SOLVER,
    SOFA_PRECONDITIONER,
    SOFA_PIPELINE,
    SOFA_RESPONSE,
    SOFA_INTERSECTION,
    SOFA_CONTACT_SOLVER,
    SOFA_CORRECTION,
    SOFA_COLLISION,
    SOFA_COLLISION_EDGES,  // lines and points of a surface, which contacts include
    SOFA_COLLISION_BALLS,
    SOFA_MAPPING,
    SOFA_VISUAL
} sofa_role;

// A component of SOFA: its names since version 22 and before, and what it becomes, for notes and docs/sofa.md.
typedef struct sofa_component {
    const char *names;  // "FixedProjectiveConstraint/FixedConstraint"
    sofa_role role;
    const char *becomes;  // or, for SOFA_NOT_NEEDED and SOFA_LEFT_OUT, the reason
    const char *word;     // of the scene language, where a role has several: "cholesky"
} sofa_component;

const sofa_component *sp__sofa_component(const char *name);  // NULL: unknown
// Attributes without a meaning for a simulation: of drawing, printing and of SOFA's own bookkeeping.
bool sp__sofa_idle_attribute(const char *name, const char *value);

// ---- the tree

typedef struct sofa_node sofa_node;

// A note that an object has already.
typedef struct sofa_said {
    sp_import_fate fate;
    const char *text;
    struct sofa_said *older;
} sofa_said;

typedef struct sofa_object {
    const sp_raw *raw;
    const char *type, *name;          // "BoxROI", "box"; without a name: ""
    const sofa_component *component;  // NULL: unknown
    sofa_node *node;
    bool *asked;       // per attribute of raw: it was used
    int hops;          // of links that are being followed from it
    bool noted, used;  // it has a note; it became something
    sofa_said *said;
} sofa_object;

struct sofa_node {
    const sp_raw *raw;
    const char *name;
    sofa_node *parent, *first, *last, *next;
    sofa_object *objects;  // they move while the tree is read
    int object_count, object_capacity;
    // of the conversion
    sofa_object *state;  // its MechanicalObject
    bool mapped;         // the state follows that of a node above
    const char *body;    // name in the new scene of the body that this node makes; NULL: none
    struct sofa_element *element;
    struct sofa_mesh *mesh;  // of a solid
    double origin[3];        // of a rigid body, in the world
    int points;              // of a rod: its nodes, in the world
    const double *point_list;
    bool rod;
    bool touched;          // it has a collision model
    double proximity;      // largest distance that one of them adds
    const double *groups;  // of its collision models, which ignore each other
    int group_count;
};

// ---- elements of the new scene

typedef struct sofa_attr {
    const char *name, *value;
    struct sofa_attr *next;
} sofa_attr;

typedef struct sofa_element sofa_element;
struct sofa_element {
    const char *name, *comment;
    sofa_attr *attrs, **attrs_end;
    sofa_element *first, **end, *next;
};

// A file that is written beside the scene.
typedef struct sofa_file {
    const char *name;     // without a folder
    const char *copy_of;  // one of these
    const char *text;
    sp_mesh *mesh;
    sp_trimesh *surface;
    struct sofa_file *next;
} sofa_file;

// ---- the import

typedef struct sofa_name {
    const char *name;
    int next;  // number of the next one of this name: "beam-2"
} sofa_name;

struct sp_import {
    sp_context *ctx;
    sp_scene *scene;             // holds the memory and the messages
    const char *file, *out;      // the scene of SOFA, and where the new one goes
    const char *stem;            // of the files that go beside it
    const char *const *folders;  // where mesh files are looked for
    int folder_count;
    double stop;
    sofa_node *root;
    sofa_element *top;
    sofa_file *files;
    sp_import_note *notes;
    int note_count, note_capacity;
    sp_buffer text;
    sofa_name *names;  // taken, of bodies and looks
    int name_count, name_capacity;
    int includes;
    bool touching;       // there is contact
    sofa_object *plane;  // the first PlaneForceField: penalty contact where there is no other
    int selects;         // numbers of selections that links need
    // what is made without memory; the import then fails as a whole
    sofa_element spare;
    char nothing[1];
};

// ---- sofa_tree.c
const sp_raw *sp__sofa_parse(sp_import *im, const char *text, size_t size, const char *file);  // as SOFA reads it
sofa_node *sp__sofa_tree(sp_import *im, const sp_raw *raw);                                    // NULL: error reported
const char *sp__sofa_attr(sofa_object *o,
                          const char *names);  // the first of "a/b" that is written, and marks it; NULL: none, or no object
bool sp__sofa_read(const char *text, int count, double *out);  // the first numbers of a text; false: NULL, or not so many
bool sp__sofa_yes(sofa_object *o, const char *names, bool fallback);
double sp__sofa_number(sp_import *im, sofa_object *o, const char *names, double fallback);
// All numbers of an attribute, in the memory of the import; 0: none, or they are no numbers, which is reported.
int sp__sofa_numbers(sp_import *im, sofa_object *o, const char *names, const double **out);
bool sp__sofa_vector(sp_import *im, sofa_object *o, const char *names, int count,
                     double *out);  // false: not written, or not so many
// The real path of a file that a scene names: beside it, or in a folder of the options. NULL: none, with the reason in `why`.
const char *sp__sofa_path(sp_import *im, const char *from, const char *name, char *why, size_t size);
const char *sp__sofa_node_attr(const sofa_node *node, const char *name);
// What a link "@../node/object.data" names: an object, or a node. *data: after the dot; "".
sofa_object *sp__sofa_link(sp_import *im, const sofa_object *from, const char *link, sofa_node **node, const char **data);
sofa_object *sp__sofa_find(const sofa_node *node, sofa_role role);     // in the node itself; NULL: none
sofa_object *sp__sofa_find_up(const sofa_node *node, sofa_role role);  // in it, then above
sofa_object *sp__sofa_find_part(const sofa_node *node,
                                sofa_role role);  // in it, then below in nodes without a state of their own
sofa_node *sp__sofa_next_node(const sofa_node *node, const sofa_node *top);     // in document order below `top`; NULL: the end
sofa_node *sp__sofa_next_of_body(const sofa_node *node, const sofa_node *top);  // the same without what is below another body
bool sp__sofa_is(const sofa_object *o, sofa_role role);

// ---- sofa_write.c
const char *sp__sofa_after_slash(const char *path);
const char *sp__sofa_print(sp_import *im, const char *format, ...) SP_PRINTF(2, 3);  // never NULL: "" without memory
const char *sp__sofa_join(sp_import *im, const double *numbers, int count);          // "0 0.1 3", shortest text of the same bits
sofa_element *sp__sofa_add(sp_import *im, sofa_element *parent, const char *name, const sofa_object *from);
void sp__sofa_set(sp_import *im, sofa_element *e, const char *name, const char *value);
void sp__sofa_set_number(sp_import *im, sofa_element *e, const char *name, double value);
void sp__sofa_set_result(sp_import *im, sofa_element *e, const char *name, double value);  // computed: 12 digits
void sp__sofa_set_vector(sp_import *im, sofa_element *e, const char *name, const double *values, int count);
const char *sp__sofa_unique(sp_import *im, const char *wanted);  // a valid name that no other body or file has
// What becomes of a component; the format says what, or why not.
void sp__sofa_note(sp_import *im, sofa_object *o, sp_import_fate fate, const char *format, ...) SP_PRINTF(4, 5);
void sp__sofa_became(sp_import *im, sofa_object *o);  // the note of its component
sofa_file *sp__sofa_file(sp_import *im, const char *name, const char *suffix);

// ---- sofa_mesh.c: x -> translate + rotate(scale x)
typedef struct sofa_placing {
    double scale[3], quat[4], translate[3];
} sofa_placing;

typedef enum sofa_mesh_kind { SOFA_MESH_NONE, SOFA_MESH_GRID, SOFA_MESH_FILE, SOFA_MESH_INLINE, SOFA_MESH_SPARSE } sofa_mesh_kind;

// The mesh of a body. `at_rest` are the nodes as SOFA counts them, in the world.
typedef struct sofa_mesh {
    sofa_mesh_kind kind;
    sofa_object *object;         // grid, loader or container
    sofa_placing placing, rest;  // of its nodes where they start, and of its rest shape
    int cells[3];                // grid
    double low[3], size[3];
    bool hexahedra;    // of hexahedra
    bool cut;          // file: its hexahedra are cut into tetrahedra
    bool triangles;    // of a membrane; its volume is its area
    const char *path;  // of the file
    int node_count;
    const double *at_rest;
    const int64_t *ids;  // numbers of the nodes in the new scene; NULL: as SOFA counts
    double volume;       // in the world
    bool springs;        // edge_sum is needed
    double edge_sum;     // of the squared lengths of all pairs of nodes that share an element, each once
    sp_mesh *made;       // grid of tetrahedra, inline: goes into a file
} sofa_mesh;

double sp__sofa_distance(const double a[3], const double b[3]);
sofa_placing sp__sofa_placing(sp_import *im, sofa_object *o);  // translation, rotation and scale of a state or a loader
// What `second` does after `first`; false: not of the form of a placing.
bool sp__sofa_placing_after(const sofa_placing *first, const sofa_placing *second, sofa_placing *out);
bool sp__sofa_placing_inverse(const sofa_placing *p, sofa_placing *out);
bool sp__sofa_placing_none(const sofa_placing *p);
void sp__sofa_place(const sofa_placing *p, const double in[3], double out[3]);
void sp__sofa_set_placing(sp_import *im, sofa_element *e, const sofa_placing *p);
// The mesh that a force field of the node works on; kind NONE: none, with a note at the object.
sofa_mesh *sp__sofa_mesh(sp_import *im, sofa_node *node, sofa_object *user, bool hexahedra);
// Writes the shape element of a solid.
void sp__sofa_write_mesh(sp_import *im, sofa_mesh *mesh, sofa_element *body, const char *name);
const char *sp__sofa_file_path(sp_import *im, sofa_object *o, const char *names);  // NULL: reported as an error of the scene
sp_trimesh *sp__sofa_read_surface(sp_import *im, sofa_object *o, const char *names, const char **path);
sp_trimesh *sp__sofa_moved(sp_import *im, const sp_trimesh *surface, const sofa_placing *p);  // NULL: out of memory
// The name of a file in the new scene: a file below its folder stays where it is, another one is copied.
const char *sp__sofa_file_name(sp_import *im, const char *path, const char *name);
// The numbers of an attribute, its own or those of the component `of` that it links to.
int sp__sofa_linked_numbers(sp_import *im, sofa_object *o, const char *names, const double **out, sofa_object **of);
int *sp__sofa_as_indices(sp_import *im, sofa_object *o, const double *numbers, int count, int limit);  // NULL: noted

// ---- sofa_body.c
typedef struct sofa_body {
    sofa_node *node;
    sofa_element *e;
    sofa_mesh *mesh;       // of a solid
    sofa_placing placing;  // own coordinates to the world
    bool frame;            // of a rigid body: mapped points are in its frame
    sofa_object *source;   // of its own surface
    bool drawn, touched;   // it has surfaces in these roles
} sofa_body;

void sp__sofa_bodies(sp_import *im);
// The node with the body of a state that a link names; NULL: none.
sofa_node *sp__sofa_body_of(sofa_node *node);
bool sp__sofa_all_equal(const double *values, int count, int width);

// ---- sofa_surface.c
// A loader's file for <mesh file> or <surface file>: its name in the new scene, transformed where `moved` is not the identity.
// NULL: noted.
const char *sp__sofa_surface(sp_import *im, sofa_object *loader, const sofa_placing *moved, const char *name);
sp_trimesh *sp__sofa_list_surface(sp_import *im, sofa_object *o);  // of triangles and quadrangles in lists; NULL: none
// The loader or inline triangles of a component; NULL: none.
sofa_object *sp__sofa_surface_source(sp_import *im, sofa_object *user);
// How a surface of a mapping becomes one in the coordinates of its body; false: not possible.
bool sp__sofa_surface_placing(sp_import *im, const sofa_body *b, const sofa_node *n, sofa_object *placer, sofa_placing *out);
void sp__sofa_surfaces(sp_import *im, sofa_body *b);
void sp__sofa_add_surface(sp_import *im, sofa_body *b, sofa_object *o, const char *role);
void sp__sofa_complete_surfaces(sp_import *im, sofa_body *b);
void sp__sofa_note_followers(sp_import *im, sofa_node *n);
void sp__sofa_note_group(sp_import *im, sofa_body *b, sofa_object *o);  // distance and groups of a collision model

// ---- sofa_act.c
void sp__sofa_act(sp_import *im, sofa_body *b, sofa_object *o);
// Writes what the indices of an object select into an element; `all`: no indices mean all nodes, otherwise the first one. False:
// nothing is selected, which is noted.
bool sp__sofa_select(sp_import *im, sofa_node *body, sofa_object *o, const char *names, bool all, sofa_element *e);
// Writes nodes, by SOFA's numbers, into an element; false: one is none, which is noted.
bool sp__sofa_select_nodes(sp_import *im, sofa_node *body, sofa_object *o, const double *numbers, int count, sofa_element *e);
bool sp__sofa_inside(const double *x, const double *box, bool ball);  // corners of a box, or centre and radius

// ---- sofa_scene.c and sofa_links.c
void sp__sofa_scene(sp_import *im);
void sp__sofa_links(sp_import *im);

#endif
