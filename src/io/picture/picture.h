// Pictures in three steps. Collect: surfaces, colours, camera and lights (of a world in picture_collect.c, picture_field.c and
// picture_scene.c, rods in picture_rings.c, a surface alone in picture_surface.c; picture_camera.c, picture_marks.c). Draw:
// visibility per sample (layers.h), lighting (picture_light.c, picture_shade.c), samples to pixels (picture_pixel.c).
// Write: text and colour bar (picture_legend.c, picture_text.c), the file (picture_png.c).
//
// Every pixel has SP_SAMPLES x SP_SAMPLES samples. Lighting is computed in linear colours; only inputs and outputs are sRGB.
#ifndef SP_PICTURE_H
#define SP_PICTURE_H

#include "io/base.h"
#include "io/picture/layers.h"
#include "souple/io.h"

enum { SP_SAMPLES = 3 };

// Appearance of a group of triangles.
typedef struct sp_drawable {
    double color[3];  // linear
    double opacity, roughness, metallic;
    bool edges, by_field, ground;
    bool by_vertex;                // colours per vertex
    bool clipped;                  // by the clipping plane of the picture
    bool mark;                     // a marker or an arrow: casts no shadow
    bool round;                    // a tube: the given normals are right even with few sides
    double origin[3], u[3], v[3];  // ground: centre and directions
    double reach, spacing;         // ground: fade-out radius; distance of the grid lines [m]
} sp_drawable;

typedef struct sp_arrow {
    double from[3], to[3];
} sp_arrow;

typedef struct sp_soup_vertex_faces {
    int first, count;  // vertices
} sp_soup_vertex_faces;

// All triangles of a picture (a triangle soup), in growing arrays.
typedef struct sp_soup {
    int vertex_count, face_count, drawable_count, marker_count, arrow_count, ring_count;
    int vertex_capacity, face_capacity, drawable_capacity, marker_capacity, arrow_capacity, ring_capacity;
    bool with_colors, with_smooth, with_scalar, with_stripes;  // set before the first reserve
    int fitted;              // the camera is fitted to this many vertices, from the first one on
    double *x;               // vertices x 3 [m]
    float *colors;           // vertices x 4, linear and opacity; NULL: no vertex has a colour
    float *smooth;           // vertices x 3: given normals, 0 if none; NULL: no vertex has a normal
    double *scalar;          // field at each corner (faces x 3); NULL: no field
    unsigned char *stripes;  // per face, 255: has the colour of a stripe, 0: not; NULL: no stripes
    uint32_t *faces;         // faces x 3
    int *drawable_of;        // per face
    float *normals;          // faces x 3 corners x 3
    sp_drawable *drawables;
    double *markers;     // positions of the markers x 3
    sp_arrow *arrows;    // forces
    sp_arrow *contacts;  // of contacts, from the point of contact; without length: the point alone
    int contact_count;
    sp_arrow *links;  // from one side to the other
    int link_count;
    sp_soup_vertex_faces *rings;  // cross sections of rods
} sp_soup;

enum { SP_LIGHTS_MAX = 8, SP_SHADOW_SIZE = 1024 };

typedef enum sp_light_type { SP_LIGHT_SUN, SP_LIGHT_POINT, SP_LIGHT_SPOT, SP_LIGHT_AMBIENT, SP_LIGHT_SKY } sp_light_type;

typedef struct sp_light {
    sp_light_type type;
    double at[3];     // point, spot: position; sun, sky: unit direction towards the light
    double aim[3];    // spot: unit direction of its axis
    double color[3];  // linear, times intensity
    double gloss;     // weight in highlights
    double softness;  // blur radius of its shadow, relative to the size of the scene
    bool shadow;
    sp_eye eye;  // set by sp__shadows
    float *map;  // shadow map, SP_SHADOW_SIZE squared depths, infinite if empty; NULL: no shadow
    float
        *transparency;  // depth of the first transparent face and the transmitted fraction behind it; NULL: no transparent faces
} sp_light;

enum { SP_REGIONS_SHOWN = 16 };

// The displayed field: a colour scale from low to high, or one colour per number.
typedef struct sp_legend {
    char label[64];  // "von Mises stress"; empty: no field
    const char *unit;
    double low, high;
    double shown;  // value on the labels = shown x value (deg for rad)
    bool regions;
    char names[SP_REGIONS_SHOWN][40];  // of regions, by number; empty: the number is shown
} sp_legend;

