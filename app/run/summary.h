// Summary of a run: times, bodies, events, as text and as JSON.
#ifndef SP_SUMMARY_H
#define SP_SUMMARY_H

#include "common/command.h"

enum { SP_EVENTS_KEPT = 1000 };

typedef struct sp_body_summary {
    sp_body_info info;
    sp_body_measures now;
    double penetration_max;
    int inverted_max;
    double volume_sum, iterations_sum, substeps_sum, residual_max, refreshes, columns, elements_refreshed, shift_max;
    int iterations_max, substeps_max, age_max;
} sp_body_summary;

typedef enum sp_outcome { SP_RUN_OK, SP_RUN_FAILED, SP_RUN_STOPPED, SP_RUN_MISSED, SP_RUN_RESERVED } sp_outcome;

enum { SP_RESERVATIONS = 32 };   // one more than the largest status
typedef struct sp_reservation {  // of a run: the steps with this status
    long steps;
    double first_time;
    bool last;  // the last step had this status
} sp_reservation;

typedef struct sp_summary {
    const char *scene_path;
    const char *const *sets;  // of --set
    int set_count;
    char started[32];  // UTC, ISO 8601
    sp_outcome outcome;
    bool strict;                                   // a run with a reservation counts as failed
    sp_error error;                                // the error of a failed run
    sp_reservation reservations[SP_RESERVATIONS];  // by status
    long steps;
    double wall_ms;
    double stage_ms[SP_STAGE_COUNT];  // sums
    double step_sum, step_max, step_min;
    uint64_t *buckets;  // histogram of logarithmic step times: fixed memory for any length of run, accurate to 0.2 %
    sp_body_summary *bodies;
    int body_count;
    sp_event *events;
    int event_count;
    long events_dropped;
    sp_contact_sum contacts, contacts_most;  // of the last step; the largest values of the run, and the smallest gap
    double *links;                           // largest force of each link [N]
    int link_count;
} sp_summary;

bool sp__summary_start(sp_summary *r, const sp_session *s, const char *path);
void sp__summary_step(sp_summary *r, const sp_session *s);
void sp__summary_free(sp_summary *r);
double sp__summary_percentile(const sp_summary *r, double share);  // of the step times [ms]; NaN: no step
const char *sp__outcome_name(sp_outcome outcome);
int sp__summary_exit(const sp_summary *r);
// Whether the run has this reservation. Inverted elements count only if they are inverted at the end.
bool sp__summary_reserved(const sp_summary *r, sp_status status);
sp_status sp__summary_worst(const sp_summary *r);  // SP_OK: none
// A sentence with numbers: kind, number of steps, time of the first one.
void sp__summary_reservation(const sp_summary *r, sp_status status, char *text, size_t size);

// FNV-1a hash of the contents of a file, 16 hexadecimal digits. False: it cannot be read.
bool sp__file_hash(const char *path, char hash[20]);

void sp__summary_json(const sp_summary *r, const sp_session *s, FILE *file);
void sp__summary_text(const sp_summary *r, const sp_session *s, FILE *file);

#endif
