/* SPDX-License-Identifier: Apache-2.0
 *
 * PTX matrix instructions in the prover against the interpreter: registers are
 * filled one after the other from a flat array, so that what comes out depends
 * on which lane and register each side takes for which element. The two have
 * tables of their own. Then what must be refused.
 */
int front_rows_main(int argc, char **argv);
#define main front_rows_main
#include "tests/verifier/front/test_verifier_front_internal.c"
#undef main

struct mma_row {
    const char *shape, *names[3], *types[3];
    int count[3]; /* registers a lane */
    int threads;
    const char *scope; /* of the registers */
};

static const struct mma_row mma_rows[] = {
    {"m16n8k8",
     {"fp16", "fp16", "fp32"},
     {"float16", "float16", "float32"},
     {4, 2, 4},
     32,
     "local"},
    {"m16n8k8",
     {"bf16", "bf16", "fp32"},
     {"bfloat16", "bfloat16", "float32"},
     {4, 2, 4},
     32,
     "warp"},
    {"m16n8k16",
     {"fp16", "fp16", "fp32"},
     {"float16", "float16", "float32"},
     {8, 4, 4},
     64,
     "local"},
    {"m16n8k16",
     {"fp16", "fp16", "fp16"},
     {"float16", "float16", "float16"},
     {8, 4, 4},
     32,
     "warp"},
    {"m16n8k16",
     {"bf16", "bf16", "fp32"},
     {"bfloat16", "bfloat16", "float32"},
     {8, 4, 4},
     32,
     "local"},
    {"m8n8k16",
     {"int8", "int8", "int32"},
     {"int8", "int8", "int32"},
     {4, 4, 2},
     32,
     "local"},
    {"m16n8k16",
     {"int8", "uint8", "int32"},
     {"int8", "uint8", "int32"},
     {8, 4, 4},
     64,
     "warp"},
    {"m16n8k32",
     {"int8", "int8", "int32"},
     {"int8", "int8", "int32"},
     {16, 8, 4},
     32,
     "local"},
    {"m16n8k32",
     {"e4m3", "e4m3", "fp32"},
     {"float8_e4m3fn", "float8_e4m3fn", "float32"},
     {16, 8, 4},
     32,
     "local"},
};

/* Registers of all lanes are params[op][tx, i]; those of a storage of scope
 * warp begin at tx mod 32 times their number. */
static void mma_script(const struct mma_row *r, struct buf *out)
{
    static const char names[] = "ABC";
    bool warp = strcmp(r->scope, "warp") == 0;
    buf_printf(out, HEAD "def main(");
    for (int i = 0; i < 3; i++)
        buf_printf(out, "%s%c: T.Buffer((%d, %d), \"%s\")", i ? ", " : "",
                   names[i], r->threads, r->count[i], r->types[i]);
    buf_printf(out, "):\n");
    for (int i = 0; i < 3; i++)
        buf_printf(
            out, "    r%c = T.alloc_buffer((%d,), \"%s\", scope=\"%s\")\n",
            names[i], r->count[i] * (warp ? 32 : 1), r->types[i], r->scope);
    buf_printf(out,
               "    for tx in T.thread_binding(%d, thread=\"threadIdx.x\"):\n",
               r->threads);
    char at[3][32];
    for (int i = 0; i < 3; i++) {
        snprintf(at[i], sizeof at[i], warp ? "tx %% 32 * %d" : "0",
                 r->count[i]);
        buf_printf(out,
                   "        for i in range(%d):\n"
                   "            r%c[%s + i] = %c[tx, i]\n",
                   r->count[i], names[i], at[i], names[i]);
    }
    buf_printf(out,
               "        T.evaluate(T.ptx_mma(\"%s\", \"row\", \"col\", \"%s\", "
               "\"%s\", \"%s\", rA.data, %s, rB.data, %s, rC.data, %s, False, "
               "dtype=\"%s\"))\n",
               r->shape, r->names[0], r->names[1], r->names[2], at[0], at[1],
               at[2], r->types[2]);
    buf_printf(out,
               "        for i in range(%d):\n"
               "            C[tx, i] = rC[%s + i]\n",
               r->count[2], at[2]);
}

/* The prover's program does what the interpreter does; refused: a part of what
 * is said instead. */
