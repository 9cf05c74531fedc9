// The table of the scene language: shapes, bodies, materials, boundary conditions and loads.
#include "io/scene/scene_table.h"

// ======================================================================================================== shapes

// One per solid or shell; any number per rigid, each with an optional placement.

#define ORDER(meaning) INTEGERS("order", 1, 1, 1, 2, "1", 0, 1, RELOAD, meaning)
#define ELEMENT_TARGET(stage) INTEGERS("elements", 1, 1, 1, 134217728, NULL, 0, stage, RELOAD, "instead of cells: about so many")

static sp_attr_spec box_attrs[] = {
    COMMON,
    NUMBERS("size", 3, 3, "m", 0, INFINITY, NULL, NEED | LOPEN, 1, RELOAD, "edge lengths; a corner is the own origin"),
    INTEGERS("cells", 3, 3, 1, 1e6, "auto", AUTO, 1, RELOAD, "cells along x, y, z; auto: four along the shortest edge, all even"),
    CHOICE("pattern", "5", "5/6/hex", 0, 1, RELOAD,
           "tetrahedra a cell: 5 alternating, mirror symmetric along axes with an even count of cells; or 6 along the main "
           "diagonal, one-sided: a beam bends aside; hex: hexahedra"),
    ORDER("2: quadratic tetrahedra, with nodes on their edges"),
    PLACEMENT(0),
};

static sp_attr_spec cylinder_attrs[] = {
    COMMON,
    POSITIVE("radius", "m", NULL, NEED, 1, RELOAD, "of the cylinder"),
    POSITIVE("length", "m", NULL, NEED, 1, RELOAD, "from the own origin along the axis"),
    VECTOR("axis", "", "0 0 1", 0, 1, RELOAD, "direction"),
    INTEGERS("cells", 2, 2, 1, 1e6, "auto", AUTO, 1, RELOAD, "cells across the radius and along the axis"),
    ELEMENT_TARGET(1),
    ORDER("2: quadratic tetrahedra, with curved faces on the surface"),
    PLACEMENT(0),
};

static sp_attr_spec sphere_attrs[] = {
    COMMON,
    NUMBERS("radius", 1, 3, "m", 0, INFINITY, NULL, NEED | LOPEN, 1, RELOAD,
            "one, or three of an ellipsoid, about the own origin"),
    INTEGERS("cells", 1, 1, 1, 1e6, "auto", AUTO, 1, RELOAD, "cells across the radius"),
    ELEMENT_TARGET(1),
    ORDER("2: quadratic tetrahedra, with curved faces on the surface"),
    PLACEMENT(0),
};

static sp_attr_spec torus_attrs[] = {
    COMMON,
    NUMBERS("radius", 2, 2, "m", 0, INFINITY, NULL, NEED | LOPEN, 1, RELOAD, "of the ring about the own origin, and of its tube"),
    VECTOR("axis", "", "0 1 0", 0, 1, RELOAD, "of the ring"),
    INTEGERS("cells", 2, 2, 1, 1e6, "auto", AUTO, 1, RELOAD, "cells around the ring and across the tube's radius"),
    ELEMENT_TARGET(1),
    ORDER("2: quadratic tetrahedra, with curved faces on the surface"),
    PLACEMENT(0),
};

static sp_attr_spec capsule_attrs[] = {
    COMMON,
    POSITIVE("radius", "m", NULL, NEED, 1, RELOAD, "of shaft and caps"),
    POSITIVE("length", "m", NULL, NEED, 1, RELOAD, "between the caps' centres; the own origin is the first"),
    VECTOR("axis", "", "0 0 1", 0, 1, RELOAD, "direction"),
    PLACEMENT(0),
};

static sp_attr_spec plane_attrs[] = {
    COMMON,
    VECTOR("point", "m", "0 0 0", 0, 1, RELOAD, "on it"),
    VECTOR("normal", "", "0 1 0", 0, 1, RELOAD, "away from the solid half-space"),
    PLACEMENT(0),
};

static sp_attr_spec organ_attrs[] = {
    COMMON,
    CHOICE("kind", "liver", "liver/lens/eye/skin/stomach/vessels/gall-bladder/rabbit/armadillo/octopus/snake", 0, 1, RELOAD,
           "which"),
    POSITIVE("length", "m", "0.2", 0, 1, RELOAD, "longest extent, about the own origin"),
    INTEGERS("elements", 1, 1, 300, 67108864, "5000", 0, 1, RELOAD, "about so many"),
    ORDER("2: quadratic tetrahedra, with nodes on their edges"),
    PLACEMENT(0),
};

