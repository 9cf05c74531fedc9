// `souple run --dump DIR`: the contact problems of a run as FCLIB files, for `souple bench friction --problem`.
#ifndef SP_DUMP_H
#define SP_DUMP_H

#include "common/command.h"

enum { SP_DUMP_MOST = 100 };  // problems that converged, and likewise those that did not

typedef struct sp_dump {
    const char *folder;  // NULL: nothing is written
    int solved, unsolved;
} sp_dump;

// Makes the folder. False: it cannot be written, why has the reason.
bool sp__dump_open(const sp_dump *d, char *why, size_t size);
// The problem of the last step, if it had contacts: FOLDER/contact-000012.hdf5.
sp_status sp__dump_step(sp_dump *d, const sp_session *s);

#endif
