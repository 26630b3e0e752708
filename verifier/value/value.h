/* SPDX-License-Identifier: Apache-2.0
 *
 * Values in normal form: what a cell holds, as a hash-consed DAG over reads of
 * parameters, constants, integers made of indices, operations, choices by
 * index conditions, and reductions over index domains. reaching.c finds them,
 * match.c compares those of two programs.
 *
 * One `vctx` serves both programs of a proof: one aff_space, one solver.
 */
#ifndef DC_VERIFIER_VALUE_VALUE_H
#define DC_VERIFIER_VALUE_VALUE_H

#include "verifier/front/program.h"
#include "verifier/smt/smt.h"

enum value_kind {
    VALUE_CONST,  /* bits of dtype */
    VALUE_INPUT,  /* contents of a parameter on entry, at index affs */
    VALUE_INDEX,  /* the integer `index[0]` as a number of dtype */
    VALUE_SCALAR, /* scalar parameter */
    VALUE_OP,     /* operator on args: expression kind or call */
    VALUE_ITE,    /* cond ? args[0] : args[1], by an index condition */
    VALUE_REDUCE, /* init combined with the terms of parts, see below */
    VALUE_FOLD,   /* component `param` of a state after the steps of parts */
    VALUE_TUPLE,  /* a state: args are its components */
    VALUE_HOLE,   /* component `param` of the state before a step */
    VALUE_UNDEF   /* nothing was stored there: uninitialised */
};

/* A fold is a recurrence in one cell, of several storages updated together: the
 * state begins at args[0], a tuple, and each point of the parts' domains is a
 * step. A part's leaf is the tuple of new components, in which holes stand for
 * the old ones; a fold closes the holes of its steps, so that no other value
 * but those below a leaf has any (reaching_step.c). */

/* Terms of a reduction, steps of a fold: one leaf for each point of a domain. */
struct value_part {
    size_t nbinders;
    atom_id *binders;         /* VARs, outermost in time first */
    const struct form *where; /* over binders and outer atoms, ranges apart */
    const struct value *leaf;
    /* Place in time of a term: sequence positions as constants; comparable
     * between parts of one reduction. */
    size_t ntime;
    const struct aff **time;
    uint64_t unordered; /* bit i: time[i] is a loop whose order nobody states */
};

struct value {
    enum value_kind kind;
    struct dtype dtype;
    uint32_t id;
    bool has_undef; /* it, or a value below it, is UNDEF */
    bool has_hole;  /* a hole is below it, and no fold around that */
    uint64_t reads; /* parameters that it reads, as bits (number modulo 64) */
    const struct value *uncast; /* fold.c: without float conversions, or NULL */
    uint64_t bits; /* CONST; INPUT: 1 where the index is of the tuned side's
                      shape, and that is another one */
    int param;     /* INPUT, SCALAR; FOLD, HOLE: component */
    size_t nindex; /* INPUT, INDEX */
    const struct aff **index;
    enum ir_expr_kind op;    /* OP; REDUCE: ADD, MUL, MIN, MAX, AND, OR, ... */
    enum ir_op call;         /* OP of kind IR_CALL */
    const char *name;        /* OP of kind IR_CALL */
    const struct form *cond; /* ITE */
    size_t nargs;
    const struct value **args; /* OP, ITE; REDUCE, FOLD: args[0] = init */
    bool swapped;              /* REDUCE: written e (+) x instead of x (+) e */
    size_t nparts;             /* REDUCE, FOLD */
    const struct value_part *parts;
};

/* The variable that stands for a minimum, a maximum, a choice (cond ? a : b) or
 * bits (a kind b; cond NULL) of integers: `user` of a VAR. Facts of the context
 * tie a choice to its operands, so whatever replaces atoms of those has to
 * replace the variable as well (value_node.c). */
struct vchoice {
    enum ir_expr_kind kind; /* IR_SELECT; IR_BITAND, IR_BITOR, IR_BITXOR */
    const struct aff *a, *b;
    const struct form *cond;
    const struct aff *aff; /* the variable */
};

