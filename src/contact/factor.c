// See factor.h.
#include "contact/factor.h"
#include "core/share.h"
#include "math/unroll.h"

enum { BLOCK = SP_CONE_ROWS_MAX * SP_CONE_ROWS_MAX, PANEL = SP_CONE_DEPTH, STRIP = SP_CONE_STRIP, PRODUCT_ROWS = 48 };

typedef struct supernode {
    int first, count;     // eliminated places
    int below_at, below;  // groups below, as places, in `list`
    int columns, size;    // scalars: own, own and below
    size_t values;        // L and U: size x columns, then columns x (size - columns)
    int pivots;           // first of the pivot list
    size_t stack;         // contribution block on the stack
    int child, sibling;   // last child; previous child of the same parent; -1: none
} supernode;

struct sp_cone_factor {
    sp_context *ctx;
    const sp_cone_kernels *kernels;
    int n, rows, begin;   // groups and rows of the island; its first position
    int *order, *place;   // group at a place; place of a group (both relative to begin)
    int *first;           // first row of a group, relative to the island
    int *parent, *count;  // elimination tree of places; number of places below
    int *list_at, *list;  // places below each place
    int *at;              // place -> row of the current front; -1: not in it
    int *kind;            // of the block P of a group: block_kind
    int supers;
    supernode *super;
    uint64_t *bits;
    double *values, *stack, *front, *work;
    int *pivot, *scratch;
    double flops;
    size_t values_size, stack_size, front_size;
    // capacities
    int n_capacity, list_capacity, rows_capacity;
    size_t scratch_capacity, bits_capacity, values_capacity, stack_capacity, front_capacity;
};

sp_status sp__cone_factor_create(sp_context *ctx, sp_cone_factor **out) {
    if (!SP_NEW(ctx, *out, 1)) return SP_FAIL(ctx, SP_NO_MEMORY, "no memory for the factor of a contact problem");
    (*out)->ctx = ctx;
    (*out)->kernels = sp__cone_kernels();
    return SP_OK;
}

static void factor_free_groups(sp_cone_factor *F) {
    void *arrays[] = {F->order, F->place, F->first, F->parent, F->count, F->list_at, F->at, F->kind, F->super};
    for (size_t i = 0; i < sizeof arrays / sizeof *arrays; i++) sp__free(F->ctx, arrays[i]);
    F->order = F->place = F->first = F->parent = F->count = F->list_at = F->at = F->kind = NULL;
    F->super = NULL;
    F->n_capacity = 0;
}

void sp__cone_factor_destroy(sp_cone_factor **factor) {
    sp_cone_factor *F = *factor;
    if (!F) return;
    factor_free_groups(F);
    void *arrays[] = {F->list, F->bits, F->values, F->stack, F->front, F->work, F->pivot, F->scratch};
    for (size_t i = 0; i < sizeof arrays / sizeof *arrays; i++) sp__free(F->ctx, arrays[i]);
    sp__free(F->ctx, F);
    *factor = NULL;
}

static sp_status factor_no_memory(const sp_cone_factor *F) {
    return SP_FAIL(F->ctx, SP_NO_MEMORY, "no memory for the factor of a contact problem of %d groups", F->n);
}

static bool factor_doubles(sp_cone_factor *F, double **array, size_t *capacity, size_t wanted) {
    if (wanted <= *capacity) return true;
    sp__free(F->ctx, *array);
    *capacity = 0;
    if (!SP_NEW(F->ctx, *array, wanted)) return false;
    *array = sp__lend(F->ctx, *array);
    *capacity = wanted;
    return true;
}

