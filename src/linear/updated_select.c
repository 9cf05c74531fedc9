// Which elements to refresh. The nodes of an element are neighbours of each other, so they stand on one path of the elimination
// tree: refreshing it means to eliminate anew the supernodes from its lowest node, its home, up to the root. Whatever has its
// home on a path that is paid for already is free.
//
// The walk goes down from the root, always to the child below which the sum of errors is largest, and pays for supernodes as it
// enters them; done with a subtree, it comes back for the next. So a patch is refreshed before anything elsewhere is begun: one
// per cent of the elements costs a third of a factorisation in a patch and nearly the whole of it when scattered. A subtree is
// entered only if what is left of the budget reaches some element in it. What has to wait gains weight with every solve.
#include "linear/updated.h"

// An element that is free is refreshed from this share of the threshold on: it would be next.
static const double free_share = 0.25;

static double cost_of(const sp_updated *u, int s, const sp_budget *b) {
    if (u->paid[s]) return 0;
    return b->columns ? sp__front_columns(u->S, s) : u->S->flops[s];
}

static void pay_path(sp_updated *u, int s) {
    for (; s >= 0 && !u->paid[s]; s = u->S->super_parent[s]) u->paid[s] = 1;
}

// what must be made anew in any case
static void pay_forced(sp_updated *u) {
    memset(u->paid, 0, (size_t)u->S->count);
    for (int i = 0; i < u->dirty_node_count; i++) pay_path(u, u->S->super_of[u->S->place[u->dirty_nodes[i]]]);
    for (int e = 0; e < u->count && u->chosen_count; e++)
        if (u->chosen[e]) pay_path(u, u->home[e]);
}

// score: errors below each supernode; need: the least that takes the walk from here to some of them
static bool weigh(sp_updated *u, double threshold, const sp_budget *b) {
    const sp_symbolic *S = u->S;
    bool any = false;
    memset(u->score, 0, (size_t)S->count * sizeof *u->score);
    memset(u->has, 0, (size_t)S->count);
    for (int e = 0; e < u->count; e++) {
        if (!(u->error[e] > threshold) || u->chosen[e]) continue;
        double w = 1 + u->waiting[e];
        u->score[u->home[e]] += w * w * u->error[e];
        u->has[u->home[e]] = 1, any = true;
    }
    for (int s = 0; s < S->count; s++) {
        double least = u->has[s] ? 0 : INFINITY;
        for (int k = S->child_start[s]; k < S->child_start[s + 1]; k++) {
            u->score[s] += u->score[S->child[k]];
            if (u->need[S->child[k]] < least) least = u->need[S->child[k]];
        }
        u->need[s] = cost_of(u, s, b) + least;
    }
    return any;
}

// the worst subtree that `left` reaches into; -1: none
static int worst_of(const sp_updated *u, const int *list, int count, double left) {
    int best = -1;
    for (int k = 0; k < count; k++) {
        int s = list[k];
        if (u->score[s] > 0 && u->need[s] <= left && (best < 0 || u->score[s] > u->score[best])) best = s;
    }
    return best;
}

static void walk(sp_updated *u, const sp_budget *b) {
    const sp_symbolic *S = u->S;
    double left = b->most;
    // where the budget is less than any path, nothing would ever be refreshed
    if (b->one && worst_of(u, u->roots, u->root_count, left) < 0) {
        double least = INFINITY;
        for (int k = 0; k < u->root_count; k++) least = fmin(least, u->need[u->roots[k]]);
        left = least;
    }
    for (int s = -1;;) {
        int next = s < 0 ? worst_of(u, u->roots, u->root_count, left)
                         : worst_of(u, S->child + S->child_start[s], S->child_start[s + 1] - S->child_start[s], left);
        if (next >= 0) {
            left -= cost_of(u, next, b);
            u->paid[next] = 1;
            s = next;
        } else if (s >= 0) {
            u->score[s] = 0;
            s = S->super_parent[s];
        } else {
            return;
        }
    }
}

void sp__updated_select(sp_updated *u, double threshold, sp_budget budget) {
    pay_forced(u);
    if (weigh(u, threshold, &budget)) walk(u, &budget);
    u->waiting_count = 0;
    for (int e = 0; e < u->count; e++) {
        if (u->chosen[e] || u->user[e] < 0) continue;
        if (u->paid[u->home[e]] && u->error[e] > free_share * threshold) {
            sp__updated_choose(u, e);
        } else if (u->error[e] > threshold) {
            u->waiting_count++;
            if (u->waiting[e] < UINT16_MAX) u->waiting[e]++;
        } else {
            u->waiting[e] = 0;
        }
    }
}
