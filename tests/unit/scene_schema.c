// The distributed schema equals the one generated from the table; it accepts the distributed scenes and refuses what the reader
// refuses by name.
#include <dirent.h>
#include <libxml/relaxng.h>

#include "unit/scene_help.h"

static char made[1 << 20];
static size_t made_size;

static void collect(void *user, const char *text) {
    (void)user;
    size_t n = strlen(text);
    if (made_size + n < sizeof made) memcpy(made + made_size, text, n);
    made_size += n;
}

static void make(void) {
    made_size = 0;
    sp_scene_schema(collect, NULL);
}

TEST(the_committed_schema_is_up_to_date) {
    make();
    REQUIRE(made_size > 0 && made_size < sizeof made);
    FILE *f = fopen(SP_SOURCE_DIR "/scenes/schema/scene.rng", "rb");
    REQUIRE(f);
    static char kept[sizeof made];
    size_t n = fread(kept, 1, sizeof kept, f);
    fclose(f);
    // if this fails: souple check --schema > scenes/schema/scene.rng
    CHECK_INT(n, made_size);
    CHECK(n == made_size && memcmp(kept, made, n) == 0);
}

static void silent(void *user, const char *format, ...) {
    (void)user;
    (void)format;
}

static xmlRelaxNG *schema(void) {
    make();
    xmlRelaxNGParserCtxt *parser = xmlRelaxNGNewMemParserCtxt(made, (int)made_size);
    xmlRelaxNG *rng = xmlRelaxNGParse(parser);
    xmlRelaxNGFreeParserCtxt(parser);
    return rng;
}

static int validate(xmlRelaxNG *rng, xmlDoc *doc, bool loud) {
    xmlRelaxNGValidCtxt *valid = xmlRelaxNGNewValidCtxt(rng);
    if (!loud) xmlRelaxNGSetValidErrors(valid, silent, silent, NULL);
    int result = doc ? xmlRelaxNGValidateDoc(valid, doc) : -1;
    xmlRelaxNGFreeValidCtxt(valid);
    xmlFreeDoc(doc);
    return result;
}

static int validate_text(xmlRelaxNG *rng, const char *text, bool loud) {
    return validate(rng, xmlReadMemory(text, (int)strlen(text), "text.xml", NULL, XML_PARSE_NONET), loud);
}

TEST(good_and_bad_texts) {
    xmlRelaxNG *rng = schema();
    REQUIRE(rng);
    static const char *const good[] = {
        "<scene/>",
        "<scene dt='0.01' gravity='0 {-9.81*t} 0' up='auto'><param name='k' value='5'/></scene>",
        "<scene><solid name='b' young='@E' material='rubber' rotation='{how}'><box size='1 1 1' cells='{k} 1 1' pattern='5'/>"
        "<fix nodes='0 7 12-20' axes='xz'/><data name='E' file='e.csv'/><solver type='cg' "
        "operator='matrix-free'/></solid></scene>",
        "<scene><default class='c'><solid young='1'/><solver tolerance='1e-3'/></default></scene>",
        "<scene><instance name='i' of='t' count='{n}'><set name='E' value='3'/></instance><template name='t'/></scene>",
        "<fragment><look name='red' color='1 0 0'/></fragment>",
        "<scene><rod name='r' radius='1e-3' curvature='{t} 0 1'><path points='0 0 0 1 0 0'/><fix end='tip'/></rod></scene>",
        "<scene><rod name='r' length='1' section='1 2'><grow rate='1' until='2'/><load s='0.5' torque='1 0 0'/></rod></scene>",
        "<scene><instance name='i' of='t' merge='yes' scatter='head.top'/><inverse unknown='i.curvature'/></scene>",
        "<scene><probe name='p' of='pile[*].s' quantity='volume kinetic'/><stop time='1' when='{p.volume gt 2}'/></scene>",
    };
    static const char *const bad[] = {
        "<scen/>",
        "<scene dtt='1'/>",
        "<scene dt='a'/>",
        "<scene gravity='0 1'/>",
        "<scene><shell name='r'/></scene>",
        "<scene><rod name='r' length='1' curvature='0 1'/></scene>",
        "<scene><fix/></scene>",
        "<scene on-limit='maybe'/>",
        "<scene>text</scene>",
        "<scene><solid name='b' poison='1'/></scene>",
        "<scene><include/></scene>",
        "<scene><default><fix box='0 0 0 1 1 1'/></default></scene>",
        "<scene><solid name='1b'/></scene>",
        "<scene><solid name='b'><solver type='block-diagonal'/></solid></scene>",
        "<scene><solid name='b'><fix where='x gt 1'/></solid></scene>",
    };
    for (size_t i = 0; i < sizeof good / sizeof good[0]; i++) CHECK_INT(validate_text(rng, good[i], true), 0);
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) CHECK(validate_text(rng, bad[i], false) > 0);
    xmlRelaxNGFree(rng);
}

