// Writer of .csv records (RFC 4180). The rows arrive as text; the run chooses probes, times and columns (run_record.c). Each
// row is written on arrival, so that a killed run loses only its last rows.
#include <errno.h>
#include <stdio.h>

#include "io/record/record.h"

static sp_status write_csv_failed(sp_sink *s) {
    return SP_FAIL(s->ctx, SP_IO, "%s: %s", s->path, strerror(errno));
}

static sp_status write_csv_put(sp_sink *s, const char *text, size_t size) {
    if (fwrite(text, 1, size, s->impl) != size || fflush(s->impl) != 0) return write_csv_failed(s);
    s->bytes += size;
    return SP_OK;
}

static sp_status open_csv(sp_sink *s) {
    s->impl = fopen(s->path, "wb");
    if (!s->impl) return write_csv_failed(s);
    return write_csv_put(s, s->head, strlen(s->head));
}

static sp_status write_csv(sp_sink *s, const sp_frame *f) {
    SP_TRY(write_csv_put(s, f->text.data, f->text.size));
    for (size_t i = 0; i < f->text.size; i++) s->frames += f->text.data[i] == '\n';
    return SP_OK;
}

static sp_status close_csv(sp_sink *s) {
    FILE *file = s->impl;
    s->impl = NULL;
    return file && fclose(file) != 0 ? write_csv_failed(s) : SP_OK;
}

const sp_writer sp__writer_csv = {.kind = "csv", .suffix = ".csv", .open = open_csv, .frame = write_csv, .close = close_csv};

// ---------------------------------------------------------------------------------------------------- files

const sp_writer *sp__writer_of(const char *file) {
    static const sp_writer *const all[] = {&sp__writer_csv, &sp__writer_xdmf, &sp__writer_vtu, &sp__writer_obj, &sp__writer_ply};
    const char *dot = strrchr(file, '.');
    for (size_t i = 0; dot && i < sizeof all / sizeof *all; i++)
        if (strcmp(all[i]->suffix, dot) == 0) return all[i];
    return NULL;
}
