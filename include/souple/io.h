/// Scenes, mesh files, recordings, pictures, edit logs and contact problems: libsouple-io, a client of the public API.
#ifndef SOUPLE_IO_H
#define SOUPLE_IO_H

#include "souple.h"

#ifdef __cplusplus
extern "C" {
#endif

// ---------------------------------------------------------------------------------------------------- scenes

/// A scene that was read, checked and resolved, with its messages.
typedef struct sp_scene sp_scene;

/// Options of reading a scene. Start from sp_scene_options_default().
typedef struct sp_scene_options {
    const char *const *sets;  ///< "path=value", applied before expressions are evaluated
    int set_count;
    const char *const *allow_paths;  ///< further folders from which files may be read
    int allow_count;
    size_t memory_limit;  ///< bytes that meshes and instances may need, checked before allocation; 0: 8 GiB
    uint32_t cookie;
} sp_scene_options;

/// A warning leaves the scene usable, an error does not.
typedef enum sp_severity { SP_SEVERITY_WARNING, SP_SEVERITY_ERROR } sp_severity;

/// A message of the reader about a scene. Pointers are valid as long as the scene exists.
typedef struct sp_scene_message {
    sp_severity severity;
    const char *file;
    int line;          ///< 0: not from a file (--set)
    const char *text;  ///< without file and line
} sp_scene_message;

/// Every default, and a valid cookie.
SP_API sp_scene_options sp_scene_options_default(void);
/// Reads, checks and resolves a scene. On SP_BAD_INPUT *out is a scene that can only be asked for its messages. Nullable:
/// options.
SP_API sp_status sp_scene_load(sp_context *context, const char *path, const sp_scene_options *options, sp_scene **out);
/// The same from memory. `name` is the file name in messages, and its folder is that of other files.
SP_API sp_status sp_scene_parse(sp_context *context, const char *text, size_t size, const char *name,
                                const sp_scene_options *options, sp_scene **out);
/// Frees it and sets the handle to NULL. Accepts NULL.
SP_API void sp_scene_destroy(sp_scene **scene);
/// Number of messages, including warnings.
SP_API int sp_scene_message_count(const sp_scene *scene);
/// A message by index, in the order of the file. Its strings are valid as long as the scene exists.
SP_API sp_status sp_scene_message_at(const sp_scene *scene, int index, sp_scene_message *out);
/// The name in the scene file; empty: none.
SP_API const char *sp_scene_name(const sp_scene *scene);

/// The source of a scene. Strings are valid as long as the scene exists.
typedef struct sp_scene_info {
    const char *file;  ///< as the caller named it
    const char *text;  ///< content, `size` bytes followed by a zero byte
    size_t size;
    int set_count;  ///< for sp_scene_set_text
    uint64_t seed;  ///< of all random numbers of the scene
} sp_scene_info;

/// Fills `out` with the source of a scene.
SP_API void sp_scene_get(const sp_scene *scene, sp_scene_info *out);
/// "--set path=value" of sp_scene_options.sets by index; NULL past the end.
SP_API const char *sp_scene_set_text(const sp_scene *scene, int index);

/// A file that a run of the scene writes to its output folder.
typedef struct sp_scene_output {
    const char *element;  ///< the element that writes it: "record" or "inverse"
    const char *file;     ///< as in the scene
} sp_scene_output;

/// Number of files that a run of the scene writes: those of records, then those of inverse problems.
SP_API int sp_scene_output_count(const sp_scene *scene);
/// An output by index.
SP_API sp_status sp_scene_output_at(const sp_scene *scene, int index, sp_scene_output *out);

/// A permitted value of an attribute of the scene language.
typedef struct sp_scene_choice {
    char name[64];  ///< as a scene writes it
    bool built;     ///< false: part of the language, but not in this build
} sp_scene_choice;

/// Choice number `index`, from 0, of an attribute ("solver", "type"). SP_BAD_INPUT: no such choice.
SP_API sp_status sp_scene_choice_at(const char *element, const char *attribute, int index, sp_scene_choice *out);
/// Prints every resolved value with unit and origin, one per line, with `print(user, text)`.
SP_API void sp_scene_describe(const sp_scene *scene, void (*print)(void *user, const char *text), void *user);
/// Prints the RelaxNG schema of the scene language, from the table that the reader uses.
SP_API void sp_scene_schema(void (*print)(void *user, const char *text), void *user);
/// Prints the reference page of the scene language in Markdown, from the same table. `all`: also elements, attributes and choices
/// that the language defines and this build lacks, in parentheses.
SP_API void sp_scene_reference(bool all, void (*print)(void *user, const char *text), void *user);

// ---------------------------------------------------------------------------------------------------- scenes of SOFA

/// A scene of SOFA (.scn, XML) that was read and converted to the scene language, with a note for each of its components.
typedef struct sp_import sp_import;

/// Options of a conversion. Start from sp_import_options_default().
typedef struct sp_import_options {
    const char *out;             ///< path of the scene to write; its folder is that of the files beside it. Nullable: "scene.xml"
    const char *const *folders;  ///< where else than beside the scene its mesh files may be, as SOFA's share folder
    int folder_count;
    double time;  ///< at which the new scene stops, > 0, default 1 [s]; SOFA's scenes have no end
    uint32_t cookie;
} sp_import_options;

/// What became of a component.
typedef enum sp_import_fate {
    SP_IMPORT_BECAME,      ///< the text says what
    SP_IMPORT_NOT_NEEDED,  ///< nothing has to stand for it
    SP_IMPORT_CHANGED,     ///< it became something that differs in a way that the text describes
    SP_IMPORT_LEFT_OUT     ///< it has no counterpart; the text says why
} sp_import_fate;

/// A note about a component. Strings are valid as long as the import.
typedef struct sp_import_note {
    sp_import_fate fate;
    const char *file;
    int line;
    const char *component;  ///< its type, as in the scene of SOFA
    const char *text;
} sp_import_note;

/// Every default, and a valid cookie.
SP_API sp_import_options sp_import_options_default(void);
/// Reads and converts a scene of SOFA; nothing is written. Mesh files that it names are read. Nullable: options. SP_BAD_INPUT: no
/// XML with a root `Node`, a mesh file that is missing or unreadable, or a Python scene. SP_IO: the file cannot be read.
SP_API sp_status sp_import_sofa(sp_context *context, const char *path, const sp_import_options *options, sp_import **out);
/// The same from memory. `name` is the file name in messages, and its folder that of other files.
SP_API sp_status sp_import_sofa_parse(sp_context *context, const char *text, size_t size, const char *name,
                                      const sp_import_options *options, sp_import **out);
/// Frees it and sets the handle to NULL. Accepts NULL.
SP_API void sp_import_destroy(sp_import **import);
/// The new scene; files beside it are named in it.
SP_API const char *sp_import_text(const sp_import *import);
/// Number of notes.
SP_API int sp_import_note_count(const sp_import *import);
/// A note by index, in the order of the lines.
SP_API sp_status sp_import_note_at(const sp_import *import, int index, sp_import_note *out);
/// Writes the new scene to the path of its options, and the mesh files that it needs beside it.
SP_API sp_status sp_import_write(sp_import *import);

// ---------------------------------------------------------------------------------------------------- runs

/// The simulation of a scene: world, events, probes, records, stop conditions and claims.
typedef struct sp_run sp_run;

/// Values that override those of the scene. Start from sp_run_options_default().
typedef struct sp_run_options {
    const char *backend;  ///< overrides that of the scene; nullable
    double time;          ///< stop time instead of the stop condition of the scene [s]; <= 0: not set
    long steps;           ///< number of steps instead of the stop condition of the scene; <= 0: not set
    const char *out;      ///< folder for records; nullable: none are written
    bool endless;         ///< no stop condition is required
    const char *resume;   ///< checkpoint file of sp_run_save from which to continue; nullable. Records in `out` are continued
    /// An empty world in which the bodies are made, such as one of a batch (sp_scene_world_def); the run does not own it, and
    /// must outlive it. nullable: a new world
    sp_world *world;
    uint32_t cookie;
} sp_run_options;

/// Every default, and a valid cookie.
SP_API sp_run_options sp_run_options_default(void);
/// Writes what a scene says about its world to a definition, and leaves the rest, such as snapshots. Signals refer to the scene.
SP_API void sp_scene_world_def(const sp_scene *scene, sp_world_def *def);
/// Creates meshes and world. The scene must outlive the run. Nullable: options. Errors become messages of the scene.
SP_API sp_status sp_run_create(sp_scene *scene, const sp_run_options *options, sp_run **out);
/// Frees it and sets the handle to NULL. Accepts NULL.
SP_API void sp_run_destroy(sp_run **run);
/// The world of the run. It is valid as long as the run exists.
SP_API sp_world *sp_run_world(sp_run *run);
/// Length of a step [s].
SP_API double sp_run_dt(const sp_run *run);
/// Number of planned steps; 0: unknown.
SP_API long sp_run_steps_planned(const sp_run *run);
/// Whether a stop condition has been met.
SP_API bool sp_run_done(const sp_run *run);
/// Continues from the state of `from`, a run of the same scene. It may differ in time step, solver, threads and records, which do
/// not change the state. If the bodies differ, the call fails, and `run` can only be destroyed.
SP_API sp_status sp_run_adopt(sp_run *run, sp_run *from);

/// Appearance of a surface of a body.
typedef struct sp_run_look {
    double color[3];   ///< in [0, 1]; default 0.8 0.8 0.8
    double opacity;    ///< in [0, 1]; default 1
    double roughness;  ///< in [0, 1]; default 0.6
    double metallic;   ///< in [0, 1]; default 0
    bool edges;        ///< lines on the edges of faces; default false
} sp_run_look;

/// Appearance of a surface of a body. Surface 0: the boundary of the body; 1, 2, ...: its embedded surfaces, in the order of
/// sp_snapshot_body. An embedded surface without appearance has that of the body, interfaces have the colour of their region.
/// False: the scene defines none, and out has the defaults.
SP_API bool sp_run_look_of(const sp_run *run, sp_body_id body, int surface, sp_run_look *out);
/// Name in the scene of a region of a body. Region 1 is `region[0]` in the paths of parameters and 1 in the field "region"; 0 is
/// the body without its regions. Each cross section of a rod is a region. "": it has no name. NULL: there is no such region.
SP_API const char *sp_run_region_name(const sp_run *run, sp_body_id body, int region);
/// One step: events, world step, probes, records.
SP_API sp_status sp_run_step(sp_run *run);
/// Closes records and checks the claims.
SP_API sp_status sp_run_finish(sp_run *run);

/// The samples of a probe so far. The numbers stay as they are until the run is destroyed; samples of later steps need a new
/// call.
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
    const unsigned char *interpolated;  ///< per sample: 1 if its time is between two steps
} sp_run_probe;

