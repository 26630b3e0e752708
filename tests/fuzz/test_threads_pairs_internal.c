/* SPDX-License-Identifier: Apache-2.0
 *
 * Pairs of threads: that the check of proofs about them can fail.
 *
 * Rows are pairs with what runs show of them, worked out by hand from
 * docs/semantics.md, whose rule is named, and whether a proof would be wrong. The
 * check as a whole gets a prover that takes everything for proved.
 */
#include "fuzz/threads/threads.h"
#include "tests/test.h"

#include <string.h>

#define HEAD "@T.prim_func(s_tir=True)\ndef main("
#define AC \
    HEAD "A: T.Buffer((32,), \"int32\"), C: T.Buffer((32,), \"int32\")):\n"
#define TX   "    for tx in T.thread_binding(32, thread=\"threadIdx.x\"):\n"
#define S32  "    S = T.alloc_buffer((32,), \"int32\", scope=\"shared\")\n"
#define SYNC "        T.evaluate(T.tvm_storage_sync(\"shared\"))\n"
#define TURNED                     \
    AC "    for i in range(32):\n" \
       "        C[i] = A[31 - i]\n"
#define SUM(type)                                                       \
    HEAD "A: T.Buffer((32,), \"" type "\"), C: T.Buffer((32,), \"" type \
         "\")):\n"
#define NO VERIFIER_UNKNOWN

// clang-format off
static const struct row {
    const char *label, *untuned, *tuned;
    enum verifier_verdict verdict; /* that is put into its hands */
    bool fault, bits, wrong;
} rows[] = {
    {"R3 exchanged with a barrier", TURNED,
     AC S32 TX "        S[tx] = A[tx]\n" SYNC "        C[tx] = S[31 - tx]\n",
     VERIFIER_IDENTICAL, false, false, false},
    {"R3 a barrier before both is none between", TURNED,
     AC S32 TX SYNC "        S[tx] = A[tx]\n        C[tx] = S[31 - tx]\n",
     VERIFIER_IDENTICAL, true, false, true},
    {"R4 as order-only that is no better", TURNED,
     AC S32 TX SYNC "        S[tx] = A[tx]\n        C[tx] = S[31 - tx]\n",
     VERIFIER_ORDER_ONLY, true, false, true},
    {"R9 a place that wraps", TURNED,
     AC S32 TX "        S[tx] = A[tx]\n" SYNC
     "        C[tx] = S[T.Cast(\"int32\", (T.Cast(\"uint8\", 31 - tx) + "
     "T.uint8(250)) % T.uint8(32))]\n",
     VERIFIER_IDENTICAL, false, true, true},
    {"R9 and nobody claims anything", TURNED,
     AC S32 TX "        S[tx] = A[tx]\n" SYNC
     "        C[tx] = S[T.Cast(\"int32\", (T.Cast(\"uint8\", 31 - tx) + "
     "T.uint8(250)) % T.uint8(32))]\n",
     NO, false, true, false},
    {"R13 roundings that differ, as identical",
     SUM("float32") "    for i in range(32):\n"
     "        C[i] = A[i] + A[31 - i] + A[(i + 7) % 32]\n",
     SUM("float32") "    for i in range(32):\n"
     "        C[i] = A[i] + (A[31 - i] + A[(i + 7) % 32])\n",
     VERIFIER_IDENTICAL, false, true, true},
    {"R13 as order-only they are as they may be",
     SUM("float32") "    for i in range(32):\n"
     "        C[i] = A[i] + A[31 - i] + A[(i + 7) % 32]\n",
     SUM("float32") "    for i in range(32):\n"
     "        C[i] = A[i] + (A[31 - i] + A[(i + 7) % 32])\n",
     VERIFIER_ORDER_ONLY, false, true, false},
    {"R13 other terms are not",
     SUM("float32") "    for i in range(32):\n"
     "        C[i] = A[i] + A[31 - i]\n",
     SUM("float32") "    for i in range(32):\n"
     "        C[i] = A[i] + A[(i + 1) % 32]\n",
     VERIFIER_ORDER_ONLY, false, true, true},
    {"R8 inputs on which the untuned side faults do not count",
     AC "    for i in range(33):\n        C[i] = A[0]\n",
     AC "    for i in range(34):\n        C[i] = A[1]\n",
     VERIFIER_IDENTICAL, false, false, false},
    {"R22 an active mask is of the lanes that run",
     HEAD "C: T.Buffer((16,), \"int32\")):\n"
     "    for i in range(16):\n        C[i] = -1\n",
     HEAD "C: T.Buffer((16,), \"int32\")):\n"
     "    for tx in T.thread_binding(16, thread=\"threadIdx.x\"):\n"
     "        C[tx] = T.Cast(\"int32\", T.tvm_warp_activemask())\n",
     VERIFIER_IDENTICAL, false, true, true},
    {"R24 what an atomic operation leaves hangs on the order",
     AC "    for i in range(32):\n        C[i] = i\n",
     AC S32 TX "        if tx == 0:\n            S[0] = 0\n" SYNC
     "        C[tx] = T.cuda.atomic_add(T.address_of(S[0]), 1)\n",
     VERIFIER_IDENTICAL, false, true, true},
    {"R16 a size that the tuned side's type does not hold",
     HEAD "a: T.handle):\n    n = T.int32()\n"
     "    A = T.match_buffer(a, (n,), \"int32\")\n    A[0] = 1\n",
     HEAD "a: T.handle):\n    n = T.int8()\n"
     "    A = T.match_buffer(a, (n,), \"int32\")\n    A[0] = 1\n",
     VERIFIER_IDENTICAL, true, false, true},
};
// clang-format on

