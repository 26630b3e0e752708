/* SPDX-License-Identifier: Apache-2.0
 *
 * Operations and bytes: of functions against counts by hand, of convolutions
 * against loops that go through all of them, of tasks whose key or text says them.
 */
#include "tests/audit/audit_lines.h"

#define HEAD "from tvm.script import tirx as T\n@T.prim_func(s_tir=True)\n"

static struct audit_count count_of(const char *module)
{
    struct audit_set *set = read_module(module);
    assert_int_equal(set->records.len, 1);
    struct audit_count n = set->records.items[0].count;
    if (n.source == AUDIT_NOWHERE)
        print_message("%s\n", n.how);
    assert_int_equal(n.source, AUDIT_IR);
    audit_set_free(set);
    return n;
}

static void test_elements(void **state)
{
    (void)state;
    struct audit_count n = count_of(
        HEAD "def main(A: T.Buffer((8,), \"float32\"), B: T.Buffer((8,), "
             "\"float16\")):\n"
             "    for i in range(8):\n"
             "        B[i] = T.Cast(\"float16\", A[i] * T.float32(2))\n");
    assert_true(n.ops[AUDIT_MUL] == 8 && audit_flops(&n) == 8);
    assert_true(n.ops[AUDIT_CONVERT] == 8 && n.least[AUDIT_F32] == 8);
    assert_true(n.exact_bytes && n.bytes == 8 * 4 + 8 * 2);
}

/* 3 by 3 over 16 by 16: along an axis 16 * 3 - 2 pairs meet an element. */
static void test_guards(void **state)
{
    (void)state;
    struct audit_count n = count_of(
        HEAD
        "def main(A: T.Buffer((16, 16), \"float32\"), W: T.Buffer((3, 3), "
        "\"float32\"), C: T.Buffer((16, 16), \"float32\")):\n"
        "    for i, j, r, s in T.grid(16, 16, 3, 3):\n"
        "        C[i, j] = C[i, j] + T.if_then_else(1 <= i + r and i + r < 17 "
        "and 1 <= j + s and j + s < 17, A[i + r - 1, j + s - 1] * W[r, s], "
        "T.float32(0))\n");
    assert_true(n.ops[AUDIT_MUL] == 46 * 46);
    assert_true(n.ops[AUDIT_ADD] == 256 * 9);
    assert_true(n.exact_bytes && n.bytes == 4 * (256 + 9 + 256));
    n = count_of(HEAD
                 "def main(A: T.Buffer((10,), \"float32\"), C: T.Buffer((10,), "
                 "\"float32\")):\n"
                 "    for o, i in T.grid(3, 4):\n"
                 "        with T.sblock(\"C\"):\n"
                 "            vi = T.axis.spatial(10, o * 4 + i)\n"
                 "            T.where(o * 4 + i < 10)\n"
                 "            C[vi] = A[vi] + T.float32(1)\n");
    assert_true(n.ops[AUDIT_ADD] == 10 && n.bytes == 80);
    n = count_of(HEAD
                 "def main(A: T.Buffer((8, 8), \"float32\"), C: T.Buffer((8,), "
                 "\"float32\")):\n"
                 "    for i in range(8):\n"
                 "        for j in range(i + 1):\n"
                 "            C[i] = C[i] + A[i, j]\n");
    assert_true(n.ops[AUDIT_ADD] == 36);
    assert_true(n.bytes == 4 * (36 + 8));
}

/* Elements that are reached, not those between, nor a whole table. */
static void test_reach(void **state)
{
    (void)state;
    struct audit_count n = count_of(
        HEAD "def main(A: T.Buffer((16, 16), \"float32\"), C: T.Buffer((8, 8), "
             "\"float32\")):\n"
             "    for i, j in T.grid(8, 8):\n"
             "        C[i, j] = A[i * 2, j * 2]\n");
    assert_true(audit_flops(&n) == 0 && n.exact_bytes);
    assert_true(n.bytes == 4 * (64 + 64));
    n = count_of(HEAD "def main(t: T.Buffer((32000, 64), \"float32\"), x: "
                      "T.Buffer((3,), \"int32\"), C: T.Buffer((3, 64), "
                      "\"float32\")):\n"
                      "    for i, j in T.grid(3, 64):\n"
                      "        C[i, j] = t[x[i], j]\n");
    assert_false(n.exact_bytes);
    assert_true(n.bytes == 4 * (64 + 3 + 192)); /* a row at least */
    /* A reshape: indices that one division and one remainder share. */
    n = count_of(
        HEAD "def main(A: T.Buffer((4, 6), \"float32\"), C: T.Buffer((24,), "
             "\"float32\")):\n"
             "    for i in range(24):\n"
             "        C[i] = A[i // 6, i % 6]\n");
    assert_true(n.exact_bytes && n.bytes == 4 * 48);
    /* A diagonal: 5 of 25. */
    n = count_of(HEAD
                 "def main(A: T.Buffer((5, 5), \"float32\"), C: T.Buffer((5,), "
                 "\"float32\")):\n"
                 "    for i in range(5):\n"
                 "        C[i] = A[i, i]\n");
    assert_true(n.exact_bytes && n.bytes == 4 * 10);
}