static sp_status factor_reserve(sp_cone_factor *F, int n, int rows, size_t words) {
    if (n > F->n_capacity) {
        size_t m = (size_t)n + 1;
        factor_free_groups(F);
        if (!SP_NEW(F->ctx, F->order, m) || !SP_NEW(F->ctx, F->place, m) || !SP_NEW(F->ctx, F->first, m) ||
            !SP_NEW(F->ctx, F->parent, m) || !SP_NEW(F->ctx, F->count, m) || !SP_NEW(F->ctx, F->list_at, m) ||
            !SP_NEW(F->ctx, F->at, m) || !SP_NEW(F->ctx, F->kind, m) || !SP_NEW(F->ctx, F->super, m))
            return factor_no_memory(F);
        F->n_capacity = n;
    }
    if (words > F->bits_capacity) {
        sp__free(F->ctx, F->bits);
        F->bits_capacity = 0;
        if (!SP_NEW(F->ctx, F->bits, words)) return factor_no_memory(F);
        F->bits_capacity = words;
    }
    if (rows > F->rows_capacity) {
        sp__free(F->ctx, F->work);
        sp__free(F->ctx, F->pivot);
        F->pivot = NULL, F->rows_capacity = 0;
        if (!SP_NEW(F->ctx, F->work, 2 * rows) || !SP_NEW(F->ctx, F->pivot, rows)) return factor_no_memory(F);
        F->rows_capacity = rows;
    }
    return SP_OK;
}

// ------------------------------------------------------------------------------------------------ ordering

static int next_bit(const uint64_t *bits, int from, int n) {
    for (int w = from / 64; w * 64 < n; w++) {
        uint64_t word = bits[w];
        if (w == from / 64) word &= ~0ull << (from % 64);
        if (word) return w * 64 + __builtin_ctzll(word);
    }
    return n;
}

// pattern of the island as a bit matrix of groups
static void factor_pattern(sp_cone_factor *F, const sp_cone_problem *p, size_t words) {
    memset(F->bits, 0, words * (size_t)F->n * sizeof *F->bits);
    for (int i = 0; i < F->n; i++) {
        uint64_t *row = F->bits + words * (size_t)i;
        int j = 0;
        for (int k = p->run_start[F->begin + i]; k < p->run_start[F->begin + i + 1]; k++) {
            int start = p->run[k].column - p->first[F->begin], end = start + p->run[k].count;
            while (F->first[j] < start) j++;
            for (; j < F->n && F->first[j] < end; j++)
                if (j != i) row[j / 64] |= 1ull << (j % 64);
        }
    }
}

// Minimum degree: eliminating a group joins the groups that are coupled with it. `count` holds the degrees of groups that are
// left. Each column of L is read off when its group is eliminated; it goes to `list` as group numbers.
static sp_status factor_order(sp_cone_factor *F, size_t words) {
    int used = 0, n = F->n;
    for (int i = 0; i < n; i++) {
        int degree = 0;
        for (size_t w = 0; w < words; w++) degree += __builtin_popcountll(F->bits[words * (size_t)i + w]);
        F->count[i] = degree, F->place[i] = -1;
    }
    for (int k = 0; k < n; k++) {
        int v = -1;
        for (int i = 0; i < n; i++)
            if (F->place[i] < 0 && (v < 0 || F->count[i] < F->count[v])) v = i;
        uint64_t *row = F->bits + words * (size_t)v;
        int degree = F->count[v];
        if (used + degree > F->list_capacity) {
            int more = 2 * F->list_capacity + degree + 16 * n, *list;
            if (!SP_NEW(F->ctx, list, more)) return factor_no_memory(F);
            if (used) memcpy(list, F->list, (size_t)used * sizeof *list);
            sp__free(F->ctx, F->list);
            F->list = list, F->list_capacity = more;
        }
        F->order[k] = v, F->place[v] = k, F->list_at[k] = used;
        for (int j = next_bit(row, 0, n); j < n; j = next_bit(row, j + 1, n)) F->list[used++] = j;
        for (int e = F->list_at[k]; e < used; e++) {
            int j = F->list[e];
            uint64_t *other = F->bits + words * (size_t)j;
            int left = 0;
            for (size_t w = 0; w < words; w++) {
                other[w] |= row[w];
                if (w == (size_t)v / 64) other[w] &= ~(1ull << (v % 64));
                if (w == (size_t)j / 64) other[w] &= ~(1ull << (j % 64));
                left += __builtin_popcountll(other[w]);
            }
            F->count[j] = left;
        }
    }
    F->list_at[n] = used;
    return SP_OK;
}

