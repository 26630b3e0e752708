/* SPDX-License-Identifier: Apache-2.0
 *
 * Targets: how to build a kernel, how to run it, and which arithmetic it then
 * may show. Families of them, one a file, stand in diff/targets and are registered
 * by the build.
 * Private to diff/.
 */
#ifndef DC_DIFF_HARNESS_TARGET_H
#define DC_DIFF_HARNESS_TARGET_H

#include "diff/emit/emit.h"
#include "diff/harness/cache.h"
#include "diff/harness/process.h"

struct diff_route; /* route.h */

/* Lists are NULL-terminated; a list that is NULL is empty. */
#define DIFF_LIST(...) ((const char *const[]){__VA_ARGS__, NULL})
/* What a compiler may do that takes floats for real numbers (`may`), but for
 * functions. */
#define DIFF_MAY_AS_REAL                                                  \
    "contract=* forward=* half=* keep=* keep-type=* product=* lanes=* "   \
    "interleave=* combine=* start=* order=* flush-half=* flush-single=* " \
    "divide=* sqrt=* "

struct diff_target {
    const char *name;    /* as in --targets: "gcc-fma" */
    const char *summary; /* one line */
    const char *group; /* "host", "qemu", "opencl", … also as in --targets */
    const char *machine; /* uname -m that it needs; NULL: any */
    /* Building: COMPILER FLAGS kernel.c OBJECTS -o program LIBRARIES. */
    const char *const *compilers; /* names, the first that PATH has is used */
    const char *const *flags;
    const char *const *faster; /* flags used where they work; change no bit */
    const char *const *libraries;
    const char *start; /* C text before the kernel's, or NULL */
    /* Running: EMULATOR... program DIR...; environment "NAME=VALUE". */
    const char *const *emulator;
    const char *const *environment;
    bool slow; /* emulated: fewer inputs */
    /* What the emitted C is to look like (struct emit_options). */
    const char *float16; /* a type of the compiler; NULL: computed in C */
    bool openmp;
    /* Arithmetic: settings of toggles of the numeric profiles. `expects`: what it
     * does as far as we know; `may`: what it is allowed beside that, where
     * "toggle=*" is every setting. NULL: none. */
    const char *expects, *may;
    bool unsigned_zeros; /* signs of zeros may be lost */
    bool other_nan;   /* comparisons of NaN are known not to be the modules' */
    bool finite_only; /* NaN and infinities are outside of its contract */
    /* Not built from emitted C but by this route, and what it is told to
     * generate: for TVM the target as it calls it. NULL: emitted C. */
    const struct diff_route *route;
    const char *code;
    /* C text that stands in for a C library: declarations, which stand in front
     * of the kernel as well, then what is compiled once behind them and linked
     * to each kernel. NULL: there is one. */
    const char *const *runtime;
    /* Functions of mathematics on floats of fewer than 64 bits are the
     * project's own, correctly rounded, compiled once and linked to kernels
     * that call them; on a device its own in double precision, rounded once
     * more. */
    bool own_math;
    bool slow_half; /* 16-bit floats in software: large kernels are shortened */
    enum emit_language language; /* of its programs */
};
/* Families of targets, one a file of diff/targets: rows up to one without a name. */
extern const struct diff_target *const diff_target_families[]; /* NULL at end */
/* The i-th of all targets in the order of files and rows; NULL behind the last. */
const struct diff_target *diff_target_at(size_t i);
const struct diff_target *diff_target_find(const char *name);

/* Whether a word of --targets names the target: its name, its group, "all". */
bool diff_target_matches(const struct diff_target *target, const char *word,
                         size_t len);
/* The same of a comma-separated list, which may be NULL. */
bool diff_target_listed(const struct diff_target *target, const char *list);

/* ---- toolchain.c ---------------------------------------------------------- */

/* What a target needs, as found on this machine. */
struct diff_toolchain {
    const struct diff_target *target;
    const char *missing;  /* why it cannot be used; NULL: it can */
    bool broken;          /* what it needs is there, and fails */
    const char *not_run;  /* programs can be built but not run: why */
    const char *compiler; /* path */
    const char *version;  /* first line of COMPILER --version */
    const char *identity; /* of the compiler, for the build cache */
    bool faster;          /* the faster flags of the target work here */
    const char **run;     /* emulator with its arguments, NULL-terminated */
    const char *run_path; /* of the emulator; NULL: none */
    const char *run_version, *run_identity;
    const void *own; /* of the target's route */
};

/* Finds compiler and emulator and runs a small program through both. */
void diff_toolchain_find(const struct diff_target *target,
                         struct diff_cache *cache, struct arena *arena,
                         struct diff_toolchain *out);

/* The program built from C text in at most so many seconds, or from the cache
 * if it is there. NULL with *why. */
const char *diff_toolchain_build(const struct diff_toolchain *tools,
                                 struct diff_cache *cache, const char *source,
                                 unsigned seconds, struct arena *arena,
                                 struct buf *why);

/* ---- devices.c ------------------------------------------------------------ */

/* A small program that says "ready" where programs of the target's language
 * can run; NULL for C. */
const char *diff_device_probe(const struct diff_target *target);
/* Whether the probe says that programs can be built but there is no device:
 * then *why is the reason. */
bool diff_device_absent(const struct diff_target *target, const char *printed,
                        const char **why);
/* Where a program that runs on the folders has its device keep the kernels that
 * it compiles, a folder (compiled.c); NULL: it compiles none. */
const char *diff_device_kernels(const struct diff_target *target,
                                const char *const *arguments,
                                struct arena *arena);
/* Further environment of a program that runs on the folders. */
const char *const *diff_device_environment(const struct diff_target *target,
                                           const char *const *arguments,
                                           struct arena *arena);

/* Runs a built program on folders, with the limits for kernels. */
void diff_toolchain_run(const struct diff_toolchain *tools, const char *program,
                        const char *const *arguments,
                        const struct diff_limits *limits,
                        struct diff_ended *out);

#endif
