/* SPDX-License-Identifier: Apache-2.0
 *
 * The host's clang, of a version that has float16 (16 and later), told to
 * round each operation to its type.
 */
#include "diff/harness/target.h"

static const char *const compilers[] = {"clang-21", "clang-20", "clang-19",
                                        "clang-18", "clang-17", "clang-16",
                                        "clang",    NULL};
static const char *const flags[] = {
    "-std=c11", "-w",
    "-O2",      "-ffp-contract=off",
    "-Xclang",  "-ffloat16-excess-precision=none",
    NULL};
static const char *const faster[] = {"-march=x86-64-v3", NULL};
static const char *const libraries[] = {"-lm", NULL};

const struct diff_target target_clang_strict = {
    .name = "clang-strict",
    .summary = "clang, one rounding an operation",
    .group = "host",
    .compilers = compilers,
    .flags = flags,
    .faster = faster,
    .libraries = libraries,
    .float16 = "_Float16",
    .may = "functions=float functions=double",
};
