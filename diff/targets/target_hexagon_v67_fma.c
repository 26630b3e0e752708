/* SPDX-License-Identifier: Apache-2.0
 *
 * As hexagon-v67 with contraction: the multiply-add instruction of float32
 * wherever it fits.
 */
#include "diff/targets/hexagon/hexagon_target.h"

static const char *const runtime[] = {HEXAGON_RUNTIME};
static const char *const compilers[] = {HEXAGON_COMPILERS};
static const char *const flags[] = {
    HEXAGON_FLAGS("-mv67", "-ffp-contract=fast"), NULL};
static const char *const emulator[] = {"qemu-hexagon", NULL};

const struct diff_target target_hexagon_v67_fma = {
    .name = "hexagon-v67-fma",
    .summary = "Hexagon v67, a*b+c of float32 in one operation",
    .group = "qemu",
    .compilers = compilers,
    .flags = flags,
    .emulator = emulator,
    .slow = true,
    .expects = "contract=left",
    .may = "contract=* forward=*",
    .runtime = runtime,
    .own_math = true,
};
