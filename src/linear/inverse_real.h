// The products of precond_inverse.c for one number type: included with REAL and NAME defined.

typedef REAL NAME(four) __attribute__((vector_size(4 * sizeof(REAL))));

static void NAME(set)(void *val, size_t at, const double B[9]) {
    REAL *v = (REAL *)val + 12 * at;
    for (int c = 0; c < 3; c++) {
        for (int r = 0; r < 3; r++) v[4 * c + r] = (REAL)B[3 * r + c];
        v[4 * c + 3] = 0;
    }
}

static inline void NAME(row_product)(const rows *m, int i, const REAL *x, NAME(four) * out) {
    const NAME(four) *v = (const NAME(four) *)m->val + 3 * (size_t)m->start[i];
    NAME(four) s0 = {0}, s1 = {0}, s2 = {0};
    for (int k = m->start[i]; k < m->start[i + 1]; k++, v += 3) {
        const REAL *at = x + 4 * (size_t)m->col[k];
        s0 += v[0] * at[0], s1 += v[1] * at[1], s2 += v[2] * at[2];
    }
    *out = s0 + s1 + s2;
}

// x = r
static void NAME(convert)(void *arg, int begin, int end, int worker) {
    (void)worker;
    const product *p = arg;
    NAME(four) *x = p->g->x;
    for (int i = begin; i < end; i++) {
        const double *r = p->r + 3 * (size_t)i;
        x[i] = (NAME(four)){(REAL)r[0], (REAL)r[1], (REAL)r[2], 0};
    }
}

// y = G x
static void NAME(first)(void *arg, int begin, int end, int worker) {
    (void)worker;
    const product *p = arg;
    NAME(four) *y = p->g->y;
    for (int i = begin; i < end; i++) NAME(row_product)(&p->g->G, i, p->g->x, y + i);
}

// z = G^T y
static void NAME(second)(void *arg, int begin, int end, int worker) {
    (void)worker;
    const product *p = arg;
    for (int i = begin; i < end; i++) {
        NAME(four) s;
        NAME(row_product)(&p->g->Gt, i, p->g->y, &s);
        for (int c = 0; c < 3; c++) p->z[3 * (size_t)i + (size_t)c] = s[c];
    }
}

#undef REAL
#undef NAME
