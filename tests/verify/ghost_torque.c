// Claim: with shape="deformed" the nodal forces of a deformed element sum to zero and so do their moments; with shape="rest" the
// forces still do, but the qr frame leaves a ghost torque (Nesme, Faure, Chabanas 2004, section 3.2, HAL inria-00537453).
//
// f_i = -V s c_i with a symmetric stress s. On the deformed shape sum x_i c_i^T = I, so sum x_i cross f_i is twice the axial
// vector of s: zero. On the rest shape sum x_i c_i^T = F R^T, and the moment is the skew part of F R^T s. Polar and svd
// rotations make F R^T symmetric with the axes of s (isotropic law), so the moment vanishes there too; qr does not.
//
// Tolerance: rounding of twelve products of size |f| times size 1: 1e-13 |f|, times the conditioning of elements as flat as a
// twentieth: 1e-11.
#include "element.h"

static bool open_single(specimen *s, sp_material_model model, sp_rotation rotation, sp_shape shape) {
    if (!specimen_context(s) || single_mesh(s->ctx, &s->mesh) < 0) return false;
    sp_solid_def def = sp_solid_def_default();
    def.model = model, def.rotation = rotation, def.shape = shape;
    def.material = (sp_material){.density = 1000, .young = 1e4, .poisson = 0.3};
    return specimen_open(s, def, "auto");
}

// |sum f| and |sum x cross f| over |f|, the largest of many deformed and inverted states; *least is the smallest moment.
static void balance(specimen *s, double *force, double *moment, double *least) {
    unsigned long long seed = 8;
    *force = *moment = 0, *least = INFINITY;
    for (int k = 0; k < 200; k++) {
        double x[12], f[12], F[9], sum[3] = {0}, turn[3] = {0}, size = 0;
        const int t[4] = {0, 1, 2, 3};
        for (int i = 0; i < 12; i++) x[i] = single_rest[i] + (k % 2 ? 1.0 : 0.2) * sp_test_random(&seed);
        deformation(single_rest, x, t, F);
        if (fabs(det3(F)) < 0.06) continue;  // too flat for the deformed shape, which then falls back to the rest shape
        specimen_force(s, x, f);
        for (int i = 0; i < 4; i++) {
            double m[3];
            cross(x + 3 * i, f + 3 * i, m);
            for (int j = 0; j < 3; j++) sum[j] += f[3 * i + j], turn[j] += m[j], size += fabs(f[3 * i + j]);
        }
        double a = sqrt(sum[0] * sum[0] + sum[1] * sum[1] + sum[2] * sum[2]) / size;
        double b = sqrt(turn[0] * turn[0] + turn[1] * turn[1] + turn[2] * turn[2]) / size;
        *force = fmax(*force, a), *moment = fmax(*moment, b), *least = fmin(*least, b);
    }
}

static const char *const names[3] = {"polar", "qr", "svd"};

TEST(deformed_shape_has_no_torque) {
    for (int r = 0; r < 3; r++) {
        specimen s;
        double force, moment, least;
        REQUIRE(open_single(&s, SP_COROTATIONAL, (sp_rotation)r, SP_SHAPE_DEFORMED));
        balance(&s, &force, &moment, &least);
        CHECK_NEAR(force, 0, 1e-12);
        CHECK_NEAR(moment, 0, 1e-11);
        specimen_close(&s);
    }
}

TEST(rest_shape_has_a_torque_with_qr) {
    for (int r = 0; r < 3; r++) {
        specimen s;
        double force, moment, least;
        REQUIRE(open_single(&s, SP_COROTATIONAL, (sp_rotation)r, SP_SHAPE_REST));
        balance(&s, &force, &moment, &least);
        printf("  shape rest, %s: moment up to %.2g of |f| times 1 m\n", names[r], moment);
        CHECK_NEAR(force, 0, 1e-12);
        if (r == SP_ROTATION_QR) {
            CHECK(moment > 0.01 && least > 1e-5);
        } else {
            CHECK_NEAR(moment, 0, 1e-11);
        }
        specimen_close(&s);
    }
}

// The uncorrected tensor is worse: it has a moment without strain, under a rotation alone.
TEST(linear_law_has_a_torque_under_rotation) {
    specimen s;
    REQUIRE(open_single(&s, SP_LINEAR, SP_ROTATION_POLAR, SP_SHAPE_REST));
    double force, moment, least;
    balance(&s, &force, &moment, &least);
    CHECK_NEAR(force, 0, 1e-12);
    CHECK(moment > 0.01);
    specimen_close(&s);
}