typedef struct sp_drawing {
    int width, height;     // pixels
    double background[3];  // sRGB
    sp_eye camera;
    sp_soup soup;
    sp_light lights[SP_LIGHTS_MAX];
    int light_count;
    bool walls;  // count every face of a transparent body, not only those where the ray enters
    double ambient_sky[3], ambient_ground[3], up[3];  // hemisphere, linear
    double centre[3], size;                           // of the drawn bodies without the ground [m]
    bool clip;
    double clip_point[3], clip_normal[3];  // unit; what it points to is not drawn
    sp_legend legend;
    char title[160], note[96];
    char contacts[96];  // what the arrows of contacts mean; empty: none are drawn
} sp_drawing;

// ---- collect
// Makes room for more items and keeps the present ones. SP_NO_MEMORY leaves the soup unchanged.
sp_status sp__soup_reserve(sp_context *ctx, sp_soup *soup, int vertices, int faces, int drawables);
sp_status sp__soup_marker(sp_context *ctx, sp_soup *soup, const double at[3]);
sp_status sp__soup_vertex_faces(sp_context *ctx, sp_soup *soup, int first, int count);
sp_status sp__soup_arrow(sp_context *ctx, sp_soup *soup, const double from[3], const double to[3]);
void sp__soup_free(sp_context *ctx, sp_soup *soup);
// Corner normals of all faces: the given ones if they fit the face, else smoothed across edges below the crease angle.
sp_status sp__soup_normals(sp_context *ctx, sp_soup *soup);
// Surfaces of a snapshot. Zero the drawing before the call; sp__soup_free releases it, also after a failure. Nullable: run.
sp_status sp__picture_collect(sp_context *ctx, sp_world *world, const sp_snapshot *snapshot, const sp_run *run,
                              const sp_picture_def *def, sp_drawing *d);
sp_status sp__picture_collect_surface(sp_context *ctx, const sp_trimesh *surface, const char *name, const sp_picture_def *def,
                                      sp_drawing *d);
void sp__picture_bounds(sp_drawing *d);  // centre and size of the present vertices
// Range of the values of the corners that are coloured by the field; false: there are none.
bool sp__picture_values(const sp_soup *soup, double *least, double *greatest);
// Opacity of a body in the definition, or `otherwise`.
double sp__picture_opacity(const sp_picture_def *def, const char *body, double otherwise);

// Clipping plane. Signed distance [m], positive in front; whether so many vertices of a face are in front of it; the cap of a
// solid.
void sp__picture_clip(const sp_picture_def *def, const double centre[3], sp_drawing *d);  // centre: where the plane has no point
double sp__clip_distance(const sp_drawing *d, const double x[3]);
bool sp__clips_face(const sp_drawing *d, int face, int vertices);
sp_status sp__picture_cap(sp_context *ctx, sp_world *world, sp_body_id id, const char *field, const sp_drawable *look,
                          double opacity, sp_drawing *d);  // opacity: where the body has no region

// Label of a field in the legend; false: pictures do not support the field.
bool sp__picture_field(const char *name, sp_legend *out);
void sp__picture_fields(char *out, size_t size);  // names of those that pictures know
// Adds markers at the fixed nodes of a body, arrows for the forces on it, and balls for its point masses.
sp_status sp__field_held(sp_context *ctx, sp_world *world, const sp_snapshot_body *body, sp_soup *soup);
sp_status sp__field_loads(sp_context *ctx, sp_world *world, const sp_snapshot_body *body, double size, sp_soup *soup);
sp_status sp__field_masses(sp_context *ctx, sp_world *world, const sp_snapshot_body *body, bool clipped, sp_soup *soup);

// Adds points of links, and lines between their sides.
sp_status sp__picture_links(sp_context *ctx, sp_world *world, const sp_snapshot *snapshot, const sp_run *run, sp_drawing *d);
// Adds points and arrows of contacts by constraints, and says what they mean.
sp_status sp__picture_contacts(sp_context *ctx, sp_world *world, const sp_snapshot *snapshot, const sp_run *run,
                               const sp_picture_def *def, sp_drawing *d);
