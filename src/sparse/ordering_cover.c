// The separator of a bisection: a minimum vertex cover of the edges that were cut, from a maximum matching of their two ends
// (Konig 1931; used for separators by Pothen, Simon and Liou 1990). Searches grow alternating paths from free ends; one that
// finds nothing never will, and what it saw is the side of the cover.
#include "sparse/ordering_internal.h"

enum { NEVER = -1, DEAD = -2 };

// from a free row u of side a: to a free row of side b along an alternating path, which is then turned over
static bool augment(sp_cover *c, int u, int b, int search) {
    const sp_graph *G = c->G;
    int head = 0, tail = 0;
    c->queue[tail++] = u;
    while (head < tail) {
        int i = c->queue[head++];
        for (int e = G->start[i]; e < G->start[i + 1]; e++) {
            int j = G->near[e];
            if (c->side[j] != b || c->seen[j] == search || c->seen[j] == DEAD) continue;
            c->seen[j] = search;
            c->from[j] = i;
            if (c->mate[j] >= 0) {
                c->queue[tail++] = c->mate[j];
                continue;
            }
            while (j >= 0) {  // a free end: turn the path over
                int k = c->from[j], next = c->mate[k];
                c->mate[j] = k;
                c->mate[k] = j;
                j = next;
            }
            return true;
        }
    }
    // nothing: the rows of a in the queue and all they reach stay out of later searches
    for (int k = 0; k < tail; k++) {
        int i = c->queue[k];
        c->seen[i] = DEAD;
        for (int e = G->start[i]; e < G->start[i + 1]; e++)
            if (c->side[G->near[e]] == b) c->seen[G->near[e]] = DEAD;
    }
    return false;
}

// a first matching: most pairs are found by taking the first free neighbour
static void match_greedily(sp_cover *c, const int *item, int count, int a, int b) {
    const sp_graph *G = c->G;
    for (int k = 0; k < count; k++) {
        int i = item[k];
        if (c->side[i] != a) continue;
        for (int e = G->start[i]; e < G->start[i + 1] && c->mate[i] < 0; e++) {
            int j = G->near[e];
            if (c->side[j] == b && c->mate[j] < 0) c->mate[i] = j, c->mate[j] = i;
        }
    }
}

int sp__cover_cut(sp_cover *c, const int *item, int count, int a, int b) {
    int cut = 0;
    match_greedily(c, item, count, a, b);
    for (int k = 0; k < count; k++)
        if (c->side[item[k]] == a && c->mate[item[k]] < 0) augment(c, item[k], b, item[k]);
    // matched rows of a that no search saw, and rows of b that one did
    for (int k = 0; k < count; k++) {
        int i = item[k];
        bool in = c->side[i] == a ? c->mate[i] >= 0 && c->seen[i] != DEAD : c->seen[i] == DEAD;
        if (in) c->side[i] = SP_SIDE_CUT, cut++;
    }
    for (int k = 0; k < count; k++) c->mate[item[k]] = c->seen[item[k]] = NEVER;
    return cut;
}
