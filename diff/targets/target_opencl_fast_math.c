/* SPDX-License-Identifier: Apache-2.0
 *
 * The same device with leave to treat floats as real numbers: fused operations,
 * sums in any order, approximate functions, no NaN, infinities or signs of zero.
 */
#include "diff/harness/target.h"

static const char *const compilers[] = {"cc", "gcc", "clang", NULL};
static const char *const flags[] = {
    "-std=c11", "-w", "-O1",
    "-DOPENCL_OPTIONS=\"-cl-fast-relaxed-math -cl-mad-enable\"", NULL};
static const char *const libraries[] = {"-lOpenCL", "-lm", NULL};

const struct diff_target target_opencl_fast_math = {
    .name = "opencl-fast-math",
    .summary = "OpenCL -cl-fast-relaxed-math",
    .group = "opencl",
    .language = EMIT_OPENCL,
    .compilers = compilers,
    .flags = flags,
    .libraries = libraries,
    .may = "contract=* forward=* half=* keep=* keep-type=* product=* "
           "lanes=* "
           "interleave=* combine=* start=* order=* flush-half=* flush-single=* "
           "divide=* sqrt=* functions=*",
    .unsigned_zeros = true,
    .finite_only = true,
    .slow_half = true,
};
