/* SPDX-License-Identifier: Apache-2.0
 *
 * A Relax function as a proof sees it: calls of PrimFuncs in order, each on
 * what earlier ones left. Private to chain*.c.
 *
 *   chain_read.c   a function read off into calls
 *   chain_steer.c  what data decide in a callee
 *   chain.c        two functions matched call by call
 *   chain_size.c   sizes and types of both functions
 *   chain_fuse.c   several calls as one program
 *   chain_clean.c  what contents come from
 *   chain_report.c what is said of it
 *
 * Relax values are trees of tensors, shapes and scalars that only call_tir
 * computes with; all else hands them on. A tensor is an object whose contents
 * change when a PrimFunc writes to it (in place, or to an argument that nobody
 * declared to be written): what a name stands for is what its object holds
 * then.
 */
#ifndef DC_VERIFIER_RELAX_CHAIN_H
#define DC_VERIFIER_RELAX_CHAIN_H

#include "verifier/front/program.h"
#include "verifier/smt/obligation.h"
#include "verifier/verifier.h"

struct chain_call;

/* Contents of a tensor at some moment. Equal ones of one function are one. */
enum chain_term_kind { CHAIN_PARAM, CHAIN_CONSTANT, CHAIN_OUTPUT };
struct chain_term {
    enum chain_term_kind kind;
    const char *name;                 /* for messages */
    const struct ir_type *type;       /* NULL: CONSTANT */
    size_t number;                    /* PARAM: tensors flattened */
    const struct ir_tensor *constant; /* CONSTANT */
    struct chain_call *call;          /* OUTPUT: its parameter `at` after it */
    size_t at;
};

struct chain_object {
    const struct chain_term *now;
};

enum chain_value_kind {
    CHAIN_TENSOR,
    CHAIN_TUPLE,
    CHAIN_SHAPE,
    CHAIN_SCALAR,
    CHAIN_NOTHING
};
struct chain_value {
    enum chain_value_kind kind;
    struct chain_object *object; /* TENSOR */
    size_t n;                    /* TUPLE, SHAPE */
    struct chain_value **items;
    struct ir_expr *const *dims; /* SHAPE */
    const struct ir_expr *scalar;
};

/* A PrimFunc that is called, translated once. */
struct chain_callee {
    const struct ir_func *func;
    struct vprog *prog;
    bool data_control; /* addresses or conditions of statements are data */
    bool data_guards;  /* data decide whether a part of a value is evaluated */
    bool data_choices; /* data decide what a Select gives, or that */
    bool atomic;
};

/* What a parameter of a call begins with: a term, a scalar, or nothing (a fresh
 * output). */
struct chain_arg {
    const struct chain_term *term;
    const struct ir_expr *scalar;
    const struct ir_type *fresh; /* type of the output */
};

struct chain_call {
    const struct chain_callee *callee;
    size_t n; /* parameters of the callee */
    struct chain_arg *args;
    const struct chain_term **after; /* by parameter; NULL: as before */
    struct ir_pos pos;
    /* Of tuned calls, by chain.c: by parameter, the untuned contents that
     * what is left there answers to, and how; NULL: not known. */
    const struct chain_term **answers;
    unsigned verdict;        /* enum verifier_verdict */
    bool covered;            /* shown safe as a part of a larger program */
    struct chain_pair *pair; /* what shows it */
    size_t ngiven; /* what the proof is of: arguments, or a sequence's */
    const struct chain_term **given;
    unsigned asked, told; /* chain_clean.c: by enum chain_origin, or-ed */
};

/* What the function leaves: results flattened, then its tensor parameters. One
 * of the three. */
struct chain_result {
    const struct chain_term *term;
    const struct ir_expr *scalar;
    const struct chain_value *shape;
};

struct chain {
    const struct verifier_options *options;
    const struct ir_module *module;
    const struct ir_func *func;
    struct arena *arena;
    const char *unsupported; /* NULL: all below is complete */
    struct ir_pos unsupported_pos;
    struct VEC(struct chain_callee *) callees;
    struct VEC(struct chain_call *) calls;
    struct VEC(struct chain_result) results;
    size_t nreturned; /* of results; the others are parameters */
};