// Postorder of the elimination tree, so that a supernode is a run of places, and the contribution blocks of children lie on top
// of the stack. Rewrites order, place, list (as places, ascending inside a column), parent and count.
static sp_status factor_postorder(sp_cone_factor *F) {
    int n = F->n, *parent = F->parent, *child = F->at, *sibling, *stack, *old_at, *old_list, used = 0;
    size_t entries = (size_t)F->list_at[n], wanted = 4 * (size_t)n + 1 + entries;
    if (wanted > F->scratch_capacity) {
        sp__free(F->ctx, F->scratch);
        F->scratch_capacity = 0;
        if (!SP_NEW(F->ctx, F->scratch, wanted)) return factor_no_memory(F);
        F->scratch_capacity = wanted;
    }
    sibling = F->scratch, stack = sibling + n, old_at = stack + n, old_list = old_at + n + 1;
    memcpy(old_at, F->list_at, ((size_t)n + 1) * sizeof *old_at);
    if (entries) memcpy(old_list, F->list, entries * sizeof *old_list);
    for (int k = 0; k < n; k++) child[k] = -1;
    for (int k = n - 1; k >= 0; k--) {
        int least = n;
        for (int e = old_at[k]; e < old_at[k + 1]; e++)
            if (F->place[old_list[e]] < least) least = F->place[old_list[e]];
        parent[k] = least < n ? least : -1;
        if (parent[k] >= 0) sibling[k] = child[parent[k]], child[parent[k]] = k;
    }
    int *visit = old_list + entries;  // new place -> old place
    for (int root = 0, top = 0; root < n; root++) {
        if (parent[root] >= 0) continue;
        stack[top++] = root;
        while (top) {
            int k = stack[top - 1];
            if (child[k] >= 0) {
                stack[top++] = child[k];
                child[k] = sibling[child[k]];
            } else {
                visit[used++] = k, top--;
            }
        }
    }
    for (int k = 0; k < n; k++) stack[k] = F->order[visit[k]];  // groups in the new order
    for (int k = 0; k < n; k++) F->place[stack[k]] = k;
    used = 0;
    for (int k = 0; k < n; k++) {
        int old = visit[k], from = used;
        F->list_at[k] = used;
        for (int e = old_at[old]; e < old_at[old + 1]; e++) F->list[used++] = F->place[old_list[e]];
        sp__sort_ints(F->list + from, used - from);
        parent[k] = used > from ? F->list[from] : -1;
        F->count[k] = used - from;
    }
    F->list_at[n] = used;
    memcpy(F->order, stack, (size_t)n * sizeof *stack);
    return SP_OK;
}

// ------------------------------------------------------------------------------------------------ supernodes

static int place_rows(const sp_cone_factor *F, int place) {
    int g = F->order[place];
    return F->first[g + 1] - F->first[g];
}

