// Provenance in a recording: scene, options, probes and their column names.
#include <stdio.h>

#include "io/run/run_record.h"

static sp_status describe_probe(sp_run *run, const sp_probe *p, sp_origin_probe *out) {
    const char **columns;
    *out = (sp_origin_probe){.name = p->node->path, .body = p->body, .width = p->width};
    if (!SP_KEEP(&run->keep, columns, p->width)) return sp__build_no_memory(run);
    out->columns = columns;
    for (int i = 0; i < p->width; i++) {
        char name[192], text[256];
        const char *unit;
        sp__probe_column_name(p, i, name, sizeof name, &unit);
        snprintf(text, sizeof text, "%s [%s]", name, unit);
        if (!(columns[i] = sp__keep_text(&run->keep, text))) return sp__build_no_memory(run);
    }
    return SP_OK;
}

sp_status sp__record_origin(sp_run *run) {
    sp_scene_info from;
    sp_scene_get(run->scene, &from);
    sp_provenance *o;
    sp_origin_probe *probes;
    const char **sets;
    if (!SP_KEEP(&run->keep, o, 1) || !SP_KEEP(&run->keep, probes, run->probe_count) ||
        !SP_KEEP(&run->keep, sets, from.set_count))
        return sp__build_no_memory(run);
    for (int i = 0; i < from.set_count; i++) sets[i] = sp_scene_set_at(run->scene, i);
    for (int i = 0; i < run->probe_count; i++) SP_TRY(describe_probe(run, &run->probes[i], &probes[i]));
    *o = (sp_provenance){.scene = from.text,
                         .scene_path = from.file,
                         .backend = sp_world_backend(run->world),
                         .scene_size = from.size,
                         .sets = sets,
                         .set_count = from.set_count,
                         .dt = run->dt,
                         .seed = from.seed,
                         .probes = probes,
                         .probe_count = run->probe_count};
    run->origin = o;
    return SP_OK;
}
