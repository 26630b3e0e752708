/* SPDX-License-Identifier: Apache-2.0
 *
 * Readers of logs: each format and version by what its line holds, lines that are
 * cut off or of no format, databases with their workloads, and any bytes.
 */
#include "tests/audit/audit_lines.h"

#define STEPS \
    "[[\"SP\", 2, 0, 64, [1, 2, 4], 1], [\"AN\", 2, 1, 6], [\"XX\", 7]]"

static const char ansor[] =
    "# a comment\n"
    "{\"i\": [[\"[\\\"matmul_layer\\\", 64, 32, 16]\", \"cuda -arch=sm_70\"], "
    "[[], " STEPS "]], \"r\": [[0.5, 1.5], 0, 1.0, 1600000000], "
    "\"v\": \"v0.2\"}\r\n"
    "\n"
    "{\"i\": [[\"[\\\"0123456789abcdef0123456789abcdef\\\", [1, 2], []]\", "
    "\"llvm\", [18, 64, 64, 0, 0, 0, 0, 0], \"\", 1, [\"w\"]], [[], []]], "
    "\"r\": [[1e+10], 6, 1.0, 1600000000], \"v\": \"v0.6\"}\n";

static void test_ansor(void **state)
{
    (void)state;
    struct audit_set *set = read_log(ansor);
    assert_int_equal(set->records.len, 2);
    assert_int_equal(set->faults.len, 0);
    const struct audit_record *r = &set->records.items[0];
    assert_int_equal(r->format, AUDIT_ANSOR);
    assert_int_equal(r->line, 2);
    assert_string_equal(r->version, "v0.2");
    assert_string_equal(r->task, "matmul_layer");
    assert_string_equal(r->target, "cuda -arch=sm_70");
    assert_int_equal(r->nseconds, 2);
    assert_true(r->seconds[1] == 1.5);
    assert_int_equal(r->nsteps, 3);
    r = &set->records.items[1];
    assert_int_equal(r->line, 4);
    assert_string_equal(r->task, "task 01234567");
    assert_int_equal(r->cores, 18);
    assert_int_equal(r->error, 6);
    assert_int_equal(r->nargs, 2);
    assert_int_equal(r->args[0].dims[1], 2);
    assert_int_equal(r->args[1].rank, 0);
    audit_set_free(set);
}

static const char autotvm[] =
    "{\"input\": [\"opencl -model=rk3399\", \"dense.mali\", [[\"TENSOR\", [1, "
    "8], \"float32\"], [\"TENSOR\", [4, 8], \"float16\"], null], {}], "
    "\"config\": {\"index\": 1, \"code_hash\": null, \"entity\": "
    "[[\"tile_x\", \"sp\", [-1, 2]], [\"unroll\", \"ot\", 0]]}, \"result\": "
    "[[0.25], 0, 1.0, 2.0], \"version\": 0.2, \"tvm_version\": \"0.7\"}\n"
    "{\"r\": [[0.5], 4, 1.0, 2.0], \"v\": 0.1, \"i\": [\"cuda\", "
    "\"topi_nn_dense\", [[\"TENSOR\", [1, 8], \"float32\"]], {}, [\"dense\"], "
    "{\"e\": [[\"tile_x\", \"sp\", [-1, 2]]], \"t\": \"direct\", \"i\": 3}]}\n";

static void test_autotvm(void **state)
{
    (void)state;
    struct audit_set *set = read_log(autotvm);
    assert_int_equal(set->records.len, 2);
    const struct audit_record *r = &set->records.items[0];
    assert_int_equal(r->format, AUDIT_AUTOTVM);
    assert_string_equal(r->version, "0.2");
    assert_string_equal(r->task, "dense.mali");
    assert_int_equal(r->nargs, 2);
    assert_true(dtype_equal(r->args[0].dtype, DTYPE_FLOAT32));
    assert_int_equal(r->args[1].dtype.bits, 16);
    assert_int_equal(r->nsteps, 2);
    r = &set->records.items[1];
    assert_int_equal(r->format, AUDIT_AUTOTVM);
    assert_string_equal(r->version, "0.1");
    assert_int_equal(r->error, 4);
    assert_int_equal(r->nsteps, 1);
    assert_true(r->steps_hash != set->records.items[0].steps_hash);
    audit_set_free(set);
}