/* What a let was last found to be, where ctx holds; by whether arithmetic was
 * shown to fit (exact). Chains of lets that use one another twice would else
 * be looked at as trees. */
struct vlet {
    struct {
        const struct aff *index; /* NULL: not looked at */
        const struct form *cond;
        const struct value *value;
        const struct form *index_ctx, *cond_ctx, *value_ctx;
    } is[2];
    enum { LET_NOT_SEEN, LET_OF_INDICES, LET_OF_DATA } holds;
    enum { LET_NOT_ASKED, LET_OF_INPUTS, LET_OF_OTHERS } reads;
};

/* One instance of a store (or of anything under scopes): an aff for each loop,
 * by loop id; NULL where the loop is not around it. */
struct vinst {
    const struct vprog *prog;
    size_t nscopes;
    const struct vscope *scopes;
    size_t nsteps;
    const struct vstep *steps;
    const struct aff **loops; /* indexed by vloop id */
    const struct form *dom;   /* ranges of loops and guards, cached; or NULL */
    const struct form *ctx;   /* what holds where data are read; NULL: dom */
    struct vlet **lets;       /* by scope, NULL where not looked at */
    bool probe; /* reaching.c: its variables stand for any instance, so that no
                   value may hold them */
    bool exact; /* indices.c: int32 and int64 arithmetic is shown to fit */
};

/* The shape of a parameter on both sides; NULL: not known, or no buffer. */
struct vparam {
    const struct aff **shape[2];
    size_t rank[2];
    bool differs;
};

/* One element of a parameter: what a witness holds. */
#define VCTX_WITNESS      32u
#define VCTX_WITNESS_RANK 8u
struct vdatum {
    int param;
    size_t rank;
    int64_t index[VCTX_WITNESS_RANK];
    uint64_t bits;
};

struct vctx {
    struct aff_space *space;
    struct smt *smt;
    struct arena *arena;
    const struct vprog *progs[2]; /* [0] untuned, [1] tuned */
    struct vparam *params;        /* by position; NULL: of one program */
    const char *failed;           /* first reason why something is not known */
    const struct form *facts;     /* what defines minima, choices of integers */
    const struct form
        *sizes;      /* assumed of symbolic sizes (safety.h); or NULL */
    bool used_sizes; /* by indices.c */
    struct value_table *values; /* value_node.c */
    struct eval_state *eval;    /* instance.c */
    struct vgiven *given;       /* given.c; NULL: nothing is */
    bool alike;                 /* verifier_options: faults are on both sides */
    struct flow_state *flow;    /* reaching.c */
    unsigned depth;             /* of nested reads */
    uint64_t work;              /* instances made and claims asked */
    uint64_t steps;             /* expressions looked at */
    unsigned nesting;           /* of those, inside of one another */
    bool holes;                 /* some value has holes */
    bool tile_products; /* exact products of a tile instruction were taken for
                           products of its accumulator's type */
    bool lone; /* progs[0] is looked at by itself: nothing is taken from it */
    struct vfact *untuned;       /* facts.h */
    struct VEC(uint8_t) clean;   /* clean.c, by value */
    struct VEC(atom_id) opaques; /* indices.c, by value: atom + 1; 0: none */
    struct VEC(uint64_t) bits_failed; /* bits.c: pairs that were not shown */
    unsigned bits_folds;              /* folds that were matched in scripts */
    size_t nwitness; /* data on which two values differ (bits_trial.c) */
    struct vdatum witness[VCTX_WITNESS];
    struct vrefuted *refuted; /* NULL: nobody asks */
    /* Whether two values are equal on every input, by those who can compare
     * (match_serve); NULL: no two are known to be. */
    bool (*same)(struct vctx *c, const struct value *p, const struct value *q,
                 const struct form *ctx);
    const struct vstorage *unset; /* was read where nothing was stored: the
                                     last such read */
};
/* The claims that the solver refuted last: that ctx implies goal, the n-th at place
 * n modulo their number. */