// Joins places whose columns have the same pattern; adds up sizes.
static void factor_supernodes(sp_cone_factor *F) {
    int n = F->n, pivots = 0;
    size_t values = 0;
    F->supers = 0;
    F->flops = 0, F->front_size = 0;
    for (int k = 0; k < n;) {
        supernode *s = &F->super[F->supers];
        int last = k;
        while (last + 1 < n && F->parent[last] == last + 1 && F->count[last] == F->count[last + 1] + 1) last++;
        *s = (supernode){.first = k, .count = last - k + 1, .below_at = F->list_at[last], .below = F->count[last], .child = -1};
        for (int i = k; i <= last; i++) s->columns += place_rows(F, i), F->at[i] = F->supers;
        s->size = s->columns;
        for (int e = 0; e < s->below; e++) s->size += place_rows(F, F->list[s->below_at + e]);
        size_t size = (size_t)s->size, columns = (size_t)s->columns;
        s->values = values, s->pivots = pivots, s->sibling = -1;
        values += size * columns + columns * (size - columns);
        pivots += s->columns;
        if (size * size > F->front_size) F->front_size = size * size;
        for (size_t c = 0; c < columns; c++) F->flops += 2.0 * (double)((size - c) * (size - c));
        F->supers++;
        k = last + 1;
    }
    F->values_size = values;
    // children, and the height of the stack: a supernode pops its children and pushes its own block
    size_t top = 0;
    F->stack_size = 0;
    for (int i = 0; i < F->supers; i++) {
        supernode *s = &F->super[i];
        size_t rest = (size_t)(s->size - s->columns);
        for (int c = s->child; c >= 0; c = F->super[c].sibling) top = F->super[c].stack;
        s->stack = top;
        top += rest * rest;
        if (top > F->stack_size) F->stack_size = top;
        if (s->below > 0) {
            supernode *parent = &F->super[F->at[F->list[s->below_at]]];
            s->sibling = parent->child, parent->child = i;
        }
    }
}

sp_status sp__cone_factor_analyse(sp_cone_factor *F, const sp_cone_problem *p, int begin, int end) {
    int n = end - begin, rows = p->first[end] - p->first[begin];
    size_t words = ((size_t)n + 63) / 64;
    if (n > SP_CONE_FACTOR_GROUPS) return SP_LIMIT;
    F->n = n, F->rows = rows, F->begin = begin;
    SP_TRY(factor_reserve(F, n, rows, words * (size_t)n));
    for (int i = 0; i <= n; i++) F->first[i] = p->first[begin + i] - p->first[begin];
    factor_pattern(F, p, words);
    SP_TRY(factor_order(F, words));
    SP_TRY(factor_postorder(F));
    factor_supernodes(F);
    return SP_OK;
}

double sp__cone_factor_flops(const sp_cone_factor *F) {
    return F->flops;
}

// ------------------------------------------------------------------------------------------------ numbers

// Whether a block P is zero (the contact is open) or the identity (it sticks), or else; 3 x 3 only.
typedef enum block_kind { BLOCK_ZERO, BLOCK_IDENTITY, BLOCK_OTHER } block_kind;

static block_kind block_kind_of(const double *P) {
    bool zero = true, identity = true;
    for (int k = 0; k < 9; k++) zero = zero && P[k] == 0, identity = identity && P[k] == (k % 4 == 0);
    return zero ? BLOCK_ZERO : identity ? BLOCK_IDENTITY : BLOCK_OTHER;
}

// out += P (scale w + shift on the diagonal) + D; P and D nullable. Inlined for the usual size, which unrolls the loops.
SP_INLINE void add_product(const int rows, const int columns, const double *w, int width, double scale, double shift,
                           const double *P, const double *D, double *out, int ld) {
    double block[BLOCK];
    for (int r = 0; r < rows; r++)
        for (int c = 0; c < columns; c++) block[r * columns + c] = scale * w[(ptrdiff_t)r * width + c] + (r == c ? shift : 0);
    for (int r = 0; r < rows; r++)
        for (int c = 0; c < columns; c++) {
            double sum = P ? 0 : block[r * columns + c];
            for (int k = 0; P && k < rows; k++) sum += P[r * rows + k] * block[k * columns + c];
            out[(ptrdiff_t)r * ld + c] += sum + (D ? D[r * rows + c] : 0);
        }
}

