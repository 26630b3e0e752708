/* SPDX-License-Identifier: Apache-2.0
 *
 * The TVMScript printer. Expected texts are what TVM 0.27's parser turns back
 * into the very same nodes (its constant folding and Python's precedences are
 * the independent rules); whole files are read again and compared.
 */
#include "ir/ir.h"
#include "tests/test.h"

#include <dirent.h>
#include <math.h>
#include <string.h>

struct fixture {
    struct ir_module *m;
    struct ir_func *func;
    struct ir_expr *x, *y, *l, *f, *g, *b, *c, *u;
    struct ir_buffer *a;
};

static struct ir_expr *param(struct fixture *t, const char *name,
                             struct dtype type)
{
    struct ir_var *var = ir_var_make(t->m, name, type);
    t->func->prim.params[t->func->prim.nparams++].var = var;
    return ir_var_ref(t->m, var);
}

static void setup(struct fixture *t)
{
    t->m = ir_module_new();
    t->func = ARENA_NEW(t->m->arena, struct ir_func);
    t->func->name = "main";
    t->func->prim.params = ARENA_ARRAY(t->m->arena, 16, struct ir_param);
    t->x = param(t, "x", DTYPE_INT32);
    t->y = param(t, "y", DTYPE_INT32);
    t->l = param(t, "l", DTYPE_INT64);
    t->f = param(t, "f", DTYPE_FLOAT32);
    t->g = param(t, "g", DTYPE_FLOAT32);
    t->b = param(t, "b", DTYPE_BOOL);
    t->c = param(t, "c", DTYPE_BOOL);
    t->u = param(t, "u", dtype_make(DT_UINT, 64, 1));
    struct ir_expr *shape[] = {ir_int(t->m, DTYPE_INT32, 4)};
    t->a = ir_buffer_make(t->m, "A", DTYPE_FLOAT32, 1, shape, NULL, "");
    t->func->prim.params[t->func->prim.nparams++].buffer = t->a;
    assert_true(ir_module_add(t->m, t->func));
}

static struct ir_expr *num(struct fixture *t, int64_t value)
{
    return ir_int(t->m, DTYPE_INT32, value);
}

static struct ir_expr *op(struct fixture *t, enum ir_expr_kind kind,
                          struct ir_expr *a, struct ir_expr *b)
{
    return ir_binary(t->m, kind, a, b);
}

static struct ir_expr *flt(struct fixture *t, double value)
{
    return ir_float(t->m, DTYPE_FLOAT32, value);
}

/* ---- expressions --------------------------------------------------------- */

#define EXPR(name, body)                           \
    static struct ir_expr *name(struct fixture *t) \
    {                                              \
        return body;                               \
    }

