// Files of contact problems: what is written is read again by this program and by h5py, problems are condensed and solved, and
// damaged or contradictory files are refused with a reason.
#include <sys/stat.h>
#include <unistd.h>

#include "cone_help.h"
#include "friction.h"

static sp_context *ctx;

static bool with_hdf5(void) {
    sp_fclib *f;
    if (!ctx) ctx = cone_context(1);
    mkdir("fclib", 0777);
    bool there = ctx && sp_fclib_read(ctx, "fclib/none.hdf5", &f) != SP_UNAVAILABLE;
    if (!there) printf("    skipped: no HDF5 in this build\n");
    return there;
}

// Two contacts on one body of mass 2 without rotation, by M v = H r + f and as W directly.
static const int m_start[] = {0, 1, 2, 3}, m_column[] = {0, 1, 2};
static const double m_value[] = {2, 2, 2}, f_value[] = {-3, 0.4, 0}, w_value[6] = {0}, mu_value[] = {0.5, 0.25};
static const int h_start[] = {0, 2, 4, 6}, h_column[] = {0, 3, 1, 4, 2, 5};
static const double h_value[] = {1, 1, 1, 1, 1, 1};
static const int W_start[] = {0, 2, 4, 6, 8, 10, 12}, W_column[] = {0, 3, 1, 4, 2, 5, 0, 3, 1, 4, 2, 5};
static const double W_value[] = {.5, .5, .5, .5, .5, .5, .5, .5, .5, .5, .5, .5}, q_value[] = {-1.5, .2, 0, -1.5, .2, 0};

static sp_fclib_problem global_problem(void) {
    return (sp_fclib_problem){.global = true,
                              .dimension = 3,
                              .contacts = 2,
                              .M = {3, 3, m_start, m_column, m_value},
                              .H = {3, 6, h_start, h_column, h_value},
                              .f = f_value,
                              .w = w_value,
                              .mu = mu_value};
}

static sp_fclib_problem local_problem(void) {
    return (sp_fclib_problem){
        .dimension = 3, .contacts = 2, .W = {6, 6, W_start, W_column, W_value}, .q = q_value, .mu = mu_value};
}

static void check_matrix(const sp_fclib_matrix *a, const sp_fclib_matrix *b) {
    REQUIRE((a->start != NULL) == (b->start != NULL));
    if (!a->start) return;
    CHECK_INT(a->rows, b->rows);
    CHECK_INT(a->columns, b->columns);
    REQUIRE(memcmp(a->start, b->start, ((size_t)a->rows + 1) * sizeof(int)) == 0);
    CHECK(memcmp(a->column, b->column, (size_t)a->start[a->rows] * sizeof(int)) == 0);
    CHECK(memcmp(a->value, b->value, (size_t)a->start[a->rows] * sizeof(double)) == 0);
}

TEST(a_written_problem_is_read_again) {
    if (!with_hdf5()) return;
    for (int k = 0; k < 2; k++) {
        sp_fclib_problem p = k ? global_problem() : local_problem();
        sp_fclib *file;
        double u[6] = {0}, r[6] = {1, 2, 3, 4, 5, 6}, v[3] = {7, 8, 9};
        REQUIRE(sp_fclib_write(ctx, "fclib/a.hdf5", &p, &(sp_fclib_solution){u, r, v, NULL}) == SP_OK);
        CHECK(access("fclib/a.hdf5.part", F_OK) != 0);
        REQUIRE(sp_fclib_read(ctx, "fclib/a.hdf5", &file) == SP_OK);
        const sp_fclib_problem *g = sp_fclib_get(file);
        CHECK(g->global == p.global && g->dimension == 3 && g->contacts == 2 && g->equalities == 0);
        check_matrix(&g->W, &p.W);
        check_matrix(&g->M, &p.M);
        check_matrix(&g->H, &p.H);
        CHECK(memcmp(g->mu, p.mu, sizeof mu_value) == 0);
        CHECK(memcmp(p.global ? g->f : g->q, p.global ? p.f : p.q, p.global ? sizeof f_value : sizeof q_value) == 0);
        sp_fclib_close(&file);
        CHECK(!file);
    }
}

