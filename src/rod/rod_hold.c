// Boundary conditions of a rod: clamped roots, fixed nodes, nodes that follow a pose, pins. Where a model has unknowns for a
// node, they are fixed. Curvature coordinates have them for the root only; other nodes are held by stiff springs.
#include "math/vec3.h"
#include "rod/rod.h"

enum { MOST_HELD = 12 };

// Displacement of a holding spring under the strand's own weight, relative to the strand's length. Stiffer springs do not hold
// better in motion: positions are not linear in curvatures, and the error of a step becomes a spring force.
static const double give = 1e-4;

// A node that follows a pose.
struct sp_rod_motion {
    int part, node;  // node: local to the part
    unsigned axes;
    double about[3], place[3];  // place: initial position
    sp_pose_signal pose;
};

int sp__rod_held(int first, unsigned axes, bool orientation, int *unknown) {
    int n = 0;
    for (int i = 0; i < 3; i++)
        if (axes >> i & 1) unknown[n++] = first + i;
    for (int i = 3; i < 6 && orientation && n >= 3; i++) unknown[n++] = first + i;
    return n;
}

// marks the unknowns of a node; false: the model has none
static bool hold_mark(sp_body *b, int part, int node, unsigned axes, unsigned char flag) {
    const sp_rod *r = sp__rod(b);
    int unknown[MOST_HELD], n = r->model->held(b, part, node, axes, unknown);
    for (int i = 0; i < n; i++) b->fixed[r->part[part].v + unknown[i]] = flag;
    return n > 0;
}

// ------------------------------------------------------------------------------------------------ by springs

static sp_status place_now(sp_body *b, int node, sp_anchor *at, double x[3]) {
    SP_TRY(sp__rod_anchor_node(b, node, at));
    sp__rod_points(b, SP_COMMITTED, 1, at, x, NULL);
    return SP_OK;
}

static double auto_stiffness(const sp_body *b, const sp_anchor *a) {
    const sp_rod *r = sp__rod(b);
    const sp_rod_part *p = &r->part[r->part_of[a->elem]];
    double length = 0, mass = 0, bend = 0;
    sp_rod_mass m;
    for (int i = 0; sp__rod_mass_next(b, r->part_of[a->elem], &i, &m);) mass += m.mass;
    for (int e = p->element; e < p->element + p->elements; e++) {
        const sp_rod_stiffness *s = sp__rod_stiffness(r, e);
        length += r->length[e], mass += s->line_density * r->length[e];
        bend = fmax(bend, fmax(s->bend[0], s->bend[1]));
    }
    // the weight, plus the force that bends the strand by its length
    return (10 * mass / length + 3 * bend / (length * length * length)) / give;
}

// a spring created by an edit belongs neither to the definition nor to a drag
static sp_status hold_by_spring(sp_body *b, int node, unsigned axes, double stiffness, bool edit) {
    sp_spring s = {.stiffness = stiffness, .axes = axes, .slot = -1, .active = true, .pin = true};
    if (edit) s.slot = INT32_MAX, s.source = UINT32_MAX;
    SP_TRY(place_now(b, node, &s.at, s.target));
    if (stiffness == 0) s.stiffness = auto_stiffness(b, &s.at);
    for (int a = 0; a < 3; a++) s.to[a] = sp_signal_constant(s.target[a]);
    return sp__loads_add_spring(b, &s);
}

// releases a node on some axes
static void release_springs(sp_body *b, int node, unsigned axes) {
    sp_anchor at;
    if (sp__rod_anchor_node(b, node, &at) < 0) return;
    for (int i = 0; i < b->loads.spring_count; i++) {
        sp_spring *s = &b->loads.springs[i];
        if (!s->pin || s->at.elem != at.elem || s->at.at[0] != at.at[0]) continue;
        s->axes &= ~axes;
        if (!s->axes) s->active = false;
    }
}

// ------------------------------------------------------------------------------------------------ creation

static sp_status hold_add_fix(sp_body *b, const sp_rod_def *def, const sp_fix *fix) {
    const sp_rod *r = sp__rod(b);
    for (int i = 0; i < fix->count; i++) {
        int node = sp__rod_number(r, def, fix->nodes[i], true);
        int part = sp__rod_part_of_node(r, node);
        if (fix->stiffness == 0 && hold_mark(b, part, node - r->part[part].node, fix->axes, SP_HELD)) continue;
        SP_TRY(hold_by_spring(b, node, fix->axes, fix->stiffness, false));
    }
    return SP_OK;
}

