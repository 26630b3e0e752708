/* SPDX-License-Identifier: Apache-2.0
 *
 * Private to the TVMScript reader: the state of the parser and the values that
 * Python expressions of a script have while it is read.
 *
 *  script_lexer.c     text to tokens
 *  script_value.c     names and scopes, values, conversions, messages
 *  script_fold.c      operators: type promotion and constant folding, as TVM's
 *  script_python.c    operators on Python's numbers and lists
 *  script_expr.c      Python expressions; script_atom.c their atoms,
 *                     script_lambda.c what is read later than it stands
 *  script_map.c       a lambda alone, as an index map
 *  script_signature.c what arguments each call takes
 *  script_call.c      calls in the T namespace that are expressions;
 *                     script_operator.c, script_intrin.c their handlers
 *  script_buffer.c    declaration of buffers; script_index.c A[...],
 *                     script_method.c attributes and methods
 *  script_attr.c      attribute values
 *  script_stmt.c      statements; script_assign.c the simple ones
 *  script_frame.c     calls that are statements or open a scope;
 *                     script_loop.c, script_storage.c
 *  script_block.c     blocks and their axes, regions, predicates
 *  script_func.c      functions and modules
 *  script_relax.c     Relax functions; script_relax_type.c,
 *                     script_relax_expr.c, script_relax_call.c
 *  script_limit.c     what names may share
 *  script_region.c    regions that the author left out; script_linear.c
 *                     differences of index expressions
 *
 * Errors: the first one is reported and sets `failed`; from then on functions
 * return NULL or false and loops end, so that callers need no clean-up.
 */
#ifndef DC_IR_READERS_SCRIPT_H
#define DC_IR_READERS_SCRIPT_H

#include "ir/ir.h"
#include "ir/ptr_map.h"
#include "ir/readers/tvmscript/script_lexer.h"

struct sv;

enum sv_kind {
    SV_NONE,
    SV_BOOL,  /* Python bool, not yet an expression */
    SV_INT,   /* Python int */
    SV_FLOAT, /* Python float */
    SV_STRING,
    SV_EXPR, /* an expression of the IR */
    SV_BUFFER,
    SV_REGION, /* buffer[slices]: a load of lanes or a region, by context */
    SV_TUPLE,
    SV_LIST,
    SV_DICT,
    SV_SLICE,  /* lo:hi:step inside an index */
    SV_PATH,   /* dotted name in a namespace: "T.grid", "I.ir_module" */
    SV_CALL,   /* call of such a name that a statement has to interpret */
    SV_METHOD, /* buffer.name or value.name, not yet called */
    SV_TYPE,   /* T.int32, T.handle("float32"), R.Tensor(…) */
    SV_ITER_VAR,
    SV_RANGE,
    SV_REDUCER,
    SV_LAMBDA,
    SV_VALUE,   /* an attribute value as such: a target, an index map */
    SV_GLOBAL,  /* a function of the module */
    SV_MODULE,  /* the module itself: Module, cls */
    SV_TYPEVAR, /* n = TypeVar("n"): a dimension of each function */
    SV_RELAX    /* a Relax expression */
};

/* lo:hi:step; each may be missing. */
struct sv_slice {
    struct sv *lo, *hi, *step;
};

struct sv_call {
    const char *name; /* "T.grid" */
    struct ir_pos pos;
    size_t nargs;
    struct sv **args;
    size_t nkw;
    const char **kw;
    struct sv **kwargs;
};

/* A type as written in an annotation or used to declare a variable. */
struct sv_type {
    const struct ir_type *type;
    bool is_let;  /* T.let[…]: an immutable binding */
    bool is_size; /* is_size_var=True */
    bool open;    /* T.let without a type */
    bool called;  /* T.int32(): a declaration when assigned */
};

