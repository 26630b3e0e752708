/* SPDX-License-Identifier: Apache-2.0
 *
 * The fast engine against the tree walker: the same bits, states, flags and
 * steps (counted in units of interp_speed) on every program that it
 * handles, arguments untouched on the others. The walker is the oracle: it
 * shares no arithmetic but num.h with the engine.
 *
 * One thread, two and five take turns over the fills. The same again for
 * programs rewritten for other arithmetic (interp/replay/), whose wider sums
 * the engine has kernels for.
 *
 * Programs: those below, one for each thing that the engine compiles in its
 * own way, which it has to handle; all of corpora/pairs; and, where the data
 * is there, the modules of ../shared/data.
 */
#include "interp/interp.h"
#include "ir/num/profile.h"
#include "tests/test.h"

#include <dirent.h>
#include <string.h>

#define HEADER                             \
    "from tvm.script import ir as I\n"     \
    "from tvm.script import tirx as T\n\n" \
    "@T.prim_func(s_tir=True)\n"           \
    "def main("

static const enum interp_fill fills[] = {
    INTERP_FILL_EXACT, INTERP_FILL_RANDOM, INTERP_FILL_BOUNDARY,
    INTERP_FILL_RANGE, INTERP_FILL_UNIT,   INTERP_FILL_TINY,
    INTERP_FILL_ZERO,
};

/* ---- one run in both engines --------------------------------------------------- */

#define MAX_PARAMS 40

struct duel {
    const char *name;
    const struct ir_module *module;
    const struct ir_func *func;
    const struct num_profile *profile; /* NULL: the reference */
    struct interp_signature sig;
    uint64_t max_steps;     /* of the walker; 0: no limit */
    int64_t size;           /* of symbolic dimensions */
    bool must;              /* the engine has to handle it */
    bool handled, too_long; /* out */
    struct interp_arg fast[MAX_PARAMS], walk[MAX_PARAMS];
};

static void make_args(struct duel *d, enum interp_fill fill)
{
    for (size_t p = 0; p < d->sig.nparams; p++) {
        struct interp_param *x = &d->sig.params[p];
        struct interp_arg arg;
        memset(&arg, 0, sizeof arg);
        d->fast[p] = d->walk[p] = arg;
        if (!x->is_tensor) {
            unsigned flags = 0;
            arg.dtype = x->dtype;
            arg.bits = num_from_double(x->dtype, (double)d->size, &flags);
            d->fast[p] = d->walk[p] = arg;
            continue;
        }
        for (size_t i = 0; i < x->rank; i++)
            if (x->shape[i] < 0)
                x->shape[i] = d->size;
        bool index = x->indexes && !dtype_is_float(x->dtype);
        arg.tensor = interp_tensor_new(x->dtype, x->rank, x->shape);
        interp_fill_tensor(arg.tensor, index ? INTERP_FILL_INDEX : fill, 7, p,
                           index ? 0 : 1, index ? 3 : 0);
        d->fast[p] = arg;
        arg.tensor = interp_tensor_clone(arg.tensor);
        d->walk[p] = arg;
    }
}

static void free_args(struct duel *d)
{
    for (size_t p = 0; p < d->sig.nparams; p++) {
        interp_tensor_free(d->fast[p].tensor);
        interp_tensor_free(d->walk[p].tensor);
    }
}

static void compare_tensors(const struct duel *d, enum interp_fill fill)
{
    for (size_t p = 0; p < d->sig.nparams; p++) {
        const struct interp_tensor *a = d->fast[p].tensor;
        const struct interp_tensor *b = d->walk[p].tensor;
        for (size_t i = 0; a != NULL && i < a->elements; i++) {
            if (interp_tensor_get(a, i) == interp_tensor_get(b, i) &&
                a->state[i] == b->state[i])
                continue;
            print_error(
                "%s, %s: parameter %zu, element %zu: %llx with state "
                "%u, the walker has %llx with %u\n",
                d->name, interp_fill_name(fill), p, i,
                (unsigned long long)interp_tensor_get(a, i), a->state[i],
                (unsigned long long)interp_tensor_get(b, i), b->state[i]);
            fail();
        }
    }
}

static bool same_text(const char *a, const char *b)
{
    return a == NULL || b == NULL ? a == b : strcmp(a, b) == 0;
}

