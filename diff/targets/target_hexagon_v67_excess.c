/* SPDX-License-Identifier: Apache-2.0
 *
 * As hexagon-v67 with the compiler's __fp16: stored as float16, computed as
 * float32, as the C language has it for such a type.
 */
#include "diff/targets/hexagon/hexagon_target.h"

static const char *const runtime[] = {HEXAGON_RUNTIME};
static const char *const compilers[] = {HEXAGON_COMPILERS};
static const char *const flags[] = {
    HEXAGON_FLAGS("-mv67", "-ffp-contract=off"), "-Xclang",
    "-fnative-half-arguments-and-returns", NULL};
static const char *const emulator[] = {"qemu-hexagon", NULL};

const struct diff_target target_hexagon_v67_excess = {
    .name = "hexagon-v67-excess",
    .summary = "Hexagon v67, float16 expressions in float32",
    .group = "qemu",
    .compilers = compilers,
    .flags = flags,
    .emulator = emulator,
    .slow = true,
    .float16 = "__fp16",
    .expects = "half=statement",
    .may = "half=*",
    .runtime = runtime,
    .own_math = true,
};
