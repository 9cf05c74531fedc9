// The table: time integration, linear solvers, and interaction between bodies.
#include "io/scene/scene_table.h"

static sp_attr_spec integrator_attrs[] = {
    COMMON,
    CHOICE("type", "implicit-euler", "implicit-euler/newton/explicit/static", 0, 1, REBUILD,
           "one linearisation a step; full Newton; symplectic Euler; equilibrium"),
    INTEGERS("iterations", 1, 1, 1, 1e6, "20", 0, 1, VALUES, "Newton iterations at most"),
    POSITIVE("tolerance", "", "1e-8", 0, 1, VALUES, "of Newton, relative to the first residual"),
    SWITCH("line-search", "yes", 0, 1, VALUES, "shorten steps that do not descend"),
    INTEGERS("load-steps", 1, 1, 1, 1e6, "1", 0, 1, VALUES, "static: loads grow in so many stages"),
    INTEGERS("substeps", 1, 1, 1, 1e6, "auto", AUTO, 1, VALUES,
             "equal parts of a step; auto: one, and each strand of a rod as many as its motion needs"),
    CHOICE("method", "newton", "newton/newton-cg", 0, 3, REBUILD, "static: how to descend"),
};

static sp_attr_spec solver_attrs[] = {
    COMMON,
    CHOICE("type", "auto", "auto/cg/pcg/cholesky/updated-cholesky/block-tridiagonal/dense", 0, 1, REBUILD,
           "how the linear systems are solved"),
    CHOICE("operator", "auto", "auto/matrix-free/assembled", 0, 1, REBUILD, "how a product with the matrix is made"),
    CHOICE("preconditioner", "block-jacobi", "block-jacobi/jacobi/ssor/ic/cholesky/inverse-factor/multigrid", 0, 1, REBUILD,
           "of pcg"),
    ROW("refresh", SP_ATTR_CHOICE_OR_NUMBER, 1, 1, "", 1, 1e9, "auto", "auto/async/step/never", 0, 1, REBUILD,
        "when preconditioners are computed again, or after how many steps"),
    SWITCH("warp", "yes", 0, 1, REBUILD, "an old preconditioner is turned with the nodes"),
    INTEGERS("lag", 1, 1, 0, 1000, "2", 0, 1, REBUILD,
             "steps after which an asynchronous preconditioner is taken, where the scene is deterministic"),
    NUMBER_PARAM("tolerance", LISTED, 0, "solid.solver.tolerance"),
    PARAM("iterations", SP_ATTR_INTEGER, 1, NULL, LISTED, 0, NULL, "solid.solver.iterations"),
    CHOICE("ordering", "auto", "auto/natural/amd/metis/geometric", 0, 1, REBUILD, "in which order factors eliminate"),
    CHOICE("factor", "llt", "llt/ldlt", 0, 1, REBUILD, "kind of factor"),
    NOT_NEGATIVE("threshold", "N s", "auto", AUTO, 1, REBUILD,
                 "updated-cholesky: error of an element above which it is refreshed; 0: all, each step"),
    POSITIVE("budget", "ms", "auto", AUTO, 1, REBUILD,
             "updated-cholesky: time for refreshing in a step, where it runs in real time"),
    NOT_NEGATIVE("drop", "", "1e-3", 0, 1, REBUILD, "ic: relative size of what is left out; 0: what the matrix has not"),
    NUMBERS("omega", 1, 1, "", 0, 2, "1", LOPEN | HOPEN, 1, REBUILD, "of ssor"),
};

