// See dump.h.
#include "run/dump.h"

#include <errno.h>
#include <limits.h>
#include <string.h>
#include <sys/stat.h>

bool sp__dump_open(const sp_dump *d, char *why, size_t size) {
    if (mkdir(d->folder, 0777) == 0 || errno == EEXIST) return true;
    snprintf(why, size, "--dump: cannot make %.300s: %s", d->folder, strerror(errno));
    return false;
}

sp_status sp__dump_step(sp_dump *d, const sp_session *s) {
    char path[PATH_MAX];
    sp_contact_problem p;
    if (sp_world_contact_count(s->world) == 0) return SP_OK;
    if (d->solved >= SP_DUMP_MOST && d->unsolved >= SP_DUMP_MOST) return SP_OK;
    sp_status status = sp_world_contact_problem(s->world, &p);
    if (status < 0) return status;
    int *count = p.converged ? &d->solved : &d->unsolved;
    if ((*count)++ >= SP_DUMP_MOST) return SP_OK;
    const sp_fclib_problem problem = {.dimension = 3,
                                      .contacts = p.contacts,
                                      .W = {3 * p.contacts, 3 * p.contacts, p.start, p.column, p.value},
                                      .q = p.q,
                                      .mu = p.mu};
    const sp_fclib_solution solution = {.u = p.u, .r = p.lambda};
    snprintf(path, sizeof path, "%s/contact-%06llu.hdf5", d->folder, (unsigned long long)sp_world_steps(s->world));
    return sp_fclib_write(s->context, path, &problem, &solution);
}