static void compare_results(struct duel *d, enum interp_fill fill,
                            const struct interp_result *fast,
                            const struct interp_result *walk)
{
    struct interp_options o = interp_default_options();
    o.profile = d->profile;
    uint64_t ratio =
        (uint64_t)interp_speed(d->module, d->func, d->sig.nparams, d->walk, &o);
    bool slow = d->profile != NULL && num_profile_is_scalar(d->profile);
    assert_true(ratio >= (slow ? 8u : 16u));
    bool same = fast->fault == walk->fault &&
                fast->steps == (walk->steps + ratio - 1) / ratio &&
                (fast->beyond == NULL) == (walk->beyond == NULL) &&
                fast->inexact == walk->inexact &&
                fast->control_inexact == walk->control_inexact &&
                fast->data_dependent == walk->data_dependent &&
                fast->implicit_barriers == walk->implicit_barriers &&
                fast->nimplied == walk->nimplied &&
                same_text(fast->implied, walk->implied) &&
                fast->has_atomics == walk->has_atomics;
    if (same)
        return;
    print_error("%s, %s: %s, %llu steps, inexact %d, data %d; the walker: %s "
                "(%s), %llu steps, inexact %d, data %d\n",
                d->name, interp_fill_name(fill), interp_fault_name(fast->fault),
                (unsigned long long)fast->steps, fast->inexact,
                fast->data_dependent, interp_fault_name(walk->fault),
                walk->message != NULL ? walk->message : "",
                (unsigned long long)walk->steps, walk->inexact,
                walk->data_dependent);
    fail();
}

/* False when further fills are of no use. */
static bool fight(struct duel *d, enum interp_fill fill)
{
    struct interp_options o = interp_default_options();
    make_args(d, fill);
    o.profile = d->profile;
    o.engine = INTERP_ENGINE_WALK;
    o.max_steps = d->max_steps;
    struct interp_result walk =
        interp_run(d->module, d->func, d->sig.nparams, d->walk, &o);
    bool go_on = walk.fault != INTERP_BUDGET;
    d->too_long |= !go_on;
    if (go_on) {
        static const unsigned threads[] = {1, 2, 5};
        o.engine = INTERP_ENGINE_FAST;
        o.max_steps = 0;
        o.threads = threads[(size_t)fill % DC_ARRAY_LEN(threads)];
        o.share_small = true;
        struct interp_result fast =
            interp_run(d->module, d->func, d->sig.nparams, d->fast, &o);
        if (fast.fault == INTERP_UNSUPPORTED) {
            if (d->must)
                print_error("%s, %s: %s\n", d->name, interp_fill_name(fill),
                            fast.message);
            assert_false(d->must);
            /* nothing of the caller's was touched: the walker starts again */
            for (size_t p = 0; p < d->sig.nparams; p++)
                interp_tensor_free(d->walk[p].tensor);
            struct interp_arg used[MAX_PARAMS];
            memcpy(used, d->fast, sizeof used);
            make_args(d, fill);
            for (size_t p = 0; p < d->sig.nparams; p++)
                interp_tensor_free(d->fast[p].tensor);
            memcpy(d->fast, used, sizeof used);
        } else {
            d->handled = true;
            compare_results(d, fill, &fast, &walk);
        }
        compare_tensors(d, fill);
        interp_result_fini(&fast);
    }
    interp_result_fini(&walk);
    free_args(d);
    return go_on;
}

/* All functions of a module, all fills. */
struct tally {
    unsigned functions, handled, too_long;
};

static const struct num_profile *arithmetic; /* of all duels */

/* Which entries of folders fight: all, but with sanitizers. */
static struct {
    unsigned one_in, part;
} taken = {TEST_ONE_IN(6), 0};

static void fight_module(const char *name, const struct ir_module *m,
                         uint64_t max_steps, bool must, struct tally *t)
{
    for (size_t f = 0; f < m->nfuncs; f++) {
        struct duel d;
        memset(&d, 0, sizeof d);
        d.name = name;
        d.module = m;
        d.func = m->funcs[f];
        d.profile = arithmetic;
        d.max_steps = max_steps;
        d.size = 7;
        d.must = must;
        struct arena *arena = arena_new();
        bool runs = d.func->kind == IR_FUNC_PRIM && d.func->prim.body != NULL &&
                    interp_signature(m, d.func, NULL, 0, arena, &d.sig, NULL) &&
                    d.sig.nparams <= MAX_PARAMS;
        size_t nfills = d.profile == NULL ? DC_ARRAY_LEN(fills) : 3;
        for (size_t i = 0; runs && i < nfills; i++)
            if (!fight(&d, fills[i]))
                break;
        t->functions += runs;
        t->handled += d.handled;
        t->too_long += d.too_long;
        arena_free(arena);
    }
}