struct sv {
    enum sv_kind kind;
    bool meta; /* T.meta_var(…): a name for it stands for the value itself */
    struct ir_pos pos;
    union {
        bool boolean;
        struct {
            int64_t value;
            bool wide; /* value is the low 64 bits of 2^63 … 2^64-1 */
        } integer;
        double number;
        const char *string; /* STRING, PATH, GLOBAL */
        struct ir_expr *expr;
        struct ir_buffer *buffer;
        struct {
            struct ir_buffer *buffer;
            size_t n;
            struct sv **indices; /* SV_SLICE or anything scalar */
        } region;
        struct {
            size_t n;
            struct sv **items; /* DICT: key, value, key, value, … */
        } list;
        struct sv_slice slice;
        struct sv_call *call;
        struct {
            struct sv *object;
            const char *name;
        } method;
        struct sv_type type;
        struct ir_iter_var *iter_var;
        struct ir_range range;
        struct ir_comm_reducer *reducer;
        size_t token; /* LAMBDA: index of the token after "lambda" */
        struct {
            struct ir_value *value;
            uint64_t parts; /* of the value */
            unsigned depth;
        } value;
        struct {
            const char *name;
            uint32_t func; /* serial of the function var belongs to */
            struct ir_var *var;
        } typevar;
        struct rx_expr *relax;
    } u;
};

/* One name bound in a scope. */
struct script_binding {
    uint32_t symbol;
    uint32_t outer; /* index + 1 of the binding it hides, or 0 */
    struct sv *value;
};

/* A loop around the statement being read. */
struct script_loop {
    struct ir_var *var;
    struct ir_range range;
};

/* A `with T.block(…)` being read. */
struct script_block {
    struct script_block *outer;
    struct ir_block *block;
    struct VEC(struct ir_iter_var) iters;
    struct VEC(struct ir_expr *) values;
    struct VEC(struct ir_buffer *) allocs;
    struct VEC(struct ir_match_buffer) matches;
    bool has_reads, has_writes;
};

struct script_env_thread {
    struct ir_var *var;
    const char *tag;
};

/* The function being read. */
struct script_func {
    struct ir_func *func;
    uint32_t serial; /* of this function in the file, from 1 */
    bool s_tir;
    bool is_private;
    bool in_signature; /* a quoted dimension may introduce a name */
    struct VEC(struct ir_param) params;
    struct VEC(struct ir_buffer *) root_allocs;
    struct VEC(const char *) attr_keys;
    struct VEC(struct ir_value *) attr_values;
    struct VEC(struct script_loop) loops;
    struct VEC(struct script_env_thread) threads;
    struct script_block *block; /* innermost */
    bool has_block;
    bool claims_reads, claims_writes; /* the last outermost block stated them
                                         itself */
};

struct script {
    struct ir_module *m;
    struct diag_sink *sink;
    struct script_symbols symbols;
    struct script_tokens tokens;
    size_t at; /* next token */
    bool failed;
    bool tirx;      /* spelling of TVM >= 0.24 */
    unsigned depth; /* recursion of the parser */
    unsigned calls; /* lambdas being evaluated */
    struct VEC(struct script_binding) bindings;
    struct VEC(uint32_t) bound;  /* by symbol: index + 1 of the visible
                                   binding, or 0 */
    struct VEC(uint32_t) quoted; /* symbols that a quoted dimension of the
                                    signature introduced */
    struct VEC(struct ir_func *) funcs; /* read so far */
    struct script_func *func;           /* NULL between functions */
    struct rx_builder *relax;           /* Relax function being read, or NULL */
    uint32_t serial;
    uint64_t parts;       /* of values and types, counted at each use */
    unsigned nesting;     /* of the value being made */
    unsigned deepest;     /* greatest of those since it was last cleared */
    struct ptr_map types; /* type -> its parts and depth */
};

/* ---- script_limit.c ----------------------------------------------------- */

/* Counts parts of values or types that come into the module; false with a
 * message when the text has too many. */
bool script_charge(struct script *s, uint64_t parts, struct ir_pos pos);
/* The same for all parts of a type, whose nesting is limited too. To be asked
 * of each type when it is made of others, and when a variable gets it. */
