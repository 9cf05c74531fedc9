// The table: boundary conditions and loads of one body.
#include "io/scene/scene_table.h"

static sp_attr_spec select_attrs[] = {COMMON, SELECTION(0)};

static sp_attr_spec data_attrs[] = {
    COMMON,
    FILE_NAME("file", NEED, 1, "comma-separated, or one number a line"),
    CHOICE("on", "elements", "elements/nodes", 0, 1, RELOAD, "whose numbers they are"),
    TEXT("column", 0, 1, "head or number of the column; the last where nothing is said"),
};

static sp_attr_spec initial_attrs[] = {
    COMMON,
    PLACEMENT(0),
    FILE_NAME("file", 0, 1, "recording that gives the state"),
    NOT_NEGATIVE("time", "s", NULL, 0, 1, RELOAD, "time in the recording, its nearest frame; absent: the last one"),
    VECTOR("velocity", "m/s", NULL, 0, 1, RELOAD, "of everything"),
    VECTOR("spin", "rad/s", NULL, 0, 1, RELOAD, "about the centre of mass"),
};

static sp_attr_spec rest_attrs[] = {
    COMMON,
    FILE_NAME("file", 0, 1, "rest shape"),
    SWITCH("flat", "no", 0, 3, RELOAD, "laid out in a plane"),
    POSITIVE("scale", "", "1", 0, 1, RELOAD, "factor on every coordinate"),
};

static sp_attr_spec fix_attrs[] = {
    COMMON,
    SELECTION(0),
    CHOICE("axes", "xyz", AXES, 0, 1, RELOAD, "directions held"),
    POSITIVE("stiffness", "N/m", NULL, 0, 1, RELOAD, "per node: held by springs instead of exactly"),
};

static sp_attr_spec move_attrs[] = {
    COMMON,
    SELECTION(0),
    PLACEMENT(T_),
    VECTOR("about", "m", "0 0 0", 0, 1, RELOAD, "point that rotations turn about"),
    CHOICE("axes", "xyz", AXES, 0, 1, RELOAD, "directions moved"),
    REFERENCE("follow", ANY_BODY, LATER, 1, RELOAD, "body whose motion is taken"),
    CHOICE("interpolate", "linear", "linear/smooth/step", 0, 1, RELOAD, "between keys"),
};

static sp_attr_spec key_attrs[] = {
    COMMON,
    NOT_NEGATIVE("t", "s", NULL, NEED, 1, RELOAD, "when"),
    PLACEMENT(0),
    VECTOR("at", "m", NULL, LATER, 1, RELOAD, "of a camera"),
    VECTOR("to", "m", NULL, LATER, 1, RELOAD, "of a camera"),
    FREE_NUMBER("open", "deg", NULL, LATER, 1, RELOAD, "of a tool"),
};

static sp_attr_spec load_attrs[] = {
    COMMON,
    SELECTION(0),
    VECTOR("force", "N", NULL, T_, 1, RELOAD, "in all, shared equally"),
    VECTOR("each", "N", NULL, T_, 1, RELOAD, "on every node"),
    VECTOR("traction", "Pa", NULL, T_, 1, RELOAD, "per rest area, in a fixed direction"),
    FREE_NUMBER("pressure", "Pa", NULL, T_, 1, RELOAD, "against the normal, which it follows"),
    VECTOR("torque", "N m", NULL, T_, 1, RELOAD, "rods: in all, shared equally"),
    VECTOR("acceleration", "m/s2", NULL, T_, 1, RELOAD, "times the mass of every node"),
};

static sp_attr_spec pull_attrs[] = {
    COMMON,
    SELECTION(0),
    VECTOR("to", "m", NULL, NEED | T_, 1, RELOAD, "where the spring ends"),
    POSITIVE("stiffness", "N/m", "100", 0, 1, RELOAD, "of the spring"),
    NOT_NEGATIVE("damping", "N s/m", "0", 0, 1, RELOAD, "of the spring"),
};

static sp_attr_spec cut_attrs[] = {
    COMMON,
    SELECTION(0),
    CHOICE("mode", "carve", "carve/split", 0, 2, REBUILD, "remove elements or part them"),
    INTEGERS("refine", 1, 1, 0, 2, "0", 0, 2, REBUILD, "finer pieces"),
    INTEGERS("limit", 1, 1, 1, 1e6, "15", 0, 2, VALUES, "elements a step"),
    CHOICE("islands", "keep", "keep/drop", 0, 2, VALUES, "what comes off"),
    INTEGERS("reserve", 1, 1, 0, 1e8, "auto", AUTO, 2, REBUILD, "new nodes without allocating"),
};

const sp_element_spec sp__table_conditions[] = {
    ELEMENT("select", 1, true, "select", select_attrs, "a named selection; children unite"),
    ELEMENT("data", 1, true, "", data_attrs, "an array that @name stands for"),
    ELEMENT("initial", 1, true, "", initial_attrs, "start where it differs from rest"),
    ELEMENT("rest", 1, true, "", rest_attrs, "rest shape where it differs from the shape element"),
    ELEMENT("fix", 1, true, "", fix_attrs, "nodes held exactly, or by springs"),
    ELEMENT("move", 1, true, "key", move_attrs, "prescribed motion from the start pose"),
    ELEMENT("key", 1, true, "", key_attrs, "one pose of a motion"),
    ELEMENT("load", 1, true, "", load_attrs, "forces"),
    ELEMENT("pull", 1, true, "", pull_attrs, "a spring to a point, as a drag is"),
    ELEMENT("cut", 2, false, "", cut_attrs, "where and how this body may be cut"),
    {0},
};
