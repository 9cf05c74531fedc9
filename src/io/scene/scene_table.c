// The table of the scene language: the scene itself, systems, interaction, appearance and outputs; the lookup functions. Bodies,
// shapes and conditions are in scene_table_bodies.c. Rows of physical parameters are completed from the engine's list before they
// are read.
#include "io/scene/scene_table.h"

#include <pthread.h>
#include <stdio.h>
#include <string.h>

#include "util/text.h"

// ========================================================================== the scene, parameters, reuse, events

#define SCENE_CHILDREN                                                                                                          \
    "include param curve default template instance event wind solid material rod shell rigid integrator solver contact attach " \
    "tool device look view clip camera light probe record stop expect inverse"

static sp_attr_spec scene_attrs[] = {
    TEXT("name", 0, 1, "what the scene is called"),
    ROW("class", SP_ATTR_NAME, 1, 1, "", 0, 0, NULL, NULL, 0, 1, RELOAD, "default class of everything that names no other"),
    INTEGERS("version", 1, 1, 1, 1, "1", 0, 1, RELOAD, "of the language"),
    POSITIVE("dt", "s", "0.01", 0, 1, VALUES, "length of a step"),
    PARAM("gravity", SP_ATTR_NUMBER, 3, NULL, LISTED, T_, NULL, "world.gravity.x world.gravity.y world.gravity.z"),
    VECTOR("up", "", "auto", AUTO, 1, RELOAD, "up direction of pictures; auto: against gravity"),
    INTEGERS("seed", 1, 1, 0, 9007199254740991.0, "1", 0, 1, RELOAD, "of all random numbers"),
    CHOICE("deterministic", "yes", "yes/no", 0, 1, RELOAD, "asynchronous results are used after a fixed number of steps"),
    CHOICE("backend", "auto", "auto/ref/cpu/opencl[2]", 0, 1, REBUILD, "implementation of the loops; ref is the plain reference"),
    CHOICE("precision", "double", "double/mixed/float[2]", 0, 1, REBUILD, "mixed: factors in float under vectors in double"),
    POSITIVE("budget", "ms", "auto", AUTO, 1, REBUILD, "step time that auto choices aim at; auto: dt"),
    CHOICE("on-limit", "accept", "accept/fail", 0, 1, VALUES, "reaching the iteration limit is a reservation or a failure"),
    CHOICE("on-failure", "stop", "stop/freeze", 0, 1, VALUES, "freeze: only the failing body is held where it was"),
};

static sp_attr_spec fragment_attrs[] = {
    INTEGERS("version", 1, 1, 1, 1, "1", 0, 1, RELOAD, "of the language"),
    TEXT("name", 0, 1, "what the fragment is called"),
};

static sp_attr_spec include_attrs[] = {
    COMMON,
    FILE_NAME("file", NEED, 1, "the fragment"),
    ROW("prefix", SP_ATTR_NAME, 1, 1, "", 0, 0, NULL, NULL, 0, 1, RELOAD, "prefix of every name in the fragment"),
};

static sp_attr_spec param_attrs[] = {
    COMMON,
    TEXT("value", NEED, 1, "a number, an expression or a word"),
    FREE_NUMBER("min", "", NULL, 0, 1, RELOAD, "least value allowed"),
    FREE_NUMBER("max", "", NULL, 0, 1, RELOAD, "greatest value allowed"),
    TEXT("unit", 0, 1, "unit shown with the value"),
    TEXT("label", 0, 1, "description"),
};

static sp_attr_spec set_attrs[] = {
    COMMON,
    TEXT("value", NEED, 1, "value of the parameter of that name"),
};

static sp_attr_spec curve_attrs[] = {
    COMMON,
    NUMBERS("points", 2, MANY, "", -INFINITY, INFINITY, NULL, 0, 1, RELOAD, "pairs: position and value, positions increasing"),
    FILE_NAME("file", 0, 1, "instead of points: comma-separated, two columns"),
    CHOICE("interpolate", "linear", "linear/smooth/step", 0, 1, RELOAD, "between points; smooth: level at every point"),
    SWITCH("repeat", "no", 0, 1, RELOAD, "periodic, instead of constant beyond its ends"),
};

static sp_attr_spec default_attrs[] = {
    ROW("class", SP_ATTR_NAME, 1, 1, "", 0, 0, NULL, NULL, 0, 1, RELOAD, "class that the defaults are for; absent: all"),
    ROW("parent", SP_ATTR_NAME, 1, 1, "", 0, 0, NULL, NULL, 0, 1, RELOAD,
        "parent class, whose defaults apply where these have none"),
};

static sp_attr_spec template_attrs[] = {COMMON};

