// `law` of a scene: with Hooke's law the tensor-mass model has the bits of the linear material, as a body, by the name of a
// material, and as a region; without it the model is another one.
#include "test.h"

#include "souple/io.h"

// hash after three steps of a bar that falls; 0: refused
static uint64_t hash_of(const char *attributes, const char *before, const char *inside) {
    char text[2000];
    snprintf(text, sizeof text,
             "<scene version='1' dt='0.01'>%s<solid name='a' %s><box size='2 1 1' cells='4 2 2'/>"
             "<fix plane='0.001 0 0 -1 0 0'/>%s</solid><stop steps='3'/></scene>",
             before, attributes, inside);
    sp_context *ctx = NULL;
    sp_scene *scene = NULL;
    sp_run *run = NULL;
    uint64_t hash = 0;
    sp_scene_options options = sp_scene_options_default();
    if (sp_context_create(NULL, &ctx) != SP_OK) return 0;
    sp_status status = sp_scene_parse(ctx, text, strlen(text), SP_SOURCE_DIR "/tests/data/test.xml", &options, &scene);
    if (status >= 0) status = sp_run_create(scene, NULL, &run);
    for (int i = 0; i < 3 && status >= 0; i++) status = sp_world_step(sp_run_world(run), 0.01);
    if (status >= 0) hash = sp_world_hash(sp_run_world(run));
    sp_run_destroy(&run);
    sp_scene_destroy(&scene);
    sp_context_destroy(&ctx);
    return hash;
}

TEST(hooke_of_a_scene_is_linear) {
    const uint64_t linear = hash_of("young='1e4' material='linear'", "", "");
    const char *const half = "<region where='{x gt 1}' material='tensor-mass' law='hooke'/>";
    CHECK(linear != 0);
    CHECK(hash_of("young='1e4' material='tensor-mass' law='hooke'", "", "") == linear);
    CHECK(hash_of("material='soft'", "<material name='soft' model='tensor-mass' law='hooke' young='1e4'/>", "") == linear);
    CHECK(hash_of("young='1e4' material='tensor-mass'", "", half) ==
          hash_of("young='1e4' material='tensor-mass'", "", "<region where='{x gt 1}' material='linear'/>"));
}

TEST(st_venant_kirchhoff_is_the_default) {
    const uint64_t green = hash_of("young='1e4' material='tensor-mass'", "", "");
    CHECK(green != 0 && green == hash_of("young='1e4' material='tensor-mass' law='stvk'", "", ""));
    CHECK(green != hash_of("young='1e4' material='tensor-mass' law='hooke'", "", ""));
    // a region has the model of the body and may name another law of it
    CHECK(green != hash_of("young='1e4' material='tensor-mass'", "", "<region where='{x gt 1}' law='hooke'/>"));
    CHECK(hash_of("young='1e4' material='linear'", "", "<region where='{x gt 1}' law='hooke'/>") == 0);
}
