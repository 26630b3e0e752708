/* SPDX-License-Identifier: Apache-2.0
 *
 * Judgement: records that could be true, each doctored in one way, all of which are
 * found and nothing else; devices by what targets say; what a cache, a gather or
 * Winograd's algorithm explains.
 */
#include "tests/audit/audit_lines.h"

#include <stdio.h>

/* ---- devices ------------------------------------------------------------------- */

static void test_devices(void **state)
{
    (void)state;
    static const struct {
        const char *target, *name; /* NULL: it names none */
        int64_t cores;
    } all[] = {
        {"cuda -model=1080ti", "NVIDIA GTX 1080 Ti", 0},
        {"nvidia/geforce-gtx-1080-ti", "NVIDIA GTX 1080 Ti", 0},
        {"{\"kind\":\"cuda\",\"tag\":\"nvidia/"
         "nvidia-a100\",\"arch\":\"sm_80\"}",
         "NVIDIA A100", 0},
        {"cuda -keys=cuda,gpu -arch=sm_86", "fastest NVIDIA sm_86", 0},
        {"{\"kind\":\"cuda\",\"arch\":\"sm_70\"}", "NVIDIA V100", 0},
        {"rocm -mcpu=gfx906", "fastest AMD gfx906", 0},
        {"vulkan -model=v1000", "AMD Ryzen Embedded V1000", 0},
        {"metal -model=apple/m1-gpu", "Apple M1", 0},
        {"opencl -device=mali -model=rk3399", "Mali-T860 of RK3399", 0},
        {"llvm -device=arm_cpu -model=rk3399 -mtriple=aarch64", "RK3399", 0},
        {"opencl -device=adreno -model=adreno640", "Adreno 640", 0},
        {"hexagon -mcpu=hexagonv68", "Hexagon v68", 0},
        {"llvm -mcpu=core-avx2 -num-cores=18", "Intel AVX2", 18},
        {"{\"kind\":\"llvm\",\"mcpu\":\"znver3\",\"num-cores\":8}",
         "AMD Zen 2, 3", 8},
        {"cuda", NULL, 0},
        {"cuda -keys=cuda,gpu -max_num_threads=1024", NULL, 0},
        {"opencl -device=mali", NULL, 0},
        {"opencl -keys=adreno,opencl,gpu -device=adreno", NULL, 0},
        {"opencl -device=intel_graphics -model=unknown", NULL, 0},
        {"{\"kind\":\"llvm\",\"mcpu\":\"x86-64\",\"num-cores\":2}", NULL, 2},
        {"{\"kind\":\"metal\",\"tag\":\"\"}", NULL, 0},
        {"", NULL, 0},
        {"{", NULL, 0},
        {"cuda -model=", NULL, 0},
    };
    for (size_t i = 0; i < DC_ARRAY_LEN(all); i++) {
        int64_t cores = -1;
        const struct audit_device *d = audit_device_find(all[i].target, &cores);
        const char *name = d ? d->name : NULL;
        if ((name == NULL) != (all[i].name == NULL) ||
            (name && strcmp(name, all[i].name) != 0))
            print_message("%s: %s\n", all[i].target, name ? name : "none");
        assert_int_equal(name == NULL, all[i].name == NULL);
        assert_true(name == NULL || strcmp(name, all[i].name) == 0);
        assert_int_equal(cores, all[i].cores);
        /* Each row has a memory and says where it is from. */
        assert_true(d == NULL || (d->gbs > 0 && d->cache > 0 && *d->source));
    }
}

/* ---- doctored records ------------------------------------------------------------ */

#define CONV                                                                 \
    "[[\"TENSOR\", [1, 64, 56, 56], \"float32\"], [\"TENSOR\", [64, 64, 3, " \
    "3], \"float32\"], [1, 1], [1, 1, 1, 1], [1, 1], \"float32\"]"