static sp_attr_spec mesh_attrs[] = {
    COMMON,
    FILE_NAME("file", NEED, 1,
              "tetrahedra and hexahedra, with their groups and arrays; rigid and membranes: triangles, or the boundary of these"),
    POSITIVE("scale", "", "1", 0, 1, RELOAD, "factor on every coordinate, 0.001 for a file in millimetres"),
    TEXT("part", 0, 1, "group to take instead of the whole"),
    NOT_NEGATIVE("weld", "m", "0", 0, 1, RELOAD, "nodes closer than this are merged"),
    SWITCH("flip", "no", 0, 1, RELOAD, "reverse surface triangles; elements are oriented automatically"),
    SWITCH("tetrahedra", "no", 0, 1, RELOAD, "cut hexahedra into linear tetrahedra, and take the corners of quadratic ones"),
    ORDER("2: linear tetrahedra get nodes on their edges; quadratic ones of the file stay"),
};

static sp_attr_spec fill_attrs[] = {
    COMMON,
    FILE_NAME("file", NEED, 2, "closed surface"),
    POSITIVE("scale", "", "1", 0, 2, RELOAD, "factor on every coordinate"),
    CHOICE("method", "tets", "tets/grid", 0, 2, RELOAD, "fill with tetrahedra, or with a regular grid around it"),
    POSITIVE("size", "m", NULL, NEED, 2, RELOAD, "of an element"),
};

static sp_attr_spec image_attrs[] = {
    COMMON,
    FILE_NAME("file", NEED, 3, "label volume"),
    INTEGERS("labels", 1, MANY, 0, 65535, NULL, 0, 3, RELOAD, "labels to take"),
    POSITIVE("size", "m", NULL, NEED, 3, RELOAD, "of an element"),
    NOT_NEGATIVE("smooth", "m", "auto", AUTO, 3, RELOAD, "of the boundary"),
};

static sp_attr_spec sheet_attrs[] = {
    COMMON,
    NUMBERS("size", 2, 2, "m", 0, INFINITY, NULL, NEED | LOPEN, 1, RELOAD,
            "edges in the own xz plane; a corner is the own origin"),
    INTEGERS("cells", 2, 2, 1, 1e6, NULL, NEED, 1, RELOAD, "cells along them"),
    CHOICE("pattern", "cross", "cross/diagonal", 0, 1, RELOAD, "of the triangles: four or two in a cell"),
    PLACEMENT(0),
};

static sp_attr_spec disc_attrs[] = {
    COMMON,
    POSITIVE("radius", "m", NULL, NEED, 1, RELOAD, "in the own xz plane, about the own origin"),
    INTEGERS("rings", 1, 1, 1, 1e4, NULL, NEED, 1, RELOAD, "rings of triangles; ring k has 6 k nodes"),
    PLACEMENT(0),
};

static sp_attr_spec path_attrs[] = {
    COMMON,
    NUMBERS("points", 3, MANY, "m", -INFINITY, INFINITY, NULL, 0, 1, RELOAD, "triples along the centreline, two at least"),
    FILE_NAME("file", 0, 1, "instead of points: comma-separated x, y, z, or the polyline of an .obj"),
    POSITIVE("scale", "", "1", 0, 1, RELOAD, "factor on every coordinate"),
    SWITCH("closed", "no", 0, 2, RELOAD, "the last point joins the first"),
    POSITIVE("fit", "m", "auto", AUTO, 1, RELOAD, "allowed distance from the points; auto: 1e-3 of the length"),
};

const sp_element_spec sp__table_shapes[] = {
    ELEMENT("box", 1, true, "", box_attrs, "box with a corner at the own origin"),
    ELEMENT("cylinder", 1, true, "", cylinder_attrs, "cylinder from the own origin along its axis"),
    ELEMENT("sphere", 1, true, "", sphere_attrs, "ball or ellipsoid about the own origin"),
    ELEMENT("torus", 1, true, "", torus_attrs, "ring about the own origin"),
    ELEMENT("capsule", 1, true, "", capsule_attrs, "cylinder with round caps, rigid only"),
    ELEMENT("plane", 1, true, "", plane_attrs, "rigid only: solid half-space below a plane"),
    ELEMENT("organ", 1, true, "", organ_attrs, "organ-like shape with groups of its parts"),
    ELEMENT("mesh", 1, true, "", mesh_attrs, "elements from a file"),
    ELEMENT("fill", 2, false, "", fill_attrs, "closed surface filled with elements"),
    ELEMENT("image", 3, false, "", image_attrs, "label volume made into tetrahedra"),
    ELEMENT("sheet", 1, true, "", sheet_attrs, "rectangle of triangles"),
    ELEMENT("disc", 1, true, "", disc_attrs, "disc of triangles"),
    ELEMENT("path", 1, true, "", path_attrs, "centreline of a rod: start and rest shape; start only, where curvature is written"),
    {0},
};

