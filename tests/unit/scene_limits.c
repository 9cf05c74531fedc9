// Hostile and broken files are refused, quickly and in bounded memory.
#define _XOPEN_SOURCE 700
#include "unit/scene_help.h"

static bool refused(const char *text, int line, const char *words) {
    return refused_with(text, 0, NULL, line, words);
}

TEST(broken_xml) {
    CHECK(refused("", 1, "the file is empty"));
    CHECK(refused("hello", 1, "not well-formed XML"));
    CHECK(refused("<scene>", 1, "not well-formed XML"));
    CHECK(refused("<scene>\n<solid>\n</scene>", 3, "not well-formed XML"));
    CHECK(refused("<scene dt='1' dt='2'/>", 1, "not well-formed XML"));
    CHECK(refused("<scene/><scene/>", 1, "not well-formed XML"));
    CHECK(refused("<scene dt=1/>", 1, "not well-formed XML"));
    CHECK(refused("<scene name='\xff\xfe'/>", 1, "not well-formed XML"));
    CHECK(refused("<scene>\n\n<stop time='1'/ ></scene>", 3, "not well-formed XML"));
}

// truncated anywhere, in memory of exactly that size: nothing is read past the end
TEST(truncated_anywhere) {
    static const char good[] =
        "<?xml version='1.0'?>\n<scene dt='0.02'>\n<look name='a' color='1 0 0'/>\n<stop\n time='1'/></scene>";
    for (size_t n = 1; n < sizeof good - 1; n++) {
        char *text = malloc(n);
        loaded l = {0};
        REQUIRE(text && sp_context_create(NULL, &l.context) == SP_OK);
        memcpy(text, good, n);
        l.status = sp_scene_parse(l.context, text, n, "cut.xml", NULL, &l.scene);
        CHECK(l.status == SP_BAD_INPUT && says(&l, SP_SEVERITY_ERROR, -1, "not well-formed XML"));
        sp_scene_destroy(&l.scene);
        sp_context_destroy(&l.context);
        free(text);
    }
}

TEST(text_between_tags) {
    CHECK(refused("<scene>\n  five\n</scene>", -1, "text between tags: \"five"));
    CHECK(refused("<scene><![CDATA[x]]></scene>", 1, "text between tags"));
    CHECK(refused("<scene>&#65;</scene>", 1, "text between tags"));
    CHECK(accepted(
        "<?xml version='1.0' encoding='UTF-8'?>\n<?xml-model href='scene.rng'?>\n<scene>\n <!-- words --> \t\r\n</scene>\n"));
}

TEST(doctype_and_entities) {
    CHECK(refused("<!DOCTYPE scene><scene/>", 1, "a DOCTYPE is not allowed"));
    CHECK(refused("<!DOCTYPE scene SYSTEM 'http://example.org/x.dtd'>\n<scene/>", 1, "a DOCTYPE is not allowed"));
    CHECK(refused(
        "<!DOCTYPE s [<!ENTITY a 'aaaaaaaaaa'><!ENTITY b '&a;&a;&a;&a;&a;&a;&a;&a;'><!ENTITY c '&b;&b;&b;&b;&b;&b;&b;&b;'>"
        "<!ENTITY d '&c;&c;&c;&c;&c;&c;&c;&c;'><!ENTITY e '&d;&d;&d;&d;&d;&d;&d;&d;'>]><scene name='&e;'/>",
        1, "a DOCTYPE is not allowed"));
    CHECK(refused("<!DOCTYPE s [<!ENTITY x SYSTEM 'file:///etc/passwd'>]><scene>&x;</scene>", 1, "a DOCTYPE is not allowed"));
    CHECK(refused("<scene name='&nbsp;'/>", 1, "not well-formed XML"));
    CHECK(refused("<scene>&x;</scene>", 1, "not well-formed XML"));
    loaded l = load("<scene name='a&lt;b&amp;c&quot;&#66;'/>");
    CHECK_INT(l.status, SP_OK);
    CHECK(strcmp(sp_scene_name(l.scene), "a<b&c\"B") == 0);
    unload(&l);
}