EXPR(add, op(t, IR_ADD, t->x, num(t, 1)))
EXPR(add_zero, op(t, IR_ADD, t->x, num(t, 0)))
EXPR(zero_add, op(t, IR_ADD, num(t, 0), t->x))
EXPR(zero_sub, op(t, IR_SUB, num(t, 0), t->x))
EXPR(mul_const, op(t, IR_MUL, num(t, 2), num(t, 3)))
EXPR(mul_one, op(t, IR_MUL, t->x, num(t, 1)))
EXPR(mul_zero, op(t, IR_MUL, t->x, num(t, 0)))
EXPR(zero_mul, op(t, IR_MUL, num(t, 0), t->x))
EXPR(one_mul, op(t, IR_MUL, num(t, 1), t->x))
EXPR(two_mul, op(t, IR_MUL, num(t, 2), t->x))
EXPR(sub_zero, op(t, IR_SUB, t->x, num(t, 0)))
EXPR(zero_floordiv, op(t, IR_FLOORDIV, num(t, 0), t->x))
EXPR(one_floordiv, op(t, IR_FLOORDIV, num(t, 1), t->x))
EXPR(mul_float_zero, op(t, IR_MUL, t->f, flt(t, 0.0)))
EXPR(floordiv, op(t, IR_FLOORDIV, t->x, num(t, 4)))
EXPR(floordiv_one, op(t, IR_FLOORDIV, t->x, num(t, 1)))
EXPR(floormod, op(t, IR_FLOORMOD, t->x, num(t, 4)))
EXPR(div_int, op(t, IR_DIV, t->x, t->y))
EXPR(div_float, op(t, IR_DIV, t->f, t->g))
EXPR(mod_int, op(t, IR_MOD, t->x, t->y))
EXPR(sum_times, op(t, IR_MUL, op(t, IR_ADD, t->x, t->y), num(t, 2)))
EXPR(sum_of_product, op(t, IR_ADD, t->x, op(t, IR_MUL, t->y, num(t, 2))))
EXPR(left_sub, op(t, IR_SUB, op(t, IR_SUB, t->x, t->y), num(t, 2)))
EXPR(right_sub, op(t, IR_SUB, t->x, op(t, IR_SUB, t->y, num(t, 2))))
EXPR(negative, op(t, IR_ADD, t->x, num(t, -3)))
EXPR(compare, op(t, IR_LT, t->x, num(t, 4)))
EXPR(compare_const, op(t, IR_LT, num(t, 3), num(t, 4)))
EXPR(compare_bools, op(t, IR_EQ, op(t, IR_LT, t->x, t->y), t->b))
EXPR(and_or, op(t, IR_AND, t->b, op(t, IR_OR, t->c, t->b)))
EXPR(or_and, op(t, IR_OR, t->b, op(t, IR_AND, t->c, t->b)))
EXPR(not_and, op(t, IR_AND, ir_not(t->m, t->b), t->c))
EXPR(not_of_and, ir_not(t->m, op(t, IR_AND, t->b, t->c)))
EXPR(bits, op(t, IR_BITOR, op(t, IR_BITAND, t->x, t->y), num(t, 1)))
EXPR(shift_zero, op(t, IR_SHR, t->x, num(t, 0)))
EXPR(shift, op(t, IR_SHL, t->x, num(t, 3)))
EXPR(max_two, op(t, IR_MAX, t->x, t->y))
EXPR(max_same, op(t, IR_MAX, t->x, ir_var_ref(t->m, t->x->u.var)))
EXPR(int64_add, op(t, IR_ADD, t->l, ir_int(t->m, DTYPE_INT64, 4)))
EXPR(huge, op(t, IR_ADD, t->u, ir_int(t->m, t->u->dtype, -1)))
EXPR(half, ir_float(t->m, dtype_make(DT_FLOAT, 16, 1), 0.1))
EXPR(infinite, flt(t, (double)INFINITY))
EXPR(minus_infinite, flt(t, -(double)INFINITY))
EXPR(not_a_number, flt(t, (double)NAN))
EXPR(minus_zero, flt(t, -0.0))
EXPR(truth, ir_int(t->m, DTYPE_BOOL, 1))
EXPR(cast, ir_cast(t->m, DTYPE_FLOAT32, t->x))
EXPR(choose, ir_select(t->m, t->b, t->x, t->y))
EXPR(ramp, ir_ramp(t->m, t->x, num(t, 1), num(t, 4)))
EXPR(broadcast, ir_broadcast(t->m, t->f, num(t, 8)))
EXPR(load, ir_load(t->m, t->a, 1, &t->x, NULL))
EXPR(pointer, ir_var_ref(t->m, t->a->data))
EXPR(call_exp, ir_call(t->m, DTYPE_FLOAT32, "tirx.exp", 1, &t->f))
EXPR(call_old, ir_call(t->m, DTYPE_FLOAT32, "tir.exp", 1, &t->f))
EXPR(call_int, ir_call(t->m, DTYPE_INT32, "tirx.exp", 1, &t->x))
EXPR(call_unknown, ir_call(t->m, DTYPE_FLOAT32, "tirx.foo", 1, &t->f))

static struct ir_expr *choice_of_constant(struct fixture *t)
{
    struct ir_expr *args[] = {truth(t), t->f, t->g};
    return ir_call(t->m, DTYPE_FLOAT32, "tirx.if_then_else", 3, args);
}

static struct ir_expr *fabs_of_constant(struct fixture *t)
{
    struct ir_expr *arg = flt(t, -1.0);
    return ir_call(t->m, DTYPE_FLOAT32, "tirx.fabs", 1, &arg);
}

static struct ir_expr *sync(struct fixture *t)
{
    struct ir_expr *scope = ir_string(t->m, "shared");
    return ir_call(t->m, DTYPE_VOID, "tirx.tvm_storage_sync", 1, &scope);
}

static struct ir_expr *external(struct fixture *t)
{
    struct ir_expr *args[] = {ir_string(t->m, "a\"b\\\n\x01"), t->f};
    return ir_call(t->m, DTYPE_FLOAT32, "tirx.call_extern", 2, args);
}

