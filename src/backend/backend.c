// The backends of this build, and the selection of one for this machine.
#include "backend/backend.h"

#include "souple/world.h"

static const sp_backend *best_cpu(void) {
#ifdef SP_HAVE_AVX2
    __builtin_cpu_init();
    if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma")) return &sp__backend_cpu_avx2;
#endif
    return &sp__backend_cpu_generic;
}

const sp_backend *sp__backend_find(const char *name) {
    if (!strcmp(name, "ref")) return &sp__backend_ref;
    if (!strcmp(name, "cpu-generic")) return &sp__backend_cpu_generic;
    if (!strcmp(name, "cpu") || !strcmp(name, "auto")) return best_cpu();
    return NULL;
}

const char *sp_backend_name(int index) {
    static const char *const names[] = {"ref", "cpu", "cpu-generic"};
    return index >= 0 && index < 3 ? names[index] : NULL;
}

const char *sp_backend_detail(const char *name) {
    const sp_backend *be = sp__backend_find(name);
    return be ? be->detail() : NULL;
}
