/* SPDX-License-Identifier: Apache-2.0
 *
 * Keyed algebras: what the domains order, ac, field and field-nocast share.
 *
 * A value that depends on the inputs is an element of V = Z/p0 x Z/p1 (two
 * 61-bit primes). Leaves and the results of operations without laws are keyed
 * random functions of what they are made from; laws are real operations of V:
 *   integers    + - x are those of Z/p (equal over the integers is equal
 *               modulo any 2^w); min, max, and, or, xor are AC sums
 *   AC sums     u * v = P(P'(u) + P'(v)) with P a keyed permutation and P' its
 *               inverse, independent for each (operation, type), shifted so
 *               that the unit maps to 0
 *   involutions x -> c - x (exact negation, logical not)
 * So two results are equal if the expressions are equal up to those laws, and
 * by accident with the chance that interp_keyed_log2_error bounds.
 *
 * The keyed function is the 64x64->128 bit multiply-and-fold mixer of the
 * wyhash family (Wang Yi, public domain), two chains under different secrets;
 * the permutations are Feistel networks over 61 bits with the same kind of
 * round function, walked until they fall below the prime. Both are treated as
 * random; neither is meant to withstand an adversary who knows the key.
 *
 * Private to interp/.
 */
#ifndef DC_INTERP_KEYED_KEYED_H
#define DC_INTERP_KEYED_KEYED_H

#include "interp/machine/exec.h"
#include "interp/machine/sym.h"

/* ---- types ---------------------------------------------------------------- */

struct dtype keyed_dtype(uint8_t type);

/* ---- elements ---------------------------------------------------------------- */

#define KEYED_P0 ((UINT64_C(1) << 61) - 1)
#define KEYED_P1 ((UINT64_C(1) << 61) - 31)

/* The field domain: the largest safe prime below 2^61, and (p - 1) / 2. */
#define KEYED_FIELD_P ((UINT64_C(1) << 61) - 2373)
#define KEYED_FIELD_Q ((KEYED_FIELD_P - 1) / 2)

static inline struct keyed_v keyed_add(struct keyed_v a, struct keyed_v b)
{
    a.lane[0] += b.lane[0];
    a.lane[1] += b.lane[1];
    a.lane[0] -= a.lane[0] >= KEYED_P0 ? KEYED_P0 : 0;
    a.lane[1] -= a.lane[1] >= KEYED_P1 ? KEYED_P1 : 0;
    return a;
}
static inline struct keyed_v keyed_sub(struct keyed_v a, struct keyed_v b)
{
    a.lane[0] += a.lane[0] < b.lane[0] ? KEYED_P0 : 0;
    a.lane[1] += a.lane[1] < b.lane[1] ? KEYED_P1 : 0;
    a.lane[0] -= b.lane[0];
    a.lane[1] -= b.lane[1];
    return a;
}
struct keyed_v keyed_mul(struct keyed_v a, struct keyed_v b);
struct keyed_v keyed_of_int(int64_t x);
struct keyed_v keyed_of_uint(uint64_t x);
/* A total order, for operands that commute. */
static inline bool keyed_less(struct keyed_v a, struct keyed_v b)
{
    return a.lane[0] != b.lane[0] ? a.lane[0] < b.lane[0]
                                  : a.lane[1] < b.lane[1];
}

/* What a keyed function is of: an operation of interp/keyed_*.c. */
enum keyed_tag {
    KEYED_LEAF = 1,
    KEYED_CONST,
    KEYED_OP,    /* + enum num_op */
    KEYED_EXACT, /* the real result of + enum num_op, before rounding */
    KEYED_ROUND, /* translation of such a result into its type */
    KEYED_WIDEN, /* exact conversion, a permutation */
    KEYED_CAST,  /* any other conversion */
    KEYED_NEG,   /* involution of a type */
    KEYED_NOT,
    KEYED_CHOICE,
    KEYED_SUM,   /* permutation behind an AC sum */
    KEYED_LOOSE, /* an operation in hardware's own order */
    KEYED_BITS,  /* reinterpretation */
    KEYED_CALL   /* an operator by its number */
};

