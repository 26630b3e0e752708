/* SPDX-License-Identifier: Apache-2.0
 *
 * Threads change nothing: results, states, flags, step counts and what becomes
 * of a run that ends early are those of one thread, for every number of
 * threads and every budget. One thread is the reference; that it is right is
 * tested elsewhere (test_fast_engine, test_keyed).
 */
#define _XOPEN_SOURCE 700 /* SA_ONSTACK */
#include "interp/interp.h"
#include "tests/test.h"

#include <limits.h>
#include <signal.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#define HEADER                             \
    "from tvm.script import tirx as T\n\n" \
    "@T.prim_func(s_tir=True)\n"           \
    "def main("

/* ---- dc_parallel ------------------------------------------------------------ */

static void count_part(void *user, unsigned part)
{
    unsigned *seen = user;
    seen[part]++;
}

static void test_parts(void **state)
{
    (void)state;
    for (unsigned n = 0; n < 70; n += 1 + n / 3) {
        unsigned seen[70] = {0};
        dc_parallel(n, count_part, seen);
        for (unsigned i = 0; i < 70; i++)
            assert_int_equal(seen[i], i < n ? 1 : 0);
    }
    assert_in_range(dc_cpus(), 1, DC_MAX_THREADS);
}

/* ---- stacks ------------------------------------------------------------------ */

#ifndef DC_SANITIZED

enum { STACK = 42, WILD, CAME_BACK };

static void on_fault(int sig, siginfo_t *info, void *context)
{
    (void)sig;
    (void)context;
    _exit(dc_is_stack(info->si_addr) ? STACK : WILD);
}

static unsigned recurse(unsigned n)
{
    volatile unsigned char frame[256];
    frame[n % 256] = 1;
    return n == UINT_MAX ? 0 : recurse(n + 1) + frame[n % 256];
}

static void too_deep(void *user, unsigned part)
{
    *(volatile unsigned *)user = recurse(part);
}

static void astray(void *user, unsigned part)
{
    (void)user;
    *(volatile unsigned char *)(uintptr_t)(part + 16) = 1;
}

/* How a process ends that runs it on a stack of its own, or on many. */
static int ending(void (*run)(void *, unsigned), bool many)
{
    int status;
    pid_t child = fork();
    if (child == 0) {
        struct sigaction a = {.sa_sigaction = on_fault,
                              .sa_flags = SA_SIGINFO | SA_ONSTACK};
        unsigned result = 0;
        (void)sigaction(SIGSEGV, &a, NULL);
        if (many)
            dc_parallel(3, run, &result);
        else if (!dc_roomy(run, &result))
            _exit(1);
        _exit(CAME_BACK);
    }
    assert_int_equal(waitpid(child, &status, 0), child);
    return WIFEXITED(status) ? WEXITSTATUS(status) : -WTERMSIG(status);
}

/* The other parts of dc_parallel are on the caller's stack, or come there first. */
static void part_two(void *user, unsigned part)
{
    if (part == 2)
        too_deep(user, part);
    else
        (void)pause();
}

static void test_stacks(void **state)
{
    (void)state;
    assert_int_equal(ending(count_part, false), CAME_BACK);
    assert_int_equal(ending(too_deep, false), STACK);
    assert_int_equal(ending(astray, false), WILD);
    assert_int_equal(ending(part_two, true), STACK);
}

#else

static void test_stacks(void **state)
{
    (void)state;
    skip();
}

#endif

/* ---- programs ------------------------------------------------------------------ */

static const struct {
    const char *name, *text;
} programs[] = {
    {
        "sums of rows, a number of terms each",
        HEADER "A: T.Buffer((150,), \"float32\"), "
               "C: T.Buffer((150,), \"float32\")):\n"
               "    for i in range(150):\n"
               "        for j in range(i):\n"
               "            C[i] = C[i] + A[j]\n",
    },
    {
        "strips of lanes",
        HEADER "A: T.Buffer((3000,), \"float32\"), "
               "C: T.Buffer((3000,), \"float32\")):\n"
               "    for i in range(3000):\n"
               "        C[i] = A[i] * A[i] + C[i]\n",
    },
    {
        "guards",
        HEADER "A: T.Buffer((40, 40), \"float32\"), "
               "C: T.Buffer((40, 40), \"float32\")):\n"
               "    for i, j in T.grid(40, 40):\n"
               "        if i + j < 50:\n"
               "            C[i, j] = T.sqrt(A[i, j]) + T.if_then_else(i < j, "
               "A[j, i], T.float32(2))\n",
    },
    {
        "storage of each iteration's own",
        HEADER "A: T.Buffer((40, 20), \"float32\"), "
               "C: T.Buffer((40, 20), \"float32\")):\n"
               "    for i in range(40):\n"
               "        with T.sblock(\"b\"):\n"
               "            vi = T.axis.spatial(40, i)\n"
               "            S = T.alloc_buffer((20,))\n"
               "            for j in range(20):\n"
               "                S[j] = A[vi, j] + T.float32(0.1)\n"
               "            for j in range(20):\n"
               "                C[vi, j] = S[19 - j]\n",
    },
    {
        "a loop that depends on the one before it",
        HEADER "A: T.Buffer((300,), \"float32\"), "
               "C: T.Buffer((300,), \"float32\")):\n"
               "    for i in range(299):\n"
               "        C[i + 1] = C[i] + A[i]\n",
    },
    {
        "a sum over everything behind a shared loop",
        HEADER "A: T.Buffer((64,), \"float32\"), "
               "C: T.Buffer((64,), \"float32\")):\n"
               "    for i in range(64):\n"
               "        C[i] = A[i] / T.float32(3)\n"
               "    for i in range(63):\n"
               "        C[63] = C[63] + C[i]\n",
    },
    {
        "a fault in the middle",
        HEADER "A: T.Buffer((200,), \"int32\"), "
               "C: T.Buffer((200,), \"int32\")):\n"
               "    for i in range(200):\n"
               "        for j in range(i % 7 + 1):\n"
               "            C[i] = C[i] + 100 // (i - 120)\n",
    },
};

