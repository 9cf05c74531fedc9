// Any bytes as a scene: read, check, resolve, build. Checked for every input: it ends, in bounded memory; a refusal has a
// message; nothing leaks.
#include <stdlib.h>
#include <string.h>

#include "fuzz/fuzz.h"
#include "souple/io.h"

// Of meshes and instances, checked by the reader before it allocates. Small: an input with a large world would take the time of a
// thousand others, and building it runs the same code.
enum { MEMORY_LIMIT = 256 << 10 };

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    sp_context *context = fuzz_context();
    sp_scene_options options = sp_scene_options_default();
    options.memory_limit = MEMORY_LIMIT;
    sp_scene *scene = NULL;
    sp_status status = sp_scene_parse(context, (const char *)data, size, "fuzz.xml", &options, &scene);
    FUZZ_PROMISE(status != SP_BAD_INPUT || (scene && sp_scene_message_count(scene) > 0));
    if (status >= 0) {
        sp_run *run = NULL;
        status = sp_run_create(scene, NULL, &run);
        FUZZ_PROMISE(status >= 0 || !run);
        FUZZ_PROMISE(status != SP_BAD_INPUT || sp_scene_message_count(scene) > 0);
        sp_run_destroy(&run);
    }
    sp_scene_destroy(&scene);
    fuzz_context_done(context);
    return 0;
}
