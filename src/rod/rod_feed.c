// Feed: a rod that is pushed and turned through an entry point, like a catheter into a vessel. What has not entered lies straight
// on the axis: its nodes are held there, and move and turn with the feed.
//
//      held, straight        | entry point
//   o-------o-------o--------o--.
//                            |    `-o.         the node at the entry point is clamped; the others are free
//                                      `-o
//
// A node is at the entry point at all times: the last held one. It slides along the rod, so that the clamp neither jumps from
// node to node nor moves: the element before it and the one after it change their lengths, and between them they are 1/2 to 3/2
// of an element long. Where the entry point passes the middle of an element, the next node becomes the one that slides.
//
// Nodes slide at the start of a step, in prescribe: the curve keeps its shape, and only its nodes move along it. The node that
// will be at the entry point at the end of the step is then still behind (or, if the feed goes back, ahead of) it, at the point
// of the rod that arrives there. The step moves it there, as prescribed motion. The committed state changes, and a failed step
// restores it.
//
// The energy that an element gains or loses because it lengthens at a fixed state is the work of the entry on a bent rod, per
// length M^2 / 2 E I (Bigoni et al. 2015, "Eshelby-like force"). It counts as an edit in the energy balance.
#include <stdio.h>

#include "math/rotation_vector.h"
#include "math/vec3.h"
#include "rod/model_chain.h"
#include "rod/rod.h"

typedef struct sp_rod_guide {
    sp_rod_feed def;
    char path[2][64];  // of its parameters
    double axis[3];    // unit vector along the direction
    double rate[2];    // speed [m/s] and spin [rad/s] now; parameters tier
    double fed[2];     // length [m] and angle [rad] since the start; state tier
    double kept_fed[2];
    double behind;     // arc length from the root to the entry point at the start [m]
    double range[2];   // of the fed length
    double size;       // arc length of an element
    double *s, *next;  // arc lengths of the nodes now, and after they slide
    double *natural;   // nodes x 3: natural curvature of the nodes where they do not slide
    double *straight;  // nq: coordinates of the straight rod from its first root
    sp_rod_kept kept;
} sp_rod_guide;

// columns as in body/params.c
const sp_param_spec sp__rod_feed_speed = {
    "feed.speed", "m/s", "speed of the feed", "of pushing", -1e6, 1e6, SP_RANGE_LOW_GUARD | SP_RANGE_HIGH_GUARD, -1e6,
    1e6,          0,     SP_PRICE_NOTHING};
const sp_param_spec sp__rod_feed_spin = {
    "feed.spin", "rad/s", "spin of the feed", "of turning", -1e6, 1e6, SP_RANGE_LOW_GUARD | SP_RANGE_HIGH_GUARD, -1e6,
    1e6,         0,       SP_PRICE_NOTHING};

double *sp__rod_feed_state(const sp_rod *r) {
    return r->guide->fed;
}

// ------------------------------------------------------------------------------------------------ checks

#define REFUSE(...) return sp__fail(error, SP_BAD_INPUT, __FILE__, __LINE__, __VA_ARGS__)

static sp_status feed_check_signal(sp_error *error, const sp_param_spec *spec, const sp_signal *s) {
    return s->eval ? SP_OK : sp__param_check(error, "feed: ", spec, s->constant);
}

// the root lies on the axis, with its tangent along it; returns in *behind its distance from the entry point
static sp_status feed_check_root(sp_error *error, const sp_rod_strand *s, const sp_rod_feed *f, double *behind) {
    double R[9], arm[3], off[3], turn[3], axis[3], length = sp__norm3(f->direction);
    for (int k = 0; k < 3; k++) axis[k] = f->direction[k] / length;
    sp__quat_matrix(s->root.quat, R);
    const double tangent[3] = {R[0], R[3], R[6]};
    sp__sub3(f->at, s->root.translate, arm);
    *behind = sp__dot3(arm, axis);
    sp__axpy3(arm, -*behind, axis, off);
    sp__cross3(tangent, axis, turn);
    double angle = atan2(sp__norm3(turn), sp__dot3(tangent, axis));
    if (!(angle <= 1e-4)) REFUSE("feed: the rod starts at %g rad to its direction, must start along it", angle);
    if (!(sp__norm3(off) <= 1e-4 * s->length)) REFUSE("feed: the root is %g m beside its axis, must be on it", sp__norm3(off));
    double least = s->length / s->elements;
    if (!(*behind >= least * (1 - 1e-9)))
        REFUSE("feed: the root is %g m behind the entry point, must be at least one element, %g m", *behind, least);
    return SP_OK;
}