/// Number of probes in the scene.
SP_API int sp_run_probe_count(const sp_run *run);
/// The samples of a probe by index.
SP_API sp_status sp_run_probe_at(const sp_run *run, int index, sp_run_probe *out);

/// A column of the samples of a probe.
typedef struct sp_run_column {
    char name[160];    ///< "position.x"
    const char *unit;  ///< "m"; "" for none
} sp_run_column;

/// Name and unit of a column. Both indices count from 0; column is below sp_run_probe.width.
SP_API sp_status sp_run_column_at(const sp_run *run, int probe, int column, sp_run_column *out);

/// An `expect` element of the scene: the observed and the expected value.
typedef struct sp_run_claim {
    const char *probe;
    const char *component;
    double seen, value, tolerance;
    bool relative, held;
    const char *source;
} sp_run_claim;

/// An inverse problem that was solved before the first step.
typedef struct sp_run_inverse {
    const char *unknown;  ///< path of the computed quantity
    double residual;      ///< largest displacement of a node in the first step, relative to the length of the rod
} sp_run_inverse;

/// Number of inverse problems that were solved before the first step.
SP_API int sp_run_inverse_count(const sp_run *run);
/// A solved inverse problem by index.
SP_API sp_status sp_run_inverse_at(const sp_run *run, int index, sp_run_inverse *out);

