// Reading values: kinds, counts, ranges, expressions, references, and their error messages.
#include "unit/scene_help.h"

static const char beam[] =
    "<scene version='1' name='heterogeneous beam' gravity='0 -9.81 0' dt='0.02'>\n"
    "  <param name='k' value='5' min='1' max='32' label='cells across'/>\n"
    "  <param name='root' value='1e6' min='1e4' max='1e8' unit='Pa'/>\n"
    "  <solid name='beam' material='corotational' rotation='polar' density='1000' young='5e4' poisson='0.4' look='rubber'>\n"
    "    <box size='0.4 0.1 0.1' cells='{4*k} {k} {k}'/>\n"
    "    <region name='stiff' box='0 0 0  0.14 0.1 0.1' young='{root}'/>\n"
    "    <region name='soft' where='{x gt 0.27}' young='1e4'/>\n"
    "    <fix name='clamp' box='-0.001 0 0  0.001 0.1 0.1'/>\n"
    "    <solver type='cg' tolerance='1e-7'/>\n"
    "    <probe name='tip' near='0.4 0.05 0.05' quantity='position velocity' times='0.25 0.5 0.75 1'/>\n"
    "    <probe name='wall' select='clamp' quantity='force' combine='sum' every='1'/>\n"
    "  </solid>\n"
    "  <probe name='bulk' of='beam' quantity='volume kinetic elastic' period='0.1'/>\n"
    "  <expect probe='bulk' component='volume' over='mean' value='0.004' tolerance='0.05' relative='yes' source='a b c'/>\n"
    "  <look name='rubber' color='0.8 0.3 0.2'/>\n"
    "  <view color-by='von-mises' show='visual fixed'/>\n"
    "  <camera at='0.2 0.1 0.9' to='0.2 -0.05 0.05'/>\n"
    "  <record file='beam.csv' every='5'/>\n"
    "  <stop time='1' when='{tip.y lt -0.2 and bulk.kinetic gt 3}'/>\n"
    "</scene>\n";

TEST(a_complete_scene) {
    loaded l = load(beam);
    REQUIRE(l.status == SP_OK);
    CHECK_INT(sp_scene_message_count(l.scene), 0);
    CHECK(strcmp(sp_scene_name(l.scene), "heterogeneous beam") == 0);
    const sp_scene_node *root = sp__scene_root(l.scene), *solid = sp__next_child(root, "solid", NULL);
    REQUIRE(solid);
    CHECK(strcmp(solid->path, "beam") == 0 && solid->line == 4 && solid->parent == root);
    CHECK(!sp__next_child(root, "solid", solid));
    CHECK_NEAR(sp__attr_number(root, "dt"), 0.02, 0);
    CHECK_NEAR(sp__attr(root, "gravity")->numbers[1], -9.81, 0);
    const sp_scene_node *box = sp__next_child(solid, "box", NULL);
    const sp_attr *cells = sp__attr(box, "cells");
    CHECK_INT(cells->count, 3);
    CHECK_INT(cells->numbers[0], 20);
    CHECK_INT(cells->numbers[2], 5);
    CHECK_INT(cells->line, 5);
    const sp_scene_node *stiff = sp__next_child(solid, "region", NULL), *soft = sp__next_child(solid, "region", stiff);
    CHECK_NEAR(sp__attr_number(stiff, "young"), 1e6, 0);
    CHECK(!sp__attr_given(stiff, "density"));
    CHECK(isnan(sp__attr_number(stiff, "poisson")));
    const sp_attr *where = sp__attr(soft, "where");
    REQUIRE(where->count == 1 && where->programs[0]);
    CHECK(sp__expr_eval(where->programs[0], &(sp_expr_env){.x = 0.3}) == 1);
    CHECK(sp__expr_eval(where->programs[0], &(sp_expr_env){.x = 0.2}) == 0);
    CHECK_INT(sp__attr(at(&l, "beam.tip"), "times")->count, 4);
    CHECK_INT(sp__attr(at(&l, "beam.tip"), "quantity")->count, 2);
    CHECK(strcmp(sp__attr_word(at(&l, "beam.wall"), "select"), "beam.clamp") == 0);
    CHECK(strcmp(sp__attr_word(solid, "look"), "rubber") == 0);
    CHECK_NEAR(number_at(&l, "beam.solver", "tolerance"), 1e-7, 0);
    CHECK_INT(sp__attr(at(&l, "beam.solver"), "iterations")->origin, SP_ORIGIN_BUILTIN);
    // a body without an integrator has a default one
    CHECK(sp__attr_is(at(&l, "beam.integrator"), "type", "implicit-euler"));
    CHECK(sp__attr(box, "cells")->origin == SP_ORIGIN_WRITTEN && sp__attr_is(box, "pattern", "5"));
    unload(&l);
}

