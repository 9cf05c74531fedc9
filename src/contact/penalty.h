// Penalty contact of the collision points of a soft body against rigid bodies, with Coulomb friction that sticks.
//
// Normal force. d is the signed distance of a point to a rigid body, n its outward normal, v the relative velocity:
//   f_n = max(-k d - c n.v, 0)
// Friction. A tangential spring of the same stiffness k attaches the point to a position s of the rigid body, the stick point. s
// is constant while the spring force is inside the friction cone. On the cone it follows the point (return mapping; Wriggers
// 2006, section 5.2):
//   u = (1 - n n^T) (x - s),   f_t = -k u  while  k |u| <= mu f_n,   f_t = -mu f_n u / |u|  beyond.
// s, n and f_n are state: they persist between steps, are saved and rolled back. s is stored in the frame of the rigid body.
//
// One linearisation per step needs a prediction of the points that are in contact at the end of the step: contacts are linearised
// at the positions that the velocity reaches (SP_CONTACT_AHEAD). After the solve, contacts are evaluated at the solved state. If
// their forces differ from the linear ones, the step is solved again with contacts linearised there (drive.c). The gap
// after the solve decides which points are in contact, so that a resting point does not alternate between contact and no contact.
//
// Normals at seams. A point slightly inside one of two adjacent boxes may be nearest to the inner side face. Distances are
// therefore measured from a position lifted out of the surface, along the normals of the last step or of the start of the step,
// and transferred back to the point along the normal found there.
#ifndef SP_PENALTY_H
#define SP_PENALTY_H

#include "body/body.h"

extern const sp_contact_response sp__penalty_response;

#endif