// ==================================================================================== bodies and their materials

#define MODELS                                                                                                      \
    "corotational/linear/tensor-mass/stvk/neo-hookean/mooney-rivlin/arruda-boyce/veronda-westmann/ogden/holzapfel/" \
    "costa/mass-spring"

#define ON_A_BODY "select region data initial rest fix move load mass pull cut integrator solver surface probe"

#define DAMPING(kind)                                                                            \
    PARAM("rayleigh", SP_ATTR_NUMBER, 2, "1/s s", LISTED, 0, "damping by mass and by stiffness", \
          kind ".rayleigh-mass " kind ".rayleigh-stiffness"),                                    \
        NUMBER_PARAM("drag", LISTED, 0, kind ".drag")

static sp_attr_spec solid_attrs[] = {
    COMMON,
    PLACEMENT(0),
    MATERIAL(IT_SELF, T_),
    ROW("material", SP_ATTR_CHOICE_OR_NAME, 1, 1, "", 0, 0, "corotational", MODELS, 0, 1, REBUILD,
        "a model, or the name of a material"),
    POSITIVE("thickness", "m", NULL, 0, 1, REBUILD, "makes it a membrane: of the triangles of its shape, or of its surface"),
    CHOICE("mass-matrix", "lumped", "lumped/consistent", 0, 1, REBUILD,
           "lumped at the nodes, or consistent with the shape functions"),
    DAMPING("solid"),
    CHOICE("compliance", "auto", "auto/diagonal/warped/warped-updated[2]/factor/exact", 0, 1, REBUILD,
           "the inverse its contacts use"),
    REFERENCE("look", "look", 0, 1, RELOAD, "how it is drawn"),
};

static sp_attr_spec material_attrs[] = {
    COMMON,
    CHOICE("model", "corotational", MODELS, 0, 1, REBUILD, "the law"),
    MATERIAL(IT_SELF, T_),
};

static sp_attr_spec region_attrs[] = {
    COMMON,
    SELECTION(0),
    MATERIAL(NOTHING, 0),
    ROW("material", SP_ATTR_CHOICE_OR_NAME, 1, 1, "", 0, 0, NULL, MODELS, 0, 1, REBUILD,
        "another model, or the name of a material"),
    NOT_NEGATIVE("friction", "", NULL, 0, 1, VALUES, "of contacts there"),
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
    CHOICE("compliance", "auto", "auto/diagonal/block-tridiagonal/exact", 0, 1, REBUILD, "the inverse its contacts use"),
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
    VECTOR("at", "m", NULL, NEED, 1, REBUILD, "entry point, in world axes"),
    VECTOR("direction", "", NULL, NEED, 1, REBUILD, "of entry, in world axes; of any length"),
    PARAM("speed", SP_ATTR_NUMBER, 1, NULL, LISTED, T_, "along the direction", "rod.feed.speed"),
    PARAM("spin", SP_ATTR_NUMBER, 1, NULL, LISTED, T_, "about the direction", "rod.feed.spin"),
    REFERENCE("device", "device", 0, 2, RELOAD, "haptic device that drives it"),
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
    CHOICE("motion", "fixed", "fixed/kinematic/free", 0, 1, REBUILD,
           "fixed, kinematic (follows a move), or free: six degrees of freedom"),
    POSITIVE("mass", "kg", NULL, 0, 1, REBUILD, "of a free one, instead of its density"),
    POSITIVE("density", "kg/m3", "1000", 0, 1, REBUILD, "of a free one: its mass is that of its shapes, which add up"),
    NUMBERS("inertia", 3, 6, "kg m2", -INFINITY, INFINITY, NULL, 0, 1, REBUILD,
            "of a free one, instead of that of its shapes: xx yy zz, or xx yy zz xy yz zx, about its centre of mass in its own "
            "axes"),
    REFERENCE("look", "look", 0, 1, RELOAD, "how it is drawn"),
};