static const struct {
    struct ir_expr *(*build)(struct fixture *t);
    const char *text;
} expressions[] = {
    {add, "x + 1"},
    {add_zero, "T.Add(x, 0)"},
    {zero_add, "T.Add(0, x)"},
    {zero_sub, "0 - x"},
    {mul_const, "T.Mul(2, 3)"},
    {mul_one, "T.Mul(x, 1)"},
    {mul_zero, "T.Mul(x, 0)"},
    {zero_mul, "T.Mul(0, x)"},
    {one_mul, "T.Mul(1, x)"},
    {two_mul, "2 * x"},
    {sub_zero, "T.Sub(x, 0)"},
    {zero_floordiv, "T.FloorDiv(0, x)"},
    {one_floordiv, "1 // x"},
    {mul_float_zero, "T.Mul(f, T.float32(0.0))"},
    {floordiv, "x // 4"},
    {floordiv_one, "T.FloorDiv(x, 1)"},
    {floormod, "x % 4"},
    {div_int, "T.Div(x, y)"},
    {div_float, "f / g"},
    {mod_int, "T.truncmod(x, y)"},
    {sum_times, "(x + y) * 2"},
    {sum_of_product, "x + y * 2"},
    {left_sub, "x - y - 2"},
    {right_sub, "x - (y - 2)"},
    {negative, "x + -3"},
    {compare, "x < 4"},
    {compare_const, "T.LT(3, 4)"},
    {compare_bools, "(x < y) == b"},
    {and_or, "b and (c or b)"},
    {or_and, "b or c and b"},
    {not_and, "not b and c"},
    {not_of_and, "not (b and c)"},
    {bits, "x & y | 1"},
    {shift_zero, "T.RShift(x, 0)"},
    {shift, "x << 3"},
    {max_two, "T.max(x, y)"},
    {max_same, "T.Max(x, x)"},
    {int64_add, "l + T.int64(4)"},
    {huge, "u + T.uint64(18446744073709551615)"},
    {half, "T.float16(0.1)"},
    {infinite, "T.float32(\"inf\")"},
    {minus_infinite, "T.float32(\"-inf\")"},
    {not_a_number, "T.float32(\"nan\")"},
    {minus_zero, "T.float32(-0.0)"},
    {truth, "T.bool(True)"},
    {cast, "T.Cast(\"float32\", x)"},
    {choose, "T.Select(b, x, y)"},
    {ramp, "T.Ramp(x, 1, 4)"},
    {broadcast, "T.Broadcast(f, 8)"},
    {load, "A[x]"},
    {pointer, "A.data"},
    {call_exp, "T.exp(f)"},
    {call_old, "T.exp(f)"},
    {call_int, "T.call_intrin(\"int32\", \"tirx.exp\", x)"},
    {call_unknown, "T.call_intrin(\"float32\", \"tirx.foo\", f)"},
    {choice_of_constant, "T.call_intrin(\"float32\", \"prim.if_then_else\", "
                         "T.bool(True), f, g)"},
    {fabs_of_constant,
     "T.call_intrin(\"float32\", \"tirx.fabs\", T.float32(-1.0))"},
    {sync, "T.call_intrin(\"void\", \"tirx.tvm_storage_sync\", \"shared\")"},
    {external, "T.call_extern(\"float32\", \"a\\\"b\\\\\\n\\x01\", f)"},
};

/* The value bound by the last line, "v: T.let… = VALUE". */
static void last_value(const struct buf *script, struct buf *out)
{
    const char *at = strstr(buf_text(script), "let");
    assert_non_null(at);
    at = strstr(at, " = ");
    assert_non_null(at);
    buf_append(out, at + 3, strcspn(at + 3, "\n"));
}

static void test_expressions(void **state)
{
    (void)state;
    for (size_t i = 0; i < DC_ARRAY_LEN(expressions); i++) {
        struct fixture t;
        struct buf script = {0}, value = {0};
        setup(&t);
        struct ir_stmt *bind = ir_stmt_make(t.m, IR_BIND);
        bind->u.bind.value = expressions[i].build(&t);
        bind->u.bind.var = ir_var_make(t.m, "v", bind->u.bind.value->dtype);
        ir_stmt_seal(bind);
        t.func->prim.body = bind;
        ir_print_script(t.m, &script);
        last_value(&script, &value);
        assert_string_equal(buf_text(&value), expressions[i].text);
        buf_fini(&script);
        buf_fini(&value);
        ir_module_free(t.m);
    }
}

/* ---- whole functions ----------------------------------------------------- */

static void print_and_compare(struct ir_module *m, const char *expected)
{
    struct buf script = {0};
    ir_print_script(m, &script);
    assert_string_equal(buf_text(&script), expected);
    buf_fini(&script);
}

#define HEADER                             \
    "# from tvm.script import ir as I\n"   \
    "# from tvm.script import tirx as T\n" \
    "\n"

static void test_empty_module(void **state)
{
    (void)state;
    struct ir_module *m = ir_module_new();
    print_and_compare(m, HEADER "@I.ir_module\n"
                                "class Module:\n"
                                "    pass\n");
    ir_module_free(m);
}

static struct ir_stmt *loop(struct ir_module *m, struct ir_var *var,
                            struct ir_expr *extent, struct ir_stmt *body)
{
    struct ir_stmt *s = ir_stmt_make(m, IR_FOR);
    s->u.loop.var = var;
    s->u.loop.min = ir_int(m, extent->dtype, 0);
    s->u.loop.extent = extent;
    s->u.loop.body = body;
    ir_stmt_seal(s);
    return s;
}

/* Names: keywords, the namespaces and each other are stepped around; a
 * variable outside of its scope is another, free one. */