static bool fight_file(const char *path, uint64_t max_steps, struct tally *t)
{
    struct diag_sink *sink = diag_sink_new();
    struct ir_module *m = ir_read_file(path, sink);
    if (m != NULL)
        fight_module(path, m, max_steps, false, t);
    bool read = m != NULL;
    ir_module_free(m);
    diag_sink_free(sink);
    return read;
}

static void fight_folder(const char *root, const char *tuned,
                         const char *untuned, uint64_t max_steps,
                         struct tally *t)
{
    DIR *dir = opendir(root);
    struct dirent *entry;
    while (dir != NULL && (entry = readdir(dir)) != NULL) {
        char path[1024];
        if (entry->d_name[0] == '.' ||
            !test_takes_part(entry->d_name, taken.one_in, taken.part))
            continue;
        snprintf(path, sizeof path, "%s/%s/%s", root, entry->d_name, tuned);
        (void)fight_file(path, max_steps, t);
        snprintf(path, sizeof path, "%s/%s/%s", root, entry->d_name, untuned);
        (void)fight_file(path, max_steps, t);
    }
    if (dir != NULL)
        closedir(dir);
}

/* ---- programs that it has to handle ------------------------------------------------ */

struct program {
    const char *name, *params, *body;
};

#define GEMM(type, zero)                                                \
    "A: T.Buffer((9, 12), \"" type "\"), B: T.Buffer((12, 70), \"" type \
    "\"), C: T.Buffer((9, 70), \"" type "\")",                          \
        "    for i, j, k in T.grid(9, 70, 12):\n"                       \
        "        with T.sblock(\"b\"):\n"                               \
        "            vi = T.axis.spatial(9, i)\n"                       \
        "            vj = T.axis.spatial(70, j)\n"                      \
        "            vk = T.axis.reduce(12, k)\n"                       \
        "            with T.init():\n"                                  \
        "                C[vi, vj] = " zero "\n"                        \
        "            C[vi, vj] = C[vi, vj] + A[vi, vk] * B[vk, vj]\n"
#define MAP(from, to, expr)                                          \
    "A: T.Buffer((600,), \"" from "\"), B: T.Buffer((600,), \"" from \
    "\"), C: T.Buffer((600,), \"" to "\")",                          \
        "    for i in range(600):\n        C[i] = " expr "\n"