/* What a schedule may do once counts once in the least count; what memory decides
 * counts nothing there. */
static void test_least(void **state)
{
    (void)state;
    struct audit_count n = count_of(
        HEAD "def main(A: T.Buffer((4,), \"float32\"), B: T.Buffer((6,), "
             "\"float32\"), C: T.Buffer((4, 6), \"float32\")):\n"
             "    for i, j in T.grid(4, 6):\n"
             "        C[i, j] = T.exp(A[i]) * B[j]\n");
    assert_true(n.ops[AUDIT_CALL] == 24 && n.ops[AUDIT_MUL] == 24);
    assert_true(n.least[AUDIT_F32] == 4 + 24);
    n = count_of(HEAD
                 "def main(A: T.Buffer((4,), \"float32\"), C: T.Buffer((4,), "
                 "\"float32\")):\n"
                 "    for i in range(4):\n"
                 "        if A[i] > T.float32(0):\n"
                 "            C[i] = A[i] * T.float32(3)\n");
    assert_true(n.ops[AUDIT_MUL] == 4 && n.least[AUDIT_F32] == 0);
    /* Unpacking: integers that are data, an index that is none. */
    n = count_of(HEAD
                 "def main(A: T.Buffer((2,), \"int32\"), C: T.Buffer((8,), "
                 "\"float32\")):\n"
                 "    for i in range(8):\n"
                 "        C[i] = T.Cast(\"float32\", T.bitwise_and(A[i // 4], "
                 "15))\n");
    assert_true(audit_flops(&n) == 8 && n.ints == 8);
    assert_true(n.bytes == 2 * 4 + 8 * 4);
}

static void lacks(const char *module, const char *why)
{
    struct audit_set *set = read_module(module);
    const struct audit_count *n = &set->records.items[0].count;
    assert_int_equal(n->source, AUDIT_NOWHERE);
    if (strstr(n->how, why) == NULL)
        print_message("'%s', not '%s'\n", n->how, why);
    assert_non_null(strstr(n->how, why));
    audit_set_free(set);
}

static void test_unknown(void **state)
{
    (void)state;
    lacks(HEAD "def main(A: T.Buffer((1,), \"int32\")):\n"
               "    while A[0] > 0:\n"
               "        A[0] = A[0] - 1\n",
          "while");
    lacks(HEAD "def main(a: T.handle, n: T.int32):\n"
               "    A = T.match_buffer(a, (n,), \"float32\")\n"
               "    for i in range(n):\n"
               "        A[i] = A[i] * T.float32(2)\n",
          "extent of loop 'i'");
    lacks(HEAD "def one(A: T.Buffer((1,), \"float32\")):\n"
               "    T.evaluate(T.call_extern(\"int32\", \"f\", A.data))\n",
          "calls what is not in it");
}

/* Values that are made of the one before, twice, over and over; sizes that fit no
 * machine: an end is found, and no number that is too high. */
static void test_hostile(void **state)
{
    (void)state;
    struct buf text = {0};
    buf_puts(&text, HEAD "def main(A: T.Buffer((8,), \"float32\")):\n"
                         "    for i in range(8):\n"
                         "        v0: T.int32 = i\n");
    for (unsigned k = 1; k < 400; k++)
        buf_printf(&text, "        v%u: T.int32 = (v%u + v%u) // 2\n", k, k - 1,
                   k - 1);
    buf_puts(&text, "        if v399 < 4:\n"
                    "            A[v399] = A[v399] * T.float32(2)\n");
    struct audit_count n = count_of(buf_text(&text));
    assert_true(n.ops[AUDIT_MUL] <= 8 && n.least[AUDIT_F32] <= 4);
    assert_true(n.bytes <= 32 && !n.exact_bytes);
    buf_fini(&text);
    lacks(HEAD "def main(A: T.Buffer((8,), \"float32\")):\n"
               "    for i in range(T.int64(4611686018427387904)):\n"
               "        A[0] = A[0] * T.float32(2)\n",
          "too long");
}

