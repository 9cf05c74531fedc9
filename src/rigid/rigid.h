// Rigid bodies. All of them have six unknowns: the velocity of a reference point and the angular velocity, both in world axes.
//
//   free        six free unknowns. The reference point is the centre of mass, so that the mass matrix is block diagonal:
//               m 1 and R I R^T, which is constant in the axes of the body (rigid_free.c)
//   kinematic   six fixed unknowns that follow a pose. The reference point is the origin of the frame
//   fixed       the same without motion
//
// q is the pose of the frame: its origin and a unit quaternion. A step moves the body by a constant velocity and a rotation about
// one axis: q (+) h v.
#ifndef SP_RIGID_H
#define SP_RIGID_H

#include "body/body.h"
#include "math/rotation_vector.h"

enum { SP_RIGID_QUAT = 3, SP_RIGID_NQ = 7, SP_RIGID_SPIN = 3, SP_RIGID_NV = 6 };

typedef struct sp_rigid_load {
    sp_load_type type;
    double at[3];  // in the frame
    sp_signal value[3];
    double now[3];  // at the end of the step
} sp_rigid_load;

typedef struct sp_rigid {
    sp_rigid_shape *shapes;  // topology
    int shape_count;
    uint64_t mesh_key;  // topology: of the triangles of meshes; 0: none
    bool kinematic, free;
    sp_pose_signal pose;
    double posted[8];                          // parameters: flag and pose set by an edit; it then replaces the signal
    double stored[SP_RIGID_NQ + SP_RIGID_NV];  // scratch of checkpoints
    // free bodies
    sp_rigid_mass mass;  // its centre is 0 for other bodies
    double inverse[9];   // of the inertia
    sp_rigid_load *loads;
    int load_count;
    double pushed[3];  // sum of the acceleration loads at the end of the step
    // of the current step or explicit substep
    double start[SP_RIGID_NQ], h;                 // the pose at its start, its length [s]
    double turning[9];                            // R I R^T at its start
    double gyroscopic[3];                         // angular impulse of the gyroscopic force
    double geometric[9];                          // stiffness of rotations by the forces of the last evaluation
    double system[3][SP_RIGID_NV * SP_RIGID_NV];  // M, B, K of the last linearisation
    uint64_t values;
    sp_parts part;
    int part_start[2], part_band[1];
} sp_rigid;

static inline sp_rigid *sp__rigid(const sp_body *b) {
    return b->impl;
}

// from the reference point to a point of the frame, in world axes
static inline void sp__rigid_arm(const sp_rigid *r, const double *R, const double offset[3], double out[3]) {
    double own[3];
    sp__sub3(offset, r->mass.centre, own);
    sp__mul3(R, own, out);
}

// rigid.c
void sp__rigid_centre(const sp_rigid *r, const double *q, double out[3]);  // the reference point
void sp__rigid_points(sp_body *b, sp_which s, int n, const sp_anchor *a, double *x, double *v);
void sp__rigid_move(const sp_rigid *r, const double *from, double s, const double *v, double *to);  // to = from (+) s v
void sp__rigid_difference(sp_body *b, const double *from, const double *to, double *d);

// rigid_free.c
sp_status sp__rigid_free_create(sp_body *b, const sp_rigid_def *def);  // mass, loads, springs, solver; q is set
void sp__rigid_free_measure(sp_body *b, sp_measure *out);
void sp__rigid_free_prescribe(sp_body *b, const sp_step *step);
sp_status sp__rigid_free_evaluate(sp_body *b, const sp_step *step, unsigned want);
sp_status sp__rigid_free_linearise(sp_body *b, const sp_step *step, sp_system *out);
void sp__rigid_free_mass(sp_body *b, const double *x, double *y, bool inverse);
sp_status sp__rigid_free_correct(sp_body *b, const sp_step *step, const sp_system *A);
void sp__rigid_free_finish(sp_body *b);
void sp__rigid_free_energies(sp_body *b, sp_which s, sp_energies *out);
double sp__rigid_free_work(sp_body *b, double push[3]);
void sp__rigid_free_compose(sp_body *b, double s, const double *x, double a, const double *d, double *out);

// rigid_mass.c: mass, centre and inertia of shapes and closed surfaces
sp_status sp__rigid_mass(sp_context *ctx, sp_error *error, const sp_rigid_def *def, sp_rigid_mass *out);

#endif
