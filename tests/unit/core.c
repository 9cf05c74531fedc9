// Statuses, error records, the context's memory, signals.
#include "core/core.h"

#include <sched.h>

#include "souple/solve.h"
#include "test.h"

// ------------------------------------------------------------------------------------------------ statuses

TEST(status_texts_come_from_the_list) {
    CHECK(strcmp(sp_status_name(SP_NOT_SPD), "SP_NOT_SPD") == 0);
    CHECK(strcmp(sp_status_text(SP_NO_MEMORY), "out of memory") == 0);
    CHECK(strcmp(sp_status_name((sp_status)99), "unknown") == 0);
    CHECK(strcmp(sp_status_text((sp_status)-99), "unknown status") == 0);
}

TEST(worst_of_two) {
    CHECK_INT(sp__worst(SP_OK, SP_OK), SP_OK);
    CHECK_INT(sp__worst(SP_OK, SP_FROZEN), SP_FROZEN);
    CHECK_INT(sp__worst(SP_UNSTABLE_STEP, SP_NOT_CONVERGED), SP_UNSTABLE_STEP);
    CHECK_INT(sp__worst(SP_FROZEN, SP_IO), SP_IO);
    CHECK_INT(sp__worst(SP_IO, SP_FROZEN), SP_IO);
    // of two failures the one described by the error record
    CHECK_INT(sp__worst(SP_BAD_ID, SP_DIVERGED), SP_BAD_ID);
}

static sp_context *new_context(int workers) {
    sp_context_def def = sp_context_def_default();
    def.workers = workers;
    sp_context *ctx = NULL;
    sp_context_create(&def, &ctx);
    return ctx;
}

TEST(fail_records_message_and_place) {
    sp_context *ctx = new_context(1);
    REQUIRE(ctx);
    CHECK_INT(sp_context_error(ctx)->status, SP_OK);
    CHECK_INT(SP_FAIL(ctx, SP_BAD_INPUT, "poisson = %g, must be in (-1, 0.5)", 0.7), SP_BAD_INPUT);
    const sp_error *e = sp_context_error(ctx);
    CHECK_INT(e->status, SP_BAD_INPUT);
    CHECK(strcmp(e->message, "poisson = 0.7, must be in (-1, 0.5)") == 0);
    CHECK(strstr(e->file, "core.c") != NULL && e->line > 0);
    CHECK_INT(e->index, -1);
    // the old message may be part of the new one
    SP_FAIL(ctx, SP_IO, "file: %s", ctx->error.message);
    e = sp_context_error(ctx);
    CHECK(strcmp(e->message, "file: poisson = 0.7, must be in (-1, 0.5)") == 0);
    // a long message is truncated
    char text[2000];
    memset(text, 'x', sizeof text);
    text[sizeof text - 1] = '\0';
    SP_FAIL(ctx, SP_IO, "%s", text);
    e = sp_context_error(ctx);
    CHECK_INT(strlen(e->message), sizeof e->message - 1);
    sp_context_destroy(&ctx);
}

static atomic_bool enough;

static void *fail_many(void *arg) {
    for (int i = 0; !atomic_load(&enough); i++) SP_FAIL((sp_context *)arg, i % 2 ? SP_IO : SP_BAD_INPUT, "%d", i % 2 ? 77777 : 3);
    return NULL;
}

// a thread reads one complete failure, which stays while others fail. Also runs under the thread sanitizer
TEST(failures_of_other_threads_are_read_whole) {
    sp_context *ctx = new_context(1);
    pthread_t t[2];
    REQUIRE(ctx);
    atomic_store(&enough, false);
    for (int i = 0; i < 2; i++) pthread_create(&t[i], NULL, fail_many, ctx);
    while (sp_context_error(ctx)->status == SP_OK) sched_yield();
    for (int k = 0; k < 2000; k++) {
        const sp_error *e = sp_context_error(ctx);
        CHECK(strcmp(e->message, e->status == SP_IO ? "77777" : "3") == 0);
    }
    atomic_store(&enough, true);
    for (int i = 0; i < 2; i++) pthread_join(t[i], NULL);
    sp_context_destroy(&ctx);
}