// u = W r + q of both forms is the same motion: the body hits both contacts and slips. u_N = 0, so the normals carry 3 in total;
// friction is at most mu r_N, and stops the body, because 0.4 < 0.25 * 3.
TEST(a_global_problem_is_condensed) {
    if (!with_hdf5()) return;
    for (int k = 0; k < 2; k++) {
        sp_fclib_problem f = k ? global_problem() : local_problem();
        sp_cone_problem *p;
        sp_cone_solver *solver;
        sp_cone_info info;
        double u[6], r[6], v[3] = {1, 1, 1};
        REQUIRE(sp__friction_load(ctx, &f, &p) == SP_OK && sp__cone_solver_create(ctx, &solver) == SP_OK);
        sp_cone_options o = sp__cone_options_default();
        o.tolerance = 1e-12;
        REQUIRE(sp__cone_solve(solver, p, &o, &info) == SP_OK && info.status == SP_OK);
        REQUIRE(sp__friction_solution(ctx, &f, p, u, r, NULL, v) == SP_OK);
        CHECK_NEAR(r[0] + r[3], 3, 1e-10);
        CHECK_NEAR(r[1] + r[4], -0.4, 1e-10);
        for (int i = 0; i < 6; i++) CHECK_NEAR(u[i], 0, 1e-10);
        for (int i = 0; i < 3 && k; i++) CHECK_NEAR(v[i], 0, 1e-10);  // M v = H r + f
        sp__cone_solver_destroy(&solver);
        sp__cone_destroy(&p);
    }
}

// M that is not symmetric is solved by dense LU: the force along x also moves the body along y.
TEST(a_mass_matrix_without_symmetry) {
    if (!with_hdf5()) return;
    static const int start[] = {0, 1, 3, 4}, column[] = {0, 0, 1, 2};
    static const double value[] = {2, 1, 2, 2};
    sp_fclib_problem f = global_problem();
    sp_cone_problem *p;
    ptrdiff_t stride;
    f.M = (sp_fclib_matrix){3, 3, start, column, value};
    REQUIRE(sp__friction_load(ctx, &f, &p) == SP_OK);
    CHECK_NEAR(sp__cone_block(p, 0, 0, &stride)[stride], -0.25, 1e-15);  // (M^-1)_10 = -1 / 4
    CHECK_NEAR(sp__cone_block(p, 0, 0, &stride)[1], 0, 0);
    sp__cone_destroy(&p);
    static const double singular[] = {0, 0, 0, 0};
    f.M.value = singular;
    CHECK_INT(sp__friction_load(ctx, &f, &p), SP_SINGULAR);
    CHECK(!p);
}

// An equality constraint that holds the body along the normal: contacts carry nothing.
TEST(equality_constraints_are_bilateral_rows) {
    if (!with_hdf5()) return;
    static const int g_start[] = {0, 1, 1, 1}, g_column[] = {0};
    static const double g_value[] = {1}, b_value[] = {0};
    sp_fclib_problem f = global_problem();
    sp_fclib *file;
    sp_cone_problem *p;
    sp_cone_solver *solver;
    sp_cone_info info;
    double u[6], r[6], l[1], v[3];
    f.equalities = 1, f.G = (sp_fclib_matrix){3, 1, g_start, g_column, g_value}, f.b = b_value;
    REQUIRE(sp_fclib_write(ctx, "fclib/g.hdf5", &f, NULL) == SP_OK && sp_fclib_read(ctx, "fclib/g.hdf5", &file) == SP_OK);
    REQUIRE(sp__friction_load(ctx, sp_fclib_get(file), &p) == SP_OK && sp__cone_solver_create(ctx, &solver) == SP_OK);
    sp_cone_options o = sp__cone_options_default();
    o.tolerance = 1e-10, o.method = SP_CONE_INTERIOR_POINT;
    REQUIRE(sp__cone_solve(solver, p, &o, &info) == SP_OK && info.status == SP_OK);
    REQUIRE(sp__friction_solution(ctx, sp_fclib_get(file), p, u, r, l, v) == SP_OK);
    CHECK_NEAR(l[0] + r[0] + r[3], 3, 1e-8);
    CHECK_NEAR(v[0], 0, 1e-8);
    sp__cone_solver_destroy(&solver);
    sp__cone_destroy(&p);
    sp_fclib_close(&file);
}

// ------------------------------------------------------------------------------------------------ other forms of storage

