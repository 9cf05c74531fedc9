// Growth between steps: rods that lengthen at their tips, like climbing plants (Casati 2015, section 5.3).
//
//   tip    the last element lengthens. It is halved when it reaches `split` and growth continues. The old part keeps its
//          curvature exactly: affine curvature continues as the same affine function, constant curvature as the same constant.
//   scale  the number of elements stays and all lengthen by the same factor; nodes slide towards the tip and take the curvature
//          of their new position.
//
//        a            c           lengthen            halve
//   -----o------------o     ->  --o--------------o  ->  o-------o-------o
//
// Natural curvature is affine between nodes, so it cannot jump where new material begins. It is the least squares fit of the old
// curvature up to the old tip and `curvature` beyond, with the node before the tip fixed. This preserves a moment about that
// node, so many short steps give the same result as one long step.
//
// The committed state changes at the start of a step, in prescribe, and is restored bit for bit from copies if the step fails.
#include "rod/rod.h"

enum { MOST = 1 << 20 };  // maximum number of elements of a strand

typedef struct place {  // of a load
    int element;
    double at;
} place;

typedef struct sp_rod_growth {
    sp_rod_grow def;
    double *split;  // parts
    // state before the last growth, for undo
    sp_rod_kept kept;
    int *alive;
    place *load;
} sp_rod_growth;

// ---------------------------------------------------------------------------------------------------- creation

// number of elements when the strand has length `until`, if its last element is halved at `split`
static double elements_at_end(double length, int elements, double split, double until) {
    double last = length / elements, n = elements;
    for (; last >= split; last /= 2) n++;
    double left = until - length - (split - last);
    return left > 0 ? n + ceil(left / (0.5 * split) * (1 + 1e-9)) : n;
}

static double split_of(const sp_rod_grow *def, double length, int elements) {
    return def->split > 0 ? def->split : 1.5 * length / elements;
}

static bool grow_sensible(const sp_rod_grow *def, double length) {
    return def->split >= 0 && isfinite(def->split) && isfinite(def->until) && def->until >= length && length > 0;
}

// sp__rod_grow_create checks the values later
int sp__rod_grow_reserve(const sp_rod_grow *def, double length, int elements) {
    if (!def || def->mode != SP_GROW_TIP || elements < 1 || !grow_sensible(def, length)) return elements;
    double n = elements_at_end(length, elements, split_of(def, length, elements), def->until);
    return n <= MOST ? (int)n : elements;
}

static double strand_length(const double *length, int first, int count) {
    double sum = 0;
    for (int e = first; e < first + count; e++) sum += length[e];
    return sum;
}

static sp_status check_signal(sp_body *b, const char *name, const sp_signal *s, double low) {
    if (s->eval || (isfinite(s->constant) && s->constant >= low)) return SP_OK;
    return SP_BODY_FAIL(b, SP_BAD_INPUT, "rod '%s': grow: %s = %g, must be finite%s", b->name, name, s->constant,
                        low == 0 ? " and >= 0" : "");
}

static sp_status grow_check_part(sp_body *b, const sp_rod_grow *def, int p) {
    const sp_rod_part *part = &sp__rod(b)->part[p];
    double length = strand_length(sp__rod(b)->length, part->element, part->alive);
    if (!(def->until >= length * (1 - 1e-12)))
        return SP_BODY_FAIL(b, SP_BAD_INPUT, "rod '%s': grow: until = %g, must be at least the length %g of strand %d", b->name,
                            def->until, length, p);
    if (def->mode == SP_GROW_SCALE) return SP_OK;
    double n = elements_at_end(length, part->alive, split_of(def, length, part->alive), def->until);
    if (n > MOST)
        return SP_BODY_FAIL(b, SP_BAD_INPUT, "rod '%s': grow: split = %g makes %.0f elements of strand %d, may be at most %d",
                            b->name, def->split, n, p, MOST);
    return SP_OK;
}