/// Number of claims. sp_run_finish checks them.
SP_API int sp_run_claim_count(const sp_run *run);
/// A claim by index.
SP_API sp_status sp_run_claim_at(const sp_run *run, int index, sp_run_claim *out);

// ---------------------------------------------------------------------------------------------------- files

/// Reads the tetrahedra, linear or quadratic, and hexahedra of a file, with groups and arrays. Fails if there are none. If the
/// file has wedges or pyramids, all its volume cells are cut into linear tetrahedra, with a warning. The format is detected by
/// content, then by suffix: Gmsh .msh 1.0, 2.2 and 4.1, VTK .vtk and .vtu, TetGen .node/.ele/.face, OBJ, STL, PLY.
SP_API sp_status sp_mesh_read(sp_context *context, const char *path, sp_mesh **out);
/// The same with all volume cells cut into linear tetrahedra: a hexahedron into six or five, of a quadratic one only the corners.
SP_API sp_status sp_mesh_read_tets(sp_context *context, const char *path, sp_mesh **out);
/// Reads the triangles of a file (quadrilaterals and polygons are split); for a file of tetrahedra only, their boundary.
SP_API sp_status sp_trimesh_read(sp_context *context, const char *path, sp_trimesh **out);

/// Encoding of a file. Auto: binary if the format supports it (vtu: appended), otherwise text.
typedef enum sp_encoding {
    SP_ENCODING_AUTO,
    SP_ENCODING_ASCII,
    SP_ENCODING_BINARY,
    SP_ENCODING_BASE64,
    SP_ENCODING_APPENDED
} sp_encoding;

/// Options of writing a mesh. Start from sp_mesh_write_options_default().
typedef struct sp_mesh_write_options {
    const char *format;    ///< "msh", "msh2", "vtk", "vtu", "tetgen", "obj", "stl", "ply"; nullable: by the suffix
    sp_encoding encoding;  ///< default auto; an error if the format does not support it
    bool compress;         ///< vtu: zlib. Default false
    uint32_t cookie;
} sp_mesh_write_options;

