/* SPDX-License-Identifier: Apache-2.0
 *
 * What structural equality and hashing agree on before they look at a node:
 * which pointers are the same storage whatever TVM generation spelt them, and
 * how names with namespaces are shortened. Private to ir/equal*.c.
 */
#ifndef DC_IR_EQUAL_ALIAS_H
#define DC_IR_EQUAL_ALIAS_H

#include "ir/ir.h"
#include "ir/ptr_map.h"

/* Records, for each `decl_buffer B = pointer` below stmt, that B's data
 * variable is another name of that pointer. NULL stmt is fine. */
void equal_alias_collect(struct ptr_map *map, const struct ir_stmt *stmt);
/* The variable that stands for all aliases of var. */
const struct ir_var *equal_alias_find(const struct ptr_map *map,
                                      const struct ir_var *var);
/* The pointer variable behind an expression that is nothing but one: a
 * reference to it or buffer_data(buffer). NULL otherwise. */
const struct ir_var *equal_pointer_of(const struct ptr_map *map,
                                      const struct ir_expr *e);
/* The same for attribute values: a buffer or a pointer expression. */
const struct ir_var *equal_value_pointer(const struct ptr_map *map,
                                         const struct ir_value *v);

const char *equal_last_component(const char *name); /* "tirx.exp" -> "exp" */
/* A key without its "tir." or "tirx." namespace. */
const char *equal_bare_key(const char *key);
/* Item of a sorted MAP or OBJECT whose key is the same up to tir./tirx. */
const struct ir_value *equal_find_key(const struct ir_value *map,
                                      const char *key, bool *found);
/* No value, an empty attribute object and an empty map mean the same. */
bool equal_value_empty(const struct ir_value *v);
/* NULL, a missing type, void and the empty tuple: no result. */
/* What a sequence without bindings comes to. */
const struct rx_expr *equal_rx_bare(const struct rx_expr *e);
/* T.evaluate(0), which TVM drops where there is another statement. */
bool equal_stmt_idle(const struct ir_stmt *s);
bool equal_type_void(const struct ir_type *t);
/* A pointer to nothing known, which text has only as a handle; that too. */
bool equal_type_opaque(const struct ir_type *t);
const char *equal_scope(const char *scope); /* "" and NULL are "global" */

#endif
