/* SPDX-License-Identifier: Apache-2.0
 *
 * Names that options give of a module's parameters and sizes: one that matches
 * nothing is an error which lists what there is. Private to diff/.
 */
#ifndef DC_DIFF_INPUT_KNOWN_NAMES_H
#define DC_DIFF_INPUT_KNOWN_NAMES_H

#include "diff/input/input.h"

/* "; there are: 'A', 'B', 'n'": parameters and sizes of all functions, each once,
 * the first of many. */
void diff_put_known(struct buf *out, const struct ir_module *m);
/* The same of one function: its sizes alone, or all. */
void diff_put_known_of(struct buf *out, const struct interp_signature *sig,
                       bool sizes);
/* Whether what --assume, --shape and --in name is there; the first `assumes` and
 * `shapes` are not asked about (a case's own). False with diagnostics. */
DC_MUST_USE bool diff_names_check(const struct diff_options *options,
                                  const struct ir_module *m, size_t assumes,
                                  size_t shapes, struct diag_sink *sink);

#endif
