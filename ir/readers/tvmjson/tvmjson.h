/* SPDX-License-Identifier: Apache-2.0
 *
 * Private to the TVM JSON reader. Three layers:
 *  graph.c   nodes of the file, which TVM wrote it (era), and the accessors
 *            that hide how an era spells a field: inline, as text, as index;
 *  schema.c  the table of node types: which function decodes which type, in
 *            which role;
 *  decode_*  one function a node type, from accessors to ir.h nodes.
 *
 * Errors: the first one is reported with its JSON path and sets `failed`;
 * from then on accessors return NULL or zero values, so that decoders may
 * collect all fields and check `failed` once before they build a node.
 */
#ifndef DC_IR_READERS_TVMJSON_H
#define DC_IR_READERS_TVMJSON_H

#include "ir/base/json.h"
#include "ir/ir.h"

#define TJ_NULL UINT32_MAX /* a null reference */

/* What a node is decoded as. The same node may have several roles: a variable
 * is a variable, an operand and an annotation value. */
enum tj_role {
    TJ_EXPR,
    TJ_STMT,
    TJ_TYPE,
    TJ_VAR,
    TJ_BUFFER,
    TJ_ITER_VAR,
    TJ_VALUE,
    TJ_RX,
    TJ_RX_VAR,
    TJ_NROLES
};

/* Node types that code outside the table tests for. */
enum tj_kind {
    TJ_K_OTHER,
    TJ_K_NONE,
    TJ_K_BOOL,
    TJ_K_INT,
    TJ_K_FLOAT,
    TJ_K_STRING,
    TJ_K_DTYPE,
    TJ_K_DEVICE,
    TJ_K_ARRAY,
    TJ_K_LIST,
    TJ_K_MAP,
    TJ_K_DICT,
    TJ_K_SHAPE,
    TJ_K_TENSOR,
    TJ_K_DICT_ATTRS,
    TJ_K_OP,
    TJ_K_GLOBAL_VAR,
    TJ_K_MODULE,
    TJ_K_PRIM_FUNC,
    TJ_K_RELAX_FUNC,
    TJ_K_EXTERN_FUNC,
    TJ_K_EXPR, /* decoded by the table's expr column */
    TJ_K_INT_IMM,
    TJ_K_CALL,
    TJ_K_VAR,
    TJ_K_RELAX_VAR,
    TJ_K_STMT,
    TJ_K_TYPE,
    TJ_K_PRIM_TYPE,
    TJ_K_POINTER_TYPE,
    TJ_K_BUFFER_TYPE,
    TJ_K_NO_TYPE,
    TJ_K_BUFFER,
    TJ_K_REGION,
    TJ_K_RANGE,
    TJ_K_ITER_VAR,
    TJ_K_REDUCER,
    TJ_K_RELAX,
    TJ_K_SHAPE_EXPR,
    TJ_K_UNSUPPORTED
};

/* As values: data, what is decoded for its own sake, objects of fields, and
 * what cannot be one. For `case` in a switch that must know all kinds. */
// clang-format off
#define TJ_DATA_KINDS                                                         \
    TJ_K_NONE: case TJ_K_BOOL: case TJ_K_INT: case TJ_K_FLOAT:                \
    case TJ_K_STRING: case TJ_K_DTYPE: case TJ_K_ARRAY: case TJ_K_LIST:       \
    case TJ_K_MAP: case TJ_K_DICT: case TJ_K_SHAPE
#define TJ_NODE_KINDS                                                         \
    TJ_K_EXPR: case TJ_K_INT_IMM: case TJ_K_CALL: case TJ_K_VAR:              \
    case TJ_K_BUFFER: case TJ_K_TYPE: case TJ_K_PRIM_TYPE:                    \
    case TJ_K_POINTER_TYPE: case TJ_K_NO_TYPE: case TJ_K_TENSOR:              \
    case TJ_K_REGION: case TJ_K_RANGE: case TJ_K_ITER_VAR: case TJ_K_REDUCER
#define TJ_OBJECT_KINDS                                                       \
    TJ_K_OTHER: case TJ_K_DICT_ATTRS: case TJ_K_DEVICE: case TJ_K_OP:         \
    case TJ_K_GLOBAL_VAR: case TJ_K_EXTERN_FUNC
#define TJ_NO_VALUE_KINDS                                                     \
    TJ_K_STMT: case TJ_K_MODULE: case TJ_K_PRIM_FUNC: case TJ_K_RELAX_FUNC:   \
    case TJ_K_RELAX: case TJ_K_RELAX_VAR: case TJ_K_SHAPE_EXPR:               \
    case TJ_K_BUFFER_TYPE: case TJ_K_UNSUPPORTED
