/* SPDX-License-Identifier: Apache-2.0
 *
 * Texts of ComputeDAGs: read, their extents found, and counted against counts by
 * hand; texts that lose what would be counted, and what is no such text.
 */
#include "tests/audit/audit_lines.h"

/* The task of the text, with these numbers in its key. */
static struct audit_set *read_task(const char *numbers, const char *dag)
{
    struct buf text = {0};
    buf_printf(&text,
               "========== Task 3  (workload key: [\"0123456789abcdef01234567"
               "89abcdef\"%s]) ==========\n%s\n"
               "|    3 |        1.000 |           1.00 |     64 |\n",
               numbers, dag);
    struct audit_set *set = read_log(buf_text(&text));
    count_all(set);
    assert_int_equal(set->tasks.len, 1);
    assert_int_equal(set->records.len, 1);
    assert_non_null(set->records.items[0].dag);
    buf_fini(&text);
    return set;
}

static struct audit_count count_dag(const char *numbers, const char *dag)
{
    struct audit_set *set = read_task(numbers, dag);
    struct audit_count n = set->records.items[0].count;
    if (n.source == AUDIT_NOWHERE)
        print_message("%s\n", n.how);
    assert_int_equal(n.source, AUDIT_DAG);
    audit_set_free(set);
    return n;
}

static void lacks(const char *numbers, const char *dag, const char *why)
{
    struct audit_set *set = read_task(numbers, dag);
    const struct audit_count *n = &set->records.items[0].count;
    assert_int_equal(n->source, AUDIT_NOWHERE);
    if (strstr(n->how, why) == NULL)
        print_message("'%s', not '%s'\n", n->how, why);
    assert_non_null(strstr(n->how, why));
    audit_set_free(set);
}

/* The convolution of a mobile GPU, whose impossible speed is in corpora/logs: its
 * tiles are in no size that the text has. */
static void test_tiles(void **state)
{
    (void)state;
    struct audit_count n = count_dag(
        ", 1, 8, 12, 12, 20, 8, 1, 1, 1, 20, 1, 1, 1, 20, 12, 12",
        "placeholder = PLACEHOLDER [1, 8, 12, 12]\n"
        "PadInput(i0, i1, i2, i3) = placeholder[i0, i1, i2, i3]\n\n"
        "data_vec(n, h, w, ci, vh, vw) = PadInput[n, ci, ((h*4) + vh), (w + "
        "vw)]\n"
        "placeholder = PLACEHOLDER [20, 8, 1, 1]\n"
        "kernel_vec(co, ci, kh, kw, vc) = placeholder[((co*4) + vc), ci, kh, "
        "kw]\n"
        "conv(n, co, h, w, vh, vw, vc) += (data_vec[n, h, w, ci, (vh + kh), "
        "(vw + kw)]*kernel_vec[co, ci, kh, kw, vc])\n"
        "output_unpack(n, co, h, w) = conv[n, floordiv(co, 4), floordiv(h, 4), "
        "w, floormod(h, 4), 0, floormod(co, 4)]\n"
        "placeholder = PLACEHOLDER [1, 20, 1, 1]\n"
        "T_add(ax0, ax1, ax2, ax3) = (output_unpack[ax0, ax1, ax2, ax3] + "
        "placeholder[ax0, ax1, 0, 0])\n"
        "T_sigmoid(ax0, ax1, ax2, ax3) = tir.sigmoid(T_add[ax0, ax1, ax2, "
        "ax3])\n"
        "T_multiply(ax0, ax1, ax2, ax3) = (T_add[ax0, ax1, ax2, "
        "ax3]*T_sigmoid[ax0, ax1, ax2, ax3])");
    double outputs = 20 * 144;
    assert_true(n.ops[AUDIT_MUL] == outputs * 8 + outputs);
    assert_true(n.ops[AUDIT_ADD] == outputs * 8 + outputs);
    assert_true(n.ops[AUDIT_CALL] == outputs);
    assert_true(n.exact_bytes);
    assert_true(n.bytes == 4 * (8 * 144 + 160 + 20 + outputs));
}

/* Padding by a guard: 13 + 2 along an axis, of which 13 are read; two placeholders
 * of one name, told apart by rank; no shapes in the key. */
