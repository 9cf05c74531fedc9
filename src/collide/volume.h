// Overlap volumes of closed surfaces and their gradients, from layered depth images (Faure et al. 2008; Allard et al. 2010;
// Courtecuisse 2011, chapter 4). It knows arrays of points and triangles, no bodies and no forces (docs/collision.md).
//
//     sp__volume_create(ctx, &volume)
//     each step:
//         sp__volume_find(volume, &options, count, surfaces, &found)
//
// A grid of parallel rays along each of the three axes, `pixel` apart, is intersected with the triangles of all surfaces in one
// pass (layers.h). Where a ray is inside two surfaces at once, its interval [z-, z+] belongs to the overlap of the two:
//
//     V_z = a sum (z+ - z-)                        a = pixel^2; V = (V_x + V_y + V_z) / 3
//     dV/dp_k^z = a sum b_k(z+) - a sum b_k(z-)    b_k: barycentric coordinate of vertex k in the triangle that ends the interval
//
// so the gradient of a vertex gets its x component from the rays along x, and so on. The sum of all gradients of an overlap is
// zero. A surface that overlaps itself makes the pair (o, o), if it asks for that.
//
// With `cell` > 0 an overlap is divided by a grid of cells of `cell` pixels (multi-volume, section 4.4.3 there). The walls of a
// cell move with the ray: a piece with the share f of an interval gets f times its volume and gradient. The cells of a pair sum
// up to the whole, and the gradients of each cell sum up to zero.
//
// Vertices are rounded to 2^-16 pixels across the rays (not along them) and coverage is decided in exact arithmetic, so every ray
// of a closed, consistently oriented surface leaves it as often as it enters it. Same results, bit for bit, for any number of
// workers, and with and without culling. Nothing is allocated after warm-up.
#ifndef SP_VOLUME_H
#define SP_VOLUME_H

#include "core/core.h"

typedef struct sp_volume sp_volume;  // workspace, kept over the steps. Used by one thread at a time

sp_status sp__volume_create(sp_context *ctx, sp_volume **out);
void sp__volume_destroy(sp_volume **v);  // accepts NULL

enum { SP_VOLUME_LAYERS_AUTO = 98, SP_VOLUME_LAYERS_MOST = 4096 };
// Triangles that a ray may cross before the memory of the layers grows; 0: SP_VOLUME_LAYERS_AUTO. It is allocated by the next
// search, for the rays of one tile per worker. It changes no result.
void sp__volume_reserve_layers(sp_volume *v, int layers);

// ---------------------------------------------------------------------------------------------------- input

// A closed surface with outward triangles; borrowed for the call. A half-space is a closed box that reaches beyond the other
// surfaces; the caller makes it, and makes it no larger than needed (limits below).
typedef struct sp_volume_surface {
    const double *x;  // vertex_count x 3, finite [m]
    int vertex_count;
    const uint32_t *triangles;  // triangle_count x 3
    int triangle_count;
    int group;  // body: two surfaces of one group do not make a pair
    bool self;  // the surface makes the pair (o, o) with itself
} sp_volume_surface;

// Where rays are traced. The overlaps are the same.
typedef enum sp_volume_region {
    SP_VOLUME_CULLED,  // one image per axis; each surface only within the boxes that it shares with its partners, or whole (self)
    SP_VOLUME_WHOLE,   // one image per axis of all surfaces that have a pair, whole
    SP_VOLUME_PAIRS    // three images for every pair (Faure et al. 2008): a reference
} sp_volume_region;

typedef struct sp_volume_options {
    double pixel;   // distance of rays [m], > 0
    int cell;       // edge of a cell of the multi-volume grid, in pixels; 0: one volume per pair
    double sliver;  // >= 0: cells whose area is below this number of pixel areas are joined with a neighbour; 1 is usual
    int tile;       // edge of a tile of the rasteriser, in pixels: 4, 8 or 16; 0: 8. Speed only
    sp_volume_region region;  // speed only
    double origin[3];         // a corner of a pixel and of a cell [m]; the grid is fixed in space and does not follow the bodies
    size_t bytes_most;        // memory that the workspace may have; 0: 1 GiB
    // Pixel size of the pair of surfaces a <= b [m] instead of `pixel`; 0: the pair is ignored. Called by the calling thread,
    // once per pair with overlapping boxes. Pairs of equal size share images; each further size has three images of its surfaces.
    // Nullable.
    double (*pair_pixel)(void *user, int a, int b);
    void *user;
} sp_volume_options;