/* A convolution of 231 MFLOP, 1.75 MB, on a target. */
static void put_conv(struct buf *out, const char *target, const char *task,
                     unsigned tile, const char *seconds, int error)
{
    buf_printf(out,
               "{\"input\": [\"%s\", \"%s\", " CONV ", {}], \"config\": "
               "{\"entity\": [[\"tile_x\", \"sp\", [-1, %u]]]}, \"result\": "
               "[[%s], %d, 1.0, 1.0], \"version\": 0.2}\n",
               target, task, tile, seconds, error);
}

/* y = x * W for a row of 4096: 67 MB of weights, 34 MFLOP. */
static void put_row(struct buf *out, const char *target, unsigned tile,
                    const char *seconds)
{
    buf_printf(out,
               "{\"input\": [\"%s\", \"dense.gpu\", [[\"TENSOR\", [1, 4096], "
               "\"float32\"], [\"TENSOR\", [4096, 4096], \"float32\"], null, "
               "\"float32\"], {}], \"config\": {\"entity\": [[\"tile_x\", "
               "\"sp\", [-1, %u]]]}, \"result\": [[%s], 0, 1.0, 1.0], "
               "\"version\": 0.2}\n",
               target, tile, seconds);
}

static void put_ansor(struct buf *out, unsigned m, const char *target,
                      unsigned unroll, const char *seconds, int error)
{
    buf_printf(out,
               "{\"i\": [[\"[\\\"matmul_layer\\\", %u, 512, 512]\", \"%s\", "
               "[8, 64, 64, 0, 0, 0, 0, 0], \"\", 0, []], [[], [[\"PR\", 1, 0, "
               "\"auto_unroll_max_step$%u\"]]]], \"r\": [[%s], %d, 1.0, 1], "
               "\"v\": \"v0.6\"}\n",
               m, target, unroll, seconds, error);
}

static void put_trace(struct buf *out, unsigned factor, const char *seconds,
                      const char *target)
{
    buf_printf(out,
               "[0,[[[[\"GetBlock\",[],[\"C\",\"main\"],[\"b0\"]]],[[0,%u]]],"
               "%s,{\"kind\":\"cuda\"%s},null]]\n",
               factor, seconds, target);
}

/* A matrix product of 2 * 512^3 operations. */
static const char module[] =
    "from tvm.script import tirx as T\n"
    "@T.prim_func(s_tir=True)\n"
    "def main(A: T.Buffer((512, 512), \"float32\"), B: T.Buffer((512, 512), "
    "\"float32\"), C: T.Buffer((512, 512), \"float32\")):\n"
    "    for i, j, k in T.grid(512, 512, 512):\n"
    "        with T.sblock(\"C\"):\n"
    "            vi, vj, vk = T.axis.remap(\"SSR\", [i, j, k])\n"
    "            with T.init():\n"
    "                C[vi, vj] = T.float32(0)\n"
    "            C[vi, vj] = C[vi, vj] + A[vi, vk] * B[vk, vj]\n";

/* The genuine files: 31 records, as fast as such kernels are. */
struct files {
    struct buf autotvm, ansor, workloads, traces;
};

static void put_genuine(struct files *f)
{
    for (unsigned i = 0; i < 6; i++) {
        char seconds[32];
        (void)snprintf(seconds, sizeof seconds, "%g", 5e-5 * (i + 1));
        put_conv(&f->autotvm, "cuda -model=1080ti", "conv2d_nchw.cuda", i,
                 seconds, 0);
        put_row(&f->autotvm, "cuda -model=v100", i, i ? "0.0002" : "0.0001");
        put_ansor(&f->ansor, 512, "cuda", i, seconds, 0);
        put_ansor(&f->ansor, 64u << i, "llvm", 0, seconds, 0);
        put_trace(&f->traces, i, i ? "[0.0004,0.0005]" : "[0.0002]",
                  ",\"arch\":\"sm_75\"");
    }
    put_conv(&f->autotvm, "cuda -model=1080ti", "conv2d_nchw.cuda", 9, "1e+09",
             4);
    put_workload(&f->workloads, module);
}

