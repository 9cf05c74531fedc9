// See problem.h.
#include "contact/problem.h"

#include <limits.h>

// ------------------------------------------------------------------------------------------------ memory

// Grows *array to at least `count` items and keeps its contents.
static bool cone_grow(sp_context *ctx, void **array, size_t used, size_t count, size_t size) {
    void *more = sp__alloc(ctx, count, size);
    if (!more) return false;
    if (*array) memcpy(more, *array, used * size);
    sp__free(ctx, *array);
    *array = more;
    return true;
}

#define CONE_GROW(p, array, used, count) cone_grow((p)->ctx, (void **)&(array), (size_t)(used), (size_t)(count), sizeof *(array))

static sp_status cone_no_memory(const sp_cone_problem *p, const char *what, double count) {
    return SP_FAIL(p->ctx, SP_NO_MEMORY, "no memory for %.0f %s of a contact problem", count, what);
}

// doubles, so that a growing problem allocates rarely
static int cone_next(int capacity, int wanted) {
    int twice = capacity < INT_MAX / 2 ? 2 * capacity : INT_MAX;
    return wanted > twice ? wanted : twice;
}

static sp_status reserve_groups(sp_cone_problem *p, int wanted) {
    if (wanted <= p->group_capacity) return SP_OK;
    int n = cone_next(p->group_capacity, wanted), used = p->group_count;
    if (n > INT_MAX / 8) return cone_no_memory(p, "groups", n);
    if (!CONE_GROW(p, p->group, used, n) || !CONE_GROW(p, p->order, used, n) || !CONE_GROW(p, p->place, used, n) ||
        !CONE_GROW(p, p->first, used, n + 1) || !CONE_GROW(p, p->island_start, used, n + 1) ||
        !CONE_GROW(p, p->run_start, used, n + 1) || !CONE_GROW(p, p->width, used, n) || !CONE_GROW(p, p->panel_at, used, n) ||
        !CONE_GROW(p, p->scratch, 0, 4 * n) || !CONE_GROW(p, p->touch_start, 0, n + 1))
        return cone_no_memory(p, "groups", n);
    p->group_capacity = n;
    return SP_OK;
}

static sp_status reserve_rows(sp_cone_problem *p, int wanted) {
    if (wanted <= p->row_capacity) return SP_OK;
    int n = cone_next(p->row_capacity, wanted);
    if (!CONE_GROW(p, p->q, p->row_count, n) || !CONE_GROW(p, p->lambda, p->row_count, n) || !CONE_GROW(p, p->u, p->row_count, n))
        return cone_no_memory(p, "rows", n);
    p->row_capacity = n;
    return SP_OK;
}

static sp_status reserve_members(sp_cone_problem *p, int cliques, int members) {
    if (cliques > p->clique_capacity) {
        int n = cone_next(p->clique_capacity, cliques);
        if (!CONE_GROW(p, p->clique_start, p->clique_count + 1, n + 1)) return cone_no_memory(p, "cliques", n);
        p->clique_capacity = n;
    }
    if (members > p->member_capacity) {
        int n = cone_next(p->member_capacity, members);
        if (!CONE_GROW(p, p->member, p->member_count, n)) return cone_no_memory(p, "coupled groups", n);
        p->member_capacity = n;
    }
    return SP_OK;
}

static sp_status reserve_touch(sp_cone_problem *p, int wanted) {
    if (wanted <= p->touch_capacity) return SP_OK;
    int n = cone_next(p->touch_capacity, wanted);
    if (!CONE_GROW(p, p->touch, 0, n)) return cone_no_memory(p, "coupled groups", n);
    p->touch_capacity = n;
    return SP_OK;
}

static sp_status reserve_values(sp_cone_problem *p, size_t wanted) {
    if (wanted <= p->val_capacity) return SP_OK;
    // a half more, because the contacts of a heap change in each step
    const size_t more = p->val_capacity ? wanted + wanted / 2 : wanted;
    sp__free(p->ctx, p->val);
    p->val = NULL, p->val_capacity = 0;
    if (!SP_NEW(p->ctx, p->val, more)) return cone_no_memory(p, "numbers of W", (double)more);
    p->val_capacity = more;
    return SP_OK;
}

