/* SPDX-License-Identifier: Apache-2.0
 *
 * Expressions before they are written into a module: trees over numbered slots
 * (elements of inputs, loop variables, scalar parameters), read from the texts
 * of ints_rules.def or drawn at random.
 *
 * Private to fuzz/ints/.
 */
#ifndef DC_FUZZ_INTS_TREE_H
#define DC_FUZZ_INTS_TREE_H

#include "fuzz/gen.h"
#include "fuzz/ints/ints_eval.h"

enum ix_kind {
    IX_CONST,  /* value; of no type yet where dtype is void */
    IX_FLOAT,  /* number */
    IX_SLOT,   /* slot */
    IX_BINARY, /* op */
    IX_NOT,
    IX_BITNOT,
    IX_CAST,
    IX_SELECT,
    IX_LAZY, /* if_then_else */
    IX_LET,  /* the value once, twice used: let v = [0] in [1], where v is the
                slot IX_LET_SLOT of [1] */
    IX_ABS,
    IX_BITS, /* reinterpret */
    IX_CALL, /* call: a function of one operand */
    IX_AT    /* what the table in the slot holds at these indices */
};

#define IX_MAX_SLOTS  12u
#define IX_LET_SLOT   IX_MAX_SLOTS /* what a let names; they do not nest */
#define IX_ROUTE_SLOT (IX_MAX_SLOTS + 1u) /* what storage or a binding holds */
#define IX_NSLOTS     (IX_MAX_SLOTS + 2u)

struct ix {
    enum ix_kind kind;
    enum ir_expr_kind op;
    struct dtype t;
    int64_t value;
    double number;
    unsigned slot;
    enum ir_op call;
    unsigned nargs, size;
    const struct ix *a[3];
};

/* All from the arena. Constants among the operands take the other operand's
 * type. */
const struct ix *ix_const(struct arena *arena, struct dtype t, int64_t value);
const struct ix *ix_slot(struct arena *arena, struct dtype t, unsigned slot);
const struct ix *ix_binary(struct arena *arena, enum ir_expr_kind op,
                           const struct ix *a, const struct ix *b);
const struct ix *ix_unary(struct arena *arena, enum ix_kind kind,
                          const struct ix *a);
const struct ix *ix_cast(struct arena *arena, struct dtype t,
                         const struct ix *a);
const struct ix *ix_bits(struct arena *arena, struct dtype t,
                         const struct ix *a);
const struct ix *ix_call(struct arena *arena, enum ir_op call,
                         const struct ix *a);
const struct ix *ix_at(struct arena *arena, struct dtype t, unsigned slot,
                       unsigned n, const struct ix *const *index);
const struct ix *ix_choose(struct arena *arena, enum ix_kind kind,
                           const struct ix *c, const struct ix *a,
                           const struct ix *b);
const struct ix *ix_let(struct arena *arena, const struct ix *value,
                        const struct ix *body);
/* The tree with its node `from` (by address) exchanged for `to`. */
const struct ix *ix_replace(struct arena *arena, const struct ix *e,
                            const struct ix *from, const struct ix *to);
/* The k-th node in prefix order. */
const struct ix *ix_node(const struct ix *e, unsigned k);
unsigned ix_slots(const struct ix *e); /* set of those it uses */
bool ix_is_compare(enum ir_expr_kind op);
/* As text, for messages. */
void ix_put(const struct ix *e, struct buf *out);
/* As an expression of the module; slots[] say what each slot is. lanes: of the
 * whole and of each slot. */
struct ir_expr *ix_emit(struct ir_module *m, const struct ix *e,
                        struct ir_expr *const *slots, unsigned lanes);
/* It holds what vectors have not: if_then_else, reads at two indices. */
bool ix_needs_loop(const struct ix *e);

/* ---- types ----------------------------------------------------------------- */

struct dtype ints_int(unsigned bits);
struct dtype ints_uint(unsigned bits);
/* Whether v is a value of t (uint64 above INT64_MAX: as a negative number). */
bool ints_fits(struct dtype t, int64_t v);
int64_t ints_least(struct dtype t);
int64_t ints_most(struct dtype t); /* uint64: -1 */

/* ---- texts ----------------------------------------------------------------- */

/* What names in a rule's text stand for. */
struct ints_names {
    struct arena *arena;
    struct dtype types[26];      /* by capital letter; void: none */
    const struct ix *values[26]; /* by small letter, or NULL */
    bool known[26];              /* small letters that are constants: */
    int64_t constants[26];
    unsigned tables[2]; /* slots of T's tables of one and of two indices */
    int64_t row;        /* ROW: how many elements are in a row of them */
};
/* NULL where the text does not give a tree with these types (a constant that
 * does not fit, a type that is not there). */
const struct ix *ints_read(const struct ints_names *names, const char *text);

#endif
