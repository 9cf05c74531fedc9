// Defaults and their precedence, includes, templates, instances, --set.
#include "at.h"
#include "unit/scene_help.h"

static const char classes[] = "<scene>\n"
                              "  <solver tolerance='1e-3' iterations='50'/>\n"
                              "  <default><solid young='10' density='11' poisson='0.11'/></default>\n"
                              "  <default class='base'><solid young='20' density='21'/><fix axes='x'/></default>\n"
                              "  <default class='organ' parent='base'><solid young='30'/><solver tolerance='1e-4'/></default>\n"
                              "  <solid name='plain'><box size='1 1 1'/><solver iterations='60'/></solid>\n"
                              "  <solid name='liver' class='organ'><box size='1 1 1'/><fix name='f' on='all'/>\n"
                              "    <fix name='g' on='all' axes='z'/></solid>\n"
                              "  <solid name='lens' class='organ' young='40'><box size='1 1 1'/><solver class='base'/></solid>\n"
                              "</scene>\n";

TEST(precedence_of_defaults) {
    loaded l = load(classes);
    REQUIRE(l.status == SP_OK);
    // unnamed default
    CHECK_NEAR(number_at(&l, "plain", "young"), 10, 0);
    CHECK_INT(sp__attr(at(&l, "plain"), "young")->origin, SP_ORIGIN_DEFAULT);
    // class, its parent, unnamed default, built-in
    CHECK_NEAR(number_at(&l, "liver", "young"), 30, 0);
    CHECK_NEAR(number_at(&l, "liver", "density"), 21, 0);
    CHECK_NEAR(number_at(&l, "liver", "poisson"), 0.11, 0);
    CHECK_NEAR(number_at(&l, "liver", "drag"), 0, 0);
    CHECK_INT(sp__attr(at(&l, "liver"), "young")->origin, SP_ORIGIN_CLASS);
    CHECK_INT(sp__attr(at(&l, "liver"), "young")->line, 5);
    CHECK_INT(sp__attr(at(&l, "liver"), "drag")->origin, SP_ORIGIN_BUILTIN);
    // written value
    CHECK_NEAR(number_at(&l, "lens", "young"), 40, 0);
    // the class of a body applies to the elements inside it
    CHECK(sp__attr_is(at(&l, "liver.f"), "axes", "x") && sp__attr_is(at(&l, "liver.g"), "axes", "z"));
    // the scene's solver is the unnamed default; a body's own overrides attribute by attribute
    CHECK_NEAR(number_at(&l, "plain.solver", "tolerance"), 1e-3, 0);
    CHECK_NEAR(number_at(&l, "plain.solver", "iterations"), 60, 0);
    CHECK_NEAR(number_at(&l, "liver.solver", "tolerance"), 1e-4, 0);
    CHECK_NEAR(number_at(&l, "liver.solver", "iterations"), 50, 0);
    // its own class replaces the body's
    CHECK_NEAR(number_at(&l, "lens.solver", "tolerance"), 1e-3, 0);
    unload(&l);
}

TEST(defaults_may_be_anywhere) {
    loaded l = load("<scene><solid name='a' class='off'><box size='1 1 1'/></solid>"
                    "<default class='off'><solid enabled='no' young='3'/></default></scene>");
    REQUIRE(l.status == SP_OK);
    CHECK(!at(&l, "a")->enabled);
    CHECK_NEAR(number_at(&l, "a", "young"), 3, 0);
    unload(&l);
}

