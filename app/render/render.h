// `souple render` in three parts: arguments (render.c), source of the states (render_source.c), output of the pictures
// (render_sink.c).
#ifndef SP_RENDER_H
#define SP_RENDER_H

#include "common/command.h"

enum { SP_OPACITIES_MAX = 64 };

typedef struct sp_render_args {
    sp_scene_args scene;
    const char *png, *frames, *video, *color_by;
    double time;         // < 0: the end of the scene, the last frame of a recording
    double from, until;  // [s] of a series; NaN: all of it
    double fps, orbit;   // [1/s], [deg] per picture
    long steps, every;   // -1, 0: not given
    long width, height;  // 0: those of the scene
    double range[2];     // NaN: not given
    double azimuth, elevation;
    bool has_camera;
    double at[3], to[3];
    bool clip, interfaces, contacts, links;
    double clip_point[3], clip_normal[3];
    sp_picture_opacity opacities[SP_OPACITIES_MAX];
    char names[SP_OPACITIES_MAX][64];
    int opacity_count;
    bool plain, quiet;
} sp_render_args;

// ---- output of the pictures (render_sink.c)

typedef struct sp_sink {
    const sp_render_args *args;
    sp_context *context;
    int width, height;
    unsigned char *rgb;  // the next picture
    long count;          // written so far
    int pipe;            // to ffmpeg; -1: none
    long process;        // process id of ffmpeg
    char message[1024];  // error text
    int code;            // exit code of the error
} sp_sink;

// False: see sink->message. A video needs ffmpeg; it is searched here, before anything is simulated.
bool sp__sink_open(sp_sink *sink, const sp_render_args *args);
// Allocates for pictures of this size, once it is known.
bool sp__sink_size(sp_sink *sink, sp_context *context, int width, int height);
bool sp__sink_put(sp_sink *sink);  // writes the picture in rgb
// Finishes the file; removes it if `good` is false. False: it could not be finished.
bool sp__sink_close(sp_sink *sink, bool good);

// ---- source of the states (render_source.c)

typedef enum sp_source_kind { SP_SOURCE_SCENE, SP_SOURCE_RECORDING, SP_SOURCE_MESH } sp_source_kind;

typedef struct sp_source {
    const sp_render_args *args;
    sp_source_kind kind;
    sp_session session;
    sp_recording *recording;
    sp_trimesh *surface;
    int frame, last, stride;  // recording: next frame, last frame, stride
    bool series;              // several pictures
    bool still;               // one state: only the camera moves
    long turns, turn;         // still: pictures per full orbit, the next one
    long every;               // scene: steps between pictures
    bool started, over;
    sp_picture_extent extent;
    char note[96];
    double time;  // of the present state [s]
    sp_progress progress;
} sp_source;

sp_source_kind sp__source_kind(const char *path);
// Opens the scene, recording or mesh; messages go to stderr. Returns the exit code; SP_EXIT_DONE: continue.
int sp__source_open(sp_source *source, const sp_render_args *args);
void sp__source_close(sp_source *source);
// The picture definition of the source, before the arguments are applied.
sp_picture_def sp__source_picture(const sp_source *source);
// Goes to the state of the next picture: > 0 found, 0 no more pictures, < 0 a status. Sets what varies in time in `def`.
int sp__source_next(sp_source *source, sp_picture_def *def);
sp_status sp__source_draw(sp_source *source, const sp_picture_def *def, unsigned char *rgb);
// The expected number of pictures; 0: unknown.
long sp__source_planned(const sp_source *source);

#endif
