/* SPDX-License-Identifier: Apache-2.0
 *
 * The tensor IR: one in-memory form for schedulable TIR (blocks), lowered TIR
 * (allocations, thread launches, flat buffers) and Relax functions, whatever
 * TVM version wrote them.
 *
 * Normal form, so that engines see one spelling of each thing:
 *  - Let, Allocate, AssertStmt and DeclBuffer with a body (TVM <= 0.23) become
 *    flat statements followed by the body in one IR_SEQ; a name bound by a flat
 *    statement is visible to the end of the enclosing sequence.
 *  - Each buffer has a data variable (pointer). TVM >= 0.26, where a buffer is
 *    itself a variable, gets one made by the reader; an owner's data variable
 *    is its own, `decl_buffer` without `data` shares another buffer's.
 *  - Bitwise and shift operators are expression kinds (calls before 0.27).
 *  - `Evaluate(tir.ret / break_loop / continue_loop)` become statements.
 *  - Nothing else is rewritten: nested sequences, unit loops, … stay as read.
 *
 * Everything lives in the module's arena and is immutable once the module has
 * been read. Expressions may be shared (a DAG); variables and buffers are
 * compared by address, names are only for people.
 */
#ifndef DC_IR_IR_H
#define DC_IR_IR_H

#include "ir/base/base.h"
#include "ir/num/num.h"

struct ir_expr;
struct ir_stmt;
struct ir_buffer;
struct ir_value;
struct ir_type;
struct ir_func;
struct rx_expr;

/* Where a node came from: text: line and column (1-based); JSON: line 0 and
 * col = index in "nodes". Both 0: unknown. */
struct ir_pos {
    uint32_t line, col;
};

/* ---- types (annotations of variables, Relax types) ------------------------------ */

enum ir_type_kind {
    IR_TYPE_NONE,    /* missing (a bare ir.Type) */
    IR_TYPE_PRIM,    /* scalar or vector: dtype */
    IR_TYPE_POINTER, /* element, scope */
    IR_TYPE_TUPLE,   /* fields */
    IR_TYPE_FUNC,    /* params (fields), ret */
    IR_TYPE_STRING,
    IR_TYPE_TENSOR, /* Relax: shape (may be NULL), dtype, ndim */
    IR_TYPE_SHAPE,  /* Relax: dims or ndim */
    IR_TYPE_OBJECT  /* Relax: anything */
};

struct ir_type {
    enum ir_type_kind kind;
    struct dtype dtype;            /* PRIM; TENSOR (DT_VOID = unknown) */
    const struct ir_type *element; /* POINTER; NULL = void* */
    const char *scope;             /* POINTER: "" or "global", "shared", … */
    const struct ir_type **fields; /* TUPLE fields, FUNC params */
    size_t nfields;
    const struct ir_type *ret;  /* FUNC */
    bool no_params;             /* FUNC: parameter list unknown */
    bool pure;                  /* FUNC */
    struct ir_expr **dims;      /* TENSOR, SHAPE: known dimensions */
    struct rx_expr *shape_expr; /* TENSOR: a shape that is no ShapeExpr */
    bool has_dims;              /* dims known (also when ndim = 0) */
    int ndim;                   /* TENSOR, SHAPE; -1 unknown */
    struct ir_expr *prim_value; /* PRIM in Relax: known value, or NULL */
    struct ir_value *vdevice;   /* TENSOR: NULL if none; FUNC: the object
                                   that derives the result type */
};

/* ---- variables and buffers ---------------------------------------------------------- */

struct ir_var {
    const char *name;
    struct dtype dtype;         /* handle for pointers */
    const struct ir_type *type; /* POINTER for typed pointers; may be NULL */
    bool is_size;               /* tir.SizeVar: known to be >= 0 */
    uint32_t id;                /* dense index within the module */
    /* Pointer variables: the buffer that owns this storage (parameter or
     * allocation); NULL when unknown. */
    struct ir_buffer *owner;
    /* The variable is nothing but the data pointer that a reader of TVM >= 0.26
     * made for a buffer; it has no node of its own there. */
    bool implicit_data;
};

struct ir_buffer {
    const char *name;
    struct dtype dtype; /* element; may have lanes */
    size_t rank;
    struct ir_expr **shape;
    size_t nstrides; /* 0 = compact row-major, else rank */
    struct ir_expr **strides;
    struct ir_expr *elem_offset; /* in elements of dtype; NULL = 0 */
    struct ir_var *data;         /* storage; shared by views */
    const char *scope;           /* "global", "shared", "local", … */
    int alignment;               /* bytes */
    int offset_factor;
    bool auto_broadcast; /* buffer_type 2: extent-1 dims have stride 0 */
    size_t nseparators;
    int64_t *separators; /* axis separators */
    /* Layout (TVM >= 0.25, non-s_tir kernels) is refused when not null. */
    struct ir_value *allocated_addr; /* array of expressions; NULL if empty */
    uint32_t id;                     /* dense index within the module */
    struct ir_pos pos;
};

struct ir_range {
    struct ir_expr *min, *extent;
};

enum ir_iter_type {
    IR_ITER_SPATIAL = 0, /* DataPar */
    IR_ITER_THREAD = 1,
    IR_ITER_REDUCE = 2,
    IR_ITER_SCAN = 3,
    IR_ITER_OPAQUE = 4,
    IR_ITER_UNROLLED = 5,
    IR_ITER_VECTORIZED = 6,
    IR_ITER_PARALLEL = 7,
    IR_ITER_TENSORIZED = 8
};

