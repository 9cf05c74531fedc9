// Penalty contact of the collision points of a soft body against rigid bodies, with Coulomb friction that sticks.
//
// Normal force. d is the signed distance of a point to a rigid body, n its outward normal, v the relative velocity:
//   f_n = -k d - c n.v,  where that is positive.
// Friction. A tangential spring of the same stiffness k holds the point at a place s of the rigid body, the stick point. It
// stays there while the spring force is inside the cone and is dragged along on the cone (return mapping; Wriggers 2006,
// section 5.2):
//   u = (1 - n n^T) (x - s),   f_t = -k u  while  k |u| <= mu f_n,   f_t = -mu f_n u / |u|  beyond.
// s, n and f_n are state: they are kept in the frame of the rigid body from step to step, saved and rolled back.
//
// One linearisation per step needs a guess of which points touch at the end of the step: the points are linearised where their
// velocity leads (SP_CONTACT_AHEAD). After the solve, contacts are evaluated at the solved state. If their forces differ from
// the linear ones, the step is solved again with contacts linearised there (drive_implicit.c). The gap after the solve decides
// who touches, so that a resting point does not alternate between touching and not.
//
// Normals at seams. A point slightly inside one of two boxes side by side may be nearest to the inner side face. Distances are
// therefore measured from a place lifted out of the surface, along the normals of the last step or of where the point comes
// from, and taken back to the point along the normal found there.
#ifndef SP_PENALTY_H
#define SP_PENALTY_H

#include "body/body.h"

extern const sp_contact_response sp__penalty_response;

#endif
