// Macros for the rows of the table, and attribute groups that several elements share.
#ifndef SP_SCENE_TABLE_H
#define SP_SCENE_TABLE_H

#include "io/scene/scene.h"

// cost of a change while running
#define VALUES "values"    // applied at the next step
#define REBUILD "rebuild"  // the system of the body is built again
#define RELOAD "reload"    // the scene is read again

enum {
    T_ = SP_ATTR_OF_TIME,
    X_ = SP_ATTR_OF_SPACE,
    NEED = SP_ATTR_REQUIRED,
    LOPEN = SP_ATTR_LOW_OPEN,
    HOPEN = SP_ATTR_HIGH_OPEN,
    AUTO = SP_ATTR_AUTO,
    LATER = SP_ATTR_NOT_BUILT,
    OUTPUT = SP_ATTR_OUTPUT,
    MANY = SP_ATTR_MANY
};

// A row: name, minimum and maximum number of values, unit, range, default, choices, flags, stage, price, meaning.
#define ROW(name, kind, lo, hi, unit, low, high, def, choices, flags, stage, price, meaning)                                \
    {                                                                                                                       \
        name, kind, lo, hi, unit, low, high, def, choices, (unsigned)(flags) | ((stage) > 1 ? (unsigned)LATER : 0u), stage, \
            price, meaning, NULL, ""                                                                                        \
    }
// A row of `count` numbers whose range and price are in the engine's list of parameters under `param`. NULL: unit or meaning
// come from there too; LISTED: the default does.
#define PARAM(name, kind, count, unit, def, flags, meaning, param) \
    { name, kind, count, count, unit, 0, 0, def, NULL, (unsigned)(flags), 1, NULL, meaning, param, "" }
#define LISTED "*"
#define NUMBER_PARAM(name, def, flags, param) PARAM(name, SP_ATTR_NUMBER, 1, NULL, def, flags, NULL, param)
#define NUMBERS(name, lo, hi, unit, low, high, def, flags, stage, price, meaning) \
    ROW(name, SP_ATTR_NUMBER, lo, hi, unit, low, high, def, NULL, flags, stage, price, meaning)
#define VECTOR(name, unit, def, flags, stage, price, meaning) \
    NUMBERS(name, 3, 3, unit, -INFINITY, INFINITY, def, flags, stage, price, meaning)
#define FREE_NUMBER(name, unit, def, flags, stage, price, meaning) \
    NUMBERS(name, 1, 1, unit, -INFINITY, INFINITY, def, flags, stage, price, meaning)
#define POSITIVE(name, unit, def, flags, stage, price, meaning) \
    NUMBERS(name, 1, 1, unit, 0, INFINITY, def, (flags) | LOPEN, stage, price, meaning)
#define NOT_NEGATIVE(name, unit, def, flags, stage, price, meaning) \
    NUMBERS(name, 1, 1, unit, 0, INFINITY, def, flags, stage, price, meaning)
#define INTEGERS(name, lo, hi, low, high, def, flags, stage, price, meaning) \
    ROW(name, SP_ATTR_INTEGER, lo, hi, "", low, high, def, NULL, flags, stage, price, meaning)
#define SWITCH(name, def, flags, stage, price, meaning) \
    ROW(name, SP_ATTR_SWITCH, 1, 1, "", 0, 0, def, "yes/no", flags, stage, price, meaning)
#define CHOICE(name, def, choices, flags, stage, price, meaning) \
    ROW(name, SP_ATTR_CHOICE, 1, 1, "", 0, 0, def, choices, flags, stage, price, meaning)
#define WORDS(name, def, choices, flags, stage, price, meaning) \
    ROW(name, SP_ATTR_WORDS, 1, MANY, "", 0, 0, def, choices, flags, stage, price, meaning)
#define REFERENCE(name, targets, flags, stage, price, meaning) \
    ROW(name, SP_ATTR_REFERENCE, 1, 1, "", 0, 0, NULL, targets, flags, stage, price, meaning)
#define REFERENCES(name, targets, flags, stage, price, meaning) \
    ROW(name, SP_ATTR_REFERENCE, 1, MANY, "", 0, 0, NULL, targets, flags, stage, price, meaning)
#define FILE_NAME(name, flags, stage, meaning) ROW(name, SP_ATTR_FILE, 1, 1, "", 0, 0, NULL, NULL, flags, stage, RELOAD, meaning)
#define TEXT(name, flags, stage, meaning) ROW(name, SP_ATTR_TEXT, 1, 1, "", 0, 0, NULL, NULL, flags, stage, RELOAD, meaning)
#define CONDITION(name, flags, stage, meaning) \
    ROW(name, SP_ATTR_EXPRESSION, 1, 1, "", 0, 0, NULL, NULL, flags, stage, RELOAD, meaning)