/* ---- convolutions -------------------------------------------------------------------- */

struct conv {
    int n, c, h, w, o, kh, kw, s, p, d, groups;
};

/* Pairs of factors that are no padding, and inputs that are read, one by one. */
static void go_through(const struct conv *v, double *pairs, double *met)
{
    int oh = (v->h + 2 * v->p - ((v->kh - 1) * v->d + 1)) / v->s + 1;
    int ow = (v->w + 2 * v->p - ((v->kw - 1) * v->d + 1)) / v->s + 1;
    bool seen[64][64] = {{false}};
    *pairs = *met = 0;
    for (int y = 0; y < oh; y++)
        for (int x = 0; x < ow; x++)
            for (int r = 0; r < v->kh; r++)
                for (int q = 0; q < v->kw; q++) {
                    int i = y * v->s + r * v->d - v->p,
                        j = x * v->s + q * v->d - v->p;
                    if (i < 0 || j < 0 || i >= v->h || j >= v->w)
                        continue;
                    *pairs += 1;
                    *met += !seen[i][j];
                    seen[i][j] = true;
                }
}

static struct audit_count count_line(const char *line)
{
    struct audit_set *set = read_log(line);
    count_all(set);
    struct audit_count n = set->records.items[0].count;
    if (n.source == AUDIT_NOWHERE)
        print_message("%s\n%s\n", line, n.how);
    assert_int_not_equal(n.source, AUDIT_NOWHERE);
    audit_set_free(set);
    return n;
}

static void test_convolutions(void **state)
{
    (void)state;
    static const struct conv all[] = {{1, 3, 9, 11, 4, 3, 3, 1, 1, 1, 1},
                                      {2, 4, 12, 12, 6, 1, 1, 2, 0, 1, 1},
                                      {1, 2, 13, 9, 8, 5, 3, 2, 2, 1, 1},
                                      {1, 6, 15, 15, 6, 3, 3, 1, 2, 2, 1},
                                      {3, 8, 7, 7, 4, 7, 7, 3, 3, 1, 1}};
    for (size_t i = 0; i < DC_ARRAY_LEN(all); i++) {
        const struct conv *v = &all[i];
        struct buf line = {0};
        double pairs, met;
        int oh = (v->h + 2 * v->p - ((v->kh - 1) * v->d + 1)) / v->s + 1;
        int ow = (v->w + 2 * v->p - ((v->kw - 1) * v->d + 1)) / v->s + 1;
        double outputs = (double)(v->n * v->o * oh * ow);
        buf_printf(&line,
                   "{\"input\": [\"cuda\", \"conv2d_nchw.cuda\", [[\"TENSOR\", "
                   "[%d, %d, %d, %d], \"float32\"], [\"TENSOR\", [%d, %d, %d, "
                   "%d], \"float32\"], [%d, %d], [%d, %d, %d, %d], [%d, %d], "
                   "\"float32\"], {}], \"config\": {\"entity\": []}, "
                   "\"result\": [[1.0], 0, 1, 1], \"version\": 0.2}\n",
                   v->n, v->c, v->h, v->w, v->o, v->c, v->kh, v->kw, v->s, v->s,
                   v->p, v->p, v->p, v->p, v->d, v->d);
        struct audit_count n = count_line(buf_text(&line));
        go_through(v, &pairs, &met);
        assert_true(audit_flops(&n) == 2 * outputs * v->c * v->kh * v->kw);
        assert_true(n.least[AUDIT_F32] == 2 * pairs * v->n * v->o * v->c);
        assert_true(n.bytes == 4 * (met * v->n * v->c +
                                    v->o * v->c * v->kh * v->kw + outputs));
        buf_fini(&line);
    }
}

#define TUNED(task, args)                                                \
    "{\"input\": [\"cuda\", \"" task "\", [" args "], {}], \"config\": " \
    "{\"entity\": []}, \"result\": [[1.0], 0, 1, 1], \"version\": 0.2}\n"
