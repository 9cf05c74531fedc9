// Names, positions, contradictions and attributes without effect; the output of `check`.
#include "at.h"
#include "unit/scene_help.h"

static bool refused(const char *text, int line, const char *words) {
    return refused_with(text, 0, NULL, line, words);
}

TEST(the_example_of_the_language) {
    loaded l = load_text("<scene>\n<solid name='beam' poison='0.3'>\n<box size='1 1 1'/></solid></scene>", "beam.xml", 0, NULL);
    CHECK_INT(l.status, SP_BAD_INPUT);
    REQUIRE(sp_scene_message_count(l.scene) == 1);
    sp_scene_message m = message_at(l.scene, 0);
    CHECK(strcmp(m.file, "beam.xml") == 0);
    CHECK_INT(m.line, 2);
    CHECK(strcmp(m.text, "solid \"beam\": unknown attribute \"poison\"; did you mean \"poisson\"?") == 0);
    CHECK(strstr(sp_context_error(l.context)->message, "beam.xml:2: solid \"beam\""));
    unload(&l);
}

TEST(unknown_names_and_synonyms) {
    CHECK(refused("<scene><sold name='b'/></scene>", 1, "unknown element \"sold\"; did you mean \"solid\"?"));
    CHECK(refused(SOLID("<fixed on='all'/>"), 4, "unknown element \"fixed\"; did you mean \"fix\"?"));
    CHECK(refused("<scene><solid name='b' E='1'><box size='1 1 1'/></solid></scene>", 1, "did you mean \"young\"?"));
    CHECK(refused("<scene><solid name='b' stiffness='1'><box size='1 1 1'/></solid></scene>", 1, "did you mean \"young\"?"));
    CHECK(refused("<scene><contact formulation='penalty' mu='1'/></scene>", 1, "did you mean \"friction\"?"));
    CHECK(refused("<scene timestep='1'/>", 1, "did you mean \"dt\"?"));
    CHECK(refused("<scene qwertyuiop='1'/>", 1, "unknown attribute \"qwertyuiop\""));
    CHECK(refused("<scen/>", 1, "the root element must be \"scene\""));
    CHECK(refused("<scene Dt='1'/>", 1, "unknown attribute \"Dt\""));
}

TEST(nearest_names) {
    const char *known[] = {"young", "poisson", "density", "friction"};
    CHECK(strcmp(sp__nearest("yuong", known, 4), "young") == 0);  // neighbouring letters swapped: one edit
    CHECK(strcmp(sp__nearest("poison", known, 4), "poisson") == 0);
    CHECK(strcmp(sp__nearest("Density", known, 4), "density") == 0);
    CHECK(strcmp(sp__nearest("mu", known, 4), "friction") == 0);
    CHECK(strcmp(sp__nearest("E", known, 4), "young") == 0);
    CHECK(!sp__nearest("mu", known, 2));
    CHECK(!sp__nearest("x", known, 4) && !sp__nearest("gravity", known, 4) && !sp__nearest("", known, 4));
    CHECK_INT(sp__edit_distance("kitten", "sitting", 5), 3);
    CHECK_INT(sp__edit_distance("ab", "ba", 5), 1);
    CHECK_INT(sp__edit_distance("abc", "abc", 0), 0);
    CHECK_INT(sp__edit_distance("", "abc", 5), 3);
    CHECK_INT(sp__edit_distance("a", "abcdefgh", 2), 3);  // beyond the limit
}

