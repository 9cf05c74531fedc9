// A rod that starts in motion as a whole: every place x has the velocity v + w x x and every frame the spin w. Rates of beams are
// found node by node, those of clothoids and helices at the root, where six unknowns make the six numbers; the rest are zero. A
// discrete rod has velocities of nodes, and turns of its edges about themselves.
#include "math/vec3.h"
#include "rod/der.h"
#include "rod/rod.h"

typedef struct motion {
    double v[3], w[3];  // velocity of what is at the world's origin, spin
} motion;

static void motion_at(const motion *m, const double x[3], double out[6]) {
    sp__cross3(m->w, x, out);
    for (int k = 0; k < 3; k++) out[k] += m->v[k], out[3 + k] = m->w[k];
}

// A x = b by elimination with row pivoting; false: singular
static bool solve6(double A[6][6], double b[6]) {
    for (int i = 0; i < 6; i++) {
        int p = i;
        for (int k = i + 1; k < 6; k++)
            if (fabs(A[k][i]) > fabs(A[p][i])) p = k;
        if (!(fabs(A[p][i]) > 0)) return false;
        for (int k = 0; k < 6; k++) {
            double t = A[i][k];
            A[i][k] = A[p][k], A[p][k] = t;
        }
        double t = b[i];
        b[i] = b[p], b[p] = t;
        for (int k = i + 1; k < 6; k++) {
            double f = A[k][i] / A[i][i];
            for (int j = i; j < 6; j++) A[k][j] -= f * A[i][j];
            b[k] -= f * b[i];
        }
    }
    for (int i = 5; i >= 0; i--) {
        for (int k = i + 1; k < 6; k++) b[i] -= A[i][k] * b[k];
        b[i] /= A[i][i];
    }
    return true;
}

// the six unknowns of a node that has a frame of its own; room: nv numbers and 6 nv
static bool move_node(sp_body *b, int part, int node, const motion *m, int *unknown, double *columns) {
    const sp_rod *r = sp__rod(b);
    int last = r->part[part].elements, element = node < last ? node : last - 1, own[12];
    double A[6][6] = {{0}}, x[6], u = node == last;
    sp_curve_frame at;
    if (r->model->held(b, part, node, SP_AXES_ALL, own) != 6) return false;
    int n = r->model->slopes(b, part, element, u, unknown, columns);
    for (int i = 0; i < n; i++)
        for (int j = 0; j < 6; j++)
            for (int k = 0; k < 6 && unknown[i] == own[j]; k++) A[k][j] = columns[6 * i + k];
    r->model->place(b, part, element, u, &at);
    motion_at(m, at.r, x);
    if (!solve6(A, x)) return false;
    for (int k = 0; k < 6; k++) b->v[SP_COMMITTED][r->part[part].v + own[k]] = x[k];
    return true;
}

static void move_der(sp_body *b, int part, const motion *m) {
    const sp_rod_part *p = &sp__rod(b)->part[part];
    double *v = b->v[SP_COMMITTED] + p->v, x[6];
    const double *q = b->q[SP_COMMITTED] + p->q;
    for (int i = 0; i <= p->elements; i++) {
        motion_at(m, q + sp__der_place(i), x);
        memcpy(v + sp__der_place(i), x, 3 * sizeof *x);
    }
    for (int e = 0; e < p->elements; e++) {
        double t[3];
        sp__sub3(q + sp__der_place(e + 1), q + sp__der_place(e), t);
        v[sp__der_angle(e)] = sp__dot3(m->w, t) / sp__norm3(t);
    }
}

static sp_status move_all(sp_body *b, const motion *m, int *unknown, double *columns) {
    sp_rod *r = sp__rod(b);
    bool good = true;
    SP_TRY(sp__rod_settle_all(b, NULL, SP_COMMITTED, false));
    for (int i = 0; i < r->parts && good; i++) {
        int last = r->which == SP_ROD_BEAM ? r->part[i].elements : 0;
        if (r->which == SP_ROD_DER) move_der(b, i, m);
        for (int n = 0; r->which != SP_ROD_DER && n <= last && good; n++) good = move_node(b, i, n, m, unknown, columns);
    }
    return good ? SP_OK : SP_BODY_FAIL(b, SP_BAD_INPUT, "'%s' cannot start with a velocity", b->name);
}

// The momentum of a spin about the origin, mass times w x centre, tells what the centre of mass must be given besides.
sp_status sp__rod_start(sp_body *b, const double velocity[3], const double spin[3]) {
    sp_rod *r = sp__rod(b);
    motion m = {{0, 0, 0}, {spin[0], spin[1], spin[2]}};
    int *unknown = NULL, most = 1;
    double *columns = NULL;
    sp_measure about;
    for (int i = 0; i < r->parts; i++) most = r->part[i].nv > most ? r->part[i].nv : most;
    sp_status status = SP_NEW(b->ctx, unknown, most) && SP_NEW(b->ctx, columns, 6 * (size_t)most) ? SP_OK : SP_NO_MEMORY;
    if (status >= 0) status = move_all(b, &m, unknown, columns);
    if (status >= 0) {
        sp__rod_measure(b, &about);
        for (int k = 0; k < 3; k++) m.v[k] = velocity[k] - about.momentum[k] / about.mass;
        status = move_all(b, &m, unknown, columns);
    }
    sp__free(b->ctx, unknown);
    sp__free(b->ctx, columns);
    memcpy(b->v[SP_TRIAL], b->v[SP_COMMITTED], (size_t)b->nv * sizeof(double));
    return status;
}
