/* SPDX-License-Identifier: Apache-2.0
 *
 * The host's gcc with fused multiply-add, formed wherever the compiler likes:
 * across statements too, so that which of two products is fused is its choice.
 */
#include "diff/harness/target.h"

static const char *const compilers[] = {"gcc", NULL};
static const char *const flags[] = {"-std=c11",
                                    "-w",
                                    "-O2",
                                    "-march=x86-64-v3",
                                    "-ffp-contract=fast",
                                    "-fexcess-precision=16",
                                    NULL};
static const char *const libraries[] = {"-lm", NULL};

const struct diff_target target_gcc_fma = {
    .name = "gcc-fma",
    .summary = "gcc, a*b+c in one operation",
    .group = "host",
    .machine = "x86_64",
    .compilers = compilers,
    .flags = flags,
    .libraries = libraries,
    .float16 = "_Float16",
    .expects = "contract=left",
    .may = "contract=left contract=right forward=* functions=float "
           "functions=double",
};