TEST(namespaces_instructions_and_encodings) {
    CHECK(refused("<scene xmlns='http://a'/>", 1, "namespaces are not part"));
    CHECK(refused("<s:scene xmlns:s='http://a'/>", 1, "namespaces are not part"));
    CHECK(refused("<scene xmlns:xi='http://www.w3.org/2001/XInclude'><xi:include href='a.xml'/></scene>", 1,
                  "namespaces are not part"));
    CHECK(refused("<scene xml:lang='en'/>", 1, "namespaces are not part"));
    CHECK(refused("<scene><?php echo 1 ?></scene>", 1, "processing instruction \"php\""));
    CHECK(refused("<?xml version='1.0' encoding='ISO-8859-1'?><scene/>", 1, "encoding \"ISO-8859-1\"; a scene is UTF-8"));
    CHECK(refused("<?xml version='1.0' encoding=\"UTF-16\"?><scene/>", 1, "a scene is UTF-8"));
    CHECK(accepted("\xEF\xBB\xBF<scene name='m\xC3\xBC"
                   "de'/>"));
    static const char wide[] = "<\0s\0c\0e\0n\0e\0/\0>\0";
    loaded l = {0};
    REQUIRE(sp_context_create(NULL, &l.context) == SP_OK);
    l.status = sp_scene_parse(l.context, wide, sizeof wide, "wide.xml", NULL, &l.scene);
    CHECK(l.status == SP_BAD_INPUT && says(&l, SP_SEVERITY_ERROR, 1, "zero bytes"));
    sp_scene_destroy(&l.scene);
    sp_context_destroy(&l.context);
}

static char *repeated(const char *start, const char *piece, int n, const char *end) {
    size_t length = strlen(piece), used = strlen(start);
    char *text = malloc(used + length * (size_t)n + strlen(end) + 1);
    if (!text) exit(1);
    memcpy(text, start, used);
    for (int i = 0; i < n; i++, used += length) memcpy(text + used, piece, length);
    strcpy(text + used, end);
    return text;
}

TEST(depth_and_counts) {
    char *text = repeated("<scene>", "<a>", 100, "");
    CHECK(refused(text, 1, "nested deeper than 64"));
    free(text);
    text = repeated("<scene>", "<look/>", 1000001, "</scene>");
    CHECK(refused(text, 1, "more than 1000000 elements"));
    free(text);
    text = repeated("<scene><curve name='c' points='0 1", " 1", 1, "'/></scene>");
    CHECK(refused(text, 1, "come in pairs"));
    free(text);
    // one attribute of many megabytes
    text = repeated("<scene name='", "xxxxxxxxxxxxxxxx", 1 << 20, "'/>");
    loaded l = load(text);
    CHECK(l.status == SP_BAD_INPUT || l.status == SP_OK);
    unload(&l);
    free(text);
}

TEST(too_much_xml) {
    char *text = repeated("<scene>", " ", (64 << 20) + 1, "</scene>");
    CHECK(refused(text, 0, "more than 64 MiB"));
    free(text);
}

