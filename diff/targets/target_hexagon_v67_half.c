/* SPDX-License-Identifier: Apache-2.0
 *
 * As hexagon-v67 with float16 as LLVM's own type, which is what TVM's code
 * generator for Hexagon gives it. The scalar unit has no such arithmetic; LLVM
 * computes in float32 and rounds where a value is stored or leaves a basic
 * block, so that a sum stays wide for as many terms as are unrolled into one.
 */
#include "diff/targets/hexagon/hexagon_target.h"

static const char *const runtime[] = {HEXAGON_RUNTIME};
static const char *const compilers[] = {HEXAGON_COMPILERS};
static const char *const flags[] = {HEXAGON_FLAGS("-mv67", "-ffp-contract=off"),
                                    "-Xclang",
                                    "-fnative-half-type",
                                    "-Xclang",
                                    "-fnative-half-arguments-and-returns",
                                    NULL};
static const char *const emulator[] = {"qemu-hexagon", NULL};

const struct diff_target target_hexagon_v67_half = {
    .name = "hexagon-v67-half",
    .summary =
        "Hexagon v67, LLVM's float16: kept in float32 within a basic block",
    .group = "qemu",
    .compilers = compilers,
    .flags = flags,
    .emulator = emulator,
    .slow = true,
    .float16 = "__fp16",
    .expects = "half=statement",
    .may = "half=* keep=* product=* unroll=* peel=*",
    .runtime = runtime,
    .own_math = true,
};
