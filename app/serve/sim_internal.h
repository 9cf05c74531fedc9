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
    SP_SETS_MAX = 64,      // values of the scene that clients may set
    SP_KEPT_MAX = 256,     // parameters that a reset may keep
    SP_WATCH_MS = 250,     // between two looks at the scene's file
    SP_PINS_MAX = 4096,    // nodes pinned by clients
    SP_PROBES_MAX = 64,    // probes that clients receive; more would be no help to a reader
    SP_PROBLEMS = 21,      // messages about a scene in an answer: 20 errors, and the number of the others
    SP_LATE_MS = 250,      // if the simulation is further behind, the clock restarts
    SP_ADDED_MAX = 200,    // bodies of clients at a time
    SP_TOOLS_MAX = 10000,  // bodies and links that clients add since the start
    SP_TIES_MAX = 16,      // links that wait for the body of their second end
    SP_PATH = 1024
};

// A scene that a client sends as text.
typedef struct sp_sim_upload {
    char name[SP_UPLOAD_NAME + 1];  // checked by the server
    size_t size;
    char text[];  // size bytes, then a zero byte
} sp_sim_upload;

typedef struct sp_sim_command {
    uint32_t client;
    bool leave;
    sp_sim_upload *upload;  // nullable; owned
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
    bool soft;            // it has nodes, which can be pinned, and a solver to choose
    bool moves;           // it can be dragged
    bool kinematic;       // a drag moves it as it is, with a limited speed
    bool added;           // by a client
    double pull;          // suitable spring stiffness for a drag [N/m]
    double least;         // smallest edge of its box [m]
    bool clipped;         // by clipping planes, with caps
    sp_section *section;  // made when a client clips it first; NULL: not yet, or it has no tetrahedra
    sp_section_faces cut;
} sp_sim_body;

// A scene in simulation, with cached data; or the scene of a recording, whose frames are shown in its world.
typedef struct sp_sim_stage {
    sp_context *context;
    sp_recording *recording;  // NULL: a simulation
    int frame, frame_count;   // of the recording
    sp_recording_frame at;    // the frame shown
    sp_scene *scene;
    sp_run *run;
    sp_world *world;
    sp_sim_body *bodies;
    int body_count;
    uint32_t last_slot;  // of the bodies of the scene; 0: all are
} sp_sim_stage;

typedef struct sp_sim_drag {
    bool held;
    uint32_t client;
    sp_body_id body;
    sp_face_point point;  // as it was picked
    sp_anchor anchor;
    double target[3], rest[3], stiffness;
} sp_sim_drag;

typedef struct sp_sim_slot {
    sp_sim_frame frame;
    sp_recording_frame at;
    int readers;
    float *values[SP_FIELD_CODES];
    size_t capacity[SP_FIELD_CODES];
    sp_value_range *ranges[SP_FIELD_CODES];
    size_t range_capacity[SP_FIELD_CODES];
    sp_sim_section sections[SP_SECTIONS_MAX];
    int section_count;
    sp_buffer numbers[SP_SECTIONS_MAX];  // memory of the sections
} sp_sim_slot;

typedef struct sp_sim_latest {
    sp_buffer text;
    uint64_t number;
} sp_sim_latest;

// Samples of the probes, one JSON object per line; see sim_probes.c.
typedef struct sp_sim_samples {
    uint32_t generation;
    sp_buffer text;
    uint64_t first;  // bytes of this generation that were dropped before `text`
} sp_sim_samples;

// A message of the reader about a scene.
typedef struct sp_sim_problem {
    bool error;
    int line;  // 0: none
    char file[128], text[512];
} sp_sim_problem;

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

// A kinematic capsule that a client pokes with: its tip is pushed towards a target with a limited speed.
typedef struct sp_sim_probe {
    bool held;
    uint32_t client;
    char name[32];
    double radius, length;
    double tip[3], along[3];     // centre of its tip, and the direction in which it points: as last sent to the simulation
    double target[3], aimed[3];  // where the client wants both
} sp_sim_probe;

// A link that waits for the body of its second end, which the next step adds.
typedef struct sp_sim_tie {
    char body[32];
    sp_edit edit;
} sp_sim_tie;

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
    sp_sim_samples samples;
    uint32_t hello_generation;
    sp_sim_want want;
    bool want_changed, cuts_changed;  // a new field or marks: a frame is made at once; planes: when the next frame is due
    sp_sim_slot slots[SP_FRAMES];
    int newest;  // -1: no frame
    sp_sim_state shown;

    // ---- owned by the simulation thread
    sp_sim_stage stage;
    sp_sim_stage live;              // the simulation while a recording is shown; empty: none
    int live_pins, live_kept;       // their counts in the simulation
    char replay_name[SP_TEXT_MAX];  // of the recording shown
    int scene;                      // index in the gallery, -1: none
    int scene_version;              // how often its file was read: 1 when it is opened
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
    sp_sim_probe probe;
    sp_sim_tie ties[SP_TIES_MAX];
    int tie_count, tool_number;  // number of the last body or link of a client
    char tool_name[32];          // its name
    int samples_taken[SP_PROBES_MAX];
    sp_sim_problem problems[SP_PROBLEMS];  // of the scene that was built last
    int problem_count;
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
    sp_run_recorder *recorder;  // NULL: nothing is recorded
    char recording_name[64];
};

void sp__sim_show(sp_sim *s);  // publishes a frame at once (sim.c)