// front(row, column) += block (i, j) of A, groups of the island
static void add_block(const sp_cone_factor *F, const sp_cone_problem *p, const sp_cone_matrix *A, int i, int j, double *front,
                      int ld) {
    if (F->kind[i] == BLOCK_ZERO && i != j) return;
    const double *w = sp__cone_block_at(p, F->begin + i, F->begin + j);
    if (!w) return;
    int rows = F->first[i + 1] - F->first[i], columns = F->first[j + 1] - F->first[j], width = p->width[F->begin + i];
    double scale = A->s[i] * A->s[j], *out = front + (ptrdiff_t)F->at[F->place[i]] * ld + F->at[F->place[j]];
    const double *P = A->P ? A->P + (size_t)i * BLOCK : NULL, *D = A->D + (size_t)i * BLOCK;
    if (i == j)
        add_product(rows, columns, w, width, scale, A->shift, P, D, out, ld);
    else if (P && rows == 3 && columns == 3 && F->kind[i] == BLOCK_IDENTITY)
        add_product(3, 3, w, width, scale, 0, NULL, NULL, out, ld);
    else if (P && rows == 3 && columns == 3)
        add_product(3, 3, w, width, scale, 0, P, NULL, out, ld);
    else
        add_product(rows, columns, w, width, scale, 0, P, NULL, out, ld);
}

static void assemble_front(sp_cone_factor *F, const sp_cone_problem *p, const sp_cone_matrix *A, const supernode *s) {
    int row = 0;
    memset(F->front, 0, (size_t)s->size * (size_t)s->size * sizeof *F->front);
    for (int k = s->first; k < s->first + s->count; k++) F->at[k] = row, row += place_rows(F, k);
    for (int e = 0; e < s->below; e++) F->at[F->list[s->below_at + e]] = row, row += place_rows(F, F->list[s->below_at + e]);
    for (int k = s->first; k < s->first + s->count; k++) {
        int i = F->order[k];
        for (int m = s->first; m < s->first + s->count; m++) add_block(F, p, A, i, F->order[m], F->front, s->size);
        for (int e = 0; e < s->below; e++) {
            int j = F->order[F->list[s->below_at + e]];
            add_block(F, p, A, i, j, F->front, s->size);
            add_block(F, p, A, j, i, F->front, s->size);
        }
    }
}

// adds the contribution block of a child
static void extend_add(sp_cone_factor *F, const supernode *s, const supernode *child) {
    int rest = child->size - child->columns;
    const double *from = F->stack + child->stack;
    for (int a = 0, r = 0; a < child->below; a++) {
        int pa = F->list[child->below_at + a], rows = place_rows(F, pa);
        for (int b = 0, c = 0; b < child->below; b++) {
            int pb = F->list[child->below_at + b], columns = place_rows(F, pb);
            double *to = F->front + (ptrdiff_t)F->at[pa] * s->size + F->at[pb];
            for (int k = 0; k < rows; k++)
                for (int m = 0; m < columns; m++) to[(ptrdiff_t)k * s->size + m] += from[(ptrdiff_t)(r + k) * rest + c + m];
            c += columns;
        }
        r += rows;
    }
}

// Columns [from, to) of the front: pivots from the rows of the supernode, L in place. Only columns below `to` are updated.
static int eliminate_columns(const sp_cone_factor *F, int size, int columns, int from, int to, int *pivot, double tiny) {
    double *A = F->front;
    int replaced = 0;
    for (int k = from; k < to; k++) {
        int best = k;
        for (int r = k + 1; r < columns; r++)
            if (fabs(A[(ptrdiff_t)r * size + k]) > fabs(A[(ptrdiff_t)best * size + k])) best = r;
        pivot[k] = best;
        if (best != k)
            for (int c = 0; c < size; c++) {
                double swap = A[(ptrdiff_t)k * size + c];
                A[(ptrdiff_t)k * size + c] = A[(ptrdiff_t)best * size + c], A[(ptrdiff_t)best * size + c] = swap;
            }
        double *top = A + (ptrdiff_t)k * size;
        if (!(fabs(top[k]) > tiny)) top[k] = top[k] < 0 ? -tiny : tiny, replaced++;
        double inverse = 1 / top[k];
        if (to - from == STRIP) {
            F->kernels->eliminate(size - k - 1, k - from, inverse, top + from, top + size + from, size);
            continue;
        }
        for (int r = k + 1; r < size; r++) {
            double *row = A + (ptrdiff_t)r * size, l = row[k] *= inverse;
            if (l != 0)
                for (int c = k + 1; c < to; c++) row[c] -= l * top[c];
        }
    }
    return replaced;
}

