// Scenes of SOFA. Each scene of tests/data/sofa becomes the scene beside it, text for text, which runs; what SOFA's components
// mean is checked by the motion: the beam whose tips SOFA has published, and pairs of bodies that must move alike.
#include <ctype.h>
#include <unistd.h>

#include "failing.h"
#include "scene_help.h"

#define FOLDER SP_SOURCE_DIR "/tests/data/sofa/"

static char folder[64];

static void make_folder(void) {
    if (folder[0]) return;
    strcpy(folder, "/tmp/souple-sofa-XXXXXX");
    if (!mkdtemp(folder)) abort();
}

static char *read_text(const char *path) {
    FILE *f = fopen(path, "rb");
    char *text = calloc(1, 1 << 20);
    if (f && text && fread(text, 1, (1 << 20) - 1, f) == 0) text[0] = 0;
    if (f) fclose(f);
    return text;
}

typedef struct imported {
    sp_context *context;
    sp_import *import;
    sp_status status;
    char out[160];
} imported;

static imported take(const char *text, const char *name) {
    imported s = {0};
    sp_context_def def = sp_context_def_default();
    sp_import_options options = sp_import_options_default();
    make_folder();
    def.workers = 1;
    if (sp_context_create(&def, &s.context) < 0) exit(1);
    const char *stem = strrchr(name, '/') ? strrchr(name, '/') + 1 : name;
    snprintf(s.out, sizeof s.out, "%s/%.*s.xml", folder, (int)strcspn(stem, "."), stem);
    options.out = s.out;
    s.status = text ? sp_import_sofa_parse(s.context, text, strlen(text), name, &options, &s.import)
                    : sp_import_sofa(s.context, name, &options, &s.import);
    return s;
}

static void leave(imported *s) {
    sp_import_destroy(&s->import);
    sp_context_destroy(&s->context);
}

static const char *note_of(const imported *s, const char *component, sp_import_fate fate) {
    static sp_import_note note;
    for (int i = 0; sp_import_note_at(s->import, i, &note) >= 0; i++)
        if (note.fate == fate && strcmp(note.component, component) == 0) return note.text;
    return "";
}

// writes the scene and opens a run of it; its scene stays open
static sp_run *run_of(imported *s, sp_scene **scene) {
    sp_run *run = NULL;
    sp_run_options options = sp_run_options_default();
    options.endless = true;
    CHECK(sp_import_write(s->import) >= 0);
    sp_status status = sp_scene_load(s->context, s->out, NULL, scene);
    if (status >= 0) status = sp_run_create(*scene, &options, &run);
    if (status < 0 && *scene) print_messages(*scene);
    CHECK(status >= 0);
    return run;
}

// ---------------------------------------------------------------------------------------------- texts

static void compare(const char *name) {
    char path[200];
    snprintf(path, sizeof path, FOLDER "%s.scn", name);
    imported s = take(NULL, path);
    CHECK(s.status >= 0);
    snprintf(path, sizeof path, FOLDER "%s.xml", name);
    char *expected = read_text(path);
    if (s.status >= 0 && strcmp(expected, sp_import_text(s.import)) != 0) {
        SP_TEST_FAILED("%s.scn: another scene than %s", name, path);
        puts(sp_import_text(s.import));
    }
    free(expected);
    sp_scene *scene = NULL;
    sp_run *run = s.status >= 0 ? run_of(&s, &scene) : NULL;
    for (int i = 0; run && i < 5; i++) CHECK(sp_run_step(run) >= 0);
    sp_run_destroy(&run);
    sp_scene_destroy(&scene);
    leave(&s);
}

TEST(scenes_become_the_expected_ones_and_run) {
    static const char *const names[] = {"beams",   "conditions", "bodies", "contact", "files", "laws",
                                        "solvers", "old",        "new",    "joined",  "round"};
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) compare(names[i]);
}

// components of a text: tags that open, but Node
static int count_components(const char *text) {
    int count = 0;
    for (const char *c = text; (c = strchr(c, '<')); c++) count += isalpha((unsigned char)c[1]) && strncmp(c + 1, "Node", 4) != 0;
    return count;
}

