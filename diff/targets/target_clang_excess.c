/* SPDX-License-Identifier: Apache-2.0
 *
 * The host's clang with its default for float16 on processors that lack it: no
 * rounding inside an expression.
 */
#include "diff/harness/target.h"

static const char *const compilers[] = {"clang-21", "clang-20", "clang-19",
                                        "clang-18", "clang-17", "clang-16",
                                        "clang",    NULL};
static const char *const flags[] = {
    "-std=c11", "-w",
    "-O2",      "-ffp-contract=off",
    "-Xclang",  "-ffloat16-excess-precision=standard",
    NULL};
static const char *const faster[] = {"-march=x86-64-v3", NULL};
static const char *const libraries[] = {"-lm", NULL};

const struct diff_target target_clang_excess = {
    .name = "clang-excess",
    .summary = "clang as it comes: float16 expressions in float32",
    .group = "host",
    .machine = "x86_64",
    .compilers = compilers,
    .flags = flags,
    .faster = faster,
    .libraries = libraries,
    .float16 = "_Float16",
    .expects = "half=statement",
    .may = "half=* functions=float functions=double",
};