static sp_status grow_check(sp_body *b, const sp_rod_grow *def) {
    const sp_rod *rod = sp__rod(b);
    if (!rod->model->grows)
        return SP_BODY_FAIL(b, SP_BAD_INPUT, "rod '%s': model %s does not grow, only clothoid and helix do", b->name,
                            rod->model->name);
    if (def->mode != SP_GROW_TIP && def->mode != SP_GROW_SCALE)
        return SP_BODY_FAIL(b, SP_BAD_INPUT, "rod '%s': grow: mode %d is unknown", b->name, (int)def->mode);
    if (!isfinite(def->until))
        return SP_BODY_FAIL(b, SP_BAD_INPUT, "rod '%s': grow: until = %g, must be finite", b->name, def->until);
    if (!(def->split >= 0) || !isfinite(def->split))
        return SP_BODY_FAIL(b, SP_BAD_INPUT, "rod '%s': grow: split = %g, must be finite and >= 0", b->name, def->split);
    SP_TRY(check_signal(b, "rate", &def->rate, 0));
    for (int a = 0; a < 3; a++) SP_TRY(check_signal(b, "curvature", &def->curvature[a], -INFINITY));
    for (int p = 0; p < rod->parts; p++) SP_TRY(grow_check_part(b, def, p));
    return SP_OK;
}

static sp_status grow_reserve(sp_body *b, sp_rod_growth *g) {
    const sp_rod *rod = sp__rod(b);
    SP_NEW(b->ctx, g->split, rod->parts), SP_NEW(b->ctx, g->alive, rod->parts);
    SP_NEW(b->ctx, g->load, rod->loads + 1);
    if (g->split && g->alive && g->load && sp__rod_kept_create(b, &g->kept) >= 0) return SP_OK;
    return SP_BODY_FAIL(b, SP_NO_MEMORY, "no memory for the growth of rod '%s'", b->name);
}

// Controls are curvature vectors, one per node (clothoid) or element (helix); they are the last unknowns of a strand.
static bool grow_affine(const sp_rod *rod) {
    return rod->which == SP_ROD_CLOTHOID;
}

static int grow_controls(const sp_rod *rod, int elements) {
    return elements + (grow_affine(rod) ? 1 : 0);
}

static int first_q(const sp_rod *rod, const sp_rod_part *part) {
    return part->q + part->nq - 3 * grow_controls(rod, part->elements);
}

static int first_v(const sp_rod *rod, const sp_rod_part *part) {
    return part->v + part->nv - 3 * grow_controls(rod, part->elements);
}

static void fix_inactive(sp_body *b, const sp_rod_part *part) {
    const sp_rod *rod = sp__rod(b);
    int born = 3 * grow_controls(rod, part->alive), all = 3 * grow_controls(rod, part->elements);
    memset(b->fixed + first_v(rod, part), 0, (size_t)born);
    memset(b->fixed + first_v(rod, part) + born, 1, (size_t)(all - born));
}

sp_status sp__rod_grow_create(sp_body *b, const sp_rod_grow *def) {
    sp_rod *rod = sp__rod(b);
    SP_TRY(grow_check(b, def));
    SP_NEW(b->ctx, rod->growth, 1);
    if (!rod->growth) return SP_BODY_FAIL(b, SP_NO_MEMORY, "no memory for the growth of rod '%s'", b->name);
    rod->growth->def = *def;
    SP_TRY(grow_reserve(b, rod->growth));
    for (int p = 0; p < rod->parts; p++) {
        const sp_rod_part *part = &rod->part[p];
        rod->growth->split[p] = split_of(def, strand_length(rod->length, part->element, part->alive), part->alive);
        fix_inactive(b, part);
    }
    return SP_OK;
}

void sp__rod_grow_free(sp_body *b) {
    sp_rod_growth *g = sp__rod(b)->growth;
    if (!g) return;
    sp__free(b->ctx, g->split), sp__free(b->ctx, g->alive), sp__free(b->ctx, g->load);
    sp__rod_kept_free(b, &g->kept);
    sp__free(b->ctx, g);
    sp__rod(b)->growth = NULL;
}

// ---------------------------------------------------------------------------------------------------- one strand

typedef struct strand {
    sp_rod *rod;
    sp_rod_part *part;
    unsigned char *fixed;     // per control
    double *q, *v, *natural;  // 3 x controls; natural: 3 x nodes
    double *length;
} strand;

static strand grow_strand_of(sp_body *b, int p) {
    sp_rod *rod = sp__rod(b);
    sp_rod_part *part = &rod->part[p];
    return (strand){.rod = rod,
                    .part = part,
                    .fixed = b->fixed + first_v(rod, part),
                    .q = b->q[SP_COMMITTED] + first_q(rod, part),
                    .v = b->v[SP_COMMITTED] + first_v(rod, part),
                    .natural = rod->natural + 3 * (size_t)part->node,
                    .length = rod->length + part->element};
}