// a dot follows the name of a probe, so that it may be a word of expressions
TEST(probes_may_have_the_names_of_words) {
    static const char *const names[] = {"s", "t", "lt", "sin"};
    loaded l = load("<scene><solid name='b'><box size='1 1 1'/><probe name='s' near='0 0 0'/><probe name='t' near='1 0 0'/>"
                    "<probe name='lt' near='0 1 0'/><probe name='sin' near='0 0 1'/></solid>"
                    "<stop time='1' when='{s.x lt t.y and t gt 0 or lt.z lt sin.y + sin(1)}'/></scene>");
    REQUIRE(l.status == SP_OK);
    REQUIRE(sp__scene_slot_count(l.scene) == 4);
    for (int i = 0; i < 4; i++) CHECK(strcmp(sp__scene_slot_at(l.scene, i)->probe->name, names[i]) == 0);
    unload(&l);
    CHECK(refused_with(SOLID("<probe name='a-b' near='0 0 0'/>"), 0, NULL, 4, "so it has no \"-\""));
}

TEST(conditions_read_probes_by_slot) {
    loaded l = load(beam);
    REQUIRE(l.status == SP_OK);
    REQUIRE(sp__scene_slot_count(l.scene) == 2);
    const sp_scene_slot *a = sp__scene_slot_at(l.scene, 0), *b = sp__scene_slot_at(l.scene, 1);
    CHECK(strcmp(a->probe->path, "beam.tip") == 0 && strcmp(a->component, "y") == 0);
    CHECK(strcmp(b->probe->path, "bulk") == 0 && strcmp(b->component, "kinetic") == 0);
    CHECK(strcmp(a->user->spec->name, "stop") == 0);
    CHECK(!sp__scene_slot_at(l.scene, 2) && !sp__scene_slot_at(l.scene, -1));
    unload(&l);
}

TEST(signals_and_fields) {
    loaded l = load("<scene gravity='0 {-9.81*smooth(0,1,t)} {k}'><param name='k' value='3'/>"
                    "<solid name='b' young='{1e4*(1+x)}' density='{1000+100*y}'><box size='1 1 1'/>"
                    "<load on='all' force='0 0 {10*t}'/></solid></scene>");
    REQUIRE(l.status == SP_OK);
    const sp_scene_node *root = sp__scene_root(l.scene), *b = at(&l, "b");
    sp_signal g = sp__attr_signal(root, "gravity", 1), z = sp__attr_signal(root, "gravity", 2);
    CHECK_NEAR(sp_signal_value(&g, 0), 0, 0);
    CHECK_NEAR(sp_signal_value(&g, 2), -9.81, 0);
    CHECK(!z.eval);
    CHECK_NEAR(z.constant, 3, 0);
    CHECK(sp__attr_varies(sp__attr(root, "gravity"), SP_ATTR_OF_TIME));
    CHECK(!sp__attr_varies(sp__attr(root, "gravity"), SP_ATTR_OF_SPACE));
    CHECK(sp__attr_varies(sp__attr(b, "young"), SP_ATTR_OF_SPACE));
    const double x[3] = {1, 2, 3};
    CHECK_NEAR(sp__attr_at(b, "young", 0, x, 0), 2e4, 0);
    CHECK_NEAR(sp__attr_at(b, "density", 0, x, 0), 1200, 0);
    CHECK_NEAR(sp__attr_at(at(&l, "b.load"), "force", 2, NULL, 4), 40, 0);
    unload(&l);
}

