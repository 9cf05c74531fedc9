// Scenes and pictures too: loads the scene named on the command line, runs it, draws it. Prints how many steps it made.
#include <souple/io.h>
#include <stdio.h>

int main(int argc, char **argv) {
    sp_context *context = NULL;
    sp_scene *scene = NULL;
    sp_run *run = NULL;
    sp_run_options options = sp_run_options_default();
    options.steps = 3;
    if (argc < 3 || sp_context_create(NULL, &context) < 0) return 1;
    if (sp_scene_load(context, argv[1], NULL, &scene) < 0 || sp_run_create(scene, &options, &run) < 0) {
        fprintf(stderr, "%s\n", sp_context_error(context)->message);
        return 1;
    }
    while (!sp_run_done(run))
        if (sp_run_step(run) < 0) return 1;
    printf("%llu\n", (unsigned long long)sp_world_steps(sp_run_world(run)));
    int code = sp_run_finish(run) < 0 || sp_picture_write(sp_run_world(run), run, NULL, argv[2]) < 0;
    if (code) fprintf(stderr, "%s\n", sp_context_error(context)->message);
    sp_run_destroy(&run);
    sp_scene_destroy(&scene);
    sp_context_destroy(&context);
    return code;
}