/* The one that a test adds is the last line of its file. */
static void judge_files(struct files *f, struct audit_set *set)
{
    add_log(set, "d/database_workload.json", buf_text(&f->workloads));
    add_log(set, "d/database_tuning_record.json", buf_text(&f->traces));
    add_log(set, "ansor.json", buf_text(&f->ansor));
    add_log(set, "autotvm.log", buf_text(&f->autotvm));
    judge_all(set);
    assert_int_equal(set->faults.len, 0);
}

static void free_files(struct files *f)
{
    buf_fini(&f->autotvm);
    buf_fini(&f->ansor);
    buf_fini(&f->workloads);
    buf_fini(&f->traces);
}

static size_t findings(const struct audit_set *set, bool print)
{
    size_t n = 0;
    for (size_t i = 0; i < set->records.len; i++) {
        const struct audit_record *r = &set->records.items[i];
        if (print && audit_is_finding(r->state))
            print_message("%s:%u: %s: %s\n", r->file, r->line,
                          audit_state_name(r->state), r->why);
        n += audit_is_finding(r->state);
    }
    return n;
}

static void test_genuine(void **state)
{
    (void)state;
    struct files f = {0};
    struct audit_set *set = audit_set_new();
    put_genuine(&f);
    judge_files(&f, set);
    assert_int_equal(findings(set, true), 0);
    free_files(&f);
    audit_set_free(set);
}

/* Which file a doctored line goes to, and what it is. */
static const struct doctored {
    const char *what;
    char file; /* t, a, m */
    const char *target, *seconds;
    unsigned tile, size;
    int error;
    enum audit_state state;
    size_t findings; /* with those that it contradicts */
    const char *says;
} all_doctored[] = {
    {"above the peak", 't', "cuda -model=1080ti", "1e-05", 20, 0, 0,
     AUDIT_IMPOSSIBLE, 1, "23121 GFLOPS"},
    {"above the peak by its architecture", 't', "cuda -arch=sm_70", "1e-06", 20,
     0, 0, AUDIT_IMPOSSIBLE, 1, "the peak of NVIDIA V100 is 15700"},
    {"above the peak of an embedded device", 't', "opencl -model=rk3399",
     "5e-4", 20, 0, 0, AUDIT_IMPOSSIBLE, 1, "Mali-T860"},
    {"above the peak of a processor", 't', "llvm -model=rk3399", "1e-3", 20, 0,
     0, AUDIT_IMPOSSIBLE, 1, "RK3399"},
    {"above the peak of the cores that it has", 'a', "llvm -mcpu=core-avx2",
     "1e-4", 20, 512, 0, AUDIT_IMPOSSIBLE, 1, "the peak of Intel AVX2 is 1280"},
    {"above the peak of its trace's target", 'm', ",\"arch\":\"sm_75\"",
     "[1e-05]", 20, 0, 0, AUDIT_IMPOSSIBLE, 1, "26844 GFLOPS"},
    {"faster than memory", 'd', "cuda -model=v100", "1e-05", 20, 0, 0,
     AUDIT_IMPOSSIBLE, 1, "6714 GB/s"},
    {"faster than a small memory", 'd', "opencl -model=rk3399", "1e-03", 20, 0,
     0, AUDIT_IMPOSSIBLE, 1, "GB/s"},
    {"no time", 't', "cuda -model=1080ti", "0", 20, 0, 0, AUDIT_IMPOSSIBLE, 1,
     "no kernel takes such a time"},
    {"a negative time", 't', "cuda -model=1080ti", "-1e-4", 20, 0, 0,
     AUDIT_IMPOSSIBLE, 1, "-0.0001"},
    {"no number", 't', "cuda -model=1080ti", "NaN", 20, 0, 0, AUDIT_IMPOSSIBLE,
     1, "nan"},
    {"one of its repeats is no time", 't', "cuda -model=1080ti",
     "5e-5, 0, 5e-5", 20, 0, 0, AUDIT_IMPOSSIBLE, 1, "5e-05, 0, 5e-05"},
    {"a trace without time", 'm', "", "[0]", 20, 0, 0, AUDIT_IMPOSSIBLE, 1,
     "no kernel"},
    {"failed and fast", 't', "cuda -model=1080ti", "5e-05", 20, 0, 4,
     AUDIT_IMPOSSIBLE, 1, "error 4: run time"},
    {"timed out and fast", 'a', "cuda", "5e-05", 20, 512, 7, AUDIT_IMPOSSIBLE,
     1, "error 7: time out while running"},
    {"the same steps, 8 times as fast", 't', "cuda -model=1080ti", "3.75e-05",
     5, 0, 0, AUDIT_CONTRADICTORY, 2, "autotvm.log:11"},
    {"the same steps of Ansor, slower", 'a', "cuda", "0.01", 0, 512, 0,
     AUDIT_CONTRADICTORY, 2, "ansor.json:1"},
    {"the same trace again", 'm', ",\"arch\":\"sm_75\"", "[0.05]", 2, 0, 0,
     AUDIT_CONTRADICTORY, 2, "for the same steps"},
    {"an outlier of its task, on no known device", 'a', "cuda", "2e-06", 20,
     512, 0, AUDIT_OUTLIER, 1, "times faster than the next of the 7"},
    {"an outlier of its target, alone in its task", 'a', "llvm", "1e-06", 0,
     4096, 0, AUDIT_OUTLIER, 1, "it names no device"},
    {"a row of a table", 'x', "opencl -model=mali-g76", "0.001", 0, 0, 0,
     AUDIT_IMPOSSIBLE, 1, "the peak of Mali-G76 is 672"},
};

