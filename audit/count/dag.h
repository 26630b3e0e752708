/* SPDX-License-Identifier: Apache-2.0
 *
 * The text of a ComputeDAG as a tree, and as a function. Private to audit/.
 */
#ifndef DC_AUDIT_COUNT_DAG_H
#define DC_AUDIT_COUNT_DAG_H

#include "ir/base/limits.h"
#include "ir/ir.h"

enum dag_kind {
    DAG_NUMBER, /* a whole one has value */
    DAG_VAR,
    DAG_READ,   /* name[args] */
    DAG_CALL,   /* name(args): functions, casts, select, floordiv, min, … */
    DAG_BINARY, /* name is the operator: "+", "==", "&&" */
    DAG_NOT,
    DAG_LET,    /* name = args[0] in args[1] */
    DAG_UNKNOWN /* a size that is not known */
};
struct dag_expr {
    enum dag_kind kind;
    const char *name;
    bool whole;
    int64_t value;
    double number;
    const char *type; /* of a number: "float32", "int64", … */
    size_t nargs;
    struct dag_expr **args;
    struct dag_stage *from; /* of a READ, once resolved */
};

/* One line: a tensor of the user's, or one that is computed. */
struct dag_stage {
    const char *name;
    bool placeholder;
    const char *how; /* "=", "+=", "max=", "min=", "select", "reduce" */
    size_t naxes;    /* of the head */
    const char *axes[DC_MAX_RANK];
    int64_t extent[DC_MAX_RANK]; /* 0: not known (yet) */
    size_t nsums;                /* further variables: it sums over them */
    const char *sums[DC_MAX_RANK];
    int64_t sum_extent[DC_MAX_RANK];
    struct dag_expr *value; /* NULL of a placeholder, and of `reduce` */
    bool read;              /* another stage reads it */
    bool indexes;           /* what it holds is an index somewhere */
};
struct dag {
    struct arena *arena;
    size_t n;
    struct dag_stage *stages;
    const char *why; /* it is none; or extents are not known */
};

/* dag_parse.c: false with `why`. */
DC_MUST_USE bool dag_parse(const char *text, struct arena *arena,
                           struct dag *out);
/* dag_extents.c: of all axes, from shapes of placeholders and the numbers of the
 * key, of which the last are the output's. False with `why`. */
DC_MUST_USE bool dag_find_extents(struct dag *dag, size_t nkey,
                                  const int64_t *key);
/* dag_build.c: the function that the text says, of float32 where it does not say
 * types; extents are known. NULL with `why`. */
struct ir_module *dag_build(struct dag *dag) DC_MUST_USE;

#endif
