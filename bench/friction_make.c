// Generated contact problems: rigid bodies at rest under gravity, one time step of 10 ms. u is the relative velocity of the
// contact points at the end of the step, the multipliers are impulses: W = J M^-1 J^T, q = J v of the free motion.
#include "friction.h"

static const double STEP = 0.01, GRAVITY = 9.81;

typedef struct maker {
    sp_context *ctx;
    sp_friction_scene *s;
    int body_capacity, contact_capacity;
    double *position;  // 3 per body
    double *mu;
    uint64_t random;
} maker;

static double maker_random(maker *m) {  // in [-1, 1)
    m->random = m->random * 6364136223846793005ull + 1442695040888963407ull;
    return (double)(m->random >> 11) * (2.0 / 9007199254740992.0) - 1.0;
}

// A body with principal moments of inertia; it is turned by `angle` around the third axis.
static int add_body(maker *m, double mass, const double moment[3], double angle, double x, double y, double z) {
    int b = m->s->bodies++;
    double *inverse = m->s->inverse + 36 * (size_t)b, c = cos(angle), d = sin(angle);
    for (int k = 0; k < 3; k++) inverse[7 * k] = 1 / mass;
    inverse[3 * 6 + 3] = c * c / moment[0] + d * d / moment[1];
    inverse[4 * 6 + 4] = d * d / moment[0] + c * c / moment[1];
    inverse[3 * 6 + 4] = inverse[4 * 6 + 3] = c * d * (1 / moment[0] - 1 / moment[1]);
    inverse[5 * 6 + 5] = 1 / moment[2];
    m->position[3 * b] = x, m->position[3 * b + 1] = y, m->position[3 * b + 2] = z;
    return b;
}

static int add_box(maker *m, double mass, const double size[3], double angle, double x, double y, double z) {
    double moment[3];
    for (int k = 0; k < 3; k++)
        moment[k] = mass / 12 * (size[(k + 1) % 3] * size[(k + 1) % 3] + size[(k + 2) % 3] * size[(k + 2) % 3]);
    return add_body(m, mass, moment, angle, x, y, z);
}

// A contact at a point, with the normal from body b (-1: fixed) to body a.
static void add_contact(maker *m, int a, int b, double mu, const double point[3], const double normal[3]) {
    int c = m->s->contacts++;
    double frame[3][3], side[3] = {fabs(normal[0]) < 0.6, fabs(normal[0]) >= 0.6, 0}, length = 0, dot = 0;
    for (int k = 0; k < 3; k++) frame[0][k] = normal[k], dot += side[k] * normal[k];
    for (int k = 0; k < 3; k++) frame[1][k] = side[k] - dot * normal[k], length += frame[1][k] * frame[1][k];
    for (int k = 0; k < 3; k++) frame[1][k] /= sqrt(length);
    for (int k = 0; k < 3; k++)
        frame[2][k] = frame[0][(k + 1) % 3] * frame[1][(k + 2) % 3] - frame[0][(k + 2) % 3] * frame[1][(k + 1) % 3];
    m->mu[c] = mu;
    m->s->body[2 * c] = a, m->s->body[2 * c + 1] = b;
    for (int side_of = 0; side_of < 2; side_of++) {
        int body = m->s->body[2 * c + side_of];
        double *rows = m->s->rows + 36 * (size_t)c + 18 * (size_t)side_of, sign = side_of ? -1 : 1;
        for (int r = 0; r < 3 && body >= 0; r++)
            for (int k = 0; k < 3; k++) {
                double arm1 = point[(k + 1) % 3] - m->position[3 * body + (k + 1) % 3];
                double arm2 = point[(k + 2) % 3] - m->position[3 * body + (k + 2) % 3];
                rows[6 * r + k] = sign * frame[r][k];
                rows[6 * r + 3 + k] = sign * (arm1 * frame[r][(k + 2) % 3] - arm2 * frame[r][(k + 1) % 3]);
            }
    }
}

