// Claim: the tables of docs/materials.md hold for every combination of law, element, linear solver and integrator. A scene with
// each of them either runs three steps, in which the body bends under its weight and every number stays finite, or the reader
// refuses it with its file, its line and the reason that stands in `refusals` below. Nothing is refused that is not listed there.
#include "souple/io.h"
#include "test.h"

typedef struct word {
    const char *name, *text;
    unsigned is;
} word;

enum {
    COROTATIONAL = 1,
    SPECIAL = 2,
    COSTA = 4,
    TENSOR = 8,
    SPRINGS = 16,
    FIBRES = 32,
    EXACT = 64,
    POLAR = 128,
    SWELLS = 256,
    VISCOUS = 512
};  // of laws
#define FIBRE " fibre='1 0 0'"
static const word laws[] = {
    {"corotational", "material='corotational'", COROTATIONAL},
    {"corotational polar", "material='corotational' rotation='polar'", COROTATIONAL | POLAR},
    {"corotational exact", "material='corotational' tangent='exact'", COROTATIONAL | EXACT},
    {"corotational qr", "material='corotational' rotation='qr'", COROTATIONAL | SPECIAL},
    {"corotational deformed", "material='corotational' shape='deformed'", COROTATIONAL | SPECIAL},
    {"corotational fibres", "material='corotational' fibre-young='1e5'" FIBRE, COROTATIONAL | FIBRES},
    {"linear", "material='linear'", 0},
    {"stvk", "material='stvk'", 0},
    {"stvk exact", "material='stvk' tangent='exact'", EXACT},
    {"neo-hookean stable", "material='neo-hookean'", 0},
    {"neo-hookean log", "material='neo-hookean' form='log'", 0},
    {"neo-hookean isochoric", "material='neo-hookean' form='isochoric' volumetric='mixed'", 0},
    {"neo-hookean fibres", "material='neo-hookean' fibre-young='1e5'" FIBRE, FIBRES},
    {"mooney-rivlin", "material='mooney-rivlin' volumetric='quadratic'", 0},
    {"arruda-boyce", "material='arruda-boyce'", 0},
    {"veronda-westmann", "material='veronda-westmann'", 0},
    {"ogden", "material='ogden'", 0},
    {"holzapfel", "material='holzapfel'" FIBRE, FIBRES},
    {"costa", "material='costa'" FIBRE, COSTA | FIBRES},
    {"swelling", "material='neo-hookean' swell='0.1'", SWELLS},
    {"muscle", "material='corotational' active='0.1'" FIBRE, SWELLS},
    {"viscous", "material='ogden' prony='0.5 0.1'", VISCOUS},
    {"tensor-mass", "material='tensor-mass'", TENSOR},
    {"tensor-mass hooke", "material='tensor-mass' law='hooke'", TENSOR},
    {"mass-spring", "material='mass-spring'", SPRINGS},
};

enum { TET4 = 1, PATCHES = 2, LARGE = 4, TRIANGLES = 8, INTEGRATION = 16 };  // of elements; LARGE: with more than 4 nodes
#define BOX "<box size='0.4 0.1 0.1' cells='2 1 1'"
static const word elements[] = {
    {"tet4", ">" BOX "/>", TET4},
    {"tet4 b-bar", " integration='b-bar'>" BOX "/>", PATCHES | INTEGRATION},
    {"tet10", ">" BOX " order='2'/>", LARGE},
    {"tet10 vertices", " integration='vertices'>" BOX " order='2'/>", LARGE | INTEGRATION},
    {"hex8", ">" BOX " pattern='hex'/>", LARGE},
    {"hex8 full", " integration='full'>" BOX " pattern='hex'/>", LARGE | INTEGRATION},
    {"tri3", " thickness='0.01'><sheet size='0.4 0.1' cells='4 1'/><fix box='-1 -1 -1 1 1 1' axes='y'/>", TRIANGLES},
};

