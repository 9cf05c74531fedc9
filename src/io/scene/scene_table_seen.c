// The table: appearance and outputs.
#include "io/scene/scene_table.h"

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
    SWITCH("flip", "no", 0, 1, RELOAD, "turn the triangles of the file inside out"),
    SELECTION(0),
    INTEGERS("subdivide", 1, 1, 0, 4, "0", 0, 1, RELOAD, "each triangle of the boundary into four, so many times"),
    SWITCH("smooth", "yes", 0, 1, RELOAD, "with subdivide: rounded by Loop's rule; edges sharper than 40 degrees stay"),
    CHOICE("map", "auto", "auto/barycentric/rigid/tube/ribbon", 0, 1, RELOAD,
           "how it follows the body; auto: barycentric on a solid, rigid on a rigid, tube around a rod"),
    INTEGERS("sides", 1, 1, 3, 64, "12", 0, 1, RELOAD, "rods: corners of a ring of the tube"),
    NOT_NEGATIVE("thickness", "m", "0", LATER, 1, RELOAD, "of a ribbon"),
    CHOICE("side", "outside", "outside/inside/both", 0, 2, RELOAD, "that is touched"),
    NOT_NEGATIVE("friction", "", NULL, 0, 2, VALUES, "coefficient"),
    POSITIVE("field", "m", NULL, 0, 2, RELOAD, "cell of a distance field"),
    SWITCH("self", "no", 0, 2, RELOAD, "touches itself"),
    REFERENCE("look", "look", 0, 1, RELOAD, "how it is drawn"),
};

static sp_attr_spec look_attrs[] = {
    COMMON,
    NUMBERS("color", 3, 3, "", 0, 1, "0.8 0.8 0.8", 0, 1, RELOAD, "red, green, blue"),
    NUMBERS("opacity", 1, 1, "", 0, 1, "1", 0, 1, RELOAD, "1: nothing shines through"),
    NUMBERS("roughness", 1, 1, "", 0, 1, "0.6", 0, 1, RELOAD, "0: mirror"),
    NUMBERS("metallic", 1, 1, "", 0, 1, "0", 0, 1, RELOAD, "1: metal"),
    SWITCH("edges", "no", 0, 1, RELOAD, "draw the edges of the mesh"),
    FILE_NAME("texture", 0, 2, "image laid on it"),
};

static sp_attr_spec view_attrs[] = {
    COMMON,
    CHOICE("color-by", "none", "none/" FIELDS_TO_COLOR "contact[2]/target-error[3]", 0, 1, RELOAD, "what colours show"),
    REFERENCES("of", ANY_BODY, 0, 1, RELOAD, "bodies shown; absent: all"),
    NUMBERS("range", 2, 2, "", -INFINITY, INFINITY, "auto", AUTO, 1, RELOAD, "of colours"),
    WORDS("show", "visual", "visual/mechanical/collision/fixed/loads", 0, 1, RELOAD, "what is drawn"),
    NUMBERS("background", 3, 3, "", 0, 1, "1 1 1", 0, 1, RELOAD, "red, green, blue"),
    CHOICE("transparency", "sorted", "sorted/layers", 0, 1, RELOAD,
           "of see-through bodies: sorted: the walls by which a ray enters; layers: all walls"),
};

static sp_attr_spec camera_attrs[] = {
    COMMON,
    VECTOR("at", "m", NULL, 0, 1, RELOAD, "where it stands; absent: fitted"),
    VECTOR("to", "m", NULL, 0, 1, RELOAD, "what it looks at"),
    VECTOR("up", "", NULL, 0, 1, RELOAD, "which way is up; absent: the scene's"),
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
    "contact-force[2]/contact-count[2]/gap[2]"

static sp_attr_spec probe_attrs[] = {
    COMMON,
    SAMPLING,
    SELECTION(0),
    REFERENCES("of", ANY_BODY, 0, 1, RELOAD, "under scene: the bodies meant"),
    WORDS("quantity", "position", QUANTITIES, 0, 1, RELOAD, "what is measured"),
    CHOICE("combine", "none", "none/sum/mean/max", 0, 1, RELOAD, "of several nodes, elements or bodies"),
};

#define RECORD_QUANTITIES \
    FIELDS_TO_RECORD      \
    "kinetic/elastic/momentum/volume/iterations/residual/step-ms/contact-force[2]/contact-count[2]/gap[2]"

static sp_attr_spec record_attrs[] = {
    COMMON,
    SAMPLING,
    FILE_NAME(
        "file", NEED | OUTPUT, 1,
        "plain name; its ending says the kind: .xdmf (with .h5), .vtu (with .pvd), .obj, .ply, .png, or .csv for the probes"),
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
    POSITIVE("wall", "s", NULL, 0, 1, RELOAD, "of the clock on the wall"),
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
    TEXT("source", 0, 1, "who says so"),
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
    CHOICE("run", "before", "before/only/no", 0, 1, RELOAD, "the run then replays the answer"),
    FILE_NAME("out", OUTPUT, 1, "where the answer goes"),
};

const sp_element_spec sp__table_seen[] = {
    ELEMENT("surface", 1, true, "", surface_attrs, "what is drawn and touched of a body"),
    ELEMENT("look", 1, true, "", look_attrs, "how something is drawn, shared by name"),
    ELEMENT("view", 1, true, "", view_attrs, "what pictures show"),
    ELEMENT("camera", 1, true, "key", camera_attrs, "where pictures are taken from; none: fitted"),
    ELEMENT("light", 1, true, "", light_attrs, "a light; none: a head light"),
    ELEMENT("probe", 1, true, "", probe_attrs, "numbers in time"),
    ELEMENT("record", 1, true, "", record_attrs, "a file of results"),
    ELEMENT("stop", 1, true, "", stop_attrs, "when the run ends; whichever comes first"),
    ELEMENT("expect", 1, true, "", expect_attrs, "a claim that the run checks"),
    ELEMENT("inverse", 1, true, "", inverse_attrs, "finds rest shapes, curvatures, material numbers, forces"),
    {0},
};