// clang-format on

struct tj;
struct tj_row;
typedef void *(*tj_decode)(struct tj *r, uint32_t node,
                           const struct tj_row *row);

struct tj_row {
    const char *name; /* type key without its namespace */
    enum tj_kind kind;
    int arg;        /* ir_expr_kind and such; meaning by function */
    tj_decode expr; /* NULL: not possible in that role */
    tj_decode stmt;
    tj_decode type;
    tj_decode rx;
    const char *why; /* UNSUPPORTED: what to do instead */
};

struct tj_node {
    const char *type;                /* full type key */
    const struct tj_row *row;        /* never NULL */
    const struct json_value *fields; /* object of fields, or NULL */
    const struct json_value *data;   /* payload: array, string, number */
    const struct json_value *keys;   /* era A maps with string keys */
    const char *text;                /* tj_node_text's answer, once asked */
};

/* What a node was decoded to, for one role; further roles are chained. */
struct tj_memo {
    void *ptr;
    struct tj_memo *more;
    uint32_t size;  /* of the node unfolded to a tree */
    uint16_t depth; /* longest path below */
    uint16_t busy;  /* roles being decoded now: finding one is a cycle */
    uint8_t role;
};

struct tj {
    struct ir_module *m;
    struct arena *arena; /* the module's */
    struct diag_sink *sink;
    const char *file;
    const struct json_value *root;
    enum ir_era era;
    bool legacy; /* eras A and B: fields are texts under "attrs" */
    bool failed;
    uint32_t root_index;
    size_t nnodes;
    struct tj_node *nodes;
    struct tj_memo *memo;
    size_t nblobs;
    const struct json_value **blobs; /* era A: tensors */
    uint32_t links;                  /* references followed so far */
    uint32_t depth;                  /* decoders on the stack */
    uint32_t frame_size;             /* of the children seen so far */
    uint32_t frame_depth;
};

/* ---- graph.c ------------------------------------------------------------- */

bool tj_graph_load(struct tj *r, const struct json_doc *doc);
void tj_graph_free(struct tj *r);

/* Reports at a field of a node (field NULL: the node itself) and marks the
 * reader failed. Only the first call reports. Returns NULL. */
void *tj_fail(struct tj *r, uint32_t node, const char *field, const char *fmt,
              ...) DC_PRINTF(4, 5);
/* The same at an element of an array or map node. */
void *tj_fail_at(struct tj *r, uint32_t node, size_t index, const char *fmt,
                 ...) DC_PRINTF(4, 5);

/* "expected <what>, found <type of ref>" at a field of a node. */
void *tj_mismatch(struct tj *r, uint32_t node, const char *field, uint32_t ref,
                  const char *what);

enum tj_kind tj_kind(const struct tj *r, uint32_t node);
bool tj_has(const struct tj *r, uint32_t node, const char *field);
/* Node index in a field; TJ_NULL when null or absent. */
uint32_t tj_opt_ref(struct tj *r, uint32_t node, const char *field);
/* The same, null and absent are errors (`what` is expected). */
uint32_t tj_ref(struct tj *r, uint32_t node, const char *field,
                const char *what);
int64_t tj_int(struct tj *r, uint32_t node, const char *field);
bool tj_bool(struct tj *r, uint32_t node, const char *field);
double tj_float(struct tj *r, uint32_t node, const char *field);
/* Inline dtype text. */
struct dtype tj_dtype(struct tj *r, uint32_t node, const char *field);
/* Text of a String node (or an inline text of eras A and B). Lives as long as
 * the module. tj_opt_string gives NULL for null and absent. */
const char *tj_string(struct tj *r, uint32_t node, const char *field);
const char *tj_opt_string(struct tj *r, uint32_t node, const char *field);
/* Text of a node that is a String, an Op, … itself. */
const char *tj_node_text(struct tj *r, uint32_t node);
/* Element indices of the array in a field; null counts as empty. `*array` is
 * the array's own node (for messages), TJ_NULL if none. */
const uint32_t *tj_array(struct tj *r, uint32_t node, const char *field,
                         size_t *n, uint32_t *array);
const uint32_t *tj_array_items(struct tj *r, uint32_t array, size_t *n);
/* Entries of a map node: text keys in *keys, or node keys when NULL. items
 * are n values, or n key/value pairs when *keys is NULL. */