static sp_attr_spec instance_attrs[] = {
    COMMON,
    ROW("of", SP_ATTR_NAME, 1, 1, "", 0, 0, NULL, NULL, NEED, 1, RELOAD, "the template"),
    INTEGERS("count", 1, 1, 0, 1e6, "1", 0, 1, RELOAD, "copies"),
    INTEGERS("grid", 3, 3, 1, 1e6, NULL, 0, 1, RELOAD, "copies along x, y, z; the last runs fastest"),
    NUMBERS("spacing", 1, 3, "m", -INFINITY, INFINITY, NULL, 0, 1, RELOAD, "between neighbours of the grid"),
    FILE_NAME("file", 0, 1, "comma-separated, a copy a row; the columns' heads become names"),
    REFERENCE("scatter", "rigid/select/surface", 0, 1, RELOAD,
              "copies spread evenly at random over a rigid body, a part of it or a surface of it; own x along its normal"),
    SWITCH("merge", "no", 0, 1, RELOAD, "copies of a rod become strands of one body"),
    PLACEMENT(0),
};

static sp_attr_spec event_attrs[] = {
    COMMON,
    NOT_NEGATIVE("t", "s", NULL, 0, 1, RELOAD, "when it happens"),
    CONDITION("when", T_, 1, "or: as soon as this is true"),
    TEXT("set", 0, 1, "path of the value to change"),
    FREE_NUMBER("value", "", NULL, 0, 1, RELOAD, "the new value"),
    NOT_NEGATIVE("ramp", "s", "0", 0, 1, RELOAD, "duration of the change"),
    CHOICE("do", "set", "set/pin/release/cut[2]/remove/attach/detach", 0, 1, RELOAD, "what happens"),
    REFERENCE("of", ANY_BODY "/attach", 0, 1, RELOAD, "to which body; attach, detach: to which attach element"),
    SELECTION(0),
};

static sp_attr_spec wind_attrs[] = {
    COMMON,
    VECTOR("velocity", "m/s", NULL, T_ | X_, 3, VALUES, "of the air"),
    POSITIVE("density", "kg/m3", "1.2", 0, 3, VALUES, "of the air"),
};

static const sp_element_spec table_scene[] = {
    ELEMENT("scene", 1, true, SCENE_CHILDREN, scene_attrs, "the root"),
    ELEMENT("fragment", 1, true, SCENE_CHILDREN, fragment_attrs, "root of an included file"),
    ELEMENT("include", 1, true, "set", include_attrs, "insert the children of a fragment"),
    ELEMENT("param", 1, true, "", param_attrs, "a number or word that expressions may use by its name"),
    ELEMENT("set", 1, true, "", set_attrs, "value of a parameter in an include or instance"),
    ELEMENT("curve", 1, true, "", curve_attrs, "a function of one number that expressions may call"),
    ELEMENT(
        "default", 1, true,
        "curve instance event wind solid material rod shell rigid integrator solver contact pair contact-solver attach tool "
        "device bind look view clip camera light probe record stop expect inverse box cylinder sphere torus capsule plane organ "
        "mesh fill image sheet disc path grow feed reduce region data initial rest fix move load pull cut surface",
        default_attrs, "attributes used where an element has none, for a class or for all"),
    ELEMENT("template", 1, true, "param solid rod shell rigid attach tool probe instance", template_attrs, "something to copy"),
    ELEMENT("instance", 1, true, "set", instance_attrs, "copies of a template, name[0], name[1], ..."),
    ELEMENT("event", 1, true, "", event_attrs, "a change at a step boundary, like an edit"),
    ELEMENT("wind", 3, false, "", wind_attrs, "air around shells and rods"),
    {0},
};

// ================================================================= time integration, linear solvers, interaction

