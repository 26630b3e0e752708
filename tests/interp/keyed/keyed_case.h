/* SPDX-License-Identifier: Apache-2.0
 *
 * Table-driven tests of the keyed domains: two programs, and whether each
 * domain must find their outputs equal, unequal, or refuse them.
 *
 * Beside it stands a check that needs no keyed domain: both programs are run
 * on numbers. What `order` calls equal must be equal in every bit on special
 * values (zeros of both signs, subnormals, the ends of the range, neighbours of
 * one, infinities, NaN); what the others call equal must be equal where no
 * operation rounds.
 */
#ifndef DC_TESTS_UNIT_KEYED_CASE_H
#define DC_TESTS_UNIT_KEYED_CASE_H

#include "interp/interp.h"
#include "tests/test.h"

#include <math.h>
#include <string.h>

#define KEYED_HEADER                       \
    "from tvm.script import ir as I\n"     \
    "from tvm.script import tirx as T\n\n" \
    "@T.prim_func(s_tir=True)\n"           \
    "def main("

#define KEYED_MAX_PARAMS 6

/* The order of the letters of keyed_case.want. */
static const enum interp_domain_kind keyed_domains[] = {
    INTERP_ORDER, INTERP_AC, INTERP_FIELD, INTERP_FIELD_NOCAST};
static const char *const keyed_names[] = {"order", "ac", "field",
                                          "field-nocast"};

enum { EQUAL = '=', UNEQUAL = '/', REFUSED = '!', NOT_ASKED = '.' };

struct keyed_case {
    const char *label;
    const char *params;
    const char *a, *b;   /* bodies, indented by 4 */
    const char *want;    /* one of the above for each of keyed_domains */
    const char *message; /* part of what a refusal says */
    bool relaxed;        /* FINITE and IN_RANGE may be assumed */
    unsigned assumed;    /* in the ac domain, enum interp_assumption */
    const char *gap;     /* why the programs are not compared on numbers */
};

/* ---- one program -------------------------------------------------------------- */

struct program {
    struct ir_module *module;
    struct arena *arena;
    struct interp_signature sig;
};

static void program_open(struct program *p, const char *label,
                         const char *params, const char *body)
{
    struct buf script = {0};
    struct diag_sink *sink = diag_sink_new();
    buf_printf(&script, KEYED_HEADER "%s):\n%s", params, body);
    p->arena = arena_new();
    p->module = ir_read(buf_text(&script), script.len, "case", sink);
    if (p->module == NULL || p->module->nfuncs != 1 ||
        !interp_signature(p->module, p->module->funcs[0], NULL, 0, p->arena,
                          &p->sig, sink)) {
        struct buf text = {0};
        diag_render(sink, false, &text);
        print_error("%s:\n%s\n%s\n", label, buf_text(&text), buf_text(&script));
        buf_fini(&text);
        fail();
    }
    assert_true(p->sig.nparams <= KEYED_MAX_PARAMS);
    diag_sink_free(sink);
    buf_fini(&script);
}

static void program_close(struct program *p)
{
    arena_free(p->arena);
    ir_module_free(p->module);
}

/* Tensors for all parameters, filled with small whole numbers. */
static void program_args(const struct program *p, struct interp_arg *args)
{
    memset(args, 0, KEYED_MAX_PARAMS * sizeof *args);
    for (size_t i = 0; i < p->sig.nparams; i++) {
        const struct interp_param *q = &p->sig.params[i];
        if (!q->is_tensor) {
            args[i].dtype = q->dtype;
            args[i].bits = 0;
            continue;
        }
        args[i].tensor = interp_tensor_new(q->dtype, q->rank, q->shape);
        assert_non_null(args[i].tensor);
        interp_fill_tensor(args[i].tensor, INTERP_FILL_EXACT, 7, i, 1, 0);
    }
}

static void args_free(const struct program *p, struct interp_arg *args)
{
    for (size_t i = 0; i < p->sig.nparams; i++)
        interp_tensor_free(args[i].tensor);
}