sp_status sp__cone_create(sp_context *ctx, sp_cone_problem **out) {
    if (!SP_NEW(ctx, *out, 1)) return SP_FAIL(ctx, SP_NO_MEMORY, "no memory for a contact problem");
    (*out)->ctx = ctx;
    return SP_OK;
}

void sp__cone_destroy(sp_cone_problem **problem) {
    sp_cone_problem *p = *problem;
    if (!p) return;
    void *arrays[] = {p->group, p->q,       p->lambda,       p->u,         p->clique_start, p->member, p->order,
                      p->place, p->first,   p->island_start, p->run_start, p->run,          p->width,  p->panel_at,
                      p->val,   p->scratch, p->touch_start,  p->touch};
    for (size_t i = 0; i < sizeof arrays / sizeof *arrays; i++) sp__free(p->ctx, arrays[i]);
    sp__free(p->ctx, p);
    *problem = NULL;
}

sp_status sp__cone_reserve(sp_cone_problem *p, int groups, int rows, int members, size_t numbers) {
    SP_TRY(reserve_groups(p, groups));
    SP_TRY(reserve_rows(p, rows));
    SP_TRY(reserve_members(p, groups, members));
    SP_TRY(reserve_touch(p, members + groups));
    return reserve_values(p, numbers);
}

void sp__cone_clear(sp_cone_problem *p) {
    p->group_count = p->row_count = p->clique_count = p->member_count = p->island_count = 0;
    p->val_count = 0;
    p->laid_out = false;
}

// ------------------------------------------------------------------------------------------------ groups and cliques

sp_status sp__cone_add_group(sp_cone_problem *p, sp_cone_kind kind, int rows, double mu, int *index) {
    int wanted = kind == SP_CONE_UNILATERAL ? 1 : kind == SP_CONE_COULOMB ? 3 : rows;
    if (rows != wanted || rows < 1 || rows > SP_CONE_ROWS_MAX)
        return SP_FAIL(p->ctx, SP_BAD_INPUT, "a contact group of %d rows, must have %d..%d", rows,
                       kind == SP_CONE_BILATERAL ? 1 : wanted, kind == SP_CONE_BILATERAL ? SP_CONE_ROWS_MAX : wanted);
    if (kind == SP_CONE_COULOMB && !(mu >= 0 && mu <= 1e6))
        return SP_FAIL(p->ctx, SP_BAD_INPUT, "friction coefficient %g, must be in [0, 1e6]", mu);
    SP_TRY(reserve_groups(p, p->group_count + 1));
    SP_TRY(reserve_rows(p, p->row_count + rows));
    if (index) *index = p->group_count;
    p->group[p->group_count++] = (sp_cone_group){kind, p->row_count, rows, kind == SP_CONE_COULOMB ? mu : 0};
    for (int r = p->row_count; r < p->row_count + rows; r++) p->q[r] = p->lambda[r] = p->u[r] = 0;
    p->row_count += rows;
    p->laid_out = false;
    return SP_OK;
}

sp_status sp__cone_add_clique(sp_cone_problem *p, int count, const int *groups) {
    for (int i = 0; i < count; i++)
        if (groups[i] < 0 || groups[i] >= p->group_count)
            return SP_FAIL(p->ctx, SP_BAD_INPUT, "group %d of a contact problem, must be in 0..%d", groups[i],
                           p->group_count - 1);
    if (count < 2) return SP_OK;
    SP_TRY(reserve_members(p, p->clique_count + 1, p->member_count + count));
    p->clique_start[p->clique_count] = p->member_count;
    memcpy(p->member + p->member_count, groups, (size_t)count * sizeof *groups);
    p->member_count += count;
    p->clique_start[++p->clique_count] = p->member_count;
    p->laid_out = false;
    return SP_OK;
}

// ------------------------------------------------------------------------------------------------ layout

static int find_root(int *root, int i) {
    while (root[i] != i) i = root[i] = root[root[i]];
    return i;
}

