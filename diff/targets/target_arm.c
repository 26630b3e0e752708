/* SPDX-License-Identifier: Apache-2.0
 *
 * Arm of 64 and of 32 bits under QEMU, which models the processors' arithmetic bit for
 * bit. Functions of mathematics are the project's own.
 */
#include "diff/harness/target.h"

static const char *const compilers[] = {"aarch64-linux-gnu-gcc", NULL};
static const char *const emulator[] = {"qemu-aarch64", "-cpu", "max", NULL};
static const char *const libraries[] = {"-lm", NULL};

/* What all of them have. */
#define ARM \
    .group = "qemu", .libraries = libraries, .slow = true, .own_math = true

const struct diff_target target_arm[] = {
    /* Arm of 64 bits before ARMv8.2: no float16 instructions, so gcc
     * computes whole expressions in float32. */
    {
        .name = "aarch64-excess",
        .summary = "Arm 64 bit without float16: expressions in float32",
        ARM,
        .compilers = compilers,
        .flags = DIFF_LIST("-std=c11", "-w", "-O2", "-static", "-march=armv8-a",
                           "-ffp-contract=off"),
        .emulator = DIFF_LIST("qemu-aarch64", "-cpu", "cortex-a57"),
        .float16 = "_Float16",
        .expects = "half=statement",
        .may = "half=* functions=float functions=double",
    },
    /* Arm of 64 bits with the float16 instructions of ARMv8.2, under QEMU,
     * which models the processor's arithmetic bit for bit. */
    {
        .name = "aarch64-fp16",
        .summary = "Arm 64 bit with float16, strict, under QEMU",
        ARM,
        .compilers = compilers,
        .flags = DIFF_LIST("-std=c11", "-w", "-O2", "-static",
                           "-march=armv8.2-a+fp16", "-ffp-contract=off"),
        .emulator = emulator,
        .float16 = "_Float16",
        .may = "functions=float functions=double",
    },
    /* As aarch64-fp16 with the compiler's default: the float16 multiply-add
     * instruction wherever it fits. */
    {
        .name = "aarch64-fp16-fma",
        .summary = "Arm 64 bit with float16, a*b+c in one operation",
        ARM,
        .compilers = compilers,
        .flags = DIFF_LIST("-std=c11", "-w", "-O2", "-static",
                           "-march=armv8.2-a+fp16", "-ffp-contract=fast"),
        .emulator = emulator,
        .float16 = "_Float16",
        .expects = "contract=left",
        .may = "contract=left contract=right forward=* functions=float "
               "functions=double",
    },
    /* Arm of 32 bits with VFP, under QEMU. gcc has no float16 arithmetic
     * there, so it is written out in the C; pointers and sizes of 32 bits
     * are the other point. */
    {
        .name = "arm",
        .summary = "Arm 32 bit, float16 computed in C, under QEMU",
        ARM,
        .compilers = DIFF_LIST("arm-linux-gnueabihf-gcc"),
        .flags =
            DIFF_LIST("-std=c11", "-w", "-O2", "-static", "-ffp-contract=off"),
        .emulator = DIFF_LIST("qemu-arm", "-cpu", "max"),
        .may = "functions=float functions=double",
    },
    {.name = NULL},
};
