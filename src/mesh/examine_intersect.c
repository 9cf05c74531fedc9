// Self-intersections of the surface: pairs of triangles with overlapping boxes, then the exact test. Coincident nodes count as
// one node, so that a surface of separate triangles does not report every pair of neighbours.
#include "mesh/examine.h"
#include "mesh/intersect.h"
#include "mesh/tree.h"

enum { PAIRS_MAX = 60000000 };  // limit of about ten seconds; a good surface has about eight pairs per triangle

typedef struct search {
    sp_examination *e;
    const int *faces;
    int64_t pairs, most;
} search;

static bool try_pair(void *user, int a, int b) {
    search *s = user;
    if (++s->pairs > s->most) return false;
    if (sp__triangles_intersect(s->e->x, s->faces + 3 * (size_t)a, s->faces + 3 * (size_t)b))
        sp__examine_add(s->e, SP_DEFECT_INTERSECTION, s->e->face_element[a], s->e->face_element[b], -1, -1, 0);
    return true;
}

sp_status sp__examine_intersections(sp_examination *e) {
    int *welded;
    sp_tree *tree = NULL;
    if (e->face_count == 0) return SP_OK;
    if (!SP_NEW(e->ctx, welded, 3 * (size_t)e->face_count))
        return SP_FAIL(e->ctx, SP_NO_MEMORY, "no memory to intersect %d triangles", e->face_count);
    for (size_t i = 0; i < 3 * (size_t)e->face_count; i++) welded[i] = e->same[e->faces[i]];
    sp_status status = sp__tree_create(e->ctx, e->x, welded, e->face_count, 3, &tree);
    if (status == SP_OK) {
        search s = {.e = e, .faces = welded, .most = PAIRS_MAX + 64 * (int64_t)e->face_count};
        sp__tree_pairs(tree, try_pair, &s);
        e->report->partial[SP_DEFECT_INTERSECTION] = s.pairs > s.most;
    }
    sp__tree_destroy(&tree);
    sp__free(e->ctx, welded);
    return status;
}