// the four corners of a horizontal rectangle
static void add_face(maker *m, int a, int b, double mu, double x0, double x1, double y, double z0, double z1) {
    static const double up[3] = {0, 1, 0};
    for (int k = 0; k < 4; k++) add_contact(m, a, b, mu, (double[3]){k & 1 ? x1 : x0, y, k & 2 ? z1 : z0}, up);
}

// ---- scenes

// boxes on each other, the mass of each `ratio` times that below; every box a little to one side
static void make_stack(maker *m, int count, double ratio, double mu) {
    const double size[3] = {0.2, 0.1, 0.2};
    double mass = 1, last = 0;
    for (int i = 0; i < count; i++, mass *= ratio) {
        double x = 0.02 * maker_random(m), y = 0.1 * (i + 0.5);
        int b = add_box(m, mass, size, 0, x, y, 0);
        double left = i ? fmax(x, last) - 0.1 : x - 0.1, right = i ? fmin(x, last) + 0.1 : x + 0.1;
        add_face(m, b, b - 1, mu, left, right, y - 0.05, -0.1, 0.1);
        last = x;
    }
}

// a wall in running bond: every brick lies on two
static void make_wall(maker *m, int across, int high) {
    const double size[3] = {0.2, 0.1, 0.1};
    for (int row = 0; row < high; row++)
        for (int i = 0; i < across - row % 2; i++) {
            double x = 0.2 * i + 0.1 * (row % 2), y = 0.1 * (row + 0.5);
            int b = add_box(m, 2, size, 0, x, y, 0);
            if (row == 0) {
                add_face(m, b, -1, 0.6, x - 0.1, x + 0.1, 0, -0.05, 0.05);
                continue;
            }
            // odd rows lie on i and i + 1, even rows on i - 1 and i of a shorter row
            for (int k = 0; k < 2; k++) {
                int j = row % 2 ? i + k : i - 1 + k, width = row % 2 ? across : across - 1;
                if (j < 0 || j >= width) continue;
                add_face(m, b, b - i - width + j, 0.6, k ? x : x - 0.1, k ? x + 0.1 : x, y - 0.05, -0.05, 0.05);
            }
        }
}

// a pyramid of boxes of random mass
static void make_pyramid(maker *m, int base) {
    const double size[3] = {0.2, 0.1, 0.1};
    int below = -1;
    for (int row = 0; row < base; row++) {
        int first = m->s->bodies;
        for (int i = 0; i < base - row; i++) {
            double x = 0.2 * i + 0.1 * row, y = 0.1 * (row + 0.5);
            int b = add_box(m, 2 + maker_random(m), size, 0, x, y, 0);
            if (row == 0) {
                add_face(m, b, -1, 0.4, x - 0.1, x + 0.1, 0, -0.05, 0.05);
                continue;
            }
            add_face(m, b, below + i, 0.4, x - 0.1, x, y - 0.05, -0.05, 0.05);
            add_face(m, b, below + i + 1, 0.4, x, x + 0.1, y - 0.05, -0.05, 0.05);
        }
        below = first;
    }
}

// a heap of balls that rest on those below, in a cubic lattice whose layers are shifted
static void make_spheres(maker *m, int n) {
    const double r = 0.05;
    double moment[3];
    for (int layer = 0; layer < n; layer++)
        for (int i = 0; i < n - layer; i++)
            for (int k = 0; k < n - layer; k++) {
                double mass = 1 + 0.5 * maker_random(m);
                for (int a = 0; a < 3; a++) moment[a] = 0.4 * mass * r * r;
                add_body(m, mass, moment, 0, r * (2 * i + layer), r * (1 + sqrt(2.0) * layer), r * (2 * k + layer));
            }
    for (int a = 0; a < m->s->bodies; a++) {
        const double *x = m->position + 3 * a;
        if (x[1] < 1.1 * r) add_contact(m, a, -1, 0.5, (double[3]){x[0], 0, x[2]}, (double[3]){0, 1, 0});
        for (int b = 0; b < a; b++) {
            const double *y = m->position + 3 * b;
            double d[3] = {x[0] - y[0], x[1] - y[1], x[2] - y[2]}, length = sqrt(d[0] * d[0] + d[1] * d[1] + d[2] * d[2]),
                   point[3];
            if (length > 2.001 * r) continue;
            for (int k = 0; k < 3; k++) point[k] = 0.5 * (x[k] + y[k]), d[k] /= length;
            add_contact(m, a, b, 0.5, point, d);
        }
    }
}

