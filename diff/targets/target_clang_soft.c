/* SPDX-License-Identifier: Apache-2.0
 *
 * The host's clang of any version. Those before 15 have no float16 on x86, so
 * its arithmetic is written out in the C.
 */
#include "diff/harness/target.h"

static const char *const compilers[] = {
    "clang",    "clang-14", "clang-15", "clang-21", "clang-20",
    "clang-19", "clang-18", "clang-17", "clang-16", NULL};
static const char *const flags[] = {"-std=c11", "-w", "-O2",
                                    "-ffp-contract=off", NULL};
static const char *const faster[] = {"-march=x86-64-v3", NULL};
static const char *const libraries[] = {"-lm", NULL};

const struct diff_target target_clang_soft = {
    .name = "clang-soft",
    .summary = "any clang, float16 computed in C",
    .group = "host",
    .compilers = compilers,
    .flags = flags,
    .faster = faster,
    .libraries = libraries,
    .may = "functions=float functions=double",
};