sp_status sp__rod_feed_check(sp_error *error, const sp_rod_def *def) {
    const sp_rod_feed *f = def->feed;
    double length = sp__norm3(f->direction), behind;
    for (int k = 0; k < 3; k++)
        if (!isfinite(f->at[k])) REFUSE("feed: at = (%g, %g, %g), must be finite", f->at[0], f->at[1], f->at[2]);
    if (!(length > 0 && isfinite(length)))
        REFUSE("feed: direction = (%g, %g, %g), must be finite and not zero", f->direction[0], f->direction[1], f->direction[2]);
    if (f->name && (!f->name[0] || strlen(f->name) >= 48)) REFUSE("feed: name '%.60s', must have 1 to 47 characters", f->name);
    SP_TRY(feed_check_signal(error, &sp__rod_feed_speed, &f->speed));
    SP_TRY(feed_check_signal(error, &sp__rod_feed_spin, &f->spin));
    if (def->model == SP_ROD_CLOTHOID || def->model == SP_ROD_HELIX)
        REFUSE("feed: clothoids and helices have unknowns that move everything beyond them, no node can be held; must be der or "
               "beam");
    if (def->strand_count != 1) REFUSE("feed: %d strands, must be 1", def->strand_count);
    if (def->strands[0].elements < 2) REFUSE("feed: %d element, must be at least 2", def->strands[0].elements);
    if (def->free_root) REFUSE("feed: the root is held by it, must not be free");
    if (def->edge_clamp) REFUSE("feed: a discrete rod is clamped by half a cell, must not be clamped by an edge");
    if (def->move_count) REFUSE("feed: move_count = %d, must be 0: the feed moves the rod", def->move_count);
    return feed_check_root(error, &def->strands[0], f, &behind);
}

// ------------------------------------------------------------------------------------------------ where nodes are

static double entry_length(const sp_rod_guide *g) {
    return g->behind - g->fed[0];
}

// the last node that is held
static int feed_entry_of(const sp_rod_guide *g, const sp_rod_part *p) {
    double last = ceil(entry_length(g) / g->size + 0.5) - 1;
    return (int)fmin(fmax(last, 1), p->elements);
}

// arc lengths of the nodes; if all of the rod is held, no node slides
static void feed_lay(const sp_rod_guide *g, const sp_rod_part *p, int entry, double *s) {
    for (int i = 0; i <= p->elements; i++) s[i] = i * g->size;
    if (entry < p->elements) s[entry] = entry_length(g);
}

// lengths and natural curvature around a node that slides, or did until now
static void feed_measure(sp_rod *r, int entry) {
    const sp_rod_guide *g = r->guide;
    const sp_rod_part *p = &r->part[0];
    double *natural = r->natural + 3 * (size_t)entry, u;
    for (int e = entry - 1; e <= entry && e < p->elements; e++) {
        bool slides = p->entry < p->elements && (e == p->entry || e + 1 == p->entry);
        r->length[e] = slides ? g->s[e + 1] - g->s[e] : g->size;
    }
    if (r->natural_in_time) return;
    memcpy(natural, g->natural + 3 * (size_t)entry, 3 * sizeof *natural);
    if (entry != p->entry || entry == p->elements) return;
    double at = entry_length(g) / g->size;
    int e = (int)fmin(at, p->elements - 1);
    const double *k = g->natural + 3 * (size_t)e;
    u = at - e;
    for (int i = 0; i < 3; i++) natural[i] = k[i] + u * (k[i + 3] - k[i]);
}

static void feed_take_entry(sp_body *b, int entry) {
    sp_rod *r = sp__rod(b);
    sp_rod_part *p = &r->part[0];
    int before = p->entry;
    p->entry = entry;
    for (int i = r->model->unknowns(entry); i < r->model->unknowns(before); i++)
        if (b->fixed[i] == SP_MOVED) b->fixed[i] = SP_FREE;  // nodes that a user has pinned stay
    feed_lay(r->guide, p, entry, r->guide->s);
    if (before > 0 && before != entry) feed_measure(r, before);
    feed_measure(r, entry);
}

void sp__rod_feed_set(sp_body *b) {
    sp_rod *r = sp__rod(b);
    r->guide->kept.of = NULL;
    feed_take_entry(b, feed_entry_of(r->guide, &r->part[0]));
    sp__rod_changed(b);
}

