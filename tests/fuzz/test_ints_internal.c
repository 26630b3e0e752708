/* SPDX-License-Identifier: Apache-2.0
 *
 * The evaluator that judges verdicts on integers, and its judgement.
 *
 * Rows are small programs with inputs; what they leave, or that they fault, is
 * worked out by hand from docs/semantics.md, whose rule is named. Pairs are told
 * apart, or not, for reasons that stand beside them.
 */
#include "fuzz/ints/ints.h"
#include "fuzz/ints/ints_eval.h"
#include "fuzz/ints/ints_tree.h"
#include "tests/test.h"

#include <inttypes.h>
#include <string.h>

static struct ir_module *module_of(const char *params, const char *body)
{
    struct buf text = {0};
    buf_printf(&text,
               "@T.prim_func(s_tir=True)\n"
               "def main(%s):\n",
               params);
    for (const char *line = body; *line != '\0';) {
        size_t n = strcspn(line, "\n");
        buf_puts(&text, "    ");
        buf_append(&text, line, n);
        buf_putc(&text, '\n');
        line += n + (line[n] == '\n');
    }
    struct ir_module *m = ir_read(buf_text(&text), text.len, "row", NULL);
    if (!m || !ir_wellformed(m, NULL))
        fail_msg("not read: %s", buf_text(&text));
    buf_fini(&text);
    return m;
}

/* ---- single operations ----------------------------------------------------- */

#define FAULT INT64_C(-987654321)
#define UNDEF INT64_C(-987654322)