static int check_folder(xmlRelaxNG *rng, const char *folder, int depth) {
    int seen = 0;
    DIR *dir = depth < 6 ? opendir(folder) : NULL;
    for (struct dirent *e; dir && (e = readdir(dir));) {
        char path[1000];
        struct stat info;
        const char *dot = strrchr(e->d_name, '.');
        snprintf(path, sizeof path, "%s/%s", folder, e->d_name);
        if (e->d_name[0] == '.' || stat(path, &info) != 0) continue;
        if (S_ISDIR(info.st_mode)) seen += check_folder(rng, path, depth + 1);
        if (!S_ISREG(info.st_mode) || !dot || strcmp(dot, ".xml") != 0) continue;
        seen++;
        int result = validate(rng, xmlReadFile(path, NULL, XML_PARSE_NONET), true);
        if (result != 0) SP_TEST_FAILED("%s is not valid", path);
    }
    if (dir) closedir(dir);
    return seen;
}

TEST(distributed_scenes_are_valid) {
    xmlRelaxNG *rng = schema();
    REQUIRE(rng);
    CHECK(check_folder(rng, SP_SOURCE_DIR "/scenes", 0) > 0);
    xmlRelaxNGFree(rng);
}

// the table itself: properties on which other parts rely
TEST(the_table_is_consistent) {
    REQUIRE(sp__element_spec_count() <= SP_MAX_KINDS);
    for (int i = 0; i < sp__element_spec_count(); i++) {
        const sp_element_spec *e = sp__element_spec_at(i);
        CHECK(sp__element_spec(e->name) == e && sp__element_index(e) == i);
        CHECK(e->stage >= 1 && e->stage <= 3 && e->meaning[0] && !(e->built && e->stage > 1));
        for (const char *c = e->children; *c;) {
            char child[40];
            size_t n = strcspn(c, " ");
            snprintf(child, sizeof child, "%.*s", (int)n, c);
            if (n && !sp__element_spec(child)) SP_TEST_FAILED("%s holds the unknown %s", e->name, child);
            c += n + (c[n] == ' ');
        }
        for (int a = 0; a < e->attr_count; a++) {
            const sp_attr_spec *s = &e->attrs[a];
            CHECK_INT(sp__attr_index(e, s->name), a);
            CHECK(s->meaning[0] && s->unit && s->count_min <= s->count_max);
            CHECK(s->stage == 1 || s->flags & SP_ATTR_NOT_BUILT || !e->built);
            bool chooses = s->kind == SP_ATTR_CHOICE || s->kind == SP_ATTR_WORDS || s->kind == SP_ATTR_CHOICE_OR_NAME;
            if (chooses && s->fallback && !(s->flags & SP_ATTR_NOT_BUILT) && e->built &&
                !sp__choice_built(s->choices, s->fallback))
                SP_TEST_FAILED("%s.%s: the default %s is not a choice", e->name, s->name, s->fallback);
        }
    }
}

// the reader accepts every built-in default
TEST(built_in_defaults_are_valid) {
    loaded l = load(
        "<scene><solid name='s'><box size='1 1 1'/><move on='all' translate='{t} 0 0'/><pull near='0 0 0' to='0 0 0'/></solid>"
        "<solid name='q'><cylinder radius='1' length='1'/></solid><solid name='u'><torus radius='2 1'/></solid>"
        "<rigid name='r'><plane/></rigid><contact formulation='penalty'/><look name='l'/><view/><camera/><light/>"
        "<material name='m'/><probe name='p' of='s'/><event t='1' set='s.young' value='0'/></scene>");
    CHECK_INT(l.status, SP_OK);
    if (l.status) print_messages(l.scene);
    unload(&l);
}

static void make_reference(bool all) {
    made_size = 0;
    sp_scene_reference(all, collect, NULL);
    made[made_size < sizeof made ? made_size : 0] = 0;
}

static bool reference_has(const sp_element_spec *e) {
    char head[60];
    snprintf(head, sizeof head, "\n## `%s`\n", e->name);
    return strstr(made, head);
}

TEST(the_reference_names_what_there_is) {
    int absent = 0;
    make_reference(true);
    for (int i = 0; i < sp__element_spec_count(); i++) CHECK(reference_has(sp__element_spec_at(i)));
    CHECK(strstr(made, "(`warped-updated`)"));
    make_reference(false);
    for (int i = 0; i < sp__element_spec_count(); i++) {
        const sp_element_spec *e = sp__element_spec_at(i);
        CHECK(reference_has(e) == e->built);
        absent += !e->built;
    }
    CHECK(absent > 0 && !strstr(made, "(`") && !strstr(made, "not in this build"));
    CHECK(strstr(made, "| `young` | number, ~t, ~x | Pa |"));
    CHECK(strstr(made, "| solid | `poisson` |  | [-0.999, 0.4999] | 0.3 | matrix values | Poisson's ratio |"));
}
