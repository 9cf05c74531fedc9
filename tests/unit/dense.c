// Dense kernels, every variant and both number types, against plain loops: sizes that fill tiles and sizes that do not, strides
// with invalid numbers between columns, pivots that fail, tiles in any partition with the same bits.
#include "sparse/dense.h"

#include "test.h"

static const int sizes[] = {1, 2, 3, 4, 5, 6, 7, 9, 11, 12, 15, 18, 24, 27, 47, 70, 96};
static const int extra[] = {0, 1, 2, 3, 5, 8, 12, 13, 24, 30, 51};

#define real double
#define CHECKED(name) name##_d
#define TABLE sp_dense_d
#define EPS 2.3e-16
#include "dense_checks.h"
#undef real
#undef CHECKED
#undef TABLE
#undef EPS

#define real float
#define CHECKED(name) name##_f
#define TABLE sp_dense_f
#define EPS 1.2e-7
#include "dense_checks.h"

TEST(variants_differ_only_by_name) {
    CHECK(!strcmp(sp__dense_d(true)->isa, "generic") && !strcmp(sp__dense_f(true)->isa, "generic"));
    CHECK(!strcmp(sp__dense_d(false)->isa, sp__dense_f(false)->isa));
}

TEST(factor_and_rows_below) {
    for (int plain = 0; plain < 2; plain++) factors_d(sp__dense_d(plain)), factors_f(sp__dense_f(plain));
}

TEST(update_is_independent_of_tiles) {
    for (int plain = 0; plain < 2; plain++) products_d(sp__dense_d(plain)), products_f(sp__dense_f(plain));
}

TEST(solves_with_one_and_many_right_hand_sides) {
    for (int plain = 0; plain < 2; plain++) all_solves_d(sp__dense_d(plain)), all_solves_f(sp__dense_f(plain));
}

TEST(failing_pivot_is_named) {
    for (int plain = 0; plain < 2; plain++) refusals_d(sp__dense_d(plain)), refusals_f(sp__dense_f(plain));
}

TEST(rank_update_of_a_panel) {
    for (int plain = 0; plain < 2; plain++) ranks_d(sp__dense_d(plain)), ranks_f(sp__dense_f(plain));
}