static void test_names(void **state)
{
    (void)state;
    struct ir_module *m = ir_module_new();
    struct ir_func *f = ARENA_NEW(m->arena, struct ir_func);
    static const char *const names[] = {"for", "T", "i", "i", "3x", "a.b", ""};
    struct ir_stmt *items[8];
    for (size_t i = 0; i < 7; i++) {
        struct ir_var *v = ir_var_make(m, names[i], DTYPE_INT32);
        items[i] = loop(m, v, ir_int(m, DTYPE_INT32, 2),
                        ir_evaluate(m, ir_var_ref(m, v)));
    }
    items[7] = ir_evaluate(m, ir_var_ref(m, items[2]->u.loop.var));
    f->name = "main";
    f->prim.body = ir_seq(m, 8, items);
    m->bare_func = true;
    assert_true(ir_module_add(m, f));
    print_and_compare(m, HEADER "@T.prim_func(private=True)\n"
                                "def main():\n"
                                "    i_2 = T.int32()\n"
                                "    for for_1 in range(2):\n"
                                "        T.evaluate(for_1)\n"
                                "    for T_1 in range(2):\n"
                                "        T.evaluate(T_1)\n"
                                "    for i in range(2):\n"
                                "        T.evaluate(i)\n"
                                "    for i_1 in range(2):\n"
                                "        T.evaluate(i_1)\n"
                                "    for v3x in range(2):\n"
                                "        T.evaluate(v3x)\n"
                                "    for a_b in range(2):\n"
                                "        T.evaluate(a_b)\n"
                                "    for v in range(2):\n"
                                "        T.evaluate(v)\n"
                                "    T.evaluate(i_2)\n");
    ir_module_free(m);
}

/* int64 symbols are TypeVars, int32 ones are quoted where they are defined;
 * other than plain buffers say so; not being s_tir needs layout=None. */
static void test_signature(void **state)
{
    (void)state;
    struct ir_module *m = ir_module_new();
    struct ir_func *f = ARENA_NEW(m->arena, struct ir_func);
    struct ir_expr *n = ir_var_ref(m, ir_var_make(m, "n", DTYPE_INT64));
    struct ir_expr *k = ir_var_ref(m, ir_var_make(m, "k", DTYPE_INT32));
    struct ir_expr *s = ir_var_ref(m, ir_var_make(m, "s", DTYPE_INT32));
    struct ir_expr *shape[] = {
        n, k, ir_binary(m, IR_MUL, k, ir_int(m, DTYPE_INT32, 2))};
    struct ir_buffer *a =
        ir_buffer_make(m, "A", DTYPE_FLOAT32, 3, shape, NULL, "shared");
    struct ir_buffer *b = ir_buffer_make(m, "B", dtype_make(DT_INT, 8, 4), 1,
                                         &shape[1], NULL, "");
    b->nstrides = 1;
    b->strides = ARENA_ARRAY(m->arena, 1, struct ir_expr *);
    b->strides[0] = s;
    b->alignment = 16;
    f->name = "main";
    f->prim.nparams = 2;
    f->prim.params = ARENA_ARRAY(m->arena, 2, struct ir_param);
    f->prim.params[0].buffer = a;
    f->prim.params[1].buffer = b;
    f->prim.body = ir_evaluate(m, ir_binary(m, IR_ADD, k, s));
    const char *keys[] = {"global_symbol", "tir.noalias"};
    struct ir_value *values[] = {ir_value_string(m, "main"),
                                 ir_value_bool(m, true)};
    f->attrs = ir_value_map(m, 2, keys, values);
    m->bare_func = true;
    assert_true(ir_module_add(m, f));
    print_and_compare(
        m, "# from typing import TypeVar\n" HEADER "n = TypeVar(\"n\")\n"
           "@T.prim_func\n"
           "def main(A: T.Buffer((n, \"k\", \"k * 2\"), \"float32\", "
           "scope=\"shared\", layout=None), B: T.Buffer((\"k\",), \"int8x4\", "
           "strides=(\"s\",), align=16, layout=None)):\n"
           "    T.func_attr({\"tirx.noalias\": True})\n"
           "    T.evaluate(k + B.strides[0])\n");
    ir_module_free(m);
}

static struct ir_stmt *block(struct ir_module *m, struct ir_stmt *body)
{
    struct ir_block *b = ARENA_NEW(m->arena, struct ir_block);
    b->name = "root";
    b->predicate = ir_int(m, DTYPE_BOOL, 1);
    b->body = body;
    struct ir_stmt *s = ir_stmt_make(m, IR_BLOCK);
    s->u.block = b;
    ir_stmt_seal(s);
    return s;
}

/* The root block is left out only where TVM puts it back: around blocks, in a
 * function marked s_tir. */
static void test_root_block(void **state)
{
    (void)state;
    static const struct {
        bool s_tir, inner;
        const char *text;
    } cases[] = {
        {true, true,
         HEADER "@T.prim_func(private=True, s_tir=True)\n"
                "def main():\n"
                "    # with T.sblock(\"root\"):\n"
                "    for i in range(2):\n"
                "        with T.sblock(\"root\"):\n"
                "            T.reads()\n"
                "            T.writes()\n"
                "            T.evaluate(0)\n"},
        {true, false,
         HEADER "@T.prim_func(private=True, s_tir=True)\n"
                "def main():\n"
                "    with T.sblock(\"root\"):\n"
                "        T.reads()\n"
                "        T.writes()\n"
                "        T.evaluate(0)\n"},
        {false, true,
         HEADER "@T.prim_func(private=True)\n"
                "def main():\n"
                "    with T.sblock(\"root\"):\n"
                "        T.reads()\n"
                "        T.writes()\n"
                "        for i in range(2):\n"
                "            with T.sblock(\"root\"):\n"
                "                T.reads()\n"
                "                T.writes()\n"
                "                T.evaluate(0)\n"},
    };
    for (size_t i = 0; i < DC_ARRAY_LEN(cases); i++) {
        struct ir_module *m = ir_module_new();
        struct ir_func *f = ARENA_NEW(m->arena, struct ir_func);
        struct ir_stmt *body = ir_evaluate(m, ir_int(m, DTYPE_INT32, 0));
        if (cases[i].inner)
            body = loop(m, ir_var_make(m, "i", DTYPE_INT32),
                        ir_int(m, DTYPE_INT32, 2), block(m, body));
        f->name = "main";
        f->prim.body = block(m, body);
        const char *key = "s_tir";
        struct ir_value *mark = ir_value_bool(m, true);
        f->attrs = cases[i].s_tir ? ir_value_map(m, 1, &key, &mark) : NULL;
        m->bare_func = true;
        assert_true(ir_module_add(m, f));
        print_and_compare(m, cases[i].text);
        ir_module_free(m);
    }
}

