// From the resolved scene tree to a world and to what a run does around it. Everything a run keeps is freed with it at once
// (run->keep); what only the building needs goes when that is done (run->scratch).
#ifndef SP_BUILD_H
#define SP_BUILD_H

#include "io/file/text_file.h"
#include "io/run/run.h"
#include "io/scene/scene.h"

enum { SP_PLACE_DEPTH = 17 };  // a body's own placement and those of the instances it stands in

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
    sp_run_look look;
    bool has_look;
} sp_run_surface;

// A rod: one strand, or one for each copy of a merged instance. Nodes and elements are counted strand by strand.
typedef struct sp_run_rod {
    int strands, nodes, elements;
    const sp_scene_node **node;  // strands: the `rod` each comes from
    int *first_node;             // strands + 1
    int *first_element;          // strands + 1
    double *length;              // strands: before the placement
    int *section;                // elements: which of `sections`
    int sections;
    double reach;  // semi-axis of its thickest section, placed
    bool grows;    // at its tip: the engine has more nodes and elements than these, which are those of the start
    // the rest shape; gone when building is done
    struct sp_rod_rest *rest;
} sp_run_rod;

typedef struct sp_run_body {
    const sp_scene_node *node;
    sp_body_id id;
    bool solid;
    sp_run_rod *rod;        // NULL: a solid or a rigid
    bool young_varies;      // `young` is a function of time
    sp_mesh *own, *placed;  // rest shape before and after placement, perhaps the same; gone when building is done
    sp_places places;
    sp_rigid_def rigid;  // of a rigid: shapes and pose, kept with the run
    double *start;  // where nodes start in the body's own coordinates, if not at rest; NULL: at rest. Goes when building is done
    sp_run_look look;
    bool has_look;
    sp_run_surface *surfaces;  // that ride on it, in the engine's order
    int surface_count;
    sp_body_info info;  // at the step `info_step`
    uint64_t info_step;
    bool has_info;
} sp_run_body;

// ---- what is written down (run_probe.c)

typedef struct sp_quantity {
    const char *name, *unit;
    int components;
    const char *axes;  // names of the components, divided by spaces
    enum { SP_OF_NODES, SP_OF_ELEMENTS, SP_OF_BODY, SP_OF_WORLD } of;
    const char *field;  // of nodes and elements
} sp_quantity;

typedef struct sp_probe_target {  // what a probe looks at in one body
    sp_run_body *body;
    int node_count;
    const int *nodes;          // NULL: a material point
    const int64_t *node_ids;   // as in the file
    const sp_anchor *anchors;  // node_count of them
    int element_count;
    const int *elements;
    const int64_t *element_ids;
} sp_probe_target;

typedef struct sp_sampling {  // T
    int every;                // steps; 0: period or times
    double period;
    const double *times;
    int time_count;
    double from, until;
    long next;      // how many samples of period or times are taken
    double before;  // time of the step that is kept because a sample lies between it and the next; NaN: none
} sp_sampling;

typedef struct sp_probe sp_probe;

typedef struct sp_series {  // samples of one probe
    const sp_probe *probe;
    sp_sampling sampling;
    int count, capacity;
    double *times, *values;
    unsigned char *interpolated;
    double *before;  // the row of the step before a sample between two steps
} sp_series;

struct sp_probe {
    const sp_scene_node *node;
    const char *name;
    const char *body;  // NULL: several, or none
    int target_count;
    sp_probe_target *targets;
    int quantity_count;
    const sp_quantity **quantities;
    const char **quantity_names;
    int *widths;  // numbers per quantity
    int width;
    enum { SP_COMBINE_NONE, SP_COMBINE_SUM, SP_COMBINE_MEAN, SP_COMBINE_MAX } combine;
    sp_series series;
};

typedef struct sp_record sp_record;  // run_record.h

typedef struct sp_run_event {
    const sp_scene_node *node;
    double t;             // NaN: by condition
    const sp_attr *when;  // NULL: by time
    sp_edit_type type;    // param, pin or release
    sp_body_id body;
    const int *nodes;
    int node_count;
    unsigned axes;
    const char *path;
    double ramp;
    enum { SP_EVENT_WAITS, SP_EVENT_RAMPS, SP_EVENT_DONE } state;
    double started, from;  // ramp: time and value at its start
} sp_run_event;

typedef struct sp_claim {
    const sp_scene_node *node;
    sp_run_claim claim;
    const sp_probe *probe;
    int column;
    const char *over;  // NULL: at a time
    double at;
} sp_claim;

typedef struct sp_live {  // where the value of an expression's slot comes from
    const sp_series *series;
    int column;
} sp_live;

// ---- the run