static struct interp_result program_run(const struct program *p,
                                        struct interp_arg *args,
                                        const struct interp_options *options)
{
    return interp_run(p->module, p->module->funcs[0], p->sig.nparams, args,
                      options);
}

/* ---- keyed runs ------------------------------------------------------------------ */

/* All elements of all parameters are leaves. */
static struct interp_result run_leaves(const struct program *p,
                                       struct interp_arg *args,
                                       const struct interp_options *options)
{
    static union interp_box scalars[KEYED_MAX_PARAMS];
    program_args(p, args);
    for (size_t i = 0; i < p->sig.nparams; i++)
        if (args[i].tensor != NULL) {
            interp_tensor_to_leaves(args[i].tensor, options, i);
        } else {
            scalars[i] = interp_scalar_leaf(args[i].dtype, options, i);
            args[i].box = &scalars[i];
        }
    return program_run(p, args, options);
}

static bool same_params(const struct interp_options *options,
                        const struct program *p, const struct interp_arg *a,
                        const struct interp_arg *b)
{
    struct interp_keyed *k = interp_keyed_new(options);
    bool same = true;
    for (size_t i = 0; i < p->sig.nparams; i++)
        for (size_t j = 0; a[i].tensor != NULL && j < a[i].tensor->elements;
             j++)
            same = same && interp_keyed_same(k, a[i].tensor, b[i].tensor, j);
    interp_keyed_free(k);
    return same;
}

static char keyed_verdict(const struct keyed_case *c, const struct program *p,
                          const struct program *q, size_t domain, uint64_t key,
                          const enum interp_engine *engines)
{
    struct interp_options options = interp_default_options();
    options.domain = keyed_domains[domain];
    options.key = key;
    options.relaxed = c->relaxed;
    options.check_races = false;
    options.max_steps = 10000000;
    struct interp_arg a[KEYED_MAX_PARAMS], b[KEYED_MAX_PARAMS];
    options.engine = engines[0];
    struct interp_result x = run_leaves(p, a, &options);
    options.engine = engines[1];
    struct interp_result y = run_leaves(q, b, &options);
    const struct interp_result *bad = x.fault != INTERP_OK   ? &x
                                      : y.fault != INTERP_OK ? &y
                                                             : NULL;
    char got = UNEQUAL;
    if (bad != NULL)
        got = bad->fault == INTERP_UNDECIDED ? REFUSED : '?';
    else if (same_params(&options, p, a, b))
        got = EQUAL;
    if (got == '?' ||
        (got == REFUSED && c->message != NULL &&
         (bad->message == NULL || strstr(bad->message, c->message) == NULL))) {
        print_error("%s: %s: %s: %s\n", c->label, keyed_names[domain],
                    interp_fault_name(bad->fault),
                    bad->message != NULL ? bad->message : "");
        got = '?';
    }
    if (got == EQUAL && keyed_domains[domain] == INTERP_AC)
        assert_int_equal(x.assumptions | y.assumptions, c->assumed);
    args_free(p, a);
    args_free(q, b);
    interp_result_fini(&x);
    interp_result_fini(&y);
    return got;
}

/* Under two keys, so that no row rests on one, and by all engines: what one
 * calls equal to the other's result must be what it calls equal to its own. */
static void check_domains(const struct keyed_case *c, const struct program *p,
                          const struct program *q)
{
    static const enum interp_engine engines[][2] = {
        {INTERP_ENGINE_WALK, INTERP_ENGINE_WALK},
        {INTERP_ENGINE_AUTO, INTERP_ENGINE_AUTO},
        {INTERP_ENGINE_WALK, INTERP_ENGINE_AUTO}};
    char got[DC_ARRAY_LEN(keyed_domains) + 1] = {0};
    for (uint64_t n = 0; n < 2 * DC_ARRAY_LEN(engines); n++) {
        uint64_t key = n % 2;
        for (size_t d = 0; d < DC_ARRAY_LEN(keyed_domains); d++)
            got[d] = c->want[d] == NOT_ASKED
                         ? (char)NOT_ASKED
                         : keyed_verdict(c, p, q, d, key, engines[n / 2]);
        if (strcmp(got, c->want) != 0) {
            print_error("%s: [%s], wanted [%s] (order, ac, field, "
                        "field-nocast; key %d, engines %d and %d)\n",
                        c->label, got, c->want, (int)key,
                        (int)engines[n / 2][0], (int)engines[n / 2][1]);
            fail();
        }
    }
}

