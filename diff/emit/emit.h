/* SPDX-License-Identifier: Apache-2.0
 *
 * C from tensor IR: one PrimFunc of any stage becomes a readable C11 program
 * (with GNU extensions where README.md says so) that computes what
 * docs/semantics.md says, each statement beside the IR that it came from. For
 * GPUs the same in OpenCL C or CUDA C++, a kernel a launch, with a host program
 * around them.
 */
#ifndef DC_DIFF_EMIT_EMIT_H
#define DC_DIFF_EMIT_EMIT_H

#include "ir/ir.h"

enum emit_language { EMIT_C, EMIT_OPENCL, EMIT_CUDA };

struct emit_options {
    const char *float16;   /* C type of half precision: "_Float16" (also where
                            NULL) or any other name of such a type;
                            "float16_soft": integer code that rounds after each
                            operation, for compilers without the type */
    bool openmp;           /* parallel loops get #pragma omp parallel for */
    bool main_program;     /* with a main(): protocol in README.md */
    bool reference_math;   /* exp, log, tanh, … are diffcheck_math1 and
                            diffcheck_math2 (below), correctly
                            rounded, and not libm's */
    const char *symbol;    /* C name of the function; NULL: made from its name.
                            The entry point is called symbol_entry. */
    bool reference_narrow; /* the same for floats of fewer than 64 bits alone */
    bool freestanding;     /* no #include: what the program needs of a C library
                              is put in front of it by others */
    bool body_only; /* no runtime text in front: emit_runtime gives it once
                            for many functions in one file */
    enum emit_language language; /* OpenCL computes half precision by integer
                                    code, CUDA with its own type; there,
                                    reference_math is double precision, rounded
                                    once more */
};

/* Writes C for the function. False with a diagnostic (code emit.refused) when
 * a construct has no translation: it names the construct and where it is. */
DC_MUST_USE bool emit_c(const struct ir_module *m, const struct ir_func *f,
                        const struct emit_options *o, struct buf *out,
                        struct diag_sink *sink);

/* Runtime text that functions written with body_only need: collects what the
 * calls of emit_c with this set asked for, each piece once. */
struct emit_runtime;
struct emit_runtime *emit_runtime_new(void);
void emit_runtime_free(struct emit_runtime *runtime);
/* emit_c with body_only, the runtime text going to the set. */
DC_MUST_USE bool emit_c_into(const struct ir_module *m, const struct ir_func *f,
                             const struct emit_options *o,
                             struct emit_runtime *runtime, struct buf *out,
                             struct diag_sink *sink);
/* The text of the set, to stand in front of all functions. */
void emit_runtime_put(const struct emit_runtime *runtime, struct buf *out);

/* What programs with reference_math call: operation op (enum num_op) on bits of
 * type code << 8 | bits (enum dtype_code), rounded once. */
uint64_t diffcheck_math1(unsigned op, unsigned type, uint64_t x);
uint64_t diffcheck_math2(unsigned op, unsigned type, uint64_t x, uint64_t y);

#endif
