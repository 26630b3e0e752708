/* SPDX-License-Identifier: Apache-2.0
 *
 * The estimate of a run's length: products of extents, symbolic sizes by
 * name, triangular loops by their longest row.
 */
#include "diff/input/input.h"
#include "tests/test.h"

#include <string.h>

struct nest {
    const char *label;
    int64_t extents[4]; /* 0 ends; -1: the size n; -2: the outer variable */
    int64_t n;
    double lo, hi; /* the estimate lies between, in innermost statements */
};

static const struct nest nests[] = {
    {"one", {10, 0}, 0, 10, 10},
    {"product", {10, 20, 30, 0}, 0, 6000, 6000},
    {"symbolic", {7, -1, 0}, 100, 700, 700},
    {"empty", {5, 0, 0, 0}, 0, 5, 5},
    {"triangle", {50, -2, 0}, 0, 1225, 2500},
    {"huge", {1000000000, 1000000000, 0}, 0, 1e18, 1e18},
};

static double estimate(const struct nest *nest, size_t *store_size)
{
    struct ir_module *m = ir_module_new();
    struct ir_func *f = ARENA_NEW(m->arena, struct ir_func);
    struct ir_var *n = ir_var_make(m, "n", DTYPE_INT32);
    struct ir_expr *one[1] = {ir_int(m, DTYPE_INT32, 1)};
    struct ir_buffer *b =
        ir_buffer_make(m, "B", DTYPE_INT32, 1, one, NULL, "global");
    struct ir_expr *zero[1] = {ir_int(m, DTYPE_INT32, 0)};
    struct ir_stmt *s = ir_store(m, b, zero[0], 1, zero, NULL);
    struct ir_var *vars[4];
    size_t depth = 0;
    *store_size = s->size;
    while (depth < 4 && nest->extents[depth] != 0) {
        vars[depth] = ir_var_make(m, "i", DTYPE_INT32);
        depth++;
    }
    while (depth-- > 0) {
        struct ir_stmt *l = ir_stmt_make(m, IR_FOR);
        int64_t e = nest->extents[depth];
        l->u.loop.var = vars[depth];
        l->u.loop.min = zero[0];
        l->u.loop.extent = e == -1   ? ir_var_ref(m, n)
                           : e == -2 ? ir_var_ref(m, vars[depth - 1])
                                     : ir_int(m, DTYPE_INT32, e);
        l->u.loop.body = s;
        ir_stmt_seal(l);
        s = l;
    }
    f->kind = IR_FUNC_PRIM;
    f->name = "f";
    f->prim.body = s;
    assert_true(ir_module_add(m, f));
    struct interp_symbol symbol = {"n", nest->n};
    double work = diff_work(m, f, &symbol, 1);
    ir_module_free(m);
    return work;
}

static void estimate_is_near(void **state)
{
    const struct nest *nest = *state;
    size_t size;
    double work = estimate(nest, &size);
    /* Each innermost statement is a store: itself, value and index, and one
     * step of the loop; outer loops add their own rounds. */
    double per = (double)size + 1;
    if (!(work >= nest->lo && work <= 1.5 * per * nest->hi + 100))
        fail_msg("estimate %g, not within %g .. %g statements", work, nest->lo,
                 nest->hi);
}

int main(void)
{
    struct CMUnitTest tests[DC_ARRAY_LEN(nests)];
    for (size_t i = 0; i < DC_ARRAY_LEN(nests); i++)
        tests[i] =
            (struct CMUnitTest){nests[i].label, estimate_is_near, NULL, NULL,
                                (void *)(uintptr_t)(const void *)&nests[i]};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