static bool python(const char *script) {
    char command[4096];
    if (system("/usr/bin/python3 -c 'import h5py, numpy' 2>/dev/null") != 0) {
        printf("    skipped: /usr/bin/python3 has no h5py\n");
        return false;
    }
    FILE *f = fopen("fclib/script.py", "w");
    if (!f) return false;
    fprintf(f, "import h5py, numpy as np, sys\n%s", script);
    fclose(f);
    snprintf(command, sizeof command, "/usr/bin/python3 fclib/script.py");
    return system(command) == 0;
}

TEST(h5py_reads_what_is_written) {
    if (!with_hdf5() || system("/usr/bin/python3 -c 'import h5py, numpy' 2>/dev/null") != 0) return;
    sp_fclib_problem p = local_problem();
    double u[6] = {0}, r[6] = {1, 2, 3, 4, 5, 6};
    REQUIRE(sp_fclib_write(ctx, "fclib/b.hdf5", &p, &(sp_fclib_solution){u, r, NULL, NULL}) == SP_OK);
    CHECK(python("f = h5py.File('fclib/b.hdf5', 'r'); g = f['fclib_local']; W = g['W']\n"
                 "assert g['spacedim'][0] == 3 and W['nz'][0] == -2 and W['m'][0] == 6 and W['nzmax'][0] == 12\n"
                 "a = np.zeros((6, 6))\n"
                 "for i in range(6):\n"
                 "    for k in range(W['p'][i], W['p'][i + 1]): a[i, W['i'][k]] += W['x'][k]\n"
                 "assert (a == np.kron(np.ones((2, 2)), 0.5 * np.eye(3))).all()\n"
                 "assert list(g['vectors/mu']) == [0.5, 0.25] and list(f['solution/r']) == [1, 2, 3, 4, 5, 6]\n"));
}

// compressed columns and triplets, rows and columns exchanged, two dimensions
TEST(every_storage_of_a_matrix_is_read) {
    if (!with_hdf5()) return;
    if (!python("W = np.array([[2., 1, 0, 0], [0.5, 3, 0, 0], [0, 0, 4, 0], [0, 0, 7, 5]])\n"
                "i, j = np.nonzero(W)\n"
                "o = np.lexsort((i, j))\n"
                "def write(name, nz, p, i, x, H=None):\n"
                "    f = h5py.File('fclib/' + name, 'w'); g = f.create_group('fclib_local'); m = g.create_group('W')\n"
                "    g['spacedim'] = np.array([2], 'i4'); v = g.create_group('vectors')\n"
                "    v['q'] = np.array([-1., 0, -1, 0]); v['mu'] = np.array([0.1, 0.2])\n"
                "    for n, k in (('m', 4), ('n', 4), ('nz', nz), ('nzmax', len(x))): m[n] = np.array([k], 'i4')\n"
                "    m['p'] = np.array(p, 'i4'); m['i'] = np.array(i, 'i4'); m['x'] = np.array(x, 'f4' if nz > 0 else 'f8')\n"
                "write('csr.hdf5', -2, np.searchsorted(i, range(5)), j, W[i, j])\n"
                "write('csc.hdf5', -1, np.searchsorted(j[o], range(5)), i[o], W[i[o], j[o]])\n"
                "write('triplets.hdf5', 7, j, i, W[i, j])\n"))
        return;
    static const char *const files[] = {"fclib/csr.hdf5", "fclib/csc.hdf5", "fclib/triplets.hdf5"};
    for (int k = 0; k < 3; k++) {
        sp_fclib *file;
        sp_cone_problem *p;
        ptrdiff_t stride;
        REQUIRE(sp_fclib_read(ctx, files[k], &file) == SP_OK);
        CHECK_INT(sp_fclib_get(file)->dimension, 2);
        REQUIRE(sp__friction_load(ctx, sp_fclib_get(file), &p) == SP_OK);
        CHECK_INT(p->island_count, 2);
        double *a = sp__cone_block(p, 0, 0, &stride);
        CHECK(a[0] == 2 && a[1] == 1 && a[stride] == 0.5 && a[stride + 1] == 3 && a[2] == 0 && a[2 * stride + 2] > 0);
        a = sp__cone_block(p, 1, 1, &stride);
        CHECK(a[0] == 4 && a[1] == 0 && a[stride] == 7 && a[stride + 1] == 5);
        sp__cone_destroy(&p);
        sp_fclib_close(&file);
    }
}

