// Section `scenes` of bench volume.
#ifndef SP_BENCH_VOLUME_SCENES_H
#define SP_BENCH_VOLUME_SCENES_H

#include "bench.h"

sp_status sp__volume_scenes(const sp_bench_options *o, sp_report *r);

#endif