// `need` marks attributes that are required in `contact` and optional in `pair`; DEF keeps or drops the defaults
#define CONTACT_ATTRS(need, DEF)                                                                                            \
    CHOICE("formulation", NULL, "penalty/proximity[2]/volume[2]/volume-penalty[2]", need, 1, REBUILD, "what a contact is"), \
        PARAM("friction", SP_ATTR_NUMBER, 1, "", DEF(LISTED), 0, NULL, "world.contact.friction"),                           \
        CHOICE("law", DEF("coulomb"), "coulomb/viscous[2]", 0, 1, REBUILD, "of friction"),                                  \
        NOT_NEGATIVE("viscosity", "N s/m", NULL, 0, 2, VALUES, "of viscous friction"),                                      \
        NUMBER_PARAM("stiffness", DEF("auto"), AUTO | LOPEN, "world.contact.stiffness"),                                    \
        NUMBER_PARAM("damping", DEF(LISTED), 0, "world.contact.damping"),                                                   \
        POSITIVE("alarm", "m", DEF("auto"), AUTO, 2, VALUES, "distance at which contacts are watched"),                     \
        NOT_NEGATIVE("gap", "m", DEF("0"), 0, 2, VALUES, "kept between surfaces"),                                          \
        POSITIVE("pixel", "m", NULL, 0, 2, REBUILD, "volume: of the layered images"),                                       \
        INTEGERS("cell", 1, 1, 0, 4096, NULL, 0, 2, REBUILD, "pixels of a constraint; 0: one a pair"),                      \
        INTEGERS("layers", 1, 1, 1, 4096, DEF("auto"), AUTO, 2, REBUILD, "of the layered images"),                          \
        NOT_NEGATIVE("slack", "", DEF("0.5"), 0, 2, VALUES, "pixels"),                                                      \
        CHOICE("stabilisation", DEF("auto"), "auto/post/velocity/position", 0, 2, REBUILD, "of overlaps"),                  \
        INTEGERS("passes", 1, 1, 1, 100, DEF("3"), 0, 2, VALUES, "of stabilisation"),                                       \
        SWITCH("self", DEF("no"), 0, 2, REBUILD, "bodies touch themselves"),                                                \
        SWITCH("continuous", DEF("no"), 0, 3, REBUILD, "nothing is passed through in a step")

static sp_attr_spec contact_attrs[] = {
    COMMON,
    CONTACT_ATTRS(NEED, IT_SELF),
    CHOICE("broad", "auto", "auto/bvh/hash/brute", 0, 2, REBUILD, "how near pairs are found"),
};

static sp_attr_spec pair_attrs[] = {
    COMMON,
    REFERENCES("a", ANY_BODY "/region/select/fix", NEED, 2, RELOAD, "one side"),
    REFERENCES("b", ANY_BODY "/region/select/fix", NEED, 2, RELOAD, "the other"),
    CONTACT_ATTRS(0, NOTHING),
};

static sp_attr_spec contact_solver_attrs[] = {
    COMMON,
    CHOICE("method", "gauss-seidel", "gauss-seidel/direct", 0, 2, REBUILD, "how the problem is solved"),
    CHOICE("local", "projection", "projection/newton", 0, 2, REBUILD, "how one contact is solved"),
    CHOICE("cone", "exact", "exact/facets", 0, 2, REBUILD, "of friction"),
    INTEGERS("facets", 1, 1, 3, 64, "4", 0, 2, REBUILD, "of the cone"),
    CHOICE("strategy", "auto", "auto/sequential/row/col/block/graph", 0, 2, REBUILD, "order of the sweep"),
    INTEGERS("sweeps", 1, 1, 1, 1e6, "100", 0, 2, VALUES, "at most"),
    POSITIVE("tolerance", "", "1e-6", 0, 2, VALUES, "at which it stops"),
    SWITCH("warm-start", "yes", 0, 2, VALUES, "from the last step's forces"),
    POSITIVE("budget", "ms", "auto", AUTO, 2, VALUES, "time at most"),
};

static sp_attr_spec attach_attrs[] = {
    COMMON,
    REFERENCE("a", ANY_BODY "/region/select/fix", NEED, 2, RELOAD, "a selection"),
    REFERENCE("b", ANY_BODY "/region/select/fix", NEED, 2, RELOAD, "a body or selection"),
    CHOICE("type", "weld", "weld/spring/slide/hinge/coaxial[3]", 0, 2, REBUILD, "how they are joined"),
    POSITIVE("within", "m", "auto", AUTO, 2, RELOAD, "distance that counts as near"),
    POSITIVE("stiffness", "N/m", NULL, 0, 2, VALUES, "of springs"),
    NOT_NEGATIVE("damping", "N s/m", "0", 0, 2, VALUES, "of springs"),
    NOT_NEGATIVE("friction", "", "0", 0, 2, VALUES, "of sliding"),
    POSITIVE("break", "N", NULL, 0, 2, VALUES, "force that parts them; absent: never"),
};