/* ---- runs on numbers ---------------------------------------------------------------- */

enum { NAMED_SPECIALS = 24, KEYED_SPECIALS = 96 };

/* Bits with exponents spread over the range, and mantissas of no bit, the last
 * one, all, and some. */
static uint64_t spread_bits(struct dtype t, size_t i)
{
    unsigned digits = t.code == DT_BFLOAT ? 7
                      : t.bits == 8       ? 3
                      : t.bits == 16      ? 10
                      : t.bits == 32      ? 23
                                          : 52;
    unsigned width = t.bits - 1u - digits;
    uint64_t top = ((uint64_t)1 << width) - 1,
             all = ((uint64_t)1 << digits) - 1;
    uint64_t mantissa[4] = {0, 1, all, (uint64_t)0x5a5a5a5a5a5a5 & all};
    size_t n = KEYED_SPECIALS - NAMED_SPECIALS;
    return (uint64_t)(i & 1) << (t.bits - 1) |
           (i * (top - 1) / (n - 1)) << digits | mantissa[i * 7 / 3 % 4];
}

/* A value likely to break a law, number i of t; repeats after KEYED_SPECIALS. */
static uint64_t special(struct dtype t, size_t i)
{
    unsigned flags = 0;
    uint64_t one = num_from_double(t, 1.0, &flags);
    i %= KEYED_SPECIALS;
    if (i >= NAMED_SPECIALS)
        return dtype_is_float(t) ? spread_bits(t, i - NAMED_SPECIALS)
               : dtype_is_bool(t)
                   ? i & 1
                   : num_from_int(t, (int64_t)hash_mix(i, 1), &flags);
    if (!dtype_is_float(t)) {
        static const int64_t whole[] = {
            0,  1,   -1,  2,   -2,   3,    7,   8,     -8,    15, 16, 63,
            64, 100, 127, 128, -100, -128, 255, 32767, 65535, 5,  -3, 9};
        if (i < 2 || dtype_is_bool(t))
            return i & 1;
        return i == 22   ? num_min_value(t)
               : i == 23 ? num_max_value(t)
                         : num_from_int(t, whole[i], &flags);
    }
    switch (i) {
    case 0: return num_from_double(t, 0.0, &flags);
    case 1: return num_from_double(t, -0.0, &flags);
    case 2: return num_from_double(t, HUGE_VAL, &flags);
    case 3: return num_from_double(t, -HUGE_VAL, &flags);
    case 4: return num_from_double(t, (double)NAN, &flags);
    case 5: return num_max_value(t);
    case 6: return num_min_value(t);
    case 7: return 1; /* the least subnormal */
    case 8: return 2;
    case 9: return 3;
    case 10: return one + 1;
    case 11: return one - 1;
    case 12: return one;
    case 13: return num_from_double(t, -1.0, &flags);
    case 14: return num_max_value(t) - 1;
    case 15: return num_from_double(t, 2.0, &flags) + 1;
    case 16: return num_from_double(t, 3.0, &flags);
    case 17: return num_from_double(t, -7.0, &flags);
    case 18: return num_from_double(t, 0.1, &flags);
    case 19: return num_from_double(t, -0.3, &flags) + 1;
    default: return one / 2 + (i - 20) * 3; /* small, some of them subnormal */
    }
}

/* Row n: the first two elements run through all pairs, the rest by chance. */
static void fill_special(const struct program *p, struct interp_arg *args,
                         uint64_t n)
{
    size_t at = 0;
    for (size_t i = 0; i < p->sig.nparams; i++) {
        struct interp_tensor *t = args[i].tensor;
        for (size_t j = 0; t != NULL && j < t->elements; j++, at++) {
            size_t which = at == 0   ? n % KEYED_SPECIALS
                           : at == 1 ? n / KEYED_SPECIALS
                                     : (size_t)(hash_mix(n, at) >> 20);
            interp_tensor_set(t, j, special(dtype_scalar(t->dtype), which));
        }
    }
}