TEST(every_component_has_a_note) {
    char *text = read_text(FOLDER "conditions.scn");
    imported s = take(text, FOLDER "conditions.scn");
    REQUIRE(s.status >= 0);
    // one at least for each line with a component; the file has one component a line
    int lines = 0, last = 0;
    sp_import_note note;
    for (int i = 0; sp_import_note_at(s.import, i, &note) >= 0; i++) {
        CHECK(note.line >= last && note.text[0] && strstr(note.file, "conditions.scn"));
        lines += note.line != last;
        last = note.line;
    }
    CHECK_INT(lines, count_components(text));
    free(text);
    leave(&s);
}

TEST(what_is_left_out_is_said) {
    imported s = take("<?xml version='1.0'?><!DOCTYPE Node><Node>\n"
                      "<Foo bar='1'/>words between tags\n"
                      "<Object type='MechanicalObject' velocity='1 0 0'/>\n"
                      "<RegularGrid n='2 2 2'/><UniformMass/>\n"
                      "<TetrahedronFEMForceField youngModulus='soft' plasticMaxThreshold='1'/>\n"
                      "<VTKExporter/><PythonScriptController/></Node>",
                      "a.scn");
    REQUIRE(s.status >= 0);
    CHECK(strstr(note_of(&s, "Foo", SP_IMPORT_LEFT_OUT), "does not know"));
    CHECK(strstr(note_of(&s, "MechanicalObject", SP_IMPORT_LEFT_OUT), "velocity"));
    CHECK(strstr(note_of(&s, "TetrahedronFEMForceField", SP_IMPORT_LEFT_OUT), "\"soft\" is no number"));
    CHECK(strstr(note_of(&s, "VTKExporter", SP_IMPORT_LEFT_OUT), "record"));
    CHECK(strstr(note_of(&s, "PythonScriptController", SP_IMPORT_LEFT_OUT), "event"));
    CHECK(strstr(sp_import_text(s.import), "young=\"5000\" poisson=\"0.45\""));  // SOFA's defaults
    leave(&s);
}

// A number that another component computes is not replaced in silence by SOFA's default; a node that is not activated is no loss.
TEST(links_and_inactive_nodes) {
    imported s = take("<Node><Node name='m'><UniformMass name='k' totalMass='8'/></Node><Foo name='foo'/>\n"
                      "<MechanicalObject/><RegularGrid n='2 2 2'/><DiagonalMass totalMass='@m/k.totalMass'/>\n"
                      "<TetrahedronFEMForceField youngModulus='@foo.value'/>\n"
                      "<Node activated='0'><MechanicalObject/><Foo/></Node></Node>",
                      "a.scn");
    REQUIRE(s.status >= 0);
    CHECK(strstr(sp_import_text(s.import), "density=\"8\""));
    CHECK(strstr(note_of(&s, "TetrahedronFEMForceField", SP_IMPORT_LEFT_OUT), "@foo.value is no list of numbers"));
    CHECK(strstr(note_of(&s, "Foo", SP_IMPORT_NOT_NEEDED), "not activated"));
    CHECK(!strstr(strstr(sp_import_text(s.import), "<solid") + 1, "<solid"));
    leave(&s);
}

// SOFA's reader is not strict about comments and encodings; lines are counted all the same.
TEST(comments_of_old_scenes_are_read) {
    imported s = take("<?xml version='1.0' encoding='ISO-8859-1'?>\n<!---- caf\xe9 -- \n ---- x -->\n<Node name='\xe9'>\n<!-- -- "
                      "--><Foo/></Node>",
                      "a.scn");
    sp_import_note note;
    REQUIRE(s.status >= 0);
    CHECK(sp_import_note_at(s.import, 0, &note) >= 0 && note.line == 5 && strcmp(note.component, "Foo") == 0);
    leave(&s);
}

TEST(what_is_no_scene_is_refused) {
    static const struct {
        const char *text, *name, *said;
    } cases[] = {
        {"<Node/>", "scene.py", "Python"},
        {"<Node><Mass></Node>", "a.scn", "a.scn:1: not well-formed"},
        {"<scene version='1'/>", "a.scn", "already"},
        {"<!DOCTYPE n [<!ENTITY e 'x'>]><Node name='&e;'/>", "a.scn", "a.scn:1"},
        {"<Node>\n<include href='other.xml'/></Node>", "a.scn", "a.scn:2: include"},
        {"<Node>\n<EulerImplicit/><MechanicalObject/><UniformMass/><MeshGmshLoader "
         "filename='no.msh'/><TetrahedronFEMForceField/></Node>",
         "a.scn", "a.scn:2: MeshGmshLoader: \"no.msh\""},
        {"<Node>\n<include href='tests/data/sofa/loop.xml'/></Node>", SP_SOURCE_DIR "/a.scn", "more than 100 included files"},
        {"", "a.scn", "empty"}};
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        imported s = take(cases[i].text, cases[i].name);
        if (s.status != SP_BAD_INPUT || s.import || !strstr(sp_context_error(s.context)->message, cases[i].said))
            SP_TEST_FAILED("%s: %s", cases[i].text, sp_context_error(s.context)->message);
        leave(&s);
    }
}

