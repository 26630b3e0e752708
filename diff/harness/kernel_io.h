/* SPDX-License-Identifier: Apache-2.0
 *
 * A kernel on a target as a function from arguments to outputs: the protocol
 * of README.md. Private to diff/.
 */
#ifndef DC_DIFF_HARNESS_KERNEL_IO_H
#define DC_DIFF_HARNESS_KERNEL_IO_H

#include "diff/engine/args.h"
#include "diff/harness/target.h"

/* A function in all the forms that a runner may take; NULL: there is none. */
struct diff_texts {
    const char *function, *side; /* "tuned" */
    const char *json, *script, *c;
};

/* What can be run: a program built for a target, or a user's runner, which is
 * told the function. */
struct diff_kernel {
    const struct diff_toolchain *tools; /* NULL: a runner */
    const char *program;                /* built; or */
    const char *const *runner;          /* the runner's command, and */
    struct diff_texts texts; /* what it is told; function NULL: nothing */
    const char *what;        /* "the library"; NULL: a kernel or runner */
    const struct interp_signature *sig; /* of the function */
    struct diff_limits limits;
};

/* ---- request.c ---- */
bool diff_request_put(const char *folder, const struct diff_texts *texts,
                      const struct interp_signature *sig,
                      const struct diff_args *args, struct buf *why);

/* Runs the kernel on n sets of arguments, which become what it left. False
 * with *why; then no outputs are there. `folder` is to hold the files, n
 * folders in it; they are removed again. */
bool diff_kernel_run(const struct diff_kernel *kernel, const char *folder,
                     size_t n, struct diff_args *args, struct buf *why);
/* The same of arguments that stay where they are, n times nargs of them; *why
 * in the arena. */
bool diff_kernel_run_each(const struct diff_kernel *kernel, const char *folder,
                          size_t nargs, size_t n, struct interp_arg **args,
                          struct arena *arena, const char **why);

/* Limits for kernels and runners. */
struct diff_limits diff_kernel_limits(unsigned seconds);

#endif