TEST(gigantic_copies) {
#define T "<template name='T'><rigid name='s'><sphere radius='1'/></rigid></template>"
    CHECK(refused("<scene>" T "<instance name='a' of='T' count='1000000'/></scene>", 1, "copies make"));
    CHECK(refused("<scene>" T "<instance name='a' of='T' count='1e18'/></scene>", 1, "count = 1e+18, must be in [0, 1000000]"));
    CHECK(
        refused("<scene>" T "<instance name='a' of='T' grid='1000000 1000000 1000000' spacing='1'/></scene>", 1, "copies make"));
    // copies of copies of copies: refused when the sum reaches the limit, not after memory is exhausted
    char text[4000] = "<scene>" T "<template name='L0'><instance name='a' of='T' count='100'/></template>";
    for (int i = 1; i < 8; i++) {
        char level[200];
        snprintf(level, sizeof level, "<template name='L%d'><instance name='a' of='L%d' count='100'/></template>", i, i - 1);
        strcat(text, level);
    }
    strcat(text, "<instance name='top' of='L7'/></scene>");
    CHECK(refused(text, -1, "at most 1000000 are allowed"));
    // a chain of templates that is too long
    text[0] = 0;
    strcat(text, "<scene>" T "<template name='L0'><instance name='a' of='T'/></template>");
    for (int i = 1; i < 20; i++) {
        char level[200];
        snprintf(level, sizeof level, "<template name='L%d'><instance name='a' of='L%d'/></template>", i, i - 1);
        strcat(text, level);
    }
    strcat(text, "<instance name='top' of='L19'/></scene>");
    CHECK(refused(text, -1, "nested deeper than 16"));
}

TEST(copies_respect_the_memory_limit) {
    const char *text = "<scene>" T "<instance name='a' of='T' count='10000'/></scene>";
    loaded l = {0};
    sp_scene_options options = sp_scene_options_default();
    options.memory_limit = 1 << 20;
    REQUIRE(sp_context_create(NULL, &l.context) == SP_OK);
    l.status = sp_scene_parse(l.context, text, strlen(text), "scene.xml", &options, &l.scene);
    CHECK(l.status == SP_BAD_INPUT && says(&l, SP_SEVERITY_ERROR, 1, "the memory limit is 1048576"));
    sp_scene_destroy(&l.scene);
    sp_context_destroy(&l.context);
}

TEST(many_elements_are_read_in_linear_time) {
    // quadratic algorithms would take minutes on this size
    char *text = repeated("<scene><default class='c'><rigid translate='1 2 3'/></default>", "<rigid class='c'><plane/></rigid>",
                          50000, "<solver tolerance='1e-3'/></scene>");
    loaded l = load(text);
    CHECK_INT(l.status, SP_OK);
    CHECK_NEAR(number_at(&l, "rigid[49999]", "translate"), 1, 0);
    unload(&l);
    free(text);
}

TEST(long_chains_of_parameters) {
    char text[9000] = "<scene><param name='a0' value='1'/>";
    for (int i = 1; i < 100; i++) {
        char one[80];
        snprintf(one, sizeof one, "<param name='a%d' value='{a%d+1}'/>", i, i - 1);
        strcat(text, one);
    }
    strcat(text, "<solid name='b' young='{a99}'><box size='1 1 1'/></solid></scene>");
    // from the front each parameter finds its predecessor evaluated; from the back the chain is too long, and that is reported
    loaded l = load(text);
    CHECK(l.status == SP_OK || says(&l, SP_SEVERITY_ERROR, -1, "depends on more than 64 others"));
    unload(&l);
}

// ---------------------------------------------------------------------------------------------- files

