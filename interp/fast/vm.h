/* SPDX-License-Identifier: Apache-2.0
 *
 * The running machine: registers of lanes and what is known of their taint.
 * Shared by vm.c, lanes.c and lane_ops.c; private to interp/fast/.
 */
#ifndef DC_INTERP_FAST_VM_H
#define DC_INTERP_FAST_VM_H

#include "interp/fast/fast_engine.h"
#include "interp/fast/kernels.h"

/* Which lanes of a register are inexact. */
enum taint { TAINT_NONE, TAINT_ALL, TAINT_SOME };

struct reg {
    union {
        float f[LANES];
        double d[LANES];
        int32_t i[LANES];
        int64_t q[LANES];
    } u;
    const float *view;   /* within one instruction: where the lanes are instead,
                            the first that runs first; else NULL */
    uint8_t taint;       /* enum taint */
    uint8_t mask[LANES]; /* TAINT_SOME: INTERP_INEXACT or 0 */
};

struct keyed_vm;

/* Elements of lanes that lie far apart, for the next iterations of the loop
 * inside: a column each, so that a line of the cache is read once and not in
 * every iteration, by when it is gone. */
#define COLUMNS 16
struct columns {
    int64_t base, stride, last; /* elements; last: of the load before */
    uint32_t n, width;          /* lanes, columns; width 0: not filled */
    uint8_t cells[COLUMNS][STRIP * 4];
};

/* The cells of a storage as one thread has them: those of the storage itself,
 * or of its own where each iteration of a loop that threads share has some. */
/* What is known of the accesses to each element, see shadow.c. */
struct shadow {
    uint64_t *write, *read;
    uint64_t birth;
};

struct memory {
    uint8_t *data, *state;
    bool sound; /* all elements that this thread may read are defined, exact */
    struct shadow shadow;
};

/* Where the lanes of an access lie: elements base, base + stride, …; or
 * vm->pos where !regular. */
struct place {
    bool regular;
    int64_t base, stride;
};

struct vm {
    struct engine *e;
    struct keyed_vm *keyed; /* keyed_vm.c; NULL in ieee */
    const struct kernels *k;
    struct memory *memory;                /* by storage */
    struct columns *columns[MAX_COLUMNS]; /* made on first use */
    struct reg *regs;
    int64_t *ints;
    const struct insn *code;
    const struct node *lanes; /* loop that runs in lanes; NULL */
    uint64_t steps, max_steps;
    bool inexact;     /* some operation rounded */
    bool data;        /* data-dependent */
    bool quiet;       /* the statement's value is inexact in all lanes anyway */
    bool budget;      /* steps are used up */
    unsigned threads; /* that a loop may be shared by; 1: none but this one */
    /* threads of a block in lanes */
    int64_t *vecs; /* rows of LANES values, see coop_rows.c */
    uint64_t now, launched, block_start; /* the clock, see shadow.c */
    uint64_t synced[IR_NSCOPES], implied[IR_NSCOPES];
    struct {
        uint64_t start, iteration;
    } loops[8]; /* whose iterations are to be independent; outermost first */
    uint32_t nloops;
    /* Only a barrier of rule 3 kept two accesses apart: those that did, and of
     * the last of each scope, whether that is known. */
    struct VEC(const struct ir_plan_info *) needed;
    const struct ir_plan_info *implied_at[IR_NSCOPES];
    bool implied_noted[IR_NSCOPES], first_block;
    int64_t pos[LANES];
    /* An access brought into line. */
    uint8_t cells[LANES * 8], states[LANES];
};

static inline int64_t fast_lin_value(const struct vm *v, const struct lin *x)
{
    int64_t sum = x->c;
    for (uint32_t i = 0; i < x->n; i++)
        sum += x->t[i].coef * v->ints[x->t[i].atom];
    return sum;
}

static inline struct memory *fast_memory_of(const struct vm *v,
                                            const struct store *s)
{
    return &v->memory[s->id];
}

/* Counts steps. */
void fast_vm_charge(struct vm *v, uint64_t steps, uint64_t times);
/* Iterations [from, to) of the loop at pc whose variable starts at min, in
 * lanes where the loop runs so. */
bool fast_vm_iterations(struct vm *v, uint32_t pc, int64_t min, int64_t from,
                        int64_t to, uint32_t lo, uint32_t hi);
/* share.c: all iterations on several threads. */
bool fast_share_loop(struct vm *v, uint32_t pc, int64_t min, int64_t trips);

/* Lanes [lo, hi) of register d from, or to, memory. False: give up. */
bool lanes_load(struct vm *v, const struct addr *a, enum ftype type,
                struct reg *d, uint32_t lo, uint32_t hi);
bool lanes_store(struct vm *v, const struct addr *a, enum ftype type,
                 const struct reg *from, uint32_t lo, uint32_t hi);
/* The same for one instruction's operand: where the lanes lie side by side they
 * stay there, and d only says where. */
bool lanes_view(struct vm *v, const struct addr *a, struct reg *d, uint32_t lo,
                uint32_t hi);
static inline const float *lanes_floats(const struct reg *r, uint32_t lo)
{
    return r->view != NULL ? r->view : &r->u.f[lo];
}
/* hi > lo. Checks every index. */
bool lanes_place(struct vm *v, const struct addr *a, uint32_t lo, uint32_t hi,
                 struct place *out);
/* Races of a load from where lanes_place found it. */
bool lanes_races(struct vm *v, const struct addr *a, const struct place *p,
                 uint32_t lo, uint32_t n);
bool lanes_copy(struct vm *v, const struct addr *to, const struct addr *from,
                enum ftype type, uint32_t lo, uint32_t hi);
/* Whether F_MAC was done in place; else nothing was changed. */
bool lanes_mac(struct vm *v, const struct insn *in, uint32_t lo, uint32_t hi);
/* Whether all lanes of the target are inexact, so that what rounds into them
 * need not be noticed. */
bool lanes_all_inexact(struct vm *v, const struct addr *a, uint32_t lo,
                       uint32_t hi);
void lanes_affine(struct vm *v, const struct addr *a, enum ftype type,
                  struct reg *d, uint32_t lo, uint32_t hi);
void lanes_constant(struct vm *v, enum ftype type, uint64_t bits, struct reg *d,
                    uint32_t lo, uint32_t hi);
void lanes_spread(enum ftype type, struct reg *d, const struct reg *a,
                  uint32_t lo, uint32_t hi);
/* Lanes [lo, hi) of d as in a; taint is merged lane by lane. */
void lanes_move(enum ftype type, struct reg *d, const struct reg *a,
                uint32_t lo, uint32_t hi);
/* The value of one lane as num.h has it, and back. */
uint64_t lanes_bits(enum ftype type, const struct reg *r, uint32_t lane);
void lanes_set(enum ftype type, struct reg *r, uint32_t lane, uint64_t bits);

bool lanes_unary(struct vm *v, const struct insn *in, uint32_t lo, uint32_t hi);
bool lanes_binary(struct vm *v, const struct insn *in, struct reg *d,
                  const struct reg *a, const struct reg *b, uint32_t lo,
                  uint32_t hi);
bool lanes_fma(struct vm *v, const struct insn *in, uint32_t lo, uint32_t hi);
bool lanes_cast(struct vm *v, const struct insn *in, uint32_t lo, uint32_t hi);
void lanes_select(struct vm *v, const struct insn *in, uint32_t lo,
                  uint32_t hi);

#endif
