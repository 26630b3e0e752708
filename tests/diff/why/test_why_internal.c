/* SPDX-License-Identifier: Apache-2.0
 *
 * Formulas made by hand against each other: what is named as the difference,
 * how it is written, and that shared parts and long sums cost little.
 */
#include "diff/why/why.h"
#include "tests/test.h"

#include <string.h>

static struct arena *arena;
static int64_t shape[] = {1000};
static struct interp_param params[] = {
    {.name = "A", .is_tensor = true, .rank = 1, .shape = shape},
    {.name = "B", .is_tensor = true, .rank = 1, .shape = shape},
};
static struct interp_signature sig[WHY_SIDES] = {
    {.nparams = 2, .params = params}, {.nparams = 2, .params = params}};

static struct interp_form *form(enum interp_form_kind kind, uint64_t hash)
{
    struct interp_form *f = ARENA_NEW(arena, struct interp_form);
    f->kind = kind;
    f->dtype = DTYPE_INT32;
    f->hash = hash;
    return f;
}

static const struct interp_form *atom(uint32_t param, size_t element)
{
    struct interp_form *f =
        form(INTERP_FORM_ATOM, hash_mix(hash_mix(3, param), element));
    f->param = param;
    f->element = element;
    return f;
}

static const struct interp_form *number(int64_t value)
{
    struct interp_form *f =
        form(INTERP_FORM_NUMBER, hash_mix(5, (uint64_t)value));
    f->bits = (uint64_t)value;
    return f;
}

static const struct interp_form *op(enum ir_expr_kind kind,
                                    const struct interp_form *a,
                                    const struct interp_form *b)
{
    const struct interp_form *args[] = {a, b};
    struct interp_form *f = form(INTERP_FORM_OP, hash_mix(7, (uint64_t)kind));
    f->op = kind;
    f->nargs = b != NULL ? 2 : 1;
    f->hash = hash_mix(f->hash, a->hash);
    f->hash = b != NULL ? hash_mix(f->hash, b->hash) : f->hash;
    f->args = arena_memdup(arena, args, sizeof args);
    return f;
}

/* A[0] op A[1] op …, n of them, without the one at `left_out`. */
static const struct interp_form *fold(enum ir_expr_kind kind, size_t n,
                                      size_t left_out)
{
    const struct interp_form *f = number(kind == IR_ADD ? 0 : 1);
    for (size_t i = 0; i < n; i++)
        if (i != left_out)
            f = op(kind, f, atom(0, i));
    return f;
}

static void check_cause(const struct interp_form *untuned,
                        const struct interp_form *tuned, const char *cause)
{
    struct why why;
    struct buf text = {0};
    assert_true(why_compare(untuned, tuned, arena, &why));
    why_put_cause(&text, &why, sig);
    assert_string_equal(buf_text(&text), cause);
    buf_fini(&text);
}

static void check_text(const struct interp_form *f, const char *want)
{
    struct buf text = {0};
    why_put_form(&text, f, &sig[0], 200);
    assert_string_equal(buf_text(&text), want);
    buf_fini(&text);
}

static void causes(void **state)
{
    (void)state;
    check_cause(fold(IR_ADD, 6, 99), fold(IR_ADD, 6, 4), "A[4] is not added");
    check_cause(fold(IR_ADD, 6, 4), fold(IR_ADD, 6, 99), "A[4] is added, too");
    check_cause(fold(IR_ADD, 8, 99), fold(IR_ADD, 3, 99),
                "5 of 8 terms are missing");
    check_cause(op(IR_ADD, atom(0, 1), number(1)), atom(0, 1),
                "1 is not added");
    check_cause(op(IR_SUB, atom(0, 1), atom(1, 1)),
                op(IR_ADD, atom(0, 1), atom(1, 1)),
                "1 of 2 terms are added, not subtracted");
    check_cause(atom(0, 1), atom(0, 2), "A[2] in place of A[1]");
    /* below an operation that both have */
    check_cause(op(IR_MUL, atom(0, 1), number(2)),
                op(IR_MUL, atom(0, 1), number(3)), "3 in place of 2");
    check_cause(op(IR_MAX, atom(0, 0), atom(0, 1)),
                op(IR_MAX, op(IR_MAX, atom(0, 0), number(0)), atom(0, 1)),
                "0 is part of the maximum, too");
    /* nothing but zeros on one side */
    check_cause(op(IR_ADD, atom(0, 0), atom(0, 1)),
                op(IR_ADD, number(0), number(0)), "2 of 2 terms are missing");
    check_cause(op(IR_ADD, atom(0, 0), atom(0, 1)),
                op(IR_ADD, atom(0, 1), atom(0, 0)),
                "the same 2 terms in another order: number 1 is A[1], in the "
                "untuned module A[0]");
}

static void equal_is_no_difference(void **state)
{
    struct why why;
    (void)state;
    assert_false(why_compare(atom(0, 1), atom(0, 1), arena, &why));
    assert_false(why_compare(NULL, atom(0, 1), arena, &why));
    /* a copy is what it copies */
    struct interp_form *copy = form(INTERP_FORM_COPY, atom(0, 1)->hash);
    const struct interp_form *from = atom(0, 1);
    copy->args = &from;
    copy->nargs = 1;
    assert_false(why_compare(copy, atom(0, 1), arena, &why));
}

static void texts(void **state)
{
    (void)state;
    check_text(op(IR_MUL, op(IR_ADD, atom(0, 0), atom(1, 0)), number(2)),
               "(A[0] + B[0]) * 2");
    check_text(op(IR_SUB, atom(0, 0), op(IR_SUB, atom(0, 1), atom(0, 2))),
               "A[0] - A[1] + A[2]");
    check_text(fold(IR_ADD, 100, 999), "A[0] + A[1] + … + A[99]");
    check_text(op(IR_MAX, number(INT32_MIN), atom(0, 7)), "max(min, A[7])");
}

/* x + x, sixty times: 2^60 terms; and a sum of two hundred thousand. */
static void large_ones_end(void **state)
{
    struct why why;
    (void)state;
    const struct interp_form *x = atom(0, 0), *y = atom(0, 1);
    for (int i = 0; i < 60; i++) {
        x = op(IR_ADD, x, x);
        y = op(IR_ADD, y, y);
    }
    assert_true(why_compare(x, y, arena, &why));
    struct buf text = {0};
    why_put_form(&text, x, &sig[0], 100);
    assert_true(text.len > 0 && text.len < 400);
    text.len = 0;
    why_put_cause(&text, &why, sig);
    buf_fini(&text);
    assert_true(why_compare(fold(IR_ADD, 200000, 999999),
                            fold(IR_ADD, 200000, 5), arena, &why));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(causes),
        cmocka_unit_test(equal_is_no_difference),
        cmocka_unit_test(texts),
        cmocka_unit_test(large_ones_end),
    };
    arena = arena_new();
    int failed = cmocka_run_group_tests(tests, NULL, NULL);
    arena_free(arena);
    return failed;
}