// ---------------------------------------------------------------------------------------------------- output

// One overlap: of a pair of surfaces, or of a pair in a cell.
typedef struct sp_overlap {
    int surface[2];   // [0] <= [1]; equal: the surface overlaps itself
    int cell[3];      // of the grid, floor((x - origin) / (cell pixel)); 0 without cells. Of joined cells the largest one
    double pixel;     // [m]
    double volume;    // [m3], > 0
    double along[3];  // the volume from the rays along each axis: `volume` is their mean. A layer thinner than a pixel is met by
                      // the rays along its normal only, the others pass it or see a whole pixel
    double area;      // of the patch: length of the sum of the gradients of side 0 [m2]
    double
        normal[3];    // unit, direction that moves side 0 out of side 1: minus the sum of its gradients. n . dV/dp_k <= 0 on most
                      // of side 0 and >= 0 on side 1; the sums over the sides are -area and +area (section 9.4 of the method)
    double facet[3];  // the same direction from the normals of the triangles of the flatter side, with the length 1 where it is
                      // flat and less where it is not; 0 for (o, o). The area of n x n rays is a whole number of them, which
                      // tilts `normal` by up to about 1 / n; this one is exact where one side is flat
    double depth;     // mean depth, volume / area [m]; 0 if the area is 0
    double point[3];  // centroid of the overlap [m]
    int first, count;  // its entries
} sp_overlap;

// Gradient of the volume with respect to one vertex. Entries of an overlap are sorted by side and vertex, each at most once.
//
// Side 0 is the first surface of the pair. A surface that overlaps itself has no first one: the normal is the dominant
// eigenvector of sum G_k G_k^T, with its largest component positive, and a vertex is on side 0 if n . G_k <= 0. Area and normal
// then follow from the sum of side 0 as for every other pair.
//
// A body that is wholly inside another has no direction that separates them: its gradients sum up to 0, area and depth are 0 and
// the normal is that eigenvector.
typedef struct sp_overlap_entry {
    int side;  // 0, 1
    int surface;
    int vertex;          // of the surface
    double gradient[3];  // dV/dp [m2]
} sp_overlap_entry;

enum {
    SP_VOLUME_STAGE_BOXES,   // boxes of the surfaces, pairs, vertices on the grid
    SP_VOLUME_STAGE_LIST,    // triangles projected, tiles of each triangle listed
    SP_VOLUME_STAGE_SORT,    // lists sorted by tile
    SP_VOLUME_STAGE_RASTER,  // layers of each tile, intervals of each ray
    SP_VOLUME_STAGE_SUM,     // volumes and gradients summed by pair, cell and vertex
    SP_VOLUME_STAGES
};

extern const char *const sp__volume_stage_names[SP_VOLUME_STAGES];

typedef struct sp_volume_found {
    const sp_overlap *overlaps;  // sorted by surface[0], surface[1], cell[2], cell[1], cell[0]; valid until the next call
    int count;
    const sp_overlap_entry *entries;  // grouped by overlap
    int entry_count;
    int images;          // three per pixel size
    int pairs;           // of surfaces that share boxes
    int64_t pixels;      // rays of all images
    int64_t layers;      // triangles crossed by rays
    int layers_most;     // by one ray
    int64_t triangles;   // projected triangles that cover a ray, over the axes
    int64_t listed;      // entries of the tile lists
    int64_t intervals;   // of two surfaces on a ray
    int64_t unbalanced;  // rays that leave a surface more or less often than they enter it: it is not closed. The layers without
                         // a partner are ignored
    int joined;          // cells that were slivers
    bool grown;          // memory was allocated
    size_t bytes;        // of the workspace
    double stage_ms[SP_VOLUME_STAGES];
} sp_volume_found;

// Limits: 16384 pixels along an axis of an image, 2^22 pixels of extent of a triangle (from 1024 on, vertices are rounded to
// fewer bits), 4096 surfaces, 2^20 pairs.
//
// SP_BAD_INPUT: an option or a vertex number out of range, an image beyond the limits; SP_NOT_FINITE: a coordinate; SP_NO_MEMORY:
// none left, or more than bytes_most is needed: refused before it is allocated, with both numbers. `found` is empty after a
// failure and the workspace can be used again.
sp_status sp__volume_find(sp_volume *v, const sp_volume_options *options, int surface_count, const sp_volume_surface *surfaces,
                          sp_volume_found *found);

#endif