// ---------------------------------------------------------------------------------------------- motion

// BEAM-4 of the peers in SOFA's syntax: positions and elements as lists
static char *beam_text(void) {
    enum { K = 4, N = K + 1 };
    static const int orders[6][3] = {{0, 1, 2}, {0, 2, 1}, {1, 0, 2}, {1, 2, 0}, {2, 0, 1}, {2, 1, 0}};
    char *text = calloc(1, 1 << 18), *at = text;
    if (!text) exit(1);
    at += sprintf(at, "<Node name='BEAM-4' dt='0.01' gravity='0 -9.81 0'><EulerImplicitSolver/>"
                      "<CGLinearSolver iterations='1000' tolerance='1e-7' threshold='1e-30'/>"
                      "<TetrahedronSetTopologyContainer position='");
    for (int i = 0; i <= 4 * K; i++)
        for (int j = 0; j < N * N; j++)
            at += sprintf(at, "%.17g %.17g %.17g ", 0.1 * i / K, 0.1 * (j / N) / K, 0.1 * (j % N) / K);
    at += sprintf(at, "' tetrahedra='");
    for (int cell = 0; cell < 4 * K * K * K; cell++)
        for (int o = 0; o < 6; o++) {
            int place[3] = {cell / (K * K), cell / K % K, cell % K};
            at += sprintf(at, "%d ", (place[0] * N + place[1]) * N + place[2]);
            for (int a = 0; a < 3; a++) {
                place[orders[o][a]]++;
                at += sprintf(at, "%d ", (place[0] * N + place[1]) * N + place[2]);
            }
        }
    sprintf(at, "'/><MechanicalObject/><DiagonalMass massDensity='1000'/>"
                "<FastTetrahedralCorotationalForceField youngModulus='3e5' poissonRatio='0.4' method='polar'/>"
                "<BoxROI name='root' box='-0.001 -1 -1 0.001 1 1'/><FixedProjectiveConstraint indices='@root.indices'/></Node>");
    return text;
}

static double height(sp_run *run, const char *body, int node) {
    sp_world *world = sp_run_world(run);
    sp_body_id id = sp_world_body_named(world, body);
    sp_field_info info;
    if (sp_world_field_info(world, id, "position", &info) < 0) return NAN;
    double *x = calloc((size_t)info.count * 3, sizeof *x), y = NAN;
    if (x && sp_world_field(world, id, "position", x) >= 0) y = x[3 * node + 1];
    free(x);
    return y;
}

// Claim: BEAM-4 as a scene of SOFA gives the tips that SOFA 26.06 gives with the same components: -0.160089, -0.030826, -0.134400
// and -0.054925 m below its start at 0.25, 0.5, 0.75 and 1 s. Tolerance: 1e-5 of the length, as in verify/peers.c.
TEST(beam_4_moves_as_in_sofa) {
    static const double tips[4] = {-0.160089, -0.030826, -0.134400, -0.054925};
    char *text = beam_text();
    imported s = take(text, "beam-4.scn");
    sp_scene *scene = NULL;
    free(text);
    REQUIRE(s.status >= 0);
    sp_run *run = run_of(&s, &scene);
    for (int i = 1; run && i <= 100; i++) {
        CHECK(sp_run_step(run) >= 0);
        if (i % 25 == 0) CHECK_NEAR(height(run, "beam-4", 412) - 0.05, tips[i / 25 - 1], 4e-6);
    }
    sp_run_destroy(&run);
    sp_scene_destroy(&scene);
    leave(&s);
}

// a cube of SOFA's tetrahedra that stands on its lowest face, with one line of its own
#define CUBE(name, line)                                                                                \
    "<Node name='" name "'><RegularGridTopology min='0 0 0' max='1 1 1' n='3 3 3'/><MechanicalObject/>" \
    "<DiagonalMass massDensity='100'/><FixedConstraint indices='0 1 2 9 10 11 18 19 20'/>" line "</Node>"

