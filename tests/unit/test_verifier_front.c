/* SPDX-License-Identifier: Apache-2.0
 *
 * The front end of the prover against the interpreter: what a vprog says, run
 * by the letter (vprog_run.h), must leave in every parameter what the
 * interpreter leaves there, for real modules of all stages of lowering and for
 * small functions that each show one rule.
 *
 * With a file as argument it prints the program of each function instead.
 */
#include "tests/test.h"
#include "tests/unit/vprog_run.h"

#include <dirent.h>

#define DATA      "../shared/data/tvm/"
#define MAX_STEPS 400000u
#define MAX_WORK  6000000u

struct tally {
    size_t functions, supported, equal, skipped, failed;
};

static bool same_element(const struct interp_tensor *a,
                         const struct interp_tensor *b, size_t i, bool exact)
{
    bool da = (a->state[i] & INTERP_DEFINED) != 0;
    bool db = (b->state[i] & INTERP_DEFINED) != 0;
    if (!da || !db)
        return da == db;
    struct dtype t = dtype_scalar(a->dtype);
    if (num_same(t, a->bits[i], b->bits[i]))
        return true;
    if (exact || !dtype_is_float(t))
        return false;
    double x = num_to_double(t, a->bits[i]), y = num_to_double(t, b->bits[i]);
    double d = x > y ? x - y : y - x, m = x > 0 ? x : -x;
    return d <= 1e-2 * m + 1e-2;
}

static void make_args(const struct interp_signature *sig,
                      struct interp_arg *args)
{
    for (size_t i = 0; i < sig->nparams; i++) {
        const struct interp_param *x = &sig->params[i];
        if (!x->is_tensor) {
            args[i].dtype = x->dtype;
            args[i].bits = 3;
            continue;
        }
        for (size_t d = 0; d < x->rank; d++)
            if (x->shape[d] < 0)
                x->shape[d] = 5;
        struct interp_tensor *t =
            interp_tensor_new(x->dtype, x->rank, x->shape);
        bool index = x->indexes && !dtype_is_float(x->dtype);
        interp_fill_tensor(t, index ? INTERP_FILL_INDEX : INTERP_FILL_EXACT, 7,
                           i, index ? 0 : 1, index ? 2 : 0);
        args[i].tensor = t;
    }
}

/* Whether the program and the function do the same. NULL: yes, or no verdict
 * (*skip). */
static const char *contradiction(const struct ir_module *m,
                                 const struct ir_func *f, const struct vprog *p,
                                 struct arena *arena, bool *skip)
{
    struct interp_signature sig;
    *skip = true;
    if (!interp_signature(m, f, NULL, 0, arena, &sig, NULL))
        return NULL;
    struct interp_arg *a = ARENA_ARRAY(arena, sig.nparams, struct interp_arg);
    struct interp_arg *b = ARENA_ARRAY(arena, sig.nparams, struct interp_arg);
    for (size_t i = 0; i < sig.nparams; i++) {
        double n = 1;
        for (size_t d = 0; d < sig.params[i].rank; d++)
            n *=
                sig.params[i].shape[d] < 0 ? 5 : (double)sig.params[i].shape[d];
        if (sig.params[i].is_tensor && n > 200000)
            return NULL;
    }
    make_args(&sig, a);
    make_args(&sig, b);
    struct interp_options o = interp_default_options();
    o.max_steps = MAX_STEPS;
    struct interp_result result = interp_run(m, f, sig.nparams, a, &o);
    const char *what = NULL;
    if (result.fault == INTERP_OK) {
        struct vrun run;
        vrun(&run, p, b, MAX_WORK);
        *skip = run.cannot;
        if (run.message[0] != '\0' && !run.cannot)
            what = arena_strdup(arena, run.message);
        for (size_t i = 0; i < sig.nparams && !*skip && what == NULL; i++)
            for (size_t k = 0; a[i].tensor != NULL && k < a[i].tensor->elements;
                 k++)
                if (!same_element(a[i].tensor, b[i].tensor, k,
                                  !result.inexact)) {
                    what =
                        arena_printf(arena, "parameter %zu, element %zu", i, k);
                    break;
                }
    }
    interp_result_fini(&result);
    for (size_t i = 0; i < sig.nparams; i++) {
        interp_tensor_free(a[i].tensor);
        interp_tensor_free(b[i].tensor);
    }
    return what;
}

