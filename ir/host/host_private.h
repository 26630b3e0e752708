/* SPDX-License-Identifier: Apache-2.0
 *
 * Shared by host*.c.
 */
#ifndef DC_IR_HOST_PRIVATE_H
#define DC_IR_HOST_PRIVATE_H

#include "ir/base/limits.h"
#include "ir/ir.h"

#define HOST_MAX_ARGS  1024
#define HOST_MAX_STACK 4096 /* values of one argument array */

/* What a host variable or expression stands for. */
enum host_kind {
    HOST_NOTHING, /* an ordinary value */
    HOST_CONST,   /* the integer n */
    HOST_ARGS,    /* the array of arguments */
    HOST_TYPES,   /* the array of their type codes (TVM <= 0.20) */
    HOST_TENSOR,  /* the DLTensor of argument n, or n as a bare pointer */
    HOST_DATA,    /* its data pointer */
    HOST_SHAPE,   /* its array of dimensions */
    HOST_STRIDES, /* its array of strides: always NULL here */
    HOST_STACK,   /* argument array n of outgoing calls */
    HOST_RESULT   /* where the function puts its own result, or its type code */
};
struct host_meaning {
    enum host_kind kind;
    int64_t n;
};

/* One argument of a packed function, as learnt from its body. */
struct host_arg {
    bool seen, tensor, pointer;
    bool converted;          /* dtype is what the body converts a number to */
    struct dtype dtype;      /* of a number */
    struct ir_var *var;      /* variable that a number, or data, is bound to */
    struct ir_buffer *first; /* first buffer on the data */
    bool declared;           /* by a declaration */
    int64_t rank, code, bits, lanes;   /* asserted; -1: not */
    struct ir_expr *dims[DC_MAX_RANK]; /* asserted or bound; NULL: not */
    struct ir_buffer *buffer;          /* the parameter, once settled */
};

/* Outgoing argument array: the last value put in each place. */
struct host_stack {
    size_t room;
    struct ir_expr **values;
};

/* A function of the module and the calls of it in all bodies. */
struct host_callee {
    struct ir_func *func;
    size_t sites;
    bool merged; /* into its caller: leaves the module */
};
struct host_table {
    size_t n;
    struct host_name {
        const char *name; /* or global symbol */
        struct host_callee *is;
    } * items;                 /* by name */
    struct host_callee **each; /* by index in the module; NULL: no PrimFunc */
};

struct host {
    struct ir_module *m;
    const struct host_table *table;
    struct ir_func *func;
    struct arena *arena; /* scratch */
    bool packed;
    uint32_t nvars;          /* variables of the module before the rewriting */
    struct host_meaning *of; /* by variable */
    size_t nargs;
    struct host_arg **args;
    struct VEC(struct host_stack) stacks;
    struct VEC(struct host_callee *) merged; /* functions taken in */
    struct ir_expr *result; /* put in its place, not yet returned; or NULL */
    struct dtype returned;  /* of what is returned so; DT_VOID: nothing */
    const char *why;        /* first thing not understood */
};

/* ---- host_values.c: what things stand for ---- */

struct host_meaning host_meaning(const struct host *h, const struct ir_expr *e);
struct host_meaning host_var(const struct host *h, const struct ir_var *var);
void host_set(struct host *h, const struct ir_var *var, struct host_meaning is);
bool host_is_call(const struct ir_expr *e, enum ir_op op);
/* if_then_else, or Select in TVM <= 0.25. */
bool host_is_choice(const struct ir_expr *e);
/* tvm_struct_get(base, index, field) with constant index and field. */
bool host_field(const struct host *h, const struct ir_expr *e,
                struct host_meaning *base, int64_t *index, int64_t *field);
/* A number passed as argument n, below conversions. */
bool host_number(const struct host *h, const struct ir_expr *e, int64_t *n);
/* The field numbers that are used here (TVMStructFieldKind). */
enum {
    HOST_F_DATA = 1,
    HOST_F_SHAPE,
    HOST_F_STRIDES,
    HOST_F_RANK,
    HOST_F_CODE,
    HOST_F_BITS,
    HOST_F_LANES,
    HOST_F_BYTE_OFFSET,
    HOST_F_DEVICE_ID,
    HOST_F_DEVICE_TYPE,
    HOST_F_VALUE_OLD = 12, /* value of an argument, TVM <= 0.20 */
    HOST_F_TYPE = 13,
    HOST_F_PADDING = 14,
    HOST_F_VALUE = 15,
    HOST_F_ELEMENT = 17 /* of an int64 array */
};

/* DLPack's code and bits of a scalar type, in the module's version of TVM. */
struct host_type {
    int64_t code, bits;
};
struct host_type host_dlpack_type(const struct host *h, struct dtype t);

/* Learns the arguments from the body and settles the parameters; false with
 * h->why. */
bool host_learn(struct host *h);

/* ---- host_expr.c, host_stmt.c: rewriting ---- */

struct ir_expr *host_expr(struct host *h, struct ir_expr *e);
/* NULL: nothing is left of it. */
struct ir_stmt *host_stmt(struct host *h, struct ir_stmt *s);
/* Both as a map; host_part is host_stmt but for an empty sequence, not NULL. */
struct ir_map host_map(struct host *h);
struct ir_stmt *host_part(void *host, struct ir_stmt *s);

/* ---- host_call.c: launches and subroutines ---- */

/* The body of the function that the call names, with its parameters bound; NULL
 * where the call does not name one or it cannot be taken in. Where the call's
 * result is used, `code` gets it. */
struct ir_stmt *host_take_in(struct host *h, struct ir_expr *call,
                             int64_t *code);
void host_count_calls(struct ir_module *m, struct arena *arena,
                      struct host_table *table);
/* Whether e loads or is a variable that is no parameter of the PrimFunc `prim`;
 * an ir_expr_test. */
bool host_is_local(const void *prim, const struct ir_expr *e);
/* Whether the call names a function of the module. */
bool host_calls(const struct host *h, const struct ir_expr *e);
/* The body less a constant result at its very end, which goes to *code. */
struct ir_stmt *host_without_result(struct host *h, struct ir_stmt *s,
                                    int64_t *code);
/* Notes tvm_struct_set on an argument array, or on the function's own result;
 * false if e is something else. */
bool host_put(struct host *h, const struct ir_expr *e);
/* tvm_call_packed_lowered as tvm_call_packed; NULL if e is something else. */
struct ir_expr *host_raise(struct host *h, struct ir_expr *e);
/* The name of a function of TVM's runtime that is called as an external
 * function or by an operator of that name; NULL if it is neither. */
const char *host_runtime_name(const struct ir_expr *e);
/* Calls that have no effect on values: selecting a device, … */
bool host_is_idle(const struct ir_expr *e);

/* ---- host_llvm.c ---- */

/* LLVM intrinsics that are given by number become the operators they are. */
void host_name_intrinsics(struct ir_module *m);

#endif