static void two_alike(const char *text, const char *a, const char *b, double tolerance) {
    imported s = take(text, "pair.scn");
    sp_scene *scene = NULL;
    REQUIRE(s.status >= 0);
    sp_run *run = run_of(&s, &scene);
    for (int i = 0; run && i < 20; i++) CHECK(sp_run_step(run) >= 0);
    if (run) {
        CHECK(fabs(height(run, a, 7) - 1) > 1e-4);  // they do move
        CHECK_NEAR(height(run, a, 7), height(run, b, 7), tolerance);
    }
    sp_run_destroy(&run);
    sp_scene_destroy(&scene);
    leave(&s);
}

// SOFA's energies in terms of each other: mu/alpha^2 sum (lambda^alpha - 1) with alpha = 2 and mu = 4 c is c (I1 - 3). Tolerance:
// the same law by other kernels, rounding grown in 20 factorised steps.
TEST(ogden_with_exponent_2_is_mooney_rivlin) {
    two_alike(
        "<Node dt='0.01'><EulerImplicitSolver/><SparseLDLSolver/>" CUBE(
            "ogden", "<TetrahedronHyperelasticityFEMForceField materialName='Ogden' ParameterSet='20000 2 50000'/>")
            CUBE("mooney",
                 "<TetrahedronHyperelasticityFEMForceField materialName='MooneyRivlin' ParameterSet='5000 0 50000'/>") "</Node>",
        "ogden", "mooney", 1e-9);
}

// A force field of tetrahedra on a grid cuts its cells as Hexa2TetraTopologicalMapping with swapping does: the same mesh, so that
// the motion has the same bits.
TEST(a_grid_is_cut_as_by_the_force_field) {
    two_alike("<Node dt='0.01'><EulerImplicitSolver/><SparseLDLSolver/>" CUBE("direct", "<TetrahedronFEMForceField/>")
                  CUBE("mapped", "<Node><TetrahedronSetTopologyContainer name='C'/><Hexa2TetraTopologicalMapping input='@..' "
                                 "output='@C' swapping='true'/><TetrahedronFEMForceField/></Node>") "</Node>",
              "direct", "mapped", 0);
}

// Surfaces of a sparse grid that its state moves, and of a mapping by rest positions, are found in the grid and in the rest
// shape: the reader of scenes would warn of vertices that lie outside.
TEST(mapped_surfaces_lie_in_their_bodies) {
    imported s = take(NULL, FOLDER "new.scn");
    sp_scene *scene = NULL;
    sp_scene_message m;
    REQUIRE(s.status >= 0);
    sp_run *run = run_of(&s, &scene);
    for (int i = 0; run && sp_scene_message_at(scene, i, &m) >= 0; i++) CHECK(!strstr(m.text, "lie outside"));
    sp_run_destroy(&run);
    sp_scene_destroy(&scene);
    leave(&s);
}

// A membrane of SOFA has the moduli of plane stress per length. Forces of 2 N/m along all edges of a square of 1 m stretch it by
// s (1 - nu) / E = 2 0.7 / 100 both ways, exactly on triangles. Tolerance: what is left of the start after 2 s, with damping
// of 20 / s, is below 1e-7.
TEST(a_membrane_has_the_stiffness_of_plane_stress) {
    imported s = take("<Node dt='0.05' gravity='0 0 0'><EulerImplicitSolver rayleighMass='20'/><SparseLDLSolver/>"
                      "<MechanicalObject position='0 0 0 1 0 0 1 1 0 0 1 0'/><UniformMass vertexMass='0.1'/>"
                      "<MeshTopology triangles='0 1 2 0 2 3'/><TriangularFEMForceField youngModulus='100' poissonRatio='0.3'/>"
                      "<ConstantForceField forces='-1 -1 0 1 -1 0 1 1 0 -1 1 0'/></Node>",
                      "cloth.scn");
    sp_scene *scene = NULL;
    REQUIRE(s.status >= 0);
    sp_run *run = run_of(&s, &scene);
    for (int i = 0; run && i < 60; i++) CHECK(sp_run_step(run) >= 0);
    if (run) CHECK_NEAR(height(run, "cloth", 3) - height(run, "cloth", 0), 1.014, 1e-6);
    sp_run_destroy(&run);
    sp_scene_destroy(&scene);
    leave(&s);
}

