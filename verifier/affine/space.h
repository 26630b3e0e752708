/* SPDX-License-Identifier: Apache-2.0
 *
 * The inside of an aff_space: tables of affs, atoms and formulas, what is
 * remembered about each, and saturating intervals. For affine*.c, formula.c,
 * solve.c, smt_reduce.c only.
 */
#ifndef DC_VERIFIER_AFFINE_SPACE_H
#define DC_VERIFIER_AFFINE_SPACE_H

#include "verifier/affine/affine.h"

/* No coefficient, constant or bound of a range is larger in magnitude, so
 * that sums of two never leave int64_t. */
#define COEF_MAX ((int64_t)1 << 62)
/* Nesting of quotients and products; deeper ones count as overflow. */
#define ATOM_DEPTH_MAX 100u
/* Atoms below an atom, as a tree: walks need not remember where they were. */
#define ATOM_WEIGHT_MAX 100000u

/* An interval; AFF_NO_LOWER and AFF_NO_BOUND are the infinities. */
struct span {
    int64_t lo, hi;
};

/* Open addressing over dense ids; equal hashes are compared by the caller. */
struct id_table {
    struct id_slot {
        uint64_t hash;
        uint32_t id1; /* id + 1; 0: empty */
    } * slots;
    size_t cap, n;
};

/* aff = constant + sum of coef * e, the e being single atoms or digits of
 * quotient chains, each within its span. */
struct piece {
    int64_t coef;
    const struct aff *e;
    struct span span;
};
struct pieces {
    int64_t constant;
    size_t n;
    struct piece *items;
    bool digits; /* some e is not an atom */
};

struct aff_meta {
    const struct aff *aff;
    uint64_t bloom; /* of the variables and opaque atoms it mentions */
    bool ranged;
    struct span span;
    const struct pieces *pieces;  /* NULL: not computed */
    const struct form *ge0, *eq0; /* a >= 0, a == 0; NULL: not made */
};

struct atom_meta {
    struct atom *atom;
    const struct aff *self; /* the aff that is this atom */
    uint64_t bloom;
    uint32_t depth;
    uint32_t weight;         /* itself and the atoms below it, as a tree */
    uint32_t stamp;          /* of the substitution that filled `image` */
    const struct aff *image; /* NULL: unchanged */
};

struct form_meta {
    const struct form *form;
    const struct form *negation; /* NULL: not computed */
    uint64_t bloom;
    uint32_t weight; /* itself and the formulas below it, as a tree */
    uint32_t stamp;
    const struct form *image;
};

struct div_memo {
    const struct aff *a;
    int64_t d;
    const struct aff *result;
};

struct aff_space {
    struct arena *arena;
    bool overflow;
    struct VEC(struct aff_meta) affs;
    struct VEC(struct atom_meta) atoms;
    struct VEC(struct form_meta) forms;
    struct VEC(struct div_memo) divs;
    struct id_table aff_table, atom_table, form_table, div_table;
    struct VEC(struct aff_term) scratch;
    unsigned range_depth; /* of nested range computations */
    uint32_t stamp;       /* of the last substitution */
    struct marks *marks;  /* of searches through atoms */
};

/* Searches visit each atom once: mark[a] == now means seen. */
struct marks {
    uint32_t now;
    uint32_t *mark;
    size_t cap;
};

/* Iterates over the ids filed under a hash: start with table_first. */
size_t table_first(const struct id_table *t, uint64_t hash);
bool table_next(const struct id_table *t, uint64_t hash, size_t *pos,
                uint32_t *id);
void table_add(struct id_table *t, uint64_t hash, uint32_t id);

/* The aff with these terms (sorted by atom, no zero coefficients). */
const struct aff *aff_intern(struct aff_space *s, int64_t constant, size_t n,
                             const struct aff_term *terms);
/* a + k * b */
const struct aff *aff_axpy(struct aff_space *s, const struct aff *a, int64_t k,
                           const struct aff *b);
/* a / g where g divides all coefficients; the constant is floored. */
const struct aff *aff_exact_div(struct aff_space *s, const struct aff *a,
                                int64_t g);
/* The atom floor(def / divisor), or floor(def / other) where divisor is 0. */
const struct aff *aff_floor_atom(struct aff_space *s, const struct aff *def,
                                 int64_t divisor, const struct aff *other,
                                 struct span span);
/* Atoms of a product, factor by factor in ascending order; at most max. */
size_t aff_factors(const struct aff_space *s, atom_id a, atom_id *out,
                   size_t max);
#define AFF_MAX_FACTORS 16u

/* A substitution in parts: the images of atoms are remembered from begin on,
 * which gives the bloom filter that within wants. */
uint64_t aff_subst_begin(struct aff_space *s, const struct aff_map *map);
/* The same where the map replaces this atom alone; without a look at all. */
uint64_t aff_subst_begin_one(struct aff_space *s, atom_id atom);
const struct form *form_subst_within(struct aff_space *s, const struct form *f,
                                     const struct aff_map *map, uint64_t bloom);
const struct aff *aff_subst_within(struct aff_space *s, const struct aff *a,
                                   const struct aff_map *map, uint64_t bloom);

struct span aff_span(struct aff_space *s, const struct aff *a);
const struct pieces *aff_pieces(struct aff_space *s, const struct aff *a);
/* By atoms alone, where digits do not fit. */
const struct pieces *aff_whole_pieces(struct aff_space *s, const struct aff *a);
uint64_t aff_bloom(const struct aff_space *s, const struct aff *a);

bool span_is_finite(struct span a);
struct span span_add(struct span a, struct span b);
struct span span_scale(struct span a, int64_t k);
struct span span_mul(struct span a, struct span b);
/* floor of both ends */
struct span span_floordiv(struct span a, int64_t d);

#endif