#define VCTX_REFUTED 12u
struct vrefuted {
    size_t n;
    struct {
        const struct form *ctx, *goal;
    } kept[VCTX_REFUTED];
};
/* Whether the budget of work is spent; then nothing is proved any more. The
 * budget counts steps of the proof, so that it ends at the same place on every
 * machine. */
#define VCTX_MAX_WORK UINT64_C(150000)
bool vctx_spent(struct vctx *c);
/* So many steps more; false when they are spent, or memory is. */
bool vctx_step(struct vctx *c, unsigned n);
/* One step more, of an expression inside of as many others as were entered and
 * not left; false when they are spent. Left whatever came of it. */
#define VCTX_MAX_STEPS   UINT64_C(4000000)
#define VCTX_MAX_NESTING 6000u
bool vctx_enter(struct vctx *c);
void vctx_leave(struct vctx *c);
/* Notes the reason if it is the first; gives NULL. */
void *vctx_fail(struct vctx *c, const char *fmt, ...) DC_PRINTF(2, 3);
/* smt_prove and smt_unsat with the facts. */
bool vctx_proves(struct vctx *c, const struct form *ctx,
                 const struct form *goal, const char *what);
bool vctx_unsat(struct vctx *c, const struct form *ctx, const char *what);

/* Symbols and scalar parameters of both programs share atoms by position. */
struct vctx *vctx_new(const struct vprog *untuned, const struct vprog *tuned,
                      const struct smt_limits *limits);
/* What is given of parameters and sizes (verifier.h); before all else. */
struct verifier_options;
void vctx_give(struct vctx *c, const struct verifier_options *options);
void vctx_free(struct vctx *c);

/* An instance with fresh atoms for all loops (named after them). atoms, if not
 * NULL, gets them by loop id. Ranges that are constant are those of the atoms;
 * others are in vinst_dom. */
struct vinst *vinst_fresh(struct vctx *c, const struct vprog *p, size_t nscopes,
                          const struct vscope *scopes, size_t nsteps,
                          const struct vstep *steps);
/* The same with the loops of `loops` (by id); those that are NULL there get
 * fresh atoms, which are noted in it. */
struct vinst *vinst_from(struct vctx *c, const struct vprog *p, size_t nscopes,
                         const struct vscope *scopes, size_t nsteps,
                         const struct vstep *steps, const struct aff **loops);
struct vinst *vinst_of_store(struct vctx *c, const struct vprog *p,
                             const struct vstore *s);
/* The same instance with atoms replaced in its loops. */
struct vinst *vinst_with(struct vctx *c, const struct vinst *from,
                         const struct aff_map *map);
/* Inside `let var = value in body`, where the body is evaluated. */
struct vinst *vinst_with_let(struct vctx *c, const struct vinst *inst,
                             const struct ir_expr *let);
/* What binds a variable: the scope and its number, NULL for symbols. */
const struct vscope *vinst_lookup(const struct vinst *inst,
                                  const struct ir_var *var, size_t *where);
/* What is known of the let of that number. */
struct vlet *vinst_let(struct vctx *c, const struct vinst *inst, size_t where);
/* Where the let of that number is evaluated. */
struct vinst *vinst_at_let(struct vctx *c, const struct vinst *inst,
                           size_t where);
/* Whether the expression depends on loops, lets of such and sizes alone. */
bool vexpr_is_index(struct vctx *c, const struct vinst *inst,
                    const struct ir_expr *e);
bool vexpr_index_list(struct vctx *c, const struct vinst *inst, size_t n,
                      struct ir_expr *const *list);
/* The condition under which the instance runs: symbolic ranges and guards.
 * Conditions on data become uninterpreted predicates of their values. NULL
 * when a guard cannot be understood (c->failed says why). */
