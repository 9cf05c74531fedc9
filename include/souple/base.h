/// Status codes, errors, the context (memory, log, tasks). SI units everywhere.
#ifndef SOUPLE_BASE_H
#define SOUPLE_BASE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#define SP_VERSION_MAJOR 0
#define SP_VERSION_MINOR 2
#define SP_VERSION_PATCH 0
#define SP_VERSION_TEXT "0.2.0"

#if defined(__GNUC__)
#define SP_API __attribute__((visibility("default")))
#define SP_PRINTF(text, first) __attribute__((format(printf, text, first)))
#else
#define SP_API
#define SP_PRINTF(text, first)
#endif

/// 0: success. Above 0: done and committed, with the reservation of that number. Below 0: failure, and the object is unchanged.
#define SP_STATUS_LIST(X)                                                         \
    X(SP_OK, 0, "ok")                                                             \
    X(SP_NOT_CONVERGED, 1, "iteration limit reached before the tolerance")        \
    X(SP_NOT_SPD, 2, "a direction of negative curvature was found")               \
    X(SP_EDIT_REFUSED, 3, "an edit was refused; the others were applied")         \
    X(SP_FROZEN, 4, "a body failed and is held at its last good state")           \
    X(SP_UNSTABLE_STEP, 5, "explicit step longer than the critical step")         \
    X(SP_INVERTED, 6, "elements are inverted")                                    \
    X(SP_ENERGY_GAIN, 7, "energy increased without external work")                \
    X(SP_PENETRATION, 8, "bodies overlap by more than a tenth of an element")     \
    X(SP_PAIR_IGNORED, 9, "bodies overlap that contact does not handle")          \
    X(SP_NO_MEMORY, -1, "out of memory")                                          \
    X(SP_BAD_INPUT, -2, "invalid argument or file")                               \
    X(SP_BAD_ID, -3, "the id is null or names something that no longer exists")   \
    X(SP_UNAVAILABLE, -4, "known, but not in this build")                         \
    X(SP_NOT_FINITE, -5, "a number is not finite")                                \
    X(SP_SINGULAR, -6, "the problem has no unique solution")                      \
    X(SP_DIVERGED, -7, "no descent could be found")                               \
    X(SP_IO, -8, "a file could not be read or written")                           \
    X(SP_BUSY, -9, "the world is being stepped by another thread")                \
    X(SP_LIMIT, -10, "iteration limit reached and the caller asked to fail then") \
    X(SP_STOPPED, -11, "stopped on request")

/// Result of a call: the codes of SP_STATUS_LIST.
typedef enum sp_status {
#define SP_X(name, value, text) name = value,
    SP_STATUS_LIST(SP_X)
#undef SP_X
} sp_status;

/// The description of a status.
SP_API const char *sp_status_text(sp_status status);
/// The name of a status ("SP_NOT_SPD").
SP_API const char *sp_status_name(sp_status status);

/// The last failure, stored in the object on which the call was made: sp_world_error() for calls on a world, solvers included,
/// sp_context_error() for all others. A failure of a world is also recorded in its context, so that a call on a run, picture or
/// recording that fails because of a world leaves its sentence there.
typedef struct sp_error {
    sp_status status;
    char message[480];  ///< one sentence, with the value and its range
    const char *file;   ///< source file that detected the failure
    int line;           ///< and its line
    char body[64];      ///< name of the body concerned, or empty
    int64_t index;      ///< user number of the node or element concerned, or -1
} sp_error;

/// Severity of a log message.
typedef enum sp_log_level { SP_LOG_DEBUG, SP_LOG_INFO, SP_LOG_WARNING, SP_LOG_ERROR } sp_log_level;

/// Runs task number `task` of a batch as worker `worker`.
typedef void sp_task_fn(void *arg, int task, int worker);

/// Memory, log and tasks of a process or of a part of it. There is no global state: two contexts share nothing.
typedef struct sp_context sp_context;

/// Definition of a context. Start from sp_context_def_default(). Copied on creation.
typedef struct sp_context_def {
    /// Nullable: malloc of the C library. May return NULL. Both are called from all threads of the context.
    void *(*alloc)(void *user, size_t size, size_t align);
    void (*free)(void *user, void *memory, size_t size);  ///< nullable together with alloc
    void *alloc_user;
    void (*log)(void *user, sp_log_level level, const char *text);  ///< nullable: silent
    void *log_user;
    int workers;  ///< threads of a step, including the calling one, 1..64; 0: one per core
    /// Tasks of the host, nullable together: `enqueue` starts fn(arg, task, worker) for every task in [0, count) and returns a
    /// handle, `finish` waits for it. `worker` is in [0, workers), and no two concurrent tasks may have the same one.
    void *(*enqueue)(sp_task_fn *fn, int count, void *arg, void *user);
    void (*finish)(void *handle, void *user);
    void *task_user;
    uint32_t cookie;  ///< set by sp_context_def_default(); do not touch
} sp_context_def;

/// Every default, and a valid cookie.
SP_API sp_context_def sp_context_def_default(void);
/// Nullable: def (defaults). On failure *out is NULL.
SP_API sp_status sp_context_create(const sp_context_def *def, sp_context **out);
/// Destroy the meshes and worlds of the context first. Sets the handle to NULL; accepts NULL.
SP_API void sp_context_destroy(sp_context **context);
/// Threads of a step, including the calling one.
SP_API int sp_context_workers(const sp_context *context);
/// The last error of the context; never NULL. The result is a copy per calling thread: valid until the same thread calls this
/// again, also for another context, or ends.
SP_API const sp_error *sp_context_error(const sp_context *context);
/// Bytes currently allocated, and the number of allocations so far.
SP_API void sp_context_memory(const sp_context *context, size_t *bytes, uint64_t *allocations);

/// A number that may vary with time: `eval(user, t)` if eval is set, otherwise `constant`. It must be a pure function of t;
/// `user` must outlive the world.
typedef struct sp_signal {
    double (*eval)(const void *user, double t);
    const void *user;
    double constant;
} sp_signal;

/// A signal that has the same value at every time.
SP_API sp_signal sp_signal_constant(double value);
/// The value of a signal at time t [s].
SP_API double sp_signal_value(const sp_signal *signal, double t);

/// A rigid transformation: x = translate + R(quat) X.
typedef struct sp_pose {
    double translate[3];  ///< [m]
    double quat[4];       ///< w x y z, unit length
} sp_pose;

/// The identity transformation.
SP_API sp_pose sp_pose_identity(void);

/// A pose that may vary with time, pure in t.
typedef struct sp_pose_signal {
    void (*eval)(const void *user, double t, sp_pose *out);  ///< nullable: `constant`
    const void *user;
    sp_pose constant;
} sp_pose_signal;

/// A pose signal that has the same pose at every time.
SP_API sp_pose_signal sp_pose_signal_constant(sp_pose pose);
/// The pose of a signal at time t [s].
SP_API sp_pose sp_pose_signal_value(const sp_pose_signal *signal, double t);

#ifdef __cplusplus
}
#endif
#endif
