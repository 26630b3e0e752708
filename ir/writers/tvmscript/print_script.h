/* SPDX-License-Identifier: Apache-2.0
 *
 * The TVMScript printer: state and entry points shared by its files. Private
 * to ir/writers/tvmscript.
 *
 * Names. Every variable and buffer of a function gets one name, unique in the
 * function, when it is defined. An object whose scope has ended, or that was
 * never defined, is declared at the top of the function where it is used: that
 * is how TVM spells a free variable.
 */
#ifndef DC_IR_WRITERS_TVMSCRIPT_PRINT_SCRIPT_H
#define DC_IR_WRITERS_TVMSCRIPT_PRINT_SCRIPT_H

#include "ir/ir.h"
#include "ir/ptr_map.h"

/* What an object is called; NULL text while its scope is over. */
struct print_name {
    const char *text;
    bool keep;  /* declared at the top: in scope to the end */
    bool fixed; /* named by an attribute of the function: nothing defines it */
};

/* A buffer that nothing declares, in a list of those on one pointer. */
struct print_view {
    const struct ir_buffer *buffer;
    size_t next; /* index + 1 of the next one, or 0 */
};

/* Texts in use. Open addressing, keyed by text. */
struct print_words {
    const char **slots;
    uint32_t *next; /* next suffix to try for this text as a base */
    size_t len, cap;
};

struct print_state {
    struct buf *out; /* where text goes now */
    struct arena *arena;
    const struct ir_module *module;
    unsigned indent;
    unsigned depth;   /* nesting of values, which have no limit */
    bool loose;       /* for messages: any node, raw names, no declarations */
    bool layout_none; /* not an s_tir function: say that buffers are flat */
    struct print_words words;
    struct ptr_map names; /* object -> index into list */
    struct VEC(struct print_name) list;
    struct ptr_map type_vars; /* symbols declared before the module */
    struct ptr_map loops;     /* loop variable -> its loop, for axis.remap */
    struct ptr_map launches;  /* thread variable -> number of launches */
    struct ptr_map late;      /* Relax: symbols that are later parameters */
    struct ptr_map handles;   /* variables of parameters that are buffers */
    struct ptr_map views;     /* data variable -> first undeclared buffer + 1 */
    struct VEC(struct print_view) view_list;
    struct buf top; /* declarations at the top of the function */
    unsigned top_indent;
    const char *module_name; /* "Module"; NULL in a bare function */
    struct diag_sink *sink;  /* of ir_write_script, else NULL */
    bool refused;
    bool in_attrs;              /* of the function */
    bool uses_module;           /* the Relax function names others */
    const struct ir_func *func; /* being printed */
    struct ir_pos pos;          /* of the node being printed, if known */
    /* Before this statement, or one from the same place of the same file, stands
     * PRINT_MARK, which is in no text: ir_script_line. */
    const struct ir_stmt *marked;
};
#define PRINT_MARK '\x01'

/* ---- print_script.c ------------------------------------------------------ */

/* The text being made will not read back as what it is made of, for this
 * reason; told once, at the place that is being printed. */
void print_refuse(struct print_state *p, const char *fmt, ...) DC_PRINTF(2, 3);

/* ---- print_name.c -------------------------------------------------------- */

void print_words_fini(struct print_words *words);
void print_reserve(struct print_state *p, const char *word);
bool print_has_word(struct print_state *p, const char *word);
/* Forgets the names of a function; reserved words stay in a fresh table. */
void print_names_reset(struct print_state *p);
/* Gives object a name like hint; valid until its scope is closed. */
const char *print_define(struct print_state *p, const void *object,
                         const char *hint);
/* The same for a buffer; its own data variable becomes name.data. */
const char *print_define_buffer(struct print_state *p,
                                const struct ir_buffer *buffer);
/* Makes object print as the given text ("A.strides[0]"). */
void print_define_as(struct print_state *p, const void *object,
                     const char *text);
bool print_is_identifier(const char *text, size_t len); /* no keyword */
/* A function's name as Python can define and call it. */
const char *print_function_name(struct print_state *p, const char *name);
const char *print_name_of(const struct print_state *p, const void *object);
/* Names defined after print_scope_open are over after print_scope_close. */
size_t print_scope_open(const struct print_state *p);
void print_scope_close(struct print_state *p, size_t mark);
/* Name of a variable, declared at the top when it is free. */
const char *print_var(struct print_state *p, const struct ir_var *var);
const char *print_buffer(struct print_state *p, const struct ir_buffer *buffer);

