// State of a mesh examination: the definition, the defects found so far, and the report.
#ifndef SP_EXAMINE_H
#define SP_EXAMINE_H

#include "mesh/edges.h"
#include "mesh/trimesh.h"

struct sp_mesh_report {
    sp_context *ctx;
    sp_mesh_stats stats;
    int64_t counts[SP_DEFECT_KINDS];
    bool partial[SP_DEFECT_KINDS];  // the stage stopped early: the count is a lower bound
    int limit;
    sp_defect *lists[SP_DEFECT_KINDS];  // grow as needed, up to the limit
    int listed[SP_DEFECT_KINDS], capacity[SP_DEFECT_KINDS];
    bool no_memory;
};

// State of an element: BROKEN elements are ignored by all later stages, LOOSE elements are ignored by the topology stages.
// DISTORTED: the determinant is positive in the middle, but not everywhere.
enum { SP_ELEMENT_BROKEN = 1, SP_ELEMENT_LOOSE = 2, SP_ELEMENT_FLAT = 4, SP_ELEMENT_INVERTED = 8, SP_ELEMENT_DISTORTED = 16 };

typedef struct sp_examination {
    sp_context *ctx;
    sp_mesh_report *report;
    const double *x;
    const int *elements;
    const sp_element_type *types;            // NULL: `corners` nodes each
    int *start;                              // with types: first entry of each element in `elements`
    int node_count, element_count, corners;  // nodes per element: 3 triangles, 4 tetrahedra
    const int64_t *node_ids, *element_ids;   // nullable
    double tolerance;
    bool intersections;
    unsigned char *state;  // per element
    unsigned char *used;   // per node: belongs to an element
    int *same;             // per node: itself, or the lower node that it coincides with
    // the surface, oriented outward where it comes from elements
    int face_count;
    int *faces, *face_element;
    sp_edges edges;
    int *shell;                // per face: number of its shell, the set of faces connected by edges
    unsigned char *shell_bad;  // per shell number: 1 if open or inconsistent, 0 if closed
} sp_examination;

// parts of stages that repairs use as well

// Computes the state bits of every element without a report.
void sp__elements_classify(const double *x, int nodes, const int *elements, int count, int corners, unsigned char *state);
// Marks elements that repeat the nodes of an earlier element as LOOSE and calls duplicate(user, element, earlier).
sp_status sp__elements_duplicates(sp_context *ctx, const int *elements, int count, int corners, int nodes, unsigned char *state,
                                  void (*duplicate)(void *user, int element, int earlier), void *user);
// Signed volume enclosed by each shell, by shell number (face_count entries; unused ones are 0).
void sp__shell_volumes(const double *x, const int *faces, int face_count, const int *shell, double *volumes);

// For each shell with ask[shell] != 0: depth[shell] is the number of other closed shells that contain its first face. Stops after
// a bounded number of ray hits and then sets *whole = false.
sp_status sp__shell_depths(sp_context *ctx, const double *x, const int *faces, int face_count, const int *shell,
                           const unsigned char *bad, const unsigned char *ask, int *depth, bool *whole);

#endif