static const struct op_row {
    const char *label, *type, *out, *value;
    int64_t a, b, want;
} op_rows[] = {
    {"R9 int8 sum wraps", "int8", "int8", "a + b", 127, 1, -128},
    {"R9 uint8 difference wraps", "uint8", "uint8", "a - b", 3, 5, 254},
    {"R9 int16 product wraps", "int16", "int16", "a * b", 300, 300, 24464},
    {"R9 int32 sum wraps as data", "int32", "int32", "a + b", 2147483647, 1,
     -2147483648},
    {"R9 uint64 sum wraps", "uint64", "uint64", "a + b", -1, 2, 1},
    {"R9 floordiv rounds down", "int8", "int8", "a // b", 7, -3, -3},
    {"R9 floormod has the divisor's sign", "int8", "int8", "a % b", 7, -3, -2},
    {"R9 div truncates", "int8", "int8", "T.Div(a, b)", 7, -3, -2},
    {"R9 mod truncates", "int8", "int8", "T.truncmod(a, b)", -7, 3, -1},
    {"R9 unsigned division", "uint8", "uint8", "a // b", 200, 7, 28},
    {"R9 division by zero", "int8", "int8", "a // b", 7, 0, FAULT},
    {"R9 least by minus one", "int8", "int8", "a // b", -128, -1, FAULT},
    {"R9 its remainder, too", "int16", "int16", "a % b", -32768, -1, FAULT},
    {"R9 others by minus one", "int8", "int8", "a // b", -127, -1, 127},
    {"R10 shift by the width", "uint8", "uint8", "a << b", 1, 8, UNDEF},
    {"R10 shift by less", "uint8", "uint8", "a << b", 3, 7, 128},
    {"R10 shift by a negative count", "int8", "int8", "a >> b", 1, -1, UNDEF},
    {"R10 arithmetic shift", "int8", "int8", "a >> b", -5, 1, -3},
    {"R10 logical shift", "uint8", "uint8", "a >> b", 251, 1, 125},
    {"R10 zero times undefined", "int8", "int8", "(a << b) * a", 0, 8, UNDEF},
    {"N7 narrowing keeps low bits", "int32", "int8", "T.Cast(\"int8\", a)", 300,
     0, 44},
    {"N7 negative to unsigned", "int8", "uint16", "T.Cast(\"uint16\", a)", -1,
     0, 65535},
    {"N7 uint64 to int64", "uint64", "int64", "T.Cast(\"int64\", a)", -1, 0,
     -1},
    {"R11 to bool", "int16", "bool", "T.Cast(\"bool\", a)", 256, 0, 1},
    {"N7 to a float and back", "int32", "int32",
     "T.Cast(\"int32\", T.Cast(\"float32\", a))", 16777217, 0, 16777216},
    {"R10 a float beyond the type", "int32", "uint8",
     "T.Cast(\"uint8\", T.Cast(\"float32\", a))", 256, 0, UNDEF},
    {"R10 a float just within", "int32", "uint8",
     "T.Cast(\"uint8\", T.Cast(\"float32\", a) + T.float32(0.5))", 255, 0, 255},
    {"R10 NaN", "int32", "int32",
     "T.Cast(\"int32\", T.Cast(\"float32\", a) / T.Cast(\"float32\", b))", 0, 0,
     UNDEF},
    {"R9 comparison of what wrapped", "int8", "bool", "a + b < a", 127, 1, 1},
    {"unsigned comparison", "uint8", "bool", "a < b", 200, 100, 0},
    {"uint64 above the middle", "uint64", "bool", "a < b", -1, 1, 0},
    {"R9 an int8 overflow is no fault in a condition", "int8", "int8",
     "T.if_then_else(a + b > a, a, b)", 127, 1, 1},
    {"R9 an int32 overflow is one", "int32", "int32",
     "T.if_then_else(a + b > a, a, b)", 2147483647, 1, FAULT},
    {"R9 and stays one", "int32", "int32",
     "T.if_then_else(a + b - b > a, a, b)", 2147483647, 1, FAULT},
    {"R9 and int64's", "int64", "int64", "T.if_then_else(a * b > a, a, b)",
     INT64_C(4611686018427387904), 2, FAULT},
    {"R9 an uint32 wrap is none", "uint32", "uint32",
     "T.if_then_else(a + b > a, a, b)", 4294967295, 1, 1},
    {"R10 an undefined condition", "uint8", "uint8",
     "T.if_then_else(a << b > a, a, b)", 1, 9, FAULT},
    {"R8 the other arm is not evaluated", "int8", "int8",
     "T.if_then_else(b != T.int8(0), a // b, a)", 5, 0, 5},
    {"R8 both operands of a select are", "int8", "int8",
     "T.Select(b != T.int8(0), a // b, a)", 5, 0, FAULT},
    {"R8 and of an and", "int8", "int8",
     "T.if_then_else(b != T.int8(0) and a // b > a, a, b)", 5, 0, FAULT},
    {"R8 an undefined arm that is not chosen", "int8", "int8",
     "T.Select(b < T.int8(8), a << (b & T.int8(7)), a << b)", 1, 7, -128},
    {"N1 float16 to nearest and even", "int32", "int32",
     "T.Cast(\"int32\", T.Cast(\"float16\", a))", 2049, 0, 2048},
    {"N1 float16 to the even one above", "int32", "int32",
     "T.Cast(\"int32\", T.Cast(\"float16\", a))", 2051, 0, 2052},
    {"N2 the largest float16", "int32", "int32",
     "T.Cast(\"int32\", T.Cast(\"float16\", a))", 65519, 0, 65504},
    {"N2 beyond it is infinite", "int32", "int32",
     "T.Cast(\"int32\", T.Cast(\"float16\", a))", 65520, 0, UNDEF},
    {"N1 bfloat16 has eight bits", "int32", "int32",
     "T.Cast(\"int32\", T.Cast(\"bfloat16\", a))", 259, 0, 260},
    {"N1 an integer is rounded once", "int64", "int64",
     "T.Cast(\"int64\", T.Cast(\"float32\", a))", INT64_C(18014399583223809), 0,
     INT64_C(18014400656965632)},
    {"N1 so is a uint64 above the middle", "uint64", "uint64",
     "T.Cast(\"uint64\", T.Cast(\"float32\", a))",
     -INT64_C(9223370937343148031), 0, -INT64_C(9223370937343148032)},
    {"bits of a float16", "int32", "uint16",
     "T.reinterpret(\"uint16\", T.Cast(\"float16\", a))", -1, 0, 48128},
    {"bits of a bfloat16", "int32", "uint16",
     "T.reinterpret(\"uint16\", T.Cast(\"bfloat16\", a))", 1, 0, 16256},
    {"N3 a subnormal float16", "int32", "uint16",
     "T.reinterpret(\"uint16\", T.Cast(\"float16\", a) / "
     "T.Cast(\"float16\", b))",
     1, 32768, 512},
    {"N3 the least one", "int32", "uint16",
     "T.reinterpret(\"uint16\", T.Cast(\"float16\", a) / "
     "T.Cast(\"float16\", b) / T.float16(512.0))",
     1, 32768, 1},
    {"N3 half of it", "int32", "uint16",
     "T.reinterpret(\"uint16\", T.Cast(\"float16\", a) / "
     "T.Cast(\"float16\", b) / T.float16(1024.0))",
     1, 32768, 0},
    {"R12 a zero's sign is the second one's", "int32", "uint32",
     "T.reinterpret(\"uint32\", T.max(T.Cast(\"float32\", a), "
     "T.Cast(\"float32\", a) * T.float32(-1.0)))",
     0, 0, 2147483648},
    {"R12 NaN in front is lost", "int32", "int32",
     "T.Cast(\"int32\", T.max(T.Cast(\"float32\", a) / "
     "T.Cast(\"float32\", a), T.Cast(\"float32\", b)))",
     0, 7, 7},
    {"R12 NaN behind is the result", "int32", "bool",
     "T.isnan(T.max(T.Cast(\"float32\", b), T.Cast(\"float32\", a) / "
     "T.Cast(\"float32\", a)))",
     0, 7, 1},
    {"R12 NaN is not itself", "int32", "bool",
     "T.Cast(\"float32\", a) / T.Cast(\"float32\", a) != "
     "T.Cast(\"float32\", a) / T.Cast(\"float32\", a)",
     0, 0, 1},
    {"R11 NaN as bool", "int32", "bool",
     "T.Cast(\"bool\", T.Cast(\"float32\", a) / T.Cast(\"float32\", a))", 0, 0,
     1},
    {"N6 half to even", "int32", "int32",
     "T.Cast(\"int32\", T.round(T.Cast(\"float32\", a) / T.float32(2.0)))", 5,
     0, 2},
    {"floor", "int32", "int32",
     "T.Cast(\"int32\", T.floor(T.Cast(\"float32\", a) / T.float32(2.0)))", -7,
     0, -4},
    {"ceil", "int32", "int32",
     "T.Cast(\"int32\", T.ceil(T.Cast(\"float32\", a) / T.float32(2.0)))", -7,
     0, -3},
    {"trunc", "int32", "int32",
     "T.Cast(\"int32\", T.trunc(T.Cast(\"float32\", a) / T.float32(2.0)))", -7,
     0, -3},
    {"sqrt", "int32", "int32",
     "T.Cast(\"int32\", T.sqrt(T.Cast(\"float32\", a)))", 24, 0, 4},
    {"leading zeros within the type", "int16", "int16",
     "T.call_intrin(\"int16\", \"prim.clz\", a)", 1, 0, 15},
    {"R10 of none", "uint8", "uint8",
     "T.call_intrin(\"uint8\", \"prim.clz\", a)", 0, 0, UNDEF},
    {"ones of a negative number", "int8", "int8",
     "T.call_intrin(\"int8\", \"tirx.popcount\", a)", -1, 0, 8},
    {"R7 a let that is not used", "int8", "int8", "T.Let(a, where={v: a // b})",
     5, 0, FAULT},
};

