/* SPDX-License-Identifier: Apache-2.0
 *
 * The inside of a struct smt: the encoder, the solver and the last model. For
 * smt*.c only.
 */
#ifndef DC_VERIFIER_SMT_SMT_STATE_H
#define DC_VERIFIER_SMT_SMT_STATE_H

#include "verifier/smt/encode.h"

#include <z3.h>

struct inner_var {
    Z3_ast ast;
    Z3_ast lower, upper; /* NULL if unbounded */
    uint32_t query;      /* last that used it */
    int64_t value;       /* in the last model */
    bool has_value;
};

struct outer_value {
    uint32_t model; /* that it is of */
    int64_t value;
};

struct smt_solver {
    Z3_context z3; /* NULL until the first query that needs it */
    Z3_solver solver;
    Z3_sort integer;
    Z3_ast any;       /* stands where a term could not be made */
    bool failed;      /* an error was reported: answers are unknown */
    uint64_t counted; /* resource units when last looked */
    /* Scripts have a context of their own: what they load makes each query of the
     * other one slower. */
    Z3_context scripts;
    bool erred; /* the same for scripts */
    uint64_t scripts_counted;
    struct VEC(struct inner_var) vars; /* by inner atom */
    struct VEC(Z3_ast) forms;          /* by inner form */
    struct VEC(Z3_ast) asserted;       /* of the last query */
    struct VEC(atom_id) used;          /* inner variables of the last query */
};

/* The formulas of a query, and the variables that equations eliminated. */
struct smt_query {
    uint32_t number;
    struct VEC(const struct form *) forms;
    struct VEC(uint32_t) seen;           /* by inner form: last number */
    struct VEC(atom_id) gone;            /* eliminated */
    struct VEC(const struct aff *) map;  /* by inner atom; NULL: stays */
    struct VEC(const struct aff *) only; /* by inner atom: one at a time */
    bool contradiction;
};

struct smt {
    struct encoder enc;
    struct smt_query query;
    struct smt_solver z3;
    unsigned rlimit_query, variant;
    uint64_t rlimit_total, resources;
#ifdef DC_TEST_OBLIGATIONS
    const char *leave_out;
#endif
    size_t queries;
    bool exhausted;
    bool has_model;
    uint32_t model; /* number of the model, for the values below */
    struct VEC(struct outer_value) values; /* by outer atom */
    struct VEC(struct smt_obligation) log;
};

enum solver_answer { SOLVER_SAT, SOLVER_UNSAT, SOLVER_UNKNOWN };

void query_begin(struct smt *smt);
/* Adds an inner formula. */
void query_add(struct smt *smt, const struct form *f);
/* Simplifies the query; false if it is a contradiction. */
bool query_reduce(struct smt *smt);
/* Without the variables that went. */
const struct aff *query_aff(struct smt *smt, const struct aff *a);
const struct form *query_form(struct smt *smt, const struct form *f);
void query_fini(struct smt_query *q);

/* Forgets the assertions and variables of the last query. */
void solver_begin(struct smt *smt);
/* Adds an inner formula, and the ranges of its variables. */
void solver_assert(struct smt *smt, const struct form *f);
/* Checks what was asserted; on SAT the values of variables are kept. */
enum solver_answer solver_check(struct smt *smt);
/* Checks the last query's assertions with one more formula, which is kept if
 * that is satisfiable. */
enum solver_answer solver_refine(struct smt *smt, const struct form *more);
/* Answers a script of bit vectors (smt_prove_script). */
enum smt_answer solver_script(struct smt *smt, const char *text,
                              unsigned effort);
void solver_fini(struct smt_solver *z);

/* For all users of Z3. A context with this logic of errors: they are looked for
 * where answers are. models: whether it keeps any. NULL where none can be made. */
Z3_context solver_context(bool models);
/* Tells Z3 what it may take, and counts what it holds, for all contexts. */
void solver_memory_mark(void);
void solver_memory_count(void);

#endif