// Islands by union-find; the root of an island is its lowest group, so that islands are in the caller's order.
static void layout_islands(sp_cone_problem *p) {
    int *root = p->scratch, *next = root + p->group_count, n = p->group_count;
    for (int i = 0; i < n; i++) root[i] = i;
    for (int c = 0; c < p->clique_count; c++)
        for (int k = p->clique_start[c] + 1; k < p->clique_start[c + 1]; k++) {
            int a = find_root(root, p->member[k - 1]), b = find_root(root, p->member[k]);
            if (a < b)
                root[b] = a;
            else
                root[a] = b;
        }
    p->island_count = 0;
    for (int i = 0; i < n; i++)
        if (find_root(root, i) == i) next[i] = p->island_count++;
    // counting sort of the groups by island
    int *count = next + n;
    memset(count, 0, (size_t)n * sizeof *count);
    for (int i = 0; i < n; i++) count[next[find_root(root, i)]]++;
    p->island_start[0] = 0;
    for (int k = 0; k < p->island_count; k++) p->island_start[k + 1] = p->island_start[k] + count[k];
    for (int k = 0; k < p->island_count; k++) count[k] = p->island_start[k];
    for (int i = 0; i < n; i++) {
        p->place[i] = count[next[find_root(root, i)]]++;
        p->order[p->place[i]] = i;
    }
    p->first[0] = 0;
    for (int i = 0; i < n; i++) p->first[i + 1] = p->first[i] + sp__cone_at(p, i)->rows;
}

// cliques of every group
static sp_status layout_touch(sp_cone_problem *p) {
    int n = p->group_count;
    SP_TRY(reserve_touch(p, p->member_count));
    memset(p->touch_start, 0, ((size_t)n + 1) * sizeof *p->touch_start);
    for (int k = 0; k < p->member_count; k++) p->touch_start[p->member[k] + 1]++;
    for (int i = 0; i < n; i++) p->touch_start[i + 1] += p->touch_start[i];
    int *at = p->scratch;
    memcpy(at, p->touch_start, (size_t)n * sizeof *at);
    for (int c = 0; c < p->clique_count; c++)
        for (int k = p->clique_start[c]; k < p->clique_start[c + 1]; k++) p->touch[at[p->member[k]]++] = c;
    return SP_OK;
}

// positions that a position is coupled with, ascending; returns their number
static int coupled_positions(const sp_cone_problem *p, int position, int *mark, int *list) {
    int i = p->order[position], n = 0;
    list[n++] = position, mark[position] = position;
    for (int t = p->touch_start[i]; t < p->touch_start[i + 1]; t++)
        for (int k = p->clique_start[p->touch[t]]; k < p->clique_start[p->touch[t] + 1]; k++) {
            int j = p->place[p->member[k]];
            if (mark[j] != position) mark[j] = position, list[n++] = j;
        }
    sp__sort_ints(list, n);
    return n;
}

static sp_status add_run(sp_cone_problem *p, int number, sp_cone_run run) {
    if (number >= p->run_capacity) {
        int n = cone_next(p->run_capacity, number + 64);
        if (!CONE_GROW(p, p->run, p->run_capacity, n)) return cone_no_memory(p, "runs", n);
        p->run_capacity = n;
    }
    p->run[number] = run;
    return SP_OK;
}

// A group of the same cliques as the one before it is coupled with the same groups. One without a clique is coupled with itself.
static bool is_coupled_alike(const sp_cone_problem *p, int position) {
    if (position == 0) return false;
    const int *a = p->touch_start + p->order[position - 1], *b = p->touch_start + p->order[position];
    const int count = b[1] - b[0];
    return count > 0 && count == a[1] - a[0] && memcmp(p->touch + a[0], p->touch + b[0], (size_t)count * sizeof(int)) == 0;
}