/* a and b are scalars of the row's type, O[0] is the value. */
static void operations(void **state)
{
    const struct op_row *row = *state;
    struct buf params = {0}, body = {0};
    bool let = strncmp(row->value, "T.Let(", 6) == 0;
    buf_printf(&params, "a: T.%s, b: T.%s, O: T.Buffer((1,), \"%s\")",
               row->type, row->type, row->out);
    if (let)
        buf_printf(&body, "v = T.%s()\n", row->type);
    buf_printf(&body, "O[0] = %s", row->value);
    struct ir_module *m = module_of(buf_text(&params), buf_text(&body));
    struct ints_machine *x = ints_machine_new(m, 0);
    assert_non_null(x);
    const uint64_t a[] = {(uint64_t)row->a}, b[] = {(uint64_t)row->b};
    const uint64_t o[] = {0}, *const values[] = {a, b, o};
    const char *why;
    enum ints_stop stop = ints_machine_run(x, values, &why);
    const struct ints_param *out = ints_machine_param(x, 2);
    if (row->want == FAULT) {
        assert_int_equal(stop, INTS_FAULTS);
    } else {
        assert_int_equal(stop, INTS_GOES);
        assert_int_equal(out->defined[0] & 1, row->want != UNDEF);
        for (size_t i = 0; row->want != UNDEF && i < out->size; i++)
            assert_int_equal(out->bytes[i],
                             (uint8_t)((uint64_t)row->want >> (8 * i)));
    }
    ints_machine_free(x);
    ir_module_free(m);
    buf_fini(&params);
    buf_fini(&body);
}

