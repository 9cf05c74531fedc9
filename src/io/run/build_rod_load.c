// Boundary conditions and loads of a rod: fix, move, load, pull and grow of the scene as the lists of a sp_rod_def. An element
// inside a strand acts on that strand. Directions are in world coordinates, positions in the strand's own coordinates, except the
// target of a spring.
#include "io/run/build_rod.h"
#include "math/vec3.h"

typedef struct lists {
    sp_run *run;
    const sp_run_body *body;
    sp_fix *fix;
    sp_move *move;
    sp_load *load;
    sp_spring_def *pull;
    int fixes, moves, loads, pulls;
    size_t fix_capacity, move_capacity, load_capacity, pull_capacity;
} lists;

#define ADD(l, list, count, capacity) SP_KEEP_MORE(&(l)->run->scratch, (l)->list, (l)->count, &(l)->capacity)

// ------------------------------------------------------------------------------------------------ fixed and prescribed nodes

static sp_status add_fix(lists *l, const sp_scene_node *node) {
    int *nodes, count;
    SP_TRY(sp__build_select(l->run, l->body, node, SP_SELECT_NODES, &nodes, &count));
    if (!count) return SP_OK;
    if (!ADD(l, fix, fixes, fix_capacity)) return sp__build_no_memory(l->run);
    l->fix[l->fixes++] = (sp_fix){nodes, count, sp__build_axes(node), sp__build_number(node, "stiffness", 0)};
    return SP_OK;
}

// the default selection is the root
static sp_status add_move(lists *l, int strand, const sp_scene_node *node) {
    const double origin[3] = {0, 0, 0};
    const sp_attr *about = sp__build_attr(node, "about");
    const double *centre = about ? about->numbers : origin;
    int *nodes = &l->body->rod->first_node[strand], count = 1;
    sp_move move = {.axes = sp__build_axes(node)};
    if (sp__selects(node)) SP_TRY(sp__build_select(l->run, l->body, node, SP_SELECT_NODES, &nodes, &count));
    if (strand > 0 && l->body->rod->grows)
        return SP_BUILD_FAIL(l->run, node, NULL, "strands that grow at their tips cannot be moved; mode=\"scale\" keeps nodes");
    if (!count) return SP_OK;
    move.nodes = nodes, move.count = count;
    if (sp__build_is(node, "frame", "world"))
        memcpy(move.about, centre, sizeof move.about);
    else
        sp__place_point(&l->body->rod->rest->place[strand], centre, move.about);
    SP_TRY(sp__build_motion(l->run, node, &move.pose));
    if (!ADD(l, move, moves, move_capacity)) return sp__build_no_memory(l->run);
    l->move[l->moves++] = move;
    return SP_OK;
}

// A body that moves by T(t) moves the roots on it by T(t) T(0)^-1.
typedef struct root_motion {
    sp_pose_signal body;
    sp_pose back;
} root_motion;

static sp_pose inverse_pose(const sp_pose *p) {
    sp_pose out = {{0}, {p->quat[0], -p->quat[1], -p->quat[2], -p->quat[3]}};
    double R[9];
    sp__quat_matrix(out.quat, R);
    sp__mul3(R, p->translate, out.translate);
    for (int k = 0; k < 3; k++) out.translate[k] = -out.translate[k];
    return out;
}

static void eval_root_motion(const void *user, double t, sp_pose *out) {
    const root_motion *c = user;
    sp_pose now = sp_pose_signal_at(&c->body, t);
    *out = sp__pose_mul(&now, &c->back);
}

