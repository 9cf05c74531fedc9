// Internals shared by the files of the simulation thread. Both threads access the members below `lock`; the rest belongs to the
// simulation thread.
#ifndef SP_SERVE_SIM_INTERNAL_H
#define SP_SERVE_SIM_INTERNAL_H

#include <pthread.h>

#include "serve/client_view.h"
#include "serve/sim.h"
#include "util/clock.h"
#include "util/json.h"

enum {
    SP_MAILBOX = 1024,
    SP_NOTES_MAX = 4096,
    SP_FRAMES = 3,
    SP_SETS_MAX = 64,    // values of the scene that clients may set
    SP_KEPT_MAX = 256,   // parameters that a reset may keep
    SP_WATCH_MS = 250,   // between two looks at the scene's file
    SP_PINS_MAX = 4096,  // nodes pinned by clients
    SP_PATH = 1024
};

typedef struct sp_sim_command {
    uint32_t client;
    bool leave;
    sp_message message;
} sp_sim_command;

typedef struct sp_sim_message {
    struct sp_sim_message *next;
    uint32_t client;
    size_t size;
    char text[];
} sp_sim_message;

typedef struct sp_sim_body {
    sp_body_id id;
    bool soft;    // it has nodes: it can be dragged and pinned
    double pull;  // suitable spring stiffness for a drag [N/m]
} sp_sim_body;

// A scene in simulation, with cached data.
typedef struct sp_sim_stage {
    sp_context *context;
    sp_scene *scene;
    sp_run *run;
    sp_world *world;
    sp_sim_body *bodies;
    int body_count;
} sp_sim_stage;

typedef struct sp_sim_drag {
    bool held;
    uint32_t client;
    sp_body_id body;
    int64_t surface, face;  // the picked point
    double weights[3];
    sp_anchor anchor;
    double target[3], rest[3], stiffness;
} sp_sim_drag;

typedef struct sp_sim_slot {
    sp_sim_frame frame;
    int readers;
    float *values[SP_FIELD_CODES];
    size_t capacity[SP_FIELD_CODES];
    sp_value_range *ranges[SP_FIELD_CODES];
    size_t range_capacity[SP_FIELD_CODES];
} sp_sim_slot;

typedef struct sp_sim_latest {
    sp_buffer text;
    uint64_t number;
} sp_sim_latest;

// Times accumulated between two stats.
typedef struct sp_sim_timings {
    int steps;
    double stage_ms[SP_STAGE_COUNT], step_ms;
    double since_ms, from_time;  // wall clock, simulated time
} sp_sim_timings;

typedef struct sp_sim_kept {
    char path[64];
    double value;
} sp_sim_kept;

// A version of a file: another one has another time or size.
typedef struct sp_sim_version {
    int64_t seconds, nanoseconds, size;  // of the last change; -1: there is no such file
} sp_sim_version;

typedef struct sp_sim_pin {
    sp_body_id body;
    int node;
} sp_sim_pin;

struct sp_sim {
    sp_sim_def def;
    pthread_t thread;
    pthread_mutex_t lock;
    pthread_cond_t called;    // a command arrived, or a client displays something else
    pthread_cond_t released;  // a frame was released

    // ---- protected by the lock
    bool quit;
    sp_sim_command *mailbox;  // ring buffer
    int mail_first, mail_count;
    sp_sim_message *messages, **messages_end;
    int message_count;
    sp_sim_latest hello, texts[SP_SIM_TEXTS];
    uint32_t hello_generation;
    unsigned want_fields;
    bool want_marks, want_changed;
    sp_sim_slot slots[SP_FRAMES];
    int newest;  // -1: no frame
    sp_sim_state shown;