// rows [from, to) of U in the columns [left, right), from the unit lower triangle of the rows
static void eliminate_rows(const sp_cone_factor *F, int size, int from, int to, int left, int right) {
    for (int k = from; k < to; k++)
        for (int r = k + 1; r < to; r++) {
            const double *top = F->front + (ptrdiff_t)k * size;
            double *row = F->front + (ptrdiff_t)r * size;
            F->kernels->subtract(right - left, row[k], top + left, row + left);
        }
}

// rows [top, bottom), columns [left, right) minus L (columns [from, to)) times U (rows [from, to))
static void eliminate_product(const sp_cone_factor *F, int size, int from, int to, int top, int bottom, int left, int right) {
    double *A = F->front;
    if (top < bottom && left < right)
        F->kernels->update(bottom - top, right - left, to - from, A + (ptrdiff_t)top * size + from, size,
                           A + (ptrdiff_t)from * size + left, size, A + (ptrdiff_t)top * size + left, size);
}

typedef struct product_job {
    const sp_cone_factor *F;
    int size, from, to;
} product_job;

static void product_task(void *arg, int task, int worker) {
    const product_job *j = arg;
    int top = j->to + task * PRODUCT_ROWS, bottom = top + PRODUCT_ROWS < j->size ? top + PRODUCT_ROWS : j->size;
    (void)worker;
    eliminate_product(j->F, j->size, j->from, j->to, top, bottom, j->to, j->size);
}

// Partial LU of the front: own columns, then the Schur complement of the rest. Panels are divided again into strips, so that
// most of their work too is done by products of matrices. An entry is computed by one thread in the same order for any number of
// threads.
static int eliminate_front(sp_cone_factor *F, const supernode *s, double tiny) {
    int size = s->size, columns = s->columns, replaced = 0;
    for (int from = 0; from < columns; from += PANEL) {
        int to = from + PANEL < columns ? from + PANEL : columns;
        for (int k = from; k < to; k += STRIP) {
            int end = k + STRIP < to ? k + STRIP : to;
            replaced += eliminate_columns(F, size, columns, k, end, F->pivot + s->pivots, tiny);
            eliminate_rows(F, size, k, end, end, to);
            eliminate_product(F, size, k, end, end, size, end, to);
        }
        for (int k = from; k < to; k += STRIP) {  // rows of U right of the panel
            int end = k + STRIP < to ? k + STRIP : to;
            eliminate_rows(F, size, k, end, to, size);
            eliminate_product(F, size, k, end, end, to, to, size);
        }
        product_job job = {F, size, from, to};
        int tasks = (size - to + PRODUCT_ROWS - 1) / PRODUCT_ROWS;
        if (tasks > 3)
            sp__parallel(F->ctx, tasks, product_task, &job);
        else
            for (int i = 0; i < tasks; i++) product_task(&job, i, 0);
    }
    return replaced;
}

static void store_front(sp_cone_factor *F, const supernode *s) {
    int size = s->size, columns = s->columns, rest = size - columns;
    double *L = F->values + s->values, *U = L + (size_t)size * (size_t)columns, *top = F->stack + s->stack;
    for (int r = 0; r < size; r++)
        memcpy(L + (ptrdiff_t)r * columns, F->front + (ptrdiff_t)r * size, (size_t)columns * sizeof *L);
    if (rest == 0) return;
    for (int r = 0; r < columns; r++)
        memcpy(U + (ptrdiff_t)r * rest, F->front + (ptrdiff_t)r * size + columns, (size_t)rest * sizeof *U);
    for (int r = 0; r < rest; r++)
        memcpy(top + (ptrdiff_t)r * rest, F->front + (ptrdiff_t)(columns + r) * size + columns, (size_t)rest * sizeof *top);
}