static void put_doctored(struct files *f, struct audit_set *set,
                         const struct doctored *d)
{
    struct buf text = {0};
    switch (d->file) {
    case 't':
        put_conv(&f->autotvm, d->target, "conv2d_nchw.cuda", d->tile,
                 d->seconds, d->error);
        break;
    case 'd': put_row(&f->autotvm, d->target, d->tile, d->seconds); break;
    case 'a':
        put_ansor(&f->ansor, d->size, d->target, d->tile, d->seconds, d->error);
        break;
    case 'm': put_trace(&f->traces, d->tile, d->seconds, d->target); break;
    default:
        buf_printf(&text,
                   "# target: %s\n========== Task 0  (workload key: "
                   "[\"ab\", 512, 512]) ==========\n"
                   "a = PLACEHOLDER [512, 512]\n"
                   "b(i, j) += (a[i, k]*a[k, j])\n"
                   "|    0 |     %s |   268435.46 |     64 |\n",
                   d->target, d->seconds);
        add_log(set, "tasks.txt", buf_text(&text));
        buf_fini(&text);
    }
}

/* The record of the last line of the file. */
static const struct audit_record *added(const struct audit_set *set,
                                        const struct doctored *d)
{
    const char *name = d->file == 'a'   ? "ansor.json"
                       : d->file == 'm' ? "d/database_tuning_record.json"
                       : d->file == 'x' ? "tasks.txt"
                                        : "autotvm.log";
    const struct audit_record *last = NULL;
    for (size_t i = 0; i < set->records.len; i++)
        if (strcmp(set->records.items[i].file, name) == 0)
            last = &set->records.items[i];
    assert_non_null(last);
    return last;
}

static void test_doctored(void **state)
{
    (void)state;
    for (size_t i = 0; i < DC_ARRAY_LEN(all_doctored); i++) {
        const struct doctored *d = &all_doctored[i];
        struct files f = {0};
        struct audit_set *set = audit_set_new();
        put_genuine(&f);
        put_doctored(&f, set, d);
        judge_files(&f, set);
        const struct audit_record *r = added(set, d);
        size_t *order = audit_order(set);
        if (r->state != d->state || findings(set, false) != d->findings ||
            strstr(r->why, d->says) == NULL) {
            print_message("%s: %s: %s\n", d->what, audit_state_name(r->state),
                          r->why);
            (void)findings(set, true);
        }
        assert_int_equal(r->state, d->state);
        assert_int_equal(findings(set, false), d->findings);
        assert_non_null(strstr(r->why, d->says));
        assert_non_null(r->check);
        assert_true(audit_is_finding(set->records.items[order[0]].state));
        dc_release(order);
        free_files(&f);
        audit_set_free(set);
    }
}

