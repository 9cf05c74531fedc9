// The table: bodies and their materials.
#include "io/scene/scene_table.h"

#define MODELS                                                                                                                 \
    "corotational/linear/tensor-mass[2]/stvk[2]/neo-hookean[2]/mooney-rivlin[2]/arruda-boyce[2]/veronda-westmann[2]/ogden[2]/" \
    "costa[2]/mass-spring[2]"

#define ON_A_BODY "select region data initial rest fix move load pull cut integrator solver surface probe"

#define DAMPING(kind)                                                                            \
    PARAM("rayleigh", SP_ATTR_NUMBER, 2, "1/s s", LISTED, 0, "damping by mass and by stiffness", \
          kind ".rayleigh-mass " kind ".rayleigh-stiffness"),                                    \
        NUMBER_PARAM("drag", LISTED, 0, kind ".drag")

static sp_attr_spec solid_attrs[] = {
    COMMON,
    PLACEMENT(0),
    MATERIAL(IT_SELF, T_, 0),
    ROW("material", SP_ATTR_CHOICE_OR_NAME, 1, 1, "", 0, 0, "corotational", MODELS, 0, 1, REBUILD,
        "a model, or the name of a material"),
    CHOICE("mass-matrix", "lumped", "lumped/consistent[1]", 0, 1, REBUILD, "mass at the nodes, or as the shape functions say"),
    DAMPING("solid"),
    CHOICE("compliance", "auto", "auto/diagonal/warped/warped-updated/factor/exact", 0, 2, REBUILD,
           "the inverse its contacts use"),
    REFERENCE("look", "look", 0, 1, RELOAD, "how it is drawn"),
};

static sp_attr_spec material_attrs[] = {
    COMMON,
    CHOICE("model", "corotational", MODELS, 0, 1, REBUILD, "the law"),
    MATERIAL(IT_SELF, T_, 0),
};

static sp_attr_spec region_attrs[] = {
    COMMON,
    SELECTION(0),
    MATERIAL(NOTHING, 0, LATER),
    ROW("material", SP_ATTR_CHOICE_OR_NAME, 1, 1, "", 0, 0, NULL, MODELS, 0, 1, REBUILD,
        "name of a material of the body's model"),
    NOT_NEGATIVE("friction", "", NULL, 0, 2, VALUES, "of contacts there"),
    PARAM("radius", SP_ATTR_NUMBER, 1, NULL, NULL, 0, "rods: of the section", "rod.radius"),
    PARAM("section", SP_ATTR_NUMBER, 2, NULL, NULL, 0, "rods: semi-axes", "rod.radius"),
    NOT_NEGATIVE("bore", "m", NULL, 0, 1, REBUILD, "rods: radius of a hole along it"),
    NUMBERS("curvature", 3, 3, "rad/m", -1e9, 1e9, NULL, X_, 1, REBUILD, "rods: natural twist and curvatures"),
    NOT_NEGATIVE("stretch", "N", NULL, 0, 3, VALUES, "shells"),
    NOT_NEGATIVE("area", "N/m", NULL, 0, 3, VALUES, "shells"),
    NOT_NEGATIVE("bend", "N m", NULL, 0, 3, VALUES, "shells"),
};

static sp_attr_spec rod_attrs[] = {
    COMMON,
    PLACEMENT(0),
    CHOICE("model", "clothoid", "clothoid/helix/der/beam", 0, 1, REBUILD, "what an element is"),
    NUMBER_PARAM("length", NULL, 0, "rod.length"),
    INTEGERS("elements", 1, 1, 1, 1e6, "4", 0, 1, RELOAD, "along the rod"),
    INTEGERS("degree", 1, 1, 0, 3, "1", 0, 1, RELOAD, "of curvature in an element: 1 of clothoids, 0 of helices"),
    NUMBER_PARAM("radius", NULL, 0, "rod.radius"),
    PARAM("section", SP_ATTR_NUMBER, 2, NULL, NULL, 0, "semi-axes of an elliptic one, along n1 and n2", "rod.radius"),
    NOT_NEGATIVE("bore", "m", "0", 0, 1, REBUILD, "radius of a hole along it"),
    PARAM("density", SP_ATTR_NUMBER, 1, NULL, LISTED, 0, "mass per volume", "rod.density"),
    NUMBER_PARAM("young", LISTED, 0, "rod.young"),
    NUMBER_PARAM("poisson", LISTED, 0, "rod.poisson"),
    NUMBERS("curvature", 3, 3, "rad/m", -1e9, 1e9, "0 0 0", T_ | X_, 1, REBUILD,
            "natural twist and curvatures about n1 and n2; of s, the arc length, or of t"),
    CHOICE("root", "clamped", "clamped/free", 0, 1, REBUILD, "held with its frame, or not"),
    CHOICE("clamp", "half-cell", "half-cell/edge", 0, 1, REBUILD,
           "model=\"der\": held by a frame and half a cell, or by an edge"),
    DAMPING("rod"),
    CHOICE("compliance", "auto", "auto/diagonal/block-tridiagonal/exact", 0, 2, REBUILD, "the inverse its contacts use"),
    REFERENCE("look", "look", 0, 1, RELOAD, "how it is drawn"),
};

