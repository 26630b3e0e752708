/* SPDX-License-Identifier: Apache-2.0
 *
 * The same device as its kernel compiler takes the text by default: products and
 * sums of one expression may be fused, division and square root of single
 * precision need not be rounded correctly.
 */
#include "diff/harness/target.h"

static const char *const compilers[] = {"cc", "gcc", "clang", NULL};
static const char *const flags[] = {"-std=c11", "-w", "-O1", NULL};
static const char *const libraries[] = {"-lOpenCL", "-lm", NULL};

const struct diff_target target_opencl_default = {
    .name = "opencl-default",
    .summary = "OpenCL as its compiler does by default",
    .group = "opencl",
    .language = EMIT_OPENCL,
    .compilers = compilers,
    .flags = flags,
    .libraries = libraries,
    .may = "contract=* functions=* divide=* sqrt=*",
    .slow_half = true,
};
