/* SPDX-License-Identifier: Apache-2.0
 *
 * Lane kernels for x86-64 with AVX2 and F16C (every processor with AVX2 and FMA
 * has it). The build gives this file its instruction set; elsewhere it is
 * empty. Conversions by name: the compilers' own builtins, since their headers
 * do not suit all warnings that are on.
 */
#if defined(__AVX2__) && defined(__F16C__)
#define VB              32
#define KERNELS         kernels_avx2
#define CVT_F16         1
#define CVT_F16_UP(h)   ((vf)__builtin_ia32_vcvtph2ps256((vs)(h)))
#define CVT_F16_DOWN(x) ((vh)__builtin_ia32_vcvtps2ph256((x), 0))
#include "interp/fast/kernels_impl.h"
#else
extern const int dc_no_avx2;
const int dc_no_avx2 = 0;
#endif