struct ir_iter_var {
    struct ir_var *var;
    bool has_dom;
    struct ir_range dom;
    enum ir_iter_type type;
    const char *thread_tag; /* "" when none */
};

/* A box of a buffer: rank ranges. */
struct ir_region {
    struct ir_buffer *buffer;
    struct ir_range *ranges;
    size_t nranges;
};

/* lhs, rhs, result, identity of a commutative reducer over tuples of n. */
struct ir_comm_reducer {
    size_t n;
    struct ir_var **lhs, **rhs;
    struct ir_expr **result, **identity;
};

/* ---- expressions --------------------------------------------------------------------- */

enum ir_expr_kind {
    IR_INT_IMM,
    IR_FLOAT_IMM,
    IR_STRING_IMM,
    IR_VAR_REF,
    IR_BUFFER_REF, /* a buffer as an operand: buffer_data(A), … */
    /* binary: operands [0], [1]; types agree, result dtype or bool vector */
    IR_ADD,
    IR_SUB,
    IR_MUL,
    IR_DIV,
    IR_MOD,
    IR_FLOORDIV,
    IR_FLOORMOD,
    IR_MIN,
    IR_MAX,
    IR_BITAND,
    IR_BITOR,
    IR_BITXOR,
    IR_SHL,
    IR_SHR,
    IR_EQ,
    IR_NE,
    IR_LT,
    IR_LE,
    IR_GT,
    IR_GE,
    IR_AND,
    IR_OR,
    /* unary: operand [0] */
    IR_NOT,
    IR_BITNOT,
    IR_CAST,
    /* ternary: condition, true, false; all evaluated */
    IR_SELECT,
    IR_RAMP,      /* base, stride, lanes (an expression; scalable if vscale) */
    IR_BROADCAST, /* value, lanes */
    IR_SHUFFLE,   /* nvectors operands, then the indices */
    IR_LOAD,      /* buffer[operands]; predicate optional */
    IR_CALL,      /* op or callee, operands */
    IR_LET,       /* var = [0] in [1] */
    IR_NKINDS
};

/* Kinds that are mostly treated alike, for `case IR_BINARY_KINDS:` in a switch
 * that must know all kinds. */
// clang-format off
#define IR_LEAF_KINDS                                                         \
    IR_INT_IMM: case IR_FLOAT_IMM: case IR_STRING_IMM: case IR_VAR_REF:       \
    case IR_BUFFER_REF
#define IR_ARITHMETIC_KINDS                                                   \
    IR_ADD: case IR_SUB: case IR_MUL: case IR_DIV: case IR_MOD:               \
    case IR_FLOORDIV: case IR_FLOORMOD: case IR_MIN: case IR_MAX
#define IR_BITWISE_KINDS                                                      \
    IR_BITAND: case IR_BITOR: case IR_BITXOR: case IR_SHL: case IR_SHR
#define IR_COMPARE_KINDS                                                      \
    IR_EQ: case IR_NE: case IR_LT: case IR_LE: case IR_GT: case IR_GE
#define IR_BINARY_KINDS                                                       \
    IR_ARITHMETIC_KINDS: case IR_BITWISE_KINDS: case IR_COMPARE_KINDS:        \
    case IR_AND: case IR_OR
#define IR_UNARY_KINDS IR_NOT: case IR_BITNOT: case IR_CAST
#define IR_VECTOR_KINDS IR_RAMP: case IR_BROADCAST: case IR_SHUFFLE
#define IR_PLAIN_KINDS /* nothing but operands and a type */                  \
    IR_BINARY_KINDS: case IR_UNARY_KINDS: case IR_SELECT: case IR_RAMP:       \
    case IR_BROADCAST: case IR_NKINDS
#define IR_OTHER_KINDS /* neither leaf nor binary */                          \
    IR_UNARY_KINDS: case IR_SELECT: case IR_VECTOR_KINDS: case IR_LOAD:       \
    case IR_CALL: case IR_LET: case IR_NKINDS
// clang-format on

/* Operators and intrinsics: see ops.def for arity, types and meaning. */
enum ir_op {
#define OP(id, ...) IR_OP_##id,
#include "ir/ops.def"
#undef OP
    IR_NOPS
};

struct ir_expr {
    enum ir_expr_kind kind;
    struct dtype dtype;
    struct ir_pos pos;
    uint32_t size;  /* nodes when unfolded to a tree; saturates */
    uint16_t depth; /* longest path below, this node included */
    uint32_t nargs;
    struct ir_expr **args; /* operands, meaning by kind */
    union {
        int64_t int_value;  /* INT_IMM: sign-extended, or zero-extended if uint
                              (uint64 above INT64_MAX: wrapped) */
        double float_value; /* FLOAT_IMM: the decimal; round to dtype on use */
        struct {
            const char *text; /* STRING_IMM; may hold any byte but NUL */
        } string;
        struct ir_var *var;       /* VAR_REF, LET */
        struct ir_buffer *buffer; /* LOAD, BUFFER_REF */
        struct {
            enum ir_op op;          /* IR_OP_UNKNOWN: only name is known;
                                     IR_OP_GLOBAL: callee is in the module */
            const char *name;       /* as read, namespace included: "tirx.exp";
                                     for a global the function's name */
            struct ir_value *attrs; /* call attributes, NULL if none */
            const struct ir_type *type; /* result type as read (0.26+) where
                              dtype does not say it (pointers); else NULL */
        } call;
        size_t nvectors; /* SHUFFLE */
    } u;
    struct ir_expr *predicate; /* LOAD (0.17 … 0.26), else NULL */
};

