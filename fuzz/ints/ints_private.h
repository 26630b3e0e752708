/* SPDX-License-Identifier: Apache-2.0
 *
 * What the parts of the generator share:
 *
 *   ints_tree.c    expressions before they are written out
 *   ints_read.c    texts of rules as expressions
 *   ints_draw.c    types, slots, operands, a rule and what is around it
 *   ints_plan.c    where the expressions stand
 *   ints_site.c    one module: parameters, statements, storage on the way
 *   ints_place.c   … the places
 *   ints_reduce.c  … reductions
 *   ints_stride.c  programs over storage that views share
 *   ints_nest.c    their modules
 *   ints_relax.c   calls
 *   ints_truth.c   inputs, and what the evaluator says of a pair
 *   ints_check.c   verdicts held against that
 */
#ifndef DC_FUZZ_INTS_PRIVATE_H
#define DC_FUZZ_INTS_PRIVATE_H

#include "fuzz/ints/ints.h"
#include "fuzz/ints/ints_tree.h"

/* Where the value of a slot comes from. */
enum slot_kind {
    SLOT_ELEMENT, /* X[i] */
    SLOT_FIXED,   /* X[c] */
    SLOT_LOOP,    /* i */
    SLOT_SCALAR,  /* a parameter */
    SLOT_STATE,   /* what the trip before left; one at most */
    SLOT_SIZE,    /* the number of trips, where it is a symbol */
    SLOT_TABLE,   /* nothing by itself: a parameter for IX_AT */
    SLOT_OUTPUT /* what stands where the trip stores, or at O[c]; one at most */
};

struct slot {
    enum slot_kind kind;
    struct dtype t;
    int64_t at; /* FIXED: c; OUTPUT: c, or negative: of this trip; TABLE: how
                   many indices it takes */
};

#define DRAW_ROWS 4
/* What is drawn of a pair of expressions; the arena owns them. */
struct draw {
    struct gen_bytes *b;
    struct arena *arena;
    bool indices;      /* slots are loop variables and scalars alone */
    bool calls;        /* no slot is a scalar, types are of whole bytes */
    bool state;        /* one slot is the state of a recurrence */
    bool in_place;     /* one slot is the output */
    int64_t n;         /* trips of the loop, elements of the inputs */
    bool symbolic;     /* … as many as a symbol says */
    struct dtype size; /* of that symbol, and of the loop */
    int64_t row;       /* of tables: a power of 2; those of two indices have
                          DRAW_ROWS of them */
    size_t nslots;
    struct slot slots[IX_MAX_SLOTS];
    struct ints_names names;
    enum ints_class class;
    const char *about;        /* the rule's text, or what else was done */
    const struct ix *side[2]; /* untuned, tuned */
};

/* Draws two expressions of one type. false: nothing came of the choices. */
bool draw_pair(struct draw *d);
/* An operand of this type: a slot, or something small over slots. */
const struct ix *draw_value(struct draw *d, struct dtype t, unsigned depth);
const struct ix *draw_truth(struct draw *d, unsigned depth);
int64_t draw_constant(struct draw *d, struct dtype t);
/* One that is not 0 or negative; 1 if nothing else fits. */
int64_t draw_positive(struct draw *d, struct dtype t);
struct dtype draw_type(struct draw *d);
/* A wider or a narrower type, mostly of the same sign; void: there is none. */
struct dtype draw_width(struct draw *d, struct dtype t, bool wider);
/* A slot of the type, a new one or one that is there; NULL: no room. */
const struct ix *draw_slot(struct draw *d, struct dtype t);
/* The table of the type with so many indices; false: there is no room. */
bool draw_table(struct draw *d, struct dtype t, unsigned rank, unsigned *slot);

/* Writes the sides out; false: they have no place. */
bool place_pair(struct draw *d, struct ints_pair *pair);

/* ints_engine.c: what is wrong with an engine's run on these values, that is not
 * what the module's machine does; heap, or NULL. */
char *ints_check_engine(const struct ir_module *module, struct ints_machine *m,
                        const uint64_t *const *values, int64_t size, bool fast);

/* ints_stride.c: a pair of its own. */
bool stride_pair(struct gen_bytes *b, struct ints_pair *pair);

#endif