static sp_attr_spec integrator_attrs[] = {
    COMMON,
    CHOICE("type", "implicit-euler", "implicit-euler/newton/explicit/static", 0, 1, REBUILD,
           "one linearisation a step; full Newton; symplectic Euler; equilibrium"),
    INTEGERS("iterations", 1, 1, 1, 1e6, "auto", AUTO, 1, VALUES, "Newton iterations at most; auto: 20, of static 200"),
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
    SWITCH("warp", "yes", 0, 1, REBUILD, "an old preconditioner is rotated with the nodes"),
    INTEGERS("lag", 1, 1, 0, 1000, "2", 0, 1, REBUILD,
             "steps after which an asynchronous preconditioner is used, where the scene is deterministic"),
    NUMBER_PARAM("tolerance", LISTED, 0, "solid.solver.tolerance"),
    PARAM("iterations", SP_ATTR_INTEGER, 1, NULL, LISTED, 0, NULL, "solid.solver.iterations"),
    CHOICE("ordering", "auto", "auto/natural/amd/metis/geometric", 0, 1, REBUILD, "in which order factors eliminate"),
    CHOICE("factor", "llt", "llt/ldlt", 0, 1, REBUILD, "kind of factor"),
    NOT_NEGATIVE("threshold", "N s", "auto", AUTO, 1, REBUILD,
                 "updated-cholesky: error of an element above which it is refreshed; 0: all, each step"),
    POSITIVE("budget", "ms", "auto", AUTO, 1, REBUILD,
             "updated-cholesky: time for refreshing in a step, where it runs in real time"),
    NOT_NEGATIVE("drop", "", "1e-3", 0, 1, REBUILD,
                 "ic: relative size of dropped entries; 0: entries outside the pattern of the matrix"),
    NUMBERS("omega", 1, 1, "", 0, 2, "1", LOPEN | HOPEN, 1, REBUILD, "of ssor"),
};

// `need` and `common` mark attributes that are required in `contact`, and those that a pair does not have; DEF keeps or drops the
// defaults
#define CONTACT_ATTRS(need, common, DEF)                                                                               \
    CHOICE("formulation", NULL, "penalty/proximity/volume/volume-penalty", need, 1, REBUILD, "what a contact is"),     \
        PARAM("friction", SP_ATTR_NUMBER, 1, "", DEF(LISTED), 0, NULL, "world.contact.friction"),                      \
        CHOICE("law", DEF("coulomb"), "coulomb/viscous", common, 1, REBUILD, "of friction; viscous: volumes only"),    \
        NOT_NEGATIVE("viscosity", "N s/m5", NULL, common, 1, REBUILD, "of viscous friction"),                          \
        NUMBER_PARAM("stiffness", DEF("auto"), (common) | AUTO | LOPEN, "world.contact.stiffness"),                    \
        NUMBER_PARAM("damping", DEF(LISTED), common, "world.contact.damping"),                                         \
        POSITIVE("alarm", "m", DEF("auto"), AUTO, 1, REBUILD, "proximity: contacts are made below this distance"),     \
        NOT_NEGATIVE("gap", "m", DEF("0"), 0, 1, REBUILD, "proximity: distance that contacts keep"),                   \
        POSITIVE("pixel", "m", NULL, 0, 1, REBUILD, "volume: distance of the rays of the layered images"),             \
        INTEGERS("cell", 1, 1, 0, 4096, DEF("0"), common, 1, REBUILD,                                                  \
                 "volume: edge of a constraint in pixels; 0: one for each pair"),                                      \
        INTEGERS("layers", 1, 1, 1, 4096, DEF("auto"), (common) | AUTO, 1, REBUILD,                                    \
                 "volume: surfaces that a ray may cross for which memory is ready; more make it grow, with an event"), \
        NOT_NEGATIVE("slack", "", DEF("0.5"), common, 1, REBUILD, "volume: overlap that stays at rest, in pixels"),    \
        CHOICE("stabilisation", DEF("auto"), "auto/post/velocity/position", common, 1, REBUILD,                        \
               "proximity: what happens to an overlap at the start of a step"),                                        \
        INTEGERS("passes", 1, 1, 0, 100, DEF("3"), common, 1, REBUILD,                                                 \
                 "proximity: of detection and solve in a step, after the first"),                                      \
        SWITCH("self", DEF("no"), common, 1, REBUILD, "proximity: solids touch themselves"),                           \
        SWITCH("continuous", DEF("no"), 0, 1, REBUILD, "proximity: what touches between the ends of a step only is found")

static sp_attr_spec contact_attrs[] = {
    COMMON,
    CONTACT_ATTRS(NEED, 0, IT_SELF),
    CHOICE("broad", "auto", "auto/bvh/hash/brute", 0, 1, REBUILD,
           "proximity: how near pairs are found: bounding volume trees (auto), hashed cells, all pairs"),
    INTEGERS("reserve", 1, 1, 1, 16777216, "auto", AUTO, 1, REBUILD,
             "proximity: contacts for which memory is ready from the start"),
};

static sp_attr_spec pair_attrs[] = {
    COMMON,
    REFERENCES("a", ANY_BODY "/region/select/fix", NEED, 1, RELOAD, "one side: bodies, regions, selections, copies [*]"),
    REFERENCES("b", ANY_BODY "/region/select/fix", NEED, 1, RELOAD, "the other"),
    CONTACT_ATTRS(0, LATER, NOTHING),
};