/* ---- statements ------------------------------------------------------------------------- */

enum ir_stmt_kind {
    IR_SEQ,
    IR_FOR,
    IR_WHILE,
    IR_IF,
    IR_BIND,        /* var = value, to the end of the enclosing sequence */
    IR_ALLOC,       /* fresh uninitialised storage for buffer */
    IR_ALLOC_CONST, /* storage with given contents (TVM <= 0.23) */
    IR_DECL_BUFFER, /* another view: of buffer->data, or of pointer `value` */
    IR_ATTR,        /* attribute around a body */
    IR_ASSERT,
    IR_EVALUATE,
    IR_STORE,
    IR_BLOCK, /* block realize + block */
    IR_BREAK,
    IR_CONTINUE,
    IR_RETURN,
    IR_NSTMTS
};

/* As IR_BINARY_KINDS above. */
// clang-format off
#define IR_STORAGE_STMTS IR_ALLOC: case IR_ALLOC_CONST: case IR_DECL_BUFFER
#define IR_JUMP_STMTS IR_BREAK: case IR_CONTINUE: case IR_RETURN
#define IR_FLAT_STMTS /* no statement below */                                \
    IR_BIND: case IR_STORAGE_STMTS: case IR_ASSERT: case IR_EVALUATE:         \
    case IR_STORE: case IR_JUMP_STMTS
// clang-format on

enum ir_for_kind {
    IR_FOR_SERIAL = 0,
    IR_FOR_PARALLEL = 1,
    IR_FOR_VECTORIZED = 2,
    IR_FOR_UNROLLED = 3,
    IR_FOR_THREAD = 4
};

struct ir_match_buffer {
    struct ir_buffer *buffer;
    struct ir_region source;
};

struct ir_block {
    const char *name;
    size_t niters;
    struct ir_iter_var *iters;
    struct ir_expr **iter_values; /* bindings, niters of them */
    struct ir_expr *predicate;    /* never NULL; constant true if none */
    size_t nreads, nwrites;
    struct ir_region *reads, *writes; /* claims, never facts */
    size_t nallocs;
    struct ir_buffer **allocs;
    size_t nmatches;
    struct ir_match_buffer *matches;
    struct ir_value *annotations; /* map; NULL when empty */
    struct ir_stmt *init;         /* NULL if none */
    struct ir_stmt *body;
};

struct ir_stmt {
    enum ir_stmt_kind kind;
    struct ir_pos pos;
    uint32_t size;
    uint16_t depth;
    union {
        struct {
            size_t n;
            struct ir_stmt **items;
        } seq;
        struct {
            struct ir_var *var;
            struct ir_expr *min, *extent;
            struct ir_expr *step; /* NULL = 1 */
            enum ir_for_kind kind;
            struct ir_iter_var *thread;   /* THREAD only; dom may be absent */
            struct ir_value *annotations; /* map; NULL when empty */
            struct ir_stmt *body;
        } loop;
        struct {
            struct ir_expr *cond;
            struct ir_stmt *body;
        } while_;
        struct {
            struct ir_expr *cond;
            struct ir_stmt *then_, *else_; /* else_ may be NULL */
        } if_;
        struct {
            struct ir_var *var;
            struct ir_expr *value;
        } bind;
        struct {
            struct ir_buffer *buffer;
            struct ir_value *annotations; /* map; NULL when empty */
            struct ir_tensor *data; /* ALLOC_CONST: contents; may be NULL */
        } alloc;
        struct {
            struct ir_buffer *buffer;
            struct ir_expr *value; /* pointer; NULL: buffer->data is already
                                      bound (TVM <= 0.25) */
        } decl;
        struct {
            struct ir_value *node; /* anything: a variable, an iter var, … */
            const char *key;
            struct ir_expr *value;
            struct ir_stmt *body;
        } attr;
        struct {
            struct ir_expr *cond;
            const char *error_kind; /* "RuntimeError" before 0.24 */
            size_t nparts;
            struct ir_expr **parts; /* message parts */
        } assert_;
        struct ir_expr *value; /* EVALUATE, RETURN (may be NULL); BREAK,
                                  CONTINUE: the call they were read from, or
                                  NULL: for writing the same back */
        struct {
            struct ir_buffer *buffer;
            struct ir_expr *value;
            size_t nindices;
            struct ir_expr **indices;
            struct ir_expr *predicate; /* NULL if none */
        } store;
        struct ir_block *block;
    } u;
};

/* ---- attribute values --------------------------------------------------------------------- */

enum ir_value_kind {
    IR_V_NONE,
    IR_V_BOOL,
    IR_V_INT,
    IR_V_FLOAT,
    IR_V_STRING,
    IR_V_DTYPE,
    IR_V_EXPR, /* a PrimExpr, IntImm included (TVM tells it from an int) */
    IR_V_BUFFER,
    IR_V_ITER_VAR,
    IR_V_RANGE,
    IR_V_REGION,
    IR_V_REDUCER,
    IR_V_TENSOR,
    IR_V_TYPE,
    IR_V_ARRAY,
    IR_V_MAP,   /* string keys; see ir_value.keys */
    IR_V_SHAPE, /* ints[] (ffi.Shape) */
    IR_V_OBJECT /* any other object: type key, and its fields as a map */
};

/* Those that hold no expression, variable, buffer or other value. */
// clang-format off
#define IR_V_CLOSED                                                           \
    IR_V_NONE: case IR_V_BOOL: case IR_V_INT: case IR_V_FLOAT:                \
    case IR_V_STRING: case IR_V_DTYPE: case IR_V_TENSOR: case IR_V_TYPE:      \
    case IR_V_SHAPE
