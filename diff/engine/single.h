/* SPDX-License-Identifier: Apache-2.0
 *
 * One function on inputs from files or generated ones: what `run` and `lint`
 * share. Private to diff/.
 */
#ifndef DC_DIFF_ENGINE_SINGLE_H
#define DC_DIFF_ENGINE_SINGLE_H

#include "diff/engine/args.h"
#include "diff/input/given_files.h"

struct diff_single {
    const struct diff_options *options;
    struct diag_sink *sink;
    struct arena *arena;
    struct ir_module *module;
    struct ir_func *func;
    struct interp_signature sig;
    struct diff_given given; /* --in and --expect */
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
/* What is tried of parameters whose integers index: values in lo..hi where no
 * range is given, and of tensors what properties.h has where none of it is. all:
 * of those, too, of whose values some have no result: divisors, shift counts,
 * what becomes an integer or is asserted. */
struct diff_index_choice {
    int64_t lo, hi;
    unsigned kinds;
    uint64_t sweep; /* of diff_recipe */
    bool all;
};
/* Arguments from the files and the generator. NULL: as the fill has them. False
 * with a diagnostic, but not where no input is what the choice asks for: then
 * *none, which may be NULL with no choice, is set. */
DC_MUST_USE bool diff_single_args(struct diff_single *r,
                                  const struct diff_index_choice *choice,
                                  bool *none);
void diff_single_run(struct diff_single *r, struct diff_outcome *x);
/* What is said of a fault that a lazy choice would not have (rule 8). */
extern const char diff_note_unchosen[];
bool diff_single_faults(const struct diff_single *r,
                        const struct interp_result *x);
/* Where a run is bad and integers of which nothing is given index, or data may
 * be to blame: runs again with choices of them, the widest first, until one is
 * not. *said, "X in 0..7 and distinct", is in the arena then, and x of that
 * run; else it is NULL. */
DC_MUST_USE bool diff_single_narrow(struct diff_single *r,
                                    struct diff_outcome *x,
                                    bool (*bad)(const struct diff_single *,
                                                const struct interp_result *),
                                    const char **said);
void diff_outcome_fini(struct diff_outcome *x);
/* Output element NAME[I, J], or the first one of NAME; after diff_single_args.
 * False with a diagnostic. */
DC_MUST_USE bool diff_single_element(struct diff_single *r, const char *text,
                                     size_t *param, size_t *element);
/* Everything but options and sink. */
void diff_single_fini(struct diff_single *r);

#endif