const uint32_t *tj_map_items(struct tj *r, uint32_t map, size_t *n,
                             const char ***keys);

/* Payload of leaf nodes. */
bool tj_leaf_int(struct tj *r, uint32_t node, int64_t *out);
bool tj_leaf_float(struct tj *r, uint32_t node, double *out);
bool tj_leaf_bool(struct tj *r, uint32_t node, bool *out);

/* Counts one reference followed; false once the file is too much work. */
bool tj_link(struct tj *r, uint32_t node);
/* Memory of decoded nodes, limits and cycles: runs `decode` unless the node
 * was decoded in that role before. */
void *tj_once(struct tj *r, uint32_t node, enum tj_role role, tj_decode decode);
/* What a node was decoded to in a role, NULL if it was not. */
void *tj_seen(const struct tj *r, uint32_t node, enum tj_role role);
struct ir_pos tj_pos(uint32_t node);

/* ---- schema.c ------------------------------------------------------------ */

const struct tj_row *tj_row_find(const char *type);
/* Whether an integer in that field of that object type is inline, not an
 * index (C type int or enum). */
bool tj_field_is_inline(const char *type, const char *field);

/* ---- decode_expr.c --------------------------------------------------------- */

struct ir_expr *tj_expr(struct tj *r, uint32_t node, const char *field);
struct ir_expr *tj_opt_expr(struct tj *r, uint32_t node, const char *field);
struct ir_expr *tj_expr_node(struct tj *r, uint32_t node);
struct ir_expr **tj_exprs(struct tj *r, uint32_t node, const char *field,
                          size_t *n);
struct ir_value *tj_call_attrs(struct tj *r, uint32_t node);

void *tj_expr_int(struct tj *r, uint32_t node, const struct tj_row *row);
void *tj_expr_float(struct tj *r, uint32_t node, const struct tj_row *row);
void *tj_expr_string(struct tj *r, uint32_t node, const struct tj_row *row);
void *tj_expr_var(struct tj *r, uint32_t node, const struct tj_row *row);
void *tj_expr_buffer(struct tj *r, uint32_t node, const struct tj_row *row);
void *tj_expr_binary(struct tj *r, uint32_t node, const struct tj_row *row);
void *tj_expr_unary(struct tj *r, uint32_t node, const struct tj_row *row);
void *tj_expr_select(struct tj *r, uint32_t node, const struct tj_row *row);
void *tj_expr_let(struct tj *r, uint32_t node, const struct tj_row *row);
void *tj_expr_ramp(struct tj *r, uint32_t node, const struct tj_row *row);
void *tj_expr_broadcast(struct tj *r, uint32_t node, const struct tj_row *row);
void *tj_expr_shuffle(struct tj *r, uint32_t node, const struct tj_row *row);
void *tj_expr_load(struct tj *r, uint32_t node, const struct tj_row *row);
void *tj_expr_call(struct tj *r, uint32_t node, const struct tj_row *row);

/* ---- decode_type.c ----------------------------------------------------------- */

struct ir_type *tj_type_node(struct tj *r, uint32_t node);
const struct ir_type *tj_opt_type(struct tj *r, uint32_t node,
                                  const char *field);
const struct ir_type **tj_types(struct tj *r, uint32_t node, const char *field,
                                size_t *n);
struct ir_var *tj_var(struct tj *r, uint32_t node, const char *field);
struct ir_var *tj_var_node(struct tj *r, uint32_t node);
struct ir_buffer *tj_buffer(struct tj *r, uint32_t node, const char *field);
struct ir_buffer *tj_buffer_node(struct tj *r, uint32_t node);
/* Whether the node is a buffer: a Buffer, or a variable of buffer type. */
bool tj_is_buffer(struct tj *r, uint32_t node);
bool tj_is_untyped_pointer(const struct ir_type *type);
/* Marks the buffer as the owner of its storage. */
void tj_own(struct ir_buffer *buffer);

void *tj_type_prim(struct tj *r, uint32_t node, const struct tj_row *row);
void *tj_type_pointer(struct tj *r, uint32_t node, const struct tj_row *row);
void *tj_type_tuple(struct tj *r, uint32_t node, const struct tj_row *row);
void *tj_type_func(struct tj *r, uint32_t node, const struct tj_row *row);
void *tj_type_plain(struct tj *r, uint32_t node, const struct tj_row *row);
void *tj_type_tensor(struct tj *r, uint32_t node, const struct tj_row *row);
void *tj_type_shape(struct tj *r, uint32_t node, const struct tj_row *row);

