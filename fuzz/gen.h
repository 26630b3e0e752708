/* SPDX-License-Identifier: Apache-2.0
 *
 * Generated programs: well-formed and safe tensor programs from bytes, and
 * pairs of them of which it is known by construction how they relate.
 *
 * A program is a list of stages, each a function of indices over tensors. It
 * can be written out as a module in several forms, and rewritten into an
 * equivalent one before it is: that gives the tuned side of a pair. What a
 * rewrite changes is known from the rewrite, never from a run, so that pairs
 * can be used to test what runs and proofs say.
 *
 * The same bytes and seed give the same modules, on any machine.
 */
#ifndef DC_FUZZ_GEN_H
#define DC_FUZZ_GEN_H

#include "interp/interp.h"

/* ---- choices --------------------------------------------------------------- */

/* Choices come from the bytes, one or two a choice, and when these are used
 * up from a generator seeded by them and by `seed`. */
struct gen_bytes {
    const uint8_t *data; /* borrowed */
    size_t n, at;
    uint64_t state;
};
void gen_bytes_init(struct gen_bytes *b, const uint8_t *data, size_t n,
                    uint64_t seed);
/* 0 … n-1; n is at least 1. */
uint64_t gen_below(struct gen_bytes *b, uint64_t n);
/* True `k` times out of `of`. */
bool gen_chance(struct gen_bytes *b, uint64_t k, uint64_t of);

/* ---- programs -------------------------------------------------------------- */

enum gen_form {
    GEN_BLOCKS, /* schedulable: loops around blocks */
    GEN_LOOPS,  /* lowered: loops, allocations, stores */
    GEN_KERNEL, /* lowered, each stage a kernel launch or all in one */
    GEN_NFORMS
};
const char *gen_form_name(enum gen_form form);

struct gen_options {
    unsigned max_stages; /* 1 … 5 */
    unsigned max_extent; /* of a dimension, at least 2 */
    bool symbolic;       /* some programs have a size `n` */
    bool kernels;        /* threads, shared memory, barriers */
};
struct gen_options gen_default_options(void);
/* For runs over many programs: a run of one takes some tens of microseconds. */
struct gen_options gen_small_options(void);

/* What a stage is made from. */
enum gen_kind {
    GEN_ELEMENTWISE,
    GEN_REDUCE,
    GEN_MATMUL,
    GEN_WINDOW,
    GEN_PAD,
    GEN_GATHER,
    GEN_SCAN,
    GEN_RESHAPE,
    GEN_BROADCAST,
    GEN_IN_PLACE, /* a parameter is replaced by a function of it */
    GEN_NKINDS
};
const char *gen_kind_name(enum gen_kind kind);

/* How the tuned side was written: a set of these. */
enum gen_step {
    GEN_STEP_REORDER,
    GEN_STEP_SPLIT,
    GEN_STEP_FUSE,
    GEN_STEP_REVERSE,
    GEN_STEP_SHIFT,  /* a loop starts elsewhere */
    GEN_STEP_STRIDE, /* a loop has a step */
    GEN_STEP_UNROLL,
    GEN_STEP_VECTORIZE,
    GEN_STEP_RAMP, /* vector loads and stores */
    GEN_STEP_PARALLEL,
    GEN_STEP_BIND,
    GEN_STEP_INLINE,
    GEN_STEP_CACHE_READ,
    GEN_STEP_CACHE_WRITE,
    GEN_STEP_DECOMPOSE,
    GEN_STEP_RFACTOR,
    GEN_STEP_ACCUMULATE, /* in a local cell */
    GEN_STEP_DOUBLE_BUFFER,
    GEN_STEP_FLATTEN,
    GEN_STEP_VIEW,          /* flat, or with dimensions in reverse */
    GEN_STEP_LET,           /* a value is bound before it is stored */
    GEN_STEP_SHARED,        /* inputs copied to shared memory */
    GEN_STEP_FUSED_KERNEL,  /* all stages in one thread block */
    GEN_STEP_IMPLICIT_SYNC, /* its barriers left to rule 3 */
    GEN_STEP_CROSS_THREAD,  /* rule 5 */
    GEN_NSTEPS
};
const char *gen_step_name(enum gen_step step);

/* How the two sides of a pair relate; the strongest statement that is true
 * whatever the input. ORDER_ONLY: some floating reduction has its terms in
 * another order. */
enum gen_claim { GEN_IDENTICAL, GEN_ORDER_ONLY };
const char *gen_claim_name(enum gen_claim claim);

struct gen_program;
struct gen_program *gen_program_new(struct gen_bytes *bytes,
                                    const struct gen_options *options);
void gen_program_free(struct gen_program *program);

/* The program as it stands, with nothing tuned; the caller frees it. */
struct ir_module *gen_module(struct gen_program *program, enum gen_form form);

struct gen_tuning {
    enum gen_claim claim;
    uint32_t steps; /* bits of enum gen_step */
};
/* The program rewritten and scheduled as the choices say. */
struct ir_module *gen_transform(struct gen_program *program, enum gen_form form,
                                struct gen_bytes *bytes,
                                struct gen_tuning *tuning);

/* ---- pairs ----------------------------------------------------------------- */

struct gen_pair {
    struct ir_module *untuned, *tuned; /* owned */
    enum gen_form form[2];             /* untuned, tuned */
    uint32_t kinds;                    /* bits of enum gen_kind */
    bool symbolic;
    struct gen_tuning tuning;
};
void gen_pair_init(struct gen_pair *pair, const uint8_t *data, size_t n,
                   uint64_t seed, const struct gen_options *options);
void gen_pair_fini(struct gen_pair *pair);
/* One line: "identical untuned=blocks tuned=loops kinds=… steps=…". */
void gen_pair_label(const struct gen_pair *pair, struct buf *out);

/* ---- running --------------------------------------------------------------- */

/* One run of a module's function "main" on filled inputs. */
struct gen_run {
    struct interp_result result;
    size_t n;
    struct interp_arg *args; /* tensors hold what the run left */
};
#define GEN_MAX_STEPS UINT64_C(4000000)

/* size: of the symbolic dimension. options->max_steps 0 means GEN_MAX_STEPS. */
struct gen_input {
    enum interp_fill fill;
    uint64_t seed;
    int64_t size;
};
void gen_run_init(struct gen_run *run, const struct ir_module *module,
                  const struct gen_input *input,
                  const struct interp_options *options);
void gen_run_fini(struct gen_run *run);

/* The inputs that the checks use, most telling first. */
#define GEN_NINPUTS 6u
struct gen_input gen_input_at(size_t i);

/* Which elements count: a claim may take for granted that none is NaN, or that
 * all are finite. */
enum gen_level {
    GEN_ANY,     /* all */
    GEN_NUMBERS, /* those that are no NaN on either side */
    GEN_FINITE,  /* those that are finite on both */
    GEN_NLEVELS
};

/* How the outputs of two finished runs differ. */
struct gen_difference {
    bool bits;  /* some element's bits differ, or its definedness */
    bool exact; /* … though neither side's rounded; signs of zeros apart */
    /* The same by level, from weak to strong: an element that counts differs
     * by more than the sign of a zero, and then also exactly. */
    bool values_of[GEN_NLEVELS], exact_of[GEN_NLEVELS];
    size_t param, element; /* the first of the strongest kind */
};
struct gen_difference gen_compare(const struct gen_run *a,
                                  const struct gen_run *b);

#endif
