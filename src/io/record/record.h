// Records: what a run writes while it goes. A run copies what a frame shows into a frame of the recorder's (run_frame.c); a
// thread of its own hands it to a writer, one per format. Writers know layouts and frames, not worlds.
#ifndef SP_RECORD_H
#define SP_RECORD_H

#include "io/file/text_file.h"
#include "souple/io.h"

// ---------------------------------------------------------------------------------------------------- what a frame holds

typedef enum sp_array_on { SP_ON_NODES, SP_ON_CELLS, SP_ON_BODY } sp_array_on;

typedef struct sp_layout_array {
    const char *name, *unit;
    int components;
    sp_array_on on;
    size_t count;   // items
    size_t offset;  // of its numbers in the values of a frame
} sp_layout_array;

typedef struct sp_layout_body {
    const char *name, *kind;
    int node_count, cell_count;
    int corners;  // 4: tetrahedra, 3: triangles, 2: lines
    const int *cells;
    sp_layout_array *arrays;  // the first is "position"
    int array_count;
} sp_layout_body;

// How the numbers of a frame lie. Frames of one revision of the bodies share it.
typedef struct sp_layout {
    int revision;
    sp_layout_body *bodies;
    int body_count;
    size_t value_count;
} sp_layout;

typedef struct sp_buffer {  // bytes that grow
    char *data;
    size_t size, capacity;
} sp_buffer;

// Samples of a probe since the frame before.
typedef struct sp_frame_rows {
    sp_buffer times, values;  // doubles
    sp_buffer interpolated;   // bytes
} sp_frame_rows;

typedef struct sp_frame {
    const sp_layout *layout;
    bool shown;  // false: only what happened, no state of the bodies
    sp_recording_frame head;
    double *values;       // layout->value_count
    size_t value_room;    // numbers that there is room for
    sp_buffer edits;      // lines of an edit log
    sp_buffer events;     // sp_event one after the other
    sp_buffer text;       // .csv: whole rows
    sp_frame_rows *rows;  // one per probe
} sp_frame;

// ---------------------------------------------------------------------------------------------------- where from

typedef struct sp_origin_probe {
    const char *name, *body;  // body: nullable
    int width;
    const char *const *columns;  // "position.x [m]"
} sp_origin_probe;

// What a recording tells of the run that made it.
typedef struct sp_provenance {
    const char *scene, *scene_path, *backend;
    size_t scene_size;
    const char *const *sets;
    int set_count;
    double dt;
    uint64_t seed;
    const sp_origin_probe *probes;
    int probe_count;
} sp_provenance;

// ---------------------------------------------------------------------------------------------------- writers

typedef struct sp_writer sp_writer;

// An open record. Its writer runs in the recorder's thread; others look at the counts under the recorder's lock.
typedef struct sp_sink {
    const sp_writer *writer;
    sp_context *ctx;   // of the recorder's thread: memory and errors
    const char *path;  // "results/beam.xdmf"
    bool in_double, compress, visual;
    bool wait;  // a slow disk: wait; otherwise drop
    const sp_layout *layout;
    const sp_provenance *origin;
    const char *head;                        // .csv: the first line
    long resumed;                            // frames that stand already, of a run that goes on
    const double *resumed_at;                // their times
    uint64_t resumed_edits, resumed_events;  // bytes and count of what happened up to them
    long frames, dropped;
    uint64_t bytes;
    void *impl;
} sp_sink;

struct sp_writer {
    const char *kind, *suffix;
    bool fields;    // holds quantities beside positions
    bool surfaces;  // holds triangles only
    sp_status (*open)(sp_sink *sink);
    sp_status (*frame)(sp_sink *sink, const sp_frame *frame);
    sp_status (*close)(sp_sink *sink);  // also after a failure, then of what is left
};

extern const sp_writer sp__writer_csv, sp__writer_xdmf, sp__writer_vtu, sp__writer_obj, sp__writer_ply;
const sp_writer *sp__writer_of(const char *file);  // by the ending; NULL: none

// A text file that is whole after every write: new text goes where the closing lines stood, and those follow it.
typedef struct sp_growing {
    sp_context *ctx;
    char *path;
    const char *tail;
    int fd;
    uint64_t end;  // where the tail begins
} sp_growing;
sp_status sp__growing_open(sp_context *ctx, const char *path, const char *head, const char *tail, sp_growing *g);
sp_status sp__growing_add(sp_growing *g, const char *text, size_t size);
sp_status sp__growing_close(sp_growing *g);  // fails where the file system says so only now

// Buffers. False: no memory.
bool sp__buffer_add(sp_context *ctx, sp_buffer *b, const void *data, size_t size);
bool sp__buffer_print(sp_context *ctx, sp_buffer *b, const char *format, ...) SP_PRINTF(3, 4);
void sp__buffer_free(sp_context *ctx, sp_buffer *b);

// "results/beam.xdmf" and ".h5" give "results/beam.h5"; NULL: no memory. Free it with sp__free.
char *sp__path_with(sp_context *ctx, const char *path, const char *ending);
const char *sp__path_name(const char *path);  // after the last slash

// ---------------------------------------------------------------------------------------------------- the recorder

// A thread that writes. Frames belong to the caller's context; there are at most SP_FRAMES_QUEUED for each sink, and a caller who
// needs another waits or drops.
typedef struct sp_recorder sp_recorder;
enum { SP_FRAMES_QUEUED = 4 };

// Starts the thread and opens the sinks there; *opened is the index of the sink that failed. Sinks are borrowed until destroyed.
sp_status sp__recorder_create(sp_context *ctx, sp_sink *sinks, int count, sp_recorder **out, int *failed);
// A frame to fill for a sink, with room for its layout; *frame NULL: dropped (counted). Fails as soon as the sink has.
sp_status sp__recorder_take(sp_recorder *r, int sink, sp_frame **frame);
void sp__recorder_push(sp_recorder *r, int sink, sp_frame *frame);
void sp__recorder_give_back(sp_recorder *r, int sink, sp_frame *frame);  // unused after all
// Wait until everything handed over is on its way to the disk.
sp_status sp__recorder_drain(sp_recorder *r);
void sp__recorder_counts(sp_recorder *r, int sink, long *frames, long *dropped, uint64_t *bytes);
// Write all, close all, end the thread. The first failure of all; its record is in the caller's context.
sp_status sp__recorder_finish(sp_recorder *r);
void sp__recorder_destroy(sp_recorder **r);

#endif
