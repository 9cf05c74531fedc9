// Any bytes as a label volume (NRRD, NIfTI-1). Checked: as many labels as the dimensions require and a finite affine, or a
// message; nothing leaks. Detached data are searched next to a file that does not exist.
#include <math.h>
#include <string.h>

#include "fuzz/fuzz.h"
#include "souple/io.h"

static void check_volume(const sp_label_volume *v) {
    size_t count = (size_t)v->dims[0] * (size_t)v->dims[1] * (size_t)v->dims[2];
    FUZZ_PROMISE(v->dims[0] >= 1 && v->dims[1] >= 1 && v->dims[2] >= 1);
    volatile int seen;  // reads every label, so that the sanitizer checks it
    for (size_t i = 0; i < count; i++) seen = v->labels[i];
    (void)seen;
    for (int i = 0; i < 12; i++) FUZZ_PROMISE(isfinite(v->affine[i]));
    for (int i = 0; i < v->name_count; i++) FUZZ_PROMISE(v->names[i] != NULL);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    char *text = malloc(size + 1);
    if (!text) return 0;
    if (size) memcpy(text, data, size);
    text[size] = 0;
    sp_context *context = fuzz_context();
    sp_volume *volume;
    sp_status status = sp_volume_parse(context, text, size, "nowhere/fuzz", &volume);
    FUZZ_PROMISE(status >= 0 ? volume != NULL : !volume && sp_context_error(context)->message[0]);
    if (status >= 0) {
        sp_label_volume view;
        sp_volume_get(volume, &view);
        check_volume(&view);
        sp_volume_destroy(&volume);
    }
    fuzz_context_done(context);
    free(text);
    return 0;
}