// clang-format on

struct ir_value {
    enum ir_value_kind kind;
    bool list; /* ARRAY: ffi.List; MAP: ffi.Dict (mutable forms); a scalar in
                  a field of an OBJECT: written inline, not as a node */
    union {
        bool boolean;
        int64_t integer;
        double number;
        const char *string; /* STRING; OBJECT: type key */
        struct dtype dtype;
        struct ir_expr *expr;
        struct ir_buffer *buffer;
        struct ir_iter_var *iter_var;
        struct ir_range *range;
        struct ir_region *region;
        struct ir_comm_reducer *reducer;
        struct ir_tensor *tensor;
        const struct ir_type *type;
        int64_t *ints; /* SHAPE */
    } u;
    size_t n;                /* ARRAY, MAP, OBJECT, SHAPE */
    const char **keys;       /* MAP, OBJECT: sorted; NULL for a map with
                                 non-string keys, then items hold k, v, k, v */
    struct ir_value **items; /* ARRAY, MAP, OBJECT */
};

/* A constant tensor: raw row-major little-endian data, one dtype lane group
 * per element (sub-byte types one byte each). */
struct ir_tensor {
    struct dtype dtype;
    size_t rank;
    int64_t *shape;
    size_t bytes;
    const uint8_t *data;
};

/* ---- functions and modules ------------------------------------------------------------------- */

struct ir_param {
    struct ir_var *var;       /* scalar, or handle when buffer is set */
    struct ir_buffer *buffer; /* NULL for scalars and bare pointers */
};

/* What TVM printed the parameter as; keeps print/re-read stable. */
struct ir_prim_func {
    size_t nparams;
    struct ir_param *params;
    const struct ir_type *ret_type; /* NULL or IR_TYPE_TUPLE of none: void */
    struct ir_stmt *body;
};

enum ir_func_kind { IR_FUNC_PRIM, IR_FUNC_RELAX, IR_FUNC_EXTERN };

struct ir_func {
    enum ir_func_kind kind;
    const char *name;       /* name in the module (GlobalVar) */
    struct ir_value *attrs; /* map; NULL when empty. Keys keep their namespace:
                               "tir.noalias" / "tirx.noalias" */
    struct ir_prim_func prim;
    struct rx_func *relax;
    struct ir_pos pos;
};

/* Which TVM generation a module was read from (formats.md 0.1). */
enum ir_era {
    IR_ERA_NONE, /* text or built in memory */
    IR_ERA_A,
    IR_ERA_B,
    IR_ERA_C,
    IR_ERA_D,
    IR_ERA_E,
    IR_ERA_F
};

struct ir_module {
    struct arena *arena; /* owns everything below */
    size_t nfuncs;
    struct ir_func **funcs;        /* sorted by name */
    struct ir_value *attrs;        /* map; NULL when empty */
    struct ir_value *global_infos; /* map; NULL when empty */
    enum ir_era era;
    const char *tvm_version;  /* metadata, or NULL */
    const char *source;       /* file name for messages */
    uint64_t text_hash;       /* hash_bytes of what ir_read was given */
    bool bare_func;           /* the file held one function, not a module */
    uint32_t nvars, nbuffers; /* ids are below these */
};

/* ---- Relax ------------------------------------------------------------------------------------- */

enum rx_kind {
    RX_VAR,
    RX_CONSTANT,
    RX_SHAPE,      /* ShapeExpr: dims */
    RX_TUPLE,      /* items */
    RX_TUPLE_GET,  /* items[0], index */
    RX_CALL,       /* callee, items */
    RX_IF,         /* items: cond, then, else */
    RX_SEQ,        /* blocks, items[0] = result */
    RX_PRIM_VALUE, /* prim */
    RX_STRING,     /* text */
    RX_DTYPE,
    RX_GLOBAL,  /* text = function name */
    RX_EXTERN,  /* text = symbol */
    RX_OP,      /* text = operator name "relax.call_tir" */
    RX_FUNCTION /* closure: func */
};

struct rx_var {
    const char *name;
    const struct ir_type *type; /* may be NULL */
    bool dataflow;              /* DataflowVar */
    uint32_t id;
};

struct rx_binding {
    struct rx_var *var;
    struct rx_expr *value;
    const struct ir_type *match_type; /* MatchCast; NULL for VarBinding */
};

struct rx_block {
    bool dataflow;
    size_t n;
    struct rx_binding *bindings;
};

struct rx_expr {
    enum rx_kind kind;
    const struct ir_type *type; /* may be NULL */
    struct ir_pos pos;
    uint32_t size;
    uint16_t depth;
    size_t nitems;
    struct rx_expr **items;
    struct rx_expr *callee; /* CALL: RX_OP, RX_GLOBAL, RX_EXTERN, RX_VAR */
    struct ir_value *attrs; /* CALL: OBJECT or MAP; NULL if none */
    size_t ntype_args;
    const struct ir_type **type_args; /* CALL: sinfo_args / ty_args */
    struct rx_var *var;
    struct ir_tensor *tensor;
    struct ir_expr **dims; /* SHAPE */
    size_t ndims;
    struct ir_expr *prim;
    const char *text;
    struct dtype dtype;
    int64_t index;
    size_t nblocks;
    struct rx_block *blocks;
    struct rx_func *func;
};

