// An examination under way: what is given, what the stages found so far, and the report it becomes.
#ifndef SP_EXAMINE_H
#define SP_EXAMINE_H

#include "mesh/edges.h"
#include "mesh/trimesh.h"

struct sp_mesh_report {
    sp_context *ctx;
    sp_mesh_stats stats;
    int64_t counts[SP_DEFECT_KINDS];
    bool partial[SP_DEFECT_KINDS];  // given up: at least so many
    int limit;
    sp_defect *lists[SP_DEFECT_KINDS];  // grown as needed up to limit
    int listed[SP_DEFECT_KINDS], room[SP_DEFECT_KINDS];
    bool no_memory;
};

// what an element is; those marked BROKEN take no part in anything, those marked LOOSE none in the topology
enum { SP_ELEMENT_BROKEN = 1, SP_ELEMENT_LOOSE = 2, SP_ELEMENT_FLAT = 4, SP_ELEMENT_INVERTED = 8 };

typedef struct sp_examination {
    sp_context *ctx;
    sp_mesh_report *report;
    const double *x;
    const int *elements;
    int node_count, element_count, corners;  // corners: 3 triangles, 4 tetrahedra
    const int64_t *node_ids, *element_ids;   // nullable
    double tolerance;
    bool intersections;
    unsigned char *state;  // per element
    unsigned char *used;   // per node: belongs to an element
    int *same;             // per node: itself, or the lower one it coincides with
    // the surface, outward where elements say so
    int face_count;
    int *faces, *face_element;
    sp_edges edges;
    int *shell;                // per face: a number that it shares with those it hangs together with by edges
    unsigned char *shell_bad;  // by that number: open or inconsistent, 0 where closed
} sp_examination;

// stages, in this order
sp_status sp__examine_elements(sp_examination *e);       // nodes and elements one by one; duplicates
sp_status sp__examine_nodes(sp_examination *e);          // unreferenced and coincident nodes, components
sp_status sp__examine_collect(sp_examination *e);        // the surface; faces of tetrahedra
sp_status sp__examine_surface(sp_examination *e);        // edges, vertices, shells
sp_status sp__examine_intersections(sp_examination *e);  // triangles that cut each other
void sp__examine_quality(sp_examination *e);             // volumes, angles, ratios

// Count a defect and list it while there is room. Numbers are ours; -1: none.
void sp__examine_add(sp_examination *e, sp_defect_kind kind, int element_a, int element_b, int node_a, int node_b, double value);

// parts of stages that repairs need as well

// State bits of every element, without any report.
void sp__elements_judge(const double *x, int nodes, const int *elements, int count, int corners, unsigned char *state);
// Marks elements that repeat the nodes of an earlier one as LOOSE and calls twin(user, element, earlier).
sp_status sp__elements_twins(sp_context *ctx, const int *elements, int count, int corners, int nodes, unsigned char *state,
                             void (*twin)(void *user, int element, int earlier), void *user);
// The signed volume below the faces of each shell, by shell number (face_count numbers; others 0).
void sp__shell_volumes(const double *x, const int *faces, int face_count, const int *shell, double *volumes);

// For each shell that is asked about (ask[shell] != 0), in how many of the closed others its first face lies: depth[shell].
// Gives up after a bounded number of hits and returns *whole = false.
sp_status sp__shell_depths(sp_context *ctx, const double *x, const int *faces, int face_count, const int *shell,
                           const unsigned char *bad, const unsigned char *ask, int *depth, bool *whole);

#endif