TEST(known_but_not_in_this_build) {
    CHECK(refused("<scene><rod name='r' length='1' radius='1' compliance='warped'/></scene>", 1, "compliance"));
    CHECK(refused("<scene><shell name='r'/></scene>", 1, "\"shell\" is known, not in this build"));
    CHECK(refused("<scene><wind velocity='1 0 0'/></scene>", 1, "\"wind\" is known"));
    CHECK(refused(SOLID("<rest flat='yes'/>"), 4, "is known"));
    CHECK(refused(SOLID("<cut/>"), 4, "\"cut\" is known"));
    CHECK(refused("<scene><inverse unknown='b.rest'/></scene>", 1, "anything but the curvature of a rod is known"));
    CHECK(refused(SOLID("<solver type='block-tridiagonal'/>"), 4, "only rods are"));
    CHECK(refused("<scene precision='float'/>", 1, "precision=\"float\" is known"));
    CHECK(refused("<scene backend='opencl'/>", 1, "backend=\"opencl\" is known"));
    CHECK(refused("<scene><solid name='b' compliance='warped-updated'><box size='1 1 1'/></solid></scene>", 1, "is known"));
    CHECK(refused("<scene><view color-by='target-error'/></scene>", 1, "is known"));
    CHECK(refused("<scene><record file='a.txt'/></scene>", 1, "must be .xdmf, .vtu, .obj, .ply, .png or .csv"));
    CHECK(refused("<scene><contact formulation='volume'/></scene>", 1, "needs pixel"));
}

TEST(order_of_elements) {
    CHECK(refused("<scene><solid name='b'><box size='1 1 1' pattern='hex' order='2'/></solid></scene>", 1,
                  "hexahedra have order 1 only"));
    CHECK(refused("<scene><solid name='b'><box size='1 1 1' order='3'/></solid></scene>", 1, "[1, 2]"));
    CHECK(refused("<scene><solid name='b'><box size='1 1 1' pattern='hey' order='2'/></solid></scene>", 1, "pattern"));
    CHECK(refused("<scene><solid name='b'><box size='1 1 1' pattern='hex' order='two'/></solid></scene>", 1, "order"));
    CHECK(refused("<scene><rigid name='b'><sphere radius='1' order='2'/></rigid></scene>", 1, "a rigid shape has no cells"));
    CHECK(
        refused("<scene><rigid name='b'><mesh file='a.msh' tetrahedra='yes'/></rigid></scene>", 1, "a rigid shape has no cells"));
}

TEST(every_element_of_a_later_version_is_known) {
    static const char *const later[] = {"wind", "fill", "image", "shell", "reduce", "cut", "tool", "bind", "device"};
    for (size_t i = 0; i < sizeof later / sizeof later[0]; i++) {
        const sp_element_spec *e = sp__element_spec(later[i]);
        CHECK(e && !e->built);
    }
}

TEST(membranes) {
    CHECK(refused("<scene><solid name='b'><disc radius='1' rings='2'/></solid></scene>", 1, "a disc consists of triangles"));
    CHECK(refused("<scene><solid name='b' thickness='1'><mesh file='a.msh' tetrahedra='yes'/></solid></scene>", 1,
                  "the elements of a membrane are triangles"));
    CHECK(refused("<scene><solid name='b'><mesh file='a.msh' flip='yes'/></solid></scene>", 1, "flip is for surfaces"));
    CHECK(refused("<scene><rigid name='b'><sheet size='1 1' cells='1 1'/></rigid></scene>", 1, "is not allowed in"));
}

TEST(misplaced_elements) {
    CHECK(refused("<scene><fix on='all'/></scene>", 1, "element \"fix\" is not allowed in \"scene\"; it belongs in solid"));
    CHECK(refused(SOLID("<plane/>"), 4, "element \"plane\" is not allowed in \"solid\"; it belongs in rigid"));
    CHECK(refused("<scene><solid name='b'><box size='1 1 1'/><solid name='c'/></solid></scene>", 1, "is not allowed in"));
    CHECK(refused("<scene><scene/></scene>", 1, "is not allowed in"));
    CHECK(refused("<scene><set name='a' value='1'/></scene>", 1, "it belongs in include, instance"));
}