#define ANY_BODY "solid/rod/shell/rigid"
#define AXES "xyz/xy/xz/yz/x/y/z"

// attributes of every element; `scene` allows more names
#define COMMON                                                                                                            \
    ROW("name", SP_ATTR_NAME, 1, 1, "", 0, 0, NULL, NULL, 0, 1, RELOAD, "a letter, then letters, digits, _ and -"),       \
        ROW("class", SP_ATTR_NAME, 1, 1, "", 0, 0, NULL, NULL, 0, 1, RELOAD, "default class of it and of what it holds"), \
        SWITCH("enabled", "yes", 0, 1, RELOAD, "no: absent from the simulation, still checked")

// placement P: scale, then rotate or quat, then translate
#define PLACEMENT(flags)                                                                                                      \
    NUMBERS("scale", 1, 3, "", 0, INFINITY, NULL, (flags) | LOPEN, 1, RELOAD, "first: one factor, or one an axis"),           \
        NUMBERS("rotate", 3, 4, "deg", -INFINITY, INFINITY, NULL, flags, 1, RELOAD,                                           \
                "then: rotations about the fixed x, y, z in that order; or axis and angle"),                                  \
        NUMBERS("quat", 4, 4, "", -INFINITY, INFINITY, NULL, flags, 1, RELOAD, "instead of rotate: the rotation as w x y z"), \
        VECTOR("translate", "m", NULL, flags, 1, RELOAD, "last: the displacement")

// selection S; given criteria intersect
#define SELECTION(flags)                                                                                                        \
    NUMBERS("box", 6, 6, "m", -INFINITY, INFINITY, NULL, flags, 1, RELOAD, "inside x0 y0 z0 x1 y1 z1"),                         \
        NUMBERS("sphere", 4, 4, "m", -INFINITY, INFINITY, NULL, flags, 1, RELOAD, "inside centre and radius"),                  \
        NUMBERS("plane", 6, 6, "m", -INFINITY, INFINITY, NULL, flags, 1, RELOAD,                                                \
                "point and normal: the side the normal points to"),                                                             \
        POSITIVE("within", "m", NULL, flags, 1, RELOAD, "with plane: the layer of that half thickness around it"),              \
        TEXT("tag", flags, 1, "group of the mesh file, by name or number"),                                                     \
        ROW("nodes", SP_ATTR_IDS, 1, MANY, "", 0, 0, NULL, NULL, flags, 1, RELOAD, "numbers as in the file, \"0 7 12-20\""),    \
        VECTOR("near", "m", NULL, flags, 1, RELOAD, "the one nearest node, ties to the lower number"),                          \
        VECTOR("point", "m", NULL, flags, 1, RELOAD, "the material point there, interpolated in its element"),                  \
        CONDITION("where", (flags) | X_, 1, "expression of x, y, z (rods: and s) that is true inside"),                         \
        NUMBERS("s", 1, 2, "m", 0, INFINITY, NULL, flags, 1, RELOAD, "rods: an arc length or an interval"),                     \
        CHOICE("end", NULL, "root/tip", flags, 1, RELOAD, "rods: an end"),                                                      \
        REFERENCE("select", "select/fix/region", flags, 1, RELOAD, "what that select, fix or region of the same body selects"), \
        CHOICE("on", NULL, "all/surface", flags, 1, RELOAD, "surface: only what lies on the boundary"),                         \
        SWITCH("invert", "no", flags, 1, RELOAD, "the complement"),                                                             \
        CHOICE("frame", "body", "body/world", flags, 1, RELOAD, "coordinates before or after the body's placement"),            \
        SWITCH("empty", "no", flags, 1, RELOAD, "yes: selecting nothing is no error")

// sampling T: one of every, period, times
#define SAMPLING                                                                                                               \
    INTEGERS("every", 1, 1, 1, 1e9, NULL, 0, 1, RELOAD, "steps between samples; default: 1"),                                  \
        POSITIVE("period", "s", NULL, 0, 1, RELOAD, "time between samples"),                                                   \
        NUMBERS("times", 1, MANY, "s", 0, INFINITY, NULL, 0, 1, RELOAD, "samples at these times, interpolated between steps"), \
        NOT_NEGATIVE("from", "s", NULL, 0, 1, RELOAD, "no sample before"),                                                     \
        NOT_NEGATIVE("until", "s", NULL, 0, 1, RELOAD, "no sample after")