// ------------------------------------------------------------------------------------------------ creation

static sp_status feed_reserve(sp_body *b, sp_rod_guide *g) {
    const sp_rod *r = sp__rod(b);
    size_t nodes = (size_t)r->nodes;
    if (SP_NEW(b->ctx, g->s, nodes) && SP_NEW(b->ctx, g->next, nodes) && SP_NEW(b->ctx, g->natural, 3 * nodes) &&
        SP_NEW(b->ctx, g->straight, b->nq) && sp__rod_kept_create(b, &g->kept) >= 0)
        return SP_OK;
    return SP_BODY_FAIL(b, SP_NO_MEMORY, "no memory for the feed of rod '%s'", b->name);
}

sp_status sp__rod_feed_create(sp_body *b, const sp_rod_def *def) {
    sp_rod *r = sp__rod(b);
    const sp_rod_strand *strand = &def->strands[0];
    const char *name = def->feed->name ? def->feed->name : "feed";
    if (!SP_NEW(b->ctx, r->guide, 1)) return SP_NO_MEMORY;
    sp_rod_guide *g = r->guide;
    g->def = *def->feed;
    g->rate[0] = sp_signal_value(&g->def.speed, 0), g->rate[1] = sp_signal_value(&g->def.spin, 0);
    snprintf(g->path[0], sizeof g->path[0], "%s.speed", name), snprintf(g->path[1], sizeof g->path[1], "%s.spin", name);
    double length = sp__norm3(g->def.direction);
    for (int k = 0; k < 3; k++) g->axis[k] = g->def.direction[k] / length;
    SP_TRY(feed_check_root(b->error, strand, &g->def, &g->behind));
    SP_TRY(feed_reserve(b, g));
    g->size = strand->length / strand->elements;
    g->range[0] = fmin(g->behind - strand->length, 0), g->range[1] = g->behind - g->size;
    memset(r->node_scratch, 0, 3 * (size_t)r->nodes * sizeof(double));
    r->model->bend(b, 0, &r->part[0].root, r->node_scratch, g->straight);
    memcpy(g->natural, r->natural, 3 * (size_t)r->nodes * sizeof(double));
    sp__rod_feed_set(b);
    return SP_OK;
}

void sp__rod_feed_free(sp_body *b) {
    sp_rod_guide *g = sp__rod(b)->guide;
    if (!g) return;
    sp__free(b->ctx, g->s), sp__free(b->ctx, g->next), sp__free(b->ctx, g->natural), sp__free(b->ctx, g->straight);
    sp__rod_kept_free(b, &g->kept);
    sp__free(b->ctx, g);
    sp__rod(b)->guide = NULL;
}

// The model has bent the rod from its root, straight up to the entry. Chords of curved elements are shorter than straight ones:
// held nodes move to their targets, the others move with the node at the entry.
void sp__rod_feed_start(sp_body *b) {
    sp_rod *r = sp__rod(b);
    const sp_rod_part *p = &r->part[0];
    double *q = b->q[SP_COMMITTED], *d = r->product;
    int step = sp__chain(b, 0)->v, held = r->model->unknowns(p->entry), entry = step * p->entry;
    memcpy(b->target, q, (size_t)b->nq * sizeof *q);
    sp__rod_feed_set_targets(b);
    r->model->difference(b, 0, q, b->target, d);
    memset(d + held, 0, (size_t)(p->nv - held) * sizeof *d);
    for (int i = p->entry + 1; i <= p->elements; i++) memcpy(d + step * i, d + entry, 3 * sizeof *d);
    r->model->move(b, 0, 1, q, 1, d, q);
}

// ------------------------------------------------------------------------------------------------ a step

// the nodes up to the entry point, on the axis and turned by the angle of the feed
void sp__rod_feed_set_targets(sp_body *b) {
    sp_rod *r = sp__rod(b);
    const sp_rod_guide *g = r->guide;
    const sp_rod_part *p = &r->part[0];
    double turn[3], R[9], place[3];
    for (int k = 0; k < 3; k++) turn[k] = g->fed[1] * g->axis[k];
    sp__rotvec_matrix(turn, R);
    memset(b->fixed, SP_MOVED, (size_t)r->model->unknowns(p->entry));
    for (int i = 0; i <= p->entry; i++) {
        sp__axpy3(g->def.at, g->s[i] - entry_length(g), g->axis, place);
        r->model->set_target(b, 0, i, g->straight, place, R, b->target);
    }
}