TEST(invalid_defaults) {
    CHECK(refused_with("<scene><solid name='a' class='orgn'><box size='1 1 1'/></solid>"
                       "<default class='organ'><solid young='3'/></default></scene>",
                       0, NULL, 1, "no default has this class; did you mean \"organ\"?"));
    CHECK(refused_with("<scene><default class='a' parent='b'/><default class='b' parent='a'/></scene>", 0, NULL, 1,
                       "of classes: a -> b -> a"));
    CHECK(refused_with("<scene><default class='a' parent='q'/></scene>", 0, NULL, 1, "no default has this class"));
    CHECK(refused_with("<scene><default class='a'/>\n<default class='a'/></scene>", 0, NULL, 2, "at scene.xml:1 already"));
    CHECK(refused_with("<scene><default class='a'><solid/>\n<solid/></default></scene>", 0, NULL, 2, "at line 1 already"));
    CHECK(refused_with("<scene><default><fix box='0 0 0 1 1 1'/></default></scene>", 0, NULL, 1, "cannot be defaulted"));
    CHECK(refused_with("<scene><default><solid name='x'/></default></scene>", 0, NULL, 1, "\"name\" cannot be defaulted"));
    CHECK(refused_with("<scene><default><solid><fix/></solid></default></scene>", 0, NULL, 1, "has no children"));
    CHECK(refused_with("<scene><default><solid yung='3'/></default></scene>", 0, NULL, 1, "did you mean \"young\"?"));
    // the error is reported at the default and names the affected element
    CHECK(refused_with("<scene>\n<default class='c'><solid young='-3'/></default>\n"
                       "<solid name='a' class='c'><box size='1 1 1'/></solid></scene>",
                       0, NULL, 2, "young = -3, must be >= 0 (solid \"a\" at scene.xml:3)"));
}

TEST(a_default_without_effect_is_ignored) {
    loaded l =
        load("<scene><default><solid rotation='qr'/></default><solid name='a' material='linear'><box size='1 1 1'/></solid>"
             "<solid name='b'><box size='1 1 1'/></solid></scene>");
    REQUIRE(l.status == SP_OK);
    CHECK(sp__attr_is(at(&l, "a"), "rotation", "svd") && !sp__attr_given(at(&l, "a"), "rotation"));
    CHECK(sp__attr_is(at(&l, "b"), "rotation", "qr"));
    CHECK(l.scene->notes && strstr(l.scene->notes->text, "is left out"));
    unload(&l);
}

// ---------------------------------------------------------------------------------------------- --set

TEST(set_writes_attributes) {
    const char *sets[] = {"beam.young=7",           "k=9",         "dt=0.5", "beam.solver.tolerance=1e-2",
                          "beam.region[1].young=3", "beam.young=8"};
    loaded l =
        load_text("<scene><param name='k' value='2' max='20'/><solid name='beam' young='1' density='{k}'><box size='1 1 1'/>"
                  "<region on='all' young='1'/><region on='all' young='2'/></solid></scene>",
                  "scene.xml", 6, sets);
    REQUIRE(l.status == SP_OK);
    CHECK_NEAR(number_at(&l, "beam", "young"), 8, 0);  // the last one wins
    CHECK_INT(sp__attr(at(&l, "beam"), "young")->origin, SP_ORIGIN_SET);
    CHECK_NEAR(number_at(&l, "beam", "density"), 9, 0);
    CHECK_NEAR(sp__attr_number(sp__scene_root(l.scene), "dt"), 0.5, 0);
    CHECK_NEAR(number_at(&l, "beam.solver", "tolerance"), 1e-2, 0);
    CHECK_NEAR(number_at(&l, "beam.region[1]", "young"), 3, 0);
    CHECK_NEAR(number_at(&l, "beam.region[0]", "young"), 1, 0);
    unload(&l);
}

TEST(set_may_be_an_expression_and_set_unwritten_attributes) {
    const char *sets[] = {"b.poisson={k/10}", "solver.iterations=5", "b.box.cells=1 2 3", "b.integrator.type=static"};
    loaded l =
        load_text("<scene><param name='k' value='2'/><solid name='b'><box size='1 1 1'/></solid></scene>", "scene.xml", 4, sets);
    REQUIRE(l.status == SP_OK);
    CHECK_NEAR(number_at(&l, "b", "poisson"), 0.2, 0);
    CHECK_NEAR(number_at(&l, "b.solver", "iterations"), 5, 0);
    CHECK_INT(sp__attr(at(&l, "b.box"), "cells")->numbers[2], 3);
    CHECK(sp__attr_is(at(&l, "b.integrator"), "type", "static"));
    unload(&l);
}