// ------------------------------------------------------------------------------------------------ context

TEST(context_refuses_contradictions) {
    sp_context *ctx = (sp_context *)1;
    sp_context_def def = {0};
    CHECK_INT(sp_context_create(&def, &ctx), SP_BAD_INPUT);
    CHECK(ctx == NULL);
    def = sp_context_def_default();
    def.workers = -1;
    CHECK_INT(sp_context_create(&def, &ctx), SP_BAD_INPUT);
    def.workers = 65;
    CHECK_INT(sp_context_create(&def, &ctx), SP_BAD_INPUT);
    def = sp_context_def_default();
    def.free = (void (*)(void *, void *, size_t))1;
    CHECK_INT(sp_context_create(&def, &ctx), SP_BAD_INPUT);
    def = sp_context_def_default();
    def.finish = (void (*)(void *, void *))1;
    CHECK_INT(sp_context_create(&def, &ctx), SP_BAD_INPUT);
}

TEST(context_of_defaults) {
    sp_context *ctx = NULL;
    REQUIRE(sp_context_create(NULL, &ctx) == SP_OK);
    CHECK(sp_context_workers(ctx) >= 1 && sp_context_workers(ctx) <= 64);
    CHECK_INT(sp__workers(ctx), sp_context_workers(ctx));
    sp_context_destroy(&ctx);
    CHECK(ctx == NULL);
    sp_context_destroy(&ctx);
    sp_context_destroy(NULL);
}

TEST(memory_is_zeroed_aligned_and_counted) {
    sp_context *ctx = new_context(1);
    REQUIRE(ctx);
    size_t before, bytes;
    uint64_t n0, n1;
    sp_context_memory(ctx, &before, &n0);
    double *a;
    char *b;
    REQUIRE(SP_NEW(ctx, a, 1000) && SP_NEW(ctx, b, 1));
    for (int i = 0; i < 1000; i++) CHECK(a[i] == 0);
    CHECK_INT((uintptr_t)a % 64, 0);
    CHECK_INT((uintptr_t)b % 64, 0);
    sp_context_memory(ctx, &bytes, &n1);
    CHECK(bytes >= before + 8001);
    CHECK_INT(n1 - n0, 2);
    // an allocation of zero bytes is not a failure
    int *none;
    CHECK(SP_NEW(ctx, none, 0) != NULL);
    sp__free(ctx, none);
    sp__free(ctx, a);
    sp__free(ctx, b);
    sp__free(ctx, NULL);
    sp_context_memory(ctx, &bytes, NULL);
    CHECK_INT(bytes, before);
    sp_context_destroy(&ctx);
}

TEST(overflowing_sizes_are_refused) {
    sp_context *ctx = new_context(1);
    REQUIRE(ctx);
    CHECK(sp__alloc(ctx, SIZE_MAX, 2) == NULL);
    CHECK(sp__alloc(ctx, SIZE_MAX / 8 + 2, 8) == NULL);
    CHECK(sp__alloc(ctx, SIZE_MAX, 1) == NULL);
    CHECK(sp__alloc(ctx, SIZE_MAX - 64, 1) == NULL);
    sp_context_destroy(&ctx);
}

// hooks that count, and check that every block is freed with the size of its allocation
typedef struct ledger {
    size_t bytes;
    int blocks, mismatches, allow;  // allow: allocations left before all are refused; -1: no limit
} ledger;

static void *ledger_alloc(void *user, size_t size, size_t align) {
    ledger *l = user;
    if (l->allow == 0) return NULL;
    if (l->allow > 0) l->allow--;
    if (align != 64 || size % align) l->mismatches++;
    size_t *p = aligned_alloc(align, size + align);
    if (!p) return NULL;
    *p = size;
    l->bytes += size, l->blocks++;
    return (char *)p + align;
}

static void ledger_free(void *user, void *memory, size_t size) {
    ledger *l = user;
    size_t *p = (size_t *)((char *)memory - 64);
    if (*p != size) l->mismatches++;
    l->bytes -= size, l->blocks--;
    free(p);
}

