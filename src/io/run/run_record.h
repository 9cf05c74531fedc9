// Records of a run, from inside: what each shows (run_frame.c), its rows (run_record_csv.c), when it is due and what has been
// handed to the recorder (run_record.c).
#ifndef SP_RUN_RECORD_H
#define SP_RUN_RECORD_H

#include "io/record/record.h"
#include "io/run/build.h"

// Where the numbers of a body of the layout come from.
typedef struct sp_frame_source {
    sp_run_body *body;
    enum { SP_FROM_TETS, SP_FROM_SKIN, SP_FROM_SURFACE, SP_FROM_POSE, SP_FROM_LINES, SP_FROM_TUBE } from;
    const int *nodes;     // skin: the body's node of each vertex; tube: the one before it
    const double *share;  // tube: of the node behind
    const double *local;  // pose: vertices in the body's own frame
    int surface;          // number of it on the body
} sp_frame_source;

struct sp_record {
    const sp_scene_node *node;
    const char *file, *path;  // path NULL: nothing is written
    const sp_writer *writer;  // NULL: pictures
    int sink;                 // of the recorder; -1: none
    sp_sampling sampling;
    // .csv
    sp_series **series;
    int *written;  // samples of each that are handed over
    int series_count;
    // geometry
    sp_layout *layout;
    sp_frame_source *sources;  // per body of the layout
    double *before;            // numbers at the step before a frame between two steps
    double *scratch;           // the longest field of a body
    size_t scratch_size;
    // what happened since the last frame that was handed over, and how much was
    sp_buffer edits, events;
    uint64_t edits_sent, events_sent;
    int *rows_sent;   // per probe
    sp_buffer times;  // of all frames handed over
    bool told_drop;
    // pictures
    long pictures;
    uint64_t picture_bytes;
};

// run_frame.c
sp_status sp__record_layout(sp_run *run, sp_record *r);
sp_status sp__record_values(sp_run *run, const sp_record *r, double *values);
void sp__record_blend(const sp_record *r, double u, double *values);  // on the line from `before`
// run_record_rod.c: lines or tube; the numbers of a tube
sp_status sp__record_rod(sp_run *run, const sp_record *r, const sp_run_body *body, sp_layout_body *b, sp_frame_source *s);
sp_status sp__record_tube(sp_run *run, const sp_record *r, const sp_layout_body *b, const sp_frame_source *s, double *values);
// run_record_csv.c
sp_status sp__record_series(sp_run *run, sp_record *r);
sp_status sp__record_head(sp_run *run, const sp_record *r, sp_buffer *out);
sp_status sp__record_rows(sp_run *run, sp_record *r, sp_buffer *out);
bool sp__record_has_rows(const sp_record *r);
// run_record_origin.c
sp_status sp__record_origin(sp_run *run);

#endif
