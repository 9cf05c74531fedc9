/// For libraries on top of the engine, such as libsouple-io: memory, error record, log and tasks of a context. A program that
/// only simulates does not need this header.
///
/// An extension follows the rules of the engine: all its memory comes from the context of its caller, a failure stores a sentence
/// in that context and returns a status below 0, and nothing is printed.
#ifndef SOUPLE_EXTENSION_H
#define SOUPLE_EXTENSION_H

#include "base.h"

#ifdef __cplusplus
extern "C" {
#endif

// ---------------------------------------------------------------------------------------------------- memory

/// Memory for `count` items of `size` bytes: zeroed, aligned to 64 bytes, counted by sp_context_memory. NULL: out of memory, or
/// count * size overflows. Any thread.
SP_API void *sp_context_alloc(sp_context *context, size_t count, size_t size);
/// Frees memory of sp_context_alloc of the same context. Accepts NULL. Any thread.
SP_API void sp_context_free(sp_context *context, void *memory);

/// pointer = memory for `count` items of its type; NULL: out of memory.
#define SP_NEW(context, pointer, count) ((pointer) = sp_context_alloc((context), (size_t)(count), sizeof *(pointer)))

// ---------------------------------------------------------------------------------------------------- errors

/// Replaces the error record of the context by a sentence (as printf, at most 479 bytes) and returns `status`. Any thread. The
/// macro SP_FAIL adds file and line.
SP_API sp_status sp_context_fail(sp_context *context, sp_status status, const char *file, int line, const char *format, ...)
    SP_PRINTF(5, 6);
/// Replaces the error record by another one, for example one that was saved before.
SP_API void sp_context_keep_error(sp_context *context, const sp_error *error);
/// Adds the user number of the node, element or line concerned to the error record.
SP_API void sp_context_error_index(sp_context *context, int64_t index);

/// sp_context_fail with the file and line of the call.
#define SP_FAIL(context, status, ...) sp_context_fail((context), (status), __FILE__, __LINE__, __VA_ARGS__)

/// Returns from the calling function if `call` fails. A reservation (status above 0) does not return.
#define SP_TRY(call)                     \
    do {                                 \
        sp_status sp_try_ = (call);      \
        if (sp_try_ < 0) return sp_try_; \
    } while (0)

// ---------------------------------------------------------------------------------------------------- log and tasks

/// Writes one line (as printf, at most 511 bytes) to the log of the host, if it has one.
SP_API void sp_context_log(const sp_context *context, sp_log_level level, const char *format, ...) SP_PRINTF(3, 4);
/// Calls fn(arg, task, worker) for every task in [0, count) on all workers, including the caller, and returns when all are done.
/// The worker of a task is not defined: results must depend only on the number of the task. A call inside a task runs serially.
SP_API void sp_context_parallel(sp_context *context, int count, sp_task_fn *fn, void *arg);

#ifdef __cplusplus
}
#endif
#endif