    // ---- owned by the simulation thread
    sp_sim_stage stage;
    int scene;  // index in the gallery, -1: none
    uint32_t generation;
    sp_sim_version built, seen;  // of the scene's file: as built, and at the last look
    double watch_ms;             // time of the last look
    uint64_t frame_number;
    int threads;
    char *sets[SP_SETS_MAX];
    int set_count;
    bool playing;
    long steps_left;
    double speed, due_ms;
    char failed[SP_SIM_WHY];
    sp_sim_drag drags[SP_DRAG_SLOTS];
    sp_sim_drag watched;  // the last picked point
    bool has_watched;
    sp_sim_kept kept[SP_KEPT_MAX];
    int kept_count;
    sp_sim_pin *pins;
    int pin_count;
    sp_sim_timings timings;
    double frame_ms, frame_cost_ms, stats_ms, stats_cost_ms, marks_ms;  // time of the last one, and cost
    bool hello_old;                                                     // outdated: must be rebuilt
    double hello_ms;
    double event_ms;  // start of the interval in which events are counted
    int event_count;
    sp_buffer scratch;
    double *numbers;  // scratch for fields
    size_t number_capacity;
    // files
    sp_buffer log;       // edits since the start, as text
    bool log_cut;        // it exceeded its size limit
    char base[SP_PATH];  // checkpoint from which the log continues; empty: the start of the scene
    bool base_used;      // referenced by a saved log
    int file_number;
    FILE *recording;
    char recording_name[64];
    uint64_t recorded_bytes;
    double recorded_time;
    sp_client_view recorded_view;
};

// ---- notes and latest texts (sim_messages.c)
void sp__sim_say(sp_sim *s, uint32_t client, const char *text, size_t size);
void sp__sim_answer(sp_sim *s, uint32_t client, const sp_message *m, const char *why);  // why NULL: ok
void sp__sim_answer_picked(sp_sim *s, uint32_t client, const sp_message *m, const sp_sim_drag *drag);
void sp__sim_answer_file(sp_sim *s, uint32_t client, const sp_message *m, const char *name, const char *command);
void sp__sim_event(sp_sim *s, const char *severity, const char *format, ...) SP_PRINTF(3, 4);
void sp__sim_send_state(sp_sim *s);  // playing, speed, ...: sent to all, and part of later hellos
void sp__sim_send_param(sp_sim *s, const char *path, double value);
void sp__sim_make_hello(sp_sim *s);
// ---- (sim_stats.c)
void sp__sim_make_stats(sp_sim *s);
void sp__sim_put_picked(sp_sim *s, const sp_sim_drag *drag, sp_json *j);
void sp__sim_make_marks(sp_sim *s);
void sp__sim_world_events(sp_sim *s);
void sp__sim_latest(sp_sim *s, sp_sim_latest *slot, const char *text, size_t size);

// ---- runs (sim_stage.c)
void sp__sim_watch(sp_sim *s);  // builds the scene again if its file has changed; looks at the file every SP_WATCH_MS
bool sp__sim_open(sp_sim *s, int scene, char *why);                                   // another scene, from its start
bool sp__sim_restart(sp_sim *s, bool keep, char *why);                                // the same scene from its start
bool sp__sim_change(sp_sim *s, const char *set, int threads, bool go_on, char *why);  // set nullable; threads 0: unchanged
void sp__sim_close(sp_sim *s);
const sp_sim_body *sp__sim_body(const sp_sim *s, int64_t slot);  // NULL: not found

// ---- commands (sim_command.c)
void sp__sim_command(sp_sim *s, const sp_sim_command *c);

// ---- frames (sim_frame.c)
void sp__sim_make_frame(sp_sim *s);
void sp__sim_retire_frames(sp_sim *s);             // waits until no frame is in use
double *sp__sim_numbers(sp_sim *s, size_t count);  // scratch; NULL: no memory

// ---- files (sim_files.c)
void sp__sim_log_step(sp_sim *s);
void sp__sim_log_restart(sp_sim *s, bool go_on);
bool sp__sim_log_save(sp_sim *s, char *name, sp_buffer *command, char *why);
bool sp__sim_scene_save(sp_sim *s, char *name, char *why);
bool sp__sim_record_start(sp_sim *s, char *why);
bool sp__sim_record_stop(sp_sim *s, char *name, char *why);  // false: nothing was recorded
void sp__sim_record_step(sp_sim *s);
bool sp__sim_new_file(sp_sim *s, const char *stem, const char *suffix, char *name, char *path, char *why);

#endif