// clang-format off
static const struct program programs[] = {
{"gemm float32", GEMM("float32", "T.float32(0)")},
{"gemm float16", GEMM("float16", "T.float16(0)")},
{"gemm bfloat16", GEMM("bfloat16", "T.bfloat16(0)")},
{"gemm float64", GEMM("float64", "T.float64(0)")},
{"gemm int8", GEMM("int8", "T.int8(0)")},
{"gemm uint32", GEMM("uint32", "T.uint32(0)")},
{"gemm int64", GEMM("int64", "T.int64(0)")},
{"add float16", MAP("float16", "float16", "A[i] + B[i]")},
{"subtract float16", MAP("float16", "float16", "A[i] - B[i]")},
{"multiply float16", MAP("float16", "float16", "A[i] * B[i]")},
{"divide float16", MAP("float16", "float16", "A[i] / B[i]")},
{"add bfloat16", MAP("bfloat16", "bfloat16", "A[i] + B[i]")},
{"multiply bfloat16", MAP("bfloat16", "bfloat16", "A[i] * B[i]")},
{"divide bfloat16", MAP("bfloat16", "bfloat16", "A[i] / B[i]")},
{"divide float32", MAP("float32", "float32", "A[i] / B[i]")},
{"subtract float32", MAP("float32", "float32", "A[i] - B[i]")},
{"add float64", MAP("float64", "float64", "A[i] + B[i]")},
{"multiply float64", MAP("float64", "float64", "A[i] * B[i]")},
{"divide float64", MAP("float64", "float64", "A[i] / B[i]")},
{"max float16", MAP("float16", "float16", "T.max(A[i], B[i])")},
{"min float64", MAP("float64", "float64", "T.min(A[i], B[i])")},
{"max uint64", MAP("uint64", "uint64", "T.max(A[i], B[i])")},
{"compare float32", MAP("float32", "bool", "A[i] < B[i]")},
{"not equal float16", MAP("float16", "bool", "A[i] != B[i]")},
{"logic", MAP("float32", "bool", "A[i] < B[i] or not A[i] <= B[i]")},
{"select", MAP("float32", "float32", "T.Select(A[i] > B[i], A[i] * B[i], A[i])")},
{"select float64", MAP("float64", "float64", "T.Select(A[i] > B[i], A[i] * B[i], A[i])")},
{"sqrt", MAP("float32", "float32", "T.sqrt(A[i]) + B[i]")},
{"fma", MAP("float16", "float16", "T.fma(A[i], B[i], A[i])")},
{"negative zero", MAP("float32", "float32", "A[i] * T.float32(-0.0)")},
{"float16 to float32", MAP("float16", "float32", "T.Cast(\"float32\", A[i]) * T.Cast(\"float32\", B[i])")},
{"float32 to float16", MAP("float32", "float16", "T.Cast(\"float16\", A[i] + B[i])")},
{"float64 to float16", MAP("float64", "float16", "T.Cast(\"float16\", A[i])")},
{"float32 to bfloat16", MAP("float32", "bfloat16", "T.Cast(\"bfloat16\", A[i])")},
{"int32 to float32", MAP("int32", "float32", "T.Cast(\"float32\", A[i] + B[i])")},
{"int32 to float16", MAP("int32", "float16", "T.Cast(\"float16\", A[i])")},
{"int16 to int8", MAP("int16", "int8", "T.Cast(\"int8\", A[i] * B[i])")},
{"int8 to int32", MAP("int8", "int32", "T.Cast(\"int32\", A[i]) * T.Cast(\"int32\", B[i])")},
{"uint8 to uint32", MAP("uint8", "uint32", "T.Cast(\"uint32\", A[i]) - T.Cast(\"uint32\", B[i])")},
{"the loop variable as a number", MAP("float32", "float32", "A[i] + T.Cast(\"float32\", i * 3 - 7)")},
{"index through a division", MAP("float32", "float32", "A[i // 3 * 3 + i % 3] + B[i // 7]")},
{"a permuted index", MAP("float32", "float32", "A[i % 20 * 30 + i // 20]")},
{"a reversed index", MAP("float16", "float16", "A[599 - i] + B[i]")},
{"strides", "A: T.Buffer((40, 50), \"float16\"), C: T.Buffer((50, 40), \"float16\")",
 "    for i, j in T.grid(50, 40):\n        C[i, j] = A[j, i]\n"},
{"a permuted store", "A: T.Buffer((600,), \"float32\"), C: T.Buffer((600,), \"float32\")",
 "    for i in range(600):\n        C[i % 20 * 30 + i // 20] = A[i] * A[i]\n"},
{"row sums", "A: T.Buffer((300, 5), \"float32\"), C: T.Buffer((300,), \"float32\")",
 "    for i in range(300):\n"
 "        C[i] = T.float32(0)\n"
 "        for k in range(5):\n"
 "            C[i] = C[i] + A[i, k]\n"},
{"one sum", "A: T.Buffer((300,), \"float16\"), C: T.Buffer((1,), \"float16\")",
 "    for k in range(300):\n        C[0] = C[0] + A[k]\n"},
{"prefix sums", "A: T.Buffer((300,), \"float16\"), C: T.Buffer((301,), \"float16\")",
 "    for k in range(300):\n        C[k + 1] = C[k] + A[k]\n"},
{"in place, shifted down", "C: T.Buffer((300,), \"float32\")",
 "    for k in range(299):\n        C[k] = C[k + 1] * C[k]\n"},
{"padding", "A: T.Buffer((3, 60), \"float16\"), C: T.Buffer((5, 62), \"float16\")",
 "    for i, j in T.grid(5, 62):\n"
 "        C[i, j] = T.if_then_else(1 <= i and i < 4 and 1 <= j and j < 61, A[i - 1, j - 1], T.float16(1.5))\n"},
{"padding under arithmetic", "A: T.Buffer((3, 60), \"float32\"), C: T.Buffer((5, 62), \"float32\")",
 "    for i, j in T.grid(5, 62):\n"
 "        C[i, j] = T.float32(0.1) * T.if_then_else(1 <= i and i < 4 and 1 <= j and j < 61, A[i - 1, j - 1] * T.float32(3.3), T.float32(0)) + T.float32(2)\n"},
{"a tail", "A: T.Buffer((100,), \"float32\"), C: T.Buffer((100,), \"float32\")",
 "    for io, ii in T.grid(4, 32):\n"
 "        if io * 32 + ii < 100:\n"
 "            C[io * 32 + ii] = A[io * 32 + ii] + T.float32(1)\n"
 "        else:\n"
 "            C[0] = C[0] + T.float32(0.7)\n"},
{"a block's predicate", "A: T.Buffer((100,), \"float32\"), C: T.Buffer((100,), \"float32\")",
 "    for io in T.parallel(4):\n"
 "        for ii in T.vectorized(32):\n"
 "            with T.sblock(\"b\"):\n"
 "                v = T.axis.spatial(100, io * 32 + ii)\n"
 "                T.where(io * 32 + ii < 100)\n"
 "                C[v] = A[v] * A[v]\n"},
{"a triangle", "A: T.Buffer((30, 30), \"float32\"), C: T.Buffer((30,), \"float32\")",
 "    for i in range(30):\n"
 "        for j in range(i, 30):\n"
 "            C[i] = C[i] + A[i, j]\n"
 "        for j in range(0, i - 5):\n"
 "            C[i] = C[i] * A[i, j]\n"},
{"storage of each iteration", "A: T.Buffer((40, 6), \"float32\"), C: T.Buffer((40, 6), \"float32\")",
 "    for i in range(40):\n"
 "        with T.sblock(\"b\"):\n"
 "            v = T.axis.spatial(40, i)\n"
 "            B = T.sblock_alloc_buffer((6,), \"float32\")\n"
 "            for j in range(6):\n"
 "                B[j] = A[v, 5 - j] * A[v, j]\n"
 "            for j in range(6):\n"
 "                C[v, j] = B[5 - j] + B[j]\n"},
{"a gather", "A: T.Buffer((50, 40), \"float32\"), I: T.Buffer((30,), \"int32\"), C: T.Buffer((30, 40), \"float32\")",
 "    for i, j in T.grid(30, 40):\n        C[i, j] = A[I[i], j]\n"},
{"a gather in every lane", "A: T.Buffer((50,), \"float16\"), I: T.Buffer((300,), \"int64\"), C: T.Buffer((300,), \"float16\")",
 "    for i in range(300):\n        C[i] = A[I[i] * T.int64(2)] * A[I[i]]\n"},
{"vectors", "A: T.Buffer((64,), \"float32\"), C: T.Buffer((64,), \"float32\")",
 "    for i in range(8):\n"
 "        C[i * 8:i * 8 + 8] = A[i * 8:i * 8 + 8] * T.Broadcast(T.float32(0.3), 8)\n"},
{"a vector over itself", "C: T.Buffer((64,), \"float32\")",
 "    for i in range(8):\n"
 "        C[T.Ramp(i * 7 + 1, 1, 7)] = C[T.Ramp(i * 7, 1, 7)]\n"},
{"symbolic sizes", "a: T.handle, c: T.handle, n: T.int32",
 "    m = T.int32()\n"
 "    A = T.match_buffer(a, (m, 4))\n"
 "    C = T.match_buffer(c, (m, 4))\n"
 "    for i, j in T.grid(m, 4):\n"
 "        if j < n:\n"
 "            C[i, j] = A[i, j] + A[m - 1 - i, j]\n"},
{"softmax", "A: T.Buffer((6, 33), \"float32\"), C: T.Buffer((6, 33), \"float32\")",
 "    M = T.alloc_buffer((6,))\n"
 "    E = T.alloc_buffer((6, 33))\n"
 "    S = T.alloc_buffer((6,))\n"
 "    for i in range(6):\n"
 "        M[i] = T.float32(-3e38)\n"
 "        for j in range(33):\n            M[i] = T.max(M[i], A[i, j])\n"
 "        for j in range(33):\n            E[i, j] = T.exp(A[i, j] - M[i])\n"
 "        S[i] = T.float32(0)\n"
 "        for j in range(33):\n            S[i] = S[i] + E[i, j]\n"
 "        for j in range(33):\n            C[i, j] = E[i, j] / S[i]\n"},
{"one value for the lanes of a guard", "A: T.Buffer((8,), \"float32\"), C: T.Buffer((70,), \"float32\")",
 "    for i in range(70):\n"
 "        if i >= 3:\n"
 "            B = T.alloc_buffer((5,))\n"
 "            for j in range(5):\n"
 "                B[j] = T.max(A[j], T.float32(2))\n"
 "            C[i] = B[3] + B[0]\n"},
{"threads that need nothing of one another", "A: T.Buffer((200,), \"float16\"), C: T.Buffer((200,), \"float16\")",
 "    for b in T.thread_binding(4, thread=\"blockIdx.x\"):\n"
 "        for t in T.thread_binding(64, thread=\"threadIdx.x\"):\n"
 "            with T.sblock(\"b\"):\n"
 "                v = T.axis.spatial(200, b * 64 + t)\n"
 "                T.where(b * 64 + t < 200)\n"
 "                L = T.sblock_alloc_buffer((2,), \"float16\", scope=\"local\")\n"
 "                L[0] = A[v] * A[v]\n"
 "                L[1] = A[199 - v]\n"
 "                C[v] = L[0] + L[1]\n"},
{"fused and parallel", "A: T.Buffer((12, 18), \"float32\"), C: T.Buffer((12, 18), \"float32\")",
 "    for t in T.parallel(12):\n"
 "        for i, j in T.grid(3, 6):\n"
 "            C[t // 3 * 3 + i, t % 3 * 6 + j] = A[t // 3 * 3 + i, t % 3 * 6 + j] * T.float32(1.1)\n"},
{"fused and flat", "A: T.Buffer((216,), \"float32\"), C: T.Buffer((216,), \"float32\")",
 "    for t in T.parallel(12):\n"
 "        for i, j in T.grid(3, 6):\n"
 "            C[t // 3 * 54 + i * 18 + t % 3 * 6 + j] = A[t // 3 * 54 + i * 18 + t % 3 * 6 + j] * T.float32(1.1)\n"},
{"rows in lanes, a loop inside by itself", "A: T.Buffer((300, 70), \"float32\"), B: T.Buffer((71,), \"float32\"), C: T.Buffer((300, 70), \"float32\")",
"    M = T.alloc_buffer((300,))\n"
"    for i in range(300):\n"
"        M[i] = T.float32(0)\n"
"        for k in range(70):\n"
"            M[i] = M[i] + A[i, k]\n"
"        for k in range(70):\n"
"            C[i, k] = (A[i, k] - M[i]) * B[k + i // 299]\n"
"        for k in range(70):\n"
"            M[i] = M[i] + C[i, k]\n"
"        C[i, 0] = M[i]\n"},
{"columns by tiles, at the end of storage", "A: T.Buffer((300, 37), \"float32\"), H: T.Buffer((300, 37), \"float16\"), C: T.Buffer((300,), \"float32\")",
"    for i in range(300):\n"
"        C[i] = T.float32(0)\n"
"        for k in range(37):\n"
"            C[i] = C[i] + A[i, k] * T.Cast(\"float32\", H[299 - i, k])\n"
"        for k in range(37):\n"
"            C[i] = T.max(C[i], A[i, 36 - k])\n"},
{"columns of bytes by tiles", "A: T.Buffer((300, 40), \"int8\"), B: T.Buffer((40,), \"int8\"), C: T.Buffer((300,), \"int32\")",
"    for i in range(300):\n"
"        C[i] = 0\n"
"        for k in range(40):\n"
"            C[i] = C[i] + T.Cast(\"int32\", A[i, k]) * T.Cast(\"int32\", B[k])\n"},
{"operands in the memory that is written", "A: T.Buffer((700,), \"float32\"), B: T.Buffer((700,), \"float32\"), C: T.Buffer((1400,), \"float32\")",
"    for i in range(700):\n"
"        C[i] = C[i + 700] + C[i]\n"
"        C[i + 700] = C[i] * C[i] + C[i + 700]\n"
"        C[i] = C[i] + C[i] * C[i + 700]\n"},
{"float16 sums of products", "A: T.Buffer((9, 70), \"float16\"), B: T.Buffer((70, 300), \"float16\"), C: T.Buffer((9, 300), \"float16\")",
"    for i, k, j in T.grid(9, 70, 300):\n"
"        C[i, j] = C[i, j] + A[i, k] * B[k, j]\n"
"    for i, j in T.grid(9, 300):\n"
"        C[i, j] = A[i, j // 5] * B[i, j] + C[i, j]\n"},
{"float16 sums of products in storage of a lane", "A: T.Buffer((300, 20), \"float16\"), B: T.Buffer((20,), \"float16\"), C: T.Buffer((300,), \"float16\")",
"    for i in range(300):\n"
"        M = T.alloc_buffer((1,), \"float16\", scope=\"local\")\n"
"        M[0] = T.float16(0)\n"
"        for k in range(20):\n"
"            M[0] = M[0] + A[i, k] * B[k]\n"
"        C[i] = M[0]\n"},
{"bfloat16 sums of products", "A: T.Buffer((9, 20), \"bfloat16\"), B: T.Buffer((20, 300), \"bfloat16\"), C: T.Buffer((9, 300), \"bfloat16\")",
"    for i, k, j in T.grid(9, 20, 300):\n"
"        C[i, j] = C[i, j] + A[i, k] * B[k, j]\n"},
{"sums of products in several types", "A: T.Buffer((20,), \"float16\"), B: T.Buffer((20, 300), \"float16\"), F: T.Buffer((20, 300), \"float32\"), C: T.Buffer((300,), \"float32\"), H: T.Buffer((300,), \"float16\"), G: T.Buffer((300,), \"bfloat16\")",
"    for k, j in T.grid(20, 300):\n"
"        C[j] = C[j] + T.Cast(\"float32\", A[k] * B[k, j])\n"
"    for k, j in T.grid(20, 300):\n"
"        C[j] = T.Cast(\"float32\", A[k]) * T.Cast(\"float32\", B[k, j]) + C[j]\n"
"    for k, j in T.grid(20, 300):\n"
"        H[j] = T.Cast(\"float16\", T.Cast(\"float32\", H[j]) + F[k, j] * F[k, 299 - j])\n"
"    for k, j in T.grid(20, 300):\n"
"        G[j] = T.Cast(\"bfloat16\", T.Cast(\"float32\", A[k]) * F[k, j] + T.Cast(\"float32\", G[j]))\n"
"    for k, j in T.grid(20, 300):\n"
"        H[j] = T.Cast(\"float16\", T.Cast(\"float32\", H[j] * A[k]) - F[k, j])\n"},
};
// clang-format on

