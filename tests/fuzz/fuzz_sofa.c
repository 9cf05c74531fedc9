// Any bytes as a scene of SOFA. Checked for every input: it ends, in bounded memory; a refusal has a message; what is written is
// XML that the reader of scenes accepts as such, whatever it says about the values; nothing leaks.
#include <string.h>

#include "fuzz/fuzz.h"
#include "souple/io.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    sp_context *context = fuzz_context();
    sp_import_options options = sp_import_options_default();
    sp_import *import = NULL;
    options.out = "/nowhere/fuzz.xml";
    sp_status status = sp_import_sofa_parse(context, (const char *)data, size, "fuzz.scn", &options, &import);
    FUZZ_PROMISE((status >= 0) == (import != NULL));
    FUZZ_PROMISE(status >= 0 || sp_context_error(context)->message[0]);
    if (import) {
        const char *text = sp_import_text(import);
        sp_scene *scene = NULL;
        sp_import_note note;
        for (int i = 0; i < sp_import_note_count(import); i++)
            FUZZ_PROMISE(sp_import_note_at(import, i, &note) >= 0 && note.text[0] && note.line > 0);
        status = sp_scene_parse(context, text, strlen(text), "fuzz.xml", NULL, &scene);
        for (int i = 0; scene && i < sp_scene_message_count(scene); i++) {
            sp_scene_message m;
            FUZZ_PROMISE(sp_scene_message_at(scene, i, &m) >= 0);
            FUZZ_PROMISE(!strstr(m.text, "well-formed") && !strstr(m.text, "unknown element") &&
                         !strstr(m.text, "unknown attribute"));
        }
        sp_scene_destroy(&scene);
    }
    sp_import_destroy(&import);
    fuzz_context_done(context);
    return 0;
}