TEST(hooks_receive_every_block_and_its_size) {
    ledger l = {.allow = -1};
    sp_context_def def = sp_context_def_default();
    def.alloc = ledger_alloc, def.free = ledger_free, def.alloc_user = &l, def.workers = 2;
    sp_context *ctx;
    REQUIRE(sp_context_create(&def, &ctx) == SP_OK);
    void *p = sp__alloc(ctx, 3, 7);
    CHECK(p && l.blocks >= 2);
    sp__free(ctx, p);
    sp_context_destroy(&ctx);
    CHECK_INT(l.blocks, 0);
    CHECK_INT(l.bytes, 0);
    CHECK_INT(l.mismatches, 0);
}

TEST(context_creation_survives_each_refused_allocation) {
    int n = 0;
    for (sp_status status = SP_NO_MEMORY; status != SP_OK; n++) {
        ledger l = {.allow = n};
        sp_context_def def = sp_context_def_default();
        def.alloc = ledger_alloc, def.free = ledger_free, def.alloc_user = &l, def.workers = 3;
        sp_context *ctx;
        status = sp_context_create(&def, &ctx);
        CHECK(status == SP_OK || (status == SP_NO_MEMORY && ctx == NULL));
        sp_context_destroy(&ctx);
        CHECK_INT(l.blocks, 0);
        REQUIRE(n < 100);
    }
    CHECK(n > 1);
}

static void keep_line(void *user, sp_log_level level, const char *text) {
    snprintf(user, 100, "%d %s", (int)level, text);
}

TEST(log_reaches_the_hook) {
    char line[100] = "";
    sp_context_def def = sp_context_def_default();
    def.workers = 1, def.log = keep_line, def.log_user = line;
    sp_context *ctx;
    REQUIRE(sp_context_create(&def, &ctx) == SP_OK);
    sp__log(ctx, SP_LOG_WARNING, "%d nodes", 7);
    CHECK(strcmp(line, "2 7 nodes") == 0);
    sp_context_destroy(&ctx);
    ctx = new_context(1);
    REQUIRE(ctx);
    sp__log(ctx, SP_LOG_ERROR, "nobody listens");
    sp_context_destroy(&ctx);
}

// ------------------------------------------------------------------------------------------------ signals, defaults

static double twice(const void *user, double t) {
    return *(const double *)user * t;
}

static void slide(const void *user, double t, sp_pose *out) {
    (void)user;
    *out = sp_pose_identity();
    out->translate[1] = t;
}

TEST(signals) {
    double two = 2;
    sp_signal s = sp_signal_constant(3);
    CHECK(sp_signal_value(&s, 5) == 3);
    s.eval = twice, s.user = &two;
    CHECK(sp_signal_value(&s, 5) == 10);
    sp_pose pose = sp_pose_identity();
    pose.translate[0] = 4;
    sp_pose_signal p = sp_pose_signal_constant(pose);
    CHECK(sp_pose_signal_value(&p, 1).translate[0] == 4 && sp_pose_signal_value(&p, 1).quat[0] == 1);
    p.eval = slide;
    CHECK(sp_pose_signal_value(&p, 7).translate[1] == 7 && sp_pose_signal_value(&p, 7).translate[0] == 0);
}

TEST(defaults_are_the_documented_ones) {
    sp_integrator_def i = sp_integrator_def_default();
    CHECK(i.type == SP_IMPLICIT_EULER && i.iterations == SP_ITERATIONS_AUTO && i.tolerance == 1e-8 && i.line_search &&
          i.load_steps == 1 && i.substeps == SP_SUBSTEPS_AUTO && i.cookie == SP_COOKIE_INTEGRATOR);
    sp_solver_def s = sp_solver_def_default();
    CHECK(s.type == SP_SOLVER_AUTO && s.cg.op == SP_OPERATOR_AUTO && s.tolerance == 1e-6 && s.iterations == 1000 &&
          s.cookie == SP_COOKIE_SOLVER);
}

TEST(clock_is_monotonic) {
    double a = sp__now_ms(), b = sp__now_ms();
    CHECK(b >= a);
}
