// The contacts by constraints of the last committed step: what they are, and the forces and pressures that they give on surfaces.
// contact/constraints.c computes them, the world keeps them, and queries, fields, snapshots and pictures read them.
//
// Pressure: the normal force of a contact is distributed to the vertices of the touching feature by their weights. Each share is
// divided by the tributary area of its vertex, a third of the faces around it, projected along the normal (without
// faces that are steeper than 60 degrees). The integral of the
// pressure, linear on the faces, over the projected surface is then the sum of the normal forces. A vertex of a centreline has
// the diameter there times half of the segments around it, at rest: the force per length over the diameter.
#ifndef SP_CONTACTS_H
#define SP_CONTACTS_H

#include "body/surface.h"
#include "core/core.h"

// One side of a contact: vertices of a surface. The arrays belong to the list of contacts.
typedef struct sp_contact_patch {
    const sp_surface *surface;  // NULL: an analytic shape
    const sp_body *body;
    int count;  // vertices: up to three, of a volume any number
    uint32_t *vertex;
    double *weight;  // sum 1
    double *area;    // projected tributary area at the start of the step [m2]
} sp_contact_patch;

typedef struct sp_contact_record {
    sp_contact_point point;
    double normal_force;  // [N]
    double area;          // of a volume, on which the pressure is uniform [m2]; 0: the vertices have areas of their own
    sp_contact_patch side[2];
} sp_contact_record;

typedef struct sp_contact_sum_at {  // entry of a hash table
    const sp_surface *surface;      // NULL: empty
    uint32_t vertex;
    double pressure;
} sp_contact_sum_at;

// Zero is a valid empty list.
typedef struct sp_contacts {
    sp_contact_record *list;
    int count, capacity;
    // of the patches
    uint32_t *vertex;
    double *weight, *area;
    int vertex_count, vertex_capacity;
    sp_contact_sum_at *sums;  // scratch, sum_count a power of two
    int sum_count;
} sp_contacts;

// Memory for `count` contacts with `vertices` in all their patches. SP_NO_MEMORY: the list is unchanged.
sp_status sp__contacts_reserve(sp_context *ctx, sp_contacts *c, int count, int vertices);
void sp__contacts_clear(sp_contacts *c);
// Gives a patch memory for its vertices, which sp__contacts_reserve has made.
void sp__contacts_patch(sp_contacts *c, int count, sp_contact_patch *patch);
void sp__contacts_free(sp_context *ctx, sp_contacts *c);
// Tributary area of each vertex of a patch, with the positions x of the surface and a unit normal away from the body.
void sp__contacts_areas(const double *x, const double away[3], sp_contact_patch *patch);
// Tributary area of a vertex of a centreline.
double sp__contacts_line_area(const sp_surface *centreline, int vertex);
// Computes area and pressure of the points. All records are in the list.
void sp__contacts_finish(sp_contacts *c);
void sp__contacts_sum(const sp_contacts *c, sp_body_id id, sp_contact_sum *out);  // id null: all
// Share of vertex i of a patch in the pressure of its contact [Pa].
double sp__contacts_pressure(const sp_contact_patch *patch, int i, double normal_force);

#endif