TEST(names_of_elements) {
    CHECK(refused("<scene><solid name='1b'><box size='1 1 1'/></solid></scene>", 1, "expected a letter"));
    CHECK(refused("<scene><solid name='a.b'><box size='1 1 1'/></solid></scene>", 1, "expected a letter"));
    CHECK(refused("<scene><solid name=''><box size='1 1 1'/></solid></scene>", 1, "expected a letter"));
    CHECK(refused("<scene><solid name='b'><box size='1 1 1'/></solid>\n<rigid name='b'><plane/></rigid></scene>", 2,
                  "the name \"b\" is taken by the solid at scene.xml:1"));
    CHECK(refused(SOLID("<fix name='f' on='all'/>\n<select name='f' on='all'/>"), 5, "is taken by the fix"));
    loaded l = load("<scene><solid><box size='1 1 1'/><fix on='all'/><fix on='all'/></solid><rigid><plane/></rigid></scene>");
    REQUIRE(l.status == SP_OK);
    CHECK(at(&l, "solid.fix[1]") && at(&l, "solid.fix[0]") && !at(&l, "solid.fix") && at(&l, "rigid.plane"));
    unload(&l);
}

TEST(materials) {
    CHECK(refused("<scene><solid name='b' material='linear' rotation='qr'><box size='1 1 1'/></solid></scene>", 1,
                  "attribute \"rotation\" has no effect here: a linear material has no rotations"));
    CHECK(refused("<scene><solid name='b' material='m' young='3'><box size='1 1 1'/></solid><material name='m'/></scene>", 1,
                  "the material \"m\" has the values"));
    CHECK(refused("<scene><solid name='b' material='gum'><box size='1 1 1'/></solid></scene>", 1, "must be one of corotational"));
    CHECK(
        refused("<scene><solid name='b' tangent='exact' rotation='qr'><box size='1 1 1'/></solid></scene>", 1, "needs rotation"));
    CHECK(
        refused("<scene><solid name='b' tangent='exact' shape='deformed'><box size='1 1 1'/></solid></scene>", 1, "needs shape"));
    CHECK(refused("<scene><material name='m' model='linear' shape='rest'/></scene>", 1, "has no effect here"));
    CHECK(refused(SOLID("<region on='all' rotation='qr' tangent='exact'/>"), 4, "needs rotation"));
    CHECK(refused("<scene><material name='m' model='linear'/><solid name='b'><box size='1 1 1'/><region on='all' material='m' "
                  "rotation='svd'/></solid></scene>",
                  1, "has the values"));
    CHECK(refused("<scene><solid name='b' young='@E'><box size='1 1 1'/></solid></scene>", 1, "no data \"E\""));
    CHECK(refused("<scene dt='@E'/>", 1, "cannot vary in space"));
    loaded l = load("<scene><material name='gum' young='7' rotation='svd'/><solid name='b' material='gum'><box size='1 1 1'/>"
                    "</solid><solid name='c'><box size='1 1 1'/></solid></scene>");
    REQUIRE(l.status == SP_OK);
    CHECK_NEAR(sp__attr_number(sp__scene_material(at(&l, "b")), "young"), 7, 0);
    CHECK(sp__scene_material(at(&l, "c")) == at(&l, "c"));
    unload(&l);
}

