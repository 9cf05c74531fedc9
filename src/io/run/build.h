// Builds a world and a run from the resolved scene tree. Allocations of the run are freed together at its end (run->keep); those
// that only the builder needs are freed after it (run->scratch).
#ifndef SP_BUILD_H
#define SP_BUILD_H

#include "io/file/text_file.h"
#include "io/scene/scene.h"
#include "util/buffer.h"

// Source of the edits that a scene's own events make. The scene makes them again on replay, so edit logs leave them out.
#define SP_RUN_EVENT_SOURCE 0xFFFF0000u

enum { SP_PLACE_DEPTH = 17 };  // placement of the body and of the instances around it

typedef struct sp_place {  // x = pose(scale X)
    double scale[3];
    sp_pose pose;
} sp_place;

typedef struct sp_places {  // applied in order
    sp_place at[SP_PLACE_DEPTH];
    int count;
} sp_places;

typedef struct sp_run_surface {
    const sp_scene_node *node;
    int index;  // of the engine
    sp_run_look look;
    bool has_look;
} sp_run_surface;

// Rest shape of every strand before its placement. The engine computes the node positions: a separate world holds the strands
// without loads.
typedef struct sp_rod_rest {
    sp_rod_def def;   // model, strands with roots before the placement, sections
    sp_place *place;  // per strand: uniform scale, then a pose
    sp_world *world;  // NULL: not computed yet
    sp_body_id id;
    double *at[2];  // nodes x 3, elements x 3 (centres); NULL: not computed yet
} sp_rod_rest;

// A rod: one strand, or one per copy of a merged instance. Nodes and elements are numbered strand by strand.
typedef struct sp_run_rod {
    int strands, nodes, elements;
    const sp_scene_node **node;  // per strand: its `rod` element
    int *first_node;             // strands + 1
    int *first_element;          // strands + 1
    double *length;              // per strand, before placement
    int *section;                // per element: index into `sections`
    int sections;
    const char **section_name;  // per section: the region that it belongs to; "": none, or several
    double reach;               // largest semi-axis of its sections, after placement
    bool grows;                 // at the tip: the engine has more nodes and elements than the initial ones counted here
    // rest shape; freed after building
    struct sp_rod_rest *rest;
} sp_run_rod;

typedef struct sp_run_body {
    const sp_scene_node *node;
    sp_body_id id;  // null: it could not be built, which is reported
    const struct sp_builder *builder;
    sp_run_rod *rod;        // of a rod
    bool young_varies;      // `young` is a function of time
    bool membrane;          // of a solid: its elements are triangles
    sp_mesh *own, *placed;  // rest shape before and after placement, possibly the same mesh; freed after building
    sp_places places;
    sp_rigid_def rigid;  // rigid bodies: shapes and pose, owned by the run
    double *start;       // initial node positions in the body's own coordinates; NULL: the rest shape. Freed after building
    sp_run_look look;
    bool has_look;
    sp_run_surface *surfaces;  // embedded surfaces in the engine's order
    int surface_count;
    sp_body_info info;  // with `measures`: at the step `measured_step`
    sp_body_measures measures;
    uint64_t measured_step;
    bool measured;
} sp_run_body;

// ---- outputs (run_probe.c)

typedef struct sp_quantity {
    const char *name, *unit;
    int components;
    const char *axes;  // names of the components, separated by spaces
    enum { SP_OF_NODES, SP_OF_ELEMENTS, SP_OF_BODY, SP_OF_WORLD, SP_OF_LINK } of;
    const char *field;  // name of the field of nodes or elements; NULL: read at anchors, or from the properties of the body
} sp_quantity;

typedef struct sp_probe_target {  // the part of one body that a probe reads, or a link
    sp_run_body *body;            // NULL: a link
    const sp_scene_node *attach;  // its element
    sp_link_id link;
    int node_count;
    const int *nodes;          // NULL: a material point
    const int64_t *node_ids;   // numbers in the file
    const sp_anchor *anchors;  // node_count entries
    int element_count;
    const int *elements;
    const int64_t *element_ids;
} sp_probe_target;

