/* SPDX-License-Identifier: Apache-2.0
 *
 * Private to the TVM JSON writer: the node list being written and what was
 * written already. Children are written before their parents, so a function
 * that writes a node first gets the indices of its children, then fills the
 * one node in hand: out_begin, out_ref …, out_end.
 */
#ifndef DC_IR_WRITERS_JSONOUT_H
#define DC_IR_WRITERS_JSONOUT_H

#include "ir/base/json.h"
#include "ir/ir.h"
#include "ir/ptr_map.h"

struct out_slot {
    uint64_t hash;
    uint32_t at, len; /* the node's text in `nodes` */
    uint32_t index;
    bool used;
};

struct out {
    const struct ir_module *m;
    enum ir_era era; /* D, E or F */
    struct diag_sink *sink;
    bool failed;
    struct buf nodes; /* texts separated by commas */
    struct buf cur;   /* the node in hand */
    struct json_writer json;
    uint32_t count;
    /* Value-like nodes are written once per text … */
    struct out_slot *slots;
    size_t nslots, ncached;
    /* … and shared or identity-carrying ones once per address. */
    struct ptr_map exprs, vars, buffers, types, values, rx, rx_vars;
    struct ptr_map handles;    /* E, F: of parameters that are buffers */
    struct ptr_map introduced; /* buffers that a statement or parameter makes */
    struct buf text;           /* scratch */
    bool has_relax;
    const struct ir_func *func; /* being written, or NULL */
    uint32_t none;              /* index of the None node */
};

/* ---- out_nodes.c ----------------------------------------------------------- */

void out_init(struct out *o);
void out_fini(struct out *o);
/* Reports once, marks the writer failed; returns 0. */
uint32_t out_fail(struct out *o, struct ir_pos pos, const char *fmt, ...)
    DC_PRINTF(3, 4);

void out_begin(struct out *o, const char *type);
void out_node(struct out *o, const char *type); /* with a span, which is none */
void out_ref(struct out *o, const char *field, uint32_t index);
void out_span(struct out *o);
void out_int(struct out *o, const char *field, int64_t value);
void out_bool(struct out *o, const char *field, bool value);
void out_double(struct out *o, const char *field, double value);
void out_text(struct out *o, const char *field, const char *value);
void out_dtype(struct out *o, const char *field, struct dtype t);
/* Ends the node: as a value (equal texts share one node) or as itself. */
uint32_t out_end(struct out *o);
uint32_t out_end_unique(struct out *o);
/* Whole nodes. */
uint32_t out_leaf_text(struct out *o, const char *type, const char *data);
uint32_t out_string(struct out *o, const char *text);
uint32_t out_leaf_int(struct out *o, int64_t value);
uint32_t out_leaf_bool(struct out *o, bool value);
uint32_t out_leaf_double(struct out *o, double value);
uint32_t out_leaf_dtype(struct out *o, struct dtype t);
uint32_t out_array(struct out *o, const char *type, size_t n,
                   const uint32_t *items);

/* How the result type of an external function follows from a call of it. */
#define OUT_DERIVE(o)                                                   \
    ((o)->era == IR_ERA_D ? "tvm.relax.struct_info.infer_by_sinfo_args" \
                          : "tvm.relax.type.infer_by_ty_args")

/* Growable list of node indices. */
struct out_list VEC(uint32_t);

/* ---- out_type.c -------------------------------------------------------------- */

/* Eras E and F: the type of an expression; D: its dtype, inline. */
void out_type_field(struct out *o, struct dtype t, uint32_t type);
uint32_t out_prim_type(struct out *o, struct dtype t);
uint32_t out_pointer_type(struct out *o, struct dtype element,
                          const char *scope);
/* Index of the type node of a result of dtype t (unused in era D: 0). */
uint32_t out_result_type(struct out *o, struct dtype t);
uint32_t out_type(struct out *o, const struct ir_type *type);
/* The same for a Relax value: struct info in era D. NULL: unknown. */
uint32_t out_rx_type(struct out *o, const struct ir_type *type);
/* The same for a type that the program states, which has to be kept whole. */
uint32_t out_declared_type(struct out *o, const struct ir_type *type,
                           struct ir_pos pos);
uint32_t out_var(struct out *o, const struct ir_var *var);
uint32_t out_buffer(struct out *o, const struct ir_buffer *buffer);
/* Type of a function, for callers. */
uint32_t out_func_type(struct out *o, const struct ir_func *f);

/* ---- out_expr.c ----------------------------------------------------------------- */

uint32_t out_expr(struct out *o, const struct ir_expr *e);
uint32_t out_opt_expr(struct out *o, const struct ir_expr *e);
uint32_t out_exprs(struct out *o, size_t n, struct ir_expr *const *items);
uint32_t out_int_imm(struct out *o, struct dtype t, int64_t value);
uint32_t out_string_imm(struct out *o, const char *text);
/* The storage of a buffer as a pointer: its data variable in era D, the call
 * buffer_data(buffer) after. */
uint32_t out_data_pointer(struct out *o, const struct ir_buffer *buffer);
uint32_t out_call(struct out *o, uint32_t op, uint32_t args, uint32_t attrs,
                  struct dtype t, uint32_t type);

/* ---- out_value.c ------------------------------------------------------------------- */

uint32_t out_value(struct out *o, const struct ir_value *value);
uint32_t out_map(struct out *o, const struct ir_value *map);
uint32_t out_dict_attrs(struct out *o, const struct ir_value *map);
uint32_t out_tensor(struct out *o, const struct ir_tensor *tensor);

/* ---- out_stmt.c ----------------------------------------------------------------------- */

uint32_t out_stmt(struct out *o, const struct ir_stmt *s);
uint32_t out_range(struct out *o, const struct ir_range *range);
uint32_t out_region(struct out *o, const struct ir_region *region);
uint32_t out_iter_var(struct out *o, const struct ir_iter_var *iter);

/* ---- out_relax.c ------------------------------------------------------------------------ */

uint32_t out_rx(struct out *o, const struct rx_expr *e);
uint32_t out_rx_shape(struct out *o, const struct ir_type *type, size_t n,
                      struct ir_expr *const *dims);
uint32_t out_rx_func(struct out *o, const struct rx_func *f,
                     const struct ir_value *attrs);
uint32_t out_extern(struct out *o, const char *symbol,
                    const struct ir_value *attrs);
uint32_t out_global(struct out *o, const char *name);

#endif