/* ---- print, read, compare ------------------------------------------------ */

typedef struct ir_stmt *(*build_stmt)(struct fixture *t);

static struct ir_stmt *keep(struct ir_stmt *s)
{
    ir_stmt_seal(s);
    return s;
}

static struct ir_stmt *eval(struct fixture *t, struct ir_expr *e)
{
    return ir_evaluate(t->m, e);
}

static struct ir_stmt *two(struct fixture *t, struct ir_stmt *a,
                           struct ir_stmt *b)
{
    struct ir_stmt *items[] = {a, b};
    return ir_seq(t->m, 2, items);
}

static struct ir_var *var(struct fixture *t, const char *name)
{
    return ir_var_make(t->m, name, DTYPE_INT32);
}

static struct ir_expr *lanes4(struct fixture *t)
{
    return ir_ramp(t->m, t->x, num(t, 1), num(t, 4));
}

static struct ir_expr *mask4(struct fixture *t)
{
    return ir_broadcast(t->m, t->b, num(t, 4));
}

static struct ir_stmt *masked_load(struct fixture *t)
{
    struct ir_expr *at = lanes4(t);
    struct ir_expr *v = ir_load(t->m, t->a, 1, &at, mask4(t));
    return ir_store(t->m, t->a, v, 1, &at, NULL);
}

static struct ir_stmt *masked_store(struct fixture *t)
{
    struct ir_expr *at = lanes4(t);
    return ir_store(t->m, t->a, ir_broadcast(t->m, t->f, num(t, 4)), 1, &at,
                    mask4(t));
}

static struct ir_stmt *let(struct fixture *t)
{
    struct ir_var *v = var(t, "v");
    return eval(
        t, ir_let(t->m, v, t->x, op(t, IR_ADD, ir_var_ref(t->m, v), t->y)));
}

static struct ir_stmt *constants(struct fixture *t, struct dtype type,
                                 const void *data, size_t bytes)
{
    struct ir_expr *shape[] = {num(t, 3)};
    struct ir_stmt *s = ir_stmt_make(t->m, IR_ALLOC_CONST);
    struct ir_tensor *v = ARENA_NEW(t->m->arena, struct ir_tensor);
    v->dtype = type;
    v->rank = 1;
    v->shape = ARENA_ARRAY(t->m->arena, 1, int64_t);
    v->shape[0] = 3;
    v->bytes = bytes;
    v->data = arena_memdup(t->m->arena, data, bytes);
    s->u.alloc.buffer = ir_buffer_make(t->m, "K", type, 1, shape, NULL, "");
    s->u.alloc.data = v;
    return keep(s);
}

static struct ir_stmt *constant_floats(struct fixture *t)
{
    static const float data[] = {0.1f, -0.0f, 1e30f};
    return constants(t, DTYPE_FLOAT32, data, sizeof data);
}

static struct ir_stmt *constant_ints(struct fixture *t)
{
    static const int64_t data[] = {INT64_MIN, -1, INT64_MAX};
    return constants(t, DTYPE_INT64, data, sizeof data);
}

static struct ir_stmt *while_break(struct fixture *t)
{
    struct ir_stmt *s = ir_stmt_make(t->m, IR_WHILE);
    s->u.while_.cond = t->b;
    s->u.while_.body = two(t, eval(t, t->x), ir_stmt_make(t->m, IR_BREAK));
    return keep(s);
}

static struct ir_stmt *loop_continue(struct fixture *t)
{
    return loop(t->m, var(t, "i"), num(t, 3),
                two(t, eval(t, t->x), ir_stmt_make(t->m, IR_CONTINUE)));
}

static struct ir_stmt *leave(struct fixture *t)
{
    struct ir_stmt *s = ir_stmt_make(t->m, IR_RETURN);
    s->u.value = t->x;
    return keep(s);
}

static struct ir_stmt *assertion(struct fixture *t)
{
    struct ir_stmt *s = ir_stmt_make(t->m, IR_ASSERT);
    s->u.assert_.cond = t->b;
    s->u.assert_.error_kind = "ValueError";
    s->u.assert_.nparts = 2;
    s->u.assert_.parts = ARENA_ARRAY(t->m->arena, 2, struct ir_expr *);
    s->u.assert_.parts[0] = ir_string(t->m, "line\nand \"quote\"");
    s->u.assert_.parts[1] = ir_string(t->m, "\xc3\xa9");
    return keep(s);
}