bool script_type_fits(struct script *s, const struct ir_type *t,
                      struct ir_pos pos);

/* ---- script_value.c ----------------------------------------------------- */

/* Reports at pos, once; always returns NULL. */
void *script_fail(struct script *s, struct ir_pos pos, const char *code,
                  const char *fmt, ...) DC_PRINTF(4, 5);
struct ir_pos script_pos(const struct script *s); /* of the next token */
/* Releases what the state holds; the module and its arena stay. */
void script_fini(struct script *s);
/* False with a message when the parser nests too deep. Pair with leave. */
DC_MUST_USE bool script_enter(struct script *s);
void script_leave(struct script *s);

const struct script_token *script_peek(const struct script *s, size_t ahead);
bool script_is_op(const struct script *s, enum script_op op);
bool script_is_word(const struct script *s, enum script_word word);
bool script_take_op(struct script *s, enum script_op op); /* if it is next */
bool script_take_word(struct script *s, enum script_word word);
bool script_expect_op(struct script *s, enum script_op op);
bool script_expect_line_end(struct script *s);
bool script_expect_indent(struct script *s);
/* A name that is no keyword; NULL with a message. */
const char *script_expect_name(struct script *s, uint32_t *symbol);
/* The next token as the user wrote it, for messages; into text. */
const char *script_describe(const struct script *s, char text[64]);

/* Scopes: remember the mark, bind, close to forget all since. */
size_t script_scope(const struct script *s);
void script_scope_close(struct script *s, size_t mark);
void script_bind(struct script *s, uint32_t symbol, struct sv *value);
struct sv *script_find(const struct script *s, uint32_t symbol);
const char *script_symbol_text(const struct script *s, uint32_t symbol);

struct sv *sv_make(struct script *s, enum sv_kind kind, struct ir_pos pos);
struct sv *sv_expr(struct script *s, struct ir_expr *expr, struct ir_pos pos);
struct sv *sv_buffer(struct script *s, struct ir_buffer *b, struct ir_pos pos);
struct sv *sv_int(struct script *s, int64_t value, struct ir_pos pos);
struct sv *sv_type(struct script *s, const struct ir_type *type,
                   struct ir_pos pos);
const char *sv_kind_name(const struct sv *v); /* "a list" */

/* The value as an expression: a Python int becomes int32 (int64 if it does
 * not fit), a float float32, a slice of a buffer a load of lanes. NULL with a
 * message when it is none. */
struct ir_expr *script_expr_of(struct script *s, const struct sv *v);
/* The same, but plain numbers take type t when that is possible. */
struct ir_expr *script_expr_as(struct script *s, const struct sv *v,
                               struct dtype t);
/* Refuses an operand that has no value: a call of a function that returns
 * nothing, or of one whose result type is not known. */
bool script_has_value(struct script *s, const struct ir_expr *e,
                      struct ir_pos pos);
/* An index or extent: as script_expr_of, and an integer. */
struct ir_expr *script_index_of(struct script *s, const struct sv *v);
/* Refuses a Python int of more than 63 bits and a sign. */
bool script_fits_int64(struct script *s, const struct sv *v);
/* A number as the bits of type t; false with a message when it is none or the
 * type does not hold it. */
bool script_number_bits(struct script *s, struct dtype t, const struct sv *v,
                        uint64_t *bits);
/* Known integer: a Python int or an integer constant. */
bool script_int_of(const struct sv *v, int64_t *out);
/* Python truth of a plain bool; fallback when v is NULL or None. False with a message
 * when it is something else. */
bool script_bool_of(struct script *s, const struct sv *v, bool fallback);
const char *script_string_of(struct script *s, const struct sv *v);
bool script_dtype_of(struct script *s, const struct sv *v, struct dtype *out);
/* The same, of something that has values: not void. */
bool script_value_dtype_of(struct script *s, const struct sv *v,
                           struct dtype *out);
/* The same, of numbers: an integer, a float or bool. */
bool script_number_dtype_of(struct script *s, const struct sv *v,
                            struct dtype *out);
