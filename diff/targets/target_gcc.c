/* SPDX-License-Identifier: Apache-2.0
 *
 * The host's gcc: strict, with excess precision, contraction, fast math, wide vectors
 * and threads.
 */
#include "diff/harness/target.h"

static const char *const compilers[] = {"gcc", NULL};
static const char *const faster[] = {"-march=x86-64-v3", NULL};
static const char *const libraries[] = {"-lm", NULL};

/* What all of them have. */
#define GCC                                                          \
    .group = "host", .compilers = compilers, .libraries = libraries, \
    .float16 = "_Float16"

const struct diff_target target_gcc[] = {
    /* As gcc-wide with the widest vectors that x86 has, where the processor
     * has them. */
    {
        .name = "gcc-avx512",
        .summary = "gcc -O3, vectors of 512 bits, strict",
        GCC,
        .machine = "x86_64",
        .flags = DIFF_LIST("-std=c11", "-w", "-O3", "-march=x86-64-v4",
                           "-mprefer-vector-width=512", "-ffp-contract=off",
                           "-fexcess-precision=16"),
        .may = "functions=float functions=double",
    },
    /* The host's gcc with its default for float16 on processors that lack
     * it: a whole expression is computed in float32 and rounded where it is
     * stored (drift.md 5.6: this shows although FLT_EVAL_METHOD is 0). */
    {
        .name = "gcc-excess",
        .summary = "gcc as it comes: float16 expressions in float32",
        GCC,
        .machine = "x86_64",
        .flags = DIFF_LIST("-std=c11", "-w", "-O2", "-ffp-contract=off",
                           "-fexcess-precision=fast"),
        .faster = faster,
        .expects = "half=statement",
        .may = "half=* functions=float functions=double",
    },
    /* The host's gcc with leave to treat floats as real numbers: sums in
     * lanes and in any order, fused operations, divisions by reciprocals,
     * subnormal numbers flushed to zero. */
    {
        .name = "gcc-fast-math",
        .summary = "gcc -O3 -ffast-math",
        GCC,
        .machine = "x86_64",
        .flags = DIFF_LIST("-std=c11", "-w", "-O3", "-march=x86-64-v3",
                           "-ffast-math"),
        .may = DIFF_MAY_AS_REAL "functions=float functions=double",
        .unsigned_zeros = true,
        .finite_only = true,
    },
    /* The host's gcc with fused multiply-add, formed wherever the compiler
     * likes: across statements too, so that which of two products is fused
     * is its choice. */
    {
        .name = "gcc-fma",
        .summary = "gcc, a*b+c in one operation",
        GCC,
        .machine = "x86_64",
        .flags = DIFF_LIST("-std=c11", "-w", "-O2", "-march=x86-64-v3",
                           "-ffp-contract=fast", "-fexcess-precision=16"),
        .expects = "contract=left",
        .may = "contract=left contract=right forward=* functions=float "
               "functions=double",
    },
    /* The host's gcc with parallel loops run by OpenMP on four threads: a
     * loop whose iterations are not independent may show here (the
     * interpreter calls that a race, whatever the threads do). */
    {
        .name = "gcc-openmp",
        .summary = "gcc, parallel loops on four threads",
        GCC,
        .flags = DIFF_LIST("-std=c11", "-w", "-O2", "-fopenmp",
                           "-ffp-contract=off", "-fexcess-precision=16"),
        .faster = faster,
        .environment = DIFF_LIST("OMP_NUM_THREADS=4", "OMP_DYNAMIC=false"),
        .openmp = true,
        .may = "functions=float functions=double",
    },
    /* The host's gcc told to round each operation to its type: no
     * contraction, no excess precision in float16. Functions are the C
     * library's. Everything else must have the interpreter's bits. */
    {
        .name = "gcc-strict",
        .summary = "gcc, one rounding an operation",
        GCC,
        .flags = DIFF_LIST("-std=c11", "-w", "-O2", "-ffp-contract=off",
                           "-fexcess-precision=16"),
        .faster = faster,
        .may = "functions=float functions=double",
    },
    /* The host's gcc with all loop transformations and wide vectors, but
     * strict arithmetic: what its vectoriser does must not show in a bit. */
    {
        .name = "gcc-wide",
        .summary = "gcc -O3, vectors of 256 bits, strict",
        GCC,
        .machine = "x86_64",
        .flags = DIFF_LIST("-std=c11", "-w", "-O3", "-march=x86-64-v3",
                           "-mprefer-vector-width=256", "-ffp-contract=off",
                           "-fexcess-precision=16"),
        .may = "functions=float functions=double",
    },
    {.name = NULL},
};
