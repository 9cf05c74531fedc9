// `souple mesh generate`: writes a shape of given sizes to a file.
#include <limits.h>
#include <math.h>
#include <string.h>

#include "mesh/mesh.h"

enum { OUT = SP_MESH_OUT_OPTION_COUNT, SIZE, RADIUS, LENGTH, RING, TUBE, AXIS, CELLS, PER_CELL, ELEMENTS };

static const sp_option options[] = {
    SP_MESH_OUT_OPTIONS,
    [OUT] = {"--out", "FILE", "where to write it"},
    [SIZE] = {"--size", "X,Y,Z", "box: edges [m]; default 1,1,1"},
    [RADIUS] = {"--radius", "R", "cylinder, sphere: radius [m]; default 0.5. Sphere: RX,RY,RZ for an ellipsoid"},
    [LENGTH] = {"--length", "L", "cylinder: along the axis, default 1; organs: longest extent, default 0.1 [m]"},
    [RING] = {"--ring", "R", "torus: radius of the ring [m]; default 0.5"},
    [TUBE] = {"--tube", "R", "torus: radius of the tube [m]; default 0.2"},
    [AXIS] = {"--axis", "X,Y,Z", "cylinder, torus: direction of the axis; default 0,0,1"},
    [CELLS] = {"--cells", "N,..",
               "box: along x,y,z; cylinder: across the radius, along; sphere: across the radius; torus: around, across"},
    [PER_CELL] = {"--per-cell", "N", "box: tetrahedra a cell, 5 (default; symmetric where counts are even) or 6; 1: hexahedra"},
    [ELEMENTS] = {"--elements", "N", "organs: about so many tetrahedra; default 5000"},
};

typedef struct generate_args {
    sp_mesh_out out;
    double size[3], radius[3], length, ring, tube, axis[3];
    int radius_count, cells[3], cell_count;
    long per_cell, elements;
    unsigned given;  // bit mask of options
} generate_args;

typedef struct shape {
    const char *name;
    unsigned takes;  // bit mask of options
    int cells;       // count of numbers in --cells
    int cells_default[3];
    sp_status (*make)(sp_context *context, const generate_args *g, sp_mesh **out);
} shape;

// ---------------------------------------------------------------------------------------------------- shapes

static sp_status make_box(sp_context *context, const generate_args *g, sp_mesh **out) {
    return sp_mesh_box(context, g->size, g->cells, (int)g->per_cell, out);
}

static sp_status make_cylinder(sp_context *context, const generate_args *g, sp_mesh **out) {
    return sp_mesh_cylinder(context, g->radius[0], g->length, g->axis, g->cells, out);
}

static sp_status make_sphere(sp_context *context, const generate_args *g, sp_mesh **out) {
    return sp_mesh_sphere(context, g->radius, g->cells[0], out);
}

static sp_status make_torus(sp_context *context, const generate_args *g, sp_mesh **out) {
    return sp_mesh_torus(context, g->ring, g->tube, g->axis, g->cells, out);
}

static const shape shapes[] = {
    {"box", 1u << SIZE | 1u << CELLS | 1u << PER_CELL, 3, {4, 4, 4}, make_box},
    {"cylinder", 1u << RADIUS | 1u << LENGTH | 1u << AXIS | 1u << CELLS, 2, {3, 6, 0}, make_cylinder},
    {"sphere", 1u << RADIUS | 1u << CELLS, 1, {4, 0, 0}, make_sphere},
    {"torus", 1u << RING | 1u << TUBE | 1u << AXIS | 1u << CELLS, 2, {24, 2, 0}, make_torus},
};
enum { SHAPES = sizeof shapes / sizeof *shapes, NAMES_MAX = SHAPES + 32 };

// the names of the organs come from the library
static const shape organ = {NULL, 1u << LENGTH | 1u << ELEMENTS, 0, {0, 0, 0}, NULL};

static const shape *mesh_generate_find(const sp_arguments *a, const char *name) {
    const char *names[NAMES_MAX];
    int n = 0;
    for (int i = 0; i < SHAPES; i++) {
        if (strcmp(shapes[i].name, name) == 0) return &shapes[i];
        names[n++] = shapes[i].name;
    }
    for (int i = 0; n < NAMES_MAX && sp_mesh_organ_name(i); i++) {
        if (strcmp(sp_mesh_organ_name(i), name) == 0) return &organ;
        names[n++] = sp_mesh_organ_name(i);
    }
    sp__check_word(a, "shape", name, names, n);
    return NULL;
}

// ---------------------------------------------------------------------------------------------------- arguments

