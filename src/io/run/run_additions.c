// Bodies and links that edits add to the world of a run. The scene does not have them, so checkpoints hold the edits, and a run
// that continues from one repeats them before it takes the state. Records ask for the bodies.
#include "io/run/build.h"
#include "souple/io.h"

#define HEADER "souple-edits 1\n"
static const unsigned additions = 1u << SP_EDIT_ADD | 1u << SP_EDIT_REMOVE | 1u << SP_EDIT_LINK;

const char *sp_run_additions(const sp_run *run) {
    return run->additions.size ? run->additions.data : "";
}

static sp_status additions_no_memory(sp_run *run) {
    return SP_FAIL(run->ctx, SP_NO_MEMORY, "no memory for the bodies that were added");
}

// A buffer has space for a zero byte after the last line.
static sp_status additions_append(sp_run *run, const char *lines, size_t size) {
    if (!sp__buffer_add(run->ctx, &run->additions, lines, size)) return additions_no_memory(run);
    run->additions.data[run->additions.size] = 0;
    return SP_OK;
}

const sp_added_body *sp__run_added(const sp_run *run, int *count) {
    *count = (int)(run->added.size / sizeof(sp_added_body));
    return (const sp_added_body *)(const void *)run->added.data;
}

// An edit that the step refused leaves an entry without a body.
static sp_status added_note(sp_run *run, const sp_edit *e) {
    sp_added_body *list = (sp_added_body *)(void *)run->added.data, new = {.id = sp_world_body_named(run->world, e->path)};
    const int count = (int)(run->added.size / sizeof new);
    run->body_changes += e->type == SP_EDIT_ADD || e->type == SP_EDIT_REMOVE;
    if (e->type != SP_EDIT_ADD) return SP_OK;
    memcpy(new.name, e->path, sizeof new.name);
    int i = 0;
    while (i < count && strcmp(list[i].name, new.name) != 0) i++;
    if (i < count)
        list[i] = new;
    else if (!sp__buffer_add(run->ctx, &run->added, &new, sizeof new))
        return additions_no_memory(run);
    return SP_OK;
}

sp_status sp__run_note_additions(sp_run *run) {
    int count;
    const sp_edit *taken = sp_world_edits_taken(run->world, &count);
    for (int i = 0; i < count; i++) {
        char line[SP_EDIT_LINE];
        run->body_changes += taken[i].type == SP_EDIT_REMOVE_ELEMENT;
        if (!(additions >> taken[i].type & 1)) continue;
        SP_TRY(added_note(run, &taken[i]));
        if (!sp_edit_log_line(&taken[i], sp_world_steps(run->world) - 1, line, sizeof line)) continue;
        SP_TRY(additions_append(run, line, strlen(line)));
    }
    return SP_OK;
}

static sp_status additions_apply(sp_run *run, const sp_edit_log *log) {
    const sp_edit *e;
    uint64_t step;
    for (int i = 0; (e = sp__edit_log_at(log, i, &step)); i++) {
        sp_status status = sp_world_apply(run->world, e);
        if (status < 0) return SP_FAIL(run->ctx, status, "%s", sp_world_error(run->world)->message);
        SP_TRY(added_note(run, e));
    }
    return SP_OK;
}

sp_status sp__run_repeat_additions(sp_run *run, const char *lines, size_t size) {
    sp_edit_log *log = NULL;
    sp_buffer text = {0};
    bool good = sp__buffer_add(run->ctx, &text, HEADER, strlen(HEADER)) && sp__buffer_add(run->ctx, &text, lines, size);
    if (good) text.data[text.size] = 0;
    sp_status status = good ? SP_OK : additions_no_memory(run);
    if (status >= 0) status = sp__edit_log_select(run->ctx, "additions of the checkpoint", text.data, additions, &log);
    if (status >= 0) status = additions_apply(run, log);
    if (status >= 0) status = additions_append(run, lines, size);
    sp_edit_log_close(&log);
    sp__buffer_free(run->ctx, &text);
    return status;
}