/* Keyed random function of (tag, a, b, c) and n elements. */
struct keyed_v keyed_hash(const struct interp_keyed *k, enum keyed_tag tag,
                          uint32_t a, uint32_t b, uint32_t c, size_t n,
                          const struct keyed_v *v);
/* Keyed permutation of V named by (tag, a, b), and its inverse. */
struct keyed_v keyed_permute(struct interp_keyed *k, enum keyed_tag tag,
                             uint32_t a, uint32_t b, struct keyed_v v);
struct keyed_v keyed_unpermute(struct interp_keyed *k, enum keyed_tag tag,
                               uint32_t a, uint32_t b, struct keyed_v v);
/* The same on [0, p), p < 2^61, as far as lane 0 goes. */
uint64_t keyed_permute_below(struct interp_keyed *k, enum keyed_tag tag,
                             uint32_t a, uint32_t b, uint64_t x, uint64_t p,
                             bool forward);
/* x modulo p for p >= 2^60. */
uint64_t keyed_mod_mul(uint64_t a, uint64_t b, uint64_t p);
/* u and v under the AC operation op of type t whose unit is the element given. */
struct keyed_v keyed_sum(struct interp_keyed *k, enum num_op op, uint8_t t,
                         struct keyed_v unit, struct keyed_v u,
                         struct keyed_v v);

/* ---- rules: what a keyed domain says about floats --------------------------------- */

struct keyed_rules {
    /* A known float as an element. */
    struct keyed_v (*embed)(struct interp_keyed *k, struct dtype t,
                            uint64_t bits);
    /* At least one operand is in a box. NUM_ADD … NUM_MAX, NUM_DIV, functions;
     * comparisons are the same everywhere (keyed.c). */
    struct value (*unary)(struct machine *m, enum num_op op, struct dtype t,
                          struct value a);
    struct value (*binary)(struct machine *m, enum num_op op, struct dtype t,
                           struct value a, struct value b);
    struct value (*fma)(struct machine *m, struct dtype t, struct value a,
                        struct value b, struct value c);
    /* From or to a float. */
    struct value (*cast)(struct machine *m, struct dtype from, struct dtype to,
                         struct value a);
    /* Whether c ? a : b has a law here; NULL: never. */
    bool (*choose)(struct machine *m, struct dtype t, struct value c,
                   struct value a, struct value b, struct value *out);
    bool field; /* floats are KEYED_FIELD */
};
/* Of field and field-nocast; looks at domain->kind. */
extern const struct keyed_rules field_rules;

/* ---- keyed.c: common to all --------------------------------------------------------- */

/* A known value as an element. */
struct keyed_v keyed_embed(struct interp_keyed *k, struct dtype t,
                           uint64_t bits);
/* The value as an element, known or not, with what is known about it. */
struct interp_sym keyed_sym(struct machine *m, struct dtype t, struct value v);
/* A fresh result: no history, props of the operands that every result keeps. */
struct interp_sym keyed_result(struct machine *m, struct dtype t,
                               struct keyed_v v, unsigned props);
struct value keyed_value(struct machine *m, struct interp_sym s);
/* A keyed function of n <= 8 operands of type t, with no law at all. */
struct value keyed_plain(struct machine *m, enum keyed_tag tag, uint32_t op,
                         struct dtype t, struct dtype result, size_t n,
                         const struct value *operand);
/* The same for a step of an operation in hardware's own order (m->unordered).
 * What stands for the whole is what keyed_settle makes of the last step, so
 * that one such operation is no chain of smaller ones. */
struct value keyed_loose(struct machine *m, uint32_t op, struct dtype t,
                         size_t n, const struct value *operand);
struct value keyed_settle(struct machine *m, struct dtype t, struct value v);
/* keyed_plain of two operands in either order. */
struct value keyed_commutative(struct machine *m, uint32_t op, struct dtype t,
                               struct value a, struct value b);
/* Comparison of any two values of one type; the result is bool. */
struct value keyed_compare(struct machine *m, enum num_op op, struct dtype t,
                           struct value a, struct value b);
/* 2^-k for a known 2^k, if that is a value of t: a / 2^k = a x 2^-k. */
bool keyed_inverse(struct dtype t, struct value b, struct value *out);
/* Whether v is known, a float, and this very value (zeros by sign). */
bool keyed_is_const(struct dtype t, struct value v, double value);
/* The exact source of a value: what it was widened from, if it was. */
struct keyed_v keyed_source(struct machine *m, struct interp_sym s,
                            struct dtype *from);
