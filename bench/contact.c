// bench contact: steps with contact and their parts, one section each, in files of their own.
//
//   cases          scenes of soft bodies in contact, beside Bullet (contact_cases.c)
//   detection      trees and contacts of two deforming surfaces (contact_detection.c)
//   continuous     the same contacts by continuous detection (contact_detection.c), and those in a pile (contact_bag.c)
//   baselines      other methods of detection: hash by cell, brute force, random pairs, distance field (contact_baselines.c)
//   delassus       the Delassus operator on a factor, compared with solves by CHOLMOD (contact_delassus.c)
//   rods           a catheter in a channel, by elements and rows (contact_rods.c)
//   gauss_seidel   sweeps over a dense W, compared with STREAM (contact_sweeps.c)
#include "contact.h"

#include "core/core.h"

typedef struct contact_section {
    const char *name;  // of the array in the report
    sp_status (*run)(const sp_bench_options *o, sp_report *r);
} contact_section;

static const contact_section sections[] = {
    {"cases", sp__contact_cases},         {"detection", sp__contact_detection}, {"continuous", sp__contact_continuous},
    {"baselines", sp__contact_baselines}, {"rods", sp__contact_rods},           {"delassus", sp__contact_delassus},
    {"gauss_seidel", sp__contact_sweeps},
};

sp_status sp__bench_contact(const sp_bench_options *o, sp_report *r) {
    SP_TRY(sp__bench_open(o, r));
    for (size_t i = 0; i < sizeof sections / sizeof *sections; i++) {
        sp__report_array(r, sections[i].name);
        SP_TRY(sections[i].run(o, r));
    }
    return SP_OK;
}
