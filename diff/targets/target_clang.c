/* SPDX-License-Identifier: Apache-2.0
 *
 * The host's clang: strict, with excess precision, contraction and fast math.
 * Each row is a target; what all of them have stands before.
 */
#include "diff/harness/target.h"

static const char *const compilers[] = {"clang-21", "clang-20", "clang-19",
                                        "clang-18", "clang-17", "clang-16",
                                        "clang",    NULL};
static const char *const faster[] = {"-march=x86-64-v3", NULL};
static const char *const libraries[] = {"-lm", NULL};

/* What all of them have. */
#define CLANG .group = "host", .libraries = libraries

const struct diff_target target_clang[] = {
    /* The host's clang with its default for float16 on processors that lack
     * it: no rounding inside an expression. */
    {
        .name = "clang-excess",
        .summary = "clang as it comes: float16 expressions in float32",
        CLANG,
        .machine = "x86_64",
        .compilers = compilers,
        .flags = DIFF_LIST("-std=c11", "-w", "-O2", "-ffp-contract=off",
                           "-Xclang", "-ffloat16-excess-precision=standard"),
        .faster = faster,
        .float16 = "_Float16",
        .expects = "half=statement",
        .may = "half=* functions=float functions=double",
    },
    /* The host's clang with leave to treat floats as real numbers: sums in
     * lanes and in any order, fused operations, divisions by reciprocals,
     * subnormal numbers flushed to zero. */
    {
        .name = "clang-fast-math",
        .summary = "clang -O3 -ffast-math",
        CLANG,
        .machine = "x86_64",
        .compilers = compilers,
        .flags = DIFF_LIST("-std=c11", "-w", "-O3", "-march=x86-64-v3",
                           "-ffast-math"),
        .float16 = "_Float16",
        .may = DIFF_MAY_AS_REAL "functions=float functions=double",
        .unsigned_zeros = true,
        .finite_only = true,
    },
    /* The host's clang with fused multiply-add across statements, the mode
     * in which TVM's own LLVM code is made (drift.md 5.6). */
    {
        .name = "clang-fma",
        .summary = "clang, a*b+c in one operation",
        CLANG,
        .machine = "x86_64",
        .compilers = compilers,
        .flags = DIFF_LIST("-std=c11", "-w", "-O2", "-march=x86-64-v3",
                           "-ffp-contract=fast", "-Xclang",
                           "-ffloat16-excess-precision=none"),
        .float16 = "_Float16",
        .expects = "contract=left",
        .may = "contract=left contract=right forward=* functions=float "
               "functions=double",
    },
    /* The host's clang of any version. Those before 15 have no float16 on
     * x86, so its arithmetic is written out in the C. */
    {
        .name = "clang-soft",
        .summary = "any clang, float16 computed in C",
        CLANG,
        .compilers =
            DIFF_LIST("clang", "clang-14", "clang-15", "clang-21", "clang-20",
                      "clang-19", "clang-18", "clang-17", "clang-16"),
        .flags = DIFF_LIST("-std=c11", "-w", "-O2", "-ffp-contract=off"),
        .faster = faster,
        .may = "functions=float functions=double",
    },
    /* The host's clang, of a version that has float16 (16 and later), told
     * to round each operation to its type. */
    {
        .name = "clang-strict",
        .summary = "clang, one rounding an operation",
        CLANG,
        .compilers = compilers,
        .flags = DIFF_LIST("-std=c11", "-w", "-O2", "-ffp-contract=off",
                           "-Xclang", "-ffloat16-excess-precision=none"),
        .faster = faster,
        .float16 = "_Float16",
        .may = "functions=float functions=double",
    },
    {.name = NULL},
};
