/* SPDX-License-Identifier: Apache-2.0
 *
 * Single operators against what TVM's LLVM build computed: each folder of
 * ../shared/data/tvm/oracle has one small module, its inputs, and the output
 * that TVM 0.27 gave on x86-64 without FMA. The interpreter must give the same
 * bits (all NaNs count as one value).
 *
 * Where TVM's code is not the definition, the case stands in the table below
 * with the number of elements that differ and the reason, explained under
 * "Exceptions by name" in docs/semantics.md. The number is exact: a difference
 * more, or one less, fails. Each was found by comparing TVM's output with the
 * definition computed apart from this project (exact rational arithmetic, or
 * correctly rounded by a multiple-precision library), never from our output.
 */
#include "interp/interp.h"
#include "tests/cases/oracle_exceptions.h"
#include "tests/test.h"

#include <dirent.h>
#include <stdlib.h>
#include <string.h>

#define ROOT       "../shared/data/tvm/oracle"
#define MAX_PARAMS 8

static const struct oracle_exception *exception_find(const char *name)
{
    for (size_t i = 0; i < DC_ARRAY_LEN(oracle_exceptions); i++)
        if (strcmp(oracle_exceptions[i].name, name) == 0)
            return &oracle_exceptions[i];
    return NULL;
}

static void fail_with(const char *name, struct diag_sink *sink)
{
    struct buf text = {0};

    diag_render(sink, false, &text);
    fail_msg("%s: %s", name, buf_text(&text));
}

/* ROOT/name/stem.npy as an array of type t. */
static struct interp_tensor *array(const char *name, const char *stem,
                                   struct dtype t)
{
    struct diag_sink *sink = diag_sink_new();
    struct buf path = {0};
    bool stored_as_bits = dtype_is_float(t) && t.code != DT_FLOAT;
    struct interp_tensor *tensor;

    buf_printf(&path, ROOT "/%s/%s.npy", name, stem);
    tensor = npy_read(buf_text(&path), stored_as_bits ? t : DTYPE_VOID, sink);
    if (!tensor)
        fail_with(name, sink);
    buf_fini(&path);
    diag_sink_free(sink);
    return tensor;
}

/* Elements in which the two differ; tells the first few. */
static size_t count_differences(const char *name,
                                const struct interp_tensor *ours,
                                const struct interp_tensor *tvm, bool tell)
{
    size_t n = 0;

    for (size_t i = 0; i < tvm->elements; i++) {
        bool defined = (ours->state[i] & INTERP_DEFINED) != 0;
        struct buf text = {0};

        if (defined && num_same(ours->dtype, interp_tensor_get(ours, i),
                                interp_tensor_get(tvm, i)))
            continue;
        n++;
        if (!tell || n > 5)
            continue;
        buf_printf(&text, "  %s[%zu]: ours ", name, i);
        if (defined)
            num_put(&text, ours->dtype, interp_tensor_get(ours, i));
        else
            buf_puts(&text, "undefined");
        buf_puts(&text, ", TVM's ");
        num_put(&text, ours->dtype, interp_tensor_get(tvm, i));
        print_message("%s\n", buf_text(&text));
        buf_fini(&text);
    }
    return n;
}

static void judge(const char *name, const struct interp_tensor *ours,
                  const struct interp_tensor *tvm)
{
    const struct oracle_exception *exception = exception_find(name);
    size_t want = exception ? exception->count : 0;
    size_t n = count_differences(name, ours, tvm, false);

    if (n == want)
        return;
    count_differences(name, ours, tvm, true);
    fail_msg("%s: %zu of %zu elements differ from TVM, %zu expected", name, n,
             tvm->elements, want);
}

static void test_case(void **state)
{
    const char *name = *state;
    struct diag_sink *sink = diag_sink_new();
    struct arena *arena = arena_new();
    struct interp_arg args[MAX_PARAMS] = {{0}};
    struct interp_signature signature = {0};
    struct interp_options options = interp_default_options();
    struct interp_result result;
    struct interp_tensor *want;
    struct ir_module *module;
    struct buf path = {0};
    size_t last;

    buf_printf(&path, ROOT "/%s/untuned.json", name);
    module = ir_read_file(buf_text(&path), sink);
    if (!module)
        fail_with(name, sink);
    assert_int_equal(module->nfuncs, 1);
    if (!interp_signature(module, module->funcs[0], NULL, 0, arena, &signature,
                          sink))
        fail_with(name, sink);
    assert_in_range(signature.nparams, 2, MAX_PARAMS);
    last = signature.nparams - 1;
    for (size_t i = 0; i < last; i++) {
        char stem[32];

        snprintf(stem, sizeof stem, "in_%zu", i);
        args[i].tensor = array(name, stem, signature.params[i].dtype);
    }
    want = array(name, "out", signature.params[last].dtype);
    args[last].tensor = interp_tensor_new(signature.params[last].dtype,
                                          signature.params[last].rank,
                                          signature.params[last].shape);
    interp_fill_tensor(args[last].tensor, INTERP_FILL_ZERO, 0, last, 1, 0);
    assert_int_equal(args[last].tensor->elements, want->elements);
    result = interp_run(module, module->funcs[0], last + 1, args, &options);
    if (result.fault != INTERP_OK)
        fail_msg("%s: %s: %s", name, interp_fault_name(result.fault),
                 result.message);
    judge(name, args[last].tensor, want);

    for (size_t i = 0; i <= last; i++)
        interp_tensor_free(args[i].tensor);
    interp_tensor_free(want);
    interp_result_fini(&result);
    ir_module_free(module);
    arena_free(arena);
    diag_sink_free(sink);
    buf_fini(&path);
}

/* Every row of the table names a case that is there. */
static void test_table(void **state)
{
    (void)state;
    for (size_t i = 0; i < DC_ARRAY_LEN(oracle_exceptions); i++) {
        struct buf path = {0};
        DIR *folder;

        buf_printf(&path, ROOT "/%s", oracle_exceptions[i].name);
        folder = opendir(buf_text(&path));
        if (!folder)
            fail_msg("no oracle case '%s'", oracle_exceptions[i].name);
        closedir(folder);
        assert_true(oracle_exceptions[i].count > 0);
        buf_fini(&path);
    }
}

static int is_case(const struct dirent *entry)
{
    return entry->d_name[0] != '.';
}

int main(void)
{
    struct VEC(struct CMUnitTest) tests = {0};
    struct dirent **entries = NULL;
    int n = scandir(ROOT, &entries, is_case, alphasort);
    int failed;

    if (n <= 0) {
        printf("skipped: " ROOT " not there\n");
        return 77;
    }
    vec_push(&tests,
             ((struct CMUnitTest){"table", test_table, NULL, NULL, NULL}));
    for (int i = 0; i < n; i++)
        vec_push(&tests, ((struct CMUnitTest){entries[i]->d_name, test_case,
                                              NULL, NULL, entries[i]->d_name}));
    failed =
        _cmocka_run_group_tests("oracle", tests.items, tests.len, NULL, NULL);
    vec_fini(&tests);
    for (int i = 0; i < n; i++)
        free(entries[i]);
    free(entries);
    return failed;
}