TEST(numbers) {
    CHECK(refused_with(SOLID("<fix box='0 0 0 1 1'/>"), 0, NULL, 4, "box=\"0 0 0 1 1\": 5 values, expected 6"));
    CHECK(refused_with(SOLID("<fix near='0 a 0'/>"), 0, NULL, 4, "near: \"a\" is not a finite decimal number"));
    CHECK(refused_with(SOLID("<fix near='0,1,2'/>"), 0, NULL, 4, "expected 3"));
    CHECK(refused_with(SOLID("<fix near='0, 1, 2'/>"), 0, NULL, 4, "numbers are separated by spaces"));
    CHECK(refused_with("<scene dt='nan'/>", 0, NULL, 1, "not a finite decimal"));
    CHECK(refused_with("<scene dt='inf'/>", 0, NULL, 1, "not a finite decimal"));
    CHECK(refused_with("<scene dt='1e999'/>", 0, NULL, 1, "not a finite decimal"));
    CHECK(refused_with("<scene dt='0x1'/>", 0, NULL, 1, "not a finite decimal"));
    CHECK(refused_with("<scene dt='0'/>", 0, NULL, 1, "scene: dt = 0, must be > 0"));
    CHECK(refused_with("<scene dt='{0/0}'/>", 0, NULL, 1, "not a finite number"));
    CHECK(refused_with("<scene dt=''/>", 0, NULL, 1, "0 values, expected 1"));
    CHECK(refused_with("<scene dt='0.1s'/>", 0, NULL, 1, "\"0.1s\" is not"));
    CHECK(refused_with("<scene seed='1.5'/>", 0, NULL, 1, "seed = 1.5, must be a whole number"));
    CHECK(refused_with("<scene version='2'/>", 0, NULL, 1, "version = 2, must be in [1, 1]"));
    CHECK(refused_with("<scene\n gravity='0 0 {x}'/>", 0, NULL, 2, "x cannot be used here"));
    CHECK(refused_with("<scene><solid name='b' poisson='0.5'><box size='1 1 1'/></solid></scene>", 0, NULL, 1,
                       "poisson = 0.5, must be in (-1, 0.5)"));
    CHECK(refused_with("<scene><solid name='b' young='-1'><box size='1 1 1'/></solid></scene>", 0, NULL, 1,
                       "young = -1, must be >= 0"));
    CHECK(refused_with("<scene><solid name='b' scale='1 2'><box size='1 1 1'/></solid></scene>", 0, NULL, 1, "expected 1 or 3"));
    CHECK(accepted("<scene><solid name='b' scale='1 2 3'><box size='1 1 1'/></solid></scene>"));
    CHECK(accepted("<scene dt=' 1e-3 ' gravity='\n0  -1\t0 '/>"));
}

