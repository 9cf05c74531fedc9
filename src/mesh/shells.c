// Closed parts (shells) of a surface: enclosed volume and nesting.
#include "math/vec3.h"
#include "mesh/examine.h"
#include "mesh/tree.h"

enum { HITS_MAX = 50000000 };  // one to two seconds; only tens of thousands of nested shells reach this

void sp__shell_volumes(const double *x, const int *faces, int face_count, const int *shell, double *volumes) {
    for (int f = 0; f < face_count; f++) {
        // relative to a point of the surface: a small part far from the origin keeps its precision
        const double *o = x + 3 * (size_t)faces[0];
        double p[3][3], n[3];
        for (int k = 0; k < 3; k++) sp__sub3(x + 3 * (size_t)faces[3 * (size_t)f + (size_t)k], o, p[k]);
        sp__cross3(p[1], p[2], n);
        volumes[shell[f]] += sp__dot3(p[0], n) / 6;
    }
}

typedef struct crossing {
    const int *shell;
    const unsigned char *bad;
    unsigned char *odd;  // per shell: crossed an odd number of times
    int own, depth;
    long hits;
} crossing;

static bool cross(void *user, const sp_tree_hit *hit) {
    crossing *c = user;
    int s = c->shell[hit->item];
    if (s != c->own && !c->bad[s]) {
        c->odd[s] = !c->odd[s];
        c->depth += c->odd[s] ? 1 : -1;
    }
    return ++c->hits < HITS_MAX;
}

static bool forget(void *user, const sp_tree_hit *hit) {
    crossing *c = user;
    c->odd[c->shell[hit->item]] = 0;
    return true;
}

sp_status sp__shell_depths(sp_context *ctx, const double *x, const int *faces, int face_count, const int *shell,
                           const unsigned char *bad, const unsigned char *ask, int *depth, bool *whole) {
    // an arbitrary direction: no edge or vertex of a practical mesh lies exactly along it from another
    static const double direction[3] = {0.5377671395, 0.2986420917, 0.7886751346};
    crossing c = {.shell = shell, .bad = bad};
    sp_tree *tree;
    SP_TRY(sp__tree_create(ctx, x, faces, face_count, 3, &tree));
    if (!SP_NEW(ctx, c.odd, face_count)) {
        sp__tree_destroy(&tree);
        return SP_FAIL(ctx, SP_NO_MEMORY, "no memory for the parts of a surface");
    }
    for (int f = 0; f < face_count && c.hits < HITS_MAX; f++) {
        if (shell[f] != f || !ask[f]) continue;
        double from[3] = {0};
        for (int k = 0; k < 3; k++) sp__axpy3(from, 1.0 / 3, x + 3 * (size_t)faces[3 * (size_t)f + (size_t)k], from);
        c.own = f, c.depth = 0;
        sp__tree_hits(tree, from, direction, INFINITY, cross, &c);
        sp__tree_hits(tree, from, direction, INFINITY, forget, &c);
        depth[f] = c.depth;
    }
    *whole = c.hits < HITS_MAX;
    sp__free(ctx, c.odd);
    sp__tree_destroy(&tree);
    return SP_OK;
}
