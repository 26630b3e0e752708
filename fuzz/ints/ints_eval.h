/* SPDX-License-Identifier: Apache-2.0
 *
 * An evaluator of its own for the modules that fuzz/ints makes: plain C
 * integers with the rules of docs/semantics.md written out (R4, R8 to R11).
 * It shares no arithmetic, memory or control with interp/ or verifier/, so that
 * it can judge both.
 *
 * Private to fuzz/.
 */
#ifndef DC_FUZZ_INTS_EVAL_H
#define DC_FUZZ_INTS_EVAL_H

#include "ir/ir.h"

/* ---- values ---------------------------------------------------------------- */

enum ints_flag {
    INTS_UNDEF = 1, /* R10: bits mean nothing */
    INTS_OVER = 2,  /* R9: depends on an int32 or int64 result that did not
                       fit */
    INTS_ROUND = 4  /* of one operation: its result was rounded, or is -0 */
};

/* Integers sign- or zero-extended to 64 bits, bool 0 or 1, floats their bit
 * pattern. */
struct ints_cell {
    uint64_t bits;
    unsigned flags; /* enum ints_flag, or-ed */
};

/* Why an operation has no result. */
enum ints_stop {
    INTS_GOES,
    INTS_FAULTS, /* a fault of the program */
    INTS_STUCK   /* the evaluator does not know the construct */
};

bool ints_is_type(struct dtype t); /* one that the functions below know */
/* What the low bits of `bits` are as a value of t. */
uint64_t ints_wrap(struct dtype t, uint64_t bits);
/* kind: a binary operator on operands of type t. */
struct ints_cell ints_binary(enum ir_expr_kind kind, struct dtype t,
                             struct ints_cell a, struct ints_cell b,
                             enum ints_stop *stop);
struct ints_cell ints_cast(struct dtype from, struct dtype to,
                           struct ints_cell a);
struct ints_cell ints_abs(struct dtype t, struct ints_cell a);
/* op: a call of one operand of type t. */
struct ints_cell ints_unary_call(enum ir_op op, struct dtype t,
                                 struct ints_cell a, enum ints_stop *stop);
struct ints_cell ints_of_double(struct dtype t, double value);

/* ---- programs -------------------------------------------------------------- */

/* The contents of one parameter. */
struct ints_param {
    struct dtype dtype;
    bool tensor;
    size_t n;         /* elements; 1 for scalars; 0: what a symbol decides */
    size_t size;      /* bytes of the storage; scalars: none */
    uint8_t *bytes;   /* of a tensor, after a run */
    uint8_t *defined; /* … a byte each, not 0: it is */
};

struct ints_machine;
/* Of the function "main" with this number for each symbol in the shapes of its
 * parameters; NULL if it holds what cannot be evaluated. */
struct ints_machine *ints_machine_new(const struct ir_module *module,
                                      int64_t size);
void ints_machine_free(struct ints_machine *m);
size_t ints_machine_nparams(const struct ints_machine *m);
const struct ints_param *ints_machine_param(const struct ints_machine *m,
                                            size_t i);
/* Whether a Select on an undefined condition is undefined, as the interpreter
 * has it, which so finds it where it goes on to an output, and not a fault. */
void ints_machine_be_lenient(struct ints_machine *m, bool lenient);
/* Runs on these values, an array for each parameter of its elements' bits, and
 * leaves the parameters as they are afterwards. *why: what stopped it. */
enum ints_stop ints_machine_run(struct ints_machine *m,
                                const uint64_t *const *values,
                                const char **why);
/* How what two machines that ran have left compares. */
struct ints_compared {
    bool same;
    bool undefined; /* the first one left some element undefined */
    bool lost;      /* the second one left one that the first one defined */
};
struct ints_compared ints_machine_compare(const struct ints_machine *a,
                                          const struct ints_machine *b);
/* Whether some operation of its run rounded, or gave -0. */
bool ints_machine_rounded(const struct ints_machine *m);

#endif
