/* SPDX-License-Identifier: Apache-2.0
 *
 * Terms: expressions over the elements of the parameters, each once. Private to
 * verifier/enumerate/.
 */
#ifndef DC_VERIFIER_ENUMERATE_ENUM_TERMS_H
#define DC_VERIFIER_ENUMERATE_ENUM_TERMS_H

#include "verifier/enumerate/enum_op.h"
#include "verifier/enumerate/enumerate.h"

typedef uint32_t enum_id; /* place in the table; operands come before */

enum enum_kind {
    ENUM_CONST, /* bits of dtype */
    ENUM_INPUT, /* element `bits` of parameter `param` on entry */
    ENUM_OP,    /* operator on args; call, text: of IR_CALL */
    ENUM_BAG,   /* args in no order, combined by op: sorted */
    ENUM_HOLE,  /* number `bits`: to be found yet (enum_slice.h) */
    ENUM_UNDEF  /* nothing was stored, or an undefined value (R10) */
};

struct enum_term {
    enum enum_kind kind;
    struct dtype dtype;
    enum ir_expr_kind op;
    enum ir_op call;
    uint64_t bits;
    int param;
    unsigned marks; /* of CONST: enum_op.h */
    uint32_t n;
    const enum_id *args;
};

struct enum_table {
    struct arena *arena;
    struct VEC(struct enum_term) items;
    size_t cap; /* of slots; a power of two */
    enum_id *slots;
};

#define ENUM_NONE UINT32_MAX

void enum_table_init(struct enum_table *t);
void enum_table_fini(struct enum_table *t);
/* args are copied. */
enum_id enum_make(struct enum_table *t, const struct enum_term *proto);
enum_id enum_const(struct enum_table *t, struct dtype d, uint64_t bits);
enum_id enum_undef(struct enum_table *t, struct dtype d);
/* Whether it is a number. */
bool enum_is_const(const struct enum_table *t, enum_id id, uint64_t *bits);
/* An operator of dtype d: folded where all operands are numbers and the rules
 * say what it gives, undefined where one is. fault: set where it would trap. */
enum_id enum_op(struct enum_table *t, const struct ir_expr *e, struct dtype d,
                uint32_t n, const enum_id *args, bool *fault);
void enum_print(const struct enum_table *t, enum_id id, struct buf *out);

/* enum_canon.c: the form in which two terms are the same if the claim's laws make
 * them so. roots are terms of `from`, out their forms in `to`. values: NULL;
 * otherwise small terms that were the same in all trials have one form, too.
 * False where the forms would be too large: nothing is known then. */
struct enum_laws {
    enum enumerate_claim claim;
    bool finite;
};
struct enum_values;
DC_MUST_USE bool enum_canon(const struct enum_table *from,
                            struct enum_table *to, const struct enum_laws *laws,
                            const struct enum_values *values, size_t n,
                            const enum_id *roots, enum_id *out);
/* Whether the prover knows laws that these forms do not: where choices and
 * comparisons of data occur below them, unequal forms say nothing. */
bool enum_is_open(const struct enum_table *t, enum_id id);

#endif
