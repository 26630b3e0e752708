/* SPDX-License-Identifier: Apache-2.0
 *
 * Qualcomm Hexagon v66 under QEMU, scalar instructions. There is no C library
 * for it, so diff/targets/hexagon/ stands in for one. Float16 arithmetic is
 * written out in the C: the compiler, promoting it, would not round it.
 */
#include "diff/targets/hexagon/hexagon_target.h"

static const char *const runtime[] = {HEXAGON_RUNTIME};
static const char *const compilers[] = {HEXAGON_COMPILERS};
static const char *const flags[] = {HEXAGON_FLAGS("-mv66", "-ffp-contract=off"),
                                    NULL};
static const char *const emulator[] = {"qemu-hexagon", NULL};

const struct diff_target target_hexagon_v66 = {
    .name = "hexagon-v66",
    .summary = "Hexagon v66, float16 computed in C, under QEMU",
    .group = "qemu",
    .compilers = compilers,
    .flags = flags,
    .emulator = emulator,
    .slow = true,
    .runtime = runtime,
    .own_math = true,
};
