/// Scenes, mesh files, recordings, pictures and edit logs: libsouple-io, a client of the public API.
#ifndef SOUPLE_IO_H
#define SOUPLE_IO_H

#include "souple.h"

#ifdef __cplusplus
extern "C" {
#endif

// ---------------------------------------------------------------------------------------------------- scenes

/// A scene file that was read, checked and resolved, with the messages about it.
typedef struct sp_scene sp_scene;

/// How a scene is read. Start from sp_scene_options_default().
typedef struct sp_scene_options {
    const char *const *sets;  ///< "path=value", applied before expressions are evaluated
    int set_count;
    const char *const *allow_paths;  ///< further folders that files may come from
    int allow_count;
    size_t memory_limit;  ///< bytes that meshes and instances may need, checked before allocation; 0: 8 GiB
    uint32_t cookie;
} sp_scene_options;

/// A warning leaves the scene usable, an error does not.
typedef enum sp_severity { SP_SEVERITY_WARNING, SP_SEVERITY_ERROR } sp_severity;

/// One remark of the reader about a scene. Pointers live as long as the scene.
typedef struct sp_scene_message {
    sp_severity severity;
    const char *file;
    int line;          ///< 0: not from a file (--set)
    const char *text;  ///< without file and line
} sp_scene_message;

/// Every default, and a valid cookie.
SP_API sp_scene_options sp_scene_options_default(void);
/// Read, check and resolve. On SP_BAD_INPUT *out still holds a scene, good only for its messages. Nullable: options.
SP_API sp_status sp_scene_load(sp_context *context, const char *path, const sp_scene_options *options, sp_scene **out);
/// The same from memory; `name` stands for the file in messages and for the folder of other files.
SP_API sp_status sp_scene_parse(sp_context *context, const char *text, size_t size, const char *name,
                                const sp_scene_options *options, sp_scene **out);
/// Frees it and nulls the handle; accepts NULL.
SP_API void sp_scene_destroy(sp_scene **scene);
/// Number of messages, warnings included.
SP_API int sp_scene_message_count(const sp_scene *scene);
/// A message by index, in the order of the file; NULL past the end.
SP_API const sp_scene_message *sp_scene_message_at(const sp_scene *scene, int index);
/// The name that the scene gives itself; empty where it has none.
SP_API const char *sp_scene_name(const sp_scene *scene);

/// What a scene was read from. Strings live as long as the scene.
typedef struct sp_scene_info {
    const char *file;  ///< as the caller named it
    const char *text;  ///< as it was read, `size` bytes, a zero byte behind them
    size_t size;
    int set_count;  ///< for sp_scene_set_at
    uint64_t seed;  ///< of everything random in the scene
} sp_scene_info;

/// Fills `out` with the source of a scene.
SP_API void sp_scene_get(const sp_scene *scene, sp_scene_info *out);
/// "--set path=value" of sp_scene_options.sets, index in [0, set_count).
SP_API const char *sp_scene_set_at(const sp_scene *scene, int index);

/// A file that a run of the scene writes into its folder.
typedef struct sp_scene_output {
    const char *element;  ///< what writes it: "record" or "inverse"
    const char *file;     ///< as in the scene
} sp_scene_output;

/// Number of files that a run of the scene writes: those of records, then those of inverse problems.
SP_API int sp_scene_output_count(const sp_scene *scene);
/// False: there is no such output, and nothing is written to out.
SP_API bool sp_scene_output_at(const sp_scene *scene, int index, sp_scene_output *out);

/// One of the words that an attribute of the scene language may be.
typedef struct sp_scene_choice {
    char name[64];  ///< as a scene writes it
    bool built;     ///< false: known to the language, not in this build
} sp_scene_choice;

/// Choice number `index` from 0 of an attribute ("solver", "type"). False: there is none.
SP_API bool sp_scene_choice_at(const char *element, const char *attribute, int index, sp_scene_choice *out);
/// Every resolved value with unit and origin, a line each, through `print(user, text)`.
SP_API void sp_scene_describe(const sp_scene *scene, void (*print)(void *user, const char *text), void *user);
/// The RelaxNG schema and the reference page, from the same table as the reader.
SP_API void sp_scene_schema(void (*print)(void *user, const char *text), void *user);
/// The reference page of the scene language in Markdown, from the same table as the reader.
SP_API void sp_scene_reference(void (*print)(void *user, const char *text), void *user);

// ---------------------------------------------------------------------------------------------------- runs

/// A scene being simulated: world, events, probes, records, stop conditions and claims.
typedef struct sp_run sp_run;

/// What a caller overrides of a scene. Start from sp_run_options_default().
typedef struct sp_run_options {
    const char *backend;  ///< overrides the scene's; nullable
    double time;          ///< overrides stop; <= 0: the scene's
    long steps;           ///< overrides stop; <= 0: the scene's
    const char *out;      ///< folder for records; nullable: none are written
    bool endless;         ///< do not ask for a stop condition
    const char *resume;   ///< checkpoint file of sp_run_save to go on from; nullable. Records in `out` go on where they stood
    uint32_t cookie;
} sp_run_options;

/// Every default, and a valid cookie.
SP_API sp_run_options sp_run_options_default(void);
/// Builds meshes and world. The scene must outlive the run. Nullable: options. Build errors become messages of the scene.
SP_API sp_status sp_run_create(sp_scene *scene, const sp_run_options *options, sp_run **out);
/// Frees it and nulls the handle; accepts NULL.
SP_API void sp_run_destroy(sp_run **run);
/// The world of the run. It lives as long as the run.
SP_API sp_world *sp_run_world(sp_run *run);
/// Length of a step [s].
SP_API double sp_run_dt(const sp_run *run);
/// Steps planned (0: unknown) and whether a stop condition has been met.
SP_API long sp_run_steps_planned(const sp_run *run);
/// Whether a stop condition has been met.
SP_API bool sp_run_done(const sp_run *run);
/// Goes on from where `from` stands, a run of the same scene that may differ in what moves no node: time step, solver, threads,
/// what is recorded. Where the bodies are others it is refused, and `run` is good for sp_run_destroy only.
SP_API sp_status sp_run_adopt(sp_run *run, sp_run *from);

/// How a surface of a body is drawn.
typedef struct sp_run_look {
    double color[3];   ///< in [0, 1]; default 0.8 0.8 0.8
    double opacity;    ///< in [0, 1]; default 1
    double roughness;  ///< in [0, 1]; default 0.6
    double metallic;   ///< in [0, 1]; default 0
    bool edges;        ///< lines on the edges of faces; default false
} sp_run_look;

/// Appearance of a surface of a body. Surface 0: the boundary of the body; 1, 2, ...: its further surfaces, in the order of
/// sp_snapshot_body, which have the look of the body where they have none of their own. False: the scene gives none, and out has
/// the defaults.
SP_API bool sp_run_look_at(const sp_run *run, sp_body_id body, int surface, sp_run_look *out);
/// One step: events, world step, probes, records.
SP_API sp_status sp_run_step(sp_run *run);
/// Close records and judge the claims.
SP_API sp_status sp_run_finish(sp_run *run);

/// What a probe has measured so far. Pointers live until the next step of the run.
typedef struct sp_run_probe {
    const char *name;
    const char *body;  ///< nullable
    int quantity_count;
    const char *const *quantities;
    const int *components;  ///< numbers per quantity
    int sample_count;
    const double *times;                ///< [s]
    const double *values;               ///< sample_count x sum of components
    int width;                          ///< sum of components
    const unsigned char *interpolated;  ///< per sample: 1 where its time lies between two steps
} sp_run_probe;

/// Number of probes in the scene.
SP_API int sp_run_probe_count(const sp_run *run);
/// The samples of a probe by index.
SP_API void sp_run_probe_at(const sp_run *run, int index, sp_run_probe *out);

/// What a number of a probe is called.
typedef struct sp_run_column {
    char name[160];    ///< "position.x"
    const char *unit;  ///< "m"; "" for none
} sp_run_column;

/// Name and unit of a column. Both indices count from 0; column is below sp_run_probe.width.
SP_API void sp_run_column_at(const sp_run *run, int probe, int column, sp_run_column *out);

/// An `expect` element of the scene: what was seen against what was claimed.
typedef struct sp_run_claim {
    const char *probe;
    const char *component;
    double seen, value, tolerance;
    bool relative, held;
    const char *source;
} sp_run_claim;

/// An inverse problem that was solved before the first step.
typedef struct sp_run_inverse {
    const char *unknown;  ///< path of what was found
    double residual;      ///< longest way of a node in a first step with it, over the length of the rod
} sp_run_inverse;

/// Number of inverse problems that were solved before the first step.
SP_API int sp_run_inverse_count(const sp_run *run);
SP_API void sp_run_inverse_at(const sp_run *run, int index, sp_run_inverse *out);  ///< past the end: nothing

/// Number of claims; judged by sp_run_finish.
SP_API int sp_run_claim_count(const sp_run *run);
/// A claim by index.
SP_API void sp_run_claim_at(const sp_run *run, int index, sp_run_claim *out);

// ---------------------------------------------------------------------------------------------------- files

/// Formats by content, then by suffix: Gmsh .msh 2.2 and 4.1, VTK .vtk and .vtu, TetGen .node/.ele/.face, OBJ, STL, PLY.
/// What tetrahedra there are, with groups and arrays. Refuses a file without any.
SP_API sp_status sp_mesh_read(sp_context *context, const char *path, sp_mesh **out);
/// What triangles there are (quadrangles and polygons are cut); of a file of tetrahedra only, their boundary.
SP_API sp_status sp_trimesh_read(sp_context *context, const char *path, sp_trimesh **out);

/// Auto: binary where the format has it (vtu: appended), text otherwise.
typedef enum sp_encoding {
    SP_ENCODING_AUTO,
    SP_ENCODING_ASCII,
    SP_ENCODING_BINARY,
    SP_ENCODING_BASE64,
    SP_ENCODING_APPENDED
} sp_encoding;

/// Start from sp_mesh_write_options_default().
typedef struct sp_mesh_write_options {
    const char *format;    ///< "msh", "msh2", "vtk", "vtu", "tetgen", "obj", "stl", "ply"; nullable: by the suffix
    sp_encoding encoding;  ///< default auto; refused where the format lacks it
    bool compress;         ///< vtu: zlib. Default false
    uint32_t cookie;
} sp_mesh_write_options;

/// Every default, and a valid cookie.
SP_API sp_mesh_write_options sp_mesh_write_options_default(void);
/// Whole or not at all: a file that could not be finished is removed. Nullable: options.
SP_API sp_status sp_mesh_write(const sp_mesh *mesh, const char *path, const sp_mesh_write_options *options);
/// The same for a surface.
SP_API sp_status sp_trimesh_write(const sp_trimesh *surface, const char *path, const sp_mesh_write_options *options);

/// A mesh file as it stands, good or bad: for examining and repairing what sp_mesh_read would refuse.
typedef struct sp_mesh_file sp_mesh_file;

/// Pointers live as long as the file is open.
typedef struct sp_mesh_file_content {
    const char *format;       ///< "Gmsh 4.1"
    bool tetrahedra;          ///< there are some, in `mesh`, with every node of the file; otherwise triangles, in `surface`
    sp_mesh_def mesh;         ///< for sp_mesh_examine and sp_mesh_repaired
    sp_trimesh_def surface;   ///< for sp_trimesh_examine and sp_trimesh_repaired
    const int64_t *node_ids;  ///< of the surface: the file's numbers; nullable: 0, 1, 2, ...
    const int64_t *face_ids;  ///< likewise
} sp_mesh_file_content;

/// Reads a file without judging it. SP_BAD_INPUT where it is no mesh file at all.
SP_API sp_status sp_mesh_file_open(sp_context *context, const char *path, sp_mesh_file **out);
/// What the file holds.
SP_API void sp_mesh_file_get(const sp_mesh_file *file, sp_mesh_file_content *out);
/// What sp_mesh_read and sp_trimesh_read would give, without reading it again.
SP_API sp_status sp_mesh_file_mesh(const sp_mesh_file *file, sp_mesh **out);
/// The surface of the file, as sp_trimesh_read would give it.
SP_API sp_status sp_mesh_file_trimesh(const sp_mesh_file *file, sp_trimesh **out);
/// Frees it and nulls the handle; accepts NULL.
SP_API void sp_mesh_file_close(sp_mesh_file **file);

/// Labelled voxels from a file: NRRD (.nrrd, .nhdr + raw, also gzip) or NIfTI-1 (.nii, .nii.gz), see docs/meshing.md.
typedef struct sp_volume sp_volume;
/// Reads a volume of labels. SP_BAD_INPUT where it is none, with the reason in the context.
SP_API sp_status sp_volume_read(sp_context *context, const char *path, sp_volume **out);
/// The same from memory; `path` stands in messages and for the folder of the file that a detached header names.
SP_API sp_status sp_volume_parse(sp_context *context, const char *text, size_t size, const char *path, sp_volume **out);
/// For sp_mesh_fill_labels; pointers live as long as the volume.
SP_API void sp_volume_get(const sp_volume *volume, sp_label_volume *out);
/// Frees it and nulls the handle; accepts NULL.
SP_API void sp_volume_destroy(sp_volume **volume);

/// Edit logs: a line of text per edit, with the step that took it.
typedef struct sp_edit_log sp_edit_log;
/// Starts a new log at `path`.
SP_API sp_status sp_edit_log_create(sp_context *context, const char *path, sp_edit_log **out);
SP_API sp_status sp_edit_log_append(sp_edit_log *log, const sp_world *world);  ///< after a step: what it took
/// Opens a log for replay.
SP_API sp_status sp_edit_log_open(sp_context *context, const char *path, sp_edit_log **out);
SP_API sp_status sp_edit_log_queue(sp_edit_log *log, sp_world *world);  ///< before a step: what it took then
/// Closes the log and nulls the handle. SP_IO where a new log could not be written whole.
SP_API sp_status sp_edit_log_close(sp_edit_log **log);

enum { SP_EDIT_LINE = 1024 };  ///< room for any line of a log
/// The line of a log for an edit that the given step took, with its line end. False: logs leave such an edit out, because the
/// scene makes it again on replay.
SP_API bool sp_edit_log_line(const sp_edit *edit, uint64_t step, char *out, size_t size);

// ---------------------------------------------------------------------------------------------------- recordings

/// A recording (.xdmf, or the .h5 beside it) opened for reading: finished, still growing, or left by a run that was killed, then
/// up to its last whole frame. In a build without HDF5 every opening answers SP_UNAVAILABLE. Use it from one thread at a time.
typedef struct sp_recording sp_recording;

/// Refuses with file and reason what is damaged, missing or no recording. Strings and arrays it gives live until it is closed.
SP_API sp_status sp_recording_open(sp_context *context, const char *path, sp_recording **out);
/// Frees it and nulls the handle; accepts NULL.
SP_API void sp_recording_close(sp_recording **recording);

/// What a recording says about itself and about the run that made it.
typedef struct sp_recording_info {
    int frame_count, body_count;
    const char *scene;  ///< text of the scene as it was read
    size_t scene_size;
    const char *scene_path;  ///< its file as the caller named it: what sp_scene_parse takes for `name`
    int set_count;
    const char *const *sets;  ///< "path=value", for sp_scene_options
    const char *version;      ///< of the library that wrote it
    const char *backend;
    double dt;  ///< [s]
    uint64_t seed;
    bool in_double;     ///< numbers are kept whole; otherwise as float
    bool visual;        ///< holds visual surfaces instead of mechanical meshes: nothing that sp_recording_show could set
    bool complete;      ///< the run closed it
    const char *edits;  ///< log of the edits taken up to the last frame, as sp_edit_log_open reads it; empty: none
} sp_recording_info;

/// The description of a recording.
SP_API void sp_recording_get(const sp_recording *recording, sp_recording_info *out);

/// One instant of a recording.
typedef struct sp_recording_frame {
    double time;  ///< [s]
    uint64_t step;
    uint64_t hash;      ///< of the state; 0 where interpolated
    bool interpolated;  ///< lies between two steps
} sp_recording_frame;

/// Frames count from 0.
SP_API sp_status sp_recording_frame_at(const sp_recording *recording, int frame, sp_recording_frame *out);
/// The frame whose time is nearest, the earlier of two; -1: there are none.
SP_API int sp_recording_nearest(const sp_recording *recording, double time);

/// A body of a recording and the fields that were kept of it.
typedef struct sp_recording_body {
    const char *name;
    const char *kind;  ///< "solid", "rod", "rigid"
    int field_count;
    const char *const *fields;
} sp_recording_body;

/// A body by index, from 0.
SP_API sp_status sp_recording_body_at(const sp_recording *recording, int body, sp_recording_body *out);

/// Cells of a body at a frame: tetrahedra, lines along a rod, or triangles of what has no elements.
typedef struct sp_recording_topology {
    int revision;  ///< from 0; frames of one revision share it
    int node_count, cell_count;
    int corners;       ///< 4, 2 or 3
    const int *cells;  ///< cell_count x corners
} sp_recording_topology;

/// The cells stand until the next call for another revision of the body.
SP_API sp_status sp_recording_topology_at(sp_recording *recording, int frame, int body, sp_recording_topology *out);
/// Count and components of a field at a frame.
SP_API sp_status sp_recording_field_info(sp_recording *recording, int frame, int body, const char *field, sp_field_info *out);
/// Writes count x components numbers. "position" is always there, "velocity" for solids, "pose" for rigids.
SP_API sp_status sp_recording_field(sp_recording *recording, int frame, int body, const char *field, double *out);
/// Puts the bodies of a run's world, found by name, where they are in a frame. The run is one of the same scene: refused where a
/// body is missing or has other counts. The world's time does not change.
SP_API sp_status sp_recording_show(sp_recording *recording, int frame, sp_run *run);

/// A file that the run writes.
typedef struct sp_run_record {
    const char *file;  ///< as in the scene
    const char *path;  ///< where; NULL: nothing is written
    const char *kind;  ///< "xdmf", "vtu", "obj", "ply", "png", "csv"
    long frames;       ///< on the disk
    long dropped;      ///< frames that a slow disk cost, with on-slow="drop"
    uint64_t bytes;    ///< written so far
} sp_run_record;

/// Number of files that the run writes.
SP_API int sp_run_record_count(const sp_run *run);
/// A file of the run by index.
SP_API void sp_run_record_at(const sp_run *run, int index, sp_run_record *out);

/// A checkpoint file of the whole run: world, probes, events, records. Whole or not at all. Go on from it with
/// sp_run_options.resume: same hashes, probes and records as without the break.
SP_API sp_status sp_run_save(sp_run *run, const char *path);

// ---------------------------------------------------------------------------------------------------- pictures

/// What the pictures of a series share, so that neither the camera nor the colours jump: a box around all that is seen, and the
/// least and greatest value of the field shown. Start from sp_picture_extent_default(), which is empty.
typedef struct sp_picture_extent {
    double low[3], high[3];  ///< [m]
    double least, greatest;  ///< in the unit of the field
} sp_picture_extent;

/// How much of a body stops the light, instead of what its look says.
typedef struct sp_picture_opacity {
    const char *body;  ///< by name; NULL: every body
    double opacity;    ///< in [0, 1]; 0: not drawn
} sp_picture_opacity;

/// Start from sp_picture_def_default() or sp_run_picture(). Strings and lists are borrowed for the call.
typedef struct sp_picture_def {
    int width, height;  ///< pixels, 16..16384, default 1280 x 720
    double at[3], to[3], up[3];
    bool fitted;           ///< camera from the bounds of all bodies (default); otherwise at, to, up
    double fov;            ///< vertical [deg], default 40
    double azimuth;        ///< fitted: where the camera stands, about `up`, 0 in front [deg]; NaN (default): the broad side
    double elevation;      ///< fitted: how high above the horizon, in [-90, 90] [deg]; NaN (default): a little from above
    double orbit;          ///< turns the camera about `up` around what it looks at [deg], default 0
    double background[3];  ///< default 1 1 1
    const char *color_by;  ///< nullable: looks; or "displacement", "velocity", "von-mises", "rotation", "refresh", "region"
    double range[2];       ///< of the colours; NaN (default): the scene's, or from what is seen
    const char *title;     ///< nullable
    const char *note;      ///< a line below the title; nullable: time and step
    const sp_picture_extent *extent;  ///< of a series; nullable: of this picture alone
    const sp_picture_opacity *opacities;
    int opacity_count;
    uint32_t cookie;
} sp_picture_def;

/// Every default, and a valid cookie.
SP_API sp_picture_def sp_picture_def_default(void);
/// Every default, and a valid cookie.
SP_API sp_picture_extent sp_picture_extent_default(void);
/// Camera, lights, colours of the scene's camera, view and look elements where there are some.
SP_API sp_picture_def sp_run_picture(const sp_run *run);
/// Shaded surfaces of the world now, as a PNG file. Nullable: def; run (for looks). Errors are in the world's context.
SP_API sp_status sp_picture_write(sp_world *world, const sp_run *run, const sp_picture_def *def, const char *path);
/// The same into memory: def->width x height x 3 bytes of sRGB, rows from the top.
SP_API sp_status sp_picture_draw(sp_world *world, const sp_run *run, const sp_picture_def *def, unsigned char *rgb);
/// Widen the extent of a series by what a picture of the world now would show. Nullable: run.
SP_API sp_status sp_picture_measure(sp_world *world, const sp_run *run, const sp_picture_def *def, sp_picture_extent *extent);
/// A surface alone, with its own colours, or by one of its arrays (`color_by`). Nullable: def; name (of the surface, for
/// opacities). Errors are in the context.
SP_API sp_status sp_picture_surface(sp_context *context, const sp_trimesh *surface, const char *name, const sp_picture_def *def,
                                    unsigned char *rgb);
/// Pixels as a PNG file, whole or not at all.
SP_API sp_status sp_picture_save(sp_context *context, const unsigned char *rgb, int width, int height, const char *path);

// ---------------------------------------------------------------------------------------------------- plots

/// Points of one line, area or group of bars. Pointers are borrowed for the call.
typedef struct sp_plot_series {
    const char *name;     ///< in the legend
    const double *x, *y;  ///< values that are not finite, or not positive on a log axis, are left out
    int count;            ///< points
    bool marks;           ///< a dot at every point; default false
    bool dashed;          ///< default false
} sp_plot_series;

/// What a plot draws.
typedef enum sp_plot_kind {
    SP_PLOT_LINES,    ///< a line per series
    SP_PLOT_STACKED,  ///< areas on top of each other; all series share the x of the first one
    SP_PLOT_BARS      ///< groups side by side; x is not used
} sp_plot_kind;

/// One panel, 860 x 430 units. A zero-initialised one has linear axes and no series.
typedef struct sp_plot {
    const char *title, *x_label, *y_label;  ///< nullable: none
    bool log_x, log_y;                      ///< log10 axes; default false
    const sp_plot_series *series;           ///< borrowed for the call
    int series_count;                       ///< 0 or more
    sp_plot_kind kind;                      ///< default lines
    bool free_y;                            ///< lines: the y axis may exclude zero; default false
    const char *const *labels;              ///< bars: label below each group
} sp_plot;

/// Size of a panel in units of the drawing, and the greatest number of panels.
enum { SP_PLOT_WIDTH = 860, SP_PLOT_HEIGHT = 430, SP_PLOT_PANELS = 64 };

/// `count` panels below each other, 1..SP_PLOT_PANELS, in a file by its suffix, .svg or .png. Whole or not at all. Errors are in
/// the context.
SP_API sp_status sp_plot_write(sp_context *context, const sp_plot *plots, int count, const char *path);
/// Whether sp_plot_write supports the suffix of the path.
SP_API bool sp_plot_suffix(const char *path);
/// The same panels as one SVG element for an HTML page, given to `write` as text in one piece.
SP_API sp_status sp_plot_svg(sp_context *context, const sp_plot *plots, int count, void (*write)(void *user, const char *text),
                             void *user);

#ifdef __cplusplus
}
#endif
#endif