/* A pickled line is refused with what to do, a damaged one with its place, and the
 * lines around are read. */
static void test_faults(void **state)
{
    (void)state;
    struct buf text = {0};
    buf_puts(&text, ansor);
    buf_puts(&text, "gASV\tgASV\tgASV\tgASV\tgASV\tgASV\n");
    buf_append(&text, ansor + 12, 60);
    buf_puts(&text,
             "\n{\"i\": [[1, 2], []], \"r\": [[0.5], 0], \"v\": \"v0.6\"}\n"
             "{\"other\": 1}\n");
    buf_puts(&text, autotvm);
    struct audit_set *set = read_log(buf_text(&text));
    assert_int_equal(set->records.len, 4);
    assert_int_equal(set->faults.len, 4);
    assert_non_null(strstr(set->faults.items[0].message, "pickled"));
    assert_non_null(strstr(set->faults.items[0].message, "rewrite the log"));
    assert_int_equal(set->faults.items[0].line, 5);
    assert_int_equal(set->faults.items[1].line, 6);
    assert_non_null(strstr(set->faults.items[1].message, "no whole record"));
    assert_non_null(strstr(set->faults.items[2].message, "no record of Ansor"));
    assert_non_null(strstr(set->faults.items[3].message, "known format"));
    audit_set_free(set);
    buf_fini(&text);
}

static void test_no_log(void **state)
{
    (void)state;
    static const char *const texts[] = {
        "",
        "\n",
        "{\n  \"root\": 1,\n  \"nodes\": []\n}\n",
        "[1, 2, 3]\n",
        "# a comment\n",
        "[[[\"GetBlock\"]]]\n"};
    struct audit_set *set = audit_set_new();
    for (size_t i = 0; i < DC_ARRAY_LEN(texts); i++) {
        struct buf text = {0};
        buf_puts(&text, texts[i]);
        assert_false(audit_set_add(set, "x.json", &text, NULL));
        buf_fini(&text);
    }
    struct buf pickle = {0};
    const char *why = NULL;
    buf_puts(&pickle, "\x80\x04\x95 registry");
    assert_false(audit_set_add(set, "all_tasks.pkl", &pickle, &why));
    assert_non_null(why);
    assert_non_null(strstr(why, "compute_dag"));
    buf_fini(&pickle);
    assert_int_equal(set->faults.len, 0);
    audit_set_free(set);
}

static const char module[] = "from tvm.script import tirx as T\n"
                             "@T.prim_func(s_tir=True)\n"
                             "def main(A: T.Buffer((8,), \"float32\"), B: "
                             "T.Buffer((8,), \"float32\")):\n"
                             "    for i in range(8):\n"
                             "        B[i] = A[i] * T.float32(2)\n";

/* Records find their workload by its line, in the file that goes with theirs. */
static void test_database(void **state)
{
    (void)state;
    struct audit_set *set = audit_set_new();
    struct diag_sink *sink = diag_sink_new();
    struct buf text = {0};
    buf_puts(&text, "[\"7\",\"AAAA\"]\n");
    put_workload(&text, module);
    add_log(set, "a/x_tuning_record.json",
            "[1,[[[[\"GetBlock\",[],[\"B\",\"main\"],[\"b0\"]]],[[0,3]]],[1.5],"
            "{\"kind\":\"cuda\",\"arch\":\"sm_70\"},[[\"TENSOR\",\"float32\","
            "[8]]]]]\n[0,[[[],[]],null,null,null]]\n"
            "[9,[[[],[]],[1e10],null,null]]\n");
    add_log(set, "a/x_workload.json", buf_text(&text));
    add_log(set, "a/y_workload.json", "[\"3\",\"AAAA\"]\n");
    add_log(set, "b/database_workload.json", "[\"4\",\"AAAA\"]\n");
    audit_set_link(set);
    assert_int_equal(set->records.len, 3);
    const struct audit_record *r = &set->records.items[0];
    assert_string_equal(r->key, "1");
    assert_int_equal(r->nargs, 1);
    assert_non_null(r->workload);
    struct ir_module *m = audit_module(r, sink);
    assert_non_null(m);
    assert_non_null(ir_module_find(m, "main"));
    ir_module_free(m);
    assert_int_equal(set->records.items[1].nseconds, 0);
    assert_null(audit_module(&set->records.items[1], sink)); /* damaged */
    assert_null(set->records.items[2].workload);             /* no line 9 */
    assert_null(audit_module(&set->records.items[2], sink));
    assert_int_equal(diag_error_count(sink), 2);
    buf_fini(&text);
    diag_sink_free(sink);
    audit_set_free(set);
}