/* ---- programs -------------------------------------------------------------- */

/* X holds 1 to 6; O zeros, of 6 int32. */
static const struct program_row {
    const char *label, *body;
    enum ints_stop stop;
    int64_t want[6];
} program_rows[] = {
    {"R4 rows that overlap",
     "S = T.alloc_buffer((2, 3), \"int32\", strides=(1, 1))\n"
     "for i, j in T.grid(2, 3):\n"
     "    S[i, j] = X[i * 3 + j]\n"
     "for i, j in T.grid(2, 3):\n"
     "    O[i * 3 + j] = S[i, j]",
     INTS_GOES,
     {1, 4, 5, 4, 5, 6}},
    {"R4 a view with an offset",
     "S = T.alloc_buffer((8,), \"int32\")\n"
     "V = T.decl_buffer((6,), \"int32\", data=S.data, elem_offset=2)\n"
     "for i in range(8):\n"
     "    S[i] = i\n"
     "for i in range(6):\n"
     "    O[i] = V[i]",
     INTS_GOES,
     {2, 3, 4, 5, 6, 7}},
    {"R4 beyond the shape, in the storage",
     "S = T.alloc_buffer((2, 3), \"int32\")\n"
     "for i, j in T.grid(2, 3):\n"
     "    S[i, j] = i * 3 + j\n"
     "for i in range(6):\n"
     "    O[i] = S[0, i]",
     INTS_GOES,
     {0, 1, 2, 3, 4, 5}},
    {"R4 beyond the storage",
     "S = T.alloc_buffer((2, 3), \"int32\")\n"
     "for i in range(6):\n"
     "    O[i] = S[1, i]",
     INTS_FAULTS,
     {0}},
    {"R29 bytes of an int32",
     "S = T.alloc_buffer((2,), \"int32\")\n"
     "V = T.decl_buffer((8,), \"uint8\", data=S.data)\n"
     "S[0] = 258\n"
     "S[1] = -1\n"
     "for i in range(6):\n"
     "    O[i] = T.Cast(\"int32\", V[i])",
     INTS_GOES,
     {2, 1, 0, 0, 255, 255}},
    {"R9 an overflow through memory",
     "S = T.alloc_buffer((1,), \"int32\")\n"
     "S[0] = X[5] * 1000000000\n"
     "O[0] = T.if_then_else(S[0] > 0, 1, 2)",
     INTS_FAULTS,
     {0}},
    {"R9 that is never used for anything",
     "S = T.alloc_buffer((1,), \"int32\")\n"
     "S[0] = X[1] * 1073741824\n"
     "O[0] = S[0]",
     INTS_GOES,
     {-2147483648, 0, 0, 0, 0, 0}},
    {"uninitialised storage in an address",
     "S = T.alloc_buffer((1,), \"int32\")\n"
     "O[0] = X[S[0]]",
     INTS_FAULTS,
     {0}},
    {"R6 parallel iterations that meet",
     "for i in T.parallel(2):\n"
     "    O[0] = X[i]",
     INTS_FAULTS,
     {0}},
    {"R28 that write the same",
     "for i in T.parallel(2):\n"
     "    O[0] = 7",
     INTS_GOES,
     {7, 0, 0, 0, 0, 0}},
    {"R28 and one reads what the other writes",
     "for i in T.parallel(2):\n"
     "    O[i] = O[1 - i] + 1",
     INTS_FAULTS,
     {0}},
    {"R28 each reads what it wrote",
     "for i in T.parallel(2):\n"
     "    O[0] = 7\n"
     "    O[1 + i] = O[0]",
     INTS_GOES,
     {7, 7, 7, 0, 0, 0}},
    {"R19 a barrier",
     "with T.launch_thread(\"threadIdx.x\", 6) as t:\n"
     "    S = T.alloc_buffer((6,), \"int32\", scope=\"shared\")\n"
     "    S[t] = X[t]\n"
     "    T.tvm_storage_sync(\"shared\")\n"
     "    O[t] = S[5 - t]",
     INTS_GOES,
     {6, 5, 4, 3, 2, 1}},
    {"R19 one at the wrong place",
     "with T.launch_thread(\"threadIdx.x\", 6) as t:\n"
     "    S = T.alloc_buffer((6,), \"int32\", scope=\"shared\")\n"
     "    S[t] = X[t]\n"
     "    O[t] = S[5 - t]\n"
     "    T.tvm_storage_sync(\"shared\")",
     INTS_FAULTS,
     {0}},
    {"R4 local storage is the thread's",
     "with T.launch_thread(\"threadIdx.x\", 6) as t:\n"
     "    S = T.alloc_buffer((1,), \"int32\", scope=\"local\")\n"
     "    S[0] = X[t]\n"
     "    O[t] = S[0]",
     INTS_GOES,
     {1, 2, 3, 4, 5, 6}},
    {"R6 a vector store evaluates first",
     "O[0] = 5\n"
     "O[T.Ramp(1, 1, 4)] = O[T.Ramp(0, 1, 4)] + T.Broadcast(1, 4)",
     INTS_GOES,
     {5, 6, 1, 1, 1, 0}},
    {"R7 a failed assertion",
     "assert X[0] > 1, \"no\"\nO[0] = 1",
     INTS_FAULTS,
     {0}},
    {"R1 a block's init and predicate",
     "with T.sblock(\"root\"):\n"
     "    for i in range(6):\n"
     "        with T.sblock(\"b\"):\n"
     "            v = T.axis.reduce(6, i)\n"
     "            T.where(i != 1)\n"
     "            with T.init():\n"
     "                O[0] = 100\n"
     "            O[0] = O[0] + X[v]",
     INTS_GOES,
     {119, 0, 0, 0, 0, 0}},
    {"R1 no init where the predicate is false there",
     "with T.sblock(\"root\"):\n"
     "    for i in range(6):\n"
     "        with T.sblock(\"b\"):\n"
     "            v = T.axis.reduce(6, i)\n"
     "            T.where(i != 0)\n"
     "            with T.init():\n"
     "                O[0] = 100\n"
     "            O[0] = O[0] + X[v]",
     INTS_GOES,
     {20, 0, 0, 0, 0, 0}},
};