TEST(invalid_set) {
    const char *text =
        "<scene>\n<param name='k' value='2' max='20'/>\n<solid name='beam' young='1'><box size='1 1 1'/></solid></scene>";
    const struct {
        const char *set, *words;
    } cases[] = {
        {"beem.young=1", "the path \"beem.young\" matches nothing; did you mean \"beam.young\"?"},
        {"beam.yung=1", "did you mean \"beam.young\"?"},
        {"kk=1", "matches nothing"},
        {"beam.young", "expected path=value"},
        {"=3", "expected path=value"},
        {"beam.young=abc", "\"abc\" is not a finite decimal number (solid \"beam\" at scene.xml:3)"},
        {"k=30", "value = 30, must be in"},
        {"beam.compliance=warped-updated", "is known, not in this build"},
        {"beam.name=x", "a name cannot be set"},
        {"beam.solver.type=block-tridiagonal", "only rods are"},
        {"beam.mass-matrix=exact", "must be one of lumped, consistent"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        loaded l = load_text(text, "scene.xml", 1, &cases[i].set);
        CHECK(l.status == SP_BAD_INPUT && says(&l, SP_SEVERITY_ERROR, 0, cases[i].words));
        if (sp_scene_message_count(l.scene)) CHECK(strncmp(message_at(l.scene, 0).file, "--set ", 6) == 0);
        unload(&l);
    }
}

// ---------------------------------------------------------------------------------------------- templates

static const char pile[] =
    "<scene seed='7'>\n"
    "  <param name='tori' value='3'/>\n"
    "  <template name='ring'>\n"
    "    <param name='E' value='2e4' unit='Pa'/>\n"
    "    <solid name='torus' young='{E}' translate='1 0 0' look='red'><torus radius='0.3 0.1' elements='4000'/>\n"
    "      <fix name='f' near='{i} 0 {n}'/><probe name='p' select='f'/></solid>\n"
    "    <rigid name='peg'><sphere radius='1'/></rigid>\n"
    "  </template>\n"
    "  <instance name='pile' of='ring' count='{tori}' translate='{0.05*rand(1)} {0.6+0.3*i} 0'>\n"
    "    <set name='E' value='{2e4*(1+i%3)}'/>\n"
    "  </instance>\n"
    "  <look name='red'/>\n"
    "  <probe name='all' of='pile[*].torus' quantity='kinetic' combine='sum'/>\n"
    "</scene>\n";

TEST(copies_are_children_of_the_scene) {
    loaded l = load(pile);
    REQUIRE(l.status == SP_OK);
    const sp_scene_node *root = sp__scene_root(l.scene);
    int n = 0;
    for (const sp_scene_node *s = NULL; (s = sp__next_child(root, "solid", s)); n++) {
        char path[40];
        snprintf(path, sizeof path, "pile[%d].torus", n);
        CHECK(strcmp(s->path, path) == 0 && s->parent == root);
        CHECK_NEAR(sp__attr_number(s, "young"), 2e4 * (1 + n % 3), 0);
        REQUIRE(s->instance);
        CHECK_NEAR(sp__attr(s->instance, "translate")->numbers[1], 0.6 + 0.3 * n, 0);
        CHECK_NEAR(sp__attr_number(s, "translate"), 1, 0);
        const sp_scene_node *f = sp__next_child(s, "fix", NULL);
        CHECK_NEAR(sp__attr_number(f, "near"), n, 0);
        CHECK_NEAR(sp__attr(f, "near")->numbers[2], 3, 0);
        CHECK(sp__scene_find(f, sp__attr_word(sp__next_child(s, "probe", NULL), "select")) == f);
    }
    CHECK_INT(n, 3);
    CHECK(!root->instance);
    // random numbers differ between copies
    CHECK(sp__attr_number(at(&l, "pile[0]"), "translate") != sp__attr_number(at(&l, "pile[1]"), "translate"));
    const sp_attr *of = sp__attr(at(&l, "all"), "of");
    REQUIRE(of->count == 3);
    CHECK(strcmp(of->words[2], "pile[2].torus") == 0);
    CHECK(strcmp(at(&l, "pile[2].peg")->name, "peg") == 0);
    unload(&l);
}

TEST(set_addresses_copies) {
    const char *sets[] = {"pile[*].torus.poisson=0.4", "pile[1].torus.young=5", "pile[2].E=6", "tori=4",
                          "pile[0].translate=9 9 9"};
    loaded l = load_text(pile, "scene.xml", 5, sets);
    REQUIRE(l.status == SP_OK);
    CHECK(at(&l, "pile[3].torus") && !at(&l, "pile[4].torus"));
    for (int i = 0; i < 4; i++) {
        char path[40];
        snprintf(path, sizeof path, "pile[%d].torus", i);
        CHECK_NEAR(number_at(&l, path, "poisson"), 0.4, 0);
    }
    CHECK_NEAR(number_at(&l, "pile[1].torus", "young"), 5, 0);
    CHECK_NEAR(number_at(&l, "pile[2].torus", "young"), 6, 0);
    CHECK_NEAR(number_at(&l, "pile[0].torus", "young"), 2e4, 0);
    CHECK_NEAR(number_at(&l, "pile[0]", "translate"), 9, 0);
    unload(&l);
}

TEST(values_set_on_an_instance_apply_to_its_copies) {
    const char *sets[] = {"pile.translate=4 {i} 0", "pile.count=2"};
    loaded l = load_text(pile, "scene.xml", 2, sets);
    REQUIRE(l.status == SP_OK);
    CHECK(at(&l, "pile[1].torus") && !at(&l, "pile[2].torus"));
    CHECK_NEAR(number_at(&l, "pile[1]", "translate"), 4, 0);
    CHECK_NEAR(sp__attr(at(&l, "pile[1]"), "translate")->numbers[1], 1, 0);
    unload(&l);
}

TEST(a_single_copy_needs_no_number) {
    const char *sets[] = {"one.s.young=3"};
    loaded l = load_text("<scene><template name='T'><solid name='s'><box size='1 1 1'/></solid></template>"
                         "<instance name='one' of='T'/><probe name='p' of='one.s' quantity='volume'/></scene>",
                         "scene.xml", 1, sets);
    REQUIRE(l.status == SP_OK);
    CHECK_NEAR(number_at(&l, "one[0].s", "young"), 3, 0);
    CHECK(at(&l, "one.s") == at(&l, "one[0].s"));
    unload(&l);
}

TEST(grids) {
    loaded l = load("<scene><template name='T'><rigid name='s'><sphere radius='1'/></rigid></template>"
                    "<instance name='g' of='T' grid='2 1 3' spacing='1 2 10' translate='100 0 0'/></scene>");
    REQUIRE(l.status == SP_OK);
    const double *t = sp__attr(at(&l, "g[5]"), "translate")->numbers;
    CHECK(t[0] == 101 && t[1] == 0 && t[2] == 20);
    t = sp__attr(at(&l, "g[2].s")->instance, "translate")->numbers;
    CHECK(t[0] == 100 && t[2] == 20);
    CHECK(!at(&l, "g[6]"));
    unload(&l);
}

TEST(nested_instances) {
    loaded l = load(
        "<scene><template name='A'><param name='q' value='1'/><rigid name='s' translate='{q} 0 0'><sphere radius='1'/></rigid>"
        "</template><template name='B'><instance name='in' of='A' count='2' translate='0 {i} 0'><set name='q' value='{5+i}'/>"
        "</instance></template><instance name='out' of='B' count='2' translate='{i} 0 0'/></scene>");
    REQUIRE(l.status == SP_OK);
    const sp_scene_node *s = at(&l, "out[1].in[0].s");
    REQUIRE(s && s->instance && s->instance->instance);
    CHECK_NEAR(sp__attr_number(s, "translate"), 5, 0);
    CHECK(strcmp(s->instance->path, "out[1].in[0]") == 0);
    CHECK_NEAR(sp__attr_number(s->instance->instance, "translate"), 1, 0);
    CHECK(!s->instance->instance->instance);
    CHECK(at(&l, "out[0].in[1].s") != NULL);
    unload(&l);
}

TEST(invalid_instances) {
#define RING                                                                                        \
    "<template name='ring'><param name='E' value='1'/><rigid name='s' translate='{E} 0 0'><sphere " \
    "radius='1'/></rigid></template>"
    CHECK(refused_with("<scene>" RING "<instance name='a' of='rign'/></scene>", 0, NULL, 1, "did you mean \"ring\"?"));
    CHECK(refused_with("<scene>" RING "<instance name='a'/></scene>", 0, NULL, 1, "missing attribute \"of\""));
    CHECK(refused_with("<scene>" RING "<instance name='a' of='ring'><set name='F' value='1'/></instance></scene>", 0, NULL, 1,
                       "no parameter of this name"));
    CHECK(refused_with("<scene>" RING "<instance name='a' of='ring' count='2' grid='1 1 1'/></scene>", 0, NULL, 1,
                       "count, grid and file exclude each other"));
    CHECK(refused_with("<scene>" RING "<instance name='a' of='ring' count='2' spacing='1'/></scene>", 0, NULL, 1,
                       "with a grid only"));
    CHECK(refused_with("<scene>" RING "<instance name='a' of='ring' grid='2 2 2'/></scene>", 0, NULL, 1, "needs a spacing"));
    CHECK(refused_with("<scene>" RING "<instance name='a' of='ring' count='-1'/></scene>", 0, NULL, 1, "count = -1"));
    CHECK(refused_with("<scene>" RING "<instance name='a' of='ring' count='2.5'/></scene>", 0, NULL, 1, "whole number"));
    CHECK(refused_with("<scene><template name='A'><instance name='x' of='B'/></template><template name='B'>"
                       "<instance name='y' of='A'/></template>\n<instance name='z' of='A'/></scene>",
                       0, NULL, -1, "circular: A -> B -> A"));
    CHECK(refused_with("<scene>" RING
                       "<instance name='a' of='ring' count='2'/><probe name='p' of='a.s' quantity='volume'/></scene>",
                       0, NULL, 1, "no solid/rod/shell/rigid/attach has this name"));
    CHECK(refused_with("<scene>" RING "<instance name='a' of='ring' count='30' scale='0'/></scene>", 0, NULL, 1,
                       "instance \"a\": scale = 0, must be > 0 (copy a[0])"));
    // the copy and its instance are named
    CHECK(refused_with("<scene><template name='T'>\n<rigid name='s' scale='{2-i}'><sphere radius='1'/></rigid></template>\n"
                       "<instance name='a' of='T' count='3'/></scene>",
                       0, NULL, 2, "scale = 0, must be > 0 (copy a[2], instance at scene.xml:3)"));
}

// ---------------------------------------------------------------------------------------------- files

TEST(includes) {
    char folder[200];
    const char *files[] = {"scene.xml", "part.xml", "looks.xml"}, *sets[] = {"left-E=7"};
    temporary(folder);
    write_file(folder, "looks.xml",
               "<fragment><look name='red' color='1 0 0'/><default class='soft'><solid density='500'/></default></fragment>");
    write_file(folder, "part.xml",
               "<fragment version='1'>\n<param name='E' value='1e4'/>\n<solid name='s' class='soft' young='{E}' look='own'><box "
               "size='1 1 1'/>"
               "</solid>\n<look name='own'/><probe name='v' of='s' quantity='volume'/></fragment>");
    write_file(folder, "scene.xml",
               "<scene>\n<include file='looks.xml'/>\n<include file='part.xml' prefix='left-'/>\n<include file='part.xml' "
               "prefix='right-'>"
               "<set name='E' value='3e4'/></include>\n<solid name='m' look='red'><box size='1 1 1'/></solid></scene>");
    loaded l = load_file(folder, "scene.xml", 0, NULL);
    if (l.status) print_messages(l.scene);
    CHECK(l.status == SP_OK);
    CHECK_NEAR(number_at(&l, "left-s", "young"), 1e4, 0);
    CHECK_NEAR(number_at(&l, "right-s", "young"), 3e4, 0);
    CHECK_NEAR(number_at(&l, "left-s", "density"), 500, 0);
    if (l.status == SP_OK) {
        CHECK(strcmp(sp__attr_word(at(&l, "right-s"), "look"), "right-own") == 0);
        CHECK(strcmp(sp__attr_word(at(&l, "right-v"), "of"), "right-s") == 0);
        CHECK(strcmp(sp__attr_word(at(&l, "m"), "look"), "red") == 0);
    }
    unload(&l);
    l = load_file(folder, "scene.xml", 1, sets);
    CHECK_NEAR(number_at(&l, "left-s", "young"), 7, 0);
    unload(&l);
    remove_files(folder, files, 3);
}

TEST(invalid_includes) {
    char folder[200];
    const char *files[] = {"a.xml", "b.xml", "bad.xml", "ring.xml", "other.xml", "noparam.xml", "part.xml"};
    temporary(folder);
    write_file(folder, "a.xml", "<fragment><include file='b.xml'/></fragment>");
    write_file(folder, "b.xml", "<fragment>\n<include file='a.xml'/></fragment>");
    write_file(folder, "ring.xml", "<scene><include file='a.xml'/></scene>");
    write_file(folder, "part.xml", "<fragment>\n\n<solid name='s' yung='1'><box size='1 1 1'/></solid></fragment>");
    write_file(folder, "bad.xml",
               "<scene>\n<include file='part.xml'/><include file='ring.xml'/>\n<include file='nothere.xml'/></scene>");
    write_file(folder, "noparam.xml", "<scene><include file='part.xml'><set name='E' value='1'/></include></scene>");
    loaded l = load_file(folder, "ring.xml", 0, NULL);
    CHECK(l.status == SP_BAD_INPUT && says(&l, SP_SEVERITY_ERROR, 2, "circular: "));
    sp_scene_message m = message_at(l.scene, 0);
    CHECK(strstr(m.file, "b.xml") && strstr(m.text, "a.xml -> ") && strstr(m.text, "(included at "));
    unload(&l);
    l = load_file(folder, "bad.xml", 0, NULL);
    CHECK(l.status == SP_BAD_INPUT && says(&l, SP_SEVERITY_ERROR, 3, "unknown attribute \"yung\"; did you mean \"young\"?"));
    CHECK(says(&l, SP_SEVERITY_ERROR, 1, "an included file has the root \"fragment\""));
    CHECK(says(&l, SP_SEVERITY_ERROR, 3, "cannot be read"));
    unload(&l);
    l = load_file(folder, "noparam.xml", 0, NULL);
    CHECK(l.status == SP_BAD_INPUT && says(&l, SP_SEVERITY_ERROR, 1, "no parameter of this name"));
    unload(&l);
    l = load_file(folder, "part.xml", 0, NULL);
    CHECK(l.status == SP_BAD_INPUT && says(&l, SP_SEVERITY_ERROR, 1, "included by a scene, not run"));
    unload(&l);
    l = load_file(folder, "none.xml", 0, NULL);
    CHECK(l.status == SP_BAD_INPUT && says(&l, SP_SEVERITY_ERROR, 0, "cannot be read"));
    unload(&l);
    remove_files(folder, files, 7);
}

TEST(tables_of_copies_and_curves) {
    char folder[200];
    const char *files[] = {"rows.csv", "curve.csv", "scene.xml", "bad.csv", "bad.xml"};
    temporary(folder);
    write_file(folder, "rows.csv", "# places\nx, kind, E\n1,qr,10\n2,svd,20\n\n3, polar ,30\n");
    write_file(folder, "curve.csv", "t,v\n0,5\n1,7\n");
    write_file(folder, "bad.csv", "x,y\n1,2\n3\n");
    write_file(
        folder, "scene.xml",
        "<scene gravity='0 {c(0.5)} 0'><curve name='c' file='curve.csv'/><template name='T'><param name='q' value='0'/>"
        "<solid name='s' young='{q}' rotation='{kind}'><box size='1 1 1'/></solid></template>"
        "<instance name='p' of='T' file='rows.csv' translate='{x} {n} 0'><set name='q' value='{2*E}'/></instance></scene>");
    write_file(folder, "bad.xml", "<scene><template name='T'/><instance name='p' of='T' file='bad.csv'/></scene>");
    loaded l = load_file(folder, "scene.xml", 0, NULL);
    if (l.status) print_messages(l.scene);
    CHECK(l.status == SP_OK);
    CHECK_NEAR(number_at(&l, "p[1].s", "young"), 40, 0);
    CHECK_NEAR(number_at(&l, "p[2]", "translate"), 3, 0);
    if (l.status == SP_OK) {
        CHECK(sp__attr_is(at(&l, "p[1].s"), "rotation", "svd") && sp__attr_is(at(&l, "p[2].s"), "rotation", "polar"));
        CHECK_NEAR(sp__attr(sp__scene_root(l.scene), "gravity")->numbers[1], 6, 0);
    }
    unload(&l);
    l = load_file(folder, "bad.xml", 0, NULL);
    CHECK(l.status == SP_BAD_INPUT && says(&l, SP_SEVERITY_ERROR, 1, "line 3 has 1 columns, the first has 2"));
    unload(&l);
    remove_files(folder, files, 5);
}
