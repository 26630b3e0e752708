/* SPDX-License-Identifier: Apache-2.0
 *
 * The host's gcc told to round each operation to its type: no contraction, no
 * excess precision in float16. Functions are the C library's. Everything else
 * must have the interpreter's bits.
 */
#include "diff/harness/target.h"

static const char *const compilers[] = {"gcc", NULL};
static const char *const flags[] = {
    "-std=c11", "-w", "-O2", "-ffp-contract=off", "-fexcess-precision=16",
    NULL};
static const char *const faster[] = {"-march=x86-64-v3", NULL};
static const char *const libraries[] = {"-lm", NULL};

const struct diff_target target_gcc_strict = {
    .name = "gcc-strict",
    .summary = "gcc, one rounding an operation",
    .group = "host",
    .compilers = compilers,
    .flags = flags,
    .faster = faster,
    .libraries = libraries,
    .float16 = "_Float16",
    .may = "functions=float functions=double",
};
