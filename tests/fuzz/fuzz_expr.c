// Any bytes as an expression. Checked: it compiles or reports why not; evaluation ends and gives the same bits twice.
#include <string.h>

#include "fuzz/fuzz.h"
#include "io/scene/expr.h"

typedef struct block {
    struct block *next;
} block;

// memory of one expression: a chain, freed as a whole, as in a scene
static void *chain_alloc(void *user, size_t n, size_t size) {
    block **chain = user;
    block *b = size && n > (1u << 24) / size ? NULL : calloc(1, sizeof *b + 16 + n * size);
    if (!b) return NULL;
    b->next = *chain;
    *chain = b;
    return (char *)b + 16;
}

static void chain_free(block *chain) {
    while (chain) {
        block *next = chain->next;
        free(chain);
        chain = next;
    }
}

static bool constant(void *user, const char *name, double *value) {
    (void)user;
    *value = 2;
    return strcmp(name, "k") == 0;
}

static double half(const void *data, double x) {
    (void)data;
    return 0.5 * x;
}

static bool curve(void *user, const char *name, double (**eval)(const void *data, double x), const void **data) {
    (void)user;
    *eval = half, *data = NULL;
    return strcmp(name, "c") == 0;
}

static bool probe(void *user, const char *name, int *slot) {
    (void)user;
    *slot = 3;
    return strcmp(name, "tip.y") == 0;
}

static double read_probe(void *user, int slot) {
    (void)user;
    return slot;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    char *text = calloc(size + 1, 1);
    if (!text) return 0;
    if (size) memcpy(text, data, size);
    sp_expr_scope scope = {.constant = constant,
                           .curve = curve,
                           .probe = probe,
                           .allow_t = true,
                           .allow_x = true,
                           .allow_s = true,
                           .seed = 7,
                           .path = "fuzz"};
    block *chain = NULL;
    sp_expr *e = NULL;
    char message[200] = "";
    sp_status status = sp__expr_compile(text, &scope, chain_alloc, &chain, message, sizeof message, &e);
    FUZZ_PROMISE(status >= 0 ? e != NULL : message[0] != 0 && memchr(message, 0, sizeof message));
    if (status >= 0) {
        sp_expr_env env = {0.25, 1, -2, 3, 0.5, read_probe, NULL};
        double a = sp__expr_eval(e, &env), b = sp__expr_eval(e, &env);
        FUZZ_PROMISE(memcmp(&a, &b, sizeof a) == 0);
    }
    chain_free(chain);
    free(text);
    return 0;
}