/* ---- decode_stmt.c -------------------------------------------------------------- */

struct ir_stmt *tj_stmt(struct tj *r, uint32_t node, const char *field);
struct ir_iter_var *tj_iter_var_node(struct tj *r, uint32_t node);
struct ir_range tj_range_node(struct tj *r, uint32_t node);
struct ir_region tj_region_node(struct tj *r, uint32_t node);

void *tj_stmt_seq(struct tj *r, uint32_t node, const struct tj_row *row);
void *tj_stmt_for(struct tj *r, uint32_t node, const struct tj_row *row);
void *tj_stmt_while(struct tj *r, uint32_t node, const struct tj_row *row);
void *tj_stmt_if(struct tj *r, uint32_t node, const struct tj_row *row);
void *tj_stmt_flat(struct tj *r, uint32_t node, const struct tj_row *row);
void *tj_stmt_attr(struct tj *r, uint32_t node, const struct tj_row *row);
void *tj_stmt_evaluate(struct tj *r, uint32_t node, const struct tj_row *row);
void *tj_stmt_store(struct tj *r, uint32_t node, const struct tj_row *row);
void *tj_stmt_realize(struct tj *r, uint32_t node, const struct tj_row *row);
void *tj_stmt_jump(struct tj *r, uint32_t node, const struct tj_row *row);
void *tj_stmt_return(struct tj *r, uint32_t node, const struct tj_row *row);

/* ---- decode_flat.c: statements that take their body along (TVM <= 0.23) ------- */

enum tj_flat {
    TJ_BIND,
    TJ_ALLOC,
    TJ_ALLOC_CONST,
    TJ_DECL,
    TJ_ASSERT,
    TJ_ALLOCATE
};
/* Whether the node is such a statement with a body, which *body gets. */
bool tj_flat_body(struct tj *r, uint32_t node, uint32_t *body);
/* The statement without its body. */
struct ir_stmt *tj_flat_head(struct tj *r, uint32_t node);

/* ---- decode_value.c ---------------------------------------------------------------- */

struct ir_value *tj_value_node(struct tj *r, uint32_t node);
/* Map in a field, as IR_V_MAP; NULL when null, absent or empty. */
struct ir_value *tj_map(struct tj *r, uint32_t node, const char *field);
/* The map behind a DictAttrs (or a plain map) in a field; NULL when empty. */
struct ir_value *tj_dict_attrs(struct tj *r, uint32_t node, const char *field);

/* ---- decode_tensor.c ---------------------------------------------------------------- */

/* Tensor of a Tensor node, or of an NDArray field (era A: index of a blob). */
struct ir_tensor *tj_tensor_node(struct tj *r, uint32_t node);
struct ir_tensor *tj_tensor(struct tj *r, uint32_t node, const char *field);

/* ---- decode_relax.c -------------------------------------------------------------------- */

struct rx_expr *tj_rx_node(struct tj *r, uint32_t node);
struct rx_func *tj_rx_func(struct tj *r, uint32_t node);

void *tj_rx_var(struct tj *r, uint32_t node, const struct tj_row *row);
void *tj_rx_constant(struct tj *r, uint32_t node, const struct tj_row *row);
void *tj_rx_shape(struct tj *r, uint32_t node, const struct tj_row *row);
void *tj_rx_tuple(struct tj *r, uint32_t node, const struct tj_row *row);
void *tj_rx_tuple_get(struct tj *r, uint32_t node, const struct tj_row *row);
void *tj_rx_call(struct tj *r, uint32_t node, const struct tj_row *row);
void *tj_rx_if(struct tj *r, uint32_t node, const struct tj_row *row);
void *tj_rx_seq(struct tj *r, uint32_t node, const struct tj_row *row);
void *tj_rx_prim(struct tj *r, uint32_t node, const struct tj_row *row);
void *tj_rx_string(struct tj *r, uint32_t node, const struct tj_row *row);
void *tj_rx_dtype(struct tj *r, uint32_t node, const struct tj_row *row);
void *tj_rx_named(struct tj *r, uint32_t node, const struct tj_row *row);
void *tj_rx_function(struct tj *r, uint32_t node, const struct tj_row *row);

/* ---- decode_module.c ------------------------------------------------------------------- */

bool tj_module(struct tj *r);

/* ---- index_map.c ----------------------------------------------------------------------- */

/* Of ir_read_index_map: JSON. */
bool tj_read_index_map(struct ir_module *m, const char *text, size_t len,
                       const char *file, struct diag_sink *sink,
                       struct ir_index_map *out);

#endif