/* Items of a list or tuple; a scalar counts as one item. */
size_t script_items(const struct sv *v, struct sv *const **items);
/* Refuses expressions that are too deep or too large, for all later walks. */
struct ir_expr *script_checked(struct script *s, struct ir_expr *e,
                               struct ir_pos pos);
struct ir_stmt *script_checked_stmt(struct script *s, struct ir_stmt *stmt,
                                    struct ir_pos pos);
/* Argument by position or keyword; NULL when absent. */
struct sv *script_arg(const struct sv_call *c, size_t index, const char *kw);
const char *script_last_name(const char *path); /* after the last dot */

/* ---- script_signature.c ------------------------------------------------- */

/* Refuses arguments that are too many, unknown or given twice. A signature
 * names the arguments in order; those after "|" are given by name only, "*"
 * stands for any number of further ones. */
bool script_check_args(struct script *s, const struct sv_call *c,
                       const char *signature);
/* The same by the signature of a name such as "grid" (of T), "R.Tensor" or
 * ".vload"; nothing is checked when it has none. */
bool script_check_call(struct script *s, const struct sv_call *c,
                       const char *name);
/* Whether the signature has this argument. */
bool script_takes(const char *signature, const char *kw);

/* ---- script_fold.c ------------------------------------------------------ */

/* The operators of TVM's scripts: both operands are brought to one type, and
 * constants fold as TVM folds them. NULL with a message on a type error. */
struct ir_expr *script_binary(struct script *s, enum ir_expr_kind kind,
                              struct ir_expr *a, struct ir_expr *b,
                              struct ir_pos pos);
/* T.Add(a, b) and the like: the node itself, nothing folded. */
struct ir_expr *script_node(struct script *s, enum ir_expr_kind kind,
                            struct ir_expr *a, struct ir_expr *b,
                            struct ir_pos pos);
/* Brings a and b to one type as TVM does. */
bool script_match_types(struct script *s, struct ir_expr **a,
                        struct ir_expr **b, struct ir_pos pos);
/* Conversion; constants are converted at once. */
struct ir_expr *script_cast(struct script *s, struct dtype t,
                            struct ir_expr *e);
struct ir_expr *script_const(struct script *s, struct dtype t, double value);

/* ---- script_python.c ---------------------------------------------------- */

/* Operator on script values; numbers of Python stay numbers. */
struct sv *script_operate(struct script *s, enum script_op op, struct sv *a,
                          struct sv *b, struct ir_pos pos);
struct sv *script_unary(struct script *s, enum script_op op, struct sv *a,
                        struct ir_pos pos);

/* ---- script_expr.c ------------------------------------------------------ */

struct sv *script_parse_expr(struct script *s);
/* expr ["," expr]*: a tuple when there is a comma. */
struct sv *script_parse_expr_list(struct script *s);
/* Applies a lambda to arguments; the result may be a tuple. */
struct sv *script_apply_lambda(struct script *s, const struct sv *lambda,
                               size_t nargs, struct sv *const *args);
size_t script_lambda_arity(struct script *s, const struct sv *lambda);
/* Of ir_read_index_map: text that begins with "lambda" (script_map.c). */
bool script_read_lambda(struct ir_module *m, const char *text, size_t len,
                        const char *file, struct diag_sink *sink,
                        struct ir_index_map *out);
/* Text of adjacent string literals. */
const char *script_parse_string(struct script *s);
/* Evaluates an expression given as text (a quoted dimension). */
struct sv *script_parse_quoted(struct script *s, const char *text,
                               struct ir_pos pos, bool define,
                               struct dtype dtype);

/* Items of a list while it is read. */
struct sv_list {
    struct VEC(struct sv *) list;
};
struct sv *script_parse_atom(struct script *s);
struct sv *script_finish_list(struct script *s, enum sv_kind kind,
                              struct sv_list *items, struct ir_pos pos);
