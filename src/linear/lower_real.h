// The triangular solves of lower.c for one number type: included with REAL and NAME defined.

typedef REAL NAME(four) __attribute__((vector_size(4 * sizeof(REAL))));

static void NAME(set)(void *val, size_t at, const double B[9]) {
    REAL *v = (REAL *)val + 12 * at;
    for (int c = 0; c < 3; c++) {
        for (int r = 0; r < 3; r++) v[4 * c + r] = (REAL)B[3 * r + c];
        v[4 * c + 3] = 0;
    }
}

// w = L^-1 w for columns [begin, end); contributions to rows from `divide` on go to `shared`
static void NAME(forward)(const sp_lower *L, int begin, int end, NAME(four) * w, int divide, NAME(four) * shared) {
    for (int k = begin; k < end; k++) {
        const NAME(four) *v = (const NAME(four) *)L->val + 3 * L->start[k];
        const int *row = L->row + L->start[k], *last = L->row + L->end[k];
        REAL x0 = w[k][0], x1 = w[k][1], x2 = w[k][2];
        for (; row < last; row++, v += 3) {
            NAME(four) *to = *row < divide ? w + *row : shared + (*row - divide);
            *to -= v[0] * x0 + v[1] * x1 + v[2] * x2;
        }
    }
}

// w = L^-T D^-1 w for columns [begin, end), in descending order
static void NAME(backward)(const sp_lower *L, int begin, int end, NAME(four) * w) {
    for (int k = end - 1; k >= begin; k--) {
        const NAME(four) *v = (const NAME(four) *)L->val + 3 * L->start[k], *d = (const NAME(four) *)L->inverse + 3 * (size_t)k;
        const int *row = L->row + L->start[k], *last = L->row + L->end[k];
        NAME(four) s0 = {0}, s1 = {0}, s2 = {0}, y = d[0] * w[k][0] + d[1] * w[k][1] + d[2] * w[k][2];
        for (; row < last; row++, v += 3) {
            NAME(four) x = w[*row];
            s0 += v[0] * x, s1 += v[1] * x, s2 += v[2] * x;
        }
        y[0] -= s0[0] + s0[1] + s0[2], y[1] -= s1[0] + s1[1] + s1[2], y[2] -= s2[0] + s2[1] + s2[2];
        w[k] = y;
    }
}

static void NAME(gather)(const sp_lower *L, int begin, int end, const double *r) {
    NAME(four) *w = L->work;
    for (int k = begin; k < end; k++) {
        const double *from = r + 3 * (size_t)L->columns->perm[k];
        w[k] = (NAME(four)){(REAL)from[0], (REAL)from[1], (REAL)from[2], 0};
    }
}

static void NAME(scatter)(const sp_lower *L, int begin, int end, double *z) {
    const NAME(four) *w = L->work;
    for (int k = begin; k < end; k++) {
        double *to = z + 3 * (size_t)L->columns->perm[k];
        to[0] = w[k][0], to[1] = w[k][1], to[2] = w[k][2];
    }
}

static void NAME(part_forward)(void *arg, int part, int worker) {
    (void)worker;
    const sweep *s = arg;
    const sp_columns *c = s->L->columns;
    int divide = c->part_start[c->parts];
    size_t count = (size_t)(c->n - divide);
    NAME(four) *shared = (NAME(four) *)s->L->shared + (size_t)part * count;
    memset(shared, 0, sizeof *shared * count);
    NAME(gather)(s->L, c->part_start[part], c->part_start[part + 1], s->r);
    NAME(forward)(s->L, c->part_start[part], c->part_start[part + 1], s->L->work, divide, shared);
}

static void NAME(part_backward)(void *arg, int part, int worker) {
    (void)worker;
    const sweep *s = arg;
    const sp_columns *c = s->L->columns;
    NAME(backward)(s->L, c->part_start[part], c->part_start[part + 1], s->L->work);
    NAME(scatter)(s->L, c->part_start[part], c->part_start[part + 1], s->z);
}

// separator rows, between the forward and backward solves: adds the contributions of all parts in a fixed order
static void NAME(middle)(const sweep *s) {
    const sp_columns *c = s->L->columns;
    int divide = c->part_start[c->parts], count = c->n - divide;
    NAME(four) *w = s->L->work, *rest = w + divide;
    const NAME(four) *shared = s->L->shared;
    NAME(gather)(s->L, divide, c->n, s->r);
    for (int p = 0; p < c->parts; p++, shared += count)
        for (int k = 0; k < count; k++) rest[k] += shared[k];
    NAME(forward)(s->L, divide, c->n, w, divide, rest);
    NAME(backward)(s->L, divide, c->n, w);
    NAME(scatter)(s->L, divide, c->n, s->z);
}

#undef REAL
#undef NAME