struct rx_func {
    size_t nparams;
    struct rx_var **params;
    struct rx_expr *body; /* NULL for a bare declaration */
    const struct ir_type *ret_type;
    bool pure;
};

/* ---- nodes.c: construction. All from the module's arena; fill in dtype, size
 * and depth; never check meaning (wellformed.c does), but assert kinds. --------- */

struct ir_module *ir_module_new(void);
void ir_module_free(struct ir_module *module); /* NULL is fine */

struct ir_var *ir_var_make(struct ir_module *m, const char *name,
                           struct dtype dtype);
/* Pointer variable to elements of dtype in scope ("global", …). */
struct ir_var *ir_pointer_make(struct ir_module *m, const char *name,
                               struct dtype element, const char *scope);
struct ir_type *ir_type_make(struct ir_module *m, enum ir_type_kind kind);
/* Fields other than name, dtype, data, scope get their defaults: no strides,
 * offset 0 (NULL), alignment 64, offset_factor 1. A NULL data makes an
 * implicit data variable owned by the buffer. shape is copied. */
struct ir_buffer *ir_buffer_make(struct ir_module *m, const char *name,
                                 struct dtype dtype, size_t rank,
                                 struct ir_expr *const *shape,
                                 struct ir_var *data, const char *scope);

struct ir_expr *ir_int(struct ir_module *m, struct dtype t, int64_t value);
struct ir_expr *ir_float(struct ir_module *m, struct dtype t, double value);
struct ir_expr *ir_string(struct ir_module *m, const char *text);
struct ir_expr *ir_var_ref(struct ir_module *m, struct ir_var *var);
struct ir_expr *ir_buffer_ref(struct ir_module *m, struct ir_buffer *buffer);
/* dtype of comparisons and AND/OR becomes bool with the operands' lanes. */
struct ir_expr *ir_binary(struct ir_module *m, enum ir_expr_kind kind,
                          struct ir_expr *a, struct ir_expr *b);
struct ir_expr *ir_not(struct ir_module *m, struct ir_expr *a);
struct ir_expr *ir_bitnot(struct ir_module *m, struct ir_expr *a);
struct ir_expr *ir_cast(struct ir_module *m, struct dtype t, struct ir_expr *a);
struct ir_expr *ir_select(struct ir_module *m, struct ir_expr *cond,
                          struct ir_expr *t, struct ir_expr *f);
/* lanes: int imm, or an expression holding vscale() * k (scalable). */
struct ir_expr *ir_ramp(struct ir_module *m, struct ir_expr *base,
                        struct ir_expr *stride, struct ir_expr *lanes);
struct ir_expr *ir_broadcast(struct ir_module *m, struct ir_expr *value,
                             struct ir_expr *lanes);
struct ir_expr *ir_shuffle(struct ir_module *m, size_t nvectors,
                           struct ir_expr *const *vectors, size_t nindices,
                           struct ir_expr *const *indices);
/* dtype = buffer's times the lanes of the last index. */
struct ir_expr *ir_load(struct ir_module *m, struct ir_buffer *buffer,
                        size_t nindices, struct ir_expr *const *indices,
                        struct ir_expr *predicate);
/* name keeps its namespace; op is found with ir_op_find. */
struct ir_expr *ir_call(struct ir_module *m, struct dtype t, const char *name,
                        size_t nargs, struct ir_expr *const *args);
struct ir_expr *ir_let(struct ir_module *m, struct ir_var *var,
                       struct ir_expr *value, struct ir_expr *body);
/* The same operation on other operands, as many; no leaf. Its type follows
 * from theirs but of calls and casts. */
struct ir_expr *ir_rebuild(struct ir_module *m, const struct ir_expr *e,
                           struct ir_expr *const *args,
                           struct ir_expr *predicate);

struct ir_stmt *ir_stmt_make(struct ir_module *m, enum ir_stmt_kind kind);
/* Recomputes size and depth from the children; call once filled in. */
void ir_stmt_seal(struct ir_stmt *stmt);
struct ir_stmt *ir_seq(struct ir_module *m, size_t n,
                       struct ir_stmt *const *items);
struct ir_stmt *ir_store(struct ir_module *m, struct ir_buffer *buffer,
                         struct ir_expr *value, size_t nindices,
                         struct ir_expr *const *indices,
                         struct ir_expr *predicate);
struct ir_stmt *ir_evaluate(struct ir_module *m, struct ir_expr *value);

struct rx_expr *rx_expr_make(struct ir_module *m, enum rx_kind kind);
void rx_expr_seal(struct rx_expr *expr);
struct rx_var *rx_var_make(struct ir_module *m, const char *name,
                           const struct ir_type *type, bool dataflow);

struct ir_value *ir_value_make(struct ir_module *m, enum ir_value_kind kind);
struct ir_value *ir_value_int(struct ir_module *m, int64_t value);
struct ir_value *ir_value_bool(struct ir_module *m, bool value);
struct ir_value *ir_value_string(struct ir_module *m, const char *text);
struct ir_value *ir_value_expr(struct ir_module *m, struct ir_expr *expr);
/* Builds a MAP: keys are sorted, later duplicates win. n may be 0: NULL. */
struct ir_value *ir_value_map(struct ir_module *m, size_t n,
                              const char *const *keys,
                              struct ir_value *const *items);
/* Member of a MAP or OBJECT; NULL value or absent key gives NULL. */
struct ir_value *ir_value_find(const struct ir_value *map, const char *key);
/* As ir_value_find, but "noalias" finds tir.noalias and tirx.noalias too. */
struct ir_value *ir_attr_find(const struct ir_value *map, const char *key);
/* Integer behind INT, BOOL, or an IntImm expression. */
bool ir_value_as_int(const struct ir_value *value, int64_t *out);
const char *ir_value_as_string(const struct ir_value *value); /* or NULL */