static void run_programs(void)
{
    for (size_t i = 0; i < DC_ARRAY_LEN(programs); i++) {
        const struct program *p = &programs[i];
        struct buf script = {0};
        struct tally t = {0, 0, 0};
        struct diag_sink *sink = diag_sink_new();
        buf_printf(&script, HEADER "%s):\n%s", p->params, p->body);
        struct ir_module *m =
            ir_read(buf_text(&script), script.len, p->name, sink);
        if (m == NULL || !ir_wellformed(m, sink)) {
            struct buf text = {0};
            diag_render(sink, false, &text);
            print_error("%s\n%s", buf_text(&text), buf_text(&script));
            buf_fini(&text);
            fail();
        }
        fight_module(p->name, m, 0, true, &t);
        assert_int_equal(t.handled, 1);
        ir_module_free(m);
        diag_sink_free(sink);
        buf_fini(&script);
    }
}

static void test_programs(void **state)
{
    (void)state;
    run_programs();
}

/* ---- corpora ---------------------------------------------------------------------------- */

static void test_pairs(void **state)
{
    struct tally t = {0, 0, 0};
    (void)state;
    fight_folder("corpora/pairs", "tuned.py", "untuned.py", 0, &t);
    assert_true(t.functions > 150 / TEST_ONE_IN(12));
    assert_true(t.handled >= t.functions / 2);
}

