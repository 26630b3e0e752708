/* SPDX-License-Identifier: Apache-2.0
 *
 * Well-formedness at its limits: the last literal of a type and the one after
 * it, the last lane of a shuffle, one condition or predicate for each lane.
 */
#include "ir/ir.h"
#include "tests/test.h"

#include <string.h>

/* main(x: int32, b: bool, A: Buffer((4, 8), float32)) */
struct fixture {
    struct ir_module *m;
    struct ir_expr *x, *b;
    struct ir_buffer *a;
    struct ir_func *func;
};

static struct ir_expr *i32(struct fixture *t, int64_t value)
{
    return ir_int(t->m, DTYPE_INT32, value);
}

static void setup(struct fixture *t)
{
    t->m = ir_module_new();
    t->func = ARENA_NEW(t->m->arena, struct ir_func);
    t->func->name = "main";
    t->func->prim.nparams = 3;
    t->func->prim.params = ARENA_ARRAY(t->m->arena, 3, struct ir_param);
    struct ir_var *x = ir_var_make(t->m, "x", DTYPE_INT32);
    struct ir_var *b = ir_var_make(t->m, "b", DTYPE_BOOL);
    struct ir_expr *shape[] = {i32(t, 4), i32(t, 8)};
    t->a = ir_buffer_make(t->m, "A", DTYPE_FLOAT32, 2, shape, NULL, "");
    t->func->prim.params[0].var = x;
    t->func->prim.params[1].var = b;
    t->func->prim.params[2].buffer = t->a;
    t->x = ir_var_ref(t->m, x);
    t->b = ir_var_ref(t->m, b);
    assert_true(ir_module_add(t->m, t->func));
}

static struct ir_expr *lanes_of(struct fixture *t, struct ir_expr *e,
                                int64_t lanes)
{
    return ir_broadcast(t->m, e, i32(t, lanes));
}

static struct ir_expr *load_of_four(struct fixture *t, int64_t predicates)
{
    struct ir_expr *ramp = ir_ramp(t->m, t->x, i32(t, 1), i32(t, 4));
    struct ir_expr *indices[] = {t->x, ramp};
    return ir_load(t->m, t->a, 2, indices, lanes_of(t, t->b, predicates));
}

static struct ir_expr *select_of_four(struct fixture *t, int64_t conditions)
{
    return ir_select(t->m, lanes_of(t, t->b, conditions), lanes_of(t, t->x, 4),
                     lanes_of(t, t->x, 4));
}

/* A lane out of a vector of two and one of three. */
static struct ir_expr *shuffle_of_five(struct fixture *t, int64_t lane)
{
    struct ir_expr *vectors[] = {lanes_of(t, t->x, 2), lanes_of(t, t->x, 3)};
    struct ir_expr *index = i32(t, lane);
    return ir_shuffle(t->m, 2, vectors, 1, &index);
}

static struct ir_expr *one_condition(struct fixture *t, int64_t unused)
{
    (void)unused;
    return ir_select(t->m, t->b, lanes_of(t, t->x, 4), lanes_of(t, t->x, 4));
}

static const struct {
    const char *label;
    struct ir_expr *(*build)(struct fixture *t, int64_t n);
    int64_t n;
    const char *code; /* NULL: well-formed */
} rows[] = {
    {"the first lane of a shuffle", shuffle_of_five, 0, NULL},
    {"the last lane of a shuffle", shuffle_of_five, 4, NULL},
    {"the lane after it", shuffle_of_five, 5, "ir.index"},
    {"the lane before the first", shuffle_of_five, -1, "ir.index"},
    {"Select by a condition for each lane", select_of_four, 4, NULL},
    {"Select by one condition", one_condition, 1, NULL},
    {"Select by fewer conditions", select_of_four, 2, "ir.lanes"},
    {"Select by more conditions", select_of_four, 8, "ir.lanes"},
    {"a predicate for each lane", load_of_four, 4, NULL},
    {"predicates for fewer lanes", load_of_four, 2, "ir.lanes"},
    {"predicates for more lanes", load_of_four, 8, "ir.lanes"},
};

static const struct {
    enum dtype_code code;
    uint16_t bits;
    int64_t first, last;
} types[] = {
    {DT_INT, 8, -128, 127},
    {DT_INT, 16, -32768, 32767},
    {DT_INT, 32, INT32_MIN, INT32_MAX},
    {DT_UINT, 8, 0, 255},
    {DT_UINT, 16, 0, 65535},
    {DT_UINT, 32, 0, UINT32_MAX},
};

static void expect(struct fixture *t, struct ir_expr *e, const char *label,
                   const char *code)
{
    struct diag_sink *sink = diag_sink_new();
    t->func->prim.body = ir_evaluate(t->m, e);
    bool fine = ir_wellformed(t->m, sink);
    if (fine != (code == NULL) ||
        (code != NULL && strcmp(diag_at(sink, 0)->code, code) != 0)) {
        struct buf text = {0};
        diag_render(sink, false, &text);
        fail_msg("%s: %s", label, buf_text(&text));
    }
    diag_sink_free(sink);
}

static void test_lanes(void **state)
{
    (void)state;
    for (size_t i = 0; i < DC_ARRAY_LEN(rows); i++) {
        struct fixture t;
        setup(&t);
        expect(&t, rows[i].build(&t, rows[i].n), rows[i].label, rows[i].code);
        ir_module_free(t.m);
    }
}

static void test_literals(void **state)
{
    (void)state;
    for (size_t i = 0; i < DC_ARRAY_LEN(types); i++) {
        struct dtype type = dtype_make(types[i].code, types[i].bits, 1);
        struct fixture t;
        setup(&t);
        const struct {
            int64_t value;
            const char *code;
        } values[] = {{types[i].first, NULL},
                      {types[i].last, NULL},
                      {types[i].first - 1, "ir.literal"},
                      {types[i].last + 1, "ir.literal"}};
        for (size_t k = 0; k < DC_ARRAY_LEN(values); k++)
            expect(&t, ir_int(t.m, type, values[k].value), "a literal",
                   values[k].code);
        ir_module_free(t.m);
    }
}

/* What a branch binds is not known behind it. */
static void test_scopes(void **state)
{
    (void)state;
    for (int behind = 0; behind < 2; behind++) {
        struct fixture t;
        setup(&t);
        struct ir_var *v = ir_var_make(t.m, "v", DTYPE_INT32);
        struct ir_stmt *bind = ir_stmt_make(t.m, IR_BIND);
        bind->u.bind.var = v;
        bind->u.bind.value = i32(&t, 1);
        ir_stmt_seal(bind);
        struct ir_stmt *use = ir_evaluate(t.m, ir_var_ref(t.m, v));
        struct ir_stmt *inner[] = {bind, use};
        struct ir_stmt *branch = ir_stmt_make(t.m, IR_IF);
        branch->u.if_.cond = t.b;
        branch->u.if_.then_ = behind ? bind : ir_seq(t.m, 2, inner);
        ir_stmt_seal(branch);
        struct ir_stmt *outer[] = {branch, use};
        t.func->prim.body = behind ? ir_seq(t.m, 2, outer) : branch;
        struct diag_sink *sink = diag_sink_new();
        assert_int_equal(ir_wellformed(t.m, sink), !behind);
        if (behind)
            assert_string_equal(diag_at(sink, 0)->code,
                                "ir.undefined-variable");
        diag_sink_free(sink);
        ir_module_free(t.m);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_lanes),
        cmocka_unit_test(test_literals),
        cmocka_unit_test(test_scopes),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
