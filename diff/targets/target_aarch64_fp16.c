/* SPDX-License-Identifier: Apache-2.0
 *
 * Arm of 64 bits with the float16 instructions of ARMv8.2, under QEMU, which
 * models the processor's arithmetic bit for bit.
 */
#include "diff/harness/target.h"

static const char *const compilers[] = {"aarch64-linux-gnu-gcc", NULL};
static const char *const flags[] = {
    "-std=c11",          "-w", "-O2", "-static", "-march=armv8.2-a+fp16",
    "-ffp-contract=off", NULL};
static const char *const libraries[] = {"-lm", NULL};
static const char *const emulator[] = {"qemu-aarch64", "-cpu", "max", NULL};

const struct diff_target target_aarch64_fp16 = {
    .name = "aarch64-fp16",
    .summary = "Arm 64 bit with float16, strict, under QEMU",
    .group = "qemu",
    .compilers = compilers,
    .flags = flags,
    .libraries = libraries,
    .emulator = emulator,
    .slow = true,
    .float16 = "_Float16",
    .may = "functions=float functions=double",
    .own_math = true,
};