/* Which variable of the untuned function a size of the tuned one is. */
struct chain_symbols {
    size_t n, cap;
    struct chain_symbol {
        const struct ir_var *tuned, *untuned;
    } * items;
};
/* Whether two sizes are the same; without symbols: of one function. */
bool chain_same_size(const struct chain_symbols *symbols,
                     const struct ir_expr *tuned,
                     const struct ir_expr *untuned);
/* Two variables are one, unless one of them is known already. */
void chain_add_symbol(struct chain_symbols *symbols, const struct ir_var *tuned,
                      const struct ir_var *untuned);
/* At least 1 wherever the function's own sizes are (R16). */
bool chain_is_positive(const struct ir_expr *size);
/* Types of two parameters; sizes seen for the first time answer to each other
 * by position. */
bool chain_match_param(struct chain_symbols *symbols,
                       const struct ir_type *tuned,
                       const struct ir_type *untuned);
/* Two types of tensors with known dimensions. */
bool chain_same_type(const struct chain_symbols *symbols,
                     const struct ir_type *tuned,
                     const struct ir_type *untuned);

/* Type, shape and bytes. */
bool chain_same_constant(const struct ir_tensor *a, const struct ir_tensor *b);

/* What data decide in a callee: has data_control and data_guards set. */
void chain_find_steering(struct chain_callee *callee,
                         const struct verifier_options *options);

/* Reads the function off; everything in the arena but what chain_fini frees. */
void chain_read(struct chain *out, const struct verifier_options *options,
                const struct ir_module *module, const struct ir_func *func,
                struct arena *arena);
void chain_fini(struct chain *c);

/* What one tuned and one untuned call leave, each as a program of its own: of
 * the calls that lead there from contents known to answer to each other. */
struct chain_fused {
    struct ir_module *modules[2]; /* untuned, tuned */
    struct ir_func *funcs[2];
    size_t nparams; /* what they are given; the last is what they leave */
    bool *fresh;
    unsigned given; /* how the contents given answer: the worst verdict */
    bool data_control;
    bool steered; /* overflow in what the tuned one is given may be a fault */
    size_t n[2];
    const struct chain_call **calls[2];
    size_t ngiven; /* of the tuned one */
    const struct chain_term **tuned;
};
/* A pair of callees with its verdict. */
struct chain_pair {
    const struct chain_callee *tuned, *untuned;
    const bool *fresh; /* by parameter; NULL: the last calls of sequences */
    bool bits;         /* for arguments of equal bits alone */
    bool one;          /* one program, where arguments have equal bits */
    bool looked;       /* result.defined and result.fit are known */
    struct verifier_result result;
};

struct chain_proof {
    const struct verifier_options *options;
    struct verifier_result *out;
    struct chain chains[2]; /* untuned, tuned */
    struct chain_symbols symbols;
    struct VEC(struct chain_pair *) pairs;
    size_t fused; /* sequences compared */
    bool sure;    /* the reason is about two callees of one name */
    enum verifier_verdict verdict;
};

/* False, with nothing to free, where there is no such program: other leaves,
 * too many calls, sizes that are not known, several outputs. */
bool chain_fuse(struct chain_proof *p, const struct chain_call *tuned,
                const struct chain_call *untuned, struct chain_fused *out);
void chain_fused_fini(struct chain_fused *f);

/* Of what tuned terms hold: */
enum chain_origin {
    CHAIN_DEFINED = 1, /* nothing that it comes from is undefined (R10) */
    CHAIN_FITS = 2,    /* no int32 or int64 operation that it comes from
                          overflows (R9) */
    CHAIN_ALIKE = 4    /* none does but where it does on the untuned side */
};
bool chain_all(struct chain_proof *p, size_t n,
               const struct chain_term *const *terms, enum chain_origin what);
/* Whether a fault may come of an operand that overflowed before the call. */
bool chain_is_steered(const struct chain_callee *callee);

/* Adds what a part of the proof took. */
void chain_count(struct chain_proof *p, const struct verifier_result *part);

bool chain_is_proof(enum verifier_verdict v);
/* Of a proof that succeeded: verdict, reason, assumptions, notes. */
void chain_conclude(struct chain_proof *p);
/* Which call answers to which, and the explanations of callees. */
void chain_explain(struct chain_proof *p);
void chain_write_certificate(struct chain_proof *p,
                             const struct ir_module *const modules[2],
                             const struct ir_func *const funcs[2]);

#endif
