/// Scenes, mesh files, pictures and edit logs: libsouple-io, a client of the public API.
#ifndef SOUPLE_IO_H
#define SOUPLE_IO_H

#include "souple.h"

#ifdef __cplusplus
extern "C" {
#endif

// ---------------------------------------------------------------------------------------------------- scenes

typedef struct sp_scene sp_scene;

typedef struct sp_scene_options {
    const char *const *sets;  ///< "path=value", applied before expressions are evaluated
    int set_count;
    const char *const *allow_paths;  ///< further folders that files may come from
    int allow_count;
    size_t memory_limit;  ///< bytes that meshes and instances may need, checked before allocation; 0: 8 GiB
    uint32_t cookie;
} sp_scene_options;

typedef enum sp_severity { SP_SEVERITY_WARNING, SP_SEVERITY_ERROR } sp_severity;

typedef struct sp_scene_message {
    sp_severity severity;
    const char *file;
    int line;          ///< 0: not from a file (--set)
    const char *text;  ///< without file and line
} sp_scene_message;

SP_API sp_scene_options sp_scene_options_default(void);
/// Read, check and resolve. On SP_BAD_INPUT *out still holds a scene, good only for its messages. Nullable: options.
SP_API sp_status sp_scene_load(sp_context *context, const char *path, const sp_scene_options *options, sp_scene **out);
/// The same from memory; `name` stands for the file in messages and for the folder of other files.
SP_API sp_status sp_scene_parse(sp_context *context, const char *text, size_t size, const char *name,
                                const sp_scene_options *options, sp_scene **out);
SP_API void sp_scene_destroy(sp_scene **scene);
SP_API int sp_scene_message_count(const sp_scene *scene);
SP_API const sp_scene_message *sp_scene_message_at(const sp_scene *scene, int index);
SP_API const char *sp_scene_name(const sp_scene *scene);
/// Every resolved value with unit and origin, a line each, through `print(user, text)`.
SP_API void sp_scene_describe(const sp_scene *scene, void (*print)(void *user, const char *text), void *user);
/// The RelaxNG schema and the reference page, from the same table as the reader.
SP_API void sp_scene_schema(void (*print)(void *user, const char *text), void *user);
SP_API void sp_scene_reference(void (*print)(void *user, const char *text), void *user);

// ---------------------------------------------------------------------------------------------------- runs

/// A scene being simulated: world, events, probes, records, stop conditions and claims.
typedef struct sp_run sp_run;

typedef struct sp_run_options {
    const char *backend;  ///< overrides the scene's; nullable
    double time;          ///< overrides stop; <= 0: the scene's
    long steps;           ///< overrides stop; <= 0: the scene's
    const char *out;      ///< folder for records; nullable: none are written
    bool endless;         ///< do not ask for a stop condition
    uint32_t cookie;
} sp_run_options;

SP_API sp_run_options sp_run_options_default(void);
/// Builds meshes and world. The scene must outlive the run. Nullable: options. Build errors become messages of the scene.
SP_API sp_status sp_run_create(sp_scene *scene, const sp_run_options *options, sp_run **out);
SP_API void sp_run_destroy(sp_run **run);
SP_API sp_world *sp_run_world(sp_run *run);
SP_API double sp_run_dt(const sp_run *run);
/// Steps planned (0: unknown) and whether a stop condition has been met.
SP_API long sp_run_steps_planned(const sp_run *run);
SP_API bool sp_run_done(const sp_run *run);
/// One step: events, world step, probes, records.
SP_API sp_status sp_run_step(sp_run *run);
/// Close records and judge the claims.
SP_API sp_status sp_run_finish(sp_run *run);

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

SP_API int sp_run_probe_count(const sp_run *run);
SP_API void sp_run_probe_at(const sp_run *run, int index, sp_run_probe *out);

typedef struct sp_run_claim {
    const char *probe;
    const char *component;
    double seen, value, tolerance;
    bool relative, held;
    const char *source;
} sp_run_claim;

SP_API int sp_run_claim_count(const sp_run *run);
SP_API void sp_run_claim_at(const sp_run *run, int index, sp_run_claim *out);

// ---------------------------------------------------------------------------------------------------- files

/// Gmsh .msh 2.2 (ASCII): tetrahedra, physical groups, node and element data.
SP_API sp_status sp_mesh_read(sp_context *context, const char *path, sp_mesh **out);

/// Edit logs: a line of text per edit, with the step that took it.
typedef struct sp_edit_log sp_edit_log;
SP_API sp_status sp_edit_log_create(sp_context *context, const char *path, sp_edit_log **out);
SP_API sp_status sp_edit_log_append(sp_edit_log *log, const sp_world *world);  ///< after a step: what it took
SP_API sp_status sp_edit_log_open(sp_context *context, const char *path, sp_edit_log **out);
SP_API sp_status sp_edit_log_queue(sp_edit_log *log, sp_world *world);  ///< before a step: what it took then
SP_API sp_status sp_edit_log_close(sp_edit_log **log);

// ---------------------------------------------------------------------------------------------------- pictures

typedef struct sp_picture_def {
    int width, height;  ///< pixels, default 1280 x 720
    double at[3], to[3], up[3];
    bool fitted;           ///< camera from the bounds of all bodies (default); otherwise at, to, up
    double fov;            ///< vertical [deg], default 40
    double background[3];  ///< default 1 1 1
    const char *color_by;  ///< nullable: looks; or "displacement", "velocity", "von-mises", "rotation", "region"
    const char *title;     ///< nullable
    uint32_t cookie;
} sp_picture_def;

SP_API sp_picture_def sp_picture_def_default(void);
/// Camera, lights, colours of the scene's camera, view and look elements where there are some.
SP_API sp_picture_def sp_run_picture(const sp_run *run);
/// Shaded surfaces of the world now, as a PNG file. Nullable: def; run (for looks). Errors are in the world's context.
SP_API sp_status sp_picture_write(sp_world *world, const sp_run *run, const sp_picture_def *def, const char *path);

#ifdef __cplusplus
}
#endif
#endif