typedef struct sp_sampling {  // attribute group T
    int every;                // steps; 0: use period or times
    double period;
    const double *times;
    int time_count;
    double from, until;
    long next;      // number of samples taken at period or times
    double before;  // time of the previous step, stored because the next sample lies between it and the next step; NaN: none
} sp_sampling;

typedef struct sp_probe sp_probe;

typedef struct sp_series {  // samples of one probe
    const sp_probe *probe;
    sp_sampling sampling;
    int count, capacity;
    double *times, *values;
    unsigned char *interpolated;
    double *before;  // values at the previous step, for a sample between two steps
} sp_series;

struct sp_probe {
    const sp_scene_node *node;
    const char *name;
    const char *body;  // NULL: several bodies or none
    int target_count;
    sp_probe_target *targets;
    int quantity_count;
    const sp_quantity **quantities;
    const char **quantity_names;
    int *widths;  // number of values per quantity
    int width;
    enum { SP_COMBINE_NONE, SP_COMBINE_SUM, SP_COMBINE_MEAN, SP_COMBINE_MAX } combine;
    sp_series series;
};

typedef struct sp_record sp_record;  // run_record.h

typedef struct sp_run_event {
    const sp_scene_node *node;
    double t;             // NaN: triggered by a condition
    const sp_attr *when;  // NULL: triggered by time
    sp_edit_type type;    // param, pin, release, attach or detach
    sp_body_id body;
    const int *nodes;
    int node_count;
    unsigned axes;
    const char *path;
    double ramp;
    enum { SP_EVENT_WAITS, SP_EVENT_RAMPS, SP_EVENT_DONE } state;
    double started, from;  // ramp: initial time and value
} sp_run_event;

typedef struct sp_claim {
    const sp_scene_node *node;
    sp_run_claim claim;
    const sp_probe *probe;
    int column;
    const char *over;  // NULL: at one time
    double at;
} sp_claim;

typedef struct sp_live {  // source of the value of an expression slot
    const sp_series *series;
    int column;
} sp_live;

// A parameter that edits of a recording change, while frames of it are shown in the world.
typedef struct sp_shown_param {
    char path[64];
    double initial, value;
} sp_shown_param;

// A body that an edit added to the world, by name; one of the same name that is added later takes its place.
typedef struct sp_added_body {
    char name[64];
    sp_body_id id;  // stale: it was removed
} sp_added_body;

// ---- the run

struct sp_run {
    sp_context *ctx;
    sp_scene *scene;
    sp_world *world;
    sp_keep keep, scratch;
    struct sp_scatter *scatters;  // scattered positions, computed once for all copies of an instance; in scratch
    bool failed;                  // an error was reported; the builder continues to find others
    double memory;                // estimated bytes of meshes and bodies so far
    sp_run_options options;
    double dt;
    sp_run_body *bodies;
    int body_count;
    sp_probe *probes;
    int probe_count;
    bool constraints;  // the scene has contact by constraints
    sp_record *records;
    int record_count;
    struct sp_sink *sinks;  // destinations of the records that the recorder writes
    int sink_count;
    struct sp_recorder *recorder;  // NULL: nothing is written
    struct sp_provenance *origin;
    sp_series **series;  // all series to sample
    int series_count;
    sp_run_event *events;
    int event_count;
    sp_claim *claims;
    int claim_count;
    sp_live *live;
    int live_count;
    sp_run_inverse *inverses;
    int inverse_count;
    const sp_recording *shown;  // its frames are shown (recording_show.c); NULL: none
    sp_edit_log *shown_edits;   // its edits of parameters; NULL: none
    sp_edit_log *shown_added;   // its edits that add bodies; NULL: none
    uint64_t shown_step;        // of the last frame
    sp_buffer additions;        // edits that added and removed bodies and links, as lines of a log
    sp_buffer added;            // sp_added_body, in the order of their first addition
    int body_changes;           // steps that added or removed bodies
    sp_shown_param *shown_params;
    int shown_count;
    double *field;  // buffer for the longest field that a probe reads
    size_t field_size;
    // end conditions
    long steps_planned;  // 0: unknown
    double wall_ms;      // 0: no limit
    const sp_attr *stop_when;
    double started_ms;
    bool done, finished;
};