static sp_attr_spec contact_solver_attrs[] = {
    COMMON,
    CHOICE("method", "auto", "auto/gauss-seidel/interior-point/direct", 0, 1, REBUILD,
           "how the problem is solved; direct: reference for up to 50 coupled contacts"),
    CHOICE("local", "projection", "projection/newton", 0, 1, REBUILD, "gauss-seidel: how one contact is solved; newton: exactly"),
    CHOICE("cone", "exact", "exact/facets", 0, 1, REBUILD,
           "of friction: round, or a pyramid inside it, for up to 50 coupled contacts"),
    INTEGERS("facets", 1, 1, 4, 32, "4", 0, 1, REBUILD, "of the cone"),
    CHOICE("strategy", "auto", "auto/sequential/row/col/block/graph", 0, 1, REBUILD,
           "gauss-seidel: how threads share a sweep; the iterates are the same"),
    INTEGERS("sweeps", 1, 1, 1, 1e6, "500", 0, 1, REBUILD, "of gauss-seidel, at most"),
    POSITIVE("tolerance", "", "1e-6", 0, 1, REBUILD, "of the residual, relative to the largest violation"),
    SWITCH("warm-start", "yes", 0, 1, REBUILD, "from the last step's forces"),
    POSITIVE("budget", "ms", "auto", AUTO, 1, REBUILD,
             "time at most, where the scene is not deterministic; edit logs say where it ended a solve; auto: none"),
};

static sp_attr_spec attach_attrs[] = {
    COMMON,
    REFERENCE("a", ANY_BODY "/region/select/fix", NEED, 1, RELOAD, "a body, region or selection; forces are those on it"),
    REFERENCE("b", ANY_BODY "/region/select/fix", NEED, 1, RELOAD, "another one, or another part of the same body"),
    CHOICE("type", "weld", "weld/spring/slide/hinge/coaxial[3]", 0, 1, REBUILD,
           "glued; pulled together by springs; points of a slide on b; with a common axis"),
    VECTOR("point", "m", NULL, 0, 1, RELOAD,
           "hinge: on the axis; rigid bodies: where they are joined; slide: on the line or plane, or of a rigid a"),
    VECTOR("axis", "", NULL, 0, 1, RELOAD, "hinge: its direction; slide: that of a line of a rigid b"),
    VECTOR("normal", "", NULL, 0, 1, RELOAD, "slide: of a plane of a rigid b, instead of axis; neither: along a rod b"),
    POSITIVE("within", "m", "auto", AUTO, 1, RELOAD,
             "points so near to the other side are tied; auto: a quarter of the mean edge of the finer side"),
    POSITIVE("stiffness", "N/m", NULL, 0, 1, VALUES, "spring: of all its points together"),
    NOT_NEGATIVE("damping", "N s/m", "0", 0, 1, VALUES, "spring: of all its points together"),
    NOT_NEGATIVE("friction", "", "0", 0, 1, VALUES, "slide: Coulomb's coefficient"),
    POSITIVE("break", "N", NULL, 0, 1, VALUES, "force at which they separate; absent: never"),
    SWITCH("active", "yes", 0, 1, RELOAD, "no: it begins when an event or an edit attaches it"),
};