/* Zeros of either sign are one real number. */
static bool same_number(const struct interp_tensor *a,
                        const struct interp_tensor *b, size_t i, bool real)
{
    struct dtype t = dtype_scalar(a->dtype);
    bool da = a->state[i] & INTERP_DEFINED, db = b->state[i] & INTERP_DEFINED;
    if (!da || !db)
        return da == db;
    if (real && dtype_is_float(t) &&
        num_to_double(t, interp_tensor_get(a, i)) == 0)
        return num_to_double(t, interp_tensor_get(b, i)) == 0;
    return num_same(t, interp_tensor_get(a, i), interp_tensor_get(b, i));
}

static void compare_numbers(const struct keyed_case *c, const struct program *p,
                            const struct program *q, uint64_t n, bool exact)
{
    struct interp_options options = interp_default_options();
    struct interp_arg a[KEYED_MAX_PARAMS], b[KEYED_MAX_PARAMS];
    program_args(p, a);
    program_args(q, b);
    if (!exact) {
        fill_special(p, a, n);
        fill_special(q, b, n);
    }
    struct interp_result x = program_run(p, a, &options);
    struct interp_result y = program_run(q, b, &options);
    bool compare = x.fault == INTERP_OK && y.fault == INTERP_OK;
    if (exact && (x.inexact || y.inexact))
        compare = false;
    for (size_t i = 0; compare && i < p->sig.nparams; i++)
        for (size_t j = 0; a[i].tensor != NULL && j < a[i].tensor->elements;
             j++)
            if (!same_number(a[i].tensor, b[i].tensor, j,
                             c->want[0] != EQUAL)) {
                struct buf text = {0};
                struct dtype t = dtype_scalar(a[i].tensor->dtype);
                num_put(&text, t, interp_tensor_get(a[i].tensor, j));
                buf_puts(&text, " and ");
                num_put(&text, t, interp_tensor_get(b[i].tensor, j));
                print_error("%s: on numbers (%s, row %d), parameter %zu "
                            "element %zu: %s\n",
                            c->label, exact ? "exact" : "special", (int)n, i, j,
                            buf_text(&text));
                buf_fini(&text);
                fail();
            }
    args_free(p, a);
    args_free(q, b);
    interp_result_fini(&x);
    interp_result_fini(&y);
}

static void check_numbers(const struct keyed_case *c, const struct program *p,
                          const struct program *q)
{
    if (c->gap != NULL || strchr(c->want, EQUAL) == NULL)
        return;
    compare_numbers(c, p, q, 0, true);
    if (c->want[0] != EQUAL)
        return;
    for (uint64_t n = 0; n < KEYED_SPECIALS * KEYED_SPECIALS; n++)
        compare_numbers(c, p, q, n, false);
}

/* ---- the table -------------------------------------------------------------------------- */

static void keyed_run_case(const struct keyed_case *c)
{
    struct program p, q;
    program_open(&p, c->label, c->params, c->a);
    program_open(&q, c->label, c->params, c->b);
    check_domains(c, &p, &q);
    check_numbers(c, &p, &q);
    program_close(&p);
    program_close(&q);
}

static void keyed_run(void **state)
{
    keyed_run_case(*state);
}

/* One CMocka test per row. */
static int keyed_main(const char *name, const struct keyed_case *cases,
                      size_t n)
{
    struct CMUnitTest tests[128];
    memset(tests, 0, sizeof tests);
    if (n > DC_ARRAY_LEN(tests))
        return 1;
    for (size_t i = 0; i < n; i++) {
        tests[i].name = cases[i].label;
        tests[i].test_func = keyed_run;
        union {
            const struct keyed_case *in;
            void *out;
        } row = {&cases[i]};
        tests[i].initial_state = row.out;
    }
    return _cmocka_run_group_tests(name, tests, n, NULL, NULL);
}

#endif
