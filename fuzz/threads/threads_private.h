/* SPDX-License-Identifier: Apache-2.0
 *
 * What the parts of the generator share:
 *
 *   threads_expr.c      expressions: their values, with and without limits,
 *                       and their text
 *   threads_place.c     places and conditions, as the sides spell them
 *   threads_write.c     lines of a program, loops, launches
 *   threads_exchange.c  kinds: exchange through storage
 *   threads_reduce.c    … reductions
 *   threads_warp.c      … shuffles and masks
 *   threads_loop.c      … loops
 *   threads_view.c      … views
 *   threads_memory.c    … atomic operations, copies
 *   threads_pair.c      a pair from bytes
 *   threads_truth.c     what runs show
 *   threads_check.c     proofs held against that
 */
#ifndef DC_FUZZ_THREADS_PRIVATE_H
#define DC_FUZZ_THREADS_PRIVATE_H

#include "fuzz/threads/threads.h"

/* ---- expressions ----------------------------------------------------------- */

enum te_kind {
    TE_CONST,
    TE_VAR,
    TE_CAST,
    TE_ADD,
    TE_SUB,
    TE_MUL,
    TE_FLOORDIV,
    TE_FLOORMOD,
    TE_DIV,
    TE_MOD,
    TE_AND,
    TE_XOR,
    TE_SHL,
    TE_SHR,
    TE_MIN,
    TE_MAX,
    TE_SELECT, /* a[0] ? a[1] : a[2] */
    TE_LT,
    TE_LE,
    TE_EQ,
    TE_NE,
    TE_BOTH,
    TE_EITHER
};
struct te {
    enum te_kind kind;
    struct dtype t; /* bool of comparisons */
    int64_t value;  /* CONST: itself; VAR: which */
    const struct te *a[3];
};

/* Thread variables and loops. */
enum var_kind { VAR_TX, VAR_TY, VAR_BX, VAR_K, NVARS };
#define BIT(v)   (1u << (v))
#define IN_BLOCK (BIT(VAR_TX) | BIT(VAR_TY))
#define ALL_VARS (IN_BLOCK | BIT(VAR_BX) | BIT(VAR_K))
struct var {
    bool used;
    const char *name;
    struct dtype t;           /* tuned side */
    struct dtype plain;       /* untuned side */
    int64_t min, count, step; /* values: min + i step, as t holds them */
};

struct plan {
    struct gen_bytes *b;
    struct arena *arena;
    struct var vars[NVARS];
    struct dtype wide; /* what an expression without limits is written in */
    const char *data;  /* type of elements */
    bool inner_y;      /* threads of y inside of those of x */
    struct buf about;
    struct buf out[2]; /* untuned, tuned */
};

const struct te *te_const(struct plan *p, struct dtype t, int64_t value);
const struct te *te_var(struct plan *p, enum var_kind v);
const struct te *te_cast(struct plan *p, struct dtype t, const struct te *e);
/* Operands of one type; the result has it, or is a bool. */
const struct te *te_binary(struct plan *p, enum te_kind kind,
                           const struct te *a, const struct te *b);
const struct te *te_select(struct plan *p, const struct te *c,
                           const struct te *a, const struct te *b);
/* With a constant of the operand's type. */
const struct te *te_with(struct plan *p, enum te_kind kind, const struct te *a,
                         int64_t b);

/* Whether v is a value of t. */
bool te_fits(struct dtype t, int64_t v);
int64_t te_wrap(struct dtype t, int64_t v);
/* The value where the variables are at these trips. Without limits no type
 * wraps and casts are not there. false: a fault, or too large to say. */
bool te_value(const struct plan *p, const struct te *e,
              const int64_t trips[NVARS], bool unlimited, int64_t *out);
/* Trips of all variables one after the other; starts from zeros. false: that
 * was the last. */
bool te_next(const struct plan *p, int64_t trips[NVARS]);
/* Text for a side; wide: in p->wide, without casts. */
const char *te_text(struct plan *p, const struct te *e, unsigned side,
                    bool wide);
const char *te_type(struct plan *p, struct dtype t);
const char *te_number(struct plan *p, struct dtype t, int64_t value);

/* ---- places ---------------------------------------------------------------- */

/* An expression as the sides spell it. */
struct place {
    const struct te *e[2]; /* untuned, tuned; NULL: no place */
    bool wide[2];
    bool differs; /* its values do, with limits and without */
};

int64_t th_pick(struct plan *p, size_t n, const int64_t *from);
bool th_chance(struct plan *p, unsigned of_ten);
struct dtype th_draw_narrow(struct plan *p);
/* Threads and loops: these are always there, those may be. */
void th_draw_vars(struct plan *p, unsigned always, unsigned maybe);
int64_t th_count(const struct plan *p, unsigned set);
/* The number of a thread and trip among those of the set. */
const struct te *th_flat(struct plan *p, unsigned set, struct dtype t);
/* Written alike on both sides, in wide integers. */
struct place th_plain(const struct te *e);
/* A place among n cells, of threads and trips of the set. */
struct place th_draw_place(struct plan *p, unsigned set, int64_t n);
/* The number of a thread and trip, mostly as it is. */
struct place th_draw_flat(struct plan *p, unsigned set);
/* A condition; integer: a number that is not 0 will do. */
struct place th_draw_condition(struct plan *p, unsigned set, bool integer);
/* The same expression with other spellings of it. */
struct place th_spell(struct plan *p, const struct te *e, int64_t lo,
                      int64_t hi);
bool te_mentions(const struct te *e, enum var_kind v);
/* Something equal to an expression but where types wrap. */
const struct te *th_decorate(struct plan *p, const struct te *e);

/* ---- lines ----------------------------------------------------------------- */

struct writer {
    struct plan *p;
    unsigned side, level;
};
void th_put(struct writer *w, const char *fmt, ...) DC_PRINTF(2, 3);
/* The header with parameters A, B (in) and C, of the data's type. */
void th_begin(struct writer *w, struct plan *p, unsigned side, int64_t na,
              int64_t nb, int64_t nc);
/* One more level for what follows. */
void th_open_loop(struct writer *w, enum var_kind v);
/* The loops of a set: as threads on the tuned side. */
void th_open_loops(struct writer *w, unsigned set);
void th_open_threads(struct writer *w, unsigned set);
/* `if` with the condition, if there is one. */
void th_open_if(struct writer *w, const struct place *cond);
const char *th_at(struct writer *w, const struct place *place);
void th_barrier(struct writer *w, const char *scope);
void th_tell(struct plan *p, const char *fmt, ...) DC_PRINTF(2, 3);

/* ---- kinds ----------------------------------------------------------------- */

#define KIND(id, name, draw) bool draw(struct plan *p);
#include "fuzz/threads/threads_kind.def"
#undef KIND

#endif