// End value of the affine function from `start` that best fits (start .. end) over `length` and k from there to `longer`.
static double nearest_end(double start, double end, double length, double longer, double k) {
    double x = length / longer;
    return start + (end - start) * x * x + 1.5 * (k - start) * (1 - x * x);
}

// ---------------------------------------------------------------------------------------------------- tip

static void grow_lengthen(const strand *s, double d, const double k[3]) {
    int e = s->part->alive - 1, tip = 3 * s->part->alive;
    double l = s->length[e], longer = l + d;
    for (int i = tip; i < tip + 3; i++) {
        s->natural[i] = nearest_end(s->natural[i - 3], s->natural[i], l, longer, k[i - tip]);
        if (!grow_affine(s->rod)) continue;
        s->q[i] += (s->q[i] - s->q[i - 3]) * (d / l);
        s->v[i] += (s->v[i] - s->v[i - 3]) * (d / l);
    }
    s->length[e] = longer;
}

// adds a node: the last value moves on, and the mean of its neighbours takes its place
static void divide_affine(double *x, int tip) {
    for (int i = tip; i < tip + 3; i++) {
        x[i + 3] = x[i];
        x[i] = x[i - 3] + 0.5 * (x[i] - x[i - 3]);
    }
}

static void grow_halve(const strand *s) {
    int e = s->part->alive - 1, tip = 3 * s->part->alive;
    divide_affine(s->natural, tip);
    if (grow_affine(s->rod)) {
        divide_affine(s->q, tip), divide_affine(s->v, tip);
        memset(s->fixed + tip + 3, 0, 3);
    } else {
        memcpy(s->q + tip, s->q + tip - 3, 3 * sizeof *s->q), memcpy(s->v + tip, s->v + tip - 3, 3 * sizeof *s->v);
        memset(s->fixed + tip, 0, 3);
    }
    s->length[e] *= 0.5;
    s->length[e + 1] = s->length[e];
    s->part->alive++;
}

static void grow_tip(const strand *s, double amount, double split, const double k[3]) {
    while (amount > 0) {
        bool full = s->part->alive == s->part->elements;
        double left = fmax(split - s->length[s->part->alive - 1], 0), d = full ? amount : fmin(amount, left);
        if (d > 0) grow_lengthen(s, d, k);
        amount -= d;
        if (amount > 0) grow_halve(s);
    }
}

// ---------------------------------------------------------------------------------------------------- scale

// A function along the strand before growth, and a cursor.
typedef struct along {
    const double *length, *x;  // per element; 3 x nodes, or 3 x elements
    int count, e;
    double from;  // start of e
} along;

static void advance_to(along *a, double s) {
    while (a->e + 1 < a->count && s > a->from + a->length[a->e]) a->from += a->length[a->e++];
}

// value at s, which may lie beyond the tip
static void affine_at(along *a, double s, double out[3]) {
    advance_to(a, s);
    const double *x = a->x + 3 * (size_t)a->e;
    for (int i = 0; i < 3; i++) out[i] = x[i] + (x[i + 3] - x[i]) * ((s - a->from) / a->length[a->e]);
}

// mean over [from, to]; beyond the tip the last element is extrapolated
static void mean_between(along *a, double from, double to, double out[3]) {
    advance_to(a, from);
    const double *first = a->x + 3 * (size_t)a->e;
    double sum[3] = {0};
    for (double s = from; s < to;) {
        const double *x = a->x + 3 * (size_t)a->e;
        double end = a->e + 1 < a->count ? fmin(to, a->from + a->length[a->e]) : to;
        for (int i = 0; i < 3; i++) sum[i] += (end - s) * (x[i] - first[i]);
        s = end;
        if (s < to) advance_to(a, nextafter(s, to));
    }
    for (int i = 0; i < 3; i++) out[i] = first[i] + sum[i] / (to - from);
}

// nodes of the longer strand take the curvature of the old one
static void slide_affine(const strand *s, const double *old, const double *was, double ratio, double *x) {
    along a = {.length = was, .x = old, .count = s->part->alive};
    double at = 0;
    for (int n = 0; n <= s->part->alive; n++) {
        affine_at(&a, at * ratio, x + 3 * (size_t)n);
        if (n < s->part->alive) at += was[n];
    }
}

