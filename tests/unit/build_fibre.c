// `fibre` of a scene: expressions and arrays give the same bits as directions of elements through the API; the placement of a
// body turns its fibres; a region may have others.
#include "at.h"
#include "test.h"

#include "souple/io.h"

enum { ELEMENTS = 10 };

typedef struct answer {
    uint64_t hash;
    double elastic;
} answer;

static answer steps(sp_world *w) {
    sp_body_measures m = {0};
    for (int i = 0; i < 3; i++) CHECK(sp_world_step(w, 0.01) >= 0);
    CHECK(sp_world_body_measure(w, sp_world_body_named(w, "a"), &m) >= 0);
    return (answer){sp_world_hash(w), m.elastic};
}

// three steps of a bar that falls; hash 0: refused
static answer answer_of(const char *attributes, const char *inside) {
    char text[2000];
    snprintf(text, sizeof text,
             "<scene version='1' dt='0.01'><solid name='a' young='1e4' %s><box size='2 1 1' cells='2 1 1' pattern='5'/>"
             "<fix plane='0.001 0 0 -1 0 0'/>%s</solid><stop steps='3'/></scene>",
             attributes, inside);
    sp_context *ctx = NULL;
    sp_scene *scene = NULL;
    sp_run *run = NULL;
    answer out = {0, 0};
    sp_scene_options options = sp_scene_options_default();
    if (sp_context_create(NULL, &ctx) != SP_OK) return out;
    sp_status status = sp_scene_parse(ctx, text, strlen(text), SP_SOURCE_DIR "/tests/data/test.xml", &options, &scene);
    if (status >= 0) status = sp_run_create(scene, NULL, &run);
    for (int i = 0; status < 0 && scene && i < sp_scene_message_count(scene); i++) printf("    %s\n", message_at(scene, i).text);
    if (status >= 0) out = steps(sp_run_world(run));
    sp_run_destroy(&run);
    sp_scene_destroy(&scene);
    sp_context_destroy(&ctx);
    return out;
}

static uint64_t hash_of(const char *attributes, const char *inside) {
    return answer_of(attributes, inside).hash;
}

static double elastic_of(const char *attributes) {
    return answer_of(attributes, "").elastic;
}

typedef void fibre_of(const double *centre, int element, double out[6]);

// the same by the API; elements of the second half may have another material
static uint64_t hash_by_hand(sp_material_model model, double fibre_young, fibre_of *fn) {
    sp_context *ctx = NULL;
    sp_world *w = NULL;
    sp_mesh *mesh = NULL;
    double fibre[6 * ELEMENTS], x[3];
    int held[4], count = 0;
    CHECK(sp_context_create(NULL, &ctx) == SP_OK && sp_world_create(ctx, NULL, &w) == SP_OK);
    CHECK(sp_mesh_box(ctx, (double[3]){2, 1, 1}, (int[3]){2, 1, 1}, 5, &mesh) == SP_OK);
    CHECK_INT(sp_mesh_element_count(mesh), ELEMENTS);
    for (int e = 0; e < ELEMENTS; e++) sp_mesh_element_point(mesh, e, NULL, x), fn(x, e, fibre + 6 * e);
    for (int i = 0; i < sp_mesh_node_count(mesh); i++)
        if (sp_mesh_positions(mesh)[3 * i] == 0) held[count++] = i;
    const sp_fix fix = {held, count, SP_AXES_ALL, 0};
    sp_solid_def def = sp_solid_def_default();
    def.mesh = mesh, def.name = "a", def.model = model, def.material.young = 1e4, def.material.fibre_young = fibre_young;
    def.element_fibre = fibre, def.fixes = &fix, def.fix_count = 1;
    CHECK(sp_world_add_solid(w, &def, NULL) >= 0);
    uint64_t hash = steps(w).hash;
    sp_mesh_destroy(&mesh);
    sp_world_destroy(&w);
    sp_context_destroy(&ctx);
    return hash;
}