/* The product of two values of type `from` is a value of type t. */
bool keyed_exact_product(struct dtype from, struct dtype t);
/* The type that both values were widened from, and hold known operands;
 * false: there is none. */
bool keyed_common_source(struct machine *m, struct dtype t, struct value a,
                         struct value b, struct dtype *from);
/* Exact conversions (every value of `from` is one of `to`). */
bool keyed_widens(struct dtype from, struct dtype to);
/* Any conversion, without laws but those of keyed_exact_cast. */
struct value keyed_cast(struct machine *m, struct dtype from, struct dtype to,
                        struct value a);
/* The unit of min (high) or max: an infinity, or where the type has none its
 * last value. */
uint64_t keyed_extreme(struct dtype t, bool high);
/* Whether c ? a : b is max(a, b) or min(a, b) by rule 12, which *op then is. */
bool keyed_is_extreme(struct machine *m, struct dtype t, struct value c,
                      struct value a, struct value b, enum num_op *op);
/* -x, exact. */
struct value keyed_negate(struct machine *m, struct dtype t, struct value a);
/* Reinterpretation between types of one width (keyed_bits.c). */
struct value keyed_reinterpret(struct machine *m, struct dtype from,
                               struct dtype to, struct value a);
/* What a shift by 16 to the left makes of the bits of a float. */
struct interp_sym keyed_high_half(struct interp_sym operand, uint64_t count,
                                  struct interp_sym shifted);
void keyed_bits_free(struct interp_keyed *k);

/* !v of a bool, an involution. */
struct value keyed_not(struct machine *m, struct value a);
/* keyed_int.c: at least one operand is in a box, and t is no float. */
struct value keyed_integer_unary(struct machine *m, enum num_op op,
                                 struct dtype t, struct value a);
struct value keyed_integer_binary(struct machine *m, enum num_op op,
                                  struct dtype t, struct value a,
                                  struct value b);

/* The members of struct interp_domain that all keyed domains share. */
struct value keyed_domain_literal(struct machine *m, struct dtype t,
                                  double value);
struct value keyed_domain_unary(struct machine *m, enum num_op op,
                                struct dtype t, struct value a);
struct value keyed_domain_binary(struct machine *m, enum num_op op,
                                 struct dtype t, struct value a,
                                 struct value b);
struct value keyed_domain_fma(struct machine *m, struct dtype t, struct value a,
                              struct value b, struct value c);
struct value keyed_domain_cast(struct machine *m, struct dtype from,
                               struct dtype to, struct value a);
struct value keyed_domain_select(struct machine *m, struct dtype t,
                                 struct value a, struct value b);
struct value keyed_domain_choose(struct machine *m, struct dtype t,
                                 struct value c, struct value a,
                                 struct value b);

// clang-format off
/* What all keyed domains have in their descriptors. */
#define KEYED_DOMAIN                     \
    .plain = true,                       \
    .literal = keyed_domain_literal,     \
    .unary = keyed_domain_unary,         \
    .binary = keyed_domain_binary,       \
    .fma = keyed_domain_fma,             \
    .cast = keyed_domain_cast,           \
    .reinterpret = keyed_reinterpret,    \
    .settle = keyed_settle,              \
    .select = keyed_domain_select,       \
    .choose = keyed_domain_choose
// clang-format on

/* order: the translation of type t. */
struct keyed_v keyed_rounding_of(struct interp_keyed *k, uint8_t type);

/* The algebra of a run: keys, permutations met so far, counts. */
struct keyed_permutation;
struct keyed_rounding;
struct interp_keyed {
    uint64_t key;
    const struct interp_domain *domain;
    bool relaxed;
    struct keyed_permutation *
        *slots; /* hash of permutations; open addressing */
    size_t nslots, used;
    struct keyed_v rounded[128];      /* order.c: by type; 0 until it is used */
    struct keyed_rounding *roundings; /* keyed_bits.c */
    size_t nroundings, rounding_cap;
    uint64_t ops;
    uint32_t degree;
    unsigned assumptions;
};

#endif
