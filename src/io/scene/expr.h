// Expressions of the scene language: compiled once, evaluated often. No loops, no assignment, at most 1000 tokens.
#ifndef SP_EXPR_H
#define SP_EXPR_H

#include "io/base.h"

typedef struct sp_expr sp_expr;

// Name lookup. The functions return false for an unknown name.
typedef struct sp_expr_scope {
    // constant of that name (param, i, n)
    bool (*constant)(void *user, const char *name, double *value);
    // function of one number (curve): an evaluator that outlives the expression
    bool (*curve)(void *user, const char *name, double (**eval)(const void *data, double x), const void **data);
    // live value (probe component) by dotted name: slot that is read through sp_expr_env.probe
    bool (*probe)(void *user, const char *name, int *slot);
    void *user;
    bool allow_t, allow_x, allow_s;  // whether t; x, y, z; s are allowed
    uint64_t seed;                   // for rand(k), randn(k): hash of seed, path and k
    const char *path;
    // nullable: the known name closest to an unknown one, for the message
    const char *(*nearest)(void *user, const char *name);
} sp_expr_scope;

typedef struct sp_expr_env {
    double t, x, y, z, s;
    double (*probe)(void *user, int slot);
    void *user;
} sp_expr_env;

// On failure `message` has the reason and the position in the text. Memory comes from `alloc(user, n, size)`, which owns it.
sp_status sp__expr_compile(const char *text, const sp_expr_scope *scope, void *(*alloc)(void *user, size_t n, size_t size),
                           void *alloc_user, char *message, size_t message_size, sp_expr **out);
double sp__expr_eval(const sp_expr *e, const sp_expr_env *env);
bool sp__expr_uses_t(const sp_expr *e);
bool sp__expr_uses_x(const sp_expr *e);    // x, y, z or s
bool sp__expr_reserved(const char *name);  // a word of the language, not allowed as the name of a param or curve

#endif