/* ---- module.c ------------------------------------------------------------------------------------- */

/* Adds (keeps funcs sorted); the name must be new: false otherwise. */
bool ir_module_add(struct ir_module *m, struct ir_func *func);
struct ir_func *ir_module_find(const struct ir_module *m, const char *name);
/* Constant integer behind an expression: IntImm, or a cast or + - * of such.
 * False when not constant. */
bool ir_const_int(const struct ir_expr *e, int64_t *out);
bool ir_is_const_int(const struct ir_expr *e, int64_t value);
/* Whether the block predicate is the constant true. */
bool ir_is_true(const struct ir_expr *e);
/* Location of a node for messages. */
struct diag_loc ir_loc(const struct ir_module *m, struct ir_pos pos,
                       struct buf *scratch);

/* ---- ops.c -------------------------------------------------------------------------------------------- */

enum ir_op_flag {
    IR_OPF_PURE = 1,   /* no side effect, value depends on operands only */
    IR_OPF_MATH = 2,   /* elementwise on floats: operand type = result type */
    IR_OPF_MEMORY = 4, /* reads or writes memory through pointers */
    IR_OPF_SYNC = 8,   /* barrier or warp-collective */
    IR_OPF_HOST = 16,  /* host-side runtime call */
    IR_OPF_LAZY = 32,  /* not all operands are evaluated */
    IR_OPF_DTYPE_FIRST = 64, /* TVMScript prints the dtype as first operand */
    IR_OPF_DTYPE_LAST = 128,
    IR_OPF_ANY = 256,     /* operand and result types are free */
    IR_OPF_SCRIPT = 512,  /* T.name(…) of TVM 0.27 makes just this call … */
    IR_OPF_FOLDED = 1024, /* … but of a constant */
    IR_OPF_PRIM = 2048,   /* TVM 0.27 has it as prim.name, not tirx.name */
    IR_OPF_IDENTITY = 4096, /* its operand, with advice to the compiler */
    IR_OPF_NOTHING = 8192,  /* neither a value nor an effect */
    IR_OPF_NAMED = 16384    /* calls what the first operand names */
};

/* The type of T.name(operands), where none is written. */
enum ir_op_result {
    IR_RESULT_VOID,
    IR_RESULT_FIRST, /* the first operand's type */
    IR_RESULT_SECOND,
    IR_RESULT_BOOL,
    IR_RESULT_BOOL_LANES, /* with the first operand's lanes */
    IR_RESULT_INT32,
    IR_RESULT_UINT32,
    IR_RESULT_HANDLE,
    IR_RESULT_CHOICE, /* that of both values of if_then_else */
    IR_RESULT_GIVEN   /* it is always written */
};

/* Who has to arrive at a call together. */
enum ir_op_who { IR_WHO_THREAD, IR_WHO_WARP, IR_WHO_BLOCK };

struct ir_op_info {
    const char *name;       /* last component: "tvm_access_ptr" */
    const char *spellings;  /* and operands: see ops.def */
    int min_args, max_args; /* max -1: any number */
    const char *operands;
    unsigned flags;
    enum ir_op_result result;
    enum num_op num; /* NUM_NOPS: none */
    enum ir_op_who who;
    const char *meaning; /* one line */
};

/* By full or bare name ("tirx.exp", "exp", "tirx.ptx.mma"): the last dotted
 * components are matched; IR_OP_UNKNOWN if not in the table. */
enum ir_op ir_op_find(const char *name);
const struct ir_op_info *ir_op_info(enum ir_op op);
/* The operator of a call, instructions under CUDA's names included. */
enum ir_op ir_call_op(const struct ir_expr *call);
/* Whether it is a call at which threads have to arrive together. */
bool ir_is_collective(const struct ir_expr *e);
/* Whether the operator has so many operands. */
bool ir_op_takes(enum ir_op op, size_t nargs);
/* The operator that a C or LLVM function of mathematics is: "expf", "exp" and
 * "llvm.exp.f32" are IR_OP_EXP. "round" is IR_OP_ROUND though C rounds halves
 * away from zero; IR_OP_UNKNOWN: it is none. */
enum ir_op ir_function_op(const char *name);
const char *ir_expr_kind_name(enum ir_expr_kind kind); /* "Add", "Load", … */
/* The operation of num.h that the kind is; NUM_NOPS: none. */
enum num_op ir_num_op(enum ir_expr_kind kind);
/* How a binary operation is written between its operands; NULL: as a call. The
 * higher the level the tighter it binds; operands on the left are taken
 * first. */
struct ir_infix {
    const char *text; /* " + " */
    int level;
};
const struct ir_infix *ir_infix_of(enum ir_expr_kind kind);
/* That of an operator with so many operands. */
enum num_op ir_call_num(enum ir_op op, size_t nargs);
const char *ir_stmt_kind_name(enum ir_stmt_kind kind); /* "For", … */
const char *ir_for_kind_name(enum ir_for_kind kind);   /* "serial", … */

/* ---- calls.c ------------------------------------------------------------------------------------------ */

/* The text of a string operand; "": it is none, or missing. */
const char *ir_call_text(const struct ir_expr *call, uint32_t operand);
/* Whether that is "row_major" or "col_major". */
bool ir_call_layout(const struct ir_expr *call, uint32_t operand,
                    bool *row_major);
