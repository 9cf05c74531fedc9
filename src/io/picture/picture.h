// Pictures in three steps: collect (surfaces, colours, camera and lights of the world, picture_collect.c, picture_scene.c,
// picture_camera.c), draw (which triangle each sample sees, picture_raster.c; how it is lit, picture_light.c and
// picture_shade.c), write (text and colour bar on top, picture_legend.c and picture_text.c; the file, picture_png.c).
//
// Every pixel is SP_SAMPLES x SP_SAMPLES samples. Light is added up in linear colours; sRGB only enters and leaves.
#ifndef SP_PICTURE_H
#define SP_PICTURE_H

#include "core/core.h"
#include "souple/io.h"

enum { SP_SAMPLES = 3 };

// An eye: the camera's, or a light's where it looks for shadows. Lengths on the canvas are in samples, y downwards.
typedef struct sp_eye {
    double at[3];
    double right[3], up[3], forward[3];  // unit, orthogonal
    bool parallel;
    double focal;    // samples per unit of tangent; parallel: samples per metre
    double cx, cy;   // where `forward` meets the canvas
    double nearest;  // what is closer is not seen [m]
} sp_eye;

// How a group of triangles looks.
typedef struct sp_skin {
    double color[3];  // linear
    double opacity, roughness, metallic;
    bool edges, by_field, ground;
    double origin[3], u[3], v[3];  // ground: its middle and directions
    double reach, spacing;         // ground: fades out at this radius; distance of its lines [m]
} sp_skin;

// All triangles of a picture in one list.
typedef struct sp_soup {
    int vertex_count, face_count, skin_count, marker_count;
    double *x;        // vertices x 3 [m]
    double *scalar;   // field at each corner (faces x 3); NULL: no field
    uint32_t *faces;  // faces x 3
    int *skin_of;     // per face
    float *normals;   // faces x 3 corners x 3
    sp_skin *skins;
    double *markers;  // points to be dotted x 3
} sp_soup;

enum { SP_LIGHTS_MAX = 8, SP_SHADOW_SIZE = 1024 };

typedef enum sp_light_type { SP_LIGHT_SUN, SP_LIGHT_POINT, SP_LIGHT_SPOT, SP_LIGHT_AMBIENT, SP_LIGHT_SKY } sp_light_type;

typedef struct sp_light {
    sp_light_type type;
    double at[3];     // point, spot: place; sun, sky: direction towards the light, unit
    double aim[3];    // spot: unit direction of its axis
    double color[3];  // linear, times intensity
    double gloss;     // share in highlights
    double softness;  // radius of the blur of its shadow, share of the scene's size
    bool shadow;
    sp_eye eye;  // written by sp__shadows
    float *map;  // SP_SHADOW_SIZE squared nearness; NULL: no shadow
} sp_light;

// The field shown: colours from low to high, or one colour a number.
typedef struct sp_legend {
    char label[64];  // "von Mises stress"; empty: no field
    const char *unit;
    double low, high;
    double shown;  // value on the labels = shown x value (deg for rad)
    bool regions;
} sp_legend;

typedef struct sp_drawing {
    int width, height;     // pixels
    double background[3];  // sRGB
    sp_eye camera;
    sp_soup soup;
    sp_light lights[SP_LIGHTS_MAX];
    int light_count;
    double ambient_sky[3], ambient_ground[3], up[3];  // hemisphere, linear
    double centre[3], size;                           // of what is drawn, ground aside [m]
    sp_legend legend;
    char title[160], note[96];
} sp_drawing;

// ---- collect
// Surfaces of a snapshot. The drawing is zeroed before; sp__soup_free releases it on any outcome. Nullable: run.
sp_status sp__picture_collect(sp_context *ctx, sp_world *world, const sp_snapshot *shot, const sp_run *run, const char *field,
                              sp_drawing *d);
void sp__soup_free(sp_context *ctx, sp_soup *soup);
// Corner normals, smooth across edges whose faces turn by less than the crease angle.
sp_status sp__soup_normals(sp_context *ctx, sp_soup *soup);
// What a field is called on the legend; false: pictures do not know it.
bool sp__picture_field(const char *name, sp_legend *out);
// A field of a solid at the corners of its faces (face_count x 3 numbers), and its surface nodes that something holds (nullable:
// held, vertex_count flags).
sp_status sp__field_corners(sp_context *ctx, sp_world *world, const sp_snapshot_body *body, const char *field, double *out);
sp_status sp__field_held(sp_context *ctx, sp_world *world, const sp_snapshot_body *body, unsigned char *held);

// What the scene of a run (nullable) says: looks of bodies, what to show, the range of colours, lights.
void sp__picture_skin(const sp_run *run, sp_body_id body, bool ground, sp_skin *skin);
bool sp__picture_shows(const sp_run *run, const char *what);
bool sp__picture_shows_body(const sp_run *run, const char *body);
bool sp__picture_range(const sp_run *run, const char *field, double range[2]);
int sp__picture_lights(const sp_run *run, const sp_drawing *d, sp_light *lights, int capacity);

// ---- camera
void sp__eye_look(sp_eye *eye, const double at[3], const double to[3], const double up[3]);
// Put the eye where every point is on the canvas between the margins (samples: left, right, top, bottom).
void sp__eye_fit(sp_eye *eye, const double forward[3], const double up[3], const double *points, int count, double width,
                 double height, const double margins[4]);
// sx, sy in samples and nearness w (larger is nearer, affine on the canvas). False: behind `nearest`.
bool sp__eye_project(const sp_eye *eye, const double x[3], double out[3]);
void sp__picture_camera(const sp_picture_def *def, sp_drawing *d);

// ---- draw
typedef struct sp_canvas {
    int width, height;  // samples
    int top;            // first row held, in samples of the whole picture
    float *near;        // width x height: nearness, -inf where nothing is
    uint32_t *id;       // nullable: 1 + face, or 1 + faces + marker; 0: nothing
} sp_canvas;

void sp__canvas_clear(sp_canvas *canvas);
void sp__raster_soup(sp_canvas *canvas, const sp_eye *eye, const sp_soup *soup, bool ground);
void sp__raster_markers(sp_canvas *canvas, const sp_eye *eye, const sp_soup *soup, double radius);
// Shadow maps of the lights that cast one; sp__shadows_free releases them.
sp_status sp__shadows(sp_context *ctx, sp_drawing *d);
void sp__shadows_free(sp_context *ctx, sp_drawing *d);
// Key, sky and rim lights about the camera, for scenes without lights of their own.
void sp__lights_default(sp_drawing *d);
// Everything below the text, width x height x 3 bytes of sRGB.
sp_status sp__picture_shade(sp_context *ctx, const sp_drawing *d, unsigned char *rgb);

// ---- colours and text
double sp__to_linear(double srgb);
double sp__to_srgb(double linear);
void sp__legend_color(const sp_legend *legend, double value, double linear[3]);
// Text with the left end of its base line at x, y; size is the height of a capital in pixels.
void sp__text_draw(unsigned char *rgb, int width, int height, double x, double y, double size, const char *text,
                   const double ink[3]);
double sp__text_width(const char *text, double size);
void sp__picture_letter(const sp_drawing *d, unsigned char *rgb);

// ---- write
sp_status sp__png_write(sp_context *ctx, sp_error *error, const char *path, int width, int height, const unsigned char *rgb);

#endif