static void test_data(void **state)
{
    static const char *const families[] = {"schedule", "passes", "metaschedule",
                                           "mutants",  "eras",   "relax",
                                           "dlight",   "oracle", "seed0"};
    struct tally t = {0, 0, 0};
    (void)state;
    for (size_t i = 0; i < DC_ARRAY_LEN(families); i++) {
        char root[256];
        snprintf(root, sizeof root, "../shared/data/tvm/%s", families[i]);
        fight_folder(root, "tuned.json", "untuned.json", 400000, &t);
    }
    if (t.functions == 0)
        skip();
    print_message("%u functions, %u handled, %u beyond the walker's steps\n",
                  t.functions, t.handled, t.too_long);
    assert_true(t.handled >= t.functions / 2);
}

/* ---- other arithmetic ------------------------------------------------------------------- */

/* Ways to write a program, and toggles of single operations. */
static void test_profiles(void **state)
{
    static const char *const profiles[] = {
        "half=statement",
        "half=statement contract=left",
        "half=each",
        "contract=right",
        "keep=loops",
        "keep=loops product=wide contract=left",
        "keep=end",
        "keep=loop1 product=wide lanes=4",
        "round=zero",
        "round-cast=zero flush-half=both",
        "flush-single=both literals=3",
        "functions=double contract=left",
        "keep=loops flush-single=results round=zero",
    };
    struct tally t = {0, 0, 0};
    (void)state;
    for (size_t i = 0; i < DC_ARRAY_LEN(profiles); i++) {
        struct num_profile profile;
        assert_true(num_profile_parse(profiles[i], &profile, NULL));
        arithmetic = &profile;
        /* each pair under four of the ways, and each way with a third of them */
        taken.one_in = 3 * TEST_ONE_IN(4);
        taken.part = (unsigned)i;
        run_programs();
        fight_folder("corpora/pairs", "tuned.py", "untuned.py", 100000, &t);
        fight_folder("../shared/data/tvm/schedule", "tuned.json",
                     "untuned.json", 20000, &t);
    }
    /* whose numbers registers do not hold */
    struct num_profile qfloat = {{0}};
    struct tally none = {0, 0, 0};
    qfloat.set[NUM_T_QFLOAT] = NUM_QFLOAT_EACH;
    arithmetic = &qfloat;
    fight_folder("corpora/pairs", "tuned.py", "untuned.py", 1000, &none);
    assert_true(none.functions > 0 && none.handled == 0);
    arithmetic = NULL;
    taken.one_in = TEST_ONE_IN(6);
    taken.part = 0;
    assert_true(t.functions > 500 / TEST_ONE_IN(8));
    assert_true(t.handled >= t.functions / 2);
}

