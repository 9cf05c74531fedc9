// What a run leaves behind: times, bodies, events, and how they are written for people and for programs.
#ifndef SP_SUMMARY_H
#define SP_SUMMARY_H

#include "command.h"

enum { SP_EVENTS_KEPT = 1000 };

typedef struct sp_body_summary {
    sp_body_info now;
    double volume_sum, iterations_sum, residual_max, refreshes, columns, elements_refreshed, shift_max;
    int iterations_max, age_max;
} sp_body_summary;

typedef enum sp_outcome { SP_RUN_OK, SP_RUN_FAILED, SP_RUN_STOPPED, SP_RUN_MISSED } sp_outcome;

typedef struct sp_summary {
    const char *scene_path;
    const char *const *sets;  // of --set
    int set_count;
    char started[32];  // UTC, ISO 8601
    sp_outcome outcome;
    sp_error error;         // where it failed
    sp_status reservation;  // the worst of all steps
    long steps;
    double wall_ms;
    double stage_ms[SP_STAGE_COUNT];  // sums
    double step_sum, step_max, step_min;
    uint64_t *buckets;  // step times by logarithm: a run of any length in fixed memory, to 0.2 %
    sp_body_summary *bodies;
    int body_count;
    sp_event *events;
    int event_count;
    long events_dropped;
} sp_summary;

bool sp__summary_start(sp_summary *r, const sp_session *s, const char *path);
void sp__summary_step(sp_summary *r, const sp_session *s);
void sp__summary_free(sp_summary *r);
double sp__summary_percentile(const sp_summary *r, double share);  // of the step times [ms]; NaN: no step
const char *sp__outcome_name(sp_outcome outcome);
int sp__outcome_exit(sp_outcome outcome);

// FNV-1a of a file's bytes, 16 hexadecimal digits. False: it cannot be read.
bool sp__file_hash(const char *path, char hash[20]);

void sp__summary_json(const sp_summary *r, const sp_session *s, FILE *file);
void sp__summary_text(const sp_summary *r, const sp_session *s, FILE *file);

#endif
