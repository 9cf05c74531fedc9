// Recordings in a build without HDF5: every call fails with a hint how to get them.
#ifndef SP_HAVE_HDF5
#include "io/record/record.h"

static sp_status absent(sp_context *ctx, const char *path) {
    return SP_FAIL(ctx, SP_UNAVAILABLE, "%s: this build has no HDF5: install libhdf5-dev and build again with -DSP_HDF5=ON",
                   path);
}

sp_status sp_recording_open(sp_context *ctx, const char *path, sp_recording **out) {
    *out = NULL;
    return absent(ctx, path);
}

// no recording can be open: these functions only complete the library

void sp_recording_close(sp_recording **recording) {
    *recording = NULL;
}

sp_context *sp__recording_context(const sp_recording *r) {
    (void)r;
    return NULL;
}

void sp_recording_get(const sp_recording *r, sp_recording_info *out) {
    (void)r;
    *out = (sp_recording_info){.scene = "", .scene_path = "", .version = "", .backend = "", .edits = ""};
}

sp_status sp_recording_frame_at(const sp_recording *r, int frame, sp_recording_frame *out) {
    (void)r, (void)frame, (void)out;
    return SP_UNAVAILABLE;
}

int sp_recording_nearest(const sp_recording *r, double time) {
    (void)r, (void)time;
    return -1;
}

sp_status sp_recording_body_at(const sp_recording *r, int body, sp_recording_body *out) {
    (void)r, (void)body, (void)out;
    return SP_UNAVAILABLE;
}

bool sp_recording_has_body(const sp_recording *r, int frame, int body) {
    (void)r, (void)frame, (void)body;
    return false;
}

sp_status sp_recording_topology_at(sp_recording *r, int frame, int body, sp_recording_topology *out) {
    (void)r, (void)frame, (void)body, (void)out;
    return SP_UNAVAILABLE;
}

sp_status sp_recording_field_info(sp_recording *r, int frame, int body, const char *field, sp_field_info *out) {
    (void)r, (void)frame, (void)body, (void)field, (void)out;
    return SP_UNAVAILABLE;
}

sp_status sp_recording_field(sp_recording *r, int frame, int body, const char *field, double *out) {
    (void)r, (void)frame, (void)body, (void)field, (void)out;
    return SP_UNAVAILABLE;
}

int sp_recording_contact_count(const sp_recording *r, int frame) {
    (void)r, (void)frame;
    return SP_UNAVAILABLE;
}

sp_status sp_recording_contacts(sp_recording *r, int frame, sp_recording_contact *out) {
    (void)r, (void)frame, (void)out;
    return SP_UNAVAILABLE;
}
#else
typedef int sp_recording_not_absent;
#endif