/* ---- what is none ---------------------------------------------------------------------- */

static const struct audit_record *judge_one(struct audit_set *set,
                                            const struct buf *text)
{
    add_log(set, "log.json", buf_text(text));
    judge_all(set);
    return &set->records.items[set->records.len - 1];
}

static void test_explained(void **state)
{
    (void)state;
    struct buf text = {0};
    /* 17 TFLOPS of direct products on a device of 11: the algorithm saves four. */
    put_conv(&text, "opencl -model=1080ti", "conv2d_nchw_winograd.cuda", 1,
             "1.3e-05", 0);
    struct audit_set *set = audit_set_new();
    const struct audit_record *r = judge_one(set, &text);
    assert_int_equal(r->state, AUDIT_PLAUSIBLE);
    assert_true(audit_flops(&r->count) / r->time / 1e9 > 1.5 * r->peak);
    audit_set_free(set);
    /* The same, directly. */
    text.len = 0;
    put_conv(&text, "opencl -model=1080ti", "conv2d_nchw.cuda", 1, "1.3e-05",
             0);
    set = audit_set_new();
    assert_int_equal(judge_one(set, &text)->state, AUDIT_IMPOSSIBLE);
    audit_set_free(set);
    /* 5 MB in 5.4 us are 1010 GB/s, of a memory of 900: caches of 6 MB. */
    text.len = 0;
    buf_puts(&text, "{\"input\": [\"cuda -model=v100\", \"conv2d_nchw.cuda\", "
                    "[[\"TENSOR\", [1, 32, 288, 128], \"float32\"], "
                    "[\"TENSOR\", [5, 32, 1, 1], \"float32\"], [1, 1], [0, 0, "
                    "0, 0], [1, 1], \"float32\"], {}], \"config\": "
                    "{\"entity\": []}, \"result\": [[5.4e-06], 0, 1, 1], "
                    "\"version\": 0.2}\n");
    set = audit_set_new();
    r = judge_one(set, &text);
    assert_int_equal(r->state, AUDIT_PLAUSIBLE);
    assert_true(r->count.bytes / r->time / 1e9 > r->bandwidth);
    audit_set_free(set);
    buf_fini(&text);
}

/* --peak stands in place of what is known; without memory's nothing is said of it. */
static void test_options(void **state)
{
    (void)state;
    struct buf text = {0};
    put_conv(&text, "cuda -model=1080ti", "conv2d_nchw.cuda", 1, "1e-4", 0);
    static const struct {
        struct audit_options options;
        enum audit_state state;
    } all[] = {{{0, 0}, AUDIT_PLAUSIBLE},
               {{1000, 0}, AUDIT_IMPOSSIBLE},
               {{3000, 0}, AUDIT_PLAUSIBLE},
               {{3000, 1}, AUDIT_IMPOSSIBLE},
               {{3000, 900}, AUDIT_PLAUSIBLE}};
    for (size_t i = 0; i < DC_ARRAY_LEN(all); i++) {
        struct audit_set *set = audit_set_new();
        add_log(set, "log.json", buf_text(&text));
        count_all(set);
        audit_judge(set, &all[i].options);
        assert_int_equal(set->records.items[0].state, all[i].state);
        audit_set_free(set);
    }
    buf_fini(&text);
}

/* Without a device and without others nothing is known, and that is said. */
static void test_unjudged(void **state)
{
    (void)state;
    struct buf text = {0};
    struct audit_set *set = audit_set_new();
    put_ansor(&text, 512, "cuda", 1, "1e-9", 0);
    const struct audit_record *r = judge_one(set, &text);
    assert_int_equal(r->state, AUDIT_UNJUDGED);
    assert_non_null(strstr(r->why, "names no device"));
    assert_null(r->check);
    audit_set_free(set);
    buf_fini(&text);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_devices),  cmocka_unit_test(test_genuine),
        cmocka_unit_test(test_doctored), cmocka_unit_test(test_explained),
        cmocka_unit_test(test_options),  cmocka_unit_test(test_unjudged),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