static sp_status hold_add_motion(sp_body *b, const sp_rod_def *def, const sp_move *move, int number) {
    sp_rod *r = sp__rod(b);
    int node = sp__rod_number(r, def, number, true);
    int part = sp__rod_part_of_node(r, node);
    sp_rod_motion *m = &r->motion[r->motions];
    *m = (sp_rod_motion){.part = part, .node = node - r->part[part].node, .axes = move->axes, .pose = move->pose};
    memcpy(m->about, move->about, sizeof m->about);
    memcpy(m->place, r->rest + 3 * (size_t)node, sizeof m->place);
    if (!hold_mark(b, part, m->node, m->axes, SP_MOVED))
        return SP_BODY_FAIL(b, SP_BAD_INPUT, "move of '%s': node %d, but only the root of a %s can be moved; pull the others",
                            b->name, number, r->model->name);
    r->motions++;
    return SP_OK;
}

static sp_status add_moves(sp_body *b, const sp_rod_def *def) {
    sp_rod *r = sp__rod(b);
    size_t count = 0;
    for (int i = 0; i < def->move_count; i++) count += (size_t)def->moves[i].count;
    if (!SP_NEW(b->ctx, r->motion, count + 1)) return SP_NO_MEMORY;
    for (int i = 0; i < def->move_count; i++)
        for (int k = 0; k < def->moves[i].count; k++) SP_TRY(hold_add_motion(b, def, &def->moves[i], def->moves[i].nodes[k]));
    return SP_OK;
}

sp_status sp__rod_hold_create(sp_body *b, const sp_rod_def *def) {
    const sp_rod *r = sp__rod(b);
    for (int p = 0; p < r->parts && !def->free_root; p++) hold_mark(b, p, 0, SP_AXES_ALL, SP_HELD);
    for (int i = 0; i < def->fix_count; i++) SP_TRY(hold_add_fix(b, def, &def->fixes[i]));
    SP_TRY(add_moves(b, def));
    sp__rod_set_targets(b, 0);
    return SP_OK;
}

void sp__rod_hold_free(sp_body *b) {
    sp__free(b->ctx, sp__rod(b)->motion);
}

// ------------------------------------------------------------------------------------------------ prescribed motion

// nodes that an edit pinned or released no longer follow the pose
static bool hold_follows(const sp_body *b, const sp_rod_motion *m) {
    const sp_rod *r = sp__rod(b);
    int unknown[MOST_HELD], n = r->model->held((sp_body *)b, m->part, m->node, m->axes, unknown);
    for (int i = 0; i < n; i++)
        if (b->fixed[r->part[m->part].v + unknown[i]] == SP_MOVED) return true;
    return false;
}

void sp__rod_set_targets(sp_body *b, double t) {
    const sp_rod *r = sp__rod(b);
    memcpy(b->target, r->hold, (size_t)b->nq * sizeof(double));
    for (int i = 0; i < r->motions; i++) {
        const sp_rod_motion *m = &r->motion[i];
        if (!hold_follows(b, m)) continue;
        sp_pose pose = sp_pose_signal_value(&m->pose, t);
        const sp_rod_part *p = &r->part[m->part];
        double R[9], arm[3], place[3];
        sp__quat_matrix(pose.quat, R);
        sp__sub3(m->place, m->about, arm);
        sp__mul3(R, arm, place);
        for (int a = 0; a < 3; a++) place[a] += m->about[a] + pose.translate[a];
        r->model->set_target(b, m->part, m->node, r->start + p->q, place, R, b->target + p->q);
    }
    if (r->guide) sp__rod_feed_set_targets(b);
}

sp_status sp__rod_pin(sp_body *b, int node, unsigned axes, bool hold) {
    static const double same[9] = {1, 0, 0, 0, 1, 0, 0, 0, 1};
    sp_rod *r = sp__rod(b);
    sp_anchor at;
    double x[3];
    if (node < 0 || node >= r->nodes)
        return SP_BODY_FAIL(b, SP_BAD_INPUT, "pin of '%s': node %d, must be in [0, %d]", b->name, node, r->nodes - 1);
    int part = sp__rod_part_of_node(r, node), local = node - r->part[part].node, q = r->part[part].q;
    release_springs(b, node, axes);
    if (hold_mark(b, part, local, axes, hold ? SP_HELD : SP_FREE)) {
        SP_TRY(place_now(b, node, &at, x));
        if (hold) r->model->set_target(b, part, local, b->q[SP_COMMITTED] + q, x, same, r->hold + q);
    } else if (hold) {
        SP_TRY(hold_by_spring(b, node, axes, 0, true));
    }
    b->retune = true;
    return SP_OK;
}
