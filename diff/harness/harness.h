/* SPDX-License-Identifier: Apache-2.0
 *
 * Kernels on targets: the parts that commands and the engine use.
 * Private to diff/.
 */
#ifndef DC_DIFF_HARNESS_HARNESS_H
#define DC_DIFF_HARNESS_HARNESS_H

#include "diff/harness/target.h"

/* ---- items.c ------------------------------------------------------------- */

/* Calls run(user, i) for each i below n on so many threads at once, in order
 * of i as threads become free. What they write must not be shared. */
void diff_share(unsigned jobs, size_t n, void (*run)(void *user, size_t i),
                void *user);

/* What every target of the list needs, as found here; *n of them. */
struct diff_python;
struct diff_toolchain *diff_toolchains_find(unsigned jobs,
                                            struct diff_python *python,
                                            struct diff_cache *cache,
                                            struct arena *arena, size_t *n);

#endif
