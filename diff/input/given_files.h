/* SPDX-License-Identifier: Apache-2.0
 *
 * Arrays that files give for a function: inputs (--in), and what a device gave
 * for outputs on them (--expect). Private to diff/.
 */
#ifndef DC_DIFF_INPUT_GIVEN_FILES_H
#define DC_DIFF_INPUT_GIVEN_FILES_H

#include "diff/input/options.h"

/* By position of the parameters; NULL where no file is given. A scalar is a
 * tensor of one element. */
struct diff_given {
    size_t n;
    struct interp_tensor **in, **expect; /* owned */
    size_t nin, nexpect;                 /* entries that are there */
    /* Sizes that shapes and scalars tell. */
    size_t nsymbols;
    struct interp_symbol *symbols;
};

/* Reads what the options give for parameters of the signature, in which symbolic
 * sizes may not be known yet; the lists live in the arena. Names that none of the
 * parameters has are left to other functions. False, with diagnostics that name
 * the file, what it holds and what was expected, on a file that does not fit, and
 * where two of them, or --shape, say different sizes. */
DC_MUST_USE bool diff_given_read(const struct diff_options *options,
                                 const struct interp_signature *sig,
                                 struct arena *arena, struct diff_given *out,
                                 struct diag_sink *sink);
/* Of a signature whose sizes are known: whether each array has the parameter's
 * shape, or is a flat one of as many elements. */
DC_MUST_USE bool diff_given_fits(const struct diff_options *options,
                                 const struct interp_signature *sig,
                                 const struct diff_given *given,
                                 struct diag_sink *sink);
/* Frees the arrays; nothing where there are none. */
void diff_given_fini(struct diff_given *given);

#endif