TEST(shapes) {
    CHECK(refused("<scene><solid name='b'/></scene>", 1, "has no shape"));
    CHECK(
        refused("<scene><solid name='b'><box size='1 1 1'/>\n<sphere radius='1'/></solid></scene>", 2, "a solid has one shape"));
    CHECK(refused("<scene><solid name='b'><box size='1 1 1' translate='1 0 0'/></solid></scene>", 1, "has no effect here"));
    CHECK(refused("<scene><rigid name='b'><box size='1 1 1' cells='1 1 1'/></rigid></scene>", 1, "a rigid shape has no cells"));
    CHECK(refused("<scene><solid name='b'><sphere radius='1' cells='3' elements='100'/></solid></scene>", 1, "one of them"));
    CHECK(refused("<scene><solid name='b'><torus radius='1 2'/></solid></scene>", 1, "must be thinner than the ring"));
    CHECK(refused("<scene><rigid name='b'><plane normal='0 0 0'/></rigid></scene>", 1, "normal has no length"));
    CHECK(refused("<scene><solid name='b'><box size='1 0 1'/></solid></scene>", 1, "size = 0, must be > 0"));
    CHECK(refused("<scene><solid name='b'><box/></solid></scene>", 1, "missing attribute \"size\""));
    CHECK(refused("<scene><rigid name='b'/></scene>", 1, "has no shape"));
    CHECK(refused("<scene><solid name='b' rotate='0 0 0 90'><box size='1 1 1'/></solid></scene>", 1, "the axis has no length"));
    CHECK(refused("<scene><solid name='b' rotate='0 0 1' quat='1 0 0 0'><box size='1 1 1'/></solid></scene>", 1, "one of them"));
    CHECK(accepted("<scene><rigid name='b'><plane/><sphere radius='1' translate='0 1 0'/></rigid></scene>"));
    // absent elements do not count
    CHECK(accepted("<scene><solid name='b'><box size='1 1 1'/><sphere radius='1' enabled='no'/></solid></scene>"));
}

TEST(selections) {
    CHECK(refused(SOLID("<fix/>"), 4, "selects nothing"));
    CHECK(refused(SOLID("<fix box='1 0 0 0 1 1'/>"), 4, "is empty"));
    CHECK(refused(SOLID("<fix sphere='0 0 0 -1'/>"), 4, "radius = -1"));
    CHECK(refused(SOLID("<fix plane='0 0 0 0 0 0'/>"), 4, "no length"));
    CHECK(refused(SOLID("<fix on='all' within='1'/>"), 4, "the layer around a plane"));
    CHECK(refused(SOLID("<fix point='0 0 0'/>"), 4, "only probe, pull and mass"));
    CHECK(accepted(SOLID("<fix on='all'/><probe name='v' quantity='volume'/><pull point='0 0 0' to='1 1 1'/>")));
    CHECK(accepted(SOLID("<select name='u'><select box='0 0 0 1 1 1'/><select on='surface'/></select><fix select='u'/>")));
}

TEST(conditions) {
    CHECK(refused(SOLID("<load on='all'/>"), 4, "has none"));
    CHECK(refused(SOLID("<load on='all' force='0 0 0' each='0 0 0'/>"), 4, "has several"));
    CHECK(refused(SOLID("<move on='all'/>"), 4, "has no motion"));
    CHECK(refused(SOLID("<move on='all' translate='0 0 {t}' interpolate='smooth'/>"), 4, "there are no keys"));
    CHECK(refused(SOLID("<move on='all'><key t='1'/>\n<key t='1'/></move>"), 5, "key times must increase"));
    CHECK(refused(SOLID("<move on='all' translate='1 0 0'><key t='1'/></move>"), 4, "one of them"));
    CHECK(refused("<scene><rigid name='f'><plane/><move translate='0 {t} 0'/></rigid></scene>", 1, "the rigid is fixed"));
    CHECK(refused("<scene><rigid name='f'><plane/><initial velocity='0 1 0'/></rigid></scene>", 1, "starts where it is placed"));
    CHECK(refused(SOLID("<initial velocity='1 0 0'/>\n<initial spin='1 0 0'/>"), 5, "only one is allowed"));
    CHECK(refused(SOLID("<surface role='visual' scale='2'/>"), 4, "there is no file"));
    CHECK(refused(SOLID("<surface role='visual' smooth='no'/>"), 4, "nothing is subdivided"));
    CHECK(accepted(SOLID("<surface role='visual'/>")));
}