// a semicircular arch of dry blocks (Milankovitch): thickness 0.15 of the mean radius
static void make_arch(maker *m, int blocks) {
    const double pi = 3.14159265358979323846, radius = 1, thickness = 0.15, depth = 0.3, step = pi / blocks;
    const double size[3] = {thickness, radius * step, depth};
    for (int i = 0; i < blocks; i++) {
        double a = (i + 0.5) * step;
        add_box(m, 2000 * size[0] * size[1] * size[2], size, a, radius * cos(a), radius * sin(a), 0);
    }
    for (int i = 0; i <= blocks; i++) {
        double a = i * step;
        int above = i < blocks ? i : -1, below = i - 1;
        // the normal points along the arch, away from the first support; the last joint has its support behind it
        double sign = above < 0 ? -1 : 1, normal[3] = {-sign * sin(a), sign * cos(a), 0};
        for (int k = 0; k < 4; k++) {
            double r = radius + (k & 1 ? 0.5 : -0.5) * thickness, z = k & 2 ? 0.5 * depth : -0.5 * depth;
            add_contact(m, above < 0 ? below : above, above < 0 ? -1 : below, 0.6, (double[3]){r * cos(a), r * sin(a), z},
                        normal);
        }
    }
}

// ---- W and q

void sp__friction_multiply(void *user, const double *x, double *y) {
    const sp_friction_scene *s = user;
    double *v = s->inverse + 36 * (size_t)s->bodies, *f = v + 6 * (size_t)s->bodies;  // behind the masses
    memset(f, 0, 6 * (size_t)s->bodies * sizeof *f);
    for (int c = 0; c < s->contacts; c++)
        for (int k = 0; k < 2; k++) {
            int b = s->body[2 * c + k];
            for (int r = 0; r < 3 && b >= 0; r++)
                for (int d = 0; d < 6; d++)
                    f[6 * b + d] += s->rows[36 * (size_t)c + 18 * (size_t)k + 6 * (size_t)r + (size_t)d] * x[3 * c + r];
        }
    for (int b = 0; b < s->bodies; b++)
        for (int r = 0; r < 6; r++) {
            v[6 * b + r] = 0;
            for (int d = 0; d < 6; d++) v[6 * b + r] += s->inverse[36 * (size_t)b + 6 * (size_t)r + (size_t)d] * f[6 * b + d];
        }
    for (int c = 0; c < s->contacts; c++)
        for (int r = 0; r < 3; r++) {
            double sum = 0;
            for (int k = 0; k < 2; k++) {
                int b = s->body[2 * c + k];
                for (int d = 0; d < 6 && b >= 0; d++)
                    sum += s->rows[36 * (size_t)c + 18 * (size_t)k + 6 * (size_t)r + (size_t)d] * v[6 * b + d];
            }
            y[3 * c + r] = sum;
        }
}

