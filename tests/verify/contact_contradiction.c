// Claim: contradictory contacts are reported as reservations, and no body is lost. A free box between two plates that close has
// no place to go; two boxes that overlap at the start are separated without being thrown apart.
#include "contact_lab.h"

static void closing(const void *user, double t, sp_pose *out) {
    (void)user;
    *out = contact_at(0, 0, 0.13 - 0.05 * t);
}

// The plates leave 8 cm to a box of 10 cm: each overlaps it by 1 cm at the end.
TEST(box_between_closing_plates) {
    contact_lab b;
    sp_contact_def contact = sp_contact_def_default();
    sp_rigid_shape plate = contact_box(0.4, 0.4, 0.05), box = contact_box(0.1, 0.1, 0.1);
    sp_rigid_def lower = sp_rigid_def_default(), upper = lower;
    sp_pose at = contact_at(0, 0, 0.05);
    double x[3];
    contact.formulation = SP_CONTACT_PROXIMITY, contact.friction = 0.3;
    REQUIRE(contact_open(&b, (double[3]){0, 0, -9.81}, &contact));
    lower.shapes = upper.shapes = &plate, lower.shape_count = upper.shape_count = 1;
    lower.pose.constant = contact_at(0, 0, -0.025), upper.kinematic = true, upper.pose.eval = closing;
    contact_rigid(&b, &lower), contact_rigid(&b, &upper);
    sp_body_id id = contact_free(&b, &box, &at, 1000);
    CHECK(contact_steps(&b, 0.01, 50));
    contact_point(&b, id, at.translate, x);
    printf("  box at %.4f %.4f %.4f, overlap %.4f m, status %s\n", x[0], x[1], x[2], b.penetration, sp_status_name(b.worst));
    CHECK_INT(b.worst, SP_PENETRATION);
    CHECK_NEAR(x[0], 0, 0.01);
    CHECK_NEAR(x[1], 0, 0.01);
    CHECK_NEAR(x[2], 0.04, 0.01);
    contact_close(&b);
}

// 1 cm of overlap: the boxes end next to each other, slower than 0.1 m/s, 1/10 of the overlap over a step.
TEST(overlap_at_the_start) {
    contact_lab b;
    sp_contact_def contact = sp_contact_def_default();
    sp_rigid_shape box = contact_box(0.1, 0.1, 0.1);
    sp_pose at[2] = {contact_at(0, 0, 0.05), contact_at(0.09, 0.01, 0.05)};
    sp_body_id id[2];
    double x[2][3];
    contact.formulation = SP_CONTACT_PROXIMITY, contact.friction = 0.3;
    REQUIRE(contact_open(&b, (double[3]){0, 0, -9.81}, &contact));
    contact_plane(&b, (double[3]){0}, (double[3]){0, 0, 1});
    for (int i = 0; i < 2; i++) id[i] = contact_free(&b, &box, &at[i], 1000);
    CHECK(contact_steps(&b, 0.01, 2));
    for (int i = 0; i < 2; i++) CHECK(contact_measures(&b, id[i]).kinetic < 0.5 * 1 * 0.1 * 0.1);
    CHECK(contact_steps(&b, 0.01, 48));
    for (int i = 0; i < 2; i++) contact_point(&b, id[i], at[i].translate, x[i]);
    printf("  apart by %.5f m, status %s\n", x[1][0] - x[0][0], sp_status_name(b.worst));
    CHECK_INT(b.worst, SP_PENETRATION);
    // the passes end where the overlap is below a share of the alarm distance
    CHECK_NEAR(x[1][0] - x[0][0], 0.1, 1e-3);
    CHECK_NEAR(x[0][2], 0.05, 1e-4);
    contact_close(&b);
}
