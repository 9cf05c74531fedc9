// Records: files that a run writes while it steps. The run copies its values into a frame of the recorder (run_frame.c). A
// separate thread passes the frame to a writer, one per format. Writers use layouts and frames, not worlds.
#ifndef SP_RECORD_H
#define SP_RECORD_H

#include "io/file/text_file.h"
#include "souple/io.h"
#include "util/buffer.h"

// ---------------------------------------------------------------------------------------------------- frames

typedef struct sp_layout_array {
    const char *name, *unit;
    int components;
    sp_field_on on;
    size_t count;   // items
    size_t offset;  // offset in the values of a frame
} sp_layout_array;

typedef struct sp_layout_body {
    const char *name, *kind;
    int index;  // in the recording, the same in all of its layouts
    int node_count, cell_count;
    int corners;  // nodes per cell: 4 tetrahedra, 3 triangles, 2 lines
    const int *cells;
    sp_layout_array *arrays;  // the first is "position"
    int array_count;
} sp_layout_body;

// Layout of the values of a frame. Frames share it until a body is added or removed. A body that stays as it is has the same
// name, cells and arrays in the next layout.
typedef struct sp_layout {
    sp_layout_body *bodies;
    int body_count;
    size_t value_count;
    bool contacts;  // frames have contacts by constraints
} sp_layout;

// Samples of a probe since the previous frame.
typedef struct sp_frame_rows {
    sp_buffer times, values;  // doubles
    sp_buffer interpolated;   // bytes
} sp_frame_rows;

// The arrays of contacts of a frame, in the order of the buffers: X(id, name, unit, components, numbers are integers).
#define SP_CONTACT_ARRAYS(X)                \
    X(CELL, "cell", "1", 1, true)           \
    X(POINT, "point", "m", 3, false)        \
    X(NORMAL, "normal", "1", 3, false)      \
    X(FORCE, "force", "N", 3, false)        \
    X(GAP, "gap", "m", 1, false)            \
    X(PRESSURE, "pressure", "Pa", 1, false) \
    X(BODIES, "bodies", "1", 2, true)
typedef enum sp_contact_array {
#define SP_X(id, ...) SP_CONTACT_ARRAY_##id,
    SP_CONTACT_ARRAYS(SP_X)
#undef SP_X
        SP_CONTACT_ARRAY_COUNT
} sp_contact_array;

typedef struct sp_frame {
    const sp_layout *layout;
    bool shown;  // false: only edits, events and samples, no state of the bodies
    sp_recording_frame head;
    double *values;         // layout->value_count
    size_t value_capacity;  // capacity of `values`
    sp_buffer edits;        // lines of an edit log
    sp_buffer events;       // array of sp_event
    sp_buffer text;         // .csv: complete rows
    sp_frame_rows *rows;    // one per probe
    int contact_count;
    sp_buffer contacts[SP_CONTACT_ARRAY_COUNT];  // doubles; cell: int, number in the frame; bodies:
                                                 // int, index of the body, -1 if it is not recorded
} sp_frame;

// ---------------------------------------------------------------------------------------------------- origin

typedef struct sp_origin_probe {
    const char *name, *body;  // body: nullable
    int width;
    const char *const *columns;  // "position.x [m]"
} sp_origin_probe;

// Origin of a recording: the run that made it.
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

// An open record. Its writer runs in the recorder thread; other threads read the counts under the lock of the recorder.
typedef struct sp_sink {
    const sp_writer *writer;
    sp_context *ctx;   // of the recorder thread, for memory and errors
    const char *path;  // "results/beam.xdmf"
    bool in_double, compress, visual;
    bool wait;                // slow disk: true waits, false drops frames
    const sp_layout *layout;  // of the first frame
    const sp_provenance *origin;
    const char *head;                        // .csv: header line
    long resumed;                            // existing frames, if the run was resumed
    const double *resumed_at;                // their times
    uint64_t resumed_edits, resumed_events;  // bytes of edits and number of events up to them
    long frames, dropped;
    uint64_t bytes;
    void *impl;
} sp_sink;

