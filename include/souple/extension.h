/// For libraries that are built on the engine, as libsouple-io is: the memory, the error record, the log and the tasks of a
/// context. A program that only simulates does not need this header.
///
/// An extension keeps the rules of the engine: all its memory comes from the context of its caller, a failure leaves a sentence
/// in that context and returns a status below 0, and nothing is printed.
#ifndef SOUPLE_EXTENSION_H
#define SOUPLE_EXTENSION_H

#include "base.h"

#ifdef __cplusplus
extern "C" {
#endif

// ---------------------------------------------------------------------------------------------------- memory

/// Room for `count` items of `size` bytes: zeroed, aligned to 64 bytes, counted by sp_context_memory. NULL where the host refuses
/// or count * size overflows. Any thread.
SP_API void *sp_context_alloc(sp_context *context, size_t count, size_t size);
/// Gives back what sp_context_alloc returned for the same context. Accepts NULL. Any thread.
SP_API void sp_context_free(sp_context *context, void *memory);

/// pointer = room for `count` items of its type; NULL: none.
#define SP_NEW(context, pointer, count) ((pointer) = sp_context_alloc((context), (size_t)(count), sizeof *(pointer)))

// ---------------------------------------------------------------------------------------------------- errors

/// Replaces the error record of the context by a sentence (as printf, at most 479 bytes) and returns `status`. Any thread. The
/// macro SP_FAIL adds file and line.
SP_API sp_status sp_context_fail(sp_context *context, sp_status status, const char *file, int line, const char *format, ...)
    SP_PRINTF(5, 6);
/// Replaces the error record by one that was made elsewhere, or saved before.
SP_API void sp_context_keep_error(sp_context *context, const sp_error *error);
/// Adds to the record the caller's number of the node, element or line that it is about.
SP_API void sp_context_error_index(sp_context *context, int64_t index);

/// sp_context_fail with the file and line of the call.
#define SP_FAIL(context, status, ...) sp_context_fail((context), (status), __FILE__, __LINE__, __VA_ARGS__)

/// Returns from the calling function where `call` fails. A reservation (status above 0) goes on.
#define SP_TRY(call)                     \
    do {                                 \
        sp_status sp_try_ = (call);      \
        if (sp_try_ < 0) return sp_try_; \
    } while (0)

// ---------------------------------------------------------------------------------------------------- log and tasks

/// One line (as printf, at most 511 bytes) to the log of the host; nothing happens where it has none.
SP_API void sp_context_log(const sp_context *context, sp_log_level level, const char *format, ...) SP_PRINTF(3, 4);
/// Calls fn(arg, task, worker) for every task in [0, count) on all workers, the caller included, and returns when all are done.
/// Which worker does which task is open: results may depend on the number of the task only. Calls inside a task run in place.
SP_API void sp_context_parallel(sp_context *context, int count, sp_task_fn *fn, void *arg);

#ifdef __cplusplus
}
#endif
#endif
