/* SPDX-License-Identifier: Apache-2.0
 *
 * Targets that are not built from emitted C: how they are tried and how their
 * kernels are made. Private to diff/.
 */
#ifndef DC_DIFF_HARNESS_ROUTE_H
#define DC_DIFF_HARNESS_ROUTE_H

#include "diff/harness/measure.h"

/* ---- route_tvm.c: the user's Python ---------------------------------------- */

/* Which Python, and what TVM it has: asked when first needed, once. */
struct diff_python;

/* `option`: of --python, or NULL: $DIFFCHECK_PYTHON, else python3. */
struct diff_python *diff_python_new(const char *option);
void diff_python_free(struct diff_python *python);

/* Whether TVM's target is of that kind: "llvm" of "llvm -mcpu=x". */
bool diff_tvm_is(const char *code, const char *kind);

/* ---- routes ------------------------------------------------------------------ */

struct diff_route {
    /* As diff_toolchain_find. */
    void (*find)(const struct diff_target *target, struct diff_python *python,
                 struct diff_cache *cache, struct arena *arena,
                 struct diff_toolchain *out);
    /* Makes t->kernel[side]. REPORT_EXACT: it can be run; else the outcome of
     * the target, with *why. */
    enum report_outcome (*build)(const struct diff_measurement *m,
                                 struct diff_measured *t, size_t side,
                                 struct buf *why);
};

extern const struct diff_route diff_route_tvm;     /* route_tvm.c */
extern const struct diff_route diff_route_library; /* route_library.c */

/* What the target needs, by its route or as emitted C. */
void diff_target_try(const struct diff_target *target,
                     struct diff_python *python, struct diff_cache *cache,
                     struct arena *arena, struct diff_toolchain *out);

/* ---- route_library.c: shared libraries that TVM exported ------------------------ */

/* A compiler for the program that calls them. */
void diff_caller_find(struct diff_cache *cache, struct arena *arena,
                      struct diff_toolchain *out);

/* A kernel that calls a function of the library at `path`; REPORT_EXACT, or
 * an outcome with *why. */
enum report_outcome diff_caller_kernel(const struct diff_toolchain *caller,
                                       const struct diff_measurement *m,
                                       struct diff_measured *t, size_t side,
                                       const char *path, struct buf *why);

#endif