struct sp_run {
    sp_context *ctx;
    sp_scene *scene;
    sp_world *world;
    sp_keep keep, scratch;
    struct sp_scatter *scatters;  // places over bodies, made once for all copies of an instance; in scratch
    bool failed;                  // an error was found; others are still looked for
    double memory;                // bytes that meshes and bodies will need, so far
    sp_run_options options;
    double dt;
    sp_run_body *bodies;
    int body_count;
    sp_probe *probes;
    int probe_count;
    sp_record *records;
    int record_count;
    struct sp_sink *sinks;  // of records that are written by the recorder
    int sink_count;
    struct sp_recorder *recorder;  // NULL: nothing is written
    struct sp_provenance *origin;
    sp_series **series;  // all that are sampled
    int series_count;
    sp_run_event *events;
    int event_count;
    sp_claim *claims;
    int claim_count;
    sp_live *live;
    int live_count;
    sp_run_inverse *inverses;
    int inverse_count;
    double *field;  // room for the longest field that a probe reads
    size_t field_size;
    // when to stop
    long steps_planned;  // 0: unknown
    double wall_ms;      // 0: no limit
    const sp_attr *stop_when;
    double started_ms;
    bool done, finished;
};

// Add an error at an element and go on looking for others.
#define SP_BUILD_FAIL(run, node, attr, ...) \
    (sp__scene_error((run)->scene, (node), (attr), __VA_ARGS__), (run)->failed = true, SP_BAD_INPUT)
// Leave where going on makes no sense (no memory); what is wrong with the scene is collected.
#define SP_BUILD(call)                                                    \
    do {                                                                  \
        sp_status sp_build_ = (call);                                     \
        if (sp_build_ < 0 && sp_build_ != SP_BAD_INPUT) return sp_build_; \
    } while (0)

// build_attr.c: attributes that may be absent from the table or from the element
const sp_attr *sp__build_attr(const sp_scene_node *node, const char *name);  // NULL: neither written nor defaulted
bool sp__build_given(const sp_scene_node *node, const char *name);           // written, by class or --set
double sp__build_number(const sp_scene_node *node, const char *name, double otherwise);
bool sp__build_is(const sp_scene_node *node, const char *name, const char *word);
sp_status sp__build_no_memory(sp_run *run);
// A refusal of the engine becomes a message at the element.
sp_status sp__build_refused(sp_run *run, const sp_scene_node *node, sp_status status, const sp_error *error);
// Count bytes before they are asked for; refused above the scene's memory limit.
sp_status sp__build_reserve(sp_run *run, const sp_scene_node *node, double items, double bytes_each, const char *what);
unsigned sp__build_axes(const sp_scene_node *node);               // SP_AXIS_ bits
const sp_scene_node *sp__build_owner(const sp_scene_node *node);  // the body that an element stands in; NULL: none
sp_run_body *sp__build_body_of(sp_run *run, const sp_scene_node *node);

// build_place.c
sp_status sp__build_place(sp_run *run, const sp_scene_node *node, sp_place *out);
sp_status sp__build_places(sp_run *run, const sp_scene_node *node, sp_places *out);
void sp__place_point(const sp_place *place, const double x[3], double out[3]);
void sp__places_point(const sp_places *places, const double x[3], double out[3]);
bool sp__place_is_identity(const sp_place *place);
sp_pose sp__pose_mul(const sp_pose *a, const sp_pose *b);  // first b, then a
sp_status sp__build_motion(sp_run *run, const sp_scene_node *move, sp_pose_signal *out);

// build_shape.c: the mesh of a solid in its own coordinates, and placed
sp_status sp__build_mesh(sp_run *run, sp_run_body *body);
bool sp__is_shape(const sp_scene_node *node);
// build_mesh.c: a mesh file with part and weld; the rest shape where it is another than the shape
sp_status sp__build_mesh_file(sp_run *run, const sp_scene_node *shape, sp_mesh **out);
sp_status sp__build_rest(sp_run *run, sp_run_body *body);
// build_surface.c
bool sp__build_look(const sp_scene_node *user, sp_run_look *out);  // the look that an element names; false: none
sp_status sp__build_surfaces(sp_run *run, sp_run_body *body);

// build_system.c
void sp__build_integrator(const sp_scene_node *body, sp_integrator_def *out);
void sp__build_solver(const sp_scene_node *body, sp_solver_def *out);
sp_status sp__build_say_solver(sp_run *run, const sp_run_body *body);  // what type="auto" became, and why

// build_select.c
bool sp__selects(const sp_scene_node *node);  // has anything to select by
// Numbers of nodes or elements of the body, rising, in run->scratch. Nothing selected is an error unless empty="yes".
sp_status sp__build_select(sp_run *run, const sp_run_body *body, const sp_scene_node *node, sp_select_kind kind, int **out,
                           int *count);
// What box, sphere, plane and where say of single places; those that are not given say nothing. s: arc length of a rod.
typedef struct sp_where {
    const sp_attr *box, *sphere, *plane, *where;
    double within;
} sp_where;
sp_where sp__where_of(const sp_scene_node *node);
bool sp__where_holds(const sp_where *where, const double x[3], double s);
// A material point where `point` is given: element, weights.
sp_status sp__build_point(sp_run *run, const sp_run_body *body, const sp_scene_node *node, int *element, double weights[4]);

