/* SPDX-License-Identifier: Apache-2.0
 *
 * The host's gcc with leave to treat floats as real numbers: sums in lanes and
 * in any order, fused operations, divisions by reciprocals, subnormal numbers
 * flushed to zero.
 */
#include "diff/harness/target.h"

static const char *const compilers[] = {"gcc", NULL};
static const char *const flags[] = {"-std=c11",         "-w",          "-O3",
                                    "-march=x86-64-v3", "-ffast-math", NULL};
static const char *const libraries[] = {"-lm", NULL};

const struct diff_target target_gcc_fast_math = {
    .name = "gcc-fast-math",
    .summary = "gcc -O3 -ffast-math",
    .group = "host",
    .machine = "x86_64",
    .compilers = compilers,
    .flags = flags,
    .libraries = libraries,
    .float16 = "_Float16",
    .may = "contract=* forward=* half=* keep=* keep-type=* product=* "
           "lanes=* "
           "interleave=* combine=* start=* order=* flush-half=* flush-single=* "
           "divide=* sqrt=* functions=float functions=double",
    .unsigned_zeros = true,
    .finite_only = true,
};