static const char *looked_at(const char *script, const char *refused,
                             struct arena *arena)
{
    struct diag_sink *sink = diag_sink_new();
    struct ir_module *m = ir_read(script, strlen(script), "row", sink);
    const char *what = NULL;
    bool skipped = false;
    if (m == NULL) {
        struct buf text = {0};
        diag_render(sink, false, &text);
        what = arena_strdup(arena, buf_text(&text));
        buf_fini(&text);
        diag_sink_free(sink);
        return what;
    }
    struct vprog *p = vprog_make(m, m->funcs[0]);
    if (refused != NULL) {
        if (p->unsupported == NULL || strstr(p->unsupported, refused) == NULL)
            what = arena_printf(arena, "not refused, or for another reason: %s",
                                p->unsupported != NULL ? p->unsupported
                                                       : "supported");
    } else if (p->unsupported != NULL) {
        what = arena_strdup(arena, p->unsupported);
    } else {
        what = contradiction(m, m->funcs[0], p, arena, 20, &skipped);
        if (skipped && what == NULL)
            what = "not run";
    }
    vprog_free(p);
    ir_module_free(m);
    diag_sink_free(sink);
    return what;
}

static void mma_runs_alike(void **state)
{
    struct arena *arena = arena_new();
    size_t bad = 0;
    (void)state;
    for (size_t i = 0; i < DC_ARRAY_LEN(mma_rows); i++) {
        struct buf script = {0};
        mma_script(&mma_rows[i], &script);
        const char *what = looked_at(buf_text(&script), NULL, arena);
        if (what != NULL) {
            print_error("%s %s %s: %s\n", mma_rows[i].shape,
                        mma_rows[i].types[0], mma_rows[i].scope, what);
            bad++;
        }
        buf_fini(&script);
    }
    arena_free(arena);
    assert_int_equal(bad, 0);
}

/* ---- ldmatrix, mma_fill, mma_store ---------------------------------------------- */

#define LOAD(type, rows, columns, threads, registers, call)                   \
    HEAD "def main(A: T.Buffer((" rows ", " columns "), \"" type              \
         "\"), B: T.Buffer((" threads ", " registers "), \"" type "\")):\n"   \
         "    s = T.alloc_buffer((" rows ", " columns "), \"" type            \
         "\", scope=\"shared\")\n"                                            \
         "    r = T.alloc_buffer((" registers ",), \"" type                   \
         "\", scope=\"local\")\n"                                             \
         "    for tx in T.thread_binding(" threads                            \
         ", thread=\"threadIdx.x\"):\n"                                       \
         "        for i, j in T.grid(" rows ", " columns "):\n"               \
         "            if (i * " columns " + j) % " threads " == tx:\n"        \
         "                s[i, j] = A[i, j]\n"                                \
         "        T.evaluate(T.tvm_storage_sync(\"shared\"))\n"               \
         "        T.evaluate(T.ptx_ldmatrix(" call ", dtype=\"" type "\"))\n" \
         "        for i in range(" registers "):\n"                           \
         "            B[tx, i] = r[i]\n"
#define STORE(body)                                                           \
    HEAD "def main(A: T.Buffer((64, 8), \"float32\"), C: T.Buffer((32, 20), " \
         "\"float32\")):\n"                                                   \
         "    w = T.alloc_buffer((256,), \"float32\", scope=\"warp\")\n"      \
         "    for tx in T.thread_binding(64, thread=\"threadIdx.x\"):\n" body
#define TARGET                                                             \
    "T.tvm_access_ptr(T.type_annotation(\"float32\"), C.data, tx // 32 * " \
    "320 + 2, 320, 2)"