static sp_attr_spec reduce_attrs[] = {
    COMMON,
    INTEGERS("modes", 1, 1, 1, 1e5, NULL, 0, 3, REBUILD, "coordinates"),
    FILE_NAME("snapshots", 0, 3, "recording to learn from"),
    POSITIVE("error", "", "1e-3", 0, 3, REBUILD, "allowed, relative"),
};

const sp_element_spec sp__table_bodies[] = {
    ELEMENT("solid", 1, true, "box cylinder sphere torus organ mesh sheet disc fill image reduce " ON_A_BODY, solid_attrs,
            "soft body of tetrahedra, hexahedra, or triangles with a thickness"),
    ELEMENT("material", 1, true, "", material_attrs, "a material shared by name"),
    ELEMENT("region", 1, true, "", region_attrs, "other values for some elements; a later region wins"),
    ELEMENT("rod", 1, true, "path grow feed " ON_A_BODY, rod_attrs, "a body that is thin in two directions"),
    ELEMENT("grow", 1, true, "", grow_attrs, "a rod that lengthens"),
    ELEMENT("feed", 1, true, "", feed_attrs, "a rod pushed and turned through an entry point"),
    ELEMENT("shell", 3, false, "mesh sheet disc " ON_A_BODY, shell_attrs, "cloth and shells"),
    ELEMENT("rigid", 1, true,
            "box cylinder sphere torus capsule plane mesh surface move initial load pull integrator select probe", rigid_attrs,
            "floor, bone, tool, or a body that moves freely"),
    ELEMENT("reduce", 3, false, "", reduce_attrs, "a solid in few coordinates"),
    {0},
};

// ===================================================================== boundary conditions and loads of one body

static sp_attr_spec select_attrs[] = {COMMON, SELECTION(0)};

static sp_attr_spec data_attrs[] = {
    COMMON,
    FILE_NAME("file", NEED, 1, "comma-separated, or one number a line"),
    CHOICE("on", "elements", "elements/nodes", 0, 1, RELOAD, "whose numbers they are"),
    TEXT("column", 0, 1, "head or number of the column; default: the last one"),
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
    REFERENCE("follow", ANY_BODY, LATER, 1, RELOAD, "body whose motion it follows"),
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
    VECTOR("torque", "N m", NULL, T_, 1, RELOAD, "rods and free rigid bodies: in all, shared equally"),
    VECTOR("acceleration", "m/s2", NULL, T_, 1, RELOAD, "times the mass of every node"),
};

static sp_attr_spec mass_attrs[] = {
    COMMON,
    SELECTION(0),
    PARAM("value", SP_ATTR_NUMBER, 1, NULL, NULL, NEED | T_, "in all, shared equally", "solid.mass.value"),
    NOT_NEGATIVE("inertia", "kg m2", "0", 0, 1, RELOAD, "rods: moment of inertia about every axis, in all"),
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
    CHOICE("mode", "carve", "carve/split", 0, 2, REBUILD, "remove elements or separate them"),
    INTEGERS("refine", 1, 1, 0, 2, "0", 0, 2, REBUILD, "finer pieces"),
    INTEGERS("limit", 1, 1, 1, 1e6, "15", 0, 2, VALUES, "elements a step"),
    CHOICE("islands", "keep", "keep/drop", 0, 2, VALUES, "pieces that are cut off"),
    INTEGERS("reserve", 1, 1, 0, 1e8, "auto", AUTO, 2, REBUILD, "new nodes without allocating"),
};

const sp_element_spec sp__table_conditions[] = {
    ELEMENT("select", 1, true, "select", select_attrs, "a named selection; children unite"),
    ELEMENT("data", 1, true, "", data_attrs, "an array, used as @name"),
    ELEMENT("initial", 1, true, "", initial_attrs, "start where it differs from rest"),
    ELEMENT("rest", 1, true, "", rest_attrs, "rest shape where it differs from the shape element"),
    ELEMENT("fix", 1, true, "", fix_attrs, "nodes held exactly, or by springs"),
    ELEMENT("move", 1, true, "key", move_attrs, "prescribed motion from the start pose"),
    ELEMENT("key", 1, true, "", key_attrs, "one pose of a motion"),
    ELEMENT("load", 1, true, "", load_attrs, "forces"),
    ELEMENT("mass", 1, true, "", mass_attrs, "a weight at a point, or shared by nodes"),
    ELEMENT("pull", 1, true, "", pull_attrs, "a spring to a point, as a drag is"),
    ELEMENT("cut", 2, false, "", cut_attrs, "where and how this body may be cut"),
    {0},
};