static void slide_constant(const strand *s, const double *old, const double *was, double ratio, double *x) {
    along a = {.length = was, .x = old, .count = s->part->alive};
    double at = 0;
    for (int e = 0; e < s->part->alive; at += was[e++]) mean_between(&a, at * ratio, (at + was[e]) * ratio, x + 3 * (size_t)e);
}

// the last element now begins at `from`, inside the old strand unless it grew a lot at once
static void natural_at_tip(const strand *s, const double *old, double from, double length, double longer, const double k[3]) {
    double *tip = s->natural + 3 * (size_t)s->part->alive;
    const double *end = old + 3 * (size_t)s->part->alive;
    for (int i = 0; i < 3; i++)
        tip[i] = from < length ? nearest_end(tip[i - 3], end[i], length - from, longer - from, k[i]) : k[i];
}

static void grow_scale(sp_body *b, int p, double amount, const double k[3]) {
    strand s = grow_strand_of(b, p);
    const sp_rod_growth *g = s.rod->growth;
    const double *q = g->kept.q + first_q(s.rod, s.part), *v = g->kept.v + first_v(s.rod, s.part);
    const double *natural = g->kept.natural + 3 * (size_t)s.part->node, *was = g->kept.length + s.part->element;
    double length = strand_length(was, 0, s.part->alive), longer = length + amount, ratio = longer / length;
    slide_affine(&s, natural, was, ratio, s.natural);
    natural_at_tip(&s, natural, longer - was[s.part->alive - 1] * ratio, length, longer, k);
    if (grow_affine(s.rod))
        slide_affine(&s, q, was, ratio, s.q), slide_affine(&s, v, was, ratio, s.v);
    else
        slide_constant(&s, q, was, ratio, s.q), slide_constant(&s, v, was, ratio, s.v);
    for (int e = 0; e < s.part->alive; e++) s.length[e] *= ratio;
}

// ---------------------------------------------------------------------------------------------------- anchors on a growing rod

// Updates an anchor so that it stays at the same material point. The start of the first element not in use is the tip; other
// positions on elements not in use follow the tip.
static void grow_follow(const sp_rod *rod, int *element, double *at) {
    const sp_rod_growth *g = rod->growth;
    const sp_rod_part *part = &rod->part[rod->part_of[*element]];
    int alive = g->alive[rod->part_of[*element]], e = *element - part->element;
    const double *was = g->kept.length + part->element, *now = rod->length + part->element;
    if (e > alive || (e == alive && *at > 0)) {
        *at = 1;
        return;
    }
    int first = 0;
    while (first < alive && was[first] == now[first]) first++;
    if (e < first || first == alive) return;
    double s = strand_length(was, first, e - first) + *at * was[e];
    for (e = first; e + 1 < part->alive && s > now[e]; e++) s -= now[e];
    *element = part->element + e;
    *at = fmin(s / now[e], 1);
}

static void anchor_follow(const sp_rod *rod, sp_anchor *at) {
    int element = (int)at->elem;
    grow_follow(rod, &element, &at->at[0]);
    at->elem = (uint32_t)element;
}

static void follow_all(sp_body *b) {
    sp_rod *rod = sp__rod(b);
    for (int i = 0; i < rod->loads; i++)
        if (rod->load[i].type != SP_LOAD_ACCELERATION) grow_follow(rod, &rod->load[i].element, &rod->load[i].at);
    for (int i = 0; i < b->loads.spring_count; i++) anchor_follow(rod, &b->loads.springs[i].at);
    for (int i = 0; i < b->loads.mass_count; i++)
        for (int k = 0; k < b->loads.masses[i].count; k++) anchor_follow(rod, &b->loads.masses[i].at[k]);
}

// ---------------------------------------------------------------------------------------------------- growth and undo

static void grow_keep(sp_body *b) {
    sp_rod *rod = sp__rod(b);
    sp_rod_growth *g = rod->growth;
    sp__rod_keep(b, &g->kept);
    for (int p = 0; p < rod->parts; p++) g->alive[p] = rod->part[p].alive;
    for (int i = 0; i < rod->loads; i++) g->load[i] = (place){rod->load[i].element, rod->load[i].at};
    for (int i = 0; i < b->loads.spring_count; i++) b->loads.springs[i].before = b->loads.springs[i].at;
    for (int i = 0; i < b->loads.mass_count; i++) {
        const sp_point_mass *m = &b->loads.masses[i];
        memcpy(m->before, m->at, (size_t)m->count * sizeof *m->at);
    }
}