static sp_status layout_panels(sp_cone_problem *p) {
    int n = p->group_count, runs = 0, *mark = p->scratch + n, *list = mark + n;
    int count = 0;
    size_t total = 0;
    for (int i = 0; i < n; i++) mark[i] = -1;
    for (int i = 0; i < n; i++) {
        int width = 0;
        if (!is_coupled_alike(p, i)) count = coupled_positions(p, i, mark, list);
        p->run_start[i] = runs;
        for (int k = 0; k < count; k++) {
            int rows = p->first[list[k] + 1] - p->first[list[k]];
            if (k > 0 && list[k] == list[k - 1] + 1)
                p->run[runs - 1].count += rows;
            else
                SP_TRY(add_run(p, runs++, (sp_cone_run){p->first[list[k]], rows, width}));
            width += rows;
        }
        p->width[i] = width;
        p->panel_at[i] = total;
        total += (size_t)width * (size_t)(p->first[i + 1] - p->first[i]);
    }
    p->run_start[n] = runs;
    SP_TRY(reserve_values(p, total + 1));
    p->val_count = total;
    memset(p->val, 0, total * sizeof *p->val);
    return SP_OK;
}

sp_status sp__cone_layout(sp_cone_problem *p) {
    p->revision++;
    if (p->group_count == 0) {
        p->laid_out = true;
        return SP_OK;
    }
    layout_islands(p);
    SP_TRY(layout_touch(p));
    SP_TRY(layout_panels(p));
    p->laid_out = true;
    return SP_OK;
}

const double *sp__cone_block_at(const sp_cone_problem *p, int i, int j) {
    int low = p->run_start[i], high = p->run_start[i + 1] - 1, column = p->first[j];
    while (low < high) {
        int middle = (low + high + 1) / 2;
        if (p->run[middle].column <= column)
            low = middle;
        else
            high = middle - 1;
    }
    const sp_cone_run *run = &p->run[low];
    if (column < run->column || column >= run->column + run->count) return NULL;
    return sp__cone_panel(p, i) + run->at + (column - run->column);
}

double *sp__cone_block(const sp_cone_problem *p, int i, int j, ptrdiff_t *stride) {
    *stride = p->width[p->place[i]];
    return (double *)sp__cone_block_at(p, p->place[i], p->place[j]);
}

void sp__cone_add_blocks(sp_cone_problem *p, int i, int count, const int *groups, double scale, const double *from, int ld) {
    const int at = p->place[i], rows = p->group[i].rows;
    const sp_cone_run *run = p->run + p->run_start[at], *end = p->run + p->run_start[at + 1];
    double *panel = p->val + p->panel_at[at];
    for (int k = 0; k < count; k++) {
        const sp_cone_group *g = &p->group[groups[k]];
        const int column = p->first[p->place[groups[k]]];
        while (run < end && column >= run->column + run->count) run++;
        double *to = panel + run->at + (column - run->column);
        for (int r = 0; r < rows; r++)
            for (int c = 0; c < g->rows; c++) to[(ptrdiff_t)r * p->width[at] + c] += scale * from[(ptrdiff_t)r * ld + c];
        from += g->rows;
    }
}

void sp__cone_soften(sp_cone_problem *p, int group, int row, double compliance) {
    ptrdiff_t stride;
    double *block = sp__cone_block(p, group, group, &stride);
    block[row * (stride + 1)] += compliance;
}

bool sp__cone_finite(const sp_cone_problem *p, int *row) {
    for (int i = 0; i < p->group_count; i++) {
        const sp_cone_group *g = sp__cone_at(p, i);
        double sum = g->mu;
        const double *panel = sp__cone_panel(p, i);
        // four running sums, so that an addition need not wait for the one before
        const int numbers = p->width[i] * g->rows;
        double part[4] = {0};
        int k = 0;
        for (; k + 4 <= numbers; k += 4)
            for (int l = 0; l < 4; l++) part[l] += 0 * panel[k + l];
        for (; k < numbers; k++) sum += 0 * panel[k];
        sum += part[0] + part[1] + part[2] + part[3];
        for (int r = g->row; r < g->row + g->rows; r++) sum += 0 * p->q[r] + 0 * p->lambda[r];
        *row = g->row;
        if (!isfinite(sum)) return false;
    }
    return true;
}

// ------------------------------------------------------------------------------------------------ products and residuals

// position that a row of the solver's order belongs to
static int cone_position(const sp_cone_problem *p, int row) {
    int low = 0, high = p->group_count - 1;
    while (low < high) {
        int middle = (low + high + 1) / 2;
        if (p->first[middle] <= row)
            low = middle;
        else
            high = middle - 1;
    }
    return low;
}

