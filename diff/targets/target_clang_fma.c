/* SPDX-License-Identifier: Apache-2.0
 *
 * The host's clang with fused multiply-add across statements, the mode in
 * which TVM's own LLVM code is made (drift.md 5.6).
 */
#include "diff/harness/target.h"

static const char *const compilers[] = {"clang-21", "clang-20", "clang-19",
                                        "clang-18", "clang-17", "clang-16",
                                        "clang",    NULL};
static const char *const flags[] = {"-std=c11",
                                    "-w",
                                    "-O2",
                                    "-march=x86-64-v3",
                                    "-ffp-contract=fast",
                                    "-Xclang",
                                    "-ffloat16-excess-precision=none",
                                    NULL};
static const char *const libraries[] = {"-lm", NULL};

const struct diff_target target_clang_fma = {
    .name = "clang-fma",
    .summary = "clang, a*b+c in one operation",
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