struct outcome {
    struct interp_result result;
    struct interp_arg args[2];
};

static void run(const struct ir_module *m, const struct interp_options *o,
                enum interp_fill fill, struct outcome *out)
{
    const struct ir_prim_func *f = &m->funcs[0]->prim;
    memset(out, 0, sizeof *out);
    for (size_t p = 0; p < 2; p++) {
        const struct ir_buffer *b = f->params[p].buffer;
        int64_t shape[2];
        for (size_t d = 0; d < b->rank; d++)
            shape[d] = b->shape[d]->u.int_value;
        out->args[p].tensor = interp_tensor_new(b->dtype, b->rank, shape);
        interp_fill_tensor(out->args[p].tensor, fill, 3, p, 1, 0);
        if (o->domain != INTERP_IEEE)
            interp_tensor_to_leaves(out->args[p].tensor, o, p);
    }
    out->result = interp_run(m, m->funcs[0], 2, out->args, o);
}

static void outcome_fini(struct outcome *x)
{
    interp_result_fini(&x->result);
    for (size_t p = 0; p < 2; p++)
        interp_tensor_free(x->args[p].tensor);
}

static void assert_same(const struct outcome *a, const struct outcome *b)
{
    const struct interp_result *x = &a->result, *y = &b->result;
    assert_int_equal(x->fault, y->fault);
    assert_int_equal(x->steps, y->steps);
    assert_int_equal(x->inexact, y->inexact);
    assert_int_equal(x->data_dependent, y->data_dependent);
    assert_int_equal(x->keyed_ops, y->keyed_ops);
    assert_int_equal(x->degree, y->degree);
    assert_int_equal(x->assumptions, y->assumptions);
    assert_string_equal(x->message != NULL ? x->message : "",
                        y->message != NULL ? y->message : "");
    for (size_t p = 0; p < 2; p++) {
        const struct interp_tensor *s = a->args[p].tensor;
        const struct interp_tensor *t = b->args[p].tensor;
        assert_memory_equal(s->state, t->state, s->elements);
        assert_memory_equal(s->cells, t->cells,
                            s->elements * interp_cell_bytes(s->cell));
        for (size_t i = 0; i < s->elements; i++)
            if (s->state[i] & INTERP_SYMBOLIC)
                assert_memory_equal(&s->box[i].sym, &t->box[i].sym,
                                    sizeof s->box[i].sym);
    }
}

/* One program in one domain, with this budget, on 1, 2 and 5 threads. Gives the
 * steps. */
static uint64_t compare(const struct ir_module *m,
                        enum interp_domain_kind domain, enum interp_fill fill,
                        uint64_t max_steps)
{
    struct interp_options o = interp_default_options();
    struct outcome one, many;
    o.domain = domain;
    o.max_steps = max_steps;
    o.share_small = true;
    run(m, &o, fill, &one);
    uint64_t steps = one.result.steps;
    for (unsigned threads = 2; threads <= 5; threads += 3) {
        o.threads = threads;
        run(m, &o, fill, &many);
        assert_same(&one, &many);
        outcome_fini(&many);
    }
    outcome_fini(&one);
    return steps;
}

static void test_programs(void **state)
{
    static const enum interp_domain_kind domains[] = {INTERP_IEEE, INTERP_ORDER,
                                                      INTERP_AC, INTERP_FIELD};
    (void)state;
    for (size_t i = 0; i < DC_ARRAY_LEN(programs); i++) {
        struct diag_sink *sink = diag_sink_new();
        struct ir_module *m =
            ir_read(programs[i].text, strlen(programs[i].text), "p", sink);
        assert_non_null(m);
        for (size_t d = 0; d < DC_ARRAY_LEN(domains); d++) {
            uint64_t steps = compare(m, domains[d], INTERP_FILL_EXACT, 0);
            (void)compare(m, domains[d], INTERP_FILL_RANDOM, 0);
            uint64_t by = steps / 40 + 1;
            for (uint64_t max = 1; max <= steps + 1; max += by)
                (void)compare(m, domains[d], INTERP_FILL_RANDOM, max);
            (void)compare(m, domains[d], INTERP_FILL_RANDOM, steps);
            (void)compare(m, domains[d], INTERP_FILL_RANDOM, steps - 1);
        }
        ir_module_free(m);
        diag_sink_free(sink);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_parts),
        cmocka_unit_test(test_stacks),
        cmocka_unit_test(test_programs),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
