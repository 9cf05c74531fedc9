// What the watch over energy asks of a solid: energies, volume and inverted elements at a state, and the work of its own loads.
#include "solid/solid.h"

enum { ELASTIC, VOLUME, INVERTED, KINETIC, MOMENT, SUMS = 8 };

typedef struct tally_job {
    const sp_body *b;
    sp_which which;
} tally_job;

// Moments are taken from the rest shape: far from the origin small motions keep their digits.
static void tally_nodes(const tally_job *j, int begin, int end, double *sum) {
    const sp_solid *s = sp__solid(j->b);
    const double *q = j->b->q[j->which], *v = j->b->v[j->which];
    for (int i = begin; i < end; i++) {
        size_t at = 3 * (size_t)i;
        double m = s->mass[i];
        sum[KINETIC] += 0.5 * m * sp__dot3(v + at, v + at);
        for (size_t k = 0; k < 3; k++) sum[MOMENT + k] += m * (q[at + k] - s->rest[at + k]);
    }
}

// a chunk of elements, and a range of nodes
static void tally_task(void *arg, int task, int worker) {
    const tally_job *j = arg;
    const sp_solid *s = sp__solid(j->b);
    const sp_chunks *c = &s->tets.chunks;
    double *sum = s->tally + SUMS * (size_t)task, *x = s->scratch + (size_t)worker * 8 * (size_t)c->touch_max;
    memset(sum, 0, SUMS * sizeof *sum);
    if (task < c->count) {
        s->be->gather(j->b->q[j->which], NULL, c->node + c->start[task], c->start[task + 1] - c->start[task], x);
        s->be->tet_tally(&s->tets, task, x, sum);
    }
    if (task < s->leaf_count) tally_nodes(j, s->leaf_start[task], s->leaf_start[task + 1], sum);
}

static int tally_tasks(const sp_solid *s) {
    return s->tets.chunks.count > s->leaf_count ? s->tets.chunks.count : s->leaf_count;
}

sp_status sp__solid_make_tally(sp_body *b) {
    sp_solid *s = sp__solid(b);
    for (int slot = 0; slot < s->tets.blocks * s->tets.lanes; slot++) s->rest_volume += s->volume[slot];
    s->tets.volume = s->volume;
    return SP_NEW(b->ctx, s->tally, SUMS * (size_t)tally_tasks(s)) ? SP_OK : SP_NO_MEMORY;
}

void sp__solid_energies(sp_body *b, sp_which which, sp_energies *out) {
    sp_solid *s = sp__solid(b);
    tally_job j = {b, which};
    double sum[SUMS] = {0};
    int tasks = tally_tasks(s);
    sp__solid_materials(b);
    sp__chunks_each(b->ctx, s->be, tasks, tally_task, &j);
    for (int t = 0; t < tasks; t++)
        for (int k = 0; k < SUMS; k++) sum[k] += s->tally[SUMS * (size_t)t + (size_t)k];
    *out = (sp_energies){.kinetic = sum[KINETIC],
                         .elastic = sum[ELASTIC],
                         .moment = {sum[MOMENT], sum[MOMENT + 1], sum[MOMENT + 2]},
                         .volume = sum[VOLUME],
                         .rest_volume = s->rest_volume,
                         .inverted = sum[INVERTED],
                         .rigidity = s->rigidity,
                         .size = cbrt(6 * sqrt(2) * s->rest_volume / s->elements)};
}

// ------------------------------------------------------------------------------------------------ work

// On a straight way the force of a pressure is quadratic, so Simpson's rule is exact.
static double pressure_work(const sp_body *b, const sp_pressure_load *p) {
    static const double at[3] = {0, 0.5, 1}, weight[3] = {1, 4, 1};
    const double *from = b->q[SP_COMMITTED], *to = b->q[SP_TRIAL];
    double work = 0;
    for (int i = 0; i < p->count; i++) {
        double x[3][3], way[3] = {0}, u[3], v[3], n[3];
        for (int k = 0; k < 3; k++) {
            size_t node = 3 * (size_t)p->face[i][k];
            for (size_t a = 0; a < 3; a++) way[a] += to[node + a] - from[node + a];
        }
        for (int s = 0; s < 3; s++) {
            for (int k = 0; k < 3; k++)
                for (int a = 0; a < 3; a++) {
                    size_t e = 3 * (size_t)p->face[i][k] + (size_t)a;
                    x[k][a] = from[e] + at[s] * (to[e] - from[e]);
                }
            sp__sub3(x[1], x[0], u), sp__sub3(x[2], x[0], v);
            sp__cross3(u, v, n);
            work -= weight[s] / 6 * p->now / 6 * sp__dot3(n, way);
        }
    }
    return work;
}

double sp__solid_work(sp_body *b, double push[3]) {
    const sp_solid *s = sp__solid(b);
    double work = 0;
    (void)push;
    for (int k = 0; k < s->dead_count; k++)
        for (int i = 0; i < s->dead[k].count; i++)
            for (size_t a = 0; a < 3; a++) {
                size_t at = 3 * (size_t)s->dead[k].node[i] + a;
                work += s->dead[k].now[a] * s->dead[k].weight[i] * (b->q[SP_TRIAL][at] - b->q[SP_COMMITTED][at]);
            }
    for (int k = 0; k < s->pressure_count; k++) work += pressure_work(b, &s->pressure[k]);
    return work;
}