/* Whether it is its one operand, with advice to a compiler. */
bool ir_is_identity(const struct ir_expr *e);
/* The name of the function that a call runs; NULL: it does not say. */
const char *ir_callee(const struct ir_expr *call);
/* The PrimFunc with a body of that name, or of that global_symbol, or NULL. */
const struct ir_func *ir_definition(const struct ir_module *m,
                                    const char *name);
/* The type that a PTX instruction calls so ("bf16"), or that TVM does. */
bool ir_ptx_type(const char *text, struct dtype *out);

/* ---- attrs.c ------------------------------------------------------------------------------------------ */

/* Type key of the attributes of a Relax operator ("relax.matmul"); NULL: none
 * is known. */
const char *rx_op_attrs(const char *op);
/* What `R.name(…)` in a script is for the operator "relax.name". */
enum rx_op_form {
    RX_FORM_PLAIN,  /* a call of it */
    RX_FORM_RESULT, /* the same, with the result type as an argument out_ty */
    RX_FORM_OTHER   /* something else, or the name does not begin so */
};
enum rx_op_form rx_op_form(const char *op);
/* Whether an operator of RX_FORM_RESULT has an attribute of that name. */
bool rx_op_takes(const char *op, const char *attr);
/* Names that a script uses for something else: a function of that name would
 * hide it. */
bool ir_script_hides(const char *name);
/* Whether TVM writes this numeric field of such an object inline. */
bool ir_field_is_inline(const char *type, const char *field);
/* Whether it is a data type that TVM writes as a node since 0.26. */
bool ir_field_is_loose_dtype(const char *type, const char *field);

/* ---- equal.c: structural equality and hash, as TVM's StructuralEqual ---------------------------------- */

struct ir_equal_options {
    bool map_free_vars; /* free variables may correspond (TVM's flag) */
    bool ignore_symbol; /* ignore global_symbol and function names' match for
                            single-function modules */
    bool
        ignore_claims; /* not what blocks declare to read and write, which never
                           changes what they do, nor blocks that bind, guard
                           and allocate nothing */
};

/* Equal modulo names of variables and buffers, which must correspond one to
 * one. On inequality *where (may be NULL) gets a description of the first
 * place that differs. Annotations count; names of blocks (as in TVM), positions,
 * operator namespaces (tir./tirx./prim.), DAG sharing, sequences in sequences
 * and a missing "s_tir" do not. equal.c says where this differs from TVM. */
bool ir_module_equal(const struct ir_module *a, const struct ir_module *b,
                     struct ir_equal_options options, struct buf *where);
bool ir_func_equal(const struct ir_func *a, const struct ir_func *b,
                   struct ir_equal_options options, struct buf *where);
/* Whether two expressions of one program, or NULL both, are the same: the same
 * operations, types, attributes and predicates, on the same variables and
 * buffers, of whatever name. expr_same.c says what else counts. */
bool ir_expr_same(const struct ir_expr *a, const struct ir_expr *b);
/* Equal modules have equal hashes. */
uint64_t ir_module_hash(const struct ir_module *m);
uint64_t ir_func_hash(const struct ir_func *f);

/* ---- kernels.c: threads of kernels ---------------------------------------------------- */

/* A statement that binds a variable to a thread axis: a loop of kind THREAD, or
 * an attribute thread_extent or virtual_thread of an iteration variable. */
struct ir_thread_axis {
    const struct ir_var *var;
    const char *tag; /* "" when none */
    bool is_virtual;
    struct ir_expr *extent; /* NULL only in what is not well-formed */
    struct ir_stmt *body;
};
/* Whether it is one; *axis (may be NULL) is written only then. */
bool ir_thread_axis(const struct ir_stmt *stmt, struct ir_thread_axis *axis);
/* That of the first below the statement, itself included, that binds var; NULL:
 * none does. */
const char *ir_thread_tag(const struct ir_stmt *stmt, const struct ir_var *var);
/* The reducer of the attribute `reduce_scope` around the call; NULL: none is. */
const struct ir_comm_reducer *ir_reducer_around(const struct ir_stmt *stmt,
                                                const struct ir_expr *call);
/* Its variable, and *tag (may be NULL); NULL if it is none. */
const struct ir_var *ir_thread_var(const struct ir_stmt *stmt,
                                   const char **tag);
/* Whether the masks of the shuffles below mean something: lowering for targets
 * that have none writes 0 (R22), and whatever is at hand in the last one. */
bool ir_shuffles_have_masks(const struct ir_stmt *stmt);
/* Statements on the way down, innermost first. */
struct ir_above {
    const struct ir_above *up;
    const struct ir_stmt *stmt;
};
/* Whether the block's reduction iterators depend on the variable. */
bool ir_reduces_over(const struct ir_block *b, const struct ir_var *var);
/* Where threads combine a reduction (R5): the outermost loop around block s that
 * it reduces over and that holds nothing else. *alone: no serial loop that it
 * reduces over holds anything else. */
const struct ir_stmt *ir_reduction_root(const struct ir_stmt *s,
                                        const struct ir_above *up, bool *alone);
/* Statements at which a kernel begins although no thread is bound there (R4,
 * R5; kernels.c). class_of: of storage, by variable; stays: whether a block's
 * buffer is made where the block says. */
struct ir_kernel_search {
    const uint32_t *class_of;
    bool (*stays)(void *user, const struct ir_buffer *buffer);
    void (*mark)(void *user, const struct ir_stmt *at);
    void *user;
};
void ir_find_kernels(const struct ir_kernel_search *search,
                     struct ir_stmt *body);

