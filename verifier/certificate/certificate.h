/* SPDX-License-Identifier: Apache-2.0
 *
 * The text of a certificate: what was proved of which functions, what each
 * output element was found to be, and every obligation as SMT-LIB.
 *
 *   diffcheck-certificate 1
 *   untuned <hash of the module, 16 hex digits> <function>
 *   tuned <hash> <function>
 *   claim identical | order-only | precision
 *   assume <sentence>                          any number
 *   value untuned <parameter> <value>          one a side and output
 *   value tuned <parameter> <value>
 *   obligation <number> <what>
 *   <SMT-LIB 2, ends in (check-sat)>           must be unsatisfiable
 *   end <number of obligations> <hash of all text before>
 *
 * That of a Relax function has a line for each of the tuned side's calls and
 * each pair of functions proved for them, then the values and obligations of
 * these proofs:
 *   call <number> <function> is <untuned function> <claim>
 *   callees <claim> <untuned function> | <tuned function>
 *
 * Nothing in it depends on solver, machine or time, so that a second
 * derivation must give the same bytes. Private to verifier/.
 */
#ifndef DC_VERIFIER_CERTIFICATE_CERTIFICATE_H
#define DC_VERIFIER_CERTIFICATE_CERTIFICATE_H

#include "verifier/value/value.h"
#include "verifier/verifier.h"

#define CERTIFICATE_MAGIC "diffcheck-certificate 1\n"

struct certificate_output {
    int param;
    const struct value *values[2]; /* untuned, tuned */
};

void certificate_write(struct vctx *c, const struct ir_module *const modules[2],
                       const struct ir_func *const funcs[2],
                       const struct verifier_result *r, size_t noutputs,
                       const struct certificate_output *outputs,
                       struct buf *out);
/* Proofs that the one of a Relax function rests on. */
struct certificate_callees {
    const char *untuned, *tuned; /* names */
    enum verifier_verdict verdict;
    const struct buf *proof; /* its certificate; empty: one program */
};
struct certificate_call {
    const char *tuned, *untuned; /* untuned NULL: a part of a later one */
    enum verifier_verdict verdict;
};
void certificate_write_chain(const struct ir_module *const modules[2],
                             const struct ir_func *const funcs[2],
                             const struct verifier_result *r, size_t ncalls,
                             const struct certificate_call *calls, size_t n,
                             const struct certificate_callees *callees,
                             struct buf *out);
/* The two lines that name the functions. */
void certificate_put_names(const struct ir_module *const modules[2],
                           const struct ir_func *const funcs[2],
                           struct buf *out);

#endif