/// Every default, and a valid cookie.
SP_API sp_mesh_write_options sp_mesh_write_options_default(void);
/// Writes a mesh file. A failure leaves no incomplete file. Nullable: options.
SP_API sp_status sp_mesh_write(const sp_mesh *mesh, const char *path, const sp_mesh_write_options *options);
/// The same for a surface.
SP_API sp_status sp_trimesh_write(const sp_trimesh *surface, const char *path, const sp_mesh_write_options *options);

/// A mesh file with or without defects, to examine and repair what sp_mesh_read does not accept.
typedef struct sp_mesh_file sp_mesh_file;

/// Content of a mesh file. Pointers are valid as long as the file is open.
typedef struct sp_mesh_file_content {
    const char *format;       ///< "Gmsh 4.1"
    bool tetrahedra;          ///< true: `mesh` has the volume cells and every node of the file; false: `surface` has triangles
    sp_mesh_def mesh;         ///< for sp_mesh_examine and sp_mesh_repaired
    sp_trimesh_def surface;   ///< for sp_trimesh_examine and sp_trimesh_repaired
    const int64_t *node_ids;  ///< of the surface: numbers in the file; nullable: 0, 1, 2, ...
    const int64_t *face_ids;  ///< likewise
} sp_mesh_file_content;

/// Reads a file without checks of the mesh. SP_BAD_INPUT: it is not a mesh file.
SP_API sp_status sp_mesh_file_open(sp_context *context, const char *path, sp_mesh_file **out);
/// The content of the file.
SP_API void sp_mesh_file_get(const sp_mesh_file *file, sp_mesh_file_content *out);
/// The mesh of the file, as sp_mesh_read would return it, without reading again.
SP_API sp_status sp_mesh_file_mesh(const sp_mesh_file *file, sp_mesh **out);
/// The mesh of the file, as sp_mesh_read_tets would return it.
SP_API sp_status sp_mesh_file_tets(const sp_mesh_file *file, sp_mesh **out);
/// The surface of the file, as sp_trimesh_read would return it.
SP_API sp_status sp_mesh_file_trimesh(const sp_mesh_file *file, sp_trimesh **out);
/// Frees it and sets the handle to NULL. Accepts NULL.
SP_API void sp_mesh_file_close(sp_mesh_file **file);

/// Labelled voxels from a file: NRRD (.nrrd, .nhdr + raw, also gzip) or NIfTI-1 (.nii, .nii.gz), see docs/meshing.md.
typedef struct sp_volume sp_volume;
/// Reads a volume of labels. SP_BAD_INPUT: it is not one; the reason is in the context.
SP_API sp_status sp_volume_read(sp_context *context, const char *path, sp_volume **out);
/// The same from memory. `path` is the name in messages, and its folder is that of the data file of a detached header.
SP_API sp_status sp_volume_parse(sp_context *context, const char *text, size_t size, const char *path, sp_volume **out);
/// The labels, for sp_mesh_fill_labels. Pointers are valid as long as the volume exists.
SP_API void sp_volume_get(const sp_volume *volume, sp_label_volume *out);
/// Frees it and sets the handle to NULL. Accepts NULL.
SP_API void sp_volume_destroy(sp_volume **volume);

/// Edit log: one line of text per edit, with the step that applied it.
typedef struct sp_edit_log sp_edit_log;
/// Starts a new log at `path`.
SP_API sp_status sp_edit_log_create(sp_context *context, const char *path, sp_edit_log **out);
SP_API sp_status sp_edit_log_append(sp_edit_log *log, const sp_world *world);  ///< after a step: the edits that it applied
/// Opens a log for replay.
SP_API sp_status sp_edit_log_open(sp_context *context, const char *path, sp_edit_log **out);
SP_API sp_status sp_edit_log_queue(sp_edit_log *log, sp_world *world);  ///< before a step: the edits of that step
/// Closes the log and sets the handle to NULL. SP_IO: a new log could not be written completely.
SP_API sp_status sp_edit_log_close(sp_edit_log **log);

enum { SP_EDIT_LINE = 1024 };  ///< size that is sufficient for any line of a log
/// The line of a log for an edit that the given step applied, with its line end. False: logs omit such an edit, because the scene
/// creates it again on replay.
SP_API bool sp_edit_log_line(const sp_edit *edit, uint64_t step, char *out, size_t size);

// ---------------------------------------------------------------------------------------------------- recordings

/// A recording (.xdmf, or its .h5) opened for reading: finished, still being written, or left by a run that was killed; then up
/// to its last complete frame. In a build without HDF5 opening returns SP_UNAVAILABLE. Use it from one thread at a time.
typedef struct sp_recording sp_recording;

/// Opens a recording. Fails with file and reason if it is damaged, missing or not a recording. Strings and arrays of the
/// recording are valid until it is closed.
SP_API sp_status sp_recording_open(sp_context *context, const char *path, sp_recording **out);
/// Frees it and sets the handle to NULL. Accepts NULL.
SP_API void sp_recording_close(sp_recording **recording);