// Integral over the step by Simpson's rule, exact for cubic polynomials. A rate that does not vary in time is a parameter.
static double feed_integral(const sp_signal *s, double *rate, const sp_step *step) {
    if (!s->eval) return step->h * *rate;
    double start = sp_signal_value(s, step->time - step->h), middle = sp_signal_value(s, step->time - 0.5 * step->h);
    *rate = sp_signal_value(s, step->time);
    return step->h / 6 * (start + 4 * middle + *rate);
}

// moves nodes along the committed rod, as described above
static void feed_slide(sp_body *b) {
    sp_rod *r = sp__rod(b);
    sp_rod_guide *g = r->guide;
    const sp_rod_part *p = &r->part[0];
    int entry = feed_entry_of(g, p), first = 0, last = p->elements;
    feed_lay(g, p, entry, g->next);
    while (first <= last && g->s[first] == g->next[first]) first++;
    while (last > first && g->s[last] == g->next[last]) last--;
    if (first <= last && sp__rod_update_kinematics(b, 0, SP_COMMITTED, false) >= 0)
        r->model->slide(b, 0, first, last, g->s, g->next, b->q[SP_COMMITTED], b->v[SP_COMMITTED]);
    feed_take_entry(b, entry);
}

void sp__rod_feed(sp_body *b, const sp_step *step) {
    sp_rod_guide *g = sp__rod(b)->guide;
    if (!(step->h > 0)) return;
    g->kept.of = NULL;
    b->notice = NULL;
    if (b->frozen) return;
    double length = g->fed[0] + feed_integral(&g->def.speed, &g->rate[0], step),
           angle = feed_integral(&g->def.spin, &g->rate[1], step);
    double fed = fmin(fmax(length, g->range[0]), g->range[1]);
    if (isnan(length)) fed = NAN;
    if (fed == g->fed[0] && angle == 0) return;
    sp__rod_follow(b);
    sp__rod_keep(b, &g->kept);
    memcpy(g->kept_fed, g->fed, sizeof g->fed);
    if (fed < length && g->fed[0] < g->range[1])
        b->notice = "the feed stops: one element of the rod is left behind the entry point";
    if (fed > length && g->fed[0] > g->range[0]) b->notice = "the feed stops: the rod is back at its start";
    if (!isfinite(fed) || !isfinite(angle)) {
        const sp_chain *c = sp__chain(b, 0);
        b->q[SP_COMMITTED][c->q * sp__rod(b)->part[0].elements] = NAN;  // the signal is not finite: this makes the step fail
        return;
    }
    bool moved = fed != g->fed[0];
    g->fed[0] = fed, g->fed[1] += angle;
    if (!moved) return;
    feed_slide(b);
    sp__rod_changed(b);
}

void sp__rod_feed_undo(sp_body *b) {
    sp_rod_guide *g = sp__rod(b)->guide;
    if (!g || !sp__rod_keep_undo(b, &g->kept)) return;
    memcpy(g->fed, g->kept_fed, sizeof g->fed);
    sp__rod_feed_set(b);
}

// ------------------------------------------------------------------------------------------------ tiers and parameters

void sp__rod_feed_visit(sp_body *b, sp_tier tier, sp_visitor *v) {
    sp_rod_guide *g = sp__rod(b)->guide;
    if (tier == SP_TOPOLOGY) {
        v->array(v, "entry", g->def.at, sizeof(double), 3);
        v->array(v, "direction", g->axis, sizeof(double), 3);
    }
    if (tier == SP_PARAMETERS) v->array(v, "feed", g->rate, sizeof(double), 2);
    if (tier == SP_STATE) v->array(v, "fed", g->fed, sizeof(double), 2);
}

int sp__rod_param_count(sp_body *b) {
    return sp__body_param_count(b) + (sp__rod(b)->guide ? 2 : 0);
}

sp_param sp__rod_param_at(sp_body *b, int index) {
    int own = index - sp__body_param_count(b);
    if (own < 0) return sp__body_param_at(b, index);
    sp_rod_guide *g = sp__rod(b)->guide;
    return (sp_param){.spec = own == 0 ? &sp__rod_feed_speed : &sp__rod_feed_spin, .name = g->path[own], .value = &g->rate[own]};
}