/* ---- print_text.c: lines, literals, types -------------------------------- */

void print_line(struct print_state *p); /* indentation of a new line */
void print_end(struct print_state *p);  /* end of line */
void print_put_string(struct buf *out, const char *text);
void print_put_number(struct buf *out, double value);
void print_put_dtype(struct buf *out, struct dtype t); /* quoted */
/* T.int32, T.handle("float32", "shared"), T.Tuple(…) */
void print_put_type(struct buf *out, const struct ir_type *type,
                    struct dtype dtype);
/* Whether T has a name for the dtype: T.float16x4 yes, T.boolx4 no. */
bool print_dtype_has_name(struct dtype t);

/* ---- print_expr.c -------------------------------------------------------- */

void print_put_expr(struct print_state *p, const struct ir_expr *e);
/* Comma-separated. */
void print_put_exprs(struct print_state *p, size_t n,
                     struct ir_expr *const *list);
/* lo + extent as TVM spells the end of a range: constants are added up. */
void print_put_sum(struct print_state *p, const struct ir_expr *lo,
                   const struct ir_expr *extent);
/* slices: a[i:i + 1], not a[i], which would be an element as a value. */
void print_put_region(struct print_state *p, const struct ir_region *region,
                      bool slices);
/* Whether both are one node, variable or number. */
bool print_same_leaf(const struct ir_expr *a, const struct ir_expr *b);
void print_put_call(struct print_state *p, const struct ir_expr *e);

/* ---- print_value.c ------------------------------------------------------- */

void print_put_value(struct print_state *p, const struct ir_value *v);
/* An expression where a plain number or string would mean another value:
 * T.int32(1) for 1. */
void print_put_expr_value(struct print_state *p, const struct ir_expr *e);
/* {"k": v, …} without the keys in skip (NULL-terminated; may be NULL). */
void print_put_map(struct print_state *p, const struct ir_value *map,
                   const char *const *skip);
void print_put_tensor(struct print_state *p, const struct ir_tensor *t);

/* ---- print_buffer.c ------------------------------------------------------ */

/* Where a buffer is declared. In a signature, dimensions that define symbols
 * are quoted; T.match_buffer gives symbols in strides the type of the first
 * dimension, the others int32. */
enum print_form { PRINT_DECLARED, PRINT_SIGNATURE, PRINT_MATCHED };

/* "(shape), dtype, keywords" of a buffer whose name is already defined.
 * Symbols met first in its strides or offset become A.strides[i] and
 * A.elem_offset. data may be NULL. */
void print_put_buffer(struct print_state *p, const struct ir_buffer *b,
                      const struct ir_expr *data, enum print_form form);
/* Whether the buffer can be declared in the signature: every symbol in it is
 * known there or defined by the declaration itself. */
bool print_fits_signature(struct print_state *p, const struct ir_buffer *b);
/* `B = T.Buffer(…, data=v)` for undeclared buffers on this pointer. */
void print_put_views(struct print_state *p, const struct ir_var *data);

/* ---- print_stmt.c, print_block.c ----------------------------------------- */

void print_put_stmt(struct print_state *p, const struct ir_stmt *s);
/* An indented body in a scope of its own. */
void print_put_body(struct print_state *p, const struct ir_stmt *s);
void print_put_block(struct print_state *p, const struct ir_stmt *s);
/* sblock_alloc_buffer lines of a block. */
void print_put_allocs(struct print_state *p, const struct ir_block *b);
/* One line for messages. */
void print_put_summary(struct print_state *p, const struct ir_stmt *s);

/* ---- print_func.c, print_relax.c ----------------------------------------- */

/* Symbols of a function's signature that TVM calls type variables. */
void print_collect_dims(struct print_state *p, const struct ir_func *f,
                        struct ptr_map *seen);
void print_put_prim_func(struct print_state *p, const struct ir_func *f);
void print_put_rx_func(struct print_state *p, const struct ir_func *f);
void print_put_rx_type(struct print_state *p, const struct ir_type *type);
void print_put_rx(struct print_state *p, const struct rx_expr *e);

/* ---- print_relax_call.c -------------------------------------------------- */

void print_put_rx_call(struct print_state *p, const struct rx_expr *e);

#endif
