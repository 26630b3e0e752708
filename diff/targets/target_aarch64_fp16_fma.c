/* SPDX-License-Identifier: Apache-2.0
 *
 * As aarch64-fp16 with the compiler's default: the float16 multiply-add
 * instruction wherever it fits.
 */
#include "diff/harness/target.h"

static const char *const compilers[] = {"aarch64-linux-gnu-gcc", NULL};
static const char *const flags[] = {
    "-std=c11",           "-w", "-O2", "-static", "-march=armv8.2-a+fp16",
    "-ffp-contract=fast", NULL};
static const char *const libraries[] = {"-lm", NULL};
static const char *const emulator[] = {"qemu-aarch64", "-cpu", "max", NULL};

const struct diff_target target_aarch64_fp16_fma = {
    .name = "aarch64-fp16-fma",
    .summary = "Arm 64 bit with float16, a*b+c in one operation",
    .group = "qemu",
    .compilers = compilers,
    .flags = flags,
    .libraries = libraries,
    .emulator = emulator,
    .slow = true,
    .float16 = "_Float16",
    .expects = "contract=left",
    .may = "contract=left contract=right forward=* functions=float "
           "functions=double",
    .own_math = true,
};
