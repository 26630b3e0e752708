/* SPDX-License-Identifier: Apache-2.0
 *
 * Arm of 32 bits with VFP, under QEMU. gcc has no float16 arithmetic there, so
 * it is written out in the C; pointers and sizes of 32 bits are the other
 * point.
 */
#include "diff/harness/target.h"

static const char *const compilers[] = {"arm-linux-gnueabihf-gcc", NULL};
static const char *const flags[] = {"-std=c11",          "-w", "-O2", "-static",
                                    "-ffp-contract=off", NULL};
static const char *const libraries[] = {"-lm", NULL};
static const char *const emulator[] = {"qemu-arm", "-cpu", "max", NULL};

const struct diff_target target_arm = {
    .name = "arm",
    .summary = "Arm 32 bit, float16 computed in C, under QEMU",
    .group = "qemu",
    .compilers = compilers,
    .flags = flags,
    .libraries = libraries,
    .emulator = emulator,
    .slow = true,
    .may = "functions=float functions=double",
    .own_math = true,
};