static struct ir_stmt *attribute(struct fixture *t, struct ir_value *node)
{
    struct ir_stmt *s = ir_stmt_make(t->m, IR_ATTR);
    s->u.attr.node = node;
    s->u.attr.key = "pragma_x";
    s->u.attr.value = num(t, 1);
    s->u.attr.body = eval(t, t->x);
    return keep(s);
}

static struct ir_stmt *attribute_int(struct fixture *t)
{
    return attribute(t, ir_value_int(t->m, 0));
}

static struct ir_stmt *attribute_imm(struct fixture *t)
{
    return attribute(t, ir_value_expr(t->m, num(t, 0)));
}

static struct ir_stmt *attribute_map(struct fixture *t)
{
    static const char *const keys[] = {"a", "b", "c", "d"};
    struct ir_value *list = ir_value_make(t->m, IR_V_ARRAY);
    struct ir_value *real = ir_value_make(t->m, IR_V_FLOAT);
    real->u.number = 0.1;
    list->n = 2;
    list->items = ARENA_ARRAY(t->m->arena, 2, struct ir_value *);
    list->items[0] = ir_value_bool(t->m, true);
    list->items[1] = ir_value_string(t->m, "x");
    struct ir_value *values[] = {list, real, ir_value_int(t->m, INT64_MIN),
                                 ir_value_make(t->m, IR_V_NONE)};
    struct ir_stmt *s = loop(t->m, var(t, "i"), num(t, 3), eval(t, t->x));
    s->u.loop.annotations = ir_value_map(t->m, 4, keys, values);
    return s;
}

static struct ir_stmt *launch(struct fixture *t, struct ir_var *v,
                              int64_t extent)
{
    struct ir_stmt *s = ir_stmt_make(t->m, IR_ATTR);
    struct ir_iter_var *iv = ARENA_NEW(t->m->arena, struct ir_iter_var);
    iv->var = v;
    iv->type = IR_ITER_THREAD;
    iv->thread_tag = "threadIdx.x";
    iv->has_dom = true;
    iv->dom = (struct ir_range){num(t, 0), num(t, extent)};
    s->u.attr.node = ir_value_make(t->m, IR_V_ITER_VAR);
    s->u.attr.node->u.iter_var = iv;
    s->u.attr.key = "thread_extent";
    s->u.attr.value = num(t, extent);
    s->u.attr.body = eval(t, ir_var_ref(t->m, v));
    return keep(s);
}

static struct ir_stmt *launch_once(struct fixture *t)
{
    return launch(t, var(t, "tx"), 32);
}

/* One thread variable in two kernels. */
static struct ir_stmt *launch_twice(struct fixture *t)
{
    struct ir_var *v = var(t, "tx");
    return two(t, launch(t, v, 32), launch(t, v, 32));
}

static struct ir_stmt *declared(struct fixture *t, struct ir_buffer *b,
                                struct ir_expr *value)
{
    struct ir_stmt *s = ir_stmt_make(t->m, IR_DECL_BUFFER);
    struct ir_expr *zero = num(t, 0);
    s->u.decl.buffer = b;
    s->u.decl.value = value;
    ir_stmt_seal(s);
    return two(t, s, eval(t, ir_load(t->m, b, 1, &zero, NULL)));
}

static struct ir_buffer *view_of(struct fixture *t, struct ir_var *data)
{
    struct ir_expr *shape[] = {num(t, 2)};
    struct ir_buffer *b =
        ir_buffer_make(t->m, "V", dtype_make(DT_INT, 8, 1), 1, shape, data, "");
    b->elem_offset = t->x;
    b->alignment = 4;
    b->offset_factor = 2;
    return b;
}

static struct ir_stmt *view_shared(struct fixture *t)
{
    return declared(t, view_of(t, t->a->data), NULL);
}

static struct ir_stmt *view_pointer(struct fixture *t)
{
    struct ir_expr *ref = ir_buffer_ref(t->m, t->a);
    return declared(t, view_of(t, NULL),
                    ir_call(t->m, DTYPE_HANDLE, "tirx.buffer_data", 1, &ref));
}

/* A buffer on A's pointer that no statement declares (TVM <= 0.23). */
static struct ir_stmt *view_undeclared(struct fixture *t)
{
    struct ir_expr *zero = num(t, 0);
    return eval(t, ir_load(t->m, view_of(t, t->a->data), 1, &zero, NULL));
}

static struct ir_stmt *nested_if(struct fixture *t)
{
    struct ir_stmt *inner = ir_stmt_make(t->m, IR_IF);
    struct ir_stmt *outer = ir_stmt_make(t->m, IR_IF);
    inner->u.if_.cond = t->c;
    inner->u.if_.then_ = eval(t, t->x);
    inner->u.if_.else_ = eval(t, t->y);
    ir_stmt_seal(inner);
    outer->u.if_.cond = t->b;
    outer->u.if_.then_ = eval(t, t->l);
    outer->u.if_.else_ = inner;
    return keep(outer);
}