/// Description of a recording and of its run.
typedef struct sp_recording_info {
    int frame_count, body_count;
    const char *scene;  ///< text of the scene
    size_t scene_size;
    const char *scene_path;  ///< file name of the scene as given by the caller: `name` of sp_scene_parse
    int set_count;
    const char *const *sets;  ///< "path=value", for sp_scene_options
    const char *version;      ///< of the library that wrote it
    const char *backend;
    double dt;  ///< [s]
    uint64_t seed;
    bool in_double;     ///< numbers are stored as double; otherwise as float
    bool visual;        ///< contains visual surfaces instead of mechanical meshes: sp_recording_show cannot use it
    bool complete;      ///< the run closed it
    const char *edits;  ///< log of the edits up to the last frame, in the format of sp_edit_log_open; empty: none
} sp_recording_info;

/// The description of a recording.
SP_API void sp_recording_get(const sp_recording *recording, sp_recording_info *out);

/// One instant of a recording.
typedef struct sp_recording_frame {
    double time;  ///< [s]
    uint64_t step;
    uint64_t hash;      ///< of the state; 0 if interpolated
    bool interpolated;  ///< its time is between two steps
} sp_recording_frame;

/// A frame by index, from 0.
SP_API sp_status sp_recording_frame_at(const sp_recording *recording, int frame, sp_recording_frame *out);
/// The frame whose time is nearest, the earlier of two; -1: no frames.
SP_API int sp_recording_nearest(const sp_recording *recording, double time);

/// A body of a recording and its recorded fields.
typedef struct sp_recording_body {
    const char *name;
    const char *kind;  ///< "solid", "rod", "rigid"
    int field_count;
    const char *const *fields;
} sp_recording_body;

/// A body by index, from 0.
SP_API sp_status sp_recording_body_at(const sp_recording *recording, int body, sp_recording_body *out);

/// The body is in the frame. Those of the scene are in every frame, unless they were removed; those that edits added are in the
/// frames from their addition to their removal. Queries of a frame without the body fail.
SP_API bool sp_recording_has_body(const sp_recording *recording, int frame, int body);

/// Cells of a body at a frame: tetrahedra, lines along a rod, or triangles of a body without elements.
typedef struct sp_recording_topology {
    int revision;  ///< from 0; another one: the cells may differ
    int node_count, cell_count;
    int corners;       ///< 4, 2 or 3
    const int *cells;  ///< cell_count x corners
} sp_recording_topology;

/// The cells of a body. They are valid until the next call for another revision of the body.
SP_API sp_status sp_recording_topology_at(sp_recording *recording, int frame, int body, sp_recording_topology *out);
/// Count and components of a field at a frame.
SP_API sp_status sp_recording_field_info(sp_recording *recording, int frame, int body, const char *field, sp_field_info *out);
/// The numbers of a field: writes count x components. "position" is always present, "velocity" for solids, "pose" for rigid
/// bodies.
SP_API sp_status sp_recording_field(sp_recording *recording, int frame, int body, const char *field, double *out);

/// A contact of a recorded frame, as in sp_contact_point.
typedef struct sp_recording_contact {
    int bodies[2];     ///< indices of bodies of the recording; -1: a body that is not recorded
    double point[3];   ///< [m]
    double normal[3];  ///< unit, from the second to the first body
    double force[3];   ///< on the first body [N]
    double gap;        ///< [m]
    double pressure;   ///< [Pa]
} sp_recording_contact;

/// Number of contacts of a frame: those of the step that ended at its time or, in an interpolated frame, after it. < 0: there is
/// no such frame. Recordings of scenes without contact by constraints have none.
SP_API int sp_recording_contact_count(const sp_recording *recording, int frame);
/// The contacts of a frame: writes as many as sp_recording_contact_count says.
SP_API sp_status sp_recording_contacts(sp_recording *recording, int frame, sp_recording_contact *out);

/// The scene of the recording with its values of --set, for a run that sp_recording_show can use. Nullable: options; their `sets`
/// come after those of the recording. Errors are messages of the scene, as for sp_scene_parse. SP_BAD_INPUT: the recording holds
/// visual surfaces, which do not determine a state.
SP_API sp_status sp_recording_scene(sp_recording *recording, const sp_scene_options *options, sp_scene **out);
/// Sets the bodies of the world of a run, by name, to the state of a frame, and the parameters that edits of the recording
/// changed to their values at that frame; its contacts become those of the world. Bodies that edits added are added to the world
/// in the frames that have them and removed in the others; a body of the scene that an edit removed keeps its last state. The run
/// must be one of the same scene: fails if a body is missing or has other counts. The time of the world does not change.
SP_API sp_status sp_recording_show(sp_recording *recording, int frame, sp_run *run);

