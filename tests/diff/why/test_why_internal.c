/* SPDX-License-Identifier: Apache-2.0
 *
 * Formulas made by hand against each other: what is named as the difference,
 * how it is written, and that shared parts and long sums cost little.
 */
#include "diff/why/why.h"
#include "diff/why/why_operands.h"
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

/* ---- whatever the order ------------------------------------------------------------ */

static bool alike(const struct interp_form *a, const struct interp_form *b)
{
    struct why_bags bags = {0};
    bool same = why_bag(&bags, a) == why_bag(&bags, b);
    why_bags_fini(&bags);
    return same;
}

static void bags(void **state)
{
    const struct interp_form *a = atom(0, 1), *b = atom(0, 2), *c = atom(1, 0);
    (void)state;
    assert_true(alike(op(IR_ADD, a, b), op(IR_ADD, b, a)));
    assert_true(alike(op(IR_ADD, op(IR_ADD, a, b), c),
                      op(IR_ADD, a, op(IR_ADD, c, b))));
    assert_true(
        alike(op(IR_ADD, op(IR_ADD, number(0), a), b), op(IR_ADD, a, b)));
    /* what is subtracted is not what is added; a - (b - c) is a + c - b */
    assert_false(alike(op(IR_SUB, a, b), op(IR_SUB, b, a)));
    assert_false(alike(op(IR_SUB, a, b), op(IR_ADD, a, b)));
    assert_true(alike(op(IR_SUB, a, op(IR_SUB, b, c)),
                      op(IR_SUB, op(IR_ADD, c, a), b)));
    /* one operation in another */
    assert_true(alike(op(IR_MUL, op(IR_ADD, a, b), c),
                      op(IR_MUL, c, op(IR_ADD, b, a))));
    assert_false(alike(op(IR_MUL, op(IR_ADD, a, b), c),
                       op(IR_ADD, op(IR_MUL, a, b), c)));
    assert_false(alike(op(IR_MAX, a, b), op(IR_MIN, a, b)));
    assert_false(alike(op(IR_ADD, a, a), a));
    assert_false(alike(op(IR_DIV, a, b), op(IR_DIV, b, a)));
}

/* ---- who is to blame --------------------------------------------------------------- */

/* Statements of the untuned side, and of the tuned one; only their addresses
 * count. */
static struct ir_stmt right, start, make, go_on, take;

/* What a run stored. */
static struct {
    const struct interp_form *items[32];
    size_t n;
} stored;

/* The form as stored by the statement into byte `offset` of the storage. */
static const struct interp_form *store(const struct interp_form *form,
                                       const struct ir_stmt *stmt,
                                       uint32_t storage, size_t offset)
{
    struct interp_made *made = ARENA_NEW(arena, struct interp_made);
    struct interp_form *f = ARENA_NEW(arena, struct interp_form);
    made->stmt = stmt;
    made->storage = storage;
    made->offset = offset;
    made->values = ARENA_ARRAY(arena, 1, int64_t);
    *f = *form;
    if (form->kind != INTERP_FORM_OP || form->made != NULL) {
        f->kind = INTERP_FORM_COPY;
        f->args = arena_memdup(arena, &form, sizeof form);
        f->nargs = 1;
    }
    f->made = made;
    stored.items[stored.n++] = f;
    return f;
}

static struct why_blame blame_of(const struct interp_form *untuned,
                                 const struct interp_form *tuned)
{
    struct interp_formula all = {.nstores = stored.n, .stores = stored.items};
    struct why_blame out;
    assert_true(
        why_find_blame(store(untuned, &right, 9, 0), tuned, &all, arena, &out));
    stored.n = 0;
    return out;
}

static const struct ir_stmt *blamed(const struct interp_form *untuned,
                                    const struct interp_form *tuned)
{
    struct why_blame b = blame_of(untuned, tuned);
    assert_ptr_equal(b.store[WHY_UNTUNED].made->stmt, &right);
    return b.store[WHY_TUNED].made->stmt;
}

/* A[from] + … + A[to - 1], stored into the cell again and again; of what is
 * there already. */
static const struct interp_form *sum(const struct interp_form *f, size_t from,
                                     size_t to, uint32_t storage, size_t offset)
{
    for (size_t i = from; i < to; i++)
        f = store(op(IR_ADD, f, atom(0, i)), &go_on, storage, offset);
    return f;
}