TEST(files_stay_below_the_scene) {
    char base[200], folder[300], path[420], target[300], text[400];
    const char *inside[] = {"scene.xml", "link.xml", "dir.xml", "url.xml", "up.xml", "pipe.xml", "absolute.xml", "pipe", "link"};
    temporary(base);
    snprintf(folder, sizeof folder, "%s/in", base);
    REQUIRE(mkdir(folder, 0700) == 0);
    write_file(base, "secret.xml", "<fragment><look name='x'/></fragment>");
    snprintf(path, sizeof path, "%s/link", folder);
    snprintf(target, sizeof target, "%s/secret.xml", base);
    REQUIRE(symlink(target, path) == 0);
    snprintf(path, sizeof path, "%s/pipe", folder);
    REQUIRE(mkfifo(path, 0600) == 0);
    write_file(folder, "up.xml", "<scene><include file='../secret.xml'/></scene>");
    write_file(folder, "link.xml", "<scene><include file='link'/></scene>");
    write_file(folder, "dir.xml", "<scene><include file='.'/></scene>");
    write_file(folder, "pipe.xml", "<scene><include file='pipe'/></scene>");
    write_file(folder, "url.xml", "<scene><include file='http://example.org/a.xml'/></scene>");
    snprintf(text, sizeof text, "<scene><include file='%s'/></scene>", target);
    write_file(folder, "absolute.xml", text);
    const struct {
        const char *file, *words;
    } cases[] = {{"up.xml", "outside the scene's folder"},
                 {"link.xml", "outside the scene's folder"},
                 {"absolute.xml", "outside the scene's folder"},
                 {"dir.xml", "outside the scene's folder"},
                 {"pipe.xml", "not a regular file"},
                 {"url.xml", "is a URL"}};
    for (int i = 0; i < 6; i++) {
        loaded l = load_file(folder, cases[i].file, 0, NULL);
        CHECK(l.status == SP_BAD_INPUT && says(&l, SP_SEVERITY_ERROR, 1, cases[i].words));
        unload(&l);
    }
    loaded l = load_file(folder, "pipe", 0, NULL);
    CHECK(l.status == SP_BAD_INPUT && says(&l, SP_SEVERITY_ERROR, 0, "not a regular file"));
    unload(&l);
    // an allowed folder permits the path
    const char *allow[] = {base};
    sp_scene_options options = sp_scene_options_default();
    options.allow_paths = allow;
    options.allow_count = 1;
    l = (loaded){0};
    REQUIRE(sp_context_create(NULL, &l.context) == SP_OK);
    snprintf(path, sizeof path, "%s/link.xml", folder);
    l.status = sp_scene_load(l.context, path, &options, &l.scene);
    CHECK_INT(l.status, SP_OK);
    sp_scene_destroy(&l.scene);
    allow[0] = "/no/such/folder";
    l.status = sp_scene_load(l.context, path, &options, &l.scene);
    CHECK(l.status == SP_BAD_INPUT && says(&l, SP_SEVERITY_ERROR, 0, "/no/such/folder"));
    sp_scene_destroy(&l.scene);
    sp_context_destroy(&l.context);
    remove_files(folder, inside, 9);
    remove_files(base, (const char *const[]){"secret.xml"}, 1);
}

TEST(includes_are_limited_in_number) {
    char folder[200], text[200];
    const char *files[21];
    static char names[20][20];
    temporary(folder);
    // every file includes the next one twice
    for (int i = 0; i < 20; i++) {
        snprintf(text, sizeof text, "<fragment><include file='f%d.xml'/><include file='f%d.xml'/></fragment>", i + 1, i + 1);
        snprintf(names[i], sizeof names[i], "f%d.xml", i);
        write_file(folder, names[i], text);
        files[i] = names[i];
    }
    write_file(folder, "s.xml", "<scene><include file='f0.xml'/></scene>");
    files[20] = "s.xml";
    loaded l = load_file(folder, "s.xml", 0, NULL);
    CHECK(l.status == SP_BAD_INPUT && says(&l, SP_SEVERITY_ERROR, -1, "nested deeper than 16"));
    unload(&l);
    remove_files(folder, files, 21);
}

// ---------------------------------------------------------------------------------------------- memory

typedef struct failing {
    long left;  // allocations until one fails
} failing;

static void *failing_alloc(void *user, size_t size, size_t align) {
    failing *f = user;
    if (f->left-- <= 0) return NULL;
    return aligned_alloc(align, (size + align - 1) / align * align);
}

static void failing_free(void *user, void *memory, size_t size) {
    (void)user;
    (void)size;
    free(memory);
}