/// A file that the run writes.
typedef struct sp_run_record {
    const char *file;  ///< as in the scene
    const char *path;  ///< path of the file; NULL: nothing is written
    const char *kind;  ///< "xdmf", "vtu", "obj", "ply", "png", "csv"
    long frames;       ///< frames written
    long dropped;      ///< frames omitted because the disk is slow, with on-slow="drop"
    uint64_t bytes;    ///< written so far
} sp_run_record;

/// Number of files that the run writes.
SP_API int sp_run_record_count(const sp_run *run);
/// A file of the run by index.
SP_API sp_status sp_run_record_at(const sp_run *run, int index, sp_run_record *out);

/// A recording (.xdmf and .h5) that starts and stops while a run goes on, besides the records of its scene. Its failure does not
/// affect the run. Use it from the thread that steps the run.
typedef struct sp_run_recorder sp_run_recorder;

/// What is recorded. Start from sp_run_recorder_def_default().
typedef struct sp_run_recorder_def {
    const char *path;               ///< ends in .xdmf; the .h5 file is written next to it
    double period;                  ///< shortest simulated time between two frames [s], >= 0; default 0: every step
    const char *const *quantities;  ///< names of fields besides the state; nullable
    int quantity_count;
    const char *edits;  ///< lines of an edit log of the steps before, without its first line; nullable
    bool in_double;     ///< default false: float
    bool compress;      ///< default false
    bool wait;          ///< slow disk: wait for it; default false: frames are dropped and counted
    uint32_t cookie;
} sp_run_recorder_def;

/// Every default, and a valid cookie.
SP_API sp_run_recorder_def sp_run_recorder_def_default(void);
/// Creates the files and writes the current state. Stop it before the run is destroyed. SP_UNAVAILABLE: this build has no HDF5.
SP_API sp_status sp_run_recorder_start(sp_run *run, const sp_run_recorder_def *def, sp_run_recorder **out);
/// After each step of the run: copies its state if a frame is due, which another thread writes. A failure, also of earlier
/// frames, leaves the frames that are complete; then stop it.
SP_API sp_status sp_run_recorder_step(sp_run_recorder *recorder);
/// Frames and bytes written so far. Pointers are valid until it is stopped.
SP_API void sp_run_recorder_get(const sp_run_recorder *recorder, sp_run_record *out);
/// Writes what is waiting, closes the files and sets the handle to NULL. Accepts NULL. Returns the first failure.
SP_API sp_status sp_run_recorder_stop(sp_run_recorder **recorder);

/// The edits that added and removed bodies and links since the start, as lines of an edit log; "": none. Valid until the next
/// step.
SP_API const char *sp_run_additions(const sp_run *run);
/// Writes a checkpoint file of the whole run: world, with what was added to it, probes, events, records. A failure leaves no
/// incomplete file. Continue from it with sp_run_options.resume: hashes, probes and records are the same as without the
/// interruption.
SP_API sp_status sp_run_save(sp_run *run, const char *path);

// ---------------------------------------------------------------------------------------------------- pictures

/// The common extent of a series of pictures, so that neither the camera nor the colours jump: a box around everything visible,
/// and the range of the displayed field. Start from sp_picture_extent_default(), which is empty.
typedef struct sp_picture_extent {
    double low[3], high[3];  ///< [m]
    double least, greatest;  ///< in the unit of the field
    double force;            ///< largest force of one contact [N]
} sp_picture_extent;

/// Opacity of a body, instead of that of its look.
typedef struct sp_picture_opacity {
    const char *body;  ///< by name; NULL: every body
    double opacity;    ///< in [0, 1]; 0: not drawn
} sp_picture_opacity;

/// Definition of a picture. Start from sp_picture_def_default() or sp_run_picture(). Strings and lists are borrowed for the call.
typedef struct sp_picture_def {
    int width, height;  ///< pixels, 16..16384, default 1280 x 720
    double at[3], to[3], up[3];
    bool fitted;            ///< camera from the bounds of all bodies (default); otherwise at, to, up
    double fov;             ///< vertical [deg], default 40
    double azimuth;         ///< fitted: angle of the camera about `up`, 0 in front [deg]; NaN (default): the broad side
    double elevation;       ///< fitted: angle above the horizon, in [-90, 90] [deg]; NaN (default): slightly from above
    double orbit;           ///< rotates the camera about `up` around its target [deg], default 0
    double background[3];   ///< default 1 1 1
    const char *color_by;   ///< nullable: looks; or "displacement", "velocity", "von-mises", "rotation", "refresh",
                            ///< "region", "contact-pressure"
    double range[2];        ///< of the colours; NaN (default): that of the scene, or of the visible values
    const char *title;      ///< nullable
    const char *note;       ///< a line below the title; nullable: time and step
    bool clip;              ///< a clipping plane: what clip_normal points to is not drawn, caps close the cut. Default false
    double clip_point[3];   ///< a point of the plane [m]; NaN (default): the centre of the bodies
    double clip_normal[3];  ///< any length but 0, default 0 0 1
    bool interfaces;        ///< draw the faces between regions of solids, whose surfaces are then transparent. Default false
    bool contacts;          ///< draw contacts by constraints: points, and arrows for their forces. Default false
    bool links;             ///< draw links: points, and lines between their two sides. Default false
    bool plain;             ///< without title, note and colour bar; default false
    const sp_picture_extent *extent;  ///< of a series; nullable: of this picture alone
    const sp_picture_opacity *opacities;
    int opacity_count;
    uint32_t cookie;
} sp_picture_def;