static struct ir_module *module_of(const char *text)
{
    struct ir_module *m = ir_read(text, strlen(text), "row.py", NULL);
    if (m == NULL || !ir_wellformed(m, NULL))
        fail_msg("not read: %s", text);
    return m;
}

static void rows_are_judged(void **state)
{
    const struct row *row = *state;
    struct threads_pair pair = {.untuned = module_of(row->untuned),
                                .tuned = module_of(row->tuned)};
    struct verifier_result proof = {.verdict = row->verdict};
    struct threads_truth truth = threads_find_truth(&pair);
    const char *why = threads_judge(&proof, &truth);
    if (truth.fault != row->fault)
        fail_msg("faults: %d: %s", truth.fault,
                 truth.witness != NULL ? truth.witness : "");
    assert_int_equal(truth.bits, row->bits);
    assert_null(truth.engine);
    if ((why != NULL) != row->wrong)
        fail_msg("%s", why != NULL ? why : "nothing is found");
    threads_truth_fini(&truth);
    threads_pair_fini(&pair);
}

/* ---- the whole check ------------------------------------------------------- */

static void take_for_proved(const struct threads_pair *pair,
                            const struct verifier_options *options,
                            struct verifier_result *out)
{
    (void)pair;
    (void)options;
    memset(out, 0, sizeof *out);
    out->arena = arena_new();
    out->verdict = VERIFIER_IDENTICAL;
}

static void take_for_nothing(const struct threads_pair *pair,
                             const struct verifier_options *options,
                             struct verifier_result *out)
{
    take_for_proved(pair, options, out);
    out->verdict = VERIFIER_UNKNOWN;
}

/* Each kind has pairs that differ and pairs that do not, among so many. */
static void kinds_are_right_and_wrong(void **state)
{
    size_t found[THREADS_NKINDS] = {0}, fine[THREADS_NKINDS] = {0};
    (void)state;
    for (uint64_t seed = 0; seed < 1500; seed += TEST_ONE_IN(3)) {
        struct threads_pair pair;
        if (threads_pair_init(&pair, NULL, 0, seed)) {
            struct threads_truth truth = threads_find_truth(&pair);
            if (truth.admitted > 0 && (truth.fault || truth.bits))
                found[pair.kind]++;
            else if (truth.admitted > 0)
                fine[pair.kind]++;
            threads_truth_fini(&truth);
        }
        threads_pair_fini(&pair);
    }
    for (unsigned k = 0; k < THREADS_NKINDS; k++)
        if (found[k] == 0 || fine[k] == 0)
            fail_msg("%s: %zu differ, %zu do not",
                     threads_kind_name((enum threads_kind)k), found[k],
                     fine[k]);
}

static void a_wrong_prover_is_found(void **state)
{
    (void)state;
    struct threads_request r = {.count = 60, .prover = take_for_proved};
    assert_true(threads_check(&r) > 10);
    r.prover = take_for_nothing;
    assert_int_equal(threads_check(&r), 0);
}

/* The same seed and bytes, the same texts. */
static void pairs_are_repeated(void **state)
{
    const uint8_t bytes[] = {3, 1, 4, 1, 5, 9, 2, 6};
    (void)state;
    for (uint64_t seed = 0; seed < 40; seed++) {
        struct threads_pair a, b;
        bool fine = threads_pair_init(&a, bytes, seed % 9, seed);
        assert_int_equal(fine, threads_pair_init(&b, bytes, seed % 9, seed));
        if (fine) {
            assert_string_equal(a.text[0], b.text[0]);
            assert_string_equal(a.text[1], b.text[1]);
        }
        threads_pair_fini(&a);
        threads_pair_fini(&b);
    }
}

int main(void)
{
    struct CMUnitTest tests[DC_ARRAY_LEN(rows) + 3];
    size_t n = 0;
    memset(tests, 0, sizeof tests);
    for (size_t i = 0; i < DC_ARRAY_LEN(rows); i++) {
        union {
            const struct row *in;
            void *out;
        } row = {&rows[i]};
        tests[n++] = (struct CMUnitTest){rows[i].label, rows_are_judged, NULL,
                                         NULL, row.out};
    }
    tests[n++] = (struct CMUnitTest)cmocka_unit_test(kinds_are_right_and_wrong);
    tests[n++] = (struct CMUnitTest)cmocka_unit_test(a_wrong_prover_is_found);
    tests[n++] = (struct CMUnitTest)cmocka_unit_test(pairs_are_repeated);
    return _cmocka_run_group_tests("threads", tests, n, NULL, NULL);
}
