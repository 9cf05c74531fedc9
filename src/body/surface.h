// Surfaces of a body: triangles whose vertices are material points (anchors) of it. Surface 0 is the boundary, which the kind
// creates with the body. sp_world_add_surface adds embedded surfaces. Contact, snapshots, pictures, pages and recordings all use
// this struct. Positions are computed at the committed or at the trial state.
#ifndef SP_SURFACE_H
#define SP_SURFACE_H

#include "collide/field.h"
#include "core/core.h"
#include "map/carry.h"
#include "souple/world.h"

typedef struct sp_body sp_body;
typedef enum sp_which { SP_COMMITTED, SP_TRIAL } sp_which;

// Topology: only the scratch arrays change after creation. Snapshots share the surface with the body. Only the step thread
// changes `refs` (references by the body and by the snapshot slots that show it).
typedef struct sp_surface {
    char name[64];
    unsigned roles;     // SP_ROLE_ bits
    uint32_t revision;  // changes when the arrays change, from 1
    uint32_t counted;   // revision whose open edges are known; 0: none
    int open_edges;
    int refs;
    int vertex_count, face_count;
    sp_anchor *anchors;  // vertex_count
    uint32_t *faces;     // face_count x 3, outward
    // attributes; NULL: none
    int *nodes;                   // user's node of each vertex
    unsigned char *stripes;       // per face: 1 on the side that shows twist; NULL: none
    sp_rod_cross_section *rings;  // cross sections around a centreline, ascending (ring_count)
    int ring_count;
    float *texcoords, *colors;  // face_count x 6, vertex_count x 4
    // the centreline of a rod, without faces: capsules between two vertices each
    uint32_t *segments;  // segment_count x 2, along the strands
    int segment_count;
    double *radii, *arc;  // of each vertex: radius, arc length from the root [m]
    // fit of a triangle mesh to the body that carries it
    int outside;      // vertices in no element
    double farthest;  // largest distance of those [m]
    // contact
    sp_surface_side side;
    sp_distance_field *field;  // NULL: triangles
    bool self;                 // it touches itself
    // made by sp__surface_prepare
    sp_vertex_faces vertex_faces;
    double *x, *face_normals;  // scratch of the step thread: positions, area vectors of faces
    sp_transpose up;           // made by the first transposed product
} sp_surface;

// An empty surface with one reference. NULL: no memory.
sp_surface *sp__surface_create(sp_context *ctx, const char *name, unsigned roles);
void sp__surface_release(sp_context *ctx, sp_surface **surface);  // frees it with the last reference
// Its arrays are complete: worlds of a batch share them.
void sp__surface_share(sp_context *ctx, sp_surface *surface);
// Reserves memory for one more surface; adds a surface, whose reference the body then owns; releases all surfaces.
sp_status sp__surfaces_reserve(sp_body *b);
void sp__surfaces_add(sp_body *b, sp_surface *surface);
void sp__surfaces_free(sp_body *b);
// Roles of the boundary: mechanical, and those that no embedded surface has.
unsigned sp__boundary_roles(const sp_body *b);

// The corner of a face with the largest weight: the first of equal ones.
int sp__heaviest_corner(const double weights[3]);
// The mean of three material points with weights: natural coordinates and offsets are averaged. The element and the body are
// those of the first.
sp_anchor sp__anchor_mean(const sp_anchor corner[3], const double weights[3]);
// Positions at a state, in double, in float or both, and velocities (vertex_count x 3 each). Nullable: each.
void sp__surface_positions(sp_body *b, const sp_surface *surface, sp_which which, double *x, float *x_float, double *v);
// Positions at the committed and at the trial state: the material points are read once.
void sp__surface_motion(sp_body *b, const sp_surface *surface, double *x0, double *x1);
// Allocates what normals need: scratch for positions, and the faces around each vertex. SP_NO_MEMORY: the surface is unchanged.
sp_status sp__surface_prepare(sp_context *ctx, sp_surface *surface);
// Edges whose triangles do not close the surface: the ray of a layered depth image would leave it more or less often than it
// enters it. Vertices at the same place are one, as in files with seams. They are counted once.
sp_status sp__surface_open_edges(sp_context *ctx, sp_body *b, sp_surface *surface, int *count);
// Unit vertex normals from the positions in surface->x, into either array.
void sp__surface_normals(sp_context *ctx, sp_surface *surface, double *normals, float *normals_float);

#endif
