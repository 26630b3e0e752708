/* SPDX-License-Identifier: Apache-2.0
 *
 * Lane kernels for x86-64 with AVX-512 (F, BW, DQ, VL). The build gives this
 * file its instruction set; elsewhere it is empty.
 */
#if defined(__AVX512F__) && defined(__AVX512BW__) && defined(__AVX512DQ__) && \
    defined(__AVX512VL__)
#define VB      64
#define KERNELS kernels_avx512
#define CVT_F16 1
/* All lanes: compilers differ in the type of the first mask. 4: as rounding is
 * set, which an exact conversion does not need; 0: to nearest even. */
#ifdef __clang__
#define EVERY ((uint16_t)0xffff)
#else
#define EVERY ((int16_t)-1)
#endif
#define CVT_F16_UP(h) \
    ((vf)__builtin_ia32_vcvtph2ps512_mask((vs)(h), (vf){0}, EVERY, 4))
#define CVT_F16_DOWN(x) \
    ((vh)__builtin_ia32_vcvtps2ph512_mask((x), 0, (vs){0}, (uint16_t)0xffff))
#include "interp/fast/kernels_impl.h"
#else
extern const int dc_no_avx512;
const int dc_no_avx512 = 0;
#endif