// build_material.c
sp_status sp__build_material(sp_run *run, sp_run_body *body, sp_solid_def *def);
int sp__build_region_number(
    const sp_scene_node *region);  // of the engine's region that it became; -1: it has no modulus of its own
// build_data.c: the array that "@name" stands for, one value per element
sp_status sp__build_data(sp_run *run, const sp_run_body *body, const sp_scene_node *node, const char *attr, const char *name,
                         const double **out);

// build_load.c
sp_status sp__build_loads(sp_run *run, sp_run_body *body, sp_solid_def *def);
// build_solid.c, build_rigid.c
sp_status sp__build_solid(sp_run *run, const sp_scene_node *node);
sp_status sp__build_rigid(sp_run *run, const sp_scene_node *node);
// build_rod.c
sp_status sp__build_rod(sp_run *run, const sp_scene_node *node);
void sp__build_forget_rod(sp_run_body *body);  // its rest shape
// build_rod_select.c: as sp__build_select, for the strand that `node` stands in, or for all where it stands in none
sp_status sp__rod_select(sp_run *run, const sp_run_body *body, const sp_scene_node *node, sp_select_kind kind, int **out,
                         int *count);
// Material points: nodes, or one place where `point` or a single `s` is given.
typedef struct sp_rod_spot {
    int element;
    double at;  // of its length
    int node;   // -1: between nodes
} sp_rod_spot;
sp_status sp__rod_spots(sp_run *run, const sp_run_body *body, const sp_scene_node *node, sp_rod_spot **out, int *count);
// The engine's number of the section that the elements of a region have to themselves; -1: there is none.
sp_status sp__rod_region_number(sp_run *run, const sp_run_body *body, const sp_scene_node *region, int *out);
int sp__rod_strand_of(const sp_run_rod *rod, const sp_scene_node *node);  // -1: it stands in none
// build_scatter.c: where a copy of an instance with `scatter` lies
sp_status sp__build_scatter(sp_run *run, const sp_scene_node *copy, sp_place *out);
// The body that copies are scattered over; NULL: this node stands in no such copy.
sp_run_body *sp__scattered_over(sp_run *run, const sp_scene_node *node);
// run_inverse.c: natural curvatures that make start shapes equilibria
sp_status sp__build_inverses(sp_run *run);
bool sp__inverse_only(const sp_run *run);  // no step is wanted after it
// build_recorded.c: start where a recording says the solid of the same name is
sp_status sp__build_recorded(sp_run *run, const sp_run_body *body, const sp_scene_node *node, sp_solid_def *def);
// build_hold.c: refuse statics that nothing holds
sp_status sp__build_check_static(sp_run *run, const sp_run_body *body, const sp_solid_def *def);
// build_world.c
sp_status sp__build_world(sp_run *run);

// run_probe.c
sp_status sp__build_probes(sp_run *run);
sp_status sp__probe_column(sp_run *run, const sp_scene_node *node, const char *attr, const sp_probe *probe, const char *component,
                           int *out);
sp_probe *sp__run_probe_of(sp_run *run, const sp_scene_node *node);
void sp__probe_column_name(const sp_probe *probe, int column, char *out, size_t size, const char **unit);
sp_status sp__probe_row(sp_run *run, const sp_probe *probe, double *out);
// run_sample.c
sp_status sp__build_sampling(sp_run *run, const sp_scene_node *node, sp_sampling *out);
sp_status sp__series_init(sp_run *run, sp_series *series, const sp_probe *probe);
sp_status sp__series_sample(sp_run *run, sp_series *series);  // at the world's time
// Take what is due at the world's time: `take` a sample at t, `keep` the state now where the next sample lies before the next
// step.
typedef sp_status sp_sample_fn(sp_run *run, void *user, double t, double now, bool between);
typedef sp_status sp_remember_fn(sp_run *run, void *user);
sp_status sp__sample(sp_run *run, sp_sampling *sampling, sp_sample_fn *take, sp_remember_fn *keep, void *user);
sp_status sp__series_reserve(sp_run *run, sp_series *series, int capacity);
void sp__series_free(sp_run *run, sp_series *series);
// run_record.c
sp_status sp__build_records(sp_run *run);
sp_status sp__records_open(sp_run *run);
sp_status sp__records_note(sp_run *run);   // after a step: what happened in it
sp_status sp__records_write(sp_run *run);  // what is due now
sp_status sp__records_finish(sp_run *run);
void sp__records_free(sp_run *run);
// run_checkpoint.c: into a run that was just built; before any sample
sp_status sp__run_restore(sp_run *run);
// run_event.c
sp_status sp__build_events(sp_run *run);
sp_status sp__events_queue(sp_run *run);
bool sp__run_condition(sp_run *run, const sp_attr *when, double t);
// run_claim.c
sp_status sp__build_claims(sp_run *run);
void sp__claims_judge(sp_run *run);

#endif