TEST(systems) {
    CHECK(refused(SOLID("<integrator type='explicit' tolerance='1e-3'/>"), 4, "only type=\"newton\" and \"static\" iterate"));
    CHECK(refused(SOLID("<integrator load-steps='3'/>"), 4, "grows its loads"));
    CHECK(refused(SOLID("<integrator type='static' substeps='3'/>"), 4, "no time to divide"));
    CHECK(accepted(SOLID("<integrator type='newton' substeps='3'/>")));
    CHECK(accepted(SOLID("<integrator substeps='auto'/>")));
    CHECK(refused(SOLID("<integrator iterations='1'/>"), 4, "only type=\"newton\" and \"static\" iterate"));
    CHECK(accepted("<scene><rod name='r' length='1' elements='2' radius='0.01'><integrator iterations='1'/></rod></scene>"));
    CHECK(refused(SOLID("<integrator type='explicit'/><solver tolerance='1e-3'/>"), 4, "solves no systems"));
    CHECK(refused(SOLID("<solver/>\n<solver/>"), 5, "only one is allowed"));
    CHECK(refused(SOLID("<solver preconditioner='ssor'/>"), 4, "only type=\"pcg\" has a preconditioner"));
    CHECK(refused(SOLID("<solver type='cg' refresh='async'/>"), 4, "only the preconditioner of type=\"pcg\" is refreshed"));
    CHECK(refused(SOLID("<solver type='cholesky' warp='no'/>"), 4, "only the preconditioner of type=\"pcg\" is rotated"));
    CHECK(refused(SOLID("<solver type='pcg' preconditioner='ic' omega='1.2'/>"), 4, "only preconditioner=\"ssor\" has one"));
    CHECK(refused(SOLID("<solver type='pcg' drop='0.1'/>"), 4, "only preconditioner=\"ic\" drops entries"));
    CHECK(refused(SOLID("<solver type='pcg' threshold='1'/>"), 4, "only type=\"updated-cholesky\" has one"));
    CHECK(refused(SOLID("<solver type='cg' ordering='amd'/>"), 4, "only factors have an order"));
    CHECK(refused(SOLID("<solver type='pcg' operator='matrix-free'/>"), 4, "without an assembled matrix"));
    CHECK(refused(SOLID("<solver type='pcg' refresh='0'/>"), 4, "refresh"));
    CHECK(refused(SOLID("<solver type='pcg' preconditioner='ssor' omega='2'/>"), 4, "must be in (0, 2)"));
    CHECK(refused(SOLID("<solver type='updated-cholesky' threshold='-1'/>"), 4, "must be >= 0"));
    CHECK(accepted(SOLID("<solver type='pcg' preconditioner='cholesky' refresh='30' warp='no' lag='5' ordering='amd'/>")));
    CHECK(accepted(SOLID("<solver type='updated-cholesky' threshold='0' budget='4'/>")));
    CHECK(refused("<scene><contact formulation='penalty'/>\n<contact formulation='penalty'/></scene>", 2, "only one is allowed"));
    CHECK(refused("<scene><contact/></scene>", 1, "missing attribute \"formulation\""));
    // a default, or a choice made by --set, drops attributes that no longer have an effect
    CHECK(accepted(
        "<scene><solver tolerance='1e-3'/><solid name='b'><box size='1 1 1'/><integrator type='explicit'/></solid></scene>"));
    const char *set[] = {"b.integrator.type=explicit"};
    loaded l = load_text(SOLID("<solver tolerance='1e-3'/>"), "scene.xml", 1, set);
    CHECK_INT(l.status, SP_OK);
    CHECK(!sp__attr_given(at(&l, "b.solver"), "tolerance"));
    unload(&l);
}