static bool mesh_generate_take(sp_arguments *a, int option, char **values) {
    generate_args *g = a->user;
    const char *name = options[option].name, *text = values[0];
    const double most = 1e9;
    int n;
    bool bad;
    g->given |= 1u << option;
    switch (option) {
    case OUT: g->out.path = text; return true;
    case SIZE: return sp__read_list(a, name, text, 3, 3, g->size, &n);
    case RADIUS: return sp__read_list(a, name, text, 1, 3, g->radius, &g->radius_count);
    case LENGTH: return sp__read_number(a, name, text, 0, most, &g->length);
    case RING: return sp__read_number(a, name, text, 0, most, &g->ring);
    case TUBE: return sp__read_number(a, name, text, 0, most, &g->tube);
    case AXIS: return sp__read_list(a, name, text, 3, 3, g->axis, &n);
    case CELLS: return sp__read_counts(a, name, text, 1, 3, g->cells, &g->cell_count);
    case PER_CELL: return sp__read_integer(a, name, text, 1, 6, &g->per_cell);
    case ELEMENTS: return sp__read_integer(a, name, text, 1, 1L << 27, &g->elements);
    default: return sp__take_out_option(&g->out, a, name, values, &bad) && !bad;
    }
}

static const char *shape_name(const shape *s, const sp_arguments *a) {
    return s->name ? s->name : a->words[0];
}

// checks that the given options belong to the shape, and sets defaults
static bool mesh_generate_settle(generate_args *g, const sp_arguments *a, const shape *s) {
    for (int o = SIZE; o <= ELEMENTS; o++)
        if (g->given >> o & 1 && !(s->takes >> o & 1))
            return sp__complain(a, "%s is not an option of \"%s\"", options[o].name, shape_name(s, a)), false;
    if (g->radius_count == 2 || (g->radius_count == 3 && s->make != make_sphere))
        return sp__complain(a, "--radius: must be one number%s", s->make == make_sphere ? " or three" : ""), false;
    if (g->radius_count == 1) g->radius[1] = g->radius[2] = g->radius[0];
    // one number applies to all directions of a box
    if (g->cell_count == 1 && s->make == make_box) g->cells[1] = g->cells[2] = g->cells[0], g->cell_count = 3;
    if (g->given >> CELLS & 1 && g->cell_count != s->cells)
        return sp__complain(a, "--cells: \"%s\" takes %d number%s", shape_name(s, a), s->cells, s->cells == 1 ? "" : "s"), false;
    for (int k = 0; k < s->cells && !(g->given >> CELLS & 1); k++) g->cells[k] = s->cells_default[k];
    if (!(g->given >> LENGTH & 1)) g->length = s->make ? 1 : 0.1;
    return true;
}

static int generate_main(const sp_command *command, int argc, char **argv) {
    generate_args g = {.out = sp__mesh_out_default(),
                       .size = {1, 1, 1},
                       .radius = {0.5, 0.5, 0.5},
                       .ring = 0.5,
                       .tube = 0.2,
                       .axis = {0, 0, 1},
                       .per_cell = 5,
                       .elements = 5000};
    sp_arguments a = {.command = command, .take = mesh_generate_take, .user = &g, .word_limit = 1};
    int code = sp__read_arguments(&a, argc, argv);
    if (code >= 0) return code;
    if (a.word_count < 1) return sp__complain(&a, "which shape? box, cylinder, sphere, torus or an organ");
    const shape *s = mesh_generate_find(&a, a.words[0]);
    if (!s || !mesh_generate_settle(&g, &a, s)) return SP_EXIT_USAGE;
    if (!g.out.path) return sp__complain(&a, "--out FILE: where to?");
    sp_context *context = sp__mesh_context(&a);
    if (!context) return SP_EXIT_FAILED;
    sp_mesh *mesh = NULL;
    sp_status status =
        s->make ? s->make(context, &g, &mesh) : sp_mesh_organ(context, a.words[0], g.length, (int)g.elements, &mesh);
    code = status < 0 ? sp__mesh_failed(&a, context) : sp__mesh_out_write(&g.out, &a, mesh, NULL);
    sp_mesh_destroy(&mesh);
    sp_context_destroy(&context);
    return code;
}

const sp_command sp__command_mesh_generate = {
    .name = "mesh generate",
    .arguments = "SHAPE --out FILE",
    .summary = "Make a mesh of a box, cylinder, sphere, torus or organ",
    .text = "Organs and test bodies: liver, lens, eye, skin, stomach, vessels, gall-bladder, rabbit, armadillo, octopus, snake; "
            "their regions are groups of "
            "the file.",
    .options = options,
    .option_count = sizeof options / sizeof options[0],
    .examples = "  souple mesh generate box --size 0.4,0.1,0.1 --cells 16,4,4 --out beam.msh\n"
                "  souple mesh generate torus --ring 0.5 --tube 0.2 --cells 32,3 --out ring.vtu\n"
                "  souple mesh generate liver --length 0.2 --elements 20000 --out liver.msh\n",
    .main = generate_main,
};