/* ---- wellformed.c ----------------------------------------------------------------------------------------- */

/* Reports every fault found, not only the first: types of operands, ranks,
 * undefined variables and buffers, thread extents (rules 2, 31), duplicate
 * definitions, literals out of range (rule 13). Undefined variables have code
 * "ir.undefined-variable" so that callers can treat them apart (design.md 3:
 * `unsafe` in the tuned module). Returns whether no error was reported. */
bool ir_wellformed(const struct ir_module *m, struct diag_sink *sink);
/* Names of variables used but not defined in one function, in order of first
 * use; arena-allocated. */
size_t ir_undefined_vars(const struct ir_func *f, struct arena *arena,
                         const char ***names);

/* ---- host/: host code back to plain functions ------------------------------------------------------------- */

/* TVM's last passes change how a function is called, not what it computes:
 * SplitHostDevice moves kernels into functions of their own, MakePackedAPI
 * replaces the parameters by an array of tagged values, LowerTVMBuiltin packs
 * the arguments of launches the same way. This undoes those conventions.
 *
 * Rewrites the module's PrimFuncs in place, before anything else has looked at
 * them:
 *  - a packed entry function gets the parameters that it unpacks, in their
 *    order: a buffer for each tensor argument, a scalar for each number, and
 *    loses the attribute `calling_conv`. Its checks of the arguments stay,
 *    with the facts put in that hold for a caller who passes compact tensors
 *    of the declared shapes; what then is plainly true is left out;
 *  - a kernel or subroutine that is launched or called once becomes a part of
 *    its caller and leaves the module; launch extents are asserted to be what
 *    the kernel declares;
 *  - bare pointer parameters become the buffers that are declared on them.
 *  - allocations that stand alone in `fragment_*` attributes leave them;
 *  - flat views of merged shared memory reach to its end;
 *  - LLVM intrinsics given by number become operators again.
 * Functions without any of that are not touched. Where a convention is not
 * understood the function stays as it was and a warning `ir.host` says why. */
void ir_host_restore(struct ir_module *m, struct diag_sink *sink);

/* ---- readers/ and writers/ --------------------------------------------------------------------------------- */

struct ir_reader {
    const char *name;    /* "tvmjson", "tvmscript" */
    const char *summary; /* one line for --help */
    /* Whether the text looks like this format; the first match wins, in file
     * name order. */
    bool (*detect)(const char *text, size_t len);
    struct ir_module *(*read)(const char *text, size_t len, const char *file,
                              struct diag_sink *sink);
};
extern const struct ir_reader *const ir_readers[]; /* NULL-terminated */

/* Reads text in any known format, checks limits, runs no well-formedness
 * check. The caller frees the module. NULL with diagnostics. */
DC_MUST_USE struct ir_module *ir_read(const char *text, size_t len,
                                      const char *file, struct diag_sink *sink);
/* The same from a path ("-": standard input). */
DC_MUST_USE struct ir_module *ir_read_file(const char *path,
                                           struct diag_sink *sink);

/* How indices become others: `out` in terms of `vars`, which are distinct. */
struct ir_index_map {
    size_t nvars, nout;
    struct ir_var **vars;
    struct ir_expr **out;
};
/* An index map as traces of schedules hold it, JSON of any era, or as Python
 * says it, `lambda i, j: (j, i // 4, i % 4)` with parameters of type int64.
 * Its nodes are made in m, which is left as it was; nothing is checked but
 * form. False with diagnostics; `out` then means nothing. */
DC_MUST_USE bool ir_read_index_map(struct ir_module *m, const char *text,
                                   size_t len, const char *file,
                                   struct diag_sink *sink,
                                   struct ir_index_map *out);

/* Canonical TVMScript of the newest dialect (TVM 0.27), for people: a module
 * that text cannot say is printed as well as it goes. */
void ir_print_script(const struct ir_module *m, struct buf *out);
/* The same, for reading back: what is printed reads back equal. False with
 * diagnostics, and nothing printed, where text cannot say the module: what is
 * ill-formed may be so, and what JSON alone can hold. */
DC_MUST_USE bool ir_write_script(const struct ir_module *m, struct buf *out,
                                 struct diag_sink *sink);
/* The line of that text, from 1, on which the statement begins, or the first
 * of its kind that was read from the same place; 0: it is not there. For
 * modules whose format has no lines. */
uint32_t ir_script_line(const struct ir_module *m, const struct ir_stmt *stmt);
/* One expression or statement in that dialect, for messages. */
void ir_print_expr(const struct ir_expr *e, struct buf *out);
void ir_print_stmt(const struct ir_stmt *s, struct buf *out);

/* TVM JSON of era D, E or F (others: false with a diagnostic). Compact, one
 * line, as TVM >= 0.25 writes it. */
DC_MUST_USE bool ir_write_json(const struct ir_module *m, enum ir_era era,
                               struct buf *out, struct diag_sink *sink);
/* Whether a node of that type in JSON is an object without a form of its own,
 * IR_V_OBJECT. */
bool ir_json_is_object(const char *type);
/* Whether text, which was written of the module, reads back: as an equal one
 * where it has to be the same. False with diagnostics. */
DC_MUST_USE bool ir_check_reread(const struct ir_module *m,
                                 const struct buf *text, bool same,
                                 struct diag_sink *sink);
const char *ir_era_name(enum ir_era era); /* "A" … "F", "none" */

#include "ir/walk.h" /* walks and maps */

#endif