// prescribes roots that are scattered over a moving body; all strands of a body are on the same one
static sp_status carry_roots(lists *l) {
    const sp_run_rod *rod = l->body->rod;
    const sp_run_body *under = sp__scattered_over(l->run, rod->node[0]);
    root_motion *c;
    int *roots;
    if (!under || !under->rigid.kinematic) return SP_OK;
    if (rod->strands > 1 && rod->grows)
        return SP_BUILD_FAIL(l->run, rod->node[0], NULL,
                             "strands that grow at their tips cannot be carried; mode=\"scale\" keeps nodes");
    if (l->moves)
        return SP_BUILD_FAIL(l->run, sp__next_child(rod->node[0], "move", NULL), NULL,
                             "its root is carried by \"%s\" already, over which it is scattered", under->node->path);
    if (sp__build_is(rod->node[0], "root", "free"))
        return SP_BUILD_FAIL(l->run, rod->node[0], "root",
                             "its root is free: \"%s\", over which it is scattered, cannot carry it", under->node->path);
    if (!SP_KEEP(&l->run->keep, c, 1) || !SP_KEEP(&l->run->scratch, roots, rod->strands) || !ADD(l, move, moves, move_capacity))
        return sp__build_no_memory(l->run);
    sp_pose start = sp_pose_signal_at(&under->rigid.pose, 0);
    *c = (root_motion){under->rigid.pose, inverse_pose(&start)};
    memcpy(roots, rod->first_node, (size_t)rod->strands * sizeof *roots);
    l->move[l->moves++] = (sp_move){roots, rod->strands, SP_AXES_ALL, {0, 0, 0}, {eval_root_motion, c, sp_pose_identity()}};
    return SP_OK;
}

// ------------------------------------------------------------------------------------------------ loads

// a signal times a factor
typedef struct share {
    sp_signal whole;
    double part;
} share;

static double eval_share(const void *user, double t) {
    const share *s = user;
    return s->part * sp_signal_at(&s->whole, t);
}

static sp_status shared(sp_run *run, sp_signal whole, double part, sp_signal *out) {
    share *s;
    *out = sp_signal_constant(part * whole.constant);
    if (!whole.eval || part == 1) {
        if (whole.eval) *out = whole;
        return SP_OK;
    }
    if (!SP_KEEP(&run->keep, s, 1)) return sp__build_no_memory(run);
    *s = (share){whole, part};
    *out = (sp_signal){eval_share, s, part * whole.constant};
    return SP_OK;
}

enum { FORCE, EACH, TORQUE, ACCELERATION };
static const char *const kinds[] = {"force", "each", "torque", "acceleration"};
static const sp_load_type types[] = {SP_LOAD_FORCE, SP_LOAD_FORCE, SP_LOAD_TORQUE, SP_LOAD_ACCELERATION};

static int load_kind(const sp_scene_node *node) {
    int i = FORCE;
    while (i < ACCELERATION && !sp__build_given(node, kinds[i])) i++;
    return i;
}

static sp_status add_load(lists *l, int strand, const sp_scene_node *node) {
    sp_rod_spot *spots = NULL;
    int count = 1, kind = load_kind(node);
    bool everywhere = kind == ACCELERATION;
    if (everywhere && strand > 0) return SP_OK;  // acts on the whole body: added once
    if (!everywhere) SP_TRY(sp__rod_spots(l->run, l->body, node, &spots, &count));
    double part = count && kind != EACH && !everywhere ? 1.0 / count : 1;
    for (int i = 0; i < count; i++) {
        sp_load load = {.type = types[kind]};
        if (spots) load.at = (sp_anchor){.elem = (uint32_t)spots[i].element, .at = {spots[i].at}};
        for (int k = 0; k < 3; k++) SP_TRY(shared(l->run, sp__attr_signal(node, kinds[kind], k), part, &load.value[k]));
        if (!ADD(l, load, loads, load_capacity)) return sp__build_no_memory(l->run);
        l->load[l->loads++] = load;
    }
    return SP_OK;
}