sp_status sp__cone_factor_reserve(sp_cone_factor *F) {
    if (factor_doubles(F, &F->values, &F->values_capacity, F->values_size) &&
        factor_doubles(F, &F->stack, &F->stack_capacity, F->stack_size) &&
        factor_doubles(F, &F->front, &F->front_capacity, F->front_size))
        return SP_OK;
    return factor_no_memory(F);
}

int sp__cone_factor_make(sp_cone_factor *F, const sp_cone_problem *p, const sp_cone_matrix *A) {
    int replaced = 0;
    for (int i = 0; i < F->n; i++)
        F->kind[i] = A->P && F->first[i + 1] - F->first[i] == 3 ? block_kind_of(A->P + (size_t)i * BLOCK) : BLOCK_OTHER;
    for (int i = 0; i < F->supers; i++) {
        const supernode *s = &F->super[i];
        assemble_front(F, p, A, s);
        for (int c = s->child; c >= 0; c = F->super[c].sibling) extend_add(F, s, &F->super[c]);
        replaced += eliminate_front(F, s, 1e-14);
        store_front(F, s);
    }
    return replaced;
}

// gathers the rows below a supernode, or scatters them back
static void move_below(const sp_cone_factor *F, const supernode *s, double *x, double *below, bool gather) {
    for (int e = 0; e < s->below; e++) {
        int g = F->order[F->list[s->below_at + e]];
        for (int r = F->first[g]; r < F->first[g + 1]; r++, below++)
            if (gather)
                *below = x[r];
            else
                x[r] = *below;
    }
}

static void move_own(const sp_cone_factor *F, const supernode *s, double *x, double *own, bool gather) {
    for (int k = s->first; k < s->first + s->count; k++) {
        int g = F->order[k];
        for (int r = F->first[g]; r < F->first[g + 1]; r++, own++)
            if (gather)
                *own = x[r];
            else
                x[r] = *own;
    }
}

static void solve_forward(sp_cone_factor *F, const supernode *s, double *x) {
    int columns = s->columns, rest = s->size - columns;
    const double *L = F->values + s->values;
    double *own = F->work, *below = own + columns;
    move_own(F, s, x, own, true);
    move_below(F, s, x, below, true);
    for (int k = 0; k < columns; k++) {
        int other = F->pivot[s->pivots + k];
        double swap = own[k];
        own[k] = own[other], own[other] = swap;
    }
    for (int r = 1; r < columns; r++) {
        double sum = 0;
        F->kernels->multiply1(r, L + (ptrdiff_t)r * columns, own, &sum);
        own[r] -= sum;
    }
    for (int r = 0; r < rest; r++) {
        double sum = 0;
        F->kernels->multiply1(columns, L + (ptrdiff_t)(columns + r) * columns, own, &sum);
        below[r] -= sum;
    }
    move_own(F, s, x, own, false);
    move_below(F, s, x, below, false);
}

static void solve_backward(sp_cone_factor *F, const supernode *s, double *x) {
    int columns = s->columns, rest = s->size - columns;
    const double *L = F->values + s->values, *U = L + (size_t)s->size * (size_t)columns;
    double *own = F->work, *below = own + columns;
    move_own(F, s, x, own, true);
    move_below(F, s, x, below, true);
    for (int r = columns - 1; r >= 0; r--) {
        double sum = 0;
        if (rest) F->kernels->multiply1(rest, U + (ptrdiff_t)r * rest, below, &sum);
        F->kernels->multiply1(columns - r - 1, L + (ptrdiff_t)r * (columns + 1) + 1, own + r + 1, &sum);
        own[r] = (own[r] - sum) / L[(ptrdiff_t)r * columns + r];
    }
    move_own(F, s, x, own, false);
}

void sp__cone_factor_solve(sp_cone_factor *F, const double *b, double *x) {
    if (x != b) memcpy(x, b, (size_t)F->rows * sizeof *x);
    for (int i = 0; i < F->supers; i++) solve_forward(F, &F->super[i], x);
    for (int i = F->supers - 1; i >= 0; i--) solve_backward(F, &F->super[i], x);
}