TEST(choices_switches_and_words) {
    const char *how[] = {"how=svd"};
    const char *text = "<scene><param name='how' value='qr'/><param name='cells' value='5'/><solid name='b' rotation='{how}'>"
                       "<box size='1 1 1' pattern='{cells}'/></solid></scene>";
    loaded l = load(text);
    REQUIRE(l.status == SP_OK);
    CHECK(sp__attr_is(at(&l, "b"), "rotation", "qr") && sp__attr_is(at(&l, "b.box"), "pattern", "5"));
    unload(&l);
    l = load_text(text, "scene.xml", 1, how);
    CHECK(sp__attr_is(at(&l, "b"), "rotation", "svd"));
    unload(&l);
    CHECK(refused_with("<scene on-limit='Accept'/>", 0, NULL, 1, "must be one of accept, fail; did you mean \"accept\"?"));
    CHECK(refused_with(SOLID("<fix on='all' invert='true'/>"), 0, NULL, 4, "must be one of yes, no"));
    CHECK(refused_with(SOLID("<fix on='all' axes='zyx'/>"), 0, NULL, 4, "must be one of xyz"));
    CHECK(refused_with(SOLID("<probe name='p' quantity='position mass'/>"), 0, NULL, 4, "quantity=\"mass\": must be one of"));
    CHECK(refused_with(SOLID("<probe name='p' quantity='position position'/>"), 0, NULL, 4, "repeated"));
    CHECK(refused_with("<scene><param name='how' value='qr'/><solid name='b' young='{how}'><box size='1 1 1'/></solid></scene>",
                       0, NULL, 1, "is the word \"qr\", not a number"));
    CHECK(accepted(SOLID("<fix on='all' invert='{1 gt 2}'/>")));
}

TEST(ids) {
    loaded l = load(SOLID("<fix nodes='0 7 12-15'/>"));
    REQUIRE(l.status == SP_OK);
    const sp_attr *nodes = sp__attr(at(&l, "b.fix"), "nodes");
    REQUIRE(nodes->count == 6);
    CHECK_INT(nodes->numbers[1], 7);
    CHECK_INT(nodes->numbers[5], 15);
    unload(&l);
    CHECK(refused_with(SOLID("<fix nodes='5-3'/>"), 0, NULL, 4, "must increase"));
    CHECK(refused_with(SOLID("<fix nodes='-3'/>"), 0, NULL, 4, "whole numbers and ranges"));
    CHECK(refused_with(SOLID("<fix nodes='1 a'/>"), 0, NULL, 4, "whole numbers and ranges"));
    CHECK(refused_with(SOLID("<fix nodes='0-9223372036854775806'/>"), 0, NULL, 4, "whole numbers"));
    CHECK(refused_with(SOLID("<fix nodes='0-900000000000000'/>"), 0, NULL, 4, "memory limit"));
    CHECK(refused_with(SOLID("<fix nodes=''/>"), 0, NULL, 4, "0 values"));
}

TEST(expressions_in_values) {
    CHECK(refused_with("<scene><param name='kk' value='1'/>\n<solid name='b' young='{4*k}'><box size='1 1 1'/></solid></scene>",
                       0, NULL, 2, "young=\"4*k\": unknown name \"k\""));
    CHECK(refused_with(
        "<scene><param name='width' value='1'/>\n<solid name='b' young='{4*widht}'><box size='1 1 1'/></solid></scene>", 0, NULL,
        2, "did you mean \"width\"?"));
    CHECK(refused_with("<scene dt='{1'/>", 0, NULL, 1, "one pair of braces"));
    CHECK(refused_with("<scene dt='1}'/>", 0, NULL, 1, "one pair of braces"));
    CHECK(refused_with("<scene dt='0.{1}'/>", 0, NULL, 1, "one pair of braces"));
    CHECK(refused_with("<scene dt='{{1}}'/>", 0, NULL, 1, "one pair of braces"));
    CHECK(refused_with(SOLID("<fix where='x gt 1'/>"), 0, NULL, 4, "a condition is written in braces"));
    CHECK(refused_with(SOLID("<fix where='{t gt 1}'/>"), 0, NULL, 4, "t cannot be used here"));
    CHECK(refused_with("<scene><stop when='{q.y gt 1}'/></scene>", 0, NULL, 1, "unknown name \"q.y\""));
    loaded l = load("<scene dt='{0.001 * 2 ^ 3}' gravity='{1} {2 + 3} {4}'/>");
    REQUIRE(l.status == SP_OK);
    CHECK_NEAR(sp__attr_number(sp__scene_root(l.scene), "dt"), 0.008, 1e-18);  // one rounding
    CHECK_NEAR(sp__attr(sp__scene_root(l.scene), "gravity")->numbers[1], 5, 0);
    unload(&l);
}