bool script_push_item(struct script *s, struct sv_list *items);
bool script_is_namespace(const char *name);

/* ---- script_call.c ------------------------------------------------------ */

/* A call of a dotted name: an expression, or SV_CALL left to a statement. */
struct sv *script_call(struct script *s, struct sv_call *call);
/* The type that a dtype constructor such as T.int32 names. */
bool script_dtype_name(const char *name, struct dtype *out);
struct sv *script_generic_call(struct script *s, const struct sv_call *call,
                               const char *name);

/* ---- script_buffer.c ---------------------------------------------------- */

enum script_buffer_form {
    BUFFER_DECLARED, /* T.Buffer, T.decl_buffer: (shape, dtype, data, …) */
    BUFFER_MATCHED   /* T.match_buffer: (param, shape, dtype, …) */
};

/* The buffer that the call's arguments describe. */
struct ir_buffer *script_buffer_of(struct script *s, const struct sv_call *c,
                                   enum script_buffer_form form,
                                   const char *name);
struct sv *script_subscript(struct script *s, struct sv *object,
                            struct sv *index, struct ir_pos pos);
struct sv *script_attribute(struct script *s, struct sv *object,
                            const char *name, struct ir_pos pos);
struct sv *script_call_method(struct script *s, const struct sv *method,
                              struct sv_call *call);
/* buffer[index]: a load, or a region when there is a slice. */
struct sv *script_index_buffer(struct script *s, struct ir_buffer *b,
                               struct sv *index, struct ir_pos pos);
/* buffer[indices] with every slice a Ramp. */
struct ir_expr *script_region_load(struct script *s, const struct sv *region);
bool script_region_indices(struct script *s, const struct sv *region,
                           struct ir_expr ***out);
/* buffer[…], a load or a slice, as a region. */
bool script_region_of(struct script *s, const struct sv *v,
                      struct ir_region *out);
struct ir_region script_full_region(struct script *s, struct ir_buffer *b);
/* The pointer to a buffer's data as an operand. */
struct ir_expr *script_data_of(struct script *s, struct ir_buffer *b);
/* The variable behind a pointer expression, or NULL. */
struct ir_var *script_pointer_of(const struct ir_expr *e);

/* ---- script_attr.c ------------------------------------------------------ */

struct ir_value *script_value_of(struct script *s, const struct sv *v);
/* A dict as a map of annotations; NULL when empty. */
struct ir_value *script_map_of(struct script *s, const struct sv *v);
/* The same with numbers as expressions, as T.alloc_buffer keeps them. */
struct ir_value *script_expr_map_of(struct script *s, const struct sv *v);
struct sv *script_target(struct script *s, const struct sv_call *call);
/* I.object("key", {…}), I.shape([…]): our own forms for values that TVMScript
 * has none for. */
struct sv *script_object(struct script *s, const struct sv_call *call);
struct sv *script_dtype_value(struct script *s, const struct sv_call *c);
struct sv *script_shape_value(struct script *s, const struct sv_call *call);
struct sv *script_global_info(struct script *s, const struct sv_call *c);
struct sv *script_index_map(struct script *s, const struct sv_call *call);
struct sv *script_reducer(struct script *s, const struct sv_call *call);

/* ---- script_stmt.c ------------------------------------------------------ */

/* NEWLINE INDENT statement* DEDENT. */
struct ir_stmt *script_parse_suite(struct script *s);
/* The rest of the block as the body of a scope just opened. */
struct ir_stmt *script_parse_rest(struct script *s);

/* Statements of one sequence. */

struct script_body {
    struct VEC(struct ir_stmt *) list;
};
struct ir_stmt *script_body_finish(struct script *s, struct script_body *body);
void script_emit(struct script *s, struct script_body *body,
                 struct ir_stmt *stmt, struct ir_pos pos);

/* ---- script_assign.c ---------------------------------------------------- */

/* An expression or an assignment. */
bool script_simple_stmt(struct script *s, struct script_body *body);

/* ---- script_frame.c ----------------------------------------------------- */

