// One line at a time to the host's log, or to nobody.
#include <stdarg.h>
#include <stdio.h>

#include "core/core.h"

void sp__log(const sp_context *ctx, sp_log_level level, const char *format, ...) {
    if (!ctx->def.log) return;
    char text[512];
    va_list args;
    va_start(args, format);
    vsnprintf(text, sizeof text, format, args);
    va_end(args);
    ctx->def.log(ctx->def.log_user, level, text);
}
