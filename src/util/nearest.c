// See nearest.h.
#include "util/nearest.h"

#include <stdbool.h>
#include <string.h>

// words of other programs and our words for them
static const char *const synonyms[][2] = {
    {"E", "young"},
    {"stiffness", "young"},
    {"modulus", "young"},
    {"youngs-modulus", "young"},
    {"youngModulus", "young"},
    {"nu", "poisson"},
    {"poissonRatio", "poisson"},
    {"rho", "density"},
    {"mass", "density"},
    {"mu", "friction"},
    {"frictionCoef", "friction"},
    {"tol", "tolerance"},
    {"threshold", "tolerance"},
    {"iter", "iterations"},
    {"iters", "iterations"},
    {"max-iterations", "iterations"},
    {"maxiter", "iterations"},
    {"filename", "file"},
    {"src", "file"},
    {"href", "file"},
    {"pos", "translate"},
    {"position", "translate"},
    {"translation", "translate"},
    {"xyz", "translate"},
    {"euler", "rotate"},
    {"orientation", "rotate"},
    {"rpy", "rotate"},
    {"colour", "color"},
    {"rgb", "color"},
    {"rgba", "color"},
    {"timestep", "dt"},
    {"time-step", "dt"},
    {"step", "dt"},
    {"h", "dt"},
    {"id", "name"},
    {"g", "gravity"},
    {"damping", "rayleigh"},
    {"method", "type"},
    {"kind", "type"},
    {"resolution", "cells"},
    {"divisions", "cells"},
    {"dims", "cells"},
    {"dimensions", "size"},
    {"group", "tag"},
    {"indices", "nodes"},
    {"ids", "nodes"},
    {"clamp", "fix"},
    {"fixed", "fix"},
    {"constraint", "fix"},
    {"pin", "fix"},
    {"dirichlet", "fix"},
    {"force", "load"},
    {"body", "solid"},
    {"softbody", "solid"},
    {"deformable", "solid"},
    {"tetrahedra", "mesh"},
    {"parameter", "param"},
    {"variable", "param"},
    {"output", "record"},
    {"end", "stop"},
    {"assert", "expect"},
    {"obstacle", "rigid"},
    {"floor", "rigid"},
    {"ground", "rigid"},
    {"wall", "rigid"},
    {"cube", "box"},
    {"cuboid", "box"},
    {"ball", "sphere"},
    {"rope", "rod"},
    {"cable", "rod"},
    {"wire", "rod"},
    {"collision", "contact"},
    {"t", "time"},
    {"duration", "time"},
    {"corotated", "corotational"},
    {"co-rotational", "corotational"},
    {"conjugate-gradient", "cg"},
    {"implicit", "implicit-euler"},
    {"euler", "implicit-euler"},
};

static bool is_known(const char *word, const char *const *known, int n) {
    for (int i = 0; i < n; i++)
        if (strcmp(known[i], word) == 0) return true;
    return false;
}

static int least(int a, int b) {
    return a < b ? a : b;
}

// optimal string alignment distance (Damerau 1964): insertions, deletions, substitutions and swaps of neighbours cost one each
int sp__edit_distance(const char *a, const char *b, int limit) {
    enum { LONGEST = 128 };
    int rows[3][LONGEST + 1];
    size_t na = strlen(a), nb = strlen(b);
    size_t apart = na > nb ? na - nb : nb - na;
    if (na > LONGEST || nb > LONGEST || apart > (size_t)limit) return limit + 1;
    for (size_t j = 0; j <= nb; j++) rows[0][j] = (int)j;
    for (size_t i = 1; i <= na; i++) {
        int *row = rows[i % 3], *up = rows[(i + 2) % 3], *upper = rows[(i + 1) % 3];
        row[0] = (int)i;
        for (size_t j = 1; j <= nb; j++) {
            row[j] = least(least(row[j - 1], up[j]) + 1, up[j - 1] + (a[i - 1] != b[j - 1]));
            if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1]) row[j] = least(row[j], upper[j - 2] + 1);
        }
    }
    return rows[na % 3][nb];
}

const char *sp__nearest(const char *word, const char *const *known, int n) {
    const char *best = NULL;
    // an exact synonym wins over a similar word
    for (size_t i = 0; i < sizeof synonyms / sizeof synonyms[0]; i++)
        if (strcmp(synonyms[i][0], word) == 0 && is_known(synonyms[i][1], known, n)) return synonyms[i][1];
    // short words need a stricter limit: "t" is close to everything
    size_t length = strlen(word);
    int limit = length < 3 ? 0 : length < 5 ? 1 : 2;
    for (int i = 0; i < n; i++) {
        int d = sp__edit_distance(word, known[i], limit);
        if (d > limit) continue;
        best = known[i];
        limit = d - 1;
        if (limit < 0) return best;
    }
    return best;
}