/* A call used as a statement or assigned to a name (symbol, or UINT32_MAX).
 * May read the rest of the block as its body. */
bool script_frame_stmt(struct script *s, struct script_body *body,
                       struct sv_call *call, uint32_t symbol);
/* `with call as target:`; the suite follows. */
struct ir_stmt *script_frame_with(struct script *s, struct sv_call *call,
                                  uint32_t symbol);
/* `for targets in call:`; the suite follows. */
struct ir_stmt *script_for(struct script *s, size_t ntargets,
                           const uint32_t *targets, struct sv_call *call);
bool script_store(struct script *s, struct script_body *body,
                  struct ir_buffer *buffer, size_t n,
                  struct ir_expr *const *indices, const struct sv *value,
                  struct ir_expr *predicate, struct ir_pos pos);
/* The predicate of a store or load of TVM <= 0.11; NULL where it is true. */
bool script_mask_of(struct script *s, const struct sv *v,
                    struct ir_expr **predicate);
/* Whether the call has to be interpreted by a statement. */
bool script_is_frame_call(const char *name);

/* ---- script_block.c ----------------------------------------------------- */

struct ir_stmt *script_block(struct script *s, struct sv_call *call);
/* T.reads, T.writes, T.where, T.block_attr; false if it is none of them. */
bool script_block_stmt(struct script *s, const struct sv_call *call);
bool script_is_block_stmt(const char *name);
/* T.axis.*: the iterators, as an expression or a tuple of them. */
struct sv *script_axis(struct script *s, const struct sv_call *call,
                       size_t nnames, const uint32_t *names);
/* The block that a root block of the whole function makes. */
struct ir_stmt *script_root_block(struct script *s, struct ir_stmt *body);

/* ---- script_func.c ------------------------------------------------------ */

/* Fills the module. */
bool script_parse_file(struct script *s);
struct sv *script_declare(struct script *s, const struct sv_type *type,
                          const char *name, struct ir_pos pos);
/* The same of a name that it is bound to. */
bool script_declare_name(struct script *s, uint32_t symbol,
                         const struct sv_type *type, struct ir_pos pos);
/* The type that an annotation means; NULL with a message. */
const struct sv_type *script_type_of(struct script *s, struct sv *v);
/* Gives the function being read an attribute. */
bool script_push_attr(struct script *s, const char *key, struct ir_value *value,
                      struct ir_pos pos);
struct ir_var *script_typevar(struct script *s, struct sv *v);

/* ---- script_relax.c ----------------------------------------------------- */

struct script_decorator {
    bool is_private, pure, s_tir, persistent;
};
bool script_relax_func(struct script *s, const char *name,
                       const struct script_decorator *d, struct ir_pos pos);
/* A call of R.something. */
struct sv *script_relax_call(struct script *s, struct sv_call *call);
/* Of a function of the module or any expression, in a Relax function. */
struct sv *script_relax_function_call(struct script *s, struct sv *callee,
                                      struct sv_call *call);
struct rx_expr *script_relax_of(struct script *s, const struct sv *v);
/* R.Tensor(…), R.Tuple(…), R.Shape(…), …; NULL without message if none. */
const struct ir_type *script_relax_type(struct script *s,
                                        const struct sv_call *call);

/* ---- script_region.c, script_linear.c ----------------------------------- */

/* Fills in the reads and writes that the author left out, as TVM does. */
bool script_complete_block(struct script *s, struct ir_block *block, bool reads,
                           bool writes);
/* a - b when that is simpler than the subtraction: constants and common terms
 * cancel. */
struct ir_expr *script_difference(struct script *s, struct ir_expr *a,
                                  struct ir_expr *b);
/* A sum of atoms with equal atoms joined, in the order of TVM's simplifier. */
struct ir_expr *script_simplify(struct script *s, struct ir_expr *e);
/* Constant difference a - b of two integer expressions. */
bool script_const_difference(struct ir_expr *a, struct ir_expr *b,
                             int64_t *out);

#endif