struct sp_writer {
    const char *kind, *suffix;
    bool fields;    // has other quantities than positions
    bool surfaces;  // triangles only
    sp_status (*open)(sp_sink *sink);
    sp_status (*frame)(sp_sink *sink, const sp_frame *frame);
    sp_status (*close)(sp_sink *sink);  // also called after a failure
};

extern const sp_writer sp__writer_csv, sp__writer_xdmf, sp__writer_vtu, sp__writer_obj, sp__writer_ply;
const sp_writer *sp__writer_of(const char *file);  // by the suffix; NULL: none

// An XML file that is well-formed at any time, also while text is added and if the run is killed then. The text has no
// processing instructions; head and tail together are shorter than a page.
typedef struct sp_growing {
    sp_context *ctx;
    char *path;
    const char *tail;
    int fd;
    uint64_t end;  // offset of the tail
} sp_growing;
sp_status sp__growing_open(sp_context *ctx, const char *path, const char *head, const char *tail, sp_growing *g);
sp_status sp__growing_add(sp_growing *g, const char *text, size_t size);
uint64_t sp__growing_bytes(const sp_growing *g);  // size of the file
sp_status sp__growing_close(sp_growing *g);       // reports errors that the file system delivers on close

// The HDF5 file of an .xdmf record, in the format of docs/recordings.md. A frame is on disk after its write.
typedef struct sp_heavy sp_heavy;

// An existing file is continued if the sink has `resumed` frames and the file matches; *kept: frames that stay in it.
sp_status sp__heavy_open(sp_sink *sink, const char *path, sp_heavy **out, long *kept);
sp_status sp__heavy_frame(sp_heavy *h, const sp_frame *frame);
// A body of a frame, in the order of their groups; `next` is the group to begin with, from 0. NULL: there are no more.
const sp_layout_body *sp__heavy_body(const sp_heavy *h, long frame, int *next, int *revision, long *first);
// Rows of the contacts of a frame: the first, and their number.
void sp__heavy_contacts(const sp_heavy *h, long frame, uint64_t *first, int *count);
uint64_t sp__heavy_bytes(const sp_heavy *h);
sp_status sp__heavy_close(sp_heavy **h);

sp_context *sp__recording_context(const sp_recording *recording);

// "results/beam.xdmf" and ".h5" give "results/beam.h5"; NULL: no memory. Free it with sp__free.
char *sp__path_with(sp_context *ctx, const char *path, const char *ending);
const char *sp__path_name(const char *path);  // after the last slash

// ---------------------------------------------------------------------------------------------------- recorder

// The writer thread. Frames are allocated in the caller's context, at most SP_FRAMES_QUEUED per sink. A caller that needs another
// one waits or drops its frame.
typedef struct sp_recorder sp_recorder;
enum { SP_FRAMES_QUEUED = 4 };

// Starts the thread, which opens the sinks; *failed is the index of the sink that failed. Sinks are borrowed until destruction.
sp_status sp__recorder_create(sp_context *ctx, sp_sink *sinks, int count, sp_recorder **out, int *failed);
// A frame to fill for a sink, allocated for a layout (nullable); *frame NULL: dropped (counted). Fails after the sink has failed.
sp_status sp__recorder_take(sp_recorder *r, int sink, const sp_layout *layout, sp_frame **frame);
void sp__recorder_push(sp_recorder *r, int sink, sp_frame *frame);
void sp__recorder_give_back(sp_recorder *r, int sink, sp_frame *frame);  // returns an unused frame
// Waits until all frames are written.
sp_status sp__recorder_drain(sp_recorder *r);
void sp__recorder_counts(sp_recorder *r, int sink, long *frames, long *dropped, uint64_t *bytes);
// Writes all frames, closes the sinks and ends the thread. Returns the first failure; its message is in the caller's context.
sp_status sp__recorder_finish(sp_recorder *r);
void sp__recorder_destroy(sp_recorder **r);

#endif