TEST(parameters) {
    loaded l = load("<scene><param name='a' value='{b+1}'/><param name='b' value='{2*c}'/><param name='c' value='3'/>"
                    "<solid name='s' young='{a}'><box size='1 1 1'/></solid></scene>");
    CHECK_NEAR(number_at(&l, "s", "young"), 7, 0);
    unload(&l);
    CHECK(refused_with("<scene>\n<param name='a' value='{b}'/>\n<param name='b' value='{a}'/></scene>", 0, NULL, -1,
                       "depends on itself: a -> b -> a"));
    CHECK(refused_with("<scene><param name='a' value='5' max='4'/></scene>", 0, NULL, 1, "value = 5, must be in [-inf, 4]"));
    CHECK(refused_with("<scene><param name='a' value='5' min='6' max='4'/></scene>", 0, NULL, 1, "min = 6 is above max = 4"));
    CHECK(refused_with("<scene><param name='a' value='word' min='6'/></scene>", 0, NULL, 1, "do not apply to a word"));
    CHECK(refused_with("<scene><param name='a-b' value='5'/></scene>", 0, NULL, 1, "so it has no \"-\""));
    CHECK(refused_with("<scene><param name='t' value='5'/></scene>", 0, NULL, 1, "cannot be the name of a param"));
    CHECK(refused_with("<scene><param name='sin' value='5'/></scene>", 0, NULL, 1, "cannot be the name of a param"));
    CHECK(refused_with("<scene><curve name='s' points='0 1'/></scene>", 0, NULL, 1, "cannot be the name of a curve"));
    CHECK(refused_with("<scene><param value='5'/></scene>", 0, NULL, 1, "needs a name"));
    CHECK(refused_with("<scene><param name='a'/></scene>", 0, NULL, 1, "missing attribute \"value\""));
    CHECK(refused_with("<scene><param name='dt' value='5'/></scene>", 0, NULL, 1, "the scene has an attribute of this name"));
    CHECK(refused_with("<scene><param name='a' value='1'/>\n<param name='a' value='1'/></scene>", 0, NULL, 2,
                       "the name \"a\" is taken by the param at scene.xml:1"));
    CHECK(refused_with("<scene><param name='a' value='2 {3}'/></scene>", 0, NULL, 1, "one expression in braces"));
}

TEST(curves) {
    loaded l = load("<scene gravity='{c(0)} {c(1.5)} {c(9)}'><curve name='c' points='0 1  1 2  2 4'/>"
                    "<curve name='r' points='0 0  1 1' repeat='yes'/><curve name='q' points='0 5  1 6' interpolate='step'/>"
                    "<curve name='m' points='0 0  2 1' interpolate='smooth'/>"
                    "<solid name='a' young='{r(3.25)}'><box size='1 1 1'/></solid>"
                    "<solid name='b' young='{q(0.99)}' density='{m(0.5)}'><box size='1 1 1'/></solid></scene>");
    REQUIRE(l.status == SP_OK);
    const double *g = sp__attr(sp__scene_root(l.scene), "gravity")->numbers;
    CHECK(g[0] == 1 && g[1] == 3 && g[2] == 4);
    CHECK_NEAR(number_at(&l, "a", "young"), 0.25, 0);
    CHECK_NEAR(number_at(&l, "b", "young"), 5, 0);
    CHECK_NEAR(number_at(&l, "b", "density"), 0.15625, 0);
    unload(&l);
    CHECK(refused_with("<scene><curve name='c' points='0 1 1'/></scene>", 0, NULL, 1, "come in pairs"));
    CHECK(refused_with("<scene><curve name='c' points='0 1  0 2'/></scene>", 0, NULL, 1, "must increase"));
    CHECK(refused_with("<scene><curve name='c'/></scene>", 0, NULL, 1, "needs points or a file"));
    CHECK(refused_with("<scene><curve name='c' points='0 {c(1)}'/></scene>", 0, NULL, 1, "depends on itself: c -> c"));
}