/// Every default, and a valid cookie.
SP_API sp_picture_def sp_picture_def_default(void);
/// Every default, and a valid cookie.
SP_API sp_picture_extent sp_picture_extent_default(void);
/// Camera, lights and colours from the camera, view and look elements of the scene, if present.
SP_API sp_picture_def sp_run_picture(const sp_run *run);
/// Sets what varies in time in the scene to its value at a time [s]: the point of the clipping plane. sp_run_picture has the time
/// of the world.
SP_API void sp_run_picture_set_time(const sp_run *run, double time, sp_picture_def *def);
/// Whether clipping planes cut a body: the attribute `of` of the element `clip`; true without one. *cap: caps close the cut.
SP_API bool sp_run_clips(const sp_run *run, sp_body_id body, bool *cap);
/// Draws the surfaces of the world at the current state to a PNG file. Nullable: def; run (for looks). Errors are in the context
/// of the world.
SP_API sp_status sp_picture_write(sp_world *world, const sp_run *run, const sp_picture_def *def, const char *path);
/// The same to memory: def->width x height x 3 bytes of sRGB, rows from the top.
SP_API sp_status sp_picture_draw(sp_world *world, const sp_run *run, const sp_picture_def *def, unsigned char *rgb);
/// Extends the extent of a series by that of the current state of the world. Nullable: run.
SP_API sp_status sp_picture_measure(sp_world *world, const sp_run *run, const sp_picture_def *def, sp_picture_extent *extent);
/// Draws a single surface with its colours, or coloured by one of its arrays or "region", its groups (`color_by`). Nullable: def;
/// name (of the surface, for opacities). Errors are in the context.
SP_API sp_status sp_picture_surface(sp_context *context, const sp_trimesh *surface, const char *name, const sp_picture_def *def,
                                    unsigned char *rgb);
/// Writes pixels to a PNG file. A failure leaves no incomplete file.
SP_API sp_status sp_picture_save(sp_context *context, const unsigned char *rgb, int width, int height, const char *path);

// ---------------------------------------------------------------------------------------------------- glTF

/// The motion of a run as a glTF 2.0 file (.glb): the surfaces that are seen, with looks. Rigid bodies are animated by their
/// nodes, solids and rods by a morph target for each frame.
typedef struct sp_gltf sp_gltf;

/// Options of a glTF file. Start from sp_gltf_options_default().
typedef struct sp_gltf_options {
    bool normals;  ///< those of smooth surfaces; without, viewers draw facets and the file is half as large. Default true
    uint32_t cookie;
} sp_gltf_options;

/// Every default, and a valid cookie.
SP_API sp_gltf_options sp_gltf_options_default(void);
/// Starts a file; it is written by sp_gltf_write. The run must outlive it. Nullable: options.
SP_API sp_status sp_gltf_create(sp_run *run, const char *path, const sp_gltf_options *options, sp_gltf **out);
/// Adds the newest snapshot of the world as the frame at a time [s], later than that of the last frame. SP_BAD_INPUT: a surface
/// has other vertices than in the first frame; at most 10,000 frames.
SP_API sp_status sp_gltf_frame(sp_gltf *gltf, double time);
/// Writes the file: an animation from 0, the time of the first frame. A failure leaves no incomplete file. Call it once.
SP_API sp_status sp_gltf_write(sp_gltf *gltf);
/// Frees it and sets the handle to NULL. Accepts NULL.
SP_API void sp_gltf_destroy(sp_gltf **gltf);

// ---------------------------------------------------------------------------------------------------- cross sections

/// The elements of a solid, prepared to be cut by planes: the caps of clipping planes in pictures and pages. It refers to its
/// world and is destroyed before it.
typedef struct sp_section sp_section;