static sp_attr_spec tool_attrs[] = {
    COMMON,
    REFERENCE("body", "rigid/rod", NEED, 2, RELOAD, "that it is"),
    CHOICE("type", "probe", "probe/grasper/cautery/scissors/needle/suction/camera", 0, 2, RELOAD, "what it does"),
    REFERENCE("device", "device", 0, 2, RELOAD, "hand that leads it"),
    VECTOR("tip", "m", "0 0 0", 0, 2, RELOAD, "where it acts"),
    VECTOR("axis", "", "0 0 1", 0, 2, RELOAD, "direction"),
    NUMBERS("active", 1, 1, "", 0, 1, "0", T_, 2, VALUES, "how much"),
    POSITIVE("radius", "m", NULL, 0, 2, VALUES, "of action"),
    POSITIVE("rate", "m3/s", NULL, 0, 2, VALUES, "of removal; absent: no limit"),
    REFERENCES("jaws", "rigid", 0, 2, RELOAD, "two bodies"),
    FREE_NUMBER("open", "deg", NULL, T_, 2, VALUES, "of the jaws"),
    NOT_NEGATIVE("force", "N", NULL, 0, 2, VALUES, "of the jaws"),
    NOT_NEGATIVE("puncture", "N", NULL, 0, 2, VALUES, "of needles"),
    NOT_NEGATIVE("friction", "", NULL, 0, 2, VALUES, "of a needle's shaft"),
    VECTOR("pivot", "m", NULL, 0, 2, VALUES, "the trocar"),
};

static sp_attr_spec device_attrs[] = {
    COMMON,
    CHOICE("type", "mouse", "mouse/haptic/network/file", 0, 2, RELOAD, "what it is"),
    TEXT("driver", 0, 2, "of hardware"),
    CHOICE("fallback", "none", "none/mouse", 0, 2, RELOAD, "where hardware is absent"),
    POSITIVE("rate", "Hz", "1000", 0, 2, RELOAD, "of forces"),
    PLACEMENT(0),
    POSITIVE("force-scale", "", "1", 0, 2, VALUES, "of forces"),
    POSITIVE("force-limit", "N", "3", 0, 2, VALUES, "of forces"),
    NUMBERS("coupling", 2, 2, "N/m N s/m", 0, INFINITY, "auto", AUTO, 2, VALUES, "of hand and tool"),
    FILE_NAME("file", 0, 2, "recorded motion"),
};

static sp_attr_spec bind_attrs[] = {
    COMMON,
    INTEGERS("button", 1, 1, 0, 255, NULL, NEED, 2, RELOAD, "which"),
    CHOICE("action", "activate", "activate/close/clutch/camera/reset", 0, 2, RELOAD, "what it does"),
};

const sp_element_spec sp__table_systems[] = {
    ELEMENT("integrator", 1, true, "", integrator_attrs, "how a body moves through time; under scene: the default of all"),
    ELEMENT("solver", 1, true, "", solver_attrs, "of a body's linear systems; under scene: the default of all"),
    ELEMENT("contact", 1, true, "pair contact-solver", contact_attrs, "contact between bodies; none means none"),
    ELEMENT("pair", 2, false, "", pair_attrs, "other values for some bodies"),
    ELEMENT("contact-solver", 2, false, "", contact_solver_attrs, "of the complementarity problem"),
    ELEMENT("attach", 2, false, "", attach_attrs, "joins a selection to a body or selection"),
    ELEMENT("tool", 2, false, "key", tool_attrs, "what a body does to what it touches"),
    ELEMENT("device", 2, false, "bind", device_attrs, "a hand"),
    ELEMENT("bind", 2, false, "", bind_attrs, "a button of a device"),
    {0},
};
