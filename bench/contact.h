// Sections of bench contact: each adds an array of its name to the report.
#ifndef SP_BENCH_CONTACT_H
#define SP_BENCH_CONTACT_H

#include "bench.h"

sp_status sp__contact_cases(const sp_bench_options *o, sp_report *r);
sp_status sp__contact_detection(const sp_bench_options *o, sp_report *r);
sp_status sp__contact_continuous(const sp_bench_options *o, sp_report *r);
sp_status sp__contact_baselines(const sp_bench_options *o, sp_report *r);
sp_status sp__contact_bag(const sp_bench_options *o, sp_report *r);  // of the section `continuous`
sp_status sp__contact_rods(const sp_bench_options *o, sp_report *r);
sp_status sp__contact_delassus(const sp_bench_options *o, sp_report *r);
sp_status sp__contact_sweeps(const sp_bench_options *o, sp_report *r);

#endif
