// A factor made anew in part. Where block columns of A changed, the columns of L that may differ are those and all above them in
// the elimination tree (Pincon 2020: I1 = I0 and its ancestors). By supernodes: those of the changed columns and all above them
// are assembled and eliminated again, children outside that closure give the contribution blocks that they gave before. The work
// is that of the closure's own fronts, nothing below them is touched; a left-looking factor would redo every update into a
// touched column from all its descendants, which is about twice that.
//
// A fresh factorisation would compute the same fronts from the same numbers in the same order: the result is the same bit for
// bit. Blocks that sp__factor_update left stale no longer fit their panels: those supernodes are in every closure until made
// anew.
#include <limits.h>

#include "sparse/factor_internal.h"

int sp__factor_closure(sp_factor *F, int count, const int *changed, int *list) {
    const sp_symbolic *S = F->S;
    int n = 0;
    if (F->stamp == INT_MAX) {
        memset(F->mark, 0, (size_t)S->count * sizeof *F->mark);
        F->stamp = 0;
    }
    F->stamp++;
    for (int i = 0; i < count; i++)
        for (int s = S->super_of[S->place[changed[i]]]; s >= 0 && F->mark[s] != F->stamp; s = S->super_parent[s]) {
            F->mark[s] = F->stamp;
            list[n++] = s;
        }
    sp__sort_ints(list, n);
    return n;
}

// The closure, and what is stale.
static int to_do(sp_factor *F, int count, const int *changed) {
    int n = sp__factor_closure(F, count, changed, F->list[0]);
    for (int s = 0; s < F->S->count; s++)
        if (F->stale[s] && F->mark[s] != F->stamp) F->list[0][n++] = s;
    return n;
}

sp_status sp__factor_partial(sp_factor *F, const sp_symmetric *A, int count, const int *changed, bool alone,
                             sp_factor_info *info) {
    SP_ASSERT(F->def.keep);
    if (!F->good || !F->def.keep) return sp__factor_make(F, A, F->shift, alone, info);
    int n = to_do(F, count, changed);
    for (int i = 0; i < n; i++) F->fresh[F->list[0][i]] = 1;
    return sp__factor_fronts(F, A, F->shift, alone, info);
}

void sp__factor_price(sp_factor *F, int count, const int *changed, int *columns, double *flops) {
    int n = to_do(F, count, changed);
    *columns = 0, *flops = 0;
    for (int i = 0; i < n; i++) {
        *columns += sp__front_columns(F->S, F->list[0][i]);
        *flops += F->S->flops[F->list[0][i]];
    }
}
