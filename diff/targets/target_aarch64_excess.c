/* SPDX-License-Identifier: Apache-2.0
 *
 * Arm of 64 bits before ARMv8.2: no float16 instructions, so gcc computes
 * whole expressions in float32.
 */
#include "diff/harness/target.h"

static const char *const compilers[] = {"aarch64-linux-gnu-gcc", NULL};
static const char *const flags[] = {
    "-std=c11",          "-w", "-O2", "-static", "-march=armv8-a",
    "-ffp-contract=off", NULL};
static const char *const libraries[] = {"-lm", NULL};
static const char *const emulator[] = {"qemu-aarch64", "-cpu", "cortex-a57",
                                       NULL};

const struct diff_target target_aarch64_excess = {
    .name = "aarch64-excess",
    .summary = "Arm 64 bit without float16: expressions in float32",
    .group = "qemu",
    .compilers = compilers,
    .flags = flags,
    .libraries = libraries,
    .emulator = emulator,
    .slow = true,
    .float16 = "_Float16",
    .expects = "half=statement",
    .may = "half=* functions=float functions=double",
    .own_math = true,
};
