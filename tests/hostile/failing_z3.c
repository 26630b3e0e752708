/* SPDX-License-Identifier: Apache-2.0
 *
 * Loaded in front of a program that uses Z3: its calls are counted, and the one of
 * the number DC_FAIL_AT fails, with DC_FAIL_ON=1 all from there on. One that fails
 * has no effect, with DC_FAIL_LATE=1 all its effects; its answer is NULL, false, 0
 * or unknown, Z3's error code says so until the next call, and the handler of
 * errors is called. A script that fails is evaluated without its end. At the end
 * the count goes to the file DC_FAIL_COUNT.
 */
#define _GNU_SOURCE /* RTLD_NEXT */
#include <z3.h>

#include <dlfcn.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static long count, fail_at;
static bool fail_on, fail_late, in_error;
static Z3_error_handler *handler;

__attribute__((constructor)) static void set_up(void)
{
    const char *at = getenv("DC_FAIL_AT"), *on = getenv("DC_FAIL_ON");
    const char *late = getenv("DC_FAIL_LATE");
    fail_at = at ? strtol(at, NULL, 10) : 0;
    fail_on = on && *on == '1';
    fail_late = late && *late == '1';
    (void)unsetenv("LD_PRELOAD");
}

__attribute__((destructor)) static void tell(void)
{
    const char *path = getenv("DC_FAIL_COUNT");
    FILE *file = path ? fopen(path, "w") : NULL;
    if (file) {
        fprintf(file, "%ld\n", count);
        (void)fclose(file);
    }
}

static bool fails(void)
{
    count++;
    in_error = count == fail_at || (fail_on && fail_at > 0 && count > fail_at);
    return in_error;
}

static void report(Z3_context c)
{
    if (c && handler)
        handler(c, Z3_EXCEPTION);
}

static void find(const char *name, void *pointer)
{
    void *found = dlsym(RTLD_NEXT, name);
    if (!found)
        abort();
    memcpy(pointer, &found, sizeof found);
}

/* A call of Z3: its type, name, parameters, arguments, the context for errors, and
 * the answer of one that fails. */
