/* SPDX-License-Identifier: Apache-2.0
 *
 * The first OpenCL platform's default device (PoCL on a machine without a GPU),
 * told to fuse nothing. Division and square root of single precision are
 * rounded correctly where the device offers it, else within 2.5 and 3 units;
 * functions are the device's in double precision, rounded once more. Half
 * precision is computed by integer code.
 */
#include "diff/harness/target.h"

static const char *const compilers[] = {"cc", "gcc", "clang", NULL};
static const char *const flags[] = {"-std=c11", "-w", "-O1", "-DOPENCL_STRICT",
                                    NULL};
static const char *const libraries[] = {"-lOpenCL", "-lm", NULL};

const struct diff_target target_opencl_strict = {
    .name = "opencl-strict",
    .summary = "OpenCL, one rounding an operation",
    .group = "opencl",
    .language = EMIT_OPENCL,
    .compilers = compilers,
    .flags = flags,
    .libraries = libraries,
    .own_math = true,
    .may = "functions=* divide=* sqrt=*",
    .slow_half = true,
};
