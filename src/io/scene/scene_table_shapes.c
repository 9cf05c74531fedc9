// The table: shapes. One per solid or shell; any number per rigid, each with an optional placement.
#include "io/scene/scene_table.h"

#define ELEMENT_TARGET(stage) INTEGERS("elements", 1, 1, 1, 134217728, NULL, 0, stage, RELOAD, "instead of cells: about so many")

static sp_attr_spec box_attrs[] = {
    COMMON,
    NUMBERS("size", 3, 3, "m", 0, INFINITY, NULL, NEED | LOPEN, 1, RELOAD, "edge lengths; a corner is the own origin"),
    INTEGERS("cells", 3, 3, 1, 1e6, "auto", AUTO, 1, RELOAD, "cells along x, y, z; auto: four along the shortest edge, all even"),
    CHOICE("pattern", "5", "5/6/hex[2]", 0, 1, RELOAD,
           "tetrahedra a cell: 5 alternating, mirror symmetric along axes with an even count of cells; or 6 along the main "
           "diagonal, one-sided: a beam bends aside"),
    PLACEMENT(0),
};

static sp_attr_spec cylinder_attrs[] = {
    COMMON,
    POSITIVE("radius", "m", NULL, NEED, 1, RELOAD, "of the cylinder"),
    POSITIVE("length", "m", NULL, NEED, 1, RELOAD, "from the own origin along the axis"),
    VECTOR("axis", "", "0 0 1", 0, 1, RELOAD, "direction"),
    INTEGERS("cells", 2, 2, 1, 1e6, "auto", AUTO, 1, RELOAD, "cells across the radius and along the axis"),
    ELEMENT_TARGET(1),
    PLACEMENT(0),
};

static sp_attr_spec sphere_attrs[] = {
    COMMON,
    NUMBERS("radius", 1, 3, "m", 0, INFINITY, NULL, NEED | LOPEN, 1, RELOAD,
            "one, or three of an ellipsoid, about the own origin"),
    INTEGERS("cells", 1, 1, 1, 1e6, "auto", AUTO, 1, RELOAD, "cells across the radius"),
    ELEMENT_TARGET(1),
    PLACEMENT(0),
};

static sp_attr_spec torus_attrs[] = {
    COMMON,
    NUMBERS("radius", 2, 2, "m", 0, INFINITY, NULL, NEED | LOPEN, 1, RELOAD, "of the ring about the own origin, and of its tube"),
    VECTOR("axis", "", "0 1 0", 0, 1, RELOAD, "of the ring"),
    INTEGERS("cells", 2, 2, 1, 1e6, "auto", AUTO, 1, RELOAD, "cells around the ring and across the tube's radius"),
    ELEMENT_TARGET(1),
    PLACEMENT(0),
};

static sp_attr_spec capsule_attrs[] = {
    COMMON,
    POSITIVE("radius", "m", NULL, NEED, 2, RELOAD, "of shaft and caps"),
    POSITIVE("length", "m", NULL, NEED, 2, RELOAD, "between the caps' centres; the own origin is the first"),
    VECTOR("axis", "", "0 0 1", 0, 2, RELOAD, "direction"),
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
    CHOICE("kind", "liver", "liver/lens/eye/stomach/vessels/rabbit/armadillo", 0, 1, RELOAD, "which"),
    POSITIVE("length", "m", "0.2", 0, 1, RELOAD, "longest extent, about the own origin"),
    INTEGERS("elements", 1, 1, 300, 67108864, "5000", 0, 1, RELOAD, "about so many"),
    PLACEMENT(0),
};

static sp_attr_spec mesh_attrs[] = {
    COMMON,
    FILE_NAME("file", NEED, 1, "tetrahedra, with their groups and arrays"),
    POSITIVE("scale", "", "1", 0, 1, RELOAD, "factor on every coordinate, 0.001 for a file in millimetres"),
    TEXT("part", 0, 1, "group to take instead of the whole"),
    NOT_NEGATIVE("weld", "m", "0", 0, 1, RELOAD, "nodes nearer than this become one"),
    SWITCH("flip", "no", 0, 1, RELOAD, "turn surface triangles inside out; tetrahedra are turned right by themselves"),
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
    NUMBERS("size", 2, 2, "m", 0, INFINITY, NULL, NEED | LOPEN, 3, RELOAD, "edges in the own xz plane"),
    INTEGERS("cells", 2, 2, 1, 1e6, NULL, NEED, 3, RELOAD, "cells along them"),
    CHOICE("pattern", "cross", "cross/diagonal", 0, 3, RELOAD, "of the triangles"),
};

static sp_attr_spec disc_attrs[] = {
    COMMON,
    POSITIVE("radius", "m", NULL, NEED, 3, RELOAD, "in the own xz plane"),
    INTEGERS("rings", 1, 1, 1, 1e4, NULL, NEED, 3, RELOAD, "hexagonal rings"),
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
    ELEMENT("capsule", 2, false, "", capsule_attrs, "cylinder with round caps, rigid only"),
    ELEMENT("plane", 1, true, "", plane_attrs, "rigid only: solid half-space below a plane"),
    ELEMENT("organ", 1, true, "", organ_attrs, "organ-like shape with groups of its parts"),
    ELEMENT("mesh", 1, true, "", mesh_attrs, "elements from a file"),
    ELEMENT("fill", 2, false, "", fill_attrs, "closed surface filled with elements"),
    ELEMENT("image", 3, false, "", image_attrs, "label volume made into tetrahedra"),
    ELEMENT("sheet", 3, false, "", sheet_attrs, "rectangle of triangles"),
    ELEMENT("disc", 3, false, "", disc_attrs, "disc of triangles"),
    ELEMENT("path", 1, true, "", path_attrs, "centreline of a rod: start and rest shape; start only, where curvature is written"),
    {0},
};
