// `souple render` in three parts: what is asked for (render.c), where states come from (render_source.c), where pictures go
// (render_sink.c).
#ifndef SP_RENDER_H
#define SP_RENDER_H

#include "common/command.h"

enum { SP_OPACITIES_MAX = 64 };

typedef struct sp_render_args {
    sp_scene_args scene;
    const char *png, *frames, *video, *color_by;
    double time;         // < 0: where the scene stops, the last frame of a recording
    double from, until;  // [s] of a series; NaN: the whole
    double fps, orbit;   // [1/s], [deg] per picture
    long steps, every;   // -1, 0: not given
    long width, height;  // 0: the scene's
    double range[2];     // NaN: not given
    double azimuth, elevation;
    bool has_camera;
    double at[3], to[3];
    sp_picture_opacity opacities[SP_OPACITIES_MAX];
    char names[SP_OPACITIES_MAX][64];
    int opacity_count;
    bool quiet;
} sp_render_args;

// ---- where pictures go (render_sink.c)

typedef struct sp_sink {
    const sp_render_args *args;
    sp_context *context;
    int width, height;
    unsigned char *rgb;  // the next picture
    long count;          // written so far
    int pipe;            // to ffmpeg; -1: none
    long process;        // its number
    char message[1024];  // what went wrong
    int code;            // exit code for that
} sp_sink;

// False: sink->message says why. A video needs ffmpeg, which is looked for here, before anything is simulated.
bool sp__sink_open(sp_sink *sink, const sp_render_args *args);
// Room for pictures of this size, once it is known.
bool sp__sink_size(sp_sink *sink, sp_context *context, int width, int height);
bool sp__sink_put(sp_sink *sink);  // rgb is a picture: take it
// Finish the file; where `good` is false it is removed. False: it could not be finished.
bool sp__sink_close(sp_sink *sink, bool good);

// ---- where states come from (render_source.c)

typedef enum sp_source_kind { SP_SOURCE_SCENE, SP_SOURCE_RECORDING, SP_SOURCE_MESH } sp_source_kind;

typedef struct sp_source {
    const sp_render_args *args;
    sp_source_kind kind;
    sp_session session;
    sp_recording *recording;
    sp_trimesh *surface;
    int frame, last, stride;  // recording: the next frame, the last one, distance
    bool series;              // several pictures
    bool still;               // of one state: only the camera turns
    long turns, turn;         // still: pictures of a whole turn, the next one
    long every;               // scene: steps between pictures
    bool started, over;
    sp_picture_extent extent;
    char note[96];
    sp_progress progress;
} sp_source;

sp_source_kind sp__source_kind(const char *path);
// Opens the scene, recording or mesh; messages go to stderr. Returns the exit code; SP_EXIT_DONE: go on.
int sp__source_open(sp_source *source, const sp_render_args *args);
void sp__source_close(sp_source *source);
// What pictures of it look like, before the arguments are heard.
sp_picture_def sp__source_picture(const sp_source *source);
// Go to the state of the next picture: > 0 there is one, 0 there are no more, < 0 a status.
int sp__source_next(sp_source *source, const sp_picture_def *def);
sp_status sp__source_draw(sp_source *source, const sp_picture_def *def, unsigned char *rgb);
// How many pictures there will be; 0: unknown.
long sp__source_planned(const sp_source *source);

#endif
