/* SPDX-License-Identifier: Apache-2.0
 *
 * As gcc-wide with the widest vectors that x86 has, where the processor has
 * them.
 */
#include "diff/harness/target.h"

static const char *const compilers[] = {"gcc", NULL};
static const char *const flags[] = {"-std=c11",
                                    "-w",
                                    "-O3",
                                    "-march=x86-64-v4",
                                    "-mprefer-vector-width=512",
                                    "-ffp-contract=off",
                                    "-fexcess-precision=16",
                                    NULL};
static const char *const libraries[] = {"-lm", NULL};

const struct diff_target target_gcc_avx512 = {
    .name = "gcc-avx512",
    .summary = "gcc -O3, vectors of 512 bits, strict",
    .group = "host",
    .machine = "x86_64",
    .compilers = compilers,
    .flags = flags,
    .libraries = libraries,
    .float16 = "_Float16",
    .may = "functions=float functions=double",
};
