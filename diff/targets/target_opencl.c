/* SPDX-License-Identifier: Apache-2.0
 *
 * The first OpenCL platform's default device: PoCL on a machine without a GPU.
 * Each row is a target; what all of them have stands before.
 */
#include "diff/harness/target.h"

static const char *const compilers[] = {"cc", "gcc", "clang", NULL};
static const char *const libraries[] = {"-lOpenCL", "-lm", NULL};

/* What all of them have. */
#define OPENCL                                                          \
    .group = "opencl", .language = EMIT_OPENCL, .compilers = compilers, \
    .libraries = libraries, .slow_half = true

const struct diff_target target_opencl[] = {
    /* The same device as its kernel compiler takes the text by default:
     * products and sums of one expression may be fused, division and square
     * root of single precision need not be rounded correctly. */
    {
        .name = "opencl-default",
        .summary = "OpenCL as its compiler does by default",
        OPENCL,
        .flags = DIFF_LIST("-std=c11", "-w", "-O1"),
        .may = "contract=* functions=* divide=* sqrt=*",
    },
    /* The same device with leave to treat floats as real numbers: fused
     * operations, sums in any order, approximate functions, no NaN,
     * infinities or signs of zero. */
    {
        .name = "opencl-fast-math",
        .summary = "OpenCL -cl-fast-relaxed-math",
        OPENCL,
        .flags = DIFF_LIST(
            "-std=c11", "-w", "-O1",
            "-DOPENCL_OPTIONS=\"-cl-fast-relaxed-math -cl-mad-enable\""),
        .may = DIFF_MAY_AS_REAL "functions=*",
        .unsigned_zeros = true,
        .finite_only = true,
    },
    /* The first OpenCL platform's default device (PoCL on a machine without
     * a GPU), told to fuse nothing. Division and square root of single
     * precision are rounded correctly where the device offers it, else
     * within 2.5 and 3 units; functions are the device's in double
     * precision, rounded once more. Half precision is computed by integer
     * code. */
    {
        .name = "opencl-strict",
        .summary = "OpenCL, one rounding an operation",
        OPENCL,
        .flags = DIFF_LIST("-std=c11", "-w", "-O1", "-DOPENCL_STRICT"),
        .own_math = true,
        .may = "functions=* divide=* sqrt=*",
    },
    {.name = NULL},
};
