/* SPDX-License-Identifier: Apache-2.0
 *
 * What the files of fuzz/hostile share: hostile_case.c puts cases together,
 * hostile_ir.c and hostile_edits.c work on modules in memory, hostile_graph.c on
 * the nodes of JSON, hostile_script.c writes programs, hostile_many.c what is
 * too deep, too long or too much.
 */
#ifndef DC_FUZZ_HOSTILE_PRIVATE_H
#define DC_FUZZ_HOSTILE_PRIVATE_H

#include "fuzz/hostile/hostile.h"

/* ---- draws --------------------------------------------------------------------- */

/* A number at the edge of something: of a type, of a limit, of memory. */
int64_t hostile_number(struct gen_bytes *b);
/* A count out of small, middling and large ones, at most `most`. */
size_t hostile_count(struct gen_bytes *b, size_t most);
/* One of the strings. */
#define hostile_pick(b, array) ((array)[gen_below((b), DC_ARRAY_LEN(array))])

/* ---- modules in memory ------------------------------------------------------------- */

/* Places of one function, as it was read. */
struct hostile_slot {
    struct ir_expr **at;
    struct ir_stmt **holder; /* the statement that it belongs to */
};
struct hostile_places {
    struct VEC(struct hostile_slot) slots;
    struct VEC(struct ir_stmt **) stmts;
    struct VEC(struct ir_buffer *) buffers;
    struct VEC(struct ir_var *) vars;
};
void hostile_places_find(struct hostile_places *p, struct ir_func *f);
void hostile_places_fini(struct hostile_places *p);

struct hostile_edit {
    struct ir_module *m;
    struct ir_func *func;
    struct hostile_places *places;
    struct gen_bytes *bytes;
    struct buf *label;
    bool repeated; /* something occurs many times: not once more */
};
/* One to four edits of the module's functions, in place. */
void hostile_edit_module(struct ir_module *m, struct gen_bytes *bytes,
                         struct buf *label);
/* Edits of statements, buffers and functions, by number. */
size_t hostile_nstmt_edits(void);
void hostile_stmt_edit(struct hostile_edit *e, size_t k);

/* ---- texts --------------------------------------------------------------------------- */

/* JSON of a module with one to four edits of its nodes; what is no graph of
 * nodes stays as it is. */
void hostile_graph_edit(struct buf *text, struct gen_bytes *bytes,
                        struct buf *label);
/* A program of statements that use each other twice; two of the same draws and
 * another `constant` differ by that. */
void hostile_script_write(struct buf *out, struct gen_bytes *bytes,
                          int constant, struct buf *label);
/* What is too deep, too long, or too many of one kind. */
void hostile_many_write(struct buf *out, struct gen_bytes *bytes, int constant,
                        struct buf *label);

#endif
