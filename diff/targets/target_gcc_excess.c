/* SPDX-License-Identifier: Apache-2.0
 *
 * The host's gcc with its default for float16 on processors that lack it: a
 * whole expression is computed in float32 and rounded where it is stored
 * (drift.md 5.6: this shows although FLT_EVAL_METHOD is 0).
 */
#include "diff/harness/target.h"

static const char *const compilers[] = {"gcc", NULL};
static const char *const flags[] = {
    "-std=c11", "-w", "-O2", "-ffp-contract=off", "-fexcess-precision=fast",
    NULL};
static const char *const faster[] = {"-march=x86-64-v3", NULL};
static const char *const libraries[] = {"-lm", NULL};

const struct diff_target target_gcc_excess = {
    .name = "gcc-excess",
    .summary = "gcc as it comes: float16 expressions in float32",
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
