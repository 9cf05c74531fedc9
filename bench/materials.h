// The parts of `bench materials`.
#ifndef SP_BENCH_MATERIALS_H
#define SP_BENCH_MATERIALS_H

#include "bench.h"

sp_status sp__bench_materials_error(const sp_bench_options *o, sp_report *r);

#endif