/// A cross section: the triangles in which a plane cuts the tetrahedra. Triangles of one region share their vertices, unless the
/// values of the field must not be averaged. The arrays are valid until the next call for the same section.
typedef struct sp_section_faces {
    int vertex_count, face_count;
    const double *positions;  ///< vertex_count x 3 [m]
    const double *values;     ///< of the field, vertex_count; NULL: without a field
    const int *regions;       ///< number of the region of each vertex; 0: none
    const uint32_t *faces;    ///< face_count x 3, counter-clockwise seen from where the normal points
} sp_section_faces;

/// Prepares the cross sections of a body. SP_BAD_INPUT: it has no tetrahedra.
SP_API sp_status sp_section_create(sp_world *world, sp_body_id body, sp_section **out);
/// Frees the section. *section becomes NULL; NULL is accepted.
SP_API void sp_section_destroy(sp_section **section);
/// Takes the current state of the world: positions, and values of a field as on surfaces (nullable: none). Call it after each
/// step, before the cuts.
SP_API sp_status sp_section_update(sp_section *section, const char *field);
/// Cuts the state of the last update by a plane. normal: any length but 0.
SP_API sp_status sp_section_cut(sp_section *section, const double point[3], const double normal[3], sp_section_faces *out);

// ---------------------------------------------------------------------------------------------------- plots

/// Points of one line, area or group of bars. Pointers are borrowed for the call.
typedef struct sp_plot_series {
    const char *name;     ///< in the legend
    const double *x, *y;  ///< values that are not finite, or not positive on a log axis, are skipped
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

/// Size of a panel in units of the drawing, and the largest number of panels.
enum { SP_PLOT_WIDTH = 860, SP_PLOT_HEIGHT = 430, SP_PLOT_PANELS = 64 };

/// Writes `count` panels below each other, 1..SP_PLOT_PANELS, to a file by its suffix, .svg or .png. A failure leaves no
/// incomplete file. Errors are in the context.
SP_API sp_status sp_plot_write(sp_context *context, const sp_plot *plots, int count, const char *path);
/// Whether sp_plot_write supports the suffix of the path.
SP_API bool sp_plot_suffix(const char *path);
/// The same panels as one SVG element for an HTML page, passed to `write` as one text.
SP_API sp_status sp_plot_svg(sp_context *context, const sp_plot *plots, int count, void (*write)(void *user, const char *text),
                             void *user);

// ---------------------------------------------------------------------------------------------------- contact problems

/// A sparse matrix by rows: row i has the entries [start[i], start[i + 1]); entries of the same place add up. start NULL: the
/// problem has no such matrix.
typedef struct sp_fclib_matrix {
    int rows, columns;
    const int *start;     ///< rows + 1
    const int *column;    ///< in [0, columns)
    const double *value;  ///< one per entry
} sp_fclib_matrix;

/// A frictional contact problem in the form of FCLIB, the library of such problems of Siconos (Acary et al. 2014). Rows of
/// contact i are `dimension` i (normal) and the following (tangents). A local problem is u = W r + V l + q, 0 = V^T r + R l + s,
/// a global one M v = H r + G l + f, u = H^T v + w, 0 = G^T v + b; l are multipliers of equality constraints. Vectors that the
/// form does not have are NULL.
typedef struct sp_fclib_problem {
    bool global;              ///< else local
    int dimension;            ///< 2 or 3 rows per contact
    int contacts;             ///< number of contacts
    int equalities;           ///< number of equality constraints; 0: no V, R, s, G and b
    sp_fclib_matrix W, V, R;  ///< local
    sp_fclib_matrix M, H, G;  ///< global
    const double *q, *s;      ///< local: dimension x contacts; equalities
    const double *f, *w, *b;  ///< global: rows of M; dimension x contacts; equalities
    const double *mu;         ///< friction coefficient of each contact, not negative
} sp_fclib_problem;

/// A solution to write beside a problem. Nullable: each vector.
typedef struct sp_fclib_solution {
    const double *u, *r;  ///< local velocities and reactions, dimension x contacts
    const double *v;      ///< global velocities, rows of M; only for a global problem
    const double *l;      ///< multipliers of the equality constraints
} sp_fclib_solution;

/// A contact problem that was read from a file.
typedef struct sp_fclib sp_fclib;

/// Reads an FCLIB file (HDF5). SP_UNAVAILABLE: this build has no HDF5.
SP_API sp_status sp_fclib_read(sp_context *context, const char *path, sp_fclib **out);
/// The problem. Its pointers are valid as long as the file object exists.
SP_API const sp_fclib_problem *sp_fclib_get(const sp_fclib *file);
/// Frees it and sets the handle to NULL. Accepts NULL.
SP_API void sp_fclib_close(sp_fclib **file);
/// Writes a problem, and a solution in the group "solution". A failure leaves no incomplete file. Nullable: solution.
SP_API sp_status sp_fclib_write(sp_context *context, const char *path, const sp_fclib_problem *problem,
                                const sp_fclib_solution *solution);

#ifdef __cplusplus
}
#endif
#endif
