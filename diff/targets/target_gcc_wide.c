/* SPDX-License-Identifier: Apache-2.0
 *
 * The host's gcc with all loop transformations and wide vectors, but strict
 * arithmetic: what its vectoriser does must not show in a bit.
 */
#include "diff/harness/target.h"

static const char *const compilers[] = {"gcc", NULL};
static const char *const flags[] = {"-std=c11",
                                    "-w",
                                    "-O3",
                                    "-march=x86-64-v3",
                                    "-mprefer-vector-width=256",
                                    "-ffp-contract=off",
                                    "-fexcess-precision=16",
                                    NULL};
static const char *const libraries[] = {"-lm", NULL};

const struct diff_target target_gcc_wide = {
    .name = "gcc-wide",
    .summary = "gcc -O3, vectors of 256 bits, strict",
    .group = "host",
    .machine = "x86_64",
    .compilers = compilers,
    .flags = flags,
    .libraries = libraries,
    .float16 = "_Float16",
    .may = "functions=float functions=double",
};
