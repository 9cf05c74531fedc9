// Parts of the page of a run, assembled by report.c.
#ifndef SP_REPORT_H
#define SP_REPORT_H

#include <limits.h>

#include "common/command.h"
#include "common/html.h"
#include "common/plots.h"
#include "util/json_read.h"

// `run` is the object of summary.json.
void sp__report_head(sp_page *p, const sp_json_value *run);
void sp__report_tables(sp_page *p, const sp_json_value *run);
void sp__report_provenance(sp_page *p, const sp_json_value *run);
void sp__report_probes(sp_plot_set *set, const sp_json_value *run);  // panels

// "name: value" in a box; the text is escaped.
void sp__report_fact(sp_page *p, const char *name, const char *format, ...) SP_PRINTF(3, 4);

#endif