static void programs(void **state)
{
    const struct program_row *row = *state;
    struct ir_module *m =
        module_of("X: T.Buffer((6,), \"int32\"), O: T.Buffer((6,), \"int32\")",
                  row->body);
    struct ints_machine *x = ints_machine_new(m, 0);
    assert_non_null(x);
    const uint64_t in[] = {1, 2, 3, 4, 5, 6}, o[6] = {0};
    const uint64_t *const values[] = {in, o};
    const char *why;
    enum ints_stop stop = ints_machine_run(x, values, &why);
    if (stop != row->stop)
        fail_msg("stops with %d: %s", (int)stop, why);
    const struct ints_param *out = ints_machine_param(x, 1);
    for (size_t i = 0; stop == INTS_GOES && i < 6; i++) {
        int32_t got;
        memcpy(&got, out->bytes + 4 * i, sizeof got);
        assert_int_equal(got, row->want[i]);
    }
    ints_machine_free(x);
    ir_module_free(m);
}

/* R10: an undefined condition of a select is a fault; as the interpreter has it
 * the element is undefined. */
static void choices(void **state)
{
    (void)state;
    struct ir_module *m =
        module_of("X: T.Buffer((2,), \"int32\"), O: T.Buffer((2,), \"int32\")",
                  "for i in range(2):\n"
                  "    O[i] = T.Select((X[i] >> X[i]) == 0, X[i], X[i])");
    struct ints_machine *x = ints_machine_new(m, 0);
    assert_non_null(x);
    const uint64_t in[] = {1, 32}, o[] = {0, 0};
    const uint64_t *const values[] = {in, o};
    const char *why;
    assert_int_equal(ints_machine_run(x, values, &why), INTS_FAULTS);
    ints_machine_be_lenient(x, true);
    assert_int_equal(ints_machine_run(x, values, &why), INTS_GOES);
    const struct ints_param *out = ints_machine_param(x, 1);
    assert_int_equal(out->defined[0] & 1, 1);
    assert_int_equal(out->defined[4] & 1, 0);
    ints_machine_free(x);
    ir_module_free(m);
}