static sp_status add_pull(lists *l, const sp_scene_node *node) {
    sp_rod_spot *spots;
    int count;
    SP_TRY(sp__rod_spots(l->run, l->body, node, &spots, &count));
    for (int i = 0; i < count; i++) {
        sp_spring_def pull = {.at = {.elem = (uint32_t)spots[i].element, .at = {spots[i].at}},
                              .stiffness = sp__build_number(node, "stiffness", 100),
                              .damping = sp__build_number(node, "damping", 0)};
        for (int k = 0; k < 3; k++) pull.to[k] = sp__attr_signal(node, "to", k);
        if (!ADD(l, pull, pulls, pull_capacity)) return sp__build_no_memory(l->run);
        l->pull[l->pulls++] = pull;
    }
    return SP_OK;
}

static sp_status strand_lists(lists *l, int strand) {
    const sp_scene_node *rod = l->body->rod->node[strand];
    for (const sp_scene_node *c = NULL; (c = sp__next_child(rod, "fix", c));) SP_BUILD(add_fix(l, c));
    for (const sp_scene_node *c = NULL; (c = sp__next_child(rod, "move", c));) SP_BUILD(add_move(l, strand, c));
    for (const sp_scene_node *c = NULL; (c = sp__next_child(rod, "load", c));) SP_BUILD(add_load(l, strand, c));
    for (const sp_scene_node *c = NULL; (c = sp__next_child(rod, "pull", c));) SP_BUILD(add_pull(l, c));
    return SP_OK;
}

// ------------------------------------------------------------------------------------------------ growth

static sp_status build_grow(sp_run *run, const sp_run_body *body, sp_rod_def *def) {
    const sp_scene_node *node = sp__next_child(body->node, "grow", NULL);
    sp_rod_grow *grow;
    if (!node) return SP_OK;
    if (!SP_KEEP(&run->scratch, grow, 1)) return sp__build_no_memory(run);
    grow->mode = sp__build_is(node, "mode", "scale") ? SP_GROW_SCALE : SP_GROW_TIP;
    grow->rate = sp__attr_signal(node, "rate", 0);
    grow->until = sp__build_number(node, "until", 0);
    grow->split = sp__build_number(node, "split", 0);
    for (int k = 0; k < 3; k++) grow->curvature[k] = sp__attr_signal(node, "curvature", k);
    for (int i = 0; i < body->rod->strands; i++)
        if (grow->until < body->rod->length[i])
            return SP_BUILD_FAIL(run, node, "until", "until = %g, must be at least the length of \"%s\", %g", grow->until,
                                 body->rod->node[i]->path, body->rod->length[i]);
    if (grow->mode == SP_GROW_TIP && grow->split == 0)
        sp__scene_note_auto(run->scene, node, "split", "%.6g m: 1.5 times the first length of an element",
                            1.5 * body->rod->length[0] / body->rod->first_element[1]);
    def->grow = grow;
    return SP_OK;
}

// ------------------------------------------------------------------------------------------------ all conditions

// an equilibrium is unique only if the rod is supported; contact may be a support too
static sp_status check_static(sp_run *run, const sp_run_body *body, const sp_rod_def *def) {
    const sp_scene_node *root = sp__scene_root(run->scene);
    bool touches = sp__next_child(root, "contact", NULL) && sp__next_child(root, "rigid", NULL);
    if (def->integrator.type != SP_STATIC || !def->free_root || touches) return SP_OK;
    if (def->fix_count || def->move_count || def->spring_count) return SP_OK;
    return SP_BUILD_FAIL(run, body->node, NULL, "a static integrator, but nothing holds the rod: there is no unique equilibrium");
}

sp_status sp__build_rod_loads(sp_run *run, const sp_run_body *body, sp_rod_def *def) {
    lists l = {.run = run, .body = body};
    for (int i = 0; i < body->rod->strands; i++) SP_TRY(strand_lists(&l, i));
    SP_BUILD(carry_roots(&l));
    SP_BUILD(build_grow(run, body, def));
    def->fixes = l.fix, def->fix_count = l.fixes;
    def->moves = l.move, def->move_count = l.moves;
    def->loads = l.load, def->load_count = l.loads;
    def->springs = l.pull, def->spring_count = l.pulls;
    return check_static(run, body, def);
}
