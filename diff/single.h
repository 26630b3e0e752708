/* SPDX-License-Identifier: Apache-2.0
 *
 * One function on inputs from files or generated ones: what `run` and `lint`
 * share. Private to diff/.
 */
#ifndef DC_DIFF_SINGLE_H
#define DC_DIFF_SINGLE_H

#include "diff/args.h"

struct diff_single {
    const struct diff_options *options;
    struct diag_sink *sink;
    struct arena *arena;
    struct ir_module *module;
    struct ir_func *func;
    struct interp_signature sig;
    struct interp_tensor **given; /* from --in, by position; may be NULL */
    size_t nsymbols;
    struct interp_symbol *symbols;
    struct diff_args args;
    struct interp_options mode; /* of every run */
};

struct diff_outcome {
    struct interp_result result;
    struct interp_tensor **outputs; /* Relax */
    size_t noutputs;
};

/* An error about the module; always false. */
bool diff_single_complain(struct diff_single *r, const char *code,
                          const char *fmt, ...) DC_PRINTF(3, 4);
/* Reads the operand, and chooses the function. */
DC_MUST_USE bool diff_single_load(struct diff_single *r);
/* After interp_signature: settles symbolic sizes, from --shape and from the
 * shapes of files. False with a diagnostic where one stays unknown. */
DC_MUST_USE bool diff_single_bind(struct diff_single *r);
/* Arguments from the files and the generator, integers of unlimited index
 * parameters in 0..hi where hi >= 0. */
DC_MUST_USE bool diff_single_args(struct diff_single *r, int64_t hi);
void diff_single_run(struct diff_single *r, struct diff_outcome *x);
/* Runs again on narrower integers where those of unlimited index parameters may
 * be the fault's cause, and says so in out. */
DC_MUST_USE bool diff_single_narrow(struct diff_single *r,
                                    struct diff_outcome *x, struct buf *out);
void diff_outcome_fini(struct diff_outcome *x);
/* Output element NAME[I, J], or the first one of NAME; after diff_single_args.
 * False with a diagnostic. */
DC_MUST_USE bool diff_single_element(struct diff_single *r, const char *text,
                                     size_t *param, size_t *element);
/* Everything but options and sink. */
void diff_single_fini(struct diff_single *r);

#endif