static sp_attr_spec grow_attrs[] = {
    COMMON,
    NOT_NEGATIVE("rate", "m/s", NULL, NEED | T_, 1, REBUILD, "of length"),
    POSITIVE("until", "m", NULL, NEED, 1, REBUILD, "length at which it ends"),
    CHOICE("mode", "tip", "tip/scale", 0, 1, REBUILD,
           "the last element lengthens and is split, or all do and nodes slide; either way what is new is at the tip"),
    POSITIVE("split", "m", "auto", AUTO, 1, REBUILD, "tip: length at which an element becomes two; auto: 1.5 times the first"),
    NUMBERS("curvature", 3, 3, "rad/m", -1e9, 1e9, "0 0 0", T_, 1, REBUILD, "natural curvature of what is new"),
};

static sp_attr_spec feed_attrs[] = {
    COMMON,
    VECTOR("at", "m", NULL, NEED, 2, VALUES, "entry point"),
    VECTOR("direction", "", NULL, NEED, 2, VALUES, "of entry"),
    FREE_NUMBER("speed", "m/s", "0", T_, 2, VALUES, "of pushing"),
    FREE_NUMBER("spin", "rad/s", "0", T_, 2, VALUES, "of turning"),
    REFERENCE("device", "device", 0, 2, RELOAD, "hand that does it"),
};

static sp_attr_spec shell_attrs[] = {
    COMMON,
    PLACEMENT(0),
    CHOICE("model", "discrete", "discrete/koiter/corotational/isometric", 0, 3, REBUILD, "the law"),
    POSITIVE("area-density", "kg/m2", "0.1", 0, 3, REBUILD, "mass per area"),
    NOT_NEGATIVE("stretch", "N", NULL, 0, 3, VALUES, "discrete: of edges"),
    NOT_NEGATIVE("area", "N/m", NULL, 0, 3, VALUES, "discrete: of triangles"),
    NOT_NEGATIVE("bend", "N m", NULL, 0, 3, VALUES, "discrete: of hinges"),
    POSITIVE("thickness", "m", NULL, 0, 3, VALUES, "of the others"),
    NOT_NEGATIVE("young", "Pa", NULL, X_, 3, VALUES, "Young's modulus"),
    NUMBERS("poisson", 1, 1, "", -1, 0.5, "0.3", LOPEN | HOPEN, 3, VALUES, "Poisson's ratio"),
    CHOICE("mass-from", "rest", "rest/target", 0, 3, REBUILD, "shape whose areas give the mass"),
    NUMBERS("rayleigh", 2, 2, "1/s s", 0, INFINITY, "0 0", 0, 3, VALUES, "damping by mass and by stiffness"),
    NOT_NEGATIVE("drag", "N s/m3", "0", 0, 3, VALUES, "damping by the surroundings"),
    CHOICE("compliance", "auto", "auto/diagonal/factor/exact", 0, 3, REBUILD, "the inverse its contacts use"),
    REFERENCE("look", "look", 0, 3, RELOAD, "how it is drawn"),
};

static sp_attr_spec rigid_attrs[] = {
    COMMON,
    PLACEMENT(0),
    CHOICE("motion", "fixed", "fixed/kinematic/free[2]", 0, 1, REBUILD, "stays, follows a move, or obeys forces"),
    POSITIVE("mass", "kg", NULL, 0, 2, REBUILD, "of a free one"),
    POSITIVE("density", "kg/m3", "1000", 0, 2, REBUILD, "of a free one"),
    NUMBERS("inertia", 3, 6, "kg m2", -INFINITY, INFINITY, NULL, 0, 2, REBUILD, "of a free one"),
    REFERENCE("look", "look", 0, 1, RELOAD, "how it is drawn"),
};

static sp_attr_spec reduce_attrs[] = {
    COMMON,
    INTEGERS("modes", 1, 1, 1, 1e5, NULL, 0, 3, REBUILD, "coordinates"),
    FILE_NAME("snapshots", 0, 3, "recording to learn from"),
    POSITIVE("error", "", "1e-3", 0, 3, REBUILD, "allowed, relative"),
};

const sp_element_spec sp__table_bodies[] = {
    ELEMENT("solid", 1, true, "box cylinder sphere torus organ mesh fill image reduce " ON_A_BODY, solid_attrs,
            "tetrahedral soft body"),
    ELEMENT("material", 1, true, "", material_attrs, "a material shared by name"),
    ELEMENT("region", 1, true, "", region_attrs, "other values for some elements; a later region wins"),
    ELEMENT("rod", 1, true, "path grow feed " ON_A_BODY, rod_attrs, "a body that is thin in two directions"),
    ELEMENT("grow", 1, true, "", grow_attrs, "a rod that lengthens"),
    ELEMENT("feed", 2, false, "", feed_attrs, "a rod pushed and turned through an entry point"),
    ELEMENT("shell", 3, false, "mesh sheet disc " ON_A_BODY, shell_attrs, "cloth and shells"),
    ELEMENT("rigid", 1, true, "box cylinder sphere torus capsule plane mesh surface move initial select probe", rigid_attrs,
            "floor, bone, tool"),
    ELEMENT("reduce", 3, false, "", reduce_attrs, "a solid in few coordinates"),
    {0},
};