static struct ir_stmt *loop_bounds(struct fixture *t)
{
    struct ir_stmt *s = loop(t->m, var(t, "i"), t->y, eval(t, t->x));
    s->u.loop.min = t->x;
    s->u.loop.step = num(t, 3);
    s->u.loop.kind = IR_FOR_UNROLLED;
    return s;
}

static struct ir_stmt *bind_vector(struct fixture *t)
{
    struct ir_stmt *s = ir_stmt_make(t->m, IR_BIND);
    s->u.bind.value = ir_broadcast(t->m, t->b, num(t, 3));
    s->u.bind.var = ir_var_make(t->m, "v", s->u.bind.value->dtype);
    return keep(s);
}

static struct ir_stmt *bind_pointer(struct fixture *t)
{
    struct ir_stmt *s = ir_stmt_make(t->m, IR_BIND);
    s->u.bind.value = ir_var_ref(t->m, t->a->data);
    s->u.bind.var = ir_pointer_make(t->m, "p", DTYPE_FLOAT32, "shared");
    return keep(s);
}

static struct ir_stmt *opaque_block(struct fixture *t)
{
    struct ir_stmt *s = block(t->m, eval(t, t->x));
    struct ir_block *b = s->u.block;
    static const enum ir_iter_type types[] = {IR_ITER_SCAN, IR_ITER_OPAQUE,
                                              IR_ITER_REDUCE};
    b->niters = 3;
    b->iters = ARENA_ARRAY(t->m->arena, 3, struct ir_iter_var);
    b->iter_values = ARENA_ARRAY(t->m->arena, 3, struct ir_expr *);
    for (size_t i = 0; i < 3; i++) {
        b->iters[i].var = var(t, "v");
        b->iters[i].type = types[i];
        b->iters[i].has_dom = true;
        b->iters[i].dom = (struct ir_range){num(t, (int64_t)i), t->y};
        b->iter_values[i] = t->x;
    }
    b->predicate = op(t, IR_LT, t->x, t->y);
    b->init = eval(t, t->y);
    return block(t->m, s);
}

static struct ir_stmt *matched(struct fixture *t)
{
    struct ir_expr *shape[] = {num(t, 2)}, *zero = num(t, 0);
    struct ir_buffer *b =
        ir_buffer_make(t->m, "M", DTYPE_FLOAT32, 1, shape, NULL, "");
    struct ir_expr *stride = ir_var_ref(t->m, var(t, "s"));
    struct ir_expr *offset = ir_var_ref(t->m, var(t, "o"));
    b->nstrides = 1;
    b->strides = ARENA_ARRAY(t->m->arena, 1, struct ir_expr *);
    b->strides[0] = stride;
    b->elem_offset = offset;
    struct ir_stmt *s =
        block(t->m, two(t, eval(t, ir_load(t->m, b, 1, &zero, NULL)),
                        eval(t, op(t, IR_ADD, stride, offset))));
    struct ir_block *k = s->u.block;
    k->nmatches = 1;
    k->matches = ARENA_ARRAY(t->m->arena, 1, struct ir_match_buffer);
    k->matches[0].buffer = b;
    k->matches[0].source.buffer = t->a;
    k->matches[0].source.nranges = 1;
    k->matches[0].source.ranges = ARENA_ARRAY(t->m->arena, 1, struct ir_range);
    k->matches[0].source.ranges[0] = (struct ir_range){t->x, num(t, 2)};
    return s;
}

static struct ir_stmt *reducer(struct fixture *t)
{
    struct ir_comm_reducer *r = ARENA_NEW(t->m->arena, struct ir_comm_reducer);
    r->n = 2;
    r->lhs = ARENA_ARRAY(t->m->arena, 2, struct ir_var *);
    r->rhs = ARENA_ARRAY(t->m->arena, 2, struct ir_var *);
    r->result = ARENA_ARRAY(t->m->arena, 2, struct ir_expr *);
    r->identity = ARENA_ARRAY(t->m->arena, 2, struct ir_expr *);
    for (size_t i = 0; i < 2; i++) {
        r->lhs[i] = var(t, "x");
        r->rhs[i] = var(t, "y");
        r->result[i] = op(t, i ? IR_MAX : IR_ADD, ir_var_ref(t->m, r->lhs[i]),
                          ir_var_ref(t->m, r->rhs[i]));
        r->identity[i] = num(t, 0);
    }
    struct ir_value *node = ir_value_make(t->m, IR_V_REDUCER);
    node->u.reducer = r;
    return attribute(t, node);
}

static const struct {
    const char *label;
    build_stmt build;
} statements[] = {
    {"masked load", masked_load},
    {"masked store", masked_store},
    {"let", let},
    {"constant floats", constant_floats},
    {"constant ints", constant_ints},
    {"while and break", while_break},
    {"continue", loop_continue},
    {"return", leave},
    {"assert", assertion},
    {"attribute of 0", attribute_int},
    {"attribute of T.int32(0)", attribute_imm},
    {"annotations", attribute_map},
    {"launch", launch_once},
    {"one variable launched twice", launch_twice},
    {"view that shares data", view_shared},
    {"view of a pointer", view_pointer},
    {"view that nothing declares", view_undeclared},
    {"if in else", nested_if},
    {"loop from x by 3", loop_bounds},
    {"bound vector", bind_vector},
    {"bound pointer", bind_pointer},
    {"kinds of axes", opaque_block},
    {"matched buffer", matched},
    {"reducer of two", reducer},
};