#define IT_SELF(x) x
#define NOTHING(x) NULL
// material M; DEF keeps or drops the defaults; `time` is T_ if the modulus may vary in time
#define MATERIAL(DEF, time)                                                                                                     \
    NUMBER_PARAM("density", DEF(LISTED), X_, "solid.density"), NUMBER_PARAM("young", DEF(LISTED), (time) | X_, "solid.young"),  \
        NUMBER_PARAM("poisson", DEF(LISTED), X_, "solid.poisson"),                                                              \
        NUMBERS("swell", 1, 1, "", -0.9, 10, DEF("0"), T_ | X_, 1, REBUILD, "linear strain without stress, in all directions"), \
        NUMBERS("active", 1, 1, "", 0, 0.9, DEF("0"), T_ | X_, 1, REBUILD,                                                      \
                "contraction along the fibres without stress, at constant volume"),                                             \
        CHOICE("rotation", DEF("svd"), "svd/polar/qr", 0, 1, REBUILD, "corotational: how the rotation of an element is found"), \
        CHOICE("shape", DEF("rest"), "rest/deformed", 0, 1, REBUILD,                                                            \
               "corotational: shape on which the stiffness is built; deformed: no torque on a deformed element"),               \
        CHOICE("tangent", DEF("frozen"), "frozen/exact", 0, 1, VALUES,                                                          \
               "second derivative of the energy: positive semi-definite (corotational: rotations held), or exact"),             \
        CHOICE("form", DEF("stable"), "stable/log/isochoric", 0, 1, REBUILD, "neo-hookean: its energy"),                        \
        CHOICE("volumetric", DEF("log"), "log/quadratic/mixed", 0, 1, REBUILD,                                                  \
               "laws with a bulk modulus k: k/2 ln^2 J, k/2 (J-1)^2 or k/2 ((J^2-1)/2 - ln J)"),                                \
        CHOICE("integration", NULL, "b-bar/full/vertices", 0, 1, REBUILD,                                                       \
               "b-bar: one mean change of volume per 8-node hexahedron or patch of 4-node tetrahedra, which does not lock; "    \
               "vertices: 10-node tetrahedra with eight points, which recover from inversion; "                                 \
               "default: b-bar for hexahedra, full for tetrahedra"),                                                            \
        CHOICE("law", DEF("stvk"), "stvk/hooke", 0, 1, REBUILD, "tensor-mass: its energy"),                                     \
        NUMBERS("coefficients", 1, 8, "", -1e15, 1e15, NULL, 0, 1, REBUILD,                                                     \
                "instead of young: constants of the law, in the order of docs/materials.md"),                                   \
        NUMBERS("bulk", 1, 1, "Pa", 0, 1e15, NULL, LOPEN, 1, REBUILD, "instead of poisson: bulk modulus"),                      \
        NUMBERS("fibre", 3, 6, "", -1e15, 1e15, NULL, X_, 1, REBUILD,                                                           \
                "direction of fibres at rest; six numbers: then that of a second family, or of the sheet of costa"),            \
        NUMBERS("fibre-young", 1, 1, "Pa", 0, 1e15, DEF("0"), 0, 1, REBUILD,                                                    \
                "modulus along the fibres, added to an isotropic law"),                                                         \
        NUMBERS("prony", 2, 16, "", 0, INFINITY, NULL, LOPEN, 1, REBUILD,                                                       \
                "viscous part: pairs of a share of the stiffness and its time [s], docs/viscosity.md"),                         \
        NUMBERS("incompressibility", 1, 1, "Pa", 0, 1e15, DEF("0"), 0, 1, REBUILD,                                              \
                "modulus k of a penalty k/2 (J - 1)^2 on the change of volume; laws with a bulk modulus: use bulk"),            \
        POSITIVE("tear", "Pa", NULL, 0, 2, VALUES, "principal stress at which elements separate")

#define COUNT_OF(array) ((int)(sizeof(array) / sizeof((array)[0])))
#define ELEMENT(name, stage, built, children, attrs, meaning) \
    { name, stage, children, attrs, COUNT_OF(attrs), meaning, built }

// parts of the table in scene_table_bodies.c, each terminated by a row without a name
extern const sp_element_spec sp__table_shapes[], sp__table_bodies[], sp__table_conditions[];

#endif