TEST(probes_records_and_claims) {
    CHECK(refused("<scene><probe name='p'/></scene>", 1, "needs of, the body"));
    CHECK(refused(SOLID("<probe name='p' of='b'/>"), 4, "has no effect here: a probe in a body"));
    CHECK(refused(SOLID("<probe name='p' every='1' period='1'/>"), 4, "every, period and times exclude each other"));
    CHECK(refused(SOLID("<probe name='p' times='1 1'/>"), 4, "times must increase"));
    CHECK(refused(SOLID("<probe name='p' from='2' until='1'/>"), 4, "is before from"));
    CHECK(refused(SOLID("<probe name='a-b'/>"), 4, "so it has no \"-\""));
    CHECK(refused("<scene><record file='../x.csv'/></scene>", 1, "a plain name without a folder"));
    CHECK(refused("<scene><record file='/tmp/x.csv'/></scene>", 1, "a plain name without a folder"));
    CHECK(refused("<scene><record file='.x.csv'/></scene>", 1, "a plain name without a folder"));
    CHECK(refused("<scene><record file='x.csv' quantity='stress'/></scene>", 1, "a .csv record holds probes"));
    CHECK(refused("<scene><record file='x.png' part='visual'/></scene>", 1, "a .png shows what view gives"));
    CHECK(refused("<scene><camera name='c'/><record file='x.obj' camera='c'/></scene>", 1, "only a .png record"));
    CHECK(refused("<scene><record file='x.vtu' precision='double'/></scene>", 1, "only .xdmf records have a choice"));
    CHECK(refused("<scene><record file='x.ply' compress='yes'/></scene>", 1, "only .xdmf and .vtu"));
    CHECK(refused("<scene><record file='x.png' on-slow='drop'/></scene>", 1, "drawn between two steps"));
    CHECK(refused("<scene><record file='x.xdmf' quantity='stres'/></scene>", 1, "did you mean \"stress\"?"));
    CHECK(refused(SOLID("<initial time='1'/>"), 4, "file names none"));
    CHECK(refused("<scene><stop/></scene>", 1, "needs time, steps, wall or when"));
    CHECK(refused("<scene><stop time='1'/>\n<stop steps='2'/></scene>", 2, "only one is allowed"));
    CHECK(refused(SOLID("<probe name='p' near='0 0 0'/></solid><expect probe='p' value='1' tolerance='1'/><solid name='c'>"
                        "<box size='1 1 1'/>"),
                  4, "either at or over"));
    CHECK(refused("<scene><expect probe='p' over='mean' value='1' tolerance='1'/></scene>", 1, "no probe has this name"));
}

TEST(events) {
    CHECK(refused("<scene><event set='dt' value='1'/></scene>", 1, "either t or when"));
    CHECK(refused("<scene><event t='1' value='1'/></scene>", 1, "needs set, the path, and value"));
    CHECK(refused("<scene><event t='1' set='b.yung' value='1'/><solid name='b'><box size='1 1 1'/></solid></scene>", 1,
                  "solid has no attribute \"yung\"; did you mean \"young\"?"));
    CHECK(refused("<scene><event t='1' set='c.young' value='1'/></scene>", 1, "matches nothing"));
    CHECK(refused("<scene><event t='1' do='pin'/></scene>", 1, "needs of, the body"));
    CHECK(refused("<scene><event t='1' do='cut'/></scene>", 1, "is known, not in this build"));
    CHECK(
        refused("<scene><event t='1' do='pin' of='b' near='0 0 0' ramp='1'/><solid name='b'><box size='1 1 1'/></solid></scene>",
                1, "belongs to do=\"set\""));
    CHECK(accepted(
        "<scene><event t='1' set='b.young' value='0' ramp='2'/><event t='2' set='gravity.y' value='0'/>"
        "<event when='{t gt 3}' do='pin' of='b' select='f'/><solid name='b'><box size='1 1 1'/><select name='f' on='all'/>"
        "</solid></scene>"));
}

TEST(unused_elements_cause_a_warning) {
    loaded l =
        load("<scene><look name='a'/><look name='b'/><material name='m'/><param name='p' value='1'/><param name='q' value='1'/>"
             "<curve name='c' points='0 1'/><template name='T'/><default class='k'><solid young='1'/></default>"
             "<solid name='s' look='a' young='{q}'><box size='1 1 1'/><select name='u' on='all'/></solid></scene>");
    REQUIRE(l.status == SP_OK);
    static const char *const unused[] = {"look \"b\"",     "material \"m\"", "param \"p\"", "curve \"c\"",
                                         "template \"T\"", "default",        "select \"u\""};
    for (int i = 0; i < 7; i++) CHECK(says(&l, SP_SEVERITY_WARNING, 1, unused[i]));
    CHECK_INT(sp_scene_message_count(l.scene), 7);
    unload(&l);
}

