/* SPDX-License-Identifier: Apache-2.0
 *
 * Lane kernels for any processor: vectors of 16 bytes, which SSE2 and NEON
 * hold in a register and other compilers' targets take apart. Also the choice
 * among the tables.
 */
#define VB      16
#define KERNELS kernels_portable
#include "interp/fast/kernels_impl.h"

#ifdef DC_FAST_AVX2
extern const struct kernels kernels_avx2;
#endif

const struct kernels *kernels_choose(void)
{
#ifdef DC_FAST_AVX2
    __builtin_cpu_init();
    if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma"))
        return &kernels_avx2;
#endif
    return &kernels_portable;
}
