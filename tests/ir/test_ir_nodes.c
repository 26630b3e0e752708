/* SPDX-License-Identifier: Apache-2.0
 *
 * Node construction, attribute maps, constants, the operator table and walks.
 */
#include "ir/ir.h"
#include "tests/test.h"

#include <string.h>

static void test_types(void **state)
{
    (void)state;
    struct ir_module *m = ir_module_new();
    struct ir_var *i = ir_var_make(m, "i", DTYPE_INT32);
    struct ir_expr *ref = ir_var_ref(m, i);
    struct ir_expr *four = ir_int(m, DTYPE_INT32, 4);
    struct ir_expr *sum = ir_binary(m, IR_ADD, ref, four);
    assert_true(dtype_equal(sum->dtype, DTYPE_INT32));
    assert_int_equal(sum->size, 3);
    assert_int_equal(sum->depth, 2);
    struct ir_expr *ramp = ir_ramp(m, sum, ir_int(m, DTYPE_INT32, 1), four);
    assert_int_equal(ramp->dtype.lanes, 4);
    struct ir_expr *less = ir_binary(m, IR_LT, ramp, ramp);
    assert_int_equal(less->dtype.code, DT_BOOL);
    assert_int_equal(less->dtype.lanes, 4);
    /* A buffer of float32x2 read at 4 lanes gives 8 (formats.md 2.3). */
    struct dtype pair = dtype_make(DT_FLOAT, 32, 2);
    struct ir_expr *shape[] = {four};
    struct ir_buffer *b = ir_buffer_make(m, "B", pair, 1, shape, NULL, "");
    assert_string_equal(b->scope, "global");
    assert_ptr_equal(b->data->owner, b);
    struct ir_expr *load = ir_load(m, b, 1, &ramp, NULL);
    assert_int_equal(load->dtype.lanes, 8);
    ir_module_free(m);
}

/* A DAG of n doublings unfolds to 2^n nodes: size saturates, nothing hangs. */
static void test_saturation(void **state)
{
    (void)state;
    struct ir_module *m = ir_module_new();
    struct ir_expr *e = ir_int(m, DTYPE_INT32, 1);
    for (int n = 0; n < 80; n++)
        e = ir_binary(m, IR_ADD, e, e);
    assert_true(e->size == UINT32_MAX);
    assert_int_equal(e->depth, 81);
    int64_t value;
    assert_false(ir_const_int(e, &value));
    ir_module_free(m);
}

static void test_constants(void **state)
{
    (void)state;
    struct ir_module *m = ir_module_new();
    struct ir_expr *a = ir_int(m, DTYPE_INT64, INT64_MAX);
    struct ir_expr *b = ir_int(m, DTYPE_INT64, 2);
    int64_t value;
    assert_false(ir_const_int(ir_binary(m, IR_MUL, a, b), &value));
    assert_true(ir_const_int(ir_binary(m, IR_SUB, a, b), &value));
    assert_true(value == INT64_MAX - 2);
    struct ir_expr *wide = ir_int(m, DTYPE_INT32, 300);
    struct ir_expr *narrow = ir_cast(m, dtype_make(DT_INT, 8, 1), wide);
    assert_true(ir_is_const_int(narrow, 44));
    ir_module_free(m);
}

static void test_maps(void **state)
{
    (void)state;
    struct ir_module *m = ir_module_new();
    const char *keys[] = {"z", "tir.noalias", "a", "z"};
    struct ir_value *items[] = {ir_value_int(m, 1), ir_value_bool(m, true),
                                ir_value_string(m, "x"), ir_value_int(m, 2)};
    struct ir_value *map = ir_value_map(m, 4, keys, items);
    assert_int_equal(map->n, 3);
    assert_string_equal(map->keys[0], "a");
    int64_t value;
    assert_true(ir_value_as_int(ir_value_find(map, "z"), &value));
    assert_int_equal(value, 2);
    assert_null(ir_value_find(map, "noalias"));
    assert_non_null(ir_attr_find(map, "noalias"));
    assert_null(ir_value_map(m, 0, NULL, NULL));
    assert_null(ir_value_find(NULL, "a"));
    ir_module_free(m);
}

static void test_ops(void **state)
{
    (void)state;
    static const struct {
        const char *name;
        enum ir_op op;
    } cases[] = {
        {"tir.exp", IR_OP_EXP},
        {"prim.if_then_else", IR_OP_IF_THEN_ELSE},
        {"exp", IR_OP_EXP},
        {"tirx.ptx.mma", IR_OP_PTX_MMA},
        {"tirx.ptx_legacy.ldmatrix", IR_OP_PTX_LDMATRIX},
        {"tirx.ptx.cp.async.commit_group", IR_OP_PTX_COMMIT_GROUP},
        {"tir.unheard_of", IR_OP_UNKNOWN},
        {"", IR_OP_UNKNOWN},
        {"tir.", IR_OP_UNKNOWN},
    };
    for (size_t i = 0; i < DC_ARRAY_LEN(cases); i++)
        assert_int_equal(ir_op_find(cases[i].name), cases[i].op);
    for (int op = 0; op < IR_NOPS; op++) {
        const struct ir_op_info *info = ir_op_info((enum ir_op)op);
        assert_true(strlen(info->meaning) > 0);
        assert_true(info->max_args == -1 || info->max_args >= info->min_args);
        if (op != IR_OP_UNKNOWN && op != IR_OP_GLOBAL)
            assert_int_equal(ir_op_find(info->name), op);
    }
}

struct counts {
    int stmts, exprs;
};

static bool count_stmt(void *user, struct ir_stmt *s)
{
    (void)s;
    ((struct counts *)user)->stmts++;
    return true;
}

static bool count_expr(void *user, struct ir_expr *e)
{
    (void)e;
    ((struct counts *)user)->exprs++;
    return true;
}

static void test_visit(void **state)
{
    (void)state;
    struct ir_module *m = ir_module_new();
    struct ir_expr *n = ir_int(m, DTYPE_INT32, 8);
    struct ir_buffer *b =
        ir_buffer_make(m, "B", DTYPE_FLOAT32, 1, &n, NULL, "global");
    struct ir_stmt *loop = ir_stmt_make(m, IR_FOR);
    loop->u.loop.var = ir_var_make(m, "i", DTYPE_INT32);
    loop->u.loop.min = ir_int(m, DTYPE_INT32, 0);
    loop->u.loop.extent = n;
    struct ir_expr *i = ir_var_ref(m, loop->u.loop.var);
    loop->u.loop.body =
        ir_store(m, b, ir_float(m, DTYPE_FLOAT32, 1), 1, &i, NULL);
    ir_stmt_seal(loop);
    struct counts counts = {0, 0};
    struct ir_visitor v = {count_stmt, count_expr, &counts};
    ir_visit_stmt(&v, loop);
    assert_int_equal(counts.stmts, 2);
    assert_int_equal(counts.exprs, 4);
    assert_int_equal(loop->size, 6);
    ir_module_free(m);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_types),     cmocka_unit_test(test_saturation),
        cmocka_unit_test(test_constants), cmocka_unit_test(test_maps),
        cmocka_unit_test(test_ops),       cmocka_unit_test(test_visit)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
