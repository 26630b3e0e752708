/* SPDX-License-Identifier: Apache-2.0
 *
 * Comparing two modules: what `diffcheck compare` does, as a library.
 */
#ifndef DC_DIFF_DIFF_H
#define DC_DIFF_DIFF_H

#include "diff/input/options.h"

/* Compares operands[0] (tuned) with operands[1] (untuned) of the options and
 * fills the report: pairs with verdicts, or `error` with exit_code 2. Messages
 * about unreadable or ill-formed input go to the sink. */
void diff_compare(const struct diff_options *options, struct report *report,
                  struct diag_sink *sink);
/* The same of modules as diff_module_load gives them, which it takes; NULL is
 * one that could not be read, of which the sink has been told. */
void diff_compare_read(const struct diff_options *options,
                       struct ir_module *tuned, struct ir_module *untuned,
                       struct report *report, struct diag_sink *sink);
/* The same, where the only operand may be a case file: it is read into the
 * options, and a verdict that it does not expect is a finding of a comparison
 * (a proof alone may fall short of it). */
void diff_compare_operands(struct diff_options *options, struct report *report,
                           struct diag_sink *sink);
/* The same on modules that are already read. */
void diff_compare_modules(const struct diff_options *options,
                          const struct ir_module *tuned,
                          const struct ir_module *untuned,
                          struct report *report, struct diag_sink *sink);

/* Runs a command line, argv[0] and all, in this process: results go to standard
 * output, messages to standard error. Gives the exit status. What breaks an
 * invariant, or does not fit '--max-memory', ends in the handlers of base.h. */
int diff_line(int argc, char *const *argv);

/* Whether it is --allow wider that makes a `precision` no finding. The order of
 * terms may differ as well: not where that alone would be one. */
bool diff_allows_wider(const struct diff_options *options,
                       const struct report_pair *pair);
/* Exit status that a verdict calls for under the options' policy. */
int diff_exit_of(const struct diff_options *options,
                 const struct report_pair *pair);

#endif
