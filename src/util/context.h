// Short names for the functions of souple/extension.h, used by the engine and its libraries.
#ifndef SP_UTIL_CONTEXT_H
#define SP_UTIL_CONTEXT_H

#include "souple/extension.h"

#define sp__alloc sp_context_alloc
#define sp__free sp_context_free
#define sp__context_fail sp_context_fail
#define sp__context_error_index sp_context_error_index
#define sp__log sp_context_log
#define sp__parallel sp_context_parallel
#define sp__workers sp_context_workers

#endif