/* ---- pairs ----------------------------------------------------------------- */

static const struct pair_row {
    const char *label, *untuned, *tuned;
    enum ints_truth_kind kind;
} pair_rows[] = {
    {"a + b - b wraps back", "X[i] + Y[i] - Y[i]", "X[i]", INTS_EQUAL},
    {"an int8 difference as order",
     "T.if_then_else(X[i] < Y[i], T.int8(1), T.int8(2))",
     "T.if_then_else(X[i] - Y[i] < T.int8(0), T.int8(1), T.int8(2))",
     INTS_DIFFERS},
    {"a division that is not guarded",
     "T.if_then_else(Y[i] > T.int8(0), X[i] // Y[i], T.int8(0))",
     "T.Select(Y[i] > T.int8(0), X[i] // Y[i], T.int8(0))", INTS_UNSAFE},
    {"only -128 tells", "T.max(X[i], T.int8(0) - X[i])",
     "T.Select(X[i] < T.int8(0), T.int8(0) - X[i], X[i])", INTS_EQUAL},
    {"only one pair of 65536 tells", "X[i] & Y[i]",
     "T.if_then_else(X[i] == T.int8(77) and Y[i] == T.int8(-3), T.int8(5), "
     "X[i] & Y[i])",
     INTS_DIFFERS},
    {"nothing is admitted", "X[i] << T.int8(8)", "X[i]", INTS_NOTHING},
    {"the untuned side's faults are outside", "X[i] // Y[i]",
     "T.if_then_else(Y[i] == T.int8(0), T.int8(1), X[i] // Y[i])", INTS_EQUAL},
    {"R10 an output that the tuned side alone leaves undefined", "X[i]",
     "X[i] << (Y[i] & T.int8(8))", INTS_UNSAFE},
    {"an overflow in the condition of a select", "X[i]",
     "T.Select(T.Cast(\"int32\", X[i]) * 16777216 * 2 > 5, X[i], X[i])",
     INTS_UNSAFE},
    {"the same in if_then_else", "X[i]",
     "T.if_then_else(T.Cast(\"int32\", X[i]) * 16777216 * 2 > 5, X[i], X[i])",
     INTS_UNSAFE},
};