/* ---- budget --------------------------------------------------------------------------------- */

/* The limit counts work: one step less than needed is too little, and nothing
 * of the caller's is changed. */
static void test_budget(void **state)
{
    const char *script = HEADER "A: T.Buffer((100,), \"float32\"), "
                                "C: T.Buffer((100,), \"float32\")):\n"
                                "    for i in range(100):\n"
                                "        for j in range(i):\n"
                                "            C[i] = C[i] + A[j]\n";
    struct diag_sink *sink = diag_sink_new();
    struct ir_module *m = ir_read(script, strlen(script), "budget", sink);
    int64_t shape[] = {100};
    (void)state;
    assert_non_null(m);
    struct interp_arg args[2];
    memset(args, 0, sizeof args);
    struct interp_options o = interp_default_options();
    o.engine = INTERP_ENGINE_FAST;
    uint64_t need = 0;
    for (int round = 0; round < 3; round++) {
        for (size_t p = 0; p < 2; p++) {
            args[p].tensor = interp_tensor_new(DTYPE_FLOAT32, 1, shape);
            interp_fill_tensor(args[p].tensor, INTERP_FILL_EXACT, 1, p, 1, 0);
        }
        struct interp_tensor *before = interp_tensor_clone(args[1].tensor);
        o.max_steps = round == 0 ? 0 : round == 1 ? need : need - 1;
        struct interp_result r = interp_run(m, m->funcs[0], 2, args, &o);
        need = round == 0 ? r.steps : need;
        assert_int_equal(r.fault, round == 2 ? INTERP_BUDGET : INTERP_OK);
        if (round == 2) {
            assert_memory_equal(before->cells, args[1].tensor->cells,
                                100 * interp_cell_bytes(before->cell));
            assert_memory_equal(before->state, args[1].tensor->state, 100);
        }
        interp_result_fini(&r);
        interp_tensor_free(before);
        interp_tensor_free(args[0].tensor);
        interp_tensor_free(args[1].tensor);
    }
    ir_module_free(m);
    diag_sink_free(sink);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_programs), cmocka_unit_test(test_pairs),
        cmocka_unit_test(test_data),     cmocka_unit_test(test_profiles),
        cmocka_unit_test(test_budget),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