// ---- notes and latest texts (sim_messages.c)
void sp__sim_answer(sp_sim *s, uint32_t client, const sp_message *m, const char *why);  // why NULL: ok
void sp__sim_answer_picked(sp_sim *s, uint32_t client, const sp_message *m, const sp_sim_drag *drag);
void sp__sim_answer_file(sp_sim *s, uint32_t client, const sp_message *m, const char *name, const char *command);
void sp__sim_answer_name(sp_sim *s, uint32_t client, const sp_message *m, const char *name);  // of a new body or link
void sp__sim_event(sp_sim *s, const char *severity, const char *format, ...) SP_PRINTF(3, 4);
void sp__sim_send_state(sp_sim *s);  // playing, speed, ...: sent to all, and part of later hellos
void sp__sim_send_param(sp_sim *s, const char *path, double value);
void sp__sim_send_bodies(sp_sim *s);  // bodies have come or gone
void sp__sim_make_hello(sp_sim *s);
// An error event with the problems of the scene that was built last.
void sp__sim_event_problems(sp_sim *s, const char *text);
// ---- probes (sim_probes.c)
void sp__sim_put_probes(const sp_sim *s, sp_json *j);
void sp__sim_forget_samples(sp_sim *s);  // a new generation: clients receive all samples of its run
void sp__sim_take_samples(sp_sim *s);    // those since the last call
// ---- (sim_stats.c)
void sp__sim_make_stats(sp_sim *s);
void sp__sim_put_picked(sp_sim *s, const sp_sim_drag *drag, sp_json *j);
void sp__sim_make_marks(sp_sim *s);
void sp__sim_world_events(sp_sim *s);

// ---- runs (sim_stage.c)
void sp__sim_watch(sp_sim *s);  // builds the scene again if its file has changed; looks at the file every SP_WATCH_MS
bool sp__sim_open(sp_sim *s, int scene, char *why);                                   // another scene, from its start
bool sp__sim_open_upload(sp_sim *s, const sp_sim_upload *upload, char *why);          // saves it and opens it
bool sp__sim_restart(sp_sim *s, bool keep, char *why);                                // the same scene from its start
bool sp__sim_change(sp_sim *s, const char *set, int threads, bool go_on, char *why);  // set nullable; threads 0: unchanged
void sp__sim_close(sp_sim *s);
bool sp__sim_fill_bodies(sp_sim_stage *g);  // of a stage with a world; again: sections of those that stay are kept
// Why a stage could not be built: the first error of its scene, whose messages are kept, or the error of the context.
void sp__sim_explain(sp_sim *s, const sp_sim_stage *g, sp_status status, char *why);
// Replacing the stage: the recording and the frames of the old one end, the caller frees or keeps it, the new one is a new
// generation.
void sp__sim_leave_stage(sp_sim *s);
void sp__sim_install(sp_sim *s, const sp_sim_stage *g, bool go_on);
void sp__sim_free_stage(sp_sim_stage *g);
const sp_sim_body *sp__sim_body(const sp_sim *s, int64_t slot);  // NULL: not found

// ---- recordings that are shown (sim_replay.c)
bool sp__sim_replay_open(sp_sim *s, const char *path, const char *name, char *why);  // the simulation waits meanwhile
bool sp__sim_replay_close(sp_sim *s, char *why);                                     // back to the simulation
bool sp__sim_replay_seek(sp_sim *s, double time, char *why);                         // to the nearest frame
void sp__sim_replay_play(sp_sim *s);  // before it plays: from the end back to the start
void sp__sim_replay_next(sp_sim *s);  // one frame on; those that are late are skipped

// ---- commands (sim_command.c)
void sp__sim_command(sp_sim *s, const sp_sim_command *c);

// the material point of a face of a body, as it is shown
bool sp__sim_pick(sp_sim *s, const sp_face_point *point, sp_anchor *out, char *why);

// ---- balls, probes, links and moved bodies (sim_tools.c)
bool sp__sim_throw(sp_sim *s, uint32_t client, const sp_message *m, char *why);
bool sp__sim_probe(sp_sim *s, uint32_t client, const sp_message *m, char *why);
void sp__sim_unprobe(sp_sim *s);
bool sp__sim_remove(sp_sim *s, uint32_t client, const sp_message *m, char *why);
bool sp__sim_attach(sp_sim *s, uint32_t client, const sp_message *m, char *why);
bool sp__sim_detach(sp_sim *s, uint32_t client, const sp_message *m, char *why);
void sp__sim_tools_before(sp_sim *s);  // before a step: probes and moved bodies go on
void sp__sim_tools_after(sp_sim *s);   // after a step: bodies may have come or gone
void sp__sim_tools_failed(sp_sim *s);  // a step has failed
void sp__sim_tools_forget(sp_sim *s);  // the scene starts again

// ---- frames (sim_frame.c)
void sp__sim_make_frame(sp_sim *s);
void sp__sim_retire_frames(sp_sim *s);             // waits until no frame is in use
double *sp__sim_numbers(sp_sim *s, size_t count);  // scratch; NULL: no memory

// ---- cross sections (sim_section.c)
void sp__sim_make_sections(sp_sim *s, sp_sim_slot *slot, const sp_sim_want *want);
void sp__sim_free_sections(sp_sim_slot *slot);

// ---- files (sim_files.c)
void sp__sim_log_step(sp_sim *s);
void sp__sim_log_restart(sp_sim *s, bool go_on);
bool sp__sim_log_save(sp_sim *s, char *name, sp_buffer *command, char *why);
bool sp__sim_scene_save(sp_sim *s, char *name, char *why);
bool sp__sim_record_start(sp_sim *s, char *why);
bool sp__sim_record_stop(sp_sim *s, char *name, char *why);  // false: nothing was recorded
void sp__sim_record_step(sp_sim *s);
bool sp__sim_upload_path(sp_sim *s, const char *name, char *path, char *why);
bool sp__sim_write_file(const char *path, const void *data, size_t size, char *why);
char *sp__sim_read_file(const char *path, size_t *size, char *why);  // malloc'd, with a zero byte; NULL: why

#endif