// The first frame of the beam and the node of the block at the same place, (1, 0.5, 0.5), are one point. Tolerance: that of links
// without contact, 1e-9 of the largest distance of the free motion, and rounding.
TEST(joined_points_stay_together) {
    imported s = take(NULL, FOLDER "joined.scn");
    sp_scene *scene = NULL;
    REQUIRE(s.status >= 0);
    sp_run *run = run_of(&s, &scene);
    for (int i = 0; run && i < 20; i++) CHECK(sp_run_step(run) >= 0);
    if (run) {
        CHECK(height(run, "block", 14) < 0.5 - 1e-4);  // the beam pulls
        CHECK_NEAR(height(run, "beam", 0), height(run, "block", 14), 1e-8);
    }
    sp_run_destroy(&run);
    sp_scene_destroy(&scene);
    leave(&s);
}

// Lame's constants of young 10000 and poisson 0.25 are both 4000; at small strains all laws agree. Tolerance: three
// times the strain, 1e-3, times the displacement, 1e-3.
TEST(lame_constants_are_those_of_young_and_poisson) {
    two_alike("<Node dt='0.01' gravity='0 -0.1 0'><EulerImplicitSolver/><SparseLDLSolver/>" CUBE(
                  "stvk", "<TetrahedronHyperelasticityFEMForceField materialName='StVenantKirchhoff' ParameterSet='4000 4000'/>")
                  CUBE("linear", "<TetrahedronFEMForceField method='small' youngModulus='10000' poissonRatio='0.25'/>") "</Node>",
              "stvk", "linear", 3e-6);
}

// A pressure of SOFA pushes along the outward normal: 100 Pa on the upper face of 1 m2 are the total force 0 100 0. Tolerance:
// the face turns by less than 1e-2, and nodes of a corner have another share of the area than of the force; both bodies rise.
TEST(a_positive_pressure_pulls) {
    imported s = take(
        "<Node dt='0.01' gravity='0 0 0'><EulerImplicitSolver/><SparseLDLSolver/>" CUBE(
            "blown", "<TetrahedronFEMForceField/><SurfacePressureForceField pressure='100' min='-1 0.99 -1' max='2 1.01 2'/>")
            CUBE("pulled", "<TetrahedronFEMForceField/><ConstantForceField indices='6 7 8 15 16 17 24 25 26' "
                           "totalForce='0 100 0'/>") "</Node>",
        "pair.scn");
    sp_scene *scene = NULL;
    REQUIRE(s.status >= 0);
    sp_run *run = run_of(&s, &scene);
    for (int i = 0; run && i < 20; i++) CHECK(sp_run_step(run) >= 0);
    if (run) {
        double blown = height(run, "blown", 16) - 1, pulled = height(run, "pulled", 16) - 1;
        CHECK(pulled > 1e-3);
        CHECK(blown > pulled && blown < 3 * pulled);  // the middle node has a fourth of the area, and a ninth of the force
    }
    sp_run_destroy(&run);
    sp_scene_destroy(&scene);
    leave(&s);
}

// ---------------------------------------------------------------------------------------------- memory

static void allocations_of(const char *path) {
    static failing paths;
    char *text = read_text(path);
    counter c = {.paths = &paths};
    for (long n = 0; n == 0 || n <= paths.count; n++) {
        if (n && !paths.fails[n - 1]) continue;
        sp_context_def def = sp_context_def_default();
        sp_import_options options = sp_import_options_default();
        sp_context *context = NULL;
        sp_import *import = NULL;
        def.alloc = count_alloc, def.free = count_free, def.alloc_user = &c, def.workers = 1;
        c.calls = 0, c.fail_at = n, c.refused = 0;
        if (sp_context_create(&def, &context) >= 0) {
            sp_status status = sp_import_sofa_parse(context, text, strlen(text), path, &options, &import);
            if (!c.refused) CHECK(status >= 0);
            CHECK((status >= 0) == (import != NULL));
            sp_import_destroy(&import);
            sp_context_destroy(&context);
        }
        CHECK_INT((long)c.live, 0);
        if (!n) failing_choose(&paths), c.paths = NULL;
    }
    failing_free(&paths);
    free(text);
}

TEST(every_allocation_may_fail) {
    allocations_of(FOLDER "files.scn");
    allocations_of(FOLDER "new.scn");
    allocations_of(FOLDER "joined.scn");
}
