// Isoparametric elements of the reference backend: see sp_backend.
#ifndef SP_ISO_REF_H
#define SP_ISO_REF_H

#include "backend/backend.h"

double sp__iso_state_ref(const sp_iso *g, int chunk, const double *u, double *y);
void sp__iso_sums_ref(const sp_iso *g, int chunk, const double *u, double out[3]);
void sp__iso_product_ref(const sp_iso *g, int chunk, const double *x, double *y);
void sp__iso_assemble_ref(const sp_iso *g, const sp_stencil *where, double factor, double *blocks);
void sp__iso_rotations_ref(const sp_iso *g, int block, const double *rest, double *R);

#endif