static void test_padding(void **state)
{
    (void)state;
    struct audit_count n = count_dag(
        "",
        "placeholder = PLACEHOLDER [1, 16, 13, 13]\n"
        "pad_temp(i0, i1, i2, i3) = tir.if_then_else(((((i2 >= 1) && (i2 < "
        "14)) && (i3 >= 1)) && (i3 < 14)), placeholder[i0, i1, (i2 - 1), (i3 - "
        "1)], 0f)\n"
        "placeholder = PLACEHOLDER [32, 16, 3, 3]\n"
        "compute(nn, ff, yy, xx) += (pad_temp[nn, rc, (yy + ry), (xx + "
        "rx)]*placeholder[ff, rc, ry, rx])\n"
        "placeholder = PLACEHOLDER [1, 32, 13, 13]\n"
        "T_add(ax0, ax1, ax2, ax3) = (compute[ax0, ax1, ax2, ax3] + "
        "placeholder[ax0, ax1, ax2, ax3])\n"
        "T_relu(ax0, ax1, ax2, ax3) = max(T_add[ax0, ax1, ax2, ax3], 0f)");
    double outputs = 32 * 169;
    assert_true(n.ops[AUDIT_MUL] == outputs * 16 * 9);
    assert_true(n.ops[AUDIT_ADD] == outputs * (16 * 9 + 1));
    assert_true(n.ops[AUDIT_COMPARE] == outputs);
    assert_true(n.bytes == 4 * (16 * 169 + 32 * 16 * 9 + 2 * outputs));
}

/* Blocked channels: the sum's extent is in no index alone. */
static void test_blocked(void **state)
{
    (void)state;
    struct audit_count n = count_dag(
        "",
        "placeholder = PLACEHOLDER [1, 128, 13, 13, 2]\n"
        "placeholder = PLACEHOLDER [1, 128, 1, 1, 2, 3]\n"
        "conv2d_NCHWc(n, oc_chunk, oh, ow, oc_block) += (placeholder[n, "
        "floordiv(ic, 2), (oh + kh), (ow + kw), floormod(ic, "
        "2)]*placeholder[oc_chunk, floordiv(ic, 2), kh, kw, floormod(ic, 2), "
        "oc_block])\n"
        "placeholder = PLACEHOLDER [1, 1, 1, 1, 3]\n"
        "T_add(ax0, ax1, ax2, ax3, ax4) = (conv2d_NCHWc[ax0, ax1, ax2, ax3, "
        "ax4] + placeholder[ax0, ax1, 0, 0, ax4])");
    double outputs = 3 * 169;
    assert_true(n.ops[AUDIT_MUL] == outputs * 256);
    assert_true(n.ops[AUDIT_ADD] == outputs * 257);
    assert_true(n.bytes == 4 * (128 * 169 * 2 + 128 * 6 + 3 + outputs));
}

/* A product of two tensors of one name and rank, in the order of the text; an
 * output of rank 0; a gather; literals of other types. */
static void test_forms(void **state)
{
    (void)state;
    struct audit_count n =
        count_dag(", [4, 6], [5, 6], [4, 5]",
                  "placeholder = PLACEHOLDER [4, 6]\n"
                  "placeholder = PLACEHOLDER [5, 6]\n"
                  "T_matmul_NT(i, j) += (placeholder[i, k]*placeholder[j, k])");
    assert_true(n.ops[AUDIT_MUL] == 120 && n.bytes == 4 * (24 + 30 + 20));
    n = count_dag("", "placeholder = PLACEHOLDER [7]\n"
                      "placeholder_red() max= placeholder[k0]");
    assert_true(n.ops[AUDIT_COMPARE] == 7 && n.bytes == 4 * 8);
    n = count_dag(", [100, 8], [3], [3, 8]",
                  "t = PLACEHOLDER [100, 8]\n"
                  "x = PLACEHOLDER [3]\n"
                  "take(i, j) = t[min(max(0, x[i]), 99), j]");
    assert_true(audit_flops(&n) == 0 && n.bytes == 4 * (8 + 3 + 24));
    n = count_dag(", [9], [9]",
                  "a = PLACEHOLDER [9]\n"
                  "b(i) = select((i < (int64)3), (let v = a[i] in (v*v)), "
                  "float32((float16(a[i]) + -1.5e-05h)))");
    assert_true(n.ops[AUDIT_MUL] == 9 && n.ops[AUDIT_ADD] == 9);
}