TEST(every_allocation_may_fail) {
    // long enough for several blocks of the scene's memory
    char *text =
        repeated("<scene><param name='k' value='2'/><default class='c'><rigid translate='1 2 3'/></default>"
                 "<template name='T'><param name='q' value='1'/><rigid name='s'><sphere radius='{q}'/></rigid></template>"
                 "<instance name='a' of='T' count='40'><set name='q' value='{1+i}'/></instance>",
                 "<rigid class='c'><plane point='0 {k} 0'/></rigid>", 400, "</scene>");
    const char *sets[] = {"k=3", "a[*].s.enabled=no"};
    int failures = 0;
    for (long n = 0; n < 2000; n++) {
        failing f = {1 << 20};
        sp_context_def def = sp_context_def_default();
        def.alloc = failing_alloc;
        def.free = failing_free;
        def.alloc_user = &f;
        def.workers = 1;
        sp_context *context;
        REQUIRE(sp_context_create(&def, &context) == SP_OK);
        sp_scene_options options = sp_scene_options_default();
        options.sets = sets;
        options.set_count = 2;
        sp_scene *scene = NULL;
        size_t before, after;
        uint64_t count;
        sp_context_memory(context, &before, &count);
        f.left = n;
        sp_status status = sp_scene_parse(context, text, strlen(text), "scene.xml", &options, &scene);
        CHECK(status == SP_OK ? scene != NULL : status == SP_NO_MEMORY && scene == NULL);
        failures += status == SP_NO_MEMORY;
        sp_scene_destroy(&scene);
        sp_context_memory(context, &after, &count);
        CHECK(before == after);
        sp_context_destroy(&context);
        if (status == SP_OK) break;
    }
    CHECK(failures > 5);
    free(text);
}

TEST(wrong_arguments) {
    sp_context *context;
    sp_scene *scene;
    REQUIRE(sp_context_create(NULL, &context) == SP_OK);
    sp_scene_options options = {0};
    CHECK_INT(sp_scene_parse(context, "<scene/>", 8, "a.xml", &options, &scene), SP_BAD_INPUT);
    CHECK(!scene && strstr(sp_context_error(context)->message, "sp_scene_options_default"));
    CHECK_INT(sp_scene_parse(context, "<scene/>", 8, NULL, NULL, &scene), SP_BAD_INPUT);
    CHECK_INT(sp_scene_load(context, "", NULL, &scene), SP_BAD_INPUT);
    CHECK(!scene);
    sp_scene_destroy(NULL);
    sp_scene_destroy(&scene);
    sp_context_destroy(&context);
}

// a valid scene with some bytes changed: any result, but no crash
TEST(random_changes) {
    static const char good[] =
        "<scene dt='0.02'><param name='k' value='5'/><curve name='c' points='0 1 1 2'/>"
        "<default class='o'><solid young='1e4'/></default><template name='T'><solid name='s' class='o'>"
        "<box size='1 1 {k}' cells='{k} 1 1'/><fix where='{x lt 0.1}'/></solid></template>"
        "<instance name='p' of='T' count='{k}' translate='{i} 0 {c(0.5)}'/><stop time='1' when='{v.volume gt 2}'/>"
        "<probe name='v' of='p[*].s' quantity='volume' combine='sum'/></scene>";
    static const char alphabet[] = "<>/='\"{}[]().,*+-0129ekixt &;!?#\n\x80";
    unsigned long long state = 11;
    int taken = 0;
    for (int n = 0; n < 3000; n++) {
        char text[sizeof good];
        memcpy(text, good, sizeof good);
        int changes = 1 + (int)(1.5 * (1 + sp_test_random(&state)));
        for (int i = 0; i < changes; i++)
            text[(size_t)((sizeof good - 1) / 2.0 * (1 + sp_test_random(&state)))] =
                alphabet[(size_t)((sizeof alphabet - 1) / 2.0 * (1 + sp_test_random(&state)))];
        loaded l = load(text);
        CHECK(l.status == SP_OK || (l.status == SP_BAD_INPUT && sp_scene_message_count(l.scene) > 0));
        taken += l.status == SP_OK;
        unload(&l);
    }
    CHECK(taken > 0 && taken < 3000);
}