const struct form *vinst_dom(struct vctx *c, struct vinst *inst);
/* An integer expression at an instance. NULL when it is not quasi-affine and
 * holds no data either (c->failed). Data in it become opaque integers keyed by
 * the value that was read. */
const struct aff *veval_index(struct vctx *c, struct vinst *inst,
                              const struct ir_expr *e);
/* The integer that is a where cond holds and b elsewhere; the bits of a and b
 * (kind), which commute. The same variable for the same operands. */
const struct aff *vchoice_make(struct vctx *c, const struct form *cond,
                               const struct aff *a, const struct aff *b);
const struct aff *vchoice_bits(struct vctx *c, enum ir_expr_kind kind,
                               const struct aff *a, const struct aff *b);
/* aff_solve, or aff_solve_wrapped, through exclusive ors as well
 * (solve_xor.c). A guess, as those are. */
void vaff_solve(struct vctx *c, size_t neqs, const struct aff *const *eqs,
                size_t n, const atom_id *unknown, bool wrapped,
                const struct aff **out);
/* A boolean expression on indices; data become predicates. */
const struct form *veval_cond(struct vctx *c, struct vinst *inst,
                              const struct ir_expr *e);
/* a happens strictly before b. na, nb: how many steps to look at. */
const struct form *vtime_before(struct vctx *c, const struct vinst *a,
                                size_t na, const struct vinst *b, size_t nb);
/* Index of a storage's cell: privates first, then the canonical indices. */
size_t vcell_rank(const struct vstorage *s);
bool vcell_of(struct vctx *c, struct vinst *inst, const struct vstorage *s,
              size_t nindex, struct ir_expr *const *index,
              const struct aff **out);

/* given.c: what is given of the elements that such an opaque integer stands
 * for becomes part of the facts. Told of each when it is made. */
void vgiven_note(struct vctx *c, atom_id opaque, const struct value *v);
/* The inclusive bounds of what v may be, which are its type's at first. */
void vgiven_range(const struct vctx *c, const struct value *v, int64_t *lo,
                  int64_t *hi);
/* Whether the elements that v is one of are a permutation; how many there are,
 * NULL: not known. */
bool vgiven_permutes(const struct vctx *c, const struct value *v);
const struct aff *vgiven_elements(struct vctx *c, const struct value *v);
/* The value of an expression at an instance, reads resolved (reaching.c). */
const struct value *veval_value(struct vctx *c, struct vinst *inst,
                                const struct ir_expr *e,
                                const struct form *ctx);
/* ---- nodes (value_node.c); equal nodes are one pointer ---- */
const struct value *value_make(struct vctx *c, const struct value *proto);
/* fold.c's memo. */
void value_keep_uncast(const struct value *v, const struct value *uncast);
const struct value *value_const(struct vctx *c, struct dtype t, uint64_t bits);
const struct value *value_index(struct vctx *c, struct dtype t,
                                const struct aff *a);
const struct value *value_ite(struct vctx *c, const struct form *cond,
                              const struct value *a, const struct value *b);
const struct value *value_undef(struct vctx *c, struct dtype t);
bool value_is_const(const struct value *v, uint64_t *bits);
/* What is to be converted to `to`: a conversion before, to a type in the middle
 * that holds every value, is left out (value_int.c). */
const struct value *value_without_middle(struct vctx *c, const struct value *a,
                                         struct dtype to);
/* Part k of a lane (reinterpret(lane, k)) that is reinterpret(part 0, part 1,
 * …); NULL: e is nothing of the kind. R29: one undefined part makes all of the
 * lane undefined. */
const struct value *value_part_of(struct vctx *c, const struct ir_expr *e,
                                  const struct value *const *args);
/* Whether a reduction may be by this operator. */
bool value_combines(enum ir_expr_kind op, struct dtype t);
/* a becomes `to`. */
void vctx_map_set(struct vctx *c, struct aff_map *m, atom_id a,
                  const struct aff *to);
/* Replaces atoms, also below opaque integers and predicates of data. */
const struct value *value_subst(struct vctx *c, const struct value *v,
                                const struct aff_map *map);