static void blame_of_operands(void **state)
{
    (void)state;
    /* begins with 1: the start, not the sum */
    assert_ptr_equal(blamed(fold(IR_ADD, 4, 99),
                            sum(store(number(1), &start, 0, 0), 0, 4, 0, 0)),
                     &start);
    /* ends too early, and copied: the sum, not the copy */
    assert_ptr_equal(
        blamed(fold(IR_ADD, 4, 99),
               store(sum(store(number(0), &start, 0, 0), 0, 3, 0, 0), &take, 1,
                     0)),
        &go_on);
    /* a term is another one, made elsewhere and nowhere right */
    assert_ptr_equal(
        blamed(op(IR_ADD, atom(0, 0), op(IR_MUL, atom(0, 1), number(3))),
               store(op(IR_ADD, atom(0, 0),
                        store(op(IR_MUL, atom(0, 1), number(2)), &make, 0, 0)),
                     &take, 1, 0)),
        &make);
    /* the padding is 1 where nothing is added */
    assert_ptr_equal(blamed(op(IR_MAX, atom(0, 0), atom(0, 1)),
                            store(op(IR_MAX, op(IR_MAX, atom(0, 0), atom(0, 1)),
                                     store(number(1), &make, 0, 0)),
                                  &take, 1, 0)),
                     &make);
    /* operands exchanged: neither of them is to blame */
    assert_ptr_equal(
        blamed(op(IR_SUB, atom(0, 0), op(IR_MUL, atom(0, 1), number(2))),
               store(op(IR_SUB,
                        store(op(IR_MUL, atom(0, 1), number(2)), &make, 0, 0),
                        atom(0, 0)),
                     &take, 1, 0)),
        &take);
}

/* A sum that is overwritten by another part of it, or begun anew. */
static void blame_of_lost_terms(void **state)
{
    (void)state;
    const struct interp_form *whole = fold(IR_ADD, 4, 99);
    store(number(0), &start, 0, 0);
    store(sum(number(0), 0, 2, 1, 0), &make, 0, 0);
    assert_ptr_equal(
        blamed(whole, store(sum(number(0), 2, 4, 1, 0), &take, 0, 0)), &take);
    sum(store(number(0), &start, 0, 0), 0, 2, 0, 0);
    assert_ptr_equal(
        blamed(whole, sum(store(number(0), &make, 0, 0), 2, 4, 0, 0)), &make);
    /* a buffer that is used again was never begun: nothing was lost there */
    store(atom(0, 0), &make, 1, 0);
    store(atom(0, 1), &make, 1, 0);
    assert_ptr_equal(
        blamed(whole, sum(store(number(0), &start, 0, 0), 1, 4, 0, 0)), &go_on);
    /* nothing was ever added: the caller looks who should have done it */
    struct why_blame b = blame_of(whole, store(number(0), &start, 0, 0));
    assert_true(b.began_only);
    assert_ptr_equal(b.store[WHY_TUNED].made->stmt, &start);
}

/* Of a reader and a maker the reader, if what it should have read was there. */
static void blame_of_places(void **state)
{
    (void)state;
    const struct interp_form *three = op(IR_MUL, atom(0, 3), number(2));
    const struct interp_form *four = op(IR_MUL, atom(0, 4), number(2));
    for (int there = 0; there < 2; there++) {
        const struct interp_form *wrong = store(four, &make, 0, 4);
        if (there)
            store(three, &make, 0, 0);
        else /* overwritten, or in a storage of its own */
            store(three, &make, 0, 4);
        store(three, &make, 5, 0);
        const struct interp_form *t =
            store(op(IR_ADD, wrong, number(1)), &take, 1, 0);
        struct why_blame b = blame_of(op(IR_ADD, three, number(1)), t);
        assert_ptr_equal(b.store[WHY_TUNED].made->stmt, there ? &take : &make);
        if (there)
            assert_ptr_equal(b.taken_from->stmt, &make);
        else
            assert_null(b.taken_from);
    }
}

static void blame_of_undefined(void **state)
{
    (void)state;
    /* the sum adds to what nothing wrote, and is copied */
    const struct interp_form *t =
        store(sum(form(INTERP_FORM_UNDEFINED, 77), 0, 4, 0, 0), &take, 1, 0);
    struct why_blame b = blame_of(fold(IR_ADD, 4, 99), t);
    assert_true(b.undefined);
    assert_ptr_equal(b.store[WHY_TUNED].made->stmt, &go_on);
    /* another order is nobody's fault */
    struct why_blame none;
    assert_false(why_find_blame(op(IR_ADD, atom(0, 0), atom(0, 1)),
                                op(IR_ADD, atom(0, 1), atom(0, 0)), NULL, arena,
                                &none));
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
    struct why_blame blame;
    assert_true(why_find_blame(x, y, NULL, arena, &blame));
    assert_true(why_find_blame(fold(IR_ADD, 200000, 999999),
                               fold(IR_ADD, 200000, 5), NULL, arena, &blame));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(causes),
        cmocka_unit_test(equal_is_no_difference),
        cmocka_unit_test(texts),
        cmocka_unit_test(bags),
        cmocka_unit_test(blame_of_operands),
        cmocka_unit_test(blame_of_lost_terms),
        cmocka_unit_test(blame_of_places),
        cmocka_unit_test(blame_of_undefined),
        cmocka_unit_test(large_ones_end),
    };
    arena = arena_new();
    int failed = cmocka_run_group_tests(tests, NULL, NULL);
    arena_free(arena);
    return failed;
}