/* The trace, the steps and the knobs for people. */
static void test_steps(void **state)
{
    (void)state;
    struct buf out = {0};
    struct audit_set *set = read_log(ansor);
    audit_put_steps(&out, &set->records.items[0], 2);
    assert_string_equal(buf_text(&out),
                        "  stage 2: split loop 0 of 64 by [1,2,4]\n"
                        "  stage 2: annotate loop 1 as threadIdx.x\n"
                        "  [\"XX\",7]\n");
    audit_set_free(set);
    out.len = 0;
    set = read_log(autotvm);
    audit_put_steps(&out, &set->records.items[0], 0);
    assert_string_equal(buf_text(&out), "tile_x split by [-1,2]\nunroll = 0\n");
    audit_set_free(set);
    out.len = 0;
    set = read_log("[0,[[[[\"GetBlock\",[],[\"C\",\"main\"],[\"b0\"]],"
                   "[\"SamplePerfectTile\",[\"l1\"],[2,64],[\"v2\",\"v3\"]],"
                   "[\"EnterPostproc\",[],[],[]]],[[1,[8,4]]]],[0.5],null,"
                   "null]]\n");
    audit_put_steps(&out, &set->records.items[0], 0);
    assert_string_equal(buf_text(&out),
                        "b0 = GetBlock(C, main)\n"
                        "v2, v3 = SamplePerfectTile(l1, 2, 64)  -> [8,4]\n"
                        "EnterPostproc()\n");
    audit_set_free(set);
    buf_fini(&out);
}

/* Bytes of a log changed, cut and doubled: read, counted, judged and printed, with
 * whatever comes of it. */
static void test_any_bytes(void **state)
{
    (void)state;
    struct buf seed = {0};
    uint64_t random = 1;
    buf_puts(&seed, ansor);
    buf_puts(&seed, autotvm);
    put_workload(&seed, module);
    buf_puts(&seed,
             "[0,[[[],[[0,3]]],[1.5],null,[[\"TENSOR\",\"int8\",[8]]]]]\n"
             "========== Task 5  (workload key: [\"ab\", 1, 4]) "
             "==========\n"
             "p = PLACEHOLDER [1, 4]\n"
             "q(i, j) += (p[i, (j + k)]*select((j < 2), 1.5f, 2h))\n"
             "|    5 |   0.029 |  7122.14 |  64 |\n");
    for (unsigned turn = 0; turn < 3000 / TEST_ONE_IN(4); turn++) {
        struct buf text = {0};
        struct audit_set *set = audit_set_new();
        buf_append(&text, seed.data, seed.len);
        for (unsigned k = 0; k < 1 + turn % 5; k++) {
            random = hash_mix(random, turn);
            text.data[random % text.len] =
                "\"[]{},:0129-.e\n |=()aA\xff"[(random >> 32) % 23];
        }
        if (turn % 7 == 0)
            text.len = random % text.len + 1;
        if (audit_set_add(set, "log.json", &text, NULL)) {
            struct buf out = {0};
            judge_all(set);
            for (size_t i = 0; i < set->records.len; i++) {
                audit_put_steps(&out, &set->records.items[i], 2);
                assert_true(set->records.items[i].state < AUDIT_NSTATES);
                assert_non_null(set->records.items[i].why);
            }
            buf_fini(&out);
        }
        buf_fini(&text);
        audit_set_free(set);
    }
    buf_fini(&seed);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_ansor),     cmocka_unit_test(test_autotvm),
        cmocka_unit_test(test_faults),    cmocka_unit_test(test_no_log),
        cmocka_unit_test(test_database),  cmocka_unit_test(test_steps),
        cmocka_unit_test(test_any_bytes),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