TEST(references) {
    CHECK(refused_with("<scene>\n<solid name='b' look='ruber'><box size='1 1 1'/></solid><look name='rubber'/></scene>", 0, NULL,
                       2, "look=\"ruber\": no look has this name; did you mean \"rubber\"?"));
    CHECK(refused_with("<scene><solid name='b' look='b'><box size='1 1 1'/></solid></scene>", 0, NULL, 1,
                       "is a solid, not a look"));
    CHECK(refused_with(SOLID("<fix select='clmp'/><select name='clamp' on='all'/>"), 0, NULL, 4, "did you mean"));
    CHECK(refused_with("<scene><solid name='a'><box size='1 1 1'/><fix name='f' on='all'/></solid><solid name='b'>"
                       "<box size='1 1 1'/><fix select='a.f'/></solid></scene>",
                       0, NULL, 1, "belongs to another body"));
    CHECK(refused_with(SOLID("<select name='p' select='q'/><select name='q' select='p'/>"), 0, NULL, 4,
                       "selections: b.p -> b.q -> b.p"));
    CHECK(refused_with("<scene><solid name='b' look='red'><box size='1 1 1'/></solid><look name='red' enabled='no'/></scene>", 0,
                       NULL, 1, "is not enabled"));
    // own names first, and only of the requested kind
    loaded l = load("<scene><look name='x'/><solid name='b' look='x'><box size='1 1 1'/><region name='x' on='all' young='1'/>"
                    "<fix select='x'/></solid></scene>");
    REQUIRE(l.status == SP_OK);
    CHECK(strcmp(sp__attr_word(at(&l, "b"), "look"), "x") == 0);
    CHECK(sp__scene_find(at(&l, "b"), sp__attr_word(at(&l, "b"), "look"))->spec == sp__element_spec("look"));
    CHECK(strcmp(sp__attr_word(at(&l, "b.fix"), "select"), "b.x") == 0);
    unload(&l);
}

TEST(probes_are_found_by_name_only) {
    loaded l = load(SOLID("<probe name='tip' near='0 0 0'/>")
                    /* one solid only */);
    REQUIRE(l.status == SP_OK);
    const sp_scene_node *root = sp__scene_root(l.scene);
    CHECK(sp__scene_find_probe(root, "tip") == at(&l, "b.tip") && at(&l, "b.tip"));
    CHECK(sp__scene_find_probe(root, "b.tip") == at(&l, "b.tip"));
    CHECK(!sp__scene_find_probe(root, "b") && !sp__scene_find_probe(root, "nothing"));
    unload(&l);
    CHECK(refused_with("<scene><solid name='a'><box size='1 1 1'/><probe name='tip' near='0 0 0'/></solid><solid name='b'>"
                       "<box size='1 1 1'/><probe name='tip' near='0 0 0'/></solid>"
                       "<expect probe='tip' over='end' value='1' tolerance='1'/></scene>",
                       0, NULL, 1, "no probe has this name"));
}

TEST(lines_far_down_a_file) {
    static char text[400000];
    size_t n = (size_t)snprintf(text, sizeof text, "\xEF\xBB\xBF<?xml version='1.0' encoding='UTF-8'?>\n<scene>\n");
    for (int i = 0; i < 5000; i++)
        n += (size_t)snprintf(text + n, sizeof text - n, "<look color='1 0 0'\n  name='a%d'/> <!-- \xC3\xBC -->\n", i);
    snprintf(text + n, sizeof text - n, "<stop\n steps='1'\n time='0'/></scene>");
    CHECK(refused_with(text, 0, NULL, 10005, "time = 0"));
}

TEST(attribute_lines_of_long_tags) {
    CHECK(refused_with("<scene\n  dt='0.1'\n  seed='-3'\n  gravity='0 0 0'/>", 0, NULL, 3, "seed = -3"));
    CHECK(refused_with("<!-- one\n two -->\n<scene>\n  <stop\n\n     time='-1'/></scene>", 0, NULL, 6, "time = -1"));
}