static void pairs(void **state)
{
    const struct pair_row *row = *state;
    static const char params[] =
        "X: T.Buffer((4,), \"int8\"), Y: T.Buffer((4,), \"int8\"), "
        "O: T.Buffer((4,), \"int8\")";
    struct buf body = {0};
    struct ints_pair pair = {.pointwise = true,
                             .roles = {INTS_ROLE_ELEMENT, INTS_ROLE_ELEMENT}};
    buf_printf(&body, "for i in range(4):\n    O[i] = %s", row->untuned);
    pair.untuned = module_of(params, buf_text(&body));
    body.len = 0;
    buf_printf(&body, "for i in range(4):\n    O[i] = %s", row->tuned);
    pair.tuned = module_of(params, buf_text(&body));
    struct ints_truth truth = ints_find_truth(&pair, 1, 3, 0);
    if (truth.kind != row->kind)
        fail_msg("kind %d: %s", (int)truth.kind,
                 truth.witness ? truth.witness : "no witness");
    bool apart = row->kind == INTS_DIFFERS || row->kind == INTS_UNSAFE;
    assert_int_equal(ints_refutes(&truth), apart);
    ints_truth_fini(&truth);
    ir_module_free(pair.untuned);
    ir_module_free(pair.tuned);
    buf_fini(&body);
}

/* ---- the generator --------------------------------------------------------- */

/* The same seed gives the same pair, all classes and places come, and what is
 * made is well-formed; that it reads back is the fuzz target's. */
static void seeds(void **state)
{
    (void)state;
    bool classes[INTS_NCLASSES] = {false}, places[INTS_NPLACES] = {false};
    for (uint64_t seed = 0; seed < 3000; seed++) {
        struct ints_pair a, b;
        bool made = ints_pair_init(&a, NULL, 0, seed);
        assert_int_equal(ints_pair_init(&b, NULL, 0, seed), made);
        if (!made)
            continue;
        classes[a.class] = places[a.place] = true;
        assert_true(ir_module_hash(a.tuned) == ir_module_hash(b.tuned));
        assert_true(ir_module_hash(a.untuned) == ir_module_hash(b.untuned));
        assert_true(ir_wellformed(a.tuned, NULL));
        assert_true(ir_wellformed(a.untuned, NULL));
        ints_pair_fini(&a);
        ints_pair_fini(&b);
    }
    for (unsigned i = 0; i < INTS_NCLASSES; i++)
        if (!classes[i])
            fail_msg("no pair of class %s", ints_class_name(i));
    for (unsigned i = 0; i < INTS_NPLACES; i++)
        if (!places[i])
            fail_msg("no pair in place %s", ints_place_name(i));
}

int main(void)
{
    struct CMUnitTest tests[DC_ARRAY_LEN(op_rows) + DC_ARRAY_LEN(program_rows) +
                            DC_ARRAY_LEN(pair_rows) + 2];
    size_t n = 0;
    for (size_t i = 0; i < DC_ARRAY_LEN(op_rows); i++)
        tests[n++] = (struct CMUnitTest){op_rows[i].label, operations, NULL,
                                         NULL, (void *)(uintptr_t)&op_rows[i]};
    for (size_t i = 0; i < DC_ARRAY_LEN(program_rows); i++)
        tests[n++] =
            (struct CMUnitTest){program_rows[i].label, programs, NULL, NULL,
                                (void *)(uintptr_t)&program_rows[i]};
    for (size_t i = 0; i < DC_ARRAY_LEN(pair_rows); i++)
        tests[n++] = (struct CMUnitTest){pair_rows[i].label, pairs, NULL, NULL,
                                         (void *)(uintptr_t)&pair_rows[i]};
    tests[n++] = (struct CMUnitTest){"choices", choices, NULL, NULL, NULL};
    tests[n++] = (struct CMUnitTest){"seeds", seeds, NULL, NULL, NULL};
    return cmocka_run_group_tests_name("ints", tests, NULL, NULL);
}