#define TENSOR(dims, type) "[\"TENSOR\", [" dims "], \"" type "\"]"

/* Other tasks, with their sizes multiplied out by hand. */
static void test_tasks(void **state)
{
    (void)state;
    static const struct {
        const char *line;
        double flops, ints, bytes;
    } all[] = {
        {TUNED("dense_nopack.x86",
               TENSOR("3, 8", "float32") ", " TENSOR(
                   "5, 8", "float32") ", null, \"float32\""),
         2 * 3 * 5 * 8, 0, 4 * (24 + 40 + 15)},
        {TUNED("batch_matmul.cuda",
               TENSOR("2, 3, 8", "float16") ", " TENSOR("2, 5, 8", "float16")),
         2 * 2 * 3 * 5 * 8, 0, 2 * (48 + 80 + 30)},
        {TUNED("depthwise_conv2d_nchw.mali",
               TENSOR("1, 6, 8, 8", "float32") ", " TENSOR(
                   "6, 1, 1, 1",
                   "float32") ", [1, 1], [0, 0, 0, 0], [1, 1], \"float32\""),
         2 * 6 * 64, 0, 4 * (384 + 6 + 384)},
        {TUNED("conv2d_NCHWc.x86",
               TENSOR("1, 2, 8, 8, 4", "float32") ", " TENSOR(
                   "3, 2, 1, 1, 4, 5", "float32") ", [1, 1], [0, 0, 0, 0], [1, "
                                                  "1], \"NCHW4c\", \"NCHW5c\", "
                                                  "\"float32\""),
         2 * 15 * 64 * 8, 0, 4 * (512 + 120 + 960)},
        {TUNED("conv2d_nhwc.cuda",
               TENSOR("1, 8, 8, 3", "float32") ", " TENSOR(
                   "1, 1, 3, 7",
                   "float32") ", [1, 1], [0, 0], [1, 1], \"float32\""),
         2 * 7 * 64 * 3, 0, 4 * (192 + 21 + 448)},
        /* 1 by 16 blocks: 16 channels in, 32 out. */
        {TUNED(
             "conv2d_packed.vta",
             TENSOR("1, 1, 4, 4, 1, 16", "int8") ", " TENSOR(
                 "2, 1, 1, 1, 16, 16", "int8") ", [1, 1], [0, 0, 0, 0], [1, "
                                               "1], \"NCHW1n16c\", \"int32\""),
         2 * 32 * 16 * 16, 2 * 32 * 16 * 16, 256 + 512 + 4 * 512},
        /* Each of 4 inputs meets 3 places, of which stride 2 makes 4*2+1. */
        {TUNED("conv1d_transpose_ncw.cuda",
               TENSOR("1, 2, 4", "float32") ", " TENSOR(
                   "2, 5, 3", "float32") ", [2], [0], \"float32\", [0]"),
         2 * 5 * 9 * 2 * 3, 0, 4 * (8 + 30 + 45)},
        {TUNED("group_conv2d_nchw.cuda",
               TENSOR("1, 8, 4, 4", "float32") ", " TENSOR(
                   "6, 4, 1, 1",
                   "float32") ", [1, 1], [0, 0, 0, 0], [1, 1], 2, \"float32\""),
         2 * 6 * 16 * 4, 0, 4 * (128 + 24 + 96)},
    };
    for (size_t i = 0; i < DC_ARRAY_LEN(all); i++) {
        struct audit_count n = count_line(all[i].line);
        if (audit_flops(&n) != all[i].flops || n.bytes != all[i].bytes)
            print_message("%zu: %.0f %.0f\n", i, audit_flops(&n), n.bytes);
        assert_true(audit_flops(&n) == all[i].flops);
        assert_true(n.ints == all[i].ints && n.bytes == all[i].bytes);
    }
}

/* 3 by 3 over 8 by 8 outputs: tiles of 4 need 2*2 of 6*6 products, so 144 of the
 * 576 that there are without padding; 22*22 are no padding. */