static void check_module(const struct ir_module *m, const char *name,
                         struct tally *t, bool verbose)
{
    for (size_t i = 0; i < m->nfuncs; i++) {
        if (m->funcs[i]->kind != IR_FUNC_PRIM)
            continue;
        struct arena *arena = arena_new();
        struct vprog *p = vprog_make(m, m->funcs[i]);
        bool skip = true;
        const char *what = NULL;
        t->functions++;
        if (p->unsupported == NULL) {
            t->supported++;
            what = contradiction(m, m->funcs[i], p, arena, &skip);
        } else if (verbose) {
            print_message("unsupported: %s %s: %s\n", name, m->funcs[i]->name,
                          p->unsupported);
        }
        if (what != NULL) {
            print_error("%s %s: %s\n", name, m->funcs[i]->name, what);
            t->failed++;
        } else {
            t->equal += !skip;
            t->skipped += skip;
        }
        vprog_free(p);
        arena_free(arena);
    }
}

static struct ir_module *read_module(const char *path)
{
    struct diag_sink *sink = diag_sink_new();
    struct ir_module *m = ir_read_file(path, sink);
    if (m != NULL)
        ir_host_restore(m, sink);
    diag_sink_free(sink);
    return m;
}

static void check_family(const char *family, struct tally *t, bool verbose)
{
    char path[1024];
    snprintf(path, sizeof path, "%s%s", DATA, family);
    DIR *dir = opendir(path);
    struct dirent *entry;
    static const char *const sides[] = {"untuned.json", "tuned.json"};
    while (dir != NULL && (entry = readdir(dir)) != NULL)
        for (size_t i = 0; i < 2 && entry->d_name[0] != '.'; i++) {
            snprintf(path, sizeof path, "%s%s/%s/%s", DATA, family,
                     entry->d_name, sides[i]);
            struct ir_module *m = read_module(path);
            if (m == NULL)
                continue;
            check_module(m, path + strlen(DATA), t, verbose);
            ir_module_free(m);
        }
    if (dir != NULL)
        closedir(dir);
}

static void data_modules_run_alike(void **state)
{
    static const char *const families[] = {"schedule",     "passes", "dlight",
                                           "metaschedule", "eras",   "mutants",
                                           "seed0"};
    (void)state;
    DIR *dir = opendir(DATA);
    if (dir == NULL) {
        print_message("no %s: skipped\n", DATA);
        skip();
        return;
    }
    closedir(dir);
    struct tally t = {0};
    bool verbose = getenv("DC_FRONT_VERBOSE") != NULL;
    for (size_t i = 0; i < DC_ARRAY_LEN(families); i++)
        check_family(families[i], &t, verbose);
    print_message("%zu functions, %zu supported, %zu run alike, %zu not run\n",
                  t.functions, t.supported, t.equal, t.skipped);
    assert_int_equal(t.failed, 0);
    assert_true(t.equal > 100);
}

static int print_file(const char *path)
{
    struct ir_module *m = read_module(path);
    for (size_t i = 0; m != NULL && i < m->nfuncs; i++) {
        struct buf text = {0};
        if (m->funcs[i]->kind != IR_FUNC_PRIM)
            continue;
        struct vprog *p = vprog_make(m, m->funcs[i]);
        vprog_print(p, &text);
        printf("%s\n%s", m->funcs[i]->name, buf_text(&text));
        buf_fini(&text);
        vprog_free(p);
    }
    if (m != NULL) {
        struct tally t = {0};
        check_module(m, path, &t, true);
        printf("%zu alike, %zu not run, %zu fail\n", t.equal, t.skipped,
               t.failed);
    }
    ir_module_free(m);
    return 0;
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(data_modules_run_alike),
    };
    if (argc > 1)
        return print_file(argv[1]);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
