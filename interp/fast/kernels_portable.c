/* SPDX-License-Identifier: Apache-2.0
 *
 * Lane kernels for any processor: vectors of 16 bytes, which SSE2 and NEON
 * hold in a register and other compilers' targets take apart. Also the choice
 * among the tables.
 */
#define VB      16
#define KERNELS kernels_portable
#include "interp/fast/kernels_impl.h"

#ifdef DC_FAST_X86
extern const struct kernels kernels_avx2, kernels_avx512;

/* The compilers' cpu_supports looks at what the system saves, too. */
static bool can_run(const struct kernels *k)
{
    __builtin_cpu_init();
    if (k == &kernels_avx512)
        return __builtin_cpu_supports("avx512f") &&
               __builtin_cpu_supports("avx512bw") &&
               __builtin_cpu_supports("avx512dq") &&
               __builtin_cpu_supports("avx512vl");
    return __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma");
}
#endif

size_t kernels_usable(const struct kernels *out[KERNEL_TABLES])
{
    size_t n = 0;
#ifdef DC_FAST_X86
    if (can_run(&kernels_avx512))
        out[n++] = &kernels_avx512;
    if (can_run(&kernels_avx2))
        out[n++] = &kernels_avx2;
#endif
    out[n++] = &kernels_portable;
    return n;
}

const struct kernels *kernels_choose(void)
{
    const struct kernels *usable[KERNEL_TABLES];
    (void)kernels_usable(usable);
    return usable[0];
}
