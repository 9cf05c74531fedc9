// Internals of the records of a run: layout and values (run_frame.c), rows, sampling and transfer to the recorder
// (run_record.c), recordings that start and stop while the run goes on (run_recorder.c).
#ifndef SP_RUN_RECORD_H
#define SP_RUN_RECORD_H

#include "io/record/record.h"
#include "io/run/build.h"

// Source of the values of a body of the layout.
typedef struct sp_frame_source {
    sp_body_id id;
    enum { SP_FROM_ELEMENTS, SP_FROM_BOUNDARY, SP_FROM_SURFACE, SP_FROM_POSE } from;
    const int *nodes;     // boundary: node of each vertex; around cross sections: first node of the element
    const double *share;  // around cross sections: weight of the second node; NULL: vertices are nodes
    const double *local;  // pose: vertices in the frame of the body
    int surface;          // index of the surface on the body; 0: the body itself
    const int *cells;     // of the body, those that are recorded; NULL: all
    uint32_t revision;    // of its boundary when the layout was made
} sp_frame_source;

struct sp_record {
    const sp_scene_node *node;
    const char *file, *path;  // path NULL: nothing is written
    const sp_writer *writer;  // NULL: pictures
    sp_recorder *recorder;    // NULL: nothing is written
    int sink;                 // of the recorder; -1: none
    sp_keep *keep;            // memory of the layouts
    // quantities besides those that the scene lists
    const char *const *quantities;
    int quantity_count;
    sp_sampling sampling;
    // .csv
    sp_series **series;
    int *written;  // samples already sent, per series
    int series_count;
    // geometry
    sp_layout *layout;         // older ones stay valid until the record is closed
    sp_frame_source *sources;  // per body of the layout
    int scene_bodies;          // bodies of the scene in the first layout
    int changes;               // `body_changes` of the run for which the layout was made
    double *before;            // values at the previous step, for a frame between two steps
    double *scratch;           // buffer for the longest field of a body
    size_t scratch_size;
    // edits and events since the last frame, and the amounts already sent
    sp_buffer edits, events;
    uint64_t edits_sent, events_sent;
    int *rows_sent;   // rows already sent, per probe
    sp_buffer times;  // times of all frames sent
    bool drop_reported;
    // pictures
    long pictures;
    uint64_t picture_bytes;
};

// run_record.c
sp_status sp__record_origin(sp_run *run);                                                  // fills run->origin once
sp_status sp__record_note(sp_run *run, sp_record *r);                                      // edits and events of the last step
sp_status sp__record_send(sp_run *run, void *record, double t, double now, bool between);  // a frame to the recorder
sp_status sp__record_send_rest(sp_run *run, sp_record *r, sp_sink *sink);                  // what came after the last frame

// run_frame.c
sp_status sp__record_layout(sp_run *run, sp_record *r);
void sp__record_free(sp_run *run, sp_record *r);         // its buffers
sp_status sp__record_update(sp_run *run, sp_record *r);  // another layout if bodies were added or removed; else nothing
sp_status sp__record_values(sp_run *run, const sp_record *r, double *values);
sp_status sp__record_contacts(sp_run *run, const sp_record *r, sp_frame *f);  // those of the last step
void sp__record_blend(const sp_record *r, double u, double *values);          // linear interpolation from `before`

#endif