// sum += panel of position i times x, over one run, whose positions may have their rows anywhere in the caller's order
static void multiply_run(const sp_cone_problem *p, int i, const sp_cone_run *run, const double *x, double *sum) {
    int rows = p->first[i + 1] - p->first[i];
    for (int j = cone_position(p, run->column); j < p->group_count && p->first[j] < run->column + run->count; j++) {
        const sp_cone_group *g = sp__cone_at(p, j);
        const double *block = sp__cone_panel(p, i) + run->at + (p->first[j] - run->column);
        for (int r = 0; r < rows; r++)
            for (int c = 0; c < g->rows; c++) sum[r] += block[(ptrdiff_t)r * p->width[i] + c] * x[g->row + c];
    }
}

void sp__cone_multiply(const sp_cone_problem *p, const double *x, double *y) {
    for (int i = 0; i < p->group_count; i++) {
        const sp_cone_group *g = sp__cone_at(p, i);
        double sum[SP_CONE_ROWS_MAX] = {0};
        for (int k = p->run_start[i]; k < p->run_start[i + 1]; k++) multiply_run(p, i, &p->run[k], x, sum);
        for (int r = 0; r < g->rows; r++) y[g->row + r] = sum[r];
    }
}

double sp__cone_weight(const sp_cone_problem *p, int position) {
    const double *block = sp__cone_block_at(p, position, position);
    int rows = p->first[position + 1] - p->first[position];
    double trace = 0;
    for (int r = 0; r < rows; r++) trace += block[(ptrdiff_t)r * (p->width[position] + 1)];
    return trace / rows;
}

// Squares neither overflow nor vanish: lengths and impulses are far from 1e150 and 1e-150. hypot would take a tenth of a sweep.
static double tangent_norm(const double *x) {
    return sqrt(x[1] * x[1] + x[2] * x[2]);
}

void sp__cone_project(double mu, const double x[3], double out[3]) {
    double t = tangent_norm(x);
    if (t <= mu * x[0]) {
        out[0] = x[0], out[1] = x[1], out[2] = x[2];
    } else if (mu * t <= -x[0]) {
        out[0] = out[1] = out[2] = 0;
    } else {
        double n = (x[0] + mu * t) / (1 + mu * mu);
        out[0] = n, out[1] = mu * n / t * x[1], out[2] = mu * n / t * x[2];
    }
}

void sp__cone_natural(sp_cone_kind kind, int rows, double mu, double w, const double *lambda, const double *u, double *e) {
    if (kind == SP_CONE_COULOMB) {
        double z[3] = {lambda[0] - (u[0] + mu * tangent_norm(u)) / w, lambda[1] - u[1] / w, lambda[2] - u[2] / w}, p[3];
        sp__cone_project(mu, z, p);
        for (int r = 0; r < 3; r++) e[r] = lambda[r] - p[r];
    } else if (kind == SP_CONE_UNILATERAL) {
        e[0] = lambda[0] - fmax(0, lambda[0] - u[0] / w);
    } else {
        for (int r = 0; r < rows; r++) e[r] = u[r] / w;
    }
}

double sp__cone_residual(const sp_cone_problem *p, const double *lambda, const double *u, sp_cone_norm norm) {
    bool plain = norm == SP_CONE_NORM_PLAIN;
    double sum = 0, most = 0, scale = 0;
    for (int i = 0; i < p->group_count; i++) {
        const sp_cone_group *g = sp__cone_at(p, i);
        double e[SP_CONE_ROWS_MAX], w = plain ? 1 : sp__cone_weight(p, i), square = 0;
        for (int r = 0; r < g->rows; r++) {
            double q = p->q[g->row + r];
            scale = plain ? scale + q * q : fmax(scale, fabs(q));
        }
        if (!(w > 0)) continue;  // dropped: its multipliers are zero
        sp__cone_natural(g->kind, g->rows, g->mu, w, lambda + g->row, u + g->row, e);
        for (int r = 0; r < g->rows; r++) square += e[r] * e[r];
        sum += square;
        most = fmax(most, w * sqrt(square));
    }
    if (plain) return sqrt(sum) / (1 + sqrt(scale));
    return scale > 0 ? most / scale : most;
}
