/* SPDX-License-Identifier: Apache-2.0
 *
 * What `compare`, `run` and `show` share: reading modules, choosing functions,
 * making arguments. Private to diff/.
 */
#ifndef DC_DIFF_INPUT_INPUT_H
#define DC_DIFF_INPUT_INPUT_H

#include "diff/input/options.h"
#include "interp/interp.h"

/* The text of an operand: of a file, or of a line of a MetaSchedule database
 * (FILE:LINE, record.c), whose module it is in JSON. False with diagnostics; what
 * then is in `out` means nothing. */
DC_MUST_USE bool diff_text_read(const char *path, size_t max, struct buf *out,
                                struct diag_sink *sink);
/* The same of a trace or of steps: a line of a database is the record as it is. */
DC_MUST_USE bool diff_trace_read(const char *path, size_t max, struct buf *out,
                                 struct diag_sink *sink);
/* Reads a module for the engines: host code becomes plain functions again
 * (ir_host_restore). max 0 means the built-in limit. NULL with diagnostics. */
struct ir_module *diff_module_read(const char *path, size_t max,
                                   struct diag_sink *sink);
/* diff_module_read with the limits of the options and the external functions
 * that --extern defines. */
struct ir_module *diff_module_load(const struct diff_options *options,
                                   const char *path, struct diag_sink *sink);
/* The part of it that follows reading: overlaps and external functions. Takes
 * the module (which may be NULL). */
struct ir_module *diff_module_complete(const struct diff_options *options,
                                       struct ir_module *module,
                                       struct diag_sink *sink);
/* Whether another function of the module calls this one. */
bool diff_is_called(const struct ir_module *module, const struct ir_func *f);
/* returned.c: numbers that functions return and nobody in the module takes
 * become outputs, "returned"; but for the status code 0. */
void diff_store_returned(struct ir_module *module);
/* Whether the parameter is such an output. */
bool diff_is_returned(const struct ir_param *p);
/* Whether the function still returns something else: it is not compared. */
bool diff_returns_other(const struct ir_func *f);
/* The module as it is in the file. */
struct ir_module *diff_module_read_raw(const char *path, size_t max,
                                       struct diag_sink *sink);
/* The function named, else the only one that can be run, else `main`. NULL
 * with a diagnostic that lists the names there are. */
struct ir_func *diff_function_choose(const struct ir_module *module,
                                     const char *name, struct diag_sink *sink);
/* Relax functions if there are any, else PrimFuncs with a body; only those
 * that no other function of the module calls, unless all are called. Gives
 * the number; out has room for module->nfuncs. */
size_t diff_entries(const struct ir_module *module, const struct ir_func **out);

/* Whether a value was given with --assume for the name. */
const struct diff_range *diff_assume_find(const struct diff_options *options,
                                          const char *name);
bool diff_shape_find(const struct diff_options *options, const char *name,
                     int64_t *out);
/* Whether the name is one of the signature's symbols. */
bool diff_is_symbol(const struct interp_signature *sig, const char *name);

/* Elements of a tensor parameter, lanes included; false when some dimension
 * is not known or the product is beyond what can be held. */
DC_MUST_USE bool diff_param_elements(const struct interp_param *param,
                                     size_t *out);

/* Expected interpreter steps of one run: loop extents times statement sizes,
 * from one walk without running anything. Symbolic sizes by name; unknown
 * ones count as 8, a while loop as 16 rounds. */
double diff_work(const struct ir_module *module, const struct ir_func *func,
                 const struct interp_symbol *symbols, size_t nsymbols);
/* The same where tile instructions (wmma, mma, simdgroup) are loops over their
 * elements, as on a target that has none: the interpreter takes one for a
 * step. */
double diff_scalar_work(const struct ir_module *module,
                        const struct ir_func *func,
                        const struct interp_symbol *symbols, size_t nsymbols);

/* Why inputs for a signature are not made: so many elements are out of
 * proportion to the steps of the budget, or do not fit the memory; NULL: they
 * may be. Shapes must be known. */
const char *diff_inputs_too_large(const struct diff_options *options,
                                  const struct interp_signature *sig,
                                  struct arena *arena);

#endif