void sp__rod_grow_undo(sp_body *b) {
    sp_rod *rod = sp__rod(b);
    sp_rod_growth *g = rod->growth;
    if (!g || !sp__rod_keep_undo(b, &g->kept)) return;
    for (int p = 0; p < rod->parts; p++) rod->part[p].alive = rod->alive[p] = g->alive[p];
    for (int i = 0; i < rod->loads; i++) rod->load[i].element = g->load[i].element, rod->load[i].at = g->load[i].at;
    for (int i = 0; i < b->loads.spring_count; i++) b->loads.springs[i].at = b->loads.springs[i].before;
    for (int i = 0; i < b->loads.mass_count; i++) {
        const sp_point_mass *m = &b->loads.masses[i];
        memcpy(m->at, m->before, (size_t)m->count * sizeof *m->at);
    }
}

// remaining growth of a strand; a remainder of the size of rounding counts as zero
static double grow_left(const sp_rod *rod, int p) {
    double d = rod->growth->def.until - strand_length(rod->length, rod->part[p].element, rod->part[p].alive);
    return d > 1e-12 * rod->growth->def.until ? d : 0;
}

static bool any_left(const sp_rod *rod) {
    for (int p = 0; p < rod->parts; p++)
        if (grow_left(rod, p) > 0) return true;
    return false;
}

static void grow_part(sp_body *b, int p, double amount, const double k[3]) {
    sp_rod *rod = sp__rod(b);
    strand s = grow_strand_of(b, p);
    double d = fmin(amount, grow_left(rod, p));
    if (!(d > 0)) return;
    if (rod->growth->def.mode == SP_GROW_TIP)
        grow_tip(&s, d, rod->growth->split[p], k);
    else
        grow_scale(b, p, d, k);
    rod->alive[p] = rod->part[p].alive;
}

void sp__rod_grow(sp_body *b, const sp_step *step) {
    sp_rod *rod = sp__rod(b);
    sp_rod_growth *g = rod->growth;
    if (!g || !(step->h > 0)) return;
    g->kept.of = NULL;
    double middle = step->time - 0.5 * step->h, amount = step->h * sp_signal_value(&g->def.rate, middle), k[3];
    if (b->frozen || amount <= 0 || !any_left(rod)) return;
    for (int a = 0; a < 3; a++) k[a] = sp_signal_value(&g->def.curvature[a], middle);
    grow_keep(b);
    if (isfinite(amount))
        for (int p = 0; p < rod->parts; p++) grow_part(b, p, amount, k);
    else
        rod->natural[0] = NAN;  // the signal is not finite: this makes the step fail
    follow_all(b);
    sp__rod_changed(b);
}

// sets the element lengths; the last element with a positive length is the tip
void sp__rod_grow_set(sp_body *b, const double *length) {
    sp_rod *rod = sp__rod(b);
    memcpy(rod->length, length, (size_t)rod->elements * sizeof *length);
    for (int p = 0; p < rod->parts; p++) {
        sp_rod_part *part = &rod->part[p];
        int alive = part->elements;
        while (alive > 1 && !(length[part->element + alive - 1] > 0)) alive--;
        part->alive = rod->alive[p] = alive;
        fix_inactive(b, part);
    }
    rod->growth->kept.of = NULL;
    sp__rod_changed(b);
}

void sp__rod_grow_visit(sp_body *b, sp_tier tier, sp_visitor *v) {
    sp_rod *rod = sp__rod(b);
    sp_rod_growth *g = rod->growth;
    if (!g) return;
    if (tier == SP_TOPOLOGY) {
        v->array(v, "until", &g->def.until, sizeof g->def.until, 1);
        v->array(v, "split", g->split, sizeof *g->split, (size_t)rod->parts);
    }
    for (int i = 0; tier == SP_STATE && i < rod->loads; i++) {
        v->array(v, "load-element", &rod->load[i].element, sizeof rod->load[i].element, 1);
        v->array(v, "load-at", &rod->load[i].at, sizeof rod->load[i].at, 1);
    }
    for (int i = 0; tier == SP_STATE && i < b->loads.mass_count; i++)
        v->array(v, "mass-at", b->loads.masses[i].at, sizeof(sp_anchor), (size_t)b->loads.masses[i].count);
}
