// The table: the scene itself, parameters, reuse, events.
#include "io/scene/scene_table.h"

#define SCENE_CHILDREN                                                                                                          \
    "include param curve default template instance event wind solid material rod shell rigid integrator solver contact attach " \
    "tool device look view camera light probe record stop expect inverse"

static sp_attr_spec scene_attrs[] = {
    TEXT("name", 0, 1, "what the scene is called"),
    ROW("class", SP_ATTR_NAME, 1, 1, "", 0, 0, NULL, NULL, 0, 1, RELOAD, "default class of everything that names no other"),
    INTEGERS("version", 1, 1, 1, 1, "1", 0, 1, RELOAD, "of the language"),
    POSITIVE("dt", "s", "0.01", 0, 1, VALUES, "length of a step"),
    PARAM("gravity", SP_ATTR_NUMBER, 3, NULL, LISTED, T_, NULL, "world.gravity.x world.gravity.y world.gravity.z"),
    VECTOR("up", "", "auto", AUTO, 1, RELOAD, "which way is up in pictures; auto: against gravity"),
    INTEGERS("seed", 1, 1, 0, 9007199254740991.0, "1", 0, 1, RELOAD, "of all random numbers"),
    CHOICE("deterministic", "yes", "yes/no", 0, 1, RELOAD, "asynchronous results are taken after a fixed number of steps"),
    CHOICE("backend", "auto", "auto/ref/cpu/opencl[2]", 0, 1, REBUILD, "what computes; ref is the plain oracle"),
    CHOICE("precision", "double", "double/mixed/float[2]", 0, 1, REBUILD, "mixed: factors in float under vectors in double"),
    POSITIVE("budget", "ms", "auto", AUTO, 1, REBUILD, "step time that auto choices aim at; auto: dt"),
    CHOICE("on-limit", "accept", "accept/fail", 0, 1, VALUES, "an iteration limit reached is a reservation or a failure"),
    CHOICE("on-failure", "stop", "stop/freeze", 0, 1, VALUES, "freeze: only the failing body is held where it was"),
};

static sp_attr_spec fragment_attrs[] = {
    INTEGERS("version", 1, 1, 1, 1, "1", 0, 1, RELOAD, "of the language"),
    TEXT("name", 0, 1, "what the fragment is called"),
};

static sp_attr_spec include_attrs[] = {
    COMMON,
    FILE_NAME("file", NEED, 1, "the fragment"),
    ROW("prefix", SP_ATTR_NAME, 1, 1, "", 0, 0, NULL, NULL, 0, 1, RELOAD, "put before every name that the fragment gives"),
};

static sp_attr_spec param_attrs[] = {
    COMMON,
    TEXT("value", NEED, 1, "a number, an expression or a word"),
    FREE_NUMBER("min", "", NULL, 0, 1, RELOAD, "least value allowed"),
    FREE_NUMBER("max", "", NULL, 0, 1, RELOAD, "greatest value allowed"),
    TEXT("unit", 0, 1, "unit shown with the value"),
    TEXT("label", 0, 1, "what it is, in words"),
};

static sp_attr_spec set_attrs[] = {
    COMMON,
    TEXT("value", NEED, 1, "value of the parameter of that name"),
};

static sp_attr_spec curve_attrs[] = {
    COMMON,
    NUMBERS("points", 2, MANY, "", -INFINITY, INFINITY, NULL, 0, 1, RELOAD, "pairs: place and value, places rising"),
    FILE_NAME("file", 0, 1, "instead of points: comma-separated, two columns"),
    CHOICE("interpolate", "linear", "linear/smooth/step", 0, 1, RELOAD, "between points; smooth: level at every point"),
    SWITCH("repeat", "no", 0, 1, RELOAD, "goes on periodically instead of staying at its ends"),
};

static sp_attr_spec default_attrs[] = {
    ROW("class", SP_ATTR_NAME, 1, 1, "", 0, 0, NULL, NULL, 0, 1, RELOAD, "whom it is for; absent: everybody"),
    ROW("parent", SP_ATTR_NAME, 1, 1, "", 0, 0, NULL, NULL, 0, 1, RELOAD, "class whose defaults stand behind these"),
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
    NOT_NEGATIVE("ramp", "s", "0", 0, 1, RELOAD, "time over which it gets there"),
    CHOICE("do", "set", "set/pin/release/cut[2]/remove[2]/attach[2]/detach[2]", 0, 1, RELOAD, "what happens"),
    REFERENCE("of", ANY_BODY, 0, 1, RELOAD, "to which body"),
    SELECTION(0),
};

static sp_attr_spec wind_attrs[] = {
    COMMON,
    VECTOR("velocity", "m/s", NULL, T_ | X_, 3, VALUES, "of the air"),
    POSITIVE("density", "kg/m3", "1.2", 0, 3, VALUES, "of the air"),
};

const sp_element_spec sp__table_scene[] = {
    ELEMENT("scene", 1, true, SCENE_CHILDREN, scene_attrs, "the root"),
    ELEMENT("fragment", 1, true, SCENE_CHILDREN, fragment_attrs, "root of an included file"),
    ELEMENT("include", 1, true, "set", include_attrs, "paste the children of a fragment"),
    ELEMENT("param", 1, true, "", param_attrs, "a number or word that expressions may use by its name"),
    ELEMENT("set", 1, true, "", set_attrs, "value of a parameter in an include or instance"),
    ELEMENT("curve", 1, true, "", curve_attrs, "a function of one number that expressions may call"),
    ELEMENT("default", 1, true,
            "curve instance event wind solid material rod shell rigid integrator solver contact pair contact-solver attach tool "
            "device bind look view camera light probe record stop expect inverse box cylinder sphere torus capsule plane organ "
            "mesh fill image sheet disc path grow feed reduce region data initial rest fix move load pull cut surface",
            default_attrs, "attributes that stand in for missing ones, for a class or for all"),
    ELEMENT("template", 1, true, "param solid rod shell rigid attach tool probe instance", template_attrs, "something to copy"),
    ELEMENT("instance", 1, true, "set", instance_attrs, "copies of a template, name[0], name[1], ..."),
    ELEMENT("event", 1, true, "", event_attrs, "a change at a step boundary, as an edit from outside would do it"),
    ELEMENT("wind", 3, false, "", wind_attrs, "air around shells and rods"),
    {0},
};