// What differs between the elements of a scene that make a body: <solid>, <rod>, <rigid>. Code that handles all bodies asks this
// table and not for the element.
typedef struct sp_builder {
    const char *element;
    sp_status (*build)(sp_run *run, const sp_scene_node *node);
    // the points, nodes and elements that a probe reads
    sp_status (*probe)(sp_run *run, const sp_probe *p, sp_probe_target *t);
    // nodes, elements or faces, see sp__build_select. NULL: a body without nodes and elements
    sp_status (*select)(sp_run *run, const sp_run_body *body, const sp_scene_node *node, sp_select_kind kind, int **out,
                        int *count);
    // with `select`: number of nodes or elements, and the number of one of them as the user counts at an element `node`
    int (*item_count)(const sp_run_body *body, sp_select_kind kind);
    int64_t (*item_number)(const sp_run_body *body, const sp_scene_node *node, sp_select_kind kind, int item);
    bool loose;  // without fix, move or pull it moves freely; the root of a rod is held by default
    bool along;  // positions `s` and `end` along a rod select nodes
} sp_builder;
extern const sp_builder sp__solid_builder, sp__rod_builder, sp__rigid_builder;  // build_solid.c, build_rod.c, build_rigid.c

// Reports an error at an element; the builder continues to find others.
#define SP_BUILD_FAIL(run, node, attr, ...) \
    (sp__scene_error((run)->scene, (node), (attr), __VA_ARGS__), (run)->failed = true, SP_BAD_INPUT)
// Returns if continuing makes no sense (no memory); errors of the scene are collected.
#define SP_BUILD(call)                                                    \
    do {                                                                  \
        sp_status sp_build_ = (call);                                     \
        if (sp_build_ < 0 && sp_build_ != SP_BAD_INPUT) return sp_build_; \
    } while (0)

// build.c: attributes that the element type may lack or that may be absent
const sp_attr *sp__build_attr(const sp_scene_node *node, const char *name);  // NULL: neither given nor defaulted
bool sp__build_given(const sp_scene_node *node, const char *name);           // given by the element, a class or --set
double sp__build_number(const sp_scene_node *node, const char *name, double otherwise);
sp_compliance_type sp__build_compliance(const sp_scene_node *node);
bool sp__build_is(const sp_scene_node *node, const char *name, const char *word);
sp_status sp__build_no_memory(sp_run *run);
// Converts an error of the engine to a message at the element.
sp_status sp__build_refused(sp_run *run, const sp_scene_node *node, sp_status status, const sp_error *error);
// Accounts for bytes before they are allocated; fails above the memory limit of the scene.
sp_status sp__build_reserve(sp_run *run, const sp_scene_node *node, double items, double bytes_each, const char *what);
unsigned sp__build_axes(const sp_scene_node *node);               // SP_AXIS_ bits
const sp_scene_node *sp__build_owner(const sp_scene_node *node);  // the body that contains an element; NULL: none
sp_run_body *sp__build_body_of(sp_run *run, const sp_scene_node *node);
void sp__build_integrator(const sp_scene_node *body, sp_integrator_def *out);
void sp__build_solver(const sp_scene_node *body, sp_solver_def *out);
sp_status sp__build_say_solver(sp_run *run, const sp_run_body *body);  // reports the choice of type="auto" and the reason
sp_status sp__build_world(sp_run *run);

// build_place.c
sp_status sp__build_place(sp_run *run, const sp_scene_node *node, sp_place *out);
sp_status sp__build_places(sp_run *run, const sp_scene_node *node, sp_places *out);
void sp__place_point(const sp_place *place, const double x[3], double out[3]);
void sp__places_point(const sp_places *places, const double x[3], double out[3]);
bool sp__place_is_identity(const sp_place *place);
sp_pose sp__pose_mul(const sp_pose *a, const sp_pose *b);  // b first, then a
sp_status sp__build_motion(sp_run *run, const sp_scene_node *move, sp_pose_signal *out);
// The body that copies are scattered over; NULL: the node is in no such copy.
sp_run_body *sp__scattered_over(sp_run *run, const sp_scene_node *node);

