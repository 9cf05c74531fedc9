// Lengths of arrays that no count of their struct says, for tables.c; -1: unknown, because what they depend on is not given.
#ifndef SP_PYTHON_SIZES_H
#define SP_PYTHON_SIZES_H

#include <math.h>

#include "convert.h"

static inline Py_ssize_t solid_nodes(const void *record) {
    const sp_solid_def *def = record;
    return def->mesh ? sp_mesh_node_count(def->mesh) : -1;
}

static inline Py_ssize_t solid_elements(const void *record) {
    const sp_solid_def *def = record;
    return def->mesh ? sp_mesh_element_count(def->mesh) : -1;
}

// eigenstrains are part of the definition of a solid, and nowhere else
static inline const sp_solid_def *solid_of_eigenstrains(const void *record) {
    return (const sp_solid_def *)((const char *)record - offsetof(sp_solid_def, eigenstrains));
}

static inline Py_ssize_t eigenstrain_regions(const void *record) {
    return solid_of_eigenstrains(record)->region_count;
}

static inline Py_ssize_t eigenstrain_elements(const void *record) {
    return solid_elements(solid_of_eigenstrains(record));
}

static inline Py_ssize_t strand_elements(const void *record) {
    const sp_rod_strand *strand = record;
    return strand->elements;
}

static inline Py_ssize_t strand_nodes(const void *record) {
    return strand_elements(record) + 1;
}

// what is not given: from the body
static inline void initial_region(void *item) {
    *(sp_material *)item = (sp_material){.density = NAN,
                                         .young = NAN,
                                         .poisson = NAN,
                                         .bulk = NAN,
                                         .fibre_young = NAN,
                                         .fibre = {NAN, NAN, NAN, NAN, NAN, NAN},
                                         .incompressibility = NAN};
}

static inline void initial_eigenstrain(void *item) {
    *(sp_eigenstrain *)item = (sp_eigenstrain){sp_signal_constant(NAN), sp_signal_constant(NAN)};
}

#endif