// ------------------------------------------------------------------------------------------------ bad files

static void check_refused(const char *path, const char *words) {
    sp_fclib *file;
    sp_status status = sp_fclib_read(ctx, path, &file);
    if (status >= 0 || file || !strstr(sp_context_error(ctx)->message, words))
        SP_TEST_FAILED("%s: %s: %s", path, sp_status_name(status), sp_context_error(ctx)->message);
    sp_fclib_close(&file);
}

TEST(contradictory_files_are_refused) {
    if (!with_hdf5()) return;
    sp_fclib_problem p = local_problem();
    check_refused("fclib/none.hdf5", "fclib/none.hdf5");
    const double eight[8] = {0};
    p.dimension = 4, p.q = eight;
    REQUIRE(sp_fclib_write(ctx, "fclib/c.hdf5", &p, NULL) == SP_OK);
    check_refused("fclib/c.hdf5", "spacedim = 4");
    p = local_problem(), p.contacts = 1;
    REQUIRE(sp_fclib_write(ctx, "fclib/c.hdf5", &p, NULL) == SP_OK);
    check_refused("fclib/c.hdf5", "must be 3 x 3");
    static const double negative[] = {0.5, -1}, infinite[] = {-1.5, .2, 0, INFINITY, .2, 0};
    p = local_problem(), p.mu = negative;
    REQUIRE(sp_fclib_write(ctx, "fclib/c.hdf5", &p, NULL) == SP_OK);
    check_refused("fclib/c.hdf5", "friction coefficient -1");
    p = local_problem(), p.q = infinite;
    REQUIRE(sp_fclib_write(ctx, "fclib/c.hdf5", &p, NULL) == SP_OK);
    check_refused("fclib/c.hdf5", "not finite");
    static const int far[] = {0, 3, 1, 4, 2, 5, 0, 3, 1, 4, 2, 6}, backwards[] = {0, 2, 4, 3, 8, 10, 12};
    p = local_problem(), p.W.column = far;
    REQUIRE(sp_fclib_write(ctx, "fclib/c.hdf5", &p, NULL) == SP_OK);
    check_refused("fclib/c.hdf5", "index 6");
    p = local_problem(), p.W.start = backwards;
    REQUIRE(sp_fclib_write(ctx, "fclib/c.hdf5", &p, NULL) == SP_OK);
    check_refused("fclib/c.hdf5", "pointer 3");
    p = local_problem();
    CHECK_INT(sp_fclib_write(ctx, "fclib/no/such/folder.hdf5", &p, NULL), SP_IO);
}

// Every byte of a small file changed, and every length: a problem or a reason, never a crash.
TEST(damaged_files_never_crash) {
    if (ADDRESS_SANITIZED) return;  // HDF5 itself does not free all that it read of a damaged file
    if (!with_hdf5()) return;
    sp_fclib_problem p = global_problem();
    static char data[1 << 16];
    REQUIRE(sp_fclib_write(ctx, "fclib/d.hdf5", &p, NULL) == SP_OK);
    FILE *f = fopen("fclib/d.hdf5", "rb");
    REQUIRE(f);
    size_t size = fread(data, 1, sizeof data, f);
    fclose(f);
    REQUIRE(size > 1000 && size < sizeof data);
    unsigned long long seed = 1;
    int read = 0, refused = 0;
    for (int k = 0; k < 200; k++) {
        size_t at = (size_t)(0.5 * (1 + sp_test_random(&seed)) * (double)size), length = k % 3 ? size : at;
        char old = data[at];
        data[at] = (char)(127 * sp_test_random(&seed));
        FILE *out = fopen("fclib/e.hdf5", "wb");
        REQUIRE(out && fwrite(data, 1, length, out) == length);
        fclose(out);
        data[at] = old;
        sp_fclib *file;
        sp_status status = sp_fclib_read(ctx, "fclib/e.hdf5", &file);
        CHECK(status >= 0 ? file != NULL : !file && sp_context_error(ctx)->message[0]);
        read += status >= 0, refused += status < 0;
        sp_fclib_close(&file);
    }
    CHECK(read > 5 && refused > 5);
}