#define CALL(type, name, params, args, context, failure) \
    type name params                                     \
    {                                                    \
        type(*real) params = NULL;                       \
        bool failing = fails();                          \
        find(#name, &real);                              \
        if (!failing)                                    \
            return real args;                            \
        if (fail_late)                                   \
            (void)real args;                             \
        report(context);                                 \
        return failure;                                  \
    }
#define MAKE(type, name, params, args) CALL(type, name, params, args, c, NULL)
/* without an answer; `always`: has its effects even where it fails */
#define EFFECT(name, params, args, always)   \
    void name params                         \
    {                                        \
        void(*real) params = NULL;           \
        bool failing = fails();              \
        find(#name, &real);                  \
        if (!failing || fail_late || always) \
            real args;                       \
        if (failing)                         \
            report(c);                       \
    }

CALL(Z3_config, Z3_mk_config, (void), (), NULL, NULL)
CALL(Z3_context, Z3_mk_context, (Z3_config g), (g), NULL, NULL)
MAKE(Z3_sort, Z3_mk_int_sort, (Z3_context c), (c))
MAKE(Z3_sort, Z3_mk_bool_sort, (Z3_context c), (c))
MAKE(Z3_symbol, Z3_mk_int_symbol, (Z3_context c, int i), (c, i))
MAKE(Z3_symbol, Z3_mk_string_symbol, (Z3_context c, Z3_string s), (c, s))
MAKE(Z3_ast, Z3_mk_const, (Z3_context c, Z3_symbol s, Z3_sort t), (c, s, t))
MAKE(Z3_ast, Z3_mk_int64, (Z3_context c, int64_t v, Z3_sort t), (c, v, t))
MAKE(Z3_ast, Z3_mk_ge, (Z3_context c, Z3_ast a, Z3_ast b), (c, a, b))
MAKE(Z3_ast, Z3_mk_le, (Z3_context c, Z3_ast a, Z3_ast b), (c, a, b))
MAKE(Z3_ast, Z3_mk_eq, (Z3_context c, Z3_ast a, Z3_ast b), (c, a, b))
MAKE(Z3_ast, Z3_mk_not, (Z3_context c, Z3_ast a), (c, a))
MAKE(Z3_ast, Z3_mk_true, (Z3_context c), (c))
MAKE(Z3_ast, Z3_mk_false, (Z3_context c), (c))
MAKE(Z3_ast, Z3_mk_add, (Z3_context c, unsigned n, Z3_ast const a[]), (c, n, a))
MAKE(Z3_ast, Z3_mk_mul, (Z3_context c, unsigned n, Z3_ast const a[]), (c, n, a))
MAKE(Z3_ast, Z3_mk_and, (Z3_context c, unsigned n, Z3_ast const a[]), (c, n, a))
MAKE(Z3_ast, Z3_mk_or, (Z3_context c, unsigned n, Z3_ast const a[]), (c, n, a))
MAKE(Z3_solver, Z3_mk_simple_solver, (Z3_context c), (c))
MAKE(Z3_solver, Z3_mk_solver_for_logic, (Z3_context c, Z3_symbol s), (c, s))
MAKE(Z3_params, Z3_mk_params, (Z3_context c), (c))
EFFECT(Z3_params_inc_ref, (Z3_context c, Z3_params p), (c, p), true)
EFFECT(Z3_params_set_uint, (Z3_context c, Z3_params p, Z3_symbol k, unsigned v),
       (c, p, k, v), false)
EFFECT(Z3_params_set_bool, (Z3_context c, Z3_params p, Z3_symbol k, bool v),
       (c, p, k, v), false)
EFFECT(Z3_solver_set_params, (Z3_context c, Z3_solver s, Z3_params p),
       (c, s, p), false)
EFFECT(Z3_solver_inc_ref, (Z3_context c, Z3_solver s), (c, s), true)
EFFECT(Z3_solver_push, (Z3_context c, Z3_solver s), (c, s), false)
EFFECT(Z3_solver_pop, (Z3_context c, Z3_solver s, unsigned n), (c, s, n), false)
EFFECT(Z3_solver_assert, (Z3_context c, Z3_solver s, Z3_ast a), (c, s, a),
       false)
CALL(Z3_lbool, Z3_solver_check, (Z3_context c, Z3_solver s), (c, s), c,
     Z3_L_UNDEF)
MAKE(Z3_model, Z3_solver_get_model, (Z3_context c, Z3_solver s), (c, s))
EFFECT(Z3_model_inc_ref, (Z3_context c, Z3_model m), (c, m), true)
CALL(bool, Z3_model_eval,
     (Z3_context c, Z3_model m, Z3_ast t, bool all, Z3_ast *v),
     (c, m, t, all, v), c, false)
CALL(bool, Z3_get_numeral_int64, (Z3_context c, Z3_ast v, int64_t *i),
     (c, v, i), c, false)
MAKE(Z3_stats, Z3_solver_get_statistics, (Z3_context c, Z3_solver s), (c, s))
EFFECT(Z3_stats_inc_ref, (Z3_context c, Z3_stats s), (c, s), true)
CALL(unsigned, Z3_stats_size, (Z3_context c, Z3_stats s), (c, s), c, 0)
MAKE(Z3_string, Z3_stats_get_key, (Z3_context c, Z3_stats s, unsigned i),
     (c, s, i))
CALL(bool, Z3_stats_is_uint, (Z3_context c, Z3_stats s, unsigned i), (c, s, i),
     c, false)
CALL(unsigned, Z3_stats_get_uint_value, (Z3_context c, Z3_stats s, unsigned i),
     (c, s, i), c, 0)
MAKE(Z3_ast_vector, Z3_parse_smtlib2_string,
     (Z3_context c, Z3_string t, unsigned n, Z3_symbol const s[],
      Z3_sort const o[], unsigned m, Z3_symbol const d[],
      Z3_func_decl const f[]),
     (c, t, n, s, o, m, d, f))
EFFECT(Z3_ast_vector_inc_ref, (Z3_context c, Z3_ast_vector v), (c, v), true)
CALL(unsigned, Z3_ast_vector_size, (Z3_context c, Z3_ast_vector v), (c, v), c,
     0)
MAKE(Z3_ast, Z3_ast_vector_get, (Z3_context c, Z3_ast_vector v, unsigned i),
     (c, v, i))

Z3_string Z3_eval_smtlib2_string(Z3_context c, Z3_string text)
{
    Z3_string (*real)(Z3_context, Z3_string) = NULL;
    bool failing = fails();
    find("Z3_eval_smtlib2_string", &real);
    if (!failing || fail_late) {
        Z3_string said = real(c, text);
        report(failing ? c : NULL);
        return failing ? "" : said;
    }
    const char *end = strstr(text, "(check-sat)");
    char *some = strdup(text);
    if (!some)
        abort();
    some[end ? end - text : 0] = '\0';
    (void)real(c, some);
    free(some);
    report(c);
    return "(error \"a failure of Z3, for a test\")\n";
}

void Z3_set_error_handler(Z3_context c, Z3_error_handler *h)
{
    void (*real)(Z3_context, Z3_error_handler *) = NULL;
    find("Z3_set_error_handler", &real);
    handler = h;
    real(c, h);
}

Z3_error_code Z3_get_error_code(Z3_context c)
{
    Z3_error_code (*real)(Z3_context) = NULL;
    find("Z3_get_error_code", &real);
    return in_error ? Z3_EXCEPTION : real(c);
}
