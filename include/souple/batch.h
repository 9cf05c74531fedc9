/// A batch: many worlds that are stepped together, one on each core at a time. docs/batch.md has an example and measurements.
///
/// A world of a batch is an sp_world with all its functions: edits, parameters, queries, checkpoints. It has the bits of the same
/// world alone, with the same edits, for any number of threads. Worlds share the memory of everything that is constant and equal
/// in them, such as meshes, orderings and matrix patterns; what an edit changes in one world is that world's own from then on.
#ifndef SOUPLE_BATCH_H
#define SOUPLE_BATCH_H

#include "base.h"
#include "world.h"

#ifdef __cplusplus
extern "C" {
#endif

/// Many worlds of one context.
typedef struct sp_batch sp_batch;

enum { SP_BATCH_MAX = 1 << 20 };

/// Definition of a batch. Start from sp_batch_def_default().
typedef struct sp_batch_def {
    int count;           ///< worlds, 1..SP_BATCH_MAX; no default
    sp_world_def world;  ///< of each world; default: that of a world, without snapshots and with 2 slots for them. A world that
                         ///< is not deterministic computes what the background thread would compute in the step that asks for it
    /// Adds the bodies, contact and links to an empty world, by the calls that build any world. It is called for the worlds 0 to
    /// count - 1 in order. A negative status ends the creation.
    sp_status (*build)(void *user, int index, sp_world *world);
    void *user;
    uint32_t cookie;  ///< set by sp_batch_def_default(); do not touch
} sp_batch_def;

/// Every default, and a valid cookie.
SP_API sp_batch_def sp_batch_def_default(void);
/// Builds the worlds and keeps their state for sp_batch_reset.
SP_API sp_status sp_batch_create(sp_context *context, const sp_batch_def *def, sp_batch **out);
/// Frees the batch and its worlds and sets the handle to NULL. Accepts NULL.
SP_API void sp_batch_destroy(sp_batch **batch);

/// Number of worlds.
SP_API int sp_batch_count(const sp_batch *batch);
/// A world of the batch, index in [0, count); NULL outside. It belongs to the batch: do not destroy it. One thread at a time may
/// use a batch and its worlds; any thread may queue edits, acquire snapshots and read errors at any time.
SP_API sp_world *sp_batch_world(sp_batch *batch, int index);

/// Steps every world by h > 0 seconds, on all workers of the context. The failure of a world does not stop the others. Returns
/// the worst status of the worlds (the lowest failure, else the highest reservation); sp_batch_statuses has those of all.
SP_API sp_status sp_batch_step(sp_batch *batch, double h);
/// Steps the worlds of a list, each of which may occur once. The others keep their state, and their status becomes SP_OK.
/// SP_BAD_INPUT: an index is out of range or occurs twice, and nothing is stepped.
SP_API sp_status sp_batch_step_some(sp_batch *batch, double h, const int *indices, int count);
/// The worlds of a list (NULL: all worlds) make `steps` steps of h each, all steps of a world before those of the next one on
/// that core: quicker than as many calls of sp_batch_step, because the data of a world stay in the cache, and with the same bits.
/// A world whose step fails makes no further one. Its status is the worst of its steps. SP_BAD_INPUT: steps < 1, or as
/// sp_batch_step_some.
SP_API sp_status sp_batch_run(sp_batch *batch, double h, int steps, const int *indices, int count);
/// The status of every world in the last step, run or reset, SP_OK where it took no part. Valid until the batch is destroyed. The
/// reason of a failure is in sp_world_error of the world.
SP_API const sp_status *sp_batch_statuses(const sp_batch *batch);

/// Puts the worlds of a list back into the state in which `build` left them, with their parameters, drags and time; queued edits
/// are dropped. They then have the bits of new worlds. Returns the worst status as sp_batch_step. SP_BAD_INPUT: as
/// sp_batch_step_some; or bodies or links were added or removed in a world since, which stays as it is.
SP_API sp_status sp_batch_reset(sp_batch *batch, const int *indices, int count);
/// The current state of a world becomes the one to which sp_batch_reset puts it back.
SP_API sp_status sp_batch_keep(sp_batch *batch, int index);

/// The numbers of a field in all worlds.
typedef struct sp_batch_view {
    const double *values;  ///< (worlds, items, components): world w, item i, component c at (w items + i) components + c
    int worlds;
    int items;       ///< nodes, elements or 1: see sp_field_info
    int components;  ///< numbers per item
} sp_batch_view;

/// A field of a body ("position", "velocity", any of SP_FIELD_LIST) in all worlds, in one array, at their current states. The
/// body is the one of this name in each world. The array is valid until the batch is destroyed; its numbers are replaced when the
/// same field of the same body is asked for again. SP_BAD_INPUT: a world has no such body or field, or another number of items
/// than world 0.
SP_API sp_status sp_batch_field(sp_batch *batch, const char *body, const char *field, sp_batch_view *out);

/// Memory of a batch.
typedef struct sp_batch_memory {
    size_t bytes;     ///< of all worlds together
    size_t constant;  ///< of `bytes`: constant arrays, of which equal ones are stored once
    size_t lent;      ///< of `bytes`: scratch that several worlds use one after the other
} sp_batch_memory;

/// Bytes that are allocated for the worlds of the batch.
SP_API void sp_batch_get_memory(const sp_batch *batch, sp_batch_memory *out);

#ifdef __cplusplus
}
#endif
#endif
