/* SPDX-License-Identifier: Apache-2.0
 *
 * Quasi-affine integer expressions and formulas over them: what addresses,
 * loop bounds and guards become in a proof.
 *
 * An `aff` is a constant plus integer multiples of atoms. Atoms are variables
 * (instances of loops, output indices, symbolic sizes), quotients
 * floor(aff / d), products of two atoms and opaque integers (data read from
 * memory). Affs are hash-consed in a space: equal expressions are the same
 * pointer. x mod d is written x - d * floor(x / d), so what split loops take
 * apart falls together again by cancellation.
 *
 * Floor divisions simplify by mixed radix: the quotients of one variable by
 * a chain of divisors c1 | c2 | ... are its digits. floor(a / d) takes out the
 * multiples of d, then divides by common factors, then drops a part whose
 * range (computed on digits) lies in one cell. Canonical forms are stable:
 * adding a divisor later changes no aff that exists. What does not simplify
 * becomes a quotient atom with its definition; solvers see d*q <= a < d*q + d.
 *
 * All arithmetic is on mathematical integers; a coefficient beyond 2^62 sets
 * `overflow` on the space, after which no proof may be given. That a program's
 * fixed-width arithmetic equals this is a separate obligation (safety.c).
 *
 * Sources: "DetectIterMap" of TVM (src/arith/iter_affine_map.cc) for the idea
 * of digits; Verdoolaege et al., TOPLAS 2012, for the setting.
 */
#ifndef DC_VERIFIER_AFFINE_AFFINE_H
#define DC_VERIFIER_AFFINE_AFFINE_H

#include "ir/base/base.h"

struct aff_space;
typedef uint32_t atom_id;

struct aff_term {
    atom_id atom;
    int64_t coef; /* never 0 */
};

/* Immutable, unique in its space: compare by pointer. Terms sorted by atom. */
struct aff {
    int64_t constant;
    uint32_t n;
    uint32_t id; /* dense, in order of creation */
    const struct aff_term *terms;
};

enum atom_kind {
    ATOM_VAR,     /* min <= v < min + extent */
    ATOM_FLOOR,   /* floor(def / divisor) */
    ATOM_PRODUCT, /* a * b, neither constant */
    ATOM_OPAQUE   /* an integer value with a range: key tells equal ones */
};

#define AFF_NO_BOUND INT64_MAX /* hi of a range: unbounded above */
#define AFF_NO_LOWER INT64_MIN

struct atom {
    enum atom_kind kind;
    const char *name; /* VAR, OPAQUE: for people */
    int64_t lo, hi;   /* inclusive constant bounds that always hold */
    /* VAR: also lower <= v < upper where not NULL (symbolic bounds, facts
     * about it); OPAQUE: not used. */
    const struct aff *lower, *upper;
    const struct aff *def;   /* FLOOR: dividend; PRODUCT: factor */
    const struct aff *other; /* PRODUCT: second factor; FLOOR by a symbol: the
                                divisor (then divisor is 0) */
    int64_t divisor;         /* FLOOR, > 0 */
    uint64_t key;            /* OPAQUE */
    void *user;              /* VAR, OPAQUE: the owner's */
};

/* Everything lives in the space's arena. */
struct aff_space *aff_space_new(void);
void aff_space_free(struct aff_space *s);
struct arena *aff_arena(struct aff_space *s);
bool aff_overflowed(const struct aff_space *s);
size_t aff_natoms(const struct aff_space *s);
const struct atom *aff_atom_info(const struct aff_space *s, atom_id a);
void aff_atom_set_user(struct aff_space *s, atom_id a, void *user);

/* A fresh variable with constant inclusive bounds; lower/upper may be NULL. */
atom_id aff_var_make(struct aff_space *s, const char *name, int64_t lo,
                     int64_t hi, const struct aff *lower,
                     const struct aff *upper);
/* The opaque integer with this key; the same atom each time. */
atom_id aff_opaque_make(struct aff_space *s, uint64_t key, const char *name,
                        int64_t lo, int64_t hi);

const struct aff *aff_const(struct aff_space *s, int64_t c);
const struct aff *aff_of_atom(struct aff_space *s, atom_id a);
const struct aff *aff_add(struct aff_space *s, const struct aff *a,
                          const struct aff *b);
const struct aff *aff_sub(struct aff_space *s, const struct aff *a,
                          const struct aff *b);
const struct aff *aff_scale(struct aff_space *s, const struct aff *a,
                            int64_t k);
const struct aff *aff_addc(struct aff_space *s, const struct aff *a, int64_t c);
/* Distributes over sums; products of two atoms become ATOM_PRODUCT (ordered,
 * so that i*n and n*i are one). */
const struct aff *aff_mul(struct aff_space *s, const struct aff *a,
                          const struct aff *b);
/* floor(a / d), d > 0. */
const struct aff *aff_floordiv(struct aff_space *s, const struct aff *a,
                               int64_t d);