static const struct {
    const char *label, *script, *refused;
} more[] = {
    {"ldmatrix x1",
     LOAD("float16", "8", "8", "32", "2",
          "False, 1, \".b16\", r.data, 0, s.data, tx % 8 * 8"),
     NULL},
    {"ldmatrix x2 transposed",
     LOAD("float16", "8", "16", "32", "4",
          "True, 2, \".b16\", r.data, 0, s.data, tx % 8 * 16 + tx // 8 % 2 * "
          "8"),
     NULL},
    {"ldmatrix x4 by two warps",
     LOAD("float16", "32", "16", "64", "8",
          "False, 4, \".b16\", r.data, 0, s.data, tx // 32 * 256 + tx % 16 * "
          "16 + tx % 32 // 16 * 8"),
     NULL},
    {"ldmatrix x4 transposed, swizzled rows",
     LOAD("float16", "8", "32", "32", "8",
          "True, 4, \".b16\", r.data, 0, s.data, tx % 8 * 32 + "
          "T.bitwise_xor(tx // 8, tx % 4) * 8"),
     NULL},
    {"ldmatrix of bytes",
     LOAD("int8", "16", "32", "32", "16",
          "False, 4, \".b16\", r.data, 0, s.data, tx % 16 * 32 + tx // 16 * "
          "16"),
     NULL},
    {"ldmatrix of transposed bytes",
     LOAD("int8", "32", "16", "32", "16",
          "True, 4, \".b16\", r.data, 0, s.data, 16"),
     NULL},
    {"rows that data choose",
     LOAD("int8", "16", "32", "32", "16",
          "False, 4, \".b16\", r.data, 0, s.data, T.Cast(\"int32\", A[tx % 16, "
          "0]) % 2 * 32"),
     "depends on data"},
    {"ldmatrix of 32-bit elements",
     LOAD("float32", "8", "8", "32", "2",
          "False, 1, \".b16\", r.data, 0, s.data, tx % 8 * 8"),
     "this form"},
    {"ldmatrix of global memory",
     LOAD("float16", "8", "8", "32", "2",
          "False, 1, \".b16\", r.data, 0, A.data, tx % 8 * 8"),
     "not shared memory"},
    {"half a warp",
     LOAD("float16", "8", "8", "16", "2",
          "False, 1, \".b16\", r.data, 0, s.data, tx % 8 * 8"),
     "whole warps"},
    {"mma_fill and mma_store",
     STORE("        T.evaluate(T.mma_fill(8, w.data, 0, dtype=\"float32\"))\n"
           "        for i in range(8):\n"
           "            w[tx % 32 * 8 + i] = w[tx % 32 * 8 + i] + A[tx, i]\n"
           "        T.evaluate(T.mma_store(16, 16, " TARGET
           ", w.data, 0, 20, dtype=\"float32\"))\n"),
     NULL},
    {"mma_store of another shape",
     STORE("        T.evaluate(T.mma_store(16, 8, " TARGET
           ", w.data, 0, 20, dtype=\"float32\"))\n"),
     "this form"},
    {"a condition within a warp",
     STORE("        if tx % 32 < 16:\n"
           "            T.evaluate(T.mma_fill(8, w.data, 0, "
           "dtype=\"float32\"))\n"),
     "whole warps"},
};

static void loads_and_stores_run_alike(void **state)
{
    struct arena *arena = arena_new();
    size_t bad = 0;
    (void)state;
    for (size_t i = 0; i < DC_ARRAY_LEN(more); i++) {
        const char *what = looked_at(more[i].script, more[i].refused, arena);
        if (what != NULL) {
            print_error("%s: %s\n", more[i].label, what);
            bad++;
        }
    }
    arena_free(arena);
    assert_int_equal(bad, 0);
}

/* mma: what the instruction does not have. */
static void mma_refuses(void **state)
{
    static const struct {
        struct mma_row row;
        const char *refused;
    } rows[] = {
        {{"m16n8k8",
          {"tf32", "tf32", "fp32"},
          {"float32", "float32", "float32"},
          {4, 2, 4},
          32,
          "local"},
         "mma 'm16n8k8' on tf32"},
        {{"m8n8k4",
          {"fp16", "fp16", "fp32"},
          {"float16", "float16", "float32"},
          {4, 4, 8},
          32,
          "local"},
         "mma 'm8n8k4'"},
        {{"m16n8k16",
          {"fp16", "fp16", "fp16"},
          {"float16", "float16", "float32"},
          {8, 4, 4},
          32,
          "local"},
         "mma 'm16n8k16' on fp16, fp16 and fp16"},
        {{"m16n8k16",
          {"bf16", "bf16", "bf16"},
          {"bfloat16", "bfloat16", "bfloat16"},
          {8, 4, 4},
          32,
          "local"},
         "mma 'm16n8k16' on bf16"},
        {{"m16n8k16",
          {"fp16", "fp16", "fp32"},
          {"float16", "float16", "float32"},
          {8, 4, 4},
          48,
          "local"},
         "whole warps"},
        {{"m16n8k16",
          {"fp16", "fp16", "fp32"},
          {"float16", "float16", "float32"},
          {8, 4, 4},
          32,
          "shared"},
         "used as registers"},
    };
    struct arena *arena = arena_new();
    size_t bad = 0;
    (void)state;
    for (size_t i = 0; i < DC_ARRAY_LEN(rows); i++) {
        struct buf script = {0};
        mma_script(&rows[i].row, &script);
        const char *what = looked_at(buf_text(&script), rows[i].refused, arena);
        if (what != NULL) {
            print_error("row %zu: %s\n", i, what);
            bad++;
        }
        buf_fini(&script);
    }
    arena_free(arena);
    assert_int_equal(bad, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(mma_runs_alike),
        cmocka_unit_test(loads_and_stores_run_alike),
        cmocka_unit_test(mma_refuses),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
