/* SPDX-License-Identifier: Apache-2.0
 *
 * Whether two expressions are the same: each thing that counts has a pair that
 * differs in it alone.
 */
#include "ir/ir.h"
#include "tests/test.h"

#include <string.h>

#define F32 dtype_make(DT_FLOAT, 32, 1)

struct parts {
    struct ir_module *m;
    struct ir_var *i, *j;    /* of one name */
    struct ir_buffer *a, *b; /* of one name */
};

static struct ir_expr *num(const struct parts *p, int64_t x)
{
    return ir_int(p->m, DTYPE_INT32, x);
}

static struct ir_expr *var(const struct parts *p, struct ir_var *v)
{
    return ir_var_ref(p->m, v);
}

static struct ir_expr *load(const struct parts *p, struct ir_buffer *b,
                            struct ir_expr *at, struct ir_expr *predicate)
{
    return ir_load(p->m, b, 1, &at, predicate);
}

static struct ir_expr *call(const struct parts *p, const char *name,
                            struct ir_expr *x)
{
    return ir_call(p->m, x->dtype, name, 1, &x);
}

static struct ir_value *attribute(const struct parts *p, int64_t value)
{
    static const char *const key = "k";
    struct ir_value *item = ir_value_int(p->m, value);
    return ir_value_map(p->m, 1, &key, &item);
}

static struct ir_expr *with_attr(const struct parts *p, int64_t value)
{
    struct ir_expr *e = call(p, "tirx.exp", ir_float(p->m, F32, 1));
    e->u.call.attrs = attribute(p, value);
    return e;
}

/* let v = 1 in v + w */
static struct ir_expr *let(const struct parts *p, struct ir_var *v,
                           struct ir_var *w)
{
    return ir_let(p->m, v, num(p, 1),
                  ir_binary(p->m, IR_ADD, var(p, v), var(p, w)));
}

static void begin(struct parts *p)
{
    p->m = ir_module_new();
    p->i = ir_var_make(p->m, "i", DTYPE_INT32);
    p->j = ir_var_make(p->m, "i", DTYPE_INT32);
    struct ir_expr *shape[] = {num(p, 4)};
    p->a = ir_buffer_make(p->m, "A", F32, 1, shape, NULL, "");
    p->b = ir_buffer_make(p->m, "A", F32, 1, shape, NULL, "");
}

static void expect(const char *what, bool want, struct ir_expr *a,
                   struct ir_expr *b)
{
    if (ir_expr_same(a, b) != want || ir_expr_same(b, a) != want)
        fail_msg("%s: %s", what, want ? "not the same" : "the same");
}

static void test_same(void **state)
{
    struct parts p;
    (void)state;
    begin(&p);
    struct ir_expr *yes = ir_binary(p.m, IR_LT, var(&p, p.i), num(&p, 3));
    struct ir_expr *no = ir_binary(p.m, IR_LT, var(&p, p.i), num(&p, 2));
    expect("NULL", true, NULL, NULL);
    expect("NULL and something", false, NULL, num(&p, 1));
    expect("numbers", true, num(&p, 1), num(&p, 1));
    expect("other numbers", false, num(&p, 1), num(&p, 2));
    expect("numbers of other types", false, num(&p, 1),
           ir_int(p.m, DTYPE_INT64, 1));
    expect("floats", true, ir_float(p.m, F32, 1), ir_float(p.m, F32, 1));
    expect("zeros of other signs", false, ir_float(p.m, F32, 0.0),
           ir_float(p.m, F32, -0.0));
    expect("strings", true, ir_string(p.m, "a"), ir_string(p.m, "a"));
    expect("other strings", false, ir_string(p.m, "a"), ir_string(p.m, "b"));
    expect("a variable", true, var(&p, p.i), var(&p, p.i));
    expect("two variables of one name", false, var(&p, p.i), var(&p, p.j));
    expect("operators", true, yes,
           ir_binary(p.m, IR_LT, var(&p, p.i), num(&p, 3)));
    expect("other operators", false, yes,
           ir_binary(p.m, IR_LE, var(&p, p.i), num(&p, 3)));
    expect("operands that change places", false,
           ir_binary(p.m, IR_ADD, var(&p, p.i), num(&p, 3)),
           ir_binary(p.m, IR_ADD, num(&p, 3), var(&p, p.i)));
    expect("casts", false, ir_cast(p.m, F32, var(&p, p.i)),
           ir_cast(p.m, dtype_make(DT_FLOAT, 16, 1), var(&p, p.i)));
    expect("elements", true, load(&p, p.a, num(&p, 1), NULL),
           load(&p, p.a, num(&p, 1), NULL));
    expect("two buffers of one name", false, load(&p, p.a, num(&p, 1), NULL),
           load(&p, p.b, num(&p, 1), NULL));
    expect("other indices", false, load(&p, p.a, num(&p, 1), NULL),
           load(&p, p.a, num(&p, 2), NULL));
    expect("predicates", true, load(&p, p.a, num(&p, 1), yes),
           load(&p, p.a, num(&p, 1),
                ir_binary(p.m, IR_LT, var(&p, p.i), num(&p, 3))));
    expect("other predicates", false, load(&p, p.a, num(&p, 1), yes),
           load(&p, p.a, num(&p, 1), no));
    expect("no predicate", false, load(&p, p.a, num(&p, 1), yes),
           load(&p, p.a, num(&p, 1), NULL));
    expect("references", false, ir_buffer_ref(p.m, p.a),
           ir_buffer_ref(p.m, p.b));
    ir_module_free(p.m);
}

static void test_calls(void **state)
{
    struct parts p;
    (void)state;
    begin(&p);
    struct ir_expr *one = ir_float(p.m, F32, 1);
    struct ir_expr *v[2] = {ir_broadcast(p.m, num(&p, 1), num(&p, 2)),
                            ir_broadcast(p.m, num(&p, 2), num(&p, 2))};
    struct ir_expr *at[1] = {num(&p, 0)};
    expect("calls", true, call(&p, "tirx.exp", one), call(&p, "tirx.exp", one));
    expect("other calls", false, call(&p, "tirx.exp", one),
           call(&p, "tirx.log", one));
    expect("unknown calls by name", false, call(&p, "tirx.foo", one),
           call(&p, "tirx.bar", one));
    expect("attributes", true, with_attr(&p, 1), with_attr(&p, 1));
    expect("other attributes", false, with_attr(&p, 1), with_attr(&p, 2));
    expect("no attributes", false, with_attr(&p, 1), call(&p, "tirx.exp", one));
    expect("shuffles", false, ir_shuffle(p.m, 2, v, 1, at),
           ir_shuffle(p.m, 1, v, 1, at));
    ir_module_free(p.m);
}

static void test_variables_that_stand_for_each_other(void **state)
{
    struct parts p;
    (void)state;
    begin(&p);
    struct ir_var *k = ir_var_make(p.m, "k", DTYPE_INT32);
    expect("a let's own variable", true, let(&p, p.i, p.i), let(&p, p.j, p.j));
    expect("one that is free on one side", false, let(&p, p.i, p.i),
           let(&p, p.j, p.i));
    expect("one that is free on both", true, let(&p, p.i, k), let(&p, p.j, k));
    expect("free ones that differ", false, let(&p, p.i, k), let(&p, p.j, p.i));
    ir_module_free(p.m);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_same),
        cmocka_unit_test(test_calls),
        cmocka_unit_test(test_variables_that_stand_for_each_other),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