/* What such a text loses, and sizes that it does not know. */
static void test_lost(void **state)
{
    (void)state;
    lacks("", "placeholder = PLACEHOLDER [2]\nplaceholder_red()reduce(x*y)",
          "does not hold what 'placeholder_red' reduces");
    lacks("",
          "p = PLACEHOLDER [?, 28, 28]\nT_relu(i, j, k) = max(p[i, j, k], "
          "0f)",
          "extent of axis 'i' of 'T_relu'");
    lacks("", "p = PLACEHOLDER [{n|n>=0}, 4]\nq(j) += p[i, j]",
          "sums over 'i'");
    lacks("", "T_shape(ax0) = select((ax0 == 0), 28, 29)",
          "extent of axis 'ax0'");
    lacks("", "p = PLACEHOLDER [4]\nq(i) = (p[i] + r[i])", "no stage 'r'");
    lacks("", "p = PLACEHOLDER [4]\nq(i) = (p[i] +",
          "an expression is missing");
    lacks("", "p = PLACEHOLDER [4]\nq(i) = (p[i] ^ 2f)", "no operator");
}

/* Lets that double, sizes that fit no machine, and what nests too deeply. */
static void test_hostile(void **state)
{
    (void)state;
    struct buf text = {0};
    buf_puts(&text, "a = PLACEHOLDER [4]\nb(i) = ");
    for (unsigned k = 0; k < 50; k++)
        buf_printf(&text, "(let v%u = (%s%u%s + %s%u%s) in ", k,
                   k ? "v" : "a[i*", k ? k - 1 : 1, k ? "" : "]",
                   k ? "v" : "a[i*", k ? k - 1 : 1, k ? "" : "]");
    buf_puts(&text, "v49");
    for (unsigned k = 0; k < 50; k++)
        buf_putc(&text, ')');
    lacks(", [4]", buf_text(&text), "");
    text.len = 0;
    buf_puts(&text, "a = PLACEHOLDER [4]\nb(i) = ");
    for (unsigned k = 0; k < 5000; k++)
        buf_puts(&text, "(a[i] + ");
    lacks(", [4]", buf_text(&text), "too deeply");
    buf_fini(&text);
    struct audit_count n =
        count_dag("", "a = PLACEHOLDER [2147483646, 2147483646, 2147483646]\n"
                      "b(i, j, k) = (a[i, j, k]*2f)");
    assert_true(n.ops[AUDIT_MUL] > 9e27 && !n.exact_bytes);
}

/* Records of a log find the text by their key, whatever brackets it has. */
static void test_registry(void **state)
{
    (void)state;
    struct audit_set *set = audit_set_new();
    add_log(set, "tasks.txt",
            "========== Task 0  (workload key: "
            "[\"0123456789abcdef0123456789abcdef\", 9, 9]) ==========\n"
            "a = PLACEHOLDER [9]\nb(i) = (a[i]*2f)\n");
    add_log(set, "tune.json",
            "{\"i\": [[\"[\\\"0123456789abcdef0123456789abcdef\\\", [9], "
            "[9]]\", \"cuda\"], [[], []]], \"r\": [[1.0], 0, 1, 1], \"v\": "
            "\"v0.6\"}\n"
            "{\"i\": [[\"[\\\"ffffffffffffffffffffffffffffffff\\\", [9], "
            "[9]]\", \"cuda\"], [[], []]], \"r\": [[1.0], 0, 1, 1], \"v\": "
            "\"v0.6\"}\n");
    count_all(set);
    assert_int_equal(set->records.items[0].count.source, AUDIT_DAG);
    assert_true(audit_flops(&set->records.items[0].count) == 9);
    assert_int_equal(set->records.items[1].count.source, AUDIT_NOWHERE);
    audit_set_free(set);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_tiles),    cmocka_unit_test(test_padding),
        cmocka_unit_test(test_blocked),  cmocka_unit_test(test_forms),
        cmocka_unit_test(test_lost),     cmocka_unit_test(test_hostile),
        cmocka_unit_test(test_registry),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
