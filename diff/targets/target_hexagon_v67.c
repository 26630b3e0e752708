/* SPDX-License-Identifier: Apache-2.0
 *
 * Qualcomm Hexagon v67 under QEMU, as hexagon-v66; products of doubles have
 * instructions there.
 */
#include "diff/targets/hexagon/hexagon_target.h"

static const char *const runtime[] = {HEXAGON_RUNTIME};
static const char *const compilers[] = {HEXAGON_COMPILERS};
static const char *const flags[] = {HEXAGON_FLAGS("-mv67", "-ffp-contract=off"),
                                    NULL};
static const char *const emulator[] = {"qemu-hexagon", NULL};

const struct diff_target target_hexagon_v67 = {
    .name = "hexagon-v67",
    .summary = "Hexagon v67, float16 computed in C, under QEMU",
    .group = "qemu",
    .compilers = compilers,
    .flags = flags,
    .emulator = emulator,
    .slow = true,
    .runtime = runtime,
    .own_math = true,
};