static void turning(const double *x, int element, double out[6]) {
    const double f[6] = {1, x[0], -x[1], 0, 0, 0};
    (void)element;
    memcpy(out, f, sizeof f);
}

static void of_file(const double *x, int element, double out[6]) {
    FILE *f = fopen(SP_SOURCE_DIR "/tests/data/fibres.csv", "r");
    char line[200];
    (void)x;
    CHECK(f && fgets(line, sizeof line, f));
    for (int i = 0; f && i <= element; i++) CHECK(fgets(line, sizeof line, f));
    CHECK_INT(sscanf(line, "%lf,%lf,%lf,%lf,%lf,%lf", out, out + 1, out + 2, out + 3, out + 4, out + 5), 6);
    if (f) fclose(f);
}

static void first_of_file(const double *x, int element, double out[6]) {
    of_file(x, element, out);
    out[3] = out[4] = out[5] = 0;
}

#define COLUMN(letter, axis) "<data name='" letter "-" axis "' file='fibres.csv' column='" letter axis "'/>"
#define COLUMNS(letter) COLUMN(letter, "x") COLUMN(letter, "y") COLUMN(letter, "z")

TEST(expressions_and_arrays_are_directions_of_elements) {
    uint64_t plain = hash_of("", "");
    CHECK(plain != 0);
    uint64_t hash = hash_of("material='neo-hookean' fibre-young='5e4' fibre='1 {x} {-y}'", "");
    CHECK(hash != 0 && hash == hash_by_hand(SP_NEO_HOOKEAN, 5e4, turning) && hash != plain);
    hash = hash_of("material='holzapfel' fibre='@f @s'", COLUMNS("f") COLUMNS("s"));
    CHECK(hash != 0 && hash == hash_by_hand(SP_HOLZAPFEL, 0, of_file));
    hash = hash_of("material='corotational' fibre-young='5e4' fibre='@f'", COLUMNS("f"));
    CHECK(hash != 0 && hash == hash_by_hand(SP_COROTATIONAL, 5e4, first_of_file));
    hash = hash_of("material='costa' fibre='@f @s'", COLUMNS("f") COLUMNS("s"));
    CHECK(hash != 0 && hash == hash_by_hand(SP_COSTA, 0, of_file));
}

// a region with the directions of the body's first half; one that only varies the modulus; one without fibres
TEST(regions_have_their_own_fibres) {
    const char *body = "material='neo-hookean' fibre-young='5e4' fibre='1 0 0'";
    uint64_t same = hash_of(body, ""), other = hash_of(body, "<region box='1 0 0 2 1 1' fibre='0 1 0'/>");
    CHECK(same != 0 && other != 0 && same != other);
    uint64_t varies = hash_of("material='neo-hookean' fibre-young='5e4' fibre='{if(x lt 1, 1, 0)} {if(x lt 1, 0, 1)} 0'", "");
    CHECK(varies != 0 && varies != same);
    // other laws there
    CHECK(hash_of(body, "<region box='1 0 0 2 1 1' material='mooney-rivlin'/>") != 0);
    CHECK(hash_of(body, "<region box='1 0 0 2 1 1' fibre-young='0'/>") != 0);
    CHECK(hash_of("", "<region box='1 0 0 2 1 1' material='costa' fibre='{x} {y} 1 0 {z} 1'/>") != 0);
}

// Fibres turn with the placement of the body: a body that is turned about gravity has the same energy; with other fibres it has
// another one. Rounding of some steps: 1e-10.
TEST(the_placement_turns_fibres) {
    const double still = elastic_of("fibre-young='5e4' fibre='1 1 0'"), other = elastic_of("fibre-young='5e4' fibre='0 0 1'");
    CHECK(still > 0);
    CHECK_NEAR(elastic_of("fibre-young='5e4' fibre='1 1 0' rotate='0 70 0' translate='3 1 0'") / still, 1, 1e-10);
    CHECK_NEAR(elastic_of("fibre-young='5e4' fibre='{1+0*x} 1 0' rotate='0 70 0'") / still, 1, 1e-10);
    CHECK(fabs(other / still - 1) > 0.01);
}