// build_mesh.c: the mesh of a solid, before and after placement
sp_status sp__build_mesh(sp_run *run, sp_run_body *body);
// the boundary of the same organ, generated with the `elements` of a surface, before the placement of the body
sp_status sp__build_organ_surface(sp_run *run, const sp_run_body *body, const sp_scene_node *surface, sp_trimesh **out);
bool sp__is_shape(const sp_scene_node *node);
// The array of "@name", one value per element.
sp_status sp__build_data(sp_run *run, const sp_run_body *body, const sp_scene_node *node, const char *attr, const char *name,
                         const double **out);

// build_solid.c: index of the engine's region for an element; -1: it has no modulus of its own
int sp__build_region_number(const sp_scene_node *region);

// build_surface.c
bool sp__build_look(const sp_scene_node *user, sp_run_look *out);  // the look that an element references; false: none
sp_status sp__build_surfaces(sp_run *run, sp_run_body *body);
// The triangles of the attribute `file`, with its scale and flip, in the frame of the rest shape (rigid: of the body).
// tetrahedra: the boundary of those of the file, if it has any.
// reverses the triangles of a surface
sp_status sp__build_flip(sp_run *run, sp_trimesh **surface);
sp_status sp__build_read_surface(sp_run *run, const sp_run_body *body, const sp_scene_node *node, bool tetrahedra,
                                 sp_trimesh **out);

// build_contact.c: the child `contact-solver` of `contact`, reserve and broad; pairs, and friction of regions and surfaces
void sp__build_contact_solver(const sp_scene_node *contact, sp_contact_def *out);
sp_status sp__build_pairs(sp_run *run, const sp_scene_node *contact);
sp_contact_formulation sp__build_formulation(const sp_scene_node *node, sp_contact_formulation none);  // of a contact or a pair

// build_link.c: attach elements
sp_status sp__build_links(sp_run *run);
bool sp__build_is_attached(const sp_run *run, const sp_scene_node *body);      // an attach element names it or a part of it
sp_link_id sp__build_link_of(const sp_run *run, const sp_scene_node *attach);  // null id: it could not be built

// build_select.c
bool sp__selects(const sp_scene_node *node);  // the element has selection attributes
// Ascending node or element indices of the body, in run->scratch. An empty selection is an error unless empty="yes".
sp_status sp__build_select(sp_run *run, const sp_run_body *body, const sp_scene_node *node, sp_select_kind kind, int **out,
                           int *count);
// The criteria box, sphere, plane and where at a position; criteria that are not given always hold. s: arc length of a rod.
typedef struct sp_where {
    const sp_attr *box, *sphere, *plane, *where;
    double within;
} sp_where;
sp_where sp__where_of(const sp_scene_node *node);
bool sp__where_holds(const sp_where *where, const double x[3], double s);
// A material point where `point` is given.
sp_status sp__build_point(sp_run *run, const sp_run_body *body, const sp_scene_node *node, sp_anchor *out);
// The functions of the table for a solid.
sp_status sp__solid_select(sp_run *run, const sp_run_body *body, const sp_scene_node *node, sp_select_kind kind, int **out,
                           int *count);
sp_status sp__solid_probe(sp_run *run, const sp_probe *p, sp_probe_target *t);
// The functions of the table for a rod. They act on the strand that contains `node`, or on all strands if none does.
void sp__build_forget_rod(sp_run_body *body);  // frees its rest shape
sp_status sp__rod_select(sp_run *run, const sp_run_body *body, const sp_scene_node *node, sp_select_kind kind, int **out,
                         int *count);
