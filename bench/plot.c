// See plot.h: a plot of the io library and its data, in the folder of --dump.
#include "plot.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

static sp_status plot_failed(const char *path) {
    fprintf(stderr, "bench: cannot write %s: %s\n", path, strerror(errno));
    return SP_IO;
}

static sp_status write_csv(const sp_plot *p, const char *path) {
    FILE *f = fopen(path, "w");
    if (!f) return plot_failed(path);
    fprintf(f, "series,%s,%s\n", p->x_label, p->y_label);
    for (int s = 0; s < p->series_count; s++)
        for (int i = 0; i < p->series[s].count; i++)
            fprintf(f, "%s,%.9g,%.9g\n", p->series[s].name, p->series[s].x[i], p->series[s].y[i]);
    bool good = !ferror(f);
    return fclose(f) == 0 && good ? SP_OK : plot_failed(path);
}

static sp_status write_svg(const sp_plot *p, const char *path) {
    sp_context_def def = sp_context_def_default();
    sp_context *ctx = NULL;
    def.workers = 1;
    SP_TRY(sp_context_create(&def, &ctx));
    sp_status status = sp_plot_write(ctx, p, 1, path);
    if (status < 0) fprintf(stderr, "bench: %s\n", sp_context_error(ctx)->message);
    sp_context_destroy(&ctx);
    return status;
}

sp_status sp__bench_plot(const sp_plot *p, const char *folder, const char *name) {
    char path[512];
    if (mkdir(folder, 0777) != 0 && errno != EEXIST) return plot_failed(folder);
    snprintf(path, sizeof path, "%s/%s.csv", folder, name);
    SP_TRY(write_csv(p, path));
    snprintf(path, sizeof path, "%s/%s.svg", folder, name);
    return write_svg(p, path);
}