static void test_winograd(void **state)
{
    (void)state;
    struct audit_count n = count_line(
        TUNED("conv2d_nchw_winograd.cuda",
              TENSOR("1, 2, 8, 8", "float32") ", " TENSOR(
                  "5, 2, 3, 3",
                  "float32") ", [1, 1], [1, 1, 1, 1], [1, 1], \"float32\""));
    assert_true(audit_flops(&n) == 2 * 10 * 576);
    assert_true(n.least[AUDIT_F32] == 2 * 10 * 144);
    assert_true(n.saving == 22.0 * 22 / 144);
    /* A window of 1: nothing to save. */
    n = count_line(
        TUNED("conv2d_nchw_winograd.cuda",
              TENSOR("1, 2, 8, 8", "float32") ", " TENSOR(
                  "5, 2, 1, 1",
                  "float32") ", [1, 1], [0, 0, 0, 0], [1, 1], \"float32\""));
    assert_true(n.saving == 1 && n.least[AUDIT_F32] == 2 * 10 * 64);
}

/* ---- Ansor ---------------------------------------------------------------------------- */

#define LOGGED(key, steps)                                                  \
    "{\"i\": [[\"" key "\", \"cuda\"], [[], [" steps "]]], \"r\": [[1.0], " \
    "0, 1, 1], \"v\": \"v0.6\"}\n"

static void test_named(void **state)
{
    (void)state;
    struct audit_count n = count_line(
        LOGGED("[\\\"matmul_add\\\", 64, 32, 16, \\\"float32\\\"]", ""));
    assert_true(n.ops[AUDIT_MUL] == 64 * 32 * 16);
    assert_true(n.ops[AUDIT_ADD] == 64 * 32 * 16 + 64 * 16);
    /* 6 of 3 by 3 with padding: 16 of 18 pairs along each axis. */
    n = count_line(LOGGED("[\\\"conv2d_layer\\\", 1, 2, 6, 6, 5, 3, 3, 1, "
                          "\\\"SAME\\\"]",
                          ""));
    assert_true(audit_flops(&n) == 2 * 5 * 36 * 2 * 9);
    assert_true(n.least[AUDIT_F32] == 2 * 5 * 2 * 16 * 16);
    n = count_line(LOGGED("[\\\"pool_layer\\\", \\\"avg\\\", 1, 2, 6, 6, 2, 2, "
                          "2, \\\"VALID\\\"]",
                          ""));
    assert_true(audit_flops(&n) == 2 * 9 * 4 && n.bytes == 4 * (72 + 18));
    n = count_line(LOGGED("[\\\"reduction_layer\\\", [2, 3, 4, 5], [2, 3], "
                          "false]",
                          ""));
    assert_true(audit_flops(&n) == 120 && n.bytes == 4 * 126);
}

/* Steps that tile another number of points: the name means something else. */
static void test_steps(void **state)
{
    (void)state;
    struct audit_count n = count_line(
        LOGGED("[\\\"matmul_layer\\\", 64, 32, 16]",
               "[\"SP\", 2, 0, 64, [1, 2, 4, 1], 1], [\"SP\", 2, 5, 16, [1, 2, "
               "1, 1], 1], [\"SP\", 2, 10, 32, [2, 2], 1], [\"RE\", 2, [0]], "
               "[\"SP\", 3, 0, 9999, [32], 1]"));
    assert_int_equal(n.source, AUDIT_TASK);
    struct audit_set *set = read_log(
        LOGGED("[\\\"matmul_layer\\\", 64, 32, 16]",
               "[\"SP\", 2, 0, 63, [1, 2, 4, 1], 1], [\"SP\", 2, 5, 16, [1, 2, "
               "1, 1], 1]"));
    count_all(set);
    assert_int_equal(set->records.items[0].count.source, AUDIT_NOWHERE);
    assert_non_null(
        strstr(set->records.items[0].count.how, "another function"));
    audit_set_free(set);
    /* A hash alone: what the steps tile. */
    n = count_line(
        LOGGED("[\\\"0123456789abcdef0123456789abcdef\\\", [64, 16], [64, 16]]",
               "[\"SP\", 2, 0, 64, [1, 2, 4, 1], 1], [\"SP\", 2, 5, 16, [1, 2, "
               "1, 1], 1]"));
    assert_int_equal(n.source, AUDIT_STEPS);
    assert_true(audit_flops(&n) == 2 * 64 * 16);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_elements),     cmocka_unit_test(test_guards),
        cmocka_unit_test(test_reach),        cmocka_unit_test(test_least),
        cmocka_unit_test(test_unknown),      cmocka_unit_test(test_hostile),
        cmocka_unit_test(test_convolutions), cmocka_unit_test(test_tasks),
        cmocka_unit_test(test_winograd),     cmocka_unit_test(test_named),
        cmocka_unit_test(test_steps),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