int sp__rod_item_count(const sp_run_body *body, sp_select_kind kind);
int64_t sp__rod_item_number(const sp_run_body *body, const sp_scene_node *node, sp_select_kind kind, int item);
sp_status sp__rod_probe(sp_run *run, const sp_probe *p, sp_probe_target *t);
// Material points: nodes, or one position if `point` or a single `s` is given.
typedef struct sp_rod_spot {
    int element;
    double at;  // fraction of the element's length
    int node;   // -1: between nodes
} sp_rod_spot;
sp_status sp__rod_spots(sp_run *run, const sp_run_body *body, const sp_scene_node *node, sp_rod_spot **out, int *count);
// The engine's number of a section that only the elements of a region have; -1: there is none.
sp_status sp__rod_region_number(sp_run *run, const sp_run_body *body, const sp_scene_node *region, int *out);

// run_inverse.c: computes natural curvatures for which the initial shapes are in equilibrium
sp_status sp__build_inverses(sp_run *run);
bool sp__inverse_only(const sp_run *run);  // the run has no steps after it

// run_probe.c
sp_status sp__build_probes(sp_run *run);
bool sp__probe_has_quantity_of(const sp_probe *p, int of);  // SP_OF_: one of its quantities is of these
// All nodes or elements of a body, or those that the probe selects, and their numbers in the file.
sp_status sp__probe_items(sp_run *run, const sp_probe *p, const sp_run_body *body, sp_select_kind kind, const int **items,
                          const int64_t **numbers, int *count);
sp_status sp__probe_column(sp_run *run, const sp_scene_node *node, const char *attr, const sp_probe *probe, const char *component,
                           int *out);
sp_probe *sp__run_probe_of(sp_run *run, const sp_scene_node *node);
void sp__probe_column_name(const sp_probe *probe, int column, char *out, size_t size, const char **unit);
// samples
sp_status sp__build_sampling(sp_run *run, const sp_scene_node *node, sp_sampling *out);
sp_status sp__series_init(sp_run *run, sp_series *series, const sp_probe *probe);
sp_status sp__series_sample(sp_run *run, sp_series *series);  // at the time of the world
// Takes the samples that are due at the time of the world: `take` takes a sample at t; `keep` stores the current state if the
// next sample lies before the next step.
typedef sp_status sp_sample_fn(sp_run *run, void *user, double t, double now, bool between);
typedef sp_status sp_remember_fn(sp_run *run, void *user);
sp_status sp__sample(sp_run *run, sp_sampling *sampling, sp_sample_fn *take, sp_remember_fn *keep, void *user);
sp_status sp__series_reserve(sp_run *run, sp_series *series, int capacity);
// claims
sp_status sp__build_claims(sp_run *run);
void sp__claims_check(sp_run *run);

// run_record.c
sp_status sp__build_records(sp_run *run);
sp_status sp__records_open(sp_run *run);
sp_status sp__records_note(sp_run *run);   // after a step: collects its edits and events
sp_status sp__records_write(sp_run *run);  // writes the records that are due
sp_status sp__records_finish(sp_run *run);
void sp__records_free(sp_run *run);
// run_checkpoint.c: restores into a new run, before any sample
sp_status sp__run_restore(sp_run *run);
// run_additions.c: after a step, notes which bodies and links its edits added and removed; the same in a run that continues from
// this one, from lines of a log
sp_status sp__run_note_additions(sp_run *run);
sp_status sp__run_repeat_additions(sp_run *run, const char *lines, size_t size);
const sp_added_body *sp__run_added(const sp_run *run, int *count);
// edit_log.c: the edits of some types (bits 1 << sp_edit_type) in the text of a log, and one of them; NULL: no more
sp_status sp__edit_log_select(sp_context *context, const char *name, const char *text, unsigned types, sp_edit_log **out);
const sp_edit *sp__edit_log_at(const sp_edit_log *log, int index, uint64_t *step);
// run_event.c
sp_status sp__build_events(sp_run *run);
sp_status sp__events_queue(sp_run *run);
bool sp__run_condition(sp_run *run, const sp_attr *when, double t);

// Look of a body by the slot of its id; false if the scene has none (out is then a default look).
bool sp__run_look(const sp_run *run, uint32_t slot, sp_run_look *out);
// Does the body list a field of this name? Asking leaves no error record.
bool sp__run_has_field(sp_world *world, sp_body_id id, const char *field);

#endif