enum { UPDATED = 1, CHAIN = 2, GIVEN = 4 };  // of solvers
#define PCG(name) "<solver type='pcg' preconditioner='" name "'/>"
static const word solvers[] = {
    {"auto", "", 0},
    {"cg matrix-free", "<solver type='cg' operator='matrix-free'/>", GIVEN},
    {"cg assembled", "<solver type='cg' operator='assembled'/>", GIVEN},
    {"block-jacobi", PCG("block-jacobi"), GIVEN},
    {"jacobi", PCG("jacobi"), GIVEN},
    {"ssor", PCG("ssor"), GIVEN},
    {"ic", PCG("ic"), GIVEN},
    {"pcg cholesky", "<solver type='pcg' preconditioner='cholesky' refresh='async'/>", GIVEN},
    {"inverse-factor", "<solver type='pcg' preconditioner='inverse-factor' refresh='2'/>", GIVEN},
    {"multigrid", PCG("multigrid"), GIVEN},
    {"cholesky", "<solver type='cholesky'/>", GIVEN},
    {"ldlt", "<solver type='cholesky' factor='ldlt'/>", GIVEN},
    {"updated-cholesky", "<solver type='updated-cholesky'/>", GIVEN | UPDATED},
    {"block-tridiagonal", "<solver type='block-tridiagonal'/>", GIVEN | CHAIN},
    {"dense", "<solver type='dense'/>", GIVEN},
};

enum { EXPLICIT = 1 };  // of integrators
static const word integrators[] = {
    {"implicit-euler", "<integrator type='implicit-euler'/>", 0},
    {"newton", "<integrator type='newton'/>", 0},
    {"static", "<integrator type='static'/>", 0},
    {"explicit", "<integrator type='explicit'/>", EXPLICIT},
};

enum { LAWS = sizeof laws / sizeof *laws, ELEMENTS = sizeof elements / sizeof *elements };
enum { SOLVERS = sizeof solvers / sizeof *solvers, INTEGRATORS = sizeof integrators / sizeof *integrators };

// The reasons for which a combination is refused; NULL ends them
static void refusals(unsigned law, unsigned element, unsigned solver, unsigned integrator, const char *out[12]) {
    const bool tet4 = element & (TET4 | PATCHES), own = (law & COROTATIONAL) && (element & TET4) && !(law & FIBRES);
    int n = 0;
    if ((law & SPRINGS) && (element & INTEGRATION)) out[n++] = "springs have no integration points";
    if ((law & TENSOR) && (element & INTEGRATION))
        out[n++] = "tensor-mass has an elastic isotropic law and one integration point";
    if ((law & TENSOR) && (element & LARGE)) out[n++] = "tensor-mass needs tetrahedra with 4 nodes or triangles with 3";
    if ((law & SPECIAL) && !tet4) out[n++] = "rotation qr and shape deformed need tetrahedra with 4 nodes";
    if ((law & SPECIAL) && (element & PATCHES)) out[n++] = "rotation qr and shape deformed need integration full";
    if ((law & POLAR) && !(element & TET4)) out[n++] = "rotation polar acts on tetrahedra with 4 nodes and integration full";
    if ((law & COSTA) && (element & PATCHES)) out[n++] = "costa needs tetrahedra with integration full";
    if ((law & (FIBRES | SWELLS | VISCOUS)) && (element & TRIANGLES))
        out[n++] = "membranes have isotropic elastic laws, without fibres, relaxation, incompressibility, swell and active";
    if ((law & SWELLS) && (element & PATCHES)) out[n++] = "nor on 4-node tetrahedra with integration b-bar";
    if (solver & CHAIN) out[n++] = "block-tridiagonal is for chains: only rods are";
    if ((solver & GIVEN) && (integrator & EXPLICIT)) out[n++] = "an explicit integrator solves no systems";
    if ((solver & UPDATED) && (element & PATCHES)) out[n++] = "updated-cholesky needs tetrahedra with integration full";
    if ((solver & UPDATED) && (law & EXACT) && !own) out[n++] = "updated-cholesky needs tangents without negative eigenvalues";
    out[n] = NULL;
}