double sp__picture_largest_force(const sp_snapshot *snapshot);  // of one contact [N]

// Rods: cross sections of a boundary or of an embedded surface, whose vertices are in the soup from `first` on.
sp_status sp__rings_add(sp_context *ctx, const sp_snapshot_surface *boundary, int first, sp_soup *soup);
sp_status sp__rings_add_embedded(sp_context *ctx, const sp_snapshot_surface *surface, int first, sp_soup *soup);
sp_status sp__rings_held(sp_context *ctx, const sp_snapshot_surface *boundary, const double *force, sp_soup *soup);
sp_status sp__rings_fit(sp_context *ctx, sp_drawing *d);  // widens cross sections to the minimum width for the camera
void sp__stripe_color(double strength, double color[3]);  // blends to the stripe colour by a strength in [0, 1]

// Settings of the scene of a run (nullable): looks of bodies, view options, range of colours, lights.
void sp__picture_drawable(const sp_run *run, sp_body_id body, bool ground, sp_drawable *drawable);
void sp__picture_surface_drawable(const sp_run *run, sp_body_id body, int surface,
                                  sp_drawable *drawable);  // of an embedded surface or of interfaces, by its number on the body
bool sp__picture_shows(const sp_run *run, const char *what);
bool sp__picture_shows_body(const sp_run *run, const char *body);
bool sp__picture_clips_body(const sp_run *run, const char *body);
bool sp__picture_caps(const sp_run *run);
bool sp__picture_range(const sp_run *run, const char *field, double range[2]);
bool sp__picture_walls(const sp_run *run);
int sp__picture_lights(const sp_run *run, const sp_drawing *d, sp_light *lights, int capacity);

// ---- camera
void sp__eye_look(sp_eye *eye, const double at[3], const double to[3], const double up[3]);
// Places the camera so that every point is on the canvas between the margins (samples: left, right, top, bottom).
void sp__eye_fit(sp_eye *eye, const double forward[3], const double up[3], const double *points, int count, double width,
                 double height, const double margins[4]);
void sp__picture_camera(const sp_picture_def *def, sp_drawing *d);
extern const double sp__contact_color[3];  // linear
// Markers and arrows as triangles, sized for this camera.
sp_status sp__picture_marks(sp_context *ctx, sp_drawing *d);

// ---- draw
typedef struct sp_hit {
    double x[3], n[3], to_eye[3];
    double color[3], opacity;  // of the surface at the hit, linear
    double scalar, edge;       // field value; distance to the nearest edge of the face in pixels
    double depth;
    const sp_drawable *drawable;
    double turn[2];  // cosine and sine of a random angle per sample, for the blur of shadows
} sp_hit;

// Shadow maps of the lights that cast shadows; sp__shadows_free releases them.
sp_status sp__shadows(sp_context *ctx, sp_drawing *d);
void sp__shadows_free(sp_context *ctx, sp_drawing *d);
// Key, sky and rim lights relative to the camera, for scenes without lights.
void sp__lights_default(sp_drawing *d);
// Intersection of the ray of a sample with a face; surface attributes there, and the lit colour.
void sp__hit_face(const sp_drawing *d, uint32_t face, int sx, int sy, sp_hit *out);
void sp__hit_shade(const sp_drawing *d, const sp_hit *hit, const double background[3], double out[3]);
// Renders everything below the text: width x height x 3 bytes of sRGB.
sp_status sp__picture_pixels(sp_context *ctx, const sp_drawing *d, unsigned char *rgb);

// ---- colours and text
double sp__to_linear(double srgb);
double sp__to_srgb(double linear);
void sp__legend_color(const sp_legend *legend, double value, double linear[3]);
const double *sp__region_color(double value);  // sRGB, of the number of a region
// Draws text with the left end of its baseline at x, y; size is the height of a capital in pixels.
void sp__text_draw(unsigned char *rgb, int width, int height, double x, double y, double size, const char *text,
                   const double ink[3]);
double sp__si_prefix(double largest, const char **prefix);  // factor, and SI prefix for one to three digits before the point
double sp__text_width(const char *text, double size);
void sp__picture_letter(const sp_drawing *d, unsigned char *rgb);

// ---- write
sp_status sp__png_write(sp_context *ctx, sp_error *error, const char *path, int width, int height, const unsigned char *rgb);

#endif