TEST(all_errors_are_collected_up_to_twenty) {
    loaded l = load("<scene dt='0' seed='-1'>\n<solid name='b' yung='1' poisson='7'>\n<box size='1 1'/>\n<fx/></solid></scene>");
    CHECK_INT(sp_scene_message_count(l.scene), 6);
    unload(&l);
    char text[4000] = "<scene>";
    for (int i = 0; i < 30; i++) strcat(text, "\n<stop tim='1'/>");
    strcat(text, "</scene>");
    l = load(text);
    CHECK_INT(sp_scene_message_count(l.scene), 21);
    CHECK(strstr(message_at(l.scene, 20).text, "more error"));
    sp_scene_message none;
    CHECK(sp_scene_message_at(l.scene, 21, &none) < 0 && sp_scene_message_at(l.scene, -1, &none) < 0);
    unload(&l);
}

TEST(enabled) {
    loaded l =
        load("<scene><solid name='a' enabled='no'><box size='1 1 1'/><fix on='all'/></solid><solid name='b'><box size='1 1 1'/>"
             "<fix name='f' on='all' enabled='{1 gt 2}'/></solid></scene>");
    REQUIRE(l.status == SP_OK);
    const sp_scene_node *root = sp__scene_root(l.scene), *solid = sp__next_child(root, "solid", NULL);
    CHECK(strcmp(solid->name, "b") == 0 && !sp__next_child(root, "solid", solid) && !sp__next_child(solid, "fix", NULL));
    CHECK(!at(&l, "a")->children[0]->enabled);
    unload(&l);
    CHECK(refused("<scene><solid name='a' enabled='no' young='-1'><box size='1 1 1'/></solid></scene>", 1, "young = -1"));
}

static void collect(void *user, const char *text) {
    char *out = user;
    size_t used = strlen(out), n = strlen(text);
    if (used + n < 60000) memcpy(out + used, text, n + 1);
}

TEST(check_prints_values_units_and_origins) {
    static char out[60001];
    const char *set[] = {"b.young=5e4", "k=3"};
    loaded l = load_text("<scene dt='0.02'>\n<param name='k' value='2' unit='m'/>\n<default><solid density='900'/></default>\n"
                         "<default class='c'><solid drag='2'/></default>\n<solid name='b' class='c' poisson='{k/10}'>\n"
                         "<box size='1 1 {k}'/></solid></scene>",
                         "scene.xml", 2, set);
    REQUIRE(l.status == SP_OK);
    sp__scene_note_auto(l.scene, at(&l, "b.box"), "cells", "%d %d %d: four along the shortest edge", 4, 4, 12);
    out[0] = 0;
    sp_scene_describe(l.scene, collect, out);
    CHECK(strstr(out, "dt = 0.02 s "));
    CHECK(strstr(out, "(scene.xml:1)"));
    CHECK(strstr(out, "k = 3 m ") && strstr(out, "(param, --set k=3)"));
    CHECK(strstr(out, "b.young = 50000 Pa ") && strstr(out, "(--set b.young=5e4)"));
    CHECK(strstr(out, "b.density = 900 kg/m3 ") && strstr(out, "(default scene.xml:3)"));
    CHECK(strstr(out, "b.drag = 2 N s/m4 ") && strstr(out, "(class scene.xml:4)"));
    CHECK(strstr(out, "b.poisson = 0.3 ") && strstr(out, "(scene.xml:5: {k/10})"));
    CHECK(strstr(out, "b.box.size = 1 1 3 m "));
    CHECK(strstr(out, "b.solver.tolerance = 1e-06 ") && strstr(out, "(built in)"));
    CHECK(strstr(out, "b.box.cells: 4 4 12: four along the shortest edge"));
    unload(&l);
}
