/* SPDX-License-Identifier: Apache-2.0
 *
 * One operator and type at a time against what TVM's llvm code computed
 * (x86-64 without FMA): every element bit for bit, NaN as one value.
 *
 * Each case says for how many elements TVM itself is off the strictly rounded
 * definition, as an independent program found; ours may be off TVM there and
 * nowhere else. The rows below are the operators where that program's
 * definition is not the single correctly rounded operation of ours.
 */
#include "interp/interp.h"
#include "tests/test.h"

#include <dirent.h>
#include <stdlib.h>
#include <string.h>

#define DATA "../shared/data/tvm/oracle"

/* How a difference is accepted. */
enum reason {
    STRICT,  /* no more of them than the case says */
    UNFUSED, /* TVM's fma rounds twice (rule 13): then it is a * b + c */
    NEAR     /* composed in TVM or libm: few units in the last place */
};

static const struct {
    const char *name;
    enum reason reason;
    uint64_t ulp;
} exceptions[] = {
    {"fma_float16", UNFUSED, 0}, {"fma_float32", UNFUSED, 0},
    {"fma_float64", UNFUSED, 0}, {"erf_float64", NEAR, 1},
    {"rsqrt_float64", NEAR, 1},  {"sigmoid_float64", NEAR, 2},
};

struct oracle {
    const char *name;
    struct ir_module *module;
    const struct ir_func *func;
    size_t nparams;
    struct interp_arg args[8];
    struct interp_tensor *want;
    unsigned strict; /* elements where TVM is off the strict definition */
};

static void path_in(char out[512], const char *name, const char *file)
{
    snprintf(out, 512, DATA "/%s/%s", name, file);
}

static unsigned strict_count(const char *name, struct diag_sink *sink)
{
    char path[512];
    struct buf text = {0};
    path_in(path, name, "case.json");
    assert_true(file_read(path, 0, &text, sink));
    const char *p = strstr(buf_text(&text), "\"count\":");
    unsigned n = p == NULL ? 0 : (unsigned)strtoul(p + 8, NULL, 10);
    buf_fini(&text);
    return n;
}

static struct interp_tensor *blank_like(const struct interp_tensor *t)
{
    struct interp_tensor *x = interp_tensor_clone(t);
    memset(x->bits, 0, x->elements * sizeof *x->bits);
    return x;
}

static void oracle_load(struct oracle *o, struct diag_sink *sink)
{
    char path[512], file[32];
    path_in(path, o->name, "untuned.json");
    o->module = ir_read_file(path, sink);
    assert_non_null(o->module);
    o->func = o->module->funcs[0];
    o->nparams = o->func->prim.nparams;
    assert_in_range(o->nparams, 2, DC_ARRAY_LEN(o->args));
    for (size_t i = 0; i < o->nparams; i++) {
        const struct ir_buffer *b = o->func->prim.params[i].buffer;
        bool last = i + 1 == o->nparams;
        assert_non_null(b);
        snprintf(file, sizeof file, "in_%zu.npy", i);
        path_in(path, o->name, last ? "out.npy" : file);
        struct interp_tensor *t = npy_read(path, b->dtype, sink);
        assert_non_null(t);
        o->args[i].tensor = last ? blank_like(t) : t;
        if (last)
            o->want = t;
    }
    o->strict = strict_count(o->name, sink);
}

static void oracle_free(struct oracle *o)
{
    for (size_t i = 0; i < o->nparams; i++)
        interp_tensor_free(o->args[i].tensor);
    interp_tensor_free(o->want);
    ir_module_free(o->module);
}

/* What TVM has at element i if it rounds the product on its own. */
static uint64_t unfused(const struct oracle *o, size_t i)
{
    unsigned flags = 0;
    struct dtype t = o->want->dtype;
    uint64_t p = num_binary(NUM_MUL, t, o->args[0].tensor->bits[i],
                            o->args[1].tensor->bits[i], &flags);
    return num_binary(NUM_ADD, t, p, o->args[2].tensor->bits[i], &flags);
}

static bool accepted(const struct oracle *o, size_t i, uint64_t have)
{
    struct dtype t = o->want->dtype;
    for (size_t k = 0; k < DC_ARRAY_LEN(exceptions); k++) {
        if (strcmp(exceptions[k].name, o->name) != 0)
            continue;
        if (exceptions[k].reason == UNFUSED)
            return num_same(t, unfused(o, i), o->want->bits[i]);
        return num_ulp_distance(t, have, o->want->bits[i]) <= exceptions[k].ulp;
    }
    return false;
}

static void oracle_compare(const struct oracle *o)
{
    const struct interp_tensor *have = o->args[o->nparams - 1].tensor;
    unsigned off = 0;
    for (size_t i = 0; i < o->want->elements; i++) {
        bool defined = have->state[i] & INTERP_DEFINED;
        if (defined &&
            num_same(o->want->dtype, o->want->bits[i], have->bits[i]))
            continue;
        if (!defined || !accepted(o, i, have->bits[i]))
            off++;
    }
    if (off > o->strict) {
        print_error("%s: %u of %zu elements differ, TVM is off in %u\n",
                    o->name, off, o->want->elements, o->strict);
        fail();
    }
}

static void oracle_run(const char *name)
{
    struct oracle o = {.name = name};
    struct diag_sink *sink = diag_sink_new();
    oracle_load(&o, sink);
    struct interp_result r =
        interp_run(o.module, o.func, o.nparams, o.args, NULL);
    if (r.fault != INTERP_OK) {
        print_error("%s: %s\n", name, r.message);
        fail();
    }
    oracle_compare(&o);
    interp_result_fini(&r);
    oracle_free(&o);
    diag_sink_free(sink);
}

static void test_all(void **state)
{
    (void)state;
    DIR *dir = opendir(DATA);
    if (dir == NULL) {
        print_message("skipped: " DATA " not there\n");
        skip();
    }
    unsigned n = 0;
    for (struct dirent *e = readdir(dir); e != NULL; e = readdir(dir))
        if (e->d_name[0] != '.') {
            oracle_run(e->d_name);
            n++;
        }
    closedir(dir);
    print_message("%u cases\n", n);
    assert_true(n > 500);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_all)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