static sp_attr_spec tool_attrs[] = {
    COMMON,
    REFERENCE("body", "rigid/rod", NEED, 2, RELOAD, "that it is"),
    CHOICE("type", "probe", "probe/grasper/cautery/scissors/needle/suction/camera", 0, 2, RELOAD, "what it does"),
    REFERENCE("device", "device", 0, 2, RELOAD, "haptic device that moves it"),
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

static const sp_element_spec table_systems[] = {
    ELEMENT("integrator", 1, true, "", integrator_attrs, "how a body moves through time; under scene: the default of all"),
    ELEMENT("solver", 1, true, "", solver_attrs, "of a body's linear systems; under scene: the default of all"),
    ELEMENT("contact", 1, true, "pair contact-solver", contact_attrs, "contact between bodies; none means none"),
    ELEMENT("pair", 1, true, "", pair_attrs, "other values for some bodies; enabled=\"no\": they ignore each other"),
    ELEMENT("contact-solver", 1, true, "", contact_solver_attrs, "of the complementarity problem"),
    ELEMENT("attach", 1, true, "", attach_attrs, "joins a body or selection to another one"),
    ELEMENT("tool", 2, false, "key", tool_attrs, "what a body does to what it touches"),
    ELEMENT("device", 2, false, "bind", device_attrs, "a hand"),
    ELEMENT("bind", 2, false, "", bind_attrs, "a button of a device"),
    {0},
};

// ======================================================================================== appearance and outputs

// Names of the fields that serve a purpose, each with a slash behind it: SP_FIELD_LIST says which do.
#define FIELD_IF_COLOR_CPR(name) name "/"
#define FIELD_IF_COLOR_CR(name) name "/"
#define FIELD_IF_COLOR_PR(name)
#define FIELD_IF_COLOR_R(name)
#define FIELD_IF_COLOR_N(name)
#define FIELD_IF_PROBE_CPR(name) name "/"
#define FIELD_IF_PROBE_CR(name)
#define FIELD_IF_PROBE_PR(name) name "/"
#define FIELD_IF_PROBE_R(name)
#define FIELD_IF_PROBE_N(name)
#define FIELD_IF_RECORD_CPR(name) name "/"
#define FIELD_IF_RECORD_CR(name) name "/"
#define FIELD_IF_RECORD_PR(name) name "/"
#define FIELD_IF_RECORD_R(name) name "/"
#define FIELD_IF_RECORD_N(name)
#define FIELD_COLOR(id, name, where, parts, unit, values, color, uses, low, high, axes, label, text) FIELD_IF_COLOR_##uses(name)
#define FIELD_PROBE(id, name, where, parts, unit, values, color, uses, low, high, axes, label, text) FIELD_IF_PROBE_##uses(name)
#define FIELD_RECORD(id, name, where, parts, unit, values, color, uses, low, high, axes, label, text) FIELD_IF_RECORD_##uses(name)
#define FIELDS_TO_COLOR SP_FIELD_LIST(FIELD_COLOR)
#define FIELDS_TO_PROBE SP_FIELD_LIST(FIELD_PROBE)
#define FIELDS_TO_RECORD SP_FIELD_LIST(FIELD_RECORD)

static sp_attr_spec surface_attrs[] = {
    COMMON,
    WORDS("role", NULL, "visual/collision", NEED, 1, RELOAD, "visual, collision or both"),
    FILE_NAME("file", 0, 1, "triangles; absent: the mesh's own boundary"),
    POSITIVE("scale", "", "1", 0, 1, RELOAD, "factor on every coordinate of the file"),
    SWITCH("flip", "no", 0, 1, RELOAD, "reverse the triangles of the file"),
    SELECTION(0),
    INTEGERS("elements", 1, 1, 300, 67108864, NULL, 0, 1, RELOAD,
             "of an organ: the boundary of the same organ, generated with about so many tetrahedra"),
    INTEGERS("subdivide", 1, 1, 0, 4, "0", 0, 1, RELOAD, "each triangle of the boundary into four, so many times"),
    SWITCH("smooth", "yes", 0, 1, RELOAD, "with subdivide: rounded by Loop's rule; edges sharper than 40 degrees stay"),
    CHOICE("map", "auto", "auto/barycentric/rigid/tube/ribbon", 0, 1, RELOAD,
           "how it follows the body; auto: barycentric on a solid, rigid on a rigid, tube around a rod"),
    INTEGERS("sides", 1, 1, 3, 64, "auto", AUTO, 1, RELOAD,
             "rods: corners of a ring of the tube; auto: 12, fewer for more than 10 strands, 3 for more than 100 thin ones"),
    NOT_NEGATIVE("thickness", "m", "0", LATER, 1, RELOAD, "of a ribbon"),
    CHOICE("side", "outside", "outside/inside/both", 0, 1, RELOAD,
           "collision: that is touched; inside: a vessel or a cavity, whose inside is free; both: a sheet"),
    NOT_NEGATIVE("friction", "", NULL, 0, 1, VALUES, "collision: of contacts there"),
    POSITIVE("field", "m", NULL, 0, 1, RELOAD,
             "collision, rigid: cell of a signed distance field, which is touched instead of the triangles"),
    SWITCH("self", "no", 0, 1, RELOAD, "collision, solids: touches itself"),
    REFERENCE("look", "look", 0, 1, RELOAD, "how it is drawn"),
};

static sp_attr_spec look_attrs[] = {
    COMMON,
    NUMBERS("color", 3, 3, "", 0, 1, "0.8 0.8 0.8", 0, 1, RELOAD, "red, green, blue"),
    NUMBERS("opacity", 1, 1, "", 0, 1, "1", 0, 1, RELOAD, "1: opaque"),
    NUMBERS("roughness", 1, 1, "", 0, 1, "0.6", 0, 1, RELOAD, "0: mirror"),
    NUMBERS("metallic", 1, 1, "", 0, 1, "0", 0, 1, RELOAD, "1: metal"),
    SWITCH("edges", "no", 0, 1, RELOAD, "draw the edges of the mesh"),
    FILE_NAME("texture", 0, 2, "image laid on it"),
};

static sp_attr_spec view_attrs[] = {
    COMMON,
    CHOICE("color-by", "none", "none/" FIELDS_TO_COLOR "contact/target-error[3]", 0, 1, RELOAD, "what colours show"),
    REFERENCES("of", ANY_BODY, 0, 1, RELOAD, "bodies shown; absent: all"),
    NUMBERS("range", 2, 2, "", -INFINITY, INFINITY, "auto", AUTO, 1, RELOAD, "of colours"),
    WORDS("show", "visual", "visual/mechanical/collision/interfaces/fixed/loads/contacts/links", 0, 1, RELOAD,
          "what is drawn; interfaces: faces between the regions of a solid, whose surfaces are then transparent"),
    NUMBERS("background", 3, 3, "", 0, 1, "1 1 1", 0, 1, RELOAD, "red, green, blue"),
    CHOICE("transparency", "sorted", "sorted/layers", 0, 1, RELOAD,
           "transparent bodies: sorted: only the walls by which a ray enters; layers: all walls"),
};

static sp_attr_spec clip_attrs[] = {
    COMMON,
    VECTOR("point", "m", "auto", AUTO | T_, 1, RELOAD, "a point of the plane; auto: the centre of the bodies"),
    VECTOR("normal", "", "0 0 1", 0, 1, RELOAD, "direction of what is cut off"),
    REFERENCES("of", ANY_BODY, 0, 1, RELOAD, "bodies that are cut; absent: all"),
    SWITCH("cap", "yes", 0, 1, RELOAD, "close the cut through solids, coloured by the field or by the regions"),
};

static sp_attr_spec camera_attrs[] = {
    COMMON,
    VECTOR("at", "m", NULL, 0, 1, RELOAD, "position of the camera; absent: fitted"),
    VECTOR("to", "m", NULL, 0, 1, RELOAD, "point that the camera looks at"),
    VECTOR("up", "", NULL, 0, 1, RELOAD, "up direction; absent: the scene's"),
    NUMBERS("fov", 1, 1, "deg", 0, 180, "40", LOPEN | HOPEN, 1, RELOAD, "vertical angle of view"),
    INTEGERS("size", 2, 2, 1, 16384, "1280 720", 0, 1, RELOAD, "pixels"),
    REFERENCE("follow", ANY_BODY, LATER, 1, RELOAD, "body it moves with"),
};

static sp_attr_spec light_attrs[] = {
    COMMON,
    CHOICE("type", "sun", "sun/point/spot/ambient", 0, 1, RELOAD, "what it is"),
    VECTOR("at", "m", NULL, 0, 1, RELOAD, "where"),
    VECTOR("to", "m", NULL, 0, 1, RELOAD, "where to"),
    NUMBERS("color", 3, 3, "", 0, 1, "1 1 1", 0, 1, RELOAD, "red, green, blue"),
    NOT_NEGATIVE("intensity", "", "1", 0, 1, RELOAD, "how bright"),
    SWITCH("shadow", "yes", 0, 1, RELOAD, "casts shadows"),
};

#define QUANTITIES                                                                                                          \
    FIELDS_TO_PROBE                                                                                                         \
    "kinetic/elastic/potential/work/appeared/inverted/volume-lost/penetration/momentum/volume/iterations/residual/step-ms/" \
    "contact-force/contact-count/gap/stretch"

static sp_attr_spec probe_attrs[] = {
    COMMON,
    SAMPLING,
    SELECTION(0),
    REFERENCES("of", ANY_BODY "/attach", 0, 1, RELOAD, "under scene: the bodies meant, or the attach elements"),
    WORDS("quantity", "position", QUANTITIES, 0, 1, RELOAD, "what is measured"),
    CHOICE("combine", "none", "none/sum/mean/max", 0, 1, RELOAD, "of several nodes, elements or bodies"),
};

#define RECORD_QUANTITIES \
    FIELDS_TO_RECORD      \
    "kinetic/elastic/momentum/volume/iterations/residual/step-ms/contact-count/gap"

static sp_attr_spec record_attrs[] = {
    COMMON,
    SAMPLING,
    FILE_NAME(
        "file", NEED | OUTPUT, 1,
        "plain name; its suffix gives the format: .xdmf (with .h5), .vtu (with .pvd), .obj, .ply, .png, or .csv for the probes"),
    REFERENCES("of", ANY_BODY, 0, 1, RELOAD, "bodies, or whose probes; absent: all"),
    WORDS("quantity", NULL, RECORD_QUANTITIES, 0, 1, RELOAD, "fields of .xdmf and .vtu in addition to the position"),
    CHOICE("part", "mechanical", "mechanical/visual", 0, 1, RELOAD, "elements, or the surfaces that are seen"),
    REFERENCE("camera", "camera", 0, 1, RELOAD, "of pictures"),
    CHOICE("precision", "float", "float/double", 0, 1, RELOAD, "of .xdmf"),
    SWITCH("compress", "no", 0, 1, RELOAD, "smaller .xdmf and .vtu files, slower to write"),
    CHOICE("on-slow", "wait", "wait/drop", 0, 1, RELOAD,
           "when the disk is slow: the run waits, or frames are dropped and counted"),
};

static sp_attr_spec stop_attrs[] = {
    COMMON,
    POSITIVE("time", "s", NULL, 0, 1, RELOAD, "simulated"),
    INTEGERS("steps", 1, 1, 1, 1e15, NULL, 0, 1, RELOAD, "done"),
    POSITIVE("wall", "s", NULL, 0, 1, RELOAD, "wall-clock time"),
    CONDITION("when", T_, 1, "this is true"),
};

static sp_attr_spec expect_attrs[] = {
    COMMON,
    ROW("probe", SP_ATTR_REFERENCE, 1, 1, "", 0, 0, NULL, "probe", NEED, 1, RELOAD, "that measured it"),
    TEXT("component", 0, 1, "of the probe: x, y, z, velocity.x, volume, ..."),
    NOT_NEGATIVE("at", "s", NULL, 0, 1, RELOAD, "time"),
    CHOICE("over", NULL, "mean/min/max/end", 0, 1, RELOAD, "or: of the whole run"),
    FREE_NUMBER("value", "", NULL, NEED, 1, RELOAD, "claimed"),
    NOT_NEGATIVE("tolerance", "", NULL, NEED, 1, RELOAD, "allowed"),
    SWITCH("relative", "no", 0, 1, RELOAD, "tolerance relative to the value"),
    TEXT("source", 0, 1, "source of the value, e.g. a publication"),
};

static sp_attr_spec inverse_attrs[] = {
    COMMON,
    TEXT("unknown", NEED, 1, "paths"),
    FILE_NAME("target", 0, 1, "shape or recording"),
    CHOICE("method", "adjoint", "adjoint/naive/equation-error", 0, 1, RELOAD, "how"),
    CHOICE("start", "target", "target/flatten/current", 0, 1, RELOAD, "first guess"),
    POSITIVE("penalty", "", "5", 0, 1, RELOAD, "first"),
    NUMBERS("shrink", 1, 1, "", 0, 1, "0.5", LOPEN | HOPEN, 1, RELOAD, "of the penalty"),
    INTEGERS("stages", 1, 1, 1, 1000, "6", 0, 1, RELOAD, "of the penalty"),
    CHOICE("contact", "friction", "friction/fixed/none", 0, 1, RELOAD, "how contacts count"),
    CHOICE("optimiser", "lbfgs", "lbfgs/gauss-newton", 0, 1, RELOAD, "which"),
    INTEGERS("memory", 1, 1, 1, 1000, "10", 0, 1, RELOAD, "of lbfgs"),
    INTEGERS("iterations", 1, 1, 1, 1e6, "500", 0, 1, RELOAD, "at most"),
    POSITIVE("tolerance", "", "1e-7", 0, 1, RELOAD, "at which it stops"),
    CHOICE("run", "before", "before/only/no", 0, 1, RELOAD, "the run then uses the result"),
    FILE_NAME("out", OUTPUT, 1, "file for the result"),
};

static const sp_element_spec table_seen[] = {
    ELEMENT("surface", 1, true, "", surface_attrs, "what is drawn and touched of a body"),
    ELEMENT("look", 1, true, "", look_attrs, "how something is drawn, shared by name"),
    ELEMENT("view", 1, true, "", view_attrs, "what pictures show"),
    ELEMENT("clip", 1, true, "", clip_attrs, "a clipping plane of pictures and page: what is in front of it is not drawn"),
    ELEMENT("camera", 1, true, "key", camera_attrs, "where pictures are taken from; none: fitted"),
    ELEMENT("light", 1, true, "", light_attrs, "a light; none: a head light"),
    ELEMENT("probe", 1, true, "", probe_attrs, "numbers in time"),
    ELEMENT("record", 1, true, "", record_attrs, "a file of results"),
    ELEMENT("stop", 1, true, "", stop_attrs, "when the run ends; whichever comes first"),
    ELEMENT("expect", 1, true, "", expect_attrs, "a claim that the run checks"),
    ELEMENT("inverse", 1, true, "", inverse_attrs, "finds rest shapes, curvatures, material numbers, forces"),
    {0},
};

// =============================================================================================== the whole table

static const sp_element_spec *const families[] = {table_scene,          sp__table_shapes, sp__table_bodies,
                                                  sp__table_conditions, table_systems,    table_seen};
enum { FAMILY_COUNT = sizeof families / sizeof families[0] };

// ---------------------------------------------------------------------------------------------- the list of parameters

static void add_number(char *out, size_t size, double x) {
    char text[24];
    sp__short_number(x, text, sizeof text);
    size_t n = strlen(out);
    snprintf(out + n, size - n, "%s%s", n ? " " : "", text);
}

// "solid.young": the first word is the kind. A row that names no entry is found by the test of the table: it has no meaning.
static void read_param(const char *path, size_t length, sp_param_spec *out) {
    char kind[64];
    int n = (int)strcspn(path, ".");
    snprintf(kind, sizeof kind, "%.*s", (int)length, path);
    kind[n] = 0;
    if (sp_kind_param(kind, kind + n + 1, out) < 0) *out = (sp_param_spec){.name = "", .unit = "", .label = "", .meaning = ""};
}

static const char *price_text(sp_param_price price) {
    return price == SP_PRICE_NEW_BODY ? REBUILD : VALUES;
}

// the ends that only keep products finite are left to the engine
static void take_range(sp_attr_spec *a, const sp_param_spec *p) {
    a->low = p->ends & SP_RANGE_LOW_GUARD ? -INFINITY : p->low;
    a->high = p->ends & SP_RANGE_HIGH_GUARD ? INFINITY : p->high;
    if (p->ends & SP_RANGE_LOW_OPEN) a->flags |= LOPEN;
    if (p->ends & SP_RANGE_HIGH_OPEN) a->flags |= HOPEN;
}

static void complete_attr(sp_attr_spec *a) {
    sp_param_spec p;
    bool listed = a->fallback && strcmp(a->fallback, LISTED) == 0;
    size_t length = strcspn(a->param, " ");
    read_param(a->param, length, &p);
    take_range(a, &p);
    a->price = price_text(p.price);
    if (!a->unit) a->unit = p.unit;
    if (!a->meaning) a->meaning = p.meaning;
    if (!listed) return;
    for (const char *at = a->param; *at; at += length + (at[length] == ' ')) {
        length = strcspn(at, " ");
        read_param(at, length, &p);
        add_number(a->initial, sizeof a->initial, p.initial);
    }
    a->fallback = a->initial;
}

static void complete_table(void) {
    for (int f = 0; f < FAMILY_COUNT; f++)
        for (const sp_element_spec *e = families[f]; e->name; e++)
            for (int i = 0; i < e->attr_count; i++)
                if (e->attrs[i].param) complete_attr(&e->attrs[i]);
}

static void complete_once(void) {
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    pthread_once(&once, complete_table);
}

// ---------------------------------------------------------------------------------------------- looking up

const sp_element_spec *sp__element_spec_at(int index) {
    complete_once();
    for (int f = 0; f < FAMILY_COUNT; f++)
        for (const sp_element_spec *e = families[f]; e->name; e++)
            if (index-- == 0) return e;
    return NULL;
}

int sp__element_index(const sp_element_spec *spec) {
    int n = 0;
    for (int f = 0; f < FAMILY_COUNT; f++)
        for (const sp_element_spec *e = families[f]; e->name; e++, n++)
            if (e == spec) return n;
    return n;
}

int sp__element_spec_count(void) {
    return sp__element_index(NULL);
}

const sp_element_spec *sp__element_spec(const char *name) {
    complete_once();
    for (int f = 0; f < FAMILY_COUNT; f++)
        for (const sp_element_spec *e = families[f]; e->name; e++)
            if (strcmp(e->name, name) == 0) return e;
    return NULL;
}

int sp__attr_index(const sp_element_spec *spec, const char *name) {
    for (int i = 0; i < spec->attr_count; i++)
        if (strcmp(spec->attrs[i].name, name) == 0) return i;
    return -1;
}

bool sp__list_has(const char *list, char separator, const char *word) {
    size_t n = strlen(word);
    for (const char *p = list; p && *p;) {
        size_t length = 0;
        while (p[length] && p[length] != separator && p[length] != '[') length++;
        if (length == n && memcmp(p, word, n) == 0) return true;
        p = strchr(p, separator);
        if (p) p++;
    }
    return false;
}

bool sp__choice_built(const char *choices, const char *word) {
    size_t n = strlen(word);
    for (const char *p = choices; p && *p;) {
        if (strncmp(p, word, n) == 0 && (p[n] == 0 || p[n] == '/')) return true;
        p = strchr(p, '/');
        if (p) p++;
    }
    return false;
}

bool sp__may_hold(const sp_element_spec *parent, const sp_element_spec *child) {
    return sp__list_has(parent->children, ' ', child->name);
}