static bool same_after_reading(const struct ir_module *m, const char *label)
{
    struct buf text = {0}, where = {0};
    struct diag_sink *sink = diag_sink_new();
    struct ir_equal_options options = {0};
    ir_print_script(m, &text);
    struct ir_module *n =
        ir_read(buf_text(&text), text.len, "printed.py", sink);
    bool same = n && ir_module_equal(m, n, options, &where);
    if (!same) {
        struct buf out = {0};
        diag_render(sink, false, &out);
        print_error("case '%s': %s\n%s%s", label, buf_text(&where),
                    buf_text(&text), buf_text(&out));
        buf_fini(&out);
    }
    ir_module_free(n);
    buf_fini(&text);
    buf_fini(&where);
    diag_sink_free(sink);
    return same;
}

static void test_statements(void **state)
{
    (void)state;
    bool same = true;
    for (size_t i = 0; i < DC_ARRAY_LEN(statements); i++) {
        struct fixture t;
        setup(&t);
        t.func->prim.body = statements[i].build(&t);
        same = same_after_reading(t.m, statements[i].label) && same;
        ir_module_free(t.m);
    }
    assert_true(same);
}

/* ---- messages ------------------------------------------------------------ */

/* One line, whatever the node; names as they are. */
static void test_messages(void **state)
{
    (void)state;
    struct fixture t;
    struct buf out = {0};
    setup(&t);
    ir_print_expr(op(&t, IR_ADD, t.x, num(&t, 0)), &out);
    assert_string_equal(buf_text(&out), "x + 0");
    out.len = 0;
    ir_print_expr(NULL, &out);
    assert_string_equal(buf_text(&out), "None");
    out.len = 0;
    ir_print_stmt(loop(t.m, t.y->u.var, t.x, ir_evaluate(t.m, num(&t, 0))),
                  &out);
    assert_string_equal(buf_text(&out), "for y in range(x):");
    out.len = 0;
    ir_print_stmt(ir_store(t.m, t.a, t.f, 1, &t.x, NULL), &out);
    assert_string_equal(buf_text(&out), "A[x] = f");
    buf_fini(&out);
    ir_module_free(t.m);
}

/* ---- real files ---------------------------------------------------------- */

#define DATA "../shared/data"

/* print -> read gives the same module. */
static bool survives(const char *path)
{
    struct diag_sink *sink = diag_sink_new();
    struct buf text = {0}, where = {0};
    struct ir_equal_options options = {.map_free_vars = true};
    struct ir_module *m = ir_read_file(path, sink), *n = NULL;
    assert_non_null(m);
    ir_print_script(m, &text);
    n = ir_read(buf_text(&text), text.len, "printed.py", sink);
    bool same = n && ir_module_equal(m, n, options, &where) &&
                ir_module_hash(m) == ir_module_hash(n);
    if (!same) {
        struct buf out = {0};
        diag_render(sink, false, &out);
        print_error("%s: %s\n%s", path, buf_text(&where), buf_text(&out));
        buf_fini(&out);
    }
    ir_module_free(m);
    ir_module_free(n);
    buf_fini(&text);
    buf_fini(&where);
    diag_sink_free(sink);
    return same;
}

static void walk(const char *path, size_t *good, size_t *bad)
{
    DIR *dir = opendir(path);
    if (!dir)
        return;
    for (struct dirent *d = readdir(dir); d; d = readdir(dir)) {
        struct buf sub = {0};
        if (d->d_name[0] == '.')
            continue;
        buf_printf(&sub, "%s/%s", path, d->d_name);
        if (strncmp(d->d_name, "tuned", 5) != 0 &&
            strncmp(d->d_name, "untuned", 7) != 0)
            walk(buf_text(&sub), good, bad);
        else if (strstr(d->d_name, ".json"))
            ++*(survives(buf_text(&sub)) ? good : bad);
        buf_fini(&sub);
    }
    closedir(dir);
}

static void test_real_modules(void **state)
{
    (void)state;
    DIR *dir = opendir(DATA);
    if (!dir) {
        print_message("skipped: " DATA " not there\n");
        skip();
        return;
    }
    closedir(dir);
    size_t good = 0, bad = 0;
    walk(DATA "/tvm", &good, &bad);
    walk(DATA "/live-bugs", &good, &bad);
    walk(DATA "/models", &good, &bad);
    print_message("%zu real modules printed and read again\n", good);
    assert_int_equal(bad, 0);
    assert_true(good > 1000);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_expressions), cmocka_unit_test(test_empty_module),
        cmocka_unit_test(test_names),       cmocka_unit_test(test_signature),
        cmocka_unit_test(test_root_block),  cmocka_unit_test(test_statements),
        cmocka_unit_test(test_messages),    cmocka_unit_test(test_real_modules),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