const struct aff *vaff_subst(struct vctx *c, const struct aff *a,
                             const struct aff_map *map);
const struct form *vform_subst(struct vctx *c, const struct form *f,
                               const struct aff_map *map);
bool value_has_undef(const struct value *v);
/* mention.c: whether the atom occurs, also in what choices choose from and in the values
 * that opaque integers stand for; true where that takes too long to see. */
bool vaff_mentions(struct vctx *c, const struct aff *a, atom_id atom);
/* The same of a value; *unordered is set if a fold in no stated order is there. */
bool value_mentions(struct vctx *c, const struct value *v, atom_id atom,
                    bool *unordered);
/* That v lies within the constant bounds of the variable, where it has any. */
const struct form *vatom_takes(struct vctx *c, atom_id atom,
                               const struct aff *v);
/* The truth of a bool value, as a predicate that equal values share. */
const struct form *vpred_of(struct vctx *c, const struct value *v);
/* mention.c: whether data, opaque to affs, occur in it. */
bool value_form_has_data(const struct aff_space *space, const struct form *f);
/* The value behind a predicate; NULL if there is none. */
const struct value *vpred_value(const struct vctx *c, uint64_t key);

/* ---- hole.c: what depends on the state before a step ---- */

const struct value *value_hole(struct vctx *c, struct dtype t,
                               size_t component);
const struct value *value_tuple(struct vctx *c, size_t n,
                                const struct value *const *args);
bool value_holds_hole(struct vctx *c, const struct value *v);
bool vaff_has_hole(struct vctx *c, const struct aff *a);
/* f without the conjuncts that have holes: implied by f, and true whatever the
 * state is. */
const struct form *vform_without_holes(struct vctx *c, const struct form *f);

/* Private to vctx_new and vctx_free (instance.c, reaching.c). */
void vctx_bind_symbols(struct vctx *c);
void vctx_unbind_symbols(struct vctx *c);
void vflow_free(struct vctx *c);

/* What the storage's cell holds just before the first nread steps of the
 * reader (reaching.c), under ctx. */
const struct value *vflow_read(struct vctx *c, const struct vstorage *s,
                               const struct aff *const *cell,
                               struct vinst *reader, size_t nread,
                               const struct form *ctx);
/* ---- control.c: no address and no condition of the program, used for an output
 * or not, is an undefined value (R10). False with c->failed. ---- */
bool vcontrol_defined(struct vctx *c, const struct vprog *p);

/* ---- inverse.c: index(x) = c implies loops[k] = solution[k] at c ---- */
struct vinverse {
    size_t rank, n;
    const atom_id *loops;
    atom_id *place;              /* placeholders for the index */
    const struct aff **solution; /* over places; NULL: not determined */
};
/* loops is kept. */
void vinverse_find(struct vctx *c, size_t rank, const struct aff *const *index,
                   size_t n, const atom_id *loops, struct vinverse *out);
/* The same, choosing solutions that are likely to serve for other indices of
 * the same form too, which differ in their constants; base: the smallest of
 * those, by dimension. */
void vinverse_find_common(struct vctx *c, size_t rank,
                          const struct aff *const *index, const int64_t *base,
                          size_t n, const atom_id *loops, struct vinverse *out);
/* Solution k at an index; NULL if there is none. */
const struct aff *vinverse_at(struct vctx *c, const struct vinverse *v,
                              size_t k, const struct aff *const *index);

/* What the cell holds at the end of the program (reaching.c), under ctx. NULL with
 * c->failed. */
const struct value *vflow_final(struct vctx *c, const struct vprog *p,
                                const struct vstorage *s,
                                const struct aff *const *cell,
                                const struct form *ctx);

/* For people; what is too long (values are DAGs) ends in "...". */
void value_print(struct vctx *c, const struct value *v, struct buf *out);
/* The same as a name of moderate length that is no other value's. */
const char *value_name(struct vctx *c, const struct value *v);

#endif