typedef struct outcome {
    sp_status status;
    bool finite;
    double moved;
    char text[500];
} outcome;

static void look(sp_run *run, outcome *out) {
    sp_world *world = sp_run_world(run);
    sp_body_id body = sp_world_body_named(world, "b");
    sp_body_measures m = {0};
    double d[3 * 64] = {0};
    out->finite = sp_world_body_measure(world, body, &m) == SP_OK && isfinite(m.kinetic);
    REQUIRE(sp_world_field(world, body, "displacement", d) == SP_OK);
    for (int i = 0; i < 3 * 64; i++) {
        out->finite = out->finite && isfinite(d[i]);
        out->moved = fmax(out->moved, fabs(d[i]));
    }
}

// the second row of nodes of the sheet is held, and the sheet in its plane: across it a membrane has no stiffness
static outcome try_scene(sp_context *ctx, const word *law, const word *element, const word *solver, const word *integrator) {
    char text[1000];
    sp_scene *scene = NULL;
    sp_run *run = NULL;
    outcome out = {0};
    snprintf(text, sizeof text,
             "<scene dt='%s' gravity='0 -1 1'>\n<solid name='b'\n%s young='1e5'%s%s<fix box='-1 -1 -1 0.11 1 1'/>\n%s\n%s\n"
             "</solid><stop steps='3'/></scene>",
             integrator->is & EXPLICIT ? "1e-4" : "0.01", law->text, law->is & SPRINGS ? "" : " poisson='0.3'", element->text,
             integrator->text, solver->text);
    out.status = sp_scene_parse(ctx, text, strlen(text), "test.xml", NULL, &scene);
    if (out.status >= 0) out.status = sp_run_create(scene, NULL, &run);
    for (int i = 0; i < 3 && out.status >= 0; i++) out.status = sp_run_step(run);
    if (out.status >= 0) look(run, &out);
    if (out.status < 0) snprintf(out.text, sizeof out.text, "%s", sp_context_error(ctx)->message);
    sp_run_destroy(&run);
    sp_scene_destroy(&scene);
    return out;
}

// the message begins with the file and a line of the body, and has one of the reasons
static bool refused_well(const outcome *o, const char *const reasons[]) {
    char *end;
    if (o->status != SP_BAD_INPUT || strncmp(o->text, "test.xml:", 9) != 0) return false;
    const long line = strtol(o->text + 9, &end, 10);
    bool found = false;
    for (int i = 0; reasons[i]; i++) found = found || strstr(end, reasons[i]);
    return found && line >= 2 && line <= 5;
}

static void check(sp_context *ctx, const word *law, const word *element, int ran[2]) {
    for (int s = 0; s < SOLVERS; s++)
        for (int i = 0; i < INTEGRATORS; i++) {
            const char *reasons[12];
            const outcome o = try_scene(ctx, law, element, &solvers[s], &integrators[i]);
            refusals(law->is, element->is, solvers[s].is, integrators[i].is, reasons);
            // a beam of 0.4 m; an explicit run takes 0.3 ms, in which it falls by 1e-7 m
            const bool right =
                reasons[0] ? refused_well(&o, reasons) : o.status == SP_OK && o.finite && o.moved > 1e-9 && o.moved < 0.2;
            if (!right)
                SP_TEST_FAILED("%s, %s, %s, %s: %s, moved by %g m, %s", law->name, element->name, solvers[s].name,
                               integrators[i].name, sp_status_name(o.status), o.moved, o.text);
            ran[reasons[0] != NULL]++;
        }
}

TEST(every_combination_runs_or_is_refused_with_a_reason) {
    sp_context *ctx;
    int ran[2] = {0};
    REQUIRE(sp_context_create(NULL, &ctx) == SP_OK);
    for (int l = 0; l < LAWS; l++)
        for (int e = 0; e < ELEMENTS; e++) check(ctx, &laws[l], &elements[e], ran);
    printf("  %d combinations run, %d are refused\n", ran[0], ran[1]);
    sp_context_destroy(&ctx);
}