// adds the part of one body to the block of two of its contacts
static void add_block(const sp_friction_scene *s, int i, int ki, int j, int kj) {
    ptrdiff_t stride;
    double *block = sp__cone_block(s->problem, i, j, &stride);
    const double *inverse = s->inverse + 36 * (size_t)s->body[2 * i + ki];
    const double *a = s->rows + 36 * (size_t)i + 18 * (size_t)ki, *b = s->rows + 36 * (size_t)j + 18 * (size_t)kj;
    for (int r = 0; r < 3; r++)
        for (int c = 0; c < 3; c++)
            for (int d = 0; d < 6; d++)
                for (int e = 0; e < 6; e++) block[r * stride + c] += a[6 * r + d] * inverse[6 * d + e] * b[6 * c + e];
}

static sp_status build_problem(maker *m) {
    sp_friction_scene *s = m->s;
    int *list;
    SP_TRY(sp__cone_create(m->ctx, &s->problem));
    for (int c = 0; c < s->contacts; c++) SP_TRY(sp__cone_add_group(s->problem, SP_CONE_COULOMB, 3, m->mu[c], NULL));
    if (!SP_NEW(m->ctx, list, 2 * s->contacts + 1)) return SP_NO_MEMORY;
    sp_status status = SP_OK;
    for (int pass = 0; pass < 2 && status >= 0; pass++) {  // cliques, then blocks
        for (int b = 0; b < s->bodies && status >= 0; b++) {
            int n = 0;
            for (int c = 0; c < s->contacts; c++)
                if (s->body[2 * c] == b || s->body[2 * c + 1] == b) list[n++] = c;
            if (pass == 0) status = sp__cone_add_clique(s->problem, n, list);
            for (int i = 0; i < n && pass == 1; i++)
                for (int j = 0; j < n; j++)
                    add_block(s, list[i], s->body[2 * list[i]] == b ? 0 : 1, list[j], s->body[2 * list[j]] == b ? 0 : 1);
        }
        if (pass == 0 && status >= 0) status = sp__cone_layout(s->problem);
    }
    sp__free(m->ctx, list);
    for (int c = 0; c < s->contacts; c++)
        for (int r = 0; r < 3; r++)
            for (int k = 0; k < 2; k++)
                if (s->body[2 * c + k] >= 0)
                    s->problem->q[3 * c + r] -= STEP * GRAVITY * s->rows[36 * (size_t)c + 18 * (size_t)k + 6 * (size_t)r + 1];
    return status;
}

void sp__friction_free(sp_context *ctx, sp_friction_scene *s) {
    sp__cone_destroy(&s->problem);
    sp__free(ctx, s->body), sp__free(ctx, s->rows), sp__free(ctx, s->inverse);
}

sp_status sp__friction_make(sp_context *ctx, int kind, bool quick, sp_friction_scene *out) {
    static const char *const names[SP_FRICTION_SCENES] = {"stack of 10", "mass ratio 10000", "wall",
                                                          "pyramid",     "arch of 25",       "spheres"};
    enum { BODIES = 600, CONTACTS = 2600 };
    *out = (sp_friction_scene){.name = names[kind]};
    maker m = {.ctx = ctx, .s = out, .random = 7};
    sp_status status = SP_NO_MEMORY;
    if (SP_NEW(ctx, out->body, 2 * CONTACTS) && SP_NEW(ctx, out->rows, 36 * CONTACTS) && SP_NEW(ctx, out->inverse, 48 * BODIES) &&
        SP_NEW(ctx, m.position, 3 * BODIES) && SP_NEW(ctx, m.mu, CONTACTS)) {
        switch (kind) {
        case 0: make_stack(&m, 10, 1, 0.5); break;
        case 1: make_stack(&m, 5, 10, 0.5); break;
        case 2: make_wall(&m, quick ? 3 : 8, quick ? 4 : 8); break;
        case 3: make_pyramid(&m, quick ? 4 : 10); break;
        case 4: make_arch(&m, 25); break;
        default: make_spheres(&m, quick ? 4 : 6); break;
        }
        status = build_problem(&m);
    }
    sp__free(ctx, m.position), sp__free(ctx, m.mu);
    if (status < 0) sp__friction_free(ctx, out);
    return status;
}