const struct aff *aff_mod(struct aff_space *s, const struct aff *a, int64_t d);
/* floor(a / b) with b symbolic and known >= 1 (range); takes out exact
 * multiples of b, else makes an ATOM_FLOOR with `other` = b. */
const struct aff *aff_floordiv_sym(struct aff_space *s, const struct aff *a,
                                   const struct aff *b);

/* Constant inclusive bounds (AFF_NO_LOWER / AFF_NO_BOUND where none), from the
 * ranges of digits. Sound, not always tight. */
void aff_range(struct aff_space *s, const struct aff *a, int64_t *lo,
               int64_t *hi);
bool aff_is_const(const struct aff *a, int64_t *out);
int64_t aff_coef(const struct aff *a, atom_id atom); /* 0 if absent */
/* Whether the atom occurs, also below quotients and products. */
bool aff_mentions(const struct aff_space *s, const struct aff *a, atom_id atom);

/* Replaces atoms (VAR or OPAQUE) by affs, rebuilding quotients and products so
 * that they simplify again. to[i] is for the atom first + i, NULL = stays, as
 * all atoms outside do: a map of young atoms need not be as long as the space
 * is large. */
struct aff_map {
    size_t n;
    const struct aff **to;
    atom_id first;
};
/* What the map puts for the atom, or NULL. */
static inline const struct aff *aff_map_at(const struct aff_map *map,
                                           atom_id atom)
{
    return atom >= map->first && atom - map->first < map->n
               ? map->to[atom - map->first]
               : NULL;
}
const struct aff *aff_subst(struct aff_space *s, const struct aff *a,
                            const struct aff_map *map);

/* ---- formulas -------------------------------------------------------------- */

enum form_kind {
    FORM_TRUE,
    FORM_FALSE,
    FORM_GE0,
    FORM_EQ0,
    FORM_AND,
    FORM_OR,
    FORM_NOT_EQ0,
    FORM_PRED
};

/* Hash-consed like affs: equal formulas are one pointer. Negation is pushed
 * down, so there is no NOT but of EQ0 and of predicates. */
struct form {
    enum form_kind kind;
    uint32_t id;
    const struct aff *a; /* GE0: a >= 0; EQ0: a == 0; NOT_EQ0 */
    uint32_t n;          /* AND, OR */
    const struct form *const *args;
    uint64_t key; /* PRED: an uninterpreted truth value (data) */
    bool negated; /* PRED */
};

const struct form *form_true(struct aff_space *s);
const struct form *form_false(struct aff_space *s);
/* The four that follow use aff_range to give TRUE or FALSE where they can. */
const struct form *form_ge0(struct aff_space *s, const struct aff *a);
const struct form *form_le(struct aff_space *s, const struct aff *a,
                           const struct aff *b); /* a <= b */
const struct form *form_lt(struct aff_space *s, const struct aff *a,
                           const struct aff *b);
const struct form *form_eq(struct aff_space *s, const struct aff *a,
                           const struct aff *b);
const struct form *form_and2(struct aff_space *s, const struct form *a,
                             const struct form *b);
const struct form *form_or2(struct aff_space *s, const struct form *a,
                            const struct form *b);
const struct form *form_and(struct aff_space *s, size_t n,
                            const struct form *const *args);
const struct form *form_or(struct aff_space *s, size_t n,
                           const struct form *const *args);
const struct form *form_not(struct aff_space *s, const struct form *f);
/* An uninterpreted truth value; key tells equal ones. */
const struct form *form_pred(struct aff_space *s, uint64_t key);
const struct form *form_subst(struct aff_space *s, const struct form *f,
                              const struct aff_map *map);

/* ---- solving --------------------------------------------------------------- */

/* Guesses a solution of eqs[i] == 0 for the atoms `unknown` (VARs) in terms of
 * all others: Gaussian elimination of unknowns with coefficient +-1 and of
 * quotient atoms that hold unknowns, mixed-radix inversion of sums whose
 * smaller terms fit below the next coefficient. out[k] is the aff for
 * unknown[k], or NULL where the equations leave it free or it was not found;
 * out mentions no solved unknown, but may mention free ones. A guess: callers
 * prove what they need of it. True if all equations were used up without
 * contradiction. */
bool aff_solve(struct aff_space *s, size_t neqs, const struct aff *const *eqs,
               size_t nunknown, const atom_id *unknown, const struct aff **out);

/* The same with every digit taken modulo its range: no difference for sums of
 * the unknowns, but offsets that fall in the gaps between the digits (those of
 * unrolled loops) do not disturb the solution. */
bool aff_solve_wrapped(struct aff_space *s, size_t neqs,
                       const struct aff *const *eqs, size_t nunknown,
                       const atom_id *unknown, const struct aff **out);

/* For people and certificates: "4*i0 + (i1 floordiv 3) - 1". */
void aff_print(const struct aff_space *s, const struct aff *a, struct buf *out);
void form_print(const struct aff_space *s, const struct form *f,
                struct buf *out);

#endif
